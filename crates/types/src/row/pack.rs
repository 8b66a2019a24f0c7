//! Values into the bytes of a row.

use super::length_size;
use crate::collation::Collation;
use crate::column::{ColumnType, FloatType, IntType};
use crate::temporal::{DateTime, LocalTime, TimeZone, Timestamp};
use crate::value::{Bits, ValueRef, YEAR_BASE};

/// Appends the stored bytes of a value that has been brought into the column: of its type, in its range, with
/// its scale or fraction, in its character set. False if it has not; nothing useful is appended then. NULL is not a
/// value here.
#[must_use]
pub fn write_column(ty: ColumnType, value: ValueRef<'_>, time_zone: &TimeZone, out: &mut Vec<u8>) -> bool {
    match (ty, value) {
        (ColumnType::Int(int), ValueRef::Int(number)) => {
            write_int(int, number.cast_unsigned(), out);
            number >= int.min() && u64::try_from(number).unwrap_or(0) <= int.max()
        }
        (ColumnType::Int(int), ValueRef::UInt(number)) => {
            write_int(int, number, out);
            number <= int.max()
        }
        (ColumnType::Decimal { precision, scale, sign }, ValueRef::Decimal(number)) => {
            let fits = number.fits(precision, scale) && !(sign.is_unsigned() && number.is_negative());
            if fits {
                number.write_stored(precision, scale, out);
            }
            fits
        }
        (ColumnType::Float(float), ValueRef::Float(number)) => {
            out.extend_from_slice(&number.to_le_bytes());
            is_number_of(float, f64::from(number))
        }
        (ColumnType::Double(float), ValueRef::Double(number)) => {
            out.extend_from_slice(&number.to_le_bytes());
            is_number_of(float, number)
        }
        (ColumnType::Date, ValueRef::Date(date)) => {
            date.write_stored(out);
            true
        }
        (ColumnType::Time { fsp }, ValueRef::Time(time)) => {
            time.write_stored(fsp, out);
            time.fsp() <= fsp
        }
        (ColumnType::DateTime { fsp }, ValueRef::DateTime(value)) => {
            value.write_stored(fsp, out);
            value.fsp() <= fsp
        }
        (ColumnType::Timestamp { fsp }, ValueRef::DateTime(value)) => {
            write_timestamp(value, fsp, time_zone, out)
        }
        (ColumnType::Enum(labels), ValueRef::Chosen(chosen)) => {
            write_low_bytes(chosen.number(), labels.enum_bytes(), out);
            chosen.labels() == labels
        }
        (ColumnType::Set(labels), ValueRef::Chosen(chosen)) => {
            write_low_bytes(chosen.number(), labels.set_bytes(), out);
            chosen.labels() == labels
        }
        (ColumnType::Bit { bits }, ValueRef::Bit(value)) => {
            value.write_stored(bits, out);
            value.number() <= Bits::max_of(bits)
        }
        (ColumnType::Json, ValueRef::Json(bytes)) => {
            write_length_and_bytes(length_size(ty), bytes, out);
            true
        }
        (ColumnType::Year, ValueRef::Year(year)) => {
            out.push(stored_year(year));
            is_year(year)
        }
        (_, ValueRef::Str(bytes, collation)) => {
            let own = ty.collation().is_some_and(|own| own.charset() == collation.charset());
            own && write_string(ty, bytes, out)
        }
        (_, ValueRef::Bytes(bytes)) => ty.collation().is_none() && write_string(ty, &bytes.to_cow(), out),
        _ => false,
    }
}

/// A YEAR as its byte; 0 for what is none.
pub(crate) fn stored_year(year: u16) -> u8 {
    u8::try_from(year.saturating_sub(YEAR_BASE)).unwrap_or(0)
}

/// Whether a YEAR can be this: 0, or 1901 to 2155.
pub(crate) fn is_year(year: u16) -> bool {
    year == 0 || (YEAR_BASE + 1..=YEAR_BASE + 255).contains(&year)
}

fn is_number_of(float: FloatType, number: f64) -> bool {
    number.is_finite() && !(float.sign.is_unsigned() && number < 0.0)
}

fn write_timestamp(value: DateTime, fsp: u8, time_zone: &TimeZone, out: &mut Vec<u8>) -> bool {
    let moment = match time_zone.to_utc(value) {
        _ if value.is_zero() => Some(Timestamp::ZERO),
        Some(LocalTime::At(seconds)) => Timestamp::new(seconds, value.micros()),
        _ => None,
    };
    if let Some(moment) = moment {
        moment.write_stored(fsp, out);
    }
    moment.is_some() && value.fsp() <= fsp
}

/// A string type's bytes with their length; false if they are too long.
fn write_string(ty: ColumnType, bytes: &[u8], out: &mut Vec<u8>) -> bool {
    let Some(most) = ty.bytes_max() else { return false };
    let bytes = trimmed(ty, bytes);
    let chars = ty.collation().unwrap_or(Collation::Binary).charset().char_count(bytes);
    write_length_and_bytes(length_size(ty), bytes, out);
    bytes.len() as u64 <= u64::from(most) && chars as u64 <= u64::from(ty.chars_max().unwrap_or(0))
}

/// What of a string is stored: CHAR loses its blanks, BINARY its zeros at the end.
pub(crate) fn trimmed(ty: ColumnType, bytes: &[u8]) -> &[u8] {
    let pad = match ty {
        ColumnType::Char { .. } => b' ',
        ColumnType::Binary { .. } => 0,
        _ => return bytes,
    };
    let end = bytes.iter().rposition(|&byte| byte != pad).map_or(0, |last| last + 1);
    &bytes[..end]
}

/// Appends the lowest bytes of a number, as many as the type has.
pub(crate) fn write_int(int: IntType, number: u64, out: &mut Vec<u8>) {
    write_low_bytes(number, int.bytes(), out);
}

/// Appends so many of a number's bytes, the lowest first.
pub(crate) fn write_low_bytes(number: u64, size: u8, out: &mut Vec<u8>) {
    out.extend_from_slice(&number.to_le_bytes()[..usize::from(size)]);
}

/// Appends a length of `length_size` bytes, then the bytes.
pub(crate) fn write_length_and_bytes(length_size: u8, bytes: &[u8], out: &mut Vec<u8>) {
    out.reserve(bytes.len() + 4);
    out.extend_from_slice(&(bytes.len() as u64).to_le_bytes()[..usize::from(length_size)]);
    out.extend_from_slice(bytes);
}
