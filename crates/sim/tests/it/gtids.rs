//! Purpose: what a session says of the binlog of its own transactions: `gtid_next`, `binlog_row_image`,
//! `binlog_rows_query_log_events`, `sql_log_bin`; and what it is told of GTIDs.
//!
//! Requirements: R1. a transaction gets the GTID that was asked for, once, and an empty one is logged; R2. one whose GTID
//! was executed is passed over; R3. row images hold what a replica needs and no more; R4. statements are logged before
//! their rows where that is asked for; R5. functions and variables tell what was executed and what was purged; R6. a
//! snapshot knows its place.
//!
//! Method: statements; the events are read from the files.

use std::path::Path;
use std::sync::Arc;

use binlog::decode::Event;
use binlog::{BinlogIndex, EventReader};
use sim::{Answer, Conn, Options, World};
use vfs::sim::SimDisk;
use vfs::{Open, Vfs};

const OTHER: &str = "3e11fa47-71ca-11e1-9e33-c80aa9429562";

fn world() -> (Arc<dyn Vfs>, World) {
    let disk: Arc<dyn Vfs> = Arc::new(SimDisk::new());
    let world = World::open(&disk, &Options { gtid: true, ..Options::default() }).unwrap();
    let mut conn = world.connect();
    conn.ok("SET GLOBAL enforce_gtid_consistency = ON");
    for mode in ["OFF_PERMISSIVE", "ON_PERMISSIVE", "ON"] {
        conn.ok(&format!("SET GLOBAL gtid_mode = {mode}"));
    }
    conn.ok("CREATE DATABASE d");
    conn.ok("CREATE TABLE d.t (id INT PRIMARY KEY, a INT, b TEXT)");
    conn.ok("CREATE TABLE d.keyless (a INT, b TEXT)");
    conn.ok("CREATE TABLE d.promoted (a INT, b TEXT, u INT NOT NULL, UNIQUE KEY (a), UNIQUE KEY (u))");
    drop(conn);
    (disk, world)
}

/// The events of the last file, by name; rows with the bits of their columns.
fn events(disk: &Arc<dyn Vfs>, world: &World) -> Vec<String> {
    world.pipeline.catch_up().unwrap();
    let index = BinlogIndex::open(&**disk, Path::new("/data"), "binlog").unwrap();
    let path = index.path_of(index.names().last().unwrap());
    let mut reader = EventReader::open(disk.open(&path, Open::Read).unwrap()).unwrap();
    let mut found = Vec::new();
    while let Some(event) = reader.next_event().unwrap() {
        found.push(match event.decode().unwrap() {
            Event::Gtid(gtid) => format!("gtid {}", gtid.gtid.unwrap()),
            Event::Query(query) => format!("query {}", String::from_utf8_lossy(query.sql)),
            Event::RowsQuery(query) => format!("rows of {}", String::from_utf8_lossy(query.sql)),
            Event::Rows(rows) => format!("{:?} {:?} {:?}", rows.kind, rows.present, rows.present_after),
            Event::Xid(_) => "xid".to_owned(),
            _ => continue,
        });
    }
    found
}

fn code(answer: Answer) -> u16 {
    match answer {
        Answer::Error(code, _) => code,
        other => panic!("no error: {other:?}"),
    }
}

fn executed(conn: &mut Conn<'_>) -> String {
    conn.rows("SELECT @@GLOBAL.gtid_executed").remove(0)
}

