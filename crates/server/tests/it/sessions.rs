//! Purpose: what a session has from its connection, and what a connection has from its session.
//!
//! Requirements: R1. Time-outs are those of the session's variables, after COM_RESET_CONNECTION too. R2. An interactive client
//! begins with `interactive_timeout`. R3. Each privilege of administrators is for what it is for: of CONNECTION_ADMIN, SYSTEM_VARIABLES_ADMIN,
//! SESSION_VARIABLES_ADMIN, BINLOG_ADMIN and REPLICATION_APPLIER none stands for SUPER, and SUPER for each. R4. FLUSH HOSTS and COM_REFRESH
//! let those in again who were blocked. R5. Who has no privilege on a table is not told whether it is there. R6. FOR
//! UPDATE needs UPDATE, DELETE or LOCK TABLES beside SELECT, on the view if it is through one, FOR SHARE does not. R7. A KILL does not
//! wait for a client that does not read; a KILL QUERY leaves a conversation that can be read on. R8. Clients that have vanished
//! are noticed by the operating system. R9. Who asks for it is told of changes of the session; what nobody would be told of
//! cannot be asked for. R10. A database is entered by whoever may do something there (1044); CREATE INDEX needs INDEX; who has
//! SYSTEM_USER is killed, and spoken for, by those who have it too; COM_DEBUG needs SUPER.
//!
//! Method: a whole server on a simulated disk, and clients that speak the protocol's bytes. What is expected was seen at
//! MySQL 9.7.4.

use crate::client::{Client, Login, Stream};
use crate::net::host;
use crate::whole::{World, ok, rows, send, until};

/// COM_RESET_CONNECTION.
fn reset(client: &mut Client) {
    client.command(&[0x1F]).unwrap();
    client.answer().unwrap();
}

#[test]
fn a_reset_is_no_error_where_the_database_is_gone() {
    let world = World::start();
    let mut client = world.root();
    ok(&mut client, "CREATE DATABASE gone");
    ok(&mut client, "USE gone");
    ok(&mut world.root(), "DROP DATABASE gone");
    reset(&mut client);
    assert_eq!(rows(&mut client, "SELECT DATABASE()"), ["gone"]);
    assert_eq!(client.query("CREATE TABLE t (id INT)").unwrap_err().code(), 1049);
    world.stop();
}

#[test]
fn time_outs_are_the_sessions_after_a_reset_too() {
    let world = World::start();
    let [mut before, mut after, mut neither] = [world.root(), world.root(), world.root()];
    ok(&mut before, "SET wait_timeout = 1");
    reset(&mut before);
    assert_eq!(rows(&mut before, "SELECT @@wait_timeout"), ["28800"]);
    reset(&mut after);
    ok(&mut after, "SET wait_timeout = 1");
    assert_eq!(after.answer_unasked().code(), 4031);
    // By now the other one would have been looked at.
    ok(&mut neither, "SET wait_timeout = 2");
    assert_eq!(neither.answer_unasked().code(), 4031);
    before.ping().unwrap();
    world.stop();
}

#[test]
fn an_interactive_client_begins_with_interactive_timeout() {
    const INTERACTIVE: u32 = 1 << 10;
    let world = World::start();
    let mut root = world.root();
    ok(&mut root, "SET GLOBAL interactive_timeout = 1");
    let login = Login { flags: INTERACTIVE, ..Login::new("root", "") };
    let mut client = Client::connect(&world.address(), &login).unwrap();
    ok(&mut root, "SET GLOBAL interactive_timeout = 7777");
    assert_eq!(client.answer_unasked().code(), 4031);
    let mut client = Client::connect(&world.address(), &login).unwrap();
    let timeouts = "SELECT @@wait_timeout, @@interactive_timeout";
    assert_eq!(rows(&mut client, timeouts), ["7777|7777"]);
    ok(&mut client, "SET wait_timeout = 55");
    reset(&mut client);
    assert_eq!(rows(&mut client, timeouts), ["7777|7777"]);
    assert_eq!(rows(&mut world.root(), timeouts), ["28800|7777"]);
    world.stop();
}

