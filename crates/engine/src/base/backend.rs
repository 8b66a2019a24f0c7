//! `redb`'s storage back end over `vfs`.
//!
//! An error that reaches `redb` latches inside it until the database is reopened. A full disk must not do that: writes wait
//! for room, or use the ballast, as the commit that is under way says.

use std::fmt;
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use parking_lot::Mutex;
use vfs::{Ballast, File, Open, Vfs};

use super::header::{HeaderPage, PAGE_SIZE, SHIFT};

/// The base's file as `redb` sees it.
#[derive(Debug)]
pub(crate) struct Backend {
    file: Arc<dyn File>,
    /// Rank: before the ballast's.
    header: Mutex<HeaderPage>,
    ballast: Arc<Ballast>,
    shared: Arc<Shared>,
}

/// What is done about a file that has failed.
type OnFailure = Box<dyn Fn(&io::Error) + Send + Sync>;

/// What the base and its back end both look at. Relaxed: there is one writer at a time, and statistics.
#[derive(Default)]
pub(super) struct Shared {
    /// Called once an error is about to reach `redb`, which from then on refuses whatever is not in its cache.
    pub(super) on_failure: OnceLock<OnFailure>,
    /// What was read and written.
    pub(super) io: IoStats,
    /// Whether what is written now waits while the disk is full.
    pub(super) is_patient: AtomicBool,
}

/// What was read from a file and written to it. Relaxed: statistics.
#[derive(Debug, Default)]
pub struct IoStats {
    /// Reads.
    pub reads: AtomicU64,
    /// Bytes that were read.
    pub bytes_read: AtomicU64,
    /// Writes.
    pub writes: AtomicU64,
    /// Bytes that were written.
    pub bytes_written: AtomicU64,
    /// Syncs.
    pub syncs: AtomicU64,
}

impl fmt::Debug for Shared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Shared")
    }
}

impl Backend {
    pub(super) fn open(
        vfs: &dyn Vfs,
        path: &Path,
        ballast: Arc<Ballast>,
        shared: Arc<Shared>,
    ) -> io::Result<Self> {
        let file = ballast.with(|| vfs.open(path, Open::Create))?;
        // Of a process that died, the newer header may be in the page cache alone, and the older one would be overwritten.
        file.sync_data()?;
        file.drop_clean_pages(0)?;
        let header = Mutex::new(HeaderPage::open(&file)?);
        Ok(Self { file, header, ballast, shared })
    }

    fn with_room<T>(&self, act: impl FnMut() -> io::Result<T>) -> io::Result<T> {
        let is_patient = self.shared.is_patient.load(Ordering::Relaxed);
        self.watch(if is_patient { self.ballast.with_patience(act) } else { self.ballast.with(act) })
    }

    /// Tells of an error, but of a full disk: whoever commits then knows what that means.
    fn watch<T>(&self, done: io::Result<T>) -> io::Result<T> {
        if let Err(error) = &done
            && error.kind() != io::ErrorKind::StorageFull
        {
            self.shared.tell(error);
        }
        done
    }
}

impl Shared {
    /// Says that the file has failed.
    pub(super) fn tell(&self, error: &io::Error) {
        if let Some(on_failure) = self.on_failure.get() {
            on_failure(error);
        }
    }
}

impl redb::StorageBackend for Backend {
    /// In whole pages, as `redb` insists: a write that was cut short when the file grew leaves a part of one, which no
    /// commit can have had a use for.
    fn len(&self) -> io::Result<u64> {
        let len = self.watch(self.file.len())?.saturating_sub(SHIFT);
        Ok(len - len % PAGE_SIZE as u64)
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        self.shared.io.reads.fetch_add(1, Ordering::Relaxed);
        self.shared.io.bytes_read.fetch_add(out.len() as u64, Ordering::Relaxed);
        match usize::try_from(offset) {
            Ok(offset) if offset < PAGE_SIZE => {
                let (head, rest) = out.split_at_mut(out.len().min(PAGE_SIZE - offset));
                self.header.lock().read(offset, head);
                if rest.is_empty() {
                    return Ok(());
                }
                self.watch(self.file.read_exact_at(rest, PAGE_SIZE as u64 + SHIFT))
            }
            _ => self.watch(self.file.read_exact_at(out, offset + SHIFT)),
        }
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        self.with_room(|| self.file.set_len(len + SHIFT))
    }

