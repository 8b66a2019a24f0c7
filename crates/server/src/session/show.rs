//! SHOW, and what answers with a table without being a query: its rows are made first, then queried.

use std::pin::pin;
use std::sync::Arc;

use sql::bind::{BindEnv, bind_show};
use sql::exec::{OutputColumn, Params, output_columns};
use sql::expr::Types;
use sql::parse::{Filter, Show, Statement};
use sql::plan::Plan;
use types::error::SqlError;
use types::value::{Value, ValueRef};

use super::plan_cache::Planned;
use super::result::Format;
use super::{Client, Wire, maintain};
use crate::ddl::builds::Build;
use crate::info::Look;
use crate::info::logs::{self, EventsWanted};
use crate::info::show::{self, Shown};

type Result<T> = std::result::Result<T, SqlError>;

impl Client {
    /// SHOW.
    pub(super) async fn show(
        &mut self,
        show: Show,
        format: Format,
        more: bool,
        wire: &mut dyn Wire,
    ) -> Result<()> {
        if let Some(shown) = self.conditions(&show) {
            let done = self.answer_with(shown, None, format, more, wire).await;
            // What it is about is there for the next one as well.
            self.warnings = self.view.warnings();
            return done;
        }
        if let Show::BinlogEvents { log, position, limit } = show {
            let shown = self.binlog_events(EventsWanted { log, position, limit }).await?;
            return self.answer_with(shown, None, format, more, wire).await;
        }
        if matches!(show, Show::Columns { .. } | Show::Index(..) | Show::CreateTable(_) | Show::CreateView(_))
        {
            self.shared.schema.catch_up().await;
        }
        if matches!(show, Show::BinaryLogs) {
            self.binlog_files_catch_up().await?;
        }
        let (shown, filter) = show::answer(&show, &self.look())?;
        self.answer_with(shown, filter, format, more, wire).await
    }

    /// What the session sees of the server.
    pub(super) fn look(&self) -> Look<'_> {
        Look::new(&self.view, &self.access, &self.sql, &self.vars)
    }

    /// What is about the conditions of the statement before.
    fn conditions(&self, show: &Show) -> Option<Shown> {
        let warnings = self.view.warnings();
        Some(match show {
            Show::Warnings(limit) => show::warnings(&warnings, false, *limit),
            Show::Errors(limit) => show::warnings(&warnings, true, *limit),
            Show::WarningCount => show::count("warning_count", warnings.count()),
            Show::ErrorCount => show::count("error_count", warnings.error_count()),
            _ => return None,
        })
    }

    /// The columns of the result of a statement that has no plan; none if it has no result.
    pub(super) fn columns_of_other(&self, statement: &Statement) -> Result<Vec<OutputColumn>> {
        let shown = match statement {
            Statement::Maintain(maintenance) => maintain::result(maintenance.what, Vec::new()),
            Statement::Explain(_) => Shown::new("explain", Vec::new()),
            Statement::Show(show) => match (&**show, self.conditions(show)) {
                (_, Some(shown)) => shown,
                (Show::BinlogEvents { .. }, None) => Shown::new("binlog_events", Vec::new()),
                (show, None) => show::answer(show, &self.look())?.0,
            },
            _ => return Ok(Vec::new()),
        };
        let catalog = self.shared.store.catalog();
        let env = BindEnv::new(&catalog, &self.sql, "");
        let plan = bind_show(Arc::new(shown), None, &env)?;
        output_columns(&plan, &Types::of_session(&self.sql))
    }

    /// SHOW BINLOG EVENTS.
    async fn binlog_events(&self, wanted: EventsWanted) -> Result<Shown> {
        logs::permit_events(&self.look())?;
        self.binlog_files_catch_up().await?;
        let pipeline = Arc::clone(&self.shared.pipeline);
        let read = move |this: &Build| logs::events(&pipeline, &wanted, || this.is_wanted());
        let rows = self.kill.unless_killed(pin!(self.shared.schema.builds.run(read))).await?;
        Ok(Shown::new("binlog_events", rows))
    }

    /// Answers with the rows of a table that a condition holds for.
    pub(super) async fn answer_with(
        &mut self,
        shown: Shown,
        filter: Option<&Filter>,
        format: Format,
        more: bool,
        wire: &mut dyn Wire,
    ) -> Result<()> {
        let catalog = self.shared.store.catalog();
        let plan = bind_show(Arc::new(shown), filter, &BindEnv::new(&catalog, &self.sql, ""))?;
        let planned = Planned::new(Plan::Select(plan));
        let given = std::mem::take(&mut self.given);
        let values: Vec<ValueRef<'_>> = given.iter().map(Value::as_ref).collect();
        let params = Params { values: &values, ..Params::default() };
        let done = self.run_shown(&planned, params, format, more, wire).await;
        drop(values);
        self.given = given;
        done
    }
}