#[test]
fn a_transaction_has_the_gtid_that_was_asked_for_once() {
    let (disk, world) = world();
    let mut conn = world.connect();
    conn.ok("FLUSH BINARY LOGS");
    conn.ok(&format!("SET gtid_next = '{OTHER}:5'"));
    conn.run("INSERT INTO d.t VALUES (1, 1, 'x')");
    assert_eq!(code(conn.run("INSERT INTO d.t VALUES (2, 1, 'x')")), 1837);
    assert_eq!(code(conn.run("CREATE TABLE d.other (a INT)")), 1837);
    conn.ok(&format!("SET gtid_next = '{OTHER}:7'"));
    conn.ok("BEGIN");
    assert_eq!(code(conn.run("SET gtid_next = AUTOMATIC")), 1790);
    assert_eq!(code(conn.run("CREATE TABLE d.other (a INT)")), 1778, "one GTID is not for two transactions");
    assert_eq!(code(conn.run("BEGIN")), 1778);
    conn.ok("COMMIT");
    let found = events(&disk, &world);
    let empty = [format!("gtid {OTHER}:7"), "query BEGIN".to_owned(), "query COMMIT".to_owned()];
    assert_eq!(found[0], format!("gtid {OTHER}:5"));
    assert_eq!(found[found.len() - 3..], empty);
    conn.ok(&format!("SET gtid_next = '{OTHER}:5'"));
    conn.run("INSERT INTO d.t VALUES (3, 1, 'passed over')");
    conn.ok("COMMIT");
    conn.ok("SET gtid_next = AUTOMATIC");
    assert_eq!(conn.rows("SELECT id FROM d.t"), ["1"]);
    conn.run("INSERT INTO d.t VALUES (4, 1, 'own')");
    assert!(executed(&mut conn).contains(&format!("{OTHER}:5:7")));
}

#[test]
fn automatic_numbers_pass_over_what_sessions_have_taken() {
    let (disk, world) = world();
    let (mut conn, mut other) = (world.connect(), world.connect());
    conn.ok("FLUSH BINARY LOGS");
    let so_far = executed(&mut conn);
    let (own, numbers) = so_far.split_once(':').unwrap();
    let last: u64 = numbers.rsplit('-').next().unwrap().parse().unwrap();
    for taken in [last + 1, last + 3] {
        let mut conn = world.connect();
        conn.ok(&format!("SET gtid_next = '{own}:{taken}'"));
        other.run(&format!("INSERT INTO d.t VALUES ({taken}, 1, 'automatic')"));
        conn.run(&format!("INSERT INTO d.t VALUES (100 + {taken}, 1, 'taken')"));
        conn.ok("SET gtid_next = AUTOMATIC");
    }
    let found =
        events(&disk, &world).into_iter().filter_map(|event| Some(event.strip_prefix("gtid ")?.to_owned()));
    let expected = [2, 1, 4, 3].map(|gno| format!("{own}:{}", last + gno));
    assert_eq!(found.collect::<Vec<_>>(), expected);
}

#[test]
fn a_rollback_gives_the_gtid_back() {
    let (_disk, world) = world();
    let mut conn = world.connect();
    conn.ok(&format!("SET gtid_next = '{OTHER}:5'"));
    conn.ok("BEGIN");
    conn.run("INSERT INTO d.t VALUES (1, 1, 'x')");
    conn.ok("ROLLBACK");
    assert_eq!(code(conn.run("DELETE FROM d.t")), 1837);
    let mut other = world.connect();
    other.ok(&format!("SET gtid_next = '{OTHER}:5'"));
    other.ok("COMMIT");
    assert!(executed(&mut other).contains(OTHER));
}

#[test]
fn row_images_hold_what_was_asked_for() {
    let (disk, world) = world();
    let mut conn = world.connect();
    conn.run("INSERT INTO d.t VALUES (1, 1, 'x'), (2, 2, NULL)");
    conn.run("INSERT INTO d.keyless VALUES (1, 'x')");
    let mut images = |image: &str| {
        conn.ok("FLUSH BINARY LOGS");
        conn.ok(&format!("SET binlog_row_image = {image}"));
        conn.run("UPDATE d.t SET a = a + 10 WHERE id = 1");
        conn.run("UPDATE d.t SET b = CONCAT(COALESCE(b, ''), 'y')");
        conn.run("UPDATE d.keyless SET a = a + 1");
        conn.run("DELETE FROM d.t WHERE id = 2");
        conn.run("INSERT INTO d.t VALUES (2, 2, NULL)");
        let mut found = events(&disk, &world);
        found.retain(|event| event.contains('['));
        found
    };
    let expected = |bits: [(&str, u8, u8); 5]| {
        bits.map(|(kind, before, after)| {
            if kind == "Update" {
                format!("{kind} [{before}] [{after}]")
            } else {
                format!("{kind} [{before}] []")
            }
        })
    };
    let all = 0xFF;
    assert_eq!(
        images("FULL"),
        expected([
            ("Update", all, all),
            ("Update", all, all),
            ("Update", all, all),
            ("Delete", all, 0),
            ("Write", all, 0)
        ])
    );
    assert_eq!(
        images("MINIMAL"),
        expected([("Update", 1, 2), ("Update", 1, 4), ("Update", 3, 1), ("Delete", 1, 0), ("Write", all, 0)])
    );
    assert_eq!(
        images("NOBLOB"),
        expected([("Update", 3, 3), ("Update", 3, 7), ("Update", 3, 1), ("Delete", 3, 0), ("Write", all, 0)])
    );
}

