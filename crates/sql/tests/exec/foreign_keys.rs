//! R5: foreign keys. Messages are MySQL 9.7's, recorded from a running one.

use std::pin::pin;

use engine::catalog::def::{DefaultValue, ForeignKeyDef, IndexKind, ReferentialAction};
use types::column::IntSize;

use crate::db::{Conn, Db, Spec, int, poll, varchar};
use ReferentialAction::{Cascade, NoAction, Restrict, SetNull};

/// A foreign key `name` of `columns`, by their places, to columns of `parent`.
pub fn key(
    name: &str,
    columns: &[u16],
    (parent, parent_columns): (&str, &[&str]),
    (on_delete, on_update): (ReferentialAction, ReferentialAction),
) -> ForeignKeyDef {
    ForeignKeyDef {
        name: name.into(),
        columns: columns.to_vec(),
        parent_db: "test".into(),
        parent_table: parent.into(),
        parent_columns: parent_columns.iter().map(|name| (*name).to_owned()).collect(),
        on_update,
        on_delete,
    }
}

/// `name (id INT PRIMARY KEY, a INT, b INT, KEY (a), KEY (b))`
pub fn create(db: &mut Db, name: &str) {
    let nullable = |name| (name, int(IntSize::Int), true, DefaultValue::Null);
    db.create(&Spec {
        name,
        columns: vec![("id", int(IntSize::Int), false, DefaultValue::None), nullable("a"), nullable("b")],
        indexes: vec![
            ("PRIMARY", IndexKind::Primary, vec![0]),
            ("a", IndexKind::Plain, vec![1]),
            ("b", IndexKind::Plain, vec![2]),
        ],
        auto_increment: None,
    });
}

/// `c.a` refers to `p.id`, which has the rows 1 to 5.
fn parent_and_child(on_delete: ReferentialAction, on_update: ReferentialAction) -> (Db, Conn) {
    let mut db = Db::new();
    create(&mut db, "p");
    create(&mut db, "c");
    db.refer("c", &key("c1", &[1], ("p", &["id"]), (on_delete, on_update)));
    let mut conn = db.connect();
    conn.run("INSERT INTO p VALUES (1, 1, 1), (2, 2, 2), (3, 3, 3), (4, 4, 4), (5, 5, 5)");
    (db, conn)
}

fn all(conn: &mut Conn, table: &str) -> Vec<String> {
    conn.rows(&format!("SELECT * FROM {table} ORDER BY id"))
}

const NO_PARENT: &str = "Cannot add or update a child row: a foreign key constraint fails (`test`.`c`, CONSTRAINT `c1` FOREIGN KEY (`a`) REFERENCES `p` (`id`))";
const IS_PARENT: &str = "Cannot delete or update a parent row: a foreign key constraint fails (`test`.`c`, CONSTRAINT `c1` FOREIGN KEY (`a`) REFERENCES `p` (`id`))";

#[test]
fn a_child_needs_a_parent_unless_a_column_is_null() {
    let (_db, mut conn) = parent_and_child(NoAction, NoAction);
    conn.run("INSERT INTO c VALUES (1, 1, 1), (2, NULL, 7)");
    assert_eq!(conn.error("INSERT INTO c VALUES (3, 9, 1)"), (1452, NO_PARENT.into()));
    assert_eq!(conn.error("INSERT INTO c VALUES (3, 2, 1), (4, 9, 1)").0, 1452);
    assert_eq!(conn.error("UPDATE c SET a = 9"), (1452, NO_PARENT.into()));
    assert_eq!(conn.error("UPDATE c SET a = 9, id = 10 WHERE id = 2").0, 1452);
    assert_eq!(conn.error("REPLACE INTO c VALUES (1, 9, 1)").0, 1452);
    assert_eq!(conn.error("INSERT INTO c VALUES (1, 9, 1) ON DUPLICATE KEY UPDATE b = 5").0, 1452);
    assert_eq!(conn.error("INSERT INTO c VALUES (1, 1, 1) ON DUPLICATE KEY UPDATE a = 9").0, 1452);
    assert_eq!(all(&mut conn, "c"), ["1|1|1", "2|NULL|7"]);
    conn.run("UPDATE c SET a = 2, id = 7 WHERE id = 1");
    conn.run("UPDATE c SET b = 9");
    conn.run("UPDATE c SET a = NULL WHERE id = 7");
    assert_eq!(all(&mut conn, "c"), ["2|NULL|9", "7|NULL|9"]);
}

