//! The rows that a statement changes.
//!
//! First all of them are locked, as they are at one moment ([`super::moment`]), then each is read again and changed. Nothing that the
//! statement itself changes decides what else is meant.

use std::vec::IntoIter;

use engine::ids::{CommitSeq, Key, Row};
use engine::lock::{LockId, Mode};
use types::error::table::ER_WRONG_ARGUMENTS;
use types::number::parse_integer;
use types::value::ValueRef;

use super::cursor::{Versions, offsets};
use super::join::Join;
use super::memory::Room;
use super::ranges::{self, PointKey};
use super::{Exec, Known, Result, engine_error};
use crate::expr::{Expr, Inputs, RowRef, SortKey};
use crate::plan::{Access, IndexRef, LockWait, OrderBy, RowLock, Target};

/// Locked rows, in the order in which they are to be changed.
pub(super) enum Targets {
    /// One at most.
    One(Option<(Key, Row)>),
    /// Those with these keys.
    Many(IntoIter<Key>),
}

/// A row that is meant, by what the statement orders them by.
type Found = (SortKey, Key);

impl Targets {
    /// How many there are left.
    pub(super) fn len(&self) -> usize {
        match self {
            Self::One(one) => one.iter().len(),
            Self::Many(keys) => keys.len(),
        }
    }
}

