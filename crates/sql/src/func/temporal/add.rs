//! DATE_ADD, DATE_SUB, ADDDATE, SUBDATE, TIMESTAMPADD.
//!
//! A DATE stays one unless the unit is below a day, a TIME stays one unless it is a day or more; what is no date or
//! time but can be read as one gives text.

use types::context::Context;
use types::error::SqlError;
use types::temporal::{DateTime, FSP_MAX};
use types::value::{Value, ValueRef};

use super::interval::{self, Interval, TooManyParts};
use super::read;
use crate::expr::typing::{Kind, TextType};
use crate::expr::{Ev, Expr, Inputs, IntervalUnit, ResultType, Types};
use crate::func::args::{ascii, or_null};
use crate::func::{EvalResult, Function, Typed};

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new("date_add", (2, 2), date_add, type_add),
    Function::new("date_sub", (2, 2), date_sub, type_add),
    Function::new("adddate", (2, 2), date_add, type_add),
    Function::new("subdate", (2, 2), date_sub, type_add),
    Function::new("timestampadd", (2, 2), timestampadd, type_timestampadd),
];

/// The width of a date and time that is announced as text.
const TEXT_CHARS: u32 = 29;

fn date_add<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    let (amount, unit) = amount(&args[1]);
    add(&args[0], amount, unit, false, inputs, context)
}

fn date_sub<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    let (amount, unit) = amount(&args[1]);
    add(&args[0], amount, unit, true, inputs, context)
}

fn timestampadd<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    let (amount, unit) = amount(&args[0]);
    add(&args[1], amount, unit, false, inputs, context)
}

/// A bare number is one of days.
fn amount(expr: &Expr) -> (&Expr, IntervalUnit) {
    match expr {
        Expr::Interval(amount, unit) => (amount, *unit),
        days => (days, IntervalUnit::Day),
    }
}

fn add<'a>(
    date: &'a Expr,
    amount: &Expr,
    unit: IntervalUnit,
    subtract: bool,
    inputs: &Inputs<'a>,
    context: &mut Context<'_>,
) -> EvalResult<'a> {
    let value = date.eval(inputs, context)?;
    if let ValueRef::Time(time) = value.as_ref()
        && interval::is_within_day(unit)
    {
        let span = or_null!(interval::read(amount, unit, inputs, context)?);
        let Ok(span) = directed(span, subtract) else { return Ok(Ev::NULL) };
        let fsp = result_fsp(time.fsp(), amount, unit, &inputs.types())?;
        return match span.add_to_time(time) {
            Some(sum) => Ok(Ev::Own(Value::Time(sum.truncate_to(fsp)))),
            None => read::overflow(context, "time"),
        };
    }
    let moment = or_null!(read::datetime_of(value.as_ref(), context)?);
    let span = or_null!(interval::read(amount, unit, inputs, context)?);
    let Ok(span) = directed(span, subtract) else { return read::overflow(context, "datetime") };
    let Some(sum) = or_null_if_incomplete(moment).and_then(|moment| span.add_to(moment)) else {
        if moment.date().to_days().is_none() {
            return Ok(Ev::NULL);
        }
        return read::overflow(context, "datetime");
    };
    Ok(match value.as_ref() {
        ValueRef::Date(_) if !interval::has_time(unit) => Ev::Own(Value::Date(sum.date())),
        ValueRef::Date(_) => {
            let fsp = result_fsp(0, amount, unit, &inputs.types())?;
            Ev::Own(Value::DateTime(sum.truncate_to(fsp)))
        }
        ValueRef::DateTime(_) | ValueRef::Time(_) => {
            let fsp = result_fsp(moment_fsp(value.as_ref()), amount, unit, &inputs.types())?;
            Ev::Own(Value::DateTime(sum.truncate_to(fsp)))
        }
        other => ascii(shown(sum, has_time(other) || interval::has_time(unit)), inputs),
    })
}

fn moment_fsp(value: ValueRef<'_>) -> u8 {
    match value {
        ValueRef::DateTime(moment) => moment.fsp(),
        ValueRef::Time(time) => time.fsp(),
        _ => 0,
    }
}

fn or_null_if_incomplete(moment: DateTime) -> Option<DateTime> {
    moment.date().to_days().map(|_| moment)
}

fn directed(span: Result<Interval, TooManyParts>, subtract: bool) -> Result<Interval, TooManyParts> {
    span.map(|span| if subtract { span.negated() } else { span })
}

/// Whether a value that is read as a moment has a time of day.
fn has_time(value: ValueRef<'_>) -> bool {
    if let Some(text) = value.string_bytes() {
        return types::temporal::parse_datetime(&text, types::temporal::DatePolicy::LAX)
            .is_ok_and(|parsed| parsed.has_time);
    }
    let mut text = Vec::new();
    value.write_text(&mut text);
    text.iter().take_while(|byte| byte.is_ascii_digit()).count() > 8
}

/// A moment as text: without its time if it has none, with six digits of a fraction if it has one.
fn shown(moment: DateTime, has_time: bool) -> Vec<u8> {
    let mut text = Vec::new();
    if !has_time && moment.time().micros() == 0 {
        moment.date().write_text(&mut text);
    } else {
        let fsp = if moment.micros() == 0 { 0 } else { FSP_MAX };
        moment.with_fsp(fsp).write_text(&mut text);
    }
    text
}

/// The digits of the result's fraction.
fn result_fsp(own: u8, amount: &Expr, unit: IntervalUnit, types: &Types<'_>) -> Result<u8, SqlError> {
    // Most units do not ask for the type.
    Ok(match unit {
        IntervalUnit::Second => fsp_of(own, amount.result_type(types)?, unit),
        unit => fsp_of(own, ResultType::NULL, unit),
    })
}

fn fsp_of(own: u8, amount: ResultType, unit: IntervalUnit) -> u8 {
    match unit {
        IntervalUnit::Second => own.max(amount.decimals.min(FSP_MAX)),
        unit if interval::has_micros(unit) => FSP_MAX,
        _ => own,
    }
}

fn type_add(call: &Typed<'_>) -> Result<ResultType, SqlError> {
    Ok(type_of(call.arg(0), (call.arg(1), amount(&call.exprs[1]).1), call))
}

fn type_timestampadd(call: &Typed<'_>) -> Result<ResultType, SqlError> {
    Ok(type_of(call.arg(1), (call.arg(0), amount(&call.exprs[0]).1), call))
}

/// The type of an argument is not asked for again: what stands in one another would be looked at twice a level.
fn type_of(date: ResultType, (amount, unit): (ResultType, IntervalUnit), call: &Typed<'_>) -> ResultType {
    let own = if date.kind.is_temporal() { date.decimals } else { 0 };
    let fsp = fsp_of(own, amount, unit);
    let result = match date.kind {
        Kind::Date if !interval::has_time(unit) => ResultType::date(),
        Kind::Time if interval::is_within_day(unit) => ResultType::time(fsp),
        kind if kind.is_temporal() => ResultType::datetime(fsp),
        _ => text_of_moment(call),
    };
    result.or_null()
}

/// A date or time as text.
pub(super) fn text_of_moment(call: &Typed<'_>) -> ResultType {
    let text = TextType::ascii(call.connection());
    ResultType { kind: Kind::Char, ..ResultType::string(TEXT_CHARS, text) }.or_null()
}
