//! A moment's patience before a sync.
//!
//! Clients come back: whoever is answered commits again a little later. If a sync begins with the first one who is back, the
//! others of his group miss it, and two groups take turns: every commit waits for two syncs and each sync carries half of
//! what it could. So where a sync takes long, a step waits for as many as were under way at the last one: an eighth of a sync,
//! which is what an answer and the next commit take, and then for as long as it is worth it, half a sync at most. Each one who
//! comes saves a sync's time, each one who is there loses the time that is waited. If nobody came, it does not wait for a while.
//!
//! Before a step is wanted at all, everybody who can run runs ([`Pipeline::kick_forever`]); where a sync takes long, and more
//! than a turn of them is about, this happens again until nearly half of all who commit are there. With fewer, syncs are
//! wasted: 256 clients at 1 ms a sync, 66 a sync after one turn, 120 with a share of 0.4, at the same throughput. With more, too few are
//! left to keep the processors busy meanwhile: 128 clients, 55 a sync after one turn, 81 after three, at 10 % less throughput.
//!
//! Rejected: `binlog_group_commit_sync_delay`, which `group` has, waits as long whether somebody is expected or not.

use std::sync::atomic::{AtomicU64, Ordering};

use engine::ids::CommitSeq;
use redo::Durability;

use crate::Pipeline;
use crate::pending::Pending;

/// Shorter syncs are not worth it: the shortest wait takes as long, nanoseconds.
const SHORTEST_NS: u64 = 400_000;

/// The part of a sync that is waited for in any case.
const PART: u64 = 8;

/// The time between two looks, microseconds.
const LOOK_US: u64 = 10;

/// Steps without patience after one that nobody came to.
const DISAPPOINTED: u32 = 16;

/// The part of all who commit that a step should carry, as a fraction.
const SHARE: (u64, u64) = (9, 20);

/// Tasks that a turn of the runtime lets run; fewer than these are there after one.
const TURN: u64 = 61;

/// What a nearness of 1 is.
const ONE: u64 = 1 << 32;

/// Who commits, as steps see it. Relaxed order everywhere: a wrong guess costs a little time.
#[derive(Debug, Default)]
pub(crate) struct Crowd {
    /// One through the number of tickets from a session's last commit to its next, which is the number of sessions that
    /// commit, each weighed by how often it does: a moving average.
    nearness: AtomicU64,
    /// The last transaction that the step that runs now carries, or the last step did.
    carried: AtomicU64,
}

impl Crowd {
    /// A step has released these.
    fn note(&self, released: &[Box<Pending>]) {
        let nearness: u64 = released.iter().map(|pending| ONE / pending.distance.max(1)).sum();
        let Some(nearness) = nearness.checked_div(released.len() as u64) else { return };
        let before = self.nearness.load(Ordering::Relaxed);
        self.nearness.store(before - before / 8 + nearness / 8, Ordering::Relaxed);
    }

    /// Whether a step that begins now would carry less than its share, of all that are drawn.
    fn is_missing(&self, drawn: CommitSeq) -> bool {
        let ready = drawn.0.saturating_sub(self.carried.load(Ordering::Relaxed));
        let committers = ONE / self.nearness.load(Ordering::Relaxed).max(1);
        let share = committers * SHARE.0 / SHARE.1;
        share > TURN && ready < share
    }
}

impl Pipeline {
    /// Whether a step had better begin after another turn of those who run.
    pub(crate) fn expects_more(&self) -> bool {
        self.settings.redo_demand() == Some(Durability::Synced)
            && self.recent_sync_ns.load(Ordering::Relaxed) >= SHORTEST_NS
            && self.crowd.is_missing(self.last_drawn())
    }
}

/// What one step knows about the next.
#[derive(Debug, Default)]
pub(super) struct Gather {
    /// Transactions that were under way when the last step ended, and those that it released.
    expected: u64,
    /// Steps left that do not wait.
    pause: u32,
}

impl Gather {
    /// Waits until as many as expected are ready, of those from `next` on, or for as long as it is worth. Then the step
    /// begins.
    pub(super) fn wait(&mut self, pipeline: &Pipeline, next: CommitSeq) {
        self.wait_for_expected(pipeline, next);
        pipeline.crowd.carried.store(pipeline.last_drawn().0, Ordering::Relaxed);
    }

    fn wait_for_expected(&mut self, pipeline: &Pipeline, next: CommitSeq) {
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

    /// A step has released these; the next one it takes is `next`.
    pub(super) fn note(&mut self, pipeline: &Pipeline, released: &[Box<Pending>], next: CommitSeq) {
        if !released.is_empty() {
            self.expected = released.len() as u64 + under_way(pipeline, next);
            pipeline.crowd.note(released);
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
    fn a_crowd_is_as_large_as_the_distance_between_commits_of_one() {
        let crowd = Crowd::default();
        crowd.nearness.store(ONE / 256, Ordering::Relaxed);
        crowd.carried.store(1000, Ordering::Relaxed);
        assert!(crowd.is_missing(CommitSeq(1114)));
        assert!(!crowd.is_missing(CommitSeq(1115)), "0.45 * 256 are there");
        crowd.nearness.store(ONE / 128, Ordering::Relaxed);
        assert!(!crowd.is_missing(CommitSeq(1010)), "a turn has brought all that there are");
    }

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
