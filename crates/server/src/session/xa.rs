//! XA transactions: a session's own, and those that are prepared and wait for a word from anybody.
//!
//! | state | left by | next |
//! | --- | --- | --- |
//! | NON-EXISTING | XA START | ACTIVE |
//! | ACTIVE | XA END; a deadlock | IDLE; ROLLBACK ONLY |
//! | IDLE | XA START .. RESUME; XA PREPARE; XA COMMIT .. ONE PHASE, XA ROLLBACK | ACTIVE; prepared; gone |
//! | ROLLBACK ONLY | XA ROLLBACK, XA COMMIT .. ONE PHASE (1614) | gone |
//! | prepared | XA COMMIT, XA ROLLBACK, of any session | gone |
//!
//! XA PREPARE commits rows that the transaction is found by after a crash ([`engine::prepared`]), and detaches it from its
//! session. With `xa_detach_on_prepare` = OFF the session keeps the right to end it, until it ends itself.
//!
//! In the binlog XA PREPARE is a group with the rows, and its end another one, as in MySQL; XA COMMIT .. ONE PHASE is like any
//! COMMIT. What sessions did with `sql_log_bin` = 0 stays unlogged to its end.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::fmt;
use std::sync::Arc;

use binlog::event::{XaName, XaPrepare};
use commit::{AbortOnUnwind, CommitAck, Committing, EventsKind, INLINE_MAX};
use engine::ids::Change;
use engine::lock::LockId;
use engine::prepared;
use engine::store::Store;
use engine::trx::Trx;
use parking_lot::Mutex;
use sql::parse::{Xa, Xid, hex};
use types::collation::Collation;
use types::error::SqlError;
use types::error::table::{
    ER_XA_RBDEADLOCK, ER_XA_TEMP_TABLE, ER_XAER_DUPID, ER_XAER_INVAL, ER_XAER_NOTA, ER_XAER_OUTSIDE,
    ER_XAER_RMERR, ER_XAER_RMFAIL,
};
use types::value::Value;

use super::plan_cache::Planned;
use super::result::Format;
use super::row_log::cache_error;
use super::transaction::Stamp;
use super::{Client, Wire};
use crate::info::cell::{Row, row};
use crate::info::show::Shown;
use crate::variables::Characteristics;

type Result<T> = std::result::Result<T, SqlError>;

/// What [`prepared::rows`] notes of a transaction whose events are in the binlog.
const LOGGED: u8 = 1;

/// The names that are taken, and the transactions that are prepared.
#[derive(Debug, Default)]
pub(crate) struct XaTransactions {
    /// Rank: before the lock table's.
    all: Mutex<BTreeMap<Xid, Place>>,
}

#[derive(Debug)]
enum Place {
    /// A session runs it, or ends it.
    Taken,
    Prepared(Box<Prepared>),
}

/// A prepared transaction.
#[derive(Debug)]
struct Prepared {
    trx: Trx,
    /// Rows that it is found by; none if it has changed nothing.
    pieces: u32,
    logged: bool,
    /// The session that alone may end it.
    owner: Option<u32>,
}

/// The states of a session's XA transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Active,
    Idle,
    Prepared,
    RollbackOnly,
}

/// A session's XA transaction. Its name is free again when it is dropped; one that is prepared is anybody's then.
#[derive(Debug)]
pub(super) struct Branch {
    xid: Xid,
    state: State,
    session: u32,
    /// It is prepared, and perhaps not answered yet. From then on others may end it and take its name again.
    is_handed_over: bool,
    all: Arc<XaTransactions>,
}

impl Drop for Branch {
    fn drop(&mut self) {
        let mut all = self.all.all.lock();
        match all.get_mut(&self.xid) {
            Some(Place::Prepared(prepared)) if prepared.owner == Some(self.session) => prepared.owner = None,
            Some(Place::Taken) if !self.is_handed_over => drop(all.remove(&self.xid)),
            _ => {}
        }
    }
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Active => "ACTIVE",
            Self::Idle => "IDLE",
            Self::Prepared => "PREPARED",
            Self::RollbackOnly => "ROLLBACK ONLY",
        })
    }
}

