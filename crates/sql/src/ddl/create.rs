//! CREATE TABLE.

use engine::catalog::def::{ColumnDef, TableDef};
use engine::ids::{IndexId, TableId};

use super::check::{self, DraftCheck};
use super::draft::Draft;
use super::{DdlEnv, Result, charset, engine as engine_name, finish};
use crate::parse::table::{CreateTable, TableElement};

/// The definition that CREATE TABLE asks for, in this database. Ids are 0: fill them with [`super::fill_ids`].
pub fn create_table(
    create: &CreateTable,
    selected: Vec<ColumnDef>,
    db: &str,
    env: &mut DdlEnv<'_, '_>,
) -> Result<TableDef> {
    let context = &mut *env.context;
    let options = &create.options;
    if let Some(engine) = &options.engine {
        engine_name::check(engine, &create.table.name, create.temporary, context)?;
    }
    let inherited = env.database_collation;
    let collation = charset::choose(&options.charset, inherited, inherited, context)?;
    let table = TableDef {
        id: TableId(0),
        db: db.to_owned(),
        name: create.table.name.clone(),
        columns: Vec::new(),
        rows: IndexId(0),
        indexes: Vec::new(),
        foreign_keys: Vec::new(),
        checks: Vec::new(),
        collation,
        comment: options.comment.clone().unwrap_or_default(),
        created_at: env.now,
        auto_increment_start: options.auto_increment.unwrap_or(1).max(1),
        view: None,
    };
    let mut draft = Draft::new(table);
    for element in &create.elements {
        match element {
            TableElement::Column(column) => draft.add_column(column, context)?,
            TableElement::Key(key) => draft.add_key(key, context)?,
            TableElement::ForeignKey(key) => draft.add_foreign_key(key)?,
            TableElement::Check(check) => draft.checks.push(DraftCheck::New(check.clone(), None)),
        }
    }
    draft.add_selected(selected);
    let table = finish::finish(&mut draft, context)?;
    env.check_identity(&table, true)?;
    Ok(table)
}

/// The definition of CREATE TABLE .. LIKE: the other's, without its counter, ids and foreign keys, with new names of its
/// checks. Error 3750.
pub fn create_like(like: &TableDef, db: &str, name: &str, env: &DdlEnv<'_, '_>) -> Result<TableDef> {
    env.check_identity(like, true)?;
    let mut table =
        TableDef { db: db.to_owned(), name: name.to_owned(), created_at: env.now, ..truncated(like) };
    table.foreign_keys.clear();
    check::rename_all(&mut table.checks, name);
    Ok(table)
}

/// The definition of a table after TRUNCATE: the same, without its counter and ids.
pub fn truncated(table: &TableDef) -> TableDef {
    let mut table = TableDef { id: TableId(0), rows: IndexId(0), auto_increment_start: 1, ..table.clone() };
    table.indexes.iter_mut().for_each(|index| index.id = IndexId(0));
    table
}
