//! Recursive queries: rows, and what is made of them.
//!
//! Each part that makes rows has a queue of those that it has not read. A part runs until its queue stays empty, which
//! holds its own rows too; then it is the next one's turn, until all queues are empty. The order of the rows follows from
//! that, and so does how often each part has run, of which there is a limit.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::Ordering as Memory;

use smallvec::SmallVec;
use types::column::{Column, ColumnType, LobSize};
use types::context::Context;
use types::error::table::{ER_CTE_MAX_RECURSION_DEPTH, ER_OUT_OF_SORTMEMORY};
use types::row::{Offsets, RowLayout};
use types::value::Value;
use types::warning::Warnings;

use super::memory::{KEY_OVERHEAD, Room, row_size};
use super::project::cell;
use super::window::Window;
use super::{BoxFuture, Cell, Exec, Known, Result, ResultSink};
use crate::expr::{SortKey, Types};
use crate::plan::{QueryPlan, RecursivePlan};
use crate::session::Session;

impl Exec<'_> {
    /// Runs a recursive query whose result has begun; returns how many rows it gave.
    pub(super) fn recursive<'s>(
        &'s mut self,
        plan: &'s RecursivePlan,
        outer: &'s [Value],
        sink: &'s mut dyn ResultSink,
    ) -> BoxFuture<'s, Result<u64>> {
        Box::pin(async move {
            let (first, others) = plan.parts.split_first().expect("a recursive query has first rows");
            let columns = columns(plan, first, &self.inputs(&[], Known::NOTHING).types())?;
            let mut grown = Grown {
                plan,
                session: self.session,
                layout: RowLayout::new(columns.iter().map(|column| column.ty)),
                columns,
                bytes: Vec::new(),
                queues: others.iter().map(|_| Queue::default()).collect(),
                seen: plan.distinct.then(HashSet::new),
                memory: Room::new(self.memory_max),
                warnings: Warnings::default(),
                window: self.window(plan.limit.as_ref(), plan.offset.as_ref(), u64::MAX, false)?,
                sink,
            };
            self.query(first, outer, u64::MAX, &mut grown).await?;
            while let Some(next) = grown.queues.iter().position(|queue| !queue.rows.is_empty()) {
                for (place, part) in others.iter().enumerate().skip(next) {
                    self.exhaust(place, part, outer, &mut grown).await?;
                }
            }
            let Grown { window, warnings, .. } = grown;
            if self.session.sql_mode.is_strict() {
                self.warnings.absorb(warnings);
            }
            self.session.found_rows.store(window.found, Memory::Relaxed);
            Ok(window.given)
        })
    }

    /// Runs a part until it has read all rows. Error 3636 if it has run too often.
    async fn exhaust(
        &mut self,
        place: usize,
        part: &QueryPlan,
        outer: &[Value],
        grown: &mut Grown<'_>,
    ) -> Result<()> {
        let key = grown.plan.recent.key();
        while let Some((rows, bytes)) = grown.queues[place].take(self.session)? {
            self.kept.insert(key, Arc::new(rows));
            let done = self.query(part, outer, u64::MAX, grown).await;
            self.kept.remove(&key);
            done?;
            grown.memory.give_back(bytes);
        }
        Ok(())
    }
}

/// The columns of the result. What depends on parameters has the types of their values; texts among it are as long as they
/// like.
fn columns(plan: &RecursivePlan, first: &QueryPlan, types: &Types<'_>) -> Result<Vec<Column>> {
    let column = |(place, bound): (usize, &Column)| {
        let ty = match first.column_type(place, types)?.column_type() {
            ty if ty == bound.ty => ty,
            ColumnType::Char { collation, .. } | ColumnType::Varchar { collation, .. } => {
                ColumnType::Text { size: LobSize::Long, collation }
            }
            ColumnType::Binary { .. } | ColumnType::Varbinary { .. } => {
                ColumnType::Blob { size: LobSize::Long }
            }
            other => other,
        };
        Ok(Column { ty, ..bound.clone() })
    };
    plan.recent.columns.iter().enumerate().map(column).collect()
}

