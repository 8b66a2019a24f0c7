//! A change of strategies beside a step, and beside a change of settings, that was begun before it; commits behind a change
//! of settings, beside a step that was begun before it.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread;

use commit::{Quiet, Role, StrategyKind, Switched};
use std::pin::pin;

use vfs::sim::{CrashMode, SimDisk};

use crate::power_loss::WITH_BINLOG;
use crate::world::{HELD, Options, World, poll};

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

/// A step of this role is held at the clock's `answers`-th answer; meanwhile the settings become strict, and a commit begins.
fn commit_beside_a_relaxed_step(options: Options, roles: [Role; 2], answers: usize) {
    let disk = SimDisk::new();
    let mut world = World::open(&disk, options).unwrap();
    world.pipeline.settings.sync_delay_us.store(10, Ordering::Relaxed);
    let pipeline = Arc::clone(&world.pipeline);
    let relaxed = world.submit(&vec![(1, Some(vec![1]))]);
    pipeline.step(roles[0]).unwrap();
    world.clock.answers.store(answers, Ordering::Relaxed);
    let step = move || pipeline.step(roles[1]);
    let step = thread::Builder::new().name(HELD.to_owned()).spawn(step).unwrap();
    world.clock.wait_until_it_holds();
    let pipeline = Arc::clone(&world.pipeline);
    pipeline.settings.flush_log_at_trx_commit.store(1, Ordering::Relaxed);
    if pipeline.strategy_kind() != StrategyKind::Parallel {
        pipeline.settings.sync_binlog.store(1, Ordering::Relaxed);
    }
    let mut strict = pin!(world.submit(&vec![(2, Some(vec![2]))]));
    pipeline.step(roles[0]).unwrap();
    world.clock.let_go();
    step.join().unwrap().unwrap();
    pipeline.step(Role::Files).unwrap();
    pipeline.sweep();
    if poll(strict.as_mut()).is_none() {
        drop((world.block_on(relaxed), world.block_on(strict)));
    }
    let redo = pipeline.redo();
    assert_eq!(redo.synced(), redo.written(), "{options:?}: an answered commit is not synced");
    drop(pipeline);
    drop(world);
    // The strategy `parallel` has nobody wait for the binlog's sync.
    if options.strategy != StrategyKind::Parallel {
        let kept = World::open(&disk.crash(CrashMode::DropAll, 1), options).unwrap();
        assert!(kept.rows().1.contains_key(&2), "{options:?}: an answered commit is lost");
    }
}

#[test]
fn a_commit_behind_a_change_of_settings_is_not_answered_by_the_old_ones() {
    let relaxed = Options { sync_binlog: 0, flush: 2, ..WITH_BINLOG };
    // Behind the step's beginning and the stage's: in the delay.
    let group = Options { strategy: StrategyKind::Group, ..relaxed };
    commit_beside_a_relaxed_step(group, [Role::Flush, Role::Sync], 2);
    // Behind the step's beginning: before redo is written as far as was demanded.
    for (strategy, binlog) in [
        (StrategyKind::None, false),
        (StrategyKind::InRedo, true),
        (StrategyKind::Parallel, true),
        (StrategyKind::Enhanced, true),
    ] {
        let options = Options { binlog, strategy, own_store: true, ..relaxed };
        commit_beside_a_relaxed_step(options, [Role::Store, Role::Redo], 1);
    }
}
