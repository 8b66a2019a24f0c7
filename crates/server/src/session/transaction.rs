//! A session's transaction: begun, marked, committed, rolled back.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use binlog::event::Xid;
use binlog::{Compressor, Gtid, GtidPlan, Mark as LogMark, Origin, TrxCache, Uuid};
use commit::{CommitAck, CommitError, Committing, EventsKind, Pending, Pipeline, Recent};
use engine::ids::{Change, Key, Row, TableId};
use engine::lock::{LockId, Mode};
use engine::store::Store;
use engine::trx::{Isolation, Mark, Trx};
use sql::exec::engine_error;
use types::error::SqlError;
use types::error::table::{
    ER_DISK_FULL, ER_ERROR_DURING_COMMIT, ER_ERROR_ON_READ, ER_SERVER_SHUTDOWN, ER_SP_DOES_NOT_EXIST,
};

use super::read_only::Writer;
use super::row_log::cache_error;
use crate::status::{Counter, Counters, Waits};

/// `immediate_server_version` of GTID events.
const SERVER_VERSION: u32 = 80_046;

/// XXHASH64.
const WRITE_SET_EXTRACTION: u8 = 2;

/// See the module.
#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is said by itself")]
pub(crate) struct Transaction {
    pipeline: Arc<Pipeline>,
    pub(crate) trx: Trx,
    /// `None` only while the pipeline has it.
    cache: Option<TrxCache>,
    recent: Recent,
    /// BEGIN was said, or autocommit is off and a statement has run.
    pub(crate) open: bool,
    /// START TRANSACTION READ ONLY.
    pub(crate) read_only: bool,
    /// Plain reads lock what they read.
    pub(crate) serializable: bool,
    /// `transaction_write_set_extraction`
    pub(crate) write_set_extraction: u8,
    /// `binlog_transaction_compression_level_zstd`, if `binlog_transaction_compression` is on.
    pub(crate) compression: Option<u8>,
    /// What the next commit says of the source where it ran first.
    pub(crate) stamp: Option<Box<Stamp>>,
    /// Whom a read-only server refuses; `None`: its changes are the server's own, or a source's.
    pub(crate) writer: Option<Writer>,
    /// That of the last transaction, until a client is told.
    pub(crate) last_gtid: Option<Gtid>,
    /// `gtid_next`, until a commit takes it.
    pub(crate) next_gtid: Option<Gtid>,
    /// The table that it makes: what changes that one later depends on it, whatever the rows say.
    pub(crate) defines: Option<TableId>,
    /// See [`Pending::passes_read_lock`].
    passes_read_lock: bool,
    savepoints: Vec<Savepoint>,
    sid: binlog::Uuid,
    counters: Arc<Counters>,
}

/// How far a commit is.
#[derive(Debug)]
#[must_use = "nobody is told of a commit before it is done"]
pub(crate) enum Committed {
    /// It is durable and visible.
    Done(CommitAck),
    /// The pipeline owns it.
    UnderWay(Committing),
}

/// What a transaction that ran first elsewhere takes along.
#[derive(Clone, Debug)]
pub(crate) struct Stamp {
    /// Its GTID, if it has one.
    pub(crate) gtid: Option<Gtid>,
    /// When it was committed there, microseconds since 1970.
    pub(crate) original_commit_timestamp_us: Option<u64>,
    /// The version of the server there.
    pub(crate) original_server_version: Option<u32>,
    /// A row that is stored with it: where the source's binlog goes on behind it.
    pub(crate) key: Key,
    /// That row.
    pub(crate) row: Row,
}

#[derive(Debug)]
struct Savepoint {
    name: String,
    changes: Mark,
    events: LogMark,
}

impl Transaction {
    pub(crate) fn new(
        store: &Arc<Store>,
        pipeline: &Arc<Pipeline>,
        cache: TrxCache,
        sid: binlog::Uuid,
        counters: Arc<Counters>,
        connection: u32,
    ) -> Self {
        Self {
            pipeline: Arc::clone(pipeline),
            trx: Trx::of(Arc::clone(store), connection),
            cache: Some(cache),
            recent: Recent::default(),
            open: false,
            read_only: false,
            serializable: false,
            write_set_extraction: WRITE_SET_EXTRACTION,
            compression: None,
            stamp: None,
            writer: None,
            last_gtid: None,
            next_gtid: None,
            defines: None,
            passes_read_lock: false,
            savepoints: Vec::new(),
            sid,
            counters,
        }
    }

