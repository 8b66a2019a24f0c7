//! Purpose: a decoder that this project did not write reads what we write as we meant it.
//!
//! Requirements: for files of ours and of MySQL, `mysql_common` and our reader agree on the position, size, type and
//! checksum of every event, and on the contents of every event whose contents we set.
//!
//! Method: both read the same bytes side by side; then each kind of event is compared field by field, and rows down to
//! their values.

use std::io::Cursor;

use binlog::decode::Event as Ours;
use binlog::event::{Query, Rotate, Row, RowsKind, RowsQuery, StatusVars, Stop};
use binlog::finalise::append_final;
use binlog::{ChecksumAlg, EventReader, GtidPlan, GtidSet, Placement, TrxEvents};
use mysql_common::binlog::consts::{BinlogChecksumAlg, BinlogVersion};
use mysql_common::binlog::events::{
    Event, EventData, OptionalMetaExtractor, RowsEventData, StatusVarVal, TableMapEvent,
};
use mysql_common::binlog::row::BinlogRow;
use mysql_common::binlog::value::BinlogValue;
use mysql_common::binlog::{BinlogFile, EventStreamReader};
use mysql_common::misc::raw::RawBytes;
use mysql_common::value::Value;

use crate::support::{
    GOLDEN, ORIGIN, SID, VERSION, append_trx, cache, file_of, fill_ddl, golden, header, image, plan,
    sample_file, spec, stamps, status, table_map,
};

fn theirs(bytes: &[u8]) -> (Vec<Event>, EventStreamReader) {
    let mut file = BinlogFile::new(BinlogVersion::Version4, Cursor::new(bytes)).unwrap();
    let mut events = Vec::new();
    for event in file.by_ref() {
        events.push(event.unwrap());
    }
    let mut reader = EventStreamReader::new(BinlogVersion::Version4);
    std::mem::swap(&mut reader, file.reader_mut());
    (events, reader)
}

/// Compares what both make of a file's frame: headers, sizes, positions, checksums, types.
fn agree_on_frames(bytes: &[u8]) {
    let (events, _) = theirs(bytes);
    let mut ours = EventReader::open(file_of(bytes)).unwrap();
    let ours_checksum = ours.checksum();
    let mut position = 4;
    for event in &events {
        let own = ours.next_event().unwrap().expect("we see as many events as they");
        let header = event.header();
        assert_eq!(own.position, position);
        position += u64::from(header.event_size());
        assert_eq!(u64::from(header.log_pos()), position, "small files do not wrap");
        assert_eq!(header.timestamp(), own.header.timestamp);
        assert_eq!(header.event_type_raw(), own.header.event_type.0);
        assert_eq!(header.server_id(), own.header.server_id);
        assert_eq!(header.flags_raw(), own.header.flags);
        assert!(event.read_data().unwrap().is_some(), "they know the type");
        let sum = event.checksum().map(u32::from_le_bytes);
        let expected = own.bytes.len() - own.body.len() - 19;
        assert_eq!(sum.is_some(), expected == 4);
        if let Some(sum) = sum {
            // They hash the file's algorithm byte from this argument, and CRC32 whatever it says.
            let alg = match ours_checksum {
                ChecksumAlg::None => BinlogChecksumAlg::BINLOG_CHECKSUM_ALG_OFF,
                ChecksumAlg::Crc32 => BinlogChecksumAlg::BINLOG_CHECKSUM_ALG_CRC32,
            };
            assert_eq!(event.calc_checksum(alg), sum);
        }
    }
    assert!(ours.next_event().unwrap().is_none(), "they see as many events as we");
    assert_eq!(position, bytes.len() as u64);
}

#[test]
fn both_decoders_see_the_same_frames() {
    for name in GOLDEN {
        agree_on_frames(&golden(name));
    }
    agree_on_frames(&sample_file(ChecksumAlg::Crc32, 20));
    agree_on_frames(&sample_file(ChecksumAlg::None, 20));
}

