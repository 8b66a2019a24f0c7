//! All connections, by id: for KILL, SHOW PROCESSLIST, the reaper and the end of the server.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::Notify;

use super::connection::{Connection, mark};
use super::hosts::Hosts;
use super::process::ProcessRow;
use crate::accounts::Peer;
use crate::status::{Gauges, Status};

/// See the module.
#[derive(Debug)]
pub struct Connections {
    status: Arc<Status>,
    /// Where they come from.
    pub(super) hosts: Hosts,
    /// Rank: before a connection's locks.
    by_id: Mutex<HashMap<u32, Arc<Connection>>>,
    next_id: AtomicU32,
    /// Connections that have logged in.
    sessions: AtomicU32,
    /// Told whenever one ends.
    ended: Notify,
}

/// What KILL stops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KillKind {
    /// KILL QUERY
    Query,
    /// KILL [CONNECTION]
    Connection,
}

impl Connections {
    /// None yet.
    pub fn new(status: Arc<Status>) -> Arc<Self> {
        Arc::new(Self {
            status,
            hosts: Hosts::default(),
            by_id: Mutex::default(),
            next_id: AtomicU32::new(1),
            sessions: AtomicU32::new(0),
            ended: Notify::new(),
        })
    }

    /// The hosts whose clients broke off their handshakes, since the last of them logged in.
    pub fn failed_hosts(&self) -> Vec<(std::net::IpAddr, super::HostErrors)> {
        self.hosts.all()
    }

    /// FLUSH HOSTS: forgets the hosts that are blocked.
    pub fn flush_hosts(&self) {
        self.hosts.flush();
    }

    /// KILL. False if there is no such connection (1094).
    pub fn kill(&self, id: u32, kind: KillKind) -> bool {
        let Some(connection) = self.get(id) else { return false };
        connection.interrupt(match kind {
            KillKind::Query => mark::KILL_QUERY,
            KillKind::Connection => mark::KILL_CONNECTION,
        });
        true
    }

    /// `offline_mode`: ends all who have logged in and are no administrators, but for this one.
    pub fn kill_ordinary(&self, but: u32) {
        let ordinary = |connection: &Arc<Connection>| connection.id != but && connection.is_ordinary();
        for connection in self.all().into_iter().filter(ordinary) {
            connection.interrupt(mark::KILL_CONNECTION);
        }
    }

    /// A connection.
    pub fn get(&self, id: u32) -> Option<Arc<Connection>> {
        self.by_id.lock().get(&id).cloned()
    }

    /// The rows of SHOW PROCESSLIST, by id.
    pub fn processes(&self) -> Vec<ProcessRow> {
        let mut rows: Vec<_> = self.all().iter().map(|connection| connection.process()).collect();
        rows.sort_unstable_by_key(|row| row.id);
        rows
    }

    /// Connections that have logged in: `Threads_connected`.
    pub fn sessions(&self) -> u32 {
        self.sessions.load(Ordering::Relaxed)
    }

    /// Those that execute a command: `Threads_running`.
    pub fn running(&self) -> u64 {
        self.by_id.lock().values().filter(|connection| connection.is_running()).count() as u64
    }

    /// All of them.
    pub(super) fn all(&self) -> Vec<Arc<Connection>> {
        self.by_id.lock().values().cloned().collect()
    }

    /// A new connection. Ids are those of the protocol, 32 bits, and are used again after 4 billion.
    pub(super) fn begin(self: &Arc<Self>, peer: Peer, port: Option<u16>) -> Registered {
        let mut by_id = self.by_id.lock();
        let id = loop {
            let id = self.next_id.fetch_add(1, Ordering::Relaxed);
            if id != 0 && !by_id.contains_key(&id) {
                break id;
            }
        };
        let counters = self.status.begin_session(id);
        let connection = Arc::new(Connection::new(id, peer, port, counters));
        by_id.insert(id, Arc::clone(&connection));
        Registered { connections: Arc::clone(self), connection }
    }

    /// Takes one of `max` places for sessions, if one is free.
    pub(super) fn take_place(self: &Arc<Self>, max: u32) -> Option<Place> {
        let taken = self
            .sessions
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |count| (count < max).then_some(count + 1));
        let before = taken.ok()?;
        self.status.gauges.sessions_are(u64::from(before) + 1, crate::clock::unix_s());
        Some(Place(Arc::clone(self)))
    }

    /// Waits until there is no connection, or until time is up.
    pub(super) async fn none_left(&self, within: Duration) -> bool {
        self.left_are(within, |_| false).await
    }

    /// Waits until all connections send the binlog, or until time is up.
    pub(super) async fn only_dumps_left(&self, within: Duration) -> bool {
        self.left_are(within, Connection::is_dump).await
    }

    async fn left_are(&self, within: Duration, may_be_left: fn(&Connection) -> bool) -> bool {
        let all_gone = async {
            loop {
                let ended = self.ended.notified();
                if self.by_id.lock().values().all(|connection| may_be_left(connection)) {
                    return;
                }
                ended.await;
            }
        };
        tokio::time::timeout(within, all_gone).await.is_ok()
    }
}

/// A connection's entry, which goes with its task, however that ends.
#[derive(Debug)]
pub(super) struct Registered {
    connections: Arc<Connections>,
    pub(super) connection: Arc<Connection>,
}

impl Drop for Registered {
    fn drop(&mut self) {
        self.connections.by_id.lock().remove(&self.connection.id);
        self.connections.status.end_session(self.connection.id);
        if std::thread::panicking() {
            Gauges::bump(&self.connections.status.gauges.internal_errors);
            tracing::error!(connection = self.connection.id, "the session ended with a panic");
        }
        self.connections.ended.notify_waiters();
    }
}

/// One of `max_connections` places.
#[derive(Debug)]
pub(super) struct Place(Arc<Connections>);

impl Drop for Place {
    fn drop(&mut self) {
        self.0.sessions.fetch_sub(1, Ordering::Relaxed);
    }
}
