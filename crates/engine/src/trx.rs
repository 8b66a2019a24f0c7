//! Transactions: what they see, what they lock, what they change.
//!
//! Plain reads see a snapshot (one per transaction at REPEATABLE READ, one per statement at READ COMMITTED) and the
//! transaction's own changes. Locking reads and writes see the newest version, read under a lock; they may see what
//! is committed but not durable yet, and the **horizon** remembers the newest such version: nothing that follows
//! from it may be told to a client before it is visible, and no snapshot is taken before. It also remembers the newest commit
//! after which a lock came that was released at its ticket.
//!
//! This is InnoDB's model, not snapshot isolation: a transaction may overwrite what it did not see.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::Poll;
use std::time::Duration;

use smallvec::SmallVec;

use crate::EngineError;
use crate::catalog::data_indexes;
use crate::catalog::table::Table;
use crate::delta::Delta;
use crate::ids::{Change, CommitSeq, CounterHigh, CounterKind, IndexId, Key, Row, TrxId};
use crate::lock::{Acquired, HeldLocks, LockId, LockWait, Mode, Turn};
use crate::scan::{Direction, KeyRange, Scan};
use crate::seen::{Seen, Waiting};
use crate::store::Store;
use crate::temporary::{TEMPORARY_BYTES_MAX, TemporaryRows};
use crate::view::Snapshot;
use crate::writeset::{self, WriteSet};

/// How plain reads of one transaction relate to each other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Isolation {
    /// A snapshot per statement.
    ReadCommitted,
    /// A snapshot per transaction.
    #[default]
    RepeatableRead,
}

/// A point to which a transaction's changes can be undone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark {
    writes: writeset::Mark,
    temporary: usize,
}

/// A transaction, or room for one: a session keeps it and uses it again.
#[derive(Debug)]
pub struct Trx {
    store: Arc<Store>,
    id: TrxId,
    isolation: Isolation,
    snapshot: Option<Snapshot>,
    writes: WriteSet,
    temporary: TemporaryRows,
    locks: HeldLocks,
    horizon: CommitSeq,
    counters: SmallVec<[CounterHigh; 2]>,
    seen: Arc<Seen>,
    /// `innodb_lock_wait_timeout`.
    pub row_wait: Duration,
    /// How long it has waited for locks, microseconds; whoever asks sets it back.
    pub waited_us: u64,
    /// `lock_wait_timeout`.
    pub table_wait: Duration,
    /// Bytes that the session's temporary tables may take.
    pub temporary_bytes_max: usize,
}

impl Trx {
    /// A transaction of the server's own that has done nothing.
    pub fn new(store: Arc<Store>) -> Self {
        Self::of(store, 0)
    }

    /// A connection's transaction that has done nothing.
    pub fn of(store: Arc<Store>, connection: u32) -> Self {
        let id = store.next_trx();
        Self {
            seen: store.transactions().enter(connection, id),
            store,
            id,
            isolation: Isolation::default(),
            snapshot: None,
            writes: WriteSet::default(),
            temporary: TemporaryRows::default(),
            locks: HeldLocks::default(),
            horizon: CommitSeq(0),
            counters: SmallVec::new(),
            row_wait: Duration::from_secs(50),
            waited_us: 0,
            table_wait: Duration::from_hours(24 * 365),
            temporary_bytes_max: TEMPORARY_BYTES_MAX,
        }
    }

    /// Its number.
    pub fn id(&self) -> TrxId {
        self.id
    }

    /// The store it runs in.
    pub fn store(&self) -> &Arc<Store> {
        &self.store
    }

    /// Sets the isolation level; before the first read.
    pub fn set_isolation(&mut self, isolation: Isolation) {
        self.isolation = isolation;
        self.seen.set_isolation(isolation);
    }

    /// Says when it was opened, microseconds since 1970.
    pub fn set_began(&self, unix_us: u64) {
        self.seen.set_began(unix_us);
    }

    /// A statement begins.
    pub fn begin_statement(&mut self) {
        self.end_statement();
        self.seen.statement_begins();
    }

    /// A statement ends: at READ COMMITTED its snapshot goes with it.
    pub fn end_statement(&mut self) {
        if self.isolation == Isolation::ReadCommitted {
            self.snapshot = None;
        }
        self.seen.statement_ends(self.locks.len(), self.writes.len());
    }

