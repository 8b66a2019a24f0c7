//! LOAD DATA.

use sqlparser::ast::{Assignment, Expr, Value, ValueWithSpan};
use types::error::SqlError;

use super::Statement;
use super::cursor::Cursor;
use super::error::unsupported;
use super::into::variable;
use super::name::{TableName, table};
use super::{query, tokens::unhex};
use crate::lex::Kind;
use crate::load::Separators;

/// LOAD DATA.
#[derive(Clone, Debug)]
pub struct LoadData {
    /// LOCAL: the client has the file.
    pub local: bool,
    /// The file.
    pub file: String,
    /// What happens to a row whose key is there already.
    pub on_duplicate: LoadDuplicate,
    /// INTO TABLE.
    pub table: TableName,
    /// CHARACTER SET.
    pub charset: Option<String>,
    /// FIELDS and LINES.
    pub separators: Separators,
    /// IGNORE n LINES.
    pub skip: u64,
    /// Where fields go; empty for all columns.
    pub fields: Vec<LoadField>,
    /// SET.
    pub assignments: Vec<Assignment>,
}

/// What happens to a row of a file whose key is there already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoadDuplicate {
    /// It is an error, unless the client has the file.
    Error,
    /// The row of the file is passed over.
    Ignore,
    /// It takes the other one's place.
    Replace,
}

/// Where a field goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LoadField {
    /// Into a column, by the parts of its name.
    Column(Vec<String>),
    /// Into a user variable: its name, in lower case.
    Variable(String),
}

type Result<T> = std::result::Result<T, SqlError>;

/// Behind LOAD.
pub(super) fn parse(cursor: &mut Cursor<'_>) -> Result<Statement> {
    for (word, what) in [("XML", "LOAD XML"), ("INDEX", "LOAD INDEX INTO CACHE")] {
        if cursor.is(word) {
            return Err(unsupported(what));
        }
    }
    cursor.expect("DATA")?;
    cursor.accept_any(&["LOW_PRIORITY", "CONCURRENT"]);
    let local = cursor.accept("LOCAL");
    cursor.expect("INFILE")?;
    let file = cursor.text()?;
    let on_duplicate = match cursor.accept_any(&["REPLACE", "IGNORE"]) {
        Some("REPLACE") => LoadDuplicate::Replace,
        Some(_) => LoadDuplicate::Ignore,
        None => LoadDuplicate::Error,
    };
    cursor.expect("INTO TABLE")?;
    let table = table(cursor)?;
    if cursor.is("PARTITION") {
        return Err(unsupported("PARTITION"));
    }
    let (charset, separators) = file_format(cursor)?;
    let skip = if cursor.accept("IGNORE") {
        let skip = cursor.number()?;
        cursor.expect_any(&["LINES", "ROWS"])?;
        skip
    } else {
        0
    };
    let fields = fields(cursor)?;
    let assignments = if cursor.accept("SET") { query::assignments(cursor)? } else { Vec::new() };
    cursor.expect_end()?;
    Ok(Statement::Load(Box::new(LoadData {
        local,
        file,
        on_duplicate,
        table,
        charset,
        separators,
        skip,
        fields,
        assignments,
    })))
}

/// CHARACTER SET, FIELDS and LINES, if they come next.
pub(super) fn file_format(cursor: &mut Cursor<'_>) -> Result<(Option<String>, Separators)> {
    let charset = match cursor.accept_any(&["CHARACTER SET", "CHARSET"]) {
        None => None,
        Some(_) if cursor.accept("BINARY") => Some("binary".to_owned()),
        Some(_) => Some(cursor.name_or_text()?),
    };
    let mut separators = Separators::default();
    if cursor.accept_any(&["FIELDS", "COLUMNS"]).is_some() {
        fields_by(cursor, &mut separators)?;
    }
    if cursor.accept("LINES") {
        lines_by(cursor, &mut separators)?;
    }
    Ok((charset, separators))
}

/// Behind FIELDS: at least one part, in any order.
fn fields_by(cursor: &mut Cursor<'_>, separators: &mut Separators) -> Result<()> {
    let mut any = false;
    loop {
        let part = if cursor.accept("TERMINATED BY") {
            &mut separators.separator
        } else if let Some(how) = cursor.accept_any(&["ENCLOSED BY", "OPTIONALLY ENCLOSED BY"]) {
            separators.quotes_texts = how.starts_with("OPTIONALLY");
            &mut separators.quote
        } else if cursor.accept("ESCAPED BY") {
            &mut separators.escape
        } else {
            return if any { Ok(()) } else { Err(cursor.error()) };
        };
        *part = Some(separator(cursor)?);
        any = true;
    }
}

/// Behind LINES, likewise.
fn lines_by(cursor: &mut Cursor<'_>, separators: &mut Separators) -> Result<()> {
    let mut any = false;
    loop {
        let part = if cursor.accept("TERMINATED BY") {
            &mut separators.terminator
        } else if cursor.accept("STARTING BY") {
            &mut separators.prefix
        } else {
            return if any { Ok(()) } else { Err(cursor.error()) };
        };
        *part = Some(separator(cursor)?);
        any = true;
    }
}

/// A text, or a hexadecimal or bit literal.
fn separator(cursor: &mut Cursor<'_>) -> Result<Vec<u8>> {
    if cursor.kind(0) != Some(Kind::Special) {
        return cursor.text_bytes();
    }
    let place = cursor.position();
    let bytes = match &*query::expr(cursor)? {
        Expr::Value(ValueWithSpan { value: Value::HexStringLiteral(digits), .. }) => unhex(digits),
        _ => None,
    };
    bytes.ok_or_else(|| cursor.error_at(place))
}

/// `(column, @variable, ..)`
fn fields(cursor: &mut Cursor<'_>) -> Result<Vec<LoadField>> {
    if !cursor.accept("(") || cursor.accept(")") {
        return Ok(Vec::new());
    }
    let fields = cursor.list(|cursor| {
        if cursor.kind(0) == Some(Kind::Variable) {
            return variable(cursor).map(LoadField::Variable);
        }
        let mut parts = vec![cursor.name()?];
        while cursor.accept(".") {
            parts.push(cursor.name_behind_period()?);
        }
        Ok(LoadField::Column(parts))
    })?;
    cursor.expect(")")?;
    Ok(fields)
}
