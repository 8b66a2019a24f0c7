//! Values as JSON, and JSON as values.

use crate::charset::{Charset, convert};
use crate::collation::Collation;
use crate::error::SqlError;
use crate::error::table::ER_INVALID_JSON_CHARSET;
use crate::json::{Json, Opaque, decode, encode};
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
