//! Purpose: sessions wait for each other's locks as MySQL's do, and no longer.
//!
//! Requirements: R1. `innodb_lock_wait_timeout` and `lock_wait_timeout` end waits. LOCK INSTANCE FOR BACKUP: R2. needs
//! BACKUP_ADMIN; R3. keeps others from DDL and from statements about accounts, and nobody from anything else; R4. waits
//! for DDL under way, and finds out if that waits for it; R5. is held by several, beside other locks and transactions,
//! until UNLOCK INSTANCE or the session's end; R6. keeps binlog files. FLUSH TABLES of names WITH READ LOCK: R7. needs
//! RELOAD, LOCK TABLES and SELECT; R8. ends the transaction and locks as LOCK TABLES does.
//!
//! Method: a whole server on a simulated disk, and clients that speak the protocol's bytes. What is expected was seen at
//! MySQL 9.7.4.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::client::{Client, Login};
use crate::whole::{World, ok, send};

/// The number of the error that a statement answers with.
fn error(client: &mut Client, sql: &str) -> u16 {
    client.query(sql).expect_err(sql).code()
}

fn count(client: &mut Client, table: &str) -> String {
    client.query(&format!("SELECT COUNT(*) FROM {table}")).unwrap().rows.remove(0).remove(0).unwrap()
}

/// A server with a table `d.t` of one row, and two sessions; the other one is impatient.
fn world() -> (World, Client, Client) {
    let world = World::start();
    let (mut one, mut other) = (world.root(), world.root());
    ok(&mut one, "CREATE TABLE d.t (id INT PRIMARY KEY, a INT)");
    ok(&mut one, "INSERT INTO d.t VALUES (1, 1)");
    ok(&mut other, "SET lock_wait_timeout = 1");
    (world, one, other)
}

/// Returns when somebody waits for the table `d.t` alone: readers that come later wait too.
fn until_somebody_waits(impatient: &mut Client) {
    while impatient.query("SELECT * FROM d.t").is_ok() {}
}

#[test]
fn a_wait_ends_at_its_time_out() {
    let (world, mut one, mut other) = world();
    ok(&mut one, "BEGIN");
    ok(&mut one, "UPDATE d.t SET a = 2");
    ok(&mut other, "SET innodb_lock_wait_timeout = 1");
    assert_eq!(error(&mut other, "UPDATE d.t SET a = 3"), 1205);
    assert_eq!(error(&mut other, "TRUNCATE d.t"), 1205);
    ok(&mut one, "SET GLOBAL lock_wait_timeout = 1");
    assert_eq!(error(&mut world.root(), "TRUNCATE d.t"), 1205, "a session begins with the global value");
    world.stop();
}

/// What applications do to get or create a row.
#[test]
fn a_row_that_its_primary_key_names_is_locked_where_it_is_missing() {
    let (world, mut one, mut other) = world();
    ok(&mut other, "SET innodb_lock_wait_timeout = 1");
    ok(&mut one, "CREATE TABLE d.u (a INT, b INT, v INT, PRIMARY KEY (a, b))");
    ok(&mut one, "BEGIN");
    for sql in
        ["SELECT * FROM d.t WHERE id = 9 FOR UPDATE", "SELECT * FROM d.u WHERE a = 1 AND b = 2 FOR SHARE"]
    {
        assert!(one.query(sql).unwrap().rows.is_empty());
    }
    assert_eq!(error(&mut other, "INSERT INTO d.t VALUES (9, 9)"), 1205);
    assert_eq!(error(&mut other, "INSERT INTO d.u VALUES (1, 2, 9)"), 1205);
    ok(&mut other, "INSERT INTO d.t VALUES (8, 8)");
    ok(&mut one, "INSERT INTO d.t VALUES (9, 1)");
    ok(&mut one, "INSERT INTO d.u VALUES (1, 2, 1)");
    ok(&mut one, "COMMIT");
    // Two that each read what the other one makes: one of them waits.
    for client in [&mut one, &mut other] {
        ok(client, "SET SESSION TRANSACTION ISOLATION LEVEL SERIALIZABLE");
        ok(client, "BEGIN");
    }
    ok(&mut one, "SELECT * FROM d.t WHERE id = 5");
    ok(&mut other, "SELECT * FROM d.t WHERE id = 6");
    send(&mut one, "INSERT INTO d.t VALUES (6, 6)");
    crate::whole::until(
        &mut world.root(),
        "SELECT COUNT(*) FROM performance_schema.data_locks WHERE lock_status = 'WAITING'",
        &["1"],
    );
    assert_eq!(error(&mut other, "INSERT INTO d.t VALUES (5, 5)"), 1213);
    one.answer().unwrap();
    ok(&mut one, "COMMIT");
    // At READ COMMITTED nothing keeps others from it, as in MySQL.
    ok(&mut one, "SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED");
    ok(&mut one, "BEGIN");
    ok(&mut one, "SELECT * FROM d.t WHERE id = 20 FOR UPDATE");
    ok(&mut other, "INSERT INTO d.t VALUES (20, 1)");
    world.stop();
}

