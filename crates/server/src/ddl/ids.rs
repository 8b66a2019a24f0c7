//! Ids of tables and indexes. They are never used twice: what a dropped table has left in the logs and in the base
//! must not become another table's.
//!
//! The catalog holds a bound that is ahead of what was handed out, moved by a transaction of its own. What lies
//! between the two when the server stops is never used.

use std::ops::Range;

use engine::catalog::codec;
use engine::ids::{Change, IndexId, TableId};
use engine::lock::{LockId, Mode};
use types::error::SqlError;
use types::error::table::ER_UNKNOWN_ERROR;

use crate::session::Transaction;

/// Ids taken from the catalog at a time.
const AHEAD: u32 = 256;

/// What was handed out, and how far the catalog lets us go.
#[derive(Debug)]
pub(super) struct Ids {
    table: Range<u32>,
    index: Range<u32>,
}

impl Ids {
    /// Nothing above these was ever used, and the catalog says so of nothing more.
    pub(super) fn after(table: TableId, index: IndexId) -> Self {
        let (table, index) = (table.0 + 1, index.0 + 1);
        Self { table: table..table, index: index..index }
    }

    /// A table's id and so many indexes'. `transaction` is idle, and idle again afterwards.
    pub(super) async fn take(
        &mut self,
        transaction: &mut Transaction,
        indexes: usize,
    ) -> Result<(TableId, Range<u32>), SqlError> {
        let count = u32::try_from(indexes).expect("a table has at most 64 indexes");
        if self.table.is_empty() || self.index.end - self.index.start < count {
            let (table_end, index_end) = (self.table.start + AHEAD, self.index.start + count + AHEAD);
            // Those behind are of temporary tables.
            if index_end > IndexId::FIRST_TEMPORARY.0 {
                let used_up =
                    "the numbers of indexes are used up: dump all databases and load them into a new server";
                return Err(SqlError::with_message(&ER_UNKNOWN_ERROR, used_up.to_owned()));
            }
            let key = codec::ids_key();
            transaction.trx.lock_row(&key, Mode::Exclusive).await.map_err(sql::exec::engine_error)?;
            let row = codec::encode_ids(TableId(table_end - 1), IndexId(index_end - 1));
            transaction.trx.put(LockId::of_key(&key), key, Change::Put(row.into()));
            let _ack = transaction.commit_unlogged().await?;
            (self.table.end, self.index.end) = (table_end, index_end);
        }
        let table = TableId(self.table.start);
        self.table.start += 1;
        let first = self.index.start;
        self.index.start += count;
        Ok((table, first..first + count))
    }
}
