//! What a session sees of the server: databases and tables, stored or virtual, that it has any privilege on.

use std::sync::Arc;

use engine::catalog::Catalog;
use engine::catalog::def::TableDef;
use engine::catalog::table::Table;
use sql::bind::bind_whole_view;
use sql::ddl::selected_columns;
use sql::exec::output_columns;
use sql::expr::Types;
use sql::session::Session;
use types::collation::Collation;
use types::error::SqlError;
use types::error::table::{ER_BAD_DB_ERROR, ER_NO_SUCH_TABLE};
use types::temporal::{DateTime, Timestamp};
use types::value::Value;
use types::warning::Warnings;

use super::{InfoTable, Result, find};
use crate::accounts::Access;
use crate::session::{SessionView, Shared};
use crate::variables::SessionVariables;

/// See the module.
#[derive(Debug)]
pub(crate) struct Look<'a> {
    /// The server.
    pub(crate) shared: &'a Arc<Shared>,
    /// The session, as its expressions see it.
    pub(crate) view: &'a SessionView,
    /// What the session may do.
    pub(crate) access: &'a Access,
    /// The session.
    pub(crate) session: &'a Session,
    /// Its variables.
    pub(crate) variables: &'a SessionVariables,
    /// The catalog.
    pub(crate) catalog: Arc<Catalog>,
    /// The one database whose tables are wanted.
    db: Wanted,
    /// The one name of tables that is wanted.
    table: Wanted,
}

/// A name that rows are asked for by, if there is one.
#[derive(Debug, Default)]
struct Wanted(Option<String>);

impl Wanted {
    /// Whether a name can be equal to the one that is wanted, in any collation.
    fn may_be(&self, name: &str) -> bool {
        self.0.as_ref().is_none_or(|wanted| !name.is_ascii() || name.trim_end().eq_ignore_ascii_case(wanted))
    }
}

/// A table of either kind.
#[derive(Clone, Debug)]
pub(crate) enum AnyTable {
    /// It has rows of its own.
    Stored(Arc<Table>),
    /// Its rows are made when they are read.
    Virtual(&'static InfoTable),
}

impl AnyTable {
    /// Its definition.
    pub(crate) fn def(&self) -> &TableDef {
        match self {
            Self::Stored(table) => &table.def,
            Self::Virtual(table) => &table.def,
        }
    }
}

/// Databases of virtual tables, and their collations.
const LISTED: [(&str, Collation); 3] = [
    ("information_schema", Collation::Utf8mb3GeneralCi),
    ("mysql", Collation::Utf8mb4GeneralCi),
    ("performance_schema", Collation::Utf8mb4GeneralCi),
];

impl<'a> Look<'a> {
    /// That of a session.
    pub(crate) fn new(
        view: &'a SessionView,
        access: &'a Access,
        session: &'a Session,
        variables: &'a SessionVariables,
    ) -> Self {
        let shared = view.shared();
        let catalog = shared.store.catalog();
        let (db, table) = (Wanted::default(), Wanted::default());
        Self { shared, view, access, session, variables, catalog, db, table }
    }

    /// Notes that only rows are wanted whose column of this name has this value.
    pub(crate) fn narrow(&mut self, column: &str, value: &Value) {
        let Value::Str(bytes, _) = value else { return };
        let Ok(text) = std::str::from_utf8(bytes) else { return };
        let wanted = match column {
            "TABLE_SCHEMA" => &mut self.db,
            "TABLE_NAME" => &mut self.table,
            _ => return,
        };
        if text.is_ascii() {
            *wanted = Wanted(Some(text.trim_end().to_owned()));
        }
    }

    /// The databases, by name.
    pub(crate) fn databases(&self) -> Vec<(String, Collation)> {
        let stored =
            self.catalog.databases().map(|database| (database.def.name.clone(), database.def.collation));
        let listed = LISTED.iter().map(|(name, collation)| ((*name).to_owned(), *collation));
        let mut all: Vec<_> =
            stored.chain(listed).filter(|(name, _)| self.access.sees_database(name)).collect();
        all.sort_by(|a, b| a.0.cmp(&b.0));
        all
    }

    /// The default of a database's tables.
    pub(crate) fn database_collation(&self, db: &str) -> Collation {
        match self.catalog.database(db) {
            Some(database) => database.def.collation,
            None if db == "information_schema" => Collation::Utf8mb3GeneralCi,
            None => Collation::Utf8mb4GeneralCi,
        }
    }

