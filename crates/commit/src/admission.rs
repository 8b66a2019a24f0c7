//! Admission: the only place where a commit may wait or be refused, and it lies before the ticket.
//!
//! Credits stand for what a ticket will take without asking: bytes of the redo ring and a commit slot. They are
//! granted first come, first served. The housekeeper closes the gate while checkpoints have fallen behind (commits
//! wait). Whether the disk has room is asked by [`crate::Room`].

use std::collections::VecDeque;
use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use parking_lot::Mutex;

use crate::{CommitError, Pipeline};

/// Whether commits may go on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Gate {
    /// They may.
    #[default]
    Open,
    /// Those who are about to write their first chunk wait: redo is at its limit by chunks of others.
    Crowded,
    /// They wait: redo or memory is at its limit until a checkpoint has finished.
    Behind,
    /// They fail with [`CommitError::DiskFull`]: the checkpoint that they would wait for waits for room.
    Full,
    /// They fail with [`CommitError::ShuttingDown`].
    Closed,
}

impl Gate {
    /// As `Onelog_commit_gate` shows it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Open => "OPEN",
            Self::Crowded => "CROWDED",
            Self::Behind => "BEHIND",
            Self::Full => "FULL",
            Self::Closed => "CLOSED",
        }
    }
}

/// What a ticket takes without asking.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Credits {
    /// Bytes of the redo ring.
    pub ring_bytes: i64,
    /// Bytes of the binlog store's ring.
    pub store_bytes: i64,
    /// Bytes of events that wait to be written to the binlog file behind the commit.
    pub backlog_bytes: i64,
    /// Commit slots: 1 for a ticket, 0 for a chunk.
    pub slots: i64,
}

impl Credits {
    /// A size as credits.
    pub(crate) fn bytes(size: usize) -> i64 {
        i64::try_from(size).expect("sizes in memory fit")
    }

    pub(crate) fn add(&mut self, other: Self) {
        self.ring_bytes += other.ring_bytes;
        self.store_bytes += other.store_bytes;
        self.backlog_bytes += other.backlog_bytes;
        self.slots += other.slots;
    }

    pub(crate) fn sub(&mut self, other: Self) {
        self.ring_bytes -= other.ring_bytes;
        self.store_bytes -= other.store_bytes;
        self.backlog_bytes -= other.backlog_bytes;
        self.slots -= other.slots;
    }

    fn covers(&self, need: &Self) -> bool {
        let covers = |have: i64, need: i64| need == 0 || have >= need;
        covers(self.ring_bytes, need.ring_bytes)
            && covers(self.store_bytes, need.store_bytes)
            && covers(self.backlog_bytes, need.backlog_bytes)
            && covers(self.slots, need.slots)
    }
}

/// What a commit asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Need {
    /// What it will take.
    pub credits: Credits,
    /// Data changes: it waits for FLUSH TABLES WITH READ LOCK.
    pub writes: bool,
    /// It has chunks in redo, which is not recycled beyond them until it commits: it does not wait for a checkpoint.
    pub has_chunks: bool,
}

/// See the module.
#[derive(Debug)]
pub struct Admission {
    /// Rank: last. Wakers run with nothing held.
    state: Mutex<State>,
    /// What there was to begin with.
    all: Credits,
}

#[derive(Debug)]
struct State {
    gate: Gate,
    /// What is left. Rotations of few GTIDs take of it without asking, so it may be negative.
    left: Credits,
    /// Those who switch the strategy: no tickets.
    switching: usize,
    /// Sessions that hold the global read lock.
    read_locks: usize,
    queue: VecDeque<Arc<Waiter>>,
    /// Those who wait until no commit is under way.
    quiet: Vec<Waker>,
}

/// FLUSH TABLES WITH READ LOCK: no data changes as long as it lives.
#[derive(Debug)]
pub struct ReadLock(Arc<Pipeline>);

impl ReadLock {
    /// Keeps new commits out, and resolves when none is under way.
    pub async fn take(pipeline: &Arc<Pipeline>) -> Self {
        pipeline.admission.change(|state| state.read_locks += 1);
        let lock = Self(Arc::clone(pipeline));
        poll_fn(|context| pipeline.admission.poll_quiet(context)).await;
        lock
    }
}

impl Drop for ReadLock {
    fn drop(&mut self) {
        self.0.admission.change(|state| state.read_locks -= 1);
    }
}

#[derive(Debug)]
struct Waiter {
    need: Need,
    answer: Mutex<Answer>,
}

