//! R2: stored rows that joins look up are those that they find by looking at all: where the equality stands within CASE, nothing
//! is looked up. They come in the same order, and what locks them locks the same.

use engine::catalog::def::{DefaultValue, IndexKind, ReferentialAction};
use types::collation::Collation;
use types::column::{ColumnType, FloatType, IntSize, Labels, LobSize, Sign};
use types::sql_mode::SqlMode;
use vfs::sim::Rng;

use crate::db::{Conn, Db, Spec, int, varchar};
use crate::foreign_keys::key;

/// An equality that is looked up, and the same of which nobody knows that it is one.
fn both(left: &str, op: &str, right: &str) -> [String; 2] {
    [format!("{left} {op} {right}"), format!("CASE WHEN {left} {op} {right} THEN 1 ELSE 0 END")]
}

/// Columns of most types, and literals for them.
fn columns() -> Vec<(ColumnType, &'static str)> {
    let labels = |names: &[&str]| {
        Labels::new(Collation::Utf8mb4GeneralCi, names.iter().map(|name| name.as_bytes().to_vec()))
    };
    let text = |collation| ColumnType::varchar("c", 12, collation).unwrap();
    let float = FloatType { sign: Sign::Signed, digits: None };
    let texts = "'a' 'A' 'a_' 'b' 'ä' 'ss' 'ß' '' '1' '5' '2001-01-01' '10:00:00' 'a,b' '1.0'";
    let moments = "'2001-01-01' '2001-01-01_00:00:00.5' '2020-02-29_10:00:00' '2001-01-01_00:00:00'";
    let exact = "0 1 2 5 20 101 9007199254740993 9007199254740992 100 20010101";
    vec![
        (int(IntSize::Tiny), "0 1 2 -1 127 5 20 101 100"),
        (int(IntSize::Big), exact),
        (ColumnType::int("c", IntSize::Big, Sign::Unsigned, None).unwrap(), exact),
        (ColumnType::Decimal { precision: 20, scale: 4, sign: Sign::Signed }, exact),
        (ColumnType::Decimal { precision: 6, scale: 1, sign: Sign::Signed }, "0 1 2.5 -1 5.0 101 -0.5"),
        (ColumnType::Float(float), "0 -0.0 1 2.5 5 0.1 101 16777217"),
        (ColumnType::Double(float), "0 -0.0 1 2.5 5 0.1 101 16777216 9007199254740993"),
        (ColumnType::Char { chars: 12, collation: Collation::Utf8mb4GeneralCi }, texts),
        (text(Collation::Utf8mb4GeneralCi), texts),
        (ColumnType::Text { size: LobSize::Normal, collation: Collation::Utf8mb4GeneralCi }, texts),
        (text(Collation::Utf8mb4Bin), texts),
        (text(Collation::Utf8mb40900AiCi), texts),
        (text(Collation::Latin1SwedishCi), texts),
        (ColumnType::Varbinary { size: 12 }, "'a' 'A' 'a_' x'6100' '1' 'b' ''"),
        (ColumnType::Binary { size: 3 }, "'a' 'A' 'a_' x'6100' '1' 'b' ''"),
        (ColumnType::Date, "'2001-01-01' '0000-00-00' '2020-02-29' '1970-01-01'"),
        (ColumnType::DateTime { fsp: 3 }, moments),
        (ColumnType::Timestamp { fsp: 0 }, moments),
        (ColumnType::Time { fsp: 1 }, "'00:00:00' '10:00:00' '-01:00:00' '10:00:00.5' '838:59:59'"),
        (ColumnType::Year, "2001 1901 2020 0 2005"),
        (ColumnType::Bit { bits: 9 }, "0 1 5 101 20"),
        (ColumnType::Enum(labels(&["a", "b", "ss", "1", "5"])), "'a' 'b' 'ss' '1' 0"),
        (ColumnType::Set(labels(&["a", "b", "1"])), "'a' 'b' 'a,b' '1' ''"),
        (ColumnType::Json, "'1' '5' 'true' '{}' 'null'"),
    ]
}

