//! Foreign keys between tables: what a DDL statement may do to parents and children, and what follows for them.
//!
//! [`TableChanges`] are the tables in the middle of a statement: those of the catalog, and what the statement has made of
//! them so far. If foreign keys come, with their table or without it, the tables at their other ends get new versions too, so
//! that plans that know nothing of the keys are made again. Plans that know them hold a version that goes.
//!
//! With `foreign_key_checks=0` a parent may be missing, and may go. A key then refers to its name, and a table that
//! comes by this name must fit.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use engine::catalog::Catalog;
use engine::catalog::def::{CheckDef, ForeignKeyDef, IndexDef, TableDef};
use engine::catalog::table::Table;
use types::column::ColumnType;
use types::context::Context;
use types::error::SqlError;
use types::error::table::{
    ER_CANNOT_ADD_FOREIGN, ER_DROP_INDEX_FK, ER_FK_CANNOT_DROP_PARENT, ER_FK_CANNOT_OPEN_PARENT,
    ER_FK_CANNOT_USE_VIRTUAL_COLUMN, ER_FK_COLUMN_CANNOT_DROP_CHILD, ER_FK_DUP_NAME,
    ER_FK_INCOMPATIBLE_COLUMNS, ER_FK_NO_COLUMN_PARENT, ER_FK_NO_INDEX_PARENT, ER_FK_NO_UNIQUE_INDEX_PARENT,
    ER_TRUNCATE_ILLEGAL_FK, ER_WARN_DEPRECATED_NON_STANDARD_KEY,
};
use types::warning::Level;

use super::draft::same_name;
use super::{Quoting, Result, check, foreign};

/// A table by its database and its own name.
type Name = (String, String);

/// What a session wants.
#[derive(Clone, Copy, Debug)]
pub struct Rules {
    /// `foreign_key_checks`
    pub checks: bool,
    /// `restrict_fk_on_non_standard_key`: parents are found by a unique key of exactly the columns that are referred to.
    pub standard_keys: bool,
}

/// See the module.
#[derive(Debug)]
pub struct TableChanges {
    catalog: Arc<Catalog>,
    changed: BTreeMap<Name, Option<Version>>,
}

/// A new version of a table.
#[derive(Clone, Debug)]
pub struct Version {
    /// The version.
    pub table: Arc<Table>,
    /// Snapshots that are older than the change see its rows too.
    pub keeps_rows: bool,
}

impl TableChanges {
    /// At a statement's begin.
    pub fn new(catalog: Arc<Catalog>) -> Self {
        Self { catalog, changed: BTreeMap::new() }
    }

    /// A table as it is now.
    pub fn table(&self, db: &str, name: &str) -> Option<&Arc<Table>> {
        match self.changed.get(&(db.to_owned(), name.to_owned())) {
            Some(version) => version.as_ref().map(|version| &version.table),
            None => self.catalog.table(db, name),
        }
    }

    /// The tables that have foreign keys to a table or are referred to by its own.
    pub fn related(&self, db: &str, name: &str) -> BTreeSet<Name> {
        let key_parent = |key: &ForeignKeyDef| (key.parent_db.clone(), key.parent_table.clone());
        let keys = self.table(db, name).into_iter().flat_map(|table| &table.def.foreign_keys);
        let children = self.children(db, name).into_iter().map(|(child, _)| name_of(&child.def));
        keys.map(key_parent).chain(children).filter(|other| (&*other.0, &*other.1) != (db, name)).collect()
    }

    /// The foreign keys that other tables have to a table, whether it exists or not, by their names.
    fn children(&self, db: &str, name: &str) -> Vec<(Arc<Table>, ForeignKeyDef)> {
        let is_changed = |def: &TableDef| self.changed.contains_key(&name_of(def));
        let unchanged = self.catalog.children(db, name).filter(|(child, _)| !is_changed(&child.def));
        let changed = self.changed.values().flatten().flat_map(|version| {
            let keys = version.table.def.foreign_keys.iter();
            keys.filter(|key| key.refers_to(db, name)).map(|key| (&version.table, key))
        });
        let all = unchanged.chain(changed).filter(|(child, _)| !is_named(&child.def, db, name));
        let mut all: Vec<_> = all.map(|(child, key)| (Arc::clone(child), key.clone())).collect();
        all.sort_by(|(_, a), (_, b)| a.name.cmp(&b.name));
        all
    }