#[derive(Debug, Default)]
struct Answer {
    result: Option<Result<(), CommitError>>,
    waker: Option<Waker>,
}

impl Admission {
    /// Credits to begin with.
    pub fn new(all: Credits) -> Self {
        let state = State {
            gate: Gate::Open,
            left: all,
            switching: 0,
            read_locks: 0,
            queue: VecDeque::new(),
            quiet: Vec::new(),
        };
        Self { state: Mutex::new(state), all }
    }

    /// What there was to begin with.
    pub(crate) const fn all(&self) -> Credits {
        self.all
    }

    /// Takes credits, now or when they are there.
    pub fn admit(&self, need: Need) -> Admit<'_> {
        Admit { admission: self, need, waiter: None }
    }

    /// Gives credits back; takes them without asking where they are negative.
    pub fn give_back(&self, credits: Credits) {
        self.change(|state| state.left.add(credits));
    }

    /// Whether FLUSH TABLES WITH READ LOCK keeps changes out.
    pub fn is_read_locked(&self) -> bool {
        self.state.lock().read_locks > 0
    }

    /// Keeps new tickets out, and resolves when no commit is under way. Ended by [`Admission::go_on`].
    pub(crate) async fn quiesce(&self) {
        self.change(|state| state.switching += 1);
        poll_fn(|context| self.poll_quiet(context)).await;
    }

    /// Lets tickets be drawn again.
    pub(crate) fn go_on(&self) {
        self.change(|state| state.switching -= 1);
    }

    /// Opens or closes the gate. [`Gate::Closed`] is for good: whoever looks after the gate may still be at it while
    /// the server stops.
    pub fn set_gate(&self, gate: Gate) {
        self.change(|state| {
            if state.gate != Gate::Closed {
                state.gate = gate;
            }
        });
    }

    /// The gate.
    pub fn gate(&self) -> Gate {
        self.state.lock().gate
    }

    /// Whether more than half of the ring is taken.
    pub(crate) fn is_pressed(&self) -> bool {
        self.state.lock().left.ring_bytes < self.all.ring_bytes / 2
    }

    /// Whether more than half of the backlog is taken.
    pub(crate) fn is_backlog_pressed(&self) -> bool {
        self.state.lock().left.backlog_bytes < self.all.backlog_bytes / 2
    }

    /// Ready when every slot is free.
    fn poll_quiet(&self, context: &Context<'_>) -> Poll<()> {
        let mut state = self.state.lock();
        if state.left.slots == self.all.slots {
            return Poll::Ready(());
        }
        state.quiet.push(context.waker().clone());
        Poll::Pending
    }

    fn change(&self, change: impl FnOnce(&mut State)) {
        let mut answered = Vec::new();
        let mut quiet = Vec::new();
        {
            let mut state = self.state.lock();
            change(&mut state);
            while let Some((place, need)) = state.next()
                && let Some(answer) = state.try_grant(need)
            {
                let waiter = state.queue.remove(place).expect("it was there");
                // Under the lock: who stops waiting finds it in the queue or the answer.
                let mut told = waiter.answer.lock();
                told.result = Some(answer);
                answered.extend(told.waker.take());
            }
            if state.left.slots == self.all.slots {
                quiet = std::mem::take(&mut state.quiet);
            }
        }
        quiet.into_iter().for_each(Waker::wake);
        answered.into_iter().for_each(Waker::wake);
    }
}

impl State {
    fn try_grant(&mut self, need: Need) -> Option<Result<(), CommitError>> {
        match self.gate {
            Gate::Closed => return Some(Err(CommitError::ShuttingDown)),
            _ if self.keeps_out(need) => return None,
            Gate::Full => return Some(Err(CommitError::DiskFull)),
            Gate::Open | Gate::Crowded | Gate::Behind => {}
        }
        if !self.left.covers(&need.credits) {
            return None;
        }
        self.left.sub(need.credits);
        Some(Ok(()))
    }

    /// Whether it waits for something else than credits.
    fn keeps_out(&self, need: Need) -> bool {
        let is_chunk = need.credits.slots == 0;
        let for_checkpoint = match self.gate {
            Gate::Behind => !need.has_chunks,
            Gate::Crowded => is_chunk && !need.has_chunks,
            Gate::Open | Gate::Full | Gate::Closed => false,
        };
        let for_read_lock = need.writes && self.read_locks > 0;
        let for_switch = self.switching > 0 && !is_chunk;
        self.gate != Gate::Closed && (for_checkpoint || for_read_lock || for_switch)
    }

