//! UPDATE.

use engine::catalog::table::Table;
use types::error::table::ER_DUP_ENTRY;
use types::warning::Level;

use super::cursor::offsets;
use super::join::Rows;
use super::{Changed, Exec, Known, Result, Turns, assign, auto_increment, foreign};
use crate::expr::{Inputs, RowRef};
use crate::plan::{Assignment, RowRules, UpdatePlan};

/// What assignments to a row may read beside it.
#[derive(Clone, Copy)]
pub(super) struct Around<'r> {
    /// The rows that were found together, one a source.
    pub(super) rows: &'r [RowRef<'r>],
    /// The source whose row it is.
    pub(super) source: usize,
    /// Of ON DUPLICATE KEY UPDATE: the row that could not be inserted.
    pub(super) candidate: RowRef<'r>,
    /// Whether NULL becomes what a NOT NULL column holds by itself, where nothing is strict.
    pub(super) null_becomes_default: bool,
}

impl Around<'_> {
    /// Of a statement of one table.
    pub(super) const NOTHING: Self =
        Self { rows: &[RowRef::Missing], source: 0, candidate: RowRef::Missing, null_becomes_default: true };
}

impl Exec<'_> {
    pub(super) async fn update(&mut self, plan: &UpdatePlan) -> Result<Changed> {
        let subqueries = self.subqueries(&plan.target.subqueries, &[], &plan.target, false).await?;
        let known = subqueries.known(&plan.target);
        let limit = self.limit(plan.target.limit.as_ref())?.unwrap_or(u64::MAX);
        let mut targets = self.targets(&plan.target, limit, known).await?;
        let table = plan.target.source.table();
        let mut changed = Changed::default();
        let mut turns = Turns::default();
        let again = plan.relations.is_some();
        while let Some((key, before)) = self.next_target(&plan.target, &mut targets, again, known).await? {
            changed.matched += 1;
            let (assignments, number) = (&plan.assignments, changed.matched);
            let after =
                self.assign_all(table, assignments, &before, Around::NOTHING, known, number, plan.ignore);
            let mut after = after.await?;
            let (relations, rules) = (plan.relations.as_deref(), plan.rules.as_deref());
            self.compute_changed(rules, &before, &mut after, number, plan.ignore)?;
            if *after != *before {
                let mut changes = self.changes(relations, rules, &mut turns);
                let done = changes.update(table, &key, &before, &after.into()).await;
                changed.affected += u64::from(self.unless_ignored(done, plan.ignore)?);
            }
        }
        Ok(self.updated(changed))
    }

    /// Whether a row was changed. What IGNORE passes over becomes a warning.
    pub(super) fn unless_ignored(&mut self, done: Result<()>, ignore: bool) -> Result<bool> {
        match done {
            Ok(()) => Ok(true),
            Err(error) if ignore && (error.is(&ER_DUP_ENTRY) || foreign::is_violation(&error)) => {
                self.warnings.push_error(Level::Warning, &error);
                Ok(false)
            }
            Err(error) => Err(error),
        }
    }

    /// What an UPDATE has done, as clients are told.
    pub(super) fn updated(&self, mut changed: Changed) -> Changed {
        let warnings = self.warnings.count();
        let (matched, affected) = (changed.matched, changed.affected);
        changed.insert_id = self.given_insert_id().unwrap_or(0);
        changed.info = Some(format!("Rows matched: {matched}  Changed: {affected}  Warnings: {warnings}"));
        if self.found_rows {
            changed.affected = changed.matched;
        }
        changed
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
        table: &Table,
        assignments: &[Assignment],
        before: &[u8],
        around: Around<'_>,
        known: Known<'_>,
        number: u64,
        ignore: bool,
    ) -> Result<Vec<u8>> {
        let mut current = before.to_vec();
        let mut next = Vec::with_capacity(before.len() + 32);
        for assignment in assignments {
            next.clear();
            {
                let offsets = offsets(table, &current)?;
                let mut rows = Rows::from_slice(around.rows);
                rows[around.source] =
                    RowRef::Stored { layout: &table.rows, row: &current, offsets: &offsets };
                let inputs = Inputs { candidate: around.candidate, ..self.inputs(&rows, known) };
                let answers = self.answers(known.asked(&assignment.value), &inputs, known).await?;
                let inputs = Inputs { subqueries: &answers, ..inputs };
                let mut context = self.session.writing(self.warnings);
                context.strict &= !ignore;
                context.row = number;
                context.null_becomes_default = around.null_becomes_default;
                let value = match &assignment.value {
                    Some(value) => Some(value.eval(&inputs, &mut context)?),
                    None => None,
                };
                let value = value.as_ref().map(crate::expr::Ev::as_ref);
                assign::replace_column(
                    table,
                    &current,
                    assignment.column,
                    value,
                    self.session,
                    &mut context,
                    &mut next,
                )?;
            }
            std::mem::swap(&mut current, &mut next);
            auto_increment::note_assigned(table, assignment.column, &current, self.trx, self.session)?;
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
