//! Purpose: we write what MySQL writes, byte for byte.
//!
//! Requirements: for every event type that onelog writes, there is at least one event written by MySQL 8.0 that our
//! encoder produces from its decoded contents: header, body, end position, checksum; and so for all events of all
//! golden files. FORMAT_DESCRIPTION's list of post-header lengths is 8.0's.
//!
//! Method: whole files are read, each event is decoded into the structs that encoders take, encoded again and finalised
//! at the same position. Decoder and encoder could share a mistake, so fields are checked against another project's
//! decoder in `independent.rs` and against known statements below.

use std::collections::BTreeSet;

use binlog::decode::Event;
use binlog::event::{
    AutoIncrement, ColumnMeta, FormatDescription, Heartbeat, HeartbeatV2, MetadataLevel, POST_HEADER_LENS,
    PkPart, PreviousGtids, Rotate, StatusVars, Stop, TableMap, column_type,
};
use binlog::finalise::append_final;
use binlog::{ChecksumAlg, Gtid, Origin, Placement, RawEvent, TransactionPayload, read_head};

use crate::support::{AsRead, GOLDEN, events_of, file_of, golden, reader_of};

/// Encodes an event again from its decoded contents.
fn again(event: &RawEvent<'_>, checksum: ChecksumAlg) -> Vec<u8> {
    let mut out = Vec::new();
    let origin = event.header.origin();
    let at = Placement::At(event.position);
    match event.decode().unwrap() {
        Event::FormatDescription(e) => append_final(&mut out, &e, origin, at, checksum),
        Event::PreviousGtids(set) => append_final(&mut out, &PreviousGtids(&set), origin, at, checksum),
        Event::Gtid(e) => append_final(&mut out, &e, origin, at, checksum),
        Event::Query(e) => append_final(&mut out, &e, origin, at, checksum),
        Event::RowsQuery(e) => append_final(&mut out, &e, origin, at, checksum),
        Event::TableMap(map) => {
            let columns = map.columns().unwrap();
            let full = columns.iter().any(|column| !column.name.is_empty());
            let level = if full { MetadataLevel::Full } else { MetadataLevel::Minimal };
            let map = TableMap::new(map.table_id, map.db, map.table, &columns, level);
            append_final(&mut out, &map, origin, at, checksum);
        }
        // How rows are put together is tested in `rows.rs`: here they only have to stay what they are.
        Event::Rows(_) => {
            append_final(&mut out, &AsRead::new(event), origin, at, checksum);
        }
        Event::Xid(e) => append_final(&mut out, &e, origin, at, checksum),
        Event::Rotate(e) => append_final(&mut out, &e, origin, at, checksum),
        Event::XaPrepare(e) => append_final(&mut out, &e, origin, at, checksum),
        Event::TransactionPayload(head) => {
            let uncompressed_size = head.uncompressed_size();
            let event = TransactionPayload { uncompressed_size, payload: head.payload(event.body) };
            append_final(&mut out, &event, origin, at, checksum);
        }
        Event::Stop => append_final(&mut out, &Stop, origin, at, checksum),
        other => panic!("{other:?} is in no golden file"),
    }
    out
}

#[test]
fn every_event_of_mysql_is_encoded_to_the_same_bytes() {
    let mut seen = BTreeSet::new();
    for name in GOLDEN {
        let bytes = golden(name);
        let mut reader = reader_of(&bytes);
        let checksum = reader.checksum();
        while let Some(event) = reader.next_event().unwrap() {
            assert_eq!(again(&event, checksum), event.bytes, "{name} at {}", event.position);
            seen.insert(event.header.event_type.name());
        }
        assert_eq!(reader.position(), bytes.len() as u64, "{name} was read to its end");
    }
    let expected = [
        "Anonymous_Gtid",
        "Delete_rows",
        "Format_desc",
        "Gtid",
        "Previous_gtids",
        "Query",
        "Rotate",
        "Rows_query",
        "Stop",
        "Table_map",
        "Transaction_payload",
        "Update_rows",
        "Write_rows",
        "XA_prepare",
        "Xid",
    ];
    assert!(seen.into_iter().eq(expected), "a type lost its golden event");
}

