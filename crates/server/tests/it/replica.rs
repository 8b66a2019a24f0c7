//! Purpose: a replica has what its source has, each transaction once.
//!
//! Requirements: R1. A transaction whose GTID somebody else commits or has said to be executed meanwhile is passed over. R2. What a
//! minimal image leaves out is what the source let pass, and a NULL is the default of a column that is NOT NULL here; one of the two tables may have more columns at its end; AUTO_INCREMENT goes on above what was applied; rows without a key that an event changes twice are found; moments in
//! definitions are the source's to the microsecond; texts of definitions are in the source's character set. R3. Who begins with nothing is told that
//! what `gtid_purged` says is missing.
//!
//! Method: two whole servers, one of which follows the other over TCP.

use crate::client::Client;
use crate::whole::{World, ok, rows, until};

/// A source, and who follows it from now on.
pub fn pair(more: &str) -> (World, World) {
    let (source, replica) = (World::start(), World::start_with(&["--server-id=2"]));
    follow(&source, &replica, more);
    (source, replica)
}

pub fn follow(source: &World, replica: &World, more: &str) {
    let at = rows(&mut source.root(), "SHOW MASTER STATUS")[0].clone();
    let (file, rest) = at.split_once('|').unwrap();
    let position = rest.split_once('|').unwrap().0;
    let change = format!(
        "CHANGE REPLICATION SOURCE TO SOURCE_HOST = '127.0.0.1', SOURCE_PORT = {}, SOURCE_USER = 'repl', \
         SOURCE_LOG_FILE = '{file}', SOURCE_LOG_POS = {position}{more}",
        source.port()
    );
    let mut root = replica.root();
    ok(&mut root, &change);
    ok(&mut root, "START REPLICA");
}

/// The GTID of the newest transaction.
pub fn newest(source: &World) -> String {
    let executed = rows(&mut source.root(), "SELECT @@global.gtid_executed")[0].clone();
    let own = rows(&mut source.root(), "SELECT @@server_uuid")[0].clone();
    let executed = executed.split(',').map(str::trim).find(|part| part.starts_with(&own)).unwrap();
    let (uuid, numbers) = executed.split_once(':').unwrap();
    format!("{uuid}:{}", numbers.rsplit('-').next().unwrap())
}

/// Waits until the replica has everything, and compares tables.
fn assert_equal(source: &World, replica: &World, tables: &[&str]) {
    let (mut ours, mut theirs) = (source.root(), replica.root());
    let gtid = newest(source);
    let there = format!("SELECT gtid_subset('{gtid}', @@global.gtid_executed)");
    until(&mut theirs, &there, &["1"]);
    for table in tables {
        let all = format!("SELECT * FROM d.{table} ORDER BY 1");
        assert_eq!(rows(&mut theirs, &all), rows(&mut ours, &all), "{table}");
    }
}

/// How often a GTID stands in a server's binlog.
fn count_in_binlog(world: &World, gtid: &str) -> usize {
    let events = rows(&mut world.root(), "SHOW BINLOG EVENTS");
    events.iter().filter(|event| event.contains(&format!("SET @@SESSION.GTID_NEXT= '{gtid}'"))).count()
}

