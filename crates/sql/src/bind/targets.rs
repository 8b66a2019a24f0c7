//! What the parser's types and units mean in casts, intervals and introducers.

use sqlparser::ast::{self, DataType, DateTimeField, ExactNumberInfo};
use types::cast::CastTarget;
use types::charset::Charset;
use types::collation::Collation;
use types::decimal::{PRECISION_MAX, SCALE_MAX};
use types::error::table::{ER_TOO_BIG_PRECISION, ER_TOO_BIG_SCALE, ER_UNKNOWN_CHARACTER_SET};

use super::{BindEnv, Result, unsupported};
use crate::expr::IntervalUnit;

/// The target of a CAST.
pub(super) fn cast_target(ty: &DataType, env: &BindEnv<'_>) -> Result<CastTarget> {
    let collation = env.session.collation_connection;
    let fsp = |digits: &Option<u64>| u8::try_from(digits.unwrap_or(0)).unwrap_or(u8::MAX);
    Ok(match ty {
        DataType::Signed | DataType::SignedInteger => CastTarget::Signed,
        DataType::Unsigned | DataType::UnsignedInteger => CastTarget::Unsigned,
        DataType::Decimal(info) | DataType::Dec(info) | DataType::Numeric(info) => decimal(*info)?,
        DataType::Float(_) | DataType::Float4 => CastTarget::Float,
        DataType::Double(_) | DataType::DoublePrecision | DataType::Real | DataType::Float8 => {
            CastTarget::Double
        }
        DataType::Char(length) | DataType::Character(length) => {
            CastTarget::Char { chars: length.as_ref().and_then(char_length), collation }
        }
        DataType::Binary(size) => {
            CastTarget::Binary { size: size.map(|size| u32::try_from(size).unwrap_or(u32::MAX)) }
        }
        DataType::Date => CastTarget::Date,
        DataType::Time(digits, _) => CastTarget::Time { fsp: fsp(digits) },
        DataType::Datetime(digits) | DataType::Timestamp(digits, _) => {
            CastTarget::DateTime { fsp: fsp(digits) }
        }
        other => return Err(unsupported(&format!("CAST AS {other}"))),
    })
}

fn char_length(length: &ast::CharacterLength) -> Option<u32> {
    match length {
        ast::CharacterLength::IntegerLength { length, .. } => {
            Some(u32::try_from(*length).unwrap_or(u32::MAX))
        }
        ast::CharacterLength::Max => None,
    }
}

fn decimal(info: ExactNumberInfo) -> Result<CastTarget> {
    let (precision, scale) = match info {
        ExactNumberInfo::None => (10, 0),
        ExactNumberInfo::Precision(precision) => (precision, 0),
        ExactNumberInfo::PrecisionAndScale(precision, scale) => {
            (precision, u64::try_from(scale).unwrap_or(0))
        }
    };
    let precision = u8::try_from(precision).ok().filter(|precision| *precision <= PRECISION_MAX);
    let precision = precision.ok_or_else(|| ER_TOO_BIG_PRECISION.error(&[&"?", &"?", &PRECISION_MAX]))?;
    let scale = u8::try_from(scale).ok().filter(|scale| *scale <= SCALE_MAX);
    let scale = scale.ok_or_else(|| ER_TOO_BIG_SCALE.error(&[&"?", &"?", &SCALE_MAX]))?;
    Ok(CastTarget::Decimal { precision, scale })
}

/// The target of CONVERT(.. USING set).
pub(super) fn using_target(name: &str) -> Result<CastTarget> {
    if name.eq_ignore_ascii_case("binary") {
        return Ok(CastTarget::Binary { size: None });
    }
    Ok(CastTarget::Char { chars: None, collation: charset(name)?.default_collation() })
}

/// The collation of a literal behind `_set`.
pub(super) fn introducer(prefix: &str) -> Result<Collation> {
    Ok(charset(prefix.trim_start_matches('_'))?.default_collation())
}

fn charset(name: &str) -> Result<Charset> {
    Charset::from_name(name).ok_or_else(|| ER_UNKNOWN_CHARACTER_SET.error(&[&name]))
}

/// The unit of an interval.
pub(super) fn interval_unit(interval: &ast::Interval) -> Result<IntervalUnit> {
    match &interval.leading_field {
        Some(field) => unit_of_field(field),
        None => Err(unsupported("INTERVAL without a unit")),
    }
}

/// The unit that a field names.
pub(super) fn unit_of_field(field: &DateTimeField) -> Result<IntervalUnit> {
    use IntervalUnit as U;
    Ok(match &*field.to_string().to_ascii_uppercase() {
        "MICROSECOND" => U::Microsecond,
        "SECOND" => U::Second,
        "MINUTE" => U::Minute,
        "HOUR" => U::Hour,
        "DAY" => U::Day,
        "WEEK" => U::Week,
        "MONTH" => U::Month,
        "QUARTER" => U::Quarter,
        "YEAR" => U::Year,
        "SECOND_MICROSECOND" => U::SecondMicrosecond,
        "MINUTE_MICROSECOND" => U::MinuteMicrosecond,
        "MINUTE_SECOND" => U::MinuteSecond,
        "HOUR_MICROSECOND" => U::HourMicrosecond,
        "HOUR_SECOND" => U::HourSecond,
        "HOUR_MINUTE" => U::HourMinute,
        "DAY_MICROSECOND" => U::DayMicrosecond,
        "DAY_SECOND" => U::DaySecond,
        "DAY_MINUTE" => U::DayMinute,
        "DAY_HOUR" => U::DayHour,
        "YEAR_MONTH" => U::YearMonth,
        other => return Err(unsupported(&format!("the unit {other}"))),
    })
}
