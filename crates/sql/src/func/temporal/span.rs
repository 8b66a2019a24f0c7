//! TIME, ADDTIME, SUBTIME, TIMEDIFF.

use types::context::Context;
use types::error::SqlError;
use types::error::table::ER_TRUNCATED_WRONG_VALUE;
use types::temporal::{Date, DatePolicy, DateTime, FSP_MAX, Time, calendar, parse_datetime};
use types::value::{Value, ValueRef};

use super::add::text_of_moment;
use super::read::{self, Wanted};
use crate::expr::typing::Kind;
use crate::expr::{Ev, Expr, Inputs, ResultType};
use crate::func::args::{ascii, or_null};
use crate::func::{EvalResult, Function, Typed};

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new("time", (1, 1), time, |call| Ok(ResultType::time(call.fsp(0, Wanted::Time)).or_null())),
    Function::new("addtime", (2, 2), addtime, type_sum),
    Function::new("subtime", (2, 2), subtime, type_sum),
    Function::new("timediff", (2, 2), timediff, type_timediff),
];

fn time<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    let value = args[0].eval(inputs, context)?;
    let fsp = read::fsp(&args[0], value.as_ref(), Wanted::Time);
    let time = or_null!(read::time_of(value.as_ref(), context)?);
    Ok(Ev::Own(Value::Time(time.round_to(fsp))))
}

/// From day 0 to 1970.
const UNIX_EPOCH_MICROS: i64 = calendar::UNIX_EPOCH_DAY as i64 * 86_400_000_000;

/// Something that a time can be added to.
#[derive(Clone, Copy)]
enum Operand {
    Moment(DateTime),
    Span(Time),
}

fn addtime<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    sum(args, false, inputs, context)
}

fn subtime<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    sum(args, true, inputs, context)
}

fn sum<'a>(
    args: &'a [Expr],
    subtract: bool,
    inputs: &Inputs<'a>,
    context: &mut Context<'_>,
) -> EvalResult<'a> {
    let value = args[0].eval(inputs, context)?;
    let operand = or_null!(operand(value.as_ref(), context)?);
    let span_value = args[1].eval(inputs, context)?;
    let span = match span_value.as_ref() {
        ValueRef::Null => return Ok(Ev::NULL),
        span => or_null!(read::time_of(span, context)?),
    };
    let delta = if subtract { -span.micros() } else { span.micros() };
    let is_text = !matches!(value.as_ref(), ValueRef::Date(_) | ValueRef::Time(_) | ValueRef::DateTime(_));
    let fsp = read::fsp(&args[0], value.as_ref(), Wanted::Any).max(read::fsp(
        &args[1],
        span_value.as_ref(),
        Wanted::Any,
    ));
    match operand {
        Operand::Moment(moment) => match moment.with_fsp(FSP_MAX).add_micros(delta) {
            Some(sum) if is_text => {
                Ok(shown(|text| sum.with_fsp(shown_fsp(sum.micros())).write_text(text), inputs))
            }
            Some(sum) => Ok(Ev::Own(Value::DateTime(sum.truncate_to(fsp)))),
            None => read::overflow(context, "datetime"),
        },
        Operand::Span(time) => {
            let total = time.micros() + delta;
            let sum = Time::saturating(total, FSP_MAX);
            if total.abs() > Time::MICROS_MAX {
                let overflow = read::overflow(context, "time")?;
                if !is_text {
                    return Ok(overflow);
                }
            }
            if is_text {
                return Ok(shown(|text| sum.truncate_to(shown_fsp(sum.parts().3)).write_text(text), inputs));
            }
            Ok(Ev::Own(Value::Time(sum.truncate_to(fsp))))
        }
    }
}

/// All digits of a fraction, if there is one.
fn shown_fsp(micros: u32) -> u8 {
    if micros == 0 { 0 } else { FSP_MAX }
}

fn shown<'a>(write: impl FnOnce(&mut Vec<u8>), inputs: &Inputs<'_>) -> Ev<'a> {
    let mut text = Vec::new();
    write(&mut text);
    ascii(text, inputs)
}

