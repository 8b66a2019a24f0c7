//! Temporary tables: what statements about them answer, that they are one session's alone, and that no log knows of them.
//! The answers were recorded from MySQL 9.7.4.

use vfs::sim::Rng;

use crate::client::Client;
use crate::waits::value;
use crate::whole::{World, answers_as_recorded, ok, send};

#[test]
fn temporary_tables_answer_as_in_mysql() {
    answers_as_recorded(include_str!("../data/temporary-9.7.4.txt"), 230);
}

fn code(client: &mut Client, sql: &str) -> u16 {
    client.query(sql).expect_err(sql).code()
}

/// The kinds of the current binlog file's events behind its header, and the texts of their statements.
fn events(root: &mut Client) -> (Vec<String>, Vec<String>) {
    let file = value(root, "SHOW BINARY LOG STATUS").unwrap();
    let events = root.query(&format!("SHOW BINLOG EVENTS IN '{file}'")).unwrap().rows;
    let kinds = events.iter().skip(2).map(|row| row[2].clone().unwrap()).collect();
    let texts =
        events.iter().filter(|row| row[2].as_deref() == Some("Query")).map(|row| row[5].clone().unwrap());
    (kinds, texts.filter(|text| text != "BEGIN").collect())
}

#[test]
fn no_log_knows_of_them() {
    let world = World::start();
    let mut root = world.root();
    ok(&mut root, "USE d");
    ok(&mut root, "CREATE TABLE base (id INT PRIMARY KEY, v INT)");
    ok(&mut root, "CREATE TABLE gone (id INT)");
    ok(&mut root, "FLUSH BINARY LOGS");
    let drawn = world.shared().pipeline.last_drawn();
    for sql in [
        "CREATE TEMPORARY TABLE t (id INT PRIMARY KEY AUTO_INCREMENT, v INT DEFAULT 5, KEY (v))",
        "INSERT INTO t (v) VALUES (1), (2), (3)",
        "CREATE TEMPORARY TABLE u SELECT * FROM t",
        "UPDATE t SET v = v + 1",
        "UPDATE t JOIN u USING (id) SET t.v = 7, u.v = 8",
        "BEGIN",
        "DELETE FROM t WHERE id = 1",
        "COMMIT",
        "ALTER TABLE t ADD COLUMN w INT",
        "CREATE INDEX w ON t (w)",
        "TRUNCATE u",
        "DROP TABLE u",
    ] {
        ok(&mut root, sql);
    }
    assert_eq!(world.shared().pipeline.last_drawn(), drawn, "nothing was committed to any log");
    assert_eq!(events(&mut root), (Vec::new(), Vec::new()));
    for sql in [
        "BEGIN",
        "INSERT INTO t (v) VALUES (9)",
        "INSERT INTO base SELECT id, v FROM t",
        "UPDATE t JOIN base USING (id) SET t.v = 70, base.v = 80 WHERE id = 2",
        "COMMIT",
        "CREATE TEMPORARY TABLE gone2 (i INT)",
        "CREATE TABLE copied LIKE t",
        "DROP TABLE IF EXISTS gone2, gone, t",
    ] {
        ok(&mut root, sql);
    }
    let (kinds, texts) = events(&mut root);
    let expected = [
        "Gtid",
        "Query",
        "Table_map",
        "Write_rows",
        "Table_map",
        "Update_rows",
        "Xid",
        "Gtid",
        "Query",
        "Gtid",
        "Query",
    ];
    assert_eq!(kinds, expected);
    assert!(texts[0].contains("CREATE TABLE `d`.`copied` (") && texts[0].contains("`w` int"), "{}", texts[0]);
    assert!(texts[1].ends_with("DROP TABLE IF EXISTS `d`.`gone`"), "{}", texts[1]);
    let world = world.restart();
    let mut root = world.root();
    assert_eq!(value(&mut root, "SELECT COUNT(*) FROM d.base").as_deref(), Some("3"));
    assert_eq!(code(&mut root, "SELECT * FROM d.t"), 1146);
    world.stop();
}

