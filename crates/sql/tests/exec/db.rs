//! A database without a server.

use std::collections::HashMap;
use std::future::Future;
use std::path::Path;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use engine::base::{Base, Slice, WhenFull};
use engine::catalog::def::{
    ColumnDef, DatabaseDef, DefaultValue, ForeignKeyDef, IndexDef, IndexKind, IndexPart, TableDef,
};
use engine::catalog::table::Table;
use engine::ids::{Change, CommitSeq, IndexId, Key, TableId};
use engine::store::{Store, Timer};
use engine::trx::Trx;
use engine::view::Published;
use sql::bind::{self, BindEnv};
use sql::exec::{
    Cell, Changed, Done, Exec, Lookups, OutputColumn, Params, ResultSink, RowLog, Turns, output_columns,
};
use sql::expr::Types;
use sql::lex::{Verb, normalise, split_first};
use sql::parse::{Mode, Statement, parse};
use sql::plan::{Plan, QueryPlan};
use sql::session::{Scope, Server, Session};
use sql::virtual_table::VirtualTable;
use types::collation::Collation;
use types::column::{ColumnType, IntSize, Sign};
use types::error::SqlError;
use types::temporal::TimeZone;
use types::value::{Value, ValueRef};
use types::warning::Warnings;
use vfs::Vfs;
use vfs::sim::SimDisk;

#[derive(Debug)]
struct NoTimer;

impl Timer for NoTimer {
    fn sleep(&self, _: Duration) -> Pin<Box<dyn Future<Output = ()> + Send>> {
        Box::pin(std::future::pending())
    }
    fn unix_us(&self) -> u64 {
        0
    }
}

#[derive(Debug)]
struct NoServer;

impl Server for NoServer {
    fn variable(&self, _: &Session, _: Option<Scope>, _: &str) -> Result<Value, SqlError> {
        Ok(Value::Null)
    }
    fn virtual_table(&self, _: &str, _: &str) -> Option<Arc<dyn VirtualTable>> {
        None
    }
    fn is_virtual_database(&self, _: &str) -> bool {
        false
    }
    fn version(&self) -> &'static str {
        "8.0.46-onelog"
    }
}

pub struct Db {
    pub store: Arc<Store>,
    published: Arc<Published>,
    base: Base,
    next_id: u32,
}

/// A connection with a transaction.
pub struct Conn {
    pub session: Session,
    pub trx: Trx,
    pub log: Log,
    pub warnings: Warnings,
    published: Arc<Published>,
    pub autocommit: bool,
    /// Bytes that the rows of one step of a query may take.
    pub memory_max: usize,
    /// Rows that the last statement read.
    pub rows_read: u64,
    /// How often the last statement gave way.
    pub turns: u32,
}

#[derive(Debug, Default)]
pub struct Log {
    pub events: Vec<String>,
    cascaded: bool,
}

impl Log {
    fn push(&mut self, event: String) {
        self.events.push(if self.cascaded { format!("{event} cascaded") } else { event });
    }
}

impl RowLog for Log {
    fn insert(&mut self, table: &Table, row: &[u8]) -> Result<(), SqlError> {
        self.push(format!("insert {} {}", table.def.name, row.len()));
        Ok(())
    }
    fn update(&mut self, table: &Table, _: &[u8], after: &[u8]) -> Result<(), SqlError> {
        self.push(format!("update {} {}", table.def.name, after.len()));
        Ok(())
    }
    fn delete(&mut self, table: &Table, row: &[u8]) -> Result<(), SqlError> {
        self.push(format!("delete {} {}", table.def.name, row.len()));
        Ok(())
    }
    fn set_cascaded(&mut self, cascaded: bool) {
        self.cascaded = cascaded;
    }
}

#[derive(Default)]
struct Rows {
    columns: Vec<OutputColumn>,
    rows: Vec<String>,
}

