//! One simulated directory: the entries that are seen, the entries that survive, and the operations between.
//!
//! An operation on an entry is durable after a `sync_dir` of its directory and not before. A rename inside
//! one directory is atomic. A rename across directories is an arrival in one and a departure in the other,
//! each durable with its own directory, except that the departure never survives without the arrival: until
//! both directories are synced the file is under one name, the other, or both, and never gone. If the old
//! name has a new file, a sync cannot keep the two apart any more and commits all directories, as a journal
//! would.
//!
//! After a power loss, some of the pending operations survive. Operations on different names are independent
//! of each other; one on a name survives only if every earlier pending one on that name does. Without this
//! rule, a name that was renamed away and created again could lose the file that it once stood for, which no
//! file system does.

use std::collections::BTreeMap;
use std::path::PathBuf;

/// The number of a file on its disk; never used twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct InodeId(pub(super) u64);

/// Names and the files that they stand for.
pub(super) type Entries = BTreeMap<String, InodeId>;

/// A directory without its name.
#[derive(Clone, Default)]
pub(super) struct Dir {
    cached: Entries,
    durable: Entries,
    pending: Vec<PendingEntry>,
}

/// A change of an entry that power loss may undo.
#[derive(Clone)]
pub(super) struct PendingEntry {
    /// The number of the operation; both halves of a rename across directories have the same.
    pub(super) op: u64,
    pub(super) change: EntryChange,
}

/// What an operation does to the entries of one directory.
#[derive(Clone)]
pub(super) enum EntryChange {
    /// A file was created, or arrived from another directory.
    Link { name: String, inode: InodeId },
    /// A file's name was removed.
    Unlink { name: String, inode: InodeId },
    /// A file was renamed inside the directory.
    Rename { from: String, to: String, inode: InodeId },
    /// A file left for another directory; `synced` once this directory was synced while that one was not.
    Leave { name: String, inode: InodeId, to: PathBuf, synced: bool },
}

impl Dir {
    /// A directory as a power loss left it: nothing pending.
    pub(super) fn settled(entries: Entries) -> Self {
        Self { durable: entries.clone(), cached: entries, pending: Vec::new() }
    }

    pub(super) fn is_settled(&self) -> bool {
        self.pending.is_empty()
    }

    pub(super) fn cached(&self) -> &Entries {
        &self.cached
    }

    pub(super) fn durable(&self) -> &Entries {
        &self.durable
    }

    pub(super) fn pending(&self) -> &[PendingEntry] {
        &self.pending
    }

    pub(super) fn change(&mut self, op: u64, change: EntryChange) {
        change.apply(&mut self.cached);
        self.pending.push(PendingEntry { op, change });
    }

    /// Every file that an entry stands for, stood for durably, or may stand for after a power loss.
    pub(super) fn inodes(&self) -> impl Iterator<Item = InodeId> {
        let pending = self.pending.iter().map(|pending| pending.change.inode());
        self.cached.values().chain(self.durable.values()).copied().chain(pending)
    }

    /// Makes the pending changes durable, except departures whose arrival (in the directory and operation
    /// given to `has_arrived`) is not. Returns the operations that arrivals were part of.
    pub(super) fn sync(&mut self, has_arrived: impl Fn(&PathBuf, u64) -> bool) -> Vec<u64> {
        let mut linked = Vec::new();
        let mut waiting = Vec::new();
        for mut pending in std::mem::take(&mut self.pending) {
            match &mut pending.change {
                EntryChange::Leave { to, synced, .. } if !has_arrived(to, pending.op) => {
                    *synced = true;
                    waiting.push(pending);
                    continue;
                }
                EntryChange::Link { .. } => linked.push(pending.op),
                _ => {}
            }
            pending.change.apply(&mut self.durable);
        }
        self.pending = waiting;
        linked
    }

    /// Makes all entries durable as they are seen.
    pub(super) fn commit(&mut self) {
        self.durable = self.cached.clone();
        self.pending.clear();
    }

    /// Whether a name got a new file while the old one's arrival elsewhere is not durable.
    pub(super) fn reuses_a_departed_name(&self, has_arrived: impl Fn(&PathBuf, u64) -> bool) -> bool {
        let mut departed: Vec<&str> = Vec::new();
        self.pending.iter().any(|pending| {
            match &pending.change {
                EntryChange::Leave { name, to, .. } if !has_arrived(to, pending.op) => departed.push(name),
                _ => {}
            }
            pending.change.sets().is_some_and(|name| departed.contains(&name))
        })
    }

    /// Completes departures that were synced before their arrivals, which now are.
    pub(super) fn arrived(&mut self, linked: &[u64]) {
        let durable = &mut self.durable;
        self.pending.retain(|pending| {
            let complete = matches!(pending.change, EntryChange::Leave { synced: true, .. })
                && linked.contains(&pending.op);
            if complete {
                pending.change.apply(durable);
            }
            !complete
        });
    }

    /// Whether the arrival of a rename could still be undone.
    pub(super) fn is_arrival_pending(&self, op: u64) -> bool {
        self.pending.iter().any(|pending| pending.op == op && pending.change.sets().is_some())
    }
}

impl EntryChange {
    /// Does it to a set of entries, which are those that it was issued for, at least under its own names.
    pub(super) fn apply(&self, entries: &mut Entries) {
        match self {
            Self::Link { .. } => {}
            Self::Unlink { name, inode }
            | Self::Leave { name, inode, .. }
            | Self::Rename { from: name, inode, .. } => {
                assert_eq!(
                    entries.remove(name),
                    Some(*inode),
                    "{name} stands for what it did when it was changed"
                );
            }
        }
        if let Some(name) = self.sets() {
            entries.insert(name.to_owned(), self.inode());
        }
    }

    /// The names that it touches.
    pub(super) fn names(&self) -> [Option<&str>; 2] {
        match self {
            Self::Link { name, .. } | Self::Unlink { name, .. } | Self::Leave { name, .. } => {
                [Some(name), None]
            }
            Self::Rename { from, to, .. } => [Some(from), Some(to)],
        }
    }

    /// The name that stands for a file because of it.
    fn sets(&self) -> Option<&str> {
        match self {
            Self::Link { name, .. } | Self::Rename { to: name, .. } => Some(name),
            Self::Unlink { .. } | Self::Leave { .. } => None,
        }
    }

    fn inode(&self) -> InodeId {
        match self {
            Self::Link { inode, .. }
            | Self::Unlink { inode, .. }
            | Self::Rename { inode, .. }
            | Self::Leave { inode, .. } => *inode,
        }
    }
}
