//! Joins by equality of columns that no index covers: rows are MySQL's, EXPLAIN says what happens, and others end them.

use crate::client::Client;
use crate::whole::{World, answers_as_recorded, ok, rows};

#[test]
fn joins_without_an_index_answer_as_mysqls() {
    answers_as_recorded(include_str!("../data/joins-9.7.4.txt"), 400);
}

/// `a` and `b`, whose rows have all the same `x` and each their own `y`.
fn filled(world: &World) -> Client {
    let mut root = world.root();
    ok(&mut root, "USE d");
    for table in ["a", "b"] {
        ok(
            &mut root,
            &format!("CREATE TABLE {table} (id INT PRIMARY KEY, x INT, y INT, s VARCHAR(9), k INT, KEY (k))"),
        );
        let row = |id: u32| format!("({id}, 1, {}, 'b', {id})", id * 2);
        let rows: Vec<String> = (0..3000).map(row).collect();
        ok(&mut root, &format!("INSERT INTO {table} VALUES {}", rows.join(", ")));
    }
    root
}

/// As MySQL 9.7.4 says it, but for the order of tables.
#[test]
fn explain_names_what_is_looked_up() {
    let world = World::start();
    let mut root = filled(&world);
    let hash = "Using where; Using join buffer (hash join)";
    for (query, extra) in [
        ("SELECT * FROM a STRAIGHT_JOIN b ON a.y = b.y", hash),
        ("SELECT * FROM a LEFT JOIN b ON a.s = b.s AND b.id > 5", hash),
        ("SELECT * FROM a STRAIGHT_JOIN b ON a.y = b.y AND a.k = b.k", "Using where"),
        ("SELECT * FROM a STRAIGHT_JOIN b ON a.y < b.y", "Using where"),
        ("SELECT * FROM a STRAIGHT_JOIN b ON a.y = b.y FOR UPDATE", hash),
        ("UPDATE a STRAIGHT_JOIN b ON a.y = b.y SET a.x = 2", hash),
    ] {
        let lines = rows(&mut root, &format!("EXPLAIN {query}"));
        assert_eq!(lines.last().unwrap().rsplit('|').next(), Some(extra), "{query}");
    }
    world.stop();
}

#[test]
fn time_ends_a_join_that_looks_up_its_rows() {
    let world = World::start();
    let mut root = filled(&world);
    ok(&mut root, "SET max_execution_time = 100");
    for query in [
        "SELECT COUNT(*) FROM a JOIN b ON a.x = b.x JOIN b c ON b.x = c.x AND c.y = 7 JOIN b d ON d.s = c.s",
        "SELECT COUNT(*) FROM a, a b WHERE (SELECT COUNT(*) FROM b c WHERE c.x = a.x AND c.y = b.y + 1) = 2",
    ] {
        assert_eq!(root.query(query).unwrap_err().code(), 3024, "{query}");
    }
    world.stop();
}
