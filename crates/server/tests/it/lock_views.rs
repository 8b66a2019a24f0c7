//! Purpose: who waits for a lock can be seen, and whom it waits for; a change of a table comes before those who wait to use it.
//!
//! Requirements: R1. SHOW PROCESSLIST says that metadata or a user lock are waited for. R2. `performance_schema.metadata_locks`, `data_locks`,
//! `data_lock_waits`, `threads` and `information_schema.INNODB_TRX` show it, as MySQL's do. R3. Who has not the privilege
//! PROCESS sees nothing of others, and no names of tables that it may not use. R4. A table is replaced by RENAME in the way of gh-ost: nobody writes to the old one.
//!
//! Method: a whole server on a simulated disk. What is expected was seen at MySQL 9.7.4; docs/LIMITS.md says what differs.

use crate::client::Client;
use crate::whole::{World, ok, rows, send, until};

const STATES: &str =
    "SELECT state, info FROM information_schema.processlist WHERE state LIKE 'Waiting%' ORDER BY info";
const TABLES: &str = "SELECT object_type, object_name, lock_type, lock_status, processlist_info \
     FROM performance_schema.metadata_locks JOIN performance_schema.threads ON owner_thread_id = thread_id \
     WHERE object_schema = 'd' ORDER BY object_name, lock_status, lock_type";

#[test]
fn who_waits_for_a_table_is_seen_with_whom_it_waits_for() {
    let world = World::start();
    let (mut root, mut holder, mut changer) = (world.root(), world.root(), world.root());
    ok(&mut root, "CREATE TABLE d.t (id INT PRIMARY KEY)");
    ok(&mut holder, "BEGIN");
    ok(&mut holder, "SELECT * FROM d.t");
    send(&mut changer, "ALTER TABLE d.t ADD b INT");
    until(&mut root, STATES, &["Waiting for table metadata lock|ALTER TABLE d.t ADD b INT"]);
    let held = [
        "SCHEMA|NULL|INTENTION_EXCLUSIVE|GRANTED|ALTER TABLE d.t ADD b INT",
        "TABLE|t|SHARED_READ|GRANTED|NULL",
        "TABLE|t|EXCLUSIVE|PENDING|ALTER TABLE d.t ADD b INT",
    ];
    until(&mut root, TABLES, &held);
    ok(&mut holder, "COMMIT");
    changer.answer().unwrap();
    assert_eq!(rows(&mut root, TABLES), [""; 0]);

    ok(&mut holder, "LOCK TABLES d.t READ");
    send(&mut changer, "INSERT INTO d.t VALUES (1, 1)");
    until(&mut root, STATES, &["Waiting for table metadata lock|INSERT INTO d.t VALUES (1, 1)"]);
    let read = "SELECT lock_type, lock_status FROM performance_schema.metadata_locks WHERE object_name = 't' \
         AND lock_type <> 'SHARED_READ' ORDER BY 2";
    assert_eq!(rows(&mut root, read), ["SHARED_READ_ONLY|GRANTED", "SHARED_WRITE|PENDING"]);
    ok(&mut holder, "UNLOCK TABLES");
    changer.answer().unwrap();

    ok(&mut holder, "LOCK TABLES d.t WRITE");
    send(&mut changer, "DROP DATABASE d");
    until(&mut root, STATES, &["Waiting for table metadata lock|DROP DATABASE d"]);
    let mut other = world.root();
    send(&mut other, "CREATE TABLE d.u (id INT)");
    let both = [
        "Waiting for schema metadata lock|CREATE TABLE d.u (id INT)",
        "Waiting for table metadata lock|DROP DATABASE d",
    ];
    until(&mut root, STATES, &both);
    ok(&mut holder, "UNLOCK TABLES");
    changer.answer().unwrap();
    assert_eq!(other.answer().unwrap_err().code(), 1049);
    world.stop();
}

