//! Character sets: `utf8mb4`, `utf8mb3`, `latin1`, `ascii` and `binary`.
//!
//! A character set knows which byte strings are valid, where characters begin, and how to turn its text into
//! another set's. How texts compare is the business of [`Collation`].
//!
//! Invariant: no function here panics on any bytes; text that is not valid for its set is still walked, one
//! byte a character where nothing better can be said.

mod convert;
mod latin1;
pub(crate) mod utf8;

pub use convert::{Converted, convert, quote_bytes};

use crate::collation::Collation;

/// One of the supported character sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Charset {
    /// Bytes without a meaning.
    Binary,
    /// Seven bits; bytes from 0x80 on are invalid.
    Ascii,
    /// MySQL's `latin1`: cp1252, whose five unassigned bytes are the control characters of the same number.
    Latin1,
    /// UTF-8 of the characters below U+10000.
    Utf8mb3,
    /// UTF-8.
    Utf8mb4,
}

impl Charset {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Binary, Self::Ascii, Self::Latin1, Self::Utf8mb3, Self::Utf8mb4];

    /// The name that MySQL 8 shows.
    pub fn name(self) -> &'static str {
        match self {
            Self::Binary => "binary",
            Self::Ascii => "ascii",
            Self::Latin1 => "latin1",
            Self::Utf8mb3 => "utf8mb3",
            Self::Utf8mb4 => "utf8mb4",
        }
    }

    /// Finds a set by name in any case; `utf8` is `utf8mb3`.
    pub fn from_name(name: &str) -> Option<Self> {
        if name.eq_ignore_ascii_case("utf8") {
            return Some(Self::Utf8mb3);
        }
        Self::ALL.into_iter().find(|set| set.name().eq_ignore_ascii_case(name))
    }

    /// The collation of a column that names only its character set. Unlike MySQL 8's `utf8mb4_0900_ai_ci`,
    /// ours for `utf8mb4` is `utf8mb4_general_ci`, as in MySQL 5.7.
    pub fn default_collation(self) -> Collation {
        match self {
            Self::Binary => Collation::Binary,
            Self::Ascii => Collation::AsciiGeneralCi,
            Self::Latin1 => Collation::Latin1SwedishCi,
            Self::Utf8mb3 => Collation::Utf8mb3GeneralCi,
            Self::Utf8mb4 => Collation::Utf8mb4GeneralCi,
        }
    }

    /// The collation that compares code points: what the attribute BINARY of a column asks for.
    pub fn bin_collation(self) -> Collation {
        match self {
            Self::Binary => Collation::Binary,
            Self::Ascii => Collation::AsciiBin,
            Self::Latin1 => Collation::Latin1Bin,
            Self::Utf8mb3 => Collation::Utf8mb3Bin,
            Self::Utf8mb4 => Collation::Utf8mb4Bin,
        }
    }

    /// The size in bytes of the longest character.
    pub fn char_size_max(self) -> u32 {
        match self {
            Self::Binary | Self::Ascii | Self::Latin1 => 1,
            Self::Utf8mb3 => 3,
            Self::Utf8mb4 => 4,
        }
    }

    /// The size of the longest valid prefix of `bytes`.
    pub fn valid_prefix_size(self, bytes: &[u8]) -> usize {
        match self {
            Self::Binary | Self::Latin1 => bytes.len(),
            Self::Ascii => ascii_prefix_size(bytes),
            Self::Utf8mb4 => utf8::valid_prefix_size(bytes),
            Self::Utf8mb3 => {
                let valid = &bytes[..utf8::valid_prefix_size(bytes)];
                valid.iter().position(|&byte| byte >= 0xF0).unwrap_or(valid.len())
            }
        }
    }

    /// Whether all of `bytes` is valid.
    pub fn is_valid(self, bytes: &[u8]) -> bool {
        self.valid_prefix_size(bytes) == bytes.len()
    }

    /// How many characters `bytes` has: CHAR_LENGTH.
    pub fn char_count(self, bytes: &[u8]) -> usize {
        match self {
            Self::Utf8mb3 | Self::Utf8mb4 => utf8::char_count(bytes),
            _ => bytes.len(),
        }
    }

    /// The size in bytes of the first `chars` characters, all of `bytes` if it has no more.
    pub fn prefix_size(self, bytes: &[u8], chars: usize) -> usize {
        match self {
            Self::Utf8mb3 | Self::Utf8mb4 => utf8::prefix_size(bytes, chars),
            _ => bytes.len().min(chars),
        }
    }

    /// The first character's code point and size. `bytes` must not be empty.
    pub fn first_char(self, bytes: &[u8]) -> (u32, usize) {
        match self {
            Self::Utf8mb3 | Self::Utf8mb4 => {
                utf8::decode(bytes).unwrap_or((utf8::INVALID + u32::from(bytes[0]), 1))
            }
            _ => (u32::from(bytes[0]), 1),
        }
    }

    /// Appends `bytes` in upper case.
    pub fn to_upper(self, bytes: &[u8], out: &mut Vec<u8>) {
        match self {
            Self::Binary => out.extend_from_slice(bytes),
            Self::Ascii => out.extend(bytes.iter().map(u8::to_ascii_uppercase)),
            Self::Latin1 => out.extend(bytes.iter().map(|&byte| latin1::to_upper(byte))),
            Self::Utf8mb3 | Self::Utf8mb4 => utf8::map_chars(bytes, crate::collation::unicode::to_upper, out),
        }
    }

    /// Appends `bytes` in lower case.
    pub fn to_lower(self, bytes: &[u8], out: &mut Vec<u8>) {
        match self {
            Self::Binary => out.extend_from_slice(bytes),
            Self::Ascii => out.extend(bytes.iter().map(u8::to_ascii_lowercase)),
            Self::Latin1 => out.extend(bytes.iter().map(|&byte| latin1::to_lower(byte))),
            Self::Utf8mb3 | Self::Utf8mb4 => utf8::map_chars(bytes, crate::collation::unicode::to_lower, out),
        }
    }
}

