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

use engine::ids::CommitSeq;
use parking_lot::Mutex;
use redo::{Durability, Lsn};

use super::{Form, Harvest, Strategy, StrategyKind, carry_redo_through, stamps};
use crate::fill::RecordEvents;
use crate::pending::{Batch, Pending};
use crate::stats::{Stats, add};
use crate::{FatalError, Pipeline, Role};

/// The delay before a sync is slept in slices of this part of it, to look for latecomers in between.
const DELAY_SLICES: u32 = 10;

/// What the buffer of a group's events keeps of its memory.
const EVENTS_KEPT_SIZE: usize = 16 << 20;

/// See the module.
#[derive(Debug, Default)]
pub(crate) struct Group {
    /// Held by whoever plays FLUSH.
    flush: Mutex<Flush>,
    /// From FLUSH to SYNC. Rank: after both stages.
    flushed: Mutex<Batch>,
    /// Held by whoever plays SYNC.
    sync: Mutex<Sync>,
}

#[derive(Debug, Default)]
struct Flush {
    queue: Harvest,
    events: FinalEvents,
}

/// The final events of some transactions, those of spilled ones excepted.
#[derive(Debug, Default)]
pub(super) struct FinalEvents {
    /// The commit timestamp, microseconds since 1970.
    now_us: u64,
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
    fn flush(&self, pipeline: &Pipeline) -> Result<(), FatalError> {
        let mut stage = self.flush.lock();
        let begun = pipeline.clock.monotonic_ns();
        let Flush { queue, events } = &mut *stage;
        let group = take_queue(queue, pipeline);
        pipeline.crowd.carries(pipeline.last_drawn());
        if group.is_empty() {
            return Ok(());
        }
        pipeline.in_line(|| {
            events.begin(pipeline);
            for pending in &mut *group {
                let crc = events.finalise(pending)?;
                pipeline.fill_record(pending, Some(RecordEvents::Named(crc)));
            }
            Ok::<_, FatalError>(())
        })?;
        let end = group.last().map_or(Lsn(0), |pending| pending.ticket().redo_end);
        carry_redo_through(pipeline, pipeline.settings.redo_demand(), end)?;
        pipeline.in_line(|| events.write(pipeline, group))?;
        self.flushed.lock().append(group);
        pipeline.roles.want_next(Role::Sync);
        pipeline.stats.flush_ns.record(pipeline.clock.monotonic_ns().saturating_sub(begun));
        Ok(())
    }

    fn sync(&self, pipeline: &Pipeline) -> Result<(), FatalError> {
        let mut stage = self.sync.lock();
        let begun = pipeline.clock.monotonic_ns();
        let every = || pipeline.settings.sync_binlog.load(Ordering::Relaxed);
        // The delay comes before every sync that will happen, and with 0 before every pass.
        if stage.passes + 1 >= every() {
            self.delay(pipeline);
        }
        std::mem::swap(&mut stage.group, &mut *self.flushed.lock());
        if stage.group.is_empty() {
            return Ok(());
        }
        stage.passes += 1;
        // As it is now: some of these have come while this slept, and their sessions have seen a change before.
        let every = every();
        if every > 0 && stage.passes >= every {
            let files = pipeline.binlog.as_ref().expect("this strategy has a binlog");
            files.sync(stage.group.iter().rev().find_map(|pending| pending.ticket().binlog_end()))?;
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

/// Takes everybody who is ready, and lingers if that is set.
fn take_queue<'a>(queue: &'a mut Harvest, pipeline: &Pipeline) -> &'a mut Batch {
    let linger_ns = u64::from(pipeline.settings.max_flush_queue_time_us.load(Ordering::Relaxed)) * 1000;
    let begun = pipeline.clock.monotonic_ns();
    loop {
        let is_empty = queue.take(pipeline, |_| true).is_empty();
        let now = pipeline.clock.monotonic_ns();
        if is_empty || now.saturating_sub(begun) >= linger_ns {
            return &mut queue.done;
        }
        pipeline.clock.sleep_us(1);
    }
}

impl FinalEvents {
    pub(super) fn begin(&mut self, pipeline: &Pipeline) {
        self.now_us = pipeline.clock.unix_us();
        self.bytes.clear();
        self.bytes.shrink_to(EVENTS_KEPT_SIZE);
        self.ends.clear();
    }

    /// Positions, stamps and checksums of a transaction's events. Returns the CRC32C of the final bytes.
    pub(super) fn finalise(&mut self, pending: &Pending) -> Result<u32, FatalError> {
        let start = self.bytes.len();
        let mut crc = 0;
        if pending.has_large_events() {
            write_spilled(pending, self.now_us, |bytes| {
                crc = crc32c::crc32c_append(crc, bytes);
                Ok(())
            })?;
        } else if let (Some(events), Some(range)) = (pending.events(), &pending.ticket().binlog) {
            let stamps = stamps(pending.ticket().seq, range, self.now_us);
            events.write_into(range.checksum, &stamps, &mut self.bytes);
            crc = crc32c::crc32c(&self.bytes[start..]);
        }
        self.ends.push(self.bytes.len());
        Ok(crc)
    }

    /// Writes the transactions' events in order, and changes files where a ticket says so.
    pub(super) fn write(&self, pipeline: &Pipeline, group: &[Box<Pending>]) -> Result<(), FatalError> {
        let mut end = pipeline.maker.end();
        let appender = end.appender.as_mut().expect("the log was not closed");
        let files = pipeline.binlog.as_ref().expect("this strategy has a binlog");
        appender.batch(files, |appender| {
            let mut written = 0;
            for (pending, end) in group.iter().zip(&self.ends) {
                let ticket = pending.ticket();
                if pending.has_large_events() || ticket.rotation.is_some() {
                    appender.append(&self.bytes[written..*end])?;
                    written = *end;
                }
                if pending.has_large_events() {
                    write_spilled(pending, self.now_us, |bytes| appender.append(bytes))?;
                }
                if let Some(rotation) = &ticket.rotation {
                    appender.rotate(rotation, files, pipeline.sequencer.files())?;
                    add(&pipeline.stats.binlog_syncs, 1);
                }
            }
            Ok(appender.append(&self.bytes[written..])?)
        })?;
        count(group, &pipeline.stats);
        Ok(())
    }
}

fn count(group: &[Box<Pending>], stats: &Stats) {
    let ranges = group.iter().filter_map(|pending| pending.ticket().binlog.as_ref());
    let (count, size) = ranges.fold((0, 0), |(n, size), range| (n + 1, size + range.end - range.start));
    add(&stats.binlog_commits, count);
    add(&stats.binlog_groups, u64::from(count > 0));
    add(&stats.binlog_bytes, size);
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

impl Strategy for Group {
    fn kind(&self) -> StrategyKind {
        StrategyKind::Group
    }

    fn form(&self) -> Form {
        Form::Named
    }

    fn fill(&self, _pipeline: &Pipeline, _pending: &mut Pending) -> Result<(), FatalError> {
        // The FLUSH stage does it for everybody.
        Ok(())
    }

    fn gathers(&self) -> bool {
        false
    }

    fn first_roles(&self, _: &Pipeline) -> &'static [Role] {
        &[Role::Flush]
    }

    fn step(&self, pipeline: &Pipeline, role: Role) -> Result<(), FatalError> {
        match role {
            Role::Flush => self.flush(pipeline),
            Role::Sync => self.sync(pipeline),
            Role::Redo => pipeline.redo_step(Durability::Written),
            Role::Files | Role::Store => Ok(()),
        }
    }

    fn begin(&self, last: CommitSeq) {
        self.flush.lock().queue.begin(last);
    }
}
