//! Dates and times made of numbers: MAKEDATE, MAKETIME, SEC_TO_TIME, TIME_TO_SEC.

use types::context::Context;
use types::decimal::Decimal;
use types::error::SqlError;
use types::error::table::ER_TRUNCATED_WRONG_VALUE;
use types::temporal::{Date, FSP_MAX, Time, calendar};
use types::value::{Numeric, Value};

use super::read;
use crate::expr::{Ev, Expr, Inputs, ResultType};
use crate::func::args::{self, or_null};
use crate::func::{EvalResult, Function, Typed};

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new("makedate", (2, 2), makedate, |_| Ok(ResultType::date().or_null())),
    Function::new("maketime", (3, 3), maketime, |call| type_of_seconds(call, 2)),
    Function::new("sec_to_time", (1, 1), sec_to_time, |call| type_of_seconds(call, 0)),
    Function::new("time_to_sec", (1, 1), time_to_sec, |_| Ok(ResultType::bigint(10))),
];

/// A year of two digits is one of 1970 to 2069.
fn makedate<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    let year = args::int(&args[0], inputs, context)?;
    let day = args::int(&args[1], inputs, context)?;
    let (year, day) = (or_null!(year).to_i64(), or_null!(day).to_i64());
    let year = match year {
        0..70 => year + 2000,
        70..100 => year + 1900,
        _ => year,
    };
    let Some(year) = u16::try_from(year).ok().filter(|year| *year <= 9999) else { return Ok(Ev::NULL) };
    if day <= 0 {
        return Ok(Ev::NULL);
    }
    let days = i64::from(calendar::to_days(year, 1, 1)).saturating_add(day - 1);
    let date = u32::try_from(days).ok().and_then(Date::from_days);
    Ok(date.map_or(Ev::NULL, |date| Ev::Own(Value::Date(date))))
}

/// Seconds as an exact number and the digits of their fraction that are shown.
fn seconds(
    expr: &Expr,
    inputs: &Inputs<'_>,
    context: &mut Context<'_>,
) -> Result<Option<(Decimal, u8)>, SqlError> {
    let Some(number) = args::number(expr, inputs, context)? else { return Ok(None) };
    let fsp = match number {
        Numeric::Decimal(number) => number.scale().min(FSP_MAX),
        Numeric::Double(_) => FSP_MAX,
        _ => 0,
    };
    Ok(Some((number.to_decimal(), fsp)))
}

/// Microseconds of a number of seconds; None if it is far too large.
fn micros(seconds: Decimal) -> Option<i64> {
    let rounded = seconds.round(i32::from(FSP_MAX)).ok()?;
    rounded.multiply(&Decimal::from(1_000_000_i64)).ok()?.to_i64()
}

fn maketime<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    let hours = args::int(&args[0], inputs, context)?;
    let minutes = args::int(&args[1], inputs, context)?;
    let seconds = seconds(&args[2], inputs, context)?;
    let (hours, minutes, (seconds, fsp)) =
        (or_null!(hours).to_i64(), or_null!(minutes).to_i64(), or_null!(seconds));
    let in_minute = or_null!(micros(seconds));
    if !(0..60).contains(&minutes) || !(0..60_000_000).contains(&in_minute) {
        return Ok(Ev::NULL);
    }
    let negative = hours < 0;
    let total =
        hours.saturating_abs().saturating_mul(3_600_000_000).saturating_add(minutes * 60_000_000 + in_minute);
    let total = if negative { -total } else { total };
    if total.abs() > Time::MICROS_MAX {
        let (sign, whole) = (if negative { "-" } else { "" }, in_minute / 1_000_000);
        let shown = format!("{sign}{:02}:{minutes:02}:{whole:02}", hours.unsigned_abs());
        context.report(&ER_TRUNCATED_WRONG_VALUE, &[&"time", &shown])?;
    }
    Ok(Ev::Own(Value::Time(Time::saturating(total, fsp))))
}

fn sec_to_time<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    let (seconds, fsp) = or_null!(seconds(&args[0], inputs, context)?);
    let total = micros(seconds).filter(|micros| Time::from_micros(*micros, FSP_MAX).is_some());
    let total = if let Some(total) = total {
        total
    } else {
        context.report(&ER_TRUNCATED_WRONG_VALUE, &[&"time", &seconds])?;
        if seconds.is_negative() { -Time::MICROS_MAX } else { Time::MICROS_MAX }
    };
    Ok(Ev::Own(Value::Time(Time::saturating(total, fsp))))
}

/// A TIME with the digits of the seconds that it is made of.
fn type_of_seconds(call: &Typed<'_>, at: usize) -> Result<ResultType, SqlError> {
    let arg = call.arg(at);
    Ok(ResultType::time(arg.decimals.min(FSP_MAX)).or_null())
}

fn time_to_sec<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    let time = or_null!(read::time(&args[0], inputs, context)?);
    Ok(Ev::Own(Value::Int(time.micros() / 1_000_000)))
}
