//! Conditions: which of them can use an index, as `sql_safe_updates` asks, and values of other types and collations.

use crate::whole::{World, answers_as_recorded, ok};

#[test]
fn the_way_to_the_rows_does_not_matter() {
    answers_as_recorded(include_str!("../data/paths-9.7.4.txt"), 60);
}

#[test]
fn what_was_found_by_reading_is_answered_as_in_mysql() {
    answers_as_recorded(include_str!("../data/reread-9.7.4.txt"), 75);
}

#[test]
fn safe_updates_refuse_what_mysql_refuses() {
    answers_as_recorded(include_str!("../data/safe_updates-9.7.4.txt"), 180);
}

#[test]
fn texts_of_other_collations_and_user_variables_find_the_same_rows() {
    answers_as_recorded(include_str!("../data/text_keys-9.7.4.txt"), 90);
}

#[test]
fn conditions_of_changes_are_strict() {
    answers_as_recorded(include_str!("../data/strict_conditions-9.7.4.txt"), 40);
}

#[test]
fn changes_of_several_tables_are_mysqls() {
    answers_as_recorded(include_str!("../data/several_tables-9.7.4.txt"), 180);
}

#[test]
fn what_the_test_suites_of_clients_ask_is_answered_as_by_mysql() {
    answers_as_recorded(include_str!("../data/suites-9.7.4.txt"), 90);
}

#[test]
fn texts_that_are_no_dates_are_errors_where_mysql_says_so() {
    answers_as_recorded(include_str!("../data/dates-9.7.4.txt"), 38);
}

#[test]
fn integers_are_compared_exactly() {
    answers_as_recorded(include_str!("../data/integers-9.7.4.txt"), 55);
}

#[test]
fn columns_follow_from_what_is_grouped_by() {
    answers_as_recorded(include_str!("../data/full_group_by-9.7.4.txt"), 70);
}

#[test]
fn operands_have_the_scale_of_if_and_case() {
    answers_as_recorded(include_str!("../data/scales-9.7.4.txt"), 45);
}

#[test]
fn children_go_before_their_parents() {
    let world = World::start();
    let mut root = world.root();
    ok(&mut root, "CREATE TABLE d.p (id INT PRIMARY KEY)");
    ok(&mut root, "CREATE TABLE d.c (id INT PRIMARY KEY, p INT, FOREIGN KEY (p) REFERENCES d.p (id))");
    ok(&mut root, "INSERT INTO d.p VALUES (1), (2)");
    ok(&mut root, "INSERT INTO d.c VALUES (1, 1), (2, 1), (3, 2)");
    ok(&mut root, "DELETE d.p, d.c FROM d.p JOIN d.c ON c.p = p.id WHERE p.id = 1");
    let rows = root.query("SELECT p.id, c.id FROM d.p JOIN d.c ON c.p = p.id").unwrap().rows;
    assert_eq!(rows, [[Some("2".to_owned()), Some("3".to_owned())]]);
    world.stop();
}

#[test]
fn the_tables_of_a_change_stand_in_front_of_its_rows() {
    let world = World::start();
    let mut root = world.root();
    for table in ["a", "b"] {
        ok(&mut root, &format!("CREATE TABLE d.{table} (id INT PRIMARY KEY, v INT)"));
        ok(&mut root, &format!("INSERT INTO d.{table} VALUES (1, 1), (2, 2)"));
    }
    for (sql, rows) in [
        ("UPDATE d.a JOIN d.b ON a.id = b.id SET a.v = 5, b.v = 6", "Update_rows"),
        ("DELETE d.a, d.b FROM d.a JOIN d.b ON a.id = b.id", "Delete_rows"),
    ] {
        ok(&mut root, "FLUSH BINARY LOGS");
        ok(&mut root, sql);
        let file = root.query("SHOW BINARY LOG STATUS").unwrap().rows[0][0].clone().unwrap();
        let events = root.query(&format!("SHOW BINLOG EVENTS IN '{file}'")).unwrap().rows;
        let kinds: Vec<&str> = events.iter().skip(2).map(|row| row[2].as_deref().unwrap()).collect();
        assert_eq!(kinds[..4], ["Gtid", "Query", "Table_map", "Table_map"], "{sql}");
        assert!(kinds[4..kinds.len() - 1].iter().all(|kind| *kind == rows), "{kinds:?}");
        let ends = |row: &Vec<Option<String>>| row[5].as_deref().unwrap().contains("STMT_END_F");
        let last = events.iter().filter(|row| ends(row)).count();
        assert_eq!(last, 1, "{sql}: one event ends the statement");
    }
    world.stop();
}

#[test]
fn columns_of_what_stands_for_a_primary_key_say_so() {
    let world = World::start();
    let mut root = world.root();
    ok(&mut root, "USE d");
    let long = "v INT, u INT, w VARCHAR(20) NOT NULL, x INT NOT NULL";
    for (definition, flags) in [
        ("v INT, u INT NOT NULL, UNIQUE KEY (u)", vec![0, 0x5003]),
        (
            &format!("{long}, UNIQUE KEY (w(5)), UNIQUE KEY (u, x), UNIQUE KEY (x, w)"),
            vec![0, 0x4008, 0x5007, 0x5003],
        ),
        ("u INT UNIQUE, v INT", vec![0x4004, 0]),
        ("x INT NOT NULL, y INT NOT NULL, UNIQUE KEY (x, y), UNIQUE KEY (y)", vec![0x5003, 0x5007]),
        ("id INT PRIMARY KEY, u INT NOT NULL UNIQUE", vec![0x5003, 0x5005]),
    ] {
        ok(&mut root, &format!("CREATE TABLE t ({definition})"));
        assert_eq!(root.query("SELECT * FROM t").unwrap().flags, flags, "{definition}: MySQL 9.7.4's");
        ok(&mut root, "DROP TABLE t");
    }
    world.stop();
}

