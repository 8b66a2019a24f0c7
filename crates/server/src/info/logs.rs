//! The binlog's files, positions and events.

use std::sync::Arc;

use binlog::decode::Event;
use binlog::{BinlogName, EventHeader, EventReader, EventType, PayloadEvents};
use commit::Pipeline;
use commit::record::BinlogPlace;
use replication::source::Registration;
use sql::parse::Limit;
use types::error::SqlError;
use types::error::table::{ER_ERROR_WHEN_EXECUTING_COMMAND, ER_NO_BINARY_LOGGING};
use vfs::{Open, Vfs};

use super::cell::{Row, row};
use super::look::Look;
use super::server::require_replication_client;
use crate::accounts::Privileges;

type Result<T> = std::result::Result<T, SqlError>;

/// SHOW BINARY LOGS. Error 1381 without a binlog.
pub(super) fn files(look: &Look<'_>) -> Result<Vec<Row>> {
    require_replication_client(look)?;
    let pipeline = &look.shared.pipeline;
    let binlog = pipeline.binlog().ok_or_else(|| ER_NO_BINARY_LOGGING.error(&[]))?;
    let names = binlog.index().names().to_vec();
    let last = pipeline.publisher().binlog_end();
    let row = |name: &BinlogName| {
        // A file that is purged meanwhile shows as empty, as in MySQL.
        let size = match visible_end(last, name) {
            Some(end) => end,
            None => file_size(&*look.shared.vfs, pipeline, name).unwrap_or(0),
        };
        row![name.to_string(), size, "No"]
    };
    Ok(names.iter().map(row).collect())
}

/// SHOW MASTER STATUS; no rows without a binlog.
pub(super) fn position(look: &Look<'_>) -> Result<Vec<Row>> {
    require_replication_client(look)?;
    let Place { gtid_executed, end } = place(look);
    Ok(end.map(|(file, position)| row![file, position, "", "", gtid_executed]).into_iter().collect())
}

/// `mysql.gtid_executed`: all that is executed, where MySQL's lacks what the last binlog file has. Error 1142.
pub(super) fn executed(look: &Look<'_>) -> Result<Vec<Row>> {
    look.access.on_table(Privileges::SELECT, "mysql", "gtid_executed")?;
    let executed = look.shared.pipeline.publisher().tuple().gtid_executed;
    let rows = executed.sids().flat_map(|(sid, own)| {
        let sid = sid.to_string();
        own.runs().iter().map(move |run| row![&sid, run.start, run.end - 1])
    });
    Ok(rows.collect())
}

/// One moment of the binlog.
pub(super) struct Place {
    /// What is executed.
    pub(super) gtid_executed: String,
    /// Where its events end, file and position, if there is a binlog.
    pub(super) end: Option<(String, u64)>,
}

/// The newest one.
pub(super) fn place(look: &Look<'_>) -> Place {
    let pipeline = &look.shared.pipeline;
    let tuple = pipeline.publisher().tuple();
    let end = pipeline.binlog().zip(tuple.binlog);
    let end = end.map(|(files, end)| (name_of(files.index().names(), end.file), end.position));
    Place { gtid_executed: tuple.gtid_executed.to_string(), end }
}

/// SHOW REPLICAS: those who have registered.
pub(super) fn replicas(look: &Look<'_>) -> Result<Vec<Row>> {
    look.access.require(Privileges::REPLICATION_SLAVE, "", "REPLICATION SLAVE")?;
    let source = u64::from(look.shared.server_id);
    let row = |replica: Registration| {
        row![u64::from(replica.server_id), replica.host, u64::from(replica.port), source, replica.uuid]
    };
    Ok(look.shared.common.replicas.registered().into_iter().map(row).collect())
}

/// The name of a file of this number: the index may not list it yet.
fn name_of(names: &[BinlogName], number: u32) -> String {
    let base = names.first().map_or("binlog", BinlogName::base);
    BinlogName::new(base, number.into()).to_string()
}

/// How far the last file may be read: what comes behind is not durable yet.
fn visible_end(last: Option<BinlogPlace>, name: &BinlogName) -> Option<u64> {
    let end = last?;
    (name.number() == u64::from(end.file)).then_some(end.position)
}

fn file_size(vfs: &dyn Vfs, pipeline: &Pipeline, name: &BinlogName) -> Option<u64> {
    let path = pipeline.binlog()?.path_of(name);
    vfs.open(&path, Open::Read).ok()?.len().ok()
}

