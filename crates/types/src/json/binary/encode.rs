//! A tree to binary form.
//!
//! Whether an array or object is small depends on the sizes of all it holds, so a first pass measures, bottom up, and
//! notes the sizes in the order in which the second pass meets them. Writing each as a small one, and again as a large
//! one where that fails, was the alternative; it writes deeply nested documents many times over.

use std::collections::VecDeque;

use super::{kind, literal};
use crate::decimal::{Decimal, PRECISION_MAX, SCALE_MAX, stored_size};
use crate::error::SqlError;
use crate::error::table::{ER_JSON_KEY_TOO_BIG, ER_JSON_VALUE_TOO_BIG};
use crate::json::opaque::code;
use crate::json::{Json, Object};
use crate::temporal::{Date, DateTime, Time};

/// The largest size of a small array or object.
const SMALL_MAX: usize = 0xFFFF;

/// Why a value has no binary form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EncodeError {
    /// It takes 4 GiB or more, or a DECIMAL has more digits than a column can have: error 3150.
    ValueTooBig,
    /// A member's name has more than 65535 bytes: error 3151.
    KeyTooBig,
}

impl From<EncodeError> for SqlError {
    fn from(error: EncodeError) -> Self {
        match error {
            EncodeError::ValueTooBig => ER_JSON_VALUE_TOO_BIG.error(&[]),
            EncodeError::KeyTooBig => ER_JSON_KEY_TOO_BIG.error(&[]),
        }
    }
}

/// Appends the binary form. After an error `out` is as it was.
pub fn encode(value: &Json, out: &mut Vec<u8>) -> Result<(), EncodeError> {
    let mut sizes = Sizes::default();
    let size = sizes.measure(value)?;
    u32::try_from(size).map_err(|_| EncodeError::ValueTooBig)?;
    out.reserve(1 + size);
    let start = out.len();
    let mut writer = Writer { sizes: sizes.containers.into(), out };
    writer.out.push(type_byte(value, writer.next_is_large()));
    writer.value(value);
    debug_assert_eq!(writer.out.len() - start, 1 + size, "measured and written sizes differ");
    Ok(())
}

/// The size of the binary form in bytes: JSON_STORAGE_SIZE.
pub fn encoded_size(value: &Json) -> Result<usize, EncodeError> {
    Sizes::default().measure(value).map(|size| 1 + size)
}

/// The sizes of all arrays and objects, each before those within it.
#[derive(Default)]
struct Sizes {
    containers: Vec<Measured>,
}

/// What was found out about an array or object. The size alone does not tell whether it is large: what is too big for
/// a small one may, with integers inlined, take less than 64 KiB as a large one.
#[derive(Clone, Copy)]
struct Measured {
    size: usize,
    large: bool,
}

impl Sizes {
    /// The size of a value without its type byte.
    fn measure(&mut self, value: &Json) -> Result<usize, EncodeError> {
        match value {
            Json::Array(items) => self.container(items.iter(), items.len(), None),
            Json::Object(object) => self.container(object.values(), object.len(), Some(object)),
            Json::String(text) => Ok(length_size(text.len())? + text.len()),
            Json::Opaque(opaque) => Ok(1 + length_size(opaque.bytes.len())? + opaque.bytes.len()),
            Json::Decimal(value) => Ok(1 + 1 + 2 + decimal_size(value)?),
            Json::Date(_) | Json::Time(_) | Json::DateTime(_) | Json::Timestamp(_) => Ok(1 + 1 + 8),
            Json::Null | Json::Bool(_) => Ok(1),
            Json::Int(_) | Json::UInt(_) | Json::Double(_) => Ok(number_size(type_byte(value, false))),
        }
    }

    fn container<'a>(
        &mut self,
        values: impl Iterator<Item = &'a Json>,
        count: usize,
        object: Option<&Object>,
    ) -> Result<usize, EncodeError> {
        let at = self.containers.len();
        self.containers.push(Measured { size: 0, large: false });
        let mut names = 0;
        for name in object.into_iter().flat_map(Object::names) {
            u16::try_from(name.len()).map_err(|_| EncodeError::KeyTooBig)?;
            names += name.len();
        }
        // Behind the entries, in a small and in a large one.
        let (mut small, mut large) = (names, names);
        for value in values {
            let ty = type_byte(value, false);
            let size = self.measure(value)?;
            small += if is_inlined(ty, false) { 0 } else { size };
            large += if is_inlined(ty, true) { 0 } else { size };
        }
        small += Layout::new(false, object.is_some()).values_at(count);
        large += Layout::new(true, object.is_some()).values_at(count);
        let is_large = small > SMALL_MAX;
        let size = if is_large { large } else { small };
        self.containers[at] = Measured { size, large: is_large };
        Ok(size)
    }
}

