//! Rows events: each row is found by its primary key, else by a unique key without NULLs, else by all its columns.
//!
//! Without a key, the rows of an event are looked for together, in one pass over the table ([`super::search`]).

use std::borrow::Cow;
use std::cell::Cell;
use std::pin::pin;
use std::sync::Arc;

use binlog::event::{RowsKind, rows_flag};
use engine::catalog::def::{ColumnDef, DefaultValue, IndexPart};
use engine::catalog::table::{SecondaryIndex, Table};
use engine::ids::{Key, Row};
use engine::lock::Mode;
use engine::trx::Trx;
use replication::replica::{Field, RowReader, RowsBody};
use sql::exec::{Enforce, Inserted, RowChanges, RowLog, Turns, duplicate_error, engine_error};
use sql::plan::{ComputedKind, PlannedTable, Relations, RowRules};
use sql::session::Session;
use types::column::ColumnType;
use types::error::SqlError;
use types::error::table::{
    ER_AUTOINC_READ_FAILED, ER_BAD_NULL_ERROR, ER_KEY_NOT_FOUND, ER_TABLE_DEF_CHANGED,
};
use types::row::Offsets;
use types::store;
use types::temporal::TimeZone;
use types::value::ValueRef;
use types::warning::Warnings;

use super::super::row_log::StatementLog;
use super::super::{Client, count};
use super::search::Moved;
use super::table::{bad_event, image_error};
use super::{Mapped, Result};
use crate::ddl::copy::auto_increment_of;
use crate::replica::Tolerance;

/// Rows between looks at whether the worker is to stop, and turns of others.
pub(super) const ROWS_A_TURN: usize = 256;

impl Client {
    /// Applies a rows event to the table of its map.
    ///
    /// # Errors
    /// 1032 if a row is not there, 1062 if a new one is there already; unless that is tolerated.
    pub(crate) async fn apply_rows(
        &mut self,
        mapped: &Mapped,
        body: &RowsBody<'_>,
        tolerance: &Tolerance,
    ) -> Result<()> {
        self.transaction.trx.begin_statement();
        let kill = Arc::clone(&self.kill);
        kill.unless_killed(pin!(self.lock_mapped(mapped))).await?;
        if mapped.is_stale() {
            // Somebody here has changed it since: it is mapped anew at the next attempt.
            return Err(ER_TABLE_DEF_CHANGED.error(&[]));
        }
        let logs = self.logs();
        let (trx, cache) = self.transaction.parts();
        let (relations, enforce) = (mapped.relations.as_deref(), enforced(body));
        let makes_way = tolerance.is_idempotent && enforce != Enforce::Nothing;
        let follows = relations.filter(|_| enforce == Enforce::Everything || makes_way);
        let changed = follows.into_iter().flat_map(Relations::changed).map(|table| &**table).collect();
        let log = StatementLog::new(cache, &self.log, logs, follows.is_some(), changed);
        let mut log = log.with_flags(logged_flags(body, relations));
        let (table, reader) = (&*mapped.table, &mapped.reader);
        let turns = Turns::default();
        let (rules, session) = (mapped.rules.as_deref(), &self.sql);
        let is_xa = self.log.xa.is_some();
        let mut changes = Changes {
            table,
            reader,
            trx,
            log: &mut log,
            relations,
            rules,
            enforce,
            session,
            turns,
            tolerance,
            is_xa,
            not_null: Cell::new(None),
        };
        let done = kill.unless_killed(pin!(changes.apply(body))).await;
        count::add_rows(&self.counters, log.rows);
        log.end(done.is_ok());
        self.transaction.trx.end_statement();
        done
    }

    /// Takes the metadata locks of a table and of those that foreign keys lead to. Who makes the table has them.
    async fn lock_mapped(&mut self, mapped: &Mapped) -> Result<()> {
        if self.new_table.as_ref().is_some_and(|new| Arc::ptr_eq(&new.table, &mapped.table)) {
            return Ok(());
        }
        for PlannedTable { table, written, implied, .. } in &mapped.locks {
            if *implied {
                self.lock_related(table, *written).await?;
            } else {
                self.lock_table(table, *written).await?;
            }
        }
        Ok(())
    }
}

