//! The file maker: writes final events to the binlog file in ticket order, behind their log or in front of the
//! acknowledgement.
//!
//! Sessions finalise their own events, all at once; what is left to do one after another is one write of everybody's
//! bytes. `in_redo` and `enhanced` put events here when their log has them, and nobody waits. `parallel`, and whoever set
//! `wait_binlog_flush`, put whole transactions here, which are published when they are written. The bytes that wait
//! are bounded by credits that a commit takes in Reserve and that come back here.
//!
//! The binlog file is synced apart from it, each `sync_binlog_interval`, before a checkpoint passes, and at a rotation.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use binlog::{Finaliser, TrxCache};
use parking_lot::{Mutex, MutexGuard};
use redo::{Lsn, RedoLog};

use crate::admission::Credits;
use crate::binlog_files::Appender;
use crate::pending::{Batch, BinlogRange, Pending, Rotation};
use crate::pipeline::AbortOnUnwind;
use crate::room::Taken;
use crate::stats::add;
use crate::{FatalError, Pipeline, Role};

/// Bytes of cached events that are finalised at a time.
const PIECE_SIZE: usize = 256 << 10;

/// Buffers that are kept for the next commits, and how large they may be.
const BUFFERS_KEPT: usize = 4096;
const BUFFER_KEPT_SIZE: usize = 16 << 10;
/// What the buffer of a batch keeps of its memory.
pub(crate) const BATCH_KEPT_SIZE: usize = 16 << 20;

/// A transaction's part of the binlog file.
#[derive(Debug)]
pub(crate) struct Made {
    /// It is written once redo is synced up to here, so that nothing is in the file that recovery would cut.
    pub(crate) redo_end: Lsn,
    /// And the binlog store up to here.
    pub(crate) store_end: Lsn,
    pub(crate) events: Option<(BinlogRange, Content)>,
    pub(crate) rotation: Option<Arc<Rotation>>,
    /// What its events took of the backlog.
    pub(crate) backlog: Credits,
    /// What it took of the disk, as long as its events are not in the file.
    pub(crate) room: Option<Taken>,
}

/// A transaction's events.
#[derive(Debug)]
pub(crate) enum Content {
    /// Final.
    Final(Vec<u8>),
    /// Cached events that are finalised on the way, between final edges.
    Cached { head: Vec<u8>, cache: Box<TrxCache>, tail: Vec<u8> },
}

#[derive(Debug)]
struct Item {
    made: Option<Made>,
    /// Published once the events are written.
    pending: Option<Box<Pending>>,
}

/// See the module.
#[derive(Debug)]
pub(crate) struct FileMaker {
    /// The file's end. Held by whoever writes to it, this module or a strategy. Rank: before the queue's.
    end: Mutex<End>,
    /// What is to be written. Rank: last.
    queue: Mutex<VecDeque<Item>>,
    /// Transactions in the queue or being written that are published after that. Changed under the queue's lock, and
    /// when they are published.
    waiting: AtomicUsize,
    /// Empty buffers. Rank: last.
    buffers: Mutex<Vec<Vec<u8>>>,
    /// When the file was synced last, monotonic nanoseconds. Held by whoever syncs. Rank: before the files'.
    synced_ns: Mutex<u64>,
}

/// The end of the binlog file.
#[derive(Debug)]
pub(crate) struct End {
    /// `None` while the binlog is off, and once it was closed.
    pub(crate) appender: Option<Appender>,
    batch: Vec<Item>,
    bytes: Vec<u8>,
    written: Batch,
}

impl FileMaker {
    pub(crate) fn new(appender: Option<Appender>) -> Self {
        let end = End { appender, batch: Vec::new(), bytes: Vec::new(), written: Vec::new() };
        Self {
            end: Mutex::new(end),
            queue: Mutex::default(),
            waiting: AtomicUsize::new(0),
            buffers: Mutex::default(),
            synced_ns: Mutex::new(0),
        }
    }

