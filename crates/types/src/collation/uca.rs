//! Collations by the Unicode Collation Algorithm (UTS #10), with the weights of MySQL's root collations.
//!
//! A character has up to eight weights at each level: letters differ at the first one, accents at the second, cases at
//! the third. Texts compare by the weights of the first level; if these are equal, by those of the second; and so on, as
//! far as the collation looks. A character without weights is as if it were not there. There are no contractions: the
//! weights of a text are those of its characters, one after another.
//!
//! The collations of Unicode 4.0.0 and 5.2.0 have one level and are PAD SPACE, those of 9.0.0 have up to three and are
//! not.
//!
//! Sort keys: weights of the first level take two bytes, those of the second one or two, those of the third one; a level
//! ends with a weight of zero. PAD SPACE is written as described in `sort_key.rs`, with two bytes for a weight.

mod table;

use std::cmp::Ordering;
use std::hash::Hasher;
use std::iter;
use std::slice;

use smallvec::SmallVec;

use super::like::Characters;
use super::sort_key::{END, NEXT_IS_LESS, NEXT_IS_MORE, write_blanks};
use crate::charset::utf8;
pub(super) use table::Version;
use table::{Found, Table};

/// One of these collations.
#[derive(Clone, Copy)]
pub(super) struct Uca {
    table: &'static Table,
    /// How many levels are looked at.
    levels: usize,
    pads: bool,
}

/// What an invalid byte begins with: more than every character.
const INVALID: u16 = 0xFFFF;

impl Uca {
    /// A collation of Unicode 9.0.0, which does not pad.
    pub(super) fn of_900(levels: usize) -> Self {
        Self { table: Version::V900.table(), levels, pads: false }
    }

    /// A collation of an older version, with one level and PAD SPACE.
    pub(super) fn padded(version: Version) -> Self {
        Self { table: version.table(), levels: 1, pads: true }
    }

    /// MySQL's figure, which only the older versions have.
    pub(super) fn sort_length(self) -> u8 {
        if self.pads { 8 } else { 0 }
    }

