//! DELETE.

use super::{Changed, Exec, Result, Turns};
use crate::plan::DeletePlan;

impl Exec<'_> {
    pub(super) async fn delete(&mut self, plan: &DeletePlan) -> Result<Changed> {
        let subqueries = self.subqueries(&plan.target.subqueries, &[], &plan.target).await?;
        let known = subqueries.known(&plan.target);
        let limit = self.limit(plan.target.limit.as_ref())?.unwrap_or(u64::MAX);
        let mut candidates = self.candidates(&plan.target, limit, known).await?;
        let table = plan.target.source.table();
        let mut changed = Changed::default();
        let mut turns = Turns::default();
        while changed.matched < limit {
            let next = self.next_target(&plan.target, &mut candidates, known).await?;
            let Some((key, row)) = next else { break };
            let relations = plan.relations.as_deref();
            let done = self.changes(relations, None, &mut turns).delete(table, &key, &row, None).await;
            // LIMIT counts those that IGNORE passes over.
            changed.matched += 1;
            changed.affected += u64::from(self.unless_ignored(done, plan.ignore)?);
        }
        Ok(changed)
    }
}
