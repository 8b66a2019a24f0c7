//! The ring's memory: shared bytes whose ranges the ring's protocol hands to one thread at a time.

#[cfg(not(feature = "loom"))]
use std::cell::UnsafeCell;

#[cfg(feature = "loom")]
use sync::loom::cell::UnsafeCell;

/// Bytes that a processor loads at a time.
const LINE_SIZE: usize = 64;

/// See the module. With the feature `loom` each byte is a cell that knows who may reach it.
#[derive(Debug)]
pub(crate) struct Bytes(Box<[UnsafeCell<u8>]>);

// SAFETY: the bytes are reached only through `read` and `write`, whose callers keep ranges apart.
unsafe impl Sync for Bytes {}
// SAFETY: as above; the memory has no thread affinity.
unsafe impl Send for Bytes {}

impl Bytes {
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// Has the processor load a range that will be written soon, where that can be asked of it.
    pub(crate) fn prefetch(&self, index: usize, size: usize) {
        self.0[index..index + size].chunks(LINE_SIZE).for_each(|line| load_ahead(&line[0]));
    }
}

#[cfg(all(target_arch = "x86_64", not(feature = "loom")))]
fn load_ahead(byte: &UnsafeCell<u8>) {
    use std::arch::x86_64::{_MM_HINT_ET0, _mm_prefetch};
    // SAFETY: a prefetch changes nothing and reads nothing that the program sees, whoever has the byte.
    unsafe { _mm_prefetch::<_MM_HINT_ET0>(byte.get().cast()) };
}

#[cfg(any(not(target_arch = "x86_64"), feature = "loom"))]
fn load_ahead(_: &UnsafeCell<u8>) {}

#[cfg(not(feature = "loom"))]
impl Bytes {
    /// Zeroed memory that costs nothing until it is touched.
    pub(crate) fn zeroed(size: usize) -> Self {
        let bytes = Box::into_raw(vec![0_u8; size].into_boxed_slice());
        // SAFETY: `UnsafeCell<u8>` has the layout of `u8`, so the allocation, its length and its contents stay valid.
        Self(unsafe { Box::from_raw(bytes as *mut [UnsafeCell<u8>]) })
    }

    /// Copies `data` to `index`.
    ///
    /// # Safety
    /// Nobody else reaches the range meanwhile.
    pub(crate) unsafe fn write(&self, index: usize, data: &[u8]) {
        let cells = &self.0[index..index + data.len()];
        // SAFETY: the caller has the range to itself; `UnsafeCell<u8>` has the layout of `u8`.
        unsafe {
            std::ptr::copy_nonoverlapping(data.as_ptr(), cells.as_ptr().cast::<u8>().cast_mut(), data.len());
        }
    }

    /// Shows a range to `sink`.
    ///
    /// # Safety
    /// Nobody writes the range meanwhile.
    pub(crate) unsafe fn read(&self, index: usize, size: usize, sink: impl FnOnce(&[u8])) {
        let cells = &self.0[index..index + size];
        // SAFETY: nobody writes the range; layout as above.
        sink(unsafe { std::slice::from_raw_parts(cells.as_ptr().cast::<u8>(), size) });
    }
}

#[cfg(feature = "loom")]
impl Bytes {
    pub(crate) fn zeroed(size: usize) -> Self {
        Self((0..size).map(|_| UnsafeCell::new(0)).collect())
    }

    /// # Safety
    /// loom checks what the caller promises.
    pub(crate) unsafe fn write(&self, index: usize, data: &[u8]) {
        for (cell, byte) in self.0[index..index + data.len()].iter().zip(data) {
            // SAFETY: loom panics before it gives a pointer to a byte that somebody else may reach.
            cell.with_mut(|target| unsafe { *target = *byte });
        }
    }

    /// # Safety
    /// loom checks what the caller promises.
    pub(crate) unsafe fn read(&self, index: usize, size: usize, sink: impl FnOnce(&[u8])) {
        let cells = self.0[index..index + size].iter();
        // SAFETY: as in `write`.
        let bytes: Vec<u8> = cells.map(|cell| cell.with(|source| unsafe { *source })).collect();
        sink(&bytes);
    }
}
