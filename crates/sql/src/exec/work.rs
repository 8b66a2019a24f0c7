//! What statements do on their way to a result, as MySQL counts it in `Handler_read_%`, `Select_%` and `Sort_%`.
//!
//! A full scan is one `first` (or `last`), one `key`, and a `rnd_next` (or `prev`) for each row and for the end. A range of an
//! index is one `key` for its first row, and a `next` (or `prev`) for each other one and for the end. A row that a secondary
//! index leads to is the index's, and is not counted again.

use engine::scan::Direction;

use super::Exec;
use crate::plan::{Access, RangeSpec, SelectPlan, Source, SourceKind};

/// See the module.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// `Innodb_rows_read`
    pub rows: u64,
    /// `Handler_read_first`
    pub first: u64,
    /// `Handler_read_last`
    pub last: u64,
    /// `Handler_read_key`
    pub key: u64,
    /// `Handler_read_next`
    pub next: u64,
    /// `Handler_read_prev`
    pub prev: u64,
    /// `Handler_read_rnd_next`
    pub rnd_next: u64,
    /// `Select_scan`
    pub scans: u64,
    /// `Select_range`
    pub ranges: u64,
    /// `Select_full_join`
    pub full_joins: u64,
    /// `Select_full_range_join`
    pub range_joins: u64,
    /// `Sort_rows`
    pub sorted: u64,
    /// `Sort_scan`
    pub scan_sorts: u64,
    /// `Sort_range`
    pub range_sorts: u64,
}

/// How a scan reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    /// All rows of a table.
    Whole,
    /// Ranges of an index.
    Ranges,
}

impl Work {
    /// Adds what something else has done.
    pub fn add(&mut self, other: &Self) {
        for (sum, more) in [
            (&mut self.rows, other.rows),
            (&mut self.first, other.first),
            (&mut self.last, other.last),
            (&mut self.key, other.key),
            (&mut self.next, other.next),
            (&mut self.prev, other.prev),
            (&mut self.rnd_next, other.rnd_next),
            (&mut self.scans, other.scans),
            (&mut self.ranges, other.ranges),
            (&mut self.full_joins, other.full_joins),
            (&mut self.range_joins, other.range_joins),
            (&mut self.sorted, other.sorted),
            (&mut self.scan_sorts, other.scan_sorts),
            (&mut self.range_sorts, other.range_sorts),
        ] {
            *sum += more;
        }
    }

    /// A look for one row by its key, which may be there.
    pub(super) fn looks_up(&mut self, found: bool) {
        self.key += 1;
        self.rows += u64::from(found);
    }

    /// A scan, or its next range, begins.
    pub(super) fn begins(&mut self, way: Way, direction: Direction) {
        self.key += 1;
        match (way, direction) {
            (Way::Whole, Direction::Forward) => self.first += 1,
            (Way::Whole, Direction::Backward) => self.last += 1,
            (Way::Ranges, _) => {}
        }
    }

    /// The next row is looked for; `is_first`: of a range that has just begun.
    pub(super) fn goes_on(&mut self, way: Way, direction: Direction, is_first: bool) {
        match (way, direction) {
            (Way::Whole, Direction::Forward) => self.rnd_next += 1,
            _ if is_first => {}
            (Way::Ranges, Direction::Forward) => self.next += 1,
            (_, Direction::Backward) => self.prev += 1,
        }
    }
}

impl Exec<'_> {
    /// A SELECT begins to read its sources: those of a subquery that looks at outer rows count once.
    pub(super) fn note_select(&mut self, plan: &SelectPlan) {
        let place = std::ptr::from_ref(plan).addr();
        if self.noted.contains(&place) {
            return;
        }
        self.noted.push(place);
        for (place, source) in plan.sources.iter().enumerate() {
            let count = match (place, reads(source)) {
                (0, Some(Way::Whole)) => &mut self.work.scans,
                (0, Some(Way::Ranges)) => &mut self.work.ranges,
                (_, Some(Way::Whole)) => &mut self.work.full_joins,
                (_, Some(Way::Ranges)) => &mut self.work.range_joins,
                (_, None) => continue,
            };
            *count += 1;
        }
    }

    /// So many rows are sorted, which the first source's are joined to.
    pub(super) fn note_sort(&mut self, rows: usize, first: Option<&Source>) {
        self.work.sorted += rows as u64;
        match first.and_then(reads) {
            Some(Way::Ranges) => self.work.range_sorts += 1,
            _ => self.work.scan_sorts += 1,
        }
    }
}

/// How a source is gone through; `None` if its rows are looked up.
fn reads(source: &Source) -> Option<Way> {
    match (&source.from, &source.access) {
        (SourceKind::Derived(..), _) | (SourceKind::Table(_), Access::Point { .. }) => None,
        (SourceKind::Virtual(_), _) | (SourceKind::Table(_), Access::Full(_)) => Some(Way::Whole),
        (SourceKind::Table(_), Access::Ranges { ranges, .. }) => match &ranges[..] {
            // All of an index, in its order; or what equals a value.
            [RangeSpec { equal, low: None, high: None, like: None }] => {
                equal.is_empty().then_some(Way::Whole)
            }
            _ => Some(Way::Ranges),
        },
    }
}
