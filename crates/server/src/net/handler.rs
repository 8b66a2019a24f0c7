//! What executes commands: the border between connections and sessions.
//!
//! Dispatch is static: the server is generic over its [`Service`], so a command costs no virtual call and no box.

use std::future::Future;
use std::sync::Arc;

use protocol::command::Command;
use protocol::wire::{Capabilities, StatusFlags};
use types::error::SqlError;

use super::connection::Connection;
use super::inbound::Inbound;
use super::reply::{Gone, Reply};
use super::sent_file::SentFile;
use crate::accounts::Access;

/// Who has logged in, and how.
#[derive(Debug)]
pub struct Login {
    /// The account, the name and the place, and what they may do.
    pub access: Arc<Access>,
    /// The database that the client wants to begin in.
    pub database: Option<String>,
    /// The id of the collation that the client asks for; 0 stands for the server's default.
    pub charset: u16,
    /// What both sides can do.
    pub capabilities: Capabilities,
}

/// What becomes of the connection after a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It goes on, once the reply was sent.
    Continue,
    /// It ends, once the reply was sent.
    Close,
    /// The session takes it over ([`Handler::stream`]), and it ends with that.
    Stream,
    /// The reply asks for a file, with which the command goes on ([`Handler::load`]).
    Load,
}

/// Why a command was stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interruption {
    /// KILL QUERY: the client is told, and the session goes on.
    Query,
    /// KILL, or the server shuts down: the client is not told, the session ends.
    Connection,
}

/// Makes sessions.
pub trait Service: Send + Sync + 'static {
    /// A session.
    type Handler: Handler;

    /// A session for a client that has logged in; it has to take up the client's database (1044, 1049) and character
    /// set, and to give the connection its limits ([`Connection::set_limits`]). The error is the client's.
    fn open(&self, connection: &Arc<Connection>, login: &Login) -> Result<Self::Handler, SqlError>;

    /// Notes that a client was not let in that came as this user, and what it was told.
    fn note_refused(&self, connection: &Connection, user: &str, database: Option<&str>, told: &str) {
        let _ = (connection, user, database, told);
    }
}

/// A session, as its connection sees it. Its methods are called one after another.
pub trait Handler: Send + 'static {
    /// Executes a command and writes the reply, which the connection sends. COM_QUIT, COM_PING, COM_STATISTICS
    /// and COM_CHANGE_USER do not come here. The future may be dropped wherever it waits, unless the
    /// connection was given an [`super::Interrupt`]; [`Self::interrupted`] follows then.
    fn command(&mut self, command: Command<'_>, reply: &mut Reply) -> impl Future<Output = Outcome> + Send;

    /// Sends by itself after [`Outcome::Stream`], until the stream ends. The future may be dropped wherever it waits.
    fn stream(
        &mut self,
        inbound: &mut Inbound<'_>,
        reply: &mut Reply,
    ) -> impl Future<Output = Result<(), Gone>> + Send {
        let _ = (inbound, reply);
        std::future::ready(Ok(()))
    }

    /// Goes on with the file that was asked for with [`Outcome::Load`], reads it to its end, and writes the reply. As with
    /// [`Self::command`], the future may be dropped.
    fn load(&mut self, file: &mut SentFile<'_>, reply: &mut Reply) -> impl Future<Output = Outcome> + Send {
        let _ = (file, reply);
        std::future::ready(Outcome::Close)
    }

    /// The command was dropped. For [`Interruption::Query`] the reply ends with what is written here.
    fn interrupted(&mut self, why: Interruption, reply: &mut Reply) -> impl Future<Output = ()> + Send;

    /// The session starts over as somebody else, who has logged in. The error is the client's, and ends the connection.
    fn change_user(&mut self, login: &Login) -> impl Future<Output = Result<(), SqlError>> + Send;

    /// Notes a command that the connection answers itself, in MySQL's word for it.
    fn note(&self, command: &'static str) {
        let _ = command;
    }

    /// The session's state, for replies that the connection writes.
    fn status(&self) -> StatusFlags;

    /// The connection has ended: gives up what the session holds.
    fn end(self) -> impl Future<Output = ()> + Send;
}
