//! Dates and datetimes in text.
//!
//! Two forms: digits only (`20200102030405`, `200102`, also with a `T` in between and with a fraction), or parts with
//! anything that is punctuation between them (`2020-1-2 3:4:5.6`). After the seconds a fraction may follow, and
//! after that an offset `+05:30`. Source: the manual's "Date and Time Literals"; where the manual is silent the
//! rules are those that MySQL 9.7.4 showed for the cases in `tests/data/expressions.tsv`.

use super::{Date, DatePolicy, DateTime, MICROS_PER_SECOND};

/// What [`parse_datetime`] read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParsedDateTime {
    /// The value, with as many digits of a fraction as the text has (6 at most; a seventh rounds).
    pub value: DateTime,
    /// Whether there was a time of day.
    pub has_time: bool,
    /// Whether the seventh digit of the fraction rounded the value up.
    pub rounded_up: bool,
    /// Whether something was left over behind it.
    pub truncated: bool,
    /// The offset from UTC in seconds, if the text names one: the caller converts.
    pub offset_s: Option<i32>,
}

/// Why a text is no date.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotADate {
    /// It has not the form of one, or its parts are beyond those of any date.
    Unreadable,
    /// The [`DatePolicy`] does not accept it: `2020-02-30`, `0000-00-00`.
    Refused,
    /// Its seventh fractional digit rounds it up beyond the year 9999.
    Overflow,
}

/// Reads a date or a datetime.
pub fn parse_datetime(text: &[u8], policy: DatePolicy) -> Result<ParsedDateTime, NotADate> {
    let mut scan = scan(text).ok_or(NotADate::Unreadable)?;
    let (value, carry, offset_s) = scan.value().ok_or(NotADate::Unreadable)?;
    let date = value.date();
    if !policy.accepts(date.year(), date.month(), date.day()) {
        return Err(NotADate::Refused);
    }
    let carry = carry && !policy.cut_fraction;
    let value = if carry { value.add_micros(1).ok_or(NotADate::Overflow)? } else { value };
    let truncated = !scan.text[scan.at..].trim_ascii().is_empty();
    Ok(ParsedDateTime { value, has_time: scan.count > 3, rounded_up: carry, truncated, offset_s })
}

/// What a text looks like to someone who expects a TIME.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// Date, blank, something: a datetime or nothing.
    DateThenBlank,
    /// Digits alone, more than a date needs: perhaps a datetime.
    Digits,
    /// Something else: `10:11:12`.
    Other,
}

/// Looks whether a text could be a datetime.
pub(super) fn shape(text: &[u8]) -> Shape {
    match scan(text) {
        Some(scan) if scan.blank_after_date => Shape::DateThenBlank,
        Some(scan) if scan.only_digits && scan.count > 3 => Shape::Digits,
        _ => Shape::Other,
    }
}

/// Reads the parts.
fn scan(text: &[u8]) -> Option<Scan<'_>> {
    let text = text.trim_ascii_start();
    if !text.first()?.is_ascii_digit() {
        return None;
    }
    let run = text.iter().position(|byte| !byte.is_ascii_digit() && *byte != b'T').unwrap_or(text.len());
    let mut scan = Scan { text, at: 0, parts: [0; 6], count: 0, only_digits: true, blank_after_date: false };
    if run == text.len() || text[run] == b'.' {
        let year_digits = if run == 4 || run == 8 || run >= 14 { 4 } else { 2 };
        scan.fixed_widths(year_digits)?;
        scan.short_year(year_digits == 2);
    } else {
        let year_size = scan.delimited()?;
        scan.short_year(year_size == 2);
    }
    (scan.count >= 3).then_some(scan)
}

struct Scan<'a> {
    text: &'a [u8],
    at: usize,
    /// Year, month, day, hour, minute, second.
    parts: [u32; 6],
    count: usize,
    /// Whether no delimiter but a `T` was seen.
    only_digits: bool,
    blank_after_date: bool,
}

