//! TABLE_MAP; the byte table is beside its encoder.
#![deny(clippy::indexing_slicing, clippy::arithmetic_side_effects)]

use super::table_metadata::apply_metadata;
use super::{Cursor, DecodeError};
use crate::event::{ColumnMeta, bitmap_len, meta_len};

/// A table map's fields, as slices of its body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TableMapBody<'a> {
    /// The id that rows events name.
    pub table_id: u64,
    /// 1 = lengths of BIT are exact.
    pub flags: u16,
    /// The database's name.
    pub db: &'a [u8],
    /// The table's name.
    pub table: &'a [u8],
    /// A type code for each column.
    pub types: &'a [u8],
    /// Metadata of the types.
    pub metadata: &'a [u8],
    /// A bit for each column, lowest bit first: may be NULL.
    pub nullable: &'a [u8],
    /// Optional metadata, not decoded.
    pub optional: &'a [u8],
}

/// Decodes a body.
pub(crate) fn table_map(body: &[u8]) -> Result<TableMapBody<'_>, DecodeError> {
    let mut cursor = Cursor::new(body);
    let table_id = cursor.uint(6)?;
    let flags = cursor.u16()?;
    let db = name(&mut cursor)?;
    let table = name(&mut cursor)?;
    let columns = cursor.lenenc_len()?;
    let types = cursor.take(columns)?;
    let metadata = cursor.lenenc_bytes()?;
    let nullable = cursor.take(bitmap_len(columns))?;
    Ok(TableMapBody { table_id, flags, db, table, types, metadata, nullable, optional: cursor.rest() })
}

fn name<'a>(cursor: &mut Cursor<'a>) -> Result<&'a [u8], DecodeError> {
    let name = cursor.lenenc_bytes()?;
    match cursor.u8()? {
        0 => Ok(name),
        _ => Err(DecodeError("no zero behind a name")),
    }
}

impl TableMapBody<'_> {
    /// The columns, with what the optional metadata says about them. What is not written at MINIMAL level comes out
    /// empty.
    pub fn columns(&self) -> Result<Vec<ColumnMeta>, DecodeError> {
        let mut metadata = Cursor::new(self.metadata);
        let mut columns = Vec::with_capacity(self.types.len());
        for (index, type_code) in self.types.iter().enumerate() {
            let len = meta_len(*type_code).ok_or(DecodeError("unknown column type"))?;
            let mut meta = [0; 2];
            if let Some(meta) = meta.get_mut(..len) {
                meta.copy_from_slice(metadata.take(len)?);
            }
            columns.push(ColumnMeta {
                type_code: *type_code,
                meta,
                nullable: bit_low_first(self.nullable, index),
                ..ColumnMeta::default()
            });
        }
        metadata.finish()?;
        apply_metadata(&mut columns, self.optional)?;
        Ok(columns)
    }
}

/// The bit of an index, lowest bit first; `false` behind the end.
pub(super) fn bit_low_first(bits: &[u8], index: usize) -> bool {
    bits.get(index / 8).is_some_and(|byte| byte & (1 << (index % 8)) != 0)
}
