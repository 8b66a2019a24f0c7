//! A source's rows, one after another, as a snapshot sees them.

use std::ops::Range;
use std::sync::Arc;

use engine::catalog::table::Table;
use engine::ids::{CommitSeq, Key, Row};
use engine::rows::row_key_of_entry;
use engine::scan::{Direction, KeyRange};
use engine::trx::Trx;
use engine::view::Snapshot;
use types::context::Context;
use types::error::SqlError;
use types::row::Offsets;
use types::value::Value;

use super::ranges::{self, BoundRanges, PointKey};
use super::ranges_scan::RangesScan;
use super::stored::{self, Begun, Shared, Walk};
use super::work::Work;
use super::{Result, engine_error};
use crate::expr::{Inputs, Lookup, Made, RowRef};
use crate::plan::{Access, IndexRef, RangeSpec, Source, SourceKind};

/// Which versions are read.
#[derive(Clone, Debug)]
pub(super) enum Versions {
    /// Those of the transaction's snapshot.
    Snapshot,
    /// Those of a moment: candidates for locking.
    Moment(Snapshot),
}

/// See the module.
pub(super) struct Cursor<'p> {
    source: &'p Source,
    rows: Rows,
    versions: Versions,
    /// A single row is not looked at before it is locked.
    locks_first: bool,
    /// The access path's values could be brought into their columns: implied conditions hold.
    pub(super) exact: bool,
    current: Current,
    offsets: Offsets,
    /// The current row's key, where rows have keys and may be locked.
    pub(super) key: Option<Key>,
}

pub(super) enum Rows {
    /// At most this one.
    Point(Option<Vec<u8>>),
    /// Those of ranges of the rows' index.
    Scan(RangesScan),
    /// Those that entries of a secondary index lead to.
    Entries(RangesScan),
    /// Stored ones that are looked up.
    LookedUp(Walk),
    /// Made beforehand: those at these places, in the order of a column if there is one.
    Values { rows: Made, by: Option<Arc<Lookup>>, next: Range<usize> },
}

/// The rows of a source that is not stored, and those among them that may be meant.
#[derive(Clone, Debug)]
pub(super) struct MadeRows {
    pub(super) rows: Made,
    pub(super) found: Option<(Arc<Lookup>, Range<usize>)>,
}

/// What a loop may have beside the table store.
pub(super) enum Beforehand<'l> {
    Nothing,
    /// The rows of a source that is not stored.
    Made(MadeRows),
    /// What it shares with other loops over a source of stored rows.
    Stored(&'l Shared),
}

/// A row of a source, kept while others are looked at.
pub(super) enum Kept {
    /// The source has none.
    Missing,
    /// A stored one that is locked, and its key.
    Stored(Key, Row),
    /// One that is not stored.
    Made(Vec<Value>),
}

enum Current {
    None,
    /// One that is to be locked first.
    Unread,
    Row(Row),
    /// An index entry was enough.
    Entry,
    Values(Arc<Vec<Vec<Value>>>, usize),
}

impl<'p> Cursor<'p> {
    /// Starts to read, with the values that earlier sources have now.
    pub(super) fn open(
        source: &'p Source,
        beforehand: Beforehand<'_>,
        versions: Versions,
        inputs: &Inputs<'_>,
        context: &mut Context<'_>,
    ) -> Result<Self> {
        let (rows, exact) = match (&source.from, beforehand) {
            (SourceKind::Table(table), Beforehand::Stored(shared)) => {
                match stored::begin(shared, source, inputs, context)? {
                    Begun::Alone => table_rows(table, &source.access, inputs, context)?,
                    Begun::Nothing => (Rows::Point(None), true),
                    Begun::Walk(walk, exact) => (Rows::LookedUp(walk), exact),
                }
            }
            (SourceKind::Table(table), _) => table_rows(table, &source.access, inputs, context)?,
            (_, Beforehand::Made(MadeRows { rows, found: Some((by, next)) })) => {
                (Rows::Values { rows, by: Some(by), next }, true)
            }
            (_, Beforehand::Made(MadeRows { rows, found: None })) => {
                let next = 0..rows.len();
                (Rows::Values { rows, by: None, next }, true)
            }
            (_, _) => unreachable!("rows of other sources are made before they are read"),
        };
        Ok(Self {
            source,
            rows,
            versions,
            locks_first: false,
            exact,
            current: Current::None,
            offsets: Offsets::default(),
            key: None,
        })
    }

