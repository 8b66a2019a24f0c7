//! Purpose: what this crate writes is what a MySQL server writes, byte for byte.
//!
//! Requirements: OK with and without session changes, ERR, EOF and its successor, column definitions of every
//! type, text and binary rows of every type, defaults, answers to COM_STMT_PREPARE, with and without
//! DEPRECATE_EOF.
//!
//! Method: the server's side of sessions recorded between real clients and MySQL 9.7 is rebuilt with the public
//! functions and compared with the recording.

use crate::tools::{Part, assert_same_bytes, part, reply, reply_from};
use protocol::out::PacketWriter;
use protocol::reply::{
    BinaryRow, ColumnDef, ErrPacket, OkPacket, SessionChanges, TextRow, write_eof, write_prepare_reply,
    write_result_set_header, write_rows_end,
};
use protocol::value::{DateTime, TimeSpan};
use protocol::wire::{Capabilities, ColumnFlags, ColumnType, StatusFlags, charset};

/// PyMySQL's capabilities, as far as replies depend on them.
const WITH_EOF: Capabilities = Capabilities::PROTOCOL_41;
const WITHOUT_EOF: Capabilities = WITH_EOF.union(Capabilities::DEPRECATE_EOF);
/// Oracle's client's capabilities, likewise.
const TRACKING: Capabilities = WITHOUT_EOF.union(Capabilities::SESSION_TRACK);

const AUTOCOMMIT: StatusFlags = StatusFlags::AUTOCOMMIT;
const IN_TRANS: StatusFlags = StatusFlags::IN_TRANS;

/// The only reply of a part.
#[track_caller]
fn only_reply(file: &str, label: &str) -> Vec<u8> {
    let replies = part(file, label).replies();
    assert_eq!(replies.len(), 1, "{label}");
    replies[0].clone()
}

/// An expression's column.
fn expression(
    name: &str,
    column_type: ColumnType,
    length: u32,
    flags: ColumnFlags,
    decimals: u8,
) -> ColumnDef<'_> {
    let charset = if column_type == ColumnType::VarString { 255 } else { charset::BINARY };
    ColumnDef {
        schema: "",
        table: "",
        org_table: "",
        name,
        org_name: "",
        charset,
        length,
        column_type,
        flags,
        decimals,
    }
}

fn integer_literal(name: &str) -> ColumnDef<'_> {
    expression(name, ColumnType::LongLong, 2, ColumnFlags::NOT_NULL | ColumnFlags::BINARY, 0)
}

/// The columns of `wire.t`: see `TABLE` in `data/record.py`.
fn table_columns() -> Vec<ColumnDef<'static>> {
    use ColumnType as T;
    let none = ColumnFlags::NONE;
    let binary = ColumnFlags::BINARY;
    let blob = ColumnFlags::BLOB;
    let id_flags = ColumnFlags::NOT_NULL | ColumnFlags::PRI_KEY | ColumnFlags::AUTO_INCREMENT;
    let (bytes, text) = (charset::BINARY, charset::UTF8MB4_0900_AI_CI);
    [
        ("id", T::LongLong, 20, id_flags | ColumnFlags::UNSIGNED | ColumnFlags::PART_KEY, 0, bytes),
        ("ti", T::Tiny, 4, none, 0, bytes),
        ("su", T::Short, 5, ColumnFlags::UNSIGNED, 0, bytes),
        ("mi", T::Int24, 9, none, 0, bytes),
        ("i", T::Long, 11, ColumnFlags::MULTIPLE_KEY | ColumnFlags::PART_KEY, 0, bytes),
        ("f", T::Float, 12, none, 31, bytes),
        ("d", T::Double, 22, none, 31, bytes),
        ("de", T::NewDecimal, 14, none, 3, bytes),
        ("vc", T::VarString, 160, none, 0, text),
        ("c", T::String, 20, none, 0, text),
        ("bi", T::String, 4, binary, 0, bytes),
        ("vb", T::VarString, 10, binary, 0, bytes),
        ("bl", T::Blob, 65_535, blob | binary, 0, bytes),
        ("tx", T::Blob, 262_140, blob, 0, text),
        ("da", T::Date, 10, binary, 0, bytes),
        ("dt", T::DateTime, 26, binary, 6, bytes),
        ("ts", T::Timestamp, 19, binary, 0, bytes),
        ("tm", T::Time, 14, binary, 3, bytes),
        ("y", T::Year, 4, ColumnFlags::UNSIGNED | ColumnFlags::ZEROFILL, 0, bytes),
        ("en", T::String, 4, ColumnFlags::ENUM, 0, text),
        ("se", T::String, 12, ColumnFlags::SET, 0, text),
        ("bt", T::Bit, 10, ColumnFlags::UNSIGNED, 0, bytes),
        ("js", T::Json, u32::MAX, blob | binary, 0, bytes),
    ]
    .into_iter()
    .map(|(name, column_type, length, flags, decimals, charset)| ColumnDef {
        schema: "wire",
        table: "t",
        org_table: "t",
        name,
        org_name: name,
        charset,
        length,
        column_type,
        flags,
        decimals,
    })
    .collect()
}

