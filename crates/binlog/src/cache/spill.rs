//! The part of a transaction cache that does not fit in memory.

use std::path::Path;
use std::sync::Arc;

use vfs::{File, Open, Vfs};

use crate::error::Result;

/// A temporary file without a name. Never synced: it is worth nothing after a crash.
#[derive(Debug)]
pub(super) struct Spill {
    file: Arc<dyn File>,
    len: u64,
}

impl Spill {
    /// Creates the file and removes its name at once; its room is given back when the last handle goes.
    pub fn open(vfs: &dyn Vfs, path: &Path) -> Result<Self> {
        let file = vfs.open(path, Open::Create)?;
        vfs.remove_file(path)?;
        file.set_len(0)?;
        Ok(Self { file, len: 0 })
    }

    /// Bytes of events in the file.
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Writes whole events at the end. On an error the length stays, and the next write goes to the same place.
    pub fn append(&mut self, events: &[u8]) -> Result<()> {
        self.file.write_at(events, self.len)?;
        self.len += events.len() as u64;
        Ok(())
    }

    /// Forgets the bytes from `len` on; they are overwritten later.
    pub fn truncate(&mut self, len: u64) {
        assert!(len <= self.len, "a file is cut, not grown");
        self.len = len;
    }

    /// Fills `out` from `offset`.
    pub fn read_exact_at(&self, out: &mut [u8], offset: u64) -> Result<()> {
        Ok(self.file.read_exact_at(out, offset)?)
    }
}
