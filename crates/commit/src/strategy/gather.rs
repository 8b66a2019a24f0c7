//! When a step begins: at once, or after a moment's patience before a sync.
//!
//! Clients come back: whoever is answered commits again a little later. If a sync begins with the first one who is back, the
//! others of his group miss it, and two groups take turns: every commit waits for two syncs and each sync carries half of
//! what it could. So where a sync takes long, a step waits for as many as were under way at the last one, as long as that is worth
//! it: each one who is missing waits for a whole sync more if he misses this one, each one who is there waits until the others
//! come. When that will be is known from before ([`Crowd::all_thought_ns`]). Sessions that think longer than half a sync, as they do
//! where processors are short, are not waited for: then two groups that take turns keep the processors busy during a sync. So nobody
//! waits longer than a sync takes. If nobody came, it does not wait for a while.
//!
//! Before a step is wanted at all, everybody who can run runs ([`Pipeline::kick_forever`]).
//!
//! - Where a sync is short and a turn of them brings nearly all who commit, a step begins as soon as nearly half are there. If all came,
//!   nobody would be left to keep the processors busy during the sync, and the few who missed it would have the next one to
//!   themselves: 32 clients on a fast disk had a third of their transactions in groups of all 32, and half of the syncs carried four
//!   or fewer. Now 1.1 times the transactions.
//! - Where a sync takes long, and more than a turn of them is about, they run again until nearly half are there (not in `serial`
//!   and `group`: 256 clients of `group` at 1 ms a sync had 0.90 of the transactions). With fewer, syncs are
//!   wasted: 256 clients at 1 ms a sync, 66 a sync after one turn, 120 with a share of 0.4, at the same throughput. With more, too few
//!   are left to keep the processors busy meanwhile: 128 clients, 55 a sync after one turn, 81 after three, at 10 % less throughput.
//!
//! Rejected: `binlog_group_commit_sync_delay`, which `group` has, waits as long whether somebody is expected or not. An eighth of a
//! sync, and then as long as they come fast enough: transactions of several statements take longer (1 ms a sync, two to eight clients of
//! `oltp_write_only`: 0.72 to 0.92 of the transactions). To wait for those who think up to two thirds of a sync: 0.92 with 64 clients of
//! `oltp_write_only` at 5 ms a sync.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};

use engine::ids::CommitSeq;
use redo::Durability;
use smallvec::SmallVec;

use crate::Pipeline;
use crate::pending::Pending;

/// Shorter syncs are not worth it: the shortest wait takes as long, nanoseconds.
const SHORTEST_NS: u64 = 400_000;

/// Longer syncs count as if they took this: after a disk has stood still nobody waits as long again.
const LONGEST_NS: u64 = 10_000_000;

/// The time between two looks, microseconds.
const LOOK_US: u64 = 10;

/// Steps without patience after one that nobody came to.
const DISAPPOINTED: u32 = 4;

/// The part of all who commit that a step should carry, as a fraction.
const SHARE: (u64, u64) = (9, 20);

/// Tasks that a turn of the runtime lets run; fewer than these are there after one.
const TURN: u64 = 61;

/// What a nearness of 1 is.
const ONE: u64 = 1 << 32;

/// Steps that are remembered. A session that was answered before them thinks too long to be waited for.
const REMEMBERED: usize = 8;

/// Who thinks longer counts as if he had thought so long, in syncs.
const LONGEST_THOUGHT: u64 = 4;

/// Who commits, as steps see it. Relaxed order everywhere: a wrong guess costs a little time.
#[derive(Debug, Default)]
pub(crate) struct Crowd {
    /// One through the number of tickets from a session's last commit to its next, which is the number of sessions that
    /// commit, each weighed by how often it does: a moving average.
    nearness: AtomicU64,
    /// The last transaction that the step that runs now carries, or the last step did.
    carried: AtomicU64,
    /// How long sessions think, from the answer to a commit to the next ticket, nanoseconds: a moving average.
    think_ns: AtomicU64,
    /// How far those of one step are from their average, likewise.
    deviation_ns: AtomicU64,
}

/// Moves an average an eighth of the way to what a step has seen.
fn move_to(average: &AtomicU64, seen: u64) {
    let before = average.load(Ordering::Relaxed);
    average.store(before - before / 8 + seen / 8, Ordering::Relaxed);
}

impl Crowd {
    /// A step has released these.
    fn note(&self, released: &[Box<Pending>]) {
        let sum: u64 = released.iter().map(|pending| ONE / pending.recent.distance.max(1)).sum();
        move_to(&self.nearness, sum / released.len() as u64);
    }

