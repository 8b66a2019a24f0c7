//! `mysql.general_log`: the newest entries of the general log, while `log_output` has TABLE.

use types::error::SqlError;
use types::temporal::{DateTime, Timestamp};
use types::value::Value;

use super::cell::{Row, row};
use super::look::Look;
use crate::accounts::Privileges;
use crate::general_log::Entry;

/// `mysql.general_log`. Error 1142.
pub(super) fn rows(look: &Look<'_>) -> Result<Vec<Row>, SqlError> {
    look.access.on_table(Privileges::SELECT, "mysql", "general_log")?;
    let server_id = u64::from(look.shared.server_id);
    Ok(look.shared.common.general_log.rows(|entry| {
        let Entry { at_us, user_host, id, command, argument } = entry;
        let argument = Value::Bytes(argument.to_vec());
        row![moment(look, at_us), user_host, u64::from(id), server_id, command, argument]
    }))
}

/// Microseconds since 1970, in the session's time zone.
pub(super) fn moment(look: &Look<'_>, at_us: u64) -> Option<DateTime> {
    let seconds = i64::try_from(at_us / 1_000_000).ok()?;
    let micros = u32::try_from(at_us % 1_000_000).ok()?;
    Some(look.session.time_zone().to_local(Timestamp::new(seconds, micros)?, 6))
}
