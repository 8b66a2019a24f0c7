//! Derived tables that become a part of the query around them: the rows are those of a derived table that stays apart (one with
//! LIMIT does), and indexes find them.

use std::fmt::Write;

use engine::catalog::def::{DefaultValue, IndexKind};
use types::column::IntSize;
use vfs::sim::Rng;

use crate::db::{Conn, Db, Spec, int};

/// No derived table with a limit is merged.
const APART: &str = " LIMIT 18446744073709551615";

/// `a`, `b` and `c`, with an index each.
pub fn tables() -> (Db, Conn) {
    let mut db = Db::new();
    for (name, index) in [("a", 1), ("b", 2), ("c", 3)] {
        let nullable = |name| (name, int(IntSize::Int), true, DefaultValue::Null);
        db.create(&Spec {
            name,
            columns: vec![
                ("id", int(IntSize::Int), false, DefaultValue::None),
                nullable("x"),
                nullable("y"),
                nullable("z"),
            ],
            indexes: vec![("PRIMARY", IndexKind::Primary, vec![0]), ("i", IndexKind::Plain, vec![index])],
            auto_increment: None,
        });
    }
    let conn = db.connect();
    (db, conn)
}

#[test]
fn indexes_find_the_rows_of_derived_tables() {
    let (_db, mut conn) = tables();
    for id in 0..3000 {
        conn.run(&format!("INSERT INTO a VALUES ({id}, {}, {id}, 0)", id % 1000));
    }
    conn.run("INSERT INTO b VALUES (1, 5, 5, 5), (2, 7, 7, 7)");
    for (query, count) in [
        ("SELECT * FROM (SELECT * FROM a) d WHERE id = 5", 1),
        ("SELECT d.p FROM (SELECT id AS p, x AS q FROM a WHERE y > 5) AS d WHERE d.q = 7", 3),
        ("SELECT * FROM b JOIN (SELECT id, y + 1 AS n FROM a) d ON d.id = b.x WHERE n < 100", 2),
        ("SELECT * FROM b LEFT JOIN (SELECT id, y FROM a WHERE z = 1) d ON d.id = b.x", 2),
        ("SELECT * FROM (SELECT id FROM (SELECT id, x FROM a) e WHERE x = 7) d, b WHERE d.id < 1500", 4),
        ("SELECT * FROM (SELECT id FROM a ORDER BY id) d WHERE id IN (1, 2)", 2),
        ("SELECT MAX(p) FROM (SELECT id AS p FROM a) d", 1),
    ] {
        assert_eq!(conn.rows(query).len(), count, "{query}");
        assert!(conn.turns < 3, "{query}: {} turns", conn.turns);
        let apart =
            query.replacen(") d", &format!("{APART}) d"), 1).replacen(") AS d", &format!("{APART}) AS d"), 1);
        assert_eq!(conn.rows(&apart).len(), count, "{apart}");
        // The innermost one is merged still.
        assert!(conn.turns > 20 || query.contains(") e"), "{apart}: {} turns", conn.turns);
    }
}

#[test]
fn an_order_is_kept_where_it_shows() {
    let (_db, mut conn) = tables();
    conn.run("INSERT INTO a VALUES (1, 3, 1, 1), (2, 1, 1, 2), (3, 2, 2, 3)");
    conn.run("INSERT INTO b VALUES (1, 1, 1, 1)");
    for (query, rows) in [
        ("SELECT id FROM (SELECT id, x FROM a ORDER BY x) d", "2 3 1"),
        ("SELECT id FROM (SELECT id, x AS n FROM a ORDER BY n DESC) d WHERE id < 3", "1 2"),
        ("SELECT id FROM (SELECT id, x FROM a ORDER BY x) d ORDER BY id", "1 2 3"),
        ("SELECT id FROM (SELECT id, x FROM a ORDER BY x) d LIMIT 1", "2"),
        ("SELECT GROUP_CONCAT(id) FROM (SELECT id FROM a ORDER BY x) d", "2,3,1"),
        ("SELECT d.id FROM (SELECT id FROM a ORDER BY x) d JOIN b", "2 3 1"),
        ("SELECT id FROM (SELECT id FROM (SELECT * FROM a) e ORDER BY -id) d", "3 2 1"),
        ("SELECT @n := id FROM (SELECT id FROM a ORDER BY x) d WHERE (@n := 0) = 0", "2 3 1"),
    ] {
        assert_eq!(conn.rows(query).join(" "), rows, "{query}");
    }
}

#[test]
fn a_table_that_is_changed_is_read_before_by_a_derived_table() {
    let (_db, mut conn) = tables();
    conn.run("INSERT INTO a VALUES (1, 3, 1, 1), (2, 1, 1, 2)");
    conn.run("UPDATE a SET x = 9 WHERE id IN (SELECT id FROM (SELECT id FROM a WHERE x = 3) d)");
    conn.run("DELETE FROM a WHERE x < (SELECT MAX(x) FROM (SELECT x FROM a) d)");
    conn.run("INSERT INTO a VALUES ((SELECT MAX(id) + 5 FROM (SELECT id FROM a) d), 1, 1, 1)");
    conn.run("INSERT INTO a SELECT id + 10, d.x, 0, 0 FROM (SELECT * FROM a) d");
    conn.run(
        "INSERT INTO a SELECT id, d.x, 0, 0 FROM (SELECT * FROM a) d ON DUPLICATE KEY UPDATE z = d.x + 100",
    );
    assert_eq!(conn.rows("SELECT id, z FROM a ORDER BY id"), ["1|109", "6|101", "11|109", "16|101"]);
}

