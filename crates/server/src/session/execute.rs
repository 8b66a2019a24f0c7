//! Planned statements: planning, locking, executing, and ending what they began.

use std::collections::HashMap;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use commit::CommitAck;
use engine::lock::Mode;
use smallvec::SmallVec;
use sql::bind::{self, BindEnv};
use sql::exec::{Changed, DataFile, Done, Exec, Params, ResultSink, Turns, Work};
use sql::expr::Memo;
use sql::lex::{Normalised, Verb, normalise};
use sql::parse::{self, Statement};
use sql::plan::{Plan, PlannedTable};
use tokio::task::JoinHandle;
use types::error::SqlError;
use types::error::table::{
    ER_CANT_EXECUTE_IN_READ_ONLY_TRANSACTION, ER_LOCK_DEADLOCK, ER_NEED_REPREPARE, ER_QUERY_INTERRUPTED,
    ER_QUERY_TIMEOUT, ER_TABLE_DEF_CHANGED,
};

use super::out_file::OutFile;
use super::plan_cache::Planned;
use super::result::{ClientSink, Format};
use super::row_log::StatementLog;
use super::statement::markers;
use super::transaction::Committed;
use super::{Client, Wire, count};
use crate::status::Counter;

type Result<T> = std::result::Result<T, SqlError>;

/// A statement's text without its literals, and what it was parsed to if it had to be.
pub(super) enum Prepared {
    /// It has a plan.
    Plan(Arc<Planned>, Normalised),
    /// It has none: it is carried out as it is.
    Other(Box<Statement>),
}

/// Bytes of a text that is read while others are served by another thread.
const LARGE_TEXT: usize = 64 << 10;

/// Does something with all of a statement's text. One of megabytes takes seconds, in which the thread would serve nobody else.
pub(super) fn in_place<T>(sql: &[u8], read: impl FnOnce() -> T) -> T {
    if sql.len() < LARGE_TEXT { read() } else { tokio::task::block_in_place(read) }
}

/// With whom a statement deals.
pub(super) enum With<'a> {
    /// The client.
    Client,
    /// And a file that LOAD DATA reads.
    Input(&'a mut dyn DataFile),
    /// A file has its rows.
    Output(&'a mut OutFile),
}

/// What became of an execution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub(super) enum Ran {
    /// It was answered.
    Answered,
    /// Nothing was done: the plan is of another version of a table.
    Stale,
}

impl Client {
    /// Finds or makes the plan of a statement.
    pub(super) fn plan(&self, sql: &[u8], verb: Verb) -> Result<Prepared> {
        in_place(sql, || self.plan_here(sql, verb))
    }

    fn plan_here(&self, sql: &[u8], verb: Verb) -> Result<Prepared> {
        // What has no plan needs its literals where they are.
        if verb == Verb::Other {
            return self.plan_as_sent(sql);
        }
        let collation = self.sql.collation_connection;
        let normalised = normalise(sql, verb, self.sql.quoting(), collation);
        if let Some(normalised) = &normalised
            && let Some(planned) = self.space.find(&normalised.text)
        {
            return Ok(Prepared::Plan(planned, normalised.clone()));
        }
        self.make_plan(sql, normalised)
    }

    fn make_plan(&self, sql: &[u8], normalised: Option<Normalised>) -> Result<Prepared> {
        let (statement, normalised) = match normalised {
            // An error must speak of the statement as it was sent.
            Some(normalised) => match parse::parse(&normalised.text, self.sql.sql_mode) {
                Ok(statement) => (statement, normalised),
                Err(_) => return self.plan_as_sent(sql),
            },
            None => return self.plan_as_sent(sql),
        };
        match self.bind(statement, &normalised)? {
            Ok(planned) => {
                let planned = Arc::new(planned);
                if !planned.is_typed_by_variables {
                    self.space.put(&normalised.text, Arc::clone(&planned));
                }
                Ok(Prepared::Plan(planned, normalised))
            }
            Err(statement) => Ok(Prepared::Other(statement)),
        }
    }

    fn plan_as_sent(&self, sql: &[u8]) -> Result<Prepared> {
        let statement = parse::parse(sql, self.sql.sql_mode)?;
        let text = String::from_utf8_lossy(sql).into_owned();
        let params = markers(sql, self).count();
        let normalised = Normalised { text, params, ..Normalised::default() };
        Ok(match self.bind(statement, &normalised)? {
            Ok(planned) => Prepared::Plan(Arc::new(planned), normalised),
            Err(statement) => Prepared::Other(statement),
        })
    }

