//! Which commits are in their deltas with all that they changed.
//!
//! Sessions put their changes there side by side, each between its ticket and the release of its locks. Whoever wants to know
//! up to where all of them are through walks over the few that are not visible yet.

use sync::atomic::{AtomicU64, Ordering};

use crate::ids::CommitSeq;

/// The last commit that is through, at each place of a ring that commits have in turn.
#[derive(Debug)]
pub struct Applied(Box<[AtomicU64]>);

impl Applied {
    /// For `under_way` commits that are not visible. With more of them the answer is older than it could be.
    pub fn new(under_way: usize) -> Self {
        Self((0..under_way.next_power_of_two()).map(|_| AtomicU64::new(0)).collect())
    }

    /// A commit is through. What it did before is seen by whoever is told of it.
    pub fn note(&self, seq: CommitSeq) {
        self.place(seq).store(seq.0, Ordering::Release);
    }

    /// The last one of those that all are through, in commit order; those that are visible are.
    pub fn end(&self, visible: impl Fn() -> CommitSeq) -> CommitSeq {
        let mut last = visible();
        loop {
            let next = last.next();
            if self.place(next).load(Ordering::Acquire) == next.0 {
                last = next;
                continue;
            }
            // Its place may have gone to a later one since it became visible.
            let visible = visible();
            if visible <= last {
                return last;
            }
            last = visible;
        }
    }

    fn place(&self, seq: CommitSeq) -> &AtomicU64 {
        let place = seq.0 & (self.0.len() as u64 - 1);
        &self.0[usize::try_from(place).expect("below the ring's length")]
    }
}