/// `o` and `i` with columns of all types: the first of many rows, the second of some more.
fn of_all_types() -> (Db, Conn, Vec<String>) {
    let mut db = Db::new();
    let kinds = columns();
    let names: Vec<String> = (0..kinds.len()).map(|place| format!("c{place}")).collect();
    for table in ["o", "i"] {
        let mut columns = vec![("id", int(IntSize::Int), false, DefaultValue::None)];
        let others = names.iter().zip(&kinds);
        columns.extend(others.map(|(name, (ty, _))| (&**name, *ty, true, DefaultValue::Null)));
        db.create(&Spec {
            name: table,
            columns,
            indexes: vec![("PRIMARY", IndexKind::Primary, vec![0])],
            auto_increment: None,
        });
    }
    let mut conn = db.connect();
    conn.session.sql_mode = SqlMode::EMPTY;
    let mut rng = Rng::new(11);
    for (table, rows) in [("o", 18), ("i", 26)] {
        for id in 0..rows {
            let mut row = vec![id.to_string()];
            for (_, values) in &kinds {
                let values: Vec<&str> = values.split(' ').collect();
                let value = values[rng.index(values.len())].replace('_', " ");
                row.push(if rng.chance(1, 9) { "NULL".to_owned() } else { value });
            }
            conn.run(&format!("INSERT INTO {table} VALUES ({})", row.join(", ")));
            if id == 9 {
                db.checkpoint();
            }
        }
    }
    (db, conn, names)
}

/// The rows of a query, or its error, and how many warnings there were.
fn answer(conn: &mut Conn, query: &str) -> (Result<Vec<String>, u16>, u64) {
    let answer = conn.answer(query).map(|(_, _, rows)| rows).map_err(|error| error.code);
    (answer, conn.warnings.count())
}

#[test]
fn columns_of_any_two_types_are_joined_as_they_compare() {
    let (_db, mut conn, names) = of_all_types();
    let mut matched = 0;
    for (outer, inner) in names.iter().flat_map(|outer| names.iter().map(move |inner| (outer, inner))) {
        for op in ["=", "<=>"] {
            let queries = both(&format!("o.{outer}"), op, &format!("i.{inner}")).map(|on| {
                [
                    format!("SELECT o.id, i.id FROM o STRAIGHT_JOIN i ON {on}"),
                    format!("SELECT o.id, i.id FROM o LEFT JOIN i ON {on} AND i.id <> 3"),
                    format!("SELECT o.id, (SELECT COUNT(*) FROM i WHERE {on}) FROM o"),
                ]
            });
            for (looked_up, plain) in queries[0].iter().zip(&queries[1]) {
                let expected = answer(&mut conn, plain);
                for memory in [sql::exec::MEMORY_MAX, 2000] {
                    conn.memory_max = memory;
                    assert_eq!(answer(&mut conn, looked_up), expected, "{looked_up} ({memory})");
                }
                matched += expected.0.map_or(0, |rows| rows.len());
            }
        }
    }
    assert!(matched > 50_000, "{matched} rows");
}

#[test]
fn several_columns_are_looked_up_together_and_constants_and_expressions_too() {
    let (_db, mut conn, names) = of_all_types();
    let mut rng = Rng::new(12);
    for round in 0..1500 {
        let mut pick = || &names[rng.index(names.len())];
        let (a, b, c, d) = (pick(), pick(), pick(), pick());
        let literal =
            ["5", "'a'", "'1'", "2.5", "NULL", "DATE'2001-01-01'", "1e0", "'2001-01-01'"][round % 8];
        let (first, second) = (
            both(&format!("i.{a}"), "=", &format!("o.{a}")),
            match round % 4 {
                0 => both(&format!("o.{b}"), "<=>", &format!("i.{c}")),
                1 => both(&format!("i.{b}"), "=", literal),
                2 => both(&format!("o.{c} + 1"), "=", &format!("i.{d}")),
                _ => both(&format!("i.{d}"), "=", &format!("CONCAT(o.{b}, '')")),
            },
        );
        let query = |place: usize| {
            let on = format!("{} AND {}", first[place], second[place]);
            match round % 3 {
                0 => format!("SELECT o.id, i.id FROM o STRAIGHT_JOIN i WHERE {on}"),
                1 => format!("SELECT o.id, i.id FROM o LEFT JOIN i ON {on}"),
                _ => format!("SELECT o.id FROM o WHERE NOT EXISTS (SELECT 1 FROM i WHERE {on})"),
            }
        };
        // What does not decide may warn less often.
        let rows = |conn: &mut Conn, place| answer(conn, &query(place)).0;
        if let (Ok(found), Ok(plain)) = (rows(&mut conn, 0), rows(&mut conn, 1)) {
            assert_eq!(found, plain, "{}", query(0));
        }
    }
}

