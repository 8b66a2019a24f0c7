//! The file maker: writes final events to the binlog file in ticket order, behind their log or in front of the
//! acknowledgement.
//!
//! Sessions finalise their own events, all at once, and put them into the binlog buffer, a ring whose ranges are drawn with
//! the ticket; what is left to do one after another is one write of everybody's bytes, straight from there. `in_redo` and
//! `enhanced` leave their transactions here when their log has them, and nobody waits. `parallel`, and whoever set
//! `wait_binlog_flush`, have them published when they are written. The bytes that wait are bounded by credits that a commit
//! takes in Reserve and that come back here.
//!
//! The binlog file is synced apart from it, each `sync_binlog_interval`, before a checkpoint passes, and at a rotation.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use binlog::{Finaliser, TrxCache, scratch};
use parking_lot::{Mutex, MutexGuard};
use redo::{Consumer, Cursor, Lsn, RedoLog, Reservation, Ring};

use crate::admission::Credits;
use crate::binlog_files::{Appender, BinlogFiles};
use crate::pending::{Batch, BinlogRange, Pending, Rotation};
use crate::pipeline::AbortOnUnwind;
use crate::record::BinlogPlace;
use crate::room::Taken;
use crate::stats::add;
use crate::strategy::Form;
use crate::{FatalError, Pipeline, Role};

/// Bytes of cached events that are finalised at a time.
const PIECE_SIZE: usize = 256 << 10;

/// No transaction has fewer bytes in the binlog: a GTID event alone has more.
const TRX_SIZE_MIN: usize = 64;

/// A transaction's final events.
#[derive(Debug)]
pub(crate) enum Finalised {
    /// All of them.
    Whole(Vec<u8>),
    /// Of a large transaction.
    Large(Box<LargeEvents>),
}

/// Cached events that are finalised on the way, between final edges.
#[derive(Debug)]
pub(crate) struct LargeEvents {
    pub(crate) range: BinlogRange,
    pub(crate) head: Vec<u8>,
    pub(crate) cache: TrxCache,
    pub(crate) tail: Vec<u8>,
}

/// What is to be written.
#[derive(Debug, Default)]
struct Queue {
    items: VecDeque<Item>,
    /// Items here or being written that are hidden. Nothing behind one is shown.
    hidden: usize,
    /// Bytes of shown items that are here or being written.
    shown: usize,
    /// Where bytes stand that come next from the binlog buffer and are to be shown, and how many.
    to_show: Option<(BinlogPlace, usize)>,
}

/// What is written next: the events of transactions that were put here together.
#[derive(Debug, Default)]
struct Item {
    /// They are written once redo is synced up to here, so that nothing is in the file that recovery would cut.
    redo_end: Lsn,
    /// And the binlog store up to here.
    store_end: Lsn,
    /// How many transactions they are of.
    transactions: usize,
    /// How many of those are in the binlog, and with how many bytes.
    logged: u64,
    size: u64,
    /// Bytes that were put into the binlog buffer.
    buffered: usize,
    /// Where they stand in the binlog, if there are any.
    place: BinlogPlace,
    /// They are in the I/O cache, or on their way there.
    is_shown: bool,
    /// Behind these.
    large: Option<Box<LargeEvents>>,
    /// Behind those.
    rotation: Option<Arc<Rotation>>,
    /// What the transactions took of the backlog.
    backlog: Credits,
    /// What they took of the disk, as long as their events are not in the file.
    room: Option<Taken>,
    /// Published once the events are written.
    waiting: Batch,
}

