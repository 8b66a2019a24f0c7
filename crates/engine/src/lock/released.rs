//! After which commits locks were released that are not visible yet.

use std::sync::atomic::{AtomicU64, Ordering};

use super::{LockId, Mode};
use crate::ids::CommitSeq;

/// Locks with the low bits of their names in common share a place. A thousand sessions have some thousands of locks in
/// commits that are not visible; who meets another's place waits for a commit that is on its way. One that locked very many rows
/// stands in all places of rows, so metadata have their own: whoever only reads, and locks no row, does not wait for it.
const ROWS: usize = 1 << 16;
const METADATA: usize = 1 << 12;
const _: () = assert!(ROWS.is_power_of_two() && METADATA.is_power_of_two(), "low bits choose a place");

/// The newest commit by which a lock was released at its ticket. Whoever gets the lock next comes after it, and so must
/// the snapshot that he takes then, whether or not the commit has changed what the lock protects.
#[derive(Debug)]
pub(super) struct Released {
    rows: Places,
    metadata: Places,
}

#[derive(Debug)]
struct Places {
    shared: Box<[AtomicU64]>,
    exclusive: Box<[AtomicU64]>,
}

impl Places {
    fn new(count: usize) -> Self {
        let places = || (0..count).map(|_| AtomicU64::new(0)).collect();
        Self { shared: places(), exclusive: places() }
    }

    fn of(&self, id: LockId, mode: Mode) -> &AtomicU64 {
        let places = if mode == Mode::Shared { &self.shared } else { &self.exclusive };
        let mask = places.len() as u64 - 1;
        &places[usize::try_from(id.0 & mask).expect("a place of an array")]
    }
}

impl Default for Released {
    fn default() -> Self {
        Self { rows: Places::new(ROWS), metadata: Places::new(METADATA) }
    }
}

impl Released {
    fn places(&self, id: LockId) -> &Places {
        if id.is_metadata() { &self.metadata } else { &self.rows }
    }

    /// A lock is about to be released. The lock's own mutex orders this before its next holder.
    pub(super) fn note(&self, id: LockId, mode: Mode, seq: CommitSeq) {
        let place = self.places(id).of(id, mode);
        if place.load(Ordering::Relaxed) < seq.0 {
            place.fetch_max(seq.0, Ordering::Relaxed);
        }
    }

    /// What a lock that was granted in this mode comes after: who shares it with another does not come after him.
    pub(super) fn newest(&self, id: LockId, mode: Mode) -> CommitSeq {
        let places = self.places(id);
        let exclusive = places.of(id, Mode::Exclusive).load(Ordering::Relaxed);
        let shared = match mode {
            Mode::Exclusive => places.of(id, Mode::Shared).load(Ordering::Relaxed),
            Mode::Shared => 0,
        };
        CommitSeq(exclusive.max(shared))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_commit_of_very_many_rows_stands_in_nobody_elses_way() {
        let released = Released::default();
        let row = |number: u64| LockId::of_key(&number.to_be_bytes());
        for number in 0..20 * ROWS as u64 {
            released.note(row(number), Mode::Exclusive, CommitSeq(5));
        }
        assert_eq!(released.newest(row(1 << 60), Mode::Shared), CommitSeq(5), "all places of rows are taken");
        let table = |number: u32| LockId::of(&[b"table", &number.to_be_bytes()]);
        assert!((0..1000).all(|number| released.newest(table(number), Mode::Exclusive) == CommitSeq(0)));
        released.note(table(7), Mode::Shared, CommitSeq(6));
        assert_eq!(released.newest(table(7), Mode::Exclusive), CommitSeq(6));
        assert_eq!(released.newest(table(7), Mode::Shared), CommitSeq(0));
    }
}
