//! The columns of an altered table.
//!
//! As in MySQL, actions speak of the old table's columns: each column is dropped, changed or kept, and only then are
//! columns added and moved, one after another, by their new names.

use engine::catalog::def::TableDef;
use types::collation::Collation;
use types::context::Context;
use types::error::SqlError;
use types::error::table::{
    ER_BAD_FIELD_ERROR, ER_BLOB_CANT_HAVE_DEFAULT, ER_CANT_DROP_FIELD_OR_KEY, ER_CANT_REMOVE_ALL_FIELDS,
};

use super::kept;
use crate::ddl::draft::{Draft, DraftColumn, recollated, same_name, typed};
use crate::ddl::{Result, column, computed, default};
use crate::parse::table::{AlterAction, ColumnSpec, DefaultSpec, Place};

/// What is to happen to columns.
#[derive(Debug, Default)]
pub(super) struct Columns<'a> {
    drops: Vec<&'a str>,
    /// CHANGE, MODIFY and ADD in the order in which they were written; ADD has no old name.
    specs: Vec<(Option<&'a str>, &'a ColumnSpec, &'a Place)>,
    /// RENAME COLUMN and ALTER .. SET DEFAULT.
    touches: Vec<(&'a str, Touch<'a>)>,
    /// Old and new names of all columns that stay, after [`Columns::apply`].
    names: Vec<(String, String)>,
}

#[derive(Clone, Copy, Debug)]
enum Touch<'a> {
    Rename(&'a str),
    Default(Option<&'a DefaultSpec>),
}

impl<'a> Columns<'a> {
    /// Takes note of an action.
    pub(super) fn collect(&mut self, action: &'a AlterAction) {
        match action {
            AlterAction::AddColumn(spec, place) => self.specs.push((None, spec, place)),
            AlterAction::Change(old, spec, place) => self.specs.push((Some(old), spec, place)),
            AlterAction::DropColumn(name) => self.drops.push(name),
            AlterAction::RenameColumn(from, to) => self.touches.push((from, Touch::Rename(to))),
            AlterAction::SetDefault(name, default) => {
                self.touches.push((name, Touch::Default(default.as_ref())));
            }
            _ => {}
        }
    }

    /// The new name of an old column; `None` if it is gone.
    pub(super) fn new_name(&self, old: &str) -> Option<&str> {
        self.names.iter().find(|(from, _)| same_name(from, old)).map(|(_, to)| &**to)
    }

    /// Old and new names of all columns that stay.
    pub(super) fn into_names(self) -> Vec<(String, String)> {
        self.names
    }

    /// Keys that are attributes of added and changed columns.
    pub(super) fn specs(&self) -> impl Iterator<Item = &'a ColumnSpec> {
        self.specs.iter().map(|(_, spec, _)| *spec)
    }

    /// Puts the columns into the draft. Errors 1054, 1060, 1090, 1091, and those of definitions.
    pub(super) fn apply(
        &mut self,
        old: &TableDef,
        draft: &mut Draft,
        convert: Option<Collation>,
        context: &mut Context<'_>,
    ) -> Result<()> {
        let mut drafted: Vec<Option<DraftColumn>> = Vec::with_capacity(self.specs.len());
        for (_, spec, _) in &self.specs {
            drafted.push(Some(column::column(spec, draft.table.collation, context)?));
        }
        let mut drops = self.drops.clone();
        let mut touches = self.touches.clone();
        for (place, def) in old.columns.iter().enumerate() {
            if let Some(dropped) = drops.iter().position(|name| same_name(name, &def.name)) {
                drops.remove(dropped);
                continue;
            }
            let change = self.specs.iter().zip(&drafted).position(|((name, ..), column)| {
                column.as_ref().is_some_and(|column| column.old.is_none())
                    && name.is_some_and(|name| same_name(name, &def.name))
            });
            let Some(change) = change else {
                let mut column = kept(old, place);
                if let Some(touch) = touches.iter().position(|(name, _)| same_name(name, &def.name)) {
                    apply_touch(touches.remove(touch).1, &mut column, context)?;
                }
                self.names.push((def.name.clone(), column.def.name.clone()));
                draft.columns.push(column);
                continue;
            };
            let (_, spec, goes) = self.specs[change];
            self.names.push((def.name.clone(), spec.name.clone()));
            if let Some(column) = &mut drafted[change] {
                computed::check_changed(def, &column.def)?;
                column.old = Some(place);
            }
            // One that moves is put in its place with the added ones.
            if *goes == Place::Unchanged {
                draft.columns.extend(drafted[change].take());
            }
        }
        self.place(drafted, old, draft)?;
        check_all_used(&drops, &touches, old)?;
        if draft.columns.is_empty() {
            return Err(ER_CANT_REMOVE_ALL_FIELDS.error(&[]));
        }
        convert.map_or(Ok(()), |to| convert_all(draft, to, old, context))
    }

    /// Adds and moves columns. Error 1054 for a change of what is not there, and for AFTER what is not there.
    fn place(&self, drafted: Vec<Option<DraftColumn>>, old: &TableDef, draft: &mut Draft) -> Result<()> {
        for ((old_name, spec, place), column) in self.specs.iter().zip(drafted) {
            let Some(column) = column else { continue };
            if let (Some(name), None) = (old_name, column.old) {
                return Err(unknown(name, old));
            }
            match place {
                Place::Unchanged => draft.columns.push(column),
                Place::First => draft.columns.insert(0, column),
                Place::After(name) => {
                    let after = draft.column(name).filter(|_| !same_name(name, &spec.name));
                    let after = after.ok_or_else(|| unknown(name, old))?;
                    draft.columns.insert(after + 1, column);
                }
            }
        }
        Ok(())
    }
}

