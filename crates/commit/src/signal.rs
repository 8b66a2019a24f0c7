//! A request to the one task that serves it.

use std::future::poll_fn;
use std::task::{Context, Poll, Waker};

use sync::Mutex;

/// See the module.
#[derive(Debug, Default)]
pub(crate) struct Signal {
    /// Rank: last.
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    requested: bool,
    waker: Option<Waker>,
}

impl Signal {
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

    /// Resolves when there was a request.
    pub(crate) async fn requested(&self) {
        poll_fn(|context| self.poll_requested(context)).await;
    }
}
