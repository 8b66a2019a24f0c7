//! Names of databases, tables and columns.

use std::fmt::{self, Display};

use types::error::SqlError;
use types::error::table::{ER_WRONG_COLUMN_NAME, ER_WRONG_DB_NAME, ER_WRONG_TABLE_NAME};

use super::cursor::Cursor;

/// A table's name, with its database if that was given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableName {
    /// The database.
    pub db: Option<String>,
    /// The table.
    pub name: String,
}

/// As MySQL quotes it.
impl Display for TableName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(db) = &self.db {
            write!(f, "{}.", Quoted(db))?;
        }
        Quoted(&self.name).fmt(f)
    }
}

/// A name in backticks.
#[derive(Clone, Copy, Debug)]
pub struct Quoted<'a>(pub &'a str);

impl Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`", self.0.replace('`', "``"))
    }
}

/// `t` or `db.t`. Errors 1102, 1103.
pub(super) fn table(cursor: &mut Cursor<'_>) -> Result<TableName, SqlError> {
    let first = cursor.name()?;
    if cursor.accept(".") {
        let name = checked(cursor.name_behind_period()?)?;
        return Ok(TableName { db: Some(checked_db(first)?), name });
    }
    Ok(TableName { db: None, name: checked(first)? })
}

/// A database. Error 1102.
pub(super) fn database(cursor: &mut Cursor<'_>) -> Result<String, SqlError> {
    checked_db(cursor.name()?)
}

/// A column of a definition. Error 1166.
pub(super) fn column(cursor: &mut Cursor<'_>) -> Result<String, SqlError> {
    let name = cursor.name()?;
    if is_wrong(&name) { Err(ER_WRONG_COLUMN_NAME.error(&[&name])) } else { Ok(name) }
}

/// A column of a definition, which may be written `t.c` or `db.t.c`.
pub(super) fn column_path(cursor: &mut Cursor<'_>) -> Result<String, SqlError> {
    let mut name = column(cursor)?;
    while cursor.accept(".") {
        name = cursor.name_behind_period()?;
    }
    Ok(name)
}

fn checked(name: String) -> Result<String, SqlError> {
    if is_wrong(&name) { Err(ER_WRONG_TABLE_NAME.error(&[&name])) } else { Ok(name) }
}

fn checked_db(name: String) -> Result<String, SqlError> {
    if is_wrong(&name) { Err(ER_WRONG_DB_NAME.error(&[&name])) } else { Ok(name) }
}

fn is_wrong(name: &str) -> bool {
    name.is_empty() || name.ends_with(' ')
}
