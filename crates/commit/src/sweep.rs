//! The sweep: one task of the runtime wakes everybody whose transaction became visible, so that the log threads wake
//! one task and not a thousand. Large groups it shares with others: whom it wakes may send an answer there and then.

use std::sync::Arc;

use engine::ids::CommitSeq;
use sync::Mutex;

use crate::Pipeline;
use crate::signal::Signal;
use crate::slots::Slots;

/// Transactions that one task wakes the sessions of.
const PART: u64 = 64;

/// What is left to be swept.
#[derive(Debug)]
pub(crate) struct Sweep {
    /// Requests the task.
    pub(crate) signal: Signal,
    /// Everything up to here was woken, or is about to be. Rank: last.
    swept: Mutex<CommitSeq>,
}

impl Sweep {
    pub(crate) fn new(swept: CommitSeq) -> Self {
        Self { signal: Signal::default(), swept: Mutex::new(swept) }
    }

    /// Those up to `visible` whom nobody has woken yet. Called by one task at a time.
    pub(crate) fn take(&self, visible: CommitSeq) -> SweepPart {
        let swept = std::mem::replace(&mut *self.swept.lock(), visible);
        SweepPart { next: swept.next(), last: visible }
    }
}

/// Transactions that became visible, whose sessions are to be woken.
#[derive(Debug)]
#[must_use = "nobody else wakes them"]
pub struct SweepPart {
    next: CommitSeq,
    last: CommitSeq,
}

impl SweepPart {
    /// Takes so many from its front, unless that would be all.
    fn split(&mut self, count: u64) -> Option<Self> {
        let last = CommitSeq(self.next.0 + count - 1);
        (last < self.last).then(|| Self { next: std::mem::replace(&mut self.next, last.next()), last })
    }

    /// Wakes them.
    pub(crate) fn run(mut self, slots: &Slots) {
        while self.next <= self.last {
            slots.sweep(self.next);
            self.next = self.next.next();
        }
    }
}

impl Pipeline {
    /// Wakes everybody who waits for what is visible now.
    pub fn sweep(&self) {
        self.sweep_part(self.sweep.take(self.published.visible()));
    }

    /// Wakes everybody who waits for these.
    pub fn sweep_part(&self, part: SweepPart) {
        part.run(&self.slots);
        self.give_slots_back();
    }

    /// Sweeps whenever something became visible; for the runtime's one sweeping task. `spawn` makes tasks that call
    /// [`Pipeline::sweep_part`], for all of a large group but its end. Never ends.
    pub async fn sweep_forever(self: Arc<Self>, spawn: impl Fn(SweepPart)) {
        loop {
            self.sweep.signal.requested().await;
            let mut rest = self.sweep.take(self.published.visible());
            while let Some(part) = rest.split(PART) {
                spawn(part);
            }
            self.sweep_part(rest);
        }
    }
}
