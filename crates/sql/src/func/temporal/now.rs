//! What time it is: that of the statement's beginning, but for SYSDATE in name only.

use types::context::Context;
use types::error::SqlError;
use types::error::table::ER_TOO_BIG_PRECISION;
use types::temporal::{DateTime, FSP_MAX, TimeZone, Timestamp};
use types::value::Value;

use crate::expr::{Ev, Expr, Inputs, ResultType};
use crate::func::args;
use crate::func::{EvalResult, Function, Typed};
use crate::session::Session;

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new("now", (0, 1), now, type_now),
    Function::new("current_timestamp", (0, 1), now, type_now),
    Function::new("localtime", (0, 1), now, type_now),
    Function::new("localtimestamp", (0, 1), now, type_now),
    Function::new("sysdate", (0, 1), now, type_now).unstable_outside_subqueries(),
    Function::new("curdate", (0, 0), curdate, |_| Ok(ResultType::date())),
    Function::new("current_date", (0, 0), curdate, |_| Ok(ResultType::date())),
    Function::new("curtime", (0, 1), curtime, type_curtime),
    Function::new("current_time", (0, 1), curtime, type_curtime),
    Function::new("utc_timestamp", (0, 1), utc_timestamp, type_now),
    Function::new("utc_date", (0, 0), utc_date, |_| Ok(ResultType::date())),
    Function::new("utc_time", (0, 1), utc_time, type_curtime),
];

/// The digits of the fraction that are wanted. Error 1426 for more than six.
fn wanted_fsp(args: &[Expr], inputs: &Inputs<'_>, context: &mut Context<'_>) -> Result<u8, SqlError> {
    let Some(arg) = args.first() else { return Ok(0) };
    let wanted = args::int(arg, inputs, context)?.map_or(0, args::Int::to_i64);
    match u8::try_from(wanted) {
        Ok(fsp @ 0..=FSP_MAX) => Ok(fsp),
        _ => Err(ER_TOO_BIG_PRECISION.error(&[&wanted, &"now", &FSP_MAX])),
    }
}

fn utc_now(session: &Session, fsp: u8) -> DateTime {
    let seconds = i64::try_from(session.now_us() / 1_000_000).unwrap_or(i64::MAX);
    let micros = u32::try_from(session.now_us() % 1_000_000).unwrap_or(0);
    let moment = Timestamp::new(seconds, micros);
    moment.map_or(DateTime::ZERO, |moment| TimeZone::UTC.to_local(moment, FSP_MAX).truncate_to(fsp))
}

fn now<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    let fsp = wanted_fsp(args, inputs, context)?;
    Ok(Ev::Own(Value::DateTime(inputs.session.now(fsp))))
}

fn curdate<'a>(_: &'a [Expr], inputs: &Inputs<'a>, _: &mut Context<'_>) -> EvalResult<'a> {
    Ok(Ev::Own(Value::Date(inputs.session.today())))
}

fn curtime<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    let fsp = wanted_fsp(args, inputs, context)?;
    Ok(Ev::Own(Value::Time(inputs.session.now(fsp).time())))
}

fn utc_timestamp<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    let fsp = wanted_fsp(args, inputs, context)?;
    Ok(Ev::Own(Value::DateTime(utc_now(inputs.session, fsp))))
}

fn utc_date<'a>(_: &'a [Expr], inputs: &Inputs<'a>, _: &mut Context<'_>) -> EvalResult<'a> {
    Ok(Ev::Own(Value::Date(utc_now(inputs.session, 0).date())))
}

fn utc_time<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    let fsp = wanted_fsp(args, inputs, context)?;
    Ok(Ev::Own(Value::Time(utc_now(inputs.session, fsp).time())))
}

fn type_now(call: &Typed<'_>) -> Result<ResultType, SqlError> {
    Ok(ResultType::datetime(typed_fsp(call)))
}

/// The time of day is never negative and has two digits of hours.
fn type_curtime(call: &Typed<'_>) -> Result<ResultType, SqlError> {
    let ty = ResultType::time(typed_fsp(call));
    Ok(ResultType { length: ty.length - 2, ..ty })
}

fn typed_fsp(call: &Typed<'_>) -> u8 {
    call.constant_int(0).and_then(|fsp| u8::try_from(fsp).ok()).unwrap_or(0).min(FSP_MAX)
}
