//! Path expressions: `$.a[0]`, `$**.b`, `$[last-1 to last]`.
//!
//! | leg | matches |
//! | --- | --- |
//! | `.name`, `."name"` | the member of an object |
//! | `.*` | all members of an object |
//! | `[n]`, `[last]`, `[last-n]` | an item of an array; of anything else, which counts as an array of one, itself |
//! | `[m to n]` | items of an array, as above |
//! | `[*]` | all items of an array |
//! | `**` | the value and all that is within it; never the last leg |
//!
//! Source: the manual's "JSON Path Syntax", and answers of MySQL 9.7.4 (`tests/data/json_paths.tsv`).

mod find;
mod name;
mod parse;
mod print;

pub(super) use find::Found;
pub use parse::PathError;
pub(super) use print::trail_text;

/// A path: where to go from the whole document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Path {
    legs: Vec<Leg>,
}

/// A step of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Leg {
    /// `.name`
    Member(String),
    /// `.*`
    AnyMember,
    /// `[index]`
    Item(ArrayIndex),
    /// `[from to to]`, both included.
    Range(ArrayIndex, ArrayIndex),
    /// `[*]`
    AnyItem,
    /// `**`
    Ellipsis,
}

/// A place in an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArrayIndex {
    /// `n`
    FromStart(u32),
    /// `last-n`
    FromEnd(u32),
}

impl Path {
    /// The legs.
    pub fn legs(&self) -> &[Leg] {
        &self.legs
    }

    /// Whether this is `$`: not allowed to JSON_REMOVE, error 3153.
    pub fn is_root(&self) -> bool {
        self.legs.is_empty()
    }

    /// Whether the path may match more than one value: not allowed to functions that change values, error 3149.
    pub fn has_wildcard(&self) -> bool {
        self.legs.iter().any(|leg| !matches!(leg, Leg::Member(_) | Leg::Item(_)))
    }

    /// Whether the last leg is an item of an array, as JSON_ARRAY_INSERT wants it, else error 3165.
    pub fn is_array_cell(&self) -> bool {
        matches!(self.legs.last(), Some(Leg::Item(_)))
    }
}

impl ArrayIndex {
    /// The place in an array of `count` items, None if it is outside.
    pub fn within(self, count: usize) -> Option<usize> {
        match self {
            Self::FromStart(at) => usize::try_from(at).ok().filter(|&at| at < count),
            Self::FromEnd(back) => count.checked_sub(1)?.checked_sub(usize::try_from(back).ok()?),
        }
    }

    /// The place where an item is put in: beyond the end it is the end, before the beginning the beginning.
    pub fn insertion_point(self, count: usize) -> usize {
        match self {
            Self::FromStart(at) => usize::try_from(at).map_or(count, |at| at.min(count)),
            Self::FromEnd(_) => self.within(count).unwrap_or(0),
        }
    }

    /// The items of an array of `count` from here to `end`.
    fn range_to(self, end: Self, count: usize) -> std::ops::Range<usize> {
        let start = match self {
            Self::FromStart(at) => usize::try_from(at).unwrap_or(usize::MAX),
            Self::FromEnd(_) => self.within(count).unwrap_or(0),
        };
        let end = match end {
            Self::FromStart(at) => usize::try_from(at).unwrap_or(usize::MAX).saturating_add(1).min(count),
            Self::FromEnd(_) => end.within(count).map_or(0, |at| at + 1),
        };
        start..end.max(start)
    }
}