/// `a`, `b` and `c` of so many rows, whose columns but `id` and `k` have no index.
fn tables(rows: [u64; 3]) -> (Db, Conn) {
    let mut db = Db::new();
    for name in ["a", "b", "c"] {
        let number = |name| (name, int(IntSize::Int), true, DefaultValue::Null);
        let text = ("s", varchar(10), true, DefaultValue::Null);
        let id = ("id", int(IntSize::Int), false, DefaultValue::None);
        db.create(&Spec {
            name,
            columns: vec![id, number("x"), number("y"), text, number("k")],
            indexes: vec![("PRIMARY", IndexKind::Primary, vec![0]), ("k", IndexKind::Plain, vec![4])],
            auto_increment: None,
        });
    }
    let mut conn = db.connect();
    let mut rng = Rng::new(13);
    for (name, rows) in ["a", "b", "c"].into_iter().zip(rows) {
        let spread = rows.max(8);
        for chunk in (1..=rows).collect::<Vec<_>>().chunks(500) {
            let row = |id: &u64| {
                let mut number = |below: u64| {
                    if rng.chance(1, 12) { "NULL".to_owned() } else { rng.below(below).to_string() }
                };
                let (x, y, s, k) = (number(spread), number(4), number(spread), number(5));
                let s = if s == "NULL" {
                    s
                } else {
                    format!("'{}{s}'", if id.is_multiple_of(2) { "s" } else { "S" })
                };
                format!("({id}, {x}, {y}, {s}, {k})")
            };
            let rows: Vec<String> = chunk.iter().map(row).collect();
            conn.run(&format!("INSERT INTO {name} VALUES {}", rows.join(", ")));
        }
        if name != "c" {
            db.checkpoint();
        }
    }
    (db, conn)
}

/// A condition between a table and one before it, twice.
fn condition(rng: &mut Rng, table: &str, before: &[&str]) -> [String; 2] {
    let earlier = before[rng.index(before.len())];
    // No index of the earlier table may decide which is read first.
    let column = |rng: &mut Rng| ["x", "x", "y"][rng.index(3)];
    match rng.below(7) {
        0 => both(&format!("{table}.s"), "=", &format!("{earlier}.s")),
        1 => both(&format!("{earlier}.x"), "<=>", &format!("{table}.x")),
        2 => both(&format!("{table}.x"), "=", &format!("{earlier}.{} + 1", column(rng))),
        3 => both(&format!("CONCAT('s', {earlier}.x)"), "=", &format!("{table}.s")),
        _ => both(&format!("{table}.x"), "=", &format!("{earlier}.{}", column(rng))),
    }
}

/// What else must hold: the same in both.
fn filter(rng: &mut Rng, table: &str) -> String {
    match rng.below(6) {
        0 => format!("{table}.k = {}", rng.below(5)),
        1 => format!("{table}.k > {}", rng.below(5)),
        2 => format!("{table}.id BETWEEN 3 AND {}", rng.below(30)),
        3 => format!("{table}.y = {}", rng.below(4)),
        4 => format!("{table}.s IS NOT NULL"),
        _ => "TRUE".to_owned(),
    }
}

/// The same query with lookups and without.
fn random_query(rng: &mut Rng) -> [String; 2] {
    let second = condition(rng, "b", &["a"]);
    let (third, inner) = (condition(rng, "c", &["a", "b"]), condition(rng, "c", &["b"]));
    let (on_b, on_c) = (filter(rng, "b"), filter(rng, "c"));
    let (shape, tail) = (rng.below(9), rng.below(5));
    let (limit, table) = (1 + rng.below(9), ["a", "b"][rng.index(2)]);
    let all = filter(rng, table);
    [0, 1].map(|place| {
        let (second, third, inner) = (&second[place], &third[place], &inner[place]);
        let query = match shape {
            0 => format!("FROM a, b, c WHERE {second} AND {third} AND {on_b} AND {on_c}"),
            1 => format!("FROM a JOIN b ON {second} AND {on_b} JOIN c ON {third} WHERE {all}"),
            2 => format!("FROM a LEFT JOIN b ON {second} AND {on_b} LEFT JOIN c ON {third} AND {on_c}"),
            3 => format!("FROM a LEFT JOIN (b JOIN c ON {inner}) ON {second} AND {on_b}"),
            4 => format!("FROM a LEFT JOIN b ON {second} JOIN c ON {third} WHERE {on_c}"),
            5 => format!("FROM a LEFT JOIN b ON {second} LEFT JOIN c ON {third} WHERE c.id IS NULL OR {all}"),
            6 => {
                let lateral = format!("(SELECT * FROM c WHERE {third} AND {on_c} LIMIT {limit})");
                format!("FROM a JOIN b ON {second}, LATERAL {lateral} c")
            }
            7 => {
                let exists = format!("EXISTS (SELECT 1 FROM c WHERE {third} AND {on_c})");
                return format!("SELECT a.id, b.id FROM a JOIN b ON {second} WHERE {all} OR {exists}");
            }
            _ => {
                let last = format!("(SELECT c.id FROM c WHERE {third} ORDER BY c.id DESC LIMIT 1)");
                let some = format!("b.y IN (SELECT c.y FROM c WHERE {third} AND {on_c})");
                return format!("SELECT a.id, b.id, {last} FROM a LEFT JOIN b ON {second} WHERE {some}");
            }
        };
        match tail {
            0 => format!("SELECT a.id, b.id, c.id {query} LIMIT {limit}"),
            1 => format!("SELECT a.y, COUNT(*), SUM(c.id) {query} GROUP BY a.y"),
            2 => format!("SELECT DISTINCT a.y, b.x {query} ORDER BY b.x, a.y LIMIT {limit}"),
            _ => format!("SELECT a.id, b.id, c.id {query}"),
        }
    })
}

