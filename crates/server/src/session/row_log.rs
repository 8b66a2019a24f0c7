//! Row changes on their way into a transaction's binlog cache.
//!
//! BEGIN comes with the first row of a transaction, a table map with the first row of a statement. What a failed
//! statement has logged is cut off again.

use std::collections::BTreeSet;

use binlog::event::{
    AutoIncrement, Charset, MetadataLevel, Present, Query, Row, RowsQuery, RowsSpec, StatusVars, flag,
    flags2, rows_flag,
};
use binlog::{Encode, Limit, Mark, Origin, TrxCache};
use engine::catalog::table::Table;
use smallvec::SmallVec;
use sql::exec::RowLog;
use types::collation::Collation;
use types::error::SqlError;
use types::error::table::{ER_ERROR_ON_WRITE, ER_TRANS_CACHE_FULL};

use super::row_image::{Images, RowImage};
use super::table_map::table_map;

/// What every event of a statement says of it. What events of rows say comes first, also in memory.
#[derive(Clone, Debug)]
#[repr(C)]
pub(super) struct LogContext {
    /// When the statement began, and the server's id.
    pub(super) origin: Origin,
    /// How much later than `origin` says the statement began.
    pub(super) microseconds: u32,
    /// The connection's id.
    pub(super) thread_id: u32,
    /// MySQL's bits.
    pub(super) sql_mode: u64,
    /// [`flags2`](binlog::event::flags2)
    pub(super) flags2: u32,
    /// Unless both are 1.
    pub(super) auto_increment: Option<AutoIncrement>,
    /// The session's collations.
    pub(super) charset: Charset,
    /// `binlog_row_metadata`
    pub(super) level: MetadataLevel,
    /// `binlog_row_image`
    pub(super) row_image: RowImage,
    /// `sql_require_primary_key`
    pub(super) needs_primary_key: bool,
    /// `default_collation_for_utf8mb4`
    pub(super) default_collation_for_utf8mb4: Collation,
    /// The session's database. A short name takes no memory of its own.
    pub(super) db: SmallVec<[u8; 16]>,
    /// The text of the statement, where `binlog_rows_query_log_events` asks for it.
    pub(super) rows_query: Option<Vec<u8>>,
    /// The name of the XA transaction that rows belong to, as XA START says it.
    pub(super) xa: Option<String>,
    /// `time_zone`
    pub(super) time_zone: Vec<u8>,
}

impl LogContext {
    /// What BEGIN says of the session.
    fn status(&self) -> StatusVars<'_> {
        StatusVars {
            flags2: Some(self.flags2),
            sql_mode: Some(self.sql_mode),
            catalog: Some(b"std"),
            auto_increment: self.auto_increment,
            charset: Some(self.charset),
            ..StatusVars::default()
        }
    }

    /// Puts BEGIN into the cache.
    pub(super) fn log_begin(&self, cache: &mut TrxCache) -> Result<(), SqlError> {
        match &self.xa {
            Some(name) => self.log_words(cache, &format!("XA START {name}")),
            None => self.log_event(cache, &Query::begin(self.thread_id, self.status(), &self.db)),
        }
    }

    /// Has a transaction in the cache begin with BEGIN, if its first event is in memory. Says whether it does.
    pub(super) fn rename_begin(&self, cache: &mut TrxCache) -> bool {
        let begin = Query::begin(self.thread_id, self.status(), &self.db);
        cache.replace_first(&begin)
    }

    /// Puts a statement on the transaction into the cache.
    pub(super) fn log_words(&self, cache: &mut TrxCache, words: &str) -> Result<(), SqlError> {
        let begin = Query::begin(self.thread_id, self.status(), &self.db);
        self.log_event(cache, &Query { sql: words.as_bytes(), ..begin })
    }

    /// Puts an event into the cache.
    pub(super) fn log_event(&self, cache: &mut TrxCache, event: &impl Encode) -> Result<(), SqlError> {
        cache.append(self.origin, event).map_err(|error| cache_error(&error))
    }

    /// Puts BEGIN and COMMIT into the cache: a transaction that changes nothing.
    pub(super) fn log_empty(&self, cache: &mut TrxCache) -> Result<(), SqlError> {
        for words in ["BEGIN", "COMMIT"] {
            self.log_words(cache, words)?;
        }
        Ok(())
    }

    /// Puts a DDL statement into the cache.
    pub(super) fn log_ddl(&self, cache: &mut TrxCache, ddl: &LoggedDdl<'_>) -> Result<(), SqlError> {
        let dbs: BTreeSet<&[u8]> = ddl.dbs.iter().map(|db| db.as_bytes()).collect();
        let mut status = StatusVars {
            time_zone: ddl.uses_time_zone.then_some(&*self.time_zone),
            microseconds: (self.microseconds > 0).then_some(self.microseconds),
            updated_dbs: dbs.into_iter().collect(),
            // Nobody can set it within a transaction.
            explicit_defaults_for_timestamp: (!ddl.has_rows).then_some(true),
            default_collation_for_utf8mb4: Some(self.default_collation_for_utf8mb4.id()),
            sql_require_primary_key: ddl.defines_table.then_some(self.needs_primary_key),
            ..self.status()
        };
        if ddl.has_rows && !ddl.sql.is_ascii() {
            // The server has written it.
            let utf8 = Collation::Utf8mb4GeneralCi.id();
            status.charset = Some(Charset { client: utf8, connection: utf8, ..self.charset });
        }
        let query = Query {
            flags: if ddl.database.is_some() { flag::SUPPRESS_USE } else { 0 },
            thread_id: self.thread_id,
            exec_time_s: 0,
            error_code: 0,
            status,
            db: ddl.database.map_or(&self.db, str::as_bytes),
            sql: ddl.sql,
        };
        self.log_event(cache, &query)
    }
}

