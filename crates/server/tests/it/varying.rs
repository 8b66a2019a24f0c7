//! What differs from row to row although no column says so, and what names and rows cost that stand for others. Answers are
//! MySQL 9.7.4's.

use crate::client::Client;
use crate::whole::{World, ok, rows};

fn with_rows() -> (World, Client) {
    let world = World::start();
    let mut root = world.root();
    ok(&mut root, "CREATE TABLE d.t (id INT PRIMARY KEY AUTO_INCREMENT, a INT, n INT)");
    ok(&mut root, "INSERT INTO d.t (a) VALUES (1), (2), (3), (4), (5), (6)");
    ok(&mut root, "USE d");
    (world, root)
}

#[test]
fn rand_with_a_seed_goes_on_from_row_to_row() {
    let (world, mut root) = with_rows();
    let expected = [
        "1|0.9057697559760601",
        "2|0.37307905813034536",
        "3|0.14808605345719125",
        "4|0.6211931236285653",
        "5|0.6617074885048974",
        "6|0.44495810237243594",
    ];
    for _ in 0..2 {
        assert_eq!(rows(&mut root, "SELECT id, RAND(3) FROM t"), expected);
    }
    assert_eq!(rows(&mut root, "SELECT id FROM t ORDER BY RAND(42) LIMIT 3"), ["6", "2", "4"]);
    assert_eq!(rows(&mut root, "SELECT RAND(3) = RAND(3)"), ["1"]);
    assert_eq!(rows(&mut root, "SELECT id FROM t WHERE RAND(3) < 0.5"), ["2", "3", "6"]);
    // Another seed a row begins another sequence.
    assert_eq!(
        rows(&mut root, "SELECT RAND(a) FROM t LIMIT 3"),
        ["0.40540353712197724", "0.6555866465490187", "0.9057697559760601"]
    );
    world.stop();
}

#[test]
fn between_computes_its_operand_once() {
    let (world, mut root) = with_rows();
    ok(&mut root, "SET @n = 0");
    assert_eq!(rows(&mut root, "SELECT id FROM t WHERE (@n := @n + 1) BETWEEN 3 AND 5"), ["3", "4", "5"]);
    assert_eq!(rows(&mut root, "SELECT @n"), ["6"]);
    let bounds = "SELECT (1+1) BETWEEN 1 AND NULL, (1+2) BETWEEN 4 AND NULL, (1+NULL) BETWEEN 1 AND 2, \
                  CONCAT('b') BETWEEN 'A' AND 'C', (1+2) NOT BETWEEN 1 AND 3, \
                  DATE('2024-01-05') BETWEEN 'x' AND '2024-01-10', \
                  CONCAT('2024-1-5') BETWEEN DATE('2024-01-01') AND DATE('2024-02-01')";
    assert_eq!(rows(&mut root, bounds), ["NULL|0|NULL|1|0|1|1"]);
    ok(&mut root, "SET @r = 0");
    let asked = "SELECT id FROM t WHERE (SELECT @r := @r + 1) BETWEEN 3 AND 5";
    assert_eq!(rows(&mut root, asked), ["3", "4", "5"]);
    let numbers = "WITH RECURSIVE r AS (SELECT 1 n UNION ALL SELECT n + 1 FROM r WHERE n < 1000)";
    // Two draws would be 360 of a thousand.
    let drawn =
        format!("{numbers} SELECT COUNT(*) BETWEEN 130 AND 270 FROM r WHERE RAND() BETWEEN 0.4 AND 0.6");
    assert_eq!(rows(&mut root, &drawn), ["1"]);
    world.stop();
}

#[test]
fn between_columns_finds_ranges() {
    let (world, mut root) = with_rows();
    ok(
        &mut root,
        "CREATE TABLE p (id INT PRIMARY KEY, a DATE, b DATE, lo BIGINT, hi BIGINT, KEY (a), KEY (lo))",
    );
    let days: Vec<String> = (1..=60)
        .map(|n| {
            format!("({n}, '2024-01-01' + INTERVAL {n} DAY, '2024-01-03' + INTERVAL {n} DAY, {n}0, {n}9)")
        })
        .collect();
    ok(&mut root, &format!("INSERT INTO p VALUES {}", days.join(", ")));
    for (condition, ids) in [
        ("'2024-01-04' BETWEEN a AND b", "1,2,3"),
        ("DATE('2024-01-04') BETWEEN a AND b", "1,2,3"),
        ("INET_ATON('0.0.0.25') BETWEEN lo AND hi", "2"),
    ] {
        let explained = rows(&mut root, &format!("EXPLAIN SELECT * FROM p WHERE {condition}"));
        assert!(explained[0].contains("|range|"), "{condition}: {explained:?}");
        let found = format!("SELECT GROUP_CONCAT(id ORDER BY id) FROM p WHERE {condition}");
        assert_eq!(rows(&mut root, &found), [ids], "{condition}");
    }
    let joined = "EXPLAIN SELECT * FROM t LEFT JOIN p ON p.id = t.id WHERE '2024-01-04' BETWEEN p.a AND p.b";
    assert!(rows(&mut root, joined)[0].contains("|p|"), "an inner join, which begins with the range");
    ok(&mut root, "SET sql_safe_updates = 1");
    ok(&mut root, "UPDATE p SET hi = hi WHERE INET_ATON('0.0.0.25') BETWEEN lo AND hi");
    world.stop();
}

