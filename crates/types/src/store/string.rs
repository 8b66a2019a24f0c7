//! CHAR, VARCHAR, TEXT and their binary kin.

use std::borrow::Cow;

use super::Target;
use crate::charset::{Charset, Converted, convert, quote_bytes};
use crate::column::ColumnType;
use crate::error::SqlError;
use crate::error::table::{ER_DATA_TOO_LONG, WARN_DATA_TRUNCATED};
use crate::number::{write_double_in, write_float_in};
use crate::row::{length_size, trimmed, write_length_and_bytes};
use crate::value::ValueRef;

pub(super) fn store(
    value: ValueRef<'_>,
    target: &mut Target<'_, '_>,
    out: &mut Vec<u8>,
) -> Result<(), SqlError> {
    let ty = target.column.ty;
    let text = converted(value, target)?;
    let charset = ty.collation().map_or(Charset::Binary, crate::collation::Collation::charset);
    let fitting = fitting_size(ty, charset, &text);
    if fitting < text.len() {
        too_long(&text[fitting..], target)?;
    }
    write_length_and_bytes(length_size(ty), trimmed(ty, &text[..fitting]), out);
    Ok(())
}

/// The size of the longest prefix, in whole characters, that the column holds.
fn fitting_size(ty: ColumnType, charset: Charset, text: &[u8]) -> usize {
    let bytes_max = usize::try_from(ty.bytes_max().unwrap_or(0)).unwrap_or(usize::MAX);
    let chars_max = usize::try_from(ty.chars_max().unwrap_or(0)).unwrap_or(usize::MAX);
    let size = charset.prefix_size(text, chars_max);
    if size <= bytes_max {
        return size;
    }
    // Only TEXT counts bytes: cut in front of the character that the limit lies in.
    let cut = &text[..bytes_max];
    charset.valid_prefix_size(cut)
}

/// Blanks may be cut off text with a note (CHAR: without one); nothing else may be cut off silently.
fn too_long(rest: &[u8], target: &mut Target<'_, '_>) -> Result<(), SqlError> {
    let row = target.context.row;
    let only_blanks = target.column.ty.collation().is_some() && rest.iter().all(|&byte| byte == b' ');
    if only_blanks {
        if !matches!(target.column.ty, ColumnType::Char { .. }) {
            target.truncated_note();
        }
        return Ok(());
    }
    if target.context.strict {
        return Err(ER_DATA_TOO_LONG.error(&[&target.column.name, &row]));
    }
    target.context.report(&WARN_DATA_TRUNCATED, &[&target.column.name, &row])
}

/// The value's text in the column's character set.
fn converted<'v>(value: ValueRef<'v>, target: &mut Target<'_, '_>) -> Result<Cow<'v, [u8]>, SqlError> {
    let charset = target.column.ty.collation().map(crate::collation::Collation::charset);
    match (value, charset) {
        (ValueRef::Str(bytes, _), None) => Ok(Cow::Borrowed(bytes)),
        (ValueRef::Str(bytes, collation), Some(charset)) if collation.charset() == charset => {
            valid(Cow::Borrowed(bytes), charset, target)
        }
        (ValueRef::Str(bytes, collation), Some(charset)) => {
            let mut text = Vec::with_capacity(bytes.len());
            if let Converted::WithReplacements { first } =
                convert(bytes, collation.charset(), charset, &mut text)
            {
                target.incorrect("string", &quote_bytes(&bytes[first..]))?;
            }
            Ok(Cow::Owned(text))
        }
        (ValueRef::Chosen(chosen), Some(charset)) => {
            let mut text = Vec::new();
            if let Converted::WithReplacements { .. } =
                convert(&chosen.text(), chosen.collation().charset(), charset, &mut text)
            {
                target.incorrect("string", &value.to_message())?;
            }
            Ok(Cow::Owned(text))
        }
        (ValueRef::Bytes(bytes), None) => Ok(bytes.to_cow()),
        (ValueRef::Bytes(bytes), Some(charset)) => valid(bytes.to_cow(), charset, target),
        _ => {
            let mut text = Vec::with_capacity(32);
            let width = usize::try_from(target.column.ty.chars_max().unwrap_or(0)).unwrap_or(usize::MAX);
            match value {
                ValueRef::Float(number) => write_float_in(number, width, &mut text),
                ValueRef::Double(number) => write_double_in(number, width, &mut text),
                // Plain numbers here, unlike in expressions.
                ValueRef::Bit(bits) => ValueRef::UInt(bits.number()).write_text(&mut text),
                ValueRef::Year(year) => ValueRef::UInt(year.into()).write_text(&mut text),
                _ => value.write_text(&mut text),
            }
            Ok(Cow::Owned(text))
        }
    }
}

/// The bytes up to the first that is not valid in the column.
fn valid<'v>(
    bytes: Cow<'v, [u8]>,
    charset: Charset,
    target: &mut Target<'_, '_>,
) -> Result<Cow<'v, [u8]>, SqlError> {
    let size = charset.valid_prefix_size(&bytes);
    if size == bytes.len() {
        return Ok(bytes);
    }
    target.incorrect("string", &quote_bytes(&bytes[size..]))?;
    Ok(match bytes {
        Cow::Borrowed(bytes) => Cow::Borrowed(&bytes[..size]),
        Cow::Owned(mut bytes) => {
            bytes.truncate(size);
            Cow::Owned(bytes)
        }
    })
}
