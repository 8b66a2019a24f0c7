//! `performance_schema.host_cache`: the hosts whose clients broke off their handshakes, since the last of them logged in.

use types::temporal::Timestamp;

use super::Result;
use super::cell::{NULL, Row, row};
use super::look::Look;
use crate::accounts::Privileges;

/// The rows. Names of hosts are not looked up. Error 1142: where others come from is not everybody's.
pub(super) fn rows(look: &Look<'_>) -> Result<Vec<Row>> {
    look.access.granted_on_table(Privileges::SELECT, "performance_schema", "host_cache")?;
    let moment = |us: u64| {
        let seconds = i64::try_from(us / 1_000_000).ok()?;
        let micros = u32::try_from(us % 1_000_000).ok()?;
        Some(look.session.time_zone().to_local(Timestamp::new(seconds, micros)?, 6))
    };
    let row = |(address, errors): (std::net::IpAddr, crate::net::HostErrors)| {
        let count = errors.count;
        let mut row = row![address.to_string(), NULL, "NO", count, 0_u64];
        // Of all kinds of errors these are the ones that are remembered, and they are all that block.
        row.extend(std::iter::repeat_n(row![0_u64], 9).flatten());
        row.extend(row![count]);
        row.extend(std::iter::repeat_n(row![0_u64], 12).flatten());
        let (first, last) = (moment(errors.first_us), moment(errors.last_us));
        row.extend(row![first, last, first, last]);
        row
    };
    Ok(look.shared.connections.failed_hosts().into_iter().map(row).collect())
}
