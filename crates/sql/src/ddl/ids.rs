//! Ids of new tables and indexes.

use engine::catalog::def::TableDef;
use engine::ids::{IndexId, TableId};

/// Gives an id to the table if it has none, and to each of its indexes that has none. A table without a primary key
/// has an index of its own for its rows.
pub fn fill_ids(
    table: &mut TableDef,
    next_table: impl FnOnce() -> TableId,
    mut next_index: impl FnMut() -> IndexId,
) {
    if table.id == TableId(0) {
        table.id = next_table();
    }
    for index in &mut table.indexes {
        if index.id == IndexId(0) {
            index.id = next_index();
        }
    }
    match table.primary() {
        Some(primary) => table.rows = primary.id,
        None if table.rows == IndexId(0) => table.rows = next_index(),
        None => {}
    }
}
