//! Purpose: SHOW, DESCRIBE, `information_schema` and the statements about tables' health answer as MySQL 8.0 does.
//!
//! Requirements: `data/show-8.0.46.txt`, which `tools/record_show.py` has recorded from MySQL 8.0.46.
//!
//! Method: every statement of the file is executed in order. Columns' names, rows and errors must be the recorded ones,
//! but for what [`DIFFERENCES`] lists, where the test demands that the answers differ.

use std::sync::Arc;

use sim::{Answer, Options, World};
use vfs::Vfs;
use vfs::sim::SimDisk;

/// Statements whose answer is ours by intent, and why.
const DIFFERENCES: &[(&str, &str)] = &[];

/// A statement and what was recorded of it.
#[derive(Debug, Default)]
struct Recorded {
    mode: char,
    sql: String,
    columns: Option<String>,
    rows: Vec<String>,
    error: Option<String>,
}

fn recorded() -> Vec<Recorded> {
    let mut all: Vec<Recorded> = Vec::new();
    for line in include_str!("../data/show-8.0.46.txt").lines().skip(1) {
        if let Some(sql) = line.strip_prefix("> ") {
            let (mode, sql) = match sql.split_once(' ') {
                Some((mode @ ("h" | "s"), sql)) => (mode.chars().next().unwrap(), sql),
                _ => (' ', sql),
            };
            all.push(Recorded { mode, sql: sql.to_owned(), ..Recorded::default() });
            continue;
        }
        let last = all.last_mut().unwrap();
        if let Some(row) = line.strip_prefix("= ") {
            last.rows.push(row.to_owned());
        } else if let Some(error) = line.strip_prefix("! ") {
            last.error = Some(error.to_owned());
        } else {
            last.columns = Some(line.to_owned());
        }
    }
    all
}

fn row_text(row: &[Option<String>]) -> String {
    let cell = |cell: &Option<String>| match cell {
        None => "NULL".to_owned(),
        Some(text) => text.replace('\\', "\\\\").replace('\n', "\\n").replace('|', "\\p"),
    };
    row.iter().map(cell).collect::<Vec<_>>().join("|")
}

/// What the answer is instead of the recorded one.
fn difference(recorded: &Recorded, answer: Answer) -> Option<String> {
    let (columns, mut rows, error) = match answer {
        Answer::Ok(..) => (None, Vec::new(), None),
        Answer::Rows(columns, rows) => (Some(columns.join("|")), rows.iter().map(|row| row_text(row)).collect(), None),
        Answer::Error(number, message) => (None, Vec::new(), Some(format!("{number} {message}"))),
    };
    match recorded.mode {
        'h' => rows.clear(),
        's' => rows.sort(),
        _ => {}
    }
    let same = columns == recorded.columns && rows == recorded.rows && error == recorded.error;
    (!same).then(|| {
        let wanted = (&recorded.columns, &recorded.rows, &recorded.error);
        format!("{}\n  ours   {:?}\n  MySQL  {wanted:?}", recorded.sql, (columns, rows, error))
    })
}

#[test]
fn show_and_information_schema_answer_as_mysql() {
    let vfs: Arc<dyn Vfs> = Arc::new(SimDisk::new());
    let world = World::open(&vfs, &Options::default()).unwrap();
    let mut conn = world.connect();
    let mut wrong = Vec::new();
    for statement in recorded() {
        let found = difference(&statement, conn.run(&statement.sql));
        let intended = DIFFERENCES.iter().any(|(sql, _)| *sql == statement.sql);
        match found {
            Some(difference) if !intended => wrong.push(difference),
            None if intended => wrong.push(format!("{}: no longer differs", statement.sql)),
            _ => {}
        }
    }
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong.join("\n"));
}
