//! Purpose: XA transactions, as a coordinator needs them.
//!
//! Requirements: R1. statements are answered as MySQL answers them; R2. what is prepared stays so, with its locks, when its session
//! and the server end, and any session ends it; R3. what ends it wrongly, or is refused, leaves it prepared; R4. the binlog has the events
//! that MySQL writes, and replicas follow them; R5. a deadlock leaves nothing but XA ROLLBACK; R6. names are unique among
//! sessions; R7. `sql_log_bin` = 0 holds to the end.
//!
//! Method: whole servers on simulated disks; answers and events recorded from MySQL 9.7.4.

use vfs::Vfs as _;
use vfs::sim::SimDisk;

use crate::dumps::asked;
use crate::replica::{follow, newest, pair};
use crate::whole::{World, all_ok, answers_as_recorded, ok, rows, send, until};

const NO_SUCH_NAME: u16 = 1397;
const WRONG_STATE: u16 = 1399;
const OUTSIDE: u16 = 1400;
const DUPLICATE_NAME: u16 = 1440;
const LOCK_TIMEOUT: u16 = 1205;
const DEADLOCKED: u16 = 1614;
const READ_LOCKED: u16 = 1223;

fn refused(client: &mut crate::client::Client, sql: &str) -> u16 {
    client.query(sql).map(|_| ()).expect_err(sql).code()
}

const TABLE: &str = "CREATE TABLE d.t (a INT PRIMARY KEY, b INT, UNIQUE KEY (b))";

#[test]
fn statements_are_answered_as_mysql_answers_them() {
    answers_as_recorded(include_str!("../data/xa-9.7.4.txt"), 300);
}

/// Whoever waits for a prepared transaction sees it, though it is nobody's.
fn check_seen(world: &World) {
    let mut root = world.root();
    let seen = "SELECT trx_state, trx_rows_locked > 3, trx_rows_modified > 3, trx_started > NOW() - INTERVAL 1 HOUR \
                FROM information_schema.INNODB_TRX WHERE trx_mysql_thread_id = 0";
    assert_eq!(rows(&mut root, seen), ["RUNNING|1|1|1"]);
    let mut waiter = world.root();
    send(&mut waiter, "UPDATE d.t SET b = 5 WHERE a = 1");
    let waits = "SELECT COUNT(*) FROM performance_schema.data_lock_waits WHERE BLOCKING_THREAD_ID IS NULL";
    until(&mut root, waits, &["1"]);
    ok(&mut root, &format!("KILL {}", waiter.connection_id));
    until(&mut root, waits, &["0"]);
}

#[test]
fn what_is_prepared_outlives_its_session_and_the_server() {
    let world = World::start();
    let mut root = world.root();
    all_ok(&mut root, &[TABLE, "INSERT INTO d.t VALUES (1, 1), (2, 2)"]);
    let mut session = world.root();
    all_ok(
        &mut session,
        &[
            "XA START 'x', 'y', 3",
            "INSERT INTO d.t VALUES (3, 3)",
            "UPDATE d.t SET b = 20 WHERE a = 2",
            "DELETE FROM d.t WHERE a = 1",
            "XA END 'x', 'y', 3",
            "XA PREPARE 'x', 'y', 3",
            "XA START 'gone'",
            "INSERT INTO d.t VALUES (9, 9)",
        ],
    );
    drop((root, session));
    let check = |world: &World| {
        let mut root = world.root();
        until(
            &mut root,
            "SELECT COUNT(*) FROM information_schema.processlist WHERE id <> connection_id()",
            &["0"],
        );
        assert_eq!(rows(&mut root, "XA RECOVER"), ["3|1|1|xy"]);
        assert_eq!(rows(&mut root, "SELECT * FROM d.t"), ["1|1", "2|2"]);
        all_ok(&mut root, &["SET innodb_lock_wait_timeout = 1", "SET lock_wait_timeout = 1"]);
        for sql in [
            "UPDATE d.t SET b = 5 WHERE a = 1",
            "DELETE FROM d.t WHERE a = 2",
            "INSERT INTO d.t VALUES (3, 30)",
            "INSERT INTO d.t VALUES (4, 20)",
            "DROP TABLE d.t",
        ] {
            assert_eq!(refused(&mut root, sql), LOCK_TIMEOUT, "{sql}");
        }
        ok(&mut root, "INSERT INTO d.t VALUES (9, 9)");
        ok(&mut root, "DELETE FROM d.t WHERE a = 9");
        assert_eq!(refused(&mut root, "XA START 'x', 'y', 3"), DUPLICATE_NAME);
        check_seen(world);
    };
    check(&world);
    let world = world.restart();
    check(&world);
    let world = world.restart();
    let mut root = world.root();
    all_ok(&mut root, &["XA COMMIT 'x', 'y', 3", "SET innodb_lock_wait_timeout = 1"]);
    assert_eq!(rows(&mut root, "SELECT * FROM d.t"), ["2|20", "3|3"]);
    assert_eq!(rows(&mut root, "XA RECOVER"), [""; 0]);
    all_ok(
        &mut root,
        &[
            "UPDATE d.t SET b = b + 1",
            "XA START 'x', 'y', 3",
            "XA END 'x', 'y', 3",
            "XA ROLLBACK 'x', 'y', 3",
        ],
    );
    let world = world.restart();
    assert_eq!(rows(&mut world.root(), "XA RECOVER"), [""; 0]);
    assert_eq!(rows(&mut world.root(), "SELECT * FROM d.t"), ["2|21", "3|4"]);
    world.stop();
}

