//! Which rows and unique values a transaction writes, hashed: what its dependency on earlier transactions follows
//! from, on this server and on its replicas.
//!
//! They are the names of the locks under which it writes: one for each row's key, old and new, and one for each value
//! that it adds to a unique index or takes out of one. Equal keys have equal hashes; different ones may have, too.
//!
//! Rolling back to a savepoint takes nothing out: a hash too many costs a dependency too many.

use smallvec::SmallVec;

use crate::lock::LockId;

/// Hashes of one transaction, most of which change a row or two.
pub type Hashes = SmallVec<[u32; 4]>;

/// A transaction that writes more rows and unique values is not told apart by them.
pub const ROW_HASHES_MAX: usize = 4000;

/// Hashes that an idle transaction keeps memory for.
const KEPT: usize = 64;

/// See the module.
#[derive(Debug, Default)]
pub struct RowHashes {
    /// At most twice the limit: with repetitions.
    hashes: Vec<u32>,
    is_overfull: bool,
    is_entangled: bool,
}

impl RowHashes {
    /// Notes the lock of something that is written.
    pub fn note(&mut self, lock: LockId) {
        if self.is_overfull {
            return;
        }
        self.hashes.push((lock.0 >> 32) as u32);
        if self.hashes.len() >= 2 * ROW_HASHES_MAX {
            self.hashes.sort_unstable();
            self.hashes.dedup();
            self.is_overfull = self.hashes.len() > ROW_HASHES_MAX;
            if self.is_overfull {
                self.hashes = Vec::new();
            }
        }
    }

    /// Notes that a row is written that has no primary key: a replica finds it by its content.
    pub fn note_keyless(&mut self) {
        self.is_entangled = true;
    }

    /// Notes that a row is written whose table has foreign keys or is referred to: whether it may be written depends on
    /// rows that are not.
    pub fn note_related(&mut self) {
        self.is_entangled = true;
    }

    /// Replaces `out` by the hashes. Returns whether those are all: there are at least one and at most
    /// [`ROW_HASHES_MAX`] of them, or none but of rows that are entangled. One may stand there more than once.
    pub fn copy_to(&self, out: &mut Hashes) -> bool {
        out.clear();
        out.extend_from_slice(&self.hashes);
        if out.len() > ROW_HASHES_MAX {
            out.sort_unstable();
            out.dedup();
        }
        !self.is_overfull && out.len() <= ROW_HASHES_MAX && (self.is_entangled || !out.is_empty())
    }

    /// Whether there are rows that depend on others than those of the hashes.
    pub fn is_entangled(&self) -> bool {
        self.is_entangled
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.hashes.clear();
        self.hashes.shrink_to(KEPT);
        (self.is_overfull, self.is_entangled) = (false, false);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn noted(ids: impl IntoIterator<Item = u64>) -> RowHashes {
        let mut hashes = RowHashes::default();
        for id in ids {
            hashes.note(LockId(id << 32));
        }
        hashes
    }

    #[test]
    fn a_transaction_at_the_limit_is_told_apart_and_one_above_is_not() {
        let mut out = Hashes::from([9, 9, 9, 9]);
        let limit = ROW_HASHES_MAX as u64;
        assert!(noted(0..limit).copy_to(&mut out));
        assert_eq!(out.len(), ROW_HASHES_MAX);
        assert!(!noted(0..=limit).copy_to(&mut out));
        assert!(!noted(0..1_000_000).copy_to(&mut out));
        // The same rows again and again are no more rows.
        let repeated = noted((0..100).flat_map(|_| 0..limit));
        assert!(repeated.copy_to(&mut out));
        assert!(repeated.hashes.len() < 2 * ROW_HASHES_MAX);
    }

    #[test]
    fn what_writes_no_rows_of_tables_is_not_told_apart() {
        let mut out = Hashes::new();
        let mut hashes = noted([]);
        assert!(!hashes.copy_to(&mut out), "a change of the catalog alone");
        hashes.note_keyless();
        assert!(hashes.copy_to(&mut out) && hashes.is_entangled());
        hashes.clear();
        assert!(!hashes.copy_to(&mut out) && !hashes.is_entangled());
    }
}
