//! Reads the events of a file, whatever the file holds.
//!
//! An event is handed out only if it is whole, its size and end position are right and its CRC32 matches. The first
//! that is not ends the reading with an error that says where: everything before that offset is intact. The reader
//! decides nothing about it and changes nothing on disk.
//!
//! [`Error::Torn`]: the file (or the limit set by the caller) ends inside the event. [`Error::Corrupt`]: the bytes
//! are there and wrong; calling again gives the same error. [`Error::Io`]: nothing is known; calling again reads again.
//!
//! Memory: one buffer, as large as the event that is read, and 256 KiB if the file has as much. A size field
//! cannot make it larger than the file or [`EVENT_SIZE_MAX`].
#![deny(clippy::indexing_slicing, clippy::arithmetic_side_effects)]

mod boundaries;
mod head;
mod raw_event;
mod read_at;
mod window;

pub use boundaries::{Boundaries, Boundary};
pub use head::{FileHead, executed_by, read_head};
pub use raw_event::RawEvent;
pub use read_at::ReadAt;

use window::Window;

use crate::error::{Error, Result};
use crate::event::{CHECKSUM_LEN, ChecksumAlg, EventHeader, EventType, HEADER_LEN};
use crate::finalise::wrapped;
use crate::{EVENT_SIZE_MAX, MAGIC};

/// Where the first event begins.
pub const FIRST_EVENT: u64 = MAGIC.len() as u64;

/// Walks over a file's events.
#[derive(Debug)]
pub struct EventReader {
    window: Window,
    position: u64,
    limit: u64,
    checksum: ChecksumAlg,
}

impl EventReader {
    /// Checks the magic and the FORMAT_DESCRIPTION of a file and stands at that first event.
    pub fn open(file: impl ReadAt + 'static) -> Result<Self> {
        Self::open_within(file, u64::MAX)
    }

    /// As [`EventReader::open`], with the limit that [`EventReader::set_limit`] sets later.
    pub fn open_within(file: impl ReadAt + 'static, limit: u64) -> Result<Self> {
        let mut reader = Self {
            window: Window::new(Box::new(file)),
            position: FIRST_EVENT,
            limit,
            checksum: ChecksumAlg::Crc32,
        };
        match reader.window.bytes(0, MAGIC.len(), reader.limit)? {
            Some(magic) if *magic == MAGIC => {}
            Some(_) => return Err(Error::Corrupt { offset: 0, what: "not a binlog file" }),
            None => return Err(Error::Torn { offset: 0 }),
        }
        reader.checksum = match reader.next_event()? {
            Some(event) if event.header.event_type == EventType::FORMAT_DESCRIPTION => {
                event.format_description()?.checksum
            }
            Some(_) => {
                return Err(Error::Corrupt { offset: FIRST_EVENT, what: "no FORMAT_DESCRIPTION" });
            }
            None => return Err(Error::Torn { offset: FIRST_EVENT }),
        };
        reader.position = FIRST_EVENT;
        Ok(reader)
    }

    /// As [`EventReader::open`], and goes to a position, which must be where an event begins.
    pub fn open_at(file: impl ReadAt + 'static, position: u64) -> Result<Self> {
        let mut reader = Self::open(file)?;
        reader.seek(position);
        Ok(reader)
    }

    /// Goes to a position, which must be where an event begins.
    pub fn seek(&mut self, position: u64) {
        self.position = position;
    }

    /// Sets where the file ends for this reader at the latest: how far a file that is being written may be read.
    pub fn set_limit(&mut self, limit: u64) {
        self.limit = limit;
    }

    /// Where the next event begins; after an error, the end of what is intact.
    pub fn position(&self) -> u64 {
        self.position
    }

    /// `binlog_checksum` of the file.
    pub fn checksum(&self) -> ChecksumAlg {
        self.checksum
    }

    /// The next event; `None` exactly at the end.
    ///
    /// Not an `Iterator`: the event borrows the reader's buffer.
    pub fn next_event(&mut self) -> Result<Option<RawEvent<'_>>> {
        let offset = self.position;
        let header = self.window.bytes(offset, HEADER_LEN, self.limit)?.and_then(|b| b.first_chunk());
        let Some(header) = header.map(EventHeader::from_bytes) else {
            let whole = self.window.ends_at(offset, self.limit)?;
            return if whole { Ok(None) } else { Err(Error::Torn { offset }) };
        };
        let trailer = trailer_len(&header, self.checksum);
        let size = self.checked_size(&header, trailer)?;
        let Some(bytes) = self.window.bytes(offset, size, self.limit)? else {
            return Err(Error::Torn { offset });
        };
        let event = RawEvent::new(offset, header, bytes, trailer)?;
        self.position = offset.saturating_add(size as u64);
        Ok(Some(event))
    }

    /// The event's size, if its header can be that of an event at the current position.
    fn checked_size(&self, header: &EventHeader, trailer: usize) -> Result<usize> {
        let corrupt = |what| Error::Corrupt { offset: self.position, what };
        let size = usize::try_from(header.event_size).map_err(|_| corrupt("the event is too large"))?;
        if size < HEADER_LEN.saturating_add(trailer) {
            return Err(corrupt("the event's size is less than its header and checksum"));
        }
        if header.event_size > EVENT_SIZE_MAX {
            return Err(corrupt("the event is larger than any event"));
        }
        let end = self.position.saturating_add(size as u64);
        if header.end_log_pos != wrapped(end) {
            return Err(corrupt("the event's end position is not where it ends"));
        }
        Ok(size)
    }
}

/// Bytes of the checksum behind an event: FORMAT_DESCRIPTION always has one.
fn trailer_len(header: &EventHeader, checksum: ChecksumAlg) -> usize {
    match header.event_type {
        EventType::FORMAT_DESCRIPTION => CHECKSUM_LEN,
        _ => checksum.len(),
    }
}
