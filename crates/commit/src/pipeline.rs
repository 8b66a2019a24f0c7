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
//! 4. after its ticket a commit neither waits for another session nor fails: an error of a step is fatal;
//! 5. the strategy changes only while no ticket and no step is under way ([`crate::switch`]).
//!
//! Rejected: a queue of sessions with leader and followers as threads. The slots are that queue, ordered by the
//! ticket, and sessions are tasks: a thousand of them waiting for one sync are a thousand wakers in slots.

use std::convert::Infallible;
use std::future::{Future, pending};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use binlog::{Gtid, GtidSet};
use engine::delta::Delta;
use engine::ids::{CommitSeq, TrxId};
use engine::trx::Trx;
use engine::view::Published;
use engine::writeset::WriteSet;
use parking_lot::Mutex;
use redo::{Lsn, RedoLog};
use vfs::Vfs;

use crate::FatalError;
use crate::ack::{Committing, Visible};
use crate::admission::{Admission, Credits};
use crate::binlog_files::BinlogFiles;
use crate::clock::Clock;
use crate::dependencies::{Dependencies, Tracking};
use crate::error::Die;
use crate::facts::Facts;
use crate::file_maker::FileMaker;
use crate::log_waiters::LogWaiters;
use crate::pending::{Batch, EventsKind, Pending, Recent};
use crate::publisher::Publisher;
use crate::readers::Readers;
use crate::record::BinlogPlace;
use crate::roles::{Role, Roles};
use crate::room::Room;
use crate::semi_sync::SemiSync;
use crate::sequencer::{Drawn, FileContext, GtidClaim, Rotate, Sequencer};
use crate::settings::Settings;
use crate::signal::Signal;
use crate::slots::Slots;
use crate::stats::{Stats, add};
use crate::store::Store;
use crate::strategy::{Crowd, Form, Strategies, Strategy, StrategyKind};
use crate::sweep::Sweep;

/// The largest piece of a write set, and of cached events, in one record. Bounds the work after a ticket.
pub const INLINE_MAX: usize = 512 << 10;

/// A session that has committed so often in a row without anybody else in between is alone.
const ALONE_AFTER: u32 = 16;

/// Turns of everybody who runs before a step that expects more: the runtime ends a turn after 61 tasks.
const MOST_TURNS: u32 = 4;

/// What the pipeline does with a session's transaction between its ticket and its release.
pub trait Participant {
    /// Puts the write set into the table store's memory as the versions of `seq`.
    fn apply(&mut self, seq: CommitSeq, delta: &Delta);

    /// Releases row locks, by the commit of `seq`.
    fn release_locks(&mut self, seq: CommitSeq);
}

impl Participant for Trx {
    fn apply(&mut self, seq: CommitSeq, delta: &Delta) {
        Self::apply(self, seq, delta);
    }

    fn release_locks(&mut self, seq: CommitSeq) {
        Self::release_locks(self, seq);
    }
}

