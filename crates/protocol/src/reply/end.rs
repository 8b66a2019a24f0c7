//! The ends of lists: EOF packets, and what stands in for them.
//!
//! | bytes | EOF packet |
//! | --- | --- |
//! | 1 | 0xFE |
//! | 2 | warnings |
//! | 2 | status flags |

use super::ok::OkPacket;
use crate::out::PacketWriter;
use crate::wire::put::Put;
use crate::wire::{Capabilities, StatusFlags};

const HEADER: u8 = 0xFE;

/// Appends an EOF packet, whatever the client prefers; for the end of a binlog dump.
pub fn write_eof(out: &mut PacketWriter, status: StatusFlags, warnings: u16) {
    let payload = out.begin();
    payload.put_u8(HEADER);
    payload.put_u16(warnings);
    payload.put_u16(status.bits());
    out.end();
}

/// Ends a list of definitions: EOF, or nothing with DEPRECATE_EOF.
pub fn write_definitions_end(
    out: &mut PacketWriter,
    capabilities: Capabilities,
    status: StatusFlags,
    warnings: u16,
) {
    if !capabilities.contains(Capabilities::DEPRECATE_EOF) {
        write_eof(out, status, warnings);
    }
}

/// Ends a list of rows, or stands for "done" (COM_SET_OPTION, COM_DEBUG, definitions before a cursor's rows):
/// EOF, or an OK packet with the header 0xFE with DEPRECATE_EOF.
pub fn write_rows_end(
    out: &mut PacketWriter,
    capabilities: Capabilities,
    status: StatusFlags,
    warnings: u16,
) {
    if capabilities.contains(Capabilities::DEPRECATE_EOF) {
        OkPacket { status, warnings, ..OkPacket::default() }.write_end(out, capabilities);
    } else {
        write_eof(out, status, warnings);
    }
}
