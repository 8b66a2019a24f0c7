//! The catalog: databases, tables and accounts.
//!
//! It is stored as rows of an index of its own, changed by transactions like any other, so DDL is all or nothing
//! across a crash. In memory there is one immutable [`Catalog`] that statements share; a DDL statement publishes the
//! next one once it is visible, while it still holds its metadata locks.

pub mod codec;
pub mod def;
pub mod table;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use crate::EngineError;
use crate::ids::{CommitSeq, IndexId, TableId};
use crate::scan::{Direction, KeyRange, Scan};
use crate::view::View;
use codec::Entry;
use def::{DatabaseDef, ForeignKeyDef, TableDef};
use table::{Counters, Table};

/// See the module.
#[derive(Clone, Debug, Default)]
pub struct Catalog {
    databases: BTreeMap<String, Database>,
    accounts: BTreeMap<String, Arc<[u8]>>,
    /// Which tables have foreign keys to a table, whether it exists or not.
    children: HashMap<TableName, BTreeSet<TableName>>,
    /// The highest ids used.
    pub table_id_high: TableId,
    /// The highest ids used.
    pub index_id_high: IndexId,
}

/// A database and a table of it.
type TableName = (String, String);

/// A database and its tables.
#[derive(Clone, Debug)]
pub struct Database {
    /// What the catalog says.
    pub def: DatabaseDef,
    /// By name.
    pub tables: BTreeMap<String, Arc<Table>>,
}

impl Catalog {
    /// Reads the catalog of a view. `counters` are the highest values of tables' counters.
    pub fn load(view: &View, counters: &HashMap<TableId, Arc<Counters>>) -> Result<Self, EngineError> {
        let mut catalog = Self { index_id_high: IndexId(IndexId::FIRST_USER.0 - 1), ..Self::default() };
        let range = KeyRange::prefix(&IndexId::CATALOG.prefix());
        let mut scan = Scan::new(view, CommitSeq::MAX, None, &range, Direction::Forward)?;
        // Databases sort before tables.
        while let Some(entry) = scan.next_row()? {
            let row = entry.row.expect("next_row returns rows");
            match codec::decode(&entry.key, &row)? {
                Entry::Database(def) => catalog.put_database(def),
                Entry::Account(name, bytes) => catalog.put_account(name, Some(bytes)),
                Entry::Ids(table, index) => (catalog.table_id_high, catalog.index_id_high) = (table, index),
                Entry::Table(def) => {
                    let counters = counters.get(&def.id).cloned().unwrap_or_default();
                    let start = def.auto_increment_start.saturating_sub(1);
                    Counters::raise(&counters.auto_increment, start);
                    catalog.put_table(&Arc::new(Table::new(*def, counters)));
                }
            }
        }
        Ok(catalog)
    }

    /// All databases, by name.
    pub fn databases(&self) -> impl Iterator<Item = &Database> {
        self.databases.values()
    }

    /// A database. Names are case-sensitive, as on Linux.
    pub fn database(&self, name: &str) -> Option<&Database> {
        self.databases.get(name)
    }

    /// A table.
    pub fn table(&self, db: &str, name: &str) -> Option<&Arc<Table>> {
        self.databases.get(db)?.tables.get(name)
    }

    /// All tables.
    pub fn tables(&self) -> impl Iterator<Item = &Arc<Table>> {
        self.databases.values().flat_map(|database| database.tables.values())
    }

    /// The foreign keys to a table, whether it exists or not, with the tables that have them.
    pub fn children(&self, db: &str, table: &str) -> impl Iterator<Item = (&Arc<Table>, &ForeignKeyDef)> {
        let names = self.children.get(&(db.to_owned(), table.to_owned())).into_iter().flatten();
        let tables = names.filter_map(|(db, name)| self.table(db, name));
        let keys = tables.flat_map(|child| child.def.foreign_keys.iter().map(move |key| (child, key)));
        keys.filter(move |(_, key)| key.refers_to(db, table))
    }

    /// What the server keeps of an account.
    pub fn account(&self, name: &str) -> Option<&Arc<[u8]>> {
        self.accounts.get(name)
    }

    /// All accounts, by name.
    pub fn accounts(&self) -> impl Iterator<Item = (&String, &Arc<[u8]>)> {
        self.accounts.iter()
    }

    /// Every index that holds data of a table.
    pub fn index_ids(&self) -> impl Iterator<Item = IndexId> {
        self.tables().flat_map(|table| data_indexes(&table.def))
    }

    /// Adds or replaces a database; its tables stay.
    pub fn put_database(&mut self, def: DatabaseDef) {
        match self.databases.get_mut(&def.name) {
            Some(database) => database.def = def,
            None => drop(self.databases.insert(def.name.clone(), Database { def, tables: BTreeMap::new() })),
        }
    }

    /// Removes a database and its tables.
    pub fn remove_database(&mut self, name: &str) {
        if let Some(database) = self.databases.remove(name) {
            database.tables.values().for_each(|table| self.forget(table));
        }
    }

    /// Adds a table to its database, or replaces the one of its name.
    ///
    /// # Panics
    /// If the database is missing.
    pub fn put_table(&mut self, table: &Arc<Table>) {
        let name = (table.def.db.clone(), table.def.name.clone());
        self.remove_table(&name.0, &name.1);
        for key in &table.def.foreign_keys {
            let parent = (key.parent_db.clone(), key.parent_table.clone());
            self.children.entry(parent).or_default().insert(name.clone());
        }
        let database = self.databases.get_mut(&name.0).expect("a table's database exists");
        database.tables.insert(name.1, Arc::clone(table));
    }

    /// Removes a table.
    pub fn remove_table(&mut self, db: &str, name: &str) {
        if let Some(database) = self.databases.get_mut(db)
            && let Some(old) = database.tables.remove(name)
        {
            self.forget(&old);
        }
    }

    /// A version of a table goes.
    fn forget(&mut self, table: &Table) {
        table.set_gone();
        for key in &table.def.foreign_keys {
            let parent = (key.parent_db.clone(), key.parent_table.clone());
            let Some(children) = self.children.get_mut(&parent) else { continue };
            children.remove(&(table.def.db.clone(), table.def.name.clone()));
            if children.is_empty() {
                self.children.remove(&parent);
            }
        }
    }

    /// Adds, replaces or removes an account.
    pub fn put_account(&mut self, name: String, bytes: Option<Vec<u8>>) {
        match bytes {
            Some(bytes) => drop(self.accounts.insert(name, bytes.into())),
            None => drop(self.accounts.remove(&name)),
        }
    }
}

/// The indexes that hold data of a table: its rows and its secondary indexes.
pub fn data_indexes(def: &TableDef) -> impl Iterator<Item = IndexId> {
    let secondary = def.indexes.iter().map(|index| index.id).filter(|id| *id != def.rows);
    std::iter::once(def.rows).chain(secondary)
}
