//! Global transaction identifiers and sets of them.
//!
//! A GTID is the UUID of the server where a transaction was born (`sid`) and a number that counts from 1
//! (`gno`). Sets are intervals of numbers for each UUID; they are what `gtid_executed`, PREVIOUS_GTIDS and
//! COM_BINLOG_DUMP_GTID hold. Tags (MySQL 8.3 and later) are not supported: a tagged set is malformed here, as it
//! is for MySQL 8.0.

mod binary;
mod intervals;
mod set;
mod text;
mod uuid;

pub use intervals::{Interval, Intervals};
pub use set::GtidSet;
pub use text::GtidParseError;
pub use uuid::Uuid;

/// The number part of a GTID: 1 up to and including [`GNO_MAX`].
pub type Gno = u64;

/// The largest number: the exclusive end of an interval must still fit a signed 64-bit integer.
pub const GNO_MAX: Gno = i64::MAX as u64 - 1;

/// One transaction's identifier.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Gtid {
    /// The server where the transaction was born.
    pub sid: Uuid,
    /// Its number there.
    pub gno: Gno,
}