impl XaTransactions {
    /// Finds those that were prepared before this start.
    ///
    /// # Errors
    /// Of the table store, and if their rows are damaged.
    pub(crate) fn restore(&self, store: &Arc<Store>) -> std::result::Result<(), engine::EngineError> {
        for prepared::Found { name, note, pieces, trx } in prepared::all(store)? {
            let corrupt =
                || engine::EngineError::Corrupt { what: "the name of a prepared transaction".to_owned() };
            let xid = decode(&name).ok_or_else(corrupt)?;
            tracing::info!(xid = %shown(&xid), "a prepared XA transaction waits for XA COMMIT or XA ROLLBACK");
            self.put(xid, Prepared { trx, pieces, logged: note & LOGGED != 0, owner: None });
        }
        Ok(())
    }

    /// Takes a name. Error 1440 if it is taken.
    fn begin(&self, xid: &Xid) -> Result<()> {
        match self.all.lock().entry(xid.clone()) {
            Entry::Occupied(_) => Err(ER_XAER_DUPID.error(&[])),
            Entry::Vacant(free) => {
                free.insert(Place::Taken);
                Ok(())
            }
        }
    }

    fn put(&self, xid: Xid, prepared: Prepared) {
        self.all.lock().insert(xid, Place::Prepared(Box::new(prepared)));
    }

    /// A prepared transaction that a session is about to end: it, or [`XaTransactions::leave`], comes after.
    fn take(&self, xid: &Xid, session: u32) -> Option<Prepared> {
        let mut all = self.all.lock();
        let place = all.get_mut(xid)?;
        match place {
            Place::Prepared(prepared) if prepared.owner.is_none_or(|owner| owner == session) => {}
            _ => return None,
        }
        match std::mem::replace(place, Place::Taken) {
            Place::Prepared(prepared) => Some(*prepared),
            Place::Taken => None,
        }
    }

    fn leave(&self, xid: &Xid) {
        self.all.lock().remove(xid);
    }
}

/// A name as rows have it: the number of the format, the length of the global part, both parts.
fn encode(xid: &Xid) -> Vec<u8> {
    let length = u8::try_from(xid.global.len()).expect("at most 64 bytes");
    [&xid.format.to_be_bytes()[..], &[length], &xid.global, &xid.branch].concat()
}

fn decode(bytes: &[u8]) -> Option<Xid> {
    let (format, rest) = bytes.split_first_chunk()?;
    let (length, rest) = rest.split_first()?;
    let (global, branch) = rest.split_at_checked((*length).into())?;
    Some(Xid { format: u32::from_be_bytes(*format), global: global.to_vec(), branch: branch.to_vec() })
}

fn shown(xid: &Xid) -> XaName<'_> {
    XaName { format: xid.format, global: &xid.global, branch: &xid.branch }
}

fn refused(state: Option<State>) -> SqlError {
    match state {
        Some(state) => ER_XAER_RMFAIL.error(&[&state]),
        None => ER_XAER_RMFAIL.error(&[&"NON-EXISTING"]),
    }
}

