//! What a client asks for, once it is in.
//!
//! A command is one packet (COM_STMT_SEND_LONG_DATA too: each of its packets is a command) whose first byte
//! says which. Everything is borrowed from the packet; text is bytes in the session's character set.
//!
//! | byte | command | what follows |
//! | --- | --- | --- |
//! | 0x01 | COM_QUIT | |
//! | 0x02 | COM_INIT_DB | database, to the end |
//! | 0x03 | COM_QUERY | attributes if negotiated, SQL to the end |
//! | 0x04 | COM_FIELD_LIST | table to NUL, wildcard to the end |
//! | 0x07 | COM_REFRESH | flags u8 |
//! | 0x09 | COM_STATISTICS | |
//! | 0x0A | COM_PROCESS_INFO | |
//! | 0x0C | COM_PROCESS_KILL | connection id u32 |
//! | 0x0D | COM_DEBUG | |
//! | 0x0E | COM_PING | |
//! | 0x11 | COM_CHANGE_USER | [`ChangeUser`] |
//! | 0x12 | COM_BINLOG_DUMP | [`BinlogDump`] |
//! | 0x15 | COM_REGISTER_SLAVE | [`RegisterReplica`] |
//! | 0x16 | COM_STMT_PREPARE | SQL to the end |
//! | 0x17 | COM_STMT_EXECUTE | [`Execute`] |
//! | 0x18 | COM_STMT_SEND_LONG_DATA | statement u32, parameter u16, data to the end |
//! | 0x19 | COM_STMT_CLOSE | statement u32 |
//! | 0x1A | COM_STMT_RESET | statement u32 |
//! | 0x1B | COM_SET_OPTION | u16: 0 multiple statements on, 1 off |
//! | 0x1C | COM_STMT_FETCH | statement u32, rows u32 |
//! | 0x1E | COM_BINLOG_DUMP_GTID | [`BinlogDumpGtid`] |
//! | 0x1F | COM_RESET_CONNECTION | |
//!
//! Whether a session may use a command is not decided here.

mod attributes;
mod execute;
mod param;

pub use attributes::QueryAttributes;
pub use execute::{Execute, Params};
pub use param::{Param, ParamType, ParamTypes};

use crate::handshake::ChangeUser;
use crate::replication::{BinlogDump, BinlogDumpGtid, RegisterReplica};
use crate::wire::Capabilities;
use crate::wire::cursor::Cursor;
use crate::{Error, Result};

