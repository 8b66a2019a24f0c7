//! The applier: finds the groups in what was received, gives them turns, and gives them to workers.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use binlog::GtidSet;
use replication::replica::{Groups, Head, LogicalClock, Position, SourceError, Step};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use types::error::SqlError;
use types::error::table::ER_BINLOG_FATAL_ERROR;

use super::finisher::{self, UNDER_WAY_MAX};
use super::flow::Flow;
use super::progress::WorkerSeen;
use super::receiver::{Queue, Received, Room};
use super::worker::{Task, Worker};
use super::{Stoppable, Tolerance, Until};
use crate::session::{Client, KillSwitch, Shared};

/// Ids of workers' sessions count down from here.
const LAST_ID: u32 = u32::MAX;
/// `replica_parallel_workers` goes no further.
const WORKERS_MAX: u32 = 1024;

/// Whether a session is a worker's.
pub(crate) fn is_worker(id: u32) -> bool {
    id > LAST_ID - WORKERS_MAX
}

/// How long a worker waits for a row while others run beside it: who holds it may wait for the worker's turn.
const ROW_WAIT_BESIDE: Duration = Duration::from_secs(2);

/// How a run is to be.
#[derive(Clone, Debug)]
pub(super) struct Manner {
    /// Workers.
    pub(super) workers: usize,
    /// How much later than on the source, seconds.
    pub(super) delay_s: u32,
    /// What may fail.
    pub(super) tolerance: Tolerance,
    /// SOURCE_AUTO_POSITION: what is not executed comes again.
    pub(super) by_gtids: bool,
}

/// See the module.
#[derive(Debug)]
pub(super) struct Applier {
    shared: Arc<Shared>,
    flow: Arc<Flow>,
    groups: Groups,
    clock: LogicalClock,
    workers: Vec<Station>,
    tasks: Vec<Stoppable>,
    finisher: JoinHandle<()>,
    open: Option<Open>,
    delay_s: u32,
    until: Option<Until>,
    /// So many events are still to be skipped.
    skips: u32,
    by_gtids: bool,
    /// What has these GTIDs was applied, or is given to workers; kept for [`Until`] alone.
    given: GtidSet,
    /// It is there.
    is_reached: bool,
}

/// A worker's place.
#[derive(Debug)]
struct Station {
    tasks: mpsc::UnboundedSender<Task>,
    /// The last turn that it was given.
    turn: u64,
}

/// The group that is being received.
#[derive(Clone, Copy, Debug)]
enum Open {
    /// It goes to this worker.
    With(usize),
    /// It came from here.
    Skipped(u64),
    /// It is one of those of `sql_replica_skip_counter`, with so many events up to now.
    Counted { turn: u64, events: u32 },
}

impl Applier {
    /// Behind this position.
    pub(super) fn start(
        shared: &Arc<Shared>,
        position: Position,
        executed: GtidSet,
        manner: &Manner,
    ) -> Self {
        let flow = Flow::new();
        let (done, all_done) = mpsc::channel(UNDER_WAY_MAX);
        let finisher = tokio::spawn(finisher::finish(Arc::clone(shared), Arc::clone(&flow), all_done));
        let (mut workers, mut tasks, mut seen) = (Vec::new(), Vec::new(), Vec::new());
        for id in 0..manner.workers.max(1) {
            let (sender, receiver) = mpsc::unbounded_channel();
            let kill = Arc::<KillSwitch>::default();
            let id = LAST_ID - u32::try_from(id).unwrap_or(0);
            let mut client = Client::worker(shared, id, Arc::clone(&kill));
            client.set_row_wait(if manner.workers > 1 { Some(ROW_WAIT_BESIDE) } else { None });
            let worker = Worker {
                number: seen.len() + 1,
                tolerance: manner.tolerance.clone(),
                client,
                flow: Arc::clone(&flow),
                tasks: receiver,
                done: done.clone(),
                maps: HashMap::new(),
                open: None,
                seen: Arc::<WorkerSeen>::default(),
            };
            seen.push(Arc::clone(&worker.seen));
            let (flow, shared) = (Arc::clone(&flow), Arc::clone(shared));
            let task = tokio::spawn(async move {
                let _guard = WorkerGuard { flow, shared, id };
                worker.run().await;
            });
            workers.push(Station { tasks: sender, turn: 0 });
            tasks.push((kill, task));
        }
        let mut state = shared.common.replica.state.lock();
        (state.workers, state.given.at_hand) = (seen, None);
        let (until, skips) = (state.until.clone(), state.skips);
        drop(state);
        let given = if until.is_some() { executed } else { GtidSet::default() };
        let is_reached = until.as_ref().is_some_and(|until| until.is_reached(&position, &given));
        Self {
            shared: Arc::clone(shared),
            flow,
            groups: Groups::new(position),
            clock: LogicalClock::default(),
            workers,
            tasks,
            finisher,
            open: None,
            delay_s: manner.delay_s,
            until,
            skips,
            by_gtids: manner.by_gtids,
            given,
            is_reached,
        }
    }