#[test]
fn administrators_may_do_what_their_privilege_is_for() {
    const GLOBAL: [&str; 3] =
        ["SET GLOBAL max_connections = 151", "SET GLOBAL sync_binlog = 1", "SET GLOBAL gtid_purged = '+'"];
    const SESSION: [&str; 7] = [
        "SET SESSION sql_log_bin = 0",
        "SET SESSION binlog_format = 'ROW'",
        "SET SESSION binlog_row_image = 'FULL'",
        "SET SESSION binlog_rows_query_log_events = 0",
        "SET SESSION binlog_row_value_options = ''",
        "SET SESSION pseudo_thread_id = 1",
        "SET SESSION sql_require_primary_key = 0",
    ];
    const APPLY: [&str; 4] = [
        "SET SESSION gtid_next = 'AUTOMATIC'",
        "SET SESSION original_commit_timestamp = 36028797018963968",
        "SET SESSION pseudo_replica_mode = 0",
        "SET SESSION immediate_server_version = 80000",
    ];
    const PURGE: [&str; 1] = ["PURGE BINARY LOGS BEFORE '2000-01-01'"];
    let world = World::start();
    let mut root = world.root();
    // Of these four kinds of statements.
    for (privilege, may) in [
        ("USAGE", [false; 4]),
        ("CONNECTION_ADMIN", [false; 4]),
        ("SYSTEM_VARIABLES_ADMIN", [true, true, true, false]),
        ("SESSION_VARIABLES_ADMIN", [false, true, true, false]),
        ("REPLICATION_APPLIER", [false, false, true, false]),
        ("BINLOG_ADMIN", [false, false, false, true]),
        ("SUPER", [true; 4]),
    ] {
        ok(&mut root, "DROP USER nobody@'%'");
        ok(&mut root, "CREATE USER nobody@'%' IDENTIFIED WITH mysql_native_password");
        ok(&mut root, &format!("GRANT {privilege} ON *.* TO nobody@'%'"));
        let mut nobody = world.client("nobody");
        for (statements, may) in [&GLOBAL[..], &SESSION, &APPLY, &PURGE].into_iter().zip(may) {
            for sql in statements {
                let done = nobody.query(sql);
                assert_eq!(done.is_ok(), may, "{privilege}: {sql}: {done:?}");
                assert!(may || done.unwrap_err().code() == 1227, "{privilege}: {sql}");
            }
        }
    }
    let applies = "Access denied; you need (at least one of) the SUPER, SYSTEM_VARIABLES_ADMIN, SESSION_VARIABLES_ADMIN or \
                   REPLICATION_APPLIER privilege(s) for this operation";
    ok(&mut root, "REVOKE SUPER ON *.* FROM nobody@'%'");
    assert_eq!(world.client("nobody").query(APPLY[0]).unwrap_err().message(), applies);
    world.stop();
}

#[test]
fn flush_hosts_lets_blocked_hosts_in_again() {
    let world = World::start();
    let mut root = world.root();
    ok(&mut root, "SET GLOBAL max_connect_errors = 2");
    let stranger = || Client::greet_on(world.stranger([127, 0, 0, 5]));
    // COM_REFRESH with the flag of hosts.
    for flush in [&b"\x03FLUSH HOSTS"[..], b"\x07\x08"] {
        for _ in 0..2 {
            let mut client = stranger().unwrap();
            client.send(b"garbage").unwrap();
            assert_eq!(client.packet().unwrap()[0], 0xFF);
            assert!(client.packet().unwrap_err().is_gone());
        }
        host::until(|| stranger().is_err_and(|error| error.code() == 1129));
        root.command(flush).unwrap();
        root.answer().unwrap();
        stranger().unwrap().log_in(&Login::new("nobody", "")).unwrap();
    }
    world.stop();
}

