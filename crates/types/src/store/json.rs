//! JSON: a JSON value, or a text that is one.

use super::Target;
use crate::error::SqlError;
use crate::json::{Json, ParseError, encode};
use crate::row::write_length_and_bytes;
use crate::value::ValueRef;

pub(super) const LENGTH_SIZE: u8 = 4;

/// Errors 3140, 3144, 3150, 3151 and 3157, in any mode.
pub(super) fn store(
    value: ValueRef<'_>,
    target: &mut Target<'_, '_>,
    out: &mut Vec<u8>,
) -> Result<(), SqlError> {
    if let ValueRef::Json(bytes) = value {
        write_length_and_bytes(LENGTH_SIZE, bytes, out);
        return Ok(());
    }
    let parsed = match value.json_text()? {
        Some(text) => Json::parse(&text),
        None => Err(ParseError::Syntax { reason: "not a JSON text, may need CAST", position: 0 }),
    };
    let column = target.column;
    let json = parsed.map_err(|error| match &*column.table {
        "" => error.in_column(&column.name),
        table => error.in_column(&format!("{table}.{}", column.name)),
    })?;
    let mut bytes = Vec::new();
    encode(&json, &mut bytes)?;
    write_length_and_bytes(LENGTH_SIZE, &bytes, out);
    Ok(())
}

/// Appends `null`, which a NOT NULL column holds where nothing is known.
pub(super) fn write_null(out: &mut Vec<u8>) {
    let mut bytes = Vec::new();
    // A literal always has a binary form.
    let _ = encode(&Json::Null, &mut bytes);
    write_length_and_bytes(LENGTH_SIZE, &bytes, out);
}
