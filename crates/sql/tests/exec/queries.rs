//! SELECT.

use engine::catalog::def::{DefaultValue, IndexKind};
use types::column::IntSize;
use types::value::ValueRef;

use crate::db::{Conn, Db, Spec, int, varchar};

fn sbtest() -> (Db, Conn) {
    let mut db = Db::new();
    db.create(&Spec {
        name: "sbtest1",
        columns: vec![
            ("id", int(IntSize::Int), false, DefaultValue::None),
            ("k", int(IntSize::Int), false, DefaultValue::Stored(vec![0; 4])),
            ("c", varchar(120), false, DefaultValue::Stored(vec![0, 0])),
            ("n", int(IntSize::Int), true, DefaultValue::Null),
        ],
        indexes: vec![
            ("PRIMARY", IndexKind::Primary, vec![0]),
            ("k_1", IndexKind::Plain, vec![1]),
            ("kc", IndexKind::Unique, vec![1, 2]),
            ("n", IndexKind::Plain, vec![3]),
        ],
        auto_increment: Some(0),
    });
    let mut conn = db.connect();
    for id in 1..=20 {
        let (k, n) = (id % 5, if id % 4 == 0 { "NULL".to_owned() } else { (id % 3).to_string() });
        conn.run(&format!("INSERT INTO sbtest1 (k, c, n) VALUES ({k}, 'row {id:02}', {n})"));
    }
    (db, conn)
}

#[test]
fn sysbenchs_queries_give_their_rows() {
    let (_db, mut conn) = sbtest();
    assert_eq!(conn.rows("SELECT c FROM sbtest1 WHERE id=7"), ["row 07"]);
    assert_eq!(conn.rows("SELECT c FROM sbtest1 WHERE id BETWEEN 3 AND 5"), ["row 03", "row 04", "row 05"]);
    assert_eq!(conn.rows("SELECT SUM(k) FROM sbtest1 WHERE id BETWEEN 1 AND 5"), ["10"]);
    assert_eq!(
        conn.rows("SELECT c FROM sbtest1 WHERE id BETWEEN 3 AND 5 ORDER BY c DESC"),
        ["row 05", "row 04", "row 03"]
    );
    assert_eq!(
        conn.rows("SELECT DISTINCT k FROM sbtest1 WHERE id BETWEEN 1 AND 12 ORDER BY k"),
        ["0", "1", "2", "3", "4"]
    );
    assert_eq!(
        conn.rows("SELECT id, k FROM sbtest1 WHERE k IN (2, 4, 2) ORDER BY id LIMIT 3"),
        ["2|2", "4|4", "7|2"]
    );
    assert_eq!(
        conn.rows("SELECT count(k) FROM sbtest1 WHERE k BETWEEN 1 AND 2 OR k BETWEEN 2 AND 3"),
        ["12"]
    );
    let params = [ValueRef::Int(3)];
    assert_eq!(conn.rows_with("SELECT c FROM sbtest1 WHERE id=?", &params), ["row 03"]);
}

#[test]
fn order_and_limits_hold_with_and_without_an_index() {
    let (_db, mut conn) = sbtest();
    assert_eq!(conn.rows("SELECT id FROM sbtest1 ORDER BY id DESC LIMIT 2"), ["20", "19"]);
    assert_eq!(conn.rows("SELECT id FROM sbtest1 ORDER BY id LIMIT 2, 2"), ["3", "4"]);
    assert_eq!(conn.rows("SELECT k, id FROM sbtest1 ORDER BY k, id DESC LIMIT 3"), ["0|20", "0|15", "0|10"]);
    assert_eq!(conn.rows("SELECT id+1 AS x FROM sbtest1 ORDER BY x DESC LIMIT 1"), ["21"]);
    assert_eq!(conn.rows("SELECT id FROM sbtest1 WHERE k = 1 ORDER BY id DESC"), ["16", "11", "6", "1"]);
    assert_eq!(conn.rows("SELECT id FROM sbtest1 LIMIT 0"), [""; 0]);
}

#[test]
fn nulls_are_found_by_is_null_alone() {
    let (_db, mut conn) = sbtest();
    assert_eq!(conn.rows("SELECT id FROM sbtest1 WHERE n IS NULL"), ["4", "8", "12", "16", "20"]);
    assert_eq!(conn.rows("SELECT COUNT(*), COUNT(n) FROM sbtest1"), ["20|15"]);
    assert_eq!(conn.rows("SELECT COUNT(*) FROM sbtest1 WHERE n = NULL"), ["0"]);
    assert_eq!(conn.rows("SELECT COUNT(*) FROM sbtest1 WHERE n < 1"), ["5"]);
    assert_eq!(conn.rows("SELECT COUNT(*) FROM sbtest1 WHERE NOT n < 1"), ["10"]);
    assert_eq!(conn.rows("SELECT COUNT(*) FROM sbtest1 WHERE n <=> NULL"), ["5"]);
}

