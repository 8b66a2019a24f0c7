//! The sequencer: draws tickets. One tiny lock, arithmetic only; this is where every order is decided at once.
//!
//! Drawing allocates nothing under the lock but at a rotation, where the new file's first bytes are encoded once.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use binlog::event;
use binlog::finalise::append_final;
use binlog::{BinlogName, ChecksumAlg, FileHeader, Gtid, GtidSet, Origin, Placement, Uuid};
use engine::delta::Delta;
use engine::ids::{CommitSeq, TrxId};
use parking_lot::Mutex;
use redo::record::HEAD_SIZE;
use redo::{Cursor, Lsn, Reservation};

use crate::clock::Clock;
use crate::pending::{BinlogRange, Pending, Rotation, Ticket};
use crate::record::{self, BinlogPlace, rotation_size};
use crate::strategy::Form;

/// Where the binlog ends, as far as it is drawn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BinlogEnd {
    /// Number of the file.
    pub file: u32,
    /// Position of the next byte in it.
    pub position: u64,
    /// How its events end.
    pub checksum: ChecksumAlg,
}

impl BinlogEnd {
    pub(crate) fn place(&self) -> BinlogPlace {
        BinlogPlace { file: self.file, position: self.position }
    }
}

/// What names and describes new binlog files.
#[derive(Clone, Debug)]
pub struct FileContext {
    /// `binlog` of `binlog.000001`.
    pub base: String,
    /// `version()`.
    pub server_version: String,
    /// `server_id`.
    pub server_id: u32,
}

impl FileContext {
    /// The name of a file.
    pub fn name(&self, file: u32) -> BinlogName {
        BinlogName::new(&self.base, file.into())
    }

    /// The first bytes of a file. `created_at` is in seconds since 1970, `created` as MySQL means it.
    pub fn header(
        &self,
        created_at: u32,
        created: u32,
        checksum: ChecksumAlg,
        previous: &GtidSet,
    ) -> Vec<u8> {
        let origin = Origin { timestamp: created_at, server_id: self.server_id };
        let mut bytes = Vec::new();
        let header = FileHeader { origin, server_version: &self.server_version, created, checksum, previous };
        header.append_to(&mut bytes);
        bytes
    }
}

/// Rotations whose GTIDs take more ask admission for them. What smaller ones take has its half of redo's ring.
const SMALL_GTIDS_SIZE: usize = 1024;

/// When a ticket takes the binlog to a new file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rotate {
    /// When the file has reached so many bytes.
    AtSize(u64),
    /// In any case, and the new file's events end like this, if it says so.
    Now(Option<ChecksumAlg>),
}

/// A moment of a sequenced log.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LogMark {
    /// No record below is needed once everything that has a ticket is in the base: where the log ends, or the first chunk
    /// of a transaction that has no ticket yet.
    pub(crate) needed_from: Lsn,
    pub(crate) drawn: Drawn,
}

/// Bytes of a log that were drawn for other things than small write sets, since the checkpoint that the server run began with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Drawn {
    /// Chunks.
    pub(crate) chunks: u64,
    /// Events in transactions' records, less what these records leave out ([`crate::fold`]), and the store's records.
    pub(crate) events: u64,
}

/// A log has at most so many times the bytes that count: an updated row's events have its image twice, its write set has it
/// once, if nothing is left out.
pub const EVENTS_FACTOR: u64 = 3;

impl Drawn {
    /// How many of a log's bytes bring a checkpoint nearer, of so many without chunks: not the events, but at least a part
    /// of all, as a deleted row has large ones, the binlog store has nothing else, and a log has a bound.
    pub(crate) fn counted(self, bytes: u64) -> u64 {
        bytes.saturating_sub(self.events).max(bytes / EVENTS_FACTOR)
    }

    /// What was drawn here and of a log in the same files.
    pub(crate) fn and(self, other: Self) -> Self {
        Self { chunks: self.chunks + other.chunks, events: self.events + other.events }
    }

    /// What was drawn after `earlier`.
    pub(crate) fn since(self, earlier: Self) -> Self {
        Self {
            chunks: self.chunks.saturating_sub(earlier.chunks),
            events: self.events.saturating_sub(earlier.events),
        }
    }
}

