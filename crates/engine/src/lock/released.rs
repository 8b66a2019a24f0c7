//! After which commits locks were released that are not visible yet.

use std::sync::atomic::{AtomicU64, Ordering};

use super::{LockId, Mode};
use crate::ids::CommitSeq;

/// Locks with the low bits of their names in common share a place. A thousand sessions have some thousands of locks in
/// commits that are not visible; who meets another's place waits for a commit that is on its way.
const PLACES: usize = 1 << 16;

/// The newest commit by which a lock was released at its ticket. Whoever gets the lock next comes after it, and so must
/// the snapshot that he takes then, whether or not the commit has changed what the lock protects.
#[derive(Debug)]
pub(super) struct Released {
    shared: Box<[AtomicU64]>,
    exclusive: Box<[AtomicU64]>,
}

impl Default for Released {
    fn default() -> Self {
        let places = || (0..PLACES).map(|_| AtomicU64::new(0)).collect();
        Self { shared: places(), exclusive: places() }
    }
}

impl Released {
    /// A lock is about to be released. The lock's own mutex orders this before its next holder.
    pub(super) fn note(&self, id: LockId, mode: Mode, seq: CommitSeq) {
        let places = if mode == Mode::Shared { &self.shared } else { &self.exclusive };
        let place = &places[place(id)];
        if place.load(Ordering::Relaxed) < seq.0 {
            place.fetch_max(seq.0, Ordering::Relaxed);
        }
    }

    /// What a lock that was granted in this mode comes after: who shares it with another does not come after him.
    pub(super) fn newest(&self, id: LockId, mode: Mode) -> CommitSeq {
        let exclusive = self.exclusive[place(id)].load(Ordering::Relaxed);
        let shared = if mode == Mode::Exclusive { self.shared[place(id)].load(Ordering::Relaxed) } else { 0 };
        CommitSeq(exclusive.max(shared))
    }
}

fn place(id: LockId) -> usize {
    usize::try_from(id.0 % PLACES as u64).expect("a place of an array")
}
