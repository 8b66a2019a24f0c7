//! Status variables: what the server and its sessions have counted, for SHOW STATUS and for Prometheus.
//!
//! Counting is cheap, showing is not: a session counts in memory of its own ([`counter`]), the commit pipeline in its
//! own statistics, and SHOW STATUS adds up. Names and meanings are MySQL 8.0's; what begins with `Onelog_` is ours.

pub mod counter;
mod gauges;
mod prometheus;
mod rows;
mod storage;

use std::cell::OnceCell;
use std::collections::HashMap;
use std::sync::atomic::Ordering;
use std::sync::{Arc, OnceLock};

use commit::recovery::Report;
use commit::{Pipeline, SemiSyncStatus, Tuple};
use parking_lot::Mutex;

pub use counter::{Counter, Counters, Waits};
pub use gauges::Gauges;
pub use storage::Storage;

use crate::net::TlsNames;

/// The server's counters.
#[derive(Debug, Default)]
pub struct Status {
    /// What is counted once for all sessions.
    pub gauges: Gauges,
    /// What passwords are sealed with, in PEM.
    pub public_key: OnceLock<Arc<str>>,
    /// Rank: last.
    sessions: Mutex<Sessions>,
}

#[derive(Debug, Default)]
struct Sessions {
    live: HashMap<u32, Arc<Counters>>,
    /// The sum of those that ended, and of what FLUSH STATUS took from the others.
    ended: Counters,
}

/// What several rows of one SHOW STATUS are about, looked at once: they are of one moment.
#[derive(Clone, Debug, Default)]
pub struct Moment {
    tuple: OnceCell<Tuple>,
    semi_sync: OnceCell<SemiSyncStatus>,
}

/// What SHOW STATUS looks at.
#[derive(Clone, Debug)]
pub struct View<'a> {
    /// The server's counters.
    pub status: &'a Status,
    /// The session's, for SHOW SESSION STATUS.
    pub session: Option<&'a Counters>,
    /// The TLS of the session's connection.
    pub tls: Option<TlsNames>,
    /// Whether the session's connection is compressed.
    pub compressed: bool,
    /// What several rows are about.
    pub moment: Moment,
    /// The commit pipeline, once it runs.
    pub pipeline: Option<&'a Pipeline>,
    /// Where data is, once it is open.
    pub storage: Option<Storage<'a>>,
    /// What recovery did.
    pub recovery: Report,
    /// Seconds since the start.
    pub uptime_s: u64,
    /// Sessions.
    pub threads_connected: u64,
    /// Sessions that execute a command.
    pub threads_running: u64,
    /// A source is told what is durable here.
    pub acknowledges: bool,
}

impl Status {
    /// Counters for a new session; `connection_id` names it.
    pub fn begin_session(&self, connection_id: u32) -> Arc<Counters> {
        let counters = Arc::<Counters>::default();
        self.sessions.lock().live.insert(connection_id, Arc::clone(&counters));
        counters
    }

    /// Keeps the counts of a session that has ended.
    pub fn end_session(&self, connection_id: u32) {
        let mut sessions = self.sessions.lock();
        if let Some(counters) = sessions.live.remove(&connection_id) {
            sessions.ended.absorb(&counters);
        }
    }

    /// FLUSH STATUS: the session's counts begin anew, their sum stays; the most sessions are those of now.
    pub fn flush(&self, counters: &Counters, sessions: u32) {
        self.gauges.status_flushed_s.store(crate::clock::monotonic_ms() / 1000, Ordering::Relaxed);
        self.gauges.sessions_max.store(0, Ordering::Relaxed);
        self.gauges.sessions_are(sessions.into(), crate::clock::unix_s());
        self.flush_session(counters);
    }

    /// The session's counts begin anew, their sum stays.
    pub fn flush_session(&self, counters: &Counters) {
        // With the lock, for the sum: it has them once.
        let sessions = self.sessions.lock();
        sessions.ended.absorb(counters);
        counters.clear();
    }

    /// The sum of all sessions' counts.
    pub fn sum(&self) -> Counters {
        let sum = Counters::default();
        let sessions = self.sessions.lock();
        sum.absorb(&sessions.ended);
        for counters in sessions.live.values() {
            sum.absorb(counters);
        }
        sum
    }
}

impl Moment {
    /// That of the session's consistent snapshot; now, without one.
    pub fn of(snapshot: Option<Tuple>) -> Self {
        Self { tuple: snapshot.map_or_else(OnceCell::new, OnceCell::from), ..Self::default() }
    }

    fn tuple(&self, pipeline: &Pipeline) -> &Tuple {
        self.tuple.get_or_init(|| pipeline.publisher().tuple())
    }

    fn semi_sync(&self, pipeline: &Pipeline) -> &SemiSyncStatus {
        self.semi_sync.get_or_init(|| pipeline.semi_sync_status())
    }
}

impl View<'_> {
    /// The rows of SHOW STATUS, by name: the session's counts if there is a session, else everybody's.
    pub fn show(&self) -> Vec<(&'static str, String)> {
        self.show_those(|_| true)
    }

    /// Those of them whose name is `wanted`.
    pub fn show_those(&self, wanted: impl Fn(&str) -> bool) -> Vec<(&'static str, String)> {
        let sum = self.status.sum();
        let rows = rows::all().iter().filter(|row| wanted(row.name));
        rows.map(|row| (row.name, row.show(self, &sum))).collect()
    }

    /// Everybody's counts in Prometheus' text format.
    pub fn prometheus(&self) -> String {
        let moment = Moment::default();
        prometheus::render(&View { session: None, tls: None, compressed: false, moment, ..self.clone() })
    }
}
