//! The locks of one transaction.

use std::collections::HashMap;
use std::hash::BuildHasherDefault;

use super::{Identity, LockId, LockTable, Mode};
use crate::ids::{CommitSeq, TrxId};

/// Locks that an idle transaction keeps memory for.
const KEPT: usize = 1024;

/// What a transaction holds. Kept by its session and reused, so that a short transaction allocates nothing.
#[derive(Debug, Default)]
pub struct HeldLocks {
    modes: HashMap<LockId, Mode, BuildHasherDefault<Identity>>,
}

impl HeldLocks {
    /// Whether the lock is held in this or a stronger mode.
    pub fn has(&self, id: LockId, mode: Mode) -> bool {
        self.modes.get(&id).is_some_and(|held| *held >= mode)
    }

    /// Notes a lock that was granted.
    pub fn note(&mut self, id: LockId, mode: Mode) {
        self.modes.insert(id, mode);
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = (LockId, Mode)> {
        self.modes.iter().map(|(id, mode)| (*id, *mode))
    }

    /// Number of locks.
    pub fn len(&self) -> usize {
        self.modes.len()
    }

    /// Whether no lock is held.
    pub fn is_empty(&self) -> bool {
        self.modes.is_empty()
    }

    /// Releases one lock if it is held.
    pub fn release(&mut self, table: &LockTable, trx: TrxId, id: LockId) {
        if self.modes.remove(&id).is_some() {
            table.release(trx, id);
        }
    }

    /// Releases all of them.
    pub fn release_all(&mut self, table: &LockTable, trx: TrxId) {
        for (id, _) in self.modes.drain() {
            table.release(trx, id);
        }
        self.modes.shrink_to(KEPT);
    }

    /// Releases all of them by a commit that may not be visible yet.
    pub fn release_all_behind(&mut self, table: &LockTable, trx: TrxId, seq: CommitSeq) {
        for (id, mode) in self.modes.drain() {
            table.release_behind(trx, id, mode, seq);
        }
        self.modes.shrink_to(KEPT);
    }
}
