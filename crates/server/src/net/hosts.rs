//! Hosts whose clients broke off or garbled their handshakes: beyond `max_connect_errors` in a row they are blocked
//! (1129) until FLUSH HOSTS. This machine is never blocked. A wrong password is no broken handshake.
//!
//! **Bound:** [`HOSTS_MAX`] hosts; the one whose last error is oldest is forgotten for a new one.

use std::collections::HashMap;
use std::net::IpAddr;

use parking_lot::Mutex;

use crate::accounts::Peer;
use crate::clock;

/// Hosts that are remembered: MySQL's default of `host_cache_size` at 151 connections.
const HOSTS_MAX: usize = 279;

/// See the module.
#[derive(Debug, Default)]
pub(super) struct Hosts {
    /// Rank: last.
    errors: Mutex<HashMap<IpAddr, Errors>>,
}

/// The errors of a host.
#[derive(Clone, Copy, Debug)]
pub struct Errors {
    /// In a row.
    pub count: u64,
    /// When the first was, microseconds since 1970.
    pub first_us: u64,
    /// When the last was, microseconds since 1970.
    pub last_us: u64,
    last_ms: u64,
}

impl Hosts {
    /// Whether this host may not try again.
    pub(super) fn is_blocked(&self, peer: &Peer, max: u64) -> bool {
        let Some(address) = foreign(peer) else { return false };
        self.errors.lock().get(&address).is_some_and(|errors| errors.count >= max)
    }

    /// A handshake broke off.
    pub(super) fn failed(&self, peer: &Peer) {
        let Some(address) = foreign(peer) else { return };
        let mut errors = self.errors.lock();
        if errors.len() >= HOSTS_MAX && !errors.contains_key(&address) {
            let oldest = errors.iter().min_by_key(|(_, entry)| entry.last_ms).map(|(address, _)| *address);
            if let Some(oldest) = oldest {
                errors.remove(&oldest);
            }
        }
        let now_us = clock::unix_us();
        let new = Errors { count: 0, first_us: now_us, last_us: now_us, last_ms: 0 };
        let entry = errors.entry(address).or_insert(new);
        entry.count += 1;
        (entry.last_us, entry.last_ms) = (now_us, clock::monotonic_ms());
    }

    /// A client of this host has logged in.
    pub(super) fn succeeded(&self, peer: &Peer) {
        if let Some(address) = foreign(peer) {
            self.errors.lock().remove(&address);
        }
    }

    /// All that are remembered, by address.
    pub(super) fn all(&self) -> Vec<(IpAddr, Errors)> {
        let mut all: Vec<_> =
            self.errors.lock().iter().map(|(address, errors)| (*address, *errors)).collect();
        all.sort_unstable_by_key(|(address, _)| *address);
        all
    }

    /// Forgets everything.
    pub(super) fn flush(&self) {
        self.errors.lock().clear();
    }
}

fn foreign(peer: &Peer) -> Option<IpAddr> {
    peer.address.filter(|_| !peer.is_local())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn peer(last: u8, third: u8) -> Peer {
        Peer::tcp(IpAddr::from([10, 0, third, last]))
    }

    #[test]
    fn a_host_is_blocked_after_so_many_errors_in_a_row() {
        let hosts = Hosts::default();
        for _ in 0..2 {
            hosts.failed(&peer(1, 0));
        }
        assert!(!hosts.is_blocked(&peer(1, 0), 3));
        hosts.succeeded(&peer(1, 0));
        for _ in 0..3 {
            hosts.failed(&peer(1, 0));
        }
        assert!(hosts.is_blocked(&peer(1, 0), 3) && !hosts.is_blocked(&peer(2, 0), 3));
        hosts.flush();
        assert!(!hosts.is_blocked(&peer(1, 0), 3));
    }

    #[test]
    fn this_machine_is_never_blocked_and_the_memory_is_bounded() {
        let hosts = Hosts::default();
        for _ in 0..1000 {
            hosts.failed(&Peer::local());
            hosts.failed(&Peer::tcp(IpAddr::from([127, 0, 0, 1])));
        }
        assert!(!hosts.is_blocked(&Peer::local(), 1));
        for third in 0..20 {
            for last in 0..=255 {
                hosts.failed(&peer(last, third));
            }
        }
        assert_eq!(hosts.errors.lock().len(), HOSTS_MAX);
    }
}