    /// A new table or version. What it must fulfil was checked.
    pub fn put(&mut self, table: Arc<Table>, keeps_rows: bool) {
        self.changed.insert(name_of(&table.def), Some(Version { table, keeps_rows }));
    }

    /// A table goes.
    fn remove(&mut self, db: &str, name: &str) {
        self.changed.insert((db.to_owned(), name.to_owned()), None);
    }

    /// Checks a new table, and fills in what its keys leave out. Errors of [`TableChanges::check_own`]; 1215 if it is not
    /// what keys that wait for a table of its name want, and 1822, 3734, 3780, 6125 instead with `foreign_key_checks=0`.
    pub fn check_new(&self, def: &mut TableDef, rules: Rules, context: &mut Context<'_>) -> Result<()> {
        self.check_own(def, None, rules, context)?;
        for (child, key) in self.children(&def.db, &def.name) {
            let fits = check_pair(&key, &child.def, def, rules, true);
            fits.map_err(|error| if rules.checks { ER_CANNOT_ADD_FOREIGN.error(&[]) } else { error })?;
        }
        Ok(())
    }

    /// Checks a table's altered definition, which has its old name still; `columns` are the old and new names of the
    /// columns that stay. Errors of [`TableChanges::check_own`]; 1553, 1829, 3780 for what children need.
    pub fn check_altered(
        &self,
        old: &TableDef,
        def: &mut TableDef,
        columns: &[(String, String)],
        rules: Rules,
        context: &mut Context<'_>,
    ) -> Result<()> {
        let children = self.children(&old.db, &old.name);
        for (child, key) in &children {
            let lost = key.parent_columns.iter().find(|name| {
                old.column(name).is_some() && !columns.iter().any(|(was, _)| same_name(was, name))
            });
            if let Some(name) = lost {
                return Err(ER_FK_COLUMN_CANNOT_DROP_CHILD.error(&[name, &key.name, &child.def.name]));
            }
        }
        self.check_own(def, Some(old), rules, context)?;
        for (child, key) in children {
            let key = renamed_parent(&key, def, columns);
            if let Some(index) = lost_index(&key, old, def, columns) {
                return Err(ER_DROP_INDEX_FK.error(&[&index.name]));
            }
            check_pair(&key, &child.def, def, rules, false)?;
        }
        Ok(())
    }

    /// Checks a table's own keys. Errors 1239, 1553, 1822, 1824, 1826, 3734, 3780, 6125.
    fn check_own(
        &self,
        def: &mut TableDef,
        old: Option<&TableDef>,
        rules: Rules,
        context: &mut Context<'_>,
    ) -> Result<()> {
        let is_new = |check: &&CheckDef| {
            !old.is_some_and(|old| old.checks.iter().any(|other| other.name == check.name))
        };
        for check in def.checks.iter().filter(is_new) {
            self.check_check_name(&def.db, &check.name, (&def.db, &def.name))?;
        }
        let mut keys = std::mem::take(&mut def.foreign_keys);
        for key in &mut keys {
            let is_new = !old.is_some_and(|old| old.foreign_keys.iter().any(|other| other.name == key.name));
            let is_own = key.refers_to(&def.db, &def.name);
            let other = self.table(&key.parent_db, &key.parent_table);
            let other = other.filter(|table| !is_own && table.def.view.is_none());
            let parent = if is_own { &*def } else { other.map_or(&*def, |table| &table.def) };
            let is_missing = !is_own && other.is_none();
            if is_new {
                self.check_name(&def.db, &key.name)?;
                if is_missing && (rules.checks || key.parent_columns.is_empty()) {
                    return Err(ER_FK_CANNOT_OPEN_PARENT.error(&[&key.parent_table]));
                }
                fill_in(key, parent)?;
            }
            if is_missing {
                continue;
            }
            if let (Some(old), true) = (old, is_own)
                && let Some(index) = lost_index(key, old, def, &[])
            {
                return Err(ER_DROP_INDEX_FK.error(&[&index.name]));
            }
            check_pair(key, def, parent, rules, is_new)?;
            if is_new && parent.unique_on(&key.parent_columns).is_none() {
                context.warnings.push(Level::Warning, &ER_WARN_DEPRECATED_NON_STANDARD_KEY, &[&key.name]);
            }
        }
        def.foreign_keys = keys;
        Ok(())
    }