#[test]
fn a_gtid_that_somebody_else_has_meanwhile_is_passed_over() {
    let (source, replica) = pair("");
    let (mut writer, mut owner, mut other) = (source.root(), replica.root(), replica.root());
    ok(&mut writer, "CREATE TABLE d.t (id INT PRIMARY KEY, v INT)");
    assert_equal(&source, &replica, &["t"]);
    let created = newest(&source);
    let (uuid, last) = created.rsplit_once(':').unwrap();
    let last: u64 = last.parse().unwrap();
    let [first, second, third] = [1, 2, 3].map(|more| format!("{uuid}:{}", last + more));
    // One is executed by a session that has begun before it comes, one is an empty transaction, one is said to be executed.
    ok(&mut owner, &format!("SET gtid_next = '{first}'"));
    ok(&mut owner, "BEGIN");
    ok(&mut owner, "INSERT INTO d.t VALUES (999, 1)");
    ok(&mut writer, "INSERT INTO d.t VALUES (1, 1)");
    ok(&mut writer, "INSERT INTO d.t VALUES (2, 2)");
    ok(&mut writer, "INSERT INTO d.t VALUES (3, 3)");
    ok(&mut writer, "INSERT INTO d.t VALUES (4, 4)");
    let at_hand = "SELECT COUNT(*) FROM performance_schema.replication_applier_status_by_worker WHERE applying_transaction <> ''";
    until(&mut other, &format!("{at_hand} AND applying_transaction = '{first}'"), &["1"]);
    ok(&mut other, &format!("SET gtid_next = '{third}'"));
    ok(&mut other, "BEGIN");
    ok(&mut other, "COMMIT");
    ok(&mut other, "SET gtid_next = AUTOMATIC");
    assert_eq!(rows(&mut other, "SELECT COUNT(*) FROM d.t"), ["0"]);
    ok(&mut owner, "COMMIT");
    until(&mut other, "SELECT GROUP_CONCAT(id ORDER BY id) FROM d.t", &["2,4,999"]);
    for gtid in [&first, &second, &third] {
        assert_eq!(count_in_binlog(&replica, gtid), 1, "{gtid}");
    }
}

#[test]
fn what_an_image_leaves_out_is_what_the_source_let_pass() {
    let (source, replica) = pair("");
    let mut writer = source.root();
    for sql in [
        "CREATE TABLE d.n (id INT PRIMARY KEY, e ENUM('a', 'b') NOT NULL, v INT DEFAULT 7)",
        "CREATE TABLE d.m (id INT PRIMARY KEY, i INT NOT NULL, s VARCHAR(3) NOT NULL, dt DATE NOT NULL)",
        "SET binlog_row_image = MINIMAL",
        "INSERT INTO d.n (id) VALUES (1)",
        "SET sql_mode = ''",
        "INSERT INTO d.m (id) VALUES (1)",
        "INSERT INTO d.m (id, s) VALUES (2, 'x')",
    ] {
        ok(&mut writer, sql);
    }
    assert_equal(&source, &replica, &["n", "m"]);
}

#[test]
fn a_null_is_the_default_of_a_column_that_is_not_null_here() {
    let (source, replica) = pair("");
    let (mut writer, mut reader) = (source.root(), replica.root());
    let all = "SELECT * FROM d.t ORDER BY a";
    ok(&mut writer, "CREATE TABLE d.t (a INT UNIQUE, b INT, c INT, d DATETIME)");
    catch_up(&source, &mut reader);
    ok(
        &mut reader,
        "ALTER TABLE d.t MODIFY a INT NOT NULL, MODIFY c INT NOT NULL DEFAULT 7, MODIFY d DATETIME NOT NULL DEFAULT NOW()",
    );
    // The first in the index is another row than the one that is meant.
    ok(&mut writer, "INSERT INTO d.t VALUES (-5, 9, 1, '2020-02-02'), (NULL, 1, NULL, NULL)");
    catch_up(&source, &mut reader);
    let other = "-5|9|1|2020-02-02 00:00:00";
    let zero = "0000-00-00 00:00:00";
    assert_eq!(rows(&mut reader, all), [other, &format!("0|1|7|{zero}")]);
    ok(&mut writer, "UPDATE d.t SET b = 2 WHERE b = 1");
    catch_up(&source, &mut reader);
    assert_eq!(rows(&mut reader, all), [other, &format!("0|2|7|{zero}")]);
    // Whose key happens to be what stands for NULL is not the row that is meant.
    ok(&mut reader, "UPDATE d.t SET b = 3 WHERE a = 0");
    ok(&mut writer, "DELETE FROM d.t WHERE b = 2");
    crate::replica_runs::until_status(&mut reader, "Last_SQL_Errno", "1032");
    assert_eq!(rows(&mut reader, all), [other, &format!("0|3|7|{zero}")]);
    ok(&mut reader, "UPDATE d.t SET b = 2 WHERE a = 0");
    ok(&mut reader, "START REPLICA");
    catch_up(&source, &mut reader);
    assert_eq!(rows(&mut reader, all), [other]);
}

