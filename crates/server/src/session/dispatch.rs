//! Statements that have no plan.

use commit::CommitAck;
use sql::parse::{Statement, TableName};
use types::error::SqlError;
use types::error::table::{ER_BAD_DB_ERROR, ER_NO_DB_ERROR, ER_NOT_SUPPORTED_YET, ER_UNKNOWN_STMT_HANDLER};

use super::result::Format;
use super::{Client, Wire, count};
use crate::accounts::Privileges;

type Result<T> = std::result::Result<T, SqlError>;

impl Client {
    /// Carries a statement out, and answers. One that fails may leave locks and a snapshot: see [`Client::leave_nothing`].
    pub(super) async fn other(
        &mut self,
        statement: Statement,
        sql: &[u8],
        format: Format,
        more: bool,
        wire: &mut dyn Wire,
    ) -> Result<()> {
        if let Some(counter) = count::of_statement(&statement) {
            self.counters.bump(counter);
        }
        match statement {
            Statement::Begin(start) => self.begin(start, more, wire).await,
            Statement::Commit(completion) => self.commit(completion, more, wire).await,
            Statement::Rollback(completion) => self.rollback(completion, more, wire).await,
            Statement::Set(items) => self.set(items, more, wire).await,
            Statement::Execute(execute) => self.execute_named(execute, more, wire).await,
            Statement::Show(show) => {
                if !show.is_of_conditions() {
                    self.refuse_behind_xa()?;
                }
                self.show(*show, format, more, wire).await
            }
            Statement::Maintain(maintenance) => self.maintain(maintenance, format, more, wire).await,
            Statement::Xa(xa) => self.xa(xa, format, more, wire).await,
            Statement::Explain(explain) => self.explain(explain, sql, format, more, wire).await,
            other => {
                let ack = if self.is_of_temporary(&other) {
                    let ack = self.change_temporary(other, sql).await?;
                    self.spend_gtid().await?;
                    ack
                } else {
                    self.carry_out(other, sql).await?
                };
                self.done(ack, more, wire);
                Ok(())
            }
        }
    }

    /// Carries out a statement whose answer is OK.
    async fn carry_out(&mut self, statement: Statement, sql: &[u8]) -> Result<Option<CommitAck>> {
        match statement {
            Statement::Use(db) => self.enter_database(&db)?,
            Statement::Do(exprs) => drop(self.values(&exprs.iter().collect::<Vec<_>>()).await?),
            Statement::Savepoint(_) | Statement::RollbackTo(_) | Statement::ReleaseSavepoint(_) => {
                self.change_savepoints(&statement)?;
            }
            Statement::LockTables(locks) => self.lock_named_tables(&locks).await?,
            Statement::UnlockTables => return self.unlock_tables().await,
            Statement::LockInstance => self.lock_instance().await?,
            Statement::UnlockInstance => self.unlock_instance()?,
            Statement::Prepare(prepare) => self.prepare_named(prepare)?,
            Statement::Deallocate(name) => self.deallocate_named(&name)?,
            Statement::Truncate(table) if self.empties_picture(&table)? => {}
            Statement::CreateTable(_)
            | Statement::CreateTableLike(_)
            | Statement::AlterTable(_)
            | Statement::DropTables(_)
            | Statement::CreateView(_)
            | Statement::DropViews(_)
            | Statement::DropStored(_)
            | Statement::Truncate(_)
            | Statement::RenameTables(_)
            | Statement::CreateDatabase(_)
            | Statement::AlterDatabase(_)
            | Statement::DropDatabase(_) => return self.define(statement, sql, false).await,
            Statement::ManageUsers(_)
            | Statement::DropUsers(_)
            | Statement::RenameUsers(_)
            | Statement::Grant(_)
            | Statement::Revoke(_) => return self.define(statement, sql, true).await,
            Statement::Binlog(events) => return Box::pin(self.replay(&events)).await,
            Statement::ChangeSource(_) | Statement::StartReplica(..) | Statement::StopReplica(_) => {
                return self.change_replica(statement).await.map(Some);
            }
            Statement::Flush(_)
            | Statement::Purge(_)
            | Statement::Reset(_)
            | Statement::Kill(_)
            | Statement::InstallPlugin(_)
            | Statement::UninstallPlugin(_)
            | Statement::Shutdown => return self.administer(statement, sql).await,
            Statement::Unsupported { what } => return Err(unsupported(what)),
            Statement::Help(_) => return Err(unsupported("HELP")),
            Statement::Query(_)
            | Statement::SelectInto(_)
            | Statement::Insert(_)
            | Statement::Load(_)
            | Statement::Update(_)
            | Statement::Delete(_)
            | Statement::Begin(_)
            | Statement::Commit(_)
            | Statement::Rollback(_)
            | Statement::Set(_)
            | Statement::Execute(_)
            | Statement::Show(_)
            | Statement::Xa(_)
            | Statement::Explain(_)
            | Statement::Maintain(_) => unreachable!("these are answered elsewhere"),
        }
        Ok(None)
    }

