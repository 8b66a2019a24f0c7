//! The events whose bodies are a field or two.
//!
//! | event | body |
//! | --- | --- |
//! | XID | 8 bytes: transaction number in the engine; written for tools, never consulted |
//! | ROTATE | 8 bytes: position in the next file; then its name |
//! | STOP | nothing |
//! | HEARTBEAT | name of the file; the header's `end_log_pos` is the position reached |
//! | HEARTBEAT_V2 | fields of a length-encoded tag, length and value: 1 the file's name, 2 the position reached, length-encoded; then tag 0 |
//! | ROWS_QUERY | 1 byte: low part of the length, ignored by readers; then the statement |

use super::put::{Put, lenenc_len, put_lenenc, put_lenenc_bytes};
use super::{Encode, EventType, flag};

/// End of a transaction with two-phase commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Xid(pub u64);

impl Encode for Xid {
    fn event_type(&self) -> EventType {
        EventType::XID
    }

    fn put_body(&self, out: &mut impl Put) {
        out.put(&self.0.to_le_bytes());
    }
}

/// The log goes on in another file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rotate<'a> {
    /// Where to read in the next file: 4, behind the magic.
    pub position: u64,
    /// The next file's name without a directory.
    pub file: &'a [u8],
}

impl Encode for Rotate<'_> {
    fn event_type(&self) -> EventType {
        EventType::ROTATE
    }

    fn put_body(&self, out: &mut impl Put) {
        out.put(&self.position.to_le_bytes());
        out.put(self.file);
    }
}

/// The server shut down cleanly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stop;

impl Encode for Stop {
    fn event_type(&self) -> EventType {
        EventType::STOP
    }

    fn put_body(&self, _: &mut impl Put) {}
}

/// The source is alive and has nothing new; sent to replicas, never stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Heartbeat<'a> {
    /// The current file's name without a directory.
    pub file: &'a [u8],
}

impl Encode for Heartbeat<'_> {
    fn event_type(&self) -> EventType {
        EventType::HEARTBEAT
    }

    fn put_body(&self, out: &mut impl Put) {
        out.put(self.file);
    }
}

/// A [`Heartbeat`] for positions of 64 bits, to replicas that ask for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HeartbeatV2<'a> {
    /// The current file's name without a directory.
    pub file: &'a [u8],
    /// The position reached.
    pub position: u64,
}

impl Encode for HeartbeatV2<'_> {
    fn event_type(&self) -> EventType {
        EventType::HEARTBEAT_V2
    }

    fn put_body(&self, out: &mut impl Put) {
        const END: u8 = 0;
        const FILE: u8 = 1;
        const POSITION: u8 = 2;
        out.put(&[FILE]);
        put_lenenc_bytes(out, self.file);
        out.put(&[POSITION]);
        put_lenenc(out, lenenc_len(self.position) as u64);
        put_lenenc(out, self.position);
        out.put(&[END]);
    }
}

/// The text of the statement whose rows follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RowsQuery<'a> {
    /// The statement.
    pub sql: &'a [u8],
}

impl Encode for RowsQuery<'_> {
    fn event_type(&self) -> EventType {
        EventType::ROWS_QUERY
    }

    fn flags(&self) -> u16 {
        flag::IGNORABLE
    }

    fn put_body(&self, out: &mut impl Put) {
        out.put(&self.sql.len().to_le_bytes()[..1]);
        out.put(self.sql);
    }
}