#[test]
fn a_column_of_a_row_that_may_be_missing_may_be_null() {
    let (_db, mut conn) = tables();
    for (from, nullable) in [
        ("(SELECT id FROM a) d", false),
        ("b LEFT JOIN (SELECT id FROM a) d ON d.id = b.id", true),
        ("(SELECT id FROM a) d LEFT JOIN b ON d.id = b.id", false),
        ("b LEFT JOIN (SELECT e.id FROM (SELECT id FROM a) e JOIN c) d ON d.id = b.id", true),
    ] {
        let (_, columns, _) = conn.answer(&format!("SELECT d.id FROM {from}")).unwrap();
        assert_eq!(columns[0].ty.nullable, nullable, "{from}");
    }
}

/// A random query that reads a table, or several, and gives `id`, `x` and `y`.
fn derived(rng: &mut Rng, depth: usize) -> String {
    let from = if depth > 0 && rng.chance(1, 2) {
        format!("({}) t", derived(rng, depth - 1))
    } else {
        format!("{} t", ["a", "b", "c"][rng.index(3)])
    };
    let item = |rng: &mut Rng| {
        ["t.x", "t.y", "t.x", "t.y", "t.id", "t.x + t.y", "IFNULL(t.x, 3)", "-t.id", "5", "NULL"]
            [rng.index(10)]
    };
    let (x, y) = if rng.chance(2, 3) { ("t.x", "t.y") } else { (item(rng), item(rng)) };
    let mut text = match rng.below(4) {
        0 => format!("SELECT t.id, {x} AS x, u.y AS y FROM {from} LEFT JOIN b u ON u.x = t.y AND u.id > 2"),
        1 => format!("SELECT t.id, {x} AS x, u.x AS y FROM {from} JOIN c u ON u.id = t.x"),
        _ => format!("SELECT t.id, {x} AS x, {y} AS y FROM {from}"),
    };
    if rng.chance(1, 2) {
        let condition = ["t.x > 3", "t.y IS NULL", "t.id IN (1, 2, 5, 6)", "t.x = t.y", "IFNULL(t.y, 0) < 6"];
        write!(text, " WHERE {}", condition[rng.index(5)]).unwrap();
    }
    text
}

#[test]
fn rows_of_random_queries_are_those_of_derived_tables_apart() {
    let (_db, mut conn) = tables();
    let mut rng = Rng::new(7);
    for name in ["a", "b", "c"] {
        for id in 0..9 {
            let mut value = || if rng.chance(1, 5) { "NULL".to_owned() } else { rng.below(9).to_string() };
            conn.run(&format!("INSERT INTO {name} VALUES ({id}, {}, {}, {})", value(), value(), value()));
        }
    }
    for round in 0..2500 {
        let (one, other) = (derived(&mut rng, 2), derived(&mut rng, 1));
        let column = |rng: &mut Rng, name: &str| format!("{name}.{}", ["id", "x", "y"][rng.index(3)]);
        let join = match rng.below(5) {
            0 => String::new(),
            kind => {
                let kind =
                    ["JOIN", "LEFT JOIN", "RIGHT JOIN", "LEFT JOIN"][usize::try_from(kind).unwrap() - 1];
                let (left, right) = (column(&mut rng, "d"), column(&mut rng, "e"));
                format!(" {kind} (OTHER) e ON {left} = {right} AND {} > 1", column(&mut rng, "e"))
            }
        };
        let last = if join.is_empty() { "d" } else { "e" };
        let mut filter = || {
            let (d, e) = (column(&mut rng, "d"), column(&mut rng, last));
            match rng.below(7) {
                0 => format!("{d} = {}", rng.below(9)),
                1 => format!("{e} IS NULL"),
                2 => format!("{e} IN (SELECT b.x FROM b WHERE b.y <= {d})"),
                3 => format!("EXISTS (SELECT 1 FROM (SELECT id AS i FROM c) n WHERE n.i = {e})"),
                4 => format!("({d} < 5 OR {e} > 3)"),
                5 => format!("{d} <=> {e}"),
                _ => "1".to_owned(),
            }
        };
        let filter = format!("{} AND {}", filter(), filter());
        let (c1, c2) = (column(&mut rng, "d"), column(&mut rng, last));
        let shown = [
            "*".to_owned(),
            format!("{c1}, {c2} + 1, (SELECT COUNT(*) FROM c AS s WHERE s.y <= {c1})"),
            format!("COUNT(*), MIN({c1}), SUM({c2})"),
            format!("DISTINCT {c1}, {c2}"),
        ];
        let group =
            if rng.chance(1, 5) { format!(" GROUP BY {c1}, {c2} HAVING {c1} > 2") } else { String::new() };
        let shown =
            if group.is_empty() { shown[rng.index(4)].clone() } else { format!("{c1}, {c2}, COUNT(*)") };
        let query = |one: &str, other: &str| {
            format!("SELECT {shown} FROM ({one}) d{} WHERE {filter}{group}", join.replace("OTHER", other))
        };
        let mut rows = |query: &str| {
            let mut rows = conn.rows(query);
            rows.sort();
            rows
        };
        let merged = query(&one, &other);
        let apart = query(&(one.clone() + APART), &(other.clone() + APART));
        assert_eq!(rows(&merged), rows(&apart), "round {round}: {merged}");
    }
}
