//! LATERAL derived tables: each random query has another form that says the same with joins and correlated subqueries.

use vfs::sim::Rng;

use crate::db::{Conn, Db};
use crate::merge::tables;

fn filled(rng: &mut Rng, rows: u64) -> (Db, Conn) {
    let (db, mut conn) = tables();
    for name in ["a", "b", "c"] {
        for id in 0..rows {
            let mut value = || if rng.chance(1, 5) { "NULL".to_owned() } else { rng.below(rows).to_string() };
            conn.run(&format!("INSERT INTO {name} VALUES ({id}, {}, {}, {})", value(), value(), value()));
        }
    }
    (db, conn)
}

/// What `b` has to do with the row of `a`.
fn relation(rng: &mut Rng) -> String {
    let column = |rng: &mut Rng, name: &str| format!("{name}.{}", ["id", "x", "y", "z"][rng.index(4)]);
    let (one, other) = (column(rng, "a"), column(rng, "b"));
    match rng.below(6) {
        0 => format!("{other} <= {one}"),
        1 => format!("{one} + 1 > {other} AND b.z <> 2"),
        2 => format!("{other} <=> {one}"),
        3 => format!("{other} IN ({one}, 3)"),
        _ => format!("{other} = {one}"),
    }
}

/// A pair of queries with the same rows.
fn pair(rng: &mut Rng) -> (String, String) {
    let on = relation(rng);
    let filter =
        ["1", "a.x > 2", "a.id = c.x", "c.id = a.x", "a.x IS NULL", "c.y = 3 AND a.z < 5"][rng.index(6)];
    let rest = format!("WHERE {filter} AND {}", ["1", "l.m IS NULL", "l.m > 2", "c.id = l.m"][rng.index(4)]);
    // In which order they are written does not matter, as long as `l` is behind `a`.
    let from =
        |l: &str| ["a, c, L", "c JOIN a JOIN L", "a, L, c", "c, a, L"].map(|from| from.replace('L', l));
    let order = rng.index(4);
    let one = ["MAX(b.x)", "COUNT(*)", "SUM(b.y + a.id)", "MIN(IFNULL(b.z, a.y))"][rng.index(4)];
    match rng.below(8) {
        // A value.
        0..=2 => {
            let inner = format!("SELECT {one} AS m FROM b WHERE {on}");
            let lateral = from(&format!("LATERAL ({inner}) l"))[order].clone();
            (
                format!("SELECT a.id, c.id, l.m FROM {lateral} {rest}"),
                format!(
                    "SELECT a.id, c.id, ({inner}) FROM a, c {}",
                    rest.replace("l.m", &format!("({inner})"))
                ),
            )
        }
        // Rows.
        3 => {
            let lateral = from(&format!("LATERAL (SELECT b.id AS i, b.z + a.y AS m FROM b WHERE {on}) l"));
            (
                format!("SELECT a.id, c.id, l.i, l.m FROM {} {rest}", lateral[order]),
                format!(
                    "SELECT a.id, c.id, b.id, b.z + a.y FROM a, b, c {} AND ({on})",
                    rest.replace("l.m", "(b.z + a.y)")
                ),
            )
        }
        // Rows that may be missing, and those of others behind them.
        4 | 5 => {
            let lateral = format!("LATERAL (SELECT b.id, b.z AS m FROM b WHERE {on}) l");
            let joined = if rng.chance(1, 2) {
                format!("a LEFT JOIN {lateral} ON l.id > 2 LEFT JOIN c ON c.id = l.m")
            } else {
                format!("{lateral} RIGHT JOIN a ON l.id > 2 LEFT JOIN c ON c.id = l.m")
            };
            let plain = format!("a LEFT JOIN b ON b.id > 2 AND ({on}) LEFT JOIN c ON c.id = b.z");
            (
                format!("SELECT a.id, c.id, l.id, l.m FROM {joined} {rest}"),
                format!("SELECT a.id, c.id, b.id, b.z FROM {plain} {}", rest.replace("l.m", "b.z")),
            )
        }
        // Groups.
        6 => {
            let lateral =
                format!("LATERAL (SELECT b.x AS m, COUNT(*) AS n FROM b WHERE {on} GROUP BY b.x) l");
            (
                format!("SELECT a.id, c.id, l.m, l.n FROM {} {rest}", from(&lateral)[order]),
                format!(
                    "SELECT a.id, c.id, b.x, COUNT(*) FROM a, b, c {} AND ({on}) GROUP BY a.id, c.id, b.x",
                    rest.replace("l.m", "b.x")
                ),
            )
        }
        // One that sees another one, and the best row of several.
        _ => {
            let inner = format!("SELECT b.id FROM b WHERE {on} ORDER BY b.y, b.id DESC LIMIT 1");
            let lateral = format!(
                "a JOIN c LEFT JOIN LATERAL ({inner}) k ON 1 JOIN LATERAL (SELECT COUNT(*) AS m FROM b WHERE b.x > k.id) l"
            );
            let count = format!("(SELECT COUNT(*) FROM b AS d WHERE d.x > ({inner}))");
            (
                format!("SELECT a.id, c.id, k.id, l.m FROM {lateral} {rest}"),
                format!(
                    "SELECT a.id, c.id, ({inner}), {count} FROM a JOIN c {}",
                    rest.replace("l.m", &count)
                ),
            )
        }
    }
}

