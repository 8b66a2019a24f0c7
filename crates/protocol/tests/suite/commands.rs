//! Purpose: every command that clients send is understood, parameters of every type included.
//!
//! Requirements: the commands of the list in `protocol::command`; text and attributes; parameters with new and
//! with remembered types, NULLs, long data and attributes beside them; bytes that follow are ignored; unknown
//! commands are error 1047 and broken ones 1835, and the connection goes on.
//!
//! Method: commands recorded from PyMySQL, Oracle's tools, Connector/Python and MySQL's replicas; commands that
//! nobody sends any more are built from the documentation.

use crate::tools::{SESSIONS, Side, part, session};
use protocol::command::{Command, Execute, Param, ParamTypes};
use protocol::value::{DateTime, TimeSpan};
use protocol::wire::{Capabilities, ColumnType};
use protocol::{Error, Result};

const PLAIN: Capabilities = Capabilities::OFFERED;
const WITH_ATTRIBUTES: Capabilities = Capabilities::OFFERED.union(Capabilities::QUERY_ATTRIBUTES);

fn parse(payload: &[u8]) -> Command<'_> {
    Command::parse(payload, PLAIN).expect("a command")
}

fn execute(payload: &[u8], capabilities: Capabilities) -> Execute<'_> {
    match Command::parse(payload, capabilities).expect("a command") {
        Command::StmtExecute(execute) => execute,
        other => panic!("{other:?}"),
    }
}

#[test]
fn commands_without_arguments() {
    let session = part("mysqladmin", "ping");
    assert!(matches!(parse(&session.commands(0x0E)[0]), Command::Ping));
    assert!(matches!(parse(&session.commands(0x01)[0]), Command::Quit));
    assert!(matches!(parse(&part("mysqladmin", "status").commands(0x09)[0]), Command::Statistics));
    assert!(matches!(parse(&part("mysqladmin", "debug").commands(0x0D)[0]), Command::Debug));
    assert!(matches!(parse(&part("connector_python", "reset").commands(0x1F)[0]), Command::ResetConnection));
    assert!(matches!(parse(b"\x0A"), Command::ProcessInfo));
}

#[test]
fn commands_with_simple_arguments() {
    assert!(matches!(parse(&part("pymysql_text", "init_db").commands(2)[0]), Command::InitDb(b"wire")));
    let recorded = part("pymysql_text", "field_list").commands(4);
    let Command::FieldList { table, wildcard } = parse(&recorded[0]) else { panic!("COM_FIELD_LIST") };
    assert_eq!((table, wildcard), (b"t".as_slice(), b"%".as_slice()));
    assert!(matches!(parse(b"\x07\x02"), Command::Refresh(2)));
    assert!(matches!(parse(b"\x0C\x01\x02\0\0"), Command::ProcessKill(0x201)));
    assert!(matches!(
        parse(&part("prepared_eof", "set_option").commands(0x1B)[0]),
        Command::SetOption { multi_statements: true }
    ));
    assert!(matches!(parse(b"\x1B\x01\0"), Command::SetOption { multi_statements: false }));
    assert!(Command::parse(b"\x1B\x02\0", PLAIN).is_err());
}

#[test]
fn queries_with_and_without_attributes() {
    let recorded = &part("pymysql_text", "select_1").commands(3)[0];
    let Command::Query(query) = parse(recorded) else { panic!("COM_QUERY") };
    assert_eq!((query.sql, query.attributes.is_empty()), (b"select 1".as_slice(), true));

    let recorded = &part("mysql_cli", "session root").commands(3)[2];
    let Ok(Command::Query(query)) = Command::parse(recorded, WITH_ATTRIBUTES) else { panic!("COM_QUERY") };
    assert_eq!((query.sql, query.attributes.len()), (b"select 1".as_slice(), 0));

    let recorded = &part("connector_python", "query_attributes").commands(3)[0];
    let Ok(Command::Query(query)) = Command::parse(recorded, WITH_ATTRIBUTES) else { panic!("COM_QUERY") };
    assert_eq!(query.sql, b"select 'sql'");
    let attributes: Vec<_> = query.attributes.iter().collect();
    let text = Param::Bytes { bytes: b"abc", column_type: ColumnType::String };
    assert_eq!(attributes[0], (b"trace".as_slice(), text));
    assert_eq!(attributes[1], (b"number".as_slice(), Param::UInt(77)));
    assert_eq!(attributes.len(), 2);
}

