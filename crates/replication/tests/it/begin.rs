//! Purpose: a dump begins where the client says, or is refused with MySQL's words.
//!
//! Requirements: files and positions; GTIDs: the newest file before which nothing is missing, what was purged, what this
//! server never had.
//!
//! Method: logs in memory; texts as MySQL 9.7 sends them.

use binlog::{ChecksumAlg, Gtid, GtidSet, Uuid};
use replication::source::{Begin, Sender, Server};

use super::world::{Kept, SID, TestLog, all, at, begin, file, request, server, up_to, without};

fn three_files() -> TestLog {
    let log = TestLog::new(ChecksumAlg::Crc32);
    for gno in 1..=6 {
        log.append(Some(gno));
        if gno % 2 == 0 && gno < 6 {
            log.rotate();
        }
    }
    log.publish();
    log
}

/// The file and position that a dump begins with.
fn first(log: &TestLog, wanted: Begin) -> (String, u64) {
    let (kept, _) = all(&mut begin(log, wanted).unwrap());
    let rotate = &kept.events[0].0;
    let position = u64::from_le_bytes(*rotate[19..].first_chunk().unwrap());
    (String::from_utf8(rotate[27..rotate.len() - 4].to_vec()).unwrap(), position)
}

fn refusal(log: &TestLog, wanted: Begin) -> String {
    begin(log, wanted).unwrap_err().to_string()
}

#[test]
fn by_position() {
    let log = three_files();
    assert_eq!(first(&log, at("", 4)), (file(1), 4), "no name is the first file");
    assert_eq!(first(&log, at("./binlog.000002", 4)), (file(2), 4));
    let end = log.bytes(3).len() as u64;
    assert_eq!(first(&log, at(&file(3), end)), (file(3), end), "nothing is there yet");
    assert_eq!(refusal(&log, at("", 3)), "Client requested source to start replication from position < 4");
    let too_large = "Client requested source to start replication from position > file size";
    assert_eq!(refusal(&log, at(&file(3), end + 1)), too_large);
    assert_eq!(refusal(&log, at(&file(1), log.bytes(1).len() as u64 + 1)), too_large);
    let unknown = "Could not find first log file name in binary log index file";
    for name in ["binlog.000004", "binlog", "../binlog.000001x", "mysql-bin.000001", "binlog.1"] {
        assert_eq!(refusal(&log, at(name, 4)), unknown);
    }
    let nameless = Server { id: 0, ..server() };
    let error = Sender::begin(log, request(at("", 4)), &nameless).unwrap_err();
    assert_eq!(error.to_string(), "Misconfigured source - source server_id is 0");
}

#[test]
fn by_gtids() {
    let log = three_files();
    for (last, number) in [(0, 1), (1, 1), (2, 2), (3, 2), (4, 3), (6, 3)] {
        assert_eq!(first(&log, without(up_to(last))), (file(number), 4), "has {last}");
    }
    let other = Uuid([9; 16]);
    let mut known = up_to(3);
    known.extend([Gtid { sid: other, gno: 5 }]);
    assert_eq!(first(&log, without(known)), (file(2), 4), "others' transactions do not matter");
    let without_first: GtidSet = (2..=6).map(|gno| Gtid { sid: SID, gno }).collect();
    assert_eq!(first(&log, without(without_first)), (file(1), 4));
    let named = Begin::Without { known: up_to(1), file: file(3), position: 4 };
    assert_eq!(first(&log, named), (file(3), 4), "a tool names its file");
}

#[test]
fn by_gtids_that_cannot_be() {
    let log = three_files();
    let more = refusal(&log, without(up_to(7)));
    assert!(
        more.starts_with("Replica has more GTIDs than the source has, using the source's SERVER_UUID."),
        "{more}"
    );
    *log.first.lock() = 3;
    assert_eq!(first(&log, without(up_to(4))), (file(3), 4));
    let purged = refusal(&log, without(up_to(1)));
    assert!(
        purged.starts_with("Cannot replicate because the source purged required binary logs."),
        "{purged}"
    );
    assert!(purged.ends_with(&format!(
        "sent by the replica is '{SID}:1', and the missing transactions are '{SID}:2-4'"
    )));
    let elsewhere = Gtid { sid: Uuid([8; 16]), gno: 7 };
    log.elsewhere.lock().add(elsewhere);
    let purged = refusal(&log, without(up_to(4)));
    assert!(purged.ends_with(&format!("the missing transactions are '{elsewhere}'")), "{purged}");
    let mut known = up_to(4);
    known.add(elsewhere);
    assert_eq!(first(&log, without(known)), (file(3), 4));
    let off = Server { gtid_mode: "OFF".to_owned(), ..server() };
    let error = Sender::begin(log, request(without(GtidSet::new())), &off).unwrap_err();
    assert_eq!(
        error.to_string(),
        "The replication sender thread cannot start in AUTO_POSITION mode: this server has GTID_MODE = OFF instead of ON."
    );
}

#[test]
fn who_knows_no_checksums_is_refused_where_there_are_some() {
    let log = three_files();
    let asked = replication::source::Request { checksum: None, ..request(at("", 4)) };
    let mut sender = Sender::begin(log, asked, &server()).unwrap();
    let mut kept = Kept::default();
    let end = sender.log().readable();
    let error = sender.fill(end, &mut kept).unwrap_err().to_string();
    assert_eq!(
        error,
        "Replica can not handle replication events with the checksum that source is configured to log; the first event \
         'binlog.000001' at 4, the last event read from './binlog.000001' at 126, the last byte read from \
         './binlog.000001' at 126."
    );
    assert_eq!(kept.take().len(), 1, "the artificial ROTATE, as MySQL does");
}
