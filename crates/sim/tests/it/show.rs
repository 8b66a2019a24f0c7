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
const DIFFERENCES: &[(&str, &str)] =
    &[("show collation like 'utf8mb4_gen%'", "it is the default of utf8mb4: there is no utf8mb4_0900_ai_ci")];

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
        Answer::Rows(columns, rows) => {
            (Some(columns.join("|")), rows.iter().map(|row| row_text(row)).collect(), None)
        }
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

#[test]
fn a_checksum_depends_on_rows_and_not_on_their_order_or_the_table() {
    let disk: Arc<dyn Vfs> = Arc::new(SimDisk::new());
    let world = World::open(&disk, &Options::default()).unwrap();
    let mut conn = world.connect();
    conn.ok("CREATE DATABASE d");
    conn.ok("USE d");
    let mut sums = Vec::new();
    for (table, rows) in
        [("a", "(1, 'x'), (2, NULL)"), ("b", "(2, NULL), (1, 'x')"), ("c", "(1, NULL), (2, 'x')"), ("e", "")]
    {
        conn.ok(&format!("CREATE TABLE {table} (k INT, t VARCHAR(9))"));
        if !rows.is_empty() {
            conn.run(&format!("INSERT INTO {table} VALUES {rows}"));
        }
        let row = conn.rows(&format!("CHECKSUM TABLE {table}")).remove(0);
        sums.push(row.strip_prefix(&format!("d.{table}|")).unwrap().to_owned());
    }
    assert_eq!(sums[0], sums[1]);
    assert_ne!(sums[0], sums[2]);
    assert_eq!(sums[3], "0");
}

#[test]
fn the_binlog_is_shown_up_to_what_is_visible() {
    let disk: Arc<dyn Vfs> = Arc::new(SimDisk::new());
    let world = World::open(&disk, &Options::default()).unwrap();
    let mut conn = world.connect();
    conn.ok("CREATE DATABASE d");
    conn.ok("FLUSH BINARY LOGS");
    conn.ok("CREATE TABLE d.t (k INT PRIMARY KEY)");
    conn.run("INSERT INTO d.t VALUES (1)");
    let end = conn.rows("SHOW MASTER STATUS").remove(0);
    let position = end.strip_prefix("binlog.000002|").unwrap().strip_suffix("|||").unwrap().to_owned();
    let logs = conn.rows("SHOW BINARY LOGS");
    assert_eq!(logs.len(), 2);
    assert_eq!(logs[1], format!("binlog.000002|{position}|No"));
    let events = conn.rows("SHOW BINLOG EVENTS IN 'binlog.000002'");
    let kinds: Vec<&str> = events.iter().map(|row| row.split('|').nth(2).unwrap()).collect();
    let trx = ["Anonymous_Gtid", "Query", "Table_map", "Write_rows", "Xid"];
    assert_eq!(kinds, [&["Format_desc", "Previous_gtids", "Anonymous_Gtid", "Query"][..], &trx].concat());
    assert_eq!(events.last().unwrap().split('|').nth(4).unwrap(), position);
    let one = conn.rows("SHOW BINLOG EVENTS IN 'binlog.000002' FROM 4 LIMIT 2, 1");
    assert_eq!(one, [events[2].clone()]);
    // What is behind the visible end may not be whole yet.
    let file = disk.open(std::path::Path::new("/data/binlog.000002"), vfs::Open::ReadWrite).unwrap();
    file.write_at(b"written, not visible, and no event", position.parse().unwrap()).unwrap();
    assert_eq!(conn.rows("SHOW BINLOG EVENTS IN 'binlog.000002'"), events);
    assert_eq!(conn.rows("SHOW BINARY LOGS"), logs);
    let first = conn.rows("SHOW BINLOG EVENTS");
    assert!(first[0].starts_with("binlog.000001|4|Format_desc|1|"), "{first:?}");
}

#[test]
fn nobody_is_told_of_what_he_has_no_privilege_on() {
    let disk: Arc<dyn Vfs> = Arc::new(SimDisk::new());
    let world = World::open(&disk, &Options::default()).unwrap();
    let mut root = world.connect();
    for sql in [
        "CREATE DATABASE open_one",
        "CREATE DATABASE half",
        "CREATE DATABASE hidden",
        "CREATE TABLE open_one.t (k INT)",
        "CREATE TABLE half.seen (k INT)",
        "CREATE TABLE half.unseen (k INT)",
        "CREATE TABLE hidden.t (k INT)",
        "CREATE USER a@localhost",
        "GRANT SELECT, INSERT ON open_one.* TO a@localhost",
        "GRANT UPDATE ON half.seen TO a@localhost",
    ] {
        root.ok(sql);
    }
    let mut conn = world.connect_as("a");
    assert_eq!(conn.rows("SHOW DATABASES"), ["half", "information_schema", "open_one", "performance_schema"]);
    assert_eq!(conn.rows("SHOW TABLES FROM open_one"), ["t"]);
    assert_eq!(conn.rows("SHOW TABLES FROM half"), ["seen"]);
    let tables = "SELECT table_schema, table_name FROM information_schema.tables WHERE table_schema NOT LIKE '%schema'";
    assert_eq!(conn.rows(tables), ["half|seen", "open_one|t"]);
    let columns = "SELECT column_name, privileges FROM information_schema.columns WHERE table_name IN ('t', 'seen', 'unseen')";
    assert_eq!(conn.rows(columns), ["k|update", "k|select,insert"]);
    assert_eq!(
        conn.rows("SELECT * FROM information_schema.user_privileges"),
        ["'a'@'localhost'|def|USAGE|NO"]
    );
    assert_eq!(conn.rows("SHOW GRANTS").len(), 3);
    let denied = [
        ("SHOW TABLES FROM hidden", 1044),
        ("SHOW TABLE STATUS FROM hidden", 1044),
        ("SHOW TRIGGERS FROM hidden", 1044),
        ("SHOW CREATE DATABASE hidden", 1044),
        ("SHOW CREATE TABLE hidden.t", 1142),
        ("SHOW CREATE TABLE hidden.not_there", 1142),
        ("SHOW COLUMNS FROM half.unseen", 1142),
        ("SHOW INDEX FROM hidden.t", 1142),
        ("CHECKSUM TABLE hidden.t", 1142),
        ("CHECK TABLE hidden.t", 1142),
        ("ANALYZE TABLE half.seen", 1142),
        ("SELECT * FROM mysql.user", 1142),
        ("SHOW GRANTS FOR b@localhost", 1044),
        ("SHOW CREATE USER b@localhost", 1044),
        ("SHOW MASTER STATUS", 1227),
        ("SHOW BINARY LOGS", 1227),
        ("SHOW BINLOG EVENTS", 1227),
        ("SHOW REPLICA STATUS", 1227),
        ("SHOW ENGINE INNODB STATUS", 1227),
    ];
    for (sql, number) in denied {
        match conn.run(sql) {
            Answer::Error(found, message) => assert_eq!(found, number, "{sql}: {message}"),
            other => panic!("{sql}: {other:?}"),
        }
    }
}