#[test]
fn subqueries_that_vary_are_asked_for_each_row() {
    let (world, mut root) = with_rows();
    ok(&mut root, "SET @r = 0");
    let numbers = rows(&mut root, "SELECT (SELECT @r := @r + 1), id FROM t");
    assert_eq!(numbers, ["1|1", "2|2", "3|3", "4|4", "5|5", "6|6"]);
    assert_eq!(
        rows(&mut root, "SELECT (SELECT RAND(5)) FROM t LIMIT 2"),
        ["0.40613597483014313", "0.8745439358749836"]
    );
    let distinct = |sql: &str| format!("SELECT COUNT(DISTINCT v) FROM (SELECT ({sql}) v FROM t) d");
    for (sql, count) in [
        ("SELECT RAND()", "6"),
        ("SELECT RAND() + id - id", "6"),
        // As in MySQL.
        ("SELECT UUID()", "1"),
        ("SELECT RANDOM_BYTES(8)", "1"),
        ("SELECT UUID_SHORT()", "1"),
        ("SELECT x FROM (SELECT RAND() x) e", "1"),
    ] {
        assert_eq!(rows(&mut root, &distinct(sql)), [count], "{sql}");
    }
    assert_eq!(rows(&mut root, "SELECT COUNT(DISTINCT n) FROM (SELECT UUID_SHORT() n FROM t) d"), ["6"]);
    assert_eq!(
        rows(&mut root, "SELECT UUID_SHORT() >> 56 = @@server_id & 255, UUID_SHORT() < UUID_SHORT()"),
        ["1|1"]
    );
    assert_eq!(rows(&mut root, "SELECT 1 WHERE (SELECT RAND()) < 2"), ["1"]);
    assert_eq!(rows(&mut root, "SELECT SUM((SELECT RAND()) < 2) FROM t HAVING (SELECT RAND()) < 2"), ["6"]);
    assert_eq!(rows(&mut root, "SELECT id FROM t WHERE id IN (SELECT FLOOR(1 + RAND() * 0) FROM t)"), ["1"]);
    ok(&mut root, "SET @v = (SELECT RAND()), @w := (SELECT @r)");
    assert_eq!(rows(&mut root, "SELECT @v < 1, @w"), ["1|6"]);
    ok(&mut root, "DO (SELECT SLEEP(0))");
    ok(&mut root, "UPDATE t SET n = (SELECT FLOOR(RAND() * 1000000000))");
    assert_ne!(rows(&mut root, "SELECT COUNT(DISTINCT n) FROM t"), ["1"]);
    ok(&mut root, "DELETE FROM t WHERE (SELECT RAND()) > 2");
    ok(&mut root, "INSERT INTO t (a) VALUES ((SELECT LAST_INSERT_ID())), ((SELECT FLOOR(RAND() * 0) + 9))");
    assert_eq!(rows(&mut root, "SELECT a FROM t WHERE id > 6"), ["1", "9"]);
    ok(
        &mut root,
        "INSERT INTO t (id, a) SELECT id, a FROM t ON DUPLICATE KEY UPDATE n = (SELECT FLOOR(RAND() * 0) + 7)",
    );
    assert_eq!(rows(&mut root, "SELECT COUNT(*) FROM t WHERE n = 7"), ["8"]);
    let union = "SELECT id FROM t WHERE id = 1 UNION SELECT 1 ORDER BY (SELECT RAND())";
    assert_eq!(rows(&mut root, union), ["1"]);
    let explained = rows(&mut root, "EXPLAIN SELECT id, (SELECT RAND()) FROM t");
    assert!(explained[1].starts_with("2|UNCACHEABLE SUBQUERY|"), "{explained:?}");
    world.stop();
}

