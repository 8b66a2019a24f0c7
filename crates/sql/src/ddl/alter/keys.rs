//! The keys of an altered table.

use engine::catalog::def::TableDef;
use types::context::Context;
use types::error::table::{
    ER_ALTER_CONSTRAINT_ENFORCEMENT_NOT_SUPPORTED, ER_CANT_DROP_FIELD_OR_KEY, ER_CONSTRAINT_NOT_FOUND,
    ER_KEY_DOES_NOT_EXITS, ER_MULTIPLE_CONSTRAINTS_WITH_SAME_NAME, ER_WRONG_NAME_FOR_INDEX,
};

use super::columns::Columns;
use super::old_keys;
use crate::ddl::Result;
use crate::ddl::check::{self, DraftCheck};
use crate::ddl::draft::{Draft, DraftKey, DraftPart, same_name};
use crate::ddl::key::PRIMARY;
use crate::parse::table::{AlterAction, CheckSpec, ForeignKeySpec, KeySpec};

/// What is to happen to keys.
#[derive(Debug, Default)]
pub(super) struct Keys<'a> {
    drops: Vec<&'a str>,
    /// DROP CONSTRAINT.
    constraints: Vec<&'a str>,
    /// ALTER CONSTRAINT: the name, and ENFORCED.
    alters: Vec<(&'a str, bool)>,
    renames: Vec<(&'a str, &'a str)>,
    adds: Vec<&'a KeySpec>,
    foreign_drops: Vec<&'a str>,
    foreign_adds: Vec<&'a ForeignKeySpec>,
    checks: check::Alterations<'a>,
    check_adds: Vec<&'a CheckSpec>,
}

/// What is dropped or altered, by kind.
#[derive(Debug)]
pub(super) struct Constraints<'a> {
    pub(super) keys: Vec<&'a str>,
    pub(super) foreign_keys: Vec<&'a str>,
    pub(super) checks: check::Alterations<'a>,
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
            AlterAction::AddCheck(spec) => self.check_adds.push(spec),
            AlterAction::DropCheck(name) => self.checks.drops.push(name),
            AlterAction::AlterCheck(name, enforced) => self.checks.alters.push((name, *enforced)),
            AlterAction::AlterConstraint(name, enforced) => self.alters.push((name, *enforced)),
            AlterAction::DropPrimaryKey => self.drops.push(PRIMARY),
            AlterAction::RenameKey(from, to) => self.renames.push((from, to)),
            _ => {}
        }
    }

    /// What is dropped or altered: what CONSTRAINT was written for is found out. Errors 3939 to 3941.
    pub(super) fn constraints(&mut self, old: &TableDef) -> Result<Constraints<'a>> {
        let mut all = Constraints {
            keys: std::mem::take(&mut self.drops),
            foreign_keys: std::mem::take(&mut self.foreign_drops),
            checks: std::mem::take(&mut self.checks),
        };
        for name in &self.constraints {
            match kind(old, name, "DROP")? {
                Kind::Key => all.keys.push(name),
                Kind::ForeignKey => all.foreign_keys.push(name),
                Kind::Check => all.checks.drops.push(name),
            }
        }
        for (name, enforced) in &self.alters {
            match kind(old, name, "ALTER")? {
                Kind::Check => all.checks.alters.push((name, *enforced)),
                _ => return Err(ER_ALTER_CONSTRAINT_ENFORCEMENT_NOT_SUPPORTED.error(&[name])),
            }
        }
        Ok(all)
    }

    /// Puts the keys into the draft, whose columns are complete, but for those that are dropped. Errors 1091, 1176, 1280.
    pub(super) fn apply(
        &self,
        old: &TableDef,
        mut drops: Vec<&'a str>,
        draft: &mut Draft,
        columns: &Columns<'_>,
        context: &mut Context<'_>,
    ) -> Result<()> {
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
        let checks = self.check_adds.iter().map(|spec| DraftCheck::New((*spec).clone(), None));
        draft.checks.extend(checks);
        for spec in columns.specs() {
            draft.add_keys_of(spec)?;
        }
        Ok(())
    }
}

/// A kind of constraint.
enum Kind {
    Key,
    ForeignKey,
    Check,
}

/// What the constraint of a name is. Errors 3939, 3940.
fn kind(old: &TableDef, name: &str, clause: &str) -> Result<Kind> {
    let key = old.index(name).is_some_and(|place| old.indexes[place].kind.is_unique());
    let foreign = old.foreign_keys.iter().any(|key| same_name(&key.name, name));
    let check = old.checks.iter().any(|check| same_name(&check.name, name));
    match (key, foreign, check) {
        (true, false, false) => Ok(Kind::Key),
        (false, true, false) => Ok(Kind::ForeignKey),
        (false, false, true) => Ok(Kind::Check),
        (false, false, false) => Err(ER_CONSTRAINT_NOT_FOUND.error(&[&name])),
        _ => Err(ER_MULTIPLE_CONSTRAINTS_WITH_SAME_NAME.error(&[&name, &clause])),
    }
}

/// Takes dropped columns out of a key, and gives renamed ones their new names. False if nothing is left.
fn follow_columns(key: &mut DraftKey, old: &TableDef, draft: &Draft, columns: &Columns<'_>) -> bool {
    let mut parts = Vec::with_capacity(key.parts.len());
    for part in &key.parts {
        let was = old.column(&part.column).map(|place| old.columns[place].ty);
        let Some(was) = was else { continue };
        if let Some(name) = columns.new_name(&part.column) {
            let ty = draft.column(name).map(|place| draft.columns[place].def.ty);
            // A prefix that is no longer one is the whole column, which a BLOB or a TEXT is not.
            let is_prefix = |prefix: &u32| {
                ty.is_some_and(|ty| ty.is_string() && (ty.is_lob() || ty.chars_max() > Some(*prefix)))
            };
            let prefix = part.prefix.filter(is_prefix);
            parts.push(DraftPart { column: name.to_owned(), prefix, descending: part.descending });
        } else if draft.column(&part.column).is_some() {
            // Dropped, and another of its name added: the key is on that one now, with the old length.
            let prefix = part.prefix.or_else(|| was.chars_max());
            parts.push(DraftPart { prefix, ..part.clone() });
        }
    }
    key.parts = parts;
    !key.parts.is_empty()
}
