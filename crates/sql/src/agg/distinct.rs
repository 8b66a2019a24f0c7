//! DISTINCT: which values were there already.

use std::collections::HashSet;

use types::value::ValueRef;

use crate::expr::SortKey;

/// The keys of the values.
#[derive(Debug, Default)]
pub(super) struct Distinct {
    seen: HashSet<SortKey>,
    buffer: SortKey,
}

impl Distinct {
    /// Adds values; false if they were there.
    pub(super) fn insert<'v>(&mut self, values: impl Iterator<Item = ValueRef<'v>>) -> bool {
        self.buffer.clear();
        values.for_each(|value| self.buffer.push(value));
        if self.seen.contains(self.buffer.as_bytes()) {
            return false;
        }
        self.seen.insert(self.buffer.clone())
    }
}
