//! What the server answers.
//!
//! ```text
//! command           reply
//! no result set     OK | ERR
//! COM_QUERY         column count, definitions, EOF*, text rows, end | OK | ERR; once for each statement
//! COM_STMT_PREPARE  PrepareOk, definitions of parameters, EOF*, definitions of columns, EOF* | ERR
//! COM_STMT_EXECUTE  as COM_QUERY, with binary rows; with a cursor: column count, definitions, end
//! COM_STMT_FETCH    binary rows, end | ERR
//! COM_FIELD_LIST    definitions with defaults, end | ERR
//! COM_STATISTICS    bare text
//! ```
//!
//! `EOF*` is left out with DEPRECATE_EOF, and then `end` is an OK packet with the header 0xFE instead of an EOF
//! packet. LOAD DATA LOCAL is answered with a request for the client's file, and with one of these behind it.

mod binary_row;
mod column;
mod end;
mod err;
mod ok;
mod prepare;
mod session_track;
mod text_row;

pub use binary_row::BinaryRow;
pub use column::ColumnDef;
pub use end::{write_definitions_end, write_eof, write_rows_end};
pub use err::ErrPacket;
pub use ok::OkPacket;
pub use prepare::{PrepareOk, write_prepare_reply};
pub use session_track::SessionChanges;
pub use text_row::TextRow;

use crate::out::PacketWriter;
use crate::wire::put::Put;
use crate::wire::{Capabilities, StatusFlags};

/// Begins a result set: the count of columns. The definitions follow, then [`write_definitions_end`].
pub fn write_column_count(out: &mut PacketWriter, count: usize) {
    out.begin().put_lenenc(count as u64);
    out.end();
}

/// Asks the client for a file, which it sends in packets; an empty one ends it.
pub fn write_file_request(out: &mut PacketWriter, name: &[u8]) {
    let packet = out.begin();
    packet.push(0xfb);
    packet.extend_from_slice(name);
    out.end();
}

/// Begins a result set: count, definitions and their end, up to where the rows follow.
pub fn write_result_set_header(
    out: &mut PacketWriter,
    capabilities: Capabilities,
    columns: &[ColumnDef<'_>],
    status: StatusFlags,
    warnings: u16,
) {
    write_column_count(out, columns.len());
    for column in columns {
        column.write(out);
    }
    write_definitions_end(out, capabilities, status, warnings);
}
