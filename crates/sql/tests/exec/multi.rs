//! R1, R3: changes of several tables, and locking reads of them. What they answer is recorded from MySQL in the server's
//! tests; here is what others do meanwhile.

use std::collections::BTreeSet;
use std::pin::pin;

use engine::catalog::def::{DefaultValue, IndexKind};
use types::collation::Collation;
use types::column::{ColumnType, IntSize};
use types::value::Value;
use vfs::sim::Rng;

use crate::db::{Conn, Db, Spec, int, poll, varchar};

/// Two tables `a` and `b` of id, k (indexed), v.
fn tables() -> (Db, Conn) {
    let mut db = Db::new();
    for name in ["a", "b"] {
        let number = |name| (name, int(IntSize::Int), true, DefaultValue::Null);
        db.create(&Spec {
            name,
            columns: vec![("id", int(IntSize::Int), false, DefaultValue::None), number("k"), number("v")],
            indexes: vec![("PRIMARY", IndexKind::Primary, vec![0]), ("k", IndexKind::Plain, vec![1])],
            auto_increment: None,
        });
    }
    let conn = db.connect();
    (db, conn)
}

fn filled() -> (Db, Conn, Conn) {
    let (db, mut first) = tables();
    first.run("INSERT INTO a VALUES (1, 1, 0), (2, 2, 0), (3, 3, 0)");
    first.run("INSERT INTO b VALUES (1, 1, 0), (2, 2, 0), (3, 3, 0)");
    first.autocommit = false;
    let mut second = db.connect();
    second.autocommit = false;
    (db, first, second)
}

fn is_free(db: &Db, table: &str, id: u32) -> bool {
    let mut other = db.connect();
    other.answer(&format!("SELECT v FROM {table} WHERE id = {id} FOR UPDATE NOWAIT")).is_ok()
}

#[test]
fn each_row_that_is_found_changes_once() {
    let mut rng = Rng::new(11);
    for round in 0..150 {
        let (_db, mut conn) = tables();
        for table in ["a", "b"] {
            for id in 0..rng.below(12) {
                let k = if rng.chance(1, 6) { "NULL".to_owned() } else { rng.below(5).to_string() };
                conn.run(&format!("INSERT INTO {table} VALUES ({id}, {k}, 0)"));
            }
        }
        let join = ["a JOIN b", "a LEFT JOIN b", "a RIGHT JOIN b"][rng.index(3)];
        let on = ["a.k = b.k", "a.id = b.k", "a.id < b.id", "b.id = a.k + 1"][rng.index(4)];
        let filter = ["1 = 1", "a.k > 1", "b.id IS NULL", "a.id <> b.id", "b.k IN (1, 3)"][rng.index(5)];
        let from = format!("{join} ON {on} WHERE {filter}");
        let found = |conn: &mut Conn, table: &str| -> BTreeSet<String> {
            let query = format!("SELECT {table}.id FROM {from}");
            conn.rows(&query).into_iter().filter(|id| id != "NULL").collect()
        };
        let (in_a, in_b) = (found(&mut conn, "a"), found(&mut conn, "b"));
        let update = format!("UPDATE {join} ON {on} SET a.v = a.v + 1, b.v = b.v + 1 WHERE {filter}");
        let changed = conn.run(&update);
        assert_eq!(changed.affected, (in_a.len() + in_b.len()) as u64, "round {round}: {update}");
        for (table, expected) in [("a", &in_a), ("b", &in_b)] {
            let once: BTreeSet<String> =
                conn.rows(&format!("SELECT id FROM {table} WHERE v = 1")).into_iter().collect();
            assert_eq!(once, *expected, "round {round}: {update}");
            assert_eq!(conn.rows(&format!("SELECT COUNT(*) FROM {table} WHERE v > 1")), ["0"]);
        }
        let removed = conn.run(&format!("DELETE a, b FROM {from}"));
        assert_eq!(removed.affected, changed.affected, "round {round}: DELETE .. FROM {from}");
        assert_eq!(conn.rows("SELECT id FROM a WHERE v = 1 UNION ALL SELECT id FROM b WHERE v = 1"), [""; 0]);
    }
}

