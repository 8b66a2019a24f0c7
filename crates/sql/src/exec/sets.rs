//! INTERSECT and EXCEPT: rows are kept with how often they are there, and each query of the chain changes these counts.
//!
//! Of rows that are equal the first one stands for all. They are equal as in DISTINCT: NULLs are, and so are texts that
//! their collation does not tell apart.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use smallvec::SmallVec;
use types::context::Context;
use types::temporal::TimeZone;
use types::value::Value;

use super::memory::{KEY_OVERHEAD, Room, row_size};
use super::project::cell;
use super::{BoxFuture, Cell, Exec, Known, Result, ResultSink, Turns};
use crate::expr::{Ev, ResultType, SortKey, Types, in_type_and_scale};
use crate::plan::{QueryPlan, SetOperation, SetPlan, SetStep};

impl Exec<'_> {
    /// Runs a chain of set operations whose result has begun; returns how many rows it gave.
    pub(super) fn sets<'s>(
        &'s mut self,
        plan: &'s SetPlan,
        outer: &'s [Value],
        sink: &'s mut dyn ResultSink,
    ) -> BoxFuture<'s, Result<u64>> {
        Box::pin(async move {
            let types = plan.column_types(&self.inputs(&[], Known::NOTHING).types())?;
            let mut counted = Counted {
                types: &types,
                time_zone: self.session.time_zone().clone(),
                step: SetStep { operation: SetOperation::Union, all: true },
                places: HashMap::new(),
                rows: Vec::new(),
                memory: Room::new(self.memory_max),
            };
            for (place, part) in plan.parts.iter().enumerate() {
                if let Some(before) = place.checked_sub(1) {
                    counted.begin_step(plan.steps[before]);
                }
                self.query(part, outer, u64::MAX, &mut counted).await?;
                counted.end_step();
            }
            let Counted { rows, .. } = counted;
            self.give_counted(&rows, sink).await
        })
    }

    async fn give_counted(&mut self, rows: &[CountedRow], sink: &mut dyn ResultSink) -> Result<u64> {
        let mut turns = Turns::default();
        let mut given = 0;
        for row in rows {
            let cells: SmallVec<[Cell<'_>; 8]> = row.values.iter().map(cell).collect();
            for _ in 0..row.count {
                if sink.is_done() {
                    return Ok(given);
                }
                sink.row(&cells, &self.reading())?;
                given += 1;
                if sink.is_full() {
                    sink.flush(self.trx.horizon()).await?;
                }
                turns.tick().await;
            }
        }
        Ok(given)
    }
}

/// The rows so far, and the step that the next ones belong to.
struct Counted<'s> {
    types: &'s [ResultType],
    time_zone: TimeZone,
    step: SetStep,
    /// Of rows that have come, where they are.
    places: HashMap<SortKey, usize>,
    rows: Vec<CountedRow>,
    memory: Room,
}

struct CountedRow {
    values: Vec<Value>,
    /// So often it is there.
    count: u64,
    /// So often the other side of INTERSECT has it.
    matches: u64,
}

impl Counted<'_> {
    fn begin_step(&mut self, step: SetStep) {
        self.step = step;
        if !step.all {
            self.rows.iter_mut().for_each(|row| row.count = row.count.min(1));
        }
    }

    fn end_step(&mut self) {
        if self.step.operation == SetOperation::Intersect {
            for row in &mut self.rows {
                row.count = row.count.min(std::mem::take(&mut row.matches));
            }
        }
    }

    fn add(&mut self, key: SortKey, values: SmallVec<[Ev<'_>; 8]>) -> Result<()> {
        let SetStep { operation, all } = self.step;
        match (operation, self.places.entry(key)) {
            (SetOperation::Union, Entry::Vacant(place)) => {
                let values: Vec<Value> = values.into_iter().map(Ev::into_value).collect();
                self.memory.take(row_size(&values) + place.key().as_bytes().len() + KEY_OVERHEAD)?;
                place.insert(self.rows.len());
                self.rows.push(CountedRow { values, count: 1, matches: 0 });
            }
            (_, Entry::Vacant(_)) => {}
            (SetOperation::Union, Entry::Occupied(place)) => {
                let row = &mut self.rows[*place.get()];
                if row.count == 0 {
                    row.values = values.into_iter().map(Ev::into_value).collect();
                }
                row.count = if all { row.count + 1 } else { 1 };
            }
            (SetOperation::Intersect, Entry::Occupied(place)) => self.rows[*place.get()].matches += 1,
            (SetOperation::Except, Entry::Occupied(place)) => {
                let row = &mut self.rows[*place.get()];
                row.count = if all { row.count.saturating_sub(1) } else { 0 };
            }
        }
        Ok(())
    }
}

impl ResultSink for Counted<'_> {
    fn begin(&mut self, _part: &QueryPlan, _types: &Types<'_>) -> Result<()> {
        Ok(())
    }

    fn row(&mut self, cells: &[Cell<'_>], context: &Context<'_>) -> Result<()> {
        let typed = cells.iter().zip(self.types);
        let values: SmallVec<[Ev<'_>; 8]> = typed
            .map(|(cell, ty)| in_type_and_scale(Ev::Ref(cell.value(&self.time_zone)), ty, context))
            .collect();
        let mut key = SortKey::new();
        for value in &values {
            key.push(value.as_ref());
        }
        self.add(key, values)
    }
}
