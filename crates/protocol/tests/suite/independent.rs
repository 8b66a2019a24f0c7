//! Purpose: an implementation of the protocol that this project did not write understands ours, and we it.
//!
//! Requirements: for any values, not only recorded ones: greeting, switch and more data, OK with changes, ERR,
//! column definitions, PrepareOk, text and binary rows; responses, changes of users and executions the other way;
//! framing both ways at the boundaries.
//!
//! Method: `proptest` draws values; `mysql_common` decodes what this crate wrote, and encodes what this crate reads.

use std::collections::HashMap;
use std::io::Cursor;
use std::sync::Arc;

use mysql_common::constants::CapabilityFlags;
use mysql_common::io::ParseBuf;
use mysql_common::packets::{
    AuthMoreData, AuthPlugin, AuthSwitchRequest, Column, ComChangeUser, ComChangeUserMoreData,
    ComStmtExecuteRequestBuilder, CommonOkPacket, ErrPacket as TheirErr, HandshakePacket,
    HandshakeResponse as TheirResponse, OkPacketDeserializer, OldEofPacket, ResultSetTerminator, StmtPacket,
    session_state_change::SessionStateChange,
};
use mysql_common::proto::sync_framed::MySyncFramed;
use mysql_common::proto::{Binary, MySerialize, Text};
use mysql_common::row::RowDeserializer;
use mysql_common::value::{ServerSide, Value};
use proptest::prelude::*;
use protocol::auth::{Nonce, Plugin};
use protocol::command::{Command, Param, ParamTypes};
use protocol::frame::{CHUNK_SIZE_MAX, PacketReader};
use protocol::handshake::{ClientHello, Greeting, write_auth_more_data, write_auth_switch};
use protocol::out::PacketWriter;
use protocol::reply::{
    BinaryRow, ColumnDef, ErrPacket, OkPacket, PrepareOk, SessionChanges, TextRow, write_eof, write_rows_end,
};
use protocol::value::{DateTime, TimeSpan};
use protocol::wire::{Capabilities, ColumnFlags, ColumnType, StatusFlags};

use crate::tools::reply;

/// The payload of the one small packet that `write` writes.
fn payload(write: impl FnOnce(&mut PacketWriter)) -> Vec<u8> {
    reply(write)[4..].to_vec()
}

fn theirs(capabilities: Capabilities) -> CapabilityFlags {
    CapabilityFlags::from_bits_truncate(capabilities.bits())
}

const TRACKING: Capabilities = Capabilities::OFFERED;

fn nonces() -> impl Strategy<Value = Nonce> {
    any::<[u8; 20]>().prop_map(Nonce::from_random)
}

fn bytes(max: usize) -> impl Strategy<Value = Vec<u8>> {
    proptest::collection::vec(any::<u8>(), 0..max)
}

fn dates() -> impl Strategy<Value = DateTime> {
    let day = (0..=9999_u16, 0..=12_u8, 0..=31_u8);
    let time = (0..24_u8, 0..60_u8, 0..60_u8);
    (day, prop_oneof![Just((0, 0, 0)), time], prop_oneof![Just(0), 0..1_000_000_u32]).prop_map(
        |((year, month, day), (hour, minute, second), micros)| DateTime {
            year,
            month,
            day,
            hour,
            minute,
            second,
            micros,
        },
    )
}

fn spans() -> impl Strategy<Value = TimeSpan> {
    let parts = (0..35_u32, 0..24_u8, 0..60_u8, 0..60_u8, prop_oneof![Just(0), 0..1_000_000_u32]);
    (any::<bool>(), prop_oneof![Just((0, 0, 0, 0, 0)), parts]).prop_map(
        |(negative, (days, hours, minutes, seconds, micros))| TimeSpan {
            negative: negative && (days, hours, minutes, seconds, micros) != (0, 0, 0, 0, 0),
            days,
            hours,
            minutes,
            seconds,
            micros,
        },
    )
}

