//! Limits in time, size and number, and the statement logs.

use std::sync::atomic::Ordering;

use types::error::SqlError;
use types::error::table::ER_WRONG_VALUE_FOR_VAR;

use crate::general_log::OUTPUTS;
use crate::variables::home::{live, own};
use crate::variables::variable::Extent::{Both, Global};
use crate::variables::variable::{Initial, Variable, choice, double, row, text, toggle, uint};
use crate::variables::{Kind, Read, Val};

/// At least one of the places that there are. Error 1231.
fn some_output(val: &Val) -> Result<Val, SqlError> {
    if val.flags() == 0 {
        return Err(ER_WRONG_VALUE_FOR_VAR.error(&[&"log_output", &""]));
    }
    Ok(val.clone())
}

/// The rows.
pub(super) const ROWS: &[Variable] = &[
    uint(
        "max_connections",
        Global,
        (1, 100_000),
        151,
        "Sessions at a time; one more for an administrator on the socket.",
    )
    .home(live(|live| Val::UInt(live.sessions_max().into()), |live, val| live.max_connections.put(val))),
    uint(
        "max_user_connections",
        Both,
        (0, 4_294_967_295),
        0,
        "Sessions of one account at a time; 0 = no limit.",
    )
    .fixed_in_session()
    .only(),
    uint(
        "max_connect_errors",
        Global,
        (1, u64::MAX),
        100,
        "Broken handshakes in a row after which a host is blocked.",
    )
    .home(live(|live| live.max_connect_errors.val(), |live, val| live.max_connect_errors.put(val))),
    uint("connect_timeout", Global, (2, 31_536_000), 10, "Seconds that a login may take.")
        .home(live(|live| live.connect_timeout_s.val(), |live, val| live.connect_timeout_s.put(val))),
    uint("wait_timeout", Both, (1, 31_536_000), 28_800, "Seconds that a session may be idle.")
        .home(own(|own| own.limits.wait_timeout_s.val(), |own, val| own.limits.wait_timeout_s.put(val))),
    uint(
        "interactive_timeout",
        Both,
        (1, 31_536_000),
        28_800,
        "wait_timeout of clients that say they are interactive.",
    ),
    uint(
        "net_read_timeout",
        Both,
        (1, 31_536_000),
        30,
        "Seconds that the rest of a packet may take, and one more for each KiB.",
    )
    .home(own(|own| own.limits.net_read_timeout_s.val(), |own, val| own.limits.net_read_timeout_s.put(val))),
    uint(
        "net_write_timeout",
        Both,
        (1, 31_536_000),
        60,
        "Seconds that a reply may take, and one more for each KiB.",
    )
    .home(own(
        |own| own.limits.net_write_timeout_s.val(),
        |own, val| own.limits.net_write_timeout_s.put(val),
    )),
    uint("net_retry_count", Both, (1, u64::MAX), 10, "Times that an interrupted read is repeated.").inert(),
    uint("net_buffer_length", Both, (1024, 1_048_576), 16_384, "Bytes that a connection buffer begins with.")
        .fixed_in_session()
        .step(1024)
        .inert(),
    uint("max_allowed_packet", Both, (1024, 1_073_741_824), 67_108_864, "Bytes of the largest packet.")
        .fixed_in_session()
        .step(1024)
        .home(own(
            |own| own.limits.max_allowed_packet.val(),
            |own, val| own.limits.max_allowed_packet.put(val),
        )),
    uint("max_prepared_stmt_count", Global, (0, 4_194_304), 16_382, "Prepared statements of all sessions.")
        .home(live(
            |live| live.max_prepared_stmt_count.val(),
            |live, val| live.max_prepared_stmt_count.put(val),
        )),
    uint("max_execution_time", Both, (0, u64::MAX), 0, "Milliseconds that a SELECT may take; 0 = no limit.")
        .home(own(
            |own| Val::UInt(own.max_execution_time_ms),
            |own, val| own.max_execution_time_ms = val.uint(),
        )),
    uint("lock_wait_timeout", Both, (1, 31_536_000), 31_536_000, "Seconds to wait for a metadata lock.")
        .home(own(
            |own| Val::UInt(own.lock_wait_timeout_s.into()),
            |own, val| own.lock_wait_timeout_s = val.u32(),
        )),
    uint("back_log", Global, (0, 65_535), 1024, "Connections that wait to be accepted.").fixed().inert(),
    uint("open_files_limit", Global, (0, 4_294_967_295), 0, "Files that the process may open.")
        .fixed()
        .inert()
        .home(live(|live| live.open_files_limit.val(), |live, val| live.open_files_limit.put(val))),
    uint("table_open_cache", Global, (1, 524_288), 4000, "Open tables.").inert(),
    uint("table_definition_cache", Global, (400, 524_288), 2000, "Known tables.").inert(),
    uint("table_open_cache_instances", Global, (1, 64), 16, "Parts of the table cache.").fixed().inert(),
    uint("thread_cache_size", Global, (0, 16_384), 9, "Threads kept for new connections.").inert(),
    uint(
        "thread_stack",
        Global,
        (131_072, 18_446_744_073_709_550_592),
        1_048_576,
        "Bytes of a thread's stack.",
    )
    .fixed()
    .inert(),
    text("thread_handling", Global, "tasks", "How sessions are run: as tasks of the runtime's workers.")
        .told(),
    uint("host_cache_size", Global, (0, 65_536), 279, "Hosts whose broken handshakes are remembered.")
        .inert(),
    uint("tmp_table_size", Both, (1024, u64::MAX), 16_777_216, "Bytes of a temporary table in memory.")
        .inert(),
    uint("max_heap_table_size", Both, (16_384, u64::MAX), 16_777_216, "Bytes of a MEMORY table.")
        .step(1024)
        .inert(),
    uint("sort_buffer_size", Both, (32_768, u64::MAX), 262_144, "Bytes of a sort in memory.").inert(),
    uint("join_buffer_size", Both, (128, u64::MAX), 262_144, "Bytes of a join without index in memory.")
        .step(128)
        .inert(),
    uint("read_buffer_size", Both, (8192, 2_147_479_552), 131_072, "Bytes of a scan's buffer.")
        .step(4096)
        .inert(),
    uint(
        "read_rnd_buffer_size",
        Both,
        (1, 2_147_483_647),
        262_144,
        "Bytes of a buffer for rows in key order.",
    )
    .inert(),
    uint(
        "bulk_insert_buffer_size",
        Both,
        (0, u64::MAX),
        8_388_608,
        "Bytes of MyISAM's buffer for many rows.",
    )
    .inert(),
    uint("max_sort_length", Both, (4, 8_388_608), 1024, "Bytes of a value that are sorted by.").inert(),
    uint("max_length_for_sort_data", Both, (4, 8_388_608), 4096, "Nothing any more.").inert(),
    uint(
        "query_alloc_block_size",
        Both,
        (1024, 4_294_966_272),
        8192,
        "Bytes of a statement's memory blocks.",
    )
    .step(1024)
    .inert(),
    uint("query_prealloc_size", Both, (8192, u64::MAX), 8192, "Bytes of a session's first memory block.")
        .step(1024)
        .inert(),
    uint("min_examined_row_limit", Both, (0, u64::MAX), 0, "Rows below which a statement is not slow."),
    uint("max_digest_length", Global, (0, 1_048_576), 1024, "Bytes of a statement's digest.")
        .fixed()
        .home(live(|live| live.max_digest_length.val(), |live, val| live.max_digest_length.put(val))),
    uint("max_sp_recursion_depth", Both, (0, 255), 0, "Depth of a stored procedure's recursion.").inert(),
    uint(
        "regexp_stack_limit",
        Global,
        (0, 2_147_483_647),
        8_000_000,
        "Bytes of a regular expression's stack.",
    )
    .inert(),
    uint("regexp_time_limit", Global, (0, 2_147_483_647), 32, "Steps of a regular expression.").inert(),
    double("long_query_time", Both, (0.0, 31_536_000.0), 10.0, "Seconds above which a statement is slow.")
        .home(own(
            |own| Val::Double(own.limits.long_query_time_us.load(Ordering::Relaxed) as f64 / 1e6),
            |own, val| {
                let us = types::number::double_to_i64(val.double() * 1e6).unsigned_abs();
                own.limits.long_query_time_us.store(us, Ordering::Relaxed);
            },
        )),
    toggle("slow_query_log", Global, false, "Slow statements are logged.")
        .home(live(|live| live.slow_query_log.val(), |live, val| live.slow_query_log.put(val))),
    text("slow_query_log_file", Global, "", "Where to; the machine's name with -slow.log if it says nothing."),
    toggle("general_log", Global, false, "What clients ask for is logged.")
        .home(live(|live| live.general_log.val(), |live, val| live.general_log.put(val))),
    text("general_log_file", Global, "", "Where to; the machine's name with .log if it says nothing."),
    row(
        "log_output",
        Global,
        Kind::Flags(OUTPUTS),
        Initial::Text("FILE"),
        "Where the logs of statements are written to: FILE, TABLE (of mysql), or, whatever else is said, NONE.",
    )
    .home(live(
        |live| Val::Flags(live.log_output.load(Ordering::Relaxed)),
        |live, val| live.log_output.store(val.flags(), Ordering::Relaxed),
    ))
    .check(some_output),
    toggle("log_queries_not_using_indexes", Global, false, "Statements without index are slow.")
        .home(live(|live| live.log_without_index.val(), |live, val| live.log_without_index.put(val))),
    text("log_error", Global, "stderr", "Errors go to stderr.").fixed().inert(),
    uint("log_error_verbosity", Global, (1, 3), 2, "All is logged.").inert(),
    choice("log_timestamps", Global, &["UTC", "SYSTEM"], "UTC", "Time zone of the logs.").only(),
    uint(
        "slow_launch_time",
        Global,
        (0, 31_536_000),
        2,
        "Seconds above which a connection took long to begin.",
    )
    .inert(),
    uint("key_buffer_size", Global, (0, u64::MAX), 8_388_608, "Bytes of MyISAM's index cache.")
        .fixed()
        .inert(),
];
