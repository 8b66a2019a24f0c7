//! A moment's patience before a sync.
//!
//! Clients come back: whoever is answered commits again a little later. If a sync begins with the first one who is back, the
//! others of his group miss it, and two groups take turns: every commit waits for two syncs and each sync carries half of
//! what it could. So where a sync takes long, a step waits for as many as were under way at the last one: an eighth of a sync,
//! which is what an answer and the next commit take, and then for as long as it is worth it, half a sync at most. Each one who
//! comes saves a sync's time, each one who is there loses the time that is waited. If nobody came, it does not wait for a while.
//!
//! Rejected: `binlog_group_commit_sync_delay`, which `group` has, waits as long whether somebody is expected or not.

use std::sync::atomic::Ordering;

use engine::ids::CommitSeq;
use redo::Durability;

use crate::Pipeline;

/// Shorter syncs are not worth it: the shortest wait takes as long, nanoseconds.
const SHORTEST_NS: u64 = 400_000;

/// The part of a sync that is waited for in any case.
const PART: u64 = 8;

/// The time between two looks, microseconds.
const LOOK_US: u64 = 10;

/// Steps without patience after one that nobody came to.
const DISAPPOINTED: u32 = 16;

/// What one step knows about the next.
#[derive(Debug, Default)]
pub(super) struct Gather {
    /// Transactions that were under way when the last step ended, and those that it released.
    expected: u64,
    /// Steps left that do not wait.
    pause: u32,
}

impl Gather {
    /// Waits until as many as expected are ready, of those from `next` on, or for as long as it is worth.
    pub(super) fn wait(&mut self, pipeline: &Pipeline, next: CommitSeq) {
        if pipeline.settings.redo_demand() != Some(Durability::Synced) {
            return;
        }
        let (sync_ns, first) = (pipeline.recent_sync_ns.load(Ordering::Relaxed), under_way(pipeline, next));
        if !self.begins(sync_ns, first) {
            return;
        }
        let begun = pipeline.clock.monotonic_ns();
        let (mut ready, mut waited_ns) = (first, 0);
        loop {
            pipeline.clock.sleep_us(LOOK_US);
            let now_ns = pipeline.clock.monotonic_ns().saturating_sub(begun);
            let (came, took_ns) = (under_way(pipeline, next) - ready, now_ns - waited_ns);
            (ready, waited_ns) = (ready + came, now_ns);
            let is_worth_it = came * sync_ns > ready * took_ns;
            let is_early = waited_ns < sync_ns / PART;
            if !(is_early || is_worth_it) || ready >= self.expected || waited_ns > sync_ns / 2 {
                break;
            }
        }
        if ready == first {
            self.pause = DISAPPOINTED;
        }
    }

    /// Whether to wait at all where a sync takes `sync_ns` and so many are ready.
    fn begins(&mut self, sync_ns: u64, ready: u64) -> bool {
        if sync_ns < SHORTEST_NS || ready == 0 || ready >= self.expected {
            return false;
        }
        let rests = self.pause > 0;
        self.pause = self.pause.saturating_sub(1);
        !rests
    }

    /// Expects as many as another one does.
    pub(super) fn expect(&mut self, other: &Self) {
        self.expected = other.expected;
    }

    /// A step has released so many; the next one it takes is `next`.
    pub(super) fn note(&mut self, pipeline: &Pipeline, released: usize, next: CommitSeq) {
        if released > 0 {
            self.expected = released as u64 + under_way(pipeline, next);
        }
    }
}

/// Transactions that have a ticket and were not taken.
fn under_way(pipeline: &Pipeline, next: CommitSeq) -> u64 {
    (pipeline.last_drawn().0 + 1).saturating_sub(next.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SYNC_NS: u64 = 1_000_000;

    #[test]
    fn it_waits_for_those_who_were_there() {
        let mut gather = Gather { expected: 8, pause: 0 };
        assert!(gather.begins(SYNC_NS, 3));
        assert!(!gather.begins(SYNC_NS, 8), "all are here");
        assert!(!gather.begins(SYNC_NS, 0), "there is nothing to sync");
        assert!(!gather.begins(SHORTEST_NS - 1, 3), "the sync is over sooner");
        assert!(!Gather { expected: 1, pause: 0 }.begins(SYNC_NS, 1), "nobody else was there");
    }

    #[test]
    fn nobody_is_waited_for_in_vain_again_and_again() {
        let mut gather = Gather { expected: 8, pause: DISAPPOINTED };
        for _ in 0..DISAPPOINTED {
            assert!(!gather.begins(SYNC_NS, 3));
        }
        assert!(gather.begins(SYNC_NS, 3));
    }
}
