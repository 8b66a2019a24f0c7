//! Those who wait before their ticket until the redo log has reached a place.

use std::future::poll_fn;
use std::task::{Poll, Waker};

use parking_lot::Mutex;
use redo::{Durability, Lsn, RedoLog};

/// See the module.
#[derive(Debug, Default)]
pub(crate) struct LogWaiters {
    /// Rank: last. Wakers run with nothing held.
    waiting: Mutex<Vec<Waiter>>,
}

#[derive(Debug)]
struct Waiter {
    demand: Durability,
    end: Lsn,
    waker: Waker,
}

impl LogWaiters {
    /// Resolves when everything below `end` is as durable as demanded. Whoever carries the log calls
    /// [`LogWaiters::wake`] after that.
    pub(crate) async fn wait(&self, log: &RedoLog, demand: Durability, end: Lsn) {
        poll_fn(|context| {
            let mut waiting = self.waiting.lock();
            if has_reached(log, demand, end) {
                return Poll::Ready(());
            }
            let waker = context.waker().clone();
            waiting.push(Waiter { demand, end, waker });
            Poll::Pending
        })
        .await;
    }

    /// Wakes those whose place is reached.
    pub(crate) fn wake(&self, log: &RedoLog) {
        let reached: Vec<Waiter> = self
            .waiting
            .lock()
            .extract_if(.., |waiter| has_reached(log, waiter.demand, waiter.end))
            .collect();
        for waiter in reached {
            waiter.waker.wake();
        }
    }
}

fn has_reached(log: &RedoLog, demand: Durability, end: Lsn) -> bool {
    let reached = match demand {
        Durability::Written => log.written(),
        Durability::Synced => log.synced(),
    };
    reached >= end
}
