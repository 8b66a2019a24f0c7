//! The redo log: a sequenced, block-structured log in recycled, preallocated segment files.
//!
//! ```text
//!  sequencer lock          sessions, in parallel           one writer (RedoLog::step)
//!  Cursor::draw(len) ----> Ring::fill .. finish ---------> contiguous prefix -> blocks -> segment files
//!  (arithmetic only)       (memcpy into a reserved range)  (write, then sync)
//! ```
//!
//! A position in the log is an [`Lsn`]: a byte offset in the stream of records, headers and padding not counted.
//! Records ([`record`]) lie in the stream one after another; blocks ([`block`]) carry pieces of the stream to
//! disk, each with a checksum, its LSN, the **epoch** of the server run that wrote it and the LSN up to which a
//! sync had been **promised** when it was written. A block is written once and never rewritten.
//!
//! A log may carry a second stream, with a ring and LSNs of its own, in blocks between its own ([`RedoLog::begin_second`]):
//! one write and one sync are for both, and each is read back by itself.
//!
//! The ladder, asserted wherever two rungs meet:
//! `reserved >= filled >= written >= synced >= checkpoint`.
//!
//! Promises:
//! - the bytes below [`RedoLog::synced`] survive power loss; those below [`RedoLog::written`] survive the process;
//! - what survives is a prefix of the stream, cut at a record;
//! - damage below a promised LSN is reported as corruption with file and offset, damage above it is a torn tail.
//!
//! What this crate is not: it knows no transaction, no checkpoint contents and no recovery rule (crate `commit`),
//! and it starts no thread: whoever calls [`RedoLog::step`] is the writer for that moment.
//!
//! A failed write or sync is returned once and never retried: the caller stops the process before anyone is
//! told anything. On-disk formats are in `docs/formats/redo.md`.

pub mod block;
mod bytes;
mod error;
mod log;
mod lsn;
#[cfg(all(test, feature = "loom"))]
mod models;
mod pool;
mod reader;
pub mod record;
mod ring;
mod segment;
mod stream;
mod writer;

pub use error::RedoError;
pub use log::{Durability, Options, RedoLog, Start};
pub use lsn::Lsn;
pub use pool::{LiveSegment, merged};
pub use reader::{EpochStart, Reader, written_by_later_run};
pub use record::Record;
pub use ring::{Consumer, Cursor, Fill, Reservation, Ring};
pub use segment::SegmentNo;
pub use stream::Stream;
pub use writer::RedoStats;
