//! Sort keys: bytes whose order under `memcmp` is that of [`compare`](super::compare).
//!
//! | value | bytes behind that of its rank |
//! | --- | --- |
//! | `null` | none |
//! | number | see [`number_key`](super::number_key) |
//! | string | its bytes with `00` as `00 FF`, then `00 00` |
//! | object | how many members, 4 bytes big-endian; each name, as a string, and value |
//! | array | each item's key, then `00`, which is no rank |
//! | boolean | 1 byte |
//! | DATE, TIME, DATETIME | 8 bytes big-endian with the first bit flipped |
//! | opaque | type code; the bytes as a string's |
//!
//! No key is the beginning of another one. Equal values have equal keys, so keys do for GROUP BY and DISTINCT.
//! MySQL's own keys take arrays and objects for equal if they have as many members; these do not.

use super::Json;
use super::compare::rank;
use super::number_key::Number;

/// Appends the sort key.
pub fn write_sort_key(value: &Json, out: &mut Vec<u8>) {
    out.push(rank(value));
    match value {
        Json::Null => {}
        Json::Bool(value) => out.push(u8::from(*value)),
        Json::Int(_) | Json::UInt(_) | Json::Double(_) | Json::Decimal(_) => {
            Number::of(value).expect("these are the numbers").write_key(out);
        }
        Json::String(text) => write_bytes(text.as_bytes(), out),
        Json::Array(items) => {
            for item in items {
                write_sort_key(item, out);
            }
            out.push(0);
        }
        Json::Object(object) => {
            out.extend_from_slice(&u32::try_from(object.len()).unwrap_or(u32::MAX).to_be_bytes());
            for (name, value) in object.iter() {
                write_bytes(name.as_bytes(), out);
                write_sort_key(value, out);
            }
        }
        Json::Date(value) => write_signed(value.packed().into(), out),
        Json::Time(value) => write_signed(value.micros(), out),
        Json::DateTime(value) | Json::Timestamp(value) => write_signed(value.packed(), out),
        Json::Opaque(value) => {
            out.push(value.field_type);
            write_bytes(&value.bytes, out);
        }
    }
}

fn write_signed(value: i64, out: &mut Vec<u8>) {
    out.extend_from_slice(&(value ^ i64::MIN).to_be_bytes());
}

fn write_bytes(bytes: &[u8], out: &mut Vec<u8>) {
    for &byte in bytes {
        out.push(byte);
        if byte == 0 {
            out.push(0xFF);
        }
    }
    out.extend_from_slice(&[0, 0]);
}
