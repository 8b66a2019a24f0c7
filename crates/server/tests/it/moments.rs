//! Purpose: what a statement locks is what one moment had, while others commit.
//!
//! Requirements: R1. one row has a value at each moment, others pass it on: UPDATE, DELETE, FOR UPDATE and FOR SHARE find it once,
//! by an index, without one and in joins. R2. at REPEATABLE READ and READ COMMITTED; R3. whichever strategy commits.
//!
//! Method: a whole server on a simulated disk with a runtime of threads, and clients without pauses. Before there were
//! moments, each statement found none about half of the time.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use crate::client::Client;
use crate::whole::{World, ok};

const ROWS: u64 = 40;
const TURNS: usize = 150;

/// Each says how many rows it has found.
const STATEMENTS: [&str; 6] = [
    "UPDATE d.t IGNORE INDEX (tok) SET v = v + 1 WHERE tok = 1",
    "UPDATE d.t FORCE INDEX (tok) SET v = v + 1 WHERE tok IN (1, 500) ORDER BY v LIMIT 2",
    "UPDATE d.t a JOIN d.t b ON a.id = b.id SET a.v = a.v + 1 WHERE b.tok = 1",
    "SELECT * FROM d.t WHERE id >= 0 AND tok = 1 FOR UPDATE",
    "SELECT * FROM d.t FORCE INDEX (tok) WHERE tok = 1 FOR SHARE",
    "DELETE FROM d.t WHERE tok = 1 AND id < 1000",
];

/// Locks the row that has the value, and gives the value to another one. Returns whether it has.
fn pass_on(client: &mut Client, turn: u64) -> bool {
    ok(client, "BEGIN");
    let holders = client.query("SELECT id FROM d.t WHERE tok = 1").unwrap().rows;
    assert_eq!(holders.len(), 1, "a snapshot shows one");
    let holder: u64 = holders[0][0].as_deref().unwrap().parse().unwrap();
    let taken = format!("UPDATE d.t SET tok = -id WHERE id = {holder} AND tok = 1");
    // Somebody else may have passed it on since, or want what this one has.
    let moved = match client.query(&taken) {
        Ok(done) if done.info.contains("Rows matched: 1 ") => {
            let next = (holder + 1 + turn % (ROWS - 1)) % ROWS;
            client.query(&format!("UPDATE d.t SET tok = 1 WHERE id = {next}")).is_ok()
        }
        _ => false,
    };
    ok(client, if moved { "COMMIT" } else { "ROLLBACK" });
    moved
}

#[test]
fn a_value_that_is_passed_on_is_found_once() {
    let world = World::start();
    let mut root = world.root();
    ok(
        &mut root,
        "CREATE TABLE d.t (id INT PRIMARY KEY, tok INT NOT NULL, v INT NOT NULL DEFAULT 0, KEY (tok))",
    );
    for id in 0..ROWS {
        ok(
            &mut root,
            &format!("INSERT INTO d.t (id, tok) VALUES ({id}, {})", if id == 0 { 1 } else { -(id as i64) }),
        );
    }
    let (ended, passed) = (AtomicBool::new(false), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        for start in 0..2 {
            let (world, ended, passed) = (&world, &ended, &passed);
            scope.spawn(move || {
                let mut client = world.root();
                let mut turn = start * 7;
                while !ended.load(Ordering::Relaxed) {
                    passed.fetch_add(pass_on(&mut client, turn).into(), Ordering::Relaxed);
                    turn += 1;
                }
            });
        }
        let checkers: Vec<_> = STATEMENTS
            .iter()
            .map(|statement| {
                let world = &world;
                scope.spawn(move || {
                    let mut client = world.root();
                    for turn in 0..TURNS {
                        let isolation = ["REPEATABLE READ", "READ COMMITTED"][turn % 2];
                        ok(&mut client, &format!("SET SESSION TRANSACTION ISOLATION LEVEL {isolation}"));
                        ok(&mut client, "BEGIN");
                        let found = client.query(statement);
                        ok(&mut client, "ROLLBACK");
                        let count = match &found {
                            Ok(rows) if statement.starts_with("SELECT") => rows.rows.len().to_string(),
                            Ok(done) if statement.starts_with("DELETE") => done.affected.to_string(),
                            Ok(done) => done.info.split(' ').nth(2).unwrap().to_owned(),
                            // A deadlock is another answer that is right.
                            Err(error) if error.code() == 1213 => continue,
                            Err(error) => panic!("{statement}: {error:?}"),
                        };
                        assert_eq!(count, "1", "turn {turn} at {isolation}: {statement}");
                    }
                })
            })
            .collect();
        for strategy in ["serial", "group", "in_redo", "enhanced"].iter().cycle() {
            if checkers.iter().all(std::thread::ScopedJoinHandle::is_finished) {
                break;
            }
            ok(&mut root, &format!("SET GLOBAL onelog_commit_strategy = '{strategy}'"));
        }
        ended.store(true, Ordering::Relaxed);
    });
    let passed = passed.into_inner();
    assert!(passed >= TURNS / 10, "it was passed on {passed} times only");
    world.stop();
}
