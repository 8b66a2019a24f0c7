//! INTERVAL: a value and a unit as months, days and microseconds.

use types::context::Context;
use types::decimal::Decimal;
use types::error::SqlError;
use types::error::table::ER_TRUNCATED_WRONG_VALUE;
use types::number::is_whole;
use types::temporal::{DateTime, Time};
use types::value::{Numeric, ValueRef};

use crate::expr::{Expr, Inputs, IntervalUnit};
use crate::func::args;

type Result<T> = std::result::Result<T, SqlError>;
/// An interval; `Err` for a text with more parts than the unit has: the result is NULL.
type Checked = std::result::Result<Interval, TooManyParts>;

const MICROS_PER_SECOND: i128 = 1_000_000;
const MICROS_PER_DAY: i128 = 86_400 * MICROS_PER_SECOND;

/// A span of time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Interval {
    pub(super) months: i128,
    pub(super) micros: i128,
}

impl Interval {
    /// The same backwards.
    pub(super) fn negated(self) -> Self {
        Self { months: -self.months, micros: -self.micros }
    }

    /// The moment so much later; None outside of the years 0 to 9999 and for incomplete dates.
    pub(super) fn add_to(self, moment: DateTime) -> Option<DateTime> {
        let moment = moment.with_fsp(6);
        if self.months == 0 {
            return moment.add_micros(i64::try_from(self.micros).ok()?);
        }
        let date = moment.date().add_months(i32::try_from(self.months).ok()?)?;
        let (hour, minute, second, micros) = moment.time_parts();
        DateTime::new(date, hour, minute, second, micros, 6)
    }

    /// The span so much longer; None beyond the longest TIME.
    pub(super) fn add_to_time(self, time: Time) -> Option<Time> {
        Time::from_micros(i64::try_from(i128::from(time.micros()) + self.micros).ok()?, 6)
    }
}

/// Reads an interval; None for NULL.
pub(super) fn read(
    expr: &Expr,
    unit: IntervalUnit,
    inputs: &Inputs<'_>,
    context: &mut Context<'_>,
) -> Result<Option<Checked>> {
    use IntervalUnit as U;
    let months = |count: i128| Ok(Some(Ok(Interval { months: count, micros: 0 })));
    let micros = |count: i128, unit: i128| Ok(Some(Ok(Interval { months: 0, micros: count * unit })));
    let mut count = || Ok::<_, SqlError>(args::int(expr, inputs, context)?.map(args::Int::bits));
    let signed = |bits: u64| i128::from(bits.cast_signed());
    let one = match unit {
        U::Year => 12,
        U::Quarter => 3,
        U::Month | U::Microsecond => 1,
        U::Week => 7 * MICROS_PER_DAY,
        U::Day => MICROS_PER_DAY,
        U::Hour => 3600 * MICROS_PER_SECOND,
        U::Minute => 60 * MICROS_PER_SECOND,
        U::Second => return seconds(expr, inputs, context).map(|span| span.map(Ok)),
        _ => return parts(expr, unit, inputs, context),
    };
    let Some(count) = count()?.map(signed) else { return Ok(None) };
    match unit {
        U::Year | U::Quarter | U::Month => months(count * one),
        _ => micros(count, one),
    }
}

/// The text has more parts than the unit: the result is NULL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TooManyParts;

/// Seconds with a fraction.
fn seconds(expr: &Expr, inputs: &Inputs<'_>, context: &mut Context<'_>) -> Result<Option<Interval>> {
    let value = expr.eval(inputs, context)?;
    let number = match value.as_ref() {
        ValueRef::Null => return Ok(None),
        text @ (ValueRef::Str(..) | ValueRef::Bytes(_)) => {
            let bytes = text.string_bytes().unwrap_or_default();
            let parsed = Decimal::parse_prefix(&bytes);
            if parsed.size == 0 || parsed.overflow || !is_whole(&bytes, parsed.size) {
                context.report(&ER_TRUNCATED_WRONG_VALUE, &[&"DECIMAL", &text.to_message()])?;
            }
            parsed.value
        }
        value => value.to_number(context)?.map_or(Decimal::ZERO, Numeric::to_decimal),
    };
    let millionths = number.multiply(&Decimal::from(1_000_000_i64)).map(|number| number.truncate(0));
    let micros = millionths.ok().and_then(Decimal::to_i64).map_or(i128::MAX >> 2, i128::from);
    Ok(Some(Interval { months: 0, micros }))
}

