//! An open file of a simulated disk.

use std::fmt;
use std::io;
use std::path::Path;
use std::sync::Arc;

use rustix::io::Errno;

use super::content::FILE_BYTES_MAX;
use super::dir::InodeId;
use super::disk::SimDisk;
use super::effect::{Effect, OpKind};
use super::inode::Piece;
use crate::File;
use crate::aligned::assert_aligned;
use crate::error::at;

/// A handle. It keeps its file alive, whatever becomes of the name.
pub(super) struct SimFile {
    disk: SimDisk,
    inode: InodeId,
    path: Arc<str>,
    writable: bool,
}

impl SimFile {
    /// The caller has counted the handle, under the lock with which it found the file.
    pub(super) fn new(disk: SimDisk, inode: InodeId, path: Arc<str>, writable: bool) -> Self {
        Self { disk, inode, path, writable }
    }

    fn change(&self, kind: OpKind, end: u64, effect: &Effect) -> io::Result<()> {
        if !self.writable {
            return Err(Errno::BADF.into());
        }
        if end > FILE_BYTES_MAX {
            return Err(Errno::FBIG.into());
        }
        self.disk.live().run(kind, &self.path, effect)
    }

    fn write(
        &self,
        kind: OpKind,
        effect: fn(InodeId, Piece) -> Effect,
        data: &[u8],
        offset: u64,
    ) -> io::Result<()> {
        if data.is_empty() {
            return Ok(());
        }
        let end = offset.saturating_add(data.len() as u64);
        self.change(kind, end, &effect(self.inode, Piece::new(offset, data)))
    }

    fn sync(&self, kind: OpKind, effect: &Effect) -> io::Result<()> {
        self.disk.live().run(kind, &self.path, effect)
    }

    fn at(&self, operation: &'static str) -> impl FnOnce(io::Error) -> io::Error {
        at(operation, Path::new(&*self.path))
    }
}

impl File for SimFile {
    fn read_at(&self, buf: &mut [u8], offset: u64) -> io::Result<usize> {
        let mut live = self.disk.live();
        live.read(&self.path).map_err(self.at("read_at"))?;
        Ok(live.state.inode(self.inode).cached().read(buf, offset))
    }

    fn write_at(&self, data: &[u8], offset: u64) -> io::Result<()> {
        self.write(OpKind::Write, Effect::Write, data, offset).map_err(self.at("write_at"))
    }

    fn write_durable_at(&self, data: &[u8], offset: u64) -> io::Result<()> {
        assert_aligned(data, offset);
        let written = self.write(OpKind::WriteDurable, Effect::WriteDurable, data, offset);
        written.map_err(self.at("write_durable_at"))
    }

    fn write_uncached_at(&self, data: &[u8], offset: u64) -> io::Result<()> {
        assert_aligned(data, offset);
        let written = self.write(OpKind::WriteUncached, Effect::Write, data, offset);
        written.map_err(self.at("write_uncached_at"))
    }

    fn sync_data(&self) -> io::Result<()> {
        self.sync(OpKind::SyncData, &Effect::SyncData(self.inode)).map_err(self.at("sync_data"))
    }

    fn sync_all(&self) -> io::Result<()> {
        self.sync(OpKind::SyncAll, &Effect::SyncAll(self.inode)).map_err(self.at("sync_all"))
    }

    fn drop_clean_pages(&self, start: u64) -> io::Result<()> {
        // Where the memory tells the truth there is nothing to do, and no operation to number.
        if !self.disk.live().state.inode(self.inode).is_diverged() {
            return Ok(());
        }
        let effect = Effect::DropCleanPages(self.inode, start);
        self.sync(OpKind::DropCleanPages, &effect).map_err(self.at("drop_clean_pages"))
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        let effect = Effect::SetLen(self.inode, len);
        self.change(OpKind::SetLen, len, &effect).map_err(self.at("set_len"))
    }

    fn len(&self) -> io::Result<u64> {
        Ok(self.disk.live().state.inode(self.inode).cached().len())
    }
}

impl Drop for SimFile {
    fn drop(&mut self) {
        self.disk.live().closed(self.inode);
    }
}

impl fmt::Debug for SimFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SimFile").field("path", &self.path).finish_non_exhaustive()
    }
}
