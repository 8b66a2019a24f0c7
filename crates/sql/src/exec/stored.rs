//! Stored rows that are looked up: those of a source that each loop of a join would read from beginning to end, although a
//! condition says what one of its columns equals.
//!
//! The first loop reads as any other: many sources have no second one. From the second on, the rows that a loop reads are kept,
//! with a hash of the columns that are compared. A loop is given those that are kept under its hash, and reads on where
//! the one before it has stopped. So rows come in the order in which they would come anyway, nothing is read that nobody needs,
//! and most of it once. What a loop passes over cannot be equal; all conditions are evaluated of what it is given, so a hash
//! that two values share does no harm.
//!
//! What is looked up is of one kind with its column: then equal values have equal keys, and comparing them neither fails nor
//! warns. Of other values each loop is given all that is kept. Rows beyond [`BYTES_MAX`] are not kept: each loop reads them.
//!
//! Rows of the transaction's snapshot are kept while the statement runs, for subqueries that are asked again and again too,
//! unless it changes their table. Candidates for locking are kept as long as the join whose moment they are of.

use std::collections::HashMap;
use std::collections::hash_map::{Entry, RandomState};
use std::hash::BuildHasher;
use std::sync::Arc;

use engine::catalog::table::Table;
use engine::ids::{Key, Row, TableId};
use engine::rows::row_key_of_entry;
use engine::scan::{Direction, KeyRange};
use engine::trx::Trx;
use parking_lot::Mutex;
use smallvec::SmallVec;
use types::collation::Collation;
use types::column::ColumnType;
use types::context::Context;
use types::row::Offsets;
use types::temporal::TimeZone;
use types::value::ValueRef;
use types::warning::Warnings;

use super::cursor::{Rows, Versions, damaged, get, table_rows};
use super::memory::Room;
use super::ranges_scan::{RangesScan, leave_behind};
use super::work::Work;
use super::{Exec, Result};
use crate::expr::{CompareOp, Ev, Expr, Inputs, SortKey};
use crate::plan::{Access, Condition, InsertPlan, Plan, Source, SourceKind};

/// Bytes that the rows of a statement's first source may take; each further one may take half of the one before.
const BYTES_MAX: usize = 256 << 20;

/// The bytes that a row takes beside those of its key and its own: its places in the list and under its hash.
const ROW_OVERHEAD: usize = size_of::<(Key, Row)>() + 80;

/// No row: the end of those under a hash.
const NONE: usize = usize::MAX;

/// The rows of one source, which all its loops share.
pub(super) type Shared = Arc<Mutex<StoredRows>>;

/// What a statement has kept of stored rows.
#[derive(Default)]
pub struct Lookups {
    /// By the address of the source in the plan, which stays where it is meanwhile; `None` where nothing is looked up.
    of_sources: HashMap<usize, Option<Shared>>,
    /// The tables that the statement changes.
    changed: SmallVec<[TableId; 2]>,
}

impl Lookups {
    /// The statement begins to change rows: of all tables but those that INSERT adds to.
    pub(super) fn note_changes(&mut self, plan: &Plan) {
        let own = match plan {
            Plan::Update(update) => Some(update.target.source.table()),
            Plan::Delete(delete) => Some(delete.target.source.table()),
            Plan::Insert(_) => return,
            _ => None,
        };
        self.changed.extend(own.into_iter().chain(plan.changed_together()).map(|table| table.def.id));
    }

    /// Whoever failed in the midst of reading has left something out.
    pub(super) fn forget(&mut self) {
        self.of_sources.clear();
    }

    /// INSERT begins to add rows: whatever SELECT gives it is there.
    pub(super) fn note_insert(&mut self, plan: &InsertPlan) {
        self.of_sources.clear();
        let others = plan.relations.iter().flat_map(|relations| relations.changed());
        self.changed.extend([&plan.table].into_iter().chain(others).map(|table| table.def.id));
    }
}

/// See the module.
pub(super) struct StoredRows {
    /// Which columns are compared; none if that turns out to be of no use.
    parts: Vec<Part>,
    /// A loop has begun.
    is_begun: bool,
    /// How rows are read, when a second one has.
    reading: Option<Reading>,
    kept: KeptRows,
}

struct Reading {
    /// The rows are those that the source's access means.
    exact: bool,
    /// They are found by entries of a secondary index.
    by_entries: bool,
    /// Reads the next row that is kept.
    scan: Option<RangesScan>,
    /// When there is none any more, what there was no room for.
    ranges: Vec<KeyRange>,
    direction: Direction,
}

struct KeptRows {
    time_zone: TimeZone,
    rows: Vec<(Key, Row)>,
    /// For each of them the next one under its hash, or [`NONE`].
    next: Vec<usize>,
    /// The first and the last one under a hash.
    ends: HashMap<u64, (usize, usize)>,
    hashes: RandomState,
    room: Room,
}

