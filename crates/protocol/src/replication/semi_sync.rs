//! The acknowledgement of a semi-synchronous replica. Its sequence number is 0, as a command's.
//!
//! | bytes | field |
//! | --- | --- |
//! | 1 | 0xEF |
//! | 8 | position: the end of the last event that the replica has |
//! | to the end | file |

use crate::Result;
use crate::wire::cursor::Cursor;

/// The first byte of an acknowledgement, and the second of an event packet to a semi-synchronous replica.
pub(super) const MAGIC: u8 = 0xEF;

/// What a replica holds for sure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SemiSyncAck<'a> {
    /// End of the last event, in bytes.
    pub position: u64,
    /// The file.
    pub file: &'a [u8],
}

impl<'a> SemiSyncAck<'a> {
    /// Decodes the payload of a packet that a dump connection received.
    ///
    /// # Errors
    /// [`crate::Error::Malformed`] if it is anything else.
    pub fn parse(payload: &'a [u8]) -> Result<Self> {
        let mut cursor = Cursor::new(payload, "semi-sync acknowledgement");
        if cursor.u8()? != MAGIC {
            return Err(cursor.malformed());
        }
        Ok(Self { position: cursor.u64()?, file: cursor.rest() })
    }

    /// The payload of the packet.
    pub fn to_bytes(self) -> Vec<u8> {
        [&[MAGIC][..], &self.position.to_le_bytes(), self.file].concat()
    }
}

/// What stands in front of an event for a semi-synchronous replica, and the event: whether an acknowledgement is asked for.
pub fn split_semi_sync(event: &[u8]) -> Option<(bool, &[u8])> {
    match event {
        [MAGIC, flags, event @ ..] => Some((flags & 1 != 0, event)),
        _ => None,
    }
}