    /// Takes the transaction's snapshot now, or is given one: START TRANSACTION WITH CONSISTENT SNAPSHOT.
    pub fn set_snapshot(&mut self, snapshot: Snapshot) {
        self.snapshot = Some(snapshot);
    }

    /// What it sees.
    pub fn snapshot(&mut self) -> &Snapshot {
        self.snapshot.get_or_insert_with(|| self.store.published().snapshot())
    }

    /// Its snapshot, if it has one.
    pub(crate) fn held_snapshot(&self) -> Option<Snapshot> {
        self.snapshot.clone()
    }

    /// Up to where its snapshot sees, if it has one.
    pub fn snapshot_seq(&self) -> Option<CommitSeq> {
        self.snapshot.as_ref().map(|snapshot| snapshot.visible)
    }

    /// Whether its snapshot was given up: what it had not read can be read no more.
    pub fn is_expired(&self) -> bool {
        self.snapshot.as_ref().is_some_and(|snapshot| snapshot.view.base.is_expired())
    }

    /// What must be visible before it takes a snapshot: all that came before the locks that it has.
    pub fn wants_visible(&self) -> Option<CommitSeq> {
        let is_behind = self.snapshot.is_none() && self.horizon > self.store.published().visible();
        is_behind.then_some(self.horizon)
    }

    /// Its changes.
    pub fn writes(&self) -> &WriteSet {
        &self.writes
    }

    /// The newest commit, not visible when it was met, that anything it learned came from.
    pub fn horizon(&self) -> CommitSeq {
        self.horizon
    }

    /// Counters that it moved.
    pub fn counters(&self) -> &[CounterHigh] {
        &self.counters
    }

    /// Whether it has locks, changes or a snapshot.
    pub fn is_idle(&self) -> bool {
        let unchanged = self.writes.is_empty() && self.temporary.is_unchanged();
        unchanged && self.locks.is_empty() && self.snapshot.is_none()
    }

    /// Number of locks that it holds.
    pub fn lock_count(&self) -> usize {
        self.locks.len()
    }

    /// A point to which changes can be undone.
    pub fn mark(&self) -> Mark {
        Mark { writes: self.writes.mark(), temporary: self.temporary.mark() }
    }

    /// Undoes the changes since `mark`. Locks stay.
    pub fn rollback_to(&mut self, mark: Mark) {
        self.writes.rollback_to(mark.writes);
        self.temporary.rollback_to(mark.temporary);
    }

    /// What it did to temporary tables stays: part of a commit.
    pub fn keep_temporary(&mut self) {
        self.temporary.keep();
    }

    /// Removes all rows of a temporary table, for good.
    pub fn empty_temporary(&mut self, table: &Table) {
        data_indexes(&table.def).for_each(|index| self.temporary.empty(index));
    }

    /// The session begins anew, without temporary tables.
    pub fn forget_temporary(&mut self) {
        self.temporary = TemporaryRows::default();
    }

    /// Forgets everything and becomes the next transaction.
    pub fn end(&mut self) {
        self.temporary.rollback_to(0);
        self.writes.clear();
        self.locks.release_all(self.store.locks(), self.id);
        self.snapshot = None;
        self.horizon = CommitSeq(0);
        self.counters.clear();
        self.id = self.store.next_trx();
        self.seen.ends(self.id);
    }

    /// Makes what it has changed and locked a transaction of its own, that no session runs. This one begins anew; counters and
    /// temporary tables stay with it, and what it has learned from commits that are not visible yet.
    #[must_use]
    pub fn detach(&mut self) -> Self {
        let mut detached = Self::new(Arc::clone(&self.store));
        detached.horizon = self.horizon;
        let began_us = self.seen.began_us();
        self.exchange(&mut detached);
        detached.set_began(began_us);
        detached
    }

    /// Becomes what was detached.
    ///
    /// # Panics
    /// If it has locks or changes itself.
    pub fn adopt(&mut self, mut detached: Self) {
        assert!(self.writes.is_empty() && self.locks.is_empty(), "one transaction at a time");
        self.note_seen(detached.horizon);
        self.exchange(&mut detached);
    }

