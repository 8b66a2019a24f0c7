//! Transactions as others see them: whose they are, how much they hold, what they wait for.
//!
//! Each [`Trx`](crate::trx::Trx) has a place in the store's [`Transactions`]. What it tells there are numbers, stored after
//! each statement and at its end, relaxed: who looks gets a picture in which one number may be a moment older than the
//! next. Only who waits for a lock takes a mutex.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use parking_lot::Mutex;

use crate::ids::TrxId;
use crate::lock::{LockId, Mode};
use crate::trx::Isolation;

/// All transactions of a store, those that have done nothing included.
#[derive(Debug, Default)]
pub struct Transactions {
    /// Rank: last.
    places: Mutex<Places>,
}

#[derive(Debug, Default)]
struct Places {
    next: u64,
    all: HashMap<u64, Arc<Seen>>,
}

impl Transactions {
    /// Gives a transaction its place.
    pub(crate) fn enter(&self, owner: u32, id: TrxId) -> Arc<Seen> {
        let mut places = self.places.lock();
        let place = places.next;
        places.next += 1;
        let seen = Arc::new(Seen {
            place,
            owner,
            id: AtomicU64::new(id.0),
            is_active: AtomicBool::new(false),
            reads_committed: AtomicBool::new(false),
            began_us: AtomicU64::new(0),
            locks: AtomicU64::new(0),
            changes: AtomicU64::new(0),
            waits: Mutex::default(),
        });
        places.all.insert(place, Arc::clone(&seen));
        seen
    }

    /// Takes it away.
    pub(crate) fn leave(&self, seen: &Seen) {
        self.places.lock().all.remove(&seen.place);
    }

    /// All of them, the oldest place first.
    pub fn all(&self) -> Vec<Arc<Seen>> {
        let mut all: Vec<_> = self.places.lock().all.values().cloned().collect();
        all.sort_unstable_by_key(|seen| seen.place);
        all
    }
}

/// One transaction, or room for one. What each statement tells is in one of the processor's cache lines.
#[derive(Debug)]
#[repr(C, align(64))]
pub struct Seen {
    id: AtomicU64,
    began_us: AtomicU64,
    locks: AtomicU64,
    changes: AtomicU64,
    is_active: AtomicBool,
    reads_committed: AtomicBool,
    /// The connection it is of; 0 = the server's own.
    pub owner: u32,
    place: u64,
    /// Rank: last.
    waits: Mutex<Option<Waiting>>,
}

/// What a transaction waits for.
#[derive(Clone, Debug)]
pub struct Waiting {
    /// The lock.
    pub lock: LockId,
    /// How it is wanted.
    pub mode: Mode,
    /// The row's key; `None` for metadata.
    pub key: Option<Vec<u8>>,
    /// Since when, microseconds since 1970.
    pub since_us: u64,
}

impl Seen {
    /// Its number.
    pub fn id(&self) -> TrxId {
        TrxId(self.id.load(Ordering::Relaxed))
    }

    /// Whether a statement of it has begun.
    pub fn is_active(&self) -> bool {
        self.is_active.load(Ordering::Relaxed)
    }

    /// Its isolation level.
    pub fn isolation(&self) -> Isolation {
        if self.reads_committed.load(Ordering::Relaxed) {
            Isolation::ReadCommitted
        } else {
            Isolation::RepeatableRead
        }
    }

    /// When it was opened, microseconds since 1970; 0 for a statement that is one by itself.
    pub fn began_us(&self) -> u64 {
        self.began_us.load(Ordering::Relaxed)
    }

    /// Locks that it held after its last statement.
    pub fn locks(&self) -> u64 {
        self.locks.load(Ordering::Relaxed)
    }

    /// Keys that it had changed after its last statement.
    pub fn changes(&self) -> u64 {
        self.changes.load(Ordering::Relaxed)
    }

    /// What it waits for.
    pub fn waits(&self) -> Option<Waiting> {
        self.waits.lock().clone()
    }

    pub(crate) fn set_isolation(&self, isolation: Isolation) {
        self.reads_committed.store(isolation == Isolation::ReadCommitted, Ordering::Relaxed);
    }

    pub(crate) fn set_began(&self, began_us: u64) {
        self.began_us.store(began_us, Ordering::Relaxed);
    }

    pub(crate) fn statement_begins(&self) {
        self.is_active.store(true, Ordering::Relaxed);
    }

    pub(crate) fn statement_ends(&self, locks: usize, changes: usize) {
        self.locks.store(locks as u64, Ordering::Relaxed);
        self.changes.store(changes as u64, Ordering::Relaxed);
    }

    /// It has ended; the next one has this number.
    pub(crate) fn ends(&self, next: TrxId) {
        self.is_active.store(false, Ordering::Relaxed);
        self.set_began(0);
        self.statement_ends(0, 0);
        self.id.store(next.0, Ordering::Relaxed);
    }

    /// It waits until what is returned is dropped.
    pub(crate) fn begin_wait(self: &Arc<Self>, waiting: Waiting) -> WaitGuard {
        *self.waits.lock() = Some(waiting);
        WaitGuard(Arc::clone(self))
    }
}

/// Its transaction waits while it lives.
#[derive(Debug)]
pub(crate) struct WaitGuard(Arc<Seen>);

impl Drop for WaitGuard {
    fn drop(&mut self) {
        *self.0.waits.lock() = None;
    }
}
