//! Purpose: what statements do beside others is as if one came after the other.
//!
//! Requirements: R1. user locks change hands whatever the number of those who wait; R2. a parent that another session moves is always
//! there; R3. no child is left without its parent, though another session moves it; R4. a table is copied, or another version of, with
//! the definition that the binlog gives it; R5. what waits for a table can be killed, and sees its newest version; R6. `gtid_next` is that of
//! the statement, whatever the server commits for it; R7. a column that begins to count goes on above its rows; R8. who takes
//! the first row in the order of the primary key locks no other.
//!
//! Method: a whole server on a simulated disk, and several sessions.

use std::thread;

use crate::client::Client;
use crate::whole::{World, all_ok, ok, rows, send, until};

/// Waits until so many wait for the lock of a table.
fn until_waiting(client: &mut Client) {
    let waiting = "SELECT COUNT(*) FROM performance_schema.metadata_locks WHERE lock_status = 'PENDING'";
    until(client, waiting, &["1"]);
}

#[test]
fn user_locks_change_hands() {
    let world = World::start();
    thread::scope(|scope| {
        for _ in 0..6 {
            let mut client = world.root();
            scope.spawn(move || {
                for _ in 0..150 {
                    assert_eq!(rows(&mut client, "SELECT GET_LOCK('l', 60)"), ["1"]);
                    assert_eq!(rows(&mut client, "SELECT RELEASE_LOCK('l')"), ["1"]);
                }
            });
        }
    });
    world.stop();
}

#[test]
fn a_parent_that_is_moved_is_there() {
    let world = World::start();
    let mut root = world.root();
    all_ok(
        &mut root,
        &[
            "CREATE TABLE d.p (id INT PRIMARY KEY, u INT, UNIQUE KEY (u))",
            "CREATE TABLE d.c (u INT, n INT AUTO_INCREMENT PRIMARY KEY, FOREIGN KEY (u) REFERENCES d.p (u))",
            "INSERT INTO d.p VALUES (2, 1)",
        ],
    );
    thread::scope(|scope| {
        for _ in 0..3 {
            let mut client = world.root();
            scope.spawn(move || (0..800).for_each(|_| ok(&mut client, "INSERT INTO d.c (u) VALUES (1)")));
        }
        let mut client = world.root();
        scope.spawn(move || {
            (0..1200)
                .for_each(|i| ok(&mut client, &format!("UPDATE d.p SET id = {} WHERE u = 1", 2 + i % 2)));
        });
    });
    world.stop();
}

#[test]
fn a_child_that_is_moved_goes_with_its_parent() {
    let world = World::start();
    let mut root = world.root();
    all_ok(
        &mut root,
        &[
            "CREATE TABLE d.p (id INT PRIMARY KEY)",
            "CREATE TABLE d.c (id INT PRIMARY KEY, p INT, FOREIGN KEY (p) REFERENCES d.p (id) ON DELETE CASCADE)",
        ],
    );
    let (mut mover, mut deleter) = (world.root(), world.root());
    for round in 0..150 {
        all_ok(&mut root, &["INSERT INTO d.p VALUES (1)", "INSERT INTO d.c VALUES (1, 1)"]);
        send(&mut mover, "UPDATE d.c SET id = id + 1");
        if round % 3 == 0 {
            thread::yield_now();
        }
        send(&mut deleter, "DELETE FROM d.p");
        for (client, sql) in [(&mut mover, "DO 0"), (&mut deleter, "DELETE FROM d.p")] {
            if let Err(failure) = client.answer() {
                assert_eq!(failure.code(), 1213);
                ok(client, sql);
            }
        }
        assert_eq!(rows(&mut root, "SELECT * FROM d.c"), [""; 0], "round {round}");
    }
    // Without checks nobody holds the parent: the child is moved while its own lock is waited for.
    ok(&mut mover, "SET foreign_key_checks = 0");
    all_ok(&mut root, &["INSERT INTO d.p VALUES (1)", "INSERT INTO d.c VALUES (1, 1)"]);
    all_ok(&mut mover, &["BEGIN", "UPDATE d.c SET id = 2"]);
    send(&mut deleter, "DELETE FROM d.p");
    until(&mut root, "SELECT COUNT(*) FROM performance_schema.data_lock_waits", &["1"]);
    ok(&mut mover, "COMMIT");
    deleter.answer().unwrap();
    assert_eq!(rows(&mut root, "SELECT * FROM d.c"), [""; 0]);
    world.stop();
}

