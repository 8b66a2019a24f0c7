//! A wrapper that makes the syncs of another [`Vfs`] slower, for measurements.
//!
//! A machine with a fast disk cannot show what a commit strategy saves; with a sync of one millisecond it
//! can. The delay is really slept, after the wrapped operation and whether or not it failed. Waits of
//! different threads overlap, as on a device with parallel commands. Nothing else is changed: order,
//! durability and errors are those of the wrapped implementation.
//!
//! Not for simulation: simulated disks have no clock.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use crate::{File, LockGuard, Open, Vfs};

/// A [`Vfs`] whose syncs take an injected time longer.
#[derive(Clone, Debug)]
pub struct SlowSync {
    inner: Arc<dyn Vfs>,
    delay: SyncDelay,
}

impl SlowSync {
    /// Wraps `inner`; `delay` may be changed while files are in use.
    pub fn new(inner: Arc<dyn Vfs>, delay: SyncDelay) -> Self {
        Self { inner, delay }
    }
}

/// The delay that a [`SlowSync`] adds to each sync, in microseconds. Clones share one value.
#[derive(Clone, Debug, Default)]
pub struct SyncDelay {
    // Relaxed everywhere: the number guards no other memory, and a sync under way may use either value.
    us: Arc<AtomicU64>,
}

impl SyncDelay {
    /// A delay of `us` microseconds; 0 adds nothing.
    pub fn from_us(us: u64) -> Self {
        Self { us: Arc::new(AtomicU64::new(us)) }
    }

    /// Changes the delay for all syncs that begin to wait from now on.
    pub fn set_us(&self, us: u64) {
        self.us.store(us, Ordering::Relaxed);
    }

    /// The current delay.
    pub fn us(&self) -> u64 {
        self.us.load(Ordering::Relaxed)
    }

    #[expect(clippy::disallowed_methods, reason = "sleeping is what this wrapper is for")]
    fn wait(&self) {
        let us = self.us();
        if us > 0 {
            std::thread::sleep(Duration::from_micros(us));
        }
    }
}

impl Vfs for SlowSync {
    fn open(&self, path: &Path, how: Open) -> io::Result<Arc<dyn File>> {
        let inner = self.inner.open(path, how)?;
        Ok(Arc::new(SlowFile { inner, delay: self.delay.clone() }))
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.inner.rename(from, to)
    }

    fn remove_file(&self, path: &Path) -> io::Result<()> {
        self.inner.remove_file(path)
    }

    fn create_dir_all(&self, path: &Path) -> io::Result<()> {
        self.inner.create_dir_all(path)
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

    fn sync_dir(&self, dir: &Path) -> io::Result<()> {
        let result = self.inner.sync_dir(dir);
        self.delay.wait();
        result
    }

    fn free_bytes(&self, path: &Path) -> io::Result<u64> {
        self.inner.free_bytes(path)
    }

    fn lock(&self, path: &Path) -> io::Result<Box<dyn LockGuard>> {
        self.inner.lock(path)
    }
}

#[derive(Debug)]
struct SlowFile {
    inner: Arc<dyn File>,
    delay: SyncDelay,
}

impl File for SlowFile {
    fn read_at(&self, buf: &mut [u8], offset: u64) -> io::Result<usize> {
        self.inner.read_at(buf, offset)
    }

    fn write_at(&self, data: &[u8], offset: u64) -> io::Result<()> {
        self.inner.write_at(data, offset)
    }

    fn write_durable_at(&self, data: &[u8], offset: u64) -> io::Result<()> {
        let result = self.inner.write_durable_at(data, offset);
        self.delay.wait();
        result
    }

    fn write_uncached_at(&self, data: &[u8], offset: u64) -> io::Result<()> {
        self.inner.write_uncached_at(data, offset)
    }

    fn sync_data(&self) -> io::Result<()> {
        let result = self.inner.sync_data();
        self.delay.wait();
        result
    }

    fn sync_all(&self) -> io::Result<()> {
        let result = self.inner.sync_all();
        self.delay.wait();
        result
    }

    fn drop_clean_pages(&self, start: u64) -> io::Result<()> {
        self.inner.drop_clean_pages(start)
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        self.inner.set_len(len)
    }

    fn len(&self) -> io::Result<u64> {
        self.inner.len()
    }
}
