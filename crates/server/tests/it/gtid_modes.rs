//! Purpose: servers get GTIDs while they run, and each GTID stands for what was done with it.
//!
//! Requirements: R1. A step of `gtid_mode` begins a binlog file, so who asks by GTIDs finds files that have nothing else. R2. It is refused
//! where something here is by GTIDs (3111), and what it needs cannot be taken from it (1779). R3. What is done by itself with a GTID uses it,
//! whether it changes anything or not; what fails uses it without being executed, and a COMMIT that a read lock refuses ends its transaction. R4. A server without GTIDs takes none of a source. As recorded from MySQL 9.7.4.
//! R5. What was purged is known without a look at the files.
//!
//! Method: whole servers, one of which follows the other over TCP.

use vfs::sim::{Fault, FaultKind, OpKind, SimDisk};

use crate::replica::{follow, newest};
use crate::replica_runs::{status, until_status};
use crate::whole::{World, ok, rows, until};

const UUID: &str = "77777777-0000-0000-0000-000000000001";

fn set_mode(worlds: &[&World], mode: &str) {
    for world in worlds {
        ok(&mut world.root(), &format!("SET GLOBAL gtid_mode = {mode}"));
    }
}

#[test]
fn a_step_of_gtid_mode_begins_a_file() {
    let off = ["--gtid-mode=OFF", "--server-id=2"];
    let (source, replica) = (World::start_with(&off[..1]), World::start_with(&off));
    follow(&source, &replica, "");
    let (mut writer, mut reader) = (source.root(), replica.root());
    let files = |world: &World| rows(&mut world.root(), "SHOW BINARY LOGS").len();
    ok(&mut writer, "CREATE TABLE d.t (id INT, v INT)");
    for mode in ["OFF_PERMISSIVE", "ON_PERMISSIVE", "ON"] {
        let before = files(&source);
        set_mode(&[&source, &replica], mode);
        assert_eq!(files(&source), before + 1, "{mode}");
        set_mode(&[&source], mode);
        assert_eq!(files(&source), before + 1, "{mode} again");
        ok(&mut writer, "INSERT INTO d.t VALUES (1, 1)");
    }
    let gtid = newest(&source);
    until(&mut reader, &format!("SELECT gtid_subset('{gtid}', @@global.gtid_executed)"), &["1"]);
    ok(&mut reader, "STOP REPLICA");
    ok(&mut reader, "CHANGE REPLICATION SOURCE TO SOURCE_AUTO_POSITION = 1");
    ok(&mut reader, "START REPLICA");
    ok(&mut writer, "INSERT INTO d.t VALUES (2, 2)");
    until(&mut reader, "SELECT COUNT(*), SUM(v) FROM d.t", &["4|5"]);
    // Commits that wait while the mode changes are of the new mode: they are in the new file.
    let mut holder = source.root();
    ok(&mut holder, "FLUSH TABLES WITH READ LOCK");
    let mut waiting = source.root();
    crate::whole::send(&mut waiting, "INSERT INTO d.t VALUES (3, 3)");
    until(
        &mut writer,
        "SELECT COUNT(*) FROM information_schema.processlist WHERE info LIKE 'INSERT INTO d.t VALUES (3%'",
        &["1"],
    );
    ok(&mut holder, "SET GLOBAL gtid_mode = ON_PERMISSIVE");
    ok(&mut holder, "SET GLOBAL gtid_mode = OFF_PERMISSIVE");
    ok(&mut holder, "UNLOCK TABLES");
    waiting.answer().unwrap();
    let file = rows(&mut writer, "SHOW MASTER STATUS")[0].split('|').next().unwrap().to_owned();
    let events = rows(&mut writer, &format!("SHOW BINLOG EVENTS IN '{file}'"));
    assert!(events.iter().any(|event| event.contains("Anonymous_Gtid")), "{events:?}");
    until_status(&mut reader, "Replica_IO_Running", "No");
}

#[test]
fn who_has_no_gtids_takes_none() {
    let off = ["--gtid-mode=OFF", "--server-id=2"];
    let (source, replica) = (World::start_with(&off[..1]), World::start_with(&off));
    follow(&source, &replica, "");
    let (mut writer, mut reader) = (source.root(), replica.root());
    ok(&mut writer, "CREATE TABLE d.t (id INT)");
    until(&mut reader, "SELECT COUNT(*) FROM information_schema.tables WHERE table_schema = 'd'", &["1"]);
    // One that somebody has given, and those that the source numbers from now on: it is asked again.
    set_mode(&[&source], "OFF_PERMISSIVE");
    ok(&mut writer, &format!("SET gtid_next = '{UUID}:1'"));
    ok(&mut writer, "INSERT INTO d.t VALUES (1)");
    ok(&mut writer, "SET gtid_next = AUTOMATIC");
    until_status(&mut reader, "Last_SQL_Errno", "1781");
    set_mode(&[&source], "ON_PERMISSIVE");
    ok(&mut reader, "START REPLICA");
    until_status(&mut reader, "Last_IO_Errno", "1593");
    let why = status(&mut reader, "Last_IO_Error");
    assert!(
        why.contains("the source has GTID_MODE = ON_PERMISSIVE and this server has GTID_MODE = OFF"),
        "{why}"
    );
    let events = rows(&mut reader, "SHOW BINLOG EVENTS");
    assert!(!events.iter().any(|event| event.contains("|Gtid|")), "{events:?}");
    // A step is enough, as in MySQL.
    set_mode(&[&source], "ON");
    set_mode(&[&replica], "OFF_PERMISSIVE");
    ok(&mut reader, "START REPLICA");
    until(&mut reader, "SELECT COUNT(*) FROM d.t", &["1"]);
}

