//! Room on the disk for both logs.
//!
//! A transaction that has a ticket must be written, so room is asked for before: the file system is asked once for many
//! transactions, which then share half of what it said. What others take meanwhile the ballast covers; once that is
//! spent, nothing new is let in until it is restored.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use vfs::{Ballast, Vfs};

use crate::CommitError;

/// The file system is asked again after so many bytes at the latest.
const BUDGET_MAX: u64 = 16 << 20;

/// What a transaction takes beside its events and its write set: headers, the padding of blocks.
const OVERHEAD: u64 = 8192;

/// See the module.
#[derive(Debug)]
pub struct Room {
    vfs: Arc<dyn Vfs>,
    dir: PathBuf,
    ballast: Arc<Ballast>,
    /// Bytes that are left alone: the redo log's next segment.
    margin: u64,
    /// Bytes that may be let in before the file system is asked again. Relaxed, as is `taken`: an estimate.
    budget: AtomicU64,
    /// Bytes of transactions that were let in and are not written yet.
    taken: Arc<AtomicU64>,
}

/// Bytes that a transaction has taken; given back when this is dropped, because they are written or never will be.
#[derive(Debug)]
pub(crate) struct Taken {
    taken: Arc<AtomicU64>,
    bytes: u64,
}

impl Drop for Taken {
    fn drop(&mut self) {
        self.taken.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

impl Room {
    pub(crate) fn new(vfs: Arc<dyn Vfs>, dir: PathBuf, ballast: Arc<Ballast>, margin: u64) -> Self {
        Self { vfs, dir, ballast, margin, budget: AtomicU64::new(0), taken: Arc::default() }
    }

    /// Whether the disk was full, and the ballast was not restored since.
    pub fn is_spent(&self) -> bool {
        self.ballast.is_spent()
    }

    /// Lets a transaction in that adds so many bytes to the logs.
    ///
    /// # Errors
    /// [`CommitError::DiskFull`] if there is no room for it.
    pub(crate) fn take(&self, bytes: u64) -> Result<Taken, CommitError> {
        if self.is_spent() {
            return Err(CommitError::DiskFull);
        }
        let bytes = bytes + OVERHEAD;
        let left = |budget: u64| budget.checked_sub(bytes);
        if self.budget.fetch_update(Ordering::Relaxed, Ordering::Relaxed, left).is_err() {
            // What cannot be asked is tried.
            let free = self.vfs.free_bytes(&self.dir).unwrap_or(u64::MAX);
            let needed = self.taken.load(Ordering::Relaxed) + self.margin + bytes;
            let spare = free.checked_sub(needed).ok_or(CommitError::DiskFull)?;
            self.budget.store((spare / 2).min(BUDGET_MAX), Ordering::Relaxed);
        }
        self.taken.fetch_add(bytes, Ordering::Relaxed);
        Ok(Taken { taken: Arc::clone(&self.taken), bytes })
    }
}

#[cfg(test)]
mod tests {
    use vfs::sim::SimDisk;

    use super::*;

    #[test]
    fn nothing_is_let_in_that_has_no_room() {
        let disk = SimDisk::new();
        let vfs: Arc<dyn Vfs> = Arc::new(disk.clone());
        let ballast = Arc::new(Ballast::open(Arc::clone(&vfs), "/ballast".into(), 4096).unwrap());
        let room = Room::new(vfs, "/".into(), ballast, 1 << 20);
        disk.set_capacity(4096 + (3 << 20));
        let first = room.take(1 << 20).unwrap();
        assert!(room.take(1 << 20).is_err(), "the first is not written yet");
        let small = room.take(1 << 10).unwrap();
        drop((first, small));
        drop(room.take(1 << 20).unwrap());
        disk.set_capacity(1 << 40);
        let many: Vec<_> = (0..100).map(|_| room.take(1 << 20).unwrap()).collect();
        drop(many);
        assert_eq!(room.taken.load(Ordering::Relaxed), 0);
    }
}
