//! Rows that are there already when a foreign key is added.

use engine::catalog::def::ForeignKeyDef;
use engine::catalog::table::Table;
use engine::scan::{Direction, KeyRange};
use engine::trx::Trx;

use super::super::{Result, engine_error};
use super::error;
use super::matching::{Opened, finds_one};
use crate::plan::{Finder, parent_columns};

/// Looks whether all rows of a table have the parents that a key of it demands. Nobody changes either table meanwhile.
/// Error 1452.
pub fn check_existing(trx: &mut Trx, child: &Table, key: &ForeignKeyDef, parents: &Table) -> Result<()> {
    let columns = parent_columns(&parents.def, key);
    let Some(finder) = columns.and_then(|columns| Finder::new(parents, &columns)) else {
        return Err(error::no_parent(child, key));
    };
    let rows = KeyRange::prefix(&child.def.rows.prefix());
    let mut rows = trx.scan_newest(&rows, Direction::Forward).map_err(engine_error)?;
    while let Some(entry) = rows.next_row().map_err(engine_error)? {
        let row = entry.row.expect("next_row returns rows");
        let row = Opened::new(child, &row)?;
        if key.columns.iter().any(|column| row.stored(*column).is_none()) {
            continue;
        }
        let has_parent = match row.key_in(parents, finder, &key.columns) {
            None => false,
            Some(parent) if finds_one(parents, finder) => {
                trx.get_newest(&parent).map_err(engine_error)?.is_some()
            }
            Some(parent) => {
                let range = KeyRange::prefix(&parent);
                let mut found = trx.scan_newest(&range, Direction::Forward).map_err(engine_error)?;
                found.next_row().map_err(engine_error)?.is_some()
            }
        };
        if !has_parent {
            return Err(error::no_parent(child, key));
        }
    }
    Ok(())
}
