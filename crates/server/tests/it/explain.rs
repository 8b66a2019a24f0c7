//! EXPLAIN. The answers were compared with those of MySQL 9.7.4 with `explain_format=TRADITIONAL`; they differ in what
//! `docs/LIMITS.md` names.

use crate::client::Client;
use crate::whole::{World, ok};

const TABLES: [&str; 2] = [
    "CREATE TABLE t (id INT PRIMARY KEY, a INT, b VARCHAR(10), c INT, d CHAR(5), u BIGINT NOT NULL, e TEXT,
       KEY ab (a, b), UNIQUE u (u), KEY d (d), KEY e (e(4)))",
    "CREATE TABLE s (id INT PRIMARY KEY, t_id INT, KEY t_id (t_id))",
];

/// A hundred rows of `t`, fifty of `s`.
fn fill(root: &mut Client) {
    ok(root, "USE d");
    for sql in TABLES {
        ok(root, sql);
    }
    let row = |n: u32| format!("({n}, {}, 'b{n}', {}, '{}', {n}, 'e')", n % 10, n % 3, n % 4);
    let rows: Vec<String> = (1..=100).map(row).collect();
    ok(root, &format!("INSERT INTO t VALUES {}", rows.join(", ")));
    ok(root, "INSERT INTO s SELECT id, id FROM t WHERE id <= 50");
}

/// What EXPLAIN says of a statement: rows without `partitions`, which is NULL; NULLs are empty.
fn explained(root: &mut Client, sql: &str) -> Vec<String> {
    let answer = root.query(&format!("EXPLAIN {sql}")).unwrap_or_else(|error| panic!("{sql}: {error:?}"));
    let line = |mut row: Vec<Option<String>>| {
        assert_eq!(row.remove(3), None, "partitions");
        row.into_iter().map(Option::unwrap_or_default).collect::<Vec<_>>().join("|")
    };
    answer.rows.into_iter().map(line).collect()
}

fn compare(answers: &[(&str, &[&str])]) {
    let world = World::start();
    let mut root = world.root();
    fill(&mut root);
    let found = answers.iter().map(|(sql, _)| (*sql, explained(&mut root, sql)));
    let wrong: Vec<_> = found.zip(answers).filter(|((_, ours), (_, theirs))| ours != theirs).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
    world.stop();
}

#[test]
fn a_table_is_explained_as_by_mysql() {
    compare(&[
        ("SELECT 1", &["1|SIMPLE|||||||||No tables used"]),
        ("SELECT * FROM t", &["1|SIMPLE|t|ALL|||||100|100.00|"]),
        ("SELECT id, RANK() OVER (ORDER BY c) FROM t", &["1|SIMPLE|t|ALL|||||100|100.00|Using filesort"]),
        ("SELECT id, SUM(c) OVER () FROM t", &["1|SIMPLE|t|ALL|||||100|100.00|"]),
        ("SELECT * FROM t WHERE id=3", &["1|SIMPLE|t|const|PRIMARY|PRIMARY|4|const|1|100.00|"]),
        ("SELECT * FROM t WHERE id=2+1", &["1|SIMPLE|t|const|PRIMARY|PRIMARY|4|const|1|100.00|"]),
        ("SELECT * FROM t WHERE u=4", &["1|SIMPLE|t|const|u|u|8|const|1|100.00|"]),
        ("SELECT * FROM t WHERE a=3", &["1|SIMPLE|t|ref|ab|ab|5|const|10|100.00|"]),
        ("SELECT * FROM t WHERE a=3 AND b='x'", &["1|SIMPLE|t|ref|ab|ab|48|const,const|0|100.00|"]),
        ("SELECT * FROM t WHERE a>3 AND a<6", &["1|SIMPLE|t|range|ab|ab|5||20|100.00|"]),
        ("SELECT * FROM t WHERE a=3 OR a=5", &["1|SIMPLE|t|range|ab|ab|5||20|100.00|"]),
        ("SELECT * FROM t WHERE id IN (1,2,3)", &["1|SIMPLE|t|range|PRIMARY|PRIMARY|4||3|100.00|"]),
        ("SELECT * FROM t WHERE a IS NULL", &["1|SIMPLE|t|ref|ab|ab|5|const|0|100.00|"]),
        ("SELECT * FROM t WHERE c=1", &["1|SIMPLE|t|ALL|||||100||Using where"]),
        ("SELECT * FROM t WHERE id=1 OR c=1", &["1|SIMPLE|t|ALL|||||100||Using where"]),
        ("SELECT * FROM t WHERE d='1'", &["1|SIMPLE|t|ref|d|d|21|const|25|100.00|"]),
        ("SELECT * FROM t WHERE e='e'", &["1|SIMPLE|t|ref|e|e|19|const|100||Using where"]),
        ("SELECT COUNT(*) FROM t WHERE a=3", &["1|SIMPLE|t|ref|ab|ab|5|const|10|100.00|Using index"]),
        ("SELECT * FROM t WHERE a=3 FOR UPDATE", &["1|SIMPLE|t|ref|ab|ab|5|const|10|100.00|"]),
        ("SELECT * FROM t ORDER BY id DESC LIMIT 2", &["1|SIMPLE|t|ALL|||||100|100.00|Backward index scan"]),
        ("SELECT * FROM t ORDER BY a LIMIT 2", &["1|SIMPLE|t|index||ab|48||100|100.00|"]),
        (
            "SELECT c, COUNT(*) FROM t GROUP BY c ORDER BY 2",
            &["1|SIMPLE|t|ALL|||||100|100.00|Using temporary; Using filesort"],
        ),
        ("SELECT DISTINCT c FROM t", &["1|SIMPLE|t|ALL|||||100|100.00|Using temporary"]),
        ("SELECT * FROM t WHERE 1=0", &["1|SIMPLE|||||||||Impossible WHERE"]),
        ("SELECT * FROM t LIMIT 0", &["1|SIMPLE|||||||||Zero limit"]),
    ]);
}