/// Where things are in an array or object.
#[derive(Clone, Copy)]
struct Layout {
    large: bool,
    word: usize,
    name_entry: usize,
}

impl Layout {
    fn new(large: bool, object: bool) -> Self {
        let word = if large { 4 } else { 2 };
        Self { large, word, name_entry: if object { word + 2 } else { 0 } }
    }

    /// Where the entries of `count` members end.
    fn values_at(self, count: usize) -> usize {
        2 * self.word + count * (self.name_entry + 1 + self.word)
    }
}

struct Writer<'a> {
    sizes: VecDeque<Measured>,
    out: &'a mut Vec<u8>,
}

impl Writer<'_> {
    /// Whether the array or object that is written next will be large. Any answer will do for other values.
    fn next_is_large(&self) -> bool {
        self.sizes.front().is_some_and(|measured| measured.large)
    }

    /// Writes a value without its type byte.
    fn value(&mut self, value: &Json) {
        match value {
            Json::Array(items) => self.container(items.iter(), items.len(), None),
            Json::Object(object) => self.container(object.values(), object.len(), Some(object)),
            scalar => write_scalar(scalar, self.out),
        }
    }

    fn container<'a>(
        &mut self,
        values: impl Iterator<Item = &'a Json>,
        count: usize,
        object: Option<&Object>,
    ) {
        let Measured { size, large } = self.sizes.pop_front().expect("every array and object was measured");
        let layout = Layout::new(large, object.is_some());
        let start = self.out.len();
        self.word(layout, count);
        self.word(layout, size);
        let mut name_at = layout.values_at(count);
        for name in object.into_iter().flat_map(Object::names) {
            self.word(layout, name_at);
            let size = u16::try_from(name.len()).expect("names were measured");
            self.out.extend_from_slice(&size.to_le_bytes());
            name_at += name.len();
        }
        let mut entry_at = self.out.len();
        self.out.resize(start + layout.values_at(count), 0);
        for name in object.into_iter().flat_map(Object::names) {
            self.out.extend_from_slice(name.as_bytes());
        }
        for value in values {
            let ty = type_byte(value, self.next_is_large());
            self.out[entry_at] = ty;
            let place = entry_at + 1..entry_at + 1 + layout.word;
            entry_at = place.end;
            let at = self.out.len();
            self.value(value);
            if is_inlined(ty, layout.large) {
                // It was written at the end, where it does not stay.
                let size = self.out.len() - at;
                self.out.copy_within(at.., place.start);
                self.out[place.start + size..place.end].fill(0);
                self.out.truncate(at);
            } else {
                let word = word_bytes(at - start);
                self.out[place.clone()].copy_from_slice(&word[..layout.word]);
            }
        }
    }

    fn word(&mut self, layout: Layout, value: usize) {
        self.out.extend_from_slice(&word_bytes(value)[..layout.word]);
    }
}

/// Little-endian; a small one takes the first two.
fn word_bytes(value: usize) -> [u8; 4] {
    u32::try_from(value).expect("the document's size was measured").to_le_bytes()
}

fn is_inlined(ty: u8, large: bool) -> bool {
    match ty {
        kind::LITERAL | kind::INT16 | kind::UINT16 => true,
        kind::INT32 | kind::UINT32 => large,
        _ => false,
    }
}

/// The type byte; `large` counts for arrays and objects only.
fn type_byte(value: &Json, large: bool) -> u8 {
    match value {
        Json::Object(_) if large => kind::OBJECT_LARGE,
        Json::Object(_) => kind::OBJECT_SMALL,
        Json::Array(_) if large => kind::ARRAY_LARGE,
        Json::Array(_) => kind::ARRAY_SMALL,
        Json::Null | Json::Bool(_) => kind::LITERAL,
        Json::Int(value) if i16::try_from(*value).is_ok() => kind::INT16,
        Json::Int(value) if i32::try_from(*value).is_ok() => kind::INT32,
        Json::Int(_) => kind::INT64,
        Json::UInt(value) if u16::try_from(*value).is_ok() => kind::UINT16,
        Json::UInt(value) if u32::try_from(*value).is_ok() => kind::UINT32,
        Json::UInt(_) => kind::UINT64,
        Json::Double(_) => kind::DOUBLE,
        Json::String(_) => kind::STRING,
        _ => kind::OPAQUE,
    }
}

