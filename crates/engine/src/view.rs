//! Views: which layers make up the table store at a moment, and snapshots of them.
//!
//! ```text
//!   active delta          writers add versions here
//!   sealed deltas         newest first; complete or being completed, on their way into the base
//!   base generation       everything up to `through`
//! ```
//! A view is immutable and shared; sealing and checkpoints publish a new one. A snapshot is a view and a
//! `visible_seq` taken in one atomic step. Both are kept together, so a reader needs no rule about garbage: what it
//! can reach stays as long as it does.
//!
//! Invariant: the base of a published view contains nothing above the `visible_seq` of that moment, and a version
//! that is below a view's `visible_seq` is in one of its layers.

use std::sync::Arc;

use arc_swap::ArcSwap;
use smallvec::SmallVec;
use sync::atomic::{AtomicU64, Ordering};

use crate::EngineError;
use crate::applied::Applied;
use crate::base::Generation;
use crate::delta::Delta;
use crate::ids::{CommitSeq, Row};
use crate::retired::Retired;

/// A delta that gets no new transactions.
#[derive(Clone, Debug)]
pub struct Sealed {
    /// Its versions are complete once every transaction up to `through` is applied.
    pub delta: Arc<Delta>,
    /// The last transaction that it may hold.
    pub through: CommitSeq,
}

/// See the module.
#[derive(Debug)]
pub struct View {
    /// Takes the versions of the transactions that are drawn now.
    pub active: Arc<Delta>,
    /// Older deltas, newest first.
    pub sealed: SmallVec<[Sealed; 2]>,
    /// What has been checkpointed.
    pub base: Arc<Generation>,
}

impl View {
    /// The newest version of a key at or below `at`: its row, if it has one, and the transaction that made it
    /// (0 if the base holds it).
    ///
    /// # Errors
    /// [`EngineError::SnapshotTooOld`] if a layer that it had to look at is expired.
    pub fn get(&self, key: &[u8], at: CommitSeq) -> Result<(CommitSeq, Option<Row>), EngineError> {
        let deltas = std::iter::once(&self.active).chain(self.sealed.iter().map(|sealed| &sealed.delta));
        for delta in deltas {
            if let Some(version) = delta.get(key, at)? {
                return Ok((version.seq, version.change.into_row()));
            }
        }
        Ok((CommitSeq(0), self.base.get(key)?))
    }

    /// Memory of all deltas, in bytes.
    pub fn delta_bytes(&self) -> usize {
        self.active.bytes() + self.sealed.iter().map(|sealed| sealed.delta.bytes()).sum::<usize>()
    }
}

/// A view and the last transaction that is visible in it.
#[derive(Clone, Debug)]
pub struct Snapshot {
    /// The layers.
    pub view: Arc<View>,
    /// Versions above this are not seen.
    pub visible: CommitSeq,
}

/// The current view and `visible_seq`. One per server.
#[derive(Debug)]
pub struct Published {
    view: ArcSwap<View>,
    /// Only grows. Release by the publisher, acquired by readers: what it covers is applied.
    visible: AtomicU64,
    /// Which of the others are in their deltas.
    applied: Applied,
    /// What views that were replaced may still keep.
    pub retired: Retired,
}

impl Published {
    /// Starts with a view of the base alone. With more than `under_way` transactions between their ticket and being visible,
    /// moments are older than they could be.
    pub fn new(base: Generation, under_way: usize) -> Self {
        let applied = Applied::new(under_way);
        let visible = AtomicU64::new(base.through().0);
        let view = View { active: Arc::default(), sealed: SmallVec::new(), base: Arc::new(base) };
        Self { view: ArcSwap::from_pointee(view), visible, applied, retired: Retired::default() }
    }

    /// The last transaction that readers see.
    pub fn visible(&self) -> CommitSeq {
        CommitSeq(self.visible.load(Ordering::Acquire))
    }

    /// Moves `visible_seq` forward. Called by the one publisher.
    ///
    /// # Panics
    /// If it would move back.
    pub fn set_visible(&self, seq: CommitSeq) {
        let before = self.visible.swap(seq.0, Ordering::AcqRel);
        assert!(before <= seq.0, "visibility moves forward");
    }