#[test]
fn each_session_has_its_own_and_needs_no_other_privilege() {
    let world = World::start();
    let (mut root, mut nobody) = (world.root(), world.client("nobody"));
    ok(&mut root, "CREATE TABLE d.t (id INT PRIMARY KEY, v INT)");
    ok(&mut root, "INSERT INTO d.t VALUES (1, 100)");
    assert_eq!(value(&mut root, "SELECT v FROM d.t WHERE id = 1").as_deref(), Some("100"));
    assert_eq!(code(&mut nobody, "CREATE TEMPORARY TABLE d.t (id INT)"), 1044);
    ok(&mut root, "GRANT CREATE TEMPORARY TABLES ON d.* TO nobody@'%'");
    let mut nobody = world.client("nobody");
    let mut other = world.client("nobody");
    for (client, v) in [(&mut nobody, 1), (&mut other, 2)] {
        ok(client, "CREATE TEMPORARY TABLE d.t (id INT PRIMARY KEY, v INT)");
        ok(client, "BEGIN");
        // The same key in each: nobody waits for anybody.
        ok(client, &format!("INSERT INTO d.t VALUES (1, {v})"));
        ok(client, "SELECT * FROM d.t FOR UPDATE");
    }
    for (client, v) in [(&mut root, "100"), (&mut nobody, "1"), (&mut other, "2")] {
        assert_eq!(value(client, "SELECT v FROM d.t WHERE id = 1").as_deref(), Some(v));
    }
    // DDL of others does not wait for them either.
    ok(&mut root, "ALTER TABLE d.t ADD COLUMN w INT");
    for sql in [
        "UPDATE d.t SET v = 3",
        "ALTER TABLE d.t ADD COLUMN x INT DEFAULT 4",
        "SHOW CREATE TABLE d.t",
        "SHOW COLUMNS FROM d.t",
        "TRUNCATE d.t",
        "INSERT INTO d.t VALUES (1, 1, 1)",
        "CREATE TEMPORARY TABLE d.u LIKE d.t",
        "CREATE TEMPORARY TABLE d.w SELECT * FROM d.t",
    ] {
        ok(&mut nobody, sql);
    }
    assert_eq!(value(&mut nobody, "SELECT x FROM d.t").as_deref(), Some("1"));
    ok(&mut nobody, "DROP TEMPORARY TABLE d.t");
    for sql in [
        "SELECT * FROM d.t",
        "SHOW CREATE TABLE d.t",
        "CREATE TEMPORARY TABLE d.x LIKE d.t",
        "DROP TABLE d.t",
    ] {
        assert_eq!(code(&mut nobody, sql), 1142, "{sql}");
    }
    // COM_RESET_CONNECTION.
    other.command(&[0x1f]).unwrap();
    other.answer().unwrap();
    assert_eq!(code(&mut other, "SELECT * FROM d.t"), 1142);
    ok(&mut other, "CREATE TEMPORARY TABLE d.t (id INT PRIMARY KEY)");
    assert_eq!(value(&mut other, "SELECT COUNT(*) FROM d.t").as_deref(), Some("0"));
    world.stop();
}

#[test]
fn a_read_only_server_lets_them_be_changed() {
    let world = World::start();
    let (mut root, mut other) = (world.root(), world.root());
    ok(&mut root, "CREATE TABLE d.t (id INT PRIMARY KEY)");
    ok(&mut root, "INSERT INTO d.t VALUES (1)");
    ok(&mut root, "SET GLOBAL super_read_only = ON");
    for sql in [
        "CREATE TEMPORARY TABLE d.own (id INT PRIMARY KEY, v INT)",
        "INSERT INTO d.own VALUES (1, 1)",
        "UPDATE d.own JOIN d.t USING (id) SET own.v = 2",
        "CREATE TEMPORARY TABLE d.copy SELECT * FROM d.t",
        "ALTER TABLE d.own ADD COLUMN w INT",
        "DROP TEMPORARY TABLE d.copy",
    ] {
        ok(&mut other, sql);
    }
    assert_eq!(value(&mut other, "SELECT v FROM d.own").as_deref(), Some("2"));
    assert_eq!(code(&mut other, "UPDATE d.own JOIN d.t USING (id) SET own.v = 3, t.id = 4"), 1290);
    assert_eq!(code(&mut other, "INSERT INTO d.t SELECT 5 FROM d.own"), 1290);
    ok(&mut root, "SET GLOBAL super_read_only = OFF");
    ok(&mut root, "SET GLOBAL read_only = OFF");
    // Nor do they wait for FLUSH TABLES WITH READ LOCK.
    ok(&mut root, "FLUSH TABLES WITH READ LOCK");
    ok(&mut other, "INSERT INTO d.own VALUES (7, 7, 7)");
    ok(&mut root, "UNLOCK TABLES");
    world.stop();
}

