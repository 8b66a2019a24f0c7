//! One lock: who holds it and who waits for it.

use std::collections::VecDeque;
use std::sync::Arc;
use std::task::Waker;

use parking_lot::Mutex;
use smallvec::SmallVec;

use super::{Holding, LockId, Mode, Turn};
use crate::ids::TrxId;

/// A request that waits in a queue.
#[derive(Debug)]
pub(super) struct Request {
    pub(super) trx: TrxId,
    pub(super) id: LockId,
    mode: Mode,
    /// The transaction holds the lock in shared mode already.
    upgrade: bool,
    /// Rank: after a shard.
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    granted: bool,
    waker: Option<Waker>,
}

impl Request {
    /// Whether the lock was granted; if not, `waker` is woken when it is.
    pub(super) fn poll(&self, waker: &Waker) -> bool {
        let mut state = self.state.lock();
        if !state.granted {
            state.waker = Some(waker.clone());
        }
        state.granted
    }

    pub(super) fn is_granted(&self) -> bool {
        self.state.lock().granted
    }

    pub(super) fn wake(&self) {
        let waker = self.state.lock().waker.take();
        if let Some(waker) = waker {
            waker.wake();
        }
    }
}

/// See the module. An entry exists while somebody holds or waits.
#[derive(Debug, Default)]
pub(super) struct Entry {
    exclusive: Option<TrxId>,
    shared: SmallVec<[TrxId; 2]>,
    queue: VecDeque<Arc<Request>>,
}

impl Entry {
    /// Grants a request at once if nothing stands against it.
    pub(super) fn try_grant(&mut self, trx: TrxId, mode: Mode) -> bool {
        let upgrade = mode == Mode::Exclusive && self.shared.contains(&trx);
        if !self.is_compatible(trx, mode) || (!upgrade && !self.queue.is_empty()) {
            return false;
        }
        self.hold(trx, mode);
        true
    }

    /// Puts a request into the queue: an upgrade at its front, others where their turn is.
    pub(super) fn enqueue(&mut self, trx: TrxId, id: LockId, mode: Mode, turn: Turn) -> Arc<Request> {
        let upgrade = self.shared.contains(&trx);
        let request = Arc::new(Request { trx, id, mode, upgrade, state: Mutex::default() });
        let first_shared = || self.queue.iter().position(|queued| queued.mode == Mode::Shared);
        let at = match (mode, turn) {
            _ if upgrade => 0,
            (Mode::Exclusive, Turn::BeforeShared) => first_shared().unwrap_or(self.queue.len()),
            _ => self.queue.len(),
        };
        self.queue.insert(at, Arc::clone(&request));
        request
    }

    pub(super) fn release(&mut self, trx: TrxId) {
        if self.exclusive == Some(trx) {
            self.exclusive = None;
        } else {
            let at = self.shared.iter().position(|holder| *holder == trx).expect("only holders release");
            self.shared.swap_remove(at);
        }
    }

    /// Turns an exclusive lock into a shared one.
    pub(super) fn downgrade(&mut self, trx: TrxId) {
        assert_eq!(self.exclusive, Some(trx), "only an exclusive lock is downgraded");
        self.exclusive = None;
        self.shared.push(trx);
    }

    /// Removes a request from the queue, or takes back what it was granted in the meantime.
    pub(super) fn withdraw(&mut self, request: &Arc<Request>) {
        if let Some(at) = self.queue.iter().position(|queued| Arc::ptr_eq(queued, request)) {
            self.queue.remove(at);
            return;
        }
        self.release(request.trx);
        if request.upgrade {
            self.shared.push(request.trx);
        }
    }

    /// Grants the requests at the front of the queue that nothing stands against any more.
    pub(super) fn grant_waiters(&mut self) -> SmallVec<[Arc<Request>; 1]> {
        let mut granted = SmallVec::new();
        while let Some(first) = self.queue.front() {
            if !self.is_compatible(first.trx, first.mode) {
                break;
            }
            let request = self.queue.pop_front().expect("it was there");
            self.hold(request.trx, request.mode);
            request.state.lock().granted = true;
            granted.push(request);
        }
        granted
    }

    pub(super) fn is_unused(&self) -> bool {
        self.exclusive.is_none() && self.shared.is_empty() && self.queue.is_empty()
    }

    pub(super) fn holders(&self) -> impl Iterator<Item = TrxId> {
        self.exclusive.iter().chain(&self.shared).copied()
    }

    pub(super) fn holding(&self) -> Holding {
        let exclusive = self.exclusive.iter().map(|trx| (*trx, Mode::Exclusive));
        let shared = self.shared.iter().map(|trx| (*trx, Mode::Shared));
        let waiters = self.queue.iter().map(|request| (request.trx, request.mode));
        Holding { holders: exclusive.chain(shared).collect(), waiters: waiters.collect() }
    }

    fn is_compatible(&self, trx: TrxId, mode: Mode) -> bool {
        let others_share = self.shared.iter().any(|holder| *holder != trx);
        self.exclusive.is_none() && (mode == Mode::Shared || !others_share)
    }

    fn hold(&mut self, trx: TrxId, mode: Mode) {
        match mode {
            Mode::Shared => self.shared.push(trx),
            Mode::Exclusive => {
                self.shared.retain(|holder| *holder != trx);
                self.exclusive = Some(trx);
            }
        }
    }
}
