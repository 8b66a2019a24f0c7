//! Reading path expressions.
//!
//! Blanks may stand between all parts. An error's position is the byte where the path stops to be one; where a certain
//! character is missing and another one is there, it is behind that one; of a name, it is behind the name.

use super::name::is_identifier;
use super::{ArrayIndex, Leg, Path};
use crate::error::SqlError;
use crate::error::table::ER_INVALID_JSON_PATH;
use crate::json::Json;

/// A text is no path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PathError {
    /// Bytes before what is wrong.
    pub position: usize,
}

impl From<PathError> for SqlError {
    fn from(error: PathError) -> Self {
        ER_INVALID_JSON_PATH.error(&[&error.position, &""])
    }
}

type Result<T> = std::result::Result<T, PathError>;

impl Path {
    /// Reads a path expression.
    pub fn parse(text: &str) -> Result<Self> {
        let mut parser = Parser { text, at: 0 };
        parser.skip_blanks();
        parser.expect(b'$')?;
        let mut legs = Vec::new();
        loop {
            parser.skip_blanks();
            match parser.peek() {
                None => break,
                Some(b'.') => legs.push(parser.member()?),
                Some(b'[') => legs.push(parser.cell()?),
                Some(b'*') => legs.push(parser.ellipsis()?),
                Some(_) => return parser.fail(),
            }
        }
        Ok(Self { legs })
    }
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Parser<'a> {
    fn rest(&self) -> &'a [u8] {
        self.text.as_bytes().get(self.at..).unwrap_or(&[])
    }

    fn peek(&self) -> Option<u8> {
        self.rest().first().copied()
    }

    fn skip_blanks(&mut self) {
        while self.peek().is_some_and(is_blank) {
            self.at += 1;
        }
    }

    fn fail<T>(&self) -> Result<T> {
        Err(PathError { position: self.at })
    }

    fn expect(&mut self, byte: u8) -> Result<()> {
        let next = self.peek();
        self.at += usize::from(next.is_some());
        if next == Some(byte) { Ok(()) } else { self.fail() }
    }

    /// `**`, which another leg follows.
    fn ellipsis(&mut self) -> Result<Leg> {
        self.expect(b'*')?;
        self.expect(b'*')?;
        if self.peek() == Some(b'*') {
            return self.fail();
        }
        self.skip_blanks();
        if self.peek().is_none() { self.fail() } else { Ok(Leg::Ellipsis) }
    }

    /// `.name`, `."name"` or `.*`.
    fn member(&mut self) -> Result<Leg> {
        self.expect(b'.')?;
        self.skip_blanks();
        match self.peek() {
            None => self.fail(),
            Some(b'*') => {
                self.at += 1;
                Ok(Leg::AnyMember)
            }
            Some(b'"') => {
                let quoted = self.quoted()?;
                self.name(quoted)
            }
            Some(_) => {
                let ends = |byte: &u8| is_blank(*byte) || matches!(byte, b'.' | b'[' | b'*');
                let size = self.rest().iter().position(ends).unwrap_or(self.rest().len());
                let start = self.at;
                self.at += size;
                match self.name(&format!("\"{}\"", &self.text[start..self.at]))? {
                    Leg::Member(name) if !is_identifier(&name) => self.fail(),
                    leg => Ok(leg),
                }
            }
        }
    }

    /// A name with its quotation marks.
    fn quoted(&mut self) -> Result<&'a str> {
        let start = self.at;
        self.at += 1;
        while let Some(byte) = self.peek() {
            self.at += 1;
            match byte {
                b'"' => return Ok(&self.text[start..self.at]),
                b'\\' if self.peek().is_some() => self.at += 1,
                _ => {}
            }
        }
        self.at = self.text.len();
        self.fail()
    }

    /// A name is read as a JSON string.
    fn name(&self, quoted: &str) -> Result<Leg> {
        match Json::parse(quoted) {
            // JSON text ends at a NUL, a name does not.
            Ok(Json::String(name)) if !quoted.contains('\0') => Ok(Leg::Member(name)),
            _ => self.fail(),
        }
    }

    /// `[n]`, `[m to n]` or `[*]`.
    fn cell(&mut self) -> Result<Leg> {
        self.expect(b'[')?;
        self.skip_blanks();
        let leg = if self.peek() == Some(b'*') {
            self.at += 1;
            Leg::AnyItem
        } else {
            self.items()?
        };
        self.skip_blanks();
        self.expect(b']')?;
        Ok(leg)
    }

    fn items(&mut self) -> Result<Leg> {
        let first = self.index()?;
        let before_blanks = self.at;
        self.skip_blanks();
        let to_follows = match self.rest() {
            [b't', b'o', blank, _, ..] => is_blank(*blank) && self.at > before_blanks,
            _ => false,
        };
        if !to_follows {
            return Ok(Leg::Item(first));
        }
        self.at += 2;
        self.skip_blanks();
        let last = self.index()?;
        let backwards = match (first, last) {
            (ArrayIndex::FromStart(first), ArrayIndex::FromStart(last)) => first > last,
            (ArrayIndex::FromEnd(first), ArrayIndex::FromEnd(last)) => first < last,
            _ => false,
        };
        if backwards { self.fail() } else { Ok(Leg::Range(first, last)) }
    }

    /// `n`, `last` or `last-n`.
    fn index(&mut self) -> Result<ArrayIndex> {
        if !self.rest().starts_with(b"last") {
            return self.number().map(ArrayIndex::FromStart);
        }
        self.at += 4;
        let behind_last = self.at;
        self.skip_blanks();
        if self.peek() != Some(b'-') {
            self.at = behind_last;
            return Ok(ArrayIndex::FromEnd(0));
        }
        self.at += 1;
        self.skip_blanks();
        self.number().map(ArrayIndex::FromEnd)
    }

    /// A number that is too large is wrong from its beginning.
    fn number(&mut self) -> Result<u32> {
        let size = self.rest().iter().take_while(|byte| byte.is_ascii_digit()).count();
        let Ok(number) = self.text[self.at..self.at + size].parse() else {
            return self.fail();
        };
        self.at += size;
        Ok(number)
    }
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t'..=b'\r')
}