#[test]
fn who_may_not_use_a_table_is_not_told_whether_it_is_there() {
    let world = World::start();
    let (mut root, mut nobody) = (world.root(), world.client("nobody"));
    ok(&mut root, "CREATE TABLE d.t (a INT)");
    for sql in [
        "SELECT * FROM {}",
        "INSERT INTO {} VALUES (1)",
        "REPLACE INTO {} VALUES (1)",
        "UPDATE {} SET a = 1",
        "DELETE FROM {}",
        "EXPLAIN SELECT * FROM {}",
        "SET @a = (SELECT 1 FROM {})",
        "DO (SELECT 1 FROM {})",
    ] {
        let mut denied = |table: &str| {
            let sql = sql.replace("{}", table);
            let error = nobody.query(&sql).expect_err(&sql);
            assert_eq!(error.code(), 1142, "{sql}");
            error.message().to_owned()
        };
        let missing = denied("d.nosuch");
        assert_eq!(denied("nosuch.nosuch"), missing);
        denied("d.t");
    }
    ok(&mut root, "GRANT SELECT ON d.* TO nobody@'%'");
    assert_eq!(nobody.query("SELECT * FROM d.nosuch").unwrap_err().code(), 1146);
    assert_eq!(nobody.query("DELETE FROM d.nosuch").unwrap_err().code(), 1142);
    world.stop();
}

#[test]
fn privileges_come_before_all_other_errors_of_a_statement() {
    let world = World::start();
    let (mut root, mut nobody) = (world.root(), world.client("nobody"));
    ok(&mut root, "CREATE TABLE d.t (a INT)");
    ok(&mut root, "CREATE TABLE d.u (a INT, b INT)");
    ok(&mut root, "CREATE VIEW d.v AS SELECT * FROM d.t");
    let mut denied = |sql: &str, privileges: &str, table: &str| {
        let refused = nobody.query(sql).expect_err(sql);
        let text = format!("{privileges} command denied to user 'nobody'@'localhost' for table '{table}'");
        assert_eq!((refused.code(), refused.message()), (1142, &*text), "{sql}");
    };
    for (sql, privileges, table) in [
        ("SELECT zz FROM d.t", "SELECT", "t"),
        ("SELECT zz FROM d.v", "SELECT", "v"),
        ("PREPARE s FROM 'SELECT zz FROM d.t'", "SELECT", "t"),
        ("PREPARE s FROM 'SET @a = (SELECT a FROM d.t)'", "SELECT", "t"),
        ("PREPARE s FROM 'SET sort_buffer_size = (SELECT a FROM d.t WHERE a = ?)'", "SELECT", "t"),
        ("PREPARE s FROM 'DO ?, (SELECT a FROM d.nosuch)'", "SELECT", "nosuch"),
        ("SET @a = (SELECT zz FROM d.t)", "SELECT", "t"),
        ("INSERT INTO d.t (zz) VALUES (1)", "INSERT", "t"),
        ("INSERT INTO d.t VALUES (1, 2)", "INSERT", "t"),
        ("INSERT INTO d.t VALUES (1) ON DUPLICATE KEY UPDATE zz = 1", "INSERT, UPDATE", "t"),
        ("INSERT INTO d.v VALUES (1)", "INSERT", "v"),
        ("REPLACE INTO d.nosuch VALUES (1)", "INSERT, DELETE", "nosuch"),
        ("UPDATE d.t SET zz = 1", "UPDATE", "t"),
        ("UPDATE d.v SET zz = 1", "UPDATE", "v"),
        ("DELETE FROM d.t WHERE zz = 1", "DELETE", "t"),
        ("DELETE d.t FROM d.t JOIN d.nosuch", "SELECT", "t"),
    ] {
        denied(sql, privileges, table);
    }
    ok(&mut root, "GRANT INSERT ON d.* TO nobody@'%'");
    ok(&mut root, "GRANT INSERT ON nosuch.* TO nobody@'%'");
    denied("INSERT INTO d.t SELECT * FROM d.u", "SELECT", "u");
    denied("INSERT INTO d.t SELECT * FROM d.nosuch", "SELECT", "nosuch");
    denied("INSERT INTO d.t SELECT * FROM nosuch.nosuch", "SELECT", "nosuch");
    for (sql, code) in [
        ("INSERT INTO nosuch.t VALUES (1)", 1049),
        ("INSERT INTO d.nosuch VALUES (1)", 1146),
        ("INSERT INTO d.t VALUES (1, 2)", 1136),
    ] {
        assert_eq!(nobody.query(sql).unwrap_err().code(), code, "{sql}");
    }
    ok(&mut nobody, "PREPARE s FROM 'SET @a = (SELECT SUM(x) FROM (SELECT ? x) x), @b = ?'");
    world.stop();
}