#[test]
fn random_joins_are_the_same_with_lookups() {
    let (db, mut conn) = tables([20, 25, 30]);
    let mut rng = Rng::new(14);
    conn.autocommit = false;
    let mut rows = 0;
    for round in 0..400 {
        if round % 50 == 0 {
            conn.commit();
            db.checkpoint();
        }
        if round % 10 == 0 {
            let (table, id) = (["a", "b", "c"][rng.index(3)], rng.below(20));
            conn.run(&format!("UPDATE {table} SET x = {}, s = 's{id}' WHERE id = {id}", rng.below(20)));
        }
        let [looked_up, plain] = random_query(&mut rng);
        let expected = conn.rows(&plain);
        assert_eq!(conn.rows(&looked_up), expected, "round {round}: {looked_up}");
        if !looked_up.contains("DISTINCT") && !looked_up.contains("GROUP") {
            conn.memory_max = 1500;
            let found = conn.answer(&looked_up).map(|(_, _, rows)| rows);
            // Subqueries have no more room for their rows either.
            assert!(found.is_err() || found.unwrap() == expected, "round {round}: {looked_up}");
            conn.memory_max = sql::exec::MEMORY_MAX;
        }
        rows += expected.len();
    }
    assert!(rows > 2000, "{rows} rows");
}

#[test]
fn no_row_is_looked_at_for_each_row_before_it() {
    let (_db, mut conn) = tables([2000, 3000, 4000]);
    for query in [
        "SELECT COUNT(*) FROM a JOIN b ON a.x = b.x",
        "SELECT COUNT(*) FROM a, b WHERE a.s = b.s AND a.y = b.y",
        "SELECT COUNT(*) FROM a LEFT JOIN b ON a.x <=> b.x AND a.k = 1 AND b.k = 2 LEFT JOIN c ON c.s = a.s",
        "SELECT COUNT(*) FROM a JOIN b ON b.x = a.x AND b.k = 3",
        "SELECT COUNT(*) FROM a JOIN b ON b.x = a.x AND b.y = 3 AND b.s = 5",
        "SELECT COUNT(*) FROM a WHERE EXISTS (SELECT 1 FROM b WHERE a.x = b.x)",
        "SELECT COUNT(*) FROM a WHERE a.id NOT IN (SELECT b.x FROM b WHERE b.s = a.s AND b.x IS NOT NULL)",
        "SELECT COUNT((SELECT MAX(b.id) FROM b WHERE b.x = a.x + 1)) FROM a",
        "SELECT COUNT(*) FROM a, LATERAL (SELECT * FROM b WHERE b.x = a.x LIMIT 2) d",
        "WITH RECURSIVE r(n) AS (SELECT 0 UNION SELECT b.id FROM r JOIN b ON b.x = r.n) SELECT COUNT(*) FROM r",
        "SELECT COUNT(*) FROM a JOIN b ON a.x = b.x FOR UPDATE",
        "SELECT COUNT(*) FROM (SELECT id, x FROM a LIMIT 3000) d JOIN b ON d.x = b.x",
    ] {
        conn.rows(query);
        assert!(conn.turns < 600, "{query}: {} turns", conn.turns);
    }
    conn.run("UPDATE a JOIN b ON a.x = b.x SET a.y = 1 - b.id");
    assert!(conn.turns < 600, "{} turns", conn.turns);
    conn.run("UPDATE a SET y = (SELECT COUNT(*) FROM b WHERE b.s = a.s)");
    assert!(conn.turns < 600, "{} turns", conn.turns);
    conn.run("INSERT INTO c SELECT id + 9000, x, y, s, k FROM a WHERE NOT EXISTS (SELECT 1 FROM c WHERE c.x = a.x)");
    assert!(conn.turns < 600, "{} turns", conn.turns);
    // Nobody reads further than needed.
    assert_eq!(conn.rows("SELECT a.id FROM a JOIN b ON a.y = b.y LIMIT 3").len(), 3);
    assert!(conn.turns < 3, "{} turns", conn.turns);
}

