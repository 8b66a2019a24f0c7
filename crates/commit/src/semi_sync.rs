//! Semi-synchronous replication: a commit waits until enough replicas hold its events.
//!
//! It is no stage and holds no lock while it waits, so it goes with every strategy. A transaction that has met its
//! demand comes through [`Pipeline::publish`]. With AFTER_SYNC it is held there, and becomes visible when it is
//! acknowledged; with AFTER_COMMIT it becomes visible, and its client is answered when it is acknowledged. In both
//! cases senders may read it: they read what is durable.
//!
//! ```text
//!                      acknowledged by enough; enabled and replicas are there; wait_no_replica becomes ON
//!            OFF --------------------------------------------------------------> ON
//!    nobody waits; events at   <--------------------------------------------   transactions wait
//!    the live end ask for an    the oldest waits for longer than the time-out;
//!    acknowledgement            too few replicas and wait_no_replica is OFF
//! ```
//!
//! Those who wait are a prefix of the order, and are released from its front: the oldest one's time-out is the first to
//! come, and releases all. What a replica acknowledges is a position, and so covers everything before it.
//!
//! Anchor: MySQL's plugin (`rpl_semi_sync_source_*`). Ours differs in that a sender asks for the newest position that it
//! may read, not for each group's of the commit, and in that nothing is polled by a thread of its own.
//!
//! Rejected: a watermark that every commit compares itself with. Who waits and for how long has to be known for the
//! time-out, and what is off by default should cost one relaxed load.

use std::collections::{BTreeMap, VecDeque};
use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use binlog::GtidSet;
use engine::ids::CommitSeq;
use parking_lot::{Mutex, MutexGuard};

use crate::pending::{Batch, Pending};
use crate::record::BinlogPlace;
use crate::signal::Signal;
use crate::{BinlogReader, Pipeline};

/// The time-out of whoever waits is looked at this often at least, as it may be changed.
const LOOK: Duration = Duration::from_millis(100);

/// See the module.
#[derive(Debug, Default)]
pub(crate) struct SemiSync {
    /// `rpl_semi_sync_source_enabled`, as `state` has it. Relaxed order: whoever reads it takes the lock then.
    enabled: AtomicBool,
    /// Rank: before the publisher's.
    state: Mutex<State>,
    /// Requests the task that looks at time-outs.
    signal: Signal,
}

#[derive(Debug, Default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a setting of its own, but for the one that says what is"
)]
struct State {
    enabled: bool,
    /// Transactions wait.
    on: bool,
    /// Transactions are held before they become visible, not only their clients.
    after_sync: bool,
    replicas_needed: usize,
    wait_no_replica: bool,
    timeout_ns: u64,
    /// How often the log was begun anew. Readers count it a moment later.
    resets: u64,
    /// What each replica holds, by its connection.
    replicas: BTreeMap<u32, BinlogPlace>,
    /// What enough replicas hold.
    acked: BinlogPlace,
    /// Where the events of the last transaction end that was durable while this was enabled.
    newest: BinlogPlace,
    /// In commit order.
    waiting: VecDeque<Waiting>,
    counts: Counts,
}

/// A transaction that is not acknowledged by replicas.
#[derive(Debug)]
struct Waiting {
    seq: CommitSeq,
    /// Where its events end.
    place: BinlogPlace,
    since_ns: u64,
    /// Held back.
    held: Option<Box<Pending>>,
    /// Its client, which waits for the answer.
    waker: Option<Waker>,
}

/// What status variables say, named as MySQL's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Transactions that replicas acknowledged.
    pub yes_tx: u64,
    /// Those that they did not.
    pub no_tx: u64,
    /// How often it went from on to off.
    pub no_times: u64,
    /// Transactions that waited.
    pub tx_waits: u64,
    /// What they waited in all, microseconds.
    pub tx_wait_time_us: u64,
    /// Acknowledgements that were asked for.
    pub net_waits: u64,
    /// Acknowledgements that said less than the ones before them.
    pub wait_pos_backtraverse: u64,
}

/// What status variables say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SemiSyncStatus {
    /// Whether transactions wait.
    pub on: bool,
    /// Replicas.
    pub clients: usize,
    /// Transactions that wait now.
    pub wait_sessions: usize,
    /// Since the server started.
    pub counts: Counts,
}