/// What foreign keys do about the rows of an event. A source that logs what follows from them has done it itself, and
/// has looked for children; another leaves it to its replicas.
fn enforced(body: &RowsBody<'_>) -> Enforce {
    if body.flags & rows_flag::NO_FOREIGN_KEY_CHECKS != 0 {
        Enforce::Nothing
    } else if body.flags & rows_flag::FOREIGN_KEYS_LOGGED != 0 {
        Enforce::Parents
    } else {
        Enforce::Everything
    }
}

/// The flags of the rows here, where everything that follows is logged.
fn logged_flags(body: &RowsBody<'_>, relations: Option<&Relations>) -> u16 {
    let source = body.flags & (rows_flag::NO_FOREIGN_KEY_CHECKS | rows_flag::FOREIGN_KEYS_LOGGED);
    if relations.is_some() { source | rows_flag::FOREIGN_KEYS_LOGGED } else { source }
}

/// The rows of one event on their way into a table.
pub(super) struct Changes<'a> {
    pub(super) table: &'a Table,
    reader: &'a RowReader,
    pub(super) trx: &'a mut Trx,
    log: &'a mut dyn RowLog,
    relations: Option<&'a Relations>,
    rules: Option<&'a RowRules>,
    enforce: Enforce,
    session: &'a Session,
    turns: Turns,
    tolerance: &'a Tolerance,
    is_xa: bool,
    /// A column that is NOT NULL here, and NULL in an image.
    not_null: Cell<Option<usize>>,
}

