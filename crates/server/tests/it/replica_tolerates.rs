//! Purpose: an applier stops where it is told to, passes over what it is told to pass over, and says what it stops at.
//!
//! Requirements: R1. START REPLICA UNTIL stops the applier alone, between two groups: behind a position, in front of a GTID, behind a
//! set. R2. `sql_replica_skip_counter` skips whole groups, of sources without GTIDs. R3. With `replica_exec_mode` IDEMPOTENT rows become what
//! the source says; `rbr_exec_mode` is that of BINLOG. R4. `replica_skip_errors` passes over rows, tables and statements, and nothing else; their GTIDs
//! count as executed. R5. An error names the source's file and place, and the table or the statement, as MySQL 9.7.4 does, but no password.
//!
//! Method: two whole servers, one of which follows the other over TCP.

use crate::client::Client;
use crate::replica::{follow, newest, pair};
use crate::replica_runs::{catch_up, status, until_status};
use crate::whole::{World, ok, rows, until};

/// Bytes of an XID event with its checksum.
const XID: u64 = 31;

/// Where the source's log ends: file and position.
fn place(source: &mut Client) -> (String, String) {
    let at = rows(source, "SHOW MASTER STATUS")[0].clone();
    let mut parts = at.split('|').map(str::to_owned);
    (parts.next().unwrap(), parts.next().unwrap())
}

fn statuses(replica: &mut Client, columns: &[&str]) -> Vec<String> {
    columns.iter().map(|column| status(replica, column)).collect()
}

#[test]
fn until_is_where_the_applier_stops() {
    let (source, replica) = pair("");
    let (mut writer, mut reader) = (source.root(), replica.root());
    let count = "SELECT COUNT(*) FROM d.t";
    let stopped = |reader: &mut Client, how: &str| {
        until_status(reader, "Replica_SQL_Running", "No");
        assert_eq!(statuses(reader, &["Last_SQL_Errno", "Until_Condition"]), ["0", how]);
        until_status(reader, "Replica_IO_Running", "Yes");
    };
    ok(&mut writer, "CREATE TABLE d.t (id INT PRIMARY KEY)");
    catch_up(&source, &mut reader);
    ok(&mut reader, "STOP REPLICA");
    let (mut gtids, mut places) = (Vec::new(), Vec::new());
    for id in 1..=9 {
        ok(&mut writer, &format!("INSERT INTO d.t VALUES ({id})"));
        gtids.push(newest(&source));
        places.push(place(&mut writer));
    }
    ok(&mut reader, &format!("START REPLICA UNTIL SQL_AFTER_GTIDS = '{}'", gtids[1]));
    stopped(&mut reader, "SQL_AFTER_GTIDS");
    assert_eq!(rows(&mut reader, count), ["2"]);
    ok(&mut reader, &format!("START REPLICA UNTIL SQL_BEFORE_GTIDS = '{}'", gtids[4]));
    assert_eq!(rows(&mut reader, "SHOW WARNINGS")[0].split('|').nth(1), Some("3083"), "the receiver runs");
    stopped(&mut reader, "SQL_BEFORE_GTIDS");
    assert_eq!(rows(&mut reader, count), ["4"]);
    let (file, position) = &places[5];
    let behind = format!("SOURCE_LOG_FILE = '{file}', SOURCE_LOG_POS = {position}");
    ok(&mut reader, &format!("START REPLICA SQL_THREAD UNTIL {behind}"));
    assert_eq!(rows(&mut reader, "SHOW WARNINGS")[0].split('|').nth(1), Some("1278"));
    stopped(&mut reader, "Source");
    assert_eq!(statuses(&mut reader, &["Until_Log_File", "Until_Log_Pos"]), [file.clone(), position.clone()]);
    assert_eq!(rows(&mut reader, count), ["6"]);
    // What is behind already, and what there never is.
    for (rest, how) in [
        (behind.as_str(), "Source"),
        (&format!("SQL_BEFORE_GTIDS = '{}'", gtids[0]), "SQL_BEFORE_GTIDS"),
        (&format!("SQL_AFTER_GTIDS = '{}'", gtids[5]), "SQL_AFTER_GTIDS"),
        ("SQL_AFTER_MTS_GAPS", "SQL_AFTER_MTS_GAPS"),
    ] {
        ok(&mut reader, &format!("START REPLICA SQL_THREAD UNTIL {rest}"));
        stopped(&mut reader, how);
        assert_eq!(rows(&mut reader, count), ["6"], "{rest}");
    }
    let malformed = "START REPLICA UNTIL SQL_AFTER_GTIDS = 'x'";
    assert_eq!(reader.query(malformed).unwrap_err().code(), 1772);
    ok(&mut reader, "STOP REPLICA");
    ok(&mut reader, "START REPLICA SQL_THREAD UNTIL SQL_AFTER_MTS_GAPS");
    until_status(&mut reader, "Replica_SQL_Running", "No");
    // A start that says nothing forgets it; one that finds an applier does not tell it.
    ok(&mut reader, "START REPLICA");
    ok(&mut reader, "START REPLICA UNTIL SQL_AFTER_MTS_GAPS");
    catch_up(&source, &mut reader);
    assert_eq!(statuses(&mut reader, &["Replica_SQL_Running", "Until_Condition"]), ["Yes", "None"]);
    assert_eq!(rows(&mut reader, count), ["9"]);
}