#[test]
fn both_decoders_see_the_same_gtids_and_statements_of_mysql() {
    let mut compared = 0;
    for name in GOLDEN {
        let bytes = golden(name);
        let mut ours = EventReader::open(file_of(&bytes)).unwrap();
        for event in &theirs(&bytes).0 {
            let own = ours.next_event().unwrap().unwrap();
            match (event.read_data().unwrap().unwrap(), own.decode().unwrap()) {
                (EventData::GtidEvent(theirs), Ours::Gtid(own)) => {
                    let gtid = own.gtid.unwrap();
                    assert_eq!((theirs.sid(), theirs.gno()), (gtid.sid.0, gtid.gno));
                    assert_eq!(theirs.last_committed(), own.last_committed);
                    assert_eq!(theirs.sequence_number(), own.sequence_number);
                    assert_eq!(theirs.tx_length(), own.transaction_length);
                    assert_eq!(theirs.immediate_commit_timestamp(), own.immediate_commit_timestamp_us);
                    assert_eq!(theirs.immediate_server_version(), own.immediate_server_version);
                    let original =
                        own.original_commit_timestamp_us.unwrap_or(own.immediate_commit_timestamp_us);
                    assert_eq!(theirs.original_commit_timestamp(), original);
                    compared += 1;
                }
                (EventData::QueryEvent(theirs), Ours::Query(own)) => {
                    assert_eq!(theirs.query_raw(), own.sql);
                    assert_eq!(theirs.schema_raw(), own.db);
                    assert_eq!(theirs.thread_id(), own.thread_id);
                    assert_eq!(theirs.execution_time(), own.exec_time_s);
                    compare_status(theirs.status_vars(), &own.status);
                    compared += 1;
                }
                (EventData::TableMapEvent(theirs), Ours::TableMap(own)) => {
                    compare_table_map(&theirs, &own.columns().unwrap());
                    compared += 1;
                }
                _ => {}
            }
        }
    }
    assert!(compared > 150, "{compared} events were compared");
}

/// Every variable that they know has the value that we see, and they see as many as we.
fn compare_status(theirs: &mysql_common::binlog::events::StatusVars<'_>, own: &StatusVars<'_>) {
    let mut count = 0;
    for var in theirs.iter() {
        count += 1;
        // They read microseconds as four bytes, find three and hand them over raw.
        let value = match var.get_value() {
            Ok(value) => value,
            Err([b0, b1, b2]) => StatusVarVal::Microseconds(u32::from_le_bytes([*b0, *b1, *b2, 0])),
            Err(raw) => panic!("{raw:?} could not be read"),
        };
        match value {
            StatusVarVal::Flags2(bits) => assert_eq!(Some(bits.0), own.flags2),
            StatusVarVal::SqlMode(bits) => assert_eq!(Some(bits.0), own.sql_mode),
            StatusVarVal::CatalogNz(name) => assert_eq!(Some(name.as_bytes()), own.catalog),
            StatusVarVal::AutoIncrement { increment, offset } => {
                let own = own.auto_increment.unwrap();
                assert_eq!((increment, offset), (own.increment, own.offset));
            }
            StatusVarVal::Charset { charset_client, collation_connection, collation_server } => {
                let own = own.charset.unwrap();
                let theirs = (charset_client, collation_connection, collation_server);
                assert_eq!(theirs, (own.client, own.connection, own.server));
            }
            StatusVarVal::TimeZone(name) => assert_eq!(Some(name.as_bytes()), own.time_zone),
            StatusVarVal::LcTimeNames(number) => assert_eq!(Some(number), own.lc_time_names),
            StatusVarVal::CharsetDatabase(number) => assert_eq!(Some(number), own.charset_database),
            StatusVarVal::TableMapForUpdate(tables) => assert_eq!(Some(tables), own.table_map_for_update),
            StatusVarVal::Invoker { username, hostname } => {
                let own = own.invoker.unwrap();
                assert_eq!((username.as_bytes(), hostname.as_bytes()), (own.user, own.host));
            }
            StatusVarVal::UpdatedDbNames(names) => {
                assert!(names.iter().map(RawBytes::as_bytes).eq(own.updated_dbs.iter().copied()));
            }
            StatusVarVal::Microseconds(fraction) => assert_eq!(Some(fraction), own.microseconds),
            StatusVarVal::ExplicitDefaultsForTimestamp(on) => {
                assert_eq!(Some(on), own.explicit_defaults_for_timestamp);
            }
            StatusVarVal::DdlLoggedWithXid(xid) => assert_eq!(Some(xid), own.ddl_xid),
            StatusVarVal::DefaultCollationForUtf8mb4(number) => {
                assert_eq!(Some(number), own.default_collation_for_utf8mb4);
            }
            StatusVarVal::SqlRequirePrimaryKey(on) => {
                assert_eq!(Some(on != 0), own.sql_require_primary_key);
            }
            StatusVarVal::DefaultTableEncryption(on) => {
                assert_eq!(Some(on != 0), own.default_table_encryption);
            }
            other => panic!("{other:?} is written by nobody"),
        }
    }
    assert_eq!(count, count_of(own));
}

