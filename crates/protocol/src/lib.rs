//! The MySQL client/server protocol without I/O: bytes in, packets and values out, and back.
//!
//! What it is: framing ([`frame`], [`out`]), connection phase ([`handshake`], [`auth`]), commands
//! ([`command`]), replies ([`reply`]) and the packets of replication ([`replication`]). What it is not: it
//! opens no socket, reads no clock, draws no random number and keeps no session. Nonces, salts, the account
//! table and the cache of password digests come in as arguments.
//!
//! **Architecture invariant:** no input may panic here, loop without end, or make memory grow beyond a small
//! multiple of the bytes that were received. Therefore everything that decodes goes through the checked
//! cursor, and indexing and unchecked arithmetic are denied in the whole crate.
//!
//! **Architecture invariant:** a decoder validates all that it reads and ignores what follows: connectors
//! append bytes that no specification mentions, and refusing them has broken clients of other servers.
//!
//! **Order and durability:** none. This crate never decides that a commit may be acknowledged; it writes the
//! OK packet that somebody else was allowed to send.
//!
//! Names: a *packet* is a logical packet, whatever its size; a *chunk* is what has a 4-byte header on the
//! wire (at most 16 MiB - 1 bytes of payload); the *payload* is a packet without its headers. Sources of the
//! formats: "MySQL Source Code Documentation, Client/Server Protocol" (dev.mysql.com/doc/dev/mysql-server) and
//! MariaDB's "Client/Server Protocol" (mariadb.com/kb); where the two and the servers differ, the recorded
//! sessions in `tests/data` decide.

#![deny(clippy::indexing_slicing, clippy::arithmetic_side_effects)]

pub mod auth;
pub mod command;
mod error;
pub mod frame;
pub mod handshake;
pub mod out;
pub mod replication;
pub mod reply;
pub mod value;
pub mod wire;

pub use error::{Error, Result};