/// A column that a condition compares with a value that is known before its row.
#[derive(Clone, Copy)]
struct Part {
    /// The condition's place in the source's list.
    condition: usize,
    column: usize,
    kind: Kind,
    /// `<=>`
    matches_null: bool,
    /// The value is on the right.
    value_on_right: bool,
}

/// What values have in common that are compared as they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// Integers and DECIMALs.
    Exact,
    /// FLOATs and DOUBLEs.
    Double,
    /// Texts and labels.
    Text(Collation),
    Bytes,
    /// DATE, DATETIME, TIMESTAMP.
    Moment,
    Time,
    Year,
    Bit,
}

/// What a loop begins with.
pub(super) enum Begun {
    /// It reads rows by itself.
    Alone,
    /// No row is meant.
    Nothing,
    /// It is given rows; whether they are those that the source's access means.
    Walk(Walk, bool),
}

/// A loop's way over the rows.
pub(super) struct Walk {
    stored: Shared,
    /// The next one of those under a hash, which are before `at`; or [`NONE`].
    found: usize,
    /// From here on all are given.
    at: usize,
    /// Reads those that are not kept.
    beyond: Option<Box<RangesScan>>,
}

impl Exec<'_> {
    /// What loops of a source of stored rows share, if they do. `of_snapshot`: its rows are those of the transaction's snapshot.
    pub(super) fn looked_up(
        &mut self,
        sources: &[Source],
        place: usize,
        of_snapshot: bool,
    ) -> Option<Shared> {
        let source = &sources[place];
        let SourceKind::Table(table) = &source.from else { return None };
        let address = std::ptr::from_ref(source).addr();
        if of_snapshot {
            if self.lookups.changed.contains(&table.def.id) {
                return None;
            }
            if let Some(known) = self.lookups.of_sources.get(&address) {
                return known.clone();
            }
        }
        // All sources of a statement take no more than twice the first one's.
        let others = self.lookups.of_sources.values().flatten().count();
        let memory = self.memory_max.min(BYTES_MAX >> others.min(20));
        let stored = StoredRows::new(sources, place, memory, self.session.time_zone());
        let shared = stored.map(|stored| Arc::new(Mutex::new(stored)));
        if of_snapshot {
            self.lookups.of_sources.insert(address, shared.clone());
        }
        shared
    }
}

/// Whether later loops of a source of stored rows look them up, as far as that is known beforehand.
pub(super) fn is_looked_up(sources: &[Source], place: usize) -> bool {
    !parts(sources, place).is_empty()
}

/// The conditions by which rows of a source can be looked up; none if an index finds them for the rows before them.
fn parts(sources: &[Source], place: usize) -> Vec<Part> {
    let source = &sources[place];
    let SourceKind::Table(table) = &source.from else { return Vec::new() };
    let varies = |expr: &Expr| {
        let mut varies = !expr.is_constant();
        expr.walk(&mut |part| varies |= part.subquery().is_some());
        varies
    };
    if matches!(source.access, Access::Point { .. }) || source.access.reads(&varies) {
        return Vec::new();
    }
    let part = |(at, condition): (usize, &Condition)| {
        let Expr::Compare(op @ (CompareOp::Eq | CompareOp::NullSafeEq), left, right) = &condition.expr else {
            return None;
        };
        let value_on_right = is_own_column(left, place) && right.is_known_before(place);
        let (own, value) = if value_on_right { (left, right) } else { (right, left) };
        let Expr::Column { column, .. } = **own else { return None };
        if !is_own_column(own, place) || !value.is_known_before(place) {
            return None;
        }
        let kind = Kind::of_type(table.columns[column].ty)?;
        let other = match &**value {
            Expr::Column { source, column } => Some(sources[*source].from.column_type(*column).0),
            Expr::Outer(_, ty) => Some(ty.column_type()),
            _ => None,
        };
        if other.is_some_and(|other| Kind::of_type(other) != Some(kind)) {
            return None;
        }
        let matches_null = *op == CompareOp::NullSafeEq;
        Some(Part { condition: at, column, kind, matches_null, value_on_right })
    };
    source.conditions.iter().enumerate().filter_map(part).collect()
}

fn is_own_column(expr: &Expr, place: usize) -> bool {
    matches!(expr, Expr::Column { source, .. } if *source == place)
}