fn count_of(own: &StatusVars<'_>) -> usize {
    let present = [
        own.flags2.is_some(),
        own.sql_mode.is_some(),
        own.catalog.is_some(),
        own.auto_increment.is_some(),
        own.charset.is_some(),
        own.time_zone.is_some(),
        own.lc_time_names.is_some(),
        own.charset_database.is_some(),
        own.table_map_for_update.is_some(),
        own.invoker.is_some(),
        !own.updated_dbs.is_empty(),
        own.microseconds.is_some(),
        own.explicit_defaults_for_timestamp.is_some(),
        own.ddl_xid.is_some(),
        own.default_collation_for_utf8mb4.is_some(),
        own.sql_require_primary_key.is_some(),
        own.default_table_encryption.is_some(),
    ];
    present.into_iter().filter(|present| *present).count()
}

fn compare_table_map(theirs: &TableMapEvent<'_>, own: &[binlog::event::ColumnMeta]) {
    assert_eq!(theirs.columns_count(), own.len() as u64);
    for (index, column) in own.iter().enumerate() {
        assert_eq!(theirs.null_bitmask()[index], column.nullable);
        let raw = theirs.get_raw_column_type(index).unwrap().unwrap();
        assert_eq!(raw as u8, column.type_code);
        let meta = theirs.get_column_metadata(index).unwrap();
        assert_eq!(meta, &column.meta[..meta.len()]);
    }
    let extracted = OptionalMetaExtractor::new(theirs.iter_optional_meta()).unwrap();
    let unsigned: Vec<bool> = extracted.iter_signedness().collect();
    let numeric = own.iter().filter(|c| matches!(c.type_code, 1..=5 | 8 | 9 | 13 | 246));
    assert!(numeric.clone().map(|c| c.unsigned).eq(unsigned.iter().copied().take(numeric.count())));
    let names: Vec<_> = extracted.iter_column_name().map(|name| name.unwrap().name_raw().to_vec()).collect();
    assert!(names.is_empty() || names.iter().eq(own.iter().map(|c| &c.name)));
    let mut key: Vec<_> =
        own.iter().enumerate().filter_map(|(i, c)| Some((c.pk?.position, i as u64))).collect();
    key.sort_unstable();
    let theirs: Vec<u64> = extracted.iter_primary_key().map(Result::unwrap).collect();
    assert!(key.iter().map(|(_, index)| *index).eq(theirs));
}

