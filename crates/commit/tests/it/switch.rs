//! A change of strategies beside a step, and beside a change of settings, that was begun before it.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread;

use commit::{Quiet, Role, StrategyKind, Switched};
use vfs::sim::SimDisk;

use crate::power_loss::WITH_BINLOG;
use crate::world::{HELD, Options, World};

/// How often it is looked whether the strategy has changed too early.
const LOOKS: usize = 20_000;

/// Who sets `sync_binlog = 1` has seen that the strategy can keep it. If it became `parallel` before that is set, commits
/// would be acknowledged that nobody has synced as was asked.
#[test]
fn a_setting_that_fits_the_strategy_meets_no_switch() {
    let world = World::open(&SimDisk::new(), WITH_BINLOG).unwrap();
    let (pipeline, settings) = (Arc::clone(&world.pipeline), &world.pipeline.settings);
    settings.sync_binlog.store(1000, Ordering::Relaxed);
    let quiet = world.block_on(Quiet::take(&pipeline));
    let kept = pipeline.try_keep_strategy().unwrap();
    thread::scope(|scope| {
        let switch = scope.spawn(|| quiet.switch(StrategyKind::Parallel, &world.base).unwrap());
        for _ in 0..LOOKS {
            assert_ne!(pipeline.strategy_kind(), StrategyKind::Parallel, "it is kept");
            thread::yield_now();
        }
        settings.sync_binlog.store(1, Ordering::Relaxed);
        drop(kept);
        assert_eq!(switch.join().unwrap(), Switched::NeedsRelaxedSync);
    });
}

/// The step would find the first transactions of the new strategy, publish them by the rules of the old one, and leave the
/// new one waiting for them for ever.
#[test]
fn a_strategy_stays_until_its_steps_are_over() {
    let enhanced = Options { strategy: StrategyKind::Enhanced, ..WITH_BINLOG };
    let mut world = World::open(&SimDisk::new(), enhanced).unwrap();
    let first = world.submit(&vec![(1, Some(vec![1]))]);
    drop(world.block_on(first));
    // One answer for the step as such, none for the log's.
    world.clock.answers.store(1, Ordering::Relaxed);
    let pipeline = Arc::clone(&world.pipeline);
    let step = thread::Builder::new().name(HELD.to_owned()).spawn(move || pipeline.step(Role::Redo)).unwrap();
    world.clock.wait_until_it_holds();
    let pipeline = Arc::clone(&world.pipeline);
    let quiet = world.block_on(Quiet::take(&pipeline));
    thread::scope(|scope| {
        let switch = scope.spawn(|| quiet.switch(StrategyKind::InRedo, &world.base).unwrap());
        for _ in 0..LOOKS {
            assert_eq!(world.pipeline.strategy_kind(), StrategyKind::Enhanced, "a step is under way");
            thread::yield_now();
        }
        world.clock.let_go();
        assert_eq!(switch.join().unwrap(), Switched::Done);
    });
    step.join().unwrap().unwrap();
    drop(quiet);
    let next = world.submit(&vec![(1, Some(vec![2]))]);
    drop(world.block_on(next));
    assert_eq!(world.rows().1[&1], [2]);
}