    /// The transaction and its events' cache, for a statement.
    pub(crate) fn parts(&mut self) -> (&mut Trx, &mut TrxCache) {
        (&mut self.trx, self.cache.as_mut().expect("no commit is under way"))
    }

    pub(crate) fn pipeline(&self) -> &Arc<Pipeline> {
        &self.pipeline
    }

    /// What is handed over with these events.
    pub(crate) fn pending(&self, cache: TrxCache, origin: Origin) -> Box<Pending> {
        let plan = GtidPlan {
            sid: None,
            may_have_statements: false,
            original_commit_timestamp_us: None,
            immediate_server_version: SERVER_VERSION,
            original_server_version: None,
        };
        Box::new(Pending::new(cache, self.recent, plan, origin))
    }

    /// The isolation level of the next transaction.
    pub(crate) fn set_isolation(&mut self, isolation: Isolation) {
        self.trx.set_isolation(isolation);
    }

    /// Commits. `origin` is that of the statement that does; without `logged` nothing goes to the binlog.
    pub(crate) async fn commit(&mut self, origin: Origin, logged: bool) -> Result<CommitAck, SqlError> {
        if self.trx.writes().is_empty() {
            if !self.trx.is_idle() {
                self.counters.bump(Counter::HandlerCommit);
            }
            self.trx.keep_temporary();
            return Ok(self.end_without_changes().await);
        }
        let kind = if logged { EventsKind::Transaction } else { EventsKind::None };
        let stamp = self.stamp.take();
        self.commit_as(kind, origin, stamp).await
    }

    /// As [`Transaction::commit`], but does not wait where only the client has to: the next transaction may begin.
    pub(crate) async fn commit_ahead(&mut self, origin: Origin, logged: bool) -> Result<Committed, SqlError> {
        if self.trx.writes().is_empty() {
            return self.commit(origin, logged).await.map(Committed::Done);
        }
        let kind = if logged { EventsKind::Transaction } else { EventsKind::None };
        let stamp = self.stamp.take();
        let next = self.cache.as_ref().expect("no commit is under way").renewed();
        match self.submit(kind, origin, stamp).await {
            Ok(committing) if committing.has_released() => {
                self.set_waits(Waits::ForCommit);
                self.cache = Some(next);
                self.end_committed();
                Ok(Committed::UnderWay(committing))
            }
            Ok(committing) => Ok(Committed::Done(self.finish(committing).await)),
            Err(error) => {
                self.end();
                Err(error)
            }
        }
    }

    /// Commits a DDL statement, whose event is in the cache, with the rows of a table that it makes.
    pub(crate) async fn commit_statement(
        &mut self,
        origin: Origin,
        logged: bool,
    ) -> Result<CommitAck, SqlError> {
        let kind = match (logged, self.defines.is_some()) {
            (true, true) => EventsKind::Transaction,
            (true, false) => EventsKind::Statement,
            (false, _) => EventsKind::None,
        };
        let stamp = self.stamp.take();
        self.commit_as(kind, origin, stamp).await
    }

    /// Commits what only this server knows of: the catalog's own numbers.
    pub(crate) async fn commit_unlogged(&mut self) -> Result<CommitAck, SqlError> {
        // `gtid_next` is that of the statement for which they are drawn.
        let gtid = self.next_gtid.take();
        self.passes_read_lock = true;
        let done = self.commit_as(EventsKind::None, Origin { timestamp: 0, server_id: 0 }, None).await;
        self.passes_read_lock = false;
        self.next_gtid = gtid;
        done
    }

    /// Commits with events of this kind. If that is refused, nothing is left of the transaction.
    pub(crate) async fn commit_as(
        &mut self,
        kind: EventsKind,
        origin: Origin,
        stamp: Option<Box<Stamp>>,
    ) -> Result<CommitAck, SqlError> {
        match self.submit(kind, origin, stamp).await {
            Ok(committing) => Ok(self.finish(committing).await),
            Err(error) => {
                self.end();
                Err(error)
            }
        }
    }

    /// Says what its session waits for.
    pub(crate) fn set_waits(&self, waits: Waits) {
        self.counters.set_waits(waits);
    }

    /// Waits for a commit of this transaction. The next one may begin then.
    pub(crate) async fn finish(&mut self, committing: Committing) -> CommitAck {
        self.set_waits(Waits::ForCommit);
        let (ack, pending) = committing.await;
        self.set_waits(Waits::ForNothing);
        self.pipeline.locks_go(&pending);
        self.last_gtid = pending.gtid();
        self.cache = Some(pending.into_cache());
        self.end_committed();
        ack
    }

