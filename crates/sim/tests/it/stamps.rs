//! Purpose: the dependency stamps of what SQL statements commit.
//!
//! Requirements: R1. with COMMIT_ORDER, transactions that are committed one after another depend on each other; R2.
//! with WRITESET they do only if they write a row or a unique value in common, whichever image of it; R3. rows
//! without a primary key, DDL, very large transactions and sessions without write sets fall back to commit order, and
//! all but the first hold back everybody later; so do, without that, changes of tables with foreign keys; R4. with WRITESET_SESSION a session's transactions stay in order; R5.
//! the history's size can be changed.
//!
//! Method: statements, one at a time; the stamps are read from the last file, in which they count from 1.

use std::path::Path;
use std::sync::Arc;

use binlog::decode::Event;
use binlog::{BinlogIndex, EventReader};
use sim::{Conn, Options, World};
use vfs::sim::SimDisk;
use vfs::{Open, Vfs};

struct Server {
    disk: Arc<dyn Vfs>,
    world: World,
}

impl Server {
    fn new() -> Self {
        let disk: Arc<dyn Vfs> = Arc::new(SimDisk::new());
        let world = World::open(&disk, &Options::default()).unwrap();
        let mut conn = world.connect();
        conn.ok("CREATE DATABASE d");
        conn.ok("CREATE TABLE d.t (id INT PRIMARY KEY, u INT, v INT, UNIQUE (u), KEY (v))");
        conn.ok("CREATE TABLE d.keyless (a INT)");
        drop(conn);
        Self { disk, world }
    }

    /// A session, and a new binlog file for what follows.
    fn begin(&self, tracking: &str) -> Conn<'_> {
        let mut conn = self.world.connect();
        conn.ok(&format!("SET GLOBAL binlog_transaction_dependency_tracking = {tracking}"));
        conn.ok("FLUSH BINARY LOGS");
        conn
    }

    /// The last file.
    fn last_file(&self) -> EventReader {
        self.world.pipeline.catch_up().unwrap();
        let index = BinlogIndex::open(&*self.disk, Path::new("/data"), "binlog").unwrap();
        let path = index.path_of(index.names().last().unwrap());
        EventReader::open(self.disk.open(&path, Open::Read).unwrap()).unwrap()
    }

    /// The flags of the rows events in the last file.
    fn row_flags(&self) -> Vec<u16> {
        let (mut reader, mut flags) = (self.last_file(), Vec::new());
        while let Some(event) = reader.next_event().unwrap() {
            if let Event::Rows(rows) = event.decode().unwrap() {
                flags.push(rows.flags);
            }
        }
        flags
    }

    /// `last_committed` of the transactions in the last file.
    fn parents(&self) -> Vec<u64> {
        let mut reader = self.last_file();
        let mut parents = Vec::new();
        while let Some(event) = reader.next_event().unwrap() {
            if let Event::Gtid(gtid) = event.decode().unwrap() {
                parents.push(gtid.last_committed);
                assert_eq!(gtid.sequence_number, parents.len() as u64);
            }
        }
        parents
    }
}

const STATEMENTS: [&str; 11] = [
    "INSERT INTO d.t VALUES (1, 10, 7)",
    "INSERT INTO d.t VALUES (2, 20, 7)",
    "UPDATE d.t SET u = 30 WHERE id = 1",
    "INSERT INTO d.t VALUES (3, 10, 7)",
    "DELETE FROM d.t WHERE id = 2",
    "INSERT INTO d.keyless VALUES (1)",
    "INSERT INTO d.t VALUES (4, NULL, 7), (5, NULL, 8)",
    "CREATE TABLE d.x (a INT)",
    "INSERT INTO d.t VALUES (6, NULL, 7)",
    "UPDATE d.t SET id = 9 WHERE id = 6",
    "INSERT INTO d.t VALUES (6, 60, 7)",
];

#[test]
fn writeset_lets_go_ahead_what_has_nothing_in_common() {
    let server = Server::new();
    let mut conn = server.begin("WRITESET");
    for sql in STATEMENTS {
        conn.ok(sql);
    }
    // 3 and 5 follow their row's insert, 4 who gave the value 10 up, 6 and 8 everybody; 8 is a barrier.
    assert_eq!(server.parents(), [0, 0, 1, 3, 2, 5, 0, 7, 8, 9, 10]);
}

