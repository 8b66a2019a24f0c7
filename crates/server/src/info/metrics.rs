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
    //@METRICS@
];

/// The rows. Error 1227 without the privilege PROCESS.
pub(super) fn rows(look: &Look<'_>) -> Result<Vec<Row>> {
    if !look.access.has(Privileges::PROCESS) {
        return Err(denied());
    }
    let status = server::status(look, Scope::Global);
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
