//! Purpose: at relaxed settings a power loss takes statements away, never rows of tables that it leaves.
//!
//! Requirements: R1. ids under which an index was built are not used again, so no table finds another's rows; R2. what an
//! earlier run has left is removed only if the catalog lacks it durably.
//!
//! Method: a power loss after each disk operation of a statement; then what is there is looked at with SQL.

use std::sync::Arc;

use sim::{Options, World};
use vfs::Vfs;
use vfs::sim::{CrashMode, Replay, SimDisk};

const ROWS: usize = 40;

/// A disk with a table `d.t` in its base, whose server has ended.
fn disk() -> (SimDisk, Arc<dyn Vfs>) {
    let disk = SimDisk::new();
    let vfs: Arc<dyn Vfs> = Arc::new(disk.clone());
    let world = open(&vfs);
    let mut conn = world.connect();
    conn.ok("CREATE DATABASE d");
    conn.ok("CREATE TABLE d.t (id INT PRIMARY KEY, a INT)");
    let rows: Vec<String> = (0..ROWS).map(|id| format!("({id}, {id})")).collect();
    conn.ok(&format!("INSERT INTO d.t VALUES {}", rows.join(", ")));
    drop(conn);
    world.checkpoint().unwrap();
    (disk, vfs)
}

fn open(vfs: &Arc<dyn Vfs>) -> World {
    World::open(vfs, &Options::default()).unwrap()
}

fn relax(world: &World) {
    world.connect().ok("SET GLOBAL innodb_flush_log_at_trx_commit = 0");
}

#[test]
fn a_build_that_is_lost_leaves_nothing_to_another_table() {
    for statement in ["ALTER TABLE d.t ADD COLUMN b INT DEFAULT 7", "CREATE INDEX i ON d.t (a)"] {
        let (disk, vfs) = disk();
        disk.start_journal();
        let world = open(&vfs);
        relax(&world);
        world.connect().ok(statement);
        drop(world);
        let journal = disk.stop_journal().unwrap();
        let mut replay = Replay::new(&journal);
        for op in journal.first_op()..=journal.last_op() {
            replay.seek(op);
            let vfs: Arc<dyn Vfs> = Arc::new(replay.crash(CrashMode::DropAll, op));
            let world = open(&vfs);
            let mut conn = world.connect();
            conn.ok("CREATE TABLE d.other (id INT PRIMARY KEY, s VARCHAR(9), KEY (s))");
            for select in ["SELECT * FROM d.other", "SELECT s FROM d.other WHERE s > ''"] {
                assert_eq!(conn.rows(select), [""; 0], "{statement}: power lost after operation {op}");
            }
            conn.ok(statement.replace("ADD COLUMN b", "ADD COLUMN c").replace("INDEX i", "INDEX j").as_str());
            assert_eq!(conn.rows("SELECT a FROM d.t").len(), ROWS, "{statement}: operation {op}");
        }
    }
}

#[test]
fn rows_stay_until_their_table_is_dropped_durably() {
    for statement in ["DROP TABLE d.t", "TRUNCATE TABLE d.t"] {
        let (disk, vfs) = disk();
        let world = open(&vfs);
        relax(&world);
        let before = world.catalog();
        world.connect().ok(statement);
        world.collect_garbage(&before).unwrap();
        let vfs: Arc<dyn Vfs> = Arc::new(disk.crash(CrashMode::DropAll, 1));
        let world = open(&vfs);
        assert_eq!(world.connect().rows("SELECT a FROM d.t").len(), ROWS, "{statement}");
    }
}