#[test]
fn a_table_is_copied_as_the_binlog_has_it() {
    let world = World::start();
    let (mut root, mut owner, mut copier) = (world.root(), world.root(), world.root());
    ok(&mut root, "CREATE TABLE d.s (a INT PRIMARY KEY)");
    ok(&mut owner, "LOCK TABLES d.s WRITE");
    send(&mut copier, "CREATE TABLE d.n LIKE d.s");
    until_waiting(&mut root);
    all_ok(&mut owner, &["ALTER TABLE d.s ADD x INT", "UNLOCK TABLES"]);
    copier.answer().unwrap();
    ok(&mut root, "INSERT INTO d.n (a, x) VALUES (1, 2)");
    world.stop();
}

#[test]
fn a_view_waits_for_who_uses_a_table_that_waits_for_its_name() {
    let world = World::start();
    let (mut root, mut user, mut definer) = (world.root(), world.root(), world.root());
    all_ok(
        &mut root,
        &[
            "SET foreign_key_checks = 0",
            "CREATE TABLE d.b (id INT PRIMARY KEY, p INT, FOREIGN KEY (p) REFERENCES d.v (id))",
        ],
    );
    all_ok(&mut user, &["SET foreign_key_checks = 0", "BEGIN", "INSERT INTO d.b VALUES (1, 1)"]);
    send(&mut definer, "CREATE VIEW d.v AS SELECT 1 AS id");
    until_waiting(&mut root);
    all_ok(&mut user, &["INSERT INTO d.b VALUES (2, 1)", "COMMIT"]);
    definer.answer().unwrap();
    assert_eq!(rows(&mut root, "SELECT id FROM d.b"), ["1", "2"]);
    world.stop();
}

#[test]
fn maintenance_is_killed_and_sees_the_newest_version() {
    let world = World::start();
    let (mut root, mut owner) = (world.root(), world.root());
    all_ok(&mut root, &["CREATE TABLE d.t (a INT PRIMARY KEY)", "INSERT INTO d.t VALUES (1)"]);
    ok(&mut owner, "LOCK TABLES d.t WRITE");
    for what in ["ANALYZE", "CHECK", "CHECKSUM"] {
        let mut waiter = world.root();
        send(&mut waiter, &format!("{what} TABLE d.t"));
        until_waiting(&mut root);
        ok(&mut root, &format!("KILL QUERY {}", waiter.connection_id));
        assert_eq!(waiter.answer().unwrap_err().code(), 1317, "{what}");
    }
    let mut waiter = world.root();
    send(&mut waiter, "CHECKSUM TABLE d.t");
    until_waiting(&mut root);
    all_ok(&mut owner, &["ALTER TABLE d.t FORCE", "UPDATE d.t SET a = 2", "UNLOCK TABLES"]);
    let seen = waiter.answer().unwrap().rows;
    assert_eq!(Some(seen), root.query("CHECKSUM TABLE d.t").map(|answer| answer.rows).ok());
    world.stop();
}

#[test]
fn a_gtid_is_that_of_the_statement() {
    let world = World::start();
    let mut root = world.root();
    let uuid = "11111111-1111-1111-1111-111111111111";
    ok(&mut root, "RESET BINARY LOGS AND GTIDS");
    // The first table that is made after a start has its numbers drawn.
    for (number, sql) in
        [(5, "CREATE DATABASE x"), (6, "CREATE TABLE x.t (a INT)"), (7, "CREATE VIEW x.v AS SELECT 1")]
    {
        all_ok(&mut root, &[&format!("SET gtid_next = '{uuid}:{number}'"), sql]);
    }
    ok(&mut root, "SET gtid_next = AUTOMATIC");
    assert_eq!(rows(&mut root, "SELECT @@gtid_executed"), [format!("{uuid}:5-7")]);
    world.stop();
}

