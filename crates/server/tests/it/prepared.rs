//! Purpose: prepared statements, of PREPARE and of the binary protocol, are what they are in MySQL.
//!
//! Requirements: R1. PREPARE, EXECUTE and DEALLOCATE cannot be prepared, however they are written: 1295. R2. One statement is prepared: behind it come
//! semicolons and comments at most. R3. Long data is bounded by `max_allowed_packet`. R4.
//! `Prepared_stmt_count` is how many there are, however they end; at `max_prepared_stmt_count` there are no more: 1461. R5.
//! Preparing asks for the privileges on tables. R6. SET and DO take parameters. R7. A result of more columns than
//! the protocol can count is refused: 1117; a text of any length is planned. R8. SHOW PROCESSLIST has the text of what is executed.
//! R9. Columns of user variables have the types of each execution, by way of derived tables too.
//!
//! Method: a whole server on a simulated disk, and clients that speak the protocol's bytes. What is expected was seen at
//! MySQL 9.7.4.

use crate::client::{Answer, Client, Result};
use crate::net::host;
use crate::whole::{World, ok, rows, send};

/// COM_STMT_PREPARE.
fn prepare(client: &mut Client, sql: &str) -> Result<u32> {
    client.command(&[&[0x16], sql.as_bytes()].concat())?;
    client.prepared()
}

/// COM_STMT_SEND_LONG_DATA.
fn send_long_data(client: &mut Client, id: u32, param: u16, data: &[u8]) {
    client.command(&[&[0x18], &id.to_le_bytes()[..], &param.to_le_bytes(), data].concat()).unwrap();
}

/// COM_STMT_EXECUTE with two parameters of long data, of a statement without a result.
fn execute(client: &mut Client, id: u32) -> Result<Answer> {
    let rest = [0, 1, 0, 0, 0, 0, 1, 0xFB, 0, 0xFB, 0];
    client.command(&[&[0x17], &id.to_le_bytes()[..], &rest].concat())?;
    client.answer()
}

/// The type in a column's definition.
const BIGINT: u8 = 8;

/// A string literal.
fn quoted(sql: &str) -> String {
    format!("'{}'", sql.replace('\'', "''"))
}

#[test]
fn statements_about_statements_cannot_be_prepared() {
    let world = World::start();
    let mut root = world.root();
    ok(&mut root, "PREPARE s FROM 'SELECT 42'");
    let text = "This command is not supported in the prepared statement protocol yet";
    for sql in [
        "EXECUTE s",
        "EXECUTE`s`",
        "/**/EXECUTE s",
        "/*!40101 EXECUTE */ s",
        "-- x\nexecute s",
        "PREPARE`t`FROM 'SELECT 1'",
        "DEALLOCATE PREPARE s",
        "#\nDROP PREPARE s",
    ] {
        for refused in [
            root.query(&format!("PREPARE t FROM {}", quoted(sql))).expect_err(sql),
            prepare(&mut root, sql).expect_err(sql),
        ] {
            assert_eq!((refused.code(), refused.message()), (1295, text), "{sql}");
        }
    }
    ok(&mut root, "EXECUTE s");
    world.stop();
}

#[test]
fn one_statement_is_prepared() {
    let world = World::start();
    let mut root = world.root();
    for sql in ["DO 1;", "DO 1; ;", "DO 1; -- x", "DO 1; # x;y", "DO 1; /* a;b */ ;"] {
        ok(&mut root, &format!("PREPARE s FROM {}", quoted(sql)));
        prepare(&mut root, sql).expect(sql);
    }
    for (sql, near) in [("DO 1; DO 2", "DO 2"), ("DO 1;;DO 2", ";DO 2"), ("DO 1;/* x */;DO 2", ";DO 2")] {
        let refused = prepare(&mut root, sql).expect_err(sql);
        assert_eq!(refused.code(), 1064);
        assert!(refused.message().ends_with(&format!("near '{near}' at line 1")), "{}", refused.message());
    }
    world.stop();
}

