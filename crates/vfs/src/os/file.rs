//! An open file of the operating system.
//!
//! It is up to three descriptors of one inode: the ordinary one, one with O_DIRECT and O_DSYNC for
//! [`File::write_durable_at`], and one with O_DIRECT for [`File::write_uncached_at`], each opened at the first such write.
//! They go through /proc/self/fd, so that it is the same inode whatever became of the name. Where the file system or a
//! missing /proc refuses them, or no descriptor is left, a durable write is a write and an fdatasync, which promises more
//! and costs more, and an uncached one is a write.
//!
//! The descriptors agree: before a direct write the kernel writes out the cached pages of its range, and
//! drops them after it (open(2), O_DIRECT).

use std::fs;
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd};
use std::path::PathBuf;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::fs::{Advice, Mode, OFlags};
use rustix::io::{Errno, pread, pwrite, retry_on_intr};

use crate::File;
use crate::aligned::assert_aligned;
use crate::error::at;

/// O_DSYNC. `OFlags::DSYNC` of rustix 1.1 is O_SYNC on Linux, under which a write commits the file's
/// timestamps too; elsewhere, and where the number is another one, that is correct if slow.
const O_DSYNC: OFlags = if cfg!(all(
    target_os = "linux",
    any(target_arch = "x86_64", target_arch = "aarch64", target_arch = "riscv64")
)) {
    OFlags::from_bits_retain(0o10000)
} else {
    OFlags::DSYNC
};

/// No page of memory is larger.
const PAGE_SIZE_MAX: u64 = 64 << 10;

/// A file with explicit offsets.
#[derive(Debug)]
pub(super) struct OsFile {
    file: fs::File,
    path: PathBuf,
    writable: bool,
    /// For durable writes.
    durable: OnceLock<fs::File>,
    /// For uncached writes.
    uncached: OnceLock<fs::File>,
    /// Relaxed: it only chooses between two correct ways and guards no other memory.
    direct_refused: AtomicBool,
}

impl OsFile {
    pub(super) fn new(file: fs::File, path: PathBuf, writable: bool) -> Self {
        let (durable, uncached) = (OnceLock::new(), OnceLock::new());
        Self { file, path, writable, durable, uncached, direct_refused: AtomicBool::new(false) }
    }

    /// The descriptor for direct writes that is kept here, or `None` where there can be none.
    fn direct<'a>(&self, kept: &'a OnceLock<fs::File>, more: OFlags) -> io::Result<Option<BorrowedFd<'a>>> {
        if self.direct_refused.load(Ordering::Relaxed) {
            return Ok(None);
        }
        if let Some(direct) = kept.get() {
            return Ok(Some(direct.as_fd()));
        }
        let path = format!("/proc/self/fd/{}", self.file.as_raw_fd());
        let flags = OFlags::WRONLY | OFlags::DIRECT | OFlags::CLOEXEC | more;
        match retry_on_intr(|| rustix::fs::open(path.as_str(), flags, Mode::empty())) {
            // A thread that came second closes its descriptor again.
            Ok(opened) => Ok(Some(kept.get_or_init(|| opened.into()).as_fd())),
            Err(Errno::INVAL | Errno::NOENT) => {
                self.direct_refused.store(true, Ordering::Relaxed);
                Ok(None)
            }
            // There may be a descriptor the next time.
            Err(Errno::MFILE | Errno::NFILE) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Writes past the cache. Returns whether that can be done here.
    fn write_direct(
        &self,
        (kept, more): (&OnceLock<fs::File>, OFlags),
        data: &[u8],
        offset: u64,
    ) -> io::Result<bool> {
        // The other descriptor would gladly write to a file that was opened for reading.
        if !self.writable {
            return Err(Errno::BADF.into());
        }
        let Some(direct) = self.direct(kept, more)? else { return Ok(false) };
        match write_all(direct, data, offset) {
            Err(error) if error.raw_os_error() == Some(Errno::INVAL.raw_os_error()) => {
                self.direct_refused.store(true, Ordering::Relaxed);
                Ok(false)
            }
            written => written.map(|()| true),
        }
    }

    fn write_durable(&self, data: &[u8], offset: u64) -> io::Result<()> {
        if self.write_direct((&self.durable, O_DSYNC), data, offset)? {
            return Ok(());
        }
        write_all(self.file.as_fd(), data, offset)?;
        Ok(retry_on_intr(|| rustix::fs::fdatasync(&self.file))?)
    }

    fn write_uncached(&self, data: &[u8], offset: u64) -> io::Result<()> {
        if self.write_direct((&self.uncached, OFlags::empty()), data, offset)? {
            return Ok(());
        }
        write_all(self.file.as_fd(), data, offset)
    }
}

