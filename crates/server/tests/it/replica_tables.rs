//! Purpose: what a replica does is seen in `performance_schema`, as in MySQL.
//!
//! Requirements: R1. Without a source the tables are empty. R2. They say what was received and applied last, with whose GTID and
//! when. R3. A transaction that cannot be applied is named with its error. R4. A wait of SOURCE_DELAY is seen. R5. Who has no
//! SELECT on them sees nothing. R6. `log_status` has the binlog's end and its GTIDs.
//!
//! Method: two whole servers, one of which follows the other over TCP. Columns are MySQL 9.7.4's.

use crate::replica::{newest, pair};
use crate::whole::{World, ok, rows, until};

const TABLES: [&str; 6] = [
    "replication_connection_configuration",
    "replication_connection_status",
    "replication_applier_configuration",
    "replication_applier_status",
    "replication_applier_status_by_coordinator",
    "replication_applier_status_by_worker",
];

#[test]
fn without_a_source_there_is_nothing_and_who_has_no_privilege_is_refused() {
    let world = World::start();
    let (mut root, mut nobody) = (world.root(), world.client("nobody"));
    for table in TABLES {
        let sql = format!("SELECT * FROM performance_schema.{table}");
        assert_eq!(rows(&mut root, &sql), [""; 0], "{table}");
        assert_eq!(nobody.query(&sql).unwrap_err().code(), 1142, "{table}");
    }
    for table in ["slave_master_info", "slave_relay_log_info"] {
        let sql = format!("SELECT * FROM mysql.{table}");
        assert_eq!(rows(&mut root, &sql), [""; 0], "{table}");
        assert_eq!(nobody.query(&sql).unwrap_err().code(), 1142, "{table}");
    }
    for table in ["replication_group_members", "replication_applier_filters"] {
        assert_eq!(rows(&mut root, &format!("SELECT * FROM performance_schema.{table}")), [""; 0], "{table}");
    }
}

#[test]
fn the_status_of_all_logs_is_one_moment() {
    let world = World::start();
    let mut root = world.root();
    ok(&mut root, "CREATE TABLE d.t (id INT PRIMARY KEY)");
    let sql = "SELECT server_uuid = @@server_uuid, JSON_UNQUOTE(local->'$.binary_log_file'), \
         local->'$.binary_log_position', JSON_UNQUOTE(local->'$.gtid_executed'), replication->'$.channels' FROM \
         performance_schema.log_status";
    let status = rows(&mut root, "SHOW MASTER STATUS")[0].clone();
    let parts: Vec<_> = status.split('|').collect();
    assert_eq!(rows(&mut root, sql), [format!("1|{}|{}|{}|[]", parts[0], parts[1], parts[4])]);
    let lsn = "SELECT storage_engines->'$.InnoDB.LSN' >= storage_engines->'$.InnoDB.LSN_checkpoint' FROM \
         performance_schema.log_status";
    assert_eq!(rows(&mut root, lsn), ["1"]);
    ok(&mut root, "GRANT SELECT ON performance_schema.* TO nobody");
    assert_eq!(world.client("nobody").query(sql).unwrap_err().code(), 1227);
}

