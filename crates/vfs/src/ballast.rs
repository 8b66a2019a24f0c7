//! Room that is given up when the disk is full, so that what has begun can be ended.
//!
//! A log must not fail to write what has a place in the commit order, and an error that reaches the table store's base
//! latches inside it. So at the first `ENOSPC` the ballast file is removed and the operation repeated: nothing of it
//! had been promised. Whoever begins new work looks at [`Ballast::disk_is_full`] first and begins none.
//!
//! What can wait leaves the ballast to those who cannot: [`Ballast::with_patience`].

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use parking_lot::{Condvar, Mutex};

use crate::{File, LockGuard, Open, Vfs, is_no_space};

/// Written in pieces of this many bytes when the ballast is made.
const PIECE: usize = 1 << 20;

/// Who waits for room tries again so often.
const RETRY: Duration = Duration::from_millis(50);

/// A file that exists to be removed when the disk is full.
#[derive(Debug)]
pub struct Ballast {
    vfs: Arc<dyn Vfs>,
    path: PathBuf,
    size: u64,
    /// Held while the file is made or removed. Rank: last.
    changing: Mutex<()>,
    /// Relaxed: who reads a value that is about to change would have come a moment earlier.
    spent: AtomicBool,
    /// Somebody waits for room. Relaxed, as `spent`.
    wanted: AtomicBool,
    /// Nobody waits any more. Changed while `changing` is held.
    impatient: AtomicBool,
    /// `impatient` is set.
    told: Condvar,
}

impl Ballast {
    /// Takes over or makes the file of `size` bytes. That it cannot be made is no error: it is spent then.
    pub fn open(vfs: &Arc<dyn Vfs>, path: PathBuf, size: u64) -> io::Result<Self> {
        let ballast = Self { path, size, ..Self::none(vfs) };
        ballast.restore()?;
        Ok(ballast)
    }

    /// No ballast at all.
    pub fn none(vfs: &Arc<dyn Vfs>) -> Self {
        Self {
            vfs: Arc::clone(vfs),
            path: PathBuf::new(),
            size: 0,
            changing: Mutex::new(()),
            spent: AtomicBool::new(true),
            wanted: AtomicBool::new(false),
            impatient: AtomicBool::new(false),
            told: Condvar::new(),
        }
    }

    /// Whether no new work is to be begun: the room was given up and not regained, or somebody waits for some.
    pub fn disk_is_full(&self) -> bool {
        self.is_spent() || self.wanted.load(Ordering::Relaxed)
    }

    fn is_spent(&self) -> bool {
        self.spent.load(Ordering::Relaxed)
    }

    /// Whether so many bytes can be written beside it; half of its own room counts, for it is given up if it must.
    pub fn has_room(&self, bytes: u64) -> io::Result<bool> {
        if self.disk_is_full() || bytes <= self.size / 2 {
            return Ok(!self.disk_is_full());
        }
        Ok(self.vfs.free_bytes(self.dir())? + self.size / 2 >= bytes)
    }

    /// Tries to make the file again, unless it is there; returns whether it is.
    pub fn restore(&self) -> io::Result<bool> {
        let _changing = self.changing.lock();
        if self.is_spent() && self.can_be_made()? {
            match self.fill() {
                Ok(()) => self.spent.store(false, Ordering::Relaxed),
                Err(error) if is_no_space(&error) => self.remove()?,
                Err(error) => return Err(error),
            }
        }
        Ok(!self.is_spent())
    }

    /// Whether the file is there, or can be written without taking from others what they are about to need.
    fn can_be_made(&self) -> io::Result<bool> {
        Ok(self.vfs.exists(&self.path)? || self.vfs.free_bytes(self.dir())? >= self.size + self.size / 4)
    }

    fn dir(&self) -> &Path {
        self.path.parent().unwrap_or(&self.path)
    }

    fn fill(&self) -> io::Result<()> {
        let file = self.vfs.open(&self.path, Open::Create)?;
        let mut at = file.len()?;
        if at >= self.size {
            return Ok(());
        }
        let zeros = vec![0; PIECE];
        while at < self.size {
            let piece = usize::try_from(self.size - at).unwrap_or(PIECE).min(PIECE);
            file.write_at(&zeros[..piece], at)?;
            at += piece as u64;
        }
        file.sync_all()
    }

