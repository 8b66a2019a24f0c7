//! Foreign keys: their definitions, and what they allow.
//!
//! Method: statements and what MySQL 9.7.4 answers to them; `tests/data/foreign_keys-9.7.4.txt`.

use crate::whole::{World, answers_as_recorded, ok};

#[test]
fn definitions_and_errors_are_mysqls() {
    answers_as_recorded(include_str!("../data/foreign_keys-9.7.4.txt"), 285);
}

#[test]
fn types_that_differ_are_refused() {
    let world = World::start();
    let mut root = world.root();
    let pairs = [
        ("DECIMAL(10,2)", "DECIMAL(10,4)"),
        ("DATETIME(3)", "DATETIME"),
        ("TIME", "TIME(3)"),
        ("TIMESTAMP", "DATETIME"),
        ("ENUM('a','b')", "ENUM('a')"),
        ("BINARY(3)", "BINARY(4)"),
        ("INT", "INT UNSIGNED"),
        ("INT", "BIGINT"),
    ];
    for (parent, child) in pairs {
        ok(&mut root, &format!("CREATE TABLE d.p (v {parent} PRIMARY KEY)"));
        let created =
            root.query(&format!("CREATE TABLE d.c (v {child}, FOREIGN KEY (v) REFERENCES d.p (v))"));
        assert_eq!(created.unwrap_err().code(), 3780, "{parent} {child}");
        ok(&mut root, "DROP TABLE d.p");
    }
    // Lengths may differ: what a child cannot hold keeps its parent from changing.
    ok(&mut root, "CREATE TABLE d.p (v VARCHAR(10) PRIMARY KEY)");
    ok(&mut root, "CREATE TABLE d.c (v VARCHAR(3), FOREIGN KEY (v) REFERENCES d.p (v) ON UPDATE CASCADE)");
    ok(&mut root, "INSERT INTO d.p VALUES ('abc')");
    ok(&mut root, "INSERT INTO d.c VALUES ('ABC')");
    assert_eq!(root.query("UPDATE d.p SET v = 'abcd'").unwrap_err().code(), 1451);
    ok(&mut root, "UPDATE d.p SET v = 'ab'");
    assert_eq!(root.query("SELECT v FROM d.c").unwrap().rows, [[Some("ab".to_owned())]]);
    world.stop();
}

/// Numbers that look random: SplitMix64.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        (mixed ^ (mixed >> 27)) % bound
    }
}

/// Errors that concurrent changes of parents and children may meet: a duplicate, a deadlock, a key that refuses.
const MAY_MEET: [u16; 4] = [1062, 1213, 1451, 1452];

#[test]
fn sessions_that_change_parents_and_children_leave_no_orphans() {
    const SESSIONS: u64 = 6;
    const STATEMENTS: u64 = 600;
    let world = World::start();
    let mut root = world.root();
    for table in [
        "CREATE TABLE d.p (id INT PRIMARY KEY, v INT)",
        "CREATE TABLE d.c (id INT AUTO_INCREMENT PRIMARY KEY, p INT,
           FOREIGN KEY (p) REFERENCES d.p (id) ON DELETE CASCADE ON UPDATE CASCADE)",
        "CREATE TABLE d.g (id INT AUTO_INCREMENT PRIMARY KEY, c INT, FOREIGN KEY (c) REFERENCES d.c (id) ON DELETE SET NULL)",
        "CREATE TABLE d.r (id INT AUTO_INCREMENT PRIMARY KEY, p INT, FOREIGN KEY (p) REFERENCES d.p (id))",
    ] {
        ok(&mut root, table);
    }
    let work = |seed: u64| {
        let (mut client, mut random) = (world.root(), Random(seed));
        let mut succeeded = 0;
        for _ in 0..STATEMENTS {
            // Some hold their locks for longer than a statement.
            match random.below(6) {
                0 => ok(&mut client, "BEGIN"),
                1 | 2 => ok(&mut client, "COMMIT"),
                _ => {}
            }
            let (a, b) = (random.below(12), random.below(12));
            let statement = match random.below(10) {
                0 | 1 => format!("INSERT IGNORE INTO d.p VALUES ({a}, 0)"),
                2 => format!("DELETE FROM d.p WHERE id = {a}"),
                3 => format!("UPDATE d.p SET id = {b} WHERE id = {a}"),
                4 => format!("INSERT INTO d.c (p) VALUES ({a})"),
                5 => format!("INSERT INTO d.r (p) VALUES ({a})"),
                6 => format!("DELETE FROM d.r WHERE p = {a}"),
                7 => format!("INSERT INTO d.g (c) SELECT id FROM d.c WHERE p = {a} LIMIT 1"),
                8 => format!("UPDATE d.c SET p = {b} WHERE p = {a} LIMIT 2"),
                _ => format!("DELETE FROM d.c WHERE p = {a} LIMIT 1"),
            };
            match client.query(&statement) {
                Ok(_) => succeeded += 1,
                Err(error) => assert!(MAY_MEET.contains(&error.code()), "{statement}: {error:?}"),
            }
        }
        ok(&mut client, "COMMIT");
        succeeded
    };
    let succeeded: u64 = std::thread::scope(|scope| {
        let sessions: Vec<_> = (0..SESSIONS).map(|seed| scope.spawn(move || work(seed))).collect();
        sessions.into_iter().map(|session| session.join().unwrap()).sum()
    });
    assert!(succeeded > SESSIONS * STATEMENTS / 2, "{succeeded} statements");
    for (child, column, parent) in [("c", "p", "p"), ("r", "p", "p"), ("g", "c", "c")] {
        let orphans = format!(
            "SELECT {child}.* FROM d.{child} LEFT JOIN d.{parent} x ON x.id = {child}.{column}
             WHERE {child}.{column} IS NOT NULL AND x.id IS NULL"
        );
        let orphans = root.query(&orphans).unwrap().rows;
        assert!(orphans.is_empty(), "{child}: {orphans:?}");
    }
    world.stop();
}
