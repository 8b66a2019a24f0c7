//! Dependency stamps: which earlier transactions a replica must have finished before it may begin one.
//!
//! Each logged transaction draws a clock (`sequence_number`) with its ticket and states a parent (`last_committed`):
//! everything up to the parent comes first, what lies between may run at the same time. A stamp that is too late costs
//! a replica time; one that is too early makes it diverge. So every rule here may only err towards later.
//!
//! - COMMIT_ORDER: the parent is the highest clock whose transaction had released its locks when this one, all its
//!   locks held, began to commit. Whoever comes later held its locks at the same time: the two do not conflict.
//! - WRITESET: the parent is the highest clock of a transaction that wrote one of the same rows or unique values, if
//!   that is lower.
//! - WRITESET_SESSION: as that, and not before the session's own last transaction.
//!
//! The history is a fixed array of clocks, indexed by row hash: a slot holds the last clock of whatever hashes there.
//! It is read before the ticket and written after it, with all locks still held, so whoever is next to lock the same
//! row reads the clock. A shared slot invents dependencies and never loses one; nothing is ever forgotten, so there is
//! nothing to clear when the history is "full". Rejected: MySQL's map under the lock of the commit order, which
//! allocates there and is emptied, for everybody at once, when it has reached its size.
//!
//! A transaction whose rows are not known (COMMIT_ORDER at the time of its commit, DDL, too many rows) is a
//! **barrier**: its own parent is that of COMMIT_ORDER, and everybody later has a parent not before it. One with rows
//! that have no primary key takes COMMIT_ORDER's parent too but is no barrier: others that touch such rows do the same.
//!
//! Memory order: relaxed. Who depends on a transaction has got a lock from it, which orders its write before their
//! read; reading less of other transactions is allowed, for they hold their locks meanwhile.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use arc_swap::ArcSwapOption;
use engine::row_hashes::{Hashes, RowHashes};
use parking_lot::Mutex;

/// `binlog_transaction_dependency_tracking`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tracking {
    /// COMMIT_ORDER
    CommitOrder,
    /// WRITESET
    WriteSet,
    /// WRITESET_SESSION
    WriteSetSession,
}

impl Tracking {
    /// By its number among the variable's values.
    pub fn of(choice: u8) -> Self {
        match choice {
            0 => Self::CommitOrder,
            1 => Self::WriteSet,
            _ => Self::WriteSetSession,
        }
    }
}

/// What a transaction leaves behind for later ones.
#[derive(Debug, Default)]
pub struct Footprint {
    /// Hashes of rows and unique values.
    rows: Hashes,
    /// `rows` are all.
    is_known: bool,
}

/// See the module.
#[derive(Debug)]
pub(crate) struct Dependencies {
    /// The highest clock whose transaction has released its locks.
    released: AtomicU64,
    /// The clock of the last barrier.
    barrier: AtomicU64,
    /// `None` while its size changes: every transaction is a barrier then.
    history: ArcSwapOption<History>,
    /// Held by who changes its size. Rank: before the sequencer's.
    resizing: Mutex<()>,
}

impl Dependencies {
    /// `rows` is `binlog_transaction_dependency_history_size`.
    pub(crate) fn new(rows: u64) -> Self {
        Self {
            released: AtomicU64::new(0),
            barrier: AtomicU64::new(0),
            history: ArcSwapOption::from_pointee(History::new(rows)),
            resizing: Mutex::default(),
        }
    }

