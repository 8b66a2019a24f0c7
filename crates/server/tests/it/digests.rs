//! Purpose: where `performance_schema` is ON, statement digests say which kinds of statements there are and what each does, and
//! sessions what their clients said of themselves.
//!
//! Requirements: R1. The text that statements have in common is MySQL's. R2. With `performance_schema` each execution counts in the
//! row of its database and text, prepared or not, with its time, rows, scans, sorts, errors and warnings, and the longest one is the sample.
//! R3. Beyond `performance_schema_digests_size` they are counted together. R4. Whoever may not read the table does not, and
//! TRUNCATE begins it anew. R5. Passwords are not in it. R6. Without `performance_schema` nothing is collected. R7. What
//! a client says of itself at its login or COM_CHANGE_USER is shown, to its account's sessions and to whoever may read of all, up to 512 bytes.
//!
//! Method: a whole server on a simulated disk. What is expected was seen at MySQL 9.7.4.

use crate::client::{Client, Login};
use crate::whole::{World, answers_as_recorded, ok, rows};

const TABLE: &str = "performance_schema.events_statements_summary_by_digest";

#[test]
fn texts_are_mysqls() {
    answers_as_recorded(include_str!("../data/digests-9.7.4.txt"), 170);
}

#[test]
fn executions_are_summed_by_database_and_text() {
    let world = World::start_with(&["--performance-schema"]);
    let mut root = world.root();
    ok(&mut root, "CREATE DATABASE e");
    ok(&mut root, "USE d");
    ok(&mut root, "CREATE TABLE t (id INT PRIMARY KEY, a INT)");
    ok(&mut root, &format!("TRUNCATE TABLE {TABLE}"));
    ok(&mut root, "INSERT INTO t VALUES (1, 2), (3, 4)");
    ok(&mut root, "INSERT INTO t VALUES (5, 6)");
    assert_eq!(root.query("INSERT INTO t VALUES (5, 7)").unwrap_err().code(), 1062);
    ok(&mut root, "SELECT * FROM t WHERE a = 2");
    ok(&mut root, "SELECT  * FROM t WHERE a=3 -- x");
    ok(&mut root, "SELECT * FROM t ORDER BY a");
    ok(&mut root, "PREPARE s FROM 'UPDATE t SET a = a + ? WHERE id = ?'");
    ok(&mut root, "SET @one = 1");
    ok(&mut root, "EXECUTE s USING @one, @one");
    ok(&mut root, "SELECT 1 / 0");
    ok(&mut root, "USE e");
    ok(&mut root, "SELECT 1 / 0");
    let columns = "schema_name, count_star, sum_errors, sum_warnings, sum_rows_affected, sum_rows_sent, sum_rows_examined, \
        sum_select_scan, sum_sort_rows, sum_no_index_used, digest_text, query_sample_text";
    let found = rows(&mut root, &format!("SELECT {columns} FROM {TABLE}"));
    let wanted = [
        "d|1|0|0|2|0|0|0|0|0|INSERT INTO `t` VALUES (...) /* , ... */|INSERT INTO t VALUES (1, 2), (3, 4)",
        "d|2|0|0|0|1|6|2|0|2|SELECT * FROM `t` WHERE `a` = ?|",
        "d|1|0|0|0|3|3|1|3|1|SELECT * FROM `t` ORDER BY `a`|SELECT * FROM t ORDER BY a",
        "d|1|0|0|1|0|1|0|0|0|EXECUTE `s` USING @? , @?|EXECUTE s USING @one, @one",
        "d|1|0|1|0|1|0|0|0|0|SELECT ? / ?|SELECT 1 / 0",
        "e|1|0|1|0|1|0|0|0|0|SELECT ? / ?|SELECT 1 / 0",
        "d|2|1|0|1|0|0|0|0|0|INSERT INTO `t` VALUES (...)|",
    ];
    for row in wanted {
        assert!(found.iter().any(|found| found.starts_with(row)), "{row}:\n{}", found.join("\n"));
    }
    let times = "SELECT COUNT(*) FROM performance_schema.events_statements_summary_by_digest WHERE min_timer_wait <= \
        avg_timer_wait AND avg_timer_wait <= max_timer_wait AND quantile_95 <= quantile_99 AND quantile_999 = max_timer_wait \
        AND sum_timer_wait DIV count_star = avg_timer_wait AND query_sample_timer_wait = max_timer_wait \
        AND first_seen <= query_sample_seen AND query_sample_seen <= last_seen AND LENGTH(digest) = 64";
    let count = rows(&mut root, &format!("SELECT COUNT(*) FROM {TABLE}"));
    // The statement that asked is a row now.
    let and_one: u64 = count[0].parse::<u64>().unwrap() + 1;
    assert_eq!(rows(&mut root, times), [and_one.to_string()]);
    world.stop();
}

