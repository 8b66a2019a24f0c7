//! Execution: follows plans over the table store.
//!
//! Everything here is synchronous but three things: waiting for a lock, giving way to other sessions on long scans,
//! and waiting for a client that reads slowly. Between statements nothing of it remains.

mod assign;
mod auto_increment;
mod cursor;
mod delete;
mod duplicate;
mod explain;
mod foreign;
mod insert;
mod into;
mod join;
mod kept_row;
mod late;
mod load;
mod memory;
mod moment;
mod multi;
mod over;
mod project;
mod ranges;
mod ranges_scan;
mod recursive;
mod rules;
mod safe_updates;
mod select;
mod sets;
mod stored;
mod subquery;
mod target;
mod union;
mod update;
mod window;
mod work;

use std::collections::HashMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::Ordering as Memory;
use std::task::Poll;

use engine::EngineError;
use engine::catalog::table::Table;
use engine::ids::CommitSeq;
use engine::trx::Trx;
use smallvec::SmallVec;
use types::context::Context;
use types::error::SqlError;
use types::error::table::{
    ER_CRASHED_ON_USAGE, ER_DISK_FULL, ER_ERROR_ON_READ, ER_LOCK_DEADLOCK, ER_LOCK_WAIT_TIMEOUT,
    ER_RECORD_FILE_FULL, ER_TABLE_DEF_CHANGED,
};
use types::value::{Value, ValueRef};
use types::warning::Warnings;

use subquery::{Collector, Kept, Known};

pub use duplicate::error as duplicate_error;
pub use foreign::{Enforce, Inserted, RowChanges, check_existing};
pub use memory::MEMORY_MAX;
pub(crate) use memory::value_size;
pub use project::{Cell, OutputColumn, output_columns};
pub use stored::Lookups;
pub use work::Work;

use crate::expr::{Inputs, Memo, RowRef, Types};
use crate::plan::{Plan, QueryPlan, Relations, RowRules, SelectPlan};
use crate::session::Session;

type Result<T> = std::result::Result<T, SqlError>;

/// A future that may move between threads.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Takes the rows of a result.
pub trait ResultSink: Send {
    /// The result of a query begins; its columns are those of [`output_columns`].
    fn begin(&mut self, query: &QueryPlan, types: &Types<'_>) -> Result<()>;

    /// A row: a cell a column.
    fn row(&mut self, cells: &[Cell<'_>], context: &Context<'_>) -> Result<()>;

    /// Whether more rows would be passed over.
    fn is_done(&self) -> bool {
        false
    }

    /// Rows beyond so many would be passed over.
    fn rows_max(&self) -> u64 {
        u64::MAX
    }

    /// So much is buffered that the client should read some of it first.
    fn is_full(&self) -> bool {
        false
    }

    /// Sends what is buffered, once everything up to `horizon` is visible: the rows may come from there.
    fn flush(&mut self, horizon: CommitSeq) -> BoxFuture<'_, Result<()>> {
        let _ = horizon;
        Box::pin(std::future::ready(Ok(())))
    }
}

/// Takes the row changes of a statement, for the binlog.
pub trait RowLog: Send {
    /// A row was added.
    fn insert(&mut self, table: &Table, row: &[u8]) -> Result<()>;
    /// A row was replaced.
    fn update(&mut self, table: &Table, before: &[u8], after: &[u8]) -> Result<()>;
    /// A row was removed.
    fn delete(&mut self, table: &Table, row: &[u8]) -> Result<()>;
    /// Whether replicas are to take the changes from now on as they are, because all that goes with them by foreign keys is
    /// logged.
    fn set_cascaded(&mut self, cascaded: bool) {
        let _ = cascaded;
    }
}

/// What LOAD DATA reads.
pub trait DataFile: Send {
    /// The next piece of it; empty at its end.
    fn read(&mut self) -> BoxFuture<'_, Result<Vec<u8>>>;
}

impl<F: DataFile + ?Sized> DataFile for &mut F {
    fn read(&mut self) -> BoxFuture<'_, Result<Vec<u8>>> {
        (**self).read()
    }
}

