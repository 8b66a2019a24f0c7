//! The commit pipeline: what every strategy shares.
//!
//! The naive way to commit with two logs is to write the redo log, sync it, write the binlog, sync that, and hold a
//! mutex all the while so that both logs, and what readers see, agree on an order. Its price is why this server
//! exists. Here the order is decided first, and everything after that may happen in parallel:
//!
//! ```text
//! session                                        log threads                      runtime task
//! reserve   encode the write set; wait for room
//! submit    ticket (the only lock), fill what
//!           the strategy leaves to sessions,
//!           apply, release row locks, Ready ---> steps of the strategy:
//! await     Committing                           contiguous prefix of Ready,
//!                                                finalise, write, sync
//!                                                publish (Done, visible_seq) ---> sweep: wake whoever waits
//! collect   CommitAck, buffers <----------------------------------------------------'
//! ```
//!
//! Invariants:
//! 1. redo order = binlog order = visibility order = ticket order;
//! 2. whoever has seen a row version that is not visible yet is answered only after it is ([`crate::ack`]);
//! 3. nothing is acknowledged that a crash could take back at the settings of its commit;
//! 4. after its ticket a commit neither waits for another session nor fails: an error of a step is fatal.
//!
//! Rejected: a queue of sessions with leader and followers as threads. The slots are that queue, ordered by the
//! ticket, and sessions are tasks: a thousand of them waiting for one sync are a thousand wakers in slots.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use engine::delta::Delta;
use engine::ids::{CommitSeq, TrxId};
use engine::trx::Trx;
use engine::view::Published;
use engine::writeset::WriteSet;
use parking_lot::Mutex;
use redo::record::{HEAD_SIZE, head};
use redo::{Lsn, RedoLog, Reservation};

use crate::ack::{Committing, Visible};
use crate::admission::{Admission, Need};
use crate::binlog_files::BinlogFiles;
use crate::clock::Clock;
use crate::dependencies::{Dependencies, Tracking};
use crate::facts::Facts;
use crate::pending::{Batch, EventsKind, Pending};
use crate::publisher::Publisher;
use crate::record::{self, BinlogPlace, ChunkName, EventsPlace, RotationRecord, TrxHead};
use crate::roles::{Role, Roles};
use crate::room::Room;
use crate::sequencer::{Rotate, Sequencer};
use crate::settings::Settings;
use crate::slots::Slots;
use crate::stats::{Stats, add};
use crate::strategy::Strategy;
use crate::sweep::Sweep;
use crate::{CommitError, FatalError};

/// The largest piece of a write set in one record. Bounds the work after a ticket.
pub const INLINE_WRITES_MAX: usize = 512 << 10;

/// A session that has committed so often in a row without anybody else in between is alone.
const ALONE_AFTER: u32 = 16;

/// What the pipeline does with a session's transaction between its ticket and its release.
pub trait Participant {
    /// Puts the write set into the table store's memory as the versions of `seq`.
    fn apply(&mut self, seq: CommitSeq, delta: &Delta);

    /// Releases row locks.
    fn release_locks(&mut self);
}

impl Participant for Trx {
    fn apply(&mut self, seq: CommitSeq, delta: &Delta) {
        Self::apply(self, seq, delta);
    }

    fn release_locks(&mut self) {
        Self::release_locks(self);
    }
}

/// See the module. Made by [`crate::recovery`].
#[derive(Debug)]
pub struct Pipeline {
    /// Settings that may change at any time.
    pub settings: Settings,
    /// Counters.
    pub stats: Stats,
    /// Which steps are wanted.
    pub roles: Roles,
    /// Where commits wait or are refused.
    pub admission: Admission,
    /// Room on the disk.
    pub room: Room,
    pub(crate) slots: Slots,
    pub(crate) sequencer: Sequencer,
    pub(crate) publisher: Publisher,
    pub(crate) redo: RedoLog,
    pub(crate) binlog: Option<BinlogFiles>,
    pub(crate) strategy: Box<dyn Strategy>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) sweep: Sweep,
    pub(crate) published: Arc<Published>,
    /// What dependency stamps follow from.
    pub(crate) dependencies: Dependencies,
    /// What a step took of late, nanoseconds: a moving average.
    pub(crate) recent_step_ns: AtomicU64,
    /// How much of the redo ring has been given back to admission. Rank: before admission's.
    pub(crate) ring_returned: Mutex<Lsn>,
    /// What the last checkpoint says about itself. Held while one finishes. Rank: before redo's and the base's.
    pub(crate) facts: Mutex<Facts>,
}