fn table_columns_named(names: &[&str]) -> Vec<ColumnDef<'static>> {
    table_columns().into_iter().filter(|column| names.contains(&column.name)).collect()
}

fn literal_result(out: &mut PacketWriter, capabilities: Capabilities, name: &str, status: StatusFlags) {
    write_result_set_header(out, capabilities, &[integer_literal(name)], status, 0);
    let mut row = TextRow::begin(out);
    row.int(name.bytes().fold(0, |sum, digit| sum * 10 + i64::from(digit - b'0')));
    row.end();
    write_rows_end(out, capabilities, status, 0);
}

#[test]
fn select_1_as_mysql_answers_it() {
    let ours = reply(|out| literal_result(out, WITH_EOF, "1", AUTOCOMMIT));
    let part = part("pymysql_text", "select_1");
    assert_same_bytes(&ours, &part.replies()[0]);
}

#[test]
fn a_text_row_of_every_type_as_mysql_sends_it() {
    let ours = reply(|out| {
        write_result_set_header(out, WITH_EOF, &table_columns(), AUTOCOMMIT, 0);
        let mut row = TextRow::begin(out);
        row.uint(1);
        row.int(-5);
        row.uint(65_535);
        row.int(-70_000);
        row.int(123_456_789);
        for text in ["1.5", "-2.25", "-123.450", "Grüße", "abc", "ab\0\0"] {
            row.bytes(text.as_bytes());
        }
        row.bytes(b"\x00\xff");
        for text in ["blob", "text", "2024-02-29", "2024-02-29 12:34:56.000789", "2024-02-29 12:34:56"] {
            row.bytes(text.as_bytes());
        }
        for text in ["-26:01:02.500", "2024", "b", "x,y", "\x02\x01", r#"{"k": [1, null]}"#] {
            row.bytes(text.as_bytes());
        }
        row.end();
        let mut row = TextRow::begin(out);
        row.int(2);
        for _ in 1..23 {
            row.null();
        }
        row.end();
        write_rows_end(out, WITH_EOF, AUTOCOMMIT, 0);
    });
    assert_same_bytes(&ours, &only_reply("pymysql_text", "select_all_types"));
}

