//! Keys as CREATE TABLE, ALTER TABLE and CREATE INDEX define them.

use types::error::SqlError;

use super::check::{self, CheckSpec};
use super::foreign::{self, ForeignKeySpec};
use crate::parse::cursor::Cursor;
use crate::parse::error::unsupported;
use crate::parse::name;

/// A key's definition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeySpec {
    /// What it guarantees.
    pub kind: KeyKind,
    /// Its name, or that of its constraint.
    pub name: Option<String>,
    /// Its columns.
    pub parts: Vec<KeyPartSpec>,
    /// COMMENT.
    pub comment: Option<String>,
    /// USING HASH.
    pub hash: bool,
}

/// What a key guarantees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyKind {
    /// PRIMARY KEY.
    Primary,
    /// UNIQUE.
    Unique,
    /// KEY.
    Plain,
}

/// A column of a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyPartSpec {
    /// The column's name.
    pub column: String,
    /// `(n)`
    pub prefix: Option<u64>,
    /// DESC.
    pub descending: bool,
}

type Result<T> = std::result::Result<T, SqlError>;

/// What may stand among a table's columns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Constraint {
    Key(KeySpec),
    ForeignKey(Box<ForeignKeySpec>),
    Check(CheckSpec),
}

/// A key or constraint of a table, if one comes next. Error 1235 for those that we do not have.
pub(super) fn constraint(cursor: &mut Cursor<'_>) -> Result<Option<Constraint>> {
    let constraint = cursor.accept("CONSTRAINT");
    let constraint_name = if constraint && cursor.at_name() { Some(cursor.name()?) } else { None };
    if cursor.accept("FOREIGN") {
        cursor.expect("KEY")?;
        let key = foreign::foreign_key(cursor, constraint_name)?;
        return Ok(Some(Constraint::ForeignKey(Box::new(key))));
    }
    if cursor.accept("CHECK") {
        return Ok(Some(Constraint::Check(check::check(cursor, constraint_name)?)));
    }
    let kind = if cursor.accept("PRIMARY") {
        cursor.expect("KEY")?;
        KeyKind::Primary
    } else if cursor.accept("UNIQUE") {
        cursor.accept_any(&["KEY", "INDEX"]);
        KeyKind::Unique
    } else if constraint {
        return Err(cursor.error());
    } else if cursor.accept_any(&["KEY", "INDEX"]).is_some() {
        KeyKind::Plain
    } else {
        return missing(cursor).map(|()| None);
    };
    let own_name = if cursor.at_name() && !cursor.is("USING") { Some(cursor.name()?) } else { None };
    let name = own_name.or(constraint_name).filter(|_| kind != KeyKind::Primary);
    Ok(Some(Constraint::Key(definition(cursor, kind, name)?)))
}

/// FULLTEXT and SPATIAL keys are error 1235.
pub(super) fn missing(cursor: &mut Cursor<'_>) -> Result<()> {
    match cursor.accept_any(&["FULLTEXT", "SPATIAL"]) {
        Some(what) => Err(unsupported(&format!("{what} indexes"))),
        None => Ok(()),
    }
}

/// `[USING x] (parts) options`
pub(super) fn definition(cursor: &mut Cursor<'_>, kind: KeyKind, name: Option<String>) -> Result<KeySpec> {
    let hash = algorithm(cursor)?.unwrap_or(false);
    let parts = parts(cursor)?;
    let mut key = KeySpec { kind, name, parts, comment: None, hash };
    while option(cursor, &mut key)? {}
    Ok(key)
}

/// USING: whether HASH was written, which means BTREE too; `None` if USING does not come next.
pub(super) fn algorithm(cursor: &mut Cursor<'_>) -> Result<Option<bool>> {
    if cursor.accept_any(&["USING", "TYPE"]).is_none() {
        return Ok(None);
    }
    if cursor.is("RTREE") {
        return Err(unsupported("RTREE indexes"));
    }
    Ok(Some(cursor.expect_any(&["BTREE", "HASH"])? == "HASH"))
}

/// The columns in parentheses.
pub(super) fn parts(cursor: &mut Cursor<'_>) -> Result<Vec<KeyPartSpec>> {
    cursor.expect("(")?;
    let parts = cursor.list(part)?;
    cursor.expect(")")?;
    Ok(parts)
}

fn part(cursor: &mut Cursor<'_>) -> Result<KeyPartSpec> {
    if cursor.is("(") {
        return Err(unsupported("indexes on expressions"));
    }
    let column = name::column(cursor)?;
    let prefix = if cursor.accept("(") {
        let prefix = cursor.number()?;
        cursor.expect(")")?;
        Some(prefix)
    } else {
        None
    };
    let descending = cursor.accept_any(&["ASC", "DESC"]) == Some("DESC");
    Ok(KeyPartSpec { column, prefix, descending })
}

/// One option; false if none comes next.
fn option(cursor: &mut Cursor<'_>, key: &mut KeySpec) -> Result<bool> {
    if let Some(hash) = algorithm(cursor)? {
        key.hash = hash;
    } else if cursor.accept("COMMENT") {
        key.comment = Some(cursor.text()?);
    } else if cursor.accept("KEY_BLOCK_SIZE") {
        cursor.accept("=");
        cursor.number()?;
    } else if cursor.accept("VISIBLE") {
        // What every index is.
    } else if cursor.is("INVISIBLE") {
        return Err(unsupported("invisible indexes"));
    } else if let Some(what) =
        cursor.accept_any(&["ENGINE_ATTRIBUTE", "SECONDARY_ENGINE_ATTRIBUTE", "WITH PARSER"])
    {
        return Err(unsupported(what));
    } else {
        return Ok(false);
    }
    Ok(true)
}
