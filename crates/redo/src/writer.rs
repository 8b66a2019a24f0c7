//! The writer: takes filled bytes from the ring, makes blocks of them and writes the blocks.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use vfs::{AlignedBuf, File};

use crate::block::{self, BLOCK_ALIGN, HEADER_SIZE, PAYLOAD_SIZE_MAX, Run};
use crate::pool::Pool;
use crate::segment::{self, NO_STREAM, SegmentNo, Starts};
use crate::{Consumer, Durability, EpochStart, Lsn, RedoError, Stream};

/// Counters, all monotone.
#[derive(Debug, Default)]
pub struct RedoStats {
    /// Durable writes and syncs that the log asked of the device.
    pub syncs: AtomicU64,
    /// Bytes written to segments, headers and padding included.
    pub bytes_written: AtomicU64,
    /// Blocks written.
    pub blocks: AtomicU64,
}

/// A stream's way into blocks.
#[derive(Debug)]
pub(crate) struct Lane {
    consumer: Consumer,
    /// What is to be written in this step ends here.
    filled: Lsn,
    pub(crate) written: Lsn,
    pub(crate) synced: Lsn,
}

impl Lane {
    fn new(consumer: Consumer) -> Self {
        let start = consumer.taken();
        Self { consumer, filled: start, written: start, synced: start }
    }
}

/// Who writes at this moment holds this.
#[derive(Debug)]
pub(crate) struct Writer {
    /// By stream.
    pub(crate) lanes: Vec<Lane>,
    run: Run,
    segment_size: u64,
    no: SegmentNo,
    file: Arc<dyn File>,
    /// Where the next block goes in `file`.
    offset: u64,
    /// Files with bytes that were written but not synced.
    unsynced: Vec<Arc<dyn File>>,
    buf: AlignedBuf,
    /// A step has failed. The process is about to end; nobody may sync again and succeed with less than was written.
    pub(crate) failed: bool,
}

impl Writer {
    /// Begins a run: puts the pool's next segment to use, with a header that survives power loss, and returns its number.
    pub(crate) fn begin(
        consumer: Consumer,
        run: Run,
        segment_size: u64,
        pool: &Pool,
        stats: &RedoStats,
    ) -> Result<(Self, SegmentNo), RedoError> {
        let first = Lane::new(consumer);
        let (no, file) = pool.roll([first.written, NO_STREAM])?;
        let mut writer = Self {
            lanes: vec![first],
            run,
            segment_size,
            no,
            file,
            offset: 0,
            unsynced: Vec::new(),
            buf: AlignedBuf::default(),
            failed: false,
        };
        writer.write_header(Durability::Synced, stats)?;
        Ok((writer, no))
    }

    /// Begins to carry a second stream, of which everything from `needed_from` on is needed: in a new segment with a header that
    /// survives power loss and says so. Returns where. Nothing has changed if there is no such segment.
    pub(crate) fn begin_second(
        &mut self,
        consumer: Consumer,
        needed_from: Lsn,
        pool: &Pool,
        stats: &[&RedoStats; 2],
    ) -> Result<EpochStart, RedoError> {
        assert_eq!(self.lanes.len(), 1, "a log carries one other stream");
        self.step(Durability::Synced, pool, stats)?;
        let second = Lane::new(consumer);
        let lsn = second.written;
        let (no, file) = pool.roll([self.lanes[0].written, lsn])?;
        pool.begin_second(lsn, needed_from);
        self.lanes.push(second);
        (self.no, self.file, self.offset) = (no, file, 0);
        let begun = self.write_header(Durability::Synced, stats[0]);
        self.failed = begun.is_err();
        begun.map(|()| EpochStart { epoch: self.run.epoch, lsn, segment: no })
    }

    /// Writes everything that is filled, and syncs everything written if `want` says so. Counts by stream.
    pub(crate) fn step(
        &mut self,
        want: Durability,
        pool: &Pool,
        stats: &[&RedoStats; 2],
    ) -> Result<(), RedoError> {
        if self.failed {
            return Err(RedoError::Failed);
        }
        let done = self.carry(want, pool, stats);
        self.failed = done.is_err();
        done
    }

