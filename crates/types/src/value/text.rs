//! Values as text.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::io::Write as _;

use super::{JSON_COLLATION, ValueRef};
use crate::charset::{Charset, Converted, convert};
use crate::collation::Collation;
use crate::json::write_binary_text;
use crate::number::{write_double, write_float};

impl ValueRef<'_> {
    /// Appends the text that a client sees: ASCII for everything but strings, which keep their bytes. NULL
    /// appends nothing, nor do damaged bytes of JSON.
    pub fn write_text(self, out: &mut Vec<u8>) {
        match self {
            Self::Null => {}
            Self::Int(value) => {
                // Writing into a Vec cannot fail.
                let _ = out.write_all(itoa::Buffer::new().format(value).as_bytes());
            }
            Self::UInt(value) => {
                let _ = out.write_all(itoa::Buffer::new().format(value).as_bytes());
            }
            Self::Decimal(value) => value.write_text(out),
            Self::Float(value) => write_float(value, out),
            Self::Double(value) => write_double(value, out),
            Self::Str(bytes, _) => out.extend_from_slice(bytes),
            Self::Bytes(bytes) => bytes.write(out),
            Self::Date(value) => value.write_text(out),
            Self::Time(value) => value.write_text(out),
            Self::DateTime(value) => value.write_text(out),
            Self::Year(year) => {
                let _ = write!(out, "{year:04}");
            }
            Self::Bit(bits) => bits.write(out),
            Self::Chosen(chosen) => out.extend_from_slice(&chosen.text()),
            Self::Json(bytes) => {
                let start = out.len();
                if write_binary_text(bytes, out).is_err() {
                    out.truncate(start);
                }
            }
        }
    }

    /// Appends the text in a character set; false if a character had to become `?`.
    pub fn write_text_in(self, charset: Charset, out: &mut Vec<u8>) -> bool {
        let text = match self {
            Self::Json(_) => {
                let mut text = Vec::new();
                self.write_text(&mut text);
                Some((Cow::Owned(text), JSON_COLLATION))
            }
            Self::Str(bytes, collation) => Some((Cow::Borrowed(bytes), collation)),
            Self::Chosen(chosen) => Some((chosen.text(), chosen.collation())),
            _ => None,
        };
        if let Some((bytes, collation)) = text {
            return convert(&bytes, collation.charset(), charset, out) == Converted::Exactly;
        }
        self.write_text(out);
        true
    }

    /// The text for a message; NULL is `NULL`.
    pub fn to_message(self) -> String {
        match self {
            Self::Null => "NULL".to_owned(),
            Self::Str(bytes, collation) => quote_text(bytes, collation),
            Self::Bytes(bytes) => quote_bytes_as_text(&bytes.to_cow()),
            Self::Chosen(chosen) => quote_text(&chosen.text(), chosen.collation()),
            _ => {
                let mut text = Vec::new();
                self.write_text(&mut text);
                String::from_utf8_lossy(&text).into_owned()
            }
        }
    }
}

/// Text as messages quote it: in `utf8mb3`, so that other characters become `?`; invalid bytes as `\xHH`; up to a
/// zero byte.
pub fn quote_text(bytes: &[u8], collation: Collation) -> String {
    match collation.charset() {
        Charset::Binary => quote_bytes_as_text(bytes),
        charset => {
            let end = bytes.iter().position(|&byte| byte == 0).unwrap_or(bytes.len());
            let mut text = Vec::with_capacity(end);
            let mut rest = &bytes[..end];
            loop {
                let valid = charset.valid_prefix_size(rest);
                convert(&rest[..valid], charset, Charset::Utf8mb3, &mut text);
                let Some(&invalid) = rest.get(valid) else { break };
                // Writing into a Vec cannot fail.
                let _ = write!(text, "\\x{invalid:02X}");
                rest = &rest[valid + 1..];
            }
            String::from_utf8_lossy(&text).into_owned()
        }
    }
}

/// Bytes as messages quote them: printable ASCII as it is, the rest as `\xHH`.
pub fn quote_bytes_as_text(bytes: &[u8]) -> String {
    let mut text = String::new();
    for &byte in bytes {
        if byte == b' ' || byte.is_ascii_graphic() {
            text.push(char::from(byte));
        } else {
            // Writing into a String cannot fail.
            let _ = write!(text, "\\x{byte:02X}");
        }
    }
    text
}