#[test]
fn who_waits_for_a_user_lock_is_seen() {
    let world = World::start();
    let (mut root, mut other) = (world.root(), world.root());
    ok(&mut root, "SELECT GET_LOCK('l', 0)");
    send(&mut other, "SELECT GET_LOCK('l', -1)");
    let states = "SELECT info FROM information_schema.processlist WHERE state = 'User lock'";
    until(&mut root, states, &["SELECT GET_LOCK('l', -1)"]);
    ok(&mut root, "SELECT RELEASE_LOCK('l')");
    other.answer().unwrap();
    until(&mut root, states, &[]);
    world.stop();
}

#[test]
fn who_waits_for_a_backup_to_end_is_seen_too() {
    let world = World::start();
    let (mut root, mut changer, mut backup) = (world.root(), world.root(), world.root());
    ok(&mut root, "CREATE TABLE d.t (id INT PRIMARY KEY)");
    ok(&mut root, "BEGIN");
    ok(&mut root, "SELECT * FROM d.t");
    send(&mut changer, "TRUNCATE d.t");
    until(&mut root, STATES, &["Waiting for table metadata lock|TRUNCATE d.t"]);
    send(&mut backup, "LOCK INSTANCE FOR BACKUP");
    let both =
        ["Waiting for backup lock|LOCK INSTANCE FOR BACKUP", "Waiting for table metadata lock|TRUNCATE d.t"];
    until(&mut root, STATES, &both);
    let locks = "SELECT lock_type, lock_status FROM performance_schema.metadata_locks \
         WHERE object_type = 'BACKUP LOCK' ORDER BY lock_status";
    assert_eq!(rows(&mut root, locks), ["INTENTION_EXCLUSIVE|GRANTED", "SHARED|PENDING"]);
    ok(&mut root, "COMMIT");
    changer.answer().unwrap();
    backup.answer().unwrap();
    world.stop();
}

#[test]
fn who_stops_the_whole_server_is_seen_and_who_waits_for_it() {
    let world = World::start();
    let (mut root, mut holder) = (world.root(), world.root());
    let (mut writer, mut changer) = (world.root(), world.root());
    ok(&mut root, "CREATE TABLE d.t (id INT PRIMARY KEY)");
    let held = format!(
        "SELECT object_type, lock_type, lock_duration, lock_status FROM performance_schema.metadata_locks \
         WHERE owner_thread_id = {} ORDER BY object_type",
        holder.connection_id
    );
    ok(&mut holder, "FLUSH TABLES WITH READ LOCK");
    send(&mut writer, "INSERT INTO d.t VALUES (1)");
    send(&mut changer, "TRUNCATE d.t");
    let both =
        ["Waiting for commit lock|INSERT INTO d.t VALUES (1)", "Waiting for global read lock|TRUNCATE d.t"];
    until(&mut root, STATES, &both);
    let global = ["COMMIT|SHARED|EXPLICIT|GRANTED", "GLOBAL|SHARED|EXPLICIT|GRANTED"];
    assert_eq!(rows(&mut root, &held), global);
    ok(&mut holder, "UNLOCK TABLES");
    writer.answer().unwrap();
    changer.answer().unwrap();
    ok(&mut holder, "LOCK INSTANCE FOR BACKUP");
    send(&mut changer, "TRUNCATE d.t");
    until(&mut root, STATES, &["Waiting for backup lock|TRUNCATE d.t"]);
    assert_eq!(rows(&mut root, &held), ["BACKUP LOCK|SHARED|EXPLICIT|GRANTED"]);
    ok(&mut root, &format!("KILL QUERY {}", changer.connection_id));
    assert_eq!(changer.answer().unwrap_err().code(), 1317);
    send(&mut changer, "SELECT SLEEP(100)");
    until(
        &mut root,
        "SELECT state FROM information_schema.processlist WHERE info LIKE 'SELECT SLEEP%'",
        &["executing"],
    );
    drop(holder);
    until(&mut root, &held, &[]);
    let states = "SELECT state FROM information_schema.processlist WHERE info LIKE 'INSERT INTO d.t%'";
    let _replica = world.dump(7, 0, "SET @rpl_semi_sync_replica = 1");
    ok(&mut root, "SET GLOBAL rpl_semi_sync_source_timeout = 600000");
    ok(&mut root, "SET GLOBAL rpl_semi_sync_source_enabled = ON");
    send(&mut writer, "INSERT INTO d.t VALUES (2)");
    until(&mut root, states, &["Waiting for semi-sync ACK from replica"]);
    // Whose read lock waits for that has stopped commits, and not got them yet.
    let mut waiting = world.root();
    send(&mut waiting, "FLUSH TABLES WITH READ LOCK");
    until(
        &mut root,
        STATES,
        &[
            "Waiting for commit lock|FLUSH TABLES WITH READ LOCK",
            "Waiting for semi-sync ACK from replica|INSERT INTO d.t VALUES (2)",
        ],
    );
    let pending = "SELECT object_type, lock_status FROM performance_schema.metadata_locks \
                   WHERE lock_duration = 'EXPLICIT' ORDER BY 1";
    assert_eq!(rows(&mut root, pending), ["COMMIT|PENDING", "GLOBAL|GRANTED"]);
    ok(&mut root, "SET GLOBAL rpl_semi_sync_source_enabled = OFF");
    writer.answer().unwrap();
    waiting.answer().unwrap();
    let all = ["COMMIT|GRANTED", "GLOBAL|GRANTED"];
    assert_eq!(rows(&mut root, pending), all);
    world.stop();
}