    fn end_committed(&mut self) {
        self.counters.bump(Counter::HandlerCommit);
        self.trx.keep_temporary();
        self.end();
    }

    /// Gives the transaction its place in the commit order: from here on it cannot fail, and [`Transaction::finish`] waits for
    /// it. One that is refused is as it was; the caller ends it.
    pub(crate) async fn submit(
        &mut self,
        kind: EventsKind,
        origin: Origin,
        stamp: Option<Box<Stamp>>,
    ) -> Result<Committing, SqlError> {
        if let Some(stamp) = &stamp {
            self.put_own(stamp.key.clone(), Change::Put(Row::clone(&stamp.row))).await?;
        }
        let cache = self.cache.take().expect("no commit is under way");
        let mut pending = self.pending(cache, origin);
        pending.kind = kind;
        pending.passes_read_lock = self.passes_read_lock;
        self.plan(&mut pending, stamp.as_deref());
        pending.counters.extend_from_slice(self.trx.counters());
        if kind != EventsKind::None {
            self.counters.bump(Counter::BinlogCacheUse);
            if pending.cache.spilled() {
                self.counters.bump(Counter::BinlogCacheDiskUse);
                self.counters.bump(Counter::CreatedTmpFiles);
            }
        }
        let id = self.trx.id();
        if let Some(level) = self.compression
            && let Err(error) = Box::pin(self.compress(&mut pending, level)).await
        {
            self.cache = Some(pending.into_cache());
            return Err(cache_error(&error));
        }
        self.set_waits(Waits::ToCommit);
        let reserved = self.pipeline.reserve(id, &mut pending, self.trx.writes()).await.map_err(commit_error);
        self.set_waits(Waits::ForNothing);
        if pending.gno.is_none() {
            // It may have waited for whoever changes `gtid_mode`; from here on that waits for it.
            pending.plan.sid = self.own_sid();
        }
        // Again, for it may have waited for whoever made the server read-only.
        let admitted = reserved.and_then(|()| self.writer.as_ref().map_or(Ok(()), Writer::refuse));
        if let Err(error) = admitted {
            self.pipeline.forget(id, &mut pending);
            self.cache = Some(pending.into_cache());
            return Err(error);
        }
        match self.pipeline.submit(id, pending, &mut self.trx) {
            Ok(committing) => {
                self.recent = committing.recent();
                Ok(committing)
            }
            Err(error) => match self.pipeline.die("writing the logs", error).await {},
        }
    }

    /// Compresses its events, if they are only rows.
    async fn compress(&self, pending: &mut Pending, level: u8) -> Result<(), binlog::Error> {
        let xid = match pending.kind {
            EventsKind::Transaction if self.defines.is_none() => Some((pending.origin, Xid(self.trx.id().0))),
            EventsKind::Prepared => None,
            _ => return Ok(()),
        };
        let mut compressor = Compressor::new(&pending.cache, level.into(), xid)?;
        while compressor.step(&pending.cache)? {
            tokio::task::yield_now().await;
        }
        pending.compressed = compressor.finish(&mut pending.cache, pending.origin)?;
        Ok(())
    }

    /// Whose numbers transactions get that were given none.
    fn own_sid(&self) -> Option<Uuid> {
        self.pipeline.settings.gtid_mode.load(Ordering::Relaxed).then_some(self.sid)
    }

    /// What its GTID event says.
    fn plan(&mut self, pending: &mut Pending, stamp: Option<&Stamp>) {
        let pipeline = Arc::clone(&self.pipeline);
        let settings = &pipeline.settings;
        let given = stamp.and_then(|stamp| stamp.gtid).or_else(|| self.next_gtid.take());
        pending.gno = given.map(|gtid| gtid.gno);
        pending.plan.sid = given.map(|gtid| gtid.sid).or_else(|| self.own_sid());
        pending.plan.may_have_statements = self.defines.is_some() || pending.kind == EventsKind::Statement;
        pending.plan.original_commit_timestamp_us =
            stamp.and_then(|stamp| stamp.original_commit_timestamp_us);
        let version = stamp.and_then(|stamp| stamp.original_server_version);
        pending.plan.original_server_version = version.filter(|version| *version != SERVER_VERSION);
        let extraction = settings.write_set_extraction.load(Ordering::Relaxed);
        pending.has_write_set =
            self.defines.is_none() && extraction != 0 && extraction == self.write_set_extraction;
    }

