//! A disk in memory that loses power.
//!
//! [`SimDisk`] is a [`Vfs`](crate::Vfs) that keeps what readers see apart from what would survive, operation
//! by operation, and can show at any moment the disk as it would be found after a power loss. A run over it
//! is a test of every sync that is missing or misplaced, which killing a process can never show: the page
//! cache survives that.
//!
//! The ways to use it:
//! - [`SimDisk::crash`] loses power now. The disk that is found is a `SimDisk` again, to recover and go on
//!   with, and to crash again.
//! - [`SimDisk::start_journal`] and [`Replay`] lose power after and during every operation of one run.
//! - [`SimDisk::inject`] makes operations fail, [`SimDisk::set_capacity`] makes the disk small.
//! - [`SimDisk::skip_sync`] makes syncs lie, to see that a test would notice.
//!
//! What survives is decided as pessimistically as POSIX permits, not as some file system behaves: an entry
//! needs a `sync_dir` (ext4 would throw it in with an fsync), `sync_data` does not make a truncation durable,
//! a durable write nothing but its own bytes. [`CrashMode`] lists what may become of the rest. Directories
//! themselves are durable when `create_dir_all` returns.
//!
//! What it is not: it has no clock and no latency, knows no permissions, links or `..`, and reads no real
//! file. A fault or a `skip_sync` matches the path under which a file was opened, also after a rename.
//!
//! Invariants: the same calls in the same order give the same disk, journal and crashes, bit by bit; a replay
//! of a journal is the live disk; a crash never undoes what was synced. The disk may be used by many threads;
//! the order of their operations is the order in which they take its one lock.

mod content;
mod crash;
mod dir;
mod disk;
mod effect;
mod fault;
mod file;
mod inode;
mod journal;
mod key;
mod live;
mod replay;
mod rng;
mod scrap;
mod state;
mod tear;
mod vfs;

pub use crash::CrashMode;
pub use disk::SimDisk;
pub use effect::OpKind;
pub use fault::{Fault, FaultKind};
pub use journal::{Journal, Record};
pub use replay::Replay;
pub use rng::Rng;

/// Whether sweeps lose power at every operation: `ONELOG_FULL=1`.
pub fn is_full_sweep() -> bool {
    std::env::var_os("ONELOG_FULL").is_some_and(|value| value == "1")
}

/// How many operations come to one at which a sweep loses power: `sampled`, or one with `ONELOG_FULL=1`.
pub fn every(sampled: u64) -> u64 {
    if is_full_sweep() { 1 } else { sampled }
}