#[test]
fn groups_and_having() {
    let (_db, mut conn) = sbtest();
    assert_eq!(
        conn.rows("SELECT k, COUNT(*), MAX(id) FROM sbtest1 GROUP BY k HAVING MAX(id) > 17 ORDER BY k"),
        ["0|4|20", "3|4|18", "4|4|19"]
    );
    assert_eq!(conn.rows("SELECT COUNT(*) FROM sbtest1 WHERE id > 100"), ["0"]);
    assert_eq!(conn.rows("SELECT k FROM sbtest1 WHERE id > 100 GROUP BY k"), [""; 0]);
    assert_eq!(conn.error("SELECT id, COUNT(*) FROM sbtest1").0, 1140);
    assert_eq!(conn.error("SELECT c FROM sbtest1 GROUP BY k").0, 1055);
    assert_eq!(conn.error("SELECT COUNT(SUM(k)) FROM sbtest1").0, 1111);
}

#[test]
fn joins_nest_and_left_joins_fill_up() {
    let (_db, mut conn) = sbtest();
    assert_eq!(
        conn.rows(
            "SELECT a.id, b.id FROM sbtest1 a JOIN sbtest1 b ON b.id = a.k WHERE a.id < 4 ORDER BY a.id"
        ),
        ["1|1", "2|2", "3|3"]
    );
    assert_eq!(
        conn.rows("SELECT a.id, b.id FROM sbtest1 a LEFT JOIN sbtest1 b ON b.id = a.k WHERE a.id IN (5, 6) ORDER BY 1"),
        ["5|NULL", "6|1"]
    );
    assert_eq!(
        conn.rows(
            "SELECT a.id FROM sbtest1 a LEFT JOIN sbtest1 b ON b.id = a.k WHERE b.id IS NULL ORDER BY a.id"
        ),
        ["5", "10", "15", "20"]
    );
    assert_eq!(conn.error("SELECT id FROM sbtest1 a, sbtest1 b").0, 1052);
    assert_eq!(conn.error("SELECT 1 FROM sbtest1, sbtest1").0, 1066);
}

#[test]
fn subqueries_that_stand_alone() {
    let (_db, mut conn) = sbtest();
    assert_eq!(conn.rows("SELECT id FROM sbtest1 WHERE id = (SELECT MAX(id) FROM sbtest1)"), ["20"]);
    assert_eq!(
        conn.rows("SELECT COUNT(*) FROM sbtest1 WHERE k IN (SELECT k FROM sbtest1 WHERE id < 3)"),
        ["8"]
    );
    assert_eq!(
        conn.rows("SELECT x.m FROM (SELECT k, MAX(id) AS m FROM sbtest1 GROUP BY k) x ORDER BY x.m LIMIT 1"),
        ["16"]
    );
    assert_eq!(conn.error("SELECT (SELECT id FROM sbtest1)").0, 1242);
    assert_eq!(conn.error("SELECT (SELECT id, k FROM sbtest1)").0, 1241);
}

#[test]
fn exists_asks_for_one_row() {
    let (_db, mut conn) = sbtest();
    for (inner, found) in [
        ("SELECT * FROM sbtest1", "1"),
        ("SELECT id, k FROM sbtest1 WHERE id > 100", "0"),
        ("SELECT COUNT(*) FROM sbtest1 WHERE id > 100", "1"),
        ("SELECT k FROM sbtest1 GROUP BY k HAVING COUNT(*) > 100", "0"),
        ("SELECT id FROM sbtest1 LIMIT 0", "0"),
        ("SELECT id FROM sbtest1 LIMIT 5", "1"),
    ] {
        assert_eq!(conn.rows(&format!("SELECT EXISTS ({inner})")), [found], "{inner}");
    }
    assert_eq!(conn.rows("SELECT COUNT(*) FROM sbtest1 WHERE NOT EXISTS (SELECT 1 FROM sbtest1)"), ["0"]);
}

