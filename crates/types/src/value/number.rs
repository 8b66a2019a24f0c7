//! Values as numbers.
//!
//! Text counts as the number at its beginning, with warning 1292 about the rest; a date counts as YYYYMMDD, a time
//! as hhmmss, with their fraction; a label of an ENUM as its number, those of a SET as their bits.

use super::{Value, ValueRef, number_in};
use crate::collation::Collation;
use crate::context::Context;
use crate::decimal::Decimal;
use crate::error::SqlError;
use crate::error::table::{ER_INVALID_JSON_VALUE_FOR_CAST, ER_TRUNCATED_WRONG_VALUE};
use crate::number::{is_whole, parse_double};
use crate::temporal::{DateTime, Time};
use crate::value::quote_text;

/// A value in the kind of number that arithmetic uses for it: text is a DOUBLE, a date an integer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Numeric {
    /// A signed integer.
    Int(i64),
    /// An unsigned integer.
    UInt(u64),
    /// An exact number.
    Decimal(Decimal),
    /// A double.
    Double(f64),
}

impl Numeric {
    /// Whether it is a double with more digits than any DECIMAL has: [`Numeric::to_decimal`] is another number then.
    pub fn exceeds_decimals(&self) -> bool {
        matches!(self, Self::Double(value) if value.abs() >= 1e65)
    }

    /// As a double.
    pub fn to_f64(self) -> f64 {
        match self {
            Self::Int(value) => value as f64,
            Self::UInt(value) => value as f64,
            Self::Decimal(value) => value.to_f64(),
            Self::Double(value) => value,
        }
    }

    /// As an exact number; a double goes by its shortest text, and beyond 65 digits becomes the largest.
    pub fn to_decimal(self) -> Decimal {
        match self {
            Self::Int(value) => Decimal::from(value),
            Self::UInt(value) => Decimal::from(value),
            Self::Decimal(value) => value,
            Self::Double(value) => {
                Decimal::from_f64(value).unwrap_or_else(|| Decimal::column_max(65, 0, value < 0.0))
            }
        }
    }

    /// Whether this is 0.
    pub fn is_zero(self) -> bool {
        match self {
            Self::Int(value) => value == 0,
            Self::UInt(value) => value == 0,
            Self::Decimal(value) => value.is_zero(),
            Self::Double(value) => value == 0.0,
        }
    }
}

impl From<Numeric> for Value {
    fn from(number: Numeric) -> Self {
        match number {
            Numeric::Int(value) => Self::Int(value),
            Numeric::UInt(value) => Self::UInt(value),
            Numeric::Decimal(value) => Self::Decimal(value),
            Numeric::Double(value) => Self::Double(value),
        }
    }
}

impl ValueRef<'_> {
    /// The number that arithmetic sees; None for NULL.
    pub fn to_number(self, context: &mut Context<'_>) -> Result<Option<Numeric>, SqlError> {
        Ok(Some(match self {
            Self::Null => return Ok(None),
            Self::Int(value) => Numeric::Int(value),
            Self::UInt(value) => Numeric::UInt(value),
            Self::Decimal(value) => Numeric::Decimal(value),
            Self::Float(value) => Numeric::Double(f64::from(value)),
            Self::Double(value) => Numeric::Double(value),
            Self::Str(bytes, collation) => Numeric::Double(text_to_f64(bytes, collation, context)?),
            Self::Bytes(bytes) => Numeric::Double(text_to_f64(&bytes.to_cow(), Collation::Binary, context)?),
            Self::Date(value) => Numeric::Int(value.to_number()),
            Self::Time(value) => time_number(value),
            Self::DateTime(value) => datetime_number(value),
            Self::Year(year) => Numeric::UInt(year.into()),
            Self::Bit(bits) => Numeric::UInt(bits.number()),
            Self::Chosen(chosen) => Numeric::Double(chosen.number() as f64),
            Self::Json(_) => json_number(self, context)?,
        }))
    }

    /// The value as a double; None for NULL.
    pub fn to_f64(self, context: &mut Context<'_>) -> Result<Option<f64>, SqlError> {
        Ok(self.to_number(context)?.map(Numeric::to_f64))
    }
}

fn json_number(value: ValueRef<'_>, context: &mut Context<'_>) -> Result<Numeric, SqlError> {
    let (number, is_number) = number_in(value.to_json()?, false);
    if !is_number {
        let row = context.row;
        context.report(&ER_INVALID_JSON_VALUE_FOR_CAST, &[&"DOUBLE", &"", &"", &row])?;
    }
    Ok(number.as_ref().to_number(context)?.unwrap_or(Numeric::Int(0)))
}

/// The number at the beginning of a text; an empty one is 0 without a warning.
fn text_to_f64(bytes: &[u8], collation: Collation, context: &mut Context<'_>) -> Result<f64, SqlError> {
    let parsed = parse_double(bytes);
    if parsed.overflow || !is_whole(bytes, parsed.size) {
        context.report(&ER_TRUNCATED_WRONG_VALUE, &[&"DOUBLE", &quote_text(bytes, collation)])?;
    }
    Ok(parsed.value)
}

/// hhmmss, exact if the type shows a fraction.
pub(super) fn time_number(value: Time) -> Numeric {
    with_fraction(value.to_number(), value.is_negative(), value.parts().3, value.fsp())
}

/// YYYYMMDDhhmmss, exact if the type shows a fraction.
pub(super) fn datetime_number(value: DateTime) -> Numeric {
    with_fraction(value.to_number(), false, value.micros(), value.fsp())
}

fn with_fraction(int: i64, negative: bool, micros: u32, fsp: u8) -> Numeric {
    if fsp == 0 {
        return Numeric::Int(int);
    }
    let sign = if negative { "-" } else { "" };
    let text = format!("{sign}{}.{micros:06}", int.unsigned_abs());
    Numeric::Decimal(Decimal::parse_prefix(text.as_bytes()).value.with_scale(fsp))
}

/// Sign, integer part and microseconds of a number; what the number forms of dates and times are
/// read from. None for a number that is too large for any, and for anything else.
pub(crate) fn split(value: ValueRef<'_>, cut_fraction: bool) -> Option<(bool, u64, u32)> {
    match value {
        ValueRef::Int(number) => Some((number < 0, number.unsigned_abs(), 0)),
        ValueRef::UInt(number) => Some((false, number, 0)),
        ValueRef::Bit(bits) => Some((false, bits.number(), 0)),
        ValueRef::Float(number) => split(ValueRef::Double(f64::from(number)), cut_fraction),
        ValueRef::Double(number) => {
            split(ValueRef::Decimal(Numeric::Double(number).to_decimal()), cut_fraction)
        }
        ValueRef::Decimal(number) => {
            let magnitude = number.abs();
            let rounded = if cut_fraction { magnitude.truncate(6) } else { magnitude.round(6).ok()? };
            let int = rounded.truncate(0);
            let fraction = rounded.subtract(&int).ok()?.multiply(&Decimal::from(1_000_000_u64)).ok()?;
            Some((number.is_negative(), int.to_u64()?, u32::try_from(fraction.to_u64()?).ok()?))
        }
        _ => None,
    }
}
