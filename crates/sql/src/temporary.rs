//! The temporary tables of a session: CREATE TEMPORARY TABLE.
//!
//! A name means the temporary table that has it before any other; in views, foreign keys and what replicas do it never does.
//! The catalog knows nothing of them, and their rows are the session's own (crate `engine`, module `temporary`).

use std::collections::BTreeMap;
use std::sync::Arc;

use engine::catalog::def::TableDef;
use engine::catalog::table::Table;
use engine::ids::{IndexId, TableId};
use types::error::SqlError;
use types::error::table::ER_RECORD_FILE_FULL;

use crate::ddl::fill_ids;

/// See the module.
#[derive(Debug)]
pub struct TemporaryTables {
    /// By database and name.
    tables: BTreeMap<String, BTreeMap<String, Arc<Table>>>,
    version: u64,
    next_id: u32,
}

impl Default for TemporaryTables {
    fn default() -> Self {
        Self { tables: BTreeMap::new(), version: 0, next_id: IndexId::FIRST_TEMPORARY.0 }
    }
}

impl TemporaryTables {
    /// The table of a name.
    pub fn get(&self, db: &str, name: &str) -> Option<&Arc<Table>> {
        self.tables.get(db)?.get(name)
    }

    /// Changes when a name means something else; `None` while there is no table.
    pub fn version(&self) -> Option<u64> {
        (!self.tables.is_empty()).then_some(self.version)
    }

    /// Adds a table, or the next version of one.
    pub fn put(&mut self, table: Arc<Table>) {
        let name = table.def.name.clone();
        self.put_as(&name, table);
    }

    /// Adds a table under another name than its own.
    pub fn put_as(&mut self, name: &str, table: Arc<Table>) {
        self.version += 1;
        let tables = self.tables.entry(table.def.db.clone()).or_default();
        tables.insert(name.to_owned(), table);
    }

    /// Takes a name out.
    pub fn take(&mut self, db: &str, name: &str) -> Option<Arc<Table>> {
        let tables = self.tables.get_mut(db)?;
        let old = tables.remove(name)?;
        if tables.is_empty() {
            self.tables.remove(db);
        }
        self.version += 1;
        Some(old)
    }

    /// Gives a definition ids that no other temporary table of the session has had. Error 1114 once they are used up, after two
    /// thousand million indexes.
    pub fn number(&mut self, def: &mut TableDef) -> Result<(), SqlError> {
        let count = u32::try_from(def.indexes.len() + 1).unwrap_or(u32::MAX);
        let end = self.next_id.checked_add(count).ok_or_else(|| ER_RECORD_FILE_FULL.error(&[&def.name]))?;
        (def.id, def.rows) = (TableId(0), IndexId(0));
        def.indexes.iter_mut().for_each(|index| index.id = IndexId(0));
        let table = TableId(self.next_id);
        let mut indexes = (self.next_id..end).map(IndexId);
        fill_ids(def, || table, || indexes.next().expect("as many as there are indexes, and one"));
        self.next_id = end;
        Ok(())
    }
}
