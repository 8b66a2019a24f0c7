//! What a client is answered: packets that are collected and go out with one write, or with several where the answer
//! is large.
//!
//! **Bound:** whoever writes rows asks [`Reply::is_large`] and awaits [`Reply::send`]; a client that does not read
//! holds up nobody but its own session, and only until its deadline, by `net_write_timeout`: see [`Pace`].

use std::future::poll_fn;
use std::io;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::{Context, Poll, ready};

use protocol::out::{Mark, PacketWriter};
use protocol::reply::{ErrPacket, OkPacket};
use protocol::wire::Capabilities;
use types::error::SqlError;

use super::compress::Compression;
use super::connection::Connection;
use super::delivery::{Delivery, Held, SIZE_MAX};
use super::pace::Pace;
use super::stream::WriteHalf;
use super::tls::Session;
use crate::clock;
use crate::status::Counter;

/// Beyond so many bytes an answer is sent before it is complete.
const LARGE_SIZE: usize = 64 << 10;

/// The client is gone, or does not read.
#[derive(Debug, thiserror::Error)]
#[error("the client is gone: {0}")]
pub struct Gone(#[from] pub io::Error);

/// See the module.
#[derive(Debug)]
pub struct Reply {
    packets: PacketWriter,
    /// Bytes of them that the operating system has: of a send that was not awaited to its end.
    sent: usize,
    write: WriteHalf,
    connection: Arc<Connection>,
    /// The commit that they wait for.
    held: Option<Held>,
    capabilities: Capabilities,
    /// Back to here if the command is stopped.
    settled: Mark,
    sends: u64,
}

impl Reply {
    pub(super) fn new(write: WriteHalf, connection: Arc<Connection>) -> Self {
        let packets = PacketWriter::new();
        let settled = packets.mark();
        Self {
            packets,
            sent: 0,
            write,
            connection,
            held: None,
            capabilities: Capabilities::PROTOCOL_41,
            settled,
            sends: 0,
        }
    }

    /// Where packets are collected.
    pub fn packets(&mut self) -> &mut PacketWriter {
        &mut self.packets
    }

    /// Says which number the next compressed frame has, if there are frames.
    pub fn number_frames(&mut self, sequence: u8) {
        self.write.number_frames(sequence);
    }

    /// The commit that what was collected waits for, if there is one: whoever sends awaits it first.
    pub fn held(&mut self) -> &mut Option<Held> {
        &mut self.held
    }

    /// Hands what was collected over to whoever finds the commit done that it waits for. False, and nothing is changed, if it waits for
    /// none, if few others commit, if it is large, and if it has to pass through TLS or compressed frames.
    pub(super) fn hand_over(&mut self) -> bool {
        let size = self.packets.len();
        let Some(socket) = self.write.plain().filter(|_| size <= SIZE_MAX) else { return false };
        let Some(held) = self.held.take_if(|held| held.is_crowded()) else { return false };
        self.sends += 1;
        self.connection.counters.add(Counter::BytesSent, size as u64);
        Delivery::begin(&self.connection, socket, held, self.packets.bytes());
        self.forget();
        self.settled = self.packets.mark();
        true
    }

    /// Sends what is left of an answer that was handed over.
    pub(super) async fn send_left(&mut self, left: &[u8]) -> Result<(), Gone> {
        write_all(&mut self.write, &self.connection, left, &mut 0).await
    }

    /// What both sides can do.
    pub fn capabilities(&self) -> Capabilities {
        self.capabilities
    }

    /// Bytes that wait to be sent.
    pub fn buffered(&self) -> usize {
        self.packets.len()
    }

    /// Whether so much waits that it should be sent before more is added.
    pub fn is_large(&self) -> bool {
        self.packets.len() >= LARGE_SIZE
    }

    /// How often something was sent on this connection, to its end or not.
    pub fn sends(&self) -> u64 {
        self.sends
    }

    /// Appends an OK packet.
    pub fn ok(&mut self, ok: &OkPacket<'_>) {
        ok.write(&mut self.packets, self.capabilities);
    }

    /// Appends an ERR packet.
    pub fn error(&mut self, error: &SqlError) {
        ErrPacket { code: error.code, sqlstate: error.sqlstate(), message: &error.message }
            .write(&mut self.packets, self.capabilities);
    }

    /// What was written so far stays if the command is stopped: the answers to statements that are done.
    pub fn settle(&mut self) {
        self.settled = self.packets.mark();
    }

    /// Sends what was collected, and waits until the operating system has taken it. No packet may be open. If this is not awaited
    /// to its end, the next send goes on where it was.
    ///
    /// # Panics
    /// If it waits for a commit.
    pub async fn send(&mut self) -> Result<(), Gone> {
        assert!(self.held.is_none(), "a commit is done before anybody is told");
        if self.packets.is_empty() {
            return Ok(());
        }
        self.sends += 1;
        write_all(&mut self.write, &self.connection, self.packets.bytes(), &mut self.sent).await?;
        self.connection.counters.add(Counter::BytesSent, self.sent as u64);
        self.forget();
        self.settled = self.packets.mark();
        Ok(())
    }

    /// The number that the next packet has, the client's if it is the client's turn.
    pub(super) fn sequence(&self) -> u8 {
        self.packets.sequence()
    }

    /// Sends what TLS has to say by itself.
    pub(super) async fn flush(&mut self) -> io::Result<()> {
        poll_fn(|context| self.write.poll_flush(context)).await
    }

    /// From now on there is TLS.
    pub(super) fn secure(&mut self, tls: Arc<Session>) {
        self.write.secure(tls);
    }

    /// From now on there are compressed frames.
    pub(super) fn compress(&mut self, compression: Arc<Compression>) {
        self.write.compress(compression);
    }

    pub(super) fn set_capabilities(&mut self, capabilities: Capabilities) {
        self.capabilities = capabilities;
    }

    /// Begins the answer to a packet after which the conversation goes on with this number.
    pub fn begin(&mut self, sequence: u8) {
        self.write.answer();
        self.packets.set_sequence(sequence);
        self.settled = self.packets.mark();
    }

    /// Forgets what a stopped command left behind.
    pub(super) fn rewind(&mut self) {
        // What is half sent stays.
        if self.sent == 0 {
            self.packets.rewind(self.settled);
        }
    }

    fn forget(&mut self) {
        self.packets.clear();
        self.sent = 0;
    }

    /// Gives memory back.
    pub(super) fn trim(&mut self) {
        if self.packets.is_empty() {
            let sequence = self.packets.sequence();
            self.packets = PacketWriter::new();
            self.packets.set_sequence(sequence);
            self.settled = self.packets.mark();
        }
    }

    /// Sends what the operating system takes at once; for a last word.
    pub(super) async fn say_last(&mut self) {
        let (packets, write) = (&self.packets.bytes()[self.sent..], &mut self.write);
        let _ = poll_fn(|context| {
            Poll::Ready(match write.poll_write(context, packets) {
                Poll::Ready(result) => result.is_ok(),
                Poll::Pending => false,
            })
        })
        .await;
        self.forget();
    }
}

/// Writes what is left, and waits until the operating system has it, as long as the client reads.
async fn write_all(
    write: &mut WriteHalf,
    connection: &Connection,
    bytes: &[u8],
    sent: &mut usize,
) -> Result<(), Gone> {
    let mut pace = Pace::default();
    poll_fn(|context| {
        let polled = poll_write_all(write, context, bytes, sent);
        if polled.is_pending() {
            let timeout_s = connection.limits().net_write_timeout_s.load(Ordering::Relaxed);
            connection.set_deadline(pace.deadline(clock::monotonic_ms(), *sent as u64, timeout_s));
        }
        polled
    })
    .await?;
    if pace.has_begun() {
        connection.set_deadline(0);
    }
    Ok(())
}

fn poll_write_all(
    write: &mut WriteHalf,
    context: &mut Context<'_>,
    bytes: &[u8],
    sent: &mut usize,
) -> Poll<io::Result<()>> {
    while *sent < bytes.len() {
        match ready!(write.poll_write(context, &bytes[*sent..]))? {
            0 => return Poll::Ready(Err(io::ErrorKind::WriteZero.into())),
            count => *sent += count,
        }
    }
    write.poll_flush(context)
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use rustls::pki_types::{PrivateKeyDer, ServerName};
    use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};
    use tokio::net::TcpSocket;

    use super::*;
    use crate::accounts::Peer;
    use crate::net::{Tls, stream};

    /// Less than TLS takes at a time, more than the sockets do.
    const SIZE: usize = 60_000;

    /// A client's TLS, and what the server's side of it comes from.
    fn both_sides() -> (ClientConnection, Tls) {
        let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
        let key = PrivateKeyDer::try_from(made.signing_key.serialize_der()).unwrap();
        let mut roots = RootCertStore::empty();
        roots.add(made.cert.der().clone()).unwrap();
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
        let config = config.unwrap().with_root_certificates(roots).with_no_client_auth();
        let name = ServerName::try_from("localhost").unwrap();
        let client = ClientConnection::new(Arc::new(config), name).unwrap();
        (client, Tls::new(vec![made.cert.der().clone()], key).unwrap())
    }

    /// Two ends of a connection that holds little.
    async fn pair() -> (tokio::net::TcpStream, std::net::TcpStream) {
        let listener = TcpSocket::new_v4().unwrap();
        listener.set_recv_buffer_size(4096).unwrap();
        listener.bind("127.0.0.1:0".parse().unwrap()).unwrap();
        let listener = listener.listen(1).unwrap();
        let socket = TcpSocket::new_v4().unwrap();
        socket.set_send_buffer_size(4096).unwrap();
        let address = listener.local_addr().unwrap();
        let (server, client) = tokio::join!(socket.connect(address), listener.accept());
        let client = client.unwrap().0.into_std().unwrap();
        client.set_nonblocking(false).unwrap();
        (server.unwrap(), client)
    }

    fn reply(write: WriteHalf, held: Held) -> Reply {
        let peer = Peer { address: None, host: "localhost".into() };
        let mut reply = Reply::new(write, Arc::new(Connection::new(1, peer, None, Arc::default())));
        reply.ok(&OkPacket::default());
        *reply.held() = Some(held);
        reply
    }

    /// Whether an answer is handed over; one that is not has to wait for its commit all the same.
    fn is_handed_over(reply: &mut Reply) -> bool {
        let handed_over = reply.hand_over();
        assert_eq!(reply.held().is_some(), !handed_over);
        assert_eq!(reply.packets().is_empty(), handed_over);
        handed_over
    }

    #[tokio::test]
    async fn an_answer_is_handed_over_or_waits_with_its_session() {
        let never = |crowded| Held::by(std::future::pending(), crowded);
        let (end, _client) = pair().await;
        let (_read, write) = stream::tcp(end).unwrap();
        assert!(is_handed_over(&mut reply(write, never(true))));

        let (end, _client) = pair().await;
        let (_read, write) = stream::tcp(end).unwrap();
        assert!(!is_handed_over(&mut reply(write, never(false))), "few others commit");

        let (end, _client) = pair().await;
        let (_read, write) = stream::tcp(end).unwrap();
        let mut large = reply(write, never(true));
        large.packets().packet(&[0; SIZE_MAX]);
        assert!(!is_handed_over(&mut large));

        let (end, _client) = pair().await;
        let (_read, mut write) = stream::tcp(end).unwrap();
        let (_, tls) = both_sides();
        write.secure(Arc::new(tls.session().unwrap()));
        assert!(!is_handed_over(&mut reply(write, never(true))), "TLS");
    }

    #[tokio::test]
    async fn what_tls_has_taken_is_not_sent_before_the_operating_system_has_it() {
        let (client, tls) = both_sides();
        let (server_end, client_end) = pair().await;
        let (mut read, mut write) = stream::tcp(server_end).unwrap();
        let session = Arc::new(tls.session().unwrap());
        read.secure(Arc::clone(&session));
        write.secure(Arc::clone(&session));
        let (go_on, may_read) = std::sync::mpsc::channel::<()>();
        let reader = tokio::task::spawn_blocking(move || {
            let mut stream = StreamOwned::new(client, client_end);
            while stream.conn.is_handshaking() {
                stream.conn.complete_io(&mut stream.sock).unwrap();
            }
            may_read.recv().unwrap();
            let mut bytes = vec![0; SIZE];
            stream.read_exact(&mut bytes).unwrap();
            bytes
        });
        while session.is_handshaking() {
            poll_fn(|context| read.poll_take(context)).await.unwrap();
            session.process().unwrap();
            poll_fn(|context| write.poll_flush(context)).await.unwrap();
        }
        let bytes = vec![7; SIZE];
        let mut sent = 0;
        let first =
            poll_fn(|context| Poll::Ready(poll_write_all(&mut write, context, &bytes, &mut sent))).await;
        assert!(first.is_pending(), "the sockets cannot hold it");
        go_on.send(()).unwrap();
        poll_fn(|context| poll_write_all(&mut write, context, &bytes, &mut sent)).await.unwrap();
        assert_eq!(reader.await.unwrap(), bytes);
    }
}
