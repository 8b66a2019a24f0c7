//! A run: the write set of one large transaction, attached to a delta as one piece.
//!
//! A write set is applied between a ticket and the hand-over to the pipeline, and everybody with a later ticket waits for
//! that. Putting hundreds of thousands of keys into the delta's maps would take a good part of a second; attaching the
//! sorted map that the transaction has built anyway takes the same time whatever its size. Readers look into runs
//! beside the maps, and a checkpoint carries both into the base.

use std::collections::BTreeMap;
use std::ops::Bound;

use crate::delta::{Version, copy_limited};
use crate::ids::{Change, CommitSeq, Key};
use crate::scan::Direction;

/// Write sets with more keys than this are attached as runs.
pub const APPLY_KEYS_MAX: usize = 4000;

/// See the module.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) seq: CommitSeq,
    pub(crate) changes: BTreeMap<Key, Change>,
}

impl Run {
    /// What the transaction made of a key.
    pub(crate) fn get(&self, key: &[u8]) -> Option<Version> {
        self.changes.get(key).map(|change| self.version(change))
    }

    /// As [`crate::delta::Delta::copy_range`], of a run that the reader sees.
    pub(crate) fn copy_range(
        &self,
        range: (Bound<&[u8]>, Bound<&[u8]>),
        direction: Direction,
        limit: usize,
        out: &mut Vec<(Key, Version)>,
    ) -> Option<Key> {
        copy_limited(self.changes.range::<[u8], _>(range), direction, limit, |key, change| {
            out.push((key.clone(), self.version(change)));
        })
    }

    fn version(&self, change: &Change) -> Version {
        Version { seq: self.seq, change: change.clone() }
    }
}
