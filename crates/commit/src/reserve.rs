//! Reserve: everything before the ticket, where a commit may wait or be refused.

use std::future::{Future, poll_fn};
use std::pin::pin;

use binlog::{ChecksumAlg, scratch};
use engine::ids::TrxId;
use engine::writeset::WriteSet;
use redo::Lsn;
use redo::record::HEAD_SIZE;

use crate::admission::{Credits, Need};
use crate::fill::fill;
use crate::fold::Folds;
use crate::pending::{EventsKind, Pending};
use crate::pipeline::{INLINE_MAX, Pipeline};
use crate::record::{self, ChunkName};
use crate::room::Bytes;
use crate::sequencer::SequencedLog;
use crate::strategy::Form;
use crate::{CommitError, Role};

impl Pipeline {
    /// Reserve: encodes the write set into `pending` and waits until there is room for everything that the ticket
    /// will take. The last point at which a commit can be refused. Call [`Pipeline::submit`] right after it, without
    /// waiting in between.
    pub async fn reserve(
        &self,
        trx: TrxId,
        pending: &mut Pending,
        writes: &WriteSet,
    ) -> Result<(), CommitError> {
        pending.admitted = Credits::default();
        self.find_parent(pending, writes);
        let (events, writes_size) = (pending.cache.len(), writes.encoded_size() as u64);
        // Events go to the binlog file, and to a log before if the strategy says so. All may be on one device.
        let own_store = self.own_store();
        let (twice, store) = match self.strategy().form() {
            Form::Stored if own_store.is_some() => (events, events),
            Form::Carried | Form::Stored => (events, 0),
            Form::Named | Form::Buffered | Form::Later => (0, 0),
        };
        let bytes = Bytes { redo: events + twice + writes_size, binlog: events, store };
        pending.room = Some(self.room.take(bytes, own_store)?);
        if writes.encoded_size() <= INLINE_MAX {
            pending.writes = scratch::take();
            writes.encode(&mut pending.writes);
        } else {
            let mut pieces = writes.encode_pieces(INLINE_MAX);
            pending.writes = pieces.pop().unwrap_or_default();
            for piece in pieces {
                self.write_writes(trx, pending, &piece).await?;
            }
        }
        loop {
            let form = self.strategy().form();
            self.prepare(trx, pending, form).await?;
            let credits = self.admit_ticket(pending).await?;
            // While it has a slot the strategy does not change.
            if self.strategy().form() == form {
                pending.admitted = credits;
                return Ok(());
            }
            self.admission.give_back(credits);
        }
    }

    /// Waits for what a prepared transaction's ticket will take. If the GTIDs have become many meanwhile, so that a rotation
    /// would take more than it has asked for, it asks again.
    pub(crate) async fn admit_ticket(&self, pending: &Pending) -> Result<Credits, CommitError> {
        loop {
            let rotation = self.sequencer.rotation_size();
            let need = self.need_of(pending, rotation);
            self.admit(need).await?;
            if self.sequencer.rotation_size() <= rotation {
                return Ok(need.credits);
            }
            self.admission.give_back(need.credits);
        }
    }

    /// Brings a transaction into the form that a strategy wants.
    async fn prepare(&self, trx: TrxId, pending: &mut Pending, form: Form) -> Result<(), CommitError> {
        if pending.form != form {
            pending.event_chunks.clear();
        }
        pending.form = form;
        if form == Form::Later && !pending.writes.is_empty() {
            let writes = std::mem::take(&mut pending.writes);
            let end = self.write_writes(trx, pending, &writes).await?;
            if let Some(demand) = self.settings.redo_demand() {
                self.redo_waiters.wait(&self.redo, demand, end).await;
            }
        }
        pending.folds = Folds::default();
        if pending.cache.len() <= INLINE_MAX as u64 {
            pending.cache.load(INLINE_MAX as u64).map_err(|_| CommitError::EventsUnreadable)?;
            // Of a write set with chunks, what is left may begin within an entry.
            if form == Form::Carried && pending.kind != EventsKind::None && pending.chunks.is_empty() {
                pending.folds = Folds::find(&pending.cache, &pending.writes);
            }
            return Ok(());
        }
        match form {
            Form::Carried => self.write_events(trx, pending, SequencedLog::Redo).await,
            Form::Stored => self.write_events(trx, pending, SequencedLog::Store).await,
            Form::Named | Form::Buffered | Form::Later => Ok(()),
        }
    }

