//! Entries of ranges of an index, and rows that move while they are looked for.
//!
//! The newest state changes under a scan: an entry may go before the scan is there and come back behind it, and a row that
//! fulfils the conditions all the time would not be found. So entries of a secondary index count that are in the newest
//! state *or* have been there since the search began; each row had one then. Whoever reads looks at the row itself again.

use std::collections::{BTreeMap, HashSet};

use engine::ids::{CommitSeq, Key, Row};
use engine::scan::{Direction, Entry, KeyRange, Scan};
use engine::trx::Trx;
use engine::view::Snapshot;

use super::cursor::Versions;
use super::{Result, engine_error};

/// Ranges of one index, one after another.
pub(super) struct RangesScan {
    scan: Option<Scan>,
    /// The next one last.
    ranges: Vec<KeyRange>,
    direction: Direction,
    /// When the search of entries that may move began.
    begun: Option<Snapshot>,
}

impl RangesScan {
    pub(super) fn new(ranges: Vec<KeyRange>, direction: Direction) -> Self {
        Self { scan: None, ranges, direction, begun: None }
    }

    /// The next key that has a row; notes what was skipped on the way.
    pub(super) fn next(&mut self, versions: Versions, trx: &mut Trx) -> Result<Option<Entry>> {
        loop {
            if self.scan.is_none() {
                let Some(range) = self.ranges.pop() else { return Ok(None) };
                self.scan = Some(self.open(&range, versions, trx)?);
            }
            let Some(open) = &mut self.scan else { continue };
            let entry = match versions {
                Versions::Snapshot => open.next_row(),
                Versions::Newest => open.next_version(),
            }
            .map_err(engine_error)?;
            let Some(mut entry) = entry else {
                self.scan = None;
                continue;
            };
            if versions == Versions::Newest && entry.seq > CommitSeq(0) {
                trx.note_seen(entry.seq);
            }
            if entry.row.is_none() {
                entry.row = self.row_before(&entry)?;
            }
            if entry.row.is_some() {
                return Ok(Some(entry));
            }
        }
    }

    /// The same of a secondary index: also what was there when the first of them was asked for.
    pub(super) fn next_or_moved(&mut self, versions: Versions, trx: &mut Trx) -> Result<Option<Entry>> {
        if versions == Versions::Newest && self.begun.is_none() {
            self.begun = Some(trx.store().published().snapshot());
        }
        self.next(versions, trx)
    }

    fn open(&self, range: &KeyRange, versions: Versions, trx: &mut Trx) -> Result<Scan> {
        match (versions, &self.begun) {
            (Versions::Snapshot, _) => trx.scan(range, self.direction),
            (Versions::Newest, None) => trx.scan_newest(range, self.direction),
            (Versions::Newest, Some(begun)) => trx.scan_newest_in(&begun.view, range, self.direction),
        }
        .map_err(engine_error)
    }

    /// What stood at a key when the search began or later, where somebody has removed it since. It may have been put there by a
    /// commit that was not visible then.
    fn row_before(&self, removed: &Entry) -> Result<Option<Row>> {
        let Some(begun) = &self.begun else { return Ok(None) };
        let mut seq = removed.seq;
        while seq > begun.visible {
            let (made_by, row) = begun.view.get(&removed.key, CommitSeq(seq.0 - 1)).map_err(engine_error)?;
            if row.is_some() {
                return Ok(row);
            }
            seq = made_by;
        }
        Ok(None)
    }
}

/// Rows by entries of a secondary index.
pub(super) struct Entries {
    scan: RangesScan,
    /// Locked rows that were found by an older entry, by the one that they have now, which lies ahead.
    moved: BTreeMap<Key, Key>,
    /// What comes behind the next of those.
    behind: Option<Entry>,
    /// The keys of locked rows that were given. That one is locked does not say so: another source of the statement may have
    /// locked it after it was moved behind.
    given: HashSet<Key>,
    /// Of a unique index: a value, which others may give to another row.
    point: Option<Box<KeyRange>>,
    /// The rows that had it when they were waited for and have it no more.
    left: Vec<Key>,
}

/// What leads to a row.
pub(super) enum Led {
    /// An entry.
    Entry(Entry),
    /// The entry that a locked row has, and the row's key.
    Moved(Key, Key),
}

impl Entries {
    pub(super) fn new(ranges: Vec<KeyRange>, direction: Direction) -> Self {
        Self {
            scan: RangesScan::new(ranges, direction),
            moved: BTreeMap::new(),
            behind: None,
            given: HashSet::new(),
            point: None,
            left: Vec::new(),
        }
    }

    /// A row that is locked is given, unless it was before.
    pub(super) fn give(&mut self, row_key: &Key) -> bool {
        self.given.insert(Key::clone(row_key))
    }

    /// The row that has a value of a unique index.
    pub(super) fn point(range: KeyRange) -> Self {
        Self { point: Some(Box::new(range.clone())), ..Self::new(vec![range], Direction::Forward) }
    }

    /// The row that was waited for has not got the unique value any more: another one may have it. Once for each row: a search
    /// meets its old entry again as long as the commit that has moved it is not visible.
    pub(super) fn look_again(&mut self, row_key: &Key) {
        if let Some(range) = &self.point
            && !self.left.contains(row_key)
        {
            self.left.push(Key::clone(row_key));
            self.scan = RangesScan::new(vec![KeyRange::clone(range)], Direction::Forward);
        }
    }

    pub(super) fn next(&mut self, versions: Versions, trx: &mut Trx) -> Result<Option<Led>> {
        let entry = match self.behind.take() {
            Some(entry) => Some(entry),
            None => self.scan.next_or_moved(versions, trx)?,
        };
        let moved = match self.scan.direction {
            Direction::Forward => self.moved.first_entry(),
            Direction::Backward => self.moved.last_entry(),
        };
        let Some(moved) = moved else { return Ok(entry.map(Led::Entry)) };
        if entry.as_ref().is_some_and(|entry| is_ahead(self.scan.direction, moved.key(), &entry.key)) {
            return Ok(entry.map(Led::Entry));
        }
        let (key, row_key) = moved.remove_entry();
        // The scan may find it where it is, too.
        self.behind = entry.filter(|entry| entry.key != key);
        Ok(Some(Led::Moved(key, row_key)))
    }

    /// Whether a scan that stands at `from` has not met `key` yet.
    pub(super) fn is_ahead(&self, key: &[u8], from: &[u8]) -> bool {
        is_ahead(self.scan.direction, key, from)
    }

    /// A row that is locked is met at its entry.
    pub(super) fn meet(&mut self, entry: Key, row_key: Key) {
        self.moved.insert(entry, row_key);
    }
}

fn is_ahead(direction: Direction, key: &[u8], from: &[u8]) -> bool {
    match direction {
        Direction::Forward => key > from,
        Direction::Backward => key < from,
    }
}
