//! What a replica's worker does with a source's transaction, by the means of a session: rows, statements, the commit.
//!
//! A worker is a session without a connection and with every privilege. Its transaction takes its GTID, and where the
//! source's binlog goes on behind it, along ([`Stamp`]).

mod rows;
mod search;
mod statement;
mod table;

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use binlog::{Gtid, Origin};
use commit::{Committing, EventsKind, Pipeline};
use protocol::wire::Capabilities;
use types::error::SqlError;
use types::error::table::ER_CANT_SET_GTID_NEXT_TO_GTID_WHEN_GTID_MODE_IS_OFF;

use super::gtid_next::OwnGtid;
use super::transaction::Stamp;
use super::{Arrival, Client, KillSwitch, Shared};
use crate::accounts::{Access, Account, Name, Peer};
pub(crate) use table::Mapped;

type Result<T> = std::result::Result<T, SqlError>;

/// How workers call themselves, as in MySQL.
const USER: &str = "system user";

/// A GTID that a worker has taken; also one that panics gives it back.
#[derive(Debug)]
pub(super) struct Claim {
    pipeline: Arc<Pipeline>,
    gtid: Gtid,
}

impl Drop for Claim {
    fn drop(&mut self) {
        self.pipeline.give_gtid_back(self.gtid);
    }
}

impl Client {
    /// A worker; `id` is its alone.
    pub(crate) fn worker(shared: &Arc<Shared>, id: u32, kill: Arc<KillSwitch>) -> Self {
        let account = Account { name: Name::new(USER, ""), ..Account::root() };
        let access = Access::new(Arc::clone(&shared.accounts), Arc::new(account), USER, Peer::local());
        let arrival = Arrival {
            id,
            counters: shared.status.begin_session(id),
            access: Arc::new(access),
            capabilities: Capabilities::NONE,
            kill,
        };
        let mut client = Self::new(Arc::clone(shared), arrival);
        client.settings_changed();
        client.applies = true;
        client.transaction.writer = None;
        client
    }

    /// How long it waits for a row; `None`: as long as sessions do.
    pub(crate) fn set_row_wait(&mut self, wait: Option<Duration>) {
        let usual = Duration::from_secs(self.vars.innodb_lock_wait_timeout_s.into());
        self.transaction.trx.row_wait = wait.unwrap_or(usual);
    }

    /// A transaction begins, which ran first on this server and at this time; `xa` is its name, if it is an XA transaction.
    pub(crate) fn begin_applied(&mut self, origin: Origin, xa: Option<String>) {
        self.transaction.open = true;
        self.log.origin = origin;
        (self.log.xa, self.xa_applied) = (xa, None);
    }

    /// Takes the GTID of the transaction that comes: nobody else commits one of that GTID meanwhile. False if there is
    /// one already. Error 1781 if this server has no GTIDs; the source may have begun with them since it was asked.
    pub(crate) async fn claim_applied(&mut self, gtid: Gtid) -> Result<bool> {
        if self.gtid_mode() == 0 {
            return Err(ER_CANT_SET_GTID_NEXT_TO_GTID_WHEN_GTID_MODE_IS_OFF.error(&[]));
        }
        let kill = Arc::clone(&self.kill);
        let claimed = kill.unless_killed(pin!(self.await_gtid(gtid))).await?;
        let pipeline = Arc::clone(&self.shared.pipeline);
        self.claimed = matches!(claimed, OwnGtid::Owned(_)).then(|| Claim { pipeline, gtid });
        Ok(self.claimed.is_some())
    }

    /// The transaction has a ticket, or there is none: its GTID is no longer claimed.
    pub(crate) fn release_claim(&mut self) {
        self.claimed = None;
    }

    /// The next event of the transaction is from this server and this time.
    pub(crate) fn set_event(&mut self, origin: Origin) {
        self.sql.set_now(u64::from(origin.timestamp) * 1_000_000);
        self.log.origin = origin;
    }

    /// Gives the worker's transaction its place in the commit order. Resolves when it is there; whether it is durable is
    /// what comes back tells. Without changes it is logged only if it has a GTID of its own to keep.
    pub(crate) async fn commit_applied(&mut self, stamp: Stamp) -> Result<Committing> {
        let logged = self.logs();
        let has_rows = !self.transaction.trx.writes().is_empty();
        let xa = self.xa_applied.take().filter(|_| has_rows);
        if let Some((xid, false)) = &xa {
            return self.submit_applied_xa(xid, stamp).await;
        }
        let kind = match (logged, has_rows) {
            (true, true) if let Some((xid, _)) = &xa => self.log_one_phase(xid)?,
            (true, true) => EventsKind::Transaction,
            (true, false) if stamp.gtid.is_some() => {
                self.log_empty()?;
                EventsKind::Statement
            }
            _ => EventsKind::None,
        };
        let origin = self.log.origin;
        self.transaction.submit(kind, origin, Some(Box::new(stamp))).await
    }

    /// Waits for a commit whose locks go when it is durable.
    pub(crate) async fn finish_applied(&mut self, committing: Committing) {
        let _ack = self.transaction.finish(committing).await;
    }

    /// The next transaction may begin: the pipeline still has the last, whose locks have gone.
    pub(crate) fn go_on(&mut self) {
        let cache = self.shared.cache(&self.spill_name());
        self.transaction.go_on(cache);
    }

    /// Undoes all of the transaction. It still has its GTID, with which it may be committed.
    pub(crate) async fn undo_applied(&mut self) {
        self.transaction.stamp = None;
        self.forget_new_table().await;
    }

    /// Ends the transaction without a trace.
    pub(crate) async fn forget_applied(&mut self) {
        self.undo_applied().await;
        self.release_claim();
    }

    /// So many events of the source were skipped, as `sql_replica_skip_counter` has said.
    pub(crate) fn count_skipped(&self, events: u32) {
        self.shared.common.replica.count_skipped(events);
    }

    /// Whether its transaction makes a table.
    pub(crate) fn makes_table(&self) -> bool {
        self.new_table.is_some()
    }

    /// Commits a table that its transaction makes, and its rows.
    pub(crate) async fn commit_applied_table(&mut self, stamp: Stamp) -> Result<()> {
        self.transaction.stamp = Some(Box::new(stamp));
        self.commit_new_table().await.map(|_| ())
    }

    /// BEGIN and COMMIT: a transaction of which only the GTID counts.
    pub(super) fn log_empty(&mut self) -> Result<()> {
        let (_, cache) = self.transaction.parts();
        self.log.log_empty(cache)
    }

    fn spill_name(&self) -> String {
        format!("trx-{}", self.sql.connection_id)
    }
}
