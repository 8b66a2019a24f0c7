//! The rows, by theme.

mod charset;
mod innodb;
mod limits;
mod onelog;
mod replica;
mod replication;
mod server;
mod session;

pub(crate) use onelog::{STRATEGY_NAMES, strategy_of};

use super::home::Home;
use super::variable::Variable;

/// Names that mean another row's variable: the alias, and the name of the row.
const ALIASES: &[(&str, &str)] = &[
    ("identity", "last_insert_id"),
    ("init_slave", "init_replica"),
    ("log_slave_updates", "log_replica_updates"),
    ("master_verify_checksum", "source_verify_checksum"),
    ("pseudo_slave_mode", "pseudo_replica_mode"),
    ("rpl_semi_sync_master_enabled", "rpl_semi_sync_source_enabled"),
    ("rpl_semi_sync_master_timeout", "rpl_semi_sync_source_timeout"),
    ("rpl_semi_sync_master_trace_level", "rpl_semi_sync_source_trace_level"),
    ("rpl_semi_sync_master_wait_for_slave_count", "rpl_semi_sync_source_wait_for_replica_count"),
    ("rpl_semi_sync_master_wait_no_slave", "rpl_semi_sync_source_wait_no_replica"),
    ("rpl_semi_sync_master_wait_point", "rpl_semi_sync_source_wait_point"),
    ("rpl_semi_sync_slave_enabled", "rpl_semi_sync_replica_enabled"),
    ("rpl_semi_sync_slave_trace_level", "rpl_semi_sync_replica_trace_level"),
    ("rpl_stop_slave_timeout", "rpl_stop_replica_timeout"),
    ("skip_slave_start", "skip_replica_start"),
    ("slave_allow_batching", "replica_allow_batching"),
    ("slave_checkpoint_group", "replica_checkpoint_group"),
    ("slave_checkpoint_period", "replica_checkpoint_period"),
    ("slave_compressed_protocol", "replica_compressed_protocol"),
    ("slave_exec_mode", "replica_exec_mode"),
    ("slave_load_tmpdir", "replica_load_tmpdir"),
    ("slave_max_allowed_packet", "replica_max_allowed_packet"),
    ("slave_net_timeout", "replica_net_timeout"),
    ("slave_parallel_type", "replica_parallel_type"),
    ("slave_parallel_workers", "replica_parallel_workers"),
    ("slave_pending_jobs_size_max", "replica_pending_jobs_size_max"),
    ("slave_preserve_commit_order", "replica_preserve_commit_order"),
    ("slave_skip_errors", "replica_skip_errors"),
    ("slave_sql_verify_checksum", "replica_sql_verify_checksum"),
    ("slave_transaction_retries", "replica_transaction_retries"),
    ("slave_type_conversions", "replica_type_conversions"),
    ("sql_slave_skip_counter", "sql_replica_skip_counter"),
    ("sync_master_info", "sync_source_info"),
    ("tx_isolation", "transaction_isolation"),
    ("tx_read_only", "transaction_read_only"),
];

/// All rows, by name, and one for each alias.
pub(super) fn collect() -> Vec<Variable> {
    let themes = [
        charset::ROWS,
        innodb::ROWS,
        limits::ROWS,
        onelog::ROWS,
        replica::ROWS,
        replication::ROWS,
        server::ROWS,
        session::ROWS,
    ];
    let mut rows = themes.concat();
    let aliases = ALIASES.iter().map(|&(name, of)| {
        let row = rows.iter().find(|row| row.name == of).expect("an alias is one of a row");
        Variable { name, home: Home::Alias(of), ..*row }
    });
    rows.extend(aliases.collect::<Vec<_>>());
    rows.sort_unstable_by_key(|row| row.name);
    assert!(rows.is_sorted_by(|a, b| a.name < b.name), "a variable has one row");
    rows
}
