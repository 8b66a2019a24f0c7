//! GTID and ANONYMOUS_GTID; the byte table is beside their encoder.
#![deny(clippy::indexing_slicing, clippy::arithmetic_side_effects)]

use super::{Cursor, DecodeError};
use crate::event::{
    GtidEvent, HAS_ORIGINAL_TIMESTAMP, HAS_ORIGINAL_VERSION, LOGICAL_CLOCK, MAY_HAVE_STATEMENTS,
};
use crate::gtid::{GNO_MAX, Gtid, Uuid};

/// Decodes a body. What later servers append (a commit group ticket) is passed over.
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
    let transaction_length = cursor.lenenc()?;
    let version = cursor.u32()?;
    let original_server_version =
        if version & HAS_ORIGINAL_VERSION == 0 { None } else { Some(cursor.u32()?) };
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
