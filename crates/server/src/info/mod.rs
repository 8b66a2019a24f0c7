//! What the server tells of itself: `information_schema`, a few tables of `performance_schema` and `mysql`, and SHOW.
//!
//! A virtual table is a definition in SQL (`tables.sql`) and a function that makes its rows ([`ROWS`]); one without a
//! function is empty, which is right where there are no such objects: triggers, routines, partitions, ... What SHOW answers
//! is a table as well (`shows.sql`), whose rows are made for the one statement; LIKE and WHERE are conditions of a
//! query over it.
//!
//! Invariant: nobody is told of a database or a table that he has no privilege on.

mod attributes;
pub(crate) mod cell;
mod columns;
mod definition;
mod digests;
mod engine_status;
mod estimate;
mod extensions;
mod general_log;
mod host_cache;
mod keys;
mod locks;
mod log_status;
pub(crate) mod logs;
mod look;
mod metrics;
mod privileges;
mod schema;
mod server;
pub(crate) mod show;
mod slow_log;
mod views;

use std::collections::HashMap;
use std::sync::{Arc, LazyLock};

use engine::catalog::def::TableDef;
use sql::session::Session;
use sql::virtual_table::VirtualTable;
use types::column::Column;
use types::error::SqlError;
use types::value::Value;

use cell::Row;
pub(crate) use look::{AnyTable, Look, missing};
pub(crate) use server::{is_plugin, prometheus};

use crate::replica::tables as replica;
use crate::session::SessionView;

type Result<T> = std::result::Result<T, SqlError>;