#[test]
fn what_is_rolled_back_after_a_restart_leaves_no_trace() {
    let world = World::start();
    all_ok(
        &mut world.root(),
        &[
            TABLE,
            "INSERT INTO d.t VALUES (1, 1)",
            "XA START 'x'",
            "UPDATE d.t SET b = 7",
            "INSERT INTO d.t VALUES (2, 2)",
            "XA END 'x'",
            "XA PREPARE 'x'",
        ],
    );
    let world = world.restart();
    all_ok(&mut world.root(), &["XA ROLLBACK 'x'", "INSERT INTO d.t VALUES (2, 7)"]);
    let world = world.restart();
    assert_eq!(rows(&mut world.root(), "SELECT * FROM d.t"), ["1|1", "2|7"]);
    assert_eq!(rows(&mut world.root(), "XA RECOVER"), [""; 0]);
    world.stop();
}

/// Some thousand rows, whose image takes several rows.
#[test]
fn large_ones_are_prepared_in_pieces() {
    let world = World::start();
    let mut root = world.root();
    let insert = "INSERT INTO d.l WITH RECURSIVE n AS (SELECT 1 i UNION ALL SELECT i + 1 FROM n WHERE i < 900) \
                  SELECT i, REPEAT('x', 1000) FROM n";
    all_ok(
        &mut root,
        &[
            "CREATE TABLE d.l (a INT PRIMARY KEY, b TEXT)",
            "XA START 'l'",
            insert,
            "XA END 'l'",
            "XA PREPARE 'l'",
        ],
    );
    assert_eq!(rows(&mut root, "SELECT COUNT(*) FROM d.l"), ["0"]);
    let world = world.restart();
    let mut root = world.root();
    ok(&mut root, "XA COMMIT 'l'");
    assert_eq!(rows(&mut root, "SELECT COUNT(*), SUM(LENGTH(b)), MAX(a) FROM d.l"), ["900|900000|900"]);
    let world = world.restart();
    assert_eq!(rows(&mut world.root(), "SELECT COUNT(*) FROM d.l"), ["900"]);
    assert_eq!(rows(&mut world.root(), "XA RECOVER"), [""; 0]);
    world.stop();
}

