//! Attributes that storage engines have: there are none, but each object has its row.

use super::cell::{NULL, Row, row};
use super::keys;
use super::look::Look;

/// `SCHEMATA_EXTENSIONS`
pub(super) fn of_databases(look: &Look<'_>) -> Vec<Row> {
    look.databases().into_iter().map(|(name, _)| row!["def", name, ""]).collect()
}

/// `TABLES_EXTENSIONS`
pub(super) fn of_tables(look: &Look<'_>) -> Vec<Row> {
    look.tables().map(|table| row!["def", &table.def().db, &table.def().name, NULL, NULL]).collect()
}

/// `COLUMNS_EXTENSIONS`
pub(super) fn of_columns(look: &Look<'_>) -> Vec<Row> {
    let mut rows = Vec::new();
    for table in look.tables() {
        let def = table.def();
        rows.extend(
            def.columns.iter().map(|column| row!["def", &def.db, &def.name, &column.name, NULL, NULL]),
        );
    }
    rows
}

/// `TABLE_CONSTRAINTS_EXTENSIONS`
pub(super) fn of_constraints(look: &Look<'_>) -> Vec<Row> {
    let mut rows = Vec::new();
    for table in look.tables() {
        let def = table.def();
        let keys = keys::named(def).filter(|(_, kind, _)| *kind != "CHECK");
        rows.extend(keys.map(|(name, ..)| row!["def", &def.db, name, &def.name, NULL, NULL]));
    }
    rows
}
