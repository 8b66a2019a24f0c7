//! Purpose: what monitoring asks is answered, by what happened.
//!
//! Requirements: R1. Reads, sorts, changes, commits and rollbacks are counted as MySQL counts them. R2. Waits for row locks,
//! deadlocks and time-outs are counted; `INNODB_METRICS` has the same numbers. R3. `Slow_queries` counts what takes
//! `long_query_time` or longer; a session that starts over counts anew. R4. SHOW ENGINE INNODB STATUS has the sections and lines that tools look for. R5. Tables of
//! `performance_schema` that collectors read are there, and empty, as in a MySQL server that does not collect. R6. Hosts whose
//! handshakes broke off are in `host_cache`, until it is truncated. R7. What one SHOW STATUS says of the binlog is of one moment.
//! R8. Each statement counts once, under each of its names, whether its tables are there or not; R9. FLUSH TABLES without a list is counted, and FLUSH STATUS begins the most sessions anew.
//! R10. The same numbers are answered over HTTP, in Prometheus' format.
//!
//! Method: a whole server on a simulated disk. The numbers of R1 were seen at MySQL 9.7.4.

use std::io::{Read, Write};
use std::net::TcpStream;

use server::status::{Moment, View};
use vfs::Vfs;
use vfs::sim::SimDisk;

use crate::client::Login;
use crate::whole::{World, ok, rows, send, until};

/// A session's counts that are not 0.
fn counts(client: &mut crate::client::Client, what: &str) -> Vec<String> {
    let sql = format!(
        "SELECT CONCAT(variable_name, ' ', variable_value) FROM performance_schema.session_status \
         WHERE variable_name REGEXP '{what}' AND variable_value <> '0' ORDER BY variable_name"
    );
    rows(client, &sql)
}

#[test]
fn what_statements_do_is_counted() {
    let world = World::start();
    let mut root = world.root();
    ok(&mut root, "CREATE TABLE d.t (id INT PRIMARY KEY, a INT, b INT, KEY (a))");
    ok(&mut root, "INSERT INTO d.t VALUES (1, 10, 1), (2, 20, 1), (3, 30, 1), (4, 40, 1)");
    let pattern = "^(Handler_(read|write|update|delete)|Select|Sort|Innodb_rows)";
    for (sql, wanted) in [
        (
            "SELECT * FROM d.t",
            &["Handler_read_first 1", "Handler_read_key 1", "Handler_read_rnd_next 5", "Select_scan 1"][..],
        ),
        ("SELECT * FROM d.t WHERE id = 2", &["Handler_read_key 1"]),
        (
            "SELECT * FROM d.t WHERE id BETWEEN 2 AND 3",
            &["Handler_read_key 1", "Handler_read_next 2", "Select_range 1"],
        ),
        ("SELECT * FROM d.t WHERE a = 20", &["Handler_read_key 1", "Handler_read_next 1"]),
        (
            "SELECT * FROM d.t ORDER BY b",
            &[
                "Handler_read_first 1",
                "Handler_read_key 1",
                "Handler_read_rnd_next 5",
                "Select_scan 1",
                "Sort_rows 4",
                "Sort_scan 1",
            ],
        ),
        (
            "SELECT * FROM d.t ORDER BY id DESC LIMIT 2",
            &["Handler_read_key 1", "Handler_read_last 1", "Handler_read_prev 1", "Select_scan 1"],
        ),
        ("UPDATE d.t SET b = 2 WHERE id = 1", &["Handler_read_key 1", "Handler_update 1"]),
        ("DELETE FROM d.t WHERE id = 4", &["Handler_delete 1", "Handler_read_key 1"]),
        ("INSERT INTO d.t VALUES (5, 50, 5), (6, 60, 6)", &["Handler_write 2"]),
    ] {
        ok(&mut root, "FLUSH STATUS");
        ok(&mut root, sql);
        // Of the session; what InnoDB counts is everybody's in MySQL.
        let mut found = counts(&mut root, pattern);
        found.retain(|count| !count.starts_with("Innodb"));
        // The question itself reads a table that is made for it.
        assert_eq!(found, wanted, "{sql}");
    }
    world.stop();
}

