//! Seconds since 1970: UNIX_TIMESTAMP, FROM_UNIXTIME.

use types::column::IntSize;
use types::context::Context;
use types::decimal::{Decimal, DecimalKind};
use types::error::SqlError;
use types::temporal::{DateTime, FSP_MAX, LocalTime};
use types::value::{Numeric, Value, ValueRef};

use super::format::{date_format_of, type_format_of};
use super::read::{self, Wanted};
use crate::expr::{Ev, Expr, Inputs, ResultType};
use crate::func::args::{self, or_null};
use crate::func::{EvalResult, Function, Typed};

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new("unix_timestamp", (0, 1), unix_timestamp, type_unix_timestamp),
    Function::new("from_unixtime", (1, 2), from_unixtime, type_from_unixtime),
];

/// The last second that MySQL converts: 3001-01-18 23:59:59 UTC.
pub(super) const UNIX_SECONDS_MAX: i64 = 32_536_771_199;
/// Digits of such a second.
const SECONDS_DIGITS: u8 = 11;

/// 0 for moments that are none between 1970 and the year 3001.
fn unix_timestamp<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    let Some(arg) = args.first() else {
        return Ok(Ev::Own(Value::Int(i64::try_from(inputs.session.now_us() / 1_000_000).unwrap_or(0))));
    };
    let value = arg.eval(inputs, context)?;
    if value.as_ref().is_null() {
        return Ok(Ev::NULL);
    }
    let fsp = read::fsp(arg, value.as_ref(), Wanted::Moment);
    let moment = read::datetime_of(value.as_ref(), context)?.and_then(|moment| moment.round_to(fsp));
    let seconds = moment.and_then(|moment| {
        let at = match inputs.session.time_zone().to_utc(moment)? {
            LocalTime::At(seconds) | LocalTime::Skipped(seconds) => seconds,
        };
        (0..=UNIX_SECONDS_MAX).contains(&at).then_some((at, moment.micros()))
    });
    let (seconds, micros) = seconds.unwrap_or((0, 0));
    if fsp == 0 {
        return Ok(Ev::Own(Value::Int(seconds)));
    }
    let text = format!("{seconds}.{micros:06}");
    Ok(Ev::Own(Value::Decimal(Decimal::parse_prefix(text.as_bytes()).value.with_scale(fsp))))
}

fn type_unix_timestamp(call: &Typed<'_>) -> Result<ResultType, SqlError> {
    let fsp = if call.args.is_empty() { 0 } else { call.fsp(0, Wanted::Moment) };
    let result = match fsp {
        0 => ResultType::int(IntSize::Big, 21),
        _ => ResultType::exact(DecimalKind::new(SECONDS_DIGITS + fsp, fsp), false),
    };
    Ok(result.nullable_if(call.nullable()))
}

fn from_unixtime<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    let moment = moment(&args[0], inputs, context)?;
    match args.get(1) {
        None => Ok(moment.map_or(Ev::NULL, |moment| Ev::Own(Value::DateTime(moment)))),
        Some(format) => {
            let format = args::text(format, inputs, context)?;
            Ok(date_format_of(or_null!(moment), &or_null!(format)))
        }
    }
}

/// The session's time at a number of seconds; None outside of the years that MySQL converts.
fn moment(expr: &Expr, inputs: &Inputs<'_>, context: &mut Context<'_>) -> Result<Option<DateTime>, SqlError> {
    let value = expr.eval(inputs, context)?;
    let fsp = match value.as_ref() {
        ValueRef::Decimal(number) => number.scale().min(FSP_MAX),
        ValueRef::Int(_) | ValueRef::UInt(_) | ValueRef::Null => 0,
        _ => FSP_MAX,
    };
    let number = match value.as_ref() {
        ValueRef::Str(text, _) => Some(Numeric::Decimal(Decimal::parse_prefix(text).value)),
        value => value.to_number(context)?,
    };
    let Some(number) = number else { return Ok(None) };
    let Ok(rounded) = number.to_decimal().round(i32::from(FSP_MAX)) else { return Ok(None) };
    let micros = rounded.multiply(&Decimal::from(1_000_000_i64)).ok().and_then(Decimal::to_i64);
    let Some(micros) = micros.filter(|micros| *micros >= 0) else { return Ok(None) };
    let (seconds, fraction) = (micros / 1_000_000, u32::try_from(micros % 1_000_000).unwrap_or(0));
    if seconds > UNIX_SECONDS_MAX {
        return Ok(None);
    }
    let local = seconds + i64::from(inputs.session.time_zone().offset_at(seconds));
    Ok(DateTime::from_unix_seconds(local, fraction, FSP_MAX).map(|moment| moment.truncate_to(fsp)))
}

fn type_from_unixtime(call: &Typed<'_>) -> Result<ResultType, SqlError> {
    if call.args.len() > 1 {
        return type_format_of(call, 1);
    }
    let arg = call.arg(0);
    Ok(ResultType::datetime(arg.decimals.min(FSP_MAX)).or_null())
}