/// The values that a statement comes with.
#[derive(Clone, Copy, Debug, Default)]
pub struct Params<'a> {
    /// The client's parameters.
    pub values: &'a [ValueRef<'a>],
    /// Literals that were taken out of the text.
    pub literals: &'a [Value],
    /// Those of an INSERT's rows, row after row.
    pub row_literals: &'a [Value],
    /// How many a row.
    pub row_size: usize,
}

/// What a statement that changes rows has done.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Changed {
    /// Rows that were found.
    pub matched: u64,
    /// Rows that were changed, as the OK packet counts them.
    pub affected: u64,
    /// The first AUTO_INCREMENT value generated, or the last one given.
    pub insert_id: u64,
    /// Whether `insert_id` was generated: `last_insert_id()` becomes it.
    pub generated: bool,
    /// The text of the OK packet.
    pub info: Option<String>,
}

/// What a statement has done.
#[derive(Debug)]
pub enum Done {
    /// It returned so many rows.
    Rows(u64),
    /// It changed rows.
    Changed(Changed),
    /// It assigned the values of so many rows, at most one, to user variables.
    Assigned(u64),
}

/// Everything that a statement runs with.
pub struct Exec<'a> {
    /// The session.
    pub session: &'a Session,
    /// Its transaction.
    pub trx: &'a mut Trx,
    /// Where warnings go.
    pub warnings: &'a mut Warnings,
    /// Where row changes go.
    pub log: &'a mut dyn RowLog,
    /// The statement's values.
    pub params: Params<'a>,
    /// Affected rows of an UPDATE are those found, not those changed: CLIENT_FOUND_ROWS.
    pub found_rows: bool,
    /// Plain reads lock what they read, as FOR SHARE does: SERIALIZABLE.
    pub shared_reads: bool,
    /// Bytes that the rows of one sort, grouping or subquery may take: [`MEMORY_MAX`].
    pub memory_max: usize,
    /// The rows of its queries of WITH and of subqueries that are the same throughout, by the address of their plan.
    pub kept: HashMap<usize, Kept>,
    /// The stored rows that it looks up.
    pub lookups: Lookups,
    /// Rows that it has looked at.
    pub turns: Turns,
    /// What it has read and sorted.
    pub work: Work,
    /// The SELECTs that have begun, by the address of their plan.
    pub noted: SmallVec<[usize; 2]>,
    /// Values that cannot be read as what they are compared with are errors, not warnings: of a change in strict mode.
    pub strict: bool,
    /// The file of LOAD DATA.
    pub file: Option<&'a mut dyn DataFile>,
    /// What expressions remember.
    pub memo: Option<&'a Memo>,
}

impl<'a> Exec<'a> {
    /// One that has no parameters and changes nothing.
    pub fn of_values(
        session: &'a Session,
        trx: &'a mut Trx,
        warnings: &'a mut Warnings,
        log: &'a mut dyn RowLog,
    ) -> Self {
        Self {
            session,
            trx,
            warnings,
            log,
            params: Params::default(),
            found_rows: false,
            shared_reads: false,
            memory_max: MEMORY_MAX,
            kept: HashMap::new(),
            lookups: Lookups::default(),
            turns: Turns::default(),
            work: Work::default(),
            noted: SmallVec::new(),
            strict: false,
            file: None,
            memo: None,
        }
    }

    /// Executes a plan whose tables are locked and current.
    pub async fn run(&mut self, plan: &Plan, sink: &mut dyn ResultSink) -> Result<Done> {
        self.strict = self.session.sql_mode.is_strict() && plan.is_strict();
        // Relaxed: the session's own state, which no other data depends on.
        self.session.last_insert_id_given.store(false, Memory::Relaxed);
        self.lookups.note_changes(plan);
        match plan {
            Plan::Select(query) => {
                self.query(query, &[], self.session.select_limit, sink).await.map(Done::Rows)
            }
            Plan::SelectInto(into) => Box::pin(self.select_into(into, sink)).await.map(Done::Assigned),
            Plan::Insert(insert) => self.insert(insert).await.map(Done::Changed),
            Plan::Update(update) => self.update(update).await.map(Done::Changed),
            Plan::Delete(delete) => self.delete(delete).await.map(Done::Changed),
            // In boxes, as all that is rare: each statement makes room for the largest that is not.
            Plan::MultiUpdate(update) => Box::pin(self.multi_update(update)).await.map(Done::Changed),
            Plan::MultiDelete(delete) => Box::pin(self.multi_delete(delete)).await.map(Done::Changed),
        }
    }