#[test]
fn the_list_of_post_header_lengths_is_that_of_mysql_8_0() {
    let bytes = golden("mysql80-statements.000001");
    let mut reader = reader_of(&bytes);
    let event = reader.next_event().unwrap().unwrap();
    let Event::FormatDescription(format) = event.decode().unwrap() else { panic!("no FORMAT_DESCRIPTION") };
    assert_eq!(format.post_header_lens, POST_HEADER_LENS);
    assert_eq!(format.server_version, b"8.0.46-0ubuntu0.24.04.5");
    assert_eq!(
        POST_HEADER_LENS.len(),
        usize::from(POST_HEADER_LENS[14]) - 57,
        "the list knows its own length"
    );
}

#[test]
fn an_open_file_has_the_checksum_of_a_closed_one() {
    let bytes = golden("mysql80-open.000006");
    let head = read_head(file_of(&bytes)).unwrap();
    assert!(head.in_use && head.checksum == ChecksumAlg::Crc32);
    let mut closed = bytes.clone();
    closed[21] = 0;
    assert!(!read_head(file_of(&closed)).unwrap().in_use, "clearing two bytes closes a file");
    closed[21..23].copy_from_slice(&[0xab, 0xcd]);
    assert!(read_head(file_of(&closed)).unwrap().in_use, "power was lost while the flags were written");
}

#[test]
fn a_file_without_checksums_still_has_one_behind_its_first_event() {
    let bytes = golden("mysql80-nochecksum.000002");
    let head = read_head(file_of(&bytes)).unwrap();
    assert_eq!((head.checksum, head.first_transaction), (ChecksumAlg::None, 153));
    let mut damaged = bytes.clone();
    damaged[50] ^= 1;
    assert!(read_head(file_of(&damaged)).is_err());
}

#[test]
fn previous_gtids_are_what_mysql_had_executed() {
    let head = read_head(file_of(&golden("mysql80-savepoint.000004"))).unwrap();
    let text = "11111111-2222-3333-4444-555555555555:9,\nf8cb7951-e5eb-11f1-b51c-02fc00000001:1-21";
    assert_eq!(head.previous.to_string(), text);
}

