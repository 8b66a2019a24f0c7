//! SELECT.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::Ordering as Memory;

use engine::lock::Mode;
use smallvec::SmallVec;
use types::context::Context;
use types::error::table::ER_LOCK_NOWAIT;
use types::value::{Value, ValueRef};
use types::warning::Warnings;

use super::cursor::{Beforehand, Cursor, Versions};
use super::join::{Join, Made};
use super::kept_row::KeptRow;
use super::late::Late;
use super::memory::{Room, value_size};
use super::over::Buffer;
use super::project::cell;
use super::subquery::{Known, Subqueries};
use super::window::Window;
use super::{Cell, Exec, Result, ResultSink, Turns, engine_error};
use crate::agg::Accumulator;
use crate::expr::{CompareOp, Ev, Expr, Inputs, RowRef, SortKey};
use crate::plan::{
    Access, Group, LockWait, OrderBy, OrderKey, QueryPlan, RowLock, SelectPlan, Source, SourceKind,
};

/// A row that waits to be sorted.
pub(super) struct Collected {
    pub(super) cells: Vec<Value>,
    pub(super) by: SortKey,
    /// What outputs need that are computed later, a source each.
    pub(super) kept: Vec<KeptRow>,
}

impl Exec<'_> {
    /// Runs a query, which gives at most `limit` rows if it does not say how many; returns how many it gave. `outer` is
    /// what it is given of the rows around it.
    pub(super) async fn query(
        &mut self,
        plan: &QueryPlan,
        outer: &[Value],
        limit: u64,
        sink: &mut dyn ResultSink,
    ) -> Result<u64> {
        sink.begin(plan, &self.inputs(&[], Known::NOTHING).types())?;
        match plan {
            QueryPlan::Select(select) => self.select(select, outer, limit, sink).await,
            QueryPlan::Union(union) => self.union(union, outer, limit, sink).await,
            QueryPlan::Sets(sets) => self.sets(sets, outer, sink).await,
            QueryPlan::Recursive(recursive) => self.recursive(recursive, outer, sink).await,
            QueryPlan::Named(_) | QueryPlan::Recent(_) => unreachable!("it is a source"),
        }
    }

    /// The same for a SELECT whose result has begun.
    pub(super) async fn select(
        &mut self,
        plan: &SelectPlan,
        outer: &[Value],
        limit: u64,
        sink: &mut dyn ResultSink,
    ) -> Result<u64> {
        let subqueries = self.subqueries(&plan.subqueries, outer, plan, plan.sources.is_empty()).await?;
        let known = subqueries.known(plan);
        let mut window = self.window(plan.limit.as_ref(), plan.offset.as_ref(), limit, plan.counts_all)?;
        let open = self.precondition(plan.precondition.as_ref(), known)?;
        if open {
            self.note_select(plan);
        }
        if open || plan.group.is_some() {
            let in_order = open && plan.is_in_order && self.finds_exactly(&plan.sources[0], known)?;
            let streams = plan.group.is_none() && plan.over.is_none() && !plan.distinct;
            let streams = streams && (in_order || plan.order.is_empty());
            // What is locked may have to be gone over again.
            if streams && !self.locks_rows(plan) {
                self.stream(plan, &subqueries, &mut window, sink).await?;
            } else {
                let most = if streams { window.most(sink.rows_max()) } else { u64::MAX };
                let late = Late::of(plan);
                let rows =
                    Box::pin(self.gather(plan, &subqueries, (open, in_order), most, late.as_ref())).await?;
                match &late {
                    Some(late) => {
                        Box::pin(self.emit_late(plan, late, &rows, known, &mut window, sink)).await?;
                    }
                    None => self.emit(&rows, &mut window, sink).await?,
                }
            }
        }
        self.session.found_rows.store(window.found, Memory::Relaxed);
        Ok(window.given)
    }

    /// The rows of sources that are not stored, as far as they are the same for all rows of others.
    pub(super) fn made(&self, plan: &SelectPlan, subqueries: &Subqueries<'_>) -> Result<Vec<Made>> {
        let made = plan.sources.iter().enumerate().map(|(place, source)| match &source.from {
            SourceKind::Table(_) => Ok(None),
            SourceKind::Virtual(table) => {
                let equal = self.equal_constants(place, source, subqueries.known(plan));
                Ok(Some(Arc::new(table.rows(self.session, &equal)?)))
            }
            SourceKind::Derived(place, _) => Ok(subqueries.rows(*place).cloned()),
        });
        made.collect()
    }

    /// Columns of a source that must equal a constant, as far as that is easily said.
    fn equal_constants(&self, place: usize, source: &Source, known: Known<'_>) -> Vec<(usize, Value)> {
        let inputs = self.inputs(&[], known);
        let constant = |column: &Expr, other: &Expr| {
            let Expr::Column { source, column } = column else { return None };
            if *source != place || !other.is_constant() {
                return None;
            }
            // Whatever there is to warn of is warned of when rows are looked at.
            let mut warnings = Warnings::default();
            let value = other.eval(&inputs, &mut self.session.reading(&mut warnings)).ok()?;
            Some((*column, value.as_ref().to_value()))
        };
        let equal = source.conditions.iter().filter_map(|condition| match &condition.expr {
            Expr::Compare(CompareOp::Eq, a, b) => constant(a, b).or_else(|| constant(b, a)),
            _ => None,
        });
        equal.collect()
    }

    fn join<'p>(&self, plan: &'p SelectPlan, made: &'p [Made], known: Known<'p>) -> Join<'p> {
        let shared = RowLock { exclusive: false, wait: LockWait::Wait };
        let join = Join::new(&plan.sources, made, known, Versions::Snapshot);
        join.or_locked(self.shared_reads.then_some(shared))
    }

    /// Whether rows of its sources are locked.
    fn locks_rows(&self, plan: &SelectPlan) -> bool {
        let is_stored = |source: &Source| matches!(source.from, SourceKind::Table(_));
        let locks = |source: &Source| source.lock.is_some() || (self.shared_reads && is_stored(source));
        plan.sources.iter().any(locks)
    }

    /// Whether a stored table's rows are found as its access says, and not by looking at all.
    fn finds_exactly(&self, source: &Source, known: Known<'_>) -> Result<bool> {
        if matches!(source.access, Access::Full(_)) {
            return Ok(true);
        }
        // Whatever there is to warn of is warned of when rows are looked at.
        let mut warnings = Warnings::default();
        let mut context = self.session.reading(&mut warnings);
        let (nothing, inputs) = (Beforehand::Nothing, self.inputs(&[], known));
        let cursor = Cursor::open(source, nothing, Versions::Snapshot, &inputs, &mut context)?;
        Ok(cursor.exact)
    }

    /// Gives rows as they come.
    async fn stream(
        &mut self,
        plan: &SelectPlan,
        subqueries: &Subqueries<'_>,
        window: &mut Window,
        sink: &mut dyn ResultSink,
    ) -> Result<()> {
        let made = self.made(plan, subqueries)?;
        let known = subqueries.known(plan);
        let mut join = self.join(plan, &made, known);
        while !window.is_over() && !sink.is_done() && join.next(self).await? {
            if window.takes() {
                self.give(plan, &join.rows(), known, sink).await?;
            }
            if sink.is_full() {
                sink.flush(self.trx.horizon()).await?;
            }
        }
        Ok(())
    }

    /// Gives the row that the current rows of the sources make.
    async fn give(
        &mut self,
        plan: &SelectPlan,
        rows: &[RowRef<'_>],
        known: Known<'_>,
        sink: &mut dyn ResultSink,
    ) -> Result<()> {
        let outputs = plan.output.iter().map(|output| &output.expr);
        let answers = self.answers(known.asked(outputs), &self.inputs(rows, known), known).await?;
        let known = known.with(&answers);
        let inputs = self.inputs(rows, known);
        let mut context = self.reading();
        let mut values: SmallVec<[Option<Ev<'_>>; 8]> = SmallVec::new();
        for output in &plan.output {
            values.push(match &output.expr {
                Expr::Column { .. } => None,
                computed => Some(computed.eval(&inputs, &mut context)?),
            });
        }
        let cells: SmallVec<[Cell<'_>; 8]> = plan
            .output
            .iter()
            .zip(&values)
            .map(|(output, value)| match (&output.expr, value) {
                (Expr::Column { source, column }, _) => Cell::Column(rows[*source], *column),
                (_, Some(value)) => Cell::Value(value.as_ref()),
                (_, None) => unreachable!("what is no column was computed"),
            })
            .collect();
        sink.row(&cells, &context)
    }

    /// Waits until a snapshot that is taken now would show everything that came before the transaction's locks.
    pub(super) async fn may_take_snapshot(&mut self) {
        if let Some(wanted) = self.trx.wants_visible() {
            self.session.server.wait_visible(wanted).await;
        }
    }

    /// Locks a row, or finds out that somebody else has it. False if the row is to be passed over.
    pub(super) async fn lock_by(&mut self, key: &[u8], mode: Mode, wait: LockWait) -> Result<bool> {
        if wait == LockWait::Wait {
            self.trx.lock_row(key, mode).await.map_err(engine_error)?;
            return Ok(true);
        }
        let locked = self.trx.try_lock_row(key, mode).map_err(engine_error)?;
        if !locked && wait == LockWait::NoWait {
            return Err(ER_LOCK_NOWAIT.error(&[]));
        }
        Ok(locked)
    }

    /// All rows of a query that groups, sorts, removes duplicates, has window functions or locks, or the first `most`. None are
    /// read unless it is `open`. `in_order`: the first value of MIN or MAX is it.
    async fn gather(
        &mut self,
        plan: &SelectPlan,
        subqueries: &Subqueries<'_>,
        (open, in_order): (bool, bool),
        most: u64,
        late: Option<&Late>,
    ) -> Result<Vec<Collected>> {
        let made = self.made(plan, subqueries)?;
        let known = subqueries.known(plan);
        if self.locks_rows(plan) {
            return self.gather_locked(plan, &made, known, (open, in_order), most, late).await;
        }
        let mut join = self.join(plan, &made, known);
        self.gather_once(plan, &mut join, known, (open, in_order), most, late).await
    }

    /// The same of rows that it locks: those of one moment.
    async fn gather_locked(
        &mut self,
        plan: &SelectPlan,
        made: &[Made],
        known: Known<'_>,
        (open, in_order): (bool, bool),
        most: u64,
        late: Option<&Late>,
    ) -> Result<Vec<Collected>> {
        let is_outer = |source: &Source| source.missing_until.is_some();
        let is_any_enough = plan.order.is_empty() && !plan.sources.iter().any(is_outer);
        let mut passes = self.passes();
        loop {
            let mut join = self.join(plan, made, known);
            let gathered = self.gather_once(plan, &mut join, known, (open, in_order), most, late).await;
            let (rows, done) = match gathered {
                // Any of them will do; not any row that nothing was found for.
                Ok(rows) if rows.len() as u64 == most && is_any_enough => (rows, Ok(None)),
                Ok(rows) => (rows, Ok(join.changed())),
                Err(error) => (Vec::new(), Err(error)),
            };
            if !self.passes_again(&mut passes, done)? {
                return Ok(rows);
            }
        }
    }

    async fn gather_once(
        &mut self,
        plan: &SelectPlan,
        join: &mut Join<'_>,
        known: Known<'_>,
        (open, in_order): (bool, bool),
        most: u64,
        late: Option<&Late>,
    ) -> Result<Vec<Collected>> {
        let mut memory = Room::new(self.memory_max);
        let mut groups = plan.group.as_ref().map(Groups::new);
        let mut buffer = plan.over.as_ref().map(|over| Buffer::new(plan, over));
        let mut collected = Vec::new();
        while open && (collected.len() as u64) < most && join.next(self).await? {
            if let Some(groups) = &mut groups {
                memory.take(self.accumulate(groups, &join.rows(), known).await?)?;
                if in_order && groups.have_extreme() {
                    break;
                }
            } else if let Some(buffer) = &mut buffer {
                self.buffer_row(buffer, &join.rows(), known, Vec::new(), &mut memory).await?;
            } else {
                let row = self.collect_row(plan, &join.rows(), known, (&[], &[]), late).await?;
                let kept: usize = row.kept.iter().map(KeptRow::size).sum();
                memory.take(Collected::size(&row.cells) + kept)?;
                collected.push(row);
            }
        }
        if let Some(groups) = groups {
            collected = self.group_rows(plan, groups, known, buffer.as_mut(), &mut memory).await?;
        }
        if let Some(buffer) = buffer {
            collected = Box::pin(self.windowed(plan, buffer, known, &mut memory)).await?;
        }
        if !plan.order.is_empty() {
            self.note_sort(collected.len(), plan.sources.first());
        }
        Ok(finish(collected, plan))
    }

    /// Adds a row to its group; returns by how many bytes what is kept has grown.
    async fn accumulate(
        &mut self,
        groups: &mut Groups<'_>,
        rows: &[RowRef<'_>],
        known: Known<'_>,
    ) -> Result<usize> {
        let asked = known.asked(groups.group.exprs());
        let answers = self.answers(asked, &self.inputs(rows, known), known).await?;
        let known = known.with(&answers);
        let inputs = self.inputs(rows, known);
        let mut context = self.reading();
        let values = groups.group.by.iter().map(|by| by.eval(&inputs, &mut context));
        let values = values.collect::<Result<SmallVec<[Ev<'_>; 4]>>>()?;
        let mut kept = 0;
        // Its group, and all totals that it belongs to.
        let first = if groups.group.rollup.is_some() { 0 } else { values.len() };
        for level in first..=values.len() {
            let (place, grown) = groups.place(&values, level, rows, &inputs)?;
            kept += grown;
            let accumulators = groups.group.aggregates.iter().zip(&mut groups.all[place].accumulators);
            for (aggregate, accumulator) in accumulators {
                kept += accumulator.add(aggregate, &inputs, &mut context)?;
            }
        }
        Ok(kept)
    }

    /// The rows of all groups that HAVING lets through; those for window functions go to the buffer.
    async fn group_rows(
        &mut self,
        plan: &SelectPlan,
        mut groups: Groups<'_>,
        known: Known<'_>,
        mut buffer: Option<&mut Buffer<'_>>,
        memory: &mut Room,
    ) -> Result<Vec<Collected>> {
        let group = groups.group;
        if groups.all.is_empty() && (group.by.is_empty() || group.rollup.is_some()) {
            let missing = vec![RowRef::Missing; plan.sources.len()];
            let nulls = vec![Ev::Ref(ValueRef::Null); group.by.len()];
            // To GROUPING this is no total, as in MySQL.
            groups.place(&nulls, nulls.len(), &missing, &self.inputs(&missing, known))?;
        }
        let mut collected = Vec::with_capacity(groups.all.len());
        for one in groups.into_ordered() {
            let rows: Vec<RowRef<'_>> = one.first.iter().map(KeptRow::as_ref).collect();
            let inputs = self.inputs(&rows, known);
            let mut context = self.reading();
            let results = group.aggregates.iter().zip(one.accumulators);
            let mut aggregates: Vec<Value> = results
                .map(|(aggregate, accumulator)| accumulator.finish(aggregate, &inputs, &mut context))
                .collect::<Result<_>>()?;
            if let Some(rollup) = &group.rollup {
                rollup.apply(one.level, &mut aggregates);
            }
            if let Some(having) = &plan.having {
                let inputs = Inputs { aggregates: &aggregates, ..self.inputs(&rows, known) };
                if !self.holds(having, inputs, known).await? {
                    continue;
                }
            }
            match &mut buffer {
                Some(buffer) => self.buffer_row(buffer, &rows, known, aggregates, memory).await?,
                None => collected.push(self.collect_row(plan, &rows, known, (&aggregates, &[]), None).await?),
            }
        }
        Ok(collected)
    }

    /// The row of the result that rows of the sources make, with the results of aggregates and window functions, and without what is
    /// computed later.
    pub(super) async fn collect_row(
        &mut self,
        plan: &SelectPlan,
        rows: &[RowRef<'_>],
        known: Known<'_>,
        (aggregates, windows): (&[Value], &[Value]),
        late: Option<&Late>,
    ) -> Result<Collected> {
        let is_late = |place| late.is_some_and(|late| late.contains(place));
        let exprs = plan.output.iter().enumerate().filter(|(place, _)| !is_late(*place));
        let exprs = exprs.map(|(_, output)| &output.expr);
        let exprs = exprs.chain(plan.order.iter().filter_map(OrderBy::expr));
        let inputs = Inputs { aggregates, windows, ..self.inputs(rows, known) };
        let answers = self.answers(known.asked(exprs), &inputs, known).await?;
        let inputs = Inputs { subqueries: &answers, ..inputs };
        let mut context = self.reading();
        let mut cells = Vec::with_capacity(plan.output.len());
        for (place, output) in plan.output.iter().enumerate() {
            cells.push(if is_late(place) {
                Value::Null
            } else {
                output.expr.eval(&inputs, &mut context)?.into_value()
            });
        }
        let by = order_key(&plan.order, &cells, &inputs, &mut context)?;
        let kept = late.map_or_else(Vec::new, |late| late.keep(rows, self.session));
        Ok(Collected { cells, by, kept })
    }

    pub(super) async fn emit(
        &mut self,
        rows: &[Collected],
        window: &mut Window,
        sink: &mut dyn ResultSink,
    ) -> Result<()> {
        let mut turns = Turns::default();
        for row in rows {
            if window.is_over() {
                break;
            }
            if window.takes() {
                let cells: SmallVec<[Cell<'_>; 8]> = row.cells.iter().map(cell).collect();
                sink.row(&cells, &self.reading())?;
            }
            if sink.is_full() {
                sink.flush(self.trx.horizon()).await?;
            }
            turns.tick().await;
        }
        Ok(())
    }
}

/// What a row of these cells is sorted by.
pub(super) fn order_key(
    order: &[OrderBy],
    cells: &[Value],
    inputs: &Inputs<'_>,
    context: &mut Context<'_>,
) -> Result<SortKey> {
    let mut key = SortKey::new();
    for order in order {
        match &order.by {
            OrderKey::Output(place) => key.push_ordered(cells[*place].as_ref(), order.descending),
            OrderKey::Expr(expr) => {
                key.push_ordered(expr.eval(inputs, context)?.as_ref(), order.descending);
            }
        }
    }
    Ok(key)
}

impl Collected {
    /// The bytes that a row of these cells takes, with room for its keys.
    pub(super) fn size(cells: &[Value]) -> usize {
        cells.iter().map(value_size).sum::<usize>() * 2 + 64
    }
}

/// DISTINCT and ORDER BY.
fn finish(mut rows: Vec<Collected>, plan: &SelectPlan) -> Vec<Collected> {
    if plan.distinct {
        let mut seen = std::collections::HashSet::new();
        rows.retain(|row| {
            let mut key = SortKey::new();
            row.cells.iter().for_each(|cell| key.push(cell.as_ref()));
            seen.insert(key)
        });
    }
    if !plan.order.is_empty() {
        rows.sort_by(|a, b| a.by.cmp(&b.by));
    }
    rows
}

/// Groups in the making, in the order in which they were found.
struct Groups<'p> {
    group: &'p Group,
    places: HashMap<SortKey, usize>,
    all: Vec<OneGroup>,
}

struct OneGroup {
    /// So much of what is grouped by is the same for all of its rows: less than all for a total.
    level: usize,
    accumulators: Vec<Accumulator>,
    /// The first row of each source: columns outside of aggregates come from it.
    first: Vec<KeptRow>,
}

impl<'p> Groups<'p> {
    fn new(group: &'p Group) -> Self {
        Self { group, places: HashMap::new(), all: Vec::new() }
    }

    fn have_extreme(&self) -> bool {
        self.all[0].accumulators[0].has_extreme()
    }

    /// The key of the group of a row with these values. With totals: keys are in the order of the values, a total's behind all
    /// that it is a total of.
    fn key(&self, values: &[Ev<'_>], level: usize) -> SortKey {
        let mut key = SortKey::new();
        for value in &values[..level] {
            if self.group.rollup.is_some() {
                key.push(ValueRef::Int(0));
            }
            key.push(value.as_ref());
        }
        if level < values.len() {
            key.push(ValueRef::Int(1));
        }
        key
    }

    /// The groups as they are given: as they were found, or with totals in the order of what is grouped by.
    fn into_ordered(self) -> Vec<OneGroup> {
        if self.group.rollup.is_none() {
            return self.all;
        }
        let mut places: Vec<(SortKey, usize)> = self.places.into_iter().collect();
        places.sort_unstable();
        let mut all: Vec<Option<OneGroup>> = self.all.into_iter().map(Some).collect();
        places.into_iter().filter_map(|(_, place)| all[place].take()).collect()
    }

    /// The place of the group of a row with these values, of which so many count, and the bytes that it takes if it is new.
    fn place(
        &mut self,
        values: &[Ev<'_>],
        level: usize,
        rows: &[RowRef<'_>],
        inputs: &Inputs<'_>,
    ) -> Result<(usize, usize)> {
        let key = self.key(values, level);
        let next = self.all.len();
        let mut kept = size_of::<SortKey>() + key.as_bytes().len();
        let place = *self.places.entry(key).or_insert(next);
        if place < next {
            kept = 0;
        } else {
            let types = inputs.types();
            let accumulators =
                self.group.aggregates.iter().map(|aggregate| Accumulator::new(aggregate, &types));
            let accumulators = accumulators.collect::<Result<Vec<_>>>()?;
            let first = rows.iter().map(|row| KeptRow::of(*row, |_| true, inputs.session));
            let first: Vec<KeptRow> = first.collect();
            kept += size_of_val(&*accumulators) + first.iter().map(KeptRow::size).sum::<usize>();
            self.all.push(OneGroup { level, accumulators, first });
        }
        Ok((place, kept))
    }
}
