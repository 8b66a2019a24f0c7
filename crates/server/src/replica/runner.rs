//! The runner: one task for the server's whole life that makes what is wanted so.

use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use replication::replica::{Hello, Settings, Source, SourceError};
use tokio::sync::{mpsc, watch};
use tokio::task::JoinHandle;
use types::error::SqlError;
use types::error::table::{ER_DISK_FULL, ER_LOCK_DEADLOCK, ER_LOCK_WAIT_TIMEOUT};

use super::applier::{Applier, Manner, worker_count};
use super::receiver::{Queue, receive};
use super::{Failure, Replica, Threads, Tolerance, keep};
use crate::session::Shared;

/// A connection that lasted so long was one: the next attempt comes at once.
const LASTING_MS: u64 = 1000;

/// After it an applier looks again whether a full disk has room.
const PAUSE_FOR_ROOM: Duration = Duration::from_secs(5);

/// How a run ended.
enum End {
    /// Something else is wanted.
    Changed,
    /// The source is lost; whether it was there.
    Lost(SourceError, bool),
    /// A group cannot be applied.
    Failed(SqlError),
    /// Groups may be applied side by side again.
    Again,
}

/// What failed before, and how often in a row.
#[derive(Default)]
struct Tries {
    connections: u64,
    groups: u64,
    /// One worker at a time, until a group was applied that could not be applied beside others.
    serial: bool,
}

/// Runs until the task is aborted.
pub(crate) async fn run(shared: Arc<Shared>) {
    let replica = &shared.common.replica;
    let mut wanted = replica.wanted.subscribe();
    let mut tries = Tries::default();
    loop {
        let now = *wanted.borrow_and_update();
        replica.actual.send_replace(now);
        if now.sql && is_reached(&shared).await {
            tracing::info!("replication: the applier is where START REPLICA UNTIL says");
            replica.want_less(Threads { io: false, sql: true });
            continue;
        }
        if !now.io {
            tries = Tries::default();
            if wanted.changed().await.is_err() {
                return;
            }
            continue;
        }
        let settings = replica.settings().unwrap_or_default();
        let begun = crate::clock::monotonic_ms();
        let end = run_once(&shared, &settings, &mut wanted, now.sql, &mut tries).await;
        replica.forget_received(&shared.pipeline.publisher().tuple().gtid_executed);
        match end {
            End::Changed => tries = Tries::default(),
            End::Again => {}
            End::Lost(error, was_there) => {
                if was_there && crate::clock::monotonic_ms() - begun > LASTING_MS {
                    tries.connections = 0;
                }
                lost(replica, &settings, &mut wanted, error, &mut tries).await;
            }
            End::Failed(error) if error.is(&ER_DISK_FULL) && replica.wanted.borrow().io => {
                tracing::warn!(
                    code = error.code,
                    "replication: the applier waits for room: {}",
                    error.message
                );
                replica.state.lock().sql_error = Some(Failure::of(&error));
                if tokio::time::timeout(PAUSE_FOR_ROOM, wanted.changed()).await.is_err() {
                    replica.state.lock().sql_error = None;
                }
            }
            End::Failed(error) => failed(&shared, &error, &mut tries),
        }
    }
}

/// Decides what a lost source means, and waits before the next attempt.
async fn lost(
    replica: &Replica,
    settings: &Settings,
    wanted: &mut watch::Receiver<Threads>,
    error: SourceError,
    tries: &mut Tries,
) {
    tries.connections += 1;
    let ends =
        !error.is_worth_another_try() || settings.retry_count > 0 && tries.connections > settings.retry_count;
    let again = if ends {
        String::new()
    } else {
        format!("; attempt {} failed, the next in {} s", tries.connections, settings.connect_retry_s)
    };
    if ends {
        tracing::error!(code = error.code(), "replication: the receiver stops: {error}");
    } else {
        tracing::info!(code = error.code(), "replication: {error}{again}");
    }
    let message = if ends { error.to_string() } else { format!("{error}{again}") };
    let failure = Failure { code: error.code(), message, at_us: crate::clock::unix_us() };
    replica.state.lock().io_error = Some(failure);
    if ends {
        replica.want_less(Threads { io: true, sql: false });
    } else if tries.connections > 1 {
        let pause = Duration::from_secs(settings.connect_retry_s.into());
        let _ = tokio::time::timeout(pause, wanted.changed()).await;
    }
}