    /// Error 1826 if a database has a foreign key of this name.
    fn check_name(&self, db: &str, name: &str) -> Result<()> {
        if self.defs(db).any(|def| def.foreign_keys.iter().any(|key| same_name(&key.name, name))) {
            return Err(ER_FK_DUP_NAME.error(&[&name]));
        }
        Ok(())
    }

    /// Error 3822 if a database has a check of this name in another table than the one that it is for.
    fn check_check_name(&self, db: &str, name: &str, own: (&str, &str)) -> Result<()> {
        let others = self.defs(db).filter(|def| (&*def.db, &*def.name) != own);
        if others.flat_map(|def| &def.checks).any(|check| same_name(&check.name, name)) {
            return Err(check::duplicate(name));
        }
        Ok(())
    }

    /// The tables of a database as they are now.
    fn defs(&self, db: &str) -> impl Iterator<Item = &TableDef> {
        let tables = self.catalog.database(db).into_iter().flat_map(|database| database.tables.values());
        let unchanged = tables.filter(|table| !self.changed.contains_key(&name_of(&table.def)));
        let changed = self.changed.values().flatten().map(|version| &version.table);
        let changed = changed.filter(move |table| table.def.db == db);
        unchanged.chain(changed).map(|table| &table.def)
    }

    /// An altered table comes in place of its old version; keys to it follow the new names of its columns.
    pub fn put_altered(&mut self, table: Arc<Table>, keeps_rows: bool, columns: &[(String, String)]) {
        let (db, name) = name_of(&table.def);
        if columns.iter().any(|(was, is)| was != is) {
            self.follow(&db, &name, &table.def, columns);
        }
        self.put(table, keeps_rows);
    }

    /// Gives a definition another name, and its keys the names that go with it. Errors 1822, 1826, 3734, 3780, 6125.
    pub fn rename(&self, def: &mut TableDef, db: &str, name: &str, rules: Rules) -> Result<()> {
        let (old_db, old_name) = (std::mem::replace(&mut def.db, db.to_owned()), def.name.clone());
        name.clone_into(&mut def.name);
        let mut keys = std::mem::take(&mut def.foreign_keys);
        for key in &mut keys {
            let new_name = foreign::name_after_rename(&key.name, &old_name, name);
            if new_name != key.name || old_db != db {
                self.check_name(db, &new_name)?;
            }
            key.name = new_name;
            if key.refers_to(&old_db, &old_name) {
                db.clone_into(&mut key.parent_db);
                name.clone_into(&mut key.parent_table);
            }
        }
        foreign::sort(&mut keys);
        def.foreign_keys = keys;
        for place in 0..def.checks.len() {
            let new_name = foreign::name_after_rename(&def.checks[place].name, &old_name, name);
            if new_name != def.checks[place].name || old_db != db {
                self.check_check_name(db, &new_name, (&old_db, &old_name))?;
            }
            def.checks[place].name = new_name;
        }
        check::sort(&mut def.checks);
        for (child, key) in self.children(db, name) {
            check_pair(&key, &child.def, def, rules, true)?;
        }
        Ok(())
    }

    /// The same for one that was renamed too: its old name goes.
    pub fn put_renamed(
        &mut self,
        (old_db, old_name): (&str, &str),
        table: Arc<Table>,
        keeps_rows: bool,
        columns: &[(String, String)],
    ) {
        self.remove(old_db, old_name);
        self.follow(old_db, old_name, &table.def, columns);
        self.put(table, keeps_rows);
    }

