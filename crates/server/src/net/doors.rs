//! Doors: who may try to log in at a time.
//!
//! **Bounds:** [`TCP_MAX`] and [`SOCKET_MAX`] connections that have not logged in, [`ADDRESS_MAX`] of one address that
//! is not this machine's. When all places are taken, nobody is accepted until one is free; a connection that has had
//! its place for longer than [`GRACE_MS`] without getting anywhere loses it to the next, who enters when it is gone. So clients that send nothing
//! cost those that do at most a moment, and a crowd of clients that do is let in one after another, of one address or of many.

use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::Notify;

use super::connection::{Connection, mark};
use super::registry::Registered;
use crate::accounts::Peer;
use crate::clock;

/// Connections by TCP that have not logged in.
pub(super) const TCP_MAX: usize = 48;

/// Connections by the local socket that have not logged in.
pub(super) const SOCKET_MAX: usize = 16;

/// Those of one address.
const ADDRESS_MAX: usize = 8;

/// How long a place is safe, in milliseconds. On a machine with too much to do, a good client may be silent for a second.
const GRACE_MS: u64 = 3000;

/// How often a full house is looked over.
const LOOK: Duration = Duration::from_millis(50);

/// See the module.
#[derive(Debug)]
pub(super) struct Doors {
    max: usize,
    /// In the order of arrival. Rank: before that of all connections.
    visitors: Mutex<Vec<Arc<Visitor>>>,
    /// For those who wait for any place.
    left: Notify,
    /// For those who wait for one of their address.
    left_any: Notify,
}

#[derive(Debug)]
struct Visitor {
    connection: Arc<Connection>,
    address: Option<IpAddr>,
    since_ms: u64,
    /// Waits for us, not we for it.
    is_ours: AtomicBool,
}

/// A connection that has begun, and its place.
#[derive(Debug)]
pub(super) struct Entered {
    pub(super) registered: Registered,
    pub(super) visit: Visit,
}

/// A visitor's place.
#[derive(Debug)]
pub(super) struct Visit {
    doors: Arc<Doors>,
    visitor: Arc<Visitor>,
}

impl Doors {
    pub(super) fn new(max: usize) -> Self {
        Self { max, visitors: Mutex::default(), left: Notify::new(), left_any: Notify::new() }
    }

    /// Waits until there is a place.
    pub(super) async fn room(&self) {
        loop {
            let left = self.left.notified();
            if self.has_room() {
                return;
            }
            let _ = tokio::time::timeout(LOOK, left).await;
        }
    }

    /// Takes a place as soon as there is one for this address.
    pub(super) async fn wait(self: &Arc<Self>, peer: &Peer, begin: &impl Fn() -> Registered) -> Entered {
        loop {
            let left = self.left_any.notified();
            if let Some(entered) = self.enter(peer, begin) {
                return entered;
            }
            let _ = tokio::time::timeout(LOOK, left).await;
        }
    }

    /// Takes a place for a connection that begins then. None if there is none for this address, whose oldest is asked to go
    /// if it may have to. The look and the step are one: many wait for the same place.
    pub(super) fn enter(self: &Arc<Self>, peer: &Peer, begin: &impl Fn() -> Registered) -> Option<Entered> {
        let now_ms = clock::monotonic_ms();
        let address = foreign(peer);
        let mut visitors = self.visitors.lock();
        if address.is_some() {
            let same = || visitors.iter().filter(|visitor| visitor.address == address);
            if same().count() >= ADDRESS_MAX {
                if let Some(oldest) = same().find(|visitor| visitor.may_go(now_ms)) {
                    oldest.connection.ask(mark::MAKE_ROOM);
                }
                return None;
            }
            // Whoever comes from this machine was accepted because there was room, and does not wait again.
            if visitors.len() >= self.max {
                return None;
            }
        }
        let registered = begin();
        let connection = Arc::clone(&registered.connection);
        let is_ours = AtomicBool::new(false);
        let visitor = Arc::new(Visitor { connection, address, since_ms: now_ms, is_ours });
        visitors.push(Arc::clone(&visitor));
        drop(visitors);
        Some(Entered { registered, visit: Visit { doors: Arc::clone(self), visitor } })
    }

    /// Whether there is a place; asks the one that has been here longest to go if there is none.
    fn has_room(&self) -> bool {
        let visitors = self.visitors.lock();
        if visitors.len() < self.max {
            return true;
        }
        let now_ms = clock::monotonic_ms();
        if let Some(oldest) = visitors.iter().find(|visitor| visitor.may_go(now_ms)) {
            oldest.connection.ask(mark::MAKE_ROOM);
        }
        false
    }
}

fn foreign(peer: &Peer) -> Option<IpAddr> {
    peer.address.filter(|_| !peer.is_local())
}

impl Visitor {
    fn may_go(&self, now_ms: u64) -> bool {
        now_ms.saturating_sub(self.since_ms) >= GRACE_MS && !self.is_ours.load(Ordering::Relaxed)
    }
}

impl Visit {
    /// Says whether the client waits for us.
    pub(super) fn set_ours(&self, is_ours: bool) {
        self.visitor.is_ours.store(is_ours, Ordering::Relaxed);
    }
}

impl Drop for Visit {
    fn drop(&mut self) {
        self.doors.visitors.lock().retain(|visitor| !Arc::ptr_eq(visitor, &self.visitor));
        self.doors.left.notify_one();
        self.doors.left_any.notify_waiters();
    }
}