#[test]
fn subqueries_look_outside() {
    let (_db, mut conn) = sbtest();
    for (inner, found) in [
        ("EXISTS (SELECT 1 FROM sbtest1 b WHERE b.k = a.id)", "4"),
        ("id IN (SELECT id FROM sbtest1 b WHERE b.k = a.k)", "20"),
        (
            "id = (SELECT MAX(id) FROM sbtest1 b WHERE b.k IN (SELECT k FROM sbtest1 c WHERE c.id = a.id))",
            "5",
        ),
    ] {
        let query = format!("SELECT COUNT(*) FROM sbtest1 a WHERE {inner}");
        assert_eq!(conn.rows(&query), [found], "{inner}");
    }
    assert_eq!(conn.error("SELECT id FROM sbtest1 a WHERE id IN (SELECT x FROM sbtest1 b)").0, 1054);
}

#[test]
fn a_limit_is_a_number_or_a_parameter() {
    let (_db, mut conn) = sbtest();
    for (tail, code) in [
        ("LIMIT id", 1327),
        ("LIMIT 1 OFFSET `id`", 1327),
        ("LIMIT sbtest1.id", 1064),
        ("LIMIT @a", 1064),
        ("LIMIT 1 + 1", 1064),
        ("LIMIT (SELECT 1)", 1064),
    ] {
        for statement in ["SELECT id FROM sbtest1", "DELETE FROM sbtest1"] {
            if !(statement.starts_with("DELETE") && tail.contains("OFFSET")) {
                assert_eq!(conn.error(&format!("{statement} {tail}")).0, code, "{statement} {tail}");
            }
        }
    }
    assert_eq!(conn.error("SELECT (SELECT b.id FROM sbtest1 b LIMIT a.id) FROM sbtest1 a").0, 1064);
}

#[test]
fn rows_are_compared_column_by_column() {
    let (_db, mut conn) = sbtest();
    assert_eq!(conn.rows("SELECT id FROM sbtest1 WHERE (id, 1) = (3, 1)"), ["3"]);
    assert_eq!(
        conn.rows("SELECT id FROM sbtest1 WHERE (id, k) IN ((3, 99), (4, k), (5, k)) ORDER BY id"),
        ["4", "5"]
    );
    assert_eq!(conn.rows("SELECT COUNT(*) FROM sbtest1 WHERE (id, 1) <> (3, 1)"), ["19"]);
    assert_eq!(conn.error("SELECT id FROM sbtest1 WHERE (id, k) = (1, 2, 3)").0, 1241);
    assert_eq!(conn.rows("SELECT id FROM sbtest1 WHERE (id, k) < (2, 2) ORDER BY id"), ["1"]);
    assert_eq!(conn.rows("SELECT id FROM sbtest1 WHERE (id, k) <= (2, 2) ORDER BY id"), ["1", "2"]);
}

#[test]
fn columns_are_called_as_mysql_calls_them() {
    let (_db, mut conn) = sbtest();
    assert_eq!(
        conn.columns("SELECT id, k AS x, 1+1, 'a b', count(*) FROM sbtest1 GROUP BY id"),
        ["id", "x", "1+1", "a b", "count(*)"]
    );
    assert_eq!(conn.columns("SELECT * FROM sbtest1"), ["id", "k", "c", "n"]);
    assert_eq!(conn.columns("select sbtest1.id from sbtest1"), ["id"]);
}

#[test]
fn unknown_names_are_named() {
    let (_db, mut conn) = sbtest();
    assert_eq!(conn.error("SELECT x FROM sbtest1"), (1054, "Unknown column 'x' in 'field list'".into()));
    assert_eq!(
        conn.error("SELECT id FROM sbtest1 WHERE y=1"),
        (1054, "Unknown column 'y' in 'where clause'".into())
    );
    assert_eq!(
        conn.error("SELECT id FROM sbtest1 ORDER BY z"),
        (1054, "Unknown column 'z' in 'order clause'".into())
    );
    assert_eq!(conn.error("SELECT id FROM t2"), (1146, "Table 'test.t2' doesn't exist".into()));
    assert_eq!(conn.error("SELECT id FROM nodb.t2"), (1049, "Unknown database 'nodb'".into()));
}

#[test]
fn a_query_that_finds_nothing_gives_way() {
    let (_db, mut conn) = sbtest();
    // 8,000 combinations.
    let from = "FROM sbtest1 a, sbtest1 b, sbtest1 c WHERE a.k + b.k + c.k < 0";
    assert_eq!(conn.rows(&format!("SELECT COUNT(*) {from}")), ["0"]);
    assert!(conn.turns > 10, "{}", conn.turns);
    assert!(conn.rows(&format!("SELECT a.id {from}")).is_empty());
    assert!(conn.turns > 10, "{}", conn.turns);
    assert_eq!(conn.rows("SELECT c FROM sbtest1 WHERE id = 7"), ["row 07"]);
    assert_eq!(conn.turns, 0);
}

