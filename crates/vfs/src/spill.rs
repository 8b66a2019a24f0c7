//! Bytes that do not fit in memory.

use std::io;
use std::path::Path;
use std::sync::Arc;

use crate::{File, Open, Vfs};

/// A temporary file without a name. Never synced: it is worth nothing after a crash.
#[derive(Debug)]
pub struct Spill {
    file: Arc<dyn File>,
    len: u64,
}

impl Spill {
    /// Creates the file, as [`Open::Spill`] or [`Open::Kept`], and removes its name at once; its room is given back when the last
    /// handle goes.
    pub fn open(vfs: &dyn Vfs, path: &Path, how: Open) -> io::Result<Self> {
        let opened = vfs.open(path, how);
        let removed = vfs.remove_file(path);
        let file = opened?;
        removed?;
        file.set_len(0)?;
        Ok(Self { file, len: 0 })
    }

    /// Bytes in the file.
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Writes at the end. On an error the length stays, and the next write goes to the same place.
    pub fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.file.write_at(bytes, self.len)?;
        self.len += bytes.len() as u64;
        Ok(())
    }

    /// Forgets the bytes from `len` on; they are overwritten later.
    pub fn truncate(&mut self, len: u64) {
        assert!(len <= self.len, "a file is cut, not grown");
        self.len = len;
    }

    /// Fills `out` from `offset`.
    pub fn read_exact_at(&self, out: &mut [u8], offset: u64) -> io::Result<()> {
        self.file.read_exact_at(out, offset)
    }
}
