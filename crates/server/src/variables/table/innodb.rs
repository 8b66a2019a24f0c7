//! The storage engine, under the names by which clients know it.

use std::sync::atomic::Ordering;

use commit::Settings;

use crate::variables::home::{live, own, pipeline};
use crate::variables::variable::Extent::{Both, Global};
use crate::variables::variable::{Variable, choice, double, text, toggle, uint};
use crate::variables::{Read, Val};

/// The rows.
pub(super) const ROWS: &[Variable] = &[
    uint(
        "innodb_flush_log_at_trx_commit",
        Global,
        (0, 2),
        1,
        "How far a commit carries redo: 0 not at all, 1 synced, 2 written.",
    )
    .home(pipeline(flush_log, set_flush_log)),
    uint("innodb_flush_log_at_timeout", Global, (0, 2700), 1, "Seconds between syncs of redo at 0 and 2.")
        .only(),
    text("innodb_flush_method", Global, "O_DIRECT", "How redo is written.").fixed().inert(),
    uint(
        "innodb_redo_log_capacity",
        Global,
        (8_388_608, 549_755_813_888),
        104_857_600,
        "Bytes of redo that checkpoints keep below.",
    )
    .home(live(|live| live.redo_log_capacity.val(), |live, val| live.redo_log_capacity.put(val))),
    uint(
        "innodb_log_buffer_size",
        Global,
        (262_144, 4_294_967_295),
        16_777_216,
        "Bytes of the ring in which redo is put together.",
    )
    .fixed(),
    uint("innodb_log_file_size", Global, (4_194_304, u64::MAX), 50_331_648, "Use innodb_redo_log_capacity.")
        .fixed()
        .inert(),
    uint("innodb_log_files_in_group", Global, (2, 100), 2, "Use innodb_redo_log_capacity.").fixed().inert(),
    text("innodb_log_group_home_dir", Global, "./", "Where redo is.").fixed().inert(),
    toggle("innodb_log_checksums", Global, true, "Redo has checksums.").inert(),
    uint("innodb_log_write_ahead_size", Global, (512, 16_384), 8192, "Bytes of a redo block's alignment.")
        .inert(),
    uint(
        "innodb_buffer_pool_size",
        Global,
        (5_242_880, 9_223_372_036_854_775_807),
        134_217_728,
        "Bytes of the base's cache.",
    )
    .fixed(),
    uint("innodb_buffer_pool_instances", Global, (0, 64), 1, "Parts of the cache.").fixed().inert(),
    uint(
        "innodb_buffer_pool_chunk_size",
        Global,
        (1_048_576, 144_115_188_075_855_871),
        134_217_728,
        "Bytes by which the cache changes.",
    )
    .fixed()
    .inert(),
    uint("innodb_lock_wait_timeout", Both, (1, 1_073_741_824), 50, "Seconds to wait for a row lock.").home(
        own(
            |own| Val::UInt(own.innodb_lock_wait_timeout_s.into()),
            |own, val| own.innodb_lock_wait_timeout_s = val.u32(),
        ),
    ),
    toggle("innodb_rollback_on_timeout", Global, false, "A row lock's time-out ends the transaction.")
        .fixed()
        .only(),
    toggle("innodb_deadlock_detect", Global, true, "Deadlocks are found at once.").only(),
    toggle("innodb_print_all_deadlocks", Global, false, "Deadlocks are logged.").inert(),
    uint("innodb_autoinc_lock_mode", Global, (0, 2), 2, "2: generated values are not consecutive.")
        .fixed()
        .only(),
    toggle("innodb_file_per_table", Global, true, "Every table has a file.").inert(),
    choice(
        "innodb_default_row_format",
        Global,
        &["redundant", "compact", "dynamic"],
        "dynamic",
        "Row format of a new table.",
    )
    .inert(),
    toggle("innodb_strict_mode", Both, true, "CREATE TABLE is strict about its options.").inert(),
    toggle("innodb_table_locks", Both, true, "LOCK TABLES locks in the engine.").inert(),
    toggle("innodb_read_only", Global, false, "The engine does not write.").fixed().only(),
    uint("innodb_force_recovery", Global, (0, 6), 0, "How much of recovery is left out: nothing ever is.")
        .fixed()
        .only(),
    uint("innodb_fast_shutdown", Global, (0, 2), 1, "How much is left to the next start.").only(),
    uint("innodb_page_size", Global, (4096, 65_536), 16_384, "Bytes of a page.").fixed().only(),
    text("innodb_doublewrite", Global, "OFF", "Torn pages are repaired: pages are never overwritten here.")
        .fixed()
        .inert(),
    choice(
        "innodb_checksum_algorithm",
        Global,
        &["crc32", "strict_crc32", "innodb", "strict_innodb", "none", "strict_none"],
        "crc32",
        "Checksums of pages.",
    )
    .inert(),
    text("innodb_data_file_path", Global, "", "Files of the system tablespace.").fixed().inert(),
    text("innodb_data_home_dir", Global, "", "Where they are.").fixed().inert(),
    text("innodb_directories", Global, "", "Where else files are.").fixed().inert(),
    text("innodb_undo_directory", Global, "./", "Where undo is.").fixed().inert(),
    text("innodb_temp_data_file_path", Global, "", "Files of temporary tables.").fixed().inert(),
    text("innodb_tmpdir", Both, "", "Where ALTER TABLE sorts.").only(),
    uint("innodb_open_files", Global, (0, 2_147_483_647), 4000, "Files open at a time.").fixed().inert(),
    uint("innodb_io_capacity", Global, (100, 4_294_967_295), 200, "Background writes a second.").inert(),
    uint("innodb_io_capacity_max", Global, (100, 4_294_967_295), 2000, "The most of them.").inert(),
    uint("innodb_read_io_threads", Global, (1, 64), 4, "Threads that read.").fixed().inert(),
    uint("innodb_write_io_threads", Global, (1, 64), 4, "Threads that write.").fixed().inert(),
    uint("innodb_purge_threads", Global, (1, 32), 4, "Threads that purge.").fixed().inert(),
    uint("innodb_page_cleaners", Global, (1, 64), 1, "Threads that clean pages.").fixed().inert(),
    toggle("innodb_use_native_aio", Global, false, "Asynchronous I/O of the kernel.").fixed().inert(),
    uint("innodb_thread_concurrency", Global, (0, 1000), 0, "Sessions inside the engine; 0 = no limit.")
        .inert(),
    toggle("innodb_adaptive_hash_index", Global, true, "Hot pages are hashed.").inert(),
    choice(
        "innodb_change_buffering",
        Global,
        &["none", "inserts", "deletes", "changes", "purges", "all"],
        "none",
        "Changes of secondary indexes are put off.",
    )
    .inert(),
    toggle("innodb_stats_on_metadata", Global, false, "Reading metadata counts again.").inert(),
    toggle("innodb_stats_persistent", Global, true, "Statistics are stored.").inert(),
    toggle("innodb_stats_auto_recalc", Global, true, "Statistics are counted again by themselves.").inert(),
    uint("innodb_stats_persistent_sample_pages", Global, (1, u64::MAX), 20, "Pages that are counted.")
        .inert(),
    double("innodb_max_dirty_pages_pct", Global, (0.0, 99.999), 90.0, "Dirty pages, percent.").inert(),
    uint(
        "innodb_online_alter_log_max_size",
        Global,
        (65_536, u64::MAX),
        134_217_728,
        "Bytes of changes during an ALTER TABLE.",
    )
    .inert(),
    uint(
        "innodb_sort_buffer_size",
        Global,
        (65_536, 67_108_864),
        1_048_576,
        "Bytes of a sort while an index is built.",
    )
    .fixed()
    .inert(),
    uint(
        "innodb_old_blocks_time",
        Global,
        (0, 4_294_967_295),
        1000,
        "Milliseconds until a page counts as used.",
    )
    .inert(),
    text("innodb_version", Global, "8.0.46", "Version of the engine.").told(),
];

fn flush_log(settings: &Settings) -> Val {
    Val::UInt(settings.flush_log_at_trx_commit.load(Ordering::Relaxed).into())
}

fn set_flush_log(settings: &Settings, val: &Val) {
    let level = u8::try_from(val.uint()).expect("at most 2");
    settings.flush_log_at_trx_commit.store(level, Ordering::Relaxed);
}