/// What leaves the wait: to be published, and to be woken once the lock is free.
#[derive(Debug, Default)]
struct Released {
    batch: Batch,
    wakers: Vec<Waker>,
}

impl State {
    /// Takes everybody from the front for whom `may_go`, and counts it.
    fn release(&mut self, now_ns: u64, acknowledged: bool, may_go: impl Fn(&Waiting) -> bool) -> Released {
        let mut released = Released::default();
        while self.waiting.front().is_some_and(&may_go) {
            let Some(waiting) = self.waiting.pop_front() else { break };
            if acknowledged {
                self.counts.yes_tx += 1;
            } else {
                self.counts.no_tx += 1;
            }
            self.counts.tx_waits += 1;
            self.counts.tx_wait_time_us += now_ns.saturating_sub(waiting.since_ns) / 1000;
            released.batch.extend(waiting.held);
            released.wakers.extend(waiting.waker);
        }
        released
    }

    /// Nobody waits any more.
    fn turn_off(&mut self, now_ns: u64) -> Released {
        if self.on {
            self.counts.no_times += 1;
        }
        self.on = false;
        self.release(now_ns, false, |_| true)
    }

    fn has_replicas(&self) -> bool {
        self.replicas.len() >= self.replicas_needed
    }

    /// What enough replicas hold: the place of the one with the least among as many as are needed that have most.
    fn settle_acked(&mut self) {
        let mut places: Vec<BinlogPlace> = self.replicas.values().copied().collect();
        places.sort_unstable();
        let needed = places.len().checked_sub(self.replicas_needed.max(1));
        if let Some(place) = needed.map(|at| places[at]) {
            self.acked = self.acked.max(place);
        }
    }

    fn is_holding(&self) -> bool {
        self.waiting.back().is_some_and(|waiting| waiting.held.is_some())
    }

    fn push(&mut self, seq: CommitSeq, place: BinlogPlace, since_ns: u64, held: Option<Box<Pending>>) {
        self.waiting.push_back(Waiting { seq, place, since_ns, held, waker: None });
    }
}

impl SemiSync {
    /// Whether transactions may have to wait.
    pub(crate) fn is_enabled(&self) -> bool {
        self.enabled.load(Ordering::Relaxed)
    }

    /// Where the events of those end that are held back; `None` if nobody is.
    pub(crate) fn held_end(&self) -> Option<BinlogPlace> {
        if !self.is_enabled() {
            return None;
        }
        let state = self.state.lock();
        let last = state.waiting.back()?;
        let held = last.held.as_ref()?;
        Some(held.ticket().end_after(last.place))
    }

    /// Ready when the client of a transaction that is visible may be answered.
    pub(crate) fn poll_answer(&self, seq: CommitSeq, context: &Context<'_>) -> Poll<()> {
        if !self.is_enabled() {
            return Poll::Ready(());
        }
        let mut state = self.state.lock();
        let Ok(at) = state.waiting.binary_search_by_key(&seq, |waiting| waiting.seq) else {
            return Poll::Ready(());
        };
        state.waiting[at].waker = Some(context.waker().clone());
        Poll::Pending
    }
}

impl Pipeline {
    /// Publishes what has met its demand, or has it wait for replicas.
    pub(crate) fn publish_by_semi_sync(&self, done: &mut Batch) {
        let now_ns = self.clock.monotonic_ns();
        let mut state = self.semi_sync.state.lock();
        if let Some(place) = done.iter().rev().find_map(|pending| pending.ticket().binlog_end()) {
            state.newest = place;
        }
        if !state.on {
            if state.enabled {
                let logged = done.iter().filter(|pending| pending.ticket().binlog.is_some());
                state.counts.no_tx += logged.count() as u64;
            }
            return self.make_visible(done);
        }
        let was_empty = state.waiting.is_empty();
        let mut visible = Batch::new();
        for pending in done.drain(..) {
            let seq = pending.ticket().seq;
            let place = pending.ticket().binlog_end();
            match (place, state.after_sync) {
                // It has no events, and becomes visible in its turn.
                (None, _) if state.is_holding() => {
                    let place = state.waiting.back().map_or(BinlogPlace::default(), |last| last.place);
                    state.push(seq, place, now_ns, Some(pending));
                }
                (Some(place), true) => state.push(seq, place, now_ns, Some(pending)),
                (Some(place), false) => {
                    state.push(seq, place, now_ns, None);
                    visible.push(pending);
                }
                (None, _) => visible.push(pending),
            }
        }
        self.make_visible(&mut visible);
        // A replica may have been faster.
        let acked = state.acked;
        let released = state.release(now_ns, true, |waiting| waiting.place <= acked);
        let begins = was_empty && !state.waiting.is_empty();
        self.let_go(state, released);
        if begins {
            self.semi_sync.signal.request();
        }
    }

