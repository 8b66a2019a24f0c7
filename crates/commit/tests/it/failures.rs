//! A write of the binlog that fails, at any operation of a rotation: whoever comes next gets an error, and nothing is
//! appended any more. A file that somebody has cut: recovery names it.

use std::path::Path;

use commit::{FatalError, StrategyKind};
use engine::ids::TrxId;
use vfs::sim::{Fault, FaultKind, Rng, SimDisk};
use vfs::{Open, Vfs as _};

use crate::power_loss::{ENHANCED, IN_REDO, OWN_STORE, Script, WITH_BINLOG};
use crate::world::{Options, World};

/// Plays the log threads as they go on beside one that has failed, and those who want the files to reach the end. The
/// first error.
fn play(world: &World) -> Option<FatalError> {
    let mut failed = None;
    for _ in 0..3 {
        world.pipeline.tend_files();
        while let Some(role) = world.pipeline.roles.take() {
            match world.pipeline.step(role) {
                Ok(()) => world.pipeline.roles.done(role),
                // Its thread ends the process and keeps the role.
                Err(error) => failed = failed.or(Some(error)),
            }
        }
        failed = failed.or(world.pipeline.catch_up().err());
    }
    failed
}

#[test]
fn nothing_is_appended_behind_a_rotation_that_failed() {
    for strategy in StrategyKind::WITH_BINLOG {
        let sync_binlog = if strategy == StrategyKind::Parallel { 1000 } else { 1 };
        let options = Options { strategy, sync_binlog, ..WITH_BINLOG };
        for nth in 1.. {
            let disk = SimDisk::new();
            let mut world = World::open(&disk, options).unwrap();
            Script::new().group(&mut world, &disk, &mut Rng::new(1), 3);
            world.pipeline.catch_up().unwrap();
            disk.inject(Fault::new(FaultKind::Io).on("/data/binlog").nth(nth));
            let (pipeline, pending) = (std::sync::Arc::clone(&world.pipeline), world.session());
            let rotating = world.block_on(pipeline.rotate(TrxId(0), pending, None)).unwrap();
            let failed = play(&world);
            if disk.faults_fired() == 0 {
                assert!(failed.is_none() && nth > 5, "{strategy:?}: {nth} operations, {failed:?}");
                break;
            }
            assert!(failed.is_some(), "{strategy:?}, operation {nth}");
            disk.lift_faults();
            let before = disk.ops();
            assert!(
                play(&world).is_none_or(|error| error.to_string().contains("earlier")),
                "{strategy:?}, {nth}"
            );
            assert_eq!(disk.ops(), before, "{strategy:?}, operation {nth}: the disk is written to");
            drop(rotating);
        }
    }
}

#[test]
fn a_file_that_ends_before_its_rotation_is_named() {
    for options in [IN_REDO, ENHANCED, OWN_STORE] {
        let disk = SimDisk::new();
        let mut world = World::open(&disk, options).unwrap();
        let (mut script, mut rng) = (Script::new(), Rng::new(1));
        script.group(&mut world, &disk, &mut rng, 3);
        world.pipeline.catch_up().unwrap();
        world.checkpoint();
        let path = Path::new("/data/binlog.000001");
        let end = world.file_bytes(path).len() as u64;
        world.rotate();
        script.group(&mut world, &disk, &mut rng, 3);
        drop(world);
        let file = disk.open(path, Open::ReadWrite).unwrap();
        file.set_len(end - 1).unwrap();
        file.sync_all().unwrap();
        let error = World::open(&disk, options).map(drop).unwrap_err().to_string();
        assert!(error.contains("binlog.000001") && error.contains("restore"), "{options:?}: {error}");
    }
}