/// What a checkpoint must know of the moment at which it sealed. See `facts`.
#[derive(Clone, Debug)]
pub(crate) struct Sealed {
    /// The last transaction of the sealed delta.
    pub(crate) through: CommitSeq,
    pub(crate) redo: LogMark,
    /// Of the binlog store, if there is one.
    pub(crate) store: Option<LogMark>,
    pub(crate) gtid_executed: GtidSet,
    pub(crate) binlog: Option<BinlogEnd>,
    /// The delta, complete once everything up to `through` is applied.
    pub(crate) delta: Arc<Delta>,
}

/// See the module.
#[derive(Debug)]
pub struct Sequencer {
    /// Rank: first. Held for arithmetic only.
    state: Mutex<State>,
    files: FileContext,
    /// Bytes of the GTIDs that the next file begins with, as of the last rotation. Relaxed: an estimate.
    gtids_size: AtomicUsize,
}

#[derive(Debug)]
struct State {
    last: CommitSeq,
    redo: LogEnd,
    /// The binlog store, once a strategy has used it.
    store: Option<LogEnd>,
    binlog: Option<BinlogEnd>,
    /// The end of the binlog buffer.
    buffer: Cursor,
    /// Counts logged transactions; `sequence_number` is relative to its value at the file's beginning.
    clock: u64,
    file_clock: u64,
    /// Of everything that has a ticket.
    gtid_executed: GtidSet,
    /// What sessions have taken for transactions that have no ticket yet.
    gtid_owned: BTreeSet<Gtid>,
    delta: Arc<Delta>,
}

/// What becomes of a GTID that a session wants for its next transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GtidClaim {
    /// It is the session's: nobody else gets it before [`Pipeline::give_gtid_back`].
    ///
    /// [`Pipeline::give_gtid_back`]: crate::Pipeline::give_gtid_back
    Owned,
    /// Another session has it.
    Taken,
    /// A transaction of that GTID has a ticket, or is in the binlog.
    Drawn,
}

/// The end of a sequenced log, as far as it is drawn.
#[derive(Debug)]
struct LogEnd {
    cursor: Cursor,
    /// The end of the last ticket's records.
    ticketed: Lsn,
    /// First chunks of transactions that have no ticket yet.
    open_chunks: BTreeMap<TrxId, Lsn>,
    drawn: Drawn,
}

impl LogEnd {
    /// The end of a log in which so much was drawn by earlier runs.
    fn new(cursor: Cursor, drawn: Drawn) -> Self {
        Self { ticketed: cursor.lsn(), cursor, open_chunks: BTreeMap::new(), drawn }
    }

    /// Draws room for a ticket's record, of which so many bytes are events, or there for their sake.
    fn draw(&mut self, body_size: usize, events: usize) -> Reservation {
        let reservation = self.cursor.draw(HEAD_SIZE + body_size);
        self.ticketed = reservation.end();
        self.drawn.events += events as u64;
        reservation
    }

    fn draw_chunk(&mut self, trx: TrxId, body_size: usize) -> Reservation {
        let reservation = self.cursor.draw(HEAD_SIZE + body_size);
        self.open_chunks.entry(trx).or_insert(reservation.start());
        self.drawn.chunks += body_size as u64;
        reservation
    }

    /// Chunks of transactions that were given up are not needed.
    fn mark(&self) -> LogMark {
        let needed_from = self.open_chunks.values().min().copied().unwrap_or(self.cursor.lsn());
        LogMark { needed_from, drawn: self.drawn }
    }
}

/// The sequenced logs that have chunks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SequencedLog {
    Redo,
    Store,
}

/// Where a server run begins.
#[derive(Debug)]
pub(crate) struct Origins {
    pub(crate) last: CommitSeq,
    pub(crate) redo: (Cursor, Drawn),
    pub(crate) binlog: Option<BinlogEnd>,
    pub(crate) buffer: Cursor,
    pub(crate) gtid_executed: GtidSet,
    pub(crate) delta: Arc<Delta>,
}

impl Sequencer {
    pub(crate) fn new(origins: Origins, files: FileContext) -> Self {
        let Origins { last, redo, binlog, buffer, gtid_executed, delta } = origins;
        let redo = LogEnd::new(redo.0, redo.1);
        let state = State {
            last,
            redo,
            store: None,
            binlog,
            buffer,
            clock: 0,
            file_clock: 0,
            gtid_executed,
            gtid_owned: BTreeSet::new(),
            delta,
        };
        let gtids_size = AtomicUsize::new(state.gtid_executed.encoded_len());
        Self { state: Mutex::new(state), files, gtids_size }
    }

