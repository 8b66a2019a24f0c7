//! The answer to COM_STMT_PREPARE.
//!
//! | bytes | field |
//! | --- | --- |
//! | 1 | 0x00 |
//! | 4 | statement |
//! | 2 | count of columns; 0 for a statement without a result set |
//! | 2 | count of parameters |
//! | 1 | zero |
//! | 2 | warnings |

use super::column::ColumnDef;
use super::end::write_definitions_end;
use crate::out::PacketWriter;
use crate::wire::put::Put;
use crate::wire::{Capabilities, StatusFlags};

/// A prepared statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PrepareOk {
    /// Its id on this connection; not 0.
    pub statement_id: u32,
    /// Columns of its result set.
    pub columns: u16,
    /// Its parameters.
    pub params: u16,
    /// Warnings of preparing it.
    pub warnings: u16,
}

impl PrepareOk {
    /// Appends the packet. Unless the counts are 0, definitions of parameters and then of columns follow, each
    /// list with [`write_definitions_end`].
    pub fn write(&self, out: &mut PacketWriter) {
        let payload = out.begin();
        payload.put_u8(0);
        payload.put_u32(self.statement_id);
        payload.put_u16(self.columns);
        payload.put_u16(self.params);
        payload.put_u8(0);
        payload.put_u16(self.warnings);
        out.end();
    }
}

/// Appends the whole answer.
///
/// # Panics
/// If there are more parameters or columns than the packet can count: MySQL allows 65,535 and 4,096.
pub fn write_prepare_reply(
    out: &mut PacketWriter,
    capabilities: Capabilities,
    statement_id: u32,
    params: &[ColumnDef<'_>],
    columns: &[ColumnDef<'_>],
    status: StatusFlags,
) {
    let count =
        |list: &[ColumnDef<'_>]| u16::try_from(list.len()).expect("a statement has at most 65,535 of each");
    PrepareOk { statement_id, columns: count(columns), params: count(params), warnings: 0 }.write(out);
    for list in [params, columns] {
        for column in list {
            column.write(out);
        }
        if !list.is_empty() {
            write_definitions_end(out, capabilities, status, 0);
        }
    }
}
