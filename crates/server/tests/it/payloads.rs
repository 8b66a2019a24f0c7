//! `binlog_transaction_compression`: transactions that are one compressed event in the log.

use crate::whole::{World, all_ok, answers_as_recorded, ok, rows};

#[test]
fn the_variables_are_mysqls() {
    answers_as_recorded(include_str!("../data/compression-9.7.4.txt"), 45);
}

/// Position, type, end and text of the events of the log that is written now, behind its header.
fn events(world: &World, limit: &str) -> Vec<[String; 4]> {
    let file = rows(&mut world.root(), "SHOW BINARY LOG STATUS")[0].split('|').next().unwrap().to_owned();
    let shown = rows(&mut world.root(), &format!("SHOW BINLOG EVENTS IN '{file}'{limit}"));
    let event = |row: &String| {
        let cells: Vec<&str> = row.split('|').collect();
        [1, 2, 4, 5].map(|at| cells[at].to_owned())
    };
    shown.iter().map(event).filter(|event| !["Format_desc", "Previous_gtids"].contains(&&*event[1])).collect()
}

fn kinds(events: &[[String; 4]]) -> Vec<&str> {
    events.iter().map(|event| &*event[1]).collect()
}

const ROWS: [&str; 6] = ["Gtid", "Transaction_payload", "Query", "Table_map", "Write_rows", "Xid"];

#[test]
fn what_is_compressed_is_what_mysql_compresses() {
    let world = World::start();
    let mut root = world.root();
    ok(&mut root, "CREATE TABLE d.c (id INT PRIMARY KEY, v LONGTEXT)");
    ok(&mut root, "SET binlog_transaction_compression = ON");
    ok(&mut root, "FLUSH BINARY LOGS");
    ok(&mut root, "INSERT INTO d.c VALUES (1, REPEAT('a', 300))");
    let all = events(&world, "");
    assert_eq!(kinds(&all), ROWS);
    let payload = &all[1];
    assert!(payload[3].starts_with("compression='ZSTD', decompressed_size="), "{payload:?}");
    for inner in &all[2..] {
        assert_eq!(
            (&inner[0], &inner[2]),
            (&payload[2], &payload[2]),
            "MySQL gives what is within the end of the whole"
        );
    }
    assert_eq!(kinds(&events(&world, " LIMIT 4, 2")), ["Query", "Table_map"]);
    let xa = [
        "XA START 'x'",
        "INSERT INTO d.c VALUES (2, REPEAT('b', 300))",
        "XA END 'x'",
        "XA PREPARE 'x'",
        "XA COMMIT 'x'",
    ];
    for (statements, expected) in [
        (
            &["CREATE TABLE d.e SELECT * FROM d.c"][..],
            &["Gtid", "Query", "Query", "Table_map", "Write_rows", "Xid"][..],
        ),
        (&["DROP TABLE d.e"], &["Gtid", "Query"]),
        (
            &xa,
            &[
                "Gtid",
                "Transaction_payload",
                "Query",
                "Table_map",
                "Write_rows",
                "Query",
                "XA_prepare",
                "Gtid",
                "Query",
            ],
        ),
    ] {
        ok(&mut root, "FLUSH BINARY LOGS");
        all_ok(&mut root, statements);
        assert_eq!(kinds(&events(&world, "")), expected, "{statements:?}");
    }
    world.stop();
}

/// Spilled, and larger than what a commit has in memory, before and after compression.
#[test]
fn large_transactions_are_compressed_by_every_strategy() {
    let world = World::start();
    let mut root = world.root();
    ok(&mut root, "CREATE TABLE d.c (id INT PRIMARY KEY AUTO_INCREMENT, v LONGBLOB)");
    let random: Vec<String> = (0..12).map(|part| format!("UNHEX(SHA2(CONCAT(i, {part}), 512))")).collect();
    let random = format!("CONCAT({}, REPEAT('x', 500))", random.join(", "));
    for strategy in ["group", "in_redo", "serial", "enhanced"] {
        ok(&mut root, &format!("SET GLOBAL onelog_commit_strategy = '{strategy}'"));
        let mut root = world.root();
        ok(&mut root, "SET binlog_transaction_compression = ON");
        for value in ["REPEAT('large', 300)", &random] {
            ok(&mut root, "FLUSH BINARY LOGS");
            let numbers = "WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 1000)";
            ok(&mut root, &format!("INSERT INTO d.c (v) {numbers} SELECT {value} FROM n"));
            let all = events(&world, "");
            assert_eq!(kinds(&all)[..3], ROWS[..3], "{strategy}");
            let [begin, end] = [0, 2].map(|at| all[1][at].parse::<u64>().unwrap());
            let size: u64 = all[1][3].split(['=', ' ']).nth(3).unwrap().parse().unwrap();
            assert!(end - begin < size, "{strategy}: {size} bytes in {}", end - begin);
        }
        ok(&mut root, "DELETE FROM d.c");
    }
    world.stop();
}