    /// A row that is found by its primary key is locked before it is looked at, and the newest is what counts.
    pub(super) fn lock_first(&mut self) {
        self.locks_first = matches!(self.rows, Rows::Point(_));
    }

    /// Whether the current row is to be locked before it can be looked at.
    pub(super) fn is_unread(&self) -> bool {
        matches!(self.current, Current::Unread)
    }

    /// Moves to the next row. False at the end.
    pub(super) fn next(&mut self, trx: &mut Trx, work: &mut Work) -> Result<bool> {
        self.current = self.fetch(trx, work)?;
        if let (Current::Row(row), SourceKind::Table(table)) = (&self.current, &self.source.from) {
            table.rows.offsets(row, &mut self.offsets).map_err(|_| damaged(table))?;
        }
        Ok(!matches!(self.current, Current::None))
    }

    /// The current row.
    pub(super) fn row(&self) -> RowRef<'_> {
        match (&self.current, &self.source.from) {
            (Current::Row(row), SourceKind::Table(table)) => {
                RowRef::Stored { layout: &table.rows, row, offsets: &self.offsets }
            }
            (Current::Values(rows, place), _) => RowRef::Values(&rows[*place]),
            _ => RowRef::Missing,
        }
    }

    /// Reads the current row again, which is locked now; there may be none any more. Returns what has changed it since the
    /// moment of which it was read.
    pub(super) fn read_locked(&mut self, trx: &mut Trx) -> Result<Option<CommitSeq>> {
        let (Some(key), SourceKind::Table(table), Versions::Moment(moment)) =
            (&self.key, &self.source.from, &self.versions)
        else {
            return Ok(None);
        };
        let (row, changed) = trx.get_since(key, moment).map_err(engine_error)?;
        self.current = Current::None;
        if let Some(row) = row {
            table.rows.offsets(&row, &mut self.offsets).map_err(|_| damaged(table))?;
            self.current = Current::Row(row);
        }
        Ok(changed.filter(|_| !self.locks_first))
    }

    /// Whether there is a current row.
    pub(super) fn has_row(&self) -> bool {
        !matches!(self.current, Current::None)
    }

    /// The current row, to be kept.
    pub(super) fn kept(&self) -> Kept {
        match (&self.current, &self.key) {
            (Current::Row(row), Some(key)) => Kept::Stored(Key::clone(key), Row::clone(row)),
            (Current::Values(rows, place), _) => Kept::Made(rows[*place].clone()),
            _ => Kept::Missing,
        }
    }

    fn fetch(&mut self, trx: &mut Trx, work: &mut Work) -> Result<Current> {
        let table = match (&self.source.from, &mut self.rows) {
            (SourceKind::Table(table), _) => table,
            (_, Rows::Values { rows, by, next }) => {
                let Some(at) = next.next() else { return Ok(Current::None) };
                let place = by.as_ref().map_or(at, |by| by.place(at));
                return Ok(Current::Values(Arc::clone(rows), place));
            }
            _ => return Ok(Current::None),
        };
        match &mut self.rows {
            Rows::Point(key) => {
                let Some(key) = key.take() else { return Ok(Current::None) };
                let found = if self.locks_first {
                    Current::Unread
                } else {
                    get(&key, &self.versions, trx)?.map_or(Current::None, Current::Row)
                };
                work.looks_up(!matches!(found, Current::None));
                self.key = Some(key.into());
                Ok(found)
            }
            Rows::Scan(scan) => {
                let Some(entry) = scan.next(&self.versions, trx, work)? else { return Ok(Current::None) };
                if matches!(self.versions, Versions::Moment(_)) {
                    self.key = Some(entry.key);
                }
                Ok(Current::Row(entry.row.expect("next returns rows")))
            }
            Rows::Entries(entries) => loop {
                let Some(entry) = entries.next(&self.versions, trx, work)? else { return Ok(Current::None) };
                // Rows are locked by their keys.
                if self.exact && !self.source.needs_row && matches!(self.versions, Versions::Snapshot) {
                    return Ok(Current::Entry);
                }
                let row = entry.row.as_ref().expect("next returns rows");
                let key = row_key_of_entry(table, &entry.key, row).ok_or_else(|| damaged(table))?;
                if let Some(row) = get(&key, &self.versions, trx)? {
                    self.key = Some(key.into());
                    return Ok(Current::Row(row));
                }
            },
            Rows::LookedUp(walk) => {
                let Some((key, row)) = walk.next(table, &self.versions, trx, work)? else {
                    return Ok(Current::None);
                };
                self.key = Some(key);
                Ok(Current::Row(row))
            }
            Rows::Values { .. } => unreachable!("tables have no made rows"),
        }
    }
}

