//! The handle on a simulated disk: what tests do with it beyond the [`Vfs`](crate::Vfs) traits.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use parking_lot::{Mutex, MutexGuard};

use super::crash::{CrashMode, crash};
use super::effect::OpKind;
use super::fault::Fault;
use super::journal::Journal;
use super::live::Live;
use super::state::State;

/// A simulated disk. Clones are handles on the same disk; [`SimDisk::snapshot`] makes another one.
#[derive(Clone)]
pub struct SimDisk {
    /// Guards the whole disk. A leaf: nothing else is locked while it is held.
    live: Arc<Mutex<Live>>,
}

impl SimDisk {
    /// An empty disk without bounds, on which the directory `/` and the one of relative paths exist.
    pub fn new() -> Self {
        Self::from_state(State::new())
    }

    pub(super) fn from_state(state: State) -> Self {
        Self { live: Arc::new(Mutex::new(Live::new(state))) }
    }

    pub(super) fn live(&self) -> MutexGuard<'_, Live> {
        self.live.lock()
    }

    /// Another disk with the same contents, seen, durable and pending, and the same capacity. No faults,
    /// locks or journal go with it, and files that were removed while open do not either.
    #[must_use]
    pub fn snapshot(&self) -> Self {
        let (mut state, capacity_bytes) = {
            let live = self.live();
            (live.state.clone(), live.capacity_bytes)
        };
        state.collect_garbage(|_| false);
        let disk = Self::from_state(state);
        disk.set_capacity(capacity_bytes);
        disk
    }

    /// The disk as it would be found if power were lost now, with the same capacity. Its operations are
    /// counted from 0 again. This disk goes on.
    #[must_use]
    pub fn crash(&self, mode: CrashMode, seed: u64) -> Self {
        let (found, capacity_bytes) = {
            let live = self.live();
            (crash(&live.state, mode, seed), live.capacity_bytes)
        };
        let disk = Self::from_state(found);
        disk.set_capacity(capacity_bytes);
        disk
    }

    /// Begins to record what happens, from the disk as it is now. A journal that was begun before is
    /// forgotten.
    pub fn start_journal(&self) {
        self.live().start_journal();
    }

    /// What happened since [`SimDisk::start_journal`]; `None` if that was never called.
    pub fn stop_journal(&self) -> Option<Journal> {
        self.live().stop_journal()
    }

    /// Until the journal ends, `watcher` is asked just before each operation takes effect, and its answer goes to the
    /// [`Record`](super::Record): what has been promised by then must not depend on the operation. It must not use the
    /// disk.
    pub fn watch(&self, watcher: impl Fn() -> u64 + Send + 'static) {
        self.live().watcher = Some(Box::new(watcher));
    }

    /// Operations that changed the disk or tried to: the number of the last one. What a test was promised
    /// when this returned `n` must hold after a crash at any operation from `n` on.
    pub fn ops(&self) -> u64 {
        self.live().state.ops
    }

    /// Operations of a kind on paths that contain `path_part`, successful or not.
    pub fn count(&self, kind: OpKind, path_part: &str) -> u64 {
        let live = self.live();
        let counted = live.counts.iter().filter(|((of, path), _)| *of == kind && path.contains(path_part));
        counted.map(|(_, count)| count).sum()
    }

    /// Syncs of every kind, durable writes included, on paths that contain `path_part`, successful or not.
    pub fn syncs(&self, path_part: &str) -> u64 {
        OpKind::SYNCS.iter().map(|&kind| self.count(kind, path_part)).sum()
    }

    /// Lets an operation fail. Faults add up; the one injected first decides.
    pub fn inject(&self, fault: Fault) {
        self.live().faults.inject(fault);
    }

    /// Forgets all faults, those that still wait and those that last.
    pub fn lift_faults(&self) {
        self.live().faults.lift();
    }

    /// Operations that injected faults have failed so far.
    pub fn faults_fired(&self) -> u64 {
        self.live().faults.fired()
    }

    /// The operation that an injected fault has failed last, and its path.
    pub fn last_fault(&self) -> Option<(OpKind, String)> {
        self.live().faults.last()
    }

    /// Sets how many bytes all files may take, in pages of 4096; holes take none. A disk that is already
    /// fuller keeps what it has. Writes beyond are cut short and fail with ENOSPC.
    pub fn set_capacity(&self, bytes: u64) {
        self.live().capacity_bytes = bytes;
    }

    /// From now on, operations of this kind on paths that contain `path_part` return success and make nothing
    /// durable: a defect put in on purpose, to see that a test finds it.
    pub fn skip_sync(&self, path_part: &str, kind: OpKind) {
        assert!(kind.is_sync(), "{kind:?} promises no durability");
        self.live().skipped_syncs.push((path_part.to_owned(), kind));
    }

    /// Makes syncs honest again. What they skipped is still pending.
    pub fn restore_syncs(&self) {
        self.live().skipped_syncs.clear();
    }

    /// All files as readers see them, for comparing disks.
    pub fn contents(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let live = self.live();
        let mut contents = BTreeMap::new();
        for (dir, entries) in &live.state.dirs {
            for (name, &inode) in entries.cached() {
                let content = live.state.inode(inode).cached();
                let mut bytes = vec![0; usize::try_from(content.len()).expect("a file fits the memory")];
                content.read(&mut bytes, 0);
                contents.insert(dir.join(name), bytes);
            }
        }
        contents
    }
}

impl Default for SimDisk {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for SimDisk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let live = self.live();
        let files = live.state.inodes.len();
        f.debug_struct("SimDisk").field("ops", &live.state.ops).field("files", &files).finish_non_exhaustive()
    }
}
