//! INSERT and REPLACE.

use std::sync::atomic::Ordering;

use engine::ids::Row;
use engine::lock::Mode;
use types::warning::Level;

use super::assign::{self, AutoIncrement, Given};
use super::cursor::offsets;
use super::subquery::Collector;
use super::update::Around;
use super::{Changed, Exec, Inserted, Known, Result, Turns, duplicate, engine_error, foreign};
use crate::expr::{Ev, Expr, RowRef};
use crate::plan::{InsertPlan, InsertSource, OnDuplicate};

/// How an INSERT goes on over its rows.
#[derive(Debug, Default)]
struct Progress {
    rows: u64,
    affected: u64,
    duplicates: u64,
    /// Rows without a parent, under IGNORE.
    refused: u64,
    turns: Turns,
    first_generated: Option<u64>,
    last_given: Option<u64>,
    encoded: Vec<u8>,
}

impl Exec<'_> {
    pub(super) async fn insert(&mut self, plan: &InsertPlan) -> Result<Changed> {
        let subqueries = self.subqueries(&plan.subqueries, &[], plan).await?;
        let known = subqueries.known(plan);
        let mut progress = Progress::default();
        match &plan.source {
            InsertSource::Literals => {
                let size = self.params.row_size;
                let many = self.params.row_literals.len() > size;
                for row in self.params.row_literals.chunks(size) {
                    let values: Vec<Given<'_>> =
                        row.iter().map(|value| Given::Value(value.as_ref())).collect();
                    self.insert_values(plan, &values, many, known, &mut progress).await?;
                    progress.turns.tick().await;
                }
            }
            InsertSource::Rows(rows) => {
                for row in rows {
                    let values = self.evaluate_row(row, known)?;
                    let given: Vec<Given<'_>> = values
                        .iter()
                        .map(|value| {
                            value.as_ref().map_or(Given::Default, |value| Given::Value(value.as_ref()))
                        })
                        .collect();
                    self.insert_values(plan, &given, rows.len() > 1, known, &mut progress).await?;
                    progress.turns.tick().await;
                }
            }
            InsertSource::Select(select) => {
                // They become changes of the transaction, which have no bound either.
                let mut rows = Collector::new(self.session, usize::MAX);
                self.run_within(select, &[], &mut rows).await?;
                for row in &rows.rows {
                    // What else there is belongs to ON DUPLICATE KEY UPDATE.
                    let (row, outer) = row.split_at(plan.columns.len());
                    let known = known.given(outer);
                    let given: Vec<Given<'_>> =
                        row.iter().map(|value| Given::Value(value.as_ref())).collect();
                    self.insert_values(plan, &given, true, known, &mut progress).await?;
                    progress.turns.tick().await;
                }
            }
        }
        Ok(self.inserted(plan, &progress))
    }

    fn inserted(&self, plan: &InsertPlan, progress: &Progress) -> Changed {
        let many = progress.rows > 1 || matches!(plan.source, InsertSource::Select(_));
        let rows = progress.rows - progress.refused;
        let (duplicates, warnings) = (progress.duplicates, self.warnings.count());
        if let Some(first) = progress.first_generated {
            self.session.last_insert_id.store(first, Ordering::Relaxed);
        }
        Changed {
            matched: rows,
            affected: progress.affected,
            insert_id: progress.first_generated.or(progress.last_given).unwrap_or(0),
            generated: progress.first_generated.is_some(),
            info: many.then(|| format!("Records: {rows}  Duplicates: {duplicates}  Warnings: {warnings}")),
        }
    }

    fn evaluate_row<'r>(&mut self, row: &'r [Option<Expr>], known: Known<'r>) -> Result<Vec<Option<Ev<'r>>>>
    where
        Self: 'r,
    {
        let mut values = Vec::with_capacity(row.len());
        for expr in row {
            let inputs = self.inputs(&[RowRef::Missing], known);
            let mut context = self.session.writing(self.warnings);
            values.push(match expr {
                Some(expr) => Some(Ev::Own(expr.eval(&inputs, &mut context)?.into_value())),
                None => None,
            });
        }
        Ok(values)
    }

    async fn insert_values(
        &mut self,
        plan: &InsertPlan,
        values: &[Given<'_>],
        many: bool,
        known: Known<'_>,
        progress: &mut Progress,
    ) -> Result<()> {
        let table = &*plan.table;
        progress.rows += 1;
        let mut given = vec![Given::Default; table.def.columns.len()];
        for (column, value) in plan.columns.iter().zip(values) {
            given[*column] = value.clone();
        }
        let mut context = self.session.writing(self.warnings);
        context.strict &= !plan.ignore;
        context.row = progress.rows;
        context.null_becomes_default = many || plan.ignore;
        let encoded = &mut progress.encoded;
        let auto = assign::new_row(table, &given, self.trx, self.session, &mut context, encoded)?;
        if let Some(rules) = &plan.rules {
            let is_given = |column: usize| matches!(given[column], Given::Value(_));
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
                    progress.affected += 1;
                    progress.first_generated = progress.first_generated.or(auto.generated);
                    progress.last_given = auto.given.or(progress.last_given);
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
            progress.duplicates += 1;
            let error = || duplicate::error(table, &row, index, &self.session.time_zone);
            match &plan.on_duplicate {
                OnDuplicate::Error if plan.ignore => {
                    let error = error();
                    self.warnings.push_error(Level::Warning, &error);
                    return Ok(());
                }
                OnDuplicate::Error => return Err(error()),
                OnDuplicate::Replace => {
                    if Box::pin(self.remove_duplicate(plan, &row, index, &mut progress.turns)).await? {
                        progress.affected += 1;
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

    /// REPLACE: removes the row in the way. False if it has gone by itself.
    async fn remove_duplicate(
        &mut self,
        plan: &InsertPlan,
        row: &[u8],
        index: usize,
        turns: &mut Turns,
    ) -> Result<bool> {
        let table = &*plan.table;
        let Some(key) = self.trx.find_duplicate(table, row, index).map_err(engine_error)? else {
            return Ok(false);
        };
        self.trx.lock_row(&key, Mode::Exclusive).await.map_err(engine_error)?;
        let Some(old) = self.trx.get_newest(&key).map_err(engine_error)? else { return Ok(false) };
        self.changes(plan.relations.as_deref(), None, turns).delete(table, &key, &old, Some(row)).await?;
        Ok(true)
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
        let Some(key) = self.trx.find_duplicate(table, row, index).map_err(engine_error)? else {
            return Ok(false);
        };
        self.trx.lock_row(&key, Mode::Exclusive).await.map_err(engine_error)?;
        let Some(before) = self.trx.get_newest(&key).map_err(engine_error)? else { return Ok(false) };
        let offsets = offsets(table, row)?;
        let candidate = RowRef::Stored { layout: &table.rows, row, offsets: &offsets };
        let around = Around { candidate, ..Around::NOTHING };
        let mut after =
            self.assign_all(table, assignments, &before, around, known, progress.rows, plan.ignore).await?;
        self.compute_changed(plan.rules.as_deref(), &before, &mut after, progress.rows, plan.ignore)?;
        if after == *before {
            return Ok(true);
        }
        let after = Row::from(after);
        let (relations, rules) = (plan.relations.as_deref(), plan.rules.as_deref());
        let mut changes = self.changes(relations, rules, &mut progress.turns);
        match changes.update(table, &key, &before, &after).await {
            // The changed row counts twice, so that a client can tell it from a new one.
            Ok(()) => progress.affected += 2,
            Err(error) if plan.ignore && foreign::is_violation(&error) => {
                self.warnings.push_error(Level::Warning, &error);
            }
            Err(error) => return Err(error),
        }
        Ok(true)
    }
}