/// See the module.
#[derive(Debug)]
pub(crate) struct FileMaker {
    /// The binlog buffer.
    buffer: Arc<Ring>,
    /// Its end. Held by whoever shows what comes from there, or writes it. Rank: before the queue's.
    buffered: Mutex<Consumer>,
    /// The file's end. Held by whoever writes to it, this module or a strategy. Rank: before the buffer's.
    end: Mutex<End>,
    /// Rank: last.
    queue: Mutex<Queue>,
    /// Transactions in the queue or being written that are published after that. Changed under the queue's lock, and
    /// when they are published.
    waiting: AtomicUsize,
    /// When the file was synced last, monotonic nanoseconds. Held by whoever syncs. Rank: before the files'.
    synced_ns: Mutex<u64>,
}

/// The end of the binlog file.
#[derive(Debug)]
pub(crate) struct End {
    /// `None` while the binlog is off, and once it was closed.
    pub(crate) appender: Option<Appender>,
    batch: Vec<Item>,
}

impl FileMaker {
    /// Its binlog buffer has `buffer_size` bytes, in which tickets draw by the cursor.
    pub(crate) fn new(appender: Option<Appender>, buffer_size: usize) -> (Self, Cursor) {
        let (buffer, cursor, consumer) = Ring::create(buffer_size, buffer_size / TRX_SIZE_MIN, Lsn(0));
        let maker = Self {
            buffer,
            buffered: Mutex::new(consumer),
            end: Mutex::new(End { appender, batch: Vec::new() }),
            queue: Mutex::default(),
            waiting: AtomicUsize::new(0),
            synced_ns: Mutex::new(0),
        };
        (maker, cursor)
    }

    /// The end of the file, for strategies that write it themselves.
    pub(crate) fn end(&self) -> MutexGuard<'_, End> {
        self.end.lock()
    }

    /// Says that a range of the binlog buffer will be filled soon.
    pub(crate) fn prefetch(&self, range: &Reservation) {
        self.buffer.prefetch(range);
    }

    /// Has a transaction's events at hand until they are written: in the buffer, or, large ones, with the transaction.
    pub(crate) fn keep(&self, pending: &mut Pending, events: Finalised) {
        match events {
            Finalised::Whole(bytes) => {
                let range = pending.ticket_mut().buffer.take().expect("the buffer is filled once");
                let mut fill = self.buffer.fill(range);
                fill.put(&bytes);
                fill.finish();
                scratch::give(bytes);
            }
            Finalised::Large(events) => pending.large = Some(events),
        }
    }

    /// Takes the events of the next transactions in ticket order. Returns whether the transactions may be published now;
    /// if not, because that `waits` for the file, or those before them do, it takes them too. At most `shown_max` bytes that are not
    /// written are shown.
    pub(crate) fn put(&self, done: &mut Batch, waits: bool, shown_max: usize) -> bool {
        let mut queue = self.queue.lock();
        let waits = waits || self.waiting.load(Ordering::Acquire) > 0;
        let before = queue.items.len();
        let mut goes_on = false;
        for pending in done.iter_mut() {
            if !goes_on {
                queue.items.push_back(Item::default());
            }
            let item = queue.items.back_mut().expect("one was pushed");
            item.add(pending);
            goes_on = item.large.is_none() && item.rotation.is_none();
        }
        queue.note(before, if waits { 0 } else { shown_max });
        if waits {
            self.waiting.fetch_add(done.len(), Ordering::Relaxed);
            for item in queue.items.range_mut(before..) {
                item.waiting.extend(done.drain(..item.transactions));
            }
        }
        !waits
    }

    /// Moves what is to be shown to the I/O cache.
    pub(crate) fn show(&self, files: &BinlogFiles) {
        let mut buffered = self.buffered.lock();
        let Some((mut place, size)) = self.queue.lock().to_show.take() else { return };
        buffered.poll();
        buffered.take(size, |bytes| {
            files.show(place, bytes);
            place.position += bytes.len() as u64;
        });
    }

    /// Whether readers have to wait for the file.
    fn hides(&self) -> bool {
        self.queue.lock().hidden > 0
    }

    /// Ends the binlog at a clean shutdown, with the given STOP event.
    pub(crate) fn close(&self, stop: &[u8]) -> Result<(), FatalError> {
        self.end.lock().appender.take().expect("a log is closed once").close(stop)
    }

    /// The end of the file and what is to be written next, as far as redo and the store are synced.
    fn take(&self, redo: Lsn, store: Lsn) -> MutexGuard<'_, End> {
        let mut end = self.end.lock();
        let mut queue = self.queue.lock();
        let is_durable = |item: &mut Item| item.redo_end <= redo && item.store_end <= store;
        while let Some(item) = queue.items.pop_front_if(is_durable) {
            end.batch.push(item);
        }
        drop(queue);
        end
    }
}