#[test]
fn whoever_is_refused_leaves_it_prepared() {
    let world = World::start();
    let (mut root, mut other) = (world.root(), world.client("nobody"));
    all_ok(
        &mut root,
        &[
            TABLE,
            "XA START 'x'",
            "INSERT INTO d.t VALUES (1, 1)",
            "XA END 'x'",
            "XA PREPARE 'x'",
            "SET GLOBAL super_read_only = ON",
        ],
    );
    for sql in ["XA COMMIT 'x'", "XA ROLLBACK 'x'"] {
        assert_eq!(refused(&mut root, sql), 1290);
        assert_eq!(refused(&mut other, sql), 1290);
    }
    all_ok(
        &mut root,
        &["SET GLOBAL super_read_only = OFF", "SET GLOBAL read_only = OFF", "FLUSH TABLES WITH READ LOCK"],
    );
    ok(&mut other, "SET lock_wait_timeout = 1");
    assert_eq!(refused(&mut other, "XA COMMIT 'x'"), LOCK_TIMEOUT);
    assert_eq!(refused(&mut other, "XA ROLLBACK 'x'"), LOCK_TIMEOUT);
    ok(&mut root, "UNLOCK TABLES");
    assert_eq!(rows(&mut root, "XA RECOVER"), ["1|1|0|x"]);
    assert_eq!(refused(&mut other, "XA RECOVER"), 1401);
    ok(&mut root, "SET innodb_lock_wait_timeout = 1");
    assert_eq!(
        refused(&mut root, "INSERT INTO d.t VALUES (1, 2)"),
        LOCK_TIMEOUT,
        "its locks are as they were"
    );
    ok(&mut other, "XA COMMIT 'x'");
    assert_eq!(rows(&mut root, "SELECT * FROM d.t"), ["1|1"]);
    world.stop();
}

#[test]
fn nobody_ends_one_under_a_read_lock_of_his_own() {
    let world = World::start();
    let (mut root, mut session) = (world.root(), world.root());
    ok(&mut root, TABLE);
    all_ok(&mut session, &["XA START 'x'", "INSERT INTO d.t VALUES (1, 1)", "XA END 'x'", "XA PREPARE 'x'"]);
    all_ok(&mut session, &["XA START 'n'", "SELECT * FROM d.t", "XA END 'n'", "XA PREPARE 'n'"]);
    all_ok(&mut session, &["SET lock_wait_timeout = 1", "FLUSH TABLES WITH READ LOCK"]);
    for end in ["XA COMMIT 'x'", "XA ROLLBACK 'x'"] {
        assert_eq!(refused(&mut session, end), READ_LOCKED);
    }
    assert_eq!(refused(&mut session, "XA COMMIT 'y'"), NO_SUCH_NAME);
    ok(&mut session, "XA COMMIT 'n'");
    assert_eq!(rows(&mut root, "XA RECOVER"), ["1|1|0|x"], "it is prepared still");
    all_ok(&mut session, &["UNLOCK TABLES", "XA COMMIT 'x'"]);
    assert_eq!(rows(&mut root, "SELECT * FROM d.t"), ["1|1"]);
    world.stop();
}

#[test]
fn names_are_taken_from_their_start_to_their_end() {
    let world = World::start();
    let (mut one, mut other) = (world.root(), world.root());
    all_ok(&mut one, &[TABLE, "XA START 'q'", "INSERT INTO d.t VALUES (1, 1)"]);
    assert_eq!(refused(&mut other, "XA START 'q'"), DUPLICATE_NAME);
    assert_eq!(refused(&mut other, "XA COMMIT 'q'"), NO_SUCH_NAME);
    assert_eq!(refused(&mut other, "XA END 'q'"), WRONG_STATE);
    one.command(&[0x1F]).unwrap();
    one.answer().unwrap();
    ok(&mut other, "XA START 'q'");
    assert_eq!(refused(&mut one, "XA START 'q'"), DUPLICATE_NAME);
    drop(other);
    until(&mut one, "SELECT COUNT(*) FROM information_schema.processlist", &["1"]);
    all_ok(&mut one, &["XA START 'q'", "XA END 'q'", "XA ROLLBACK 'q'"]);
    // Another session may not end what its session keeps, until that has gone.
    let (mut keeper, mut other) = (world.root(), world.root());
    all_ok(
        &mut keeper,
        &[
            "SET xa_detach_on_prepare = OFF",
            "XA START 'k'",
            "INSERT INTO d.t VALUES (2, 2)",
            "XA END 'k'",
            "XA PREPARE 'k'",
        ],
    );
    assert_eq!(refused(&mut keeper, "INSERT INTO d.t VALUES (3, 3)"), WRONG_STATE);
    assert_eq!(refused(&mut keeper, "SELECT @@no_such_variable"), 1193);
    assert_eq!(refused(&mut keeper, "XA END 'k'"), WRONG_STATE);
    assert_eq!(rows(&mut other, "XA RECOVER"), ["1|1|0|k"]);
    assert_eq!(refused(&mut other, "XA ROLLBACK 'k'"), NO_SUCH_NAME);
    drop(keeper);
    until(&mut one, "SELECT COUNT(*) FROM information_schema.processlist", &["2"]);
    ok(&mut other, "XA COMMIT 'k'");
    assert_eq!(rows(&mut other, "SELECT * FROM d.t"), ["2|2"]);
    ok(&mut other, "LOCK TABLES d.t READ");
    assert_eq!(refused(&mut other, "XA START 'z'"), OUTSIDE);
    world.stop();
}