    /// Plans a statement, unless it is one that has no plan.
    pub(super) fn bind(
        &self,
        statement: Statement,
        normalised: &Normalised,
    ) -> Result<std::result::Result<Planned, Box<Statement>>> {
        let catalog = self.shared.store.catalog();
        let env = BindEnv::new(&catalog, &self.sql, &normalised.text);
        let row_size = (normalised.row_size > 0).then_some(normalised.row_size);
        let plan = match statement {
            Statement::Query(query) => Plan::Select(bind::bind_query(&query, &env)?),
            Statement::SelectInto(into) => Plan::SelectInto(bind::bind_into(&into, &env)?),
            Statement::Insert(insert) => Plan::Insert(bind::bind_insert(&insert, row_size, &env)?),
            Statement::Load(load) => Plan::Insert(bind::bind_load(&load, &env)?),
            Statement::Update(update) => bind::bind_update(&update, &env)?,
            Statement::Delete(delete) => bind::bind_delete(&delete, &env)?,
            other => return Ok(Err(Box::new(other))),
        };
        let is_typed_by_variables = env.is_typed_by_variables();
        Ok(Ok(Planned { is_typed_by_variables, ..Planned::with_params(plan, env.param_types()) }))
    }

    /// Executes a plan and answers.
    pub(super) async fn run_plan(
        &mut self,
        planned: &Planned,
        params: Params<'_>,
        format: Format,
        more: bool,
        wire: &mut dyn Wire,
    ) -> Result<Ran> {
        if let Some(file) = planned.plan.out_file() {
            return Box::pin(self.run_into_file(planned, file, params, more, wire)).await;
        }
        self.permit(planned)?;
        if planned.plan.query().is_none() && self.passes_over_change()? {
            self.pass_over(more, wire);
            return Ok(Ran::Answered);
        }
        if !planned.tables.is_empty() {
            self.begin_if_needed();
        }
        let timer = self.start_timer(planned);
        let mut done = self.run_changes(planned, params, format, With::Client, wire).await;
        if let Some(timer) = timer {
            done = self.stop_timer(timer, done).await;
        }
        self.conclude(done, more, wire).await
    }

    /// Ends what [`Self::run_changes`] has done, and answers.
    pub(super) async fn conclude(
        &mut self,
        done: Result<Option<Done>>,
        more: bool,
        wire: &mut dyn Wire,
    ) -> Result<Ran> {
        match done {
            Ok(Some(done)) => self.finish(done, more, wire).await.map(|()| Ran::Answered),
            Ok(None) => {
                self.end_stale().await;
                Ok(Ran::Stale)
            }
            Err(error) => Err(self.fail(error).await),
        }
    }

    /// A plan was of another version of a table: gives up the locks that it has taken.
    pub(super) async fn end_stale(&mut self) {
        if !self.transaction.open {
            let _ack = self.transaction.rollback().await;
        }
    }

    /// A statement that has to do with tables begins its transaction, unless it is within one.
    pub(super) fn begin_if_needed(&mut self) {
        if self.transaction.open {
            return;
        }
        if self.vars.autocommit {
            self.vars.next.read_only = None;
            if self.transaction.trx.is_idle() {
                self.set_isolation();
            }
        } else {
            self.open_transaction();
        }
    }

    /// Stops a SELECT after `max_execution_time` as KILL QUERY would.
    fn start_timer(&self, planned: &Planned) -> Option<JoinHandle<()>> {
        let limit_ms = self.vars.max_execution_time_ms;
        if limit_ms == 0 || planned.plan.query().is_none() {
            return None;
        }
        self.counters.bump(Counter::MaxExecutionTimeSet);
        let kill = Arc::clone(&self.kill);
        Some(tokio::spawn(async move {
            tokio::time::sleep(Duration::from_millis(limit_ms)).await;
            kill.kill_query();
        }))
    }

    /// The same result, or error 3024 if the time was over.
    async fn stop_timer<T>(&mut self, timer: JoinHandle<()>, done: Result<T>) -> Result<T> {
        timer.abort();
        if timer.await.is_err() {
            return done;
        }
        self.counters.bump(Counter::MaxExecutionTimeExceeded);
        // The next statement of the same command has its own time.
        self.kill.command_begins();
        done.map_err(
            |error| if error.is(&ER_QUERY_INTERRUPTED) { ER_QUERY_TIMEOUT.error(&[]) } else { error },
        )
    }

