//! Purpose: a read-only server takes no changes, and none is on its way when the SET that made it so has answered.
//!
//! Requirements: R1. `super_read_only` refuses all that writes, `read_only` that of whoever is no administrator, with error
//! 1290; reading goes on. R2. A transaction that has written before is refused at its COMMIT and rolled back. R3. A commit
//! that waited while the server was made read-only is refused, and SET waits for one that goes on. R4. SET is refused in a transaction and under LOCK TABLES,
//! but not under the global read lock.
//!
//! Method: a whole server on a simulated disk. What is expected was seen at MySQL 9.7.4.

use crate::client::{Client, Login};
use crate::whole::{World, answers_as_recorded, ok, send};

fn error(client: &mut Client, sql: &str) -> (u16, String) {
    let failure = client.query(sql).expect_err(sql);
    (failure.code(), failure.message().to_owned())
}

fn ids(client: &mut Client) -> Vec<Option<String>> {
    client.query("SELECT id FROM d.t ORDER BY id").unwrap().rows.concat()
}

fn refusal(option: &str) -> (u16, String) {
    let text =
        format!("The MySQL server is running with the {option} option so it cannot execute this statement");
    (1290, text)
}

fn world() -> (World, Client, Client) {
    let world = World::start();
    let (mut root, other) = (world.root(), world.root());
    ok(&mut root, "CREATE TABLE d.t (id INT PRIMARY KEY)");
    ok(&mut root, "INSERT INTO d.t VALUES (1)");
    (world, root, other)
}

const CHANGES: [&str; 20] = [
    "INSERT INTO d.t VALUES (2)",
    "UPDATE d.t SET id = 1 WHERE id = 77",
    "DELETE FROM d.t",
    "CREATE TABLE d.u (a INT)",
    "CREATE TABLE IF NOT EXISTS d.t (id INT PRIMARY KEY)",
    "ALTER TABLE d.t ADD b INT",
    "DROP TABLE IF EXISTS d.nope",
    "TRUNCATE d.t",
    "CREATE DATABASE IF NOT EXISTS d",
    "CREATE USER x",
    "DROP USER IF EXISTS nobody_there",
    "ALTER USER repl@'%' ACCOUNT LOCK",
    "GRANT SELECT ON *.* TO repl@'%'",
    "SET PASSWORD FOR repl@'%' = 'x'",
    "ANALYZE TABLE d.t",
    "OPTIMIZE TABLE d.t",
    "LOCK TABLES d.t WRITE",
    "START TRANSACTION READ WRITE",
    "SELECT * FROM d.t FOR UPDATE",
    "RENAME TABLE d.t TO d.u",
];

/// The way past a source's transaction that cannot be applied.
#[test]
fn a_read_only_server_takes_an_empty_transaction_of_a_gtid() {
    let (world, mut root, _) = world();
    ok(&mut root, "SET GLOBAL super_read_only = ON");
    let next = "SET gtid_next = 'aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaaa:1'";
    for sql in [next, "BEGIN", "COMMIT", "SET gtid_next = AUTOMATIC"] {
        ok(&mut root, sql);
    }
    let executed = "SELECT GTID_SUBSET('aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaaa:1', @@GLOBAL.gtid_executed)";
    assert_eq!(crate::whole::rows(&mut root, executed), ["1"]);
    assert_eq!(error(&mut root, "INSERT INTO d.t VALUES (2)"), refusal("--super-read-only"));
    world.stop();
}

#[test]
fn nobody_changes_anything_under_super_read_only() {
    let (world, mut root, _) = world();
    ok(&mut root, "SET GLOBAL super_read_only = ON");
    for sql in CHANGES {
        assert_eq!(error(&mut root, sql), refusal("--super-read-only"), "{sql}");
    }
    for sql in [
        "SELECT * FROM d.t",
        "CHECK TABLE d.t",
        "LOCK TABLES d.t READ",
        "UNLOCK TABLES",
        "START TRANSACTION",
        "COMMIT",
        "FLUSH BINARY LOGS",
        "SET GLOBAL read_only = OFF",
        "INSERT INTO d.t VALUES (2)",
    ] {
        ok(&mut root, sql);
    }
    assert_eq!(ids(&mut root).len(), 2);
    world.stop();
}

