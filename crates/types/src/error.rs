//! What a client is told when a statement fails: MySQL's error number, SQLSTATE and message.
//!
//! [`table`] is the only place that knows numbers and texts; everything else names a [`Condition`] and hands
//! over its arguments: `ER_DUP_ENTRY.error(&[&"1", &"t.PRIMARY"])`. Warnings and notes of a statement are
//! collected in [`Warnings`](crate::warning::Warnings).
//!
//! What this module is not: an error type for I/O or corruption. Those belong to the crates that meet them and
//! are mapped to a condition where a client waits for the answer.

/// Makes a constant of each line, and [`table::ALL`].
macro_rules! conditions {
    ($($name:ident = $code:literal, $state:literal, $text:literal;)*) => {
        $(
            #[doc = concat!($code, " (", $state, "): ", $text)]
            pub const $name: Condition =
                Condition { code: $code, sqlstate: $state, name: stringify!($name), text: $text };
        )*
        /// Every condition, by number.
        pub const ALL: &[&Condition] = &[$(&$name),*];
    };
}

pub mod table;

use std::fmt::{self, Display, Write as _};

/// An error as it goes into an ERR packet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SqlError {
    /// MySQL's number.
    pub code: u16,
    /// Five characters of SQLSTATE.
    pub sqlstate: [u8; 5],
    /// The formatted message.
    pub message: String,
}

impl SqlError {
    /// An error with a text of its own under the number of `condition`.
    pub fn with_message(condition: &Condition, message: impl Into<String>) -> Self {
        Self { code: condition.code, sqlstate: condition.sqlstate_bytes(), message: message.into() }
    }

    /// Whether this is an instance of `condition`.
    pub fn is(&self, condition: &Condition) -> bool {
        self.code == condition.code
    }

    /// SQLSTATE as text.
    pub fn sqlstate(&self) -> &str {
        std::str::from_utf8(&self.sqlstate).unwrap_or("HY000")
    }
}

impl Display for SqlError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ERROR {} ({}): {}", self.code, self.sqlstate(), self.message)
    }
}

impl std::error::Error for SqlError {}

/// A row of the [`table`]: what MySQL calls an error symbol.
#[derive(Debug, PartialEq, Eq)]
pub struct Condition {
    /// MySQL's number.
    pub code: u16,
    /// Five ASCII characters.
    pub sqlstate: &'static str,
    /// The symbol, for example `ER_DUP_ENTRY`.
    pub name: &'static str,
    /// The message with `printf` places.
    pub text: &'static str,
}

impl Condition {
    /// The condition with this number.
    pub fn by_code(code: u16) -> Option<&'static Self> {
        table::ALL.binary_search_by_key(&code, |condition| condition.code).ok().map(|at| table::ALL[at])
    }

    /// This condition as an error; `args` fill the places of the text from left to right.
    pub fn error(&self, args: &[&dyn Display]) -> SqlError {
        SqlError::with_message(self, self.message(args))
    }

    /// The message with `args` in its places. Strings are cut to the precision that the text demands
    /// (`%-.192s`), at a character boundary. A missing argument leaves its place empty.
    pub fn message(&self, args: &[&dyn Display]) -> String {
        let mut out = String::with_capacity(self.text.len() + 32);
        let mut args = args.iter();
        let mut rest = self.text;
        while let Some(at) = rest.find('%') {
            out.push_str(&rest[..at]);
            let place = Place::parse(&rest[at + 1..]);
            rest = &rest[at + 1 + place.size..];
            let start = out.len();
            if let Some(arg) = args.next() {
                // Writing into a String cannot fail.
                let _ = write!(out, "{arg}");
            } else {
                debug_assert!(false, "{}: too few arguments", self.name);
            }
            if let Some(limit) = place.precision {
                let end = floor_char_boundary(&out, start.saturating_add(limit));
                out.truncate(end.max(start));
            }
        }
        out.push_str(rest);
        debug_assert!(args.next().is_none(), "{}: too many arguments", self.name);
        out
    }

    fn sqlstate_bytes(&self) -> [u8; 5] {
        self.sqlstate.as_bytes().try_into().expect("the table test checks that every SQLSTATE has 5 bytes")
    }
}

/// A `printf` place after its percent sign: `-.192s`, `d`, `llu`, `.*s`.
struct Place {
    size: usize,
    precision: Option<usize>,
}

impl Place {
    fn parse(spec: &str) -> Self {
        let mut precision = None;
        let mut after_dot = false;
        for (at, byte) in spec.bytes().enumerate() {
            match byte {
                b'.' => after_dot = true,
                b'0'..=b'9' if after_dot => {
                    precision = Some(precision.unwrap_or(0) * 10 + usize::from(byte - b'0'));
                }
                b's' => return Self { size: at + 1, precision },
                b'd' | b'u' | b'x' => return Self { size: at + 1, precision: None },
                _ => {}
            }
        }
        Self { size: spec.len(), precision: None }
    }
}

fn floor_char_boundary(text: &str, at: usize) -> usize {
    if at >= text.len() {
        return text.len();
    }
    (0..=at).rev().find(|&i| text.is_char_boundary(i)).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::table::*;

    #[test]
    fn arguments_fill_the_places_in_order() {
        let error = ER_DUP_ENTRY.error(&[&"1", &"t.PRIMARY"]);
        assert_eq!(error.to_string(), "ERROR 1062 (23000): Duplicate entry '1' for key 't.PRIMARY'");
        let error = ER_TOO_BIG_PRECISION.error(&[&66, &"a", &65]);
        assert_eq!(error.message, "Too-big precision 66 specified for 'a'. Maximum is 65.");
    }

    #[test]
    fn a_precision_cuts_at_a_character_boundary() {
        let long = "é".repeat(100);
        let error = ER_UNKNOWN_CHARACTER_SET.error(&[&long]);
        assert_eq!(error.message, format!("Unknown character set: '{}'", "é".repeat(32)));
        let odd = format!("x{long}");
        assert_eq!(
            ER_UNKNOWN_CHARACTER_SET.error(&[&odd]).message,
            format!("Unknown character set: 'x{}'", "é".repeat(31))
        );
    }

    #[test]
    fn a_condition_is_found_by_its_number() {
        assert_eq!(super::Condition::by_code(1213), Some(&ER_LOCK_DEADLOCK));
        assert_eq!(super::Condition::by_code(9), None);
    }
}
