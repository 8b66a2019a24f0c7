//! Purpose: what a replica says of itself is so, and it changes the rows that its source means, whatever happens meanwhile.
//!
//! Requirements: R1. Nothing is acknowledged that is not durable here, though the source has another log of the same name since;
//! R2. what was received is applied after STOP REPLICA IO_THREAD, and STOP REPLICA SQL_THREAD ends that; R3.
//! `Seconds_Behind_Source` is the age of what is applied at the moment; R4. a row without a key that has become another one while its lock was
//! waited for is left alone; R5. a statement about users that changes nothing stops no replica; R6. who holds locks that a worker may wait for does
//! not wait for the worker, and a KILL ends the wait of who does; R7. a transaction that a file of the source leaves
//! without an end is forgotten; R8. START, STOP and CHANGE commit the transaction of their session, as RESET does; R9. what waits takes room in the
//! queue, though it only moves the position.
//!
//! Method: two whole servers, one of which follows the other over TCP.

use std::path::Path;

use vfs::sim::SimDisk;
use vfs::{Open, Vfs};

use crate::client::Client;
use crate::net::host::becomes;
use crate::replica::{follow, newest, pair};
use crate::whole::{World, ok, rows, send, until};

/// Waits until the replica has everything.
pub fn catch_up(source: &World, replica: &mut Client) {
    until(replica, &format!("SELECT gtid_subset('{}', @@global.gtid_executed)", newest(source)), &["1"]);
}

/// A column of SHOW REPLICA STATUS.
pub fn status(replica: &mut Client, column: &str) -> String {
    let answer = replica.query("SHOW REPLICA STATUS").unwrap();
    let place = answer.columns.iter().position(|name| name == column).unwrap();
    answer.rows[0][place].clone().unwrap_or_default()
}

pub fn until_status(replica: &mut Client, column: &str, wanted: &str) {
    if !becomes(|| status(replica, column) == wanted) {
        assert_eq!(status(replica, column), wanted, "{column}");
    }
}

#[test]
fn nothing_is_acknowledged_by_the_position_of_another_log() {
    let (source, replica) = pair(", SOURCE_AUTO_POSITION = 0");
    let (mut writer, mut reader) = (source.root(), replica.root());
    ok(&mut reader, "SET GLOBAL rpl_semi_sync_replica_enabled = ON");
    ok(&mut writer, "CREATE TABLE d.t (id INT PRIMARY KEY)");
    (0..4).for_each(|_| ok(&mut writer, "FLUSH BINARY LOGS"));
    ok(&mut writer, "INSERT INTO d.t VALUES (1)");
    catch_up(&source, &mut reader);
    ok(&mut reader, "STOP REPLICA");
    ok(&mut writer, "RESET BINARY LOGS AND GTIDS");
    ok(&mut reader, "RESET BINARY LOGS AND GTIDS");
    ok(&mut reader, "CHANGE REPLICATION SOURCE TO SOURCE_AUTO_POSITION = 1");
    ok(&mut writer, "SET GLOBAL rpl_semi_sync_source_timeout = 700");
    ok(&mut writer, "SET GLOBAL rpl_semi_sync_source_enabled = ON");
    ok(&mut reader, "START REPLICA IO_THREAD");
    let clients = "SELECT variable_value FROM performance_schema.global_status \
                   WHERE variable_name = 'Rpl_semi_sync_source_clients'";
    until(&mut writer, clients, &["1"]);
    ok(&mut writer, "INSERT INTO d.t VALUES (2)");
    let told = "SELECT GROUP_CONCAT(variable_value ORDER BY variable_name) FROM performance_schema.global_status \
                WHERE variable_name IN ('Rpl_semi_sync_source_no_tx', 'Rpl_semi_sync_source_yes_tx')";
    assert_eq!(rows(&mut writer, told), ["1,0"], "nobody has applied it");
    ok(&mut reader, "START REPLICA SQL_THREAD");
    until(&mut reader, "SELECT COUNT(*) FROM d.t WHERE id = 2", &["1"]);
    until(
        &mut writer,
        "SELECT variable_value FROM performance_schema.global_status \
         WHERE variable_name = 'Rpl_semi_sync_source_status'",
        &["ON"],
    );
    ok(&mut writer, "INSERT INTO d.t VALUES (3)");
    assert_eq!(rows(&mut reader, "SELECT COUNT(*) FROM d.t WHERE id = 3"), ["1"], "what is told is applied");
}

