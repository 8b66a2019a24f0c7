//! The operating system's files.
//!
//! What it adds to the system calls: interrupted calls are repeated, short writes continued, errors carry
//! operation and path, and [`File::write_durable_at`] bypasses the page cache where the file system lets it.
//! It holds no state but open descriptors.
//!
//! Durability: `sync_data` is fdatasync, `sync_all` is fsync, `sync_dir` is fsync of the directory; what they
//! promise is what the kernel and the device promise. A failed sync is reported once and never repeated: the
//! kernel may have dropped the pages, and a second call would lie.
#![expect(
    clippy::disallowed_methods,
    reason = "this is the door to std::fs that everybody else goes through"
)]

mod file;

use std::fs;
use std::io;
use std::os::fd::AsRawFd as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustix::fs::FlockOperation;
use rustix::io::{Errno, retry_on_intr};
use rustix::process::Resource;

use crate::error::at;
use crate::{File, LockGuard, Open, Vfs};
use file::OsFile;

/// The files of the operating system.
#[derive(Clone, Copy, Debug, Default)]
pub struct OsVfs;

/// Of the descriptors that a process may have, users' files get none of the last so many.
pub const DESCRIPTORS_RESERVED: u64 = 32;

/// As MySQL's files: rows and accounts are nobody else's.
const OWN_AND_GROUP: u32 = 0o640;

impl Vfs for OsVfs {
    fn open(&self, path: &Path, how: Open) -> io::Result<Arc<dyn File>> {
        let mut options = fs::OpenOptions::new();
        options.read(true);
        match how {
            Open::Read => &mut options,
            Open::ReadWrite => options.write(true),
            Open::Create => options.write(true).create(true).truncate(false).mode(OWN_AND_GROUP),
            Open::CreatePrivate | Open::Spill | Open::Kept => {
                options.write(true).create(true).truncate(false).mode(0o600)
            }
            Open::CreateNew => options.write(true).create_new(true).mode(OWN_AND_GROUP),
        };
        let file = options.open(path).map_err(at("open", path))?;
        // Linux opens a directory for reading and fails at the first read; say so here.
        if file.metadata().map_err(at("open", path))?.is_dir() {
            return Err(at("open", path)(Errno::ISDIR));
        }
        let reserved = match how {
            Open::Spill => DESCRIPTORS_RESERVED,
            Open::Kept => 2 * DESCRIPTORS_RESERVED,
            _ => 0,
        };
        if is_reserved(file.as_raw_fd(), reserved) {
            return Err(at("open", path)(Errno::MFILE));
        }
        Ok(Arc::new(OsFile::new(file, path.to_owned(), how != Open::Read)))
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        fs::rename(from, to).map_err(at("rename", from))
    }

    fn remove_file(&self, path: &Path) -> io::Result<()> {
        fs::remove_file(path).map_err(at("remove_file", path))
    }

