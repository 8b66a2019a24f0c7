//! SQL: from a statement's text to rows and changes.
//!
//! ```text
//! text -> lex (split, verb, normalise) -> plan cache -> parse (sqlparser) -> bind -> plan -> exec over engine
//! ```
//! Statements are planned once and found again by their normalised text, prepared and plain text alike.

pub mod agg;
pub mod bind;
pub mod ddl;
pub mod exec;
pub mod expr;
pub mod func;
pub mod lex;
pub mod load;
pub mod params;
pub mod parse;
pub mod plan;
pub mod session;
pub mod temporary;
pub mod virtual_table;
