//! The rows of SHOW STATUS, and where each comes from.

use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};

use binlog::IoCache;
use commit::{FileContext, Histogram, SemiSyncStatus, Stats, StrategyKind, Tuple};

use super::counter::{Counter, Counters};
use super::{Gauges, View, storage};
use crate::net::tls::cipher_list;

/// A row.
#[derive(Clone, Copy)]
pub(super) struct Row {
    pub(super) name: &'static str,
    pub(super) source: Source,
}

/// Where a value comes from.
#[derive(Clone, Copy)]
pub(super) enum Source {
    /// Sessions count it.
    Session(Counter),
    /// Sessions count it, but everybody is shown the sum.
    Everybody(Counter),
    /// A number that only grows.
    Total(fn(&View<'_>) -> u64),
    /// A number that goes up and down.
    Level(fn(&View<'_>) -> u64),
    /// A text.
    Text(fn(&View<'_>) -> String),
    /// Always the same: what this server does not have.
    Fixed(&'static str),
}

impl Row {
    pub(super) fn show(&self, view: &View<'_>, sum: &Counters) -> String {
        match self.source {
            Source::Session(counter) => view.session.unwrap_or(sum).get(counter).to_string(),
            Source::Everybody(counter) => sum.get(counter).to_string(),
            Source::Total(number) | Source::Level(number) => number(view).to_string(),
            Source::Text(text) => text(view),
            Source::Fixed(text) => text.to_owned(),
        }
    }
}

/// Every row, by name.
pub(super) fn all() -> &'static [Row] {
    static ALL: LazyLock<Vec<Row>> = LazyLock::new(|| {
        let counted = Counter::ALL.iter().map(|counter| match counter {
            Counter::Queries
            | Counter::InnodbRowsDeleted
            | Counter::InnodbRowsInserted
            | Counter::InnodbRowsRead
            | Counter::InnodbRowsUpdated => Row { name: counter.name(), source: Source::Everybody(*counter) },
            _ => Row { name: counter.name(), source: Source::Session(*counter) },
        });
        let semi_sync = SEMI_SYNC_SOURCE.into_iter().chain(SEMI_SYNC_MASTER).chain(SEMI_SYNC_REPLICA);
        let others = [OTHERS, storage::ROWS, storage::ABSENT].into_iter().flatten().copied();
        let others = others.chain(STAGES.into_iter().flatten()).chain(semi_sync).chain(OLD_WORDS);
        let mut rows: Vec<_> = counted.chain(others).collect();
        rows.sort_unstable_by_key(|row| row.name);
        rows
    });
    &ALL
}

pub(super) const fn total(name: &'static str, number: fn(&View<'_>) -> u64) -> Row {
    Row { name, source: Source::Total(number) }
}

pub(super) const fn level(name: &'static str, number: fn(&View<'_>) -> u64) -> Row {
    Row { name, source: Source::Level(number) }
}

const fn counted(name: &'static str, counter: Counter) -> Row {
    Row { name, source: Source::Session(counter) }
}

const fn text(name: &'static str, text: fn(&View<'_>) -> String) -> Row {
    Row { name, source: Source::Text(text) }
}

fn on_off(on: bool) -> String {
    if on { "ON" } else { "OFF" }.to_owned()
}

pub(super) const fn fixed(name: &'static str, text: &'static str) -> Row {
    Row { name, source: Source::Fixed(text) }
}

fn gauge(view: &View<'_>, which: fn(&Gauges) -> &AtomicU64) -> u64 {
    which(&view.status.gauges).load(Ordering::Relaxed)
}

/// A number of the pipeline; 0 before it runs.
fn stat(view: &View<'_>, which: fn(&Stats) -> &AtomicU64) -> u64 {
    view.pipeline.map_or(0, |pipeline| which(&pipeline.stats).load(Ordering::Relaxed))
}

/// A part of a histogram's values lies below this.
fn quantile(view: &View<'_>, which: fn(&Stats) -> &Histogram, part: f64) -> u64 {
    view.pipeline.map_or(0, |pipeline| which(&pipeline.stats).quantile(part))
}

/// As [`quantile`], of nanoseconds, in microseconds.
fn quantile_us(view: &View<'_>, which: fn(&Stats) -> &Histogram, part: f64) -> u64 {
    quantile(view, which, part) / 1000
}

fn stat_of(view: &View<'_>, which: fn(&Stats) -> u64) -> u64 {
    view.pipeline.map_or(0, |pipeline| which(&pipeline.stats))
}

fn mean_us(view: &View<'_>, which: fn(&Stats) -> &Histogram) -> u64 {
    view.pipeline.map_or(0, |pipeline| {
        let histogram = which(&pipeline.stats);
        histogram.sum() / histogram.count().max(1) / 1000
    })
}

pub(super) fn redo(view: &View<'_>, which: fn(&redo::RedoLog) -> u64) -> u64 {
    view.pipeline.map_or(0, |pipeline| which(pipeline.redo()))
}

fn store(view: &View<'_>, which: fn(&redo::RedoLog) -> u64) -> u64 {
    view.pipeline.and_then(|pipeline| pipeline.store()).map_or(0, which)
}

/// A number of the binlog's I/O cache; 0 without a binlog.
fn io_cache(view: &View<'_>, which: fn(&IoCache) -> u64) -> u64 {
    view.pipeline.and_then(|pipeline| pipeline.binlog()).map_or(0, |files| which(files.io_cache()))
}

/// The rows of a stage's times.
macro_rules! stage {
    ($name:literal, $field:ident) => {
        [
            level(concat!("Onelog_", $name, "_us_avg"), |view| mean_us(view, |stats| &stats.$field)),
            level(concat!("Onelog_", $name, "_us_p50"), |view| quantile_us(view, |stats| &stats.$field, 0.5)),
            level(concat!("Onelog_", $name, "_us_p95"), |view| {
                quantile_us(view, |stats| &stats.$field, 0.95)
            }),
            level(concat!("Onelog_", $name, "_us_p99"), |view| {
                quantile_us(view, |stats| &stats.$field, 0.99)
            }),
            level(concat!("Onelog_", $name, "_us_max"), |view| quantile_us(view, |stats| &stats.$field, 1.0)),
        ]
    };
}

/// The times of the stages.
const STAGES: [[Row; 5]; 4] = [
    stage!("flush_stage", flush_ns),
    stage!("sync_stage", sync_ns),
    stage!("redo_step", redo_ns),
    stage!("store_step", store_ns),
];

/// What of the place of the session's consistent snapshot; of now, without one. Empty without a binlog.
fn snapshot(view: &View<'_>, which: fn(&Tuple, &FileContext) -> String) -> String {
    let Some(pipeline) = view.pipeline else { return String::new() };
    which(view.moment.tuple(pipeline), pipeline.binlog_context())
}

/// What of semi-synchronous replication `which` says; nothing before the pipeline runs.
fn semi_sync(view: &View<'_>, which: fn(&SemiSyncStatus) -> u64) -> u64 {
    view.pipeline.map_or(0, |pipeline| which(view.moment.semi_sync(pipeline)))
}

/// The rows of semi-synchronous replication. MySQL keeps no times of the network, nor does this server.
macro_rules! semi_sync {
    ($side:literal) => {
        [
            level(concat!("Rpl_semi_sync_", $side, "_clients"), |view| {
                semi_sync(view, |status| status.clients as u64)
            }),
            fixed(concat!("Rpl_semi_sync_", $side, "_net_avg_wait_time"), "0"),
            fixed(concat!("Rpl_semi_sync_", $side, "_net_wait_time"), "0"),
            total(concat!("Rpl_semi_sync_", $side, "_net_waits"), |view| {
                semi_sync(view, |status| status.counts.net_waits)
            }),
            total(concat!("Rpl_semi_sync_", $side, "_no_times"), |view| {
                semi_sync(view, |status| status.counts.no_times)
            }),
            total(concat!("Rpl_semi_sync_", $side, "_no_tx"), |view| {
                semi_sync(view, |status| status.counts.no_tx)
            }),
            text(concat!("Rpl_semi_sync_", $side, "_status"), |view| {
                on_off(semi_sync(view, |status| status.on.into()) == 1)
            }),
            fixed(concat!("Rpl_semi_sync_", $side, "_timefunc_failures"), "0"),
            level(concat!("Rpl_semi_sync_", $side, "_tx_avg_wait_time"), |view| {
                semi_sync(view, |status| status.counts.tx_wait_time_us / status.counts.tx_waits.max(1))
            }),
            total(concat!("Rpl_semi_sync_", $side, "_tx_wait_time"), |view| {
                semi_sync(view, |status| status.counts.tx_wait_time_us)
            }),
            total(concat!("Rpl_semi_sync_", $side, "_tx_waits"), |view| {
                semi_sync(view, |status| status.counts.tx_waits)
            }),
            total(concat!("Rpl_semi_sync_", $side, "_wait_pos_backtraverse"), |view| {
                semi_sync(view, |status| status.counts.wait_pos_backtraverse)
            }),
            level(concat!("Rpl_semi_sync_", $side, "_wait_sessions"), |view| {
                semi_sync(view, |status| status.wait_sessions as u64)
            }),
            total(concat!("Rpl_semi_sync_", $side, "_yes_tx"), |view| {
                semi_sync(view, |status| status.counts.yes_tx)
            }),
        ]
    };
}

const SEMI_SYNC_REPLICA: [Row; 2] = [
    text("Rpl_semi_sync_replica_status", |view| on_off(view.acknowledges)),
    text("Rpl_semi_sync_slave_status", |view| on_off(view.acknowledges)),
];
const SEMI_SYNC_SOURCE: [Row; 14] = semi_sync!("source");
const SEMI_SYNC_MASTER: [Row; 14] = semi_sync!("master");

/// Statements of replication count under their old words as well: a number has two names.
const OLD_WORDS: [Row; 6] = [
    counted("Com_change_master", Counter::ComChangeReplicationSource),
    counted("Com_show_master_status", Counter::ComShowBinaryLogStatus),
    counted("Com_show_slave_hosts", Counter::ComShowReplicas),
    counted("Com_show_slave_status", Counter::ComShowReplicaStatus),
    counted("Com_slave_start", Counter::ComReplicaStart),
    counted("Com_slave_stop", Counter::ComReplicaStop),
];

/// What sessions do not count.
const OTHERS: &[Row] = &[
    total("Aborted_clients", |view| gauge(view, |gauges| &gauges.aborted_clients)),
    total("Aborted_connects", |view| gauge(view, |gauges| &gauges.aborted_connects)),
    fixed("Binlog_stmt_cache_disk_use", "0"),
    fixed("Binlog_stmt_cache_use", "0"),
    total("Binlog_commits", |view| stat(view, |stats| &stats.binlog_commits)),
    total("Binlog_group_commits", |view| stat(view, |stats| &stats.binlog_groups)),
    text("Binlog_snapshot_file", |view| {
        snapshot(view, |tuple, files| {
            tuple.binlog.as_ref().map_or(String::new(), |end| files.name(end.file).to_string())
        })
    }),
    text("Binlog_snapshot_gtid_executed", |view| snapshot(view, |tuple, _| tuple.gtid_executed.to_string())),
    text("Binlog_snapshot_position", |view| {
        snapshot(view, |tuple, _| tuple.binlog.as_ref().map_or(String::new(), |end| end.position.to_string()))
    }),
    text("Compression", |view| on_off(view.compressed)),
    text("Compression_algorithm", |view| if view.compressed { "zlib" } else { "" }.to_owned()),
    text("Compression_level", |view| if view.compressed { "6" } else { "0" }.to_owned()),
    total("Connection_errors_accept", |view| gauge(view, |gauges| &gauges.accept_errors)),
    total("Connection_errors_internal", |view| gauge(view, |gauges| &gauges.internal_errors)),
    total("Connection_errors_max_connections", |view| gauge(view, |gauges| &gauges.refused_by_number)),
    total("Connection_errors_peer_address", |view| gauge(view, |gauges| &gauges.peer_errors)),
    fixed("Connection_errors_select", "0"),
    fixed("Connection_errors_tcpwrap", "0"),
    total("Connections", |view| gauge(view, |gauges| &gauges.connections)),
    total("Flush_commands", |view| gauge(view, |gauges| &gauges.flush_commands)),
    total("Innodb_os_log_fsyncs", |view| redo(view, |log| log.stats().syncs.load(Ordering::Relaxed))),
    total("Innodb_os_log_written", |view| {
        redo(view, |log| log.stats().bytes_written.load(Ordering::Relaxed))
    }),
    total("Innodb_redo_log_flushed_to_disk_lsn", |view| redo(view, |log| log.synced().0)),
    total("Innodb_redo_log_current_lsn", |view| redo(view, |log| log.written().0)),
    level("Innodb_redo_log_physical_size", |view| redo(view, redo::RedoLog::live_bytes)),
    fixed("Innodb_redo_log_enabled", "ON"),
    fixed("Innodb_page_size", "16384"),
    fixed("Last_query_cost", "0.000000"),
    fixed("Locked_connects", "0"),
    level("Max_used_connections", |view| gauge(view, |gauges| &gauges.sessions_max)),
    text("Max_used_connections_time", |view| local_time(gauge(view, |gauges| &gauges.sessions_max_at))),
    total("Onelog_commits", |view| stat(view, |stats| &stats.commits)),
    total("Onelog_commit_groups", |view| stat(view, |stats| &stats.groups)),
    text("Onelog_commit_gate", |view| view.pipeline.map_or("", |pipeline| pipeline.gate().name()).to_owned()),
    total("Onelog_redo_syncs", |view| redo(view, |log| log.stats().syncs.load(Ordering::Relaxed))),
    total("Onelog_redo_bytes_written", |view| {
        redo(view, |log| log.stats().bytes_written.load(Ordering::Relaxed))
    }),
    total("Onelog_redo_blocks", |view| redo(view, |log| log.stats().blocks.load(Ordering::Relaxed))),
    level("Onelog_binlog_io_cache_allocated", |view| io_cache(view, IoCache::allocated)),
    total("Onelog_binlog_io_cache_read_requests", |view| io_cache(view, IoCache::read_requests)),
    total("Onelog_binlog_io_cache_reads", |view| io_cache(view, IoCache::reads)),
    total("Onelog_binlog_syncs", |view| stat(view, |stats| &stats.binlog_syncs)),
    total("Onelog_binlog_bytes_written", |view| stat(view, |stats| &stats.binlog_bytes)),
    total("Onelog_store_syncs", |view| store(view, |log| log.stats().syncs.load(Ordering::Relaxed))),
    total("Onelog_store_bytes_written", |view| {
        store(view, |log| log.stats().bytes_written.load(Ordering::Relaxed))
    }),
    total("Onelog_serial_ns", |view| stat(view, |stats| &stats.serial_ns)),
    level("Onelog_ticket_ns_avg", |view| {
        stat_of(view, |stats| stats.ticket_ns.sum() / stats.ticket_ns.count().max(1))
    }),
    level("Onelog_ticket_ns_p50", |view| quantile(view, |stats| &stats.ticket_ns, 0.5)),
    level("Onelog_ticket_ns_p99", |view| quantile(view, |stats| &stats.ticket_ns, 0.99)),
    level("Onelog_ticket_ns_max", |view| quantile(view, |stats| &stats.ticket_ns, 1.0)),
    text("Aurora_enhanced_binlog", |view| {
        let active = view.pipeline.is_some_and(|pipeline| pipeline.strategy_kind() == StrategyKind::Enhanced);
        if active { "ACTIVE" } else { "INACTIVE" }.to_owned()
    }),
    level("Onelog_group_size_p50", |view| quantile(view, |stats| &stats.group_size, 0.5)),
    level("Onelog_group_size_p95", |view| quantile(view, |stats| &stats.group_size, 0.95)),
    level("Onelog_group_size_p99", |view| quantile(view, |stats| &stats.group_size, 0.99)),
    level("Onelog_group_size_max", |view| quantile(view, |stats| &stats.group_size, 1.0)),
    total("Onelog_checkpoints", |view| stat(view, |stats| &stats.checkpoints)),
    total("Onelog_checkpoint_keys", |view| stat(view, |stats| &stats.checkpoint_keys)),
    total("Onelog_checkpoint_slices", |view| stat(view, |stats| &stats.checkpoint_slices)),
    total("Onelog_checkpoint_ms", |view| stat(view, |stats| &stats.checkpoint_ns) / 1_000_000),
    level("Onelog_delta_bytes", |view| {
        view.pipeline.map_or(0, |pipeline| pipeline.published().view().delta_bytes() as u64)
    }),
    level("Onelog_view_retained_bytes", |view| {
        view.pipeline.map_or(0, |pipeline| pipeline.published().retired.bytes())
    }),
    total("Onelog_views_expired", |view| {
        view.pipeline.map_or(0, |pipeline| pipeline.published().retired.expired())
    }),
    text("Onelog_snapshot_gtid_executed", |view| snapshot(view, |tuple, _| tuple.gtid_executed.to_string())),
    level("Onelog_visible_seq", |view| view.pipeline.map_or(0, |pipeline| pipeline.published().visible().0)),
    total("Onelog_passwords_digested", |view| gauge(view, |gauges| &gauges.passwords_digested)),
    level("Onelog_recovery_ms", |view| view.recovery.ms),
    level("Onelog_recovery_bytes_read", |view| view.recovery.bytes_read),
    level("Onelog_recovery_trx_replayed", |view| view.recovery.trx_replayed),
    level("Onelog_recovery_trx_cut", |view| view.recovery.trx_cut),
    level("Onelog_recovery_binlog_bytes_cut", |view| view.recovery.binlog_bytes_cut),
    level("Onelog_recovery_binlog_bytes_rebuilt", |view| view.recovery.binlog_bytes_rebuilt),
    level("Prepared_stmt_count", |view| gauge(view, |gauges| &gauges.prepared_statements)),
    fixed("Rsa_public_key", ""),
    text("Caching_sha2_password_rsa_public_key", |view| {
        view.status.public_key.get().map_or("", |pem| pem).to_owned()
    }),
    fixed("Slow_launch_threads", "0"),
    total("Ssl_accepts", |view| gauge(view, |gauges| &gauges.tls_accepts)),
    text("Ssl_cipher", |view| view.tls.map_or("", |tls| tls.cipher).to_owned()),
    text("Ssl_cipher_list", |view| view.tls.map_or_else(String::new, |_| cipher_list())),
    total("Ssl_finished_accepts", |view| gauge(view, |gauges| &gauges.tls_finished_accepts)),
    fixed("Ssl_server_not_after", ""),
    fixed("Ssl_server_not_before", ""),
    fixed("Ssl_sessions_reused", "0"),
    text("Ssl_version", |view| view.tls.map_or("", |tls| tls.version).to_owned()),
    fixed("Threads_cached", "0"),
    level("Threads_connected", |view| view.threads_connected),
    total("Threads_created", |view| gauge(view, |gauges| &gauges.sessions_begun)),
    level("Threads_running", |view| view.threads_running),
    fixed("Tls_library_version", ""),
    total("Uptime", |view| view.uptime_s),
    level("Uptime_since_flush_status", |view| {
        view.uptime_s.saturating_sub(gauge(view, |gauges| &gauges.status_flushed_s))
    }),
];

/// A moment as MySQL shows it, in the machine's time zone; empty for none.
fn local_time(unix_s: u64) -> String {
    let seconds = i64::try_from(unix_s).unwrap_or(0);
    match types::temporal::Timestamp::new(seconds, 0) {
        Some(moment) if seconds > 0 => crate::variables::zone::system().to_local(moment, 0).to_string(),
        _ => String::new(),
    }
}
