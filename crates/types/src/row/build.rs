//! Rows from their columns: new ones, and after-images from before-images.

#![deny(clippy::indexing_slicing)]

use super::{NULL_END, Offsets, RowError, RowLayout, write_column};
use crate::temporal::TimeZone;
use crate::value::ValueRef;

/// A row in the making, appended to a buffer column by column.
#[derive(Debug)]
pub struct RowBuilder<'l, 'o> {
    layout: &'l RowLayout,
    out: &'o mut Vec<u8>,
    start: usize,
    column: usize,
}

/// A column's new bytes, with their length, for [`RowLayout::patch`]; None is NULL.
#[derive(Clone, Copy, Debug)]
pub struct Change<'b> {
    /// The column's index.
    pub column: usize,
    /// What it will hold.
    pub stored: Option<&'b [u8]>,
}

impl RowLayout {
    /// Begins a row at the end of `out`. Every column is given once, in order; then [`RowBuilder::finish`].
    pub fn builder<'l, 'o>(&'l self, out: &'o mut Vec<u8>) -> RowBuilder<'l, 'o> {
        let start = out.len();
        out.resize(start + self.bitmap_size, 0);
        RowBuilder { layout: self, out, start, column: 0 }
    }

    /// Appends the row `before` with some columns replaced. `offsets` are those of `before`, `changes` are in the
    /// order of their columns.
    pub fn patch(
        &self,
        before: &[u8],
        offsets: &Offsets,
        changes: &[Change<'_>],
        out: &mut Vec<u8>,
    ) -> Result<(), RowError> {
        let start = out.len();
        out.extend_from_slice(before.get(..self.bitmap_size).ok_or(RowError::Truncated { column: 0 })?);
        let mut copied_from = self.bitmap_size;
        for change in changes {
            let span = offsets.spans.get(change.column).ok_or(RowError::WrongCount)?;
            let at = usize::try_from(span.start).map_err(|_| RowError::TooLong)?;
            let kept = before.get(copied_from..at).ok_or(RowError::Truncated { column: change.column })?;
            out.extend_from_slice(kept);
            set_null_bit(out, start, change.column, change.stored.is_none());
            out.extend_from_slice(change.stored.unwrap_or(&[]));
            let end = if span.end == NULL_END { span.start } else { span.end };
            copied_from = usize::try_from(end).map_err(|_| RowError::TooLong)?;
        }
        out.extend_from_slice(before.get(copied_from..).ok_or(RowError::TooLong)?);
        Ok(())
    }
}

impl RowBuilder<'_, '_> {
    /// The next column is NULL.
    pub fn null(&mut self) {
        set_null_bit(self.out, self.start, self.column, true);
        self.column += 1;
    }

    /// The next column gets a value that has been brought into it.
    pub fn value(&mut self, value: ValueRef<'_>, time_zone: &TimeZone) -> Result<(), RowError> {
        let slot = self.layout.slots.get(self.column).ok_or(RowError::WrongCount)?;
        if value.is_null() {
            self.null();
            return Ok(());
        }
        if !write_column(slot.ty, value, time_zone, self.out) {
            return Err(RowError::WrongValue { column: self.column });
        }
        self.column += 1;
        Ok(())
    }

    /// The next column gets what `write` appends, or NULL if it returns false and appends nothing. `write` is
    /// usually [`store::assign`](crate::store::assign).
    pub fn write<E>(&mut self, write: impl FnOnce(&mut Vec<u8>) -> Result<bool, E>) -> Result<(), E> {
        if write(self.out)? {
            self.column += 1;
        } else {
            self.null();
        }
        Ok(())
    }

    /// The next column gets stored bytes with their length, as [`Offsets::stored`] gives them; None is NULL.
    pub fn stored(&mut self, stored: Option<&[u8]>) {
        if let Some(bytes) = stored {
            self.out.extend_from_slice(bytes);
            self.column += 1;
        } else {
            self.null();
        }
    }

    /// Ends the row.
    pub fn finish(self) -> Result<(), RowError> {
        if self.column == self.layout.slots.len() { Ok(()) } else { Err(RowError::WrongCount) }
    }
}

fn set_null_bit(out: &mut [u8], start: usize, column: usize, null: bool) {
    if let Some(byte) = out.get_mut(start + column / 8) {
        let bit = 1 << (column % 8);
        *byte = if null { *byte | bit } else { *byte & !bit };
    }
}
