//! Purpose: whoever follows the binlog may read what is published and in the files, and is told when there is more.
//!
//! Requirements: R1. with every strategy the readable end is neither beyond what is published nor beyond the files, and
//! reaches both; R2. a reader that waits is woken; R3. files that are read are not purged.
//!
//! Method: commits and rotations on the simulated disk; readers are polled by hand.

use std::pin::pin;
use std::task::{Context, Waker};

use commit::StrategyKind;
use commit::record::BinlogPlace;
use vfs::sim::SimDisk;

use super::power_loss::WITH_BINLOG;
use super::world::{Options, World};

fn published(world: &World) -> BinlogPlace {
    let end = world.pipeline.publisher().tuple().binlog.unwrap();
    BinlogPlace { file: end.file, position: end.position }
}

fn commit(world: &mut World, round: u8) {
    let committing = world.submit(&vec![(round % 4, Some(vec![round; 300]))]);
    drop(world.block_on(committing));
}

#[test]
fn the_readable_end_is_published_and_in_the_files() {
    for strategy in StrategyKind::WITH_BINLOG {
        let sync_binlog = if strategy == StrategyKind::Parallel { 1000 } else { 1 };
        let mut world =
            World::open(&SimDisk::new(), Options { strategy, sync_binlog, ..WITH_BINLOG }).unwrap();
        let reader = world.pipeline.follow_binlog().unwrap();
        for round in 0..12 {
            commit(&mut world, round);
            if round % 5 == 4 {
                world.rotate();
            }
            world.pipeline.wake_readers();
            let end = reader.end();
            assert!(end <= published(&world), "{strategy:?}");
            let files = world.pipeline.binlog().unwrap();
            let name =
                files.index().names().iter().find(|name| name.number() == u64::from(end.file)).cloned();
            let stored = world.file_bytes(&files.path_of(&name.expect("it is listed"))).len() as u64;
            assert!(end.position <= stored, "{strategy:?}");
            world.pipeline.catch_up().unwrap();
            world.pipeline.wake_readers();
            assert_eq!(reader.end(), published(&world), "{strategy:?}");
        }
    }
}

#[test]
fn a_reader_that_waits_is_woken() {
    let mut world = World::open(&SimDisk::new(), WITH_BINLOG).unwrap();
    let reader = world.pipeline.follow_binlog().unwrap();
    let place = reader.end();
    let mut waits = pin!(reader.beyond(place));
    let mut context = Context::from_waker(Waker::noop());
    assert!(waits.as_mut().poll(&mut context).is_pending());
    commit(&mut world, 1);
    world.pipeline.catch_up().unwrap();
    world.pipeline.wake_readers();
    assert!(waits.as_mut().poll(&mut context).is_ready());
    assert!(world.pipeline.follow_binlog().unwrap().end() > place, "who comes later begins there");
}

#[test]
fn files_that_are_read_are_not_purged() {
    let mut world = World::open(&SimDisk::new(), WITH_BINLOG).unwrap();
    for round in 0..4 {
        commit(&mut world, round);
        world.rotate();
    }
    world.checkpoint();
    let files = world.pipeline.binlog().unwrap();
    let names = files.index().names().to_vec();
    let second = files.open_in_use(&names[1]).unwrap().unwrap();
    let again = files.open_in_use(&names[1]).unwrap().unwrap();
    let purged = world.pipeline.purge_to(&names[3]).unwrap();
    assert_eq!(purged.gone, names[..1]);
    assert_eq!(purged.in_use, Some((names[1].clone(), 2, 3)));
    drop(second);
    assert_eq!(world.pipeline.purge_to(&names[1]).unwrap().in_use, None, "nothing was to go");
    assert!(world.pipeline.purge_to(&names[3]).unwrap().gone.is_empty());
    drop(again);
    assert_eq!(world.pipeline.purge_to(&names[3]).unwrap().gone, names[1..3]);
    assert!(files.open_in_use(&names[1]).unwrap().is_none());
}