/// See the module. Made by [`crate::recovery`].
#[derive(Debug)]
pub struct Pipeline {
    /// Settings that may change at any time.
    pub settings: Settings,
    /// Counters.
    pub stats: Stats,
    pub(crate) die: Die,
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
    pub(crate) maker: FileMaker,
    pub(crate) strategies: Strategies,
    /// Held by whoever switches strategies. Rank: first.
    pub(crate) switching: Mutex<()>,
    /// Where the store is made.
    pub(crate) vfs: Arc<dyn Vfs>,
    /// The binlog store, once a strategy has used it.
    pub(crate) store: OnceLock<Store>,
    /// How the store is opened, if it is to have files of its own.
    pub(crate) store_options: Option<redo::Options>,
    pub(crate) redo_waiters: LogWaiters,
    /// Those who follow the binlog's end.
    pub(crate) readers: Readers,
    /// Those who wait for replicas.
    pub(crate) semi_sync: SemiSync,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) sweep: Sweep,
    /// Requests the task that has the strategy begin, if there is one.
    pub(crate) kick: Signal,
    pub(crate) has_kicker: AtomicBool,
    pub(crate) published: Arc<Published>,
    /// What dependency stamps follow from.
    pub(crate) dependencies: Dependencies,
    /// What a step took of late, nanoseconds: a moving average.
    pub(crate) recent_step_ns: AtomicU64,
    /// What a redo sync took of late, nanoseconds: a moving average.
    pub(crate) recent_sync_ns: AtomicU64,
    pub(crate) crowd: Crowd,
    /// How much of the redo ring has been given back to admission. Rank: before admission's.
    pub(crate) ring_returned: Mutex<Lsn>,
    /// Held from a checkpoint's seal to its end. Rank: before the facts.
    pub(crate) checkpointing: Arc<Mutex<()>>,
    /// What the last checkpoint had behind it, in redo and in the binlog store. Rank: last.
    pub(crate) passed: Mutex<(Drawn, Drawn)>,
    /// Where recovery has left the binlog; this run does not write to it if it has none.
    pub(crate) left_binlog: Option<BinlogPlace>,
    /// Held while the facts change. Rank: before the base's.
    pub(crate) changing_facts: Mutex<()>,
    /// What the last checkpoint says about itself. Changed by [`Pipeline::change_facts`]. Rank: last.
    pub(crate) facts: Mutex<Facts>,
}

/// Aborts the process if what it guards unwinds: a hole in the order could never be closed, and who has begun to write the
/// logs does not know where they end.
#[derive(Debug)]
#[must_use = "it guards as long as it lives"]
pub struct AbortOnUnwind;

impl Drop for AbortOnUnwind {
    fn drop(&mut self) {
        if std::thread::panicking() {
            std::process::abort();
        }
    }
}

impl Pipeline {
    /// The time by the clock that commits are stamped with, microseconds since 1970.
    pub fn unix_us(&self) -> u64 {
        self.clock.unix_us()
    }

    /// The view and `visible_seq` that snapshots are taken of.
    pub fn published(&self) -> &Arc<Published> {
        &self.published
    }

    /// What is published along with `visible_seq`.
    pub fn publisher(&self) -> &Publisher {
        &self.publisher
    }

    /// Bytes of segments that a checkpoint has not passed, in redo or in the binlog store, whichever has more: a
    /// checkpoint is due when it is half to three quarters of the redo capacity. Without the events in transactions' records, up to
    /// two thirds of all: what a checkpoint costs should be shared by as many transactions as without a binlog.
    pub fn needed_log_bytes(&self) -> u64 {
        self.needed_bytes(|_| 0)
    }

    /// The same without the chunks of large transactions: what small ones have written since a checkpoint. They are not
    /// held back for what another one has written all at once.
    pub fn needed_record_bytes(&self) -> u64 {
        self.needed_bytes(|drawn| drawn.chunks)
    }

    fn needed_bytes(&self, left_out: fn(Drawn) -> u64) -> u64 {
        let (redo, store) = self.sequencer.marks();
        let (redo_passed, store_passed) = *self.passed.lock();
        let needed =
            |log: &RedoLog, drawn: Drawn| drawn.counted(log.live_bytes().saturating_sub(left_out(drawn)));
        let of_redo = redo.drawn.since(redo_passed);
        let of_store = store.map(|mark| mark.drawn.since(store_passed)).unwrap_or_default();
        match self.own_store() {
            Some(store) => needed(&self.redo, of_redo).max(needed(store, of_store)),
            None => needed(&self.redo, of_redo.and(of_store)),
        }
    }

    /// Whether redo has most of what its device could hold: then a checkpoint is due, whatever the capacity that was set.
    pub fn redo_is_short(&self) -> bool {
        self.room.is_short_for(&self.redo)
    }

    /// The redo log's counters and marks.
    pub fn redo(&self) -> &RedoLog {
        &self.redo
    }

    /// The binlog's files, if the binlog is on.
    pub fn binlog(&self) -> Option<&BinlogFiles> {
        self.binlog.as_ref()
    }

    /// What names binlog files.
    pub fn binlog_context(&self) -> &FileContext {
        self.sequencer.files()
    }

