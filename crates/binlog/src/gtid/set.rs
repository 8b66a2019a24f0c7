//! Sets of GTIDs.

use std::collections::BTreeMap;

use super::{GNO_MAX, Gno, Gtid, Interval, Intervals, Uuid};

/// A set of GTIDs, as `gtid_executed` and PREVIOUS_GTIDS hold them.
///
/// Adding the next number of a server that is already in the set is a map lookup and an increment, and
/// [`GtidSet::encoded_len`] is arithmetic: the sequencer does both under its lock.
///
/// Invariant: no server has an empty set of numbers; `runs` counts all intervals.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GtidSet {
    sids: BTreeMap<Uuid, Intervals>,
    runs: usize,
}

impl GtidSet {
    /// The empty set.
    pub const fn new() -> Self {
        Self { sids: BTreeMap::new(), runs: 0 }
    }

    /// All of these servers' runs, which come in any order and may overlap: what others send is built so, in one pass.
    pub fn of_runs(runs: BTreeMap<Uuid, Vec<Interval>>) -> Self {
        let mut set = Self::new();
        for (sid, runs) in runs {
            runs.iter().copied().for_each(check);
            set.change(sid, |own| *own = Intervals::of_runs(runs));
        }
        set
    }

    /// Whether nothing is in the set.
    pub fn is_empty(&self) -> bool {
        self.sids.is_empty()
    }

    /// The servers and their numbers, in the order of the UUIDs.
    pub fn sids(&self) -> impl ExactSizeIterator<Item = (&Uuid, &Intervals)> {
        self.sids.iter()
    }

    /// How many intervals the set has, over all servers.
    pub fn run_count(&self) -> usize {
        self.runs
    }

    /// Whether the GTID is in the set.
    pub fn contains(&self, gtid: Gtid) -> bool {
        self.sids.get(&gtid.sid).is_some_and(|own| own.contains(gtid.gno))
    }

    /// Adds one GTID; says whether it was new.
    ///
    /// # Panics
    /// If its number is 0 or above [`GNO_MAX`].
    pub fn add(&mut self, gtid: Gtid) -> bool {
        assert!((1..=GNO_MAX).contains(&gtid.gno), "a GTID's number is between 1 and GNO_MAX");
        let new = !self.contains(gtid);
        if new {
            self.add_run(gtid.sid, Interval { start: gtid.gno, end: gtid.gno + 1 });
        }
        new
    }

    /// Adds a server's run of numbers.
    pub fn add_run(&mut self, sid: Uuid, run: Interval) {
        check(run);
        self.change(sid, |own| own.add(run));
    }

    /// Adds all of `other`.
    pub fn add_set(&mut self, other: &Self) {
        for (sid, runs) in &other.sids {
            self.change(*sid, |own| own.add_all(runs));
        }
    }

    /// Removes all of `other`.
    pub fn subtract(&mut self, other: &Self) {
        for (sid, runs) in &other.sids {
            if self.sids.contains_key(sid) {
                self.change(*sid, |own| own.subtract(runs));
            }
        }
    }

    /// Whether all of this set is in `other`.
    pub fn is_subset(&self, other: &Self) -> bool {
        self.sids.iter().all(|(sid, own)| {
            other.sids.get(sid).is_some_and(|theirs| own.runs().iter().all(|run| theirs.contains_run(*run)))
        })
    }

    /// Whether the sets share a GTID.
    pub fn intersects(&self, other: &Self) -> bool {
        self.sids.iter().any(|(sid, own)| {
            other.sids.get(sid).is_some_and(|theirs| own.runs().iter().any(|run| theirs.intersects_run(*run)))
        })
    }

    /// The first run of a server's numbers that are not in the set, at or behind `from`: automatic numbers are
    /// taken from its start. `None` once numbers are exhausted (MySQL's error 1782).
    pub fn free_run(&self, sid: &Uuid, from: Gno) -> Option<Interval> {
        match self.sids.get(sid) {
            Some(own) => own.free_run(from),
            None => Intervals::default().free_run(from),
        }
    }

    fn change(&mut self, sid: Uuid, change: impl FnOnce(&mut Intervals)) {
        let own = self.sids.entry(sid).or_default();
        let before = own.runs().len();
        change(own);
        let after = own.runs().len();
        self.runs = self.runs - before + after;
        if after == 0 {
            self.sids.remove(&sid);
        }
    }
}

fn check(run: Interval) {
    assert!(1 <= run.start && run.start < run.end && run.end <= GNO_MAX + 1, "a run is within 1..=GNO_MAX");
}

impl Extend<Gtid> for GtidSet {
    fn extend<I: IntoIterator<Item = Gtid>>(&mut self, gtids: I) {
        for gtid in gtids {
            self.add(gtid);
        }
    }
}

impl FromIterator<Gtid> for GtidSet {
    fn from_iter<I: IntoIterator<Item = Gtid>>(gtids: I) -> Self {
        let mut set = Self::new();
        set.extend(gtids);
        set
    }
}