#[test]
fn an_attribute_may_be_null_and_the_sql_begins_behind_the_values() {
    let payload = b"\x03\x02\x01\x01\x01\xfd\0\x01a\x08\0\x01b\x07\0\0\0\0\0\0\0SELECT";
    let Ok(Command::Query(query)) = Command::parse(payload, WITH_ATTRIBUTES) else { panic!("COM_QUERY") };
    assert_eq!(query.sql, b"SELECT");
    let values: Vec<_> = query.attributes.iter().map(|(_, value)| value).collect();
    assert_eq!(values, [Param::Null, Param::Int(7)]);
}

#[test]
fn broken_attributes_are_malformed() {
    for broken in [
        b"\x03".as_slice(),
        b"\x03\x00",
        b"\x03\x00\x02SELECT",
        b"\x03\x01\x01",
        b"\x03\x01\x01\x00\x00",
        b"\x03\x01\x01\x00\x01\xfd",
        b"\x03\x01\x01\x00\x01\x0E\0\0",
        b"\x03\x01\x01\x00\x01\xfd\0\x01a\x09abc",
        b"\x03\xfe\xff\xff\xff\xff\xff\xff\xff\xff\x01SELECT",
    ] {
        let parsed = Command::parse(broken, WITH_ATTRIBUTES);
        assert!(matches!(parsed, Err(Error::Malformed("COM_QUERY"))), "{broken:x?}: {parsed:?}");
    }
}

#[test]
fn every_recorded_command_is_known() {
    let mut seen = std::collections::BTreeMap::<u8, usize>::new();
    for (name, text) in SESSIONS {
        let attributes =
            ["connector_python", "mysql_cli", "mysqladmin", "mysqlbinlog", "replica"].contains(&name);
        let capabilities = if attributes { WITH_ATTRIBUTES } else { PLAIN };
        for part in session(text) {
            for (side, packet) in &part.packets {
                // Commands and acknowledgements have sequence number 0; what answers the server does not.
                if *side == Side::Server || packet[3] != 0 || packet[4] == 0xEF {
                    continue;
                }
                let parsed = Command::parse(&packet[4..], capabilities);
                if packet[4] == 0x7F {
                    assert_eq!(parsed.map(|_| ()), Err(Error::UnknownCommand(0x7F)));
                    continue;
                }
                parsed.unwrap_or_else(|error| panic!("{name}, {}: {error:?}", part.label));
                *seen.entry(packet[4]).or_default() += 1;
            }
        }
    }
    let codes: Vec<u8> = seen.keys().copied().collect();
    assert_eq!(
        codes,
        [1, 2, 3, 4, 9, 0x0D, 0x0E, 0x11, 0x12, 0x15, 0x16, 0x17, 0x18, 0x19, 0x1A, 0x1B, 0x1C, 0x1E, 0x1F]
    );
}

#[test]
fn unknown_and_empty_commands_are_refused_and_the_connection_goes_on() {
    // COM_SLEEP, COM_CREATE_DB, COM_SHUTDOWN, COM_CONNECT, COM_TIME, COM_DAEMON, COM_CLONE and beyond.
    for code in [0x00, 0x05, 0x06, 0x08, 0x0B, 0x0F, 0x10, 0x13, 0x14, 0x1D, 0x20, 0x21, 0xFA, 0xFF] {
        let error = Command::parse(&[code, 1, 2, 3], PLAIN).unwrap_err();
        assert_eq!(error, Error::UnknownCommand(code));
        assert_eq!((error.code(), error.sqlstate(), error.is_fatal()), (1047, "08S01", false));
        assert_eq!(error.to_string(), "Unknown command");
    }
    let error = Command::parse(b"", PLAIN).unwrap_err();
    assert_eq!((error.code(), error.sqlstate(), error.is_fatal()), (1835, "HY000", false));
    assert_eq!(error.to_string(), "Malformed communication packet.");
}

#[test]
fn commands_that_end_early_are_malformed() {
    for short in [
        b"\x04t".as_slice(),
        b"\x07",
        b"\x0C\x01\x02\x03",
        b"\x11joe",
        b"\x12\0\0\0\0\0\0\0\0\0",
        b"\x15\0\0\0\0\x05abc",
        b"\x17\x01\0\0\0\0\x01\0\0",
        b"\x18\x01\0\0\0\0",
        b"\x19\x01\0\0",
        b"\x1A\x01",
        b"\x1B\x00",
        b"\x1C\x01\0\0\0\x01\0\0",
        b"\x1E\0\0\0\0\0\0\x09\0\0\0binlog",
    ] {
        assert!(matches!(Command::parse(short, PLAIN), Err(Error::Malformed(_))), "{short:x?}");
    }
}