#[test]
fn what_is_by_gtids_keeps_them() {
    let world = World::start();
    let mut root = world.root();
    let code = |sql: &str| world.root().query(sql).map_or_else(|failure| failure.code(), |_| 0);
    for value in ["OFF", "WARN"] {
        assert_eq!(code(&format!("SET GLOBAL enforce_gtid_consistency = {value}")), 1779);
    }
    ok(&mut root, "CHANGE REPLICATION SOURCE TO SOURCE_HOST = 'x', SOURCE_AUTO_POSITION = 1");
    set_mode(&[&world], "ON_PERMISSIVE");
    set_mode(&[&world], "OFF_PERMISSIVE");
    assert_eq!(code("SET GLOBAL gtid_mode = OFF"), 3111);
    ok(&mut root, "CHANGE REPLICATION SOURCE TO SOURCE_AUTO_POSITION = 0");
    ok(&mut root, &format!("SET gtid_next = '{UUID}:1'"));
    assert_eq!(code("SET GLOBAL gtid_mode = OFF"), 3111);
    ok(&mut root, "SET gtid_next = AUTOMATIC");
    ok(&mut root, "BEGIN");
    assert_eq!(root.query("SET GLOBAL gtid_mode = OFF").unwrap_err().code(), 1766);
    ok(&mut root, "ROLLBACK");
    ok(&mut root, "SET GLOBAL gtid_mode = OFF");
    ok(&mut root, "SET GLOBAL enforce_gtid_consistency = OFF");
}

#[test]
fn a_statement_by_itself_uses_its_gtid() {
    let world = World::start();
    let mut root = world.root();
    ok(&mut root, "CREATE TABLE d.t (id INT PRIMARY KEY)");
    ok(&mut root, "INSERT INTO d.t VALUES (1)");
    // What it answers, what an INSERT behind it does, and whether the GTID is executed before that.
    let recorded = [
        ("INSERT INTO d.t VALUES (1)", 1062, 1837, "0"),
        ("SELECT * FROM nosuch.t", 1049, 1837, "0"),
        ("CREATE TABLE d.t (id INT)", 1050, 1837, "0"),
        ("TRUNCATE d.nosuch", 1146, 1837, "0"),
        ("KILL 9999999", 1094, 1837, "0"),
        ("nonsense", 1064, 0, "0"),
        ("SELECT 1", 0, 0, "0"),
        ("DO 1", 0, 0, "0"),
        ("DELETE FROM d.t WHERE id = 99999", 0, 0, "0"),
        ("UNLOCK TABLES", 0, 0, "0"),
        ("ROLLBACK", 0, 1837, "0"),
        ("COMMIT", 0, 1837, "1"),
        ("ANALYZE TABLE d.t", 0, 1837, "1"),
        ("ANALYZE LOCAL TABLE d.t", 0, 1837, "1"),
        ("OPTIMIZE TABLE d.t", 0, 1837, "1"),
        ("CHECK TABLE d.t", 0, 1837, "1"),
        ("FLUSH STATUS", 0, 1837, "1"),
        ("FLUSH LOCAL TABLES", 0, 1837, "1"),
        ("FLUSH PRIVILEGES", 0, 1837, "1"),
        ("FLUSH BINARY LOGS", 0, 1837, "1"),
        ("DROP TEMPORARY TABLE IF EXISTS d.x", 0, 1837, "1"),
        ("CREATE TEMPORARY TABLE d.y (id INT)", 0, 1837, "1"),
        ("RESET REPLICA", 0, 1837, "1"),
        ("STOP REPLICA", 0, 1837, "1"),
        ("DROP USER IF EXISTS nobody1", 0, 1837, "1"),
        ("DROP TABLE IF EXISTS d.nosuch", 0, 1837, "1"),
    ];
    for (number, (sql, error, behind, executed)) in recorded.iter().enumerate() {
        let gtid = format!("{UUID}:{}", number + 1);
        let mut client = world.root();
        let mut code = |sql: &str| client.query(sql).map_or_else(|failure| failure.code(), |_| 0);
        assert_eq!(code(&format!("SET gtid_next = '{gtid}'")), 0);
        assert_eq!(code(sql), *error, "{sql}");
        let subset = format!("SELECT gtid_subset('{gtid}', @@global.gtid_executed)");
        assert_eq!(rows(&mut root, &subset), [*executed], "{sql}");
        assert_eq!(code(&format!("INSERT INTO d.t VALUES ({})", number + 100)), *behind, "{sql}");
    }
    // In a transaction it is the transaction's.
    let mut client = world.root();
    ok(&mut client, &format!("SET gtid_next = '{UUID}:1000'"));
    ok(&mut client, "BEGIN");
    assert_eq!(client.query("INSERT INTO d.t VALUES (1)").unwrap_err().code(), 1062);
    ok(&mut client, "COMMIT");
    assert_eq!(client.query("INSERT INTO d.t VALUES (9)").unwrap_err().code(), 1837);
    let subset = format!("SELECT gtid_subset('{UUID}:1000', @@global.gtid_executed)");
    assert_eq!(rows(&mut client, &subset), ["1"]);
    // One that is executed passes over one statement.
    ok(&mut client, &format!("SET gtid_next = '{UUID}:1000'"));
    ok(&mut client, "CREATE TABLE d.passed (id INT)");
    assert_eq!(client.query("INSERT INTO d.t VALUES (9)").unwrap_err().code(), 1837);
    ok(&mut client, "SET gtid_next = AUTOMATIC");
    // A read lock of its own keeps nobody waiting for himself.
    ok(&mut client, &format!("SET gtid_next = '{UUID}:1001'"));
    ok(&mut client, "FLUSH TABLES WITH READ LOCK");
    ok(&mut client, &format!("SET gtid_next = '{UUID}:1002'"));
    assert_eq!(client.query("FLUSH STATUS").unwrap_err().code(), 1223);
    // Another one's is waited for, and KILL ends that.
    let mut waiting = world.root();
    let id = rows(&mut waiting, "SELECT connection_id()")[0].clone();
    ok(&mut waiting, &format!("SET gtid_next = '{UUID}:1003'"));
    crate::whole::send(&mut waiting, "FLUSH STATUS");
    let waits = format!(
        "SELECT COUNT(*) FROM information_schema.processlist WHERE id = {id} AND info = 'FLUSH STATUS'"
    );
    until(&mut root, &waits, &["1"]);
    ok(&mut root, &format!("KILL QUERY {id}"));
    assert_eq!(waiting.answer().unwrap_err().code(), 1317);
    ok(&mut client, "UNLOCK TABLES");
}

