//! One command: what the connection answers itself, and what goes to the session.

use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use protocol::command::Command;
use protocol::frame::CHUNK_SIZE_MAX;
use protocol::reply::OkPacket;

use super::Net;
use super::connection::{Connection, mark};
use super::drive::End;
use super::handler::{Handler, Interruption, Outcome, Service};
use super::process::CommandKind;
use super::reply::Reply;
use crate::clock;
use crate::status::{Counter, Counters};

/// What is to be done after a look at what the client sent.
pub(super) enum Step {
    /// There is no whole packet yet.
    Read,
    /// A command is done; its reply is to be sent.
    Done(Outcome),
    /// COM_CHANGE_USER: its packet, kept because more has to be read.
    ChangeUser(Vec<u8>),
    /// What was sent is no packet of this conversation.
    Broken(protocol::Error),
    /// The connection ends.
    End(End),
}

/// Executes the command of a packet.
pub(super) async fn execute<S: Service>(
    net: &Arc<Net<S>>,
    packet: &[u8],
    connection: &Arc<Connection>,
    reply: &mut Reply,
    handler: &mut S::Handler,
) -> Step {
    let [chunks, ..] = (packet.len() / CHUNK_SIZE_MAX + 1).to_le_bytes();
    reply.begin(chunks);
    let command = match Command::parse(packet, reply.capabilities()) {
        Ok(command) => command,
        Err(error) if error.is_fatal() => return Step::Broken(error),
        Err(error) => {
            let capabilities = reply.capabilities();
            error.write(reply.packets(), capabilities);
            return Step::Done(Outcome::Continue);
        }
    };
    count(&connection.counters, &command);
    match command {
        Command::Quit => {
            handler.note("Quit");
            Step::End(End::Orderly)
        }
        Command::ChangeUser(_) => {
            let (now_ms, limits) = (clock::monotonic_ms(), connection.limits());
            connection.begin(CommandKind::ChangeUser, Some(b""), now_ms);
            // The client has to answer like one that logs in.
            let timeout_s = limits.net_read_timeout_s.load(Ordering::Relaxed);
            connection.set_deadline(now_ms + u64::from(timeout_s) * 1000);
            Step::ChangeUser(packet.to_vec())
        }
        Command::Ping => {
            reply.ok(&OkPacket { status: handler.status(), ..OkPacket::default() });
            Step::Done(Outcome::Continue)
        }
        Command::Statistics => {
            handler.note("Statistics");
            reply.packets().packet(net.statistics().as_bytes());
            Step::Done(Outcome::Continue)
        }
        command => {
            connection.begin(CommandKind::of(&command), text_of(&command), clock::monotonic_ms());
            // In a box: an idle connection does not keep room for what a statement needs. The box comes first, so that the
            // future is made in it, not copied into it.
            Box::into_pin(Box::write(Box::new_uninit(), run(command, connection, reply, handler))).await
        }
    }
}

/// Has the session execute a command, until it is done or stopped.
async fn run<H: Handler>(
    command: Command<'_>,
    connection: &Connection,
    reply: &mut Reply,
    handler: &mut H,
) -> Step {
    const KILLS: u16 = mark::KILL_QUERY | mark::KILL_CONNECTION;
    let always = mark::LOST;
    let stops = if connection.stops_itself() { always } else { always | KILLS };
    let marks = match connection.unless(stops, pin!(handler.command(command, reply))).await {
        Ok(outcome) => return Step::Done(outcome),
        Err(marks) => marks,
    };
    reply.rewind();
    if marks & always != 0 {
        return Step::End(End::Aborted);
    }
    connection.unmark(mark::KILL_QUERY);
    let why = match marks & mark::KILL_CONNECTION {
        0 => Interruption::Query,
        _ => Interruption::Connection,
    };
    handler.interrupted(why, reply).await;
    match why {
        Interruption::Query => Step::Done(Outcome::Continue),
        Interruption::Connection => Step::End(End::Orderly),
    }
}

/// What SHOW PROCESSLIST shows of a command; `None` if only the session knows.
fn text_of<'a>(command: &Command<'a>) -> Option<&'a [u8]> {
    match command {
        Command::Query(query) => Some(query.sql),
        Command::StmtPrepare(sql) => Some(sql),
        Command::InitDb(name) => Some(name),
        Command::StmtExecute(_) => None,
        _ => Some(b""),
    }
}

/// Counts a command as MySQL does. Statements (`Com_select` and the like) are the session's to count, and so are the
/// second and later statements of one COM_QUERY.
fn count(counters: &Counters, command: &Command<'_>) {
    let (kind, is_query, is_question) = match command {
        Command::Query(_) => (None, true, true),
        Command::StmtExecute(_) => (Some(Counter::ComStmtExecute), true, true),
        Command::StmtFetch { .. } => (Some(Counter::ComStmtFetch), true, true),
        Command::StmtSendLongData { .. } => (Some(Counter::ComStmtSendLongData), true, true),
        Command::StmtPrepare(_) => (Some(Counter::ComStmtPrepare), true, false),
        Command::StmtClose(_) => (Some(Counter::ComStmtClose), true, false),
        Command::StmtReset(_) => (Some(Counter::ComStmtReset), true, false),
        Command::InitDb(_) => (Some(Counter::ComChangeDb), true, true),
        Command::FieldList { .. } => (Some(Counter::ComShowFields), true, true),
        Command::Ping | Command::Statistics => (Some(Counter::ComAdminCommands), false, false),
        _ => (Some(Counter::ComAdminCommands), true, true),
    };
    for counter in kind.into_iter().chain(is_query.then_some(Counter::Queries)) {
        counters.bump(counter);
    }
    if is_question {
        counters.bump(Counter::Questions);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::service::Served;

    fn size_of_made<'a, F>(
        _: impl FnOnce(Command<'a>, &'a Connection, &'a mut Reply, &'a mut Served) -> F,
    ) -> usize {
        size_of::<F>()
    }

    /// What is rare belongs into boxes of its own: with 20 KB, making room for each statement took 6 % of the server's time.
    #[test]
    fn a_statement_makes_room_for_less_than_a_page_and_a_half() {
        let size = size_of_made(run::<Served>);
        assert!((1024..6144).contains(&size), "{size} bytes");
    }
}
