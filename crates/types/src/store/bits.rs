//! BIT: a number, or the bytes of one.

use super::Target;
use super::int::whole;
use crate::error::SqlError;
use crate::error::table::ER_DATA_TOO_LONG;
use crate::value::{Bits, ValueRef};

pub(super) fn store(
    bits: u8,
    value: ValueRef<'_>,
    target: &mut Target<'_, '_>,
    out: &mut Vec<u8>,
) -> Result<(), SqlError> {
    let most = Bits::max_of(bits);
    let number = match value {
        ValueRef::Str(..) | ValueRef::Bytes(_) => from_bytes(&value.string_bytes().unwrap_or_default()),
        ValueRef::Date(_) | ValueRef::Time(_) | ValueRef::DateTime(_) => {
            let mut text = Vec::new();
            value.write_text(&mut text);
            from_bytes(&text)
        }
        _ => match whole(value, target)?.unwrap_or(0) {
            // A negative number has all bits above it.
            number if number < 0 => i64::try_from(number).ok().map(i64::cast_unsigned),
            number => u64::try_from(number).ok(),
        },
    };
    let fitting = number.filter(|number| *number <= most);
    if fitting.is_none() {
        if target.context.strict {
            let row = target.context.row;
            return Err(ER_DATA_TOO_LONG.error(&[&target.column.name, &row]));
        }
        target.out_of_range()?;
    }
    Bits::new(bits, fitting.unwrap_or(most)).write(out);
    Ok(())
}

/// Bytes as a number, the highest first; none if it has more than 64 bits.
fn from_bytes(bytes: &[u8]) -> Option<u64> {
    let first = bytes.iter().position(|byte| *byte != 0).unwrap_or(bytes.len());
    let bytes = bytes.get(first..)?;
    (bytes.len() <= 8).then(|| bytes.iter().fold(0, |number, &byte| number << 8 | u64::from(byte)))
}
