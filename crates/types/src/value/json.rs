//! Values as JSON, and JSON as values.

use crate::charset::{Charset, convert};
use crate::collation::Collation;
use crate::error::SqlError;
use crate::error::table::ER_INVALID_JSON_CHARSET;
use crate::json::{Json, Opaque, decode, encode};
use crate::number::{parse_double, parse_integer};
use crate::value::{Value, ValueRef};

/// The collation of JSON as text.
pub const JSON_COLLATION: Collation = Collation::Utf8mb4Bin;

/// Codes of the types that bytes come from.
const BIT: u8 = 16;
const VAR_STRING: u8 = 253;

impl ValueRef<'_> {
    /// The value as JSON: a text is a string, whatever it says; NULL is `null`. Error 3142 for damaged bytes.
    pub fn to_json(self) -> Result<Json, SqlError> {
        Ok(match self {
            Self::Null => Json::Null,
            Self::Int(number) => Json::Int(number),
            Self::UInt(number) => Json::UInt(number),
            Self::Year(year) => Json::UInt(year.into()),
            Self::Decimal(number) => Json::decimal(number),
            Self::Float(number) => Json::Double(f64::from(number)),
            Self::Double(number) => Json::Double(number),
            Self::Str(bytes, collation) => Json::String(utf8(bytes, collation.charset())),
            Self::Chosen(chosen) => Json::String(utf8(&chosen.text(), chosen.collation().charset())),
            Self::Bytes(bytes) => {
                Json::Opaque(Opaque { field_type: VAR_STRING, bytes: bytes.to_cow().into_owned() })
            }
            Self::Bit(bits) => {
                let mut bytes = Vec::new();
                bits.write(&mut bytes);
                Json::Opaque(Opaque { field_type: BIT, bytes })
            }
            Self::Date(date) => Json::Date(date),
            Self::Time(time) => Json::Time(time),
            Self::DateTime(moment) => Json::DateTime(moment),
            Self::Json(bytes) => decode(bytes)?,
        })
    }

    /// The text of a string as UTF-8, for a JSON parser; `None` of what is no string. Error 3144 for bytes.
    pub fn json_text(self) -> Result<Option<String>, SqlError> {
        match self {
            Self::Str(bytes, collation) if collation != Collation::Binary => {
                Ok(Some(utf8(bytes, collation.charset())))
            }
            Self::Chosen(chosen) => Ok(Some(utf8(&chosen.text(), chosen.collation().charset()))),
            Self::Str(..) | Self::Bytes(_) => Err(ER_INVALID_JSON_CHARSET.error(&[&Charset::Binary.name()])),
            _ => Ok(None),
        }
    }
}

/// The number that a JSON value is, or that its string is, and whether it is nothing but that: else 3156. A string is an
/// integer only if it reads as one, where an integer is wanted. Dates and times are no numbers in JSON.
pub(crate) fn number_in(json: Json, wants_integer: bool) -> (Value, bool) {
    match json {
        Json::Bool(truth) => (Value::Int(truth.into()), true),
        Json::Int(number) => (Value::Int(number), true),
        Json::UInt(number) => (Value::UInt(number), true),
        Json::Double(number) => (Value::Double(number), true),
        Json::Decimal(number) => (Value::Decimal(*number), true),
        Json::String(text) if wants_integer => {
            let parsed = parse_integer(text.as_bytes());
            let (negative, magnitude) = parsed.value;
            let number = match 0_i64.checked_sub_unsigned(magnitude).filter(|_| negative) {
                Some(number) => Value::Int(number),
                None if negative => Value::Int(i64::MIN),
                None => Value::UInt(magnitude),
            };
            (number, parsed.size > 0 && parsed.size == text.len() && !parsed.overflow)
        }
        Json::String(text) => {
            let parsed = parse_double(text.as_bytes());
            if parsed.size > 0 && parsed.size == text.len() {
                return (Value::Str(text.into_bytes(), JSON_COLLATION), true);
            }
            (Value::Double(parsed.value), false)
        }
        _ => (Value::Int(0), false),
    }
}

/// The date or moment that a JSON value is, or a TIME if that is wanted, or a string that may be one: a TIME has a colon.
pub(crate) fn moment_in(json: Json, wants_time: bool) -> Option<Value> {
    match json {
        Json::Time(time) if wants_time => Some(Value::Time(time)),
        Json::Date(date) if !wants_time => Some(Value::Date(date)),
        Json::DateTime(moment) | Json::Timestamp(moment) if !wants_time => Some(Value::DateTime(moment)),
        Json::String(text) if !wants_time || text.contains(':') => {
            Some(Value::Str(text.into_bytes(), JSON_COLLATION))
        }
        _ => None,
    }
}

impl Value {
    /// A JSON value. Errors 3150, 3151 and 3157 if it cannot be stored.
    pub fn json(json: Json) -> Result<Self, SqlError> {
        let mut bytes = Vec::new();
        encode(&json.bounded()?, &mut bytes)?;
        Ok(Self::Json(bytes))
    }
}

fn utf8(bytes: &[u8], charset: Charset) -> String {
    let mut text = Vec::with_capacity(bytes.len());
    convert(bytes, charset, Charset::Utf8mb4, &mut text);
    String::from_utf8_lossy(&text).into_owned()
}
