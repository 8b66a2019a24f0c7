//! TIMESTAMPDIFF: whole units between two moments.

use types::context::Context;
use types::temporal::DateTime;
use types::value::Value;

use super::read;
use crate::expr::{Ev, Expr, Inputs, IntervalUnit, ResultType};
use crate::func::args::or_null;
use crate::func::{EvalResult, Function};

pub(super) const FUNCTIONS: &[Function] =
    &[Function::new("timestampdiff", (2, 2), timestampdiff, |_| Ok(ResultType::bigint(21)))];

const MICROS_PER_SECOND: i64 = 1_000_000;

fn timestampdiff<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    let Expr::Interval(from, unit) = &args[0] else { return Ok(Ev::NULL) };
    let from = or_null!(read::datetime(from, inputs, context)?);
    let to = or_null!(read::datetime(&args[1], inputs, context)?);
    let micros = or_null!(micros_between(from, to));
    let seconds = micros / MICROS_PER_SECOND;
    Ok(Ev::Own(Value::Int(match unit {
        IntervalUnit::Year => months_between(from, to) / 12,
        IntervalUnit::Quarter => months_between(from, to) / 3,
        IntervalUnit::Month => months_between(from, to),
        IntervalUnit::Week => seconds / (7 * 86_400),
        IntervalUnit::Day => seconds / 86_400,
        IntervalUnit::Hour => seconds / 3600,
        IntervalUnit::Minute => seconds / 60,
        IntervalUnit::Microsecond => micros,
        _ => seconds,
    })))
}

fn micros_between(from: DateTime, to: DateTime) -> Option<i64> {
    let micros =
        |moment: DateTime| Some(moment.to_unix_seconds()? * MICROS_PER_SECOND + i64::from(moment.micros()));
    Some(micros(to)? - micros(from)?)
}

/// Whole months: the last one counts once the later moment has reached the earlier one's day and time.
fn months_between(from: DateTime, to: DateTime) -> i64 {
    if to < from {
        return -months_between(to, from);
    }
    let (first, last) = (from.date(), to.date());
    let months = (i64::from(last.year()) - i64::from(first.year())) * 12 + i64::from(last.month())
        - i64::from(first.month());
    let within = |moment: DateTime| (moment.date().day(), moment.time_parts());
    if within(to) < within(from) { months - 1 } else { months }
}
