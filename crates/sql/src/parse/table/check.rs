//! CHECK constraints as CREATE TABLE and ALTER TABLE define them.

use sqlparser::ast::Expr;
use types::error::SqlError;

use crate::parse::cursor::Cursor;
use crate::parse::query;

/// A constraint's definition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckSpec {
    /// Its name.
    pub name: Option<String>,
    /// What no row may make false.
    pub expression: Box<Expr>,
    /// Not with NOT ENFORCED.
    pub enforced: bool,
}

type Result<T> = std::result::Result<T, SqlError>;

/// Behind CHECK.
pub(super) fn check(cursor: &mut Cursor<'_>, name: Option<String>) -> Result<CheckSpec> {
    cursor.expect("(")?;
    let expression = query::expr(cursor)?;
    cursor.expect(")")?;
    Ok(CheckSpec { name, expression, enforced: enforced(cursor).unwrap_or(true) })
}

/// `[NOT] ENFORCED`, if it comes next.
pub(super) fn enforced(cursor: &mut Cursor<'_>) -> Option<bool> {
    Some(cursor.accept_any(&["ENFORCED", "NOT ENFORCED"])? == "ENFORCED")
}
