//! LOCK TABLES, LOCK INSTANCE, and UNLOCK of both.

use types::error::SqlError;

use super::Statement;
use super::cursor::Cursor;
use super::name::{self, TableName};

/// A table to be locked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableLock {
    /// Which.
    pub table: TableName,
    /// How statements call it.
    pub alias: Option<String>,
    /// WRITE, not READ.
    pub write: bool,
}

type Result<T> = std::result::Result<T, SqlError>;

/// Behind LOCK.
pub(super) fn lock(cursor: &mut Cursor<'_>) -> Result<Statement> {
    if cursor.accept("INSTANCE") {
        cursor.expect("FOR BACKUP")?;
        cursor.expect_end()?;
        return Ok(Statement::LockInstance);
    }
    cursor.expect_any(&["TABLES", "TABLE"])?;
    let locks = cursor.list(|cursor| {
        let table = name::table(cursor)?;
        let explicit = cursor.accept("AS");
        let alias = if explicit || cursor.at_name() && !cursor.is("LOW_PRIORITY") {
            Some(cursor.name()?)
        } else {
            None
        };
        let low = cursor.accept("LOW_PRIORITY");
        let write = cursor.expect_any(if low { &["WRITE"] } else { &["READ", "WRITE"] })? == "WRITE";
        if !write {
            cursor.accept("LOCAL");
        }
        Ok(TableLock { table, alias, write })
    })?;
    cursor.expect_end()?;
    Ok(Statement::LockTables(locks))
}

/// Behind UNLOCK.
pub(super) fn unlock(cursor: &mut Cursor<'_>) -> Result<Statement> {
    let what = cursor.expect_any(&["INSTANCE", "TABLES", "TABLE"])?;
    cursor.expect_end()?;
    Ok(if what == "INSTANCE" { Statement::UnlockInstance } else { Statement::UnlockTables })
}