impl Scan<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    /// Parts of two digits, the year of `year_digits`.
    fn fixed_widths(&mut self, year_digits: usize) -> Option<()> {
        while self.count < 6 && self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            let width = if self.count == 0 { year_digits } else { 2 };
            let rest = &self.text[self.at..];
            let size = rest.iter().take(width).take_while(|byte| byte.is_ascii_digit()).count();
            self.parts[self.count] = number(&rest[..size])?;
            self.count += 1;
            self.at += size;
            if self.count == 3 {
                self.blank_after_date = self.peek().is_some_and(|byte| byte.is_ascii_whitespace());
            }
            if self.count == 3 && self.peek() == Some(b'T') {
                self.at += 1;
            }
            if self.count < 6 {
                let before = self.at;
                self.skip_delimiters();
                self.only_digits &= self.at == before;
            }
        }
        Some(())
    }

    /// Parts with delimiters between them; the size of the year.
    fn delimited(&mut self) -> Option<usize> {
        let mut year_size = 0;
        self.only_digits = false;
        while self.count < 6 && self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            let rest = &self.text[self.at..];
            let size = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
            self.parts[self.count] = number(&rest[..size])?;
            self.at += size;
            if self.count == 0 {
                year_size = size;
            }
            self.count += 1;
            if self.count == 3 {
                self.blank_after_date = self.peek().is_some_and(|byte| byte.is_ascii_whitespace());
            }
            if self.count == 3 && self.peek() == Some(b'T') && self.digit_after() {
                self.at += 1;
            } else if self.count < 6 {
                self.skip_delimiters();
            }
        }
        // Blanks may stand behind the date, and at the end.
        let rest = &self.text[self.at..];
        let inner_blank = matches!(self.count, 4 | 5) && rest.first().is_some_and(u8::is_ascii_whitespace);
        (!inner_blank || rest.trim_ascii().is_empty()).then_some(year_size)
    }

    fn digit_after(&self) -> bool {
        self.text.get(self.at + 1).is_some_and(u8::is_ascii_digit)
    }

    /// Punctuation between parts, and blanks behind the date.
    fn skip_delimiters(&mut self) {
        let blanks = self.count == 3;
        while self
            .peek()
            .is_some_and(|byte| byte.is_ascii_punctuation() || blanks && byte.is_ascii_whitespace())
        {
            self.at += 1;
        }
    }

    fn short_year(&mut self, short: bool) {
        if short {
            self.parts[0] = full_year(self.parts[0]);
        }
    }

    /// The parts as a value, whether a seventh fractional digit rounds it up, and its offset from UTC.
    fn value(&mut self) -> Option<(DateTime, bool, Option<i32>)> {
        let (fraction, fsp, carry) = if self.count == 6 { self.fraction() } else { (0, 0, false) };
        let offset_s = match self.peek() {
            Some(b'+' | b'-') if self.count == 6 => Some(self.offset()?),
            _ => None,
        };
        let [year, month, day, hour, minute, second] = self.parts;
        let small = |value: u32| u8::try_from(value).ok();
        let date = Date::new(u16::try_from(year).ok()?, small(month)?, small(day)?)?;
        let value = DateTime::new(date, small(hour)?, small(minute)?, small(second)?, fraction, fsp)?;
        Some((value, carry, offset_s))
    }

    /// The fraction behind the seconds: microseconds, digits, whether the seventh digit rounds up.
    fn fraction(&mut self) -> (u32, u8, bool) {
        if self.peek() != Some(b'.') {
            return (0, 0, false);
        }
        self.at += 1;
        let (micros, fsp, carry, size) = read_fraction(&self.text[self.at..]);
        self.at += size;
        (micros, fsp, carry)
    }

    /// `+hh:mm` or `-hh:mm` up to 14:00; `-00:00` is none.
    fn offset(&mut self) -> Option<i32> {
        let &[sign, a, b, b':', c, d] = self.text[self.at..].trim_ascii_end() else { return None };
        if ![a, b, c, d].iter().all(u8::is_ascii_digit) {
            return None;
        }
        self.at = self.text.len();
        let digits = |tens: u8, ones: u8| i32::from(tens - b'0') * 10 + i32::from(ones - b'0');
        let (hours, minutes) = (digits(a, b), digits(c, d));
        let seconds = hours * 3600 + minutes * 60;
        let negative = sign == b'-';
        let valid = minutes < 60 && seconds <= 14 * 3600 && !(negative && seconds == 0);
        valid.then_some(if negative { -seconds } else { seconds })
    }
}

