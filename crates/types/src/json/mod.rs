//! JSON values: as a tree, as text, in MySQL's binary form; their order, paths into them, functions on them.
//!
//! | you have | you want | look at |
//! | --- | --- | --- |
//! | text | a value, or MySQL's error | [`Json::parse`] |
//! | a value | text | [`Json::write_text`], [`pretty`] |
//! | a value | bytes of a row or of a row event | [`encode`] |
//! | bytes of a row or of a row event | a value | [`decode`] |
//! | bytes of a row or of a row event, a path | the value there, without the rest | [`decode_at`] |
//! | bytes of a row or of a row event | text, without a tree between | [`write_binary_text`] |
//! | two values | their order | [`compare`] |
//! | a value | bytes in that order | [`write_sort_key`] |
//! | a path expression | a [`Path`], or MySQL's error | [`Path::parse`] |
//! | values and paths | JSON_EXTRACT, JSON_SET, ... | the functions of this module |
//!
//! What this module is not: SQL. It knows no NULL, no arguments and no character sets; text is UTF-8.
//!
//! Invariants:
//!
//! - Text and bytes that come from outside give a value nested at most [`NESTING_MAX`] deep, or an error; they never
//!   panic, and cost time and memory in proportion to their size.
//! - Functions may nest values deeper: who calls them asks [`Json::bounded`], as MySQL does before a value is shown
//!   or stored. All code here recurses; a value that has been asked is safe with any stack of 256 KiB.
//! - [`compare`] and [`write_sort_key`] agree.
//!
//! Answers of MySQL 9.7.4 are recorded in `tests/data/json_*.tsv`.

mod binary;
mod compare;
mod func;
mod number_key;
mod object;
mod opaque;
mod parse;
mod path;
mod pretty;
mod print;
mod sort_key;
mod value;

pub use binary::{EncodeError, InvalidBinary, decode, decode_at, encode, encoded_size, write_binary_text};
pub use compare::compare;
pub use func::{
    Matches, Quantity, array_append, array_insert, contains, contains_path, depth, extract, insert, keys,
    length, merge_patch, merge_preserve, overlaps, quote, quoted_size, remove, replace, search, set,
    type_name, unquote, unquote_text,
};
pub use object::Object;
pub use opaque::Opaque;
pub use parse::ParseError;
pub use path::{ArrayIndex, Leg, Path, PathError};
pub use pretty::pretty;
pub use print::write_string;
pub use sort_key::write_sort_key;
pub use value::{Json, NESTING_MAX};

use crate::error::SqlError;
use crate::error::table::ER_JSON_DOCUMENT_TOO_DEEP;

/// More than [`NESTING_MAX`] arrays and objects within one another: error 3157.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooDeep;

/// A result of more bytes than the caller wants: NULL with warning 1301.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooLarge;

impl From<TooDeep> for SqlError {
    fn from(TooDeep: TooDeep) -> Self {
        ER_JSON_DOCUMENT_TOO_DEEP.error(&[])
    }
}
