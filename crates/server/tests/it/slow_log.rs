//! Purpose: the slow query log says what took long.
//!
//! Requirements: R1. A statement that takes `long_query_time` or longer is logged when it is done, to the file and to
//! `mysql.slow_log`, as MySQL does: with its time, its rows, its waits for locks, and its values if it was prepared. R2. What
//! is faster, what has looked at fewer rows than `min_examined_row_limit`, and statements of administration are not. R3.
//! `log_queries_not_using_indexes` adds those that read a whole table. R4. Passwords are not in it.
//!
//! Method: a whole server on a simulated disk, whose log is a real file. What is expected was seen at MySQL 9.7.4.

use std::path::PathBuf;

use crate::whole::{World, ok, rows, send, until};

#[expect(clippy::disallowed_methods, reason = "the log is a file for people")]
fn taken(path: &PathBuf) -> String {
    let text = std::fs::read_to_string(path).unwrap();
    std::fs::remove_file(path).unwrap();
    text
}

#[test]
fn what_takes_long_is_logged_with_its_rows_and_waits() {
    let path = std::env::temp_dir().join(format!("onelog-slow-{}.log", std::process::id()));
    let file = format!("--slow-query-log-file={}", path.display());
    let world = World::start_with(&["--slow-query-log", &file, "--log-output=FILE,TABLE"]);
    let (mut root, mut holder) = (world.root(), world.root());
    ok(&mut root, "CREATE TABLE d.t (id INT PRIMARY KEY)");
    ok(&mut root, "INSERT INTO d.t VALUES (1), (2), (3)");
    ok(&mut root, "USE d");
    ok(&mut root, "SET long_query_time = 0.05, timestamp = 1000000000");
    ok(&mut root, "SELECT * FROM t");
    ok(&mut root, "SELECT id, SLEEP(0.03) FROM t");
    ok(&mut root, "PREPARE s FROM 'SELECT SLEEP(?), ?'");
    ok(&mut root, "SET @time = 0.06, @text = 'x'");
    ok(&mut root, "EXECUTE s USING @time, @text");
    ok(&mut holder, "BEGIN");
    ok(&mut holder, "SELECT * FROM d.t WHERE id = 1 FOR UPDATE");
    send(&mut root, "UPDATE t SET id = 4 WHERE id = 1");
    let waits = "SELECT COUNT(*) FROM performance_schema.data_lock_waits";
    let mut other = world.root();
    until(&mut other, waits, &["1"]);
    ok(&mut other, "DO SLEEP(0.06)");
    ok(&mut holder, "COMMIT");
    root.answer().unwrap();
    let kept = "SELECT user_host, query_time >= 0.05, lock_time >= 0.05, rows_sent, rows_examined, db, sql_text FROM mysql.slow_log";
    let who = "root[root] @ localhost [127.0.0.1]";
    let wanted = [
        format!("{who}|1|0|3|3|d|SELECT id, SLEEP(0.03) FROM t"),
        format!("{who}|1|0|1|0|d|SELECT SLEEP(0.06), 'x'"),
        format!("{who}|1|1|0|1|d|UPDATE t SET id = 4 WHERE id = 1"),
    ];
    assert_eq!(rows(&mut other, kept), wanted);
    ok(&mut other, "TRUNCATE TABLE mysql.slow_log");
    assert_eq!(rows(&mut other, kept), [""; 0]);
    world.stop();
    let text = taken(&path);
    let (_, entries) = text.split_once("Command    Argument\n").unwrap();
    let lines: Vec<&str> = entries.lines().collect();
    assert!(lines[0].starts_with("# Time: 20") && lines[0].ends_with('Z'), "{entries}");
    assert!(lines[1].starts_with("# User@Host: root[root] @ localhost [127.0.0.1]  Id: "), "{entries}");
    assert!(
        lines[2].starts_with("# Query_time: 0.") && lines[2].ends_with(" Rows_sent: 3  Rows_examined: 3"),
        "{entries}"
    );
    assert_eq!(lines[3..6], ["use d;", "SET timestamp=1000000000;", "SELECT id, SLEEP(0.03) FROM t;"]);
    // The database is said once.
    assert_eq!(lines[9..11], ["SET timestamp=1000000000;", "SELECT SLEEP(0.06), 'x';"]);
}

#[test]
fn limits_and_indexes_decide_beside_the_time() {
    let world = World::start_with(&["--slow-query-log", "--log-output=TABLE"]);
    let mut root = world.root();
    ok(&mut root, "CREATE TABLE d.t (id INT PRIMARY KEY, a INT)");
    ok(&mut root, "INSERT INTO d.t VALUES (1, 1), (2, 2), (3, 3)");
    ok(&mut root, "SET GLOBAL log_queries_not_using_indexes = ON");
    ok(&mut root, "SELECT * FROM d.t");
    ok(&mut root, "SELECT * FROM d.t WHERE id = 1");
    ok(&mut root, "SET GLOBAL log_queries_not_using_indexes = OFF");
    ok(&mut root, "SET long_query_time = 0, min_examined_row_limit = 2");
    ok(&mut root, "SELECT 1");
    ok(&mut root, "SELECT id FROM d.t LIMIT 2");
    ok(&mut root, "SET min_examined_row_limit = 0");
    ok(&mut root, "CREATE USER u IDENTIFIED BY 'geheim'");
    ok(&mut root, "ALTER TABLE d.t ADD b INT");
    ok(&mut root, "SET GLOBAL slow_query_log = OFF");
    let wanted = [
        "SELECT * FROM d.t",
        "SELECT id FROM d.t LIMIT 2",
        "SET min_examined_row_limit = 0",
        "CREATE USER u IDENTIFIED BY <secret>",
    ];
    assert_eq!(rows(&mut root, "SELECT sql_text FROM mysql.slow_log"), wanted);
    world.stop();
}
