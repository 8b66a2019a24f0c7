//! The binary log, GTIDs, and who may write.

use std::sync::atomic::Ordering;

use commit::Pipeline;

use crate::variables::home::{Home, live, own, pipeline};
use crate::variables::live::Live;
use crate::variables::read::Sight;
use crate::variables::variable::Extent::{Both, Global, Session};
use crate::variables::variable::{Variable, choice, text, toggle, uint};
use crate::variables::{Read, Val, checks};

/// The rows.
pub(super) const ROWS: &[Variable] = &[
    toggle("log_bin", Global, true, "What is committed is written to the binary log.").told(),
    text("log_bin_basename", Global, "", "Directory and base name of the binary log.").told(),
    text("log_bin_index", Global, "", "The file that lists the binary log's files: it is beside them.")
        .fixed()
        .inert(),
    toggle("sql_log_bin", Session, true, "What this session does is written to the binary log.")
        .restricted()
        .home(own(|own| Val::Bool(own.sql_log_bin), |own, val| own.sql_log_bin = val.is_on())),
    uint(
        "sync_binlog",
        Global,
        (0, 4_294_967_295),
        1,
        "Groups of commits after which the binary log is synced; 0 = the operating system decides.",
    )
    .home(pipeline(|settings| settings.sync_binlog.val(), |settings, val| settings.sync_binlog.put(val))),
    uint(
        "binlog_group_commit_sync_delay",
        Global,
        (0, 1_000_000),
        0,
        "Microseconds that a group waits for more before its sync.",
    )
    .home(pipeline(|settings| settings.sync_delay_us.val(), |settings, val| settings.sync_delay_us.put(val))),
    uint(
        "binlog_group_commit_sync_no_delay_count",
        Global,
        (0, 100_000),
        0,
        "Transactions that end this wait; 0 = none do.",
    )
    .home(pipeline(
        |settings| settings.sync_no_delay_count.val(),
        |settings, val| settings.sync_no_delay_count.put(val),
    )),
    uint(
        "binlog_max_flush_queue_time",
        Global,
        (0, 100_000),
        0,
        "Microseconds that the FLUSH stage takes in late transactions.",
    )
    .home(pipeline(
        |settings| settings.max_flush_queue_time_us.val(),
        |settings, val| settings.max_flush_queue_time_us.put(val),
    )),
    toggle(
        "binlog_order_commits",
        Global,
        true,
        "Commits are always applied in parallel and become visible in order; this changes nothing.",
    ),
    uint(
        "max_binlog_size",
        Global,
        (4096, 1_073_741_824),
        1_073_741_824,
        "Bytes at which the binary log goes on in a new file.",
    )
    .step(4096)
    .home(pipeline(
        |settings| settings.max_binlog_size.val(),
        |settings, val| settings.max_binlog_size.put(val),
    )),
    choice("binlog_format", Both, &["MIXED", "STATEMENT", "ROW"], "ROW", "Rows are logged.")
        .restricted()
        .only(),
    choice(
        "binlog_row_image",
        Both,
        &["MINIMAL", "NOBLOB", "FULL"],
        "FULL",
        "Which columns of a row are logged.",
    )
    .restricted()
    .home(own(|own| Val::Choice(own.row_image), |own, val| own.row_image = val.choice())),
    choice(
        "binlog_row_metadata",
        Global,
        &["MINIMAL", "FULL"],
        "MINIMAL",
        "How much of its columns a table's description in the log says.",
    )
    .home(live(
        |live| Val::Choice(live.binlog_row_metadata_full.val().is_on().into()),
        |live, val| {
            live.binlog_row_metadata_full.put(&Val::Bool(val.choice() == 1));
        },
    )),
    choice(
        "binlog_row_value_options",
        Both,
        &["", "PARTIAL_JSON"],
        "",
        "How changes of JSON columns are logged.",
    )
    .restricted()
    .only(),
    uint(
        "binlog_row_event_max_size",
        Global,
        (256, 18_446_744_073_709_551_360),
        8192,
        "Bytes that rows of one event aim at.",
    )
    .fixed(),
    toggle("binlog_rows_query_log_events", Both, false, "The statement is logged before its rows.")
        .restricted()
        .home(own(|own| Val::Bool(own.rows_query), |own, val| own.rows_query = val.is_on())),
    choice("binlog_checksum", Global, &["NONE", "CRC32"], "CRC32", "How events of the binary log end."),
    uint(
        "binlog_cache_size",
        Global,
        (4096, u64::MAX),
        32_768,
        "Bytes of a transaction's events in memory; the rest goes to a file.",
    )
    .step(4096)
    .home(live(|live| live.binlog_cache_size.val(), |live, val| live.binlog_cache_size.put(val))),
    uint(
        "max_binlog_cache_size",
        Global,
        (4096, u64::MAX),
        18_446_744_073_709_547_520,
        "Bytes of a transaction's events.",
    )
    .step(4096)
    .home(live(|live| live.max_binlog_cache_size.val(), |live, val| live.max_binlog_cache_size.put(val))),
    uint(
        "binlog_stmt_cache_size",
        Global,
        (4096, u64::MAX),
        32_768,
        "The same for tables without transactions.",
    )
    .step(4096)
    .inert(),
    uint(
        "max_binlog_stmt_cache_size",
        Global,
        (4096, u64::MAX),
        18_446_744_073_709_547_520,
        "The same for tables without transactions.",
    )
    .step(4096)
    .inert(),
    uint(
        "binlog_expire_logs_seconds",
        Global,
        (0, 4_294_967_295),
        2_592_000,
        "Seconds after which files of the binary log are removed; 0 = never.",
    )
    .home(live(|live| live.binlog_expire_logs_s.val(), |live, val| live.binlog_expire_logs_s.put(val))),
    toggle("binlog_expire_logs_auto_purge", Global, true, "Whether they are removed by themselves.")
        .home(live(|live| live.binlog_auto_purge.val(), |live, val| live.binlog_auto_purge.put(val))),
    uint("expire_logs_days", Global, (0, 99), 0, "The same in days; use binlog_expire_logs_seconds.").only(),
    choice(
        "binlog_error_action",
        Global,
        &["IGNORE_ERROR", "ABORT_SERVER"],
        "ABORT_SERVER",
        "What a failed write of the binary log does: it always ends the server.",
    )
    .only(),
    toggle("binlog_gtid_simple_recovery", Global, true, "GTIDs are found in the newest and the oldest file.")
        .fixed()
        .inert(),
    choice(
        "binlog_transaction_dependency_tracking",
        Global,
        &["COMMIT_ORDER", "WRITESET", "WRITESET_SESSION"],
        "COMMIT_ORDER",
        "What replicas may apply in parallel.",
    )
    .home(pipeline(
        |settings| Val::Choice(settings.dependency_tracking.load(Ordering::Relaxed)),
        |settings, val| settings.dependency_tracking.store(val.choice(), Ordering::Relaxed),
    )),
    uint(
        "binlog_transaction_dependency_history_size",
        Global,
        (1, 1_000_000),
        25_000,
        "Row hashes that WRITESET tells apart, rounded up to a power of two.",
    )
    .home(pipeline(
        |settings| settings.dependency_history_size.val(),
        |settings, val| settings.dependency_history_size.put(val),
    )),
    toggle(
        "binlog_transaction_compression",
        Both,
        false,
        "The rows of a transaction are compressed in the log.",
    )
    .restricted()
    .home(own(|own| Val::Bool(own.compression), |own, val| own.compression = val.is_on())),
    uint(
        "binlog_transaction_compression_level_zstd",
        Both,
        (1, 22),
        3,
        "How much work compression is worth.",
    )
    .restricted()
    .home(own(
        |own| Val::UInt(own.compression_level.into()),
        |own, val| own.compression_level = u8::try_from(val.uint()).unwrap_or(3),
    )),
    toggle("binlog_encryption", Global, false, "The log is encrypted.").only(),
    toggle(
        "binlog_direct_non_transactional_updates",
        Both,
        false,
        "Changes of tables without transactions are logged at once.",
    )
    .restricted()
    .inert(),
    toggle("log_replica_updates", Global, true, "What a replica applies is logged.").fixed().only(),
    uint("replica_parallel_workers", Global, (0, 1024), 4, "Workers that apply a source's transactions.")
        .home(live(
            |live| live.replica_parallel_workers.val(),
            |live, val| live.replica_parallel_workers.put(val),
        )),
    uint(
        "replica_transaction_retries",
        Global,
        (0, u64::MAX),
        10,
        "Attempts at a source's transaction that meets locks.",
    )
    .home(live(
        |live| live.replica_transaction_retries.val(),
        |live, val| live.replica_transaction_retries.put(val),
    )),
    uint("replica_net_timeout", Global, (1, 31_536_000), 60, "Seconds for which a source may be silent.")
        .home(live(|live| live.replica_net_timeout_s.val(), |live, val| live.replica_net_timeout_s.put(val))),
    toggle("skip_replica_start", Global, false, "A configured replica does not start with the server.")
        .fixed(),
    toggle("replica_preserve_commit_order", Global, true, "Commits follow the source's order.")
        .fixed()
        .only(),
    parallel_type("replica_parallel_type", "What may run at the same time."),
    toggle("log_bin_trust_function_creators", Global, false, "Who may create stored functions.").inert(),
    toggle("log_statements_unsafe_for_binlog", Global, true, "Unsafe statements are warned of.").inert(),
    toggle(
        "source_verify_checksum",
        Global,
        false,
        "Checksums are verified when the log is read for a replica: they always are.",
    )
    .inert(),
    uint("rpl_read_size", Global, (8192, u64::MAX), 8192, "Bytes that are read of the log at a time.")
        .step(4096)
        .inert(),
    choice(
        "transaction_write_set_extraction",
        Both,
        &["OFF", "MURMUR32", "XXHASH64"],
        "XXHASH64",
        "Whether WRITESET knows what a transaction writes; this server has one hash under both names.",
    )
    .restricted()
    .home(own(
        |own| Val::Choice(own.write_set_extraction),
        |own, val| own.write_set_extraction = val.choice(),
    )),
    uint("server_id", Global, (0, 4_294_967_295), 1, "What events are marked with.").fixed(),
    text("server_uuid", Global, "", "The sid of this server's GTIDs.").told(),
    choice(
        "gtid_mode",
        Global,
        &["OFF", "OFF_PERMISSIVE", "ON_PERMISSIVE", "ON"],
        "OFF",
        "Transactions have GTIDs.",
    ),
    choice(
        "enforce_gtid_consistency",
        Global,
        &["OFF", "ON", "WARN"],
        "OFF",
        "Statements that GTIDs cannot describe are refused.",
    ),
    text("gtid_executed", Global, "", "GTIDs of everything that is visible.")
        .told()
        .home(Home::Shown(gtid_executed)),
    text("gtid_purged", Global, "", "GTIDs that are executed and in no binary log file here.")
        .no_option()
        .check(checks::gtid_purged)
        .home(Home::Shown(gtid_purged)),
    text("gtid_owned", Global, "", "Always empty.").told(),
    text("gtid_next", Session, "AUTOMATIC", "The GTID of the next transaction.")
        .restricted_to_appliers()
        .check(checks::gtid_next)
        .home(own(
            |own| checks::show_gtid_next(own.gtid_next),
            |own, val| {
                own.gtid_next = checks::parse_gtid_next(val.as_text()).expect("it was checked");
            },
        )),
    uint(
        "gtid_executed_compression_period",
        Global,
        (0, 4_294_967_295),
        0,
        "Transactions after which mysql.gtid_executed is compressed.",
    )
    .inert(),
    toggle("read_only", Global, false, "Only administrators write.")
        .home(live(|live| live.read_only.val(), set_read_only)),
    toggle("super_read_only", Global, false, "Nobody writes.")
        .home(live(|live| live.super_read_only.val(), set_super_read_only)),
    toggle("rpl_semi_sync_source_enabled", Global, false, "Commits wait until replicas hold them.")
        .home(SEMI_SYNC_ENABLED),
    uint(
        "rpl_semi_sync_source_timeout",
        Global,
        (0, 4_294_967_295),
        10_000,
        "Milliseconds that a commit waits for replicas before all go on without.",
    )
    .home(SEMI_SYNC_TIMEOUT),
    uint(
        "rpl_semi_sync_source_wait_for_replica_count",
        Global,
        (1, 65_535),
        1,
        "Replicas that a commit waits for.",
    )
    .home(SEMI_SYNC_REPLICAS),
    toggle(
        "rpl_semi_sync_source_wait_no_replica",
        Global,
        true,
        "Commits wait even while fewer replicas are there.",
    )
    .home(SEMI_SYNC_NO_REPLICA),
    choice(
        "rpl_semi_sync_source_wait_point",
        Global,
        &["AFTER_SYNC", "AFTER_COMMIT"],
        "AFTER_SYNC",
        "Whether others see a commit before replicas hold it.",
    )
    .home(SEMI_SYNC_POINT),
    uint("rpl_semi_sync_source_trace_level", Global, (0, 4_294_967_295), 32, "How much is traced.").inert(),
    toggle(
        "rpl_semi_sync_replica_enabled",
        Global,
        false,
        "The source is told what is durable here, if it waits for that; from the next connection on.",
    )
    .home(SEMI_SYNC_REPLICA),
    uint("rpl_semi_sync_replica_trace_level", Global, (0, 4_294_967_295), 32, "How much is traced.").inert(),
    text("report_host", Global, "", "How a replica calls itself.").fixed(),
    uint("report_port", Global, (0, 65_535), 0, "The port that a replica names; unasked, port.").fixed(),
];

