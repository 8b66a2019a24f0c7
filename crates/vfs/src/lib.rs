//! The only door to the disk.
//!
//! Everything above this crate, `redb` included, reads and writes through [`Vfs`] and [`File`], so that the
//! whole storage stack can run on a simulated disk which forgets, reorders and tears what was not synced.
//!
//! Words, used everywhere and never mixed: **write** = the operating system has it, **sync** = it survives
//! power loss. What a trait method promises is stated in those words; an implementation may promise more.
//!
//! What this crate is not: it knows no format, keeps no cache and never retries. A failed write or sync of a
//! log is the caller's reason to stop the process.
//!
//! The implementations: [`OsVfs`] is the operating system's files; [`SlowSync`] wraps another one and makes
//! its syncs slower; [`WithBallast`] gives room up before a full disk is an error; [`sim::SimDisk`] is memory that loses power. One conformance test holds all of them to
//! the promises below.

mod aligned;
mod ballast;
mod error;
mod latency;
mod os;
pub mod sim;
mod spill;

use std::fmt::Debug;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub use aligned::AlignedBuf;
pub use ballast::{Ballast, WithBallast};
pub use error::{PathError, is_no_descriptor, is_no_space, raw_os_error};
pub use latency::{SlowSync, SyncDelay};
pub use os::{DESCRIPTORS_RESERVED, OsVfs};
pub use spill::Spill;

/// Alignment in bytes that [`File::write_durable_at`] and [`File::write_uncached_at`] ask of their offset, their length and
/// their memory: the largest logical block size in common use, so that the operating system may skip its page cache.
pub const DURABLE_ALIGN: usize = 4096;

/// How [`Vfs::open`] treats a file that is missing or present. Every handle can read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Open {
    /// The file must exist; the handle cannot write.
    Read,
    /// The file must exist.
    ReadWrite,
    /// The file is created if it is missing.
    Create,
    /// As `Create`; nobody but its owner can read or write what was created.
    CreatePrivate,
    /// The file must not exist yet.
    CreateNew,
    /// As `CreatePrivate`, for a user's rows: it gets none of the last descriptors, which logs and tables need.
    Spill,
    /// The same for rows that are kept from one statement to the next. One user may have many such files: they leave as many
    /// descriptors again, so that others can still connect.
    Kept,
}

/// A file system: names and directories. Paths are absolute or relative to the process; a simulated disk
/// treats them as plain keys with parents.
pub trait Vfs: Debug + Send + Sync + 'static {
    /// Opens a file. A created file is reachable after a power loss only once its directory was synced.
    fn open(&self, path: &Path, how: Open) -> io::Result<Arc<dyn File>>;

    /// Renames a file, replacing the target. Survives power loss once both directories were synced.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;

    /// Removes a file's name. Open handles keep working. Survives power loss once the directory was synced.
    fn remove_file(&self, path: &Path) -> io::Result<()>;

    /// Creates a directory and its missing parents, and syncs the parents that gained an entry.
    fn create_dir_all(&self, path: &Path) -> io::Result<()>;

    /// The names of the files (not directories) in a directory, sorted.
    fn list(&self, dir: &Path) -> io::Result<Vec<String>>;

    /// Whether a file or directory of this name exists.
    fn exists(&self, path: &Path) -> io::Result<bool>;

    /// The one path of a file or directory that is there, however `path` spells it: without links, from the root.
    fn canonical(&self, path: &Path) -> io::Result<PathBuf>;

    /// Makes the entries of a directory survive power loss.
    fn sync_dir(&self, dir: &Path) -> io::Result<()>;

    /// Bytes that can still be written to the file system that holds `path`.
    fn free_bytes(&self, path: &Path) -> io::Result<u64>;

    /// Takes an exclusive lock that ends when the returned guard is dropped or the process ends. The file is
    /// created if it is missing. Error kind `WouldBlock` if somebody else holds the lock.
    fn lock(&self, path: &Path) -> io::Result<Box<dyn LockGuard>>;
}

/// Holds a lock taken by [`Vfs::lock`] until it is dropped.
pub trait LockGuard: Debug + Send + Sync {}

/// An open file. All methods take `&self`: positions are explicit and callers order their own writes.
pub trait File: Debug + Send + Sync {
    /// Reads up to `buf.len()` bytes at `offset`; fewer only at the end of the file.
    fn read_at(&self, buf: &mut [u8], offset: u64) -> io::Result<usize>;

    /// Writes all of `data` at `offset`, growing the file if needed.
    fn write_at(&self, data: &[u8], offset: u64) -> io::Result<()>;

    /// Writes all of `data` at `offset` and returns when these bytes survive power loss; says nothing about
    /// earlier writes. Offset, length and memory are multiples of [`DURABLE_ALIGN`] ([`AlignedBuf`]).
    fn write_durable_at(&self, data: &[u8], offset: u64) -> io::Result<()>;

    /// As [`write_at`](Self::write_at), past the operating system's cache where that can be: for bytes that nobody is about to read. Alignment as
    /// for [`write_durable_at`](Self::write_durable_at).
    fn write_uncached_at(&self, data: &[u8], offset: u64) -> io::Result<()>;

    /// Makes all written bytes survive power loss, and of the metadata what is needed to reach them.
    fn sync_data(&self) -> io::Result<()>;

    /// Makes all written bytes and all metadata of the file survive power loss.
    fn sync_all(&self) -> io::Result<()>;

    /// Forgets what the operating system keeps in memory of the file from `start` on and takes to be on the device: what is
    /// read there next is what is there. Written bytes that were not synced stay. For recovery: after a sync that failed, pages may count as
    /// written that never were, and nobody would know before they are gone.
    fn drop_clean_pages(&self, start: u64) -> io::Result<()>;

    /// Cuts or grows (with zeros) the file to `len` bytes.
    fn set_len(&self, len: u64) -> io::Result<()>;

    /// The file's length in bytes.
    fn len(&self) -> io::Result<u64>;

    /// Whether the file is empty.
    fn is_empty(&self) -> io::Result<bool> {
        Ok(self.len()? == 0)
    }

    /// Reads exactly `buf.len()` bytes at `offset`; error kind `UnexpectedEof` if the file ends before.
    fn read_exact_at(&self, buf: &mut [u8], offset: u64) -> io::Result<()> {
        match self.read_at(buf, offset)? {
            n if n == buf.len() => Ok(()),
            _ => Err(io::ErrorKind::UnexpectedEof.into()),
        }
    }
}
