//! STR_TO_DATE: a text read by a format.
//!
//! The format decides the type: with parts of a date and of a time it is a DATETIME, else a DATE or a TIME.

use types::context::Context;
use types::error::SqlError;
use types::error::table::{ER_TRUNCATED_WRONG_VALUE, ER_WRONG_VALUE_FOR_TYPE};
use types::temporal::{Date, DateTime, FSP_MAX, Time, calendar};
use types::value::{Value, ValueRef};

use super::names::{DAYS, MONTHS, find};
use crate::expr::{Ev, Expr, Inputs, ResultType};
use crate::func::args::{self, or_null};
use crate::func::{EvalResult, Function, Typed};

pub(super) const FUNCTIONS: &[Function] =
    &[Function::new("str_to_date", (2, 2), str_to_date, type_str_to_date)];

/// What a format has parts of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Shape {
    date: bool,
    time: bool,
    fraction: bool,
}

impl Shape {
    fn of(format: &[u8]) -> Self {
        let mut shape = Self::default();
        let mut bytes = format.iter();
        while let Some(byte) = bytes.next() {
            if *byte != b'%' {
                continue;
            }
            match bytes.next() {
                Some(b'f') => {
                    shape.time = true;
                    shape.fraction = true;
                }
                Some(b'H' | b'k' | b'h' | b'I' | b'l' | b'i' | b's' | b'S' | b'p' | b'r' | b'T') => {
                    shape.time = true;
                }
                Some(
                    b'Y' | b'y' | b'm' | b'c' | b'd' | b'e' | b'D' | b'j' | b'M' | b'b' | b'a' | b'W' | b'w'
                    | b'U' | b'u' | b'V' | b'v' | b'X' | b'x',
                ) => shape.date = true,
                _ => {}
            }
        }
        shape
    }

    fn fsp(self) -> u8 {
        if self.fraction { FSP_MAX } else { 0 }
    }
}

/// Parts as they are read.
#[derive(Default)]
struct Parts {
    year: u16,
    month: u8,
    day: u8,
    hour: u32,
    minute: u8,
    second: u8,
    micros: u32,
    day_of_year: Option<u16>,
    weekday: Option<u8>,
    /// The week, and the mode in which it counts.
    week: Option<(u8, u8)>,
    week_year: Option<u16>,
    afternoon: Option<bool>,
    of_twelve: bool,
}

fn str_to_date<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    let text = or_null!(args::text(&args[0], inputs, context)?);
    let format = or_null!(args::text(&args[1], inputs, context)?);
    let shape = Shape::of(&format.bytes);
    let mut parts = Parts::default();
    let read = parts.read(&text.bytes, &format.bytes);
    let value = read.and_then(|_| parts.value(shape, context));
    let shown = types::value::quote_text(&text.bytes, text.collation);
    let (Some(rest), Some(value)) = (read, value) else {
        context.report(&ER_WRONG_VALUE_FOR_TYPE, &[&"datetime", &shown, &"str_to_date"])?;
        return Ok(Ev::NULL);
    };
    if !rest.trim_ascii().is_empty() {
        let kind = match value {
            Value::Date(_) => "date",
            Value::Time(_) => "time",
            _ => "datetime",
        };
        context.report(&ER_TRUNCATED_WRONG_VALUE, &[&kind, &shown])?;
    }
    Ok(Ev::Own(value))
}

fn type_str_to_date(call: &Typed<'_>) -> Result<ResultType, SqlError> {
    let Some(ValueRef::Str(format, _)) = call.constant(1) else {
        return Ok(ResultType::datetime(FSP_MAX).or_null());
    };
    let shape = Shape::of(format);
    Ok(match (shape.date, shape.time) {
        (true, true) => ResultType::datetime(shape.fsp()),
        (false, true) => ResultType::time(shape.fsp()),
        _ => ResultType::date(),
    }
    .or_null())
}

/// A number of at most `digits` digits, and what is behind it.
fn number(text: &[u8], digits: usize) -> Option<(u32, &[u8])> {
    let size = text.iter().take(digits).take_while(|byte| byte.is_ascii_digit()).count();
    if size == 0 {
        return None;
    }
    let number = text[..size].iter().fold(0, |number, digit| number * 10 + u32::from(digit - b'0'));
    Some((number, &text[size..]))
}