#[test]
fn last_insert_id_finds_its_row_by_an_index() {
    let (world, mut root) = with_rows();
    for sql in ["id = LAST_INSERT_ID()", "id = (SELECT LAST_INSERT_ID())"] {
        let explained = rows(&mut root, &format!("EXPLAIN SELECT a FROM t WHERE {sql}"));
        assert!(explained[0].contains("|PRIMARY|4|"), "{explained:?}");
        assert_eq!(rows(&mut root, &format!("SELECT a FROM t WHERE {sql}")), ["1"]);
    }
    world.stop();
}

#[test]
fn a_moment_with_an_offset_is_of_the_session_that_asks() {
    let (world, mut root) = with_rows();
    ok(&mut root, "CREATE TABLE m (ts TIMESTAMP NULL DEFAULT '2024-06-01 12:00:00')");
    ok(&mut root, "INSERT INTO m VALUES (TIMESTAMP'2024-06-01 00:00:00+00:00')");
    for (zone, moment, default) in [
        ("+00:00", "2024-06-01 00:00:00", "2024-06-01 12:00:00"),
        ("+09:00", "2024-06-01 09:00:00", "2024-06-01 21:00:00"),
    ] {
        ok(&mut root, &format!("SET time_zone = '{zone}'"));
        let read = "SELECT ts, DEFAULT(ts) FROM m WHERE ts = TIMESTAMP'2024-06-01 00:00:00+00:00'";
        assert_eq!(rows(&mut root, read), [format!("{moment}|{default}")]);
        let fraction = rows(&mut root, "SELECT TIMESTAMP'2024-06-01 00:00:00.5+00:00'");
        assert_eq!(fraction, [format!("{moment}.5")]);
    }
    let wrong = root.query("SELECT TIMESTAMP'2024-06-01 00:00:00+99:00'").unwrap_err();
    assert_eq!(wrong.code(), 1525);
    world.stop();
}

#[test]
fn order_by_a_name_of_two_columns_is_refused() {
    let (world, mut root) = with_rows();
    for sql in ["SELECT t.id, t.a id FROM t ORDER BY id", "SELECT t.id, u.id FROM t, t u ORDER BY id"] {
        let error = root.query(sql).unwrap_err();
        assert_eq!((error.code(), error.message()), (1052, "Column 'id' in order clause is ambiguous"));
    }
    // The same column, and an expression of that name.
    assert_eq!(rows(&mut root, "SELECT t.id, t.id FROM t ORDER BY id LIMIT 1"), ["1|1"]);
    assert_eq!(rows(&mut root, "SELECT t.id, 1+t.a id FROM t ORDER BY id DESC LIMIT 1"), ["6|7"]);
    assert_eq!(rows(&mut root, "SELECT 1-t.a id, t.id FROM t ORDER BY id LIMIT 1"), ["-5|6"]);
    world.stop();
}

#[test]
fn what_doubles_at_each_level_ends() {
    let (world, mut root) = with_rows();
    let nested = |levels: usize, begin: &str, middle: &str, end: &str| {
        format!("SELECT {}{middle}{}", begin.repeat(levels), end.repeat(levels))
    };
    for sql in [
        nested(60, "TIMESTAMPADD(SECOND, ", "1", ", NOW())"),
        nested(60, "DATE_ADD(NOW(), INTERVAL ", "1", " SECOND)"),
        nested(60, "(", "1", " BETWEEN 0 AND 2)"),
    ] {
        assert_eq!(rows(&mut root, &sql).len(), 1);
    }
    let derived =
        (0..40).fold("(SELECT 1 x) d".to_owned(), |inner, _| format!("(SELECT x + 0 * x x FROM {inner}) d"));
    assert_eq!(rows(&mut root, &format!("SELECT x FROM {derived}")), ["1"]);
    let columns = (0..40).map(|level| format!(", (SELECT c{level}) + (SELECT c{level}) c{}", level + 1));
    let aliases = format!("SELECT 1 c0{}", columns.collect::<String>());
    for sql in [nested(40, "((", "1", ", 1) < (2, 2))"), aliases] {
        assert_eq!(root.query(&sql).unwrap_err().code(), 1235);
    }
    ok(&mut root, "CREATE VIEW v0 AS SELECT id FROM t WHERE id = 1");
    let made = (0..40).find(|level| {
        let sql =
            format!("CREATE VIEW v{} AS SELECT a.id FROM v{level} a JOIN v{level} b USING (id)", level + 1);
        root.query(&sql).is_err()
    });
    let most = made.expect("views that read others twice have an end");
    assert!(most > 5, "{most}");
    assert_eq!(rows(&mut root, &format!("SELECT * FROM v{}", most - 1)), ["1"]);
    world.stop();
}
