//! DATE_FORMAT, TIME_FORMAT, GET_FORMAT.

use std::io::Write as _;

use types::charset::Charset;
use types::context::Context;
use types::error::SqlError;
use types::temporal::{Date, DateTime, Time, calendar};
use types::value::ValueRef;

use super::names::{DAYS, MONTHS};
use super::read;
use crate::expr::typing::Kind;
use crate::expr::{Ev, Expr, Inputs, ResultType};
use crate::func::args::{self, Text, ascii, or_null, string};
use crate::func::{EvalResult, Function, Typed};

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new("date_format", (2, 2), date_format, |call| type_format_of(call, 1)),
    Function::new("time_format", (2, 2), time_format, |call| type_format_of(call, 1)),
    Function::new("get_format", (2, 2), get_format, |call| Ok(call.ascii(17).or_null())),
];

/// What is formatted: a moment, or a span without a date.
struct Moment {
    date: Date,
    negative: bool,
    hours: u32,
    minutes: u8,
    seconds: u8,
    micros: u32,
    is_span: bool,
}

fn date_format<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    let value = args[0].eval(inputs, context)?;
    let format = args::text(&args[1], inputs, context)?;
    let moment = read::datetime_of(value.as_ref(), &mut read::lax(context))?;
    Ok(date_format_of(or_null!(moment), &or_null!(format)))
}

/// A moment in a format.
pub(super) fn date_format_of<'a>(moment: DateTime, format: &Text<'_>) -> Ev<'a> {
    let (hours, minutes, seconds, micros) = moment.time().parts();
    let date = moment.date();
    formatted(&Moment { date, negative: false, hours, minutes, seconds, micros, is_span: false }, format)
}

fn time_format<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    let value = args[0].eval(inputs, context)?;
    let format = args::text(&args[1], inputs, context)?;
    let time = match value.as_ref() {
        ValueRef::Null => None,
        text @ (ValueRef::Str(..) | ValueRef::Bytes(_)) => {
            let bytes = text.string_bytes().unwrap_or_default();
            match read::parse_time(&bytes) {
                None => read::datetime_of(text, context)?.map(DateTime::time),
                Some(_) => read::time_of(text, context)?,
            }
        }
        value => read::time_of(value, context)?,
    };
    let (time, format): (Time, Text<'_>) = (or_null!(time), or_null!(format));
    let (hours, minutes, seconds, micros) = time.parts();
    let negative = time.is_negative();
    Ok(formatted(
        &Moment { date: Date::ZERO, negative, hours, minutes, seconds, micros, is_span: true },
        &format,
    ))
}

/// NULL for an empty format, and where a date is asked for that is not there.
fn formatted<'a>(moment: &Moment, format: &Text<'_>) -> Ev<'a> {
    if format.bytes.is_empty() {
        return Ev::NULL;
    }
    let mut out = Vec::with_capacity(format.bytes.len() * 2);
    if moment.negative {
        out.push(b'-');
    }
    let mut bytes = format.bytes.iter().copied();
    while let Some(byte) = bytes.next() {
        if byte != b'%' {
            out.push(byte);
            continue;
        }
        let Some(specifier) = bytes.next() else {
            out.push(b'%');
            break;
        };
        if moment.write(specifier, &mut out).is_none() {
            return Ev::NULL;
        }
    }
    Ev::Own(string(out, format.collation))
}

impl Moment {
    /// Appends what a specifier stands for; None if there is no such thing.
    fn write(&self, specifier: u8, out: &mut Vec<u8>) -> Option<()> {
        match specifier {
            b'H' | b'k' | b'h' | b'I' | b'l' | b'i' | b's' | b'S' | b'f' | b'p' | b'r' | b'T' => {
                self.write_time(specifier, out);
                Some(())
            }
            b'a' | b'W' | b'b' | b'M' => self.write_name(specifier, out),
            b'U' | b'u' | b'V' | b'v' | b'X' | b'x' => self.write_week(specifier, out),
            _ => self.write_date(specifier, out),
        }
    }

    fn write_time(&self, specifier: u8, out: &mut Vec<u8>) {
        let (hour, minute, second) = (self.hours, self.minutes, self.seconds);
        let of_twelve = (hour + 11) % 12 + 1;
        let half = if hour % 24 < 12 { "AM" } else { "PM" };
        // Writing into a Vec cannot fail.
        let _ = match specifier {
            b'H' => write!(out, "{hour:02}"),
            b'k' => write!(out, "{hour}"),
            b'h' | b'I' => write!(out, "{of_twelve:02}"),
            b'l' => write!(out, "{of_twelve}"),
            b'i' => write!(out, "{minute:02}"),
            b's' | b'S' => write!(out, "{second:02}"),
            b'f' => write!(out, "{:06}", self.micros),
            b'p' => write!(out, "{half}"),
            b'r' => write!(out, "{of_twelve:02}:{minute:02}:{second:02} {half}"),
            _ => write!(out, "{hour:02}:{minute:02}:{second:02}"),
        };
    }

