//! How values of any two types compare.
//!
//! | one | other | compared as |
//! | --- | --- | --- |
//! | NULL | anything | NULL |
//! | text | text | text, by the collation |
//! | integer | integer | integers, also across signs |
//! | integer or DECIMAL | DECIMAL | exact numbers |
//! | number | FLOAT or DOUBLE | doubles |
//! | number | text | doubles |
//! | DATE, DATETIME | DATE, DATETIME | moments, a date being its midnight |
//! | TIME | DATE, DATETIME | moments, the TIME being of today |
//! | temporal | text | the text is read as the temporal type |
//! | temporal | number | numbers |
//! | JSON | anything | as JSON |
//! | ENUM, SET | number | numbers |
//! | ENUM, SET | anything else | as text |
//! | YEAR, BIT | anything | as a number |
//!
//! Source: the manual's "Type Conversion in Expression Evaluation" and MySQL 9.7.4's answers in
//! `tests/data/expressions.tsv`.

use std::borrow::Cow;
use std::cmp::Ordering;

use super::{Numeric, Value, ValueRef};
use crate::charset::{Charset, convert};
use crate::collation::Collation;
use crate::context::Context;
use crate::error::SqlError;
use crate::error::table::{ER_TRUNCATED_WRONG_VALUE, ER_WRONG_VALUE};
use crate::temporal::{
    Date, DatePolicy, DateTime, ParsedDateTime, ParsedTime, Time, parse_datetime, parse_time,
};
use crate::value::quote_text;

/// Compares two values; None if either is NULL.
#[inline]
pub fn compare(
    a: ValueRef<'_>,
    b: ValueRef<'_>,
    context: &mut Context<'_>,
) -> Result<Option<Ordering>, SqlError> {
    use ValueRef::{Bytes, Chosen, Date, DateTime, Int, Json, Null, Str, Time, UInt};
    Ok(Some(match (a, b) {
        (Null, _) | (_, Null) => return Ok(None),
        (Int(a), Int(b)) => a.cmp(&b),
        (Json(_), _) | (_, Json(_)) => crate::json::compare(&a.to_json()?, &b.to_json()?),
        (UInt(a), UInt(b)) => a.cmp(&b),
        (Str(a, a_collation), Str(b, b_collation)) => compare_text(a, a_collation, b, b_collation),
        (Str(..) | Bytes(_), Str(..) | Bytes(_)) => compare_bytes(a, b),
        (Chosen(a), b) if !b.is_number() => {
            return compare(Str(&a.text(), a.collation()), b, context);
        }
        (a, Chosen(b)) if !a.is_number() => {
            return compare(a, Str(&b.text(), b.collation()), context);
        }
        (Date(a), Date(b)) => a.cmp(&b),
        (Time(a), Time(b)) => a.cmp(&b),
        (Date(_) | Time(_) | DateTime(_), Date(_) | Time(_) | DateTime(_)) => {
            moment(a, context.today).cmp(&moment(b, context.today))
        }
        (Date(_) | Time(_) | DateTime(_), Str(..) | Bytes(_)) => temporal_to_text(a, b, context)?,
        (Str(..) | Bytes(_), Date(_) | Time(_) | DateTime(_)) => temporal_to_text(b, a, context)?.reverse(),
        _ => compare_numbers(a, b, context)?,
    }))
}

/// Compares two texts. Of two collations of one character set the `_bin` one decides, else the first; texts of
/// different sets meet in `utf8mb4`. (Whether MySQL would rather answer error 1267 is for the resolver to say.)
pub fn compare_text(a: &[u8], a_collation: Collation, b: &[u8], b_collation: Collation) -> Ordering {
    if a_collation == b_collation {
        return a_collation.compare(a, b);
    }
    if a_collation.charset() == b_collation.charset() {
        let collation = if b_collation.compares_code_points() { b_collation } else { a_collation };
        return collation.compare(a, b);
    }
    let bin = a_collation.compares_code_points() && b_collation.compares_code_points();
    let collation = if bin { Collation::Utf8mb4Bin } else { Collation::Utf8mb4GeneralCi };
    collation.compare(&in_utf8mb4(a, a_collation.charset()), &in_utf8mb4(b, b_collation.charset()))
}

fn in_utf8mb4(text: &[u8], charset: Charset) -> Cow<'_, [u8]> {
    if matches!(charset, Charset::Utf8mb3 | Charset::Utf8mb4) || text.is_ascii() {
        return Cow::Borrowed(text);
    }
    let mut out = Vec::with_capacity(text.len() * 2);
    convert(text, charset, Charset::Utf8mb4, &mut out);
    Cow::Owned(out)
}

fn compare_bytes(a: ValueRef<'_>, b: ValueRef<'_>) -> Ordering {
    a.string_bytes().unwrap_or_default().cmp(&b.string_bytes().unwrap_or_default())
}

/// The moment that a temporal value stands for.
fn moment(value: ValueRef<'_>, today: Date) -> DateTime {
    match value {
        ValueRef::Date(date) => DateTime::from_date(date),
        ValueRef::DateTime(value) => value,
        ValueRef::Time(time) => {
            DateTime::from_date(today).with_fsp(6).add_micros(time.micros()).unwrap_or(DateTime::ZERO)
        }
        _ => DateTime::ZERO,
    }
}

