//! Rows of tables, changed as checks and foreign keys allow, with what follows from it, and logged.
//!
//! A row's parents are looked for in the newest state, and locked shared: they stay until the transaction ends. Whoever
//! takes a parent away holds its row exclusively when he looks for children, so there are none that he does not see.
//! That needs a child's entries to stay where they are meanwhile: an update that moves them, even if it leaves the
//! key's columns alone, takes the parent's lock too.
//!
//! Order, as MySQL has it: what refuses the change is looked at first, then the row is changed, then what follows from
//! it; in the log a row stands behind what followed from it.

mod cascade;
mod error;
mod existing;
mod matching;
mod parents;

use engine::EngineError;
use engine::catalog::table::Table;
use engine::ids::Row;
use engine::trx::Trx;
use types::temporal::TimeZone;

use super::{Result, RowLog, Turns, duplicate, engine_error};
use crate::plan::{Relations, RowRules};
use crate::session::Session;
use cascade::{Cascade, Cause, Followed};

pub(super) use error::is_violation;
pub use existing::check_existing;

/// What foreign keys do about changes of rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Enforce {
    /// Nothing: `foreign_key_checks=0`.
    Nothing,
    /// New values need parents. What becomes of the children of old ones is not asked.
    Parents,
    /// New values need parents, and children follow.
    Everything,
}

/// What became of a new row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub enum Inserted {
    /// It is there.
    Done,
    /// It is not: this index, by its place in the definition's list, has its key already.
    Duplicate(usize),
}

/// See the module. A change that fails leaves nothing behind.
pub struct RowChanges<'a> {
    /// The transaction.
    pub trx: &'a mut Trx,
    /// Where row changes go.
    pub log: &'a mut dyn RowLog,
    /// The relations of the table that is changed; its is the first of their tables.
    pub relations: Option<&'a Relations>,
    /// What that table says of its rows.
    pub rules: Option<&'a RowRules>,
    /// Whether rules are as strict as the session: not about rows that another server has let pass in a mode of its own.
    pub strict_rules: bool,
    /// What foreign keys do.
    pub enforce: Enforce,
    /// What rules know of who asks.
    pub session: &'a Session,
    /// In which times are written in errors.
    pub time_zone: &'a TimeZone,
    /// When others may run.
    pub turns: &'a mut Turns,
}