impl Client {
    /// XA. Errors 1397 to 1401, 1440, 1614.
    pub(super) async fn xa(&mut self, xa: Xa, format: Format, more: bool, wire: &mut dyn Wire) -> Result<()> {
        let ack = match xa {
            Xa::Start { xid, resumes: true } => self.xa_resume(&xid).map(|()| None)?,
            Xa::Start { xid, resumes: false } => self.xa_start(xid).map(|()| None)?,
            Xa::End(xid) => self.xa_end(&xid).map(|()| None)?,
            Xa::Prepare(xid) => Some(self.xa_prepare(&xid).await?),
            Xa::Commit { xid, one_phase: true } if self.is_of_xa(&xid, State::Idle) => {
                Some(self.xa_commit_one_phase(&xid).await?)
            }
            Xa::Rollback(xid)
                if self.is_of_xa(&xid, State::Idle) || self.is_of_xa(&xid, State::RollbackOnly) =>
            {
                Some(self.xa_forget().await)
            }
            Xa::Commit { xid, one_phase: true } if self.is_of_xa(&xid, State::RollbackOnly) => {
                let _ack = self.xa_forget().await;
                return Err(ER_XA_RBDEADLOCK.error(&[]));
            }
            Xa::Commit { one_phase: true, .. } if self.xa_state() == Some(State::Prepared) => {
                return Err(refused(self.xa_state()));
            }
            Xa::Commit { xid, .. } => self.xa_finish(&xid, true).await?,
            Xa::Rollback(xid) => self.xa_finish(&xid, false).await?,
            Xa::Recover { convert } => {
                let prepared = self.xa_recover(convert)?;
                return self.answer_with(prepared, None, format, more, wire).await;
            }
        };
        self.done(ack, more, wire);
        Ok(())
    }

    fn xa_state(&self) -> Option<State> {
        self.xa.as_ref().map(|branch| branch.state)
    }

    fn set_xa_state(&mut self, state: State) {
        if let Some(branch) = &mut self.xa {
            branch.state = state;
        }
    }

    fn is_of_xa(&self, xid: &Xid, state: State) -> bool {
        self.xa.as_ref().is_some_and(|branch| branch.state == state && branch.xid == *xid)
    }

    /// Error 1399 unless the session's XA transaction is in this state, 1397 if it has another name.
    fn expect_xa(&self, xid: &Xid, state: State) -> Result<()> {
        if self.xa_state() != Some(state) {
            return Err(refused(self.xa_state()));
        }
        if self.is_of_xa(xid, state) { Ok(()) } else { Err(ER_XAER_NOTA.error(&[])) }
    }

    /// Error 1399 within an XA transaction: for what would commit, or begin another one.
    pub(super) fn refuse_in_xa(&self) -> Result<()> {
        if self.xa.is_some() { Err(refused(self.xa_state())) } else { Ok(()) }
    }

    /// Error 1399 in an XA transaction that has ended: for what belongs to a transaction.
    pub(super) fn refuse_behind_xa(&self) -> Result<()> {
        match self.xa_state() {
            Some(State::Idle | State::Prepared) => Err(refused(self.xa_state())),
            Some(State::Active | State::RollbackOnly) | None => Ok(()),
        }
    }

    /// Error 1399 behind XA END, 1614 where all that is left is to roll back.
    pub(super) fn refuse_in_ended_xa(&self) -> Result<()> {
        self.refuse_behind_xa()?;
        match self.xa_state() {
            Some(State::RollbackOnly) => Err(ER_XA_RBDEADLOCK.error(&[])),
            _ => Ok(()),
        }
    }

    /// Whether an XA transaction lets a plan run. Errors 1399, 1614, 4091.
    pub(super) fn permit_in_xa(&self, planned: &Planned) -> Result<()> {
        if self.xa.is_none() || planned.tables.is_empty() {
            return Ok(());
        }
        self.refuse_in_ended_xa()?;
        if planned.tables.iter().any(|planned| planned.table.is_temporary()) {
            return self.refuse_temporary_in_xa();
        }
        Ok(())
    }

    /// Error 4091: a temporary table goes with its session, and the transaction may not.
    pub(super) fn refuse_temporary_in_xa(&self) -> Result<()> {
        if self.xa.is_some() { Err(ER_XA_TEMP_TABLE.error(&[])) } else { Ok(()) }
    }

