//! Subqueries, above all those that look at rows around them.

use engine::catalog::def::{DefaultValue, IndexKind};
use types::collation::Collation;
use types::column::{ColumnType, IntSize, Sign};
use types::value::ValueRef;

use crate::db::{Conn, Db, Spec, int, varchar};
use crate::recorded;

/// The tables that `tests/data/subqueries.tsv` creates.
pub fn tables() -> (Db, Conn) {
    let mut db = Db::new();
    let id = || ("id", int(IntSize::Int), false, DefaultValue::None);
    let nullable = |name, ty| (name, ty, true, DefaultValue::Null);
    let primary = || ("PRIMARY", IndexKind::Primary, vec![0]);
    let bin = ColumnType::varchar("", 10, Collation::Utf8mb4Bin).unwrap();
    let big = ColumnType::int("", IntSize::Big, Sign::Unsigned, None).unwrap();
    let decimal = ColumnType::decimal("", Some(10), Some(2), Sign::Signed).unwrap();
    let t = vec![
        id(),
        nullable("a", int(IntSize::Int)),
        nullable("b", int(IntSize::Int)),
        nullable("s", varchar(10)),
        nullable("d", decimal),
        nullable("dt", ColumnType::Date),
    ];
    let u = vec![
        id(),
        nullable("tid", int(IntSize::Int)),
        nullable("x", int(IntSize::Int)),
        nullable("s", bin),
        ("n", big, false, DefaultValue::None),
    ];
    let e = vec![id(), ("x", int(IntSize::Int), false, DefaultValue::None)];
    let w = vec![id(), nullable("v", int(IntSize::Int)), nullable("s", varchar(10))];
    for (name, columns, more) in [
        ("t", t, Some(("a", IndexKind::Plain, vec![1]))),
        ("u", u, Some(("tid", IndexKind::Plain, vec![1, 2]))),
        ("e", e, None),
        ("w", w, None),
    ] {
        let indexes = std::iter::once(primary()).chain(more).collect();
        db.create(&Spec { name, columns, indexes, auto_increment: None });
    }
    let mut conn = db.connect();
    conn.session.collation_connection = Collation::Utf8mb4GeneralCi;
    recorded::fill(include_str!("../data/subqueries.tsv"), &mut conn);
    (db, conn)
}

#[test]
fn rows_columns_errors_and_changes_are_mysqls() {
    let (_db, mut conn) = tables();
    let known = include_str!("../data/subqueries_differ.tsv");
    recorded::compare(include_str!("../data/subqueries.tsv"), known, &mut conn);
}

/// As many rows again, which belong to no row of `t`.
fn add_rows(conn: &mut Conn, count: i32) {
    for id in 100..100 + count {
        conn.run(&format!("INSERT INTO u VALUES ({id}, {id}, {id}, 'more', {id})"));
    }
}

#[test]
fn an_index_finds_the_rows_that_belong_to_the_outer_one() {
    let (_db, mut conn) = tables();
    add_rows(&mut conn, 2000);
    for query in [
        "SELECT COUNT(*) FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.tid = t.id)",
        "SELECT id, (SELECT SUM(x) FROM u WHERE u.tid = t.id) FROM t",
        "SELECT id FROM t WHERE a IN (SELECT x FROM u WHERE u.tid = t.id)",
        "SELECT id FROM t WHERE a > ALL (SELECT x FROM u WHERE u.id = t.id)",
        "SELECT a, COUNT(*) FROM t GROUP BY a HAVING MAX(id) > (SELECT COUNT(*) FROM u WHERE u.tid = t.a)",
        "SELECT id FROM t WHERE (SELECT MAX(x) FROM u WHERE u.tid = t.id AND EXISTS (SELECT 1 FROM u v WHERE v.id = u.id AND v.tid = t.id)) > 5",
    ] {
        assert!(!conn.rows(query).is_empty(), "{query}");
        assert_eq!(conn.turns, 0, "{query}");
    }
    conn.run("UPDATE w SET v = (SELECT COUNT(*) FROM u WHERE u.tid = w.id) WHERE EXISTS (SELECT 1 FROM u WHERE u.tid = w.id)");
    assert_eq!(conn.turns, 0);
}

