//! Packets into a stream of bytes.
//!
//! [`PacketWriter`] collects a whole reply in one buffer, so that one write sends it: headers are patched when
//! a packet ends, sequence numbers are counted, and a payload of 16 MiB - 1 bytes or more is split as
//! [`crate::frame`] describes. Nothing is copied twice unless it has to be split.
//!
//! **Invariant:** outside of [`PacketWriter::begin`] and [`PacketWriter::end`] the buffer holds whole packets.

use crate::frame::{CHUNK_SIZE_MAX, RETAINED_SIZE};
use crate::wire::put::Put;

const HEADER_SIZE: usize = 4;

/// Builds packets, one after another.
#[derive(Debug, Default)]
pub struct PacketWriter {
    buffer: Vec<u8>,
    /// Where the open packet's header is.
    open: Option<usize>,
    sequence: u8,
}

/// A place in a [`PacketWriter`] to which it can go back.
#[derive(Clone, Copy, Debug)]
pub struct Mark {
    len: usize,
    sequence: u8,
}

impl PacketWriter {
    /// A writer without memory.
    pub const fn new() -> Self {
        Self { buffer: Vec::new(), open: None, sequence: 0 }
    }

    /// The sequence number of the next chunk.
    pub const fn sequence(&self) -> u8 {
        self.sequence
    }

    /// Says which sequence number comes next: that of the reader, when a reply begins.
    pub const fn set_sequence(&mut self, sequence: u8) {
        self.sequence = sequence;
    }

    /// Opens a packet and gives its payload to append to: the buffer with everything before it, which stays
    /// as it is.
    ///
    /// # Panics
    /// If a packet is open.
    pub fn begin(&mut self) -> &mut Vec<u8> {
        assert!(self.open.is_none(), "a packet is open already");
        self.open = Some(self.buffer.len());
        self.buffer.put_zeros(HEADER_SIZE);
        &mut self.buffer
    }

    /// The payload of the open packet, to append to.
    ///
    /// # Panics
    /// If no packet is open.
    pub fn payload(&mut self) -> &mut Vec<u8> {
        assert!(self.open.is_some(), "no packet is open");
        &mut self.buffer
    }

    /// Ends the open packet: writes its header, or its headers.
    ///
    /// # Panics
    /// If no packet is open.
    pub fn end(&mut self) {
        let at = self.open.take().expect("a packet is open");
        let body = at.saturating_add(HEADER_SIZE);
        let size = self.buffer.len().checked_sub(body).expect("a payload is only appended to");
        if size >= CHUNK_SIZE_MAX {
            self.split(body, size);
        }
        self.header(at, size.min(CHUNK_SIZE_MAX), self.sequence);
        self.sequence = self.sequence_after((size / CHUNK_SIZE_MAX).saturating_add(1));
    }

    /// One packet with this payload.
    pub fn packet(&mut self, payload: &[u8]) {
        self.begin().put_bytes(payload);
        self.end();
    }

    /// Where the writer is, to go back to if what follows cannot be finished.
    ///
    /// # Panics
    /// If a packet is open.
    pub fn mark(&self) -> Mark {
        assert!(self.open.is_none(), "a mark lies between packets");
        Mark { len: self.buffer.len(), sequence: self.sequence }
    }

    /// Forgets everything after `mark`, an open packet too. The mark must be younger than the last
    /// [`Self::clear`].
    pub fn rewind(&mut self, mark: Mark) {
        assert!(mark.len <= self.buffer.len(), "the mark is from before the buffer was cleared");
        self.buffer.truncate(mark.len);
        self.sequence = mark.sequence;
        self.open = None;
    }

    /// The bytes to send.
    ///
    /// # Panics
    /// If a packet is open.
    pub fn bytes(&self) -> &[u8] {
        assert!(self.open.is_none(), "an open packet cannot be sent");
        &self.buffer
    }

    /// Bytes collected, the open packet included.
    pub const fn len(&self) -> usize {
        self.buffer.len()
    }

    /// Whether there is nothing to send.
    pub const fn is_empty(&self) -> bool {
        self.buffer.is_empty()
    }

    /// Bytes of memory held.
    pub const fn capacity(&self) -> usize {
        self.buffer.capacity()
    }

    /// Forgets what was sent. Sequence numbers go on; memory beyond [`RETAINED_SIZE`] is given back.
    ///
    /// # Panics
    /// If a packet is open.
    pub fn clear(&mut self) {
        assert!(self.open.is_none(), "an open packet cannot be forgotten");
        self.buffer.clear();
        if self.buffer.capacity() > RETAINED_SIZE {
            self.buffer = Vec::new();
        }
    }

    /// Opens gaps for the headers of all chunks but the first, from the last to the first, and fills them.
    #[cold]
    fn split(&mut self, body: usize, size: usize) {
        let gaps = size / CHUNK_SIZE_MAX;
        self.buffer.put_zeros(gaps.saturating_mul(HEADER_SIZE));
        for index in (1..=gaps).rev() {
            let from = body.saturating_add(index.saturating_mul(CHUNK_SIZE_MAX));
            let chunk = body.saturating_add(size).saturating_sub(from).min(CHUNK_SIZE_MAX);
            let to = from.saturating_add(index.saturating_mul(HEADER_SIZE));
            self.buffer.copy_within(from..from.saturating_add(chunk), to);
            self.header(to.saturating_sub(HEADER_SIZE), chunk, self.sequence_after(index));
        }
    }

    /// Writes a header at `at`.
    fn header(&mut self, at: usize, size: usize, sequence: u8) {
        let [a, b, c, ..] = size.to_le_bytes();
        if let Some(place) = self.buffer.get_mut(at..).and_then(<[u8]>::first_chunk_mut) {
            *place = [a, b, c, sequence];
        }
    }

    /// The sequence number `count` chunks further on; it wraps.
    fn sequence_after(&self, count: usize) -> u8 {
        let [low, ..] = count.to_le_bytes();
        self.sequence.wrapping_add(low)
    }
}
