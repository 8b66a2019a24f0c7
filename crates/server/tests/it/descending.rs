//! DESC of indexes.

use crate::whole::{World, answers_as_recorded, ok, rows};

#[test]
fn it_is_shown_and_means_what_it_means_to_mysql() {
    answers_as_recorded(include_str!("../data/descending-9.7.4.txt"), 60);
}

#[test]
fn it_outlives_a_restart_beside_foreign_keys_checks_and_expressions() {
    let world = World::start();
    let mut root = world.root();
    ok(&mut root, "USE d");
    ok(&mut root, "CREATE TABLE p (id INT, PRIMARY KEY (id))");
    ok(
        &mut root,
        "CREATE TABLE t (id INT, a INT DEFAULT (1 + 1), g INT AS (a + 1) STORED, p INT, PRIMARY KEY (id DESC), KEY g (g, a DESC), \
         FOREIGN KEY (p) REFERENCES p (id), CHECK (a > 0))",
    );
    ok(&mut root, "INSERT INTO t (id) VALUES (1), (2), (3)");
    let shown = rows(&mut root, "SHOW CREATE TABLE t");
    assert!(shown[0].contains("PRIMARY KEY (`id` DESC),\n  KEY `g` (`g`,`a` DESC),"), "{shown:?}");
    let world = world.restart();
    let mut root = world.root();
    assert_eq!(rows(&mut root, "SHOW CREATE TABLE d.t"), shown);
    assert_eq!(rows(&mut root, "SELECT id FROM d.t ORDER BY g DESC, id DESC"), ["3", "2", "1"]);
    ok(&mut root, "ALTER TABLE d.t DROP KEY g, DROP PRIMARY KEY, ADD PRIMARY KEY (id)");
    let world = world.restart();
    let shown = rows(&mut world.root(), "SHOW CREATE TABLE d.t");
    assert!(!shown[0].contains("DESC"), "{shown:?}");
    world.stop();
}