#[test]
fn every_listed_table_can_be_described_and_read() {
    let disk: Arc<dyn Vfs> = Arc::new(SimDisk::new());
    let world = World::open(&disk, &Options::default()).unwrap();
    let mut conn = world.connect();
    conn.ok("CREATE DATABASE d");
    conn.ok("CREATE TABLE d.t (k INT PRIMARY KEY, c VARCHAR(9), KEY (c))");
    let all = conn.rows("SELECT table_schema, table_name FROM information_schema.tables");
    assert!(all.len() > 80, "{}", all.len());
    for table in all {
        let table = table.replace('|', ".");
        let width = conn.rows(&format!("SHOW FULL COLUMNS FROM {table}")).len();
        match conn.run(&format!("SELECT * FROM {table}")) {
            Answer::Rows(columns, _) => assert_eq!(columns.len(), width, "{table}"),
            other => panic!("{table}: {other:?}"),
        }
        conn.rows(&format!("SHOW CREATE TABLE {table}"));
        conn.rows(&format!("SHOW INDEX FROM {table}"));
    }
}

#[test]
fn names_in_conditions_find_what_a_look_at_every_row_finds() {
    let disk: Arc<dyn Vfs> = Arc::new(SimDisk::new());
    let world = World::open(&disk, &Options::default()).unwrap();
    let mut conn = world.connect();
    for sql in [
        "CREATE DATABASE d",
        "CREATE TABLE d.t (k INT)",
        "CREATE TABLE d.`é` (k INT)",
        "CREATE DATABASE e",
        "USE d",
    ] {
        conn.ok(sql);
    }
    let mut found = |condition: &str| {
        conn.rows(&format!("SELECT table_name FROM information_schema.tables WHERE {condition} ORDER BY 1"))
    };
    assert_eq!(found("table_schema = 'd'"), ["t", "é"]);
    assert_eq!(found("table_schema = DATABASE() AND 't' = table_name"), ["t"]);
    assert_eq!(found("table_schema = 'd' AND table_name = 'T'"), [""; 0]);
    assert_eq!(found("table_schema = 'd' AND table_name = 'T' COLLATE utf8mb4_general_ci"), ["t"]);
    assert_eq!(found("table_schema = 'd' AND table_name = 'e' COLLATE utf8mb4_general_ci"), ["é"]);
    assert_eq!(found("table_schema = 'd' AND table_name = 'é'"), ["é"]);
    assert_eq!(found("table_schema = 'd' AND (table_name = 't' OR table_name = 'é')"), ["t", "é"]);
    assert_eq!(found("table_schema = 'd ' AND table_name = 't '"), ["t"]);
    assert_eq!(found("table_schema = NULL"), [""; 0]);
    assert_eq!(found("table_schema = 'e'"), [""; 0]);
}

#[test]
fn what_answers_with_a_table_can_be_prepared() {
    let disk: Arc<dyn Vfs> = Arc::new(SimDisk::new());
    let world = World::open(&disk, &Options::default()).unwrap();
    let mut conn = world.connect();
    conn.ok("CREATE DATABASE d");
    conn.ok("USE d");
    conn.ok("CREATE TABLE t (k INT PRIMARY KEY)");
    let columns = [
        ("SHOW TABLES", 1),
        ("SHOW FULL COLUMNS FROM t", 9),
        ("SHOW BINLOG EVENTS", 6),
        ("SHOW WARNINGS", 3),
        ("CHECK TABLE t", 4),
        ("CHECKSUM TABLE t", 2),
        ("SELECT * FROM information_schema.engines", 6),
        ("SET @a = 1", 0),
    ];
    for (sql, count) in columns {
        assert_eq!(conn.prepared_columns(sql), count, "{sql}");
    }
    conn.ok("PREPARE s FROM 'SHOW TABLES'");
    assert_eq!(conn.rows("EXECUTE s"), ["t"]);
    conn.ok("CREATE TABLE u (k INT)");
    assert_eq!(conn.rows("EXECUTE s"), ["t", "u"]);
}
