//! What INSERT and UPDATE assign, and what clients are told of it.

use crate::client::{Client, Login};
use crate::whole::{World, answers_as_recorded, ok, rows, send};

#[test]
fn what_is_assigned_is_what_mysql_assigns() {
    answers_as_recorded(include_str!("../data/assigned-9.7.4.txt"), 100);
}

/// Statements, and the id, the number of rows and the text of their OK packets, from MySQL 9.7.4.
const TOLD: &[(&str, u64, u64, &str)] = &[
    ("INSERT INTO t (u) VALUES (1)", 1, 1, ""),
    ("INSERT INTO t (u) VALUES (2), (3)", 2, 2, "Records: 2  Duplicates: 0  Warnings: 0"),
    ("INSERT INTO t VALUES (50, 50, 0)", 50, 1, ""),
    ("INSERT INTO t VALUES (60, 60, 0), (70, 70, 0)", 70, 2, "Records: 2  Duplicates: 0  Warnings: 0"),
    ("INSERT INTO t (u) VALUES (2) ON DUPLICATE KEY UPDATE v = 9", 2, 2, ""),
    ("INSERT INTO t (u) VALUES (2) ON DUPLICATE KEY UPDATE v = 9", 0, 0, ""),
    ("INSERT INTO t (u) VALUES (2) ON DUPLICATE KEY UPDATE id = LAST_INSERT_ID(id), v = 10", 2, 2, ""),
    (
        "INSERT INTO t (u) VALUES (80), (2) ON DUPLICATE KEY UPDATE v = v + 1",
        74,
        3,
        "Records: 2  Duplicates: 1  Warnings: 0",
    ),
    (
        "INSERT INTO t (u) VALUES (2), (81) ON DUPLICATE KEY UPDATE v = v + 1",
        76,
        3,
        "Records: 2  Duplicates: 1  Warnings: 0",
    ),
    ("INSERT INTO t VALUES (-5, 90, 0)", 18_446_744_073_709_551_611, 1, ""),
    ("INSERT IGNORE INTO q VALUES (300000000000, 91)", 2_147_483_647, 1, ""),
    ("INSERT IGNORE INTO t (u) VALUES (1)", 0, 0, ""),
    ("INSERT IGNORE INTO t (u) VALUES (1), (92)", 79, 1, "Records: 2  Duplicates: 1  Warnings: 1"),
    ("REPLACE INTO t (u) VALUES (92)", 81, 2, ""),
    ("REPLACE INTO t (id, u) VALUES (50, 51), (60, 61)", 60, 4, "Records: 2  Duplicates: 2  Warnings: 0"),
    ("INSERT INTO p VALUES (1, 9)", 0, 1, ""),
    ("INSERT INTO p VALUES (1, 9) ON DUPLICATE KEY UPDATE id = LAST_INSERT_ID(id), v = 2", 1, 2, ""),
    ("UPDATE p SET v = LAST_INSERT_ID(77)", 77, 1, "Rows matched: 1  Changed: 1  Warnings: 0"),
    ("UPDATE p SET v = 5", 0, 1, "Rows matched: 1  Changed: 1  Warnings: 0"),
    ("DELETE FROM p WHERE id = LAST_INSERT_ID(78)", 0, 0, ""),
    (
        "INSERT INTO p VALUES (1, 9), (7, 7) ON DUPLICATE KEY UPDATE v = v",
        0,
        1,
        "Records: 2  Duplicates: 0  Warnings: 0",
    ),
    (
        "INSERT INTO p VALUES (1, 9), (7, 7), (8, 8) ON DUPLICATE KEY UPDATE v = p.v + 1",
        0,
        5,
        "Records: 3  Duplicates: 2  Warnings: 0",
    ),
    (
        "INSERT IGNORE INTO p VALUES (1, 9), (7, 7), (9, 9) ON DUPLICATE KEY UPDATE v = p.v + 1",
        0,
        5,
        "Records: 3  Duplicates: 0  Warnings: 0",
    ),
    (
        "INSERT IGNORE INTO p VALUES (1, 9), (7, 7) ON DUPLICATE KEY UPDATE v = p.v",
        0,
        0,
        "Records: 2  Duplicates: 2  Warnings: 0",
    ),
    ("INSERT IGNORE INTO p VALUES (1, 9), (10, 7)", 0, 1, "Records: 2  Duplicates: 1  Warnings: 1"),
    ("REPLACE INTO p VALUES (1, 9), (11, 7)", 0, 3, "Records: 2  Duplicates: 1  Warnings: 0"),
    ("INSERT INTO t (u) SELECT id + 100 FROM p", 82, 6, "Records: 6  Duplicates: 0  Warnings: 0"),
    (
        "INSERT INTO t (id, u) SELECT id + 1000, id + 200 FROM p ORDER BY id",
        1_011,
        6,
        "Records: 6  Duplicates: 0  Warnings: 0",
    ),
    (
        "UPDATE p, t SET p.v = LAST_INSERT_ID(p.id + 5) WHERE p.id = 7",
        12,
        1,
        "Rows matched: 1  Changed: 1  Warnings: 0",
    ),
    ("INSERT INTO p VALUES (LAST_INSERT_ID(500), 0)", 500, 1, ""),
    ("CREATE DATABASE counted", 0, 1, ""),
    ("CREATE DATABASE IF NOT EXISTS counted", 0, 1, ""),
    ("DROP DATABASE counted", 0, 0, ""),
];

