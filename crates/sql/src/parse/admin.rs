//! FLUSH, PURGE, RESET, KILL.

use sqlparser::ast::Expr;
use types::error::SqlError;

use super::Statement;
use super::cursor::Cursor;
use super::error::{ER_REPLICA_CHANNEL_DOES_NOT_EXIST, unsupported};
use super::name::{self, TableName};
use super::query;

/// FLUSH.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flush {
    /// LOCAL, NO_WRITE_TO_BINLOG: the statement is not logged.
    pub local: bool,
    /// What, in order.
    pub what: Vec<FlushWhat>,
}

/// What is flushed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FlushWhat {
    /// LOGS: all of them.
    Logs,
    /// BINARY LOGS: the binlog rotates.
    BinaryLogs,
    /// ENGINE LOGS.
    EngineLogs,
    /// ERROR, GENERAL, RELAY, SLOW LOGS.
    OtherLogs(&'static str),
    /// TABLES, of these names or all; locked or not.
    Tables(Vec<TableName>, FlushTables),
    /// PRIVILEGES.
    Privileges,
    /// STATUS.
    Status,
    /// HOSTS.
    Hosts,
    /// USER_RESOURCES.
    UserResources,
    /// OPTIMIZER_COSTS.
    OptimizerCosts,
}

/// How FLUSH TABLES leaves the tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FlushTables {
    /// As they were.
    Unlocked,
    /// WITH READ LOCK.
    ReadLock,
}

/// PURGE BINARY LOGS.
#[derive(Clone, Debug)]
pub enum Purge {
    /// Up to, and without, this file.
    To(String),
    /// Files that ended before this time.
    Before(Box<Expr>),
}

/// RESET.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reset {
    /// MASTER, BINARY LOGS AND GTIDS: all binlogs go; the number of the next file.
    BinaryLogs(Option<u64>),
    /// REPLICA, SLAVE.
    Replica {
        /// ALL.
        all: bool,
    },
    /// PERSIST: a variable, or all.
    Persist {
        /// IF EXISTS.
        if_exists: bool,
        /// Which.
        name: Option<String>,
    },
}

/// KILL.
#[derive(Clone, Debug)]
pub struct Kill {
    /// QUERY: only the running statement.
    pub query_only: bool,
    /// Whose.
    pub id: Box<Expr>,
}

type Result<T> = std::result::Result<T, SqlError>;

/// Behind FLUSH.
pub(super) fn flush(cursor: &mut Cursor<'_>) -> Result<Statement> {
    let local = cursor.accept_any(&["NO_WRITE_TO_BINLOG", "LOCAL"]).is_some();
    let what = if cursor.accept_any(&["TABLES", "TABLE"]).is_some() {
        vec![flush_tables(cursor)?]
    } else {
        cursor.list(flush_what)?
    };
    cursor.expect_end()?;
    Ok(Statement::Flush(Flush { local, what }))
}

fn flush_tables(cursor: &mut Cursor<'_>) -> Result<FlushWhat> {
    let tables = if cursor.at_name() { cursor.list(name::table)? } else { Vec::new() };
    if cursor.accept("FOR") {
        return Err(unsupported("FLUSH TABLES ... FOR EXPORT"));
    }
    if cursor.accept("WITH") {
        cursor.expect("READ LOCK")?;
        return Ok(FlushWhat::Tables(tables, FlushTables::ReadLock));
    }
    Ok(FlushWhat::Tables(tables, FlushTables::Unlocked))
}

fn flush_what(cursor: &mut Cursor<'_>) -> Result<FlushWhat> {
    const CHOICES: [&str; 13] = [
        "BINARY LOGS",
        "ENGINE LOGS",
        "ERROR LOGS",
        "GENERAL LOGS",
        "SLOW LOGS",
        "RELAY LOGS",
        "LOGS",
        "PRIVILEGES",
        "STATUS",
        "HOSTS",
        "USER_RESOURCES",
        "OPTIMIZER_COSTS",
        "RESOURCES",
    ];
    let found = cursor.expect_any(&CHOICES)?;
    if found == "RELAY LOGS" {
        only_channel(cursor)?;
    }
    Ok(match found {
        "BINARY LOGS" => FlushWhat::BinaryLogs,
        "ENGINE LOGS" => FlushWhat::EngineLogs,
        "LOGS" => FlushWhat::Logs,
        "PRIVILEGES" => FlushWhat::Privileges,
        "STATUS" => FlushWhat::Status,
        "HOSTS" => FlushWhat::Hosts,
        "USER_RESOURCES" | "RESOURCES" => FlushWhat::UserResources,
        "OPTIMIZER_COSTS" => FlushWhat::OptimizerCosts,
        other => FlushWhat::OtherLogs(other),
    })
}

