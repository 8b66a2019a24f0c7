//! Purpose: who may do what, as statements are sent, and what other servers are told of it.
//!
//! Requirements: R1. who may not read a table cannot have a change tell him what is in it, and needs to read only for changes that
//! look; R2. statements about accounts name in the binary log whom and what they are about; R3. what is not there can be revoked if
//! the statement says so; R4. each FLUSH needs RELOAD or its own privilege; R5. a password is seen by none, also while its statement runs; R6. an
//! anonymous account is told nothing of those whose name its client has given; R7. a session's privileges are those of now.
//!
//! Method: a whole server, users without a password, answers as recorded from MySQL 9.7.4.

use crate::client::{Client, Login};
use crate::replica::pair;
use crate::whole::{World, ok, rows, send, until};

fn code(client: &mut Client, sql: &str) -> u16 {
    client.query(sql).map_or_else(|failure| failure.code(), |_| 0)
}

/// Texts of the binary log's last events that contain a word.
fn logged(client: &mut Client, word: &str) -> String {
    let file = rows(client, "SHOW BINARY LOG STATUS")[0].split('|').next().unwrap().to_owned();
    let events = rows(client, &format!("SHOW BINLOG EVENTS IN '{file}'"));
    events.into_iter().rfind(|event| event.contains(word)).unwrap()
}

/// The work of a digest grows with the square of the password.
#[test]
fn a_password_has_256_bytes_at_most() {
    let world = World::start();
    let mut client = world.client("nobody");
    let (longest, longer) = ("p".repeat(256), "p".repeat(257));
    let refused = |client: &mut Client, sql: &str| {
        let failure = client.query(sql).unwrap_err();
        (failure.code(), failure.message().to_owned())
    };
    let failed = |what: &str| (1396, format!("Operation {what} failed for 'nobody'@'%'"));
    // Of its own account's plugin there is no such bound.
    ok(&mut client, &format!("SET PASSWORD = '{longer}'"));
    let mut root = world.root();
    ok(&mut root, &format!("ALTER USER nobody IDENTIFIED WITH caching_sha2_password BY '{longest}'"));
    assert_eq!(
        refused(&mut root, &format!("ALTER USER nobody IDENTIFIED BY '{longer}'")),
        failed("ALTER USER")
    );
    let of_a_megabyte = "p".repeat(1 << 20);
    assert_eq!(refused(&mut client, &format!("SET PASSWORD = '{of_a_megabyte}'")), failed("SET PASSWORD"));
    assert_eq!(code(&mut client, &format!("SET PASSWORD = 'x' REPLACE '{of_a_megabyte}'")), 3891);
    ok(&mut client, &format!("SET PASSWORD = 'x' REPLACE '{longest}'"));
    assert_eq!(code(&mut root, &format!("CREATE USER u IDENTIFIED BY '{longer}'")), 1396);
    assert_eq!(code(&mut root, "CREATE USER u COMMENT 'of whom'"), 1235);
    world.stop();
}

#[test]
fn set_password_uses_gtid_next_as_other_changes_do() {
    let world = World::start();
    let mut root = world.root();
    let gtid = "aaaaaaaa-0000-0000-0000-000000000001";
    ok(&mut root, "CREATE TABLE d.t (id INT PRIMARY KEY)");
    ok(&mut root, &format!("SET gtid_next = '{gtid}:1'"));
    ok(&mut root, "SET PASSWORD FOR nobody = 'x'");
    assert_eq!(code(&mut root, "SET PASSWORD FOR nobody = 'y'"), 1837);
    ok(&mut root, &format!("SET gtid_next = '{gtid}:1'"));
    ok(&mut root, "SET PASSWORD FOR nobody = 'passed over'");
    assert_eq!(code(&mut root, "SET PASSWORD FOR nobody = 'y'"), 1837);
    ok(&mut root, &format!("SET gtid_next = '{gtid}:2'"));
    ok(&mut root, "BEGIN");
    ok(&mut root, "INSERT INTO d.t VALUES (1)");
    assert_eq!(code(&mut root, "SET PASSWORD FOR nobody = 'y'"), 1778);
    ok(&mut root, "ROLLBACK");
    ok(&mut root, "SET gtid_next = AUTOMATIC");
    Client::connect(&world.address(), &Login::new("nobody", "x")).unwrap();
    world.stop();
}

