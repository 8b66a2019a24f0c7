//! A dump: a connection that is sent the binlog until one of both sides ends it.
//!
//! [`replication::source::Sender`] says what is sent; here it is waited: for the log, for the replica, for a KILL, for the
//! end of the server. Many events go out with one write. Nothing of the commit path waits for a replica, and a replica
//! that does not read holds one batch of events in memory, until `net_write_timeout` ends its connection.
//!
//! The replica's packets are read all the time: they tell what it acknowledges, and that it has gone. A batch of events asks
//! a semi-synchronous replica for at most one acknowledgement, of the last transaction in it that somebody waits for.

use std::future::pending;
use std::sync::Arc;
use std::time::Duration;

use binlog::BinlogName;
use commit::record::BinlogPlace;
use commit::{BinlogReader, FatalError, Pipeline};
use protocol::out::PacketWriter;
use protocol::replication::{SemiSyncAck, ask_acknowledgement, begin_event};
use protocol::reply::write_eof;
use protocol::wire::StatusFlags;
use replication::source::{Dump, DumpError, Sender, Sink, Step};
use tokio::sync::Semaphore;
use types::error::SqlError;
use types::error::table::ER_SOURCE_FATAL_ERROR_READING_BINLOG;

use crate::net::{Connection, Gone, Inbound, KillKind, Reply};
use crate::session::{DumpAsked, KillSwitch, Shared};

/// Bytes that are sent with one write, but for an event that is larger.
const BATCH_SIZE: usize = 64 << 10;

/// Dumps that read from disk at a time: each takes a thread that may wait.
static DISK_READERS: Semaphore = Semaphore::const_new(4);

/// For a semi-synchronous replica: where each event of a batch ends in the binlog, and where its packet begins.
type Ends = Option<Vec<(BinlogPlace, usize)>>;

/// Event packets.
struct Packets<'a>(&'a mut PacketWriter, &'a mut Ends);

impl Sink for Packets<'_> {
    fn event(&mut self, bytes: &[u8], end: Option<BinlogPlace>) {
        let Self(writer, ends) = self;
        if let (Some(ends), Some(end)) = (&mut *ends, end) {
            ends.push((end, writer.len()));
        }
        let packet = begin_event(writer, ends.is_some().then_some(false));
        if bytes.len() > BATCH_SIZE {
            packet.reserve_exact(bytes.len());
        }
        packet.extend_from_slice(bytes);
        writer.end();
    }

    fn is_full(&self) -> bool {
        self.0.len() >= BATCH_SIZE
    }
}

/// A semi-synchronous replica, as long as this lives.
struct Acknowledging {
    pipeline: Arc<Pipeline>,
    connection: u32,
}

impl Acknowledging {
    /// Takes a packet of the replica.
    fn hear(&self, packet: &[u8]) {
        let place = SemiSyncAck::parse(packet).ok().and_then(|ack| {
            let name = BinlogName::parse(std::str::from_utf8(ack.file).ok()?)?;
            Some(BinlogPlace { file: u32::try_from(name.number()).ok()?, position: ack.position })
        });
        if let Some(place) = place {
            self.pipeline.acknowledge(self.connection, place);
        } else {
            tracing::warn!(connection = self.connection, "a replica sent what is no acknowledgement");
        }
    }
}

impl Drop for Acknowledging {
    fn drop(&mut self) {
        self.pipeline.remove_semi_sync_replica(self.connection);
    }
}

/// Why a dump ends.
enum End {
    /// All was sent to a client that did not want to wait; or KILL, or the end of the server.
    Eof,
    /// Error 1236.
    Error(DumpError),
    /// Nothing can be said any more: the replica has gone, or is in the middle of a packet.
    Silent,
}

/// What a dump waited for.
enum Woken {
    /// The log goes on.
    Log,
    /// The replica should hear something.
    Heartbeat,
    /// It ends.
    Stop(End),
}