/// A loop over the rows of a source begins.
pub(super) fn begin(
    shared: &Shared,
    source: &Source,
    inputs: &Inputs<'_>,
    context: &mut Context<'_>,
) -> Result<Begun> {
    let mut stored = shared.lock();
    let stored = &mut *stored;
    let is_first = !std::mem::replace(&mut stored.is_begun, true);
    if is_first || stored.parts.is_empty() {
        return Ok(Begun::Alone);
    }
    if stored.reading.is_none() {
        stored.reading = stored.start(source, inputs, context)?;
    }
    let Some(Reading { exact, .. }) = stored.reading else { return Ok(Begun::Alone) };
    let mut key = SortKey::new();
    for part in &stored.parts {
        let value = part.value(source, inputs, context);
        match value.as_ref().map(Ev::as_ref) {
            Some(ValueRef::Null) if !part.matches_null => return Ok(Begun::Nothing),
            Some(value) if part.takes(value) => push(&mut key, value),
            _ => {
                let all = Walk { stored: Arc::clone(shared), found: NONE, at: 0, beyond: None };
                return Ok(Begun::Walk(all, exact));
            }
        }
    }
    let (found, at) = (stored.kept.first(&key), stored.kept.rows.len());
    Ok(Begun::Walk(Walk { stored: Arc::clone(shared), found, at, beyond: None }, exact))
}

impl StoredRows {
    fn new(sources: &[Source], place: usize, memory: usize, time_zone: &TimeZone) -> Option<Self> {
        let parts = parts(sources, place);
        let kept = KeptRows {
            time_zone: time_zone.clone(),
            rows: Vec::new(),
            next: Vec::new(),
            ends: HashMap::new(),
            hashes: RandomState::new(),
            room: Room::new(memory),
        };
        (!parts.is_empty()).then_some(Self { parts, is_begun: false, reading: None, kept })
    }

    /// Conditions that compare values of two kinds now are left out. `None` if nothing is left, or rows are few.
    fn start(
        &mut self,
        source: &Source,
        inputs: &Inputs<'_>,
        context: &mut Context<'_>,
    ) -> Result<Option<Reading>> {
        self.parts.retain(|part| {
            part.value(source, inputs, context).is_some_and(|value| part.takes(value.as_ref()))
        });
        let found = match &source.from {
            SourceKind::Table(table) if !self.parts.is_empty() => {
                Some(table_rows(table, &source.access, inputs, context)?)
            }
            _ => None,
        };
        let (scan, by_entries, exact) = match found {
            Some((Rows::Scan(scan), exact)) => (scan, false, exact),
            Some((Rows::Entries(scan), exact)) => (scan, true, exact),
            _ => {
                self.parts.clear();
                return Ok(None);
            }
        };
        let (ranges, direction) = (scan.ranges().to_vec(), scan.direction());
        Ok(Some(Reading { exact, by_entries, scan: Some(scan), ranges, direction }))
    }
}

impl Reading {
    /// Reads another row and keeps it.
    fn keep_next(
        &mut self,
        (table, parts): (&Table, &[Part]),
        kept: &mut KeptRows,
        versions: &Versions,
        trx: &mut Trx,
        work: &mut Work,
    ) -> Result<Option<(Key, Row)>> {
        let Some(scan) = &mut self.scan else { return Ok(None) };
        let Some((at, key, row)) = read(scan, self.by_entries, table, (versions, trx), work)? else {
            (self.scan, self.ranges) = (None, Vec::new());
            return Ok(None);
        };
        if !kept.add(table, parts, key.clone(), Row::clone(&row))? {
            let last = scan.ranges().len();
            self.ranges.truncate(last + 1);
            leave_behind(&mut self.ranges[last], at, self.direction);
            self.scan = None;
        }
        Ok(Some((key, row)))
    }
}

impl KeptRows {
    /// The first row under the hash of a key.
    fn first(&self, key: &SortKey) -> usize {
        self.ends.get(&self.hashes.hash_one(key.as_bytes())).map_or(NONE, |ends| ends.0)
    }

    /// Adds a row. Returns whether there is room for further ones.
    fn add(&mut self, table: &Table, parts: &[Part], key: Key, row: Row) -> Result<bool> {
        let hash = self.hash(table, parts, &row)?;
        let has_room = self.room.take(ROW_OVERHEAD + key.len() + row.len()).is_ok();
        let place = self.rows.len();
        self.rows.push((key, row));
        self.next.push(NONE);
        match hash.map(|hash| self.ends.entry(hash)) {
            Some(Entry::Vacant(ends)) => drop(ends.insert((place, place))),
            Some(Entry::Occupied(mut ends)) => {
                let last = std::mem::replace(&mut ends.get_mut().1, place);
                self.next[last] = place;
            }
            None => {}
        }
        Ok(has_room)
    }

    /// The hash of a row; `None` if it equals nothing.
    fn hash(&self, table: &Table, parts: &[Part], row: &[u8]) -> Result<Option<u64>> {
        let mut offsets = Offsets::default();
        table.rows.offsets(row, &mut offsets).map_err(|_| damaged(table))?;
        let mut key = SortKey::new();
        for part in parts {
            let value = table.rows.value(row, &offsets, part.column, &self.time_zone);
            if value.is_null() && !part.matches_null {
                return Ok(None);
            }
            push(&mut key, value);
        }
        Ok(Some(self.hashes.hash_one(key.as_bytes())))
    }
}

