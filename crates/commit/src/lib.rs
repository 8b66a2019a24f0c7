//! The commit pipeline: tickets, stages, strategies, checkpoints and recovery.
//!
//! Start reading at [`pipeline`], which says how a commit goes; then `strategy/`, one file each.

mod ack;
mod admin;
mod admission;
mod binlog_files;
pub mod checkpoint;
mod clock;
mod dependencies;
mod error;
pub mod facts;
mod file_maker;
mod fill;
pub mod fold;
mod in_use;
mod log_waiters;
#[cfg(all(test, feature = "loom"))]
mod models;
mod pending;
pub mod pipeline;
mod publisher;
mod readers;
pub mod record;
pub mod recovery;
mod reserve;
mod reset;
mod roles;
mod room;
mod semi_sync;
mod sequencer;
mod settings;
mod signal;
mod slots;
mod stats;
mod store;
mod strategy;
mod sweep;
mod switch;

pub use ack::{CommitAck, Committing, Visible};
pub use admin::{PurgeError, Purged, RotateError};
pub use admission::{Admission, Credits, Gate, Need, ReadLock};
pub use binlog_files::BinlogFiles;
pub use clock::Clock;
pub use dependencies::{Footprint, Tracking};
pub use error::{CommitError, Die, FatalError};
pub use in_use::FileInUse;
pub use pending::{EventsKind, Pending, Recent};
pub use pipeline::{AbortOnUnwind, INLINE_MAX, Participant, Pipeline};
pub use publisher::{Publisher, Tuple};
pub use readers::BinlogReader;
pub use reset::PurgedRefused;
pub use roles::{Role, Roles};
pub use room::Room;
pub use semi_sync::{Counts, SemiSyncStatus};
pub use sequencer::{BinlogEnd, EVENTS_FACTOR, FileContext, GtidClaim};
pub use settings::Settings;
pub use stats::{Histogram, Stats};
pub use strategy::StrategyKind;
pub use sweep::SweepPart;
pub use switch::{Quiet, Switched};