#[test]
fn a_row_that_moves_meanwhile_is_joined_to_where_it_is() {
    for statement in [
        "UPDATE a JOIN b ON b.id = a.k SET b.v = 9 WHERE a.id = 1",
        "DELETE b FROM a JOIN b ON b.id = a.k WHERE a.id = 1",
    ] {
        let (_db, mut first, mut second) = filled();
        first.run("UPDATE a SET k = 3 WHERE id = 1");
        {
            let mut change = pin!(second.start(statement));
            assert!(poll(change.as_mut()).is_none(), "a's row is locked: {statement}");
            first.commit();
            assert_eq!(poll(change.as_mut()).expect("nobody is in the way").unwrap().affected, 1);
        }
        assert_eq!(second.rows("SELECT id FROM b WHERE v = 0"), ["1", "2"], "{statement}");
    }
}

#[test]
fn a_row_that_is_not_meant_any_more_is_passed_over() {
    for statement in [
        "UPDATE a JOIN b ON b.id = a.id SET b.v = 9 WHERE a.k = 1",
        "DELETE b FROM a JOIN b ON b.id = a.id WHERE a.k = 1",
    ] {
        for change in ["UPDATE a SET k = 3 WHERE id = 1", "DELETE FROM a WHERE id = 1"] {
            let (_db, mut first, mut second) = filled();
            first.run(change);
            {
                let mut waits = pin!(second.start(statement));
                assert!(poll(waits.as_mut()).is_none(), "{statement}");
                first.commit();
                assert_eq!(poll(waits.as_mut()).expect("nobody is in the way").unwrap().affected, 0);
            }
            assert_eq!(second.rows("SELECT COUNT(*) FROM b WHERE v = 0"), ["3"], "{statement}");
        }
    }
}

#[test]
fn what_is_read_is_locked_shared_and_what_changes_exclusively() {
    let (db, mut first, _) = filled();
    first.run("UPDATE a JOIN b ON b.id = a.k SET b.v = 9 WHERE a.id = 1");
    let shared = |table: &str| {
        let mut other = db.connect();
        other.answer(&format!("SELECT v FROM {table} WHERE id = 1 FOR SHARE NOWAIT")).is_ok()
    };
    assert_eq!([is_free(&db, "a", 1), shared("a")], [false, true]);
    assert_eq!([is_free(&db, "b", 1), shared("b")], [false, false]);
    assert!(is_free(&db, "a", 2) && is_free(&db, "b", 2), "nothing else is locked");
}

#[test]
fn a_locking_read_of_several_tables_locks_what_it_says() {
    for (query, locked) in [
        ("SELECT a.id FROM a JOIN b ON b.id = a.k WHERE a.id = 1 FOR UPDATE", [true, true]),
        ("SELECT a.id FROM a JOIN b ON b.id = a.k WHERE a.id = 1 FOR UPDATE OF a", [true, false]),
        ("SELECT a.id FROM a JOIN b ON b.id = a.k WHERE a.id = 1 FOR SHARE OF b", [false, true]),
        ("SELECT a.id FROM a LEFT JOIN b ON b.id = a.k AND b.v = 1 WHERE a.id = 1 FOR UPDATE", [true, false]),
        ("SELECT a.id FROM (SELECT 1 AS n) t JOIN a ON a.id = t.n FOR UPDATE", [true, false]),
        ("SELECT COUNT(*) FROM a JOIN b ON b.id = a.k WHERE a.id = 1 FOR UPDATE", [true, true]),
    ] {
        let (db, mut first, _) = filled();
        assert_eq!(first.rows(query), ["1"], "{query}");
        assert_eq!([!is_free(&db, "a", 1), !is_free(&db, "b", 1)], locked, "{query}");
        assert!(is_free(&db, "a", 2), "{query}");
        first.trx.end();
    }
}

#[test]
fn who_takes_the_first_rows_of_a_queue_leaves_the_others_free() {
    let (db, mut first, mut second) = filled();
    let next = "SELECT id FROM a WHERE v = 0 ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED";
    assert_eq!(first.rows(next), ["1"]);
    assert_eq!(second.rows(next), ["2"]);
    assert!(is_free(&db, "a", 3));
    let joined = "SELECT a.id FROM a JOIN b ON b.id = a.id WHERE a.v = 0 LIMIT 1 FOR UPDATE SKIP LOCKED";
    assert_eq!(db.connect().rows(joined), ["3"]);
}

