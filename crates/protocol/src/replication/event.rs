//! The packets in which a source sends events.
//!
//! | bytes | field |
//! | --- | --- |
//! | 1 | 0x00 |
//! | 1 | 0xEF, only to a replica that asked for semi-synchronous replication, and then always |
//! | 1 | 0x01 to ask for an acknowledgement, else 0x00; likewise |
//! | to the end | the event, as it is in the binlog |
//!
//! Sequence numbers count on from packet to packet and wrap. An acknowledgement has number 0, and so takes part: behind an
//! event that asks for one, they go on with 1. The end of a dump that does not wait is an EOF
//! packet.

use super::semi_sync::MAGIC;
use crate::out::PacketWriter;
use crate::wire::put::Put;

/// Begins an event packet; the caller appends the event to the payload and ends the packet.
///
/// `acknowledge` is `None` for a replica that is not semi-synchronous, else whether this event asks for an
/// acknowledgement.
pub fn begin_event(out: &mut PacketWriter, acknowledge: Option<bool>) -> &mut Vec<u8> {
    let payload = out.begin();
    payload.put_u8(0);
    if let Some(acknowledge) = acknowledge {
        payload.put_bytes(&[MAGIC, u8::from(acknowledge)]);
    }
    payload
}