#[test]
fn who_creates_what_is_there_waits_for_nobody_who_uses_it() {
    let (world, mut holder, mut impatient) = world();
    ok(&mut holder, "BEGIN");
    ok(&mut holder, "INSERT INTO d.t VALUES (2, 2)");
    ok(&mut impatient, "CREATE TABLE IF NOT EXISTS d.t (other TEXT)");
    ok(&mut impatient, "CREATE TABLE IF NOT EXISTS d.t SELECT 1 AS one");
    ok(&mut impatient, "CREATE TABLE d.u (a INT)");
    ok(&mut impatient, "CREATE TABLE IF NOT EXISTS d.t LIKE d.u");
    assert_eq!(error(&mut impatient, "CREATE TABLE d.t (a INT)"), 1050);
    assert_eq!(error(&mut impatient, "DROP TABLE IF EXISTS d.t"), 1205);
    ok(&mut holder, "COMMIT");
    world.stop();
}

#[test]
fn a_backup_needs_its_privilege() {
    let (world, mut root, _) = world();
    ok(&mut root, "GRANT SUPER ON *.* TO nobody");
    let mut nobody = world.client("nobody");
    for sql in ["LOCK INSTANCE FOR BACKUP", "UNLOCK INSTANCE"] {
        let refused = nobody.query(sql).unwrap_err();
        let text =
            "Access denied; you need (at least one of) the BACKUP_ADMIN privilege(s) for this operation";
        assert_eq!((refused.code(), refused.message()), (1227, text));
    }
    ok(&mut root, "GRANT BACKUP_ADMIN ON *.* TO nobody");
    ok(&mut nobody, "LOCK INSTANCE FOR BACKUP");
    ok(&mut nobody, "UNLOCK INSTANCE");
    let shown = root.query("SHOW GLOBAL STATUS LIKE 'Com%lock_instance'").unwrap().rows;
    let counts: Vec<_> = shown.iter().map(|row| row[1].as_deref().unwrap()).collect();
    assert_eq!(counts, ["2", "2"]);
    world.stop();
}

#[test]
fn definitions_stay_as_they_are_during_a_backup() {
    let (world, mut backup, mut other) = world();
    ok(&mut backup, "LOCK INSTANCE FOR BACKUP");
    ok(&mut backup, "CREATE TABLE d.own (id INT)");
    ok(&mut backup, "DROP USER nobody");
    let changes = [
        "CREATE TABLE d.u (id INT)",
        "CREATE TABLE d.u LIKE d.t",
        "ALTER TABLE d.t ADD b INT",
        "CREATE INDEX a ON d.t (a)",
        "DROP TABLE d.t",
        "TRUNCATE d.t",
        "RENAME TABLE d.t TO d.u",
        "CREATE DATABASE e",
        "ALTER DATABASE d CHARACTER SET latin1",
        "DROP DATABASE d",
        "CREATE USER somebody",
        "ALTER USER repl@'%' ACCOUNT LOCK",
        "GRANT SELECT ON *.* TO repl@'%'",
        "SET PASSWORD FOR repl@'%' = 'x'",
    ];
    let wait = |sql: &'static str| {
        let mut client = world.root();
        ok(&mut client, "SET lock_wait_timeout = 1");
        send(&mut client, sql);
        (sql, client)
    };
    for (sql, mut client) in changes.map(wait) {
        assert_eq!(client.answer().expect_err(sql).code(), 1205, "{sql}");
    }
    ok(&mut other, "INSERT INTO d.t VALUES (2, 2)");
    ok(&mut other, "LOCK TABLES d.t WRITE");
    ok(&mut other, "UNLOCK TABLES");
    ok(&mut other, "FLUSH BINARY LOGS");
    assert_eq!(count(&mut other, "d.t"), "2");
    ok(&mut other, "SET lock_wait_timeout = 100");
    send(&mut other, "TRUNCATE d.t");
    ok(&mut backup, "UNLOCK INSTANCE");
    other.answer().unwrap();
    assert_eq!(count(&mut backup, "d.t"), "0");
    world.stop();
}

