//! DISTINCT: which values were there already.

use std::collections::HashSet;

use types::value::ValueRef;

use crate::expr::SortKey;

/// The keys of the values.
#[derive(Clone, Debug, Default)]
pub(super) struct Distinct {
    seen: HashSet<SortKey>,
    buffer: SortKey,
}

impl Distinct {
    /// Adds values; returns the bytes that it keeps of them, `None` if they were there.
    pub(super) fn insert<'v>(&mut self, values: impl Iterator<Item = ValueRef<'v>>) -> Option<usize> {
        self.buffer.clear();
        values.for_each(|value| self.buffer.push(value));
        if self.seen.contains(self.buffer.as_bytes()) {
            return None;
        }
        self.seen.insert(self.buffer.clone());
        Some(size_of::<SortKey>() + self.buffer.as_bytes().len())
    }
}
