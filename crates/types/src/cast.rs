//! CAST and CONVERT: a value as another type, in an expression.
//!
//! What cannot be converted becomes 0, a shortened text or NULL, with a warning (an error in a strict statement that
//! writes). `name` is the expression's text: MySQL names it where a column would be named.

mod number;
mod string;
mod temporal;

use std::fmt::Display;

use crate::collation::Collation;
use crate::context::Context;
use crate::error::SqlError;
use crate::value::{Value, ValueRef};

/// What CAST converts to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CastTarget {
    /// SIGNED, SIGNED INTEGER.
    Signed,
    /// UNSIGNED, UNSIGNED INTEGER.
    Unsigned,
    /// DECIMAL(p, s).
    Decimal {
        /// All digits.
        precision: u8,
        /// Those behind the point.
        scale: u8,
    },
    /// FLOAT.
    Float,
    /// DOUBLE, REAL.
    Double,
    /// CHAR, CHAR(n), and CONVERT(... USING set).
    Char {
        /// The most characters.
        chars: Option<u32>,
        /// Of the result.
        collation: Collation,
    },
    /// BINARY, BINARY(n).
    Binary {
        /// Bytes: longer strings are cut, shorter ones padded with zeros.
        size: Option<u32>,
    },
    /// DATE.
    Date,
    /// TIME(f).
    Time {
        /// Digits of the fraction.
        fsp: u8,
    },
    /// DATETIME(f).
    DateTime {
        /// Digits of the fraction.
        fsp: u8,
    },
}

impl CastTarget {
    fn is_number(self) -> bool {
        use CastTarget::{Decimal, Double, Float, Signed, Unsigned};
        matches!(self, Signed | Unsigned | Decimal { .. } | Float | Double)
    }
}

/// CAST(`value` AS `target`). NULL stays NULL.
pub fn cast(
    value: ValueRef<'_>,
    target: CastTarget,
    name: &dyn Display,
    context: &mut Context<'_>,
) -> Result<Value, SqlError> {
    if value.is_null() {
        return Ok(Value::Null);
    }
    if let (ValueRef::Chosen(chosen), false) = (value, target.is_number()) {
        let text = chosen.text();
        return cast(ValueRef::Str(&text, chosen.collation()), target, name, context);
    }
    match target {
        CastTarget::Signed => number::to_signed(value, context).map(Value::Int),
        CastTarget::Unsigned => number::to_unsigned(value, context).map(Value::UInt),
        CastTarget::Decimal { precision, scale } => {
            number::to_decimal(value, precision, scale, name, context).map(Value::Decimal)
        }
        CastTarget::Float => number::to_float(value, name, context).map(Value::Float),
        CastTarget::Double => number::to_double(value, context).map(Value::Double),
        CastTarget::Char { chars, collation } => string::to_char(value, chars, collation, context),
        CastTarget::Binary { size } => string::to_binary(value, size, context),
        CastTarget::Date => temporal::to_date(value, context),
        CastTarget::Time { fsp } => temporal::to_time(value, fsp, context),
        CastTarget::DateTime { fsp } => temporal::to_datetime(value, fsp, context),
    }
}
