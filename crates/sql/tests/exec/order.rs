//! The order in which joined tables are read: it decides how many rows are looked at, and not which ones are found.

use std::ops::Range;

use engine::catalog::def::{DefaultValue, IndexKind};
use types::column::IntSize;
use vfs::sim::Rng;

use crate::db::{Conn, Db, Spec, int};

/// Of each: its indexes beside the primary key `id`, as places of columns.
const TABLES: [(&str, &[&[u16]]); 4] =
    [("a", &[&[1, 2]]), ("b", &[&[2], &[1]]), ("c", &[]), ("d", &[&[2, 3], &[3, 1]])];

fn tables() -> (Db, Conn) {
    let mut db = Db::new();
    for (name, indexes) in TABLES {
        let nullable = |name| (name, int(IntSize::Int), true, DefaultValue::Null);
        let mut all = vec![("PRIMARY", IndexKind::Primary, vec![0])];
        let names = ["i", "j"].into_iter().zip(indexes);
        all.extend(names.map(|(name, places)| (name, IndexKind::Plain, places.to_vec())));
        let id = ("id", int(IntSize::Int), false, DefaultValue::None);
        db.create(&Spec {
            name,
            columns: vec![id, nullable("x"), nullable("y"), nullable("z")],
            indexes: all,
            auto_increment: None,
        });
    }
    let conn = db.connect();
    (db, conn)
}

#[test]
fn no_table_is_read_for_each_row_of_another_if_the_other_way_round_an_index_serves() {
    let (_db, mut conn) = tables();
    for id in 0..1500 {
        conn.run(&format!("INSERT INTO a VALUES ({id}, {}, 0, 0)", id % 100));
    }
    for id in 0..40 {
        conn.run(&format!("INSERT INTO c VALUES ({id}, {}, 3, {id})", id * 10));
    }
    conn.run("INSERT INTO b VALUES (3, 3, 3, 3)");
    // No index serves what is compared of `c`.
    for (from, condition) in [
        ("a JOIN c ON c.x = a.id", "1"),
        ("a, c", "a.id = c.x"),
        ("a JOIN c ON a.x = c.z AND c.y > 2", "c.y < 9"),
        ("a INNER JOIN (SELECT x FROM c) AS s ON s.x = a.id", "1"),
        ("a LEFT JOIN c ON c.x = a.id", "c.y > 2"),
        ("c RIGHT JOIN a ON c.x = a.id", "c.y IN (3, 4)"),
        ("a LEFT JOIN c ON c.x = a.id JOIN b ON b.id = c.y", "1"),
    ] {
        let query = format!("SELECT * FROM {from} WHERE {condition}");
        let count = conn.rows(&query).len();
        assert!((40..=600).contains(&count), "{query}: {count} rows");
        assert!(conn.turns < 10, "{query}: {} turns", conn.turns);
        let straight = query.replace("SELECT *", "SELECT STRAIGHT_JOIN *");
        assert_eq!(conn.rows(&straight).len(), count, "{straight}");
        assert!(conn.turns > 20, "{straight}: {} turns", conn.turns);
    }
    let straight = "SELECT * FROM a STRAIGHT_JOIN c ON c.x = a.id";
    assert_eq!(conn.rows(straight).len(), 40);
    assert!(conn.turns > 20, "{straight}: {} turns", conn.turns);
}

#[test]
fn an_index_of_flags_is_no_reason_to_begin_with_a_large_table() {
    let mut db = Db::new();
    let column = |name, size| (name, int(size), false, DefaultValue::None);
    let primary = || ("PRIMARY", IndexKind::Primary, vec![0]);
    let columns = vec![
        column("id", IntSize::Int),
        column("owner", IntSize::Int),
        column("gone", IntSize::Tiny),
        column("kind", IntSize::Int),
    ];
    let index = |name, place| (name, IndexKind::Plain, vec![place]);
    let indexes = vec![primary(), index("owner", 1), index("gone", 2), index("kind", 3)];
    db.create(&Spec { name: "large", columns, indexes, auto_increment: None });
    let columns = vec![column("id", IntSize::Int), column("name", IntSize::Int)];
    db.create(&Spec { name: "small", columns, indexes: vec![primary()], auto_increment: None });
    let mut conn = db.connect();
    for id in 0..3000 {
        conn.run(&format!("INSERT INTO large VALUES ({id}, {}, 0, 0)", id % 1000));
    }
    conn.run("INSERT INTO small VALUES (1, 1), (2, 2)");
    let query = "SELECT large.id FROM small JOIN large ON large.owner = small.id WHERE name = 2 AND";
    assert_eq!(conn.rows(&format!("{query} gone = 0")), ["2", "1002", "2002"]);
    let few = conn.turns;
    assert_eq!(conn.rows(&format!("{query} kind = 0")), ["2", "1002", "2002"]);
    assert!(few < 2 && conn.turns > 4, "{few}, {}: an index of numbers is one", conn.turns);
}

