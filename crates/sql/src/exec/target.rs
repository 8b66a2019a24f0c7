//! The rows that a statement changes or locks.
//!
//! First the keys of candidates are collected from the newest state, without locks; then each row is locked, read
//! again and looked at again. Nothing that the statement itself changes can come back as a candidate.

use std::collections::{HashSet, VecDeque};

use engine::ids::{Key, Row};
use engine::lock::{LockId, Mode};
use types::error::table::ER_WRONG_ARGUMENTS;
use types::value::ValueRef;

use super::cursor::{Versions, offsets};
use super::join::Join;
use super::ranges::{self, PointKey};
use super::{Exec, Known, Result, engine_error};
use crate::expr::{Expr, Inputs, RowRef, SortKey};
use crate::plan::{Access, IndexRef, OrderBy, Target};

/// The keys of rows that may be meant, and what they are ordered by.
pub(super) type Candidates = VecDeque<(SortKey, Key)>;

impl Exec<'_> {
    /// All rows that may be meant, in the order in which they are to be treated; none if LIMIT is 0.
    pub(super) async fn candidates(
        &mut self,
        target: &Target,
        limit: u64,
        known: Known<'_>,
    ) -> Result<Candidates> {
        if limit == 0 || !self.precondition(target.precondition.as_ref(), known)? {
            return Ok(Candidates::new());
        }
        if target.limit.is_none() {
            self.check_safe_update(&target.source, 0, known)?;
        }
        // One row by its primary key needs no look beforehand.
        if let Access::Point { index: IndexRef::Primary, keys } = &target.source.access {
            let inputs = self.inputs(&[RowRef::Missing], known);
            let mut context = self.reading();
            let table = target.source.table();
            match ranges::point_key(table, IndexRef::Primary, keys, &inputs, &mut context)? {
                PointKey::Key(key) => return Ok(Candidates::from([(SortKey::new(), Key::from(key))])),
                PointKey::Empty => return Ok(Candidates::new()),
                PointKey::Unknown => {}
            }
        }
        let sources = std::slice::from_ref(&target.source);
        let mut join = Join::new(sources, &[None], known, Versions::Newest);
        let mut found = Vec::new();
        // A row that somebody moves ahead in the index is met again.
        let mut met = target.source.access.is_by_entries().then(HashSet::new);
        while join.next(self).await? {
            let key = Key::from(join.key().expect("rows of tables have keys"));
            if met.as_mut().is_some_and(|met| !met.insert(key.clone())) {
                continue;
            }
            let by = self.order_values(&target.order, &join.rows(), known).await?;
            found.push((by, key));
        }
        if !target.order.is_empty() {
            found.sort_by(|(a, _), (b, _)| a.cmp(b));
        }
        Ok(found.into())
    }

    /// Locks the next candidate that is meant, and reads it again. Where the order decides which rows are changed, one that
    /// others have moved in it meanwhile waits for its turn; not in an order by chance.
    pub(super) async fn next_target(
        &mut self,
        target: &Target,
        candidates: &mut Candidates,
        known: Known<'_>,
    ) -> Result<Option<(Key, Row)>> {
        let mut order = target.order.iter().filter_map(OrderBy::expr);
        let decides = target.limit.is_some() && !target.order.is_empty() && order.all(Expr::is_repeatable);
        while let Some((_, key)) = candidates.pop_front() {
            self.turns.tick().await;
            let Some(row) = self.lock_and_read(target, &key, known).await? else {
                // Another row may have got the unique value that was looked for. The same one is not looked at for ever.
                if candidates.is_empty() && target.source.access.is_unique_entry() {
                    *candidates = self.candidates(target, u64::MAX, known).await?;
                    candidates.retain(|(_, other)| *other != key);
                }
                continue;
            };
            if decides {
                let table = target.source.table();
                let offsets = offsets(table, &row)?;
                let rows = [RowRef::Stored { layout: &table.rows, row: &row, offsets: &offsets }];
                let by = self.order_values(&target.order, &rows, known).await?;
                let place = candidates.partition_point(|(other, _)| *other < by);
                if place > 0 {
                    candidates.insert(place, (by, key));
                    continue;
                }
            }
            return Ok(Some((key, row)));
        }
        Ok(None)
    }

    /// Locks a candidate and reads it again. `None` if it is not there any more or no longer meant.
    async fn lock_and_read(&mut self, target: &Target, key: &[u8], known: Known<'_>) -> Result<Option<Row>> {
        let held = self.trx.holds(LockId::of_key(key), Mode::Shared);
        self.trx.lock_row(key, Mode::Exclusive).await.map_err(engine_error)?;
        let found = self.read_locked(target, key, known).await?;
        if found.is_none() {
            self.trx.let_go(key, held);
        }
        Ok(found)
    }

    async fn read_locked(&mut self, target: &Target, key: &[u8], known: Known<'_>) -> Result<Option<Row>> {
        let Some(row) = self.trx.get_newest(key).map_err(engine_error)? else { return Ok(None) };
        let table = target.source.table();
        let offsets = offsets(table, &row)?;
        let rows = [RowRef::Stored { layout: &table.rows, row: &row, offsets: &offsets }];
        let holds = self.all_hold(&target.source.conditions, false, &rows, known).await?;
        Ok(holds.then_some(row))
    }

    pub(super) fn precondition(&mut self, condition: Option<&Expr>, known: Known<'_>) -> Result<bool> {
        let Some(condition) = condition else { return Ok(true) };
        let inputs = self.inputs(&[], known);
        let mut context = self.reading();
        Ok(condition.truth(&inputs, &mut context)? == Some(true))
    }

    /// The value of LIMIT or OFFSET.
    pub(super) fn limit(&mut self, limit: Option<&Expr>) -> Result<Option<u64>> {
        let Some(limit) = limit else { return Ok(None) };
        let inputs = self.inputs(&[], Known::NOTHING);
        let mut context = self.reading();
        match limit.eval(&inputs, &mut context)?.as_ref() {
            ValueRef::UInt(limit) => Ok(Some(limit)),
            ValueRef::Int(limit) if limit >= 0 => Ok(Some(limit as u64)),
            _ => Err(ER_WRONG_ARGUMENTS.error(&[&"LIMIT"])),
        }
    }

    async fn order_values(
        &mut self,
        order: &[OrderBy],
        rows: &[RowRef<'_>],
        known: Known<'_>,
    ) -> Result<SortKey> {
        let inputs = self.inputs(rows, known);
        let asked = known.asked(order.iter().filter_map(OrderBy::expr));
        let answers = self.answers(asked, &inputs, known).await?;
        let inputs = Inputs { subqueries: &answers, ..inputs };
        let mut context = self.reading();
        let mut key = SortKey::new();
        for order in order {
            let Some(expr) = order.expr() else { continue };
            key.push_ordered(expr.eval(&inputs, &mut context)?.as_ref(), order.descending);
        }
        Ok(key)
    }
}
