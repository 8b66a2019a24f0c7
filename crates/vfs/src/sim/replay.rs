//! Steps through a journal and loses power on the way.
//!
//! A sweep over all operations of a run replays the run once, forwards; each crash is then made from the
//! state reached, without touching it.

use super::SimDisk;
use super::crash::{CrashMode, crash};
use super::journal::{Journal, Record};
use super::rng::Rng;
use super::state::State;

/// A position in a [`Journal`].
///
/// ```
/// # use std::path::Path;
/// # use vfs::{Open, Vfs, sim::{CrashMode, Replay, SimDisk}};
/// # let disk = SimDisk::new();
/// disk.start_journal();
/// disk.open(Path::new("file"), Open::Create)?.write_at(b"bytes", 0)?;
/// let journal = disk.stop_journal().expect("started above");
///
/// let mut replay = Replay::new(&journal);
/// for op in journal.first_op()..=journal.last_op() {
///     replay.seek(op);
///     for mode in CrashMode::ALL {
///         let _after = replay.crash(mode, 1);
///         let _during_the_next = replay.crash_during_next(mode, 1);
///     }
/// }
/// # Ok::<(), std::io::Error>(())
/// ```
pub struct Replay {
    journal: Journal,
    state: State,
}

impl Replay {
    /// Begins before the first operation.
    pub fn new(journal: &Journal) -> Self {
        Self { state: journal.base.clone(), journal: journal.clone() }
    }

    /// The number of the last operation that has happened.
    pub fn op(&self) -> u64 {
        self.state.ops
    }

    /// Moves to just after operation number `op`. Backwards is a new beginning; panics outside of the
    /// journal.
    pub fn seek(&mut self, op: u64) {
        let range = self.journal.first_op()..=self.journal.last_op();
        assert!(range.contains(&op), "operation {op} is not in the journal {range:?}");
        if op < self.state.ops {
            self.state = self.journal.base.clone();
        }
        while self.state.ops < op {
            let record = self.journal.record(self.state.ops + 1).expect("inside the journal");
            self.state.apply(&record.effect);
        }
    }

    /// The next operation, if there is one.
    pub fn next_record(&self) -> Option<&Record> {
        self.journal.record(self.state.ops + 1)
    }

    /// The disk at this point, as a process sees it that starts without a power loss: to go on from here.
    pub fn disk(&self) -> SimDisk {
        SimDisk::from_state(self.state.clone())
    }

    /// The disk as it is found after a power loss at this point.
    pub fn crash(&self, mode: CrashMode, seed: u64) -> SimDisk {
        SimDisk::from_state(crash(&self.state, mode, seed))
    }

    /// The disk as it is found after a power loss in the middle of the next operation: a durable write may
    /// have reached the disk in part, a sync has promised nothing yet. `None` after the last operation.
    pub fn crash_during_next(&self, mode: CrashMode, seed: u64) -> Option<SimDisk> {
        let effect = self.next_record()?.effect.in_flight(&mut Rng::new(seed));
        let mut state = self.state.clone();
        state.apply(&effect);
        Some(SimDisk::from_state(crash(&state, mode, seed)))
    }
}