    /// The keys that others have to a table follow its new name and those of its columns.
    fn follow(&mut self, db: &str, name: &str, to: &TableDef, columns: &[(String, String)]) {
        for (child, key) in self.children(db, name) {
            let child_name = name_of(&child.def);
            // Another key of the same table may have followed already.
            let child = self.table(&child_name.0, &child_name.1).map_or(child, Arc::clone);
            let keeps_rows = self
                .changed
                .get(&child_name)
                .and_then(Option::as_ref)
                .is_none_or(|version| version.keeps_rows);
            let mut def = child.def.clone();
            let followed = def.foreign_keys.iter_mut().filter(|other| other.name == key.name);
            followed.for_each(|key| *key = renamed_parent(key, to, columns));
            self.put(Arc::new(child.successor(def)), keeps_rows);
        }
    }

    /// Tables go. Error 3730 if somebody refers to one of them who stays.
    pub fn drop_tables(&mut self, dropped: &[Arc<Table>], rules: Rules) -> Result<()> {
        for table in dropped {
            self.remove(&table.def.db, &table.def.name);
        }
        for table in dropped.iter().filter(|_| rules.checks) {
            if let Some((child, key)) = self.children(&table.def.db, &table.def.name).first() {
                let parent = &table.def.name;
                return Err(ER_FK_CANNOT_DROP_PARENT.error(&[parent, &key.name, &child.def.name]));
            }
        }
        Ok(())
    }

    /// Error 1701 if others refer to a table that is to lose its rows.
    pub fn check_truncated(&self, def: &TableDef, rules: Rules) -> Result<()> {
        match self.children(&def.db, &def.name).first() {
            Some((child, key)) if rules.checks => {
                let [db, child, key] =
                    [&child.def.db, &child.def.name, &key.name].map(|name| Quoting::default().name(name));
                let what = format!("{db}.{child}, CONSTRAINT {key}");
                Err(ER_TRUNCATE_ILLEGAL_FK.error(&[&what]))
            }
            _ => Ok(()),
        }
    }

    /// What becomes of the catalog: tables that go, and versions that come.
    pub fn finish(mut self) -> (Vec<Arc<Table>>, Vec<Version>) {
        for (db, name) in self.new_relatives() {
            let is_changed = self.changed.contains_key(&(db.clone(), name.clone()));
            if let Some(table) = self.catalog.table(&db, &name).filter(|_| !is_changed).cloned() {
                self.put(Arc::new(table.successor(table.def.clone())), true);
            }
        }
        let removed = self.changed.keys().filter_map(|(db, name)| self.catalog.table(db, name).cloned());
        (removed.collect(), self.changed.values().flatten().cloned().collect())
    }

    /// The tables at the other ends of keys that were not there before. The statement has locked them, and no others: a
    /// table that merely follows a rename may have further parents.
    fn new_relatives(&self) -> BTreeSet<Name> {
        let mut relatives = BTreeSet::new();
        for ((db, name), version) in &self.changed {
            let Some(version) = version else { continue };
            let before = self.catalog.table(db, name);
            let had = |key: &ForeignKeyDef| {
                let mut keys = before.into_iter().flat_map(|table| &table.def.foreign_keys);
                keys.any(|old| old.refers_to(&key.parent_db, &key.parent_table))
            };
            let added = version.table.def.foreign_keys.iter().filter(|key| !had(key));
            relatives.extend(added.map(|key| (key.parent_db.clone(), key.parent_table.clone())));
            if before.is_none() {
                relatives.extend(self.children(db, name).into_iter().map(|(child, _)| name_of(&child.def)));
            }
        }
        relatives
    }
}

fn name_of(def: &TableDef) -> Name {
    (def.db.clone(), def.name.clone())
}

fn is_named(def: &TableDef, db: &str, name: &str) -> bool {
    def.db == db && def.name == name
}

/// A key that names no columns of its parent means the primary key's. Error 1239.
fn fill_in(key: &mut ForeignKeyDef, parent: &TableDef) -> Result<()> {
    if key.parent_columns.is_empty() {
        let parts = parent.primary().map_or(&[][..], |primary| &primary.parts);
        let name = |column: u16| parent.columns[usize::from(column)].name.clone();
        key.parent_columns = parts.iter().map(|part| name(part.column)).collect();
    }
    if key.parent_columns.len() == key.columns.len() { Ok(()) } else { Err(foreign::mismatch(None)) }
}

