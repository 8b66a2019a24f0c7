//! What statements count as: `Com_select` and the like. As in MySQL, a statement counts when it begins.

use sql::exec::Work;
use sql::parse::table::{AlterAction, AlterTable};
use sql::parse::{MaintenanceKind, Purge, Reset, SetItem, Show, Statement, StoredKind, Xa};
use sql::plan::{InsertSource, OnDuplicate, Plan};
use sqlparser::ast::{Insert, SetExpr};

use super::row_log::ChangedRows;
use crate::status::{Counter, Counters};

/// The counter of a planned statement.
pub(super) fn of_plan(plan: &Plan) -> Counter {
    match plan {
        Plan::Select(_) | Plan::SelectInto(_) => Counter::ComSelect,
        Plan::Insert(insert) if matches!(insert.source, InsertSource::File(_)) => Counter::ComLoad,
        Plan::Insert(insert) => {
            let replaces = matches!(insert.on_duplicate, OnDuplicate::Replace);
            of_insert(replaces, matches!(insert.source, InsertSource::Select(_)))
        }
        Plan::Update(_) => Counter::ComUpdate,
        Plan::Delete(_) => Counter::ComDelete,
        Plan::MultiUpdate(_) => Counter::ComUpdateMulti,
        Plan::MultiDelete(_) => Counter::ComDeleteMulti,
    }
}

fn of_insert(replaces: bool, selects: bool) -> Counter {
    match (replaces, selects) {
        (true, false) => Counter::ComReplace,
        (true, true) => Counter::ComReplaceSelect,
        (false, false) => Counter::ComInsert,
        (false, true) => Counter::ComInsertSelect,
    }
}

/// Counts what a statement has read, sorted and changed, whether it succeeded or not.
pub(super) fn add_work(counters: &Counters, work: &Work, rows: ChangedRows) {
    use Counter as C;
    let counts = [
        (C::InnodbRowsRead, work.rows),
        (C::HandlerReadFirst, work.first),
        (C::HandlerReadLast, work.last),
        (C::HandlerReadKey, work.key),
        (C::HandlerReadNext, work.next),
        (C::HandlerReadPrev, work.prev),
        (C::HandlerReadRndNext, work.rnd_next),
        (C::SelectScan, work.scans),
        (C::SelectRange, work.ranges),
        (C::SelectFullJoin, work.full_joins),
        (C::SelectFullRangeJoin, work.range_joins),
        (C::SortRows, work.sorted),
        (C::SortScan, work.scan_sorts),
        (C::SortRange, work.range_sorts),
    ];
    for (counter, amount) in counts.into_iter().filter(|(_, amount)| *amount > 0) {
        counters.add(counter, amount);
    }
    add_rows(counters, rows);
}

/// Counts rows that were changed.
pub(super) fn add_rows(counters: &Counters, rows: ChangedRows) {
    use Counter as C;
    let counts = [
        (C::HandlerWrite, C::InnodbRowsInserted, rows.inserted),
        (C::HandlerUpdate, C::InnodbRowsUpdated, rows.updated),
        (C::HandlerDelete, C::InnodbRowsDeleted, rows.deleted),
    ];
    for (handler, innodb, amount) in counts.into_iter().filter(|(.., amount)| *amount > 0) {
        counters.add(handler, amount);
        counters.add(innodb, amount);
    }
}