/// Decides what a group means that cannot be applied: what may come of working side by side is tried alone.
fn failed(shared: &Shared, error: &SqlError, tries: &mut Tries) {
    let replica = &shared.common.replica;
    let max = shared.variables.live.replica_transaction_retries.load(Ordering::Relaxed);
    let passes = error.is(&ER_LOCK_DEADLOCK) || error.is(&ER_LOCK_WAIT_TIMEOUT);
    let alone = std::mem::replace(&mut tries.serial, true);
    // Without a receiver nothing comes again.
    let may_come_again = replica.wanted.borrow().io;
    if may_come_again && (!alone || passes && tries.groups < max) {
        tries.groups += u64::from(alone);
        replica.state.lock().retries += 1;
        tracing::info!(
            code = error.code,
            "replication: a transaction is tried again, alone: {}",
            error.message
        );
        return;
    }
    tracing::error!(code = error.code, "replication: the applier stops: {}", error.message);
    replica.state.lock().sql_error = Some(Failure::of(error));
    *tries = Tries::default();
    replica.want_less(Threads { io: false, sql: true });
}

async fn run_once(
    shared: &Arc<Shared>,
    settings: &Settings,
    wanted: &mut watch::Receiver<Threads>,
    applies: bool,
    tries: &mut Tries,
) -> End {
    let replica = &shared.common.replica;
    let live = &shared.variables.live;
    let patience = Duration::from_secs(live.replica_net_timeout_s.load(Ordering::Relaxed).into());
    let (mut position, executed) = match begin(shared).await {
        Ok(found) => found,
        Err(error) => return End::Failed(error),
    };
    if settings.auto_position {
        position = position.without_place();
    }
    let hello = hello(shared);
    let connect = async {
        if settings.auto_position && shared.pipeline.binlog().is_none() {
            let what = "SOURCE_AUTO_POSITION needs the binary log, which knows what is executed: start without \
                        --skip-log-bin, or name SOURCE_LOG_FILE and SOURCE_LOG_POS";
            return Err(SourceError::Unfit(what.to_owned()));
        }
        let (of, settings_of_tls) = (Arc::clone(shared), settings.tls.clone());
        let loaded = tokio::task::spawn_blocking(move || super::tls::load(&of, &settings_of_tls)).await;
        let tls = loaded.map_err(|error| SourceError::Lost(error.to_string()))??;
        let source = Source::connect(settings, tls.as_ref(), &hello, patience).await?;
        replica.connected(&source, &position, settings.auto_position);
        tracing::info!(version = source.version, from = %position, "replication: connected to the source");
        source.dump(shared.server_id, &position, settings.auto_position.then_some(&executed)).await
    };
    let dump = tokio::select! {
        biased;
        _ = wanted.changed() => return End::Changed,
        dump = connect => dump,
    };
    let dump = match dump {
        Ok(dump) => dump,
        Err(error) => return End::Lost(error, false),
    };
    let (sender, queue) = mpsc::unbounded_channel();
    let receiver = tokio::spawn(receive(Arc::clone(shared), dump, sender, patience));
    let _receives = AbortOnDrop(receiver.abort_handle());
    if !applies {
        return tokio::select! {
            biased;
            _ = wanted.changed() => End::Changed,
            ended = receiver => gone(ended),
        };
    }
    let tolerance = Tolerance::now(shared);
    let workers = if tries.serial || !tolerance.is_none() { 1 } else { worker_count(shared) };
    let by_gtids = settings.auto_position;
    let manner = Manner { workers, delay_s: settings.delay_s, tolerance, by_gtids };
    let applier = Applier::start(shared, position, executed, &manner);
    apply_received(shared, wanted, tries, applier, (receiver, queue)).await
}