    /// So long have the sessions thought that a step has released.
    fn note_thoughts(&self, thoughts_ns: &[u64]) {
        let count = thoughts_ns.len() as u64;
        let average = thoughts_ns.iter().sum::<u64>() / count;
        move_to(&self.think_ns, average);
        move_to(&self.deviation_ns, thoughts_ns.iter().map(|ns| ns.abs_diff(average)).sum::<u64>() / count);
    }

    /// When nearly all sessions will have thought, nanoseconds after an answer: at most twice the average.
    fn all_thought_ns(&self) -> u64 {
        let average = self.think_ns.load(Ordering::Relaxed);
        average + (4 * self.deviation_ns.load(Ordering::Relaxed)).clamp(average / 2, average)
    }

    /// A step begins, and carries about all that are drawn.
    pub(super) fn carries(&self, drawn: CommitSeq) {
        self.carried.store(drawn.0, Ordering::Relaxed);
    }

    /// How many a step should carry.
    fn share(&self) -> u64 {
        let committers = ONE / self.nearness.load(Ordering::Relaxed).max(1);
        (committers * SHARE.0).div_ceil(SHARE.1)
    }

    /// How many of all that are drawn a step that begins now would carry.
    fn ready(&self, drawn: CommitSeq) -> u64 {
        drawn.0.saturating_sub(self.carried.load(Ordering::Relaxed))
    }

    /// Whether a step that begins now would carry its share, and more than one, of so few that a turn would bring all others.
    fn has_share(&self, drawn: CommitSeq) -> bool {
        let share = self.share().max(2);
        share <= TURN / 2 && self.ready(drawn) >= share
    }

    /// Whether it would carry less, though more than a turn of those who run are about.
    fn is_missing(&self, drawn: CommitSeq) -> bool {
        let share = self.share();
        share > TURN && self.ready(drawn) < share
    }
}

impl Pipeline {
    /// Whether a step had better begin after another turn of those who run.
    pub(crate) fn expects_more(&self) -> bool {
        self.strategy().gathers()
            && self.settings.redo_demand() == Some(Durability::Synced)
            && sync_ns(self) >= SHORTEST_NS
            && self.crowd.is_missing(self.last_drawn())
    }

    /// Whether a step had better begin at once, though some who run may still come.
    pub(crate) fn has_enough(&self) -> bool {
        sync_ns(self) < SHORTEST_NS && self.crowd.has_share(self.last_drawn())
    }
}

/// What one step knows about the next.
#[derive(Debug, Default)]
pub(super) struct Gather {
    /// Transactions that were under way when the last step ended, and those that it released.
    expected: u64,
    /// When that was, by [`Clock::monotonic_ns`](crate::Clock::monotonic_ns).
    released_ns: u64,
    /// Steps left that do not wait.
    pause: u32,
    /// The last steps, the newest last: the first transaction that each did not release any more, and when it ended.
    steps: VecDeque<(CommitSeq, u64)>,
}

impl Gather {
    /// Waits until as many as expected are ready, of those from `next` on, or for as long as it is worth. Then the step
    /// begins.
    pub(super) fn wait(&mut self, pipeline: &Pipeline, next: CommitSeq) {
        self.wait_for_expected(pipeline, next);
        pipeline.crowd.carries(pipeline.last_drawn());
    }

    fn wait_for_expected(&mut self, pipeline: &Pipeline, next: CommitSeq) {
        if pipeline.settings.redo_demand() != Some(Durability::Synced) {
            return;
        }
        let (sync_ns, first) = (sync_ns(pipeline), under_way(pipeline, next));
        if !self.begins(sync_ns, &pipeline.crowd, first) {
            return;
        }
        let begun = pipeline.clock.monotonic_ns();
        self.wait_by(sync_ns, pipeline.crowd.all_thought_ns(), (first, begun), || {
            pipeline.clock.sleep_us(LOOK_US);
            (under_way(pipeline, next), pipeline.clock.monotonic_ns())
        });
    }

    /// Looks again as long as it is worth it, where all will have thought in `thought_ns`. A look says how many are ready, and when.
    fn wait_by(
        &mut self,
        sync_ns: u64,
        thought_ns: u64,
        first: (u64, u64),
        mut look: impl FnMut() -> (u64, u64),
    ) {
        let until = self.released_ns + thought_ns;
        let (mut ready, mut now) = first;
        while self.is_worth(sync_ns, ready, until.saturating_sub(now)) {
            (ready, now) = look();
        }
        if now > first.1 && ready == first.0 {
            self.pause = DISAPPOINTED;
        }
    }

