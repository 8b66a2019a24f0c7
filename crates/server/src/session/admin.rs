//! FLUSH, PURGE, KILL, INSTALL PLUGIN, SHUTDOWN.

use std::pin::pin;
use std::sync::Arc;

use binlog::{BinlogName, ChecksumAlg};
use commit::{CommitAck, PurgeError, Purged, RotateError};
use sql::parse::{Flush, FlushTables, FlushWhat, Kill, Purge, Statement, TableLock, TableName};
use sqlparser::ast::Expr;
use types::error::SqlError;
use types::error::table::{
    ER_CANNOT_PURGE_BINLOG_WITH_BACKUP_LOCK, ER_DISK_FULL, ER_KILL_DENIED_ERROR,
    ER_LOCK_OR_ACTIVE_TRANSACTION, ER_LOG_PURGE_UNKNOWN_ERR, ER_NO_SUCH_THREAD, ER_PLUGIN_DELETE_BUILTIN,
    ER_QUERY_INTERRUPTED, ER_SP_DOES_NOT_EXIST, ER_TABLEACCESS_DENIED_ERROR, ER_UDF_EXISTS,
    ER_UNKNOWN_TARGET_BINLOG, ER_WARN_PURGE_LOG_IN_USE, ER_WRONG_ARGUMENTS,
};
use types::value::Value;
use types::warning::Level;

use super::dispatch::unsupported;
use super::transaction::commit_error;
use super::{Client, Shared, Transaction};
use crate::accounts::Privileges;
use crate::info;
use crate::net::KillKind;
use crate::status::{Gauges, Waits};

type Result<T> = std::result::Result<T, SqlError>;

impl Client {
    /// Carries such a statement out.
    pub(super) async fn administer(&mut self, statement: Statement, sql: &[u8]) -> Result<Option<CommitAck>> {
        let _ = sql;
        match statement {
            Statement::Flush(flush) => return self.flush(flush).await,
            Statement::Purge(purge) => self.purge(purge).await?,
            Statement::Reset(what) => return self.forget(what).await,
            Statement::Kill(kill) => self.kill(kill).await?,
            // Plugins are built in or are not there.
            Statement::InstallPlugin(name) if info::is_plugin(&name) => {
                return Err(ER_UDF_EXISTS.error(&[&name]));
            }
            Statement::InstallPlugin(_) => return Err(unsupported("INSTALL PLUGIN")),
            Statement::UninstallPlugin(name) if info::is_plugin(&name) => {
                return Err(ER_PLUGIN_DELETE_BUILTIN.error(&[]));
            }
            Statement::UninstallPlugin(name) => {
                return Err(ER_SP_DOES_NOT_EXIST.error(&[&"PLUGIN", &name]));
            }
            Statement::Shutdown => {
                self.access.require(Privileges::SHUTDOWN, "", "SHUTDOWN")?;
                self.shared.common.shutdown.notify_one();
            }
            _ => unreachable!("only administrative statements come here"),
        }
        Ok(None)
    }

    async fn flush(&mut self, flush: Flush) -> Result<Option<CommitAck>> {
        for what in &flush.what {
            // What backups need can be granted by itself.
            let own = match what {
                FlushWhat::Tables(..) => "FLUSH_TABLES",
                FlushWhat::Status => "FLUSH_STATUS",
                FlushWhat::UserResources => "FLUSH_USER_RESOURCES",
                FlushWhat::OptimizerCosts => "FLUSH_OPTIMIZER_COSTS",
                _ => "",
            };
            let names = if own.is_empty() { "RELOAD".to_owned() } else { format!("RELOAD or {own}") };
            self.access.require(Privileges::RELOAD, own, &names)?;
        }
        let ack = self.end_transaction().await?;
        // Before a read lock keeps it out.
        self.spend_gtid().await?;
        for what in flush.what {
            match what {
                FlushWhat::Logs => {
                    self.shared.reopen_general_log();
                    self.shared.reopen_slow_log();
                    self.rotate_binlog(None).await?;
                }
                FlushWhat::BinaryLogs => self.rotate_binlog(None).await?,
                FlushWhat::OtherLogs("GENERAL LOGS") => self.shared.reopen_general_log(),
                FlushWhat::OtherLogs("SLOW LOGS") => self.shared.reopen_slow_log(),
                FlushWhat::Tables(tables, how) => {
                    if tables.is_empty() {
                        Gauges::bump(&self.shared.status.gauges.flush_commands);
                    }
                    // There is nothing to close.
                    if how == FlushTables::ReadLock {
                        self.flush_with_read_lock(tables).await?;
                    }
                }
                // There is nothing that these would have to do: nothing is kept that could be out of date.
                FlushWhat::EngineLogs
                | FlushWhat::OtherLogs(_)
                | FlushWhat::Privileges
                | FlushWhat::UserResources
                | FlushWhat::OptimizerCosts => {}
                FlushWhat::Hosts => self.shared.connections.flush_hosts(),
                FlushWhat::Status => {
                    self.shared.status.flush(&self.counters, self.shared.connections.sessions());
                }
            }
        }
        Ok(Some(ack))
    }

