//! Room on the disk for all logs.
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
    ballast: Arc<Ballast>,
    /// Where redo and the binlog's files are.
    logs: Place,
    /// Where the binlog store is: perhaps on a device of its own.
    store: Place,
}

/// A directory that transactions add bytes to.
#[derive(Debug)]
struct Place {
    dir: PathBuf,
    /// Bytes that are left alone: the log's next segment.
    margin: u64,
    /// Bytes that may be let in before the file system is asked again. Relaxed, as is `taken`: an estimate.
    budget: AtomicU64,
    /// Bytes of transactions that were let in and are not written yet.
    taken: Arc<AtomicU64>,
}

/// What a transaction has taken; given back when this is dropped, because it is written or never will be.
#[derive(Debug)]
pub(crate) struct Taken {
    _logs: Part,
    _store: Option<Part>,
}

#[derive(Debug)]
struct Part {
    taken: Arc<AtomicU64>,
    bytes: u64,
}

impl Drop for Part {
    fn drop(&mut self) {
        self.taken.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

impl Room {
    /// For logs and a store in these directories; `margin` bytes are left alone in each.
    pub(crate) fn new(
        vfs: Arc<dyn Vfs>,
        logs: PathBuf,
        store: PathBuf,
        ballast: Arc<Ballast>,
        margin: u64,
    ) -> Self {
        let place = |dir| Place { dir, margin, budget: AtomicU64::new(0), taken: Arc::default() };
        Self { vfs, ballast, logs: place(logs), store: place(store) }
    }

    /// Whether the disk was full, and the ballast was not restored since.
    pub fn is_spent(&self) -> bool {
        self.ballast.is_spent()
    }

    /// Lets a transaction in that adds so many bytes to the logs, and so many to the store.
    ///
    /// # Errors
    /// [`CommitError::DiskFull`] if there is no room for it.
    pub(crate) fn take(&self, bytes: u64, store_bytes: u64) -> Result<Taken, CommitError> {
        if self.is_spent() {
            return Err(CommitError::DiskFull);
        }
        let logs = self.logs.take(&*self.vfs, bytes)?;
        let store = (store_bytes > 0).then(|| self.store.take(&*self.vfs, store_bytes)).transpose()?;
        Ok(Taken { _logs: logs, _store: store })
    }
}

impl Place {
    fn take(&self, vfs: &dyn Vfs, bytes: u64) -> Result<Part, CommitError> {
        let bytes = bytes + OVERHEAD;
        let left = |budget: u64| budget.checked_sub(bytes);
        if self.budget.fetch_update(Ordering::Relaxed, Ordering::Relaxed, left).is_err() {
            // What cannot be asked is tried.
            let free = vfs.free_bytes(&self.dir).unwrap_or(u64::MAX);
            let needed = self.taken.load(Ordering::Relaxed) + self.margin + bytes;
            let spare = free.checked_sub(needed).ok_or(CommitError::DiskFull)?;
            self.budget.store((spare / 2).min(BUDGET_MAX), Ordering::Relaxed);
        }
        self.taken.fetch_add(bytes, Ordering::Relaxed);
        Ok(Part { taken: Arc::clone(&self.taken), bytes })
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
        let room = Room::new(vfs, "/".into(), "/".into(), ballast, 1 << 20);
        disk.set_capacity(4096 + (3 << 20));
        let first = room.take(1 << 20, 0).unwrap();
        assert!(room.take(1 << 20, 0).is_err(), "the first is not written yet");
        let small = room.take(1 << 10, 0).unwrap();
        drop((first, small));
        drop(room.take(1 << 20, 0).unwrap());
        assert!(room.take(1 << 10, 3 << 20).is_err(), "the store has no room");
        disk.set_capacity(1 << 40);
        let many: Vec<_> = (0..100).map(|_| room.take(1 << 20, 0).unwrap()).collect();
        drop(many);
        drop(room.take(1 << 20, 1 << 20).unwrap());
        assert_eq!(room.logs.taken.load(Ordering::Relaxed), 0);
        assert_eq!(room.store.taken.load(Ordering::Relaxed), 0);
    }
}