#[test]
fn who_waits_for_a_row_is_seen_with_whom_it_waits_for() {
    let world = World::start();
    let (mut root, mut holder, mut waiter) = (world.root(), world.root(), world.root());
    ok(&mut root, "CREATE TABLE d.t (a INT, b VARCHAR(10), c INT, PRIMARY KEY (a, b), UNIQUE KEY (c))");
    ok(&mut root, "CREATE TABLE d.keyless (a INT)");
    ok(&mut root, "INSERT INTO d.t VALUES (1, 'x', 1), (2, 'y', 2)");
    ok(&mut root, "INSERT INTO d.keyless VALUES (7)");
    let locks = "SELECT object_schema, object_name, index_name, lock_type, lock_mode, lock_status, lock_data \
         FROM performance_schema.data_locks ORDER BY lock_status";
    for (held, wanted, index, data) in [
        ("UPDATE d.t SET c = 5 WHERE a = 1", "DELETE FROM d.t WHERE a = 1", "t|PRIMARY", "1, 'x'"),
        ("INSERT INTO d.t VALUES (9, 'z', 9)", "INSERT INTO d.t VALUES (9, 'z', 7)", "t|PRIMARY", "9, 'z'"),
        ("INSERT INTO d.t VALUES (8, 'z', 8)", "INSERT INTO d.t VALUES (7, 'z', 8)", "t|c", "0x"),
        ("DELETE FROM d.keyless", "UPDATE d.keyless SET a = 8", "keyless|GEN_CLUST_INDEX", "0x"),
    ] {
        ok(&mut holder, "BEGIN");
        ok(&mut holder, held);
        send(&mut waiter, wanted);
        let query = "SELECT trx_query FROM information_schema.innodb_trx WHERE trx_state = 'LOCK WAIT'";
        until(&mut root, query, &[wanted]);
        let shown = rows(&mut root, locks);
        assert_eq!(shown.len(), 2, "{shown:?}");
        for (row, status) in shown.iter().zip(["GRANTED", "WAITING"]) {
            let begins = format!("d|{index}|RECORD|X,REC_NOT_GAP|{status}|");
            assert!(row.starts_with(&begins), "{wanted}: {row}");
        }
        // Nobody but its transaction knows a row that is not committed.
        let known = !held.starts_with("INSERT") && !data.starts_with("0x");
        let expected = if known { data } else { "0x" };
        assert!(shown.iter().all(|row| row.rsplit('|').next().unwrap().starts_with(expected)), "{shown:?}");
        let waits = "SELECT r.processlist_info, b.processlist_command, r.thread_id <> b.thread_id \
             FROM performance_schema.data_lock_waits w \
             JOIN performance_schema.threads r ON r.thread_id = w.requesting_thread_id \
             JOIN performance_schema.threads b ON b.thread_id = w.blocking_thread_id \
             JOIN performance_schema.data_locks l ON l.engine_lock_id = w.blocking_engine_lock_id \
             WHERE l.lock_status = 'GRANTED'";
        until(&mut root, waits, &[&format!("{wanted}|Sleep|1")]);
        let requested = "SELECT COUNT(*) FROM information_schema.innodb_trx t JOIN performance_schema.data_lock_waits w \
             ON t.trx_requested_lock_id = w.requesting_engine_lock_id WHERE trx_wait_started >= trx_started";
        assert_eq!(rows(&mut root, requested), ["1"]);
        ok(&mut holder, "ROLLBACK");
        waiter.answer().unwrap();
    }
    assert_eq!(rows(&mut root, locks), [""; 0]);
    world.stop();
}

