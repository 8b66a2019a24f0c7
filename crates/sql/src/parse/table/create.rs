//! CREATE TABLE.

use types::error::SqlError;

use super::check::CheckSpec;
use super::column::{self, ColumnSpec};
use super::foreign::ForeignKeySpec;
use super::key::{self, Constraint, KeySpec};
use super::option::{self, TableOptions};
use crate::parse::Statement;
use crate::parse::cursor::Cursor;
use crate::parse::error::unsupported;
use crate::parse::name::{self, TableName};

/// CREATE TABLE with columns.
#[derive(Clone, Debug)]
pub struct CreateTable {
    /// Its name.
    pub table: TableName,
    /// IF NOT EXISTS.
    pub if_not_exists: bool,
    /// What stands in the parentheses.
    pub elements: Vec<TableElement>,
    /// What stands behind the parentheses.
    pub options: TableOptions,
}

/// A column or a constraint.
#[derive(Clone, Debug)]
pub enum TableElement {
    /// A column.
    Column(Box<ColumnSpec>),
    /// A key that is no column's attribute.
    Key(KeySpec),
    /// A foreign key that is no column's attribute.
    ForeignKey(Box<ForeignKeySpec>),
    /// A check that is no column's attribute.
    Check(CheckSpec),
}

/// CREATE TABLE .. LIKE.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CreateTableLike {
    /// Its name.
    pub table: TableName,
    /// IF NOT EXISTS.
    pub if_not_exists: bool,
    /// Whose definition is copied.
    pub like: TableName,
}

type Result<T> = std::result::Result<T, SqlError>;

/// Behind CREATE TABLE.
pub(in crate::parse) fn parse(cursor: &mut Cursor<'_>) -> Result<Statement> {
    let if_not_exists = cursor.accept("IF");
    if if_not_exists {
        cursor.expect("NOT EXISTS")?;
    }
    let table = name::table(cursor)?;
    let parenthesis = cursor.is("( LIKE");
    if parenthesis {
        cursor.accept("(");
    }
    if cursor.accept("LIKE") {
        let like = name::table(cursor)?;
        if parenthesis {
            cursor.expect(")")?;
        }
        cursor.expect_end()?;
        return Ok(Statement::CreateTableLike(CreateTableLike { table, if_not_exists, like }));
    }
    let mut create =
        CreateTable { table, if_not_exists, elements: Vec::new(), options: TableOptions::default() };
    refuse_query(cursor)?;
    if cursor.accept("(") {
        create.elements = cursor.list(element)?;
        cursor.expect(")")?;
    }
    create.options = option::options(cursor)?;
    if cursor.is("PARTITION BY") {
        return Err(unsupported("PARTITION BY"));
    }
    refuse_query(cursor)?;
    cursor.expect_end()?;
    Ok(Statement::CreateTable(Box::new(create)))
}

fn element(cursor: &mut Cursor<'_>) -> Result<TableElement> {
    Ok(match key::constraint(cursor)? {
        Some(Constraint::Key(key)) => TableElement::Key(key),
        Some(Constraint::ForeignKey(key)) => TableElement::ForeignKey(key),
        Some(Constraint::Check(check)) => TableElement::Check(check),
        None => TableElement::Column(Box::new(column::column(cursor)?)),
    })
}

fn refuse_query(cursor: &Cursor<'_>) -> Result<()> {
    const BEGINNINGS: [&str; 9] =
        ["AS", "SELECT", "( SELECT", "( WITH", "( (", "WITH", "IGNORE", "REPLACE", "VALUES ROW"];
    if BEGINNINGS.iter().any(|words| cursor.is(words)) {
        return Err(unsupported("CREATE TABLE ... SELECT"));
    }
    Ok(())
}
