//! The newest entries of a log, which a table of `mysql` shows.

use std::collections::VecDeque;
use std::sync::Arc;

/// Bytes of entries that are kept; the newest is, however large.
const KEPT_BYTES_MAX: usize = 16 << 20;

/// What an entry takes beside its texts.
const ENTRY_SIZE: usize = 96;

/// See the module.
#[derive(Debug)]
pub(super) struct Kept<T> {
    /// With the bytes of their texts.
    entries: VecDeque<(usize, Arc<T>)>,
    size: usize,
}

impl<T> Default for Kept<T> {
    fn default() -> Self {
        Self { entries: VecDeque::new(), size: 0 }
    }
}

impl<T> Kept<T> {
    /// Adds an entry whose texts have so many bytes. Old ones go for it.
    pub(super) fn push(&mut self, size: usize, entry: T) {
        let size = size + ENTRY_SIZE;
        self.size += size;
        while self.size > KEPT_BYTES_MAX
            && let Some((size, _)) = self.entries.pop_front()
        {
            self.size -= size;
        }
        self.entries.push_back((size, Arc::new(entry)));
    }

    /// The oldest first: to be looked at when the lock is free again, for each statement of each session takes it.
    pub(super) fn entries(&self) -> Vec<Arc<T>> {
        self.entries.iter().map(|(_, entry)| Arc::clone(entry)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_go_when_there_is_too_much() {
        let mut kept = Kept::default();
        (0..20).for_each(|id| kept.push(1 << 20, id));
        assert_eq!(kept.entries(), (5..20).map(Arc::new).collect::<Vec<_>>());
        assert!(kept.size <= KEPT_BYTES_MAX);
        // One that is larger than all is kept, alone.
        kept.push(20 << 20, 99);
        assert_eq!(kept.entries(), [Arc::new(99)]);
        kept.push(1, 100);
        assert_eq!(kept.entries(), [Arc::new(100)]);
        assert_eq!(kept.size, ENTRY_SIZE + 1);
    }
}
