//! Generations: snapshots of the base that can be taken away from their readers.
//!
//! `redb` copies the pages that it changes, and uses none again that a snapshot may still read. While an old generation
//! lives, the file therefore grows by all that is written, and no more than that: [`Generation::bytes_since`] is the
//! most that it can cost. [`Generation::expire`] gives its snapshot up at once, whoever still holds it.
//!
//! Whatever is read is copied. A reader that was lent pages would keep the snapshot for as long as it holds a row, and
//! a session that waits for its client holds one.

use std::ops::Bound;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use arc_swap::{ArcSwapOption, Guard};
use redb::ReadOnlyTable;

use super::backend::Shared;
use crate::EngineError;
use crate::delta::Version;
use crate::ids::{Change, CommitSeq, Key, Row};
use crate::scan::Direction;

/// Bytes of rows after which [`Generation::copy_range`] stops.
const COPIED_MAX: usize = 64 << 10;

type Data = ReadOnlyTable<&'static [u8], &'static [u8]>;

/// See the module.
pub struct Generation {
    /// `None` once it is expired.
    data: ArcSwapOption<Data>,
    /// Every transaction up to here is contained, and none after it.
    through: CommitSeq,
    /// Knows the bytes that were written to the base by now; and those when this was made.
    shared: Arc<Shared>,
    written_before: u64,
}

impl Generation {
    pub(super) fn new(data: Data, through: CommitSeq, shared: Arc<Shared>) -> Self {
        let written_before = shared.io.bytes_written.load(Ordering::Relaxed);
        Self { data: ArcSwapOption::from_pointee(data), through, shared, written_before }
    }

    /// Every transaction up to here is contained, and none after it.
    pub fn through(&self) -> CommitSeq {
        self.through
    }

    /// Bytes written to the base since this was made: what it can cost the file.
    pub fn bytes_since(&self) -> u64 {
        self.shared.io.bytes_written.load(Ordering::Relaxed) - self.written_before
    }

    /// Gives the snapshot up. Reads fail from now on.
    pub fn expire(&self) {
        self.data.store(None);
    }

    /// Whether reads fail.
    pub fn is_expired(&self) -> bool {
        self.data.load().is_none()
    }

    /// The row of a key.
    ///
    /// # Errors
    /// [`EngineError::SnapshotTooOld`] once it is expired.
    pub fn get(&self, key: &[u8]) -> Result<Option<Row>, EngineError> {
        let data = self.data.load();
        Ok(open(&data)?.get(key)?.map(|row| row.value().into()))
    }

    /// Appends up to `limit` keys of a range with their rows, and fewer if the rows are large. Returns the last key if
    /// there may be more.
    ///
    /// # Errors
    /// As [`Generation::get`].
    pub fn copy_range(
        &self,
        range: (Bound<&[u8]>, Bound<&[u8]>),
        direction: Direction,
        limit: usize,
        out: &mut Vec<(Key, Version)>,
    ) -> Result<Option<Key>, EngineError> {
        let data = self.data.load();
        let mut entries = open(&data)?.range::<&[u8]>(range)?;
        let mut copied = 0;
        for _ in 0..limit {
            let next = match direction {
                Direction::Forward => entries.next(),
                Direction::Backward => entries.next_back(),
            };
            let Some((key, row)) = next.transpose()? else { return Ok(None) };
            let row: Row = row.value().into();
            copied += row.len();
            out.push((key.value().into(), Version { seq: CommitSeq(0), change: Change::Put(row) }));
            if copied >= COPIED_MAX {
                break;
            }
        }
        Ok(out.last().map(|(key, _)| key.clone()))
    }
}

fn open(data: &Guard<Option<Arc<Data>>>) -> Result<&Data, EngineError> {
    data.as_deref().ok_or(EngineError::SnapshotTooOld)
}

impl std::fmt::Debug for Generation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Generation").field("through", &self.through).finish_non_exhaustive()
    }
}
