//! `mysql.slow_log`: the newest entries of the slow query log, while `log_output` has TABLE.

use types::error::SqlError;
use types::temporal::Time;
use types::value::Value;

use super::cell::{Row, row};
use super::general_log::moment;
use super::look::Look;
use crate::accounts::Privileges;

/// `mysql.slow_log`. Error 1142.
pub(super) fn rows(look: &Look<'_>) -> Result<Vec<Row>, SqlError> {
    look.access.on_table(Privileges::SELECT, "mysql", "slow_log")?;
    let server_id = u64::from(look.shared.server_id);
    // As MySQL's columns, which are INTs.
    let int = |number: u64| number.min(i32::MAX.unsigned_abs().into());
    let time = |us: u64| Value::Time(Time::saturating(i64::try_from(us).unwrap_or(i64::MAX), 6));
    Ok(look.shared.common.slow_log.rows(|entry| {
        let text = Value::Bytes(entry.text.clone());
        let query_us = entry.ended_us.saturating_sub(entry.began_us);
        let mut row =
            row![moment(look, entry.ended_us), &entry.user_host, time(query_us), time(entry.locked_us)];
        row.extend(row![int(entry.sent), int(entry.examined), &entry.db, int(entry.last_insert_id), 0_u64]);
        row.extend(row![server_id, text, u64::from(entry.id)]);
        row
    }))
}
