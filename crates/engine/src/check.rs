//! CHECK TABLE: whether a table's rows and index entries belong together.

use types::row::Offsets;

use crate::EngineError;
use crate::catalog::table::Table;
use crate::ids::Row;
use crate::rows::index_entries;
use crate::scan::{Direction, KeyRange};
use crate::trx::Trx;

/// What was looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Checked {
    /// Rows.
    pub rows: u64,
    /// Index entries.
    pub entries: u64,
}

/// Reads every row and every index entry of a table as `trx` sees it: rows decode, their keys are theirs, each has its
/// entries, and no index has others. Asks for each whether it `goes_on`; `None` if not.
///
/// # Errors
/// [`EngineError::Corrupt`] with what is wrong.
pub fn check_table(
    trx: &mut Trx,
    table: &Table,
    goes_on: impl Fn() -> bool,
) -> Result<Option<Checked>, EngineError> {
    let mut checked = Checked::default();
    let mut expected = vec![0_u64; table.secondary.len()];
    let corrupt =
        |what: String| EngineError::Corrupt { what: format!("{}.{}: {what}", table.def.db, table.def.name) };
    let mut scan = trx.scan(&KeyRange::prefix(&table.def.rows.prefix()), Direction::Forward)?;
    let mut offsets = Offsets::default();
    while let Some(entry) = scan.next_row()? {
        if !goes_on() {
            return Ok(None);
        }
        let row: Row = entry.row.expect("next_row returns rows");
        table.rows.validate(&row).map_err(|error| corrupt(error.to_string()))?;
        table.rows.offsets(&row, &mut offsets).map_err(|error| corrupt(error.to_string()))?;
        let key: &[u8] = &entry.key;
        if table.row_key(&row, &offsets).is_some_and(|made| made != key) {
            return Err(corrupt(format!("row {} lies under another key", checked.rows)));
        }
        for (wanted, count) in index_entries(table, &row, &offsets, key).into_iter().zip(&mut expected) {
            let found = trx.get(&wanted.key)?;
            if found.as_deref() != Some(&*wanted.row) {
                let index = &table.def.indexes[wanted.index].name;
                return Err(corrupt(format!("row {} has no entry in index {index}", checked.rows)));
            }
            *count += 1;
        }
        checked.rows += 1;
    }
    for (index, expected) in table.secondary.iter().zip(expected) {
        let mut scan = trx.scan(&KeyRange::prefix(&index.id.prefix()), Direction::Forward)?;
        let mut count = 0;
        while scan.next_row()?.is_some() {
            if !goes_on() {
                return Ok(None);
            }
            count += 1;
        }
        if count != expected {
            let name = &table.def.indexes[index.place].name;
            return Err(corrupt(format!("index {name} has {count} entries for {expected} rows")));
        }
        checked.entries += count;
    }
    Ok(Some(checked))
}
