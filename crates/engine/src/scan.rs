//! Range scans over the layers of a view, merged.
//!
//! Each layer offers its keys in order; the smallest wins, and among equals the newest version. At most [`CHUNK`] entries
//! are copied from a layer at once; then it is sought again. What others add meanwhile is above a snapshot's
//! `visible_seq`; a scan of the newest state may or may not see it, and whoever locks rows reads each again under its
//! lock. So a layer that expires ends a snapshot's scan with an error, and one of the newest state goes on in the layers
//! of now.

use std::ops::Bound;
use std::sync::Arc;

use smallvec::SmallVec;

use crate::EngineError;
use crate::base::Generation;
use crate::delta::{Delta, Version};
use crate::ids::{CommitSeq, IndexId, Key, Row};
use crate::run::Run;
use crate::view::{Published, View};
use crate::writeset::OwnChanges;

/// Entries that are copied from a layer in one go. The first chunk is small, for most scans are short; each is so many
/// times larger than the one before it.
const CHUNK: usize = 128;
const FIRST_CHUNK: usize = 2;
const CHUNK_GROWTH: usize = 4;

/// The order of a scan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Ascending keys.
    Forward,
    /// Descending keys.
    Backward,
}

/// A range of keys within one index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyRange {
    /// The low end; bounded, for keys begin with their index.
    pub low: Bound<Key>,
    /// The high end; bounded likewise.
    pub high: Bound<Key>,
}

impl KeyRange {
    /// The keys that begin with `prefix`.
    pub fn prefix(prefix: &[u8]) -> Self {
        let mut high = prefix.to_vec();
        while let Some(last) = high.pop() {
            if last < u8::MAX {
                high.push(last + 1);
                break;
            }
        }
        let high = if high.is_empty() { Bound::Unbounded } else { Bound::Excluded(high.into()) };
        Self { low: Bound::Included(prefix.into()), high }
    }

    /// Leaves out everything up to and with `key`, as a scan passes it.
    pub(crate) fn leave_behind(&mut self, key: Key, direction: Direction) {
        match direction {
            Direction::Forward => self.low = Bound::Excluded(key),
            Direction::Backward => self.high = Bound::Excluded(key),
        }
    }

    fn as_bounds(&self) -> (Bound<&[u8]>, Bound<&[u8]>) {
        (self.low.as_ref().map(|key| &**key), self.high.as_ref().map(|key| &**key))
    }

    /// Whether it is one of a temporary table's index.
    pub(crate) fn is_temporary(&self) -> bool {
        match &self.low {
            Bound::Included(low) | Bound::Excluded(low) => IndexId::of(low).is_temporary(),
            Bound::Unbounded => false,
        }
    }

    /// Whether no key can lie in it.
    pub fn is_empty(&self) -> bool {
        match (&self.low, &self.high) {
            (Bound::Included(low), Bound::Included(high)) => low > high,
            (Bound::Included(low) | Bound::Excluded(low), Bound::Included(high) | Bound::Excluded(high)) => {
                low >= high
            }
            _ => false,
        }
    }
}

/// What a scan returns.
pub struct Entry {
    /// The whole key.
    pub key: Key,
    /// Its row; `None` for a tombstone, which only [`Scan::next_version`] returns.
    pub row: Option<Row>,
    /// The transaction that made this version; 0 if the base holds it or the scanning transaction made it.
    pub seq: CommitSeq,
}

/// See the module.
pub struct Scan {
    /// Newest first; a delta and its runs, which lie within each other in time, in any order.
    layers: SmallVec<[Layer; 4]>,
    direction: Direction,
    /// How to go on when a layer expires.
    newest: Option<Newest>,
}

/// What a scan of the newest state begins anew with.
struct Newest {
    published: Arc<Published>,
    own: Option<Arc<OwnChanges>>,
    /// What was not returned yet.
    rest: KeyRange,
}

struct Layer {
    source: Source,
    at: CommitSeq,
    /// What was not copied yet.
    rest: KeyRange,
    /// The next entries, in reverse order: the head is the last.
    chunk: Vec<(Key, Version)>,
    chunk_size: usize,
    exhausted: bool,
}

enum Source {
    Own(Arc<OwnChanges>),
    Delta(Arc<Delta>),
    Run(Arc<Run>),
    Base(Arc<Generation>),
}

impl Scan {
    /// Scans `range` in `view` as of `at`, with a transaction's own changes on top.
    pub fn new(
        view: &View,
        at: CommitSeq,
        own: Option<&Arc<OwnChanges>>,
        range: &KeyRange,
        direction: Direction,
    ) -> Result<Self, EngineError> {
        Ok(Self { layers: layers(view, at, own, range, direction)?, direction, newest: None })
    }

    /// Scans what a session alone has.
    pub(crate) fn of_own(
        own: &Arc<OwnChanges>,
        range: &KeyRange,
        direction: Direction,
    ) -> Result<Self, EngineError> {
        let mut layers = SmallVec::new();
        if !range.is_empty() {
            layers.push(Layer::new(Source::Own(Arc::clone(own)), CommitSeq::MAX, range));
        }
        let mut scan = Self { layers, direction, newest: None };
        scan.refill()?;
        Ok(scan)
    }

