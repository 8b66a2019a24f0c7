//! What the parser's types and units mean in casts, intervals and introducers.

use sqlparser::ast::{self, DataType, DateTimeField, ExactNumberInfo};
use types::cast::CastTarget;
use types::charset::Charset;
use types::collation::Collation;
use types::decimal::{PRECISION_MAX, SCALE_MAX};
use types::error::table::{
    ER_M_BIGGER_THAN_D, ER_TOO_BIG_PRECISION, ER_TOO_BIG_SCALE, ER_UNKNOWN_CHARACTER_SET,
};
use types::temporal::FSP_MAX;

use super::{BindEnv, Result, unsupported};
use crate::expr::IntervalUnit;

/// The bits of a FLOAT, and of a DOUBLE.
const FLOAT_BITS: u64 = 24;
const DOUBLE_BITS: u64 = 53;

/// The target of a CAST; errors name the expression that is cast.
pub(super) fn cast_target(ty: &DataType, cast: &ast::Expr, env: &BindEnv<'_>) -> Result<CastTarget> {
    let collation = env.session.collation_connection;
    Ok(match ty {
        DataType::Signed | DataType::SignedInteger => CastTarget::Signed,
        DataType::Unsigned | DataType::UnsignedInteger => CastTarget::Unsigned,
        DataType::Decimal(info) | DataType::Dec(info) | DataType::Numeric(info) => decimal(*info, cast)?,
        DataType::Float(ExactNumberInfo::Precision(bits)) => float(*bits)?,
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
        DataType::JSON => CastTarget::Json,
        DataType::Date => CastTarget::Date,
        DataType::Time(digits, _) => CastTarget::Time { fsp: fsp(*digits)? },
        DataType::Datetime(digits) | DataType::Timestamp(digits, _) => {
            CastTarget::DateTime { fsp: fsp(*digits)? }
        }
        other => return Err(unsupported(&format!("CAST AS {other}"))),
    })
}

/// Digits of a fraction. Error 1426 for more than six.
fn fsp(digits: Option<u64>) -> Result<u8> {
    let digits = digits.unwrap_or(0);
    let fsp = u8::try_from(digits).ok().filter(|fsp| *fsp <= FSP_MAX);
    fsp.ok_or_else(|| ER_TOO_BIG_PRECISION.error(&[&digits, &"CAST", &FSP_MAX]))
}

/// FLOAT of so many bits.
fn float(bits: u64) -> Result<CastTarget> {
    match bits {
        ..=FLOAT_BITS => Ok(CastTarget::Float),
        _ if bits <= DOUBLE_BITS => Ok(CastTarget::Double),
        _ => Err(ER_TOO_BIG_PRECISION.error(&[&bits, &"CAST", &DOUBLE_BITS])),
    }
}

fn char_length(length: &ast::CharacterLength) -> Option<u32> {
    match length {
        ast::CharacterLength::IntegerLength { length, .. } => {
            Some(u32::try_from(*length).unwrap_or(u32::MAX))
        }
        ast::CharacterLength::Max => None,
    }
}

/// Errors 1425 to 1427 for what DECIMAL cannot have.
fn decimal(info: ExactNumberInfo, cast: &ast::Expr) -> Result<CastTarget> {
    let (precision, scale) = match info {
        ExactNumberInfo::None | ExactNumberInfo::Precision(0) | ExactNumberInfo::PrecisionAndScale(0, 0) => {
            (10, 0)
        }
        ExactNumberInfo::Precision(precision) => (precision, 0),
        ExactNumberInfo::PrecisionAndScale(precision, scale) => {
            (precision, u64::try_from(scale).unwrap_or(0))
        }
    };
    if precision < scale {
        return Err(ER_M_BIGGER_THAN_D.error(&[&""]));
    }
    let narrow = |digits: u64, most: u8| u8::try_from(digits).ok().filter(|digits| *digits <= most);
    let precision = narrow(precision, PRECISION_MAX)
        .ok_or_else(|| ER_TOO_BIG_PRECISION.error(&[&precision, cast, &PRECISION_MAX]))?;
    let scale =
        narrow(scale, SCALE_MAX).ok_or_else(|| ER_TOO_BIG_SCALE.error(&[&scale, cast, &SCALE_MAX]))?;
    Ok(CastTarget::Decimal { precision, scale })
}

/// The name of a character set or a collation, which may stand in quotes of any sort.
pub(crate) fn set_name(name: &ast::ObjectName) -> String {
    match &name.0[..] {
        [part] => part.as_ident().map_or_else(|| part.to_string(), |part| part.value.clone()),
        _ => name.to_string(),
    }
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

/// The character set of this name. Error 1115.
pub(super) fn charset(name: &str) -> Result<Charset> {
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
    unit(&field.to_string())
}

/// The unit of that name.
pub(super) fn unit(name: &str) -> Result<IntervalUnit> {
    use IntervalUnit as U;
    Ok(match &*name.to_ascii_uppercase() {
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