impl Changes<'_> {
    async fn apply(&mut self, body: &RowsBody<'_>) -> Result<()> {
        if body.columns != self.reader.source_columns() {
            return Err(bad_event(&"a rows event and its table map differ"));
        }
        if body.kind == RowsKind::Write && !has_columns(body.present, body.columns) {
            return self.insert_defaults(body).await;
        }
        let own = body.columns.min(self.table.def.columns.len());
        if body.kind == RowsKind::Update && !self.is_xa && !has_columns(body.present_after, own) {
            // What changes is not here, as in MySQL. An XA transaction is prepared for it all the same.
            return Ok(());
        }
        let by = if body.kind == RowsKind::Write { By::Primary } else { By::of(self.table, body) };
        if by == By::Search && !has_columns(body.present, own) {
            // Any row would do.
            return self.pass_over(ER_KEY_NOT_FOUND.error(&[&self.table.def.name]));
        }
        let mut found = match by {
            By::Search => self.search(body).await?.into_iter(),
            _ => Vec::new().into_iter(),
        };
        let mut images = body.images;
        let (mut fields, mut after) = (Vec::new(), Vec::new());
        let mut moved = Moved::default();
        while !images.is_empty() {
            self.read(body.present, &mut images, &mut fields)?;
            if body.kind == RowsKind::Update {
                self.read(body.present_after, &mut images, &mut after)?;
            }
            let seen = found.next().flatten();
            let done = match body.kind {
                RowsKind::Write => self.insert(&fields).await,
                RowsKind::Delete => self.delete(by, &fields, seen).await,
                RowsKind::Update => self.update(by, &fields, &after, seen, &mut moved).await,
            };
            done.or_else(|error| self.pass_over(error))?;
            self.turns.tick().await;
        }
        self.warn_of_nulls();
        Ok(())
    }

    /// A row of which the image has no column, and so no bytes (MINIMAL): there is one, as in MySQL.
    async fn insert_defaults(&mut self, body: &RowsBody<'_>) -> Result<()> {
        if !body.images.is_empty() {
            return Err(bad_event(&"there is more than its images have"));
        }
        let (mut images, mut fields) = (body.images, Vec::new());
        self.read(body.present, &mut images, &mut fields)?;
        self.insert(&fields).await.or_else(|error| self.pass_over(error))
    }

    /// Once an event: the two tables differ.
    fn warn_of_nulls(&self) {
        let Some(column) = self.not_null.get() else { return };
        let (db, name) = (&self.table.def.db, &self.table.def.name);
        let error = ER_BAD_NULL_ERROR.error(&[&self.table.def.columns[column].name]);
        tracing::warn!(
            code = error.code,
            "replication: {}: a row of {db}.{name} gets its default",
            error.message
        );
    }

    /// Goes on behind a row that cannot be changed, if that is tolerated.
    fn pass_over(&self, error: SqlError) -> Result<()> {
        if !self.tolerance.passes_row(&error) {
            return Err(error);
        }
        let (db, name) = (&self.table.def.db, &self.table.def.name);
        tracing::warn!(
            code = error.code,
            "replication: a row of {db}.{name} is passed over: {}",
            error.message
        );
        Ok(())
    }

    pub(super) fn read<'i>(
        &self,
        present: &[u8],
        images: &mut &'i [u8],
        fields: &mut Vec<Field<'i>>,
    ) -> Result<()> {
        self.reader.read(present, images, fields).map_err(|error| image_error(self.table, &error))
    }

    async fn insert(&mut self, fields: &[Field<'_>]) -> Result<()> {
        let table = self.table;
        let number = self.take_auto_increment()?;
        let mut row = self.row(fields, |column| match number {
            Some((place, number)) if place == column => Some(Cow::Owned(stored_number(table, place, number))),
            _ => self.default(column),
        })?;
        self.compute(fields, &mut row, true)?;
        let row = Row::from(row);
        self.note_auto_increment(None, &row);
        loop {
            match self.changes().insert(table, &row).await? {
                Inserted::Done => return Ok(()),
                Inserted::Duplicate(index) if self.tolerance.is_idempotent => {
                    self.make_way(&row, index).await?;
                }
                Inserted::Duplicate(index) => {
                    return Err(duplicate_error(table, &row, index, &TimeZone::UTC));
                }
            }
        }
    }

    /// Removes the row that has the key of a new one in this index, by its place in the definition's list.
    async fn make_way(&mut self, new: &Row, index: usize) -> Result<()> {
        let table = self.table;
        let Some(key) = self.trx.find_duplicate(table, new, index).map_err(engine_error)? else {
            return Ok(());
        };
        self.trx.lock_row(&key, Mode::Exclusive).await.map_err(engine_error)?;
        let Some(old) = self.trx.get_newest(&key).map_err(engine_error)? else { return Ok(()) };
        let mut changes = self.changes();
        if changes.enforce == Enforce::Parents {
            // The source knows nothing of it: what follows is in no log.
            changes.enforce = Enforce::Everything;
        }
        changes.delete(table, &key, &old, Some(new)).await
    }

    /// The place and the value of an AUTO_INCREMENT column that the source's table does not have.
    fn take_auto_increment(&mut self) -> Result<Option<(usize, u64)>> {
        let table = self.table;
        let place = table.def.auto_increment().filter(|place| *place >= self.reader.source_columns());
        let Some(place) = place else { return Ok(None) };
        let max = match table.def.columns[place].ty {
            ColumnType::Int(int) => int.max(),
            _ => 0,
        };
        let (increment, offset) = (self.session.auto_increment_increment, self.session.auto_increment_offset);
        let taken = self.trx.next_auto_increment(table, increment, offset, max, 1);
        taken.map(|(number, _)| Some((place, number))).ok_or_else(|| ER_AUTOINC_READ_FAILED.error(&[]))
    }

    /// Who becomes a source generates values above those that it was given.
    fn note_auto_increment(&mut self, old: Option<&Row>, new: &Row) {
        let table = self.table;
        let Some(place) = table.def.auto_increment() else { return };
        let high = auto_increment_of(table, new, place);
        if let Some(high) = high.filter(|_| old.and_then(|old| auto_increment_of(table, old, place)) != high)
        {
            self.trx.use_auto_increment(table, high);
        }
    }

    /// `seen` is where a search has found the row, here and below.
    async fn delete(&mut self, by: By, before: &[Field<'_>], seen: Option<Key>) -> Result<()> {
        let (key, old) = self.find(by, before, seen).await?;
        let table = self.table;
        self.changes().delete(table, &key, &old, None).await
    }

    async fn update(
        &mut self,
        by: By,
        before: &[Field<'_>],
        after: &[Field<'_>],
        seen: Option<Key>,
        moved: &mut Moved,
    ) -> Result<()> {
        // What was not there at first may be what an image before has made.
        let seen = if by == By::Search && seen.is_none() { moved.take(self, before)? } else { seen };
        let (key, old) = self.find(by, before, seen).await?;
        let new = self.update_row(&key, &old, after).await?;
        if by == By::Search {
            moved.note(self, before, &new, key)?;
        }
        Ok(())
    }

    /// Returns the row as it is then.
    async fn update_row(&mut self, key: &[u8], old: &Row, after: &[Field<'_>]) -> Result<Row> {
        let offsets = self.offsets(old)?;
        let mut new = self.row(after, |column| offsets.stored(old, column).map(Cow::Borrowed))?;
        self.compute(after, &mut new, false)?;
        let (table, new) = (self.table, Row::from(new));
        if new == *old && !self.is_xa {
            // What has changed is in columns that there are not here. An XA transaction is prepared for it all the same.
            return Ok(new);
        }
        self.changes().update(table, key, old, &new).await?;
        self.note_auto_increment(Some(old), &new);
        Ok(new)
    }

    /// What a column of a new row has that the image does not have; the moment, if that is its default, of a column that the source's
    /// table does not have.
    fn default(&self, column: usize) -> Option<Cow<'_, [u8]>> {
        let def = &self.table.def.columns[column];
        if def.default != DefaultValue::Now || column < self.reader.source_columns() {
            return default(def);
        }
        let (mut warnings, mut stored) = (Warnings::default(), Vec::new());
        let now = ValueRef::DateTime(self.session.now(def.ty.fsp().unwrap_or(0)));
        let mut context = self.session.writing(&mut warnings);
        let done = store::assign(&self.table.columns[column], now, &mut context, &mut stored);
        matches!(done, Ok(true)).then_some(Cow::Owned(stored))
    }

    /// Computes what an image does not have: generated columns, and defaults of a new row. All else is as at the source.
    fn compute(&self, fields: &[Field<'_>], row: &mut Vec<u8>, is_new: bool) -> Result<()> {
        let Some(rules) = self.rules else { return Ok(()) };
        rules.compute_missing(row, self.session, |computed| {
            fields[computed.column] == Field::Missing && (is_new || computed.kind != ComputedKind::Default)
        })
    }

    fn changes(&mut self) -> RowChanges<'_> {
        RowChanges {
            trx: self.trx,
            log: self.log,
            relations: self.relations,
            rules: self.rules,
            strict_rules: false,
            enforce: self.enforce,
            session: self.session,
            time_zone: &TimeZone::UTC,
            turns: &mut self.turns,
        }
    }

    /// A row of these fields; `missing` says what those have that the image does not.
    pub(super) fn row<'m>(
        &self,
        fields: &[Field<'_>],
        missing: impl Fn(usize) -> Option<Cow<'m, [u8]>>,
    ) -> Result<Vec<u8>> {
        let table = self.table;
        let mut out = Vec::new();
        let mut row = table.rows.builder(&mut out);
        for (column, field) in fields.iter().enumerate() {
            match field {
                Field::Null if !table.def.columns[column].nullable => {
                    self.not_null.set(Some(column));
                    row.stored(Some(&instead_of_null(&table.def.columns[column])));
                }
                Field::Null => row.null(),
                Field::Missing => row.stored(missing(column).as_deref()),
                Field::Value(value) => {
                    self.reader.put(column, value, &mut row).map_err(|error| image_error(table, &error))?;
                }
            }
        }
        row.finish().map_err(|error| bad_event(&error))?;
        table.rows.validate(&out).map_err(|error| bad_event(&error))?;
        Ok(out)
    }

    pub(super) fn offsets(&self, row: &[u8]) -> Result<Offsets> {
        let mut offsets = Offsets::default();
        self.table.rows.offsets(row, &mut offsets).map_err(|error| bad_event(&error))?;
        Ok(offsets)
    }

    /// The row that a before image means, under its lock; `found` is where a search has seen it. Error 1032.
    async fn find(&mut self, by: By, before: &[Field<'_>], found: Option<Key>) -> Result<(Key, Row)> {
        let table = self.table;
        let not_found = || ER_KEY_NOT_FOUND.error(&[&table.def.name]);
        // What the image does not have is NULL here, and not looked at.
        let probe = self.row(before, |_| None)?;
        let offsets = self.offsets(&probe)?;
        // A key that was NULL at the source was none there: another row may have what stands for it here.
        let is_keyless = by.parts(table).iter().any(|part| before[usize::from(part.column)] == Field::Null);
        let (by, found) =
            if is_keyless { (By::Search, self.search_again(&probe, before).await?) } else { (by, found) };
        let mut key = match by {
            By::Primary => table.row_key(&probe, &offsets).map(Key::from),
            By::Unique(place) => self.trx.find_duplicate(table, &probe, place).map_err(engine_error)?,
            By::Search => found,
        };
        loop {
            let locked = key.ok_or_else(not_found)?;
            self.trx.lock_row(&locked, Mode::Exclusive).await.map_err(engine_error)?;
            let row = self.trx.get_newest(&locked).map_err(engine_error)?;
            // What was found without its lock may have become another row before that was there.
            key = match by {
                By::Primary => return Ok((locked, row.ok_or_else(not_found)?)),
                By::Unique(place) => self.trx.find_duplicate(table, &probe, place).map_err(engine_error)?,
                By::Search if row.as_ref().is_some_and(|row| self.looks_like(row, &probe, before)) => {
                    Some(locked.clone())
                }
                By::Search => self.search_again(&probe, before).await?,
            };
            if key.as_ref() == Some(&locked) {
                return Ok((locked, row.ok_or_else(not_found)?));
            }
        }
    }
}

/// How the rows of an event are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum By {
    Primary,
    /// A unique key, by its place.
    Unique(usize),
    Search,
}

impl By {
    /// The key's.
    fn parts(self, table: &Table) -> &[IndexPart] {
        match self {
            Self::Primary => table.def.primary().map_or(&[], |primary| &primary.parts),
            Self::Unique(place) => &table.def.indexes[place].parts,
            Self::Search => &[],
        }
    }

    /// For an event's before images.
    fn of(table: &Table, body: &RowsBody<'_>) -> Self {
        let has = |column: u16| {
            // What stands behind the last bit means nothing.
            let is_the_source_s = usize::from(column) < body.columns;
            let byte = body.present.get(usize::from(column / 8)).filter(|_| is_the_source_s);
            byte.is_some_and(|byte| byte >> (column % 8) & 1 != 0)
        };
        if table.def.primary().is_some_and(|primary| primary.parts.iter().all(|part| has(part.column))) {
            return Self::Primary;
        }
        let usable = |index: &&SecondaryIndex| {
            let mut parts = table.def.indexes[index.place].parts.iter();
            let is_whole = |part: &IndexPart| {
                part.prefix.is_none()
                    && has(part.column)
                    && !table.def.columns[usize::from(part.column)].nullable
            };
            index.unique && parts.all(is_whole)
        };
        table.secondary.iter().find(usable).map_or(Self::Search, |index| Self::Unique(index.place))
    }
}

/// Whether images have any of the first columns.
fn has_columns(present: &[u8], columns: usize) -> bool {
    (0..columns).any(|column| present.get(column / 8).is_some_and(|byte| byte >> (column % 8) & 1 != 0))
}

/// A number as a column of integers holds it.
fn stored_number(table: &Table, place: usize, number: u64) -> Vec<u8> {
    let mut bytes = number.to_le_bytes().to_vec();
    bytes.truncate(table.def.columns[place].ty.stored_size().unwrap_or(bytes.len()));
    bytes
}

/// What a column of a new row has that the image does not have: the source has let the row pass without it.
fn default(def: &ColumnDef) -> Option<Cow<'_, [u8]>> {
    match &def.default {
        // It is computed.
        DefaultValue::Expression(_) => None,
        _ if def.generated.is_some() => None,
        DefaultValue::Stored(bytes) => Some(Cow::Borrowed(bytes)),
        DefaultValue::Null => None,
        DefaultValue::None | DefaultValue::Now if def.nullable => None,
        DefaultValue::None | DefaultValue::Now => {
            let mut implicit = Vec::new();
            store::write_implicit_default(def.ty, &mut implicit);
            Some(Cow::Owned(implicit))
        }
    }
}

/// What a column that is NOT NULL here has of a NULL of the source, as in MySQL: its default. It is the same at any time, so that later
/// images mean the same row.
fn instead_of_null(def: &ColumnDef) -> Cow<'_, [u8]> {
    default(def).unwrap_or_else(|| {
        let mut implicit = Vec::new();
        store::write_implicit_default(def.ty, &mut implicit);
        Cow::Owned(implicit)
    })
}
