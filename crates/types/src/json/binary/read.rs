//! Reading binary form, step by step; the bytes may be anything.
//!
//! Offsets may point anywhere, so a few bytes could describe a tree of any size: arrays whose members all point at
//! the next array. A [`Budget`] stops that. Whatever is read is paid for with its size, and there are as many bytes to
//! spend as the document has. What MySQL writes holds each byte once and never runs out; entries, names and values
//! that share bytes do, at the latest when as much has been read as there is. Time and memory are so in proportion
//! to the document's size.

#![deny(clippy::indexing_slicing, clippy::arithmetic_side_effects)]

use std::cmp::Ordering;

use super::{kind, literal};
use crate::decimal::{Decimal, PRECISION_MAX, SCALE_MAX, stored_size};
use crate::error::SqlError;
use crate::error::table::ER_INVALID_JSON_BINARY_DATA;
use crate::json::NESTING_MAX;
use crate::json::object::compare_names;
use crate::json::opaque::code;
use crate::temporal::{Date, DateTime, FSP_MAX, MICROS_PER_SECOND, Time};

/// Bytes that are no JSON document: error 3142.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InvalidBinary {
    /// What is wrong, for a log.
    pub what: &'static str,
}

impl From<InvalidBinary> for SqlError {
    fn from(_: InvalidBinary) -> Self {
        ER_INVALID_JSON_BINARY_DATA.error(&[])
    }
}

impl std::fmt::Display for InvalidBinary {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "invalid binary JSON: {}", self.what)
    }
}

impl std::error::Error for InvalidBinary {}

pub(super) type Result<T> = std::result::Result<T, InvalidBinary>;

const TRUNCATED: InvalidBinary = InvalidBinary { what: "it ends too early" };

fn invalid<T>(what: &'static str) -> Result<T> {
    Err(InvalidBinary { what })
}

/// How much may still be read.
pub(super) struct Budget {
    bytes: usize,
    nesting: usize,
}

impl Budget {
    fn spend(&mut self, size: usize) -> Result<()> {
        match self.bytes.checked_sub(size) {
            Some(rest) => {
                self.bytes = rest;
                Ok(())
            }
            None => invalid("its parts share bytes"),
        }
    }

    /// Enters an array or object.
    pub(super) fn enter(&mut self) -> Result<()> {
        match self.nesting.checked_sub(1) {
            Some(rest) => {
                self.nesting = rest;
                Ok(())
            }
            None => invalid("it is nested too deeply"),
        }
    }

    /// Leaves it again.
    pub(super) fn leave(&mut self) {
        self.nesting = self.nesting.saturating_add(1);
    }
}

/// A value whose members have not been looked at.
#[derive(Clone, Copy)]
pub(super) enum Item<'a> {
    Null,
    Bool(bool),
    Int(i64),
    UInt(u64),
    Double(f64),
    String(&'a str),
    Decimal(Decimal),
    Date(Date),
    Time(Time),
    DateTime(DateTime),
    Timestamp(DateTime),
    Opaque { field_type: u8, bytes: &'a [u8] },
    Container(Container<'a>),
}

/// An array or object.
#[derive(Clone, Copy)]
pub(super) struct Container<'a> {
    /// All of it, from its count on.
    bytes: &'a [u8],
    large: bool,
    pub(super) object: bool,
    pub(super) count: usize,
}

/// The value of a document, and what may be spent on its members. No bytes at all are `null`, as in MySQL, which leaves
/// them where a column becomes NOT NULL.
pub(super) fn document(bytes: &[u8]) -> Result<(Item<'_>, Budget)> {
    let mut budget = Budget { bytes: bytes.len(), nesting: NESTING_MAX };
    let Some((&ty, value)) = bytes.split_first() else {
        return Ok((Item::Null, budget));
    };
    budget.spend(1)?;
    let item = item(ty, value, &mut budget)?;
    Ok((item, budget))
}

/// The value of this type at the beginning of `bytes`.
fn item<'a>(ty: u8, bytes: &'a [u8], budget: &mut Budget) -> Result<Item<'a>> {
    match ty {
        kind::OBJECT_SMALL | kind::OBJECT_LARGE | kind::ARRAY_SMALL | kind::ARRAY_LARGE => {
            container(ty, bytes, budget).map(Item::Container)
        }
        kind::STRING => {
            let text = sized(bytes, budget)?;
            match std::str::from_utf8(text) {
                Ok(text) => Ok(Item::String(text)),
                Err(_) => invalid("a string is not UTF-8"),
            }
        }
        kind::OPAQUE => {
            let (&field_type, rest) = bytes.split_first().ok_or(TRUNCATED)?;
            budget.spend(1)?;
            opaque(field_type, sized(rest, budget)?)
        }
        _ => number(ty, bytes, budget),
    }
}

