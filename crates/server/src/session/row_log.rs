//! Row changes on their way into a transaction's binlog cache.
//!
//! BEGIN comes with the first row of a transaction, a table map with the first row of a statement. What a failed
//! statement has logged is cut off again.

use binlog::event::{MetadataLevel, Present, Query, Row, RowsSpec, StatusVars};
use binlog::{Limit, Mark, Origin, TrxCache};
use engine::catalog::table::Table;
use sql::exec::RowLog;
use types::error::SqlError;
use types::error::table::{ER_ERROR_ON_WRITE, ER_TRANS_CACHE_FULL};

use super::table_map::table_map;

/// What every event of a statement says of it.
#[derive(Clone, Debug)]
pub(super) struct LogContext {
    /// When the statement began, and the server's id.
    pub(super) origin: Origin,
    /// The connection's id.
    pub(super) thread_id: u32,
    /// For BEGIN and DDL.
    pub(super) status: StatusVars<'static>,
    /// `binlog_row_metadata`
    pub(super) level: MetadataLevel,
    /// The session's database.
    pub(super) db: Vec<u8>,
}

/// Logs the rows of one statement. See the module.
pub(super) struct StatementLog<'a> {
    cache: &'a mut TrxCache,
    context: &'a LogContext,
    begun: Mark,
    mapped: bool,
}

impl<'a> StatementLog<'a> {
    /// A statement begins.
    pub(super) fn new(cache: &'a mut TrxCache, context: &'a LogContext) -> Self {
        let begun = cache.mark();
        Self { cache, context, begun, mapped: false }
    }

    /// The statement has succeeded.
    pub(super) fn finish(self) {
        self.cache.end_statement();
    }

    /// The statement has failed.
    pub(super) fn cut(self) {
        self.cache.truncate_to(self.begun);
    }

    fn row(&mut self, table: &Table, row: Row<'_>) -> Result<(), SqlError> {
        let map = table_map(table, self.context.level);
        if !self.mapped {
            if self.cache.is_empty() {
                let status = self.context.status.clone();
                let begin = Query::begin(self.context.thread_id, status, &self.context.db);
                self.cache.append(self.context.origin, &begin).map_err(|error| cache_error(&error))?;
            }
            self.cache.append(self.context.origin, map).map_err(|error| cache_error(&error))?;
            self.mapped = true;
        }
        let spec = RowsSpec {
            kind: row.kind(),
            table_id: map.table_id(),
            flags: 0,
            columns: map.column_count(),
            before: Present::All,
            after: Present::All,
        };
        self.cache.append_row(self.context.origin, &spec, &row).map_err(|error| cache_error(&error))
    }
}

impl RowLog for StatementLog<'_> {
    fn insert(&mut self, table: &Table, row: &[u8]) -> Result<(), SqlError> {
        self.row(table, Row::Write(row))
    }

    fn update(&mut self, table: &Table, before: &[u8], after: &[u8]) -> Result<(), SqlError> {
        self.row(table, Row::Update(before, after))
    }

    fn delete(&mut self, table: &Table, row: &[u8]) -> Result<(), SqlError> {
        self.row(table, Row::Delete(row))
    }
}

/// The binlog is off, or `sql_log_bin` is.
pub(super) struct NoLog;

impl RowLog for NoLog {
    fn insert(&mut self, _table: &Table, _row: &[u8]) -> Result<(), SqlError> {
        Ok(())
    }

    fn update(&mut self, _table: &Table, _before: &[u8], _after: &[u8]) -> Result<(), SqlError> {
        Ok(())
    }

    fn delete(&mut self, _table: &Table, _row: &[u8]) -> Result<(), SqlError> {
        Ok(())
    }
}

/// An error of the cache as clients see it: the statement fails, the transaction lives.
pub(super) fn cache_error(error: &binlog::Error) -> SqlError {
    match error {
        binlog::Error::Limit { what: Limit::Cache, .. } => ER_TRANS_CACHE_FULL.error(&[]),
        other => SqlError::with_message(&ER_ERROR_ON_WRITE, other.to_string()),
    }
}
