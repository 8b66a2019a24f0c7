//! Values of expressions that stand in no query: of SET, DO, KILL. Their subqueries read as SELECT does.

use std::pin::pin;
use std::sync::Arc;

use smallvec::SmallVec;
use sql::bind::{self, BindEnv};
use sql::exec::Exec;
use sql::plan::{Plan, QueryPlan, SelectPlan};
use sqlparser::ast::Expr;
use types::error::SqlError;
use types::error::table::ER_NEED_REPREPARE;
use types::value::{Value, ValueRef};

use super::Client;
use super::plan_cache::Planned;
use super::row_log::NoLog;
use super::statement::PLANS_MAX;

type Result<T> = std::result::Result<T, SqlError>;

impl Client {
    /// The values of expressions.
    pub(super) async fn values(&mut self, exprs: &[&Expr]) -> Result<Vec<Value>> {
        for _ in 0..PLANS_MAX {
            let plan = self.bind_values(exprs)?;
            if plan.subqueries.is_empty() {
                return self.run_values(&plan).await;
            }
            let planned = Planned::new(Plan::Select(QueryPlan::Select(Box::new(plan))));
            if let Some(values) = self.read_values(&planned).await? {
                return Ok(values);
            }
        }
        Err(ER_NEED_REPREPARE.error(&[]))
    }

    pub(super) fn bind_values(&self, exprs: &[&Expr]) -> Result<SelectPlan> {
        let catalog = self.shared.store.catalog();
        let env = BindEnv::new(&catalog, &self.sql, "");
        bind::bind_exprs(exprs.iter().copied(), &env)
    }

    /// The values of expressions that read no table.
    pub(super) async fn run_values(&mut self, plan: &SelectPlan) -> Result<Vec<Value>> {
        let values = self.evaluate(plan).await;
        if !self.transaction.open {
            let _ack = self.transaction.rollback().await;
        }
        values
    }

    /// The values of expressions with subqueries. `None` if the plan is of another version of a table.
    async fn read_values(&mut self, planned: &Planned) -> Result<Option<Vec<Value>>> {
        let Plan::Select(QueryPlan::Select(plan)) = &planned.plan else { unreachable!("it was made so") };
        self.permit(planned)?;
        if !planned.tables.is_empty() {
            self.begin_if_needed();
        }
        let kill = Arc::clone(&self.kill);
        self.transaction.trx.begin_statement();
        let locked = kill.unless_killed(pin!(self.lock_tables(&planned.tables))).await;
        let values = match locked {
            Ok(true) => self.evaluate(plan).await.map(Some),
            Ok(false) => Ok(None),
            Err(error) => Err(error),
        };
        self.transaction.trx.end_statement();
        match values {
            Ok(None) => {
                if !self.transaction.open {
                    let _ack = self.transaction.rollback().await;
                }
                Ok(None)
            }
            Ok(values) => self.end_query().await.map(|()| values),
            Err(error) => Err(self.fail(error).await),
        }
    }

    async fn evaluate(&mut self, plan: &SelectPlan) -> Result<Vec<Value>> {
        let kill = Arc::clone(&self.kill);
        let mut log = NoLog;
        let trx = &mut self.transaction.trx;
        let given: SmallVec<[ValueRef<'_>; 4]> = self.given.iter().map(Value::as_ref).collect();
        let mut exec = Exec::of_values(&self.sql, trx, &mut self.warnings, &mut log);
        exec.params.values = &given;
        exec.shared_reads = self.transaction.open && self.transaction.serializable;
        kill.unless_killed(pin!(exec.values(plan))).await
    }
}