    /// Publishes under the lock, so that the order is kept; wakes without it.
    fn let_go(&self, state: MutexGuard<'_, State>, mut released: Released) {
        self.make_visible(&mut released.batch);
        drop(state);
        released.wakers.into_iter().for_each(Waker::wake);
    }

    /// Brings this to what the settings say, after they have changed.
    pub fn settle_semi_sync(&self) {
        let settings = &self.settings;
        let now_ns = self.clock.monotonic_ns();
        let mut state = self.semi_sync.state.lock();
        let was_enabled = state.enabled;
        state.enabled = self.binlog.is_some() && settings.semi_sync_enabled.load(Ordering::Relaxed);
        state.after_sync = !settings.semi_sync_after_commit.load(Ordering::Relaxed);
        state.replicas_needed = settings.semi_sync_replicas.load(Ordering::Relaxed) as usize;
        let wait_no_replica = settings.semi_sync_wait_no_replica.load(Ordering::Relaxed);
        let is_patient_now = wait_no_replica && !state.wait_no_replica;
        state.wait_no_replica = wait_no_replica;
        state.timeout_ns = settings.semi_sync_timeout_ms.load(Ordering::Relaxed).saturating_mul(1_000_000);
        let mut released = Released::default();
        if state.enabled {
            self.semi_sync.enabled.store(true, Ordering::Relaxed);
            if !was_enabled {
                state.newest = self.publisher.binlog_end().unwrap_or_default();
                state.on = state.wait_no_replica || state.has_replicas();
                tracing::info!(on = state.on, "semi-synchronous replication is enabled");
            } else if is_patient_now && !state.on {
                state.on = true;
                tracing::info!("semi-synchronous replication is on: it waits for replicas to come");
            }
            state.settle_acked();
            let acked = state.acked;
            released = state.release(now_ns, true, |waiting| waiting.place <= acked);
            if !state.after_sync {
                // Who is held becomes visible, and goes on waiting for its answer.
                released.batch.extend(state.waiting.iter_mut().filter_map(|waiting| waiting.held.take()));
            }
        } else if was_enabled {
            released = state.turn_off(now_ns);
            tracing::info!("semi-synchronous replication is disabled");
        }
        let disabled = !state.enabled;
        self.make_visible(&mut released.batch);
        if disabled {
            // Behind the last one that was held: who sees this off publishes at once.
            self.semi_sync.enabled.store(false, Ordering::Relaxed);
        }
        self.let_go(state, released);
        self.lose_patience();
    }

    /// Releases everybody and waits for no replica any more, because senders end.
    pub fn end_semi_sync(&self) {
        self.settings.semi_sync_enabled.store(false, Ordering::Relaxed);
        self.settle_semi_sync();
    }

    /// A replica that acknowledges begins to follow by a connection; it has everything before `place`. It does not count if its
    /// reader is of a log before: places there say nothing of this one.
    pub fn add_semi_sync_replica(&self, connection: u32, reader: &BinlogReader, place: BinlogPlace) {
        let mut state = self.semi_sync.state.lock();
        if state.resets == reader.resets {
            state.replicas.insert(connection, BinlogPlace::default());
            drop(state);
            self.acknowledge(connection, place);
        }
    }

    /// It has gone.
    pub fn remove_semi_sync_replica(&self, connection: u32) {
        self.semi_sync.state.lock().replicas.remove(&connection);
        self.lose_patience();
    }

    /// Turns it off if there are too few replicas and nobody is to wait for them to come.
    fn lose_patience(&self) {
        let now_ns = self.clock.monotonic_ns();
        let mut state = self.semi_sync.state.lock();
        if state.on && !state.wait_no_replica && !state.has_replicas() {
            tracing::warn!(
                replicas = state.replicas.len(),
                "semi-synchronous replication is off: too few replicas"
            );
            let released = state.turn_off(now_ns);
            self.let_go(state, released);
        }
    }