fn unknown(column: &str, table: &TableDef) -> SqlError {
    ER_BAD_FIELD_ERROR.error(&[&column, &table.name])
}

fn check_all_used(drops: &[&str], touches: &[(&str, Touch<'_>)], old: &TableDef) -> Result<()> {
    if let Some((name, _)) = touches.first() {
        return Err(unknown(name, old));
    }
    drops.first().map_or(Ok(()), |name| Err(ER_CANT_DROP_FIELD_OR_KEY.error(&[name])))
}

fn apply_touch(touch: Touch<'_>, column: &mut DraftColumn, context: &mut Context<'_>) -> Result<()> {
    match touch {
        Touch::Rename(name) => name.clone_into(&mut column.def.name),
        Touch::Default(None) => column.def.default = engine::catalog::def::DefaultValue::None,
        Touch::Default(Some(_)) if column.def.generated.is_some() => {
            return Err(computed::wrong_usage("DEFAULT"));
        }
        Touch::Default(Some(DefaultSpec::Literal(_) | DefaultSpec::Null)) if column.def.ty.is_lob() => {
            return Err(ER_BLOB_CANT_HAVE_DEFAULT.error(&[&column.def.name]));
        }
        Touch::Default(spec) => {
            column.def.default = default::definition(spec, &typed(&column.def), context)?;
        }
    }
    Ok(())
}

/// CONVERT TO CHARACTER SET: texts of all columns, and their defaults.
fn convert_all(draft: &mut Draft, to: Collation, old: &TableDef, context: &mut Context<'_>) -> Result<()> {
    for column in &mut draft.columns {
        let from = column.def.ty;
        if from.collation().is_none() {
            continue;
        }
        column.def.ty = recollated(&column.def.name, from, to)?;
        let engine::catalog::def::DefaultValue::Stored(bytes) = &column.def.default else { continue };
        let text = default::default_text(from, bytes, context.time_zone);
        let value = types::value::Value::Str(text, Collation::Utf8mb4GeneralCi);
        let stored = default::stored(&typed(&column.def), &value, context)?;
        column.def.default = engine::catalog::def::DefaultValue::Stored(stored);
    }
    debug_assert!(!old.columns.is_empty(), "a table has columns");
    Ok(())
}