#[test]
fn a_row_that_moves_ahead_of_a_scan_is_met_once() {
    let (_db, mut first, mut second) = filled();
    first.run("UPDATE a SET v = 1 WHERE id = 1");
    first.run("UPDATE a SET k = 50 WHERE id = 2");
    let mut waits = pin!(second.ids("SELECT id FROM a WHERE k > 0 ORDER BY k FOR UPDATE"));
    assert!(poll(waits.as_mut()).is_none(), "the first row is locked");
    first.commit();
    assert_eq!(poll(waits.as_mut()).expect("nobody is in the way"), ["1", "3", "2"]);
}

#[test]
fn a_row_that_moves_while_candidates_are_found_changes_once() {
    for statement in ["UPDATE a SET v = v + 1 WHERE k > 0", "UPDATE a SET v = v + 1 WHERE k > 0 ORDER BY k"] {
        let (_db, mut first, mut second) = filled();
        for id in 4..3000 {
            first.run(&format!("INSERT INTO a VALUES ({id}, {id}, 0)"));
            first.commit();
        }
        {
            let mut finds = pin!(second.start(statement));
            assert!(poll(finds.as_mut()).is_none(), "it gives way");
            first.run("UPDATE a SET k = 1 WHERE id = 2999");
            first.commit();
            let done = (0..100).find_map(|_| poll(finds.as_mut())).expect("nobody is in the way");
            assert_eq!(done.unwrap().matched, 2999, "{statement}");
        }
        assert_eq!(second.rows("SELECT COUNT(*) FROM a WHERE v <> 1"), ["0"], "{statement}");
    }
}

#[test]
fn user_variables_and_texts_of_other_sets_find_rows_by_index() {
    let (mut db, mut conn, _) = filled();
    let varbinary = ColumnType::Varbinary { size: 20 };
    let latin = ColumnType::varchar("c", 20, Collation::Latin1SwedishCi).unwrap();
    db.create(&Spec {
        name: "t",
        columns: vec![
            ("id", int(IntSize::Int), false, DefaultValue::None),
            ("raw", varbinary, true, DefaultValue::Null),
            ("lat", latin, true, DefaultValue::Null),
            ("txt", varchar(20), true, DefaultValue::Null),
        ],
        indexes: vec![
            ("PRIMARY", IndexKind::Primary, vec![0]),
            ("raw", IndexKind::Plain, vec![1]),
            ("lat", IndexKind::Plain, vec![2]),
            ("txt", IndexKind::Plain, vec![3]),
        ],
        auto_increment: None,
    });
    for id in 0..1000 {
        conn.run(&format!("INSERT INTO t VALUES ({id}, 'n{id}', 'n{id}', 'n{id}')"));
    }
    conn.session.user_variables.lock().insert("v".into(), Value::Int(7));
    for (condition, by_index) in [
        ("id = @v", true),
        ("id = @v + 1", true),
        ("id = (@v := 7)", false),
        ("raw = 'n7'", true),
        ("lat = 'n7'", true),
        ("txt = 'n7'", true),
        ("txt = 'n7' COLLATE utf8mb4_bin", false),
        ("txt = CAST('n7' AS BINARY)", false),
    ] {
        assert_eq!(conn.rows(&format!("SELECT COUNT(*) FROM t WHERE {condition}")), ["1"], "{condition}");
        assert_eq!(conn.turns == 0, by_index, "{condition}: {} turns", conn.turns);
    }
}

#[test]
fn what_does_not_fit_into_memory_is_an_error_and_changes_nothing() {
    let (_db, mut first, _) = filled();
    first.memory_max = 200;
    assert_eq!(first.error("UPDATE a JOIN b SET a.v = 5, b.v = 5").0, 1038);
    assert_eq!(first.rows("SELECT COUNT(*) FROM a WHERE v = 5"), ["0"]);
}
