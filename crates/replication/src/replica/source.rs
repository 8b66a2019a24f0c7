//! A connection to a source: its questions before the dump, as replicas of MySQL ask them, and the dump.

use std::time::Duration;

use binlog::{ChecksumAlg, GtidSet, Uuid};
use protocol::replication::{SemiSyncAck, split_semi_sync};
use tokio::net::TcpStream;
use tokio::time::timeout;

use super::packets::{Cell, Packets, is_end, refusal};
use super::{Position, Settings, SourceError, SourceEvent, SourceTls, auth};

type Result<T> = std::result::Result<T, SourceError>;

const COM_BINLOG_DUMP: u8 = 0x12;
const COM_REGISTER_REPLICA: u8 = 0x15;
const COM_BINLOG_DUMP_GTID: u8 = 0x1e;
/// `ER_UNKNOWN_SYSTEM_VARIABLE`
const UNKNOWN_VARIABLE: u16 = 1193;

/// What this server says of itself.
#[derive(Clone, Debug)]
pub struct Hello {
    /// `server_id`
    pub server_id: u32,
    /// `server_uuid`
    pub uuid: Uuid,
    /// `report_host`
    pub host: String,
    /// `report_port`
    pub port: u16,
    /// Whether `gtid_mode` is not OFF: a source may send GTIDs.
    pub takes_gtids: bool,
    /// `rpl_semi_sync_replica_enabled`
    pub acknowledges: bool,
}

/// A source that was asked everything, ready to dump.
#[derive(Debug)]
pub struct Source {
    packets: Packets,
    checksum: ChecksumAlg,
    /// Its `version()`.
    pub version: String,
    /// Its `server_id`.
    pub server_id: u32,
    /// Its `server_uuid`; empty for MariaDB.
    pub uuid: String,
    /// Whether its transactions have GTIDs of MySQL's sort.
    pub has_gtids: bool,
    /// Whether it asks for acknowledgements when somebody waits for them.
    pub is_semi_sync: bool,
}

impl Source {
    /// Connects, under TLS if there is some for it, and asks. Everything together may take as long as `patience`.
    ///
    /// # Errors
    /// [`SourceError::Unfit`] if source and replica do not fit together.
    pub async fn connect(
        settings: &Settings,
        tls: Option<&SourceTls>,
        hello: &Hello,
        patience: Duration,
    ) -> Result<Self> {
        let Settings { host, port, user, .. } = settings;
        let place = format!("'{user}@{host}:{port}'");
        let failed = |why: &dyn std::fmt::Display| {
            SourceError::Lost(format!("error connecting to source {place}: {why}"))
        };
        let connected = timeout(patience, Self::connect_and_ask(settings, tls, hello)).await;
        match connected {
            Err(_) => Err(failed(&"no answer in time")),
            Ok(Err(SourceError::Lost(why))) => Err(failed(&why)),
            Ok(Err(SourceError::Refused { code, message })) => Err(SourceError::Refused {
                code,
                message: format!("error connecting to source {place}: {message}"),
            }),
            Ok(done) => done,
        }
    }

    async fn connect_and_ask(settings: &Settings, tls: Option<&SourceTls>, hello: &Hello) -> Result<Self> {
        let stream = TcpStream::connect((&*settings.host, settings.port)).await?;
        stream.set_nodelay(true)?;
        let mut packets = Packets::new(stream);
        let greeting = auth::greet(&mut packets).await?;
        if let Some(tls) = tls {
            packets = auth::secure(packets, &greeting, tls, &settings.host).await?;
        }
        let greeting = auth::log_in(&mut packets, greeting, settings).await?;
        // MariaDB before 11 hides its version behind one that old replicas accept.
        let version = greeting.version.strip_prefix("5.5.5-").unwrap_or(&greeting.version).to_owned();
        let is_mariadb = version.contains("MariaDB");
        let mut source = Self {
            packets,
            checksum: ChecksumAlg::None,
            version,
            server_id: 0,
            uuid: String::new(),
            has_gtids: false,
            is_semi_sync: false,
        };
        source.ask_identity(hello).await?;
        source.ask_stream(settings, is_mariadb).await?;
        source.ask_gtids(settings, hello, is_mariadb).await?;
        if hello.acknowledges {
            source.offer_acknowledgements().await?;
        }
        source.register(hello).await?;
        Ok(source)
    }

