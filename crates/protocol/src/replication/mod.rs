//! The packets between a source and its replicas.
//!
//! A replica registers ([`RegisterReplica`]), asks for events from a position ([`BinlogDump`]) or for what it
//! does not have ([`BinlogDumpGtid`]), and then only listens; with semi-synchronous replication it acknowledges
//! positions ([`SemiSyncAck`]). What an event holds is not known here, nor which events are due.

mod dump;
mod event;
mod gtid_data;
mod register;
mod semi_sync;

pub use dump::{BinlogDump, BinlogDumpGtid};
pub use event::begin_event;
pub use gtid_data::{GtidData, SidIntervals};
pub use register::RegisterReplica;
pub use semi_sync::{SemiSyncAck, split_semi_sync};