    /// The end of the file, for strategies that write it themselves.
    pub(crate) fn end(&self) -> MutexGuard<'_, End> {
        self.end.lock()
    }

    /// An empty buffer for a transaction's final events.
    pub(crate) fn buffer(&self) -> Vec<u8> {
        self.buffers.lock().pop().unwrap_or_default()
    }

    /// Takes the events of the next transactions in ticket order. Returns whether the transactions may be published now;
    /// if not, because that `waits` for the file, or those before them do, it takes them too.
    pub(crate) fn put(&self, done: &mut Batch, waits: bool) -> bool {
        let mut queue = self.queue.lock();
        let waits = waits || self.waiting.load(Ordering::Acquire) > 0;
        if waits {
            self.waiting.fetch_add(done.len(), Ordering::Relaxed);
            queue.extend(
                done.drain(..).map(|mut pending| Item { made: pending.made.take(), pending: Some(pending) }),
            );
        } else {
            for pending in done.iter_mut() {
                if let Some(mut made) = pending.made.take() {
                    made.room = pending.room.take();
                    queue.push_back(Item { made: Some(made), pending: None });
                }
            }
        }
        !waits
    }

    /// Ends the binlog at a clean shutdown, with the given STOP event.
    pub(crate) fn close(&self, stop: &[u8]) -> Result<(), FatalError> {
        self.end.lock().appender.take().expect("a log is closed once").close(stop)
    }

    /// The end of the file and what is to be written next, as far as redo and the store are synced.
    fn take(&self, redo: Lsn, store: Lsn) -> MutexGuard<'_, End> {
        let mut end = self.end.lock();
        let mut queue = self.queue.lock();
        let is_synced = |made: &Made| made.redo_end <= redo && made.store_end <= store;
        let may_go = |item: &mut Item| item.made.as_ref().is_none_or(is_synced);
        while let Some(item) = queue.pop_front_if(may_go) {
            end.batch.push(item);
        }
        drop(queue);
        end
    }

    fn keep_buffers(&self, batch: &mut Vec<Item>) {
        let mut buffers = self.buffers.lock();
        for item in batch.drain(..) {
            if let Some((_, Content::Final(mut bytes))) = item.made.and_then(|made| made.events)
                && buffers.len() < BUFFERS_KEPT
                && bytes.capacity() <= BUFFER_KEPT_SIZE
            {
                bytes.clear();
                buffers.push(bytes);
            }
        }
    }
}

impl End {
    /// Writes the batch, and changes files where a ticket says so. Moves what is to be published to `written`.
    fn write(&mut self, pipeline: &Pipeline) -> Result<(), FatalError> {
        let Self { appender, batch, bytes: joined, written } = self;
        let appender = appender.as_mut().expect("the log was not closed");
        let files = pipeline.binlog.as_ref().expect("there is a binlog to write");
        let (mut count, mut size) = (0, 0);
        joined.clear();
        joined.shrink_to(BATCH_KEPT_SIZE);
        appender.batch(files, |appender| {
            for item in batch {
                let made = item.made.as_ref();
                if let Some((range, content)) = made.and_then(|made| made.events.as_ref()) {
                    (count, size) = (count + 1, size + range.end - range.start);
                    match content {
                        Content::Final(bytes) => joined.extend_from_slice(bytes),
                        Content::Cached { .. } => {
                            appender.append(joined)?;
                            joined.clear();
                            content.for_each_piece(range, |bytes| appender.append(bytes))?;
                        }
                    }
                }
                if let Some(rotation) = made.and_then(|made| made.rotation.as_ref()) {
                    appender.append(joined)?;
                    joined.clear();
                    appender.rotate(rotation, files, pipeline.sequencer.files())?;
                    add(&pipeline.stats.binlog_syncs, 1);
                }
                written.extend(item.pending.take());
            }
            Ok(appender.append(joined)?)
        })?;
        add(&pipeline.stats.binlog_commits, count);
        add(&pipeline.stats.binlog_groups, u64::from(count > 0));
        add(&pipeline.stats.binlog_bytes, size);
        Ok(())
    }
}

impl Content {
    /// Gives the final bytes to `put`, in order.
    pub(crate) fn for_each_piece(
        &self,
        range: &BinlogRange,
        mut put: impl FnMut(&[u8]) -> binlog::Result<()>,
    ) -> Result<(), FatalError> {
        match self {
            Self::Final(bytes) => Ok(put(bytes)?),
            Self::Cached { head, cache, tail } => {
                put(head)?;
                finalise_cached(cache, range, head.len(), &mut put)?;
                Ok(put(tail)?)
            }
        }
    }
}

