//! What a reader reads from.

use std::fmt::Debug;
use std::io;
use std::sync::Arc;

use vfs::File;

/// Bytes at positions: a file, or a file through a cache.
#[expect(clippy::len_without_is_empty, reason = "a reader asks only how long it is")]
pub trait ReadAt: Debug + Send + Sync {
    /// Reads up to `buf.len()` bytes at `offset`: at least one unless that is the end.
    fn read_at(&self, buf: &mut [u8], offset: u64) -> io::Result<usize>;

    /// The length in bytes.
    fn len(&self) -> io::Result<u64>;
}

impl ReadAt for Arc<dyn File> {
    fn read_at(&self, buf: &mut [u8], offset: u64) -> io::Result<usize> {
        (**self).read_at(buf, offset)
    }

    fn len(&self) -> io::Result<u64> {
        (**self).len()
    }
}

impl ReadAt for Box<dyn ReadAt> {
    fn read_at(&self, buf: &mut [u8], offset: u64) -> io::Result<usize> {
        (**self).read_at(buf, offset)
    }

    fn len(&self) -> io::Result<u64> {
        (**self).len()
    }
}
