//! Fills in what only the place in the file decides: sizes with checksums, end positions, CRC32s.
//!
//! [`Finaliser`] takes cached events as bytes in pieces of any size, so it serves a buffer in memory, a spilled
//! cache and chunks read back from redo alike, and gives final bytes to a [`Sink`]. It never holds an event: each
//! one's header is patched as it comes by, its body is passed on and hashed.

use std::convert::Infallible;

use crate::event::{
    CHECKSUM_LEN, ChecksumAlg, Encode, EventHeader, EventType, HEADER_LEN, Origin, Put, flag,
};

/// Takes final bytes in order.
pub trait Sink {
    /// What can go wrong; [`Infallible`] in memory.
    type Error;

    /// Takes the next bytes.
    fn put(&mut self, bytes: &[u8]) -> Result<(), Self::Error>;
}

impl Sink for Vec<u8> {
    type Error = Infallible;

    fn put(&mut self, bytes: &[u8]) -> Result<(), Infallible> {
        self.extend_from_slice(bytes);
        Ok(())
    }
}

/// A reserved range of exactly the right length.
#[derive(Debug)]
pub struct SliceSink<'a> {
    rest: &'a mut [u8],
}

impl<'a> SliceSink<'a> {
    /// Fills the range from its start.
    pub fn new(range: &'a mut [u8]) -> Self {
        Self { rest: range }
    }

    /// Ends the filling.
    ///
    /// # Panics
    /// If a byte of the range was not filled.
    pub fn finish(self) {
        assert!(self.rest.is_empty(), "a reserved range is filled to its end");
    }
}

impl Sink for SliceSink<'_> {
    type Error = Infallible;

    /// # Panics
    /// If the bytes do not fit: the range was reserved by [`crate::TrxEvents::final_len`].
    fn put(&mut self, bytes: &[u8]) -> Result<(), Infallible> {
        let (filled, rest) = std::mem::take(&mut self.rest).split_at_mut(bytes.len());
        filled.copy_from_slice(bytes);
        self.rest = rest;
        Ok(())
    }
}

/// A file position as an event's header holds it: modulo 2^32, as MySQL writes it in larger files.
pub(crate) const fn wrapped(position: u64) -> u32 {
    (position & 0xffff_ffff) as u32
}

/// Turns cached events into final ones, from a position of a file on.
#[derive(Debug)]
pub struct Finaliser {
    position: u64,
    checksum: ChecksumAlg,
    events: u64,
    state: State,
}

/// What the next byte is.
#[derive(Debug)]
enum State {
    /// A byte of a header of which `filled` bytes came so far.
    Header { bytes: [u8; HEADER_LEN], filled: usize },
    /// One of the `left` bytes of a body.
    Body { left: usize, hasher: crc32fast::Hasher },
}

const BETWEEN_EVENTS: State = State::Header { bytes: [0; HEADER_LEN], filled: 0 };

impl Finaliser {
    /// Begins at a position of a file whose events have this checksum.
    pub fn new(position: u64, checksum: ChecksumAlg) -> Self {
        Self { position, checksum, events: 0, state: BETWEEN_EVENTS }
    }

    /// Where the event that came by last ends, also while it is half way through.
    pub fn position(&self) -> u64 {
        self.position
    }

    /// How many whole events came by.
    pub fn events(&self) -> u64 {
        self.events
    }

    /// Whether no event is half way through.
    pub fn is_between_events(&self) -> bool {
        matches!(self.state, State::Header { filled: 0, .. })
    }

    /// Takes the next bytes of cached events. After an error of the sink the finaliser is of no further use.
    ///
    /// # Panics
    /// If they are no cached events: what was spilled is checked before it is finalised ([`crate::TrxCache::load`]).
    pub fn push<S: Sink>(&mut self, mut bytes: &[u8], sink: &mut S) -> Result<(), S::Error> {
        while !bytes.is_empty() {
            bytes = match &mut self.state {
                State::Header { bytes: header, filled } => {
                    let (piece, rest) = bytes.split_at(bytes.len().min(HEADER_LEN - *filled));
                    header[*filled..*filled + piece.len()].copy_from_slice(piece);
                    *filled += piece.len();
                    if *filled == HEADER_LEN {
                        let header = *header;
                        self.begin_body(&header, sink)?;
                    }
                    rest
                }
                State::Body { left, hasher } => {
                    let (piece, rest) = bytes.split_at(bytes.len().min(*left));
                    sink.put(piece)?;
                    if self.checksum == ChecksumAlg::Crc32 {
                        hasher.update(piece);
                    }
                    *left -= piece.len();
                    rest
                }
            };
            self.end_event(sink)?;
        }
        Ok(())
    }

