//! A whole simulated disk as a value: files, directories, and what is pending in both.
//!
//! It changes only by [`State::apply`], which never fails and depends on nothing but the state and the
//! effect. The live disk and a replay of its journal both call it: that they agree is by construction.
//! Everything that can be refused (missing files, faults, lack of space) is decided before, by the live disk.
//!
//! Cloning costs a reference count per file and directory.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::content::PAGE_BYTES;
use super::dir::{Dir, EntryChange, InodeId};
use super::effect::Effect;
use super::inode::Inode;
use super::key::Key;
use super::scrap::Scrap;

/// A disk.
#[derive(Clone)]
pub(super) struct State {
    pub(super) inodes: BTreeMap<InodeId, Arc<Inode>>,
    /// Directories are durable once they are made, and stay.
    pub(super) dirs: BTreeMap<PathBuf, Arc<Dir>>,
    pub(super) next_inode: InodeId,
    /// Operations so far; the number of the last one.
    pub(super) ops: u64,
    /// What was once written here and may turn up in space that is used again.
    pub(super) scrap: Arc<Scrap>,
}

impl State {
    /// An empty disk with its two roots: `/`, and the empty path, in which relative paths begin.
    pub(super) fn new() -> Self {
        let roots = [PathBuf::new(), PathBuf::from("/")];
        Self {
            inodes: BTreeMap::new(),
            dirs: roots.map(|root| (root, Arc::default())).into(),
            next_inode: InodeId(0),
            ops: 0,
            scrap: Arc::default(),
        }
    }

    /// The file that a name stands for.
    pub(super) fn lookup(&self, key: &Key) -> Option<InodeId> {
        self.dirs.get(&key.dir)?.cached().get(&key.name).copied()
    }

    pub(super) fn inode(&self, id: InodeId) -> &Inode {
        self.inodes.get(&id).expect("a file lives as long as a name or a handle stands for it")
    }

    /// Does the next operation.
    pub(super) fn apply(&mut self, effect: &Effect) {
        self.ops += 1;
        let op = self.ops;
        match effect {
            Effect::Nothing => {}
            Effect::Create(key) => {
                let inode = self.next_inode;
                self.next_inode = InodeId(inode.0 + 1);
                self.inodes.insert(inode, Arc::default());
                self.dir_mut(&key.dir).change(op, EntryChange::Link { name: key.name.clone(), inode });
            }
            Effect::Write(inode, piece) => {
                Arc::make_mut(&mut self.scrap).keep(op, piece);
                self.inode_mut(*inode).write(op, piece.clone());
            }
            Effect::WriteDurable(inode, piece) => {
                Arc::make_mut(&mut self.scrap).keep(op, piece);
                self.inode_mut(*inode).write_durable(piece);
            }
            Effect::SetLen(inode, len) => self.inode_mut(*inode).set_len(op, *len),
            Effect::SyncData(inode) => self.inode_mut(*inode).sync_data(),
            Effect::SyncAll(inode) => self.inode_mut(*inode).sync_all(),
            Effect::DropPages(inode) => self.inode_mut(*inode).drop_pages(),
            Effect::DropCleanPages(inode, start) => self.inode_mut(*inode).drop_clean_pages(*start),
            Effect::Rename(from, to) => self.rename(op, from, to),
            Effect::Remove(key) => {
                let inode = self.lookup(key).expect("removed names exist");
                self.dir_mut(&key.dir).change(op, EntryChange::Unlink { name: key.name.clone(), inode });
            }
            Effect::SyncDir(dir) => self.sync_dir(dir),
            Effect::MakeDirs(dirs) => {
                self.dirs.extend(dirs.iter().map(|dir| (dir.clone(), Arc::default())));
            }
        }
    }

    /// Forgets the files that no entry stands for, durable, seen or pending, and of which `is_open` says no.
    pub(super) fn collect_garbage(&mut self, is_open: impl Fn(InodeId) -> bool) {
        let named: BTreeSet<InodeId> = self.dirs.values().flat_map(|dir| dir.inodes()).collect();
        self.inodes.retain(|id, _| named.contains(id) || is_open(*id));
    }

    /// Bytes that the files take which have a name or of which `is_open` says yes. Holes take none.
    pub(super) fn used_bytes(&self, is_open: impl Fn(InodeId) -> bool) -> u64 {
        let named: BTreeSet<InodeId> =
            self.dirs.values().flat_map(|dir| dir.cached().values().copied()).collect();
        let counted = self.inodes.iter().filter(|(id, _)| named.contains(id) || is_open(**id));
        counted.map(|(_, inode)| inode.cached().page_count()).sum::<u64>() * PAGE_BYTES as u64
    }

    fn rename(&mut self, op: u64, from: &Key, to: &Key) {
        let inode = self.lookup(from).expect("renamed names exist");
        let (from_name, to_name) = (from.name.clone(), to.name.clone());
        if from.dir == to.dir {
            let change = EntryChange::Rename { from: from_name, to: to_name, inode };
            self.dir_mut(&from.dir).change(op, change);
        } else {
            self.dir_mut(&to.dir).change(op, EntryChange::Link { name: to_name, inode });
            let to = to.dir.clone();
            let change = EntryChange::Leave { name: from_name, inode, to, synced: false };
            self.dir_mut(&from.dir).change(op, change);
        }
    }

    fn sync_dir(&mut self, path: &Path) {
        let has_arrived = |to: &PathBuf, op| !self.dirs[to].is_arrival_pending(op);
        if self.dirs[path].reuses_a_departed_name(has_arrived) {
            for dir in self.dirs.values_mut().filter(|dir| !dir.is_settled()) {
                Arc::make_mut(dir).commit();
            }
            return;
        }
        let mut dir = Arc::clone(&self.dirs[path]);
        let linked = Arc::make_mut(&mut dir).sync(has_arrived);
        self.dirs.insert(path.to_owned(), dir);
        if !linked.is_empty() {
            for dir in self.dirs.values_mut().filter(|dir| !dir.is_settled()) {
                Arc::make_mut(dir).arrived(&linked);
            }
        }
    }

    fn inode_mut(&mut self, id: InodeId) -> &mut Inode {
        let inode =
            self.inodes.get_mut(&id).expect("a file lives as long as a name or a handle stands for it");
        Arc::make_mut(inode)
    }

    fn dir_mut(&mut self, path: &Path) -> &mut Dir {
        Arc::make_mut(self.dirs.get_mut(path).expect("callers look the directory up first"))
    }
}
