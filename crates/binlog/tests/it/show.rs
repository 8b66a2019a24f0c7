//! Purpose: SHOW BINLOG EVENTS reads as MySQL's.
//!
//! Requirements: position, type, server id, end position and info of every event of three golden files equal what MySQL
//! 8.0 printed for them.
//!
//! Method: the `.show` files are the output of MySQL's client, tab separated, with its escapes.

use binlog::show::info;

use crate::support::{golden, reader_of};

/// One line for each event, as the client prints it in batch mode.
fn shown(name: &str) -> String {
    let bytes = golden(name);
    let (_, number) = name.rsplit_once('.').unwrap();
    let mut reader = reader_of(&bytes);
    let mut text = "Log_name\tPos\tEvent_type\tServer_id\tEnd_log_pos\tInfo\n".to_owned();
    while let Some(event) = reader.next_event().unwrap() {
        let info =
            info(&event.decode().unwrap()).replace('\\', "\\\\").replace('\n', "\\n").replace('\t', "\\t");
        let header = event.header;
        let line = [
            format!("binlog.{number}"),
            event.position.to_string(),
            header.event_type.name().to_owned(),
            header.server_id.to_string(),
            header.end_log_pos.to_string(),
            info,
        ];
        text += &line.join("\t");
        text += "\n";
    }
    text
}

#[test]
fn events_are_shown_as_by_mysql() {
    for name in ["mysql80-statements.000001", "mysql80-savepoint.000004", "mysql80-metadata.000005"] {
        let (stem, _) = name.rsplit_once('.').unwrap();
        let expected = String::from_utf8(golden(&format!("{stem}.show"))).unwrap();
        for (ours, theirs) in shown(name).lines().zip(expected.lines()) {
            assert_eq!(ours, theirs, "{name}");
        }
        assert_eq!(shown(name).lines().count(), expected.lines().count(), "{name}");
    }
}
