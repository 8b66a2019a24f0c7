//! The replica's role: follows a source's binlog.
//!
//! ```text
//! runner     one task: connects, tries again, decides what an error means
//!   receiver   reads events into a bounded queue                      "IO thread"
//!   applier    finds groups, gives them turns and workers             "SQL thread"
//!     workers    apply groups side by side, commit them turn by turn
//!     finisher   learns what has become durable
//! ```
//!
//! There is no relay log. A group's transaction holds a row that says where the source's binlog goes on behind it, so
//! group and position are durable together or not at all; whatever ends a run, the next one asks the source for what
//! follows that row. Hence one answer to every surprise (a broken connection, a conflict between workers, STOP): forget
//! what is not committed, and begin again from there.
//!
//! START REPLICA may say where the applier stops by itself ([`until`]), variables what may fail without stopping it
//! ([`tolerance`]).
//!
//! **Order:** groups take their tickets in the order in which the source committed them (turns), so what is durable here
//! is always a prefix of the source's history. A worker goes on with its next group as soon as it has its ticket: locks
//! are released there, and the sync is waited for by the finisher. So even groups that depend on each other share syncs.

mod applier;
mod finisher;
mod flow;
mod keep;
mod progress;
mod receiver;
mod runner;
mod status;
pub(crate) mod tables;
mod tls;
mod tolerance;
mod until;
mod worker;

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use binlog::{BinlogName, GtidSet};
use parking_lot::Mutex;
use progress::{Progress, WorkerSeen};
use replication::replica::{Position, Settings, Source};
use tokio::sync::{Notify, watch};
use types::error::SqlError;

pub(crate) use applier::is_worker;
pub(crate) use keep::{read, write};
pub(crate) use runner::run;
pub(crate) use status::status;
pub(crate) use tolerance::{EXEC_MODES, Tolerance, list_of_errors};
pub(crate) use until::Until;

/// Which of the two parts run: MySQL calls them threads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Threads {
    /// The receiver.
    pub(crate) io: bool,
    /// The applier.
    pub(crate) sql: bool,
}

/// See the module.
#[derive(Debug, Default)]
pub(crate) struct Replica {
    /// What START and STOP have asked for.
    wanted: watch::Sender<Threads>,
    /// What runs.
    actual: watch::Sender<Threads>,
    /// More is durable.
    progress: Notify,
    /// Rank: last.
    state: Mutex<State>,
}

/// What SHOW REPLICA STATUS shows.
#[derive(Clone, Debug, Default)]
pub(crate) struct State {
    settings: Option<Settings>,
    connected: bool,
    /// The source is told what is durable, if it asks.
    acknowledges: bool,
    source_server_id: u32,
    source_uuid: String,
    /// Up to where the source was read.
    read: Position,
    /// Behind the last group that is durable.
    applied: Position,
    /// Whether that is a place in the log that is followed. By GTIDs it may be another one than that of before, until this run
    /// has made something durable.
    is_placed: bool,
    /// Groups that are not durable yet: turns, and when they were made on the source, seconds since 1970.
    under_way: VecDeque<(u64, u32)>,
    /// When the last group that was received was made there, seconds since 1970.
    received_at_s: u32,
    /// Groups that this server run has applied.
    groups: u64,
    retrieved: GtidSet,
    heartbeats: u64,
    /// When the last heartbeat came, microseconds since 1970.
    heartbeat_us: u64,
    /// What the receiver puts into the queue.
    queued: Progress,
    /// What the applier gives to workers.
    given: Progress,
    workers: Vec<Arc<WorkerSeen>>,
    /// When the group at hand may be applied by SOURCE_DELAY, seconds since 1970; 0: nothing waits.
    due_s: u64,
    /// Runs that began again because a group could not be applied.
    retries: u64,
    io_error: Option<Failure>,
    sql_error: Option<Failure>,
    /// Where the applier was told to stop when it was started.
    until: Option<Until>,
    /// So many events it still skips, to the end of their group.
    skips: u32,
}

/// Why a part has stopped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Failure {
    code: u16,
    message: String,
    at_us: u64,
}

impl State {
    /// For how long the applier still waits because of SOURCE_DELAY, if it does.
    fn remaining_delay_s(&self) -> Option<u64> {
        (self.due_s > 0).then(|| self.due_s.saturating_sub(crate::clock::unix_s()))
    }
}

impl Failure {
    fn of(error: &SqlError) -> Self {
        Self { code: error.code, message: error.message.clone(), at_us: crate::clock::unix_us() }
    }
}

impl Replica {
    /// What it is told at the start, and by CHANGE REPLICATION SOURCE TO and RESET REPLICA.
    pub(crate) fn configure(&self, settings: Option<Settings>, position: Position) {
        let mut state = self.state.lock();
        *state = State {
            settings,
            read: position.clone(),
            applied: position,
            is_placed: true,
            ..State::default()
        };
    }

