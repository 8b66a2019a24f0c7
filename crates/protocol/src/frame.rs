//! Packets out of a stream of bytes.
//!
//! A packet travels as one or more chunks:
//!
//! | bytes | field |
//! | --- | --- |
//! | 3 | size of this chunk's payload, little-endian |
//! | 1 | sequence number, counted on by both sides within one command |
//! | size | payload |
//!
//! A chunk of 16 MiB - 1 bytes says that the packet goes on in the next chunk, which may be empty.
//!
//! [`PacketReader`] owns one buffer. The caller reads from its socket straight into [`PacketReader::spare`]
//! and a packet is handed out as a slice of the same memory: one small packet costs no copy. The chunks of a
//! large packet are joined in place, by moving the bytes behind a header over it.
//!
//! **Invariant:** the buffer grows with the bytes that have arrived, never with a size that a header
//! announces: at most twice what is unread, plus [`INITIAL_SIZE`]. It is given back when a packet beyond
//! [`RETAINED_SIZE`] was consumed.
//!
//! **Invariant:** `start <= end <= buffer.len()`, and what was announced so far never exceeds the limit.

use std::ops::Range;

use zeroize::Zeroize;

use crate::{Error, Result};

/// The most payload that one chunk carries; such a chunk is followed by another.
pub const CHUNK_SIZE_MAX: usize = 0xFF_FFFF;

/// The most payload that a client may send before it has been authenticated.
pub const UNAUTHENTICATED_SIZE_MAX: usize = 64 * 1024;

/// Bytes of a new buffer.
pub const INITIAL_SIZE: usize = 8 * 1024;

/// A buffer beyond this size is not kept when its packet is done.
pub const RETAINED_SIZE: usize = 256 * 1024;

/// Less spare room than this is not worth a read.
const SPARE_SIZE_MIN: usize = 1024;

const HEADER_SIZE: usize = 4;

/// Turns received bytes into packets.
#[derive(Debug)]
pub struct PacketReader {
    /// Initialised memory; its length is the capacity in use.
    buffer: Vec<u8>,
    /// First byte that belongs to no packet handed out.
    start: usize,
    /// End of what was received.
    end: usize,
    /// The packet handed out last; its bytes stay until the next call.
    last: Range<usize>,
    /// The packet whose first header, at least, has been read: its payload begins at `start`.
    partial: Option<Partial>,
    sequence: u8,
    /// Packets may begin with any number.
    takes_any_sequence: bool,
    size_max: usize,
}

/// A packet of which a header was read.
#[derive(Clone, Copy, Debug)]
struct Partial {
    /// Payload bytes that its headers have announced so far.
    size: usize,
    /// Whether another chunk follows.
    continues: bool,
}

impl PacketReader {
    /// A reader without memory, that accepts `size_max` bytes of payload a packet.
    pub const fn new(size_max: usize) -> Self {
        Self {
            buffer: Vec::new(),
            start: 0,
            end: 0,
            last: 0..0,
            partial: None,
            sequence: 0,
            takes_any_sequence: false,
            size_max,
        }
    }

    /// Changes the limit on a packet's payload, in bytes, from the next header on.
    pub const fn set_size_max(&mut self, size_max: usize) {
        self.size_max = size_max;
    }

    /// The sequence number that the next chunk must have, which is also that of the first chunk of a reply.
    pub const fn sequence(&self) -> u8 {
        self.sequence
    }

    /// Says which sequence number comes next: that of the writer, after something was written.
    pub const fn set_sequence(&mut self, sequence: u8) {
        self.sequence = sequence;
    }

    /// From now on a packet may begin with any sequence number: semi-synchronous sources count anew behind some events.
    pub const fn take_any_sequence(&mut self) {
        self.takes_any_sequence = true;
    }

    /// Initialised room for received bytes, never empty. What is put there counts once [`Self::filled`] says
    /// so.
    pub fn spare(&mut self) -> &mut [u8] {
        self.discard_last();
        self.make_room();
        self.buffer.get_mut(self.end..).unwrap_or_default()
    }

    /// Counts the first `count` bytes of [`Self::spare`] as received.
    ///
    /// # Panics
    /// If there were not that many.
    pub fn filled(&mut self, count: usize) {
        let end = self.end.saturating_add(count);
        assert!(end <= self.buffer.len(), "more bytes were received than there was room for");
        self.end = end;
    }

    /// Received bytes that belong to no packet handed out.
    pub const fn buffered(&self) -> usize {
        self.end.saturating_sub(self.start)
    }

    /// Whether some of a packet has been received, and not all of it.
    pub const fn is_within_packet(&self) -> bool {
        self.partial.is_some() || self.buffered() > 0
    }

    /// Takes the received bytes that belong to no packet handed out; what follows is another stream. The sequence goes on.
    pub fn take_unread(&mut self) -> Vec<u8> {
        self.discard_last();
        let unread = self.buffer.get(self.start..self.end).unwrap_or_default().to_vec();
        (self.start, self.end, self.partial) = (0, 0, None);
        unread
    }

    /// Bytes of memory held.
    pub const fn capacity(&self) -> usize {
        self.buffer.capacity()
    }