#[test]
fn a_change_of_user_as_connector_python_sends_it() {
    let recorded = &part("connector_python", "change_user").commands(0x11)[0];
    let Ok(Command::ChangeUser(change)) = Command::parse(recorded, WITH_ATTRIBUTES) else {
        panic!("CHANGE_USER")
    };
    assert_eq!((change.user, change.database), (b"sha_word".as_slice(), Some(b"wire".as_slice())));
    assert_eq!(change.auth_response.len(), 32);
    assert_eq!(change.charset, Some(255));
    assert_eq!(change.plugin, Some(b"caching_sha2_password".as_slice()));
    assert_eq!(change.attributes.get(b"_client_name"), Some(b"mysql-connector-python".as_slice()));
}

#[test]
fn a_change_of_user_may_end_behind_the_database() {
    let Command::ChangeUser(change) = parse(b"\x11joe\0\0\0") else { panic!("COM_CHANGE_USER") };
    assert_eq!((change.user, change.database, change.charset), (b"joe".as_slice(), None, None));
    assert_eq!(change.plugin, None);
}

#[test]
fn statements_are_prepared_filled_fetched_reset_and_closed() {
    let recorded = part("prepared_eof", "prepare_none").commands(0x16);
    let Command::StmtPrepare(sql) = parse(&recorded[0]) else { panic!("COM_STMT_PREPARE") };
    assert_eq!(sql, b"begin");
    let long_data = &part("prepared_eof", "long_data").commands(0x18)[0];
    let Command::StmtSendLongData { statement_id, param, data } = parse(long_data) else {
        panic!("COM_STMT_SEND_LONG_DATA")
    };
    assert_eq!((statement_id, param, data), (2, 0, b"long".as_slice()));
    let fetch = &part("prepared_eof", "fetch_end").commands(0x1C)[0];
    assert!(matches!(parse(fetch), Command::StmtFetch { statement_id: 1, rows: 5 }));
    assert!(matches!(parse(&part("prepared_eof", "reset_stmt").commands(0x1A)[0]), Command::StmtReset(2)));
    assert!(matches!(parse(&part("prepared_eof", "close").commands(0x19)[0]), Command::StmtClose(2)));
}

#[test]
fn parameters_of_every_kind_as_connector_python_sends_them() {
    let recorded = &part("connector_python", "execute_params").commands(0x17)[0];
    let execute = execute(recorded, WITH_ATTRIBUTES);
    assert_eq!((execute.statement_id, execute.wants_cursor()), (1, false));
    let mut types = ParamTypes::new();
    let params: Result<Vec<_>> = execute.params(11, &mut types, &[]).unwrap().collect();
    let string = |bytes| Param::Bytes { bytes, column_type: ColumnType::String };
    let moment = DateTime { hour: 12, minute: 34, second: 56, micros: 789, ..DateTime::date(2024, 2, 29) };
    // -26:01:00 as this connector encodes it: the days alone are negative.
    let span = TimeSpan { negative: true, days: 2, hours: 21, minutes: 59, ..TimeSpan::default() };
    assert_eq!(
        params.unwrap(),
        [
            Param::UInt(1),
            Param::Int(-1),
            Param::UInt(1 << 63),
            Param::Double(1.5),
            string(b"text"),
            string(b"bytes"),
            Param::Null,
            Param::Date { value: DateTime::date(2024, 2, 29), column_type: ColumnType::Date },
            Param::Date { value: moment, column_type: ColumnType::DateTime },
            Param::Time(span),
            Param::Bytes { bytes: b"-1.25", column_type: ColumnType::Decimal },
        ]
    );
    assert_eq!(types.len(), 11);
}

#[test]
fn long_data_takes_the_place_of_a_value() {
    let recorded = &part("connector_python", "long_data").commands(0x17)[0];
    let execute = execute(recorded, WITH_ATTRIBUTES);
    let mut types = ParamTypes::new();
    let params: Result<Vec<_>> = execute.params(2, &mut types, &[0]).unwrap().collect();
    assert_eq!(params.unwrap(), [Param::LongData(ColumnType::Blob), Param::UInt(5)]);
}

