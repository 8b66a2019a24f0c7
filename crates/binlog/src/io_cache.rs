//! The binlog I/O cache: the bytes that were appended last, kept in memory for readers.
//!
//! One ring of bytes for all files: a byte's place in the ring follows from how many were appended before it, and a
//! **span** says which file and position a run of them belongs to. Bytes enter after they are written to their file, or, while
//! somebody follows the log, before that: then they are written from here ([`IoCache::copy`]) before they leave, which is the
//! writer's affair. So a reader finds in the file what it does not find here, and never the other way round. Files' first
//! bytes, which change in place when a file is closed, do not enter.
//!
//! One lock, held for copying alone: a reader copies at most [`COPY_MAX`] bytes at a time. Rejected: a ring without a
//! lock, whose readers would have to copy memory that is being overwritten and check afterwards that it was not.
//!
//! Modelled on Aurora MySQL's cache of the same name; the counters are its `aurora_binlog_io_cache_*`.

use std::collections::VecDeque;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::Mutex;
use vfs::File;

use crate::reader::ReadAt;

/// Bytes that a reader copies in one hold of the lock: about 10 us.
const COPY_MAX: usize = 64 << 10;

/// Spans that are kept: one for each file, and there are files of a few bytes.
const SPANS_MAX: usize = 1024;

/// See the module.
#[derive(Debug)]
pub struct IoCache {
    /// Rank: last. Held for copying alone.
    ring: Mutex<Ring>,
    size: usize,
    requests: AtomicU64,
    hits: AtomicU64,
}

#[derive(Debug)]
struct Ring {
    bytes: Box<[u8]>,
    /// Bytes ever appended; the last of them are in the ring.
    appended: u64,
    /// By file and position.
    spans: VecDeque<Span>,
    /// How often the log was begun anew.
    resets: u32,
}

/// A file of the log, told from one of the same number in the log that a RESET has ended. Ascends as the log goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct FileKey {
    resets: u32,
    number: u32,
}

/// A run of bytes of one file; it ends where the next one begins.
#[derive(Clone, Copy, Debug)]
struct Span {
    file: FileKey,
    /// Where it begins in the file.
    position: u64,
    /// How many bytes were appended before it.
    before: u64,
}

/// What the cache has at a place of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    /// So many bytes, at least one; they have been copied.
    Bytes(usize),
    /// Nothing, and nothing before this position of the file either.
    NothingBefore(u64),
}

impl IoCache {
    /// A cache of so many bytes; 0 = none.
    pub fn new(size: usize) -> Self {
        let ring = Ring { bytes: vec![0; size].into(), appended: 0, spans: VecDeque::new(), resets: 0 };
        Self { ring: Mutex::new(ring), size, requests: AtomicU64::new(0), hits: AtomicU64::new(0) }
    }

    /// Bytes of memory.
    pub fn size(&self) -> usize {
        self.size
    }

    /// The same (`Onelog_binlog_io_cache_allocated`).
    pub fn allocated(&self) -> u64 {
        self.size as u64
    }

    /// Reads that came here (`Onelog_binlog_io_cache_read_requests`).
    pub fn read_requests(&self) -> u64 {
        self.requests.load(Ordering::Relaxed)
    }

    /// Those of them that were served (`Onelog_binlog_io_cache_reads`).
    pub fn reads(&self) -> u64 {
        self.hits.load(Ordering::Relaxed)
    }

    /// Takes over bytes that stand in a file at a position, or will.
    pub fn append(&self, file: u32, position: u64, bytes: &[u8]) {
        if self.size > 0 && !bytes.is_empty() {
            let mut ring = self.ring.lock();
            let file = ring.key(file);
            ring.append(file, position, bytes);
        }
    }

    /// Something was written that does not enter: whatever is here no longer ends where its file does.
    pub fn forget(&self) {
        if self.size > 0 {
            self.ring.lock().spans.clear();
        }
    }

    /// The log begins anew: what was appended belongs to other files than those that come, whatever their numbers.
    pub fn begin_anew(&self) {
        self.ring.lock().resets += 1;
    }