#[test]
fn clients_are_told_the_ids_that_mysql_tells() {
    let world = World::start();
    let mut client = world.root();
    ok(&mut client, "USE d");
    ok(&mut client, "CREATE TABLE t (id INT PRIMARY KEY AUTO_INCREMENT, u INT UNIQUE, v INT)");
    ok(&mut client, "CREATE TABLE p (id INT PRIMARY KEY, v INT)");
    ok(&mut client, "CREATE TABLE q (id INT PRIMARY KEY AUTO_INCREMENT, v INT)");
    for (sql, id, affected, info) in TOLD {
        let answer = client.query(sql).unwrap_or_else(|failure| panic!("{sql}: {failure:?}"));
        let told = (
            answer.insert_id,
            answer.affected,
            answer.info.trim_start_matches(|c: char| !c.is_ascii_alphabetic()),
        );
        assert_eq!(told, (*id, *affected, *info), "{sql}");
    }
    ok(&mut client, "CREATE TABLE r (id INT PRIMARY KEY AUTO_INCREMENT, v INT)");
    ok(&mut client, "SET insert_id = 5000");
    ok(&mut client, "INSERT INTO r (v) VALUES (1), (2)");
    ok(&mut client, "INSERT INTO r (v) VALUES (3)");
    assert_eq!(
        rows(&mut client, "SELECT id FROM r WHERE id BETWEEN 5000 AND 5009 ORDER BY id"),
        ["5000", "5001", "5002"]
    );
}

#[test]
fn values_of_a_statement_follow_each_other_whoever_else_inserts() {
    let world = World::start();
    let mut root = world.root();
    ok(&mut root, "CREATE TABLE d.t (id INT PRIMARY KEY AUTO_INCREMENT, writer INT)");
    let mut writers: Vec<_> = (0..4).map(|_| world.root()).collect();
    for _ in 0..25 {
        for (number, writer) in writers.iter_mut().enumerate() {
            let row = format!("({number})");
            send(writer, &format!("INSERT INTO d.t (writer) VALUES {}", vec![row; 40].join(", ")));
        }
        for (number, writer) in writers.iter_mut().enumerate() {
            let first = writer.answer().unwrap().insert_id;
            let own = format!(
                "SELECT COUNT(*) FROM d.t WHERE writer = {number} AND id BETWEEN {first} AND {}",
                first + 39
            );
            assert_eq!(rows(&mut root, &own), ["40"]);
        }
    }
}

/// What each REPLACE affects in MySQL 9.7.4, and the rows events that it logs there.
const REPLACES: [(&str, u64, &[&str]); 13] = [
    ("REPLACE INTO a VALUES (1, 2)", 2, &["Update_rows"]),
    ("REPLACE INTO a VALUES (1, 2)", 1, &[]),
    ("REPLACE INTO a VALUES (2, 1), (1, 7)", 3, &["Write_rows", "Update_rows"]),
    ("REPLACE INTO b VALUES (1, 1, 5)", 2, &["Delete_rows", "Write_rows"]),
    ("REPLACE INTO b VALUES (1, 9, 6)", 2, &["Delete_rows", "Write_rows"]),
    ("REPLACE INTO b VALUES (5, 2, 7)", 2, &["Update_rows"]),
    ("REPLACE INTO b VALUES (1, 2, 8)", 3, &["Delete_rows", "Update_rows"]),
    ("REPLACE INTO n VALUES (1, 5)", 2, &["Update_rows"]),
    ("REPLACE INTO n VALUES (1, 5)", 1, &[]),
    ("REPLACE INTO n VALUES (NULL, 5)", 1, &["Write_rows"]),
    ("REPLACE INTO p VALUES (1, 5)", 2, &["Delete_rows", "Write_rows"]),
    ("REPLACE INTO p VALUES (1, 5)", 2, &["Delete_rows", "Write_rows"]),
    ("REPLACE INTO c VALUES (1, 1, 7)", 2, &["Update_rows"]),
];

