//! Purpose: the binlog buffer gives back what sessions put into it, in ticket order, whatever their events' sizes, and the
//! credits that bound it cover all that is put there.
//!
//! Method: on the simulated disk, transactions are submitted together, and the roles are played only when the next one finds
//! no room.

use std::sync::atomic::Ordering;

use commit::StrategyKind;
use vfs::sim::SimDisk;

use super::power_loss::{ENHANCED, IN_REDO, OWN_STORE, WITH_BINLOG};
use super::world::{Changes, Options, World};

/// `max_binlog_size`: so that large transactions are followed by others, and so that small ones and large ones end files.
const FILE_SIZES: [u64; 2] = [1 << 30, 10_000];

/// Rows of one byte each, an event each.
fn many_small(count: usize) -> Changes {
    (0..count).map(|number| (number.to_le_bytes()[0], Some(vec![7]))).collect()
}

fn one(size: usize) -> Changes {
    vec![(1, Some(vec![7; size]))]
}

/// Commits all, in one file or with rotations among those who are together, and compares them with the binlog.
fn commit_and_compare(options: Options, file_size: u64, all: &[Changes]) {
    let mut world = World::open(&SimDisk::new(), options).unwrap();
    world.pipeline.settings.max_binlog_size.store(file_size, Ordering::Relaxed);
    let committing: Vec<_> = all.iter().map(|changes| world.submit(changes)).collect();
    for committing in committing {
        drop(world.block_on(committing));
    }
    assert_eq!(
        world.binlog_bytes().len() > 1,
        file_size < FILE_SIZES[0],
        "{options:?}: there were rotations"
    );
    world.pipeline.catch_up().unwrap();
    let logged: Vec<Changes> = world.binlog_transactions().into_iter().map(|(_, changes)| changes).collect();
    assert!(logged == all, "{options:?}: {} of {} transactions, or others", logged.len(), all.len());
}

#[test]
fn events_of_all_sizes_come_out_in_order() {
    let parallel = Options { strategy: StrategyKind::Parallel, sync_binlog: 1000, ..WITH_BINLOG };
    let sizes = [300, 300, 3_000, 600_000, 5, 5, 1_500_000, 20_000, 70_000, 300];
    let mut all: Vec<Changes> = sizes.into_iter().map(one).collect();
    all.extend([many_small(9), many_small(3_000), one(4)]);
    for options in [IN_REDO, ENHANCED, OWN_STORE, parallel] {
        for flush in 0..3 {
            for file_size in FILE_SIZES {
                commit_and_compare(Options { flush, ..options }, file_size, &all);
            }
        }
    }
}

#[test]
fn credits_cover_the_checksums_of_many_small_events() {
    // Nearly 512 KiB in the cache, and more than that in the file.
    let all = vec![many_small(23_500); 5];
    for options in [IN_REDO, ENHANCED, OWN_STORE] {
        commit_and_compare(options, FILE_SIZES[0], &all);
    }
}

/// What is in the file and not in a synced log a replica may have, and recovery cuts.
#[test]
fn nothing_is_written_to_the_file_that_its_log_may_lose() {
    // A store with files of its own is behind a synced redo, too.
    for (with, flushes) in [(IN_REDO, &[0, 2][..]), (ENHANCED, &[0, 2]), (OWN_STORE, &[0, 1, 2])] {
        for flush in flushes {
            let options = Options { flush: *flush, sync_binlog: 0, ..with };
            let mut world = World::open(&SimDisk::new(), options).unwrap();
            let before = world.binlog_bytes();
            let committing = world.submit(&one(300));
            drop(world.block_on(committing));
            world.drive();
            assert!(world.binlog_bytes() == before, "{options:?}: no log was synced");
            world.pipeline.sync_logs().unwrap();
            world.drive();
            assert!(world.binlog_bytes() != before, "{options:?}: the logs were synced");
        }
    }
}