#[test]
fn long_data_is_bounded_by_max_allowed_packet() {
    const PART: [u8; 1 << 14] = [b'x'; 1 << 14];
    let world = World::start();
    let mut root = world.root();
    ok(&mut root, "CREATE TABLE d.t (a LONGTEXT, b LONGTEXT)");
    ok(&mut root, "SET GLOBAL max_allowed_packet = 65536");
    let mut client = world.root();
    let one = prepare(&mut client, "INSERT INTO d.t VALUES (?, ?)").unwrap();
    let other = prepare(&mut client, "INSERT INTO d.t VALUES (?, ?)").unwrap();
    for (number, param) in [0, 1, 0, 1].into_iter().enumerate() {
        send_long_data(&mut client, if number == 3 { other } else { one }, param, &PART);
    }
    send_long_data(&mut client, other, 0, b"x");
    let refused = execute(&mut client, other).unwrap_err();
    let text = "Parameter of prepared statement which is set through mysql_send_long_data() is longer than \
                'max_allowed_packet' bytes";
    assert_eq!((refused.code(), refused.message()), (1105, text), "no room is left in the session");
    send_long_data(&mut client, one, 1, &PART[1..]);
    execute(&mut client, one).unwrap();
    assert_eq!(rows(&mut root, "SELECT LENGTH(a), LENGTH(b) FROM d.t"), ["32768|32767"]);
    assert_eq!(execute(&mut client, other).unwrap_err().code(), 1105, "it is so until it is reset");
    for _ in 0..2 {
        // COM_STMT_RESET.
        client.command(&[&[0x1A], &other.to_le_bytes()[..]].concat()).unwrap();
        client.answer().unwrap();
        for param in [0, 0, 1, 1] {
            send_long_data(&mut client, other, param, &PART);
        }
    }
    execute(&mut client, other).unwrap();
    // COM_STMT_CLOSE.
    send_long_data(&mut client, one, 0, &PART);
    client.command(&[&[0x19], &one.to_le_bytes()[..]].concat()).unwrap();
    for param in [0, 0, 1, 1] {
        send_long_data(&mut client, other, param, &PART);
    }
    execute(&mut client, other).unwrap();
    let all = rows(&mut root, "SELECT LENGTH(a), LENGTH(b) FROM d.t");
    assert_eq!(all, ["32768|32767", "32768|32768", "32768|32768"]);
    world.stop();
}

#[test]
fn statements_count_as_long_as_they_are_there() {
    let world = World::start();
    let mut root = world.root();
    let is = |root: &mut Client, count: u32| {
        let shown = rows(root, "SHOW GLOBAL STATUS LIKE 'Prepared_stmt_count'");
        assert_eq!(shown, [format!("Prepared_stmt_count|{count}")]);
    };
    ok(&mut root, "SET GLOBAL max_prepared_stmt_count = 2");
    let id = prepare(&mut root, "DO 1").unwrap();
    is(&mut root, 1);
    ok(&mut root, "PREPARE s FROM 'DO 1'");
    is(&mut root, 2);
    for refused in [prepare(&mut root, "DO 2").unwrap_err(), root.query("PREPARE t FROM 'DO 2'").unwrap_err()]
    {
        assert_eq!(refused.code(), 1461);
    }
    ok(&mut root, "EXECUTE s");
    ok(&mut root, "PREPARE s FROM 'DO 3'");
    is(&mut root, 2);
    root.command(&[&[0x19], &id.to_le_bytes()[..]].concat()).unwrap();
    is(&mut root, 1);
    ok(&mut root, "DEALLOCATE PREPARE s");
    is(&mut root, 0);
    let mut other = world.root();
    prepare(&mut other, "DO 1").unwrap();
    ok(&mut other, "PREPARE s FROM 'DO 1'");
    is(&mut root, 2);
    // COM_RESET_CONNECTION.
    other.command(&[0x1F]).unwrap();
    other.answer().unwrap();
    is(&mut root, 0);
    // One that ends while the statement is executed.
    ok(&mut other, "SET net_write_timeout = 1");
    ok(
        &mut other,
        "PREPARE s FROM 'WITH RECURSIVE n AS (SELECT 1 x UNION ALL SELECT x + 1 FROM n WHERE x < 900) \
         SELECT REPEAT(x, 100000) FROM n'",
    );
    is(&mut root, 1);
    send(&mut other, "EXECUTE s");
    host::until(|| rows(&mut root, "SELECT COUNT(*) FROM information_schema.processlist") == ["1"]);
    is(&mut root, 0);
    world.stop();
}

