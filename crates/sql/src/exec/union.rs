//! UNION: the rows of several queries, one after another, in the types that they have in common.
//!
//! Rows are given as they come, unless they are to be sorted. Of those that must differ a key is kept.

use std::collections::HashSet;
use std::sync::atomic::Ordering as Memory;

use engine::ids::CommitSeq;
use smallvec::SmallVec;
use types::context::Context;
use types::temporal::TimeZone;
use types::value::Value;

use super::memory::{KEY_OVERHEAD, Room};
use super::select::{Collected, order_key};
use super::window::Window;
use super::{BoxFuture, Cell, Exec, Known, Result, ResultSink};
use crate::expr::{Ev, ResultType, RowRef, SortKey, Types, in_type_and_scale};
use crate::plan::{QueryPlan, UnionPlan};

impl Exec<'_> {
    /// Runs a UNION whose result has begun; returns how many rows it gave.
    pub(super) fn union<'s>(
        &'s mut self,
        plan: &'s UnionPlan,
        outer: &'s [Value],
        limit: u64,
        sink: &'s mut dyn ResultSink,
    ) -> BoxFuture<'s, Result<u64>> {
        Box::pin(async move {
            let subqueries = self.subqueries(&plan.subqueries, outer, plan, true).await?;
            let known = subqueries.known(plan);
            let types = plan.column_types(&self.inputs(&[], known).types())?;
            let window = self.window(plan.limit.as_ref(), plan.offset.as_ref(), limit, plan.counts_all)?;
            let mut merged = Merged {
                types: &types,
                time_zone: self.session.time_zone().clone(),
                seen: Some(HashSet::new()),
                rows: (!plan.order.is_empty()).then(Vec::new),
                memory: Room::new(self.memory_max),
                window,
                sink,
            };
            for (place, part) in plan.parts.iter().enumerate() {
                if place == plan.distinct {
                    merged.forget_seen();
                }
                if !merged.is_done() {
                    self.query(part, outer, u64::MAX, &mut merged).await?;
                }
            }
            let Merged { rows, mut window, .. } = merged;
            if let Some(rows) = rows {
                let rows = self.sorted(plan, rows, known)?;
                self.emit(&rows, &mut window, sink).await?;
            }
            self.session.found_rows.store(window.found, Memory::Relaxed);
            Ok(window.given)
        })
    }

    fn sorted(
        &mut self,
        plan: &UnionPlan,
        rows: Vec<Vec<Value>>,
        known: Known<'_>,
    ) -> Result<Vec<Collected>> {
        let keyed = rows.into_iter().map(|cells| {
            let row = [RowRef::Values(&cells)];
            let inputs = self.inputs(&row, known);
            let mut context = self.reading();
            let by = order_key(&plan.order, &cells, &inputs, &mut context)?;
            Ok(Collected { cells, by, kept: Vec::new() })
        });
        let mut keyed = keyed.collect::<Result<Vec<_>>>()?;
        keyed.sort_by(|a, b| a.by.cmp(&b.by));
        Ok(keyed)
    }
}

/// Takes the rows of all parts.
struct Merged<'s> {
    types: &'s [ResultType],
    time_zone: TimeZone,
    /// The keys of all rows so far, where none may come twice.
    seen: Option<HashSet<SortKey>>,
    /// The rows, if they are to be sorted.
    rows: Option<Vec<Vec<Value>>>,
    /// The bytes that keys and rows may still take.
    memory: Room,
    /// Of the rows that are given as they come.
    window: Window,
    sink: &'s mut dyn ResultSink,
}

impl Merged<'_> {
    /// From here on rows may come twice.
    fn forget_seen(&mut self) {
        let keys = self.seen.take().unwrap_or_default();
        self.memory.give_back(keys.iter().map(size).sum());
    }

    /// Whether a row has not come before, or may come again.
    fn is_new(&mut self, values: &[Ev<'_>]) -> Result<bool> {
        let Some(seen) = &mut self.seen else { return Ok(true) };
        let mut key = SortKey::new();
        for value in values {
            key.push(value.as_ref());
        }
        let bytes = size(&key);
        let is_new = seen.insert(key);
        if is_new {
            self.memory.take(bytes)?;
        }
        Ok(is_new)
    }
}

