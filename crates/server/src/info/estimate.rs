//! How large a table is, roughly: nothing counts rows, so a few are looked at.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use engine::catalog::table::Table;
use engine::ids::IndexId;
use engine::scan::{Direction, KeyRange};
use engine::trx::Trx;
use sql::exec::engine_error;
use types::error::SqlError;

use super::look::Look;

/// Entries of an index that are looked at. A smaller table is counted exactly.
const SAMPLE: u64 = 256;

/// See the module. Sizes in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Estimate {
    /// Rows.
    pub(super) rows: u64,
    /// The size of a row.
    pub(super) row_size: u64,
    /// The size of all rows.
    pub(super) data_size: u64,
    /// The size of the other indexes.
    pub(super) index_size: u64,
}

impl Estimate {
    /// That of a table as it is now.
    pub(super) fn of(table: &Table, look: &Look<'_>) -> Result<Self, SqlError> {
        let mut trx = Trx::new(Arc::clone(&look.shared.store));
        let (seen, bytes) = sample(&mut trx, table.def.rows)?;
        let counters = &table.counters;
        // As many values were given out; those of rows that are gone count too.
        let drawn =
            counters.auto_increment.load(Ordering::Relaxed).max(counters.row_id.load(Ordering::Relaxed));
        let rows = if seen < SAMPLE { seen } else { drawn.max(seen) };
        let row_size = bytes.checked_div(seen).unwrap_or(0);
        let mut index_size = 0_u64;
        for index in &table.secondary {
            let (seen, bytes) = sample(&mut trx, index.id)?;
            index_size += bytes.checked_div(seen).unwrap_or(0).saturating_mul(rows);
        }
        trx.end();
        Ok(Self { rows, row_size, data_size: rows.saturating_mul(row_size), index_size })
    }
}

/// Entries that were looked at, and their bytes.
fn sample(trx: &mut Trx, index: IndexId) -> Result<(u64, u64), SqlError> {
    let mut scan = trx.scan(&KeyRange::prefix(&index.prefix()), Direction::Forward).map_err(engine_error)?;
    let (mut seen, mut bytes) = (0, 0);
    while seen < SAMPLE {
        let Some(entry) = scan.next_row().map_err(engine_error)? else { break };
        seen += 1;
        bytes += (entry.key.len() + entry.row.map_or(0, |row| row.len())) as u64;
    }
    Ok((seen, bytes))
}