    /// Whether to wait at all where a sync takes `sync_ns` and so many are ready.
    fn begins(&mut self, sync_ns: u64, crowd: &Crowd, ready: u64) -> bool {
        let is_short = sync_ns < SHORTEST_NS || crowd.think_ns.load(Ordering::Relaxed) > sync_ns / 2;
        if is_short || ready == 0 || ready >= self.expected {
            return false;
        }
        let rests = self.pause > 0;
        self.pause = self.pause.saturating_sub(1);
        !rests
    }

    /// Whether those who are missing gain more than those who are ready lose, if all are there in `left_ns`.
    fn is_worth(&self, sync_ns: u64, ready: u64, left_ns: u64) -> bool {
        left_ns > 0 && self.expected.saturating_sub(ready) * sync_ns > ready * left_ns
    }

    /// Expects as many as another one does.
    pub(super) fn expect(&mut self, other: &Self) {
        (self.expected, self.released_ns) = (other.expected, other.released_ns);
    }

    /// A step has released these; the next one it takes is `next`.
    pub(super) fn note(&mut self, pipeline: &Pipeline, released: &[Box<Pending>], next: CommitSeq) {
        if released.is_empty() {
            return;
        }
        pipeline.crowd.note(released);
        let sync_ns = sync_ns(pipeline);
        if sync_ns < SHORTEST_NS {
            // Steps that are not remembered: what came before says nothing of whom they answer.
            self.steps.clear();
            return;
        }
        self.expected = released.len() as u64 + under_way(pipeline, next);
        let thoughts: SmallVec<[u64; 64]> = released
            .iter()
            .map(|pending| {
                let last = CommitSeq(pending.recent.seq.0 - pending.recent.distance);
                self.thought_ns(last, pending.drawn_ns, LONGEST_THOUGHT * sync_ns)
            })
            .collect();
        pipeline.crowd.note_thoughts(&thoughts);
        self.released_ns = pipeline.clock.monotonic_ns();
        if self.steps.len() == REMEMBERED {
            self.steps.pop_front();
        }
        self.steps.push_back((next, self.released_ns));
    }

    /// From the answer to a session's last commit to its next ticket, at most `longest_ns`.
    fn thought_ns(&self, last: CommitSeq, drawn_ns: u64, longest_ns: u64) -> u64 {
        match self.steps.partition_point(|(next, _)| *next <= last) {
            // By the oldest step, or one before it, perhaps long before.
            0 => longest_ns,
            // Not answered yet: its session does not wait for that.
            step if step == self.steps.len() => 0,
            step => drawn_ns.saturating_sub(self.steps[step].1).min(longest_ns),
        }
    }
}