pub(super) fn get(key: &[u8], versions: &Versions, trx: &mut Trx) -> Result<Option<Row>> {
    match versions {
        Versions::Snapshot => trx.get(key),
        Versions::Moment(moment) => trx.get_at(key, moment),
    }
    .map_err(engine_error)
}

pub(super) fn table_rows(
    table: &Table,
    access: &Access,
    inputs: &Inputs<'_>,
    context: &mut Context<'_>,
) -> Result<(Rows, bool)> {
    let full =
        |direction| Rows::Scan(RangesScan::whole(KeyRange::prefix(&table.def.rows.prefix()), direction));
    match access {
        Access::Full(direction) => Ok((full(*direction), true)),
        Access::Point { index: IndexRef::Primary, keys } => {
            Ok(match ranges::point_key(table, IndexRef::Primary, keys, inputs, context)? {
                PointKey::Key(key) => (Rows::Point(Some(key)), true),
                PointKey::Empty => (Rows::Point(None), true),
                PointKey::Unknown => (full(Direction::Forward), false),
            })
        }
        Access::Point { index, keys } => Ok(match ranges::point_key(table, *index, keys, inputs, context)? {
            PointKey::Key(key) => (entries(vec![KeyRange::prefix(&key)], Direction::Forward), true),
            PointKey::Empty => (Rows::Point(None), true),
            PointKey::Unknown => (full(Direction::Forward), false),
        }),
        Access::Ranges { index, ranges: specs, direction } => {
            let BoundRanges::Exact(mut ranges) = ranges::bind(table, *index, specs, inputs, context)? else {
                // Nobody relies on an order of these.
                let rows = if specs.iter().any(RangeSpec::may_be_all) {
                    full(Direction::Forward)
                } else {
                    ordered_fallback(table, *index, *direction, full)
                };
                return Ok((rows, false));
            };
            // The next range is taken from the end.
            if *direction == Direction::Forward {
                ranges.reverse();
            }
            let rows = match index {
                IndexRef::Primary => Rows::Scan(RangesScan::new(ranges, *direction)),
                IndexRef::Secondary(_) => entries(ranges, *direction),
            };
            Ok((rows, true))
        }
    }
}

fn entries(ranges: Vec<KeyRange>, direction: Direction) -> Rows {
    Rows::Entries(RangesScan::new(ranges, direction))
}

/// Everything, in the order that the plan counts on.
fn ordered_fallback(
    table: &Table,
    index: IndexRef,
    direction: Direction,
    full: impl Fn(Direction) -> Rows,
) -> Rows {
    match index {
        IndexRef::Primary => full(direction),
        IndexRef::Secondary(_) => {
            let ranges = vec![KeyRange::prefix(&ranges::index_id(table, index).prefix())];
            entries(ranges, direction)
        }
    }
}

/// Where the columns of a row are.
pub(super) fn offsets(table: &Table, row: &[u8]) -> Result<Offsets> {
    let mut offsets = Offsets::default();
    table.rows.offsets(row, &mut offsets).map_err(|_| damaged(table))?;
    Ok(offsets)
}

/// Error for a row that does not decode.
pub(super) fn damaged(table: &Table) -> SqlError {
    let name = format!("{}.{}", table.def.db, table.def.name);
    types::error::table::ER_CRASHED_ON_USAGE.error(&[&name])
}