#[test]
fn waits_deadlocks_and_slow_statements_are_counted() {
    let world = World::start_with(&["--innodb-lock-wait-timeout=1"]);
    let (mut root, mut one, mut two) = (world.root(), world.root(), world.root());
    ok(&mut root, "CREATE TABLE d.t (id INT PRIMARY KEY)");
    ok(&mut root, "INSERT INTO d.t VALUES (1), (2)");
    let lock = |id: u32| format!("SELECT * FROM d.t WHERE id = {id} FOR UPDATE");
    ok(&mut one, "BEGIN");
    ok(&mut two, "BEGIN");
    ok(&mut one, &lock(1));
    ok(&mut two, &lock(2));
    send(&mut two, &lock(1));
    let current = "SELECT variable_value FROM performance_schema.global_status \
         WHERE variable_name = 'Innodb_row_lock_current_waits'";
    until(&mut root, current, &["1"]);
    assert_eq!(one.query(&lock(2)).unwrap_err().code(), 1213);
    two.answer().unwrap();
    ok(&mut one, "SET innodb_lock_wait_timeout = 1");
    assert_eq!(one.query(&lock(1)).unwrap_err().code(), 1205);
    assert_eq!(rows(&mut root, current), ["0"]);
    let metrics = "SELECT name, count FROM information_schema.innodb_metrics \
         WHERE name IN ('lock_deadlocks', 'lock_timeouts', 'lock_row_lock_waits') ORDER BY name";
    assert_eq!(rows(&mut root, metrics), ["lock_deadlocks|1", "lock_row_lock_waits|2", "lock_timeouts|1"]);
    let status = "SELECT variable_value >= 1000 FROM performance_schema.global_status WHERE variable_name = \
         'Innodb_row_lock_time_max'";
    assert_eq!(rows(&mut root, status), ["1"]);

    let slow =
        "SELECT variable_value FROM performance_schema.session_status WHERE variable_name = 'Slow_queries'";
    assert_eq!(rows(&mut root, slow), ["0"]);
    ok(&mut root, "SET long_query_time = 0.05");
    ok(&mut root, "DO SLEEP(0.06)");
    assert_eq!(rows(&mut root, slow), ["1"]);
    // Also the command that ends its connection. With 0 all of them are slow.
    ok(&mut one, "SET long_query_time = 0");
    ok(&mut one, "COMMIT RELEASE");
    until(&mut root, "SHOW GLOBAL STATUS LIKE 'Slow_queries'", &["Slow_queries|3"]);
    world.stop();
}

#[test]
fn a_session_that_starts_over_counts_anew() {
    let world = World::start();
    let (mut root, mut other) = (world.root(), world.root());
    let count = "SHOW STATUS LIKE 'Com_do'";
    ok(&mut root, "DO 1");
    assert_eq!(rows(&mut root, count), ["Com_do|1"]);
    // COM_RESET_CONNECTION
    root.command(&[0x1F]).unwrap();
    root.answer().unwrap();
    assert_eq!(rows(&mut root, count), ["Com_do|0"]);
    ok(&mut root, "DO 1");
    root.change_user(&Login::new("nobody", "")).unwrap();
    assert_eq!(rows(&mut root, count), ["Com_do|0"]);
    assert_eq!(rows(&mut other, "SHOW GLOBAL STATUS LIKE 'Com_do'"), ["Com_do|2"]);
    world.stop();
}

