//! CREATE TABLE .. SELECT: what it makes, and that a table and its first rows come together or not at all.

use engine::ids::CounterKind;

use crate::client::Client;
use crate::waits::value;
use crate::whole::{World, answers_as_recorded, ok, send};

#[test]
fn definitions_rows_and_errors_are_mysqls() {
    answers_as_recorded(include_str!("../data/create_select-9.7.4.txt"), 100);
}

#[test]
fn a_primary_key_is_required_as_in_mysql() {
    answers_as_recorded(include_str!("../data/primary_key-9.7.4.txt"), 40);
}

#[test]
fn new_numbers_are_mysqls() {
    answers_as_recorded(include_str!("../data/numbered-9.7.4.txt"), 300);
}

#[test]
fn the_binlog_has_one_transaction() {
    let world = World::start();
    let mut root = world.root();
    ok(&mut root, "CREATE TABLE d.b (id INT PRIMARY KEY, s VARCHAR(9))");
    ok(&mut root, "INSERT INTO d.b VALUES (1, 'a'), (2, 'b')");
    for (sql, rows) in
        [("CREATE TABLE d.t SELECT * FROM d.b", true), ("CREATE TABLE d.e SELECT 1 FROM d.b WHERE 0", false)]
    {
        ok(&mut root, "FLUSH BINARY LOGS");
        ok(&mut root, sql);
        let file = root.query("SHOW BINARY LOG STATUS").unwrap().rows[0][0].clone().unwrap();
        let events = root.query(&format!("SHOW BINLOG EVENTS IN '{file}'")).unwrap().rows;
        let kinds: Vec<&str> = events.iter().skip(2).map(|row| row[2].as_deref().unwrap()).collect();
        let expected: &[&str] = if rows {
            &["Gtid", "Query", "Query", "Table_map", "Write_rows", "Xid"]
        } else {
            &["Gtid", "Query", "Query", "Xid"]
        };
        assert_eq!(kinds, expected, "{sql}");
        let create = events[4][5].as_deref().unwrap();
        assert!(
            create.contains("CREATE TABLE `d`.`") && create.ends_with("/*!80021 START TRANSACTION */"),
            "{create}"
        );
    }
    world.stop();
}

#[test]
fn the_binlog_has_its_text_if_that_is_asked_for() {
    let world = World::start();
    let mut root = world.root();
    ok(&mut root, "SET binlog_rows_query_log_events = ON");
    ok(&mut root, "CREATE TABLE d.b (id INT PRIMARY KEY)");
    ok(&mut root, "INSERT INTO d.b VALUES (1)");
    ok(&mut root, "FLUSH BINARY LOGS");
    ok(&mut root, "CREATE TABLE d.t SELECT * FROM d.b");
    let file = root.query("SHOW BINARY LOG STATUS").unwrap().rows[0][0].clone().unwrap();
    let events = root.query(&format!("SHOW BINLOG EVENTS IN '{file}'")).unwrap().rows;
    let text = events.iter().find(|row| row[2].as_deref() == Some("Rows_query")).unwrap();
    assert_eq!(text[5].as_deref(), Some("# CREATE TABLE d.t SELECT * FROM d.b"));
    world.stop();
}

#[test]
fn rows_and_counters_are_there_after_a_restart() {
    let world = World::start();
    let mut root = world.root();
    ok(&mut root, "CREATE TABLE d.b (s VARCHAR(9))");
    ok(&mut root, "INSERT INTO d.b VALUES ('a'), ('b')");
    ok(&mut root, "CREATE TABLE d.t (id INT AUTO_INCREMENT PRIMARY KEY, UNIQUE (s)) SELECT s FROM d.b");
    ok(&mut root, "CREATE TABLE d.keyless SELECT s FROM d.b");
    let world = world.restart();
    let mut root = world.root();
    ok(&mut root, "INSERT INTO d.t (s) VALUES ('c')");
    ok(&mut root, "INSERT INTO d.keyless VALUES ('c')");
    assert_eq!(root.query("INSERT INTO d.t (s) VALUES ('a')").unwrap_err().code(), 1062);
    // Values were reserved for three rows, as in MySQL.
    let rows = root.query("SELECT GROUP_CONCAT(id, s ORDER BY id) FROM d.t").unwrap().rows;
    assert_eq!(rows[0][0].as_deref(), Some("1a,2b,4c"));
    let rows = root.query("SELECT GROUP_CONCAT(s ORDER BY s) FROM d.keyless").unwrap().rows;
    assert_eq!(rows[0][0].as_deref(), Some("a,b,c"));
    world.stop();
}