/// Behind PURGE.
pub(super) fn purge(cursor: &mut Cursor<'_>) -> Result<Statement> {
    cursor.expect_any(&["BINARY", "MASTER"])?;
    cursor.expect("LOGS")?;
    let purge = if cursor.accept("TO") {
        Purge::To(cursor.text()?)
    } else {
        cursor.expect("BEFORE")?;
        refuse_subqueries(cursor)?;
        Purge::Before(query::expr(cursor)?)
    };
    cursor.expect_end()?;
    Ok(Statement::Purge(purge))
}

/// Error 1064 at the first subquery.
fn refuse_subqueries(cursor: &Cursor<'_>) -> Result<()> {
    let begins =
        |&token| ["SELECT", "WITH", "VALUES", "TABLE"].iter().any(|word| cursor.is_word(token, word));
    let rest = &cursor.tokens()[cursor.position()..];
    match rest.windows(2).position(|pair| cursor.text_of(pair[0]) == b"(" && begins(&pair[1])) {
        Some(place) => Err(cursor.error_at(cursor.position() + place)),
        None => Ok(()),
    }
}

/// Behind RESET.
pub(super) fn reset(cursor: &mut Cursor<'_>) -> Result<Statement> {
    let resets = cursor.list(|cursor| {
        Ok(match cursor.expect_any(&["MASTER", "BINARY LOGS AND GTIDS", "REPLICA", "SLAVE", "PERSIST"])? {
            "REPLICA" | "SLAVE" => {
                let all = cursor.accept("ALL");
                only_channel(cursor)?;
                Reset::Replica { all }
            }
            "PERSIST" => persist(cursor)?,
            _ => Reset::BinaryLogs(if cursor.accept("TO") { Some(cursor.number()?) } else { None }),
        })
    })?;
    cursor.expect_end()?;
    Ok(Statement::Reset(resets))
}

fn persist(cursor: &mut Cursor<'_>) -> Result<Reset> {
    let if_exists = cursor.accept("IF EXISTS");
    let name = if if_exists || cursor.at_name() { Some(cursor.name()?) } else { None };
    Ok(Reset::Persist { if_exists, name })
}

/// `FOR CHANNEL 'x'`
pub(super) fn channel(cursor: &mut Cursor<'_>) -> Result<Option<String>> {
    if !cursor.accept("FOR") {
        return Ok(None);
    }
    cursor.expect("CHANNEL")?;
    cursor.text().map(Some)
}

/// The same, of what there is: one channel, whose name is empty. Error 3074.
pub(super) fn only_channel(cursor: &mut Cursor<'_>) -> Result<()> {
    match channel(cursor)? {
        Some(name) if !name.is_empty() => Err(ER_REPLICA_CHANNEL_DOES_NOT_EXIST.error(&[&name])),
        _ => Ok(()),
    }
}

/// Behind INSTALL PLUGIN.
pub(super) fn install(cursor: &mut Cursor<'_>) -> Result<Statement> {
    let name = cursor.name()?;
    cursor.expect("SONAME")?;
    cursor.text()?;
    cursor.expect_end()?;
    Ok(Statement::InstallPlugin(name))
}

/// Behind KILL.
pub(super) fn kill(cursor: &mut Cursor<'_>) -> Result<Statement> {
    let query_only = cursor.accept_any(&["CONNECTION", "QUERY"]) == Some("QUERY");
    let id = query::expr(cursor)?;
    cursor.expect_end()?;
    Ok(Statement::Kill(Kill { query_only, id }))
}
