//! A connection's task: login, then one command after another.

use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::Poll;

use protocol::command::Command;
use protocol::frame::PacketReader;
use types::error::table::{ER_CLIENT_INTERACTION_TIMEOUT, ER_NET_READ_INTERRUPTED, ER_SERVER_SHUTDOWN};

use super::Net;
use super::connection::{Connection, mark};
use super::execute::{Step, execute};
use super::handler::{Handler, Outcome, Service};
use super::inbound::Inbound;
use super::listener::Visitor;
use super::login::{self, Link, LoginError};
use super::pace::Arriving;
use super::reply::{Gone, Reply};
use super::sent_file::SentFile;
use super::stream::ReadHalf;
use crate::clock;
use crate::status::{Counter, Gauges};

/// What ends the wait for a command.
const ENDS: u16 = mark::KILL_CONNECTION | mark::EXPIRED | mark::SHUTDOWN | mark::ABANDON;

/// How a connection ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// The client said goodbye, or a KILL or the end of the server did.
    Orderly,
    /// The client went without a word, or was shown the door.
    Aborted,
}

/// What follows the last command.
enum Ended {
    /// Nothing.
    Here(End),
    /// The session sends by itself.
    Streams,
}

/// The parts of a connection that has logged in.
struct Parts {
    reader: PacketReader,
    read: ReadHalf,
    reply: Reply,
    connection: Arc<Connection>,
}

/// Serves a client that was accepted, until it is gone.
pub(super) async fn serve<S: Service>(net: Arc<Net<S>>, visitor: Visitor) {
    let Visitor { registered, visit, mut reader, mut read, mut reply } = visitor;
    let connection = Arc::clone(&registered.connection);
    let link = Link::new(&mut reader, &mut read, &mut reply, &connection, Some(&visit));
    let gauges = &net.status.gauges;
    // In a box of its own, which is gone when the session begins.
    let (mut handler, _place) = match Box::pin(login::log_in(&net, link)).await {
        Ok(session) => session,
        Err(error) => {
            Gauges::bump(&gauges.aborted_connects);
            if matches!(error, LoginError::Broken) {
                net.connections.hosts.failed(&connection.peer);
            }
            return;
        }
    };
    drop(visit);
    connection.unmark(mark::MAKE_ROOM);
    reader.set_size_max(packet_size_max(&connection));
    let mut parts = Parts { reader, read, reply, connection };
    let end = match commands(&net, &mut parts, &mut handler).await {
        Ended::Here(end) => {
            let connection = &parts.connection;
            // What the session has, its named locks for one, others get behind its commit.
            let _ = connection.unless(mark::LOST, pin!(connection.delivered())).await;
            connection.rest(clock::monotonic_ms(), connection.at_rest());
            end
        }
        Ended::Streams => match net.streams.spawn(stream(parts, handler)).await {
            Ok((end, its_parts, its_handler)) => {
                (parts, handler) = (its_parts, its_handler);
                end
            }
            // It panicked, and is gone.
            Err(_) => return Gauges::bump(&gauges.aborted_clients),
        },
    };
    if end == End::Aborted {
        Gauges::bump(&gauges.aborted_clients);
    }
    parts.connection.set_deadline(0);
    Box::pin(handler.end()).await;
    drop(registered);
}

/// The command loop.
async fn commands<S: Service>(net: &Arc<Net<S>>, parts: &mut Parts, handler: &mut S::Handler) -> Ended {
    let mut is_handed_over = false;
    loop {
        if !is_handed_over {
            parts.connection.rest(clock::monotonic_ms(), parts.connection.at_rest());
        }
        let mut outcome = match command(net, parts, handler).await {
            Ok(outcome) => outcome,
            Err(end) => return Ended::Here(end),
        };
        is_handed_over = outcome == Outcome::Continue && parts.reply.hand_over();
        if is_handed_over {
            continue;
        }
        if let Err(end) = send(&mut parts.reply, &parts.connection).await {
            return Ended::Here(end);
        }
        while outcome == Outcome::Load {
            outcome = match Box::pin(load(parts, handler)).await {
                Ok(outcome) => outcome,
                Err(end) => return Ended::Here(end),
            };
        }
        if outcome == Outcome::Stream {
            return Ended::Streams;
        }
        let connection = &parts.connection;
        if outcome == Outcome::Close || connection.marks(mark::KILL_CONNECTION | mark::SHUTDOWN) != 0 {
            return Ended::Here(End::Orderly);
        }
    }
}