    /// The transaction was rolled back by a deadlock, or has lost its snapshot: all that is left is to say so. What is prepared
    /// is none of the session's any more.
    pub(super) fn note_xa_rolled_back(&mut self) {
        if self.xa_state() != Some(State::Prepared) {
            self.set_xa_state(State::RollbackOnly);
        }
    }

    fn xa_start(&mut self, xid: Xid) -> Result<()> {
        self.refuse_in_xa()?;
        if self.transaction.open || self.locked.is_some() {
            return Err(ER_XAER_OUTSIDE.error(&[]));
        }
        let all = Arc::clone(&self.shared.common.xa);
        all.begin(&xid)?;
        self.log.xa = Some(shown(&xid).to_string());
        let session = self.sql.connection_id;
        self.xa = Some(Box::new(Branch { xid, state: State::Active, session, is_handed_over: false, all }));
        self.open_transaction();
        Ok(())
    }

    fn xa_resume(&mut self, xid: &Xid) -> Result<()> {
        if self.xa_state() != Some(State::Idle) {
            return Err(ER_XAER_INVAL.error(&[]));
        }
        self.expect_xa(xid, State::Idle)?;
        self.set_xa_state(State::Active);
        Ok(())
    }

    fn xa_end(&mut self, xid: &Xid) -> Result<()> {
        if self.is_of_xa(xid, State::RollbackOnly) {
            return Err(ER_XA_RBDEADLOCK.error(&[]));
        }
        self.expect_xa(xid, State::Active)?;
        self.set_xa_state(State::Idle);
        Ok(())
    }

    /// The session's XA transaction is over; its name is free, or it is prepared.
    fn leave_xa(&mut self) {
        (self.xa, self.log.xa) = (None, None);
        self.vars.next = Characteristics::default();
        self.view.set_snapshot(None);
        self.use_gtid();
    }

    /// XA ROLLBACK of what is not prepared; the end of a session.
    pub(super) async fn xa_forget(&mut self) -> CommitAck {
        let ack = self.transaction.rollback().await;
        self.leave_xa();
        ack
    }

    async fn xa_prepare(&mut self, xid: &Xid) -> Result<CommitAck> {
        self.expect_xa(xid, State::Idle)?;
        if self.passes_over_change()? {
            // What has its GTID was prepared before, and may have ended since.
            return Ok(self.xa_forget().await);
        }
        let done = self.prepare_and_wait(xid).await;
        if done.is_ok() && !self.vars.xa_detach_on_prepare {
            // Nothing is left of it here but the right to end it.
            self.set_xa_state(State::Prepared);
            self.log.xa = None;
            self.use_gtid();
        } else {
            self.leave_xa();
        }
        done
    }

    async fn prepare_and_wait(&mut self, xid: &Xid) -> Result<CommitAck> {
        self.wait_for_read_lock().await?;
        if !self.transaction.trx.writes().is_empty() {
            let committing = self.submit_prepared(xid, None).await;
            return match committing {
                Ok(committing) => Ok(self.transaction.finish(committing).await),
                Err(error) => {
                    self.transaction.end();
                    Err(error)
                }
            };
        }
        let trx = self.transaction.trx.detach();
        self.keep_prepared(xid, trx, 0, false);
        Ok(self.transaction.rollback().await)
    }

    /// Prepares a source's transaction, behind everything that the source did before. Error 1440 if one of this server's own has
    /// its name.
    pub(super) async fn submit_applied_xa(&mut self, xid: &Xid, stamp: Stamp) -> Result<Committing> {
        let all = Arc::clone(&self.shared.common.xa);
        all.begin(xid)?;
        let done = self.submit_prepared(xid, Some(Box::new(stamp))).await;
        if done.is_err() {
            all.leave(xid);
        }
        done
    }