#[test]
fn a_replace_that_only_one_row_can_be_in_the_way_of_is_an_update() {
    let world = World::start();
    let mut root = world.root();
    for sql in [
        "USE d",
        "CREATE TABLE a (id INT PRIMARY KEY, v INT)",
        "CREATE TABLE b (id INT PRIMARY KEY, u INT NOT NULL, v INT, UNIQUE KEY (u))",
        "CREATE TABLE n (u INT, v INT, KEY (v), UNIQUE KEY (u))",
        "CREATE TABLE p (id INT PRIMARY KEY, v INT)",
        "CREATE TABLE c (id INT PRIMARY KEY, pid INT, v INT, FOREIGN KEY (pid) REFERENCES p (id) ON DELETE CASCADE)",
        "INSERT INTO a VALUES (1, 1)",
        "INSERT INTO b VALUES (1, 1, 1), (2, 2, 2)",
        "INSERT INTO n VALUES (1, 1), (NULL, 2)",
        "INSERT INTO p VALUES (1, 1)",
        "INSERT INTO c VALUES (1, 1, 1)",
    ] {
        ok(&mut root, sql);
    }
    for (sql, affected, logged) in REPLACES {
        ok(&mut root, "FLUSH BINARY LOGS");
        assert_eq!(root.query(sql).unwrap().affected, affected, "{sql}");
        let file = root.query("SHOW BINARY LOG STATUS").unwrap().rows[0][0].clone().unwrap();
        let events = root.query(&format!("SHOW BINLOG EVENTS IN '{file}'")).unwrap().rows;
        let kinds: Vec<&str> = events.iter().map(|row| row[2].as_deref().unwrap()).collect();
        let of_rows: Vec<&str> = kinds.into_iter().filter(|kind| kind.ends_with("_rows")).collect();
        assert_eq!(of_rows, logged, "{sql}");
    }
    assert_eq!(rows(&mut root, "SELECT * FROM b"), ["1|2|8"]);
    assert_eq!(rows(&mut root, "SELECT * FROM n FORCE INDEX (v) WHERE v = 5 ORDER BY u"), ["NULL|5", "1|5"]);
    assert_eq!(rows(&mut root, "SELECT * FROM c"), ["1|1|7"]);
    world.stop();
}

#[test]
fn rows_found_are_counted_if_a_client_asks_for_them() {
    const FOUND_ROWS: u32 = 1 << 1;
    let world = World::start();
    let login = Login { flags: FOUND_ROWS, ..Login::new("root", "") };
    let mut client = Client::connect(&world.address(), &login).unwrap();
    for sql in [
        "USE d",
        "CREATE TABLE u (id INT PRIMARY KEY, v INT)",
        "INSERT INTO u VALUES (1, 1), (2, 2), (3, 3)",
        "CREATE TABLE w SELECT * FROM u",
    ] {
        ok(&mut client, sql);
    }
    // Statements, and what MySQL 9.7.4 tells of them.
    for (sql, affected, info) in [
        ("INSERT INTO u VALUES (1, 1) ON DUPLICATE KEY UPDATE v = 1", 1, ""),
        ("INSERT INTO u VALUES (1, 1) ON DUPLICATE KEY UPDATE v = 9", 2, ""),
        (
            "INSERT INTO u VALUES (1, 9), (2, 2), (3, 3) AS new ON DUPLICATE KEY UPDATE v = new.v",
            3,
            "Records: 3  Duplicates: 3  Warnings: 0",
        ),
        (
            "INSERT INTO u VALUES (1, 9), (2, 8), (4, 4) AS new ON DUPLICATE KEY UPDATE v = new.v",
            4,
            "Records: 3  Duplicates: 2  Warnings: 0",
        ),
        (
            "INSERT INTO u SELECT * FROM w WHERE id = 3 ON DUPLICATE KEY UPDATE v = 3",
            1,
            "Records: 1  Duplicates: 1  Warnings: 0",
        ),
        ("UPDATE u SET v = 9 WHERE id = 1", 1, "Rows matched: 1  Changed: 0  Warnings: 0"),
    ] {
        let answer = client.query(sql).unwrap();
        assert_eq!(
            (answer.affected, answer.info.trim_start_matches(|c: char| !c.is_ascii_alphabetic())),
            (affected, info),
            "{sql}"
        );
    }
}
