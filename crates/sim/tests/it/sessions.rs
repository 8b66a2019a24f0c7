//! Statements, end to end without a network.

use std::sync::Arc;

use sim::{Answer, Options, World};
use vfs::Vfs;
use vfs::sim::SimDisk;

fn world() -> (Arc<dyn Vfs>, World) {
    let disk: Arc<dyn Vfs> = Arc::new(SimDisk::new());
    let world = World::open(&disk, &Options::default()).unwrap();
    (disk, world)
}

#[test]
fn tables_rows_and_transactions_outlive_the_server() {
    let (disk, world) = world();
    let mut conn = world.connect();
    conn.ok("CREATE DATABASE d");
    conn.ok("USE d");
    conn.ok("CREATE TABLE t (id INT AUTO_INCREMENT PRIMARY KEY, k INT, c VARCHAR(20), KEY (k))");
    assert_eq!(
        conn.run("INSERT INTO t (k, c) VALUES (1, 'a'), (2, 'b')"),
        Answer::Ok(2, 1, "Records: 2  Duplicates: 0  Warnings: 0".into())
    );
    conn.ok("BEGIN");
    conn.ok("UPDATE t SET c = 'x' WHERE k = 2");
    conn.ok("ROLLBACK");
    assert_eq!(conn.rows("SELECT * FROM t ORDER BY id"), ["1|1|a", "2|2|b"]);
    conn.ok("ALTER TABLE t ADD COLUMN e INT DEFAULT 5, ADD INDEX (c)");
    conn.ok("UPDATE t SET e = 6 WHERE c = 'b'");
    conn.ok("CREATE TABLE u LIKE t");
    conn.ok("TRUNCATE TABLE u");
    drop(conn);
    drop(world);
    let world = World::open(&disk, &Options::default()).unwrap();
    let mut conn = world.connect();
    assert_eq!(conn.rows("SELECT id, k, c, e FROM d.t ORDER BY id"), ["1|1|a|5", "2|2|b|6"]);
    assert_eq!(conn.run("INSERT INTO d.t (k) VALUES (3)"), Answer::Ok(1, 3, String::new()));
    conn.ok("DROP DATABASE d");
    assert!(matches!(conn.run("SELECT * FROM d.t"), Answer::Error(1146 | 1049, _)));
}

#[test]
fn statements_without_a_plan_keep_their_literals() {
    let (_disk, world) = world();
    let mut conn = world.connect();
    conn.ok("SET GLOBAL binlog_cache_size = 8192");
    conn.ok("SET @a = 'x', @b = 2 + 3");
    assert_eq!(conn.rows("SELECT @a, @b"), ["x|5"]);
}

#[test]
fn read_committed_lets_go_of_what_is_not_meant() {
    let disk: Arc<dyn Vfs> = Arc::new(SimDisk::new());
    let world = World::open(&disk, &Options::default()).unwrap();
    let (mut one, mut other) = (world.connect(), world.connect());
    one.ok("CREATE DATABASE d");
    one.ok("CREATE TABLE d.t (id INT PRIMARY KEY, a INT)");
    one.ok("INSERT INTO d.t VALUES (1, 1)");
    one.ok("SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED");
    one.ok("BEGIN");
    one.ok("UPDATE d.t SET a = 2 WHERE id = 1 AND a = 7");
    one.ok("DELETE FROM d.t WHERE id = 5");
    // Either would wait for ever if the row were still locked.
    other.ok("UPDATE d.t SET a = 3 WHERE id = 1");
    other.ok("INSERT INTO d.t VALUES (5, 5)");
    one.ok("UPDATE d.t SET a = a + 1 WHERE id = 1");
    one.ok("UPDATE d.t SET a = 9 WHERE id = 1 AND a = 7");
    one.ok("COMMIT");
    assert_eq!(other.rows("SELECT * FROM d.t"), ["1|4", "5|5"]);
}