#[test]
fn patterns_are_ranges_where_they_say_how_texts_begin() {
    compare(&[
        ("SELECT * FROM t WHERE d LIKE '1%'", &["1|SIMPLE|t|range|d|d|21||25||Using where"]),
        ("SELECT * FROM t WHERE d LIKE '1'", &["1|SIMPLE|t|range|d|d|21||25||Using where"]),
        ("SELECT * FROM t WHERE d LIKE ''", &["1|SIMPLE|t|range|d|d|21||0||Using where"]),
        ("SELECT * FROM t WHERE d LIKE '2%' ESCAPE '2'", &["1|SIMPLE|t|range|d|d|21||0||Using where"]),
        ("SELECT * FROM t WHERE d LIKE '%1'", &["1|SIMPLE|t|ALL|||||100||Using where"]),
        ("SELECT * FROM t WHERE d LIKE '_1'", &["1|SIMPLE|t|ALL|||||100||Using where"]),
        ("SELECT * FROM t WHERE d NOT LIKE '1%'", &["1|SIMPLE|t|ALL|||||100||Using where"]),
        ("SELECT * FROM t WHERE e LIKE 'ex%'", &["1|SIMPLE|t|range|e|e|19||0||Using where"]),
        ("SELECT * FROM t WHERE a=3 AND b LIKE 'b1%'", &["1|SIMPLE|t|range|ab|ab|48||1||Using where"]),
        ("SELECT * FROM t WHERE a=3 AND b LIKE '%1'", &["1|SIMPLE|t|ref|ab|ab|5|const|10||Using where"]),
        ("SELECT * FROM t WHERE d LIKE '1%' OR d='2'", &["1|SIMPLE|t|range|d|d|21||50||Using where"]),
        ("SELECT * FROM t WHERE d LIKE '1%' OR d LIKE '%2'", &["1|SIMPLE|t|ALL|||||100||Using where"]),
        ("SELECT * FROM t WHERE d LIKE '1%' AND d<'1x'", &["1|SIMPLE|t|range|d|d|21||25||Using where"]),
        (
            "SELECT * FROM t WHERE d LIKE '1%' ORDER BY d DESC LIMIT 3",
            &["1|SIMPLE|t|range|d|d|21||25||Using where; Backward index scan"],
        ),
        ("SELECT d FROM t WHERE u LIKE '3%'", &["1|SIMPLE|t|ALL|||||100||Using where"]),
        (
            "SELECT * FROM s JOIN t ON t.id=s.t_id WHERE d LIKE '1%'",
            &["1|SIMPLE|t|range|d|d|21||25||Using where", "1|SIMPLE|s|ref|t_id|t_id|5|d.t.id||100.00|"],
        ),
        ("DELETE FROM t WHERE d LIKE '1%'", &["1|DELETE|t|range|d|d|21||25||Using where"]),
    ]);
}

