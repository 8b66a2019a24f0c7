//! The finisher: learns, turn by turn, what has become durable.

use std::sync::Arc;

use commit::Committing;
use replication::replica::Position;
use tokio::sync::mpsc;

use super::flow::Flow;
use crate::session::Shared;

/// Commits that may be under way in a run.
pub(super) const UNDER_WAY_MAX: usize = 1024;

/// A turn that has its place in the commit order.
#[derive(Debug)]
pub(super) struct Done {
    pub(super) turn: u64,
    /// `None` if it is durable already.
    pub(super) committing: Option<Committing>,
    pub(super) position: Position,
    /// When its group was made, seconds since 1970; 0 if that is not known.
    pub(super) timestamp: u32,
}

/// Waits for what workers have committed, in turn, until the last of them has gone.
pub(super) async fn finish(shared: Arc<Shared>, flow: Arc<Flow>, mut done: mpsc::Receiver<Done>) {
    while let Some(Done { turn, committing, position, timestamp }) = done.recv().await {
        if let Some(committing) = committing {
            let _ack = committing.await;
        }
        let mut state = shared.common.replica.state.lock();
        (state.applied, state.is_placed) = (position, true);
        while state.under_way.front().is_some_and(|(of, _)| *of <= turn) {
            state.under_way.pop_front();
        }
        if timestamp > 0 {
            state.groups += 1;
        }
        drop(state);
        shared.common.replica.progress.notify_one();
        flow.finish(turn);
    }
}
