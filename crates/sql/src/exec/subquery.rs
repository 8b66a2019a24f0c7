//! Subqueries: those that depend on no row, and do not vary by themselves, are asked once, the others for the row at hand.
//!
//! Expressions are evaluated without waiting, and a query may wait. So whoever evaluates expressions for a row asks their
//! subqueries beforehand ([`Exec::answers`]), all of them, even if the value of CASE turns out not to need one; only AND
//! and OR at the top of a condition stop at the part that decides ([`Exec::truth`]). What a subquery has warned of stays.
//!
//! A subquery reads no further than the rows that decide.

use std::borrow::Cow;
use std::sync::Arc;

use types::context::Context;
use types::temporal::TimeZone;
use types::value::Value;
use types::warning::Warnings;

use super::memory::{Room, row_size};
use super::{BoxFuture, Cell, Exec, Result, ResultSink};
use crate::expr::{Answer, Expr, Inputs, NoSchema, RowRef, Schema, Side, Types, Verdict};
use crate::plan::{Condition, Given, QueryPlan, Subquery};
use crate::session::Session;

/// The rows of a query, kept.
pub(super) type Kept = Arc<Vec<Vec<Value>>>;

/// What expressions of a plan may use beside rows. Cheap to copy.
#[derive(Clone, Copy, Debug)]
pub(super) struct Known<'p> {
    /// The types of the plan's parts.
    pub(super) schema: &'p dyn Schema,
    /// What the plan is given of the rows around it.
    pub(super) outer: &'p [Value],
    /// The plan's subqueries.
    subqueries: &'p [Subquery],
    /// What they have answered.
    pub(super) answers: &'p [Answer],
    /// Some of them depend on the row at hand.
    has_open: bool,
}

impl<'p> Known<'p> {
    /// Of expressions that stand alone.
    pub(super) const NOTHING: Self =
        Self { schema: &NoSchema, outer: &[], subqueries: &[], answers: &[], has_open: false };

    /// The same with the answers for a row.
    pub(super) fn with<'a>(self, answers: &'a [Answer]) -> Known<'a>
    where
        'p: 'a,
    {
        Known { answers, ..self }
    }

    /// The same of a plan that is given these values.
    pub(super) fn given<'a>(self, outer: &'a [Value]) -> Known<'a>
    where
        'p: 'a,
    {
        Known { outer, ..self }
    }

    /// The subqueries of expressions that depend on the row at hand.
    pub(super) fn asked<'x>(&self, exprs: impl IntoIterator<Item = &'x Expr>) -> Vec<Asked<'x>> {
        let mut asked = Vec::new();
        if !self.has_open {
            return asked;
        }
        for expr in exprs {
            expr.walk(&mut |expr| {
                let place = expr.subquery().map(|subquery| subquery.place);
                let open = place.filter(|place| matches!(self.answers[*place], Answer::Open));
                asked.extend(open.map(|place| Asked { expr, place }));
            });
        }
        asked
    }
}

/// A subquery that is asked for the row at hand.
pub(super) struct Asked<'x> {
    /// The expression that is about it.
    expr: &'x Expr,
    /// Its place in the plan's list.
    place: usize,
}

/// The subqueries of a plan, and what those have answered that depend on no row.
pub(super) struct Subqueries<'p> {
    plans: &'p [Subquery],
    answers: Vec<Answer>,
    outer: &'p [Value],
}

impl Subqueries<'_> {
    /// With the types of the plan that they belong to.
    pub(super) fn known<'k>(&'k self, schema: &'k dyn Schema) -> Known<'k> {
        let has_open = self.answers.iter().any(|answer| matches!(answer, Answer::Open));
        Known { schema, outer: self.outer, subqueries: self.plans, answers: &self.answers, has_open }
    }

    /// The rows of one in FROM; none if they depend on those of other sources.
    pub(super) fn rows(&self, place: usize) -> Option<&Kept> {
        match &self.answers[place] {
            Answer::Rows(rows) => Some(rows),
            Answer::Open | Answer::Truth(_) => None,
        }
    }
}