/// The ids of a table's rows that nobody has locked.
fn free(conn: &mut Conn, table: &str) -> Vec<String> {
    let free = conn.rows(&format!("SELECT id FROM {table} FOR UPDATE SKIP LOCKED"));
    conn.commit();
    free
}

#[test]
fn what_locks_rows_locks_the_same_rows() {
    let (db, mut conn) = tables([20, 25, 30]);
    let mut other = db.connect();
    (conn.autocommit, other.autocommit) = (false, false);
    let mut locked = 0;
    for on in ["a.x = b.x", "b.s = a.s AND a.x < 15", "a.x <=> b.x AND b.k = 2", "a.y = b.y AND b.x = 4"] {
        let (condition, rest) = on.split_once(" AND ").unwrap_or((on, "TRUE"));
        for statement in [
            "SELECT a.id, b.id FROM a STRAIGHT_JOIN b ON @ FOR UPDATE",
            "SELECT a.id, b.id FROM a LEFT JOIN b ON @ FOR SHARE OF b",
            "SELECT a.id, b.id FROM a STRAIGHT_JOIN b ON @ FOR UPDATE SKIP LOCKED",
            "UPDATE a STRAIGHT_JOIN b ON @ SET a.y = b.id, b.y = 1",
            "DELETE a FROM a STRAIGHT_JOIN b ON @",
        ] {
            let plain = format!("CASE WHEN {condition} THEN 1 ELSE 0 END AND {rest}");
            let answers = [on, &plain].map(|on| {
                let statement = statement.replace('@', on);
                let mark = conn.trx.mark();
                let (done, _, rows) = conn.answer(&statement).unwrap();
                let changed = conn.rows("SELECT SUM(y), COUNT(*) FROM a");
                let free = [free(&mut other, "a"), free(&mut other, "b")];
                conn.trx.rollback_to(mark);
                conn.commit();
                (format!("{done:?}"), rows, changed, free)
            });
            assert_eq!(answers[0], answers[1], "{statement}: {on}");
            locked += 45 - answers[0].3.iter().map(Vec::len).sum::<usize>();
        }
    }
    assert!(locked > 100, "{locked} rows were locked");
}

#[test]
fn a_statement_that_changes_what_its_subqueries_read_looks_at_what_is_there() {
    let run = |equality: &str| {
        let (mut db, mut conn) = tables([5, 5, 5]);
        db.refer(
            "c",
            &key("f", &[4], ("a", &["id"]), (ReferentialAction::Cascade, ReferentialAction::Cascade)),
        );
        conn.run("DELETE FROM c");
        conn.run("UPDATE a SET x = 1, y = 0");
        conn.run(
            "INSERT INTO c VALUES (1, 1, 0, '', 1), (2, 1, 0, '', 2), (3, 1, 0, '', 5), (4, 2, 0, '', 4)",
        );
        conn.run(&format!("UPDATE a SET id = id + 10, y = (SELECT SUM(c.k) FROM c WHERE {equality})"));
        let mut rows = conn.rows("SELECT id, y FROM a");
        conn.run(&format!("DELETE FROM a WHERE (SELECT COUNT(*) FROM c WHERE {equality}) > 2 LIMIT 2"));
        rows.extend(conn.rows("SELECT id, y FROM a"));
        conn.run(&format!(
            "INSERT INTO a VALUES (13, 1, 7, '', 0), (14, 1, 7, '', 0) ON DUPLICATE KEY UPDATE id = a.id + 20, \
             y = (SELECT SUM(c.k) FROM c WHERE {equality})"
        ));
        rows.extend(conn.rows("SELECT id, y FROM a"));
        rows
    };
    let [looked_up, plain] = both("c.x", "=", "a.x");
    assert_eq!(run(&looked_up), run(&plain));
}