    /// The clock that a transaction depends on, whose locks are all held. `rows` are what it writes, unless they do not
    /// matter or do not say everything; `session_clock` is that of its session's last logged transaction. Call
    /// [`Dependencies::record`] after its ticket.
    pub(crate) fn parent(
        &self,
        tracking: Tracking,
        rows: Option<&RowHashes>,
        session_clock: u64,
        footprint: &mut Footprint,
    ) -> u64 {
        let by_order = self.released.load(Ordering::Relaxed);
        footprint.is_known = false;
        let (Some(rows), false) = (rows, tracking == Tracking::CommitOrder) else { return by_order };
        footprint.is_known = rows.copy_to(&mut footprint.rows);
        let history = self.history.load();
        let Some(history) = history.as_ref().filter(|_| footprint.is_known && !rows.is_entangled()) else {
            return by_order;
        };
        // After the history was loaded: a resize raises the barrier before it shows the new one.
        let barrier = self.barrier.load(Ordering::Relaxed);
        let clocks = footprint.rows.iter().map(|row| history.slot(*row).load(Ordering::Relaxed));
        let parent = by_order.min(clocks.fold(barrier, u64::max));
        match tracking {
            Tracking::WriteSetSession => parent.max(session_clock),
            _ => parent,
        }
    }

    /// Notes what a transaction that has drawn `clock` writes. Before any of its locks is released.
    pub(crate) fn record(&self, footprint: &Footprint, clock: u64) {
        match self.history.load().as_ref() {
            Some(history) if footprint.is_known => {
                for row in &footprint.rows {
                    history.slot(*row).fetch_max(clock, Ordering::Relaxed);
                }
            }
            _ => _ = self.barrier.fetch_max(clock, Ordering::Relaxed),
        }
    }

    /// Notes that the locks of the transaction that drew `clock` go: whoever gets one of them must read this.
    pub(crate) fn release(&self, clock: u64) {
        self.released.fetch_max(clock, Ordering::Relaxed);
    }

    /// Changes `binlog_transaction_dependency_history_size`. `drawn_clock` says, under the lock under which clocks are
    /// drawn, which was the last.
    ///
    /// A transaction that draws its clock before that is behind the barrier, whichever history it is recorded in; one
    /// that draws later sees that there is none, and is a barrier, or sees the new one.
    pub(crate) fn resize(&self, rows: u64, drawn_clock: impl FnOnce() -> u64) {
        let _resizing = self.resizing.lock();
        let new = History::new(rows);
        if self.history.load().as_ref().is_some_and(|old| old.slots.len() == new.slots.len()) {
            return;
        }
        self.history.store(None);
        self.barrier.fetch_max(drawn_clock(), Ordering::Relaxed);
        self.history.store(Some(Arc::new(new)));
    }
}

#[derive(Debug)]
struct History {
    /// Their number is a power of two.
    slots: Box<[AtomicU64]>,
}

impl History {
    fn new(rows: u64) -> Self {
        let count = rows.clamp(1, 1 << 20).next_power_of_two();
        Self { slots: (0..count).map(|_| AtomicU64::new(0)).collect() }
    }

    fn slot(&self, row: u32) -> &AtomicU64 {
        &self.slots[row as usize & (self.slots.len() - 1)]
    }
}

#[cfg(test)]
mod tests {
    use engine::lock::LockId;

    use super::Tracking::{CommitOrder, WriteSet, WriteSetSession};
    use super::*;

    /// One session after another.
    struct Sessions {
        dependencies: Dependencies,
        clock: u64,
    }

    fn rows(ids: &[u64]) -> RowHashes {
        let mut rows = RowHashes::default();
        for id in ids {
            rows.note(LockId(id << 32));
        }
        rows
    }

    impl Sessions {
        fn new() -> Self {
            Self { dependencies: Dependencies::new(1000), clock: 0 }
        }

        /// Commits and says what the parent is; the clocks are 1, 2, 3, ...
        fn commit_by(
            &mut self,
            session_clock: &mut u64,
            tracking: Tracking,
            rows: Option<&RowHashes>,
        ) -> u64 {
            let mut footprint = Footprint::default();
            let parent = self.dependencies.parent(tracking, rows, *session_clock, &mut footprint);
            self.clock += 1;
            self.dependencies.record(&footprint, self.clock);
            self.dependencies.release(self.clock);
            *session_clock = self.clock;
            parent
        }

