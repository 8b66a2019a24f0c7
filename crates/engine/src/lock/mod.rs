//! Row and metadata locks: one table of wait queues for both, with deadlock detection.
//!
//! A lock is named by a 64-bit hash of what it protects (a key; a table's name). Two things with one hash merely
//! exclude each other for a moment, so nothing needs to store the names.
//!
//! Queues are first come, first served: a request waits while a conflicting lock is held or a conflicting request
//! waits before it. An upgrade (shared to exclusive) overtakes the queue, and an exclusive request of metadata the shared
//! ones in it ([`Turn`]). Whoever is about to wait looks for a cycle of waits first and, if its own request closes one, is
//! told [`EngineError::Deadlock`] instead.
//!
//! Waiting is a future without a runtime: a release wakes the waker of whom it grants.
//!
//! Ranks: `waits` (the graph) before a shard; never two shards at once; wakers run with nothing held.

mod entry;
mod held;
mod name;
mod released;
mod stats;
mod wait;

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::Arc;

use parking_lot::Mutex;
use smallvec::SmallVec;

use crate::EngineError;
use crate::ids::{CommitSeq, TrxId};
use entry::{Entry, Request};
pub use held::HeldLocks;
use released::Released;
pub use stats::LockStats;
pub use wait::LockWait;

const SHARDS: usize = 64;

/// What a lock protects, hashed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LockId(pub u64);

/// How a lock is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Mode {
    /// Together with other shared holders.
    Shared,
    /// Alone.
    Exclusive,
}

/// Whom a request that must wait comes before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// Nobody.
    Last,
    /// If it is exclusive: those who wait to share the lock. As in MySQL, who changes a definition is not kept waiting by
    /// those who come to use it, and who used it while it was locked meets the changed one.
    BeforeShared,
}

/// Who has a lock and who wants it.
#[derive(Clone, Debug, Default)]
pub struct Holding {
    /// Who holds it.
    pub holders: Vec<(TrxId, Mode)>,
    /// Who waits for it, in order.
    pub waiters: Vec<(TrxId, Mode)>,
}

/// The answer to a request.
#[derive(Debug)]
pub enum Acquired {
    /// The lock is held now.
    Granted,
    /// Somebody has it: await this.
    Wait(LockWait),
}

/// See the module.
#[derive(Debug)]
pub struct LockTable {
    shards: Box<[Mutex<Shard>]>,
    /// Who waits for what, the newest request of each. Only those who must wait come here.
    waits: Mutex<HashMap<TrxId, Arc<Request>>>,
    released: Released,
    /// Of row locks.
    pub stats: LockStats,
}

/// Requests that were granted and are to be forgotten and woken.
type Granted = SmallVec<[Arc<Request>; 1]>;
type Shard = HashMap<LockId, Entry, BuildHasherDefault<Identity>>;

/// Lock names are hashes already.
#[derive(Debug, Default)]
pub(crate) struct Identity(u64);

impl Hasher for Identity {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, bytes: &[u8]) {
        unreachable!("only 64-bit names are hashed, not {} bytes", bytes.len())
    }
    fn write_u64(&mut self, name: u64) {
        self.0 = name;
    }
}

impl Default for LockTable {
    fn default() -> Self {
        Self {
            shards: (0..SHARDS).map(|_| Mutex::default()).collect(),
            waits: Mutex::default(),
            released: Released::default(),
            stats: LockStats::default(),
        }
    }
}

impl LockTable {
    /// Asks for a lock that the transaction does not hold in this mode yet.
    ///
    /// # Errors
    /// [`EngineError::Deadlock`] if waiting for it would close a cycle; the request is withdrawn.
    pub fn acquire(
        self: &Arc<Self>,
        trx: TrxId,
        id: LockId,
        mode: Mode,
        turn: Turn,
    ) -> Result<Acquired, EngineError> {
        if self.shard(id).lock().entry(id).or_default().try_grant(trx, mode) {
            return Ok(Acquired::Granted);
        }
        // The slow path, from the start: the graph must not change while the cycle is looked for.
        let mut waits = self.waits.lock();
        let request = {
            let mut shard = self.shard(id).lock();
            let entry = shard.entry(id).or_default();
            if entry.try_grant(trx, mode) {
                return Ok(Acquired::Granted);
            }
            entry.enqueue(trx, id, mode, turn)
        };
        waits.insert(trx, Arc::clone(&request));
        if self.closes_cycle(&waits, trx) {
            waits.remove(&trx);
            drop(waits);
            self.withdraw(&request);
            return Err(EngineError::Deadlock);
        }
        Ok(Acquired::Wait(LockWait::new(Arc::clone(self), request)))
    }