const SEMI_SYNC_REPLICA: Home =
    live(|live| live.semi_sync_replica.val(), |live, val| live.semi_sync_replica.put(val));
const SEMI_SYNC_ENABLED: Home = pipeline(
    |settings| settings.semi_sync_enabled.val(),
    |settings, val| settings.semi_sync_enabled.put(val),
);
const SEMI_SYNC_TIMEOUT: Home = pipeline(
    |settings| settings.semi_sync_timeout_ms.val(),
    |settings, val| settings.semi_sync_timeout_ms.put(val),
);
const SEMI_SYNC_REPLICAS: Home = pipeline(
    |settings| settings.semi_sync_replicas.val(),
    |settings, val| settings.semi_sync_replicas.put(val),
);
const SEMI_SYNC_NO_REPLICA: Home = pipeline(
    |settings| settings.semi_sync_wait_no_replica.val(),
    |settings, val| settings.semi_sync_wait_no_replica.put(val),
);
const SEMI_SYNC_POINT: Home = pipeline(
    |settings| Val::Choice(settings.semi_sync_after_commit.load(Ordering::Relaxed).into()),
    |settings, val| settings.semi_sync_after_commit.store(val.choice() == 1, Ordering::Relaxed),
);

fn gtid_executed(sight: &Sight<'_>) -> Val {
    let text = sight.pipeline.map(|pipeline| pipeline.publisher().tuple().gtid_executed.to_string());
    Val::text(&text.unwrap_or_default())
}

fn gtid_purged(sight: &Sight<'_>) -> Val {
    let purged = sight.pipeline.map(Pipeline::purged_gtids);
    // A file that cannot be read says nothing; SHOW BINLOG EVENTS says why.
    let text = purged.and_then(Result::ok).map(|purged| purged.to_string());
    Val::text(&text.unwrap_or_default())
}

/// Whoever may write again ends both.
fn set_read_only(live: &Live, val: &Val) {
    live.read_only.put(val);
    if !val.is_on() {
        live.super_read_only.store(false, Ordering::Relaxed);
    }
}

/// Nobody writes: nor do those without privileges.
fn set_super_read_only(live: &Live, val: &Val) {
    live.super_read_only.put(val);
    if val.is_on() {
        live.read_only.store(true, Ordering::Relaxed);
    }
}

const fn parallel_type(name: &'static str, help: &'static str) -> Variable {
    choice(name, Global, &["DATABASE", "LOGICAL_CLOCK"], "LOGICAL_CLOCK", help).fixed().only()
}
