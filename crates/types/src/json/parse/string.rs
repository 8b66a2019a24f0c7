//! Strings in JSON text.

use super::{ParseError, Parser, Result};

const BAD_HEX: &str = "Incorrect hex digit after \\u escape in string.";
const BAD_SURROGATE: &str = "The surrogate pair in string is invalid.";

impl Parser<'_> {
    /// A string; the opening quotation mark is next.
    pub(super) fn string(&mut self) -> Result<String> {
        self.at += 1;
        let mut value = String::new();
        loop {
            let start = self.at;
            while self.peek().is_some_and(|byte| byte >= b' ' && byte != b'"' && byte != b'\\') {
                self.at += 1;
            }
            let plain = &self.text[start..self.at];
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    // Most strings have no escape and are copied once, at their size.
                    if value.is_empty() {
                        return Ok(plain.to_owned());
                    }
                    value.push_str(plain);
                    return Ok(value);
                }
                Some(b'\\') => {
                    value.push_str(plain);
                    value.push(self.escape()?);
                }
                Some(_) => return self.fail("Invalid encoding in string."),
                None => return self.fail("Missing a closing quotation mark in string."),
            }
        }
    }

    /// An escape; its errors stand at its backslash.
    fn escape(&mut self) -> Result<char> {
        let start = self.at;
        let fail = |reason| Err(ParseError::Syntax { reason, position: start });
        let kind = self.text.as_bytes().get(start + 1);
        self.at += 2;
        let c = match kind {
            Some(&c @ (b'"' | b'\\' | b'/')) => char::from(c),
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => match self.unicode() {
                Ok(c) => c,
                Err(reason) => return fail(reason),
            },
            _ => return fail("Invalid escape character in string."),
        };
        Ok(c)
    }

    /// What follows `\u`, and a second escape where the first one is half of a surrogate pair.
    fn unicode(&mut self) -> std::result::Result<char, &'static str> {
        let first = self.hex().ok_or(BAD_HEX)?;
        if !(0xD800..0xE000).contains(&first) {
            return char::from_u32(first).ok_or(BAD_SURROGATE);
        }
        if first >= 0xDC00 || !self.accept(b'\\') || !self.accept(b'u') {
            return Err(BAD_SURROGATE);
        }
        let second = self.hex().ok_or(BAD_HEX)?;
        if !(0xDC00..0xE000).contains(&second) {
            return Err(BAD_SURROGATE);
        }
        char::from_u32(0x1_0000 + ((first - 0xD800) << 10 | (second - 0xDC00))).ok_or(BAD_SURROGATE)
    }

    /// Four hexadecimal digits.
    fn hex(&mut self) -> Option<u32> {
        let digits = self.text.as_bytes().get(self.at..self.at + 4)?;
        let value =
            digits.iter().try_fold(0, |value, &digit| Some(value << 4 | char::from(digit).to_digit(16)?))?;
        self.at += 4;
        Some(value)
    }
}
