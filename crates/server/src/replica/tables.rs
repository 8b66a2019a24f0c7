//! The replica's tables of `performance_schema` and `mysql`. There is one channel, whose name is empty; its parts are tasks, not
//! threads, so they have no ids.

use std::sync::atomic::Ordering;

use replication::replica::Settings;
use types::error::SqlError;
use types::temporal::{DateTime, Timestamp};
use types::value::Value;

use super::progress::{Passing, Progress};
use super::{Failure, State, Threads};
use crate::accounts::Privileges;
use crate::info::Look;
use crate::info::cell::{NULL, Row, row};

type Result<T> = std::result::Result<T, SqlError>;

/// The one channel.
const CHANNEL: &str = "";

/// What the rows are made of; `None` without a source. Error 1142 without SELECT on the table.
fn seen(look: &Look<'_>, table: &str) -> Result<Option<(State, Threads)>> {
    look.access.granted_on_table(Privileges::SELECT, "performance_schema", table)?;
    let replica = &look.shared.common.replica;
    let threads = replica.threads();
    let state = replica.state.lock().clone();
    Ok(state.settings.is_some().then_some((state, threads)))
}

/// `replication_connection_configuration`
pub(crate) fn connection_configuration(look: &Look<'_>) -> Result<Vec<Row>> {
    let seen = seen(look, "replication_connection_configuration")?;
    let Some(settings) = seen.and_then(|(state, _)| state.settings) else { return Ok(Vec::new()) };
    let tls = &settings.tls;
    let mut row = row![CHANNEL, &settings.host, u32::from(settings.port), &settings.user, ""];
    row.extend(row![one(settings.auto_position), yes(tls.enabled), &tls.ca, "", &tls.cert, "", &tls.key]);
    row.extend(row![yes(tls.checks_host), "", "", settings.connect_retry_s, settings.retry_count]);
    row.push(Value::Double(f64::from(settings.heartbeat_ms) / 1000.0));
    row.extend(row!["", "", yes(settings.get_public_key), "", "uncompressed", 3_u32, NULL, "0", "0"]);
    Ok(vec![row])
}

/// `mysql.slave_master_info`: with the password, as in MySQL.
pub(crate) fn master_info(look: &Look<'_>) -> Result<Vec<Row>> {
    let Some((state, settings)) = configured(look, "slave_master_info")? else { return Ok(Vec::new()) };
    let (read, tls) = (&state.read, &settings.tls);
    let mut row = row![33_u32, &read.file, read.position, &settings.host, &settings.user, &settings.password];
    row.extend(row![u32::from(settings.port), settings.connect_retry_s, u32::from(tls.enabled)]);
    row.extend(row![&tls.ca, "", &tls.cert, "", &tls.key, u32::from(tls.checks_host)]);
    row.push(Value::Double(f64::from(settings.heartbeat_ms) / 1000.0));
    row.extend(row!["", "0", &state.source_uuid, settings.retry_count, "", ""]);
    row.extend(row![u32::from(settings.auto_position), CHANNEL, "", "", u32::from(settings.get_public_key)]);
    row.extend(row!["", "uncompressed", 3_u32, NULL, 0_u32, 0_u32]);
    Ok(vec![row])
}

/// `mysql.slave_relay_log_info`: there is no relay log.
pub(crate) fn relay_log_info(look: &Look<'_>) -> Result<Vec<Row>> {
    let Some((state, settings)) = configured(look, "slave_relay_log_info")? else { return Ok(Vec::new()) };
    let workers = look.shared.variables.live.replica_parallel_workers.load(Ordering::Relaxed);
    let applied = &state.applied;
    let mut row = row![14_u32, "", 0_u64, &applied.file, applied.position, settings.delay_s, workers];
    row.extend(row![1_u32, CHANNEL, NULL, NULL, 0_u32, "STREAM", "OFF", ""]);
    Ok(vec![row])
}

/// What the rows of a table of `mysql` are made of; `None` without a source. Error 1142 without SELECT on the table.
fn configured(look: &Look<'_>, table: &str) -> Result<Option<(State, Settings)>> {
    look.access.on_table(Privileges::SELECT, "mysql", table)?;
    let state = look.shared.common.replica.state.lock().clone();
    let settings = state.settings.clone();
    Ok(settings.map(|settings| (state, settings)))
}

