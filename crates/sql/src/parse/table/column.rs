//! Columns as CREATE TABLE and ALTER TABLE define them.

use sqlparser::ast::Expr;
use types::error::SqlError;
use types::value::Value;

use super::check::{self, CheckSpec};
use super::data_type::{TypeSpec, charset_name, data_type};
use super::foreign::{self, References};
use crate::parse::cursor::Cursor;
use crate::parse::error::unsupported;
use crate::parse::{literal, name, query};

/// A column's definition.
#[derive(Clone, Debug)]
pub struct ColumnSpec {
    /// Its name.
    pub name: String,
    /// Its type.
    pub ty: TypeSpec,
    /// NOT NULL or NULL, if either was written; the last one counts.
    pub nullable: Option<bool>,
    /// DEFAULT.
    pub default: Option<DefaultSpec>,
    /// ON UPDATE CURRENT_TIMESTAMP, and its digits of fraction.
    pub on_update: Option<u64>,
    /// AUTO_INCREMENT.
    pub auto_increment: bool,
    /// [PRIMARY] KEY.
    pub primary: bool,
    /// UNIQUE.
    pub unique: bool,
    /// COMMENT.
    pub comment: Option<String>,
    /// COLLATE.
    pub collation: Option<String>,
    /// REFERENCES.
    pub references: Option<Box<References>>,
    /// CHECK, which may be there again and again.
    pub checks: Vec<CheckSpec>,
    /// GENERATED ALWAYS AS.
    pub generated: Option<Box<GeneratedSpec>>,
}

/// What a generated column holds.
#[derive(Clone, Debug)]
pub struct GeneratedSpec {
    /// The expression.
    pub expression: Expr,
    /// STORED, or MariaDB's name for it, PERSISTENT.
    pub stored: bool,
}

/// A default as it is written.
#[derive(Clone, Debug)]
pub enum DefaultSpec {
    /// NULL.
    Null,
    /// CURRENT_TIMESTAMP and its aliases, with digits of fraction.
    Now(u64),
    /// A literal.
    Literal(Value),
    /// An expression in parentheses.
    Expression(Box<Expr>),
    /// DATE '..' and the like, which MySQL reads and then refuses.
    Temporal,
}

type Result<T> = std::result::Result<T, SqlError>;

/// `name type attributes`
pub(super) fn column(cursor: &mut Cursor<'_>) -> Result<ColumnSpec> {
    let name = name::column_path(cursor)?;
    definition(cursor, name)
}

/// What stands behind a column's name.
pub(super) fn definition(cursor: &mut Cursor<'_>, name: String) -> Result<ColumnSpec> {
    let ty = data_type(cursor)?;
    let mut column = ColumnSpec {
        name,
        ty,
        nullable: None,
        default: None,
        on_update: None,
        auto_increment: false,
        primary: false,
        unique: false,
        comment: None,
        collation: None,
        references: None,
        checks: Vec::new(),
        generated: None,
    };
    if cursor.is("COLLATE") {
        attribute(cursor, &mut column)?;
    }
    column.generated = generated(cursor)?;
    while attribute(cursor, &mut column)? {}
    Ok(column)
}

/// `[GENERATED ALWAYS] AS (expression) [VIRTUAL | STORED]`
fn generated(cursor: &mut Cursor<'_>) -> Result<Option<Box<GeneratedSpec>>> {
    if cursor.accept("GENERATED") {
        cursor.expect("ALWAYS AS")?;
    } else if !cursor.accept("AS") {
        return Ok(None);
    }
    cursor.expect("(")?;
    let expression = *query::expr(cursor)?;
    cursor.expect(")")?;
    let stored =
        matches!(cursor.accept_any(&["VIRTUAL", "STORED", "PERSISTENT"]), Some("STORED" | "PERSISTENT"));
    Ok(Some(Box::new(GeneratedSpec { expression, stored })))
}