    /// Draws a transaction's ticket and gives it to `pending`. There must be room: admission was granted. Returns its
    /// place, and for how many nanoseconds the lock was held.
    pub(crate) fn draw(
        &self,
        pending: &mut Pending,
        trx: TrxId,
        rotate: Rotate,
        clock: &dyn Clock,
    ) -> (CommitSeq, u64) {
        let mut state = self.state.lock();
        let begun = clock.monotonic_ns();
        state.last = state.last.next();
        let seq = state.last;
        state.forget_chunks(trx);
        let binlog = state.place_events(pending);
        let timestamp = || u32::try_from(clock.unix_us() / 1_000_000).unwrap_or(u32::MAX);
        let rotation = match rotate {
            Rotate::AtSize(max) if binlog.is_some_and(|range| range.end >= max) => {
                Some(state.rotate(&self.files, timestamp(), None))
            }
            Rotate::Now(checksum) if state.binlog.is_some() => {
                Some(state.rotate(&self.files, timestamp(), checksum))
            }
            _ => None,
        };
        let store = match (&mut state.store, binlog) {
            (Some(store), Some(_)) if pending.form == Form::Stored => {
                let size = record::stored_size(pending.placed_events_size(binlog));
                Some(store.draw(size, size))
            }
            _ => None,
        };
        let buffer = binlog.filter(|_| pending.is_buffered()).map(|range| {
            let size = usize::try_from(range.end - range.start).expect("larger events are not buffered");
            state.buffer.draw(size)
        });
        let mut ticket = Ticket {
            seq,
            redo_end: Lsn(0),
            redo: None,
            rotation_redo: None,
            store,
            store_end: state.store.as_ref().map_or(Lsn(0), |store| store.ticketed),
            binlog,
            buffer,
            clock: state.clock,
            delta: Arc::clone(&state.delta),
            rotation,
        };
        if let Some(rotation) = &ticket.rotation {
            self.gtids_size.store(rotation.header.len(), Ordering::Relaxed);
        }
        if pending.form != Form::Later {
            state.draw_record(pending, &mut ticket);
        }
        let drawn = clock.monotonic_ns();
        drop(state);
        pending.drawn_ns = drawn;
        pending.set_ticket(ticket);
        (seq, drawn.saturating_sub(begun))
    }

    /// Draws the redo record of a transaction that has its ticket, for [`Form::Later`]. Called in ticket order.
    pub(crate) fn draw_record(&self, pending: &mut Pending) {
        let mut ticket = pending.take_ticket();
        self.state.lock().draw_record(pending, &mut ticket);
        pending.put_ticket(ticket);
    }

    /// Draws room for a chunk of `body_size` bytes of a transaction that has no ticket yet.
    pub(crate) fn draw_chunk(&self, log: SequencedLog, trx: TrxId, body_size: usize) -> Reservation {
        let mut state = self.state.lock();
        let end = match log {
            SequencedLog::Redo => &mut state.redo,
            SequencedLog::Store => state.store.as_mut().expect("the store was opened with its strategy"),
        };
        end.draw_chunk(trx, body_size)
    }

    /// The binlog store is there, with so much in it. Nothing is under way.
    pub(crate) fn begin_store(&self, cursor: Cursor, drawn: Drawn) {
        self.state.lock().store = Some(LogEnd::new(cursor, drawn));
    }

    /// Bytes that a rotation may take of redo's ring beside a ticket, unless they are few.
    pub(crate) fn rotation_size(&self) -> usize {
        let size = self.gtids_size.load(Ordering::Relaxed);
        if size > SMALL_GTIDS_SIZE { size + SMALL_GTIDS_SIZE } else { 0 }
    }

    /// The last transaction that has a ticket.
    pub(crate) fn last(&self) -> CommitSeq {
        self.state.lock().last
    }

    /// Reservations in redo's ring so far.
    pub(crate) fn redo_reservations(&self) -> u64 {
        self.state.lock().redo.cursor.drawn()
    }