#[test]
fn a_commit_that_a_read_lock_refuses_leaves_no_transaction() {
    let world = World::start();
    let (mut root, mut other) = (world.root(), world.root());
    ok(&mut root, "CREATE TABLE d.t (id INT)");
    for (locks_itself, number) in [(true, 5), (false, 6)] {
        if locks_itself {
            ok(&mut root, "FLUSH TABLES WITH READ LOCK");
        } else {
            ok(&mut other, "FLUSH TABLES WITH READ LOCK");
        }
        ok(&mut root, &format!("SET lock_wait_timeout = 1, gtid_next = '{UUID}:{number}'"));
        ok(&mut root, "BEGIN");
        let refused = root.query("COMMIT").unwrap_err().code();
        assert_eq!(refused, if locks_itself { 1223 } else { 1205 });
        ok(&mut root, "SET gtid_next = AUTOMATIC");
        ok(&mut root, "UNLOCK TABLES");
        ok(&mut other, "UNLOCK TABLES");
        ok(&mut root, "INSERT INTO d.t VALUES (1)");
        ok(&mut root, "ROLLBACK");
    }
    assert_eq!(rows(&mut root, "SELECT COUNT(*) FROM d.t"), ["2"]);
    assert_eq!(rows(&mut root, &format!("SELECT gtid_subset('{UUID}:5-6', @@global.gtid_executed)")), ["0"]);
    world.stop();
}

#[test]
fn what_was_purged_is_known_while_no_file_can_be_read() {
    let disk = SimDisk::new();
    let world = World::start_on(&disk, &[]);
    let mut root = world.root();
    let purged = |root: &mut crate::client::Client| rows(root, "SELECT @@gtid_purged");
    ok(&mut root, "FLUSH BINARY LOGS");
    ok(&mut root, "PURGE BINARY LOGS TO 'binlog.000002'");
    let unreadable = || Fault::new(FaultKind::Io).of(OpKind::Read).on("binlog.").lasting();
    disk.inject(unreadable());
    let before = purged(&mut root);
    assert!(before[0].ends_with(":1-4"), "{before:?}");
    disk.lift_faults();
    let world = world.restart();
    let mut root = world.root();
    disk.inject(unreadable());
    assert_eq!(purged(&mut root), before, "the start has looked");
    disk.lift_faults();
    // The same name, and another file.
    ok(&mut root, "RESET BINARY LOGS AND GTIDS TO 2");
    assert_eq!(purged(&mut root), [""]);
    world.stop();
}
