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
use crate::value::{JSON_COLLATION, Value, ValueRef};

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

/// A JSON value as what it holds, to be cast on; `None` of what has no such form.
fn scalar(value: ValueRef<'_>) -> Result<Option<Value>, SqlError> {
    Ok(match value.to_json()? {
        Json::Bool(truth) => Some(Value::Int(truth.into())),
        Json::Int(number) => Some(Value::Int(number)),
        Json::UInt(number) => Some(Value::UInt(number)),
        Json::Double(number) => Some(Value::Double(number)),
        Json::Decimal(number) => Some(Value::Decimal(*number)),
        Json::String(text) => Some(Value::Str(text.into_bytes(), JSON_COLLATION)),
        Json::Date(date) => Some(Value::Date(date)),
        Json::Time(time) => Some(Value::Time(time)),
        Json::DateTime(moment) | Json::Timestamp(moment) => Some(Value::DateTime(moment)),
        Json::Null | Json::Array(_) | Json::Object(_) | Json::Opaque(_) => None,
    })
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
            Self::DateTime { .. } => "DATETIME",
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
        if let Some(scalar) = scalar(value)? {
            return cast(scalar.as_ref(), target, name, context);
        }
        let row = context.row;
        context.report(&ER_INVALID_JSON_VALUE_FOR_CAST, &[&type_name, &"", name, &row])?;
        if target.is_number() {
            return cast(ValueRef::Int(0), target, name, context);
        }
        return Ok(Value::Null);
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
