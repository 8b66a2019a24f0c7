//! A dump: a connection that is sent the binlog until one of both sides ends it.
//!
//! [`replication::source::Sender`] says what is sent; here it is waited: for the log, for the replica, for a KILL, for the
//! end of the server. Many events go out with one write. Nothing of the commit path waits for a replica, and a replica
//! that does not read holds one batch of events in memory, until `net_write_timeout` ends its connection.
//!
//! The replica's packets are read all the time: they tell what it acknowledges, and that it has gone. A semi-synchronous
//! replica is asked for one acknowledgement at a time: of the newest transaction that somebody waits for and that it may read.

use std::future::pending;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use binlog::BinlogName;
use commit::record::BinlogPlace;
use commit::{BinlogReader, FatalError, Pipeline};
use protocol::out::PacketWriter;
use protocol::replication::{SemiSyncAck, begin_event};
use protocol::reply::write_eof;
use protocol::wire::StatusFlags;
use replication::source::{Dump, DumpError, Sender, Sink, Step};
use tokio::sync::Semaphore;
use types::error::SqlError;
use types::error::table::ER_SOURCE_FATAL_ERROR_READING_BINLOG;

use crate::clock;
use crate::net::{Connection, Gone, Inbound, KillKind, Reply};
use crate::session::{DumpAsked, KillSwitch, Shared};

/// Bytes that are sent with one write, but for an event that is larger.
const BATCH_SIZE: usize = 64 << 10;

/// Dumps that read from disk at a time: each takes a thread that may wait.
static DISK_READERS: Semaphore = Semaphore::const_new(4);

/// Event packets.
struct Packets<'a> {
    writer: &'a mut PacketWriter,
    /// Whether the replica is semi-synchronous.
    acknowledges: bool,
    /// It is asked for an acknowledgement of the event that ends here or, if that is passed over, of what says so.
    ask: Option<BinlogPlace>,
    /// The event that asks is the last one: nothing stands behind it in a compressed frame.
    ends_where_it_asks: bool,
    asked: bool,
}

/// The number of the frame behind one that asks for an acknowledgement: MySQL 9.7's replica wants it so, MariaDB's does not
/// look at it.
const FRAME_AFTER_ACKNOWLEDGEMENT: u8 = 0;

/// The sequence number behind an event that asks for an acknowledgement, which has number 0.
const AFTER_ACKNOWLEDGEMENT: u8 = 1;

impl Sink for Packets<'_> {
    fn event(&mut self, bytes: &[u8], end: Option<BinlogPlace>) {
        let asks = end.zip(self.ask).is_some_and(|(end, ask)| end >= ask);
        if asks {
            (self.ask, self.asked) = (None, true);
        }
        let packet = begin_event(self.writer, self.acknowledges.then_some(asks));
        if bytes.len() > BATCH_SIZE {
            packet.reserve_exact(bytes.len());
        }
        packet.extend_from_slice(bytes);
        self.writer.end();
        if asks {
            self.writer.set_sequence(AFTER_ACKNOWLEDGEMENT);
        }
    }

    fn is_full(&self) -> bool {
        self.writer.len() >= BATCH_SIZE || (self.asked && self.ends_where_it_asks)
    }
}

/// A semi-synchronous replica, as long as this lives.
struct Acknowledging {
    pipeline: Arc<Pipeline>,
    connection: u32,
    /// What it had when it came is known up to here.
    had: BinlogPlace,
    /// It has sent something else, which is logged once: it may send as much as it likes.
    has_strayed: AtomicBool,
}

impl Acknowledging {
    /// Of what was passed over because the replica has it, it is not asked for an acknowledgement.
    fn note_had(&mut self, place: BinlogPlace) {
        if place > self.had {
            self.had = place;
            self.pipeline.acknowledge(self.connection, place);
        }
    }