#[test]
fn rows_of_subqueries_find_by_an_index_what_they_find_without() {
    const COLUMNS: [(&str, &str); 8] = [
        ("YEAR", "1, 2001, 2020, '2001'"),
        ("DATE", "'2020-01-01', 20200101, '2001-02-03'"),
        ("DATETIME", "'2020-01-01 00:00:00', '2001-02-03 04:05:06'"),
        ("INT", "1, 2001, 200101, 20200101, -5"),
        ("BIGINT", "9007199254740992, 9007199254740993, 2001, 1"),
        ("DECIMAL(20, 2)", "1, 2001, 1.5, 9007199254740993"),
        ("VARCHAR(20)", "'1', '2001', '2020-01-01', 'a', 'A', 'ä'"),
        ("VARCHAR(20) CHARSET latin1", "'1', '2001', '2020-01-01', 'a', 'A', 'ä'"),
    ];
    const ROWS: [&str; 12] = [
        "SELECT 1 UNION SELECT 2001",
        "SELECT 200101 UNION SELECT 20200101",
        "SELECT 1.50 UNION SELECT 9007199254740993",
        "SELECT 1e0 UNION SELECT 9007199254740993e0",
        "SELECT '2020-01-01' UNION SELECT 'a'",
        "SELECT '9007199254740993' UNION SELECT '1.5'",
        "SELECT DATE'2020-01-01'",
        "SELECT TIMESTAMP'2020-01-01 00:00:00'",
        "SELECT CAST('2001-02-03 04:05:06' AS DATETIME) UNION SELECT NULL",
        "SELECT _utf8mb4'A' COLLATE utf8mb4_bin UNION SELECT _utf8mb4'ä' COLLATE utf8mb4_bin",
        "SELECT CAST(2001 AS YEAR)",
        "SELECT 18446744073709551615 UNION SELECT -5",
    ];
    let world = World::start();
    let mut root = world.root();
    ok(&mut root, "USE d");
    for (number, (ty, values)) in COLUMNS.iter().enumerate() {
        ok(&mut root, &format!("CREATE TABLE plain{number} (v {ty})"));
        ok(&mut root, &format!("CREATE TABLE keyed{number} (v {ty}, KEY (v))"));
        for value in values.split(", ") {
            for table in ["plain", "keyed"] {
                let insert = format!("INSERT IGNORE INTO {table}{number} VALUES ({value}), (NULL)");
                ok(&mut root, &insert);
            }
        }
        for rows_of in ROWS {
            let mut answers = ["plain", "keyed"].map(|table| {
                let ask = format!("SELECT v FROM {table}{number} WHERE v IN ({rows_of}) ORDER BY v");
                root.query(&ask).map(|answer| answer.rows).map_err(|failure| failure.code())
            });
            assert_eq!(answers[0], answers[1].clone(), "{ty}: {rows_of}");
            answers = ["plain", "keyed"].map(|table| {
                let ask = format!("SELECT v FROM {table}{number} WHERE NOT v IN ({rows_of}) ORDER BY v");
                root.query(&ask).map(|answer| answer.rows).map_err(|failure| failure.code())
            });
            assert_eq!(answers[0], answers[1], "NOT {ty}: {rows_of}");
        }
    }
    world.stop();
}

/// Numbers that are compared as doubles: several of a column equal one, with an index as without.
#[test]
fn an_index_finds_what_equals_as_doubles() {
    let world = World::start();
    let mut root = world.root();
    let columns = "(id INT AUTO_INCREMENT PRIMARY KEY, a BIGINT, u BIGINT UNSIGNED, d DECIMAL(30,10)";
    ok(&mut root, &format!("CREATE TABLE d.plain {columns})"));
    ok(&mut root, &format!("CREATE TABLE d.keyed {columns}, KEY (a), KEY (u), KEY (d))"));
    for table in ["plain", "keyed"] {
        let rows = "(9007199254740992, 18446744073709551614, 12345678901234567890), \
                    (9007199254740993, 18446744073709551615, 12345678901234567890.0000000001), (5, 5, 5)";
        ok(&mut root, &format!("INSERT INTO d.{table} (a, u, d) VALUES {rows}"));
    }
    ok(&mut root, "CREATE TABLE d.o (s VARCHAR(30), f DOUBLE)");
    ok(
        &mut root,
        "INSERT INTO d.o VALUES ('9007199254740992', 9007199254740992), ('9007199254740993', 9), ('5', 5)",
    );
    for condition in [
        "a = s",
        "a >= s",
        "a < s",
        "a > f",
        "a = f",
        "u > f",
        "u = 18446744073709551615e0",
        "u = '18446744073709551615'",
        "d = 12345678901234567890e0",
        "d IN (12345678901234567890e0, 5e0)",
        "d BETWEEN 12345678901234567890e0 AND 12345678901234567891e0",
        "d = s",
        "a IN (SELECT s FROM d.o)",
    ] {
        let [plain, keyed] = ["plain", "keyed"].map(|table| {
            let sql =
                format!("SELECT t.id, s FROM d.o STRAIGHT_JOIN d.{table} t ON {condition} ORDER BY t.id, s");
            crate::whole::rows(&mut root, &sql)
        });
        assert!(!plain.is_empty(), "{condition}");
        assert_eq!(plain, keyed, "{condition}");
    }
    world.stop();
}