/// Makes the rows of a table.
#[derive(Clone, Copy, Debug)]
enum Make {
    /// From memory.
    Sure(fn(&Look<'_>) -> Vec<Row>),
    /// By reading, or for those only who may see them.
    Try(fn(&Look<'_>) -> Result<Vec<Row>>),
}

use Make::{Sure, Try};

/// Which function makes the rows of a table.
const ROWS: &[(&str, &str, Make)] = &[
    ("information_schema", "CHARACTER_SETS", Sure(server::character_sets)),
    ("information_schema", "CHECK_CONSTRAINTS", Sure(keys::checks)),
    ("information_schema", "COLLATIONS", Sure(server::collations)),
    ("information_schema", "COLLATION_CHARACTER_SET_APPLICABILITY", Sure(server::applicability)),
    ("information_schema", "COLUMNS", Sure(columns::rows)),
    ("information_schema", "COLUMNS_EXTENSIONS", Sure(extensions::of_columns)),
    ("information_schema", "ENGINES", Sure(server::engines)),
    ("information_schema", "INNODB_METRICS", Try(metrics::rows)),
    ("information_schema", "INNODB_TRX", Try(locks::transactions)),
    ("information_schema", "KEYWORDS", Sure(server::keywords)),
    ("information_schema", "KEY_COLUMN_USAGE", Sure(keys::usage)),
    ("information_schema", "PARTITIONS", Try(schema::partitions)),
    ("information_schema", "PLUGINS", Sure(server::plugins)),
    ("information_schema", "PROCESSLIST", Sure(server::processes)),
    ("information_schema", "REFERENTIAL_CONSTRAINTS", Sure(keys::referential)),
    ("information_schema", "SCHEMATA", Sure(schema::schemata)),
    ("information_schema", "SCHEMATA_EXTENSIONS", Sure(extensions::of_databases)),
    ("information_schema", "SCHEMA_PRIVILEGES", Sure(privileges::of_databases)),
    ("information_schema", "STATISTICS", Try(keys::statistics)),
    ("information_schema", "TABLES", Try(schema::tables)),
    ("information_schema", "TABLES_EXTENSIONS", Sure(extensions::of_tables)),
    ("information_schema", "TABLE_CONSTRAINTS_EXTENSIONS", Sure(extensions::of_constraints)),
    ("information_schema", "TABLE_CONSTRAINTS", Sure(keys::constraints)),
    ("information_schema", "TABLE_PRIVILEGES", Sure(privileges::of_tables)),
    ("information_schema", "USER_ATTRIBUTES", Sure(privileges::user_attributes)),
    ("information_schema", "USER_PRIVILEGES", Sure(privileges::of_users)),
    ("information_schema", "VIEWS", Sure(views::rows)),
    ("mysql", "db", Try(privileges::mysql_db)),
    ("mysql", "general_log", Try(general_log::rows)),
    ("mysql", "gtid_executed", Try(logs::executed)),
    ("mysql", "global_grants", Try(privileges::mysql_global_grants)),
    ("mysql", "slave_master_info", Try(replica::master_info)),
    ("mysql", "slave_relay_log_info", Try(replica::relay_log_info)),
    ("mysql", "slow_log", Try(slow_log::rows)),
    ("mysql", "tables_priv", Try(privileges::mysql_tables_priv)),
    ("mysql", "user", Try(privileges::mysql_user)),
    ("performance_schema", "data_lock_waits", Sure(locks::data_lock_waits)),
    ("performance_schema", "data_locks", Sure(locks::data_locks)),
    ("performance_schema", "events_statements_summary_by_digest", Try(digests::rows)),
    ("performance_schema", "global_status", Sure(server::global_status)),
    ("performance_schema", "global_variables", Sure(server::global_variables)),
    ("performance_schema", "host_cache", Try(host_cache::rows)),
    ("performance_schema", "log_status", Try(log_status::rows)),
    ("performance_schema", "metadata_locks", Sure(locks::metadata_locks)),
    ("performance_schema", "processlist", Sure(server::performance_processes)),
    ("performance_schema", "replication_applier_configuration", Try(replica::applier_configuration)),
    ("performance_schema", "replication_applier_status", Try(replica::applier_status)),
    ("performance_schema", "replication_applier_status_by_coordinator", Try(replica::coordinator)),
    ("performance_schema", "replication_applier_status_by_worker", Try(replica::workers)),
    ("performance_schema", "replication_connection_configuration", Try(replica::connection_configuration)),
    ("performance_schema", "replication_connection_status", Try(replica::connection_status)),
    ("performance_schema", "session_account_connect_attrs", Sure(attributes::of_account)),
    ("performance_schema", "session_connect_attrs", Try(attributes::of_all)),
    ("performance_schema", "session_status", Sure(server::session_status)),
    ("performance_schema", "session_variables", Sure(server::session_variables)),
    ("performance_schema", "setup_consumers", Sure(digests::consumers)),
    ("performance_schema", "setup_instruments", Sure(locks::instruments)),
    ("performance_schema", "threads", Sure(locks::threads)),
];

/// A virtual table.
#[derive(Debug)]
pub(crate) struct InfoTable {
    /// Its definition.
    pub(crate) def: TableDef,
    columns: Vec<Column>,
    make: Make,
}

impl VirtualTable for InfoTable {
    fn db(&self) -> &str {
        &self.def.db
    }

    fn name(&self) -> &str {
        &self.def.name
    }

    fn columns(&self) -> &[Column] {
        &self.columns
    }

    fn rows(&self, session: &Session, equal: &[(usize, Value)]) -> Result<Vec<Row>> {
        // A session that is no client's sees nothing.
        let Some(view) = SessionView::of(session) else { return Ok(Vec::new()) };
        let access = view.access();
        let variables = view.variables();
        let mut look = Look::new(view, &access, session, &variables);
        for (column, value) in equal {
            look.narrow(&self.columns[*column].name, value);
        }
        let mut rows = match self.make {
            Sure(make) => make(&look),
            Try(make) => make(&look)?,
        };
        definition::conform(&self.columns, &mut rows);
        Ok(rows)
    }
}

/// A table of `information_schema`, `performance_schema` or `mysql`.
pub fn virtual_table(db: &str, name: &str) -> Option<Arc<dyn VirtualTable>> {
    find(db, name).map(|table| Arc::new(table) as Arc<dyn VirtualTable>)
}

/// Whether a database has virtual tables.
pub fn is_virtual_database(db: &str) -> bool {
    database_name(db).is_some()
}

impl VirtualTable for &'static InfoTable {
    fn db(&self) -> &str {
        (**self).db()
    }

    fn name(&self) -> &str {
        (**self).name()
    }

    fn columns(&self) -> &[Column] {
        (**self).columns()
    }

    fn rows(&self, session: &Session, equal: &[(usize, Value)]) -> Result<Vec<Row>> {
        (**self).rows(session, equal)
    }
}

/// An expression of a definition; quotes and backslashes have a backslash, as in MySQL.
fn escaped(expression: &str) -> String {
    expression.replace('\\', "\\\\").replace('\'', "\\'")
}

/// How a database of virtual tables is written. The names of the two schemas are found in any case.
fn database_name(db: &str) -> Option<&'static str> {
    let exact = |name: &&str| *name == db || *name != "mysql" && name.eq_ignore_ascii_case(db);
    ["information_schema", "mysql", "performance_schema"].into_iter().find(exact)
}

/// The virtual table of a name; names are found in any case in `information_schema` only.
fn find(db: &str, name: &str) -> Option<&'static InfoTable> {
    static PLACES: LazyLock<HashMap<(&str, &str), usize>> = LazyLock::new(|| {
        let place = |(place, table): (usize, &'static InfoTable)| ((&*table.def.db, &*table.def.name), place);
        all().iter().enumerate().map(place).collect()
    });
    let db = database_name(db)?;
    let upper = name.to_ascii_uppercase();
    let name = if db == "information_schema" { &upper } else { name };
    PLACES.get(&(db, name)).map(|place| &all()[*place])
}

/// All virtual tables.
fn all() -> &'static [InfoTable] {
    static ALL: LazyLock<Vec<InfoTable>> = LazyLock::new(|| {
        let make = |def: &TableDef| {
            let found = ROWS.iter().find(|(db, name, _)| *db == def.db && *name == def.name);
            found.map_or(Sure(|_| Vec::new()), |(_, _, make)| *make)
        };
        definition::tables()
            .map(|def| InfoTable { columns: definition::columns_of(&def), make: make(&def), def })
            .collect()
    });
    &ALL
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_function_has_its_table() {
        for (db, name, _) in ROWS {
            assert!(find(db, name).is_some(), "{db}.{name}");
        }
    }

    #[test]
    fn names_are_found_in_any_case_in_information_schema_only() {
        assert!(virtual_table("INFORMATION_SCHEMA", "Tables").is_some());
        assert!(virtual_table("mysql", "user").is_some());
        assert!(virtual_table("mysql", "USER").is_none());
        assert!(!is_virtual_database("MySQL"));
        assert!(is_virtual_database("Performance_Schema"));
    }
}
