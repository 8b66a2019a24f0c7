//! Rows beside the CHECK constraints of their table.

use types::error::table::ER_CHECK_CONSTRAINT_VIOLATED;
use types::row::Offsets;
use types::warning::Warnings;

use super::Result;
use super::cursor::damaged;
use crate::expr::{Inputs, RowRef};
use crate::plan::Checks;
use crate::session::Session;

impl Checks {
    /// Whether a new row, or a row's new version, may be there. Error 3819 for the first check that is false or fails.
    /// `strict`: in the session's strict modes, what cannot be computed without adjusting something is false.
    pub fn verify(&self, row: &[u8], session: &Session, strict: bool) -> Result<()> {
        let layout = &self.table.rows;
        let mut offsets = Offsets::default();
        layout.offsets(row, &mut offsets).map_err(|_| damaged(&self.table))?;
        let rows = [RowRef::Stored { layout, row, offsets: &offsets }];
        let inputs = Inputs {
            session,
            schema: self,
            params: &[],
            literals: &[],
            row_literals: &[],
            rows: &rows,
            candidate: RowRef::Missing,
            aggregates: &[],
            subqueries: &[],
            outer: &[],
        };
        let mut warnings = Warnings::default();
        for (name, condition) in &self.conditions {
            let mut context = session.writing(&mut warnings);
            context.strict &= strict;
            let truth = condition.truth(&inputs, &mut context);
            if !matches!(truth, Ok(None | Some(true))) {
                return Err(ER_CHECK_CONSTRAINT_VIOLATED.error(&[name]));
            }
        }
        Ok(())
    }
}
