//! `redb`'s storage back end over `vfs`, with the ballast.
//!
//! An error that reaches `redb` latches inside it until the database is reopened. A full disk must not do that: at
//! the first `ENOSPC` the ballast file is given up and the write retried. Whoever starts checkpoints looks at
//! [`Ballast::is_spent`] first and lets none begin until there is room again.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::Mutex;
use vfs::{File, Open, Vfs};

use super::header::{HeaderPage, PAGE_SIZE, SHIFT};

/// Written in pieces of this many bytes when the ballast is made.
const PIECE: usize = 1 << 20;

/// A file that exists to be removed when the disk is full.
#[derive(Debug)]
pub struct Ballast {
    vfs: Arc<dyn Vfs>,
    path: PathBuf,
    size: u64,
    /// Whether the file is there. Rank: last.
    present: Mutex<bool>,
}

impl Ballast {
    /// Takes over or makes the file of `size` bytes. That it cannot be made is no error: it is spent then.
    pub fn open(vfs: Arc<dyn Vfs>, path: PathBuf, size: u64) -> io::Result<Self> {
        let ballast = Self { vfs, path, size, present: Mutex::new(false) };
        ballast.restore()?;
        Ok(ballast)
    }

    /// No ballast at all.
    pub(crate) fn none(vfs: &Arc<dyn Vfs>) -> Self {
        Self { vfs: Arc::clone(vfs), path: PathBuf::new(), size: 0, present: Mutex::new(false) }
    }

    /// Whether the room was given up and not regained.
    pub fn is_spent(&self) -> bool {
        !*self.present.lock()
    }

    /// Tries to make the file again; returns whether it is there.
    pub fn restore(&self) -> io::Result<bool> {
        let mut present = self.present.lock();
        if !*present {
            *present = match self.fill() {
                Ok(()) => true,
                Err(error) if vfs::is_no_space(&error) => {
                    self.vfs.remove_file(&self.path)?;
                    false
                }
                Err(error) => return Err(error),
            };
        }
        Ok(*present)
    }

    fn fill(&self) -> io::Result<()> {
        let file = self.vfs.open(&self.path, Open::Create)?;
        let mut at = file.len()?;
        if at >= self.size {
            return Ok(());
        }
        let zeros = vec![0; PIECE];
        while at < self.size {
            let piece = usize::try_from(self.size - at).unwrap_or(PIECE).min(PIECE);
            file.write_at(&zeros[..piece], at)?;
            at += piece as u64;
        }
        file.sync_all()
    }

    /// Gives the room up. Returns whether there was any.
    fn spend(&self) -> io::Result<bool> {
        let mut present = self.present.lock();
        if *present {
            self.vfs.remove_file(&self.path)?;
            *present = false;
            return Ok(true);
        }
        Ok(false)
    }
}

/// The base's file as `redb` sees it.
#[derive(Debug)]
pub(crate) struct Backend {
    file: Arc<dyn File>,
    /// Rank: before the ballast's.
    header: Mutex<HeaderPage>,
    ballast: Arc<Ballast>,
    /// Bytes that were written.
    written: Arc<AtomicU64>,
}

impl Backend {
    /// Counts what it writes in `written`.
    pub(crate) fn open(
        vfs: &dyn Vfs,
        path: &Path,
        ballast: Arc<Ballast>,
        written: Arc<AtomicU64>,
    ) -> io::Result<Self> {
        let file = vfs.open(path, Open::Create)?;
        let header = Mutex::new(HeaderPage::open(&file)?);
        Ok(Self { file, header, ballast, written })
    }

    fn with_ballast(&self, mut act: impl FnMut() -> io::Result<()>) -> io::Result<()> {
        match act() {
            Err(error) if vfs::is_no_space(&error) && self.ballast.spend()? => act(),
            result => result,
        }
    }
}

impl redb::StorageBackend for Backend {
    fn len(&self) -> io::Result<u64> {
        Ok(self.file.len()?.saturating_sub(SHIFT))
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        match usize::try_from(offset) {
            Ok(offset) if offset < PAGE_SIZE => {
                let (head, rest) = out.split_at_mut(out.len().min(PAGE_SIZE - offset));
                self.header.lock().read(offset, head);
                if rest.is_empty() { Ok(()) } else { self.file.read_exact_at(rest, PAGE_SIZE as u64 + SHIFT) }
            }
            _ => self.file.read_exact_at(out, offset + SHIFT),
        }
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        self.with_ballast(|| self.file.set_len(len + SHIFT))
    }

    fn sync_data(&self) -> io::Result<()> {
        let mut header = self.header.lock();
        self.with_ballast(|| self.file.sync_data())?;
        header.synced();
        Ok(())
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        self.written.fetch_add(data.len() as u64, Ordering::Relaxed);
        match usize::try_from(offset) {
            Ok(offset) if offset < PAGE_SIZE => {
                let (head, rest) = data.split_at(data.len().min(PAGE_SIZE - offset));
                let mut header = self.header.lock();
                self.with_ballast(|| header.write(&self.file, offset, head))?;
                if rest.is_empty() {
                    return Ok(());
                }
                self.with_ballast(|| self.file.write_at(rest, PAGE_SIZE as u64 + SHIFT))
            }
            _ => self.with_ballast(|| self.file.write_at(data, offset + SHIFT)),
        }
    }
}