/// Values as their crate holds them, with the type of a column for each.
fn values() -> impl Strategy<Value = (ColumnType, Value)> {
    let date =
        dates().prop_map(|d| Value::Date(d.year, d.month, d.day, d.hour, d.minute, d.second, d.micros));
    let span = spans().prop_map(|t| Value::Time(t.negative, t.days, t.hours, t.minutes, t.seconds, t.micros));
    prop_oneof![
        Just((ColumnType::Null, Value::NULL)),
        any::<i8>().prop_map(|v| (ColumnType::Tiny, Value::Int(i64::from(v)))),
        any::<i16>().prop_map(|v| (ColumnType::Short, Value::Int(i64::from(v)))),
        any::<i32>().prop_map(|v| (ColumnType::Long, Value::Int(i64::from(v)))),
        any::<i64>().prop_map(|v| (ColumnType::LongLong, Value::Int(v))),
        (-1e30_f32..1e30).prop_map(|v| (ColumnType::Float, Value::Float(v))),
        (-1e300_f64..1e300).prop_map(|v| (ColumnType::Double, Value::Double(v))),
        bytes(400).prop_map(|v| (ColumnType::Blob, Value::Bytes(v))),
        date.prop_map(|v| (ColumnType::DateTime, v)),
        span.prop_map(|v| (ColumnType::Time, v)),
    ]
}

fn column(name: &str, column_type: ColumnType) -> ColumnDef<'_> {
    ColumnDef { name, column_type, flags: ColumnFlags::NONE, ..ColumnDef::PARAM }
}

/// Columns of these types as they decode them from our definitions.
fn their_columns(types: &[ColumnType]) -> Arc<[Column]> {
    types
        .iter()
        .map(|column_type| {
            let packet = payload(|out| column("c", *column_type).write(out));
            ParseBuf(&packet).parse::<Column>(()).expect("a column definition")
        })
        .collect()
}

fn put_binary(row: &mut BinaryRow<'_>, column_type: ColumnType, value: &Value) {
    match value {
        Value::NULL => row.null(),
        Value::Bytes(bytes) => row.bytes(bytes),
        Value::Int(value) => row.integer(column_type, *value),
        Value::UInt(value) => row.integer(column_type, i64::from_le_bytes(value.to_le_bytes())),
        Value::Float(value) => row.float(*value),
        Value::Double(value) => row.double(*value),
        Value::Date(year, month, day, hour, minute, second, micros) => row.date(&DateTime {
            year: *year,
            month: *month,
            day: *day,
            hour: *hour,
            minute: *minute,
            second: *second,
            micros: *micros,
        }),
        Value::Time(negative, days, hours, minutes, seconds, micros) => row.time(&TimeSpan {
            negative: *negative,
            days: *days,
            hours: *hours,
            minutes: *minutes,
            seconds: *seconds,
            micros: *micros,
        }),
    }
}

/// What we read where they wrote a value.
fn as_theirs(param: Param<'_>) -> Value {
    match param {
        Param::Null => Value::NULL,
        Param::Int(value) => Value::Int(value),
        Param::UInt(value) => Value::UInt(value),
        Param::Float(value) => Value::Float(value),
        Param::Double(value) => Value::Double(value),
        Param::Bytes { bytes, .. } => Value::Bytes(bytes.to_vec()),
        Param::Date { value: d, .. } => {
            Value::Date(d.year, d.month, d.day, d.hour, d.minute, d.second, d.micros)
        }
        Param::Time(t) => Value::Time(t.negative, t.days, t.hours, t.minutes, t.seconds, t.micros),
        Param::LongData(_) => panic!("no long data was sent"),
    }
}

