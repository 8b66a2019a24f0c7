//! How a source's rows are found: which index, and which ranges of it.
//!
//! A range is given by expressions over parameters and earlier sources. When it is bound to values, each value is
//! brought into its column's type; where that is not possible without changing what the comparison means, the whole
//! index is scanned and the conditions, which are kept, decide.

use engine::scan::Direction;

use crate::expr::Expr;

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
        keys: Vec<Expr>,
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

/// A range of an index: some columns have given values, the next one lies between bounds.
#[derive(Clone, Debug)]
pub struct RangeSpec {
    /// Values of the first columns.
    pub equal: Vec<Expr>,
    /// The lower bound of the next column.
    pub low: Option<Bound>,
    /// Its upper bound.
    pub high: Option<Bound>,
}

/// One end of a range.
#[derive(Clone, Debug)]
pub struct Bound {
    /// The value.
    pub value: Expr,
    /// Whether it belongs to the range.
    pub inclusive: bool,
}