/// Parts with anything between them; fewer than the unit has are its last ones.
fn parts(
    expr: &Expr,
    unit: IntervalUnit,
    inputs: &Inputs<'_>,
    context: &mut Context<'_>,
) -> Result<Option<Checked>> {
    let value = expr.eval(inputs, context)?;
    if value.as_ref().is_null() {
        return Ok(None);
    }
    let mut text = Vec::new();
    value.as_ref().write_text(&mut text);
    let units = units(unit);
    let has_micros = has_micros(unit);
    let Some((negative, numbers)) = split(&text, units.len(), has_micros) else {
        return Ok(Some(Err(TooManyParts)));
    };
    let total: i128 =
        units[units.len() - numbers.len()..].iter().zip(&numbers).map(|(unit, n)| unit * n).sum();
    let total = if negative { -total } else { total };
    Ok(Some(Ok(match unit {
        IntervalUnit::YearMonth => Interval { months: total, micros: 0 },
        _ => Interval { months: 0, micros: total },
    })))
}

/// What one of each part is, in months or microseconds, the largest first.
fn units(unit: IntervalUnit) -> &'static [i128] {
    use IntervalUnit as U;
    const DAY_TO_MICRO: [i128; 5] =
        [MICROS_PER_DAY, 3600 * MICROS_PER_SECOND, 60 * MICROS_PER_SECOND, MICROS_PER_SECOND, 1];
    match unit {
        U::YearMonth => &[12, 1],
        U::DayHour => &DAY_TO_MICRO[..2],
        U::DayMinute => &DAY_TO_MICRO[..3],
        U::DaySecond => &DAY_TO_MICRO[..4],
        U::DayMicrosecond => &DAY_TO_MICRO,
        U::HourMinute => &DAY_TO_MICRO[1..3],
        U::HourSecond => &DAY_TO_MICRO[1..4],
        U::HourMicrosecond => &DAY_TO_MICRO[1..],
        U::MinuteSecond => &DAY_TO_MICRO[2..4],
        U::MinuteMicrosecond => &DAY_TO_MICRO[2..],
        _ => &DAY_TO_MICRO[3..],
    }
}

/// The sign and the numbers of a text; None for more than `count_max`. Microseconds are a fraction's digits: `.5` is
/// half a second.
fn split(text: &[u8], count_max: usize, has_micros: bool) -> Option<(bool, Vec<i128>)> {
    let text = text.trim_ascii_start();
    let (negative, mut rest) = match text {
        [b'-', rest @ ..] => (true, rest),
        _ => (false, text),
    };
    let mut numbers = Vec::with_capacity(count_max);
    let mut last_size = 0;
    loop {
        let skipped = rest.iter().take_while(|byte| !byte.is_ascii_digit()).count();
        rest = &rest[skipped..];
        let size = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        if size == 0 {
            break;
        }
        if numbers.len() == count_max {
            return None;
        }
        let number = rest[..size]
            .iter()
            .fold(0_i64, |number, digit| number.saturating_mul(10).saturating_add(i64::from(digit - b'0')));
        numbers.push(i128::from(number));
        last_size = size;
        rest = &rest[size..];
    }
    if has_micros && let Some(last) = numbers.last_mut() {
        let missing = u32::try_from(6_usize.saturating_sub(last_size)).unwrap_or(0);
        *last *= 10_i128.pow(missing);
    }
    Some((negative, numbers))
}

/// Whether the unit's smallest part is below a day.
pub(super) fn has_time(unit: IntervalUnit) -> bool {
    use IntervalUnit::{Day, Month, Quarter, Week, Year, YearMonth};
    !matches!(unit, Day | Week | Month | Quarter | Year | YearMonth)
}

/// Whether the unit's largest part is below a day: then it can be added to a TIME.
pub(super) fn is_within_day(unit: IntervalUnit) -> bool {
    use IntervalUnit::{DayHour, DayMicrosecond, DayMinute, DaySecond};
    has_time(unit) && !matches!(unit, DayHour | DayMicrosecond | DayMinute | DaySecond)
}

/// Whether the unit has microseconds.
pub(super) fn has_micros(unit: IntervalUnit) -> bool {
    use IntervalUnit as U;
    matches!(
        unit,
        U::Microsecond | U::SecondMicrosecond | U::MinuteMicrosecond | U::HourMicrosecond | U::DayMicrosecond
    )
}
