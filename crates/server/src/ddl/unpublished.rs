//! Changes of the catalog that are being committed and are not in the catalog in memory yet.
//!
//! Whoever follows the binlog may know of one a moment before: its events can be read as soon as it is durable. A statement
//! that asks for a table then waits for the changes that had begun, as it would wait for the metadata lock in MySQL. It does
//! not wait for ever, for a change may wait for a replica's acknowledgement.

use std::collections::BTreeSet;
use std::future::{Future, poll_fn};
use std::pin::pin;
use std::task::Poll;
use std::time::Duration;

use engine::store::Timer;
use parking_lot::Mutex;
use tokio::sync::Notify;

/// How long is waited for them.
const WAIT: Duration = Duration::from_secs(10);

/// See the module.
#[derive(Debug, Default)]
pub struct Unpublished {
    /// Rank: last.
    changes: Mutex<Changes>,
    one_is_over: Notify,
}

#[derive(Debug, Default)]
struct Changes {
    begun: u64,
    under_way: BTreeSet<u64>,
}

/// A change that is being committed, until it is in the catalog in memory or has failed.
#[derive(Debug)]
#[must_use = "nobody waits for it once this is dropped"]
pub struct Change<'u> {
    of: &'u Unpublished,
    number: u64,
}

impl Drop for Change<'_> {
    fn drop(&mut self) {
        self.of.changes.lock().under_way.remove(&self.number);
        self.of.one_is_over.notify_waiters();
    }
}

impl Unpublished {
    /// A change begins to be committed.
    pub fn begin(&self) -> Change<'_> {
        let mut changes = self.changes.lock();
        changes.begun += 1;
        let number = changes.begun;
        changes.under_way.insert(number);
        Change { of: self, number }
    }

    /// Waits for the changes that have begun so far, ten seconds at most. Returns whether there were any.
    pub async fn settle(&self, timer: &dyn Timer) -> bool {
        let newest = {
            let changes = self.changes.lock();
            if changes.under_way.is_empty() {
                return false;
            }
            changes.begun
        };
        let mut time = timer.sleep(WAIT);
        loop {
            let mut over = pin!(self.one_is_over.notified());
            over.as_mut().enable();
            if self.changes.lock().under_way.first().is_none_or(|oldest| *oldest > newest) {
                return true;
            }
            let is_time_over = poll_fn(|context| {
                if time.as_mut().poll(context).is_ready() {
                    return Poll::Ready(true);
                }
                over.as_mut().poll(context).map(|()| false)
            });
            if is_time_over.await {
                return true;
            }
        }
    }
}
