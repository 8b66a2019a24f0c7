//! Numbers at the beginning of a text, and machine numbers as text.
//!
//! MySQL reads as much of a text as is a number and warns about the rest. A double is written with the fewest
//! digits that lead back to it, a FLOAT with six significant ones; either in full if its first digit stands
//! within fifteen places of the point, else with an exponent.

use std::io::Write as _;

/// A number read from the beginning of a text.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ParsedNumber<T> {
    /// The number; 0 if there was none.
    pub value: T,
    /// How many bytes belong to it, blanks before it included; 0 if there was none.
    pub size: usize,
    /// Whether it was too large; `value` is then the largest.
    pub overflow: bool,
}

/// An integer read from a text: whether it is negative, and its magnitude.
pub type ParsedInteger = ParsedNumber<(bool, u64)>;

/// Reads a double: blanks, sign, digits, point, digits, exponent.
pub fn parse_double(text: &[u8]) -> ParsedNumber<f64> {
    let start = text.iter().position(|byte| !byte.is_ascii_whitespace()).unwrap_or(text.len());
    let size = double_size(&text[start..]);
    let number =
        std::str::from_utf8(&text[start..start + size]).ok().and_then(|text| text.parse::<f64>().ok());
    match number {
        None => ParsedNumber { value: 0.0, size: 0, overflow: false },
        Some(value) if value.is_infinite() => {
            ParsedNumber { value: f64::MAX.copysign(value), size: start + size, overflow: true }
        }
        Some(value) => ParsedNumber { value, size: start + size, overflow: false },
    }
}

/// The size of the number at the beginning of a text, 0 if there is none.
fn double_size(text: &[u8]) -> usize {
    let digits = |from: usize| text[from..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let sign = usize::from(matches!(text.first(), Some(b'-' | b'+')));
    let int = digits(sign);
    let mut size = sign + int;
    if text.get(size) == Some(&b'.') {
        let fraction = digits(size + 1);
        if int + fraction == 0 {
            return 0;
        }
        size += 1 + fraction;
    } else if int == 0 {
        return 0;
    }
    if matches!(text.get(size), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(text.get(size + 1), Some(b'-' | b'+')));
        let exponent = digits(size + 1 + sign);
        if exponent > 0 {
            size += 1 + sign + exponent;
        }
    }
    size
}

