//! What only MariaDB writes.
//!
//! GTID (162), which begins every group:
//!
//! | size | field |
//! | --- | --- |
//! | 8 | sequence number |
//! | 4 | domain |
//! | 1 | flags: 1 standalone (one statement, no end follows), 2 a commit id follows, 32 DDL |
//! | 0 or 8 | commit id: transactions of one group commit have the same |
//!
//! Row events are of version 1 (23 to 25): as version 2 without extra data.
//!
//! Source: MariaDB's documentation of its replication protocol, "GTID_EVENT".
#![deny(clippy::indexing_slicing, clippy::arithmetic_side_effects)]

use binlog::EventType;

/// Text of the statement whose rows follow.
pub(super) const ANNOTATE_ROWS: EventType = EventType(160);
/// Where a crashed MariaDB begins to read.
pub(super) const BINLOG_CHECKPOINT: EventType = EventType(161);
/// The first event of a group.
pub(super) const GTID: EventType = EventType(162);
/// The GTIDs of all earlier files.
pub(super) const GTID_LIST: EventType = EventType(163);

const STANDALONE: u8 = 1;
const HAS_COMMIT_ID: u8 = 2;
const DDL: u8 = 32;

/// A decoded GTID event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct MariaGtid {
    pub(super) domain: u32,
    pub(super) sequence: u64,
    pub(super) is_standalone: bool,
    pub(super) is_ddl: bool,
    pub(super) commit_id: Option<u64>,
}

impl MariaGtid {
    pub(super) fn decode(body: &[u8]) -> Option<Self> {
        let (sequence, rest) = body.split_first_chunk()?;
        let (domain, rest) = rest.split_first_chunk()?;
        let (flags, rest) = rest.split_first()?;
        let commit_id =
            if flags & HAS_COMMIT_ID == 0 { None } else { Some(u64::from_le_bytes(*rest.first_chunk()?)) };
        Some(Self {
            domain: u32::from_le_bytes(*domain),
            sequence: u64::from_le_bytes(*sequence),
            is_standalone: flags & STANDALONE != 0,
            is_ddl: flags & DDL != 0,
            commit_id,
        })
    }
}

#[cfg(test)]
#[expect(clippy::indexing_slicing, reason = "a test fails where it is wrong")]
mod tests {
    use super::*;

    #[test]
    fn gtid_events_with_and_without_a_commit_id() {
        let body = [&7_u64.to_le_bytes()[..], &3_u32.to_le_bytes(), &[2], &99_u64.to_le_bytes()].concat();
        let gtid = MariaGtid::decode(&body).unwrap();
        assert_eq!((gtid.domain, gtid.sequence, gtid.commit_id), (3, 7, Some(99)));
        assert!(!gtid.is_standalone);
        for size in 0..body.len() {
            assert_eq!(MariaGtid::decode(&body[..size]), None);
        }
        let body = [&7_u64.to_le_bytes()[..], &3_u32.to_le_bytes(), &[33], &[0; 6]].concat();
        let gtid = MariaGtid::decode(&body).unwrap();
        assert!(gtid.is_standalone && gtid.is_ddl && gtid.commit_id.is_none());
    }
}