#[test]
fn a_name_is_taken_while_somebody_ends_what_was_not_answered() {
    let world = World::start();
    let (mut root, mut first, mut second) = (world.root(), world.root(), world.root());
    ok(&mut root, TABLE);
    let mut dump = world.dump(7, 0, "SET @rpl_semi_sync_replica = 1");
    let settings =
        ["SET GLOBAL rpl_semi_sync_source_timeout = 600000", "SET GLOBAL rpl_semi_sync_source_enabled = ON"];
    all_ok(&mut root, &settings);
    all_ok(&mut first, &["XA START 'x'", "INSERT INTO d.t VALUES (1, 1)", "XA END 'x'"]);
    send(&mut first, "XA PREPARE 'x'");
    let prepared = asked(&mut dump);
    // The client counts packets from its last word on, as the server does: one that answers nobody.
    dump.acknowledge("binlog.000001", 4).unwrap();
    send(&mut second, "XA COMMIT 'x'");
    let committed = asked(&mut dump);
    dump.acknowledge("binlog.000001", prepared).unwrap();
    first.answer().unwrap();
    assert_eq!(refused(&mut root, "XA START 'x'"), DUPLICATE_NAME, "it is ended under that name");
    dump.acknowledge("binlog.000001", committed).unwrap();
    second.answer().unwrap();
    all_ok(&mut root, &["XA START 'x'", "XA END 'x'", "XA ROLLBACK 'x'"]);
    drop(dump);
    world.stop();
}

#[test]
fn a_deadlock_leaves_nothing_but_the_rollback() {
    let world = World::start();
    let (mut one, mut other) = (world.root(), world.root());
    all_ok(
        &mut one,
        &[
            TABLE,
            "INSERT INTO d.t VALUES (1, 1), (2, 2)",
            "XA START 'x'",
            "UPDATE d.t SET b = 10 WHERE a = 1",
        ],
    );
    all_ok(&mut other, &["BEGIN", "UPDATE d.t SET b = 20 WHERE a = 2"]);
    send(&mut other, "UPDATE d.t SET b = 30 WHERE a = 1");
    until(&mut world.root(), "SELECT COUNT(*) FROM performance_schema.data_lock_waits", &["1"]);
    assert_eq!(refused(&mut one, "UPDATE d.t SET b = 40 WHERE a = 2"), 1213);
    other.answer().unwrap();
    ok(&mut other, "COMMIT");
    for sql in ["SELECT * FROM d.t", "INSERT INTO d.t VALUES (5, 5)", "XA END 'x'"] {
        assert_eq!(refused(&mut one, sql), DEADLOCKED, "{sql}");
    }
    for sql in ["COMMIT", "BEGIN", "XA PREPARE 'x'", "DROP TABLE d.t"] {
        assert_eq!(refused(&mut one, sql), WRONG_STATE, "{sql}");
    }
    ok(&mut one, "XA ROLLBACK 'x'");
    assert_eq!(rows(&mut one, "SELECT * FROM d.t"), ["1|30", "2|20"]);
    world.stop();
}

/// Types and texts of the binlog's events behind a position of the first file.
fn logged(world: &World, behind: &str) -> Vec<String> {
    let sql = format!("SHOW BINLOG EVENTS FROM {behind}");
    let event = |row: &String| {
        let cells: Vec<&str> = row.split('|').collect();
        let info = if ["Gtid", "Table_map", "Write_rows", "Xid"].contains(&cells[2]) { "" } else { cells[5] };
        format!("{} {info}", cells[2]).trim_end().to_owned()
    };
    rows(&mut world.root(), &sql).iter().map(event).collect()
}

fn position(world: &World) -> String {
    rows(&mut world.root(), "SHOW MASTER STATUS")[0].split('|').nth(1).unwrap().to_owned()
}

