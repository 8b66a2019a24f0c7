//! DATE, TIME, DATETIME and TIMESTAMP.

use super::Target;
use crate::error::SqlError;
use crate::error::table::{
    ER_DATETIME_FUNCTION_OVERFLOW, ER_TRUNCATED_WRONG_VALUE, ER_TRUNCATED_WRONG_VALUE_FOR_FIELD,
};
use crate::temporal::{
    Date, DatePolicy, DateTime, LocalTime, NotADate, Time, Timestamp, datetime_from_number, parse_datetime,
    parse_time, time_from_number,
};
use crate::value::{ValueRef, local, local_time, split};

/// Why there is no value, or not all of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Loss {
    /// It is read, but something was left over: 1265.
    Rubbish,
    /// It cannot be read: 1265.
    Unreadable,
    /// It can be read but does not exist: 1264.
    OutOfRange,
    /// Rounding led beyond the year 9999: 1441 and 1264.
    Overflow,
}

/// A value, perhaps a substitute, and what is wrong with it.
type Read<T> = (T, Option<Loss>);

pub(super) fn store_date(
    value: ValueRef<'_>,
    target: &mut Target<'_, '_>,
    out: &mut Vec<u8>,
) -> Result<(), SqlError> {
    let (read, loss) = read_datetime(value, 0, target);
    report("date", value, loss, target)?;
    if loss.is_none() && read.time().micros() != 0 {
        note("date", &shown(value, 0), target);
    }
    read.date().write_stored(out);
    Ok(())
}

pub(super) fn store_datetime(
    fsp: u8,
    value: ValueRef<'_>,
    target: &mut Target<'_, '_>,
    out: &mut Vec<u8>,
) -> Result<(), SqlError> {
    let (read, loss) = read_datetime(value, fsp, target);
    report("datetime", value, loss, target)?;
    read.write_stored(fsp, out);
    Ok(())
}

pub(super) fn store_timestamp(
    fsp: u8,
    value: ValueRef<'_>,
    target: &mut Target<'_, '_>,
    out: &mut Vec<u8>,
) -> Result<(), SqlError> {
    let (read, mut loss) = read_datetime(value, fsp, target);
    let mut moment = Timestamp::ZERO;
    if !read.is_zero() {
        match target.context.time_zone.to_utc(read) {
            Some(LocalTime::At(seconds)) => {
                let found = Timestamp::new(seconds, read.micros());
                loss = loss.or(found.is_none().then_some(Loss::OutOfRange));
                moment = found.unwrap_or(moment);
            }
            Some(LocalTime::Skipped(seconds)) => {
                loss = Some(Loss::OutOfRange);
                moment = Timestamp::new(seconds, 0).unwrap_or(moment);
            }
            None => {
                let number = !matches!(value, ValueRef::Str(..) | ValueRef::Bytes(_));
                loss = Some(if number { Loss::Unreadable } else { Loss::OutOfRange });
            }
        }
    }
    let rounded = match value {
        ValueRef::DateTime(_) => ValueRef::DateTime(read),
        _ => value,
    };
    report("datetime", rounded, loss, target)?;
    moment.write_stored(fsp, out);
    Ok(())
}

pub(super) fn store_time(
    fsp: u8,
    value: ValueRef<'_>,
    target: &mut Target<'_, '_>,
    out: &mut Vec<u8>,
) -> Result<(), SqlError> {
    let (read, loss, dated) = read_time(value, target);
    report("time", value, loss, target)?;
    if dated && loss.is_none() {
        note("time", &shown(value, fsp), target);
    }
    let stored = if target.context.cuts_fractions() { read.truncate_to(fsp) } else { read.round_to(fsp) };
    stored.write_stored(fsp, out);
    Ok(())
}

/// A date and time from any value, rounded to `fsp`; zero where there is none.
fn read_datetime(value: ValueRef<'_>, fsp: u8, target: &Target<'_, '_>) -> Read<DateTime> {
    let context = &*target.context;
    let policy = context.date_policy();
    let (read, loss) = match value {
        ValueRef::Date(date) => checked(DateTime::from_date(date), policy),
        ValueRef::DateTime(value) => checked(value, policy),
        ValueRef::Time(time) => {
            let midnight = DateTime::from_date(context.today).with_fsp(6);
            midnight
                .add_micros(time.micros())
                .map_or((DateTime::ZERO, Some(Loss::OutOfRange)), |value| (value, None))
        }
        ValueRef::Str(..) | ValueRef::Bytes(_) => datetime_from_text(value, target),
        _ => datetime_of_number(value, policy),
    };
    if loss.is_some_and(|loss| loss != Loss::Rubbish) {
        return (DateTime::ZERO, loss);
    }
    let rounded =
        if target.context.cuts_fractions() { Some(read.truncate_to(fsp)) } else { read.round_to(fsp) };
    rounded.map_or((DateTime::ZERO, Some(Loss::Overflow)), |rounded| (rounded, loss))
}

fn checked(value: DateTime, policy: DatePolicy) -> Read<DateTime> {
    let date = value.date();
    let fits = policy.accepts(date.year(), date.month(), date.day());
    (value, (!fits).then_some(Loss::OutOfRange))
}

fn datetime_from_text(value: ValueRef<'_>, target: &Target<'_, '_>) -> Read<DateTime> {
    let text = value.string_bytes().unwrap_or_default();
    match parse_datetime(&text, target.context.date_policy()) {
        Ok(parsed) => {
            let loss = parsed.truncated.then_some(Loss::Rubbish);
            local(parsed, target.context)
                .map_or((DateTime::ZERO, Some(Loss::OutOfRange)), |value| (value, loss))
        }
        Err(NotADate::Unreadable) => (DateTime::ZERO, Some(Loss::Unreadable)),
        Err(NotADate::Refused) => (DateTime::ZERO, Some(Loss::OutOfRange)),
        Err(NotADate::Overflow) => (DateTime::ZERO, Some(Loss::Overflow)),
    }
}

