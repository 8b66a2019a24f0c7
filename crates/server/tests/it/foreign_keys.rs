//! Foreign keys: their definitions, and what they allow.
//!
//! Method: statements and what MySQL 9.7.4 answers to them; `tests/data/foreign_keys-9.7.4.txt`.

use crate::whole::World;

/// Where another error comes first.
const KNOWN_DIFFERENCES: &[&str] = &[
    // MySQL looks at the keys that wait for this table by their names, and finds another fault first.
    "create table p (id bigint primary key)",
    "create table p (id int)",
];

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
        if answer != expected && !KNOWN_DIFFERENCES.contains(&statement) {
            wrong.push(format!("{statement}\n  MySQL: {expected}\n  here:  {answer}"));
        }
    }
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong.join("\n"));
    assert!(seen > 290, "{seen} statements");
    world.stop();
}
