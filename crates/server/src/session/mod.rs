//! A client's session: statements, transactions, prepared statements.
//!
//! ```text
//! COM_QUERY -> statement (split, verb) -> plan cache -> execute -> commit -> reply
//!                                      -> parse -> set, show, ddl, admin, ...
//! ```
//!
//! **Order and durability:** a reply that ends a transaction is written from a [`commit::CommitAck`], or before there is one and
//! held back until there is ([`Wire::held`]); a reply with rows, or with an error that follows from rows, after everything
//! that was read is visible.

mod accounts;
mod admin;
mod answer;
mod apply;
mod by_id;
mod client;
mod command;
mod control;
mod count;
mod cursor;
mod databases;
mod ddl;
mod define_view;
mod dispatch;
mod dump;
mod execute;
mod explain;
mod gtid_next;
mod instance;
mod kill;
mod load;
mod long_data;
mod maintain;
mod new_table;
mod note;
mod out_file;
mod plan_cache;
mod prepared;
mod read_only;
mod replay;
mod replica;
mod reset;
mod result;
mod row_image;
mod row_log;
mod set;
mod show;
mod standby;
mod statement;
mod stored;
mod table_map;
mod temporary;
mod transaction;
mod user_locks;
mod values;
mod view;
mod waits;
mod xa;

use protocol::out::PacketWriter;
use sql::exec::{BoxFuture, DataFile};
use types::error::SqlError;

use crate::net::Held;

pub(crate) use apply::Mapped;
pub use client::{Arrival, Client, Common, Shared};
pub use dump::DumpAsked;
pub use kill::KillSwitch;
pub(crate) use transaction::{Stamp, Transaction};
pub use view::SessionView;
pub(crate) use waits::THREADS_MAX as WAITING_THREADS_MAX;

/// A connection as a session writes to it.
pub trait Wire: Send {
    /// Where packets are collected.
    fn packets(&mut self) -> &mut PacketWriter;

    /// Bytes that wait to be sent.
    fn buffered(&self) -> usize;

    /// How often something was sent so far.
    fn sends(&self) -> u64;

    /// Sends what was collected. The error is that of a client that is gone.
    fn send(&mut self) -> BoxFuture<'_, Result<(), SqlError>>;

    /// Where a commit is put that all packets wait for which are not sent yet; `None` if nobody can wait here.
    fn held(&mut self) -> Option<&mut Option<Held>> {
        None
    }

    /// The next packet has this number: it answers what the client has sent meanwhile.
    fn begin(&mut self, sequence: u8) {
        let _ = sequence;
    }
}

/// A file that a client sends.
pub trait Upload: DataFile {
    /// Whether all of it has come.
    fn has_ended(&self) -> bool;

    /// The number of the packet that answers it.
    fn sequence(&self) -> u8;
}
