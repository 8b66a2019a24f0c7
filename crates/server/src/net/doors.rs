//! Doors: who may try to log in at a time.
//!
//! **Bounds:** [`TCP_MAX`] and [`SOCKET_MAX`] connections that have not logged in, [`ADDRESS_MAX`] of one address that
//! is not this machine's. When all places are taken, nobody is accepted until one is free; a connection that has had
//! its place for longer than [`GRACE_MS`] without getting anywhere loses it to the next. So clients that send nothing
//! cost those that do at most a moment, and a crowd of clients that do is let in one after another, of one address or of many.

use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::Notify;

use super::connection::{Connection, mark};
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
    /// In the order of arrival. Rank: before a connection's locks.
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

    /// Waits until an address has a place: others may be quicker to take it.
    pub(super) async fn place_for(&self, peer: &Peer) {
        loop {
            let left = self.left_any.notified();
            if self.has_place_for(peer) {
                return;
            }
            let _ = tokio::time::timeout(LOOK, left).await;
        }
    }

    /// Whether an address has a place, or one that can be taken from its oldest.
    pub(super) fn has_place_for(&self, peer: &Peer) -> bool {
        let Some(address) = foreign(peer) else { return true };
        let visitors = self.visitors.lock();
        let mut same = visitors.iter().filter(|visitor| visitor.address == Some(address)).peekable();
        let may_go = same.peek().is_some_and(|oldest| oldest.may_go(clock::monotonic_ms()));
        visitors.len() < self.max && (may_go || same.count() < ADDRESS_MAX)
    }

    /// Takes a place; none if there are too many of this address, whose oldest may have to go then.
    pub(super) fn enter(self: &Arc<Self>, connection: &Arc<Connection>) -> Option<Visit> {
        let now_ms = clock::monotonic_ms();
        let address = foreign(&connection.peer);
        let mut visitors = self.visitors.lock();
        let is_same = |visitor: &&Arc<Visitor>| address.is_some() && visitor.address == address;
        if visitors.iter().filter(is_same).count() >= ADDRESS_MAX {
            let oldest = visitors.iter().find(is_same)?;
            if !oldest.may_go(now_ms) {
                return None;
            }
            oldest.connection.ask(mark::ABANDON);
        }
        let connection = Arc::clone(connection);
        let is_ours = AtomicBool::new(false);
        let visitor = Arc::new(Visitor { connection, address, since_ms: now_ms, is_ours });
        visitors.push(Arc::clone(&visitor));
        drop(visitors);
        Some(Visit { doors: Arc::clone(self), visitor })
    }

    /// Whether there is a place; asks the one that has been here longest to go if there is none.
    fn has_room(&self) -> bool {
        let visitors = self.visitors.lock();
        if visitors.len() < self.max {
            return true;
        }
        let now_ms = clock::monotonic_ms();
        if let Some(oldest) = visitors.iter().find(|visitor| visitor.may_go(now_ms)) {
            oldest.connection.ask(mark::ABANDON);
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
