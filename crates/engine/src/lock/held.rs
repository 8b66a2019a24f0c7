//! The locks of one transaction.

use std::collections::HashMap;
use std::hash::BuildHasherDefault;

use smallvec::SmallVec;

use super::{Identity, LockId, LockTable, Mode};
use crate::ids::{CommitSeq, TrxId};

/// Locks that an idle transaction keeps memory for.
const KEPT: usize = 1024;

/// Locks that lie in the transaction itself.
const FEW: usize = 6;

/// What a transaction holds. Kept by its session and reused, so that a short transaction allocates nothing. The first few are at
/// hand where the transaction is: with thousands of sessions a map of each would be in no cache.
#[derive(Debug, Default)]
pub struct HeldLocks {
    few: SmallVec<[(LockId, Mode); FEW]>,
    /// Those that came when there was no room, and all that came behind them.
    many: HashMap<LockId, Mode, BuildHasherDefault<Identity>>,
}

impl HeldLocks {
    /// Whether the lock is held in this or a stronger mode.
    pub fn has(&self, id: LockId, mode: Mode) -> bool {
        let few = self.few.iter().find(|(held, _)| *held == id).map(|(_, mode)| mode);
        few.or_else(|| self.many.get(&id)).is_some_and(|held| *held >= mode)
    }

    /// Notes a lock that was granted.
    pub fn note(&mut self, id: LockId, mode: Mode) {
        if let Some((_, held)) = self.few.iter_mut().find(|(held, _)| *held == id) {
            *held = mode;
        } else if self.many.is_empty() && self.few.len() < FEW {
            self.few.push((id, mode));
        } else {
            self.many.insert(id, mode);
        }
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = (LockId, Mode)> {
        self.few.iter().copied().chain(self.many.iter().map(|(id, mode)| (*id, *mode)))
    }

    /// Number of locks.
    pub fn len(&self) -> usize {
        self.few.len() + self.many.len()
    }

    /// Whether no lock is held.
    pub fn is_empty(&self) -> bool {
        self.few.is_empty() && self.many.is_empty()
    }

    /// Releases one lock if it is held.
    pub fn release(&mut self, table: &LockTable, trx: TrxId, id: LockId) {
        let few = self.few.iter().position(|(held, _)| *held == id);
        let held = few.map(|place| self.few.swap_remove(place).1).or_else(|| self.many.remove(&id));
        if held.is_some() {
            table.release(trx, id);
        }
    }

    /// Releases all of them.
    pub fn release_all(&mut self, table: &LockTable, trx: TrxId) {
        self.take_all(|id, _| table.release(trx, id));
    }

    /// Releases all of them by a commit that may not be visible yet.
    pub fn release_all_behind(&mut self, table: &LockTable, trx: TrxId, seq: CommitSeq) {
        self.take_all(|id, mode| table.release_behind(trx, id, mode, seq));
    }

    fn take_all(&mut self, mut each: impl FnMut(LockId, Mode)) {
        for (id, mode) in self.few.drain(..).chain(self.many.drain()) {
            each(id, mode);
        }
        self.many.shrink_to(KEPT);
    }
}
