//! SELECT .. INTO of user variables: the only row's values become those of user variables.

use types::context::Context;
use types::error::table::{ER_SP_FETCH_NO_DATA, ER_TOO_MANY_ROWS};
use types::temporal::TimeZone;
use types::value::Value;
use types::warning::Level;

use super::{Cell, Exec, Result, ResultSink};
use crate::expr::Types;
use crate::plan::{Destination, IntoPlan, QueryPlan};

impl Exec<'_> {
    /// Returns how many rows there were. What goes to a file, `sink` is given.
    pub(super) async fn select_into(&mut self, into: &IntoPlan, sink: &mut dyn ResultSink) -> Result<u64> {
        match &into.into {
            Destination::Variables(variables) => self.assign(&into.query, variables).await,
            Destination::File(_) => self.query(&into.query, &[], self.session.select_limit, sink).await,
        }
    }

    /// Returns how many rows there were: one, or none, with warning 1329.
    ///
    /// # Errors
    /// 1172 at a second row: the variables have the values of the first one by then, as in MySQL.
    async fn assign(&mut self, query: &QueryPlan, variables: &[String]) -> Result<u64> {
        let mut found = First { row: None, time_zone: self.session.time_zone() };
        let done = self.query(query, &[], self.session.select_limit, &mut found).await;
        if let Some(row) = found.row {
            self.session.user_variables.lock().extend(variables.iter().cloned().zip(row));
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
