//! A table that comes with its first rows: CREATE TABLE .. SELECT, here or at a source.
//!
//! Both are one transaction, in redo as in the binlog: all or nothing after a crash, and one GTID. Until it commits the table
//! is in no catalog; the session alone has it in hand ([`NewTable`]), under its metadata lock and those of the tables that
//! are read. In the binlog it is BEGIN, CREATE TABLE .. START TRANSACTION, rows, COMMIT, as in MySQL from 8.0.21 on.

use std::sync::Arc;

use commit::CommitAck;
use engine::catalog::def::{ColumnDef, TableDef};
use engine::catalog::table::Table;
use engine::lock::LockId;
use engine::trx::Trx;
use protocol::out::PacketWriter;
use sql::bind::{self, BindEnv};
use sql::ddl::{self, Quoting, START_TRANSACTION, TableChanges};
use sql::exec::{BoxFuture, Changed, Done, Params};
use sql::lex::Normalised;
use sql::parse::table::{CreateQuery, CreateTable, Duplicates};
use sql::parse::{self, Statement};
use sql::plan::Plan;
use types::error::SqlError;
use types::error::table::ER_NEED_REPREPARE;
use types::sql_mode::SqlMode;

use super::ddl::edits;
use super::execute::With;
use super::plan_cache::Planned;
use super::result::Format;
use super::row_log::LoggedDdl;
use super::statement::PLANS_MAX;
use super::{Client, Wire};
use crate::accounts::Privileges;
use crate::ddl::SchemaChange;

type Result<T> = std::result::Result<T, SqlError>;

/// See the module.
#[derive(Debug)]
pub(super) struct NewTable {
    pub(super) table: Arc<Table>,
    change: SchemaChange,
    /// Holds the metadata locks.
    _locks: Trx,
}

/// The definition of a table that is about to be made, under its locks.
#[derive(Debug)]
pub(super) struct Defined {
    pub(super) def: TableDef,
    pub(super) changes: TableChanges,
    pub(super) locks: Trx,
}

/// The name that a new table has while its first rows are inserted. No other table can have it, for it ends with a blank.
const FILLED: &str = "#filled ";

/// A connection that nobody is at the other end of.
pub(super) struct Nobody(pub(super) PacketWriter);

impl Wire for Nobody {
    fn packets(&mut self) -> &mut PacketWriter {
        &mut self.0
    }

    fn buffered(&self) -> usize {
        0
    }

    fn sends(&self) -> u64 {
        0
    }

    fn send(&mut self) -> BoxFuture<'_, Result<()>> {
        Box::pin(async { Ok(()) })
    }
}

/// What a query says of the columns of a table, and what it reads.
pub(super) struct Selected {
    pub(super) columns: Vec<ColumnDef>,
    pub(super) planned: Planned,
}

/// Where the rows come from, and which columns of theirs go where.
pub(super) struct Filling<'a> {
    pub(super) query: &'a CreateQuery,
    /// The statement: the query's tokens are counted from its beginning.
    pub(super) sql: &'a [u8],
    pub(super) columns: &'a [String],
}

impl Client {
    /// CREATE TABLE .. SELECT. `None` if the table is there and may be: then no row is added to it.
    pub(super) async fn create_table_from(
        &mut self,
        create: &CreateTable,
        query: &CreateQuery,
        sql: &[u8],
    ) -> Result<Option<CommitAck>> {
        create.refuse_foreign_keys()?;
        create.refuse_start_transaction()?;
        let name = self.full_name(&create.table)?;
        self.access.on_table(Privileges::CREATE.union(Privileges::INSERT), &name.db, &name.name)?;
        for _ in 0..PLANS_MAX {
            let Selected { columns, planned } = self.selected(query, sql)?;
            self.permit(&planned)?;
            let names: Vec<String> = columns.iter().map(|column| column.name.clone()).collect();
            let read: Vec<LockId> = planned.tables.iter().map(|read| read.table.lock).collect();
            let Some(defined) = self.define_table(create, columns, &read).await? else { return Ok(None) };
            if !planned.is_stale() {
                return self
                    .create_and_fill(create, defined, Filling { query, sql, columns: &names })
                    .await
                    .map(Some);
            }
        }
        Err(ER_NEED_REPREPARE.error(&[]))
    }

    /// Plans a query for what its columns are.
    pub(super) fn selected(&mut self, query: &CreateQuery, sql: &[u8]) -> Result<Selected> {
        let normalised =
            Normalised { text: String::from_utf8_lossy(sql).into_owned(), ..Normalised::default() };
        let catalog = self.shared.store.catalog();
        let plan = bind::bind_query(&query.query, &BindEnv::new(&catalog, &self.sql, &normalised.text))?;
        let planned = Planned::new(Plan::Select(plan));
        let columns = self.columns_of(&planned, &normalised)?;
        let find = |db: &str, table: &str| {
            self.sql.temporary.get(db, table).or_else(|| catalog.table(db, table)).cloned()
        };
        let columns = ddl::selected_columns(&columns, find, &self.sql.writing(&mut self.warnings))?;
        Ok(Selected { columns, planned })
    }

