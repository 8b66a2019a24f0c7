//! Foreign keys as CREATE TABLE and ALTER TABLE define them.

use engine::catalog::def::ReferentialAction;
use types::error::SqlError;

use super::key::{self, KeyPartSpec};
use crate::parse::cursor::Cursor;
use crate::parse::name::{self, TableName};

/// A foreign key's definition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ForeignKeySpec {
    /// The name of its constraint.
    pub name: Option<String>,
    /// The name of the index that it gets if it needs one.
    pub index: Option<String>,
    /// Its columns.
    pub parts: Vec<KeyPartSpec>,
    /// Behind REFERENCES.
    pub references: References,
}

/// What a foreign key refers to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct References {
    /// The table.
    pub table: TableName,
    /// Its columns; none = its primary key.
    pub parts: Vec<KeyPartSpec>,
    /// ON UPDATE.
    pub on_update: ReferentialAction,
    /// ON DELETE.
    pub on_delete: ReferentialAction,
}

type Result<T> = std::result::Result<T, SqlError>;

/// Behind FOREIGN KEY.
pub(super) fn foreign_key(cursor: &mut Cursor<'_>, name: Option<String>) -> Result<ForeignKeySpec> {
    let index = if cursor.at_name() { Some(cursor.name()?) } else { None };
    let parts = key::parts(cursor)?;
    cursor.expect("REFERENCES")?;
    Ok(ForeignKeySpec { name, index, parts, references: references(cursor)? })
}

/// Behind REFERENCES.
pub(super) fn references(cursor: &mut Cursor<'_>) -> Result<References> {
    let table = name::table(cursor)?;
    let parts = if cursor.is("(") { key::parts(cursor)? } else { Vec::new() };
    if cursor.accept("MATCH") {
        // Read over, as in MySQL.
        cursor.expect_any(&["FULL", "PARTIAL", "SIMPLE"])?;
    }
    let (mut on_update, mut on_delete) = (None, None);
    while cursor.accept("ON") {
        if on_update.is_none() && cursor.accept("UPDATE") {
            on_update = Some(action(cursor)?);
        } else if on_delete.is_none() && cursor.accept("DELETE") {
            on_delete = Some(action(cursor)?);
        } else {
            return Err(cursor.error());
        }
    }
    let (on_update, on_delete) = (on_update.unwrap_or_default(), on_delete.unwrap_or_default());
    Ok(References { table, parts, on_update, on_delete })
}

fn action(cursor: &mut Cursor<'_>) -> Result<ReferentialAction> {
    let found = ReferentialAction::ALL.into_iter().find(|action| cursor.accept(action.as_str()));
    found.ok_or_else(|| cursor.error())
}
