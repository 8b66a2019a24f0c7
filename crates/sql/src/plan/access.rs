//! How a source's rows are found: which index, and which ranges of it.
//!
//! A range is given by expressions over parameters and earlier sources. When it is bound to values, each value is
//! brought into its column's type; where that is not possible without changing what the comparison means, the whole
//! index is scanned and the conditions, which are kept, decide.

use engine::catalog::table::Table;
use engine::scan::Direction;
use types::key::KeyPart;

use crate::expr::{Expr, PatternStart};

/// What must hold for a row.
#[derive(Clone, Debug)]
pub struct Condition {
    /// The condition.
    pub expr: Expr,
    /// The access path guarantees it, if its values could be brought into their columns exactly.
    pub implied: bool,
}

/// How a source's rows are found.
#[derive(Clone, Debug)]
pub enum Access {
    /// All of them, in the order of the rows' index.
    Full(Direction),
    /// At most one, by all columns of a unique index.
    Point {
        /// The index.
        index: IndexRef,
        /// A value a column.
        keys: Vec<Equal>,
    },
    /// Those of some ranges of an index.
    Ranges {
        /// The index.
        index: IndexRef,
        /// The ranges, in any order; they may overlap.
        ranges: Vec<RangeSpec>,
        /// The order in which rows are returned.
        direction: Direction,
    },
}

/// An index of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IndexRef {
    /// That of the rows.
    Primary,
    /// Another, by its place in the table's list of secondary indexes.
    Secondary(usize),
}

/// A range of an index: some columns have given values, the next one lies between bounds and begins as a pattern does.
#[derive(Clone, Debug, Default)]
pub struct RangeSpec {
    /// Values of the first columns.
    pub equal: Vec<Equal>,
    /// The lower bound of the next column.
    pub low: Option<Bound>,
    /// Its upper bound.
    pub high: Option<Bound>,
    /// What its text is LIKE.
    pub like: Option<Pattern>,
}

impl RangeSpec {
    /// So many columns of the index are bounded.
    pub(crate) fn parts(&self) -> usize {
        self.equal.len() + usize::from(self.low.is_some() || self.high.is_some() || self.like.is_some())
    }

    /// Whether nothing bounds it but a pattern.
    pub(crate) fn is_only_pattern(&self) -> bool {
        self.equal.is_empty() && self.low.is_none() && self.high.is_none() && self.like.is_some()
    }

    /// Whether this pattern may begin with a wildcard, too: then the range is everything.
    pub(crate) fn is_open(&self) -> bool {
        let may_begin_so = |like: &Pattern| like.start != PatternStart::Character;
        self.is_only_pattern() && self.like.as_ref().is_some_and(may_begin_so)
    }

    /// Whether everything may have to be looked at.
    pub(crate) fn may_be_all(&self) -> bool {
        self.has_rows() || self.is_open()
    }

    /// Whether it stands for as many ranges as a subquery has rows.
    pub(crate) fn has_rows(&self) -> bool {
        self.equal.last().is_some_and(|last| matches!(last.value, Expr::Quantified(..)))
    }
}

/// A column's value.
#[derive(Clone, Debug)]
pub struct Equal {
    /// The value; or IN with a subquery, whose rows are values one after another.
    pub value: Expr,
    /// Whether NULL equals NULL: `<=>`, IS NULL. Else a NULL equals nothing.
    pub matches_null: bool,
}

/// One end of a range.
#[derive(Clone, Debug)]
pub struct Bound {
    /// The value.
    pub value: Expr,
    /// Whether it belongs to the range.
    pub inclusive: bool,
}

/// A pattern of LIKE. What it says of a text is more than that the text is in the range.
#[derive(Clone, Debug)]
pub struct Pattern {
    /// The pattern.
    pub value: Expr,
    /// The escape character; `None` = there is none.
    pub escape: Option<char>,
    /// How it begins, which is not with a wildcard if that is known.
    pub start: PatternStart,
}

impl Access {
    /// Whether rows are found by entries of a secondary index, which may move while they are read.
    pub(crate) fn is_by_entries(&self) -> bool {
        let (Self::Point { index, .. } | Self::Ranges { index, .. }) = self else { return false };
        matches!(index, IndexRef::Secondary(_))
    }

    /// Whether an expression that it evaluates fulfils a condition.
    pub(crate) fn reads(&self, reads: &impl Fn(&Expr) -> bool) -> bool {
        let equal = |equal: &[Equal]| equal.iter().any(|equal| reads(&equal.value));
        match self {
            Self::Full(_) => false,
            Self::Point { keys, .. } => equal(keys),
            Self::Ranges { ranges, .. } => ranges.iter().any(|range| {
                let bounds = [&range.low, &range.high].into_iter().flatten().map(|bound| &bound.value);
                let mut values = bounds.chain(range.like.as_ref().map(|like| &like.value));
                equal(&range.equal) || values.any(reads)
            }),
        }
    }

    /// Whether rows come in the order of these columns, or can be made to, at no cost.
    pub(crate) fn gives_order(&mut self, table: &Table, columns: &[usize], limited: bool) -> bool {
        let starts_with = |index: IndexRef, skip: usize| {
            let mut parts = key_parts(table, index).to_vec();
            // Entries with equal columns lie in the order of their rows.
            if index != IndexRef::Primary {
                parts.extend_from_slice(key_parts(table, IndexRef::Primary));
            }
            let rest = parts.get(skip..).unwrap_or(&[]);
            columns.len() <= rest.len()
                && rest
                    .iter()
                    .zip(columns)
                    .all(|(part, column)| part.prefix.is_none() && part.column == *column)
        };
        match self {
            Self::Point { .. } => true,
            Self::Ranges { ranges, .. } if ranges.iter().any(RangeSpec::may_be_all) => {
                // No condition is implied by an open range, so all rows do as well; a LIMIT is reached without a sort.
                let mut all = Self::Full(Direction::Forward);
                let serves = limited
                    && ranges.iter().any(RangeSpec::is_open)
                    && all.gives_order(table, columns, limited);
                if serves {
                    *self = all;
                }
                serves
            }
            Self::Ranges { index, ranges, .. } => {
                // With one range the columns that have given values do not matter; with several, all must.
                let given = if let [range] = &ranges[..] { range.equal.len() } else { 0 };
                starts_with(*index, given) || starts_with(*index, 0)
            }
            Self::Full(_) if starts_with(IndexRef::Primary, 0) => true,
            Self::Full(direction) if limited => {
                let found =
                    (0..table.secondary.len()).map(IndexRef::Secondary).find(|index| starts_with(*index, 0));
                let Some(index) = found else { return false };
                *self = Self::Ranges { index, ranges: vec![RangeSpec::default()], direction: *direction };
                true
            }
            Self::Full(_) => false,
        }
    }

    /// Turns the order around.
    pub(crate) fn set_descending(&mut self, descending: bool) {
        let to = if descending { Direction::Backward } else { Direction::Forward };
        match self {
            Self::Full(direction) | Self::Ranges { direction, .. } => *direction = to,
            Self::Point { .. } => {}
        }
    }
}

/// The columns of an index.
pub(crate) fn key_parts(table: &Table, index: IndexRef) -> &[KeyPart] {
    match index {
        IndexRef::Primary => table.primary.as_ref().map_or(&[], |keys| keys.parts()),
        IndexRef::Secondary(place) => table.secondary[place].keys.parts(),
    }
}
