//! Waiting for a lock.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use super::LockTable;
use super::entry::Request;

/// Resolves when the lock is held. Dropped before that, it withdraws the request, also if the lock was granted
/// in the same moment.
#[derive(Debug)]
#[must_use = "a lock is held only once its wait has resolved"]
pub struct LockWait {
    table: Arc<LockTable>,
    request: Arc<Request>,
    resolved: bool,
}

impl LockWait {
    pub(super) fn new(table: Arc<LockTable>, request: Arc<Request>) -> Self {
        Self { table, request, resolved: false }
    }

    /// Whether the lock was granted already.
    pub fn is_granted(&self) -> bool {
        self.request.is_granted()
    }
}

impl Future for LockWait {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        if self.request.poll(context.waker()) {
            self.resolved = true;
            return Poll::Ready(());
        }
        Poll::Pending
    }
}

impl Drop for LockWait {
    fn drop(&mut self) {
        if !self.resolved {
            self.table.withdraw(&self.request);
        }
    }
}
