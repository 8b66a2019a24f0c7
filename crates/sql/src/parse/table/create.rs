//! CREATE TABLE.

use sqlparser::ast::Query;
use types::error::SqlError;

use super::check::CheckSpec;
use super::column::{self, ColumnSpec};
use super::foreign::ForeignKeySpec;
use super::key::{self, Constraint, KeySpec};
use super::option::{self, TableOptions};
use crate::parse::Statement;
use crate::parse::cursor::Cursor;
use crate::parse::error::unsupported;
use crate::parse::mode::Mode;
use crate::parse::name::{self, TableName};
use crate::parse::query;

/// CREATE TABLE with columns.
#[derive(Clone, Debug)]
pub struct CreateTable {
    /// Its name.
    pub table: TableName,
    /// IF NOT EXISTS.
    pub if_not_exists: bool,
    /// TEMPORARY.
    pub temporary: bool,
    /// What stands in the parentheses.
    pub elements: Vec<TableElement>,
    /// What stands behind the parentheses.
    pub options: TableOptions,
    /// What its first rows, and columns that are not in the parentheses, come from.
    pub query: Option<CreateQuery>,
    /// START TRANSACTION: in binlogs, of a table whose first rows follow in the same transaction.
    pub start_transaction: bool,
}

impl CreateTable {
    /// Error 1235 for START TRANSACTION, which only a source's binlog may say.
    pub fn refuse_start_transaction(&self) -> Result<()> {
        if self.start_transaction { Err(unsupported("START TRANSACTION")) } else { Ok(()) }
    }

    /// Error 3978 for a foreign key of a table that comes with its first rows.
    pub fn refuse_foreign_keys(&self) -> Result<()> {
        let has_key = |element: &TableElement| match element {
            TableElement::ForeignKey(_) => true,
            TableElement::Column(column) => column.references.is_some(),
            TableElement::Key(_) | TableElement::Check(_) => false,
        };
        if !self.elements.iter().any(has_key) {
            return Ok(());
        }
        // ER_FOREIGN_KEY_WITH_ATOMIC_CREATE_SELECT
        let message = "Foreign key creation is not allowed with CREATE TABLE as SELECT and CREATE TABLE with START \
                       TRANSACTION statement.";
        Err(SqlError { code: 3978, sqlstate: *b"HY000", message: message.to_owned() })
    }
}

/// CREATE TABLE .. SELECT.
#[derive(Clone, Debug)]
pub struct CreateQuery {
    /// The query.
    pub query: Box<Query>,
    /// What becomes of rows with keys that are there already.
    pub duplicates: Duplicates,
}

/// What becomes of a row with a key that is there already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Duplicates {
    /// It is an error.
    Refuse,
    /// IGNORE: it is passed over.
    Ignore,
    /// REPLACE: it takes the other's place.
    Replace,
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
    /// TEMPORARY.
    pub temporary: bool,
    /// Whose definition is copied.
    pub like: TableName,
}

/// MariaDB's CREATE OR REPLACE TABLE, which only its binlogs may say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReplacedTable {
    /// What is dropped if it is there.
    pub table: TableName,
    /// CREATE TABLE and what follows it.
    pub create: Vec<u8>,
}

type Result<T> = std::result::Result<T, SqlError>;

impl ReplacedTable {
    /// Reads the statement, if it is one. Error 1064 for one without a name, or a text that ends within a quotation.
    pub fn read(sql: &[u8], mode: impl Into<Mode>) -> Result<Option<Self>> {
        let mut cursor = Cursor::new(sql, mode.into())?;
        if !cursor.accept("CREATE OR REPLACE TABLE") {
            return Ok(None);
        }
        let (create, table) = (cursor.tokens()[0].end, cursor.tokens()[3].start);
        let create = [&sql[..create], b" ", &sql[table..]].concat();
        Ok(Some(Self { table: name::table(&mut cursor)?, create }))
    }
}

/// Behind CREATE TABLE, or CREATE TEMPORARY TABLE.
pub(in crate::parse) fn parse(cursor: &mut Cursor<'_>, temporary: bool) -> Result<Statement> {
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
        return Ok(Statement::CreateTableLike(CreateTableLike { table, if_not_exists, temporary, like }));
    }
    let mut create = CreateTable {
        table,
        if_not_exists,
        temporary,
        elements: Vec::new(),
        options: TableOptions::default(),
        query: None,
        start_transaction: false,
    };
    if !is_query(cursor) {
        if cursor.accept("(") {
            create.elements = cursor.list(element)?;
            cursor.expect(")")?;
        }
        create.options = option::options(cursor)?;
        if cursor.is("PARTITION BY") {
            return Err(unsupported("PARTITION BY"));
        }
        create.start_transaction = cursor.accept("START TRANSACTION");
    }
    if is_query(cursor) {
        create.query = Some(create_query(cursor)?);
    }
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

/// Whether the query of CREATE TABLE .. SELECT begins here.
fn is_query(cursor: &Cursor<'_>) -> bool {
    const BEGINNINGS: [&str; 11] = [
        "AS",
        "SELECT",
        "( SELECT",
        "( WITH",
        "( VALUES ROW",
        "( (",
        "WITH",
        "IGNORE",
        "REPLACE",
        "VALUES ROW",
        "TABLE",
    ];
    BEGINNINGS.iter().any(|words| cursor.is(words))
}

/// `[IGNORE | REPLACE] [AS] query`
fn create_query(cursor: &mut Cursor<'_>) -> Result<CreateQuery> {
    let duplicates = match cursor.accept_any(&["IGNORE", "REPLACE"]) {
        None => Duplicates::Refuse,
        Some("IGNORE") => Duplicates::Ignore,
        Some(_) => Duplicates::Replace,
    };
    cursor.accept("AS");
    Ok(CreateQuery { query: query::query(cursor)?, duplicates })
}
