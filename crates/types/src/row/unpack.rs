//! Bytes of a row into values.

#![deny(clippy::indexing_slicing)]

use crate::column::{ColumnType, IntType};
use crate::decimal::Decimal;
use crate::temporal::{Date, DateTime, Time, TimeZone, Timestamp};
use crate::value::{Bits, BytesRef, Chosen, ValueRef, YEAR_BASE};

/// The value of a column's bytes (without their length). Bytes of another size are read as far as they go.
#[inline]
pub fn read_column<'r>(ty: ColumnType, bytes: &'r [u8], time_zone: &TimeZone) -> ValueRef<'r> {
    match ty {
        ColumnType::Int(int) if int.is_unsigned() => ValueRef::UInt(read_unsigned(bytes)),
        ColumnType::Int(int) => ValueRef::Int(read_signed(int, bytes)),
        ColumnType::Decimal { precision, scale, .. } => {
            ValueRef::Decimal(Decimal::read_stored(bytes, precision, scale))
        }
        ColumnType::Float(_) => ValueRef::Float(read_float(bytes)),
        ColumnType::Double(_) => ValueRef::Double(read_double(bytes)),
        ColumnType::Char { collation, .. }
        | ColumnType::Varchar { collation, .. }
        | ColumnType::Text { collation, .. } => ValueRef::Str(bytes, collation),
        ColumnType::Binary { size } => ValueRef::Bytes(BytesRef::padded(bytes, u16::from(size))),
        ColumnType::Varbinary { .. } | ColumnType::Blob { .. } => ValueRef::bytes(bytes),
        ColumnType::Enum(labels) => ValueRef::Chosen(Chosen::of_enum(labels, read_unsigned(bytes))),
        ColumnType::Set(labels) => ValueRef::Chosen(Chosen::of_set(labels, read_unsigned(bytes))),
        ColumnType::Bit { bits } => ValueRef::Bit(Bits::new(bits, read_big_endian(bytes))),
        ColumnType::Year => ValueRef::Year(read_year(bytes)),
        ColumnType::Json => ValueRef::Json(bytes),
        ColumnType::Date => ValueRef::Date(Date::read_stored(bytes)),
        ColumnType::Time { fsp } => ValueRef::Time(Time::read_stored(bytes, fsp)),
        ColumnType::DateTime { fsp } => ValueRef::DateTime(DateTime::read_stored(bytes, fsp)),
        ColumnType::Timestamp { fsp } => {
            ValueRef::DateTime(time_zone.to_local(Timestamp::read_stored(bytes, fsp), fsp))
        }
    }
}

/// A number of up to eight bytes.
#[inline]
pub(super) fn read_unsigned(bytes: &[u8]) -> u64 {
    let mut number = [0; 8];
    for (to, from) in number.iter_mut().zip(bytes) {
        *to = *from;
    }
    u64::from_le_bytes(number)
}

/// A number of up to eight bytes, the highest first.
fn read_big_endian(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0, |number, &byte| number << 8 | u64::from(byte))
}

/// A YEAR.
pub(super) fn read_year(bytes: &[u8]) -> u16 {
    match bytes.first() {
        None | Some(0) => 0,
        Some(years) => YEAR_BASE + u16::from(*years),
    }
}

/// A number of as many bytes as the type has, with its sign.
#[inline]
pub(super) fn read_signed(int: IntType, bytes: &[u8]) -> i64 {
    let shift = 64 - 8 * u32::from(int.bytes());
    (read_unsigned(bytes) << shift).cast_signed() >> shift
}

/// A FLOAT; what is no number counts as 0.
pub(super) fn read_float(bytes: &[u8]) -> f32 {
    let number = bytes.first_chunk().map_or(0.0, |bytes| f32::from_le_bytes(*bytes));
    if number.is_finite() { number } else { 0.0 }
}

/// A DOUBLE; what is no number counts as 0.
pub(super) fn read_double(bytes: &[u8]) -> f64 {
    let number = bytes.first_chunk().map_or(0.0, |bytes| f64::from_le_bytes(*bytes));
    if number.is_finite() { number } else { 0.0 }
}
