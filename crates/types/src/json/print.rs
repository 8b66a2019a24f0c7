//! Values as text, in MySQL's normal form: `{"a": 1, "b": [1.0, null]}`.
//!
//! One blank follows each comma and colon. A double always shows a point or an exponent, so that it is read back as
//! one. Temporal values are strings with six digits of the second's fraction, opaque ones are base64.

use std::fmt::{self, Display};

use crate::number::write_double;
use crate::temporal::{Date, DateTime, FSP_MAX, Time};

use super::opaque::write_base64;
use super::value::time_in_full;
use super::{Json, Object};

impl Json {
    /// Appends the text.
    pub fn write_text(&self, out: &mut Vec<u8>) {
        match self {
            Self::Array(items) => write_array(items, out),
            Self::Object(object) => write_object(object, out),
            scalar => write_scalar(scalar, out),
        }
    }
}

impl Display for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = Vec::new();
        self.write_text(&mut text);
        f.write_str(std::str::from_utf8(&text).map_err(|_| fmt::Error)?)
    }
}

fn write_array(items: &[Json], out: &mut Vec<u8>) {
    out.push(b'[');
    for (at, item) in items.iter().enumerate() {
        write_comma(at, out);
        item.write_text(out);
    }
    out.push(b']');
}

fn write_object(object: &Object, out: &mut Vec<u8>) {
    out.push(b'{');
    for (at, (name, value)) in object.iter().enumerate() {
        write_comma(at, out);
        write_name(name, out);
        value.write_text(out);
    }
    out.push(b'}');
}

/// Appends what is no array and no object.
pub(super) fn write_scalar(value: &Json, out: &mut Vec<u8>) {
    match value {
        Json::Null | Json::Array(_) | Json::Object(_) => out.extend_from_slice(b"null"),
        Json::Bool(value) => out.extend_from_slice(if *value { b"true" } else { b"false" }),
        Json::Int(value) => write_integer(*value, out),
        Json::UInt(value) => write_integer(*value, out),
        Json::Double(value) => write_json_double(*value, out),
        Json::Decimal(value) => value.write_text(out),
        Json::String(text) => write_string(text, out),
        Json::Date(value) => write_quoted_date(*value, out),
        Json::Time(value) => write_quoted_time(*value, out),
        Json::DateTime(value) | Json::Timestamp(value) => write_quoted_datetime(*value, out),
        Json::Opaque(value) => write_quoted_opaque(value.field_type, &value.bytes, out),
    }
}

/// Appends the comma before every item but the first.
pub(super) fn write_comma(at: usize, out: &mut Vec<u8>) {
    if at > 0 {
        out.extend_from_slice(b", ");
    }
}

/// Appends a member's name and its colon.
pub(super) fn write_name(name: &str, out: &mut Vec<u8>) {
    write_string(name, out);
    out.extend_from_slice(b": ");
}

/// Appends an integer.
pub(super) fn write_integer(value: impl itoa::Integer, out: &mut Vec<u8>) {
    out.extend_from_slice(itoa::Buffer::new().format(value).as_bytes());
}

/// Appends a double with a point or an exponent.
pub(super) fn write_json_double(value: f64, out: &mut Vec<u8>) {
    let start = out.len();
    write_double(value, out);
    if !out[start..].iter().any(|byte| matches!(byte, b'.' | b'e')) {
        out.extend_from_slice(b".0");
    }
}

pub(super) fn write_quoted_date(value: Date, out: &mut Vec<u8>) {
    out.push(b'"');
    value.write_text(out);
    out.push(b'"');
}

pub(super) fn write_quoted_time(value: Time, out: &mut Vec<u8>) {
    out.push(b'"');
    time_in_full(value).write_text(out);
    out.push(b'"');
}

pub(super) fn write_quoted_datetime(value: DateTime, out: &mut Vec<u8>) {
    out.push(b'"');
    value.with_fsp(FSP_MAX).write_text(out);
    out.push(b'"');
}

pub(super) fn write_quoted_opaque(field_type: u8, bytes: &[u8], out: &mut Vec<u8>) {
    out.push(b'"');
    write_base64(field_type, bytes, b"\\n", out);
    out.push(b'"');
}

/// Appends a string in quotation marks: JSON_QUOTE. Control characters are escaped, other characters stay.
pub fn write_string(text: &str, out: &mut Vec<u8>) {
    out.push(b'"');
    let mut plain_from = 0;
    for (at, byte) in text.bytes().enumerate() {
        if byte >= b' ' && byte != b'"' && byte != b'\\' {
            continue;
        }
        out.extend_from_slice(&text.as_bytes()[plain_from..at]);
        plain_from = at + 1;
        write_escape(byte, out);
    }
    out.extend_from_slice(&text.as_bytes()[plain_from..]);
    out.push(b'"');
}

/// The bytes that one byte of a string becomes.
pub(super) fn escaped_size(byte: u8) -> usize {
    match byte {
        0x08 | 0x09 | 0x0A | 0x0C | 0x0D | b'"' | b'\\' => 2,
        ..b' ' => 6,
        _ => 1,
    }
}

fn write_escape(byte: u8, out: &mut Vec<u8>) {
    let short = match byte {
        0x08 => b'b',
        0x09 => b't',
        0x0A => b'n',
        0x0C => b'f',
        0x0D => b'r',
        b'"' | b'\\' => byte,
        _ => {
            out.extend_from_slice(b"\\u00");
            for digit in [byte >> 4, byte & 0xF] {
                out.push(if digit < 10 { b'0' + digit } else { b'a' + (digit - 10) });
            }
            return;
        }
    };
    out.extend_from_slice(&[b'\\', short]);
}
