//! Casts to numbers.

use std::fmt::Display;

use crate::context::Context;
use crate::decimal::Decimal;
use crate::error::SqlError;
use crate::error::table::{
    ER_DATA_OUT_OF_RANGE, ER_TRUNCATED_WRONG_VALUE, ER_UNKNOWN_ERROR, ER_WARN_DATA_OUT_OF_RANGE,
};
use crate::number::{double_to_i64, is_whole, parse_integer};
use crate::temporal::DateTime;
use crate::value::ValueRef;

/// CAST(... AS SIGNED). Beyond 63 bits, bits are reinterpreted.
pub(super) fn to_signed(value: ValueRef<'_>, context: &mut Context<'_>) -> Result<i64, SqlError> {
    match value {
        ValueRef::Decimal(number) => {
            let fitting = number.to_i64();
            if fitting.is_none() {
                truncated("DECIMAL", value, context)?;
            }
            Ok(fitting.unwrap_or(if number.is_negative() { i64::MIN } else { i64::MAX }))
        }
        ValueRef::Str(..) | ValueRef::Bytes(_) => {
            let (negative, magnitude, whole) = text_integer(value, context)?;
            if negative {
                return Ok(0_i64.checked_sub_unsigned(magnitude).unwrap_or(i64::MIN));
            }
            if magnitude > i64::MAX.unsigned_abs() && whole {
                complement(
                    "Cast to signed converted positive out-of-range integer to its negative complement",
                    context,
                );
            }
            Ok(magnitude.cast_signed())
        }
        _ => Ok(integer(value)),
    }
}

/// CAST(... AS UNSIGNED). Negative numbers are reinterpreted.
pub(super) fn to_unsigned(value: ValueRef<'_>, context: &mut Context<'_>) -> Result<u64, SqlError> {
    match value {
        ValueRef::UInt(number) => Ok(number),
        ValueRef::Decimal(number) => match (number.to_u64(), number.to_i64()) {
            (Some(number), _) => Ok(number),
            (None, Some(number)) => Ok(number.cast_unsigned()),
            (None, None) => {
                truncated("DECIMAL", value, context)?;
                Ok(if number.is_negative() { i64::MIN.cast_unsigned() } else { u64::MAX })
            }
        },
        ValueRef::Str(..) | ValueRef::Bytes(_) => {
            let (negative, magnitude, _) = text_integer(value, context)?;
            if !negative {
                return Ok(magnitude);
            }
            if magnitude <= i64::MIN.unsigned_abs() && magnitude != 0 {
                complement("Cast to unsigned converted negative integer to its positive complement", context);
            }
            Ok(0_i64.checked_sub_unsigned(magnitude).unwrap_or(i64::MIN).cast_unsigned())
        }
        _ => Ok(integer(value).cast_unsigned()),
    }
}

/// CAST(... AS DECIMAL(p, s)).
pub(super) fn to_decimal(
    value: ValueRef<'_>,
    precision: u8,
    scale: u8,
    name: &dyn Display,
    context: &mut Context<'_>,
) -> Result<Decimal, SqlError> {
    let (number, too_large) = match value {
        ValueRef::Str(..) | ValueRef::Bytes(_) => {
            let text = value.string_bytes().unwrap_or_default();
            let parsed = Decimal::parse_prefix(&text);
            if parsed.size == 0 || parsed.overflow || !is_whole(&text, parsed.size) {
                truncated("DECIMAL", value, context)?;
            }
            (parsed.value, parsed.overflow)
        }
        _ => match value.to_number(context)? {
            Some(number) => (number.to_decimal(), number.exceeds_decimals()),
            None => (Decimal::ZERO, false),
        },
    };
    match number.round(i32::from(scale)) {
        Ok(rounded) if rounded.fits(precision, scale) && !too_large => Ok(rounded),
        _ => {
            let row = context.row;
            context.report(&ER_WARN_DATA_OUT_OF_RANGE, &[name, &row])?;
            Ok(Decimal::column_max(precision, scale, number.is_negative()))
        }
    }
}

/// CAST(... AS DOUBLE).
pub(super) fn to_double(value: ValueRef<'_>, context: &mut Context<'_>) -> Result<f64, SqlError> {
    Ok(value.to_f64(context)?.unwrap_or(0.0))
}

/// CAST(... AS FLOAT). Error 1690 for numbers beyond a FLOAT.
#[expect(
    clippy::cast_possible_truncation,
    reason = "a FLOAT is the nearest single, and the range was checked"
)]
pub(super) fn to_float(
    value: ValueRef<'_>,
    name: &dyn Display,
    context: &mut Context<'_>,
) -> Result<f32, SqlError> {
    let number = to_double(value, context)?;
    if number.abs() > f64::from(f32::MAX) {
        return Err(ER_DATA_OUT_OF_RANGE.error(&[&"DOUBLE", name]));
    }
    Ok(number as f32)
}

/// The 64 bits of everything that is no text and no DECIMAL.
fn integer(value: ValueRef<'_>) -> i64 {
    match value {
        ValueRef::Int(number) => number,
        ValueRef::UInt(number) => number.cast_signed(),
        ValueRef::Year(year) => year.into(),
        ValueRef::Bit(bits) => bits.number().cast_signed(),
        ValueRef::Chosen(chosen) => chosen.number().cast_signed(),
        ValueRef::Float(number) => double_to_i64(f64::from(number)),
        ValueRef::Double(number) => double_to_i64(number),
        ValueRef::Date(date) => date.to_number(),
        ValueRef::Time(time) => time.round_to(0).to_number(),
        ValueRef::DateTime(value) => value.round_to(0).map_or(0, DateTime::to_number),
        _ => 0,
    }
}

/// Sign and magnitude of a text, and whether it is nothing but that; else a warning was given.
fn text_integer(value: ValueRef<'_>, context: &mut Context<'_>) -> Result<(bool, u64, bool), SqlError> {
    let text = value.string_bytes().unwrap_or_default();
    let parsed = parse_integer(&text);
    let (negative, magnitude) = parsed.value;
    let beyond = negative && magnitude > i64::MIN.unsigned_abs();
    let whole = parsed.size > 0 && !parsed.overflow && !beyond && is_whole(&text, parsed.size);
    if !whole {
        truncated("INTEGER", value, context)?;
    }
    Ok((negative, magnitude, whole))
}

fn truncated(kind: &str, value: ValueRef<'_>, context: &mut Context<'_>) -> Result<(), SqlError> {
    context.report(&ER_TRUNCATED_WRONG_VALUE, &[&kind, &value.to_message()])
}

/// A warning that is never an error: the bits are kept.
fn complement(message: &str, context: &mut Context<'_>) {
    let error = SqlError::with_message(&ER_UNKNOWN_ERROR, message);
    context.warnings.push_error(crate::warning::Level::Warning, &error);
}
