//! Views: what statements about them and through them answer, whose privileges count, what the binary log and a restart
//! keep of them. The answers were recorded from MySQL 9.7.4; privileges and SHOW CREATE VIEW were compared with it by hand.

use crate::client::Client;
use crate::waits::value;
use crate::whole::{World, answers_as_recorded, ok, send};

/// A statement's only value, or its error's number.
fn outcome(client: &mut Client, sql: &str) -> String {
    match client.query(sql) {
        Ok(answer) => answer.rows.concat().into_iter().flatten().next().unwrap_or_else(|| "ok".to_owned()),
        Err(failure) => failure.code().to_string(),
    }
}

/// The second column of the first row.
fn shown(client: &mut Client, sql: &str) -> String {
    client.query(sql).unwrap().rows[0][1].clone().unwrap()
}

#[test]
fn views_answer_as_in_mysql() {
    answers_as_recorded(include_str!("../data/views-9.7.4.txt"), 200);
}

#[test]
fn views_windows_recursion_and_set_operations_go_together() {
    answers_as_recorded(include_str!("../data/combined-9.7.4.txt"), 50);
}

#[test]
fn a_definer_reads_for_others_and_an_invoker_for_himself() {
    let world = World::start();
    let mut root = world.root();
    for sql in [
        "CREATE TABLE d.t (a INT, b INT)",
        "INSERT INTO d.t VALUES (1, 2)",
        "CREATE USER definer@'%' IDENTIFIED WITH mysql_native_password",
        "CREATE VIEW d.v AS SELECT a FROM d.t",
        "CREATE SQL SECURITY INVOKER VIEW d.iv AS SELECT a FROM d.t",
        "CREATE DEFINER = definer@'%' VIEW d.dv AS SELECT a FROM d.t",
        "CREATE DEFINER = gone@'%' VIEW d.gv AS SELECT a FROM d.t",
        "CREATE DEFINER = definer@'%' VIEW d.nested AS SELECT a FROM d.iv",
        "CREATE SQL SECURITY INVOKER VIEW d.nested2 AS SELECT a FROM d.v",
        "CREATE SQL SECURITY INVOKER VIEW d.nested3 AS SELECT a FROM d.iv",
        "GRANT CREATE VIEW ON d.* TO nobody@'%'",
    ] {
        ok(&mut root, sql);
    }
    for view in ["v", "iv", "dv", "gv", "nested", "nested2", "nested3"] {
        ok(&mut root, &format!("GRANT SELECT ON d.{view} TO nobody@'%'"));
    }
    let mut nobody = world.client("nobody");
    for (sql, expected) in [
        ("SELECT a FROM d.v", "1"),
        ("SELECT a FROM d.t", "1142"),
        ("SELECT v.a FROM d.v JOIN d.t", "1142"),
        ("SELECT a FROM d.iv", "1356"),
        ("SELECT a FROM d.dv", "1356"),
        ("SELECT a FROM d.gv", "1045"),
        ("SELECT a FROM d.nested", "1356"),
        ("SELECT a FROM d.nested2", "1"),
        ("SELECT a FROM d.nested3", "1356"),
        ("SHOW CREATE VIEW d.v", "1142"),
        ("SHOW CREATE TABLE d.v", "1142"),
        ("EXPLAIN SELECT a FROM d.v", "1345"),
        ("CREATE VIEW d.mine AS SELECT a FROM d.t", "1142"),
        ("CREATE VIEW d.mine AS SELECT a FROM d.v", "ok"),
        ("SELECT view_definition FROM information_schema.views WHERE table_name = 'mine'", "SELECT a FROM v"),
        ("CREATE OR REPLACE VIEW d.mine AS SELECT a FROM d.v", "1142"),
        ("CREATE DEFINER = definer@'%' VIEW d.other AS SELECT a FROM d.v", "1227"),
        ("DROP VIEW d.mine", "1142"),
        ("ALTER VIEW d.v AS SELECT 1", "1142"),
        ("SELECT view_definition FROM information_schema.views WHERE table_name = 'v'", ""),
    ] {
        assert_eq!(outcome(&mut nobody, sql), expected, "{sql}");
    }
    let grants = [
        ("GRANT SELECT ON d.t TO definer@'%'", &[("dv", "1"), ("nested", "1356")][..]),
        ("GRANT SELECT ON d.iv TO definer@'%'", &[("nested", "1")]),
        ("GRANT SELECT ON d.t TO nobody@'%'", &[("iv", "1"), ("nested3", "1"), ("t", "1")]),
        ("REVOKE SELECT ON d.t FROM definer@'%'", &[("dv", "1356"), ("iv", "1")]),
        ("DROP USER definer@'%'", &[("dv", "1045")]),
    ];
    for (grant, then) in grants {
        ok(&mut root, grant);
        for (table, expected) in then {
            assert_eq!(
                outcome(&mut nobody, &format!("SELECT a FROM d.{table}")),
                *expected,
                "{grant}: {table}"
            );
        }
    }
    assert_eq!(outcome(&mut root, "SELECT a FROM d.dv"), "1449");
    // Who may alter views becomes nobody else thereby.
    ok(&mut root, "GRANT ALL ON d.* TO nobody@'%'");
    assert_eq!(outcome(&mut nobody, "ALTER VIEW d.v AS SELECT 1"), "1227");
    assert_eq!(outcome(&mut nobody, "ALTER VIEW d.mine AS SELECT 1"), "ok");
    assert_eq!(outcome(&mut nobody, "ALTER DEFINER = CURRENT_USER VIEW d.v AS SELECT 1"), "ok");
    ok(&mut root, "ALTER VIEW d.iv AS SELECT b FROM d.t");
    assert!(shown(&mut root, "SHOW CREATE VIEW d.iv").contains("SQL SECURITY INVOKER"));
    world.stop();
}

