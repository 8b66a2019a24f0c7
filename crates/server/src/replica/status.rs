//! SHOW REPLICA STATUS.

use std::sync::atomic::Ordering;

use types::temporal::{TimeZone, Timestamp};
use types::value::Value;

use super::{Failure, State, Threads, Until};
use crate::info::cell::{NULL, Row, row};
use crate::session::Shared;

/// Its row, if there is a source.
pub(crate) fn status(shared: &Shared) -> Vec<Row> {
    let replica = &shared.common.replica;
    let threads = replica.threads();
    let state = replica.state.lock().clone();
    let executed = shared.pipeline.publisher().tuple().gtid_executed.to_string();
    let skips = state.skips.max(shared.variables.live.replica_skip_counter.load(Ordering::Relaxed));
    let Some(mut row) = front(&state, threads, skips) else { return Vec::new() };
    row.extend(back(&state, threads, executed));
    vec![row]
}

/// Up to the source's certificates.
fn front(state: &State, threads: Threads, skips: u32) -> Option<Row> {
    let settings = state.settings.as_ref()?;
    let io = match (threads.io, state.connected) {
        (false, _) => "No",
        (true, false) => "Connecting",
        (true, true) => "Yes",
    };
    let last = state.sql_error.as_ref();
    let (read, applied, tls) = (&state.read, &state.applied, &settings.tls);
    let backlog = if read.file == applied.file { read.position.saturating_sub(applied.position) } else { 0 };
    let (until, until_file, until_position) = Until::shown(state.until.as_ref());
    Some(row![
        io_state(state, threads),
        &settings.host,
        &settings.user,
        u32::from(settings.port),
        settings.connect_retry_s,
        &read.file,
        read.position,
        // There is no relay log: what was received and not applied is asked for again.
        "",
        0_u32,
        &applied.file,
        io,
        yes(threads.sql),
        "",
        "",
        "",
        "",
        "",
        "",
        code(last),
        message(last),
        skips,
        applied.position,
        backlog,
        until,
        until_file,
        until_position,
        yes(tls.enabled),
        &tls.ca,
        "",
        &tls.cert,
        "",
        &tls.key,
    ])
}

fn back(state: &State, threads: Threads, executed: String) -> Row {
    let settings = state.settings.clone().unwrap_or_default();
    let (io, sql) = (state.io_error.as_ref(), state.sql_error.as_ref());
    row![
        seconds_behind(state, threads),
        yes(settings.tls.checks_host),
        code(io),
        message(io),
        code(sql),
        message(sql),
        "",
        state.source_server_id,
        &state.source_uuid,
        "mysql.slave_master_info",
        settings.delay_s,
        state.remaining_delay_s(),
        sql_state(state, threads),
        settings.retry_count,
        "",
        at(io),
        at(sql),
        "",
        "",
        state.retrieved.to_string(),
        executed,
        u32::from(settings.auto_position),
        "",
        "",
        "",
        "",
        u32::from(settings.get_public_key),
        "",
    ]
}

fn yes(it_is: bool) -> &'static str {
    if it_is { "Yes" } else { "No" }
}

fn io_state(state: &State, threads: Threads) -> &'static str {
    match (threads.io, state.connected) {
        (false, _) => "",
        (true, false) => "Connecting to source",
        (true, true) => "Waiting for source to send event",
    }
}

fn sql_state(state: &State, threads: Threads) -> &'static str {
    match (threads.sql, is_caught_up(state)) {
        (false, _) => "",
        (true, _) if state.due_s > 0 => "Waiting until SOURCE_DELAY seconds after source executed event",
        (true, true) => "Replica has read all relay log; waiting for more updates",
        (true, false) => "Applying events",
    }
}

fn is_caught_up(state: &State) -> bool {
    (&state.read.file, state.read.position) == (&state.applied.file, state.applied.position)
}

fn seconds_behind(state: &State, threads: Threads) -> Value {
    if !threads.sql || !threads.io || !state.connected {
        return NULL;
    }
    if is_caught_up(state) {
        return Value::UInt(0);
    }
    // What is received and not given to a worker yet is behind what is.
    let oldest = state.under_way.front().map_or(state.received_at_s, |(_, made_at_s)| *made_at_s);
    match oldest {
        0 => Value::UInt(0),
        oldest => Value::UInt(crate::clock::unix_s().saturating_sub(oldest.into())),
    }
}

fn code(failure: Option<&Failure>) -> u32 {
    failure.map_or(0, |failure| failure.code.into())
}

fn message(failure: Option<&Failure>) -> &str {
    failure.map_or("", |failure| &failure.message)
}

/// `yymmdd hh:mm:ss`
fn at(failure: Option<&Failure>) -> String {
    let Some(failure) = failure else { return String::new() };
    let seconds = i64::try_from(failure.at_us / 1_000_000).unwrap_or(0);
    let Some(moment) = Timestamp::new(seconds, 0) else { return String::new() };
    let mut text = Vec::new();
    types::value::ValueRef::DateTime(TimeZone::UTC.to_local(moment, 0)).write_text(&mut text);
    let text = String::from_utf8_lossy(&text).into_owned();
    let (date, time) = text.split_once(' ').unwrap_or_default();
    format!("{} {time}", date.get(2..).unwrap_or_default().replace('-', ""))
}