#[test]
fn transactions_are_seen_as_long_as_they_are_open() {
    let world = World::start();
    let (mut root, mut one) = (world.root(), world.root());
    ok(&mut root, "CREATE TABLE d.t (id INT PRIMARY KEY)");
    let all = "SELECT trx_state, trx_query, trx_rows_modified, trx_isolation_level, trx_rows_locked > 0, \
         trx_started > NOW() - INTERVAL 1 HOUR FROM information_schema.innodb_trx";
    ok(&mut one, "BEGIN");
    assert_eq!(rows(&mut root, all), [""; 0], "nothing was done in it");
    ok(&mut one, "INSERT INTO d.t VALUES (1), (2)");
    until(&mut root, all, &["RUNNING|NULL|2|REPEATABLE READ|1|1"]);
    ok(&mut one, "COMMIT");
    ok(&mut one, "SELECT * FROM d.t");
    until(&mut root, all, &[]);
    ok(&mut one, "SET TRANSACTION ISOLATION LEVEL READ COMMITTED");
    ok(&mut one, "BEGIN");
    ok(&mut one, "SELECT * FROM d.t");
    until(&mut root, all, &["RUNNING|NULL|0|READ COMMITTED|1|1"]);
    drop(one);
    until(&mut root, all, &[]);
    world.stop();
}

#[test]
fn others_are_hidden_from_those_without_process() {
    let world = World::start();
    let (mut root, mut other, mut waiter) = (world.root(), world.root(), world.root());
    ok(&mut root, "CREATE TABLE d.t (id INT PRIMARY KEY)");
    ok(&mut root, "INSERT INTO d.t VALUES (1)");
    ok(&mut root, "GRANT ALL ON d.* TO nobody");
    ok(&mut other, "BEGIN");
    ok(&mut other, "DELETE FROM d.t");
    send(&mut waiter, "DELETE FROM d.t");
    let count = |table: &str| format!("SELECT COUNT(*) > 0 FROM performance_schema.{table}");
    until(&mut root, &count("data_lock_waits"), &["1"]);
    let mut nobody = world.client("nobody");
    for table in ["data_locks", "data_lock_waits", "metadata_locks"] {
        assert_eq!(rows(&mut root, &count(table)), ["1"], "{table}");
        assert_eq!(rows(&mut nobody, &count(table)), ["0"], "{table}");
    }
    assert_eq!(rows(&mut nobody, "SELECT processlist_user FROM performance_schema.threads"), ["nobody"]);
    ok(&mut nobody, "BEGIN");
    ok(&mut nobody, "SELECT COUNT(*) FROM d.t");
    assert_eq!(rows(&mut nobody, &count("metadata_locks")), ["1"], "its own are shown");
    let refused = nobody.query("SELECT * FROM information_schema.innodb_trx").unwrap_err();
    let text = "Access denied; you need (at least one of) the PROCESS privilege(s) for this operation";
    assert_eq!((refused.code(), refused.message()), (1227, text));
    ok(&mut other, "ROLLBACK");
    waiter.answer().unwrap();
    world.stop();
}

