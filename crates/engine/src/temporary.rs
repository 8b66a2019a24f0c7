//! Rows of a session's temporary tables.
//!
//! They are the session's own, so they need no locks, no versions, no redo and no base: all there is lies in one map,
//! which outlives the session's transactions. A transaction that commits keeps what it changed; one that is rolled back
//! undoes it, as far back as a mark says. What a temporary table loses by DROP and TRUNCATE does not come back.

use std::sync::Arc;

use crate::EngineError;
use crate::ids::{Change, IndexId, Key, Row};
use crate::scan::{Direction, KeyRange, Scan};
use crate::writeset::OwnChanges;

/// Bytes that the temporary tables of a session may take, what their transaction can undo included.
pub const TEMPORARY_BYTES_MAX: usize = 1 << 30;

/// What a key costs beside its bytes: a map's node and the row's allocation. An estimate.
const KEY_OVERHEAD: usize = 96;

/// See the module.
#[derive(Debug, Default)]
pub(crate) struct TemporaryRows {
    rows: Arc<OwnChanges>,
    /// What each change of the transaction replaced, in order.
    undo: Vec<(Key, Option<Change>)>,
    /// Of the rows and of `undo`.
    bytes: usize,
}

impl TemporaryRows {
    /// Whether the transaction has changed nothing.
    pub(crate) fn is_unchanged(&self) -> bool {
        self.undo.is_empty()
    }

    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    pub(crate) fn get(&self, key: &[u8]) -> Option<Row> {
        self.rows.get(key).and_then(Change::into_row)
    }

    pub(crate) fn scan(&self, range: &KeyRange, direction: Direction) -> Result<Scan, EngineError> {
        Scan::of_own(&self.rows, range, direction)
    }

    pub(crate) fn put(&mut self, key: Key, change: Change) {
        let kept = Some(change).filter(|change| change.row().is_some());
        self.bytes += kept.as_ref().map_or(0, |kept| size(&key, kept));
        let before = self.rows.set(key.clone(), kept);
        // What was a row is one to be undone now: its bytes stay.
        self.bytes += KEY_OVERHEAD + key.len();
        self.undo.push((key, before));
    }

    pub(crate) fn mark(&self) -> usize {
        self.undo.len()
    }

    /// Undoes what was done since a mark.
    pub(crate) fn rollback_to(&mut self, mark: usize) {
        while self.undo.len() > mark {
            let (key, before) = self.undo.pop().expect("longer than the mark");
            self.bytes -= KEY_OVERHEAD + key.len();
            if let Some(undone) = self.rows.set(key.clone(), before) {
                self.bytes -= size(&key, &undone);
            }
        }
    }

    /// The transaction commits.
    pub(crate) fn keep(&mut self) {
        for (key, before) in std::mem::take(&mut self.undo) {
            self.bytes -= KEY_OVERHEAD + key.len() + before.as_ref().map_or(0, |before| size(&key, before));
        }
    }

    /// Removes all that an index holds, for good.
    pub(crate) fn empty(&mut self, index: IndexId) {
        for (key, row) in self.rows.take_index(index) {
            self.bytes -= size(&key, &row);
        }
        for (key, before) in &mut self.undo {
            if IndexId::of(key) == index
                && let Some(before) = before.take()
            {
                self.bytes -= size(key, &before);
            }
        }
    }
}

fn size(key: &[u8], change: &Change) -> usize {
    KEY_OVERHEAD + key.len() + change.row_size()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    fn key(index: u32, name: u8) -> Key {
        [&IndexId(IndexId::FIRST_TEMPORARY.0 + index).prefix()[..], &[name]].concat().into()
    }

    fn all(rows: &TemporaryRows) -> BTreeMap<Key, Vec<u8>> {
        let mut found = BTreeMap::new();
        for index in 0..2 {
            let range = KeyRange::prefix(&IndexId(IndexId::FIRST_TEMPORARY.0 + index).prefix());
            let mut scan = rows.scan(&range, Direction::Forward).unwrap();
            while let Some(entry) = scan.next_row().unwrap() {
                found.insert(entry.key, entry.row.unwrap().to_vec());
            }
        }
        found
    }

    #[derive(Clone, Debug)]
    enum Step {
        Put(u32, u8, Option<usize>),
        Mark,
        RollBack,
        Commit,
        Empty(u32),
    }

    fn step() -> impl Strategy<Value = Step> {
        prop_oneof![
            8 => (0..2_u32, 0..5_u8, proptest::option::of(0..9_usize)).prop_map(|(i, k, n)| Step::Put(i, k, n)),
            1 => Just(Step::Mark),
            1 => Just(Step::RollBack),
            1 => Just(Step::Commit),
            1 => (0..2_u32).prop_map(Step::Empty),
        ]
    }

    proptest! {
        #[test]
        fn rows_are_those_of_a_map_that_is_copied_at_each_mark(steps in proptest::collection::vec(step(), 0..60)) {
            let mut rows = TemporaryRows::default();
            let mut model = BTreeMap::new();
            let mut marked = (0, model.clone());
            for step in steps {
                match step {
                    Step::Put(index, name, size) => {
                        let key = key(index, name);
                        let change = size.map_or(Change::Remove, |size| Change::Put(vec![name; size].into()));
                        rows.put(key.clone(), change);
                        match size {
                            Some(size) => drop(model.insert(key, vec![name; size])),
                            None => drop(model.remove(&key)),
                        }
                    }
                    Step::Mark => marked = (rows.mark(), model.clone()),
                    Step::RollBack => {
                        rows.rollback_to(marked.0);
                        model.clone_from(&marked.1);
                    }
                    Step::Commit => {
                        rows.keep();
                        marked = (0, model.clone());
                        prop_assert!(rows.is_unchanged());
                    }
                    Step::Empty(index) => {
                        let index = IndexId(IndexId::FIRST_TEMPORARY.0 + index);
                        rows.empty(index);
                        model.retain(|key, _| IndexId::of(key) != index);
                        marked.1.retain(|key, _| IndexId::of(key) != index);
                    }
                }
                prop_assert_eq!(all(&rows), model.clone());
            }
            rows.keep();
            let bytes: usize = model.iter().map(|(key, row)| KEY_OVERHEAD + key.len() + row.len()).sum();
            prop_assert_eq!(rows.bytes(), bytes);
        }
    }
}
