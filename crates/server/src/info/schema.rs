//! Databases and tables.

use types::column::ColumnType;
use types::error::SqlError;

use super::cell::{NULL, Row, row};
use super::estimate::Estimate;
use super::look::{AnyTable, Look};

type Result<T> = std::result::Result<T, SqlError>;

/// `SCHEMATA`
pub(super) fn schemata(look: &Look<'_>) -> Vec<Row> {
    let row = |(name, collation): (String, types::collation::Collation)| {
        row!["def", name, collation.charset().name(), collation.name(), NULL, "NO"]
    };
    look.databases().into_iter().map(row).collect()
}

/// `TABLES`
pub(super) fn tables(look: &Look<'_>) -> Result<Vec<Row>> {
    let row = |table: AnyTable| {
        let def = table.def();
        let mut row = row!["def", &def.db, &def.name, kind(&table)];
        row.extend(status(&table, look)?);
        Ok(row)
    };
    look.tables().map(row).collect()
}

/// `TABLE_TYPE`
pub(super) fn kind(table: &AnyTable) -> &'static str {
    match table {
        AnyTable::Virtual(table) if table.def.db == "information_schema" => "SYSTEM VIEW",
        AnyTable::Stored(table) if table.def.view.is_some() => "VIEW",
        _ => "BASE TABLE",
    }
}

/// From `ENGINE` to `TABLE_COMMENT`: SHOW TABLE STATUS behind the name.
pub(super) fn status(table: &AnyTable, look: &Look<'_>) -> Result<Row> {
    let created = look.local_time(table.def().created_at);
    let table = match table {
        AnyTable::Stored(table) if table.def.view.is_some() => {
            let mut row: Row = std::iter::repeat_n(NULL, 10).collect();
            row.extend(row![created, NULL, NULL, NULL, NULL, NULL, "VIEW"]);
            return Ok(row);
        }
        AnyTable::Stored(table) => table,
        AnyTable::Virtual(table) => {
            let engine = match &*table.def.db {
                "performance_schema" => Some("PERFORMANCE_SCHEMA"),
                "mysql" => Some("CSV"),
                _ => None,
            };
            let zero = 0_u64;
            return Ok(row![
                engine, 10_u64, NULL, zero, zero, zero, zero, zero, zero, NULL, created, NULL, NULL, NULL,
                NULL, "", "",
            ]);
        }
    };
    let estimate = Estimate::of(table, look)?;
    let auto_increment = table.def.auto_increment().map(|_| next_auto_increment(table));
    Ok(row![
        "InnoDB",
        10_u64,
        "Dynamic",
        estimate.rows,
        estimate.row_size,
        estimate.data_size,
        0_u64,
        estimate.index_size,
        0_u64,
        auto_increment,
        created,
        NULL,
        NULL,
        table.def.collation.name(),
        NULL,
        "",
        &table.def.comment,
    ])
}

/// The next value of a table's counter.
pub(super) fn next_auto_increment(table: &engine::catalog::table::Table) -> u64 {
    let next = table.counters.auto_increment.load(std::sync::atomic::Ordering::Relaxed).saturating_add(1);
    let column = table.def.columns.iter().find(|column| column.auto_increment);
    match column.map(|column| column.ty) {
        // Where it ends, it stays.
        Some(ColumnType::Int(int)) => next.min(int.max()),
        _ => next,
    }
}

/// `PARTITIONS`: each table is one.
pub(super) fn partitions(look: &Look<'_>) -> Result<Vec<Row>> {
    let row = |table: AnyTable| {
        let AnyTable::Stored(table) = table else { return Ok(None) };
        if table.def.view.is_some() {
            return Ok(None);
        }
        let estimate = Estimate::of(&table, look)?;
        let mut row = row!["def", &table.def.db, &table.def.name];
        row.extend(std::iter::repeat_n(NULL, 9));
        row.extend(row![
            estimate.rows,
            estimate.row_size,
            estimate.data_size,
            0_u64,
            estimate.index_size,
            0_u64,
            look.local_time(table.def.created_at),
            NULL,
            NULL,
            NULL,
            "",
            "",
            NULL,
        ]);
        Ok(Some(row))
    };
    look.tables().filter_map(|table| row(table).transpose()).collect()
}