    /// Takes a small event that is in no cache: those that hold what the ticket decided.
    pub(crate) fn push_event<S: Sink>(
        &mut self,
        event: &impl Encode,
        origin: Origin,
        sink: &mut S,
    ) -> Result<(), S::Error> {
        let mut small = SmallEvent { bytes: [0; SMALL_EVENT_LEN_MAX], len: 0 };
        small.put(&event.header(origin).to_bytes());
        event.put_body(&mut small);
        self.push(&small.bytes[..small.len], sink)
    }

    fn begin_body<S: Sink>(&mut self, cached: &[u8; HEADER_LEN], sink: &mut S) -> Result<(), S::Error> {
        let mut header = EventHeader::from_bytes(cached);
        let left = usize::try_from(header.event_size).ok().and_then(|size| size.checked_sub(HEADER_LEN));
        let left = left.expect("a cached event has at least a header");
        let size = HEADER_LEN + left + self.checksum.len();
        header.event_size = u32::try_from(size).expect("an event is smaller than EVENT_SIZE_MAX");
        self.position += size as u64;
        header.end_log_pos = wrapped(self.position);
        let header = header.to_bytes();
        sink.put(&header)?;
        let mut hasher = crc32fast::Hasher::new();
        hasher.update(&header);
        self.state = State::Body { left, hasher };
        Ok(())
    }

    fn end_event<S: Sink>(&mut self, sink: &mut S) -> Result<(), S::Error> {
        if let State::Body { left: 0, hasher } = &self.state {
            if self.checksum == ChecksumAlg::Crc32 {
                sink.put(&hasher.clone().finalize().to_le_bytes())?;
            }
            self.events += 1;
            self.state = BETWEEN_EVENTS;
        }
        Ok(())
    }
}

/// Room for a GTID event with all its optional fields, 92 bytes.
const SMALL_EVENT_LEN_MAX: usize = 96;

/// An event on the stack.
struct SmallEvent {
    bytes: [u8; SMALL_EVENT_LEN_MAX],
    len: usize,
}

impl Put for SmallEvent {
    fn put(&mut self, bytes: &[u8]) {
        self.bytes[self.len..self.len + bytes.len()].copy_from_slice(bytes);
        self.len += bytes.len();
    }
}

/// What `end_log_pos` of a single event says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Placement {
    /// The event begins at this position of a file.
    At(u64),
    /// The event is made for one reader and says this: 0 for an artificial ROTATE, the position reached for a
    /// HEARTBEAT. ROTATE gets the flag [`flag::ARTIFICIAL`].
    Artificial(u32),
}

/// Appends one final event: those of a file's start and end, and those made for a dump connection.
///
/// FORMAT_DESCRIPTION always gets a checksum, computed as if the file were closed.
pub fn append_final<E: Encode>(
    out: &mut Vec<u8>,
    event: &E,
    origin: Origin,
    placement: Placement,
    checksum: ChecksumAlg,
) {
    let is_format = event.event_type() == EventType::FORMAT_DESCRIPTION;
    let trailer = if is_format { CHECKSUM_LEN } else { checksum.len() };
    let size = event.encoded_len() + trailer;
    let mut header = event.header(origin);
    header.event_size = u32::try_from(size).expect("an event is smaller than EVENT_SIZE_MAX");
    header.end_log_pos = match placement {
        Placement::At(start) => wrapped(start + size as u64),
        Placement::Artificial(end_log_pos) => end_log_pos,
    };
    if matches!(placement, Placement::Artificial(_)) && header.event_type == EventType::ROTATE {
        header.flags |= flag::ARTIFICIAL;
    }
    let in_use = header.flags & if is_format { flag::IN_USE } else { 0 };
    header.flags &= !in_use;
    let start = out.len();
    out.extend_from_slice(&header.to_bytes());
    event.put_body(out);
    if trailer > 0 {
        let crc = crc32fast::hash(&out[start..]);
        out.extend_from_slice(&crc.to_le_bytes());
    }
    header.flags |= in_use;
    out[start..start + HEADER_LEN].copy_from_slice(&header.to_bytes());
    assert_eq!(out.len() - start, size, "an encoder wrote another length than it announced");
}
