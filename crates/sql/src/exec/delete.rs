//! DELETE.

use engine::lock::Mode;

use super::{Changed, Exec, Result, Turns, engine_error};
use crate::plan::DeletePlan;

impl Exec<'_> {
    pub(super) async fn delete(&mut self, plan: &DeletePlan) -> Result<Changed> {
        let subqueries = self.subqueries(&plan.target.subqueries).await?;
        let known = subqueries.known(&plan.target);
        let limit = self.limit(plan.target.limit.as_ref())?.unwrap_or(u64::MAX);
        let keys = self.candidates(&plan.target, known).await?;
        let table = plan.target.source.table();
        let mut changed = Changed::default();
        let mut turns = Turns::default();
        for key in keys {
            turns.tick().await;
            if changed.matched >= limit {
                break;
            }
            let found = self.lock_and_read(&plan.target, &key, Mode::Exclusive, known).await?;
            let Some(row) = found else { continue };
            self.trx.delete_row(table, &key, &row).await.map_err(engine_error)?;
            self.log.delete(table, &row)?;
            changed.matched += 1;
        }
        changed.affected = changed.matched;
        Ok(changed)
    }
}
