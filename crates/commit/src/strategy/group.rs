//! MySQL 5.6's binary log group commit, as it was published.
//!
//! | stage | what it does |
//! | --- | --- |
//! | FLUSH | takes the queue; finalises everybody's events one after another; fills their redo records; one redo sync; one write to the binlog |
//! | SYNC | takes all groups that came through FLUSH meanwhile; one binlog sync, by `sync_binlog` |
//! | COMMIT | publishes, in order |
//!
//! Each stage has a queue: while one group is in a slow stage, the next one grows before it. The redo sync comes
//! before any byte of the binlog is written, so whatever a replica could see is in redo. `sync_binlog` = N counts
//! passes of SYNC, `binlog_group_commit_sync_delay` is slept before a sync that happens,
//! `binlog_max_flush_queue_time` lets FLUSH linger for late joiners, as in 5.6.
//!
//! What is lost at which setting: `docs/commit/group.md`.

use std::sync::atomic::Ordering;

use binlog::TrxStamps;
use engine::ids::CommitSeq;
use parking_lot::Mutex;
use redo::Durability;

use super::Strategy;
use crate::binlog_files::{Appender, BinlogFiles};
use crate::pending::{Batch, BinlogRange, Pending};
use crate::record::BinlogPlace;
use crate::stats::{Stats, add};
use crate::{FatalError, Pipeline, Role};

/// The delay before a sync is slept in slices of this part of it, to look for latecomers in between.
const DELAY_SLICES: u32 = 10;

/// See the module.
#[derive(Debug)]
pub(crate) struct Group {
    /// Held by whoever plays FLUSH.
    flush: Mutex<Flush>,
    /// From FLUSH to SYNC. Rank: after both stages.
    flushed: Mutex<Batch>,
    /// Held by whoever plays SYNC.
    sync: Mutex<Sync>,
}

#[derive(Debug)]
struct Flush {
    /// The transaction that is taken next.
    next: CommitSeq,
    appender: Option<Appender>,
    group: Batch,
    /// The group's commit timestamp, microseconds since 1970.
    now_us: u64,
    /// Final bytes of the group's events, those of spilled transactions excepted.
    bytes: Vec<u8>,
    /// Where each transaction's bytes end in `bytes`.
    ends: Vec<usize>,
}

#[derive(Debug, Default)]
struct Sync {
    /// Passes since the last sync.
    passes: u32,
    group: Batch,
}

impl Group {
    pub(crate) fn new(appender: Appender, last: CommitSeq) -> Self {
        let flush = Flush {
            next: last.next(),
            appender: Some(appender),
            group: Vec::new(),
            now_us: 0,
            bytes: Vec::new(),
            ends: Vec::new(),
        };
        Self { flush: Mutex::new(flush), flushed: Mutex::default(), sync: Mutex::default() }
    }

    fn flush(&self, pipeline: &Pipeline) -> Result<(), FatalError> {
        let mut stage = self.flush.lock();
        let begun = pipeline.clock.monotonic_ns();
        stage.take_queue(pipeline);
        if stage.group.is_empty() {
            return Ok(());
        }
        stage.finalise(pipeline)?;
        pipeline.redo_by(pipeline.settings.redo_demand())?;
        stage.write(pipeline)?;
        self.flushed.lock().append(&mut stage.group);
        pipeline.roles.want_next(Role::Sync);
        pipeline.stats.flush_ns.record(pipeline.clock.monotonic_ns().saturating_sub(begun));
        Ok(())
    }

    fn sync(&self, pipeline: &Pipeline) -> Result<(), FatalError> {
        let mut stage = self.sync.lock();
        let begun = pipeline.clock.monotonic_ns();
        let every = pipeline.settings.sync_binlog.load(Ordering::Relaxed);
        // The delay comes before every sync that will happen, and with 0 before every pass.
        if stage.passes + 1 >= every {
            self.delay(pipeline);
        }
        std::mem::swap(&mut stage.group, &mut *self.flushed.lock());
        if stage.group.is_empty() {
            return Ok(());
        }
        stage.passes += 1;
        if every > 0 && stage.passes >= every {
            let files = pipeline.binlog.as_ref().expect("this strategy has a binlog");
            files.sync()?;
            if let Some(end) = stage.group.iter().rev().find_map(|pending| pending.ticket().binlog_end()) {
                files.promise(end);
            }
            add(&pipeline.stats.binlog_syncs, 1);
            stage.passes = 0;
        }
        pipeline.stats.sync_ns.record(pipeline.clock.monotonic_ns().saturating_sub(begun));
        pipeline.publish(&mut stage.group);
        Ok(())
    }

    fn delay(&self, pipeline: &Pipeline) {
        let delay_us = pipeline.settings.sync_delay_us.load(Ordering::Relaxed);
        let enough = pipeline.settings.sync_no_delay_count.load(Ordering::Relaxed) as usize;
        let slice_us = (delay_us / DELAY_SLICES).max(1);
        let mut left_us = delay_us;
        while left_us > 0 && (enough == 0 || self.flushed.lock().len() < enough) {
            let us = slice_us.min(left_us);
            pipeline.clock.sleep_us(us.into());
            left_us -= us;
        }
    }
}