/// `replication_connection_status`
pub(crate) fn connection_status(look: &Look<'_>) -> Result<Vec<Row>> {
    let Some((state, threads)) = seen(look, "replication_connection_status")? else { return Ok(Vec::new()) };
    let service = match (threads.io, state.connected) {
        (false, _) => "OFF",
        (true, false) => "CONNECTING",
        (true, true) => "ON",
    };
    let mut row = row![CHANNEL, "", &state.source_uuid, NULL, service, state.heartbeats];
    row.extend(row![time(look, state.heartbeat_us), state.retrieved.to_string()]);
    row.extend(failure(look, state.io_error.as_ref()));
    row.extend(passed(look, state.queued));
    Ok(vec![row])
}

/// `replication_applier_configuration`
pub(crate) fn applier_configuration(look: &Look<'_>) -> Result<Vec<Row>> {
    let seen = seen(look, "replication_applier_configuration")?;
    let Some(settings) = seen.and_then(|(state, _)| state.settings) else { return Ok(Vec::new()) };
    Ok(vec![row![CHANNEL, settings.delay_s, NULL, "NO", "STREAM", "OFF", NULL]])
}

/// `replication_applier_status`
pub(crate) fn applier_status(look: &Look<'_>) -> Result<Vec<Row>> {
    let Some((state, threads)) = seen(look, "replication_applier_status")? else { return Ok(Vec::new()) };
    Ok(vec![row![CHANNEL, on(threads.sql), state.remaining_delay_s(), state.retries]])
}

/// `replication_applier_status_by_coordinator`
pub(crate) fn coordinator(look: &Look<'_>) -> Result<Vec<Row>> {
    let seen = seen(look, "replication_applier_status_by_coordinator")?;
    let Some((state, threads)) = seen else { return Ok(Vec::new()) };
    let mut row = row![CHANNEL, NULL, on(threads.sql)];
    row.extend(failure(look, state.sql_error.as_ref()));
    row.extend(passed(look, state.given));
    Ok(vec![row])
}

/// `replication_applier_status_by_worker`: those of the run that is, or was last.
pub(crate) fn workers(look: &Look<'_>) -> Result<Vec<Row>> {
    let seen = seen(look, "replication_applier_status_by_worker")?;
    let Some((state, threads)) = seen else { return Ok(Vec::new()) };
    let row = |(worker, id): (&std::sync::Arc<super::progress::WorkerSeen>, u64)| {
        let failed = worker.failure.lock().clone();
        let mut row = row![CHANNEL, id, NULL, on(threads.sql && failed.is_none())];
        row.extend(failure(look, failed.as_ref()));
        row.extend(passed(look, *worker.progress.lock()));
        // Who is tried again begins a new run.
        for _ in ["last", "at hand"] {
            row.extend(row![0_u64, 0_u64, "", DateTime::ZERO]);
        }
        row
    };
    Ok(state.workers.iter().zip(1..).map(row).collect())
}

/// Number, message and time of a failure.
fn failure(look: &Look<'_>, failure: Option<&Failure>) -> Row {
    match failure {
        Some(failure) => row![u32::from(failure.code), &failure.message, time(look, failure.at_us)],
        None => row![0_u32, "", DateTime::ZERO],
    }
}

/// The last transaction of a part with its four times, and the one at hand with three.
fn passed(look: &Look<'_>, Progress { at_hand, last }: Progress) -> Row {
    let name = |passing: Option<Passing>| match passing {
        None => String::new(),
        Some(Passing { gtid: None, .. }) => "ANONYMOUS".to_owned(),
        Some(Passing { gtid: Some(gtid), .. }) => gtid.to_string(),
    };
    let times = |passing: Option<Passing>| {
        let passing = passing.unwrap_or_default();
        [passing.original_us, passing.immediate_us, passing.began_us].map(|us| time(look, us))
    };
    let mut row = row![name(last)];
    row.extend(times(last).map(Value::DateTime));
    row.extend(row![time(look, last.map_or(0, |last| last.ended_us)), name(at_hand)]);
    row.extend(times(at_hand).map(Value::DateTime));
    row
}

/// A moment, microseconds since 1970, in the session's time zone; 0 is MySQL's zero.
fn time(look: &Look<'_>, us: u64) -> DateTime {
    let (seconds, micros) = (i64::try_from(us / 1_000_000), u32::try_from(us % 1_000_000));
    let moment = seconds.ok().zip(micros.ok()).and_then(|(seconds, micros)| Timestamp::new(seconds, micros));
    moment.map_or(DateTime::ZERO, |moment| look.session.time_zone().to_local(moment, 6))
}

fn on(it_is: bool) -> &'static str {
    if it_is { "ON" } else { "OFF" }
}

fn yes(it_is: bool) -> &'static str {
    if it_is { "YES" } else { "NO" }
}

fn one(it_is: bool) -> &'static str {
    if it_is { "1" } else { "0" }
}
