//! INTERSECT and EXCEPT: random trees of set operations against a model that counts rows one by one.

use std::collections::HashMap;

use engine::catalog::def::{DefaultValue, IndexKind};
use types::collation::Collation;
use types::column::IntSize;
use types::value::ValueRef;
use vfs::sim::Rng;

use crate::db::{Conn, Db, Spec, int, varchar};

/// What tables hold: NULLs, rows that come twice, and texts that the collation does not tell apart.
const NUMBERS: [&str; 4] = ["NULL", "1", "2", "3"];
const TEXTS: [&str; 4] = ["NULL", "'a'", "'A'", "'b'"];

type Row = (&'static str, &'static str);

fn tables(rng: &mut Rng) -> (Db, Conn, HashMap<&'static str, Vec<Row>>) {
    let mut db = Db::new();
    for name in ["t", "u", "v"] {
        let nullable = |name, ty| (name, ty, true, DefaultValue::Null);
        let columns = vec![
            ("id", int(IntSize::Int), false, DefaultValue::None),
            nullable("n", int(IntSize::Int)),
            nullable("s", varchar(5)),
        ];
        let indexes = vec![("PRIMARY", IndexKind::Primary, vec![0])];
        db.create(&Spec { name, columns, indexes, auto_increment: None });
    }
    let mut conn = db.connect();
    let mut all = HashMap::new();
    for name in ["t", "u", "v"] {
        let rows: Vec<Row> =
            (0..rng.below(9)).map(|_| (NUMBERS[rng.index(4)], TEXTS[rng.index(4)])).collect();
        for (id, (n, s)) in rows.iter().enumerate() {
            conn.run(&format!("INSERT INTO {name} VALUES ({id}, {n}, {s})"));
        }
        all.insert(name, rows);
    }
    (db, conn, all)
}

/// How often rows are there, in lower case.
type Bag = HashMap<(String, String), u64>;

/// A query, and its rows. `binds` is how tightly its last operation binds.
struct Tree {
    text: String,
    rows: Bag,
    binds: u8,
}

fn leaf(rng: &mut Rng, tables: &HashMap<&'static str, Vec<Row>>) -> Tree {
    let name = ["t", "u", "v"][rng.index(3)];
    let wanted = NUMBERS[1 + rng.index(3)];
    let (filter, all) =
        if rng.chance(1, 2) { (format!(" WHERE n <> {wanted}"), false) } else { (String::new(), true) };
    let mut rows = Bag::new();
    for (n, s) in tables[name].iter().filter(|(n, _)| all || (*n != "NULL" && *n != wanted)) {
        *rows.entry(((*n).to_owned(), s.to_lowercase())).or_default() += 1;
    }
    Tree { text: format!("SELECT n, s FROM {name}{filter}"), rows, binds: 2 }
}

fn tree(rng: &mut Rng, depth: u64, tables: &HashMap<&'static str, Vec<Row>>) -> Tree {
    if depth == 0 || rng.chance(1, 5) {
        return leaf(rng, tables);
    }
    let (left, right) = (tree(rng, depth - 1, tables), tree(rng, depth - 1, tables));
    let (operation, binds) = [("UNION", 0), ("INTERSECT", 1), ("EXCEPT", 0)][rng.index(3)];
    let all = rng.chance(1, 2);
    let quantifier = if all { " ALL" } else { ["", " DISTINCT"][rng.index(2)] };
    let within = |one: &Tree, needed: bool, rng: &mut Rng| {
        if needed || rng.chance(1, 8) { format!("({})", one.text) } else { one.text.clone() }
    };
    // Operations that bind equally tightly are read from left to right.
    let (left_text, right_text) =
        (within(&left, left.binds < binds, rng), within(&right, right.binds <= binds, rng));
    let count = |bag: &Bag, row: &(String, String)| {
        let count = bag.get(row).copied().unwrap_or(0);
        if all { count } else { count.min(1) }
    };
    let keys = left.rows.keys().chain(right.rows.keys()).cloned();
    let rows = keys.map(|row| {
        let (one, other) = (count(&left.rows, &row), count(&right.rows, &row));
        let both = match operation {
            "UNION" if all => one + other,
            "UNION" => (one + other).min(1),
            "INTERSECT" => one.min(other),
            _ => one.saturating_sub(other),
        };
        (row, both)
    });
    let rows: Bag = rows.filter(|(_, count)| *count > 0).collect();
    Tree { text: format!("{left_text} {operation}{quantifier} {right_text}"), rows, binds }
}

fn shown(bag: &Bag) -> Vec<String> {
    let mut rows: Vec<String> = bag
        .iter()
        .flat_map(|((n, s), count)| {
            let s = s.trim_matches('\'').replace("null", "NULL");
            std::iter::repeat_n(format!("{n}|{s}"), usize::try_from(*count).unwrap())
        })
        .collect();
    rows.sort();
    rows
}

