//! Keys of values without a column: ORDER BY, GROUP BY, DISTINCT and hash joins over expressions.
//!
//! | what | bytes |
//! | --- | --- |
//! | NULL | `00` |
//! | anything else | `01`, then |
//! | integers of either sign, YEAR, BIT, the numbers of ENUM and SET | `00` below zero, else `01`; 8 bytes, two's complement, big-endian |
//! | exact numbers | `00` below zero, else `01`; the twelve limbs, big-endian, flipped below zero |
//! | doubles | as in index keys |
//! | text and bytes | the collation's sort key |
//! | JSON | see `json/sort_key.rs` |
//! | DATE, DATETIME | the packed moment, 8 bytes, big-endian |
//! | TIME | microseconds, 8 bytes, big-endian, sign flipped |
//!
//! The values of one expression are all of one kind (the resolver sees to that), so kinds need no order among
//! themselves. Values that compare as equal have equal keys.

use super::write_float;
use crate::collation::Collation;
use crate::json::Json;
use crate::temporal::DateTime;
use crate::value::ValueRef;

/// Appends a key of `value`: `memcmp` orders keys as comparison orders values of one kind.
pub fn write_sort_value(value: ValueRef<'_>, out: &mut Vec<u8>) {
    out.push(u8::from(!value.is_null()));
    match value {
        ValueRef::Null => {}
        ValueRef::Int(number) => write_int(number < 0, number.cast_unsigned(), out),
        ValueRef::UInt(number) => write_int(false, number, out),
        ValueRef::Year(year) => write_int(false, year.into(), out),
        ValueRef::Bit(bits) => write_int(false, bits.number(), out),
        ValueRef::Chosen(chosen) => write_int(false, chosen.number(), out),
        // Damaged bytes sort as `null` does.
        ValueRef::Json(_) => crate::json::write_sort_key(&value.to_json().unwrap_or(Json::Null), out),
        ValueRef::Decimal(number) => number.write_ordered(out),
        ValueRef::Float(number) => write_float(&f64::from(number).to_le_bytes(), out),
        ValueRef::Double(number) => write_float(&number.to_le_bytes(), out),
        ValueRef::Str(bytes, collation) => collation.sort_key(bytes, out),
        ValueRef::Bytes(bytes) => Collation::Binary.sort_key(&bytes.to_cow(), out),
        ValueRef::Date(date) => write_moment(DateTime::from_date(date), out),
        ValueRef::DateTime(value) => write_moment(value, out),
        ValueRef::Time(time) => out.extend_from_slice(&(time.micros() ^ i64::MIN).to_be_bytes()),
    }
}

fn write_int(negative: bool, bits: u64, out: &mut Vec<u8>) {
    out.push(u8::from(!negative));
    out.extend_from_slice(&bits.to_be_bytes());
}

fn write_moment(value: DateTime, out: &mut Vec<u8>) {
    out.extend_from_slice(&value.packed().to_be_bytes());
}
