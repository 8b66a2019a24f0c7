//! Parts of dates and times: YEAR to MICROSECOND, their names, and EXTRACT.

use types::column::IntSize;
use types::context::Context;
use types::decimal::Decimal;
use types::error::SqlError;
use types::temporal::{Date, DatePolicy, DateTime, Time, calendar, datetime_from_number};
use types::value::{Value, ValueRef};

use super::names::{DAYS, MONTHS};
use super::read;
use crate::expr::typing::Kind;
use crate::expr::{Ev, Expr, Inputs, IntervalUnit, ResultType};
use crate::func::args::{ascii, or_null};
use crate::func::{EvalResult, Function, Typed};

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new("year", (1, 1), year, type_year),
    Function::new("month", (1, 1), month, |_| Ok(ResultType::bigint(3))),
    Function::new("day", (1, 1), day, |_| Ok(ResultType::bigint(3))),
    Function::new("dayofmonth", (1, 1), day, |_| Ok(ResultType::bigint(3))),
    Function::new("quarter", (1, 1), quarter, |_| Ok(ResultType::bigint(2))),
    Function::new("hour", (1, 1), hour, |_| Ok(ResultType::bigint(4))),
    Function::new("minute", (1, 1), minute, |_| Ok(ResultType::bigint(3))),
    Function::new("second", (1, 1), second, |_| Ok(ResultType::bigint(3))),
    Function::new("microsecond", (1, 1), microsecond, |_| Ok(ResultType::bigint(21))),
    Function::new("monthname", (1, 1), monthname, type_name),
    Function::new("dayname", (1, 1), dayname, type_name),
    Function::new("extract", (1, 1), extract, type_extract),
];

const NAME_CHARS: u32 = 9;
/// Larger numbers have a time behind the date.
const DATE_NUMBER_MAX: u64 = 99_991_231;

fn type_name(call: &Typed<'_>) -> Result<ResultType, SqlError> {
    Ok(call.ascii(NAME_CHARS).or_null())
}

fn type_year(_: &Typed<'_>) -> Result<ResultType, SqlError> {
    Ok(ResultType { length: 4, ..ResultType::of_kind(Kind::Year) }.unsigned().or_null())
}

/// A part of a date that may be incomplete.
fn of_date<'a>(
    args: &'a [Expr],
    inputs: &Inputs<'a>,
    context: &mut Context<'_>,
    part: impl FnOnce(Date) -> i64,
) -> EvalResult<'a> {
    let date = or_null!(read::incomplete_date(&args[0], inputs, context)?);
    Ok(Ev::Own(Value::Int(part(date))))
}

/// A part of a time.
fn of_time<'a>(
    args: &'a [Expr],
    inputs: &Inputs<'a>,
    context: &mut Context<'_>,
    part: impl FnOnce((u32, u8, u8, u32)) -> i64,
) -> EvalResult<'a> {
    let time = or_null!(read::time(&args[0], inputs, context)?);
    Ok(Ev::Own(Value::Int(part(time.parts()))))
}

fn year<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    let date = or_null!(read::incomplete_date(&args[0], inputs, context)?);
    Ok(Ev::Own(Value::UInt(u64::from(date.year()))))
}

fn month<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    of_date(args, inputs, context, |date| i64::from(date.month()))
}

fn day<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    of_date(args, inputs, context, |date| i64::from(date.day()))
}

fn quarter<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    of_date(args, inputs, context, |date| i64::from(date.month().div_ceil(3)))
}

fn hour<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    of_time(args, inputs, context, |(hours, ..)| i64::from(hours))
}

fn minute<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    of_time(args, inputs, context, |(_, minutes, ..)| i64::from(minutes))
}

fn second<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    of_time(args, inputs, context, |(_, _, seconds, _)| i64::from(seconds))
}

fn microsecond<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    of_time(args, inputs, context, |(.., micros)| i64::from(micros))
}

fn monthname<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    let date = or_null!(read::incomplete_date(&args[0], inputs, context)?);
    let name = usize::from(date.month()).checked_sub(1).and_then(|month| MONTHS.get(month));
    Ok(name.map_or(Ev::NULL, |name| ascii(*name, inputs)))
}

fn dayname<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    let date = or_null!(read::date(&args[0], inputs, context)?);
    let days = or_null!(date.to_days());
    Ok(ascii(DAYS[usize::from(calendar::weekday(days))], inputs))
}

/// What EXTRACT reads its parts from.
struct Parts {
    date: Date,
    negative: bool,
    time: (u32, u8, u8, u32),
}

impl Parts {
    fn of_moment(moment: DateTime) -> Self {
        Self { date: moment.date(), negative: false, time: moment.time().parts() }
    }

    fn of_time(time: Time) -> Self {
        Self { date: Date::ZERO, negative: time.is_negative(), time: time.parts() }
    }

