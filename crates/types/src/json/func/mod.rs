//! Functions on values. Their names are MySQL's without `JSON_`; paths come parsed.
//!
//! Where MySQL refuses a path (one with wildcards, `$`, one to no array cell) the caller asks the [`Path`] first;
//! what such a path does here is said at each function. NULL is the caller's too.
//!
//! [`Path`]: super::Path

mod contains;
mod inspect;
mod merge;
mod modify;
mod quote;
mod search;

pub use contains::{contains, overlaps};
pub use inspect::{contains_path, depth, extract, keys, length, type_name};
pub use merge::{merge_patch, merge_preserve};
pub use modify::{array_append, array_insert, insert, remove, replace, set};
pub use quote::{quote, quoted_size, unquote, unquote_text};
pub use search::{Matches, search};

use crate::error::SqlError;
use crate::error::table::ER_JSON_BAD_ONE_OR_ALL_ARG;

/// The argument `'one'` or `'all'`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantity {
    /// `'one'`
    One,
    /// `'all'`
    All,
}

impl Quantity {
    /// Reads the argument, in any case; `function` is named in error 3154.
    pub fn parse(text: &str, function: &str) -> Result<Self, SqlError> {
        match text {
            _ if text.eq_ignore_ascii_case("one") => Ok(Self::One),
            _ if text.eq_ignore_ascii_case("all") => Ok(Self::All),
            _ => Err(ER_JSON_BAD_ONE_OR_ALL_ARG.error(&[&function])),
        }
    }
}
