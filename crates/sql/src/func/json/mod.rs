//! Functions of JSON: what `types::json` computes, of SQL's arguments.
//!
//! A document is a JSON value, or text that is read; anything else is error 3146. What is put into a document keeps its
//! type: text is a string, whatever it says, and a condition or one of the literals TRUE and FALSE is `true` or `false`
//! (see [`Expr::is_condition`]). Most functions of NULL are NULL. Arguments are looked at from left to right, and the
//! first that is NULL or wrong decides.
//!
//! [`Expr::is_condition`]: crate::expr::Expr::is_condition

mod args;
mod build;
mod change;
mod inspect;
mod merge;
mod path;
mod search;
mod text;
mod value;

use types::value::JSON_COLLATION;

pub(crate) use args::{cast, member_name, member_value};

use super::Function;
use crate::expr::typing::{Strength, TextType};

pub(super) const FAMILY: &[&[Function]] = &[
    build::FUNCTIONS,
    change::FUNCTIONS,
    inspect::FUNCTIONS,
    merge::FUNCTIONS,
    path::FUNCTIONS,
    search::FUNCTIONS,
    text::FUNCTIONS,
    value::FUNCTIONS,
];

/// The type of text that a function of JSON gives.
const TEXT: TextType = TextType { collation: JSON_COLLATION, strength: Strength::Coercible, ascii: false };
