//! ALTER TABLE: from the old definition and the actions to the new one, and what has to be done for it.

mod columns;
mod compare;
mod keys;
mod support;

use engine::catalog::def::{DefaultValue, TableDef};
use engine::ids::{IndexId, TableId};
use types::column::ColumnType;
use types::error::table::ER_ILLEGAL_HA;

use super::draft::{Draft, DraftColumn, of_index};
use super::key::PRIMARY;
use super::{DdlEnv, Result, charset, check, computed, engine as engine_name, finish, foreign};
use crate::parse::TableName;
use crate::parse::table::{AlterAction, AlterTable, TableOptions};

/// What ALTER TABLE amounts to.
#[derive(Clone, Debug)]
pub struct Alteration {
    /// The new definition. Ids that are 0 are to be filled in, with [`super::fill_ids`].
    pub table: TableDef,
    /// What has to be done.
    pub change: Change,
    /// Old and new names of the columns that stay.
    pub columns: Vec<(String, String)>,
    /// RENAME TO. The definition has the old name still; whether the new one is free is the caller's to find out.
    pub rename: Option<TableName>,
    /// AUTO_INCREMENT: the counter's next value.
    pub auto_increment: Option<u64>,
}

/// What has to be done to make a table's data match a new definition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// Nothing changes.
    Nothing,
    /// Only the catalog.
    Metadata,
    /// Indexes are built (places in the new definition) and emptied (old ids).
    Indexes {
        /// To be built from the rows.
        add: Vec<usize>,
        /// No longer used.
        drop: Vec<IndexId>,
    },
    /// All rows are written into a new table, with new ids throughout.
    Rebuild {
        /// Where each new column's value comes from.
        columns: Vec<ColumnSource>,
    },
}

/// Where a column of a rebuilt table gets its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ColumnSource {
    /// The bytes of an old column, as they are.
    Copy(usize),
    /// The value of an old column of this type, assigned to the new one.
    Convert(usize, ColumnType),
    /// The same value for every row; a column that is NOT NULL and has no default gets its type's implicit one.
    Default(DefaultValue),
    /// Numbers from the table's counter.
    AutoIncrement {
        /// MySQL copies the rows for such a statement, and does not rebuild the table in place, where its numbers begin later.
        by_copy: bool,
    },
    /// Computed from the others.
    Generated,
}

/// Applies the actions. Errors of the definition, and 1054, 1090, 1091, 1176, 1845, 1846, 3750.
pub fn alter_table(old: &TableDef, alter: &AlterTable, env: &mut DdlEnv<'_, '_>) -> Result<Alteration> {
    let context = &mut *env.context;
    let mut table = old.clone();
    let mut columns = columns::Columns::default();
    let mut keys = keys::Keys::default();
    let mut alteration = Options::default();
    for action in &alter.actions {
        match action {
            AlterAction::Options(options) => {
                set_options(&mut table, options, context)?;
                alteration.auto_increment = options.auto_increment.or(alteration.auto_increment);
            }
            AlterAction::Convert(choices) => {
                let default = env.database_collation;
                let collation = charset::choose(choices, default, default, context)?;
                (table.collation, alteration.convert) = (collation, Some(collation));
            }
            AlterAction::RenameTable(name) => alteration.rename = Some(name.clone()),
            AlterAction::Keys => context.note(&ER_ILLEGAL_HA, &[&old.name]),
            AlterAction::Force => alteration.force = true,
            other => {
                columns.collect(other);
                keys.collect(other);
            }
        }
    }
    let mut draft = Draft::new(table);
    columns.apply(old, &mut draft, alteration.convert, context)?;
    let new_name = |name: &str| columns.new_name(name).map(str::to_owned);
    computed::check_dependencies(old, &draft.columns, new_name)?;
    let constraints = keys.constraints(old)?;
    foreign::keep(old, &constraints.foreign_keys, new_name, &mut draft)?;
    check::keep(old, &constraints.checks, new_name, &mut draft)?;
    keys.apply(old, constraints.keys, &mut draft, &columns, context)?;
    let table = finish::finish(&mut draft, context)?;
    foreign::check_indexes(old, &table)?;
    check_identity(alter, &table, env)?;
    let checks_more = compare::checks_more(old, &table);
    if env.logged {
        computed::check_added(&draft.columns)?;
    }
    let force = alteration.force || checks_more || compare::computes_otherwise(old, &table, &draft.columns)?;
    let (table, mut change) = compare::compare(old, table, &draft.columns, force);
    support::check(alter, &change, checks_more, env.foreign_key_checks)?;
    support::note_copy(alter, &table, &mut change, checks_more, env.foreign_key_checks);
    let columns = columns.into_names();
    let (rename, auto_increment) = (alteration.rename, alteration.auto_increment);
    Ok(Alteration { table, change, columns, rename, auto_increment })
}

/// Error 3750 by `sql_require_primary_key`. Who drops the primary key has to add another one, whatever else identifies rows.
fn check_identity(alter: &AlterTable, table: &TableDef, env: &DdlEnv<'_, '_>) -> Result<()> {
    let changes = |action: &AlterAction| !matches!(action, AlterAction::RenameTable(_) | AlterAction::Keys);
    let drops_primary = |action: &AlterAction| match action {
        AlterAction::DropPrimaryKey => true,
        AlterAction::DropKey(name) => name.eq_ignore_ascii_case(PRIMARY),
        _ => false,
    };
    let is_kept = table.primary().is_some() || !alter.actions.iter().any(drops_primary);
    if alter.actions.iter().any(changes) { env.check_identity(table, is_kept) } else { Ok(()) }
}

/// What the actions say beside columns and keys.
#[derive(Default)]
struct Options {
    convert: Option<types::collation::Collation>,
    rename: Option<TableName>,
    auto_increment: Option<u64>,
    force: bool,
}

fn set_options(
    table: &mut TableDef,
    options: &TableOptions,
    context: &mut types::context::Context<'_>,
) -> Result<()> {
    if let Some(engine) = &options.engine {
        engine_name::check(engine, &table.name, table.rows.is_temporary(), context)?;
    }
    table.collation = charset::choose(&options.charset, table.collation, table.collation, context)?;
    if let Some(comment) = &options.comment {
        table.comment.clone_from(comment);
    }
    if let Some(start) = options.auto_increment {
        table.auto_increment_start = start.max(1);
    }
    Ok(())
}

/// A column that stays as it is.
fn kept(old: &TableDef, place: usize) -> DraftColumn {
    DraftColumn { def: old.columns[place].clone(), says_null: false, old: Some(place) }
}

/// Every key of the old table, with the names that its columns had.
fn old_keys(old: &TableDef) -> impl Iterator<Item = super::draft::DraftKey> {
    old.indexes.iter().map(|index| of_index(index, &old.columns))
}

/// Gives every index a new id: the table is a new one.
fn renumber(table: &mut TableDef) {
    (table.id, table.rows) = (TableId(0), IndexId(0));
    table.indexes.iter_mut().for_each(|index| index.id = IndexId(0));
}
