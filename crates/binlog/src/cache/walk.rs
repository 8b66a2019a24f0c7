//! Counts the events in cached bytes.
#![deny(clippy::indexing_slicing, clippy::arithmetic_side_effects)]

use crate::error::{Error, Result};
use crate::event::{EventHeader, HEADER_LEN};

/// How many events these bytes are, which have no checksums.
///
/// # Errors
/// [`Error::Corrupt`] if they are not a sequence of whole events.
pub(crate) fn walk(mut bytes: &[u8]) -> Result<u64> {
    let total = bytes.len();
    let mut events = 0_u64;
    while !bytes.is_empty() {
        let size = bytes.first_chunk().map(|header| EventHeader::from_bytes(header).event_size);
        let rest = size
            .and_then(|size| usize::try_from(size).ok())
            .filter(|size| *size >= HEADER_LEN)
            .and_then(|size| bytes.get(size..));
        bytes = rest.ok_or(Error::Corrupt {
            offset: total.saturating_sub(bytes.len()) as u64,
            what: "cached bytes are not a sequence of events",
        })?;
        events = events.saturating_add(1);
    }
    Ok(events)
}
