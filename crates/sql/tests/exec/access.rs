//! R2: whichever way rows are found, they are the same.

use engine::catalog::def::{DefaultValue, IndexKind};
use types::collation::Collation;
use types::column::{ColumnType, IntSize, Labels};
use types::sql_mode::SqlMode;
use vfs::sim::Rng;

use crate::db::{Conn, Db, Spec, int, varchar};

fn tables() -> (Db, Conn) {
    let mut db = Db::new();
    let columns = || {
        vec![
            ("id", int(IntSize::Int), false, DefaultValue::None),
            ("a", int(IntSize::Small), true, DefaultValue::Null),
            ("b", varchar(10), true, DefaultValue::Null),
            ("d", int(IntSize::Big), false, DefaultValue::Stored(vec![0; 8])),
        ]
    };
    db.create(&Spec {
        name: "indexed",
        columns: columns(),
        indexes: vec![
            ("PRIMARY", IndexKind::Primary, vec![0]),
            ("ab", IndexKind::Plain, vec![1, 2]),
            ("bi", IndexKind::Plain, vec![2, 0]),
            ("d", IndexKind::Plain, vec![3, 1]),
        ],
        auto_increment: None,
    });
    db.create(&Spec { name: "plain", columns: columns(), indexes: vec![], auto_increment: None });
    let conn = db.connect();
    (db, conn)
}

fn value(rng: &mut Rng, column: &str) -> String {
    match column {
        _ if rng.chance(1, 12) => "NULL".to_owned(),
        "b" => format!("'{}'", ["", "a", "A", "b", "ba", "bb ", "c", "01", "1", "1.0"][rng.index(10)]),
        "id" => rng.below(60).to_string(),
        _ if rng.chance(1, 15) => "1.5".to_owned(),
        _ if rng.chance(1, 15) => "'3'".to_owned(),
        _ if rng.chance(1, 20) => "99999999999".to_owned(),
        _ => (rng.below(8) as i64 - 2).to_string(),
    }
}

/// What a column is compared with: texts with numbers too, which many texts may equal.
fn operand(rng: &mut Rng, column: &str) -> String {
    if column == "b" && rng.chance(1, 4) { rng.below(2).to_string() } else { value(rng, column) }
}

/// A pattern, also one that the plan does not know.
fn like(rng: &mut Rng, column: &str) -> String {
    let patterns = ["a%", "B%", "b_", "ba", "bb %", "0%", "1_0", "", "%", "%b", "_a%", "|%%", "a|_", "NULL"];
    let pattern = match patterns[rng.index(patterns.len())] {
        "NULL" => "NULL".to_owned(),
        pattern => format!("'{pattern}'"),
    };
    match rng.below(5) {
        0 => format!("{column} LIKE CONCAT({pattern}, '%')"),
        1 => format!("{column} LIKE {pattern} ESCAPE '|'"),
        2 => format!("{column} NOT LIKE {pattern}"),
        _ => format!("{column} LIKE {pattern}"),
    }
}

fn condition(rng: &mut Rng, depth: usize) -> String {
    if depth > 0 && rng.chance(1, 2) {
        let (left, right) = (condition(rng, depth - 1), condition(rng, depth - 1));
        return format!("({left} {} {right})", if rng.coin() { "AND" } else { "OR" });
    }
    let column = ["id", "a", "b", "d"][rng.index(4)];
    match rng.below(10) {
        0 => format!("{column} IS NULL"),
        8 | 9 => {
            let column = if rng.chance(1, 4) { column } else { "b" };
            like(rng, column)
        }
        1 => format!(
            "{column} IN ({}, {}, {})",
            operand(rng, column),
            operand(rng, column),
            operand(rng, column)
        ),
        2 => format!("{column} BETWEEN {} AND {}", operand(rng, column), operand(rng, column)),
        3 => format!("NOT {column} > {}", operand(rng, column)),
        4 => format!("{column} <=> {}", operand(rng, column)),
        _ => format!("{column} {} {}", ["=", "<", "<=", ">", ">=", "<>"][rng.index(6)], operand(rng, column)),
    }
}