    fn exchange(&mut self, other: &mut Self) {
        std::mem::swap(&mut self.id, &mut other.id);
        std::mem::swap(&mut self.writes, &mut other.writes);
        std::mem::swap(&mut self.locks, &mut other.locks);
        for trx in [self, other] {
            trx.snapshot = None;
            trx.seen.ends(trx.id);
            if !trx.is_idle() {
                trx.seen.statement_begins();
                trx.seen.statement_ends(trx.locks.len(), trx.writes.len());
            }
        }
    }

    /// Its locks.
    pub(crate) fn held_locks(&self) -> impl Iterator<Item = (LockId, Mode)> {
        self.locks.iter()
    }

    /// Puts its changes into a delta: part of a commit.
    pub fn apply(&mut self, seq: CommitSeq, delta: &Delta) {
        self.writes.apply(seq, delta);
    }

    /// Releases all its locks at the ticket of its commit.
    pub fn release_locks(&mut self, seq: CommitSeq) {
        self.locks.release_all_behind(self.store.locks(), self.id, seq);
    }

    /// Takes a row lock. Nobody else has rows of temporary tables: they have no locks.
    pub async fn lock_row(&mut self, key: &[u8], mode: Mode) -> Result<(), EngineError> {
        if is_temporary(key) {
            return Ok(());
        }
        self.lock(LockId::of_key(key), mode, Some(key)).await
    }

    /// Takes a row lock if nobody has to be waited for. Returns whether it is held.
    pub fn try_lock_row(&mut self, key: &[u8], mode: Mode) -> Result<bool, EngineError> {
        if is_temporary(key) { Ok(true) } else { self.try_lock(LockId::of_key(key), mode) }
    }

    /// Takes a lock if nobody has to be waited for. Returns whether it is held.
    pub(crate) fn try_lock(&mut self, id: LockId, mode: Mode) -> Result<bool, EngineError> {
        if !self.locks.has(id, mode) {
            match self.store.locks().acquire(self.id, id, mode, Turn::Last) {
                Ok(Acquired::Granted) => self.note_lock(id, mode),
                // Dropping the wait withdraws it.
                Ok(Acquired::Wait(_)) | Err(EngineError::Deadlock) => return Ok(false),
                Err(error) => return Err(error),
            }
        }
        Ok(true)
    }

    /// Takes a metadata lock. Who wants it exclusively comes before those who wait to share it.
    pub async fn lock_metadata(&mut self, id: LockId, mode: Mode) -> Result<(), EngineError> {
        self.lock(id, mode, None).await
    }

    /// Gives up the lock of a row that was not meant after all, unless it was held before. One that is `named`, by its primary
    /// key, stays locked at REPEATABLE READ.
    pub fn let_go(&mut self, key: &[u8], held_before: bool, named: bool) {
        let stays = named && self.isolation == Isolation::RepeatableRead;
        if !stays && !held_before && !is_temporary(key) {
            self.unlock(LockId::of_key(key));
        }
    }

    /// Gives a single lock up before the end: of a table whose plan turned out to be stale.
    pub fn unlock(&mut self, id: LockId) {
        self.locks.release(self.store.locks(), self.id, id);
    }

    /// Turns an exclusive lock into a shared one.
    ///
    /// # Panics
    /// If it is not held exclusively.
    pub fn downgrade(&mut self, id: LockId) {
        self.store.locks().downgrade(self.id, id);
        self.locks.note(id, Mode::Shared);
    }

    /// Whether it holds a lock.
    pub fn holds(&self, id: LockId, mode: Mode) -> bool {
        self.locks.has(id, mode)
    }

