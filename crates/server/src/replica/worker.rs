//! A worker: applies the groups that it is given, one after another, and commits each when it is its turn.

use std::collections::HashMap;
use std::sync::Arc;

use binlog::decode::Event;
use binlog::{EventType, Origin};
use replication::replica::{Head, Position, SourceEvent, rows_body};
use sql::lex::Quoting;
use tokio::sync::mpsc;
use types::error::SqlError;
use types::error::table::{ER_BINLOG_FATAL_ERROR, ER_DUP_ENTRY, ER_KEY_NOT_FOUND, ER_NO_SUCH_TABLE};

use super::finisher::Done;
use super::flow::{Flow, Stop};
use super::keep::position_key;
use super::progress::WorkerSeen;
use super::receiver::{Received, Room};
use super::{Failure, Tolerance};
use crate::general_log::without_secrets;
use crate::session::{Client, Mapped, Stamp};

/// Bytes of a statement that an error shows.
const QUERY_SHOWN: usize = 1024;

/// Table maps that a worker remembers.
const MAPS_MAX: usize = 1024;

/// What a worker is given. A group is `Begin`, `Event`s, `End` or `Forget`; or `Begin`, `Statement`.
#[derive(Debug)]
pub(super) enum Task {
    /// A group, whose turn this is, and which may begin when another turn is committed.
    Begin { turn: u64, after: u64, head: Box<Head>, _room: Room },
    /// An event within it.
    Event(Received),
    /// Its end: it is committed, or rolled back.
    End { received: Received, position: Position, commits: bool },
    /// It has no end: the source never committed it.
    Forget { position: Position },
    /// All of it.
    Statement { received: Received, position: Position },
    /// Nothing but a new position, behind so many events of `sql_replica_skip_counter`.
    Pass { turn: u64, position: Position, skipped: u32, _room: Option<Room> },
}

/// See the module.
#[derive(Debug)]
pub(super) struct Worker {
    /// From 1 on.
    pub(super) number: usize,
    /// What may fail.
    pub(super) tolerance: Tolerance,
    pub(super) client: Client,
    pub(super) flow: Arc<Flow>,
    pub(super) tasks: mpsc::UnboundedReceiver<Task>,
    pub(super) done: mpsc::Sender<Done>,
    /// `None`: of a table that is not there, which is tolerated.
    pub(super) maps: HashMap<u64, Option<Mapped>>,
    pub(super) open: Option<Open>,
    pub(super) seen: Arc<WorkerSeen>,
}

/// The group at hand.
#[derive(Debug)]
pub(super) struct Open {
    turn: u64,
    head: Box<Head>,
    /// A transaction of its GTID is here already.
    passed_over: bool,
    /// The last event, for errors.
    at: u32,
    what: EventType,
    /// Of rows, their table's id.
    table_id: u64,
}

impl Worker {
    /// Works until there is no more, or until it is told to stop.
    pub(super) async fn run(mut self) {
        loop {
            let task = tokio::select! {
                biased;
                () = self.flow.cancelled() => break,
                task = self.tasks.recv() => task,
            };
            let Some(task) = task else { break };
            match self.carry_out(task).await {
                Ok(()) => {}
                Err(Stop::Cancelled) => break,
                Err(Stop::Failed(error)) => {
                    self.report(error).await;
                    break;
                }
            }
        }
        self.client.forget_applied().await;
        self.client.end().await;
    }

    /// A failure counts when everything before it is committed: then it is the first.
    async fn report(&mut self, error: SqlError) {
        // Locks go first: somebody before may wait for them.
        self.client.forget_applied().await;
        let before = self.open.as_ref().map_or(0, |open| open.turn.saturating_sub(1));
        if self.flow.wait_committed(before).await.is_ok() && !self.flow.is_cancelled() {
            let error = self.describe(error);
            *self.seen.failure.lock() = Some(Failure::of(&error));
            self.flow.fail(error);
        }
    }

    /// The error with its place in the source's binlog, as MySQL words it.
    fn describe(&self, error: SqlError) -> SqlError {
        let Some(open) = &self.open else { return error };
        let SqlError { code, sqlstate, message } = error;
        let reason = match code {
            code if code == ER_KEY_NOT_FOUND.code => " handler error HA_ERR_KEY_NOT_FOUND;",
            code if code == ER_DUP_ENTRY.code => " handler error HA_ERR_FOUND_DUPP_KEY;",
            _ => "",
        };
        let gtid = open.head.gtid.map_or_else(|| "ANONYMOUS".to_owned(), |gtid| gtid.to_string());
        let place = format!("source log {}, end_log_pos {}", open.head.file, open.at);
        let table = self.maps.get(&open.table_id).and_then(Option::as_ref);
        let what = match (name(open.what), table) {
            (Some(event), Some(table)) => format!(
                "Could not execute {event} event on table {table}; {message}, Error_code: {code};{reason} the event's {place}"
            ),
            _ if code == ER_NO_SUCH_TABLE.code && open.what != EventType::QUERY => {
                format!("Error executing row event: '{message}'")
            }
            _ => message,
        };
        let number = self.number;
        let message = format!("Worker {number} failed executing transaction '{gtid}' at {place}; {what}");
        SqlError { code, sqlstate, message }
    }