#[test]
fn rows_are_locked_for_changes_by_whoever_may_change_them_or_lock_the_table() {
    const LOCKING: [&str; 4] = [
        "SELECT * FROM d.t FOR UPDATE",
        "SELECT (SELECT MAX(a) FROM d.t FOR UPDATE)",
        "SELECT 1 FROM (SELECT * FROM d.t FOR UPDATE) x",
        "INSERT INTO d.own SELECT * FROM d.t FOR UPDATE",
    ];
    let world = World::start();
    let mut root = world.root();
    ok(&mut root, "CREATE TABLE d.t (a INT)");
    ok(&mut root, "CREATE TABLE d.own (a INT)");
    ok(&mut root, "GRANT INSERT, UPDATE ON d.own TO nobody@'%'");
    ok(&mut root, "GRANT SELECT ON d.t TO nobody@'%'");
    ok(&mut root, "GRANT SELECT ON d.own TO nobody@'%'");
    let mut nobody = world.client("nobody");
    for sql in LOCKING {
        let refused = nobody.query(sql).expect_err(sql);
        let text = "SELECT with locking clause command denied to user 'nobody'@'localhost' for table 't'";
        assert_eq!((refused.code(), refused.message()), (1142, text), "{sql}");
    }
    for sql in [
        "SELECT * FROM d.t FOR SHARE",
        "SELECT * FROM d.t LOCK IN SHARE MODE",
        "INSERT INTO d.own SELECT * FROM d.t",
        "UPDATE d.own, d.t SET own.a = 1 WHERE own.a = t.a",
        "UPDATE d.own SET a = (SELECT MAX(a) FROM d.t)",
    ] {
        ok(&mut nobody, sql);
    }
    for (privilege, level) in [("UPDATE", "d.t"), ("DELETE", "*.*"), ("LOCK TABLES", "d.*")] {
        ok(&mut root, &format!("GRANT {privilege} ON {level} TO nobody@'%'"));
        for sql in LOCKING {
            ok(&mut nobody, sql);
        }
        ok(&mut root, &format!("REVOKE {privilege} ON {level} FROM nobody@'%'"));
        assert_eq!(nobody.query(LOCKING[0]).unwrap_err().code(), 1142);
    }
    world.stop();
}