    /// Of a row with this key, or of metadata.
    async fn lock(&mut self, id: LockId, mode: Mode, key: Option<&[u8]>) -> Result<(), EngineError> {
        if self.locks.has(id, mode) {
            return Ok(());
        }
        let (turn, timeout) = match key {
            Some(_) => (Turn::Last, self.row_wait),
            None => (Turn::BeforeShared, self.table_wait),
        };
        match self.store.locks().acquire(self.id, id, mode, turn) {
            Ok(Acquired::Granted) => {}
            Ok(Acquired::Wait(wait)) => {
                let now_us = || self.store.timer().unix_us();
                let counted = key.map(|_| self.store.locks().stats.begin_wait(now_us));
                let waiting = Waiting { lock: id, mode, key: key.map(<[u8]>::to_vec), since_us: now_us() };
                let begun_us = waiting.since_us;
                let waits = self.seen.begin_wait(waiting);
                let waited = self.wait(wait, timeout).await.inspect_err(|error| self.note_lost(error, key));
                let waited_us = now_us().saturating_sub(begun_us);
                drop((waits, counted));
                self.waited_us += waited_us;
                waited?;
            }
            Err(error) => {
                self.note_lost(&error, key);
                return Err(error);
            }
        }
        self.note_lock(id, mode);
        Ok(())
    }

