//! What follows from the change of a parent: it is refused, or its children change too, and theirs in turn.

use std::collections::HashSet;

use engine::EngineError;
use engine::catalog::def::ReferentialAction;
use engine::ids::{Key, Row};
use engine::trx::Trx;
use types::error::table::ER_FK_DEPTH_EXCEEDED;
use types::temporal::TimeZone;
use types::warning::Warnings;

use super::super::{BoxFuture, Result, Turns, engine_error};
use super::matching::{DoesNotFit, Opened, finds_one};
use super::{RowChanges, error};
use crate::plan::{ChildKey, Relations};
use crate::session::Session;

/// How many rows may change one because of another, the first one included.
const DEPTH_MAX: usize = 15;

/// See the module.
pub(super) struct Cascade<'a> {
    pub(super) relations: &'a Relations,
    pub(super) trx: &'a mut Trx,
    pub(super) turns: &'a mut Turns,
    /// What has changed, in this order.
    pub(super) followed: Vec<Followed>,
    session: &'a Session,
    /// [`RowChanges::strict_rules`]
    strict_rules: bool,
    time_zone: &'a TimeZone,
    /// The changes that led to the present one.
    chain: Vec<Step>,
}

/// A row that changed because of its parent.
#[derive(Debug)]
pub(super) struct Followed {
    /// Its table's place.
    pub(super) place: usize,
    /// What it was.
    pub(super) before: Row,
    /// What it is; `None` if it was removed.
    pub(super) after: Option<Row>,
}

/// The change of a parent.
#[derive(Clone, Copy, Debug)]
pub(super) enum Cause<'r> {
    Update {
        before: &'r [u8],
        after: &'r [u8],
    },
    Delete {
        before: &'r [u8],
        /// What takes its place at once.
        replacement: Option<&'r [u8]>,
    },
}

/// A change of a row of this table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    Update(usize),
    Delete,
}

impl<'r> Cause<'r> {
    fn before(self) -> &'r [u8] {
        let (Self::Update { before, .. } | Self::Delete { before, .. }) = self;
        before
    }

    /// What there is afterwards in its place.
    fn after(self) -> Option<&'r [u8]> {
        match self {
            Self::Update { after, .. } => Some(after),
            Self::Delete { replacement, .. } => replacement,
        }
    }

    fn step(self, place: usize) -> Step {
        match self {
            Self::Update { .. } => Step::Update(place),
            Self::Delete { .. } => Step::Delete,
        }
    }
}

impl<'a> Cascade<'a> {
    pub(super) fn new(relations: &'a Relations, changes: &'a mut RowChanges<'_>) -> Self {
        Self {
            relations,
            trx: &mut *changes.trx,
            turns: &mut *changes.turns,
            followed: Vec::new(),
            session: changes.session,
            strict_rules: changes.strict_rules,
            time_zone: changes.time_zone,
            chain: Vec::new(),
        }
    }

    /// Fails if a parent may not change so: error 1451.
    pub(super) async fn refuse(&mut self, place: usize, cause: Cause<'_>) -> Result<()> {
        let relations = self.relations;
        for child in relations.children(place) {
            if !self.action(place, child, cause).refuses() {
                continue;
            }
            if let Some(key) = self.lost_key(place, child, cause)?
                && self.lock_one(child.child, child.finder, &key, None).await?
            {
                return Err(self.is_parent(child));
            }
        }
        Ok(())
    }

    /// Changes what depends on a parent that has changed.
    pub(super) async fn follow(&mut self, place: usize, cause: Cause<'_>) -> Result<()> {
        self.chain.push(cause.step(place));
        let relations = self.relations;
        for child in relations.children(place) {
            let action = self.action(place, child, cause);
            if action.refuses() {
                continue;
            }
            let Some(key) = self.lost_key(place, child, cause)? else { continue };
            self.follow_to(place, child, (action, cause), &key).await?;
        }
        self.chain.pop();
        Ok(())
    }

