//! DECIMAL as text.

use std::fmt::{self, Display};
use std::str::FromStr;

use super::{DIGITS_PER_LIMB, Decimal, INT_LIMBS, KEPT_SCALE, LIMBS, Limbs, PRECISION_MAX, add_digit};

/// What [`Decimal::parse_prefix`] read.
#[derive(Clone, Copy, Debug)]
pub struct ParsedDecimal {
    /// The number; 0 if there was none, the largest of 65 digits if it was too large.
    pub value: Decimal,
    /// How many bytes belong to it, blanks before it included; 0 if there was no number.
    pub size: usize,
    /// Whether it was too large.
    pub overflow: bool,
}

/// Digits, point and exponent of a number in text.
struct Parts<'a> {
    negative: bool,
    int: &'a [u8],
    fraction: &'a [u8],
    exponent: i32,
    size: usize,
}

impl Decimal {
    /// Reads the number at the beginning of `text`: blanks, sign, digits, point, digits, exponent.
    pub fn parse_prefix(text: &[u8]) -> ParsedDecimal {
        let Some(parts) = Parts::read(text) else {
            return ParsedDecimal { value: Self::ZERO, size: 0, overflow: false };
        };
        match parts.value() {
            Some(value) => ParsedDecimal { value, size: parts.size, overflow: false },
            None => ParsedDecimal {
                value: Self::column_max(PRECISION_MAX, 0, parts.negative),
                size: parts.size,
                overflow: true,
            },
        }
    }

    /// Appends the text.
    pub fn write_text(&self, out: &mut Vec<u8>) {
        let mut buffer = [0; 120];
        out.extend_from_slice(self.format(&mut buffer));
    }

    /// Writes the text into `buffer`: sign, digits without leading zeros, point, `scale` digits.
    pub(super) fn format<'a>(&self, buffer: &'a mut [u8; 120]) -> &'a [u8] {
        let mut size = 0;
        let mut push = |byte: u8| {
            buffer[size] = byte;
            size += 1;
        };
        if self.negative {
            push(b'-');
        }
        let int_digits = usize::from(self.int_digits()).max(1);
        let point = INT_LIMBS * DIGITS_PER_LIMB;
        for place in point - int_digits..point {
            push(self.digit_text(place));
        }
        if self.scale > 0 {
            push(b'.');
            for place in point..point + usize::from(self.scale) {
                push(self.digit_text(place));
            }
        }
        &buffer[..size]
    }

    fn digit_text(&self, place: usize) -> u8 {
        let power = super::POWERS[DIGITS_PER_LIMB - 1 - place % DIGITS_PER_LIMB];
        let digit = self.limbs[place / DIGITS_PER_LIMB] / power % 10;
        b'0' + digit.to_le_bytes()[0]
    }
}

impl<'a> Parts<'a> {
    fn read(text: &'a [u8]) -> Option<Self> {
        let mut at = text.iter().position(|byte| !byte.is_ascii_whitespace())?;
        let negative = text[at] == b'-';
        if matches!(text[at], b'-' | b'+') {
            at += 1;
        }
        let int = leading_digits(&text[at..]);
        at += int.len();
        let mut fraction: &[u8] = &[];
        if text.get(at) == Some(&b'.') {
            fraction = leading_digits(&text[at + 1..]);
            if int.len() + fraction.len() > 0 {
                at += 1 + fraction.len();
            }
        }
        if int.is_empty() && fraction.is_empty() {
            return None;
        }
        let (exponent, exponent_size) = read_exponent(&text[at..]);
        Some(Self { negative, int, fraction, exponent, size: at + exponent_size })
    }

