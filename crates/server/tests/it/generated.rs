//! Generated columns: their definitions, what they hold, and that they stay.

use crate::whole::{World, answers_as_recorded, ok};

#[test]
fn definitions_values_and_errors_are_mysqls() {
    answers_as_recorded(include_str!("../data/generated-9.7.4.txt"), 340);
}

#[test]
fn generated_columns_are_there_after_a_restart() {
    let world = World::start();
    let mut root = world.root();
    ok(
        &mut root,
        "CREATE TABLE d.t (a INT, s INT AS (a + 1) STORED, v VARCHAR(9) AS (CONCAT('it''s', s)) UNIQUE)",
    );
    ok(&mut root, "INSERT INTO d.t (a) VALUES (1), (2)");
    let shown = root.query("SHOW CREATE TABLE d.t").unwrap().rows;
    let world = world.restart();
    let mut root = world.root();
    assert_eq!(root.query("SHOW CREATE TABLE d.t").unwrap().rows, shown);
    ok(&mut root, "UPDATE d.t SET a = 7 WHERE v = 'it\\'s3'");
    assert_eq!(root.query("INSERT INTO d.t (a) VALUES (7)").unwrap_err().code(), 1062);
    let rows = root.query("SELECT GROUP_CONCAT(a, ' ', s, ' ', v ORDER BY a) FROM d.t").unwrap();
    assert_eq!(rows.rows[0][0].as_deref(), Some("1 2 it's2,7 8 it's8"));
    world.stop();
}

#[test]
fn what_a_client_speaks_does_not_matter() {
    let world = World::start();
    let mut root = world.root();
    ok(&mut root, "SET NAMES utf8mb4");
    ok(&mut root, "CREATE TABLE d.t (a INT, s VARCHAR(9) CHARSET utf8mb4 AS (CONCAT('日本', a)))");
    for names in ["utf8mb4", "latin1"] {
        ok(&mut root, &format!("SET NAMES {names}"));
        ok(&mut root, "INSERT INTO d.t (a) VALUES (1)");
    }
    assert_eq!(root.query("SELECT DISTINCT HEX(s) FROM d.t").unwrap().rows.len(), 1);
    world.stop();
}

#[test]
fn defaults_are_mysqls() {
    answers_as_recorded(include_str!("../data/defaults-9.7.4.txt"), 140);
}

#[test]
fn encryption_compression_and_units_are_mysqls() {
    answers_as_recorded(include_str!("../data/crypt-9.7.4.txt"), 105);
}

/// A short statement does not take the server's memory.
#[test]
fn results_have_a_bound() {
    answers_as_recorded(include_str!("../data/bounds-9.7.4.txt"), 13);
    let world = World::start();
    let each_repeats_all = "SELECT REGEXP_REPLACE(REPEAT('a', 100000), 'a+', REPEAT('$0', 100000))";
    assert_eq!(world.root().query(each_repeats_all).unwrap_err().code(), 3684);
    world.stop();
}
