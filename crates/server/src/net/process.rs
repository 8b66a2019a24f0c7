//! What SHOW PROCESSLIST shows of a connection.

use protocol::command::Command;

use crate::status::Waits;

/// What a connection does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum CommandKind {
    /// Logs in.
    Connect,
    /// Waits for a command.
    Sleep,
    /// Executes SQL.
    Query,
    /// Changes the default database.
    InitDb,
    /// Lists a table's columns.
    FieldList,
    /// Prepares a statement.
    Prepare,
    /// Executes a prepared statement.
    Execute,
    /// Receives a part of a parameter.
    LongData,
    /// Forgets a statement.
    CloseStmt,
    /// Resets a statement.
    ResetStmt,
    /// Fetches rows of a cursor.
    Fetch,
    /// Sends the binlog.
    BinlogDump,
    /// Sends the binlog by GTIDs.
    BinlogDumpGtid,
    /// Registers a replica.
    RegisterReplica,
    /// Becomes somebody else.
    ChangeUser,
    /// Starts over.
    ResetConnection,
    /// Ends, because of a KILL.
    Killed,
    /// Anything that takes no time.
    Other,
}

impl CommandKind {
    const ALL: [Self; 18] = [
        Self::Connect,
        Self::Sleep,
        Self::Query,
        Self::InitDb,
        Self::FieldList,
        Self::Prepare,
        Self::Execute,
        Self::LongData,
        Self::CloseStmt,
        Self::ResetStmt,
        Self::Fetch,
        Self::BinlogDump,
        Self::BinlogDumpGtid,
        Self::RegisterReplica,
        Self::ChangeUser,
        Self::ResetConnection,
        Self::Killed,
        Self::Other,
    ];

    /// The kind of a command.
    pub fn of(command: &Command<'_>) -> Self {
        match command {
            Command::Query(_) => Self::Query,
            Command::InitDb(_) => Self::InitDb,
            Command::FieldList { .. } => Self::FieldList,
            Command::StmtPrepare(_) => Self::Prepare,
            Command::StmtExecute(_) => Self::Execute,
            Command::StmtSendLongData { .. } => Self::LongData,
            Command::StmtClose(_) => Self::CloseStmt,
            Command::StmtReset(_) => Self::ResetStmt,
            Command::StmtFetch { .. } => Self::Fetch,
            Command::BinlogDump(_) => Self::BinlogDump,
            Command::BinlogDumpGtid(_) => Self::BinlogDumpGtid,
            Command::RegisterReplica(_) => Self::RegisterReplica,
            Command::ChangeUser(_) => Self::ChangeUser,
            Command::ResetConnection => Self::ResetConnection,
            _ => Self::Other,
        }
    }

    /// MySQL's word for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Connect => "Connect",
            Self::Sleep => "Sleep",
            Self::Query => "Query",
            Self::InitDb => "Init DB",
            Self::FieldList => "Field List",
            Self::Prepare => "Prepare",
            Self::Execute => "Execute",
            Self::LongData => "Long Data",
            Self::CloseStmt => "Close stmt",
            Self::ResetStmt => "Reset stmt",
            Self::Fetch => "Fetch",
            Self::BinlogDump => "Binlog Dump",
            Self::BinlogDumpGtid => "Binlog Dump GTID",
            Self::RegisterReplica => "Register Slave",
            Self::ChangeUser => "Change user",
            Self::ResetConnection => "Reset Connection",
            Self::Killed => "Killed",
            Self::Other => "Statistics",
        }
    }

    /// The kind of a number.
    pub(super) fn from_u8(number: u8) -> Self {
        Self::ALL.get(usize::from(number)).copied().unwrap_or(Self::Other)
    }
}

/// A row of SHOW PROCESSLIST.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProcessRow {
    /// The connection.
    pub id: u32,
    /// The account's user; `unauthenticated user` before the login.
    pub user: String,
    /// From where, with the port.
    pub host: String,
    /// The default database.
    pub db: Option<String>,
    /// What it does.
    pub command: CommandKind,
    /// For how many seconds.
    pub time_s: u64,
    /// How far it is.
    pub state: &'static str,
    /// What it waits for.
    pub waits: Waits,
    /// The statement, at most 1,024 bytes of it.
    pub info: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_has_its_number() {
        for kind in CommandKind::ALL {
            assert_eq!(CommandKind::from_u8(kind as u8), kind);
        }
        assert_eq!(CommandKind::from_u8(200), CommandKind::Other);
    }
}