#[test]
fn rows_of_a_view_are_locked_by_whoever_may_lock_those_of_the_view() {
    let world = World::start();
    let mut root = world.root();
    for sql in [
        "CREATE TABLE d.t (a INT)",
        "CREATE VIEW d.v AS SELECT * FROM d.t",
        "CREATE VIEW d.w AS SELECT * FROM d.v",
        "CREATE VIEW d.grouped AS SELECT a, COUNT(*) FROM d.t GROUP BY a",
        "CREATE VIEW d.locking AS SELECT * FROM d.t FOR UPDATE",
        "GRANT SELECT ON d.* TO nobody@'%'",
    ] {
        ok(&mut root, sql);
    }
    let mut nobody = world.client("nobody");
    let mut refused = |sql: &str, table: &str| {
        let refused = nobody.query(sql).expect_err(sql);
        let text = "SELECT with locking clause command denied to user 'nobody'@'localhost' for table";
        assert_eq!((refused.code(), refused.message()), (1142, &*format!("{text} '{table}'")), "{sql}");
    };
    for view in ["v", "w", "grouped", "locking"] {
        refused(&format!("SELECT * FROM d.{view} FOR UPDATE"), view);
        refused(&format!("SELECT * FROM d.{view} x FOR UPDATE OF x"), view);
    }
    refused("SELECT (SELECT MAX(a) FROM d.v FOR UPDATE)", "v");
    refused("SELECT 1 FROM d.locking, d.v FOR UPDATE OF v", "v");
    ok(&mut root, "GRANT UPDATE ON d.t TO nobody@'%'");
    refused("SELECT * FROM d.v FOR UPDATE", "v");
    ok(&mut root, "REVOKE UPDATE ON d.t FROM nobody@'%'");
    ok(&mut root, "GRANT UPDATE ON d.v TO nobody@'%'");
    refused("SELECT * FROM d.t FOR UPDATE", "t");
    refused("SELECT * FROM d.w FOR UPDATE", "w");
    for sql in [
        "SELECT * FROM d.v FOR UPDATE",
        "SELECT * FROM d.v, d.t FOR UPDATE OF v",
        "SELECT * FROM d.v x, d.t y FOR SHARE OF y FOR UPDATE OF x",
        "SELECT * FROM d.w FOR SHARE",
        "SELECT * FROM (SELECT * FROM d.w) x FOR UPDATE",
        "WITH x AS (SELECT * FROM d.w) SELECT * FROM x FOR UPDATE",
        // Of what a view locks by itself nobody is asked.
        "SELECT * FROM d.locking",
        "SELECT * FROM d.locking, d.t",
    ] {
        ok(&mut nobody, sql);
    }
    world.stop();
}

/// Sends a statement with a large answer, and returns when its session waits for the client.
fn leave_unread(client: &mut Client, sql: &str, other: &mut Client) {
    send(client, sql);
    let running =
        format!("SELECT COUNT(*) FROM information_schema.processlist WHERE id = {}", client.connection_id);
    until(other, &(running + " AND command = 'Query'"), &["1"]);
    let sent = |other: &mut Client| rows(other, "SHOW GLOBAL STATUS LIKE 'Threads_running'");
    (0..3000).for_each(|_| drop(sent(other)));
}

/// Many rows, and one that is large.
const LARGE: [&str; 2] = [
    "SELECT REPEAT(x, 100000) FROM \
     (WITH RECURSIVE n AS (SELECT 1 x UNION ALL SELECT x + 1 FROM n WHERE x < 900) SELECT x FROM n) n",
    "SELECT REPEAT('x', 30000000)",
];

#[test]
fn a_kill_does_not_wait_for_a_client_that_does_not_read() {
    let world = World::start();
    let mut root = world.root();
    ok(&mut root, "CREATE TABLE d.t (a INT PRIMARY KEY)");
    ok(&mut root, "INSERT INTO d.t VALUES (1)");
    for sql in LARGE {
        let mut slow = world.root();
        ok(&mut slow, "BEGIN");
        ok(&mut slow, "UPDATE d.t SET a = a + 1");
        leave_unread(&mut slow, sql, &mut root);
        ok(&mut root, &format!("KILL {}", slow.connection_id));
        ok(&mut root, "UPDATE d.t SET a = 1");
        host::until(|| rows(&mut root, "SELECT COUNT(*) FROM information_schema.processlist") == ["1"]);
    }
    world.stop();
}

