//! The optional metadata of a table map; the table of fields is beside their encoder.
#![deny(clippy::indexing_slicing, clippy::arithmetic_side_effects)]

use super::{Cursor, DecodeError};
use crate::event::{ColumnMeta, PkPart, field};

const COLUMN: DecodeError = DecodeError("table metadata names a column that does not exist");

/// Writes what the fields say into the columns. Fields of unknown types are passed over: they have a length.
pub(super) fn apply_metadata(columns: &mut [ColumnMeta], optional: &[u8]) -> Result<(), DecodeError> {
    let mut cursor = Cursor::new(optional);
    while !cursor.is_empty() {
        let code = cursor.u8()?;
        let mut value = Cursor::new(cursor.lenenc_bytes()?);
        match code {
            field::SIGNEDNESS => {
                each_bit(columns, value.rest(), ColumnMeta::is_numeric, |column, on| column.unsigned = on);
            }
            field::DEFAULT_CHARSET => default_charset(columns, value, ColumnMeta::is_character)?,
            field::COLUMN_CHARSET => column_charset(columns, value, ColumnMeta::is_character)?,
            field::ENUM_AND_SET_DEFAULT_CHARSET => default_charset(columns, value, has_members)?,
            field::ENUM_AND_SET_COLUMN_CHARSET => column_charset(columns, value, has_members)?,
            field::COLUMN_NAME => {
                for column in columns.iter_mut() {
                    column.name = value.lenenc_bytes()?.to_vec();
                }
            }
            field::SET_VALUES => members(columns, value, ColumnMeta::is_set)?,
            field::ENUM_VALUES => members(columns, value, ColumnMeta::is_enum)?,
            field::GEOMETRY_TYPE => {
                for column in columns.iter_mut().filter(|column| column.is_geometry()) {
                    column.geometry_type = value.u8()?;
                }
            }
            field::SIMPLE_PRIMARY_KEY => primary_key(columns, value, false)?,
            field::PRIMARY_KEY_WITH_PREFIX => primary_key(columns, value, true)?,
            field::COLUMN_VISIBILITY => {
                each_bit(columns, value.rest(), |_| true, |column, on| column.invisible = !on);
            }
            _ => {}
        }
    }
    Ok(())
}

fn has_members(column: &ColumnMeta) -> bool {
    column.is_enum() || column.is_set()
}

/// Gives the columns of a kind their bits, highest bit first.
fn each_bit(
    columns: &mut [ColumnMeta],
    bits: &[u8],
    kind: impl Fn(&ColumnMeta) -> bool,
    set: impl Fn(&mut ColumnMeta, bool),
) {
    let bits = bits.iter().flat_map(|byte| (0..8).map(move |index| byte & (0x80 >> index) != 0));
    for (column, bit) in columns.iter_mut().filter(|column| kind(column)).zip(bits) {
        set(column, bit);
    }
}

fn collation(value: &mut Cursor<'_>) -> Result<u16, DecodeError> {
    u16::try_from(value.lenenc()?).map_err(|_| DecodeError("a collation number has 16 bits"))
}

fn default_charset(
    columns: &mut [ColumnMeta],
    mut value: Cursor<'_>,
    kind: impl Fn(&ColumnMeta) -> bool,
) -> Result<(), DecodeError> {
    let commonest = collation(&mut value)?;
    let mut own: Vec<_> = columns.iter_mut().filter(|column| kind(column)).collect();
    for column in &mut own {
        column.collation = commonest;
    }
    while !value.is_empty() {
        let index = value.lenenc_len()?;
        own.get_mut(index).ok_or(COLUMN)?.collation = collation(&mut value)?;
    }
    Ok(())
}

fn column_charset(
    columns: &mut [ColumnMeta],
    mut value: Cursor<'_>,
    kind: impl Fn(&ColumnMeta) -> bool,
) -> Result<(), DecodeError> {
    for column in columns.iter_mut().filter(|column| kind(column)) {
        column.collation = collation(&mut value)?;
    }
    value.finish()
}

fn members(
    columns: &mut [ColumnMeta],
    mut value: Cursor<'_>,
    kind: impl Fn(&ColumnMeta) -> bool,
) -> Result<(), DecodeError> {
    for column in columns.iter_mut().filter(|column| kind(column)) {
        let count = value.lenenc()?;
        column.members.clear();
        for _ in 0..count {
            column.members.push(value.lenenc_bytes()?.to_vec());
        }
    }
    value.finish()
}

fn primary_key(
    columns: &mut [ColumnMeta],
    mut value: Cursor<'_>,
    with_prefix: bool,
) -> Result<(), DecodeError> {
    let mut position = 0_u16;
    while !value.is_empty() {
        let index = value.lenenc_len()?;
        let prefix = if with_prefix { value.lenenc()? } else { 0 };
        let prefix_chars =
            u16::try_from(prefix).map_err(|_| DecodeError("a key prefix is longer than a key"))?;
        columns.get_mut(index).ok_or(COLUMN)?.pk = Some(PkPart { position, prefix_chars });
        position = position.saturating_add(1);
    }
    Ok(())
}