fn datetime_of_number(value: ValueRef<'_>, policy: DatePolicy) -> Read<DateTime> {
    let Some((negative, number, micros)) = split(value, policy.cut_fraction) else {
        return (DateTime::ZERO, Some(Loss::OutOfRange));
    };
    if negative || number > 99_991_231_235_959 {
        return (DateTime::ZERO, Some(Loss::OutOfRange));
    }
    match datetime_from_number(number, micros, policy) {
        Some(read) if micros != 0 && number != 0 && number < 101_000_000 => {
            (read.truncate_to(0), Some(Loss::Rubbish))
        }
        Some(read) => (read, None),
        None => (DateTime::ZERO, Some(Loss::Unreadable)),
    }
}

/// A TIME from any value, and whether a date was dropped on the way.
fn read_time(value: ValueRef<'_>, target: &Target<'_, '_>) -> (Time, Option<Loss>, bool) {
    match value {
        ValueRef::Time(time) => (time, None, false),
        ValueRef::DateTime(value) => (value.time(), None, false),
        ValueRef::Date(_) => (Time::default(), None, false),
        ValueRef::Str(..) | ValueRef::Bytes(_) => time_from_text(value, target),
        _ => time_of_number(value, target.context.cuts_fractions()),
    }
}

fn time_from_text(value: ValueRef<'_>, target: &Target<'_, '_>) -> (Time, Option<Loss>, bool) {
    let text = value.string_bytes().unwrap_or_default();
    let text = text.trim_ascii();
    if text.is_empty() || text == b"." || has_exponent(text) {
        return (Time::default(), None, false);
    }
    match parse_time(text, target.context.cuts_fractions()) {
        None => {
            let clock = text.contains(&b':') && text.first().is_some_and(u8::is_ascii_digit);
            (Time::default(), Some(if clock { Loss::OutOfRange } else { Loss::Unreadable }), false)
        }
        Some(parsed) if parsed.out_of_range => (parsed.value, Some(Loss::OutOfRange), false),
        Some(parsed) => {
            let dated = parsed.datetime.is_some_and(|datetime| datetime.value.date() != Date::ZERO);
            let loss = parsed.truncated.then_some(Loss::Rubbish);
            (local_time(parsed, target.context), loss, dated)
        }
    }
}

/// `1e3`, which MySQL takes for an empty TIME, as it does a lone point.
fn has_exponent(text: &[u8]) -> bool {
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    digits > 0 && matches!(&text[digits..], [b'e' | b'E', b'0'..=b'9' | b'+' | b'-', ..])
}

fn time_of_number(value: ValueRef<'_>, cut_fraction: bool) -> (Time, Option<Loss>, bool) {
    let longest = |negative: bool| Time::saturating(if negative { i64::MIN / 2 } else { i64::MAX / 2 }, 6);
    let Some((negative, number, micros)) = split(value, cut_fraction) else {
        let negative = value_is_negative(value);
        return (longest(negative), Some(Loss::OutOfRange), false);
    };
    if let Some(time) = time_from_number(negative, number, micros) {
        let dated = number > 9_999_999_999;
        return (time, None, dated);
    }
    let time = if number > 8_385_959 { longest(negative) } else { Time::default() };
    (time, Some(Loss::OutOfRange), false)
}

fn value_is_negative(value: ValueRef<'_>) -> bool {
    match value {
        ValueRef::Decimal(number) => number.is_negative(),
        ValueRef::Double(number) => number < 0.0,
        ValueRef::Float(number) => number < 0.0,
        _ => false,
    }
}

/// Reports a loss: a strict statement always names the value.
fn report(
    kind: &str,
    value: ValueRef<'_>,
    loss: Option<Loss>,
    target: &mut Target<'_, '_>,
) -> Result<(), SqlError> {
    let Some(loss) = loss else { return Ok(()) };
    if loss == Loss::Overflow {
        target.context.report(&ER_DATETIME_FUNCTION_OVERFLOW, &[&"datetime"])?;
    }
    if target.context.strict {
        let fsp = target.column.ty.fsp().unwrap_or(0);
        return Err(SqlError::with_message(
            &ER_TRUNCATED_WRONG_VALUE,
            incorrect(kind, &shown(value, fsp), target),
        ));
    }
    match loss {
        Loss::Rubbish | Loss::Unreadable => target.truncated(),
        Loss::OutOfRange | Loss::Overflow => target.out_of_range(),
    }
}

/// A part of the value was dropped on purpose: a note, whose text depends on the mode.
fn note(kind: &str, value: &str, target: &mut Target<'_, '_>) {
    if !target.context.strict {
        target.truncated_note();
        return;
    }
    let message = incorrect(kind, value, target);
    let error = SqlError::with_message(&ER_TRUNCATED_WRONG_VALUE, message);
    target.context.warnings.push_error(crate::warning::Level::Note, &error);
}

fn incorrect(kind: &str, value: &str, target: &Target<'_, '_>) -> String {
    let row = target.context.row;
    ER_TRUNCATED_WRONG_VALUE_FOR_FIELD.message(&[&kind, &value, &target.column.name, &row])
}

/// The value for a message, a moment with the column's fraction.
fn shown(value: ValueRef<'_>, fsp: u8) -> String {
    match value {
        ValueRef::Time(time) => time.truncate_to(fsp).to_string(),
        ValueRef::DateTime(value) => value.round_to(fsp).unwrap_or(value).to_string(),
        _ => value.to_message(),
    }
}
