//! Purpose: SHOW BINLOG EVENTS reads recent events from memory.
//!
//! Requirements: its answer does not depend on the cache; the status variables count its reads.
//!
//! Method: one server, its statements, and the same files after a restart, when the cache is empty.

use std::sync::Arc;

use sim::{Conn, Options, World};
use vfs::Vfs;
use vfs::sim::SimDisk;

fn counted(conn: &mut Conn<'_>) -> Vec<u64> {
    let rows = conn.rows("SHOW GLOBAL STATUS LIKE 'Onelog_binlog_io_cache_%'");
    rows.iter().map(|row| row.split_once('|').unwrap().1.parse().unwrap()).collect()
}

#[test]
fn recent_events_are_shown_from_memory() {
    let disk: Arc<dyn Vfs> = Arc::new(SimDisk::new());
    let world = World::open(&disk, &Options::default()).unwrap();
    let mut conn = world.connect();
    conn.ok("CREATE DATABASE d");
    conn.ok("CREATE TABLE d.t (id INT PRIMARY KEY)");
    for id in 0..100 {
        conn.ok(&format!("INSERT INTO d.t VALUES ({id})"));
    }
    let shown = conn.rows("SHOW BINLOG EVENTS IN 'binlog.000001'");
    assert!(shown.len() > 300);
    let [allocated, requests, hits] = counted(&mut conn)[..] else { panic!("three counters") };
    assert_eq!(allocated, 1 << 16);
    assert_eq!(
        requests,
        hits + 2,
        "the first bytes of a file are not in the cache; the start has read them, too"
    );
    drop(conn);
    drop(world);
    let world = World::open(&disk, &Options::default()).unwrap();
    let mut conn = world.connect();
    assert!(conn.rows("SHOW BINLOG EVENTS IN 'binlog.000001'").starts_with(&shown));
    let [_, requests, hits] = counted(&mut conn)[..] else { panic!("three counters") };
    assert!(requests > 0);
    assert_eq!(hits, 0);
}