impl Queue {
    /// Decides which items, from that one on, are shown.
    fn note(&mut self, from: usize, shown_max: usize) {
        for item in self.items.range_mut(from..) {
            let is_plain = item.large.is_none() && item.rotation.is_none();
            item.is_shown = is_plain && self.hidden == 0 && self.shown + item.buffered <= shown_max;
            if !item.is_shown {
                self.hidden += 1;
            } else if item.buffered > 0 {
                self.shown += item.buffered;
                self.to_show.get_or_insert((item.place, 0)).1 += item.buffered;
            }
        }
    }

    /// These were written.
    fn forget(&mut self, batch: &[Item]) {
        self.hidden -= batch.iter().filter(|item| !item.is_shown).count();
        self.shown -= shown_size(batch);
    }
}

/// Bytes of the items that are shown: the first ones.
fn shown_size(batch: &[Item]) -> usize {
    batch.iter().filter(|item| item.is_shown).map(|item| item.buffered).sum()
}

impl Item {
    /// Adds a transaction's part.
    fn add(&mut self, pending: &mut Pending) {
        self.transactions += 1;
        self.backlog.add(pending.backlog());
        self.large = pending.large.take();
        match (&mut self.room, pending.room.take()) {
            (Some(room), Some(more)) => room.absorb(more),
            (room, more) => *room = room.take().or(more),
        }
        let ticket = pending.ticket();
        self.rotation.clone_from(&ticket.rotation);
        if let Some(range) = &ticket.binlog {
            let size = range.end - range.start;
            self.logged += 1;
            self.size += size;
            if self.large.is_none() {
                if self.buffered == 0 {
                    self.place = BinlogPlace { file: range.file, position: range.start };
                }
                self.buffered += usize::try_from(size).expect("it is in memory");
            }
        }
        // What has waited for redo by its setting does not wait for more.
        if pending.form != Form::Buffered {
            (self.redo_end, self.store_end) = (ticket.redo_end, ticket.store_end);
        }
    }
}

impl End {
    /// Writes the batch, and changes files where a ticket says so.
    fn write(&mut self, pipeline: &Pipeline) -> Result<(), FatalError> {
        let Self { appender, batch } = self;
        let appender = appender.as_mut().expect("the log was not closed");
        let files = pipeline.binlog.as_ref().expect("there is a binlog to write");
        let buffered_by = &pipeline.maker.buffered;
        // What is being shown at this moment, too.
        pipeline.maker.show(files);
        // Who follows may fall behind the I/O cache.
        let is_wanted = pipeline.readers.are_there() || batch.iter().any(|item| !item.waiting.is_empty());
        let append = if is_wanted { Appender::append } else { Appender::append_uncached };
        appender.batch(files, |appender| {
            appender.append_shown(shown_size(batch), pipeline.readers.read_files())?;
            let mut buffered = 0;
            for item in batch.iter().skip_while(|item| item.is_shown) {
                buffered += item.buffered;
                if item.large.is_some() || item.rotation.is_some() {
                    append_buffered(append, appender, buffered_by, std::mem::take(&mut buffered))?;
                }
                if let Some(events) = &item.large {
                    events.for_each_piece(|bytes| append(appender, bytes))?;
                }
                if let Some(rotation) = &item.rotation {
                    appender.rotate(rotation, files, pipeline.sequencer.files())?;
                    add(&pipeline.stats.binlog_syncs, 1);
                }
            }
            append_buffered(append, appender, buffered_by, buffered)
        })?;
        let logged = batch.iter().map(|item| item.logged).sum();
        add(&pipeline.stats.binlog_commits, logged);
        add(&pipeline.stats.binlog_groups, u64::from(logged > 0));
        add(&pipeline.stats.binlog_bytes, batch.iter().map(|item| item.size).sum());
        Ok(())
    }
}

