//! SHOW and DESCRIBE.

use sqlparser::ast::Expr;
use types::error::SqlError;

use super::Statement;
use super::account::{self, Account};
use super::admin::only_channel;
use super::cursor::{Cursor, utf8};
use super::error::unsupported;
use super::name::{self, TableName};
use super::query;
use super::set::SetScope;
use crate::lex::Kind;

/// SHOW.
#[derive(Clone, Debug)]
pub enum Show {
    /// DATABASES.
    Databases(Option<Filter>),
    /// TABLES.
    Tables {
        /// FULL: with the table's kind.
        full: bool,
        /// FROM.
        db: Option<String>,
        /// LIKE or WHERE.
        filter: Option<Filter>,
    },
    /// TABLE STATUS.
    TableStatus(Option<String>, Option<Filter>),
    /// OPEN TABLES.
    OpenTables(Option<String>, Option<Filter>),
    /// COLUMNS, FIELDS; DESCRIBE.
    Columns {
        /// FULL: with collation, privileges and comment.
        full: bool,
        /// Of which table.
        table: TableName,
        /// LIKE or WHERE.
        filter: Option<Filter>,
    },
    /// INDEX, KEYS.
    Index(TableName, Option<Filter>),
    /// CREATE TABLE.
    CreateTable(TableName),
    /// CREATE VIEW.
    CreateView(TableName),
    /// CREATE DATABASE, and whether IF NOT EXISTS was written.
    CreateDatabase(String, bool),
    /// CREATE USER.
    CreateUser(Account),
    /// ENGINES.
    Engines,
    /// CHARACTER SET.
    CharacterSet(Option<Filter>),
    /// COLLATION.
    Collation(Option<Filter>),
    /// WARNINGS, with offset and count.
    Warnings(Limit),
    /// ERRORS, with offset and count.
    Errors(Limit),
    /// COUNT(*) WARNINGS.
    WarningCount,
    /// COUNT(*) ERRORS.
    ErrorCount,
    /// PLUGINS.
    Plugins,
    /// PRIVILEGES.
    Privileges,
    /// EVENTS.
    Events(Option<String>, Option<Filter>),
    /// TRIGGERS.
    Triggers(Option<String>, Option<Filter>),
    /// PROCEDURE STATUS.
    ProcedureStatus(Option<Filter>),
    /// FUNCTION STATUS.
    FunctionStatus(Option<Filter>),
    /// VARIABLES.
    Variables(SetScope, Option<Filter>),
    /// STATUS.
    Status(SetScope, Option<Filter>),
    /// PROCESSLIST, and whether FULL.
    Processlist(bool),
    /// GRANTS; `None` = one's own.
    Grants(Option<Account>),
    /// BINARY LOGS.
    BinaryLogs,
    /// MASTER STATUS, BINARY LOG STATUS.
    BinaryLogStatus,
    /// BINLOG EVENTS.
    BinlogEvents {
        /// IN.
        log: Option<String>,
        /// FROM.
        position: Option<u64>,
        /// LIMIT.
        limit: Limit,
    },
    /// RELAYLOG EVENTS.
    RelaylogEvents,
    /// REPLICAS, and whether in the words of before 8.0.22.
    Replicas(bool),
    /// REPLICA STATUS; whether in the words of before 8.0.22.
    ReplicaStatus(bool),
    /// ENGINE x STATUS.
    EngineStatus(String),
    /// ENGINE x MUTEX.
    EngineMutex(String),
    /// ENGINE x LOGS.
    EngineLogs(String),
    /// PROFILES.
    Profiles,
}

impl Show {
    /// Whether it is about the conditions of the statement before: warnings and errors.
    pub fn is_of_conditions(&self) -> bool {
        matches!(self, Self::Warnings(_) | Self::Errors(_) | Self::WarningCount | Self::ErrorCount)
    }
}

/// Which rows are shown.
#[derive(Clone, Debug)]
pub enum Filter {
    /// Those whose first column matches.
    Like(String),
    /// Those for which this holds.
    Where(Box<Expr>),
}

/// LIMIT.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limit {
    /// Rows that are passed over.
    pub offset: u64,
    /// Rows that are shown at most.
    pub count: Option<u64>,
}

type Result<T> = std::result::Result<T, SqlError>;

/// Behind SHOW.
pub(super) fn parse(cursor: &mut Cursor<'_>) -> Result<Statement> {
    let show = match tables(cursor)? {
        Some(show) => show,
        None => match server(cursor)? {
            Some(show) => show,
            None => objects(cursor)?,
        },
    };
    cursor.expect_end()?;
    Ok(Statement::Show(Box::new(show)))
}