/// A transaction of two statements with values that they must see, behind a DDL statement.
fn transaction() -> Vec<u8> {
    let mut bytes = header(ChecksumAlg::Crc32, &GtidSet::new());
    let mut cache = cache();
    cache.append(ORIGIN, &Query::begin(42, status(), b"shop")).unwrap();
    cache.append(ORIGIN, &RowsQuery { sql: b"insert into t ..." }).unwrap();
    cache.append(ORIGIN, &table_map()).unwrap();
    for (id, name) in [(1, "one"), (2, "two")] {
        cache.append_row(ORIGIN, &spec(RowsKind::Write), &Row::Write(&image(id, name, None))).unwrap();
    }
    cache.end_statement();
    cache.append(ORIGIN, &table_map()).unwrap();
    let (before, after) = (image(1, "one", None), image(1, "uno", Some(u64::MAX)));
    cache.append_row(ORIGIN, &spec(RowsKind::Update), &Row::Update(&before, &after)).unwrap();
    cache.append_row(ORIGIN, &spec(RowsKind::Delete), &Row::Delete(&after)).unwrap();
    cache.end_statement();
    append_trx(&mut bytes, &cache, ChecksumAlg::Crc32, 1);
    bytes
}

fn value(row: &BinlogRow, index: usize) -> Value {
    match row.as_ref(index).unwrap() {
        BinlogValue::Value(value) => value.clone(),
        other => panic!("{other:?}"),
    }
}

fn values(row: &BinlogRow) -> (i64, String, Option<u64>) {
    let id = match value(row, 0) {
        Value::Int(id) => id,
        other => panic!("{other:?}"),
    };
    let name = match value(row, 1) {
        Value::Bytes(name) => String::from_utf8(name).unwrap(),
        other => panic!("{other:?}"),
    };
    let n = match value(row, 2) {
        Value::NULL => None,
        Value::UInt(n) => Some(n),
        other => panic!("{other:?}"),
    };
    (id, name, n)
}

#[test]
fn rows_hold_the_values_that_were_put_in() {
    let (events, reader) = theirs(&transaction());
    let mut rows = Vec::new();
    for event in &events {
        if let Some(EventData::RowsEvent(data)) = event.read_data().unwrap() {
            let kind = match &data {
                RowsEventData::WriteRowsEvent(_) => "write",
                RowsEventData::UpdateRowsEvent(_) => "update",
                RowsEventData::DeleteRowsEvent(_) => "delete",
                other => panic!("{other:?}"),
            };
            let map = reader.get_tme(data.table_id()).unwrap();
            for row in data.rows(map) {
                let (before, after) = row.unwrap();
                rows.push((kind, before.as_ref().map(values), after.as_ref().map(values)));
            }
        }
    }
    let row = |id, name: &str, n| Some((id, name.to_owned(), n));
    let expected = [
        ("write", None, row(1, "one", None)),
        ("write", None, row(2, "two", None)),
        ("update", row(1, "one", None), row(1, "uno", Some(u64::MAX))),
        ("delete", row(1, "uno", Some(u64::MAX)), None),
    ];
    assert_eq!(rows, expected);
}

