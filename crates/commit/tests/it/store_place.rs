//! Where the binlog store lies, from start to start.

use std::path::Path;
use std::sync::Arc;

use binlog::event::RowsQuery;
use commit::checkpoint::Slicing;
use commit::{Committing, Role, StrategyKind};
use redo::RedoLog;
use vfs::Vfs;
use vfs::sim::{CrashMode, Rng, SimDisk};

use super::power_loss::{ENHANCED, IN_REDO, OWN_STORE, Script, check, each_nth, sweep};
use super::world::{ORIGIN, Options, World, poll};

fn is_in_redo(world: &World) -> Option<bool> {
    world.pipeline.store().map(RedoLog::is_second)
}

/// Opens what a power loss has left and commits.
fn go_on(disk: &SimDisk, script: &mut Script, options: Options, seed: u64) -> World {
    let acked = script.acked_at(u64::MAX);
    let mut world = check(disk, script, options, acked).unwrap_or_else(|what| panic!("{options:?}: {what}"));
    script.group(&mut world, disk, &mut Rng::new(seed), 4);
    world
}

#[test]
fn a_store_moves_when_nothing_of_it_is_needed() {
    for (from, to) in [(OWN_STORE, ENHANCED), (ENHANCED, OWN_STORE)] {
        let mut script = Script::new();
        let mut disk = SimDisk::new();
        let mut world = World::open(&disk, from).unwrap();
        script.group(&mut world, &disk, &mut Rng::new(1), 4);
        assert_eq!(is_in_redo(&world), Some(!from.own_store));
        for round in 2..4 {
            drop(world);
            disk = disk.crash(CrashMode::DropAll, round);
            world = go_on(&disk, &mut script, to, round);
            assert_eq!(is_in_redo(&world), Some(!from.own_store), "{round}: its records are needed");
        }
        // Another strategy does not need it, and recovery does.
        drop(world);
        disk = disk.crash(CrashMode::DropAll, 4);
        world = go_on(&disk, &mut script, Options { own_store: to.own_store, ..IN_REDO }, 4);
        assert_eq!(is_in_redo(&world), Some(!from.own_store));
        world.checkpoint();
        drop(world);
        disk = disk.crash(CrashMode::DropAll, 5);
        world = go_on(&disk, &mut script, Options { own_store: to.own_store, ..IN_REDO }, 5);
        assert_eq!(is_in_redo(&world), None, "nobody needs one");
        drop(world);
        disk = disk.crash(CrashMode::DropAll, 6);
        world = go_on(&disk, &mut script, to, 6);
        assert_eq!(is_in_redo(&world), Some(!to.own_store));
        drop(world);
        disk = disk.crash(CrashMode::DropAll, 7);
        drop(go_on(&disk, &mut script, to, 7));
    }
}

#[test]
fn every_power_loss_while_a_store_moves_keeps_what_was_acknowledged() {
    for (from, to) in [(OWN_STORE, ENHANCED), (ENHANCED, OWN_STORE)] {
        let disk = SimDisk::new();
        let mut script = Script::new();
        let mut world = World::open(&disk, from).unwrap();
        script.group(&mut world, &disk, &mut Rng::new(1), 4);
        world.checkpoint();
        drop(world);
        disk.start_journal();
        // Begun anew, read after an unclean end, passed by a checkpoint.
        for seed in 2..4 {
            drop(go_on(&disk, &mut script, to, seed));
        }
        let world = go_on(&disk, &mut script, to, 4);
        world.checkpoint();
        drop(world);
        let journal = disk.stop_journal().unwrap();
        let count = sweep(&journal, each_nth(3), |op, mode, found| {
            for options in [from, to] {
                check(found, &script, options, script.acked_at(op))
                    .unwrap_or_else(|what| panic!("{options:?}, operation {op}, {mode:?}: {what}"));
            }
        });
        assert!(count > 300, "{count}");
    }
}