    /// Takes a GTID for a transaction that a session has not begun to commit.
    pub fn own_gtid(&self, gtid: Gtid) -> GtidClaim {
        self.sequencer.own_gtid(gtid)
    }

    /// A session no longer has this GTID: its transaction has a ticket, or there is none.
    pub fn give_gtid_back(&self, gtid: Gtid) {
        self.sequencer.give_gtid_back(gtid);
    }

    /// Whether a session has taken a GTID.
    pub fn owns_gtids(&self) -> bool {
        self.sequencer.owns_gtids()
    }

    /// Whether a session has taken one of these GTIDs.
    pub fn owns_one_of(&self, gtids: &GtidSet) -> bool {
        self.sequencer.owns_one_of(gtids)
    }

    /// The last transaction that has a ticket.
    pub fn last_drawn(&self) -> CommitSeq {
        self.sequencer.last()
    }

    /// The active strategy.
    pub fn strategy_kind(&self) -> StrategyKind {
        self.strategy().kind()
    }

    pub(crate) fn strategy(&self) -> &dyn Strategy {
        self.strategies.active()
    }

    /// The binlog store's log, once a strategy has used it.
    pub fn store(&self) -> Option<&RedoLog> {
        self.store.get().map(|store| &store.log)
    }

    /// The same, if it has files of its own: it is synced by itself then.
    pub(crate) fn own_store(&self) -> Option<&RedoLog> {
        self.store().filter(|log| !log.is_second())
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
        let (recent, released) = self.hand_over(trx, pending, participant, Rotate::AtSize(max))?;
        if is_alone {
            self.play_alone(recent.seq)?;
        } else {
            self.want_first();
        }
        Ok(Committing::new(Arc::clone(self), recent, released))
    }

    /// Does what only one thread at a time does with events, other than to sync: `Onelog_serial_ns`.
    pub(crate) fn in_line<T>(&self, work: impl FnOnce() -> T) -> T {
        let begun_ns = self.clock.thread_cpu_ns();
        let done = work();
        add(&self.stats.serial_ns, self.clock.thread_cpu_ns().saturating_sub(begun_ns));
        done
    }

    /// Everything up to the hand-over to the stages, which the caller then wants. Says whether the locks went.
    pub(crate) fn hand_over(
        &self,
        trx: TrxId,
        mut pending: Box<Pending>,
        participant: &mut dyn Participant,
        rotate: Rotate,
    ) -> Result<(Recent, bool), FatalError> {
        let _guard = AbortOnUnwind;
        let (seq, took_ns) = self.sequencer.draw(&mut pending, trx, rotate, &*self.clock);
        self.stats.ticket_ns.record(took_ns);
        if let Some(range) = &pending.ticket().redo {
            self.redo.ring().prefetch(range);
        }
        if let Some(range) = &pending.ticket().buffer {
            self.maker.prefetch(range);
        }
        self.record_footprint(&pending);
        if pending.form != Form::Later {
            self.settle(&pending);
        }
        self.strategy().fill(self, &mut pending)?;
        participant.apply(seq, &pending.ticket().delta);
        self.published.set_applied(seq);
        let locks_go = self.settings.early_lock_release.load(Ordering::Relaxed);
        if locks_go {
            self.locks_go(&pending);
        }
        let recent = pending.recent;
        self.slots.put_ready(seq, pending);
        // Last, for a transaction may have very many, and nobody's commit waits for this.
        if locks_go {
            participant.release_locks(seq);
        }
        Ok((recent, locks_go))
    }

    /// Has the strategy begin with what is ready: at once if that is enough or there is no such task, or when
    /// [`Pipeline::kick_forever`] says so.
    pub(crate) fn want_first(&self) {
        if self.has_kicker.load(Ordering::Relaxed) && !self.has_enough() {
            self.kick.request();
        } else {
            self.begin_step();
        }
    }