#[test]
fn a_query_that_fills_one_can_be_killed_and_leaves_nothing() {
    let world = World::start();
    let (mut root, mut other) = (world.root(), world.root());
    ok(&mut other, "USE d");
    ok(&mut other, "CREATE TABLE t (id INT PRIMARY KEY)");
    ok(
        &mut other,
        "INSERT INTO t WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 900) SELECT i FROM n",
    );
    let id = value(&mut other, "SELECT connection_id()").unwrap();
    let rows = || "SELECT a.id FROM t a, t b, t c";
    send(&mut other, &format!("CREATE TEMPORARY TABLE big {}", rows()));
    crate::waits::until_run(&mut root, 1, "CREATE TEMPORARY%");
    ok(&mut root, &format!("KILL QUERY {id}"));
    assert_eq!(other.answer().expect_err("it was killed").code(), 1317);
    assert_eq!(code(&mut other, "SELECT * FROM big"), 1146);
    ok(&mut other, "CREATE TEMPORARY TABLE big (id INT)");
    assert_eq!(value(&mut other, "SELECT COUNT(*) FROM big").as_deref(), Some("0"));
    world.stop();
}

/// A change that means the same for each table that is put in the place of `{}`.
fn change(rng: &mut Rng) -> String {
    let mut number = |bound| rng.below(bound);
    let (id, v, low) = (number(30), number(9), number(30));
    match number(12) {
        0..=2 => format!("INSERT IGNORE INTO {{}} (id, u, v) VALUES ({id}, {low}, {v}), ({low}, {v}, {id})"),
        3 => {
            format!("INSERT INTO {{}} (id, u, v) VALUES ({id}, {low}, {v}) ON DUPLICATE KEY UPDATE v = v + 1")
        }
        4 => format!("REPLACE INTO {{}} (id, u, v) VALUES ({id}, {low}, {v})"),
        5 => format!("INSERT INTO {{}} (u, v) VALUES ({low}, {v}), (NULL, 3)"),
        6 => format!("UPDATE {{}} SET v = {v} WHERE u BETWEEN {low} AND {id}"),
        7 => format!("UPDATE {{}} SET id = id + 5, u = u + 1 WHERE id > {low} ORDER BY id DESC LIMIT 3"),
        8 => format!("UPDATE IGNORE {{}} SET u = {v} WHERE v < {v}"),
        9 => format!("DELETE FROM {{}} WHERE v = {v} AND id < {id}"),
        10 => format!("DELETE FROM {{}} WHERE u = {low}"),
        _ => format!("INSERT IGNORE INTO {{}} (u, v) SELECT id, u FROM {{}} WHERE v > {v}"),
    }
}

#[test]
fn they_hold_the_rows_that_other_tables_would_hold() {
    let world = World::start();
    let mut root = world.root();
    ok(&mut root, "USE d");
    let columns = "(id INT PRIMARY KEY AUTO_INCREMENT, u INT, v INT, UNIQUE (u), KEY (v, u))";
    for seed in 0..6 {
        let mut rng = Rng::new(seed);
        ok(&mut root, &format!("CREATE TABLE base{seed} {columns}"));
        ok(&mut root, &format!("CREATE TEMPORARY TABLE own{seed} {columns}"));
        let both = |root: &mut Client, sql: &str| {
            let mut run = |table: &str| {
                root.query(&sql.replace("{}", table))
                    .map(|answer| answer.rows)
                    .map_err(|failure| failure.code())
            };
            let (base, own) = (run(&format!("base{seed}")), run(&format!("own{seed}")));
            assert_eq!(base, own, "seed {seed}: {sql}");
        };
        for _ in 0..150 {
            match rng.below(16) {
                0 => both(&mut root, "COMMIT /* {} */"),
                1 => both(&mut root, "ROLLBACK /* {} */"),
                2 => ok(&mut root, "BEGIN"),
                3 => ok(&mut root, &format!("SAVEPOINT s{}", rng.below(2))),
                4 => drop(root.query(&format!("ROLLBACK TO SAVEPOINT s{}", rng.below(2)))),
                5 => both(&mut root, "SELECT v, u, id FROM {} FORCE INDEX (v) ORDER BY v DESC, u, id"),
                _ => both(&mut root, &change(&mut rng)),
            }
            both(&mut root, "SELECT id, u, v FROM {} ORDER BY id");
            both(&mut root, "SELECT id, v FROM {} WHERE u BETWEEN 3 AND 20 ORDER BY u");
        }
        ok(&mut root, "COMMIT");
        for alteration in [
            "ADD COLUMN w VARCHAR(9) DEFAULT 'w' FIRST",
            "DROP PRIMARY KEY, MODIFY id BIGINT",
            "DROP INDEX u, ADD INDEX (w, id)",
        ] {
            both(&mut root, &format!("ALTER TABLE {{}} {alteration}"));
            both(&mut root, "SELECT * FROM {} ORDER BY id");
            both(&mut root, "SELECT id FROM {} WHERE v > 4 ORDER BY v, id");
        }
    }
    world.stop();
}