/// What MySQL 9.7.4 writes of the statements below, but for the last one: XA COMMIT .. ONE PHASE is an ordinary transaction.
const EVENTS: &[&str] = &[
    "Gtid",
    "Query XA START X'78',X'',1",
    "Table_map",
    "Write_rows",
    "Query XA END X'78',X'',1",
    "XA_prepare XA PREPARE X'78',X'',1",
    "Gtid",
    "Query BEGIN",
    "Table_map",
    "Write_rows",
    "Xid",
    "Gtid",
    "Query XA COMMIT X'78',X'',1",
    "Gtid",
    "Query XA START X'79',X'62',7",
    "Table_map",
    "Write_rows",
    "Query XA END X'79',X'62',7",
    "XA_prepare XA PREPARE X'79',X'62',7",
    "Gtid",
    "Query XA ROLLBACK X'79',X'62',7",
    "Gtid",
    "Query BEGIN",
    "Table_map",
    "Write_rows",
    "Xid",
];

#[test]
fn the_binlog_has_what_mysql_writes() {
    let world = World::start();
    let mut root = world.root();
    ok(&mut root, TABLE);
    let begun = position(&world);
    all_ok(
        &mut root,
        &[
            "XA START 'x'",
            "INSERT INTO d.t VALUES (1, 1)",
            "XA END 'x'",
            "XA PREPARE 'x'",
            "INSERT INTO d.t VALUES (2, 2)",
            "XA COMMIT 'x'",
            "XA START 'y', 'b', 7",
            "INSERT INTO d.t VALUES (3, 3)",
            "XA END 'y', 'b', 7",
            "XA PREPARE 'y', 'b', 7",
            "XA ROLLBACK 'y', 'b', 7",
            "XA START 'o'",
            "INSERT INTO d.t VALUES (4, 4)",
            "XA END 'o'",
            "XA COMMIT 'o' ONE PHASE",
            // Nothing of these.
            "XA START 'e'",
            "XA END 'e'",
            "XA PREPARE 'e'",
            "XA COMMIT 'e'",
            "XA START 'g'",
            "INSERT INTO d.t VALUES (5, 5)",
            "XA END 'g'",
            "XA ROLLBACK 'g'",
            "SET sql_log_bin = OFF",
            "XA START 'h'",
            "INSERT INTO d.t VALUES (6, 6)",
            "XA END 'h'",
            "XA PREPARE 'h'",
            "SET sql_log_bin = ON",
            "XA COMMIT 'h'",
        ],
    );
    assert_eq!(logged(&world, &begun), EVENTS);
    assert_eq!(rows(&mut root, "SELECT a FROM d.t"), ["1", "2", "4", "6"]);
    world.stop();
}

#[test]
fn a_replica_prepares_and_ends_what_its_source_does() {
    let (source, replica) = pair("");
    let (mut writer, mut reader) = (source.root(), replica.root());
    all_ok(&mut writer, &[TABLE, "INSERT INTO d.t VALUES (1, 1)"]);
    let catch_up = |reader: &mut crate::client::Client| {
        let there = format!("SELECT gtid_subset('{}', @@global.gtid_executed)", newest(&source));
        until(reader, &there, &["1"]);
    };
    catch_up(&mut reader);
    let begun = position(&replica);
    let source_begun = position(&source);
    all_ok(
        &mut writer,
        &[
            "XA START 'x', 'b', 9",
            "UPDATE d.t SET b = 2 WHERE a = 1",
            "INSERT INTO d.t VALUES (2, 20)",
            "XA END 'x', 'b', 9",
            "XA PREPARE 'x', 'b', 9",
            "INSERT INTO d.t VALUES (3, 3)",
            "XA START 'r'",
            "DELETE FROM d.t WHERE a = 3",
            "XA END 'r'",
            "XA PREPARE 'r'",
        ],
    );
    catch_up(&mut reader);
    assert_eq!(rows(&mut reader, "XA RECOVER"), ["1|1|0|r", "9|1|1|xb"]);
    assert_eq!(rows(&mut reader, "SELECT * FROM d.t"), ["1|1", "3|3"]);
    all_ok(
        &mut writer,
        &[
            "XA COMMIT 'x', 'b', 9",
            "XA ROLLBACK 'r'",
            "XA START 'o'",
            "UPDATE d.t SET b = b + 100",
            "XA END 'o'",
            "XA COMMIT 'o' ONE PHASE",
        ],
    );
    catch_up(&mut reader);
    assert_eq!(rows(&mut reader, "XA RECOVER"), [""; 0]);
    assert_eq!(rows(&mut reader, "SELECT * FROM d.t"), ["1|102", "2|120", "3|103"]);
    assert_eq!(logged(&replica, &begun), logged(&source, &source_begun), "its binlog says the same");
    replica.stop();
    source.stop();
}