    /// Lets the strategy begin when everybody who can run has run, or many have; for a task of the runtime, whose
    /// `yield_now` resolves then. A step that begins as soon as one commit is ready finds a small group, while the sessions
    /// that the last group has woken wait for the processor that it takes. Never ends.
    pub async fn kick_forever<F: Future<Output = ()>>(self: Arc<Self>, yield_now: impl Fn() -> F) {
        self.has_kicker.store(true, Ordering::Relaxed);
        loop {
            self.kick.requested().await;
            for _ in 0..MOST_TURNS {
                yield_now().await;
                if !self.expects_more() {
                    break;
                }
            }
            self.begin_step();
        }
    }

    pub(crate) fn begin_step(&self) {
        for role in self.strategy().first_roles(self) {
            self.roles.want(*role);
        }
    }

    /// Draws the redo record of a transaction that has its ticket.
    pub(crate) fn draw_record(&self, pending: &mut Pending) {
        self.sequencer.draw_record(pending);
        self.settle(pending);
    }

    /// Gives back what was granted and not drawn, and takes what a rotation drew beside it.
    fn settle(&self, pending: &Pending) {
        let mut rest = pending.admitted;
        rest.sub(pending.ticket().drawn());
        (rest.slots, rest.backlog_bytes) = (0, 0);
        if rest != Credits::default() {
            self.admission.give_back(rest);
        }
    }

    /// Whether a session may carry its commit through the stages itself: its last ones had nobody else's between them,
    /// so there is nobody to form a group with, and steps are shorter than it takes to wake two threads.
    fn is_alone(&self, pending: &Pending) -> bool {
        let max_ns = u64::from(self.settings.lone_commit_max_us.load(Ordering::Relaxed)) * 1000;
        pending.recent.in_a_row >= ALONE_AFTER
            && self.recent_step_ns.load(Ordering::Relaxed) < max_ns
            && !self.settings.has_delays()
    }

    /// Plays the roles that the session's own commit needs. Leaves them to the log threads as soon as those play.
    fn play_alone(&self, seq: CommitSeq) -> Result<(), FatalError> {
        for role in self.strategy().first_roles(self) {
            self.roles.want_next(*role);
        }
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

    pub(crate) fn find_parent(&self, pending: &mut Pending, writes: &WriteSet) {
        let tracking = Tracking::of(self.settings.dependency_tracking.load(Ordering::Relaxed));
        let is_known = pending.has_write_set && pending.kind == EventsKind::Transaction;
        let rows = is_known.then_some(&writes.row_hashes);
        let session_clock = pending.recent.clock;
        pending.parent_clock =
            self.dependencies.parent(tracking, rows, session_clock, &mut pending.footprint);
    }

    /// After the ticket, with all locks held.
    fn record_footprint(&self, pending: &Pending) {
        let ticket = pending.ticket();
        if ticket.binlog.is_some() {
            let clock = ticket.clock;
            self.dependencies.record(&pending.footprint, clock);
        }
    }

    /// Waits until everything up to `seq` is visible.
    pub fn wait_visible(self: &Arc<Self>, seq: CommitSeq) -> Visible {
        Visible::new(Arc::clone(self), seq)
    }

    /// Ends the process, for a session whose own call has failed; `what` says what it did. Whoever is dropped without
    /// being answered was told nothing.
    pub async fn die(&self, what: &'static str, error: FatalError) -> Infallible {
        (self.die.0)(what, error);
        pending().await
    }

    /// Plays a role that was taken from [`Pipeline::roles`]. An error is fatal: stop the process.
    pub fn step(&self, role: Role) -> Result<(), FatalError> {
        let _guard = AbortOnUnwind;
        let begun = self.clock.monotonic_ns();
        self.strategies.step(self, role)?;
        let ns = self.clock.monotonic_ns().saturating_sub(begun);
        let before = self.recent_step_ns.load(Ordering::Relaxed);
        self.recent_step_ns.store(before - before / 8 + ns / 8, Ordering::Relaxed);
        Ok(())
    }

    /// Syncs redo and the binlog store at any setting: the housekeeper's once a second, and a checkpoint's.
    pub fn sync_logs(&self) -> Result<(), FatalError> {
        self.redo_step(redo::Durability::Synced)?;
        self.store_step(redo::Durability::Synced)
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
            let slots = i64::try_from(count).expect("few");
            self.admission.give_back(Credits { slots, ..Credits::default() });
        }
    }

