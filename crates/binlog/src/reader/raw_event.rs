//! An event as it lies in a file.
#![deny(clippy::indexing_slicing, clippy::arithmetic_side_effects)]

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
    pub(super) fn new(position: u64, header: EventHeader, bytes: &'a [u8], trailer: usize) -> Result<Self> {
        let corrupt = |what| Error::Corrupt { offset: position, what };
        let (content, stored) =
            bytes.len().checked_sub(trailer).and_then(|len| bytes.split_at_checked(len)).unwrap_or_default();
        if let Some(stored) = stored.first_chunk()
            && u32::from_le_bytes(*stored) != content_crc(&header, content)
        {
            return Err(corrupt("the event's checksum does not match"));
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

/// The CRC32 of header and body; of a FORMAT_DESCRIPTION as if its file were closed.
fn content_crc(header: &EventHeader, content: &[u8]) -> u32 {
    if header.event_type != EventType::FORMAT_DESCRIPTION || header.flags & flag::IN_USE == 0 {
        return crc32fast::hash(content);
    }
    let closed = (header.flags & !flag::IN_USE).to_le_bytes();
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(content.get(..FLAGS_OFFSET).unwrap_or_default());
    hasher.update(&closed);
    hasher.update(content.get(HEADER_LEN..).unwrap_or_default());
    hasher.finalize()
}
