//! UPDATE.

use engine::ids::Row;
use engine::lock::Mode;
use types::error::SqlError;
use types::error::table::ER_DUP_ENTRY;
use types::warning::Level;

use super::cursor::offsets;
use super::{Changed, Exec, Known, Result, Turns, assign, foreign};
use crate::expr::{Inputs, RowRef};
use crate::plan::{Assignment, RowRules, UpdatePlan};

/// Whether IGNORE leaves a row as it is that cannot be updated for this.
fn is_ignored(error: &SqlError) -> bool {
    error.is(&ER_DUP_ENTRY) || foreign::is_violation(error)
}

impl Exec<'_> {
    pub(super) async fn update(&mut self, plan: &UpdatePlan) -> Result<Changed> {
        let subqueries = self.subqueries(&plan.target.subqueries, &[], &plan.target).await?;
        let known = subqueries.known(&plan.target);
        let limit = self.limit(plan.target.limit.as_ref())?.unwrap_or(u64::MAX);
        let keys = self.candidates(&plan.target, limit, known).await?;
        let table = plan.target.source.table();
        let mut changed = Changed::default();
        let mut turns = Turns::default();
        for key in keys {
            turns.tick().await;
            if changed.matched >= limit {
                break;
            }
            let found = self.lock_and_read(&plan.target, &key, Mode::Exclusive, known).await?;
            let Some(before) = found else { continue };
            changed.matched += 1;
            let after = self.after_image(plan, &before, known, changed.matched).await?;
            if *after == *before {
                continue;
            }
            let (relations, rules) = (plan.relations.as_deref(), plan.rules.as_deref());
            match self.changes(relations, rules, &mut turns).update(table, &key, &before, &after).await {
                Ok(()) => changed.affected += 1,
                Err(error) if plan.ignore && is_ignored(&error) => {
                    self.warnings.push_error(Level::Warning, &error);
                }
                Err(error) => return Err(error),
            }
        }
        let warnings = self.warnings.count();
        let (matched, affected) = (changed.matched, changed.affected);
        changed.info = Some(format!("Rows matched: {matched}  Changed: {affected}  Warnings: {warnings}"));
        if self.found_rows {
            changed.affected = changed.matched;
        }
        Ok(changed)
    }

    async fn after_image(
        &mut self,
        plan: &UpdatePlan,
        before: &[u8],
        known: Known<'_>,
        number: u64,
    ) -> Result<Row> {
        let table = plan.target.source.table();
        let (assignments, ignore) = (&plan.assignments, plan.ignore);
        let after = self.assign_all(table, assignments, before, RowRef::Missing, known, number, ignore);
        let mut after = after.await?;
        self.compute_changed(plan.rules.as_deref(), before, &mut after, number, ignore)?;
        Ok(after.into())
    }

    /// Gives the generated columns of an updated row their values.
    pub(super) fn compute_changed(
        &mut self,
        rules: Option<&RowRules>,
        before: &[u8],
        after: &mut Vec<u8>,
        number: u64,
        ignore: bool,
    ) -> Result<()> {
        let Some(rules) = rules else { return Ok(()) };
        let mut context = self.session.writing(self.warnings);
        context.strict &= !ignore;
        context.row = number;
        context.null_becomes_default = true;
        rules.compute_changed(before, after, self.session, &mut context)
    }

    /// A row after assignments, which see those before them, and with its ON UPDATE columns set if it changed.
    #[expect(clippy::too_many_arguments, reason = "an assignment depends on all of these")]
    pub(super) async fn assign_all(
        &mut self,
        table: &engine::catalog::table::Table,
        assignments: &[Assignment],
        before: &[u8],
        candidate: RowRef<'_>,
        known: Known<'_>,
        number: u64,
        ignore: bool,
    ) -> Result<Vec<u8>> {
        let mut current = before.to_vec();
        let mut next = Vec::with_capacity(before.len() + 32);
        for assignment in assignments {
            let offsets = offsets(table, &current)?;
            let rows = [RowRef::Stored { layout: &table.rows, row: &current, offsets: &offsets }];
            let inputs = Inputs { candidate, ..self.inputs(&rows, known) };
            let answers = self.answers(known.asked(&assignment.value), &inputs, known).await?;
            let inputs = Inputs { subqueries: &answers, ..inputs };
            let mut context = self.session.writing(self.warnings);
            context.strict &= !ignore;
            context.row = number;
            let value = match &assignment.value {
                Some(value) => Some(value.eval(&inputs, &mut context)?),
                None => None,
            };
            let value = value.as_ref().map(crate::expr::Ev::as_ref);
            next.clear();
            assign::replace_column(
                table,
                &current,
                assignment.column,
                value,
                self.session,
                &mut context,
                &mut next,
            )?;
            std::mem::swap(&mut current, &mut next);
        }
        if current == before {
            return Ok(current);
        }
        for (place, def) in table.def.columns.iter().enumerate() {
            if def.on_update_now && assignments.iter().all(|assignment| assignment.column != place) {
                let now = assign::update_moment(table, place, self.session);
                let mut context = self.session.writing(self.warnings);
                next.clear();
                assign::replace_column(
                    table,
                    &current,
                    place,
                    Some(now.as_ref()),
                    self.session,
                    &mut context,
                    &mut next,
                )?;
                std::mem::swap(&mut current, &mut next);
            }
        }
        Ok(current)
    }
}
