//! WRITE_ROWS, UPDATE_ROWS, DELETE_ROWS; the byte table is beside their encoder.
#![deny(clippy::indexing_slicing, clippy::arithmetic_side_effects)]

use super::{Cursor, DecodeError};
use crate::event::{RowsKind, bitmap_len, rows_flag};

/// A rows event's fields, as slices of its body. Images stay packed: their lengths depend on the table map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RowsBody<'a> {
    /// Which of the three events.
    pub kind: RowsKind,
    /// The id of the table map.
    pub table_id: u64,
    /// A union of [`rows_flag`] values.
    pub flags: u16,
    /// How many columns the table has.
    pub columns: usize,
    /// Columns in the (before) images, lowest bit first.
    pub present: &'a [u8],
    /// Columns in the after images of an UPDATE; empty otherwise.
    pub present_after: &'a [u8],
    /// The images.
    pub images: &'a [u8],
}

impl RowsBody<'_> {
    /// Whether this is the last rows event of its statement.
    pub fn ends_statement(&self) -> bool {
        self.flags & rows_flag::STMT_END != 0
    }
}

/// Decodes a body.
pub(crate) fn rows(body: &[u8], kind: RowsKind) -> Result<RowsBody<'_>, DecodeError> {
    let mut cursor = Cursor::new(body);
    let table_id = cursor.uint(6)?;
    let flags = cursor.u16()?;
    let extra = cursor.u16()?.checked_sub(2).ok_or(DecodeError("extra data is shorter than its length"))?;
    cursor.take(usize::from(extra))?;
    let columns = cursor.lenenc_len()?;
    let present = cursor.take(bitmap_len(columns))?;
    let present_after =
        if kind == RowsKind::Update { cursor.take(bitmap_len(columns))? } else { Default::default() };
    Ok(RowsBody { kind, table_id, flags, columns, present, present_after, images: cursor.rest() })
}
