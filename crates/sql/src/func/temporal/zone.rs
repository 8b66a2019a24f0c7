//! CONVERT_TZ.

use types::context::Context;
use types::error::SqlError;
use types::temporal::{DateTime, LocalTime, TimeZone};
use types::value::Value;

use super::read::{self, Wanted};
use super::unix::UNIX_SECONDS_MAX;
use crate::expr::{Ev, Expr, Inputs, ResultType};
use crate::func::args::{self, or_null};
use crate::func::{EvalResult, Function};

pub(super) const FUNCTIONS: &[Function] = &[Function::new("convert_tz", (3, 3), convert_tz, |call| {
    Ok(ResultType::datetime(call.fsp(0, Wanted::Moment)).or_null())
})];

/// NULL for zones that are unknown; moments that no TIMESTAMP can be stay as they are.
fn convert_tz<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    let value = args[0].eval(inputs, context)?;
    let fsp = read::fsp(&args[0], value.as_ref(), Wanted::Moment);
    let moment = read::datetime_of(value.as_ref(), context)?;
    let from = zone(&args[1], inputs, context)?;
    let to = zone(&args[2], inputs, context)?;
    let (moment, from, to) = (or_null!(moment), or_null!(from), or_null!(to));
    let moment = moment.truncate_to(fsp);
    let seconds = or_null!(from.to_utc(moment));
    let LocalTime::At(seconds) = seconds else { return Ok(Ev::Own(Value::DateTime(moment))) };
    if !(0..=UNIX_SECONDS_MAX).contains(&seconds) {
        return Ok(Ev::Own(Value::DateTime(moment)));
    }
    let local = seconds + i64::from(to.offset_at(seconds));
    let converted = DateTime::from_unix_seconds(local, moment.micros(), fsp);
    Ok(converted.map_or(Ev::NULL, |moment| Ev::Own(Value::DateTime(moment))))
}

fn zone(expr: &Expr, inputs: &Inputs<'_>, context: &mut Context<'_>) -> Result<Option<TimeZone>, SqlError> {
    let Some(name) = args::text(expr, inputs, context)? else { return Ok(None) };
    let name = String::from_utf8_lossy(&name.bytes);
    Ok(TimeZone::parse(&name, &TimeZone::UTC).ok())
}
