//! Foreign keys: their definitions, and what they allow.
//!
//! Method: statements and what MySQL 9.7.4 answers to them; `tests/data/foreign_keys-9.7.4.txt`.

use crate::whole::{World, ok};

#[test]
fn definitions_and_errors_are_mysqls() {
    let world = World::start();
    let mut root = world.root();
    let recorded = include_str!("../data/foreign_keys-9.7.4.txt");
    let recorded = recorded.lines().filter(|line| !line.starts_with('#')).collect::<Vec<_>>().join("\n");
    let (mut wrong, mut seen) = (Vec::new(), 0);
    for part in recorded.split(";\n  -> ").collect::<Vec<_>>().windows(2) {
        let statement = part[0].rsplit('\n').next().unwrap();
        let expected = part[1].split('\n').next().unwrap();
        let answer = match root.query(statement) {
            Ok(answer) if answer.columns.is_empty() => "ok".to_owned(),
            Ok(answer) => {
                let text = |row: &Vec<Option<String>>| {
                    row.iter().map(|cell| cell.as_deref().unwrap_or("None")).collect::<Vec<_>>().join("\t")
                };
                answer.rows.iter().map(text).collect::<Vec<_>>().join("|").replace('\n', "\\n")
            }
            Err(error) => format!("{} {}", error.code(), error.message()),
        };
        seen += 1;
        if answer != expected {
            wrong.push(format!("{statement}\n  MySQL: {expected}\n  here:  {answer}"));
        }
    }
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong.join("\n"));
    assert!(seen > 285, "{seen} statements");
    world.stop();
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
