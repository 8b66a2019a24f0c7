//! Compressed transactions, unpacked.
#![deny(clippy::indexing_slicing, clippy::arithmetic_side_effects)]

use binlog::{ChecksumAlg, PayloadEvents};

use super::{SourceError, SourceEvent};

type Result<T> = std::result::Result<T, SourceError>;

/// The events of a compressed transaction, decompressed one by one.
#[derive(Debug)]
pub struct Payload {
    events: PayloadEvents,
    /// The next one.
    ahead: Option<SourceEvent>,
    /// Where the source's binlog goes on.
    end_log_pos: u32,
}

impl Payload {
    /// The events within a TRANSACTION_PAYLOAD event.
    ///
    /// # Errors
    /// [`SourceError::Malformed`], [`SourceError::Unfit`] for a compression that is not known.
    pub fn open(event: SourceEvent) -> Result<Self> {
        let end_log_pos = event.header.end_log_pos;
        let events = PayloadEvents::open(event.body).map_err(|error| damaged(&error))?;
        let events = events.ok_or_else(|| {
            SourceError::Unfit("the source compresses transactions in a way that is not known".to_owned())
        })?;
        let mut payload = Self { events, ahead: None, end_log_pos };
        payload.ahead = payload.read()?;
        Ok(payload)
    }

    /// The next event. The last one has the position of the whole, the others have none.
    ///
    /// # Errors
    /// [`SourceError::Malformed`]
    pub fn take(&mut self) -> Result<Option<SourceEvent>> {
        let Some(mut event) = self.ahead.take() else { return Ok(None) };
        self.ahead = self.read()?;
        event.header.end_log_pos = if self.ahead.is_some() { 0 } else { self.end_log_pos };
        Ok(Some(event))
    }

    fn read(&mut self) -> Result<Option<SourceEvent>> {
        let bytes = self.events.next_event().map_err(|error| damaged(&error))?;
        bytes.map(|bytes| SourceEvent::decode(&bytes, &mut ChecksumAlg::None)).transpose()
    }
}

fn damaged(error: &binlog::Error) -> SourceError {
    SourceError::malformed(&format!("a compressed transaction: {error}"))
}

#[cfg(test)]
#[expect(
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "a test fails where it is wrong"
)]
mod tests {
    use binlog::EventType;

    use super::*;

    /// `INSERT INTO pay VALUES (1, REPEAT('a', 90)), (2, REPEAT('b', 90)), (3, REPEAT('c', 90))`, logged by MySQL 9.7.4.
    const MYSQLS: &str = "6ca0046b2802000000c0000000d501000000000201000303fcd10101019d0028b52ffd60d1009d0400f2861824902bc3\
                          01ffffffffbfde057806965136035868f7d8f6f31748420c79c7035b82f7963205ff1fd08c18b0e51a453d395a3afaf5\
                          4ee0a368b093e5a602d53392453d7196f10e035bae492210e879fa157eab82b92807722f78e2f961c08fbf65cbb51300\
                          744b226902357c58d1b4cdf071206309c387f0c12a4010303bd50ab0129c3dc2d6dc4696f5807860e401780145007fff";

    fn mysqls() -> SourceEvent {
        let digit = |at: usize| u8::from_str_radix(&MYSQLS[at..at + 2], 16).unwrap();
        let bytes: Vec<u8> = (0..MYSQLS.len()).step_by(2).map(digit).collect();
        SourceEvent::decode(&bytes, &mut ChecksumAlg::Crc32).unwrap()
    }

    fn all(event: SourceEvent) -> Result<Vec<SourceEvent>> {
        let mut payload = Payload::open(event)?;
        std::iter::from_fn(|| payload.take().transpose()).collect()
    }

    fn with_body(body: Vec<u8>) -> SourceEvent {
        SourceEvent { body, ..mysqls() }
    }

    #[test]
    fn mysqls_transaction_is_read() {
        let events = all(mysqls()).unwrap();
        let kinds: Vec<EventType> = events.iter().map(|event| event.header.event_type).collect();
        assert_eq!(
            kinds,
            [EventType::QUERY, EventType::TABLE_MAP, EventType::WRITE_ROWS, EventType::XID],
            "{events:?}"
        );
        let rows = &events[2].body;
        assert!(rows.windows(90).any(|run| run == [b'b'; 90]), "{rows:?}");
        let positions: Vec<u32> = events.iter().map(|event| event.header.end_log_pos).collect();
        assert_eq!(positions, [0, 0, 0, 469]);
    }

    #[test]
    fn what_is_not_compressed_and_large_numbers_are_read() {
        let plain: Vec<u8> = all(mysqls())
            .unwrap()
            .iter()
            .flat_map(|event| [&event.header.to_bytes()[..], &event.body].concat())
            .collect();
        let size = u16::try_from(plain.len()).unwrap().to_le_bytes();
        let none = [&[2, 3, 252, 255, 0, 1, 3, 252, size[0], size[1], 9, 1, 7, 0][..], &plain].concat();
        assert_eq!(all(with_body(none)).unwrap(), all(mysqls()).unwrap());
    }

    #[test]
    fn damage_is_an_error() {
        let body = mysqls().body;
        for size in 0..body.len() {
            assert!(all(with_body(body[..size].to_vec())).is_err(), "{size} bytes");
        }
        for at in 0..body.len() {
            let mut damaged = body.clone();
            damaged[at] ^= 0x55;
            // Some bits mean nothing, or another value of a row; nothing panics.
            let _ = all(with_body(damaged));
        }
        let unknown = all(with_body(vec![2, 1, 7, 0])).unwrap_err();
        assert!(matches!(unknown, SourceError::Unfit(_)), "{unknown}");
    }
}
