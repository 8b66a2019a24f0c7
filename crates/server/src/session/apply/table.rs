//! A source's table map, and the table that it means here.

use std::sync::Arc;

use binlog::decode::Event;
use engine::catalog::table::Table;
use replication::replica::{ImageError, RowReader, SourceEvent};
use sql::bind::{bind_relations, bind_rules};
use sql::plan::{Doing, PlannedTable, Relations, RowRules};
use types::error::SqlError;
use types::error::table::{ER_BINLOG_FATAL_ERROR, ER_NO_SUCH_TABLE};

use super::super::Client;
use super::Result;

/// See the module.
#[derive(Debug)]
pub(crate) struct Mapped {
    /// The table.
    pub(super) table: Arc<Table>,
    /// How its rows are read.
    pub(super) reader: RowReader,
    /// What foreign keys have to do with changes of it.
    pub(super) relations: Option<Box<Relations>>,
    /// What it says of its rows.
    pub(super) rules: Option<Arc<RowRules>>,
    /// Its lock and those of the tables that foreign keys lead to, in the order in which all statements lock.
    pub(super) locks: Vec<PlannedTable>,
    /// The map itself: the same one need not be looked up again.
    body: Vec<u8>,
}

/// Its name.
impl std::fmt::Display for Mapped {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}.{}", self.table.def.db, self.table.def.name)
    }
}

impl Mapped {
    /// Whether this is what an event says, and still so.
    pub(crate) fn is_that_of(&self, event: &SourceEvent) -> bool {
        self.body == event.body && !self.is_stale()
    }

    /// Whether a table that it is about has changed since.
    pub(super) fn is_stale(&self) -> bool {
        self.table.is_gone() || self.relations.as_ref().is_some_and(|relations| relations.is_stale())
    }
}

impl Client {
    /// What a TABLE_MAP event means. Returns its id too.
    pub(crate) fn map_table(&self, event: &SourceEvent) -> Result<(u64, Mapped)> {
        let Event::TableMap(map) = event.event().map_err(|error| bad_event(&error))? else {
            return Err(bad_event(&"a table map is none"));
        };
        let (db, name) = (String::from_utf8_lossy(map.db), String::from_utf8_lossy(map.table));
        let columns = map.columns().map_err(|error| bad_event(&error.0))?;
        let catalog = self.shared.store.catalog();
        let new = self.new_table.as_ref().map(|new| &new.table);
        let new = new.filter(|new| new.def.db == db && new.def.name == name);
        let table = new.or_else(|| catalog.table(&db, &name)).cloned();
        let table = table.ok_or_else(|| ER_NO_SUCH_TABLE.error(&[&db, &name]))?;
        let own: Vec<_> = table.def.columns.iter().map(|column| column.ty).collect();
        let reader = RowReader::new(&columns, &own).map_err(|error| image_error(&table, &error))?;
        let relations = bind_relations(&catalog, &table, &Doing::everything(&table), &self.sql)?;
        let rules = bind_rules(&catalog, &table, &self.sql)?;
        let mut locks = vec![PlannedTable::named(Arc::clone(&table), true)];
        locks.extend(relations.iter().flat_map(|relations| relations.others()));
        locks.sort_by_key(|planned| planned.table.lock.0);
        Ok((map.table_id, Mapped { table, reader, relations, rules, locks, body: event.body.clone() }))
    }
}

/// An event that cannot be read.
pub(super) fn bad_event(error: &dyn std::fmt::Display) -> SqlError {
    ER_BINLOG_FATAL_ERROR.error(&[&format_args!("an event of the source cannot be read: {error}")])
}

/// An image that is no row of the table: error 1677, as MySQL without `replica_type_conversions`.
pub(super) fn image_error(table: &Table, error: &ImageError) -> SqlError {
    let def = &table.def;
    match error {
        ImageError::Malformed => bad_event(&"a row is damaged"),
        ImageError::Conversion { column, from } => {
            let to = def.columns.get(*column).map(|column| column.ty.to_string()).unwrap_or_default();
            // `ER_REPLICA_CONVERSION_FAILED`, which clients never meet.
            let message = format!(
                "Column {column} of table '{}.{}' cannot be converted from type '{from}' to type '{to}'",
                def.db, def.name
            );
            SqlError { code: 1677, sqlstate: *b"HY000", message }
        }
    }
}
