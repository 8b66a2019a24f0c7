//! Purpose: ALTER TABLE changes the values that its new definition changes, and no others.
//!
//! Requirements: R1. NOT NULL leaves values as they are stored, whatever the session's time zone and mode make of them. R2. a
//! collation that changes has generated columns computed again, and enforced checks looked at.
//!
//! Method: a whole server on a simulated disk.

use crate::whole::{World, all_ok, ok, rows};

#[test]
fn not_null_leaves_values_as_they_are() {
    let world = World::start();
    let mut root = world.root();
    all_ok(
        &mut root,
        &[
            "SET time_zone = '+00:00', sql_mode = ''",
            "CREATE TABLE d.t (id INT PRIMARY KEY, ts TIMESTAMP NULL, day DATE NULL, e ENUM('a') NULL, s VARCHAR(9) NULL)",
            // In Berlin both are 02:30.
            "INSERT INTO d.t VALUES (1, '2020-10-25 00:30:00', '0000-00-00', 'none', 'x'), (2, '2020-10-25 01:30:00', \
             '2020-02-00', 'a', '')",
            "SET time_zone = 'Europe/Berlin', sql_mode = DEFAULT",
        ],
    );
    let alter = "ALTER TABLE d.t MODIFY ts TIMESTAMP NOT NULL, MODIFY day DATE NOT NULL, MODIFY e ENUM('a') NOT NULL, \
                 MODIFY s VARCHAR(9) NOT NULL";
    ok(&mut root, "INSERT INTO d.t (id) VALUES (3)");
    assert_eq!(root.query(alter).unwrap_err().code(), 1138);
    all_ok(&mut root, &["DELETE FROM d.t WHERE id = 3", alter, "SET time_zone = '+00:00'"]);
    let kept = ["1|2020-10-25 00:30:00|0000-00-00||x", "2|2020-10-25 01:30:00|2020-02-00|a|"];
    assert_eq!(rows(&mut root, "SELECT * FROM d.t"), kept);
    world.stop();
}

#[test]
fn what_depends_on_a_collation_is_computed_again() {
    let world = World::start();
    let mut root = world.root();
    for kind in ["STORED", "VIRTUAL"] {
        let create = format!(
            "CREATE TABLE d.t (id INT PRIMARY KEY, c VARCHAR(10) COLLATE utf8mb4_general_ci, g INT AS (c = 'a') {kind}, KEY (g))"
        );
        all_ok(&mut root, &[&create, "INSERT INTO d.t (id, c) VALUES (1, 'A'), (2, 'a'), (3, 'a ')"]);
        assert_eq!(rows(&mut root, "SELECT id FROM d.t WHERE g = 1 ORDER BY id"), ["1", "2", "3"], "{kind}");
        ok(&mut root, "ALTER TABLE d.t MODIFY c VARCHAR(10) COLLATE utf8mb4_bin");
        assert_eq!(rows(&mut root, "SELECT id FROM d.t WHERE g = 1 ORDER BY id"), ["2", "3"], "{kind}");
        ok(&mut root, "ALTER TABLE d.t CONVERT TO CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_ai_ci");
        assert_eq!(rows(&mut root, "SELECT id FROM d.t WHERE g = 1 ORDER BY id"), ["1", "2"], "{kind}");
        ok(&mut root, "DROP TABLE d.t");
    }
    ok(&mut root, "CREATE TABLE d.t (c VARCHAR(10) COLLATE utf8mb4_bin CHECK (c <> 'a'))");
    ok(&mut root, "INSERT INTO d.t VALUES ('A')");
    let alter = "ALTER TABLE d.t MODIFY c VARCHAR(10) COLLATE utf8mb4_general_ci";
    assert_eq!(root.query(alter).unwrap_err().code(), 3819);
    world.stop();
}
