//! INSERT, REPLACE, UPDATE, DELETE and transactions.

use std::sync::Arc;

use engine::catalog::def::{DefaultValue, IndexKind, TableDef};
use engine::catalog::table::Table;
use types::column::IntSize;

use crate::db::{Conn, Db, Spec, int, varchar};

fn table() -> (Db, Conn) {
    let mut db = Db::new();
    db.create(&Spec {
        name: "t",
        columns: vec![
            ("id", int(IntSize::Int), false, DefaultValue::None),
            ("u", int(IntSize::Int), true, DefaultValue::Null),
            ("v", varchar(20), false, DefaultValue::Stored(vec![1, b'd'])),
        ],
        indexes: vec![
            ("PRIMARY", IndexKind::Primary, vec![0]),
            ("u", IndexKind::Unique, vec![1]),
            ("v", IndexKind::Plain, vec![2]),
        ],
        auto_increment: Some(0),
    });
    let conn = db.connect();
    (db, conn)
}

#[test]
fn auto_increment_counts_as_mysql_does() {
    let (_db, mut conn) = table();
    let changed = conn.run("INSERT INTO t (u) VALUES (1), (2), (3)");
    assert_eq!((changed.affected, changed.insert_id, changed.generated), (3, 1, true));
    assert_eq!(changed.info.as_deref(), Some("Records: 3  Duplicates: 0  Warnings: 0"));
    let changed = conn.run("INSERT INTO t (id, u) VALUES (10, 10)");
    assert_eq!((changed.insert_id, changed.generated), (10, false));
    let changed = conn.run("INSERT INTO t VALUES (NULL, 11, 'x'), (0, 12, 'y')");
    assert_eq!(changed.insert_id, 11);
    assert_eq!(conn.rows("SELECT id, u, v FROM t WHERE id > 9"), ["10|10|d", "11|11|x", "12|12|y"]);
}

#[test]
fn duplicates_are_refused_replaced_ignored_or_updated() {
    let (_db, mut conn) = table();
    conn.run("INSERT INTO t VALUES (1, 1, 'a'), (2, 2, 'b'), (3, NULL, 'c'), (4, NULL, 'c')");
    assert_eq!(
        conn.error("INSERT INTO t VALUES (1, 9, 'z')"),
        (1062, "Duplicate entry '1' for key 't.PRIMARY'".into())
    );
    assert_eq!(
        conn.error("INSERT INTO t VALUES (9, 2, 'z')"),
        (1062, "Duplicate entry '2' for key 't.u'".into())
    );
    assert_eq!(conn.error("INSERT INTO t VALUES (8, 8, 'z'), (9, 2, 'z')").0, 1062);
    assert_eq!(conn.rows("SELECT COUNT(*) FROM t"), ["4"], "a failed statement leaves nothing");
    let changed = conn.run("INSERT IGNORE INTO t VALUES (1, 9, 'z'), (5, 5, 'z')");
    assert_eq!((changed.affected, conn.warnings.count()), (1, 1));
    let changed = conn.run("REPLACE INTO t VALUES (1, 2, 'r')");
    assert_eq!(changed.affected, 3, "one new row, two that were in its way");
    assert_eq!(conn.rows("SELECT id, u, v FROM t WHERE id < 3"), ["1|2|r"]);
    let changed =
        conn.run("INSERT INTO t (id, u) VALUES (1, 7) ON DUPLICATE KEY UPDATE u = VALUES(u) + 1, v = 'dup'");
    assert_eq!(changed.affected, 2);
    assert_eq!(conn.rows("SELECT id, u, v FROM t WHERE id = 1"), ["1|8|dup"]);
    let changed = conn.run("INSERT INTO t (id, u) VALUES (1, 7) ON DUPLICATE KEY UPDATE u = 8");
    assert_eq!(changed.affected, 0, "the row was so already");
}

#[test]
fn updates_move_index_entries_and_see_earlier_assignments() {
    let (_db, mut conn) = table();
    conn.run("INSERT INTO t VALUES (1, 1, 'a'), (2, 2, 'b'), (3, 3, 'c')");
    let changed = conn.run("UPDATE t SET u = u + 10, v = u WHERE id = 2");
    assert_eq!((changed.matched, changed.affected), (1, 1));
    assert_eq!(conn.rows("SELECT v FROM t WHERE u = 12"), ["12"]);
    assert_eq!(conn.rows("SELECT v FROM t WHERE u = 2"), [""; 0]);
    let changed = conn.run("UPDATE t SET v = 'c' WHERE id = 3");
    assert_eq!((changed.matched, changed.affected), (1, 0));
    assert_eq!(changed.info.as_deref(), Some("Rows matched: 1  Changed: 0  Warnings: 0"));
    conn.run("UPDATE t SET id = id + 100 WHERE v >= 'a'");
    assert_eq!(conn.rows("SELECT id FROM t ORDER BY id"), ["2", "101", "103"]);
    assert_eq!(conn.error("UPDATE t SET u = 1 WHERE id = 2").0, 1062);
    conn.run("UPDATE t SET u = u + 1 ORDER BY u DESC LIMIT 2");
    assert_eq!(conn.rows("SELECT u FROM t ORDER BY u"), ["1", "4", "13"]);
}