    /// How its tasks know of each other.
    pub(super) fn flow(&self) -> Arc<Flow> {
        Arc::clone(&self.flow)
    }

    /// Applies until the queue ends, or until something cannot be applied. Dropping it loses nothing: see
    /// [`Applier::finish`].
    pub(super) async fn run(&mut self, queue: &mut Queue) -> Result<(), SourceError> {
        let flow = Arc::clone(&self.flow);
        tokio::select! {
            biased;
            () = flow.failed() => Ok(()),
            done = self.take_all(queue) => done,
        }
    }

    async fn take_all(&mut self, queue: &mut Queue) -> Result<(), SourceError> {
        while !self.is_reached {
            let Some(received) = queue.recv().await else { break };
            self.take(received).await?;
        }
        Ok(())
    }

    /// Whether it has got to where START REPLICA has told it to stop.
    pub(super) fn is_reached(&self) -> bool {
        self.is_reached
    }

    /// Ends the run: with `cancels` what is not committed is forgotten, else whole groups are still applied. Returns the
    /// first failure.
    pub(super) async fn finish(self, cancels: bool) -> Option<SqlError> {
        let Self { flow, workers, tasks, finisher, .. } = self;
        drop(workers);
        if cancels || flow.failure().is_some() {
            flow.cancel();
        }
        let watch = Arc::clone(&flow);
        // A failure that comes now leaves others waiting for a turn that will not come.
        let watcher = tokio::spawn(async move {
            watch.failed().await;
            watch.cancel();
        });
        for (kill, mut task) in tasks {
            tokio::select! {
                biased;
                _ = &mut task => continue,
                () = flow.cancelled() => kill.kill_connection(),
            }
            let _ = task.await;
        }
        watcher.abort();
        // It ends when the last worker is gone.
        let _ = finisher.await;
        flow.failure()
    }

    async fn take(&mut self, received: Received) -> Result<(), SourceError> {
        match self.groups.take(&received.event)? {
            Step::Nothing => {}
            Step::File(position) => {
                self.forget_open(&position);
                self.clock.next_file();
                let (turn, _) = self.clock.place(0, 0, self.flow.committed());
                self.clock.next_file();
                self.pass(turn, position, 0, Some(received.room));
            }
            Step::Passed(position) => {
                let (turn, _) = self.clock.place(0, 0, self.flow.committed());
                self.pass(turn, position, 0, Some(received.room));
            }
            Step::Begin(head) => self.begin(head, received.room).await,
            Step::Event => match &mut self.open {
                Some(Open::With(worker)) => {
                    let worker = *worker;
                    self.send(worker, Task::Event(received));
                }
                Some(Open::Counted { events, .. }) => *events += 1,
                Some(Open::Skipped(_)) | None => {}
            },
            Step::Statement(position) => {
                if let Some((worker, received)) = self.ended(&position, received) {
                    self.send(worker, Task::Statement { received, position });
                }
            }
            Step::End(position, commits) => {
                if let Some((worker, received)) = self.ended(&position, received) {
                    self.send(worker, Task::End { received, position, commits });
                }
            }
        }
        if self.open.is_none()
            && let Some(until) = &self.until
        {
            self.is_reached |= until.is_reached(self.groups.position(), &self.given);
        }
        Ok(())
    }

    /// The group that is open ends at this position, with this event. Returns the worker that has it, and the event; of one that
    /// nobody has, the position is passed.
    fn ended(&mut self, position: &Position, received: Received) -> Option<(usize, Received)> {
        self.shared.common.replica.state.lock().given.end();
        match self.open.take()? {
            Open::With(worker) => return Some((worker, received)),
            Open::Skipped(turn) => self.pass(turn, position.clone(), 0, Some(received.room)),
            Open::Counted { turn, events } => {
                tracing::warn!(%position, "replication: a group is skipped, as sql_replica_skip_counter says");
                // The event that ends it counts, too. Part of a group is all of it.
                let events = events + 1;
                self.skips = self.skips.saturating_sub(events);
                self.pass(turn, position.clone(), events, Some(received.room));
            }
        }
        None
    }

