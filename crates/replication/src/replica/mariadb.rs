//! What only MariaDB writes.
//!
//! GTID (162), which begins every group:
//!
//! | size | field |
//! | --- | --- |
//! | 8 | sequence number |
//! | 4 | domain |
//! | 1 | flags: 1 standalone (one statement, no end follows), 2 a commit id follows, 32 DDL, 64 XA, up to XA PREPARE |
//! | 0 or 8 | commit id: transactions of one group commit have the same |
//! | 0 or 6 + n | of XA its name: number of the format (4), lengths of global and branch part (1 each), both parts |
//!
//! Row events are of version 1 (23 to 25): as version 2 without extra data.
//!
//! Source: MariaDB's documentation of its replication protocol, "GTID_EVENT".
#![deny(clippy::indexing_slicing, clippy::arithmetic_side_effects)]

use binlog::EventType;
use binlog::event::XaName;

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
const XA: u8 = 64;

/// A decoded GTID event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct MariaGtid {
    pub(super) domain: u32,
    pub(super) sequence: u64,
    pub(super) is_standalone: bool,
    pub(super) is_ddl: bool,
    pub(super) commit_id: Option<u64>,
    /// The name of an XA transaction, as statements have it.
    pub(super) xa: Option<String>,
}

impl MariaGtid {
    pub(super) fn decode(body: &[u8]) -> Option<Self> {
        let (sequence, rest) = body.split_first_chunk()?;
        let (domain, rest) = rest.split_first_chunk()?;
        let (flags, rest) = rest.split_first()?;
        let (commit_id, rest) = match flags & HAS_COMMIT_ID {
            0 => (None, rest),
            _ => rest.split_first_chunk().map(|(id, rest)| (Some(u64::from_le_bytes(*id)), rest))?,
        };
        let xa = if flags & XA == 0 { None } else { Some(xa_name(rest)?) };
        Some(Self {
            domain: u32::from_le_bytes(*domain),
            sequence: u64::from_le_bytes(*sequence),
            is_standalone: flags & STANDALONE != 0,
            is_ddl: flags & DDL != 0,
            commit_id,
            xa,
        })
    }
}

fn xa_name(bytes: &[u8]) -> Option<String> {
    let (format, rest) = bytes.split_first_chunk()?;
    let ([global, branch], rest) = rest.split_first_chunk()?;
    let (global, rest) = rest.split_at_checked((*global).into())?;
    let branch = rest.get(..(*branch).into())?;
    Some(XaName { format: u32::from_le_bytes(*format), global, branch }.to_string())
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
        assert!(gtid.is_standalone && gtid.is_ddl && gtid.commit_id.is_none() && gtid.xa.is_none());
    }

    /// As MariaDB 10.11.19 has written it of XA START 'x', 'b', 3.
    #[test]
    fn gtid_events_of_xa_have_its_name() {
        let name = [3, 0, 0, 0, 1, 1, b'x', b'b', 1, 0xFF];
        let body = [&6_u64.to_le_bytes()[..], &0_u32.to_le_bytes(), &[0x4C], &name].concat();
        assert_eq!(MariaGtid::decode(&body).unwrap().xa.as_deref(), Some("X'78',X'62',3"));
        for size in 0..body.len() - 2 {
            assert_eq!(MariaGtid::decode(&body[..size]), None);
        }
    }
}
