//! ENUM and SET: labels, or the number that stands for them.

use std::borrow::Cow;

use super::Target;
use crate::charset::convert;
use crate::column::Labels;
use crate::error::SqlError;
use crate::row::write_low_bytes;
use crate::value::ValueRef;

pub(super) fn store_enum(
    labels: Labels,
    value: ValueRef<'_>,
    target: &mut Target<'_, '_>,
    out: &mut Vec<u8>,
) -> Result<(), SqlError> {
    let count = labels.count() as u64;
    let number = match text_for(labels, value) {
        Some(text) => match labels.find(&text) {
            Some(place) => Some(place as u64 + 1),
            None => number_in(&text).filter(|number| *number <= count),
        },
        None => Some(number_of(value)).filter(|number| (1..=count).contains(number)),
    };
    if number.is_none() {
        target.truncated()?;
    }
    write_low_bytes(number.unwrap_or(0), labels.enum_bytes(), out);
    Ok(())
}

pub(super) fn store_set(
    labels: Labels,
    value: ValueRef<'_>,
    target: &mut Target<'_, '_>,
    out: &mut Vec<u8>,
) -> Result<(), SqlError> {
    let fits = |bits: &u64| bits & !labels.all_bits() == 0;
    let (bits, whole) = if let Some(text) = text_for(labels, value) {
        let named = named_bits(labels, &text);
        let number = number_in(&text).filter(fits).filter(|_| !named.1);
        number.map_or(named, |bits| (bits, true))
    } else {
        let bits = number_of(value);
        (bits & labels.all_bits(), fits(&bits))
    };
    if !whole {
        target.truncated()?;
    }
    write_low_bytes(bits, labels.set_bytes(), out);
    Ok(())
}

/// The bits of labels separated by commas, and whether all are labels.
fn named_bits(labels: Labels, text: &[u8]) -> (u64, bool) {
    if text.is_empty() {
        return (0, true);
    }
    let mut bits = 0;
    let mut whole = true;
    for name in text.split(|byte| *byte == b',') {
        match labels.find(name) {
            Some(place) => bits |= 1 << place,
            None => whole = false,
        }
    }
    (bits, whole)
}

/// A text's bytes in the labels' character set; none for a number.
fn text_for(labels: Labels, value: ValueRef<'_>) -> Option<Cow<'_, [u8]>> {
    let from = match value {
        ValueRef::Str(_, collation) => collation.charset(),
        ValueRef::Chosen(chosen) => chosen.collation().charset(),
        ValueRef::Date(_) | ValueRef::Time(_) | ValueRef::DateTime(_) => {
            let mut text = Vec::new();
            value.write_text(&mut text);
            return Some(Cow::Owned(text));
        }
        _ => return value.string_bytes(),
    };
    let (text, to) = (value.string_bytes()?, labels.collation().charset());
    if from == to || text.is_ascii() {
        return Some(text);
    }
    let mut converted = Vec::with_capacity(text.len());
    convert(&text, from, to, &mut converted);
    Some(Cow::Owned(converted))
}

/// The whole part of a number, as 64 bits.
#[expect(clippy::cast_possible_truncation, reason = "the cast saturates")]
fn number_of(value: ValueRef<'_>) -> u64 {
    let signed = match value {
        ValueRef::Int(number) => number,
        ValueRef::UInt(number) => return number,
        ValueRef::Bit(bits) => return bits.number(),
        ValueRef::Year(year) => return year.into(),
        ValueRef::Decimal(number) => {
            let most = if number.is_negative() { i64::MIN } else { i64::MAX };
            number.truncate(0).to_i64().unwrap_or(most)
        }
        ValueRef::Float(number) => number as i64,
        ValueRef::Double(number) => number as i64,
        _ => 0,
    };
    signed.cast_unsigned()
}

/// A text that is a number and nothing else.
fn number_in(text: &[u8]) -> Option<u64> {
    std::str::from_utf8(text).ok()?.trim().parse().ok()
}