#[test]
fn read_only_is_for_those_who_are_no_administrators() {
    let (world, mut root, _) = world();
    ok(&mut root, "GRANT ALL ON d.* TO nobody");
    let mut nobody = world.client("nobody");
    ok(&mut root, "SET GLOBAL read_only = ON");
    for sql in ["INSERT INTO d.t VALUES (2)", "CREATE TABLE d.u (a INT)", "LOCK TABLES d.t WRITE"] {
        assert_eq!(error(&mut nobody, sql), refusal("--read-only"), "{sql}");
    }
    ok(&mut root, "INSERT INTO d.t VALUES (2)");
    ok(&mut root, "GRANT CONNECTION_ADMIN ON *.* TO nobody");
    ok(&mut nobody, "INSERT INTO d.t VALUES (3)");
    world.stop();
}

#[test]
fn a_transaction_that_has_written_is_rolled_back_at_its_commit() {
    let (world, mut root, mut other) = world();
    ok(&mut root, "BEGIN");
    ok(&mut root, "INSERT INTO d.t VALUES (2)");
    ok(&mut other, "SET GLOBAL super_read_only = ON");
    assert_eq!(error(&mut root, "COMMIT"), refusal("--super-read-only"));
    assert_eq!(ids(&mut root).len(), 1);
    ok(&mut root, "BEGIN");
    ok(&mut root, "SELECT * FROM d.t");
    ok(&mut root, "COMMIT");
    ok(&mut other, "SET GLOBAL super_read_only = OFF");
    ok(&mut other, "SET GLOBAL read_only = OFF");
    ok(&mut root, "INSERT INTO d.t VALUES (2)");
    world.stop();
}

#[test]
fn a_commit_that_has_waited_is_refused() {
    let (world, mut root, mut other) = world();
    let mut backup = world.root();
    ok(&mut backup, "FLUSH TABLES WITH READ LOCK");
    send(&mut root, "UPDATE d.t SET id = 2");
    // It holds its row when it waits.
    while other.query("SELECT id FROM d.t WHERE id = 1 FOR UPDATE NOWAIT").is_ok() {}
    ok(&mut other, "SET GLOBAL super_read_only = ON");
    ok(&mut backup, "UNLOCK TABLES");
    assert_eq!(root.answer().unwrap_err().code(), 1290);
    assert_eq!(ids(&mut root), [Some("1".to_owned())]);
    ok(&mut other, "FLUSH TABLES WITH READ LOCK");
    world.stop();
}

#[test]
fn what_is_under_way_has_ended_when_set_answers() {
    let (world, mut root, mut other) = world();
    let mut third = world.root();
    ok(
        &mut root,
        "SET GLOBAL rpl_semi_sync_source_timeout = 1000000, GLOBAL rpl_semi_sync_source_enabled = ON",
    );
    send(&mut root, "INSERT INTO d.t VALUES (2)");
    // It waits for replicas, of which there is none; and SET for it, however often the others look.
    let waiting = "SHOW STATUS LIKE 'Rpl_semi_sync_source_wait_sessions'";
    while third.query(waiting).unwrap().rows[0][1].as_deref() != Some("1") {}
    send(&mut other, "SET GLOBAL super_read_only = ON");
    for _ in 0..200 {
        let shown = third.query("SELECT @@super_read_only").unwrap().rows.concat();
        assert_eq!(shown, [Some("0".to_owned())]);
    }
    ok(&mut third, "SET GLOBAL rpl_semi_sync_source_enabled = OFF");
    other.answer().unwrap();
    assert_eq!(ids(&mut other).len(), 2);
    root.answer().unwrap();
    world.stop();
}