#[test]
fn a_kill_stops_a_text_of_many_statements_whose_client_does_not_read() {
    // So that its answers are long.
    const SESSION_TRACK: u32 = 1 << 23;
    let world = World::start();
    let mut root = world.root();
    let login = Login { flags: SESSION_TRACK, ..Login::new("root", "") };
    let text = "SET NAMES latin1;".repeat(300_000);
    let mut questions = || {
        let shown = rows(&mut root, "SHOW GLOBAL STATUS LIKE 'Questions'").concat();
        shown.split_once('|').unwrap().1.parse::<u64>().unwrap()
    };
    let mut slow = [(); 2].map(|()| {
        let mut slow = Client::connect(&world.address(), &login).unwrap();
        send(&mut slow, &text);
        // Until nobody else executes anything.
        let (mut before, mut calm) = (questions(), 0);
        while calm < 300 {
            let now = questions();
            calm = if now == before + 1 { calm + 1 } else { 0 };
            before = now;
        }
        slow
    });
    ok(&mut root, &format!("KILL {}", slow[0].connection_id));
    let others = "SELECT COUNT(*) FROM information_schema.processlist WHERE id <> connection_id()";
    until(&mut root, others, &["1"]);
    ok(&mut root, &format!("KILL QUERY {}", slow[1].connection_id));
    let (mut answers, mut answer) = (0, slow[1].answer());
    while answer.is_ok() {
        answers += 1;
        answer = slow[1].answer();
    }
    assert_eq!(answer.unwrap_err().code(), 1317);
    assert!(answers < 300_000, "{answers}");
    assert_eq!(rows(&mut slow[1], "SELECT 2"), ["2"]);
    world.stop();
}

#[test]
fn a_killed_query_that_is_half_sent_ends_with_its_error() {
    let world = World::start();
    let (mut root, mut slow) = (world.root(), world.root());
    leave_unread(&mut slow, LARGE[0], &mut root);
    ok(&mut root, &format!("KILL QUERY {}", slow.connection_id));
    assert_eq!(slow.answer().unwrap_err().code(), 1317);
    assert_eq!(rows(&mut slow, "SELECT 2"), ["2"]);
    world.stop();
}

#[test]
#[expect(
    clippy::disallowed_methods,
    reason = "what the operating system knows of connections is not storage"
)]
fn connections_are_kept_alive_and_found_out() {
    let world = World::start();
    let mut root = world.root();
    root.ping().unwrap();
    let Stream::Tcp(stream) = &root.stream else { unreachable!("it is one") };
    let ports =
        format!("0100007F:{:04X} 0100007F:{:04X} 01", world.port(), stream.local_addr().unwrap().port());
    // sl, both ends, state, queues, and which timer runs: 2 is the one that asks whether the other end is there.
    let timer = || {
        let all = std::fs::read_to_string("/proc/net/tcp").unwrap();
        let own = all.lines().find(|line| line.contains(&ports)).unwrap().to_owned();
        own.split_whitespace().nth(5).unwrap().starts_with("02:")
    };
    host::until(timer);
    world.stop();
}