    fn carry(&mut self, want: Durability, pool: &Pool, stats: &[&RedoStats; 2]) -> Result<(), RedoError> {
        // The first stream first: what its records name in the second one was filled before them.
        for lane in &mut self.lanes {
            lane.filled = lane.consumer.poll();
        }
        // What was only written must be synced before anything behind it can be promised.
        let how = if self.unsynced.is_empty() { want } else { Durability::Written };
        while self.lanes.iter().any(|lane| lane.written < lane.filled) {
            self.write_blocks(how, pool, stats)?;
        }
        if want == Durability::Synced {
            for file in self.unsynced.drain(..) {
                file.sync_data()?;
                stats[0].syncs.fetch_add(1, Ordering::Relaxed);
            }
            self.lanes.iter_mut().for_each(|lane| lane.synced = lane.written);
        }
        for lane in &self.lanes {
            assert!(lane.filled >= lane.written && lane.written >= lane.synced, "the LSN ladder");
        }
        Ok(())
    }

    /// Writes a block of each stream that has bytes, as long as they find room in one segment.
    fn write_blocks(
        &mut self,
        how: Durability,
        pool: &Pool,
        stats: &[&RedoStats; 2],
    ) -> Result<(), RedoError> {
        if self.segment_size - self.offset < BLOCK_ALIGN as u64 {
            self.roll(how, pool, stats[0])?;
        }
        let room = usize::try_from(self.segment_size - self.offset).unwrap_or(usize::MAX);
        self.buf.clear();
        for ((lane, stream), stats) in self.lanes.iter_mut().zip(Stream::ALL).zip(stats) {
            let start = self.buf.len();
            if lane.written == lane.filled || room - start < BLOCK_ALIGN {
                continue;
            }
            let left = usize::try_from(lane.filled.since(lane.written)).unwrap_or(usize::MAX);
            let size = left.min(PAYLOAD_SIZE_MAX).min(room - start - HEADER_SIZE);
            let buf = &mut self.buf;
            buf.extend_from_slice(&[0; HEADER_SIZE]);
            lane.consumer.take(size, |piece| buf.extend_from_slice(piece));
            block::seal(buf, start, stream, lane.written, self.run, lane.synced);
            lane.written = lane.written.advance(size as u64);
            stats.blocks.fetch_add(1, Ordering::Relaxed);
            stats.bytes_written.fetch_add((buf.len() - start) as u64, Ordering::Relaxed);
        }
        self.put(how, stats[0])?;
        if how == Durability::Synced {
            self.lanes.iter_mut().for_each(|lane| lane.synced = lane.written);
        }
        Ok(())
    }

    /// Goes on in the pool's next segment.
    fn roll(&mut self, how: Durability, pool: &Pool, stats: &RedoStats) -> Result<(), RedoError> {
        (self.no, self.file) = pool.roll(self.starts())?;
        self.offset = 0;
        self.write_header(how, stats)
    }

    fn starts(&self) -> Starts {
        let start = |stream: Stream| self.lanes.get(stream.index()).map_or(NO_STREAM, |lane| lane.written);
        Stream::ALL.map(start)
    }

    fn write_header(&mut self, how: Durability, stats: &RedoStats) -> Result<(), RedoError> {
        assert_eq!(self.offset, 0, "a header begins a segment");
        let (no, starts) = (self.no, self.starts());
        let header = segment::Header { no, run: self.run, starts, size: self.segment_size };
        self.buf.clear();
        header.encode(&mut self.buf);
        stats.bytes_written.fetch_add(self.buf.len() as u64, Ordering::Relaxed);
        self.put(how, stats)
    }

    /// Writes the buffer, a whole number of blocks, at the end of the segment.
    fn put(&mut self, how: Durability, stats: &RedoStats) -> Result<(), RedoError> {
        match how {
            Durability::Synced => {
                assert!(self.unsynced.is_empty(), "a durable write says nothing about earlier ones");
                self.file.write_durable_at(&self.buf, self.offset)?;
                stats.syncs.fetch_add(1, Ordering::Relaxed);
            }
            Durability::Written => {
                self.file.write_at(&self.buf, self.offset)?;
                if !self.unsynced.last().is_some_and(|last| Arc::ptr_eq(last, &self.file)) {
                    self.unsynced.push(Arc::clone(&self.file));
                }
            }
        }
        self.offset += self.buf.len() as u64;
        Ok(())
    }
}