/// Behind DESCRIBE, DESC or EXPLAIN, at a table's name.
pub(super) fn describe(cursor: &mut Cursor<'_>) -> Result<Statement> {
    let table = name::table(cursor)?;
    let filter = match cursor.kind(0) {
        None => None,
        Some(Kind::Text) => Some(Filter::Like(cursor.text()?)),
        Some(_) => Some(Filter::Like(cursor.name()?.replace('\\', "\\\\").replace('_', "\\_"))),
    };
    cursor.expect_end()?;
    Ok(Statement::Show(Box::new(Show::Columns { full: false, table, filter })))
}

/// What is about tables and their parts.
fn tables(cursor: &mut Cursor<'_>) -> Result<Option<Show>> {
    let start = cursor.position();
    cursor.accept("EXTENDED");
    let full = cursor.accept("FULL");
    let show = if cursor.accept("TABLES") {
        let db = from_database(cursor)?;
        Show::Tables { full, db, filter: filter(cursor)? }
    } else if cursor.accept_any(&["COLUMNS", "FIELDS"]).is_some() {
        let table = from_table(cursor)?;
        Show::Columns { full, table, filter: filter(cursor)? }
    } else if cursor.accept_any(&["INDEX", "INDEXES", "KEYS"]).is_some() {
        let table = from_table(cursor)?;
        if cursor.is("LIKE") {
            return Err(cursor.error());
        }
        Show::Index(table, filter(cursor)?)
    } else if cursor.accept("TABLE STATUS") {
        let db = from_database(cursor)?;
        Show::TableStatus(db, filter(cursor)?)
    } else if cursor.accept("OPEN TABLES") {
        let db = from_database(cursor)?;
        Show::OpenTables(db, filter(cursor)?)
    } else if cursor.accept("TRIGGERS") {
        let db = from_database(cursor)?;
        Show::Triggers(db, filter(cursor)?)
    } else if cursor.accept("EVENTS") {
        let db = from_database(cursor)?;
        Show::Events(db, filter(cursor)?)
    } else {
        cursor.set_position(start);
        return Ok(None);
    };
    Ok(Some(show))
}

/// What is about the server and its sessions.
fn server(cursor: &mut Cursor<'_>) -> Result<Option<Show>> {
    if let Some(show) = scoped(cursor)? {
        return Ok(Some(show));
    }
    let show = if cursor.accept("FULL PROCESSLIST") {
        Show::Processlist(true)
    } else if cursor.accept("PROCESSLIST") {
        Show::Processlist(false)
    } else if cursor.accept_any(&["BINARY LOG STATUS", "MASTER STATUS"]).is_some() {
        Show::BinaryLogStatus
    } else if cursor.accept_any(&["BINARY LOGS", "MASTER LOGS"]).is_some() {
        Show::BinaryLogs
    } else if cursor.accept("BINLOG EVENTS") {
        binlog_events(cursor)?
    } else if cursor.accept("RELAYLOG EVENTS") {
        binlog_events(cursor)?;
        only_channel(cursor)?;
        Show::RelaylogEvents
    } else if let Some(words) = cursor.accept_any(&["REPLICAS", "SLAVE HOSTS"]) {
        Show::Replicas(words == "SLAVE HOSTS")
    } else if let Some(words) = cursor.accept_any(&["REPLICA STATUS", "SLAVE STATUS"]) {
        only_channel(cursor)?;
        Show::ReplicaStatus(words == "SLAVE STATUS")
    } else if cursor.accept("ENGINE") {
        engine(cursor)?
    } else if cursor.accept("PROFILES") {
        Show::Profiles
    } else if cursor.is("PROFILE") {
        return Err(unsupported("SHOW PROFILE"));
    } else {
        return Ok(None);
    };
    Ok(Some(show))
}

/// `[GLOBAL | SESSION | LOCAL] VARIABLES` or `STATUS`.
fn scoped(cursor: &mut Cursor<'_>) -> Result<Option<Show>> {
    let start = cursor.position();
    let scope = match cursor.accept_any(&["GLOBAL", "SESSION", "LOCAL"]) {
        Some("GLOBAL") => SetScope::Global,
        _ => SetScope::Session,
    };
    if cursor.accept("VARIABLES") {
        return Ok(Some(Show::Variables(scope, filter(cursor)?)));
    }
    if cursor.accept("STATUS") {
        return Ok(Some(Show::Status(scope, filter(cursor)?)));
    }
    if cursor.position() > start {
        return Err(cursor.error());
    }
    Ok(None)
}

