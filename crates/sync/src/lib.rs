//! The atomics and locks of code whose interleavings and memory orders are model-checked: those of `std` and
//! `parking_lot`, or with the feature `loom` the same API on loom's, in which a test can break a memory order on purpose.
//!
//! Only code that a model covers goes through here; everything else uses `std` and `parking_lot` itself.

#[cfg(not(feature = "loom"))]
pub use parking_lot::{Condvar, Mutex, MutexGuard};

/// As `std::sync::atomic`.
#[cfg(not(feature = "loom"))]
pub mod atomic {
    pub use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};
}

#[cfg(feature = "loom")]
pub mod atomic;
#[cfg(feature = "loom")]
mod lock;
#[cfg(feature = "loom")]
pub mod model;

#[cfg(feature = "loom")]
pub use lock::{Condvar, Mutex, MutexGuard};
#[cfg(feature = "loom")]
pub use loom;
