//! Rows of sources that outlive the cursors that found them.

use types::value::Value;

use super::memory::row_size;
use crate::expr::RowRef;
use crate::session::Session;

/// A row of one source.
#[derive(Debug)]
pub(super) enum KeptRow {
    Missing,
    Values(Vec<Value>),
}

impl KeptRow {
    /// A copy of a row; columns that are not `needed` are NULL.
    pub(super) fn of(row: RowRef<'_>, needed: impl Fn(usize) -> bool, session: &Session) -> Self {
        let count = match row {
            RowRef::Missing => return Self::Missing,
            RowRef::Values(values) => values.len(),
            RowRef::Stored { layout, .. } => layout.column_count(),
        };
        let value = |column| {
            if needed(column) { row.value(column, session.time_zone()).to_value() } else { Value::Null }
        };
        Self::Values((0..count).map(value).collect())
    }

    pub(super) fn as_ref(&self) -> RowRef<'_> {
        match self {
            Self::Missing => RowRef::Missing,
            Self::Values(values) => RowRef::Values(values),
        }
    }

    /// The bytes that it takes.
    pub(super) fn size(&self) -> usize {
        match self {
            Self::Missing => size_of::<Self>(),
            Self::Values(values) => row_size(values),
        }
    }
}
