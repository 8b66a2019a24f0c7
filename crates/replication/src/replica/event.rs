//! An event as a source has sent it.
#![deny(clippy::indexing_slicing, clippy::arithmetic_side_effects)]

use binlog::decode::Event;
use binlog::event::{CHECKSUM_LEN, EventHeader, HEADER_LEN};
use binlog::{ChecksumAlg, EventType};

use super::SourceError;

/// See the module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceEvent {
    /// The common header.
    pub header: EventHeader,
    /// What follows, without a checksum.
    pub body: Vec<u8>,
}

impl SourceEvent {
    /// The event of a packet behind its first byte. `checksum` says how events end; FORMAT_DESCRIPTION changes it.
    ///
    /// # Errors
    /// [`SourceError::Malformed`]
    pub fn decode(bytes: &[u8], checksum: &mut ChecksumAlg) -> Result<Self, SourceError> {
        let (head, body) =
            bytes.split_first_chunk::<HEADER_LEN>().ok_or_else(|| SourceError::malformed("an event"))?;
        let header = EventHeader::from_bytes(head);
        if header.event_size as usize != bytes.len() {
            return Err(SourceError::malformed("an event's size"));
        }
        let is_format = header.event_type == EventType::FORMAT_DESCRIPTION;
        if !is_format && *checksum == ChecksumAlg::None {
            return Ok(Self { header, body: body.to_vec() });
        }
        let (body, trailer) =
            body.split_last_chunk::<CHECKSUM_LEN>().ok_or_else(|| SourceError::malformed("an event"))?;
        if is_format {
            let decoded = Event::decode(&header, body).map_err(|error| SourceError::malformed(error.0))?;
            if let Event::FormatDescription(format) = decoded {
                *checksum = format.checksum;
            }
        }
        // A file that is open is checksummed as if it were closed; that of an artificial event is what the source likes.
        let covered = bytes.get(..bytes.len().saturating_sub(CHECKSUM_LEN)).unwrap_or_default();
        if !is_format && crc32fast::hash(covered) != u32::from_le_bytes(*trailer) {
            return Err(SourceError::malformed("an event's checksum is wrong"));
        }
        Ok(Self { header, body: body.to_vec() })
    }

    /// The decoded event.
    pub fn event(&self) -> Result<Event<'_>, SourceError> {
        Event::decode(&self.header, &self.body).map_err(|error| {
            let what = format!("{:?} at {}: {}", self.header.event_type, self.header.end_log_pos, error.0);
            SourceError::malformed(&what)
        })
    }

    /// Bytes of memory, about.
    pub fn size(&self) -> usize {
        self.body.len().saturating_add(size_of::<Self>())
    }
}