#[test]
fn rows_of_random_queries_are_those_of_joins_and_correlated_subqueries() {
    let mut rng = Rng::new(11);
    let (_db, mut conn) = filled(&mut rng, 8);
    let mut found = 0;
    for round in 0..2500 {
        let (lateral, other) = pair(&mut rng);
        let mut rows = |query: &str| {
            let mut rows = conn.rows(query);
            rows.sort();
            rows
        };
        let given = rows(&lateral);
        found += given.len();
        assert_eq!(given, rows(&other), "round {round}:\n{lateral}\n{other}");
        let aggregate = |query: &str| format!("SELECT COUNT(*), SUM(m), MIN(i) FROM ({query}) d (i, j, m)");
        if lateral.contains("c.id, l.m FROM") {
            assert_eq!(rows(&aggregate(&lateral)), rows(&aggregate(&other)), "round {round}: {lateral}");
        }
    }
    assert!(found > 20_000, "{found} rows");
}

#[test]
fn changes_find_the_same_rows() {
    let mut rng = Rng::new(12);
    for round in 0..150 {
        let (_db, mut conn) = filled(&mut rng, 8);
        let on = relation(&mut rng);
        let inner = format!("SELECT MAX(b.x) AS m FROM b WHERE {on}");
        let (lateral, other) = match rng.below(3) {
            0 => (
                format!("UPDATE a, LATERAL ({inner}) l SET a.z = a.id + l.m WHERE l.m > 2"),
                format!("UPDATE a SET z = a.id + ({inner}) WHERE ({inner}) > 2"),
            ),
            1 => (
                format!("DELETE a FROM a LEFT JOIN LATERAL ({inner}) l ON l.m > 2 WHERE l.m IS NULL"),
                format!("DELETE FROM a WHERE NOT IFNULL(({inner}) > 2, 0)"),
            ),
            _ => (
                format!("INSERT INTO c SELECT a.id + 10, l.m, 0, 0 FROM a, LATERAL ({inner}) l"),
                format!("INSERT INTO c SELECT a.id + 10, ({inner}), 0, 0 FROM a"),
            ),
        };
        let all = "SELECT 'a' AS n, a.* FROM a UNION ALL SELECT 'c', c.* FROM c ORDER BY n, id";
        conn.autocommit = false;
        let mut after = |statement: &str| {
            let mark = conn.trx.mark();
            conn.run(statement);
            let rows = conn.rows(all);
            conn.trx.rollback_to(mark);
            rows
        };
        assert_eq!(after(&lateral), after(&other), "round {round}: {lateral}");
    }
}

#[test]
fn what_it_keeps_is_given_back_and_others_run_meanwhile() {
    let (_db, mut conn) = tables();
    for id in 0..200 {
        conn.run(&format!("INSERT INTO a VALUES ({id}, {}, {id}, 0)", id % 10));
    }
    let query = "SELECT COUNT(*) FROM a, LATERAL (SELECT y, z FROM a AS d WHERE d.x = a.x LIMIT 100) l";
    // The rows of one, not of all.
    conn.memory_max = 10_000;
    assert_eq!(conn.rows(query), ["4000"]);
    conn.memory_max = 500;
    assert_eq!(conn.error(query).0, 1038);
    conn.memory_max = 10_000;
    // None is found, and all are looked at for each.
    let none = "SELECT COUNT(*) FROM a, LATERAL (SELECT y FROM a AS d WHERE d.y > a.y + 1000) l";
    assert_eq!(conn.rows(none), ["0"]);
    assert!(conn.turns > 300, "{} turns", conn.turns);
    // Rows that a change has found are kept, and counted.
    let change = "UPDATE a, LATERAL (SELECT REPEAT('x', 1000 + a.y) AS s) l SET a.z = LENGTH(l.s)";
    conn.memory_max = 100_000;
    assert_eq!(conn.error(change).0, 1038);
    conn.memory_max = 400_000;
    assert_eq!(conn.run(change).affected, 200);
}

#[test]
fn it_comes_behind_what_it_depends_on() {
    let (_db, mut conn) = tables();
    for id in 0..500 {
        conn.run(&format!("INSERT INTO a VALUES ({id}, {id}, {id}, 0)"));
    }
    conn.run("INSERT INTO b VALUES (1, 5, 5, 5), (2, 7, 7, 7)");
    // The table with an index is read last, and only what is asked for.
    let query = "SELECT a.id FROM a, b, LATERAL (SELECT b.x + 1 AS n) l WHERE a.id = l.n ORDER BY a.id";
    assert_eq!(conn.rows(query), ["6", "8"]);
    assert!(conn.turns < 3, "{} turns", conn.turns);
    // Its values are read, though nothing else of their table is.
    assert_eq!(conn.rows("SELECT l.n FROM a, LATERAL (SELECT a.y + 1 AS n) l WHERE a.x = 7"), ["8"]);
    let straight = query.replace("SELECT a.id", "SELECT STRAIGHT_JOIN a.id");
    assert_eq!(conn.rows(&straight), ["6", "8"]);
    assert!(conn.turns > 3, "{} turns", conn.turns);
}

#[test]
fn a_right_join_of_very_many_tables_is_refused() {
    let (_db, mut conn) = tables();
    let joins = |count: usize| {
        let right: Vec<String> = (0..count).map(|number| format!(" RIGHT JOIN a a{number} ON 1")).collect();
        format!("SELECT COUNT(*) FROM LATERAL (SELECT 1) l{}", right.concat())
    };
    assert_eq!(conn.rows(&joins(60)), ["0"]);
    assert_eq!(conn.error(&joins(61)).0, 1116);
    assert_eq!(conn.error(&joins(1000)).0, 1116);
}