#[test]
fn what_has_its_gtid_is_not_prepared_again() {
    let world = World::start();
    let mut root = world.root();
    let uuid = "8a94f357-aab4-11df-86ab-c80aa9429562";
    ok(&mut root, TABLE);
    for _ in 0..2 {
        all_ok(
            &mut root,
            &[
                &format!("SET gtid_next = '{uuid}:1'"),
                "XA START 'x'",
                "INSERT INTO d.t VALUES (1, 1)",
                "XA END 'x'",
                "XA PREPARE 'x'",
                &format!("SET gtid_next = '{uuid}:2'"),
                "XA COMMIT 'x'",
            ],
        );
        assert_eq!(refused(&mut root, "XA COMMIT 'x'"), 1837);
        ok(&mut root, "SET gtid_next = AUTOMATIC");
        assert_eq!(rows(&mut root, "XA RECOVER"), [""; 0]);
        assert_eq!(rows(&mut root, "SELECT * FROM d.t"), ["1|1"]);
    }
    world.stop();
}

/// Neither XA END nor XA_PREPARE has room in the cache, beside rows that fill it.
#[test]
fn nothing_is_left_of_what_the_binlog_cache_cannot_take() {
    let world = World::start_with(&["--max-binlog-cache-size=614400"]);
    let (mut root, mut other) = (world.root(), world.root());
    all_ok(
        &mut root,
        &["CREATE TABLE d.l (a INT PRIMARY KEY, b MEDIUMTEXT)", "INSERT INTO d.l VALUES (1, '')"],
    );
    ok(&mut other, "SET innodb_lock_wait_timeout = 1");
    let name = format!("'{0}', '{0}'", "n".repeat(64));
    for end in ["XA PREPARE #", "XA COMMIT # ONE PHASE"] {
        let end = end.replace('#', &name);
        all_ok(&mut root, &[&format!("XA START {name}"), "UPDATE d.l SET b = REPEAT('x', 600000)"]);
        let mut rows_behind = (2..).map(|a| root.query(&format!("INSERT INTO d.l VALUES ({a}, 'small')")));
        let full = rows_behind.find_map(std::result::Result::err).unwrap();
        assert_eq!(full.code(), 1197);
        ok(&mut root, &format!("XA END {name}"));
        assert_eq!(refused(&mut root, &end), 1197);
        assert_eq!(rows(&mut root, "XA RECOVER"), [""; 0]);
        all_ok(&mut root, &["BEGIN", "COMMIT"]);
        all_ok(
            &mut other,
            &["UPDATE d.l SET b = 'free'", "INSERT INTO d.l VALUES (2, '')", "DELETE FROM d.l WHERE a = 2"],
        );
        assert_eq!(rows(&mut root, "SELECT * FROM d.l"), ["1|free"]);
    }
    world.stop();
}

