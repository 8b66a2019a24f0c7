//! Room on the disk for all logs.
//!
//! A transaction that has a ticket must be written, so room is asked for before: the file system is asked once for many
//! transactions, which then share half of what it said. What others take meanwhile the ballast covers; once that is
//! spent, nothing new is let in until it is restored; nor while a checkpoint waits for room.
//!
//! Each log is asked about where it is: the binlog's files and the binlog store may be on devices of their own, where there is
//! no ballast. Where they are not, events are counted twice. The store's own segments that hold nothing needed are room for it, and
//! whoever finds none asks for a checkpoint, which makes such segments.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use redo::RedoLog;
use vfs::{Ballast, Vfs};

use crate::CommitError;

/// The file system is asked again after so many bytes at the latest.
const BUDGET_MAX: u64 = 16 << 20;

/// Where the binlog's files are this is left alone: a ROTATE event and the first bytes of two files, with all GTIDs, and an
/// index; so PURGE and the next start find room, and FLUSH, which may take half of it.
const BINLOG_MARGIN: u64 = 1 << 20;

/// What a transaction takes beside its events and its write set: headers, the padding of blocks.
const OVERHEAD: u64 = 8192;

/// See the module.
#[derive(Debug)]
pub struct Room {
    vfs: Arc<dyn Vfs>,
    ballast: Arc<Ballast>,
    /// Where redo is, and perhaps the others; where the binlog's files are; where the binlog store is, perhaps on a device of
    /// its own.
    places: [Place; 3],
    /// Bytes of transactions that were let in and are not written yet.
    taken: Arc<Counters>,
    /// A checkpoint would make room in the store. Relaxed: whoever looks comes again.
    is_short: AtomicBool,
}

/// Of each place. Relaxed, as are the budgets: estimates.
type Counters = [AtomicU64; 3];

/// The places.
const REDO: usize = 0;
const BINLOG: usize = 1;
const STORE: usize = 2;

/// A directory that transactions add bytes to.
#[derive(Debug)]
struct Place {
    dir: PathBuf,
    /// Bytes that are left alone: redo's or the store's next segment, or what begins the binlog's next files.
    margin: u64,
    /// Bytes that may be let in before the file system is asked again.
    budget: AtomicU64,
}

/// What a transaction has taken; given back when this is dropped, because it is written or never will be.
#[derive(Debug)]
pub(crate) struct Taken {
    counters: Arc<Counters>,
    bytes: [u64; 3],
}

/// Bytes that a transaction adds where the logs are.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Bytes {
    /// To redo, and to what may be on the same device.
    pub(crate) redo: u64,
    /// To the binlog's files.
    pub(crate) binlog: u64,
    /// To the binlog store.
    pub(crate) store: u64,
}

/// Directories of the logs.
#[derive(Clone, Debug)]
pub(crate) struct Dirs {
    pub(crate) redo: PathBuf,
    /// Anywhere, if there is none.
    pub(crate) binlog: PathBuf,
    pub(crate) store: PathBuf,
}

impl Taken {
    /// Takes over what another one has taken.
    pub(crate) fn absorb(&mut self, mut other: Self) {
        for (own, other) in self.bytes.iter_mut().zip(&mut other.bytes) {
            *own += std::mem::take(other);
        }
    }

    fn add(&mut self, place: usize, bytes: u64) {
        self.counters[place].fetch_add(bytes, Ordering::Relaxed);
        self.bytes[place] += bytes;
    }
}

impl Drop for Taken {
    fn drop(&mut self) {
        for (counter, bytes) in self.counters.iter().zip(self.bytes).filter(|(_, bytes)| *bytes > 0) {
            counter.fetch_sub(bytes, Ordering::Relaxed);
        }
    }
}

impl Room {
    /// For logs in these directories; `segment` bytes are left alone in each that has segments.
    pub(crate) fn new(vfs: Arc<dyn Vfs>, dirs: Dirs, ballast: Arc<Ballast>, segment: u64) -> Self {
        let place = |dir, margin| Place { dir, margin, budget: AtomicU64::new(0) };
        let places =
            [place(dirs.redo, segment), place(dirs.binlog, BINLOG_MARGIN), place(dirs.store, segment)];
        Self { vfs, ballast, places, taken: Arc::default(), is_short: AtomicBool::new(false) }
    }

    /// Whether the disk is full, as far as anybody knows: nothing is let in then.
    pub fn disk_is_full(&self) -> bool {
        self.ballast.disk_is_full()
    }

    /// Whether the next commit that is logged would find no room, however small it is.
    pub(crate) fn is_full(&self, has_binlog: bool, store: Option<&RedoLog>) -> bool {
        let full = |place: usize, ready: u64| {
            self.spare(place, OVERHEAD, self.places[place].margin, &|| ready).is_none()
        };
        self.disk_is_full()
            || full(REDO, 0)
            || has_binlog && full(BINLOG, 0)
            || store.is_some_and(|log| full(STORE, log.ready_bytes()))
    }

    /// Whether a checkpoint is wanted because the store has no room.
    pub fn is_short(&self) -> bool {
        self.is_short.load(Ordering::Relaxed)
    }

