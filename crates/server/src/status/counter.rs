//! What a session counts of what it does.
//!
//! Each session has its own counters, which only its own task writes, so counting is a load and a store in memory
//! that no other core writes. SHOW GLOBAL STATUS adds up those of all sessions, the ended ones included.

use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};

macro_rules! counters {
    ($($name:ident = $shown:literal,)*) => {
        /// A number that sessions count.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u8)]
        pub enum Counter {
            $(#[doc = concat!("`", $shown, "`")] $name,)*
        }

        impl Counter {
            /// All of them.
            pub const ALL: [Self; [$($shown),*].len()] = [$(Self::$name),*];

            /// Its name in SHOW STATUS.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$name => $shown,)*
                }
            }
        }
    };
}

counters! {
    // What most statements count comes first, in few of the processor's cache lines: with thousands of sessions each line is
    // one more that is in no cache.
    BytesReceived = "Bytes_received",
    BytesSent = "Bytes_sent",
    Queries = "Queries",
    Questions = "Questions",
    ComStmtExecute = "Com_stmt_execute",
    HandlerCommit = "Handler_commit",
    BinlogCacheUse = "Binlog_cache_use",
    InnodbRowsRead = "Innodb_rows_read",
    HandlerReadKey = "Handler_read_key",
    ComUpdate = "Com_update",
    HandlerUpdate = "Handler_update",
    InnodbRowsUpdated = "Innodb_rows_updated",
    ComSelect = "Com_select",
    HandlerReadNext = "Handler_read_next",
    SelectRange = "Select_range",
    ComInsert = "Com_insert",
    HandlerWrite = "Handler_write",
    InnodbRowsInserted = "Innodb_rows_inserted",
    ComDelete = "Com_delete",
    HandlerDelete = "Handler_delete",
    InnodbRowsDeleted = "Innodb_rows_deleted",
    ComBegin = "Com_begin",
    ComCommit = "Com_commit",
    // The others, by name.
    BinlogCacheDiskUse = "Binlog_cache_disk_use",
    ComAdminCommands = "Com_admin_commands",
    ComAlterDb = "Com_alter_db",
    ComAlterEvent = "Com_alter_event",
    ComAlterFunction = "Com_alter_function",
    ComAlterInstance = "Com_alter_instance",
    ComAlterProcedure = "Com_alter_procedure",
    ComAlterResourceGroup = "Com_alter_resource_group",
    ComAlterServer = "Com_alter_server",
    ComAlterTable = "Com_alter_table",
    ComAlterTablespace = "Com_alter_tablespace",
    ComAlterUser = "Com_alter_user",
    ComAlterUserDefaultRole = "Com_alter_user_default_role",
    ComAnalyze = "Com_analyze",
    ComAssignToKeycache = "Com_assign_to_keycache",
    ComBinlog = "Com_binlog",
    ComCallProcedure = "Com_call_procedure",
    ComChangeDb = "Com_change_db",
    ComChangeReplFilter = "Com_change_repl_filter",
    ComChangeReplicationSource = "Com_change_replication_source",
    ComCheck = "Com_check",
    ComChecksum = "Com_checksum",
    ComClone = "Com_clone",
    ComCreateDb = "Com_create_db",
    ComCreateEvent = "Com_create_event",
    ComCreateFunction = "Com_create_function",
    ComCreateIndex = "Com_create_index",
    ComCreateProcedure = "Com_create_procedure",
    ComCreateResourceGroup = "Com_create_resource_group",
    ComCreateRole = "Com_create_role",
    ComCreateServer = "Com_create_server",
    ComCreateSpatialReferenceSystem = "Com_create_spatial_reference_system",
    ComCreateTable = "Com_create_table",
    ComCreateTrigger = "Com_create_trigger",
    ComCreateUdf = "Com_create_udf",
    ComCreateUser = "Com_create_user",
    ComCreateView = "Com_create_view",
    ComDeallocSql = "Com_dealloc_sql",
    ComDeleteMulti = "Com_delete_multi",
    ComDo = "Com_do",
    ComDropDb = "Com_drop_db",
    ComDropEvent = "Com_drop_event",
    ComDropFunction = "Com_drop_function",
    ComDropIndex = "Com_drop_index",
    ComDropProcedure = "Com_drop_procedure",
    ComDropResourceGroup = "Com_drop_resource_group",
    ComDropRole = "Com_drop_role",
    ComDropServer = "Com_drop_server",
    ComDropSpatialReferenceSystem = "Com_drop_spatial_reference_system",
    ComDropTable = "Com_drop_table",
    ComDropTrigger = "Com_drop_trigger",
    ComDropUser = "Com_drop_user",
    ComDropView = "Com_drop_view",
    ComEmptyQuery = "Com_empty_query",
    ComExecuteSql = "Com_execute_sql",
    ComExplainOther = "Com_explain_other",
    ComFlush = "Com_flush",
    ComGetDiagnostics = "Com_get_diagnostics",
    ComGrant = "Com_grant",
    ComGrantRoles = "Com_grant_roles",
    ComGroupReplicationStart = "Com_group_replication_start",
    ComGroupReplicationStop = "Com_group_replication_stop",
    ComHaClose = "Com_ha_close",
    ComHaOpen = "Com_ha_open",
    ComHaRead = "Com_ha_read",
    ComHelp = "Com_help",
    ComImport = "Com_import",
    ComInsertSelect = "Com_insert_select",
    ComInstallComponent = "Com_install_component",
    ComInstallPlugin = "Com_install_plugin",
    ComKill = "Com_kill",
    ComLoad = "Com_load",
    ComLockInstance = "Com_lock_instance",
    ComLockTables = "Com_lock_tables",
    ComOptimize = "Com_optimize",
    ComPreloadKeys = "Com_preload_keys",
    ComPrepareSql = "Com_prepare_sql",
    ComPurge = "Com_purge",
    ComPurgeBeforeDate = "Com_purge_before_date",
    ComReleaseSavepoint = "Com_release_savepoint",
    ComRenameTable = "Com_rename_table",
    ComRenameUser = "Com_rename_user",
    ComRepair = "Com_repair",
    ComReplace = "Com_replace",
    ComReplaceSelect = "Com_replace_select",
    ComReplicaStart = "Com_replica_start",
    ComReplicaStop = "Com_replica_stop",
    ComReset = "Com_reset",
    ComResignal = "Com_resignal",
    ComRestart = "Com_restart",
    ComRevoke = "Com_revoke",
    ComRevokeAll = "Com_revoke_all",
    ComRevokeRoles = "Com_revoke_roles",
    ComRollback = "Com_rollback",
    ComRollbackToSavepoint = "Com_rollback_to_savepoint",
    ComSavepoint = "Com_savepoint",
    ComSetOption = "Com_set_option",
    ComSetPassword = "Com_set_password",
    ComSetResourceGroup = "Com_set_resource_group",
    ComSetRole = "Com_set_role",
    ComShowBinaryLogStatus = "Com_show_binary_log_status",
    ComShowBinlogEvents = "Com_show_binlog_events",
    ComShowBinlogs = "Com_show_binlogs",
    ComShowCharsets = "Com_show_charsets",
    ComShowCollations = "Com_show_collations",
    ComShowCreateDb = "Com_show_create_db",
    ComShowCreateEvent = "Com_show_create_event",
    ComShowCreateFunc = "Com_show_create_func",
    ComShowCreateProc = "Com_show_create_proc",
    ComShowCreateTable = "Com_show_create_table",
    ComShowCreateTrigger = "Com_show_create_trigger",
    ComShowCreateUser = "Com_show_create_user",
    ComShowDatabases = "Com_show_databases",
    ComShowEngineLogs = "Com_show_engine_logs",
    ComShowEngineMutex = "Com_show_engine_mutex",
    ComShowEngineStatus = "Com_show_engine_status",
    ComShowErrors = "Com_show_errors",
    ComShowEvents = "Com_show_events",
    ComShowFields = "Com_show_fields",
    ComShowFunctionCode = "Com_show_function_code",
    ComShowFunctionStatus = "Com_show_function_status",
    ComShowGrants = "Com_show_grants",
    ComShowKeys = "Com_show_keys",
    ComShowOpenTables = "Com_show_open_tables",
    ComShowPlugins = "Com_show_plugins",
    ComShowPrivileges = "Com_show_privileges",
    ComShowProcedureCode = "Com_show_procedure_code",
    ComShowProcedureStatus = "Com_show_procedure_status",
    ComShowProcesslist = "Com_show_processlist",
    ComShowProfile = "Com_show_profile",
    ComShowProfiles = "Com_show_profiles",
    ComShowRelaylogEvents = "Com_show_relaylog_events",
    ComShowReplicaStatus = "Com_show_replica_status",
    ComShowReplicas = "Com_show_replicas",
    ComShowStatus = "Com_show_status",
    ComShowStorageEngines = "Com_show_storage_engines",
    ComShowTableStatus = "Com_show_table_status",
    ComShowTables = "Com_show_tables",
    ComShowTriggers = "Com_show_triggers",
    ComShowVariables = "Com_show_variables",
    ComShowWarnings = "Com_show_warnings",
    ComShutdown = "Com_shutdown",
    ComSignal = "Com_signal",
    ComStmtClose = "Com_stmt_close",
    ComStmtFetch = "Com_stmt_fetch",
    ComStmtPrepare = "Com_stmt_prepare",
    ComStmtReprepare = "Com_stmt_reprepare",
    ComStmtReset = "Com_stmt_reset",
    ComStmtSendLongData = "Com_stmt_send_long_data",
    ComTruncate = "Com_truncate",
    ComUninstallComponent = "Com_uninstall_component",
    ComUninstallPlugin = "Com_uninstall_plugin",
    ComUnlockInstance = "Com_unlock_instance",
    ComUnlockTables = "Com_unlock_tables",
    ComUpdateMulti = "Com_update_multi",
    ComXaCommit = "Com_xa_commit",
    ComXaEnd = "Com_xa_end",
    ComXaPrepare = "Com_xa_prepare",
    ComXaRecover = "Com_xa_recover",
    ComXaRollback = "Com_xa_rollback",
    ComXaStart = "Com_xa_start",
    CreatedTmpDiskTables = "Created_tmp_disk_tables",
    CreatedTmpFiles = "Created_tmp_files",
    CreatedTmpTables = "Created_tmp_tables",
    HandlerDiscover = "Handler_discover",
    HandlerExternalLock = "Handler_external_lock",
    HandlerMrrInit = "Handler_mrr_init",
    HandlerPrepare = "Handler_prepare",
    HandlerReadFirst = "Handler_read_first",
    HandlerReadLast = "Handler_read_last",
    HandlerReadPrev = "Handler_read_prev",
    HandlerReadRnd = "Handler_read_rnd",
    HandlerReadRndNext = "Handler_read_rnd_next",
    HandlerRollback = "Handler_rollback",
    HandlerSavepoint = "Handler_savepoint",
    HandlerSavepointRollback = "Handler_savepoint_rollback",
    MaxExecutionTimeExceeded = "Max_execution_time_exceeded",
    MaxExecutionTimeSet = "Max_execution_time_set",
    OpenedTables = "Opened_tables",
    SelectFullJoin = "Select_full_join",
    SelectFullRangeJoin = "Select_full_range_join",
    SelectRangeCheck = "Select_range_check",
    SelectScan = "Select_scan",
    SlowQueries = "Slow_queries",
    SortMergePasses = "Sort_merge_passes",
    SortRange = "Sort_range",
    SortRows = "Sort_rows",
    SortScan = "Sort_scan",
    TableLocksImmediate = "Table_locks_immediate",
    TableLocksWaited = "Table_locks_waited",
    TableOpenCacheHits = "Table_open_cache_hits",
    TableOpenCacheMisses = "Table_open_cache_misses",
}