    /// What a prepared transaction's ticket will take, with so many bytes of redo's ring for a rotation that it may lead to.
    fn need_of(&self, pending: &Pending, rotation: usize) -> Need {
        // The most that events can take.
        let checksum = ChecksumAlg::Crc32;
        let events = pending.events().map(|events| (events.final_len(checksum), events));
        let events_size = |form| match events {
            Some((len, events)) if pending.form == form => pending.events_size(&events, checksum, len),
            _ => 0,
        };
        let (record, _) = pending.record_size(events_size(Form::Carried));
        let record = Credits::bytes(HEAD_SIZE + record);
        let rotation = self.binlog.as_ref().map_or(0, |_| Credits::bytes(rotation));
        // Whoever asks for all that there is is alone.
        let ring_bytes = (record + rotation).min(self.admission.all().ring_bytes).max(record);
        let mut credits = Credits { ring_bytes, slots: 1, ..Credits::default() };
        if let Some((len, _)) = events {
            if pending.form == Form::Stored {
                let size = HEAD_SIZE + record::stored_size(events_size(Form::Stored));
                credits.store_bytes = Credits::bytes(size);
            }
            if pending.form.has_backlog() {
                let in_memory = || usize::try_from(len).expect("it is in memory");
                let size = if pending.has_large_events() { INLINE_MAX } else { in_memory() };
                credits.backlog_bytes = Credits::bytes(size);
            }
        }
        Need { credits, ..need_beside(pending) }
    }

    /// Writes a front part of the write set. Returns its end.
    async fn write_writes(
        &self,
        trx: TrxId,
        pending: &mut Pending,
        piece: &[u8],
    ) -> Result<Lsn, CommitError> {
        let chunk = self.write_chunk(SequencedLog::Redo, trx, piece, pending).await?;
        pending.chunks.push(chunk);
        Ok(chunk.end())
    }

    /// Writes all cached events, unless that was done.
    async fn write_events(
        &self,
        trx: TrxId,
        pending: &mut Pending,
        log: SequencedLog,
    ) -> Result<(), CommitError> {
        if pending.kind == EventsKind::None || !pending.event_chunks.is_empty() {
            return Ok(());
        }
        let mut piece = vec![0; INLINE_MAX];
        let mut offset = 0;
        loop {
            let read = pending.cache.read_at(&mut piece, offset);
            let size = read.map_err(|_| CommitError::EventsUnreadable)?;
            if size == 0 {
                return Ok(());
            }
            let chunk = self.write_chunk(log, trx, &piece[..size], pending).await?;
            pending.event_chunks.push(chunk);
            offset += size as u64;
        }
    }

    /// Waits for credits, and has the ring drained meanwhile.
    pub(crate) async fn admit(&self, need: Need) -> Result<(), CommitError> {
        if self.room.disk_is_full() {
            return Err(CommitError::DiskFull);
        }
        let mut admit = pin!(self.admission.admit(need));
        let mut waits = false;
        poll_fn(|context| {
            let answer = admit.as_mut().poll(context);
            if answer.is_pending() && !std::mem::replace(&mut waits, true) {
                // What is filled later is wanted by who fills it.
                for role in [Role::Redo, Role::Store, Role::Files] {
                    self.roles.want(role);
                }
            }
            answer
        })
        .await
    }

    /// Says that a transaction will not be submitted, whether [`Pipeline::reserve`] has failed for it or not: gives back what
    /// it was granted.
    pub fn forget(&self, trx: TrxId, pending: &mut Pending) {
        self.admission.give_back(std::mem::take(&mut pending.admitted));
        pending.room = None;
        self.sequencer.forget_chunks(trx);
    }

    async fn write_chunk(
        &self,
        log: SequencedLog,
        trx: TrxId,
        piece: &[u8],
        pending: &Pending,
    ) -> Result<ChunkName, CommitError> {
        let bytes = Credits::bytes(HEAD_SIZE + piece.len());
        let (credits, role) = match log {
            SequencedLog::Redo => (Credits { ring_bytes: bytes, ..Credits::default() }, Role::Redo),
            SequencedLog::Store => {
                let role = if self.own_store().is_some() { Role::Store } else { Role::Redo };
                (Credits { store_bytes: bytes, ..Credits::default() }, role)
            }
        };
        self.admit(Need { credits, ..need_beside(pending) }).await?;
        let reservation = self.sequencer.draw_chunk(log, trx, piece.len());
        let size = u32::try_from(piece.len()).expect("at most 512 KiB");
        let chunk = ChunkName { lsn: reservation.start(), size };
        let target = match log {
            SequencedLog::Redo => &self.redo,
            SequencedLog::Store => self.store().expect("the store was opened with its strategy"),
        };
        fill(target, reservation, record::CHUNK, |put| put(piece));
        self.roles.want(role);
        Ok(chunk)
    }
}

/// What admission asks of a transaction beside credits.
fn need_beside(pending: &Pending) -> Need {
    let credits = Credits::default();
    Need { credits, writes: !pending.passes_read_lock, has_chunks: pending.has_chunks() }
}
