//! Purpose: with `wait_binlog_flush` a commit waits for its file, and nobody has to come by for that.
//!
//! Method: a commit on the simulated disk; the roles that it wants are played, and nothing else.

use std::pin::pin;
use std::sync::atomic::Ordering;

use commit::StrategyKind;
use vfs::sim::SimDisk;

use super::power_loss::WITH_BINLOG;
use super::world::{Options, World, poll};

#[test]
fn roles_alone_bring_a_commit_to_its_file() {
    for strategy in [StrategyKind::InRedo, StrategyKind::Enhanced] {
        for sync_binlog in [0, 1, 100] {
            let mut world =
                World::open(&SimDisk::new(), Options { strategy, sync_binlog, ..WITH_BINLOG }).unwrap();
            world.pipeline.settings.wait_binlog_flush.store(true, Ordering::Relaxed);
            let mut committing = pin!(world.submit(&vec![(1, Some(vec![1; 300]))]));
            for _ in 0..10 {
                world.drive();
            }
            let is_done = poll(committing.as_mut()).is_some();
            assert!(is_done, "{strategy:?}, sync_binlog={sync_binlog}");
        }
    }
}