    /// Changes a row of the server's own. Whoever had its lock last has a place in the commit order already, or is about to get
    /// one.
    pub(crate) async fn put_own(&mut self, key: Key, change: Change) -> Result<(), SqlError> {
        let wait = std::mem::replace(&mut self.trx.row_wait, self.trx.table_wait);
        let locked = self.trx.lock_row(&key, Mode::Exclusive).await;
        self.trx.row_wait = wait;
        locked.map_err(engine_error)?;
        self.trx.put(LockId::of_key(&key), key, change);
        Ok(())
    }

    /// The next transaction may begin, with this cache: the pipeline still has the last one's.
    pub(crate) fn go_on(&mut self, cache: TrxCache) {
        self.cache = Some(cache);
        self.recent = self.recent.not_waiting();
        self.end();
    }

    /// Rolls back: forgets everything. Resolves when everything that was seen is visible to all.
    pub(crate) async fn rollback(&mut self) -> CommitAck {
        if !self.trx.is_idle() {
            self.counters.bump(Counter::HandlerRollback);
        }
        self.end_without_changes().await
    }

    async fn end_without_changes(&mut self) -> CommitAck {
        let horizon = self.trx.horizon();
        self.end();
        self.pipeline.wait_visible(horizon).await
    }

    /// Waits until everything that the transaction has learned is visible: before it is told.
    pub(crate) async fn wait_for_horizon(&self) {
        let horizon = self.trx.horizon();
        if horizon > self.pipeline.published().visible() {
            let _ack = self.pipeline.wait_visible(horizon).await;
        }
    }

    /// Waits until a snapshot that is taken now would show everything that came before its locks.
    pub(crate) async fn may_take_snapshot(&self) {
        if let Some(wanted) = self.trx.wants_visible() {
            let _ack = self.pipeline.wait_visible(wanted).await;
        }
    }

    /// Forgets everything: the next transaction may begin.
    pub(crate) fn end(&mut self) {
        self.trx.end();
        if let Some(cache) = &mut self.cache {
            cache.reset();
        }
        self.savepoints.clear();
        (self.open, self.read_only, self.defines) = (false, false, None);
    }

    /// SAVEPOINT: one of the same name is replaced.
    pub(crate) fn savepoint(&mut self, name: &str) {
        self.counters.bump(Counter::HandlerSavepoint);
        self.savepoints.retain(|savepoint| !savepoint.name.eq_ignore_ascii_case(name));
        let changes = self.trx.mark();
        let events = self.parts().1.mark();
        self.savepoints.push(Savepoint { name: name.to_owned(), changes, events });
    }

    /// ROLLBACK TO SAVEPOINT: later ones go with it.
    pub(crate) fn rollback_to(&mut self, name: &str) -> Result<(), SqlError> {
        let place = self.find(name)?;
        self.counters.bump(Counter::HandlerSavepointRollback);
        self.savepoints.truncate(place + 1);
        let Savepoint { changes, events, .. } = self.savepoints[place];
        let (trx, cache) = self.parts();
        trx.rollback_to(changes);
        cache.truncate_to(events);
        Ok(())
    }

    /// RELEASE SAVEPOINT: later ones go with it.
    pub(crate) fn release(&mut self, name: &str) -> Result<(), SqlError> {
        let place = self.find(name)?;
        self.savepoints.truncate(place);
        Ok(())
    }

    fn find(&self, name: &str) -> Result<usize, SqlError> {
        let found = self.savepoints.iter().position(|savepoint| savepoint.name.eq_ignore_ascii_case(name));
        found.ok_or_else(|| ER_SP_DOES_NOT_EXIST.error(&[&"SAVEPOINT", &name]))
    }
}

/// A refused commit as clients see it.
pub(crate) fn commit_error(error: CommitError) -> SqlError {
    match error {
        CommitError::DiskFull => {
            ER_DISK_FULL.error(&[&"the redo log or the binlog", &28, &"No space left on device"])
        }
        CommitError::EventsUnreadable => {
            ER_ERROR_ON_READ.error(&[&"the transaction's binlog cache", &5, &"Input/output error"])
        }
        // The handler's HA_ERR_TO_BIG_ROW is the nearest that MySQL has.
        CommitError::TooLarge => ER_ERROR_DURING_COMMIT.error(&[&139, &error]),
        CommitError::ShuttingDown => ER_SERVER_SHUTDOWN.error(&[]),
    }
}