    /// Copies bytes of a file from a position on into `buf`, as many as are at hand and fit in one go.
    pub fn read(&self, file: u32, position: u64, buf: &mut [u8]) -> Found {
        self.read_of(self.key(file), position, buf)
    }

    /// Copies bytes of a file from a position on, for who writes them there.
    ///
    /// # Panics
    /// If they are not all here.
    pub fn copy(&self, file: u32, position: u64, buf: &mut [u8]) {
        let mut done = 0;
        while done < buf.len() {
            let ring = self.ring.lock();
            let found = ring.read(ring.key(file), position + done as u64, &mut buf[done..]);
            let Found::Bytes(count) = found else {
                panic!("bytes have left the cache before they were written")
            };
            done += count;
        }
    }

    fn key(&self, number: u32) -> FileKey {
        self.ring.lock().key(number)
    }

    fn read_of(&self, file: FileKey, position: u64, buf: &mut [u8]) -> Found {
        if self.size == 0 || buf.is_empty() {
            return Found::NothingBefore(u64::MAX);
        }
        let found = self.ring.lock().read(file, position, buf);
        self.requests.fetch_add(1, Ordering::Relaxed);
        if matches!(found, Found::Bytes(_)) {
            self.hits.fetch_add(1, Ordering::Relaxed);
        }
        found
    }

    /// Whether the byte at a position of a file is here.
    pub fn holds(&self, file: u32, position: u64) -> bool {
        let ring = self.ring.lock();
        self.size > 0 && matches!(ring.read(ring.key(file), position, &mut [0]), Found::Bytes(_))
    }

    /// The length of a file, if its last bytes are here.
    pub fn end_of(&self, file: u32) -> Option<u64> {
        self.end_of_key(self.key(file))
    }

    fn end_of_key(&self, file: FileKey) -> Option<u64> {
        let ring = self.ring.lock();
        let index = ring.spans.partition_point(|span| span.file <= file).checked_sub(1)?;
        let span = ring.spans.get(index).filter(|span| span.file == file)?;
        let end = ring.end(index);
        (end > ring.oldest()).then(|| span.position + (end - span.before))
    }
}

impl Ring {
    fn key(&self, number: u32) -> FileKey {
        FileKey { resets: self.resets, number }
    }

    /// How many bytes were appended before the first that is still here.
    fn oldest(&self) -> u64 {
        self.appended.saturating_sub(self.bytes.len() as u64)
    }

    /// How many bytes were appended up to the end of a span.
    fn end(&self, index: usize) -> u64 {
        self.spans.get(index + 1).map_or(self.appended, |next| next.before)
    }

    /// The place of a byte before which so many were appended.
    fn place(&self, before: u64) -> usize {
        usize::try_from(before % self.bytes.len() as u64).expect("below the length of a slice")
    }

    fn append(&mut self, file: FileKey, position: u64, bytes: &[u8]) {
        if let Some(last) = self.spans.back() {
            let end = (last.file, last.position + (self.appended - last.before));
            if (file, position) != end {
                self.spans.push_back(Span { file, position, before: self.appended });
            }
        } else {
            self.spans.push_back(Span { file, position, before: self.appended });
        }
        // Of more than fits, only the end will be kept.
        let skipped = bytes.len().saturating_sub(self.bytes.len());
        let place = self.place(self.appended + skipped as u64);
        let kept = &bytes[skipped..];
        let (until_end, rest) = kept.split_at(kept.len().min(self.bytes.len() - place));
        self.bytes[place..][..until_end.len()].copy_from_slice(until_end);
        self.bytes[..rest.len()].copy_from_slice(rest);
        self.appended += bytes.len() as u64;
        while self.spans.len() > 1 && (self.end(0) <= self.oldest() || self.spans.len() > SPANS_MAX) {
            self.spans.pop_front();
        }
    }