#[test]
fn what_has_no_room_is_counted_together_and_the_table_is_not_everybodys() {
    let world = World::start_with(&["--performance-schema", "--performance-schema-digests-size=2"]);
    let mut root = world.root();
    ok(&mut root, "CREATE USER u");
    ok(&mut root, &format!("TRUNCATE TABLE {TABLE}"));
    // Its sample ends within the password.
    let blanks = " ".repeat(1024 - "ALTER USER u IDENTIFIED BY 'gehe".len());
    ok(&mut root, &format!("ALTER USER u {blanks}IDENTIFIED BY 'geheim'"));
    let samples = format!("SELECT query_sample_text FROM {TABLE} WHERE digest_text LIKE 'ALTER%'");
    assert_eq!(rows(&mut root, &samples), [format!("ALTER USER u {blanks}IDENTIFIED BY <secret>")]);
    ok(&mut root, "DO 1");
    ok(&mut root, "ALTER USER u IDENTIFIED BY ''");
    let texts =
        format!("SELECT schema_name, digest, digest_text, count_star FROM {TABLE} WHERE digest IS NULL");
    // TRUNCATE and ALTER have rows; the question for samples and DO have none.
    assert_eq!(rows(&mut root, &texts), ["NULL|NULL|NULL|2"]);
    let mut other = world.client("u");
    assert_eq!(other.query(&texts).unwrap_err().code(), 1142);
    assert_eq!(other.query(&format!("TRUNCATE TABLE {TABLE}")).unwrap_err().code(), 1142);
    world.stop();
}

#[test]
fn what_clients_say_of_themselves_is_shown() {
    let world = World::start_with(&["--performance-schema"]);
    let mut root = world.root();
    ok(&mut root, "CREATE USER u, v");
    let says = |user: &str, attributes: &[(&'static str, &str)]| Login {
        attributes: attributes.iter().map(|(name, value)| (*name, (*value).to_owned())).collect(),
        ..Login::new(user, "")
    };
    let login = says("u", &[("program_name", "shop"), ("_pid", "7")]);
    let mut client = Client::connect(&world.address(), &login).unwrap();
    let own = "SELECT attr_name, attr_value, ordinal_position, processlist_id = CONNECTION_ID() \
        FROM performance_schema.session_account_connect_attrs";
    assert_eq!(rows(&mut client, own), ["program_name|shop|0|1", "_pid|7|1|1"]);
    assert_eq!(rows(&mut world.client("v"), own), [""; 0]);
    assert_eq!(rows(&mut world.client("u"), own), ["program_name|shop|0|0", "_pid|7|1|0"]);
    let all = "SELECT attr_name, attr_value FROM performance_schema.session_connect_attrs";
    assert_eq!(client.query(all).unwrap_err().code(), 1142);
    assert_eq!(rows(&mut root, all), ["program_name|shop", "_pid|7"]);
    let long = "x".repeat(200);
    client.change_user(&says("u", &[("a", &long)])).unwrap();
    assert_eq!(rows(&mut root, all), [format!("a|{long}")]);
    drop(client);
    world.stop();
}

#[test]
fn without_performance_schema_nothing_is_collected() {
    let world = World::start();
    let mut root = world.root();
    assert_eq!(rows(&mut root, &format!("SELECT * FROM {TABLE}")), [""; 0]);
    let consumers = "SELECT enabled FROM performance_schema.setup_consumers WHERE name = 'statements_digest'";
    assert_eq!(rows(&mut root, consumers), ["NO"]);
    assert_eq!(root.query("SET GLOBAL performance_schema = ON").unwrap_err().code(), 1238);
    world.stop();
}
