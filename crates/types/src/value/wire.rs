//! Values in the client protocol: text resultset rows and binary resultset rows.
//!
//! Source: the protocol documentation's "Binary Protocol Value" and packets of MySQL 9.7.4 in `tests/data/wire.tsv`.

#![deny(clippy::indexing_slicing)]

use super::ValueRef;
use crate::charset::{Charset, convert};
use crate::temporal::{Date, DateTime, Time};

/// The byte of a NULL in a text resultset row.
const TEXT_NULL: u8 = 0xFB;

/// Appends a length-encoded integer.
pub fn write_lenenc_int(value: u64, out: &mut Vec<u8>) {
    let bytes = value.to_le_bytes();
    match value {
        0..=250 => out.push(bytes[0]),
        251..=0xFFFF => {
            out.push(0xFC);
            out.extend_from_slice(&bytes[..2]);
        }
        0x1_0000..=0xFF_FFFF => {
            out.push(0xFD);
            out.extend_from_slice(&bytes[..3]);
        }
        _ => {
            out.push(0xFE);
            out.extend_from_slice(&bytes);
        }
    }
}

/// Appends a length-encoded string.
pub fn write_lenenc(bytes: &[u8], out: &mut Vec<u8>) {
    write_lenenc_int(bytes.len() as u64, out);
    out.extend_from_slice(bytes);
}

/// Appends what `write` appends, which is at most 250 bytes, as a length-encoded string.
pub(crate) fn write_short_lenenc(out: &mut Vec<u8>, write: impl FnOnce(&mut Vec<u8>)) {
    let at = out.len();
    out.push(0);
    write(out);
    let size = out.len() - at - 1;
    debug_assert!(size <= 250, "numbers and temporal values have short texts");
    if let Some(length) = out.get_mut(at) {
        *length = u8::try_from(size).unwrap_or(u8::MAX);
    }
}

/// Appends text of `from` in `to`, as a length-encoded string. `binary` as target keeps the bytes.
pub(crate) fn write_text_lenenc(bytes: &[u8], from: Charset, to: Charset, out: &mut Vec<u8>) {
    let same = from == to
        || to == Charset::Binary
        || from == Charset::Utf8mb3 && to == Charset::Utf8mb4
        || bytes.is_ascii();
    if same {
        write_lenenc(bytes, out);
        return;
    }
    let mut converted = Vec::with_capacity(bytes.len() * 2);
    convert(bytes, from, to, &mut converted);
    write_lenenc(&converted, out);
}

impl ValueRef<'_> {
    /// Appends the value as a column of a text resultset row, strings in the session's `character_set_results`.
    pub fn write_text_wire(self, results: Charset, out: &mut Vec<u8>) {
        match self {
            Self::Null => out.push(TEXT_NULL),
            Self::Str(bytes, collation) => write_text_lenenc(bytes, collation.charset(), results, out),
            Self::Bytes(bytes) => {
                write_lenenc_int(bytes.len() as u64, out);
                bytes.write(out);
            }
            Self::Json(_) => {
                let mut text = Vec::new();
                self.write_text(&mut text);
                write_text_lenenc(&text, Charset::Utf8mb4, results, out);
            }
            Self::Chosen(chosen) => {
                write_text_lenenc(&chosen.text(), chosen.collation().charset(), results, out);
            }
            _ => write_short_lenenc(out, |out| self.write_text(out)),
        }
    }

    /// Appends the value as a column of a binary resultset row: an expression's, whose integers have eight bytes.
    /// NULL appends nothing: it is a bit in the row's bitmap.
    pub fn write_binary_wire(self, results: Charset, out: &mut Vec<u8>) {
        match self {
            Self::Null => {}
            Self::Int(value) => out.extend_from_slice(&value.to_le_bytes()),
            Self::UInt(value) => out.extend_from_slice(&value.to_le_bytes()),
            Self::Float(value) => out.extend_from_slice(&value.to_le_bytes()),
            Self::Double(value) => out.extend_from_slice(&value.to_le_bytes()),
            Self::Date(value) => write_date(value, out),
            Self::Time(value) => write_time(value, out),
            Self::DateTime(value) => write_datetime(value, out),
            Self::Year(year) => out.extend_from_slice(&u64::from(year).to_le_bytes()),
            _ => self.write_text_wire(results, out),
        }
    }
}

/// 4 bytes behind their count; none of `0000-00-00`.
fn write_date(value: Date, out: &mut Vec<u8>) {
    if value == Date::ZERO {
        out.push(0);
        return;
    }
    out.push(4);
    write_date_parts(value, out);
}

fn write_date_parts(value: Date, out: &mut Vec<u8>) {
    out.extend_from_slice(&value.year().to_le_bytes());
    out.extend_from_slice(&[value.month(), value.day()]);
}

/// 4, 7 or 11 bytes behind their count: the date, the time if there is one, the fraction if there is one.
fn write_datetime(value: DateTime, out: &mut Vec<u8>) {
    let (hour, minute, second, micros) = value.time_parts();
    if micros != 0 {
        out.push(11);
    } else if (hour, minute, second) != (0, 0, 0) {
        out.push(7);
    } else {
        write_date(value.date(), out);
        return;
    }
    write_date_parts(value.date(), out);
    out.extend_from_slice(&[hour, minute, second]);
    if micros != 0 {
        out.extend_from_slice(&micros.to_le_bytes());
    }
}

/// 8 or 12 bytes behind their count: sign, days, hours, minutes, seconds, the fraction if there is one.
fn write_time(value: Time, out: &mut Vec<u8>) {
    let (hours, minutes, seconds, micros) = value.parts();
    if value.micros() == 0 {
        out.push(0);
        return;
    }
    out.push(if micros == 0 { 8 } else { 12 });
    out.push(u8::from(value.is_negative()));
    out.extend_from_slice(&(hours / 24).to_le_bytes());
    out.extend_from_slice(&[(hours % 24).to_le_bytes()[0], minutes, seconds]);
    if micros != 0 {
        out.extend_from_slice(&micros.to_le_bytes());
    }
}