#[test]
fn several_queries_are_explained_as_by_mysql() {
    compare(&[
        (
            "SELECT * FROM t x JOIN s ON s.t_id=x.id WHERE x.a=3",
            &["1|SIMPLE|x|ref|ab|ab|5|const|10|100.00|", "1|SIMPLE|s|ref|t_id|t_id|5|d.x.id||100.00|"],
        ),
        (
            "SELECT * FROM s LEFT JOIN t ON t.id=s.t_id AND t.c=1",
            &["1|SIMPLE|s|ALL|||||50|100.00|", "1|SIMPLE|t|eq_ref|PRIMARY|PRIMARY|4|d.s.t_id|1||Using where"],
        ),
        (
            "SELECT 1 UNION SELECT 2",
            &[
                "1|PRIMARY|||||||||No tables used",
                "2|UNION|||||||||No tables used",
                "3|UNION RESULT|<union1,2>|ALL|||||||Using temporary",
            ],
        ),
        (
            "SELECT 1 UNION ALL SELECT 2",
            &["1|PRIMARY|||||||||No tables used", "2|UNION|||||||||No tables used"],
        ),
        (
            "SELECT a FROM t UNION SELECT id FROM s ORDER BY 1",
            &[
                "1|PRIMARY|t|ALL|||||100|100.00|",
                "2|UNION|s|ALL|||||50|100.00|",
                "3|UNION RESULT|<union1,2>|ALL|||||||Using temporary; Using filesort",
            ],
        ),
        (
            "SELECT (SELECT COUNT(*) FROM s) FROM t WHERE id=1",
            &["1|PRIMARY|t|const|PRIMARY|PRIMARY|4|const|1|100.00|", "2|SUBQUERY|s|ALL|||||50|100.00|"],
        ),
        (
            "SELECT (SELECT MAX(id) FROM s WHERE s.t_id=t.id) FROM t",
            &["1|PRIMARY|t|ALL|||||100|100.00|", "2|DEPENDENT SUBQUERY|s|ref|t_id|t_id|5|func||100.00|"],
        ),
        (
            "SELECT * FROM (SELECT a, COUNT(*) n FROM t GROUP BY a) g WHERE n>1",
            &["1|PRIMARY|<derived2>|ALL|||||||Using where", "2|DERIVED|t|ALL|||||100|100.00|Using temporary"],
        ),
        (
            "WITH c AS (SELECT a, COUNT(*) FROM t GROUP BY a) SELECT * FROM c x, c y",
            &[
                "1|PRIMARY|<derived2>|ALL|||||||",
                "1|PRIMARY|<derived2>|ALL|||||||",
                "2|DERIVED|t|ALL|||||100|100.00|Using temporary",
            ],
        ),
        (
            // MySQL looks at all of t, or makes a semi-join of it; here the subquery's rows are looked up.
            "SELECT * FROM t WHERE id IN (SELECT t_id FROM s)",
            &["1|PRIMARY|t|range|PRIMARY|PRIMARY|4|||100.00|", "2|SUBQUERY|s|ALL|||||50|100.00|"],
        ),
        (
            "SELECT * FROM (SELECT id FROM s UNION SELECT id FROM t) g, (SELECT 1) h",
            &[
                "1|PRIMARY|<derived2>|ALL|||||||",
                "1|PRIMARY|<derived4>|ALL|||||||",
                "2|DERIVED|s|ALL|||||50|100.00|",
                "3|UNION|t|ALL|||||100|100.00|",
                "5|UNION RESULT|<union2,3>|ALL|||||||Using temporary",
                "4|DERIVED|||||||||No tables used",
            ],
        ),
    ]);
}

#[test]
fn totals_of_groups_are_explained_as_by_mysql() {
    compare(&[
        (
            "SELECT c, COUNT(*) FROM t GROUP BY c WITH ROLLUP",
            &["1|SIMPLE|t|ALL|||||100|100.00|Using filesort"],
        ),
        (
            "SELECT c, COUNT(*) FROM t GROUP BY c WITH ROLLUP ORDER BY c",
            &["1|SIMPLE|t|ALL|||||100|100.00|Using temporary; Using filesort"],
        ),
        (
            "SELECT c, RANK() OVER () FROM t GROUP BY c WITH ROLLUP",
            &["1|SIMPLE|t|ALL|||||100|100.00|Using temporary; Using filesort"],
        ),
    ]);
}

