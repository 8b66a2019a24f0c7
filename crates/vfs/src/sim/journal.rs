//! What happened on a disk, kept so that power can be lost at each step of it afterwards.

use std::fmt;
use std::sync::Arc;

use super::effect::{Effect, OpKind};
use super::state::State;

/// The operations of a disk from one moment to another, with the disk as it was at the first. Cheap to clone.
///
/// Made by [`SimDisk::start_journal`](super::SimDisk::start_journal) and
/// [`SimDisk::stop_journal`](super::SimDisk::stop_journal); used by [`Replay`](super::Replay).
#[derive(Clone)]
pub struct Journal {
    pub(super) base: State,
    pub(super) records: Arc<[Record]>,
}

/// One operation of a journal.
#[derive(Clone)]
pub struct Record {
    pub(super) kind: OpKind,
    pub(super) path: Arc<str>,
    pub(super) effect: Effect,
    pub(super) seen: u64,
}

impl Journal {
    /// The number of the last operation before the journal: where a replay begins.
    pub fn first_op(&self) -> u64 {
        self.base.ops
    }

    /// The number of the last operation in the journal: where a replay ends.
    pub fn last_op(&self) -> u64 {
        self.base.ops + self.records.len() as u64
    }

    /// Operation number `op`, if it is in the journal.
    pub fn record(&self, op: u64) -> Option<&Record> {
        let index = op.checked_sub(self.first_op() + 1)?;
        self.records.get(usize::try_from(index).ok()?)
    }
}

impl Record {
    /// What was asked for.
    pub fn kind(&self) -> OpKind {
        self.kind
    }

    /// The file or directory: the name under which it was opened.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// What whoever watches the disk saw just before: see [`SimDisk::watch`](super::SimDisk::watch); 0 without one.
    pub fn seen(&self) -> u64 {
        self.seen
    }

    /// Bytes that were really written.
    pub fn byte_count(&self) -> usize {
        self.effect.byte_count()
    }
}

impl fmt::Debug for Journal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Journal")
            .field("first_op", &self.first_op())
            .field("last_op", &self.last_op())
            .finish()
    }
}

impl fmt::Debug for Record {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} {} ({} bytes)", self.kind, self.path, self.byte_count())
    }
}
