//! Entries of ranges of an index.

use std::ops::Bound;

use engine::ids::{CommitSeq, Key};
use engine::scan::{Direction, Entry, KeyRange, Scan};
use engine::trx::Trx;

use super::cursor::Versions;
use super::work::{Way, Work};
use super::{Result, engine_error};

/// Ranges of one index, one after another.
pub(super) struct RangesScan {
    scan: Option<Scan>,
    /// The next one last.
    ranges: Vec<KeyRange>,
    direction: Direction,
    way: Way,
}

impl RangesScan {
    pub(super) fn new(ranges: Vec<KeyRange>, direction: Direction) -> Self {
        Self { scan: None, ranges, direction, way: Way::Ranges }
    }

    /// All rows of a table.
    pub(super) fn whole(range: KeyRange, direction: Direction) -> Self {
        Self { scan: None, ranges: vec![range], direction, way: Way::Whole }
    }

    /// The ranges that are left behind the current one, the next one last.
    pub(super) fn ranges(&self) -> &[KeyRange] {
        &self.ranges
    }

    pub(super) fn direction(&self) -> Direction {
        self.direction
    }

    /// The next key that has a row; notes what was skipped on the way.
    pub(super) fn next(
        &mut self,
        versions: &Versions,
        trx: &mut Trx,
        work: &mut Work,
    ) -> Result<Option<Entry>> {
        if self.scan.is_some() {
            work.goes_on(self.way, self.direction, false);
        }
        loop {
            if self.scan.is_none() {
                let Some(range) = self.ranges.pop() else { return Ok(None) };
                let opened = match versions {
                    Versions::Snapshot => trx.scan(&range, self.direction),
                    Versions::Moment(moment) => trx.scan_at(&range, self.direction, moment),
                };
                self.scan = Some(opened.map_err(engine_error)?);
                work.begins(self.way, self.direction);
                work.goes_on(self.way, self.direction, true);
            }
            let Some(scan) = &mut self.scan else { continue };
            let entry = match versions {
                Versions::Snapshot => scan.next_row(),
                Versions::Moment(_) => scan.next_version(),
            };
            let Some(entry) = entry.map_err(engine_error)? else {
                self.scan = None;
                continue;
            };
            if matches!(versions, Versions::Moment(_)) && entry.seq > CommitSeq(0) {
                trx.note_seen(entry.seq);
            }
            if entry.row.is_some() {
                work.rows += 1;
                return Ok(Some(entry));
            }
        }
    }
}

/// Leaves out of a range everything up to and with `key`, as a scan passes it.
pub(super) fn leave_behind(range: &mut KeyRange, key: Key, direction: Direction) {
    match direction {
        Direction::Forward => range.low = Bound::Excluded(key),
        Direction::Backward => range.high = Bound::Excluded(key),
    }
}