/// The parts of a dump.
struct Dumping<'a, 'c> {
    kill: &'a KillSwitch,
    connection: &'a Connection,
    inbound: &'a mut Inbound<'c>,
    reply: &'a mut Reply,
    heartbeat: Option<Duration>,
    dump: Dump,
    ends: Ends,
    acknowledging: Option<Acknowledging>,
}

/// Sends a client the binlog.
pub(crate) async fn stream(
    shared: &Arc<Shared>,
    asked: DumpAsked,
    (connection, kill): (&Connection, &KillSwitch),
    inbound: &mut Inbound<'_>,
    reply: &mut Reply,
) -> Result<(), Gone> {
    let (id, heartbeat) = (connection.id, asked.heartbeat);
    let (dump, replaced) = shared.common.replicas.begin_dump(id, asked.server_id, &asked.uuid);
    for zombie in replaced {
        tracing::info!(
            connection = zombie,
            by = id,
            "the replica has connected again: its earlier dump ends"
        );
        shared.connections.kill(zombie, KillKind::Query);
    }
    tracing::info!(connection = id, server_id = asked.server_id, uuid = asked.uuid, "binlog dump begins");
    let ends = asked.acknowledges.then(Vec::new);
    let mut dumping =
        Dumping { kill, connection, inbound, reply, heartbeat, dump, ends, acknowledging: None };
    let end = match begin(shared, asked).await {
        Ok(sender) => {
            dumping.begin_acknowledging(&sender);
            dumping.run(sender).await?
        }
        Err(error) => End::Error(error),
    };
    let Dumping { reply, dump, .. } = dumping;
    match end {
        End::Eof => write_eof(reply.packets(), StatusFlags::NONE, 0),
        End::Error(error) => {
            tracing::info!(connection = id, %error, "binlog dump ends with an error");
            reply.error(&SqlError::with_message(&ER_SOURCE_FATAL_ERROR_READING_BINLOG, error.to_string()));
        }
        End::Silent => return Ok(()),
    }
    drop(dump);
    reply.send().await
}

/// Finds where a dump begins.
async fn begin(shared: &Arc<Shared>, asked: DumpAsked) -> Result<Sender<BinlogReader>, DumpError> {
    let pipeline = Arc::clone(&shared.pipeline);
    let _turn = DISK_READERS.acquire().await;
    let begun = tokio::task::spawn_blocking(move || {
        // Whoever asks for the end of the log gets all that is committed now.
        pipeline.catch_up()?;
        let log = pipeline.follow_binlog().ok_or(DumpError::NoBinlog);
        Ok::<_, FatalError>(log.and_then(|log| Sender::begin(log, asked.request, &asked.server)))
    });
    match begun.await {
        Ok(Ok(sender)) => sender,
        Ok(Err(error)) => match shared.pipeline.die("writing the binary log", error).await {},
        Err(_) => Err(DumpError::Unreadable(replication::source::Where::default())),
    }
}

impl Dumping<'_, '_> {
    async fn run(&mut self, mut sender: Sender<BinlogReader>) -> Result<End, Gone> {
        loop {
            if self.kill.is_asked() {
                return Ok(self.killed(&sender));
            }
            self.connection.set_state("Sending binlog event to replica");
            let filled = self.fill(sender).await?;
            sender = filled.0;
            let step = match filled.1 {
                Ok(step) => step,
                Err(error) => return Ok(End::Error(error)),
            };
            self.ask_acknowledgement(sender.log().pipeline());
            if !self.send().await? {
                return Ok(End::Silent);
            }
            let place = match step {
                Step::Full => continue,
                Step::End => return Ok(End::Eof),
                Step::UpToDate(place) => place,
            };
            self.connection.set_state("Source has sent all binlog to replica; waiting for more updates");
            match self.wait(&sender, place).await {
                Woken::Log => {}
                Woken::Heartbeat => sender.heartbeat(&mut Packets(self.reply.packets(), &mut self.ends)),
                Woken::Stop(end) => return Ok(end),
            }
        }
    }