/// The counter of a statement, if it has one.
pub(super) fn of_statement(statement: &Statement) -> Option<Counter> {
    use Counter as C;
    Some(match statement {
        Statement::Do(_) => C::ComDo,
        Statement::Show(show) => of_show(show),
        Statement::CreateTable(_) | Statement::CreateTableLike(_) => C::ComCreateTable,
        Statement::AlterTable(alter) => of_alter(alter),
        Statement::DropTables(_) => C::ComDropTable,
        Statement::Truncate(_) => C::ComTruncate,
        Statement::RenameTables(_) => C::ComRenameTable,
        Statement::CreateDatabase(_) => C::ComCreateDb,
        Statement::CreateView(_) => C::ComCreateView,
        Statement::DropViews(_) => C::ComDropView,
        Statement::AlterDatabase(_) => C::ComAlterDb,
        Statement::DropDatabase(_) => C::ComDropDb,
        Statement::Use(_) => C::ComChangeDb,
        Statement::Set(items) if matches!(items[..], [SetItem::Password(..)]) => C::ComSetPassword,
        Statement::Set(_) => C::ComSetOption,
        Statement::Begin(_) => C::ComBegin,
        Statement::Commit(_) => C::ComCommit,
        Statement::Rollback(_) => C::ComRollback,
        Statement::RollbackTo(_) => C::ComRollbackToSavepoint,
        Statement::Savepoint(_) => C::ComSavepoint,
        Statement::ReleaseSavepoint(_) => C::ComReleaseSavepoint,
        Statement::Xa(xa) => of_xa(xa),
        Statement::LockTables(_) => C::ComLockTables,
        Statement::UnlockTables => C::ComUnlockTables,
        Statement::LockInstance => C::ComLockInstance,
        Statement::UnlockInstance => C::ComUnlockInstance,
        Statement::Flush(_) => C::ComFlush,
        Statement::Purge(Purge::To(_)) => C::ComPurge,
        Statement::Purge(Purge::Before(_)) => C::ComPurgeBeforeDate,
        Statement::Reset(what) if what.iter().any(|what| !matches!(what, Reset::Persist { .. })) => {
            C::ComReset
        }
        Statement::Kill(_) => C::ComKill,
        Statement::InstallPlugin(_) => C::ComInstallPlugin,
        Statement::UninstallPlugin(_) => C::ComUninstallPlugin,
        Statement::Shutdown => C::ComShutdown,
        Statement::Binlog(_) => C::ComBinlog,
        Statement::Maintain(maintenance) => of_maintenance(maintenance.what),
        Statement::RenameUsers(_) => C::ComRenameUser,
        Statement::DropUsers(_) => C::ComDropUser,
        Statement::ManageUsers(manage) if manage.alter => C::ComAlterUser,
        Statement::ManageUsers(_) => C::ComCreateUser,
        Statement::Grant(_) => C::ComGrant,
        Statement::Revoke(revoke) if revoke.level.is_none() => C::ComRevokeAll,
        Statement::Revoke(_) => C::ComRevoke,
        Statement::Prepare(_) => C::ComPrepareSql,
        Statement::Execute(_) => C::ComExecuteSql,
        Statement::Deallocate(_) => C::ComDeallocSql,
        Statement::Help(_) => C::ComHelp,
        Statement::ChangeSource(_) => C::ComChangeReplicationSource,
        Statement::StartReplica(..) => C::ComReplicaStart,
        Statement::StopReplica(_) => C::ComReplicaStop,
        Statement::DropStored(drop) => of_drop(drop.kind),
        Statement::Query(_) | Statement::SelectInto(_) => C::ComSelect,
        Statement::Insert(insert) => of_insert(insert.replace_into, is_of_query(insert)),
        Statement::Load(_) => C::ComLoad,
        Statement::Update(update) if update.is_multi() => C::ComUpdateMulti,
        Statement::Update(_) => C::ComUpdate,
        Statement::Delete(delete) if delete.is_multi() => C::ComDeleteMulti,
        Statement::Delete(_) => C::ComDelete,
        // As what it explains.
        Statement::Explain(explain) => return of_statement(&explain.statement),
        Statement::Reset(_) | Statement::Unsupported { .. } => return None,
    })
}

/// Whether it inserts the rows of a query.
fn is_of_query(insert: &Insert) -> bool {
    insert.source.as_ref().is_some_and(|source| !matches!(*source.body, SetExpr::Values(_)))
}