    /// FLUSH TABLES WITH READ LOCK: of these tables, as LOCK TABLES locks them, or of everything.
    async fn flush_with_read_lock(&mut self, tables: Vec<TableName>) -> Result<()> {
        if self.locked.is_some() {
            return Err(ER_LOCK_OR_ACTIVE_TRANSACTION.error(&[]));
        }
        if tables.is_empty() {
            return self.lock_globally().await;
        }
        let lock = |table| TableLock { table, alias: None, write: false };
        let locks: Vec<TableLock> = tables.into_iter().map(lock).collect();
        self.lock_named_tables(&locks).await
    }

    /// FLUSH BINARY LOGS; a new way in which events end.
    pub(super) async fn rotate_binlog(&mut self, checksum: Option<ChecksumAlg>) -> Result<()> {
        if self.shared.pipeline.binlog().is_none() {
            return Ok(());
        }
        let transaction = self.another_transaction("rotate");
        self.shared.rotate_binlog(transaction, self.log.origin, checksum).await
    }

    /// [`Shared::binlog_files_catch_up`]
    pub(super) async fn binlog_files_catch_up(&self) -> Result<()> {
        self.shared.binlog_files_catch_up().await
    }

    /// PURGE BINARY LOGS. What a checkpoint has not made superfluous stays: one is taken first.
    async fn purge(&mut self, purge: Purge) -> Result<()> {
        self.access.require(Privileges::SUPER, "BINLOG_ADMIN", "SUPER or BINLOG_ADMIN")?;
        if self.shared.pipeline.binlog().is_none() {
            return Ok(());
        }
        let target = match purge {
            Purge::To(name) => Ok(name),
            // It may take its time: nobody is kept out meanwhile.
            Purge::Before(expr) => Err(self.unix_seconds(&expr).await?),
        };
        let keepers = Arc::clone(&self.shared.common.keepers);
        let removal = async { Ok(keepers.remove_binlogs().await) };
        let removal = self.kill.unless_killed(pin!(removal)).await?;
        let _removal = removal.ok_or_else(|| ER_CANNOT_PURGE_BINLOG_WITH_BACKUP_LOCK.error(&[]))?;
        let begun_by = |seconds| {
            let found = self.shared.pipeline.last_binlog_begun_by(seconds);
            found.map(|name| name.map(|name| name.to_string())).map_err(|error| purge_error(&error))
        };
        let target = target.map_or_else(begun_by, |name| Ok(Some(name)))?;
        let Some(target) = target else { return Ok(()) };
        // A full disk has no room for a checkpoint: what the last one covers goes all the same, and makes some.
        let full = match self.shared.schema.take_checkpoint().await {
            Err(error) if error.is(&ER_DISK_FULL) => Some(error),
            taken => taken.map(|()| None)?,
        };
        let pipeline = Arc::clone(&self.shared.pipeline);
        let purged = tokio::task::spawn_blocking(move || {
            let name = BinlogName::parse(&target).ok_or(PurgeError::NotFound)?;
            let purged = pipeline.purge_to(&name)?;
            let left = pipeline.binlog().is_some_and(|files| files.index().names().first() < Some(&name));
            Ok((purged, left))
        });
        let purged = purged.await.map_err(|_| ER_LOG_PURGE_UNKNOWN_ERR.error(&[]))?;
        let (Purged { gone, in_use }, left) = purged.map_err(|error| purge_error(&error))?;
        tracing::info!(files = gone.len(), "binary logs purged");
        if let Some((file, readers, wanted)) = in_use {
            let args: [&dyn std::fmt::Display; 4] = [&file, &readers, &gone.len(), &wanted];
            self.warnings.push(Level::Warning, &ER_WARN_PURGE_LOG_IN_USE, &args);
        }
        full.filter(|_| left).map_or(Ok(()), Err)
    }

    /// A moment given as an expression, as `unix_timestamp()` understands it.
    async fn unix_seconds(&mut self, expr: &Expr) -> Result<u32> {
        let mut plan = self.bind_values(&[expr])?;
        let function = sql::func::find("unix_timestamp").expect("it is in the table");
        let output = &mut plan.output[0];
        let moment = std::mem::replace(&mut output.expr, sql::expr::Expr::Const(Value::Null));
        output.expr = function.call("unix_timestamp", vec![moment])?;
        let value = self.run_values(&plan).await?.pop().unwrap_or_default();
        let wrong = || ER_WRONG_ARGUMENTS.error(&[&"PURGE LOGS BEFORE"]);
        let seconds = value.as_ref().to_f64(&mut self.sql.reading(&mut self.warnings))?.ok_or_else(wrong)?;
        Ok(saturating_u32(seconds))
    }