/// A DDL statement for the binlog: a transaction by itself, or the beginning of one.
#[derive(Clone, Copy, Debug)]
pub(super) struct LoggedDdl<'a> {
    pub(super) sql: &'a [u8],
    /// The databases that it touches.
    pub(super) dbs: &'a [&'a str],
    /// The database that it is about, if it is about one: it is run in it, and without USE, as it may not be there.
    pub(super) database: Option<&'a str>,
    /// It makes a table, or changes its definition.
    pub(super) defines_table: bool,
    /// What it does may depend on `time_zone`.
    pub(super) uses_time_zone: bool,
    /// Rows follow in the same transaction: CREATE TABLE .. SELECT.
    pub(super) has_rows: bool,
}

/// Logs the rows of one statement, unless it is not logged. See the module.
pub(super) struct StatementLog<'a> {
    cache: &'a mut TrxCache,
    context: &'a LogContext,
    /// Tables that may change beside that of the first row.
    changed: Vec<&'a Table>,
    /// Of its rows events.
    flags: u16,
    /// Replicas are to take the next rows as they are: what goes with them by foreign keys is logged.
    cascaded: bool,
    /// Where its events begin; `None` if it is not logged.
    begun: Option<Mark>,
    mapped: bool,
    images: Images,
    /// Those that it has been told of.
    pub(super) rows: ChangedRows,
}

/// Rows that a statement has changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct ChangedRows {
    pub(super) inserted: u64,
    pub(super) updated: u64,
    pub(super) deleted: u64,
}

impl<'a> StatementLog<'a> {
    /// A statement begins. `related`: foreign keys have to do with its tables. `changed` are the tables that may change, if
    /// they are more than one.
    pub(super) fn new(
        cache: &'a mut TrxCache,
        context: &'a LogContext,
        logs: bool,
        related: bool,
        changed: Vec<&'a Table>,
    ) -> Self {
        let begun = logs.then(|| cache.mark());
        let mut flags = 0;
        if context.flags2 & flags2::NO_FOREIGN_KEY_CHECKS != 0 {
            flags |= rows_flag::NO_FOREIGN_KEY_CHECKS;
        }
        if related {
            flags |= rows_flag::FOREIGN_KEYS_LOGGED;
        }
        let (images, rows) = (Images::default(), ChangedRows::default());
        Self { cache, context, changed, flags, cascaded: false, begun, mapped: false, images, rows }
    }

    /// The same, of rows that come from a source with these flags.
    pub(super) fn with_flags(self, flags: u16) -> Self {
        Self { flags, ..self }
    }

    /// The statement has succeeded, or failed.
    pub(super) fn end(self, succeeded: bool) {
        match self.begun {
            Some(_) if succeeded => self.cache.end_statement(),
            Some(begun) => self.cache.truncate_to(begun),
            None => {}
        }
    }

    fn row(&mut self, table: &Table, row: Row<'_>) -> Result<(), SqlError> {
        if self.begun.is_none() || table.is_temporary() {
            return Ok(());
        }
        let map = table_map(table, self.context.level);
        if !self.mapped {
            if self.cache.is_empty() {
                self.context.log_begin(self.cache)?;
            }
            if let Some(sql) = &self.context.rows_query {
                let query = RowsQuery { sql };
                self.context.log_event(self.cache, &query)?;
            }
            self.map_tables(table)?;
            self.mapped = true;
        }
        let (before, after, row) = match self.context.row_image {
            RowImage::Full => (Present::All, Present::All, row),
            image => self.images.reduce(image, table, row),
        };
        let spec = RowsSpec {
            kind: row.kind(),
            table_id: map.table_id(),
            flags: if self.cascaded { self.flags | rows_flag::NO_FOREIGN_KEY_CHECKS } else { self.flags },
            columns: map.column_count(),
            before,
            after,
        };
        self.cache.append_row(self.context.origin, &spec, &row).map_err(|error| cache_error(&error))
    }

    /// Appends the table maps of a statement that changes rows of this table: readers need all of them in front of the
    /// first row.
    fn map_tables(&mut self, table: &Table) -> Result<(), SqlError> {
        let mut mapped = SmallVec::<[_; 4]>::new();
        for table in std::iter::once(table).chain(self.changed.iter().copied()) {
            if mapped.contains(&table.lock) || table.is_temporary() {
                continue;
            }
            mapped.push(table.lock);
            let map = table_map(table, self.context.level);
            self.context.log_event(self.cache, map)?;
        }
        Ok(())
    }
}

impl RowLog for StatementLog<'_> {
    fn insert(&mut self, table: &Table, row: &[u8]) -> Result<(), SqlError> {
        self.rows.inserted += 1;
        self.row(table, Row::Write(row))
    }

    fn update(&mut self, table: &Table, before: &[u8], after: &[u8]) -> Result<(), SqlError> {
        self.rows.updated += 1;
        self.row(table, Row::Update(before, after))
    }

    fn delete(&mut self, table: &Table, row: &[u8]) -> Result<(), SqlError> {
        self.rows.deleted += 1;
        self.row(table, Row::Delete(row))
    }

    fn set_cascaded(&mut self, cascaded: bool) {
        self.cascaded = cascaded;
    }
}

/// Of what changes no rows.
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