#[test]
fn a_counter_skips_whole_groups() {
    let off = ["--gtid-mode=OFF", "--enforce-gtid-consistency=OFF", "--server-id=2"];
    let (source, replica) = (World::start_with(&off[..2]), World::start_with(&off));
    follow(&source, &replica, "");
    let (mut writer, mut reader) = (source.root(), replica.root());
    ok(&mut writer, "CREATE TABLE d.t (id INT PRIMARY KEY)");
    ok(&mut writer, "CREATE TABLE d.u (id INT PRIMARY KEY)");
    let there = "SELECT COUNT(*) FROM information_schema.tables WHERE table_schema = 'd'";
    until(&mut reader, there, &["2"]);
    ok(&mut reader, "INSERT INTO d.t VALUES (1)");
    ok(&mut writer, "INSERT INTO d.t VALUES (1), (2)");
    ok(&mut writer, "INSERT INTO d.t VALUES (3)");
    until_status(&mut reader, "Last_SQL_Errno", "1062");
    assert!(
        status(&mut reader, "Last_SQL_Error")
            .starts_with("Worker 1 failed executing transaction 'ANONYMOUS' at")
    );
    ok(&mut reader, "START REPLICA");
    until_status(&mut reader, "Last_SQL_Errno", "1062");
    ok(&mut reader, "SET GLOBAL sql_replica_skip_counter = 1");
    assert_eq!(status(&mut reader, "Skip_Counter"), "1");
    ok(&mut reader, "START REPLICA");
    until(&mut reader, "SELECT GROUP_CONCAT(id ORDER BY id) FROM d.t", &["1,3"]);
    assert_eq!(rows(&mut reader, "SELECT @@global.sql_slave_skip_counter"), ["0"]);
    // It is for the next start, not for who runs.
    ok(&mut reader, "SET GLOBAL sql_replica_skip_counter = 1");
    ok(&mut writer, "INSERT INTO d.t VALUES (7)");
    until(&mut reader, "SELECT COUNT(*) FROM d.t WHERE id = 7", &["1"]);
    ok(&mut reader, "DELETE FROM d.t WHERE id = 7");
    ok(&mut reader, "SET GLOBAL sql_replica_skip_counter = 0");
    // A transaction of one row has five events with its head, a definition two; what is left over takes all of the third.
    ok(&mut reader, "STOP REPLICA");
    for sql in [
        "INSERT INTO d.t VALUES (4)",
        "CREATE TABLE d.v (id INT PRIMARY KEY)",
        "INSERT INTO d.t VALUES (5)",
        "INSERT INTO d.t VALUES (6)",
    ] {
        ok(&mut writer, sql);
    }
    ok(&mut reader, "SET GLOBAL sql_replica_skip_counter = 8");
    ok(&mut reader, "START REPLICA");
    until(&mut reader, "SELECT GROUP_CONCAT(id ORDER BY id) FROM d.t", &["1,3,6"]);
    assert_eq!(rows(&mut reader, there), ["2"]);
    assert_eq!(status(&mut reader, "Skip_Counter"), "0");
    let with_gtids = World::start();
    let skip = "SET GLOBAL sql_replica_skip_counter = 1";
    assert_eq!(with_gtids.root().query(skip).unwrap_err().code(), 1858);
    ok(&mut with_gtids.root(), "SET GLOBAL sql_replica_skip_counter = 0");
}