        fn commit(&mut self, tracking: Tracking, ids: &[u64]) -> u64 {
            self.commit_by(&mut 0, tracking, Some(&rows(ids)))
        }
    }

    #[test]
    fn the_parent_is_the_last_writer_of_a_row() {
        let mut all = Sessions::new();
        let parents: Vec<_> = [&[1, 2][..], &[3], &[2, 3], &[1], &[4], &[1, 4, 2]]
            .iter()
            .map(|ids| all.commit(WriteSet, ids))
            .collect();
        assert_eq!(parents, [0, 0, 2, 1, 0, 5]);
        assert_eq!(
            all.commit(CommitOrder, &[9]),
            6,
            "commit order: after all that have released their locks"
        );
    }

    #[test]
    fn a_parent_is_never_later_than_that_of_commit_order() {
        let mut all = Sessions::new();
        assert_eq!(all.commit(WriteSet, &[1]), 0);
        let rows = rows(&[1]);
        // Its slot has a clock whose transaction has not released its locks yet: another row with the same hash.
        let mut other = Footprint::default();
        assert_eq!(all.dependencies.parent(WriteSet, Some(&rows), 0, &mut other), 1);
        all.dependencies.record(&other, 2);
        assert_eq!(all.dependencies.parent(WriteSet, Some(&rows), 0, &mut Footprint::default()), 1);
    }

    #[test]
    fn a_session_may_ask_not_to_be_before_itself() {
        let mut all = Sessions::new();
        let mut session = 0;
        assert_eq!(all.commit_by(&mut session, WriteSetSession, Some(&rows(&[1]))), 0);
        assert_eq!(all.commit(WriteSetSession, &[2]), 0);
        assert_eq!(all.commit_by(&mut session, WriteSetSession, Some(&rows(&[3]))), 1);
        assert_eq!(all.commit_by(&mut session, WriteSet, Some(&rows(&[4]))), 0);
    }

    #[test]
    fn everybody_depends_on_a_transaction_whose_rows_are_not_known() {
        let too_many: Vec<u64> = (0..5000).collect();
        for barrier in [(CommitOrder, Some(rows(&[7]))), (WriteSet, None), (WriteSet, Some(rows(&too_many)))]
        {
            let mut all = Sessions::new();
            assert_eq!(all.commit(WriteSet, &[1]), 0);
            assert_eq!(all.commit(WriteSet, &[2]), 0);
            let (tracking, rows) = barrier;
            assert_eq!(all.commit_by(&mut 0, tracking, rows.as_ref()), 2);
            assert_eq!(all.commit(WriteSet, &[1]), 3);
            assert_eq!(all.commit(WriteSet, &[9]), 3);
        }
    }

    #[test]
    fn rows_without_a_key_fall_back_to_commit_order_and_are_no_barrier() {
        let mut all = Sessions::new();
        let mut keyless = rows(&[1]);
        keyless.note_keyless();
        assert_eq!(all.commit(WriteSet, &[2]), 0);
        assert_eq!(all.commit_by(&mut 0, WriteSet, Some(&keyless)), 1);
        assert_eq!(all.commit(WriteSet, &[3]), 0);
        assert_eq!(all.commit(WriteSet, &[1]), 2, "its rows that have keys count");
        assert_eq!(all.commit_by(&mut 0, WriteSet, Some(&keyless)), 4);
    }

    #[test]
    fn what_is_known_of_rows_survives_no_resize_but_everybody_waits_for_it() {
        let mut all = Sessions::new();
        assert_eq!(all.commit(WriteSet, &[1]), 0);
        let clock = all.clock;
        all.dependencies.resize(1001, || unreachable!("the array has that size"));
        assert_eq!(all.commit(WriteSet, &[2]), 0);
        all.dependencies.resize(2, || clock + 1);
        assert_eq!(all.commit(WriteSet, &[3]), 2);
        assert_eq!(all.commit(WriteSet, &[4]), 2);
        assert_eq!(all.commit(WriteSet, &[5]), 3, "two slots: a shared one is a dependency");
    }
}
