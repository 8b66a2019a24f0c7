//! A transaction's write set: what it changed and nobody else sees, with undo for savepoints.
//!
//! No steal: changes live here and nowhere else until the commit, so rolling back is forgetting.
//!
//! How a write set lies in a redo record, entry after entry in key order:
//!
//! ```text
//! size
//!    2  key length k
//!    4  row length + 1, or 0 for a removed key
//!    k  key
//!    n  row
//! ```

use std::collections::BTreeMap;
use std::ops::{Bound, Range};
use std::sync::Arc;

use parking_lot::Mutex;

use crate::EngineError;
use crate::delta::{Delta, Version, copy_limited};
use crate::ids::{Change, CommitSeq, IndexId, Key};
use crate::row_hashes::RowHashes;
use crate::run::APPLY_KEYS_MAX;
use crate::scan::Direction;

/// Bytes of an entry beside key and row.
const ENTRY_HEAD_SIZE: usize = 6;

/// Changes that an idle transaction keeps memory for.
const UNDO_KEPT: usize = 1024;

/// The changes of a transaction that is running, shared with its own scans.
#[derive(Debug, Default)]
pub struct OwnChanges(Mutex<BTreeMap<Key, Change>>);

impl OwnChanges {
    /// What the transaction made of a key: `None` if it did not touch it.
    pub fn get(&self, key: &[u8]) -> Option<Change> {
        self.0.lock().get(key).cloned()
    }

    /// Replaces what becomes of a key. Returns what that was.
    pub(crate) fn set(&self, key: Key, change: Option<Change>) -> Option<Change> {
        let mut changes = self.0.lock();
        match change {
            Some(change) => changes.insert(key, change),
            None => changes.remove(&key),
        }
    }

    /// Takes out all keys of an index.
    pub(crate) fn take_index(&self, index: IndexId) -> BTreeMap<Key, Change> {
        let mut changes = self.0.lock();
        let mut taken = changes.split_off(&index.prefix()[..]);
        if let Some(next) = index.0.checked_add(1) {
            changes.append(&mut taken.split_off(&IndexId(next).prefix()[..]));
        }
        taken
    }

    /// As [`Delta::copy_range`]; the versions carry `commit_seq` 0, for there is nothing to wait for.
    pub(crate) fn copy_range(
        &self,
        range: (Bound<&[u8]>, Bound<&[u8]>),
        direction: Direction,
        limit: usize,
        out: &mut Vec<(Key, Version)>,
    ) -> Option<Key> {
        let changes = self.0.lock();
        copy_limited(changes.range::<[u8], _>(range), direction, limit, |key, change| {
            out.push((key.clone(), Version { seq: CommitSeq(0), change: change.clone() }));
        })
    }
}

/// See the module.
#[derive(Debug, Default)]
pub struct WriteSet {
    changes: Arc<OwnChanges>,
    /// What each change replaced, in order.
    undo: Vec<(Key, Option<Change>)>,
    /// Bytes of the entries as encoded.
    encoded_size: usize,
    /// Which rows and unique values the changes are about.
    pub row_hashes: RowHashes,
}

/// A point in a write set that can be returned to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark(usize);

impl WriteSet {
    /// The changes, to merge into scans.
    pub fn own(&self) -> &Arc<OwnChanges> {
        &self.changes
    }

    /// Whether nothing was changed.
    pub fn is_empty(&self) -> bool {
        self.undo.is_empty()
    }

    /// Number of changed keys.
    pub fn len(&self) -> usize {
        self.changes.0.lock().len()
    }

    /// Records what becomes of a key.
    pub fn put(&mut self, key: Key, change: Change) {
        self.encoded_size += entry_size(&key, &change);
        let before = self.changes.0.lock().insert(key.clone(), change);
        if let Some(before) = &before {
            self.encoded_size -= entry_size(&key, before);
        }
        self.undo.push((key, before));
    }

    /// The current point.
    pub fn mark(&self) -> Mark {
        Mark(self.undo.len())
    }

    /// Forgets everything since `mark`.
    pub fn rollback_to(&mut self, mark: Mark) {
        let mut changes = self.changes.0.lock();
        while self.undo.len() > mark.0 {
            let (key, before) = self.undo.pop().expect("longer than the mark");
            let undone = match before {
                Some(before) => {
                    self.encoded_size += entry_size(&key, &before);
                    changes.insert(key.clone(), before)
                }
                None => changes.remove(&key),
            };
            self.encoded_size -= entry_size(&key, &undone.expect("undone changes exist"));
        }
    }

