//! Set operations, recursive queries and their like: rows, types, errors and texts are those that a real MySQL gave, and
//! what has no end can be ended.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::whole::{World, answers_as_recorded, ok, send};

#[test]
fn set_operations_are_mysqls() {
    answers_as_recorded(include_str!("../data/set_operations-9.7.4.txt"), 190);
}

#[test]
fn recursive_queries_are_mysqls() {
    answers_as_recorded(include_str!("../data/recursive-9.7.4.txt"), 185);
}

#[test]
fn endless_recursion_ends_with_kill_and_in_time() {
    let world = World::start();
    let (mut root, mut other) = (world.root(), world.root());
    ok(&mut other, "USE d");
    ok(&mut other, "SET cte_max_recursion_depth = 4294967295");
    // Nothing is kept of what it makes.
    let endless =
        "WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n FROM r LIMIT 1 OFFSET 999999999999) TABLE r";
    send(&mut other, endless);
    let (kill, killed) = (format!("KILL QUERY {}", other.connection_id), AtomicBool::new(false));
    std::thread::scope(|scope| {
        // One that comes before the statement has begun does not concern it.
        scope.spawn(|| {
            while !killed.load(Ordering::Relaxed) {
                ok(&mut root, &kill);
            }
        });
        let answer = other.answer();
        killed.store(true, Ordering::Relaxed);
        assert_eq!(answer.unwrap_err().code(), 1317);
    });
    ok(&mut other, "SET max_execution_time = 50");
    assert_eq!(other.query(endless).unwrap_err().code(), 3024);
    world.stop();
}
