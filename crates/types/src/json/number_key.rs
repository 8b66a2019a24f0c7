//! Numbers of all types in one order.
//!
//! A number's key is what it is in scientific notation, so that `memcmp` orders keys as the numbers are ordered:
//!
//! | bytes | what |
//! | --- | --- |
//! | 1 | 0 below zero, 1 zero, 2 above; zero ends here |
//! | 2 | the power of ten of the first digit, plus 32768, big-endian |
//! | 1 each | two digits, plus 1; a last single digit counts as the first of two |
//! | 1 | 0 |
//!
//! Below zero all but the first byte are complemented. Zeros before the first and after the last digit are no digits.

use std::cmp::Ordering;
use std::io::Write as _;

use crate::decimal::Decimal;

use super::Json;

/// Integers up to here are doubles, and the shortest texts of these doubles are the integers.
const EXACT_MAX: u64 = 1 << 53;

/// A number of any type.
#[derive(Clone, Copy)]
pub(super) enum Number<'a> {
    Int(i64),
    UInt(u64),
    Double(f64),
    Decimal(&'a Decimal),
}

impl<'a> Number<'a> {
    /// The number that a value is.
    pub(super) fn of(value: &'a Json) -> Option<Self> {
        match value {
            Json::Int(value) => Some(Self::Int(*value)),
            Json::UInt(value) => Some(Self::UInt(*value)),
            Json::Double(value) => Some(Self::Double(*value)),
            Json::Decimal(value) => Some(Self::Decimal(value)),
            _ => None,
        }
    }

    /// The order of two numbers.
    pub(super) fn compare(self, other: Self) -> Ordering {
        if let (Some(a), Some(b)) = (self.integer(), other.integer()) {
            return a.cmp(&b);
        }
        if let (Self::Decimal(a), Self::Decimal(b)) = (self, other) {
            return a.cmp(b);
        }
        if let (Some(a), Some(b)) = (self.exact_double(), other.exact_double()) {
            return a.partial_cmp(&b).unwrap_or(Ordering::Equal);
        }
        let key = |number: Self| {
            let mut key = Vec::with_capacity(48);
            number.write_key(&mut key);
            key
        };
        key(self).cmp(&key(other))
    }

    /// Appends the key.
    pub(super) fn write_key(self, out: &mut Vec<u8>) {
        // The longest text is that of a DECIMAL: 72 digits, a sign, a point, 36 digits.
        let mut text = Vec::with_capacity(120);
        match self {
            Self::Decimal(value) => value.write_text(&mut text),
            // Writing into a Vec cannot fail.
            Self::Int(value) => drop(write!(text, "{value}")),
            Self::UInt(value) => drop(write!(text, "{value}")),
            Self::Double(value) => drop(write!(text, "{value:e}")),
        }
        write_text_key(&text, out);
    }

    fn integer(self) -> Option<i128> {
        match self {
            Self::Int(value) => Some(value.into()),
            Self::UInt(value) => Some(value.into()),
            _ => None,
        }
    }

    /// The number as a double, if that is the same number.
    fn exact_double(self) -> Option<f64> {
        match self {
            Self::Double(value) => Some(value),
            Self::Int(value) => (value.unsigned_abs() <= EXACT_MAX).then_some(value as f64),
            Self::UInt(value) => (value <= EXACT_MAX).then_some(value as f64),
            Self::Decimal(_) => None,
        }
    }
}

/// The key of `[-]digits[.digits][e[-]digits]`.
fn write_text_key(text: &[u8], out: &mut Vec<u8>) {
    let (negative, text) = match text {
        [b'-', rest @ ..] => (true, rest),
        _ => (false, text),
    };
    let significand_size = text.iter().position(|&byte| byte == b'e').unwrap_or(text.len());
    let (significand, exponent) = text.split_at(significand_size);
    let exponent = std::str::from_utf8(exponent).ok().and_then(|text| text.get(1..)?.parse::<i32>().ok());
    let mut digits: Vec<u8> =
        significand.iter().filter(|byte| byte.is_ascii_digit()).map(|byte| byte - b'0').collect();
    let Some(first) = digits.iter().position(|&digit| digit != 0) else {
        out.push(1);
        return;
    };
    let point = significand.iter().position(|&byte| byte == b'.').unwrap_or(significand.len());
    let place = |at: usize| i32::try_from(at).expect("a number has at most 108 digits");
    let power = place(point) - 1 - place(first) + exponent.unwrap_or(0);
    while digits.last() == Some(&0) {
        digits.pop();
    }
    out.push(if negative { 0 } else { 2 });
    let start = out.len();
    let power = u16::try_from(power + 0x8000).expect("powers of ten go to 308 and to -324");
    out.extend_from_slice(&power.to_be_bytes());
    for pair in digits[first..].chunks(2) {
        out.push(pair[0] * 10 + pair.get(1).copied().unwrap_or(0) + 1);
    }
    out.push(0);
    if negative {
        for byte in &mut out[start..] {
            *byte = !*byte;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_in_the_order_of_numbers() {
        let texts = [
            "-1e300",
            "-18446744073709551616.5",
            "-10",
            "-9.9",
            "-9.89",
            "-1",
            "-0.1",
            "-0.01",
            "-1e-300",
            "0.000",
            "1e-300",
            "0.01",
            "0.0999",
            "0.1",
            "0.99",
            "1.00",
            "1.01",
            "1.1",
            "9",
            "10",
            "10.5",
            "11",
            "99",
            "100",
            "1e300",
        ];
        let keys = texts.map(|text| {
            let mut key = Vec::new();
            write_text_key(text.as_bytes(), &mut key);
            key
        });
        assert!(keys.windows(2).all(|pair| pair[0] < pair[1]), "{keys:?}");
    }

    #[test]
    fn equal_numbers_have_equal_keys() {
        let mut keys = ["100", "100.00", "1e2", "1.000e2", "1000e-1"].map(|text| {
            let mut key = Vec::new();
            write_text_key(text.as_bytes(), &mut key);
            key
        });
        keys.sort();
        assert_eq!(keys.first(), keys.last());
    }
}
