//! JSON in statements.

use engine::catalog::def::{DefaultValue, IndexKind};
use types::collation::Collation;
use types::column::{ColumnType, IntSize};
use types::value::ValueRef;

use crate::db::{Conn, Db, Spec, int};

fn documents() -> (Db, Conn) {
    let mut db = Db::new();
    db.create(&Spec {
        name: "t",
        columns: vec![
            ("id", int(IntSize::Int), false, DefaultValue::None),
            ("j", ColumnType::Json, true, DefaultValue::Null),
        ],
        indexes: vec![("PRIMARY", IndexKind::Primary, vec![0])],
        auto_increment: None,
    });
    let mut conn = db.connect();
    conn.run(r#"INSERT INTO t VALUES (1, '{"a": "x", "n": 10}'), (2, '{"a": "y", "n": 9, "l": [1]}')"#);
    conn.run("INSERT INTO t VALUES (3, JSON_OBJECT('a', 'x', 'n', 7.5, 'b', TRUE)), (4, NULL)");
    conn.run("INSERT INTO t VALUES (5, JSON_ARRAY(1, TRUE, NULL, 'x'))");
    (db, conn)
}

#[test]
fn rows_are_found_ordered_and_grouped_by_what_is_in_documents() {
    let (_db, mut conn) = documents();
    assert_eq!(conn.rows("SELECT id FROM t WHERE j->'$.a' = 'x' ORDER BY id"), ["1", "3"]);
    assert_eq!(conn.rows("SELECT id FROM t WHERE j->>'$.a' = 'x' AND j->'$.n' > 8"), ["1"]);
    assert_eq!(conn.rows("SELECT id FROM t WHERE j->'$.b' = TRUE"), ["3"]);
    assert_eq!(conn.rows("SELECT id FROM t WHERE JSON_EXTRACT(j, '$.a') IS NULL ORDER BY id"), ["4", "5"]);
    assert_eq!(conn.rows("SELECT id FROM t ORDER BY j->'$.n' DESC, id"), ["1", "2", "3", "4", "5"]);
    assert_eq!(
        conn.rows("SELECT j->>'$.a', COUNT(*), SUM(j->'$.n') FROM t GROUP BY j->>'$.a' ORDER BY 1"),
        ["NULL|2|NULL", "x|2|17.5", "y|1|9"]
    );
    assert_eq!(conn.rows("SELECT id FROM t WHERE 1 MEMBER OF(j->'$.l')"), ["2"]);
    assert_eq!(conn.rows("SELECT id FROM t WHERE JSON_CONTAINS(j, 'true')"), ["5"]);
    assert_eq!(conn.rows("SELECT DISTINCT JSON_TYPE(j) FROM t ORDER BY 1"), ["NULL", "ARRAY", "OBJECT"]);
    assert_eq!(
        conn.rows("SELECT a.id, b.id FROM t a JOIN t b ON a.j->'$.a' = b.j->'$.a' AND a.id < b.id"),
        ["1|3"]
    );
    assert_eq!(conn.rows("SELECT id FROM t WHERE id = JSON_EXTRACT('[2]', '$[0]')"), ["2"]);
    assert!(conn.rows("SELECT id FROM t WHERE id = JSON_EXTRACT('[\"2\"]', '$[0]')").is_empty());
    assert_eq!(conn.rows("SELECT a.id FROM t a JOIN t b ON a.id = b.j->'$.l[0]'"), ["1"]);
    assert_eq!(conn.columns("SELECT j->'$.a', j->>'$.a' AS a FROM t"), ["j->'$.a'", "a"]);
}

#[test]
fn aggregates_make_documents_of_groups() {
    let (_db, mut conn) = documents();
    assert_eq!(
        conn.rows(
            "SELECT j->>'$.a', JSON_ARRAYAGG(id), JSON_OBJECTAGG(id, j->'$.n') FROM t GROUP BY 1 ORDER BY 1"
        ),
        [r#"NULL|[4, 5]|{"4": null, "5": null}"#, r#"x|[1, 3]|{"1": 10, "3": 7.5}"#, r#"y|[2]|{"2": 9}"#]
    );
    assert_eq!(
        conn.rows("SELECT JSON_ARRAYAGG(id), JSON_OBJECTAGG(id, 1) FROM t WHERE id > 9"),
        ["NULL|NULL"]
    );
    assert_eq!(conn.error("SELECT JSON_OBJECTAGG(j->>'$.a', 1) FROM t").0, 3158);
    assert_eq!(conn.error("SELECT JSON_ARRAYAGG(DISTINCT id) FROM t").0, 1235);
}

#[test]
fn documents_are_changed_in_place_by_literals_and_parameters() {
    let (_db, mut conn) = documents();
    conn.run("UPDATE t SET j = JSON_SET(j, '$.n', 1, '$.c', JSON_ARRAY(id, FALSE)) WHERE j->'$.a' = 'x'");
    assert_eq!(
        conn.rows("SELECT j FROM t WHERE id IN (1, 3) ORDER BY id"),
        [r#"{"a": "x", "c": [1, false], "n": 1}"#, r#"{"a": "x", "b": true, "c": [3, false], "n": 1}"#]
    );
    conn.run("UPDATE t SET j = JSON_REMOVE(JSON_ARRAY_APPEND(j, '$', 'z'), '$[0]') WHERE id = 5");
    assert_eq!(conn.rows("SELECT j FROM t WHERE id = 5"), [r#"[true, null, "x", "z"]"#]);
    assert_eq!(conn.run("DELETE FROM t WHERE j->>'$.a' = 'y'").affected, 1);
    let text = |text: &'static str| ValueRef::Str(text.as_bytes(), Collation::Utf8mb4GeneralCi);
    conn.run_with("INSERT INTO t VALUES (?, JSON_OBJECT(?, ?))", &[ValueRef::Int(6), text("k"), text("v")]);
    conn.run_with("UPDATE t SET j = JSON_SET(j, ?, ?) WHERE id = 6", &[text("$.i"), ValueRef::Int(5)]);
    let params = [text("$.k"), text("$.i"), ValueRef::Int(5)];
    assert_eq!(
        conn.rows_with("SELECT JSON_EXTRACT(j, ?), j FROM t WHERE JSON_EXTRACT(j, ?) = ?", &params),
        [r#""v"|{"i": 5, "k": "v"}"#]
    );
    conn.run(
        "INSERT INTO t VALUES (6, NULL) ON DUPLICATE KEY UPDATE j = JSON_MERGE_PATCH(j, '{\"i\": null}')",
    );
    assert_eq!(conn.rows("SELECT j FROM t WHERE id = 6"), [r#"{"k": "v"}"#]);
    assert_eq!(conn.error("UPDATE t SET j = JSON_SET(j, '$.*', 1)").0, 3149);
    assert_eq!(conn.error("UPDATE t SET j = JSON_SET('{', '$', 1)").0, 3141);
}

#[test]
fn the_old_name_of_merging_warns_once_a_statement() {
    let (_db, mut conn) = documents();
    assert_eq!(
        conn.rows("SELECT JSON_MERGE(j, '[9]') FROM t WHERE id > 3"),
        ["NULL", r#"[1, true, null, "x", 9]"#]
    );
    let warnings: Vec<_> = conn.warnings.entries().iter().map(|warning| &*warning.message).collect();
    assert_eq!(
        warnings,
        ["'JSON_MERGE' is deprecated and will be removed in a future release. Please use \
          JSON_MERGE_PRESERVE/JSON_MERGE_PATCH instead"]
    );
}

#[test]
fn what_has_a_grammar_of_its_own_is_refused() {
    let (_db, mut conn) = documents();
    assert_eq!(conn.error("SELECT JSON_VALUE(j, '$.a' RETURNING SIGNED) FROM t").0, 1235);
    assert_eq!(conn.error("SELECT '{}'->'$.a' FROM t").0, 1235);
    assert_eq!(conn.error("SELECT JSON_SCHEMA_VALID('{}', j) FROM t").0, 1235);
}
