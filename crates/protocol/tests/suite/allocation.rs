//! Purpose: a measure of the memory that decoding takes.
//!
//! Requirements: bytes allocated by the calling thread, whoever else runs.
//!
//! Method: a global allocator that counts in a thread-local cell and hands everything to the system's.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

thread_local! {
    static ALLOCATED: Cell<usize> = const { Cell::new(0) };
}

/// Counts and delegates.
pub struct Counting;

// SAFETY: every request goes unchanged to the system's allocator, which keeps the contract; counting touches only
// a thread-local cell without a destructor and does not allocate.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATED.with(|allocated| allocated.set(allocated.get().saturating_add(layout.size())));
        // SAFETY: the caller's promises are passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the pointer came from `alloc`, hence from the system's allocator, with this layout.
        unsafe { System.dealloc(pointer, layout) }
    }
}

/// The bytes that this thread allocates while `work` runs, what is given back in between included.
pub fn allocated_by<T>(work: impl FnOnce() -> T) -> (usize, T) {
    let before = ALLOCATED.with(Cell::get);
    let result = work();
    (ALLOCATED.with(Cell::get).saturating_sub(before), result)
}
