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
#[cfg(all(test, loom))]
mod models;
mod pending;
pub mod pipeline;
mod publisher;
pub mod record;
pub mod recovery;
mod roles;
mod room;
mod sequencer;
mod settings;
mod slots;
mod stats;
mod strategy;
mod sweep;

pub use ack::{CommitAck, Committing, Visible};
pub use admin::PurgeError;
pub use admission::{Admission, Gate, Need, ReadLock};
pub use binlog_files::BinlogFiles;
pub use clock::Clock;
pub use dependencies::{Footprint, Tracking};
pub use error::{CommitError, FatalError};
pub use pending::{EventsKind, Pending};
pub use pipeline::{Participant, Pipeline};
pub use publisher::{Publisher, Tuple};
pub use roles::{Role, Roles};
pub use room::Room;
pub use sequencer::{BinlogEnd, FileContext};
pub use settings::Settings;
pub use stats::{Histogram, Stats};