    fn read(&self, file: FileKey, position: u64, buf: &mut [u8]) -> Found {
        let behind = self.spans.partition_point(|span| (span.file, span.position) <= (file, position));
        let next = || {
            let next = self.spans.get(behind).filter(|span| span.file == file);
            Found::NothingBefore(next.map_or(u64::MAX, |span| self.first(span)))
        };
        let Some(index) = behind.checked_sub(1).filter(|index| self.spans[*index].file == file) else {
            return next();
        };
        let span = self.spans[index];
        let before = span.before + (position - span.position);
        if before >= self.end(index) {
            return next();
        }
        if before < self.oldest() {
            return match self.first(&span) {
                first if first < span.position + (self.end(index) - span.before) => {
                    Found::NothingBefore(first)
                }
                _ => next(),
            };
        }
        let count = usize::try_from(self.end(index) - before).unwrap_or(usize::MAX);
        let count = count.min(buf.len()).min(COPY_MAX);
        let place = self.place(before);
        let until_end = count.min(self.bytes.len() - place);
        buf[..until_end].copy_from_slice(&self.bytes[place..][..until_end]);
        buf[until_end..count].copy_from_slice(&self.bytes[..count - until_end]);
        Found::Bytes(count)
    }

    /// The position in its file of a span's first byte that is still here.
    fn first(&self, span: &Span) -> u64 {
        span.position + self.oldest().saturating_sub(span.before)
    }
}

/// A file that is read through the cache: what it has not comes from the disk.
#[derive(Debug)]
pub struct CachedFile {
    cache: Arc<IoCache>,
    key: FileKey,
    file: Arc<dyn File>,
}

impl CachedFile {
    /// The binlog file of that number in the log as it is now.
    pub fn new(cache: Arc<IoCache>, number: u32, file: Arc<dyn File>) -> Self {
        Self { key: cache.key(number), cache, file }
    }
}

impl ReadAt for CachedFile {
    fn read_at(&self, buf: &mut [u8], offset: u64) -> io::Result<usize> {
        match self.cache.read_of(self.key, offset, buf) {
            Found::Bytes(count) => Ok(count),
            Found::NothingBefore(position) => {
                let count = usize::try_from(position.saturating_sub(offset)).unwrap_or(usize::MAX);
                let count = count.min(buf.len());
                self.file.read_at(&mut buf[..count], offset)
            }
        }
    }

