//! What a power loss leaves.
//!
//! A [`CrashMode`] is a policy for the two kinds of things that are pending: changes of files (writes and
//! lengths) and changes of directory entries. The seed chooses within the policy.
//!
//! Legal in every mode: bytes that were synced, and not written again since, survive in place; an entry whose
//! directory was synced, and which was not touched since, survives; nothing appears that was never written,
//! except that [`CrashMode::Garbage512`] and [`CrashMode::OldBytes`] put other bytes where unsynced ones were
//! written.
//!
//! | mode | file changes | entry changes |
//! | --- | --- | --- |
//! | `KeepAll` | all | all |
//! | `DropAll` | none | none |
//! | `PrefixOfOps` | up to some operation | up to the same operation |
//! | `RandomSubset` | coins | coins |
//! | `Torn512`, `Torn4096` | some sectors of each write | all |
//! | `Garbage512` | some sectors of each write, some of the others garbage | all |
//! | `ZeroExtend` | lengths only | all |
//! | `OldBytes` | lengths; in new space new or old bytes | all |
//! | `DirEntriesLost` | all | none |
//! | `RenameBeforeData` | none | all |
//! | `RandomEntries` | all | coins |

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::content::{Content, PAGE_BYTES, split};
use super::dir::{Dir, Entries, EntryChange, PendingEntry};
use super::inode::{Change, Inode, Piece};
use super::rng::Rng;
use super::scrap::Scrap;
use super::state::State;
use super::tear::arriving_sectors;

/// What survives a power loss of all that was not synced.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CrashMode {
    /// Everything that was pending survives, as after the death of the process alone.
    KeepAll,
    /// Nothing that was pending survives.
    DropAll,
    /// The pending operations of all files and directories survive up to one of them, in the order of their
    /// issue.
    PrefixOfOps,
    /// Each pending operation survives or not, independently; on one directory entry, later ones only after
    /// earlier.
    RandomSubset,
    /// Of each pending write an arbitrary subset of its 512-byte sectors survives; lengths may survive
    /// without them.
    Torn512,
    /// Of each pending write an arbitrary subset of its 4096-byte sectors survives; lengths may survive
    /// without them.
    Torn4096,
    /// Of each 512-byte sector of a pending write, the bytes written are the new ones, the old ones, or garbage. What lies
    /// beside them in the sector is as it was: that a device leaves a sector whole or writes it is believed of synced bytes.
    Garbage512,
    /// Lengths survive and written bytes do not: what was appended reads as zeros.
    ZeroExtend,
    /// Lengths survive; where unsynced writes took new space, each page of them is new bytes or old ones of
    /// the disk.
    OldBytes,
    /// The bytes of all files survive, and no change of a directory entry.
    DirEntriesLost,
    /// All changes of directory entries survive, and no unsynced byte or length: a renamed file may be empty.
    RenameBeforeData,
    /// The bytes of all files survive, and each change of a directory entry or not, independently.
    RandomEntries,
}

impl CrashMode {
    /// Every mode.
    pub const ALL: [Self; 12] = [
        Self::KeepAll,
        Self::DropAll,
        Self::PrefixOfOps,
        Self::RandomSubset,
        Self::Torn512,
        Self::Torn4096,
        Self::Garbage512,
        Self::ZeroExtend,
        Self::OldBytes,
        Self::DirEntriesLost,
        Self::RenameBeforeData,
        Self::RandomEntries,
    ];
}

/// The disk as it is found after a power loss: everything on it is durable, nothing is pending.
pub(super) fn crash(state: &State, mode: CrashMode, seed: u64) -> State {
    let mut state = state.clone();
    // Before the first choice: a live disk may have forgotten files that a replay still has.
    state.collect_garbage(|_| false);
    let mut power = PowerLoss::new(&state, mode, seed);
    let mut inodes = BTreeMap::new();
    for (&id, inode) in &state.inodes {
        let survivor = if inode.is_settled() { Arc::clone(inode) } else { Arc::new(power.file(inode)) };
        inodes.insert(id, survivor);
    }
    let dirs = power.dirs(&state);
    let mut found =
        State { inodes, dirs, next_inode: state.next_inode, ops: 0, scrap: Arc::clone(&state.scrap) };
    found.collect_garbage(|_| false);
    found
}

struct PowerLoss<'a> {
    mode: CrashMode,
    /// The last operation that survives in `PrefixOfOps`.
    last_op: u64,
    scrap: &'a Scrap,
    rng: Rng,
}

/// What becomes of one pending change of a file.
enum Fate {
    Whole,
    Lost,
    /// Only the length.
    Length,
    /// Sectors of this many bytes survive or not.
    Torn(usize),
    /// Sectors of this many bytes survive or not or hold garbage.
    Garbage(usize),
    /// The length, and in new space new or old bytes.
    OldBytes,
}

impl<'a> PowerLoss<'a> {
    fn new(state: &'a State, mode: CrashMode, seed: u64) -> Self {
        let mut rng = Rng::new(seed);
        let mut ops = BTreeSet::new();
        if mode == CrashMode::PrefixOfOps {
            ops.extend(state.inodes.values().flat_map(|inode| inode.pending()).map(|pending| pending.op));
            ops.extend(state.dirs.values().flat_map(|dir| dir.pending()).map(|pending| pending.op));
        }
        let last_op = match rng.index(ops.len() + 1) {
            0 => 0,
            count => *ops.iter().nth(count - 1).expect("below the number of operations"),
        };
        Self { mode, last_op, scrap: &state.scrap, rng }
    }