    /// Executes the plan of a SHOW and answers: it begins no transaction.
    pub(super) async fn run_shown(
        &mut self,
        planned: &Planned,
        params: Params<'_>,
        format: Format,
        more: bool,
        wire: &mut dyn Wire,
    ) -> Result<()> {
        self.permit(planned)?;
        match self.run_changes(planned, params, format, With::Client, wire).await {
            Ok(Some(done)) => self.finish(done, more, wire).await,
            // A table of a subquery in WHERE has changed.
            Ok(None) => Err(self.fail(ER_NEED_REPREPARE.error(&[])).await),
            Err(error) => Err(self.fail(error).await),
        }
    }

    /// Whether the session may do this with the plan's tables.
    pub(super) fn permit_tables(&self, planned: &Planned) -> Result<()> {
        self.permit_in_xa(planned)?;
        let everywhere = self.rights();
        // Whoever changes a table locks its rows; other tables of such a statement are read.
        let is_change = matches!(
            planned.plan,
            Plan::Update(_) | Plan::MultiUpdate(_) | Plan::Delete(_) | Plan::MultiDelete(_)
        );
        for (planned, wanted) in planned.tables.iter().zip(&planned.wanted) {
            let (db, name) = (&planned.table.def.db, &planned.table.def.name);
            if !everywhere.contains(*wanted) {
                self.access.on_table(*wanted, db, name)?;
            }
            if planned.locks && !is_change {
                self.access.locking(db, name)?;
            }
        }
        planned.by_views.iter().try_for_each(|(by, table)| self.permit_by_view(by, table))
    }

    /// Whether the session may run it now.
    pub(super) fn permit(&self, planned: &Planned) -> Result<()> {
        self.permit_tables(planned)?;
        if let Some(query) = planned.plan.query() {
            if query.locks_exclusively() {
                self.refuse_in_read_only_transaction()?;
                return self.refuse_read_only();
            }
            return Ok(());
        }
        if planned.changes_temporary_alone() {
            return Ok(());
        }
        self.refuse_under_read_lock()?;
        self.refuse_in_read_only_transaction()?;
        self.refuse_read_only()
    }

    /// Error 1792 in a transaction that only reads, and for a statement by itself that would be one.
    pub(super) fn refuse_in_read_only_transaction(&self) -> Result<()> {
        let read_only = if self.transaction.open {
            self.transaction.read_only
        } else {
            self.vars.next.read_only.unwrap_or(self.vars.read_only)
        };
        if read_only { Err(ER_CANT_EXECUTE_IN_READ_ONLY_TRANSACTION.error(&[])) } else { Ok(()) }
    }

    /// Locks, executes, and undoes what a statement has done that fails. `None` if the plan is of another version of
    /// a table: then nothing of its file was read or written.
    pub(super) async fn run_changes(
        &mut self,
        planned: &Planned,
        params: Params<'_>,
        format: Format,
        mut with: With<'_>,
        wire: &mut dyn Wire,
    ) -> Result<Option<Done>> {
        let kill = Arc::clone(&self.kill);
        self.transaction.trx.begin_statement();
        // Who makes a table has locked it and what it reads before.
        let is_locked = self.new_table.is_some();
        if !is_locked && !kill.unless_killed(pin!(self.lock_tables(&planned.tables))).await? {
            return Ok(None);
        }
        let logs = self.logs() && planned.plan.query().is_none();
        let status = self.status(false);
        let shared_reads = self.transaction.open && self.transaction.serializable;
        let begun = self.transaction.trx.mark();
        let kept = planned.columns_are_fixed.then_some(&planned.definitions);
        let mut sink = ClientSink::new(wire, &self.shared.pipeline, &self.results, format, status, kept);
        let (trx, cache) = self.transaction.parts();
        let related = planned.plan.relations().next().is_some();
        let mut log = StatementLog::new(cache, &self.log, logs, related, planned.plan.changed_together());
        let memo = Memo::default();
        let mut exec = Exec {
            session: &self.sql,
            trx,
            warnings: &mut self.warnings,
            log: &mut log,
            params,
            found_rows: self.capabilities.contains(protocol::wire::Capabilities::FOUND_ROWS),
            shared_reads,
            memory_max: sql::exec::MEMORY_MAX,
            kept: HashMap::new(),
            lookups: sql::exec::Lookups::default(),
            turns: Turns::default(),
            work: Work::default(),
            noted: SmallVec::new(),
            strict: false,
            memo: Some(&memo),
            file: None,
        };
        let sink: &mut dyn ResultSink = match &mut with {
            With::Client => &mut sink,
            With::Input(file) => {
                exec.file = Some(&mut **file);
                &mut sink
            }
            With::Output(out) => *out,
        };
        let done = kill.unless_killed(pin!(exec.run(&planned.plan, sink))).await;
        let work = exec.work;
        count::add_work(&self.counters, &work, log.rows);
        self.slow.add(&work);
        log.end(done.is_ok());
        if done.is_err() {
            self.transaction.trx.rollback_to(begun);
        }
        self.transaction.trx.end_statement();
        done.map(Some)
    }

