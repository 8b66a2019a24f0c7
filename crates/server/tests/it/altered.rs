//! Purpose: ALTER TABLE changes the values that its new definition changes, and no others.
//!
//! Requirements: R1. NOT NULL leaves values as they are stored, whatever the session's time zone and mode make of them.
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