#[test]
fn what_was_received_is_applied_after_the_receiver_was_stopped() {
    let (source, replica) = pair("");
    let (mut writer, mut reader, mut locker) = (source.root(), replica.root(), replica.root());
    ok(&mut writer, "CREATE TABLE d.t (id INT PRIMARY KEY)");
    catch_up(&source, &mut reader);
    for (first, drains) in [(1, true), (11, false)] {
        ok(&mut locker, "LOCK TABLES d.t READ");
        (first..first + 3).for_each(|id| ok(&mut writer, &format!("INSERT INTO d.t VALUES ({id})")));
        let position = rows(&mut writer, "SHOW MASTER STATUS")[0].split('|').nth(1).unwrap().to_owned();
        until_status(&mut reader, "Read_Source_Log_Pos", &position);
        ok(&mut reader, "STOP REPLICA IO_THREAD");
        assert_eq!(
            (status(&mut reader, "Replica_IO_Running"), status(&mut reader, "Replica_SQL_Running")),
            ("No".to_owned(), "Yes".to_owned())
        );
        if !drains {
            ok(&mut reader, "STOP REPLICA SQL_THREAD");
            let (read, applied) =
                (status(&mut reader, "Read_Source_Log_Pos"), status(&mut reader, "Exec_Source_Log_Pos"));
            assert_eq!(read, applied, "what was received is forgotten");
        }
        ok(&mut locker, "UNLOCK TABLES");
        if drains {
            catch_up(&source, &mut reader);
        }
        ok(&mut reader, "START REPLICA");
        catch_up(&source, &mut reader);
    }
    assert_eq!(rows(&mut reader, "SELECT COUNT(*) FROM d.t"), ["6"]);
}

#[test]
fn nobody_waits_for_a_worker_that_waits_for_him() {
    let (source, replica) = pair("");
    let (mut writer, mut reader, mut locker) = (source.root(), replica.root(), replica.root());
    ok(&mut writer, "CREATE TABLE d.t (id INT PRIMARY KEY)");
    catch_up(&source, &mut reader);
    for lock in ["LOCK TABLES d.t READ", "FLUSH TABLES WITH READ LOCK"] {
        ok(&mut locker, lock);
        for part in ["", " SQL_THREAD", " IO_THREAD"] {
            let stop = format!("STOP REPLICA{part}");
            assert_eq!(locker.query(&stop).unwrap_err().code(), 1192, "{lock}, {stop}");
        }
        ok(&mut locker, "UNLOCK TABLES");
    }
    ok(&mut locker, "FLUSH TABLES WITH READ LOCK");
    ok(&mut writer, "INSERT INTO d.t VALUES (1)");
    // The worker has all of it, and the row: what is left is the commit.
    let position = rows(&mut writer, "SHOW MASTER STATUS")[0].split('|').nth(1).unwrap().to_owned();
    until_status(&mut reader, "Read_Source_Log_Pos", &position);
    while reader.query("SELECT id FROM d.t WHERE id = 1 FOR UPDATE NOWAIT").is_ok() {}
    let mut stopper = replica.root();
    let id = rows(&mut stopper, "SELECT connection_id()")[0].clone();
    send(&mut stopper, "STOP REPLICA");
    until(
        &mut reader,
        &format!("SELECT info FROM information_schema.processlist WHERE id = {id}"),
        &["STOP REPLICA"],
    );
    ok(&mut reader, &format!("KILL QUERY {id}"));
    assert_eq!(stopper.answer().unwrap_err().code(), 1317);
    ok(&mut locker, "UNLOCK TABLES");
    // It stops all the same.
    until_status(&mut reader, "Replica_SQL_Running", "No");
    ok(&mut reader, "START REPLICA");
    catch_up(&source, &mut reader);
}