/// A key whose parent and its columns have other names now.
fn renamed_parent(key: &ForeignKeyDef, parent: &TableDef, columns: &[(String, String)]) -> ForeignKeyDef {
    let new_name = |name: &String| {
        let renamed = columns.iter().find(|(was, _)| same_name(was, name));
        renamed.map_or_else(|| name.clone(), |(_, is)| is.clone())
    };
    ForeignKeyDef {
        parent_db: parent.db.clone(),
        parent_table: parent.name.clone(),
        parent_columns: key.parent_columns.iter().map(new_name).collect(),
        ..key.clone()
    }
}

/// The places of the columns that a key refers to. Error 3734.
fn parent_places(key: &ForeignKeyDef, parent: &TableDef) -> Result<Vec<u16>> {
    let place = |name: &String| {
        let place = parent.column(name).and_then(|place| u16::try_from(place).ok());
        place.ok_or_else(|| ER_FK_NO_COLUMN_PARENT.error(&[name, &key.name, &parent.name]))
    };
    key.parent_columns.iter().map(place).collect()
}

/// The index that a key finds its parents by, if the parent's old version had it and the new one has none. `key` has the
/// new names, `columns` are old and new ones.
fn lost_index<'o>(
    key: &ForeignKeyDef,
    old: &'o TableDef,
    new: &TableDef,
    columns: &[(String, String)],
) -> Option<&'o IndexDef> {
    let old_names: Vec<String> = key
        .parent_columns
        .iter()
        .map(|name| columns.iter().find(|(_, is)| same_name(is, name)).map_or(name, |(was, _)| was).clone())
        .collect();
    let place = |def: &TableDef, name: &String| def.column(name).and_then(|place| u16::try_from(place).ok());
    let places = |def: &TableDef, names: &[String]| {
        names.iter().map(|name| place(def, name)).collect::<Option<Vec<u16>>>()
    };
    let before = old.index_on(&places(old, &old_names)?)?;
    let is_there = if old.unique_on(&old_names).is_some() {
        new.unique_on(&key.parent_columns).is_some()
    } else {
        places(new, &key.parent_columns).is_some_and(|columns| new.index_on(&columns).is_some())
    };
    (!is_there).then_some(before)
}

/// Checks that a parent is what a key needs. Errors 1822, 3733, 3734, 3780, 6125.
fn check_pair(
    key: &ForeignKeyDef,
    child: &TableDef,
    parent: &TableDef,
    rules: Rules,
    is_new: bool,
) -> Result<()> {
    let places = parent_places(key, parent)?;
    for (from, to) in key.columns.iter().zip(&places) {
        let (from, to) = (&child.columns[usize::from(*from)], &parent.columns[usize::from(*to)]);
        if to.is_virtual() {
            return Err(ER_FK_CANNOT_USE_VIRTUAL_COLUMN.error(&[&key.name, &to.name]));
        }
        if !are_compatible(from.ty, to.ty, rules.checks) {
            return Err(ER_FK_INCOMPATIBLE_COLUMNS.error(&[&from.name, &to.name, &key.name]));
        }
    }
    let missing = |condition: &'static types::error::Condition| -> SqlError {
        condition.error(&[&key.name, &parent.name])
    };
    if is_new && rules.standard_keys && parent.unique_on(&key.parent_columns).is_none() {
        return Err(missing(&ER_FK_NO_UNIQUE_INDEX_PARENT));
    }
    if parent.index_on(&places).is_none() { Err(missing(&ER_FK_NO_INDEX_PARENT)) } else { Ok(()) }
}

/// Whether a child can follow its parent to every value that both types can hold. With DECIMALs or times of different
/// precision, which MySQL takes, it would be rounded and have no parent. With `foreign_key_checks=0` collations may
/// differ, so that both tables can be converted, one after the other.
fn are_compatible(from: ColumnType, to: ColumnType, checks: bool) -> bool {
    use ColumnType as T;
    match (from, to) {
        (T::Int(a), T::Int(b)) => a.size == b.size && a.is_unsigned() == b.is_unsigned(),
        (T::Varbinary { .. }, T::Varbinary { .. }) => true,
        (
            T::Char { .. } | T::Varchar { .. } | T::Text { .. },
            T::Char { .. } | T::Varchar { .. } | T::Text { .. },
        ) => from.collation() == to.collation() || !checks,
        _ => from == to,
    }
}