#[test]
fn the_server_is_made_read_only_outside_of_transactions() {
    let (world, mut root, _) = world();
    for (begin, end) in [
        ("BEGIN", "ROLLBACK"),
        ("LOCK TABLES d.t READ", "UNLOCK TABLES"),
        ("LOCK TABLES d.t WRITE", "UNLOCK TABLES"),
    ] {
        ok(&mut root, begin);
        for sql in
            ["SET GLOBAL super_read_only = ON", "SET GLOBAL read_only = ON", "SET GLOBAL read_only = OFF"]
        {
            assert_eq!(error(&mut root, sql).0, 1192, "{begin}; {sql}");
        }
        ok(&mut root, "SET GLOBAL super_read_only = OFF");
        ok(&mut root, end);
    }
    ok(&mut root, "FLUSH TABLES WITH READ LOCK");
    ok(&mut root, "SET GLOBAL super_read_only = ON");
    ok(&mut root, "UNLOCK TABLES");
    world.stop();
}

#[test]
fn a_statement_by_itself_is_a_transaction_that_may_only_read() {
    let (_world, mut root, mut other) = world();
    let refused = 1792;
    ok(&mut other, "SET SESSION TRANSACTION READ ONLY");
    for sql in ["INSERT INTO d.t VALUES (2)", "CREATE TABLE d.u (id INT)", "DELETE FROM d.t"] {
        assert_eq!(error(&mut other, sql).0, refused, "{sql}");
    }
    ok(&mut other, "SELECT * FROM d.t");
    ok(&mut other, "SET SESSION TRANSACTION READ WRITE");
    ok(&mut other, "INSERT INTO d.t VALUES (2)");
    assert_eq!(ids(&mut root).len(), 2);
}

#[test]
fn what_is_said_of_the_next_transaction_is_used_up_as_in_mysql() {
    answers_as_recorded(include_str!("../data/characteristics-9.7.4.txt"), 120);
}

#[test]
fn who_waits_for_the_global_read_lock_gives_up_in_time_or_is_killed() {
    let (_world, mut root, mut other) = world();
    ok(&mut root, "FLUSH TABLES WITH READ LOCK");
    ok(&mut other, "SET lock_wait_timeout = 1");
    assert_eq!(error(&mut other, "INSERT INTO d.t VALUES (2)").0, 1205);
    ok(&mut other, "BEGIN");
    ok(&mut other, "INSERT INTO d.t VALUES (3)");
    assert_eq!(error(&mut other, "COMMIT").0, 1205);
    ok(&mut other, "BEGIN");
    ok(&mut other, "INSERT INTO d.t VALUES (6)");
    assert_eq!(error(&mut other, "BEGIN").0, 1205, "an implicit commit");
    ok(&mut other, "SET lock_wait_timeout = 1000");
    let id = other.query("SELECT CONNECTION_ID()").unwrap().rows[0][0].clone().unwrap();
    send(&mut other, "INSERT INTO d.t VALUES (4)");
    let waits =
        format!("SELECT 1 FROM information_schema.processlist WHERE id = {id} AND info LIKE 'INSERT%'");
    while root.query(&waits).unwrap().rows.is_empty() {}
    ok(&mut root, &format!("KILL QUERY {id}"));
    assert_eq!(other.answer().unwrap_err().code(), 1317);
    ok(&mut root, "UNLOCK TABLES");
    ok(&mut other, "INSERT INTO d.t VALUES (5)");
    let expected = ["1", "5"].map(|id| Some(id.to_owned()));
    assert_eq!(ids(&mut root), expected);
}

#[test]
fn offline_mode_lets_administrators_in_and_ends_others() {
    let world = World::start();
    let (mut root, mut admin, mut other) = (world.root(), world.root(), world.client("nobody"));
    ok(&mut other, "DO 1");
    ok(&mut root, "SET GLOBAL offline_mode = ON");
    other.query("DO 1").expect_err("it was ended");
    ok(&mut admin, "DO 1");
    let refused = Client::connect(&world.address(), &Login::new("nobody", "")).expect_err("nobody is let in");
    assert_eq!((refused.code(), refused.message()), (3032, "The server is currently in offline mode"));
    let wrong =
        Client::connect(&world.address(), &Login::new("nobody", "x")).expect_err("who it is comes first");
    assert_eq!(wrong.code(), 1045);
    ok(&mut world.root(), "SET GLOBAL offline_mode = OFF");
    ok(&mut world.client("nobody"), "DO 1");
    world.stop();
}