#[test]
fn a_parent_with_children_stays_where_it_is() {
    for action in [NoAction, Restrict] {
        let (_db, mut conn) = parent_and_child(action, action);
        conn.run("INSERT INTO c VALUES (1, 1, 1), (2, 3, NULL)");
        let (code, message) = conn.error("DELETE FROM p");
        let clauses = " ON DELETE RESTRICT ON UPDATE RESTRICT)";
        let expected = if action == Restrict {
            IS_PARENT.replace("))", &format!("){clauses}"))
        } else {
            IS_PARENT.into()
        };
        assert_eq!((code, message), (1451, expected));
        assert_eq!(conn.error("UPDATE p SET id = id + 10 ORDER BY id DESC").0, 1451);
        assert_eq!(all(&mut conn, "p").len(), 5, "what failed left nothing");
        conn.run("UPDATE p SET a = 7, b = 8, id = id");
        assert_eq!(conn.run("DELETE FROM p WHERE id IN (2, 4, 5)").affected, 3);
        conn.run("DELETE FROM c WHERE id = 1");
        assert_eq!(conn.run("DELETE FROM p WHERE id = 1").affected, 1);
        assert_eq!(conn.error("INSERT INTO p (id) VALUES (3) ON DUPLICATE KEY UPDATE id = 4").0, 1451);
    }
}

#[test]
fn children_go_with_their_parents() {
    let (_db, mut conn) = parent_and_child(Cascade, Cascade);
    conn.run("INSERT INTO c VALUES (1, 1, 1), (2, 1, 2), (3, 2, 3), (4, NULL, 4)");
    conn.log.events.clear();
    assert_eq!(conn.run("DELETE FROM p WHERE id < 3").affected, 2, "children are not counted");
    let logged = ["delete c 13 cascaded", "delete c 13 cascaded", "delete p 13"];
    assert_eq!(conn.log.events[..3], logged);
    assert_eq!(conn.log.events[3..], ["delete c 13 cascaded", "delete p 13"]);
    assert_eq!(all(&mut conn, "c"), ["4|NULL|4"]);
}

#[test]
fn children_follow_their_parents() {
    let (_db, mut conn) = parent_and_child(Restrict, Cascade);
    conn.run("INSERT INTO c VALUES (1, 1, 1), (2, 1, 2), (3, 2, 3), (4, NULL, 4)");
    conn.log.events.clear();
    let changed = conn.run("UPDATE p SET id = 11 WHERE id = 1");
    assert_eq!((changed.matched, changed.affected), (1, 1));
    assert_eq!(conn.log.events, ["update c 13 cascaded", "update c 13 cascaded", "update p 13 cascaded"]);
    assert_eq!(all(&mut conn, "c"), ["1|11|1", "2|11|2", "3|2|3", "4|NULL|4"]);
    assert_eq!(conn.error("UPDATE p SET id = 3 WHERE id = 2").0, 1062);
    conn.run("INSERT INTO p (id) VALUES (2) ON DUPLICATE KEY UPDATE id = 22");
    assert_eq!(all(&mut conn, "c"), ["1|11|1", "2|11|2", "3|22|3", "4|NULL|4"]);
}

#[test]
fn children_lose_their_parents() {
    let (_db, mut conn) = parent_and_child(SetNull, SetNull);
    conn.run("INSERT INTO c VALUES (1, 1, 1), (2, 2, 2), (3, 3, 3)");
    conn.run("DELETE FROM p WHERE id = 1");
    conn.run("UPDATE p SET id = 12 WHERE id = 2");
    assert_eq!(all(&mut conn, "c"), ["1|NULL|1", "2|NULL|2", "3|3|3"]);
}

#[test]
fn what_is_replaced_keeps_the_children_of_values_that_stay() {
    let (mut db, mut conn) = parent_and_child(Cascade, NoAction);
    db.create(&Spec {
        name: "u",
        columns: vec![
            ("id", int(IntSize::Int), false, DefaultValue::None),
            ("u", int(IntSize::Int), true, DefaultValue::Null),
        ],
        indexes: vec![("PRIMARY", IndexKind::Primary, vec![0]), ("u", IndexKind::Unique, vec![1])],
        auto_increment: None,
    });
    db.refer("c", &key("c2", &[2], ("u", &["id"]), (Cascade, Cascade)));
    conn.run("INSERT INTO u VALUES (1, 1), (2, 2)");
    conn.run("INSERT INTO c VALUES (1, 1, 1), (2, 2, 2)");
    conn.log.events.clear();
    assert_eq!(conn.run("REPLACE INTO p VALUES (1, 7, 7)").affected, 2);
    assert_eq!(conn.log.events, ["delete p 13 cascaded", "insert p 13"], "elsewhere children must stay, too");
    assert_eq!(conn.run("REPLACE INTO u VALUES (5, 1)").affected, 2);
    assert_eq!(all(&mut conn, "c"), ["2|2|2"], "1 was not there again");
}