#[test]
fn a_column_that_begins_to_count_goes_on_above_its_rows() {
    let world = World::start();
    let mut root = world.root();
    for (kind, key, ty) in [
        ("", "PRIMARY KEY (id)", "INT"),
        ("", "PRIMARY KEY (id)", "BIGINT"),
        ("", "KEY (id)", "INT"),
        ("TEMPORARY", "PRIMARY KEY (id)", "INT"),
        ("TEMPORARY", "PRIMARY KEY (id)", "BIGINT"),
    ] {
        all_ok(
            &mut root,
            &[
                &format!("CREATE {kind} TABLE d.m (id INT NOT NULL, v INT, {key})"),
                "INSERT INTO d.m VALUES (2, 1), (10, 2)",
                &format!("ALTER TABLE d.m MODIFY id {ty} AUTO_INCREMENT"),
                "INSERT INTO d.m (v) VALUES (3)",
                &format!("ALTER TABLE d.m MODIFY id {ty} NOT NULL"),
                "INSERT INTO d.m VALUES (20, 4)",
                &format!("ALTER TABLE d.m MODIFY id {ty} AUTO_INCREMENT, ADD KEY k (v)"),
                "INSERT INTO d.m (v) VALUES (5)",
                &format!("ALTER TABLE d.m MODIFY id {ty} NOT NULL"),
                "INSERT INTO d.m VALUES (30, 6)",
                &format!("ALTER TABLE d.m MODIFY id {ty} AUTO_INCREMENT, DROP KEY k"),
                "INSERT INTO d.m (v) VALUES (7)",
            ],
        );
        assert_eq!(
            rows(&mut root, "SELECT id FROM d.m ORDER BY v"),
            ["2", "10", "11", "20", "21", "30", "31"],
            "{kind} {key} {ty}"
        );
        ok(&mut root, "DROP TABLE d.m");
    }
    world.stop();
}

#[test]
fn a_child_that_is_added_without_checks_goes_with_its_parent() {
    let world = World::start();
    let (mut root, mut adder, mut deleter) = (world.root(), world.root(), world.root());
    all_ok(
        &mut root,
        &[
            "CREATE TABLE d.p (id INT PRIMARY KEY)",
            "CREATE TABLE d.c (id INT PRIMARY KEY, p INT, FOREIGN KEY (p) REFERENCES d.p (id) ON DELETE CASCADE)",
            "INSERT INTO d.p VALUES (5)",
        ],
    );
    all_ok(
        &mut adder,
        &[
            "SET foreign_key_checks = 0",
            "BEGIN",
            "INSERT INTO d.c VALUES (1, 5)",
            "INSERT INTO d.c VALUES (2, 6)",
        ],
    );
    send(&mut deleter, "DELETE FROM d.p WHERE id = 5");
    until(&mut root, "SELECT COUNT(*) FROM performance_schema.data_lock_waits", &["1"]);
    ok(&mut adder, "COMMIT");
    deleter.answer().unwrap();
    assert_eq!(rows(&mut root, "SELECT * FROM d.c"), ["2|6"], "the one that never had a parent");
    world.stop();
}

#[test]
fn a_gtid_is_executed_though_its_changes_are_not_logged() {
    let world = World::start();
    let mut root = world.root();
    let uuid = "11111111-1111-1111-1111-111111111111";
    ok(&mut root, "RESET BINARY LOGS AND GTIDS");
    ok(&mut root, "SET sql_log_bin = 0");
    for (number, statements) in [
        (1, &["CREATE TABLE d.t (a INT PRIMARY KEY)"][..]),
        (2, &["INSERT INTO d.t VALUES (1)"]),
        (3, &["BEGIN", "INSERT INTO d.t VALUES (2)", "COMMIT"]),
        (4, &["BEGIN", "COMMIT"]),
        (5, &["CREATE TABLE d.s SELECT * FROM d.t"]),
        (6, &["CREATE DATABASE x"]),
    ] {
        ok(&mut root, &format!("SET gtid_next = '{uuid}:{number}'"));
        all_ok(&mut root, statements);
        let executed = if number == 1 { format!("{uuid}:1") } else { format!("{uuid}:1-{number}") };
        assert_eq!(rows(&mut root, "SELECT @@gtid_executed"), [executed]);
    }
    ok(&mut root, "SET gtid_next = AUTOMATIC");
    let events = rows(&mut root, "SHOW BINLOG EVENTS");
    assert!(!events.iter().any(|event| event.contains("rows") || event.contains("CREATE")), "{events:?}");
    let world = world.restart();
    let mut root = world.root();
    assert_eq!(rows(&mut root, "SELECT @@gtid_executed"), [format!("{uuid}:1-6")]);
    assert_eq!(rows(&mut root, "SELECT * FROM d.s"), ["1", "2"]);
    world.stop();
}

