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
            row.extend(row![&index.name, place as u64 + 1, &name.name, "A"]);
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
        row.extend(row![&column.name, "A", cardinality(index, place, &estimate), part.prefix, NULL]);
        row.extend(row![null(column.nullable), "BTREE", "", &index.comment, "YES", NULL]);
        row
    };
    Ok(parts(def).map(row).collect())
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
    let row = |table: AnyTable| {
        let def = table.def();
        let row = |(index, place, part): (&IndexDef, usize, &IndexPart)| {
            let column = &def.columns[usize::from(part.column)].name;
            let mut row =
                row!["def", &def.db, &index.name, "def", &def.db, &def.name, column, place as u64 + 1];
            row.extend([NULL, NULL, NULL, NULL]);
            row
        };
        parts(def).filter(|(index, ..)| index.kind.is_unique()).map(row).collect::<Vec<_>>()
    };
    look.tables().flat_map(row).collect()
}

/// `TABLE_CONSTRAINTS`
pub(super) fn constraints(look: &Look<'_>) -> Vec<Row> {
    let row = |table: AnyTable| {
        let def = table.def();
        let row = |index: &IndexDef| {
            let kind = if index.kind == IndexKind::Primary { "PRIMARY KEY" } else { "UNIQUE" };
            row!["def", &def.db, &index.name, &def.db, &def.name, kind, "YES"]
        };
        def.indexes.iter().filter(|index| index.kind.is_unique()).map(row).collect::<Vec<_>>()
    };
    look.tables().flat_map(row).collect()
}