fn number_size(ty: u8) -> usize {
    match ty {
        kind::INT16 | kind::UINT16 => 2,
        kind::INT32 | kind::UINT32 => 4,
        _ => 8,
    }
}

fn write_scalar(value: &Json, out: &mut Vec<u8>) {
    match value {
        Json::Null | Json::Array(_) | Json::Object(_) => out.push(literal::NULL),
        Json::Bool(value) => out.push(if *value { literal::TRUE } else { literal::FALSE }),
        Json::Int(number) => {
            out.extend_from_slice(&number.to_le_bytes()[..number_size(type_byte(value, false))]);
        }
        Json::UInt(number) => {
            out.extend_from_slice(&number.to_le_bytes()[..number_size(type_byte(value, false))]);
        }
        Json::Double(value) => out.extend_from_slice(&value.to_le_bytes()),
        Json::String(text) => {
            write_length(text.len(), out);
            out.extend_from_slice(text.as_bytes());
        }
        Json::Opaque(opaque) => {
            out.push(opaque.field_type);
            write_length(opaque.bytes.len(), out);
            out.extend_from_slice(&opaque.bytes);
        }
        Json::Decimal(value) => write_decimal(value, out),
        Json::Date(value) => write_temporal(code::DATE, packed_date(*value), out),
        Json::Time(value) => write_temporal(code::TIME, packed_time(*value), out),
        Json::DateTime(value) => write_temporal(code::DATETIME, value.packed(), out),
        Json::Timestamp(value) => write_temporal(code::TIMESTAMP, value.packed(), out),
    }
}

fn write_temporal(field_type: u8, packed: i64, out: &mut Vec<u8>) {
    out.extend_from_slice(&[field_type, 8]);
    out.extend_from_slice(&packed.to_le_bytes());
}

fn packed_date(value: Date) -> i64 {
    DateTime::from_date(value).packed()
}

fn packed_time(value: Time) -> i64 {
    let (hours, minutes, seconds, micros) = value.parts();
    let clock = i64::from(hours) << 12 | i64::from(minutes) << 6 | i64::from(seconds);
    let packed = clock << 24 | i64::from(micros);
    if value.is_negative() { -packed } else { packed }
}

/// Precision and scale as those of a literal: at least one digit stands before the point.
fn decimal_type(value: &Decimal) -> (u8, u8) {
    (value.int_digits().max(1) + value.scale(), value.scale())
}

fn decimal_size(value: &Decimal) -> Result<usize, EncodeError> {
    let (precision, scale) = decimal_type(value);
    if precision > PRECISION_MAX || scale > SCALE_MAX {
        return Err(EncodeError::ValueTooBig);
    }
    Ok(stored_size(precision, scale))
}

fn write_decimal(value: &Decimal, out: &mut Vec<u8>) {
    let (precision, scale) = decimal_type(value);
    out.push(code::DECIMAL);
    write_length(2 + stored_size(precision, scale), out);
    out.extend_from_slice(&[precision, scale]);
    value.write_stored(precision, scale, out);
}

/// How many bytes a length takes.
fn length_size(length: usize) -> Result<usize, EncodeError> {
    let length = u32::try_from(length).map_err(|_| EncodeError::ValueTooBig)?;
    let bits = 32 - (length | 1).leading_zeros();
    Ok(bits.div_ceil(7).to_le_bytes()[0].into())
}

fn write_length(length: usize, out: &mut Vec<u8>) {
    let mut rest = length;
    while rest > 0x7F {
        out.push(rest.to_le_bytes()[0] | 0x80);
        rest >>= 7;
    }
    out.push(rest.to_le_bytes()[0]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_take_seven_bits_a_byte() {
        for (length, bytes) in [
            (0, &[0][..]),
            (127, &[127]),
            (128, &[128, 1]),
            (16_383, &[255, 127]),
            (16_384, &[128, 128, 1]),
            (usize::try_from(u32::MAX).unwrap(), &[255, 255, 255, 255, 15]),
        ] {
            let mut out = Vec::new();
            write_length(length, &mut out);
            assert_eq!(out, bytes);
            assert_eq!(length_size(length), Ok(bytes.len()));
        }
    }

    #[test]
    fn names_of_more_than_65535_bytes_are_refused() {
        let with_name = |size| Json::Object([("k".repeat(size), Json::Null)].into_iter().collect());
        let mut out = vec![7];
        assert_eq!(encode(&with_name(65_536), &mut out), Err(EncodeError::KeyTooBig));
        assert_eq!(out, [7]);
        assert_eq!(encode(&with_name(65_535), &mut out), Ok(()));
    }
}