#[test]
fn the_monitor_has_the_lines_that_tools_look_for() {
    let world = World::start();
    let (mut root, mut other) = (world.root(), world.root());
    ok(&mut root, "CREATE TABLE d.t (id INT PRIMARY KEY)");
    ok(&mut other, "BEGIN");
    ok(&mut other, "INSERT INTO d.t VALUES (1), (2)");
    let text = rows(&mut root, "SHOW ENGINE INNODB STATUS").remove(0);
    for line in [
        " 0 INNODB MONITOR OUTPUT\n",
        "\n------------\nTRANSACTIONS\n------------\n",
        "\n---TRANSACTION ",
        "undo log entries 2\n",
        "\n0 queries inside InnoDB, 0 queries in queue\n",
        "\nLog sequence number          ",
        "\nLast checkpoint at           ",
        "\n--------------\nROW OPERATIONS\n--------------\n",
        "\nNumber of rows inserted 2, updated 0, deleted 0, read 0\n",
        "\nEND OF INNODB MONITOR OUTPUT\n",
        "\nOnelog_commits\t",
    ] {
        assert!(text.contains(line), "{line:?} in {text}");
    }
    ok(&mut root, "CREATE USER u");
    assert_eq!(world.client("u").query("SHOW ENGINE INNODB STATUS").unwrap_err().code(), 1227);
    assert_eq!(
        world.client("u").query("SELECT * FROM information_schema.innodb_metrics").unwrap_err().code(),
        1227
    );
    world.stop();
}

#[test]
fn tables_of_what_is_not_collected_are_empty() {
    let world = World::start();
    let mut root = world.root();
    for sql in [
        "SELECT DIGEST_TEXT, COUNT_STAR, SUM_TIMER_WAIT FROM performance_schema.events_statements_summary_by_digest",
        "SELECT EVENT_NAME, COUNT_STAR FROM performance_schema.events_waits_summary_global_by_event_name",
        "SELECT OBJECT_SCHEMA, COUNT_FETCH FROM performance_schema.table_io_waits_summary_by_table",
        "SELECT FILE_NAME, COUNT_READ FROM performance_schema.file_summary_by_instance",
        "SELECT EVENT_NAME, CURRENT_NUMBER_OF_BYTES_USED FROM performance_schema.memory_summary_global_by_event_name",
        "SELECT * FROM performance_schema.host_cache",
    ] {
        assert_eq!(rows(&mut root, sql), [""; 0], "{sql}");
    }
    world.stop();
}

#[test]
fn hosts_that_broke_off_are_shown_until_they_are_forgotten() {
    let world = World::start();
    let mut root = world.root();
    ok(&mut root, "CREATE USER u@'%'");
    drop(world.stranger([127, 0, 0, 7]));
    let hosts = "SELECT ip, host, sum_connect_errors, count_handshake_errors, first_seen <= last_seen \
         FROM performance_schema.host_cache";
    until(&mut root, hosts, &["127.0.0.7|NULL|1|1|1"]);
    let mut other = world.client("u");
    assert_eq!(other.query(hosts).unwrap_err().code(), 1142);
    ok(&mut root, "GRANT SELECT ON performance_schema.host_cache TO u");
    assert_eq!(rows(&mut other, hosts), ["127.0.0.7|NULL|1|1|1"]);
    ok(&mut root, "TRUNCATE TABLE performance_schema.host_cache");
    assert_eq!(rows(&mut root, hosts), [""; 0]);
    world.stop();
}

#[test]
fn file_position_and_gtids_are_of_one_moment() {
    let world = World::start();
    let mut root = world.root();
    let view = View {
        status: &world.shared().status,
        session: None,
        tls: None,
        compressed: false,
        moment: Moment::default(),
        pipeline: Some(&world.shared().pipeline),
        storage: None,
        recovery: commit::recovery::Report::default(),
        uptime_s: 0,
        threads_connected: 0,
        threads_running: 0,
        acknowledges: false,
    };
    let before = view.show_those(|name| name.starts_with("Binlog_snapshot_"));
    ok(&mut root, "CREATE DATABASE e");
    ok(&mut root, "FLUSH BINARY LOGS");
    assert_eq!(view.show_those(|name| name.starts_with("Binlog_snapshot_")), before);
    let shown = rows(&mut root, "SHOW GLOBAL STATUS LIKE 'BINLOG_SNAPSHOT_FILE'");
    assert_eq!(shown, ["Binlog_snapshot_file|binlog.000002"]);
    assert_eq!(rows(&mut root, "SHOW BINARY LOGS").len(), 2);
    world.stop();
}

