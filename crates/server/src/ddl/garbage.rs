//! Removes the data of tables and indexes that are no more.
//!
//! Not before a checkpoint has passed the transaction that dropped them: until then the delta may hold rows of theirs
//! that the checkpoint is going to put into the base. What an earlier server run has left behind, builds that never
//! committed included, is found by comparing the base with the catalog after this run's first checkpoint.

use engine::EngineError;
use engine::build::{empty_indexes, orphans};
use engine::catalog::Catalog;
use engine::ids::{CommitSeq, IndexId};

use super::Schema;

/// What waits to be removed.
#[derive(Debug, Default)]
pub(super) struct Dropped {
    by_seq: Vec<(CommitSeq, Vec<IndexId>)>,
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

    fn take_through(&mut self, through: CommitSeq) -> Vec<IndexId> {
        let due = self.by_seq.extract_if(.., |(seq, _)| *seq <= through);
        due.flat_map(|(_, indexes)| indexes).collect()
    }
}

impl Schema {
    /// Removes what may be removed now that a checkpoint has covered everything up to `through`. `before` is the catalog as
    /// it was before the checkpoint was carried: what it lacks was dropped durably. Blocks; `pace` is called between slices.
    pub fn collect_garbage(
        &self,
        through: CommitSeq,
        before: &Catalog,
        mut pace: impl FnMut(),
    ) -> Result<(), EngineError> {
        let (mut indexes, look_back) = {
            let mut dropped = self.dropped.lock();
            (dropped.take_through(through), !std::mem::replace(&mut dropped.looked_back, true))
        };
        if look_back {
            let left = orphans(&self.base, before)?;
            indexes.extend(left.into_iter().filter(|index| *index < self.first_of_run));
        }
        empty_indexes(&self.base, &indexes, &mut pace)
    }
}
