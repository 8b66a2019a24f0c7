//! Collations: how texts compare, sort, hash and match LIKE.
//!
//! Ids and names are MySQL's. All supported collations but `binary` and those of Unicode 9.0.0 (`_0900_`) are PAD SPACE:
//! the shorter text is compared as if it went on with blanks, so `'a' = 'a  '` and `'a\0' < 'a'`. LIKE never pads.
//!
//! A collation maps each character to a number, its weight; two texts are equal if their weights are. For the
//! `_bin` collations the weight is the code point, for `general_ci` of Unicode it comes from [`unicode`], for the
//! one-byte sets from a table of 256. The collations of the Unicode Collation Algorithm give a character several weights:
//! `uca.rs`.
//!
//! Invariant: [`Collation::compare`], [`Collation::sort_key`] and [`Collation::hash`] agree for all bytes, valid or
//! not (property tests in `tests/it/collation.rs`).

mod compare;
mod known;
mod like;
mod sort_key;
mod tables;
mod uca;
pub mod unicode;
mod unicode_data;
mod weigh;

pub use known::{Known, known_by_id, known_by_name, nearest};
pub use like::Beginning;

use std::cmp::Ordering;
use std::hash::Hasher;

use crate::charset::Charset;
use uca::{Uca, Version};
use weigh::{Bytes, Table, Utf8Code, Utf8General};

/// One of the supported collations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Collation {
    /// `binary`: bytes, without padding.
    Binary,
    /// `ascii_general_ci`
    AsciiGeneralCi,
    /// `ascii_bin`
    AsciiBin,
    /// `latin1_swedish_ci`
    Latin1SwedishCi,
    /// `latin1_general_ci`
    Latin1GeneralCi,
    /// `latin1_bin`
    Latin1Bin,
    /// `utf8mb3_general_ci`
    Utf8mb3GeneralCi,
    /// `utf8mb3_bin`
    Utf8mb3Bin,
    /// `utf8mb4_general_ci`
    Utf8mb4GeneralCi,
    /// `utf8mb4_bin`
    Utf8mb4Bin,
    /// `utf8mb3_unicode_ci`
    Utf8mb3UnicodeCi,
    /// `utf8mb3_unicode_520_ci`
    Utf8mb3Unicode520Ci,
    /// `utf8mb4_unicode_ci`
    Utf8mb4UnicodeCi,
    /// `utf8mb4_unicode_520_ci`
    Utf8mb4Unicode520Ci,
    /// `utf8mb4_0900_ai_ci`
    Utf8mb40900AiCi,
    /// `utf8mb4_0900_as_cs`
    Utf8mb40900AsCs,
    /// `utf8mb4_0900_as_ci`
    Utf8mb40900AsCi,
    /// `utf8mb4_0900_bin`
    Utf8mb40900Bin,
}

impl Collation {
    /// All of them, by id.
    pub const ALL: [Self; 18] = [
        Self::Latin1SwedishCi,
        Self::AsciiGeneralCi,
        Self::Utf8mb3GeneralCi,
        Self::Utf8mb4GeneralCi,
        Self::Utf8mb4Bin,
        Self::Latin1Bin,
        Self::Latin1GeneralCi,
        Self::Binary,
        Self::AsciiBin,
        Self::Utf8mb3Bin,
        Self::Utf8mb3UnicodeCi,
        Self::Utf8mb3Unicode520Ci,
        Self::Utf8mb4UnicodeCi,
        Self::Utf8mb4Unicode520Ci,
        Self::Utf8mb40900AiCi,
        Self::Utf8mb40900AsCs,
        Self::Utf8mb40900AsCi,
        Self::Utf8mb40900Bin,
    ];

