//! Global values that the server reads all the time, from anywhere.
//!
//! Atomics with relaxed order: a change takes effect soon, and none of them guards other memory.

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};

use super::value::Val;

/// See the module.
#[derive(Debug, Default)]
pub struct Live {
    /// `max_connections`, as it was asked for; see [`Live::sessions_max`].
    pub max_connections: AtomicU32,
    /// `open_files_limit`; 0 = not known.
    pub open_files_limit: AtomicU64,
    /// `max_connect_errors`
    pub max_connect_errors: AtomicU64,
    /// `connect_timeout`, seconds.
    pub connect_timeout_s: AtomicU32,
    /// `require_secure_transport`: logins without TLS come over the socket.
    pub require_secure_transport: AtomicBool,
    /// `offline_mode`: nobody but administrators is let in.
    pub offline_mode: AtomicBool,
    /// `max_prepared_stmt_count`
    pub max_prepared_stmt_count: AtomicU32,
    /// `read_only`: clients without CONNECTION_ADMIN or SUPER do not write.
    pub read_only: AtomicBool,
    /// `super_read_only`: nobody does.
    pub super_read_only: AtomicBool,
    /// `binlog_cache_size`, bytes.
    pub binlog_cache_size: AtomicU64,
    /// `max_binlog_cache_size`, bytes.
    pub max_binlog_cache_size: AtomicU64,
    /// `binlog_row_metadata` is FULL.
    pub binlog_row_metadata_full: AtomicBool,
    /// `binlog_expire_logs_seconds`; 0 = never.
    pub binlog_expire_logs_s: AtomicU32,
    /// `binlog_expire_logs_auto_purge`
    pub binlog_auto_purge: AtomicBool,
    /// `innodb_redo_log_capacity`, bytes.
    pub redo_log_capacity: AtomicU64,
    /// `onelog_delta_size`, bytes.
    pub delta_size: AtomicU64,
    /// `replica_parallel_workers`
    pub replica_parallel_workers: AtomicU32,
    /// `replica_transaction_retries`
    pub replica_transaction_retries: AtomicU64,
    /// `replica_exec_mode` is IDEMPOTENT.
    pub replica_is_idempotent: AtomicBool,
    /// `sql_replica_skip_counter`; counts down.
    pub replica_skip_counter: AtomicU32,
    /// `replica_net_timeout`, seconds.
    pub replica_net_timeout_s: AtomicU32,
    /// `rpl_semi_sync_replica_enabled`
    pub semi_sync_replica: AtomicBool,
    /// `general_log`
    pub general_log: AtomicBool,
    /// `slow_query_log`
    pub slow_query_log: AtomicBool,
    /// `performance_schema`
    pub performance_schema: AtomicBool,
    /// `performance_schema_digests_size`
    pub digests_size: AtomicU64,
    /// `max_digest_length`, bytes.
    pub max_digest_length: AtomicU64,
    /// `log_queries_not_using_indexes`
    pub log_without_index: AtomicBool,
    /// `log_output`, a bit for each of [`crate::general_log::OUTPUTS`].
    pub log_output: AtomicU64,
    /// `onelog_view_retention_limit`, bytes.
    pub view_retention_limit: AtomicU64,
}

impl Live {
    /// `max_connections`, as far as the limit of open files allows.
    pub fn sessions_max(&self) -> u32 {
        let fits = crate::net::sessions_max(self.open_files_limit.load(Ordering::Relaxed));
        self.max_connections.load(Ordering::Relaxed).min(fits)
    }
}

/// Reads an atomic.
pub trait Read {
    /// As a variable's value.
    fn val(&self) -> Val;
    /// From a variable's value.
    fn put(&self, val: &Val);
}

impl Read for AtomicBool {
    fn val(&self) -> Val {
        Val::Bool(self.load(Ordering::Relaxed))
    }
    fn put(&self, val: &Val) {
        self.store(val.is_on(), Ordering::Relaxed);
    }
}

impl Read for AtomicU32 {
    fn val(&self) -> Val {
        Val::UInt(self.load(Ordering::Relaxed).into())
    }
    fn put(&self, val: &Val) {
        self.store(val.u32(), Ordering::Relaxed);
    }
}

impl Read for AtomicU64 {
    fn val(&self) -> Val {
        Val::UInt(self.load(Ordering::Relaxed))
    }
    fn put(&self, val: &Val) {
        self.store(val.uint(), Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn max_connections_is_never_more_than_files_allow() {
        let live = Live::default();
        live.max_connections.put(&Val::UInt(2000));
        assert_eq!(live.sessions_max(), 2000);
        live.open_files_limit.put(&Val::UInt(200));
        assert_eq!(live.sessions_max(), 136);
        live.max_connections.put(&Val::UInt(100));
        assert_eq!(live.sessions_max(), 100);
    }
}
