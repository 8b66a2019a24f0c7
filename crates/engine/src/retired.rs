//! What old views keep: base generations and deltas that were replaced while somebody still read them.
//!
//! A snapshot keeps its view for as long as it likes, so neither memory nor the file would have a bound. Whoever takes
//! checkpoints meters here what old views keep, and beyond a limit has them expired, the oldest first: memory and pages
//! are free at once, although the session that holds the snapshot may sleep. Its next read that needs them fails with
//! [`EngineError::SnapshotTooOld`](crate::EngineError::SnapshotTooOld); it never sees less than it should.
//!
//! Every replaced generation has an entry, with the deltas that the new one took the place of. All views that hold one
//! of those deltas have this base or an older one; so entries that go oldest first never take from a view what a newer
//! one needs.
//!
//! The entry that was made last never expires: a statement that happened to run when a checkpoint ended has at least
//! until the end of the next one. Old views thus keep at most the limit, or what one checkpoint writes if that is more,
//! and what is written during the next one.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Weak};

use parking_lot::Mutex;
use smallvec::SmallVec;

use crate::base::Generation;
use crate::delta::Delta;

/// See the module. Part of what is published.
#[derive(Debug, Default)]
pub struct Retired {
    /// Oldest first. Rank: before a delta's shards and the base's.
    entries: Mutex<VecDeque<Entry>>,
    /// How many were expired while somebody held them.
    expired: AtomicU64,
}

#[derive(Debug)]
struct Entry {
    base: Weak<Generation>,
    deltas: SmallVec<[Weak<Delta>; 1]>,
}

impl Retired {
    /// Notes what a checkpoint has replaced.
    pub(crate) fn push<'d>(&self, base: &Arc<Generation>, deltas: impl Iterator<Item = &'d Arc<Delta>>) {
        let entry = Entry { base: Arc::downgrade(base), deltas: deltas.map(Arc::downgrade).collect() };
        let mut entries = self.entries.lock();
        entries.retain(Entry::is_held);
        entries.push_back(entry);
    }

    /// What is kept: memory of deltas, and bytes that were written to the base since the oldest generation was made, for
    /// none of the pages that were freed meanwhile is used again.
    pub fn bytes(&self) -> u64 {
        kept(&self.entries.lock())
    }

    /// Expires the oldest entries until the others keep no more than `limit` bytes. Returns how many were held.
    pub fn expire_beyond(&self, limit: u64) -> u64 {
        let mut entries = self.entries.lock();
        let mut count = 0;
        while entries.len() > 1 && kept(&entries) > limit {
            let oldest = entries.pop_front().expect("there are two");
            count += u64::from(oldest.is_held());
            oldest.expire();
        }
        self.expired.fetch_add(count, Ordering::Relaxed);
        count
    }

    /// How many were expired while somebody held them.
    pub fn expired(&self) -> u64 {
        self.expired.load(Ordering::Relaxed)
    }
}

impl Entry {
    fn is_held(&self) -> bool {
        self.base.strong_count() > 0 || self.deltas.iter().any(|delta| delta.strong_count() > 0)
    }

    fn expire(&self) {
        if let Some(base) = self.base.upgrade() {
            base.expire();
        }
        self.deltas.iter().filter_map(Weak::upgrade).for_each(|delta| delta.expire());
    }
}

fn kept(entries: &VecDeque<Entry>) -> u64 {
    let oldest = entries.iter().find_map(|entry| entry.base.upgrade());
    let deltas = entries.iter().flat_map(|entry| &entry.deltas).filter_map(Weak::upgrade);
    oldest.map_or(0, |base| base.bytes_since()) + deltas.map(|delta| delta.bytes() as u64).sum::<u64>()
}
