//! The labels of ENUM and SET columns.
//!
//! A column's type is copied into every plan, key and layout, so a list of labels is one word: each distinct list is
//! kept once for the life of the process. A server has as many of them as its tables ever had definitions; dropping
//! the last table that uses one does not free it (`docs/LIMITS.md`).
//!
//! Rejected: a counted reference. It would make every column type something to clone, for a few hundred bytes.

use std::collections::{HashMap, HashSet};
use std::fmt::{self, Write as _};
use std::hash::{Hash, Hasher};
use std::sync::{LazyLock, Mutex, PoisonError};

use crate::charset::convert;
use crate::collation::Collation;

/// The most labels of an ENUM.
pub const ENUM_LABELS_MAX: usize = 65_535;
/// The most labels of a SET.
pub const SET_LABELS_MAX: usize = 64;
/// The most characters of a label.
pub const LABEL_CHARS_MAX: usize = 255;

/// The labels of an ENUM or a SET in their order, in the character set of their collation. Equal lists are one list.
#[derive(Clone, Copy)]
pub struct Labels(&'static List);

#[derive(PartialEq, Eq, Hash)]
struct List {
    collation: Collation,
    names: Box<[Box<[u8]>]>,
    /// The place of the first label that is equal to a later one.
    duplicate: Option<usize>,
}

/// Every list that there is. A leaf: no lock is taken under it.
static LISTS: LazyLock<Mutex<HashSet<&'static List>>> = LazyLock::new(Mutex::default);

impl Labels {
    /// The list of these labels, without blanks at their ends. What MySQL refuses is refused by the constructors of
    /// `limits.rs`.
    pub fn new(collation: Collation, names: impl IntoIterator<Item = Vec<u8>>) -> Self {
        let names: Box<[Box<[u8]>]> =
            names.into_iter().map(|name| Box::from(without_blanks(&name))).collect();
        let duplicate = duplicate(collation, &names);
        let list = List { collation, names, duplicate };
        let mut lists = LISTS.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = lists.get(&list) {
            return Self(known);
        }
        let list: &'static List = Box::leak(Box::new(list));
        lists.insert(list);
        Self(list)
    }

    /// Their collation.
    pub fn collation(self) -> Collation {
        self.0.collation
    }

    /// How many there are.
    pub fn count(self) -> usize {
        self.0.names.len()
    }

    /// All of them, in order.
    pub fn names(self) -> impl ExactSizeIterator<Item = &'static [u8]> {
        self.0.names.iter().map(|name| &**name)
    }

    /// The label at a place, counted from 0.
    pub fn get(self, place: usize) -> Option<&'static [u8]> {
        self.0.names.get(place).map(|name| &**name)
    }

    /// The place of the label that a text of their character set is, blanks at its end apart.
    pub fn find(self, text: &[u8]) -> Option<usize> {
        let text = without_blanks(text);
        self.names().position(|name| self.0.collation.compare(name, text).is_eq())
    }

    /// The first label that is equal to a later one.
    pub fn duplicate(self) -> Option<&'static [u8]> {
        self.get(self.0.duplicate?)
    }

    /// Whether a text may be that of two numbers: labels are equal, or one is the text of no label.
    pub fn is_ambiguous(self) -> bool {
        self.0.duplicate.is_some() || self.names().any(<[u8]>::is_empty)
    }

    /// The characters of the longest one.
    pub fn chars_max(self) -> u32 {
        self.chars().max().unwrap_or(0)
    }

    /// The characters of all, with a comma between two.
    pub fn chars_of_all(self) -> u32 {
        let commas = u32::try_from(self.count().saturating_sub(1)).unwrap_or(u32::MAX);
        self.chars().sum::<u32>().saturating_add(commas)
    }

    fn chars(self) -> impl Iterator<Item = u32> {
        let charset = self.0.collation.charset();
        self.names().map(move |name| u32::try_from(charset.char_count(name)).unwrap_or(u32::MAX))
    }

    /// The same labels in another collation, in its character set.
    #[must_use]
    pub fn with_collation(self, collation: Collation) -> Self {
        let (from, to) = (self.0.collation.charset(), collation.charset());
        let names = self.names().map(|name| {
            let mut converted = Vec::with_capacity(name.len());
            convert(name, from, to, &mut converted);
            converted
        });
        Self::new(collation, names)
    }

    /// Bytes of an ENUM's number in a row.
    pub fn enum_bytes(self) -> u8 {
        if self.count() > 255 { 2 } else { 1 }
    }

    /// Bytes of a SET's bits in a row.
    pub fn set_bytes(self) -> u8 {
        match self.count().div_ceil(8) {
            0 | 1 => 1,
            bytes @ 2..=4 => u8::try_from(bytes).unwrap_or(4),
            _ => 8,
        }
    }

    /// The bits of a SET that has all of them.
    pub fn all_bits(self) -> u64 {
        match self.count() {
            count @ 0..64 => (1 << count) - 1,
            _ => u64::MAX,
        }
    }
}

