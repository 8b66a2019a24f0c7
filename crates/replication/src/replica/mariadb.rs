//! What only MariaDB writes.
//!
//! GTID (162), which begins every group:
//!
//! | size | field |
//! | --- | --- |
//! | 8 | sequence number |
//! | 4 | domain |
//! | 1 | flags: 1 standalone (one statement, no end follows), 2 a commit id follows, 32 DDL, 64 XA, up to XA PREPARE, 128 XA, its end |
//! | 0 or 8 | commit id: transactions of one group commit have the same |
//! | 0 or 6 + n | of XA its name: number of the format (4), lengths of global and branch part (1 each), both parts |
//! | 0 or 1 | more flags: 1 several engines, 2 an ALTER TABLE begins, 4 it is committed, 8 it is rolled back |
//! | .. | what these flags add, then zeros |
//!
//! With `binlog_alter_two_phase=ON` (10.8 and later) an ALTER TABLE is two groups with the same statement, which counts when it is
//! committed: until then rows are of the old definition.
//!
//! Row events are of version 1 (23 to 25): as version 2 without extra data.
//!
//! Source: MariaDB's documentation of its replication protocol, "GTID_EVENT"; `Gtid_log_event` in its `sql/log_event.cc`.
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
const XA_END: u8 = 128;
const ALTER_BEGINS: u8 = 2;
const ALTER_FAILS: u8 = 8;

/// A decoded GTID event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct MariaGtid {
    pub(super) domain: u32,
    pub(super) sequence: u64,
    pub(super) is_standalone: bool,
    pub(super) is_ddl: bool,
    /// The statement that follows is in effect with another group, or never.
    pub(super) is_void: bool,
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
        let (name, rest) = match flags & (XA | XA_END) {
            0 => (None, rest),
            _ => xa_name(rest).map(|(name, rest)| (Some(name), rest))?,
        };
        let more = rest.first().copied().unwrap_or(0);
        Some(Self {
            domain: u32::from_le_bytes(*domain),
            sequence: u64::from_le_bytes(*sequence),
            is_standalone: flags & STANDALONE != 0,
            is_ddl: flags & DDL != 0,
            is_void: more & (ALTER_BEGINS | ALTER_FAILS) != 0,
            commit_id,
            xa: name.filter(|_| flags & XA != 0),
        })
    }
}

/// The name, and what follows.
fn xa_name(bytes: &[u8]) -> Option<(String, &[u8])> {
    let (format, rest) = bytes.split_first_chunk()?;
    let ([global, branch], rest) = rest.split_first_chunk()?;
    let (global, rest) = rest.split_at_checked((*global).into())?;
    let (branch, rest) = rest.split_at_checked((*branch).into())?;
    Some((XaName { format: u32::from_le_bytes(*format), global, branch }.to_string(), rest))
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

    /// As MariaDB 10.11.19 has written them with `binlog_alter_two_phase=ON`: an ALTER begins, is committed, is rolled back; a
    /// statement; XA COMMIT.
    #[test]
    fn gtid_events_say_whether_an_alter_is_in_effect() {
        let flags: [(&[u8], bool); 5] = [
            (&[0x29, 2, 0, 0, 0, 0, 0], true),
            (&[0x29, 4, 4, 0, 0, 0, 0, 0, 0, 0], false),
            (&[0x29, 8, 6, 0, 0, 0, 0, 0, 0, 0], true),
            (&[0x29, 0, 0, 0, 0, 0, 0], false),
            (&[0x8D, 1, 0, 0, 0, 1, 0, b'x'], false),
        ];
        for (flags, is_void) in flags {
            let gtid = MariaGtid::decode(&[&[4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], flags].concat()).unwrap();
            assert_eq!((gtid.sequence, gtid.is_void, gtid.xa), (4, is_void, None), "{flags:?}");
        }
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