/// Shows the status variables of the first statement that begins so.
fn status_of(sql: &str, check: impl FnOnce(&StatusVars<'_>)) {
    let bytes = golden("mysql80-statements.000001");
    let mut reader = reader_of(&bytes);
    loop {
        let event = reader.next_event().unwrap().expect("the statement is in the file");
        if let Event::Query(query) = event.decode().unwrap()
            && query.sql.starts_with(sql.as_bytes())
        {
            return check(&query.status);
        }
    }
}

#[test]
fn status_variables_are_what_the_script_had_set() {
    status_of("create database g1", |status| {
        assert_eq!(status.updated_dbs, [b"g1"]);
        assert_eq!(status.default_table_encryption, Some(false));
        assert_eq!(status.auto_increment, None);
    });
    status_of("CREATE USER", |status| {
        assert_eq!(status.updated_dbs, [b"mysql"]);
        assert_eq!(status.auto_increment, Some(AutoIncrement { increment: 5, offset: 1 }));
        assert_eq!(status.time_zone, Some(&b"+02:00"[..]));
        assert_eq!(status.microseconds, Some(0));
    });
    status_of("create table t4", |status| {
        assert_eq!(status.explicit_defaults_for_timestamp, Some(true));
        assert_eq!(status.sql_mode, Some(0));
    });
}

#[test]
fn a_table_map_says_what_the_create_table_said() {
    let bytes = golden("mysql80-geometry.000007");
    let mut reader = reader_of(&bytes);
    let columns = loop {
        let event = reader.next_event().unwrap().unwrap();
        if let Event::TableMap(map) = event.decode().unwrap() {
            assert_eq!((map.db, map.table), (&b"g4"[..], &b"gv"[..]));
            break map.columns().unwrap();
        }
    };
    let column = |name: &str, type_code, meta, collation| ColumnMeta {
        type_code,
        meta,
        nullable: true,
        collation,
        name: name.as_bytes().to_vec(),
        ..ColumnMeta::default()
    };
    let expected = [
        ColumnMeta { unsigned: true, ..column("id", column_type::LONG, [0, 0], 0) },
        column("v", column_type::VARCHAR, [20, 0], 255),
        ColumnMeta { geometry_type: 1, ..column("p", column_type::GEOMETRY, [4, 0], 0) },
        column("n", column_type::VARCHAR, [4, 0], 8),
        ColumnMeta { members: vec![b"a".to_vec()], ..column("e", column_type::STRING, [247, 1], 255) },
        column("t", column_type::BLOB, [2, 0], 8),
    ];
    assert_eq!(columns, expected);
}

#[test]
fn a_primary_key_keeps_its_order_and_its_prefixes() {
    let bytes = golden("mysql80-keys.000001");
    let mut reader = reader_of(&bytes);
    let mut keys = Vec::new();
    while let Some(event) = reader.next_event().unwrap() {
        if let Event::TableMap(map) = event.decode().unwrap() {
            keys.push(map.columns().unwrap().iter().map(|column| column.pk).collect::<Vec<_>>());
        }
    }
    let part = |position, prefix_chars| Some(PkPart { position, prefix_chars });
    // PRIMARY KEY (c, a) of (a, b, c, d, e), and PRIMARY KEY (c, b(3), a(5)) of (a, b, c).
    assert_eq!(
        keys,
        [vec![part(1, 0), None, part(0, 0), None, None], vec![part(2, 5), part(1, 3), part(0, 0)]]
    );
}

#[test]
fn metadata_of_a_long_char_is_folded_into_its_type() {
    assert_eq!(ColumnMeta::string_meta(40), [254, 40]);
    assert_eq!(ColumnMeta::string_meta(1020), [0xfe ^ 0x30, 0xfc]);
}

#[test]
fn mysql_9_7_still_writes_the_events_of_8_0() {
    for bytes in events_of(&golden("mysql97.000002")) {
        assert!(bytes[4] <= 35, "a type that 8.0 does not know");
    }
    let head = read_head(file_of(&golden("mysql97.000002"))).unwrap();
    let sid = "33dd3342-e5eb-11f1-bc19-02fc00000001".parse().unwrap();
    assert!(head.previous.contains(Gtid { sid, gno: 26 }));
}

/// Bytes that MySQL 8.0.46 sent to a client after COM_BINLOG_DUMP at the end of its log, at 1453 in `binlog.000001`.
const SENT_ROTATE: &str =
    "0000000004183300002c000000000000002000ad0500000000000062696e6c6f672e3030303030315c1b6e13";
const SENT_HEARTBEAT: &str = "000000001b1833000024000000ad050000000062696e6c6f672e30303030303142b32700";
/// The same by MySQL 9.7.4 with `server_id` 99 at 631, to a client that asked with flag 2.
const SENT_HEARTBEAT_V2: &str =
    "0000000029630000002c000000770200000000010d62696e6c6f672e3030303030310203fc77020003e9124e";
const SENT_FORMAT: &str = concat!(
    "c40c026b0f183300007a0000000000000000000400382e302e34362d307562756e7475302e32342e30342e35000000000000",
    "0000000000000000000000000000000000000000000000000013000d0008000000000400040000006200041a080000000808",
    "08020000000a0a0a2a2a001234000a280001f12abd23",
);

#[test]
fn events_made_for_a_reader_are_those_that_mysql_sends() {
    let nobody = Origin { timestamp: 0, server_id: 13_080 };
    let file = b"binlog.000001";
    let sent = |append: &dyn Fn(&mut Vec<u8>)| {
        let mut out = Vec::new();
        append(&mut out);
        out.iter().fold(String::new(), |text, byte| text + &format!("{byte:02x}"))
    };
    let crc = ChecksumAlg::Crc32;
    let rotate = Rotate { position: 1453, file };
    assert_eq!(sent(&|out| append_final(out, &rotate, nobody, Placement::Artificial(0), crc)), SENT_ROTATE);
    let heartbeat = Heartbeat { file };
    assert_eq!(
        sent(&|out| append_final(out, &heartbeat, nobody, Placement::Artificial(1453), crc)),
        SENT_HEARTBEAT
    );
    let heartbeat = HeartbeatV2 { file, position: 631 };
    let of_9_7 = Origin { timestamp: 0, server_id: 99 };
    assert_eq!(
        sent(&|out| append_final(out, &heartbeat, of_9_7, Placement::Artificial(631), crc)),
        SENT_HEARTBEAT_V2
    );
    let format = FormatDescription {
        server_version: b"8.0.46-0ubuntu0.24.04.5",
        created: 0,
        checksum: crc,
        in_use: false,
        post_header_lens: &POST_HEADER_LENS,
    };
    let started = Origin { timestamp: 0x6b02_0cc4, ..nobody };
    assert_eq!(sent(&|out| append_final(out, &format, started, Placement::Artificial(0), crc)), SENT_FORMAT);
}