#[test]
fn a_statement_that_waits_for_a_backup_can_be_killed() {
    let (world, mut backup, _) = world();
    let mut other = world.root();
    ok(&mut backup, "LOCK INSTANCE FOR BACKUP");
    send(&mut other, "TRUNCATE d.t");
    let (kill, killed) = (format!("KILL QUERY {}", other.connection_id), AtomicBool::new(false));
    std::thread::scope(|scope| {
        // One that comes before the statement has begun does not concern it.
        scope.spawn(|| {
            while !killed.load(Ordering::Relaxed) {
                ok(&mut backup, &kill);
            }
        });
        let answer = other.answer();
        killed.store(true, Ordering::Relaxed);
        assert_eq!(answer.unwrap_err().code(), 1317);
    });
    world.stop();
}

#[test]
fn several_may_back_up_and_each_ends_it_in_its_way() {
    let (world, mut first, mut other) = world();
    let blocked = |other: &mut Client| error(other, "TRUNCATE d.t") == 1205;
    ok(&mut other, "UNLOCK INSTANCE");
    ok(&mut first, "LOCK INSTANCE FOR BACKUP");
    ok(&mut first, "LOCK INSTANCE FOR BACKUP");
    let mut second = world.root();
    ok(&mut second, "LOCK INSTANCE FOR BACKUP");
    ok(&mut second, "SET lock_wait_timeout = 1");
    assert!(blocked(&mut second), "the first one's backup is another's");
    ok(&mut first, "UNLOCK TABLES");
    ok(&mut first, "BEGIN");
    assert!(blocked(&mut second));
    ok(&mut first, "UNLOCK INSTANCE");
    ok(&mut second, "TRUNCATE d.t");
    assert!(blocked(&mut other));
    second.command(&[0x1F]).unwrap();
    second.answer().unwrap();
    ok(&mut other, "TRUNCATE d.t");
    ok(&mut second, "LOCK INSTANCE FOR BACKUP");
    assert!(blocked(&mut other));
    second.change_user(&Login::new("root", "")).unwrap();
    ok(&mut other, "TRUNCATE d.t");
    ok(&mut second, "LOCK INSTANCE FOR BACKUP");
    drop(second);
    while other.query("TRUNCATE d.t").is_err() {}
    world.stop();
}

#[test]
fn a_transaction_goes_on_when_a_backup_begins_and_ends() {
    let (world, mut backup, _) = world();
    ok(&mut backup, "BEGIN");
    ok(&mut backup, "INSERT INTO d.t VALUES (2, 2)");
    ok(&mut backup, "LOCK INSTANCE FOR BACKUP");
    ok(&mut backup, "UNLOCK INSTANCE");
    ok(&mut backup, "ROLLBACK");
    assert_eq!(count(&mut backup, "d.t"), "1");
    world.stop();
}

#[test]
fn a_backup_waits_for_definitions_that_change() {
    let (world, mut reader, mut other) = world();
    let (mut ddl, mut backup, mut later) = (world.root(), world.root(), world.root());
    ok(&mut reader, "BEGIN");
    ok(&mut reader, "SELECT * FROM d.t");
    send(&mut ddl, "ALTER TABLE d.t ADD b INT");
    until_somebody_waits(&mut other);
    assert_eq!(error(&mut other, "LOCK INSTANCE FOR BACKUP"), 1205);
    ok(&mut other, "CREATE TABLE d.u (id INT)");
    send(&mut backup, "LOCK INSTANCE FOR BACKUP");
    // It comes before changes that begin later.
    while other.query("CREATE TABLE IF NOT EXISTS d.u (id INT)").is_ok() {}
    send(&mut later, "DROP TABLE d.u");
    assert_eq!(error(&mut world.root(), "PURGE BINARY LOGS TO 'binlog.000001'"), 4085);
    ok(&mut reader, "COMMIT");
    ddl.answer().unwrap();
    backup.answer().unwrap();
    assert_eq!(count(&mut other, "d.u"), "0");
    ok(&mut backup, "UNLOCK INSTANCE");
    later.answer().unwrap();
    world.stop();
}