/// The year of two digits: 70 to 99 are of the last century.
pub(super) fn full_year(year: u32) -> u32 {
    if year < 70 { year + 2000 } else { year + 1900 }
}

/// A fraction's digits: microseconds, how many of them are shown, whether the seventh rounds up, size in bytes.
pub(super) fn read_fraction(text: &[u8]) -> (u32, u8, bool, usize) {
    let size = text.iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(text.len());
    let digits = &text[..size];
    let mut micros = 0;
    for place in 0..6 {
        micros = micros * 10 + digits.get(place).map_or(0, |digit| u32::from(digit - b'0'));
    }
    let carry = digits.get(6).is_some_and(|digit| *digit >= b'5');
    debug_assert!(i64::from(micros) < MICROS_PER_SECOND);
    (micros, u8::try_from(size.min(6)).unwrap_or(6), carry, size)
}

/// Digits as a number; None if it is far out of range.
pub(super) fn number(digits: &[u8]) -> Option<u32> {
    digits.iter().try_fold(0_u32, |value, digit| value.checked_mul(10)?.checked_add(u32::from(digit - b'0')))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Option<String> {
        let strict = DatePolicy::EXACT;
        parse_datetime(text.as_bytes(), strict)
            .ok()
            .map(|parsed| format!("{}{}", parsed.value, if parsed.truncated { " truncated" } else { "" }))
    }

    // Answers of MySQL 9.7.4 to CAST(... AS DATETIME(6)).
    #[test]
    fn text_forms() {
        for (text, expected) in [
            ("20-1-2", "2020-01-02 00:00:00"),
            ("70-1-2", "1970-01-02 00:00:00"),
            ("120-01-02", "0120-01-02 00:00:00"),
            ("20200102030405.5", "2020-01-02 03:04:05.5"),
            ("200102.5", "2020-01-02 05:00:00"),
            ("20200102T030405", "2020-01-02 03:04:05"),
            ("2020-01-02 03:04:05abc", "2020-01-02 03:04:05 truncated"),
            ("2020-01-02-03-04-05", "2020-01-02 03:04:05"),
            ("2020-01-02T", "2020-01-02 00:00:00 truncated"),
            ("2020-01-02 03:04:05.9999999", "2020-01-02 03:04:06.000000"),
            ("2020-01-02 03:04:05.1234565", "2020-01-02 03:04:05.123457"),
            ("2020-01-02 03:04:05.1234564", "2020-01-02 03:04:05.123456"),
            ("2020-01-02 03.5", "2020-01-02 03:05:00"),
        ] {
            assert_eq!(parsed(text).as_deref(), Some(expected), "{text}");
        }
        for text in ["", "abc", "2020", "2020-01", "2020-13-01", "2020-02-30", "2020-00-01", "0000-00-00"] {
            assert_eq!(parsed(text), None, "{text}");
        }
    }

    #[test]
    fn offsets_are_told() {
        let offset =
            |text: &str| parse_datetime(text.as_bytes(), DatePolicy::LAX).ok().map(|parsed| parsed.offset_s);
        assert_eq!(offset("2020-01-02 03:04:05+05:30"), Some(Some(19_800)));
        assert_eq!(offset("2020-01-02 03:04:05.5-13:59"), Some(Some(-50_340)));
        assert_eq!(offset("2020-01-02 03:04:05"), Some(None));
        assert_eq!(offset("2020-01-02 03:04:05-00:00"), None);
        assert_eq!(offset("2020-01-02 03:04:05+14:01"), None);
        assert_eq!(offset("2020-01-02 03:04:05+5:30"), None);
    }

    #[test]
    fn no_bytes_panic() {
        for a in 0..=255_u8 {
            for b in [b'0', b'9', b'-', b'T', b' ', b'.', 0xFF] {
                let text = [b'2', a, b, a, b'1', b, b'3', b' ', a, b'.', b, a];
                for size in 0..=text.len() {
                    let _ = parse_datetime(&text[..size], DatePolicy::LAX);
                }
            }
        }
    }
}
