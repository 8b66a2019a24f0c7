//! The rows of SHOW STATUS that are about storage, and those of what this server does not have.
//!
//! What InnoDB counts of its pages, of its buffer pool and of its tablespaces has no meaning here and no row: a number would be
//! invented. `docs/LIMITS.md` says so.

use std::sync::atomic::{AtomicU64, Ordering};

use engine::base::{Base, IoStats};
use engine::lock::LockStats;

use super::View;
use super::rows::{Row, fixed, level, redo, total};

/// Where data is, and who waits for it.
#[derive(Clone, Copy, Debug)]
pub struct Storage<'a> {
    /// The table store's durable part.
    pub base: &'a Base,
    /// Row locks.
    pub locks: &'a LockStats,
    /// Tables in the catalog.
    pub tables: u64,
    /// `innodb_redo_log_capacity`, but not less than what the server keeps to; bytes.
    pub redo_capacity: u64,
}

fn locks(view: &View<'_>, which: fn(&LockStats) -> &AtomicU64) -> u64 {
    view.storage.map_or(0, |storage| which(storage.locks).load(Ordering::Relaxed))
}

fn base(view: &View<'_>, which: fn(&IoStats) -> &AtomicU64) -> u64 {
    view.storage.map_or(0, |storage| which(storage.base.io()).load(Ordering::Relaxed))
}

/// A number of the redo log and of the binlog store, which is a log of the same sort.
fn logs(view: &View<'_>, which: fn(&redo::RedoStats) -> &AtomicU64) -> u64 {
    let Some(pipeline) = view.pipeline else { return 0 };
    let logs = std::iter::once(pipeline.redo()).chain(pipeline.store());
    logs.map(|log| which(log.stats()).load(Ordering::Relaxed)).sum()
}

/// See the module.
pub(super) const ROWS: &[Row] = &[
    total("Innodb_data_fsyncs", |view| base(view, |io| &io.syncs) + logs(view, |log| &log.syncs)),
    total("Innodb_data_read", |view| base(view, |io| &io.bytes_read)),
    total("Innodb_data_reads", |view| base(view, |io| &io.reads)),
    total("Innodb_data_writes", |view| base(view, |io| &io.writes) + logs(view, |log| &log.blocks)),
    total("Innodb_data_written", |view| {
        base(view, |io| &io.bytes_written) + logs(view, |log| &log.bytes_written)
    }),
    total("Innodb_log_writes", |view| redo(view, |log| log.stats().blocks.load(Ordering::Relaxed))),
    level("Innodb_redo_log_capacity_resized", |view| view.storage.map_or(0, |storage| storage.redo_capacity)),
    total("Innodb_redo_log_checkpoint_lsn", |view| redo(view, |log| log.needed_from().0)),
    level("Innodb_redo_log_logical_size", |view| {
        redo(view, |log| log.written().0.saturating_sub(log.needed_from().0))
    }),
    level("Innodb_row_lock_current_waits", |view| locks(view, |locks| &locks.waiting)),
    total("Innodb_row_lock_time", |view| locks(view, |locks| &locks.waited_us) / 1000),
    level("Innodb_row_lock_time_avg", |view| {
        locks(view, |locks| &locks.waited_us) / locks(view, |locks| &locks.waits).max(1) / 1000
    }),
    level("Innodb_row_lock_time_max", |view| locks(view, |locks| &locks.waited_us_max) / 1000),
    total("Innodb_row_lock_waits", |view| locks(view, |locks| &locks.waits)),
    total("Onelog_row_lock_deadlocks", |view| locks(view, |locks| &locks.deadlocks)),
    total("Onelog_row_lock_timeouts", |view| locks(view, |locks| &locks.timeouts)),
    level("Open_table_definitions", |view| view.storage.map_or(0, |storage| storage.tables)),
];

/// What MySQL has and this server has not, as MySQL shows it where there is none.
pub(super) const ABSENT: &[Row] = &[
    fixed("Acl_cache_items_count", "0"),
    fixed("Delayed_errors", "0"),
    fixed("Delayed_insert_threads", "0"),
    fixed("Delayed_writes", "0"),
    fixed("Global_connection_memory", "0"),
    // Pages are not read ahead, not written twice, and nobody waits for a free one.
    fixed("Innodb_buffer_pool_read_ahead", "0"),
    fixed("Innodb_buffer_pool_read_ahead_evicted", "0"),
    fixed("Innodb_buffer_pool_read_ahead_rnd", "0"),
    fixed("Innodb_buffer_pool_wait_free", "0"),
    fixed("Innodb_dblwr_pages_written", "0"),
    fixed("Innodb_dblwr_writes", "0"),
    fixed("Innodb_redo_log_read_only", "OFF"),
    fixed("Innodb_redo_log_resize_status", "OK"),
    fixed("Innodb_truncated_status_writes", "0"),
    // There is no MyISAM.
    fixed("Key_blocks_not_flushed", "0"),
    fixed("Key_blocks_used", "0"),
    fixed("Key_read_requests", "0"),
    fixed("Key_reads", "0"),
    fixed("Key_write_requests", "0"),
    fixed("Key_writes", "0"),
    fixed("Last_query_partial_plans", "0"),
    fixed("Max_execution_time_set_failed", "0"),
    fixed("Not_flushed_delayed_rows", "0"),
    fixed("Open_streams", "0"),
    // All definitions are in memory: there is no cache of open tables.
    fixed("Open_tables", "0"),
    fixed("Opened_table_definitions", "0"),
    fixed("Replica_open_temp_tables", "0"),
    fixed("Resource_group_supported", "OFF"),
    fixed("Secondary_engine_execution_count", "0"),
    fixed("Slave_open_temp_tables", "0"),
    // The server is nobody's client by TLS that would be counted, and resumes no sessions.
    fixed("Ssl_accept_renegotiates", "0"),
    fixed("Ssl_callback_cache_hits", "0"),
    fixed("Ssl_client_connects", "0"),
    fixed("Ssl_connect_renegotiates", "0"),
    fixed("Ssl_finished_connects", "0"),
    fixed("Ssl_session_cache_hits", "0"),
    fixed("Ssl_session_cache_misses", "0"),
    fixed("Ssl_session_cache_overflows", "0"),
    fixed("Ssl_session_cache_timeouts", "0"),
    fixed("Ssl_used_session_cache_entries", "0"),
    fixed("Table_open_cache_overflows", "0"),
    fixed("Tc_log_max_pages_used", "0"),
    fixed("Tc_log_page_size", "0"),
    fixed("Tc_log_page_waits", "0"),
    fixed("Telemetry_traces_supported", "OFF"),
];
