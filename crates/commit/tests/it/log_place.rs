//! Purpose: a binlog outside of its data directory belongs to one server, and may be moved while that is stopped.
//!
//! Requirements: R1. A server that starts with a copy of another one's data directory and a binlog of its own changes nothing in
//! the other one's, whether that runs or has stopped again. R2. Two servers do not write one binlog. R3. A binlog that was moved after a clean stop goes on. R4. Behind a
//! crash, a start with another binlog completes the one that redo speaks of, and is refused if that is not there. R5. A start
//! without a binlog completes it too, and the next one with it cuts nothing. R6. It is the same log in whatever spelling.
//!
//! Method: servers on one simulated disk; files are copied by hand.

use std::path::Path;
use std::sync::Arc;

use commit::{FatalError, StrategyKind};
use vfs::sim::SimDisk;
use vfs::{Open, OsVfs, Vfs as _};

use crate::power_loss::WITH_BINLOG;
use crate::world::{Options, World};

const WITHOUT: Options = Options { binlog: false, strategy: StrategyKind::None, ..WITH_BINLOG };
const IN_REDO: Options = Options { strategy: StrategyKind::InRedo, ..WITH_BINLOG };

fn open(disk: &SimDisk, dir: &str, log: &str) -> Result<World, FatalError> {
    disk.create_dir_all(Path::new(log).parent().unwrap()).unwrap();
    World::open_at(Arc::new(disk.clone()), IN_REDO, Path::new(dir), Path::new(log))
}

fn commit(world: &mut World, key: u8) {
    let committing = world.submit(&vec![(key, Some(vec![key; 50]))]);
    drop(world.block_on(committing));
}

fn finish(world: &World) {
    world.pipeline.finish(&world.base, Vec::new()).unwrap();
}

fn files(disk: &SimDisk, dir: &str) -> Vec<(String, Vec<u8>)> {
    let read = |name: &str| {
        let file = disk.open(&Path::new(dir).join(name), Open::Read).unwrap();
        let mut bytes = vec![0; usize::try_from(file.len().unwrap()).unwrap()];
        file.read_exact_at(&mut bytes, 0).unwrap();
        bytes
    };
    disk.list(Path::new(dir)).unwrap().into_iter().map(|name| (name.clone(), read(&name))).collect()
}

fn copy((from, dir): (&SimDisk, &str), (to, other): (&SimDisk, &str)) {
    to.create_dir_all(Path::new(other)).unwrap();
    for (name, bytes) in files(from, dir) {
        let file = to.open(&Path::new(other).join(name), Open::Create).unwrap();
        file.write_at(&bytes, 0).unwrap();
        file.sync_all().unwrap();
    }
    to.sync_dir(Path::new(other)).unwrap();
}

fn copy_data((from, dir): (&SimDisk, &str), (to, other): (&SimDisk, &str)) {
    copy((from, dir), (to, other));
    copy((from, &format!("{dir}/redo")), (to, &format!("{other}/redo")));
}

fn keys(world: &World) -> Vec<u8> {
    world.rows().1.into_keys().collect()
}

#[test]
fn a_copy_of_a_data_directory_leaves_the_originals_binlog_alone() {
    for is_clean in [true, false] {
        let disk = SimDisk::new();
        let mut original = open(&disk, "/data", "/logs/binlog").unwrap();
        commit(&mut original, 1);
        if is_clean {
            finish(&original);
        }
        drop(original);
        copy_data((&disk, "/data"), (&disk, "/copy"));
        let mut original = open(&disk, "/data", "/logs/binlog").unwrap();
        commit(&mut original, 2);
        original.rotate();
        commit(&mut original, 3);
        original.pipeline.make_durable().unwrap();
        let before = files(&disk, "/logs");
        let refused = open(&disk, "/copy", "/logs/binlog").map(drop).unwrap_err().to_string();
        assert!(refused.contains("another server writes the binary log /logs/binlog"), "{refused}");
        match open(&disk, "/copy", "/own/binlog") {
            Ok(mut copy) if is_clean => {
                commit(&mut copy, 4);
                assert_eq!(keys(&copy), [1, 4]);
            }
            Err(refused) if !is_clean => {
                assert!(refused.to_string().contains("writes the binary log /logs/binlog"), "{refused}");
            }
            other => panic!("clean: {is_clean}: {:?}", other.map(drop)),
        }
        assert_eq!(files(&disk, "/logs"), before, "clean: {is_clean}");
        assert_eq!(keys(&original), [1, 2, 3]);
    }
}

