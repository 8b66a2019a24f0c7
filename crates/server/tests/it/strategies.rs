//! Purpose: the strategy of commits and `sync_binlog` fit each other, whoever sets them and in whichever order.
//!
//! Requirements: R1. `parallel` with `sync_binlog = 1` is refused in both orders, by each of its names; R2. who sets
//! `sync_binlog` waits for a switch, and nobody else waits for them.
//!
//! Method: whole servers on simulated disks.

use crate::whole::{World, ok, send};

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