#[test]
fn the_ends_of_an_index_are_found_without_reading_it() {
    let (_db, mut conn) = sbtest();
    for n in (21..=2000).step_by(20) {
        let rows: Vec<String> =
            (n..n + 20).map(|id| format!("({id}, {}, 'x{id}', NULL)", id % 100)).collect();
        conn.run(&format!("INSERT INTO sbtest1 (id, k, c, n) VALUES {}", rows.join(", ")));
    }
    for (query, found, reads_all) in [
        ("SELECT MIN(id) FROM sbtest1", "1", false),
        ("SELECT MAX(id) FROM sbtest1", "2000", false),
        ("SELECT MAX(id) + 1, 2 * MAX(id) FROM sbtest1 HAVING MAX(id) > 1", "2001|4000", false),
        ("SELECT MAX(k) FROM sbtest1", "99", false),
        ("SELECT MAX(id) FROM sbtest1 WHERE id < 1500", "1499", false),
        ("SELECT MIN(id) FROM sbtest1 WHERE k = 98", "98", false),
        ("SELECT MAX(id) FROM sbtest1 WHERE id > 5000", "NULL", false),
        ("SELECT MAX(n) FROM sbtest1", "2", false),
        ("SELECT MIN(n) FROM sbtest1", "0", true),
        ("SELECT MAX(c) FROM sbtest1", "x999", true),
        ("SELECT MIN(id), MAX(id) FROM sbtest1", "1|2000", true),
    ] {
        assert_eq!(conn.rows(query), [found], "{query}");
        assert_eq!(conn.turns > 0, reads_all, "{query}: {}", conn.turns);
    }
}

#[test]
fn what_a_query_keeps_has_a_bound() {
    let (_db, mut conn) = sbtest();
    let queries = [
        "SELECT c FROM sbtest1 ORDER BY c",
        "SELECT c, COUNT(*) FROM sbtest1 GROUP BY c",
        "SELECT COUNT(DISTINCT c) FROM sbtest1",
        "SELECT COUNT(DISTINCT c, id) FROM sbtest1",
        "SELECT GROUP_CONCAT(c ORDER BY id) FROM sbtest1",
        "SELECT GROUP_CONCAT(DISTINCT c) FROM sbtest1",
        "SELECT JSON_ARRAYAGG(c) FROM sbtest1",
        "SELECT JSON_OBJECTAGG(c, JSON_ARRAY(id, c)) FROM sbtest1",
        "SELECT COUNT(*) FROM (SELECT c FROM sbtest1 LIMIT 50) d",
        "WITH d AS (SELECT c FROM sbtest1) SELECT COUNT(*) FROM d",
        "SELECT 1 IN (SELECT c FROM sbtest1)",
        "SELECT MAX(REPEAT(c, 20 * id)) FROM sbtest1",
        "SELECT ANY_VALUE(REPEAT(c, 100)) FROM sbtest1",
    ];
    for query in queries {
        conn.memory_max = 700;
        assert_eq!(conn.error(query).0, 1038, "{query}");
        conn.memory_max = 30_000;
        assert!(!conn.rows(query).is_empty(), "{query}");
    }
    // What is not kept takes no room: rows that are sent, and what GROUP_CONCAT cuts.
    conn.memory_max = 700;
    assert_eq!(conn.rows("SELECT c FROM sbtest1").len(), 20);
    conn.session.group_concat_max_len = 8;
    assert_eq!(conn.rows("SELECT GROUP_CONCAT(c) FROM sbtest1"), ["row 01,r"]);
}