#[test]
fn what_is_lateral_is_explained_as_by_mysql() {
    compare(&[
        (
            "SELECT * FROM t, LATERAL (SELECT MAX(id) FROM s WHERE s.t_id=t.a) l WHERE c>1",
            &[
                "1|PRIMARY|t|ALL|||||100||Using where; Rematerialize (<derived2>)",
                "1|PRIMARY|<derived2>|ALL|||||||",
                "2|DEPENDENT DERIVED|s|ref|t_id|t_id|5|func||100.00|",
            ],
        ),
        (
            "SELECT STRAIGHT_JOIN * FROM s, t, LATERAL (SELECT s.id i LIMIT 1) l, LATERAL (SELECT l.i+t.a LIMIT 1) m",
            &[
                "1|PRIMARY|s|ALL|||||50|100.00|Rematerialize (<derived2>)",
                "1|PRIMARY|t|ALL|||||100|100.00|",
                "1|PRIMARY|<derived2>|ALL|||||||Rematerialize (<derived3>)",
                "1|PRIMARY|<derived3>|ALL|||||||",
                "2|DEPENDENT DERIVED|||||||||No tables used",
                "3|DEPENDENT DERIVED|||||||||No tables used",
            ],
        ),
        (
            "SELECT (SELECT i FROM LATERAL (SELECT t.id i LIMIT 1) l) FROM t",
            &[
                "1|PRIMARY|t|ALL|||||100|100.00|",
                "2|DEPENDENT SUBQUERY|<derived3>|ALL|||||||",
                "3|DEPENDENT DERIVED|||||||||No tables used",
            ],
        ),
        (
            "SELECT * FROM t, LATERAL (SELECT t.id i LIMIT 1) l WHERE 1=2",
            &["1|PRIMARY|||||||||Impossible WHERE", "2|DEPENDENT DERIVED|||||||||No tables used"],
        ),
    ]);
}

#[test]
fn set_operations_and_recursion_are_explained_as_by_mysql() {
    compare(&[
        (
            "SELECT a FROM t UNION SELECT id FROM s EXCEPT SELECT 3 EXCEPT SELECT 4 ORDER BY 1",
            &[
                "1|PRIMARY|t|ALL|||||100|100.00|",
                "2|UNION|s|ALL|||||50|100.00|",
                "5|UNION RESULT|<union1,2>|ALL|||||||Using temporary",
                "3|EXCEPT|||||||||No tables used",
                "4|EXCEPT|||||||||No tables used",
                "6|EXCEPT RESULT|<except5,3,4>|ALL|||||||Using temporary; Using filesort",
            ],
        ),
        (
            "SELECT 1 UNION SELECT 2 INTERSECT ALL SELECT 3",
            &[
                "1|PRIMARY|||||||||No tables used",
                "2|PRIMARY|||||||||No tables used",
                "3|INTERSECT|||||||||No tables used",
                "4|INTERSECT RESULT|<intersect2,3>|ALL|||||||Using temporary",
                "5|UNION RESULT|<union1,4>|ALL|||||||Using temporary",
            ],
        ),
        (
            "WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT t.a FROM r JOIN t ON t.id=r.n) SELECT * FROM r, r q",
            &[
                "1|PRIMARY|<derived2>|ALL|||||||",
                "1|PRIMARY|<derived2>|ALL|||||||",
                "2|DERIVED|||||||||No tables used",
                "3|UNION|r|ALL|||||||Recursive",
                "3|UNION|t|eq_ref|PRIMARY|PRIMARY|4|r.n|1|100.00|",
            ],
        ),
    ]);
}