/// Aborts the process if a commit unwinds after its ticket: a hole in the order could never be closed.
struct AbortOnUnwind;

impl Drop for AbortOnUnwind {
    fn drop(&mut self) {
        if std::thread::panicking() {
            std::process::abort();
        }
    }
}

impl Pipeline {
    /// The view and `visible_seq` that snapshots are taken of.
    pub fn published(&self) -> &Arc<Published> {
        &self.published
    }

    /// What is published along with `visible_seq`.
    pub fn publisher(&self) -> &Publisher {
        &self.publisher
    }

    /// The redo log's counters and marks.
    pub fn redo(&self) -> &RedoLog {
        &self.redo
    }

    /// The binlog's files, if the binlog is on.
    pub fn binlog(&self) -> Option<&BinlogFiles> {
        self.binlog.as_ref()
    }

    /// The last transaction that has a ticket.
    pub fn last_drawn(&self) -> CommitSeq {
        self.sequencer.last()
    }

    /// The name of the active strategy.
    pub fn strategy_name(&self) -> &'static str {
        self.strategy.name()
    }

    /// Reserve: encodes the write set into `pending` and waits until there is room for everything that the ticket
    /// will take. The last point at which a commit can be refused. Call [`Pipeline::submit`] right after it, without
    /// waiting in between.
    pub async fn reserve(
        &self,
        trx: TrxId,
        pending: &mut Pending,
        writes: &WriteSet,
    ) -> Result<(), CommitError> {
        self.find_parent(pending, writes);
        pending.room = Some(self.room.take(pending.cache.len() + writes.encoded_size() as u64)?);
        if writes.encoded_size() <= INLINE_WRITES_MAX {
            writes.encode(&mut pending.writes);
        } else {
            let mut pieces = writes.encode_pieces(INLINE_WRITES_MAX);
            pending.writes = pieces.pop().unwrap_or_default();
            for piece in pieces {
                let chunk = self.write_chunk(trx, &piece, !pending.chunks.is_empty()).await?;
                pending.chunks.push(chunk);
            }
        }
        let ring_bytes = HEAD_SIZE + pending.record_size();
        let has_chunks = !pending.chunks.is_empty();
        self.admit(Need { ring_bytes, slots: 1, writes: true, has_chunks }).await
    }

    /// Waits for credits, and has the ring drained meanwhile.
    pub(crate) async fn admit(&self, need: Need) -> Result<(), CommitError> {
        if self.room.is_spent() {
            return Err(CommitError::DiskFull);
        }
        let mut admit = pin!(self.admission.admit(need));
        poll_fn(|context| {
            let answer = admit.as_mut().poll(context);
            if answer.is_pending() {
                self.roles.want(Role::Redo);
            }
            answer
        })
        .await
    }

    /// Says that a transaction for which [`Pipeline::reserve`] failed will not be submitted.
    pub fn forget(&self, trx: TrxId) {
        self.sequencer.forget_chunks(trx);
    }

    /// Ticket, fill, apply, release: one synchronous function. From here on the pipeline owns the commit. A session
    /// that is alone also plays the log threads' roles in here. An error is fatal: stop the process.
    pub fn submit(
        self: &Arc<Self>,
        trx: TrxId,
        pending: Box<Pending>,
        participant: &mut dyn Participant,
    ) -> Result<Committing, FatalError> {
        let max = self.settings.max_binlog_size.load(Ordering::Relaxed);
        let is_alone = self.is_alone(&pending);
        let seq = self.hand_over(trx, pending, participant, Rotate::AtSize(max));
        if is_alone {
            self.play_alone(seq)?;
        } else {
            self.roles.want(self.strategy.first_role());
        }
        Ok(Committing::new(Arc::clone(self), seq))
    }

    /// Everything up to the hand-over to the stages, which the caller then wants.
    pub(crate) fn hand_over(
        &self,
        trx: TrxId,
        mut pending: Box<Pending>,
        participant: &mut dyn Participant,
        rotate: Rotate,
    ) -> CommitSeq {
        let _guard = AbortOnUnwind;
        let seq = self.sequencer.draw(&mut pending, trx, rotate);
        self.record_footprint(&mut pending);
        self.strategy.fill(self, &mut pending);
        participant.apply(seq, &pending.ticket().delta);
        if self.settings.early_lock_release.load(Ordering::Relaxed) {
            self.locks_go(&pending);
            participant.release_locks();
        }
        self.slots.put_ready(seq, pending);
        seq
    }

    /// Whether a session may carry its commit through the stages itself: its last ones had nobody else's between them,
    /// so there is nobody to form a group with, and steps are shorter than it takes to wake two threads.
    fn is_alone(&self, pending: &Pending) -> bool {
        let max_ns = u64::from(self.settings.lone_commit_max_us.load(Ordering::Relaxed)) * 1000;
        pending.in_a_row >= ALONE_AFTER && self.recent_step_ns.load(Ordering::Relaxed) < max_ns
    }

    /// Plays the roles that the session's own commit needs. Leaves them to the log threads as soon as those play.
    fn play_alone(&self, seq: CommitSeq) -> Result<(), FatalError> {
        self.roles.want_next(self.strategy.first_role());
        let mut played = None;
        while let Some(role) = self.roles.take_alone(played) {
            self.step(role)?;
            if self.published.visible() >= seq {
                self.roles.leave(role);
                return Ok(());
            }
            played = Some(role);
        }
        Ok(())
    }

    /// Notes that a transaction's row locks are about to go: later ones may depend on it.
    pub fn locks_go(&self, pending: &Pending) {
        self.dependencies.release(pending.ticket().clock);
    }

    /// Brings `binlog_transaction_dependency_history_size` to what the settings say.
    pub fn resize_dependency_history(&self) {
        let size = self.settings.dependency_history_size.load(Ordering::Relaxed);
        self.dependencies.resize(size, || self.sequencer.clock());
    }

    fn find_parent(&self, pending: &mut Pending, writes: &WriteSet) {
        let tracking = Tracking::of(self.settings.dependency_tracking.load(Ordering::Relaxed));
        let is_known = pending.has_write_set && pending.kind == EventsKind::Transaction;
        let rows = is_known.then_some(&writes.row_hashes);
        pending.parent_clock = self.dependencies.parent(tracking, rows, &mut pending.footprint);
    }

    /// After the ticket, with all locks held.
    fn record_footprint(&self, pending: &mut Pending) {
        let ticket = pending.ticket();
        if ticket.binlog.is_some() {
            let clock = ticket.clock;
            self.dependencies.record(&mut pending.footprint, clock);
        }
    }

    /// Waits until everything up to `seq` is visible.
    pub fn wait_visible(self: &Arc<Self>, seq: CommitSeq) -> Visible {
        Visible::new(Arc::clone(self), seq)
    }

    /// Plays a role that was taken from [`Pipeline::roles`]. An error is fatal: stop the process.
    pub fn step(&self, role: Role) -> Result<(), FatalError> {
        let begun = self.clock.monotonic_ns();
        self.strategy.step(self, role)?;
        let ns = self.clock.monotonic_ns().saturating_sub(begun);
        let before = self.recent_step_ns.load(Ordering::Relaxed);
        self.recent_step_ns.store(before - before / 8 + ns / 8, Ordering::Relaxed);
        Ok(())
    }

    /// Syncs redo at any setting: the housekeeper's once a second, and a checkpoint's.
    pub fn sync_redo(&self) -> Result<(), FatalError> {
        self.redo_step(redo::Durability::Synced)
    }

    pub(crate) fn collect(&self, seq: CommitSeq) -> Box<Pending> {
        let pending = self.slots.collect(seq);
        self.give_slots_back();
        pending
    }

    pub(crate) fn abandon(&self, seq: CommitSeq) {
        self.slots.abandon(seq);
        self.give_slots_back();
    }

    /// Tells admission of the slots that are free again.
    pub(crate) fn give_slots_back(&self) {
        let count = self.slots.give_back();
        if count > 0 {
            self.admission.give_back(0, count);
        }
    }

    /// Carries redo as far as asked and gives the ring's room back.
    pub(crate) fn redo_step(&self, want: redo::Durability) -> Result<(), FatalError> {
        let begun = self.clock.monotonic_ns();
        self.redo.step(want)?;
        self.stats.redo_ns.record(self.clock.monotonic_ns().saturating_sub(begun));
        let mut returned = self.ring_returned.lock();
        let taken = self.redo.ring().taken();
        let ring_bytes = usize::try_from(taken.since(*returned)).expect("at most the ring's capacity");
        *returned = taken;
        self.admission.give_back(ring_bytes, 0);
        Ok(())
    }

    /// Carries redo as far as commits demand. If they demand nothing, it is written when the ring fills.
    pub(crate) fn redo_by(&self, demand: Option<redo::Durability>) -> Result<(), FatalError> {
        match demand {
            Some(demand) => self.redo_step(demand),
            None if self.admission.is_pressed() => self.redo_step(redo::Durability::Written),
            None => Ok(()),
        }
    }

    /// Fills a transaction's redo record, and its rotation's, if it has one.
    pub(crate) fn fill_record(&self, pending: &mut Pending, events_crc32c: u32, promised: BinlogPlace) {
        let ticket = pending.ticket_mut();
        let reservation = ticket.redo.take().expect("a record is filled once");
        let rotation = ticket.rotation.as_mut().and_then(|rotation| rotation.redo.take());
        let ticket = pending.ticket();
        let events = ticket.binlog.map(|range| EventsPlace {
            file: range.file,
            start: range.start,
            size: range.end - range.start,
            crc32c: events_crc32c,
        });
        let gtid = ticket.binlog.and_then(|range| range.gtid);
        let trx = TrxHead { seq: ticket.seq, gtid, events, promised };
        self.fill(reservation, record::TRX, |put| {
            record::put_trx(&trx, &pending.counters, &pending.chunks, &pending.writes, put);
        });
        if let (Some(reservation), Some(rotation)) = (rotation, &ticket.rotation) {
            let rotation = RotationRecord {
                after: rotation.after,
                old_file: rotation.old_file,
                rotate_start: rotation.rotate_start,
                new_file: rotation.new_file,
                rotate: &rotation.rotate,
                header: &rotation.header,
            };
            self.fill(reservation, record::ROTATION, |put| record::put_rotation(&rotation, put));
        }
    }

    /// Makes transactions visible and has their sessions woken.
    pub(crate) fn publish(&self, done: &mut Batch) {
        if done.is_empty() {
            return;
        }
        for pending in done.iter_mut() {
            pending.room = None;
        }
        add(&self.stats.commits, done.len() as u64);
        add(&self.stats.groups, 1);
        self.stats.group_size.record(done.len() as u64);
        self.publisher.publish(&self.slots, done);
        self.sweep.request();
    }

    fn fill(&self, reservation: Reservation, kind: u8, body: impl FnOnce(&mut dyn FnMut(&[u8]))) {
        let size =
            usize::try_from(reservation.end().since(reservation.start())).expect("a record fits the ring");
        let body_size = u32::try_from(size - HEAD_SIZE).expect("a record is below 4 GiB");
        let mut fill = self.redo.ring().fill(reservation);
        fill.put(&head(kind, body_size));
        body(&mut |piece| fill.put(piece));
        fill.finish();
    }

    async fn write_chunk(
        &self,
        trx: TrxId,
        piece: &[u8],
        has_chunks: bool,
    ) -> Result<ChunkName, CommitError> {
        let ring_bytes = HEAD_SIZE + piece.len();
        self.admit(Need { ring_bytes, slots: 0, writes: true, has_chunks }).await?;
        let reservation = self.sequencer.draw_chunk(trx, piece.len());
        let chunk = ChunkName {
            lsn: reservation.start(),
            size: u32::try_from(piece.len()).expect("at most 512 KiB"),
        };
        self.fill(reservation, record::CHUNK, |put| put(piece));
        self.roles.want(Role::Redo);
        Ok(chunk)
    }
}