    /// Takes the metadata locks of a plan's tables. Returns whether their versions are still the plan's.
    pub(super) async fn lock_tables(&mut self, tables: &[PlannedTable]) -> Result<bool> {
        for PlannedTable { table, written, implied, by, .. } in tables {
            let held = self.transaction.trx.holds(table.lock, Mode::Shared);
            if *implied || by.is_some() {
                self.lock_related(table, *written).await?;
            } else {
                self.lock_table(table, *written).await?;
            }
            if table.is_gone() {
                // An earlier statement of the transaction may have taken it.
                if !held {
                    self.transaction.trx.unlock(table.lock);
                }
                return Ok(false);
            }
            // In related tables the newest rows are what is looked at.
            if let Some(visible) = self.transaction.trx.snapshot_seq()
                && !implied
                && !table.is_in(visible)
            {
                return Err(ER_TABLE_DEF_CHANGED.error(&[]));
            }
        }
        Ok(true)
    }

    /// A statement has succeeded: ends its transaction if it is one by itself, and answers.
    async fn finish(&mut self, done: Done, more: bool, wire: &mut dyn Wire) -> Result<()> {
        match done {
            Done::Rows(rows) => {
                self.slow.sent += rows;
                self.end_query().await?;
                self.sql.row_count = -1;
                let (status, warnings) = (self.status(more), self.warnings.packet_count());
                protocol::reply::write_rows_end(wire.packets(), self.capabilities, status, warnings);
            }
            Done::Assigned(rows) => {
                self.end_query().await?;
                self.sql.row_count = i64::try_from(rows).unwrap_or(i64::MAX);
                self.ok(None, &Changed { affected: rows, ..Changed::default() }, more, wire);
            }
            Done::Changed(changed) => {
                let ack = if !self.transaction.open && self.may_answer_ahead(more, wire) {
                    let committed = self.commit_ahead().await?;
                    self.hold(committed, wire)
                } else {
                    self.commit_statement().await?
                };
                self.sql.row_count = i64::try_from(changed.affected).unwrap_or(i64::MAX);
                if changed.generated {
                    self.sql.last_insert_id.store(changed.insert_id, Ordering::Relaxed);
                    self.sql.insert_id = None;
                }
                self.ok(ack, &changed, more, wire);
            }
        }
        Ok(())
    }

    /// A query has succeeded: what it has seen is to be durable before it is answered.
    pub(super) async fn end_query(&mut self) -> Result<()> {
        if self.transaction.open {
            self.transaction.wait_for_horizon().await;
        } else {
            let logged = self.logs_commit()?;
            let _ack = self.transaction.commit(self.log.origin, logged).await?;
        }
        Ok(())
    }

    /// Commits a statement that is a transaction by itself.
    pub(super) async fn commit_statement(&mut self) -> Result<Option<CommitAck>> {
        if self.transaction.open {
            return Ok(None);
        }
        let logged = self.prepare_commit().await?;
        self.transaction.commit(self.log.origin, logged).await.map(Some)
    }

    /// What comes before a commit; whether it is logged.
    pub(super) async fn prepare_commit(&mut self) -> Result<bool> {
        self.wait_for_read_lock().await?;
        self.logs_commit()
    }

    /// Commits the transaction that was begun, without waiting where only the client has to.
    pub(super) async fn commit_ahead(&mut self) -> Result<Committed> {
        let logged = self.prepare_commit().await?;
        self.transaction.commit_ahead(self.log.origin, logged).await
    }

    /// A statement without a plan has failed: it leaves no lock and no snapshot, unless it is within a transaction.
    pub(super) async fn leave_nothing(&mut self) {
        if !self.transaction.open && !self.transaction.trx.is_idle() {
            let _ack = self.transaction.rollback().await;
        }
    }

    /// A statement has failed and is undone: ends the transaction if it is one by itself, at a deadlock, and if its
    /// snapshot is gone. The error may follow from what others have not made durable yet.
    pub(super) async fn fail(&mut self, error: SqlError) -> SqlError {
        let lost = error.is(&ER_TABLE_DEF_CHANGED) && self.transaction.trx.is_expired();
        if !self.transaction.open || lost || error.is(&ER_LOCK_DEADLOCK) {
            let _ack = self.transaction.rollback().await;
            self.note_xa_rolled_back();
        } else {
            self.transaction.wait_for_horizon().await;
        }
        error
    }
}
