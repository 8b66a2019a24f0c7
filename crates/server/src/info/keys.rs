//! Indexes and what they guarantee.

use engine::catalog::def::{IndexDef, IndexKind, IndexPart, TableDef};
use types::error::SqlError;

use super::cell::{NULL, Row, row};
use super::estimate::Estimate;
use super::look::{AnyTable, Look};

type Result<T> = std::result::Result<T, SqlError>;

/// `STATISTICS`
pub(super) fn statistics(look: &Look<'_>) -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    for table in look.tables() {
        let AnyTable::Stored(table) = table else { continue };
        let estimate = Estimate::of(&table, look)?;
        let def = &table.def;
        for (index, place, part) in parts(def) {
            let name = &def.columns[usize::from(part.column)];
            let mut row = row!["def", &def.db, &def.name, u64::from(!index.kind.is_unique()), &def.db];
            row.extend(row![&index.name, place as u64 + 1, &name.name, direction(part)]);
            row.extend(row![cardinality(index, place, &estimate), part.prefix, NULL]);
            row.extend(row![null(name.nullable), "BTREE", "", &index.comment, "YES", NULL]);
            rows.push(row);
        }
    }
    Ok(rows)
}

/// SHOW INDEX.
pub(super) fn show(look: &Look<'_>, table: &AnyTable) -> Result<Vec<Row>> {
    let AnyTable::Stored(table) = table else { return Ok(Vec::new()) };
    let estimate = Estimate::of(table, look)?;
    let def = &table.def;
    let row = |(index, place, part): (&IndexDef, usize, &IndexPart)| {
        let column = &def.columns[usize::from(part.column)];
        let mut row = row![&def.name, u64::from(!index.kind.is_unique()), &index.name, place as u64 + 1];
        row.extend(row![&column.name, direction(part)]);
        row.extend(row![cardinality(index, place, &estimate), part.prefix, NULL]);
        row.extend(row![null(column.nullable), "BTREE", "", &index.comment, "YES", NULL]);
        row
    };
    Ok(parts(def).map(row).collect())
}

/// The column Collation.
fn direction(part: &IndexPart) -> &'static str {
    if part.descending { "D" } else { "A" }
}

fn null(nullable: bool) -> &'static str {
    if nullable { "YES" } else { "" }
}

/// A whole unique key has as many values as there are rows; of others nothing is known.
fn cardinality(index: &IndexDef, place: usize, estimate: &Estimate) -> Option<u64> {
    (index.kind.is_unique() && place + 1 == index.parts.len() || estimate.rows == 0).then_some(estimate.rows)
}

/// The parts of all indexes, with their places.
fn parts(def: &TableDef) -> impl Iterator<Item = (&IndexDef, usize, &IndexPart)> {
    def.indexes
        .iter()
        .flat_map(|index| index.parts.iter().enumerate().map(move |(place, part)| (index, place, part)))
}

/// `KEY_COLUMN_USAGE`
pub(super) fn usage(look: &Look<'_>) -> Vec<Row> {
    let mut rows = Vec::new();
    for table in look.tables() {
        let def = table.def();
        let of = |constraint: &str, column: u16, place: usize| {
            let column = &def.columns[usize::from(column)].name;
            row!["def", &def.db, constraint, "def", &def.db, &def.name, column, place as u64 + 1]
        };
        for (index, place, part) in parts(def).filter(|(index, ..)| index.kind.is_unique()) {
            let mut row = of(&index.name, part.column, place);
            row.extend([NULL, NULL, NULL, NULL]);
            rows.push(row);
        }
        for key in &def.foreign_keys {
            for (place, (column, parent_column)) in key.columns.iter().zip(&key.parent_columns).enumerate() {
                let mut row = of(&key.name, *column, place);
                row.extend(row![place as u64 + 1, &key.parent_db, &key.parent_table, parent_column]);
                rows.push(row);
            }
        }
    }
    rows
}

/// `REFERENTIAL_CONSTRAINTS`
pub(super) fn referential(look: &Look<'_>) -> Vec<Row> {
    let catalog = &look.catalog;
    let mut rows = Vec::new();
    for table in look.tables() {
        let def = table.def();
        for key in &def.foreign_keys {
            let parent = catalog.table(&key.parent_db, &key.parent_table);
            let unique = parent.and_then(|parent| parent.def.unique_on(&key.parent_columns));
            let mut row = row!["def", &def.db, &key.name, "def", &key.parent_db];
            row.extend(row![unique.map(|index| &*index.name), "NONE"]);
            row.extend(row![key.on_update.as_str(), key.on_delete.as_str(), &def.name, &key.parent_table]);
            rows.push(row);
        }
    }
    rows
}

/// A table's constraints: their names and kinds, and whether they are enforced.
pub(super) fn named(def: &TableDef) -> impl Iterator<Item = (&str, &'static str, bool)> {
    let unique = def.indexes.iter().filter(|index| index.kind.is_unique()).map(|index| {
        let kind = if index.kind == IndexKind::Primary { "PRIMARY KEY" } else { "UNIQUE" };
        (&*index.name, kind, true)
    });
    let foreign = def.foreign_keys.iter().map(|key| (&*key.name, "FOREIGN KEY", true));
    let checks = def.checks.iter().map(|check| (&*check.name, "CHECK", check.enforced));
    unique.chain(foreign).chain(checks)
}

/// `TABLE_CONSTRAINTS`
pub(super) fn constraints(look: &Look<'_>) -> Vec<Row> {
    let mut rows = Vec::new();
    for table in look.tables() {
        let def = table.def();
        rows.extend(named(def).map(|(name, kind, enforced)| {
            let enforced = if enforced { "YES" } else { "NO" };
            row!["def", &def.db, name, &def.db, &def.name, kind, enforced]
        }));
    }
    rows
}

/// `CHECK_CONSTRAINTS`
pub(super) fn checks(look: &Look<'_>) -> Vec<Row> {
    let mut rows = Vec::new();
    for table in look.tables() {
        let def = table.def();
        rows.extend(def.checks.iter().map(|check| {
            let clause = super::escaped(&check.expression);
            row!["def", &def.db, &check.name, clause]
        }));
    }
    rows
}