#[test]
fn commit_order_keeps_in_order_what_ran_one_after_another() {
    let server = Server::new();
    let mut conn = server.begin("COMMIT_ORDER");
    for sql in STATEMENTS {
        conn.ok(sql);
    }
    assert_eq!(server.parents(), [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
}

#[test]
fn a_sessions_transactions_can_stay_in_order() {
    let server = Server::new();
    let mut conn = server.begin("WRITESET_SESSION");
    let mut other = server.world.connect();
    conn.ok("INSERT INTO d.t VALUES (1, 1, 1)");
    other.ok("INSERT INTO d.t VALUES (2, 2, 1)");
    conn.ok("INSERT INTO d.t VALUES (3, 3, 1)");
    other.ok("UPDATE d.t SET v = 2 WHERE id = 3");
    assert_eq!(server.parents(), [0, 0, 1, 3]);
}

#[test]
fn everybody_waits_for_what_is_too_large_or_unknown() {
    let server = Server::new();
    let mut unknown = server.world.connect();
    unknown.ok("SET transaction_write_set_extraction = OFF");
    let mut conn = server.begin("WRITESET");
    conn.ok("INSERT INTO d.t VALUES (1, 1, 1)");
    unknown.ok("INSERT INTO d.t VALUES (2, 2, 1)");
    conn.ok("INSERT INTO d.t VALUES (3, 3, 1)");
    // Two keys a row.
    let rows: Vec<_> = (10..2500).map(|n| format!("({n}, {n}, 1)")).collect();
    conn.ok(&format!("INSERT INTO d.t VALUES {}", rows.join(", ")));
    conn.ok("INSERT INTO d.t VALUES (4, 4, 1)");
    let rows: Vec<_> = (3000..4900).map(|n| format!("({n}, {n}, 1)")).collect();
    conn.ok(&format!("INSERT INTO d.t VALUES {}", rows.join(", ")));
    conn.ok("INSERT INTO d.t VALUES (5, 5, 1)");
    assert_eq!(server.parents(), [0, 1, 2, 3, 4, 4, 4]);
}

#[test]
fn the_history_can_be_resized() {
    let server = Server::new();
    let mut conn = server.begin("WRITESET");
    conn.ok("INSERT INTO d.t VALUES (1, NULL, 1)");
    conn.ok("SET GLOBAL binlog_transaction_dependency_history_size = 1");
    conn.ok("INSERT INTO d.t VALUES (2, NULL, 1)");
    conn.ok("INSERT INTO d.t VALUES (3, NULL, 1)");
    conn.ok("SET GLOBAL binlog_transaction_dependency_history_size = 25000");
    conn.ok("INSERT INTO d.t VALUES (4, NULL, 1)");
    conn.ok("INSERT INTO d.t VALUES (5, NULL, 1)");
    assert_eq!(server.parents(), [0, 1, 2, 3, 3]);
}

#[test]
fn foreign_keys_keep_parents_and_children_in_order() {
    let server = Server::new();
    let mut conn = server.world.connect();
    conn.ok("CREATE TABLE d.p (id INT PRIMARY KEY, a INT)");
    conn.ok(
        "CREATE TABLE d.c (id INT PRIMARY KEY, p INT, FOREIGN KEY (p) REFERENCES d.p (id) ON DELETE CASCADE)",
    );
    drop(conn);
    let mut conn = server.begin("WRITESET");
    for sql in [
        "INSERT INTO d.t VALUES (1, 10, 7)",
        "INSERT INTO d.p VALUES (1, 1)",
        "INSERT INTO d.c VALUES (1, 1)",
        "INSERT INTO d.t VALUES (2, 20, 7)",
        "UPDATE d.p SET a = 2",
        "DELETE FROM d.p",
    ] {
        conn.ok(sql);
    }
    assert_eq!(server.parents(), [0, 1, 2, 0, 4, 5]);
    let flags = server.row_flags();
    // The children's rows of the last statement come first, unchecked.
    assert_eq!(flags, [0x01, 0x11, 0x11, 0x01, 0x11, 0x12, 0x11]);
}
