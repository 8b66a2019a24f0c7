//! PREPARE, EXECUTE, DEALLOCATE PREPARE.

use types::error::SqlError;

use super::Statement;
use super::cursor::Cursor;
use super::set::user_variable;
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

fn variable(cursor: &mut Cursor<'_>) -> Result<String> {
    let token = cursor.peek().filter(|token| token.kind == Kind::Variable);
    let name = token.map(|token| cursor.text_of(token)).and_then(|text| text.strip_prefix(b"@"));
    let name =
        name.filter(|name| !name.is_empty() && !name.starts_with(b"@")).ok_or_else(|| cursor.error())?;
    cursor.advance();
    user_variable(name)
}