/// Waits until the replica has everything of the source; fails with what it stops at.
fn catch_up(source: &World, replica: &mut Client) {
    let there = format!(
        "SELECT gtid_subset('{}', @@global.gtid_executed), MAX(last_error_message) FROM \
         performance_schema.replication_applier_status_by_worker",
        newest(source)
    );
    until(replica, &there, &["1|"]);
}

#[test]
fn one_of_the_two_tables_may_have_more_columns() {
    let (source, replica) = pair("");
    let (mut writer, mut reader) = (source.root(), replica.root());
    for table in ["t (id INT PRIMARY KEY, v INT, w DECIMAL(9,2))", "k (id INT, v INT, w DECIMAL(9,2))"] {
        ok(&mut writer, &format!("CREATE TABLE d.{table}"));
    }
    ok(&mut writer, "INSERT INTO d.t VALUES (1, 1, 1.5)");
    ok(&mut writer, "INSERT INTO d.k VALUES (1, 1, NULL)");
    catch_up(&source, &mut reader);
    let more = "ADD a INT NOT NULL DEFAULT 7, ADD b VARCHAR(9) NOT NULL, ADD UNIQUE (a, id)";
    for table in ["t", "k"] {
        ok(&mut reader, &format!("ALTER TABLE d.{table} {more}"));
        ok(&mut reader, &format!("UPDATE d.{table} SET a = 8, b = 'x'"));
        for image in ["FULL", "MINIMAL"] {
            ok(&mut writer, &format!("SET binlog_row_image = {image}"));
            ok(&mut writer, &format!("UPDATE d.{table} SET v = v + 1 WHERE id = 1"));
        }
        ok(&mut writer, &format!("INSERT INTO d.{table} VALUES (2, 2, 2), (3, 3, 3)"));
        ok(&mut writer, &format!("DELETE FROM d.{table} WHERE id = 2"));
    }
    catch_up(&source, &mut reader);
    assert_eq!(rows(&mut reader, "SELECT * FROM d.t ORDER BY id"), ["1|3|1.50|8|x", "3|3|3.00|7|"]);
    assert_eq!(rows(&mut reader, "SELECT * FROM d.k ORDER BY id"), ["1|3|NULL|8|x", "3|3|3.00|7|"]);
    for table in ["t", "k"] {
        ok(&mut reader, &format!("ALTER TABLE d.{table} DROP a, DROP b, DROP w"));
        ok(&mut writer, "SET binlog_row_image = FULL");
        ok(&mut writer, &format!("UPDATE d.{table} SET v = v + 1, w = NULL WHERE id = 1"));
        ok(&mut writer, &format!("UPDATE d.{table} SET w = 9 WHERE id = 3"));
        ok(&mut writer, &format!("INSERT INTO d.{table} VALUES (4, 4, 4), (5, 5, NULL)"));
        ok(&mut writer, &format!("DELETE FROM d.{table} WHERE id = 4"));
    }
    catch_up(&source, &mut reader);
    assert_eq!(rows(&mut reader, "SELECT * FROM d.t ORDER BY id"), ["1|4", "3|3", "5|5"]);
    assert_eq!(rows(&mut reader, "SELECT * FROM d.k ORDER BY id"), ["1|4", "3|3", "5|5"]);
}