    /// MySQL's id, as handshakes, column definitions and QUERY events carry it.
    pub fn id(self) -> u16 {
        match self {
            Self::Latin1SwedishCi => 8,
            Self::AsciiGeneralCi => 11,
            Self::Utf8mb3GeneralCi => 33,
            Self::Utf8mb4GeneralCi => 45,
            Self::Utf8mb4Bin => 46,
            Self::Latin1Bin => 47,
            Self::Latin1GeneralCi => 48,
            Self::Binary => 63,
            Self::AsciiBin => 65,
            Self::Utf8mb3Bin => 83,
            Self::Utf8mb3UnicodeCi => 192,
            Self::Utf8mb3Unicode520Ci => 214,
            Self::Utf8mb4UnicodeCi => 224,
            Self::Utf8mb4Unicode520Ci => 246,
            Self::Utf8mb40900AiCi => 255,
            Self::Utf8mb40900AsCs => 278,
            Self::Utf8mb40900AsCi => 305,
            Self::Utf8mb40900Bin => 309,
        }
    }

    /// MySQL's name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Latin1SwedishCi => "latin1_swedish_ci",
            Self::AsciiGeneralCi => "ascii_general_ci",
            Self::Utf8mb3GeneralCi => "utf8mb3_general_ci",
            Self::Utf8mb4GeneralCi => "utf8mb4_general_ci",
            Self::Utf8mb4Bin => "utf8mb4_bin",
            Self::Latin1Bin => "latin1_bin",
            Self::Latin1GeneralCi => "latin1_general_ci",
            Self::Binary => "binary",
            Self::AsciiBin => "ascii_bin",
            Self::Utf8mb3Bin => "utf8mb3_bin",
            Self::Utf8mb3UnicodeCi => "utf8mb3_unicode_ci",
            Self::Utf8mb3Unicode520Ci => "utf8mb3_unicode_520_ci",
            Self::Utf8mb4UnicodeCi => "utf8mb4_unicode_ci",
            Self::Utf8mb4Unicode520Ci => "utf8mb4_unicode_520_ci",
            Self::Utf8mb40900AiCi => "utf8mb4_0900_ai_ci",
            Self::Utf8mb40900AsCs => "utf8mb4_0900_as_cs",
            Self::Utf8mb40900AsCi => "utf8mb4_0900_as_ci",
            Self::Utf8mb40900Bin => "utf8mb4_0900_bin",
        }
    }

    /// The character set that the collation belongs to.
    pub fn charset(self) -> Charset {
        match self {
            Self::Binary => Charset::Binary,
            Self::AsciiGeneralCi | Self::AsciiBin => Charset::Ascii,
            Self::Latin1SwedishCi | Self::Latin1GeneralCi | Self::Latin1Bin => Charset::Latin1,
            Self::Utf8mb3GeneralCi
            | Self::Utf8mb3Bin
            | Self::Utf8mb3UnicodeCi
            | Self::Utf8mb3Unicode520Ci => Charset::Utf8mb3,
            Self::Utf8mb4GeneralCi
            | Self::Utf8mb4Bin
            | Self::Utf8mb4UnicodeCi
            | Self::Utf8mb4Unicode520Ci
            | Self::Utf8mb40900AiCi
            | Self::Utf8mb40900AsCs
            | Self::Utf8mb40900AsCi
            | Self::Utf8mb40900Bin => Charset::Utf8mb4,
        }
    }

    /// The supported collation with this id. [`known_by_id`] also knows those that are not supported.
    pub fn from_id(id: u16) -> Option<Self> {
        Self::ALL.into_iter().find(|collation| collation.id() == id)
    }

    /// The supported collation with this name, in any case; `utf8_` is read as `utf8mb3_`.
    pub fn from_name(name: &str) -> Option<Self> {
        let name = name.to_ascii_lowercase();
        let alias = name.strip_prefix("utf8_").map(|rest| format!("utf8mb3_{rest}"));
        let name = alias.as_deref().unwrap_or(&name);
        Self::ALL.into_iter().find(|collation| collation.name() == name)
    }

    /// Whether the shorter text is compared as if padded with blanks: all but `binary` and the `_0900_` ones.
    pub fn pads_space(self) -> bool {
        !matches!(
            self,
            Self::Binary
                | Self::Utf8mb40900AiCi
                | Self::Utf8mb40900AsCi
                | Self::Utf8mb40900AsCs
                | Self::Utf8mb40900Bin
        )
    }

    /// What SHOW COLLATION says as `Sortlen`.
    pub fn sort_length(self) -> u8 {
        match self.uca() {
            Some(uca) => uca.sort_length(),
            None => 1,
        }
    }

    /// Whether texts are equal only if their code points are: `binary` and the `_bin` collations.
    pub fn compares_code_points(self) -> bool {
        matches!(
            self,
            Self::Binary
                | Self::AsciiBin
                | Self::Latin1Bin
                | Self::Utf8mb3Bin
                | Self::Utf8mb4Bin
                | Self::Utf8mb40900Bin
        )
    }

    /// Whether `a` and `A` differ.
    pub fn is_case_sensitive(self) -> bool {
        self.compares_code_points() || self == Self::Utf8mb40900AsCs
    }

    /// How it finds weights, if by the Unicode Collation Algorithm.
    fn uca(self) -> Option<Uca> {
        match self {
            Self::Utf8mb3UnicodeCi | Self::Utf8mb4UnicodeCi => Some(Uca::padded(Version::V400)),
            Self::Utf8mb3Unicode520Ci | Self::Utf8mb4Unicode520Ci => Some(Uca::padded(Version::V520)),
            Self::Utf8mb40900AiCi => Some(Uca::of_900(1)),
            Self::Utf8mb40900AsCi => Some(Uca::of_900(2)),
            Self::Utf8mb40900AsCs => Some(Uca::of_900(3)),
            _ => None,
        }
    }

    /// Compares two texts of this collation's character set.
    #[inline]
    pub fn compare(self, a: &[u8], b: &[u8]) -> Ordering {
        if let Some(uca) = self.uca() {
            return uca.compare(a, b);
        }
        match self {
            Self::Binary | Self::Utf8mb40900Bin => a.cmp(b),
            // The order of UTF-8's bytes is that of its code points.
            Self::AsciiBin | Self::Latin1Bin | Self::Utf8mb3Bin | Self::Utf8mb4Bin => compare::bytes(a, b),
            Self::Utf8mb3GeneralCi | Self::Utf8mb4GeneralCi => compare::weighed(&Utf8General, a, b),
            Self::AsciiGeneralCi => compare::weighed(&Table(&tables::ASCII_GENERAL), a, b),
            Self::Latin1SwedishCi => compare::weighed(&Table(&tables::LATIN1_SWEDISH), a, b),
            _ => compare::weighed(&Table(&tables::LATIN1_GENERAL), a, b),
        }
    }

    /// Whether two texts are equal.
    #[inline]
    pub fn equal(self, a: &[u8], b: &[u8]) -> bool {
        a == b || self.compare(a, b) == Ordering::Equal
    }

    /// Whether a text begins with another one.
    pub fn begins_with(self, mut text: &[u8], mut wanted: &[u8]) -> bool {
        if let Some(uca) = self.uca() {
            return uca.begins_with(text, wanted);
        }
        if self.compares_code_points() {
            return text.starts_with(wanted);
        }
        let size = |text: &[u8]| self.charset().first_char(text).1;
        while !wanted.is_empty() {
            if text.is_empty() {
                return false;
            }
            let (of_text, of_wanted) = (size(text), size(wanted));
            if !self.equal(&text[..of_text], &wanted[..of_wanted]) {
                return false;
            }
            (text, wanted) = (&text[of_text..], &wanted[of_wanted..]);
        }
        true
    }

    /// Whether two texts are equal, but for blanks at the end, if their characters weigh the same one by one.
    pub fn has_one_weight_a_character(self) -> bool {
        self.uca().is_none()
    }

    /// Bytes of a weight of [`Self::write_weights`].
    pub const WEIGHT_SIZE: usize = weigh::WRITTEN_SIZE;

    /// Appends each character's weight; nothing for a collation in which characters have several. Where the bytes of one text stand
    /// within those of another one, they begin with a character.
    pub fn write_weights(self, text: &[u8], out: &mut Vec<u8>) {
        match self {
            _ if self.uca().is_some() => {}
            Self::Utf8mb3GeneralCi | Self::Utf8mb4GeneralCi => weigh::write_all(&Utf8General, text, out),
            Self::Utf8mb3Bin | Self::Utf8mb4Bin | Self::Utf8mb40900Bin => {
                weigh::write_all(&Utf8Code, text, out);
            }
            Self::AsciiGeneralCi => weigh::write_all(&Table(&tables::ASCII_GENERAL), text, out),
            Self::Latin1SwedishCi => weigh::write_all(&Table(&tables::LATIN1_SWEDISH), text, out),
            Self::Latin1GeneralCi => weigh::write_all(&Table(&tables::LATIN1_GENERAL), text, out),
            _ => weigh::write_all(&Bytes, text, out),
        }
    }

    /// Feeds a hasher so that equal texts hash alike.
    pub fn hash(self, text: &[u8], hasher: &mut impl Hasher) {
        if let Some(uca) = self.uca() {
            uca.hash(text, hasher);
            return hasher.write_u8(0xFF);
        }
        match self {
            Self::Binary | Self::Utf8mb40900Bin => hasher.write(text),
            _ if self.compares_code_points() => hasher.write(compare::trim_spaces(text)),
            Self::Utf8mb3GeneralCi | Self::Utf8mb4GeneralCi => compare::hash(&Utf8General, text, hasher),
            Self::Latin1SwedishCi => compare::hash(&Table(&tables::LATIN1_SWEDISH), text, hasher),
            Self::Latin1GeneralCi => compare::hash(&Table(&tables::LATIN1_GENERAL), text, hasher),
            _ => compare::hash(&Table(&tables::ASCII_GENERAL), text, hasher),
        }
        hasher.write_u8(0xFF);
    }

    /// Appends bytes whose order under `memcmp` is this collation's order, and which end themselves: no sort key
    /// is a prefix of another text's, so more key parts may follow. The format is described in `sort_key.rs`.
    pub fn sort_key(self, text: &[u8], out: &mut Vec<u8>) {
        if let Some(uca) = self.uca() {
            return uca.sort_key(text, out);
        }
        match self {
            Self::Binary | Self::Utf8mb40900Bin => sort_key::binary(text, out),
            Self::Utf8mb3GeneralCi | Self::Utf8mb4GeneralCi => sort_key::weighed(&Utf8General, text, out),
            Self::AsciiGeneralCi => sort_key::weighed(&Table(&tables::ASCII_GENERAL), text, out),
            Self::Latin1SwedishCi => sort_key::weighed(&Table(&tables::LATIN1_SWEDISH), text, out),
            Self::AsciiBin | Self::Latin1Bin | Self::Utf8mb3Bin | Self::Utf8mb4Bin => {
                sort_key::weighed(&Bytes, text, out);
            }
            _ => sort_key::weighed(&Table(&tables::LATIN1_GENERAL), text, out),
        }
    }

    /// Appends what the sort keys of all texts begin with whose first characters are to LIKE like these, whatever follows.
    /// They need not be all that begin so: LIKE decides.
    pub fn sort_key_beginning(self, text: &[u8], out: &mut Vec<u8>) {
        if let Some(uca) = self.uca() {
            return uca.sort_key_beginning(text, out);
        }
        match self {
            Self::Binary | Self::Utf8mb40900Bin => sort_key::binary_beginning(text, out),
            Self::Utf8mb3GeneralCi | Self::Utf8mb4GeneralCi => sort_key::beginning(&Utf8General, text, out),
            Self::AsciiGeneralCi => sort_key::beginning(&Table(&tables::ASCII_GENERAL), text, out),
            Self::Latin1SwedishCi => sort_key::beginning(&Table(&tables::LATIN1_SWEDISH), text, out),
            Self::AsciiBin | Self::Latin1Bin | Self::Utf8mb3Bin | Self::Utf8mb4Bin => {
                sort_key::beginning(&Bytes, text, out);
            }
            _ => sort_key::beginning(&Table(&tables::LATIN1_GENERAL), text, out),
        }
    }

    /// Appends what WEIGHT_STRING answers, if the collation is one of the Unicode Collation Algorithm; else false.
    pub fn uca_weight_string(self, text: &[u8], out: &mut Vec<u8>) -> bool {
        self.uca().map(|uca| uca.weight_string(text, out)).is_some()
    }

    /// `text LIKE pattern ESCAPE escape`; the escape is a code point, None for `ESCAPE ''`.
    pub fn like(self, text: &[u8], pattern: &[u8], escape: Option<u32>) -> bool {
        if let Some(uca) = self.uca() {
            return like::matches(&uca, text, pattern, escape);
        }
        match self {
            Self::Utf8mb3GeneralCi | Self::Utf8mb4GeneralCi => {
                like::matches(&Utf8General, text, pattern, escape)
            }
            Self::Utf8mb3Bin | Self::Utf8mb4Bin | Self::Utf8mb40900Bin => {
                like::matches(&Utf8Code, text, pattern, escape)
            }
            Self::AsciiGeneralCi => like::matches(&Table(&tables::ASCII_GENERAL), text, pattern, escape),
            Self::Latin1SwedishCi => like::matches(&Table(&tables::LATIN1_SWEDISH), text, pattern, escape),
            Self::Binary | Self::AsciiBin | Self::Latin1Bin => like::matches(&Bytes, text, pattern, escape),
            _ => like::matches(&Table(&tables::LATIN1_GENERAL), text, pattern, escape),
        }
    }

    /// How every text begins that is LIKE a pattern, which is one of this collation's character set.
    pub fn like_beginning(self, pattern: &[u8], escape: Option<u32>) -> Beginning {
        like::beginning(self.charset(), pattern, escape)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_and_names_lead_back() {
        for collation in Collation::ALL {
            assert_eq!(Collation::from_id(collation.id()), Some(collation));
            assert_eq!(Collation::from_name(&collation.name().to_uppercase()), Some(collation));
        }
        assert_eq!(Collation::from_name("utf8_general_ci"), Some(Collation::Utf8mb3GeneralCi));
        assert!(Collation::ALL.is_sorted_by_key(|collation| collation.id()));
    }

    // Answers of MySQL 9.7.4.
    #[test]
    fn comparison_pads_with_spaces() {
        for collation in Collation::ALL {
            let padded = collation.pads_space();
            assert_eq!(collation.equal(b"a", b"a  "), padded, "{collation:?}");
            // It has no weight by the Unicode Collation Algorithm.
            let zero = if collation.uca().is_some() { Ordering::Equal } else { Ordering::Less };
            assert_eq!(
                collation.compare(b"a\0", b"a") == zero,
                collation.uca().is_some() || padded,
                "{collation:?}"
            );
            assert_eq!(collation.compare(b"a\t", b"a") == Ordering::Less, padded, "{collation:?}");
            assert_eq!(collation.compare(b"a!", b"a"), Ordering::Greater, "{collation:?}");
        }
    }

    #[test]
    fn general_ci_ignores_case_and_accents() {
        let ci = Collation::Utf8mb4GeneralCi;
        assert!(ci.equal("ß".as_bytes(), b"s"));
        assert!(!ci.equal("ß".as_bytes(), b"ss"));
        assert!(ci.equal("ÀÉÎÕÜ".as_bytes(), b"aeiou"));
        assert!(ci.equal("😀".as_bytes(), "😁".as_bytes()));
        assert!(!Collation::Utf8mb4Bin.equal("😀".as_bytes(), "😁".as_bytes()));
        assert!(!Collation::Utf8mb4Bin.equal(b"a", b"A"));
    }
}
