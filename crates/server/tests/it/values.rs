//! Purpose: what SET, DO, KILL and PURGE read with subqueries, they read as SELECT does.
//!
//! Requirements: R1. Subqueries ask for SELECT (1142). R2. They take their tables' locks until the transaction ends, and read
//! at its snapshot: 1205, 1100, 1412. R3. KILL takes no subqueries (1235), PURGE has none (1064). R4. KILL ends a statement
//! at its subquery; `max_execution_time` is about SELECT alone. R5. Nobody waits for PURGE while it reads its moment.
//!
//! Method: a whole server on a simulated disk, and clients that speak the protocol's bytes. What is expected was seen at
//! MySQL 9.7.4.

use crate::client::Client;
use crate::waits::until_run;
use crate::whole::{World, ok, rows, send, until};

/// Statements that read `d.t`.
const READING: [&str; 4] = [
    "SET @a = (SELECT a FROM d.t LIMIT 1)",
    "SET @b = 1, @c = EXISTS (SELECT 1 FROM d.t)",
    "SET SESSION sql_mode = (SELECT a FROM d.t LIMIT 1)",
    "DO 1, (SELECT a FROM d.t LIMIT 1)",
];

/// The number of the error that a statement answers with.
fn error(client: &mut Client, sql: &str) -> u16 {
    client.query(sql).expect_err(sql).code()
}

/// A server with a table `d.t` of one row, and two sessions that are impatient.
fn world() -> (World, Client, Client) {
    let world = World::start();
    let (mut one, mut other) = (world.root(), world.root());
    ok(&mut one, "CREATE TABLE d.t (id INT PRIMARY KEY, a INT)");
    ok(&mut one, "INSERT INTO d.t VALUES (1, 32)");
    for client in [&mut one, &mut other] {
        ok(client, "SET lock_wait_timeout = 1");
    }
    (world, one, other)
}

#[test]
fn subqueries_need_what_select_needs() {
    let (world, mut root, _) = world();
    let mut nobody = world.client("nobody");
    for sql in READING {
        let refused = nobody.query(sql).expect_err(sql);
        let text = "SELECT command denied to user 'nobody'@'localhost' for table 't'";
        assert_eq!((refused.code(), refused.message()), (1142, text), "{sql}");
    }
    assert_eq!(rows(&mut nobody, "SELECT @a, @b, @c"), ["NULL|NULL|NULL"]);
    ok(&mut root, "GRANT SELECT ON d.t TO nobody");
    for sql in READING {
        ok(&mut nobody, sql);
    }
    assert_eq!(rows(&mut nobody, "SELECT @a, @b, @c, @@sql_mode"), ["32|1|1|ONLY_FULL_GROUP_BY"]);
    world.stop();
}

#[test]
fn kill_and_purge_take_no_subqueries() {
    let (world, mut root, _) = world();
    let text = "This version of MySQL doesn't yet support 'Usage of subqueries or stored function calls as part of \
                this statement'";
    for sql in ["KILL (SELECT a FROM d.t)", "KILL QUERY 1 + EXISTS (SELECT 1 FROM d.t)"] {
        let refused = world.client("nobody").query(sql).unwrap_err();
        assert_eq!((refused.code(), refused.message()), (1235, text), "{sql}");
    }
    assert_eq!(error(&mut root, "PURGE BINARY LOGS BEFORE (SELECT a FROM d.t)"), 1064);
    assert_eq!(error(&mut root, "KILL 4000000000 + 1"), 1094);
    world.stop();
}

#[test]
fn subqueries_wait_for_whoever_has_locked_their_tables() {
    let (world, mut one, mut other) = world();
    ok(&mut one, "LOCK TABLES d.t WRITE");
    for sql in READING {
        assert_eq!(error(&mut other, sql), 1205, "{sql}");
        ok(&mut one, sql);
    }
    ok(&mut one, "UNLOCK TABLES");
    ok(&mut one, "CREATE TABLE d.u (id INT)");
    ok(&mut one, "LOCK TABLES d.u READ");
    for sql in READING {
        assert_eq!(error(&mut one, sql), 1100, "{sql}");
        ok(&mut other, sql);
    }
    ok(&mut one, "SET @d = 1");
    world.stop();
}

#[test]
fn whoever_drops_a_table_waits_for_transactions_that_have_read_it_so() {
    let (world, mut one, mut other) = world();
    for sql in READING {
        for begin in ["BEGIN", "SET autocommit = 0"] {
            ok(&mut one, begin);
            ok(&mut one, sql);
            assert_eq!(error(&mut other, "TRUNCATE d.t"), 1205, "{sql}");
            ok(&mut one, "COMMIT");
            ok(&mut one, "SET autocommit = 1");
        }
        ok(&mut one, sql);
    }
    ok(&mut other, "TRUNCATE d.t");
    world.stop();
}

#[test]
fn subqueries_read_at_the_snapshot_or_not_at_all() {
    let (world, mut one, mut other) = world();
    ok(&mut one, "START TRANSACTION WITH CONSISTENT SNAPSHOT");
    ok(&mut other, "UPDATE d.t SET a = 4");
    ok(&mut one, READING[0]);
    assert_eq!(rows(&mut one, "SELECT @a"), ["32"]);
    ok(&mut one, "COMMIT");
    ok(&mut one, "START TRANSACTION WITH CONSISTENT SNAPSHOT");
    ok(&mut other, "ALTER TABLE d.t ADD b INT");
    for sql in READING {
        assert_eq!(error(&mut one, sql), 1412, "{sql}");
    }
    ok(&mut one, "COMMIT");
    for sql in READING {
        ok(&mut one, sql);
    }
    world.stop();
}

#[test]
fn statements_can_be_killed_at_their_subqueries() {
    let (world, mut one, mut other) = world();
    ok(&mut one, "SET @@cte_max_recursion_depth = 10000");
    ok(
        &mut one,
        "INSERT INTO d.t WITH RECURSIVE n AS (SELECT 2 x UNION ALL SELECT x + 1 FROM n WHERE x < 3000) SELECT x, x FROM n",
    );
    ok(&mut one, "SET max_execution_time = 1");
    for begin in ["SET @a =", "DO"] {
        send(&mut one, &format!("{begin} (SELECT COUNT(*) FROM d.t a, d.t b, d.t c, d.t d)"));
        let id = one.connection_id;
        let running = "SELECT COUNT(*) FROM information_schema.processlist WHERE info LIKE '% (SELECT COUNT(*) FROM d.t a,%'";
        until(&mut other, running, &["2"]);
        ok(&mut other, &format!("KILL QUERY {id}"));
        assert_eq!(one.answer().unwrap_err().code(), 1317, "and not 3024");
        ok(&mut one, "DO 1");
    }
    world.stop();
}

#[test]
fn a_purge_keeps_nobody_out_while_it_reads_its_moment() {
    let world = World::start();
    let (mut root, mut purger) = (world.root(), world.root());
    send(&mut purger, "PURGE BINARY LOGS BEFORE FROM_UNIXTIME(SLEEP(1000))");
    until_run(&mut root, 1, "PURGE%");
    ok(&mut root, "SET lock_wait_timeout = 1");
    ok(&mut root, "LOCK INSTANCE FOR BACKUP");
    ok(&mut root, "UNLOCK INSTANCE");
    ok(&mut root, "PURGE BINARY LOGS TO 'binlog.000001'");
    ok(&mut root, &format!("KILL QUERY {}", purger.connection_id));
    let _outcome = purger.answer();
    ok(&mut purger, "DO 1");
    world.stop();
}
