//! Purpose: who reads the binlog through its I/O cache reads what is in the files.
//!
//! Requirements: bytes and lengths are the files', at every position, after every commit and rotation; the last events
//! come from memory.
//!
//! Method: commits and rotations on the simulated disk, with a cache that is smaller than what is written.

use binlog::ReadAt;
use vfs::sim::SimDisk;

use super::power_loss::WITH_BINLOG;
use super::world::World;

/// All bytes from a position on.
fn read(file: &dyn ReadAt, position: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut buf = [0; 777];
    loop {
        match file.read_at(&mut buf, position + bytes.len() as u64).unwrap() {
            0 => return bytes,
            count => bytes.extend_from_slice(&buf[..count]),
        }
    }
}

fn check(world: &World) {
    let files = world.pipeline.binlog().unwrap();
    let names = files.index().names().to_vec();
    for name in &names {
        let (cached, bytes) = (files.open(name).unwrap(), world.file_bytes(&files.path_of(name)));
        assert_eq!(cached.len().unwrap(), bytes.len() as u64, "{name}");
        for from in [0, bytes.len() / 3, bytes.len() - 10] {
            assert!(read(&cached, from as u64) == bytes[from..], "{name} from {from} on");
        }
    }
}

#[test]
fn what_is_read_through_the_cache_is_what_is_in_the_files() {
    let mut world = World::open(&SimDisk::new(), WITH_BINLOG).unwrap();
    for round in 0..30_u8 {
        for key in 0..5 {
            // Some spill: their events are appended in pieces.
            let row = vec![round; usize::from(round) * 150 + usize::from(key)];
            let committing = world.submit(&vec![(key, Some(row))]);
            drop(world.block_on(committing));
        }
        check(&world);
        if round % 4 == 3 {
            world.rotate();
            check(&world);
        }
    }
    let files = world.pipeline.binlog().unwrap();
    let last = files.index().names().last().unwrap().clone();
    let cached = files.open(&last).unwrap();
    let cache = files.io_cache();
    let before = (cache.read_requests(), cache.reads());
    let end = cached.len().unwrap();
    assert_eq!(read(&cached, end - 500).len(), 500);
    assert_eq!((cache.read_requests(), cache.reads()), (before.0 + 2, before.1 + 1), "once more at the end");
    assert!(cache.reads() > 100 && cache.read_requests() > cache.reads(), "{cache:?}");
}
