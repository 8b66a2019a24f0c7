//! Definitions of virtual tables and of results of SHOW: SQL texts that are read once.

use std::collections::HashMap;
use std::sync::LazyLock;

use engine::catalog::def::TableDef;
use sql::ddl::{DdlEnv, create_table};
use sql::parse::{Statement, parse};
use types::collation::Collation;
use types::column::Column;
use types::context::Context;
use types::sql_mode::SqlMode;
use types::temporal::{Date, TimeZone};
use types::value::Value;
use types::warning::Warnings;

/// Introduces a database in a text.
const DATABASE: &str = "-- database ";

/// The columns of the results of SHOW and the like, by name.
pub(super) fn shows() -> &'static HashMap<String, Vec<Column>> {
    static SHOWS: LazyLock<HashMap<String, Vec<Column>>> = LazyLock::new(|| {
        let named = |def: TableDef| (def.name.clone(), columns_of(&def));
        definitions("", include_str!("shows.sql")).map(named).collect()
    });
    &SHOWS
}

/// The definitions of the virtual tables.
pub(super) fn tables() -> impl Iterator<Item = TableDef> {
    let texts = [include_str!("tables.sql"), include_str!("performance.sql")];
    texts.into_iter().flat_map(|text| text.split(DATABASE).skip(1)).flat_map(|part| {
        let (db, text) = part.split_once('\n').expect("a database's name has a line of its own");
        definitions(db, text)
    })
}

/// The columns of a definition.
pub(super) fn columns_of(def: &TableDef) -> Vec<Column> {
    let column = |column: &engine::catalog::def::ColumnDef| Column {
        table: String::new(),
        name: column.name.clone(),
        ty: column.ty,
        nullable: column.nullable,
    };
    def.columns.iter().map(column).collect()
}

/// Brings the texts of rows to the collations of their columns: they are given as UTF-8.
pub(super) fn conform(columns: &[Column], rows: &mut [Vec<Value>]) {
    for row in rows {
        assert_eq!(row.len(), columns.len(), "a row has a cell for each column");
        for (cell, column) in row.iter_mut().zip(columns) {
            if let (Value::Str(_, collation), Some(wanted)) = (cell, column.ty.collation()) {
                *collation = wanted;
            }
        }
    }
}

/// The tables that a text creates.
fn definitions<'t>(db: &'t str, text: &'t str) -> impl Iterator<Item = TableDef> + 't {
    let statements = text.split(';').map(str::trim).filter(|statement| statement.contains("CREATE TABLE"));
    statements.map(move |statement| {
        let mut warnings = Warnings::default();
        let context = &mut Context::writing(SqlMode::default(), &TimeZone::UTC, Date::ZERO, &mut warnings);
        let database_collation = Collation::Utf8mb3GeneralCi;
        let mut env = DdlEnv {
            context,
            database_collation,
            now: 0,
            foreign_key_checks: true,
            needs_primary_key: false,
            logged: false,
        };
        match parse(statement, SqlMode::default()) {
            Ok(Statement::CreateTable(create)) => create_table(&create, Vec::new(), db, &mut env)
                .unwrap_or_else(|error| panic!("{statement}: {error}")),
            other => panic!("not a definition: {other:?}: {statement}"),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_definition_is_read() {
        assert!(shows().len() > 30);
        assert!(tables().any(|def| def.db == "information_schema" && def.name == "TABLES"));
        assert!(tables().any(|def| def.db == "mysql" && def.name == "user"));
    }
}