#[test]
fn flush_tables_and_flush_status_are_counted_as_in_mysql() {
    let world = World::start();
    let mut root = world.root();
    ok(&mut root, "CREATE TABLE d.t (id INT PRIMARY KEY)");
    for sql in
        ["FLUSH TABLES", "FLUSH TABLES d.t", "FLUSH LOGS", "FLUSH TABLES WITH READ LOCK", "UNLOCK TABLES"]
    {
        ok(&mut root, sql);
    }
    assert_eq!(rows(&mut root, "SHOW GLOBAL STATUS LIKE 'flush_commands'"), ["Flush_commands|2"]);
    let others = [world.root(), world.root()];
    assert_eq!(rows(&mut root, "SHOW STATUS LIKE 'Max_used_connections'"), ["Max_used_connections|3"]);
    drop(others);
    until(&mut root, "SHOW STATUS LIKE 'Threads_connected'", &["Threads_connected|1"]);
    assert_eq!(rows(&mut root, "SHOW STATUS LIKE 'Max_used_connections'"), ["Max_used_connections|3"]);
    ok(&mut root, "FLUSH STATUS");
    assert_eq!(rows(&mut root, "SHOW STATUS LIKE 'Max_used_connections'"), ["Max_used_connections|1"]);
    world.stop();
}

/// Statements, and what each counts as.
const COUNTED: &[(&str, &str)] = &[
    ("SELECT 1", "select"),
    ("SELECT * FROM d.missing", "select"),
    ("SELECT missing FROM d.t", "select"),
    ("SELECT 1 INTO @x", "select"),
    ("SELECT nonsense(", ""),
    ("INSERT INTO d.t (id) VALUES (1)", "insert"),
    ("INSERT INTO d.missing VALUES (1)", "insert"),
    ("INSERT INTO d.missing SELECT 1", "insert_select"),
    ("REPLACE d.missing VALUES (1)", "replace"),
    ("REPLACE d.t (id) SELECT 1", "replace_select"),
    ("UPDATE d.t SET a = 1", "update"),
    ("UPDATE d.missing SET a = 1", "update"),
    ("UPDATE d.t, d.missing SET a = 1", "update_multi"),
    ("DELETE FROM d.missing", "delete"),
    ("DELETE x FROM d.missing x", "delete_multi"),
    ("LOAD DATA INFILE '/nowhere' INTO TABLE d.missing", "load"),
    ("EXPLAIN SELECT * FROM d.t", "select"),
    ("DESCRIBE d.t", "show_fields"),
    ("CREATE INDEX k ON d.t (a)", "create_index"),
    ("ALTER TABLE d.t ADD KEY k2 (a)", "alter_table"),
    ("DROP INDEX k ON d.t", "drop_index"),
    ("DROP TABLE d.missing", "drop_table"),
    ("DROP PROCEDURE IF EXISTS d.p", "drop_procedure"),
    ("DROP FUNCTION IF EXISTS d.f", "drop_function"),
    ("DROP TRIGGER IF EXISTS d.t", "drop_trigger"),
    ("DROP EVENT IF EXISTS d.e", "drop_event"),
    ("CREATE USER u", "create_user"),
    ("ALTER USER u ACCOUNT LOCK", "alter_user"),
    ("SET PASSWORD FOR u = ''", "set_password"),
    ("GRANT SELECT ON d.* TO u", "grant"),
    ("REVOKE SELECT ON d.* FROM u", "revoke"),
    ("REVOKE ALL PRIVILEGES, GRANT OPTION FROM u", "revoke_all"),
    ("DROP USER u", "drop_user"),
    ("SET @x = 1", "set_option"),
    ("CHANGE REPLICATION SOURCE TO SOURCE_HOST = ''", "change_master change_replication_source"),
    ("START REPLICA", "replica_start slave_start"),
    ("STOP REPLICA", "replica_stop slave_stop"),
    ("SHOW REPLICA STATUS", "show_replica_status show_slave_status"),
    ("SHOW SLAVE HOSTS", "show_replicas show_slave_hosts"),
    ("SHOW MASTER STATUS", "show_binary_log_status show_master_status"),
    ("PREPARE s FROM 'SELECT * FROM d.t'", "prepare_sql"),
    ("EXECUTE s", "execute_sql select"),
    ("BEGIN", "begin"),
    ("COMMIT", "commit"),
];