    /// Collects what comes next: at once if it is in memory, else on a thread that may wait for the disk.
    async fn fill(
        &mut self,
        mut sender: Sender<BinlogReader>,
    ) -> Result<(Sender<BinlogReader>, Result<Step, DumpError>), Gone> {
        if sender.is_at_hand() {
            let step = sender.fill(&mut Packets(self.reply.packets(), &mut self.ends));
            return Ok((sender, step));
        }
        let _turn = DISK_READERS.acquire().await;
        let (mut packets, mut ends) = (std::mem::take(self.reply.packets()), self.ends.take());
        let read = tokio::task::spawn_blocking(move || {
            let step = sender.fill(&mut Packets(&mut packets, &mut ends));
            (sender, packets, ends, step)
        });
        let (sender, packets, ends, step) = read.await.map_err(std::io::Error::other)?;
        *self.reply.packets() = packets;
        self.ends = ends;
        Ok((sender, step))
    }

    fn begin_acknowledging(&mut self, sender: &Sender<BinlogReader>) {
        if self.ends.is_some() {
            let (pipeline, connection) = (Arc::clone(sender.log().pipeline()), self.connection.id);
            pipeline.add_semi_sync_replica(connection, sender.began_at());
            tracing::info!(connection, "the replica is semi-synchronous");
            self.acknowledging = Some(Acknowledging { pipeline, connection });
        }
    }

    /// Has one of the events that were collected ask for an acknowledgement, if somebody waits for that.
    fn ask_acknowledgement(&mut self, pipeline: &Pipeline) {
        let Some(ends) = &mut self.ends else { return };
        if let (Some((first, _)), Some((last, _))) = (ends.first(), ends.last()) {
            let before = BinlogPlace { position: first.position - 1, ..*first };
            let wanted = pipeline.wanted_acknowledgement(before, *last);
            if let Some(at) = wanted.and_then(|place| ends.binary_search_by_key(&place, |(end, _)| *end).ok())
            {
                ask_acknowledgement(self.reply.packets(), ends[at].1);
            }
        }
        ends.clear();
    }

    /// Sends what was collected. False if it was stopped on the way.
    async fn send(&mut self) -> Result<bool, Gone> {
        tokio::select! {
            biased;
            sent = self.reply.send() => sent.map(|()| true),
            () = self.kill.asked_any() => Ok(false),
            () = gone(self.inbound, self.acknowledging.as_ref()) => Ok(false),
        }
    }

    async fn wait(&mut self, sender: &Sender<BinlogReader>, place: BinlogPlace) -> Woken {
        let heartbeat = self.heartbeat;
        let quiet = async {
            match heartbeat {
                Some(period) => tokio::time::sleep(period).await,
                None => pending().await,
            }
        };
        let connection = self.connection;
        tokio::select! {
            biased;
            () = sender.log().beyond(place) => Woken::Log,
            () = self.kill.asked_any() => Woken::Stop(self.killed(sender)),
            () = connection.shut_down() => Woken::Stop(End::Eof),
            () = gone(self.inbound, self.acknowledging.as_ref()) => Woken::Stop(End::Silent),
            () = quiet => Woken::Heartbeat,
        }
    }

    fn killed(&self, sender: &Sender<BinlogReader>) -> End {
        if self.dump.is_replaced() { End::Error(DumpError::Replaced(sender.at())) } else { End::Eof }
    }
}

/// Resolves when the replica has gone; takes its acknowledgements meanwhile. Whatever else it says is nobody's to hear.
async fn gone(inbound: &mut Inbound<'_>, acknowledging: Option<&Acknowledging>) {
    while let Ok(packet) = inbound.packet().await {
        if let Some(acknowledging) = acknowledging {
            acknowledging.hear(&packet);
        }
    }
}
