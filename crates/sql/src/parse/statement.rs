//! The statements that this server knows.

use sqlparser::ast::{Expr, Insert, Query};

use super::account::{Account, DropUsers, ManageUsers};
use super::admin::{Flush, Kill, Purge, Reset};
use super::database::{AlterDatabase, CreateDatabase, DropDatabase};
use super::dml::{DeleteStatement, SelectInto, UpdateStatement};
use super::explain::Explain;
use super::grant::{Grant, Revoke};
use super::load::LoadData;
use super::lock::TableLock;
use super::maintain::Maintenance;
use super::name::TableName;
use super::prepared::{Execute, Prepare};
use super::replica::{ChangeSource, ReplicaThreads, Until};
use super::set::SetItem;
use super::show::Show;
use super::stored::DropStored;
use super::table::{AlterTable, CreateTable, CreateTableLike, DropTables};
use super::transaction::{Completion, TransactionStart};
use super::view::{CreateView, DropViews};
use super::xa::Xa;

/// See the module.
#[derive(Clone, Debug)]
pub enum Statement {
    /// SELECT and whatever else is a query.
    Query(Box<Query>),
    /// SELECT .. INTO.
    SelectInto(SelectInto),
    /// INSERT, REPLACE.
    Insert(Box<Insert>),
    /// UPDATE.
    Update(Box<UpdateStatement>),
    /// DELETE.
    Delete(DeleteStatement),
    /// LOAD DATA.
    Load(Box<LoadData>),
    /// DO.
    Do(Vec<Expr>),
    /// EXPLAIN of a statement; that of a table is [`Show::Columns`].
    Explain(Explain),
    /// SHOW, DESCRIBE.
    Show(Box<Show>),
    /// CREATE TABLE.
    CreateTable(Box<CreateTable>),
    /// CREATE TABLE .. LIKE.
    CreateTableLike(CreateTableLike),
    /// ALTER TABLE, CREATE INDEX, DROP INDEX.
    AlterTable(Box<AlterTable>),
    /// DROP TABLE.
    DropTables(DropTables),
    /// TRUNCATE.
    Truncate(TableName),
    /// RENAME TABLE, one after another.
    RenameTables(Vec<(TableName, TableName)>),
    /// CREATE VIEW, ALTER VIEW.
    CreateView(Box<CreateView>),
    /// DROP VIEW.
    DropViews(DropViews),
    /// DROP PROCEDURE, FUNCTION, TRIGGER, EVENT.
    DropStored(DropStored),
    /// CREATE DATABASE.
    CreateDatabase(CreateDatabase),
    /// ALTER DATABASE.
    AlterDatabase(AlterDatabase),
    /// DROP DATABASE.
    DropDatabase(DropDatabase),
    /// USE.
    Use(String),
    /// SET.
    Set(Vec<SetItem>),
    /// BEGIN, START TRANSACTION.
    Begin(TransactionStart),
    /// COMMIT.
    Commit(Completion),
    /// ROLLBACK.
    Rollback(Completion),
    /// ROLLBACK TO SAVEPOINT.
    RollbackTo(String),
    /// SAVEPOINT.
    Savepoint(String),
    /// RELEASE SAVEPOINT.
    ReleaseSavepoint(String),
    /// XA.
    Xa(Xa),
    /// LOCK TABLES.
    LockTables(Vec<TableLock>),
    /// UNLOCK TABLES.
    UnlockTables,
    /// LOCK INSTANCE FOR BACKUP.
    LockInstance,
    /// UNLOCK INSTANCE.
    UnlockInstance,
    /// FLUSH.
    Flush(Flush),
    /// PURGE BINARY LOGS.
    Purge(Purge),
    /// RESET.
    Reset(Vec<Reset>),
    /// KILL.
    Kill(Kill),
    /// INSTALL PLUGIN of that name, from a library.
    InstallPlugin(String),
    /// UNINSTALL PLUGIN
    UninstallPlugin(String),
    /// CHANGE REPLICATION SOURCE TO.
    ChangeSource(Box<ChangeSource>),
    /// START REPLICA, and where the applier stops by itself.
    StartReplica(ReplicaThreads, Option<Box<Until>>),
    /// STOP REPLICA.
    StopReplica(ReplicaThreads),
    /// SHUTDOWN.
    Shutdown,
    /// BINLOG 'events': in base64.
    Binlog(String),
    /// ANALYZE TABLE and the like.
    Maintain(Maintenance),
    /// CREATE USER, ALTER USER.
    ManageUsers(Box<ManageUsers>),
    /// DROP USER.
    DropUsers(DropUsers),
    /// RENAME USER.
    RenameUsers(Vec<(Account, Account)>),
    /// GRANT.
    Grant(Grant),
    /// REVOKE.
    Revoke(Revoke),
    /// PREPARE.
    Prepare(Prepare),
    /// EXECUTE.
    Execute(Execute),
    /// DEALLOCATE PREPARE.
    Deallocate(String),
    /// HELP.
    Help(String),
    /// A statement that MySQL has and this server has not: error 1235 is its answer.
    Unsupported {
        /// What it is, in MySQL's words.
        what: &'static str,
    },
}