#[test]
fn ignore_passes_over_what_foreign_keys_refuse() {
    let (mut db, mut conn) = parent_and_child(NoAction, Cascade);
    conn.run("INSERT INTO c VALUES (1, 1, 1)");
    let changed = conn.run("INSERT IGNORE INTO c VALUES (2, 9, 1), (3, 3, 3)");
    assert_eq!((changed.affected, conn.warnings.count()), (1, 1));
    assert_eq!(changed.info.as_deref(), Some("Records: 1  Duplicates: 0  Warnings: 1"));
    assert_eq!(conn.run("DELETE IGNORE FROM p").affected, 3);
    assert_eq!(conn.warnings.count(), 2);
    let changed = conn.run("UPDATE IGNORE c SET a = a + 2 ORDER BY id");
    assert_eq!((changed.matched, changed.affected, conn.warnings.count()), (2, 1, 1));
    assert_eq!(all(&mut conn, "c"), ["1|3|1", "3|3|3"]);
    // A row's cascades are undone with it: the second child's other key refuses.
    create(&mut db, "o");
    db.refer("c", &key("c2", &[1], ("o", &["id"]), (NoAction, NoAction)));
    conn.log.events.clear();
    let changed = conn.run("UPDATE IGNORE p SET id = id + 10");
    assert_eq!((changed.matched, changed.affected, conn.warnings.count()), (2, 1, 1));
    assert_eq!(
        (all(&mut conn, "p"), all(&mut conn, "c")),
        (vec!["3|3|3".into(), "11|1|1".into()], vec!["1|3|1".into(), "3|3|3".into()])
    );
    assert_eq!(conn.log.events, ["update p 13"]);
}

#[test]
fn without_checks_nothing_is_refused_and_nothing_follows() {
    let (_db, mut conn) = parent_and_child(Cascade, Cascade);
    conn.session.foreign_key_checks = false;
    conn.run("INSERT INTO c VALUES (1, 1, 1), (2, 9, 2)");
    conn.run("DELETE FROM p WHERE id = 1");
    conn.session.foreign_key_checks = true;
    assert_eq!(all(&mut conn, "c"), ["1|1|1", "2|9|2"]);
    // What is an orphan may stay one, but not become another's.
    conn.run("UPDATE c SET b = 7, id = id + 1 ORDER BY id DESC");
    assert_eq!(conn.error("UPDATE c SET a = 8").0, 1452);
}

#[test]
fn a_row_may_be_its_own_parent() {
    let mut db = Db::new();
    create(&mut db, "s");
    db.refer("s", &key("s1", &[1], ("s", &["id"]), (Cascade, Cascade)));
    let mut conn = db.connect();
    conn.run("INSERT INTO s VALUES (1, 1, 0), (2, 1, 0), (3, 2, 0)");
    assert_eq!(conn.error("INSERT INTO s VALUES (6, 7, 0), (7, 7, 0)").0, 1452);
    // An update that would come back to its own table is refused.
    assert_eq!(conn.error("UPDATE s SET id = 10 WHERE id = 1").0, 1451);
    assert_eq!(conn.error("UPDATE s SET id = 10, a = 10 WHERE id = 1").0, 1451);
    assert_eq!(conn.run("UPDATE s SET id = 30 WHERE id = 3").affected, 1);
    assert_eq!(
        conn.error("UPDATE s SET id = 31, a = 30 WHERE id = 30").0,
        1452,
        "it would be its old self's child"
    );
    assert_eq!(conn.run("UPDATE s SET id = 31, a = 31 WHERE id = 30").affected, 1);
    assert_eq!(conn.run("DELETE FROM s WHERE id = 1").affected, 1);
    assert_eq!(all(&mut conn, "s"), ["31|31|0"]);
    assert_eq!(conn.run("DELETE FROM s").affected, 1);
}