/// One attribute; false if none comes next.
fn attribute(cursor: &mut Cursor<'_>, column: &mut ColumnSpec) -> Result<bool> {
    if cursor.accept("NOT") {
        cursor.expect("NULL")?;
        column.nullable = Some(false);
    } else if cursor.accept("NULL") {
        column.nullable = Some(true);
    } else if cursor.accept("DEFAULT") {
        column.default = Some(default(cursor)?);
    } else if cursor.accept("ON") {
        cursor.expect("UPDATE")?;
        column.on_update = Some(now(cursor)?.ok_or_else(|| cursor.error())?);
    } else if cursor.accept("AUTO_INCREMENT") {
        column.auto_increment = true;
    } else if cursor.accept("SERIAL") {
        cursor.expect("DEFAULT VALUE")?;
        (column.auto_increment, column.unique, column.nullable) = (true, true, Some(false));
    } else if cursor.accept("UNIQUE") {
        cursor.accept("KEY");
        column.unique = true;
    } else if cursor.accept("PRIMARY") {
        cursor.expect("KEY")?;
        column.primary = true;
    } else if cursor.accept("KEY") {
        column.primary = true;
    } else if cursor.accept("COMMENT") {
        column.comment = Some(cursor.text()?);
    } else if cursor.accept("CONSTRAINT") {
        let name = if cursor.at_name() { Some(cursor.name()?) } else { None };
        cursor.expect("CHECK")?;
        column.checks.push(check::check(cursor, name)?);
    } else if cursor.accept("CHECK") {
        column.checks.push(check::check(cursor, None)?);
    } else if cursor.accept("REFERENCES") {
        column.references = Some(Box::new(foreign::references(cursor)?));
    } else if cursor.is("COLLATE") {
        if column.collation.is_some() {
            return Err(cursor.error_of("Multiple COLLATE clauses"));
        }
        cursor.advance();
        column.collation = Some(charset_name(cursor)?);
    } else {
        return ignored_or_missing(cursor);
    }
    Ok(true)
}

/// Attributes that change nothing here, and those that we do not have.
fn ignored_or_missing(cursor: &mut Cursor<'_>) -> Result<bool> {
    if cursor.accept("COLUMN_FORMAT") {
        cursor.expect_any(&["FIXED", "DYNAMIC", "DEFAULT"])?;
    } else if cursor.accept("STORAGE") {
        cursor.expect_any(&["DISK", "MEMORY", "DEFAULT"])?;
    } else if cursor.accept("VISIBLE") {
        // What every column is.
    } else if cursor.is("INVISIBLE") {
        return Err(unsupported("invisible columns"));
    } else if let Some(what) = cursor.accept_any(&["ENGINE_ATTRIBUTE", "SECONDARY_ENGINE_ATTRIBUTE"]) {
        return Err(unsupported(what));
    } else {
        return Ok(false);
    }
    Ok(true)
}

/// What stands behind DEFAULT.
pub(super) fn default(cursor: &mut Cursor<'_>) -> Result<DefaultSpec> {
    if let Some(digits) = now(cursor)? {
        return Ok(DefaultSpec::Now(digits));
    }
    literal_default(cursor)
}

/// What stands behind SET DEFAULT.
pub(super) fn literal_default(cursor: &mut Cursor<'_>) -> Result<DefaultSpec> {
    if cursor.accept("NULL") {
        return Ok(DefaultSpec::Null);
    }
    if cursor.accept("(") {
        let expression = query::expr(cursor)?;
        cursor.expect(")")?;
        return Ok(DefaultSpec::Expression(expression));
    }
    let typed = cursor.is("DATE") || cursor.is("TIME") || cursor.is("TIMESTAMP");
    match literal::literal(cursor)? {
        Some(_) if typed => Ok(DefaultSpec::Temporal),
        Some(value) => Ok(DefaultSpec::Literal(value)),
        None => Err(cursor.error()),
    }
}

/// CURRENT_TIMESTAMP[(n)] or an alias: its digits of fraction.
fn now(cursor: &mut Cursor<'_>) -> Result<Option<u64>> {
    // MariaDB's dumps write current_timestamp() in lower case; NOW needs its parentheses.
    let found = cursor.accept_any(&["CURRENT_TIMESTAMP", "LOCALTIME", "LOCALTIMESTAMP"]).is_some();
    if !found && !cursor.is_call("NOW") {
        return Ok(None);
    }
    if !found {
        cursor.accept("NOW");
    }
    if !cursor.accept("(") {
        return Ok(Some(0));
    }
    let digits = cursor.accept_number().unwrap_or(0);
    cursor.expect(")")?;
    Ok(Some(digits))
}
