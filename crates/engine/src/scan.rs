//! Range scans over the layers of a view, merged.
//!
//! Each layer offers its keys in order; the smallest wins, and among equals the newest layer. From layers in memory
//! at most [`CHUNK`] entries are copied while a lock is held; then the layer is sought again. What others add
//! meanwhile is above a snapshot's `visible_seq`; a scan of the newest state may or may not see it, and whoever
//! locks rows reads each again under its lock.

use std::ops::Bound;
use std::sync::Arc;

use smallvec::SmallVec;

use crate::EngineError;
use crate::base::{Guard, Range};
use crate::delta::{Delta, Version};
use crate::ids::{CommitSeq, Key};
use crate::view::{Found, View};
use crate::writeset::OwnChanges;

/// Entries that are copied from a layer in one go. The first chunk is small: most scans are short.
const CHUNK: usize = 128;
const FIRST_CHUNK: usize = 16;

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

    fn as_bounds(&self) -> (Bound<&[u8]>, Bound<&[u8]>) {
        (self.low.as_ref().map(|key| &**key), self.high.as_ref().map(|key| &**key))
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

/// A key that a scan returns.
pub enum ScanKey {
    /// Copied from memory.
    Copied(Key),
    /// In the base.
    Base(Guard),
}

impl std::ops::Deref for ScanKey {
    type Target = [u8];
    fn deref(&self) -> &[u8] {
        match self {
            Self::Copied(key) => key,
            Self::Base(guard) => guard.value(),
        }
    }
}

/// What a scan returns.
pub struct Entry {
    /// The whole key.
    pub key: ScanKey,
    /// Its row; `None` for a tombstone, which only [`Scan::next_version`] returns.
    pub row: Option<Found>,
    /// The transaction that made this version; 0 if the base holds it or the scanning transaction made it.
    pub seq: CommitSeq,
}

/// See the module.
pub struct Scan {
    /// Newest first.
    layers: SmallVec<[Layer; 4]>,
    direction: Direction,
}

enum Layer {
    Memory(MemoryCursor),
    Base(Box<BaseCursor>),
}

struct BaseCursor {
    range: Range,
    head: Option<(Guard, Guard)>,
}

struct MemoryCursor {
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
        let mut layers = SmallVec::new();
        if range.is_empty() {
            return Ok(Self { layers, direction });
        }
        let deltas = std::iter::once(&view.active).chain(view.sealed.iter().map(|sealed| &sealed.delta));
        let sources = own
            .map(|own| Source::Own(Arc::clone(own)))
            .into_iter()
            .chain(deltas.map(|delta| Source::Delta(Arc::clone(delta))));
        for source in sources {
            let mut cursor = MemoryCursor {
                source,
                at,
                rest: range.clone(),
                chunk: Vec::new(),
                chunk_size: FIRST_CHUNK,
                exhausted: false,
            };
            cursor.refill(direction);
            if !cursor.chunk.is_empty() {
                layers.push(Layer::Memory(cursor));
            }
        }
        let mut base = BaseCursor { range: view.base.range(range.as_bounds())?, head: None };
        base.advance(direction)?;
        layers.push(Layer::Base(Box::new(base)));
        Ok(Self { layers, direction })
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
        let mut best: Option<usize> = None;
        for index in 0..self.layers.len() {
            let Some(key) = self.layers[index].head() else { continue };
            let wins = match best.and_then(|best| self.layers[best].head()) {
                None => true,
                Some(best) if self.direction == Direction::Forward => key < best,
                Some(best) => key > best,
            };
            if wins {
                best = Some(index);
            }
        }
        let Some(best) = best else { return Ok(None) };
        let entry = self.layers[best].take(self.direction)?;
        // Older layers' versions of the same key are hidden by this one.
        for layer in &mut self.layers[best + 1..] {
            if layer.head() == Some(&*entry.key) {
                layer.take(self.direction)?;
            }
        }
        Ok(Some(entry))
    }
}

impl Layer {
    fn head(&self) -> Option<&[u8]> {
        match self {
            Self::Memory(cursor) => cursor.chunk.last().map(|(key, _)| &**key),
            Self::Base(cursor) => cursor.head.as_ref().map(|(key, _)| key.value()),
        }
    }

    fn take(&mut self, direction: Direction) -> Result<Entry, EngineError> {
        match self {
            Self::Memory(cursor) => {
                let (key, Version { seq, change }) = cursor.chunk.pop().expect("the head is there");
                if cursor.chunk.is_empty() {
                    cursor.refill(direction);
                }
                Ok(Entry { key: ScanKey::Copied(key), row: change.into_row().map(Found::Shared), seq })
            }
            Self::Base(cursor) => {
                let (key, row) = cursor.head.take().expect("the head is there");
                cursor.advance(direction)?;
                Ok(Entry { key: ScanKey::Base(key), row: Some(Found::Base(row)), seq: CommitSeq(0) })
            }
        }
    }
}

impl BaseCursor {
    fn advance(&mut self, direction: Direction) -> Result<(), EngineError> {
        let next = match direction {
            Direction::Forward => self.range.next(),
            Direction::Backward => self.range.next_back(),
        };
        self.head = next.transpose()?;
        Ok(())
    }
}

impl MemoryCursor {
    /// Copies the next chunk; afterwards it is empty only if the layer has nothing more.
    fn refill(&mut self, direction: Direction) {
        while self.chunk.is_empty() && !self.exhausted {
            let (range, size, chunk) = (self.rest.as_bounds(), self.chunk_size, &mut self.chunk);
            let last = match &self.source {
                Source::Own(own) => own.copy_range(range, direction, size, chunk),
                Source::Delta(delta) => delta.copy_range(range, self.at, direction, size, chunk),
            };
            self.chunk_size = CHUNK;
            match (last.map(Bound::Excluded), direction) {
                (None, _) => self.exhausted = true,
                (Some(rest), Direction::Forward) => self.rest.low = rest,
                (Some(rest), Direction::Backward) => self.rest.high = rest,
            }
            self.chunk.reverse();
        }
    }
}