#[test]
fn a_backup_that_a_change_waits_for_is_told_of_the_deadlock() {
    let (world, mut backup, mut other) = world();
    let mut ddl = world.root();
    for (use_table, give_up) in
        [("BEGIN; UPDATE d.t SET a = 2", "COMMIT"), ("LOCK TABLES d.t WRITE", "UNLOCK TABLES")]
    {
        for sql in use_table.split("; ") {
            ok(&mut backup, sql);
        }
        send(&mut ddl, "ALTER TABLE d.t COMMENT 'changed'");
        until_somebody_waits(&mut other);
        if give_up == "UNLOCK TABLES" {
            // The table was locked already: one that waits cannot be told from one that comes.
            while other.query("LOCK INSTANCE FOR BACKUP").is_ok() {
                ok(&mut other, "UNLOCK INSTANCE");
            }
        }
        assert_eq!(error(&mut backup, "LOCK INSTANCE FOR BACKUP"), 1213, "{use_table}");
        ok(&mut backup, give_up);
        ddl.answer().unwrap();
    }
    assert_eq!(other.query("SELECT a FROM d.t").unwrap().rows[0][0].as_deref(), Some("2"), "it went on");
    world.stop();
}

#[test]
fn a_backup_may_begin_under_the_global_read_lock() {
    let (world, mut backup, mut other) = world();
    let mut ddl = world.root();
    ok(&mut backup, "FLUSH TABLES WITH READ LOCK");
    assert_eq!(error(&mut backup, "CREATE USER somebody"), 1223);
    assert_eq!(error(&mut other, "TRUNCATE d.t"), 1205);
    send(&mut ddl, "TRUNCATE d.t");
    ok(&mut backup, "LOCK INSTANCE FOR BACKUP");
    ok(&mut backup, "UNLOCK TABLES");
    ok(&mut other, "INSERT INTO d.t VALUES (2, 2)");
    assert_eq!(count(&mut other, "d.t"), "2", "it still waits");
    ok(&mut backup, "FLUSH TABLES WITH READ LOCK");
    ok(&mut backup, "UNLOCK TABLES");
    ok(&mut backup, "UNLOCK INSTANCE");
    ddl.answer().unwrap();
    assert_eq!(count(&mut other, "d.t"), "0");
    world.stop();
}

#[test]
fn binlog_files_stay_during_a_backup() {
    let (world, mut backup, mut other) = world();
    ok(&mut other, "FLUSH BINARY LOGS");
    ok(&mut backup, "LOCK INSTANCE FOR BACKUP");
    for client in [&mut backup, &mut other] {
        for sql in ["PURGE BINARY LOGS TO 'binlog.000002'", "PURGE BINARY LOGS BEFORE NOW()"] {
            let refused = client.query(sql).unwrap_err();
            let text = "Could not purge binary logs since another session is executing LOCK INSTANCE FOR BACKUP. \
                        Wait for that session to release the lock.";
            assert_eq!((refused.code(), refused.message()), (4085, text));
        }
    }
    assert!(world.shared().common.keepers.try_remove_binlogs().is_none(), "they do not expire either");
    ok(&mut backup, "UNLOCK INSTANCE");
    assert!(world.shared().common.keepers.try_remove_binlogs().is_some());
    ok(&mut other, "PURGE BINARY LOGS TO 'binlog.000002'");
    assert_eq!(other.query("SHOW BINARY LOGS").unwrap().rows.len(), 1);
    world.stop();
}