#[test]
fn rules_of_tables_are_the_same_for_whoever_writes() {
    let world = World::start();
    let mut root = world.root();
    all_ok(
        &mut root,
        &[
            "CREATE TABLE d.a (id INT, d DATE, y INT AS (DATE_FORMAT(d, '%Y') = '2020'), CHECK (HEX(id) <> 'b'))",
            "CREATE TABLE d.c (ts DATETIME, wk INT AS (CASE WHEN DAYNAME(ts) IN ('Saturday', 'Sunday') THEN 1 ELSE 0 END) STORED)",
            "CREATE TABLE d.e (a INT, b VARCHAR(60) DEFAULT (CONCAT('x', UUID())))",
            "CREATE TABLE d.h (id INT, d INT AS (HEX(id) = 'a') STORED)",
        ],
    );
    for collation in ["utf8mb4_unicode_ci", "utf8mb4_bin", "utf8mb4_0900_as_cs"] {
        all_ok(
            &mut root,
            &[
                &format!("SET NAMES utf8mb4 COLLATE {collation}"),
                "INSERT INTO d.a (id, d) VALUES (1, '2020-01-01')",
                "INSERT INTO d.c (ts) VALUES ('2020-01-04')",
                "INSERT INTO d.e (a) VALUES (1)",
                "INSERT INTO d.h (id) VALUES (10)",
            ],
        );
    }
    ok(&mut root, "SET NAMES utf8mb4");
    assert_eq!(rows(&mut root, "SELECT DISTINCT y FROM d.a"), ["1"]);
    assert_eq!(rows(&mut root, "SELECT DISTINCT wk FROM d.c"), ["1"]);
    assert_eq!(rows(&mut root, "SELECT DISTINCT d FROM d.h"), ["1"]);
    world.stop();
}

#[test]
fn decimals_have_all_their_digits_and_weeks_their_format() {
    let world = World::start();
    let mut root = world.root();
    let nines = "9".repeat(65);
    ok(&mut root, "CREATE TABLE d.n (a DECIMAL(65, 0))");
    all_ok(
        &mut root,
        &[
            &format!("INSERT INTO d.n VALUES ({nines})"),
            "INSERT INTO d.n SELECT a FROM d.n",
            "UPDATE d.n SET a = -a",
            "UPDATE d.n SET a = a + 0",
        ],
    );
    assert_eq!(rows(&mut root, "SELECT DISTINCT CAST(a AS DECIMAL(65, 0)) FROM d.n"), [format!("-{nines}")]);
    assert_eq!(root.query("INSERT INTO d.n VALUES (1e65)").unwrap_err().code(), 1264);
    ok(&mut root, "SET default_week_format = 3");
    assert_eq!(rows(&mut root, "SELECT WEEK('2020-01-01'), WEEK('2020-01-01', 0)"), ["1|0"]);
    world.stop();
}

#[test]
fn workers_take_the_next_jobs_of_a_queue() {
    let world = World::start();
    let (mut root, mut other) = (world.root(), world.root());
    ok(
        &mut root,
        "CREATE TABLE d.jobs (id INT PRIMARY KEY, queue VARCHAR(9), reserved INT, attempts INT, KEY (queue))",
    );
    ok(&mut root, "INSERT INTO d.jobs (id, queue) VALUES (3, 'a'), (1, 'a'), (2, 'b'), (4, 'a')");
    let next = "SELECT id FROM d.jobs WHERE queue = 'a' AND (reserved IS NULL OR reserved < 9) ORDER BY id LIMIT 1 \
                FOR UPDATE SKIP LOCKED";
    all_ok(&mut root, &["BEGIN"]);
    all_ok(&mut other, &["BEGIN", "SET innodb_lock_wait_timeout = 1"]);
    assert_eq!(rows(&mut root, next), ["1"]);
    assert_eq!(rows(&mut other, next), ["3"]);
    // Nobody has those behind them.
    ok(&mut other, "UPDATE d.jobs SET attempts = 1 WHERE id = 4");
    all_ok(&mut root, &["COMMIT"]);
    all_ok(&mut other, &["COMMIT"]);
    world.stop();
}
