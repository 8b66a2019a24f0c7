//! The replication commands: a replica registers, and asks for the binlog.
//!
//! What it does not say in the command it has said before, in user variables: how artificial events shall end, how often
//! it wants to hear something, and its UUID. MySQL has two names for each, and takes the newer one.

use std::collections::BTreeMap;
use std::time::Duration;

use binlog::gtid::Interval;
use binlog::{ChecksumAlg, GtidSet, Uuid};
use protocol::auth::Verifier;
use protocol::replication::{BinlogDump, BinlogDumpGtid, GtidData, RegisterReplica};
use replication::source::{Begin, Registration, Request, Server};
use types::error::SqlError;
use types::error::table::ER_ACCESS_DENIED_ERROR;
use types::value::Value;

use super::{Client, Wire};
use crate::accounts::Privileges;

type Result<T> = std::result::Result<T, SqlError>;

/// Characters of a UUID as text; what follows is nothing that MySQL would keep.
const UUID_CHARS: usize = 36;

/// A dump that a client may have.
#[derive(Debug)]
pub struct DumpAsked {
    /// From where on, and how.
    pub request: Request,
    /// The server as it is now.
    pub server: Server,
    /// The replica's `server_id`.
    pub server_id: u32,
    /// Its UUID; empty if it has said none.
    pub uuid: String,
    /// Whether it acknowledges: each event tells it whether to.
    pub acknowledges: bool,
    /// How long it may hear nothing.
    pub heartbeat: Option<Duration>,
}

impl Client {
    /// COM_REGISTER_SLAVE.
    pub fn register_replica(&mut self, replica: &RegisterReplica<'_>, now_us: u64, wire: &mut dyn Wire) {
        self.begin_statement(now_us);
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let done = self.permit_registration().map(|()| {
            self.shared.common.replicas.register(Registration {
                connection: self.sql.connection_id,
                server_id: replica.server_id,
                host: text(replica.host),
                user: text(replica.user),
                password: text(replica.password),
                port: replica.port,
                uuid: self.replica_uuid(),
            });
        });
        self.answer_ok(done, wire);
    }

    /// COM_BINLOG_DUMP. Error 1227.
    pub fn ask_dump(&self, dump: &BinlogDump<'_>) -> Result<DumpAsked> {
        self.permit_dump()?;
        let begin = Begin::At { file: file_name(dump.file), position: dump.position.into() };
        let ways = (dump.ends_at_eof(), dump.reads_whole_heartbeats());
        Ok(self.dump_asked(begin, dump.server_id, ways))
    }

    /// COM_BINLOG_DUMP_GTID. Error 1227.
    pub fn ask_dump_gtid(&self, dump: &BinlogDumpGtid<'_>) -> Result<DumpAsked> {
        // Before the set is built, which may be large.
        self.permit_dump()?;
        let begin = Begin::Without {
            known: set_of(&dump.gtids),
            file: file_name(dump.file),
            position: dump.position,
        };
        let ways = (dump.ends_at_eof(), dump.reads_whole_heartbeats());
        Ok(self.dump_asked(begin, dump.server_id, ways))
    }

    fn dump_asked(&self, begin: Begin, server_id: u32, (ends, whole_heartbeats): (bool, bool)) -> DumpAsked {
        let shared = &self.shared;
        let checksum = self.said(["source_binlog_checksum", "master_binlog_checksum"]);
        let checksum = checksum.map(|value| {
            let is_crc32 = text_of(&value).eq_ignore_ascii_case("CRC32");
            if is_crc32 { ChecksumAlg::Crc32 } else { ChecksumAlg::None }
        });
        let acknowledges = self.said(["rpl_semi_sync_replica", "rpl_semi_sync_slave"]);
        let heartbeat = self.said(["source_heartbeat_period", "master_heartbeat_period"]);
        let heartbeat_ns = heartbeat.and_then(|value| text_of(&value).parse::<u64>().ok());
        DumpAsked {
            request: Request { begin, checksum, ends, whole_heartbeats },
            server: Server {
                id: shared.server_id,
                uuid: shared.uuid,
                gtid_mode: shared.variables.server_sight().shown("gtid_mode").unwrap_or_default(),
            },
            server_id,
            uuid: self.replica_uuid(),
            acknowledges: acknowledges.is_some_and(|value| text_of(&value) != "0"),
            heartbeat: heartbeat_ns.filter(|ns| *ns > 0).map(Duration::from_nanos),
        }
    }

    fn permit_dump(&self) -> Result<()> {
        self.access.require(Privileges::REPLICATION_SLAVE, "", "REPLICATION SLAVE")
    }

    /// Error 1045 unless the session may register a replica.
    fn permit_registration(&self) -> Result<()> {
        if self.access.has(Privileges::REPLICATION_SLAVE) {
            return Ok(());
        }
        let account = self.access.account();
        let using = if matches!(account.verifier, Verifier::Empty(_)) { "NO" } else { "YES" };
        Err(ER_ACCESS_DENIED_ERROR.error(&[&self.access.user(), &self.access.peer().host, &using]))
    }

    fn replica_uuid(&self) -> String {
        let said = self.said(["replica_uuid", "slave_uuid"]).map(|value| text_of(&value));
        said.unwrap_or_default().chars().take(UUID_CHARS).collect()
    }

    /// The first of these user variables that has a value.
    fn said(&self, names: [&str; 2]) -> Option<Value> {
        let variables = self.sql.user_variables.lock();
        names
            .iter()
            .find_map(|name| variables.get(*name).filter(|value| !matches!(value, Value::Null)).cloned())
    }
}

fn text_of(value: &Value) -> String {
    let mut text = Vec::new();
    value.as_ref().write_text(&mut text);
    String::from_utf8_lossy(&text).into_owned()
}

/// A file's name as a client has sent it. It ends at the first zero: python-mysql-replication sends three zeroes for none.
fn file_name(sent: &[u8]) -> String {
    let name = sent.split(|byte| *byte == 0).next().unwrap_or_default();
    String::from_utf8_lossy(name).into_owned()
}

/// The set that a client has sent; the decoder has checked its numbers.
fn set_of(data: &GtidData<'_>) -> GtidSet {
    let mut runs = BTreeMap::<Uuid, Vec<Interval>>::new();
    for source in data.iter() {
        let its = source.iter().map(|(start, end)| Interval { start, end });
        runs.entry(Uuid(source.sid)).or_default().extend(its);
    }
    GtidSet::of_runs(runs)
}