    /// Who it is.
    async fn ask_identity(&mut self, hello: &Hello) -> Result<()> {
        let id = self.value("SELECT @@GLOBAL.SERVER_ID").await?;
        self.server_id = id.and_then(|id| id.parse().ok()).unwrap_or(0);
        if self.server_id == hello.server_id {
            return Err(SourceError::Unfit(
                "The replica I/O thread stops because source and replica have equal MySQL server ids; these ids must \
                 be different for replication to work (or the --replicate-same-server-id option must be used on \
                 replica but this does not always make sense; please check the manual before using it)."
                    .to_owned(),
            ));
        }
        self.uuid = self.value("SELECT @@GLOBAL.SERVER_UUID").await?.unwrap_or_default();
        if self.uuid.eq_ignore_ascii_case(&hello.uuid.to_string()) {
            return Err(SourceError::Unfit(
                "The replica I/O thread stops because source and replica have equal MySQL server UUIDs; these UUIDs \
                 must be different for replication to work."
                    .to_owned(),
            ));
        }
        let uuid = hello.uuid;
        self.packets.query(&format!("SET @slave_uuid='{uuid}', @replica_uuid='{uuid}'")).await.map(drop)
    }

    /// How it shall send.
    async fn ask_stream(&mut self, settings: &Settings, is_mariadb: bool) -> Result<()> {
        let ns = u64::from(settings.heartbeat_ms) * 1_000_000;
        let set = format!("SET @master_heartbeat_period={ns}, @source_heartbeat_period={ns}");
        self.packets.query(&set).await?;
        let set = "SET @master_binlog_checksum=@@global.binlog_checksum, @source_binlog_checksum=@@global.binlog_checksum";
        match self.packets.query(set).await {
            Err(SourceError::Refused { code: UNKNOWN_VARIABLE, .. }) => {}
            answer => drop(answer?),
        }
        self.checksum = match self.value("SELECT @master_binlog_checksum").await?.as_deref() {
            Some("CRC32") => ChecksumAlg::Crc32,
            Some("NONE") | None => ChecksumAlg::None,
            Some(other) => {
                return Err(SourceError::Unfit(format!(
                    "the source's binlog_checksum is {other}, which is not known here"
                )));
            }
        };
        if is_mariadb {
            // 4: GTID events are understood.
            self.packets.query("SET @mariadb_slave_capability=4").await?;
        }
        Ok(())
    }

    async fn ask_gtids(&mut self, settings: &Settings, hello: &Hello, is_mariadb: bool) -> Result<()> {
        let mode = if is_mariadb { None } else { self.value("SELECT @@GLOBAL.GTID_MODE").await? };
        let mode = mode.map_or_else(|| "OFF".to_owned(), |mode| mode.to_ascii_uppercase());
        self.has_gtids = mode == "ON";
        if settings.auto_position && !self.has_gtids && !is_mariadb {
            return Err(SourceError::Unfit(format!(
                "The replication receiver thread cannot start in AUTO_POSITION mode: the source has GTID_MODE = {mode} \
                 instead of ON."
            )));
        }
        if matches!(&*mode, "ON" | "ON_PERMISSIVE") && !hello.takes_gtids {
            return Err(SourceError::Unfit(format!(
                "The replication receiver thread cannot start because the source has GTID_MODE = {mode} and this server \
                 has GTID_MODE = OFF."
            )));
        }
        Ok(())
    }

    /// A source that knows semi-synchronous replication sends every event with its header from now on.
    async fn offer_acknowledgements(&mut self) -> Result<()> {
        for name in ["rpl_semi_sync_source_enabled", "rpl_semi_sync_master_enabled"] {
            if self.value(&format!("SELECT @@GLOBAL.{name}")).await?.is_some() {
                self.packets.query("SET @rpl_semi_sync_replica=1, @rpl_semi_sync_slave=1").await?;
                self.is_semi_sync = true;
                return Ok(());
            }
        }
        Ok(())
    }

    async fn register(&mut self, hello: &Hello) -> Result<()> {
        let mut body = hello.server_id.to_le_bytes().to_vec();
        let host = hello.host.as_bytes().get(..hello.host.len().min(255)).unwrap_or_default();
        body.push(u8::try_from(host.len()).unwrap_or(0));
        body.extend_from_slice(host);
        body.extend([0, 0]);
        body.extend(hello.port.to_le_bytes());
        body.extend([0; 8]);
        self.packets.command(COM_REGISTER_REPLICA, &body).await?;
        self.packets.expect_ok().await
    }