#[test]
fn preparing_needs_the_privileges_on_tables() {
    let world = World::start();
    let mut root = world.root();
    ok(&mut root, "CREATE TABLE d.t (a INT, secret INT)");
    let mut nobody = world.client("nobody");
    for (sql, privilege) in [
        ("SELECT * FROM d.t", "SELECT"),
        ("SELECT * FROM d.nosuch", "SELECT"),
        ("INSERT INTO d.t VALUES (1, ?)", "INSERT"),
        ("DELETE FROM d.nosuch", "DELETE"),
    ] {
        let text = format!("{privilege} command denied to user 'nobody'@'localhost' for table ");
        for refused in [
            prepare(&mut nobody, sql).expect_err(sql),
            nobody.query(&format!("PREPARE s FROM '{sql}'")).expect_err(sql),
        ] {
            assert_eq!(refused.code(), 1142, "{sql}");
            assert!(refused.message().starts_with(&text), "{}", refused.message());
        }
    }
    ok(&mut root, "GRANT SELECT ON d.t TO nobody@'%'");
    prepare(&mut nobody, "SELECT * FROM d.t").unwrap();
    world.stop();
}

#[test]
fn set_and_do_take_parameters() {
    let world = World::start();
    let mut root = world.root();
    ok(&mut root, "CREATE TABLE d.t (a INT)");
    ok(&mut root, "INSERT INTO d.t VALUES (7), (8)");
    let set = "SET @a = ?, SESSION time_zone = ?, @b = (SELECT MAX(a) FROM d.t WHERE a < ?)";
    ok(&mut root, &format!("PREPARE s FROM {}", quoted(set)));
    ok(&mut root, "SET @x = 'text', @zone = '+03:00', @limit = 8");
    for (limit, expected) in [(8, "7"), (9, "8")] {
        ok(&mut root, &format!("SET @limit = {limit}"));
        ok(&mut root, "EXECUTE s USING @x, @zone, @limit");
        assert_eq!(rows(&mut root, "SELECT @a, @@time_zone, @b"), [format!("text|+03:00|{expected}")]);
    }
    assert_eq!(root.query("EXECUTE s USING @x").unwrap_err().code(), 1210);
    ok(&mut root, "PREPARE t FROM 'DO ? + 1'");
    ok(&mut root, "EXECUTE t USING @x");
    // By the binary protocol: two texts.
    let id = prepare(&mut root, "SET @c = ?, @d = CONCAT(?, 'x')").unwrap();
    let head = [0, 1, 0, 0, 0, 0, 1, 0xFD, 0, 0xFD, 0];
    root.command(&[&[0x17], &id.to_le_bytes()[..], &head, b"\x02ab\x01c"].concat()).unwrap();
    root.answer().unwrap();
    assert_eq!(rows(&mut root, "SELECT @c, @d"), ["ab|cx"]);
    for sql in ["SET @a = ?", "DO ?"] {
        assert_eq!(root.query(sql).unwrap_err().code(), 1064, "there is no value");
    }
    assert_eq!(prepare(&mut root, "KILL ?").unwrap_err().code(), 1295);
    world.stop();
}