#[test]
fn clients_are_told_what_has_changed() {
    const SESSION_TRACK: u32 = 1 << 23;
    let world = World::start();
    let login = Login { flags: SESSION_TRACK, ..Login::new("root", "") };
    let mut client = Client::connect(&world.address(), &login).unwrap();
    // Kinds and values of what the OK packet tells behind its text.
    let told = |client: &mut Client, sql: &str| {
        client.query(sql).unwrap_or_else(|error| panic!("{sql}: {error:?}")).info
    };
    let charsets = |names: [&str; 3]| {
        let variable = |(name, value): (&str, &str)| {
            let both =
                [name, value].map(|text| format!("{}{text}", char::from(u8::try_from(text.len()).unwrap())));
            let size = char::from(u8::try_from(both.concat().len()).unwrap());
            format!("\0{size}{}", both.concat())
        };
        let of = ["character_set_client", "character_set_connection", "character_set_results"];
        let all: String = of.into_iter().zip(names).map(variable).collect();
        format!("\0{}{all}", char::from(u8::try_from(all.len()).unwrap()))
    };
    assert_eq!(told(&mut client, "SET NAMES latin1"), charsets(["latin1"; 3]));
    assert_eq!(told(&mut client, "SET NAMES binary"), charsets(["binary"; 3]));
    assert_eq!(told(&mut client, "SET CHARACTER SET latin1"), charsets(["latin1", "utf8mb4", "latin1"]));
    let changes = [
        "SET @a = 1",
        "SET sql_mode = ''",
        "SET @@sql_mode = ''",
        "PREPARE s FROM 'DO 1'",
        "DEALLOCATE PREPARE s",
        "CREATE TEMPORARY TABLE d.own (a INT)",
        "DROP TEMPORARY TABLE d.own",
        "SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED",
        "SET GLOBAL max_connections = 151, @a = 2",
        "CREATE TEMPORARY TABLE d.own (a INT)",
    ];
    let nothing = [
        "DO 1",
        "TRUNCATE TABLE d.own",
        "SET GLOBAL max_connections = 151",
        "SET TRANSACTION ISOLATION LEVEL READ COMMITTED",
        "SET @@transaction_isolation = 'READ-COMMITTED'",
        "SET PASSWORD = ''",
    ];
    for (switch, expected) in [("OFF", ""), ("ON", "\0\u{3}\u{2}\u{1}1"), ("OFF", "")] {
        assert_eq!(told(&mut client, &format!("SET session_track_state_change = {switch}")), "");
        for sql in changes {
            assert_eq!(told(&mut client, sql), expected, "{sql}");
        }
        for sql in nothing {
            assert_eq!(told(&mut client, sql), "", "{sql}");
        }
        ok(&mut client, "DROP TEMPORARY TABLE d.own");
    }
    for sql in [
        "SET session_track_transaction_info = 'STATE'",
        "SET session_track_transaction_info = 'CHARACTERISTICS'",
    ] {
        assert_eq!(client.query(sql).unwrap_err().code(), 1231, "{sql}");
    }
    ok(&mut client, "SET session_track_gtids = OFF, session_track_transaction_info = OFF");
    world.stop();
}

#[test]
fn an_at_sign_alone_sets_the_next_transactions_characteristics() {
    let world = World::start();
    let mut client = world.root();
    ok(&mut client, "CREATE TABLE d.t (id INT PRIMARY KEY)");
    let writes =
        |client: &mut Client| client.query("INSERT IGNORE INTO d.t VALUES (1)").map_err(|error| error.code());
    ok(&mut client, "SET @@transaction_read_only = 1, @@sql_mode = 'ANSI'");
    ok(&mut client, "BEGIN");
    assert_eq!(writes(&mut client).unwrap_err(), 1792);
    ok(&mut client, "ROLLBACK");
    writes(&mut client).unwrap();
    let shown = client.query("SELECT @@transaction_read_only, @@sql_mode LIKE '%ANSI'").unwrap().rows;
    assert_eq!(shown, [["0", "1"].map(|value| Some(value.to_owned()))]);
    ok(&mut client, "BEGIN");
    for sql in ["SET @@transaction_read_only = 1", "SET @@transaction_isolation = 'SERIALIZABLE'"] {
        assert_eq!(client.query(sql).unwrap_err().code(), 1568, "{sql}");
    }
    for sql in ["SET transaction_isolation = 'SERIALIZABLE'", "SET @@session.transaction_read_only = 0"] {
        ok(&mut client, sql);
    }
    world.stop();
}

#[test]
fn a_database_is_entered_by_whoever_may_do_something_there() {
    let world = World::start();
    let (mut root, mut nobody) = (world.root(), world.client("nobody"));
    ok(&mut root, "CREATE TABLE d.t (a INT)");
    let login = |database: &str| {
        let login = Login { database: Some(database.to_owned()), ..Login::new("nobody", "") };
        Client::connect(&world.address(), &login)
    };
    // A privilege to list them opens none.
    ok(&mut root, "GRANT SHOW DATABASES ON *.* TO nobody@'%'");
    let listed = ["d", "information_schema", "mysql", "performance_schema"];
    assert_eq!(rows(&mut nobody, "SHOW DATABASES")[..4], listed);
    for database in ["d", "nosuch", "mysql", "performance_schema"] {
        let text = format!("Access denied for user 'nobody'@'%' to database '{database}'");
        nobody.command(&[&[2], database.as_bytes()].concat()).unwrap();
        let refused = [
            nobody.answer().unwrap_err(),
            nobody.query(&format!("USE {database}")).unwrap_err(),
            login(database).unwrap_err(),
        ];
        for refused in refused {
            assert_eq!((refused.code(), refused.message()), (1044, &*text));
        }
    }
    ok(&mut nobody, "USE information_schema");
    login("INFORMATION_SCHEMA").unwrap();
    assert_eq!(nobody.query("SHOW TABLES FROM d").unwrap_err().code(), 1044);
    ok(&mut root, "GRANT SELECT ON d.t TO nobody@'%'");
    ok(&mut nobody, "USE d");
    login("d").unwrap();
    assert_eq!(rows(&mut nobody, "SHOW TABLES FROM d"), ["t"]);
    assert_eq!(root.query("USE nosuch").unwrap_err().code(), 1049);
    world.stop();
}

