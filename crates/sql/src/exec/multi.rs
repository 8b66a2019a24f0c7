//! UPDATE and DELETE of several tables.
//!
//! First all rows that are found together are locked, those that change exclusively and the others shared, and kept; then
//! they are changed. So nothing that the statement changes decides what else is meant, and each row changes once, however
//! often it was found.

use std::collections::HashSet;

use engine::ids::{CommitSeq, Key, Row};
use smallvec::SmallVec;
use types::row::Offsets;

use super::cursor::{Kept, Versions, offsets};
use super::join::{Join, Made, Rows};
use super::memory::{Room, row_size};
use super::subquery::Known;
use super::update::Around;
use super::{Changed, Exec, Result, Turns, engine_error};
use crate::expr::RowRef;
use crate::plan::{MultiDeletePlan, MultiUpdatePlan, RowUpdate, SelectPlan, SourceKind};

/// Rows that were found together, one a source.
type Together = SmallVec<[Kept; 2]>;

impl Exec<'_> {
    pub(super) async fn multi_update(&mut self, plan: &MultiUpdatePlan) -> Result<Changed> {
        let subqueries = self.subqueries(&plan.rows.subqueries, &[], &plan.rows, false).await?;
        let known = subqueries.known(&plan.rows);
        let made = self.made(&plan.rows, &subqueries)?;
        let mut found = self.found_together(&plan.rows, &made, known).await?;
        let mut done: Vec<HashSet<Key>> = plan.targets.iter().map(|_| HashSet::new()).collect();
        let mut changed = Changed::default();
        let mut turns = Turns::default();
        for together in &mut found {
            for (target, done) in plan.targets.iter().zip(&mut done) {
                turns.tick().await;
                let Kept::Stored(key, _) = &together[target.source] else { continue };
                let key = Key::clone(key);
                // It may have changed already: under another name, or along with a parent.
                let Some(before) = self.trx.get_newest(&key).map_err(engine_error)? else { continue };
                if !done.insert(Key::clone(&key)) {
                    together[target.source] = Kept::Stored(key, before);
                    continue;
                }
                changed.matched += 1;
                let after = self.updated_row(plan, target, together, &before, changed.matched, known);
                let after = after.await?;
                if after != before {
                    let table = plan.table(target.source);
                    let (relations, rules) = (target.relations.as_deref(), target.rules.as_deref());
                    let mut changes = self.changes(relations, rules, &mut turns);
                    let done = changes.update(table, &key, &before, &after).await;
                    changed.affected += u64::from(self.unless_ignored(done, plan.ignore)?);
                }
                // What is assigned to tables behind it sees it as it is now.
                together[target.source] = Kept::Stored(key, after);
            }
        }
        Ok(self.updated(changed))
    }

    async fn updated_row(
        &mut self,
        plan: &MultiUpdatePlan,
        target: &RowUpdate,
        together: &Together,
        before: &Row,
        number: u64,
        known: Known<'_>,
    ) -> Result<Row> {
        let table = plan.table(target.source);
        let mut places = SmallVec::<[_; 2]>::new();
        for (source, kept) in plan.rows.sources.iter().zip(together) {
            places.push(match (kept, &source.from) {
                (Kept::Stored(_, row), SourceKind::Table(table)) => offsets(table, row)?,
                _ => Offsets::default(),
            });
        }
        let mut rows = Rows::new();
        for (place, kept) in together.iter().enumerate() {
            rows.push(match (kept, &plan.rows.sources[place].from) {
                (Kept::Stored(_, row), SourceKind::Table(table)) => {
                    RowRef::Stored { layout: &table.rows, row, offsets: &places[place] }
                }
                (Kept::Made(row), _) => RowRef::Values(row),
                _ => RowRef::Missing,
            });
        }
        let around = Around { rows: &rows, source: target.source, ..Around::NOTHING };
        let (assignments, ignore) = (&target.assignments, plan.ignore);
        let mut after = self.assign_all(table, assignments, before, around, known, number, ignore).await?;
        self.compute_changed(target.rules.as_deref(), before, &mut after, number, ignore)?;
        Ok(after.into())
    }

    pub(super) async fn multi_delete(&mut self, plan: &MultiDeletePlan) -> Result<Changed> {
        let subqueries = self.subqueries(&plan.rows.subqueries, &[], &plan.rows, false).await?;
        let known = subqueries.known(&plan.rows);
        let made = self.made(&plan.rows, &subqueries)?;
        let found = self.found_together(&plan.rows, &made, known).await?;
        let mut changed = Changed::default();
        let mut turns = Turns::default();
        for (source, relations) in &plan.targets {
            for together in &found {
                turns.tick().await;
                let Kept::Stored(key, _) = &together[*source] else { continue };
                // It may be gone already: found before, under another name, or along with a parent.
                let Some(row) = self.trx.get_newest(key).map_err(engine_error)? else { continue };
                let mut changes = self.changes(relations.as_deref(), None, &mut turns);
                let done = changes.delete(plan.table(*source), key, &row, None).await;
                changed.affected += u64::from(self.unless_ignored(done, plan.ignore)?);
            }
        }
        changed.matched = changed.affected;
        Ok(changed)
    }

    /// All rows that are found together, locked.
    async fn found_together(
        &mut self,
        plan: &SelectPlan,
        made: &[Made],
        known: Known<'_>,
    ) -> Result<Vec<Together>> {
        let mut found = Vec::new();
        if !self.precondition(plan.precondition.as_ref(), known)? {
            return Ok(found);
        }
        for (place, source) in plan.sources.iter().enumerate() {
            if source.lock.is_some_and(|lock| lock.exclusive) {
                self.check_safe_update(source, place, known)?;
            }
        }
        let mut passes = self.passes();
        loop {
            found.clear();
            let done = self.lock_together(plan, made, known, &mut found).await;
            if !self.passes_again(&mut passes, done)? {
                return Ok(found);
            }
        }
    }

    /// One pass over them. Returns the newest change of one since the moment of which it was found.
    async fn lock_together(
        &mut self,
        plan: &SelectPlan,
        made: &[Made],
        known: Known<'_>,
        found: &mut Vec<Together>,
    ) -> Result<Option<CommitSeq>> {
        let mut memory = Room::new(self.memory_max);
        let mut join = Join::new(&plan.sources, made, known, Versions::Snapshot);
        while join.next(self).await? {
            let together = join.kept();
            let size = |kept: &Kept| match kept {
                Kept::Stored(key, row) => key.len() + row.len(),
                Kept::Made(row) => row_size(row),
                Kept::Missing => 0,
            };
            memory.take(size_of_val(&*together) + together.iter().map(size).sum::<usize>())?;
            found.push(together);
        }
        Ok(join.changed())
    }
}