impl Walk {
    /// The next row, and its key.
    pub(super) fn next(
        &mut self,
        table: &Table,
        versions: &Versions,
        trx: &mut Trx,
        work: &mut Work,
    ) -> Result<Option<(Key, Row)>> {
        let mut stored = self.stored.lock();
        let StoredRows { parts, reading: Some(reading), kept, .. } = &mut *stored else { return Ok(None) };
        if self.found < self.at {
            let found = kept.rows[self.found].clone();
            self.found = kept.next[self.found];
            return Ok(Some(found));
        }
        // Further ones come among the others.
        self.found = NONE;
        if let Some(found) = kept.rows.get(self.at) {
            self.at += 1;
            return Ok(Some(found.clone()));
        }
        if reading.scan.is_some() {
            self.at += 1;
            return reading.keep_next((table, parts), kept, versions, trx, work);
        }
        let scan = self
            .beyond
            .get_or_insert_with(|| Box::new(RangesScan::new(reading.ranges.clone(), reading.direction)));
        let found = read(scan, reading.by_entries, table, (versions, trx), work)?;
        Ok(found.map(|(_, key, row)| (key, row)))
    }
}

/// The next row: where it was found, its key, and itself.
fn read(
    scan: &mut RangesScan,
    by_entries: bool,
    table: &Table,
    (versions, trx): (&Versions, &mut Trx),
    work: &mut Work,
) -> Result<Option<(Key, Key, Row)>> {
    while let Some(entry) = scan.next(versions, trx, work)? {
        let row = entry.row.expect("next returns rows");
        if !by_entries {
            return Ok(Some((entry.key.clone(), entry.key, row)));
        }
        let key = row_key_of_entry(table, &entry.key, &row).ok_or_else(|| damaged(table))?;
        if let Some(row) = get(&key, versions, trx)? {
            return Ok(Some((entry.key, key.into(), row)));
        }
    }
    Ok(None)
}

impl Part {
    /// The value that the column is compared with; `None` if computing it fails or warns, as the condition does then.
    fn value<'s>(&self, source: &'s Source, inputs: &Inputs<'s>, context: &Context<'_>) -> Option<Ev<'s>> {
        let Expr::Compare(_, left, right) = &source.conditions[self.condition].expr else { return None };
        let mut warnings = Warnings::default();
        let mut apart = Context { warnings: &mut warnings, ..*context };
        let value = if self.value_on_right { right } else { left }.eval(inputs, &mut apart).ok()?;
        warnings.is_empty().then_some(value)
    }

    /// Whether a value is of the column's kind, or NULL.
    fn takes(&self, value: ValueRef<'_>) -> bool {
        value.is_null() || Kind::of_value(value) == Some(self.kind)
    }
}

impl Kind {
    fn of_type(ty: ColumnType) -> Option<Self> {
        Some(match ty {
            ColumnType::Int(_) | ColumnType::Decimal { .. } => Self::Exact,
            ColumnType::Float(_) | ColumnType::Double(_) => Self::Double,
            ColumnType::Binary { .. } | ColumnType::Varbinary { .. } | ColumnType::Blob { .. } => Self::Bytes,
            ColumnType::Date | ColumnType::DateTime { .. } | ColumnType::Timestamp { .. } => Self::Moment,
            ColumnType::Time { .. } => Self::Time,
            ColumnType::Year => Self::Year,
            ColumnType::Bit { .. } => Self::Bit,
            ColumnType::Json => return None,
            text => Self::Text(text.collation()?),
        })
    }

    fn of_value(value: ValueRef<'_>) -> Option<Self> {
        Some(match value {
            ValueRef::Int(_) | ValueRef::UInt(_) | ValueRef::Decimal(_) => Self::Exact,
            ValueRef::Float(_) | ValueRef::Double(_) => Self::Double,
            ValueRef::Str(_, collation) => Self::Text(collation),
            ValueRef::Chosen(chosen) => Self::Text(chosen.collation()),
            ValueRef::Bytes(_) => Self::Bytes,
            ValueRef::Date(_) | ValueRef::DateTime(_) => Self::Moment,
            ValueRef::Time(_) => Self::Time,
            ValueRef::Year(_) => Self::Year,
            ValueRef::Bit(_) => Self::Bit,
            ValueRef::Null | ValueRef::Json(_) => return None,
        })
    }
}

/// Adds a value to a key. Labels are compared as texts.
fn push(key: &mut SortKey, value: ValueRef<'_>) {
    match value {
        ValueRef::Chosen(chosen) => key.push(ValueRef::Str(&chosen.text(), chosen.collation())),
        value => key.push(value),
    }
}
