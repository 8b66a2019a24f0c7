//! Values of expressions: what lies between a stored row and a client.
//!
//! [`Value`] owns its bytes, [`ValueRef`] borrows them from a row or a literal and is what all functions take.
//! Rules that join two types live in the submodules: text, numbers, truth, comparison. A value knows no column;
//! bringing one into a column is [`store`](crate::store), CAST is [`cast`](crate::cast).

mod bits;
mod chosen;
mod compare;
mod json;
mod number;
mod text;
mod truth;
mod wire;

pub use bits::Bits;
pub use chosen::Chosen;
pub use compare::{compare, compare_text, lax_datetime, moment_of_text, temporal_constant};
pub(crate) use compare::{local, local_time};
pub use json::JSON_COLLATION;
pub(crate) use json::{moment_in, number_in};
pub use number::Numeric;
pub(crate) use number::split;
pub use text::{quote_bytes_as_text, quote_text};
pub use wire::{write_lenenc, write_lenenc_int};

use std::borrow::Cow;

use crate::collation::Collation;
use crate::decimal::Decimal;
use crate::temporal::{Date, DateTime, Time};

/// The year of a YEAR whose byte would be 0, which stands for year 0.
pub const YEAR_BASE: u16 = 1900;

/// A value that owns its bytes.
#[derive(Clone, Debug, Default)]
pub enum Value {
    /// NULL
    #[default]
    Null,
    /// A signed integer.
    Int(i64),
    /// An unsigned integer.
    UInt(u64),
    /// A DECIMAL; its scale is part of it.
    Decimal(Decimal),
    /// A FLOAT: printed with six digits.
    Float(f32),
    /// A DOUBLE, never infinite and never NaN.
    Double(f64),
    /// Text in the character set of its collation.
    Str(Vec<u8>, Collation),
    /// A binary string.
    Bytes(Vec<u8>),
    /// A DATE.
    Date(Date),
    /// A TIME.
    Time(Time),
    /// A DATETIME, or a TIMESTAMP in the session's time zone.
    DateTime(DateTime),
    /// A YEAR: 0, or 1901 to 2155. A number whose text has four digits.
    Year(u16),
    /// A BIT(n): a number whose text is its bytes.
    Bit(Bits),
    /// An ENUM or a SET: a text that counts as its number.
    Chosen(Chosen),
    /// JSON in its binary form.
    Json(Vec<u8>),
}

/// A value that borrows its bytes.
#[derive(Clone, Copy, Debug)]
pub enum ValueRef<'a> {
    /// NULL
    Null,
    /// A signed integer.
    Int(i64),
    /// An unsigned integer.
    UInt(u64),
    /// A DECIMAL.
    Decimal(Decimal),
    /// A FLOAT.
    Float(f32),
    /// A DOUBLE.
    Double(f64),
    /// Text in the character set of its collation.
    Str(&'a [u8], Collation),
    /// A binary string.
    Bytes(BytesRef<'a>),
    /// A DATE.
    Date(Date),
    /// A TIME.
    Time(Time),
    /// A DATETIME.
    DateTime(DateTime),
    /// A YEAR.
    Year(u16),
    /// A BIT(n).
    Bit(Bits),
    /// An ENUM or a SET.
    Chosen(Chosen),
    /// JSON in its binary form.
    Json(&'a [u8]),
}

/// Bytes followed by zeros: rows keep BINARY(n) without the zeros at its end, and reading a column must not
/// allocate.
#[derive(Clone, Copy, Debug)]
pub struct BytesRef<'a> {
    data: &'a [u8],
    zeros: u16,
}

impl<'a> BytesRef<'a> {
    /// `data`, padded with zeros to `size` bytes.
    pub fn padded(data: &'a [u8], size: u16) -> Self {
        let zeros = usize::from(size).saturating_sub(data.len());
        Self { data, zeros: u16::try_from(zeros).unwrap_or(size) }
    }

    /// The size in bytes.
    pub fn len(self) -> usize {
        self.data.len() + usize::from(self.zeros)
    }

    /// Whether there are no bytes.
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// Appends the bytes.
    pub fn write(self, out: &mut Vec<u8>) {
        out.extend_from_slice(self.data);
        out.resize(out.len() + usize::from(self.zeros), 0);
    }

    /// The bytes as a slice; owned only where zeros were left out.
    pub fn to_cow(self) -> Cow<'a, [u8]> {
        if self.zeros == 0 {
            return Cow::Borrowed(self.data);
        }
        let mut bytes = Vec::with_capacity(self.len());
        self.write(&mut bytes);
        Cow::Owned(bytes)
    }
}

