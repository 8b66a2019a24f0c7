//! A binlog file that is being written.
//!
//! Appends whole pieces at a tracked position; who waits for which sync is the caller's affair. An error of a write
//! or a sync is the caller's reason to stop the process: nothing here retries, and a file is not used after one.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use vfs::{AlignedBuf, DURABLE_ALIGN, File, Open, Vfs};

use crate::MAGIC;
use crate::error::Result;
use crate::event::FLAGS_OFFSET;

/// Where the IN_USE flag of FORMAT_DESCRIPTION stands in a file.
const IN_USE_OFFSET: u64 = (MAGIC.len() + FLAGS_OFFSET) as u64;

/// Fewer bytes are not worth it to pass by the operating system's cache.
const UNCACHED_MIN: usize = 64 << 10;

/// Bytes that pass by it at a time: what a device takes in about a millisecond.
const UNCACHED_PIECE: usize = 1 << 20;

/// A file and where its next byte goes.
#[derive(Debug)]
pub struct LogFile {
    file: Arc<dyn File>,
    path: PathBuf,
    position: u64,
    /// Memory for bytes that pass by the operating system's cache.
    blocks: AlignedBuf,
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
        let mut log = Self { file, path: path.to_owned(), position: 0, blocks: AlignedBuf::new() };
        log.append(header)?;
        log.file.sync_all()?;
        Ok(log)
    }

    /// Opens a file to go on at its end, or to cut it first ([`LogFile::truncate`]). Whether its bytes are on the disk is the
    /// caller's affair ([`File::drop_clean_pages`]).
    pub fn open(vfs: &dyn Vfs, path: &Path) -> Result<Self> {
        let file = vfs.open(path, Open::ReadWrite)?;
        let position = file.len()?;
        Ok(Self { file, path: path.to_owned(), position, blocks: AlignedBuf::new() })
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

    /// The same, for bytes that nobody waits for or is about to read: many of them go past the operating system's cache, in whole
    /// blocks. What is before and behind those goes through it: no byte is written twice.
    ///
    /// A growing file takes new pages of memory all the time, which the host of a virtual machine has to find first: with rows of 1.1 KB
    /// that took 3 us a transaction, an eighth of what the server did.
    pub fn append_uncached(&mut self, events: &[u8]) -> Result<()> {
        if events.len() < UNCACHED_MIN {
            return self.append(events);
        }
        let before = self.position.next_multiple_of(DURABLE_ALIGN as u64) - self.position;
        let (head, rest) = events.split_at(usize::try_from(before).expect("less than a block"));
        let (blocks, tail) = rest.split_at(rest.len() - rest.len() % DURABLE_ALIGN);
        self.append(head)?;
        for piece in blocks.chunks(UNCACHED_PIECE) {
            self.blocks.clear();
            self.blocks.extend_from_slice(piece);
            self.file.write_uncached_at(&self.blocks, self.position)?;
            self.position += piece.len() as u64;
        }
        self.append(tail)
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
