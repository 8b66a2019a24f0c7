//! The running disk behind the lock: a state, and everything that acts on operations before they reach it.
//!
//! An operation passes, in this order: the fault plan, the capacity, the syncs that lie, the state, the
//! journal.

use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;

use rustix::io::Errno;

use super::content::PAGE_BYTES;
use super::dir::InodeId;
use super::effect::{Effect, OpKind};
use super::fault::FaultPlan;
use super::journal::{Journal, Record};
use super::state::State;

/// Says what there is to see.
pub(super) type Watcher = Box<dyn Fn() -> u64 + Send>;

/// What one lock guards.
pub(super) struct Live {
    pub(super) state: State,
    pub(super) faults: FaultPlan,
    /// Bytes that all files together may take.
    pub(super) capacity_bytes: u64,
    /// Syncs that do nothing: the part of a path, and the kind.
    pub(super) skipped_syncs: Vec<(String, OpKind)>,
    /// Operations asked for, successful or not.
    pub(super) counts: BTreeMap<(OpKind, Arc<str>), u64>,
    pub(super) locks: Vec<InodeId>,
    /// Asked before each operation of the journal.
    pub(super) watcher: Option<Watcher>,
    handles: BTreeMap<InodeId, usize>,
    journal: Option<(State, Vec<Record>)>,
}

impl Live {
    pub(super) fn new(state: State) -> Self {
        Self {
            state,
            faults: FaultPlan::default(),
            capacity_bytes: u64::MAX,
            skipped_syncs: Vec::new(),
            counts: BTreeMap::new(),
            locks: Vec::new(),
            watcher: None,
            handles: BTreeMap::new(),
            journal: None,
        }
    }

    /// Does an operation that changes the disk, or what faults leave of it.
    pub(super) fn run(&mut self, kind: OpKind, path: &Arc<str>, intended: &Effect) -> io::Result<()> {
        self.count(kind, path);
        let seen = self.watcher.as_ref().map_or(0, |watcher| watcher());
        let (effect, result) = match self.faults.next(kind, path) {
            Some(fault) => (fault.damage(intended), Err(fault.error())),
            None => match self.fit(intended) {
                Some(cut) => (cut, Err(Errno::NOSPC.into())),
                None if self.lies(kind, path) => (intended.without_durability(), Ok(())),
                None => (intended.clone(), Ok(())),
            },
        };
        self.state.apply(&effect);
        if matches!(kind, OpKind::Rename | OpKind::Remove | OpKind::SyncDir) {
            self.collect_garbage();
        }
        if let Some((_, records)) = &mut self.journal {
            records.push(Record { kind, path: Arc::clone(path), effect, seen });
        }
        result
    }

    /// Counts a read, which may fail too.
    pub(super) fn read(&mut self, path: &Arc<str>) -> io::Result<()> {
        self.count(OpKind::Read, path);
        self.faults.next(OpKind::Read, path).map_or(Ok(()), |fault| Err(fault.error()))
    }

    pub(super) fn opened(&mut self, inode: InodeId) {
        *self.handles.entry(inode).or_default() += 1;
    }

    pub(super) fn closed(&mut self, inode: InodeId) {
        let handles = self.handles.get_mut(&inode).expect("closed once for each time opened");
        *handles -= 1;
        if *handles == 0 {
            self.handles.remove(&inode);
            self.collect_garbage();
        }
    }

    pub(super) fn free_bytes(&self) -> u64 {
        let used = self.state.used_bytes(|inode| self.handles.contains_key(&inode));
        self.capacity_bytes.saturating_sub(used)
    }

    pub(super) fn start_journal(&mut self) {
        self.journal = Some((self.state.clone(), Vec::new()));
    }

    pub(super) fn stop_journal(&mut self) -> Option<Journal> {
        self.watcher = None;
        let (base, records) = self.journal.take()?;
        Some(Journal { base, records: records.into() })
    }

    fn count(&mut self, kind: OpKind, path: &Arc<str>) {
        *self.counts.entry((kind, Arc::clone(path))).or_default() += 1;
    }

    /// What is left of a write that does not fit: the bytes up to the first page without room, as the
    /// operating system leaves them.
    fn fit(&self, effect: &Effect) -> Option<Effect> {
        let (Effect::Write(inode, piece) | Effect::WriteDurable(inode, piece)) = effect else { return None };
        if self.capacity_bytes == u64::MAX {
            return None;
        }
        let content = self.state.inode(*inode).cached();
        let free_pages = self.free_bytes() / PAGE_BYTES as u64;
        let fitting = content.fitting_bytes(piece.offset(), piece.bytes().len(), free_pages);
        (fitting < piece.bytes().len()).then(|| effect.cut_short(fitting as u64))
    }

    fn lies(&self, kind: OpKind, path: &str) -> bool {
        self.skipped_syncs.iter().any(|(part, skipped)| *skipped == kind && path.contains(part.as_str()))
    }

    fn collect_garbage(&mut self) {
        let handles = &self.handles;
        self.state.collect_garbage(|inode| handles.contains_key(&inode));
    }
}
