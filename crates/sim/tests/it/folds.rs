//! Purpose: a redo record that carries events has a row little more than once, and nothing is missing from what recovery makes
//! of it.
//!
//! Requirements: R1. a row that is inserted, or whose small column is updated, takes one block of redo, not two or three;
//! R2. tables and binlog come back from redo as they were.
//!
//! Method: rows of three quarters of a block; statements of all kinds, of one row and several; a power loss that drops what was
//! not synced, so that the binlog file is made of redo again.

use std::sync::Arc;

use sim::{Conn, Options, World};
use vfs::Vfs;
use vfs::sim::{CrashMode, Replay, SimDisk};

const BLOCK: u64 = 4096;
/// The second file is begun without checksums.
const SHOW: [&str; 2] = ["SHOW BINLOG EVENTS IN 'binlog.000001'", "SHOW BINLOG EVENTS IN 'binlog.000002'"];

/// Bytes of redo that a statement takes.
fn redo_of(conn: &mut Conn<'_>, sql: &str) -> u64 {
    let written = |conn: &mut Conn<'_>| {
        let rows = conn.rows("SHOW GLOBAL STATUS LIKE 'Innodb_os_log_written'");
        rows[0].split_once('|').unwrap().1.parse::<u64>().unwrap()
    };
    let before = written(conn);
    conn.ok(sql);
    written(conn) - before
}

#[test]
fn a_row_is_in_redo_once_and_comes_back_whole() {
    let disk = SimDisk::new();
    let vfs: Arc<dyn Vfs> = Arc::new(disk.clone());
    disk.start_journal();
    let world = World::open(&vfs, &Options::default()).unwrap();
    let mut conn = world.connect();
    conn.ok("CREATE DATABASE d");
    conn.ok("CREATE TABLE d.t (id INT PRIMARY KEY, n INT, c VARCHAR(9000), k INT, KEY (k))");
    assert_eq!(redo_of(&mut conn, "INSERT INTO d.t VALUES (1, 1, REPEAT('a', 3000), 1)"), BLOCK);
    assert_eq!(redo_of(&mut conn, "UPDATE d.t SET n = n + 1 WHERE id = 1"), BLOCK);
    assert_eq!(redo_of(&mut conn, "UPDATE d.t SET k = k + 1 WHERE id = 1"), BLOCK);
    let three = "INSERT INTO d.t VALUES (2, 2, REPEAT('b', 3000), 1), (3, 3, REPEAT('c', 3000), 1), (4, 4, REPEAT('d', 3000), 1)";
    assert_eq!(redo_of(&mut conn, three), 3 * BLOCK);
    assert_eq!(redo_of(&mut conn, "UPDATE d.t SET n = n + 1 WHERE id > 1"), 3 * BLOCK);
    for sql in [
        "UPDATE d.t SET c = CONCAT(c, id, c) WHERE id < 3",
        "UPDATE d.t SET c = NULL, k = NULL WHERE id = 4",
        "UPDATE d.t SET id = id + 100, c = MD5(id)",
        "INSERT INTO d.t SELECT id + 7, n, c, k FROM d.t",
        "REPLACE INTO d.t VALUES (101, 9, REPEAT('z', 4000), 1), (1, 9, NULL, NULL)",
        "DELETE FROM d.t WHERE n = 3",
        "SET binlog_row_image = MINIMAL",
        "UPDATE d.t SET k = 5",
        "SET binlog_row_image = FULL, GLOBAL binlog_checksum = NONE",
        "UPDATE d.t SET k = 6",
    ] {
        conn.ok(sql);
    }
    let (rows, shown) = (world.dump().unwrap(), SHOW.map(|sql| conn.rows(sql)));
    assert!(shown[0].len() > 40 && shown[1].len() > 5);
    drop(conn);
    drop(world);
    let journal = disk.stop_journal().unwrap();
    let mut replay = Replay::new(&journal);
    let last = journal.last_op();
    replay.seek(last);
    for mode in [CrashMode::KeepAll, CrashMode::DropAll] {
        let vfs: Arc<dyn Vfs> = Arc::new(replay.crash(mode, last));
        let world = World::open(&vfs, &Options::default()).unwrap();
        let rebuilt = world.connect().rows("SHOW GLOBAL STATUS LIKE 'Onelog_recovery_binlog_bytes_rebuilt'");
        let is_rebuilt = rebuilt != ["Onelog_recovery_binlog_bytes_rebuilt|0"];
        assert_eq!(is_rebuilt, mode == CrashMode::DropAll, "{mode:?}: {rebuilt:?}");
        assert_eq!(world.dump().unwrap(), rows, "{mode:?}");
        for (sql, shown) in SHOW.into_iter().zip(&shown) {
            assert!(world.connect().rows(sql).starts_with(shown), "{mode:?}, {sql}");
        }
    }
}
