//! Window functions: rows are kept, sorted for one window after another, and get the results of its functions.
//!
//! It happens behind WHERE, GROUP BY and HAVING, before DISTINCT, ORDER BY and LIMIT. Rows of the sources are kept as they are, as
//! far as anything looks at them, and what the select list and ORDER BY say is evaluated when all results are there. The rows go on
//! in the order in which the last window had them; where a window leaves open which row comes first, it is the one that came first.
//!
//! What is kept is bounded together with the result ([`Room`]). Others may run after some rows, and between the rows of a frame.

mod aggregate;
mod frame;
mod function;
mod partition;

use smallvec::SmallVec;
use types::value::Value;

use super::kept_row::KeptRow;
use super::memory::{Room, value_size};
use super::select::Collected;
use super::subquery::Known;
use super::{Exec, Result};
use crate::expr::{Answer, Expr, Inputs, RowRef};
use crate::plan::{OrderBy, Over, SelectPlan};

use partition::Partition;

/// The references to a row's parts.
type Parts<'r> = SmallVec<[RowRef<'r>; 4]>;

/// The rows of a query with window functions.
pub(super) struct Buffer<'p> {
    over: &'p Over,
    /// Of each source the columns that are looked at.
    needed: Vec<Vec<bool>>,
    rows: Vec<BufferedRow>,
}

#[derive(Debug, Default)]
struct BufferedRow {
    sources: Vec<KeptRow>,
    aggregates: Vec<Value>,
    /// What subqueries in arguments and windows answer for this row; empty if none depends on it.
    answers: Vec<Answer>,
    /// Of the window functions, as far as they are known.
    results: Vec<Value>,
}

impl<'p> Buffer<'p> {
    pub(super) fn new(plan: &'p SelectPlan, over: &'p Over) -> Self {
        let count = |source: usize| plan.sources[source].from.column_count();
        let mut needed: Vec<Vec<bool>> =
            (0..plan.sources.len()).map(|source| vec![false; count(source)]).collect();
        let exprs = plan.output.iter().map(|output| &output.expr);
        for expr in exprs.chain(plan.order.iter().filter_map(OrderBy::expr)).chain(over.exprs()) {
            expr.walk(&mut |part| {
                if let Expr::Column { source, column } = part {
                    needed[*source][*column] = true;
                }
            });
        }
        Self { over, needed, rows: Vec::new() }
    }
}

impl BufferedRow {
    fn parts(&self) -> Parts<'_> {
        self.sources.iter().map(KeptRow::as_ref).collect()
    }

    /// The bytes that it takes, results aside.
    fn size(&self) -> usize {
        let answers = self.answers.iter().map(|answer| match answer {
            Answer::Rows(rows) => rows.iter().flatten().map(value_size).sum(),
            Answer::Open | Answer::Truth(_) => 0,
        });
        size_of::<Self>()
            + self.sources.iter().map(KeptRow::size).sum::<usize>()
            + self.aggregates.iter().map(value_size).sum::<usize>()
            + self.answers.len() * size_of::<Answer>()
            + answers.sum::<usize>()
            + self.results.len() * size_of::<Value>()
    }
}

/// A result, as MySQL's temporary tables have it: labels are texts there.
fn kept(value: Value) -> Value {
    match value {
        Value::Chosen(chosen) => Value::Str(chosen.text().into_owned(), chosen.collation()),
        value => value,
    }
}

