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
use crate::{Cursor, EpochStart, Lsn, RedoError, Ring, SegmentNo, Stream};

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

/// A stream of a log: its ring and its marks, and the writer that it may share with another one. Everything may be called
/// from anywhere; steps are serialised inside.
#[derive(Debug)]
pub struct RedoLog {
    stream: Stream,
    ring: Arc<Ring>,
    shared: Arc<Shared>,
}

/// What both streams of a log have.
#[derive(Debug)]
struct Shared {
    /// The writer's role. Rank: before the pool's.
    writer: Mutex<Writer>,
    pool: Pool,
    /// By stream.
    marks: [Marks; 2],
}

/// How far a stream has come.
#[derive(Debug, Default)]
struct Marks {
    /// Copies of the writer's marks for those who wait. Release by the writer, acquired by readers.
    written: AtomicU64,
    synced: AtomicU64,
    /// Where the first record is that recovery would need. Relaxed: a statistic.
    needed_from: AtomicU64,
    stats: RedoStats,
}

impl Marks {
    fn new(start: Lsn, needed_from: Lsn) -> Self {
        let marks = Self::default();
        marks.begin(start, needed_from);
        marks
    }

    fn begin(&self, start: Lsn, needed_from: Lsn) {
        self.needed_from.store(needed_from.0, Ordering::Relaxed);
        self.store(start, start);
    }

    fn store(&self, written: Lsn, synced: Lsn) {
        self.written.store(written.0, Ordering::Release);
        self.synced.store(synced.0, Ordering::Release);
    }
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
        let pool = Pool::open(vfs, options, kept, start.lsn)?;
        let needed_from = kept.first().map_or(start.lsn, |segment| segment.starts[0]);
        let marks = [Marks::new(start.lsn, needed_from), Marks::default()];
        let run = Run { epoch: start.epoch, salt: options.salt };
        let (ring, cursor, consumer) = Ring::create(options.ring_size, options.ring_slots, start.lsn);
        let (writer, no) = Writer::begin(consumer, run, options.segment_size, &pool, &marks[0].stats)?;
        let shared = Arc::new(Shared { writer: Mutex::new(writer), pool, marks });
        Ok((Self { stream: Stream::First, ring, shared }, cursor, no))
    }

    /// Begins to carry a second stream from `start` on, of which earlier runs' records from `needed_from` on are needed; with a
    /// ring as large as the first one's. Says where it begins, in a new segment whose header survives power loss; no bytes
    /// may be drawn until the caller has made that durable. Steps of either stream carry both.
    pub fn begin_second(
        &self,
        start: Lsn,
        needed_from: Lsn,
    ) -> Result<(Self, Cursor, EpochStart), RedoError> {
        let (ring, cursor, consumer) = Ring::create(self.ring.capacity(), self.ring.slots(), start);
        let begun = self.step_by(|writer, shared| {
            writer.begin_second(consumer, needed_from, &shared.pool, &shared.stats())
        })?;
        self.shared.marks[Stream::Second.index()].begin(start, needed_from);
        Ok((Self { stream: Stream::Second, ring, shared: Arc::clone(&self.shared) }, cursor, begun))
    }

    /// Whether another log carries this stream.
    pub fn is_second(&self) -> bool {
        self.stream == Stream::Second
    }

    /// The memory in which reservations are filled.
    pub fn ring(&self) -> &Ring {
        &self.ring
    }

    /// Carries everything that is filled when the step begins as far as `want`. Errors are fatal to the process.
    pub fn step(&self, want: Durability) -> Result<(), RedoError> {
        self.step_by(|writer, shared| writer.step(want, &shared.pool, &shared.stats()))
    }

    /// Has the writer do something, and says how far it has come then.
    fn step_by<T>(
        &self,
        step: impl FnOnce(&mut Writer, &Shared) -> Result<T, RedoError>,
    ) -> Result<T, RedoError> {
        let mut writer = self.shared.writer.lock();
        let done = step(&mut writer, &self.shared)?;
        for (lane, marks) in writer.lanes.iter().zip(&self.shared.marks) {
            marks.store(lane.written, lane.synced);
        }
        Ok(done)
    }

    /// Whether a step has failed: no later one succeeds.
    pub fn has_failed(&self) -> bool {
        self.shared.writer.lock().failed
    }

    /// Everything below this LSN survives the process.
    pub fn written(&self) -> Lsn {
        Lsn(self.marks().written.load(Ordering::Acquire))
    }

    /// Everything below this LSN survives power loss.
    pub fn synced(&self) -> Lsn {
        Lsn(self.marks().synced.load(Ordering::Acquire))
    }

    /// Makes or removes one file if that is due; returns whether it was. Run by a housekeeper in the background.
    pub fn tend(&self) -> Result<bool, RedoError> {
        if self.is_second() { Ok(false) } else { self.shared.pool.tend() }
    }

    /// Says that a checkpoint no longer needs the records below `lsn`.
    pub fn retire_below(&self, lsn: Lsn) {
        assert!(lsn <= self.synced(), "a checkpoint stands on synced redo");
        self.marks().needed_from.fetch_max(lsn.0, Ordering::Relaxed);
        self.shared.pool.retire_below(self.stream, lsn);
    }

    /// No record below this LSN is needed any more: that of the last checkpoint, or, before the first one of a run, the beginning
    /// of the segments that were kept.
    pub fn needed_from(&self) -> Lsn {
        Lsn(self.marks().needed_from.load(Ordering::Relaxed))
    }

    /// Bytes of segment files that hold needed records: what a redo capacity is compared with. A second stream has none of its
    /// own.
    pub fn live_bytes(&self) -> u64 {
        if self.is_second() { 0 } else { self.shared.pool.live_bytes() }
    }

    /// Bytes of segment files that hold nothing that is needed: they can be written even if the disk is full. A second stream has
    /// none of its own.
    pub fn ready_bytes(&self) -> u64 {
        if self.is_second() { 0 } else { self.shared.pool.ready_bytes() }
    }

    /// Bytes of one segment file.
    pub fn segment_size(&self) -> u64 {
        self.shared.pool.segment_size()
    }

    /// Counters. Syncs, and headers of segments, are the first stream's.
    pub fn stats(&self) -> &RedoStats {
        &self.marks().stats
    }

    fn marks(&self) -> &Marks {
        &self.shared.marks[self.stream.index()]
    }
}

impl Shared {
    fn stats(&self) -> [&RedoStats; 2] {
        [&self.marks[0].stats, &self.marks[1].stats]
    }
}
