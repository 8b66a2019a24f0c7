//! Purpose: transactions are found whole or not at all.
//!
//! Requirements: in every golden file and every file of ours, the end of the last whole group is known after every event;
//! an event where none of its kind can stand is corrupt, also if its checksum is right; a group of another length than its
//! GTID event says is corrupt.
//!
//! Method: all golden files, cut behind every event; sequences of events put together by hand.

use binlog::decode::Event;
use binlog::event::{Query, Stop, XaName, XaPrepare, Xid};
use binlog::finalise::append_final;
use binlog::reader::Boundary;
use binlog::{Boundaries, ChecksumAlg, Encode, Error, GtidSet, Placement, TrxEvents};

use crate::support::{
    GOLDEN, ORIGIN, cache, fill, golden, header, plan, reader_of, sample_file, stamps, status, table_map,
};

/// Follows a file; returns the number of whole groups and the end of the last.
fn follow(bytes: &[u8]) -> binlog::Result<(u64, u64)> {
    let mut reader = reader_of(bytes);
    let mut boundaries = Boundaries::new(4);
    let mut groups = 0;
    while let Some(event) = reader.next_event()? {
        let before = boundaries.valid_end();
        match boundaries.step(&event)? {
            Boundary::End { start, gtid } => {
                groups += 1;
                assert_eq!(boundaries.valid_end(), event.end());
                assert_eq!(start + gtid.transaction_length, event.end());
                assert_eq!(start, before, "groups follow each other");
            }
            Boundary::Alone => assert_eq!(boundaries.valid_end(), event.end()),
            Boundary::Begin(_) | Boundary::Inside => {
                assert_eq!(boundaries.valid_end(), before);
                assert!(boundaries.in_group());
            }
        }
    }
    Ok((groups, boundaries.valid_end()))
}

#[test]
fn the_groups_of_mysql_are_found() {
    for name in GOLDEN {
        let bytes = golden(name);
        let mut reader = reader_of(&bytes);
        let mut gtids = 0;
        while let Some(event) = reader.next_event().unwrap() {
            gtids += u64::from(matches!(event.decode().unwrap(), Event::Gtid(_)));
        }
        assert_eq!(follow(&bytes).unwrap(), (gtids, bytes.len() as u64), "{name}");
    }
}

#[test]
fn a_file_cut_behind_any_event_ends_with_its_last_whole_group() {
    let bytes = sample_file(ChecksumAlg::Crc32, 7);
    let mut reader = reader_of(&bytes);
    let mut boundaries = Boundaries::new(4);
    while let Some(event) = reader.next_event().unwrap() {
        boundaries.step(&event).unwrap();
        let end = usize::try_from(event.end()).unwrap();
        assert_eq!(follow(&bytes[..end]).unwrap().1, boundaries.valid_end());
    }
    assert_eq!(follow(&bytes).unwrap(), (7, bytes.len() as u64));
}

/// A file with one GTID event that promises nothing about the length, and these events behind it.
struct Builder {
    bytes: Vec<u8>,
}

impl Builder {
    fn new() -> Self {
        Self { bytes: header(ChecksumAlg::Crc32, &GtidSet::new()) }
    }

    fn with(mut self, event: &impl Encode) -> Self {
        let at = Placement::At(self.bytes.len() as u64);
        append_final(&mut self.bytes, event, ORIGIN, at, ChecksumAlg::Crc32);
        self
    }

    /// A GTID event of a group of this length.
    fn with_gtid(mut self, transaction_length: u64) -> Self {
        let mut cache = cache();
        fill(&mut cache, 0);
        let mut group = Vec::new();
        let trx = TrxEvents::transaction(&cache, plan(), ORIGIN);
        trx.write_into(ChecksumAlg::None, &stamps(4, 1), &mut group);
        let size = u32::from_le_bytes([group[9], group[10], group[11], group[12]]);
        let gtid_header = binlog::EventHeader::from_bytes(group.first_chunk().unwrap());
        let body = &group[19..usize::try_from(size).unwrap()];
        let Event::Gtid(mut gtid) = Event::decode(&gtid_header, body).unwrap() else {
            panic!("no GTID event")
        };
        gtid.transaction_length = transaction_length;
        let at = Placement::At(self.bytes.len() as u64);
        append_final(&mut self.bytes, &gtid, ORIGIN, at, ChecksumAlg::Crc32);
        self
    }

