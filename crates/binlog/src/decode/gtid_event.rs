//! GTID and ANONYMOUS_GTID; the byte table is beside their encoder.
#![deny(clippy::indexing_slicing, clippy::arithmetic_side_effects)]

use super::{Cursor, DecodeError};
use crate::event::{
    GtidEvent, HAS_ORIGINAL_TIMESTAMP, HAS_ORIGINAL_VERSION, LOGICAL_CLOCK, MAY_HAVE_STATEMENTS,
};
use crate::gtid::{GNO_MAX, Gtid, Uuid};

/// Decodes a body. What later servers append (a commit group ticket) is passed over. What is decoded can be encoded: a replica
/// writes it into a log of its own.
pub(crate) fn gtid_event(body: &[u8], anonymous: bool) -> Result<GtidEvent, DecodeError> {
    let mut cursor = Cursor::new(body);
    let flags = cursor.u8()?;
    let gtid = Gtid { sid: Uuid(cursor.array()?), gno: cursor.u64()? };
    if !anonymous && !(1..=GNO_MAX).contains(&gtid.gno) {
        return Err(DecodeError("a GTID's number is out of range"));
    }
    if cursor.u8()? != LOGICAL_CLOCK {
        return Err(DecodeError("a GTID event without a logical clock"));
    }
    let last_committed = cursor.u64()?;
    let sequence_number = cursor.u64()?;
    let immediate = cursor.uint(7)?;
    let original_commit_timestamp_us =
        if immediate & HAS_ORIGINAL_TIMESTAMP == 0 { None } else { Some(cursor.uint(7)?) };
    if original_commit_timestamp_us.is_some_and(|original| original >= HAS_ORIGINAL_TIMESTAMP) {
        return Err(DecodeError("an original commit timestamp has more than 55 bits"));
    }
    let transaction_length = cursor.lenenc()?;
    let version = cursor.u32()?;
    let original_server_version =
        if version & HAS_ORIGINAL_VERSION == 0 { None } else { Some(cursor.u32()?) };
    if original_server_version.is_some_and(|original| original >= HAS_ORIGINAL_VERSION) {
        return Err(DecodeError("an original server version has more than 31 bits"));
    }
    Ok(GtidEvent {
        gtid: (!anonymous).then_some(gtid),
        may_have_statements: flags & MAY_HAVE_STATEMENTS != 0,
        last_committed,
        sequence_number,
        immediate_commit_timestamp_us: immediate & !HAS_ORIGINAL_TIMESTAMP,
        original_commit_timestamp_us,
        transaction_length,
        immediate_server_version: version & !HAS_ORIGINAL_VERSION,
        original_server_version,
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::event::Encode;

    /// A body with these originals, which have all the bits that there is room for.
    fn body(original_timestamp_us: u64, original_version: u32) -> Vec<u8> {
        let mut out = [&[0_u8; 17][..], &1_u64.to_le_bytes(), &[LOGICAL_CLOCK], &[0; 16]].concat();
        out.extend(&(HAS_ORIGINAL_TIMESTAMP | 7).to_le_bytes()[..7]);
        out.extend(&original_timestamp_us.to_le_bytes()[..7]);
        out.push(100);
        out.extend((HAS_ORIGINAL_VERSION + 80_046).to_le_bytes());
        out.extend(original_version.to_le_bytes());
        out
    }

    #[test]
    fn originals_that_have_no_room_in_an_event_are_refused() {
        let most = (HAS_ORIGINAL_TIMESTAMP - 1, HAS_ORIGINAL_VERSION - 1);
        let event = gtid_event(&body(most.0, most.1), false).unwrap();
        assert_eq!(
            (event.original_commit_timestamp_us, event.original_server_version),
            (Some(most.0), Some(most.1))
        );
        assert!(gtid_event(&body(most.0 + 1, most.1), false).is_err());
        assert!(gtid_event(&body(most.0, most.1 + 1), false).is_err());
    }

    proptest! {
        #[test]
        fn whatever_is_decoded_can_be_encoded(original_timestamp_us: u64, original_version: u32) {
            let body = body(original_timestamp_us, original_version);
            if let Ok(event) = gtid_event(&body, false) {
                let mut encoded = Vec::new();
                event.put_body(&mut encoded);
                prop_assert_eq!(encoded, body);
            }
        }
    }
}
