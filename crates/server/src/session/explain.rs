//! EXPLAIN of what has a plan: nothing is executed.

use std::pin::pin;
use std::sync::Arc;

use sql::exec::Exec;
use sql::lex::Normalised;
use sql::parse::Explain;
use sql::plan::PlannedTable;
use types::error::SqlError;
use types::error::table::{ER_NEED_REPREPARE, ER_UNKNOWN_EXPLAIN_FORMAT};

use super::dispatch::unsupported;
use super::plan_cache::Planned;
use super::result::Format;
use super::row_log::NoLog;
use super::statement::PLANS_MAX;
use super::{Client, Wire};
use crate::info::cell::Row;
use crate::info::show::Shown;

type Result<T> = std::result::Result<T, SqlError>;

impl Client {
    /// EXPLAIN in the traditional format. Error 1791 for a format that there is none of, 1235 for the others and ANALYZE.
    pub(super) async fn explain(
        &mut self,
        explain: Explain,
        sql: &[u8],
        format: Format,
        more: bool,
        wire: &mut dyn Wire,
    ) -> Result<()> {
        match explain.format.as_deref() {
            _ if explain.analyze => return Err(unsupported("EXPLAIN ANALYZE")),
            None | Some("TRADITIONAL" | "TRADITIONAL_STRICT") => {}
            Some("TREE") => return Err(unsupported("EXPLAIN FORMAT=TREE")),
            Some("JSON") => return Err(unsupported("EXPLAIN FORMAT=JSON")),
            Some(other) => return Err(ER_UNKNOWN_EXPLAIN_FORMAT.error(&[&other])),
        }
        let text = Normalised { text: String::from_utf8_lossy(sql).into_owned(), ..Normalised::default() };
        for _ in 0..PLANS_MAX {
            let Ok(planned) = self.bind((*explain.statement).clone(), &text)? else {
                return Err(unsupported("EXPLAIN of this statement"));
            };
            self.permit_tables(&planned)?;
            self.permit_explaining_views(&planned)?;
            match self.explain_plan(&planned).await {
                Ok(Some(rows)) => {
                    return self.answer_with(Shown::new("explain", rows), None, format, more, wire).await;
                }
                Ok(None) if self.transaction.open => {}
                Ok(None) => drop(self.transaction.rollback().await),
                Err(error) => return Err(self.fail(error).await),
            }
        }
        Err(ER_NEED_REPREPARE.error(&[]))
    }

    /// `None` if the plan is of another version of a table.
    async fn explain_plan(&mut self, planned: &Planned) -> Result<Option<Vec<Row>>> {
        // Nothing is written, whatever the statement would do.
        let read = |planned: &PlannedTable| PlannedTable { written: false, ..planned.clone() };
        let tables: Vec<PlannedTable> = planned.tables.iter().map(read).collect();
        let kill = Arc::clone(&self.kill);
        if !kill.unless_killed(pin!(self.lock_tables(&tables))).await? {
            return Ok(None);
        }
        let trx = &mut self.transaction.trx;
        let mut log = NoLog;
        let mut exec = Exec::of_values(&self.sql, trx, &mut self.warnings, &mut log);
        kill.unless_killed(pin!(exec.explain(&planned.plan))).await.map(Some)
    }
}
