//! A delta: what was committed since the last checkpoint, in memory.
//!
//! Per key a chain of versions by `commit_seq`. Writers add versions at the newest end only (row locks order them);
//! readers look for the newest one at or below their `visible_seq`. A tombstone is a version that removes: it
//! hides what lower layers hold, and stays until a visible base replaces the whole delta. Nothing is ever removed
//! from a delta; it is dropped when the last view that holds it goes, or expired as a whole: reads fail from then on.
//!
//! All keys of an index lie in one shard, so that a range of an index is a range of one map. Large write sets stand
//! beside the shards as runs ([`crate::run`]).

use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use parking_lot::RwLock;
use smallvec::SmallVec;

use crate::EngineError;
use crate::ids::{Change, CommitSeq, IndexId, Key};
use crate::run::Run;
use crate::scan::Direction;

const SHARDS: usize = 64;
/// What a key costs beside its bytes: map node, version, the row's allocation. An estimate for the memory limit.
const KEY_OVERHEAD: usize = 96;
/// What a further version of a key costs beside its row.
const VERSION_OVERHEAD: usize = 48;

/// One version of a key.
#[derive(Clone, Debug)]
pub struct Version {
    /// The transaction that made it.
    pub seq: CommitSeq,
    /// What it made of the key.
    pub change: Change,
}

type Versions = SmallVec<[Version; 1]>;
type Shard = RwLock<BTreeMap<Key, Versions>>;

/// See the module.
#[derive(Debug)]
pub struct Delta {
    /// Rank: last; nothing is called while one is held.
    shards: Box<[Shard]>,
    /// In commit order. Rank: last, as above.
    runs: RwLock<Vec<Arc<Run>>>,
    /// Set after the first run is there and before its transaction is visible.
    has_runs: AtomicBool,
    bytes: AtomicUsize,
    /// Set before the first shard is emptied: whoever finds one empty under its lock sees it.
    expired: AtomicBool,
}

impl Default for Delta {
    fn default() -> Self {
        let shards = (0..SHARDS).map(|_| Shard::default()).collect();
        Self {
            shards,
            runs: RwLock::default(),
            has_runs: AtomicBool::new(false),
            bytes: AtomicUsize::new(0),
            expired: AtomicBool::new(false),
        }
    }
}

impl Delta {
    /// Adds a version.
    ///
    /// # Panics
    /// If the key already has this or a later one: somebody wrote without the key's lock.
    pub fn put(&self, seq: CommitSeq, key: Key, change: Change) {
        let (key_size, row_size) = (key.len(), change.row_size());
        let mut shard = self.shard(&key).write();
        let versions = shard.entry(key).or_default();
        let newest = versions.last().map(|version| version.seq);
        assert!(newest.is_none_or(|newest| newest < seq), "versions of a key are made in commit order");
        versions.push(Version { seq, change });
        drop(shard);
        let overhead = if newest.is_none() { key_size + KEY_OVERHEAD } else { VERSION_OVERHEAD };
        self.bytes.fetch_add(row_size + overhead, Ordering::Relaxed);
    }

    /// Adds the versions of `seq` as one run. `bytes` is the size of keys and rows.
    pub fn attach(&self, seq: CommitSeq, changes: BTreeMap<Key, Change>, bytes: usize) {
        self.bytes.fetch_add(bytes + changes.len() * KEY_OVERHEAD, Ordering::Relaxed);
        let mut runs = self.runs.write();
        // Whoever is between ticket and hand-over may be overtaken here.
        let place = runs.partition_point(|run| run.seq < seq);
        runs.insert(place, Arc::new(Run { seq, changes }));
        self.has_runs.store(true, Ordering::Release);
    }

    /// The runs that a reader sees, newest first.
    ///
    /// # Errors
    /// As [`Delta::get`].
    pub(crate) fn runs(&self, at: CommitSeq) -> Result<SmallVec<[Arc<Run>; 1]>, EngineError> {
        // Pairs with the store in `attach`; what the reader sees was attached before it became visible.
        if !self.has_runs.load(Ordering::Acquire) {
            return Ok(SmallVec::new());
        }
        let runs = self.runs.read();
        self.check()?;
        Ok(runs.iter().rev().filter(|run| run.seq <= at).cloned().collect())
    }

    /// The newest version of a key at or below `at`.
    ///
    /// # Errors
    /// [`EngineError::SnapshotTooOld`] once it is expired.
    pub fn get(&self, key: &[u8], at: CommitSeq) -> Result<Option<Version>, EngineError> {
        let version = {
            let shard = self.shard(key).read();
            self.check()?;
            shard.get(key).and_then(|versions| newest_at(versions, at)).cloned()
        };
        let found = version.as_ref().map_or(CommitSeq(0), |version| version.seq);
        let newer = self.runs(at)?.iter().take_while(|run| run.seq > found).find_map(|run| run.get(key));
        Ok(newer.or(version))
    }

    /// Gives up what it holds. Reads fail from now on. For deltas whose versions are all in the base.
    pub fn expire(&self) {
        self.expired.store(true, Ordering::Relaxed);
        for shard in &self.shards {
            let versions = std::mem::take(&mut *shard.write());
            drop(versions);
        }
        let runs = std::mem::take(&mut *self.runs.write());
        drop(runs);
        self.bytes.store(0, Ordering::Relaxed);
    }

    /// Fails once it is expired. The caller holds the lock of the shard that it reads.
    fn check(&self) -> Result<(), EngineError> {
        if self.expired.load(Ordering::Relaxed) { Err(EngineError::SnapshotTooOld) } else { Ok(()) }
    }