#[test]
fn what_was_received_and_applied_last_is_seen() {
    let (source, replica) = pair(", SOURCE_HEARTBEAT_PERIOD = 0.05");
    let (mut writer, mut reader) = (source.root(), replica.root());
    ok(&mut writer, "CREATE TABLE d.t (id INT PRIMARY KEY)");
    ok(&mut writer, "INSERT INTO d.t VALUES (1)");
    let gtid = newest(&source);
    let last = "SELECT last_applied_transaction, service_state, last_error_number, applying_transaction \
         FROM performance_schema.replication_applier_status_by_worker ORDER BY last_applied_transaction_end_apply_timestamp DESC \
         LIMIT 1";
    until(&mut reader, last, &[&format!("{gtid}|ON|0|")]);
    let order = "SELECT COUNT(*) FROM performance_schema.replication_applier_status_by_worker WHERE \
         last_applied_transaction_original_commit_timestamp > NOW() - INTERVAL 1 HOUR \
         AND last_applied_transaction_immediate_commit_timestamp = last_applied_transaction_original_commit_timestamp \
         AND last_applied_transaction_start_apply_timestamp BETWEEN last_applied_transaction_original_commit_timestamp \
             AND last_applied_transaction_end_apply_timestamp AND applying_transaction_start_apply_timestamp = 0";
    assert_ne!(rows(&mut reader, order), ["0"]);
    let given = "SELECT last_processed_transaction, processing_transaction, service_state, last_error_message \
         FROM performance_schema.replication_applier_status_by_coordinator";
    assert_eq!(rows(&mut reader, given), [format!("{gtid}||ON|")]);
    let received = "SELECT last_queued_transaction, queueing_transaction, service_state, source_uuid, \
         gtid_subset(last_queued_transaction, received_transaction_set), \
         last_queued_transaction_end_queue_timestamp >= last_queued_transaction_start_queue_timestamp, last_error_number \
         FROM performance_schema.replication_connection_status";
    let uuid = rows(&mut writer, "SELECT @@server_uuid")[0].clone();
    assert_eq!(rows(&mut reader, received), [format!("{gtid}||ON|{uuid}|1|1|0")]);
    let beats = "SELECT count_received_heartbeats > 2, last_heartbeat_timestamp > NOW() - INTERVAL 1 HOUR \
         FROM performance_schema.replication_connection_status";
    until(&mut reader, beats, &["1|1"]);
    let configured = "SELECT host, port, user, auto_position, heartbeat_interval, connection_retry_interval, desired_delay \
         FROM performance_schema.replication_connection_configuration \
         JOIN performance_schema.replication_applier_configuration USING (channel_name)";
    assert_eq!(rows(&mut reader, configured), [format!("127.0.0.1|{}|repl|0|0.050|60|0", source.port())]);
    // orchestrator looks there for the account.
    let stored = "SELECT host, port, user_name, user_password, heartbeat, master_log_name, sql_delay, m.channel_name \
         FROM mysql.slave_master_info m JOIN mysql.slave_relay_log_info USING (master_log_name, master_log_pos)";
    let expected = format!("127.0.0.1|{}|repl||0.05|binlog.000001|0|", source.port());
    until(&mut reader, stored, &[&expected]);
    ok(&mut reader, "STOP REPLICA");
    let off = "SELECT c.service_state, a.service_state FROM performance_schema.replication_connection_status c \
         JOIN performance_schema.replication_applier_status a USING (channel_name)";
    assert_eq!(rows(&mut reader, off), ["OFF|OFF"]);
}

#[test]
fn what_cannot_be_applied_is_named_with_its_error() {
    let (source, replica) = pair("");
    let (mut writer, mut reader) = (source.root(), replica.root());
    ok(&mut writer, "CREATE TABLE d.t (id INT PRIMARY KEY)");
    until(&mut reader, "SELECT table_name FROM information_schema.tables WHERE table_schema = 'd'", &["t"]);
    ok(&mut reader, "INSERT INTO d.t VALUES (1)");
    ok(&mut writer, "INSERT INTO d.t VALUES (1)");
    let gtid = newest(&source);
    let failed = "SELECT service_state, last_error_number, last_error_message LIKE '%Duplicate entry%', \
         last_error_timestamp > NOW() - INTERVAL 1 HOUR, applying_transaction \
         FROM performance_schema.replication_applier_status_by_worker";
    until(&mut reader, failed, &[&format!("OFF|1062|1|1|{gtid}")]);
    // It was tried beside others, then alone.
    let state = "SELECT a.service_state, count_transactions_retries, c.last_error_number \
         FROM performance_schema.replication_applier_status a \
         JOIN performance_schema.replication_applier_status_by_coordinator c USING (channel_name)";
    until(&mut reader, state, &["OFF|1|1062"]);
    ok(&mut reader, "DELETE FROM d.t");
    ok(&mut reader, "START REPLICA");
    until(&mut reader, "SELECT COUNT(*) FROM d.t", &["1"]);
    let clean = "SELECT SUM(last_error_number), COUNT(*) > 1 FROM performance_schema.replication_applier_status_by_worker";
    until(&mut reader, clean, &["0|1"]);
}

#[test]
fn a_wait_of_source_delay_is_seen() {
    let (source, replica) = pair(", SOURCE_DELAY = 3600");
    let (mut writer, mut reader) = (source.root(), replica.root());
    // It counts from the commit, whatever the statement's moment is.
    ok(&mut writer, "SET timestamp = 1000000");
    ok(&mut writer, "CREATE TABLE d.t (id INT PRIMARY KEY)");
    let gtid = newest(&source);
    let waits = "SELECT remaining_delay BETWEEN 3500 AND 3601, processing_transaction, desired_delay \
         FROM performance_schema.replication_applier_status \
         JOIN performance_schema.replication_applier_status_by_coordinator USING (channel_name) \
         JOIN performance_schema.replication_applier_configuration USING (channel_name)";
    until(&mut reader, waits, &[&format!("1|{gtid}|3600")]);
    let status = rows(&mut reader, "SHOW REPLICA STATUS")[0].clone();
    assert!(status.contains("Waiting until SOURCE_DELAY seconds after source executed event"), "{status}");
    ok(&mut reader, "STOP REPLICA");
    assert_eq!(
        rows(&mut reader, "SELECT remaining_delay FROM performance_schema.replication_applier_status"),
        ["NULL"]
    );
}