#[test]
fn one_that_fails_leaves_nothing() {
    let world = World::start();
    let mut root = world.root();
    ok(&mut root, "CREATE TABLE d.b (id INT PRIMARY KEY)");
    ok(&mut root, "INSERT INTO d.b VALUES (1), (2)");
    let before = root.query("SHOW BINARY LOG STATUS").unwrap().rows;
    let failing = "CREATE TABLE d.t (one INT PRIMARY KEY) SELECT 1 AS one FROM d.b";
    assert_eq!(root.query(failing).unwrap_err().code(), 1062);
    assert_eq!(root.query("SHOW BINARY LOG STATUS").unwrap().rows, before);
    assert_eq!(root.query("SELECT * FROM d.t").unwrap_err().code(), 1146);
    // The name is free, and so is what was read.
    ok(&mut root, "CREATE TABLE d.t SELECT id FROM d.b");
    ok(&mut root, "DROP TABLE d.b");
    assert_eq!(root.query("SELECT * FROM d.t").unwrap().rows.len(), 2);
    world.stop();
}

#[test]
fn nobody_sees_it_before_its_rows_are_there() {
    let world = World::start();
    let (mut root, mut third) = (world.root(), world.root());
    ok(&mut root, "CREATE TABLE d.b (id INT PRIMARY KEY)");
    ok(&mut root, "INSERT INTO d.b VALUES (1), (2)");
    ok(&mut third, "DO GET_LOCK('rows', 0)");
    send(&mut root, "CREATE TABLE d.t SELECT id, GET_LOCK('rows', 1000) AS l FROM d.b");
    let waits = "SELECT COUNT(*) FROM information_schema.processlist WHERE state = 'User lock'";
    crate::whole::until(&mut third, waits, &["1"]);
    let tables = "SELECT COUNT(*) FROM information_schema.tables WHERE table_name = 't'";
    assert_eq!(third.query(tables).unwrap().rows[0][0].as_deref(), Some("0"));
    ok(&mut third, "SET lock_wait_timeout = 1");
    assert_eq!(third.query("DROP TABLE d.b").unwrap_err().code(), 1205);
    assert_eq!(third.query("CREATE TABLE d.t (a INT)").unwrap_err().code(), 1205);
    ok(&mut third, "DO RELEASE_LOCK('rows')");
    root.answer().unwrap();
    let rows = third.query("SELECT GROUP_CONCAT(id ORDER BY id) FROM d.t").unwrap().rows;
    assert_eq!(rows[0][0].as_deref(), Some("1,2"));
    world.stop();
}

#[test]
fn who_may_not_create_or_read_does_not() {
    let world = World::start();
    let (mut root, mut nobody) = (world.root(), world.client("nobody"));
    ok(&mut root, "CREATE TABLE d.b (id INT)");
    ok(&mut root, "GRANT SELECT ON d.b TO nobody@'%'");
    assert_eq!(nobody.query("CREATE TABLE d.t SELECT * FROM d.b").unwrap_err().code(), 1142);
    ok(&mut root, "GRANT CREATE ON d.t TO nobody@'%'");
    assert_eq!(nobody.query("CREATE TABLE d.t SELECT * FROM d.b").unwrap_err().code(), 1142);
    ok(&mut root, "GRANT CREATE, INSERT ON d.t TO nobody@'%'");
    ok(&mut nobody, "CREATE TABLE d.t SELECT * FROM d.b");
    ok(&mut root, "CREATE TABLE d.secret (id INT)");
    ok(&mut root, "GRANT CREATE, INSERT ON d.u TO nobody@'%'");
    assert_eq!(nobody.query("CREATE TABLE d.u SELECT * FROM d.secret").unwrap_err().code(), 1142);
    world.stop();
}

#[test]
fn an_old_snapshot_does_not_know_it() {
    let world = World::start();
    let (mut root, mut other) = (world.root(), world.root());
    ok(&mut root, "START TRANSACTION WITH CONSISTENT SNAPSHOT");
    ok(&mut other, "CREATE TABLE d.t SELECT 1 AS a");
    assert_eq!(root.query("SELECT * FROM d.t").unwrap_err().code(), 1412);
    ok(&mut root, "COMMIT");
    assert_eq!(root.query("SELECT * FROM d.t").unwrap().rows.len(), 1);
    world.stop();
}

