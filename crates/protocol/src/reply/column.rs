//! Column and parameter definitions.
//!
//! | bytes | field |
//! | --- | --- |
//! | lenenc strings | `def`, schema, table or alias, original table, name or alias, original name |
//! | lenenc | 12, the size of what follows |
//! | 2 | collation id; 63 for everything that is not text |
//! | 4 | the most bytes that a value takes as text |
//! | 1 | type |
//! | 2 | flags |
//! | 1 | decimals; 31 where there are as many as it takes |
//! | 2 | zero |
//! | lenenc string or 0xFB | default, only in answers to COM_FIELD_LIST |

use crate::out::PacketWriter;
use crate::wire::put::Put;
use crate::wire::{ColumnFlags, ColumnType, NOT_FIXED_DECIMALS, charset};

const CATALOG: &[u8] = b"def";
const FIXED_SIZE: u64 = 12;
const NULL: u8 = 0xFB;

/// What a client is told of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ColumnDef<'a> {
    /// Database; empty for an expression, as the next two.
    pub schema: &'a str,
    /// Alias of the table.
    pub table: &'a str,
    /// Name of the table.
    pub org_table: &'a str,
    /// Alias of the column, or the text of the expression.
    pub name: &'a str,
    /// Name of the column; empty for an expression.
    pub org_name: &'a str,
    /// Collation id of the values as they are sent.
    pub charset: u16,
    /// The most bytes that a value takes as text.
    pub length: u32,
    /// Type.
    pub column_type: ColumnType,
    /// Flags.
    pub flags: ColumnFlags,
    /// Digits after the point.
    pub decimals: u8,
}

impl ColumnDef<'_> {
    /// What a statement's parameter is described as while nothing is known of it.
    pub const PARAM: ColumnDef<'static> = ColumnDef {
        schema: "",
        table: "",
        org_table: "",
        name: "?",
        org_name: "",
        charset: charset::BINARY,
        length: 0,
        column_type: ColumnType::VarString,
        flags: ColumnFlags::BINARY,
        decimals: NOT_FIXED_DECIMALS,
    };

    /// Appends the packet.
    pub fn write(&self, out: &mut PacketWriter) {
        self.encode(out.begin());
        out.end();
    }

    /// Appends the packet as COM_FIELD_LIST wants it, with the column's default as text.
    pub fn write_with_default(&self, out: &mut PacketWriter, default: Option<&[u8]>) {
        let payload = out.begin();
        self.encode(payload);
        match default {
            Some(text) => payload.put_lenenc_bytes(text),
            None => payload.put_u8(NULL),
        }
        out.end();
    }

    /// Appends the payload alone; a plan can keep it and send it with [`PacketWriter::packet`].
    pub fn encode(&self, payload: &mut Vec<u8>) {
        payload.put_lenenc_bytes(CATALOG);
        for text in [self.schema, self.table, self.org_table, self.name, self.org_name] {
            payload.put_lenenc_bytes(text.as_bytes());
        }
        payload.put_lenenc(FIXED_SIZE);
        payload.put_u16(self.charset);
        payload.put_u32(self.length);
        payload.put_u8(self.column_type.number());
        payload.put_u16(self.flags.bits());
        payload.put_u8(self.decimals);
        payload.put_u16(0);
    }
}