impl File for OsFile {
    fn read_at(&self, buf: &mut [u8], offset: u64) -> io::Result<usize> {
        let mut done = 0;
        while done < buf.len() {
            let read = retry_on_intr(|| pread(&self.file, &mut buf[done..], offset + done as u64));
            match read.map_err(at("read_at", &self.path))? {
                0 => break,
                read => done += read,
            }
        }
        Ok(done)
    }

    fn write_at(&self, data: &[u8], offset: u64) -> io::Result<()> {
        write_all(self.file.as_fd(), data, offset).map_err(at("write_at", &self.path))
    }

    fn write_durable_at(&self, data: &[u8], offset: u64) -> io::Result<()> {
        assert_aligned(data, offset);
        self.write_durable(data, offset).map_err(at("write_durable_at", &self.path))
    }

    fn write_uncached_at(&self, data: &[u8], offset: u64) -> io::Result<()> {
        assert_aligned(data, offset);
        self.write_uncached(data, offset).map_err(at("write_uncached_at", &self.path))
    }

    fn sync_data(&self) -> io::Result<()> {
        retry_on_intr(|| rustix::fs::fdatasync(&self.file)).map_err(at("sync_data", &self.path))
    }

    fn sync_all(&self) -> io::Result<()> {
        retry_on_intr(|| rustix::fs::fsync(&self.file)).map_err(at("sync_all", &self.path))
    }

    fn drop_clean_pages(&self, start: u64) -> io::Result<()> {
        // Of a page that the range has a part of the kernel would keep all.
        let start = start - start % PAGE_SIZE_MAX;
        let dropped = rustix::fs::fadvise(&self.file, start, None, Advice::DontNeed);
        dropped.map_err(at("drop_clean_pages", &self.path))
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        retry_on_intr(|| rustix::fs::ftruncate(&self.file, len)).map_err(at("set_len", &self.path))
    }

    fn len(&self) -> io::Result<u64> {
        Ok(self.file.metadata().map_err(at("len", &self.path))?.len())
    }
}