/// Sends the reply, once the commit is done that it waits for.
async fn send(reply: &mut Reply, connection: &Connection) -> Result<(), End> {
    if let Some(mut held) = reply.held().take() {
        connection.unless(mark::LOST, Pin::new(&mut held)).await.map_err(|_| End::Aborted)?;
    }
    while_read(connection, reply.send()).await
}

/// Sends, as long as the client reads. Who is killed is told so, unless the client does not read.
async fn while_read(
    connection: &Connection,
    sending: impl Future<Output = Result<(), Gone>>,
) -> Result<(), End> {
    match connection.unless_stuck(mark::LOST, mark::KILL_CONNECTION, pin!(sending)).await {
        Ok(Ok(())) => Ok(()),
        Err(mark::KILL_CONNECTION) => Err(End::Orderly),
        Ok(Err(_)) | Err(_) => Err(End::Aborted),
    }
}

/// Waits until the answer before is out, if it was handed over.
async fn settle(reply: &mut Reply, connection: &Connection) -> Result<(), End> {
    let left = connection.unless(mark::LOST, pin!(connection.delivered())).await;
    let left = left.map_err(|_| End::Aborted)?;
    if !left.is_empty() {
        while_read(connection, reply.send_left(&left)).await?;
        connection.rest(clock::monotonic_ms(), connection.at_rest());
    }
    match connection.marks(mark::KILL_CONNECTION | mark::SHUTDOWN) {
        0 => Ok(()),
        _ => Err(End::Orderly),
    }
}

/// Goes on with a command whose file the client sends, and sends the reply.
async fn load<H: Handler>(parts: &mut Parts, handler: &mut H) -> Result<Outcome, End> {
    let Parts { reader, read, reply, connection } = &mut *parts;
    let mut file = SentFile::new(reader, read, connection, reply.sequence());
    let outcome = {
        let loading = pin!(handler.load(&mut file, reply));
        connection.unless(mark::LOST, loading).await
    };
    match outcome {
        Ok(outcome) if !file.is_broken() => send(&mut parts.reply, &parts.connection).await.map(|()| outcome),
        _ => Err(End::Aborted),
    }
}

/// Lets the session send by itself, in the runtime of those who do. Gives back what it was given.
async fn stream<H: Handler>(mut parts: Parts, mut handler: H) -> (End, Parts, H) {
    let end = match parts.read.rehomed() {
        Ok(read) => {
            parts.read = read;
            send_by_itself(&mut parts, &mut handler).await
        }
        Err(_) => End::Aborted,
    };
    (end, parts, handler)
}

async fn send_by_itself<H: Handler>(parts: &mut Parts, handler: &mut H) -> End {
    let Parts { reader, read, reply, connection } = parts;
    let mut inbound = Inbound::new(reader, read, connection);
    let streaming = handler.stream(&mut inbound, reply);
    match connection.unless(mark::LOST, pin!(streaming)).await {
        Ok(Ok(())) => End::Orderly,
        Ok(Err(_)) | Err(_) => End::Aborted,
    }
}

/// Waits for a command and executes it.
async fn command<S: Service>(
    net: &Arc<Net<S>>,
    parts: &mut Parts,
    handler: &mut S::Handler,
) -> Result<Outcome, End> {
    let mut arriving = Arriving::default();
    loop {
        let Parts { reader, read, reply, connection } = parts;
        let step = match reader.next_command() {
            Ok(Some(packet)) => {
                if connection.is_delivering() {
                    Box::pin(settle(reply, connection)).await?;
                }
                execute(net, packet, connection, reply, handler).await
            }
            Ok(None) => Step::Read,
            Err(error) => {
                Box::pin(settle(reply, connection)).await?;
                Step::Broken(error)
            }
        };
        match step {
            Step::Read => receive(parts, &mut arriving).await?,
            Step::Done(outcome) => return Ok(outcome),
            Step::End(end) => return Err(end),
            Step::ChangeUser(packet) => {
                let link = Link::new(reader, read, reply, connection, None);
                let Ok(Command::ChangeUser(change)) = Command::parse(&packet, link.reply.capabilities())
                else {
                    return Err(End::Aborted);
                };
                let changed = Box::pin(login::change_user(net, link, &change, handler)).await;
                return changed.map(|()| Outcome::Continue).map_err(|_| End::Aborted);
            }
            Step::Broken(error) => {
                reply.begin(sequence_after(reader.sequence(), error));
                let capabilities = reply.capabilities();
                error.write(reply.packets(), capabilities);
                reply.say_last().await;
                return Err(End::Aborted);
            }
        }
    }
}