    /// Who is next for credits: the first in the queue who waits for nothing else.
    fn next(&self) -> Option<(usize, Need)> {
        self.queue.iter().map(|waiter| waiter.need).enumerate().find(|(_, need)| !self.keeps_out(*need))
    }
}

/// Resolves when the credits are granted or refused. Dropped before that, it takes nothing.
#[derive(Debug)]
#[must_use = "credits are taken when this resolves"]
pub struct Admit<'a> {
    admission: &'a Admission,
    need: Need,
    waiter: Option<Arc<Waiter>>,
}

impl Future for Admit<'_> {
    type Output = Result<(), CommitError>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let Some(waiter) = &self.waiter else {
            if !self.admission.all.covers(&self.need.credits) {
                return Poll::Ready(Err(CommitError::TooLarge));
            }
            let mut state = self.admission.state.lock();
            if state.next().is_none()
                && let Some(answer) = state.try_grant(self.need)
            {
                return Poll::Ready(answer);
            }
            let answer = Mutex::new(Answer { result: None, waker: Some(context.waker().clone()) });
            let waiter = Arc::new(Waiter { need: self.need, answer });
            state.queue.push_back(Arc::clone(&waiter));
            drop(state);
            self.waiter = Some(waiter);
            return Poll::Pending;
        };
        let mut answer = waiter.answer.lock();
        let Some(result) = answer.result.take() else {
            answer.waker = Some(context.waker().clone());
            return Poll::Pending;
        };
        drop(answer);
        self.waiter = None;
        Poll::Ready(result)
    }
}