/// The rows that a part has not read.
#[derive(Default)]
struct Queue {
    rows: Vec<Vec<Value>>,
    bytes: usize,
    /// So often the part has run.
    runs: u32,
}

impl Queue {
    /// The rows for another run, and their bytes; none if there are no rows.
    fn take(&mut self, session: &Session) -> Result<Option<(Vec<Vec<Value>>, usize)>> {
        if self.rows.is_empty() {
            return Ok(None);
        }
        if self.runs >= session.cte_max_recursion_depth {
            return Err(ER_CTE_MAX_RECURSION_DEPTH.error(&[&(u64::from(self.runs) + 1)]));
        }
        self.runs += 1;
        Ok(Some((std::mem::take(&mut self.rows), std::mem::take(&mut self.bytes))))
    }
}

/// Takes the rows of all parts.
struct Grown<'s> {
    plan: &'s RecursivePlan,
    session: &'s Session,
    columns: Vec<Column>,
    layout: RowLayout,
    /// The row at hand.
    bytes: Vec<u8>,
    queues: Vec<Queue>,
    /// The keys of all rows, if none may come twice.
    seen: Option<HashSet<SortKey>>,
    memory: Room,
    /// What was adjusted.
    warnings: Warnings,
    window: Window,
    sink: &'s mut dyn ResultSink,
}

impl Grown<'_> {
    /// The row as its columns hold it, which are those of the first rows: in strict mode an error if it does not fit.
    fn stored(&mut self, cells: &[Cell<'_>]) -> Result<Vec<Value>> {
        let time_zone = self.session.time_zone();
        let mut context = self.session.writing(&mut self.warnings);
        self.bytes.clear();
        let mut row = self.layout.builder(&mut self.bytes);
        for (column, cell) in self.columns.iter().zip(cells) {
            row.assign(column, cell.value(time_zone), &mut context)?;
        }
        let mut offsets = Offsets::default();
        let found = row.finish().and_then(|()| self.layout.offsets(&self.bytes, &mut offsets));
        // All that can be wrong with a row of so many columns is its size.
        found.map_err(|_| ER_OUT_OF_SORTMEMORY.error(&[]))?;
        let value = |column| self.layout.value(&self.bytes, &offsets, column, time_zone).to_value();
        Ok((0..self.layout.column_count()).map(value).collect())
    }

    /// Whether a row has not come before, or may come again.
    fn is_new(&mut self, row: &[Value]) -> Result<bool> {
        let Some(seen) = &mut self.seen else { return Ok(true) };
        let mut key = SortKey::new();
        for value in row {
            key.push(value.as_ref());
        }
        let bytes = key.as_bytes().len() + KEY_OVERHEAD;
        let is_new = seen.insert(key);
        if is_new {
            self.memory.take(bytes)?;
        }
        Ok(is_new)
    }
}

impl ResultSink for Grown<'_> {
    fn begin(&mut self, _part: &QueryPlan, _types: &Types<'_>) -> Result<()> {
        Ok(())
    }

    fn row(&mut self, cells: &[Cell<'_>], context: &Context<'_>) -> Result<()> {
        if self.is_done() {
            return Ok(());
        }
        let row = self.stored(cells)?;
        if !self.is_new(&row)? {
            return Ok(());
        }
        if self.window.takes() {
            let cells: SmallVec<[Cell<'_>; 8]> = row.iter().map(cell).collect();
            self.sink.row(&cells, context)?;
        }
        if self.is_done() {
            // Nothing is made of what nobody reads.
            self.queues.iter_mut().for_each(|queue| queue.rows.clear());
            return Ok(());
        }
        let bytes = row_size(&row);
        for queue in &mut self.queues {
            self.memory.take(bytes)?;
            queue.bytes += bytes;
            queue.rows.push(row.clone());
        }
        Ok(())
    }

    fn is_done(&self) -> bool {
        self.window.is_over() || self.sink.is_done()
    }
}
