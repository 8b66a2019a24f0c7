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
use crate::error::table::ER_INVALID_JSON_VALUE_FOR_CAST;
use crate::json::Json;
use crate::value::{Value, ValueRef, moment_in, number_in};
use crate::warning::Warnings;

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
    /// JSON.
    Json,
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

/// CAST(... AS JSON): a text is read, anything else becomes the JSON of its type. Errors 3141, 3144, 3157.
fn to_json(value: ValueRef<'_>) -> Result<Value, SqlError> {
    if let ValueRef::Json(bytes) = value {
        return Ok(Value::Json(bytes.to_vec()));
    }
    let json = match value {
        ValueRef::Str(..) | ValueRef::Bytes(_) | ValueRef::Chosen(_) => value.json_text()?,
        _ => None,
    };
    let json = match json {
        Some(text) => Json::parse(&text).map_err(|error| error.in_argument(1, "cast_as_json"))?,
        None => value.to_json()?,
    };
    Value::json(json)
}

/// CAST of a JSON value to a number, a date or a time; warning 3156, and 0 or NULL, if it holds none.
fn from_json(
    value: ValueRef<'_>,
    target: CastTarget,
    type_name: &str,
    name: &dyn Display,
    context: &mut Context<'_>,
) -> Result<Value, SqlError> {
    let json = value.to_json()?;
    let row = context.row;
    let invalid = |context: &mut Context<'_>| {
        context.report(&ER_INVALID_JSON_VALUE_FOR_CAST, &[&type_name, &"", name, &row])
    };
    if target.is_number() {
        let (number, is_number) =
            number_in(json, matches!(target, CastTarget::Signed | CastTarget::Unsigned));
        if !is_number {
            invalid(context)?;
        }
        return cast(number.as_ref(), target, name, context);
    }
    let mut quiet = Warnings::with_limit(0);
    let mut strict = Context { strict: true, warnings: &mut quiet, ..*context };
    let found = moment_in(json, matches!(target, CastTarget::Time { .. }));
    let found = found.and_then(|found| cast(found.as_ref(), target, name, &mut strict).ok());
    if found.is_none() {
        invalid(context)?;
    }
    Ok(found.unwrap_or_default())
}

impl CastTarget {
    /// The type as warnings about JSON name it; none for what JSON has a text or bytes for.
    fn json_name(self) -> Option<&'static str> {
        Some(match self {
            Self::Signed | Self::Unsigned => "INTEGER",
            Self::Decimal { .. } => "DECIMAL",
            Self::Float | Self::Double => "DOUBLE",
            Self::Date => "DATE",
            Self::Time { .. } => "TIME",
            Self::DateTime { .. } => "DATETIME/TIMESTAMP",
            Self::Char { .. } | Self::Binary { .. } | Self::Json => return None,
        })
    }

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
    if let (ValueRef::Json(_), Some(type_name)) = (value, target.json_name()) {
        return from_json(value, target, type_name, name, context);
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
        CastTarget::Json => to_json(value),
        CastTarget::Date => temporal::to_date(value, context),
        CastTarget::Time { fsp } => temporal::to_time(value, fsp, context),
        CastTarget::DateTime { fsp } => temporal::to_datetime(value, fsp, context),
    }
}