impl Exec<'_> {
    /// Asks the subqueries of a plan that depend on none of its rows. `outer` is what the plan is given; `once`: each of its
    /// expressions is evaluated once, so those that vary are asked as well.
    pub(super) async fn subqueries<'p>(
        &mut self,
        plans: &'p [Subquery],
        outer: &'p [Value],
        schema: &dyn Schema,
        once: bool,
    ) -> Result<Subqueries<'p>> {
        let mut answers = Vec::with_capacity(plans.len());
        for subquery in plans {
            answers.push(match &subquery.given {
                _ if subquery.depends_on_row() || subquery.varies && !once => Answer::Open,
                Given::Nothing if subquery.varies => {
                    Answer::Rows(Arc::new(self.collect(subquery, &[]).await?))
                }
                Given::Nothing => Answer::Rows(self.rows_once(subquery).await?),
                Given::Same => Answer::Rows(Arc::new(self.collect(subquery, outer).await?)),
                Given::Values(values) => {
                    // They may be columns of the result that are subqueries themselves, which stand before.
                    let known = Known { schema, outer, answers: &answers, ..Known::NOTHING };
                    let values = self.values_of(values, &self.inputs(&[], known))?;
                    Answer::Rows(Arc::new(self.collect(subquery, &values).await?))
                }
            });
        }
        Ok(Subqueries { plans, answers, outer })
    }

    /// The rows of a subquery that are the same throughout the statement.
    async fn rows_once(&mut self, subquery: &Subquery) -> Result<Kept> {
        let key = match &subquery.plan {
            QueryPlan::Named(named) => Arc::as_ptr(named).addr(),
            // They are there already.
            QueryPlan::Recent(recent) => recent.key(),
            plan => std::ptr::from_ref(plan).addr(),
        };
        if let Some(rows) = self.kept.get(&key) {
            return Ok(Arc::clone(rows));
        }
        let rows = Arc::new(self.collect(subquery, &[]).await?);
        self.kept.insert(key, Arc::clone(&rows));
        Ok(rows)
    }

    async fn collect(&mut self, subquery: &Subquery, outer: &[Value]) -> Result<Vec<Vec<Value>>> {
        let mut rows = Collector::new(self.session, self.memory_max);
        rows.rows_max = subquery.rows_max;
        self.run_within(&subquery.plan, outer, &mut rows).await?;
        Ok(rows.rows)
    }

    /// Runs a query within another one.
    pub(super) fn run_within<'s>(
        &'s mut self,
        plan: &'s QueryPlan,
        outer: &'s [Value],
        sink: &'s mut dyn ResultSink,
    ) -> BoxFuture<'s, Result<u64>> {
        match plan {
            QueryPlan::Named(named) => self.run_within(&named.plan, outer, sink),
            plan => Box::pin(self.query(plan, outer, u64::MAX, sink)),
        }
    }

    /// The answers of all subqueries, those included that are asked for the row at hand.
    pub(super) async fn answers<'k>(
        &mut self,
        mut asked: Vec<Asked<'_>>,
        inputs: &Inputs<'_>,
        known: Known<'k>,
    ) -> Result<Cow<'k, [Answer]>> {
        let mut answers = Cow::Borrowed(known.answers);
        // Parts of an expression come behind it, and are needed before.
        while let Some(Asked { expr, place }) = asked.pop() {
            if matches!(answers[place], Answer::Open) {
                let inputs = Inputs { subqueries: &answers, ..*inputs };
                let answer = self.ask(expr, &known.subqueries[place], &inputs).await?;
                answers.to_mut()[place] = answer;
            }
        }
        Ok(answers)
    }

    /// Asks the subquery of an expression for the row at hand.
    async fn ask(&mut self, expr: &Expr, subquery: &Subquery, inputs: &Inputs<'_>) -> Result<Answer> {
        let values = self.values_of(subquery.given(), inputs)?;
        let Expr::Quantified(quantifier, left, its) = expr else {
            return Ok(Answer::Rows(Arc::new(self.collect(subquery, &values).await?)));
        };
        let left_values = self.values_of(left, inputs)?;
        let verdict = Verdict::new(*quantifier, its);
        let mut decision = Decision::new(verdict, left, &left_values, *inputs);
        self.run_within(&subquery.plan, &values, &mut decision).await?;
        let Decision { verdict, warnings, .. } = decision;
        self.warnings.absorb(warnings);
        Ok(Answer::Truth(verdict.truth))
    }

    /// The rows of a LATERAL derived table for the rows before it.
    pub(super) fn lateral<'s>(
        &'s mut self,
        place: usize,
        rows: &'s [RowRef<'s>],
        known: Known<'s>,
    ) -> BoxFuture<'s, Result<Kept>> {
        Box::pin(async move {
            let subquery = &known.subqueries[place];
            let values = self.values_of(subquery.given(), &self.inputs(rows, known))?;
            Ok(Arc::new(self.collect(subquery, &values).await?))
        })
    }

    fn values_of(&mut self, exprs: &[Expr], inputs: &Inputs<'_>) -> Result<Vec<Value>> {
        let mut context = self.reading();
        exprs.iter().map(|expr| Ok(expr.eval(inputs, &mut context)?.into_value())).collect()
    }

    /// A condition for the row at hand. AND and OR ask the subqueries of their parts one after another, up to the part that
    /// decides.
    pub(super) fn truth<'s>(
        &'s mut self,
        condition: &'s Expr,
        inputs: Inputs<'s>,
        known: Known<'s>,
    ) -> BoxFuture<'s, Result<Option<bool>>> {
        Box::pin(async move {
            let (parts, deciding) = match condition {
                Expr::And(parts) => (parts, false),
                Expr::Or(parts) => (parts, true),
                _ => {
                    let answers = self.answers(known.asked([condition]), &inputs, known).await?;
                    let inputs = Inputs { subqueries: &answers, ..inputs };
                    return condition.truth(&inputs, &mut self.reading());
                }
            };
            let mut result = Some(!deciding);
            for part in parts {
                match self.truth(part, inputs, known).await? {
                    Some(truth) if truth == deciding => return Ok(Some(deciding)),
                    Some(_) => {}
                    None => result = None,
                }
            }
            Ok(result)
        })
    }

    /// Whether a condition holds for the row at hand.
    pub(super) async fn holds(
        &mut self,
        condition: &Expr,
        inputs: Inputs<'_>,
        known: Known<'_>,
    ) -> Result<bool> {
        let truth = if known.asked([condition]).is_empty() {
            condition.truth(&inputs, &mut self.reading())?
        } else {
            self.truth(condition, inputs, known).await?
        };
        Ok(truth == Some(true))
    }

    /// Whether all conditions hold for the row at hand, which was found `exact`ly as its source's access says.
    pub(super) async fn all_hold(
        &mut self,
        conditions: &[Condition],
        exact: bool,
        rows: &[RowRef<'_>],
        known: Known<'_>,
    ) -> Result<bool> {
        let inputs = self.inputs(rows, known);
        let open = conditions.iter().filter(|condition| !(condition.implied && exact));
        if known.has_open {
            for condition in open {
                if !self.holds(&condition.expr, inputs, known).await? {
                    return Ok(false);
                }
            }
            return Ok(true);
        }
        // Nothing is waited for.
        let mut context = self.reading();
        for condition in open {
            if condition.expr.truth(&inputs, &mut context)? != Some(true) {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// Keeps the rows of a query.
#[derive(Debug)]
pub(super) struct Collector {
    pub(super) rows: Vec<Vec<Value>>,
    /// So many are enough.
    rows_max: usize,
    time_zone: TimeZone,
    memory: Room,
}

impl Collector {
    pub(super) fn new(session: &Session, memory_max: usize) -> Self {
        let (time_zone, memory) = (session.time_zone().clone(), Room::new(memory_max));
        Self { rows: Vec::new(), rows_max: usize::MAX, time_zone, memory }
    }
}

impl ResultSink for Collector {
    fn begin(&mut self, _query: &QueryPlan, _types: &Types<'_>) -> Result<()> {
        Ok(())
    }

    fn row(&mut self, cells: &[Cell<'_>], _context: &Context<'_>) -> Result<()> {
        let row: Vec<Value> = cells.iter().map(|cell| cell.value(&self.time_zone).to_value()).collect();
        self.memory.take(row_size(&row))?;
        self.rows.push(row);
        Ok(())
    }

    fn is_done(&self) -> bool {
        self.rows.len() >= self.rows_max
    }

    fn rows_max(&self) -> u64 {
        self.rows_max as u64
    }
}

/// Compares the rows of a query as they come, until one decides.
struct Decision<'s> {
    left: &'s [Expr],
    values: &'s [Value],
    inputs: Inputs<'s>,
    verdict: Verdict,
    warnings: Warnings,
}

impl<'s> Decision<'s> {
    fn new(verdict: Verdict, left: &'s [Expr], values: &'s [Value], inputs: Inputs<'s>) -> Self {
        Self { left, values, inputs, verdict, warnings: Warnings::default() }
    }
}

impl ResultSink for Decision<'_> {
    fn begin(&mut self, _query: &QueryPlan, _types: &Types<'_>) -> Result<()> {
        Ok(())
    }

    fn row(&mut self, cells: &[Cell<'_>], context: &Context<'_>) -> Result<()> {
        let mut context = Context { warnings: &mut self.warnings, ..*context };
        let sides = self.left.iter().zip(self.values).map(|(left, value)| Side::new(left, value.as_ref()));
        let row = cells.iter().map(|cell| cell.value(self.inputs.session.time_zone()));
        self.verdict.add(sides, row, &self.inputs, &mut context)
    }

    fn is_done(&self) -> bool {
        self.verdict.is_final()
    }
}
