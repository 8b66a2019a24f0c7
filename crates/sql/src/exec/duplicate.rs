//! Error 1062, worded.

use engine::catalog::table::Table;
use types::error::SqlError;
use types::error::table::ER_DUP_ENTRY;
use types::row::Offsets;
use types::temporal::TimeZone;
use types::value::ValueRef;

/// The error for a row whose key in an index (by its place in the definition's list) is there already.
pub fn error(table: &Table, row: &[u8], index: usize, time_zone: &TimeZone) -> SqlError {
    let mut offsets = Offsets::default();
    let mut values = String::new();
    let index = &table.def.indexes[index];
    if table.rows.offsets(row, &mut offsets).is_ok() {
        let texts = index.parts.iter().map(|part| {
            match table.rows.value(row, &offsets, part.column.into(), time_zone) {
                ValueRef::Null => "NULL".to_owned(),
                value => value.to_message(),
            }
        });
        values = texts.collect::<Vec<_>>().join("-");
    }
    ER_DUP_ENTRY.error(&[&values, &format!("{}.{}", table.def.name, index.name)])
}