#[test]
fn an_idempotent_applier_makes_rows_what_the_source_says() {
    let (source, replica) = pair("");
    let (mut writer, mut reader) = (source.root(), replica.root());
    ok(&mut writer, "CREATE TABLE d.t (id INT PRIMARY KEY, u INT UNIQUE, v INT)");
    ok(&mut writer, "CREATE TABLE d.k (v INT)");
    ok(&mut writer, "INSERT INTO d.t VALUES (1, 1, 1), (2, 2, 2), (3, 3, 3)");
    ok(&mut writer, "INSERT INTO d.k VALUES (1), (2)");
    catch_up(&source, &mut reader);
    ok(&mut reader, "STOP REPLICA");
    ok(&mut reader, "SET GLOBAL slave_exec_mode = IDEMPOTENT");
    for sql in [
        "DELETE FROM d.t WHERE id IN (1, 2)",
        "INSERT INTO d.t VALUES (10, 20, 0), (11, 21, 0), (12, 13, 0)",
        "DELETE FROM d.k WHERE v = 1",
    ] {
        ok(&mut reader, sql);
    }
    for sql in [
        "DELETE FROM d.t WHERE id = 1",
        "UPDATE d.t SET v = 9 WHERE id = 2",
        "UPDATE d.t SET v = 9 WHERE id = 3",
        // Two rows are in the way of it.
        "INSERT INTO d.t VALUES (10, 21, 7)",
        "INSERT INTO d.t VALUES (13, 13, 1)",
        "DELETE FROM d.k WHERE v = 1",
        "DELETE FROM d.k WHERE v = 2",
    ] {
        ok(&mut writer, sql);
    }
    ok(&mut reader, "START REPLICA");
    catch_up(&source, &mut reader);
    let all = "SELECT * FROM d.t ORDER BY id";
    assert_eq!(rows(&mut reader, all), ["3|3|9", "10|21|7", "13|13|1"]);
    assert_eq!(rows(&mut reader, "SELECT COUNT(*) FROM d.k"), ["0"]);
    // A NULL is in nobody's way, and children go with who is.
    ok(&mut reader, "DELETE FROM d.t");
    ok(&mut writer, "DELETE FROM d.t");
    ok(&mut writer, "CREATE TABLE d.n (id INT PRIMARY KEY, a INT UNIQUE, b INT UNIQUE)");
    ok(
        &mut writer,
        "CREATE TABLE d.c (id INT PRIMARY KEY, n INT, FOREIGN KEY (n) REFERENCES d.n (id) ON DELETE CASCADE)",
    );
    catch_up(&source, &mut reader);
    ok(&mut reader, "INSERT INTO d.n VALUES (1, NULL, 1), (2, NULL, 2), (3, NULL, 3)");
    ok(&mut reader, "INSERT INTO d.c VALUES (1, 1), (3, 3)");
    ok(&mut writer, "INSERT INTO d.n VALUES (10, NULL, 3)");
    ok(&mut writer, "INSERT INTO d.t VALUES (3, 3, 9), (10, 21, 7), (13, 13, 1)");
    catch_up(&source, &mut reader);
    assert_eq!(rows(&mut reader, "SELECT * FROM d.n ORDER BY id"), ["1|NULL|1", "2|NULL|2", "10|NULL|3"]);
    assert_eq!(rows(&mut reader, "SELECT * FROM d.c"), ["1|1"]);
    // An update that finds another row's unique value is passed over.
    ok(&mut reader, "INSERT INTO d.t VALUES (30, 30, 0)");
    ok(&mut writer, "UPDATE d.t SET u = 30 WHERE id = 3");
    catch_up(&source, &mut reader);
    assert_eq!(rows(&mut reader, all), ["3|3|9", "10|21|7", "13|13|1", "30|30|0"]);
    // The next connection is strict again.
    ok(&mut reader, "SET GLOBAL replica_exec_mode = STRICT");
    ok(&mut reader, "STOP REPLICA");
    ok(&mut reader, "START REPLICA");
    ok(&mut writer, "INSERT INTO d.t VALUES (30, 31, 0)");
    until_status(&mut reader, "Last_SQL_Errno", "1062");
}

