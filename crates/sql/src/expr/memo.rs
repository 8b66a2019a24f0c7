//! What expressions remember throughout one execution of a statement.

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::Mutex;

use super::long_list::Sorted;
use super::lookup::{Lookup, Made};

/// See the module. Parts of the plan are known by their addresses: it stays where it is meanwhile.
#[derive(Debug, Default)]
pub struct Memo {
    /// The long lists that were sorted, by the place of their elements.
    pub(super) lists: Mutex<HashMap<usize, Arc<Sorted>>>,
    /// Rows that were made, by their place and a column.
    made: Mutex<HashMap<(usize, usize), Arc<Lookup>>>,
    /// Where sequences of numbers are, by the place of what draws from them.
    sequences: Mutex<HashMap<usize, [u64; 2]>>,
}

impl Memo {
    /// Rows that were made, in the order of a column, if that is worth it.
    pub fn made(&self, rows: &Made, column: usize) -> Option<Arc<Lookup>> {
        let mut made = self.made.lock();
        let place = (Arc::as_ptr(rows).addr(), column);
        if let Some(lookup) = made.get(&place).filter(|lookup| lookup.is_of(rows)) {
            return Some(Arc::clone(lookup));
        }
        let lookup = Arc::new(Lookup::new(rows, column)?);
        // A subquery that is asked again and again has new rows each time.
        made.retain(|_, lookup| lookup.is_alive());
        made.insert(place, Arc::clone(&lookup));
        Some(lookup)
    }

    /// Moves a sequence on, which begins as `first` says. Returns where it is then.
    pub(crate) fn advance(
        &self,
        place: usize,
        first: impl FnOnce() -> [u64; 2],
        step: impl FnOnce([u64; 2]) -> [u64; 2],
    ) -> [u64; 2] {
        let mut sequences = self.sequences.lock();
        let state = sequences.entry(place).or_insert_with(first);
        *state = step(*state);
        *state
    }
}
