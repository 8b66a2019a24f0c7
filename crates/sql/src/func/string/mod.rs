//! Functions of text.
//!
//! A result has the collation that its arguments have in common; if that is `binary`, it is a binary string and
//! positions count bytes. Results beyond `max_allowed_packet` are NULL with warning 1301.

mod case;
mod charset;
mod codec;
mod concat;
mod digest;
mod hex;
mod length;
mod pad;
mod part;
mod regexp;
mod search;
mod set;
mod soundex;
mod trim;

use types::error::SqlError;

use super::{Function, Typed};
use crate::expr::ResultType;

pub(super) const FAMILY: &[&[Function]] = &[
    codec::FUNCTIONS,
    case::FUNCTIONS,
    charset::FUNCTIONS,
    concat::FUNCTIONS,
    digest::FUNCTIONS,
    hex::FUNCTIONS,
    length::FUNCTIONS,
    pad::FUNCTIONS,
    part::FUNCTIONS,
    regexp::FUNCTIONS,
    search::FUNCTIONS,
    set::FUNCTIONS,
    soundex::FUNCTIONS,
    trim::FUNCTIONS,
];

/// The type of a function that gives its first argument's text, changed but not longer.
fn like_first(call: &Typed<'_>) -> Result<ResultType, SqlError> {
    let text = call.collation(&call.args[..1])?;
    Ok(ResultType::string(call.chars_in(0, text), text).or_null())
}
