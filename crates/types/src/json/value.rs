//! A JSON value as a tree.

use crate::decimal::{Decimal, PRECISION_MAX, SCALE_MAX};
use crate::temporal::{Date, DateTime, FSP_MAX, Time};

use super::{Object, Opaque, TooDeep};

/// How many arrays and objects may lie within one another, the outermost counted.
pub const NESTING_MAX: usize = 100;

/// A JSON value. Beyond the types of the standard MySQL keeps numbers apart by how they came in, and what SQL
/// values have no JSON type: temporal values, and bytes as [`Opaque`].
///
/// `==` looks at types and values (`1` is not `1.0`); SQL's `=` is [`compare`](super::compare).
#[derive(Clone, Debug, PartialEq)]
pub enum Json {
    /// `null`, which is not SQL's NULL.
    Null,
    /// `true`, `false`
    Bool(bool),
    /// "INTEGER"
    Int(i64),
    /// "UNSIGNED INTEGER"
    UInt(u64),
    /// A finite number.
    Double(f64),
    /// A DECIMAL of SQL, with no more digits than a column can have: see [`Json::decimal`]. Boxed, for it is rare and
    /// twice as large as the others.
    Decimal(Box<Decimal>),
    /// Text.
    String(String),
    /// `[...]`
    Array(Vec<Json>),
    /// `{...}`
    Object(Object),
    /// A DATE of SQL.
    Date(Date),
    /// A TIME of SQL.
    Time(Time),
    /// A DATETIME of SQL.
    DateTime(DateTime),
    /// A TIMESTAMP of SQL; it differs from a DATETIME in its stored form and name only.
    Timestamp(DateTime),
    /// Bytes of a type that JSON does not have.
    Opaque(Opaque),
}

impl Json {
    /// A DECIMAL, brought into what a column can hold: 65 digits, of which 30 behind the point.
    pub fn decimal(value: Decimal) -> Self {
        let scale_beside = |int_digits: u8| SCALE_MAX.min(PRECISION_MAX.saturating_sub(int_digits.max(1)));
        let mut fitting = value;
        // Rounding 9.99 may take a digit more before the point, and so one less behind it.
        for _ in 0..2 {
            let scale = scale_beside(fitting.int_digits());
            if fitting.scale() > scale {
                fitting = fitting.round(i32::from(scale)).unwrap_or(fitting);
            }
        }
        if fitting.int_digits() > PRECISION_MAX {
            fitting = Decimal::column_max(PRECISION_MAX, 0, value.is_negative());
        }
        Self::Decimal(Box::new(fitting))
    }

    /// A string.
    pub fn string(text: impl Into<String>) -> Self {
        Self::String(text.into())
    }

    /// Whether this is neither an array nor an object.
    pub fn is_scalar(&self) -> bool {
        !matches!(self, Self::Array(_) | Self::Object(_))
    }

    /// How many arrays and objects lie within one another: 0 for a scalar, 1 for `[]` and for `[1]`.
    pub fn nesting(&self) -> usize {
        match self {
            Self::Array(items) => 1 + items.iter().map(Self::nesting).max().unwrap_or(0),
            Self::Object(object) => 1 + object.values().map(Self::nesting).max().unwrap_or(0),
            _ => 0,
        }
    }

    /// The value itself, if it is not nested too deeply. Whoever makes larger values of small ones asks.
    pub fn bounded(self) -> Result<Self, TooDeep> {
        if self.nesting() > NESTING_MAX { Err(TooDeep) } else { Ok(self) }
    }

    /// About the bytes of its binary form, and no less than its texts: what bounds results.
    pub fn size(&self) -> usize {
        /// An item's entry in a large array.
        const ENTRY: usize = 5;
        ENTRY
            + match self {
                Self::String(text) => text.len(),
                Self::Opaque(opaque) => opaque.bytes.len(),
                Self::Array(items) => items.iter().map(Self::size).sum(),
                Self::Object(object) => object.iter().map(|(name, value)| name.len() + value.size()).sum(),
                _ => 0,
            }
    }

    /// The array that this is where an array is wanted: anything else counts as its only element.
    #[must_use]
    pub fn into_array(self) -> Vec<Self> {
        match self {
            Self::Array(items) => items,
            other => vec![other],
        }
    }

    /// Takes the value and leaves `null`.
    pub(super) fn take(&mut self) -> Self {
        std::mem::replace(self, Self::Null)
    }
}

impl From<bool> for Json {
    fn from(value: bool) -> Self {
        Self::Bool(value)
    }
}

impl From<i64> for Json {
    fn from(value: i64) -> Self {
        Self::Int(value)
    }
}

impl From<u64> for Json {
    fn from(value: u64) -> Self {
        Self::UInt(value)
    }
}

impl From<&str> for Json {
    fn from(text: &str) -> Self {
        Self::String(text.to_owned())
    }
}

/// JSON shows and stores six digits of a second's fraction, whatever the column had.
pub(super) fn time_in_full(value: Time) -> Time {
    Time::saturating(value.micros(), FSP_MAX)
}
