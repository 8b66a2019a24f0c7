//! What the binlog says of statements that change definitions: where they are run, and which databases they touch.

use crate::whole::{World, ok};

/// Codes of what a QUERY event says beside its text: the databases that it touches, and the session's time zone.
const UPDATED_DBS: u8 = 12;
const TIME_ZONE: u8 = 5;

#[test]
fn a_statement_about_a_database_is_run_in_it_and_without_use() {
    let world = World::start();
    let mut root = world.root();
    ok(&mut root, "USE d");
    let about = ["CREATE DATABASE other", "ALTER DATABASE other COLLATE utf8mb4_bin", "DROP DATABASE other"];
    for sql in about {
        ok(&mut root, sql);
    }
    ok(&mut root, "CREATE TABLE t (a INT)");
    let events = root.query("SHOW BINLOG EVENTS").unwrap().rows;
    let logged: Vec<&str> = events
        .iter()
        .filter(|row| row[2].as_deref() == Some("Query"))
        .filter_map(|row| row[5].as_deref())
        .collect();
    let last = logged.len() - about.len() - 1;
    assert_eq!(logged[last..], [&about[..], &["use `d`; CREATE TABLE t (a INT)"]].concat());
    ok(&mut root, "FLUSH BINARY LOGS");
    let log = world.read("binlog.000001");
    for sql in about {
        // The event's database stands before its statement.
        let text = format!("other\0{sql}");
        assert!(log.windows(text.len()).any(|bytes| bytes == text.as_bytes()), "{sql}");
    }
    world.stop();
}

#[test]
fn each_database_is_named_once() {
    let world = World::start();
    let mut root = world.root();
    ok(&mut root, "CREATE DATABASE a");
    for table in ["d.t", "a.t", "d.u"] {
        ok(&mut root, &format!("CREATE TABLE {table} (a INT)"));
    }
    ok(&mut root, "FLUSH BINARY LOGS");
    ok(&mut root, "RENAME TABLE d.t TO d.v, a.t TO a.v, d.u TO d.w");
    ok(&mut root, "DROP TABLE d.v, d.w");
    // Closes the file.
    ok(&mut root, "FLUSH BINARY LOGS");
    let log = world.read("binlog.000002");
    for names in [&[UPDATED_DBS, 2, b'a', 0, b'd', 0][..], &[UPDATED_DBS, 1, b'd', 0]] {
        assert!(log.windows(names.len()).any(|bytes| bytes == names), "{names:?}");
    }
    world.stop();
}

/// Whether what stands before the first text like this, the status variables of its event, has these bytes.
fn says(world: &World, file: &str, text: &str, bytes: &[u8]) -> bool {
    /// More than all status variables, less than another event beside.
    const BEFORE: usize = 70;
    let log = world.read(file);
    let at = log.windows(text.len()).position(|window| window == text.as_bytes()).unwrap();
    log[at - BEFORE..at].windows(bytes.len()).any(|window| window == bytes)
}

#[test]
fn the_time_zone_is_logged_where_it_matters() {
    let world = World::start();
    let mut root = world.root();
    ok(&mut root, "SET time_zone = '+07:31'");
    let zone = [&[TIME_ZONE, 6][..], b"+07:31"].concat();
    let steps = [
        ("CREATE TABLE d.t (a INT)", false),
        ("CREATE TABLE d.s (a TIMESTAMP NULL)", true),
        ("ALTER TABLE d.s MODIFY a DATETIME", true),
        ("ALTER TABLE d.s ADD b INT", false),
        ("ALTER TABLE d.s ADD c DATETIME DEFAULT NOW()", true),
        ("CREATE TABLE d.o (a DATETIME DEFAULT '2020-01-01 00:00:00')", true),
        ("CREATE VIEW d.v AS SELECT NOW() AS n", false),
        ("DROP TABLE d.t", false),
    ];
    for (place, (sql, matters)) in steps.into_iter().enumerate() {
        ok(&mut root, sql);
        ok(&mut root, "FLUSH BINARY LOGS");
        let file = format!("binlog.{:06}", place + 1);
        let text = sql.split(' ').next().unwrap();
        assert_eq!(says(&world, &file, text, &zone), matters, "{sql}");
    }
    world.stop();
}

#[test]
fn a_definition_with_rows_says_nothing_that_cannot_be_set_in_a_transaction() {
    const EXPLICIT_DEFAULTS: [u8; 2] = [16, 1];
    let world = World::start();
    let mut root = world.root();
    ok(&mut root, "CREATE TABLE d.t (`\u{e4}` INT)");
    ok(&mut root, "INSERT INTO d.t VALUES (1)");
    ok(&mut root, "SET NAMES latin1");
    ok(&mut root, "FLUSH BINARY LOGS");
    ok(&mut root, "CREATE TABLE d.u SELECT * FROM d.t");
    ok(&mut root, "FLUSH BINARY LOGS");
    assert!(!says(&world, "binlog.000002", "CREATE", &EXPLICIT_DEFAULTS));
    // BEGIN is in the client's characters, what the server has written is UTF-8.
    assert!(says(&world, "binlog.000002", "BEGIN", &[4, 8, 0, 8, 0]));
    assert!(says(&world, "binlog.000002", "CREATE", &[4, 45, 0, 45, 0]));
    ok(&mut root, "CREATE TABLE d.w (a INT)");
    ok(&mut root, "FLUSH BINARY LOGS");
    assert!(says(&world, "binlog.000003", "CREATE", &EXPLICIT_DEFAULTS), "the test finds it");
    ok(&mut root, "CREATE TEMPORARY TABLE d.x SELECT * FROM d.t");
    ok(&mut root, "CREATE TABLE d.y LIKE d.x");
    ok(&mut root, "FLUSH BINARY LOGS");
    assert!(says(&world, "binlog.000004", "CREATE", &[4, 45, 0, 8, 0]));
    ok(&mut root, "CREATE TABLE d.z (a INT)");
    ok(&mut root, "FLUSH BINARY LOGS");
    assert!(says(&world, "binlog.000005", "CREATE", &[4, 8, 0, 8, 0]));
    world.stop();
}
