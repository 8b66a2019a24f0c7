//! The Info column of SHOW BINLOG EVENTS, in MySQL 8.0's words.

use crate::decode::Event;
use crate::event::{Query, flag, rows_flag};

/// Describes an event in a line. Bytes that are not UTF-8 come out replaced.
pub fn info(event: &Event<'_>) -> String {
    match event {
        Event::FormatDescription(format) => {
            format!("Server ver: {}, Binlog ver: 4", text(format.server_version))
        }
        Event::PreviousGtids(set) => set.to_string(),
        Event::Gtid(event) => match event.gtid {
            Some(gtid) => format!("SET @@SESSION.GTID_NEXT= '{gtid}'"),
            None => "SET @@SESSION.GTID_NEXT= 'ANONYMOUS'".to_owned(),
        },
        Event::Query(query) => query_info(query),
        Event::RowsQuery(rows) => format!("# {}", text(rows.sql)),
        Event::TableMap(map) => {
            format!("table_id: {} ({}.{})", map.table_id, text(map.db), text(map.table))
        }
        Event::Rows(rows) if rows.flags & rows_flag::STMT_END != 0 => {
            format!("table_id: {} flags: STMT_END_F", rows.table_id)
        }
        Event::Rows(rows) => format!("table_id: {}", rows.table_id),
        Event::Xid(xid) => format!("COMMIT /* xid={} */", xid.0),
        Event::XaPrepare(prepare) if prepare.one_phase => format!("XA COMMIT {} ONE PHASE", prepare.name),
        Event::XaPrepare(prepare) => format!("XA PREPARE {}", prepare.name),
        Event::TransactionPayload(head) => format!(
            "compression='{}', decompressed_size={} bytes",
            head.compression().unwrap_or("unknown"),
            head.uncompressed_size()
        ),
        Event::Rotate(rotate) => format!("{};pos={}", text(rotate.file), rotate.position),
        Event::Heartbeat(heartbeat) => text(heartbeat.file),
        Event::Stop | Event::Other(_) => String::new(),
    }
}

fn query_info(query: &Query<'_>) -> String {
    let use_db = if query.flags & flag::SUPPRESS_USE == 0 && !query.db.is_empty() {
        format!("use `{}`; ", text(query.db).replace('`', "``"))
    } else {
        String::new()
    };
    let xid = query.status.ddl_xid.map(|xid| format!(" /* xid={xid} */")).unwrap_or_default();
    format!("{use_db}{}{xid}", text(query.sql))
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
