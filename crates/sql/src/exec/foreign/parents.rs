//! Whether rows have parents, and the search for rows by a key.

use engine::EngineError;
use engine::ids::{Key, Row};
use engine::lock::{LockId, Mode};
use engine::rows::row_key_of_entry;
use engine::scan::{Direction, KeyRange};

use super::super::cursor::damaged;
use super::super::moment::newest_moment;
use super::super::{Result, engine_error};
use super::cascade::Cascade;
use super::error;
use super::matching::{Opened, finds_one};
use crate::plan::{Finder, IndexRef};

/// Moments at which rows are looked for, one after another, before a search fails with error 1412.
const MOMENTS_MAX: u32 = 10;

/// What became of a row that was found without a lock.
enum Looked {
    /// It is as it was found.
    Still(Row),
    /// It is gone, or another.
    Changed,
}

impl Cascade<'_> {
    /// Looks for the parents that a row needs, and locks them. `before` is its key and what it replaces, whose parents
    /// may stay; they need not be there, as after `foreign_key_checks=0`. Error 1452 if new ones must be there; they are locked in any
    /// case, for whoever removes a parent looks for children that are committed.
    pub(super) async fn check_parents(
        &mut self,
        place: usize,
        before: Option<(&[u8], &[u8])>,
        after: &[u8],
        must_be_there: bool,
    ) -> Result<()> {
        let relations = self.relations;
        if relations.parents(place).is_empty() {
            return Ok(());
        }
        let table = relations.table(place);
        let new = Opened::new(table, after)?;
        let old = before.map(|(_, before)| Opened::new(table, before)).transpose()?;
        for parent in relations.parents(place) {
            let of = &table.def.foreign_keys[parent.key];
            let differs =
                |column: &u16| old.as_ref().is_none_or(|old| old.stored(*column) != new.stored(*column));
            if !parent.found_by.iter().any(differs)
                || of.columns.iter().any(|column| new.stored(*column).is_none())
            {
                continue;
            }
            let is_there = match parent.parent {
                Some((parents, finder)) => {
                    match new.key_in(relations.table(parents), finder, &of.columns) {
                        // A row may be its own parent.
                        Some(key) if parents == place && new.own_key(finder).as_ref() == Some(&key) => true,
                        Some(key) => self.lock_one(parents, finder, &key, before.map(|(key, _)| key)).await?,
                        None => false,
                    }
                }
                None => false,
            };
            if must_be_there && !is_there && of.columns.iter().any(differs) {
                return Err(error::no_parent(table, of));
            }
        }
        Ok(())
    }

    /// Locks a row with a key shared, unless it is the one `but`. Returns whether there is one.
    pub(super) async fn lock_one(
        &mut self,
        place: usize,
        finder: Finder,
        key: &[u8],
        but: Option<&[u8]>,
    ) -> Result<bool> {
        loop {
            let mut has_changed = false;
            for row_key in self.find(place, finder, key).await? {
                if but.is_some_and(|but| *but == *row_key) {
                    continue;
                }
                match self.lock_and_look(place, finder, key, &row_key, Mode::Shared).await? {
                    Looked::Still(_) => return Ok(true),
                    Looked::Changed => has_changed = true,
                }
            }
            // What was in the way may have left another row with this key behind, where nobody looked.
            if !has_changed || finds_one(self.relations.table(place), finder) {
                return Ok(false);
            }
        }
    }

    /// Locks a row that was found exclusively. `None` if it is gone, or has another key.
    pub(super) async fn lock_found(
        &mut self,
        place: usize,
        finder: Finder,
        key: &[u8],
        row_key: &[u8],
    ) -> Result<Option<Row>> {
        Ok(match self.lock_and_look(place, finder, key, row_key, Mode::Exclusive).await? {
            Looked::Still(row) => Some(row),
            Looked::Changed => None,
        })
    }

    /// The keys of the rows that a key of an index leads to, without locks: at the newest moment, for a row that another
    /// commit moves is at one of its places then, and not at neither.
    pub(super) async fn find(&mut self, place: usize, finder: Finder, key: &[u8]) -> Result<Vec<Key>> {
        let table = self.relations.table(place);
        if finds_one(table, finder) {
            return Ok(vec![Key::from(key)]);
        }
        let mut found = Vec::new();
        let range = KeyRange::prefix(key);
        let mut moments = 1;
        let moment = newest_moment(self.trx).await;
        let mut scan = self.trx.scan_at(&range, Direction::Forward, &moment).map_err(engine_error)?;
        loop {
            let entry = match scan.next_version() {
                Ok(Some(entry)) => entry,
                Ok(None) => return Ok(found),
                // Others have written so much that the moment was given up.
                Err(EngineError::SnapshotTooOld) if moments < MOMENTS_MAX => {
                    moments += 1;
                    found.clear();
                    let moment = newest_moment(self.trx).await;
                    scan = self.trx.scan_at(&range, Direction::Forward, &moment).map_err(engine_error)?;
                    continue;
                }
                Err(error) => return Err(engine_error(error)),
            };
            self.trx.note_seen(entry.seq);
            let Some(row) = entry.row else { continue };
            found.push(match finder.index {
                IndexRef::Primary => entry.key,
                IndexRef::Secondary(_) => {
                    row_key_of_entry(table, &entry.key, &row).ok_or_else(|| damaged(table))?.into()
                }
            });
            self.turns.tick().await;
        }
    }

    async fn lock_and_look(
        &mut self,
        place: usize,
        finder: Finder,
        key: &[u8],
        row_key: &[u8],
        mode: Mode,
    ) -> Result<Looked> {
        let held = self.trx.holds(LockId::of_key(row_key), Mode::Shared);
        self.trx.lock_row(row_key, mode).await.map_err(engine_error)?;
        if let Some(row) = self.trx.get_newest(row_key).map_err(engine_error)?
            && Opened::new(self.relations.table(place), &row)?.own_key(finder).as_deref() == Some(key)
        {
            return Ok(Looked::Still(row));
        }
        // Kept, a lock of one of the places that a row moves between would be in the way of who moves it back.
        let is_named = finds_one(self.relations.table(place), finder);
        self.trx.let_go(row_key, held, is_named);
        Ok(Looked::Changed)
    }
}
