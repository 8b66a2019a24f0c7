//! The settings that may change while commits run. Each has the name, the unit and the meaning that MySQL gives it.

use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU32, AtomicU64, Ordering};

use redo::Durability;

use crate::StrategyKind;

/// See the module. Read with relaxed order: what demands durability is read of a transaction that its session has handed
/// over, so a change holds for all that are begun after it; other changes take effect with some commit soon after.
#[derive(Debug)]
pub struct Settings {
    /// `innodb_flush_log_at_trx_commit`: 0, 1 or 2.
    pub flush_log_at_trx_commit: AtomicU8,
    /// `sync_binlog`: every N groups; 0 leaves it to the operating system.
    pub sync_binlog: AtomicU32,
    /// `binlog_max_flush_queue_time`, microseconds: how long the FLUSH stage lingers for late joiners.
    pub max_flush_queue_time_us: AtomicU32,
    /// `binlog_group_commit_sync_delay`, microseconds.
    pub sync_delay_us: AtomicU32,
    /// `binlog_group_commit_sync_no_delay_count`: transactions that end the delay; 0 = none do.
    pub sync_no_delay_count: AtomicU32,
    /// `max_binlog_size`, bytes.
    pub max_binlog_size: AtomicU64,
    /// `wait_binlog_flush`: a commit is acknowledged when its events are in the binlog file, not only in a log.
    pub wait_binlog_flush: AtomicBool,
    /// `sync_binlog_interval`, microseconds: how often the binlog file is synced behind commits; 0 = by the strategy.
    pub sync_binlog_interval_us: AtomicU64,
    /// `onelog_early_lock_release`: row locks go at the ticket, not at the acknowledgement.
    pub early_lock_release: AtomicBool,
    /// `onelog_lone_commit_max_us`, microseconds: a session that is alone carries its commit through the stages
    /// itself while a step takes no longer than this; 0 = log threads always do.
    pub lone_commit_max_us: AtomicU32,
    /// `binlog_transaction_dependency_tracking`: 0, 1, 2 as in [`crate::Tracking`].
    pub dependency_tracking: AtomicU8,
    /// `binlog_transaction_dependency_history_size`, rows. A change takes effect with
    /// [`crate::Pipeline::resize_dependency_history`].
    pub dependency_history_size: AtomicU64,
    /// `transaction_write_set_extraction`: 0 = off; 1 and 2 are names of one thing here.
    pub write_set_extraction: AtomicU8,
    /// `rpl_semi_sync_source_enabled`. A change of this and the next ones takes effect with
    /// [`crate::Pipeline::settle_semi_sync`].
    pub semi_sync_enabled: AtomicBool,
    /// `rpl_semi_sync_source_wait_point` is AFTER_COMMIT: transactions are visible while their clients wait.
    pub semi_sync_after_commit: AtomicBool,
    /// `rpl_semi_sync_source_wait_for_replica_count`
    pub semi_sync_replicas: AtomicU32,
    /// `rpl_semi_sync_source_wait_no_replica`
    pub semi_sync_wait_no_replica: AtomicBool,
    /// `rpl_semi_sync_source_timeout`, milliseconds.
    pub semi_sync_timeout_ms: AtomicU64,
    /// `gtid_mode` is ON: transactions get numbers instead of ANONYMOUS.
    pub gtid_mode: AtomicBool,
}

impl Default for Settings {
    /// MySQL's defaults.
    fn default() -> Self {
        Self {
            flush_log_at_trx_commit: AtomicU8::new(1),
            sync_binlog: AtomicU32::new(1),
            max_flush_queue_time_us: AtomicU32::new(0),
            sync_delay_us: AtomicU32::new(0),
            sync_no_delay_count: AtomicU32::new(0),
            max_binlog_size: AtomicU64::new(1 << 30),
            wait_binlog_flush: AtomicBool::new(false),
            sync_binlog_interval_us: AtomicU64::new(0),
            early_lock_release: AtomicBool::new(true),
            lone_commit_max_us: AtomicU32::new(0),
            dependency_tracking: AtomicU8::new(0),
            dependency_history_size: AtomicU64::new(25_000),
            write_set_extraction: AtomicU8::new(2),
            semi_sync_enabled: AtomicBool::new(false),
            semi_sync_after_commit: AtomicBool::new(false),
            semi_sync_replicas: AtomicU32::new(1),
            semi_sync_wait_no_replica: AtomicBool::new(true),
            semi_sync_timeout_ms: AtomicU64::new(10_000),
            gtid_mode: AtomicBool::new(false),
        }
    }
}

impl Settings {
    /// How often the binlog file is synced behind commits, microseconds.
    pub fn sync_interval_us(&self, strategy: StrategyKind) -> u64 {
        match (self.sync_binlog_interval_us.load(Ordering::Relaxed), strategy) {
            (0, StrategyKind::Parallel) => 1_000_000,
            (0, _) => 50_000,
            (us, _) => us,
        }
    }

    /// Whether a stage may wait for others on purpose.
    pub(crate) fn has_delays(&self) -> bool {
        let delays = [&self.sync_delay_us, &self.max_flush_queue_time_us];
        delays.into_iter().any(|delay| delay.load(Ordering::Relaxed) > 0)
    }

    /// How far a commit carries redo before it is acknowledged; `None` = not even written.
    pub fn redo_demand(&self) -> Option<Durability> {
        match self.flush_log_at_trx_commit.load(Ordering::Relaxed) {
            0 => None,
            2 => Some(Durability::Written),
            _ => Some(Durability::Synced),
        }
    }
}