    /// The tables of a database that are listed, by name. Of those of `mysql` only the logs are, though all can be read:
    /// `mysqldump` insists on dumping that database, and what it dumps must load again.
    pub(crate) fn tables_in(&self, db: &str) -> Vec<AnyTable> {
        let listed = |table: &TableDef| db != "mysql" || matches!(&*table.name, "general_log" | "slow_log");
        let virtual_ones = super::all().iter().filter(|table| table.def.db == db && listed(&table.def));
        let mut all: Vec<AnyTable> = virtual_ones.map(AnyTable::Virtual).collect();
        if let Some(database) = self.catalog.database(db) {
            all.extend(database.tables.values().cloned().map(AnyTable::Stored));
        }
        all.retain(|table| self.access.sees_table(db, &table.def().name));
        all.sort_by(|a, b| a.def().name.cmp(&b.def().name));
        all
    }

    /// The tables of all databases, or those that are wanted.
    pub(crate) fn tables(&self) -> impl Iterator<Item = AnyTable> {
        let databases = self.databases().into_iter().filter(|(db, _)| self.db.may_be(db));
        databases.flat_map(|(db, _)| self.tables_in(&db)).filter(|table| self.table.may_be(&table.def().name))
    }

    /// The name of a database as it is written in the catalog. Error 1049, and 1044 if the session sees nothing of it.
    pub(crate) fn database(&self, db: &str) -> Result<String> {
        let name = match super::database_name(db) {
            Some(name) => name,
            None if self.catalog.database(db).is_some() => db,
            None => return Err(ER_BAD_DB_ERROR.error(&[&db])),
        };
        self.access.use_database(name)?;
        Ok(name.to_owned())
    }

    /// A table, the session's own before others. Errors 1049 and 1146.
    pub(crate) fn table(&self, db: &str, name: &str) -> Result<AnyTable> {
        let own = self.session.temporary.get(db, name);
        own.map_or_else(|| self.listed(db, name), |own| Ok(AnyTable::Stored(Arc::clone(own))))
    }

    /// A table that is no session's own.
    pub(crate) fn listed(&self, db: &str, name: &str) -> Result<AnyTable> {
        if let Some(found) = self.catalog.table(db, name) {
            return Ok(AnyTable::Stored(Arc::clone(found)));
        }
        if let Some(found) = find(db, name) {
            return Ok(AnyTable::Virtual(found));
        }
        if self.catalog.database(db).is_none() && super::database_name(db).is_none() {
            return Err(ER_BAD_DB_ERROR.error(&[&db]));
        }
        Err(missing(db, name))
    }

    /// The same table; a view with its columns as they are now. Error 1356 if it cannot be bound any more.
    pub(crate) fn refreshed(&self, table: AnyTable) -> Result<AnyTable> {
        let view = match &table {
            AnyTable::Stored(view) if view.def.view.is_some() => view,
            _ => return Ok(table),
        };
        let plan = bind_whole_view(view, &self.catalog, self.session)?;
        let mut columns = output_columns(&plan, &Types::of_session(self.session))?;
        for (column, named) in columns.iter_mut().zip(&view.def.columns) {
            column.name.clone_from(&named.name);
        }
        let find = |db: &str, table: &str| self.catalog.table(db, table).cloned();
        let columns = selected_columns(&columns, find, &self.session.writing(&mut Warnings::default()))?;
        let def = TableDef { columns, ..view.def.clone() };
        Ok(AnyTable::Stored(Arc::new(Table::new(def, Arc::clone(&view.counters)))))
    }

    /// A moment in the session's time zone.
    pub(crate) fn local_time(&self, unix_s: u32) -> Option<DateTime> {
        Timestamp::new(unix_s.into(), 0).map(|moment| self.session.time_zone().to_local(moment, 0))
    }
}

/// Error 1146.
pub(crate) fn missing(db: &str, name: &str) -> SqlError {
    ER_NO_SUCH_TABLE.error(&[&db, &name])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wanted_name_leaves_nothing_out_that_could_be_meant() {
        let wanted = Wanted(Some("e".into()));
        for (name, may_be) in
            [("e", true), ("E", true), ("e ", true), ("\u{e9}", true), ("f", false), ("ee", false)]
        {
            assert_eq!(wanted.may_be(name), may_be, "{name}");
        }
        assert!(Wanted::default().may_be("f"));
    }
}