/// Reads the text as the temporal value's type. What cannot be read is smaller than any moment, and what is no
/// whole TIME is compared as text with one.
fn temporal_to_text(
    temporal: ValueRef<'_>,
    text: ValueRef<'_>,
    context: &mut Context<'_>,
) -> Result<Ordering, SqlError> {
    let bytes = text.string_bytes().unwrap_or_default();
    if let ValueRef::Time(time) = temporal {
        let parsed = parse_time(&bytes, context.cuts_fractions())
            .filter(|parsed| !parsed.truncated && parsed.datetime.is_none());
        return Ok(match parsed {
            Some(parsed) => time.cmp(&parsed.value),
            None => time.to_string().as_bytes().cmp(&bytes),
        });
    }
    let kind = if matches!(temporal, ValueRef::Date(_)) { "date" } else { "datetime" };
    let parsed = parse_datetime(&bytes, context.date_policy()).ok();
    if parsed.is_none_or(|parsed| parsed.truncated) {
        context.report(&ER_TRUNCATED_WRONG_VALUE, &[&kind, &text.to_message()])?;
    }
    let Some(parsed) = parsed else { return Ok(Ordering::Greater) };
    Ok(moment(temporal, context.today).cmp(&local(parsed, context).unwrap_or(DateTime::ZERO)))
}

/// A text as a moment in the session's time zone: any that can be written, whether it is accepted in a column or not.
pub fn lax_datetime(text: &[u8], context: &Context<'_>) -> Option<DateTime> {
    let policy = DatePolicy { cut_fraction: context.cuts_fractions(), ..DatePolicy::LAX };
    local(parse_datetime(text, policy).ok()?, context)
}

/// A text as what a column would accept that it says: a date, or a date and time.
pub fn moment_of_text(text: &[u8], context: &Context<'_>) -> Option<Value> {
    let parsed = parse_datetime(text, context.date_policy()).ok().filter(|parsed| !parsed.truncated)?;
    let moment = local(parsed, context)?;
    Some(if parsed.has_time { Value::DateTime(moment) } else { Value::Date(moment.date()) })
}

/// A parsed moment in the session's time zone. None if its offset leads out of the years 0 to 9999.
pub(crate) fn local(parsed: ParsedDateTime, context: &Context<'_>) -> Option<DateTime> {
    let Some(offset) = parsed.offset_s else { return Some(parsed.value) };
    let utc = parsed.value.to_unix_seconds()? - i64::from(offset);
    let local = utc + i64::from(context.time_zone.offset_at(utc));
    DateTime::from_unix_seconds(local, parsed.value.micros(), parsed.value.fsp())
}

/// A parsed TIME; of a datetime with an offset, the time of day in the session's time zone.
pub(crate) fn local_time(parsed: ParsedTime, context: &Context<'_>) -> Time {
    let moved = parsed.datetime.filter(|datetime| datetime.offset_s.is_some());
    moved.and_then(|datetime| local(datetime, context)).map_or(parsed.value, DateTime::time)
}

fn compare_numbers(
    a: ValueRef<'_>,
    b: ValueRef<'_>,
    context: &mut Context<'_>,
) -> Result<Ordering, SqlError> {
    let (Some(a), Some(b)) = (a.to_number(context)?, b.to_number(context)?) else {
        return Ok(Ordering::Equal);
    };
    Ok(match (a, b) {
        (Numeric::Int(a), Numeric::Int(b)) => a.cmp(&b),
        (Numeric::UInt(a), Numeric::UInt(b)) => a.cmp(&b),
        (Numeric::Int(a), Numeric::UInt(b)) => u64::try_from(a).map_or(Ordering::Less, |a| a.cmp(&b)),
        (Numeric::UInt(a), Numeric::Int(b)) => u64::try_from(b).map_or(Ordering::Greater, |b| a.cmp(&b)),
        (Numeric::Double(_), _) | (_, Numeric::Double(_)) => {
            a.to_f64().partial_cmp(&b.to_f64()).unwrap_or(Ordering::Equal)
        }
        _ => a.to_decimal().cmp(&b.to_decimal()),
    })
}

/// A constant text that is compared with a temporal column, read once instead of for each row. Error 1525 if it
/// is none, as MySQL answers; a TIME that cannot be read stays the text that it is.
pub fn temporal_constant(
    column: ValueRef<'_>,
    text: &[u8],
    collation: Collation,
    context: &mut Context<'_>,
) -> Result<Value, SqlError> {
    if let ValueRef::Time(_) = column {
        let parsed = parse_time(text, context.cuts_fractions())
            .filter(|parsed| !parsed.truncated && parsed.datetime.is_none());
        let read = parsed.map(|parsed| Value::Time(parsed.value));
        return Ok(read.unwrap_or_else(|| Value::Str(text.to_vec(), collation)));
    }
    let name = if matches!(column, ValueRef::Date(_)) { "DATE" } else { "DATETIME" };
    let policy = DatePolicy { invalid_dates: false, ..context.date_policy() };
    let parsed = parse_datetime(text, policy).ok();
    let value = parsed.and_then(|parsed| local(parsed, context));
    value.map(Value::DateTime).ok_or_else(|| ER_WRONG_VALUE.error(&[&name, &quote_text(text, collation)]))
}