#[test]
fn a_limit_may_be_a_text() {
    let world = World::start();
    let mut root = world.root();
    ok(&mut root, "CREATE TABLE d.t (a INT)");
    let id = prepare(&mut root, "DELETE FROM d.t LIMIT ?").unwrap();
    // As MySQL 9.7.4 takes them.
    for (text, affected) in [("1", 1), ("2x", 2), ("x", 0), ("1.5", 1), ("-1", 3), ("", 0)] {
        ok(&mut root, "DELETE FROM d.t");
        ok(&mut root, "INSERT INTO d.t VALUES (1), (2), (3)");
        let head = [0, 1, 0, 0, 0, 0, 1, 0xFD, 0, u8::try_from(text.len()).unwrap()];
        root.command(&[&[0x17], &id.to_le_bytes()[..], &head, text.as_bytes()].concat()).unwrap();
        assert_eq!(root.answer().unwrap().affected, affected, "{text:?}");
    }
    // NULL, and a double.
    root.command(&[&[0x17], &id.to_le_bytes()[..], &[0, 1, 0, 0, 0, 1, 1, 0xFD, 0]].concat()).unwrap();
    assert_eq!(root.answer().unwrap().affected, 0);
    let double = [&[0, 1, 0, 0, 0, 0, 1, 5, 0][..], &1_f64.to_le_bytes()].concat();
    root.command(&[&[0x17], &id.to_le_bytes()[..], &double].concat()).unwrap();
    assert_eq!(root.answer().unwrap_err().code(), 1210);
    world.stop();
}

#[test]
fn more_columns_than_can_be_counted_are_refused() {
    let world = World::start();
    let mut root = world.root();
    let select = |count: usize| format!("SELECT {}", vec!["1"; count].join(","));
    prepare(&mut root, &select(65_535)).unwrap();
    assert_eq!(prepare(&mut root, &select(65_536)).unwrap_err().code(), 1117);
    assert_eq!(root.query(&select(65_536)).unwrap().columns.len(), 65_536);
    world.stop();
}

#[test]
fn what_a_prepared_statement_does_is_seen() {
    let world = World::start();
    let (mut holder, mut waiter, mut reader) = (world.root(), world.root(), world.root());
    ok(&mut holder, "SELECT get_lock('x', 0)");
    let id = prepare(&mut waiter, "SELECT get_lock('x', 50)").unwrap();
    waiter.command(&[&[0x17], &id.to_le_bytes()[..], &[0, 1, 0, 0, 0]].concat()).unwrap();
    let seen = "SELECT command, state, info FROM information_schema.processlist WHERE state = 'User lock'";
    crate::whole::until(&mut reader, seen, &["Execute|User lock|SELECT get_lock('x', 50)"]);
    ok(&mut holder, "SELECT release_lock('x')");
    world.stop();
}

#[test]
fn columns_of_user_variables_have_the_type_of_each_execution() {
    let world = World::start();
    let (mut root, mut other) = (world.root(), world.root());
    let queries = [
        "SELECT x FROM (SELECT @v AS x) d",
        "WITH d AS (SELECT @v AS x) SELECT x FROM d",
        "SELECT x FROM (SELECT @v AS x UNION ALL SELECT @v) d LIMIT 1",
        "SELECT (SELECT CONCAT(x) LIMIT 1) FROM (SELECT @v AS x) d",
        "WITH RECURSIVE d AS (SELECT @v AS x UNION ALL SELECT x FROM d WHERE FALSE) SELECT x FROM d",
    ];
    for sql in queries {
        ok(&mut root, "SET @v = 1");
        ok(&mut root, &format!("PREPARE s FROM '{sql}'"));
        assert_eq!(rows(&mut root, sql), ["1"], "{sql}");
        assert_eq!(rows(&mut root, "EXECUTE s"), ["1"], "{sql}");
        for value in ["abc", "2.5"] {
            ok(&mut root, &format!("SET @v = '{value}'"));
            assert_eq!(rows(&mut root, sql), [value], "{sql}");
            assert_eq!(rows(&mut root, "EXECUTE s"), [value], "{sql}");
            // Clients read what is announced.
            for run in [sql, "EXECUTE s"] {
                assert_ne!(root.query(run).unwrap().types, [BIGINT], "{sql}");
            }
        }
        ok(&mut other, "SET @v = x'41'");
        assert_eq!(rows(&mut other, sql), ["A"], "{sql}");
    }
    world.stop();
}
