//! What a replica tolerates, and what my.cnf files say of relay logs, which there are none of.

use std::sync::atomic::Ordering;

use crate::replica::EXEC_MODES;
use crate::variables::home::live;
use crate::variables::variable::Extent::Global;
use crate::variables::variable::{Initial, Variable, choice, row, text, toggle, uint};
use crate::variables::{Kind, Read, Val, checks};

const UINT_MAX: u64 = 4_294_967_295;
const YEAR_S: u64 = 31_536_000;
const PACKET_MAX: u64 = 1 << 30;
const CONVERSIONS: &[&str] = &["ALL_LOSSY", "ALL_NON_LOSSY", "ALL_UNSIGNED", "ALL_SIGNED"];
const REPOSITORIES: &[&str] = &["FILE", "TABLE"];
const SEARCHES: &[&str] = &["TABLE_SCAN", "INDEX_SCAN", "HASH_SCAN"];

/// See the module.
pub(super) const ROWS: &[Variable] = &[
    exec_mode("replica_exec_mode", "Whether rows may be other ones than the source's changes find."),
    skip_errors(
        "replica_skip_errors",
        "Errors that do not stop the applier: numbers, ddl_exist_errors, ALL.",
    ),
    skip_counter(
        "sql_replica_skip_counter",
        "Events of the source that are not applied, to the end of their group.",
    ),
    row(
        "replica_type_conversions",
        Global,
        Kind::Flags(CONVERSIONS),
        Initial::Text(""),
        "Conversions between the source's types and a table's.",
    )
    .only(),
    text("init_replica", Global, "", "Statements that the applier begins with.").only(),
    text("relay_log", Global, "", NO_RELAY_LOG).fixed().inert(),
    text("relay_log_basename", Global, "", NO_RELAY_LOG).told().inert(),
    text("relay_log_index", Global, "", NO_RELAY_LOG).fixed().inert(),
    text("relay_log_info_file", Global, "relay-log.info", NO_RELAY_LOG).fixed().inert(),
    choice("relay_log_info_repository", Global, REPOSITORIES, "TABLE", NO_RELAY_LOG).inert(),
    toggle("relay_log_purge", Global, true, NO_RELAY_LOG).inert(),
    toggle("relay_log_recovery", Global, false, NO_RELAY_LOG).fixed().inert(),
    uint("relay_log_space_limit", Global, (0, u64::MAX), 0, NO_RELAY_LOG).fixed().inert(),
    uint("max_relay_log_size", Global, (0, PACKET_MAX), 0, NO_RELAY_LOG).step(4096).inert(),
    uint("sync_relay_log", Global, (0, UINT_MAX), 10_000, NO_RELAY_LOG).inert(),
    uint("sync_relay_log_info", Global, (0, UINT_MAX), 10_000, NO_RELAY_LOG).inert(),
    choice("master_info_repository", Global, REPOSITORIES, "TABLE", WITH_ROWS).inert(),
    uint("sync_source_info", Global, (0, UINT_MAX), 10_000, WITH_ROWS).inert(),
    toggle("replica_allow_batching", Global, true, "Rows are applied together.").inert(),
    uint("replica_checkpoint_group", Global, (32, 524_280), 512, WITH_ROWS).step(8).inert(),
    uint("replica_checkpoint_period", Global, (1, UINT_MAX), 300, WITH_ROWS).inert(),
    toggle("replica_compressed_protocol", Global, false, "The connection to a source is compressed.").only(),
    text("replica_load_tmpdir", Global, "/tmp", "Where files of LOAD DATA are put.").fixed().inert(),
    packet("replica_max_allowed_packet", "The largest packet of a source: an event may have 1 GiB."),
    jobs("replica_pending_jobs_size_max", "Bytes that wait to be applied: 64 MiB, or one larger event."),
    toggle("replica_sql_verify_checksum", Global, true, "Checksums of events are verified: they always are.")
        .inert(),
    row(
        "slave_rows_search_algorithms",
        Global,
        Kind::Flags(SEARCHES),
        Initial::Text("INDEX_SCAN,HASH_SCAN"),
        "How rows are found.",
    )
    .inert(),
    uint("rpl_stop_replica_timeout", Global, (2, YEAR_S), YEAR_S, "Seconds that STOP REPLICA waits.").inert(),
    text("report_user", Global, "", "The account that a replica names.").fixed().inert(),
    text("report_password", Global, "", "Its password, which is told nobody.").fixed().inert(),
];

const NO_RELAY_LOG: &str = "There is no relay log.";
const WITH_ROWS: &str = "The place in the source's log is durable with the rows.";

const fn exec_mode(name: &'static str, help: &'static str) -> Variable {
    choice(name, Global, EXEC_MODES, "STRICT", help).home(live(
        |live| Val::Choice(u8::from(live.replica_is_idempotent.load(Ordering::Relaxed))),
        |live, val| live.replica_is_idempotent.store(val.choice() == 1, Ordering::Relaxed),
    ))
}

const fn skip_errors(name: &'static str, help: &'static str) -> Variable {
    text(name, Global, "OFF", help).fixed().check(checks::skipped_errors)
}

const fn skip_counter(name: &'static str, help: &'static str) -> Variable {
    uint(name, Global, (0, UINT_MAX), 0, help)
        .no_option()
        .home(live(|live| live.replica_skip_counter.val(), |live, val| live.replica_skip_counter.put(val)))
}

const fn packet(name: &'static str, help: &'static str) -> Variable {
    uint(name, Global, (1024, PACKET_MAX), PACKET_MAX, help).step(1024).inert()
}

const fn jobs(name: &'static str, help: &'static str) -> Variable {
    uint(name, Global, (1024, u64::MAX - 1023), 128 << 20, help).step(1024).inert()
}
