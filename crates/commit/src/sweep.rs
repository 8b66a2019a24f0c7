//! The sweep: one task of the runtime wakes everybody whose transaction became visible, so that the log threads wake
//! one task and not a thousand.

use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use engine::ids::CommitSeq;
use sync::Mutex;

use crate::Pipeline;
use crate::slots::Slots;

/// What is left to be swept.
#[derive(Debug)]
pub(crate) struct Sweep {
    /// Rank: last.
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    /// Everything up to here was woken.
    swept: CommitSeq,
    requested: bool,
    waker: Option<Waker>,
}

impl Sweep {
    pub(crate) fn new(swept: CommitSeq) -> Self {
        Self { state: Mutex::new(State { swept, requested: false, waker: None }) }
    }

    /// Has the task run.
    pub(crate) fn request(&self) {
        let waker = {
            let mut state = self.state.lock();
            state.requested = true;
            state.waker.take()
        };
        if let Some(waker) = waker {
            waker.wake();
        }
    }

    /// Ready once per request, or per several.
    pub(crate) fn poll_requested(&self, context: &Context<'_>) -> Poll<()> {
        let mut state = self.state.lock();
        if std::mem::take(&mut state.requested) {
            return Poll::Ready(());
        }
        state.waker = Some(context.waker().clone());
        Poll::Pending
    }

    /// Wakes everybody up to `visible` who was not woken yet. Called by one task at a time.
    pub(crate) fn run(&self, slots: &Slots, visible: CommitSeq) {
        let mut next = self.state.lock().swept.next();
        while next <= visible {
            slots.sweep(next);
            next = next.next();
        }
        self.state.lock().swept = visible;
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
            std::future::poll_fn(|context| self.sweep.poll_requested(context)).await;
            self.sweep();
        }
    }
}