/// Writes the next bytes of the binlog buffer, which the ring has in one or two pieces.
fn append_buffered(
    append: fn(&mut Appender, &[u8]) -> binlog::Result<()>,
    appender: &mut Appender,
    buffered: &Mutex<Consumer>,
    size: usize,
) -> Result<(), FatalError> {
    let mut buffered = buffered.lock();
    buffered.poll();
    let mut appended = Ok(());
    buffered.take(size, |bytes| {
        if appended.is_ok() && !bytes.is_empty() {
            appended = append(appender, bytes);
        }
    });
    Ok(appended?)
}

impl Finalised {
    /// What is final already: head and tail of an events' body.
    pub(crate) fn edges(&self) -> (&[u8], &[u8]) {
        match self {
            Self::Whole(bytes) => (&[], bytes),
            Self::Large(events) => (&events.head, &events.tail),
        }
    }

    /// The CRC32C of the final bytes.
    pub(crate) fn crc32c(&self) -> Result<u32, FatalError> {
        match self {
            Self::Whole(bytes) => Ok(crc32c::crc32c(bytes)),
            Self::Large(events) => {
                let mut crc = 0;
                events.for_each_piece(|bytes| {
                    crc = crc32c::crc32c_append(crc, bytes);
                    Ok(())
                })?;
                Ok(crc)
            }
        }
    }
}

impl LargeEvents {
    /// Gives the final bytes to `put`, in order.
    fn for_each_piece(&self, mut put: impl FnMut(&[u8]) -> binlog::Result<()>) -> Result<(), FatalError> {
        put(&self.head)?;
        finalise_cached(&self.cache, &self.range, self.head.len(), &mut put)?;
        Ok(put(&self.tail)?)
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
        self.maker.queue.lock().forget(&end.batch);
        let (mut credits, mut written) = (Credits::default(), Vec::new());
        for item in end.batch.drain(..) {
            credits.add(item.backlog);
            written.extend(item.waiting);
        }
        self.admission.give_back(credits);
        let waited = written.len();
        self.publish(&mut written);
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
        let waits = !self.maker.queue.lock().items.is_empty();
        if waits {
            self.roles.want(Role::Files);
        }
        if self.binlog.as_ref().is_some_and(|files| files.written() > files.synced()) {
            self.roles.want(Role::Sync);
        }
    }

    /// Events that nobody waits for have come. They are written at once if the backlog has grown or readers are to find them in the
    /// file, else a few times a second.
    pub(crate) fn want_files(&self) {
        let is_read = self.readers.are_there() && self.maker.hides();
        if is_read || self.admission.is_backlog_pressed() {
            // Not by another thread at once: it would take a processor from those whom this step has woken.
            self.roles.want_next(Role::Files);
        } else {
            self.tell_readers();
        }
    }

    /// How many bytes readers may find in the I/O cache before they are in the file: half of it is for what is behind.
    pub(crate) fn shown_max(&self) -> usize {
        let files = self.binlog.as_ref().filter(|_| self.readers.are_there());
        files.map_or(0, |files| files.io_cache().size() / 2)
    }

    /// Has readers find what is to be shown. Does not wait for a disk: while something hidden is being written there is nothing.
    pub(crate) fn show(&self) {
        if let Some(files) = self.binlog.as_ref().filter(|_| self.maker.queue.lock().to_show.is_some()) {
            self.maker.show(files);
        }
    }
}