fn ascii_prefix_size(bytes: &[u8]) -> usize {
    bytes.iter().position(|byte| !byte.is_ascii()).unwrap_or(bytes.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_in_any_case_and_utf8_is_utf8mb3() {
        assert_eq!(Charset::from_name("UTF8MB4"), Some(Charset::Utf8mb4));
        assert_eq!(Charset::from_name("utf8"), Some(Charset::Utf8mb3));
        assert_eq!(Charset::from_name("koi8r"), None);
    }

    #[test]
    fn validity_is_mysqls() {
        let valid = |set: Charset, bytes: &[u8]| set.valid_prefix_size(bytes);
        assert_eq!(valid(Charset::Utf8mb4, b"a\xF0\x9F\x98\x80"), 5);
        assert_eq!(valid(Charset::Utf8mb3, b"a\xF0\x9F\x98\x80"), 1);
        assert_eq!(valid(Charset::Utf8mb4, b"\xED\xA0\x80"), 0, "a surrogate");
        assert_eq!(valid(Charset::Utf8mb4, b"\xF4\x90\x80\x80"), 0, "beyond U+10FFFF");
        assert_eq!(valid(Charset::Utf8mb4, b"\xC0\x80"), 0, "overlong");
        assert_eq!(valid(Charset::Ascii, b"ab\x80"), 2);
        assert_eq!(valid(Charset::Latin1, b"ab\x81"), 3);
    }

    #[test]
    fn prefixes_are_counted_in_characters() {
        let text = "aé😀b".as_bytes();
        assert_eq!(Charset::Utf8mb4.char_count(text), 4);
        assert_eq!(Charset::Utf8mb4.prefix_size(text, 2), 3);
        assert_eq!(Charset::Utf8mb4.prefix_size(text, 3), 7);
        assert_eq!(Charset::Utf8mb4.prefix_size(text, 9), 8);
        assert_eq!(Charset::Latin1.prefix_size(text, 3), 3);
    }

    #[test]
    fn case_is_changed_as_in_mysql() {
        let upper = |text: &str| {
            let mut out = Vec::new();
            Charset::Utf8mb4.to_upper(text.as_bytes(), &mut out);
            String::from_utf8(out).unwrap()
        };
        // SELECT UPPER('straßeéÿıǆ') COLLATE utf8mb4_general_ci
        assert_eq!(upper("straßeéÿıǆ"), "STRAßEÉŸIǄ");
        let mut out = Vec::new();
        Charset::Utf8mb4.to_lower("İÉŸΣ".as_bytes(), &mut out);
        assert_eq!(out, "iéÿσ".as_bytes());
        out.clear();
        Charset::Latin1.to_upper(b"\xFF\xB5\xDF\xE9", &mut out);
        assert_eq!(out, b"\xFF\xB5\xDF\xC9");
    }
}
