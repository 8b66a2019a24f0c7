//! The keys of an altered table.

use engine::catalog::def::TableDef;
use types::context::Context;
use types::error::SqlError;
use types::error::table::{ER_CANT_DROP_FIELD_OR_KEY, ER_KEY_DOES_NOT_EXITS, ER_WRONG_NAME_FOR_INDEX};

use super::columns::Columns;
use super::old_keys;
use crate::ddl::Result;
use crate::ddl::draft::{Draft, DraftKey, DraftPart, same_name};
use crate::ddl::key::PRIMARY;
use crate::parse::table::{AlterAction, ForeignKeySpec, KeySpec};

/// What is to happen to keys.
#[derive(Debug, Default)]
pub(super) struct Keys<'a> {
    drops: Vec<&'a str>,
    /// To be dropped too, but only if they are unique.
    constraints: Vec<&'a str>,
    renames: Vec<(&'a str, &'a str)>,
    adds: Vec<&'a KeySpec>,
    foreign_drops: Vec<&'a str>,
    foreign_adds: Vec<&'a ForeignKeySpec>,
}

impl<'a> Keys<'a> {
    /// Takes note of an action.
    pub(super) fn collect(&mut self, action: &'a AlterAction) {
        match action {
            AlterAction::AddKey(spec) => self.adds.push(spec),
            AlterAction::DropKey(name) => self.drops.push(name),
            AlterAction::DropConstraint(name) => self.constraints.push(name),
            AlterAction::AddForeignKey(spec) => self.foreign_adds.push(spec),
            AlterAction::DropForeignKey(name) => self.foreign_drops.push(name),
            AlterAction::DropPrimaryKey => self.drops.push(PRIMARY),
            AlterAction::RenameKey(from, to) => self.renames.push((from, to)),
            _ => {}
        }
    }

    /// The foreign keys that are dropped.
    pub(super) fn foreign_drops(&self, old: &TableDef) -> Vec<&'a str> {
        let constraints = self.constraints.iter().filter(|name| names_foreign_key(old, name));
        self.foreign_drops.iter().chain(constraints).copied().collect()
    }

    /// Puts the keys into the draft, whose columns are complete. Errors 1091, 1176, 1280.
    pub(super) fn apply(
        &self,
        old: &TableDef,
        draft: &mut Draft,
        columns: &Columns<'_>,
        context: &mut Context<'_>,
    ) -> Result<()> {
        let mut drops = self.drops.clone();
        for name in self.constraints.iter().filter(|name| !names_foreign_key(old, name)) {
            let found = old.index(name).filter(|&place| old.indexes[place].kind.is_unique());
            found.ok_or_else(|| no_constraint(name))?;
            drops.push(name);
        }
        let mut renames = self.renames.clone();
        for mut key in old_keys(old) {
            let name = key.name.clone().unwrap_or_default();
            if let Some(dropped) = drops.iter().position(|drop| same_name(drop, &name)) {
                drops.remove(dropped);
                continue;
            }
            if let Some(renamed) = renames.iter().position(|(from, _)| same_name(from, &name)) {
                let to = renames.remove(renamed).1;
                if to.is_empty() || to.eq_ignore_ascii_case(PRIMARY) {
                    return Err(ER_WRONG_NAME_FOR_INDEX.error(&[&to]));
                }
                key.name = Some(to.to_owned());
            }
            if follow_columns(&mut key, old, draft, columns) {
                draft.keys.push(key);
            }
        }
        if let Some((name, _)) = renames.first() {
            return Err(ER_KEY_DOES_NOT_EXITS.error(&[name, &old.name]));
        }
        if let Some(name) = drops.first() {
            return Err(ER_CANT_DROP_FIELD_OR_KEY.error(&[name]));
        }
        for spec in &self.adds {
            draft.add_key(spec, context)?;
        }
        for spec in &self.foreign_adds {
            draft.add_foreign_key(spec)?;
        }
        for spec in columns.specs() {
            draft.add_keys_of(spec)?;
        }
        Ok(())
    }
}

fn names_foreign_key(old: &TableDef, name: &str) -> bool {
    old.foreign_keys.iter().any(|key| same_name(&key.name, name))
}

/// ER_CONSTRAINT_NOT_FOUND
fn no_constraint(name: &str) -> SqlError {
    SqlError { code: 3940, sqlstate: *b"HY000", message: format!("Constraint '{name}' does not exist.") }
}

/// Takes dropped columns out of a key, and gives renamed ones their new names. False if nothing is left.
fn follow_columns(key: &mut DraftKey, old: &TableDef, draft: &Draft, columns: &Columns<'_>) -> bool {
    let mut parts = Vec::with_capacity(key.parts.len());
    for part in &key.parts {
        let was = old.column(&part.column).map(|place| old.columns[place].ty);
        let Some(was) = was else { continue };
        if let Some(name) = columns.new_name(&part.column) {
            let ty = draft.column(name).map(|place| draft.columns[place].def.ty);
            // A prefix that is no longer one is the whole column.
            let is_prefix =
                |prefix: &u32| ty.is_some_and(|ty| ty.is_string() && ty.chars_max() > Some(*prefix));
            parts.push(DraftPart { column: name.to_owned(), prefix: part.prefix.filter(is_prefix) });
        } else if draft.column(&part.column).is_some() {
            // Dropped, and another of its name added: the key is on that one now, with the old length.
            let prefix = part.prefix.or_else(|| was.chars_max());
            parts.push(DraftPart { column: part.column.clone(), prefix });
        }
    }
    key.parts = parts;
    !key.parts.is_empty()
}
