//! Temporal values as text, straight into a buffer: the text protocol writes millions of them.

use std::fmt::{self, Display};

use super::{Date, DateTime, Time};

impl Date {
    /// Appends `YYYY-MM-DD`.
    pub fn write_text(self, out: &mut Vec<u8>) {
        let mut text = *b"0000-00-00";
        put_date(self, &mut text);
        out.extend_from_slice(&text);
    }
}

impl DateTime {
    /// Appends `YYYY-MM-DD hh:mm:ss` and the fraction's digits.
    pub fn write_text(self, out: &mut Vec<u8>) {
        let mut text = *b"0000-00-00 00:00:00";
        let (hour, minute, second, micros) = self.time_parts();
        put_date(self.date(), &mut text);
        put(u32::from(hour), &mut text[11..13]);
        put(u32::from(minute), &mut text[14..16]);
        put(u32::from(second), &mut text[17..19]);
        out.extend_from_slice(&text);
        write_fraction(micros, self.fsp(), out);
    }
}

impl Time {
    /// Appends `[-]hh:mm:ss` (hours with two or three digits) and the fraction's digits.
    pub fn write_text(self, out: &mut Vec<u8>) {
        let mut text = *b"-000:00:00";
        let (hours, minute, second, micros) = self.parts();
        put(hours, &mut text[1..4]);
        put(u32::from(minute), &mut text[5..7]);
        put(u32::from(second), &mut text[8..10]);
        if self.is_negative() {
            out.push(b'-');
        }
        out.extend_from_slice(&text[if hours > 99 { 1 } else { 2 }..]);
        write_fraction(micros, self.fsp(), out);
    }
}

fn write_fraction(micros: u32, fsp: u8, out: &mut Vec<u8>) {
    let mut text = *b".000000";
    put(micros, &mut text[1..]);
    if fsp > 0 {
        out.extend_from_slice(&text[..=usize::from(fsp.min(6))]);
    }
}

fn put_date(date: Date, text: &mut [u8]) {
    put(u32::from(date.year()), &mut text[..4]);
    put(u32::from(date.month()), &mut text[5..7]);
    put(u32::from(date.day()), &mut text[8..10]);
}

/// Writes the last digits of `value` over `text`.
fn put(value: u32, text: &mut [u8]) {
    let mut rest = value;
    for digit in text.iter_mut().rev() {
        *digit = b'0' + (rest % 10).to_le_bytes()[0];
        rest /= 10;
    }
}

fn display(f: &mut fmt::Formatter<'_>, write: impl FnOnce(&mut Vec<u8>)) -> fmt::Result {
    let mut text = Vec::with_capacity(26);
    write(&mut text);
    f.write_str(std::str::from_utf8(&text).map_err(|_| fmt::Error)?)
}

impl Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        display(f, |out| self.write_text(out))
    }
}

impl Display for DateTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        display(f, |out| self.write_text(out))
    }
}

impl Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        display(f, |out| self.write_text(out))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_has_mysqls_form() {
        let time = |negative, hours, micros, fsp| Time::new(negative, hours, 4, 5, micros, fsp).unwrap();
        assert_eq!(time(false, 3, 0, 0).to_string(), "03:04:05");
        assert_eq!(time(true, 103, 120_000, 2).to_string(), "-103:04:05.12");
        assert_eq!(time(false, 838, 0, 6).to_string(), "838:04:05.000000");
        let date = Date::new(7, 1, 0).unwrap();
        assert_eq!(date.to_string(), "0007-01-00");
        assert_eq!(DateTime::new(date, 1, 2, 3, 40, 5).unwrap().to_string(), "0007-01-00 01:02:03.00004");
    }
}
