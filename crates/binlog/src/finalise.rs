//! Fills in what only the place in the file decides: sizes with checksums, end positions, CRC32s.
//!
//! [`Finaliser`] takes cached events as bytes in pieces of any size, so it serves a buffer in memory, a spilled
//! cache and chunks read back from redo alike. Events that come whole, as nearly all do, are copied and completed where
//! they lie; of one that comes in pieces it holds no more than the header: that is patched as it comes by, its body is
//! passed on and hashed.

use crate::crc32::crc32;
use crate::event::{
    CHECKSUM_LEN, ChecksumAlg, END_POS_OFFSET, Encode, EventHeader, EventType, FLAGS_OFFSET, HEADER_LEN,
    Origin, SIZE_OFFSET, flag,
};

/// A file position as an event's header holds it: modulo 2^32, as MySQL writes it in larger files.
pub const fn wrapped(position: u64) -> u32 {
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

const FITS: &str = "an event is smaller than EVENT_SIZE_MAX";
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

    /// Takes the next bytes of cached events and appends final ones.
    ///
    /// # Panics
    /// If they are no cached events: what comes back from a temporary file is checked there ([`vfs::Spill`]).
    pub fn push(&mut self, mut bytes: &[u8], out: &mut Vec<u8>) {
        while !bytes.is_empty() {
            bytes = match self.is_between_events().then(|| whole_event(bytes)).flatten() {
                Some((event, rest)) => {
                    let start = out.len();
                    out.reserve(event.len() + self.checksum.len());
                    out.extend_from_slice(event);
                    self.complete(start, out);
                    rest
                }
                None => self.push_piece(bytes, out),
            };
        }
    }

    /// Takes a small event that is in no cache: those that hold what the ticket decided.
    pub(crate) fn push_event(&mut self, event: &impl Encode, origin: Origin, out: &mut Vec<u8>) {
        let start = out.len();
        event.append_to(origin, out);
        self.complete(start, out);
    }

    /// Makes a cached event that is the end of `out` a final one.
    fn complete(&mut self, start: usize, out: &mut Vec<u8>) {
        let size = out.len() - start + self.checksum.len();
        self.position += size as u64;
        let event = &mut out[start..];
        event[SIZE_OFFSET..END_POS_OFFSET].copy_from_slice(&u32::try_from(size).expect(FITS).to_le_bytes());
        event[END_POS_OFFSET..FLAGS_OFFSET].copy_from_slice(&wrapped(self.position).to_le_bytes());
        if self.checksum == ChecksumAlg::Crc32 {
            let crc = crc32(event);
            out.extend_from_slice(&crc.to_le_bytes());
        }
        self.events += 1;
    }

    /// Takes bytes of an event that is not there as a whole. Returns the rest.
    fn push_piece<'a>(&mut self, bytes: &'a [u8], out: &mut Vec<u8>) -> &'a [u8] {
        let rest = match &mut self.state {
            State::Header { bytes: header, filled } => {
                let (piece, rest) = bytes.split_at(bytes.len().min(HEADER_LEN - *filled));
                header[*filled..*filled + piece.len()].copy_from_slice(piece);
                *filled += piece.len();
                if *filled == HEADER_LEN {
                    let header = *header;
                    self.begin_body(&header, out);
                }
                rest
            }
            State::Body { left, hasher } => {
                let (piece, rest) = bytes.split_at(bytes.len().min(*left));
                out.extend_from_slice(piece);
                if self.checksum == ChecksumAlg::Crc32 {
                    hasher.update(piece);
                }
                *left -= piece.len();
                rest
            }
        };
        self.end_event(out);
        rest
    }

    fn begin_body(&mut self, cached: &[u8; HEADER_LEN], out: &mut Vec<u8>) {
        let mut header = EventHeader::from_bytes(cached);
        let left = cached_size(cached) - HEADER_LEN;
        let size = HEADER_LEN + left + self.checksum.len();
        header.event_size = u32::try_from(size).expect(FITS);
        self.position += size as u64;
        header.end_log_pos = wrapped(self.position);
        let header = header.to_bytes();
        out.extend_from_slice(&header);
        let mut hasher = crc32fast::Hasher::new();
        hasher.update(&header);
        self.state = State::Body { left, hasher };
    }

    fn end_event(&mut self, out: &mut Vec<u8>) {
        if let State::Body { left: 0, hasher } = &self.state {
            if self.checksum == ChecksumAlg::Crc32 {
                out.extend_from_slice(&hasher.clone().finalize().to_le_bytes());
            }
            self.events += 1;
            self.state = BETWEEN_EVENTS;
        }
    }
}

/// The first cached event, if it is there as a whole, and what is behind it.
pub(crate) fn whole_event(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    bytes.split_at_checked(cached_size(bytes.first_chunk()?))
}

/// Bytes of a cached event: header and body.
fn cached_size(header: &[u8; HEADER_LEN]) -> usize {
    let size = usize::try_from(EventHeader::from_bytes(header).event_size).ok();
    size.filter(|size| *size >= HEADER_LEN).expect("a cached event has at least a header")
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
    let mut header = event.header(origin, size);
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
        let crc = crc32(&out[start..]);
        out.extend_from_slice(&crc.to_le_bytes());
    }
    header.flags |= in_use;
    out[start..start + HEADER_LEN].copy_from_slice(&header.to_bytes());
    assert_eq!(out.len() - start, size, "an encoder wrote another length than it announced");
}