    /// Changes the schema, or accounts: a transaction by itself.
    async fn define(
        &mut self,
        statement: Statement,
        sql: &[u8],
        accounts: bool,
    ) -> Result<Option<CommitAck>> {
        self.may_commit_implicitly()?;
        if self.passes_over_change()? {
            self.lose_gtid();
            return Ok(None);
        }
        if accounts {
            self.change_accounts(statement).await.map(Some)
        } else {
            self.change_schema(statement, sql).await.map(Some)
        }
    }

    /// TRUNCATE of a log that is a table, of `host_cache` or the statement digests. False if the name is another one.
    fn empties_picture(&self, table: &TableName) -> Result<bool> {
        const PICTURES: [(&str, &str); 4] = [
            ("mysql", "general_log"),
            ("mysql", "slow_log"),
            ("performance_schema", "host_cache"),
            ("performance_schema", "events_statements_summary_by_digest"),
        ];
        let named = PICTURES.iter().find(|(db, name)| self.is_table_of(db, name, table));
        let Some((db, name)) = named else { return Ok(false) };
        self.access.on_table(Privileges::DROP, db, name)?;
        match *name {
            "general_log" => self.shared.common.general_log.forget(),
            "slow_log" => self.shared.common.slow_log.forget(),
            "events_statements_summary_by_digest" => self.shared.common.digests.forget(),
            _ => self.shared.connections.flush_hosts(),
        }
        Ok(true)
    }

    /// DEALLOCATE PREPARE. Error 1243.
    fn deallocate_named(&mut self, name: &str) -> Result<()> {
        if self.deallocate(name) {
            self.note_change();
            return Ok(());
        }
        Err(ER_UNKNOWN_STMT_HANDLER.error(&[&name, &"DEALLOCATE PREPARE"]))
    }

    /// USE, COM_INIT_DB, a login's database. Errors 1044 and 1049.
    pub(super) fn enter_database(&mut self, db: &str) -> Result<()> {
        self.access.use_database(db)?;
        self.use_database(db)
    }

    /// Makes a database the default. Error 1049.
    pub(super) fn use_database(&mut self, db: &str) -> Result<()> {
        let catalog = self.shared.store.catalog();
        let collation = match catalog.database(db) {
            Some(database) => database.def.collation,
            None if self.sql.server.is_virtual_database(db) => types::collation::Collation::Utf8mb4GeneralCi,
            None => return Err(ER_BAD_DB_ERROR.error(&[&db])),
        };
        self.sql.db = Some(db.to_owned());
        self.vars.collation_database = collation;
        if self.vars.track.schema {
            self.track.schema(db.as_bytes());
        }
        self.note_change();
        self.settings_changed();
        Ok(())
    }

    /// The database of a name that may say none.
    pub(super) fn database_of(&self, db: Option<&str>) -> Result<String> {
        let db = db.or(self.sql.db.as_deref());
        db.map(str::to_owned).ok_or_else(|| ER_NO_DB_ERROR.error(&[]))
    }

    /// UNLOCK TABLES: ends the transaction if tables were locked.
    async fn unlock_tables(&mut self) -> Result<Option<CommitAck>> {
        self.global_lock = None;
        if self.locked.is_none() {
            return Ok(None);
        }
        let ack = self.end_transaction().await?;
        self.locked = None;
        Ok(Some(ack))
    }
}

/// Error 1235.
pub(super) fn unsupported(what: &str) -> SqlError {
    ER_NOT_SUPPORTED_YET.error(&[&what])
}
