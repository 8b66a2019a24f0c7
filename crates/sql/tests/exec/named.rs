//! WITH.

use types::value::ValueRef;

use crate::db::plan;
use crate::unions::tables;

#[test]
fn named_queries_are_of_no_database() {
    let (_db, mut conn) = tables();
    conn.session.db = None;
    assert_eq!(conn.rows("WITH c AS (SELECT 1 AS n) SELECT c.n FROM c JOIN c AS d"), ["1"]);
    assert_eq!(conn.error("WITH c AS (SELECT 1 AS n) SELECT * FROM c JOIN a").0, 1046);
}

#[test]
fn named_queries_stand_for_tables() {
    let (_db, mut conn) = tables();
    for (query, rows) in [
        ("WITH c AS (SELECT id FROM a) SELECT * FROM c ORDER BY id DESC", &["3", "2", "1"][..]),
        (
            "WITH c AS (SELECT id, v FROM a WHERE id > 1), d AS (SELECT * FROM c UNION SELECT 9, 'x') \
             SELECT d.v, c.id FROM d LEFT JOIN c ON c.id = d.id",
            &["two|2", "Two|3", "x|NULL"],
        ),
        (
            "WITH c(x, y) AS (SELECT id, m FROM b) SELECT y, x + 1 FROM c WHERE x IN (SELECT id FROM a)",
            &["1|2", "2|3"],
        ),
        (
            "WITH c AS (SELECT 1 AS z) SELECT (SELECT z FROM c), EXISTS (SELECT * FROM c) UNION SELECT 2, 3",
            &["1|1", "2|3"],
        ),
        (
            "SELECT * FROM (WITH c AS (SELECT id FROM b) SELECT * FROM c UNION ALL SELECT * FROM c) d",
            &["1", "2", "5", "1", "2", "5"],
        ),
        ("SELECT id FROM a WHERE id IN (WITH c AS (SELECT id FROM b) SELECT id FROM c)", &["1", "2"]),
        ("WITH a AS (SELECT 77 AS id) SELECT * FROM a", &["77"]),
        ("WITH a AS (SELECT 77 AS id) SELECT id FROM test.a WHERE a.id = 1", &["1"]),
        (
            "WITH c AS (SELECT id FROM a) (SELECT * FROM c) UNION (WITH c AS (SELECT 5) SELECT * FROM c) ORDER BY 1",
            &["1", "2", "3", "5"],
        ),
        ("SELECT x.p FROM (SELECT id, v FROM a) AS x (p, q) WHERE p = 2", &["2"]),
    ] {
        assert_eq!(conn.rows(query), rows, "{query}");
    }
    assert_eq!(conn.columns("WITH c AS (SELECT 1 + 1) SELECT * FROM c"), ["1 + 1"]);
}

#[test]
fn the_rows_of_a_named_query_are_made_once() {
    let (_db, mut conn) = tables();
    let query = "WITH c AS (SELECT @n := IFNULL(@n, 0) + 1 AS r) \
                 SELECT COUNT(*) FROM (SELECT r FROM c UNION SELECT r FROM c) x";
    assert_eq!(conn.rows(query), ["1"]);
    assert_eq!(conn.rows("SELECT @n"), ["1"]);
    // Each stands for two of the one before: nothing takes them one by one.
    let doubled = (1..60).fold("WITH c0 AS (SELECT 1 AS n)".to_owned(), |text, place| {
        format!("{text}, c{place} AS (SELECT x.n FROM c{0} x, c{0} y)", place - 1)
    });
    let doubled = format!("{doubled} SELECT * FROM c59");
    assert_eq!(conn.rows(&doubled), ["1"]);
    assert!(plan(&doubled, &conn).unwrap().0.tables().is_empty());
}

#[test]
fn named_queries_are_nested_as_deep_as_others() {
    let (_db, mut conn) = tables();
    let chain = |count: usize, around: usize| {
        let first = "WITH c0 AS (SELECT 1 AS n)".to_owned();
        let text = (1..count)
            .fold(first, |text, place| format!("{text}, c{place} AS (SELECT n FROM c{})", place - 1));
        let (begin, end) = ("n FROM (SELECT ".repeat(around), ") d".repeat(around));
        format!("{text} SELECT {begin}n FROM c{}{end}", count - 1)
    };
    for (deepest, around) in [(100, 0), (70, 60)] {
        assert_eq!(conn.rows(&chain(deepest, around)), ["1"]);
        assert_eq!(conn.error(&chain(deepest + 1, around)).0, 1235);
    }
}

#[test]
fn parameters_and_inserts_know_named_queries() {
    let (_db, mut conn) = tables();
    let query = "WITH c AS (SELECT ? AS p, id FROM a WHERE id > ?) SELECT p, id FROM c LIMIT ?";
    let params = [ValueRef::Int(7), ValueRef::Int(1), ValueRef::Int(1)];
    assert_eq!(conn.rows_with(query, &params), ["7|2"]);
    assert_eq!(conn.run("INSERT INTO b (id, w, m) WITH c AS (SELECT 8, 'x', 1) SELECT * FROM c").affected, 1);
}

#[test]
fn errors_are_mysqls() {
    let (_db, mut conn) = tables();
    for (query, code) in [
        ("WITH c(x) AS (SELECT id, m FROM b) SELECT * FROM c", 1353),
        ("SELECT x.p FROM (SELECT id, v FROM a) AS x (p)", 1353),
        ("WITH c AS (SELECT 1), c AS (SELECT 2) SELECT * FROM c", 1066),
        ("WITH c AS (SELECT 1) SELECT * FROM d", 1146),
        ("WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r) SELECT * FROM r", 3636),
    ] {
        assert_eq!(conn.error(query).0, code, "{query}");
    }
}
