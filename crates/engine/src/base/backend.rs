//! `redb`'s storage back end over `vfs`.
//!
//! An error that reaches `redb` latches inside it until the database is reopened. A full disk must not do that: the file
//! is one of [`vfs::WithBallast`].

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::Mutex;
use vfs::{File, Open, Vfs};

use super::header::{HeaderPage, PAGE_SIZE, SHIFT};

/// The base's file as `redb` sees it.
#[derive(Debug)]
pub(crate) struct Backend {
    file: Arc<dyn File>,
    /// Rank: before the ballast's.
    header: Mutex<HeaderPage>,
    /// Bytes that were written.
    written: Arc<AtomicU64>,
}

impl Backend {
    /// Counts what it writes in `written`.
    pub(crate) fn open(vfs: &dyn Vfs, path: &Path, written: Arc<AtomicU64>) -> io::Result<Self> {
        let file = vfs.open(path, Open::Create)?;
        file.drop_clean_pages()?;
        let header = Mutex::new(HeaderPage::open(&file)?);
        Ok(Self { file, header, written })
    }
}

impl redb::StorageBackend for Backend {
    /// In whole pages, as `redb` insists: a write that was cut short when the file grew leaves a part of one, which no
    /// commit can have had a use for.
    fn len(&self) -> io::Result<u64> {
        let len = self.file.len()?.saturating_sub(SHIFT);
        Ok(len - len % PAGE_SIZE as u64)
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
        self.file.set_len(len + SHIFT)
    }

    fn sync_data(&self) -> io::Result<()> {
        let mut header = self.header.lock();
        self.file.sync_data()?;
        header.synced();
        Ok(())
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        self.written.fetch_add(data.len() as u64, Ordering::Relaxed);
        match usize::try_from(offset) {
            Ok(offset) if offset < PAGE_SIZE => {
                let (head, rest) = data.split_at(data.len().min(PAGE_SIZE - offset));
                let mut header = self.header.lock();
                header.write(&self.file, offset, head)?;
                if rest.is_empty() {
                    return Ok(());
                }
                self.file.write_at(rest, PAGE_SIZE as u64 + SHIFT)
            }
            _ => self.file.write_at(data, offset + SHIFT),
        }
    }
}

#[cfg(test)]
mod tests {
    use vfs::sim::SimDisk;

    use crate::base::{Base, Slice};

    use super::*;

    #[test]
    fn a_file_that_ends_within_a_page_opens() {
        let disk: Arc<dyn Vfs> = Arc::new(SimDisk::new());
        let open = || Base::open(&disk, Path::new("/"), 1 << 20, 0);
        open().unwrap().commit(&Slice { changes: &[], facts: &[("x", b"1")] }).unwrap();
        let file = disk.open(Path::new("/base.redb"), Open::ReadWrite).unwrap();
        file.write_at(&[7; 100], file.len().unwrap()).unwrap();
        let base = open().unwrap();
        assert_eq!(base.fact("x").unwrap().as_deref(), Some(&b"1"[..]));
        base.commit(&Slice { changes: &[], facts: &[("x", b"2")] }).unwrap();
    }
}