#[test]
fn indexes_and_full_scans_agree_on_random_conditions() {
    let (_db, mut conn) = tables();
    // In strict mode an UPDATE fails at a text that is compared with a number and is none.
    conn.session.sql_mode = SqlMode::EMPTY;
    let mut rng = Rng::new(3);
    for id in 0..60 {
        let row = format!("({id}, {}, {}, {})", rng.below(6), value(&mut rng, "b"), rng.below(6));
        let row = if rng.chance(1, 8) { format!("({id}, NULL, NULL, 1)") } else { row };
        for table in ["indexed", "plain"] {
            conn.run(&format!("INSERT INTO {table} VALUES {row}"));
        }
    }
    for round in 0..1500 {
        let filter = condition(&mut rng, 2);
        let order = ["id", "a, id", "b DESC, id", "d, a, id", "b, id DESC", "id DESC"][rng.index(6)];
        let query = |table: &str| format!("SELECT id, a, b, d FROM {table} WHERE {filter} ORDER BY {order}");
        let (indexed, plain) = (conn.rows(&query("indexed")), conn.rows(&query("plain")));
        assert_eq!(indexed, plain, "round {round}: {}", query("indexed"));
        let locked = conn.rows(&format!("{} FOR UPDATE", query("indexed")));
        assert_eq!(locked, plain, "round {round}, locking: {filter}");
        let count = |table: &str| format!("SELECT COUNT(*), COUNT(a) FROM {table} WHERE {filter}");
        assert_eq!(conn.rows(&count("indexed")), conn.rows(&count("plain")), "round {round}: {filter}");
        let ends = |table: &str| {
            let ends = ["MIN(id)", "MAX(id)", "MIN(a)", "MAX(a)", "LOWER(MAX(b))", "LOWER(MIN(b))", "MAX(d)"];
            let queries = ends.map(|end| format!("(SELECT {end} FROM {table} WHERE {filter})"));
            format!("SELECT {}, (SELECT MIN(a) FROM {table})", queries.join(", "))
        };
        assert_eq!(conn.rows(&ends("indexed")), conn.rows(&ends("plain")), "round {round}: {filter}");
        if round % 7 == 0 {
            let change =
                |table: &str| format!("UPDATE {table} SET a = a + 1, d = {} WHERE {filter}", round % 6);
            assert_eq!(conn.run(&change("indexed")).matched, conn.run(&change("plain")).matched);
            let undo = |table: &str| format!("UPDATE {table} SET a = a - 1 WHERE a > 4");
            assert_eq!(conn.run(&undo("indexed")).matched, conn.run(&undo("plain")).matched);
        }
    }
}

/// Labels sort by their number, and compare with texts as texts: an index of them serves some conditions only.
#[test]
fn labels_years_and_bits_are_found_by_an_index_as_by_looking_at_all() {
    let mut db = Db::new();
    let labels = |names: &[&str]| {
        Labels::new(Collation::Utf8mb4GeneralCi, names.iter().map(|name| name.as_bytes().to_vec()))
    };
    let columns = || {
        vec![
            ("id", int(IntSize::Int), false, DefaultValue::None),
            ("e", ColumnType::Enum(labels(&["x", "b", "2", "A"])), true, DefaultValue::Null),
            ("f", ColumnType::Enum(labels(&["q", "", "Q"])), true, DefaultValue::Null),
            ("s", ColumnType::Set(labels(&["r", "g", "b"])), true, DefaultValue::Null),
            ("y", ColumnType::Year, true, DefaultValue::Null),
            ("t", ColumnType::Bit { bits: 9 }, true, DefaultValue::Null),
        ]
    };
    let indexes = ["e", "f", "s", "y", "t"].into_iter().zip(1..);
    let indexes = indexes.map(|(name, place)| (name, IndexKind::Plain, vec![place])).collect();
    db.create(&Spec { name: "indexed", columns: columns(), indexes, auto_increment: None });
    db.create(&Spec { name: "plain", columns: columns(), indexes: vec![], auto_increment: None });
    let mut conn = db.connect();
    let mut rng = Rng::new(8);
    for id in 0..80 {
        let numbers =
            [rng.below(4) + 1, rng.below(3) + 1, rng.below(8), 1970 + rng.below(90), rng.below(512)];
        let row = numbers.map(|number| if rng.chance(1, 9) { "NULL".to_owned() } else { number.to_string() });
        for table in ["indexed", "plain"] {
            conn.run(&format!("INSERT INTO {table} VALUES ({id}, {})", row.join(", ")));
        }
    }
    let values = [
        "'x'", "'B'", "'2'", "'a '", "''", "'q'", "'r,b'", "'b,r'", "'zz'", "0", "1", "2", "3", "2.0", "1e0",
        "'1999'", "1999", "99", "'01'", "2001.4", "5000", "-1", "x'05'", "x'0162'", "x'61'", "511", "5",
        "NULL", "'5'",
    ];
    for round in 0..3000 {
        let column = ["e", "f", "s", "y", "t"][rng.index(5)];
        let mut value = || values[rng.index(values.len())];
        let filter = match round % 5 {
            0 => format!("{column} BETWEEN {} AND {}", value(), value()),
            1 => format!("{column} IN ({}, {})", value(), value()),
            2 => format!("{column} = {}", value()),
            3 => format!("{} <=> {column}", value()),
            _ => format!("{column} {} {}", ["<", "<=", ">", ">="][round / 5 % 4], value()),
        };
        let query = |table: &str| format!("SELECT id FROM {table} WHERE {filter} ORDER BY {column}, id");
        assert_eq!(conn.rows(&query("indexed")), conn.rows(&query("plain")), "{filter}");
    }
}