    /// How it changes rows; `relations` and `rules` are the plan's.
    fn changes<'c>(
        &'c mut self,
        relations: Option<&'c Relations>,
        rules: Option<&'c RowRules>,
        turns: &'c mut Turns,
    ) -> RowChanges<'c> {
        let session = self.session;
        let enforce = if session.foreign_key_checks { Enforce::Everything } else { Enforce::Nothing };
        let time_zone = session.time_zone();
        RowChanges {
            trx: self.trx,
            log: self.log,
            relations,
            rules,
            strict_rules: true,
            enforce,
            session,
            time_zone,
            turns,
        }
    }

    /// The values of expressions that stand in no query: see [`crate::bind::bind_exprs`].
    pub async fn values(&mut self, plan: &SelectPlan) -> Result<Vec<Value>> {
        let mut rows = Collector::new(self.session, self.memory_max);
        let found_rows = self.session.found_rows.load(Memory::Relaxed);
        let done = self.select(plan, &[], u64::MAX, &mut rows).await;
        self.session.found_rows.store(found_rows, Memory::Relaxed);
        done?;
        Ok(rows.rows.pop().unwrap_or_default())
    }

    /// A context for expressions that are not assigned to anything.
    fn reading(&mut self) -> Context<'_> {
        Context { strict: self.strict, ..self.session.reading(self.warnings) }
    }

    /// Inputs for expressions.
    fn inputs<'i>(&self, rows: &'i [RowRef<'i>], known: Known<'i>) -> Inputs<'i>
    where
        'a: 'i,
    {
        Inputs {
            session: self.session,
            collation: self.session.collation_connection,
            schema: known.schema,
            params: self.params.values,
            literals: self.params.literals,
            row_literals: &[],
            rows,
            candidate: RowRef::Missing,
            aggregates: &[],
            windows: &[],
            outer: known.outer,
            subqueries: known.answers,
            memo: self.memo,
        }
    }
}

/// Errors of the table store as clients see them. Duplicates are worded where the row is known.
pub fn engine_error(error: EngineError) -> SqlError {
    match error {
        EngineError::Deadlock => ER_LOCK_DEADLOCK.error(&[]),
        EngineError::LockWaitTimeout => ER_LOCK_WAIT_TIMEOUT.error(&[]),
        EngineError::TableFull { table } => ER_RECORD_FILE_FULL.error(&[&table]),
        EngineError::DiskFull => ER_DISK_FULL.error(&[&"the table store", &28, &"No space left on device"]),
        EngineError::Duplicate { index } => SqlError::with_message(
            &ER_ERROR_ON_READ,
            format!("a duplicate for index {index} that nobody looked at"),
        ),
        EngineError::SnapshotTooOld => SqlError::with_message(&ER_TABLE_DEF_CHANGED, error.to_string()),
        EngineError::Corrupt { .. } => SqlError::with_message(&ER_CRASHED_ON_USAGE, error.to_string()),
        EngineError::Base(_) | EngineError::Io(_) => {
            SqlError::with_message(&ER_ERROR_ON_READ, error.to_string())
        }
    }
}

/// Lets other tasks run.
pub async fn give_way() {
    let mut gave = false;
    std::future::poll_fn(|context| {
        if std::mem::replace(&mut gave, true) {
            return Poll::Ready(());
        }
        context.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}

/// Rows between two moments at which others may run.
const ROWS_A_TURN: u32 = 128;

/// Counts rows, and says when it is time to give way.
#[derive(Debug, Default)]
pub struct Turns(u32);

impl Turns {
    fn count(&self) -> u32 {
        self.0
    }

    /// Another row.
    pub async fn tick(&mut self) {
        self.0 = self.0.wrapping_add(1);
        if self.0.is_multiple_of(ROWS_A_TURN) {
            give_way().await;
        }
    }
}