#[test]
fn limit_does_not_count_rows_that_go_along() {
    for (order, left) in [(" ORDER BY id", ""), ("", ""), (" ORDER BY id DESC", "1|NULL|0 2|1|0")] {
        let mut db = Db::new();
        create(&mut db, "s");
        db.refer("s", &key("s1", &[1], ("s", &["id"]), (Cascade, NoAction)));
        let mut conn = db.connect();
        conn.run("INSERT INTO s VALUES (1, NULL, 0), (2, 1, 0), (3, 2, 0), (4, NULL, 0)");
        assert_eq!(conn.run(&format!("DELETE FROM s{order} LIMIT 2")).affected, 2);
        assert_eq!(all(&mut conn, "s").join(" "), left, "{order}");
    }
}

#[test]
fn a_row_that_is_its_own_parent_stays_where_nothing_follows() {
    let mut db = Db::new();
    create(&mut db, "s");
    db.refer("s", &key("s1", &[1], ("s", &["id"]), (NoAction, SetNull)));
    let mut conn = db.connect();
    conn.run("INSERT INTO s VALUES (1, NULL, 0), (2, 1, 0), (3, 3, 0)");
    assert_eq!(conn.error("DELETE FROM s WHERE id = 3").0, 1451);
    assert_eq!(conn.error("UPDATE s SET id = 4 WHERE id = 1").0, 1451);
    assert_eq!(conn.run("DELETE FROM s WHERE id < 3 ORDER BY id DESC").affected, 2);
}

#[test]
fn cascades_end_where_they_began() {
    let mut db = Db::new();
    create(&mut db, "x");
    create(&mut db, "y");
    db.refer("x", &key("xy", &[1], ("y", &["id"]), (Cascade, Cascade)));
    db.refer("y", &key("yx", &[1], ("x", &["id"]), (Cascade, Cascade)));
    let mut conn = db.connect();
    conn.session.foreign_key_checks = false;
    conn.run("INSERT INTO x VALUES (1, 1, 0), (2, 2, 0)");
    conn.run("INSERT INTO y VALUES (1, 1, 0), (2, 2, 0)");
    conn.session.foreign_key_checks = true;
    conn.run("DELETE FROM x WHERE id = 1");
    assert_eq!((all(&mut conn, "x"), all(&mut conn, "y")), (vec!["2|2|0".into()], vec!["2|2|0".into()]));
    conn.run("UPDATE x SET id = 3 WHERE id = 2");
    conn.run("UPDATE y SET id = 4 WHERE id = 2");
    assert_eq!((all(&mut conn, "x"), all(&mut conn, "y")), (vec!["3|4|0".into()], vec!["4|3|0".into()]));
}

#[test]
fn cascades_are_fifteen_rows_deep() {
    let mut db = Db::new();
    create(&mut db, "l");
    db.refer("l", &key("l1", &[1], ("l", &["id"]), (Cascade, Cascade)));
    let mut conn = db.connect();
    conn.run("INSERT INTO l VALUES (1, NULL, 0)");
    for id in 2..=17 {
        conn.run(&format!("INSERT INTO l VALUES ({id}, {id} - 1, 0)"));
    }
    let error = conn.error("DELETE FROM l WHERE id = 2");
    assert_eq!(error, (3008, "Foreign key cascade delete/update exceeds max depth of 15.".into()));
    assert_eq!(conn.error("DELETE IGNORE FROM l").0, 3008);
    assert_eq!(conn.run("DELETE FROM l WHERE id = 3").affected, 1);
    assert_eq!(all(&mut conn, "l"), ["1|NULL|0", "2|1|0"]);
}