    async fn carry_out(&mut self, task: Task) -> Result<(), Stop> {
        match task {
            Task::Begin { turn, after, head, .. } => {
                self.seen.progress.lock().begin(&head);
                let origin = Origin { timestamp: head.timestamp, server_id: head.server_id };
                let (gtid, xa) = (head.gtid, head.xa.clone());
                self.open =
                    Some(Open { turn, head, passed_over: false, at: 0, what: EventType::GTID, table_id: 0 });
                self.flow.wait_committed(after).await?;
                if let Some(gtid) = gtid {
                    self.opened()?.passed_over = !self.client.claim_applied(gtid).await?;
                }
                self.client.begin_applied(origin, xa);
                Ok(())
            }
            Task::Event(_) if self.passes_over() => Ok(()),
            Task::End { position, .. } | Task::Statement { position, .. } if self.passes_over() => {
                let turn = self.opened()?.turn;
                self.commit(turn, 0, stamp(None, &position), position).await
            }
            Task::Event(received) => self.apply(&received.event).await,
            Task::End { received, position, commits } => {
                if received.event.header.event_type == EventType::XA_PREPARE {
                    self.apply(&received.event).await?;
                }
                if !commits {
                    self.undo().await;
                }
                let open = self.opened()?;
                let (turn, timestamp, stamp) =
                    (open.turn, open.head.timestamp, stamp(Some(&open.head), &position));
                self.commit(turn, timestamp, stamp, position).await
            }
            Task::Forget { position } => {
                self.undo().await;
                let turn = self.opened()?.turn;
                self.commit(turn, 0, stamp(None, &position), position).await
            }
            Task::Statement { received, position } => self.statement(&received.event, position).await,
            Task::Pass { turn, position, skipped, .. } => {
                self.commit(turn, 0, stamp(None, &position), position).await?;
                self.client.count_skipped(skipped);
                Ok(())
            }
        }
    }

    async fn undo(&mut self) {
        if self.client.makes_table() {
            // Nobody else will meet that table.
            self.maps.clear();
        }
        self.client.undo_applied().await;
    }

    fn opened(&mut self) -> Result<&mut Open, SqlError> {
        self.open.as_mut().ok_or_else(|| ER_BINLOG_FATAL_ERROR.error(&[&"an event outside of a group"]))
    }

    fn passes_over(&self) -> bool {
        self.open.as_ref().is_some_and(|open| open.passed_over)
    }

    async fn apply(&mut self, event: &SourceEvent) -> Result<(), Stop> {
        let open = self.opened()?;
        (open.at, open.what) = (event.header.end_log_pos, event.header.event_type);
        let turn = open.turn;
        match event.header.event_type {
            EventType::QUERY => match self.statement_within(event, turn).await {
                Err(Stop::Failed(error)) if self.tolerance.skips(&error) && !self.client.makes_table() => {
                    tracing::warn!(
                        code = error.code,
                        "replication: a statement is skipped: {}",
                        error.message
                    );
                }
                Err(Stop::Failed(error)) => return Err(on_query(event, error).into()),
                done => done?,
            },
            EventType::TABLE_MAP => self.map(event)?,
            EventType::XA_PREPARE => {
                let decoded = event.event().map_err(|error| ER_BINLOG_FATAL_ERROR.error(&[&error]))?;
                if let Event::XaPrepare(end) = decoded {
                    self.client.end_applied_xa(&end);
                }
            }
            _ => {
                let bad = |what: &dyn std::fmt::Display| ER_BINLOG_FATAL_ERROR.error(&[what]);
                let body = rows_body(event).map_err(|error| bad(&error))?;
                let body = body.ok_or_else(|| bad(&"an event that has no rows"))?;
                self.opened()?.table_id = body.table_id;
                let mapped = self.maps.get(&body.table_id);
                let mapped = mapped.ok_or_else(|| bad(&"rows of a table that has no map"))?;
                let Some(mapped) = mapped else { return Ok(()) };
                self.client.set_event(event.header.origin());
                self.client.apply_rows(mapped, &body, &self.tolerance).await?;
            }
        }
        Ok(())
    }

