//! Cells of rows that are made for clients.

use types::temporal::DateTime;
use types::value::Value;

/// A row of a virtual table.
pub(crate) type Row = Vec<Value>;

/// What can be a cell.
pub(crate) trait IntoCell {
    /// The cell.
    fn into_cell(self) -> Value;
}

impl IntoCell for Value {
    fn into_cell(self) -> Value {
        self
    }
}

impl IntoCell for &str {
    fn into_cell(self) -> Value {
        Value::text(self)
    }
}

impl IntoCell for String {
    fn into_cell(self) -> Value {
        Value::text(&self)
    }
}

impl IntoCell for &String {
    fn into_cell(self) -> Value {
        Value::text(self)
    }
}

impl IntoCell for u64 {
    fn into_cell(self) -> Value {
        Value::UInt(self)
    }
}

impl IntoCell for u32 {
    fn into_cell(self) -> Value {
        Value::UInt(self.into())
    }
}

impl IntoCell for DateTime {
    fn into_cell(self) -> Value {
        Value::DateTime(self)
    }
}

impl<T: IntoCell> IntoCell for Option<T> {
    fn into_cell(self) -> Value {
        self.map_or(Value::Null, T::into_cell)
    }
}

/// A row of these cells.
macro_rules! row {
    ($($cell:expr),* $(,)?) => {
        vec![$($crate::info::cell::IntoCell::into_cell($cell)),*]
    };
}
pub(crate) use row;

/// NULL.
pub(crate) const NULL: Value = Value::Null;