#[test]
fn what_waits_for_its_delay_is_applied_too() {
    let (source, replica) = pair(", SOURCE_DELAY = 2");
    let (mut writer, mut reader) = (source.root(), replica.root());
    ok(&mut writer, "CREATE TABLE d.t (id INT PRIMARY KEY)");
    (1..4).for_each(|id| ok(&mut writer, &format!("INSERT INTO d.t VALUES ({id})")));
    let position = rows(&mut writer, "SHOW MASTER STATUS")[0].split('|').nth(1).unwrap().to_owned();
    until_status(&mut reader, "Read_Source_Log_Pos", &position);
    ok(&mut reader, "STOP REPLICA IO_THREAD");
    catch_up(&source, &mut reader);
    assert_eq!(rows(&mut reader, "SELECT COUNT(*) FROM d.t"), ["3"]);
}

#[test]
fn what_cannot_be_applied_without_a_receiver_is_told() {
    let (source, replica) = pair("");
    let (mut writer, mut reader, mut locker) = (source.root(), replica.root(), replica.root());
    ok(&mut writer, "CREATE TABLE d.t (id INT PRIMARY KEY)");
    catch_up(&source, &mut reader);
    ok(&mut reader, "INSERT INTO d.t VALUES (2)");
    ok(&mut locker, "LOCK TABLES d.t READ");
    (1..4).for_each(|id| ok(&mut writer, &format!("INSERT INTO d.t VALUES ({id})")));
    let position = rows(&mut writer, "SHOW MASTER STATUS")[0].split('|').nth(1).unwrap().to_owned();
    until_status(&mut reader, "Read_Source_Log_Pos", &position);
    ok(&mut reader, "STOP REPLICA IO_THREAD");
    ok(&mut locker, "UNLOCK TABLES");
    until_status(&mut reader, "Last_SQL_Errno", "1062");
    until_status(&mut reader, "Replica_SQL_Running", "No");
    ok(&mut reader, "DELETE FROM d.t WHERE id = 2");
    ok(&mut reader, "START REPLICA");
    catch_up(&source, &mut reader);
    assert_eq!(rows(&mut reader, "SELECT COUNT(*) FROM d.t"), ["3"]);
}

#[test]
fn a_receiver_that_is_started_while_others_apply_is_there_at_once() {
    let (source, replica) = pair("");
    let (mut writer, mut reader, mut locker) = (source.root(), replica.root(), replica.root());
    ok(&mut writer, "CREATE TABLE d.t (id INT PRIMARY KEY)");
    catch_up(&source, &mut reader);
    ok(&mut locker, "LOCK TABLES d.t READ");
    ok(&mut writer, "INSERT INTO d.t VALUES (1)");
    let position = rows(&mut writer, "SHOW MASTER STATUS")[0].split('|').nth(1).unwrap().to_owned();
    until_status(&mut reader, "Read_Source_Log_Pos", &position);
    ok(&mut reader, "STOP REPLICA IO_THREAD");
    ok(&mut reader, "START REPLICA IO_THREAD");
    until_status(&mut reader, "Replica_IO_Running", "Yes");
    ok(&mut locker, "UNLOCK TABLES");
    catch_up(&source, &mut reader);
}

#[test]
fn users_that_are_there_already_stop_nobody() {
    let (source, replica) = pair("");
    let (mut writer, mut reader) = (source.root(), replica.root());
    let uuid = "11111111-1111-1111-1111-111111111111";
    for sql in [
        "CREATE USER u@'%'",
        "CREATE USER IF NOT EXISTS u@'%'",
        "ALTER USER IF EXISTS nobody_else@'%' IDENTIFIED BY 'x'",
        &format!("SET gtid_next = '{uuid}:1'"),
        "CREATE USER IF NOT EXISTS u@'%'",
        "SET gtid_next = AUTOMATIC",
        "CREATE USER IF NOT EXISTS u@'%', v@'%'",
    ] {
        ok(&mut writer, sql);
    }
    catch_up(&source, &mut reader);
    // An account is there a moment after its GTID.
    until(&mut reader, "SELECT COUNT(*) FROM mysql.user WHERE user IN ('u', 'v')", &["2"]);
    assert_eq!(rows(&mut reader, &format!("SELECT gtid_subset('{uuid}:1', @@gtid_executed)")), ["1"]);
}

