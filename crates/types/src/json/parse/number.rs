//! Numbers in JSON text.
//!
//! | text | becomes |
//! | --- | --- |
//! | an integer from -2^63 to 2^32 - 1 | [`Json::Int`] |
//! | an integer from 2^32 to 2^64 - 1 | [`Json::UInt`] |
//! | any other integer; a number with a point or an exponent | [`Json::Double`], rounded to the nearest |
//!
//! A number beyond the largest double is an error, one too small is 0. MySQL also refuses zeros whose exponent alone
//! is too large: `0e309` and `0.0e310`, but neither `0e308` nor `0.0e309`.

use super::{ParseError, Parser, Result};
use crate::json::Json;

/// The largest decimal exponent of a double.
const EXPONENT_MAX: usize = 308;

impl Parser<'_> {
    pub(super) fn number(&mut self) -> Result<Json> {
        let start = self.at;
        let negative = self.accept(b'-');
        if !matches!(self.peek(), Some(b'0'..=b'9')) {
            return self.fail("Invalid value.");
        }
        if !self.accept(b'0') {
            self.digits();
        }
        let mut integer = true;
        let mut fraction_size = 0;
        if self.accept(b'.') {
            integer = false;
            fraction_size = self.digits();
            if fraction_size == 0 {
                return self.fail("Miss fraction part in number.");
            }
        }
        let significand_end = self.at;
        let exponent = self.exponent()?;
        let text = &self.text[start..self.at];
        if integer
            && exponent.is_none()
            && let Some(value) = integer_value(text, negative)
        {
            return Ok(value);
        }
        let value = text.parse::<f64>().ok().filter(|value| value.is_finite());
        let zero = !self.text[start..significand_end].bytes().any(|byte| matches!(byte, b'1'..=b'9'));
        let zero_is_too_big =
            zero && exponent.is_some_and(|exponent| exponent > EXPONENT_MAX + fraction_size);
        match value {
            Some(value) if !zero_is_too_big => Ok(Json::Double(value)),
            _ => {
                Err(ParseError::Syntax { reason: "Number too big to be stored in double.", position: start })
            }
        }
    }

    fn digits(&mut self) -> usize {
        let start = self.at;
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.at += 1;
        }
        self.at - start
    }

    /// The exponent's digits as a number, 0 if it is negative, None if there is none.
    fn exponent(&mut self) -> Result<Option<usize>> {
        if !self.accept(b'e') && !self.accept(b'E') {
            return Ok(None);
        }
        let negative = self.accept(b'-');
        if !negative {
            self.accept(b'+');
        }
        let start = self.at;
        if self.digits() == 0 {
            return self.fail("Miss exponent in number.");
        }
        let magnitude = self.text[start..self.at].parse().unwrap_or(usize::MAX);
        Ok(Some(if negative { 0 } else { magnitude }))
    }
}

fn integer_value(text: &str, negative: bool) -> Option<Json> {
    if negative {
        return text.parse().ok().map(Json::Int);
    }
    let value: u64 = text.parse().ok()?;
    Some(u32::try_from(value).map_or(Json::UInt(value), |small| Json::Int(i64::from(small))))
}