impl Drop for Admit<'_> {
    fn drop(&mut self) {
        let Some(waiter) = self.waiter.take() else { return };
        self.admission.change(|state| state.queue.retain(|queued| !Arc::ptr_eq(queued, &waiter)));
        let granted = matches!(waiter.answer.lock().result.take(), Some(Ok(())));
        if granted {
            self.admission.give_back(waiter.need.credits);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn poll(admit: &mut Admit<'_>) -> Option<bool> {
        match Pin::new(admit).poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(result) => Some(result.is_ok()),
            Poll::Pending => None,
        }
    }

    fn credits(ring_bytes: i64, slots: i64) -> Credits {
        Credits { ring_bytes, slots, ..Credits::default() }
    }

    fn need(ring_bytes: i64) -> Need {
        Need { credits: credits(ring_bytes, 1), writes: true, has_chunks: false }
    }

    #[test]
    fn credits_are_granted_in_order_and_a_large_request_is_not_starved() {
        let admission = Admission::new(credits(100, 10));
        assert_eq!(poll(&mut admission.admit(need(80))), Some(true));
        let mut large = admission.admit(need(60));
        let mut small = admission.admit(need(10));
        assert_eq!((poll(&mut large), poll(&mut small)), (None, None), "the small one does not overtake");
        admission.give_back(credits(80, 1));
        assert_eq!((poll(&mut large), poll(&mut small)), (Some(true), Some(true)));
    }

    #[test]
    fn who_asks_for_more_than_there_is_keeps_nobody_waiting() {
        let admission = Admission::new(credits(100, 10));
        assert_eq!(poll(&mut admission.admit(need(80))), Some(true));
        assert_eq!(poll(&mut admission.admit(need(101))), Some(false));
        assert_eq!(poll(&mut admission.admit(need(20))), Some(true));
    }

    #[test]
    fn whoever_stops_waiting_takes_nothing() {
        let admission = Admission::new(credits(100, 10));
        assert_eq!(poll(&mut admission.admit(need(100))), Some(true));
        let mut first = admission.admit(need(100));
        let mut second = admission.admit(need(50));
        assert_eq!((poll(&mut first), poll(&mut second)), (None, None));
        admission.give_back(credits(100, 1));
        drop(first);
        assert_eq!(poll(&mut second), Some(true));
        assert_eq!(admission.state.lock().left.ring_bytes, 50);
    }

    #[test]
    fn a_read_lock_holds_writes_back_and_rotations_not() {
        let admission = Admission::new(credits(100, 2));
        assert_eq!(poll(&mut admission.admit(need(1))), Some(true));
        admission.change(|state| state.read_locks += 1);
        let context = Context::from_waker(Waker::noop());
        assert!(admission.poll_quiet(&context).is_pending(), "a commit is under way");
        admission.give_back(credits(1, 1));
        assert!(admission.poll_quiet(&context).is_ready());
        let mut write = admission.admit(need(1));
        assert_eq!(poll(&mut write), None);
        let rotation = Need { writes: false, ..need(1) };
        assert_eq!(poll(&mut admission.admit(rotation)), Some(true));
        admission.change(|state| state.read_locks -= 1);
        assert_eq!(poll(&mut write), Some(true));
    }

    #[test]
    fn nobody_waits_for_a_checkpoint_that_waits_for_room() {
        let admission = Admission::new(credits(100, 2));
        admission.set_gate(Gate::Behind);
        let mut waiting = admission.admit(need(1));
        assert_eq!(poll(&mut waiting), None);
        admission.set_gate(Gate::Full);
        for mut refused in [waiting, admission.admit(need(1))] {
            let answer = Pin::new(&mut refused).poll(&mut Context::from_waker(Waker::noop()));
            assert_eq!(answer, Poll::Ready(Err(CommitError::DiskFull)));
        }
        admission.set_gate(Gate::Open);
        assert_eq!(poll(&mut admission.admit(need(100))), Some(true));
    }

    #[test]
    fn who_has_chunks_in_redo_overtakes_those_who_wait_for_a_checkpoint() {
        let admission = Admission::new(credits(100, 10));
        let chunked = |ring_bytes| Need { has_chunks: true, ..need(ring_bytes) };
        assert_eq!(poll(&mut admission.admit(need(90))), Some(true));
        let mut without = admission.admit(need(20));
        let mut with = admission.admit(chunked(20));
        assert_eq!((poll(&mut without), poll(&mut with)), (None, None));
        admission.set_gate(Gate::Behind);
        assert_eq!(poll(&mut admission.admit(chunked(5))), None, "the one before it waits for credits");
        admission.give_back(credits(90, 1));
        assert_eq!((poll(&mut without), poll(&mut with)), (None, Some(true)));
        assert_eq!(poll(&mut admission.admit(chunked(5))), Some(true));
        admission.set_gate(Gate::Open);
        assert_eq!(poll(&mut without), Some(true));
    }

    #[test]
    fn chunks_hold_back_who_has_not_written_any_and_no_small_commit() {
        let admission = Admission::new(credits(100, 10));
        let chunk = |has_chunks| Need { credits: credits(1, 0), writes: true, has_chunks };
        admission.set_gate(Gate::Crowded);
        let mut first = admission.admit(chunk(false));
        assert_eq!(poll(&mut first), None);
        assert_eq!(poll(&mut admission.admit(need(1))), Some(true));
        assert_eq!(
            poll(&mut admission.admit(chunk(true))),
            Some(true),
            "redo is not recycled beyond its first"
        );
        admission.set_gate(Gate::Open);
        assert_eq!(poll(&mut first), Some(true));
    }

    #[test]
    fn a_switch_waits_for_commits_and_keeps_new_ones_out() {
        let admission = Admission::new(credits(100, 2));
        assert_eq!(poll(&mut admission.admit(need(1))), Some(true));
        let mut quiesce = Box::pin(admission.quiesce());
        let mut context = Context::from_waker(Waker::noop());
        assert!(quiesce.as_mut().poll(&mut context).is_pending());
        let mut next = admission.admit(need(1));
        assert_eq!(poll(&mut next), None);
        let chunk = Need { credits: credits(1, 0), ..need(1) };
        assert_eq!(poll(&mut admission.admit(chunk)), Some(true), "chunks have no ticket");
        admission.give_back(credits(1, 1));
        assert!(quiesce.as_mut().poll(&mut context).is_ready());
        assert_eq!(poll(&mut next), None);
        admission.go_on();
        assert_eq!(poll(&mut next), Some(true));
    }

    #[test]
    fn a_closed_gate_refuses_and_one_that_is_behind_lets_wait() {
        let admission = Admission::new(credits(100, 10));
        admission.set_gate(Gate::Behind);
        let mut waiting = admission.admit(need(1));
        assert_eq!(poll(&mut waiting), None);
        admission.set_gate(Gate::Closed);
        assert_eq!(poll(&mut waiting), Some(false));
        assert_eq!(poll(&mut admission.admit(need(1))), Some(false));
        admission.set_gate(Gate::Open);
        assert_eq!(poll(&mut admission.admit(need(1))), Some(false), "closed for good");
    }
}