    fn fate(&mut self, op: u64) -> Fate {
        let survives = match self.mode {
            CrashMode::KeepAll | CrashMode::DirEntriesLost | CrashMode::RandomEntries => true,
            CrashMode::DropAll | CrashMode::RenameBeforeData => false,
            CrashMode::PrefixOfOps => op <= self.last_op,
            CrashMode::RandomSubset => self.rng.coin(),
            CrashMode::Torn512 => return Fate::Torn(512),
            CrashMode::Torn4096 => return Fate::Torn(4096),
            CrashMode::Garbage512 => return Fate::Garbage(512),
            CrashMode::ZeroExtend => return Fate::Length,
            CrashMode::OldBytes => return Fate::OldBytes,
        };
        if survives { Fate::Whole } else { Fate::Lost }
    }

    fn entry_survives(&mut self, op: u64) -> bool {
        match self.mode {
            CrashMode::DropAll | CrashMode::DirEntriesLost => false,
            CrashMode::PrefixOfOps => op <= self.last_op,
            CrashMode::RandomSubset | CrashMode::RandomEntries => self.rng.coin(),
            CrashMode::KeepAll
            | CrashMode::Torn512
            | CrashMode::Torn4096
            | CrashMode::Garbage512
            | CrashMode::ZeroExtend
            | CrashMode::OldBytes
            | CrashMode::RenameBeforeData => true,
        }
    }

    fn file(&mut self, inode: &Inode) -> Inode {
        let mut content = inode.durable().clone();
        for pending in inode.pending() {
            match (self.fate(pending.op), &pending.change) {
                (Fate::Lost, _) => {}
                (Fate::Whole, change) | (_, change @ Change::SetLen(_)) => change.apply(&mut content),
                (Fate::Length, Change::Write(piece)) => content.extend_to(piece.end()),
                (Fate::Torn(sector), Change::Write(piece)) => self.tear(&mut content, piece, sector, false),
                (Fate::Garbage(sector), Change::Write(piece)) => self.tear(&mut content, piece, sector, true),
                (Fate::OldBytes, Change::Write(piece)) => self.reuse(&mut content, piece, inode.durable()),
            }
        }
        Inode::settled(content)
    }

    fn tear(&mut self, content: &mut Content, piece: &Piece, sector: usize, garbage: bool) {
        let parts: Vec<_> = split(piece.offset(), piece.bytes().len(), sector).collect();
        let arriving = arriving_sectors(parts.len(), &mut self.rng);
        for (part, arrives) in parts.into_iter().zip(arriving) {
            let offset = piece.offset() + part.start as u64;
            if arrives {
                content.write(&piece.bytes()[part], offset);
            } else if garbage && self.rng.coin() {
                let mut noise = vec![0; part.len()];
                self.rng.fill(&mut noise);
                content.write(&noise, offset);
            }
        }
        if self.rng.coin() {
            content.extend_to(piece.end());
        }
    }

    fn reuse(&mut self, content: &mut Content, piece: &Piece, durable: &Content) {
        for part in split(piece.offset(), piece.bytes().len(), PAGE_BYTES) {
            let offset = piece.offset() + part.start as u64;
            if durable.is_hole(offset) {
                if self.rng.chance(1, 4) {
                    content.write(&piece.bytes()[part], offset);
                } else {
                    let mut old = vec![0; part.len()];
                    self.scrap.fill(&mut old, &mut self.rng);
                    content.write(&old, offset);
                }
            }
        }
        content.extend_to(piece.end());
    }

    fn dirs(&mut self, state: &State) -> BTreeMap<PathBuf, Arc<Dir>> {
        let lost = self.lost_entries(state);
        let survivor = |(path, dir): (&PathBuf, &Arc<Dir>)| {
            if dir.is_settled() {
                return (path.clone(), Arc::clone(dir));
            }
            let mut entries: Entries = dir.durable().clone();
            for (index, pending) in dir.pending().iter().enumerate() {
                if !lost.contains(&(path.as_path(), index)) {
                    pending.change.apply(&mut entries);
                }
            }
            (path.clone(), Arc::new(Dir::settled(entries)))
        };
        state.dirs.iter().map(survivor).collect()
    }

    /// The pending entry changes that do not survive, by directory and place in its list.
    fn lost_entries<'s>(&mut self, state: &'s State) -> BTreeSet<(&'s Path, usize)> {
        let mut changes: Vec<(&Path, usize, &PendingEntry)> = Vec::new();
        for (path, dir) in &state.dirs {
            changes.extend(dir.pending().iter().enumerate().map(|(i, pending)| (path.as_path(), i, pending)));
        }
        // In the order of issue; of one operation, the arrival before the departure that depends on it.
        let departs = |change: &EntryChange| matches!(change, EntryChange::Leave { .. });
        changes.sort_by_key(|(_, _, pending)| (pending.op, departs(&pending.change)));

        let mut lost = BTreeSet::new();
        let mut lost_names = BTreeSet::new();
        let mut lost_arrivals = BTreeSet::new();
        for (dir, index, pending) in changes {
            let names: Vec<_> =
                pending.change.names().into_iter().flatten().map(|name| (dir, name)).collect();
            let depends_on_lost = names.iter().any(|name| lost_names.contains(name))
                || (departs(&pending.change) && lost_arrivals.contains(&pending.op));
            if depends_on_lost || !self.entry_survives(pending.op) {
                lost.insert((dir, index));
                lost_names.extend(names);
                lost_arrivals.insert(pending.op);
            }
        }
        lost
    }
}
