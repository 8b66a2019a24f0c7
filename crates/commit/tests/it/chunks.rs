//! What large transactions have written to redo all at once holds nobody else back, and events bring no checkpoint
//! nearer.

use std::sync::Arc;

use binlog::event::RowsQuery;
use commit::{EVENTS_FACTOR, ReadLock, StrategyKind};
use redo::RedoLog;
use vfs::sim::SimDisk;

use super::power_loss::{ENHANCED, IN_REDO, OWN_STORE, WITH_BINLOG};
use super::world::{Changes, ORIGIN, Options, World};

#[test]
fn chunks_are_not_what_small_commits_have_written() {
    for options in [IN_REDO, ENHANCED, OWN_STORE, WITH_BINLOG] {
        let mut world = World::open(&SimDisk::new(), options).unwrap();
        let large: Changes = (0..60).map(|key| (key, Some(vec![key; 30_000]))).collect();
        for round in 1..=2 {
            let (before, all_before) =
                (world.pipeline.needed_record_bytes(), world.pipeline.needed_log_bytes());
            let committing = world.submit(&large);
            drop(world.block_on(committing));
            let (after, all_after) =
                (world.pipeline.needed_record_bytes(), world.pipeline.needed_log_bytes());
            assert!(all_after - all_before > 1 << 20, "{options:?}, {round}: {all_before} to {all_after}");
            // Up to 512 KiB of a write set, and of events, are in the record itself.
            assert!(after - before < 1 << 20, "{options:?}, {round}: {before} to {after}");
            world.checkpoint();
            assert!(world.pipeline.needed_log_bytes() <= before.max(1 << 17), "{options:?}, {round}");
        }
    }
}

#[test]
fn events_bring_no_checkpoint_nearer_but_for_a_part_of_all() {
    // Each has a row of 10 kB and as much in events, and one more event.
    let after_200 = |options, more_events: usize| {
        let mut world = World::open(&SimDisk::new(), options).unwrap();
        for key in 0..200 {
            let mut pending = world.session();
            pending.cache.append(ORIGIN, &RowsQuery { sql: &vec![key; more_events] }).unwrap();
            let committing = world.submit_prepared(pending, &[(key, Some(vec![key; 10_000]))].into());
            drop(world.block_on(committing));
        }
        let pipeline = &world.pipeline;
        assert_eq!(pipeline.needed_log_bytes(), pipeline.needed_record_bytes());
        let store = pipeline.store().map_or(0, RedoLog::live_bytes);
        (pipeline.needed_log_bytes(), pipeline.redo().live_bytes(), store)
    };
    let (group, group_live, _) = after_200(WITH_BINLOG, 0);
    assert_eq!(group, group_live);
    let (in_redo, in_redo_live, _) = after_200(IN_REDO, 0);
    assert!(in_redo_live - group_live > 1_500_000, "{group_live}, {in_redo_live}");
    assert!(in_redo.abs_diff(group) < 600_000, "{group}, {in_redo}");
    let (enhanced, enhanced_live, store_live) = after_200(OWN_STORE, 5_000);
    assert!(store_live > enhanced_live, "{enhanced_live}, {store_live}");
    assert!(enhanced <= enhanced_live, "{enhanced}, {enhanced_live}");
    let (in_redo, in_redo_live, _) = after_200(IN_REDO, 30_000);
    assert_eq!(in_redo, in_redo_live / EVENTS_FACTOR);
    let (enhanced, _, store_live) = after_200(OWN_STORE, 30_000);
    assert_eq!(enhanced, store_live / EVENTS_FACTOR);
    // In redo's files they are as in its records.
    let (enhanced, enhanced_live, _) = after_200(ENHANCED, 0);
    assert!(enhanced_live - group_live > 1_500_000, "{group_live}, {enhanced_live}");
    assert!(enhanced.abs_diff(group) < 600_000, "{group}, {enhanced}");
    let (enhanced, enhanced_live, _) = after_200(ENHANCED, 30_000);
    assert_eq!(enhanced, enhanced_live / EVENTS_FACTOR);
}

#[test]
fn a_start_counts_chunks_and_events_as_the_run_before_it_did() {
    for options in [IN_REDO, ENHANCED, OWN_STORE] {
        let disk = SimDisk::new();
        let mut world = World::open(&disk, options).unwrap();
        let large: Changes = (0..60).map(|key| (key, Some(vec![key; 30_000]))).collect();
        let committing = world.submit(&large);
        drop(world.block_on(committing));
        for key in 0..100 {
            let committing = world.submit(&[(key, Some(vec![key; 10_000]))].into());
            drop(world.block_on(committing));
        }
        let (records, all) = (world.pipeline.needed_record_bytes(), world.pipeline.needed_log_bytes());
        drop(world);
        let world = World::open(&disk, options).unwrap();
        let (records_now, all_now) =
            (world.pipeline.needed_record_bytes(), world.pipeline.needed_log_bytes());
        // The new run has begun a segment of 64 KiB in each log.
        assert!(records_now.abs_diff(records) <= 3 << 16, "{options:?}: {records}, {records_now}");
        assert!(all_now.abs_diff(all) <= 3 << 16, "{options:?}: {all}, {all_now}");
    }
}

#[test]
fn what_passes_the_read_lock_passes_it_with_chunks() {
    for strategy in StrategyKind::WITH_BINLOG {
        let sync_binlog = if strategy == StrategyKind::Parallel { 1000 } else { 1 };
        let options = Options { strategy, sync_binlog, ..WITH_BINLOG };
        let mut world = World::open(&SimDisk::new(), options).unwrap();
        let pipeline = Arc::clone(&world.pipeline);
        let _lock = world.block_on(ReadLock::take(&pipeline));
        for size in [100, 900_000] {
            let mut pending = world.session();
            pending.passes_read_lock = true;
            let committing = world.submit_prepared(pending, &[(1, Some(vec![7; size]))].into());
            drop(world.block_on(committing));
        }
    }
}
