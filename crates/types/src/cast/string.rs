//! Casts to strings.

use crate::charset::{Charset, convert};
use crate::collation::Collation;
use crate::context::Context;
use crate::error::SqlError;
use crate::error::table::{ER_INVALID_CHARACTER_STRING, ER_TRUNCATED_WRONG_VALUE};
use crate::value::{Value, ValueRef, quote_bytes_as_text, quote_text};

/// CAST(... AS CHAR(n)). Bytes that are not valid in the character set give NULL.
pub(super) fn to_char(
    value: ValueRef<'_>,
    chars: Option<u32>,
    collation: Collation,
    context: &mut Context<'_>,
) -> Result<Value, SqlError> {
    if context.is_too_large(wanted_size(chars), "cast_as_char")? {
        return Ok(Value::Null);
    }
    let charset = collation.charset();
    let mut text = Vec::new();
    match value {
        ValueRef::Json(_) => {
            value.write_text_in(charset, &mut text);
        }
        ValueRef::Str(bytes, own) if own.charset() != charset => {
            convert(bytes, own.charset(), charset, &mut text);
            // Text may grow with each conversion.
            if context.is_too_large(text.len(), "convert")? {
                return Ok(Value::Null);
            }
        }
        _ => value.write_text(&mut text),
    }
    let valid = charset.valid_prefix_size(&text);
    if valid < text.len() {
        let rest = &text[valid..];
        let shown = rest.iter().take(3).fold(String::new(), |shown, byte| shown + &format!("{byte:02X}"));
        context.report(&ER_INVALID_CHARACTER_STRING, &[&charset.name(), &shown])?;
        return Ok(Value::Null);
    }
    if let Some(chars) = chars {
        let size = charset.prefix_size(&text, usize::try_from(chars).unwrap_or(usize::MAX));
        if size < text.len() {
            let kind = format!("CHAR({size})");
            context.report(&ER_TRUNCATED_WRONG_VALUE, &[&kind, &quote_text(&text, collation)])?;
            text.truncate(size);
        }
    }
    Ok(if charset == Charset::Binary { Value::Bytes(text) } else { Value::Str(text, collation) })
}

/// CAST(... AS BINARY(n)).
pub(super) fn to_binary(
    value: ValueRef<'_>,
    size: Option<u32>,
    context: &mut Context<'_>,
) -> Result<Value, SqlError> {
    if context.is_too_large(wanted_size(size), "cast_as_binary")? {
        return Ok(Value::Null);
    }
    let mut bytes = Vec::new();
    value.write_text(&mut bytes);
    if let Some(size) = size {
        let wanted = usize::try_from(size).unwrap_or(usize::MAX);
        if wanted < bytes.len() {
            let kind = format!("BINARY({size})");
            context.report(&ER_TRUNCATED_WRONG_VALUE, &[&kind, &quote_bytes_as_text(&bytes)])?;
        }
        bytes.resize(wanted, 0);
    }
    Ok(Value::Bytes(bytes))
}

/// What a type asks for; 0 if it says nothing.
fn wanted_size(size: Option<u32>) -> usize {
    size.map_or(0, |size| usize::try_from(size).unwrap_or(usize::MAX))
}