    /// The length of the one group of the file.
    fn group_len(&self) -> u64 {
        (self.bytes.len() - header(ChecksumAlg::Crc32, &GtidSet::new()).len()) as u64
    }

    fn refused(self, what: &str) {
        match follow(&self.bytes).unwrap_err() {
            Error::Corrupt { what: own, .. } => assert_eq!(own, what),
            other => panic!("{other}"),
        }
    }
}

fn query(sql: &str) -> Query<'_> {
    Query { sql: sql.as_bytes(), ..Query::begin(1, status(), b"shop") }
}

const OUTSIDE: &str = "an event outside of a transaction";
const MISPLACED: &str = "an event that cannot stand there in a transaction";
const LENGTH: &str = "a transaction of another length than its GTID event says";

#[test]
fn events_where_they_cannot_stand_are_corrupt() {
    let begin = query("BEGIN");
    Builder::new().with(&begin).refused(OUTSIDE);
    Builder::new().with(&table_map()).refused(OUTSIDE);
    Builder::new().with(&Xid(1)).refused(OUTSIDE);
    Builder::new().with_gtid(1).with_gtid(1).refused(MISPLACED);
    Builder::new().with_gtid(1).with(&Xid(1)).refused(MISPLACED);
    Builder::new().with_gtid(1).with(&table_map()).refused(MISPLACED);
    Builder::new().with_gtid(1).with(&begin).with(&begin).refused(MISPLACED);
    Builder::new().with_gtid(1).with(&begin).with_gtid(1).refused(MISPLACED);
    Builder::new().with_gtid(1).with(&begin).with(&Stop).refused(MISPLACED);
}

#[test]
fn a_group_is_as_long_as_its_gtid_event_says() {
    let group =
        |len| Builder::new().with_gtid(len).with(&query("BEGIN")).with(&query("savepoint s")).with(&Xid(1));
    let len = group(300).group_len();
    assert_eq!(follow(&group(len).bytes).unwrap().0, 1);
    group(len - 1).refused(LENGTH);
    group(len + 1).refused(LENGTH);
}

#[test]
fn a_transaction_may_end_with_a_statement() {
    for end in ["COMMIT", "commit", "ROLLBACK"] {
        let group = |len| Builder::new().with_gtid(len).with(&query("BEGIN")).with(&query(end));
        let len = group(200).group_len();
        assert_eq!(follow(&group(len).bytes).unwrap().0, 1, "{end}");
    }
}

#[test]
fn an_xa_transaction_ends_with_xa_prepare() {
    let name = XaName { format: 1, global: b"x", branch: b"" };
    let prepare = XaPrepare { one_phase: false, name };
    let start = query("XA START X'78',X'',1");
    let group = |len| {
        let builder = Builder::new().with_gtid(len).with(&start).with(&table_map());
        builder.with(&query("XA END X'78',X'',1")).with(&prepare)
    };
    let len = group(300).group_len();
    assert_eq!(follow(&group(len).bytes).unwrap().0, 1);
    Builder::new().with_gtid(1).with(&start).with(&start).refused(MISPLACED);
    Builder::new().with_gtid(1).with(&prepare).refused(MISPLACED);
    Builder::new().with(&prepare).refused(OUTSIDE);
}

#[test]
fn a_ddl_statement_is_a_group_of_its_own() {
    let group = |len| Builder::new().with_gtid(len).with(&query("create table begin (a int)"));
    let len = group(200).group_len();
    let bytes = group(len).with(&Stop).bytes;
    assert_eq!(follow(&bytes).unwrap(), (1, bytes.len() as u64));
}