/// Bytes of texts that SHOW BINLOG EVENTS collects at most; a file may have more.
const EVENTS_SIZE_MAX: usize = 256 << 20;

/// What a row takes beside the text of its event.
const ROW_SIZE: usize = 256;

/// Which events SHOW BINLOG EVENTS shows.
#[derive(Clone, Debug)]
pub(crate) struct EventsWanted {
    /// IN; the first file without it.
    pub(crate) log: Option<String>,
    /// FROM.
    pub(crate) position: Option<u64>,
    /// LIMIT.
    pub(crate) limit: Limit,
}

/// Error 1227 unless the session may see events.
pub(crate) fn permit_events(look: &Look<'_>) -> Result<()> {
    let wanted = Privileges::REPLICATION_SLAVE;
    look.access.require(wanted, "", "REPLICATION SLAVE")
}

/// SHOW BINLOG EVENTS. Reads the log, from memory what was logged last, else from the file: not on a thread that others wait for. Asks for
/// each event whether it `goes_on`. Error 1220.
pub(crate) fn events(
    pipeline: &Arc<Pipeline>,
    wanted: &EventsWanted,
    goes_on: impl Fn() -> Result<()>,
) -> Result<Vec<Row>> {
    let Some(files) = pipeline.binlog() else { return Ok(Vec::new()) };
    let names = files.index().names().to_vec();
    let name = match &wanted.log {
        Some(log) => names.iter().find(|name| name.to_string() == *log),
        None => names.first(),
    };
    let name = name.ok_or_else(|| failed("Could not find target log"))?;
    let broken = |_| failed(BROKEN);
    let end = visible_end(pipeline.publisher().binlog_end(), name);
    let file = files.open(name).map_err(|_| failed("Could not find target log"))?;
    let start = wanted.position.unwrap_or(0).max(binlog::reader::FIRST_EVENT);
    let mut reader = EventReader::open(file).map_err(broken)?;
    reader.set_limit(end.unwrap_or(u64::MAX));
    let mut shown =
        EventRows { name: name.to_string(), limit: wanted.limit, passed: 0, size: 0, rows: Vec::new() };
    while !shown.are_all() {
        goes_on()?;
        let Some(event) = reader.next_event().map_err(broken)? else { break };
        if event.position < start {
            continue;
        }
        shown.add(&event.header, (event.position, event.end()), &event.decode().map_err(broken)?)?;
        if event.header.event_type == EventType::TRANSACTION_PAYLOAD {
            let end = event.end();
            let Some(mut events) = PayloadEvents::open(event.body.to_vec()).map_err(broken)? else {
                continue;
            };
            while let Some(bytes) = events.next_event().map_err(broken)?.filter(|_| !shown.are_all()) {
                goes_on()?;
                let (header, body) = bytes.split_first_chunk().ok_or_else(|| failed(BROKEN))?;
                let header = EventHeader::from_bytes(header);
                let inner = Event::decode(&header, body).map_err(|_| failed(BROKEN))?;
                shown.add(&header, (end, end), &inner)?;
            }
        }
    }
    Ok(shown.rows)
}

/// The rows of SHOW BINLOG EVENTS.
struct EventRows {
    name: String,
    limit: Limit,
    /// Events that came by, those within LIMIT's offset first.
    passed: u64,
    /// What the rows take.
    size: usize,
    rows: Vec<Row>,
}

impl EventRows {
    fn are_all(&self) -> bool {
        self.limit.count.is_some_and(|count| self.rows.len() as u64 >= count)
    }

    /// Takes the next event, which stands between two positions.
    fn add(&mut self, header: &EventHeader, (begin, end): (u64, u64), event: &Event<'_>) -> Result<()> {
        self.passed += 1;
        if self.passed <= self.limit.offset {
            return Ok(());
        }
        let info = binlog::show::info(event);
        self.size += ROW_SIZE + info.len();
        if self.size > EVENTS_SIZE_MAX {
            return Err(failed("More events than memory: use LIMIT"));
        }
        self.rows.push(row![self.name.clone(), begin, header.event_type.name(), header.server_id, end, info]);
        Ok(())
    }
}

fn failed(what: &str) -> SqlError {
    ER_ERROR_WHEN_EXECUTING_COMMAND.error(&[&"SHOW BINLOG EVENTS", &what])
}

const BROKEN: &str = "Wrong offset or I/O error";
