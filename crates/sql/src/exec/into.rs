//! SELECT .. INTO: the only row's values become those of user variables.

use types::context::Context;
use types::error::table::{ER_SP_FETCH_NO_DATA, ER_TOO_MANY_ROWS};
use types::temporal::TimeZone;
use types::value::Value;
use types::warning::Level;

use super::{Cell, Exec, Result, ResultSink};
use crate::expr::Types;
use crate::plan::{IntoPlan, QueryPlan};

impl Exec<'_> {
    /// Returns how many rows there were: one, or none, with warning 1329.
    ///
    /// # Errors
    /// 1172 at a second row: the variables have the values of the first one by then, as in MySQL.
    pub(super) async fn select_into(&mut self, into: &IntoPlan) -> Result<u64> {
        let mut found = First { row: None, time_zone: &self.session.time_zone };
        let done = self.query(&into.query, &[], self.session.select_limit, &mut found).await;
        if let Some(row) = found.row {
            self.session.user_variables.lock().extend(into.variables.iter().cloned().zip(row));
        }
        let count = done?;
        if count == 0 {
            self.warnings.push(Level::Warning, &ER_SP_FETCH_NO_DATA, &[]);
        }
        Ok(count)
    }
}

/// Keeps the first row; there is to be no other.
struct First<'s> {
    row: Option<Vec<Value>>,
    time_zone: &'s TimeZone,
}

impl ResultSink for First<'_> {
    fn begin(&mut self, _query: &QueryPlan, _types: &Types<'_>) -> Result<()> {
        Ok(())
    }

    fn row(&mut self, cells: &[Cell<'_>], _context: &Context<'_>) -> Result<()> {
        if self.row.is_some() {
            return Err(ER_TOO_MANY_ROWS.error(&[]));
        }
        self.row = Some(cells.iter().map(|cell| cell.value(self.time_zone).to_value()).collect());
        Ok(())
    }
}