/// Waits for bytes of a command.
async fn receive(parts: &mut Parts, arriving: &mut Arriving) -> Result<(), End> {
    let connection = Arc::clone(&parts.connection);
    // The first bytes may have come behind the packet before.
    let within_packet = parts.reader.is_within_packet();
    loop {
        let (reader, read) = (&mut parts.reader, &mut parts.read);
        let more = poll_fn(|context| {
            if connection.is_stuck() {
                return Poll::Ready(Ok(None));
            }
            arriving.poll_read(context, read, reader.spare(), &connection, within_packet).map_ok(Some)
        });
        let marks = match connection.unless(ENDS | mark::TRIM, pin!(more)).await {
            Ok(Ok(None)) => {
                Box::pin(settle(&mut parts.reply, &connection)).await?;
                continue;
            }
            Ok(Ok(Some(count))) if count > 0 => {
                reader.filled(count);
                connection.counters.add(Counter::BytesReceived, count as u64);
                return Ok(());
            }
            Ok(_) => return Err(End::Aborted),
            Err(marks) => marks,
        };
        let begun = within_packet || parts.read.is_within_frame();
        if marks & ENDS != 0 {
            return Err(farewell(parts, marks, begun).await);
        }
        connection.unmark(mark::TRIM);
        if !begun {
            trim(parts);
            // The next bytes are waited for without memory to put them into.
            let readable = connection.unless(ENDS, pin!(parts.read.readable())).await;
            match readable {
                Ok(Ok(())) => {}
                Ok(Err(_)) => return Err(End::Aborted),
                Err(marks) => return Err(farewell(parts, marks, false).await),
            }
        }
    }
}

/// Gives back what an idle connection does not need.
fn trim(parts: &mut Parts) {
    parts.reader = PacketReader::new(packet_size_max(&parts.connection));
    parts.reply.trim();
    parts.connection.trim();
}

/// Says why the connection ends, where MySQL says it.
async fn farewell(parts: &mut Parts, marks: u16, within_packet: bool) -> End {
    let (error, end) = if marks & mark::EXPIRED != 0 {
        let why = if within_packet { &ER_NET_READ_INTERRUPTED } else { &ER_CLIENT_INTERACTION_TIMEOUT };
        (why.error(&[]), End::Aborted)
    } else if marks & mark::SHUTDOWN != 0 {
        (ER_SERVER_SHUTDOWN.error(&[]), End::Orderly)
    } else {
        return if marks & mark::ABANDON != 0 { End::Aborted } else { End::Orderly };
    };
    parts.reply.begin(0);
    parts.reply.error(&error);
    parts.reply.say_last().await;
    end
}

/// The number of an answer to a packet that was refused at its header: the reader has not counted that one.
pub(super) fn sequence_after(sequence: u8, error: protocol::Error) -> u8 {
    match error {
        protocol::Error::TooBig { .. } => sequence.wrapping_add(1),
        _ => sequence,
    }
}

fn packet_size_max(connection: &Connection) -> usize {
    let max = connection.limits().max_allowed_packet.load(Ordering::Relaxed);
    usize::try_from(max).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::service::Sessions;

    fn size_of_made<F>(_: impl FnOnce(Arc<Net<Sessions>>, Visitor) -> F) -> usize {
        size_of::<F>()
    }

    #[test]
    fn an_idle_connection_keeps_less_than_a_page() {
        let size = size_of_made(serve::<Sessions>);
        assert!((1024..4096).contains(&size), "{size} bytes");
    }
}