    /// Who the source is.
    pub(crate) fn settings(&self) -> Option<Settings> {
        self.state.lock().settings.clone()
    }

    /// Which parts run, or are about to: START REPLICA has begun them when it returns. Not to be asked under the state's lock.
    fn threads(&self) -> Threads {
        let (wanted, actual) = (*self.wanted.borrow(), *self.actual.borrow());
        Threads { io: wanted.io || actual.io, sql: wanted.sql || actual.sql }
    }

    /// Whether any of them does.
    pub(crate) fn is_running(&self) -> bool {
        self.threads() != Threads::default()
    }

    /// Whether everything up to a position of the source is durable here.
    pub(crate) fn has_applied(&self, file: u64, position: u64) -> bool {
        let state = self.state.lock();
        state.is_placed && (file_number(&state.applied), state.applied.position) >= (file, position)
    }

    /// Up to where the source's binlog is durable here: nowhere, while that is not known.
    fn reached(&self) -> Position {
        let state = self.state.lock();
        if !state.is_placed {
            return Position::default();
        }
        Position::at(&state.applied.file, state.applied.position)
    }

    /// Whether a source is told what is durable here.
    pub(crate) fn acknowledges(&self) -> bool {
        let state = self.state.lock();
        state.connected && state.acknowledges
    }

    /// The source has answered; it is going to send what is behind this position, or what its GTIDs say.
    fn connected(&self, source: &Source, position: &Position, by_gtids: bool) {
        let mut state = self.state.lock();
        state.source_server_id = source.server_id;
        state.source_uuid.clone_from(&source.uuid);
        (state.connected, state.acknowledges, state.io_error) = (true, source.is_semi_sync, None);
        (state.read, state.is_placed) = (position.clone(), !by_gtids);
        if !by_gtids {
            state.applied = position.clone();
        }
    }

    /// A run is over: what was received and is not durable is asked for again.
    fn forget_received(&self, executed: &GtidSet) {
        let mut state = self.state.lock();
        state.connected = false;
        state.read = state.applied.clone();
        let mut missing = state.retrieved.clone();
        missing.subtract(executed);
        state.retrieved.subtract(&missing);
        state.under_way.clear();
    }

    /// START REPLICA. An applier that runs already does not stop where this says. Returns which of them ran already.
    /// One that does not run yet takes over the counter of what it is to skip.
    pub(crate) fn start(&self, which: Threads, until: Option<Until>, skips: &AtomicU32) -> Threads {
        let mut ran = Threads::default();
        self.wanted.send_if_modified(|wanted| {
            ran = Threads { io: which.io && wanted.io, sql: which.sql && wanted.sql };
            let mut state = self.state.lock();
            if which.io {
                state.io_error = None;
            }
            if which.sql {
                state.sql_error = None;
            }
            if which.sql && !wanted.sql {
                state.until = until;
                state.skips = skips.swap(0, Ordering::Relaxed);
            }
            drop(state);
            let next = Threads { io: wanted.io || which.io, sql: wanted.sql || which.sql };
            std::mem::replace(wanted, next) != next
        });
        ran
    }

    /// So many events are skipped for good.
    pub(crate) fn count_skipped(&self, events: u32) {
        if events > 0 {
            let mut state = self.state.lock();
            state.skips = state.skips.saturating_sub(events);
        }
    }

    /// STOP REPLICA: resolves when they have.
    pub(crate) async fn stop(&self, which: Threads) {
        self.want_less(which);
        let mut actual = self.actual.subscribe();
        let stopped = |actual: &Threads| !(which.io && actual.io || which.sql && actual.sql);
        // The sender is this.
        let _ = actual.wait_for(stopped).await;
    }

    /// Whether the receiver alone is to stop; then it counts as stopped.
    fn stops_receiver(&self, wanted: &mut watch::Receiver<Threads>) -> bool {
        let only_sql = Threads { io: false, sql: true };
        let stops = *wanted.borrow_and_update() == only_sql;
        if stops {
            self.actual.send_replace(only_sql);
        }
        stops
    }

    fn want_less(&self, which: Threads) {
        self.wanted.send_if_modified(|wanted| {
            let next = Threads { io: wanted.io && !which.io, sql: wanted.sql && !which.sql };
            std::mem::replace(wanted, next) != next
        });
    }
}

/// Whether a position of the source's binlog stands before another one.
fn is_before(position: &Position, other: &Position) -> bool {
    (file_number(position), position.position) < (file_number(other), other.position)
}

fn file_number(position: &Position) -> u64 {
    BinlogName::parse(&position.file).map_or(0, |name| name.number())
}

/// A worker's kill switch and its task.
type Stoppable = (Arc<crate::session::KillSwitch>, tokio::task::JoinHandle<()>);
