//! `redb`'s storage back end over `vfs`, with the ballast.
//!
//! An error that reaches `redb` latches inside it until the database is reopened. A full disk must not do that: at
//! the first `ENOSPC` the ballast file is given up and the write retried. Whoever starts checkpoints looks at
//! [`Ballast::is_spent`] first and lets none begin until there is room again.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parking_lot::Mutex;
use vfs::{File, Open, Vfs};

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
    ballast: Arc<Ballast>,
}

impl Backend {
    pub(crate) fn open(vfs: &dyn Vfs, path: &Path, ballast: Arc<Ballast>) -> io::Result<Self> {
        Ok(Self { file: vfs.open(path, Open::Create)?, ballast })
    }

    fn with_ballast(&self, act: impl Fn() -> io::Result<()>) -> io::Result<()> {
        match act() {
            Err(error) if vfs::is_no_space(&error) && self.ballast.spend()? => act(),
            result => result,
        }
    }
}

impl redb::StorageBackend for Backend {
    fn len(&self) -> io::Result<u64> {
        self.file.len()
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        self.file.read_exact_at(out, offset)
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        self.with_ballast(|| self.file.set_len(len))
    }

    fn sync_data(&self) -> io::Result<()> {
        self.with_ballast(|| self.file.sync_data())
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        self.with_ballast(|| self.file.write_at(data, offset))
    }
}
