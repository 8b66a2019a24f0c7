//! The OK packet.
//!
//! | bytes | field |
//! | --- | --- |
//! | 1 | 0x00, or 0xFE where it ends a result set (DEPRECATE_EOF) |
//! | lenenc | affected rows |
//! | lenenc | last insert id |
//! | 2 | status flags |
//! | 2 | warnings |
//! | lenenc string | a line of text, left out if nothing follows |
//! | lenenc string | changes of the session's state, only with SESSION_STATE_CHANGED |
//!
//! The documentation has the text run to the packet's end without SESSION_TRACK; servers write it with its
//! length in either case, and clients read it so.

use super::session_track::SessionChanges;
use crate::out::PacketWriter;
use crate::wire::put::Put;
use crate::wire::{Capabilities, StatusFlags};

const HEADER_OK: u8 = 0x00;
const HEADER_END: u8 = 0xFE;

/// What a statement without a result set did.
#[derive(Clone, Copy, Debug, Default)]
pub struct OkPacket<'a> {
    /// Rows that it changed (or found, with FOUND_ROWS).
    pub affected_rows: u64,
    /// The first AUTO_INCREMENT value that it drew; 0 if none.
    pub last_insert_id: u64,
    /// The session's state. [`StatusFlags::SESSION_STATE_CHANGED`] is set where it has to be.
    pub status: StatusFlags,
    /// Warnings that SHOW WARNINGS would show.
    pub warnings: u16,
    /// Text such as `Rows matched: 1  Changed: 1  Warnings: 0`.
    pub info: &'a str,
    /// Changes of the session's state, which only clients with SESSION_TRACK are told.
    pub changes: Option<&'a SessionChanges>,
}

impl OkPacket<'_> {
    /// Appends the packet.
    pub fn write(&self, out: &mut PacketWriter, capabilities: Capabilities) {
        self.write_as(HEADER_OK, out, capabilities);
    }

    /// Appends the packet as the end of a result set, for a client with DEPRECATE_EOF.
    pub fn write_end(&self, out: &mut PacketWriter, capabilities: Capabilities) {
        self.write_as(HEADER_END, out, capabilities);
    }

    fn write_as(&self, header: u8, out: &mut PacketWriter, capabilities: Capabilities) {
        let changes = self
            .changes
            .filter(|changes| !changes.is_empty() && capabilities.contains(Capabilities::SESSION_TRACK));
        let mut status = self.status.without(StatusFlags::SESSION_STATE_CHANGED);
        if changes.is_some() {
            status = status | StatusFlags::SESSION_STATE_CHANGED;
        }
        let payload = out.begin();
        payload.put_u8(header);
        payload.put_lenenc(self.affected_rows);
        payload.put_lenenc(self.last_insert_id);
        payload.put_u16(status.bits());
        payload.put_u16(self.warnings);
        if changes.is_some() || !self.info.is_empty() {
            payload.put_lenenc_bytes(self.info.as_bytes());
        }
        if let Some(changes) = changes {
            payload.put_lenenc_bytes(changes.bytes());
        }
        out.end();
    }
}