impl Flush {
    /// Takes everybody who is ready, and lingers if that is set.
    fn take_queue(&mut self, pipeline: &Pipeline) {
        let linger_ns = u64::from(pipeline.settings.max_flush_queue_time_us.load(Ordering::Relaxed)) * 1000;
        let begun = pipeline.clock.monotonic_ns();
        loop {
            while let Some(pending) = pipeline.slots.take_ready(self.next, |_| true) {
                self.next = self.next.next();
                self.group.push(pending);
            }
            let now = pipeline.clock.monotonic_ns();
            if self.group.is_empty() || now.saturating_sub(begun) >= linger_ns {
                return;
            }
            pipeline.clock.sleep_us(1);
        }
    }

    /// Positions, stamps and checksums of everybody's events, and their redo records.
    fn finalise(&mut self, pipeline: &Pipeline) -> Result<(), FatalError> {
        self.now_us = pipeline.clock.unix_us();
        let promised = pipeline.binlog.as_ref().map_or(BinlogPlace::default(), BinlogFiles::synced);
        self.bytes.clear();
        self.ends.clear();
        for pending in &mut self.group {
            let start = self.bytes.len();
            let mut crc = 0;
            if is_spilled(pending) {
                write_spilled(pending, self.now_us, |bytes| {
                    crc = crc32c::crc32c_append(crc, bytes);
                    Ok(())
                })?;
            } else if let (Some(events), Some(range)) = (pending.events(), &pending.ticket().binlog) {
                let stamps = stamps(pending.ticket().seq, range, self.now_us);
                let Ok(()) = events.write_into(range.checksum, &stamps, &mut self.bytes);
                crc = crc32c::crc32c(&self.bytes[start..]);
            }
            self.ends.push(self.bytes.len());
            pipeline.fill_record(pending, crc, promised);
        }
        Ok(())
    }

    /// Writes the group's events in order, and changes files where a ticket says so.
    fn write(&mut self, pipeline: &Pipeline) -> Result<(), FatalError> {
        let appender = self.appender.as_mut().expect("the log was not closed");
        let files = pipeline.binlog.as_ref().expect("this strategy has a binlog");
        let mut written = 0;
        for (pending, end) in self.group.iter().zip(&self.ends) {
            let ticket = pending.ticket();
            if is_spilled(pending) || ticket.rotation.is_some() {
                appender.append(&self.bytes[written..*end])?;
                written = *end;
            }
            if is_spilled(pending) {
                write_spilled(pending, self.now_us, |bytes| appender.append(bytes))?;
            }
            if let Some(rotation) = &ticket.rotation {
                appender.rotate(rotation, files, pipeline.sequencer.files())?;
                add(&pipeline.stats.binlog_syncs, 1);
            }
        }
        appender.append(&self.bytes[written..])?;
        self.count(&pipeline.stats);
        Ok(())
    }

    fn count(&self, stats: &Stats) {
        let ranges = self.group.iter().filter_map(|pending| pending.ticket().binlog.as_ref());
        let (count, size) = ranges.fold((0, 0), |(n, size), range| (n + 1, size + range.end - range.start));
        add(&stats.binlog_commits, count);
        add(&stats.binlog_groups, u64::from(count > 0));
        add(&stats.binlog_bytes, size);
    }
}

fn is_spilled(pending: &Pending) -> bool {
    pending.ticket().binlog.is_some() && pending.cache.memory().is_none()
}

/// Reads a spilled transaction's events back and gives the final bytes to `put`: once for the checksum in its redo
/// record, once for the file.
fn write_spilled(
    pending: &Pending,
    now_us: u64,
    put: impl FnMut(&[u8]) -> binlog::Result<()>,
) -> Result<(), FatalError> {
    let ticket = pending.ticket();
    let (Some(events), Some(range)) = (pending.events(), &ticket.binlog) else { return Ok(()) };
    Ok(events.write_spilled(range.checksum, &stamps(ticket.seq, range, now_us), put)?)
}

fn stamps(seq: CommitSeq, range: &BinlogRange, now_us: u64) -> TrxStamps {
    TrxStamps {
        position: range.start,
        gno: range.gtid.map_or(0, |gtid| gtid.gno),
        last_committed: range.last_committed,
        sequence_number: range.sequence_number,
        immediate_commit_timestamp_us: now_us,
        xid: seq.0,
    }
}

impl Strategy for Group {
    fn name(&self) -> &'static str {
        "group"
    }

    fn fill(&self, _pipeline: &Pipeline, _pending: &mut Pending) {
        // The FLUSH stage does it for everybody.
    }

    fn first_role(&self) -> Role {
        Role::Flush
    }

    fn step(&self, pipeline: &Pipeline, role: Role) -> Result<(), FatalError> {
        match role {
            Role::Flush => self.flush(pipeline),
            Role::Sync => self.sync(pipeline),
            Role::Redo => pipeline.redo_step(Durability::Written),
        }
    }

    fn close(&self, stop: &[u8]) -> Result<(), FatalError> {
        self.flush.lock().appender.take().expect("a log is closed once").close(stop)
    }
}
