//! Errors on demand: which operation fails, how, and what it leaves behind.
//!
//! For exhaustive loops in the manner of SQLite's tests: run with a fault at the first operation, the second,
//! the third, until a run ends in which the fault did not fire
//! ([`SimDisk::faults_fired`](super::SimDisk::faults_fired)).

use std::io;

use rustix::io::Errno;

use super::effect::{Effect, OpKind};

/// What goes wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultKind {
    /// EIO; the operation does nothing. After a failed sync, what was pending is still pending.
    Io,
    /// ENOSPC; the operation does nothing.
    NoSpace,
    /// EMFILE; the operation does nothing.
    NoDescriptor,
    /// EIO after the first `bytes` bytes of a write, which are there but not durable. Other operations do
    /// nothing.
    ShortWrite {
        /// How far the write gets.
        bytes: u64,
    },
    /// EIO from a sync of a file, and as on Linux the pages count as clean: they can still be read, and no
    /// later sync writes them. Other operations do nothing.
    LostPages,
}

/// A failure of one operation or, if it is lasting, of all from there on.
///
/// `Fault::new(FaultKind::Io).of(OpKind::SyncData).on("redo").nth(3)` fails the third `sync_data` of a file
/// whose path contains "redo". Operations are counted from the moment of injection, successful or not.
#[derive(Clone, Debug)]
pub struct Fault {
    what: FaultKind,
    kind: Option<OpKind>,
    path_part: String,
    nth: u64,
    lasting: bool,
}

impl Fault {
    /// A failure of the next operation, whatever it is; reads excepted.
    pub fn new(what: FaultKind) -> Self {
        Self { what, kind: None, path_part: String::new(), nth: 1, lasting: false }
    }

    /// Only operations of this kind count.
    #[must_use]
    pub fn of(self, kind: OpKind) -> Self {
        Self { kind: Some(kind), ..self }
    }

    /// Only operations on paths that contain `path_part` count.
    #[must_use]
    pub fn on(self, path_part: &str) -> Self {
        Self { path_part: path_part.to_owned(), ..self }
    }

    /// The `nth` operation that counts fails, from 1.
    #[must_use]
    pub fn nth(self, nth: u64) -> Self {
        assert!(nth > 0, "operations are counted from 1");
        Self { nth, ..self }
    }

    /// All later ones fail too, until the faults are lifted.
    #[must_use]
    pub fn lasting(self) -> Self {
        Self { lasting: true, ..self }
    }

    fn counts(&self, kind: OpKind, path: &str) -> bool {
        self.kind.map_or(kind != OpKind::Read, |wanted| wanted == kind) && path.contains(&self.path_part)
    }

    fn strikes(&self, seen: u64) -> bool {
        seen == self.nth || (self.lasting && seen > self.nth)
    }
}

impl FaultKind {
    /// What is left of an operation that fails this way.
    pub(super) fn damage(self, effect: &Effect) -> Effect {
        match (self, effect) {
            (Self::ShortWrite { bytes }, effect) => effect.cut_short(bytes),
            (Self::LostPages, Effect::SyncData(inode) | Effect::SyncAll(inode)) => Effect::DropPages(*inode),
            _ => Effect::Nothing,
        }
    }

    pub(super) fn error(self) -> io::Error {
        match self {
            Self::NoSpace => Errno::NOSPC.into(),
            Self::NoDescriptor => Errno::MFILE.into(),
            Self::Io | Self::ShortWrite { .. } | Self::LostPages => Errno::IO.into(),
        }
    }
}

/// The faults of a disk, with their counts.
#[derive(Debug, Default)]
pub(super) struct FaultPlan {
    faults: Vec<(Fault, u64)>,
    fired: u64,
    /// What was struck last.
    last: Option<(OpKind, String)>,
}

impl FaultPlan {
    pub(super) fn inject(&mut self, fault: Fault) {
        self.faults.push((fault, 0));
    }

    pub(super) fn lift(&mut self) {
        self.faults.clear();
    }

    /// Operations that failed so far.
    pub(super) fn fired(&self) -> u64 {
        self.fired
    }

    /// The operation that failed last, and its path.
    pub(super) fn last(&self) -> Option<(OpKind, String)> {
        self.last.clone()
    }

    /// Counts an operation; the first injected fault that strikes it decides.
    pub(super) fn next(&mut self, kind: OpKind, path: &str) -> Option<FaultKind> {
        let mut struck = None;
        for (fault, seen) in &mut self.faults {
            if fault.counts(kind, path) {
                *seen += 1;
                if fault.strikes(*seen) {
                    struck = struck.or(Some(fault.what));
                }
            }
        }
        if struck.is_some() {
            self.fired += 1;
            self.last = Some((kind, path.to_owned()));
        }
        struck
    }
}
