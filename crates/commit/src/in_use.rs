//! Binlog files that dump connections read: PURGE and expiry leave them, and all behind them, where they are.

use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;

use binlog::{CachedFile, ReadAt};
use parking_lot::Mutex;

/// How many read each file.
#[derive(Debug, Default)]
pub(crate) struct FilesInUse {
    /// By number. Rank: after the index.
    readers: Mutex<BTreeMap<u32, usize>>,
}

/// A file that is not removed while this lives.
#[derive(Debug)]
pub struct FileInUse {
    file: CachedFile,
    number: u32,
    all: Arc<FilesInUse>,
}

impl FilesInUse {
    /// The first file that is read, and by how many.
    pub(crate) fn first(&self) -> Option<(u32, usize)> {
        self.readers.lock().first_key_value().map(|(number, readers)| (*number, *readers))
    }

    /// Counts somebody who reads a file.
    pub(crate) fn begin(self: &Arc<Self>, number: u32, file: CachedFile) -> FileInUse {
        *self.readers.lock().entry(number).or_default() += 1;
        FileInUse { file, number, all: Arc::clone(self) }
    }
}

impl ReadAt for FileInUse {
    fn read_at(&self, buf: &mut [u8], offset: u64) -> io::Result<usize> {
        self.file.read_at(buf, offset)
    }

    fn len(&self) -> io::Result<u64> {
        self.file.len()
    }
}

impl Drop for FileInUse {
    fn drop(&mut self) {
        let mut readers = self.all.readers.lock();
        if let Some(count) = readers.get_mut(&self.number) {
            *count -= 1;
            if *count == 0 {
                readers.remove(&self.number);
            }
        }
    }
}