    /// KILL. Error 1235 for a subquery.
    async fn kill(&mut self, kill: Kill) -> Result<()> {
        let no_subqueries =
            || unsupported("Usage of subqueries or stored function calls as part of this statement");
        let plan = self.bind_values(&[&*kill.id]).map_err(|error| {
            // Nothing but a subquery names a table.
            if error.is(&ER_TABLEACCESS_DENIED_ERROR) { no_subqueries() } else { error }
        })?;
        if !plan.subqueries.is_empty() {
            return Err(no_subqueries());
        }
        let value = self.run_values(&plan).await?.pop().unwrap_or_default();
        let id = match value {
            Value::Int(id) => u32::try_from(id).ok(),
            Value::UInt(id) => u32::try_from(id).ok(),
            _ => None,
        };
        let unknown = || {
            let mut text = Vec::new();
            value.as_ref().write_text(&mut text);
            ER_NO_SUCH_THREAD.error(&[&String::from_utf8_lossy(&text)])
        };
        let id = id.ok_or_else(unknown)?;
        let target = self.shared.connections.get(id).ok_or_else(unknown)?;
        let is_own = target.process().user == self.access.user();
        let is_system = || {
            let account = self.access.table().find(&target.process().user, &target.peer);
            account.is_some_and(|account| account.has_dynamic("SYSTEM_USER"))
        };
        let may = self.access.has_dynamic("CONNECTION_ADMIN")
            && (self.access.has_dynamic("SYSTEM_USER") || !is_system());
        if !is_own && !may {
            return Err(ER_KILL_DENIED_ERROR.error(&[&id]));
        }
        let kind = if kill.query_only { KillKind::Query } else { KillKind::Connection };
        self.shared.connections.kill(id, kind);
        // One's own statement is this one.
        if id == self.sql.connection_id { Err(ER_QUERY_INTERRUPTED.error(&[])) } else { Ok(()) }
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "saturates at both ends, which is meant"
)]
fn saturating_u32(seconds: f64) -> u32 {
    seconds as u32
}

fn purge_error(error: &PurgeError) -> SqlError {
    match error {
        PurgeError::NotFound => ER_UNKNOWN_TARGET_BINLOG.error(&[]),
        PurgeError::Fatal(error) => SqlError::with_message(&ER_LOG_PURGE_UNKNOWN_ERR, error.to_string()),
    }
}

impl Shared {
    /// FLUSH LOGS, which no session has asked for. The error log is not a file of the server's.
    pub async fn flush_logs(&self) -> Result<()> {
        self.reopen_general_log();
        self.reopen_slow_log();
        if self.pipeline.binlog().is_none() {
            return Ok(());
        }
        let timestamp = u32::try_from(crate::clock::unix_s()).unwrap_or(u32::MAX);
        let origin = binlog::Origin { timestamp, server_id: self.server_id };
        let transaction = self.transaction("rotate", &Arc::default(), 0);
        self.rotate_binlog(transaction, origin, None).await
    }

    async fn rotate_binlog(
        &self,
        transaction: Transaction,
        origin: binlog::Origin,
        checksum: Option<ChecksumAlg>,
    ) -> Result<()> {
        transaction.rotate(origin, checksum).await?;
        self.binlog_files_catch_up().await
    }

    /// Waits until the binlog files reach what is published: whoever lists or copies them finds whole ones.
    async fn binlog_files_catch_up(&self) -> Result<()> {
        let pipeline = Arc::clone(&self.pipeline);
        let caught_up = tokio::task::spawn_blocking(move || pipeline.catch_up()).await;
        match caught_up.map_err(|_| ER_QUERY_INTERRUPTED.error(&[]))? {
            Ok(()) => Ok(()),
            Err(error) => match self.pipeline.die("writing the binary log", error).await {},
        }
    }
}

impl Transaction {
    /// Takes a place in the commit order whose only effect is a new binlog file.
    pub(crate) async fn rotate(
        mut self,
        origin: binlog::Origin,
        checksum: Option<ChecksumAlg>,
    ) -> Result<()> {
        let cache = self.parts().1.take();
        let pending = self.pending(cache, origin);
        self.set_waits(Waits::ToCommit);
        let rotating = match self.pipeline().rotate(self.trx.id(), pending, checksum).await {
            Ok(rotating) => rotating,
            Err(RotateError::Refused(error)) => {
                self.set_waits(Waits::ForNothing);
                return Err(commit_error(error));
            }
            Err(RotateError::Fatal(error)) => match self.pipeline().die("writing the logs", error).await {},
        };
        self.set_waits(Waits::ForCommit);
        let _ack = rotating.await;
        self.set_waits(Waits::ForNothing);
        Ok(())
    }
}