/// Applies until something else is wanted, or nothing comes any more.
async fn apply_received(
    shared: &Arc<Shared>,
    wanted: &mut watch::Receiver<Threads>,
    tries: &mut Tries,
    mut applier: Applier,
    (receiver, mut queue): (JoinHandle<SourceError>, Queue),
) -> End {
    let replica = &shared.common.replica;
    let groups = replica.state.lock().groups;
    let flow = applier.flow();
    let mut drains = false;
    let ran = {
        let mut running = pin!(applier.run(&mut queue));
        loop {
            tokio::select! {
                biased;
                _ = wanted.changed() => {
                    if drains || !replica.stops_receiver(wanted) {
                        break Ran::Changed;
                    }
                    // What was received is applied, as what is in a relay log would be: the source may be gone for good.
                    drains = true;
                    receiver.abort();
                }
                () = applied_more(shared, groups), if tries.serial && !drains => break Ran::Alone,
                done = &mut running => break Ran::Ended(done),
            }
        }
    };
    let mut is_cancelled = matches!(ran, Ran::Changed);
    let is_reached = applier.is_reached();
    let failure = {
        let mut finished = pin!(applier.finish(is_cancelled));
        loop {
            tokio::select! {
                biased;
                failure = &mut finished => break failure,
                _ = wanted.changed(), if !is_cancelled => {
                    if !replica.stops_receiver(wanted) {
                        flow.cancel();
                        is_cancelled = true;
                    }
                }
            }
        }
    };
    match (failure, ran) {
        _ if is_cancelled => End::Changed,
        (Some(error), _) => End::Failed(error),
        (None, Ran::Alone) => {
            *tries = Tries::default();
            End::Again
        }
        (None, Ran::Ended(Ok(()))) if is_reached => {
            tracing::info!("replication: the applier stops where START REPLICA UNTIL has said");
            replica.want_less(Threads { io: false, sql: true });
            End::Changed
        }
        (None, Ran::Ended(Err(error))) => End::Lost(error, true),
        (None, Ran::Ended(Ok(()))) if drains => End::Changed,
        (None, Ran::Ended(Ok(()))) => gone(receiver.await),
        (None, Ran::Changed) => End::Changed,
    }
}

/// Why an applier was left.
enum Ran {
    /// Something else is wanted.
    Changed,
    /// What had to be applied alone is applied.
    Alone,
    /// The queue has ended, or what is in it is damaged, or a group has failed.
    Ended(Result<(), SourceError>),
}

fn gone(ended: Result<SourceError, tokio::task::JoinError>) -> End {
    let error =
        ended.unwrap_or_else(|panic| SourceError::Malformed(format!("the receiver has failed: {panic}")));
    End::Lost(error, true)
}

/// A task that ends with its owner.
struct AbortOnDrop(tokio::task::AbortHandle);

impl Drop for AbortOnDrop {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Resolves when more groups than these were applied.
async fn applied_more(shared: &Arc<Shared>, groups: u64) {
    const LOOK: Duration = Duration::from_millis(20);
    while shared.common.replica.state.lock().groups <= groups {
        tokio::time::sleep(LOOK).await;
    }
}

/// Whether the applier need not begin.
async fn is_reached(shared: &Arc<Shared>) -> bool {
    let (until, settings) = {
        let state = shared.common.replica.state.lock();
        (state.until.clone(), state.settings.clone())
    };
    let Some(until) = until else { return false };
    let Ok((position, executed)) = begin(shared).await else { return false };
    let by_gtids = settings.is_some_and(|settings| settings.auto_position);
    until.is_reached(&if by_gtids { position.without_place() } else { position }, &executed)
}

/// Where a run begins: behind everything that was applied, all of which is durable now.
async fn begin(shared: &Arc<Shared>) -> Result<(replication::replica::Position, binlog::GtidSet), SqlError> {
    let pipeline = &shared.pipeline;
    let _ack = pipeline.wait_visible(pipeline.last_drawn()).await;
    let (_, position) = keep::read(&shared.store)?;
    Ok((position, pipeline.publisher().tuple().gtid_executed))
}

fn hello(shared: &Shared) -> Hello {
    let sight = shared.variables.server_sight();
    let shown = |name: &str| sight.shown(name).unwrap_or_default();
    Hello {
        server_id: shared.server_id,
        uuid: shared.uuid,
        host: shown("report_host"),
        port: shown("report_port").parse().unwrap_or(0),
        takes_gtids: shared.variables.gtid_mode() != 0,
        acknowledges: shared.variables.live.semi_sync_replica.load(Ordering::Relaxed),
    }
}