#[test]
fn expressions_as_mysql_describes_them() {
    use ColumnType as T;
    let fixed = ColumnFlags::NOT_NULL | ColumnFlags::BINARY;
    let columns = [
        expression("1+1", T::LongLong, 3, fixed, 0),
        expression("1.5", T::NewDecimal, 4, fixed, 1),
        expression("1e0", T::Double, 3, fixed, 31),
        expression("x", T::VarString, 4, ColumnFlags::NOT_NULL, 31),
        expression("NULL", T::Null, 0, ColumnFlags::BINARY, 0),
        expression("cast('2024-01-01' as date)", T::Date, 10, ColumnFlags::BINARY, 0),
        expression("cast(1 as unsigned)", T::LongLong, 21, fixed | ColumnFlags::UNSIGNED, 0),
    ];
    let ours = reply(|out| {
        write_result_set_header(out, WITH_EOF, &columns, AUTOCOMMIT, 0);
        let mut row = TextRow::begin(out);
        row.int(2);
        row.bytes(b"1.5");
        row.bytes(b"1");
        row.bytes(b"x");
        row.null();
        row.bytes(b"2024-01-01");
        row.uint(1);
        row.end();
        write_rows_end(out, WITH_EOF, AUTOCOMMIT, 0);
    });
    assert_same_bytes(&ours, &only_reply("pymysql_text", "expression_types"));
}

#[test]
fn ok_packets_as_mysql_sends_them() {
    for (label, ok) in [
        ("init_db", OkPacket { status: AUTOCOMMIT, ..OkPacket::default() }),
        (
            "insert",
            OkPacket {
                affected_rows: 2,
                last_insert_id: 3,
                status: AUTOCOMMIT,
                info: "Records: 2  Duplicates: 0  Warnings: 0",
                ..OkPacket::default()
            },
        ),
        (
            "update",
            OkPacket {
                affected_rows: 2,
                status: AUTOCOMMIT,
                info: "Rows matched: 2  Changed: 2  Warnings: 0",
                ..OkPacket::default()
            },
        ),
        ("begin", OkPacket { status: IN_TRANS | AUTOCOMMIT, ..OkPacket::default() }),
        ("commit", OkPacket { status: AUTOCOMMIT, ..OkPacket::default() }),
        ("ping", OkPacket { status: AUTOCOMMIT, warnings: 1, ..OkPacket::default() }),
    ] {
        assert_same_bytes(&reply(|out| ok.write(out, WITH_EOF)), &only_reply("pymysql_text", label));
    }
}

#[test]
fn errors_as_mysql_sends_them() {
    let unknown_column =
        ErrPacket { code: 1054, sqlstate: "42S22", message: "Unknown column 'nope' in 'field list'" };
    assert_same_bytes(
        &reply(|out| unknown_column.write(out, WITH_EOF)),
        &only_reply("pymysql_text", "error"),
    );
    assert_same_bytes(
        &reply(|out| protocol::Error::UnknownCommand(0x7F).write(out, WITH_EOF)),
        &only_reply("pymysql_text", "unknown_command"),
    );
    // Connector/Python sent attributes that were not well-formed when it was given one without a value.
    let malformed =
        "28000001ff2b072348593030304d616c666f726d656420636f6d6d756e69636174696f6e207061636b65742e";
    assert_same_bytes(
        &reply(|out| protocol::Error::Malformed("query attributes").write(out, WITH_EOF)),
        &crate::tools::hex(malformed),
    );
}

#[test]
fn an_error_before_the_handshake_has_no_sqlstate() {
    let error = ErrPacket { code: 1040, sqlstate: "08004", message: "Too many connections" };
    let ours = reply_from(0, |out| error.write(out, Capabilities::NONE));
    assert_eq!(ours, b"\x17\0\0\0\xff\x10\x04Too many connections");
}

#[test]
fn several_results_in_one_reply_as_mysql_sends_them() {
    let more = AUTOCOMMIT | StatusFlags::MORE_RESULTS_EXISTS;
    let ours = reply(|out| {
        for (name, status) in [("a", more), ("b", AUTOCOMMIT)] {
            write_result_set_header(out, WITH_EOF, &[integer_literal(name)], status, 0);
            let mut row = TextRow::begin(out);
            row.int(if name == "a" { 1 } else { 2 });
            row.end();
            write_rows_end(out, WITH_EOF, status, 0);
            if name == "a" {
                let info = "Rows matched: 1  Changed: 1  Warnings: 0";
                OkPacket { affected_rows: 1, status: more, info, ..OkPacket::default() }.write(out, WITH_EOF);
            }
        }
    });
    assert_same_bytes(&ours, &only_reply("pymysql_text", "multi"));
}

