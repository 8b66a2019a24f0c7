//! `information_schema.INNODB_METRICS`: those of InnoDB's metrics that are counted here, which are always on.

use std::collections::HashMap;

use sql::session::Scope;
use types::error::SqlError;
use types::error::table::ER_SPECIFIC_ACCESS_DENIED_ERROR;

use super::Result;
use super::cell::{NULL, Row, row};
use super::look::Look;
use super::server;
use crate::accounts::Privileges;

/// Name, subsystem, type and comment as MySQL 9.7.4 has them, and the status variable that is it.
const METRICS: &[(&str, &str, &str, &str, &str)] = &[
    ("dml_deletes", "dml", "status_counter", "Number of rows deleted", "Innodb_rows_deleted"),
    ("dml_inserts", "dml", "status_counter", "Number of rows inserted", "Innodb_rows_inserted"),
    ("dml_reads", "dml", "status_counter", "Number of rows read", "Innodb_rows_read"),
    ("dml_updates", "dml", "status_counter", "Number of rows updated", "Innodb_rows_updated"),
    ("lock_deadlocks", "lock", "counter", "Number of deadlocks", "Onelog_row_lock_deadlocks"),
    (
        "lock_row_lock_current_waits",
        "lock",
        "status_counter",
        "Number of row locks currently being waited for (innodb_row_lock_current_waits)",
        "Innodb_row_lock_current_waits",
    ),
    (
        "lock_row_lock_time",
        "lock",
        "status_counter",
        "Time spent in acquiring row locks, in milliseconds (innodb_row_lock_time)",
        "Innodb_row_lock_time",
    ),
    (
        "lock_row_lock_time_avg",
        "lock",
        "value",
        "The average time to acquire a row lock, in milliseconds (innodb_row_lock_time_avg)",
        "Innodb_row_lock_time_avg",
    ),
    (
        "lock_row_lock_time_max",
        "lock",
        "value",
        "The maximum time to acquire a row lock, in milliseconds (innodb_row_lock_time_max)",
        "Innodb_row_lock_time_max",
    ),
    (
        "lock_row_lock_waits",
        "lock",
        "status_counter",
        "Number of times a row lock had to be waited for (innodb_row_lock_waits)",
        "Innodb_row_lock_waits",
    ),
    ("lock_timeouts", "lock", "counter", "Number of lock timeouts", "Onelog_row_lock_timeouts"),
    (
        "log_lsn_checkpoint_age",
        "log",
        "value",
        "Current LSN value minus LSN at last checkpoint",
        "Innodb_redo_log_logical_size",
    ),
    ("log_lsn_current", "log", "value", "Current LSN value", "Innodb_redo_log_current_lsn"),
    ("log_lsn_last_checkpoint", "log", "value", "LSN at last checkpoint", "Innodb_redo_log_checkpoint_lsn"),
    ("log_lsn_last_flush", "log", "value", "LSN of last flush", "Innodb_redo_log_flushed_to_disk_lsn"),
    ("log_writes", "log", "status_counter", "Number of log writes", "Innodb_log_writes"),
    (
        "os_data_fsyncs",
        "os",
        "status_counter",
        "Number of fsync() calls (innodb_data_fsyncs)",
        "Innodb_data_fsyncs",
    ),
    (
        "os_data_reads",
        "os",
        "status_counter",
        "Number of reads initiated (innodb_data_reads)",
        "Innodb_data_reads",
    ),
    (
        "os_data_writes",
        "os",
        "status_counter",
        "Number of writes initiated (innodb_data_writes)",
        "Innodb_data_writes",
    ),
    (
        "os_log_bytes_written",
        "os",
        "status_counter",
        "Bytes of log written (innodb_os_log_written)",
        "Innodb_os_log_written",
    ),
    (
        "os_log_fsyncs",
        "os",
        "status_counter",
        "Number of fsync log writes (innodb_os_log_fsyncs)",
        "Innodb_os_log_fsyncs",
    ),
];

/// The rows. Error 1227 without the privilege PROCESS.
pub(super) fn rows(look: &Look<'_>) -> Result<Vec<Row>> {
    if !look.access.has(Privileges::PROCESS) {
        return Err(denied());
    }
    let status = server::status(look, Scope::Global, |_| true);
    let text = |cell: &types::value::Value| {
        let mut text = Vec::new();
        cell.as_ref().write_text(&mut text);
        String::from_utf8_lossy(&text).into_owned()
    };
    let values: HashMap<String, u64> =
        status.iter().filter_map(|row| Some((text(&row[0]), text(&row[1]).parse().ok()?))).collect();
    let uptime_s = values.get("Uptime").copied().unwrap_or(0);
    let started = u32::try_from(crate::clock::unix_s().saturating_sub(uptime_s)).ok();
    let started = started.and_then(|started| look.local_time(started));
    let row = |(name, subsystem, kind, comment, source): &(&str, &str, &str, &str, &str)| {
        let count = values.get(*source).copied().unwrap_or(0);
        let mut row = row![*name, *subsystem, count, NULL, NULL, NULL, count, NULL, NULL, NULL];
        row.extend(row![started, NULL, uptime_s, NULL, "enabled", *kind, *comment]);
        row
    };
    Ok(METRICS.iter().map(row).collect())
}

fn denied() -> SqlError {
    ER_SPECIFIC_ACCESS_DENIED_ERROR.error(&[&"PROCESS"])
}
