//! What rows that are kept may take.

use types::error::table::ER_OUT_OF_SORTMEMORY;
use types::value::Value;

use super::Result;

/// Bytes that the rows of one sort, grouping or subquery may take.
pub const MEMORY_MAX: usize = 1 << 30;

/// The bytes that a key takes beside its own.
pub(super) const KEY_OVERHEAD: usize = 64;

/// The bytes that are left for what one step of a query keeps.
#[derive(Debug)]
pub(super) struct Room(usize);

impl Room {
    pub(super) fn new(bytes: usize) -> Self {
        Self(bytes)
    }

    /// Something is kept. Error 1038 if there is no room for it.
    pub(super) fn take(&mut self, bytes: usize) -> Result<()> {
        self.0 = self.0.checked_sub(bytes).ok_or_else(|| ER_OUT_OF_SORTMEMORY.error(&[]))?;
        Ok(())
    }

    /// Something is kept no longer.
    pub(super) fn give_back(&mut self, bytes: usize) {
        self.0 += bytes;
    }
}

/// The bytes that a row of these cells takes.
pub(super) fn row_size(cells: &[Value]) -> usize {
    size_of::<Vec<Value>>() + cells.iter().map(value_size).sum::<usize>()
}

/// The bytes that a value takes.
pub(crate) fn value_size(value: &Value) -> usize {
    let outside = match value {
        Value::Str(bytes, _) | Value::Bytes(bytes) | Value::Json(bytes) => bytes.len(),
        _ => 0,
    };
    size_of::<Value>() + outside
}
