//! Joins: which rows are missing, and what the columns are called together.

use engine::catalog::def::{DefaultValue, IndexKind};
use types::column::IntSize;

use crate::db::{Conn, Db, Spec, int};
use crate::recorded;

/// The tables that `tests/data/joins.tsv` creates.
fn tables() -> (Db, Conn) {
    let mut db = Db::new();
    let given = |name| (name, int(IntSize::Int), false, DefaultValue::None);
    let nullable = |name| (name, int(IntSize::Int), true, DefaultValue::Null);
    let primary = |column| ("PRIMARY", IndexKind::Primary, vec![column]);
    for (name, columns, index) in [
        ("a", vec![given("id"), nullable("x"), nullable("y")], primary(0)),
        ("b", vec![nullable("y"), given("id"), nullable("z")], ("y", IndexKind::Plain, vec![0])),
        ("c", vec![given("z"), nullable("w"), given("id")], primary(2)),
        ("d", vec![given("k"), nullable("Y")], primary(0)),
    ] {
        db.create(&Spec { name, columns, indexes: vec![index], auto_increment: None });
    }
    let mut conn = db.connect();
    recorded::fill(include_str!("../data/joins.tsv"), &mut conn);
    (db, conn)
}

#[test]
fn rows_columns_and_errors_are_mysqls() {
    let (_db, mut conn) = tables();
    let known = include_str!("../data/joins_differ.tsv");
    recorded::compare(include_str!("../data/joins.tsv"), known, &mut conn);
}

#[test]
fn a_row_that_is_missing_is_looked_for_by_an_index() {
    let (_db, mut conn) = tables();
    for id in 100..1500 {
        conn.run(&format!("INSERT INTO a VALUES ({id}, {id}, {id})"));
    }
    for query in [
        "SELECT b.id, a.id FROM a RIGHT JOIN b ON a.id = b.id",
        "SELECT d.k, a.id FROM d LEFT JOIN (a JOIN c ON c.id = a.id) ON a.id = d.k",
        "SELECT id, x FROM a NATURAL RIGHT JOIN c",
    ] {
        assert!(!conn.rows(query).is_empty(), "{query}");
        assert_eq!(conn.turns, 0, "{query}");
    }
}
