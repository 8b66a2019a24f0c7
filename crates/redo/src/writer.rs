//! The writer: takes filled bytes from the ring, makes blocks of them and writes the blocks.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use vfs::{AlignedBuf, File};

use crate::block::{self, BLOCK_ALIGN, HEADER_SIZE, PAYLOAD_SIZE_MAX, Run};
use crate::pool::Pool;
use crate::segment::{self, SegmentNo};
use crate::{Consumer, Durability, Lsn, RedoError};

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

/// Who writes at this moment holds this.
#[derive(Debug)]
pub(crate) struct Writer {
    consumer: Consumer,
    run: Run,
    segment_size: u64,
    file: Arc<dyn File>,
    /// Where the next block goes in `file`.
    offset: u64,
    /// Files with bytes that were written but not synced.
    unsynced: Vec<Arc<dyn File>>,
    buf: AlignedBuf,
    /// A step has failed. The process is about to end; nobody may sync again and succeed with less than was written.
    failed: bool,
    pub(crate) written: Lsn,
    pub(crate) synced: Lsn,
}

impl Writer {
    /// Begins a run: puts the pool's next segment to use, with a header that survives power loss.
    pub(crate) fn begin(
        consumer: Consumer,
        run: Run,
        segment_size: u64,
        pool: &Pool,
        stats: &RedoStats,
    ) -> Result<(Self, SegmentNo), RedoError> {
        let start = consumer.taken();
        let (no, file) = pool.roll(start)?;
        let mut writer = Self {
            consumer,
            run,
            segment_size,
            file,
            offset: 0,
            unsynced: Vec::new(),
            buf: AlignedBuf::default(),
            failed: false,
            written: start,
            synced: start,
        };
        writer.write_header(no, Durability::Synced, stats)?;
        Ok((writer, no))
    }

    /// Writes everything that is filled, and syncs everything written if `want` says so.
    pub(crate) fn step(&mut self, want: Durability, pool: &Pool, stats: &RedoStats) -> Result<(), RedoError> {
        if self.failed {
            return Err(RedoError::Failed);
        }
        let done = self.carry(want, pool, stats);
        self.failed = done.is_err();
        done
    }

    fn carry(&mut self, want: Durability, pool: &Pool, stats: &RedoStats) -> Result<(), RedoError> {
        let filled = self.consumer.poll();
        // What was only written must be synced before anything behind it can be promised.
        if want == Durability::Synced && !self.unsynced.is_empty() {
            self.write_upto(filled, Durability::Written, pool, stats)?;
            for file in self.unsynced.drain(..) {
                file.sync_data()?;
                stats.syncs.fetch_add(1, Ordering::Relaxed);
            }
            self.synced = self.written;
        } else {
            self.write_upto(filled, want, pool, stats)?;
        }
        assert!(filled >= self.written && self.written >= self.synced, "the LSN ladder");
        Ok(())
    }

    fn write_upto(
        &mut self,
        filled: Lsn,
        how: Durability,
        pool: &Pool,
        stats: &RedoStats,
    ) -> Result<(), RedoError> {
        while self.written < filled {
            let size =
                PAYLOAD_SIZE_MAX.min(usize::try_from(filled.since(self.written)).unwrap_or(usize::MAX));
            self.write_block(size, how, pool, stats)?;
        }
        Ok(())
    }

    fn write_block(
        &mut self,
        size: usize,
        how: Durability,
        pool: &Pool,
        stats: &RedoStats,
    ) -> Result<(), RedoError> {
        let room = usize::try_from(self.segment_size - self.offset).unwrap_or(usize::MAX);
        let size = if room < BLOCK_ALIGN {
            let (no, file) = pool.roll(self.written)?;
            (self.file, self.offset) = (file, 0);
            self.write_header(no, how, stats)?;
            let room = usize::try_from(self.segment_size - self.offset).unwrap_or(usize::MAX);
            size.min(room - HEADER_SIZE)
        } else {
            size.min(room - HEADER_SIZE)
        };
        self.buf.clear();
        self.buf.extend_from_slice(&[0; HEADER_SIZE]);
        let buf = &mut self.buf;
        self.consumer.take(size, |piece| buf.extend_from_slice(piece));
        block::seal(&mut self.buf, 0, self.written, self.run, self.synced);
        self.put(how, stats)?;
        stats.blocks.fetch_add(1, Ordering::Relaxed);
        self.written = self.written.advance(size as u64);
        if how == Durability::Synced {
            self.synced = self.written;
        }
        Ok(())
    }

    fn write_header(&mut self, no: SegmentNo, how: Durability, stats: &RedoStats) -> Result<(), RedoError> {
        assert_eq!(self.offset, 0, "a header begins a segment");
        let header = segment::Header { no, run: self.run, start: self.written, size: self.segment_size };
        self.buf.clear();
        header.encode(&mut self.buf);
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
        stats.bytes_written.fetch_add(self.buf.len() as u64, Ordering::Relaxed);
        Ok(())
    }
}
