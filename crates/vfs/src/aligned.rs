//! A growable byte buffer whose memory may be handed to [`File::write_durable_at`](crate::File).
//!
//! Not a general buffer: it grows in whole blocks of [`DURABLE_ALIGN`] bytes and never shrinks its memory, as
//! fits a log that fills, pads, writes and clears the same buffer for ever.
//!
//! Invariants: the memory starts at a multiple of [`DURABLE_ALIGN`]; every byte up to the capacity is
//! initialised; `len <= capacity`.

use std::fmt;
use std::ops::{Deref, DerefMut};
use std::slice;

use crate::DURABLE_ALIGN;

/// Bytes at an address that is a multiple of [`DURABLE_ALIGN`].
#[derive(Clone, Default)]
pub struct AlignedBuf {
    blocks: Vec<Block>,
    len: usize,
}

/// The unit of growth. A `Vec` of these is aligned and initialised without any code of ours.
#[derive(Clone, Copy)]
#[repr(C, align(4096))]
struct Block([u8; DURABLE_ALIGN]);

const _: () = assert!(align_of::<Block>() == DURABLE_ALIGN && size_of::<Block>() == DURABLE_ALIGN);

const ZEROS: Block = Block([0; DURABLE_ALIGN]);

impl AlignedBuf {
    /// An empty buffer without memory.
    pub const fn new() -> Self {
        Self { blocks: Vec::new(), len: 0 }
    }

    /// An empty buffer with room for at least `bytes` bytes.
    pub fn with_capacity(bytes: usize) -> Self {
        Self { blocks: vec![ZEROS; bytes.div_ceil(DURABLE_ALIGN)], len: 0 }
    }

    /// Bytes that fit without growing: a multiple of [`DURABLE_ALIGN`].
    pub fn capacity(&self) -> usize {
        self.blocks.len() * DURABLE_ALIGN
    }

    /// Appends `bytes`, growing if needed.
    pub fn extend_from_slice(&mut self, bytes: &[u8]) {
        let start = self.len;
        let end = start.checked_add(bytes.len()).expect("a buffer fits the address space");
        self.reserve_to(end);
        self.len = end;
        self[start..].copy_from_slice(bytes);
    }

    /// Cuts the buffer, or grows it with bytes of `value`, to `len` bytes.
    pub fn resize(&mut self, len: usize, value: u8) {
        let start = self.len.min(len);
        self.reserve_to(len);
        self.len = len;
        self[start..].fill(value);
    }

    /// Fills up with zeros to the next multiple of [`DURABLE_ALIGN`] and returns how many bytes that took.
    pub fn pad_to_block(&mut self) -> usize {
        let padded = self.len.next_multiple_of(DURABLE_ALIGN);
        let added = padded - self.len;
        // Written even though fresh blocks are zero: after a `clear` the old bytes are still there.
        self.resize(padded, 0);
        added
    }

    /// Empties the buffer and keeps its memory.
    pub fn clear(&mut self) {
        self.len = 0;
    }

    fn reserve_to(&mut self, bytes: usize) {
        let blocks = bytes.div_ceil(DURABLE_ALIGN);
        if blocks > self.blocks.len() {
            self.blocks.resize(blocks, ZEROS);
        }
    }
}

impl Deref for AlignedBuf {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        // SAFETY: `Block` is `repr(C)` around a byte array of its own size, so the vector's memory is
        // `capacity()` initialised bytes without padding; `len <= capacity()`; the borrow of `self` covers
        // it.
        unsafe { slice::from_raw_parts(self.blocks.as_ptr().cast::<u8>(), self.len) }
    }
}

impl DerefMut for AlignedBuf {
    fn deref_mut(&mut self) -> &mut [u8] {
        // SAFETY: as in `deref`; the exclusive borrow of `self` makes this the only reference, and every bit
        // pattern is a valid byte.
        unsafe { slice::from_raw_parts_mut(self.blocks.as_mut_ptr().cast::<u8>(), self.len) }
    }
}

impl fmt::Debug for AlignedBuf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AlignedBuf")
            .field("len", &self.len)
            .field("capacity", &self.capacity())
            .finish_non_exhaustive()
    }
}

/// Asserts what [`File::write_durable_at`](crate::File::write_durable_at) and its like ask of their caller.
pub(crate) fn assert_aligned(data: &[u8], offset: u64) {
    assert!(offset.is_multiple_of(DURABLE_ALIGN as u64), "blocks are written at unaligned offset {offset}");
    assert!(data.len().is_multiple_of(DURABLE_ALIGN), "blocks of unaligned length {}", data.len());
    assert!(data.as_ptr().addr().is_multiple_of(DURABLE_ALIGN), "blocks in unaligned memory");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_stays_aligned_and_contents_stay_while_it_grows() {
        let mut buf = AlignedBuf::new();
        assert!(buf.is_empty());
        assert_aligned(&buf, 0);
        let mut expected = Vec::new();
        for size in [1, 4095, 1, 4096, 100_000, 3] {
            let bytes: Vec<u8> = (0..size).map(|i| (i % 251) as u8).collect();
            buf.extend_from_slice(&bytes);
            expected.extend_from_slice(&bytes);
            assert_eq!(&buf[..], &expected[..]);
            assert!(buf.as_ptr().addr().is_multiple_of(DURABLE_ALIGN));
            assert!(buf.capacity().is_multiple_of(DURABLE_ALIGN) && buf.capacity() >= buf.len());
        }
    }

    #[test]
    fn padding_is_zero_even_where_old_bytes_were() {
        let mut buf = AlignedBuf::with_capacity(10);
        buf.resize(DURABLE_ALIGN, 0xff);
        buf.clear();
        buf.extend_from_slice(b"abc");
        assert_eq!(buf.pad_to_block(), DURABLE_ALIGN - 3);
        assert_eq!(buf.len(), DURABLE_ALIGN);
        assert!(buf[3..].iter().all(|&b| b == 0));
        assert_eq!(buf.pad_to_block(), 0);
        assert_eq!(buf.capacity(), DURABLE_ALIGN);
    }

    #[test]
    fn resize_cuts_and_grows_with_the_value() {
        let mut buf = AlignedBuf::new();
        buf.resize(5, 7);
        buf.resize(2, 9);
        buf.resize(4, 9);
        assert_eq!(&buf[..], &[7, 7, 9, 9]);
        buf[0] = 1;
        assert_eq!(buf.clone()[..], [1, 7, 9, 9]);
    }

    #[test]
    #[should_panic(expected = "unaligned offset")]
    fn an_unaligned_offset_is_a_defect_of_the_caller() {
        assert_aligned(&[], 1);
    }

    #[test]
    #[should_panic(expected = "unaligned length")]
    fn an_unaligned_length_is_a_defect_of_the_caller() {
        assert_aligned(&[0; 1], 0);
    }

    #[test]
    #[should_panic(expected = "unaligned memory")]
    fn unaligned_memory_is_a_defect_of_the_caller() {
        let mut buf = AlignedBuf::new();
        buf.resize(2 * DURABLE_ALIGN, 0);
        assert_aligned(&buf[1..=DURABLE_ALIGN], 0);
    }
}