    /// Gives the rows by which the transaction is found their place in the commit order, and detaches it.
    async fn submit_prepared(&mut self, xid: &Xid, stamp: Option<Box<Stamp>>) -> Result<Committing> {
        let kind = self.log_xa_end(xid, false)?;
        let logged = kind != EventsKind::None;
        let name = encode(xid);
        let rows = prepared::rows(&self.transaction.trx, if logged { LOGGED } else { 0 });
        let trx = self.transaction.trx.detach();
        let mut pieces = 0;
        for row in rows {
            self.transaction.put_own(prepared::key(&name, pieces), Change::Put(row)).await?;
            pieces += 1;
        }
        let committing = self.transaction.submit(kind, self.log.origin, stamp).await?;
        self.keep_prepared(xid, trx, pieces, logged);
        Ok(committing)
    }

    fn keep_prepared(&mut self, xid: &Xid, trx: Trx, pieces: u32, logged: bool) {
        let owner = (!self.applies && !self.vars.xa_detach_on_prepare).then_some(self.sql.connection_id);
        if let Some(branch) = &mut self.xa {
            branch.is_handed_over = true;
        }
        self.shared.common.xa.put(xid.clone(), Prepared { trx, pieces, logged, owner });
    }

    /// Puts XA END and XA_PREPARE into the cache, behind what the transaction has logged.
    fn log_xa_end(&mut self, xid: &Xid, one_phase: bool) -> Result<EventsKind> {
        let (_, cache) = self.transaction.parts();
        if cache.is_empty() {
            return Ok(EventsKind::None);
        }
        self.log.log_words(cache, &format!("XA END {}", shown(xid)))?;
        self.log.log_event(cache, &XaPrepare { one_phase, name: shown(xid) })?;
        Ok(EventsKind::Prepared)
    }

    /// What is committed in one phase is logged as a transaction like others: MariaDB's replicas stop at MySQL's XA_PREPARE of
    /// such a one. It is that all the same if its events are more than a commit has in memory.
    pub(super) fn log_one_phase(&mut self, xid: &Xid) -> Result<EventsKind> {
        let (_, cache) = self.transaction.parts();
        if cache.is_empty() {
            return Ok(EventsKind::None);
        }
        match cache.load(INLINE_MAX as u64) {
            Ok(()) | Err(binlog::Error::Limit { .. }) => {}
            Err(error) => return Err(cache_error(&error)),
        }
        if self.log.rename_begin(cache) { Ok(EventsKind::Transaction) } else { self.log_xa_end(xid, true) }
    }

    async fn xa_commit_one_phase(&mut self, xid: &Xid) -> Result<CommitAck> {
        let done = self.commit_in_one_phase(xid).await;
        if done.is_err() {
            self.transaction.end();
        }
        self.leave_xa();
        done
    }

    async fn commit_in_one_phase(&mut self, xid: &Xid) -> Result<CommitAck> {
        self.wait_for_read_lock().await?;
        match self.log_one_phase(xid)? {
            EventsKind::None => self.commit_own().await,
            kind => self.transaction.commit_as(kind, self.log.origin, None).await,
        }
    }

    /// XA COMMIT and XA ROLLBACK of what is prepared. Whatever fails leaves it prepared.
    async fn xa_finish(&mut self, xid: &Xid, commits: bool) -> Result<Option<CommitAck>> {
        if !self.is_of_xa(xid, State::Prepared) {
            self.refuse_in_xa()?;
            if self.transaction.open {
                return Err(refused(None));
            }
        }
        if self.passes_over_change()? {
            self.use_gtid();
            return Ok(None);
        }
        let all = Arc::clone(&self.shared.common.xa);
        let prepared = all.take(xid, self.sql.connection_id).ok_or_else(|| ER_XAER_NOTA.error(&[]))?;
        let done = self.finish_prepared(xid, prepared, commits).await;
        match done {
            Ok(ack) => {
                all.leave(xid);
                if self.xa.is_some() {
                    self.leave_xa();
                }
                Ok(Some(ack))
            }
            Err((error, prepared)) => {
                all.put(xid.clone(), prepared);
                Err(error)
            }
        }
    }

