//! The common header of every event.
//!
//! | offset | size | field |
//! | --- | --- | --- |
//! | 0 | 4 | timestamp, seconds since 1970 |
//! | 4 | 1 | type code |
//! | 5 | 4 | server id |
//! | 9 | 4 | event size: header, body, checksum |
//! | 13 | 4 | end_log_pos: where the event ends in its file, modulo 2^32 |
//! | 17 | 2 | flags |
//!
//! All integers are little endian. Source: MySQL's manual, "Binary Log Event Header", version 4.
#![deny(clippy::indexing_slicing, clippy::arithmetic_side_effects)]

use super::EventType;

/// Bytes of the header.
pub const HEADER_LEN: usize = 19;
/// Where `event_size` stands.
pub(crate) const SIZE_OFFSET: usize = 9;
/// Where `end_log_pos` stands.
pub(crate) const END_POS_OFFSET: usize = 13;
/// Where `flags` stand.
pub(crate) const FLAGS_OFFSET: usize = 17;

/// Who caused an event, and when: the fields of the header that come from the statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Origin {
    /// Start of the statement, seconds since 1970.
    pub timestamp: u32,
    /// `server_id` of the server where the statement ran first.
    pub server_id: u32,
}

/// A decoded header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EventHeader {
    /// Seconds since 1970.
    pub timestamp: u32,
    /// What the body is.
    pub event_type: EventType,
    /// The originating server.
    pub server_id: u32,
    /// Bytes of header, body and checksum.
    pub event_size: u32,
    /// Where the event ends in its file, modulo 2^32; zero in a transaction cache.
    pub end_log_pos: u32,
    /// A union of [`super::flag`] values.
    pub flags: u16,
}

impl EventHeader {
    /// The header's bytes.
    pub fn to_bytes(self) -> [u8; HEADER_LEN] {
        let mut bytes = [0; HEADER_LEN];
        bytes[0..4].copy_from_slice(&self.timestamp.to_le_bytes());
        bytes[4] = self.event_type.0;
        bytes[5..9].copy_from_slice(&self.server_id.to_le_bytes());
        bytes[9..13].copy_from_slice(&self.event_size.to_le_bytes());
        bytes[13..17].copy_from_slice(&self.end_log_pos.to_le_bytes());
        bytes[17..19].copy_from_slice(&self.flags.to_le_bytes());
        bytes
    }

    /// The header in these bytes. Says nothing about whether its values make sense.
    pub fn from_bytes(b: &[u8; HEADER_LEN]) -> Self {
        Self {
            timestamp: u32::from_le_bytes([b[0], b[1], b[2], b[3]]),
            event_type: EventType(b[4]),
            server_id: u32::from_le_bytes([b[5], b[6], b[7], b[8]]),
            event_size: u32::from_le_bytes([b[9], b[10], b[11], b[12]]),
            end_log_pos: u32::from_le_bytes([b[13], b[14], b[15], b[16]]),
            flags: u16::from_le_bytes([b[17], b[18]]),
        }
    }

    /// The fields that come from the statement.
    pub fn origin(self) -> Origin {
        Origin { timestamp: self.timestamp, server_id: self.server_id }
    }
}
