//! What the receiver, the applier and each worker have at hand, and had last: `performance_schema` shows it.

use binlog::Gtid;
use parking_lot::Mutex;
use replication::replica::Head;

use super::Failure;

/// A transaction of the source on its way here. Times are microseconds since 1970; 0: not known, or not yet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Passing {
    /// `None`: it has none.
    pub(super) gtid: Option<Gtid>,
    /// When it was committed where it ran first.
    pub(super) original_us: u64,
    /// When it was committed on the source.
    pub(super) immediate_us: u64,
    pub(super) began_us: u64,
    pub(super) ended_us: u64,
}

/// See the module.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Progress {
    pub(super) at_hand: Option<Passing>,
    pub(super) last: Option<Passing>,
}

impl Progress {
    /// A transaction begins.
    pub(super) fn begin(&mut self, head: &Head) {
        self.at_hand = Some(Passing {
            gtid: head.gtid,
            original_us: head.original_commit_timestamp_us,
            immediate_us: head.immediate_commit_timestamp_us,
            began_us: crate::clock::unix_us(),
            ended_us: 0,
        });
    }

    /// The transaction at hand, if there is one, has passed.
    pub(super) fn end(&mut self) {
        if let Some(passing) = self.at_hand.take() {
            self.last = Some(Passing { ended_us: crate::clock::unix_us(), ..passing });
        }
    }
}

/// What a worker shows.
#[derive(Debug, Default)]
pub(super) struct WorkerSeen {
    /// Rank: last.
    pub(super) progress: Mutex<Progress>,
    /// Why it has stopped. Rank: last.
    pub(super) failure: Mutex<Option<Failure>>,
}