#[test]
fn column_definitions_with_defaults_as_mysql_sends_them() {
    let ours = reply(|out| {
        for column in table_columns() {
            column.write_with_default(out, (column.name == "id").then_some(b"0".as_slice()));
        }
        write_rows_end(out, WITH_EOF, AUTOCOMMIT, 0);
    });
    assert_same_bytes(&ours, &only_reply("pymysql_text", "field_list"));
}

#[test]
fn oracles_client_gets_an_ok_packet_where_a_result_set_ends() {
    let session = part("mysql_cli", "session root");
    let select_1 = session.replies()[3].clone();
    assert_same_bytes(&reply(|out| literal_result(out, TRACKING, "1", AUTOCOMMIT)), &select_1);
    let rows = session.replies()[10].clone();
    let ours = reply(|out| {
        write_result_set_header(out, TRACKING, &table_columns_named(&["id", "vc"]), AUTOCOMMIT, 0);
        for (id, text) in [(1, Some("Grüße")), (2, None)] {
            let mut row = TextRow::begin(out);
            row.int(id);
            match text {
                Some(text) => row.bytes(text.as_bytes()),
                None => row.null(),
            }
            row.end();
        }
        write_rows_end(out, TRACKING, AUTOCOMMIT, 0);
    });
    assert_same_bytes(&ours, &rows);
}

/// An OK packet with changes, for a client that tracks them.
fn tracked(
    status: StatusFlags,
    info: &str,
    affected_rows: u64,
    fill: impl FnOnce(&mut SessionChanges),
) -> Vec<u8> {
    let mut changes = SessionChanges::default();
    fill(&mut changes);
    let ok = OkPacket { affected_rows, status, info, changes: Some(&changes), ..OkPacket::default() };
    reply(|out| ok.write(out, TRACKING))
}

#[test]
fn session_changes_as_mysql_reports_them() {
    let replies = part("mysql_cli", "session root").replies();
    assert_same_bytes(&tracked(AUTOCOMMIT, "", 0, |c| c.schema(b"wire")), &replies[4]);
    let charsets = tracked(AUTOCOMMIT, "", 0, |changes| {
        for name in ["character_set_client", "character_set_connection", "character_set_results"] {
            changes.system_variable(name.as_bytes(), b"utf8mb4");
        }
    });
    assert_same_bytes(&charsets, &replies[5]);
    assert_same_bytes(
        &tracked(AUTOCOMMIT | IN_TRANS, "", 0, |c| c.transaction_state(*b"T_______")),
        &replies[7],
    );

    let replies = part("mysql_cli", "session_track").replies();
    let info = "Rows matched: 1  Changed: 1  Warnings: 0";
    let reported: [(usize, Vec<u8>); 5] = [
        (
            5,
            tracked(AUTOCOMMIT, "", 0, |changes| {
                changes.system_variable(b"session_track_system_variables", b"*");
                changes.state_changed();
            }),
        ),
        (
            7,
            tracked(AUTOCOMMIT, "", 0, |changes| {
                changes.system_variable(b"session_track_transaction_info", b"CHARACTERISTICS");
                changes.system_variable(b"statement_id", b"237");
                changes.state_changed();
                changes.transaction_characteristics(b"");
            }),
        ),
        (
            8,
            tracked(AUTOCOMMIT, "", 0, |changes| {
                changes.system_variable(b"statement_id", b"238");
                changes.schema(b"wire");
                changes.state_changed();
            }),
        ),
        (
            10,
            tracked(IN_TRANS, info, 1, |changes| {
                changes.system_variable(b"statement_id", b"240");
                changes.transaction_state(*b"I___W___");
            }),
        ),
        (
            11,
            tracked(StatusFlags::NONE, "", 0, |changes| {
                changes.system_variable(b"statement_id", b"241");
                changes.transaction_state(*b"________");
            }),
        ),
    ];
    for (index, ours) in reported {
        assert_same_bytes(&ours, &replies[index]);
    }
}