impl<'a> From<&'a [u8]> for BytesRef<'a> {
    fn from(data: &'a [u8]) -> Self {
        Self { data, zeros: 0 }
    }
}

impl Value {
    /// Text of `utf8mb4` with its default collation.
    pub fn text(text: &str) -> Self {
        Self::Str(text.as_bytes().to_vec(), Collation::Utf8mb4GeneralCi)
    }

    /// The value, borrowed.
    #[inline]
    pub fn as_ref(&self) -> ValueRef<'_> {
        match self {
            Self::Null => ValueRef::Null,
            Self::Int(value) => ValueRef::Int(*value),
            Self::UInt(value) => ValueRef::UInt(*value),
            Self::Decimal(value) => ValueRef::Decimal(*value),
            Self::Float(value) => ValueRef::Float(*value),
            Self::Double(value) => ValueRef::Double(*value),
            Self::Str(bytes, collation) => ValueRef::Str(bytes, *collation),
            Self::Bytes(bytes) => ValueRef::Bytes(BytesRef::from(bytes.as_slice())),
            Self::Date(value) => ValueRef::Date(*value),
            Self::Time(value) => ValueRef::Time(*value),
            Self::DateTime(value) => ValueRef::DateTime(*value),
            Self::Year(year) => ValueRef::Year(*year),
            Self::Bit(bits) => ValueRef::Bit(*bits),
            Self::Chosen(chosen) => ValueRef::Chosen(*chosen),
            Self::Json(bytes) => ValueRef::Json(bytes),
        }
    }

    /// Whether this is NULL.
    pub fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }
}

impl<'a> ValueRef<'a> {
    /// Text of `utf8mb4` with its default collation.
    pub fn text(text: &'a str) -> Self {
        Self::Str(text.as_bytes(), Collation::Utf8mb4GeneralCi)
    }

    /// A binary string.
    pub fn bytes(bytes: &'a [u8]) -> Self {
        Self::Bytes(BytesRef::from(bytes))
    }

    /// The value with bytes of its own.
    pub fn to_value(self) -> Value {
        match self {
            Self::Null => Value::Null,
            Self::Int(value) => Value::Int(value),
            Self::UInt(value) => Value::UInt(value),
            Self::Decimal(value) => Value::Decimal(value),
            Self::Float(value) => Value::Float(value),
            Self::Double(value) => Value::Double(value),
            Self::Str(bytes, collation) => Value::Str(bytes.to_vec(), collation),
            Self::Bytes(bytes) => Value::Bytes(bytes.to_cow().into_owned()),
            Self::Date(value) => Value::Date(value),
            Self::Time(value) => Value::Time(value),
            Self::DateTime(value) => Value::DateTime(value),
            Self::Year(year) => Value::Year(year),
            Self::Bit(bits) => Value::Bit(bits),
            Self::Chosen(chosen) => Value::Chosen(chosen),
            Self::Json(bytes) => Value::Json(bytes.to_vec()),
        }
    }

    /// Whether this is NULL.
    pub fn is_null(self) -> bool {
        matches!(self, Self::Null)
    }

    /// Whether this is a number: YEAR and BIT are.
    pub fn is_number(self) -> bool {
        matches!(
            self,
            Self::Int(_)
                | Self::UInt(_)
                | Self::Decimal(_)
                | Self::Float(_)
                | Self::Double(_)
                | Self::Year(_)
                | Self::Bit(_)
        )
    }

    /// The bytes of a string of either kind, and of labels.
    pub fn string_bytes(self) -> Option<Cow<'a, [u8]>> {
        match self {
            Self::Str(bytes, _) => Some(Cow::Borrowed(bytes)),
            Self::Bytes(bytes) => Some(bytes.to_cow()),
            Self::Chosen(chosen) => Some(chosen.text()),
            _ => None,
        }
    }
}

impl From<i64> for Value {
    fn from(value: i64) -> Self {
        Self::Int(value)
    }
}

impl From<u64> for Value {
    fn from(value: u64) -> Self {
        Self::UInt(value)
    }
}

impl From<Decimal> for Value {
    fn from(value: Decimal) -> Self {
        Self::Decimal(value)
    }
}

impl From<f64> for Value {
    fn from(value: f64) -> Self {
        Self::Double(value)
    }
}
