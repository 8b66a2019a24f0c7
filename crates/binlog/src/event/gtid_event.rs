//! GTID and ANONYMOUS_GTID: the first event of every transaction.
//!
//! | size | field |
//! | --- | --- |
//! | 1 | flags: bit 0 = may hold statements besides rows (DDL) |
//! | 16 | UUID; zeros if anonymous |
//! | 8 | number; 0 if anonymous |
//! | 1 | 2: a logical clock follows |
//! | 8 | last_committed |
//! | 8 | sequence_number |
//! | 7 | immediate commit timestamp, microseconds since 1970; bit 55 set: the original one follows |
//! | 0 or 7 | original commit timestamp |
//! | 1, 3, 4, 9 | length-encoded bytes of the whole transaction, this event and all checksums included |
//! | 4 | immediate server version, for example 80046; bit 31 set: the original one follows |
//! | 0 or 4 | original server version |
//!
//! The transaction's length counts its own bytes: [`GtidLayout::event_size`] solves that once, before the ticket.

use super::put::{Put, lenenc_len, put_lenenc};
use super::{ChecksumAlg, Encode, EventType, HEADER_LEN};
use crate::gtid::{Gtid, Uuid};

/// A logical clock follows.
pub(crate) const LOGICAL_CLOCK: u8 = 2;
/// The original commit timestamp follows.
pub(crate) const HAS_ORIGINAL_TIMESTAMP: u64 = 1 << 55;
/// The original server version follows.
pub(crate) const HAS_ORIGINAL_VERSION: u32 = 1 << 31;
/// The transaction may hold statements besides rows.
pub(crate) const MAY_HAVE_STATEMENTS: u8 = 1;
/// Bytes of the body without the optional fields and the transaction's length.
const FIXED_LEN: usize = 1 + 16 + 8 + 1 + 8 + 8 + 7 + 4;

/// The first event of a transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GtidEvent {
    /// `None`: ANONYMOUS_GTID.
    pub gtid: Option<Gtid>,
    /// Whether the transaction may hold statements (`rbr_only=no`): DDL.
    pub may_have_statements: bool,
    /// The newest transaction that this one must wait for on a replica; 0 = none in this file.
    pub last_committed: u64,
    /// The transaction's number in this file, from 1.
    pub sequence_number: u64,
    /// When it was committed here, microseconds since 1970.
    pub immediate_commit_timestamp_us: u64,
    /// When it was committed where it ran first; `None` = here.
    pub original_commit_timestamp_us: Option<u64>,
    /// Bytes of the whole transaction.
    pub transaction_length: u64,
    /// This server's version, for example 80046.
    pub immediate_server_version: u32,
    /// The version of the server where it ran first; `None` = the same.
    pub original_server_version: Option<u32>,
}

impl Encode for GtidEvent {
    fn event_type(&self) -> EventType {
        if self.gtid.is_some() { EventType::GTID } else { EventType::ANONYMOUS_GTID }
    }

    fn put_body(&self, out: &mut impl Put) {
        let gtid = self.gtid.unwrap_or(Gtid { sid: Uuid::default(), gno: 0 });
        out.put(&[if self.may_have_statements { MAY_HAVE_STATEMENTS } else { 0 }]);
        out.put(&gtid.sid.0);
        out.put(&gtid.gno.to_le_bytes());
        out.put(&[LOGICAL_CLOCK]);
        out.put(&self.last_committed.to_le_bytes());
        out.put(&self.sequence_number.to_le_bytes());
        match self.original_commit_timestamp_us {
            None => put_timestamp(out, self.immediate_commit_timestamp_us, 0),
            Some(original) => {
                put_timestamp(out, self.immediate_commit_timestamp_us, HAS_ORIGINAL_TIMESTAMP);
                put_timestamp(out, original, 0);
            }
        }
        put_lenenc(out, self.transaction_length);
        match self.original_server_version {
            None => put_version(out, self.immediate_server_version, 0),
            Some(original) => {
                put_version(out, self.immediate_server_version, HAS_ORIGINAL_VERSION);
                put_version(out, original, 0);
            }
        }
    }
}

fn put_timestamp(out: &mut impl Put, timestamp_us: u64, mark: u64) {
    assert!(timestamp_us < HAS_ORIGINAL_TIMESTAMP, "a commit timestamp has 55 bits");
    out.put(&(timestamp_us | mark).to_le_bytes()[..7]);
}

fn put_version(out: &mut impl Put, version: u32, mark: u32) {
    assert!(version < HAS_ORIGINAL_VERSION, "a server version has 31 bits");
    out.put(&(version | mark).to_le_bytes());
}

/// Which optional fields a GTID event has: all that decides its size besides the transaction's length.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GtidLayout {
    /// The transaction ran first on another server, or earlier.
    pub original_timestamp: bool,
    /// The transaction ran first on a server of another version.
    pub original_version: bool,
}

impl GtidLayout {
    /// Bytes of the GTID event, header and checksum included, in front of `rest_len` bytes of other events
    /// (checksums included). The transaction's length is the sum of both.
    pub fn event_size(self, rest_len: u64, checksum: ChecksumAlg) -> u64 {
        let optional = usize::from(self.original_timestamp) * 7 + usize::from(self.original_version) * 4;
        let fixed = (HEADER_LEN + FIXED_LEN + optional + checksum.len()) as u64;
        let length_len = [1, 3, 4, 9]
            .into_iter()
            .find(|len| lenenc_len(rest_len + fixed + len) as u64 == *len)
            .expect("lengths that include themselves have a solution: lenenc sizes grow by less than their ranges");
        fixed + length_len
    }
}