    /// Takes a packet of the replica.
    fn hear(&self, packet: &[u8]) {
        let place = SemiSyncAck::parse(packet).ok().and_then(|ack| {
            let name = BinlogName::parse(std::str::from_utf8(ack.file).ok()?)?;
            Some(BinlogPlace { file: u32::try_from(name.number()).ok()?, position: ack.position })
        });
        if let Some(place) = place {
            self.pipeline.acknowledge(self.connection, place);
        } else if !self.has_strayed.swap(true, Ordering::Relaxed) {
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

/// A sender that has filled a batch, and how far that went.
type Filled = (Sender<BinlogReader>, Result<Step, DumpError>);

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
    acknowledges: bool,
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
    for zombie in &replaced {
        tracing::info!(
            connection = *zombie,
            by = id,
            "the replica has connected again: its earlier dump ends"
        );
        shared.connections.kill(*zombie, KillKind::Query);
    }
    tracing::info!(connection = id, server_id = asked.server_id, uuid = asked.uuid, "binlog dump begins");
    let acknowledges = asked.acknowledges;
    let mut dumping =
        Dumping { kill, connection, inbound, reply, heartbeat, dump, acknowledges, acknowledging: None };
    let end = match begin(shared, asked).await {
        Ok(sender) => {
            dumping.begin_acknowledging(&sender, &replaced);
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
        let log = pipeline.follow_binlog(asked.acknowledges).ok_or(DumpError::NoBinlog);
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
        let mut heard_ms = clock::monotonic_ms();
        loop {
            if self.kill.is_asked() {
                return Ok(self.killed(&sender));
            }
            self.connection.set_state("Sending binlog event to replica");
            let (filled, asked) = self.fill(sender).await?;
            sender = filled.0;
            if let Some(acknowledging) = &mut self.acknowledging {
                acknowledging.note_had(sender.has_before());
            }
            let step = match filled.1 {
                Ok(step) => step,
                Err(error) => return Ok(End::Error(error)),
            };
            // It may have everything that comes for a long time.
            if self.reply.packets().is_empty() && self.is_heartbeat_due(heard_ms) {
                sender.report(&mut self.packets(None));
            }
            if !self.reply.packets().is_empty() {
                heard_ms = clock::monotonic_ms();
            }
            if !self.send().await? {
                return Ok(End::Silent);
            }
            if asked {
                self.reply.number_frames(FRAME_AFTER_ACKNOWLEDGEMENT);
            }
            let place = match step {
                Step::Full => continue,
                Step::End => return Ok(End::Eof),
                Step::UpToDate(place) => place,
            };
            self.connection.set_state("Source has sent all binlog to replica; waiting for more updates");
            match self.wait(&sender, place).await {
                Woken::Log => {}
                Woken::Heartbeat => sender.heartbeat(&mut self.packets(None)),
                Woken::Stop(end) => return Ok(end),
            }
        }
    }

    /// Collects what comes next: at once if it is in memory, else on a thread that may wait for the disk. Says whether it asks
    /// for an acknowledgement.
    async fn fill(&mut self, mut sender: Sender<BinlogReader>) -> Result<(Filled, bool), Gone> {
        // Whoever waits for something up to here is known: so it is asked for before it is sent.
        let end = sender.log().end();
        let ask = self.wanted(&sender, end);
        if sender.is_at_hand() {
            let mut packets = self.packets(ask);
            let step = sender.fill(end, &mut packets);
            let asked = packets.asked;
            return Ok(((sender, step), asked));
        }
        let _turn = DISK_READERS.acquire().await;
        let mut writer = std::mem::take(self.reply.packets());
        let (acknowledges, ends_where_it_asks) = (self.acknowledges, self.connection.is_compressed());
        let read = tokio::task::spawn_blocking(move || {
            let mut packets =
                Packets { writer: &mut writer, acknowledges, ask, ends_where_it_asks, asked: false };
            let step = sender.fill(end, &mut packets);
            let asked = packets.asked;
            (sender, writer, step, asked)
        });
        let (sender, writer, step, asked) = read.await.map_err(std::io::Error::other)?;
        *self.reply.packets() = writer;
        Ok(((sender, step), asked))
    }

    fn packets(&mut self, ask: Option<BinlogPlace>) -> Packets<'_> {
        let (acknowledges, ends_where_it_asks) = (self.acknowledges, self.connection.is_compressed());
        Packets { writer: self.reply.packets(), acknowledges, ask, ends_where_it_asks, asked: false }
    }

    /// Whom it replaces counts no more.
    fn begin_acknowledging(&mut self, sender: &Sender<BinlogReader>, replaced: &[u32]) {
        if self.acknowledges {
            let (pipeline, connection) = (Arc::clone(sender.log().pipeline()), self.connection.id);
            let had = sender.has_before();
            pipeline.add_semi_sync_replica(connection, sender.log(), had);
            for zombie in replaced {
                pipeline.remove_semi_sync_replica(*zombie);
            }
            tracing::info!(connection, "the replica is semi-synchronous");
            self.acknowledging =
                Some(Acknowledging { pipeline, connection, had, has_strayed: AtomicBool::new(false) });
        }
    }

    /// Of which of the events that come next a semi-synchronous replica is asked for an acknowledgement.
    fn wanted(&self, sender: &Sender<BinlogReader>, end: BinlogPlace) -> Option<BinlogPlace> {
        let log = self.acknowledging.is_some().then(|| sender.log())?;
        log.pipeline().wanted_acknowledgement(sender.place(), end)
    }

    fn is_heartbeat_due(&self, heard_ms: u64) -> bool {
        let quiet = Duration::from_millis(clock::monotonic_ms().saturating_sub(heard_ms));
        self.heartbeat.is_some_and(|period| quiet >= period)
    }

    /// Sends what was collected. False if it was stopped on the way, or the replica has gone.
    async fn send(&mut self) -> Result<bool, Gone> {
        if self.reply.packets().is_empty() {
            return tokio::select! {
                biased;
                () = gone(self.inbound, self.acknowledging.as_ref()) => Ok(false),
                () = tokio::task::yield_now() => Ok(true),
            };
        }
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