    /// The number that the units' digits make.
    fn number(&self, unit: IntervalUnit) -> i64 {
        use IntervalUnit as U;
        let (hours, minutes, seconds, micros) = self.time;
        let (hour, minute, second) = (i64::from(hours), i64::from(minutes), i64::from(seconds));
        let (day, micro) = (i64::from(self.date.day()), i64::from(micros));
        let hms = hour * 10_000 + minute * 100 + second;
        let whole = match unit {
            U::Year => i64::from(self.date.year()),
            U::Quarter => i64::from(self.date.month().div_ceil(3)),
            U::Month => i64::from(self.date.month()),
            U::Week => self.date.to_days().map_or(0, |_| week_of(self.date)),
            U::Day => day,
            U::YearMonth => i64::from(self.date.year()) * 100 + i64::from(self.date.month()),
            U::Hour => hour,
            U::Minute => minute,
            U::Second => second,
            U::Microsecond => micro,
            U::DayHour => day * 100 + hour,
            U::DayMinute => day * 10_000 + hour * 100 + minute,
            U::DaySecond => day * 1_000_000 + hms,
            U::DayMicrosecond => (day * 1_000_000 + hms) * 1_000_000 + micro,
            U::HourMinute => hour * 100 + minute,
            U::HourSecond => hms,
            U::HourMicrosecond => hms * 1_000_000 + micro,
            U::MinuteSecond => minute * 100 + second,
            U::MinuteMicrosecond => (minute * 100 + second) * 1_000_000 + micro,
            U::SecondMicrosecond => second * 1_000_000 + micro,
        };
        if self.negative { -whole } else { whole }
    }
}

fn week_of(date: Date) -> i64 {
    i64::from(calendar::week(date.year(), date.month(), date.day(), 0).1)
}

fn extract<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    let Expr::Interval(arg, unit) = &args[0] else { return Ok(Ev::NULL) };
    let value = arg.eval(inputs, context)?;
    let parts = match value.as_ref() {
        ValueRef::Null => return Ok(Ev::NULL),
        value if needs_date(*unit) => {
            Parts::of_moment(or_null!(read::datetime_of(value, &mut read::lax(context))?))
        }
        ValueRef::DateTime(moment) => Parts::of_moment(moment),
        ValueRef::Date(date) => Parts::of_moment(DateTime::from_date(date)),
        value => match day_of_text(value, *unit) {
            Some(moment) => Parts::of_moment(moment),
            None => Parts::of_time(or_null!(read::time_of(value, context)?)),
        },
    };
    if *unit == IntervalUnit::Week && parts.date.to_days().is_none() {
        return Ok(Ev::NULL);
    }
    Ok(Ev::Own(Value::Int(parts.number(*unit))))
}

/// A text with a date counts with its day where days are asked for.
fn day_of_text(value: ValueRef<'_>, unit: IntervalUnit) -> Option<DateTime> {
    use IntervalUnit::{DayHour, DayMicrosecond, DayMinute, DaySecond};
    if !matches!(unit, DayHour | DayMicrosecond | DayMinute | DaySecond) {
        return None;
    }
    let Some(text) = value.string_bytes() else { return day_of_number(value) };
    read::parse_time(&text)?.datetime.map(|parsed| parsed.value)
}

/// So does a number that is large enough for a date and a time.
fn day_of_number(value: ValueRef<'_>) -> Option<DateTime> {
    let number = match value {
        ValueRef::Int(number) => Decimal::from(number),
        ValueRef::Decimal(number) => number,
        _ => return None,
    };
    let whole = number.truncate(0).to_u64().filter(|whole| *whole > DATE_NUMBER_MAX)?;
    let fraction = number.subtract(&number.truncate(0)).ok()?.multiply(&Decimal::from(1_000_000_i64)).ok()?;
    let micros = u32::try_from(fraction.to_u64()?).ok()?;
    datetime_from_number(whole, micros, DatePolicy::LAX)
}

fn needs_date(unit: IntervalUnit) -> bool {
    use IntervalUnit::{Day, Month, Quarter, Week, Year, YearMonth};
    matches!(unit, Year | Quarter | Month | Week | Day | YearMonth)
}

/// The width of each unit's number, a sign counted.
fn type_extract(call: &Typed<'_>) -> Result<ResultType, SqlError> {
    use IntervalUnit as U;
    let Some(Expr::Interval(_, unit)) = call.exprs.first() else {
        return Ok(ResultType::int(IntSize::Big, 1));
    };
    Ok(ResultType::bigint(match unit {
        U::Year | U::MinuteSecond => 5,
        U::Quarter => 2,
        U::Month | U::Week | U::Day | U::Minute | U::Second => 3,
        U::Hour => 4,
        U::Microsecond | U::YearMonth => 7,
        U::DayHour | U::SecondMicrosecond => 9,
        U::DayMinute | U::MinuteMicrosecond => 11,
        U::DaySecond => 13,
        U::DayMicrosecond => 20,
        U::HourMinute => 6,
        U::HourSecond => 8,
        U::HourMicrosecond => 14,
    }))
}