#[test]
fn each_statement_counts_once_under_each_of_its_names() {
    let world = World::start();
    let mut root = world.root();
    ok(&mut root, "CREATE TABLE d.t (id INT PRIMARY KEY, a INT)");
    for (sql, names) in COUNTED {
        ok(&mut root, "FLUSH STATUS");
        // Some fail, which makes no difference.
        let _ = root.query(sql);
        let counted: Vec<_> = rows(&mut root, "SHOW SESSION STATUS LIKE 'Com\\_%'")
            .into_iter()
            .filter(|row| !row.ends_with("|0") && !row.starts_with("Com_show_status|"))
            .collect();
        let wanted: Vec<_> = names.split_whitespace().map(|name| format!("Com_{name}|1")).collect();
        assert_eq!(counted, wanted, "{sql}");
    }
    world.stop();
}

#[test]
fn a_statement_that_is_planned_again_counts_once() {
    let world = World::start();
    let (mut root, mut other) = (world.root(), world.root());
    ok(&mut root, "CREATE TABLE d.t (id INT PRIMARY KEY)");
    ok(&mut other, "LOCK TABLES d.t WRITE");
    ok(&mut root, "FLUSH STATUS");
    send(&mut root, "SELECT * FROM d.t");
    until(
        &mut other,
        "SELECT COUNT(*) FROM performance_schema.metadata_locks WHERE lock_status = 'PENDING'",
        &["1"],
    );
    // What it was planned by is not there any more when it has its lock.
    ok(&mut other, "ALTER TABLE d.t ADD a INT");
    ok(&mut other, "UNLOCK TABLES");
    assert_eq!(root.answer().unwrap().columns.len(), 2);
    assert_eq!(rows(&mut root, "SHOW SESSION STATUS LIKE 'Com_select'"), ["Com_select|1"]);
    world.stop();
}

#[test]
fn prometheus_is_answered_where_the_option_says() {
    let world = World::start_with(&["--onelog-metrics-address=127.0.0.1:0"]);
    let mut root = world.root();
    ok(&mut root, "CREATE TABLE d.t (id INT PRIMARY KEY)");
    ok(&mut root, "INSERT INTO d.t VALUES (1)");
    // Whoever has made the database may be about to go.
    let connected = "SELECT variable_value FROM performance_schema.global_status WHERE variable_name = 'Threads_connected'";
    until(&mut root, connected, &["1"]);
    let address = rows(&mut root, "SELECT @@onelog_metrics_address").remove(0);
    let mut client = TcpStream::connect(&address).unwrap();
    client.write_all(b"GET /metrics HTTP/1.1\r\nHost: here\r\n\r\n").unwrap();
    let mut said = String::new();
    client.read_to_string(&mut said).unwrap();
    assert!(said.starts_with("HTTP/1.1 200 OK\r\n"), "{said}");
    for line in [
        "mysql_global_status_commands_total{command=\"insert\"} 1",
        "mysql_global_status_threads_connected 1",
    ] {
        assert!(said.lines().any(|found| found == line), "{line}\n{said}");
    }
    assert!(said.contains("\n# TYPE onelog_commits counter\nonelog_commits "), "{said}");
    let disk = SimDisk::new();
    disk.create_dir_all("/data".as_ref()).unwrap();
    let again = World::refused(&disk, "/data", &[&format!("--onelog-metrics-address={address}")]);
    assert!(again.contains(&format!("Bind on {address}: ")), "{again}");
    world.stop();
}