    /// The number, None if it is too large.
    fn value(&self) -> Option<Decimal> {
        let mut limbs: Limbs = [0; LIMBS];
        let point = INT_LIMBS * DIGITS_PER_LIMB;
        let digits = self.int.iter().chain(self.fraction);
        for (at, digit) in digits.enumerate().filter(|&(_, &digit)| digit != b'0') {
            let from_point = i64::try_from(at).ok()? - i64::try_from(self.int.len()).ok()?;
            let place = i64::try_from(point).ok()? + from_point - i64::from(self.exponent);
            if place < 0 {
                return None;
            }
            match usize::try_from(place) {
                Ok(place) if place < LIMBS * DIGITS_PER_LIMB => add_digit(&mut limbs, place, digit - b'0'),
                // Digits that are too small to be kept.
                _ => break,
            }
        }
        let shown = i64::try_from(self.fraction.len()).ok()? - i64::from(self.exponent);
        let scale = usize::try_from(shown.max(0)).map_or(KEPT_SCALE, |shown| shown.min(KEPT_SCALE));
        Some(Decimal { limbs, negative: self.negative, scale: u8::try_from(scale).ok()? }.normalised())
    }
}

fn leading_digits(text: &[u8]) -> &[u8] {
    let end = text.iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(text.len());
    &text[..end]
}

/// An exponent and its size; (0, 0) if there is none.
fn read_exponent(text: &[u8]) -> (i32, usize) {
    if !matches!(text.first(), Some(b'e' | b'E')) {
        return (0, 0);
    }
    let sign_size = usize::from(matches!(text.get(1), Some(b'-' | b'+')));
    let digits = leading_digits(&text[1 + sign_size..]);
    if digits.is_empty() {
        return (0, 0);
    }
    let magnitude = digits.iter().fold(0_i32, |value, digit| {
        value.saturating_mul(10).saturating_add(i32::from(digit - b'0')).min(1_000_000)
    });
    (if text[1] == b'-' { -magnitude } else { magnitude }, 1 + sign_size + digits.len())
}

/// Text that is no number, or only begins with one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotADecimal;

impl FromStr for Decimal {
    type Err = NotADecimal;

    fn from_str(text: &str) -> Result<Self, NotADecimal> {
        let parsed = Self::parse_prefix(text.as_bytes());
        if parsed.size != text.len() || parsed.overflow || text.is_empty() {
            return Err(NotADecimal);
        }
        Ok(parsed.value)
    }
}

impl Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut buffer = [0; 120];
        let text = std::str::from_utf8(self.format(&mut buffer)).map_err(|_| fmt::Error)?;
        f.write_str(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_comes_back() {
        for text in
            ["0", "-1", "0.5", "-0.001", "123456789012345678901234567890.123456789012345678901234567890"]
        {
            assert_eq!(text.parse::<Decimal>().unwrap().to_string(), text);
        }
        assert_eq!("-0.00".parse::<Decimal>().unwrap().to_string(), "0.00");
        assert_eq!("007.50".parse::<Decimal>().unwrap().to_string(), "7.50");
    }

    // Answers of MySQL 9.7.4 to CAST(... AS DECIMAL).
    #[test]
    fn prefixes_of_text_are_read() {
        for (text, value, size) in [
            ("1e10", "10000000000", 4),
            ("  12.5abc", "12.5", 6),
            (".5", "0.5", 2),
            ("-.5e1", "-5", 5),
            ("1e", "1", 1),
            ("1e+", "1", 1),
            ("1.", "1", 2),
            ("+1.5 ", "1.5", 4),
            (".", "0", 0),
            ("", "0", 0),
            ("abc", "0", 0),
            ("15e-3", "0.015", 5),
        ] {
            let parsed = Decimal::parse_prefix(text.as_bytes());
            assert_eq!((parsed.value.to_string().as_str(), parsed.size), (value, size), "{text:?}");
        }
    }

    #[test]
    fn a_number_that_is_too_large_becomes_the_largest() {
        let parsed = Decimal::parse_prefix(b"-1e400");
        assert!(parsed.overflow);
        assert_eq!(parsed.value.to_string(), format!("-{}", "9".repeat(65)));
        assert!(!Decimal::parse_prefix(b"1e-400").overflow);
        assert!(Decimal::parse_prefix(b"0e400").value.is_zero());
        assert!(Decimal::parse_prefix(b"1e99999999999").overflow);
    }
}
