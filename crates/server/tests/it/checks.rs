//! CHECK constraints: their definitions, what they refuse, and that they stay.

use crate::whole::{World, answers_as_recorded, ok};

#[test]
fn definitions_and_errors_are_mysqls() {
    answers_as_recorded(include_str!("../data/checks-9.7.4.txt"), 500);
}

#[test]
fn a_check_is_the_same_for_all_clients() {
    let world = World::start();
    let mut root = world.root();
    ok(&mut root, "SET NAMES utf8mb4");
    ok(&mut root, "CREATE TABLE d.t (s VARCHAR(9) CHARSET utf8mb4, CHECK (CAST(s AS CHAR(3)) <> '日本'))");
    ok(&mut root, "CREATE TABLE d.source (s VARCHAR(9) CHARSET utf8mb4)");
    ok(&mut root, "INSERT INTO d.source VALUES ('日本')");
    for names in ["utf8mb4", "latin1"] {
        ok(&mut root, &format!("SET NAMES {names}"));
        assert_eq!(root.query("INSERT INTO d.t SELECT s FROM d.source").unwrap_err().code(), 3819, "{names}");
    }
    world.stop();
}

#[test]
fn a_table_has_a_bounded_number_of_checks() {
    let world = World::start();
    let mut root = world.root();
    let create = |count| format!("CREATE TABLE d.t (a INT{})", ", CHECK (a > 0)".repeat(count));
    assert_eq!(root.query(&create(70_000)).unwrap_err().code(), 1235);
    ok(&mut root, &create(1000));
    world.stop();
}

#[test]
fn a_check_is_there_after_a_restart() {
    let world = World::start();
    let mut root = world.root();
    ok(&mut root, "CREATE TABLE d.t (a INT CHECK (a > 0), s VARCHAR(9), CONSTRAINT c CHECK (s <> 'it''s'))");
    let shown = root.query("SHOW CREATE TABLE d.t").unwrap().rows;
    let world = world.restart();
    let mut root = world.root();
    assert_eq!(root.query("SHOW CREATE TABLE d.t").unwrap().rows, shown);
    for (row, name) in [("0, 'a'", "t_chk_1"), ("1, 'IT\\'S'", "c")] {
        let refused = root.query(&format!("INSERT INTO d.t VALUES ({row})")).unwrap_err();
        let message = format!("Check constraint '{name}' is violated.");
        assert_eq!((refused.code(), refused.message()), (3819, &*message));
    }
    ok(&mut root, "INSERT INTO d.t VALUES (1, 'a'), (NULL, NULL)");
    world.stop();
}