/// Reads an integer: blanks, sign, digits. A point or an exponent ends it.
pub fn parse_integer(text: &[u8]) -> ParsedInteger {
    let start = text.iter().position(|byte| !byte.is_ascii_whitespace()).unwrap_or(text.len());
    let rest = &text[start..];
    let sign = usize::from(matches!(rest.first(), Some(b'-' | b'+')));
    let digits = rest[sign..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    if digits == 0 {
        return ParsedNumber { value: (false, 0), size: 0, overflow: false };
    }
    let magnitude = rest[sign..sign + digits]
        .iter()
        .try_fold(0_u64, |value, digit| value.checked_mul(10)?.checked_add(u64::from(digit - b'0')));
    ParsedNumber {
        value: (rest[0] == b'-', magnitude.unwrap_or(u64::MAX)),
        size: start + sign + digits,
        overflow: magnitude.is_none(),
    }
}

/// Whether only blanks follow the number.
pub fn is_whole(text: &[u8], size: usize) -> bool {
    text[size.min(text.len())..].trim_ascii().is_empty()
}

/// Rounds half to even and takes the nearest integer: how MySQL makes an integer of a double.
#[expect(clippy::cast_possible_truncation, reason = "the cast saturates, which is what MySQL does")]
pub fn double_to_i64(value: f64) -> i64 {
    value.round_ties_even() as i64
}

/// Appends a double.
pub fn write_double(value: f64, out: &mut Vec<u8>) {
    let mut buffer = Buffer::default();
    // Writing into the buffer cannot fail: sign, 17 digits, point and exponent.
    let _ = write!(buffer, "{value:e}");
    write_scientific(buffer.text(), out);
}

/// Appends a FLOAT.
pub fn write_float(value: f32, out: &mut Vec<u8>) {
    let mut buffer = Buffer::default();
    let _ = write!(buffer, "{:.5e}", f64::from(value));
    write_scientific(buffer.text(), out);
}

/// Appends a double, with fewer digits if that makes it fit into `width` bytes: how MySQL brings one into CHAR(n).
/// If nothing does, the text with an exponent is appended.
pub fn write_double_in(value: f64, width: usize, out: &mut Vec<u8>) {
    write_in(width, 17, out, |digits, out| match digits {
        17 => write_double(value, out),
        _ => write_significant(value, digits, out),
    });
}

/// As [`write_double_in`], for a FLOAT.
pub fn write_float_in(value: f32, width: usize, out: &mut Vec<u8>) {
    write_in(width, 6, out, |digits, out| write_significant(f64::from(value), digits, out));
}

/// Tries fewer and fewer digits, in full and with an exponent.
fn write_in(width: usize, digits_max: usize, out: &mut Vec<u8>, write: impl Fn(usize, &mut Vec<u8>)) {
    let start = out.len();
    for digits in (1..=digits_max).rev() {
        write(digits, out);
        if out.len() - start <= width {
            return;
        }
        let shorter = with_exponent(&out[start..]);
        out.truncate(start);
        if shorter.len() <= width || digits == 1 {
            out.extend_from_slice(&shorter);
            return;
        }
    }
}

fn write_significant(value: f64, digits: usize, out: &mut Vec<u8>) {
    let mut buffer = Buffer::default();
    let _ = write!(buffer, "{value:.*e}", digits.saturating_sub(1));
    write_scientific(buffer.text(), out);
}

/// A number's text with an exponent, whatever it was.
fn with_exponent(text: &[u8]) -> Vec<u8> {
    let number = std::str::from_utf8(text).ok().and_then(|text| text.parse::<f64>().ok()).unwrap_or(0.0);
    // Rounded up beyond all doubles, it has its exponent.
    if number.is_finite() { format!("{number:e}").into_bytes() } else { text.to_vec() }
}

/// Appends a number with a fixed count of digits behind the point: FLOAT(m, d) and DOUBLE(m, d).
pub fn write_fixed(value: f64, decimals: u8, out: &mut Vec<u8>) {
    // Writing into a Vec cannot fail.
    let _ = write!(out, "{value:.*}", usize::from(decimals));
}

/// Rounds to a count of digits behind the point as a column FLOAT(m, d) does on its way in: the fraction is
/// rounded apart from the integer part.
pub fn round_fixed(value: f64, decimals: u8) -> f64 {
    let unit = 10_f64.powi(i32::from(decimals));
    let int = value.trunc();
    // Adding 0 makes -0 a plain 0, as in MySQL.
    int + ((value - int) * unit).round_ties_even() / unit + 0.0
}

/// Room for `-d.dddddddddddddddde-ddd`.
#[derive(Default)]
struct Buffer {
    bytes: [u8; 32],
    size: usize,
}

impl Buffer {
    fn text(&self) -> &[u8] {
        &self.bytes[..self.size]
    }
}

impl std::io::Write for Buffer {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let size = bytes.len().min(self.bytes.len() - self.size);
        self.bytes[self.size..self.size + size].copy_from_slice(&bytes[..size]);
        self.size += size;
        Ok(size)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Appends `[-]d[.ddd]e[-]dd` in MySQL's form.
fn write_scientific(text: &[u8], out: &mut Vec<u8>) {
    let (negative, text) = match text {
        [b'-', rest @ ..] => (true, rest),
        _ => (false, text),
    };
    let at = text.iter().position(|&byte| byte == b'e').unwrap_or(text.len());
    let exponent = std::str::from_utf8(&text[at..]).ok().and_then(|text| text.get(1..)?.parse::<i32>().ok());
    let exponent = exponent.unwrap_or(0);
    let mut digits = [0; 20];
    let mut count = 0;
    for &byte in text[..at].iter().filter(|byte| byte.is_ascii_digit()) {
        digits[count] = byte;
        count += 1;
    }
    while count > 1 && digits[count - 1] == b'0' {
        count -= 1;
    }
    if negative {
        out.push(b'-');
    }
    write_digits(&digits[..count], exponent, out);
}

/// Appends significant digits of which the first stands at 10^`exponent`.
fn write_digits(digits: &[u8], exponent: i32, out: &mut Vec<u8>) {
    let zeros = |count: i32| std::iter::repeat_n(b'0', usize::try_from(count).unwrap_or(0));
    match exponent {
        0..=14 => {
            let int = usize::try_from(exponent).unwrap_or(0) + 1;
            let (before, after) = digits.split_at(int.min(digits.len()));
            out.extend_from_slice(before);
            out.extend(std::iter::repeat_n(b'0', int - before.len()));
            if !after.is_empty() {
                out.push(b'.');
                out.extend_from_slice(after);
            }
        }
        -15..=-1 => {
            out.extend_from_slice(b"0.");
            out.extend(zeros(-1 - exponent));
            out.extend_from_slice(digits);
        }
        _ => {
            let (first, rest) = digits.split_at(digits.len().min(1));
            out.extend_from_slice(first);
            if !rest.is_empty() {
                out.push(b'.');
                out.extend_from_slice(rest);
            }
            // Writing into a Vec cannot fail.
            let _ = write!(out, "e{exponent}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn double(value: f64) -> String {
        let mut out = Vec::new();
        write_double(value, &mut out);
        String::from_utf8(out).unwrap()
    }

    fn float(value: f32) -> String {
        let mut out = Vec::new();
        write_float(value, &mut out);
        String::from_utf8(out).unwrap()
    }

    // Answers of MySQL 9.7.4.
    #[test]
    fn doubles_are_written_with_their_fewest_digits() {
        for (value, text) in [
            (1e14, "100000000000000"),
            (1e15, "1e15"),
            (1.5e15, "1.5e15"),
            (123_456_789_012_345.0, "123456789012345"),
            (1_234_567_890_123_456.0, "1.234567890123456e15"),
            (0.1, "0.1"),
            (0.1 + 0.2, "0.30000000000000004"),
            (1e-15, "0.000000000000001"),
            (1e-16, "1e-16"),
            (1.234_567_890_123_456_7e-15, "0.0000000000000012345678901234568"),
            (-0.0, "-0"),
            (-1.5e-320, "-1.5e-320"),
            (f64::MAX, "1.7976931348623157e308"),
            (5e-324, "5e-324"),
            (123_456.789, "123456.789"),
            (100.0, "100"),
        ] {
            assert_eq!(double(value), text);
        }
    }

    #[test]
    fn floats_are_written_with_six_digits() {
        for (value, text) in [
            (16_777_216.0, "16777200"),
            (1_234_567.9, "1234570"),
            (3.4e38, "3.4e38"),
            (999_999.5, "1000000"),
            (9_999_985.0, "9999980"),
            (1e-45, "1.4013e-45"),
            (1e15, "1e15"),
            (1e14, "100000000000000"),
            (-0.000_012_345_678, "-0.0000123457"),
            (0.1, "0.1"),
        ] {
            assert_eq!(float(value), text);
        }
    }

    #[test]
    fn numbers_are_read_as_far_as_they_go() {
        for (text, value, size) in [
            ("12abc", 12.0, 2),
            (" 12 ", 12.0, 3),
            ("1e3", 1000.0, 3),
            ("1e", 1.0, 1),
            ("0x10", 0.0, 1),
            (".", 0.0, 0),
            ("", 0.0, 0),
            ("inf", 0.0, 0),
            ("nan", 0.0, 0),
            ("--5", 0.0, 0),
            ("1.5.5", 1.5, 3),
            ("1.", 1.0, 2),
            ("-.5e-1x", -0.05, 6),
        ] {
            let parsed = parse_double(text.as_bytes());
            assert!((parsed.value - value).abs() < 1e-12, "{text}");
            assert_eq!(parsed.size, size, "{text}");
        }
        assert!(parse_double(b"-1e400").overflow);
        assert_eq!(parse_integer(b" -12.5").value, (true, 12));
        assert_eq!(parse_integer(b"- 5").size, 0);
        assert!(parse_integer(b"99999999999999999999").overflow);
    }

    #[test]
    fn fixed_digits_round_as_in_mysql() {
        // INSERT of these values into FLOAT(10,3) and DOUBLE(12,4).
        let same = |a: f64, b: f64| (a - b).abs() < 1e-9;
        assert!(same(round_fixed(1.0005, 3), 1.0));
        assert!(same(round_fixed(1.00005, 4), 1.0001));
        assert!(same(round_fixed(0.00005, 4), 0.0));
        assert_eq!(double_to_i64(2.5), 2);
        assert_eq!(double_to_i64(-1e300), i64::MIN);
    }
}