/// A command and its arguments.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Command<'a> {
    /// The client leaves. No reply.
    Quit,
    /// Changes the default database.
    InitDb(&'a [u8]),
    /// Executes SQL.
    Query(Query<'a>),
    /// Asks for a table's columns; an old form that some clients still use at start-up.
    FieldList {
        /// The table, in the default database.
        table: &'a [u8],
        /// A LIKE pattern, empty for all columns.
        wildcard: &'a [u8],
    },
    /// FLUSH of old clients.
    Refresh(u8),
    /// Asks for a line of text about the server. The reply is the bare text.
    Statistics,
    /// SHOW PROCESSLIST of old clients.
    ProcessInfo,
    /// KILL of old clients.
    ProcessKill(u32),
    /// Asks the server to dump debug information to its log. Answered by EOF.
    Debug,
    /// Asks whether the server lives.
    Ping,
    /// The session starts over as somebody else.
    ChangeUser(ChangeUser<'a>),
    /// A replica wants binlog events from a position on.
    BinlogDump(BinlogDump<'a>),
    /// A replica introduces itself.
    RegisterReplica(RegisterReplica<'a>),
    /// Prepares a statement.
    StmtPrepare(&'a [u8]),
    /// Executes a prepared statement.
    StmtExecute(Execute<'a>),
    /// Appends to a parameter. No reply, not even of an error: that comes with the execution.
    StmtSendLongData {
        /// The statement.
        statement_id: u32,
        /// The parameter, counted from 0.
        param: u16,
        /// What to append.
        data: &'a [u8],
    },
    /// Forgets a statement. No reply.
    StmtClose(u32),
    /// Forgets a statement's long data and cursor.
    StmtReset(u32),
    /// Allows or forbids several statements in one COM_QUERY. Answered by EOF.
    SetOption {
        /// Whether they are allowed.
        multi_statements: bool,
    },
    /// Asks for rows of a statement's cursor.
    StmtFetch {
        /// The statement.
        statement_id: u32,
        /// The most rows to send.
        rows: u32,
    },
    /// A replica wants the binlog events that it does not have.
    BinlogDumpGtid(BinlogDumpGtid<'a>),
    /// The session starts over as the same user.
    ResetConnection,
}

/// SQL, and what the client says beside it.
#[derive(Clone, Copy, Debug)]
pub struct Query<'a> {
    /// Named values; none unless [`Capabilities::QUERY_ATTRIBUTES`] was negotiated.
    pub attributes: QueryAttributes<'a>,
    /// One statement, or several.
    pub sql: &'a [u8],
}

impl<'a> Command<'a> {
    /// Decodes the payload of a command packet.
    ///
    /// # Errors
    /// [`Error::UnknownCommand`] and [`Error::Malformed`]; the connection can go on after both.
    pub fn parse(payload: &'a [u8], capabilities: Capabilities) -> Result<Self> {
        let (&code, rest) = payload.split_first().ok_or(Error::Malformed("empty packet"))?;
        let with = |packet| Cursor::new(rest, packet);
        Ok(match code {
            0x01 => Self::Quit,
            0x02 => Self::InitDb(rest),
            0x03 => Self::Query(Query::decode(with("COM_QUERY"), capabilities)?),
            0x04 => {
                let mut cursor = with("COM_FIELD_LIST");
                Self::FieldList { table: cursor.nul_bytes()?, wildcard: cursor.nul_or_rest() }
            }
            0x07 => Self::Refresh(with("COM_REFRESH").u8()?),
            0x09 => Self::Statistics,
            0x0A => Self::ProcessInfo,
            0x0C => Self::ProcessKill(with("COM_PROCESS_KILL").u32()?),
            0x0D => Self::Debug,
            0x0E => Self::Ping,
            0x11 => Self::ChangeUser(ChangeUser::decode(with("COM_CHANGE_USER"), capabilities)?),
            0x12 => Self::BinlogDump(BinlogDump::decode(with("COM_BINLOG_DUMP"))?),
            0x15 => Self::RegisterReplica(RegisterReplica::decode(with("COM_REGISTER_SLAVE"))?),
            0x1E => Self::BinlogDumpGtid(BinlogDumpGtid::decode(with("COM_BINLOG_DUMP_GTID"))?),
            0x1F => Self::ResetConnection,
            0x16..=0x1C => Self::parse_statement(code, rest, capabilities)?,
            _ => return Err(Error::UnknownCommand(code)),
        })
    }

    /// The commands of prepared statements.
    fn parse_statement(code: u8, rest: &'a [u8], capabilities: Capabilities) -> Result<Self> {
        let with = |packet| Cursor::new(rest, packet);
        Ok(match code {
            0x16 => Self::StmtPrepare(text(rest)),
            0x17 => Self::StmtExecute(Execute::decode(with("COM_STMT_EXECUTE"), capabilities)?),
            0x18 => {
                let mut cursor = with("COM_STMT_SEND_LONG_DATA");
                let (statement_id, param) = (cursor.u32()?, cursor.u16()?);
                Self::StmtSendLongData { statement_id, param, data: cursor.rest() }
            }
            0x19 => Self::StmtClose(with("COM_STMT_CLOSE").u32()?),
            0x1A => Self::StmtReset(with("COM_STMT_RESET").u32()?),
            0x1B => {
                let mut cursor = with("COM_SET_OPTION");
                match cursor.u16()? {
                    0 => Self::SetOption { multi_statements: true },
                    1 => Self::SetOption { multi_statements: false },
                    _ => return Err(cursor.malformed()),
                }
            }
            0x1C => {
                let mut cursor = with("COM_STMT_FETCH");
                Self::StmtFetch { statement_id: cursor.u32()?, rows: cursor.u32()? }
            }
            _ => return Err(Error::UnknownCommand(code)),
        })
    }
}

impl<'a> Query<'a> {
    fn decode(mut cursor: Cursor<'a>, capabilities: Capabilities) -> Result<Self> {
        let attributes = if capabilities.contains(Capabilities::QUERY_ATTRIBUTES) {
            QueryAttributes::decode(&mut cursor)?
        } else {
            QueryAttributes::default()
        };
        Ok(Self { attributes, sql: text(cursor.rest()) })
    }
}

/// A statement's text. MySQL's lexer takes a NUL at its very end for the end, and some clients send one.
fn text(bytes: &[u8]) -> &[u8] {
    bytes.strip_suffix(b"\0").unwrap_or(bytes)
}
