//! The temporary tables of a session: CREATE TEMPORARY TABLE.
//!
//! A name means the temporary table that has it before any other; in views, foreign keys and what replicas do it never does.
//! The catalog knows nothing of them, and their rows are the session's own (crate `engine`, module `temporary`).

use std::collections::BTreeMap;
use std::sync::Arc;

use engine::catalog::def::TableDef;
use engine::catalog::table::Table;
use engine::ids::{IndexId, TableId};

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

    /// Gives a definition ids that no other temporary table of the session has.
    pub fn number(&mut self, def: &mut TableDef) {
        (def.id, def.rows) = (TableId(0), IndexId(0));
        def.indexes.iter_mut().for_each(|index| index.id = IndexId(0));
        let mut next = self.next_id;
        let id = TableId(next);
        let next_index = || {
            let id = IndexId(next);
            // A session that has made two thousand million of them begins again.
            next = next.checked_add(1).unwrap_or(IndexId::FIRST_TEMPORARY.0);
            id
        };
        fill_ids(def, || id, next_index);
        self.next_id = next;
    }
}