proptest! {
    #[test]
    fn they_read_our_greeting(nonce in nonces(), connection_id: u32, charset: u8, native: bool) {
        let plugin = if native { Plugin::Native } else { Plugin::CachingSha2 };
        let packet = payload(|out| {
            Greeting {
                server_version: "8.0.44-onelog",
                connection_id,
                nonce: &nonce,
                capabilities: Capabilities::OFFERED,
                charset,
                status: StatusFlags::AUTOCOMMIT,
                plugin,
            }
            .write(out);
        });
        let read: HandshakePacket<'_> = ParseBuf(&packet).parse(()).unwrap();
        prop_assert_eq!(read.server_version_parsed(), Some((8, 0, 44)));
        prop_assert_eq!(read.connection_id(), connection_id);
        prop_assert_eq!(read.nonce(), nonce.bytes());
        prop_assert_eq!(read.capabilities().bits(), Capabilities::OFFERED.bits());
        prop_assert_eq!(read.default_collation(), charset);
        prop_assert_eq!(read.auth_plugin_name_ref(), Some(plugin.name().as_bytes()));
    }

    #[test]
    fn they_read_our_exchange(nonce in nonces(), data in bytes(60)) {
        let packet = payload(|out| write_auth_switch(out, Plugin::Native, &nonce));
        let read: AuthSwitchRequest<'_> = ParseBuf(&packet).parse(()).unwrap();
        prop_assert_eq!(read.auth_plugin(), AuthPlugin::MysqlNativePassword);
        prop_assert_eq!(read.plugin_data(), nonce.bytes());
        let packet = payload(|out| write_auth_more_data(out, &data));
        let read: AuthMoreData<'_> = ParseBuf(&packet).parse(()).unwrap();
        prop_assert_eq!(read.data(), &data[..]);
    }

    #[test]
    fn we_read_their_response(
        user in "[a-z]{0,300}", scramble in bytes(300), database in proptest::option::of("[a-z]{1,64}"),
        attributes in proptest::option::of(proptest::collection::hash_map("[a-z_]{1,20}", ".{0,100}", 0..5)),
        lenenc: bool, packet_size_max: u32,
    ) {
        let mut capabilities = Capabilities::PROTOCOL_41 | Capabilities::SECURE_CONNECTION;
        let mut scramble = scramble;
        if lenenc {
            capabilities = capabilities | Capabilities::PLUGIN_AUTH_LENENC;
        } else {
            scramble.truncate(255);
        }
        let response = TheirResponse::new(
            Some(scramble.clone()), (8, 0, 0), Some(user.clone().into_bytes()),
            database.clone().map(String::into_bytes), Some(AuthPlugin::CachingSha2Password),
            theirs(capabilities), attributes.clone(), packet_size_max,
        );
        let mut packet = Vec::new();
        response.serialize(&mut packet);
        let Ok(ClientHello::Response(read)) = ClientHello::parse(&packet, Capabilities::OFFERED) else {
            panic!("a response")
        };
        prop_assert_eq!(read.user, user.as_bytes());
        prop_assert_eq!(read.auth_response, &scramble[..]);
        prop_assert_eq!(read.database, database.as_deref().map(str::as_bytes));
        prop_assert_eq!(read.plugin, Some(b"caching_sha2_password".as_slice()));
        prop_assert_eq!(read.packet_size_max, packet_size_max);
        let wanted = attributes.unwrap_or_default();
        let found: HashMap<String, String> = read.attributes.iter()
            .map(|(name, value)| {
                (String::from_utf8_lossy(name).into_owned(), String::from_utf8_lossy(value).into_owned())
            })
            .collect();
        prop_assert_eq!(found, wanted);
    }

    #[test]
    fn we_read_their_change_of_user(user in "[a-z]{0,64}", database in "[a-z]{0,64}", scramble in bytes(255)) {
        let more = ComChangeUserMoreData::new(45)
            .with_auth_plugin(Some(AuthPlugin::MysqlNativePassword))
            .with_connect_attributes(Some(HashMap::from([("a".to_owned(), "b".to_owned())])));
        let change = ComChangeUser::new()
            .with_user(Some(user.clone().into_bytes()))
            .with_database(Some(database.clone().into_bytes()))
            .with_auth_plugin_data(Some(scramble.clone()))
            .with_more_data(Some(more));
        let mut packet = Vec::new();
        change.serialize(&mut packet);
        let Ok(Command::ChangeUser(read)) = Command::parse(&packet, Capabilities::OFFERED) else {
            panic!("COM_CHANGE_USER")
        };
        prop_assert_eq!(read.user, user.as_bytes());
        prop_assert_eq!(read.database.unwrap_or_default(), database.as_bytes());
        prop_assert_eq!(read.auth_response, &scramble[..]);
        prop_assert_eq!((read.charset, read.plugin), (Some(45), Some(b"mysql_native_password".as_slice())));
        prop_assert_eq!(read.attributes.get(b"a"), Some(b"b".as_slice()));
    }

    #[test]
    fn they_read_our_ok(
        affected_rows: u64, last_insert_id: u64, warnings: u16, info in "[a-z :]{0,300}",
        schema in "[a-z]{0,300}", value in "[a-z]{0,70000}",
    ) {
        let mut changes = SessionChanges::default();
        changes.schema(schema.as_bytes());
        changes.system_variable(b"sql_mode", value.as_bytes());
        changes.gtids(b"6a69d1c8-e5ee-11f1-9079-02fc00000001:1-5");
        changes.transaction_state(*b"T_______");
        changes.transaction_characteristics(b"START TRANSACTION;");
        changes.state_changed();
        let status = StatusFlags::AUTOCOMMIT;
        let ok =
            OkPacket { affected_rows, last_insert_id, status, warnings, info: &info, changes: Some(&changes) };
        for (capabilities, tracked) in [(TRACKING, true), (Capabilities::PROTOCOL_41, false)] {
            let packet = payload(|out| ok.write(out, capabilities));
            let read = ParseBuf(&packet).parse::<OkPacketDeserializer<'_, CommonOkPacket>>(theirs(capabilities));
            let read = read.unwrap().into_inner();
            prop_assert_eq!(read.affected_rows(), affected_rows);
            prop_assert_eq!(read.last_insert_id().unwrap_or_default(), last_insert_id);
            prop_assert_eq!(read.warnings(), warnings);
            prop_assert_eq!(read.info_str().unwrap_or_default(), info.as_str());
            let found = read.session_state_info().unwrap();
            prop_assert_eq!(found.len(), if tracked { 6 } else { 0 });
            if tracked {
                let SessionStateChange::Schema(found_schema) = found[0].decode().unwrap() else { panic!("a schema") };
                prop_assert_eq!(found_schema.as_bytes(), schema.as_bytes());
                let SessionStateChange::SystemVariables(variables) = found[1].decode().unwrap() else {
                    panic!("variables")
                };
                prop_assert_eq!(variables[0].value_bytes(), value.as_bytes());
            }
        }
    }

    #[test]
    fn they_read_our_ends_and_errors(warnings: u16, code: u16, message in "[a-zA-Z' ]{0,500}") {
        let status = StatusFlags::AUTOCOMMIT | StatusFlags::MORE_RESULTS_EXISTS;
        let packet = payload(|out| write_eof(out, status, warnings));
        let read = ParseBuf(&packet).parse::<OkPacketDeserializer<'_, OldEofPacket>>(CapabilityFlags::empty());
        let read = read.unwrap().into_inner();
        prop_assert_eq!((read.warnings(), read.status_flags().bits()), (warnings, status.bits()));
        let packet = payload(|out| write_rows_end(out, TRACKING, status, warnings));
        let read = ParseBuf(&packet).parse::<OkPacketDeserializer<'_, ResultSetTerminator>>(theirs(TRACKING));
        let read = read.unwrap().into_inner();
        prop_assert_eq!((read.warnings(), read.status_flags().bits()), (warnings, status.bits()));

        let packet = payload(|out| ErrPacket { code, sqlstate: "42S02", message: &message }.write(out, TRACKING));
        // Their reader takes 0xFFFF for a progress report of MariaDB's.
        prop_assume!(code != u16::MAX);
        let read: TheirErr<'_> = ParseBuf(&packet).parse(theirs(TRACKING)).unwrap();
        let read = read.server_error();
        prop_assert_eq!(read.error_code(), code);
        prop_assert_eq!(read.message_str(), message.as_str());
        prop_assert_eq!(read.sql_state_ref().unwrap().as_str(), "42S02");
    }

    #[test]
    fn they_read_our_columns(
        schema in "\\PC{0,64}", table in "\\PC{0,64}", name in "\\PC{0,300}", charset: u16, length: u32,
        decimals: u8, flags in 0..0x8000_u16,
    ) {
        let column = ColumnDef {
            schema: &schema, table: &table, org_table: "t", name: &name, org_name: "n", charset, length,
            column_type: ColumnType::NewDecimal, flags: ColumnFlags::from_bits(flags), decimals,
        };
        let packet = payload(|out| column.write(out));
        let read: Column = ParseBuf(&packet).parse(()).unwrap();
        prop_assert_eq!(read.schema_str(), schema.as_str());
        prop_assert_eq!(read.table_str(), table.as_str());
        prop_assert_eq!(read.name_str(), name.as_str());
        prop_assert_eq!((read.org_table_str(), read.org_name_str()), ("t".into(), "n".into()));
        prop_assert_eq!((read.character_set(), read.column_length(), read.decimals()), (charset, length, decimals));
        prop_assert_eq!(read.flags().bits(), flags);
    }

    #[test]
    fn they_read_our_prepared_statements(statement_id: u32, columns: u16, params: u16, warnings: u16) {
        let packet = payload(|out| PrepareOk { statement_id, columns, params, warnings }.write(out));
        let read: StmtPacket = ParseBuf(&packet).parse(()).unwrap();
        prop_assert_eq!((read.statement_id(), read.num_columns(), read.num_params()), (statement_id, columns, params));
        prop_assert_eq!(read.warning_count(), warnings);
    }

    #[test]
    fn they_read_our_text_rows(row in proptest::collection::vec(proptest::option::of(bytes(400)), 1..40)) {
        let packet = payload(|out| {
            let mut ours = TextRow::begin(out);
            for value in &row {
                match value {
                    Some(bytes) => ours.bytes(bytes),
                    None => ours.null(),
                }
            }
            ours.end();
        });
        let columns = their_columns(&vec![ColumnType::Blob; row.len()]);
        let read = ParseBuf(&packet).parse::<RowDeserializer<(), Text>>(columns).unwrap().into_inner().unwrap();
        let expected: Vec<Value> = row.into_iter().map(|value| value.map_or(Value::NULL, Value::Bytes)).collect();
        prop_assert_eq!(read, expected);
    }

    #[test]
    fn they_read_our_binary_rows(row in proptest::collection::vec(values(), 1..40)) {
        let packet = payload(|out| {
            let mut ours = BinaryRow::begin(out, row.len());
            for (column_type, value) in &row {
                put_binary(&mut ours, *column_type, value);
            }
            ours.end();
        });
        let types: Vec<ColumnType> = row.iter().map(|(column_type, _)| *column_type).collect();
        let read = ParseBuf(&packet)
            .parse::<RowDeserializer<ServerSide, Binary>>(their_columns(&types))
            .unwrap()
            .into_inner()
            .unwrap();
        let expected: Vec<Value> = row.into_iter().map(|(_, value)| value).collect();
        prop_assert_eq!(read, expected);
    }

    #[test]
    fn we_read_their_executions(row in proptest::collection::vec(values(), 1..40), statement_id: u32) {
        let expected: Vec<Value> = row.into_iter().map(|(_, value)| value).collect();
        let mut packet = Vec::new();
        ComStmtExecuteRequestBuilder::new(statement_id).build(&expected).0.serialize(&mut packet);
        let Ok(Command::StmtExecute(execute)) = Command::parse(&packet, Capabilities::OFFERED) else {
            panic!("COM_STMT_EXECUTE")
        };
        prop_assert_eq!(execute.statement_id, statement_id);
        let count = u16::try_from(expected.len()).unwrap();
        let mut types = ParamTypes::new();
        let read: Result<Vec<Param<'_>>, _> = execute.params(count, &mut types, &[]).unwrap().collect();
        let read: Vec<Value> = read.unwrap().into_iter().map(as_theirs).collect();
        prop_assert_eq!(read, expected);
    }
}

