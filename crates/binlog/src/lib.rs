//! The MySQL binary log, version 4: events, transaction cache, files, index, GTID sets, reader.
//!
//! A transaction's way through this crate, which is the hot path of a commit:
//!
//! 1. while statements run, [`event`] encodes their events into a [`TrxCache`], without checksums and with
//!    positions blank;
//! 2. before the ticket, [`TrxEvents::final_len`] says how many bytes the transaction takes in the file:
//!    arithmetic, because every blank has a fixed size;
//! 3. after the ticket, [`TrxEvents::write_into`] copies the events and fills in what the ticket decided:
//!    positions, GTID, dependency stamps, XID, and each event's CRC32.
//!
//! [`LogFile`], [`BinlogIndex`] and [`rotate()`] own the files; [`EventReader`] reads them back and survives
//! whatever it finds there.
//!
//! What this crate is not: it draws no tickets, starts no threads, reads no clock and decides no durability. It
//! says which of its calls write and which sync; who waits for what is the `commit` crate's affair.
//!
//! Invariants:
//! - an encoder appends exactly the bytes that it announced (asserted for what is announced: transactions, files);
//! - decoders never panic and never loop, whatever the bytes: they are under `deny(indexing_slicing,
//!   arithmetic_side_effects)`;
//! - a file is always a sequence of whole events in which each one's `end_log_pos` is where it ends, modulo 2^32.
//!
//! The formats and the choices among them are in `docs/formats/binlog.md`.

pub mod cache;
mod crc32;
pub mod decode;
pub mod error;
pub mod event;
pub mod file;
pub mod file_header;
pub mod finalise;
pub mod gtid;
pub mod index;
pub mod io_cache;
pub mod name;
pub mod payload;
pub mod reader;
pub mod rotate;
pub mod scratch;
pub mod show;
pub mod trx;

pub use cache::{CacheLimits, CachedRows, Mark, TrxCache};
pub use error::{Error, Limit, Result};
pub use event::{ChecksumAlg, Encode, EventHeader, EventType, Origin};
pub use file::LogFile;
pub use file_header::FileHeader;
pub use finalise::{Finaliser, Placement};
pub use gtid::{Gtid, GtidSet, Uuid};
pub use index::BinlogIndex;
pub use io_cache::{CachedFile, IoCache};
pub use name::BinlogName;
pub use payload::{Compressor, PayloadEvents, PayloadHead, TransactionPayload};
pub use reader::{Boundaries, EventReader, FileHead, RawEvent, ReadAt, executed_by, read_head};
pub use rotate::rotate;
pub use trx::{GtidPlan, TrxEvents, TrxStamps};

/// The four bytes at the start of every binlog file.
pub const MAGIC: [u8; 4] = [0xfe, b'b', b'i', b'n'];

/// The largest event, header and checksum included, that is written or accepted: MySQL's largest
/// `replica_max_allowed_packet`, beyond which no replica could receive it.
pub const EVENT_SIZE_MAX: u32 = 1 << 30;
