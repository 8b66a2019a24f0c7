//! Integers: everything is rounded to the nearest, halves away from zero, of doubles to even.

use super::Target;
use crate::column::{IntSize, IntType};
use crate::decimal::Decimal;
use crate::error::SqlError;
use crate::number::is_whole;
use crate::row::write_int;
use crate::temporal::DateTime;
use crate::value::ValueRef;

pub(super) fn store(
    int: IntType,
    value: ValueRef<'_>,
    target: &mut Target<'_, '_>,
    out: &mut Vec<u8>,
) -> Result<(), SqlError> {
    let (number, truncated) = match value {
        ValueRef::Int(number) => (i128::from(number), false),
        ValueRef::UInt(number) => (i128::from(number), false),
        ValueRef::Decimal(number) => (from_decimal(int, number, target)?, false),
        ValueRef::Str(..) | ValueRef::Bytes(_) => from_text(value, target)?,
        _ => (from_number(value), false),
    };
    let clamped = number.clamp(i128::from(int.min()), i128::from(int.max()));
    if clamped != number {
        target.out_of_range()?;
    } else if truncated {
        target.truncated()?;
    }
    let bits = u64::try_from(clamped).unwrap_or_else(|_| i64::try_from(clamped).unwrap_or(0).cast_unsigned());
    write_int(int, bits, out);
    Ok(())
}

/// Any value as an integer, for YEAR and BIT: an exact number as a BIGINT UNSIGNED, of doubles the whole part, and
/// nothing for a text that is no number. What does not fit is reported.
#[expect(clippy::cast_possible_truncation, reason = "the cast saturates")]
pub(super) fn whole(value: ValueRef<'_>, target: &mut Target<'_, '_>) -> Result<Option<i128>, SqlError> {
    Ok(Some(match value {
        ValueRef::Int(number) => i128::from(number),
        ValueRef::UInt(number) => i128::from(number),
        ValueRef::Decimal(number) => {
            let nearest = nearest(number);
            let fitting = if number.is_negative() { 0 } else { nearest.min(i128::from(u64::MAX)) };
            if fitting != nearest || number.is_negative() {
                target.out_of_range()?;
            }
            fitting
        }
        ValueRef::Float(number) => i128::from(number as i64),
        ValueRef::Double(number) => i128::from(number as i64),
        ValueRef::Str(..) | ValueRef::Bytes(_) => {
            let text = value.string_bytes().unwrap_or_default();
            let (number, truncated) = from_text(value, target)?;
            if truncated {
                target.truncated()?;
            }
            return Ok((Decimal::parse_prefix(&text).size > 0).then_some(number));
        }
        _ => from_number(value),
    }))
}

/// The number at a text's beginning, and whether something else follows.
fn from_text(value: ValueRef<'_>, target: &mut Target<'_, '_>) -> Result<(i128, bool), SqlError> {
    let text = value.string_bytes().unwrap_or_default();
    let parsed = Decimal::parse_prefix(&text);
    if parsed.size == 0 {
        target.incorrect("integer", &value.to_message())?;
        return Ok((0, false));
    }
    let number = if parsed.overflow { saturated(parsed.value) } else { nearest(parsed.value) };
    Ok((number, !is_whole(&text, parsed.size)))
}

/// A number that not even a BIGINT of the same sign holds is reported here, and once more if the column is smaller.
fn from_decimal(int: IntType, number: Decimal, target: &mut Target<'_, '_>) -> Result<i128, SqlError> {
    let widest = IntType { size: IntSize::Big, ..int };
    let number = nearest(number);
    let clamped = number.clamp(i128::from(widest.min()), i128::from(widest.max()));
    if clamped != number {
        target.out_of_range()?;
    }
    Ok(clamped)
}

fn from_number(value: ValueRef<'_>) -> i128 {
    match value {
        ValueRef::Float(number) => from_double(f64::from(number)),
        ValueRef::Double(number) => from_double(number),
        ValueRef::Year(year) => i128::from(year),
        ValueRef::Bit(bits) => i128::from(bits.number()),
        ValueRef::Chosen(chosen) => i128::from(chosen.number()),
        ValueRef::Date(date) => i128::from(date.to_number()),
        ValueRef::Time(time) => i128::from(time.round_to(0).to_number()),
        ValueRef::DateTime(value) => i128::from(value.round_to(0).map_or(i64::MAX, DateTime::to_number)),
        _ => 0,
    }
}

fn nearest(number: Decimal) -> i128 {
    match (number.to_i64(), number.to_u64()) {
        (Some(number), _) => i128::from(number),
        (None, Some(number)) => i128::from(number),
        (None, None) => saturated(number),
    }
}

fn saturated(number: Decimal) -> i128 {
    if number.is_negative() { i128::MIN } else { i128::MAX }
}

#[expect(clippy::cast_possible_truncation, reason = "the cast saturates")]
fn from_double(number: f64) -> i128 {
    number.round_ties_even() as i128
}
