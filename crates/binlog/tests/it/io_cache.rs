//! Purpose: events that are read through the I/O cache are those of the file.
//!
//! Requirements: an event reader finds the same events through the cache, wherever the cache begins and whatever is
//! overwritten while it reads; bytes are right under concurrent appends, for readers that keep up and for those that
//! fall behind; of what is in the cache nothing is read from the file.
//!
//! Method: a file that is also fed to caches of many sizes; threads that append and read bytes that follow from their
//! place.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use binlog::io_cache::Found;
use binlog::{CachedFile, ChecksumAlg, EventReader, IoCache};

use crate::support::{events_of, file_of, sample_file};

#[test]
fn an_event_reader_finds_the_same_events_wherever_the_cache_begins() {
    let bytes = sample_file(ChecksumAlg::Crc32, 20);
    let events = events_of(&bytes);
    for size in (1..bytes.len() + 10).step_by(37) {
        let cache = Arc::new(IoCache::new(size));
        for (number, piece) in bytes[100..].chunks(91).enumerate() {
            cache.append(1, 100 + number as u64 * 91, piece);
        }
        let file = CachedFile::new(Arc::clone(&cache), 1, file_of(&bytes));
        let mut reader = EventReader::open(file).unwrap();
        let mut found = Vec::new();
        while let Some(event) = reader.next_event().unwrap() {
            found.push(event.bytes.to_vec());
        }
        assert!(found == events, "cache of {size} bytes");
        assert!(cache.reads() > 0);
        if size >= bytes.len() {
            assert_eq!(cache.read_requests(), cache.reads() + 1, "only the first bytes come from the file");
        }
    }
}

/// Bytes follow from their places.
fn byte_at(file: u32, position: u64) -> u8 {
    let mixed = (position ^ u64::from(file) << 40).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed.to_be_bytes()[0]
}

fn piece(file: u32, position: u64, size: usize) -> Vec<u8> {
    (position..position + size as u64).map(|at| byte_at(file, at)).collect()
}

const FILES: u32 = 40;
const FILE_SIZE: u64 = 300_000;
const CACHE_SIZE: usize = 100_000;

fn append_all(cache: &IoCache, end: &AtomicU64) {
    for file in 0..FILES {
        let mut position = 120;
        while position < FILE_SIZE {
            let size = 1 + usize::try_from(position % 7919).expect("below 7919");
            cache.append(file, position, &piece(file, position, size));
            position += size as u64;
            end.store(u64::from(file) << 32 | position, Ordering::Release);
            if position % 5 == 0 {
                thread::yield_now();
            }
        }
    }
    end.store(u64::MAX, Ordering::Release);
}

/// Follows the appender and jumps back now and then. Returns how often it was served and how often it was not.
fn follow(cache: &IoCache, end: &AtomicU64, jump: u64) -> (u64, u64) {
    let (mut hits, mut misses) = (0, 0);
    let mut buf = vec![0; 5000];
    loop {
        let now = end.load(Ordering::Acquire);
        if now == u64::MAX {
            return (hits, misses);
        }
        let (file, end) = (u32::try_from(now >> 32).expect("32 bits"), now & 0xffff_ffff);
        let position = end.saturating_sub(1 + (hits + misses) * 31 % jump);
        match cache.read(file, position, &mut buf) {
            Found::Bytes(count) => {
                assert!(count > 0);
                assert!(buf[..count] == piece(file, position, count), "file {file} at {position}");
                hits += 1;
            }
            Found::NothingBefore(next) => {
                assert!(next > position);
                misses += 1;
            }
        }
    }
}

#[test]
fn bytes_are_right_while_others_append() {
    let cache = IoCache::new(CACHE_SIZE);
    let end = AtomicU64::new(120);
    thread::scope(|scope| {
        let readers: Vec<_> = [100, 3 * CACHE_SIZE as u64]
            .map(|jump| {
                let (cache, end) = (&cache, &end);
                scope.spawn(move || follow(cache, end, jump))
            })
            .into();
        append_all(&cache, &end);
        let counts: Vec<_> = readers.into_iter().map(|reader| reader.join().unwrap()).collect();
        assert!(counts[0].0 > 0, "{counts:?}");
        let (hits, misses) = counts.iter().fold((0, 0), |sum, count| (sum.0 + count.0, sum.1 + count.1));
        assert_eq!((cache.reads(), cache.read_requests()), (hits, hits + misses));
    });
}
