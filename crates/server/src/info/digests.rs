//! `performance_schema.events_statements_summary_by_digest`, and `setup_consumers`.

use std::sync::atomic::Ordering;

use types::value::Value;

use super::Result;
use super::cell::{Row, row};
use super::general_log::moment;
use super::look::Look;
use crate::accounts::Privileges;
use crate::digests::Summary;

/// Picoseconds of a microsecond: what times are in.
const PICOSECONDS: u64 = 1_000_000;

/// The rows. Error 1142: what others ask for is not everybody's.
pub(super) fn rows(look: &Look<'_>) -> Result<Vec<Row>> {
    let table = "events_statements_summary_by_digest";
    look.access.granted_on_table(Privileges::SELECT, "performance_schema", table)?;
    Ok(look.shared.common.digests.rows(|name, summary| summary_row(look, name, summary)))
}

fn summary_row(look: &Look<'_>, name: Option<(Option<&str>, &str)>, of: &Summary) -> Row {
    let time = |us: u64| us.saturating_mul(PICOSECONDS);
    let (sum_us, longest_us) = (of.times.sum(), of.times.max());
    let digest = name.map(|(_, text)| sql::lex::digest_of(text));
    let mut row = row![name.and_then(|(db, _)| db), digest, name.map(|(_, text)| text), of.count];
    let average = time(sum_us).checked_div(of.count).unwrap_or_default();
    row.extend(row![time(sum_us), time(of.shortest_us), average, time(longest_us)]);
    row.extend(row![time(of.locked_us), of.errors, of.warnings, of.affected, of.sent, of.work.rows]);
    // Temporary tables are not counted.
    row.extend(row![0_u64, 0_u64, of.work.full_joins, of.work.range_joins, of.work.ranges, 0_u64]);
    row.extend(row![of.work.scans, 0_u64, of.work.range_sorts, of.work.sorted, of.work.scan_sorts]);
    row.extend(row![of.without_index, 0_u64, 0_u64, 0_u64, 0_u64, 0_u64]);
    row.extend(row![moment(look, of.seen_us.0), moment(look, of.seen_us.1)]);
    row.extend([0.95, 0.99, 0.999].map(|part| Value::UInt(time(of.times.quantile(part)))));
    let (text, seen_us, took_us) = &of.sample;
    row.extend(row![String::from_utf8_lossy(text).into_owned(), moment(look, *seen_us), time(*took_us)]);
    row
}

/// `setup_consumers`: what is collected of what MySQL can.
pub(super) fn consumers(look: &Look<'_>) -> Vec<Row> {
    let collects = look.shared.variables.live.performance_schema.load(Ordering::Relaxed);
    let names = ["global_instrumentation", "statements_digest"];
    names.map(|name| row![name, if collects { "YES" } else { "NO" }]).into()
}