    /// Counts a row lock that it did not get.
    fn note_lost(&self, error: &EngineError, key: Option<&[u8]>) {
        let stats = &self.store.locks().stats;
        let count = match error {
            EngineError::Deadlock => &stats.deadlocks,
            EngineError::LockWaitTimeout => &stats.timeouts,
            _ => return,
        };
        if key.is_some() {
            count.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn note_lock(&mut self, id: LockId, mode: Mode) {
        self.locks.note(id, mode);
        self.note_seen(self.store.locks().comes_after(id, mode));
    }

    async fn wait(&self, wait: LockWait, timeout: Duration) -> Result<(), EngineError> {
        let (mut wait, mut sleep) = (pin!(wait), self.store.timer().sleep(timeout));
        poll_fn(|context| {
            if wait.as_mut().poll(context).is_ready() {
                return Poll::Ready(Ok(()));
            }
            sleep.as_mut().poll(context).map(|()| Err(EngineError::LockWaitTimeout))
        })
        .await
    }

    /// Reads a key as the snapshot has it.
    ///
    /// # Errors
    /// [`EngineError::SnapshotTooOld`] if the snapshot was given up.
    pub fn get(&mut self, key: &[u8]) -> Result<Option<Row>, EngineError> {
        if is_temporary(key) {
            return Ok(self.temporary.get(key));
        }
        if let Some(own) = self.own(key) {
            // The first read takes it, whatever it finds.
            self.snapshot();
            return Ok(own.into_row());
        }
        let snapshot = self.snapshot();
        Ok(snapshot.view.get(key, snapshot.visible)?.1)
    }

    /// Reads the newest version of a key. Lock it first.
    pub fn get_newest(&mut self, key: &[u8]) -> Result<Option<Row>, EngineError> {
        if is_temporary(key) {
            return Ok(self.temporary.get(key));
        }
        if let Some(own) = self.own(key) {
            return Ok(own.into_row());
        }
        let (seq, found) = self.store.published().get_newest(key)?;
        self.note_seen(seq);
        Ok(found)
    }

    /// The newest state that is that of a moment, for scans whose rows are to be locked.
    pub fn newest_snapshot(&self) -> Snapshot {
        self.store.published().newest_snapshot()
    }

    /// Reads a key as it was at a moment, or as the transaction has changed it.
    ///
    /// # Errors
    /// As [`Trx::get`].
    pub fn get_at(&mut self, key: &[u8], moment: &Snapshot) -> Result<Option<Row>, EngineError> {
        if is_temporary(key) {
            return Ok(self.temporary.get(key));
        }
        if let Some(own) = self.own(key) {
            return Ok(own.into_row());
        }
        let (seq, found) = moment.view.get(key, moment.visible)?;
        self.note_seen(seq);
        Ok(found)
    }

    /// Reads the newest version of a key that is locked. Also returns what made it, if others have changed it since `moment`.
    pub fn get_since(
        &mut self,
        key: &[u8],
        moment: &Snapshot,
    ) -> Result<(Option<Row>, Option<CommitSeq>), EngineError> {
        if is_temporary(key) {
            return Ok((self.temporary.get(key), None));
        }
        if let Some(own) = self.own(key) {
            return Ok((own.into_row(), None));
        }
        let (seq, found, is_other) = self.store.published().get_since(key, moment)?;
        self.note_seen(seq);
        Ok((found, is_other.then_some(seq)))
    }

    /// Scans a range as [`Trx::get_at`] reads. Entries tell what they were made by: note it with [`Trx::note_seen`].
    pub fn scan_at(
        &self,
        range: &KeyRange,
        direction: Direction,
        moment: &Snapshot,
    ) -> Result<Scan, EngineError> {
        if range.is_temporary() {
            return self.temporary.scan(range, direction);
        }
        let own = (!self.writes.is_empty()).then(|| self.writes.own());
        Scan::new(&moment.view, moment.visible, own, range, direction)
    }

    /// Scans a range as the snapshot has it; it and its scan fail as [`Trx::get`] does.
    pub fn scan(&mut self, range: &KeyRange, direction: Direction) -> Result<Scan, EngineError> {
        if range.is_temporary() {
            return self.temporary.scan(range, direction);
        }
        let own = (!self.writes.is_empty()).then(|| Arc::clone(self.writes.own()));
        let snapshot = self.snapshot();
        Scan::new(&snapshot.view, snapshot.visible, own.as_ref(), range, direction)
    }

    /// Scans the newest state of a range. Entries tell what they were made by: note it with [`Trx::note_seen`]. Rows
    /// are to be locked and read again.
    pub fn scan_newest(&self, range: &KeyRange, direction: Direction) -> Result<Scan, EngineError> {
        if range.is_temporary() {
            return self.temporary.scan(range, direction);
        }
        let own = (!self.writes.is_empty()).then(|| self.writes.own());
        Scan::newest(self.store.published(), own, range, direction)
    }

    /// Notes that a version was examined, returned or skipped.
    pub fn note_seen(&mut self, seq: CommitSeq) {
        if seq > self.horizon && seq > self.store.published().visible() {
            self.horizon = seq;
        }
    }

    /// Records a change of a key.
    ///
    /// # Panics
    /// If the key is not locked exclusively: two transactions might change it at once.
    pub fn put(&mut self, lock: LockId, key: Key, change: Change) {
        if is_temporary(&key) {
            return self.temporary.put(key, change);
        }
        assert!(self.locks.has(lock, Mode::Exclusive), "changes are made under an exclusive lock");
        self.writes.put(key, change);
    }

    /// Records a change of a key that is under one of its locks: a transaction as it was before a crash.
    pub(crate) fn put_locked(&mut self, key: Key, change: Change) {
        self.writes.put(key, change);
    }

    /// Notes which row, named by its lock, is changed.
    pub(crate) fn note_row(&mut self, table: &Table, lock: LockId) {
        match table.primary {
            _ if table.is_temporary() => {}
            Some(_) => self.writes.row_hashes.note(lock),
            None => self.writes.row_hashes.note_keyless(),
        }
    }

    /// Notes that a row is changed that foreign keys relate to rows of other transactions.
    pub fn note_related(&mut self) {
        self.writes.row_hashes.note_related();
    }

    /// Notes that an entry with this lock is put into a unique index or taken out.
    pub(crate) fn note_unique(&mut self, lock: LockId) {
        self.writes.row_hashes.note(lock);
    }

    /// Notes that a counter of a table has reached a value: it is durable with this transaction.
    pub fn raise_counter(&mut self, table: &Table, kind: CounterKind, high: u64) {
        if table.is_temporary() {
            return;
        }
        let id = table.def.id;
        match self.counters.iter_mut().find(|counter| (counter.table, counter.kind) == (id, kind)) {
            Some(counter) => counter.high = counter.high.max(high),
            None => self.counters.push(CounterHigh { table: id, kind, high }),
        }
    }

    /// Fails if a temporary table is to grow beyond the limit.
    pub(crate) fn check_temporary(&self, table: &Table) -> Result<(), EngineError> {
        if table.is_temporary() && self.temporary.bytes() > self.temporary_bytes_max {
            return Err(EngineError::TableFull { table: table.def.name.clone() });
        }
        Ok(())
    }

    pub(crate) fn own(&self, key: &[u8]) -> Option<Change> {
        if self.writes.is_empty() { None } else { self.writes.own().get(key) }
    }
}

fn is_temporary(key: &[u8]) -> bool {
    IndexId::of(key).is_temporary()
}

impl Drop for Trx {
    fn drop(&mut self) {
        self.locks.release_all(self.store.locks(), self.id);
        self.store.transactions().leave(&self.seen);
    }
}