impl RowChanges<'_> {
    /// Adds a row. Errors 1452, 3819.
    pub async fn insert(&mut self, table: &Table, row: &Row) -> Result<Inserted> {
        self.verify(row)?;
        if let Some(relations) = self.relations {
            self.trx.note_related();
            let checks = self.enforce != Enforce::Nothing;
            Box::pin(self.cascade(relations).check_parents(0, None, row, checks)).await?;
        }
        match self.trx.insert_row(table, Row::clone(row)).await {
            Ok(_) => self.log.insert(table, row).map(|()| Inserted::Done),
            Err(EngineError::Duplicate { index }) => Ok(Inserted::Duplicate(index)),
            Err(error) => Err(engine_error(error)),
        }
    }

    /// Replaces a row that was read under its exclusive lock. Errors 1062, 1451, 1452, 1761, 3008, 3819.
    pub async fn update(&mut self, table: &Table, key: &[u8], before: &Row, after: &Row) -> Result<()> {
        self.verify(after)?;
        let Some(relations) = self.relations else {
            self.update_row(table, key, before, after).await?;
            return self.log.update(table, before, after);
        };
        let begun = self.trx.mark();
        let followed = Box::pin(self.update_related(relations, key, before, after)).await;
        let followed = followed.inspect_err(|_| self.trx.rollback_to(begun))?;
        self.log_followed(relations, &followed)?;
        // What is equal in a collation has children still, which MySQL 9.7 refuses in its applier.
        self.log.set_cascaded(!followed.is_empty());
        let logged = self.log.update(table, before, after);
        self.log.set_cascaded(false);
        logged
    }

    /// Removes a row that was read under its exclusive lock; `replacement` is what is about to take its place: those of
    /// its values that are there again are not missed. Errors 1451, 1452, 1761, 3008.
    pub async fn delete(
        &mut self,
        table: &Table,
        key: &[u8],
        before: &Row,
        replacement: Option<&[u8]>,
    ) -> Result<()> {
        let Some(relations) = self.relations else {
            self.trx.delete_row(table, key, before).await.map_err(engine_error)?;
            return self.log.delete(table, before);
        };
        let begun = self.trx.mark();
        let followed = Box::pin(self.delete_related(relations, key, before, replacement)).await;
        let followed = followed.inspect_err(|_| self.trx.rollback_to(begun))?;
        self.log_followed(relations, &followed)?;
        // Elsewhere children would follow that stay here.
        self.log.set_cascaded(replacement.is_some() && !relations.children(0).is_empty());
        let logged = self.log.delete(table, before);
        self.log.set_cascaded(false);
        logged
    }

    fn verify(&self, row: &[u8]) -> Result<()> {
        self.rules.map_or(Ok(()), |rules| rules.verify(row, self.session, self.strict_rules))
    }

    async fn update_related(
        &mut self,
        relations: &Relations,
        key: &[u8],
        before: &Row,
        after: &Row,
    ) -> Result<Vec<Followed>> {
        self.trx.note_related();
        let cause = Cause::Update { before, after };
        let enforce = self.enforce;
        let mut cascade = self.cascade(relations);
        cascade.check_parents(0, Some((key, before)), after, enforce != Enforce::Nothing).await?;
        if enforce == Enforce::Everything {
            cascade.refuse(0, cause).await?;
        }
        self.update_row(relations.table(0), key, before, after).await?;
        self.follow(relations, cause).await
    }

    async fn delete_related(
        &mut self,
        relations: &Relations,
        key: &[u8],
        before: &Row,
        replacement: Option<&[u8]>,
    ) -> Result<Vec<Followed>> {
        self.trx.note_related();
        let cause = Cause::Delete { before, replacement };
        if self.enforce == Enforce::Everything {
            self.cascade(relations).refuse(0, cause).await?;
        }
        self.trx.delete_row(relations.table(0), key, before).await.map_err(engine_error)?;
        self.follow(relations, cause).await
    }

    /// Has children follow the change of a row of the first table.
    async fn follow(&mut self, relations: &Relations, cause: Cause<'_>) -> Result<Vec<Followed>> {
        if self.enforce != Enforce::Everything || relations.children(0).is_empty() {
            return Ok(Vec::new());
        }
        let mut cascade = self.cascade(relations);
        cascade.follow(0, cause).await?;
        Ok(cascade.followed)
    }

    async fn update_row(&mut self, table: &Table, key: &[u8], before: &Row, after: &Row) -> Result<()> {
        match self.trx.update_row(table, key, before, Row::clone(after)).await {
            Ok(_) => Ok(()),
            Err(EngineError::Duplicate { index }) => {
                Err(duplicate::error(table, after, index, self.time_zone))
            }
            Err(error) => Err(engine_error(error)),
        }
    }

    fn log_followed(&mut self, relations: &Relations, followed: &[Followed]) -> Result<()> {
        if followed.is_empty() {
            return Ok(());
        }
        self.log.set_cascaded(true);
        let mut logged = followed.iter().map(|followed| {
            let table = relations.table(followed.place);
            match &followed.after {
                Some(after) => self.log.update(table, &followed.before, after),
                None => self.log.delete(table, &followed.before),
            }
        });
        let logged = logged.try_for_each(|logged| logged);
        self.log.set_cascaded(false);
        logged
    }

    fn cascade<'c>(&'c mut self, relations: &'c Relations) -> Cascade<'c> {
        Cascade::new(relations, self)
    }
}
