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

#[cfg(test)]
#[expect(clippy::indexing_slicing, reason = "a test may panic")]
mod tests {
    use super::*;
    use crate::event::{Encode, Origin, Stop, Xid};

    #[test]
    fn a_damaged_size_is_noticed() {
        let origin = Origin { timestamp: 1, server_id: 1 };
        let mut bytes = Vec::new();
        Stop.append_to(origin, &mut bytes);
        Xid(7).append_to(origin, &mut bytes);
        assert_eq!(walk(&bytes).unwrap(), 2);
        assert_eq!(walk(&[]).unwrap(), 0);
        for len in (1..bytes.len()).filter(|len| *len != HEADER_LEN) {
            assert!(walk(&bytes[..len]).is_err(), "cut to {len} bytes");
        }
        let mut longer = bytes.clone();
        longer[HEADER_LEN + 9] += 1;
        assert!(walk(&longer).is_err());
        let mut endless = bytes;
        endless[9] = 0;
        assert!(walk(&endless).is_err(), "an event of no length would never end");
    }
}
