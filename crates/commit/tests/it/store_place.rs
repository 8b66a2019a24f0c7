//! Where the binlog store lies, from start to start.

use redo::RedoLog;
use vfs::sim::{CrashMode, Rng, SimDisk};

use super::power_loss::{ENHANCED, IN_REDO, OWN_STORE, Script, check, each_nth, sweep};
use super::world::{Options, World};

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
