//! TIME in text: `hh:mm:ss`, `D hh:mm:ss`, `hhmmss`, or a whole datetime whose time of day is taken.
//!
//! Source: as for [`parse_datetime`](super::parse_datetime()).

use super::parse_datetime::{Shape, number, read_fraction, shape};
use super::{DatePolicy, MICROS_PER_SECOND, ParsedDateTime, Time, parse_datetime};

/// What [`parse_time`] read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParsedTime {
    /// The value, with as many digits of a fraction as the text has; the longest span if it was longer.
    pub value: Time,
    /// Whether something was left over behind it, or the value was cut to the longest.
    pub truncated: bool,
    /// Whether the value was cut to the longest.
    pub out_of_range: bool,
    /// The datetime of which this is the time of day, if the text had a date. Its offset, if it has one, is not
    /// applied.
    pub datetime: Option<ParsedDateTime>,
}

/// Text shorter than this is never taken for a datetime: `hhhmmss.uuuuuu` would be.
const DATETIME_SIZE_MIN: usize = 12;

/// Reads a TIME; a seventh fractional digit rounds unless `cut_fraction`. None if it is none.
pub fn parse_time(text: &[u8], cut_fraction: bool) -> Option<ParsedTime> {
    let text = text.trim_ascii_start();
    let (negative, text) = match text {
        [b'-', rest @ ..] => (true, rest.trim_ascii_start()),
        _ => (false, text),
    };
    if !negative && text.len() >= DATETIME_SIZE_MIN {
        match (shape(text), parse_datetime(text, DatePolicy { cut_fraction, ..DatePolicy::LAX })) {
            (Shape::Other, _) | (Shape::Digits, Err(_)) => {}
            (_, Ok(datetime)) if datetime.has_time => return Some(time_of(datetime)),
            _ => return None,
        }
    }
    let mut scan = Scan { text, at: 0 };
    let [days, hours, minutes, seconds] = scan.parts()?;
    let (fraction, fsp, carry) = scan.fraction();
    if minutes > 59 || seconds > 59 {
        return None;
    }
    let total = (u64::from(days) * 24 + u64::from(hours)) * 3600 + u64::from(minutes * 60 + seconds);
    let micros = i64::try_from(total).ok()?.checked_mul(MICROS_PER_SECOND)?;
    let micros = micros + i64::from(fraction) + i64::from(carry && !cut_fraction);
    let out_of_range = micros > Time::MICROS_MAX;
    let left_over = !scan.rest().trim_ascii().is_empty();
    let value = Time::saturating(if negative { -micros } else { micros }, fsp);
    Some(ParsedTime { value, truncated: out_of_range || left_over, out_of_range, datetime: None })
}

/// The time of day; rounding up the last moment of a day gives 24:00:00.
fn time_of(datetime: ParsedDateTime) -> ParsedTime {
    let midnight = datetime.rounded_up && datetime.value.time().micros() == 0;
    let value =
        if midnight { Time::saturating(24 * 3600 * MICROS_PER_SECOND, 6) } else { datetime.value.time() };
    ParsedTime { value, truncated: datetime.truncated, out_of_range: false, datetime: Some(datetime) }
}

struct Scan<'a> {
    text: &'a [u8],
    at: usize,
}

impl Scan<'_> {
    fn rest(&self) -> &[u8] {
        &self.text[self.at..]
    }

    /// Days, hours, minutes, seconds.
    fn parts(&mut self) -> Option<[u32; 4]> {
        let starts_with_colon = self.rest().first() == Some(&b':') && self.digit_at(1);
        let first = if starts_with_colon { 0 } else { self.digits()? };
        let gap = self.rest().iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        if gap > 0 && self.digit_at(gap) && self.text.len() - self.at - gap > 1 {
            self.at += gap;
            let [hours, minutes, seconds] = self.clock(None)?;
            return Some([first, hours, minutes, seconds]);
        }
        if self.rest().first() == Some(&b':') && self.digit_at(1) {
            let [hours, minutes, seconds] = self.clock(Some(first))?;
            return Some([0, hours, minutes, seconds]);
        }
        // An exponent makes it a number of another kind.
        if matches!(self.rest(), [b'e' | b'E', b'0'..=b'9' | b'-' | b'+', ..]) {
            return None;
        }
        Some([0, first / 10_000, first / 100 % 100, first % 100])
    }

    /// Up to three parts with colons, of which the first may have been read.
    fn clock(&mut self, first: Option<u32>) -> Option<[u32; 3]> {
        let mut parts = [0; 3];
        let mut count = 0;
        if let Some(first) = first {
            parts[0] = first;
            count = 1;
        } else {
            parts[0] = self.digits()?;
            count += 1;
        }
        while count < 3 && self.rest().first() == Some(&b':') && self.digit_at(1) {
            self.at += 1;
            parts[count] = self.digits()?;
            count += 1;
        }
        Some(parts)
    }

    fn digit_at(&self, offset: usize) -> bool {
        self.rest().get(offset).is_some_and(u8::is_ascii_digit)
    }

    fn digits(&mut self) -> Option<u32> {
        let size = self.rest().iter().take_while(|byte| byte.is_ascii_digit()).count();
        if size == 0 {
            // `.5` is half a second.
            return (self.rest().first() == Some(&b'.') && self.digit_at(1)).then_some(0);
        }
        let value = number(&self.rest()[..size])?;
        self.at += size;
        Some(value)
    }

    fn fraction(&mut self) -> (u32, u8, bool) {
        if self.rest().first() != Some(&b'.') {
            return (0, 0, false);
        }
        self.at += 1;
        let (micros, fsp, carry, size) = read_fraction(self.rest());
        self.at += size;
        (micros, fsp, carry)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Option<String> {
        parse_time(text.as_bytes(), false)
            .map(|parsed| format!("{}{}", parsed.value, if parsed.truncated { " truncated" } else { "" }))
    }

    // Answers of MySQL 9.7.4 to CAST(... AS TIME(6)).
    #[test]
    fn text_forms() {
        for (text, expected) in [
            ("10:11:12", "10:11:12"),
            ("10:11", "10:11:00"),
            ("10", "00:00:10"),
            ("101112", "10:11:12"),
            ("1 10:11:12", "34:11:12"),
            ("1 10", "34:00:00"),
            ("1 1", "00:00:01 truncated"),
            ("-10:11:12.5", "-10:11:12.5"),
            ("- 1:0:0", "-01:00:00"),
            ("839:00:00", "838:59:59 truncated"),
            ("10:11:12abc", "10:11:12 truncated"),
            ("2020-01-02 03:04:05", "03:04:05"),
            ("2020-01-02", "00:20:20 truncated"),
            ("10::11", "00:00:10 truncated"),
            (":10:11", "00:10:11"),
            (".5", "00:00:00.5"),
            ("10:11:12.9999999", "10:11:13.000000"),
            ("12:", "00:00:12 truncated"),
            ("12:5x", "12:05:00 truncated"),
            ("010:11:12.12", "10:11:12.12"),
        ] {
            assert_eq!(parsed(text).as_deref(), Some(expected), "{text}");
        }
        for text in ["", "abc", "10:60:00", "10:11:60", "1e3", "+10:11:12"] {
            assert_eq!(parsed(text), None, "{text}");
        }
    }
}
