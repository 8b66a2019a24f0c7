//! A transaction on its way through the pipeline.

use std::sync::Arc;

use binlog::gtid::Gno;
use binlog::{ChecksumAlg, Gtid, GtidPlan, Origin, TrxCache, TrxEvents, scratch};
use engine::delta::Delta;
use engine::ids::{CommitSeq, CounterHigh};
use redo::{Lsn, Reservation};

use crate::admission::Credits;
use crate::dependencies::Footprint;
use crate::file_maker::LargeEvents;
use crate::fold::Folds;
use crate::pipeline::INLINE_MAX;
use crate::record::{self, BinlogPlace, ChunkName};
use crate::room::Taken;
use crate::strategy::Form;

/// What of a transaction goes to the binlog.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EventsKind {
    /// Nothing: the binlog is off, or `sql_log_bin=0`, or nothing was changed.
    #[default]
    None,
    /// Row events between BEGIN and XID.
    Transaction,
    /// One statement that is a group by itself: DDL.
    Statement,
    /// Row events between XA START and XA_PREPARE, all of them in the cache.
    Prepared,
}

/// What a session keeps of its commits, for the next one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Recent {
    /// The last one.
    pub(crate) seq: CommitSeq,
    /// The clock of the last one that is logged.
    pub(crate) clock: u64,
    /// How many in a row had nobody else's between them.
    pub(crate) in_a_row: u32,
    /// Tickets from the one before to the last one.
    pub(crate) distance: u64,
}

impl Recent {
    /// Commits from the session's last but one to its last one: how many sessions commit, if all do as often.
    #[must_use]
    pub fn distance(&self) -> u64 {
        self.distance
    }

    /// Of a session that goes on before its commits are done: others' can be beside its own though none is between them.
    #[must_use]
    pub fn not_waiting(self) -> Self {
        Self { in_a_row: 0, ..self }
    }
}

/// What a session hands over, encoded. It has one only while it commits: with thousands of sessions, one that each of them kept
/// would be in no cache.
#[derive(Debug)]
pub struct Pending {
    /// The write set's entries, without those in chunks.
    pub writes: Vec<u8>,
    /// Counters that the transaction moved.
    pub counters: Vec<CounterHigh>,
    /// Its events.
    pub cache: TrxCache,
    /// Whether and how the events are logged.
    pub kind: EventsKind,
    /// What is known of its GTID event.
    pub plan: GtidPlan,
    /// The GTID's number, where `plan` names another server's: that of a transaction that ran first elsewhere.
    pub gno: Option<Gno>,
    /// Header fields of the events that the commit adds.
    pub origin: Origin,
    /// All its events are one in the cache, compressed, XID included.
    pub compressed: bool,
    /// Front parts of the write set that went to redo before.
    pub(crate) chunks: Vec<ChunkName>,
    /// Its events, if they went to redo or the store before.
    pub(crate) event_chunks: Vec<ChunkName>,
    /// What its redo record leaves out, if it carries the events.
    pub(crate) folds: Folds,
    /// How the strategy that it was reserved for wants it.
    pub(crate) form: Form,
    /// What it was granted.
    pub(crate) admitted: Credits,
    /// Events that the binlog file will be made of and that are not in the binlog buffer.
    pub(crate) large: Option<Box<LargeEvents>>,
    /// What both logs will take of the disk, until it is written.
    pub(crate) room: Option<Taken>,
    /// The dependency clock that it depends on.
    pub(crate) parent_clock: u64,
    /// What later transactions depend on.
    pub(crate) footprint: Footprint,
    /// Whether its rows may be told apart at WRITESET: the session's `transaction_write_set_extraction` is the server's.
    pub has_write_set: bool,
    /// Nothing of it is a user's: it does not wait for FLUSH TABLES WITH READ LOCK, whose owner may be whoever commits it.
    pub passes_read_lock: bool,
    ticket: Option<Ticket>,
    /// Its session's commits, this one included as soon as it has its ticket.
    pub(crate) recent: Recent,
    /// When it got its ticket, by [`Clock::monotonic_ns`](crate::Clock::monotonic_ns).
    pub(crate) drawn_ns: u64,
}