#[test]
fn what_stars_mean_and_names_do_not_depend_on_it() {
    let (_db, mut conn) = tables();
    conn.run("INSERT INTO a VALUES (1, 10, 11, 12), (2, 20, 21, 22)");
    conn.run("INSERT INTO c VALUES (7, 1, 71, 72), (8, 2, 81, 62)");
    let from = "FROM a JOIN c ON c.x = a.id";
    for (select, rest, rows) in [
        ("*", "", ["1|10|11|12|7|1|71|72", "2|20|21|22|8|2|81|62"]),
        ("c.*, a.y", "", ["7|1|71|72|11", "8|2|81|62|21"]),
        ("a.x + c.y AS s", "ORDER BY c.z", ["101", "81"]),
        ("MAX(a.y), c.id", "GROUP BY c.id HAVING c.id > 6 AND MIN(a.z) < 30", ["11|7", "21|8"]),
        ("(SELECT MAX(b.id) + a.z FROM b WHERE b.x = c.x)", "", ["NULL", "NULL"]),
        ("a.id", "WHERE NOT EXISTS (SELECT 1 FROM b WHERE b.y = a.y)", ["1", "2"]),
        ("a.id", "WHERE c.y IN (SELECT a.x + 61)", ["1", "2"]),
    ] {
        let query = format!("SELECT {select} {from} {rest}");
        assert_eq!(conn.rows(&query), rows, "{query}");
    }
}

#[test]
fn rows_of_random_joins_do_not_depend_on_it() {
    let (_db, mut conn) = tables();
    let mut rng = Rng::new(5);
    for (name, _) in TABLES {
        for id in 0..12 {
            let mut value = || if rng.chance(1, 6) { "NULL".to_owned() } else { rng.below(12).to_string() };
            conn.run(&format!("INSERT INTO {name} VALUES ({id}, {}, {}, {})", value(), value(), value()));
        }
    }
    for round in 0..1500 {
        let count = 2 + rng.index(3);
        let names: Vec<&str> = TABLES.iter().map(|(name, _)| *name).take(count).collect();
        let column = |rng: &mut Rng, within: Range<usize>| {
            let name = names[within.start + rng.index(within.len())];
            format!("{name}.{}", ["id", "x", "y", "z"][rng.index(4)])
        };
        let joined = |rng: &mut Rng, first: usize, what: &str, places: Range<usize>| {
            let kind = ["", "", "LEFT ", "RIGHT "][rng.index(4)];
            if kind.is_empty() && rng.chance(1, 5) {
                return format!(" JOIN {what}");
            }
            let (own, other) = (column(rng, places.clone()), column(rng, first..places.end));
            format!(" {kind}JOIN {what} ON {own} = {other}")
        };
        let joins = |rng: &mut Rng, first: usize| {
            let all = (first + 1..count).map(|place| joined(rng, first, names[place], place..place + 1));
            names[first].to_owned() + &all.collect::<String>()
        };
        let from = if rng.chance(1, 3) {
            let within = format!("({})", joins(&mut rng, 1));
            names[0].to_owned() + &joined(&mut rng, 0, &within, 1..count)
        } else {
            joins(&mut rng, 0)
        };
        let condition = |rng: &mut Rng| {
            let (left, right) = (column(rng, 0..count), column(rng, 0..count));
            match rng.below(6) {
                0 => format!("{left} = {}", rng.below(12)),
                1 => format!("{left} IN ({}, {})", rng.below(12), rng.below(12)),
                2 => format!("{left} > {}", rng.below(12)),
                3 => format!("{left} <=> {right}"),
                4 => format!("{left} IN (SELECT d.x FROM d WHERE d.y = {right})"),
                _ => format!("({left} = {right} OR {left} = {})", rng.below(12)),
            }
        };
        let filter = format!("{} AND {}", condition(&mut rng), condition(&mut rng));
        let shown = [
            "*".to_owned(),
            format!("COUNT(*), MIN({}), SUM({})", column(&mut rng, 0..count), column(&mut rng, 0..count)),
            format!("{0}, (SELECT COUNT(*) FROM c AS s WHERE s.y <= {0})", column(&mut rng, 0..count)),
        ];
        let lock = ["", "", " FOR UPDATE"][rng.index(3)];
        let shown = &shown[rng.index(3)];
        let mut rows = |query: &str| {
            let mut rows = conn.rows(query);
            rows.sort();
            rows
        };
        let query = format!("SELECT {shown} FROM {from} WHERE {filter}{lock}");
        // Such a condition says nothing of NULLs, and no index serves it.
        let as_written = format!("SELECT STRAIGHT_JOIN {shown} FROM {from} WHERE ({filter}) IS TRUE");
        assert_eq!(rows(&query), rows(&as_written), "round {round}: {query}");
    }
}