impl Exec<'_> {
    /// Locks the rows that a statement changes, `limit` at most.
    pub(super) async fn targets(&mut self, target: &Target, limit: u64, known: Known<'_>) -> Result<Targets> {
        if limit == 0 || !self.precondition(target.precondition.as_ref(), known)? {
            return Ok(Targets::One(None));
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
                PointKey::Key(key) => {
                    let held = self.trx.holds(LockId::of_key(&key), Mode::Shared);
                    self.trx.lock_row(&key, Mode::Exclusive).await.map_err(engine_error)?;
                    let row = self.read_target(target, &key, true, known).await?;
                    self.work.looks_up(row.is_some());
                    if row.is_none() {
                        self.trx.let_go(&key, held, true);
                    }
                    return Ok(Targets::One(row.map(|row| (key.into(), row))));
                }
                PointKey::Empty => return Ok(Targets::One(None)),
                PointKey::Unknown => {}
            }
        }
        // In a box: it is larger than all that is done for one row.
        Box::pin(self.many_targets(target, limit, known)).await
    }

    async fn many_targets(&mut self, target: &Target, limit: u64, known: Known<'_>) -> Result<Targets> {
        let mut passes = self.passes();
        let mut found: Vec<Found> = Vec::new();
        loop {
            found.clear();
            let done = if target.limit.is_some() && !target.order.is_empty() {
                self.lock_first(target, limit, known, &mut found).await
            } else {
                self.lock_all(target, limit, known, &mut found).await
            };
            if !self.passes_again(&mut passes, done)? {
                break;
            }
        }
        Ok(Targets::Many(found.into_iter().map(|(_, key)| key).collect::<Vec<_>>().into_iter()))
    }

    /// Locks all that is meant, or any `limit` rows. Returns the newest change of one since the moment of which it was found,
    /// unless there are enough.
    async fn lock_all(
        &mut self,
        target: &Target,
        limit: u64,
        known: Known<'_>,
        found: &mut Vec<Found>,
    ) -> Result<Option<CommitSeq>> {
        let sources = std::slice::from_ref(&target.source);
        let exclusive = RowLock { exclusive: true, wait: LockWait::Wait };
        let mut join = Join::new(sources, &[None], known, Versions::Snapshot).or_locked(Some(exclusive));
        *found = self.in_order(target, &mut join, limit, known).await?;
        let are_enough = found.len() as u64 == limit;
        Ok(join.changed().filter(|_| !are_enough))
    }

    /// Locks the first `limit` rows in an order. Returns as [`Exec::lock_all`].
    async fn lock_first(
        &mut self,
        target: &Target,
        limit: u64,
        known: Known<'_>,
        found: &mut Vec<Found>,
    ) -> Result<Option<CommitSeq>> {
        let sources = std::slice::from_ref(&target.source);
        let moment = self.moment().await;
        let mut join = Join::new(sources, &[None], known, Versions::Moment(moment.clone()));
        let mut newest = None;
        for (by, key) in self.in_order(target, &mut join, u64::MAX, known).await? {
            if found.len() as u64 == limit {
                break;
            }
            self.turns.tick().await;
            let held = self.trx.holds(LockId::of_key(&key), Mode::Shared);
            self.trx.lock_row(&key, Mode::Exclusive).await.map_err(engine_error)?;
            let (_, changed) = self.trx.get_since(&key, &moment).map_err(engine_error)?;
            if changed.is_some() && self.read_target(target, &key, true, known).await?.is_none() {
                self.trx.let_go(&key, held, false);
            } else {
                found.push((by, key));
            }
            newest = newest.max(changed);
        }
        Ok(newest)
    }

    /// `most` rows of a scan, in the order that the statement asks for.
    async fn in_order(
        &mut self,
        target: &Target,
        join: &mut Join<'_>,
        most: u64,
        known: Known<'_>,
    ) -> Result<Vec<Found>> {
        let (mut rows, mut memory): (Vec<Found>, _) = (Vec::new(), Room::new(self.memory_max));
        while (rows.len() as u64) < most && join.next(self).await? {
            let key = Key::from(join.key().expect("rows of tables have keys"));
            let by = self.order_values(&target.order, &join.rows(), known).await?;
            memory.take(size_of::<Found>() + by.as_bytes().len() + key.len())?;
            rows.push((by, key));
        }
        if !target.order.is_empty() {
            self.note_sort(rows.len(), Some(&target.source));
            rows.sort_by(|(a, _), (b, _)| a.cmp(b));
        }
        Ok(rows)
    }

    /// The next row to be changed; `again` if the statement may have changed it already, and no more mean it.
    pub(super) async fn next_target(
        &mut self,
        target: &Target,
        targets: &mut Targets,
        again: bool,
        known: Known<'_>,
    ) -> Result<Option<(Key, Row)>> {
        let keys = match targets {
            Targets::One(one) => return Ok(one.take()),
            Targets::Many(keys) => keys,
        };
        for key in keys {
            self.turns.tick().await;
            if let Some(row) = self.read_target(target, &key, again, known).await? {
                return Ok(Some((key, row)));
            }
        }
        Ok(None)
    }

    /// Reads a locked row, if it is there and, as far as it is asked again, meant.
    async fn read_target(
        &mut self,
        target: &Target,
        key: &[u8],
        again: bool,
        known: Known<'_>,
    ) -> Result<Option<Row>> {
        let Some(row) = self.trx.get_newest(key).map_err(engine_error)? else { return Ok(None) };
        if !again {
            return Ok(Some(row));
        }
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

    /// The value of LIMIT or OFFSET. A parameter may be a text, as clients send numbers, or NULL.
    pub(super) fn limit(&mut self, limit: Option<&Expr>) -> Result<Option<u64>> {
        let Some(limit) = limit else { return Ok(None) };
        let inputs = self.inputs(&[], Known::NOTHING);
        let mut context = self.reading();
        match limit.eval(&inputs, &mut context)?.as_ref() {
            ValueRef::UInt(limit) => Ok(Some(limit)),
            ValueRef::Int(limit) if limit >= 0 => Ok(Some(limit as u64)),
            ValueRef::Null => Ok(Some(0)),
            text @ (ValueRef::Str(..) | ValueRef::Bytes(_)) => {
                let (negative, number) = parse_integer(&text.string_bytes().unwrap_or_default()).value;
                // As an unsigned number.
                Ok(Some(if negative { number.wrapping_neg() } else { number }))
            }
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