fn number<'a>(ty: u8, bytes: &[u8], budget: &mut Budget) -> Result<Item<'a>> {
    Ok(match ty {
        kind::LITERAL => match fixed(bytes, budget)? {
            [literal::NULL] => Item::Null,
            [literal::TRUE] => Item::Bool(true),
            [literal::FALSE] => Item::Bool(false),
            _ => return invalid("unknown literal"),
        },
        kind::INT16 => Item::Int(i16::from_le_bytes(fixed(bytes, budget)?).into()),
        kind::UINT16 => Item::UInt(u16::from_le_bytes(fixed(bytes, budget)?).into()),
        kind::INT32 => Item::Int(i32::from_le_bytes(fixed(bytes, budget)?).into()),
        kind::UINT32 => Item::UInt(u32::from_le_bytes(fixed(bytes, budget)?).into()),
        kind::INT64 => Item::Int(i64::from_le_bytes(fixed(bytes, budget)?)),
        kind::UINT64 => Item::UInt(u64::from_le_bytes(fixed(bytes, budget)?)),
        kind::DOUBLE => {
            let value = f64::from_le_bytes(fixed(bytes, budget)?);
            if !value.is_finite() {
                return invalid("a double is not finite");
            }
            Item::Double(value)
        }
        _ => return invalid("unknown type"),
    })
}

fn fixed<const N: usize>(bytes: &[u8], budget: &mut Budget) -> Result<[u8; N]> {
    budget.spend(N)?;
    bytes.first_chunk().copied().ok_or(TRUNCATED)
}

/// A length and as many bytes.
fn sized<'a>(bytes: &'a [u8], budget: &mut Budget) -> Result<&'a [u8]> {
    let mut length = 0_u64;
    for (at, &byte) in bytes.iter().take(5).enumerate() {
        let shift = u32::try_from(at).unwrap_or(0).saturating_mul(7);
        length |= u64::from(byte & 0x7F) << shift;
        if byte & 0x80 == 0 {
            let start = at.saturating_add(1);
            let size = usize::try_from(length).map_err(|_| TRUNCATED)?;
            let end = start.checked_add(size).ok_or(TRUNCATED)?;
            budget.spend(end)?;
            return bytes.get(start..end).ok_or(TRUNCATED);
        }
    }
    invalid("a length has no end")
}

fn opaque(field_type: u8, bytes: &[u8]) -> Result<Item<'_>> {
    let packed = || bytes.try_into().map(i64::from_le_bytes).ok();
    let item = match field_type {
        code::DECIMAL => decimal(bytes).map(Item::Decimal),
        code::DATE => packed().and_then(datetime).map(|value| Item::Date(value.date())),
        code::TIME => packed().and_then(time).map(Item::Time),
        code::DATETIME => packed().and_then(datetime).map(Item::DateTime),
        code::TIMESTAMP => packed().and_then(datetime).map(Item::Timestamp),
        _ => Some(Item::Opaque { field_type, bytes }),
    };
    item.ok_or(InvalidBinary { what: "an opaque value does not fit its type" })
}

fn decimal(bytes: &[u8]) -> Option<Decimal> {
    let ([precision, scale], stored) = bytes.split_first_chunk()?;
    let known = (1..=PRECISION_MAX).contains(precision) && *scale <= SCALE_MAX.min(*precision);
    (known && stored.len() == stored_size(*precision, *scale))
        .then(|| Decimal::read_stored(stored, *precision, *scale))
}

fn datetime(packed: i64) -> Option<DateTime> {
    let days = u64::try_from(packed).ok()? >> 41;
    let months = days >> 5;
    let part = |value: u64| u8::try_from(value).ok();
    let year = u16::try_from(months / 13).ok()?;
    let date = Date::new(year, part(months % 13)?, part(days & 0x1F)?)?;
    let (hour, minute, second, micros) = clock(packed.unsigned_abs())?;
    DateTime::new(date, part(hour & 0x1F)?, minute, second, micros, FSP_MAX)
}

fn time(packed: i64) -> Option<Time> {
    let (hours, minute, second, micros) = clock(packed.unsigned_abs())?;
    let hours = u32::try_from(hours).ok()?;
    let known = minute < 60 && second < 60 && i64::from(micros) < MICROS_PER_SECOND;
    known.then(|| Time::new(packed < 0, hours, minute, second, micros, FSP_MAX)).flatten()
}

