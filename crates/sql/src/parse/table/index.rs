//! CREATE INDEX and DROP INDEX, which are ALTER TABLE by other names.

use types::error::SqlError;

use super::alter::{self, AlterAction, AlterTable};
use super::key::{self, KeyKind};
use crate::parse::Statement;
use crate::parse::cursor::Cursor;
use crate::parse::name;

type Result<T> = std::result::Result<T, SqlError>;

/// Behind CREATE, at UNIQUE, FULLTEXT, SPATIAL or INDEX.
pub(in crate::parse) fn create(cursor: &mut Cursor<'_>) -> Result<Statement> {
    key::missing(cursor)?;
    let kind = if cursor.accept("UNIQUE") { KeyKind::Unique } else { KeyKind::Plain };
    cursor.expect("INDEX")?;
    let name = cursor.name()?;
    let hash = key::algorithm(cursor)?.unwrap_or(false);
    cursor.expect("ON")?;
    let table = name::table(cursor)?;
    let mut key = key::definition(cursor, kind, Some(name))?;
    key.hash |= hash;
    let mut alter = AlterTable::new(table, true);
    alter.actions.push(AlterAction::AddKey(key));
    finish(cursor, alter)
}

/// Behind DROP INDEX.
pub(in crate::parse) fn drop(cursor: &mut Cursor<'_>) -> Result<Statement> {
    // PRIMARY is reserved, but `PRIMARY` in quotes is the primary key's name.
    let name = cursor.name()?;
    cursor.expect("ON")?;
    let table = name::table(cursor)?;
    let mut alter = AlterTable::new(table, true);
    alter.actions.push(alter::drop_key(name));
    finish(cursor, alter)
}

fn finish(cursor: &mut Cursor<'_>, mut alter: AlterTable) -> Result<Statement> {
    while alter::algorithm_or_lock(cursor, &mut alter)? {}
    cursor.expect_end()?;
    Ok(Statement::AlterTable(Box::new(alter)))
}