#[test]
fn keys_of_several_columns_match_as_collations_do() {
    let mut db = Db::new();
    let columns = |chars| {
        vec![
            ("id", int(IntSize::Int), false, DefaultValue::None),
            ("a", int(IntSize::Int), true, DefaultValue::Null),
            ("b", varchar(chars), true, DefaultValue::Null),
        ]
    };
    for (name, chars) in [("p", 300), ("c", 5)] {
        db.create(&Spec {
            name,
            columns: columns(chars),
            indexes: vec![("PRIMARY", IndexKind::Primary, vec![0]), ("ab", IndexKind::Plain, vec![1, 2, 0])],
            auto_increment: None,
        });
    }
    db.refer("c", &key("m1", &[1, 2], ("p", &["a", "b"]), (SetNull, Cascade)));
    let mut conn = db.connect();
    conn.run("INSERT INTO p VALUES (1, 1, 'x'), (2, 1, 'Y'), (3, 2, 'x')");
    conn.run("INSERT INTO c VALUES (1, 1, 'X'), (2, NULL, 'zz'), (3, 1, NULL), (4, 1, 'y ')");
    let refused = "Cannot add or update a child row: a foreign key constraint fails (`test`.`c`, CONSTRAINT `m1` FOREIGN KEY (`a`, `b`) REFERENCES `p` (`a`, `b`) ON DELETE SET NULL ON UPDATE CASCADE)";
    assert_eq!(conn.error("INSERT INTO c VALUES (5, 1, 'zz')"), (1452, refused.into()));
    conn.run("UPDATE p SET b = 'X' WHERE id = 1");
    assert_eq!(all(&mut conn, "c")[0], "1|1|X", "equal values are no change");
    conn.run("UPDATE p SET a = 7, b = 'new' WHERE id = 1");
    assert_eq!(all(&mut conn, "c"), ["1|7|new", "2|NULL|zz", "3|1|NULL", "4|1|y "]);
    let error = conn.error("UPDATE p SET b = 'longer than that' WHERE id = 1");
    assert_eq!(error.0, 1451, "the child cannot hold it");
    conn.run("DELETE FROM p WHERE id < 3");
    assert_eq!(all(&mut conn, "c"), ["1|NULL|NULL", "2|NULL|zz", "3|1|NULL", "4|NULL|NULL"]);
}

#[test]
fn a_child_that_cannot_follow_for_a_duplicate_keeps_its_parent() {
    let mut db = Db::new();
    create(&mut db, "up");
    db.create(&Spec {
        name: "uc",
        columns: vec![
            ("id", int(IntSize::Int), false, DefaultValue::None),
            ("k", int(IntSize::Int), true, DefaultValue::Null),
            ("j", int(IntSize::Int), true, DefaultValue::Null),
        ],
        indexes: vec![("PRIMARY", IndexKind::Primary, vec![0]), ("kk", IndexKind::Unique, vec![1, 2])],
        auto_increment: None,
    });
    db.refer("uc", &key("u1", &[1], ("up", &["id"]), (SetNull, Cascade)));
    let mut conn = db.connect();
    conn.run("INSERT INTO up (id) VALUES (1), (2)");
    conn.run("INSERT INTO uc VALUES (1, 1, 1), (2, 2, 1)");
    conn.session.foreign_key_checks = false;
    conn.run("DELETE FROM up WHERE id = 2");
    conn.session.foreign_key_checks = true;
    let error = (
        1761,
        "Foreign key constraint for table 'up', record '2' would lead to a duplicate entry in table 'uc', key 'kk'".into(),
    );
    assert_eq!(conn.error("UPDATE up SET id = 2 WHERE id = 1"), error);
    assert_eq!(conn.error("UPDATE IGNORE up SET id = 2 WHERE id = 1"), error);
    assert_eq!(all(&mut conn, "up"), ["1|NULL|NULL"]);
}

#[test]
fn a_child_of_several_parents_needs_them_all() {
    let (mut db, mut conn) = parent_and_child(Cascade, Cascade);
    create(&mut db, "q");
    db.refer("c", &key("c2", &[1], ("q", &["id"]), (NoAction, NoAction)));
    conn.run("INSERT INTO q VALUES (1, 1, 1), (11, 1, 1)");
    conn.run("INSERT INTO c VALUES (1, 1, 1)");
    assert_eq!(conn.error("INSERT INTO c VALUES (2, 2, 2)").0, 1452);
    let (code, message) = conn.error("UPDATE p SET id = 12 WHERE id = 1");
    assert!(code == 1452 && message.contains("`c2`"), "{message}");
    conn.run("UPDATE p SET id = 11 WHERE id = 1");
    assert_eq!(all(&mut conn, "c"), ["1|11|1"]);
    assert_eq!(conn.error("DELETE FROM q WHERE id = 11").0, 1451);
    conn.run("DELETE FROM p WHERE id = 11");
    assert_eq!(all(&mut conn, "c"), [""; 0]);
}

