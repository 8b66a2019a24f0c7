//! A binlog file that is being written.
//!
//! Appends whole pieces at a tracked position; who waits for which sync is the caller's affair. An error of a write
//! or a sync is the caller's reason to stop the process: nothing here retries, and a file is not used after one.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use vfs::{File, Open, Vfs};

use crate::MAGIC;
use crate::error::Result;
use crate::event::FLAGS_OFFSET;

/// Where the IN_USE flag of FORMAT_DESCRIPTION stands in a file.
const IN_USE_OFFSET: u64 = (MAGIC.len() + FLAGS_OFFSET) as u64;

/// A file and where its next byte goes.
#[derive(Debug)]
pub struct LogFile {
    file: Arc<dyn File>,
    path: PathBuf,
    position: u64,
}

impl LogFile {
    /// Creates a file that holds exactly these bytes ([`crate::FileHeader`]) and syncs it. A file of that name is
    /// emptied: it can only be a rotation that a crash interrupted before the index named it, or one that recovery
    /// rebuilds.
    ///
    /// The name survives power loss once the directory is synced, which is the caller's next step.
    pub fn create(vfs: &dyn Vfs, path: &Path, header: &[u8]) -> Result<Self> {
        let file = vfs.open(path, Open::Create)?;
        file.set_len(0)?;
        let mut log = Self { file, path: path.to_owned(), position: 0 };
        log.append(header)?;
        log.file.sync_all()?;
        Ok(log)
    }

    /// Opens a file to go on at its end, or to cut it first ([`LogFile::truncate`]). Whether its bytes are on the disk is the
    /// caller's affair ([`File::drop_clean_pages`]).
    pub fn open(vfs: &dyn Vfs, path: &Path) -> Result<Self> {
        let file = vfs.open(path, Open::ReadWrite)?;
        let position = file.len()?;
        Ok(Self { file, path: path.to_owned(), position })
    }

    /// Where the next byte goes: the length of the file.
    pub fn position(&self) -> u64 {
        self.position
    }

    /// The file's path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The open file, for readers.
    pub fn file(&self) -> &Arc<dyn File> {
        &self.file
    }

    /// Writes whole events at the end.
    pub fn append(&mut self, events: &[u8]) -> Result<()> {
        self.file.write_at(events, self.position)?;
        self.position += events.len() as u64;
        Ok(())
    }

    /// Makes everything appended so far survive power loss.
    pub fn sync_data(&self) -> Result<()> {
        Ok(self.file.sync_data()?)
    }

    /// Cuts everything from `position` on and syncs: recovery's decision about the tail.
    ///
    /// # Panics
    /// If the file is shorter.
    pub fn truncate(&mut self, position: u64) -> Result<()> {
        assert!(position <= self.position, "a log is cut, never grown");
        self.file.set_len(position)?;
        self.position = position;
        Ok(self.file.sync_all()?)
    }

    /// Clears the IN_USE flag in place and syncs: the file is complete, its last event is a ROTATE or a STOP.
    ///
    /// The flag is for other tools. Recovery does not believe it, so it may reach the disk before the last events; and
    /// our reader does not mind if power was lost while these two bytes were written, but other tools do: recovery
    /// closes again whatever file may have been closed when the power went.
    pub fn close(self) -> Result<()> {
        self.file.write_at(&[0, 0], IN_USE_OFFSET)?;
        Ok(self.file.sync_all()?)
    }
}
