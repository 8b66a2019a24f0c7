//! JSON text to a tree, with MySQL's answers to text that is no JSON.
//!
//! The language is RFC 8259's. What MySQL adds or takes away:
//!
//! - text ends at its first NUL, and what follows is not looked at;
//! - numbers: [`number`];
//! - of members with the same name the last one counts;
//! - more than [`NESTING_MAX`] arrays and objects within one another are error 3157.
//!
//! Reasons and positions are those that MySQL 9.7.4 gave for the texts in `tests/data/json_errors.tsv`. An error
//! within a literal or at a missing sign stands where the wrong byte is; within an escape, at its backslash; of a
//! number that is too large, at its beginning.

mod number;
mod string;

use crate::error::SqlError;
use crate::error::table::{ER_INVALID_JSON_TEXT, ER_INVALID_JSON_TEXT_IN_PARAM};

use super::{Json, NESTING_MAX, TooDeep};

/// Why a text is no JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParseError {
    /// It breaks the grammar.
    Syntax {
        /// MySQL's words for it.
        reason: &'static str,
        /// Bytes before it.
        position: usize,
    },
    /// It is nested too deeply.
    TooDeep,
}

impl ParseError {
    /// What MySQL says when a column was to be assigned: 3140 or 3157. `column` is `table.column`.
    pub fn in_column(self, column: &str) -> SqlError {
        match self {
            Self::Syntax { reason, position } => ER_INVALID_JSON_TEXT.error(&[&reason, &position, &column]),
            Self::TooDeep => TooDeep.into(),
        }
    }

    /// What MySQL says when a function got it: 3141 or 3157. Arguments count from 1; CAST is `cast_as_json`.
    pub fn in_argument(self, argument: usize, function: &str) -> SqlError {
        match self {
            Self::Syntax { reason, position } => {
                ER_INVALID_JSON_TEXT_IN_PARAM.error(&[&argument, &function, &reason, &position, &""])
            }
            Self::TooDeep => TooDeep.into(),
        }
    }
}

impl From<TooDeep> for ParseError {
    fn from(TooDeep: TooDeep) -> Self {
        Self::TooDeep
    }
}

type Result<T> = std::result::Result<T, ParseError>;

impl Json {
    /// Reads a document.
    pub fn parse(text: &str) -> Result<Self> {
        let end = text.bytes().position(|byte| byte == 0).unwrap_or(text.len());
        let mut parser = Parser { text: text.get(..end).unwrap_or(text), at: 0, nesting: 0 };
        parser.skip_blanks();
        if parser.peek().is_none() {
            return parser.fail("The document is empty.");
        }
        let value = parser.value()?;
        parser.skip_blanks();
        match parser.peek() {
            None => Ok(value),
            Some(_) => parser.fail("The document root must not be followed by other values."),
        }
    }
}

/// Text that is being read; `at` is always at a character's boundary.
struct Parser<'a> {
    text: &'a str,
    at: usize,
    nesting: usize,
}

impl Parser<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    /// Whether `byte` was next; then it is behind us.
    fn accept(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    fn skip_blanks(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn fail<T>(&self, reason: &'static str) -> Result<T> {
        Err(ParseError::Syntax { reason, position: self.at })
    }

    fn value(&mut self) -> Result<Json> {
        match self.peek() {
            Some(b'{') => self.nested(Self::object),
            Some(b'[') => self.nested(Self::array),
            Some(b'"') => self.string().map(Json::String),
            Some(b't') => self.literal("true", Json::Bool(true)),
            Some(b'f') => self.literal("false", Json::Bool(false)),
            Some(b'n') => self.literal("null", Json::Null),
            _ => self.number(),
        }
    }

    fn literal(&mut self, literal: &str, value: Json) -> Result<Json> {
        for byte in literal.bytes() {
            if !self.accept(byte) {
                return self.fail("Invalid value.");
            }
        }
        Ok(value)
    }

    fn nested(&mut self, read: fn(&mut Self) -> Result<Json>) -> Result<Json> {
        if self.nesting == NESTING_MAX {
            return Err(ParseError::TooDeep);
        }
        self.nesting += 1;
        self.at += 1;
        self.skip_blanks();
        let value = read(self)?;
        self.nesting -= 1;
        Ok(value)
    }

    /// The rest of an array.
    fn array(&mut self) -> Result<Json> {
        let mut items = Vec::new();
        if self.accept(b']') {
            return Ok(Json::Array(items));
        }
        loop {
            items.push(self.value()?);
            self.skip_blanks();
            if self.accept(b']') {
                return Ok(Json::Array(items));
            }
            if !self.accept(b',') {
                return self.fail("Missing a comma or ']' after an array element.");
            }
            self.skip_blanks();
        }
    }

    /// The rest of an object.
    fn object(&mut self) -> Result<Json> {
        let mut members = Vec::new();
        if self.accept(b'}') {
            return Ok(Json::Object(members.into_iter().collect()));
        }
        loop {
            if self.peek() != Some(b'"') {
                return self.fail("Missing a name for object member.");
            }
            let name = self.string()?;
            self.skip_blanks();
            if !self.accept(b':') {
                return self.fail("Missing a colon after a name of object member.");
            }
            self.skip_blanks();
            members.push((name, self.value()?));
            self.skip_blanks();
            if self.accept(b'}') {
                return Ok(Json::Object(members.into_iter().collect()));
            }
            if !self.accept(b',') {
                return self.fail("Missing a comma or '}' after an object member.");
            }
            self.skip_blanks();
        }
    }
}