#[test]
fn a_unique_key_without_nulls_stands_for_the_primary_key() {
    let (disk, world) = world();
    let mut conn = world.connect();
    conn.run("INSERT INTO d.promoted VALUES (1, 'x', 5)");
    conn.ok("FLUSH BINARY LOGS");
    conn.ok("SET binlog_row_image = MINIMAL");
    conn.run("UPDATE d.promoted SET b = 'y'");
    conn.run("DELETE FROM d.promoted");
    let mut found = events(&disk, &world);
    found.retain(|event| event.contains('['));
    assert_eq!(found, ["Update [4] [2]", "Delete [4] []"]);
}

#[test]
fn statements_stand_before_their_rows_and_can_be_kept_out() {
    let (disk, world) = world();
    let mut conn = world.connect();
    conn.ok("FLUSH BINARY LOGS");
    conn.ok("SET binlog_rows_query_log_events = ON");
    conn.run("INSERT INTO d.t VALUES (1, 1, 'x')");
    conn.ok("SET sql_log_bin = 0");
    conn.run("INSERT INTO d.t VALUES (2, 1, 'x')");
    let found = events(&disk, &world);
    assert!(found.contains(&"rows of INSERT INTO d.t VALUES (1, 1, 'x')".to_owned()), "{found:?}");
    assert_eq!(found.iter().filter(|event| *event == "xid").count(), 1);
}

#[test]
fn sets_are_compared_and_what_was_purged_is_known() {
    let (_disk, world) = world();
    let mut conn = world.connect();
    let one = |conn: &mut Conn<'_>, call: &str| conn.rows(&format!("SELECT {call}")).remove(0);
    assert_eq!(one(&mut conn, &format!("gtid_subset('{OTHER}:2-3', '{OTHER}:1-5')")), "1");
    assert_eq!(one(&mut conn, &format!("gtid_subset('{OTHER}:2-6', '{OTHER}:1-5')")), "0");
    assert_eq!(
        one(&mut conn, &format!("gtid_subtract('{OTHER}:1-5', '{OTHER}:2-3')")),
        format!("{OTHER}:1:4-5")
    );
    assert_eq!(one(&mut conn, "gtid_subset(NULL, '')"), "NULL");
    assert_eq!(code(conn.run("SELECT gtid_subset('x', '')")), 1772);
    let before = executed(&mut conn);
    conn.ok("FLUSH BINARY LOGS");
    assert_eq!(one(&mut conn, "@@GLOBAL.gtid_purged"), "");
    let last = conn.rows("SHOW MASTER STATUS").remove(0);
    conn.ok(&format!("PURGE BINARY LOGS TO '{}'", last.split('|').next().unwrap()));
    assert_eq!(one(&mut conn, "@@GLOBAL.gtid_purged"), before);
}

#[test]
fn a_snapshot_knows_its_place() {
    let (_disk, world) = world();
    let mut conn = world.connect();
    conn.ok("START TRANSACTION WITH CONSISTENT SNAPSHOT");
    let before = executed(&mut conn);
    let place = conn.rows("SHOW MASTER STATUS").remove(0);
    let mut other = world.connect();
    other.run("INSERT INTO d.t VALUES (1, 1, 'x')");
    let shown = |conn: &mut Conn<'_>, name: &str| {
        let row = conn.rows(&format!("SHOW STATUS LIKE '{name}'")).remove(0);
        row.split_once('|').unwrap().1.to_owned()
    };
    assert_eq!(shown(&mut conn, "Onelog_snapshot_gtid_executed"), before);
    let (file, position) =
        (shown(&mut conn, "Binlog_snapshot_file"), shown(&mut conn, "Binlog_snapshot_position"));
    assert!(place.starts_with(&format!("{file}|{position}|")), "{place}");
    conn.ok("COMMIT");
    assert_ne!(shown(&mut conn, "Binlog_snapshot_position"), position);
}
