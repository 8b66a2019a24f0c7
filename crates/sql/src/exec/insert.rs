//! INSERT and REPLACE.

use std::sync::atomic::Ordering;

use engine::catalog::table::Table;
use engine::ids::{Key, Row};
use engine::lock::Mode;
use types::row::Offsets;
use types::warning::{Level, Warnings};

use super::assign::{self, Given, Making};
use super::auto_increment::{self, AutoIncrement, Reserved};
use super::cursor::offsets;
use super::subquery::Collector;
use super::update::Around;
use super::{Changed, Exec, Inserted, Known, Result, Turns, duplicate, engine_error, foreign};
use crate::expr::{Ev, Expr, RowRef};
use crate::plan::{InsertPlan, InsertSource, OnDuplicate};

/// How an INSERT goes on over its rows.
#[derive(Debug, Default)]
pub(super) struct Progress {
    pub(super) rows: u64,
    affected: u64,
    duplicates: u64,
    /// Rows without a parent, under IGNORE.
    refused: u64,
    pub(super) turns: Turns,
    /// There may be several rows.
    many: bool,
    reserved: Reserved,
    first_generated: Option<u64>,
    /// What the AUTO_INCREMENT column of the last row that was inserted or changed holds.
    last_stored: Option<u64>,
    encoded: Vec<u8>,
}

/// What REPLACE did to the row in its way.
#[derive(Clone, Copy, Debug)]
enum Replaced {
    /// Nothing: it has gone by itself.
    Gone,
    /// It is no longer there.
    Removed,
    /// It has become the new row.
    Changed,
    /// It was the new row already.
    Equal,
}

impl Progress {
    /// The new row is there.
    fn note_new(&mut self, auto: &AutoIncrement) {
        self.affected += 1;
        self.first_generated = self.first_generated.or(auto.generated);
        self.last_stored = auto.stored;
    }
}