fn duplicate(collation: Collation, names: &[Box<[u8]>]) -> Option<usize> {
    let mut first = HashMap::with_capacity(names.len());
    let earlier = names.iter().enumerate().filter_map(|(place, name)| {
        let mut key = Vec::new();
        collation.sort_key(name, &mut key);
        let known = *first.entry(key).or_insert(place);
        (known != place).then_some(known)
    });
    earlier.min()
}

fn without_blanks(text: &[u8]) -> &[u8] {
    let end = text.iter().rposition(|byte| *byte != b' ').map_or(0, |last| last + 1);
    text.get(..end).unwrap_or(text)
}

impl PartialEq for Labels {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self.0, other.0)
    }
}

impl Eq for Labels {}

impl Hash for Labels {
    fn hash<H: Hasher>(&self, state: &mut H) {
        std::ptr::from_ref(self.0).hash(state);
    }
}

impl fmt::Debug for Labels {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self} {}", self.0.collation.name())
    }
}

impl fmt::Display for Labels {
    /// As SHOW CREATE TABLE has them: quoted, separated by commas, with backslashes before what needs them.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let charset = self.0.collation.charset();
        for (place, name) in self.names().enumerate() {
            let mut text = Vec::with_capacity(name.len());
            convert(name, charset, crate::charset::Charset::Utf8mb4, &mut text);
            let comma = if place > 0 { "," } else { "" };
            write!(f, "{comma}'")?;
            for c in String::from_utf8_lossy(&text).chars() {
                match c {
                    '\'' => f.write_str("''")?,
                    '\\' => f.write_str("\\\\")?,
                    '\0' => f.write_str("\\0")?,
                    '\n' => f.write_str("\\n")?,
                    '\r' => f.write_str("\\r")?,
                    other => f.write_char(other)?,
                }
            }
            f.write_char('\'')?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(names: &[&str]) -> Labels {
        Labels::new(Collation::Utf8mb4GeneralCi, names.iter().map(|name| name.as_bytes().to_vec()))
    }

    #[test]
    fn equal_lists_are_one() {
        assert_eq!(labels(&["a", "b"]), labels(&["a", "b"]));
        assert_ne!(labels(&["a", "b"]), labels(&["b", "a"]));
        assert_ne!(labels(&["a"]), labels(&["a"]).with_collation(Collation::Utf8mb4Bin));
    }

    #[test]
    fn labels_are_found_by_their_collation_without_blanks_at_the_end() {
        let list = labels(&["x", "It's ", ""]);
        assert_eq!(list.find(b"IT'S  "), Some(1));
        assert_eq!(list.find(b"  "), Some(2));
        assert_eq!(list.find(b"y"), None);
        assert_eq!(list.with_collation(Collation::Utf8mb4Bin).find(b"X"), None);
        assert_eq!(list.to_string(), "'x','It''s',''");
        assert_eq!(list.duplicate(), None);
        assert_eq!(labels(&["a", "b", "A "]).duplicate(), Some(&b"a"[..]));
    }

    #[test]
    fn labels_are_shown_as_a_statement_takes_them() {
        assert_eq!(labels(&["a\\b\n", "c\t"]).to_string(), "'a\\\\b\\n','c\t'");
    }

    #[test]
    fn a_set_takes_one_two_three_four_or_eight_bytes() {
        let of = |count: usize| {
            labels(
                &(0..count)
                    .map(|n| n.to_string())
                    .collect::<Vec<_>>()
                    .iter()
                    .map(String::as_str)
                    .collect::<Vec<_>>(),
            )
        };
        let sizes = [(1, 1), (8, 1), (9, 2), (17, 3), (25, 4), (32, 4), (33, 8), (64, 8)];
        for (count, bytes) in sizes {
            assert_eq!(of(count).set_bytes(), bytes, "{count}");
        }
        assert_eq!(of(64).all_bits(), u64::MAX);
        assert_eq!(of(3).all_bits(), 7);
        assert_eq!((of(255).enum_bytes(), of(256).enum_bytes()), (1, 2));
    }
}