#[test]
fn the_lag_is_that_of_what_is_applied() {
    let (source, replica) = pair("");
    let (mut writer, mut reader, mut locker) = (source.root(), replica.root(), replica.root());
    ok(&mut writer, "SET timestamp = 1000000");
    ok(&mut writer, "CREATE TABLE d.t (id INT PRIMARY KEY)");
    ok(&mut writer, "INSERT INTO d.t VALUES (1)");
    catch_up(&source, &mut reader);
    until_status(&mut reader, "Seconds_Behind_Source", "0");
    ok(&mut locker, "LOCK TABLES d.t READ");
    ok(&mut writer, "SET timestamp = DEFAULT");
    ok(&mut writer, "INSERT INTO d.t VALUES (2)");
    let at_hand = "SELECT COUNT(*) FROM performance_schema.replication_applier_status_by_worker \
                   WHERE applying_transaction <> ''";
    until(&mut reader, at_hand, &["1"]);
    let lag: u64 = status(&mut reader, "Seconds_Behind_Source").parse().unwrap();
    assert!(lag < 1_000_000, "the one before was much older: {lag}");
    ok(&mut locker, "UNLOCK TABLES");
    catch_up(&source, &mut reader);
}

#[test]
fn a_row_that_has_become_another_one_is_not_taken_for_it() {
    let (source, replica) = pair("");
    let (mut writer, mut reader, mut other) = (source.root(), replica.root(), replica.root());
    ok(&mut writer, "CREATE TABLE d.k (v VARCHAR(10), n INT)");
    ok(&mut writer, "CREATE TABLE d.u (v INT NOT NULL UNIQUE, n INT)");
    ok(&mut writer, "INSERT INTO d.k VALUES ('a', 0), ('b', 1), ('a', 0)");
    ok(&mut writer, "INSERT INTO d.u VALUES (1, 0), (2, 0)");
    catch_up(&source, &mut reader);
    ok(&mut other, "BEGIN");
    ok(&mut other, "UPDATE d.k SET n = 7 WHERE v = 'a' LIMIT 1");
    ok(&mut writer, "DELETE FROM d.k WHERE v = 'a' LIMIT 1");
    let waits = "SELECT COUNT(*) FROM performance_schema.data_lock_waits";
    until(&mut reader, waits, &["1"]);
    let workers = "SELECT trx_state FROM information_schema.innodb_trx WHERE trx_mysql_thread_id = 0";
    assert_eq!(rows(&mut reader, workers), ["LOCK WAIT"], "the worker's");
    ok(&mut other, "COMMIT");
    catch_up(&source, &mut reader);
    assert_eq!(rows(&mut reader, "SELECT * FROM d.k ORDER BY v"), ["a|7", "b|1"]);
    // And by a unique key.
    ok(&mut other, "BEGIN");
    ok(&mut other, "UPDATE d.u SET v = 3 WHERE v = 1");
    send(&mut writer, "UPDATE d.u SET n = 5 WHERE v = 1");
    writer.answer().unwrap();
    until(&mut reader, waits, &["1"]);
    ok(&mut other, "COMMIT");
    until_status(&mut reader, "Last_SQL_Errno", "1032");
    assert_eq!(rows(&mut reader, "SELECT * FROM d.u ORDER BY v"), ["2|0", "3|0"], "it is not what was meant");
}

