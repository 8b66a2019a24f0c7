//! The atomics and locks of code whose interleavings and memory orders are model-checked: those of `std` and
//! `parking_lot`, or with `--cfg loom` the same API on loom's, in which a test can break a memory order on purpose.
//!
//! Only code that a model covers goes through here; everything else uses `std` and `parking_lot` itself.

#[cfg(not(loom))]
pub use parking_lot::{Condvar, Mutex, MutexGuard};

/// As `std::sync::atomic`.
#[cfg(not(loom))]
pub mod atomic {
    pub use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};
}

#[cfg(loom)]
pub mod atomic;
#[cfg(loom)]
mod lock;
#[cfg(loom)]
pub mod model;

#[cfg(loom)]
pub use lock::{Condvar, Mutex, MutexGuard};
#[cfg(loom)]
pub use loom;