    fn remove(&self) -> io::Result<()> {
        match self.vfs.remove_file(&self.path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    /// Gives the room up, unless somebody has.
    fn spend(&self) -> io::Result<()> {
        let _changing = self.changing.lock();
        if !self.is_spent() {
            self.remove()?;
            self.spent.store(true, Ordering::Relaxed);
        }
        Ok(())
    }

    /// Acts, and waits for room as long as there is none. The ballast is left alone until nobody may wait any more.
    pub fn with_patience<T>(&self, mut act: impl FnMut() -> io::Result<T>) -> io::Result<T> {
        loop {
            // What the ballast gave up is for others.
            if !self.is_spent() {
                match act() {
                    Err(error) if is_no_space(&error) => {}
                    result => {
                        self.wanted.store(false, Ordering::Relaxed);
                        return result;
                    }
                }
            }
            let mut changing = self.changing.lock();
            if self.impatient.load(Ordering::Relaxed) {
                drop(changing);
                self.wanted.store(false, Ordering::Relaxed);
                return self.with(act);
            }
            self.wanted.store(true, Ordering::Relaxed);
            self.told.wait_for(&mut changing, RETRY);
        }
    }

    /// Nobody waits for room from now on: what finds none uses the ballast, and fails then.
    pub fn end_patience(&self) {
        let _changing = self.changing.lock();
        self.impatient.store(true, Ordering::Relaxed);
        self.told.notify_all();
    }

    /// Acts, and once more if there was no room: the ballast makes some.
    pub fn with<T>(&self, mut act: impl FnMut() -> io::Result<T>) -> io::Result<T> {
        match act() {
            Err(error) if is_no_space(&error) => {
                // Or somebody else has given it up meanwhile, or has tried in vain to make it again, and taken the room for
                // that moment.
                self.spend()?;
                act()
            }
            result => result,
        }
    }
}

/// Another [`Vfs`] whose operations give the ballast up before they fail for want of room.
#[derive(Clone, Debug)]
pub struct WithBallast {
    inner: Arc<dyn Vfs>,
    ballast: Arc<Ballast>,
}

impl WithBallast {
    /// Wraps `inner`.
    pub fn new(inner: Arc<dyn Vfs>, ballast: Arc<Ballast>) -> Self {
        Self { inner, ballast }
    }
}

impl Vfs for WithBallast {
    fn open(&self, path: &Path, how: Open) -> io::Result<Arc<dyn File>> {
        let inner = self.ballast.with(|| self.inner.open(path, how))?;
        Ok(Arc::new(BallastFile { inner, ballast: Arc::clone(&self.ballast) }))
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.ballast.with(|| self.inner.rename(from, to))
    }

    fn remove_file(&self, path: &Path) -> io::Result<()> {
        self.inner.remove_file(path)
    }

    fn create_dir_all(&self, path: &Path) -> io::Result<()> {
        self.ballast.with(|| self.inner.create_dir_all(path))
    }

    fn list(&self, dir: &Path) -> io::Result<Vec<String>> {
        self.inner.list(dir)
    }

    fn exists(&self, path: &Path) -> io::Result<bool> {
        self.inner.exists(path)
    }

    fn canonical(&self, path: &Path) -> io::Result<PathBuf> {
        self.inner.canonical(path)
    }

    /// Not repeated: after a sync that failed nobody knows what was lost.
    fn sync_dir(&self, dir: &Path) -> io::Result<()> {
        self.inner.sync_dir(dir)
    }

    fn free_bytes(&self, path: &Path) -> io::Result<u64> {
        self.inner.free_bytes(path)
    }

    fn lock(&self, path: &Path) -> io::Result<Box<dyn LockGuard>> {
        self.inner.lock(path)
    }
}

#[derive(Debug)]
struct BallastFile {
    inner: Arc<dyn File>,
    ballast: Arc<Ballast>,
}

impl File for BallastFile {
    fn read_at(&self, buf: &mut [u8], offset: u64) -> io::Result<usize> {
        self.inner.read_at(buf, offset)
    }

    fn write_at(&self, data: &[u8], offset: u64) -> io::Result<()> {
        self.ballast.with(|| self.inner.write_at(data, offset))
    }

    fn write_durable_at(&self, data: &[u8], offset: u64) -> io::Result<()> {
        self.ballast.with(|| self.inner.write_durable_at(data, offset))
    }

    fn write_uncached_at(&self, data: &[u8], offset: u64) -> io::Result<()> {
        self.ballast.with(|| self.inner.write_uncached_at(data, offset))
    }

    fn sync_data(&self) -> io::Result<()> {
        self.inner.sync_data()
    }

    fn sync_all(&self) -> io::Result<()> {
        self.inner.sync_all()
    }

    fn drop_clean_pages(&self, start: u64) -> io::Result<()> {
        self.inner.drop_clean_pages(start)
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        self.ballast.with(|| self.inner.set_len(len))
    }

    fn len(&self) -> io::Result<u64> {
        self.inner.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::{Fault, FaultKind, OpKind, SimDisk};

    const SIZE: u64 = 64 << 10;

    fn full_disk() -> (SimDisk, Arc<Ballast>, WithBallast) {
        let disk = SimDisk::new();
        let vfs: Arc<dyn Vfs> = Arc::new(disk.clone());
        let ballast = Arc::new(Ballast::open(&vfs, "ballast".into(), SIZE).unwrap());
        disk.set_capacity(SIZE + 4096);
        (disk, Arc::clone(&ballast), WithBallast::new(vfs, ballast))
    }

    #[test]
    fn the_ballast_makes_room_once_and_comes_back_when_there_is_some() {
        let (disk, ballast, vfs) = full_disk();
        let file = vfs.open(Path::new("log"), Open::Create).unwrap();
        file.write_at(&[1; 4096], 0).unwrap();
        assert!(!ballast.is_spent());
        file.write_at(&[2; 8192], 4096).unwrap();
        assert!(ballast.is_spent());
        let mut read = [0; 8192];
        file.read_exact_at(&mut read, 4096).unwrap();
        assert_eq!(read, [2; 8192], "what was cut short is written whole");
        assert!(!ballast.restore().unwrap(), "there is not enough room yet");
        assert!(!disk.exists(Path::new("ballast")).unwrap(), "half a ballast takes no room");
        let error = file.write_at(&vec![3; 1 << 20], 0).unwrap_err();
        assert!(is_no_space(&error), "there is no second one");
        disk.set_capacity(1 << 20);
        assert!(ballast.restore().unwrap() && !ballast.is_spent());
    }

    #[test]
    fn room_that_somebody_else_has_made_meanwhile_is_used() {
        let (_disk, ballast, _vfs) = full_disk();
        let mut tries = 0;
        let written = ballast.with(|| {
            tries += 1;
            if tries == 1 {
                ballast.spend().unwrap();
                return Err(io::ErrorKind::StorageFull.into());
            }
            Ok(tries)
        });
        assert_eq!(written.unwrap(), 2);
        let again = ballast.with(|| Err::<(), _>(io::Error::from(io::ErrorKind::StorageFull)));
        assert!(is_no_space(&again.unwrap_err()), "there is no more");
    }

    #[test]
    fn what_may_not_fit_is_not_tried() {
        let (disk, ballast, _vfs) = full_disk();
        ballast.spend().unwrap();
        disk.inject(Fault::new(FaultKind::Io).of(OpKind::Write));
        disk.set_capacity(SIZE + SIZE / 8);
        assert!(!ballast.restore().unwrap(), "nothing is written, and nobody's room taken meanwhile");
        disk.set_capacity(2 * SIZE);
        ballast.restore().unwrap_err();
    }

    #[test]
    fn who_can_wait_leaves_the_ballast_to_others() {
        let (disk, ballast, vfs) = full_disk();
        let base = disk.open(Path::new("base"), Open::Create).unwrap();
        let log = vfs.open(Path::new("log"), Open::Create).unwrap();
        let until = |condition: &dyn Fn() -> bool| {
            while !condition() {
                std::thread::yield_now();
            }
        };
        std::thread::scope(|scope| {
            let write = || ballast.with_patience(|| base.write_at(&[1; 8192], 0));
            let waiter = scope.spawn(write);
            until(&|| ballast.disk_is_full());
            assert!(!ballast.is_spent());
            log.write_at(&[2; 8192], 0).unwrap();
            assert!(ballast.is_spent());
            ballast.told.wait_for(&mut ballast.changing.lock(), 2 * RETRY);
            assert!(!waiter.is_finished(), "there is room, but not for this one");
            disk.set_capacity(1 << 20);
            assert!(ballast.restore().unwrap());
            waiter.join().unwrap().unwrap();
            assert!(!ballast.disk_is_full());
            disk.set_capacity(SIZE + 24576);
            let waiter = scope.spawn(|| ballast.with_patience(|| base.write_at(&[1; 16384], 8192)));
            until(&|| ballast.disk_is_full());
            ballast.end_patience();
            waiter.join().unwrap().unwrap();
            assert!(ballast.is_spent(), "at the end it is for everybody");
        });
    }

    #[test]
    fn other_errors_and_failed_syncs_are_not_repeated() {
        let (disk, ballast, vfs) = full_disk();
        let file = vfs.open(Path::new("log"), Open::Create).unwrap();
        disk.inject(Fault::new(FaultKind::Io).of(OpKind::Write));
        file.write_at(&[1], 0).unwrap_err();
        disk.inject(Fault::new(FaultKind::NoSpace).of(OpKind::SyncData));
        file.sync_data().unwrap_err();
        assert!(!ballast.is_spent());
    }
}