    fn len(&self) -> io::Result<u64> {
        self.cache.end_of_key(self.key).map_or_else(|| self.file.len(), Ok)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(cache: &IoCache, file: u32, position: u64, size: usize) -> Result<Vec<u8>, u64> {
        let mut buf = vec![0; size];
        match cache.read(file, position, &mut buf) {
            Found::Bytes(count) => Ok(buf[..count].to_vec()),
            Found::NothingBefore(next) => Err(next),
        }
    }

    #[test]
    fn the_last_bytes_are_kept_and_those_before_are_said_to_be_gone() {
        let cache = IoCache::new(10);
        cache.append(3, 100, b"abcdef");
        assert_eq!(read(&cache, 3, 100, 9), Ok(b"abcdef".to_vec()));
        assert_eq!(read(&cache, 3, 104, 9), Ok(b"ef".to_vec()));
        assert_eq!(read(&cache, 3, 106, 9), Err(u64::MAX), "not appended yet");
        assert_eq!(read(&cache, 3, 4, 9), Err(100), "the file's first bytes do not enter");
        cache.append(3, 106, b"ghijklm");
        assert_eq!(read(&cache, 3, 100, 9), Err(103), "a reader that fell behind");
        assert_eq!(read(&cache, 3, 103, 20), Ok(b"defghijklm".to_vec()));
        assert_eq!(read(&cache, 3, 108, 3), Ok(b"ijk".to_vec()));
        cache.append(3, 113, b"a piece that is larger than the whole cache");
        assert_eq!(read(&cache, 3, 113, 20), Err(146));
        assert_eq!(read(&cache, 3, 146, 20), Ok(b"hole cache".to_vec()));
        assert_eq!((cache.read_requests(), cache.reads()), (9, 5));
        assert!(cache.holds(3, 146) && !cache.holds(3, 145) && !cache.holds(3, 156) && !cache.holds(2, 146));
        assert_eq!(cache.allocated(), 10);
    }

    #[test]
    fn a_rotation_begins_a_span_of_its_own() {
        let cache = IoCache::new(16);
        cache.append(1, 50, b"old");
        cache.append(1, 53, b"ROTATE");
        cache.append(2, 120, b"new");
        assert_eq!(read(&cache, 1, 50, 99), Ok(b"oldROTATE".to_vec()), "nothing of the next file");
        assert_eq!(read(&cache, 2, 120, 99), Ok(b"new".to_vec()));
        assert_eq!(read(&cache, 2, 0, 99), Err(120));
        assert_eq!(read(&cache, 3, 0, 99), Err(u64::MAX));
        assert_eq!((cache.end_of(1), cache.end_of(2), cache.end_of(3)), (Some(59), Some(123), None));
        cache.append(2, 123, b"0123456789");
        assert_eq!(read(&cache, 1, 50, 99), Err(56));
        assert_eq!(read(&cache, 1, 56, 99), Ok(b"ATE".to_vec()));
        cache.append(2, 133, b"abc");
        assert_eq!(read(&cache, 1, 56, 99), Err(u64::MAX));
        assert_eq!((cache.end_of(1), cache.end_of(2)), (None, Some(136)));
        cache.begin_anew();
        assert_eq!(read(&cache, 2, 123, 99), Err(u64::MAX));
        cache.append(1, 10, b"after RESET");
        assert_eq!(read(&cache, 2, 123, 99), Err(u64::MAX));
        assert_eq!(read(&cache, 1, 10, 99), Ok(b"after RESET".to_vec()));
    }

    #[test]
    fn who_writes_bytes_has_all_of_them_from_here() {
        let cache = IoCache::new(4 * COPY_MAX);
        let bytes: Vec<u8> = (0..=255).cycle().take(3 * COPY_MAX).collect();
        cache.append(1, 10, b"before");
        cache.append(2, 100, &bytes);
        let mut buf = vec![0; 2 * COPY_MAX + 7];
        cache.copy(2, 105, &mut buf);
        assert_eq!(buf, bytes[5..][..buf.len()]);
        cache.copy(1, 13, &mut buf[..3]);
        assert_eq!(buf[..3], *b"ore");
        assert_eq!((cache.read_requests(), cache.reads()), (0, 0), "nobody has read");
        let mut more = vec![0; 4];
        let beyond = std::panic::AssertUnwindSafe(|| cache.copy(1, 13, &mut more));
        assert!(std::panic::catch_unwind(beyond).is_err());
    }

    #[test]
    fn what_is_behind_bytes_that_do_not_enter_is_a_new_beginning() {
        let cache = IoCache::new(16);
        cache.append(1, 50, b"old");
        cache.forget();
        assert_eq!((read(&cache, 1, 50, 9), cache.end_of(1)), (Err(u64::MAX), None), "its file has more");
        cache.append(1, 60, b"new");
        assert_eq!((read(&cache, 1, 50, 9), cache.end_of(1)), (Err(60), Some(63)));
        assert_eq!(read(&cache, 1, 60, 9), Ok(b"new".to_vec()));
    }

    #[test]
    fn a_cache_without_memory_is_off() {
        let cache = IoCache::new(0);
        cache.append(1, 0, b"x");
        cache.forget();
        assert_eq!(read(&cache, 1, 0, 1), Err(u64::MAX));
        assert_eq!((cache.allocated(), cache.read_requests(), cache.end_of(1)), (0, 0, None));
    }

    #[test]
    fn spans_are_bounded() {
        let cache = IoCache::new(1 << 20);
        for file in 0..5000 {
            cache.append(file, 100, b"ROTATE");
        }
        assert_eq!(cache.ring.lock().spans.len(), SPANS_MAX);
        assert_eq!(read(&cache, 4999, 100, 9), Ok(b"ROTATE".to_vec()));
        assert_eq!(read(&cache, 3, 100, 9), Err(u64::MAX));
    }
}
