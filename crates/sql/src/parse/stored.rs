//! DROP of procedures, functions, triggers and events. There are none, but programs drop them before they begin.

use types::error::SqlError;

use super::cursor::Cursor;
use super::name::{self, TableName};
use super::statement::Statement;

/// What MySQL stores beside tables and views.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StoredKind {
    /// A procedure.
    Procedure,
    /// A function.
    Function,
    /// A trigger.
    Trigger,
    /// An event.
    Event,
}

/// DROP of one of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DropStored {
    /// What.
    pub kind: StoredKind,
    /// Which.
    pub name: TableName,
    /// IF EXISTS.
    pub if_exists: bool,
}

const KINDS: [(&str, StoredKind); 4] = [
    ("DROP PROCEDURE", StoredKind::Procedure),
    ("DROP FUNCTION", StoredKind::Function),
    ("DROP TRIGGER", StoredKind::Trigger),
    ("DROP EVENT", StoredKind::Event),
];

/// Such a statement, if one is at the cursor.
pub(super) fn drop(cursor: &mut Cursor<'_>) -> Result<Option<Statement>, SqlError> {
    let Some((_, kind)) = KINDS.into_iter().find(|(words, _)| cursor.accept(words)) else { return Ok(None) };
    let if_exists = cursor.accept("IF EXISTS");
    let name = name::table(cursor)?;
    cursor.expect_end()?;
    Ok(Some(Statement::DropStored(DropStored { kind, name, if_exists })))
}