#[test]
fn a_change_tells_nothing_to_who_may_not_read() {
    let world = World::start();
    let mut root = world.root();
    ok(&mut root, "CREATE TABLE d.t (id INT PRIMARY KEY, s VARCHAR(9), n INT)");
    ok(&mut root, "INSERT INTO d.t VALUES (1, 'secret', 5)");
    ok(&mut root, "GRANT INSERT, UPDATE, DELETE ON d.t TO nobody");
    let mut client = world.client("nobody");
    for reading in [
        "INSERT INTO d.t (id, s) VALUES (1, '') ON DUPLICATE KEY UPDATE n = LAST_INSERT_ID(ASCII(s))",
        "INSERT INTO d.t (id) VALUES (1) ON DUPLICATE KEY UPDATE n = IF(s LIKE 's%', 1, 2)",
        "UPDATE d.t SET n = n + 1",
        "UPDATE d.t SET n = 6 WHERE id = 1",
        "UPDATE d.t SET n = 6 ORDER BY s LIMIT 1",
        "DELETE FROM d.t WHERE s = 'secret'",
    ] {
        assert_eq!(code(&mut client, reading), 1142, "{reading}");
    }
    for blind in [
        "INSERT INTO d.t (id, n) VALUES (1, 7) ON DUPLICATE KEY UPDATE n = 8",
        "UPDATE d.t SET n = 6",
        "DELETE FROM d.t LIMIT 1",
    ] {
        assert_eq!(code(&mut client, blind), 0, "{blind}");
    }
    world.stop();
}

#[test]
fn the_binlog_names_whom_a_grant_is_for() {
    let (source, replica) = pair("");
    let mut root = source.root();
    ok(&mut root, "GRANT ALL ON d.* TO nobody WITH GRANT OPTION");
    let mut client = source.client("nobody");
    ok(&mut client, "USE d");
    ok(&mut client, "REVOKE DROP ON * FROM CURRENT_USER()");
    assert!(logged(&mut root, "REVOKE").contains("REVOKE DROP ON `d`.* FROM `nobody`@`%`"));
    ok(&mut client, "GRANT SELECT ON d.* TO CURRENT_USER");
    ok(&mut root, "SET sql_mode = 'NO_BACKSLASH_ESCAPES'");
    ok(&mut root, r"CREATE USER 'o''br\ien'@'%' IDENTIFIED BY 'it''s'");
    ok(&mut root, r"GRANT SELECT ON d.* TO 'o''br\ien'@'%'");
    ok(&mut root, "SET sql_mode = DEFAULT");
    ok(&mut root, "CREATE TABLE d.end (id INT PRIMARY KEY)");
    let mut there = replica.root();
    until(&mut there, "SELECT COUNT(*) FROM information_schema.tables WHERE table_name = 'end'", &["1"]);
    for grants in
        ["SHOW GRANTS FOR nobody", r"SHOW GRANTS FOR 'o\'br\\ien'", r"SHOW CREATE USER 'o\'br\\ien'"]
    {
        assert_eq!(rows(&mut there, grants), rows(&mut root, grants));
    }
}

/// Replicas may have the account already, or another password for it.
#[test]
fn the_binlog_says_what_was_said_of_an_account_and_no_more() {
    let world = World::start();
    let mut root = world.root();
    ok(&mut root, "CREATE USER IF NOT EXISTS x IDENTIFIED BY 'p'");
    assert!(logged(&mut root, " USER ").contains("CREATE USER IF NOT EXISTS `x`@`%` IDENTIFIED WITH "));
    ok(&mut root, "ALTER USER IF EXISTS x ACCOUNT LOCK");
    assert!(logged(&mut root, " USER ").ends_with("ALTER USER IF EXISTS `x`@`%` ACCOUNT LOCK"));
    ok(&mut root, "ALTER USER x IDENTIFIED BY 'q', repl ACCOUNT UNLOCK");
    let both = logged(&mut root, " USER ");
    assert!(
        both.contains("`x`@`%` IDENTIFIED WITH ") && both.ends_with(", `repl`@`%` ACCOUNT UNLOCK"),
        "{both}"
    );
    world.stop();
}