fn small(number: u32, max: u8) -> Option<u8> {
    u8::try_from(number).ok().filter(|number| *number <= max)
}

impl Parts {
    /// Reads the text; what is left of it. None where it does not follow the format.
    fn read<'t>(&mut self, text: &'t [u8], format: &[u8]) -> Option<&'t [u8]> {
        let mut text = text;
        let mut format = format;
        while let [first, behind @ ..] = format {
            text = text.trim_ascii_start();
            if text.is_empty() {
                break;
            }
            format = behind;
            match (first, format) {
                (b'%', [specifier, behind @ ..]) => {
                    format = behind;
                    text = self.specified(*specifier, text)?;
                }
                (byte, _) if byte.is_ascii_whitespace() => {}
                (byte, _) => {
                    let [next, rest @ ..] = text else { return None };
                    if next != byte {
                        return None;
                    }
                    text = rest;
                }
            }
        }
        Some(text)
    }

    fn specified<'t>(&mut self, specifier: u8, text: &'t [u8]) -> Option<&'t [u8]> {
        match specifier {
            b'Y' | b'y' | b'm' | b'c' | b'd' | b'e' | b'D' | b'j' | b'M' | b'b' | b'a' | b'W' | b'w' => {
                self.date_part(specifier, text)
            }
            b'U' | b'u' | b'V' | b'v' | b'X' | b'x' => self.week_part(specifier, text),
            b'.' => Some(&text[text.iter().take_while(|byte| byte.is_ascii_punctuation()).count()..]),
            b'@' => Some(&text[text.iter().take_while(|byte| byte.is_ascii_alphabetic()).count()..]),
            b'#' => Some(&text[text.iter().take_while(|byte| byte.is_ascii_digit()).count()..]),
            _ => self.time_part(specifier, text),
        }
    }

    fn date_part<'t>(&mut self, specifier: u8, text: &'t [u8]) -> Option<&'t [u8]> {
        let named = match specifier {
            b'M' => find(&MONTHS, text, false),
            b'b' => find(&MONTHS, text, true),
            b'W' => find(&DAYS, text, false),
            b'a' => find(&DAYS, text, true),
            _ => None,
        };
        if matches!(specifier, b'M' | b'b' | b'W' | b'a') {
            let (at, size) = named?;
            let at = u8::try_from(at).ok()?;
            match specifier {
                b'M' | b'b' => self.month = at + 1,
                _ => self.weekday = Some(at),
            }
            return Some(&text[size..]);
        }
        let digits = match specifier {
            b'Y' => 4,
            b'j' => 3,
            b'w' => 1,
            _ => 2,
        };
        let (value, mut rest) = number(text, digits)?;
        match specifier {
            b'Y' => self.year = full_year(value, text.len() - rest.len())?,
            b'y' => self.year = full_year(value, 2)?,
            b'm' | b'c' => self.month = small(value, 12)?,
            b'd' | b'e' => self.day = small(value, 31)?,
            b'D' => {
                self.day = small(value, 31)?;
                rest = &rest[rest.len().min(2)..];
            }
            b'j' => self.day_of_year = u16::try_from(value).ok().filter(|day| (1..=366 + 1).contains(day)),
            // Sunday is 0.
            _ => self.weekday = small(value, 6).map(|day| (day + 6) % 7),
        }
        Some(rest)
    }

    fn week_part<'t>(&mut self, specifier: u8, text: &'t [u8]) -> Option<&'t [u8]> {
        if matches!(specifier, b'X' | b'x') {
            let (value, rest) = number(text, 4)?;
            self.week_year = u16::try_from(value).ok();
            return Some(rest);
        }
        let (value, rest) = number(text, 2)?;
        let mode = match specifier {
            b'U' => 0,
            b'u' => 1,
            b'V' => 2,
            _ => 3,
        };
        self.week = Some((small(value, 53)?, mode));
        Some(rest)
    }

    fn time_part<'t>(&mut self, specifier: u8, text: &'t [u8]) -> Option<&'t [u8]> {
        match specifier {
            b'H' | b'k' => {
                let (value, rest) = number(text, 2)?;
                self.hour = value;
                self.of_twelve = false;
                Some(rest)
            }
            b'h' | b'I' | b'l' => {
                let (value, rest) = number(text, 2)?;
                self.hour = Some(value).filter(|hour| (1..=12).contains(hour))?;
                self.of_twelve = true;
                Some(rest)
            }
            b'i' => {
                let (value, rest) = number(text, 2)?;
                self.minute = small(value, 59)?;
                Some(rest)
            }
            b's' | b'S' => {
                let (value, rest) = number(text, 2)?;
                self.second = small(value, 59)?;
                Some(rest)
            }
            b'f' => {
                let (value, rest) = number(text, 6)?;
                let missing = 6 - u32::try_from(text.len() - rest.len()).ok()?;
                self.micros = value * 10_u32.pow(missing);
                Some(rest)
            }
            // It says something of the hours before it, if they are of twelve.
            b'p' if !self.of_twelve => None,
            b'p' => {
                let half = text.get(..2)?;
                self.afternoon = Some(if half.eq_ignore_ascii_case(b"PM") {
                    true
                } else if half.eq_ignore_ascii_case(b"AM") {
                    false
                } else {
                    return None;
                });
                Some(&text[2..])
            }
            b'r' => self.read(text, b"%I:%i:%S %p"),
            b'T' => self.read(text, b"%H:%i:%S"),
            _ => None,
        }
    }

    /// The value; None if the parts make none that `sql_mode` takes.
    fn value(&mut self, shape: Shape, context: &Context<'_>) -> Option<Value> {
        if self.of_twelve {
            self.hour %= 12;
            self.hour += if self.afternoon == Some(true) { 12 } else { 0 };
        }
        if self.hour > 23 {
            return None;
        }
        if !shape.date && shape.time {
            let (hour, minute, second) = (self.hour, self.minute, self.second);
            return Time::new(false, hour, minute, second, self.micros, shape.fsp()).map(Value::Time);
        }
        let date = self.date()?;
        let policy = context.date_policy();
        if !policy.accepts(date.year(), date.month(), date.day()) {
            return None;
        }
        if !shape.time {
            return Some(Value::Date(date));
        }
        let hour = u8::try_from(self.hour).ok()?;
        DateTime::new(date, hour, self.minute, self.second, self.micros, shape.fsp()).map(Value::DateTime)
    }

    fn date(&self) -> Option<Date> {
        if let Some(day) = self.day_of_year.filter(|_| self.year > 0) {
            return Date::from_days(calendar::to_days(self.year, 1, 1) + u32::from(day) - 1);
        }
        if let (Some((week, mode)), Some(weekday)) = (self.week, self.weekday) {
            return self.day_of_week(week, mode, weekday);
        }
        Date::new(self.year, self.month, self.day)
    }

    /// The day of a week. Weeks of the modes 0 and 2 begin on Sunday, and the first one has four days in the year in
    /// the modes 1 and 3.
    fn day_of_week(&self, week: u8, mode: u8, weekday: u8) -> Option<Date> {
        let by_week_year = mode >= 2;
        let year = if by_week_year { self.week_year? } else { self.year };
        if week == 0 && by_week_year {
            return None;
        }
        let new_year = calendar::to_days(year, 1, 1);
        let first_weekday = calendar::weekday(new_year);
        let sunday_first = mode.is_multiple_of(2);
        let offset = if sunday_first {
            let back = i64::from((7 - u32::from(first_weekday + 1) % 7) % 7);
            back + (i64::from(week) - 1) * 7 + i64::from((weekday + 1) % 7)
        } else {
            let back = if first_weekday <= 3 { 0 } else { 7 };
            back - i64::from(first_weekday) + (i64::from(week) - 1) * 7 + i64::from(weekday)
        };
        Date::from_days(u32::try_from(i64::from(new_year) + offset).ok()?)
    }
}

/// Years of two digits are those of 1970 to 2069.
fn full_year(value: u32, digits: usize) -> Option<u16> {
    let value = u16::try_from(value).ok()?;
    Some(match (digits, value) {
        (1 | 2, 0..70) => value + 2000,
        (1 | 2, _) => value + 1900,
        _ => value,
    })
}
