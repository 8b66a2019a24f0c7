//! The numbers of one server: sorted, disjoint intervals that do not touch.

use super::{GNO_MAX, Gno};

/// A run of numbers, `start <= gno < end`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interval {
    /// The first number.
    pub start: Gno,
    /// One past the last.
    pub end: Gno,
}

impl Interval {
    /// The interval from `first` to `last`, both included; `None` if it is empty or out of range.
    pub fn inclusive(first: Gno, last: Gno) -> Option<Self> {
        (1 <= first && first <= last && last <= GNO_MAX).then(|| Self { start: first, end: last + 1 })
    }
}

/// A set of numbers. Invariant: intervals are not empty, ascend, and have gaps between them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Intervals {
    runs: Vec<Interval>,
}

impl Intervals {
    /// The intervals, ascending.
    pub fn runs(&self) -> &[Interval] {
        &self.runs
    }

    /// Whether the number is in the set.
    pub fn contains(&self, gno: Gno) -> bool {
        let after = self.runs.partition_point(|run| run.start <= gno);
        after > 0 && gno < self.runs[after - 1].end
    }

    /// Whether all numbers of `run` are in the set.
    pub fn contains_run(&self, run: Interval) -> bool {
        let after = self.runs.partition_point(|own| own.start <= run.start);
        after > 0 && run.end <= self.runs[after - 1].end
    }

    /// Whether any number of `run` is in the set.
    pub fn intersects_run(&self, run: Interval) -> bool {
        let before = self.runs.partition_point(|own| own.end <= run.start);
        self.runs.get(before).is_some_and(|own| own.start < run.end)
    }

    /// Adds a run. Constant time if it begins at or behind the end of the last one, as a server's own do.
    pub fn add(&mut self, run: Interval) {
        debug_assert!(run.start < run.end, "a run is not empty");
        match self.runs.last_mut() {
            Some(last) if last.end == run.start => last.end = run.end,
            Some(last) if last.end > run.start => self.add_inside(run),
            _ => self.runs.push(run),
        }
    }

    fn add_inside(&mut self, mut run: Interval) {
        let first = self.runs.partition_point(|own| own.end < run.start);
        let behind = self.runs.partition_point(|own| own.start <= run.end);
        if first < behind {
            run.start = run.start.min(self.runs[first].start);
            run.end = run.end.max(self.runs[behind - 1].end);
        }
        self.runs.splice(first..behind, [run]);
    }

    /// Removes a run's numbers.
    pub fn subtract(&mut self, run: Interval) {
        let first = self.runs.partition_point(|own| own.end <= run.start);
        let behind = self.runs.partition_point(|own| own.start < run.end);
        if first >= behind {
            return;
        }
        let left = Interval { start: self.runs[first].start, end: run.start };
        let right = Interval { start: run.end, end: self.runs[behind - 1].end };
        let kept = [left, right].into_iter().filter(|piece| piece.start < piece.end);
        self.runs.splice(first..behind, kept);
    }

    /// How many numbers are in the set.
    pub fn count(&self) -> Gno {
        self.runs.iter().map(|run| run.end - run.start).sum()
    }

    /// The first run of numbers not in the set at or behind `from`; `None` if numbers are exhausted.
    pub fn free_run(&self, from: Gno) -> Option<Interval> {
        let from = from.max(1);
        let next = self.runs.partition_point(|own| own.end <= from);
        let (start, next) = match self.runs.get(next) {
            Some(own) if own.start <= from => (own.end, next + 1),
            _ => (from, next),
        };
        let end = self.runs.get(next).map_or(GNO_MAX + 1, |own| own.start);
        (start < end).then_some(Interval { start, end })
    }
}