    /// Changes the children that have a key.
    async fn follow_to(
        &mut self,
        place: usize,
        child: &ChildKey,
        (action, cause): (ReferentialAction, Cause<'_>),
        key: &[u8],
    ) -> Result<()> {
        let mut done: HashSet<Key> = HashSet::new();
        loop {
            let mut has_moved = false;
            for row_key in self.find(child.child, child.finder, key).await? {
                self.turns.tick().await;
                if done.contains(&row_key) {
                    continue;
                }
                let Some(row) = self.lock_found(child.child, child.finder, key, &row_key).await? else {
                    has_moved = true;
                    continue;
                };
                if self.chain.len() >= DEPTH_MAX {
                    return Err(ER_FK_DEPTH_EXCEEDED.error(&[&DEPTH_MAX]));
                }
                match cause {
                    Cause::Delete { .. } if action == ReferentialAction::Cascade => {
                        self.delete_child(child, &row_key, row).await?;
                    }
                    _ => self.update_child(place, child, cause, (&row_key, row)).await?,
                }
                done.insert(row_key);
            }
            // It may be elsewhere now, where nobody has looked.
            if !has_moved || finds_one(self.relations.table(child.child), child.finder) {
                return Ok(());
            }
        }
    }

    /// What a change of a parent means for its children. An update that would come back to a table that is being
    /// updated already is refused, as InnoDB does it.
    fn action(&self, place: usize, child: &ChildKey, cause: Cause<'_>) -> ReferentialAction {
        let of = &self.relations.table(child.child).def.foreign_keys[child.key];
        let action = match cause {
            Cause::Update { .. } => of.on_update,
            Cause::Delete { .. } => of.on_delete,
        };
        let updates = !matches!((cause, action), (Cause::Delete { .. }, ReferentialAction::Cascade));
        let back = Step::Update(child.child);
        if updates && (self.chain.contains(&back) || cause.step(place) == back) {
            return ReferentialAction::Restrict;
        }
        action
    }

    /// The key of a parent's children, if it no longer has the values that are theirs. Other bytes are another value, even
    /// if both are equal in a collation, as in InnoDB.
    fn lost_key(&self, place: usize, child: &ChildKey, cause: Cause<'_>) -> Result<Option<Vec<u8>>> {
        let parents = self.relations.table(place);
        let before = Opened::new(parents, cause.before())?;
        if let Some(after) = cause.after() {
            let after = Opened::new(parents, after)?;
            if child.columns.iter().all(|column| before.stored(*column) == after.stored(*column)) {
                return Ok(None);
            }
        }
        Ok(before.key_in(self.relations.table(child.child), child.finder, &child.columns))
    }

    fn delete_child<'f>(
        &'f mut self,
        child: &'f ChildKey,
        key: &'f [u8],
        row: Row,
    ) -> BoxFuture<'f, Result<()>> {
        Box::pin(async move {
            let place = child.child;
            let cause = Cause::Delete { before: &row, replacement: None };
            self.refuse(place, cause).await?;
            self.trx.delete_row(self.relations.table(place), key, &row).await.map_err(engine_error)?;
            self.followed.push(Followed { place, before: Row::clone(&row), after: None });
            self.follow(place, cause).await
        })
    }

    fn update_child<'f>(
        &'f mut self,
        parent: usize,
        child: &'f ChildKey,
        because: Cause<'f>,
        (key, before): (&'f [u8], Row),
    ) -> BoxFuture<'f, Result<()>> {
        Box::pin(async move {
            let place = child.child;
            let after = self.following_row(parent, child, because, &before)?;
            let cause = Cause::Update { before: &before, after: &after };
            self.check_parents(place, Some((key, &before)), &after, true).await?;
            self.refuse(place, cause).await?;
            let table = self.relations.table(place);
            match self.trx.update_row(table, key, &before, Row::clone(&after)).await {
                Ok(_) => {}
                Err(EngineError::Duplicate { index }) => {
                    let row = because.after().unwrap_or(because.before());
                    let parent = (&**self.relations.table(parent), row, &child.columns[..]);
                    return Err(error::duplicate(parent, (table, index), self.time_zone));
                }
                Err(error) => return Err(engine_error(error)),
            }
            let (old, new) = (Row::clone(&before), Row::clone(&after));
            self.followed.push(Followed { place, before: old, after: Some(new) });
            self.follow(place, cause).await
        })
    }

    /// A child as it follows its parent. Error 1451 if its columns cannot hold that.
    fn following_row(&self, parent: usize, child: &ChildKey, because: Cause<'_>, row: &[u8]) -> Result<Row> {
        let table = self.relations.table(child.child);
        let columns = &table.def.foreign_keys[child.key].columns;
        let before = row;
        let row = Opened::new(table, row)?;
        let parents = self.relations.table(parent);
        let after = match because {
            Cause::Update { after, .. } if self.cascades_update(child) => {
                row.following(columns, Some((&Opened::new(parents, after)?, &child.columns)))
            }
            _ => row.following(columns, None),
        };
        let mut after = after.map_err(|DoesNotFit| self.is_parent(child))?;
        if let Some(rules) = self.relations.computed(child.child) {
            let mut warnings = Warnings::default();
            let mut context = self.session.writing(&mut warnings);
            context.strict &= self.strict_rules;
            context.null_becomes_default = true;
            rules.compute_changed(before, &mut after, self.session, &mut context)?;
        }
        Ok(after.into())
    }

    fn cascades_update(&self, child: &ChildKey) -> bool {
        self.relations.table(child.child).def.foreign_keys[child.key].on_update == ReferentialAction::Cascade
    }

    fn is_parent(&self, child: &ChildKey) -> types::error::SqlError {
        let table = self.relations.table(child.child);
        error::is_parent(table, &table.def.foreign_keys[child.key])
    }
}
