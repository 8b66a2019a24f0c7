//! One simulated file: the image that readers see, the image that survives, and what lies between them.
//!
//! The pending list holds the writes and size changes since they were last synced, in order; replayed on the
//! durable image it gives the cached one (unless a failed sync dropped pages, then never again). A power loss
//! keeps the durable image and whatever part of the list its mode chooses.
//!
//! What the syncs do to the list, as pessimistic as POSIX lets them be:
//! - `sync_all` replays all of it on the durable image.
//! - `sync_data` replays the writes. Size changes stay pending if no written byte needs them to be reached;
//!   if one does, all are replayed, as a file system has one size for a file and writes it with its inode.
//! - A durable write reaches the durable image at once and cuts its range out of the pending writes, so that
//!   an older write can no longer be blamed for its bytes. Size changes follow the same rule as in
//!   `sync_data`.

use std::ops::Range;
use std::sync::Arc;

use super::content::Content;

/// A file without its name.
#[derive(Clone, Default)]
pub(super) struct Inode {
    cached: Content,
    durable: Content,
    pending: Vec<Pending>,
    /// A failed sync dropped pages: the cached image shows bytes that no sync will ever write.
    diverged: bool,
}

/// A change that power loss may undo.
#[derive(Clone)]
pub(super) struct Pending {
    /// The number of the operation.
    pub(super) op: u64,
    pub(super) change: Change,
}

/// What an operation does to a file.
#[derive(Clone)]
pub(super) enum Change {
    Write(Piece),
    SetLen(u64),
}

/// Bytes for a place in a file. Clones and parts share the memory.
#[derive(Clone)]
pub(super) struct Piece {
    offset: u64,
    data: Arc<[u8]>,
    range: Range<usize>,
}

impl Inode {
    /// A file as a power loss left it: nothing pending.
    pub(super) fn settled(content: Content) -> Self {
        Self { durable: content.clone(), cached: content, pending: Vec::new(), diverged: false }
    }

    /// Whether a power loss changes nothing.
    pub(super) fn is_settled(&self) -> bool {
        self.pending.is_empty() && !self.diverged
    }

    pub(super) fn cached(&self) -> &Content {
        &self.cached
    }

    pub(super) fn durable(&self) -> &Content {
        &self.durable
    }

    pub(super) fn pending(&self) -> &[Pending] {
        &self.pending
    }

    pub(super) fn write(&mut self, op: u64, piece: Piece) {
        self.cached.write(piece.bytes(), piece.offset);
        self.pending.push(Pending { op, change: Change::Write(piece) });
    }

    pub(super) fn set_len(&mut self, op: u64, len: u64) {
        self.cached.set_len(len);
        self.pending.push(Pending { op, change: Change::SetLen(len) });
    }

    /// `piece` covers whole pages.
    pub(super) fn write_durable(&mut self, piece: &Piece) {
        if piece.end() > self.lowest_pending_len() {
            self.settle_sizes();
        }
        self.cut_from_pending(piece.offset, piece.end());
        self.cached.write(piece.bytes(), piece.offset);
        self.durable.share_pages(&self.cached, piece.offset, piece.bytes().len());
    }

    pub(super) fn sync_data(&mut self) {
        let written_end = self.pending.iter().filter_map(Pending::write).map(Piece::end).max();
        if written_end.is_some_and(|end| end > self.lowest_pending_len()) {
            self.sync_all();
        } else if self.lowest_pending_len() == u64::MAX {
            self.settle_all();
        } else {
            // No size change left pending cuts below `written_end`: none can undo what is synced here.
            for piece in self.pending.iter().filter_map(Pending::write) {
                self.durable.write(piece.bytes(), piece.offset);
            }
            self.pending.retain(|pending| pending.write().is_none());
        }
    }

    pub(super) fn sync_all(&mut self) {
        self.settle_all();
    }

