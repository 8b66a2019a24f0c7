//! A server run: from options to a server that listens, and to its clean end.
//!
//! ```text
//! data directory (lock, identity, certificates) -> base -> recovery -> store -> accounts -> listeners
//! log threads: the pipeline's steps      checkpoints: one thread
//! housekeeper: syncs each second, spare redo segments, gates, expired binlogs
//! sweeper: a task that wakes acknowledged sessions
//! ```
//! Whatever fails before the listeners is an error of the start. What fails in the logs later is fatal: the process
//! ends before anybody is told something that is not durable.

mod certificates;
mod checkpointer;
mod data_dir;
mod fatal;
mod housekeeper;
mod log_threads;
mod password_key;
mod start;

use std::net::SocketAddr;
use std::num::NonZero;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use commit::FatalError;
use engine::EngineError;
use engine::base::Base;
use tokio::runtime::{Builder, Runtime};

use crate::net::{Listeners, Net};
use crate::service::Sessions;
use crate::session::{Shared, WAITING_THREADS_MAX};
use checkpointer::Checkpointer;
use log_threads::LogThreads;

pub use data_dir::DataDir;
pub(crate) use data_dir::read as read_text;
pub(crate) use housekeeper::redo_capacity;
pub use start::{start, take_data_dir};

/// How long statements may go on when the server is told to stop, and threads behind that.
pub const PATIENCE: Duration = Duration::from_secs(10);

/// Threads for what blocks, beside those that wait in functions (`sleep()`): tokio's own default.
const BLOCKING_THREADS_MAX: usize = 512;

/// Bytes of a thread's stack. The deepest queries need less than a quarter of them; what is not used is never there.
const STACK_SIZE: usize = 16 << 20;

/// Threads that serve sessions, at least.
const WORKERS_MIN: usize = 2;

/// The runtime that a server starts and runs in.
pub fn runtime() -> std::io::Result<Runtime> {
    let threads_max = BLOCKING_THREADS_MAX + WAITING_THREADS_MAX;
    // One expression may take long: others go on, and KILL.
    let workers = std::thread::available_parallelism().map_or(WORKERS_MIN, NonZero::get).max(WORKERS_MIN);
    try_thread()?;
    Builder::new_multi_thread()
        .worker_threads(workers)
        .enable_all()
        .max_blocking_threads(threads_max)
        .thread_stack_size(STACK_SIZE)
        .build()
}

/// Tries whether the operating system has a thread: without any, a runtime panics.
pub(crate) fn try_thread() -> std::io::Result<()> {
    // It does nothing that could panic.
    std::thread::Builder::new().spawn(|| {}).map(|thread| drop(thread.join()))
}

/// Why a server does not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// Another server has the data directory.
    #[error("the data directory {0} is in use by another process; stop it or choose another --datadir")]
    InUse(PathBuf),
    /// A file of the data directory is not what it should be.
    #[error("{path}: {what}")]
    File {
        /// Which.
        path: PathBuf,
        /// What is wrong, and what to do.
        what: String,
    },
    /// From the operating system.
    #[error("{path}: {error}")]
    Io {
        /// Which file or directory.
        path: PathBuf,
        /// What it said.
        error: std::io::Error,
    },
    /// Recovery.
    #[error("recovery failed: {0}")]
    Recovery(#[from] FatalError),
    /// A thread.
    #[error(
        "a thread cannot be started: {0}; is there a limit of processes (ulimit -u, systemd's TasksMax)?"
    )]
    Thread(std::io::Error),
    /// The table store.
    #[error("the table store cannot be opened: {0}")]
    Engine(#[from] EngineError),
    /// The first start's accounts.
    #[error("the accounts cannot be made or read: {0}")]
    Accounts(String),
    /// A listener.
    #[error(
        "Can't start server: Bind on {place}: {error}. Do you already have another server running there?"
    )]
    Listen {
        /// Addresses or a socket.
        place: String,
        /// What the operating system said.
        error: std::io::Error,
    },
    /// An option.
    #[error("{0}")]
    Option(String),
}

/// A server that listens.
#[derive(Debug)]
pub struct Server {
    /// What its sessions share.
    pub shared: Arc<Shared>,
    net: Arc<Net<Sessions>>,
    listeners: Listeners,
    base: Arc<Base>,
    checkpointer: Arc<Checkpointer>,
    housekeeper: housekeeper::Housekeeper,
    log_threads: LogThreads,
    replica: tokio::task::JoinHandle<()>,
}

impl Server {
    /// Where it listens on TCP.
    pub fn addresses(&self) -> &[SocketAddr] {
        &self.listeners.tcp
    }

    /// Resolves when a client has executed SHUTDOWN.
    pub async fn told_to_stop(&self) {
        self.shared.common.shutdown.notified().await;
    }

    /// Ends the run: lets statements finish, takes a last checkpoint and closes the logs. Threads for what blocks may go on for
    /// a while, so the data directory is this process' still.
    pub async fn stop(self) -> Result<(), FatalError> {
        let Self { shared, net, listeners, base, checkpointer, housekeeper, log_threads, replica } = self;
        // Whoever waits for a replica is answered now: senders end as well.
        shared.pipeline.end_semi_sync();
        if !listeners.close(&net, PATIENCE).await {
            tracing::warn!("some connections did not end; their transactions are rolled back");
        }
        // After the connections: one may have held back what a worker waits for.
        let both = crate::replica::Threads { io: true, sql: true };
        if tokio::time::timeout(PATIENCE, shared.common.replica.stop(both)).await.is_err() {
            tracing::warn!(
                "the replica did not stop; what it has not committed comes again at the next start"
            );
        }
        replica.abort();
        let pipeline = Arc::clone(&shared.pipeline);
        pipeline.admission.set_gate(commit::Gate::Closed);
        let _ack = pipeline.wait_visible(pipeline.last_drawn()).await;
        let ended = tokio::task::spawn_blocking(move || {
            let base_is_sound = checkpointer.stop();
            // Those whose sessions were abandoned, too. None waits for room on a full disk, or for a checkpoint that does.
            shared.schema.builds.close();
            housekeeper.stop();
            log_threads.stop(&pipeline);
            base_is_sound?;
            pipeline.finish(&base, shared.store.counters())
        });
        ended.await.unwrap_or_else(|panic| Err(FatalError::Corrupt(panic.to_string())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Uses so many bytes of the stack below an address.
    fn fill(from: usize, size: usize) -> u8 {
        let frame = std::hint::black_box([1_u8; 1 << 12]);
        if from - frame.as_ptr().addr() >= size { frame[0] } else { fill(from, size).wrapping_add(frame[1]) }
    }

    fn fill_most() -> u8 {
        let here = std::hint::black_box(0_u8);
        fill(std::ptr::from_ref(&here).addr(), STACK_SIZE - (2 << 20))
    }

    #[test]
    fn every_thread_has_a_stack_for_the_deepest_queries() {
        let runtime = runtime().unwrap();
        runtime.block_on(async {
            tokio::spawn(async { fill_most() }).await.unwrap();
            tokio::task::spawn_blocking(fill_most).await.unwrap();
        });
    }
}
