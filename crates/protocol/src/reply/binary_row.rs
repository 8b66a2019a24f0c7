//! Rows of COM_STMT_EXECUTE and COM_STMT_FETCH.
//!
//! | bytes | field |
//! | --- | --- |
//! | 1 | 0x00 |
//! | (columns + 9) / 8 | bitmap of NULLs; the first column has bit 2 |
//! | | values that are not NULL, one after another |
//!
//! Integers have the size of their type, floats 4 and 8 bytes, dates and times the forms of [`crate::value`],
//! and everything else is a length-encoded string: text, bytes, decimals, JSON, BIT, ENUM, SET.

use crate::out::PacketWriter;
use crate::value::{DateTime, TimeSpan};
use crate::wire::ColumnType;
use crate::wire::put::Put;

/// The bitmap's first two bits belong to nobody.
const BITMAP_OFFSET: usize = 2;

/// A row in the making. It has to be [`BinaryRow::end`]ed, with as many values as there are columns.
#[derive(Debug)]
#[must_use = "a row ends with `end`"]
pub struct BinaryRow<'w> {
    out: &'w mut PacketWriter,
    /// Where the bitmap is in the buffer.
    bitmap: usize,
    /// Values so far.
    count: usize,
    columns: usize,
}

impl<'w> BinaryRow<'w> {
    /// Begins a row.
    pub fn begin(out: &'w mut PacketWriter, columns: usize) -> Self {
        let payload = out.begin();
        payload.put_u8(0);
        let bitmap = payload.len();
        payload.put_zeros(columns.saturating_add(BITMAP_OFFSET).div_ceil(8));
        Self { out, bitmap, count: 0, columns }
    }

    /// NULL.
    pub fn null(&mut self) {
        let bit = self.count.saturating_add(BITMAP_OFFSET);
        let at = self.bitmap.saturating_add(bit / 8);
        if let Some(byte) = self.value().get_mut(at) {
            *byte |= 1 << (bit % 8);
        }
    }

    /// An integer of an integer type; an unsigned one by its bits. Of a value that is too large for the type the
    /// lower bytes are sent.
    ///
    /// # Panics
    /// If the type is no integer type.
    pub fn integer(&mut self, column_type: ColumnType, value: i64) {
        let size = column_type.integer_size().expect("an integer has an integer type");
        let bytes = value.to_le_bytes();
        self.value().put_bytes(bytes.get(..size).unwrap_or(&bytes));
    }

    /// A FLOAT.
    pub fn float(&mut self, value: f32) {
        self.value().put_bytes(&value.to_le_bytes());
    }

    /// A DOUBLE.
    pub fn double(&mut self, value: f64) {
        self.value().put_bytes(&value.to_le_bytes());
    }

    /// Text, bytes, or a value that is sent as text.
    pub fn bytes(&mut self, value: &[u8]) {
        self.value().put_lenenc_bytes(value);
    }

    /// A DATE, DATETIME or TIMESTAMP.
    pub fn date(&mut self, value: &DateTime) {
        value.encode(self.value());
    }

    /// A TIME.
    pub fn time(&mut self, value: &TimeSpan) {
        value.encode(self.value());
    }

    /// Counts a value that is not NULL and gives the payload to append its bytes to.
    pub fn value(&mut self) -> &mut Vec<u8> {
        self.count = self.count.saturating_add(1);
        self.out.payload()
    }

    /// Ends the row.
    ///
    /// # Panics
    /// If it does not have as many values as columns.
    pub fn end(self) {
        assert_eq!(self.count, self.columns, "a row has a value for each column");
        self.out.end();
    }
}