fn of_maintenance(what: MaintenanceKind) -> Counter {
    match what {
        MaintenanceKind::Analyze => Counter::ComAnalyze,
        MaintenanceKind::Check => Counter::ComCheck,
        MaintenanceKind::Checksum => Counter::ComChecksum,
        MaintenanceKind::Optimize => Counter::ComOptimize,
        MaintenanceKind::Repair => Counter::ComRepair,
    }
}

fn of_drop(what: StoredKind) -> Counter {
    match what {
        StoredKind::Procedure => Counter::ComDropProcedure,
        StoredKind::Function => Counter::ComDropFunction,
        StoredKind::Trigger => Counter::ComDropTrigger,
        StoredKind::Event => Counter::ComDropEvent,
    }
}

fn of_alter(alter: &AlterTable) -> Counter {
    match alter.actions.first() {
        Some(AlterAction::DropKey(_)) if alter.is_index => Counter::ComDropIndex,
        _ if alter.is_index => Counter::ComCreateIndex,
        _ => Counter::ComAlterTable,
    }
}

fn of_xa(xa: &Xa) -> Counter {
    match xa {
        Xa::Start { .. } => Counter::ComXaStart,
        Xa::End(_) => Counter::ComXaEnd,
        Xa::Prepare(_) => Counter::ComXaPrepare,
        Xa::Commit { .. } => Counter::ComXaCommit,
        Xa::Rollback(_) => Counter::ComXaRollback,
        Xa::Recover { .. } => Counter::ComXaRecover,
    }
}

fn of_show(show: &Show) -> Counter {
    use Counter as C;
    match show {
        Show::Databases(_) => C::ComShowDatabases,
        Show::Tables { .. } => C::ComShowTables,
        Show::TableStatus(..) => C::ComShowTableStatus,
        Show::OpenTables(..) => C::ComShowOpenTables,
        Show::Columns { .. } => C::ComShowFields,
        Show::Index(..) => C::ComShowKeys,
        Show::CreateTable(_) | Show::CreateView(_) => C::ComShowCreateTable,
        Show::CreateDatabase(..) => C::ComShowCreateDb,
        Show::CreateUser(_) => C::ComShowCreateUser,
        Show::Engines => C::ComShowStorageEngines,
        Show::CharacterSet(_) => C::ComShowCharsets,
        Show::Collation(_) => C::ComShowCollations,
        Show::Warnings(_) | Show::WarningCount => C::ComShowWarnings,
        Show::Errors(_) | Show::ErrorCount => C::ComShowErrors,
        Show::Plugins => C::ComShowPlugins,
        Show::Privileges => C::ComShowPrivileges,
        Show::Events(..) => C::ComShowEvents,
        Show::Triggers(..) => C::ComShowTriggers,
        Show::ProcedureStatus(_) => C::ComShowProcedureStatus,
        Show::FunctionStatus(_) => C::ComShowFunctionStatus,
        Show::Variables(..) => C::ComShowVariables,
        Show::Status(..) => C::ComShowStatus,
        Show::Processlist(_) => C::ComShowProcesslist,
        Show::Grants(_) => C::ComShowGrants,
        Show::BinaryLogs => C::ComShowBinlogs,
        Show::BinaryLogStatus => C::ComShowBinaryLogStatus,
        Show::BinlogEvents { .. } => C::ComShowBinlogEvents,
        Show::RelaylogEvents => C::ComShowRelaylogEvents,
        Show::Replicas(_) => C::ComShowReplicas,
        Show::ReplicaStatus(..) => C::ComShowReplicaStatus,
        Show::EngineStatus(_) => C::ComShowEngineStatus,
        Show::EngineMutex(_) => C::ComShowEngineMutex,
        Show::EngineLogs(_) => C::ComShowEngineLogs,
        Show::Profiles => C::ComShowProfiles,
    }
}
