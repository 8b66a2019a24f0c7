//! DECIMAL: rounded half away from zero, with a note if digits were lost.

use super::Target;
use crate::column::Sign;
use crate::decimal::Decimal;
use crate::error::SqlError;
use crate::number::is_whole;
use crate::value::ValueRef;

pub(super) fn store(
    precision: u8,
    scale: u8,
    sign: Sign,
    value: ValueRef<'_>,
    target: &mut Target<'_, '_>,
    out: &mut Vec<u8>,
) -> Result<(), SqlError> {
    let (number, too_large) = match value {
        ValueRef::Str(..) | ValueRef::Bytes(_) => from_text(value, target)?,
        _ => from_number(value, target)?,
    };
    let rounded = number.round(i32::from(scale)).ok().filter(|_| !too_large);
    let below_zero = sign.is_unsigned() && number.is_negative();
    let stored = match rounded {
        _ if below_zero => {
            target.out_of_range()?;
            Decimal::ZERO
        }
        Some(rounded) if rounded.fits(precision, scale) => {
            if rounded != number {
                target.truncated_note();
            }
            rounded
        }
        _ => {
            target.out_of_range()?;
            Decimal::column_max(precision, scale, number.is_negative())
        }
    };
    stored.write_stored(precision, scale, out);
    Ok(())
}

/// The number at a text's beginning, and whether it is too large to be told.
fn from_text(value: ValueRef<'_>, target: &mut Target<'_, '_>) -> Result<(Decimal, bool), SqlError> {
    let text = value.string_bytes().unwrap_or_default();
    let parsed = Decimal::parse_prefix(&text);
    let strict = target.context.strict;
    if parsed.size == 0 || strict && (parsed.overflow || !is_whole(&text, parsed.size)) {
        target.incorrect("decimal", &value.to_message())?;
    } else if !is_whole(&text, parsed.size) {
        target.truncated_note();
    }
    Ok((parsed.value, parsed.overflow))
}

fn from_number(value: ValueRef<'_>, target: &mut Target<'_, '_>) -> Result<(Decimal, bool), SqlError> {
    let number = value.to_number(target.context)?;
    Ok(number.map_or((Decimal::ZERO, false), |number| (number.to_decimal(), number.exceeds_decimals())))
}