/// The store's first needed byte is an open chunk, in the segment before the first that recovery keeps of redo: a start that is
/// not made durable must not have used it again.
#[test]
fn a_start_that_is_not_made_durable_leaves_the_segment_of_an_open_chunk() {
    let disk = SimDisk::new();
    let mut script = Script::new();
    let options = Options { segment_size: 1 << 20, ..ENHANCED };
    let mut world = World::open(&disk, options).unwrap();
    let waiting: Vec<_> = (0..64).map(|key| submit(&mut script, &mut world, key, 100)).collect();
    let mut pending = world.session();
    // Its write set is small: in redo nothing of it is needed.
    pending.cache.append(ORIGIN, &RowsQuery { sql: &vec![b'x'; 600 << 10] }).unwrap();
    let mut open = world.begin_prepared(pending, &vec![(1, None)]);
    assert!(poll(open.as_mut()).is_none(), "no commit slot is free");
    world.drive();
    drop(waiting);
    let before = world.pipeline.redo().live_bytes();
    while world.pipeline.redo().live_bytes() == before {
        let committing = submit(&mut script, &mut world, 7, 50_000);
        drop(world.block_on(committing));
    }
    // Without the housekeeper, who would make spares.
    let checkpoint = world.begin_checkpoint();
    world.pipeline.run_checkpoint(checkpoint, &world.base, Vec::new(), Slicing::default(), || {}).unwrap();
    // It has no events: of the store nothing is kept.
    script.rotate(&mut world);
    let acked = world.rows().0;
    drop((open, world));
    let disk = disk.crash(CrashMode::KeepAll, 1);
    disk.start_journal();
    drop(World::open(&disk, options).unwrap());
    sweep(&disk.stop_journal().unwrap(), each_nth(1), |op, mode, found| {
        check(found, &script, options, acked)
            .unwrap_or_else(|what| panic!("operation {op}, {mode:?}: {what}"));
    });
}

fn submit(script: &mut Script, world: &mut World, key: u8, size: usize) -> Committing {
    let changes = vec![(key, Some(vec![key; size]))];
    let committing = world.submit(&changes);
    script.transactions.insert(committing.seq(), changes);
    committing
}

#[test]
fn a_store_in_redos_files_is_synced_with_each_nth_pass_of_redo() {
    let options = Options { sync_binlog: 3, flush: 2, ..ENHANCED };
    let (mut script, mut world) = (Script::new(), World::open(&SimDisk::new(), options).unwrap());
    let pipeline = Arc::clone(&world.pipeline);
    let is_synced = || pipeline.redo().synced() == pipeline.redo().written();
    for pass in 1..=9 {
        let _committing = submit(&mut script, &mut world, pass, 100);
        // Whoever waits for room wants this role, too; it has nothing to do.
        pipeline.step(Role::Store).unwrap();
        pipeline.step(Role::Redo).unwrap();
        assert_eq!(is_synced(), pass % 3 == 0, "{pass}");
    }
}

#[test]
fn a_clean_stop_without_the_binlog_is_the_end_of_the_store() {
    let mut script = Script::new();
    let disk = SimDisk::new();
    let mut world = World::open(&disk, OWN_STORE).unwrap();
    script.group(&mut world, &disk, &mut Rng::new(1), 4);
    drop(world);
    let disk = disk.crash(CrashMode::DropAll, 1);
    let without = Options { binlog: false, strategy: StrategyKind::None, ..OWN_STORE };
    let world = World::open(&disk, without).unwrap();
    assert_eq!(is_in_redo(&world), Some(false), "its records are needed");
    world.pipeline.finish(&world.base, Vec::new()).unwrap();
    drop(world);
    let own = Path::new("/data/enhanced_binlog");
    for name in disk.list(own).unwrap() {
        disk.remove_file(&own.join(name)).unwrap();
    }
    drop(go_on(&disk, &mut script, ENHANCED, 2));
}
