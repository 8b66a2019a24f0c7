//! LOAD DATA: how rows stand in a file, and what cuts a file into rows and fields.

mod format;
mod reader;

pub use format::{FileFormat, SEPARATOR_SIZE_MAX, Separators};
pub(crate) use reader::{Found, RowReader};
