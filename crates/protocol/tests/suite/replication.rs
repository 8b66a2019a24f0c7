//! Purpose: replicas and binlog tools are understood, and events are framed for them as MySQL frames them.
//!
//! Requirements: COM_REGISTER_SLAVE, COM_BINLOG_DUMP, COM_BINLOG_DUMP_GTID with its set, semi-synchronous
//! acknowledgements, event packets with and without the semi-synchronous bytes.
//!
//! Method: sessions recorded from a MySQL 9.7 replica (semi-synchronous, by GTID and by position) and Oracle's
//! mysqlbinlog; packets of `mysql_common`; sets that lie about their size.

use crate::tools::{Side, assert_same_bytes, part, reply_from};
use mysql_common::packets::{
    ComBinlogDump, ComBinlogDumpGtid, ComRegisterSlave, GnoInterval, SemiSyncAckPacket, Sid,
};
use mysql_common::proto::MySerialize;
use protocol::command::Command;
use protocol::replication::{BinlogDump, BinlogDumpGtid, RegisterReplica, SemiSyncAck, begin_event};
use protocol::wire::Capabilities;
use protocol::wire::put::Put;

fn parse(payload: &[u8]) -> Command<'_> {
    Command::parse(payload, Capabilities::OFFERED).expect("a command")
}

fn dump(payload: &[u8]) -> BinlogDump<'_> {
    let Command::BinlogDump(dump) = parse(payload) else { panic!("COM_BINLOG_DUMP") };
    dump
}

fn dump_gtid(payload: &[u8]) -> BinlogDumpGtid<'_> {
    let Command::BinlogDumpGtid(dump) = parse(payload) else { panic!("COM_BINLOG_DUMP_GTID") };
    dump
}

/// The set of a dump in text.
fn gtids(dump: &BinlogDumpGtid<'_>) -> Vec<(String, Vec<(u64, u64)>)> {
    dump.gtids.iter().map(|sid| (crate::tools::to_hex(&sid.sid), sid.iter().collect())).collect()
}

#[test]
fn a_replica_of_mysql_registers() {
    let recorded = &part("replica", "auto_position").commands(0x15)[0];
    let Command::RegisterReplica(replica) = parse(recorded) else { panic!("COM_REGISTER_SLAVE") };
    let expected = RegisterReplica { server_id: 15_098, host: b"", user: b"", password: b"", port: 15_098 };
    assert_eq!(replica, expected);

    let mut theirs = Vec::new();
    ComRegisterSlave::new(7)
        .with_hostname(b"replica.example")
        .with_user(b"repl")
        .with_password(b"pw")
        .with_port(3306)
        .serialize(&mut theirs);
    let Command::RegisterReplica(replica) = parse(&theirs) else { panic!("COM_REGISTER_SLAVE") };
    let expected = RegisterReplica {
        server_id: 7,
        host: b"replica.example",
        user: b"repl",
        password: b"pw",
        port: 3306,
    };
    assert_eq!(replica, expected);
}

#[test]
fn a_dump_by_position() {
    let recorded = &part("replica", "file_position").commands(0x12)[0];
    let from_replica = dump(recorded);
    assert_eq!((from_replica.file, from_replica.position), (b"binlog.000001".as_slice(), 0x26FD));
    assert_eq!((from_replica.server_id, from_replica.ends_at_eof()), (15_098, false));

    let recorded = &part("mysqlbinlog", "dump").commands(0x12)[0];
    let from_tool = dump(recorded);
    assert_eq!((from_tool.position, from_tool.server_id, from_tool.ends_at_eof()), (4, 0, true));

    for (flags, server_id, ends) in [(0, 0, true), (1, 9, true), (2, 9, false)] {
        assert_eq!(BinlogDump { flags, server_id, ..from_tool }.ends_at_eof(), ends);
    }

    let mut theirs = Vec::new();
    ComBinlogDump::new(9).with_pos(1234).with_filename(b"b.7").serialize(&mut theirs);
    assert_eq!(dump(&theirs), BinlogDump { position: 1234, flags: 0, server_id: 9, file: b"b.7" });
}

#[test]
fn a_dump_by_gtid() {
    let recorded = &part("replica", "auto_position").commands(0x1E)[0];
    let from_replica = dump_gtid(recorded);
    assert_eq!((from_replica.file, from_replica.position), (b"".as_slice(), 4));
    assert_eq!((from_replica.server_id, from_replica.ends_at_eof()), (15_098, false));
    assert_eq!(gtids(&from_replica), [("6a69d1c8e5ee11f1907902fc00000001".to_owned(), vec![(1, 29)])]);

    let recorded = &part("mysqlbinlog", "dump_gtid").commands(0x1E)[0];
    let from_tool = dump_gtid(recorded);
    assert_eq!((from_tool.file, from_tool.position), (b"binlog.000001".as_slice(), 4));
    assert!(from_tool.ends_at_eof());
    assert_eq!(
        gtids(&from_tool),
        [
            ("11111111222233334444555555555555".to_owned(), vec![(1, 6), (7, 10)]),
            ("aaaaaaaa222233334444555555555555".to_owned(), vec![(3, 4)]),
        ]
    );
}