    async fn create_and_fill(
        &mut self,
        create: &CreateTable,
        defined: Defined,
        filling: Filling<'_>,
    ) -> Result<CommitAck> {
        let charset = !create.options.charset.is_empty();
        let text = self.text_to_log(&defined.def, charset) + START_TRANSACTION;
        self.note_query(filling.sql);
        self.set_isolation();
        self.begin_new_table(defined, text.as_bytes()).await?;
        let table = Arc::clone(&self.new_table.as_ref().expect("a table is in hand").table);
        let done = match self.fill(&table, &filling).await {
            Ok(Some(changed)) => {
                self.affected = changed.affected;
                self.info = changed.info;
                self.commit_new_table().await
            }
            Ok(None) => Err(ER_NEED_REPREPARE.error(&[])),
            Err(error) => Err(error),
        };
        if done.is_err() {
            self.forget_new_table().await;
        }
        done
    }

    /// CREATE TABLE, for who reads the binlog.
    pub(super) fn text_to_log(&self, def: &TableDef, charset: bool) -> String {
        let quoting = Quoting {
            ansi_quotes: false,
            no_backslash_escapes: self.sql.sql_mode.contains(SqlMode::NO_BACKSLASH_ESCAPES),
        };
        ddl::create_table_to_log(def, charset, quoting, self.sql.time_zone())
    }

    /// Makes a table that nobody else sees yet, and logs its definition.
    pub(super) async fn begin_new_table(&mut self, defined: Defined, text: &[u8]) -> Result<()> {
        let Defined { def, mut changes, locks } = defined;
        let table = self.numbered(def).await?;
        changes.put(Arc::clone(&table), false);
        if self.logs() {
            let (_, cache) = self.transaction.parts();
            self.log.log_begin(cache)?;
            let ddl = LoggedDdl {
                sql: text,
                dbs: &[&table.def.db],
                database: None,
                defines_table: true,
                uses_time_zone: table.def.depends_on_time_zone(),
                has_rows: true,
            };
            self.log.log_ddl(cache, &ddl)?;
        }
        self.transaction.defines = Some(table.def.id);
        self.new_table = Some(Box::new(NewTable { table, change: edits(changes), _locks: locks }));
        Ok(())
    }

    /// Inserts what the query returns into its columns of a new table, which has no name yet: a temporary table may have it, and
    /// the query may read another table of it. `None` if a table that is read has changed meanwhile.
    pub(super) async fn fill(
        &mut self,
        table: &Arc<Table>,
        filling: &Filling<'_>,
    ) -> Result<Option<Changed>> {
        let db = &table.def.db;
        self.sql.temporary.put_as(FILLED, Arc::clone(table));
        let planned = self.plan_fill(filling, db);
        self.sql.temporary.take(db, FILLED);
        let mut nobody = Nobody(PacketWriter::default());
        match self.run_changes(&planned?, Params::default(), Format::Text, With::Client, &mut nobody).await? {
            Some(Done::Changed(changed)) => Ok(Some(changed)),
            _ => Ok(None),
        }
    }

    fn plan_fill(&self, filling: &Filling<'_>, db: &str) -> Result<Planned> {
        let Filling { query, sql, columns } = filling;
        let quoting = Quoting::default();
        let verb = match query.duplicates {
            Duplicates::Refuse => "INSERT",
            Duplicates::Ignore => "INSERT IGNORE",
            Duplicates::Replace => "REPLACE",
        };
        let columns: Vec<String> = columns.iter().map(|name| quoting.name(name)).collect();
        let (db, name) = (quoting.name(db), quoting.name(FILLED));
        let text = format!("{verb} INTO {db}.{name} ({}) SELECT 1", columns.join(", "));
        let Statement::Insert(mut insert) = parse::parse(&text, SqlMode::EMPTY)? else {
            unreachable!("{text} is an INSERT");
        };
        insert.source = Some(query.query.clone());
        let sql = String::from_utf8_lossy(sql);
        let plan =
            bind::bind_insert(&insert, None, &BindEnv::new(&self.shared.store.catalog(), &self.sql, &sql))?;
        Ok(Planned::new(Plan::Insert(plan)))
    }

    /// Commits the new table with its rows, and shows it to everybody.
    pub(super) async fn commit_new_table(&mut self) -> Result<CommitAck> {
        let NewTable { change, _locks, .. } = *self.new_table.take().expect("a table is in hand");
        let logged = self.logs_commit()?;
        let (shared, origin) = (Arc::clone(&self.shared), self.log.origin);
        shared.schema.commit(&mut self.transaction, change, origin, logged).await
    }

    /// Forgets the new table and its rows.
    pub(super) async fn forget_new_table(&mut self) {
        let _ack = self.transaction.rollback().await;
        self.new_table = None;
    }
}
