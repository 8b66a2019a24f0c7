//! From a draft to a definition: what must hold of a table as a whole.

use engine::catalog::def::{DefaultValue, IndexKind, TableDef};
use types::column::check_row_size;
use types::context::Context;
use types::error::SqlError;
use types::error::table::{
    ER_DUP_FIELDNAME, ER_MULTIPLE_PRI_KEY, ER_PRIMARY_CANT_HAVE_NULL, ER_TOO_LONG_TABLE_COMMENT,
    ER_TOO_MANY_FIELDS, ER_WRONG_AUTO_KEY,
};
use types::warning::Level;

use super::draft::{Draft, same_name, typed};
use super::{Result, check, computed, foreign, key};

/// The most columns of a table: InnoDB's limit, so that dumps can be loaded into MySQL.
const COLUMNS_MAX: usize = 1017;
/// The most characters of a table's comment.
const COMMENT_CHARS_MAX: usize = 2048;

/// Makes the definition. Index ids that are 0 are to be filled in.
pub(super) fn finish(draft: &mut Draft, context: &mut Context<'_>) -> Result<TableDef> {
    check_columns(draft)?;
    computed::check_columns(draft)?;
    make_primary_not_null(draft)?;
    computed::check_primary(draft)?;
    foreign::add_indexes(draft);
    let indexes = key::indexes(draft, context)?;
    let mut table = draft.table.clone();
    table.columns = draft.columns.iter().map(|column| column.def.clone()).collect();
    table.indexes = indexes;
    table.foreign_keys = foreign::definitions(draft)?;
    computed::check_foreign_keys(&table)?;
    table.checks = check::definitions(draft, &table.foreign_keys, context)?;
    check_auto_increment(&table)?;
    let columns: Vec<_> = table.columns.iter().map(typed).collect();
    check_row_size(columns.iter())?;
    check_comment(&mut table, context)?;
    Ok(table)
}

/// Errors 1060, 1117, 4028.
fn check_columns(draft: &Draft) -> Result<()> {
    if draft.columns.is_empty() && draft.keys.is_empty() {
        let message = "A table must have at least one visible column.".to_owned();
        return Err(SqlError { code: 4028, sqlstate: *b"HY000", message });
    }
    for (place, column) in draft.columns.iter().enumerate() {
        let name = &column.def.name;
        if draft.columns[..place].iter().any(|other| same_name(&other.def.name, name)) {
            return Err(ER_DUP_FIELDNAME.error(&[name]));
        }
    }
    if draft.columns.len() > COLUMNS_MAX { Err(ER_TOO_MANY_FIELDS.error(&[])) } else { Ok(()) }
}

/// Errors 1068, 1171.
fn make_primary_not_null(draft: &mut Draft) -> Result<()> {
    let mut primaries = draft.keys.iter().filter(|key| key.kind == IndexKind::Primary);
    let Some(primary) = primaries.next() else { return Ok(()) };
    if primaries.next().is_some() {
        return Err(ER_MULTIPLE_PRI_KEY.error(&[]));
    }
    for part in primary.parts.clone() {
        // A column that does not exist is found out later.
        let Some(place) = draft.column(&part.column) else { continue };
        let column = &mut draft.columns[place];
        if column.says_null {
            return Err(ER_PRIMARY_CANT_HAVE_NULL.error(&[]));
        }
        column.def.nullable = false;
        if column.def.default == DefaultValue::Null {
            column.def.default = DefaultValue::None;
        }
    }
    Ok(())
}

/// Error 1075: there is one AUTO_INCREMENT column, and it is the first of a key.
fn check_auto_increment(table: &TableDef) -> Result<()> {
    let mut places = (0..table.columns.len()).filter(|&place| table.columns[place].auto_increment);
    let Some(place) = places.next() else { return Ok(()) };
    let is_first = table
        .indexes
        .iter()
        .any(|index| index.parts.first().is_some_and(|part| usize::from(part.column) == place));
    if places.next().is_some() || !is_first { Err(ER_WRONG_AUTO_KEY.error(&[])) } else { Ok(()) }
}

/// Error 1628; outside of strict mode the comment is cut.
fn check_comment(table: &mut TableDef, context: &mut Context<'_>) -> Result<()> {
    let Some((cut, _)) = table.comment.char_indices().nth(COMMENT_CHARS_MAX) else { return Ok(()) };
    if context.strict {
        return Err(ER_TOO_LONG_TABLE_COMMENT.error(&[&table.name, &COMMENT_CHARS_MAX]));
    }
    context.warnings.push(Level::Warning, &ER_TOO_LONG_TABLE_COMMENT, &[&table.name, &COMMENT_CHARS_MAX]);
    table.comment.truncate(cut);
    Ok(())
}