#[test]
fn a_dump_by_gtid_from_an_independent_encoder() {
    let sid = Sid::new([5; 16]).with_interval(GnoInterval::new(1, 8)).with_interval(GnoInterval::new(10, 11));
    let mut theirs = Vec::new();
    ComBinlogDumpGtid::new(3).with_pos(99).with_filename(b"b.1").with_sid(sid).serialize(&mut theirs);
    let dump = dump_gtid(&theirs);
    assert_eq!((dump.server_id, dump.position, dump.file), (3, 99, b"b.1".as_slice()));
    assert_eq!(gtids(&dump), [("05".repeat(16), vec![(1, 8), (10, 11)])]);
}

/// COM_BINLOG_DUMP_GTID with this set.
fn with_set(set: &[u8]) -> Vec<u8> {
    let mut payload = vec![0x1E];
    payload.put_u16(0);
    payload.put_u32(1);
    payload.put_u32(0);
    payload.put_u64(4);
    payload.put_u32(u32::try_from(set.len()).expect("a small set"));
    payload.put_bytes(set);
    payload
}

#[test]
fn an_empty_set_has_two_forms() {
    assert!(dump_gtid(&with_set(b"")).gtids.is_empty());
    assert!(dump_gtid(&with_set(&[0; 8])).gtids.is_empty());
}

#[test]
fn sets_that_lie_are_malformed() {
    let set = |sids: u64, intervals: u64, ranges: &[(u64, u64)]| {
        let mut set = Vec::new();
        set.put_u64(sids);
        set.put_bytes(&[1; 16]);
        set.put_u64(intervals);
        for (first, after) in ranges {
            set.put_u64(*first);
            set.put_u64(*after);
        }
        with_set(&set)
    };
    assert_eq!(gtids(&dump_gtid(&set(1, 1, &[(1, 2)]))).len(), 1);
    let max = i64::MAX as u64;
    assert_eq!(gtids(&dump_gtid(&set(1, 1, &[(1, max)]))).len(), 1);
    for lie in [
        set(2, 1, &[(1, 2)]),
        set(u64::MAX, 1, &[(1, 2)]),
        set(1, 2, &[(1, 2)]),
        set(1, u64::MAX, &[(1, 2)]),
        set(1, 1 << 60, &[(1, 2)]),
        set(1, 1, &[(0, 2)]),
        set(1, 1, &[(2, 2)]),
        set(1, 1, &[(3, 2)]),
        set(1, 1, &[(1, max + 1)]),
        // The tagged form of MySQL 8.3: its number 1 is in the highest byte of the count and in the lowest.
        set(0x0100_0000_0000_0101, 1, &[(1, 2)]),
        with_set(&[0; 7]),
    ] {
        assert!(Command::parse(&lie, Capabilities::OFFERED).is_err(), "{lie:x?}");
    }
}

#[test]
fn acknowledgements_of_a_semi_synchronous_replica() {
    let mut positions = Vec::new();
    for label in ["auto_position", "file_position"] {
        for payload in part("replica", label).commands(0xEF) {
            let ack = SemiSyncAck::parse(&payload).unwrap();
            assert_eq!(ack.file, b"binlog.000001");
            positions.push(ack.position);
        }
    }
    assert_eq!(positions, [0x2645, 0x26FD, 0x27B9, 0x2871]);

    let mut theirs = Vec::new();
    SemiSyncAckPacket::new(77, b"binlog.9").serialize(&mut theirs);
    assert_eq!(SemiSyncAck::parse(&theirs), Ok(SemiSyncAck { position: 77, file: b"binlog.9" }));
    assert!(SemiSyncAck::parse(b"").is_err());
    assert!(SemiSyncAck::parse(b"\xEF\0\0\0\0\0\0\0").is_err());
    assert!(SemiSyncAck::parse(b"\x01\0\0\0\0\0\0\0\0").is_err());
}

#[test]
fn event_packets_as_mysql_sends_them() {
    let mut flags = Vec::new();
    for (file, label, semi_sync) in [
        ("replica", "auto_position", true),
        ("replica", "file_position", true),
        ("mysqlbinlog", "dump", false),
    ] {
        let session = part(file, label);
        let dump_at = session
            .packets
            .iter()
            .position(|(side, packet)| *side == Side::Client && matches!(packet[4], 0x12 | 0x1E))
            .unwrap();
        for (_, packet) in session.packets[dump_at + 1..].iter().filter(|(side, _)| *side == Side::Server) {
            let ours = reply_from(packet[3], |out| {
                let acknowledge = semi_sync.then(|| packet[6] == 1);
                begin_event(out, acknowledge).put_bytes(&packet[if semi_sync { 7 } else { 5 }..]);
                out.end();
            });
            assert_same_bytes(&ours, packet);
            flags.push((semi_sync, packet[6] == 1));
        }
    }
    assert!(
        flags.contains(&(true, true)) && flags.contains(&(true, false)) && flags.contains(&(false, false))
    );
}