#[test]
fn a_column_that_the_source_lacks_gets_what_it_would_get_here() {
    let (source, replica) = pair("");
    let (mut writer, mut reader) = (source.root(), replica.root());
    // One that numbers, and one that has a moment.
    ok(&mut writer, "CREATE TABLE d.i (v INT)");
    catch_up(&source, &mut reader);
    ok(
        &mut reader,
        "ALTER TABLE d.i ADD id INT AUTO_INCREMENT PRIMARY KEY, ADD at DATETIME NOT NULL DEFAULT NOW()",
    );
    ok(&mut writer, "SET timestamp = 1700000000");
    ok(&mut writer, "INSERT INTO d.i VALUES (7), (8)");
    ok(&mut writer, "INSERT INTO d.i VALUES (9)");
    catch_up(&source, &mut reader);
    let all = "SELECT v, id, UNIX_TIMESTAMP(at) FROM d.i ORDER BY id";
    assert_eq!(rows(&mut reader, all), ["7|1|1700000000", "8|2|1700000000", "9|3|1700000000"]);
    // What changes in columns that there are not here is nothing; who is meant by them alone is not found.
    ok(&mut writer, "CREATE TABLE d.l (v INT, id INT PRIMARY KEY)");
    ok(&mut writer, "INSERT INTO d.l VALUES (1, 1), (2, 2)");
    catch_up(&source, &mut reader);
    ok(&mut reader, "ALTER TABLE d.l DROP id");
    ok(&mut writer, "UPDATE d.l SET id = 3 WHERE v = 2");
    catch_up(&source, &mut reader);
    ok(&mut writer, "SET binlog_row_image = MINIMAL");
    ok(&mut writer, "DELETE FROM d.l WHERE id = 3");
    let stopped =
        "SELECT last_error_number FROM performance_schema.replication_applier_status_by_coordinator";
    until(&mut reader, stopped, &["1032"]);
    assert_eq!(rows(&mut reader, "SELECT v FROM d.l ORDER BY v"), ["1", "2"]);
}

#[test]
fn an_update_of_columns_that_are_not_here_is_passed_over() {
    let (source, replica) = pair("");
    let (mut writer, mut reader) = (source.root(), replica.root());
    ok(&mut writer, "CREATE TABLE d.t (v INT DEFAULT 100, id INT PRIMARY KEY, w INT)");
    ok(&mut writer, "INSERT INTO d.t VALUES (1, 1, 1)");
    catch_up(&source, &mut reader);
    ok(&mut reader, "ALTER TABLE d.t DROP id, DROP w");
    ok(&mut writer, "SET binlog_row_image = MINIMAL");
    ok(&mut writer, "UPDATE d.t SET w = 300 WHERE id = 1");
    catch_up(&source, &mut reader);
    assert_eq!(rows(&mut reader, "SELECT * FROM d.t"), ["1"]);
    // Which row has another value here is not said.
    ok(&mut writer, "UPDATE d.t SET v = 2 WHERE id = 1");
    crate::replica_runs::until_status(&mut reader, "Last_SQL_Errno", "1032");
    assert_eq!(rows(&mut reader, "SELECT * FROM d.t"), ["1"]);
}

/// BINLOG of the events of these kinds, `edit`ed: the bytes of each without a checksum.
fn replayed(world: &World, kinds: &[&str], edit: impl Fn(&str, &mut Vec<u8>)) -> String {
    let log = world.read("binlog.000001");
    let mut root = world.root();
    let mut bytes = Vec::new();
    for event in rows(&mut root, "SHOW BINLOG EVENTS") {
        let parts: Vec<_> = event.split('|').collect();
        let [start, end] = [parts[1], parts[4]].map(|number| number.parse::<usize>().unwrap());
        if kinds.contains(&parts[2]) {
            let mut event = log[start..end].to_vec();
            edit(parts[2], &mut event);
            let size = u32::try_from(event.len()).unwrap().to_le_bytes();
            event[9..13].copy_from_slice(&size);
            bytes.extend(event);
        }
    }
    let hex: Vec<_> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("BINLOG '{}'", rows(&mut root, &format!("SELECT TO_BASE64(x'{}')", hex.concat()))[0])
}

