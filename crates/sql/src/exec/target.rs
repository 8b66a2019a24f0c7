//! The rows that a statement changes or locks.
//!
//! First the keys of candidates are collected from the newest state, without locks; then each row is locked, read
//! again and looked at again. Nothing that the statement itself changes can come back as a candidate.

use std::collections::HashSet;

use engine::ids::Key;
use engine::ids::Row;
use engine::lock::{LockId, Mode};
use types::error::table::ER_WRONG_ARGUMENTS;
use types::value::ValueRef;

use super::cursor::{Versions, offsets};
use super::join::Join;
use super::ranges::{self, PointKey};
use super::{Exec, Known, Result, engine_error};
use crate::expr::{Expr, Inputs, RowRef, SortKey};
use crate::plan::{Access, IndexRef, OrderBy, Target};

impl Exec<'_> {
    /// The keys of all rows that may be meant, in the order in which they are to be treated; none if LIMIT is 0.
    pub(super) async fn candidates(
        &mut self,
        target: &Target,
        limit: u64,
        known: Known<'_>,
    ) -> Result<Vec<Key>> {
        if limit == 0 || !self.precondition(target.precondition.as_ref(), known)? {
            return Ok(Vec::new());
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
                PointKey::Key(key) => return Ok(vec![Key::from(key)]),
                PointKey::Empty => return Ok(Vec::new()),
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
        Ok(found.into_iter().map(|(_, key)| key).collect())
    }

    /// Locks a candidate and reads it again. `None` if it is not there any more or no longer meant.
    pub(super) async fn lock_and_read(
        &mut self,
        target: &Target,
        key: &[u8],
        mode: Mode,
        known: Known<'_>,
    ) -> Result<Option<Row>> {
        let held = self.trx.holds(LockId::of_key(key), Mode::Shared);
        self.trx.lock_row(key, mode).await.map_err(engine_error)?;
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