    fn sync_data(&self) -> io::Result<()> {
        self.shared.io.syncs.fetch_add(1, Ordering::Relaxed);
        let mut header = self.header.lock();
        self.watch(self.file.sync_data())?;
        header.synced();
        Ok(())
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        self.shared.io.writes.fetch_add(1, Ordering::Relaxed);
        self.shared.io.bytes_written.fetch_add(data.len() as u64, Ordering::Relaxed);
        match usize::try_from(offset) {
            Ok(offset) if offset < PAGE_SIZE => {
                let (head, rest) = data.split_at(data.len().min(PAGE_SIZE - offset));
                let mut header = self.header.lock();
                self.with_room(|| header.write(&self.file, offset, head))?;
                if rest.is_empty() {
                    return Ok(());
                }
                self.with_room(|| self.file.write_at(rest, PAGE_SIZE as u64 + SHIFT))
            }
            _ => self.with_room(|| self.file.write_at(data, offset + SHIFT)),
        }
    }
}

#[cfg(test)]
mod tests {
    use vfs::sim::{CrashMode, Fault, FaultKind, OpKind, Replay, SimDisk};

    use crate::base::{Base, Slice, WhenFull};

    use super::*;

    #[test]
    fn a_file_that_fails_is_told_of() {
        let of_both = |kind| [WhenFull::UseBallast, WhenFull::Wait].map(|when_full| (kind, when_full));
        for (kind, when_full) in [OpKind::Write, OpKind::SyncData].into_iter().flat_map(of_both) {
            let disk = SimDisk::new();
            let vfs: Arc<dyn Vfs> = Arc::new(disk.clone());
            let base = Base::open(&vfs, Path::new("/"), 1 << 20, 0).unwrap();
            let told = Arc::<AtomicU64>::default();
            let count = Arc::clone(&told);
            base.on_failure(move |_| {
                count.fetch_add(1, Ordering::Relaxed);
            });
            disk.inject(Fault::new(FaultKind::Io).of(kind).on("base.redb"));
            let slice = Slice { changes: &[], facts: &[("x", b"1")] };
            base.commit(&slice, when_full).unwrap_err();
            assert_eq!(told.load(Ordering::Relaxed), 1, "{kind:?}, {when_full:?}");
        }
    }

    /// The process dies within a commit, and then the power is lost while the base is opened.
    #[test]
    fn a_header_that_only_the_page_cache_has_is_not_the_last_one() {
        let open = |disk: &SimDisk| {
            let vfs: Arc<dyn Vfs> = Arc::new(disk.clone());
            Base::open(&vfs, Path::new("/"), 1 << 20, 0)
        };
        let put = |base: &Base, val| {
            base.commit(&Slice { changes: &[], facts: &[("x", val)] }, WhenFull::UseBallast).unwrap();
        };
        let disk = SimDisk::new();
        let base = open(&disk).unwrap();
        put(&base, b"1");
        put(&base, b"2");
        disk.start_journal();
        put(&base, b"3");
        let dying = disk.stop_journal().unwrap();
        let mut losses = 0;
        for died in dying.first_op()..=dying.last_op() {
            let mut replay = Replay::new(&dying);
            replay.seek(died);
            let restarted = replay.disk();
            restarted.start_journal();
            let base = open(&restarted).unwrap();
            let opening = restarted.stop_journal().unwrap();
            drop(base);
            let mut replay = Replay::new(&opening);
            for lost in opening.first_op()..opening.last_op() {
                replay.seek(lost);
                for mode in CrashMode::ALL {
                    let Some(found) = replay.crash_during_next(mode, lost) else { continue };
                    losses += 1;
                    let base =
                        open(&found).unwrap_or_else(|error| panic!("{died}, {lost}, {mode:?}: {error}"));
                    let val = base.fact("x").unwrap().unwrap();
                    assert!([&b"2"[..], b"3"].contains(&&*val), "{died}, {lost}, {mode:?}: {val:?}");
                }
            }
        }
        assert!(losses > 500, "{losses}");
    }

    #[test]
    fn a_file_that_ends_within_a_page_opens() {
        let disk: Arc<dyn Vfs> = Arc::new(SimDisk::new());
        let open = || Base::open(&disk, Path::new("/"), 1 << 20, 0);
        open().unwrap().commit(&Slice { changes: &[], facts: &[("x", b"1")] }, WhenFull::UseBallast).unwrap();
        let file = disk.open(Path::new("/base.redb"), Open::ReadWrite).unwrap();
        file.write_at(&[7; 100], file.len().unwrap()).unwrap();
        let base = open().unwrap();
        assert_eq!(base.fact("x").unwrap().as_deref(), Some(&b"1"[..]));
        base.commit(&Slice { changes: &[], facts: &[("x", b"2")] }, WhenFull::UseBallast).unwrap();
    }
}