#[test]
fn an_image_without_columns_is_a_row_of_defaults_or_changes_nothing() {
    // Behind the header: table id, flags, extra data, number of columns; then the columns present.
    const PRESENT: usize = 19 + 6 + 2 + 2 + 1;
    let world = World::start_with(&["--binlog-checksum=NONE"]);
    let mut root = world.root();
    for sql in [
        "CREATE TABLE d.t (id INT PRIMARY KEY DEFAULT 100, v INT)",
        "INSERT INTO d.t VALUES (1, 1)",
        "SET binlog_row_image = MINIMAL",
        "UPDATE d.t SET v = 2",
        "FLUSH BINARY LOGS",
    ] {
        ok(&mut root, sql);
    }
    let inserts = |image: usize, present: u8| {
        replayed(&world, &["Table_map", "Write_rows"], |kind, event| {
            if kind == "Write_rows" {
                event.truncate(PRESENT + 1 + image);
                event[PRESENT] = present;
            }
        })
    };
    ok(&mut root, &replayed(&world, &["Format_desc"], |_, _| {}));
    // What stands behind the last column means nothing.
    for (image, present) in [(0, 0), (0, 0xFC)] {
        ok(&mut root, "DELETE FROM d.t");
        ok(&mut root, &inserts(image, present));
        assert_eq!(rows(&mut root, "SELECT * FROM d.t"), ["100|NULL"]);
    }
    ok(&mut root, "DELETE FROM d.t");
    assert_eq!(root.query(&inserts(9, 0)).unwrap_err().code(), 1593, "it would never end");
    assert_eq!(rows(&mut root, "SELECT COUNT(*) FROM d.t"), ["0"]);
    // The after image of what has changed nothing.
    let updates = replayed(&world, &["Table_map", "Update_rows"], |kind, event| {
        if kind == "Update_rows" {
            event.truncate(PRESENT + 2 + 5);
            event[PRESENT + 1] = 0;
        }
    });
    ok(&mut root, "INSERT INTO d.t VALUES (1, 9)");
    ok(&mut root, &updates);
    assert_eq!(rows(&mut root, "SELECT * FROM d.t"), ["1|9"]);
}

#[test]
fn an_xa_transaction_that_changes_nothing_here_can_be_ended() {
    let (source, replica) = pair("");
    let (mut writer, mut reader) = (source.root(), replica.root());
    ok(&mut writer, "CREATE TABLE d.t (id INT PRIMARY KEY, v INT)");
    ok(&mut writer, "INSERT INTO d.t VALUES (1, 1)");
    catch_up(&source, &mut reader);
    ok(&mut reader, "ALTER TABLE d.t DROP v");
    for sql in [
        "XA START 'x'",
        "UPDATE d.t SET v = 2",
        "XA END 'x'",
        "XA PREPARE 'x'",
        "XA COMMIT 'x'",
        "INSERT INTO d.t VALUES (2, 2)",
    ] {
        ok(&mut writer, sql);
    }
    catch_up(&source, &mut reader);
    assert_eq!(rows(&mut reader, "SELECT id FROM d.t ORDER BY id"), ["1", "2"]);
}