    /// Bytes that [`WriteSet::encode`] appends.
    pub fn encoded_size(&self) -> usize {
        self.encoded_size
    }

    /// Appends all entries to `out`.
    pub fn encode(&self, out: &mut Vec<u8>) {
        let before = out.len();
        out.reserve(self.encoded_size);
        for (key, change) in &*self.changes.0.lock() {
            encode_entry(key, change, out);
        }
        assert_eq!(out.len() - before, self.encoded_size, "the size of a write set is known beforehand");
    }

    /// All entries, encoded in pieces of `size_max` bytes, the last one of less; an entry may go on in the next piece.
    pub fn encode_pieces(&self, size_max: usize) -> Vec<Vec<u8>> {
        let mut pieces = vec![Vec::new()];
        let mut entry = Vec::new();
        for (key, change) in &*self.changes.0.lock() {
            entry.clear();
            encode_entry(key, change, &mut entry);
            let mut rest = &entry[..];
            while !rest.is_empty() {
                let piece = pieces.last_mut().expect("there is always one");
                let (fits, more) = rest.split_at(rest.len().min(size_max - piece.len()));
                piece.extend_from_slice(fits);
                if !more.is_empty() {
                    pieces.push(Vec::new());
                }
                rest = more;
            }
        }
        pieces
    }

    /// Moves all changes into a delta as the versions of `seq`: many as one run. What else there is of many stays until
    /// [`WriteSet::clear`], for dropping it takes time that later commits would wait for.
    pub fn apply(&mut self, seq: CommitSeq, delta: &Delta) {
        let changes = std::mem::take(&mut *self.changes.0.lock());
        if changes.len() > APPLY_KEYS_MAX {
            delta.attach(seq, changes, self.encoded_size);
            return;
        }
        for (key, change) in changes {
            delta.put(seq, key, change);
        }
        // Few keys may have been changed often. When the commit is done it is in no cache any more.
        if self.undo.len() <= APPLY_KEYS_MAX {
            self.undo.clear();
        }
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        if !self.undo.is_empty() {
            self.changes.0.lock().clear();
            self.undo.clear();
        }
        self.undo.shrink_to(UNDO_KEPT);
        self.encoded_size = 0;
        self.row_hashes.clear();
    }
}

fn entry_size(key: &[u8], change: &Change) -> usize {
    ENTRY_HEAD_SIZE + key.len() + change.row_size()
}

/// Appends one entry.
///
/// # Panics
/// If the key exceeds 65,535 bytes or the row 4 GiB - 2: limits that tables keep.
pub fn encode_entry(key: &[u8], change: &Change, out: &mut Vec<u8>) {
    let key_size = u16::try_from(key.len()).expect("keys are below 64 KiB");
    let row_size = change.row().map_or(0, |row| u32::try_from(row.len() + 1).expect("rows are below 4 GiB"));
    out.extend_from_slice(&key_size.to_le_bytes());
    out.extend_from_slice(&row_size.to_le_bytes());
    out.extend_from_slice(key);
    out.extend_from_slice(change.row().map_or(&[], |row| row));
}

/// Decodes entries that come in pieces, wherever they were cut.
#[derive(Debug, Default)]
pub struct EntryDecoder {
    /// The entry that has come in part.
    begun: Vec<u8>,
}

impl EntryDecoder {
    /// Takes the next piece: calls `each` for each entry that is whole with it.
    ///
    /// # Errors
    /// [`EngineError::Corrupt`] if the bytes are no entries.
    pub fn push(&mut self, piece: &[u8], each: impl FnMut(Key, Change)) -> Result<(), EngineError> {
        if self.begun.is_empty() {
            self.begun = decode_whole(piece, each)?.to_vec();
            return Ok(());
        }
        self.begun.extend_from_slice(piece);
        let left = decode_whole(&self.begun, each)?.len();
        self.begun.drain(..self.begun.len() - left);
        Ok(())
    }

    /// There are no more pieces.
    ///
    /// # Errors
    /// [`EngineError::Corrupt`] if an entry has come in part.
    pub fn finish(self) -> Result<(), EngineError> {
        if self.begun.is_empty() { Ok(()) } else { Err(corrupt()) }
    }
}

/// Calls `each` for all entries at the front that are whole and returns what is behind them.
fn decode_whole(mut bytes: &[u8], mut each: impl FnMut(Key, Change)) -> Result<&[u8], EngineError> {
    while let Some(entry) = first_entry(bytes) {
        if entry.key.len() < crate::ids::PREFIX_SIZE {
            return Err(corrupt());
        }
        each(entry.key.into(), entry.row.map_or(Change::Remove, |row| Change::Put(row.into())));
        bytes = entry.rest;
    }
    Ok(bytes)
}