#[test]
fn what_has_no_end_in_the_source_s_file_is_forgotten() {
    let disk = SimDisk::new();
    let source = World::start_on(&disk, &[]);
    let mut writer = source.root();
    let place = rows(&mut writer, "SHOW MASTER STATUS")[0].clone();
    let mut place = place.split('|');
    let (file, begin) = (place.next().unwrap(), place.next().unwrap());
    ok(&mut writer, "CREATE TABLE d.t (id INT PRIMARY KEY)");
    (1..=2).for_each(|id| ok(&mut writer, &format!("INSERT INTO d.t VALUES ({id})")));
    ok(&mut writer, "FLUSH BINARY LOGS");
    ok(&mut writer, "INSERT INTO d.t VALUES (3)");
    // As MariaDB leaves a file after a crash.
    let events = rows(&mut writer, &format!("SHOW BINLOG EVENTS IN '{file}'"));
    let xid = events.iter().rfind(|event| event.contains("|Xid|")).unwrap();
    let end = xid.split('|').nth(1).unwrap().parse().unwrap();
    drop(writer);
    source.stop();
    disk.open(&Path::new("/data").join(file), Open::ReadWrite).unwrap().set_len(end).unwrap();
    let (source, replica) = (World::open(&disk), World::start_with(&["--server-id=2"]));
    let mut reader = replica.root();
    let change = format!(
        "CHANGE REPLICATION SOURCE TO SOURCE_HOST = '127.0.0.1', SOURCE_PORT = {}, SOURCE_USER = 'repl', \
         SOURCE_LOG_FILE = '{file}', SOURCE_LOG_POS = {begin}",
        source.port()
    );
    ok(&mut reader, &change);
    ok(&mut reader, "START REPLICA");
    until(&mut reader, "SELECT COUNT(*) FROM information_schema.tables WHERE table_schema = 'd'", &["1"]);
    until(&mut reader, "SELECT COUNT(*) FROM d.t WHERE id = 3", &["1"]);
    assert_eq!(rows(&mut reader, "SELECT id FROM d.t ORDER BY id"), ["1", "3"]);
    assert_eq!(status(&mut reader, "Last_IO_Errno"), "0");
}

#[test]
fn what_comes_from_here_takes_room_until_it_is_passed() {
    const MIB: usize = 1 << 20;
    let (source, replica) = pair("");
    let (mut reader, mut locker) = (replica.root(), replica.root());
    // In a circle: what it has said itself comes back.
    ok(&mut reader, "STOP REPLICA");
    follow(&replica, &source, "");
    ok(&mut reader, "CREATE TABLE d.t (id INT PRIMARY KEY)");
    let filler = "x".repeat(MIB);
    for number in 0..80 {
        ok(&mut reader, &format!("ALTER TABLE d.t COMMENT = '{number}' /* {filler} */"));
    }
    catch_up(&replica, &mut source.root());
    let end: usize =
        rows(&mut source.root(), "SHOW MASTER STATUS")[0].split('|').nth(1).unwrap().parse().unwrap();
    assert!(end > 80 * MIB, "{end}");
    ok(&mut locker, "FLUSH TABLES WITH READ LOCK");
    ok(&mut reader, "START REPLICA");
    let mut read = || status(&mut reader, "Read_Source_Log_Pos").parse::<usize>().unwrap();
    while read() < 62 * MIB {}
    (0..1000).for_each(|_| assert!(read() < 70 * MIB, "nothing is committed, and the queue has 64 MiB"));
    ok(&mut locker, "UNLOCK TABLES");
    until_status(&mut reader, "Exec_Source_Log_Pos", &end.to_string());
}

#[test]
fn statements_about_the_replica_commit_first() {
    let world = World::start();
    let (mut root, mut nobody) = (world.root(), world.client("nobody"));
    ok(&mut root, "CREATE TABLE d.t (a INT)");
    ok(&mut root, "GRANT ALL ON d.* TO nobody");
    let statements = [
        "CHANGE REPLICATION SOURCE TO SOURCE_PORT = 1, SOURCE_AUTO_POSITION = 0",
        "START REPLICA",
        "STOP REPLICA",
    ];
    for (count, sql) in (1..).zip(statements) {
        for client in [&mut root, &mut nobody] {
            ok(client, "BEGIN");
            ok(client, "INSERT INTO d.t VALUES (1)");
            // There is no source: START REPLICA is refused behind the commit, and who may not do it before.
            let _outcome = client.query(sql);
            ok(client, "ROLLBACK");
        }
        assert_eq!(rows(&mut root, "SELECT COUNT(*) FROM d.t"), [count.to_string()], "{sql}");
        ok(&mut root, "XA START 'x'");
        assert_eq!(root.query(sql).unwrap_err().code(), 1399, "{sql}");
        ok(&mut root, "XA END 'x'");
        ok(&mut root, "XA ROLLBACK 'x'");
    }
    world.stop();
}
