//! A binlog file as recovery reads and mends it: from front to back, a transaction at a time, while nobody else writes it.

use std::io;
use std::ops::Range;
use std::sync::Arc;

use vfs::File;

/// Bytes read at a time.
const WINDOW_SIZE: u64 = 1 << 20;

/// See the module.
#[derive(Debug)]
pub(super) struct KnownFile {
    file: Arc<dyn File>,
    len: u64,
    /// What was read last, and where it begins in the file.
    window: Vec<u8>,
    start: u64,
    /// What is read from here on is what the disk has.
    disk_from: u64,
    bytes_read: u64,
}

impl KnownFile {
    pub(super) fn new(file: Arc<dyn File>) -> io::Result<Self> {
        let len = file.len()?;
        Ok(Self { file, len, window: Vec::new(), start: 0, disk_from: u64::MAX, bytes_read: 0 })
    }

    pub(super) fn len(&self) -> u64 {
        self.len
    }

    /// Bytes read since the last call.
    pub(super) fn take_bytes_read(&mut self) -> u64 {
        std::mem::take(&mut self.bytes_read)
    }

    /// Whether these bytes are there at a position.
    pub(super) fn holds(&mut self, mut position: u64, mut bytes: &[u8]) -> io::Result<bool> {
        while !bytes.is_empty() {
            let found = self.from(position)?;
            let (wanted, rest) = bytes.split_at(bytes.len().min(found.len()));
            if found.is_empty() || !found.starts_with(wanted) {
                return Ok(false);
            }
            position += wanted.len() as u64;
            bytes = rest;
        }
        Ok(true)
    }

    /// The CRC32C of a part of the file; `None` if the file ends before that does.
    pub(super) fn crc32c(&mut self, mut part: Range<u64>) -> io::Result<Option<u32>> {
        let mut crc = 0;
        while !part.is_empty() {
            let found = self.from(part.start)?;
            if found.is_empty() {
                return Ok(None);
            }
            let wanted = usize::try_from(part.end - part.start).unwrap_or(usize::MAX);
            let found = &found[..wanted.min(found.len())];
            crc = crc32c::crc32c_append(crc, found);
            part.start += found.len() as u64;
        }
        Ok(Some(crc))
    }

    /// Writes at a position that the file reaches.
    pub(super) fn write(&mut self, position: u64, bytes: &[u8]) -> io::Result<()> {
        self.file.write_at(bytes, position)?;
        let end = position + bytes.len() as u64;
        self.len = self.len.max(end);
        let from = position.max(self.start);
        let to = end.min(self.start + self.window.len() as u64);
        if from < to {
            let within = |start: u64| offset(from - start)..offset(to - start);
            self.window[within(self.start)].copy_from_slice(&bytes[within(position)]);
        }
        Ok(())
    }

    /// Bytes from a position on, as many as are at hand; none at the end of the file.
    fn from(&mut self, position: u64) -> io::Result<&[u8]> {
        if position < self.start || position >= self.start + self.window.len() as u64 {
            if position < self.disk_from {
                // Not of all: a file of which much is in memory may be large.
                self.file.drop_clean_pages(position)?;
                self.disk_from = position;
            }
            let mut window = std::mem::take(&mut self.window);
            window.resize(offset(self.len.saturating_sub(position).min(WINDOW_SIZE)), 0);
            let read = self.file.read_at(&mut window, position)?;
            window.truncate(read);
            self.bytes_read += read as u64;
            (self.window, self.start) = (window, position);
        }
        Ok(&self.window[offset(position - self.start)..])
    }
}

fn offset(within_window: u64) -> usize {
    usize::try_from(within_window).expect("a window is small")
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use vfs::sim::SimDisk;
    use vfs::{Open, Vfs};

    use super::*;

    #[test]
    fn what_is_written_is_seen_within_a_window_and_behind_it() {
        let vfs = SimDisk::new();
        let file = vfs.open(Path::new("/binlog.000001"), Open::Create).unwrap();
        let mut bytes: Vec<u8> = (0..=250).cycle().take(offset(WINDOW_SIZE) * 5 / 2).collect();
        file.write_at(&bytes, 0).unwrap();
        let mut known = KnownFile::new(Arc::clone(&file)).unwrap();
        let whole = 0..bytes.len() as u64;
        assert!(known.holds(0, &bytes).unwrap());
        assert_eq!(known.take_bytes_read(), whole.end, "each byte is read once");
        assert_eq!(known.crc32c(whole.clone()).unwrap(), Some(crc32c::crc32c(&bytes)));
        assert_eq!(known.crc32c(0..whole.end + 1).unwrap(), None);
        // Before, across the edges of, and within what was read last; and at the end.
        for position in
            [0, WINDOW_SIZE - 3, 2 * WINDOW_SIZE - 3, 2 * WINDOW_SIZE + 9, whole.end - 5, whole.end]
        {
            assert!(known.from(2 * WINDOW_SIZE).is_ok());
            known.write(position, b"otherwise").unwrap();
            bytes.resize(bytes.len().max(offset(position) + 9), 0);
            bytes[offset(position)..][..9].copy_from_slice(b"otherwise");
            assert!(known.holds(position, b"otherwise").unwrap());
            assert!(!known.holds(position, b"as it was").unwrap());
            assert!(known.holds(0, &bytes).unwrap());
            assert_eq!(known.len(), file.len().unwrap());
        }
        assert!(!known.holds(known.len() - 1, b"more").unwrap());
        assert!(
            !known.holds(known.len() + 1, b"more").unwrap() && known.holds(known.len() + 1, b"").unwrap()
        );
    }
}