    /// Carries redo as far as asked, with the binlog store if that lies in its files, and gives the rings' room back.
    pub(crate) fn redo_step(&self, want: redo::Durability) -> Result<(), FatalError> {
        let (begun, from) = (self.clock.monotonic_ns(), self.redo.synced());
        self.redo.step(want)?;
        let ns = self.clock.monotonic_ns().saturating_sub(begun);
        self.stats.redo_ns.record(ns);
        if self.redo.synced() > from {
            let before = self.recent_sync_ns.load(Ordering::Relaxed);
            self.recent_sync_ns.store(before - before / 8 + ns / 8, Ordering::Relaxed);
        }
        let ring_bytes = taken_since(&self.redo, &self.ring_returned);
        let beside = self.store.get().filter(|store| store.log.is_second());
        let store_bytes = beside.map_or(0, Store::take_returned);
        self.admission.give_back(Credits { ring_bytes, store_bytes, ..Credits::default() });
        self.redo_waiters.wake(&self.redo);
        Ok(())
    }

    /// As [`Pipeline::redo_step`], for the binlog store, if it has files of its own.
    pub(crate) fn store_step(&self, want: redo::Durability) -> Result<(), FatalError> {
        let Some(store) = self.store.get().filter(|store| !store.log.is_second()) else { return Ok(()) };
        let begun = self.clock.monotonic_ns();
        store.log.step(want)?;
        self.stats.store_ns.record(self.clock.monotonic_ns().saturating_sub(begun));
        let store_bytes = store.take_returned();
        self.admission.give_back(Credits { store_bytes, ..Credits::default() });
        Ok(())
    }

    /// Whether a quarter of the ring's reservations are taken: credits count its bytes alone, and a commit that demands
    /// nothing gives its slot back before redo is written.
    fn is_short_of_slots(&self) -> bool {
        let ring = self.redo.ring();
        self.sequencer.redo_reservations().saturating_sub(ring.taken_slots()) > ring.slots() as u64 / 4
    }

    /// Carries redo as far as commits demand. If they demand nothing, it is written when the ring fills.
    pub(crate) fn redo_by(&self, demand: Option<redo::Durability>) -> Result<(), FatalError> {
        match demand {
            Some(demand) => self.redo_step(demand),
            None if self.admission.is_pressed() || self.is_short_of_slots() => {
                self.redo_step(redo::Durability::Written)
            }
            None => Ok(()),
        }
    }

    /// Has the events of durable transactions written to the binlog file, and publishes the transactions: at once, or
    /// with `waits` once their events are written.
    pub(crate) fn leave_to_files(&self, done: &mut Batch, waits: bool) {
        if done.is_empty() {
            return;
        }
        if self.maker.put(done, waits, self.shown_max()) {
            self.publish(done);
            self.want_files();
        } else {
            self.roles.want_next(Role::Files);
        }
    }

    /// Transactions have met their demand: makes them visible, or has them wait for replicas.
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
        if self.semi_sync.is_enabled() {
            self.publish_by_semi_sync(done);
        } else {
            self.make_visible(done);
        }
        if !self.strategy().form().has_backlog() {
            self.tell_readers();
        }
    }

    /// Makes transactions visible and has their sessions woken.
    pub(crate) fn make_visible(&self, done: &mut Batch) {
        if !done.is_empty() {
            self.publisher.publish(&self.slots, done);
            self.sweep.signal.request();
        }
    }
}

/// Bytes that have left a log's ring since this was asked last.
pub(crate) fn taken_since(log: &RedoLog, returned: &Mutex<Lsn>) -> i64 {
    let mut returned = returned.lock();
    let taken = log.ring().taken();
    let bytes = taken.since(*returned);
    *returned = taken;
    i64::try_from(bytes).expect("at most the ring's capacity")
}
