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

    /// The same, and nothing but them.
    pub fn into_runs(self) -> Vec<Interval> {
        self.runs
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

    /// All numbers of these runs, which come in any order and may overlap.
    pub fn of_runs(mut runs: Vec<Interval>) -> Self {
        debug_assert!(runs.iter().all(|run| run.start < run.end), "a run is not empty");
        // What is sorted in pieces is sorted in one pass.
        runs.sort_by_key(|run| run.start);
        runs.dedup_by(|next, kept| {
            let touches = next.start <= kept.end;
            if touches {
                kept.end = kept.end.max(next.end);
            }
            touches
        });
        Self { runs }
    }

    /// Adds all numbers of another set, in one pass over both.
    pub fn add_all(&mut self, other: &Self) {
        let mut both = std::mem::take(&mut self.runs);
        both.extend_from_slice(&other.runs);
        *self = Self::of_runs(both);
    }

    /// Removes all numbers of another set, in one pass over both.
    pub fn subtract(&mut self, other: &Self) {
        let mut theirs = &other.runs[..];
        let mut kept = Vec::new();
        for mut own in std::mem::take(&mut self.runs) {
            let passed = theirs.iter().take_while(|their| their.end <= own.start).count();
            theirs = &theirs[passed..];
            for their in theirs.iter().take_while(|their| their.start < own.end) {
                if own.start < their.start {
                    kept.push(Interval { start: own.start, end: their.start });
                }
                own.start = their.end;
            }
            if own.start < own.end {
                kept.push(own);
            }
        }
        self.runs = kept;
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
