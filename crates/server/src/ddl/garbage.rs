//! Removes the data of tables and indexes that are no more, slice by slice: whoever waits for a checkpoint does not wait for the
//! rest of a large table.
//!
//! Not before a checkpoint has passed the transaction that dropped them: until then the delta may hold rows of theirs
//! that the checkpoint is going to put into the base. What an earlier server run has left behind, builds that never
//! committed included, is found by comparing the base with the catalog after this run's first checkpoint.

use engine::EngineError;
use engine::base::WhenFull;
use engine::build::orphans;
use engine::catalog::Catalog;
use engine::ids::{CommitSeq, IndexId};

use super::Schema;

/// Keys removed in one atomic commit.
const SLICE_REMOVED: usize = 8192;

/// What waits to be removed.
#[derive(Debug, Default)]
pub(super) struct Dropped {
    by_seq: Vec<(CommitSeq, Vec<IndexId>)>,
    /// Those that a checkpoint has passed.
    due: Vec<IndexId>,
    /// Earlier runs' leftovers were looked for.
    looked_back: bool,
}

impl Dropped {
    /// Indexes that a transaction has dropped.
    pub(super) fn add(&mut self, seq: CommitSeq, indexes: Vec<IndexId>) {
        if !indexes.is_empty() {
            self.by_seq.push((seq, indexes));
        }
    }

    fn pass(&mut self, through: CommitSeq) {
        let passed = self.by_seq.extract_if(.., |(seq, _)| *seq <= through);
        self.due.extend(passed.flat_map(|(_, indexes)| indexes));
    }
}

impl Schema {
    /// Notes what may be removed now that a checkpoint has covered everything up to `through`. `before` is the catalog as it
    /// was before the checkpoint was carried: what it lacks was dropped durably.
    pub fn note_checkpoint(&self, through: CommitSeq, before: &Catalog) -> Result<(), EngineError> {
        let mut dropped = self.dropped.lock();
        dropped.pass(through);
        if !std::mem::replace(&mut dropped.looked_back, true) {
            let left = orphans(&self.base, before)?;
            dropped.due.extend(left.into_iter().filter(|index| *index < self.first_of_run));
        }
        Ok(())
    }

    /// Removes a slice of what may be removed. Returns whether any is left. Blocks; for one thread.
    pub fn collect_garbage(&self, when_full: WhenFull) -> Result<bool, EngineError> {
        let mut due = std::mem::take(&mut self.dropped.lock().due);
        if !due.is_empty() {
            self.base.empty_indexes(&mut due, SLICE_REMOVED, when_full)?;
        }
        let mut dropped = self.dropped.lock();
        dropped.due.append(&mut due);
        Ok(!dropped.due.is_empty())
    }
}