/// Finalises cached events that stand behind `head_size` bytes of their range.
fn finalise_cached(
    cache: &TrxCache,
    range: &BinlogRange,
    head_size: usize,
    put: &mut impl FnMut(&[u8]) -> binlog::Result<()>,
) -> Result<(), FatalError> {
    let mut finaliser = Finaliser::new(range.start + head_size as u64, range.checksum);
    let (mut piece, mut bytes) = (vec![0; PIECE_SIZE], Vec::new());
    let mut offset = 0;
    loop {
        let size = cache.read_at(&mut piece, offset)?;
        if size == 0 {
            return Ok(());
        }
        offset += size as u64;
        bytes.clear();
        finaliser.push(&piece[..size], &mut bytes);
        put(&bytes)?;
    }
}

impl Pipeline {
    /// Writes to the binlog file what redo says it may, and publishes who waited for that.
    pub(crate) fn write_files(&self) -> Result<(), FatalError> {
        if self.admission.is_backlog_pressed() {
            self.sync_logs()?;
        }
        let store = self.store().map_or(Lsn(0), RedoLog::synced);
        let mut end = self.maker.take(self.redo.synced(), store);
        if !end.batch.is_empty() {
            self.write_batch(&mut end)?;
        }
        // With nothing to write, too: what was written before may have been published since, and who publishes wants this
        // step behind that and tells nobody.
        self.tell_readers();
        Ok(())
    }

    fn write_batch(&self, end: &mut End) -> Result<(), FatalError> {
        self.in_line(|| end.write(self))?;
        let mut credits = Credits::default();
        end.batch.iter().filter_map(|item| item.made.as_ref()).for_each(|made| credits.add(made.backlog));
        self.maker.keep_buffers(&mut end.batch);
        self.admission.give_back(credits);
        let waited = end.written.len();
        self.publish(&mut end.written);
        self.maker.waiting.fetch_sub(waited, Ordering::Release);
        Ok(())
    }

    /// Syncs the binlog file if its interval has passed.
    pub(crate) fn sync_files_if_due(&self) -> Result<(), FatalError> {
        let interval_ns = self.settings.sync_interval_us(self.strategy().kind()) * 1000;
        let mut synced_ns = self.maker.synced_ns.lock();
        let now = self.clock.monotonic_ns();
        if now.saturating_sub(*synced_ns) < interval_ns {
            return Ok(());
        }
        *synced_ns = now;
        self.sync_files()
    }

    /// Makes what is written to the binlog file survive power loss.
    pub(crate) fn sync_files(&self) -> Result<(), FatalError> {
        let Some(files) = &self.binlog else { return Ok(()) };
        if files.sync_written()? {
            add(&self.stats.binlog_syncs, 1);
        }
        Ok(())
    }

    /// Syncs redo and the store, and makes the binlog files reach the end that is published when this begins. Blocks.
    pub fn catch_up(&self) -> Result<(), FatalError> {
        let _guard = AbortOnUnwind;
        self.sync_logs()?;
        if self.binlog.is_some() {
            self.write_files()?;
        }
        Ok(())
    }

    /// Makes everything survive power loss that is published when this begins, at any setting. Blocks.
    pub fn make_durable(&self) -> Result<(), FatalError> {
        self.catch_up()?;
        self.sync_files()
    }

    /// What happens behind commits, a few times a second: binlog files are written and synced as far as that is due.
    pub fn tend_files(&self) {
        // If `innodb_flush_log_at_trx_commit` or `sync_binlog` is raised between a step and its look at what that has reached,
        // nothing is published; while everybody waits for that, nobody else begins a step.
        if self.last_drawn() > self.published.visible() {
            self.begin_step();
        }
        if !self.strategy().form().has_backlog() {
            return;
        }
        let waits = !self.maker.queue.lock().is_empty();
        if waits {
            self.roles.want(Role::Files);
        }
        if self.binlog.as_ref().is_some_and(|files| files.written() > files.synced()) {
            self.roles.want(Role::Sync);
        }
    }

    /// Has events written that nobody waits for: soon if somebody reads the files or the backlog has grown, else a few
    /// times a second.
    pub(crate) fn want_files(&self) {
        if self.readers.are_there() || self.admission.is_backlog_pressed() {
            // Not by another thread at once: it would take a processor from those whom this step has woken.
            self.roles.want_next(Role::Files);
        }
    }
}