#[test]
fn errors_that_are_listed_stop_nobody() {
    let source = World::start();
    let list = "--slave-skip-errors=1062,1032,ddl_exist_errors";
    let replica = World::start_with(&["--server-id=2", list]);
    follow(&source, &replica, "");
    let (mut writer, mut reader) = (source.root(), replica.root());
    let listed = "1062,1032,1007,1008,1050,1051,1054,1060,1061,1068,1091,1146";
    assert_eq!(rows(&mut reader, "SELECT @@slave_skip_errors"), [listed]);
    ok(&mut writer, "CREATE TABLE d.t (id INT PRIMARY KEY, v INT)");
    ok(&mut writer, "INSERT INTO d.t VALUES (1, 1), (2, 2)");
    catch_up(&source, &mut reader);
    for sql in [
        "DELETE FROM d.t WHERE id = 1",
        "INSERT INTO d.t VALUES (3, 30)",
        "CREATE TABLE d.u (id INT PRIMARY KEY, here INT)",
    ] {
        ok(&mut reader, sql);
    }
    for sql in [
        // The rows beside one that cannot be changed are.
        "UPDATE d.t SET v = v + 10",
        "INSERT INTO d.t VALUES (3, 3), (4, 4)",
        "CREATE TABLE d.u (id INT PRIMARY KEY)",
        "CREATE TABLE d.w (id INT PRIMARY KEY)",
    ] {
        ok(&mut writer, sql);
    }
    catch_up(&source, &mut reader);
    assert_eq!(rows(&mut reader, "SELECT * FROM d.t ORDER BY id"), ["2|12", "3|30", "4|4"]);
    assert_eq!(rows(&mut reader, "SHOW COLUMNS FROM d.u").len(), 2);
    ok(&mut reader, "DROP TABLE d.w");
    ok(&mut writer, "INSERT INTO d.w VALUES (1)");
    ok(&mut writer, "BEGIN");
    ok(&mut writer, "INSERT INTO d.w VALUES (2)");
    ok(&mut writer, "INSERT INTO d.t VALUES (5, 5)");
    ok(&mut writer, "COMMIT");
    catch_up(&source, &mut reader);
    assert_eq!(rows(&mut reader, "SELECT * FROM d.t WHERE id = 5"), ["5|5"]);
    // What is not listed stops it.
    ok(&mut writer, "CREATE TABLE d.x (id INT PRIMARY KEY)");
    catch_up(&source, &mut reader);
    ok(&mut reader, "ALTER TABLE d.x MODIFY id VARCHAR(9)");
    ok(&mut writer, "INSERT INTO d.x VALUES (1)");
    until_status(&mut reader, "Last_SQL_Errno", "1677");
}

#[test]
fn an_error_names_its_place_and_its_table() {
    let (source, replica) = pair("");
    let (mut writer, mut reader) = (source.root(), replica.root());
    ok(&mut writer, "CREATE TABLE d.t (id INT PRIMARY KEY, v INT)");
    ok(&mut writer, "INSERT INTO d.t VALUES (1, 1)");
    catch_up(&source, &mut reader);
    let stops = |reader: &mut Client, writer: &mut Client, code: &str, sql: &str, back: u64| {
        ok(writer, sql);
        until_status(reader, "Last_SQL_Errno", code);
        let (file, position) = place(writer);
        let position = position.parse::<u64>().unwrap() - back;
        let said = status(reader, "Last_SQL_Error");
        let head = format!(
            "Worker 1 failed executing transaction '{}' at source log {file}, end_log_pos {position}; ",
            newest(&source)
        );
        let what = said.strip_prefix(&head).unwrap_or_else(|| panic!("{said}\n{head}"));
        let place = format!("source log {file}, end_log_pos {position}");
        what.replace(&place, "PLACE")
    };
    ok(&mut reader, "DELETE FROM d.t");
    assert_eq!(
        stops(&mut reader, &mut writer, "1032", "UPDATE d.t SET v = 2", XID),
        "Could not execute Update_rows event on table d.t; Can't find record in 't', Error_code: 1032; handler error \
         HA_ERR_KEY_NOT_FOUND; the event's PLACE"
    );
    ok(&mut reader, "INSERT INTO d.t VALUES (1, 1), (5, 5)");
    ok(&mut reader, "START REPLICA");
    assert_eq!(
        stops(&mut reader, &mut writer, "1062", "INSERT INTO d.t VALUES (4, 4), (5, 5)", XID),
        "Could not execute Write_rows event on table d.t; Duplicate entry '5' for key 't.PRIMARY', Error_code: 1062; \
         handler error HA_ERR_FOUND_DUPP_KEY; the event's PLACE"
    );
    ok(&mut reader, "DELETE FROM d.t WHERE id = 5");
    ok(&mut reader, "CREATE DATABASE e");
    ok(&mut reader, "START REPLICA");
    assert_eq!(
        stops(&mut reader, &mut writer, "1007", "CREATE DATABASE e", 0),
        "Error 'Can't create database 'e'; database exists' on query. Default database: 'e'. Query: 'CREATE DATABASE e'"
    );
    ok(&mut reader, "DROP DATABASE e");
    ok(&mut reader, "DROP TABLE d.t");
    ok(&mut reader, "START REPLICA");
    until(&mut reader, "SELECT COUNT(*) FROM information_schema.schemata WHERE schema_name = 'e'", &["1"]);
    ok(&mut writer, "INSERT INTO d.t VALUES (9, 9)");
    until_status(&mut reader, "Last_SQL_Errno", "1146");
    // Its place is the table map's, MySQL's the rows'.
    let said = status(&mut reader, "Last_SQL_Error");
    assert!(said.ends_with("; Error executing row event: 'Table 'd.t' doesn't exist'"), "{said}");
}

