//! WITH RECURSIVE: rows against those that a plain loop makes, and the bounds of what is kept and done.

use engine::catalog::def::{DefaultValue, IndexKind};
use types::collation::Collation;
use types::column::IntSize;
use types::sql_mode::SqlMode;
use types::value::ValueRef;
use vfs::sim::Rng;

use crate::db::{Conn, Db, Spec, int};

/// Edges of a graph, with an index.
fn edges(all: &[(u64, u64)]) -> (Db, Conn) {
    let mut db = Db::new();
    let column = |name| (name, int(IntSize::Int), false, DefaultValue::None);
    let indexes = vec![("PRIMARY", IndexKind::Primary, vec![0]), ("source", IndexKind::Plain, vec![1])];
    let columns = vec![column("id"), column("source"), column("target")];
    db.create(&Spec { name: "e", columns, indexes, auto_increment: None });
    let mut conn = db.connect();
    for (id, (source, target)) in all.iter().enumerate() {
        conn.run(&format!("INSERT INTO e VALUES ({id}, {source}, {target})"));
    }
    (db, conn)
}

#[test]
fn what_random_graphs_reach_is_what_a_loop_finds() {
    for seed in 1..=30 {
        println!("seed {seed}");
        let mut rng = Rng::new(seed);
        let nodes = 2 + rng.below(12);
        let all: Vec<(u64, u64)> = (0..rng.below(25)).map(|_| (rng.below(nodes), rng.below(nodes))).collect();
        let (_db, mut conn) = edges(&all);
        let mut reached = vec![0];
        let mut place = 0;
        while let Some(node) = reached.get(place).copied() {
            for (_, target) in all.iter().filter(|(source, _)| *source == node) {
                if !reached.contains(target) {
                    reached.push(*target);
                }
            }
            place += 1;
        }
        reached.sort_unstable();
        let wanted: Vec<String> = reached.iter().map(u64::to_string).collect();
        for parts in [
            "SELECT target FROM r JOIN e ON source = n",
            "SELECT target FROM e JOIN r ON source = n WHERE target >= 5 UNION SELECT target FROM r, e WHERE source = n \
             AND target < 5",
            "SELECT target FROM e, r LEFT JOIN e AS other ON other.id = n WHERE e.source = r.n",
        ] {
            let query =
                format!("WITH RECURSIVE r AS (SELECT 0 AS n UNION {parts}) SELECT n FROM r ORDER BY n");
            let query = query.replace("SELECT target FROM e, r", "SELECT e.target FROM e, r");
            assert_eq!(conn.rows(&query), wanted, "seed {seed}: {query}");
        }
    }
}

#[test]
fn an_index_serves_what_is_joined_to_its_rows() {
    let all: Vec<(u64, u64)> = (0..900).map(|node| (node, node + 1)).collect();
    let (_db, mut conn) = edges(&all);
    let query = "WITH RECURSIVE r AS (SELECT 0 AS n UNION ALL SELECT target FROM e JOIN r ON source = n) \
                 SELECT COUNT(*) FROM r";
    assert_eq!(conn.rows(query), ["901"]);
    assert!(conn.turns < 60, "{} turns", conn.turns);
}

#[test]
fn endless_recursion_ends_and_gives_way() {
    let (_db, mut conn) = edges(&[]);
    let query = "WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r) SELECT COUNT(*) FROM r";
    let (code, message) = conn.error(query);
    assert_eq!(code, 3636);
    assert!(message.contains("after 1001 iterations"), "{message}");
    conn.session.cte_max_recursion_depth = 10_000;
    assert_eq!(conn.error(query).0, 3636);
    assert!(conn.turns > 70, "{} turns", conn.turns);
    // One row that is the same for ever.
    conn.session.cte_max_recursion_depth = u32::MAX;
    conn.memory_max = 100_000;
    assert_eq!(conn.error(query).0, 1038);
    assert_eq!(conn.rows(&query.replace("UNION ALL SELECT n + 1", "UNION SELECT n % 9 + 1")), ["9"]);
    assert_eq!(conn.rows(&query.replace("FROM r)", "FROM r LIMIT 7)")), ["7"]);
}

#[test]
fn what_is_kept_has_a_bound() {
    let (_db, mut conn) = edges(&[]);
    conn.session.cte_max_recursion_depth = u32::MAX;
    conn.memory_max = 40_000;
    // Only the count leaves the recursion.
    let query =
        "WITH RECURSIVE r AS (SELECT 1 AS n UNION SELECT n + 1 FROM r WHERE n < 1000) SELECT COUNT(*) FROM r";
    assert_eq!(conn.error(query).0, 1038);
    assert_eq!(conn.rows(&query.replace("1000", "50")), ["50"]);
    // Each row makes two: what has not been read takes room, too.
    let doubled = "WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r, (SELECT 1 UNION SELECT 2) two \
                   WHERE n < 30 LIMIT 1 OFFSET 100000000) SELECT * FROM r";
    assert_eq!(conn.error(doubled).0, 1038);
}

#[test]
fn parameters_are_known_in_all_parts() {
    let (_db, mut conn) = edges(&[]);
    let query = "WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n + ? FROM r WHERE n < ? LIMIT ?) \
                 SELECT n FROM r WHERE n > ?";
    let numbers = [ValueRef::Int(2), ValueRef::Int(9), ValueRef::Int(4), ValueRef::Int(1)];
    assert_eq!(conn.rows_with(query, &numbers), ["3", "5", "7"]);
    let query = "WITH RECURSIVE r AS (SELECT ? AS s, 1 AS n UNION ALL SELECT CONCAT(s, ?), n + 1 FROM r WHERE n < 3) \
                 SELECT s FROM r";
    let text = ValueRef::Str(b"ab", Collation::Utf8mb4GeneralCi);
    assert_eq!(conn.rows_with(query, &[text, text]), ["ab", "abab", "ababab"]);
}

#[test]
fn rows_that_do_not_fit_are_errors_in_strict_mode_and_cut_in_others() {
    let (_db, mut conn) = edges(&[]);
    let query = "WITH RECURSIVE r AS (SELECT 'ab' AS s, 1 AS n UNION ALL SELECT CONCAT(s, 'c'), n + 1 FROM r \
                 WHERE n < 3) SELECT s FROM r";
    let (code, message) = conn.error(query);
    assert_eq!((code, &*message), (1406, "Data too long for column 's' at row 1"));
    conn.session.sql_mode = SqlMode::default().without(SqlMode::STRICT_TRANS_TABLES);
    assert_eq!(conn.rows(query), ["ab", "ab", "ab"]);
}

#[test]
fn nested_recursive_queries_are_bound_once_each() {
    let (_db, mut conn) = edges(&[]);
    let mut query = "SELECT 1 AS n".to_owned();
    for level in 0..40 {
        query = format!(
            "WITH RECURSIVE r{level} AS (SELECT 1 AS n UNION ({query}) UNION SELECT n FROM r{level}) SELECT n FROM r{level}"
        );
    }
    assert_eq!(conn.rows(&query), ["1"]);
}
