//! What the binlog says of statements that change definitions: where they are run, and which databases they touch.

use crate::whole::{World, ok};

/// Code and count of a QUERY event's list of databases.
const UPDATED_DBS: u8 = 12;

#[test]
fn a_statement_about_a_database_is_run_in_it_and_without_use() {
    let world = World::start();
    let mut root = world.root();
    ok(&mut root, "USE d");
    let about = ["CREATE DATABASE other", "ALTER DATABASE other COLLATE utf8mb4_bin", "DROP DATABASE other"];
    about.iter().for_each(|sql| ok(&mut root, sql));
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
