//! Commit slots: one for each ticket between its draw and its acknowledgement, in commit order.
//!
//! ```text
//!   Free -> Ready(pending) -> Taken -> Done(pending) -> Free
//!           by its session    by a     by the publisher  by its session, or by the sweep if that has gone
//!                             stage
//! ```
//! The ring replaces a queue: its order is the ticket order whatever the order in which sessions arrive, and a stage
//! takes the contiguous prefix. Admission grants a slot before the ticket, and gets slots back in ticket order: those
//! under way are a window of the order that is never longer than the ring, so a draw never finds its slot occupied.

use std::task::Waker;

use engine::ids::CommitSeq;
use smallvec::SmallVec;
use sync::Mutex;

use crate::pending::Pending;

/// See the module.
#[derive(Debug)]
pub(crate) struct Slots {
    /// Rank: after the publisher's lock. Uncontended but for a session and a stage that meet.
    ring: Box<[Mutex<Slot>]>,
    /// The oldest ticket whose slot was not given back. Rank: before the ring's.
    oldest: Mutex<CommitSeq>,
}

#[derive(Debug, Default)]
struct Slot {
    /// The transaction that has or last had the slot.
    seq: CommitSeq,
    state: State,
    /// The session that committed, and readers that saw what is not visible yet.
    wakers: SmallVec<[Waker; 1]>,
    /// The sweep has passed.
    swept: bool,
    /// The session has gone: nobody will collect.
    abandoned: bool,
}

#[derive(Debug, Default)]
enum State {
    #[default]
    Free,
    Ready(Box<Pending>),
    Taken,
    Done(Box<Pending>),
}

impl Slot {
    fn free_if_abandoned(&mut self) {
        if self.swept && self.abandoned && matches!(self.state, State::Done(_)) {
            self.state = State::Free;
        }
    }
}

impl Slots {
    /// For at most `count` tickets under way, the first of them after `last`.
    pub(crate) fn new(count: usize, last: CommitSeq) -> Self {
        let ring = (0..count.next_power_of_two()).map(|_| Mutex::default()).collect();
        Self { ring, oldest: Mutex::new(last.next()) }
    }

    /// Says how many slots are free again, counted from the oldest ticket on: what admission gets back.
    pub(crate) fn give_back(&self) -> usize {
        let mut oldest = self.oldest.lock();
        let mut count = 0;
        loop {
            let slot = self.slot(*oldest).lock();
            if slot.seq != *oldest || !matches!(slot.state, State::Free) {
                return count;
            }
            *oldest = oldest.next();
            count += 1;
        }
    }

    /// The session is through with its part.
    pub(crate) fn put_ready(&self, seq: CommitSeq, pending: Box<Pending>) {
        let mut slot = self.slot(seq).lock();
        assert!(matches!(slot.state, State::Free), "a ticket finds its slot free");
        (slot.seq, slot.swept, slot.abandoned) = (seq, false, false);
        slot.state = State::Ready(pending);
    }

    /// Takes a transaction that is ready and fulfils a condition.
    pub(crate) fn take_ready(
        &self,
        seq: CommitSeq,
        condition: impl Fn(&Pending) -> bool,
    ) -> Option<Box<Pending>> {
        let mut slot = self.slot(seq).lock();
        let current = slot.seq == seq;
        match std::mem::replace(&mut slot.state, State::Taken) {
            State::Ready(pending) if current && condition(&pending) => Some(pending),
            other => {
                slot.state = other;
                None
            }
        }
    }

    /// A transaction has met its demand. It becomes visible right after.
    pub(crate) fn put_done(&self, seq: CommitSeq, pending: Box<Pending>) {
        let mut slot = self.slot(seq).lock();
        assert!(matches!(slot.state, State::Taken), "only what was taken is done");
        slot.state = State::Done(pending);
    }

    /// The session collects what it handed over.
    pub(crate) fn collect(&self, seq: CommitSeq) -> Box<Pending> {
        let mut slot = self.slot(seq).lock();
        match std::mem::take(&mut slot.state) {
            State::Done(pending) => pending,
            other => unreachable!("a visible transaction is done, not {other:?}"),
        }
    }

    /// Registers a waker unless `is_visible`, asked under the slot's lock, says that there is nothing to wait for.
    /// Returns what it said.
    pub(crate) fn wait(&self, seq: CommitSeq, waker: &Waker, is_visible: impl FnOnce() -> bool) -> bool {
        let mut slot = self.slot(seq).lock();
        let visible = is_visible();
        if !visible && !slot.wakers.iter().any(|known| known.will_wake(waker)) {
            slot.wakers.push(waker.clone());
        }
        visible
    }

    /// The session has gone while the pipeline owned its commit.
    pub(crate) fn abandon(&self, seq: CommitSeq) {
        let mut slot = self.slot(seq).lock();
        assert_eq!(slot.seq, seq, "a slot is kept until it is collected or abandoned");
        slot.abandoned = true;
        slot.free_if_abandoned();
    }

    /// Wakes whoever waits for a transaction that is visible now, and frees its slot if its session has gone.
    pub(crate) fn sweep(&self, seq: CommitSeq) {
        let mut slot = self.slot(seq).lock();
        let wakers = std::mem::take(&mut slot.wakers);
        // The slot may have its next transaction already; that one's turn comes.
        if slot.seq == seq {
            slot.swept = true;
            slot.free_if_abandoned();
        }
        drop(slot);
        wakers.into_iter().for_each(Waker::wake);
    }

    fn slot(&self, seq: CommitSeq) -> &Mutex<Slot> {
        &self.ring[usize::try_from(seq.0 & (self.ring.len() as u64 - 1)).expect("below the ring's length")]
    }
}