/// A moment or a span; a text is the former if it begins with a date.
fn operand(value: ValueRef<'_>, context: &mut Context<'_>) -> Result<Option<Operand>, SqlError> {
    Ok(match value {
        ValueRef::Null => None,
        ValueRef::Time(time) => Some(Operand::Span(time)),
        ValueRef::Date(_) | ValueRef::DateTime(_) => {
            let moment = read::datetime_of(value, context)?;
            moment.filter(|moment| moment.date().to_days().is_some()).map(Operand::Moment)
        }
        ValueRef::Str(..) | ValueRef::Bytes(_) => {
            let text = value.string_bytes().unwrap_or_default();
            if parse_datetime(&text, DatePolicy::LAX).is_ok() && looks_like_date(&text) {
                return Ok(read::datetime_of(value, context)?.map(Operand::Moment));
            }
            match read::parse_time(&text) {
                Some(_) => read::time_of(value, context)?.map(Operand::Span),
                None => read::datetime_of(value, context)?.map(Operand::Moment),
            }
        }
        _ => numeric(value, context)?,
    })
}

/// `2020-01-01`, with or without a time.
fn looks_like_date(text: &[u8]) -> bool {
    let text = text.trim_ascii_start();
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    digits > 0 && (text.get(digits) == Some(&b'-') || digits >= 12)
}

/// A number is a date if it is large enough for one.
fn numeric(value: ValueRef<'_>, context: &mut Context<'_>) -> Result<Option<Operand>, SqlError> {
    let number = value.to_f64(context)?.unwrap_or(0.0);
    if number.abs() <= 8_385_959.5 {
        return Ok(read::time_of(value, context)?.map(Operand::Span));
    }
    Ok(read::datetime_of(value, context)?.map(Operand::Moment))
}

/// A TIME or DATETIME as the first argument is; text of anything else.
fn type_sum(call: &Typed<'_>) -> Result<ResultType, SqlError> {
    let fsp = call.fsp(0, Wanted::Any).max(call.fsp(1, Wanted::Any));
    Ok(match call.arg(0).kind {
        Kind::Time => ResultType::time(fsp),
        kind if kind.has_date() => ResultType::datetime(fsp),
        _ => text_of_moment(call),
    }
    .or_null())
}

/// The span between two moments or two spans; NULL between one of each.
fn timediff<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    let (first, second) = (args[0].eval(inputs, context)?, args[1].eval(inputs, context)?);
    if first.as_ref().is_null() || second.as_ref().is_null() {
        return Ok(Ev::NULL);
    }
    let fsp = read::fsp(&args[0], first.as_ref(), Wanted::Any).max(read::fsp(
        &args[1],
        second.as_ref(),
        Wanted::Any,
    ));
    let first = or_null!(operand(first.as_ref(), context)?);
    let second = or_null!(operand(second.as_ref(), context)?);
    let total = match (first, second) {
        (Operand::Span(a), Operand::Span(b)) => a.micros() - b.micros(),
        (Operand::Moment(a), Operand::Moment(b)) => or_null!(micros_of(a)) - or_null!(micros_of(b)),
        _ => return Ok(Ev::NULL),
    };
    if total.abs() > Time::MICROS_MAX {
        context.report(&ER_TRUNCATED_WRONG_VALUE, &[&"time", &long_span(total, fsp)])?;
    }
    Ok(Ev::Own(Value::Time(Time::saturating(total, fsp))))
}

/// Microseconds since 1970; `0000-00-00` is day 0.
fn micros_of(moment: DateTime) -> Option<i64> {
    if moment.date() == Date::ZERO {
        return Some(moment.time().micros() - UNIX_EPOCH_MICROS);
    }
    Some(moment.to_unix_seconds()? * 1_000_000 + i64::from(moment.micros()))
}

/// A span that is longer than a TIME, for a message.
fn long_span(micros: i64, fsp: u8) -> String {
    let sign = if micros < 0 { "-" } else { "" };
    let (seconds, fraction) = (micros.unsigned_abs() / 1_000_000, micros.unsigned_abs() % 1_000_000);
    let (hours, minutes, rest) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    let shown = format!("{fraction:06}");
    let digits = if fsp > 0 { format!(".{}", &shown[..usize::from(fsp)]) } else { String::new() };
    format!("{sign}{hours:02}:{minutes:02}:{rest:02}{digits}")
}

fn type_timediff(call: &Typed<'_>) -> Result<ResultType, SqlError> {
    Ok(ResultType::time(call.fsp(0, Wanted::Any).max(call.fsp(1, Wanted::Any))).or_null())
}
