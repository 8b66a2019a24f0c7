//! Purpose: a session whose function waits holds nobody else up.
//!
//! Requirements: R1. However many wait, others are answered, and all who wait are told when what they wait for is there.
//! R2. A wait ends with its time, and with KILL: 1317, but SLEEP alone returns 1. R3. SLEEP refuses what is no time.
//! R4. `max_execution_time` ends a SELECT: 3024. R5. What is no set (1772), no time (1210) and no channel (NULL) is not waited for.
//!
//! Method: a whole server on a simulated disk. What is expected was seen at MySQL 9.7.4.

use crate::client::Client;
use crate::whole::{World, ok, send};

/// More than a runtime has threads for what blocks, unless it is told to.
const MANY: usize = 600;

pub fn value(client: &mut Client, sql: &str) -> Option<String> {
    client.query(sql).unwrap().rows.concat().remove(0)
}

/// Waits until so many sessions are in a statement like this.
pub fn until_run(root: &mut Client, count: usize, like: &str) {
    let sql = format!("SELECT COUNT(*) FROM information_schema.processlist WHERE info LIKE '{like}'");
    while value(root, &sql) != Some(count.to_string()) {}
}

#[test]
fn whoever_waits_holds_nobody_else_up() {
    let world = World::start();
    let mut root = world.root();
    ok(&mut root, "SET GLOBAL max_connections = 1000");
    ok(&mut root, "CREATE TABLE d.t (id INT PRIMARY KEY)");
    let uuid = value(&mut root, "SELECT @@server_uuid").unwrap();
    let executed = value(&mut root, "SELECT @@gtid_executed").unwrap();
    let next = executed.rsplit('-').next().unwrap().parse::<u64>().unwrap() + 1;
    let mut waiting: Vec<Client> = (0..MANY).map(|_| world.root()).collect();
    for client in &mut waiting {
        send(client, &format!("SELECT WAIT_FOR_EXECUTED_GTID_SET('{uuid}:{next}')"));
    }
    until_run(&mut root, MANY, "SELECT WAIT_FOR%");
    ok(&mut root, "INSERT INTO d.t VALUES (1)");
    for client in &mut waiting {
        assert_eq!(client.answer().unwrap().rows, [[Some("0".to_owned())]]);
    }
    world.stop();
}

#[test]
fn a_wait_ends_with_its_time_and_with_kill() {
    let world = World::start();
    let (mut root, mut other) = (world.root(), world.root());
    ok(&mut root, "CREATE TABLE d.t (id INT PRIMARY KEY)");
    ok(&mut root, "INSERT INTO d.t VALUES (1)");
    let never = "'3e11fa47-71ca-11e1-9e33-c80aa9429562:1'";
    let timed = format!("SELECT WAIT_FOR_EXECUTED_GTID_SET({never}, 0.01)");
    assert_eq!(value(&mut root, &timed), Some("1".to_owned()));
    assert_eq!(value(&mut root, "SELECT SOURCE_POS_WAIT('binlog.000001', 4)"), None, "nothing is followed");
    assert_eq!(value(&mut root, "SELECT SLEEP(0.01)"), Some("0".to_owned()));
    let id = value(&mut other, "SELECT CONNECTION_ID()").unwrap();
    let mut killed = |sql: &str| {
        send(&mut other, sql);
        until_run(&mut root, 1, &sql.replace('\'', "''"));
        ok(&mut root, &format!("KILL QUERY {id}"));
        other.answer().map(|answer| answer.rows)
    };
    let error = killed(&format!("SELECT WAIT_FOR_EXECUTED_GTID_SET({never})")).unwrap_err();
    assert_eq!(error.code(), 1317);
    assert_eq!(killed("SELECT SLEEP(1000)").unwrap(), [[Some("1".to_owned())]]);
    assert_eq!(killed("SELECT SLEEP(1000) FROM d.t").unwrap_err().code(), 1317);
    assert_eq!(killed("DELETE FROM d.t WHERE SLEEP(1000) = 1").unwrap_err().code(), 1317);
    assert_eq!(value(&mut root, "SELECT COUNT(*) FROM d.t"), Some("1".to_owned()));
    world.stop();
}

#[test]
fn sleep_refuses_what_is_no_time() {
    let world = World::start();
    let mut root = world.root();
    for argument in ["-1", "NULL"] {
        let failure = root.query(&format!("SELECT SLEEP({argument})")).unwrap_err();
        assert_eq!((failure.code(), failure.message()), (1210, "Incorrect arguments to sleep."));
    }
    ok(&mut root, "SET sql_mode = ''");
    assert_eq!(value(&mut root, "SELECT SLEEP(-1)"), Some("0".to_owned()));
    let warnings = root.query("SHOW WARNINGS").unwrap().rows;
    let expected = ["Warning", "1210", "Incorrect arguments to sleep."];
    assert_eq!(warnings, [expected.map(|text| Some(text.to_owned()))]);
    world.stop();
}

#[test]
fn a_select_has_its_time() {
    let world = World::start();
    let mut root = world.root();
    ok(&mut root, "CREATE TABLE d.t (id INT PRIMARY KEY)");
    ok(&mut root, "INSERT INTO d.t VALUES (1)");
    ok(&mut root, "SET max_execution_time = 20");
    let failure = root.query("SELECT SLEEP(1000) FROM d.t").unwrap_err();
    let expected = "Query execution was interrupted, maximum statement execution time exceeded";
    assert_eq!((failure.code(), failure.message()), (3024, expected));
    assert_eq!(value(&mut root, "SELECT SLEEP(1000)"), Some("1".to_owned()));
    ok(&mut root, "UPDATE d.t SET id = 2 WHERE SLEEP(0.05) = 0");
    ok(&mut root, "SET max_execution_time = 1000000");
    assert_eq!(value(&mut root, "SELECT id FROM d.t"), Some("2".to_owned()));
    let counted = root.query("SHOW STATUS LIKE 'Max_execution_time_e%'").unwrap().rows.concat();
    assert_eq!(counted, [Some("Max_execution_time_exceeded".to_owned()), Some("2".to_owned())]);
    world.stop();
}

// As MySQL 9.7.4 answers.
#[test]
fn waits_without_a_set_a_time_or_a_channel_are_none() {
    let world = World::start();
    let mut root = world.root();
    let mut answer = |call: &str| match root.query(&format!("SELECT {call}")) {
        Ok(answer) => answer.rows[0][0].clone().unwrap_or_else(|| "NULL".to_owned()),
        Err(failure) => failure.code().to_string(),
    };
    for (call, expected) in [
        ("wait_for_executed_gtid_set(NULL, 1)", "1772"),
        ("wait_for_executed_gtid_set('', -1)", "1210"),
        ("wait_for_executed_gtid_set('', NULL)", "1210"),
        ("wait_for_executed_gtid_set('', 'x')", "0"),
        ("source_pos_wait('a', 4, -1)", "1210"),
        ("master_pos_wait('a', 4, -1)", "1210"),
        ("source_pos_wait('a', 4, NULL)", "NULL"),
        ("source_pos_wait('a', -4, 1)", "NULL"),
        ("source_pos_wait('a', 4, 1, 'x')", "NULL"),
        ("source_pos_wait('a', 4, 1, '')", "NULL"),
    ] {
        assert_eq!(answer(call), expected, "{call}");
    }
}