    /// Whether redo has three quarters of what its device could hold: a checkpoint makes room before commits are refused.
    pub(crate) fn is_short_for(&self, redo: &RedoLog) -> bool {
        let (live, ready) = (redo.live_bytes(), redo.ready_bytes());
        let free = self.vfs.free_bytes(&self.places[REDO].dir).unwrap_or(u64::MAX);
        // One segment is always in use.
        live > redo.segment_size() && live / 3 > free.saturating_add(ready)
    }

    /// A checkpoint begins: what is refused from here on asks for the next one.
    pub(crate) fn checkpoint_begins(&self) {
        self.is_short.store(false, Ordering::Relaxed);
    }

    /// Lets a transaction in that adds so many bytes; `store` is the binlog store, if there is one.
    ///
    /// # Errors
    /// [`CommitError::DiskFull`] if there is no room for it.
    pub(crate) fn take(&self, bytes: Bytes, store: Option<&RedoLog>) -> Result<Taken, CommitError> {
        if self.disk_is_full() {
            return Err(CommitError::DiskFull);
        }
        let mut taken = self.nothing_taken();
        self.let_in(&mut taken, REDO, bytes.redo, &|| 0)?;
        if bytes.binlog > 0 {
            self.let_in(&mut taken, BINLOG, bytes.binlog, &|| 0)?;
        }
        if bytes.store > 0
            && let Err(error) =
                self.let_in(&mut taken, STORE, bytes.store, &|| store.map_or(0, RedoLog::ready_bytes))
        {
            // One segment is always in use.
            if store.is_some_and(|log| log.live_bytes() > log.segment_size()) {
                self.is_short.store(true, Ordering::Relaxed);
            }
            return Err(error);
        }
        Ok(taken)
    }

    /// Lets a new binlog file in that begins with so many bytes, as [`Room::take`] does a transaction.
    pub(crate) fn take_file(&self, bytes: u64) -> Result<Taken, CommitError> {
        let mut taken = self.nothing_taken();
        self.let_in(&mut taken, REDO, bytes, &|| 0)?;
        // Of the margin only a part is left alone: others are not let in for that.
        let bytes = bytes + OVERHEAD;
        let margin = self.places[BINLOG].margin / 2;
        self.spare(BINLOG, bytes, margin, &|| 0).ok_or(CommitError::DiskFull)?;
        taken.add(BINLOG, bytes);
        Ok(taken)
    }

    fn nothing_taken(&self) -> Taken {
        Taken { counters: Arc::clone(&self.taken), bytes: [0; 3] }
    }

    /// `ready` says how many bytes there are that the file system does not call free.
    fn let_in(
        &self,
        taken: &mut Taken,
        place: usize,
        bytes: u64,
        ready: &dyn Fn() -> u64,
    ) -> Result<(), CommitError> {
        let bytes = bytes + OVERHEAD;
        let Place { margin, budget, .. } = &self.places[place];
        let left = |budget: u64| budget.checked_sub(bytes);
        if budget.fetch_update(Ordering::Relaxed, Ordering::Relaxed, left).is_err() {
            let spare = self.spare(place, bytes, *margin, ready).ok_or(CommitError::DiskFull)?;
            budget.store((spare / 2).min(BUDGET_MAX), Ordering::Relaxed);
        }
        taken.add(place, bytes);
        Ok(())
    }

    /// What is left in a place beside so many bytes and the margin; `None` if these have no room.
    fn spare(&self, place: usize, bytes: u64, margin: u64, ready: &dyn Fn() -> u64) -> Option<u64> {
        // What cannot be asked is tried.
        let free = self.vfs.free_bytes(&self.places[place].dir).unwrap_or(u64::MAX);
        let needed = self.taken[place].load(Ordering::Relaxed) + margin + bytes;
        free.saturating_add(ready()).checked_sub(needed)
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
        let ballast = Arc::new(Ballast::open(&vfs, "/ballast".into(), 4096).unwrap());
        let dirs = Dirs { redo: "/".into(), binlog: "/".into(), store: "/".into() };
        let room = Room::new(vfs, dirs, ballast, 1 << 20);
        let take = |redo, store| room.take(Bytes { redo, store, ..Bytes::default() }, None);
        disk.set_capacity(4096 + (3 << 20));
        let first = take(1 << 20, 0).unwrap();
        assert!(take(1 << 20, 0).is_err(), "the first is not written yet");
        let small = take(1 << 10, 0).unwrap();
        drop((first, small));
        drop(take(1 << 20, 0).unwrap());
        assert!(take(1 << 10, 3 << 20).is_err(), "the store has no room");
        disk.set_capacity(1 << 40);
        let many: Vec<_> = (0..100).map(|_| take(1 << 20, 0).unwrap()).collect();
        drop(many);
        drop(take(1 << 20, 1 << 20).unwrap());
        assert_eq!(room.taken[REDO].load(Ordering::Relaxed), 0);
        assert_eq!(room.taken[STORE].load(Ordering::Relaxed), 0);
    }
}
