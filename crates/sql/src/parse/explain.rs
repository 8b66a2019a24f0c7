//! EXPLAIN of a statement.

use types::error::SqlError;

use super::Statement;
use super::cursor::Cursor;
use super::error::unsupported;
use super::show;

/// EXPLAIN.
#[derive(Clone, Debug)]
pub struct Explain {
    /// ANALYZE: the statement is executed too.
    pub analyze: bool,
    /// FORMAT, in upper case.
    pub format: Option<String>,
    /// What is explained.
    pub statement: Box<Statement>,
}

type Result<T> = std::result::Result<T, SqlError>;

/// Behind EXPLAIN, DESCRIBE or DESC.
pub(super) fn parse(cursor: &mut Cursor<'_>) -> Result<Statement> {
    let start = cursor.position();
    let analyze = cursor.accept("ANALYZE");
    cursor.accept_any(&["EXTENDED", "PARTITIONS"]);
    let mut format = None;
    if cursor.accept("FORMAT =") {
        format = Some(cursor.name_or_text()?.to_ascii_uppercase());
    }
    if cursor.is("INTO @")
        || cursor.is("FOR CONNECTION")
        || cursor.is("FOR SCHEMA")
        || cursor.is("FOR DATABASE")
    {
        return Err(unsupported("EXPLAIN ... FOR"));
    }
    if BEGINNINGS.iter().any(|words| cursor.is(words)) {
        let statement = Box::new(super::statement(cursor)?);
        return Ok(Statement::Explain(Explain { analyze, format, statement }));
    }
    if cursor.position() > start && !cursor.at_name() {
        return Err(cursor.error());
    }
    // EXTENDED, PARTITIONS and FORMAT are no reserved words: they may be tables.
    cursor.set_position(start);
    show::describe(cursor)
}

/// What can be explained begins with these.
const BEGINNINGS: [&str; 9] =
    ["SELECT", "(", "WITH", "VALUES", "TABLE", "INSERT", "REPLACE", "UPDATE", "DELETE"];