    fn write_date(&self, specifier: u8, out: &mut Vec<u8>) -> Option<()> {
        let date = self.date;
        let (year, month, day) = (date.year(), date.month(), date.day());
        // Writing into a Vec cannot fail.
        let _ = match specifier {
            b'Y' => write!(out, "{year:04}"),
            b'y' => write!(out, "{:02}", year % 100),
            b'm' => write!(out, "{month:02}"),
            b'c' => write!(out, "{month}"),
            b'd' => write!(out, "{day:02}"),
            b'e' => write!(out, "{day}"),
            b'D' | b'j' if self.is_span => return None,
            b'D' => write!(out, "{day}{}", ordinal_suffix(day)),
            b'j' => {
                date.to_days()?;
                write!(out, "{:03}", calendar::day_of_year(year, month, day))
            }
            b'w' => write!(out, "{}", (self.weekday()? + 1) % 7),
            other => {
                out.push(other);
                Ok(())
            }
        };
        Some(())
    }

    fn write_name(&self, specifier: u8, out: &mut Vec<u8>) -> Option<()> {
        let name = match specifier {
            b'a' | b'W' => DAYS[usize::from(self.weekday()?)],
            _ => MONTHS[usize::from(self.date.month().checked_sub(1)?)],
        };
        let is_short = matches!(specifier, b'a' | b'b');
        out.extend_from_slice(if is_short { &name.as_bytes()[..3] } else { name.as_bytes() });
        Some(())
    }

    fn write_week(&self, specifier: u8, out: &mut Vec<u8>) -> Option<()> {
        self.date.to_days()?;
        let mode = match specifier {
            b'U' => 0,
            b'u' => 1,
            b'V' | b'X' => 2,
            _ => 3,
        };
        let (year, week) = calendar::week(self.date.year(), self.date.month(), self.date.day(), mode);
        // Writing into a Vec cannot fail.
        let _ = match specifier {
            b'X' | b'x' => write!(out, "{year:04}"),
            _ => write!(out, "{week:02}"),
        };
        Some(())
    }

    fn weekday(&self) -> Option<u8> {
        self.date.to_days().map(calendar::weekday)
    }
}

fn ordinal_suffix(day: u8) -> &'static str {
    match day {
        11..=13 => "th",
        _ => match day % 10 {
            1 => "st",
            2 => "nd",
            3 => "rd",
            _ => "th",
        },
    }
}

/// The widest text that each specifier of a constant format can give.
pub(super) fn type_format_of(call: &Typed<'_>, at: usize) -> Result<ResultType, SqlError> {
    let text = call.collation(&call.args[at..=at])?;
    let chars = match call.constant(at) {
        Some(ValueRef::Str(format, collation)) => format_chars(format, collation.charset()),
        _ if call.arg(at).kind == Kind::Null => return Ok(call.ascii(0).or_null()),
        _ => call.arg(at).chars().saturating_mul(10),
    };
    Ok(ResultType::string(chars, text).or_null())
}

fn format_chars(format: &[u8], charset: Charset) -> u32 {
    let mut chars = 0;
    let mut rest = format;
    while !rest.is_empty() {
        let (code, size) = charset.first_char(rest);
        rest = &rest[size..];
        if code != u32::from(b'%') || rest.is_empty() {
            // MySQL counts bytes here.
            chars += u32::try_from(size).unwrap_or(1);
            continue;
        }
        chars += match rest[0] {
            b'M' | b'W' => 64,
            b'a' | b'b' => 32,
            b'D' | b'Y' | b'x' | b'X' => 4,
            b'f' => 6,
            b'H' | b'k' => 7,
            b'j' => 3,
            b'r' => 11,
            b'T' => 8,
            b'c' | b'd' | b'e' | b'h' | b'I' | b'i' | b'l' | b'm' | b'p' | b'S' | b's' | b'U' | b'u'
            | b'V' | b'v' | b'y' => 2,
            _ => 1,
        };
        rest = &rest[1..];
    }
    chars
}

fn get_format<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    let kind = or_null!(args::text(&args[0], inputs, context)?);
    let style = or_null!(args::text(&args[1], inputs, context)?);
    let is = |text: &Text<'_>, name: &str| text.bytes.eq_ignore_ascii_case(name.as_bytes());
    let styles = ["USA", "JIS", "ISO", "EUR", "INTERNAL"];
    let style = or_null!(styles.iter().position(|name| is(&style, name)));
    let formats = if is(&kind, "DATE") {
        ["%m.%d.%Y", "%Y-%m-%d", "%Y-%m-%d", "%d.%m.%Y", "%Y%m%d"]
    } else if is(&kind, "TIME") {
        ["%h:%i:%s %p", "%H:%i:%s", "%H:%i:%s", "%H.%i.%s", "%H%i%s"]
    } else {
        ["%Y-%m-%d %H.%i.%s", "%Y-%m-%d %H:%i:%s", "%Y-%m-%d %H:%i:%s", "%Y-%m-%d %H.%i.%s", "%Y%m%d%H%i%s"]
    };
    Ok(ascii(formats[style], inputs))
}