#[test]
fn a_transaction_says_what_was_set() {
    let bytes = transaction();
    let (events, _) = theirs(&bytes);
    let start = header(ChecksumAlg::Crc32, &GtidSet::new()).len();
    let mut seen = Vec::new();
    for event in &events {
        match event.read_data().unwrap().unwrap() {
            EventData::GtidEvent(gtid) => {
                assert_eq!((gtid.sid(), gtid.gno()), (SID.0, 1));
                assert_eq!(gtid.tx_length(), (bytes.len() - start) as u64);
                assert_eq!((gtid.last_committed(), gtid.sequence_number()), (0, 1));
                assert_eq!(gtid.immediate_commit_timestamp(), 1_700_000_000_000_001);
                assert_eq!(gtid.immediate_server_version(), VERSION);
                seen.push("gtid");
            }
            EventData::QueryEvent(query) => {
                assert_eq!((query.query_raw(), query.schema_raw()), (&b"BEGIN"[..], &b"shop"[..]));
                assert_eq!(query.thread_id(), 42);
                compare_status(query.status_vars(), &status());
                seen.push("begin");
            }
            EventData::RowsQueryEvent(query) => {
                assert_eq!(query.query_raw(), b"insert into t ...");
                seen.push("text");
            }
            EventData::TableMapEvent(map) => {
                assert_eq!((map.database_name(), map.table_name()), ("shop".into(), "t".into()));
                compare_table_map(&map, &crate::support::columns());
                seen.push("map");
            }
            EventData::RowsEvent(_) => seen.push("rows"),
            EventData::XidEvent(xid) => {
                assert_eq!(xid.xid, 1001);
                seen.push("xid");
            }
            EventData::FormatDescriptionEvent(format) => {
                assert_eq!(format.server_version().trim_end_matches('\0'), crate::support::SERVER_VERSION);
                assert_eq!(format.create_timestamp(), 0);
            }
            EventData::PreviousGtidsEvent(previous) => assert!(previous.sids().is_empty()),
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(seen, ["gtid", "begin", "text", "map", "rows", "map", "rows", "rows", "xid"]);
}

#[test]
fn originals_of_a_replicated_transaction_are_kept() {
    let mut cache = cache();
    fill_ddl(&mut cache, "create table x (a int)");
    let plan = GtidPlan {
        may_have_statements: true,
        original_commit_timestamp_us: Some(1_600_000_000_000_000),
        original_server_version: Some(80_032),
        ..plan()
    };
    let mut bytes = header(ChecksumAlg::Crc32, &GtidSet::new());
    let at = stamps(bytes.len() as u64, 7);
    TrxEvents::statement(&cache, plan, ORIGIN).write_into(ChecksumAlg::Crc32, &at, &mut bytes);
    let (events, _) = theirs(&bytes);
    let Some(EventData::GtidEvent(gtid)) = events[2].read_data().unwrap() else { panic!("no GTID event") };
    assert_eq!(gtid.original_commit_timestamp(), 1_600_000_000_000_000);
    assert_eq!(gtid.original_server_version(), 80_032);
    assert_eq!(gtid.immediate_server_version(), VERSION);
    let Some(EventData::QueryEvent(query)) = events[3].read_data().unwrap() else { panic!("no statement") };
    let expected = StatusVars { updated_dbs: vec![b"shop"], ddl_xid: Some(4711), ..status() };
    compare_status(query.status_vars(), &expected);
}

#[test]
fn the_ends_of_files_are_understood() {
    let mut bytes = sample_file(ChecksumAlg::Crc32, 1);
    let rotate = Rotate { position: 4, file: b"binlog.000002" };
    let at = Placement::At(bytes.len() as u64);
    append_final(&mut bytes, &rotate, ORIGIN, at, ChecksumAlg::Crc32);
    let (events, _) = theirs(&bytes);
    let Some(EventData::RotateEvent(own)) = events.last().unwrap().read_data().unwrap() else {
        panic!("no ROTATE")
    };
    assert_eq!((own.position(), own.name()), (4, "binlog.000002".into()));
    let mut stopped = sample_file(ChecksumAlg::Crc32, 1);
    let at = Placement::At(stopped.len() as u64);
    append_final(&mut stopped, &Stop, ORIGIN, at, ChecksumAlg::Crc32);
    assert!(matches!(theirs(&stopped).0.last().unwrap().read_data().unwrap(), Some(EventData::StopEvent)));
}

#[test]
fn previous_gtids_are_understood() {
    let set: GtidSet =
        "33dd3342-e5eb-11f1-bc19-02fc00000001:1-5:9,11111111-2222-3333-4444-555555555555:3".parse().unwrap();
    let (events, _) = theirs(&header(ChecksumAlg::Crc32, &set));
    let Some(EventData::PreviousGtidsEvent(previous)) = events[1].read_data().unwrap() else {
        panic!("no set")
    };
    let seen: Vec<_> = previous
        .sids()
        .iter()
        .map(|sid| {
            (sid.uuid(), sid.intervals().iter().map(|run| (run.start(), run.end())).collect::<Vec<_>>())
        })
        .collect();
    let expected =
        set.sids().map(|(sid, runs)| (sid.0, runs.runs().iter().map(|run| (run.start, run.end)).collect()));
    assert!(expected.eq(seen));
}