    /// Scans the newest state of `range`, with a transaction's own changes on top.
    pub(crate) fn newest(
        published: &Arc<Published>,
        own: Option<&Arc<OwnChanges>>,
        range: &KeyRange,
        direction: Direction,
    ) -> Result<Self, EngineError> {
        let newest = Newest { published: Arc::clone(published), own: own.cloned(), rest: range.clone() };
        let layers = newest.layers(direction)?;
        Ok(Self { layers, direction, newest: Some(newest) })
    }

    /// The next key that has a row.
    pub fn next_row(&mut self) -> Result<Option<Entry>, EngineError> {
        while let Some(entry) = self.next_version()? {
            if entry.row.is_some() {
                return Ok(Some(entry));
            }
        }
        Ok(None)
    }

    /// The next key, tombstones included: a read of the newest state must know what it skipped.
    pub fn next_version(&mut self) -> Result<Option<Entry>, EngineError> {
        while let Err(error) = self.refill() {
            match (&self.newest, error) {
                (Some(newest), EngineError::SnapshotTooOld) => self.layers = newest.layers(self.direction)?,
                (_, error) => return Err(error),
            }
        }
        let entry = self.take_next();
        if let (Some(newest), Some(entry)) = (&mut self.newest, &entry) {
            newest.rest.leave_behind(entry.key.clone(), self.direction);
        }
        Ok(entry)
    }

    fn refill(&mut self) -> Result<(), EngineError> {
        self.layers.iter_mut().try_for_each(|layer| layer.refill(self.direction))
    }

    fn take_next(&mut self) -> Option<Entry> {
        let mut best: Option<usize> = None;
        for (index, layer) in self.layers.iter().enumerate() {
            let Some(head) = layer.head() else { continue };
            let wins = best.and_then(|best| self.layers[best].head()).is_none_or(|best| {
                let order = if self.direction == Direction::Forward {
                    head.0.cmp(best.0)
                } else {
                    best.0.cmp(head.0)
                };
                order.then(best.1.cmp(&head.1)).is_lt()
            });
            if wins {
                best = Some(index);
            }
        }
        let best = best?;
        let (key, Version { seq, change }) = self.layers[best].chunk.pop().expect("the head is there");
        // Older versions of the same key are hidden by this one.
        for layer in &mut self.layers {
            if layer.head().is_some_and(|(head, _)| head == &*key) {
                layer.chunk.pop();
            }
        }
        Some(Entry { key, row: change.into_row(), seq })
    }
}

impl Newest {
    fn layers(&self, direction: Direction) -> Result<SmallVec<[Layer; 4]>, EngineError> {
        loop {
            let view = self.published.view();
            match layers(&view, CommitSeq::MAX, self.own.as_ref(), &self.rest, direction) {
                // There was time to expire it meanwhile.
                Err(EngineError::SnapshotTooOld) => {}
                result => return result,
            }
        }
    }
}

/// The layers of a view that have something in a range, newest first, each with its first entries.
fn layers(
    view: &View,
    at: CommitSeq,
    own: Option<&Arc<OwnChanges>>,
    range: &KeyRange,
    direction: Direction,
) -> Result<SmallVec<[Layer; 4]>, EngineError> {
    let mut layers = SmallVec::new();
    if range.is_empty() {
        return Ok(layers);
    }
    let deltas = std::iter::once(&view.active).chain(view.sealed.iter().map(|sealed| &sealed.delta));
    let mut sources: SmallVec<[Source; 6]> = SmallVec::new();
    sources.extend(own.map(|own| Source::Own(Arc::clone(own))));
    for delta in deltas {
        sources.push(Source::Delta(Arc::clone(delta)));
        sources.extend(delta.runs(at)?.into_iter().map(Source::Run));
    }
    sources.push(Source::Base(Arc::clone(&view.base)));
    for source in sources {
        let mut layer = Layer::new(source, at, range);
        layer.refill(direction)?;
        if !layer.chunk.is_empty() {
            layers.push(layer);
        }
    }
    Ok(layers)
}

impl Layer {
    fn new(source: Source, at: CommitSeq, range: &KeyRange) -> Self {
        let rest = range.clone();
        Self { source, at, rest, chunk: Vec::new(), chunk_size: FIRST_CHUNK, exhausted: false }
    }

    /// The next key, and how new its version is: a transaction's own changes are the newest.
    fn head(&self) -> Option<(&[u8], CommitSeq)> {
        let (key, version) = self.chunk.last()?;
        let is_own = matches!(self.source, Source::Own(_));
        Some((key, if is_own { CommitSeq::MAX } else { version.seq }))
    }

    /// Copies the next chunk if there is none; afterwards it is empty only if the layer has nothing more.
    fn refill(&mut self, direction: Direction) -> Result<(), EngineError> {
        while self.chunk.is_empty() && !self.exhausted {
            let (range, size, chunk) = (self.rest.as_bounds(), self.chunk_size, &mut self.chunk);
            let last = match &self.source {
                Source::Own(own) => own.copy_range(range, direction, size, chunk),
                Source::Delta(delta) => delta.copy_range(range, self.at, direction, size, chunk)?,
                Source::Run(run) => run.copy_range(range, direction, size, chunk),
                Source::Base(base) => base.copy_range(range, direction, size, chunk)?,
            };
            self.chunk_size = (self.chunk_size * CHUNK_GROWTH).min(CHUNK);
            match last {
                None => self.exhausted = true,
                Some(last) => self.rest.leave_behind(last, direction),
            }
            self.chunk.reverse();
        }
        Ok(())
    }
}
