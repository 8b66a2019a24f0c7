//! A session's transaction: begun, marked, committed, rolled back.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use binlog::{CacheLimits, GtidPlan, Mark as LogMark, Origin, TrxCache};
use commit::{CommitAck, CommitError, EventsKind, Pending, Pipeline};
use engine::store::Store;
use engine::trx::{Isolation, Trx};
use engine::writeset::Mark;
use types::error::SqlError;
use types::error::table::{ER_DISK_FULL, ER_SERVER_SHUTDOWN, ER_SP_DOES_NOT_EXIST};
use vfs::Vfs;

use crate::run::die;
use crate::status::{Counter, Counters};

/// `immediate_server_version` of GTID events.
const SERVER_VERSION: u32 = 80_046;

/// XXHASH64.
const WRITE_SET_EXTRACTION: u8 = 2;

/// See the module.
#[derive(Debug)]
pub(crate) struct Transaction {
    pipeline: Arc<Pipeline>,
    pub(crate) trx: Trx,
    /// `None` only while the pipeline has it.
    pending: Option<Box<Pending>>,
    /// BEGIN was said, or autocommit is off and a statement has run.
    pub(crate) open: bool,
    /// START TRANSACTION READ ONLY.
    pub(crate) read_only: bool,
    /// Plain reads lock what they read.
    pub(crate) serializable: bool,
    /// `transaction_write_set_extraction`
    pub(crate) write_set_extraction: u8,
    savepoints: Vec<Savepoint>,
    sid: binlog::Uuid,
    counters: Arc<Counters>,
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
        vfs: &Arc<dyn Vfs>,
        spill: PathBuf,
        limits: CacheLimits,
        sid: binlog::Uuid,
        counters: Arc<Counters>,
    ) -> Self {
        let cache = TrxCache::new(Arc::clone(vfs), spill, limits);
        let plan = GtidPlan {
            sid: None,
            may_have_statements: false,
            original_commit_timestamp_us: None,
            immediate_server_version: SERVER_VERSION,
            original_server_version: None,
        };
        let pending = Pending::new(cache, plan, Origin { timestamp: 0, server_id: 0 });
        Self {
            pipeline: Arc::clone(pipeline),
            trx: Trx::new(Arc::clone(store)),
            pending: Some(Box::new(pending)),
            open: false,
            read_only: false,
            serializable: false,
            write_set_extraction: WRITE_SET_EXTRACTION,
            savepoints: Vec::new(),
            sid,
            counters,
        }
    }

    /// The transaction and its events' cache, for a statement.
    pub(crate) fn parts(&mut self) -> (&mut Trx, &mut TrxCache) {
        let pending = self.pending.as_mut().expect("no commit is under way");
        (&mut self.trx, &mut pending.cache)
    }

    pub(crate) fn pipeline(&self) -> &Arc<Pipeline> {
        &self.pipeline
    }

    /// What a commit hands over, empty.
    pub(crate) fn take_pending(&mut self) -> Box<Pending> {
        self.pending.take().expect("no commit is under way")
    }

    /// Takes it back.
    pub(crate) fn put_back(&mut self, mut pending: Box<Pending>) {
        pending.reset();
        self.pending = Some(pending);
    }

    /// The isolation level of the next transaction.
    pub(crate) fn set_isolation(&mut self, isolation: Isolation) {
        self.trx.set_isolation(isolation);
    }

    /// Commits. `origin` is that of the statement that does; without `logged` nothing goes to the binlog.
    pub(crate) async fn commit(&mut self, origin: Origin, logged: bool) -> Result<CommitAck, SqlError> {
        if self.trx.writes().is_empty() {
            return Ok(self.end_without_changes().await);
        }
        let kind = if logged { EventsKind::Transaction } else { EventsKind::None };
        self.commit_as(kind, origin).await
    }

    /// Commits a DDL statement, whose event is in the cache.
    pub(crate) async fn commit_statement(
        &mut self,
        origin: Origin,
        logged: bool,
    ) -> Result<CommitAck, SqlError> {
        let kind = if logged { EventsKind::Statement } else { EventsKind::None };
        self.commit_as(kind, origin).await
    }

    /// Commits what only this server knows of: the catalog's own numbers.
    pub(crate) async fn commit_unlogged(&mut self) -> Result<CommitAck, SqlError> {
        self.commit_as(EventsKind::None, Origin { timestamp: 0, server_id: 0 }).await
    }

    async fn commit_as(&mut self, kind: EventsKind, origin: Origin) -> Result<CommitAck, SqlError> {
        let mut pending = self.pending.take().expect("no commit is under way");
        pending.kind = kind;
        pending.origin = origin;
        pending.plan.sid = self.pipeline.settings.gtid_mode.load(Ordering::Relaxed).then_some(self.sid);
        pending.plan.may_have_statements = kind == EventsKind::Statement;
        let extraction = self.pipeline.settings.write_set_extraction.load(Ordering::Relaxed);
        pending.has_write_set = extraction != 0 && extraction == self.write_set_extraction;
        pending.counters.extend_from_slice(self.trx.counters());
        if kind != EventsKind::None {
            self.counters.bump(Counter::BinlogCacheUse);
            if pending.cache.spilled() {
                self.counters.bump(Counter::BinlogCacheDiskUse);
            }
        }
        let id = self.trx.id();
        if let Err(error) = self.pipeline.reserve(id, &mut pending, self.trx.writes()).await {
            self.pipeline.forget(id);
            self.pending = Some(pending);
            self.end();
            return Err(commit_error(error));
        }
        let committing = self.pipeline.submit(id, pending, &mut self.trx);
        let committing = committing.unwrap_or_else(|error| die("writing the logs", &error));
        let (ack, mut pending) = committing.await;
        self.pipeline.locks_go(&pending);
        pending.reset();
        self.pending = Some(pending);
        self.end();
        Ok(ack)
    }

    /// Rolls back: forgets everything. Resolves when everything that was seen is visible to all.
    pub(crate) async fn rollback(&mut self) -> CommitAck {
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

    fn end(&mut self) {
        self.trx.end();
        if let Some(pending) = &mut self.pending {
            pending.reset();
        }
        self.savepoints.clear();
        (self.open, self.read_only) = (false, false);
    }

    /// SAVEPOINT: one of the same name is replaced.
    pub(crate) fn savepoint(&mut self, name: &str) {
        self.savepoints.retain(|savepoint| !savepoint.name.eq_ignore_ascii_case(name));
        let changes = self.trx.mark();
        let events = self.parts().1.mark();
        self.savepoints.push(Savepoint { name: name.to_owned(), changes, events });
    }

    /// ROLLBACK TO SAVEPOINT: later ones go with it.
    pub(crate) fn rollback_to(&mut self, name: &str) -> Result<(), SqlError> {
        let place = self.find(name)?;
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
        CommitError::ShuttingDown => ER_SERVER_SHUTDOWN.error(&[]),
    }
}
