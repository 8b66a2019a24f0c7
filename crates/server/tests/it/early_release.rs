//! Purpose: locks that go before the sync exclude as those do that go after it.
//!
//! Requirements: what is read under a lock, in a statement of its own, shows all that its last holder has committed:
//! R1. of a row that he did not change; R2. of one that he changed; R3. of a table under LOCK TABLES;
//! R4. at REPEATABLE READ and READ COMMITTED.
//!
//! Method: a whole server on a simulated disk, whose commits become visible a while after they are in order; clients who add
//! one to what they have read. Without the locks' rule most of the additions are lost.

use crate::client::Client;
use crate::whole::{World, ok};

const CLIENTS: usize = 4;
const TURNS: usize = 15;

fn world() -> (World, Client) {
    let world = World::start();
    let mut root = world.root();
    for sql in [
        "CREATE TABLE d.latch (id INT PRIMARY KEY, turn INT)",
        "INSERT INTO d.latch VALUES (1, 0)",
        "CREATE TABLE d.t (id INT PRIMARY KEY, v INT)",
        "INSERT INTO d.t VALUES (1, 0)",
        "SET GLOBAL onelog_commit_strategy = 'group'",
        "SET GLOBAL binlog_group_commit_sync_delay = 1000",
    ] {
        ok(&mut root, sql);
    }
    (world, root)
}

/// Each client does so many turns of `lock`, an addition of one to what a plain read finds, and COMMIT.
fn add_under(lock: &str) {
    let (world, mut root) = world();
    for isolation in ["REPEATABLE READ", "READ COMMITTED"] {
        ok(&mut root, "UPDATE d.t SET v = 0");
        std::thread::scope(|scope| {
            for _ in 0..CLIENTS {
                scope.spawn(|| {
                    let mut client = world.root();
                    ok(&mut client, &format!("SET SESSION TRANSACTION ISOLATION LEVEL {isolation}"));
                    for _ in 0..TURNS {
                        ok(&mut client, "BEGIN");
                        client.query(lock).unwrap();
                        let found: usize = read(&mut client).parse().unwrap();
                        ok(&mut client, &format!("UPDATE d.t SET v = {} WHERE id = 1", found + 1));
                        ok(&mut client, "COMMIT");
                    }
                });
            }
        });
        assert_eq!(read(&mut root), (CLIENTS * TURNS).to_string(), "{isolation}, {lock}");
    }
    world.stop();
}

fn read(client: &mut Client) -> String {
    client.query("SELECT v FROM d.t WHERE id = 1").unwrap().rows.concat().remove(0).unwrap()
}

#[test]
fn a_row_that_is_only_locked() {
    add_under("SELECT * FROM d.latch WHERE id = 1 FOR UPDATE");
}

#[test]
fn a_row_that_is_changed() {
    add_under("UPDATE d.latch SET turn = turn + 1 WHERE id = 1");
}

#[test]
fn a_table_that_others_change_by_row() {
    let (world, mut root) = world();
    std::thread::scope(|scope| {
        for _ in 0..CLIENTS {
            scope.spawn(|| {
                let mut client = world.root();
                (0..TURNS).for_each(|_| ok(&mut client, "UPDATE d.t SET v = v + 1 WHERE id = 1"));
            });
        }
        let mut client = world.root();
        for _ in 0..TURNS {
            ok(&mut client, "LOCK TABLES d.t WRITE");
            let found: usize = read(&mut client).parse().unwrap();
            ok(&mut client, &format!("UPDATE d.t SET v = {} WHERE id = 1", found + 1));
            ok(&mut client, "UNLOCK TABLES");
        }
    });
    assert_eq!(read(&mut root), ((CLIENTS + 1) * TURNS).to_string());
    world.stop();
}