fn sorted(rows: Vec<String>) -> Vec<String> {
    let lower = |row: String| {
        let (n, s) = row.split_once('|').unwrap();
        if s == "NULL" { row } else { format!("{n}|{}", s.to_lowercase()) }
    };
    let mut rows: Vec<String> = rows.into_iter().map(lower).collect();
    rows.sort();
    rows
}

#[test]
fn random_trees_give_the_rows_of_the_model() {
    for seed in 1..=40 {
        println!("seed {seed}");
        let mut rng = Rng::new(seed);
        let (_db, mut conn, tables) = tables(&mut rng);
        for round in 0..40 {
            let Tree { text, rows, .. } = tree(&mut rng, 1 + round % 4, &tables);
            let wanted = shown(&rows);
            assert_eq!(sorted(conn.rows(&text)), wanted, "seed {seed}: {text}");
            let derived = format!("SELECT d.n, d.s FROM ({text}) d");
            assert_eq!(sorted(conn.rows(&derived)), wanted, "seed {seed}: {derived}");
            let ordered = format!("({text}) ORDER BY n DESC, s LIMIT 3 OFFSET 1");
            let count = wanted.len().saturating_sub(1).min(3);
            assert_eq!(conn.rows(&ordered).len(), count, "seed {seed}: {ordered}");
            let exists = format!("SELECT EXISTS ({text}), (SELECT COUNT(*) FROM ({text}) c)");
            let answer = format!("{}|{}", u8::from(!wanted.is_empty()), wanted.len());
            assert_eq!(conn.rows(&exists), [answer], "seed {seed}: {exists}");
        }
    }
}

/// One table with so many rows, which all differ.
fn numbers(count: u64) -> (Db, Conn) {
    let (db, mut conn, _) = tables(&mut Rng::new(1));
    conn.run("DELETE FROM t");
    for id in 0..count {
        conn.run(&format!("INSERT INTO t VALUES ({id}, {id}, 'x')"));
    }
    (db, conn)
}

#[test]
fn what_is_kept_has_a_bound() {
    let (_db, mut conn) = numbers(100);
    for query in [
        "SELECT id FROM t EXCEPT SELECT 5",
        "SELECT id FROM t INTERSECT ALL SELECT id FROM t",
        "SELECT 1 UNION ALL SELECT id FROM t EXCEPT SELECT 2",
    ] {
        conn.memory_max = 100_000;
        assert!(conn.rows(query).len() > 90, "{query}");
        conn.memory_max = 8_000;
        assert_eq!(conn.error(query).0, 1038, "{query}");
    }
    // What is only looked for is not kept.
    assert_eq!(conn.rows("SELECT 5 EXCEPT SELECT id FROM t"), Vec::<String>::new());
    assert_eq!(conn.rows("SELECT 5 INTERSECT SELECT id FROM t"), ["5"]);
}

#[test]
fn others_may_run_while_rows_are_given() {
    let (_db, mut conn) = numbers(500);
    // One row of each thousands of times.
    let many = "SELECT s FROM t UNION ALL SELECT s FROM t EXCEPT ALL SELECT 'y'";
    assert_eq!(conn.rows(many).len(), 1000);
    assert!(conn.turns >= 14, "{} turns", conn.turns);
}

#[test]
fn parameters_have_their_types_at_each_execution() {
    let (_db, mut conn) = numbers(4);
    let query = "SELECT ? INTERSECT SELECT n FROM t WHERE n > ? LIMIT ?";
    let numbers = [ValueRef::Int(2), ValueRef::Int(0), ValueRef::Int(9)];
    assert_eq!(conn.rows_with(query, &numbers), ["2"]);
    let texts = [ValueRef::Str(b"3", Collation::Utf8mb4GeneralCi), ValueRef::Int(0), ValueRef::Int(9)];
    assert_eq!(conn.rows_with(query, &texts), ["3"]);
}

#[test]
fn long_chains_do_not_descend() {
    let (_db, mut conn) = numbers(1);
    let chain = format!("SELECT 0{}", " UNION SELECT 1 EXCEPT SELECT 0 INTERSECT SELECT 0".repeat(1200));
    assert_eq!(conn.rows(&chain), ["1"]);
}

#[test]
fn the_sessions_limit_and_found_rows_are_of_all_rows() {
    let (_db, mut conn) = numbers(9);
    conn.session.select_limit = 4;
    assert_eq!(conn.rows("SELECT n FROM t EXCEPT SELECT 0").len(), 4);
    assert_eq!(conn.rows("SELECT n FROM t EXCEPT SELECT 0 LIMIT 5").len(), 5);
    assert_eq!(conn.rows("SELECT SQL_CALC_FOUND_ROWS n FROM t EXCEPT SELECT 0 LIMIT 2").len(), 2);
    assert_eq!(conn.session.found_rows.load(std::sync::atomic::Ordering::Relaxed), 8);
}

#[test]
fn names_come_from_the_text_of_the_first_part() {
    let (_db, mut conn) = numbers(1);
    for operation in ["INTERSECT", "EXCEPT"] {
        assert_eq!(conn.columns(&format!("SELECT 1 +  1 {operation} SELECT 2")), ["1 +  1"]);
    }
}
