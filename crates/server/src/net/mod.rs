//! Connections: from the listener to the command that a session executes, and back.
//!
//! ```text
//! listener ── doors ── login ──> Service::open ──> command loop ──> Handler::command ──> one write
//!               │        │                            │
//!               │        `- accounts, one digest at a time
//!               `- unauthenticated: 64 at a time, by address, 16 packets, connect_timeout
//! reaper: once a second, whoever is past its deadline is told so
//! ```
//! A connection is one task. It reads one command at a time and answers it with one write, unless the answer is large.
//! Whoever wants something of it (KILL, a time-out, the end of the server) leaves a mark in its [`Connection`] and
//! wakes it; the task looks at the marks whenever it is polled.
//!
//! **Memory** of an idle connection: its task, its `Connection`, and what the session keeps. Buffers are given back
//! after a second of idleness, and grow with the bytes that arrive, never with what a header announces.
//!
//! **Order and durability:** none. A reply is built from what the session was allowed to say.

mod compress;
mod connection;
mod delivery;
mod doors;
mod drive;
mod execute;
mod files;
mod handler;
mod hosts;
mod inbound;
mod listener;
mod login;
pub(crate) mod metrics;
mod pace;
mod password_key;
mod process;
mod reaper;
mod registry;
mod reply;
mod sent_file;
mod stream;
mod streams;
mod switch;
pub(crate) mod tls;

use std::sync::Arc;

pub(crate) use connection::beginning;
pub use connection::{Connection, Interrupt};
pub use delivery::Held;
pub(crate) use files::sessions_max;
pub use handler::{Handler, Interruption, Login, Outcome, Service};
pub use hosts::Errors as HostErrors;
pub use inbound::Inbound;
pub use listener::{Listeners, bind, listen};
pub use password_key::PasswordKey;
pub use process::{CommandKind, ProcessRow};
pub use registry::{Connections, KillKind};
pub use reply::{Gone, Reply};
pub use sent_file::SentFile;
pub use streams::Streams;
pub use tls::{Tls, TlsNames};

use crate::accounts::Accounts;
use crate::status::{Counter, Status};
use crate::variables::Variables;
use doors::Doors;

/// What a login keeps from others by.
#[derive(Debug, Default)]
pub struct Secrets {
    /// What clients may switch to.
    pub tls: Option<Tls>,
    /// What passwords are sealed with that do not come under TLS.
    pub password_key: Option<PasswordKey>,
}

/// What all connections share.
#[derive(Debug)]
pub struct Net<S> {
    /// System variables.
    pub variables: Arc<Variables>,
    /// Counters.
    pub status: Arc<Status>,
    /// Who may log in.
    pub accounts: Arc<Accounts>,
    /// The connections.
    pub connections: Arc<Connections>,
    /// What executes commands.
    pub service: S,
    streams: Streams,
    tcp_doors: Arc<Doors>,
    socket_doors: Arc<Doors>,
    secrets: Secrets,
    /// One password is digested, or one step of a TLS handshake made, at a time: it costs milliseconds of a core.
    computing: tokio::sync::Semaphore,
}

impl<S: Service> Net<S> {
    /// A server that listens nowhere yet.
    pub fn new(
        variables: Arc<Variables>,
        status: Arc<Status>,
        accounts: Arc<Accounts>,
        connections: Arc<Connections>,
        service: S,
        streams: Streams,
        secrets: Secrets,
    ) -> Arc<Self> {
        if let Some(key) = &secrets.password_key {
            let _ = status.public_key.set(Arc::clone(key.public_pem()));
        }
        Arc::new(Self {
            variables,
            status,
            accounts,
            connections,
            service,
            streams,
            tcp_doors: Arc::new(Doors::new(doors::TCP_MAX)),
            socket_doors: Arc::new(Doors::new(doors::SOCKET_MAX)),
            secrets,
            computing: tokio::sync::Semaphore::new(1),
        })
    }

    /// What COM_STATISTICS answers.
    pub fn statistics(&self) -> String {
        let sum = self.status.sum();
        let uptime_s = crate::clock::monotonic_ms() / 1000;
        let questions = sum.get(Counter::Questions);
        let per_second = questions as f64 / uptime_s.max(1) as f64;
        format!(
            "Uptime: {uptime_s}  Threads: {}  Questions: {questions}  Slow queries: {}  Opens: {}  Flush tables: {}  \
             Open tables: 0  Queries per second avg: {per_second:.3}",
            self.connections.sessions(),
            sum.get(Counter::SlowQueries),
            sum.get(Counter::OpenedTables),
            self.status.gauges.flush_commands.load(std::sync::atomic::Ordering::Relaxed),
        )
    }
}
