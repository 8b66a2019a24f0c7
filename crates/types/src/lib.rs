//! The MySQL type system: what values are, how they compare, and how they lie in rows, keys, packets and events.
//!
//! It is the bottom of the workspace beside `vfs`: it knows no file, no clock and no table. Everything here is
//! checked against a real server; the answers are recorded in `tests/data` and `examples/record` records them anew.
//!
//! | you have | you want | look at |
//! | --- | --- | --- |
//! | a value of an expression and a column | its stored bytes, or MySQL's error | [`store::assign`] |
//! | columns | rows | [`row::RowLayout`] |
//! | a stored row | a value, a text or binary protocol column | [`row::RowLayout`] |
//! | a stored row | an index key | [`key::KeyLayout`] |
//! | two values | their order | [`value::compare`] |
//! | a value | another type | [`mod@cast`] |
//! | bytes of text | their order, a match, another character set | [`collation::Collation`], [`charset`] |
//! | a type | its name in SQL, in packets, in the binlog, in the catalog | [`column::ColumnType`] |
//! | something that failed | what the client is told | [`error::table`], [`warning::Warnings`] |
//!
//! Invariants:
//!
//! - A stored row is a full row image of the binlog: logging a row is a copy.
//! - Reading a column allocates nothing.
//! - Rows, keys and catalog entries that come from outside are refused or read as some value; they never panic.
//! - For every collation and every bytes, comparison, equality, hash and sort key agree.

pub mod base64;
pub mod cast;
pub mod charset;
pub mod collation;
pub mod column;
pub mod context;
pub mod decimal;
pub mod error;
pub mod json;
pub mod key;
pub mod number;
pub mod row;
pub mod sql_mode;
pub mod store;
pub mod temporal;
pub mod value;
pub mod warning;