impl Exec<'_> {
    pub(super) async fn insert(&mut self, plan: &InsertPlan) -> Result<Changed> {
        let subqueries = self.subqueries(&plan.subqueries, &[], plan, true).await?;
        let known = subqueries.known(plan);
        let count = match &plan.source {
            InsertSource::Literals => self.params.row_literals.chunks(self.params.row_size).len(),
            InsertSource::Rows(rows) => rows.len(),
            InsertSource::Select(_) | InsertSource::File(_) => 0,
        };
        let reserved = Reserved::for_rows(count as u64);
        let mut progress = Progress { many: count != 1, reserved, ..Progress::default() };
        if !matches!(plan.source, InsertSource::Select(_)) {
            self.lookups.note_insert(plan);
        }
        match &plan.source {
            InsertSource::Literals => {
                let size = self.params.row_size;
                for row in self.params.row_literals.chunks(size) {
                    let values: Vec<Given<'_>> =
                        row.iter().map(|value| Given::Value(value.as_ref())).collect();
                    self.insert_values(plan, &values, known, &mut progress).await?;
                    progress.turns.tick().await;
                }
            }
            InsertSource::Rows(rows) => {
                for row in rows {
                    let values = self.evaluate_row(plan, row, known)?;
                    let given: Vec<Given<'_>> = values
                        .iter()
                        .map(|value| {
                            value.as_ref().map_or(Given::Default, |value| Given::Value(value.as_ref()))
                        })
                        .collect();
                    self.insert_values(plan, &given, known, &mut progress).await?;
                    progress.turns.tick().await;
                }
            }
            InsertSource::Select(select) => {
                // They become changes of the transaction, which have no bound either.
                let mut rows = Collector::new(self.session, usize::MAX);
                self.run_within(select, &[], &mut rows).await?;
                self.lookups.note_insert(plan);
                for row in &rows.rows {
                    // What else there is belongs to ON DUPLICATE KEY UPDATE.
                    let (row, outer) = row.split_at(plan.columns.len());
                    let known = known.given(outer);
                    let given: Vec<Given<'_>> =
                        row.iter().map(|value| Given::Value(value.as_ref())).collect();
                    self.insert_values(plan, &given, known, &mut progress).await?;
                    progress.turns.tick().await;
                }
            }
            InsertSource::File(file) => Box::pin(self.load(plan, file, known, &mut progress)).await?,
        }
        Ok(self.inserted(plan, &progress))
    }

    /// What `last_insert_id(expr)` was given in this statement: clients are told of that as of a generated value.
    pub(super) fn given_insert_id(&self) -> Option<u64> {
        let session = self.session;
        let is_given = session.last_insert_id_given.load(Ordering::Relaxed);
        is_given.then(|| session.last_insert_id.load(Ordering::Relaxed))
    }

    fn inserted(&self, plan: &InsertPlan, progress: &Progress) -> Changed {
        let is_file = matches!(plan.source, InsertSource::File(_));
        let many = progress.rows > 1 || is_file || matches!(plan.source, InsertSource::Select(_));
        let rows = progress.rows - progress.refused;
        let (duplicates, warnings) = (progress.duplicates, self.warnings.count());
        if let Some(first) = progress.first_generated {
            self.session.last_insert_id.store(first, Ordering::Relaxed);
        }
        Changed {
            matched: rows,
            affected: progress.affected,
            insert_id: progress
                .first_generated
                .or_else(|| self.given_insert_id())
                .or(progress.last_stored)
                .unwrap_or(0),
            generated: progress.first_generated.is_some(),
            info: many.then(|| match &plan.on_duplicate {
                OnDuplicate::Replace if is_file => {
                    format!("Records: {rows}  Deleted: {duplicates}  Skipped: 0  Warnings: {warnings}")
                }
                _ if is_file => {
                    format!("Records: {rows}  Deleted: 0  Skipped: {duplicates}  Warnings: {warnings}")
                }
                _ => format!("Records: {rows}  Duplicates: {duplicates}  Warnings: {warnings}"),
            }),
        }
    }

    /// What a row's expressions are. A column that one of them reads holds its default, or what was given before.
    fn evaluate_row<'r>(
        &mut self,
        plan: &InsertPlan,
        row: &'r [Option<Expr>],
        known: Known<'r>,
    ) -> Result<Vec<Option<Ev<'r>>>>
    where
        Self: 'r,
    {
        let table = &*plan.table;
        let reads_columns = row.iter().flatten().any(|expr| expr.last_source().is_some());
        let mut current =
            if reads_columns { assign::row_of_defaults(table, self.session)? } else { Vec::new() };
        let mut values = Vec::with_capacity(row.len());
        for (expr, place) in row.iter().zip(&plan.columns) {
            let Some(expr) = expr else {
                values.push(None);
                continue;
            };
            let offsets = if reads_columns { offsets(table, &current)? } else { Offsets::default() };
            let so_far = RowRef::Stored { layout: &table.rows, row: &current, offsets: &offsets };
            let rows = [if reads_columns { so_far } else { RowRef::Missing }];
            let inputs = self.inputs(&rows, known);
            let mut context = self.session.writing(self.warnings);
            context.strict &= !plan.ignore;
            let value = expr.eval(&inputs, &mut context)?.into_value();
            if reads_columns {
                let (mut next, mut warnings) = (Vec::new(), Warnings::default());
                let context = &mut assign::leniently(self.session, &mut warnings);
                let given = Some(value.as_ref());
                assign::replace_column(table, &current, *place, given, self.session, context, &mut next)?;
                current = next;
            }
            values.push(Some(Ev::Own(value)));
        }
        Ok(values)
    }

    async fn insert_values(
        &mut self,
        plan: &InsertPlan,
        values: &[Given<'_>],
        known: Known<'_>,
        progress: &mut Progress,
    ) -> Result<()> {
        let mut given = vec![Given::Default; plan.table.def.columns.len()];
        for (column, value) in plan.columns.iter().zip(values) {
            given[*column] = value.clone();
        }
        self.insert_given(plan, &given, known, progress).await
    }

    /// Inserts a row of what each column is given.
    pub(super) async fn insert_given(
        &mut self,
        plan: &InsertPlan,
        given: &[Given<'_>],
        known: Known<'_>,
        progress: &mut Progress,
    ) -> Result<()> {
        let table = &*plan.table;
        progress.rows += 1;
        let mut context = self.session.writing(self.warnings);
        context.strict &= !plan.ignore;
        context.row = progress.rows;
        context.null_becomes_default = progress.many || plan.ignore;
        let Progress { encoded, reserved, .. } = progress;
        let mut making = Making { trx: self.trx, session: self.session, reserved };
        let auto = assign::new_row(table, given, &mut making, &mut context, encoded)?;
        if let Some(rules) = &plan.rules {
            let is_given = |column: usize| !matches!(given[column], Given::Default);
            rules.compute(encoded, self.session, &mut context, is_given)?;
        }
        let row = Row::from(&progress.encoded[..]);
        self.insert_row(plan, row, auto, known, progress).await
    }

    async fn insert_row(
        &mut self,
        plan: &InsertPlan,
        row: Row,
        auto: AutoIncrement,
        known: Known<'_>,
        progress: &mut Progress,
    ) -> Result<()> {
        let table = &*plan.table;
        loop {
            let (relations, rules) = (plan.relations.as_deref(), plan.rules.as_deref());
            let mut changes = self.changes(relations, rules, &mut progress.turns);
            let index = match changes.insert(table, &row).await {
                Ok(Inserted::Done) => {
                    self.use_given(table, &auto);
                    progress.note_new(&auto);
                    return Ok(());
                }
                Ok(Inserted::Duplicate(index)) => index,
                Err(error) if plan.ignore && foreign::is_violation(&error) => {
                    progress.refused += 1;
                    self.warnings.push_error(Level::Warning, &error);
                    return Ok(());
                }
                Err(error) => return Err(error),
            };
            let is_replaced = matches!(plan.on_duplicate, OnDuplicate::Replace);
            if let (Some(value), false) = (auto.generated, is_replaced) {
                progress.reserved.give_back(value);
            }
            // As in InnoDB.
            if is_replaced || matches!(plan.source, InsertSource::Select(_) | InsertSource::File(_)) {
                self.use_given(table, &auto);
            }
            let error = || duplicate::error(table, &row, index, self.session.time_zone());
            match &plan.on_duplicate {
                OnDuplicate::Error if plan.ignore => {
                    progress.duplicates += 1;
                    let error = error();
                    self.warnings.push_error(Level::Warning, &error);
                    return Ok(());
                }
                OnDuplicate::Error => return Err(error()),
                OnDuplicate::Replace => {
                    let replaced = Box::pin(self.replace_duplicate(plan, &row, index, &mut progress.turns));
                    let replaced = replaced.await?;
                    let counts = u64::from(matches!(replaced, Replaced::Removed | Replaced::Changed));
                    progress.affected += counts;
                    progress.duplicates += counts;
                    if matches!(replaced, Replaced::Changed | Replaced::Equal) {
                        progress.note_new(&auto);
                        return Ok(());
                    }
                }
                OnDuplicate::Update(_) => {
                    if Box::pin(self.update_duplicate(plan, &row, index, known, progress)).await? {
                        return Ok(());
                    }
                }
            }
        }
    }

    /// Generated values are greater than one that was given, from now on.
    fn use_given(&mut self, table: &Table, auto: &AutoIncrement) {
        if let Some(given) = auto.given {
            self.trx.use_auto_increment(table, given);
        }
    }

    /// REPLACE, of the row in the way. As in MySQL it becomes the new row in place, and that is how it is logged, if no other
    /// row can be in the way and none refers to it.
    async fn replace_duplicate(
        &mut self,
        plan: &InsertPlan,
        row: &Row,
        index: usize,
        turns: &mut Turns,
    ) -> Result<Replaced> {
        let table = &*plan.table;
        let Some((key, old)) = self.row_in_the_way(table, row, index).await? else {
            return Ok(Replaced::Gone);
        };
        let relations = plan.relations.as_deref();
        let is_last = !table.def.indexes[index + 1..].iter().any(|index| index.kind.is_unique());
        if !is_last || relations.is_some_and(|relations| !relations.children(0).is_empty()) {
            self.changes(relations, None, turns).delete(table, &key, &old, Some(row)).await?;
            return Ok(Replaced::Removed);
        }
        if old == *row {
            return Ok(Replaced::Equal);
        }
        self.changes(relations, plan.rules.as_deref(), turns).update(table, &key, &old, row).await?;
        Ok(Replaced::Changed)
    }

    /// The row that has a new row's key in an index, with its own key, locked. `None` if it has gone by itself.
    async fn row_in_the_way(
        &mut self,
        table: &Table,
        row: &[u8],
        index: usize,
    ) -> Result<Option<(Key, Row)>> {
        let Some(key) = self.trx.find_duplicate(table, row, index).map_err(engine_error)? else {
            return Ok(None);
        };
        self.trx.lock_row(&key, Mode::Exclusive).await.map_err(engine_error)?;
        let row = self.trx.get_newest(&key).map_err(engine_error)?;
        Ok(row.map(|row| (key, row)))
    }

    /// ON DUPLICATE KEY UPDATE. False if the row in the way has gone by itself.
    async fn update_duplicate(
        &mut self,
        plan: &InsertPlan,
        row: &[u8],
        index: usize,
        known: Known<'_>,
        progress: &mut Progress,
    ) -> Result<bool> {
        let table = &*plan.table;
        let OnDuplicate::Update(assignments) = &plan.on_duplicate else { return Ok(false) };
        let Some((key, before)) = self.row_in_the_way(table, row, index).await? else { return Ok(false) };
        let offsets = offsets(table, row)?;
        let candidate = RowRef::Stored { layout: &table.rows, row, offsets: &offsets };
        let null_becomes_default = progress.many || plan.ignore;
        let around = Around { candidate, null_becomes_default, ..Around::NOTHING };
        let mut after =
            self.assign_all(table, assignments, &before, around, known, progress.rows, plan.ignore).await?;
        self.compute_changed(plan.rules.as_deref(), &before, &mut after, progress.rows, plan.ignore)?;
        if after == *before {
            // A client that asks for rows found is told of this one.
            progress.affected += u64::from(self.found_rows);
            progress.duplicates += u64::from(plan.ignore || self.found_rows);
            return Ok(true);
        }
        let after = Row::from(after);
        let (relations, rules) = (plan.relations.as_deref(), plan.rules.as_deref());
        let mut changes = self.changes(relations, rules, &mut progress.turns);
        let done = changes.update(table, &key, &before, &after).await;
        let is_changed = self.unless_ignored(done, plan.ignore)?;
        if is_changed {
            // The changed row counts twice, so that a client can tell it from a new one.
            progress.affected += 2;
            // As in MySQL, INSERT .. SELECT tells only of rows that are new.
            if !matches!(plan.source, InsertSource::Select(_)) {
                progress.last_stored = auto_increment::stored_in(table, &after, self.session)?;
            }
        }
        // Under IGNORE those count that did nothing.
        progress.duplicates += u64::from(is_changed != plan.ignore);
        Ok(true)
    }
}