#[test]
fn the_machine_s_zone_is_not_logged_by_its_name() {
    let (source, replica) = pair("");
    let (mut writer, mut reader) = (source.root(), replica.root());
    ok(&mut writer, "CREATE TABLE d.t (id INT PRIMARY KEY)");
    catch_up(&source, &mut reader);
    // Here it depends on the zone, at the source it does not: that says nothing of one.
    ok(&mut reader, "ALTER TABLE d.t ADD ts TIMESTAMP NULL DEFAULT CURRENT_TIMESTAMP");
    ok(&mut writer, "ALTER TABLE d.t ADD v INT FIRST");
    catch_up(&source, &mut reader);
    let zone_in = |world: &World| {
        let mut root = world.root();
        ok(&mut root, "FLUSH BINARY LOGS");
        let events = rows(&mut root, "SHOW BINLOG EVENTS IN 'binlog.000001'");
        let event = events.iter().find(|event| event.contains("ADD v INT")).unwrap();
        let parts: Vec<_> = event.split('|').collect();
        let [start, end] = [parts[1], parts[4]].map(|number| number.parse::<usize>().unwrap());
        let bytes = world.read("binlog.000001")[start..end].to_vec();
        bytes.windows(7).any(|window| window == b"\x06SYSTEM")
    };
    assert_eq!((zone_in(&source), zone_in(&replica)), (false, true));
}

#[test]
fn who_becomes_a_source_generates_values_above_all_it_was_given() {
    let (source, replica) = pair("");
    let (mut writer, mut after) = (source.root(), replica.root());
    ok(&mut writer, "CREATE TABLE d.t (id INT PRIMARY KEY AUTO_INCREMENT, v INT)");
    ok(&mut writer, "INSERT INTO d.t VALUES (1, 1), (20, 2)");
    ok(&mut writer, "UPDATE d.t SET id = 40 WHERE id = 1");
    ok(&mut writer, "UPDATE d.t SET v = 3 WHERE id = 20");
    assert_equal(&source, &replica, &["t"]);
    ok(&mut after, "STOP REPLICA");
    ok(&mut after, "INSERT INTO d.t (v) VALUES (4)");
    assert_eq!(rows(&mut after, "SELECT id FROM d.t WHERE v = 4"), ["41"]);
}

#[test]
fn rows_without_a_key_that_an_event_changes_twice_are_found() {
    let (source, replica) = pair("");
    let mut writer = source.root();
    for image in ["FULL", "MINIMAL"] {
        ok(&mut writer, &format!("SET binlog_row_image = {image}"));
        ok(&mut writer, "DROP TABLE IF EXISTS d.k");
        ok(&mut writer, "CREATE TABLE d.k (k INT NULL UNIQUE, v INT)");
        ok(
            &mut writer,
            "INSERT INTO d.k VALUES (1, 0), (1, 0), (1, 0), (2, 5) ON DUPLICATE KEY UPDATE v = v + 1",
        );
        ok(&mut writer, "REPLACE INTO d.k VALUES (1, 0), (1, 1), (1, 2), (NULL, 1)");
        ok(&mut writer, "INSERT INTO d.k VALUES (1, 0), (2, 0), (1, 0) ON DUPLICATE KEY UPDATE v = 9 - v");
        assert_equal(&source, &replica, &["k"]);
    }
}

#[test]
fn definitions_have_the_source_s_moment_and_character_set() {
    let (source, replica) = pair("");
    let mut writer = source.root();
    ok(&mut writer, "CREATE TABLE d.a (id INT PRIMARY KEY)");
    ok(&mut writer, "INSERT INTO d.a VALUES (1), (2)");
    ok(&mut writer, "SET timestamp = 1700000000.123456");
    ok(
        &mut writer,
        "ALTER TABLE d.a ADD c DATETIME(6) NOT NULL DEFAULT NOW(6), ADD t TIMESTAMP(3) DEFAULT CURRENT_TIMESTAMP(3)",
    );
    assert_equal(&source, &replica, &["a"]);
    assert!(rows(&mut replica.root(), "SELECT c FROM d.a")[0].ends_with(".123456"));
    ok(&mut writer, "SET NAMES latin1");
    let mut said = b"CREATE TABLE d.l\xe4 (id INT PRIMARY KEY COMMENT '\xdf', e ENUM('\xe4', 'b'), s VARCHAR(9) DEFAULT '\xfc') CHARSET latin1".to_vec();
    said.insert(0, 3);
    writer.command(&said).unwrap();
    writer.answer().unwrap();
    ok(&mut writer, "SET NAMES utf8mb4");
    ok(&mut writer, "INSERT INTO d.l\u{e4} (id, e) VALUES (1, '\u{e4}')");
    assert_equal(&source, &replica, &["l\u{e4}"]);
    let shown = "SHOW CREATE TABLE d.l\u{e4}";
    assert_eq!(rows(&mut replica.root(), shown), rows(&mut writer, shown));
    assert!(
        rows(&mut writer, shown)[0].contains("DEFAULT '\u{fc}'")
            && rows(&mut writer, shown)[0].contains("COMMENT '\u{df}'")
    );
    assert_eq!(rows(&mut writer, "SELECT s FROM d.l\u{e4}"), ["\u{fc}"]);
}

