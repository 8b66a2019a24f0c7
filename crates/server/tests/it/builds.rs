//! Purpose: what writes into the table store before its statement commits ends with the statement, and with the server.
//!
//! Requirements: R1. KILL ends ALTER TABLE's copy with 1317, and the table is as it was; R2. a server that has stopped writes nothing
//! any more; R3. its data directory is taken until its last thread has ended; R4. what reads whole tables and
//! files ends in the same ways, thread and all.
//!
//! Method: a whole server on a simulated disk, and a column whose values take their time.

use std::cell::Cell;
use std::sync::Arc;

use engine::check::check_table;
use engine::trx::Trx;
use vfs::sim::SimDisk;

use crate::client::Client;
use crate::waits::value;
use crate::whole::{World, all_ok, ok, rows, send};

/// Takes longer for one row than a stop, and longer for all than a test may.
const SLOW: &str =
    "ALTER TABLE d.t ADD g CHAR(64) AS (SHA2(REPEAT('x', 50000000 + a), 256)) STORED, ADD KEY (g)";

fn fill(client: &mut Client) {
    ok(client, "CREATE TABLE d.t (a INT PRIMARY KEY, b INT)");
    let values: Vec<String> = (1..=1000).map(|a| format!("({a}, {a})")).collect();
    ok(client, &format!("INSERT INTO d.t VALUES {}", values.join(", ")));
}

/// Sends a statement, waits until it copies, and stops it as is said.
fn stopped(world: &World, client: &mut Client, sql: &str, kill: &str) {
    let id = value(client, "SELECT CONNECTION_ID()").unwrap();
    send(client, sql);
    while world.shared().schema.builds.count() == 0 {}
    ok(&mut world.root(), &format!("{kill} {id}"));
}

#[test]
fn kill_ends_a_copy_and_the_table_is_as_it_was() {
    let world = World::start();
    let (mut root, mut other) = (world.root(), world.root());
    fill(&mut root);
    let before = rows(&mut root, "SHOW CREATE TABLE d.t");
    stopped(&world, &mut other, SLOW, "KILL QUERY");
    assert_eq!(other.answer().unwrap_err().code(), 1317);
    assert_eq!(rows(&mut root, "SHOW CREATE TABLE d.t"), before);
    ok(&mut root, "INSERT INTO d.t VALUES (1001, 1)");
    assert_eq!(rows(&mut root, "SELECT COUNT(*), SUM(a) FROM d.t"), ["1001|501501"]);
    let shown = rows(&mut root, "SHOW BINLOG EVENTS");
    assert!(!shown.iter().any(|event| event.contains("SHA2")), "it is not logged");
    all_ok(&mut other, &["ALTER TABLE d.t ADD g INT AS (a + 1) STORED", "ALTER TABLE d.t ADD KEY (g)"]);
    let world = world.restart();
    assert_eq!(rows(&mut world.root(), "SELECT a FROM d.t WHERE g = 1002"), ["1001"]);
    world.stop();
}

#[test]
fn a_server_that_has_stopped_builds_nothing() {
    let mut world = World::start();
    let (mut root, mut other) = (world.root(), world.root());
    fill(&mut root);
    stopped(&world, &mut other, SLOW, "KILL");
    assert!(other.answer().is_err());
    drop((root, other));
    let shared = Arc::clone(world.shared());
    world.end();
    assert_eq!(shared.schema.builds.count(), 0);
    drop(shared);
    let world = world.restart();
    assert_eq!(rows(&mut world.root(), "SELECT COUNT(*), SUM(a) FROM d.t"), ["1000|500500"]);
    world.stop();
}

#[test]
fn a_data_directory_is_taken_until_the_last_thread_has_ended() {
    let disk = SimDisk::new();
    let mut world = World::start_on(&disk, &[]);
    let (release, released) = std::sync::mpsc::channel::<()>();
    // One that nobody waits for any more.
    world.run(async { drop(tokio::task::spawn_blocking(move || released.recv())) });
    world.end();
    assert!(World::refused(&disk, "/data", &[]).contains("in use by another process"));
    drop(release);
    drop(world);
    World::open(&disk).stop();
}

#[test]
fn kill_ends_check_table_and_its_thread() {
    let world = World::start();
    let (mut root, mut other) = (world.root(), world.root());
    ok(&mut root, "CREATE TABLE d.t (id INT PRIMARY KEY AUTO_INCREMENT, a INT, KEY (a))");
    ok(&mut root, "INSERT INTO d.t (a) VALUES (1), (2), (3), (4)");
    for _ in 0..15 {
        ok(&mut root, "INSERT INTO d.t (a) SELECT a FROM d.t");
    }
    stopped(&world, &mut other, "CHECK TABLE d.t", "KILL QUERY");
    assert_eq!(other.answer().unwrap_err().code(), 1317);
    while world.shared().schema.builds.count() > 0 {}
    world.stop();
}

#[test]
fn check_table_asks_at_each_row_and_entry_whether_it_goes_on() {
    let world = World::start();
    let mut root = world.root();
    ok(&mut root, "CREATE TABLE d.t (id INT PRIMARY KEY, a INT, KEY (a))");
    ok(&mut root, "INSERT INTO d.t VALUES (1, 1), (2, 2), (3, 3)");
    let store = &world.shared().store;
    let table = store.catalog().table("d", "t").unwrap().clone();
    // Three rows and three entries.
    for (most, ends) in [(0, true), (2, true), (3, true), (5, true), (6, false)] {
        let asked = Cell::new(0);
        let goes_on = || {
            asked.set(asked.get() + 1);
            asked.get() <= most
        };
        let checked = check_table(&mut Trx::new(Arc::clone(store)), &table, goes_on).unwrap();
        assert_eq!((checked.is_none(), asked.get()), (ends, most + i32::from(ends)));
    }
    world.stop();
}

#[test]
fn nothing_reads_whole_tables_and_files_of_a_server_that_stops() {
    let world = World::start();
    let mut root = world.root();
    fill(&mut root);
    world.shared().schema.builds.close();
    for sql in ["CHECK TABLE d.t", "SHOW BINLOG EVENTS"] {
        assert_eq!(root.query(sql).unwrap_err().code(), 1053, "{sql}");
    }
    world.stop();
}