/// (hours and all above, minutes, seconds, microseconds)
fn clock(packed: u64) -> Option<(u64, u8, u8, u32)> {
    let part = |shift: u32| u8::try_from(packed >> shift & 0x3F).ok();
    Some((packed >> 36, part(30)?, part(24)?, u32::try_from(packed & 0xFF_FFFF).ok()?))
}

fn container<'a>(ty: u8, bytes: &'a [u8], budget: &mut Budget) -> Result<Container<'a>> {
    let large = matches!(ty, kind::OBJECT_LARGE | kind::ARRAY_LARGE);
    let object = matches!(ty, kind::OBJECT_SMALL | kind::OBJECT_LARGE);
    let whole = Container { bytes, large, object, count: 0 };
    let count = whole.word(0)?;
    let size = whole.word(whole.word_size())?;
    let bytes = bytes.get(..size).ok_or(TRUNCATED)?;
    let container = Container { bytes, count, ..whole };
    let header = container.value_entry(count).ok_or(TRUNCATED)?;
    if header > size {
        return Err(TRUNCATED);
    }
    budget.spend(header)?;
    Ok(container)
}

impl<'a> Container<'a> {
    fn word_size(&self) -> usize {
        if self.large { 4 } else { 2 }
    }

    fn word(&self, at: usize) -> Result<usize> {
        let bytes = self.bytes.get(at..).ok_or(TRUNCATED)?;
        if self.large {
            let word = bytes.first_chunk().copied().map(u32::from_le_bytes).ok_or(TRUNCATED)?;
            usize::try_from(word).map_err(|_| TRUNCATED)
        } else {
            bytes.first_chunk().copied().map(u16::from_le_bytes).map(usize::from).ok_or(TRUNCATED)
        }
    }

    fn name_entry(&self, at: usize) -> Option<usize> {
        let entry = self.word_size().checked_add(2)?;
        self.word_size().checked_mul(2)?.checked_add(entry.checked_mul(at)?)
    }

    fn value_entry(&self, at: usize) -> Option<usize> {
        let names = if self.object { self.count } else { 0 };
        let entry = self.word_size().checked_add(1)?;
        self.name_entry(names)?.checked_add(entry.checked_mul(at)?)
    }

    /// The name of a member of an object.
    pub(super) fn name(&self, at: usize, budget: &mut Budget) -> Result<&'a str> {
        let entry = self.name_entry(at).ok_or(TRUNCATED)?;
        let start = self.word(entry)?;
        let size_at = entry.checked_add(self.word_size()).ok_or(TRUNCATED)?;
        let size = self.bytes.get(size_at..).and_then(<[u8]>::first_chunk).ok_or(TRUNCATED)?;
        let size = usize::from(u16::from_le_bytes(*size));
        budget.spend(size)?;
        let end = start.checked_add(size).ok_or(TRUNCATED)?;
        let name = self.bytes.get(start..end).ok_or(TRUNCATED)?;
        std::str::from_utf8(name).or_else(|_| invalid("a name is not UTF-8"))
    }

    /// The place of the member with this name, by the order that an object is written in; a damaged one may hide it.
    pub(super) fn find(&self, name: &str, budget: &mut Budget) -> Result<Option<usize>> {
        let (mut low, mut high) = (0, self.count);
        while low < high {
            let middle = low.midpoint(high);
            match compare_names(self.name(middle, budget)?, name) {
                Ordering::Less => low = middle.saturating_add(1),
                Ordering::Equal => return Ok(Some(middle)),
                Ordering::Greater => high = middle,
            }
        }
        Ok(None)
    }

    /// A member's value.
    pub(super) fn value(&self, at: usize, budget: &mut Budget) -> Result<Item<'a>> {
        let entry = self.value_entry(at).ok_or(TRUNCATED)?;
        let (&ty, place) = self.bytes.get(entry..).and_then(<[u8]>::split_first).ok_or(TRUNCATED)?;
        let inlined = match ty {
            kind::LITERAL | kind::INT16 | kind::UINT16 => true,
            kind::INT32 | kind::UINT32 => self.large,
            _ => false,
        };
        if inlined {
            // Paid for with the entries.
            return number(ty, place, &mut Budget { bytes: self.word_size(), nesting: 0 });
        }
        let start = self.word(entry.saturating_add(1))?;
        item(ty, self.bytes.get(start..).ok_or(TRUNCATED)?, budget)
    }
}
