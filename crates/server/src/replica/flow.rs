//! How the tasks of one run know of each other: turns, the first failure, and that it is over.

use std::sync::Arc;

use tokio::sync::watch;
use types::error::SqlError;

/// See the module.
#[derive(Debug, Default)]
pub(super) struct Flow {
    /// The last turn that has its place in the commit order.
    committed: watch::Sender<u64>,
    /// The last turn that is durable.
    finished: watch::Sender<u64>,
    /// The first group in order that could not be applied.
    failed: watch::Sender<Option<SqlError>>,
    /// What is not committed is to be forgotten.
    cancelled: watch::Sender<bool>,
}

/// Why a worker ends.
#[derive(Debug)]
pub(super) enum Stop {
    /// It is told to.
    Cancelled,
    /// Its group cannot be applied.
    Failed(SqlError),
}

impl From<SqlError> for Stop {
    fn from(error: SqlError) -> Self {
        Self::Failed(error)
    }
}

impl Flow {
    pub(super) fn new() -> Arc<Self> {
        Arc::default()
    }

    pub(super) fn committed(&self) -> u64 {
        *self.committed.borrow()
    }

    pub(super) fn commit(&self, turn: u64) {
        self.committed.send_replace(turn);
    }

    pub(super) fn finish(&self, turn: u64) {
        self.finished.send_replace(turn);
    }

    /// Resolves when everything up to a turn has its place.
    pub(super) async fn wait_committed(&self, turn: u64) -> Result<(), Stop> {
        self.wait(&self.committed, turn).await
    }

    /// Resolves when everything up to a turn is durable.
    pub(super) async fn wait_finished(&self, turn: u64) -> Result<(), Stop> {
        self.wait(&self.finished, turn).await
    }

    async fn wait(&self, watched: &watch::Sender<u64>, turn: u64) -> Result<(), Stop> {
        if *watched.borrow() >= turn {
            return Ok(());
        }
        let mut watched = watched.subscribe();
        tokio::select! {
            biased;
            _ = watched.wait_for(|now| *now >= turn) => Ok(()),
            () = self.cancelled() => Err(Stop::Cancelled),
        }
    }

    /// Notes a failure, unless there is one.
    pub(super) fn fail(&self, error: SqlError) {
        self.failed.send_if_modified(|failed| {
            let is_first = failed.is_none();
            if is_first {
                *failed = Some(error);
            }
            is_first
        });
    }

    pub(super) fn failure(&self) -> Option<SqlError> {
        self.failed.borrow().clone()
    }

    /// Resolves with the first failure.
    pub(super) async fn failed(&self) {
        let _ = self.failed.subscribe().wait_for(Option::is_some).await;
    }

    pub(super) fn cancel(&self) {
        self.cancelled.send_replace(true);
    }

    /// Resolves when everything is over.
    pub(super) async fn cancelled(&self) {
        let _ = self.cancelled.subscribe().wait_for(|cancelled| *cancelled).await;
    }

    pub(super) fn is_cancelled(&self) -> bool {
        *self.cancelled.borrow()
    }
}

#[cfg(test)]
mod tests {
    use types::error::table::{ER_DUP_ENTRY, ER_KEY_NOT_FOUND};

    use super::*;

    #[tokio::test]
    async fn turns_are_waited_for_and_a_cancel_ends_every_wait() {
        let flow = Flow::new();
        flow.wait_committed(0).await.unwrap();
        let waiting = tokio::spawn({
            let flow = Arc::clone(&flow);
            async move { (flow.wait_committed(2).await, flow.wait_finished(2).await) }
        });
        flow.commit(1);
        flow.commit(2);
        flow.cancel();
        let (committed, finished) = waiting.await.unwrap();
        assert!(matches!((committed, finished), (Ok(()) | Err(Stop::Cancelled), Err(Stop::Cancelled))));
        assert!(flow.is_cancelled());
    }

    #[tokio::test]
    async fn the_first_failure_counts() {
        let flow = Flow::new();
        flow.fail(ER_KEY_NOT_FOUND.error(&[&"t"]));
        flow.fail(ER_DUP_ENTRY.error(&[&"1", &"t.PRIMARY"]));
        flow.failed().await;
        assert_eq!(flow.failure().map(|error| error.code), Some(1032));
    }
}