#[test]
fn a_parent_that_cannot_be_found_is_none() {
    let mut db = Db::new();
    create(&mut db, "c");
    db.refer("c", &key("c1", &[1], ("nowhere", &["x"]), (Cascade, NoAction)));
    let mut conn = db.connect();
    conn.run("INSERT INTO c VALUES (1, NULL, 1)");
    let (code, message) = conn.error("INSERT INTO c VALUES (2, 2, 2)");
    assert_eq!(code, 1452);
    assert!(
        message.ends_with("FOREIGN KEY (`a`) REFERENCES `nowhere` (`x`) ON DELETE CASCADE)"),
        "{message}"
    );
}

/// A second connection in an open transaction beside one.
fn two(on_delete: ReferentialAction) -> (Db, Conn, Conn) {
    let (db, mut first) = parent_and_child(on_delete, on_delete);
    first.autocommit = false;
    let mut second = db.connect();
    second.autocommit = false;
    (db, first, second)
}

fn end(conn: &mut Conn, commits: bool) {
    if commits {
        conn.commit();
    } else {
        conn.trx.end();
    }
}

#[test]
fn a_parent_waits_for_children_that_are_not_committed() {
    for commits in [true, false] {
        let (_db, mut first, mut second) = two(NoAction);
        first.run("INSERT INTO c VALUES (1, 1, 1)");
        {
            let mut delete = pin!(second.start("DELETE FROM p WHERE id = 1"));
            assert!(poll(delete.as_mut()).is_none(), "the child holds its parent");
            end(&mut first, commits);
            let done = poll(delete.as_mut()).expect("nobody is in the way").map_err(|error| error.code);
            assert_eq!(done.map(|done| done.affected), if commits { Err(1451) } else { Ok(1) });
        }
        assert_eq!(second.rows("SELECT COUNT(*) FROM p FOR SHARE"), [if commits { "5" } else { "4" }]);
    }
}

#[test]
fn a_child_waits_for_a_parent_that_goes() {
    for commits in [true, false] {
        let (_db, mut first, mut second) = two(Cascade);
        first.run("DELETE FROM p WHERE id = 1");
        let mut insert = pin!(second.start("INSERT INTO c VALUES (1, 1, 1)"));
        assert!(poll(insert.as_mut()).is_none());
        end(&mut first, commits);
        let done = poll(insert.as_mut()).expect("nobody is in the way").map_err(|error| error.code);
        assert_eq!(done.map(|done| done.affected), if commits { Err(1452) } else { Ok(1) });
    }
}

#[test]
fn a_child_waits_for_a_parent_that_comes() {
    let (_db, mut first, mut second) = two(Cascade);
    first.run("INSERT INTO p VALUES (7, 7, 7)");
    let mut insert = pin!(second.start("INSERT INTO c VALUES (1, 7, 1)"));
    assert!(poll(insert.as_mut()).is_none());
    first.commit();
    assert_eq!(poll(insert.as_mut()).expect("nobody is in the way").unwrap().affected, 1);
}

#[test]
fn children_that_move_keep_their_parent_from_going() {
    let (_db, mut first, mut second) = two(Cascade);
    first.run("INSERT INTO c VALUES (5, 1, 1)");
    first.commit();
    first.run("UPDATE c SET id = 3 WHERE id = 5");
    {
        let mut delete = pin!(second.start("DELETE FROM p WHERE id = 1"));
        assert!(poll(delete.as_mut()).is_none(), "where the child will be is not known");
        first.commit();
        poll(delete.as_mut()).expect("nobody is in the way").unwrap();
    }
    second.commit();
    assert_eq!(all(&mut first, "c"), [""; 0]);
}

#[test]
fn children_share_their_parent() {
    let (_db, mut first, mut second) = two(Cascade);
    first.run("INSERT INTO c VALUES (1, 1, 1)");
    second.run("INSERT INTO c VALUES (2, 1, 1)");
    // Both would need it alone now.
    let mut delete = pin!(first.start("DELETE FROM p WHERE id = 1"));
    assert!(poll(delete.as_mut()).is_none());
    assert_eq!(second.error("DELETE FROM p WHERE id = 1").0, 1213);
}

#[test]
fn long_cascades_give_way() {
    let (_db, mut conn) = parent_and_child(Cascade, Cascade);
    for id in 0..1000 {
        conn.run(&format!("INSERT INTO c VALUES ({id}, 1, 1)"));
    }
    conn.run("UPDATE p SET id = 9 WHERE id = 1");
    assert!(conn.turns >= 10, "{} turns", conn.turns);
    conn.run("DELETE FROM p WHERE id = 9");
    assert!(conn.turns >= 10, "{} turns", conn.turns);
}
