//! Purpose: the strategy of commits and `sync_binlog` fit each other, whoever sets them and in whichever order.
//!
//! Requirements: R1. `parallel` with `sync_binlog = 1` is refused in both orders, by each of its names; R2. who sets
//! `sync_binlog` waits for a switch, and nobody else waits for them; R3. a store that cannot be opened leaves the strategy as it was;
//! R4. a redo capacity below what this run's segments have is no end of all commits.
//!
//! Method: whole servers on simulated disks.

use std::path::Path;

use vfs::sim::SimDisk;
use vfs::{Open, Vfs};

use crate::whole::{World, ok, rows, send};

#[test]
fn parallel_with_a_sync_for_each_group_is_refused_in_both_orders() {
    let world = World::start();
    let mut root = world.root();
    let text = "Incorrect usage of onelog_commit_strategy=parallel (binlog_parallel_flush) and sync_binlog=1";
    let is_refused = |sql: &str| {
        let failure = world.root().query(sql).unwrap_err();
        assert_eq!((failure.code(), failure.message()), (1221, text), "{sql}");
    };
    is_refused("SET GLOBAL onelog_commit_strategy = parallel");
    is_refused("SET GLOBAL binlog_parallel_flush = ON");
    ok(&mut root, "SET GLOBAL sync_binlog = 1000");
    ok(&mut root, "SET GLOBAL binlog_parallel_flush = ON");
    is_refused("SET GLOBAL sync_binlog = 1");
    is_refused("SET GLOBAL sync_binlog = DEFAULT");
    let now = root.query("SELECT @@onelog_commit_strategy, @@sync_binlog").unwrap().rows;
    assert_eq!(now, [[Some("parallel".to_owned()), Some("1000".to_owned())]]);
    ok(&mut root, "SET GLOBAL sync_binlog = 0");
    ok(&mut root, "SET GLOBAL onelog_commit_strategy = in_redo, sync_binlog = 1");
    is_refused("SET GLOBAL onelog_commit_strategy = parallel");
    world.stop();
}

/// A RESET keeps the strategy for a whole checkpoint.
#[test]
fn who_sets_sync_binlog_waits_for_a_switch_alone() {
    // More than the runtime has threads.
    let waiting = 2 * std::thread::available_parallelism().unwrap().get();
    let world = World::start();
    let mut clients: Vec<_> = (0..waiting).map(|_| world.root()).collect();
    let kept = world.shared().pipeline.try_keep_strategy().unwrap();
    for client in &mut clients {
        send(client, "SET GLOBAL sync_binlog = 7");
    }
    let mut other = world.root();
    for _ in 0..100 {
        let value = other.query("SELECT @@sync_binlog").unwrap().rows;
        assert_eq!(value, [[Some("1".to_owned())]], "the strategy may be another one soon");
    }
    drop(kept);
    for client in &mut clients {
        client.answer().unwrap();
    }
    assert_eq!(other.query("SELECT @@sync_binlog").unwrap().rows, [[Some("7".to_owned())]]);
    world.stop();
}

#[test]
fn a_store_that_cannot_be_opened_leaves_the_strategy_as_it_was() {
    let disk = SimDisk::new();
    disk.create_dir_all(Path::new("/data")).unwrap();
    disk.open(Path::new("/data/elsewhere"), Open::Create).unwrap();
    let world = World::start_on(&disk, &["--enhanced-binlog-dir=elsewhere/store"]);
    let mut root = world.root();
    for _ in 0..2 {
        let failure = root.query("SET GLOBAL onelog_commit_strategy = enhanced").unwrap_err();
        assert_eq!(failure.code(), 1105);
        assert!(failure.message().contains("enhanced_binlog_dir"), "{}", failure.message());
        ok(&mut root, "CREATE DATABASE IF NOT EXISTS other");
    }
    assert_eq!(rows(&mut root, "SELECT @@onelog_commit_strategy"), ["in_redo"]);
    disk.remove_file(Path::new("/data/elsewhere")).unwrap();
    ok(&mut root, "SET GLOBAL onelog_commit_strategy = enhanced");
    ok(&mut root, "CREATE DATABASE third");
    let world = world.restart();
    assert_eq!(rows(&mut world.root(), "SHOW DATABASES LIKE 'third'"), ["third"]);
    world.stop();
}

#[test]
fn a_small_redo_capacity_stops_nobody() {
    let world = World::start_with(&["--innodb-redo-log-capacity=512M"]);
    let mut root = world.root();
    ok(&mut root, "CREATE TABLE d.t (a INT PRIMARY KEY AUTO_INCREMENT, b TEXT)");
    ok(&mut root, "SET GLOBAL innodb_redo_log_capacity = 8388608");
    for _ in 0..40 {
        ok(&mut root, "INSERT INTO d.t (b) VALUES (REPEAT('x', 60000))");
        // The gate is set by somebody else, a few times a second.
        assert_eq!(rows(&mut root, "SELECT SLEEP(0.01)"), ["0"]);
    }
    world.stop();
}