    /// The dependency clock of the last logged transaction.
    pub(crate) fn clock(&self) -> u64 {
        self.state.lock().clock
    }

    /// Redo as it is now, and the binlog store, if there is one.
    pub(crate) fn marks(&self) -> (LogMark, Option<LogMark>) {
        let state = self.state.lock();
        (state.redo.mark(), state.store.as_ref().map(LogEnd::mark))
    }

    /// A transaction that has written chunks will never draw a ticket.
    pub(crate) fn forget_chunks(&self, trx: TrxId) {
        self.state.lock().forget_chunks(trx);
    }

    /// Seals the active delta: everything drawn so far is in it or in older ones. `publish` replaces it by a new one
    /// in the published view, and is called before the next draw can happen.
    pub(crate) fn seal(&self, publish: impl FnOnce(CommitSeq) -> Arc<Delta>) -> Sealed {
        let mut state = self.state.lock();
        let through = state.last;
        let delta = publish(through);
        Sealed {
            through,
            redo: state.redo.mark(),
            store: state.store.as_ref().map(LogEnd::mark),
            gtid_executed: state.gtid_executed.clone(),
            binlog: state.binlog.clone(),
            delta: std::mem::replace(&mut state.delta, delta),
        }
    }

    /// The binlog was begun anew and there are no GTIDs. Nothing is under way.
    pub(crate) fn reset(&self, binlog: Option<BinlogEnd>) {
        let mut state = self.state.lock();
        (state.binlog, state.gtid_executed) = (binlog, GtidSet::new());
        state.file_clock = state.clock;
        self.gtids_size.store(0, Ordering::Relaxed);
    }

    /// These were executed elsewhere. Nothing is under way.
    pub(crate) fn add_gtids(&self, gtids: &GtidSet) {
        let mut state = self.state.lock();
        state.gtid_executed.add_set(gtids);
        self.gtids_size.store(state.gtid_executed.encoded_len(), Ordering::Relaxed);
    }

    /// Takes a GTID for a transaction that gets its ticket later.
    pub(crate) fn own_gtid(&self, gtid: Gtid) -> GtidClaim {
        let mut state = self.state.lock();
        if state.gtid_executed.contains(gtid) {
            GtidClaim::Drawn
        } else if state.gtid_owned.insert(gtid) {
            GtidClaim::Owned
        } else {
            GtidClaim::Taken
        }
    }

    pub(crate) fn give_gtid_back(&self, gtid: Gtid) {
        self.state.lock().gtid_owned.remove(&gtid);
    }

    /// Whether a session has taken any.
    pub(crate) fn owns_gtids(&self) -> bool {
        !self.state.lock().gtid_owned.is_empty()
    }

    /// Whether a session has taken one of these.
    pub(crate) fn owns_one_of(&self, gtids: &GtidSet) -> bool {
        self.state.lock().gtid_owned.iter().any(|gtid| gtids.contains(*gtid))
    }

    /// What names and describes binlog files.
    pub fn files(&self) -> &FileContext {
        &self.files
    }
}

impl State {
    fn forget_chunks(&mut self, trx: TrxId) {
        self.redo.open_chunks.remove(&trx);
        if let Some(store) = &mut self.store {
            store.open_chunks.remove(&trx);
        }
    }

    fn draw_record(&mut self, pending: &Pending, ticket: &mut Ticket) {
        let events =
            if pending.form == Form::Carried { pending.placed_events_size(ticket.binlog) } else { 0 };
        let (size, events) = pending.record_size(events);
        ticket.redo = Some(self.redo.draw(size, events));
        ticket.rotation_redo = ticket
            .rotation
            .as_ref()
            .map(|rotation| self.redo.draw(rotation_size(rotation.rotate.len(), rotation.header.len()), 0));
        ticket.redo_end = self.redo.ticketed;
    }

    fn place_events(&mut self, pending: &Pending) -> Option<BinlogRange> {
        let events = pending.events()?;
        let gtid = pending.plan.sid.filter(|_| self.binlog.is_some());
        let gtid = gtid.map(|sid| Gtid { sid, gno: pending.gno.unwrap_or_else(|| self.next_gno(sid)) });
        let end = self.binlog.as_mut()?;
        let start = end.position;
        end.position += events.final_len(end.checksum);
        self.clock += 1;
        if let Some(gtid) = gtid {
            self.gtid_executed.add(gtid);
        }
        Some(BinlogRange {
            file: end.file,
            start,
            end: end.position,
            checksum: end.checksum,
            gtid,
            last_committed: pending.parent_clock.saturating_sub(self.file_clock),
            sequence_number: self.clock - self.file_clock,
        })
    }