#[test]
fn indexes_need_their_own_privilege() {
    const INDEX: [&str; 2] = ["CREATE INDEX i ON d.t (a)", "DROP INDEX i ON d.t"];
    const ALTER: [&str; 2] = ["ALTER TABLE d.t ADD INDEX i (a)", "ALTER TABLE d.t DROP INDEX i"];
    let world = World::start();
    let mut root = world.root();
    ok(&mut root, "CREATE TABLE d.t (a INT)");
    for (privilege, may, may_not) in [("INDEX", INDEX, ALTER), ("ALTER", ALTER, INDEX)] {
        ok(&mut root, &format!("GRANT {privilege} ON d.t TO nobody@'%'"));
        let mut nobody = world.client("nobody");
        for sql in may {
            ok(&mut nobody, sql);
        }
        for sql in may_not {
            assert_eq!(nobody.query(sql).unwrap_err().code(), 1142, "{sql}");
        }
        ok(&mut root, &format!("REVOKE {privilege} ON d.t FROM nobody@'%'"));
    }
    world.stop();
}

#[test]
fn system_users_are_out_of_reach_of_others() {
    let world = World::start();
    let (mut root, repl) = (world.root(), world.client("repl"));
    ok(&mut root, "GRANT CONNECTION_ADMIN, SET_USER_ID ON *.* TO nobody@'%'");
    ok(&mut root, "GRANT ALL ON d.* TO nobody@'%'");
    ok(&mut root, "CREATE TABLE d.t (a INT)");
    let mut nobody = world.client("nobody");
    for sql in ["KILL", "KILL QUERY"] {
        let refused = nobody.query(&format!("{sql} {}", root.connection_id)).unwrap_err();
        let text = format!("You are not owner of thread {}", root.connection_id);
        assert_eq!((refused.code(), refused.message()), (1095, &*text));
        ok(&mut nobody, &format!("KILL QUERY {}", repl.connection_id));
    }
    let refused = nobody.query("CREATE DEFINER = root@localhost VIEW d.v AS SELECT * FROM d.t").unwrap_err();
    let text = "Access denied; you need (at least one of) the SYSTEM_USER privilege(s) for this operation";
    assert_eq!((refused.code(), refused.message()), (1227, text));
    ok(&mut nobody, "CREATE DEFINER = repl@'%' VIEW d.v AS SELECT * FROM d.t");
    ok(&mut root, "GRANT SYSTEM_USER ON *.* TO nobody@'%'");
    ok(&mut nobody, "CREATE OR REPLACE DEFINER = root@localhost VIEW d.v AS SELECT * FROM d.t");
    ok(&mut nobody, &format!("KILL {}", root.connection_id));
    world.stop();
}

#[test]
fn com_debug_needs_super() {
    let world = World::start();
    let (mut root, mut nobody) = (world.root(), world.client("nobody"));
    nobody.command(&[0x0D]).unwrap();
    assert_eq!(nobody.answer().unwrap_err().code(), 1227);
    root.command(&[0x0D]).unwrap();
    assert_eq!(root.packet().unwrap()[0], 0xFE);
    ok(&mut root, "DO 1");
    world.stop();
}