#[test]
fn a_client_that_does_not_track_is_told_nothing() {
    let mut changes = SessionChanges::default();
    changes.schema(b"wire");
    let ok = OkPacket { status: AUTOCOMMIT, changes: Some(&changes), ..OkPacket::default() };
    assert_same_bytes(&reply(|out| ok.write(out, WITH_EOF)), &only_reply("pymysql_text", "init_db"));
}

#[test]
fn mysqladmin_gets_what_mysql_answers() {
    let debug = part("mysqladmin", "debug").replies();
    assert_same_bytes(&reply(|out| write_rows_end(out, TRACKING, AUTOCOMMIT, 0)), &debug[1]);
    let status = part("mysqladmin", "status");
    let text = status.replies()[1][4..].to_vec();
    assert!(text.starts_with(b"Uptime: "));
    assert_same_bytes(&reply(|out| out.packet(&text)), &status.replies()[1]);
}

/// The binary row of `wire.t`'s first line, as far as the recordings agree.
fn full_binary_row(out: &mut PacketWriter, text: &str) {
    use ColumnType as T;
    let moment = DateTime { hour: 12, minute: 34, second: 56, ..DateTime::date(2024, 2, 29) };
    let mut row = BinaryRow::begin(out, 23);
    row.integer(T::LongLong, 1);
    row.integer(T::Tiny, -5);
    row.integer(T::Short, 65_535);
    row.integer(T::Int24, -70_000);
    row.integer(T::Long, 123_456_790 - i64::from(text == "Grüße"));
    row.float(1.5);
    row.double(-2.25);
    for bytes in [b"-123.450".as_slice(), text.as_bytes(), b"abc", b"ab\0\0", b"\x00\xff", b"blob", b"text"] {
        row.bytes(bytes);
    }
    row.date(&DateTime::date(2024, 2, 29));
    row.date(&DateTime { micros: 789, ..moment });
    row.date(&moment);
    row.time(&TimeSpan { negative: true, days: 1, hours: 2, minutes: 1, seconds: 2, micros: 500_000 });
    row.integer(T::Year, 2024);
    for bytes in [b"b".as_slice(), b"x,y", b"\x02\x01", br#"{"k": [1, null]}"#] {
        row.bytes(bytes);
    }
    row.end();
}

fn binary_row_of_nulls(out: &mut PacketWriter) {
    let mut row = BinaryRow::begin(out, 23);
    row.integer(ColumnType::LongLong, 2);
    for _ in 1..23 {
        row.null();
    }
    row.end();
}

/// The definition of a parameter that is compared with an unsigned column.
fn id_parameter() -> ColumnDef<'static> {
    expression("?", ColumnType::LongLong, 21, ColumnFlags::BINARY | ColumnFlags::UNSIGNED, 0)
}

fn both_forms(label: &str) -> [(Capabilities, Part); 2] {
    [(WITH_EOF, part("prepared_eof", label)), (WITHOUT_EOF, part("prepared_no_eof", label))]
}

#[test]
fn prepared_statements_as_mysql_describes_them() {
    for (capabilities, part) in both_forms("prepare_select") {
        let ours = reply(|out| {
            write_prepare_reply(out, capabilities, 1, &[id_parameter()], &table_columns(), StatusFlags::NONE);
        });
        assert_same_bytes(&ours, &part.replies()[0]);
    }
}

#[test]
fn binary_rows_of_every_type_as_mysql_sends_them() {
    for (capabilities, part) in both_forms("execute_select") {
        let ours = reply(|out| {
            write_result_set_header(out, capabilities, &table_columns(), IN_TRANS, 0);
            full_binary_row(out, "Grüße");
            binary_row_of_nulls(out);
            write_rows_end(out, capabilities, IN_TRANS, 0);
        });
        assert_same_bytes(&ours, &part.replies()[0]);
    }
}