#[test]
fn attributes_of_an_execution_are_skipped() {
    let recorded = &part("connector_python", "execute_attributes").commands(0x17)[0];
    let execute = execute(recorded, WITH_ATTRIBUTES);
    let mut types = ParamTypes::new();
    let params: Result<Vec<_>> = execute.params(1, &mut types, &[]).unwrap().collect();
    assert_eq!(params.unwrap(), [Param::UInt(9)]);
    assert_eq!(types.len(), 1, "only the statement's own types are remembered");
}

#[test]
fn types_are_forgotten_if_that_of_an_attribute_is_wrong() {
    let mut types = ParamTypes::new();
    let mut count = |body: &[u8]| {
        let payload = with_body(body);
        let params = execute(&payload, WITH_ATTRIBUTES).params(1, &mut types, &[]);
        params.map(Iterator::count)
    };
    assert_eq!(count(b"\x02\x00\x01\x01\x00\x00\xFD\x00\x01a\x07\x01b"), Ok(1));
    assert_eq!(count(b"\x02\x00\x00\x07\x01b"), Ok(1), "they are remembered");
    assert!(count(b"\x02\x00\x01\x01\x00\x00\x0E\x00\x01a\x07\x01b").is_err());
    assert_eq!(count(b"\x02\x00\x00\x07\x01b"), Err(Error::UnboundParameters));
}

#[test]
fn a_cursor_is_asked_for() {
    let recorded = &part("prepared_no_eof", "execute_cursor").commands(0x17)[0];
    assert!(execute(recorded, PLAIN).wants_cursor());
}

/// An execution of statement 1 with this body.
fn with_body(body: &[u8]) -> Vec<u8> {
    let mut payload = b"\x17\x01\0\0\0\0\x01\0\0\0".to_vec();
    payload.extend(body);
    payload
}

/// The parameters of an execution of two.
fn two_params(body: &[u8], types: &mut ParamTypes) -> Result<Vec<Param<'static>>> {
    let payload: &'static [u8] = with_body(body).leak();
    execute(payload, PLAIN).params(2, types, &[])?.collect()
}

#[test]
fn types_are_remembered_until_new_ones_come() {
    let mut types = ParamTypes::new();
    assert_eq!(two_params(b"\x00\x00\x01\x02", &mut types), Err(Error::UnboundParameters));
    assert_eq!(Error::UnboundParameters.code(), 1210);
    assert_eq!(
        two_params(b"\x00\x01\x01\x00\x02\x80\xFE\x02\x01", &mut types),
        Ok(vec![Param::Int(-2), Param::UInt(0x102)])
    );
    assert_eq!(two_params(b"\x02\x00\x07", &mut types), Ok(vec![Param::Int(7), Param::Null]));
    assert_eq!(
        two_params(b"\x00\x01\xFF\x00\x0E\x00", &mut types),
        Err(Error::Malformed("COM_STMT_EXECUTE"))
    );
    assert_eq!(
        two_params(b"\x02\x00\x07", &mut types),
        Err(Error::UnboundParameters),
        "half of them are none"
    );
}

#[test]
fn every_fixed_type_is_read() {
    for (number, bytes, expected) in [
        (0x01_u8, b"\x80".as_slice(), Param::Int(-128)),
        (0x02, b"\x00\x80", Param::Int(-32_768)),
        (0x0D, b"\xE8\x07", Param::Int(2024)),
        (0x03, b"\xFF\xFF\xFF\xFF", Param::Int(-1)),
        (0x09, b"\x01\x00\x00\x00", Param::Int(1)),
        (0x08, b"\0\0\0\0\0\0\0\x80", Param::Int(i64::MIN)),
        (0x04, b"\0\0\xC0\x3F", Param::Float(1.5)),
        (0x05, b"\0\0\0\0\0\0\xF8\x3F", Param::Double(1.5)),
        (0x06, b"", Param::Null),
        (0x07, b"\x00", Param::Date { value: DateTime::default(), column_type: ColumnType::Timestamp }),
        (0x0B, b"\x00", Param::Time(TimeSpan::default())),
        (0x0C, b"\x04\xE8\x07\x02\x1D", {
            Param::Date { value: DateTime::date(2024, 2, 29), column_type: ColumnType::DateTime }
        }),
        (0xF5, b"\x02{}", Param::Bytes { bytes: b"{}", column_type: ColumnType::Json }),
        (0x10, b"\x01\x01", Param::Bytes { bytes: b"\x01", column_type: ColumnType::Bit }),
        (0xF6, b"\x031.5", Param::Bytes { bytes: b"1.5", column_type: ColumnType::NewDecimal }),
    ] {
        let mut body = vec![0, 1, number, 0];
        body.extend(bytes);
        let payload = with_body(&body);
        let mut types = ParamTypes::new();
        let values: Result<Vec<_>> = execute(&payload, PLAIN).params(1, &mut types, &[]).unwrap().collect();
        assert_eq!(values.unwrap(), [expected], "type {number:#x}");
        let cut = with_body(&body[..body.len() - 1]);
        if !bytes.is_empty() {
            let mut values = execute(&cut, PLAIN).params(1, &mut types, &[]).unwrap();
            assert!(matches!(values.next(), Some(Err(Error::Malformed(_)))), "type {number:#x}");
            assert!(values.next().is_none(), "nothing follows an error");
        }
    }
}