#[test]
fn a_table_is_locked_by_whoever_may_lock_and_read_it() {
    let (world, mut root, _) = world();
    let mut nobody = world.client("nobody");
    let flush = "FLUSH TABLES d.t WITH READ LOCK";
    assert_eq!(error(&mut nobody, flush), 1227);
    ok(&mut root, "GRANT RELOAD ON *.* TO nobody");
    let both = |client: &mut Client| [error(client, flush), error(client, "LOCK TABLES d.t READ")];
    assert_eq!(both(&mut nobody), [1044; 2]);
    ok(&mut root, "GRANT SELECT ON d.t TO nobody");
    assert_eq!(both(&mut nobody), [1044; 2]);
    ok(&mut root, "GRANT LOCK TABLES ON d.* TO nobody");
    ok(&mut nobody, "LOCK TABLES d.t WRITE");
    ok(&mut nobody, "UNLOCK TABLES");
    ok(&mut nobody, flush);
    ok(&mut nobody, "UNLOCK TABLES");
    ok(&mut root, "REVOKE SELECT ON d.t FROM nobody");
    assert_eq!(both(&mut nobody), [1142; 2]);
    world.stop();
}

#[test]
fn named_tables_are_flushed_and_locked_for_reading() {
    let (world, mut one, mut other) = world();
    ok(&mut one, "CREATE TABLE d.u (id INT PRIMARY KEY)");
    ok(&mut one, "BEGIN");
    ok(&mut one, "INSERT INTO d.t VALUES (2, 2)");
    ok(&mut one, "FLUSH TABLES d.t, d.u WITH READ LOCK");
    assert_eq!(count(&mut other, "d.t"), "2", "the transaction was committed, and others read");
    assert_eq!(count(&mut one, "d.t"), "2");
    assert_eq!(error(&mut one, "INSERT INTO d.t VALUES (3, 3)"), 1099);
    assert_eq!(error(&mut other, "INSERT INTO d.t VALUES (3, 3)"), 1205);
    assert_eq!(error(&mut other, "TRUNCATE d.u"), 1205);
    for again in ["FLUSH TABLES d.u WITH READ LOCK", "FLUSH TABLES WITH READ LOCK"] {
        assert_eq!(error(&mut one, again), 1192);
    }
    ok(&mut other, "SET lock_wait_timeout = 100");
    send(&mut other, "INSERT INTO d.t VALUES (3, 3)");
    ok(&mut one, "UNLOCK TABLES");
    other.answer().unwrap();
    assert_eq!(error(&mut one, "FLUSH TABLES d.t, d.nosuch WITH READ LOCK"), 1146);
    ok(&mut one, "INSERT INTO d.t VALUES (4, 4)");
    ok(&mut one, "FLUSH TABLES WITH READ LOCK");
    ok(&mut one, "FLUSH TABLES d.t WITH READ LOCK");
    ok(&mut one, "UNLOCK TABLES");
    ok(&mut other, "INSERT INTO d.t VALUES (5, 5)");
    ok(&mut other, "TRUNCATE d.u");
    world.stop();
}

#[test]
fn lock_tables_locks_what_foreign_keys_lead_to() {
    let (world, mut one, mut other) = world();
    ok(&mut one, "CREATE TABLE d.p (id INT PRIMARY KEY)");
    ok(
        &mut one,
        "CREATE TABLE d.c (id INT PRIMARY KEY, p INT, FOREIGN KEY (p) REFERENCES d.p (id) ON DELETE CASCADE)",
    );
    ok(&mut one, "INSERT INTO d.p VALUES (1), (2)");
    ok(&mut one, "LOCK TABLES d.c WRITE");
    ok(&mut one, "INSERT INTO d.c VALUES (1, 1), (2, 2)");
    assert_eq!(error(&mut one, "INSERT INTO d.c VALUES (3, 3)"), 1452);
    assert_eq!(error(&mut one, "SELECT * FROM d.p"), 1100, "the statement has not named it");
    ok(&mut one, "LOCK TABLES d.p WRITE");
    assert_eq!(error(&mut other, "SELECT * FROM d.c"), 1205, "its rows may go");
    ok(&mut one, "DELETE FROM d.p WHERE id = 1");
    ok(&mut one, "UNLOCK TABLES");
    assert_eq!((count(&mut one, "d.p"), count(&mut one, "d.c")), ("1".into(), "1".into()));
    // Nobody is asked for privileges on what he does not name.
    ok(&mut one, "CREATE USER deleter");
    ok(&mut one, "GRANT SELECT, DELETE ON d.p TO deleter");
    ok(&mut world.client("deleter"), "DELETE FROM d.p");
    assert_eq!(count(&mut one, "d.c"), "0");
    world.stop();
}