    /// Besides what the trait promises, it syncs the entry of the deepest directory that already existed: a
    /// process that was killed between creating that directory and syncing its parent left the entry in the
    /// page cache only, and everything that is now built below would go with it.
    fn create_dir_all(&self, path: &Path) -> io::Result<()> {
        let mut missing = Vec::new();
        let mut existing = or_here(path);
        while !is_dir(existing).map_err(at("create_dir_all", existing))? {
            missing.push(existing);
            if parent(existing) == existing {
                return Err(at("create_dir_all", path)(Errno::NOENT));
            }
            existing = parent(existing);
        }
        match self.sync_dir(parent(existing)) {
            // Nobody who may not even open it is the one who made an entry in it.
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {}
            result => result?,
        }
        for dir in missing.into_iter().rev() {
            match fs::create_dir(dir) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists && dir.is_dir() => {}
                result => result.map_err(at("create_dir_all", dir))?,
            }
            self.sync_dir(parent(dir))?;
        }
        Ok(())
    }

    /// Names that are not UTF-8 are left out: none of ours is.
    fn list(&self, dir: &Path) -> io::Result<Vec<String>> {
        let mut names = Vec::new();
        for entry in fs::read_dir(or_here(dir)).map_err(at("list", dir))? {
            let entry = entry.map_err(at("list", dir))?;
            if entry.file_type().map_err(at("list", dir))?.is_dir() {
                continue;
            }
            if let Ok(name) = entry.file_name().into_string() {
                names.push(name);
            }
        }
        names.sort_unstable();
        Ok(names)
    }

    fn exists(&self, path: &Path) -> io::Result<bool> {
        or_here(path).try_exists().map_err(at("exists", path))
    }

    fn canonical(&self, path: &Path) -> io::Result<PathBuf> {
        or_here(path).canonicalize().map_err(at("canonicalize", path))
    }

    fn sync_dir(&self, dir: &Path) -> io::Result<()> {
        let opened = fs::File::open(or_here(dir)).map_err(at("sync_dir", dir))?;
        if !opened.metadata().map_err(at("sync_dir", dir))?.is_dir() {
            return Err(at("sync_dir", dir)(Errno::NOTDIR));
        }
        retry_on_intr(|| rustix::fs::fsync(&opened)).map_err(at("sync_dir", dir))
    }

    fn free_bytes(&self, path: &Path) -> io::Result<u64> {
        let stat = retry_on_intr(|| rustix::fs::statvfs(or_here(path))).map_err(at("free_bytes", path))?;
        // Not `f_bfree`: the rest is reserved for root.
        Ok(stat.f_bavail.saturating_mul(stat.f_frsize))
    }

    /// An `flock`, which belongs to the open file and therefore also excludes a second lock by this process.
    fn lock(&self, path: &Path) -> io::Result<Box<dyn LockGuard>> {
        let file = fs::OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)
            .map_err(at("lock", path))?;
        retry_on_intr(|| rustix::fs::flock(&file, FlockOperation::NonBlockingLockExclusive))
            .map_err(at("lock", path))?;
        Ok(Box::new(OsLock { _file: file, path: path.to_owned() }))
    }
}

/// Whether this descriptor, the lowest that was free, is one of the last so many.
fn is_reserved(descriptor: i32, last: u64) -> bool {
    if last == 0 {
        return false;
    }
    let limit = rustix::process::getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX);
    u64::try_from(descriptor).is_ok_and(|number| number >= limit.saturating_sub(last))
}

/// Closing the descriptor gives the lock back.
#[derive(Debug)]
struct OsLock {
    _file: fs::File,
    #[expect(dead_code, reason = "shown by Debug")]
    path: PathBuf,
}

impl LockGuard for OsLock {}

/// Whether a directory is there; an error if something else is.
fn is_dir(path: &Path) -> io::Result<bool> {
    match fs::metadata(path) {
        Ok(found) if found.is_dir() => Ok(true),
        Ok(_) => Err(Errno::NOTDIR.into()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

/// The directory that holds the entry of `path`: of `a` it is `.`; `.` and `/` are their own.
fn parent(path: &Path) -> &Path {
    path.parent().map_or(path, or_here)
}

/// The empty path means the current directory, but no system call takes it.
fn or_here(path: &Path) -> &Path {
    if path.as_os_str().is_empty() { Path::new(".") } else { path }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_descriptors_are_reserved() {
        let limit = rustix::process::getrlimit(Resource::Nofile).current;
        let last = limit.map_or(i32::MAX, |limit| i32::try_from(limit - 1).unwrap_or(i32::MAX));
        assert_eq!(is_reserved(last, 32), limit.is_some_and(|limit| limit <= 1 << 31));
        assert!(!is_reserved(3, 32) && !is_reserved(-1, 32) && !is_reserved(last, 0));
        if let Some(32_768..) = limit {
            assert!(is_reserved(last - 40, 64) && !is_reserved(last - 40, 32));
        }
    }
}