/// The rest.
fn objects(cursor: &mut Cursor<'_>) -> Result<Show> {
    Ok(if cursor.accept_any(&["DATABASES", "SCHEMAS"]).is_some() {
        Show::Databases(filter(cursor)?)
    } else if cursor.accept("CREATE") {
        create(cursor)?
    } else if cursor.accept_any(&["STORAGE ENGINES", "ENGINES"]).is_some() {
        Show::Engines
    } else if cursor.accept_any(&["CHARACTER SET", "CHAR SET", "CHARSET"]).is_some() {
        Show::CharacterSet(filter(cursor)?)
    } else if cursor.accept("COLLATION") {
        Show::Collation(filter(cursor)?)
    } else if cursor.accept("WARNINGS") {
        Show::Warnings(limit(cursor)?)
    } else if cursor.accept("ERRORS") {
        Show::Errors(limit(cursor)?)
    } else if cursor.accept("COUNT ( * ) WARNINGS") {
        Show::WarningCount
    } else if cursor.accept("COUNT ( * ) ERRORS") {
        Show::ErrorCount
    } else if cursor.accept("PLUGINS") {
        Show::Plugins
    } else if cursor.accept("PRIVILEGES") {
        Show::Privileges
    } else if cursor.accept("PROCEDURE STATUS") {
        Show::ProcedureStatus(filter(cursor)?)
    } else if cursor.accept("FUNCTION STATUS") {
        Show::FunctionStatus(filter(cursor)?)
    } else if cursor.accept("GRANTS") {
        grants(cursor)?
    } else if cursor.accept_any(&["PROCEDURE CODE", "FUNCTION CODE", "PARSE_TREE"]).is_some() {
        return Err(unsupported("what only a debug server shows"));
    } else {
        return Err(cursor.error());
    })
}

fn create(cursor: &mut Cursor<'_>) -> Result<Show> {
    if cursor.accept("TABLE") {
        return name::table(cursor).map(Show::CreateTable);
    }
    if cursor.accept_any(&["DATABASE", "SCHEMA"]).is_some() {
        let if_not_exists = cursor.accept("IF NOT EXISTS");
        return Ok(Show::CreateDatabase(name::database(cursor)?, if_not_exists));
    }
    if cursor.accept("USER") {
        return account::account(cursor).map(Show::CreateUser);
    }
    match cursor.expect_any(&["VIEW", "PROCEDURE", "FUNCTION", "TRIGGER", "EVENT", "LIBRARY"])? {
        "VIEW" => name::table(cursor).map(Show::CreateView),
        what => Err(unsupported(&format!("SHOW CREATE {what}"))),
    }
}

fn grants(cursor: &mut Cursor<'_>) -> Result<Show> {
    if !cursor.accept("FOR") {
        return Ok(Show::Grants(None));
    }
    let account = account::account(cursor)?;
    if cursor.is("USING") {
        return Err(unsupported("roles"));
    }
    Ok(Show::Grants(Some(account)))
}

fn engine(cursor: &mut Cursor<'_>) -> Result<Show> {
    let name = if cursor.accept("ALL") { "ALL".to_owned() } else { cursor.name_or_text()? };
    Ok(match cursor.expect_any(&["STATUS", "MUTEX", "LOGS"])? {
        "STATUS" => Show::EngineStatus(name),
        "MUTEX" => Show::EngineMutex(name),
        _ => Show::EngineLogs(name),
    })
}

fn binlog_events(cursor: &mut Cursor<'_>) -> Result<Show> {
    let log = if cursor.accept("IN") { Some(cursor.text()?) } else { None };
    let position = if cursor.accept("FROM") { Some(cursor.number()?) } else { None };
    Ok(Show::BinlogEvents { log, position, limit: limit(cursor)? })
}

/// `LIMIT [offset,] count`, `LIMIT count OFFSET offset`.
fn limit(cursor: &mut Cursor<'_>) -> Result<Limit> {
    if !cursor.accept("LIMIT") {
        return Ok(Limit::default());
    }
    let first = cursor.number()?;
    if cursor.accept(",") {
        return Ok(Limit { offset: first, count: Some(cursor.number()?) });
    }
    let offset = if cursor.accept("OFFSET") { cursor.number()? } else { 0 };
    Ok(Limit { offset, count: Some(first) })
}

fn from_database(cursor: &mut Cursor<'_>) -> Result<Option<String>> {
    if cursor.accept_any(&["FROM", "IN"]).is_none() {
        return Ok(None);
    }
    name::database(cursor).map(Some)
}

/// `FROM t [FROM db]`
fn from_table(cursor: &mut Cursor<'_>) -> Result<TableName> {
    cursor.expect_any(&["FROM", "IN"])?;
    let mut table = name::table(cursor)?;
    if let Some(db) = from_database(cursor)? {
        table.db = Some(db);
    }
    Ok(table)
}

/// LIKE or WHERE.
fn filter(cursor: &mut Cursor<'_>) -> Result<Option<Filter>> {
    if cursor.accept("LIKE") {
        let bytes = cursor.text_bytes()?;
        return Ok(Some(Filter::Like(utf8(bytes)?)));
    }
    if cursor.accept("WHERE") {
        return Ok(Some(Filter::Where(query::expr(cursor)?)));
    }
    Ok(None)
}