#[test]
fn an_error_shows_no_password_and_the_beginning_of_a_long_statement() {
    let (source, replica) = pair("");
    let (mut writer, mut reader) = (source.root(), replica.root());
    ok(&mut reader, "CREATE USER u");
    let create =
        "CREATE USER u IDENTIFIED WITH mysql_native_password AS '*7B9EBEED26AA52ED10C0F549FA863F13C39E0209'";
    ok(&mut writer, create);
    until_status(&mut reader, "Last_SQL_Errno", "1396");
    let said = status(&mut reader, "Last_SQL_Error");
    assert!(said.contains("on query. Default database: ''. Query: 'CREATE USER"), "{said}");
    assert!(said.contains("<secret>") && !said.contains("7B9EBEED"), "{said}");
    ok(&mut reader, "DROP USER u");
    ok(&mut reader, "CREATE TABLE d.t (id INT)");
    ok(&mut reader, "START REPLICA");
    ok(
        &mut writer,
        &format!("CREATE TABLE d.t (id INT COMMENT '{0}', v INT COMMENT '{0}')", "x".repeat(900)),
    );
    until_status(&mut reader, "Last_SQL_Errno", "1050");
    assert!(status(&mut reader, "Last_SQL_Error").len() < 1400);
}

#[test]
fn binlog_is_as_strict_as_rbr_exec_mode() {
    let world = World::start();
    let mut root = world.root();
    ok(&mut root, "CREATE TABLE d.t (id INT PRIMARY KEY, v INT)");
    ok(&mut root, "INSERT INTO d.t VALUES (1, 1)");
    ok(&mut root, "FLUSH BINARY LOGS");
    let log = world.read("binlog.000001");
    let events = rows(&mut root, "SHOW BINLOG EVENTS");
    let mut text = |kinds: &[&str]| {
        let mut bytes = Vec::new();
        for event in &events {
            let parts: Vec<_> = event.split('|').collect();
            let [start, end] = [parts[1], parts[4]].map(|number| number.parse::<usize>().unwrap());
            if kinds.contains(&parts[2]) {
                bytes.extend_from_slice(&log[start..end]);
            }
        }
        let hex: Vec<_> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        rows(&mut root, &format!("SELECT TO_BASE64(x'{}')", hex.concat()))[0].clone()
    };
    let (format, row) = (text(&["Format_desc"]), text(&["Table_map", "Write_rows"]));
    ok(&mut root, "UPDATE d.t SET v = 2");
    ok(&mut root, &format!("BINLOG '{format}'"));
    assert_eq!(root.query(&format!("BINLOG '{row}'")).unwrap_err().code(), 1062);
    ok(&mut root, "SET rbr_exec_mode = IDEMPOTENT");
    ok(&mut root, &format!("BINLOG '{row}'"));
    assert_eq!(rows(&mut root, "SELECT * FROM d.t"), ["1|1"]);
}
