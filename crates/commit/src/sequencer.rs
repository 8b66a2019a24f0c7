//! The sequencer: draws tickets. One tiny lock, arithmetic only; this is where every order is decided at once.
//!
//! Under the lock nothing is allocated but at a rotation, where the new file's first bytes are encoded once.

use std::collections::BTreeMap;
use std::sync::Arc;

use binlog::event;
use binlog::finalise::append_final;
use binlog::{BinlogName, ChecksumAlg, FileHeader, Gtid, GtidSet, Origin, Placement};
use engine::delta::Delta;
use engine::ids::{CommitSeq, TrxId};
use parking_lot::Mutex;
use redo::record::HEAD_SIZE;
use redo::{Cursor, Lsn, Reservation};

use crate::pending::{BinlogRange, Pending, Rotation, Ticket};
use crate::record::rotation_size;

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

/// When a ticket takes the binlog to a new file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rotate {
    /// When the file has reached so many bytes.
    AtSize(u64),
    /// In any case, and the new file's events end like this, if it says so.
    Now(Option<ChecksumAlg>),
}

/// What a checkpoint must know of the moment at which it sealed. See `facts`.
#[derive(Clone, Debug)]
pub(crate) struct Sealed {
    /// The last transaction of the sealed delta.
    pub(crate) through: CommitSeq,
    /// No record below is needed once the delta is in the base: the end of the last transaction's record, or the
    /// first chunk of a transaction that has no ticket yet.
    pub(crate) redo_start: Lsn,
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
}

#[derive(Debug)]
struct State {
    last: CommitSeq,
    /// The end of its records.
    last_end: Lsn,
    redo: Cursor,
    binlog: Option<BinlogEnd>,
    /// Counts logged transactions; `sequence_number` is relative to its value at the file's beginning.
    clock: u64,
    file_clock: u64,
    gtid_executed: GtidSet,
    delta: Arc<Delta>,
    /// First chunks of transactions that have no ticket yet.
    open_chunks: BTreeMap<TrxId, Lsn>,
}

/// Where a server run begins.
#[derive(Debug)]
pub(crate) struct Origins {
    pub(crate) last: CommitSeq,
    pub(crate) redo: Cursor,
    pub(crate) binlog: Option<BinlogEnd>,
    pub(crate) gtid_executed: GtidSet,
    pub(crate) delta: Arc<Delta>,
}

impl Sequencer {
    pub(crate) fn new(origins: Origins, files: FileContext) -> Self {
        let Origins { last, redo, binlog, gtid_executed, delta } = origins;
        let open_chunks = BTreeMap::new();
        let last_end = redo.lsn();
        let state = State {
            last,
            last_end,
            redo,
            binlog,
            clock: 0,
            file_clock: 0,
            gtid_executed,
            delta,
            open_chunks,
        };
        Self { state: Mutex::new(state), files }
    }

    /// Draws a transaction's ticket and gives it to `pending`. There must be room: admission was granted.
    pub(crate) fn draw(&self, pending: &mut Pending, trx: TrxId, rotate: Rotate) -> CommitSeq {
        let record_size = HEAD_SIZE + pending.record_size();
        let mut state = self.state.lock();
        state.last = state.last.next();
        let seq = state.last;
        if !pending.chunks.is_empty() {
            state.open_chunks.remove(&trx);
        }
        let redo = state.redo.draw(record_size);
        let binlog = state.place_events(pending);
        let timestamp = pending.origin.timestamp;
        let rotation = match rotate {
            Rotate::AtSize(max) if binlog.is_some_and(|range| range.end >= max) => {
                Some(state.rotate(&self.files, timestamp, None))
            }
            Rotate::Now(checksum) if state.binlog.is_some() => {
                Some(state.rotate(&self.files, timestamp, checksum))
            }
            _ => None,
        };
        state.last_end = rotation.as_ref().map_or(redo.end(), |rotation| rotation.redo_end);
        let ticket = Ticket {
            seq,
            redo_end: state.last_end,
            redo: Some(redo),
            binlog,
            clock: state.clock,
            delta: Arc::clone(&state.delta),
            rotation,
        };
        drop(state);
        pending.set_ticket(ticket);
        seq
    }

    /// Draws room for a chunk of `body_size` bytes of a transaction that has no ticket yet.
    pub(crate) fn draw_chunk(&self, trx: TrxId, body_size: usize) -> Reservation {
        let mut state = self.state.lock();
        let reservation = state.redo.draw(HEAD_SIZE + body_size);
        state.open_chunks.entry(trx).or_insert(reservation.start());
        reservation
    }

    /// The last transaction that has a ticket.
    pub(crate) fn last(&self) -> CommitSeq {
        self.state.lock().last
    }

    /// The dependency clock of the last logged transaction.
    pub(crate) fn clock(&self) -> u64 {
        self.state.lock().clock
    }

    /// A transaction that has written chunks will never draw a ticket.
    pub(crate) fn forget_chunks(&self, trx: TrxId) {
        self.state.lock().open_chunks.remove(&trx);
    }

    /// Seals the active delta: everything drawn so far is in it or in older ones. `publish` replaces it by a new one
    /// in the published view, and is called before the next draw can happen.
    pub(crate) fn seal(&self, publish: impl FnOnce(CommitSeq) -> Arc<Delta>) -> Sealed {
        let mut state = self.state.lock();
        let through = state.last;
        let end = state.last_end;
        let redo_start = state.open_chunks.values().min().map_or(end, |chunk| end.min(*chunk));
        let delta = publish(through);
        Sealed {
            through,
            redo_start,
            gtid_executed: state.gtid_executed.clone(),
            binlog: state.binlog.clone(),
            delta: std::mem::replace(&mut state.delta, delta),
        }
    }

    /// What names and describes binlog files.
    pub fn files(&self) -> &FileContext {
        &self.files
    }
}

impl State {
    fn place_events(&mut self, pending: &Pending) -> Option<BinlogRange> {
        let events = pending.events()?;
        let end = self.binlog.as_mut()?;
        let start = end.position;
        end.position += events.final_len(end.checksum);
        self.clock += 1;
        let gtid = pending.plan.sid.map(|sid| {
            let run = self.gtid_executed.free_run(&sid, 1).expect("2^63 numbers are never used up");
            Gtid { sid, gno: run.start }
        });
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

    fn rotate(&mut self, files: &FileContext, timestamp: u32, checksum: Option<ChecksumAlg>) -> Rotation {
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
        let redo = self.redo.draw(HEAD_SIZE + rotation_size(rotate.len(), header.len()));
        Rotation {
            after: self.last,
            redo_end: redo.end(),
            redo: Some(redo),
            old_file,
            rotate_start,
            rotate,
            new_file,
            checksum,
            header,
        }
    }
}
