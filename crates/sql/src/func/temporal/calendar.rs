//! Counting days and weeks: TO_DAYS, FROM_DAYS, LAST_DAY, WEEK, DAYOFWEEK, DATEDIFF and their kin; DATE and TIMESTAMP.

use types::context::Context;
use types::error::SqlError;
use types::temporal::{Date, calendar};
use types::value::Value;

use super::read::{self, Wanted};
use crate::expr::{Ev, Expr, Inputs, ResultType};
use crate::func::args::{self, or_null};
use crate::func::{EvalResult, Function, Typed};

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new("date", (1, 1), date, |_| Ok(ResultType::date().or_null())),
    Function::new("timestamp", (1, 2), timestamp, type_timestamp),
    Function::new("last_day", (1, 1), last_day, |_| Ok(ResultType::date().or_null())),
    Function::new("to_days", (1, 1), to_days, |_| Ok(ResultType::bigint(8))),
    Function::new("to_seconds", (1, 1), to_seconds, |_| Ok(ResultType::bigint(21))),
    Function::new("from_days", (1, 1), from_days, |_| Ok(ResultType::date().or_null())),
    Function::new("dayofweek", (1, 1), dayofweek, |_| Ok(ResultType::bigint(2))),
    Function::new("weekday", (1, 1), weekday, |_| Ok(ResultType::bigint(2))),
    Function::new("dayofyear", (1, 1), dayofyear, |_| Ok(ResultType::bigint(4))),
    Function::new("week", (1, 2), week, |_| Ok(ResultType::bigint(3))),
    Function::new("weekofyear", (1, 1), weekofyear, |_| Ok(ResultType::bigint(3))),
    Function::new("yearweek", (1, 2), yearweek, |_| Ok(ResultType::bigint(7))),
    Function::new("datediff", (2, 2), datediff, |_| Ok(ResultType::bigint(9))),
];

/// ISO 8601: weeks begin on Monday, week 1 has four days.
const ISO_MODE: u8 = 3;

fn date<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    Ok(read::date(&args[0], inputs, context)?.map_or(Ev::NULL, |date| Ev::Own(Value::Date(date))))
}

/// TIMESTAMP(a) is a DATETIME, TIMESTAMP(a, t) the one t later.
fn timestamp<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    let value = args[0].eval(inputs, context)?;
    let fsp = read::fsp(&args[0], value.as_ref(), Wanted::Moment);
    let moment = or_null!(read::datetime_of(value.as_ref(), context)?);
    let Some(second) = args.get(1) else {
        return Ok(moment.round_to(fsp).map_or(Ev::NULL, |moment| Ev::Own(Value::DateTime(moment))));
    };
    let span_value = second.eval(inputs, context)?;
    let fsp = fsp.max(read::fsp(second, span_value.as_ref(), Wanted::Time));
    let span = or_null!(read::time_of(span_value.as_ref(), context)?);
    match moment.with_fsp(6).add_micros(span.micros()) {
        Some(sum) => Ok(Ev::Own(Value::DateTime(sum.truncate_to(fsp)))),
        None => read::overflow(context, "datetime"),
    }
}

fn type_timestamp(call: &Typed<'_>) -> Result<ResultType, SqlError> {
    let fsp = if call.args.len() > 1 {
        call.fsp(0, Wanted::Moment).max(call.fsp(1, Wanted::Time))
    } else {
        call.fsp(0, Wanted::Moment)
    };
    Ok(ResultType::datetime(fsp).or_null())
}

/// The day may be missing.
fn last_day<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    let date = or_null!(read::incomplete_date(&args[0], inputs, context)?);
    if date.month() == 0 {
        let shown = date.to_string();
        context.report(&types::error::table::ER_TRUNCATED_WRONG_VALUE, &[&"date", &shown])?;
        return Ok(Ev::NULL);
    }
    let day = calendar::days_in_month(date.year(), date.month());
    Ok(Date::new(date.year(), date.month(), day).map_or(Ev::NULL, |date| Ev::Own(Value::Date(date))))
}

/// The day's number of a complete date, from which something is computed.
fn of_days<'a>(
    args: &'a [Expr],
    inputs: &Inputs<'a>,
    context: &mut Context<'_>,
    compute: impl FnOnce(Date, u32) -> i64,
) -> EvalResult<'a> {
    let date = or_null!(read::date(&args[0], inputs, context)?);
    let days = or_null!(date.to_days());
    Ok(Ev::Own(Value::Int(compute(date, days))))
}

fn to_days<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    of_days(args, inputs, context, |_, days| i64::from(days))
}

fn to_seconds<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    let moment = or_null!(read::datetime(&args[0], inputs, context)?);
    let days = i64::from(or_null!(moment.date().to_days()));
    Ok(Ev::Own(Value::Int(days * 86_400 + moment.time().micros() / 1_000_000)))
}

fn from_days<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    let days = or_null!(args::int(&args[0], inputs, context)?).to_i64();
    match u32::try_from(days).ok().and_then(Date::from_days) {
        Some(date) => Ok(Ev::Own(Value::Date(date))),
        None => read::overflow(context, "date"),
    }
}

fn dayofweek<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    of_days(args, inputs, context, |_, days| i64::from((calendar::weekday(days) + 1) % 7 + 1))
}

fn weekday<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    of_days(args, inputs, context, |_, days| i64::from(calendar::weekday(days)))
}

fn dayofyear<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    of_days(args, inputs, context, |date, _| {
        i64::from(calendar::day_of_year(date.year(), date.month(), date.day()))
    })
}

/// The mode argument of week(), of which three bits count; NULL is 0. Without one it is `default_week_format`.
fn mode_of_week(args: &[Expr], inputs: &Inputs<'_>, context: &mut Context<'_>) -> Result<u8, SqlError> {
    if args.len() == 1 { Ok(inputs.session.default_week_format) } else { mode(args, inputs, context) }
}

/// The mode argument, of which three bits count; NULL is 0.
fn mode(args: &[Expr], inputs: &Inputs<'_>, context: &mut Context<'_>) -> Result<u8, SqlError> {
    let Some(arg) = args.get(1) else { return Ok(0) };
    let bits = args::int(arg, inputs, context)?.map_or(0, args::Int::bits);
    Ok((bits & 7).to_le_bytes()[0])
}

fn week_of(date: Date, mode: u8) -> (u16, u8) {
    calendar::week(date.year(), date.month(), date.day(), mode)
}

fn week<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    let mode = mode_of_week(args, inputs, context)?;
    of_days(args, inputs, context, |date, _| i64::from(week_of(date, mode).1))
}

fn weekofyear<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    of_days(args, inputs, context, |date, _| i64::from(week_of(date, ISO_MODE).1))
}

fn yearweek<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    let mode = mode(args, inputs, context)? | 2;
    of_days(args, inputs, context, |date, _| {
        let (year, week) = week_of(date, mode);
        i64::from(year) * 100 + i64::from(week)
    })
}

fn datediff<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    let (first, second) = (read::date(&args[0], inputs, context)?, read::date(&args[1], inputs, context)?);
    let (first, second) = (or_null!(first.and_then(Date::to_days)), or_null!(second.and_then(Date::to_days)));
    Ok(Ev::Own(Value::Int(i64::from(first) - i64::from(second))))
}