#[test]
fn what_an_original_has_logged_since_is_not_cut_for_a_copy() {
    // It was started again, or has gone on with the last file.
    for restarts in [true, false] {
        let disk = SimDisk::new();
        let mut original = open(&disk, "/data", "/logs/binlog").unwrap();
        commit(&mut original, 1);
        if restarts {
            drop(original);
            copy_data((&disk, "/data"), (&disk, "/copy"));
            original = open(&disk, "/data", "/logs/binlog").unwrap();
        } else {
            copy_data((&disk, "/data"), (&disk, "/copy"));
        }
        commit(&mut original, 2);
        original.pipeline.make_durable().unwrap();
        drop(original);
        let before = files(&disk, "/logs");
        let refused = open(&disk, "/copy", "/own/binlog").map(drop).unwrap_err().to_string();
        assert!(refused.contains("redo ends before the binary log does"), "{refused}");
        assert_eq!(files(&disk, "/logs"), before, "restarts: {restarts}");
        assert_eq!(keys(&open(&disk, "/data", "/logs/binlog").unwrap()), [1, 2]);
    }
}

#[test]
fn a_binlog_that_was_moved_after_a_clean_stop_goes_on() {
    let disk = SimDisk::new();
    let mut world = open(&disk, "/data", "/logs/binlog").unwrap();
    commit(&mut world, 1);
    finish(&world);
    drop(world);
    let moved = SimDisk::new();
    copy_data((&disk, "/data"), (&moved, "/data"));
    copy((&disk, "/logs"), (&moved, "/other"));
    let mut world = open(&moved, "/data", "/other/binlog").unwrap();
    commit(&mut world, 2);
    world.pipeline.make_durable().unwrap();
    assert_eq!(keys(&world), [1, 2]);
    let names = world.pipeline.binlog().unwrap().index().names().len();
    assert_eq!(names, 2, "the moved file and a new one");
    let (old, new) = (files(&disk, "/logs"), files(&moved, "/other"));
    assert_eq!(old[0], new[0]);
    // What it was before it was moved does not matter any more, behind a crash either.
    drop(world);
    assert_eq!(keys(&open(&moved, "/data", "/other/binlog").unwrap()), [1, 2]);
}

#[test]
fn behind_a_crash_another_binlog_is_begun_if_the_one_before_is_there() {
    let disk = SimDisk::new();
    let mut world = open(&disk, "/data", "/logs/binlog").unwrap();
    let committing = world.submit(&vec![(1, Some(vec![1; 50]))]);
    world.pipeline.step(commit::Role::Redo).unwrap();
    drop(committing);
    drop(world);
    let header = files(&disk, "/logs")[0].1.len();
    let moved = SimDisk::new();
    copy_data((&disk, "/data"), (&moved, "/data"));
    copy((&disk, "/logs"), (&moved, "/other"));
    let before = files(&moved, "/other");
    let refused = open(&moved, "/data", "/other/binlog").map(drop).unwrap_err().to_string();
    assert!(refused.contains("goes on from the binary log /logs/binlog, which is not there"), "{refused}");
    assert_eq!(files(&moved, "/other"), before);
    let world = open(&disk, "/data", "/other/binlog").unwrap();
    assert_eq!(keys(&world), [1]);
    let completed = files(&disk, "/logs")[0].1.len();
    assert!(completed > header + 50, "redo's events are in the log that they belong to");
}

#[test]
fn a_start_without_a_binlog_leaves_what_was_logged_before_a_crash() {
    for strategy in StrategyKind::WITH_BINLOG {
        let sync_binlog = if strategy == StrategyKind::Parallel { 1000 } else { 1 };
        let options = Options { strategy, sync_binlog, ..WITH_BINLOG };
        let disk = SimDisk::new();
        disk.create_dir_all(Path::new("/logs")).unwrap();
        let at = |options| {
            World::open_at(Arc::new(disk.clone()), options, Path::new("/data"), Path::new("/logs/binlog"))
                .unwrap()
        };
        let mut world = at(options);
        (1..=3).for_each(|key| commit(&mut world, key));
        drop(world);
        let mut without = at(WITHOUT);
        commit(&mut without, 4);
        finish(&without);
        drop(without);
        let before = files(&disk, "/logs");
        let log = before.iter().find(|(name, _)| name == "binlog.000001").unwrap();
        assert!(log.1.len() > 3 * 50, "{strategy:?}: the rows are logged");
        let world = at(options);
        assert_eq!(keys(&world), [1, 2, 3, 4], "{strategy:?}");
        assert!(files(&disk, "/logs").contains(log), "{strategy:?}: nothing is cut");
    }
}

#[test]
fn a_log_in_another_spelling_is_the_same() {
    let dir = std::env::temp_dir().join(format!("onelog-log-place-{}", std::process::id()));
    OsVfs.create_dir_all(&dir.join("logs")).unwrap();
    std::os::unix::fs::symlink("logs", dir.join("same")).unwrap();
    for (key, log) in [(1, "logs/binlog"), (2, "same/binlog"), (3, "logs/../same/binlog")] {
        let mut world = World::open_at(Arc::new(OsVfs), IN_REDO, &dir.join("data"), &dir.join(log)).unwrap();
        assert_eq!(keys(&world).len(), usize::from(key) - 1);
        commit(&mut world, key);
    }
    std::fs::remove_dir_all(&dir).unwrap();
}
