//! Purpose: a transaction that keeps too much by its snapshot ends with an error that says so; nobody else notices.
//! Requirements: the error comes at its next read, and the transaction is rolled back; what it wrote can be committed if
//! it reads no more; sessions without a transaction keep nothing.
//! Method: a limit of 1 MiB, and checkpoints until it is passed.

use std::sync::Arc;

use sim::{Answer, Conn, Options, World};
use vfs::Vfs;
use vfs::sim::SimDisk;

const ROWS: usize = 500;

fn world() -> World {
    let disk: Arc<dyn Vfs> = Arc::new(SimDisk::new());
    let world = World::open(&disk, &Options::default()).unwrap();
    let mut conn = world.connect();
    conn.ok("SET GLOBAL onelog_view_retention_limit = 1048576");
    conn.ok("CREATE DATABASE d");
    conn.ok("CREATE TABLE d.t (id INT PRIMARY KEY, n INT, c VARCHAR(200))");
    let rows: Vec<String> = (0..ROWS).map(|id| format!("({id}, 0, REPEAT('x', 200))")).collect();
    conn.ok(&format!("INSERT INTO d.t VALUES {}", rows.join(",")));
    world.checkpoint().unwrap();
    drop(conn);
    world
}

fn in_use(world: &World) -> Conn<'_> {
    let mut conn = world.connect();
    conn.ok("USE d");
    conn
}

/// Changes every row and takes a checkpoint, until old views are given up, or often enough for that.
fn write_until_expired(world: &World) {
    let mut writer = in_use(world);
    for _ in 0..20 {
        writer.ok("UPDATE t SET n = n + 1");
        world.checkpoint().unwrap();
        if status(world, "Onelog_views_expired") > 0 {
            return;
        }
    }
}

fn status(world: &World, name: &str) -> u64 {
    let row = world.connect().rows(&format!("SHOW GLOBAL STATUS LIKE '{name}'")).remove(0);
    row.rsplit('|').next().and_then(|value| value.parse().ok()).unwrap()
}

fn too_old(answer: Answer) -> bool {
    matches!(answer, Answer::Error(1412, message) if message.starts_with("Snapshot too old"))
}

#[test]
fn the_oldest_transaction_ends_with_an_error_at_its_next_read() {
    let world = world();
    let mut old = in_use(&world);
    old.ok("BEGIN");
    old.ok("INSERT INTO t VALUES (1000, 1, 'own')");
    assert_eq!(old.rows("SELECT SUM(n) FROM t WHERE id < 1000"), ["0"]);
    write_until_expired(&world);
    assert_eq!(status(&world, "Onelog_views_expired"), 1);
    assert!(too_old(old.run("SELECT SUM(n) FROM t")));
    // It is rolled back, and the session goes on.
    assert_eq!(old.rows("SELECT COUNT(*), MIN(n) > 1 FROM t"), ["500|1"]);
    old.ok("INSERT INTO t VALUES (1000, 1, 'own')");
    assert_eq!(status(&world, "Onelog_view_retained_bytes"), 0);
}

#[test]
fn who_reads_no_more_commits() {
    let world = world();
    let mut old = in_use(&world);
    old.ok("START TRANSACTION WITH CONSISTENT SNAPSHOT");
    write_until_expired(&world);
    old.ok("INSERT INTO t VALUES (1000, 7, 'own')");
    old.ok("UPDATE t SET n = 8 WHERE id = 1000");
    old.ok("COMMIT");
    assert_eq!(world.connect().rows("SELECT n FROM d.t WHERE id = 1000"), ["8"]);
}

#[test]
fn sessions_between_transactions_keep_nothing() {
    let world = world();
    let mut idle: Vec<Conn<'_>> = (0..20).map(|_| in_use(&world)).collect();
    for conn in &mut idle {
        assert_eq!(conn.rows("SELECT COUNT(*) FROM t"), ["500"]);
        conn.ok("UPDATE t SET c = 'y' WHERE id = 3");
        assert_eq!(conn.rows("SELECT c FROM t WHERE id = 3 FOR UPDATE"), ["y"]);
        conn.ok("BEGIN");
        conn.rows("SELECT COUNT(*) FROM t");
        conn.ok("ROLLBACK");
    }
    // At READ COMMITTED, statements have snapshots and transactions have none.
    let mut committed = in_use(&world);
    committed.ok("SET SESSION transaction_isolation = 'READ-COMMITTED'");
    committed.ok("BEGIN");
    committed.rows("SELECT COUNT(*) FROM t");
    idle.push(committed);
    for _ in 0..2 {
        in_use(&world).ok("UPDATE t SET n = n + 1");
        world.checkpoint().unwrap();
        assert_eq!(status(&world, "Onelog_view_retained_bytes"), 0);
    }
    write_until_expired(&world);
    assert_eq!(status(&world, "Onelog_views_expired"), 0);
    for conn in &mut idle {
        assert_eq!(conn.rows("SELECT COUNT(*) FROM t"), ["500"]);
    }
}
