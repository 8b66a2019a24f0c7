//! CREATE, ALTER and DROP DATABASE, USE.

use types::error::SqlError;

use super::Statement;
use super::cursor::Cursor;
use super::name;
use super::table::DatabaseOptions;
use super::table::option::{database_options, optional_database};

/// CREATE DATABASE.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CreateDatabase {
    /// Its name.
    pub name: String,
    /// IF NOT EXISTS.
    pub if_not_exists: bool,
    /// Its character set.
    pub options: DatabaseOptions,
}

/// ALTER DATABASE.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AlterDatabase {
    /// Which; `None` = the current one.
    pub name: Option<String>,
    /// Its character set.
    pub options: DatabaseOptions,
}

/// DROP DATABASE.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DropDatabase {
    /// Which.
    pub name: String,
    /// IF EXISTS.
    pub if_exists: bool,
}

type Result<T> = std::result::Result<T, SqlError>;

/// Behind CREATE DATABASE.
pub(super) fn create(cursor: &mut Cursor<'_>) -> Result<Statement> {
    let if_not_exists = cursor.accept("IF");
    if if_not_exists {
        cursor.expect("NOT EXISTS")?;
    }
    let name = name::database(cursor)?;
    let options = database_options(cursor)?;
    cursor.expect_end()?;
    Ok(Statement::CreateDatabase(CreateDatabase { name, if_not_exists, options }))
}

/// Behind ALTER DATABASE.
pub(super) fn alter(cursor: &mut Cursor<'_>) -> Result<Statement> {
    // CHARSET and ENCRYPTION could be names, but what follows tells.
    let start = cursor.position();
    let options = database_options(cursor)?;
    if options.any && cursor.at_end() {
        return Ok(Statement::AlterDatabase(AlterDatabase { name: None, options }));
    }
    cursor.set_position(start);
    let name = optional_database(cursor)?;
    let options = database_options(cursor)?;
    cursor.expect_end()?;
    // There has to be an option.
    if !options.any {
        return Err(cursor.error());
    }
    Ok(Statement::AlterDatabase(AlterDatabase { name, options }))
}

/// Behind DROP DATABASE.
pub(super) fn drop(cursor: &mut Cursor<'_>) -> Result<Statement> {
    let if_exists = cursor.accept("IF");
    if if_exists {
        cursor.expect("EXISTS")?;
    }
    let name = name::database(cursor)?;
    cursor.expect_end()?;
    Ok(Statement::DropDatabase(DropDatabase { name, if_exists }))
}

/// Behind USE.
pub(super) fn use_database(cursor: &mut Cursor<'_>) -> Result<Statement> {
    let name = name::database(cursor)?;
    cursor.expect_end()?;
    Ok(Statement::Use(name))
}