    /// A transaction is in its delta, with all that it changed. Before its locks go.
    pub fn set_applied(&self, seq: CommitSeq) {
        self.applied.note(seq);
    }

    /// The last transaction of those that all are in their deltas: from the visible ones on, in commit order.
    pub fn all_applied(&self) -> CommitSeq {
        self.applied.end(|| self.visible())
    }

    /// The layers as they are now. For reads of the newest state: load it after the lock is granted.
    pub fn view(&self) -> Arc<View> {
        self.view.load_full()
    }

    /// The newest version of a key, and the transaction that made it (0 if the base holds it).
    pub fn get_newest(&self, key: &[u8]) -> Result<(CommitSeq, Option<Row>), EngineError> {
        loop {
            match self.view().get(key, CommitSeq::MAX) {
                // There was time to expire the view meanwhile.
                Err(EngineError::SnapshotTooOld) => {}
                result => return result,
            }
        }
    }

    /// The newest version of a key, as [`Published::get_newest`] returns it, and whether it is another than that of `moment`.
    pub fn get_since(
        &self,
        key: &[u8],
        moment: &Snapshot,
    ) -> Result<(CommitSeq, Option<Row>, bool), EngineError> {
        loop {
            let view = self.view();
            let (seq, row) = match view.get(key, CommitSeq::MAX) {
                // There was time to expire the view meanwhile.
                Err(EngineError::SnapshotTooOld) => continue,
                result => result?,
            };
            // A base that came after the moment does not say what made it.
            let is_unknown = seq == CommitSeq(0) && !Arc::ptr_eq(&view.base, &moment.view.base);
            let is_other = match is_unknown.then(|| moment.view.get(key, moment.visible)) {
                None => seq > moment.visible,
                Some(Err(EngineError::SnapshotTooOld)) => true,
                Some(result) => result?.1 != row,
            };
            return Ok((seq, row, is_other));
        }
    }

    /// A view and its `visible_seq` in one atomic step.
    pub fn snapshot(&self) -> Snapshot {
        self.at(Self::visible)
    }

    /// The newest state that is that of a moment: of every transaction, it holds all changes or none. Some of them may not be
    /// visible yet.
    pub fn newest_snapshot(&self) -> Snapshot {
        self.at(Self::all_applied)
    }

    /// A view and a moment in one atomic step: if the view is still the published one after the moment was read, it was
    /// when it was read.
    fn at(&self, moment: impl Fn(&Self) -> CommitSeq) -> Snapshot {
        let mut view = self.view();
        loop {
            let visible = moment(self);
            let again = self.view.load();
            if Arc::ptr_eq(&view, &again) {
                return Snapshot { view, visible };
            }
            view = arc_swap::Guard::into_inner(again);
        }
    }

    /// Seals the active delta through `through` and publishes a view with a new one. The caller holds the
    /// sequencer, so that no transaction is drawn meanwhile.
    pub fn seal(&self, through: CommitSeq) -> Arc<Delta> {
        let old = self.view();
        let active = Arc::<Delta>::default();
        let mut sealed = SmallVec::with_capacity(old.sealed.len() + 1);
        sealed.push(Sealed { delta: Arc::clone(&old.active), through });
        sealed.extend(old.sealed.iter().cloned());
        self.view.store(Arc::new(View { active: Arc::clone(&active), sealed, base: Arc::clone(&old.base) }));
        active
    }

    /// Publishes a new base, which replaces the sealed deltas that it contains.
    ///
    /// # Panics
    /// If the base contains what is not visible yet.
    pub fn replace_base(&self, base: Generation) {
        assert!(base.through() <= self.visible(), "a base is published once all of it is visible");
        let base = Arc::new(base);
        let newer = |sealed: &&Sealed| base.through() < sealed.through;
        let old = self.view.rcu(|old| {
            let sealed = old.sealed.iter().filter(newer).cloned().collect();
            View { active: Arc::clone(&old.active), sealed, base: Arc::clone(&base) }
        });
        let replaced = old.sealed.iter().filter(|sealed| !newer(sealed)).map(|sealed| &sealed.delta);
        self.retired.push(&old.base, replaced);
    }
}
