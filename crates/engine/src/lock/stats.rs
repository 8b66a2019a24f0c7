//! What waits for row locks have come to.

use std::sync::atomic::{AtomicU64, Ordering};

/// See the module. Relaxed: statistics.
#[derive(Debug, Default)]
pub struct LockStats {
    /// Waits that have begun.
    pub waits: AtomicU64,
    /// Transactions that wait.
    pub waiting: AtomicU64,
    /// How long those waited that wait no more, microseconds.
    pub waited_us: AtomicU64,
    /// The longest of them, microseconds.
    pub waited_us_max: AtomicU64,
    /// Waits that would have closed a cycle.
    pub deadlocks: AtomicU64,
    /// Waits that took too long.
    pub timeouts: AtomicU64,
}

impl LockStats {
    /// A wait begins; it lasts until what is returned is dropped. `now_us` tells the time, microseconds since 1970.
    pub(crate) fn begin_wait<N: Fn() -> u64>(&self, now_us: N) -> Waited<'_, N> {
        self.waits.fetch_add(1, Ordering::Relaxed);
        self.waiting.fetch_add(1, Ordering::Relaxed);
        Waited { stats: self, since_us: now_us(), now_us }
    }
}

/// A wait that is counted.
pub(crate) struct Waited<'a, N: Fn() -> u64> {
    stats: &'a LockStats,
    since_us: u64,
    now_us: N,
}

impl<N: Fn() -> u64> Drop for Waited<'_, N> {
    fn drop(&mut self) {
        let us = (self.now_us)().saturating_sub(self.since_us);
        self.stats.waiting.fetch_sub(1, Ordering::Relaxed);
        self.stats.waited_us.fetch_add(us, Ordering::Relaxed);
        self.stats.waited_us_max.fetch_max(us, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    #[test]
    fn waits_add_up_and_the_longest_is_known() {
        let (stats, now) = (LockStats::default(), Cell::new(100));
        let first = stats.begin_wait(|| now.get());
        let second = stats.begin_wait(|| now.get());
        assert_eq!(stats.waiting.load(Ordering::Relaxed), 2);
        now.set(130);
        drop(first);
        now.set(150);
        drop(second);
        let get = |number: &AtomicU64| number.load(Ordering::Relaxed);
        assert_eq!((get(&stats.waits), get(&stats.waiting)), (2, 0));
        assert_eq!((get(&stats.waited_us), get(&stats.waited_us_max)), (80, 50));
    }
}