    /// A single value; `None` for NULL and for a variable that the source does not have.
    async fn value(&mut self, sql: &str) -> Result<Cell> {
        match self.packets.query(sql).await {
            Ok(rows) => Ok(rows.into_iter().next().and_then(|row| row.into_iter().next()).flatten()),
            Err(SourceError::Refused { code: UNKNOWN_VARIABLE, .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Whether it is a MariaDB.
    pub fn is_mariadb(&self) -> bool {
        self.version.contains("MariaDB")
    }

    /// Where MariaDB is to begin: behind these GTIDs, as `gtid_slave_pos` shows them.
    async fn begin_behind(&mut self, gtids: &str) -> Result<()> {
        let safe: String = gtids.chars().filter(|c| c.is_ascii_digit() || matches!(c, '-' | ',')).collect();
        self.packets.query(&format!("SET @slave_connect_state='{safe}'")).await?;
        self.packets.query("SET @slave_gtid_strict_mode=0").await?;
        self.packets.query("SET @slave_gtid_ignore_duplicates=0").await.map(drop)
    }

    /// Has it send its events: those behind a position, or with `executed` those of all transactions that are not in it.
    pub async fn dump(mut self, server_id: u32, from: &Position, executed: Option<&GtidSet>) -> Result<Dump> {
        let position = if from.position < 4 { 4 } else { from.position };
        match executed {
            Some(executed) if !self.is_mariadb() => {
                let mut body = vec![0, 0];
                body.extend(server_id.to_le_bytes());
                body.extend([0; 4]);
                body.extend(4_u64.to_le_bytes());
                let size = u32::try_from(executed.encoded_len());
                body.extend(size.map_err(|_| SourceError::malformed("the GTID set"))?.to_le_bytes());
                executed.encode(&mut body);
                self.packets.command(COM_BINLOG_DUMP_GTID, &body).await?;
            }
            executed => {
                let by_gtid = executed.is_some();
                if by_gtid {
                    self.begin_behind(&from.mariadb_gtids()).await?;
                }
                let (file, position) = if by_gtid { ("", 4) } else { (&*from.file, position) };
                let position = u32::try_from(position).map_err(|_| {
                    SourceError::Unfit(format!("{from} is beyond what a replica can ask for"))
                })?;
                let mut body = position.to_le_bytes().to_vec();
                body.extend([0, 0]);
                body.extend(server_id.to_le_bytes());
                body.extend_from_slice(file.as_bytes());
                self.packets.command(COM_BINLOG_DUMP, &body).await?;
            }
        }
        if self.is_semi_sync {
            self.packets.take_any_sequence();
        }
        Ok(Dump { packets: self.packets, checksum: self.checksum, is_semi_sync: self.is_semi_sync })
    }
}

/// A stream of events.
#[derive(Debug)]
pub struct Dump {
    packets: Packets,
    checksum: ChecksumAlg,
    is_semi_sync: bool,
}

impl Dump {
    /// The next event, and whether the source waits for [`Dump::acknowledge`]. The source is silent for at most `patience`: one
    /// that is alive sends heartbeats. Dropping the future loses nothing.
    pub async fn next(&mut self, patience: Duration) -> Result<(SourceEvent, bool)> {
        let packet = self.packets.next_within(patience).await?;
        match packet.split_first() {
            Some((0, event)) => {
                let (asks, event) = if self.is_semi_sync {
                    split_semi_sync(event).ok_or_else(|| SourceError::malformed("a semi-sync header"))?
                } else {
                    (false, event)
                };
                Ok((SourceEvent::decode(event, &mut self.checksum)?, asks))
            }
            Some((0xff, _)) => Err(match refusal(&packet) {
                SourceError::Refused { code, message } => SourceError::Refused {
                    code,
                    message: format!(
                        "Got fatal error {code} from source when reading data from binary log: '{message}'"
                    ),
                },
                other => other,
            }),
            _ if is_end(&packet) => Err(SourceError::Lost("the source has ended the dump".to_owned())),
            _ => Err(SourceError::malformed("neither an event nor an error")),
        }
    }

    /// Says that everything up to a position of a file is held here.
    pub async fn acknowledge(&mut self, file: &str, position: u64, patience: Duration) -> Result<()> {
        let ack = SemiSyncAck { position, file: file.as_bytes() }.to_bytes();
        let sent = timeout(patience, self.packets.put_in(&ack)).await;
        sent.map_err(|_| SourceError::Lost("the source does not read acknowledgements".to_owned()))?
    }
}