#[test]
fn deletes_by_any_index() {
    let (_db, mut conn) = table();
    for id in 1..=10 {
        conn.run(&format!(
            "INSERT INTO t VALUES ({id}, {id}, '{}')",
            if id % 2 == 0 { "even" } else { "odd" }
        ));
    }
    assert_eq!(conn.run("DELETE FROM t WHERE v = 'even' AND id < 5").affected, 2);
    assert_eq!(conn.run("DELETE FROM t WHERE u BETWEEN 5 AND 6").affected, 2);
    assert_eq!(conn.run("DELETE FROM t WHERE id = 77").affected, 0);
    assert_eq!(conn.run("DELETE FROM t ORDER BY id DESC LIMIT 1").affected, 1);
    assert_eq!(conn.rows("SELECT id FROM t"), ["1", "3", "7", "8", "9"]);
    assert_eq!(conn.run("INSERT INTO t VALUES (2, 2, 'again')").affected, 1);
}

#[test]
fn transactions_see_their_snapshot_and_their_own_changes() {
    let (db, mut first) = table();
    first.run("INSERT INTO t VALUES (1, 1, 'a')");
    let mut second = db.connect();
    second.autocommit = false;
    assert_eq!(second.rows("SELECT v FROM t"), ["a"]);
    first.run("UPDATE t SET v = 'b'");
    first.run("INSERT INTO t VALUES (2, 2, 'new')");
    assert_eq!(second.rows("SELECT v FROM t"), ["a"], "the snapshot stays");
    assert_eq!(second.rows("SELECT v FROM t FOR UPDATE"), ["b", "new"], "a locking read does not");
    second.run("UPDATE t SET v = 'c' WHERE id = 1");
    assert_eq!(second.rows("SELECT v FROM t WHERE id = 1"), ["c"]);
    second.trx.end();
    assert_eq!(second.rows("SELECT v FROM t"), ["b", "new"], "rolled back");
}

#[test]
fn a_read_of_its_own_change_begins_a_transactions_snapshot() {
    let (db, mut first) = table();
    first.run("INSERT INTO t VALUES (1, 1, 'a'), (2, 2, 'b')");
    let mut second = db.connect();
    second.autocommit = false;
    second.run("UPDATE t SET v = 'own' WHERE id = 1");
    assert_eq!(second.rows("SELECT v FROM t WHERE id = 1"), ["own"]);
    first.run("UPDATE t SET v = 'later' WHERE id = 2");
    assert_eq!(second.rows("SELECT v FROM t WHERE id = 2"), ["b"]);
}

#[test]
fn strict_mode_refuses_what_does_not_fit() {
    let (_db, mut conn) = table();
    assert_eq!(conn.error("INSERT INTO t (u) VALUES ('abc')").0, 1366);
    assert_eq!(conn.error("INSERT INTO t (u) VALUES (3000000000)").0, 1264);
    assert_eq!(conn.error("INSERT INTO t (v) VALUES ('123456789012345678901')").0, 1406);
    assert_eq!(conn.error("INSERT INTO t (v) VALUES (NULL)").0, 1048);
    assert_eq!(conn.error("INSERT INTO t (u, v) VALUES (1)").0, 1136);
    assert_eq!(conn.error("INSERT INTO t (u, u) VALUES (1, 2)").0, 1110);
    let changed = conn.run("INSERT IGNORE INTO t (u) VALUES (3000000000)");
    assert_eq!((changed.affected, conn.warnings.count()), (1, 1));
    assert_eq!(conn.rows("SELECT u FROM t"), ["2147483647"]);
}

#[test]
fn temporary_tables_have_a_bound() {
    let (_db, mut conn) = table();
    let catalog = conn.trx.store().catalog();
    let base = catalog.tables().next().unwrap();
    let mut def = TableDef { name: "own".to_owned(), ..base.def.clone() };
    conn.session.temporary.number(&mut def).unwrap();
    conn.session.temporary.put(Arc::new(Table::new(def, Arc::default())));
    conn.trx.temporary_bytes_max = 100_000;
    conn.autocommit = false;
    let full = (1114, "The table 'own' is full".to_owned());
    conn.run("INSERT INTO own (u, v) VALUES (1, 'a'), (2, 'b')");
    let double = "INSERT INTO own (v) SELECT v FROM own";
    let refused = (0..20).find_map(|_| conn.attempt(double).err()).expect("they cannot grow for ever");
    assert_eq!((refused.code, refused.message), full);
    // What can be undone counts, and a change that fails leaves nothing.
    conn.run("DELETE FROM own WHERE id > 10");
    let all = "SELECT id, v FROM own ORDER BY id";
    let mut before = conn.rows(all);
    let toggle = "UPDATE own SET v = IF(v = 'y', 'z', 'y')";
    let refused = (0..1000).find_map(|_| match conn.attempt(toggle) {
        Ok(_) => {
            before = conn.rows(all);
            None
        }
        Err(error) => Some(error.code),
    });
    assert_eq!(refused, Some(1114));
    assert_eq!(conn.rows(all), before);
    // Other tables are not concerned, and what is given up is free again.
    conn.run("INSERT INTO t (u) VALUES (1)");
    conn.run("DELETE FROM own");
    conn.trx.keep_temporary();
    conn.run("INSERT INTO own (u, v) VALUES (1, 'a'), (2, 'b')");
    conn.trx.end();
    assert_eq!(conn.rows("SELECT COUNT(*) FROM own"), ["0"]);
}