/// An encoded entry.
struct Entry<'a> {
    key: &'a [u8],
    row: Option<&'a [u8]>,
    /// What is behind it.
    rest: &'a [u8],
}

/// The entry at the front, if it is whole.
fn first_entry(bytes: &[u8]) -> Option<Entry<'_>> {
    let ([k0, k1, r0, r1, r2, r3], rest) = bytes.split_first_chunk::<ENTRY_HEAD_SIZE>()?;
    let key_size = usize::from(u16::from_le_bytes([*k0, *k1]));
    let row_size = u32::from_le_bytes([*r0, *r1, *r2, *r3]) as usize;
    let (key, rest) = rest.split_at_checked(key_size)?;
    let (row, rest) = rest.split_at_checked(row_size.saturating_sub(1))?;
    Some(Entry { key, row: (row_size > 0).then_some(row), rest })
}

/// Where the rows lie in whole encoded entries.
pub fn row_ranges(entries: &[u8]) -> impl Iterator<Item = Range<usize>> {
    let mut rest = entries;
    std::iter::from_fn(move || {
        let entry = first_entry(rest)?;
        rest = entry.rest;
        let end = entries.len() - rest.len();
        Some(end - entry.row.map_or(0, <[u8]>::len)..end)
    })
}

fn corrupt() -> EngineError {
    EngineError::Corrupt { what: "a write set in the redo log".to_owned() }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn key(name: u8) -> Key {
        vec![0, 0, 0, 20, name].into()
    }

    #[test]
    fn no_piece_is_larger_than_asked_for_whatever_a_row_is() {
        let mut writes = WriteSet::default();
        for (name, size) in [(1, 0), (2, 100), (3, 1), (4, 1000), (5, 7)] {
            writes.put(key(name), Change::Put(vec![name; size].into()));
        }
        let mut whole = Vec::new();
        writes.encode(&mut whole);
        for size_max in [1, 11, 64, whole.len(), 5000] {
            let pieces = writes.encode_pieces(size_max);
            assert!(pieces.iter().all(|piece| piece.len() <= size_max && !piece.is_empty()));
            assert_eq!(pieces.concat(), whole);
        }
    }

    /// Nobody's commit is to wait for it to be dropped.
    #[test]
    fn what_one_key_was_often_stays_until_the_commit_is_done() {
        for (times, stays) in [(1, false), (APPLY_KEYS_MAX, false), (APPLY_KEYS_MAX + 1, true)] {
            let mut writes = WriteSet::default();
            (0..times).for_each(|_| writes.put(key(1), Change::Remove));
            writes.apply(CommitSeq(1), &Delta::default());
            assert_eq!((writes.len(), writes.is_empty()), (0, !stays), "{times}");
            writes.clear();
            assert!(writes.is_empty());
        }
    }

    proptest! {
        #[test]
        fn rolling_back_restores_state_and_size(
            changes in proptest::collection::vec((0..6_u8, proptest::option::of(0..9_usize)), 0..40),
            at in 0..40_usize,
            piece_size in 1..60_usize,
        ) {
            let mut set = WriteSet::default();
            let mut model = BTreeMap::new();
            let mut saved = None;
            for (index, (name, size)) in changes.iter().enumerate() {
                if index == at {
                    saved = Some((set.mark(), model.clone()));
                }
                let change = size.map_or(Change::Remove, |size| Change::Put(vec![*name; size].into()));
                set.put(key(*name), change.clone());
                model.insert(key(*name), change);
            }
            if let Some((mark, before)) = saved {
                set.rollback_to(mark);
                model = before;
            }
            let mut encoded = Vec::new();
            set.encode(&mut encoded);
            let mut decoded = BTreeMap::new();
            let mut decoder = EntryDecoder::default();
            for piece in encoded.chunks(piece_size) {
                decoder.push(piece, |key, change| { decoded.insert(key, change); }).unwrap();
            }
            decoder.finish().unwrap();
            prop_assert_eq!(decoded, model);
            if !encoded.is_empty() {
                let mut cut_off = EntryDecoder::default();
                let cut = cut_off.push(&encoded[..encoded.len() - 1], |_, _| {}).and_then(|()| cut_off.finish());
                prop_assert!(cut.is_err());
            }
        }

        #[test]
        fn decoding_any_bytes_ends_without_a_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = EntryDecoder::default().push(&bytes, |_, _| {});
        }
    }
}
