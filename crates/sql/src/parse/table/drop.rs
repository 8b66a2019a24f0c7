//! DROP TABLE, TRUNCATE, RENAME TABLE.

use types::error::SqlError;

use crate::parse::Statement;
use crate::parse::cursor::Cursor;
use crate::parse::name::{self, TableName};

/// DROP TABLE.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DropTables {
    /// Which.
    pub tables: Vec<TableName>,
    /// IF EXISTS.
    pub if_exists: bool,
    /// TEMPORARY: others are not meant.
    pub temporary: bool,
}

type Result<T> = std::result::Result<T, SqlError>;

/// Behind DROP TABLE, or DROP TEMPORARY TABLE.
pub(in crate::parse) fn drop(cursor: &mut Cursor<'_>, temporary: bool) -> Result<Statement> {
    let if_exists = cursor.accept("IF");
    if if_exists {
        cursor.expect("EXISTS")?;
    }
    let tables = cursor.list(name::table)?;
    cursor.accept_any(&["RESTRICT", "CASCADE"]);
    cursor.expect_end()?;
    Ok(Statement::DropTables(DropTables { tables, if_exists, temporary }))
}

/// Behind TRUNCATE.
pub(in crate::parse) fn truncate(cursor: &mut Cursor<'_>) -> Result<Statement> {
    cursor.accept("TABLE");
    let table = name::table(cursor)?;
    cursor.expect_end()?;
    Ok(Statement::Truncate(table))
}

/// Behind RENAME.
pub(in crate::parse) fn rename(cursor: &mut Cursor<'_>) -> Result<Statement> {
    if cursor.is("USER") {
        return crate::parse::account::rename(cursor);
    }
    cursor.expect_any(&["TABLE", "TABLES"])?;
    let pairs = cursor.list(|cursor| {
        let from = name::table(cursor)?;
        cursor.expect("TO")?;
        Ok((from, name::table(cursor)?))
    })?;
    cursor.expect_end()?;
    Ok(Statement::RenameTables(pairs))
}