/// A reader of the binlog may ask for the columns of a table a moment before the catalog has it.
#[test]
fn who_asks_for_a_table_that_is_on_its_way_waits_for_it() {
    let world = World::start();
    let (mut root, mut other, mut third) = (world.root(), world.root(), world.root());
    ok(&mut root, "CREATE TABLE d.t (a INT)");
    for (sql, columns) in
        [("SHOW FULL COLUMNS FROM d.late", 9), ("SELECT * FROM d.late", 1), ("SHOW COLUMNS FROM d.t", 6)]
    {
        let on_its_way = world.shared().schema.unpublished.begin();
        send(&mut other, sql);
        // What does not wait is over after so many looks, and has not found the table.
        let runs = "SELECT COUNT(*) FROM information_schema.processlist WHERE info LIKE 'S%d._%' AND id <> connection_id()";
        (0..2000).find(|_| value(&mut third, runs).as_deref() == Some("1"));
        ok(&mut root, "CREATE TABLE d.late SELECT 1 AS a");
        ok(&mut root, "ALTER TABLE d.t ADD COLUMN b INT");
        drop(on_its_way);
        let answer = other.answer().unwrap_or_else(|failure| panic!("{sql}: {failure:?}"));
        assert_eq!(answer.columns.len(), columns, "{sql}");
        if sql.ends_with("d.t") {
            assert_eq!(answer.rows.len(), 2, "with the column that has come");
        }
        ok(&mut root, "DROP TABLE d.late");
        ok(&mut root, "ALTER TABLE d.t DROP COLUMN b");
    }
    // Nobody waits where nothing is on its way.
    assert_eq!(other.query("SELECT * FROM d.late").unwrap_err().code(), 1146);
    world.stop();
}

/// It is committed, visible and below the next checkpoint, and its session still waits for a replica's acknowledgement.
#[test]
fn a_checkpoint_knows_the_counters_of_a_table_that_is_on_its_way() {
    let world = World::start();
    let (mut root, mut other) = (world.root(), world.root());
    for setting in ["wait_point = 'AFTER_COMMIT'", "timeout = 100000", "enabled = ON"] {
        ok(&mut root, &format!("SET GLOBAL rpl_semi_sync_source_{setting}"));
    }
    let has_counter = || {
        let counters = world.shared().store.counters();
        counters.iter().any(|counter| counter.kind == CounterKind::RowId && counter.high == 3)
    };
    assert!(!has_counter());
    send(&mut other, "CREATE TABLE d.late SELECT 1 AS a UNION SELECT 2 UNION SELECT 3");
    let waits = |root: &mut Client| {
        let status = "SHOW STATUS LIKE 'Rpl_semi_sync_source_wait_sessions'";
        root.query(status).unwrap().rows[0][1].as_deref() == Some("1")
    };
    while !waits(&mut root) {}
    assert!(has_counter(), "the catalog does not have it yet");
    ok(&mut root, "SET GLOBAL rpl_semi_sync_source_enabled = OFF");
    other.answer().unwrap();
    assert!(has_counter());
    world.stop();
}

/// Neither of the table that was there, nor of what other changes of definitions made of it.
#[test]
fn an_old_snapshot_has_no_rows_of_a_rebuilt_table() {
    for next in ["DROP INDEX k ON d.t", "ALTER TABLE d.t COMMENT = 'x'", "ALTER TABLE d.t ADD KEY (a, k)"] {
        let world = World::start();
        let (mut root, mut other) = (world.root(), world.root());
        ok(&mut root, "CREATE TABLE d.t (a INT PRIMARY KEY, k INT, KEY k (k))");
        ok(&mut root, "INSERT INTO d.t VALUES (1, 1)");
        ok(&mut other, "START TRANSACTION WITH CONSISTENT SNAPSHOT");
        ok(&mut root, "ALTER TABLE d.t FORCE, ALGORITHM = COPY");
        ok(&mut root, next);
        assert_eq!(other.query("SELECT * FROM d.t").unwrap_err().code(), 1412, "{next}");
        world.stop();
    }
}