    fn weights(self, text: &[u8], level: usize) -> Weights<'_> {
        Weights { table: self.table, level, rest: text, listed: [].iter(), second: 0 }
    }

    pub(super) fn compare(self, a: &[u8], b: &[u8]) -> Ordering {
        let by_level = |level| self.compare_level(self.weights(a, level), self.weights(b, level));
        (0..self.levels).map(by_level).find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
    }

    /// Whether the weights of a text begin with those of another one, at each level.
    pub(super) fn begins_with(self, text: &[u8], wanted: &[u8]) -> bool {
        let at_level = |level| {
            let mut of_text = self.weights(text, level);
            self.weights(wanted, level).all(|weight| of_text.next() == Some(weight))
        };
        (0..self.levels).all(at_level)
    }

    fn compare_level(self, mut a: Weights<'_>, mut b: Weights<'_>) -> Ordering {
        loop {
            match (a.next(), b.next()) {
                (Some(of_a), Some(of_b)) if of_a == of_b => {}
                (Some(of_a), Some(of_b)) => return of_a.cmp(&of_b),
                (None, None) => return Ordering::Equal,
                (Some(first), None) => return self.tail_versus_end(first, a),
                (None, Some(first)) => return self.tail_versus_end(first, b).reverse(),
            }
        }
    }

    /// How weights compare to the end of a text.
    fn tail_versus_end(self, first: u16, rest: Weights<'_>) -> Ordering {
        if !self.pads {
            return Ordering::Greater;
        }
        let space = self.space();
        let differs = iter::once(first).chain(rest).find(|weight| *weight != space);
        differs.map_or(Ordering::Equal, |weight| weight.cmp(&space))
    }

    fn space(self) -> u16 {
        self.table.ascii(b' ', 0)
    }

    /// The weights of the first level, of PAD SPACE without the blanks at the end; and whether there were some.
    fn primary(self, text: &[u8]) -> (SmallVec<[u16; 64]>, bool) {
        let mut weights: SmallVec<[u16; 64]> = self.weights(text, 0).collect();
        let size = weights.len();
        if self.pads {
            let space = self.space();
            let end = weights.iter().rposition(|weight| *weight != space).map_or(0, |last| last + 1);
            weights.truncate(end);
        }
        let has_blanks = weights.len() < size;
        (weights, has_blanks)
    }

    pub(super) fn hash(self, text: &[u8], hasher: &mut impl Hasher) {
        for weight in self.primary(text).0 {
            hasher.write_u16(weight);
        }
        for level in 1..self.levels {
            hasher.write_u16(0);
            self.weights(text, level).for_each(|weight| hasher.write_u16(weight));
        }
    }

    pub(super) fn sort_key(self, text: &[u8], out: &mut Vec<u8>) {
        self.write_primary(&self.primary(text).0, out);
        if self.pads {
            let [high, low] = self.space().to_be_bytes();
            out.extend_from_slice(&[high, low, END]);
            return;
        }
        out.extend_from_slice(&[0, 0]);
        for level in 1..self.levels {
            self.weights(text, level).for_each(|weight| utf8::encode(weight.into(), out));
            out.push(0);
        }
    }

    /// What all keys of texts begin with that begin with these weights. Of blanks at their end the weight alone is known: the
    /// text may go on, or not.
    pub(super) fn sort_key_beginning(self, text: &[u8], out: &mut Vec<u8>) {
        let (primary, has_blanks) = self.primary(text);
        self.write_primary(&primary, out);
        if has_blanks {
            out.extend_from_slice(&self.space().to_be_bytes());
        }
    }

    /// Writes weights of the first level that do not end with blanks, if these are padded.
    fn write_primary(self, primary: &[u16], out: &mut Vec<u8>) {
        out.reserve(2 * primary.len() + 3);
        let space = self.space();
        let [high, low] = space.to_be_bytes();
        let mut blanks = 0;
        for weight in primary {
            // Behind a blank there is always one that is none.
            if self.pads && *weight == space {
                blanks += 1;
                continue;
            }
            let next = if *weight < space { NEXT_IS_LESS } else { NEXT_IS_MORE };
            write_blanks(&[high, low, next], std::mem::take(&mut blanks), out);
            out.extend_from_slice(&weight.to_be_bytes());
        }
    }

    /// What WEIGHT_STRING answers: the weights of each level in two bytes, and two of zero between levels.
    pub(super) fn weight_string(self, text: &[u8], out: &mut Vec<u8>) {
        for level in 0..self.levels {
            if level > 0 {
                out.extend_from_slice(&[0, 0]);
            }
            self.weights(text, level).for_each(|weight| out.extend_from_slice(&weight.to_be_bytes()));
        }
    }
}

impl Characters for Uca {
    fn first(&self, text: &[u8]) -> (u32, usize) {
        utf8::decode(text).unwrap_or((utf8::INVALID + u32::from(text[0]), 1))
    }

    fn are_alike(&self, a: &[u8], b: &[u8]) -> bool {
        // To MySQL's LIKE, characters that share one weight are themselves.
        let shares = |text: &[u8]| utf8::decode(text).is_some_and(|(code, _)| self.table.shares_weight(code));
        let of = |text, level| self.weights(text, level);
        a == b || !shares(a) && !shares(b) && (0..self.levels).all(|level| of(a, level).eq(of(b, level)))
    }
}

/// The weights of a text at one level.
struct Weights<'t> {
    table: &'static Table,
    level: usize,
    rest: &'t [u8],
    /// More of the character before `rest`.
    listed: slice::Iter<'static, u16>,
    /// One more of it, if it was computed; or 0.
    second: u16,
}

impl Iterator for Weights<'_> {
    type Item = u16;

    #[inline]
    fn next(&mut self) -> Option<u16> {
        loop {
            if let Some(weight) = self.listed.next() {
                return Some(*weight);
            }
            if self.second != 0 {
                return Some(std::mem::take(&mut self.second));
            }
            let (first, behind) = self.rest.split_first()?;
            if first.is_ascii() {
                self.rest = behind;
                match self.table.ascii(*first, self.level) {
                    0 => continue,
                    weight => return Some(weight),
                }
            }
            let Some((code, size)) = utf8::decode(self.rest) else {
                self.rest = behind;
                if self.level == 0 {
                    self.second = u16::from(*first);
                    return Some(INVALID);
                }
                continue;
            };
            self.rest = &self.rest[size..];
            match self.table.find(code, self.level) {
                Found::Listed(weights) => self.listed = weights.iter(),
                Found::Computed(first, second) => {
                    self.second = second;
                    return Some(first);
                }
            }
        }
    }
}