#[test]
fn who_lacks_what_is_purged_is_told_so() {
    let (source, replica) = (World::start(), World::start_with(&["--server-id=2"]));
    let (mut root, mut other) = (source.root(), replica.root());
    ok(&mut root, "RESET BINARY LOGS AND GTIDS");
    ok(&mut root, "SET GLOBAL gtid_purged = 'aaaaaaaa-0000-0000-0000-000000000001:1-1000'");
    ok(&mut root, "CREATE TABLE d.t (id INT PRIMARY KEY)");
    ok(&mut other, "RESET BINARY LOGS AND GTIDS");
    let change = format!(
        "CHANGE REPLICATION SOURCE TO SOURCE_HOST = '127.0.0.1', SOURCE_PORT = {}, SOURCE_USER = 'repl', SOURCE_AUTO_POSITION = 1",
        source.port()
    );
    ok(&mut other, &change);
    ok(&mut other, "START REPLICA");
    let error = "SELECT last_error_number, last_error_message LIKE '%source purged required binary logs%' \
         FROM performance_schema.replication_connection_status";
    until(&mut other, error, &["1236|1"]);
    ok(&mut other, "SET GLOBAL gtid_purged = 'aaaaaaaa-0000-0000-0000-000000000001:1-1000'");
    ok(&mut other, "START REPLICA");
    assert_equal(&source, &replica, &["t"]);
}

#[test]
fn gtid_next_is_set_between_transactions_and_used_by_what_changes_nothing() {
    let world = World::start();
    let mut root = world.root();
    ok(&mut root, "CREATE TABLE d.t (id INT PRIMARY KEY)");
    ok(&mut root, "BEGIN");
    ok(&mut root, "INSERT INTO d.t VALUES (1)");
    let refused = root.query("SET gtid_next = 'aaaaaaaa-0000-0000-0000-000000000001:1'").unwrap_err();
    assert_eq!(refused.code(), 1766);
    ok(&mut root, "COMMIT");
    for (number, sql) in
        ["DROP TABLE IF EXISTS d.nope", "CREATE TABLE IF NOT EXISTS d.t (id INT)"].iter().enumerate()
    {
        let gtid = format!("aaaaaaaa-0000-0000-0000-000000000001:{}", number + 1);
        ok(&mut root, &format!("SET gtid_next = '{gtid}'"));
        ok(&mut root, sql);
        ok(&mut root, "SET gtid_next = AUTOMATIC");
        assert_eq!(
            rows(&mut root, &format!("SELECT gtid_subset('{gtid}', @@global.gtid_executed)")),
            ["1"],
            "{sql}"
        );
    }
}

#[test]
fn characters_that_names_do_not_have_become_question_marks() {
    let world = World::start();
    let mut root = world.root();
    let name = "\u{1f600}".repeat(64);
    ok(&mut root, &format!("CREATE TABLE d.`{name}` (`a\u{1f600}` INT)"));
    ok(&mut root, &format!("INSERT INTO d.`{name}` VALUES (1)"));
    assert_eq!(rows(&mut root, &format!("SELECT `a?` FROM d.`{}`", "?".repeat(64))), ["1"]);
}