    /// Gives a lock up and grants it to whom it is due.
    pub fn release(&self, trx: TrxId, id: LockId) {
        self.change(id, |entry| entry.release(trx));
    }

    /// Gives a lock up, held in `mode`, by a commit that may not be visible yet.
    pub fn release_behind(&self, trx: TrxId, id: LockId, mode: Mode, seq: CommitSeq) {
        self.released.note(id, mode, seq);
        self.release(trx, id);
    }

    /// The commit that a lock comes after which was granted in `mode`: it may not be visible yet.
    pub fn comes_after(&self, id: LockId, mode: Mode) -> CommitSeq {
        self.released.newest(id, mode)
    }

    /// Turns an exclusive lock into a shared one, which lets shared requests in.
    pub fn downgrade(&self, trx: TrxId, id: LockId) {
        self.change(id, |entry| entry.downgrade(trx));
    }

    /// Who has a lock and who wants it.
    pub fn holding(&self, id: LockId) -> Holding {
        self.shard(id).lock().get(&id).map(Entry::holding).unwrap_or_default()
    }

    /// Number of locks that are held or waited for.
    pub fn len(&self) -> usize {
        self.shards.iter().map(|shard| shard.lock().len()).sum()
    }

    /// Whether no lock is held.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Takes a request back, granted or not.
    fn withdraw(&self, request: &Arc<Request>) {
        self.forget(request);
        self.change(request.id, |entry| entry.withdraw(request));
    }

    fn change(&self, id: LockId, change: impl FnOnce(&mut Entry)) {
        for request in self.grant(id, change) {
            self.forget(&request);
            request.wake();
        }
    }

    /// Changes an entry. Returns who has got the lock by that.
    fn grant(&self, id: LockId, change: impl FnOnce(&mut Entry)) -> Granted {
        let mut shard = self.shard(id).lock();
        let entry = shard.get_mut(&id).expect("a lock that is held has an entry");
        change(entry);
        let granted = entry.grant_waiters();
        if entry.is_unused() {
            shard.remove(&id);
        }
        granted
    }

    /// Nobody waits by a request any more. Its transaction may have gone on since it was granted, and wait by the next one.
    fn forget(&self, request: &Arc<Request>) {
        let mut waits = self.waits.lock();
        if waits.get(&request.trx).is_some_and(|known| Arc::ptr_eq(known, request)) {
            waits.remove(&request.trx);
        }
    }

    /// Whether `start` waits, directly or not, for itself.
    ///
    /// Only holders are followed: whoever waits in a queue also waits, through those before it, for all of the lock's
    /// holders, and a cycle through the queue alone was found by the request that came last. Who is overtaken waits for the
    /// lock's holders as before, and the one who overtakes waits for nobody else.
    fn closes_cycle(&self, waits: &HashMap<TrxId, Arc<Request>>, start: TrxId) -> bool {
        let mut pending = vec![start];
        let mut seen = HashSet::new();
        while let Some(trx) = pending.pop() {
            let Some(request) = waits.get(&trx) else { continue };
            let shard = self.shard(request.id).lock();
            // Who has just got the lock waits no more, though it was not forgotten yet.
            let Some(entry) = shard.get(&request.id).filter(|_| !request.is_granted()) else { continue };
            for holder in entry.holders().filter(|holder| *holder != trx) {
                if holder == start {
                    return true;
                }
                if seen.insert(holder) {
                    pending.push(holder);
                }
            }
        }
        false
    }

    fn shard(&self, id: LockId) -> &Mutex<Shard> {
        // The low bits place a name within its shard's map; the high ones choose the shard.
        &self.shards[usize::try_from(id.0 >> 58).expect("six bits")]
    }
}

const _: () = assert!(SHARDS == 1 << 6, "six bits choose the shard");

#[cfg(test)]
mod tests;