#[test]
fn changes_are_explained_as_by_mysql_and_not_made() {
    compare(&[
        ("UPDATE t SET c=1 WHERE id=3", &["1|UPDATE|t|range|PRIMARY|PRIMARY|4|const|1|100.00|"]),
        ("UPDATE t SET c=1 WHERE a=3", &["1|UPDATE|t|range|ab|ab|5|const|10|100.00|"]),
        ("DELETE FROM t WHERE a>3", &["1|DELETE|t|range|ab|ab|5||60|100.00|"]),
        ("DELETE FROM t", &["1|DELETE|t|ALL|||||100|100.00|"]),
        ("INSERT INTO t(id,u) VALUES (100,1)", &["1|INSERT|t|ALL|||||||"]),
        ("REPLACE INTO t(id,u) VALUES (100,1)", &["1|REPLACE|t|ALL|||||||"]),
        (
            "INSERT INTO s SELECT id, a FROM t WHERE a=3",
            &["1|INSERT|s|ALL|||||||", "1|SIMPLE|t|ref|ab|ab|5|const|10|100.00|"],
        ),
        (
            "UPDATE s JOIN t ON s.t_id=t.id SET t.c=5 WHERE s.id=3",
            &[
                "1|SIMPLE|s|const|PRIMARY|PRIMARY|4|const|1|100.00|",
                "1|UPDATE|t|eq_ref|PRIMARY|PRIMARY|4|d.s.t_id|1|100.00|",
            ],
        ),
        (
            "DELETE t FROM s JOIN t ON s.t_id=t.id WHERE s.id=3",
            &[
                "1|SIMPLE|s|const|PRIMARY|PRIMARY|4|const|1|100.00|",
                "1|DELETE|t|eq_ref|PRIMARY|PRIMARY|4|d.s.t_id|1|100.00|",
            ],
        ),
    ]);
}

#[test]
fn what_cannot_be_explained_is_refused() {
    let world = World::start();
    let mut root = world.root();
    fill(&mut root);
    let mut error = |sql: &str| root.query(sql).unwrap_err().code();
    assert_eq!(error("EXPLAIN ANALYZE SELECT 1"), 1235);
    assert_eq!(error("EXPLAIN FORMAT=TREE SELECT 1"), 1235);
    assert_eq!(error("EXPLAIN FORMAT=JSON SELECT 1"), 1235);
    assert_eq!(error("EXPLAIN FORMAT=abc SELECT 1"), 1791);
    assert_eq!(error("EXPLAIN SELECT * FROM nosuch"), 1146);
    assert_eq!(error("EXPLAIN SELECT nosuch FROM t"), 1054);
    ok(&mut root, "GRANT SELECT ON d.s TO nobody@'%'");
    let mut nobody = world.client("nobody");
    assert_eq!(nobody.query("EXPLAIN SELECT * FROM d.t").unwrap_err().code(), 1142);
    assert_eq!(nobody.query("EXPLAIN DELETE FROM d.s").unwrap_err().code(), 1142);
    assert_eq!(explained(&mut nobody, "SELECT * FROM d.s").len(), 1);
    world.stop();
}

#[test]
fn what_is_explained_is_as_it_would_run_and_leaves_nothing_behind() {
    let world = World::start();
    let (mut root, mut other) = (world.root(), world.root());
    fill(&mut root);
    ok(&mut root, "SET @a = 3, SESSION lock_wait_timeout = 1");
    assert_eq!(
        explained(&mut root, "SELECT * FROM t WHERE id=@a"),
        ["1|SIMPLE|t|const|PRIMARY|PRIMARY|4|const|1|100.00|"]
    );
    // Its parameters cannot be known, as before.
    assert_eq!(root.query("PREPARE p FROM 'EXPLAIN SELECT * FROM t WHERE id=?'").unwrap_err().code(), 1295);
    ok(&mut root, "PREPARE p FROM 'EXPLAIN SELECT * FROM t'");
    assert_eq!(root.query("EXECUTE p").unwrap().rows.len(), 1);
    // The snapshot is that of the first query.
    ok(&mut root, "BEGIN");
    explained(&mut root, "SELECT * FROM t");
    ok(&mut other, "USE d");
    ok(&mut other, "SET SESSION lock_wait_timeout = 1");
    ok(&mut other, "INSERT INTO t (id, u) VALUES (101, 101)");
    assert_eq!(root.query("SELECT COUNT(*) FROM t").unwrap().rows, [[Some("101".to_owned())]]);
    ok(&mut root, "COMMIT");
    // A change is none.
    ok(&mut other, "FLUSH TABLES WITH READ LOCK");
    ok(&mut root, "START TRANSACTION READ ONLY");
    assert_eq!(explained(&mut root, "DELETE FROM t").len(), 1);
    ok(&mut root, "COMMIT");
    ok(&mut other, "UNLOCK TABLES");
    ok(&mut other, "LOCK TABLES t READ");
    assert_eq!(explained(&mut root, "UPDATE t SET c=1").len(), 1);
    ok(&mut other, "UNLOCK TABLES");
    // No lock of the table is left.
    ok(&mut other, "ALTER TABLE t ADD COLUMN z INT");
    ok(&mut other, "DROP TABLE t");
    world.stop();
}
