//! The source: gives a replica the events of the binlog, from where it says it is.
//!
//! ```text
//! request ── Sender::begin: which file, which position, may it have what it asks for
//!               │
//!            Sender::fill: artificial ROTATE, FORMAT_DESCRIPTION, PREVIOUS_GTIDS, events ... ──> Sink
//!               │                                                           │
//!               `- up to the readable end of the log, then: wait for [`commit::BinlogReader::beyond`]
//! ```
//!
//! [`Sender`] is a state machine: it waits for nothing, knows no clock and no socket, and holds one buffer for what it
//! reads. Whoever drives it sends what the sink has collected and waits, for the log or for the replica.
//!
//! **Order and durability:** events leave in the log's order, and only up to [`Log::end`]: what is durable, so what a
//! crash at safe settings does not take back.
//!
//! Source of the rules: "Replication Protocol" in MySQL Source Code Documentation; what MySQL 8.0 and 9.7 send.

mod artificial;
mod begin;
mod error;
mod log;
mod replicas;
mod sender;

pub use begin::{Begin, Request, Server};
pub use error::{DumpError, Where};
pub use log::Log;
pub use replicas::{Dump, Registration, Replicas};
pub use sender::{Sender, Sink, Step};