impl Pending {
    /// Of a session with this cache.
    pub fn new(cache: TrxCache, recent: Recent, plan: GtidPlan, origin: Origin) -> Self {
        Self {
            writes: Vec::new(),
            counters: Vec::new(),
            cache,
            kind: EventsKind::None,
            plan,
            gno: None,
            origin,
            compressed: false,
            chunks: Vec::new(),
            event_chunks: Vec::new(),
            folds: Folds::default(),
            form: Form::Named,
            admitted: Credits::default(),
            large: None,
            room: None,
            parent_clock: 0,
            footprint: Footprint::default(),
            has_write_set: true,
            passes_read_lock: false,
            ticket: None,
            recent,
            drawn_ns: 0,
        }
    }

    /// What its session keeps for the next one.
    pub fn recent(&self) -> Recent {
        self.recent
    }

    /// The session's cache, as it is.
    pub fn into_cache(self) -> TrxCache {
        scratch::give(self.writes);
        self.cache
    }

    /// Gives back the buffers of what both logs have been given.
    pub(crate) fn free_buffers(&mut self) {
        scratch::give(std::mem::take(&mut self.writes));
        self.cache.reset();
    }

    /// The GTID that it has got.
    pub fn gtid(&self) -> Option<Gtid> {
        self.ticket.as_ref()?.binlog.as_ref()?.gtid
    }

    /// Its ticket.
    ///
    /// # Panics
    /// If none was drawn.
    pub(crate) fn ticket(&self) -> &Ticket {
        self.ticket.as_ref().expect("it has a ticket")
    }

    pub(crate) fn ticket_mut(&mut self) -> &mut Ticket {
        self.ticket.as_mut().expect("it has a ticket")
    }

    /// Lends the ticket to whoever changes it.
    pub(crate) fn take_ticket(&mut self) -> Ticket {
        self.ticket.take().expect("it has a ticket")
    }

    pub(crate) fn put_ticket(&mut self, ticket: Ticket) {
        self.ticket = Some(ticket);
    }

    pub(crate) fn set_ticket(&mut self, ticket: Ticket) {
        assert!(self.ticket.is_none(), "one ticket a transaction");
        let before = self.recent;
        let distance = ticket.seq.0.saturating_sub(before.seq.0);
        let in_a_row = if distance == 1 { before.in_a_row.saturating_add(1) } else { 0 };
        let clock = if ticket.binlog.is_some() { ticket.clock } else { before.clock };
        self.recent = Recent { seq: ticket.seq, clock, in_a_row, distance };
        self.ticket = Some(ticket);
    }

    /// Its events as one group.
    pub(crate) fn events(&self) -> Option<TrxEvents<'_>> {
        match self.kind {
            EventsKind::None => None,
            EventsKind::Transaction if !self.compressed => {
                Some(TrxEvents::transaction(&self.cache, self.plan, self.origin))
            }
            EventsKind::Transaction | EventsKind::Statement | EventsKind::Prepared => {
                Some(TrxEvents::statement(&self.cache, self.plan, self.origin))
            }
        }
    }

    /// Whether parts of it went to a log before.
    pub(crate) fn has_chunks(&self) -> bool {
        !self.chunks.is_empty() || !self.event_chunks.is_empty()
    }

    /// Whether its events are not finalised in one piece.
    pub(crate) fn has_large_events(&self) -> bool {
        let goes_by_pieces = || self.form.has_backlog() && self.cache.len() > INLINE_MAX as u64;
        self.kind != EventsKind::None
            && (!self.event_chunks.is_empty() || self.cache.memory().is_none() || goes_by_pieces())
    }

    /// Whether its events go to the file by way of the binlog buffer.
    pub(crate) fn is_buffered(&self) -> bool {
        self.form.has_backlog() && self.kind != EventsKind::None && !self.has_large_events()
    }

    /// What its events take of the backlog.
    pub(crate) fn backlog(&self) -> Credits {
        Credits { backlog_bytes: self.admitted.backlog_bytes, ..Credits::default() }
    }

    /// Bytes of its redo record's body with so many of events, and how many of them are for the events.
    pub(crate) fn record_size(&self, events: usize) -> (usize, usize) {
        let events = events.saturating_sub(self.folds.saved());
        let size = record::trx_size(self.counters.len(), self.chunks.len(), events, self.writes.len());
        (size, events)
    }

    /// Bytes of its events' body, if they end like this and are so many in the file.
    pub(crate) fn events_size(&self, events: &TrxEvents<'_>, checksum: ChecksumAlg, final_len: u64) -> usize {
        let chunks = self.event_chunks.len();
        let size = if chunks == 0 { final_len } else { events.edges_len(checksum) };
        record::events_size(chunks, usize::try_from(size).expect("larger events are in chunks"))
    }

    /// Bytes of its events' body, 0 if it has none in the binlog.
    pub(crate) fn placed_events_size(&self, range: Option<BinlogRange>) -> usize {
        let Some((range, events)) = range.zip(self.events()) else { return 0 };
        self.events_size(&events, range.checksum, range.end - range.start)
    }
}