#[test]
fn a_lock_does_not_tell_what_a_view_hides() {
    let world = World::start();
    let (mut root, mut nobody, mut waiter) = (world.root(), world.client("nobody"), world.root());
    for sql in [
        "CREATE DATABASE hr",
        "CREATE TABLE hr.salaries (id INT PRIMARY KEY)",
        "CREATE TABLE d.child (id INT REFERENCES hr.salaries (id), FOREIGN KEY (id) REFERENCES hr.salaries (id))",
        "INSERT INTO hr.salaries VALUES (4711)",
        "CREATE VIEW d.v AS SELECT * FROM hr.salaries",
        "GRANT ALL ON d.* TO nobody",
    ] {
        ok(&mut root, sql);
    }
    ok(&mut nobody, "BEGIN");
    ok(&mut nobody, "SELECT * FROM d.v");
    ok(&mut nobody, "INSERT INTO d.child VALUES (4711)");
    send(&mut waiter, "DELETE FROM hr.salaries");
    let tables = "SELECT DISTINCT object_name FROM performance_schema.metadata_locks          WHERE object_type = 'TABLE' ORDER BY object_name";
    let rows_locked = "SELECT DISTINCT object_name, lock_data FROM performance_schema.data_locks";
    until(&mut root, rows_locked, &["salaries|4711"]);
    assert_eq!(rows(&mut root, tables), ["child", "salaries", "v"]);
    assert_eq!(rows(&mut nobody, tables), ["child", "v"]);
    assert_eq!(rows(&mut nobody, rows_locked), [""; 0]);
    ok(&mut root, "GRANT INSERT ON hr.salaries TO nobody");
    assert_eq!(rows(&mut nobody, tables), ["child", "salaries", "v"]);
    ok(&mut nobody, "ROLLBACK");
    waiter.answer().unwrap();
    world.stop();
}

/// The last step of gh-ost: one session locks the table, another one is to rename it, and those who write meanwhile must
/// all end in the new table.
#[test]
fn a_table_is_replaced_under_those_who_write_to_it() {
    let world = World::start();
    let (mut root, mut locker, mut renamer) = (world.root(), world.root(), world.root());
    for round in 0..8 {
        ok(&mut root, "CREATE TABLE d.t (id INT PRIMARY KEY)");
        ok(&mut root, "CREATE TABLE d._t_gho (id INT PRIMARY KEY)");
        ok(&mut root, "CREATE TABLE d._t_del (id INT PRIMARY KEY)");
        ok(&mut locker, "LOCK TABLES d.t WRITE, d._t_del WRITE");
        let mut writers: Vec<Client> = (0..4).map(|_| world.root()).collect();
        for (id, writer) in writers.iter_mut().enumerate() {
            send(writer, &format!("INSERT INTO d.t VALUES ({id})"));
        }
        let waiting =
            "SELECT COUNT(*) FROM information_schema.processlist WHERE state LIKE '%metadata lock%'";
        until(&mut root, waiting, &["4"]);
        send(&mut renamer, "RENAME TABLE d.t TO d._t_del, d._t_gho TO d.t");
        until(&mut root, waiting, &["5"]);
        ok(&mut locker, "DROP TABLE d._t_del");
        // Whichever name it asks for first: now it waits for the one that is still locked, before the writers.
        let pending = "SELECT lock_type, processlist_info LIKE 'RENAME%' FROM performance_schema.metadata_locks \
             JOIN performance_schema.threads ON owner_thread_id = thread_id \
             WHERE object_name = 't' AND lock_status = 'PENDING' LIMIT 1";
        until(&mut root, pending, &["EXCLUSIVE|1"]);
        ok(&mut locker, "UNLOCK TABLES");
        renamer.answer().unwrap();
        for writer in &mut writers {
            writer.answer().unwrap();
        }
        assert_eq!(rows(&mut root, "SELECT id FROM d.t"), ["0", "1", "2", "3"], "round {round}");
        assert_eq!(rows(&mut root, "SELECT id FROM d._t_del"), [""; 0], "round {round}");
        ok(&mut root, "DROP TABLE d.t, d._t_del");
    }
    world.stop();
}