#[test]
fn a_view_is_kept_and_shown_with_what_it_meant() {
    let world = World::start();
    let mut root = world.root();
    for sql in [
        "CREATE DATABASE other",
        "CREATE TABLE d.t (id INT PRIMARY KEY, `a b` INT)",
        "CREATE TABLE other.t (id INT PRIMARY KEY, c INT)",
        "INSERT INTO d.t VALUES (1, 2)",
        "INSERT INTO other.t VALUES (1, 3)",
        "USE d",
        "CREATE VIEW stars (a, b, c, d, e, f) AS SELECT *, x.*, d.t.id+1 AS next /* a comment */ FROM d.t JOIN other.t x USING (id)",
        "CREATE OR REPLACE SQL SECURITY INVOKER VIEW named (p, q) AS WITH t AS (SELECT 5 AS five) SELECT five, 'a\\'b' FROM t WITH CHECK OPTION",
        "USE other",
        "CREATE VIEW d.far AS SELECT t.id, (SELECT MAX(id) FROM d.t) AS high FROM t WHERE EXISTS (SELECT * FROM d.t u WHERE u.id = t.id)",
        "SET sql_mode = 'ANSI_QUOTES,NO_BACKSLASH_ESCAPES'",
        r#"CREATE VIEW d.ansi AS SELECT "id" AS "i`d", 'a\b"' AS x FROM d."t""#,
        "SET sql_mode = 'PIPES_AS_CONCAT'",
    ] {
        ok(&mut root, sql);
    }
    assert_eq!(outcome(&mut root, "CREATE VIEW d.pipes AS SELECT 1 || 2"), "1235");
    let world = world.restart();
    let mut root = world.root();
    let head = "CREATE ALGORITHM=UNDEFINED DEFINER=`root`@`localhost` SQL SECURITY";
    let expected = [
        (
            "stars",
            "DEFINER VIEW `d`.`stars` (`a`,`b`,`c`,`d`,`e`,`f`) AS SELECT `t`.`id`, `t`.`a b`, `x`.`c`, `x`.`id`, `x`.`c`, t.id+1 AS next \
             FROM t JOIN other.t x USING (id)",
        ),
        (
            "far",
            "DEFINER VIEW `d`.`far` AS SELECT t.id, (SELECT MAX(id) FROM t) AS high FROM `other`.t WHERE EXISTS \
             (SELECT `u`.`id`, `u`.`a b` FROM t u WHERE u.id = t.id)",
        ),
        ("ansi", r#"DEFINER VIEW `d`.`ansi` AS SELECT `id` AS `i``d`, 'a\\b"' AS x FROM `t`"#),
    ];
    for (view, tail) in expected {
        assert_eq!(shown(&mut root, &format!("SHOW CREATE VIEW d.{view}")), format!("{head} {tail}"));
    }
    assert_eq!(value(&mut root, "SELECT x FROM d.ansi").as_deref(), Some("a\\b\""));
    assert_eq!(value(&mut root, "SELECT high FROM d.far").as_deref(), Some("1"));
    world.stop();
}

#[test]
fn views_that_are_shown_load_again() {
    let world = World::start();
    let mut root = world.root();
    for sql in [
        "USE d",
        "CREATE TABLE t (id INT PRIMARY KEY, a INT)",
        "INSERT INTO t VALUES (1, 10), (2, 20)",
        "CREATE VIEW one AS SELECT *, d.t.a * 2 FROM t",
        "CREATE VIEW two (x, y) AS SELECT one.* FROM (SELECT id, a FROM d.one) one",
    ] {
        ok(&mut root, sql);
    }
    let texts = ["one", "two"].map(|view| shown(&mut root, &format!("SHOW CREATE VIEW {view}")));
    for sql in ["CREATE DATABASE e", "USE e", "CREATE TABLE t SELECT id + 100 AS id, a FROM d.t"] {
        ok(&mut root, sql);
    }
    for text in &texts {
        ok(&mut root, text);
    }
    assert_eq!(value(&mut root, "SELECT GROUP_CONCAT(x) FROM two").as_deref(), Some("101,102"));
    assert_eq!(["one", "two"].map(|view| shown(&mut root, &format!("SHOW CREATE VIEW {view}"))), texts);
    world.stop();
}

#[test]
fn the_binary_log_has_the_definer() {
    let world = World::start();
    let mut root = world.root();
    ok(&mut root, "CREATE TABLE d.t (a INT)");
    ok(&mut root, "USE d");
    ok(&mut root, "CREATE VIEW v AS SELECT * FROM t");
    ok(&mut root, "ALTER ALGORITHM = MERGE VIEW v (x) AS SELECT a FROM t WITH LOCAL CHECK OPTION");
    ok(&mut root, "DROP VIEW IF EXISTS v, nothing");
    let events = root.query("SHOW BINLOG EVENTS").unwrap().rows;
    let logged: Vec<&str> =
        events.iter().filter_map(|row| row[5].as_deref()).filter(|info| info.contains("VIEW")).collect();
    let definer = "DEFINER=`root`@`localhost` SQL SECURITY DEFINER VIEW `d`.`v`";
    assert_eq!(
        logged,
        [
            &*format!("use `d`; CREATE ALGORITHM=UNDEFINED {definer} AS SELECT * FROM t"),
            &*format!(
                "use `d`; ALTER ALGORITHM=MERGE {definer} (`x`) AS SELECT a FROM t WITH LOCAL CHECK OPTION"
            ),
            "use `d`; DROP VIEW IF EXISTS v, nothing",
        ]
    );
    world.stop();
}

#[test]
fn a_view_that_is_read_is_not_dropped() {
    let world = World::start();
    let (mut reader, mut root) = (world.root(), world.root());
    ok(&mut root, "CREATE TABLE d.t (a INT)");
    ok(&mut root, "CREATE VIEW d.v AS SELECT a FROM d.t");
    ok(&mut reader, "BEGIN");
    ok(&mut reader, "SELECT * FROM d.v");
    ok(&mut root, "SET lock_wait_timeout = 1");
    for sql in ["DROP VIEW d.v", "ALTER VIEW d.v AS SELECT 1", "DROP TABLE d.t", "RENAME TABLE d.v TO d.w"] {
        assert_eq!(outcome(&mut root, sql), "1205", "{sql}");
    }
    ok(&mut root, "SET lock_wait_timeout = 100");
    send(&mut root, "DROP VIEW d.v");
    ok(&mut reader, "COMMIT");
    root.answer().unwrap();
    assert_eq!(outcome(&mut reader, "SELECT * FROM d.v"), "1146");
    world.stop();
}

#[test]
fn views_within_views_end_at_a_depth() {
    let world = World::start();
    let mut root = world.root();
    let nested = |from: &str| format!("{}{from}{}", "SELECT x FROM (".repeat(90), " LIMIT 9) n".repeat(90));
    ok(&mut root, "USE d");
    ok(&mut root, &format!("CREATE VIEW v0 AS {}", nested("SELECT 1 AS x")));
    assert_eq!(outcome(&mut root, &nested("SELECT x FROM v0")), "1");
    assert_eq!(outcome(&mut root, &format!("CREATE VIEW v1 AS {}", nested("SELECT x FROM v0"))), "ok");
    assert_eq!(outcome(&mut root, "SELECT x FROM v1"), "1");
    assert_eq!(outcome(&mut root, &nested("SELECT x FROM v1")), "1235");
    ok(&mut root, "CREATE VIEW c0 AS SELECT 1 AS x");
    let mut deeper =
        |view: usize| outcome(&mut root, &format!("CREATE VIEW c{view} AS SELECT x FROM c{}", view - 1));
    let (view, error) = (1..300).map(|view| (view, deeper(view))).find(|(_, answer)| answer != "ok").unwrap();
    assert_eq!(error, "1235");
    assert_eq!(outcome(&mut root, &format!("SELECT x FROM c{}", view - 1)), "1");
    // What reads itself in a circle, by a name that came later.
    for sql in [
        "CREATE VIEW a AS SELECT 1 AS x",
        "CREATE VIEW b AS SELECT x FROM a",
        "DROP VIEW a",
        "RENAME TABLE b TO a",
    ] {
        ok(&mut root, sql);
    }
    assert_eq!(outcome(&mut root, "SELECT x FROM a"), "1462");
    world.stop();
}

/// Views of views, as deep as they may be, each of a query of this form. Returns the name of one of the last.
fn tower(root: &mut Client, form: &str) -> String {
    ok(root, "DROP DATABASE IF EXISTS tower");
    ok(root, "CREATE DATABASE tower");
    ok(root, "CREATE VIEW tower.v0 AS SELECT * FROM d.t");
    for level in 1.. {
        let query = form.replace("%s", &format!("tower.v{}", level - 1));
        if let Err(failure) = root.query(&format!("CREATE VIEW tower.v{level} AS {query}")) {
            assert_eq!(failure.code(), 1235, "{}", failure.message());
            assert!(level > 60, "{level} levels of {form}");
            // What asks for it is a few levels deep as well.
            return format!("tower.v{}", level - 4);
        }
    }
    unreachable!("there is a limit")
}

#[test]
fn the_deepest_queries_have_room_on_the_stack() {
    let world = World::start();
    let mut root = world.root();
    ok(&mut root, "CREATE TABLE d.t (a INT, b BIGINT)");
    ok(&mut root, "CREATE TABLE d.into_it (a INT, b BIGINT)");
    ok(&mut root, "INSERT INTO d.t VALUES (1, 2)");
    for form in [
        "SELECT DISTINCT * FROM %s LIMIT 10",
        "SELECT a, COUNT(*) b FROM %s GROUP BY a",
        "SELECT a, SUM(b) OVER (ORDER BY a) b FROM %s",
        "SELECT * FROM %s UNION SELECT * FROM d.t",
        "SELECT * FROM d.t WHERE EXISTS (SELECT 1 FROM %s WHERE a > 0 LIMIT 3)",
        "SELECT t.a, l.b FROM d.t, LATERAL (SELECT b FROM %s LIMIT 1) l",
        "SELECT t.a, l.b FROM d.t LEFT JOIN (SELECT DISTINCT * FROM %s) l ON l.a = t.a",
    ] {
        let view = tower(&mut root, form);
        for sql in [
            format!("SELECT a FROM {view}"),
            format!("PREPARE s FROM 'SELECT a FROM {view} WHERE a > ?'"),
            "EXECUTE s USING @zero".to_owned(),
            format!("EXPLAIN SELECT * FROM {view}"),
            format!("INSERT INTO d.into_it SELECT * FROM {view}"),
            format!("UPDATE d.into_it SET a = (SELECT a FROM {view} LIMIT 1)"),
            format!("SET @a = (SELECT a FROM {view} LIMIT 1)"),
            format!("CREATE TABLE tower.made SELECT * FROM {view}"),
            format!("SHOW CREATE VIEW {view}"),
        ] {
            ok(&mut root, &sql);
        }
        ok(&mut root, "SET @zero = 0");
    }
    world.stop();
}

#[test]
fn a_query_of_with_is_as_deep_as_where_it_is_named() {
    let world = World::start();
    let mut root = world.root();
    let nested =
        |levels: usize, what: &str| format!("{}{what}{}", "(SELECT ".repeat(levels), ")".repeat(levels));
    let query = |levels| {
        let (one, other) = (nested(levels, "1"), nested(levels, "(SELECT a FROM c)"));
        let last = nested(levels, "(SELECT a FROM d)");
        format!("WITH c AS (SELECT {one} a), d AS (SELECT {other} a) SELECT {last}")
    };
    assert_eq!(outcome(&mut root, &query(60)), "1");
    assert_eq!(outcome(&mut root, &query(80)), "1235");
    world.stop();
}