impl Exec<'_> {
    /// Keeps a row, or a group.
    pub(super) async fn buffer_row(
        &mut self,
        buffer: &mut Buffer<'_>,
        rows: &[RowRef<'_>],
        known: Known<'_>,
        aggregates: Vec<Value>,
        memory: &mut Room,
    ) -> Result<()> {
        let asked = known.asked(buffer.over.exprs());
        let answers = if asked.is_empty() {
            Vec::new()
        } else {
            let inputs = Inputs { aggregates: &aggregates, ..self.inputs(rows, known) };
            self.answers(asked, &inputs, known).await?.into_owned()
        };
        let sources = rows.iter().zip(&buffer.needed);
        let sources = sources.map(|(row, needed)| KeptRow::of(*row, |column| needed[column], self.session));
        let results = vec![Value::Null; buffer.over.functions.len()];
        let row = BufferedRow { sources: sources.collect(), aggregates, answers, results };
        memory.take(row.size())?;
        buffer.rows.push(row);
        Ok(())
    }

    /// What expressions read of a row that was kept.
    fn inputs_of<'i>(&self, row: &'i BufferedRow, parts: &'i [RowRef<'i>], known: Known<'i>) -> Inputs<'i>
    where
        Self: 'i,
    {
        let answers = if row.answers.is_empty() { known.answers } else { &row.answers };
        let inputs = self.inputs(parts, known);
        Inputs { aggregates: &row.aggregates, windows: &row.results, subqueries: answers, ..inputs }
    }

    /// Finds the results of all window functions, and with them the rows of the query.
    pub(super) async fn windowed(
        &mut self,
        plan: &SelectPlan,
        buffer: Buffer<'_>,
        known: Known<'_>,
        memory: &mut Room,
    ) -> Result<Vec<Collected>> {
        let Buffer { over, mut rows, .. } = buffer;
        let numbers = self.numbers(over, known)?;
        let mut order: Vec<usize> = (0..rows.len()).collect();
        memory.take(size_of_val(&*order))?;
        for sort in &over.sorts {
            let keys = self.sort(sort, &rows, &mut order, known, memory).await?;
            for place in &sort.windows {
                let window = &over.windows[*place];
                let own = over.functions.iter().enumerate().filter(|(_, function)| function.window == *place);
                let functions: Vec<_> = own.map(|(number, function)| (number, &function.kind)).collect();
                let has_frame = functions.iter().any(|(_, kind)| kind.has_frame());
                for range in keys.partitions(window) {
                    let partition = Partition::new(&order, range, &keys, window);
                    let frames =
                        if has_frame { self.frames(&partition, &rows, known).await? } else { Vec::new() };
                    let kept = partition.size() + size_of_val(&*frames);
                    memory.take(kept)?;
                    for (number, kind) in &functions {
                        let count = numbers[*number];
                        self.function((*number, kind, count), &partition, &frames, &mut rows, known, memory)
                            .await?;
                    }
                    memory.give_back(kept);
                }
            }
            memory.give_back(keys.size());
        }
        let mut collected = Vec::with_capacity(order.len());
        for at in order {
            let row = std::mem::take(&mut rows[at]);
            memory.give_back(row.size());
            let found = (&row.aggregates[..], &row.results[..]);
            let row = self.collect_row(plan, &row.parts(), known, found, None).await?;
            memory.take(Collected::size(&row.cells))?;
            collected.push(row);
            self.tick().await;
        }
        Ok(collected)
    }

    /// The numbers that functions are given, by their places, and whether frames are none: errors 1210 and 3586.
    fn numbers(&mut self, over: &Over, known: Known<'_>) -> Result<Vec<Option<u64>>> {
        let inputs = self.inputs(&[], known);
        let mut context = self.reading();
        let windows = over.windows.iter().enumerate().filter(|(place, _)| over.is_used(*place));
        for (_, window) in windows {
            for (distance, is_range) in window.distances() {
                let size = distance.size.eval(&inputs, &mut context)?;
                window.check(size.as_ref(), is_range)?;
            }
        }
        let numbers = over.functions.iter().map(|function| match function.kind.count() {
            Some((count, _)) => function.kind.number(count.eval(&inputs, &mut context)?.as_ref()),
            None => Ok(None),
        });
        numbers.collect()
    }

    /// Another step of a loop that does not wait for anything.
    async fn tick(&mut self) {
        let mut turns = std::mem::take(&mut self.turns);
        turns.tick().await;
        self.turns = turns;
    }
}
