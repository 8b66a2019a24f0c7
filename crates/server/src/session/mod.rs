//! A client's session: statements, transactions, prepared statements.
//!
//! ```text
//! COM_QUERY -> statement (split, verb) -> plan cache -> execute -> commit -> reply
//!                                      -> parse -> set, show, ddl, admin, ...
//! ```
//!
//! **Order and durability:** a reply that ends a transaction is written from a [`commit::CommitAck`]; a reply with
//! rows, or with an error that follows from rows, after everything that was read is visible.

mod plan_cache;
mod result;
mod row_log;
mod table_map;
mod transaction;

use protocol::out::PacketWriter;
use sql::exec::BoxFuture;
use types::error::SqlError;

pub(crate) use transaction::Transaction;

/// A connection as a session writes to it.
pub trait Wire: Send {
    /// Where packets are collected.
    fn packets(&mut self) -> &mut PacketWriter;

    /// Bytes that wait to be sent.
    fn buffered(&self) -> usize;

    /// Sends what was collected. The error is that of a client that is gone.
    fn send(&mut self) -> BoxFuture<'_, Result<(), SqlError>>;
}