#[test]
fn impossible_dates_and_times_are_malformed() {
    for (number, bytes) in [
        (0x0C_u8, b"\x03\xE8\x07\x02".as_slice()),
        (0x0C, b"\x05\xE8\x07\x02\x1D\x00"),
        (0x0C, b"\x04\x10\x27\x02\x1D"),
        (0x0C, b"\x04\xE8\x07\x0D\x1D"),
        (0x0C, b"\x04\xE8\x07\x0C\x20"),
        (0x0C, b"\x07\xE8\x07\x0C\x1F\x18\x00\x00"),
        (0x0C, b"\x07\xE8\x07\x0C\x1F\x17\x3C\x00"),
        (0x0C, b"\x07\xE8\x07\x0C\x1F\x17\x00\x3C"),
        (0x0C, b"\x0B\xE8\x07\x0C\x1F\x17\x00\x00\x40\x42\x0F\x00"),
        (0x0B, b"\x07\x00\x00\x00\x00\x00\x00\x00"),
        (0x0B, b"\x08\x00\x00\x00\x00\x00\x18\x00\x00"),
        (0x0B, b"\x0C\x00\x00\x00\x00\x00\x00\x00\x00\x40\x42\x0F\x00"),
    ] {
        let mut body = vec![0, 1, number, 0];
        body.extend(bytes);
        let payload = with_body(&body);
        let mut types = ParamTypes::new();
        let first = execute(&payload, PLAIN).params(1, &mut types, &[]).unwrap().next();
        assert_eq!(first, Some(Err(Error::Malformed("COM_STMT_EXECUTE"))), "{bytes:x?}");
    }
}

#[test]
fn what_follows_the_last_value_is_ignored() {
    let mut types = ParamTypes::new();
    assert_eq!(
        two_params(b"\x00\x01\x01\x00\x01\x00\x01\x02GARBAGE", &mut types),
        Ok(vec![Param::Int(1), Param::Int(2)])
    );
    let payload = with_body(b"garbage of a statement without parameters");
    assert_eq!(execute(&payload, PLAIN).params(0, &mut types, &[]).unwrap().count(), 0);
    assert!(matches!(parse(b"\x19\x01\0\0\0garbage"), Command::StmtClose(1)));
    assert!(matches!(parse(b"\x0Egarbage"), Command::Ping));
}

#[test]
fn fewer_parameters_than_the_statement_has_are_malformed() {
    let mut types = ParamTypes::new();
    let payload = with_body(b"\x01\x00\x01\x01\x00\x00\x07");
    let error = execute(&payload, WITH_ATTRIBUTES).params(2, &mut types, &[]).map(|_| ()).unwrap_err();
    assert_eq!(error, Error::Malformed("COM_STMT_EXECUTE"));
}

#[test]
fn sixty_five_thousand_parameters_are_read() {
    let count = u16::MAX;
    let mut body = vec![0xFF; usize::from(count).div_ceil(8)];
    body.push(1);
    body.extend([8, 0].repeat(usize::from(count)));
    let payload = with_body(&body);
    let mut types = ParamTypes::new();
    let params = execute(&payload, PLAIN).params(count, &mut types, &[]).unwrap();
    assert_eq!(params.filter(|param| *param == Ok(Param::Null)).count(), usize::from(count));
}
