//! Rows beside what their table's definition says of them: what is computed, and the CHECK constraints.

use types::context::Context;
use types::error::table::ER_CHECK_CONSTRAINT_VIOLATED;
use types::row::Change;
use types::store;
use types::warning::Warnings;

use super::Result;
use super::cursor::{damaged, offsets};
use crate::expr::{Inputs, RowRef};
use crate::plan::{Computed, ComputedKind, RULES_COLLATION, RowRules};
use crate::session::Session;

impl RowRules {
    /// Whether a new row, or a row's new version, may be there. Error 3819 for the first check that is false or fails.
    /// `strict`: in the session's strict modes, what cannot be computed without adjusting something is false.
    pub fn verify(&self, row: &[u8], session: &Session, strict: bool) -> Result<()> {
        if self.checks.is_empty() {
            return Ok(());
        }
        let offsets = offsets(&self.table, row)?;
        let rows = [RowRef::Stored { layout: &self.table.rows, row, offsets: &offsets }];
        let inputs = self.inputs(session, &rows);
        let mut warnings = Warnings::default();
        for (name, condition) in &self.checks {
            let mut context = session.writing(&mut warnings);
            context.strict &= strict;
            let truth = condition.truth(&inputs, &mut context);
            if !matches!(truth, Ok(None | Some(true))) {
                return Err(ER_CHECK_CONSTRAINT_VIOLATED.error(&[name]));
            }
        }
        Ok(())
    }

    /// Computes the generated columns of a new row, and the defaults of columns that are not given; it has anything in
    /// their places. Errors of expressions and of bringing values into their columns.
    pub fn compute(
        &self,
        row: &mut Vec<u8>,
        session: &Session,
        context: &mut Context<'_>,
        is_given: impl Fn(usize) -> bool,
    ) -> Result<()> {
        let mut meant = self
            .computed
            .iter()
            .filter(|computed| computed.kind != ComputedKind::Default || !is_given(computed.column));
        meant.try_for_each(|computed| self.compute_one(computed, row, session, context))
    }

    /// The same for a row that was `before`: columns stay that depend on nothing that has changed.
    pub fn compute_changed(
        &self,
        before: &[u8],
        row: &mut Vec<u8>,
        session: &Session,
        context: &mut Context<'_>,
    ) -> Result<()> {
        let mut generated =
            self.computed.iter().filter(|computed| computed.kind != ComputedKind::Default).peekable();
        if generated.peek().is_none() {
            return Ok(());
        }
        let old = offsets(&self.table, before)?;
        for computed in generated {
            let new = offsets(&self.table, row)?;
            let mut columns = computed.depends_on.iter();
            if columns.any(|column| old.stored(before, *column) != new.stored(row, *column)) {
                self.compute_one(computed, row, session, context)?;
            }
        }
        Ok(())
    }

    /// The same for a row that is copied into a new definition: VIRTUAL columns hold what is near to their values if they
    /// cannot hold these, without a warning; defaults are for columns that are new.
    pub fn compute_copied(
        &self,
        row: &mut Vec<u8>,
        session: &Session,
        context: &mut Context<'_>,
        is_new: impl Fn(usize) -> bool,
    ) -> Result<()> {
        self.computed.iter().try_for_each(|computed| match computed.kind {
            ComputedKind::Virtual => self.compute_leniently(computed, row, session),
            ComputedKind::Default if !is_new(computed.column) => Ok(()),
            ComputedKind::Default | ComputedKind::Stored => self.compute_one(computed, row, session, context),
        })
    }

    /// The same for columns of which another server has said nothing, which has let the row pass in a mode of its own.
    pub fn compute_missing(
        &self,
        row: &mut Vec<u8>,
        session: &Session,
        is_missing: impl Fn(&Computed) -> bool,
    ) -> Result<()> {
        let mut missing = self.computed.iter().filter(|computed| is_missing(computed));
        missing.try_for_each(|computed| self.compute_leniently(computed, row, session))
    }

    fn compute_leniently(&self, computed: &Computed, row: &mut Vec<u8>, session: &Session) -> Result<()> {
        let mut warnings = Warnings::default();
        let context = session.writing(&mut warnings);
        let mut context = Context { strict: false, null_becomes_default: true, ..context };
        self.compute_one(computed, row, session, &mut context)
    }

    fn compute_one(
        &self,
        computed: &Computed,
        row: &mut Vec<u8>,
        session: &Session,
        context: &mut Context<'_>,
    ) -> Result<()> {
        let place = computed.column;
        let offsets = offsets(&self.table, row)?;
        let rows = [RowRef::Stored { layout: &self.table.rows, row, offsets: &offsets }];
        let value = computed.value.eval(&self.inputs(session, &rows), context)?;
        let mut stored = Vec::new();
        let has_value = store::assign(&self.table.columns[place], value.as_ref(), context, &mut stored)?;
        let change = Change { column: place, stored: has_value.then_some(&stored[..]) };
        let mut next = Vec::with_capacity(row.len() + stored.len());
        let patched = self.table.rows.patch(row, &offsets, &[change], &mut next);
        patched.map_err(|_| damaged(&self.table))?;
        drop(value);
        *row = next;
        Ok(())
    }

    fn inputs<'r>(&'r self, session: &'r Session, rows: &'r [RowRef<'r>]) -> Inputs<'r> {
        Inputs {
            session,
            collation: RULES_COLLATION,
            schema: self,
            params: &[],
            literals: &[],
            row_literals: &[],
            rows,
            candidate: RowRef::Missing,
            aggregates: &[],
            windows: &[],
            subqueries: &[],
            outer: &[],
            memo: None,
        }
    }
}
