//! Values that one side of a foreign key has, as the other side has them.

use engine::catalog::table::Table;
use types::column::{Column, ColumnType};
use types::row::{Change, Offsets, read_column, write_column};
use types::temporal::TimeZone;

use super::super::cursor::offsets;
use super::super::{Result, ranges};
use crate::plan::{Finder, IndexRef, key_parts};

/// A row with its columns.
#[derive(Debug)]
pub(super) struct Opened<'r> {
    table: &'r Table,
    row: &'r [u8],
    offsets: Offsets,
}

/// A column cannot hold what its parent has.
#[derive(Clone, Copy, Debug)]
pub(super) struct DoesNotFit;

impl<'r> Opened<'r> {
    pub(super) fn new(table: &'r Table, row: &'r [u8]) -> Result<Self> {
        Ok(Self { table, row, offsets: offsets(table, row)? })
    }

    /// The bytes of a column with their length; `None` for NULL.
    pub(super) fn stored(&self, column: u16) -> Option<&'r [u8]> {
        self.offsets.stored(self.row, column.into())
    }

    /// The key of these columns' values in an index of another table. `None` if a NULL is among them, or what that
    /// table's columns cannot hold.
    pub(super) fn key_in(&self, other: &Table, finder: Finder, columns: &[u16]) -> Option<Vec<u8>> {
        let mut key = ranges::index_id(other, finder.index).new_key();
        for (part, column) in key_parts(other, finder.index).iter().zip(columns) {
            let column = usize::from(*column);
            let bytes = self.table.rows.column(self.row, &self.offsets, column)?;
            let own = self.table.rows.column_type(column);
            if has_same_keys(own, part.ty) {
                part.write(Some(bytes), &mut key);
            } else {
                let value = read_column(own, bytes, &TimeZone::UTC);
                part.write_value(value, &TimeZone::UTC, &mut key).ok()?;
            }
        }
        Some(key)
    }

    /// The key of the row's own values in an index of its table.
    pub(super) fn own_key(&self, finder: Finder) -> Option<Vec<u8>> {
        let parts = key_parts(self.table, finder.index)[..finder.size].iter();
        let columns: Vec<u16> =
            parts.map(|part| u16::try_from(part.column).expect("tables have 4,096 columns")).collect();
        self.key_in(self.table, finder, &columns)
    }

    /// The row with these columns replaced by others of a parent, or by NULL.
    pub(super) fn following(
        &self,
        columns: &[u16],
        parent: Option<(&Opened<'_>, &[u16])>,
    ) -> std::result::Result<Vec<u8>, DoesNotFit> {
        let mut values = Vec::with_capacity(columns.len());
        for (at, column) in columns.iter().enumerate() {
            let own = &self.table.columns[usize::from(*column)];
            let value = match parent {
                Some((parent, columns)) => parent.as_stored_in(own, columns[at])?,
                None => None,
            };
            if value.is_none() && !own.nullable {
                return Err(DoesNotFit);
            }
            values.push((usize::from(*column), value));
        }
        values.sort_by_key(|(column, _)| *column);
        let changes: Vec<_> = values
            .iter()
            .map(|(column, stored)| Change { column: *column, stored: stored.as_deref() })
            .collect();
        let mut out = Vec::with_capacity(self.row.len() + 32);
        self.table.rows.patch(self.row, &self.offsets, &changes, &mut out).map_err(|_| DoesNotFit)?;
        Ok(out)
    }

    /// A column as another table's column stores it; `None` for NULL.
    fn as_stored_in(&self, other: &Column, column: u16) -> std::result::Result<Option<Vec<u8>>, DoesNotFit> {
        let own = self.table.rows.column_type(column.into());
        let Some(stored) = self.stored(column) else { return Ok(None) };
        if own == other.ty {
            return Ok(Some(stored.to_vec()));
        }
        let value = self.table.rows.value(self.row, &self.offsets, column.into(), &TimeZone::UTC);
        let mut out = Vec::new();
        let fits = write_column(other.ty, value, &TimeZone::UTC, &mut out);
        if fits { Ok(Some(out)) } else { Err(DoesNotFit) }
    }
}

/// Whether columns of two types have equal keys for equal values, whatever their lengths.
fn has_same_keys(a: ColumnType, b: ColumnType) -> bool {
    a == b || (a.is_string() && b.is_string() && a.collation() == b.collation())
}

/// Whether a finder's key is the whole key of a row.
pub(super) fn finds_one(table: &Table, finder: Finder) -> bool {
    finder.index == IndexRef::Primary && key_parts(table, finder.index).len() == finder.size
}