#[test]
fn their_codec_reads_our_chunks_and_we_read_theirs() {
    for size in [0, 1, CHUNK_SIZE_MAX - 1, CHUNK_SIZE_MAX, CHUNK_SIZE_MAX + 1, 2 * CHUNK_SIZE_MAX, 32 << 20] {
        let payload: Vec<u8> = (0..size).map(|at| (at ^ (at >> 9)).to_le_bytes()[0]).collect();
        let mut out = PacketWriter::new();
        out.packet(&payload);
        let mut framed = MySyncFramed::new(Cursor::new(out.bytes().to_vec()));
        framed.codec_mut().max_allowed_packet = 1 << 30;
        let mut read = Vec::new();
        assert!(framed.next_packet(&mut read).unwrap());
        assert!(read == payload, "size {size}");

        let mut framed = MySyncFramed::new(Vec::new());
        framed.codec_mut().max_allowed_packet = 1 << 30;
        framed.send(&mut &payload[..]).unwrap();
        let stream = framed.destruct().3;
        assert!(stream == out.bytes(), "size {size}");
        let mut reader = PacketReader::new(1 << 30);
        let mut rest = &stream[..];
        while !rest.is_empty() {
            let spare = reader.spare();
            let count = spare.len().min(rest.len());
            spare[..count].copy_from_slice(&rest[..count]);
            reader.filled(count);
            rest = &rest[count..];
            let packet = reader.next_packet().unwrap();
            assert_eq!(packet.is_some(), rest.is_empty());
            assert!(packet.is_none_or(|packet| packet == payload), "size {size}");
        }
    }
}
