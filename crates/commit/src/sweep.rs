//! The sweep: one task of the runtime wakes everybody whose transaction became visible, so that the log threads wake
//! one task and not a thousand.

use std::sync::Arc;

use engine::ids::CommitSeq;
use sync::Mutex;

use crate::Pipeline;
use crate::signal::Signal;
use crate::slots::Slots;

/// What is left to be swept.
#[derive(Debug)]
pub(crate) struct Sweep {
    /// Requests the task.
    pub(crate) signal: Signal,
    /// Everything up to here was woken. Rank: last.
    swept: Mutex<CommitSeq>,
}

impl Sweep {
    pub(crate) fn new(swept: CommitSeq) -> Self {
        Self { signal: Signal::default(), swept: Mutex::new(swept) }
    }

    /// Wakes everybody up to `visible` who was not woken yet. Called by one task at a time.
    pub(crate) fn run(&self, slots: &Slots, visible: CommitSeq) {
        let mut next = self.swept.lock().next();
        while next <= visible {
            slots.sweep(next);
            next = next.next();
        }
        *self.swept.lock() = visible;
    }
}

impl Pipeline {
    /// Wakes everybody who waits for what is visible now. Called by one task at a time.
    pub fn sweep(&self) {
        self.sweep.run(&self.slots, self.published.visible());
        self.give_slots_back();
    }

    /// Sweeps whenever something became visible; for the runtime's one sweeping task. Never ends.
    pub async fn sweep_forever(self: Arc<Self>) {
        loop {
            self.sweep.signal.requested().await;
            self.sweep();
        }
    }
}