    /// A replica holds everything up to a place; what it says beyond the last transaction is not believed.
    pub fn acknowledge(&self, connection: u32, place: BinlogPlace) {
        let now_ns = self.clock.monotonic_ns();
        let mut state = self.semi_sync.state.lock();
        let place = place.min(state.newest);
        let Some(known) = state.replicas.get_mut(&connection) else { return };
        if place < *known {
            state.counts.wait_pos_backtraverse += 1;
            return;
        }
        *known = place;
        state.settle_acked();
        let acked = state.acked;
        if state.enabled && !state.on && state.has_replicas() && acked >= state.newest {
            state.on = true;
            tracing::info!(
                file = acked.file,
                position = acked.position,
                "semi-synchronous replication is on"
            );
        }
        let released = state.release(now_ns, true, |waiting| waiting.place <= acked);
        self.let_go(state, released);
    }

    /// Of which of some events, whose ends lie behind `after` and up to `last`, a replica should be asked for an
    /// acknowledgement: the one that ends here. None if nobody waits for any.
    pub fn wanted_acknowledgement(&self, after: BinlogPlace, last: BinlogPlace) -> Option<BinlogPlace> {
        if !self.semi_sync.is_enabled() {
            return None;
        }
        let mut state = self.semi_sync.state.lock();
        let wanted = if state.on {
            let behind = state.waiting.partition_point(|waiting| waiting.place <= last);
            behind.checked_sub(1).map(|at| state.waiting[at].place)
        } else {
            Some(state.newest).filter(|place| *place <= last)
        };
        let wanted = wanted.filter(|place| *place > after);
        state.counts.net_waits += u64::from(wanted.is_some());
        wanted
    }

    /// The binlog was begun anew: what replicas hold says nothing of it. Whoever still waits goes on without them.
    pub(crate) fn forget_acknowledgements(&self) {
        let now_ns = self.clock.monotonic_ns();
        let mut state = self.semi_sync.state.lock();
        // Their dumps end. What one of them may say until then is about the old log, and so is what a dump has that begins now.
        state.resets += 1;
        state.replicas.clear();
        (state.acked, state.newest) = (BinlogPlace::default(), BinlogPlace::default());
        let released = state.release(now_ns, false, |_| true);
        self.let_go(state, released);
        self.lose_patience();
    }

    /// What status variables say.
    pub fn semi_sync_status(&self) -> SemiSyncStatus {
        let state = self.semi_sync.state.lock();
        SemiSyncStatus {
            on: state.on,
            clients: state.replicas.len(),
            wait_sessions: state.waiting.len(),
            counts: state.counts,
        }
    }

    /// The GTIDs of everything that senders may read: what is visible, and what is held back.
    pub fn durable_gtids(&self) -> GtidSet {
        let state = self.semi_sync.state.lock();
        let mut gtids = self.publisher.tuple().gtid_executed;
        let held = state.waiting.iter().filter_map(|waiting| waiting.held.as_ref());
        for gtid in held.filter_map(|pending| pending.ticket().binlog?.gtid) {
            gtids.add(gtid);
        }
        gtids
    }

    /// Turns it off whenever somebody has waited for longer than the time-out; for a task of the runtime. Never ends.
    pub async fn time_out_semi_sync_forever<F: Future<Output = ()>>(
        self: Arc<Self>,
        sleep: impl Fn(Duration) -> F,
    ) {
        loop {
            self.semi_sync.signal.requested().await;
            while let Some(left) = self.time_out_semi_sync() {
                sleep(left.min(LOOK)).await;
            }
        }
    }

    /// Turns it off if somebody has waited for longer than the time-out. Says how long the oldest may still wait.
    pub fn time_out_semi_sync(&self) -> Option<Duration> {
        let now_ns = self.clock.monotonic_ns();
        let mut state = self.semi_sync.state.lock();
        let oldest = state.waiting.front()?;
        let left_ns = oldest.since_ns.saturating_add(state.timeout_ns).saturating_sub(now_ns);
        if left_ns > 0 {
            return Some(Duration::from_nanos(left_ns));
        }
        tracing::warn!(
            file = oldest.place.file,
            position = oldest.place.position,
            waiting = state.waiting.len(),
            "semi-synchronous replication is off: no acknowledgement within rpl_semi_sync_source_timeout"
        );
        let released = state.turn_off(now_ns);
        self.let_go(state, released);
        None
    }
}
