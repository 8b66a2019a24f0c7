//! The log as a whole: ring, writer and segments.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::Mutex;
use vfs::Vfs;

use crate::block::Run;
use crate::pool::{LiveSegment, Pool};
use crate::segment::HEADER_SIZE;
use crate::writer::{RedoStats, Writer};
use crate::{Cursor, Lsn, RedoError, Ring, SegmentNo};

/// How far a [`RedoLog::step`] carries the filled bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Durability {
    /// The operating system has them: they survive the process.
    Written,
    /// They survive power loss.
    Synced,
}

/// Sizes and places of a log.
#[derive(Clone, Debug)]
pub struct Options {
    /// The directory of the segments. It must exist.
    pub dir: PathBuf,
    /// Bytes of a segment file, a multiple of 4096 and at least three times that.
    pub segment_size: u64,
    /// Bytes of the ring.
    pub ring_size: usize,
    /// Reservations that may be open at a time.
    pub ring_slots: usize,
    /// Spare segments that are made before they are needed.
    pub spares: usize,
    /// Retired segments are kept as spares up to so many segments in all: what was written over before needs no zeros
    /// and no room.
    pub segments_kept: usize,
    /// A random number, another one for each server run: see [`crate::block`].
    pub salt: u32,
}

/// Where a server run begins to write. Decided by recovery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Start {
    /// The run's epoch, greater than every earlier one.
    pub epoch: u64,
    /// The end of what recovery kept.
    pub lsn: Lsn,
}

/// The log. Everything may be called from anywhere; steps are serialised inside.
#[derive(Debug)]
pub struct RedoLog {
    ring: Arc<Ring>,
    /// The writer's role. Rank: before the pool's.
    writer: Mutex<Writer>,
    pool: Pool,
    /// Copies of the writer's marks for those who wait. Release by the writer, acquired by readers.
    written: AtomicU64,
    synced: AtomicU64,
    /// Where the first record is that recovery would need. Relaxed: a statistic.
    needed_from: AtomicU64,
    stats: RedoStats,
}

impl RedoLog {
    /// Opens the log for writing: makes the first segment of the run, with a header that survives power loss, and
    /// returns its number. `kept` are the segments that still hold needed records. Nothing else on disk changes but what no
    /// start would read, and no bytes may be drawn until the caller has made `start` and the number durable.
    pub fn begin(
        vfs: Arc<dyn Vfs>,
        options: &Options,
        start: Start,
        kept: &[LiveSegment],
    ) -> Result<(Self, Cursor, SegmentNo), RedoError> {
        assert!(options.segment_size.is_multiple_of(HEADER_SIZE), "segments consist of whole blocks");
        assert!(options.segment_size >= 3 * HEADER_SIZE, "a segment holds a header and some blocks");
        let pool = Pool::open(vfs, options, kept)?;
        let stats = RedoStats::default();
        let run = Run { epoch: start.epoch, salt: options.salt };
        let (ring, cursor, consumer) = Ring::create(options.ring_size, options.ring_slots, start.lsn);
        let (writer, no) = Writer::begin(consumer, run, options.segment_size, &pool, &stats)?;
        let mark = || AtomicU64::new(start.lsn.0);
        let needed_from = AtomicU64::new(kept.first().map_or(start.lsn, |segment| segment.start).0);
        let writer = Mutex::new(writer);
        let log = Self { ring, writer, pool, written: mark(), synced: mark(), needed_from, stats };
        Ok((log, cursor, no))
    }

    /// The memory in which reservations are filled.
    pub fn ring(&self) -> &Ring {
        &self.ring
    }

    /// Carries everything that is filled when the step begins as far as `want`. Errors are fatal to the process.
    pub fn step(&self, want: Durability) -> Result<(), RedoError> {
        let mut writer = self.writer.lock();
        writer.step(want, &self.pool, &self.stats)?;
        self.written.store(writer.written.0, Ordering::Release);
        self.synced.store(writer.synced.0, Ordering::Release);
        Ok(())
    }

    /// Everything below this LSN survives the process.
    pub fn written(&self) -> Lsn {
        Lsn(self.written.load(Ordering::Acquire))
    }

    /// Everything below this LSN survives power loss.
    pub fn synced(&self) -> Lsn {
        Lsn(self.synced.load(Ordering::Acquire))
    }

    /// Makes or removes one file if that is due; returns whether it was. Run by a housekeeper in the background.
    pub fn tend(&self) -> Result<bool, RedoError> {
        self.pool.tend()
    }

    /// Says that a checkpoint no longer needs the records below `lsn`.
    pub fn retire_below(&self, lsn: Lsn) {
        assert!(lsn <= self.synced(), "a checkpoint stands on synced redo");
        self.needed_from.fetch_max(lsn.0, Ordering::Relaxed);
        self.pool.retire_below(lsn);
    }

    /// No record below this LSN is needed any more: that of the last checkpoint, or, before the first one of a run, the beginning
    /// of the segments that were kept.
    pub fn needed_from(&self) -> Lsn {
        Lsn(self.needed_from.load(Ordering::Relaxed))
    }

    /// Bytes of segment files that hold needed records: what a redo capacity is compared with.
    pub fn live_bytes(&self) -> u64 {
        self.pool.live_bytes()
    }

    /// Bytes of segment files that hold nothing that is needed: they can be written even if the disk is full.
    pub fn ready_bytes(&self) -> u64 {
        self.pool.ready_bytes()
    }

    /// Bytes of one segment file.
    pub fn segment_size(&self) -> u64 {
        self.pool.segment_size()
    }

    /// Counters.
    pub fn stats(&self) -> &RedoStats {
        &self.stats
    }
}