/// What a sync takes.
fn sync_ns(pipeline: &Pipeline) -> u64 {
    pipeline.recent_sync_ns.load(Ordering::Relaxed).min(LONGEST_NS)
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
        assert!(crowd.is_missing(CommitSeq(1115)));
        assert!(!crowd.is_missing(CommitSeq(1116)), "0.45 * 256 are there");
        crowd.nearness.store(ONE / 128, Ordering::Relaxed);
        assert!(!crowd.is_missing(CommitSeq(1010)), "a turn has brought all that there are");
    }

    #[test]
    fn a_share_is_nearly_half_of_a_crowd_and_more_than_one() {
        let has_share = |committers: u64, ready: u64| {
            let crowd = Crowd::default();
            crowd.nearness.store(ONE / committers, Ordering::Relaxed);
            crowd.carries(CommitSeq(1000));
            crowd.has_share(CommitSeq(1000 + ready))
        };
        for (committers, share) in [(1, 2), (4, 2), (8, 4), (32, 15), (64, 29)] {
            assert!(has_share(committers, share), "{share} of {committers}");
            assert!(!has_share(committers, share - 1), "less than {share} of {committers}");
        }
        assert!(!has_share(128, 127), "they come in parts anyhow");
        assert!(!Crowd::default().has_share(CommitSeq(1 << 20)), "nobody knows how many commit");
    }

    fn thinking(think_ns: u64, deviation_ns: u64) -> Crowd {
        let crowd = Crowd::default();
        crowd.think_ns.store(think_ns, Ordering::Relaxed);
        crowd.deviation_ns.store(deviation_ns, Ordering::Relaxed);
        crowd
    }

    fn expecting(expected: u64, pause: u32) -> Gather {
        Gather { expected, pause, ..Gather::default() }
    }

    #[test]
    fn it_waits_for_those_who_were_there() {
        let crowd = thinking(SYNC_NS / 2, 0);
        let mut gather = expecting(8, 0);
        assert!(gather.begins(SYNC_NS, &crowd, 3));
        assert!(!gather.begins(SYNC_NS, &crowd, 8), "all are here");
        assert!(!gather.begins(SYNC_NS, &crowd, 0), "there is nothing to sync");
        assert!(!gather.begins(SHORTEST_NS - 1, &thinking(0, 0), 3), "the sync is over sooner");
        assert!(!gather.begins(SYNC_NS - 2, &crowd, 3), "they think longer than that");
        assert!(!expecting(1, 0).begins(SYNC_NS, &crowd, 1), "nobody else was there");
    }

    #[test]
    fn nobody_is_waited_for_in_vain_again_and_again() {
        let mut gather = expecting(8, DISAPPOINTED);
        for _ in 0..DISAPPOINTED {
            assert!(!gather.begins(SYNC_NS, &thinking(0, 0), 3));
        }
        assert!(gather.begins(SYNC_NS, &thinking(0, 0), 3));
    }

    #[test]
    fn it_waits_as_long_as_the_missing_gain_more_than_the_others_lose() {
        let gather = expecting(8, 0);
        assert!(gather.is_worth(SYNC_NS, 4, SYNC_NS - 1));
        assert!(!gather.is_worth(SYNC_NS, 4, SYNC_NS));
        assert!(gather.is_worth(SYNC_NS, 7, SYNC_NS / 8));
        assert!(!gather.is_worth(SYNC_NS, 7, SYNC_NS / 7 + 1));
        assert!(!gather.is_worth(SYNC_NS, 8, 1), "all are here");
        assert!(!gather.is_worth(SYNC_NS, 1, 0), "they should have been here");
    }

    #[test]
    fn it_waits_until_all_are_there_or_should_have_been() {
        // Eight were released; one is back soon. They should have thought 400,000 ns after that.
        const RELEASED: u64 = 5_000_000;
        let wait = |looks: &[(u64, u64)]| {
            let mut gather = Gather { released_ns: RELEASED, ..expecting(8, 0) };
            let mut looks = looks.iter().map(|(ready, ns)| (*ready, RELEASED + ns));
            gather.wait_by(SYNC_NS, 400_000, (1, RELEASED + 50_000), || looks.next().expect("no longer"));
            (looks.len(), gather.pause)
        };
        assert_eq!(wait(&[(4, 100_000), (7, 300_000), (8, 350_000)]), (0, 0));
        assert_eq!(wait(&[(8, 100_000), (8, 200_000)]), (1, 0), "all are there");
        assert_eq!(
            wait(&[(7, 200_000), (7, 300_000)]),
            (1, 0),
            "the last one gains less than the seven lose"
        );
        assert_eq!(wait(&[(1, 200_000), (1, 400_000), (1, 500_000)]), (1, DISAPPOINTED));
        let mut late = Gather { released_ns: RELEASED, ..expecting(8, 0) };
        let begun = RELEASED + 400_000;
        late.wait_by(SYNC_NS, 400_000, (1, begun), || panic!("they should have been here"));
        assert_eq!(late.pause, 0, "it has not waited");
    }

    #[test]
    fn nearly_all_have_thought_after_the_average_and_some_more() {
        assert_eq!(thinking(1000, 100).all_thought_ns(), 1500);
        assert_eq!(thinking(1000, 200).all_thought_ns(), 1800);
        assert_eq!(thinking(1000, 900).all_thought_ns(), 2000);
    }

    #[test]
    fn a_session_thinks_from_the_end_of_the_step_that_released_its_last() {
        let steps = [(10, 1000), (20, 2000), (30, 3000)].map(|(next, ns)| (CommitSeq(next), ns)).into();
        let gather = Gather { steps, ..Gather::default() };
        let thought = |last| gather.thought_ns(CommitSeq(last), 3100, 5000);
        assert_eq!([10, 19].map(thought), [1100; 2]);
        assert_eq!([20, 29].map(thought), [100; 2]);
        assert_eq!([0, 9].map(thought), [5000; 2], "nobody remembers when");
        assert_eq!(thought(30), 0, "it did not wait for the answer");
        assert_eq!(gather.thought_ns(CommitSeq(10), 9000, 5000), 5000);
    }
}