    /// The group that is open, if there is one, has no end: its turn only moves the position.
    fn forget_open(&mut self, position: &Position) {
        let Some(open) = self.open.take() else { return };
        tracing::warn!(%position, "replication: a transaction has no end in the source's file; it is forgotten");
        self.shared.common.replica.state.lock().given.at_hand = None;
        match open {
            Open::With(worker) => self.send(worker, Task::Forget { position: position.clone() }),
            Open::Skipped(turn) | Open::Counted { turn, .. } => self.pass(turn, position.clone(), 0, None),
        }
    }

    async fn begin(&mut self, head: Head, room: Room) {
        if self.until.as_ref().is_some_and(|until| until.excludes(&head)) {
            self.is_reached = true;
            return;
        }
        if let Some(gtid) = head.gtid.filter(|_| self.until.is_some()) {
            self.given.add(gtid);
        }
        let committed = self.flow.committed();
        let (turn, after) = self.clock.place(head.last_committed, head.sequence_number, committed);
        self.note_begun(turn, &head);
        if head.server_id == self.shared.server_id {
            self.open = Some(Open::Skipped(turn));
            return;
        }
        if self.skips > 0 && self.by_gtids && head.gtid.is_some() {
            tracing::warn!("replication: sql_replica_skip_counter means nothing with SOURCE_AUTO_POSITION");
            // What is skipped would come again.
            self.shared.common.replica.count_skipped(std::mem::take(&mut self.skips));
        }
        if self.skips > 0 {
            self.open = Some(Open::Counted { turn, events: 1 });
            return;
        }
        self.wait_until_due(&head).await;
        let worker = self.choose(turn, after, committed);
        self.workers[worker].turn = turn;
        self.send(worker, Task::Begin { turn, after, head: Box::new(head), _room: room });
        self.open = Some(Open::With(worker));
    }

    fn note_begun(&self, turn: u64, head: &Head) {
        let mut state = self.shared.common.replica.state.lock();
        state.given.begin(head);
        state.under_way.push_back((turn, head.timestamp));
    }

    /// The worker for a group: the one that has what it waits for, if that is not done; else the one that is idle longest.
    fn choose(&self, turn: u64, after: u64, committed: u64) -> usize {
        let stations = self.workers.iter().enumerate();
        if after + 1 == turn && after > committed {
            stations.max_by_key(|(_, station)| station.turn).map_or(0, |(at, _)| at)
        } else {
            stations.min_by_key(|(_, station)| station.turn).map_or(0, |(at, _)| at)
        }
    }

    /// SOURCE_DELAY: behind the commit on the source; MariaDB says when its statement began.
    async fn wait_until_due(&self, head: &Head) {
        if self.delay_s == 0 {
            return;
        }
        let made = match head.immediate_commit_timestamp_us {
            0 => head.timestamp.into(),
            committed_us => committed_us.div_ceil(1_000_000),
        };
        let due = made + u64::from(self.delay_s);
        let now = crate::clock::unix_s();
        if due > now {
            let _waits = Due::note(&self.shared, due);
            tokio::time::sleep(Duration::from_secs(due - now)).await;
        }
    }

    /// A turn that only moves the position.
    fn pass(&mut self, turn: u64, position: Position, skipped: u32, room: Option<Room>) {
        let worker = self.choose(turn, turn - 1, self.flow.committed());
        self.workers[worker].turn = turn;
        self.send(worker, Task::Pass { turn, position, skipped, _room: room });
    }

    fn send(&self, worker: usize, task: Task) {
        // A worker that has gone has left its failure.
        let _ = self.workers[worker].tasks.send(task);
    }
}

/// A wait that is shown while it lasts.
struct Due<'s>(&'s Shared);

impl<'s> Due<'s> {
    fn note(shared: &'s Shared, due_s: u64) -> Self {
        shared.common.replica.state.lock().due_s = due_s;
        Self(shared)
    }
}

impl Drop for Due<'_> {
    fn drop(&mut self) {
        self.0.common.replica.state.lock().due_s = 0;
    }
}

/// How many workers there are to be.
pub(super) fn worker_count(shared: &Shared) -> usize {
    shared.variables.live.replica_parallel_workers.load(Ordering::Relaxed) as usize
}

/// What a worker has counted is kept, and one that panics has failed.
struct WorkerGuard {
    flow: Arc<Flow>,
    shared: Arc<Shared>,
    id: u32,
}

impl Drop for WorkerGuard {
    fn drop(&mut self) {
        self.shared.status.end_session(self.id);
        if std::thread::panicking() {
            self.flow.fail(ER_BINLOG_FATAL_ERROR.error(&[&"a worker has panicked; see the log"]));
        }
    }
}