/// What ends a prepared transaction stores a position with it. Where that is refused, and passed over then, the next one can.
#[test]
fn a_replica_goes_on_behind_an_end_that_a_full_disk_refused() {
    let (disk, source) = (SimDisk::new(), World::start());
    let replica = World::start_on(&disk, &["--server-id=2"]);
    follow(&source, &replica, "");
    let (mut writer, mut reader) = (source.root(), replica.root());
    all_ok(
        &mut writer,
        &[TABLE, "XA START 'x'", "INSERT INTO d.t VALUES (1, 1)", "XA END 'x'", "XA PREPARE 'x'"],
    );
    until(&mut reader, "XA RECOVER", &["1|1|0|x"]);
    all_ok(
        &mut reader,
        &["SET sql_log_bin = OFF", "CREATE TABLE d.fill (a INT AUTO_INCREMENT PRIMARY KEY, b MEDIUMTEXT)"],
    );
    let used = u64::MAX - disk.free_bytes("/data".as_ref()).unwrap();
    disk.set_capacity(used + (4 << 20));
    for size in [1 << 20, 1 << 10, 1] {
        while reader.query(&format!("INSERT INTO d.fill (b) VALUES (REPEAT('x', {size}))")).is_ok() {}
    }
    ok(&mut writer, "XA COMMIT 'x'");
    until(
        &mut reader,
        "SELECT LAST_ERROR_NUMBER FROM performance_schema.replication_applier_status_by_coordinator",
        &["1021"],
    );
    ok(&mut reader, "STOP REPLICA");
    disk.set_capacity(u64::MAX);
    while reader.query("INSERT INTO d.fill (b) VALUES ('')").is_err() {}
    let end = newest(&source);
    all_ok(
        &mut reader,
        &[
            "SET sql_log_bin = ON",
            &format!("SET gtid_next = '{end}'"),
            "BEGIN",
            "COMMIT",
            "SET gtid_next = AUTOMATIC",
            "START REPLICA",
        ],
    );
    ok(&mut writer, "INSERT INTO d.t VALUES (2, 2)");
    until(&mut reader, "SELECT * FROM d.t", &["2|2"]);
    ok(&mut reader, "XA COMMIT 'x'");
    assert_eq!(rows(&mut reader, "SELECT * FROM d.t"), ["1|1", "2|2"]);
    assert_eq!(rows(&mut reader, "XA RECOVER"), [""; 0]);
    replica.stop();
    source.stop();
}

#[test]
fn whoever_ends_one_has_nothing_left_of_a_statement_that_failed() {
    let world = World::start();
    let (mut root, mut other) = (world.root(), world.root());
    all_ok(&mut root, &[TABLE, "INSERT INTO d.t VALUES (1, 1)"]);
    all_ok(&mut root, &["XA START 'x'", "UPDATE d.t SET b = 2 WHERE a = 1", "XA END 'x'", "XA PREPARE 'x'"]);
    // The first table was locked and read before there was no database for the second.
    assert_eq!(refused(&mut other, "CHECKSUM TABLE d.t, t2"), 1046);
    let locks = "SELECT COUNT(*) FROM performance_schema.metadata_locks WHERE object_name = 't'";
    assert_eq!(rows(&mut root, locks), ["1"], "the prepared one's");
    ok(&mut other, "XA COMMIT 'x'");
    assert_eq!(rows(&mut other, "SELECT * FROM d.t"), ["1|2"]);
    assert_eq!(rows(&mut root, "XA RECOVER"), [""; 0]);
    world.stop();
}

#[test]
fn a_replica_s_own_ones_keep_their_names() {
    let (source, replica) = pair("");
    let (mut writer, mut reader) = (source.root(), replica.root());
    all_ok(&mut writer, &[TABLE, "INSERT INTO d.t VALUES (1, 1), (2, 2)"]);
    until(&mut reader, &format!("SELECT gtid_subset('{}', @@global.gtid_executed)", newest(&source)), &["1"]);
    all_ok(
        &mut reader,
        &["XA START 'x'", "UPDATE d.t SET b = 5 WHERE a = 1", "XA END 'x'", "XA PREPARE 'x'"],
    );
    all_ok(
        &mut writer,
        &["XA START 'x'", "UPDATE d.t SET b = 9 WHERE a = 2", "XA END 'x'", "XA PREPARE 'x'"],
    );
    let error = "SELECT last_error_number FROM performance_schema.replication_applier_status_by_coordinator \
                 UNION SELECT last_error_number FROM performance_schema.replication_applier_status_by_worker";
    let stopped = format!("SELECT COUNT(*) FROM ({error}) e WHERE last_error_number = {DUPLICATE_NAME}");
    until(&mut reader, &stopped, &["1"]);
    all_ok(&mut reader, &["XA COMMIT 'x'", "START REPLICA"]);
    until(&mut reader, "SELECT COUNT(*) FROM d.t WHERE b = 5", &["1"]);
    ok(&mut writer, "XA COMMIT 'x'");
    until(&mut reader, "SELECT GROUP_CONCAT(b ORDER BY a) FROM d.t", &["5,9"]);
    replica.stop();
    source.stop();
}