const COUNT: usize = Counter::ALL.len();

/// One session's counters, or the sum of several. Begins with a cache line that holds what each command touches.
#[derive(Debug)]
#[repr(C, align(64))]
pub struct Counters {
    waits: AtomicU8,
    /// Relaxed order everywhere: a reader may see any recent value, and none guards other memory.
    counts: [AtomicU64; COUNT],
}

/// What a session waits for that no lock shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Waits {
    /// Nothing of that kind.
    #[default]
    ForNothing,
    /// Its commit may not begin: a read lock, a checkpoint, room in the logs.
    ToCommit,
    /// Its commit has a place in the order: the logs, a replica's acknowledgement.
    ForCommit,
    /// Others keep definitions as they are.
    ToDefine,
}

impl Waits {
    const ALL: [Self; 4] = [Self::ForNothing, Self::ToCommit, Self::ForCommit, Self::ToDefine];
}

impl Default for Counters {
    fn default() -> Self {
        Self { waits: AtomicU8::new(0), counts: [const { AtomicU64::new(0) }; COUNT] }
    }
}

impl Counters {
    /// Counts one. Only by the session's own task.
    #[inline]
    pub fn bump(&self, counter: Counter) {
        self.add(counter, 1);
    }

    /// Counts several. Only by the session's own task.
    #[inline]
    pub fn add(&self, counter: Counter, amount: u64) {
        let count = &self.counts[counter as usize];
        count.store(count.load(Ordering::Relaxed).wrapping_add(amount), Ordering::Relaxed);
    }

    /// The count.
    pub fn get(&self, counter: Counter) -> u64 {
        self.counts[counter as usize].load(Ordering::Relaxed)
    }

    /// Says what the session waits for.
    pub fn set_waits(&self, waits: Waits) {
        self.waits.store(waits as u8, Ordering::Relaxed);
    }

    /// What the session waits for.
    pub fn waits(&self) -> Waits {
        Waits::ALL[usize::from(self.waits.load(Ordering::Relaxed))]
    }

    /// Adds all of another's counts to these, which nobody else changes meanwhile.
    pub(super) fn absorb(&self, other: &Self) {
        for counter in Counter::ALL {
            self.add(counter, other.get(counter));
        }
    }

    /// Forgets everything. Only by the session's own task.
    pub(super) fn clear(&self) {
        for count in &self.counts {
            count.store(0, Ordering::Relaxed);
        }
    }
}