    async fn finish_prepared(
        &mut self,
        xid: &Xid,
        mut prepared: Prepared,
        commits: bool,
    ) -> std::result::Result<CommitAck, (SqlError, Prepared)> {
        if prepared.pieces == 0 {
            self.transaction.trx.adopt(prepared.trx);
            return Ok(self.transaction.rollback().await);
        }
        if let Err(error) = self.refuse_under_read_lock() {
            return Err((error, prepared));
        }
        // Its locks would go while its rows stay.
        let _guard = AbortOnUnwind;
        // What is rolled back is forgotten when its rows are gone; its locks go with it.
        let kept = if commits {
            self.transaction.trx.adopt(prepared.trx);
            None
        } else {
            Some(prepared.trx)
        };
        let begun = self.transaction.trx.mark();
        let name = encode(xid);
        let mut own: Vec<_> =
            (0..prepared.pieces).map(|piece| LockId::of_key(&prepared::key(&name, piece))).collect();
        own.extend(self.transaction.stamp.as_ref().map(|stamp| LockId::of_key(&stamp.key)));
        match self.submit_end(xid, prepared.pieces, prepared.logged, commits).await {
            Ok(committing) => Ok(self.transaction.finish(committing).await),
            Err(error) => {
                let trx = &mut self.transaction.trx;
                trx.rollback_to(begun);
                // Whoever ends it next wants these, or has the next position to store.
                for lock in own {
                    trx.unlock(lock);
                }
                prepared.trx = kept.unwrap_or_else(|| self.transaction.trx.detach());
                self.transaction.end();
                Err((error, prepared))
            }
        }
    }

    async fn submit_end(
        &mut self,
        xid: &Xid,
        pieces: u32,
        logged: bool,
        commits: bool,
    ) -> Result<Committing> {
        let name = encode(xid);
        for piece in 0..pieces {
            self.transaction.put_own(prepared::key(&name, piece), Change::Remove).await?;
        }
        self.pass_read_lock().await?;
        let logs = logged && self.logs();
        if logs {
            let words = format!("XA {} {}", if commits { "COMMIT" } else { "ROLLBACK" }, shown(xid));
            let (_, cache) = self.transaction.parts();
            self.log.log_words(cache, &words)?;
        }
        let kind = if logs { EventsKind::Statement } else { EventsKind::None };
        let stamp = self.transaction.stamp.take();
        self.transaction.submit(kind, self.log.origin, stamp).await
    }

    /// A source's XA transaction begins.
    pub(super) fn begin_applied_xa(&mut self, xid: &Xid) {
        self.log.xa = Some(shown(xid).to_string());
    }

    /// A source's XA transaction ends with its group.
    pub(crate) fn end_applied_xa(&mut self, end: &XaPrepare<'_>) {
        let XaName { format, global, branch } = end.name;
        let xid = Xid { format, global: global.to_vec(), branch: branch.to_vec() };
        self.xa_applied = Some((xid, end.one_phase));
    }

    /// XA RECOVER. Error 1401 without the privilege.
    fn xa_recover(&self, convert: bool) -> Result<Shown> {
        if !self.access.has_dynamic("XA_RECOVER_ADMIN") {
            return Err(ER_XAER_RMERR.error(&[]));
        }
        let mut rows: Vec<Row> = Vec::new();
        for (xid, place) in &*self.shared.common.xa.all.lock() {
            if let Place::Prepared(_) = place {
                let data = [&xid.global[..], &xid.branch].concat();
                let data = if convert { format!("0x{}", hex(&data)).into_bytes() } else { data };
                let data = Value::Str(data, Collation::Utf8mb3GeneralCi);
                rows.push(row![xid.format, xid.global.len() as u64, xid.branch.len() as u64, data]);
            }
        }
        Ok(Shown::new("xa_recover", rows))
    }
}
