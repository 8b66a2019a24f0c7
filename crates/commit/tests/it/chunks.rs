//! What large transactions have written to redo all at once holds nobody else back, and events that redo carries bring no
//! checkpoint nearer.

use commit::StrategyKind;
use vfs::sim::SimDisk;

use super::power_loss::WITH_BINLOG;
use super::world::{Changes, Options, World};

#[test]
fn chunks_are_not_what_small_commits_have_written() {
    for strategy in [StrategyKind::InRedo, StrategyKind::Enhanced, StrategyKind::Group] {
        let mut world = World::open(&SimDisk::new(), Options { strategy, ..WITH_BINLOG }).unwrap();
        let large: Changes = (0..60).map(|key| (key, Some(vec![key; 30_000]))).collect();
        for round in 1..=2 {
            let (before, all_before) =
                (world.pipeline.needed_record_bytes(), world.pipeline.needed_log_bytes());
            let committing = world.submit(&large);
            drop(world.block_on(committing));
            let (after, all_after) =
                (world.pipeline.needed_record_bytes(), world.pipeline.needed_log_bytes());
            assert!(all_after - all_before > 1 << 20, "{strategy:?}, {round}: {all_before} to {all_after}");
            // Up to 512 KiB of a write set, and of events, are in the record itself.
            assert!(after - before < 1 << 20, "{strategy:?}, {round}: {before} to {after}");
            world.checkpoint();
            assert!(world.pipeline.needed_log_bytes() <= before.max(1 << 17), "{strategy:?}, {round}");
        }
    }
}

#[test]
fn events_in_redo_bring_no_checkpoint_nearer() {
    let needed = |strategy| {
        let mut world = World::open(&SimDisk::new(), Options { strategy, ..WITH_BINLOG }).unwrap();
        for key in 0..200 {
            let committing = world.submit(&[(key, Some(vec![key; 10_000]))].into());
            drop(world.block_on(committing));
        }
        assert_eq!(world.pipeline.needed_log_bytes(), world.pipeline.needed_record_bytes());
        (world.pipeline.needed_log_bytes(), world.pipeline.redo().live_bytes())
    };
    let (group, group_live) = needed(StrategyKind::Group);
    let (in_redo, in_redo_live) = needed(StrategyKind::InRedo);
    assert_eq!(group, group_live);
    assert!(in_redo_live - group_live > 1_500_000, "{group_live}, {in_redo_live}");
    assert!(in_redo.abs_diff(group) < 600_000, "{group}, {in_redo}");
}
