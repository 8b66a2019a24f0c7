//! DELETE.

use super::{Changed, Exec, Result, Turns};
use crate::plan::DeletePlan;

impl Exec<'_> {
    pub(super) async fn delete(&mut self, plan: &DeletePlan) -> Result<Changed> {
        let subqueries = self.subqueries(&plan.target.subqueries, &[], &plan.target, false).await?;
        let known = subqueries.known(&plan.target);
        let limit = self.limit(plan.target.limit.as_ref())?.unwrap_or(u64::MAX);
        let mut targets = self.targets(&plan.target, limit, known).await?;
        let table = plan.target.source.table();
        let mut changed = Changed::default();
        let mut turns = Turns::default();
        let relations = plan.relations.as_deref();
        let again = relations.is_some();
        loop {
            let wanted = changed.matched + targets.len() as u64;
            while let Some((key, row)) = self.next_target(&plan.target, &mut targets, again, known).await? {
                let done = self.changes(relations, None, &mut turns).delete(table, &key, &row, None).await;
                // LIMIT counts those that IGNORE passes over.
                changed.matched += 1;
                changed.affected += u64::from(self.unless_ignored(done, plan.ignore)?);
            }
            if changed.matched == wanted || limit == u64::MAX {
                return Ok(changed);
            }
            // Others take the place of those that went along with a parent.
            targets = self.targets(&plan.target, limit - changed.matched, known).await?;
        }
    }
}