    /// Looks at up to `limit` keys of a range of the shards and appends those that have a version at or below `at`, each with its
    /// newest such version. Returns the last key looked at if there may be more. The range must lie within one index.
    ///
    /// # Errors
    /// As [`Delta::get`].
    pub fn copy_range(
        &self,
        range: (Bound<&[u8]>, Bound<&[u8]>),
        at: CommitSeq,
        direction: Direction,
        limit: usize,
        out: &mut Vec<(Key, Version)>,
    ) -> Result<Option<Key>, EngineError> {
        let (Bound::Included(within) | Bound::Excluded(within)) = range.0 else {
            unreachable!("ranges begin with an index prefix")
        };
        let shard = self.shard(within).read();
        self.check()?;
        Ok(copy_limited(shard.range::<[u8], _>(range), direction, limit, |key, versions| {
            out.extend(newest_at(versions, at).map(|version| (key.clone(), version.clone())));
        }))
    }

    /// Memory in bytes, estimated.
    pub fn bytes(&self) -> usize {
        self.bytes.load(Ordering::Relaxed)
    }

    /// Calls `each` for the newest version of every key: of the shards and then of each run, in key order within an
    /// index. Locks a shard for as long as it is walked: for deltas that are no longer written.
    pub fn for_each_newest<E>(&self, mut each: impl FnMut(&Key, &Change) -> Result<(), E>) -> Result<(), E> {
        let runs = self.runs.read();
        for shard in &self.shards {
            for (key, versions) in &*shard.read() {
                let newest = versions.last().expect("a key in a delta has a version");
                if !is_in_newer(&runs, newest.seq, key) {
                    each(key, &newest.change)?;
                }
            }
        }
        for run in &*runs {
            for (key, change) in &run.changes {
                let shard = self.shard(key).read();
                let newest = shard.get(key).and_then(|versions| versions.last());
                if newest.is_none_or(|newest| newest.seq < run.seq) && !is_in_newer(&runs, run.seq, key) {
                    each(key, change)?;
                }
            }
        }
        Ok(())
    }

    fn shard(&self, key: &[u8]) -> &Shard {
        &self.shards[IndexId::of(key).0 as usize % SHARDS]
    }
}

/// Hands up to `limit` entries to `each`; returns the last one's key if there may be more.
pub(crate) fn copy_limited<'a, V: 'a>(
    mut entries: impl DoubleEndedIterator<Item = (&'a Key, &'a V)>,
    direction: Direction,
    limit: usize,
    mut each: impl FnMut(&Key, &V),
) -> Option<Key> {
    let mut last = None;
    for _ in 0..limit {
        let (key, value) = match direction {
            Direction::Forward => entries.next()?,
            Direction::Backward => entries.next_back()?,
        };
        each(key, value);
        last = Some(key);
    }
    last.cloned()
}

fn is_in_newer(runs: &[Arc<Run>], seq: CommitSeq, key: &[u8]) -> bool {
    runs.iter().rev().take_while(|run| run.seq > seq).any(|run| run.changes.contains_key(key))
}

fn newest_at(versions: &Versions, at: CommitSeq) -> Option<&Version> {
    let newest = versions.last()?;
    if newest.seq <= at {
        return Some(newest);
    }
    let count = versions.partition_point(|version| version.seq <= at);
    count.checked_sub(1).map(|index| &versions[index])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(index: u32, rest: &[u8]) -> Key {
        [&IndexId(index).prefix()[..], rest].concat().into()
    }

    fn row(bytes: &[u8]) -> Change {
        Change::Put(bytes.into())
    }

    #[test]
    fn a_reader_finds_the_newest_version_at_its_place() {
        let delta = Delta::default();
        let k = key(20, b"a");
        for (seq, value) in [(3, row(b"three")), (5, Change::Remove), (9, row(b"nine"))] {
            delta.put(CommitSeq(seq), k.clone(), value);
        }
        let at = |seq| {
            delta.get(&k, CommitSeq(seq)).unwrap().map(|v| (v.seq.0, v.change.row().map(|r| r.to_vec())))
        };
        assert_eq!(at(2), None);
        assert_eq!(at(3), Some((3, Some(b"three".to_vec()))));
        assert_eq!(at(4), Some((3, Some(b"three".to_vec()))));
        assert_eq!(at(8), Some((5, None)));
        assert_eq!(at(u64::MAX), Some((9, Some(b"nine".to_vec()))));
    }

    #[test]
    fn ranges_stay_within_their_index_although_shards_are_shared() {
        let delta = Delta::default();
        let far = 20 + u32::try_from(SHARDS).unwrap();
        for (index, name) in [(20, b"a"), (20, b"b"), (far, b"a"), (20, b"c")] {
            delta.put(CommitSeq(1), key(index, name), row(name));
        }
        let (low, high) = (IndexId(20).prefix(), IndexId(21).prefix());
        let range = (Bound::Included(&low[..]), Bound::Excluded(&high[..]));
        let names = |direction, limit| {
            let mut out = Vec::new();
            let last = delta.copy_range(range, CommitSeq::MAX, direction, limit, &mut out).unwrap();
            (out.iter().map(|(key, _)| key[4]).collect::<Vec<_>>(), last)
        };
        assert_eq!(names(Direction::Forward, 10), (b"abc".to_vec(), None));
        assert_eq!(names(Direction::Backward, 2), (b"cb".to_vec(), Some(key(20, b"b"))));
    }
}
