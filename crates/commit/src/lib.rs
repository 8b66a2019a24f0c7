//! The commit pipeline: tickets, stages, strategies, checkpoints and recovery.
//!
//! Start reading at [`pipeline`], which says how a commit goes; then `strategy/`, one file each.

mod ack;
mod admission;
mod binlog_files;
mod clock;
mod error;
mod pending;
pub mod pipeline;
mod publisher;
pub mod record;
mod roles;
mod sequencer;
mod settings;
mod slots;
mod stats;
mod strategy;
mod sweep;

pub use ack::{CommitAck, Committing, Visible};
pub use admission::{Admission, Gate, Need};
pub use binlog_files::BinlogFiles;
pub use clock::Clock;
pub use error::{CommitError, FatalError};
pub use pending::{EventsKind, Pending};
pub use pipeline::{Participant, Pipeline};
pub use publisher::{Publisher, Tuple};
pub use roles::{Role, Roles};
pub use sequencer::{BinlogEnd, FileContext};
pub use settings::Settings;
pub use stats::{Histogram, Stats};