fn size(key: &SortKey) -> usize {
    key.as_bytes().len() + KEY_OVERHEAD
}

impl ResultSink for Merged<'_> {
    fn begin(&mut self, _part: &QueryPlan, _types: &Types<'_>) -> Result<()> {
        Ok(())
    }

    fn row(&mut self, cells: &[Cell<'_>], context: &Context<'_>) -> Result<()> {
        if self.is_done() {
            return Ok(());
        }
        let typed = cells.iter().zip(self.types);
        let values: SmallVec<[Ev<'_>; 8]> = typed
            .map(|(cell, ty)| in_type_and_scale(Ev::Ref(cell.value(&self.time_zone)), ty, context))
            .collect();
        if !self.is_new(&values)? {
            return Ok(());
        }
        if self.rows.is_some() {
            let row: Vec<Value> = values.into_iter().map(Ev::into_value).collect();
            self.memory.take(Collected::size(&row))?;
            self.rows.get_or_insert_default().push(row);
        } else if self.window.takes() {
            let cells: SmallVec<[Cell<'_>; 8]> =
                values.iter().map(|value| Cell::Value(value.as_ref())).collect();
            self.sink.row(&cells, context)?;
        }
        Ok(())
    }

    fn is_done(&self) -> bool {
        self.rows.is_none() && (self.window.is_over() || self.sink.is_done())
    }

    fn is_full(&self) -> bool {
        self.sink.is_full()
    }

    fn flush(&mut self, horizon: CommitSeq) -> BoxFuture<'_, Result<()>> {
        self.sink.flush(horizon)
    }
}

#[cfg(test)]
mod tests {
    use types::collation::Collation;
    use types::error::SqlError;
    use types::error::table::ER_OUT_OF_SORTMEMORY;
    use types::sql_mode::SqlMode;
    use types::temporal::Date;
    use types::value::ValueRef;
    use types::warning::Warnings;

    use super::*;

    /// Counts rows.
    struct Counter(usize);

    impl ResultSink for Counter {
        fn begin(&mut self, _: &QueryPlan, _: &Types<'_>) -> Result<()> {
            Ok(())
        }
        fn row(&mut self, _: &[Cell<'_>], _: &Context<'_>) -> Result<()> {
            self.0 += 1;
            Ok(())
        }
    }

    /// Merges one row of 36 bytes three times, and another one, with so much memory; returns how many were given.
    fn merged(seen: bool, sorted: bool, memory: usize) -> std::result::Result<usize, SqlError> {
        let ty = ResultType::of_value(ValueRef::Str(b"", Collation::Utf8mb4Bin));
        let mut counter = Counter(0);
        let mut merged = Merged {
            types: &[ty],
            time_zone: TimeZone::UTC,
            seen: seen.then(HashSet::new),
            rows: sorted.then(Vec::new),
            memory: Room::new(memory),
            window: Window { offset: 0, limit: u64::MAX, given: 0, found: 0, counts_all: false },
            sink: &mut counter,
        };
        let mut warnings = Warnings::default();
        let context = Context::reading(SqlMode::default(), &TimeZone::UTC, Date::ZERO, &mut warnings);
        for text in [[b'a'; 36], [b'a'; 36], [b'a'; 36], [b'b'; 36]] {
            merged.row(&[Cell::Value(ValueRef::Str(&text, Collation::Utf8mb4Bin))], &context)?;
        }
        let kept = merged.rows.map_or(0, |rows| rows.len());
        Ok(counter.0 + kept)
    }

    #[test]
    fn what_is_kept_has_a_bound() {
        // Rows that are given as they come need no memory.
        assert_eq!(merged(false, false, 0), Ok(4));
        let out_of_memory = ER_OUT_OF_SORTMEMORY.error(&[]);
        for (seen, sorted, count) in [(true, false, 2), (false, true, 4), (true, true, 2)] {
            assert_eq!(merged(seen, sorted, 2048), Ok(count));
            assert_eq!(merged(seen, sorted, 150), Err(out_of_memory.clone()));
        }
    }
}