#[test]
fn a_subquery_without_an_index_gives_way() {
    let (_db, mut conn) = tables();
    add_rows(&mut conn, 300);
    for query in [
        "SELECT COUNT(*) FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.n + 0 = t.id)",
        "SELECT id, (SELECT MAX(x) FROM u WHERE u.n < t.id) FROM t",
        "SELECT id FROM t WHERE a > ALL (SELECT x FROM u WHERE u.n < t.id)",
        "SELECT id FROM t ORDER BY (SELECT MAX(x) FROM u WHERE u.n < t.id)",
    ] {
        conn.rows(query);
        assert!(conn.turns > 8, "{query}: {}", conn.turns);
    }
    // Alone it is asked once, within another one as well.
    conn.rows(
        "SELECT id FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.tid = t.id AND 0 < (SELECT MAX(n) FROM u))",
    );
    assert!(conn.turns < 4, "{}", conn.turns);
}

#[test]
fn what_a_subquery_keeps_has_a_bound_for_each_row() {
    let (_db, mut conn) = tables();
    add_rows(&mut conn, 50);
    conn.memory_max = 1500;
    let sorted = "SELECT id, (SELECT x FROM u WHERE u.id > t.id ORDER BY x, s LIMIT 1) FROM t";
    assert_eq!(conn.error(sorted).0, 1038);
    let derived = "SELECT id, (SELECT COUNT(*) FROM (SELECT s FROM u WHERE u.id > t.id LIMIT 99) d) FROM t";
    assert_eq!(conn.error(derived).0, 1038);
    // Rows that are compared as they come are not kept.
    assert_eq!(conn.rows("SELECT id FROM t WHERE id > ALL (SELECT -u.id FROM u WHERE u.id > t.id)").len(), 5);
}

#[test]
fn correlated_queries_are_nested_deeply() {
    let (_db, mut conn) = tables();
    let mut query = "SELECT 1 FROM t WHERE t.id = t0.id".to_owned();
    for depth in (0..40).rev() {
        let outer =
            if depth == 0 { String::new() } else { format!(" WHERE t{depth}.id = t{}.id", depth - 1) };
        let and = if depth == 0 { "WHERE" } else { "AND" };
        query = format!("SELECT 1 FROM t t{depth}{outer} {and} EXISTS ({query})");
    }
    assert_eq!(conn.rows(&query).len(), 5);
}

#[test]
fn parameters_and_literals_stand_in_subqueries() {
    let (_db, mut conn) = tables();
    let query = "SELECT id FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.tid = t.id AND u.x > ?) ORDER BY id";
    for (least, found) in [(10, vec!["1", "3", "5"]), (25, vec!["3", "5"]), (30, vec![])] {
        assert_eq!(conn.rows_with(query, &[ValueRef::Int(least)]), found);
    }
}

#[test]
fn a_subquery_locks_what_it_says() {
    let (db, mut conn) = tables();
    conn.autocommit = false;
    let free = |table: &str| {
        let mut other = db.connect();
        other.answer(&format!("SELECT id FROM {table} FOR UPDATE NOWAIT")).is_ok()
    };
    for (query, locked) in [
        ("SELECT id FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.tid = t.id FOR UPDATE)", [false, true]),
        ("SELECT id FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.tid = t.id) FOR UPDATE", [true, false]),
        ("SELECT id FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.tid = t.id)", [false, false]),
    ] {
        assert_eq!(conn.rows(query).len(), 4, "{query}");
        assert_eq!([!free("t"), !free("u")], locked, "{query}");
        conn.commit();
    }
}