#[test]
fn results_of_functions_have_bounds_that_are_looked_at_before_they_are_made() {
    let (_db, mut conn) = sbtest();
    conn.session.max_allowed_packet = 1000;
    let (text, numbers) = ("REPEAT('a', 600)", "CONCAT('[1', REPEAT(',1', 99), ']')");
    let document = format!("JSON_QUOTE({text})");
    for (name, call) in [
        ("concat_ws", "CONCAT_WS(REPEAT('a', 600), '', '', '')".to_owned()),
        ("hex", format!("HEX({text})")),
        ("quote", r"QUOTE(REPEAT('\'', 600))".to_owned()),
        ("json_quote", "JSON_QUOTE(REPEAT('\"', 600))".to_owned()),
        ("make_set", format!("MAKE_SET(3, {text}, {text})")),
        ("cast_as_binary", "CAST('a' AS BINARY(1001))".to_owned()),
        ("cast_as_binary", "CAST('a' AS BINARY(4294967295))".to_owned()),
        ("cast_as_char", "CAST('a' AS CHAR(1001))".to_owned()),
        ("convert", "CONVERT(REPEAT(_latin1 x'FF', 600) USING utf8mb4)".to_owned()),
        ("json_array", format!("JSON_ARRAY(CAST({numbers} AS JSON), CAST({numbers} AS JSON))")),
        ("json_extract", format!("JSON_EXTRACT({document}, '$', '$')")),
        ("json_set", format!("JSON_SET('{{}}', '$.a', {text}, '$.b', {text})")),
        ("json_array_append", format!("JSON_ARRAY_APPEND('[]', '$', {text}, '$', {text})")),
        ("json_merge_preserve", format!("JSON_MERGE_PRESERVE({document}, {document})")),
        ("json_merge_patch", format!("JSON_MERGE_PATCH(JSON_OBJECT('a', {text}), JSON_OBJECT('b', {text}))")),
        (
            "json_search",
            r#"JSON_SEARCH(CONCAT('{"', REPEAT('k', 600), '": ["a", "a"]}'), 'all', 'a')"#.to_owned(),
        ),
        ("json_pretty", "JSON_PRETTY(CONCAT(REPEAT('[', 50), REPEAT(']', 50)))".to_owned()),
    ] {
        assert_eq!(conn.rows(&format!("SELECT {call}")), ["NULL"], "{call}");
        let warnings: Vec<_> = conn.warnings.entries().iter().map(|one| (one.code, &*one.message)).collect();
        let expected = format!("Result of {name}() was larger than max_allowed_packet (1000) - truncated");
        assert_eq!(warnings, [(1301, &*expected)], "{call}");
    }
    // What takes the place of something adds nothing.
    let set = format!("SELECT LENGTH(JSON_SET('{{}}', '$.a', {text}, '$.a', {text}))");
    assert_eq!(conn.rows(&set), ["609"]);
    for call in ["CONCAT_WS('-', REPEAT('a', 600), REPEAT('b', 399))", "HEX(REPEAT('a', 500))"] {
        assert_eq!(conn.rows(&format!("SELECT LENGTH({call})")), ["1000"], "{call}");
    }
    conn.session.group_concat_max_len = usize::MAX;
    let separated =
        "SELECT LENGTH(GROUP_CONCAT('' SEPARATOR 'a long separator of 47 bytes, which count as well'))";
    assert_eq!(conn.rows(&format!("{separated} FROM sbtest1 a, sbtest1 b")), ["1000"]);
    assert_eq!(conn.warnings.entries()[0].code, 1260);
}

#[test]
fn nullif_computes_its_first_argument_once_however_deep_it_lies() {
    let (_db, mut conn) = sbtest();
    let nested = (0..60).fold("7".to_owned(), |inner, _| format!("NULLIF({inner}, 0)"));
    assert_eq!(conn.rows(&format!("SELECT {nested}")), ["7"]);
    assert_eq!(conn.rows("SELECT NULLIF(@a := 1 + COALESCE(@a, 0), 0), @a"), ["1|1"]);
    assert_eq!(conn.rows("SELECT NULLIF(AVG(id), 0), NULLIF(AVG(id), 10.5) FROM sbtest1"), ["10.5000|NULL"]);
}

#[test]
fn texts_are_looked_for_in_time_that_grows_with_their_sizes() {
    let (_db, mut conn) = sbtest();
    let locate = "LOCATE(CONCAT(REPEAT('a', 1000000), 'b'), CONCAT(REPEAT('A', 3000000), '\u{e9}B'))";
    assert_eq!(conn.rows(&format!("SELECT {locate}")), ["0"]);
    assert_eq!(conn.rows("SELECT INSTR(CONCAT(REPEAT('A', 3000000), 'xyB'), 'AXYb')"), ["3000000"]);
    assert_eq!(
        conn.rows(
            "SELECT INSTR(CONVERT(UNHEX('41000000') USING utf8mb4), CONVERT(UNHEX('0000') USING utf8mb4))"
        ),
        ["2"]
    );
}

#[test]
fn months_beyond_all_numbers_are_the_last() {
    let (_db, mut conn) = sbtest();
    assert_eq!(conn.rows("SELECT PERIOD_ADD(202001, 9223372036854775807)"), ["9223372036854775807"]);
}
