//! PREPARE, EXECUTE, DEALLOCATE PREPARE.

use types::error::SqlError;

use super::Statement;
use super::cursor::Cursor;
use super::into::variable;
use crate::lex::Kind;

/// PREPARE.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prepare {
    /// How it is called.
    pub name: String,
    /// What it is.
    pub source: PrepareSource,
}

/// Where the text of a prepared statement is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PrepareSource {
    /// Here.
    Text(Vec<u8>),
    /// In a user variable.
    Variable(String),
}

/// EXECUTE.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Execute {
    /// Which.
    pub name: String,
    /// User variables that hold its parameters.
    pub using: Vec<String>,
}

type Result<T> = std::result::Result<T, SqlError>;

/// Behind PREPARE.
pub(super) fn prepare(cursor: &mut Cursor<'_>) -> Result<Statement> {
    let name = cursor.name()?;
    cursor.expect("FROM")?;
    let source = match cursor.kind(0) {
        Some(Kind::Variable) => PrepareSource::Variable(variable(cursor)?),
        _ => PrepareSource::Text(cursor.text_bytes()?),
    };
    cursor.expect_end()?;
    Ok(Statement::Prepare(Prepare { name, source }))
}

/// Behind EXECUTE.
pub(super) fn execute(cursor: &mut Cursor<'_>) -> Result<Statement> {
    let name = cursor.name()?;
    let using = if cursor.accept("USING") { cursor.list(variable)? } else { Vec::new() };
    cursor.expect_end()?;
    Ok(Statement::Execute(Execute { name, using }))
}

/// Behind DEALLOCATE or DROP, at PREPARE.
pub(super) fn deallocate(cursor: &mut Cursor<'_>) -> Result<Statement> {
    cursor.expect("PREPARE")?;
    let name = cursor.name()?;
    cursor.expect_end()?;
    Ok(Statement::Deallocate(name))
}