impl ResultSink for Rows {
    fn begin(&mut self, query: &QueryPlan, types: &Types<'_>) -> Result<(), SqlError> {
        self.columns = output_columns(query, types)?;
        Ok(())
    }
    fn row(&mut self, cells: &[Cell<'_>], _: &types::context::Context<'_>) -> Result<(), SqlError> {
        let text = |cell: &Cell<'_>| {
            let value = match cell {
                Cell::Column(row, column) => row.value(*column, &TimeZone::UTC),
                Cell::Value(value) => *value,
            };
            if value.is_null() { "NULL".to_owned() } else { value.to_message() }
        };
        self.rows.push(cells.iter().map(text).collect::<Vec<_>>().join("|"));
        Ok(())
    }
}

pub fn int(size: IntSize) -> ColumnType {
    ColumnType::int("c", size, Sign::Signed, None).unwrap()
}

pub fn varchar(chars: u32) -> ColumnType {
    ColumnType::varchar("c", chars, Collation::Utf8mb4GeneralCi).unwrap()
}

pub struct Spec<'s> {
    pub name: &'s str,
    /// Name, type, nullable, default.
    pub columns: Vec<(&'s str, ColumnType, bool, DefaultValue)>,
    /// Name, kind, columns.
    pub indexes: Vec<(&'s str, IndexKind, Vec<u16>)>,
    pub auto_increment: Option<usize>,
}

impl Db {
    pub fn new() -> Self {
        let vfs: Arc<dyn Vfs> = Arc::new(SimDisk::new());
        vfs.create_dir_all(Path::new("/d")).unwrap();
        let base = Base::open(&vfs, Path::new("/d"), 1 << 20, 0).unwrap();
        let published = Arc::new(Published::new(base.generation(CommitSeq(0)).unwrap(), 8));
        let store = Arc::new(Store::open(Arc::clone(&published), &[], Arc::new(NoTimer)).unwrap());
        store.change_catalog(|catalog| {
            catalog.put_database(DatabaseDef { name: "test".into(), collation: Collation::Utf8mb4GeneralCi });
        });
        Self { store, published, base, next_id: 100 }
    }

    /// Carries what is committed into the base.
    pub fn checkpoint(&self) {
        let through = self.published.visible();
        self.published.seal(through);
        let mut changes = Vec::new();
        let note = |key: &Key, change: &Change| {
            changes.push((key.clone(), change.clone()));
            Ok::<_, SqlError>(())
        };
        self.published.view().sealed[0].delta.for_each_newest(note).unwrap();
        self.base.commit(&Slice { changes: &changes, facts: &[] }, WhenFull::UseBallast).unwrap();
        self.published.replace_base(self.base.generation(through).unwrap());
    }

    pub fn create(&mut self, spec: &Spec<'_>) {
        let mut next = || {
            self.next_id += 1;
            self.next_id
        };
        let id = TableId(next());
        let rows = IndexId(next());
        let indexes = spec.indexes.iter().map(|(name, kind, columns)| IndexDef {
            id: if *kind == IndexKind::Primary { rows } else { IndexId(next()) },
            name: (*name).to_owned(),
            kind: *kind,
            parts: columns
                .iter()
                .map(|column| IndexPart { column: *column, prefix: None, descending: false })
                .collect(),
            comment: String::new(),
            made: false,
        });
        let indexes = indexes.collect();
        let columns =
            spec.columns.iter().enumerate().map(|(place, (name, ty, nullable, default))| ColumnDef {
                name: (*name).to_owned(),
                ty: *ty,
                nullable: *nullable,
                default: default.clone(),
                on_update_now: false,
                auto_increment: spec.auto_increment == Some(place),
                generated: None,
                comment: String::new(),
            });
        let def = TableDef {
            id,
            db: "test".into(),
            name: spec.name.into(),
            columns: columns.collect(),
            rows,
            indexes,
            collation: Collation::Utf8mb4GeneralCi,
            comment: String::new(),
            created_at: 0,
            foreign_keys: Vec::new(),
            checks: Vec::new(),
            auto_increment_start: 1,
            view: None,
        };
        let table = Arc::new(Table::new(def, Arc::default()));
        self.store.change_catalog(|catalog| catalog.put_table(&table));
    }

    /// `child` gets a foreign key; both tables get new versions, as DDL makes them.
    pub fn refer(&mut self, child: &str, key: &ForeignKeyDef) {
        let parent = &key.parent_table;
        self.store.change_catalog(|catalog| {
            let table = catalog.table("test", child).unwrap();
            let mut def = table.def.clone();
            def.foreign_keys.push(key.clone());
            let table = Arc::new(table.successor(def));
            catalog.put_table(&table);
            if parent != child
                && let Some(table) = catalog.table("test", parent)
            {
                let table = Arc::new(table.successor(table.def.clone()));
                catalog.put_table(&table);
            }
        });
    }

    pub fn connect(&self) -> Conn {
        let mut session = Session::new(Arc::new(NoServer), 1, 1);
        session.db = Some("test".into());
        Conn {
            session,
            trx: Trx::new(Arc::clone(&self.store)),
            log: Log::default(),
            warnings: Warnings::default(),
            published: Arc::clone(&self.published),
            autocommit: true,
            memory_max: sql::exec::MEMORY_MAX,
            rows_read: 0,
            turns: 0,
        }
    }
}

pub fn plan(sql: &str, conn: &Conn) -> Result<(Plan, sql::lex::Normalised), SqlError> {
    let (first, _, verb) = split_first(sql.as_bytes(), conn.session.quoting());
    let normalised =
        normalise(first, verb, conn.session.quoting(), conn.session.collation_connection).unwrap();
    let statement = parse(&normalised.text, Mode::default())?;
    let catalog = conn.trx.store().catalog();
    let env = BindEnv::new(&catalog, &conn.session, &normalised.text);
    let plan = match statement {
        Statement::Query(query) => Plan::Select(bind::bind_query(&query, &env)?),
        Statement::SelectInto(into) => Plan::SelectInto(bind::bind_into(&into, &env)?),
        Statement::Insert(insert) => {
            let size = (normalised.row_size > 0).then_some(normalised.row_size);
            Plan::Insert(bind::bind_insert(&insert, size, &env)?)
        }
        Statement::Update(update) => bind::bind_update(&update, &env)?,
        Statement::Delete(delete) => bind::bind_delete(&delete, &env)?,
        other => panic!("{other:?}"),
    };
    assert_ne!(verb, Verb::Other);
    Ok((plan, normalised))
}

impl Conn {
    fn execute(&mut self, sql: &str, values: &[ValueRef<'_>]) -> Result<(Done, Rows), SqlError> {
        let (done, turns) = drive(self.execute_with(sql, values));
        self.turns = turns;
        done
    }

    /// A statement that may have to wait for others.
    pub async fn start(&mut self, sql: &str) -> Result<Changed, SqlError> {
        match self.execute_with(sql, &[]).await?.0 {
            Done::Changed(changed) => Ok(changed),
            other => panic!("{sql}: {other:?}"),
        }
    }

    /// How many rows a statement gives or matches, if it ends without waiting or giving way.
    pub fn answer_at_once(&mut self, sql: &str) -> Option<u64> {
        poll(std::pin::pin!(self.counted(sql)))
    }

    /// How many rows a statement gives or matches.
    pub async fn counted(&mut self, sql: &str) -> u64 {
        let done = self.execute_with(sql, &[]).await.unwrap_or_else(|error| panic!("{sql}: {error:?}"));
        match done.0 {
            Done::Changed(changed) => changed.matched,
            _ => done.1.rows.len() as u64,
        }
    }

    /// The rows of a query that may have to wait for others.
    pub async fn ids(&mut self, sql: &str) -> Vec<String> {
        self.execute_with(sql, &[]).await.unwrap_or_else(|error| panic!("{sql}: {error:?}")).1.rows
    }

    async fn execute_with(&mut self, sql: &str, values: &[ValueRef<'_>]) -> Result<(Done, Rows), SqlError> {
        let (plan, normalised) = plan(sql, self)?;
        self.warnings.clear();
        self.trx.begin_statement();
        let mark = self.trx.mark();
        let params = Params {
            values,
            literals: &normalised.literals,
            row_literals: &normalised.row_literals,
            row_size: normalised.row_size,
        };
        let mut rows = Rows::default();
        let mut exec = Exec {
            session: &self.session,
            trx: &mut self.trx,
            warnings: &mut self.warnings,
            log: &mut self.log,
            params,
            found_rows: false,
            shared_reads: false,
            memory_max: self.memory_max,
            kept: HashMap::new(),
            lookups: Lookups::default(),
            turns: Turns::default(),
            work: sql::exec::Work::default(),
            noted: smallvec::SmallVec::default(),
            strict: false,
            file: None,
            memo: None,
        };
        let done = exec.run(&plan, &mut rows).await;
        let rows_read = exec.work.rows;
        self.rows_read = rows_read;
        if done.is_err() {
            self.trx.rollback_to(mark);
        }
        if self.autocommit {
            self.commit();
        }
        Ok((done?, rows))
    }

    pub fn commit(&mut self) {
        let seq = self.published.visible().next();
        self.trx.apply(seq, &self.published.view().active);
        self.published.set_visible(seq);
        self.trx.end();
    }

    /// Commits as one of those behind what is visible.
    pub fn commit_unseen(&mut self, distance: u64) {
        let seq = CommitSeq(self.published.visible().0 + distance);
        self.trx.apply(seq, &self.published.view().active);
        self.published.set_applied(seq);
        self.trx.end();
    }

    /// The rows of a query, columns joined by `|`.
    pub fn rows(&mut self, sql: &str) -> Vec<String> {
        self.execute(sql, &[]).unwrap_or_else(|error| panic!("{sql}: {error:?}")).1.rows
    }

    pub fn rows_with(&mut self, sql: &str, values: &[ValueRef<'_>]) -> Vec<String> {
        self.execute(sql, values).unwrap_or_else(|error| panic!("{sql}: {error:?}")).1.rows
    }

    pub fn columns(&mut self, sql: &str) -> Vec<String> {
        self.execute(sql, &[])
            .unwrap_or_else(|error| panic!("{sql}: {error:?}"))
            .1
            .columns
            .into_iter()
            .map(|column| column.name)
            .collect()
    }

    /// What a statement has done, the columns and rows of a query, or its error.
    pub fn answer(&mut self, sql: &str) -> Result<(Done, Vec<OutputColumn>, Vec<String>), SqlError> {
        self.execute(sql, &[]).map(|(done, rows)| (done, rows.columns, rows.rows))
    }

    pub fn run(&mut self, sql: &str) -> Changed {
        self.run_with(sql, &[])
    }

    pub fn run_with(&mut self, sql: &str, values: &[ValueRef<'_>]) -> Changed {
        match self.execute(sql, values).unwrap_or_else(|error| panic!("{sql}: {error:?}")).0 {
            Done::Changed(changed) => changed,
            other => panic!("{sql}: {other:?}"),
        }
    }

    /// A change that may fail.
    pub fn attempt(&mut self, sql: &str) -> Result<Changed, SqlError> {
        match self.execute(sql, &[])?.0 {
            Done::Changed(changed) => Ok(changed),
            other => panic!("{sql}: {other:?}"),
        }
    }

    pub fn error(&mut self, sql: &str) -> (u16, String) {
        match self.execute(sql, &[]) {
            Ok(_) => panic!("{sql} should fail"),
            Err(error) => (error.code, error.message),
        }
    }
}

/// Whether a future still waits for somebody, or what it gives.
pub fn poll<T>(mut future: Pin<&mut impl Future<Output = T>>) -> Option<T> {
    (0..10).find_map(|_| poll_once(future.as_mut()))
}

/// What a future gives before it waits or gives way.
pub fn poll_once<T>(future: Pin<&mut impl Future<Output = T>>) -> Option<T> {
    match future.poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => Some(value),
        Poll::Pending => None,
    }
}

/// What a future gives, and how often it gave way before.
fn drive<T>(future: impl Future<Output = T>) -> (T, u32) {
    let mut future = pin!(future);
    for turns in 0..1_000_000 {
        if let Poll::Ready(value) = future.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            return (value, turns);
        }
    }
    panic!("it waits for somebody")
}