    /// A failed sync after which the kernel takes the pages for clean: readers still see them, no later sync
    /// writes them.
    pub(super) fn drop_pages(&mut self) {
        self.diverged |= self.pending.iter().any(|pending| pending.write().is_some());
        self.pending.retain(|pending| pending.write().is_none());
    }

    /// From `start` on, readers see what is durable, and what is pending.
    pub(super) fn drop_clean_pages(&mut self, start: u64) {
        let before = std::mem::replace(&mut self.cached, self.durable.clone());
        for pending in &self.pending {
            pending.change.apply(&mut self.cached);
        }
        let mut kept = vec![0; usize::try_from(start.min(before.len())).expect("it is in memory")];
        before.read(&mut kept, 0);
        self.cached.write(&kept, 0);
        self.diverged = start > 0;
    }

    /// Whether readers see bytes that no sync will ever write.
    pub(super) fn is_diverged(&self) -> bool {
        self.diverged
    }

    fn settle_all(&mut self) {
        if self.diverged {
            for pending in self.pending.drain(..) {
                pending.change.apply(&mut self.durable);
            }
        } else {
            // The same bytes, and the pages are shared.
            self.durable = self.cached.clone();
            self.pending.clear();
        }
    }

    /// Makes the size changes durable without the writes between them.
    fn settle_sizes(&mut self) {
        let mut writes: Vec<Pending> = Vec::new();
        for pending in self.pending.drain(..) {
            match pending.change {
                Change::Write(_) => writes.push(pending),
                Change::SetLen(len) => {
                    self.durable.set_len(len);
                    writes = writes.iter().filter_map(|write| write.part(0, len)).collect();
                }
            }
        }
        self.pending = writes;
    }

    fn cut_from_pending(&mut self, start: u64, end: u64) {
        let overlaps = |piece: &Piece| piece.offset < end && start < piece.end();
        if !self.pending.iter().filter_map(Pending::write).any(overlaps) {
            return;
        }
        let keep = |pending: Pending| match &pending.change {
            Change::Write(piece) if overlaps(piece) => [pending.part(0, start), pending.part(end, u64::MAX)],
            _ => [Some(pending), None],
        };
        self.pending = self.pending.drain(..).flat_map(keep).flatten().collect();
    }

    /// The shortest length that a pending size change sets; `u64::MAX` without any.
    fn lowest_pending_len(&self) -> u64 {
        let lens = self.pending.iter().filter_map(|pending| match pending.change {
            Change::SetLen(len) => Some(len),
            Change::Write(_) => None,
        });
        lens.min().unwrap_or(u64::MAX)
    }
}

impl Pending {
    fn write(&self) -> Option<&Piece> {
        match &self.change {
            Change::Write(piece) => Some(piece),
            Change::SetLen(_) => None,
        }
    }

    /// What a write does between two offsets.
    fn part(&self, start: u64, end: u64) -> Option<Self> {
        let change = Change::Write(self.write()?.part(start, end)?);
        Some(Self { op: self.op, change })
    }
}

impl Change {
    /// Does it to an image.
    pub(super) fn apply(&self, content: &mut Content) {
        match self {
            Self::Write(piece) => content.write(piece.bytes(), piece.offset),
            Self::SetLen(len) => content.set_len(*len),
        }
    }
}

impl Piece {
    pub(super) fn new(offset: u64, data: &[u8]) -> Self {
        Self { offset, data: data.into(), range: 0..data.len() }
    }

    pub(super) fn offset(&self) -> u64 {
        self.offset
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.data[self.range.clone()]
    }

    /// The offset after the last byte.
    pub(super) fn end(&self) -> u64 {
        self.offset + self.range.len() as u64
    }

    /// The bytes between two offsets, if there are any.
    pub(super) fn part(&self, start: u64, end: u64) -> Option<Self> {
        let (start, end) = (start.max(self.offset), end.min(self.end()));
        let index = |at: u64| self.range.start + usize::try_from(at - self.offset).expect("inside the piece");
        (start < end).then(|| Self {
            offset: start,
            data: Arc::clone(&self.data),
            range: index(start)..index(end),
        })
    }
}
