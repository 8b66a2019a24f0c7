//! What is counted once for all sessions: connections and what became of them.

use std::sync::atomic::{AtomicU64, Ordering};

/// See the module. Relaxed order: none of them guards other memory.
#[derive(Debug, Default)]
pub struct Gauges {
    /// `Connections`: attempts, successful or not.
    pub connections: AtomicU64,
    /// `Aborted_connects`: those that did not become sessions.
    pub aborted_connects: AtomicU64,
    /// `Aborted_clients`: sessions whose client went without saying so, or was shown the door.
    pub aborted_clients: AtomicU64,
    /// `Connection_errors_max_connections`
    pub refused_by_number: AtomicU64,
    /// `Connection_errors_accept`
    pub accept_errors: AtomicU64,
    /// `Connection_errors_peer_address`
    pub peer_errors: AtomicU64,
    /// `Connection_errors_internal`: sessions that ended with a panic.
    pub internal_errors: AtomicU64,
    /// `Max_used_connections`
    pub sessions_max: AtomicU64,
    /// `Max_used_connections_time`, seconds since 1970.
    pub sessions_max_at: AtomicU64,
    /// `Threads_created`: sessions that were begun.
    pub sessions_begun: AtomicU64,
    /// `Prepared_stmt_count`
    pub prepared_statements: AtomicU64,
    /// `Ssl_accepts`: clients that asked for TLS.
    pub tls_accepts: AtomicU64,
    /// `Ssl_finished_accepts`: those that have it.
    pub tls_finished_accepts: AtomicU64,
    /// `Flush_commands`: how often all tables were flushed.
    pub flush_commands: AtomicU64,
    /// When FLUSH STATUS was executed last, seconds since the start.
    pub status_flushed_s: AtomicU64,
    /// `Onelog_passwords_digested`: full exchanges of `caching_sha2_password`.
    pub passwords_digested: AtomicU64,
}

impl Gauges {
    /// Counts one.
    pub fn bump(gauge: &AtomicU64) {
        gauge.fetch_add(1, Ordering::Relaxed);
    }

    /// Counts one less.
    pub fn drop_one(gauge: &AtomicU64) {
        gauge.fetch_sub(1, Ordering::Relaxed);
    }

    /// Notes how many sessions there are, at a time in seconds since 1970.
    pub fn sessions_are(&self, count: u64, now_s: u64) {
        if self.sessions_max.fetch_max(count, Ordering::Relaxed) < count {
            self.sessions_max_at.store(now_s, Ordering::Relaxed);
        }
    }
}