/// Transactions that go through a stage together. They move between stages, and back to their sessions, as pointers.
pub(crate) type Batch = Vec<Box<Pending>>;

/// A transaction's place in every order.
#[derive(Debug)]
pub(crate) struct Ticket {
    pub(crate) seq: CommitSeq,
    /// Its range in the redo log; taken by whoever fills it.
    pub(crate) redo: Option<Reservation>,
    /// Its rotation's; likewise.
    pub(crate) rotation_redo: Option<Reservation>,
    /// The end of these ranges.
    pub(crate) redo_end: Lsn,
    /// Its range in the binlog store; taken by whoever fills it.
    pub(crate) store: Option<Reservation>,
    /// The end of that range, or of the one before it.
    pub(crate) store_end: Lsn,
    /// Its range in the binlog.
    pub(crate) binlog: Option<BinlogRange>,
    /// Its range in the binlog buffer; taken by whoever fills it.
    pub(crate) buffer: Option<Reservation>,
    /// The dependency clock after it.
    pub(crate) clock: u64,
    /// Where its write set goes.
    pub(crate) delta: Arc<Delta>,
    /// The binlog goes on in a new file after it.
    pub(crate) rotation: Option<Arc<Rotation>>,
}

impl Ticket {
    /// What it took of both rings, as long as nothing of it is filled.
    pub(crate) fn drawn(&self) -> Credits {
        let bytes = |range: &Reservation| range.end().since(range.start());
        let redo = self.redo.iter().chain(&self.rotation_redo).map(bytes).sum::<u64>();
        let store = self.store.as_ref().map_or(0, bytes);
        let bytes = |bytes: u64| i64::try_from(bytes).expect("rings are in memory");
        Credits { ring_bytes: bytes(redo), store_bytes: bytes(store), ..Credits::default() }
    }

    /// Where the binlog ends after it, if its events end at `place`.
    pub(crate) fn end_after(&self, place: BinlogPlace) -> BinlogPlace {
        self.rotation.as_ref().map_or(place, |rotation| BinlogPlace {
            file: rotation.new_file,
            position: rotation.header.len() as u64,
        })
    }

    /// Where its events end.
    pub(crate) fn binlog_end(&self) -> Option<BinlogPlace> {
        self.binlog.map(|range| BinlogPlace { file: range.file, position: range.end })
    }
}

/// Where a transaction's events go, and what they say about their place.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BinlogRange {
    pub(crate) file: u32,
    pub(crate) start: u64,
    pub(crate) end: u64,
    pub(crate) checksum: ChecksumAlg,
    pub(crate) gtid: Option<Gtid>,
    /// Relative to the file.
    pub(crate) last_committed: u64,
    /// Relative to the file.
    pub(crate) sequence_number: u64,
}

/// A change of binlog files, decided with a ticket.
#[derive(Debug)]
pub(crate) struct Rotation {
    pub(crate) after: CommitSeq,
    pub(crate) old_file: u32,
    pub(crate) rotate_start: u64,
    /// The ROTATE event, final.
    pub(crate) rotate: Vec<u8>,
    pub(crate) new_file: u32,
    /// How the new file's events end.
    pub(crate) checksum: ChecksumAlg,
    /// The new file's first bytes, final.
    pub(crate) header: Vec<u8>,
}