    /// The first number of a server's that no transaction has, and that no session has taken.
    fn next_gno(&self, sid: Uuid) -> u64 {
        let mut from = 1;
        loop {
            let free = self
                .gtid_executed
                .free_run(&sid, from)
                .expect("half of all numbers are left by `gtid_purged`, and nothing else takes many");
            let gno = (free.start..free.end).find(|gno| !self.gtid_owned.contains(&Gtid { sid, gno: *gno }));
            match gno {
                Some(gno) => return gno,
                None => from = free.end,
            }
        }
    }

    fn rotate(
        &mut self,
        files: &FileContext,
        timestamp: u32,
        checksum: Option<ChecksumAlg>,
    ) -> Arc<Rotation> {
        let end = self.binlog.as_mut().expect("there is a binlog to rotate");
        let (old_file, rotate_start) = (end.file, end.position);
        let new_file = old_file.checked_add(1).expect("numbers of binlog files are not used up");
        let origin = Origin { timestamp, server_id: files.server_id };
        let name = files.name(new_file).to_string();
        let mut rotate = Vec::new();
        let event = event::Rotate { position: binlog::MAGIC.len() as u64, file: name.as_bytes() };
        append_final(&mut rotate, &event, origin, Placement::At(rotate_start), end.checksum);
        let checksum = checksum.unwrap_or(end.checksum);
        let header = files.header(timestamp, 0, checksum, &self.gtid_executed);
        *end = BinlogEnd { file: new_file, position: header.len() as u64, checksum };
        self.file_clock = self.clock;
        Arc::new(Rotation { after: self.last, old_file, rotate_start, rotate, new_file, checksum, header })
    }
}

#[cfg(test)]
mod tests {
    use redo::Ring;

    use super::*;

    #[test]
    fn chunks_are_needed_until_their_transaction_ends() {
        let (_ring, cursor, _consumer) = Ring::create(1 << 16, 16, Lsn::FIRST);
        let mut log = LogEnd::new(cursor, Drawn::default());
        let first = log.draw_chunk(TrxId(1), 100).start();
        let second = log.draw_chunk(TrxId(2), 100).start();
        let _record = log.draw(50, 0);
        assert_eq!(log.mark().needed_from, first);
        log.open_chunks.remove(&TrxId(1));
        assert_eq!(log.mark().needed_from, second);
        log.open_chunks.remove(&TrxId(2));
        assert_eq!(log.mark().needed_from, log.cursor.lsn(), "chunks that were given up keep nothing");
    }

    #[test]
    fn a_rotation_with_many_gtids_is_asked_for_before_there_was_one() {
        let mut many = GtidSet::new();
        many.extend((0..100).map(|number| Gtid { sid: Uuid([9; 16]), gno: 1 + 2 * number }));
        let cursor = || Ring::create(1 << 12, 16, Lsn::FIRST).1;
        let origins = |gtid_executed| Origins {
            last: CommitSeq(0),
            redo: (cursor(), Drawn::default()),
            binlog: None,
            buffer: cursor(),
            gtid_executed,
            delta: Arc::default(),
        };
        let files = || FileContext { base: "b".into(), server_version: "8".into(), server_id: 1 };
        let sequencer = Sequencer::new(origins(many.clone()), files());
        assert!(sequencer.rotation_size() > many.encoded_len());
        sequencer.reset(None);
        assert_eq!(sequencer.rotation_size(), 0);
        sequencer.add_gtids(&many);
        assert!(sequencer.rotation_size() > many.encoded_len());
    }

    #[test]
    fn events_do_not_count_but_for_a_part_of_all() {
        let drawn = |events| Drawn { chunks: 0, events };
        assert_eq!(drawn(0).counted(1000), 1000);
        assert_eq!(drawn(400).counted(1000), 600);
        assert_eq!(drawn(900).counted(1000), 333, "else a log of deleted rows would have no bound");
        assert_eq!(drawn(900).counted(0), 0);
    }
}