#[test]
fn binlog_is_for_administrators_and_begins_with_a_format() {
    /// A TABLE_MAP event of nothing but its header.
    const TABLE_MAP: &str = "AAAAABMBAAAAEwAAAAAAAAAAAA==";
    let world = World::start();
    let mut root = world.root();
    assert_eq!(code(&mut world.client("nobody"), "BINLOG ''"), 1227);
    for (sql, expected) in [
        ("BINLOG ''", 0),
        ("BINLOG 'x'", 1575),
        ("BINLOG 'AAA=AAA='", 1593),
        ("BINLOG 'AA*A'", 1575),
        (&*format!("BINLOG '\n{TABLE_MAP}\n'"), 1609),
        ("BINLOG", 1064),
    ] {
        assert_eq!(code(&mut root, sql), expected, "{sql}");
    }
    world.stop();
}

#[test]
fn what_is_not_there_is_revoked_if_that_is_said() {
    let world = World::start();
    let mut root = world.root();
    let warned = |root: &mut Client, sql: &str| {
        ok(root, sql);
        rows(root, "SHOW WARNINGS").join("; ")
    };
    assert_eq!(
        warned(&mut root, "REVOKE IF EXISTS SELECT ON nonex.* FROM nobody"),
        "Warning|1141|There is no such grant defined for user 'nobody' on host '%'"
    );
    assert_eq!(
        warned(&mut root, "REVOKE IF EXISTS SELECT ON d.t FROM nobody"),
        "Warning|1147|There is no such grant defined for user 'nobody' on host '%' on table 't'"
    );
    for sql in [
        "REVOKE SELECT ON d.* FROM nonex IGNORE UNKNOWN USER",
        "REVOKE ALL PRIVILEGES, GRANT OPTION FROM nonex IGNORE UNKNOWN USER",
    ] {
        assert_eq!(warned(&mut root, sql), "Warning|3162|Authorization ID nonex does not exist.");
    }
    for sql in ["REVOKE SELECT ON d.* FROM nonex", "REVOKE IF EXISTS SELECT ON d.* FROM nonex"] {
        assert_eq!(code(&mut root, sql), 1141, "{sql}");
    }
    // Nothing on a database does not hide what a pattern gives.
    ok(&mut root, "GRANT ALL ON `d%`.* TO nobody");
    ok(&mut root, "GRANT USAGE ON d.* TO nobody");
    ok(&mut root, "CREATE TABLE d.t (id INT PRIMARY KEY)");
    ok(&mut world.client("nobody"), "INSERT INTO d.t VALUES (1)");
    ok(&mut root, "GRANT SELECT ON performance_schema.threads TO nobody");
    world.stop();
}

#[test]
fn each_flush_needs_its_own_privilege() {
    let world = World::start();
    let (mut root, mut client) = (world.root(), world.client("nobody"));
    for sql in ["FLUSH TABLES", "FLUSH STATUS", "FLUSH BINARY LOGS"] {
        assert_eq!(code(&mut client, sql), 1227, "{sql}");
    }
    ok(&mut root, "GRANT FLUSH_TABLES, FLUSH_STATUS ON *.* TO nobody");
    for sql in ["FLUSH TABLES", "FLUSH STATUS", "FLUSH TABLES WITH READ LOCK", "UNLOCK TABLES"] {
        ok(&mut client, sql);
    }
    assert_eq!(code(&mut client, "FLUSH BINARY LOGS"), 1227);
    world.stop();
}

#[test]
fn a_password_is_changed_by_who_knows_it_and_seen_by_none() {
    let world = World::start();
    let mut client = world.client("nobody");
    assert_eq!(code(&mut client, "ALTER USER USER() IDENTIFIED BY 'a' REPLACE 'wrong'"), 3891);
    ok(&mut client, "ALTER USER USER() IDENTIFIED BY 'a' REPLACE ''");
    assert_eq!(code(&mut client, "SET PASSWORD = 'b' REPLACE 'wrong'"), 3891);
    ok(&mut client, "SET PASSWORD = 'b' REPLACE 'a'");
    assert_eq!(code(&mut world.root(), "SET PASSWORD FOR nobody = 'c' REPLACE 'b'"), 3893);
    assert!(rows(&mut client, "SHOW CREATE USER nobody")[0].contains("AS <secret>"));
    assert_eq!(code(&mut client, "ALTER USER nobody IDENTIFIED WITH caching_sha2_password AS ''"), 1227);
    assert_eq!(code(&mut client, "ALTER USER IF EXISTS nonex ACCOUNT LOCK"), 1227);
    world.stop();
}