#[test]
fn a_cursor_as_mysql_opens_and_reads_it() {
    let exists = StatusFlags::CURSOR_EXISTS | IN_TRANS;
    for (capabilities, fetch) in both_forms("fetch") {
        let ours = reply(|out| {
            full_binary_row(out, "long");
            write_rows_end(out, capabilities, exists, 0);
        });
        assert_same_bytes(&ours, &fetch.replies()[0]);
    }
    for (capabilities, fetch) in both_forms("fetch_end") {
        let ours = reply(|out| {
            binary_row_of_nulls(out);
            write_rows_end(out, capabilities, StatusFlags::LAST_ROW_SENT | IN_TRANS, 0);
        });
        assert_same_bytes(&ours, &fetch.replies()[0]);
    }
    for (capabilities, opened) in both_forms("execute_cursor") {
        let recorded = &opened.replies()[0];
        let end = reply(|out| write_rows_end(out, capabilities, exists, 0));
        assert!(recorded.ends_with(&end[4..]), "a cursor's definitions end like rows");
    }
}

#[test]
fn statements_without_columns_or_parameters_as_mysql_describes_them() {
    for (capabilities, part) in both_forms("prepare_update") {
        let params = [expression("?", ColumnType::VarString, 65_532, ColumnFlags::NONE, 31), id_parameter()];
        let ours = reply(|out| write_prepare_reply(out, capabilities, 2, &params, &[], IN_TRANS));
        assert_same_bytes(&ours, &part.replies()[0]);
    }
}

#[test]
fn small_answers_in_both_forms() {
    for (capabilities, part) in both_forms("set_option") {
        assert_same_bytes(&reply(|out| write_rows_end(out, capabilities, IN_TRANS, 1)), &part.replies()[0]);
    }
    for (capabilities, part) in both_forms("reset_stmt") {
        let ok = OkPacket { status: IN_TRANS, ..OkPacket::default() };
        assert_same_bytes(&reply(|out| ok.write(out, capabilities)), &part.replies()[0]);
    }
    for (capabilities, part) in both_forms("unknown_statement") {
        let message = "Unknown prepared statement handler (77) given to mysql_stmt_precheck";
        let error = ErrPacket { code: 1243, sqlstate: "HY000", message };
        assert_same_bytes(&reply(|out| error.write(out, capabilities)), &part.replies()[0]);
    }
    for (capabilities, part) in both_forms("select_empty") {
        let ours = reply(|out| {
            write_result_set_header(out, capabilities, &table_columns_named(&["id"]), AUTOCOMMIT, 0);
            write_rows_end(out, capabilities, AUTOCOMMIT, 0);
        });
        assert_same_bytes(&ours, &part.replies()[0]);
    }
}

#[test]
fn parameters_come_back_in_binary_as_mysql_sends_them() {
    let part = part("connector_python", "execute_params");
    let recorded = part.replies().last().expect("an execution").clone();
    let mut ours = Vec::new();
    let mut out = PacketWriter::new();
    out.set_sequence(14);
    let mut row = BinaryRow::begin(&mut out, 11);
    row.integer(ColumnType::LongLong, 1);
    row.integer(ColumnType::LongLong, -1);
    row.integer(ColumnType::LongLong, i64::MIN);
    row.double(1.5);
    row.bytes(b"text");
    row.bytes(b"bytes");
    row.null();
    row.date(&DateTime::date(2024, 2, 29));
    row.date(&DateTime { hour: 12, minute: 34, second: 56, micros: 789, ..DateTime::date(2024, 2, 29) });
    row.time(&TimeSpan { negative: true, days: 2, hours: 21, minutes: 59, seconds: 0, micros: 0 });
    row.bytes(b"-1.25");
    row.end();
    write_eof(&mut out, StatusFlags::NONE, 0);
    ours.extend(out.bytes());
    assert_same_bytes(&ours, &recorded[recorded.len() - ours.len()..]);
}

#[test]
#[should_panic(expected = "a row has a value for each column")]
fn a_binary_row_without_all_its_values_is_a_bug() {
    let mut out = PacketWriter::new();
    let mut row = BinaryRow::begin(&mut out, 2);
    row.null();
    row.end();
}
