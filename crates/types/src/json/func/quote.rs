//! JSON_QUOTE and JSON_UNQUOTE.

use std::borrow::Cow;

use crate::json::opaque::write_base64;
use crate::json::print::{escaped_size, write_scalar, write_string};
use crate::json::{Json, ParseError};

/// JSON_QUOTE: text as a JSON string.
pub fn quote(text: &str) -> String {
    let mut out = Vec::with_capacity(text.len() + 2);
    write_string(text, &mut out);
    String::from_utf8(out).expect("escapes are ASCII")
}

/// The bytes of that.
pub fn quoted_size(text: &str) -> usize {
    2 + text.bytes().map(escaped_size).sum::<usize>()
}

/// JSON_UNQUOTE of a JSON value: a string's content, the text of anything else; appended. What JSON shows as a
/// string, such as a date, comes without quotation marks.
pub fn unquote(value: &Json, out: &mut Vec<u8>) {
    match value {
        Json::String(text) => out.extend_from_slice(text.as_bytes()),
        Json::Opaque(opaque) => write_base64(opaque.field_type, &opaque.bytes, b"\n", out),
        Json::Date(_) | Json::Time(_) | Json::DateTime(_) | Json::Timestamp(_) => {
            let mut quoted = Vec::with_capacity(28);
            write_scalar(value, &mut quoted);
            out.extend_from_slice(quoted.get(1..quoted.len().saturating_sub(1)).unwrap_or_default());
        }
        other => other.write_text(out),
    }
}

/// JSON_UNQUOTE of text: the content of what begins and ends with a quotation mark, which must then be a JSON string;
/// anything else as it is.
pub fn unquote_text(text: &str) -> Result<Cow<'_, str>, ParseError> {
    if text.len() < 2 || !text.starts_with('"') || !text.ends_with('"') {
        return Ok(Cow::Borrowed(text));
    }
    match Json::parse(text)? {
        Json::String(content) => Ok(Cow::Owned(content)),
        _ => Ok(Cow::Borrowed(text)),
    }
}