/// Writes all of `data`, continuing after short writes.
fn write_all(fd: BorrowedFd<'_>, data: &[u8], offset: u64) -> io::Result<()> {
    let mut done = 0;
    while done < data.len() {
        match retry_on_intr(|| pwrite(fd, &data[done..], offset + done as u64))? {
            0 => return Err(io::ErrorKind::WriteZero.into()),
            written => done += written,
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{AlignedBuf, DURABLE_ALIGN};

    /// An open file without a name, in the directory for temporary files.
    fn unnamed() -> OsFile {
        let flags = OFlags::RDWR | OFlags::TMPFILE | OFlags::CLOEXEC;
        let fd = rustix::fs::open(std::env::temp_dir(), flags, Mode::RUSR | Mode::WUSR).unwrap();
        OsFile::new(fd.into(), PathBuf::from("unnamed"), true)
    }

    fn blocks(count: usize, value: u8) -> AlignedBuf {
        let mut buf = AlignedBuf::new();
        buf.resize(count * DURABLE_ALIGN, value);
        buf
    }

    #[test]
    fn where_direct_writes_are_refused_others_still_write() {
        let file = unnamed();
        file.direct_refused.store(true, Ordering::Relaxed);
        file.write_durable_at(&blocks(1, 7), DURABLE_ALIGN as u64).unwrap();
        file.write_uncached_at(&blocks(1, 8), 2 * DURABLE_ALIGN as u64).unwrap();
        assert!(file.durable.get().is_none() && file.uncached.get().is_none());
        let mut bytes = vec![1; 3 * DURABLE_ALIGN];
        file.read_exact_at(&mut bytes, 0).unwrap();
        for (block, value) in bytes.chunks(DURABLE_ALIGN).zip([0, 7, 8]) {
            assert!(block.iter().all(|&b| b == value));
        }
    }

    #[test]
    fn uncached_writes_sync_nothing() {
        let file = unnamed();
        file.write_uncached_at(&blocks(1, 1), 0).unwrap();
        if let Some(uncached) = file.uncached.get() {
            let flags = rustix::fs::fcntl_getfl(uncached).unwrap();
            assert!(flags.contains(OFlags::DIRECT) && !flags.intersects(OFlags::SYNC | O_DSYNC));
        }
    }

    /// Gives the file `path` of /proc as its second descriptor, to fail in the way of that file.
    fn with_direct(path: &str, flags: OFlags) -> OsFile {
        let file = unnamed();
        let direct = rustix::fs::open(path, flags, Mode::empty()).unwrap();
        file.durable.set(direct.into()).unwrap();
        file
    }

    #[test]
    fn a_direct_write_refused_late_is_done_the_other_way_and_not_tried_again() {
        // It answers EINVAL to what is not a number, as some file systems do to direct writes.
        let file = with_direct("/proc/self/coredump_filter", OFlags::WRONLY);
        file.write_durable_at(&blocks(1, 7), 0).unwrap();
        assert!(file.direct_refused.load(Ordering::Relaxed));
        let mut bytes = vec![0; DURABLE_ALIGN];
        file.read_exact_at(&mut bytes, 0).unwrap();
        assert!(bytes.iter().all(|&b| b == 7));
    }

    #[test]
    fn any_other_error_of_a_direct_write_is_passed_on() {
        let file = with_direct("/proc/self/coredump_filter", OFlags::RDONLY);
        let error = file.write_durable_at(&blocks(1, 7), 0).unwrap_err();
        assert_eq!(crate::raw_os_error(&error), Some(Errno::BADF.raw_os_error()), "{error}");
        assert!(!file.direct_refused.load(Ordering::Relaxed));
        assert_eq!(file.len().unwrap(), 0);
    }

    #[test]
    fn durable_writes_sync_data_and_not_timestamps() {
        let file = unnamed();
        file.write_durable_at(&blocks(1, 1), 0).unwrap();
        // Where the file system refuses direct writes there is nothing to see.
        if let Some(direct) = file.durable.get() {
            let flags = rustix::fs::fcntl_getfl(direct).unwrap();
            assert!(flags.contains(OFlags::DIRECT | O_DSYNC));
            assert!(O_DSYNC == OFlags::SYNC || !flags.contains(OFlags::SYNC));
        }
    }

    #[test]
    fn many_threads_share_one_direct_descriptor() {
        let file = unnamed();
        std::thread::scope(|scope| {
            for thread in 0..8_u8 {
                let file = &file;
                scope.spawn(move || {
                    let offset = u64::from(thread) * DURABLE_ALIGN as u64;
                    file.write_durable_at(&blocks(1, thread), offset).unwrap();
                });
            }
        });
        let mut bytes = vec![0; 8 * DURABLE_ALIGN];
        file.read_exact_at(&mut bytes, 0).unwrap();
        for (thread, block) in bytes.chunks(DURABLE_ALIGN).enumerate() {
            assert!(block.iter().all(|&b| usize::from(b) == thread));
        }
    }
}
