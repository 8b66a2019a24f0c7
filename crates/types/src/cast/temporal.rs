//! Casts to dates and times. What is none becomes NULL.

use crate::context::Context;
use crate::error::SqlError;
use crate::error::table::{ER_DATETIME_FUNCTION_OVERFLOW, ER_TRUNCATED_WRONG_VALUE, ER_WRONG_VALUE};
use crate::temporal::{
    Date, DateTime, NotADate, datetime_from_number, parse_datetime, parse_time, time_from_number,
};
use crate::value::{Value, ValueRef, local, local_time, split};

/// CAST(... AS DATE).
pub(super) fn to_date(value: ValueRef<'_>, context: &mut Context<'_>) -> Result<Value, SqlError> {
    Ok(read_datetime(value, "date", context)?.map_or(Value::Null, |moment| {
        // The time of day is dropped, but its fraction rounds first.
        Value::Date(moment.round_to(6).unwrap_or(moment).date())
    }))
}

/// CAST(... AS DATETIME(f)).
pub(super) fn to_datetime(
    value: ValueRef<'_>,
    fsp: u8,
    context: &mut Context<'_>,
) -> Result<Value, SqlError> {
    let Some(moment) = read_datetime(value, "datetime", context)? else { return Ok(Value::Null) };
    let cuts = context.cuts_fractions();
    let rounded = if cuts { Some(moment.truncate_to(fsp)) } else { moment.round_to(fsp) };
    match rounded {
        Some(rounded) => Ok(Value::DateTime(rounded)),
        None => overflow(context),
    }
}

/// CAST(... AS TIME(f)).
pub(super) fn to_time(value: ValueRef<'_>, fsp: u8, context: &mut Context<'_>) -> Result<Value, SqlError> {
    let cuts = context.cuts_fractions();
    let time = match value {
        ValueRef::Time(time) => Some(time),
        ValueRef::DateTime(moment) => Some(moment.time()),
        ValueRef::Date(_) => Some(crate::temporal::Time::default()),
        ValueRef::Str(..) | ValueRef::Bytes(_) => {
            let parsed = parse_time(&value.string_bytes().unwrap_or_default(), cuts);
            if parsed.is_none_or(|parsed| parsed.truncated) {
                report(false, "time", value, context)?;
            }
            parsed.map(|parsed| local_time(parsed, context))
        }
        _ => {
            let time = split(value, cuts)
                .and_then(|(negative, number, micros)| time_from_number(negative, number, micros));
            if time.is_none() {
                report(false, "time", value, context)?;
            }
            time
        }
    };
    let rounded = time.map(|time| if cuts { time.truncate_to(fsp) } else { time.round_to(fsp) });
    Ok(rounded.map_or(Value::Null, Value::Time))
}

fn read_datetime(
    value: ValueRef<'_>,
    kind: &str,
    context: &mut Context<'_>,
) -> Result<Option<DateTime>, SqlError> {
    match value {
        ValueRef::Date(date) => Ok(Some(DateTime::from_date(date))),
        ValueRef::DateTime(moment) => Ok(Some(moment)),
        ValueRef::Year(year) => Ok(Date::new(year, 1, 1).map(DateTime::from_date)),
        ValueRef::Time(time) => {
            let midnight = DateTime::from_date(context.today).with_fsp(6);
            Ok(midnight.add_micros(time.micros()))
        }
        ValueRef::Str(..) | ValueRef::Bytes(_) => from_text(value, kind, context),
        _ => {
            let number = split(value, context.cuts_fractions()).filter(|(negative, ..)| !negative);
            let policy = context.date_policy();
            let moment = number.and_then(|(_, number, micros)| datetime_from_number(number, micros, policy));
            if moment.is_none() {
                // MySQL names an exact integer's type differently from the other numbers'.
                let integer = matches!(value, ValueRef::Int(_) | ValueRef::UInt(_));
                report(integer || kind == "datetime" || is_whole_double(value), kind, value, context)?;
            }
            Ok(moment)
        }
    }
}

fn from_text(
    value: ValueRef<'_>,
    kind: &str,
    context: &mut Context<'_>,
) -> Result<Option<DateTime>, SqlError> {
    let text = value.string_bytes().unwrap_or_default();
    match parse_datetime(&text, context.date_policy()) {
        Ok(parsed) => {
            if parsed.truncated {
                let kind = if parsed.has_time { kind } else { "date" };
                report(false, kind, value, context)?;
            }
            Ok(local(parsed, context))
        }
        Err(NotADate::Overflow) => overflow(context).map(|_| None),
        Err(_) => {
            report(kind == "datetime", kind, value, context)?;
            Ok(None)
        }
    }
}

/// "Incorrect datetime value" where the whole is wrong, "Truncated incorrect ... value" elsewhere.
fn report(whole: bool, kind: &str, value: ValueRef<'_>, context: &mut Context<'_>) -> Result<(), SqlError> {
    let shown = value.to_message();
    if whole {
        return context
            .report_text(&ER_TRUNCATED_WRONG_VALUE, ER_WRONG_VALUE.message(&[&"datetime", &shown]));
    }
    context.report(&ER_TRUNCATED_WRONG_VALUE, &[&kind, &shown])
}

fn overflow(context: &mut Context<'_>) -> Result<Value, SqlError> {
    context.report(&ER_DATETIME_FUNCTION_OVERFLOW, &[&"datetime"])?;
    Ok(Value::Null)
}

fn is_whole_double(value: ValueRef<'_>) -> bool {
    matches!(value, ValueRef::Double(number) if number.fract() == 0.0 && number.abs() < 1e15)
}