#[test]
fn a_password_is_not_seen_while_its_statement_waits() {
    let world = World::start();
    let (mut root, mut backup, mut waiting) = (world.root(), world.root(), world.root());
    ok(&mut backup, "LOCK INSTANCE FOR BACKUP");
    send(&mut waiting, "CREATE USER x IDENTIFIED BY 'geheim'");
    for (info, source) in [
        ("info", "information_schema.processlist"),
        ("info", "performance_schema.processlist"),
        ("processlist_info", "performance_schema.threads"),
    ] {
        let shown = format!("SELECT {info} FROM {source} WHERE {info} LIKE 'CREATE USER%'");
        until(&mut root, &shown, &["CREATE USER x IDENTIFIED BY <secret>"]);
    }
    let listed = rows(&mut root, "SHOW FULL PROCESSLIST");
    assert!(!listed.iter().any(|row| row.contains("geheim")), "{listed:?}");
    ok(&mut backup, "UNLOCK INSTANCE");
    waiting.answer().unwrap();
    world.stop();
}

#[test]
fn sessions_begin_with_init_connect_but_those_of_administrators() {
    let world = World::start();
    let mut root = world.root();
    ok(&mut root, "SET GLOBAL init_connect = 'SET @x = 5; SET @y = 7'");
    assert_eq!(rows(&mut world.client("nobody"), "SELECT @x, @y"), ["5|7"]);
    assert_eq!(rows(&mut world.root(), "SELECT @x"), ["NULL"]);
    ok(&mut root, "SET GLOBAL init_connect = 'SET @x = 5; SELECT nonsense('");
    assert_eq!(code(&mut world.client("nobody"), "SELECT 1"), 1184);
    ok(&mut world.root(), "SET GLOBAL init_connect = ''");
    assert_eq!(code(&mut world.client("nobody"), "SELECT 1"), 0);
    world.stop();
}

#[test]
fn an_anonymous_account_does_not_see_what_others_of_that_name_do() {
    let world = World::start();
    let mut root = world.root();
    ok(&mut root, "CREATE USER alice@'%' IDENTIFIED WITH mysql_native_password");
    let mut alice = world.client("alice");
    let listed = "SELECT COUNT(*) FROM information_schema.processlist WHERE user = 'alice'";
    assert_eq!(rows(&mut alice, listed), ["1"]);
    ok(&mut root, "DROP USER alice@'%'");
    ok(&mut root, "CREATE USER ''@'%' IDENTIFIED WITH mysql_native_password");
    let mut nobody = world.client("alice");
    assert_eq!(rows(&mut nobody, "SELECT user(), current_user()"), ["alice@localhost|@%"]);
    assert_eq!(rows(&mut nobody, listed), ["0"]);
    assert_eq!(code(&mut nobody, "SHOW FULL PROCESSLIST"), 1227);
    ok(&mut root, "GRANT PROCESS ON *.* TO ''@'%'");
    assert_eq!(rows(&mut nobody, listed), ["2"]);
    assert_eq!(code(&mut nobody, "SHOW FULL PROCESSLIST"), 0);
    world.stop();
}

/// What may be done everywhere is kept by sessions, but not beyond a change.
#[test]
fn what_may_be_done_everywhere_changes_with_the_next_statement() {
    let world = World::start();
    let mut root = world.root();
    ok(&mut root, "CREATE TABLE d.t (a INT)");
    ok(&mut root, "GRANT INSERT ON *.* TO nobody@'%'");
    let mut client = world.client("nobody");
    let insert = "INSERT INTO d.t VALUES (1)";
    ok(&mut client, insert);
    ok(&mut client, &format!("PREPARE s FROM '{insert}'"));
    ok(&mut client, "EXECUTE s");
    ok(&mut root, "REVOKE INSERT ON *.* FROM nobody@'%'");
    for sql in [insert, "EXECUTE s"] {
        assert_eq!(client.query(sql).unwrap_err().code(), 1142, "{sql}");
    }
    ok(&mut root, "GRANT INSERT ON *.* TO nobody@'%'");
    ok(&mut client, "EXECUTE s");
    world.stop();
}