    /// The next packet of the conversation in progress, or `None` until more bytes arrive. The slice lives
    /// until the next call.
    ///
    /// # Errors
    /// [`Error::OutOfOrder`] and [`Error::TooBig`]: both end the connection; the reader stays where it is.
    pub fn next_packet(&mut self) -> Result<Option<&[u8]>> {
        self.discard_last();
        while let Some(partial) = self.advance()? {
            if !partial.continues {
                let end = self.start.saturating_add(partial.size);
                self.partial = None;
                self.last = self.start..end;
                self.start = end;
                return Ok(self.buffer.get(self.last.clone()));
            }
        }
        Ok(None)
    }

    /// The next packet, as the first one of a new command: its sequence number has to be 0.
    ///
    /// # Errors
    /// As for [`Self::next_packet`].
    pub fn next_command(&mut self) -> Result<Option<&[u8]>> {
        if self.partial.is_none() {
            self.sequence = 0;
        }
        self.next_packet()
    }

    /// Overwrites the packet that was handed out last: it held a password.
    pub fn wipe_last(&mut self) {
        if let Some(bytes) = self.buffer.get_mut(self.last.clone()) {
            bytes.zeroize();
        }
    }

    /// Reads as many headers as it takes to see a packet whose announced payload is complete so far.
    fn advance(&mut self) -> Result<Option<Partial>> {
        let partial = match self.partial {
            Some(partial) => partial,
            None => match self.header(self.start, 0)? {
                Some(partial) => {
                    self.start = self.start.saturating_add(HEADER_SIZE);
                    *self.partial.insert(partial)
                }
                None => return Ok(None),
            },
        };
        if self.buffered() < partial.size {
            return Ok(None);
        }
        if !partial.continues {
            return Ok(Some(partial));
        }
        let at = self.start.saturating_add(partial.size);
        let Some(longer) = self.header(at, partial.size)? else { return Ok(None) };
        self.buffer.copy_within(at.saturating_add(HEADER_SIZE)..self.end, at);
        self.end = self.end.saturating_sub(HEADER_SIZE);
        self.partial = Some(longer);
        Ok((self.buffered() >= longer.size).then_some(longer))
    }

    /// Reads the header at `at` of a packet that had `size` bytes before it.
    fn header(&mut self, at: usize, size: usize) -> Result<Option<Partial>> {
        let Some(&[a, b, c, sequence]) = self.buffer.get(at..self.end).and_then(<[u8]>::first_chunk) else {
            return Ok(None);
        };
        if size == 0 && self.partial.is_none() && self.takes_any_sequence {
            self.sequence = sequence;
        }
        if sequence != self.sequence {
            return Err(Error::OutOfOrder { expected: self.sequence, got: sequence });
        }
        let chunk = usize::from(a) | usize::from(b) << 8 | usize::from(c) << 16;
        let size = size.saturating_add(chunk);
        if size > self.size_max {
            return Err(Error::TooBig { size, max: self.size_max });
        }
        self.sequence = self.sequence.wrapping_add(1);
        Ok(Some(Partial { size, continues: chunk == CHUNK_SIZE_MAX }))
    }

    /// Forgets the packet that was handed out last; the buffer starts over when nothing else is in it.
    fn discard_last(&mut self) {
        self.last = 0..0;
        if self.start == self.end && self.partial.is_none() {
            self.start = 0;
            self.end = 0;
        }
    }

    /// Makes spare room: none to do, by moving what is unread to the front, or by new memory.
    fn make_room(&mut self) {
        let unread = self.buffered();
        let oversized =
            self.buffer.len() > RETAINED_SIZE && unread < RETAINED_SIZE / 2 && self.partial.is_none();
        if oversized {
            self.reallocate(INITIAL_SIZE.max(unread.saturating_mul(2)));
        } else if self.buffer.len().saturating_sub(self.end) < SPARE_SIZE_MIN {
            if unread <= self.buffer.len() / 2 && !self.buffer.is_empty() {
                self.buffer.copy_within(self.start..self.end, 0);
                self.start = 0;
                self.end = unread;
            } else {
                self.reallocate(self.grown_size(unread));
            }
        }
    }

    /// Twice what is unread, but no more than the packet in progress can use, as far as it is known.
    fn grown_size(&self, unread: usize) -> usize {
        let doubled = unread.saturating_mul(2);
        let wanted = match self.partial {
            Some(Partial { size, continues: false }) => doubled.min(size.saturating_add(INITIAL_SIZE)),
            _ => doubled,
        };
        wanted.max(unread.saturating_add(SPARE_SIZE_MIN)).max(INITIAL_SIZE)
    }

    /// Moves what is unread into new memory of `size` bytes (zeroed by the system where it is large).
    fn reallocate(&mut self, size: usize) {
        let mut buffer = vec![0; size];
        let unread = self.buffer.get(self.start..self.end).unwrap_or_default();
        if let Some(front) = buffer.get_mut(..unread.len()) {
            front.copy_from_slice(unread);
        }
        self.end = unread.len();
        self.start = 0;
        self.buffer = buffer;
    }
}
