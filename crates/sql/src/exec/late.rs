//! Outputs that are computed behind ORDER BY: for rows that are given alone, in the order in which they are given. So a variable
//! that counts them counts in that order, and what fails, waits or costs much for a row that LIMIT leaves out does not.

use types::value::Value;

use super::kept_row::KeptRow;
use super::project::cell;
use super::select::Collected;
use super::subquery::Known;
use super::window::Window;
use super::{Cell, Exec, Result, ResultSink, Turns};
use crate::expr::{Expr, Inputs, RowRef};
use crate::plan::{OrderKey, SelectPlan};
use crate::session::Session;

/// See the module.
pub(super) struct Late {
    /// Of each output: whether it is one.
    is_late: Vec<bool>,
    /// Of each source: the columns that they need.
    needed: Vec<Vec<bool>>,
}

impl Late {
    /// Those of a query, if it matters when they are computed.
    pub(super) fn of(plan: &SelectPlan) -> Option<Self> {
        if plan.order.is_empty() || plan.distinct || plan.group.is_some() || plan.over.is_some() {
            return None;
        }
        let sorts =
            |place| plan.order.iter().any(|order| matches!(order.by, OrderKey::Output(at) if at == place));
        let is_late: Vec<bool> = plan
            .output
            .iter()
            .enumerate()
            .map(|(place, output)| {
                !matches!(output.expr, Expr::Column { .. }) && !output.expr.is_constant() && !sorts(place)
            })
            .collect();
        let mut matters = plan.limit.is_some();
        let mut needed: Vec<Vec<bool>> =
            plan.sources.iter().map(|source| vec![false; source.from.column_count()]).collect();
        for (output, _) in plan.output.iter().zip(&is_late).filter(|(_, late)| **late) {
            output.expr.walk(&mut |expr| match expr {
                Expr::Column { source, column } => needed[*source][*column] = true,
                Expr::AssignVariable(..) | Expr::UserVariable(_, true) => matters = true,
                Expr::Call(function, args) => matters |= !function.is_stable(args),
                _ => {}
            });
        }
        (matters && is_late.contains(&true)).then_some(Self { is_late, needed })
    }

    /// What they need of the sources' rows.
    pub(super) fn keep(&self, rows: &[RowRef<'_>], session: &Session) -> Vec<KeptRow> {
        let sources = rows.iter().zip(&self.needed);
        sources.map(|(row, needed)| KeptRow::of(*row, |column| needed[column], session)).collect()
    }

    /// Whether an output is one.
    pub(super) fn contains(&self, output: usize) -> bool {
        self.is_late[output]
    }

    fn exprs<'p>(&self, plan: &'p SelectPlan) -> impl Iterator<Item = &'p Expr> {
        plan.output.iter().zip(&self.is_late).filter(|(_, late)| **late).map(|(output, _)| &output.expr)
    }
}

impl Exec<'_> {
    /// Gives sorted rows.
    pub(super) async fn emit_late(
        &mut self,
        plan: &SelectPlan,
        late: &Late,
        collected: &[Collected],
        known: Known<'_>,
        window: &mut Window,
        sink: &mut dyn ResultSink,
    ) -> Result<()> {
        let mut turns = Turns::default();
        for one in collected {
            if window.is_over() {
                break;
            }
            if window.takes() {
                let rows: Vec<RowRef<'_>> = one.kept.iter().map(KeptRow::as_ref).collect();
                let inputs = self.inputs(&rows, known);
                let answers = self.answers(known.asked(late.exprs(plan)), &inputs, known).await?;
                let inputs = Inputs { subqueries: &answers, ..self.inputs(&rows, known) };
                let mut context = self.reading();
                let mut values: Vec<Value> = Vec::with_capacity(one.cells.len());
                for (place, early) in one.cells.iter().enumerate() {
                    values.push(if late.contains(place) {
                        plan.output[place].expr.eval(&inputs, &mut context)?.into_value()
                    } else {
                        early.clone()
                    });
                }
                let cells: Vec<Cell<'_>> = values.iter().map(cell).collect();
                sink.row(&cells, &context)?;
            }
            if sink.is_full() {
                sink.flush(self.trx.horizon()).await?;
            }
            turns.tick().await;
        }
        Ok(())
    }
}