    /// BEGIN, savepoints, and the table of CREATE TABLE .. SELECT.
    async fn statement_within(&mut self, event: &SourceEvent, turn: u64) -> Result<(), Stop> {
        if let Some(create) = self.client.apply_within(event)? {
            // As any statement: it changes what others look up.
            self.flow.wait_finished(turn - 1).await?;
            self.client.apply_new_table(event, &create).await?;
        }
        Ok(())
    }

    fn map(&mut self, event: &SourceEvent) -> Result<(), SqlError> {
        let id = event.body.first_chunk::<8>().map_or(0, |head| u64::from_le_bytes(*head) & 0xffff_ffff_ffff);
        if self.maps.get(&id).and_then(Option::as_ref).is_some_and(|mapped| mapped.is_that_of(event)) {
            return Ok(());
        }
        if self.maps.len() >= MAPS_MAX {
            self.maps.clear();
        }
        let mapped = match self.client.map_table(event) {
            Err(error) if error.is(&ER_NO_SUCH_TABLE) && self.tolerance.skips(&error) => {
                tracing::warn!(code = error.code, "replication: rows are skipped: {}", error.message);
                None
            }
            mapped => Some(mapped?.1),
        };
        self.maps.insert(id, mapped);
        Ok(())
    }

    /// A statement runs when everything before it is durable: it changes what others look up.
    async fn statement(&mut self, event: &SourceEvent, position: Position) -> Result<(), Stop> {
        let open = self.opened()?;
        (open.at, open.what) = (event.header.end_log_pos, event.header.event_type);
        let (turn, timestamp, applied) = (open.turn, open.head.timestamp, stamp(Some(&open.head), &position));
        self.flow.wait_finished(turn - 1).await?;
        match self.client.apply_statement(event, applied).await {
            Ok(Some(stamp)) => self.commit(turn, timestamp, stamp, position).await,
            Ok(None) => self.passed(Done { turn, committing: None, position, timestamp }).await,
            Err(error) if self.tolerance.skips(&error) || self.tolerance.misses_xa(&error) => {
                tracing::warn!(code = error.code, "replication: a statement is skipped: {}", error.message);
                self.client.undo_applied().await;
                let stamp = stamp(Some(&self.opened()?.head), &position);
                self.commit(turn, timestamp, stamp, position).await
            }
            Err(error) => Err(on_query(event, error).into()),
        }
    }

    async fn commit(
        &mut self,
        turn: u64,
        timestamp: u32,
        stamp: Stamp,
        position: Position,
    ) -> Result<(), Stop> {
        self.flow.wait_committed(turn - 1).await?;
        if self.client.makes_table() {
            self.client.commit_applied_table(stamp).await?;
            return self.passed(Done { turn, committing: None, position, timestamp }).await;
        }
        let committing = self.client.commit_applied(stamp).await?;
        let committing = if committing.has_released() {
            self.client.go_on();
            Some(committing)
        } else {
            self.client.finish_applied(committing).await;
            None
        };
        self.passed(Done { turn, committing, position, timestamp }).await
    }

    /// The finisher is told before the next turn can come.
    async fn passed(&mut self, done: Done) -> Result<(), Stop> {
        let turn = done.turn;
        self.client.release_claim();
        // The finisher ends after the workers.
        let _ = self.done.send(done).await;
        self.flow.commit(turn);
        if self.open.take().is_some() {
            self.seen.progress.lock().end();
        }
        Ok(())
    }
}

fn stamp(head: Option<&Head>, position: &Position) -> Stamp {
    let some = |number: u64| (number > 0).then_some(number);
    Stamp {
        gtid: head.and_then(|head| head.gtid),
        original_commit_timestamp_us: head.and_then(|head| some(head.original_commit_timestamp_us)),
        original_server_version: head.map(|head| head.original_server_version).filter(|version| *version > 0),
        key: position_key(),
        row: position.encode().into(),
    }
}

/// What MySQL's errors call an event of rows.
fn name(event_type: EventType) -> Option<&'static str> {
    match event_type {
        EventType(23) => Some("Write_rows_v1"),
        EventType(24) => Some("Update_rows_v1"),
        EventType(25) => Some("Delete_rows_v1"),
        EventType::WRITE_ROWS | EventType::UPDATE_ROWS | EventType::DELETE_ROWS => Some(event_type.name()),
        _ => None,
    }
}

/// What a statement has failed of, as MySQL words it. Whoever reads it need not learn passwords.
fn on_query(event: &SourceEvent, error: SqlError) -> SqlError {
    let Ok(Event::Query(query)) = event.event() else { return error };
    let SqlError { code, sqlstate, message } = error;
    let sql = without_secrets(query.sql, Quoting::default());
    let message = format!(
        "Error '{message}' on query. Default database: '{}'. Query: '{}'",
        String::from_utf8_lossy(query.db),
        String::from_utf8_lossy(&sql[..sql.len().min(QUERY_SHOWN)])
    );
    SqlError { code, sqlstate, message }
}
