//! An event as it lies in a file.
#![deny(clippy::indexing_slicing, clippy::arithmetic_side_effects)]

use crate::crc32::crc32;
use crate::decode::{DecodeError, Event};
use crate::error::{Error, Result};
use crate::event::{EventHeader, EventType, FLAGS_OFFSET, FormatDescription, HEADER_LEN, flag};

/// A whole event whose checksum is right.
#[derive(Clone, Copy, Debug)]
pub struct RawEvent<'a> {
    /// Where it begins in its file.
    pub position: u64,
    /// The common header.
    pub header: EventHeader,
    /// What stands between header and checksum.
    pub body: &'a [u8],
    /// All of it, as a dump connection sends it.
    pub bytes: &'a [u8],
}

impl<'a> RawEvent<'a> {
    /// Takes `bytes` apart and checks the trailer of `trailer` bytes, if it has one.
    pub(super) fn new(
        position: u64,
        mut header: EventHeader,
        bytes: &'a [u8],
        trailer: usize,
    ) -> Result<Self> {
        let corrupt = |what| Error::Corrupt { offset: position, what };
        let (content, stored) =
            bytes.len().checked_sub(trailer).and_then(|len| bytes.split_at_checked(len)).unwrap_or_default();
        if let Some(stored) = stored.first_chunk() {
            let flags = checked_flags(&header, content, u32::from_le_bytes(*stored));
            header.flags = flags.ok_or(corrupt("the event's checksum does not match"))?;
        }
        let body = content.get(HEADER_LEN..).ok_or(corrupt("the event is shorter than its header"))?;
        Ok(Self { position, header, body, bytes })
    }

    /// Where the next event begins.
    pub fn end(&self) -> u64 {
        self.position.saturating_add(self.bytes.len() as u64)
    }

    /// Decodes the body.
    pub fn decode(&self) -> Result<Event<'a>> {
        Event::decode(&self.header, self.body).map_err(|error| self.corrupt(error))
    }

    /// Decodes the body of a FORMAT_DESCRIPTION.
    pub(super) fn format_description(&self) -> Result<FormatDescription<'a>> {
        match self.decode()? {
            Event::FormatDescription(format) => Ok(format),
            _ => Err(self.corrupt(DecodeError("no FORMAT_DESCRIPTION"))),
        }
    }

    pub(super) fn corrupt(&self, DecodeError(what): DecodeError) -> Error {
        Error::Corrupt { offset: self.position, what }
    }
}

/// The event's flags if its checksum is right.
///
/// A FORMAT_DESCRIPTION's checksum is that of a closed file. Its flags are the only bytes of a log that are written
/// in place, so power may be lost while they are: if the checksum is right for a closed file, the flags are taken to be
/// those of an open one, whatever stands there.
fn checked_flags(header: &EventHeader, content: &[u8], stored: u32) -> Option<u16> {
    if crc32(content) == stored {
        return Some(header.flags);
    }
    if header.event_type != EventType::FORMAT_DESCRIPTION {
        return None;
    }
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(content.get(..FLAGS_OFFSET)?);
    hasher.update(&[0, 0]);
    hasher.update(content.get(HEADER_LEN..)?);
    (hasher.finalize() == stored).then_some(flag::IN_USE)
}
