//! R1: rows that others move in an index while they are looked for are found, once each.
//!
//! Movers lock rows, change their places and commit at any moment in which a statement waits or gives way; all rows fulfil
//! its condition all the time.

use std::pin::pin;
use std::task::{Context, Poll, Waker};

use engine::catalog::def::{DefaultValue, IndexKind};
use types::column::IntSize;
use vfs::sim::Rng;

use crate::db::{Conn, Db, Spec, int, poll, poll_once};

const ROWS: u64 = 120;
const PLACES: u64 = 40;
/// Nothing stands between two places, so that what looks there is made of several ranges.
const APART: u64 = 3;

fn filled() -> (Db, Conn) {
    let mut db = Db::new();
    let number = |name| (name, int(IntSize::Int), false, DefaultValue::None);
    db.create(&Spec {
        name: "t",
        columns: vec![number("id"), number("k"), number("v")],
        indexes: vec![("PRIMARY", IndexKind::Primary, vec![0]), ("k", IndexKind::Plain, vec![1])],
        auto_increment: None,
    });
    let mut conn = db.connect();
    for id in 0..ROWS {
        conn.run(&format!("INSERT INTO t VALUES ({id}, {}, 0)", id % PLACES * APART));
    }
    conn.autocommit = false;
    (db, conn)
}

/// The first three alone.
fn with_three_rows() -> (Db, Conn) {
    let (db, mut conn) = filled();
    conn.run("DELETE FROM t WHERE id > 2");
    conn.commit();
    (db, conn)
}

/// Locks and moves a few rows that are free, or lets those go that it has moved.
fn step(mover: &mut Conn, rng: &mut Rng) {
    if rng.chance(1, 3) {
        return mover.commit();
    }
    let id = rng.below(ROWS);
    if !mover.rows(&format!("SELECT id FROM t WHERE id = {id} FOR UPDATE SKIP LOCKED")).is_empty() {
        mover.run(&format!("UPDATE t SET k = {} WHERE id = {id}", rng.below(PLACES) * APART));
    }
}

/// Runs a statement while others move rows, and checkpoints carry them away.
fn among_movers<T>(db: &Db, rng: &mut Rng, movers: &mut [Conn], statement: impl Future<Output = T>) -> T {
    let mut statement = pin!(statement);
    loop {
        if let Poll::Ready(done) = statement.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            return done;
        }
        for _ in 0..rng.below(4) {
            let place = rng.index(movers.len());
            step(&mut movers[place], rng);
        }
        if rng.chance(1, 8) {
            db.checkpoint();
        }
    }
}

#[test]
fn a_row_that_moves_is_found_once() {
    let mut rng = Rng::new(5);
    for round in 0..150 {
        let (db, mut conn) = filled();
        let mut movers: Vec<Conn> = (0..4).map(|_| db.connect()).collect();
        for mover in &mut movers {
            mover.autocommit = false;
            (0..6).for_each(|_| step(mover, &mut rng));
        }
        let meant =
            ["k >= 0", "k BETWEEN 0 AND 60 OR k > 61", "k < 30 OR k BETWEEN 30 AND 57 OR k >= 60", "k <> 50"]
                [rng.index(4)];
        let order = ["", " ORDER BY k", " ORDER BY k DESC"][rng.index(3)];
        let changes = rng.chance(1, 2);
        let found = if changes {
            let update = format!("UPDATE t FORCE INDEX (k) SET v = v + 1 WHERE {meant}{order}");
            let done = among_movers(&db, &mut rng, &mut movers, conn.start(&update)).unwrap();
            assert_eq!(done.matched, ROWS, "round {round}: {update}");
            conn.rows("SELECT id FROM t WHERE v = 1 ORDER BY id FOR UPDATE")
        } else {
            let query = format!("SELECT id FROM t FORCE INDEX (k) WHERE {meant}{order} FOR UPDATE");
            let mut found = among_movers(&db, &mut rng, &mut movers, conn.ids(&query));
            found.sort_by_key(|id| id.parse::<u64>().unwrap());
            found
        };
        let all: Vec<String> = (0..ROWS).map(|id| id.to_string()).collect();
        assert_eq!(found, all, "round {round}: {meant}{order}");
    }
}

#[test]
fn a_row_that_moves_ahead_is_met_in_its_order() {
    for (query, expected) in [
        ("SELECT id FROM t FORCE INDEX (k) WHERE k < 12 ORDER BY k, id FOR UPDATE", "1 2 0"),
        ("SELECT id FROM t FORCE INDEX (k) WHERE k < 12 ORDER BY k FOR UPDATE", "1 2 0"),
        ("SELECT MIN(k) FROM t FORCE INDEX (k) WHERE k < 12 FOR UPDATE", "3"),
    ] {
        let (db, mut conn) = with_three_rows();
        let mut mover = db.connect();
        mover.autocommit = false;
        mover.run("UPDATE t SET k = 9 WHERE id = 0");
        let mut waits = pin!(conn.ids(query));
        assert!(poll(waits.as_mut()).is_none(), "the first row is locked");
        mover.commit();
        let found = poll(waits.as_mut()).expect("nobody is in the way");
        assert_eq!(found.join(" "), expected, "{query}");
    }
}

/// What a transaction with a snapshot changes of what others have changed since stands in the index as it does in the rows.
#[test]
fn own_changes_of_rows_that_others_have_moved_are_found_by_index() {
    let mut rng = Rng::new(6);
    for round in 0..200 {
        let (db, mut conn) = filled();
        let mut other = db.connect();
        conn.run("DELETE FROM t WHERE id >= 12");
        conn.commit();
        conn.rows("SELECT * FROM t");
        let mut done = Vec::new();
        for _ in 0..rng.below(30) {
            let (id, k) = (rng.below(14), rng.below(6));
            let sql = match rng.index(4) {
                0 => format!("DELETE FROM t WHERE id = {id}"),
                1 => format!("REPLACE INTO t VALUES ({id}, {k}, 2)"),
                2 => format!("UPDATE t SET v = v + 1 WHERE id = {id}"),
                _ => format!("UPDATE t SET k = {k} WHERE id = {id}"),
            };
            let is_own = rng.chance(1, 3);
            let who = if is_own { &mut conn } else { &mut other };
            let is_free = who.rows(&format!("SELECT 1 FROM t WHERE id = {id} FOR UPDATE SKIP LOCKED"));
            if is_own || !is_free.is_empty() {
                who.run(&sql);
                done.push((is_own, sql));
            }
        }
        let all = conn.rows("SELECT id, k, v FROM t FORCE INDEX (PRIMARY) WHERE id >= 0");
        for k in 0..PLACES {
            let is_there = |row: &&String| row.split('|').nth(1) == Some(&k.to_string());
            let mut by_rows: Vec<String> = all.iter().filter(is_there).cloned().collect();
            let mut by_index = conn.rows(&format!("SELECT id, k, v FROM t FORCE INDEX (k) WHERE k = {k}"));
            by_rows.sort();
            by_index.sort();
            assert_eq!(by_index, by_rows, "round {round}, k = {k}: {done:?}");
            let count = conn.rows(&format!("SELECT COUNT(*) FROM t FORCE INDEX (k) WHERE k = {k}"));
            assert_eq!(count, [by_rows.len().to_string()], "round {round}, k = {k}: {done:?}");
        }
    }
}

#[test]
fn a_row_that_moves_behind_is_given_in_its_order() {
    for (query, moves, expected) in [
        ("SELECT id FROM t FORCE INDEX (k) WHERE k < 12 ORDER BY k, id FOR UPDATE", (2, 1), "0 2 1"),
        ("SELECT id FROM t FORCE INDEX (k) WHERE k < 12 ORDER BY k FOR SHARE", (2, 1), "0 2 1"),
        ("SELECT id FROM t FORCE INDEX (k) WHERE k < 12 ORDER BY k DESC FOR UPDATE", (0, 9), "0 2 1"),
        ("SELECT id FROM t FORCE INDEX (k) WHERE k < 12 ORDER BY k LIMIT 2 FOR UPDATE", (2, 1), "0 2"),
        ("SELECT id FROM t FORCE INDEX (k) WHERE k < 12 ORDER BY k LIMIT 1, 2 FOR UPDATE", (2, 1), "2 1"),
    ] {
        let (db, mut conn) = with_three_rows();
        let (mut holder, mut mover) = (db.connect(), db.connect());
        holder.autocommit = false;
        holder.run("UPDATE t SET v = 1 WHERE id = 1");
        let mut waits = pin!(conn.ids(query));
        assert!(poll(waits.as_mut()).is_none(), "the second row is locked");
        mover.run(&format!("UPDATE t SET k = {} WHERE id = {}", moves.1, moves.0));
        holder.commit();
        let found = poll(waits.as_mut()).expect("nobody is in the way");
        assert_eq!(found.join(" "), expected, "{query}");
    }
}

#[test]
fn a_row_that_another_source_has_locked_behind_is_given() {
    let (db, mut conn) = with_three_rows();
    let (mut holder, mut mover) = (db.connect(), db.connect());
    holder.autocommit = false;
    holder.run("UPDATE t SET v = 1 WHERE id = 1");
    let query = "SELECT a.id FROM t a FORCE INDEX (k) STRAIGHT_JOIN t b FORCE INDEX (k) ON b.k BETWEEN 1 AND 2 \
        WHERE a.k BETWEEN 1 AND 100 FOR UPDATE";
    let mut waits = pin!(conn.ids(query));
    assert!(poll(waits.as_mut()).is_none(), "the first row is locked");
    mover.run("UPDATE t SET k = 2 WHERE id = 2");
    holder.commit();
    assert_eq!(poll(waits.as_mut()).expect("nobody is in the way"), ["2", "1"]);
}

#[test]
fn a_row_is_found_by_an_entry_that_was_not_visible_yet() {
    let (db, mut conn) = with_three_rows();
    let (mut holder, mut mover) = (db.connect(), db.connect());
    (holder.autocommit, mover.autocommit) = (false, false);
    mover.run("UPDATE t SET k = 500 WHERE id = 2");
    mover.commit();
    holder.rows("SELECT id FROM t WHERE id = 1 FOR UPDATE");
    // Into the range, and then about in it while the search waits.
    mover.run("UPDATE t SET k = 20 WHERE id = 2");
    mover.commit_unseen(1);
    let query = "SELECT id FROM t FORCE INDEX (k) WHERE k < 100 ORDER BY id FOR UPDATE";
    let mut waits = pin!(conn.ids(query));
    assert!(poll(waits.as_mut()).is_none(), "the second row is locked");
    mover.run("UPDATE t SET k = 1 WHERE id = 2");
    mover.commit_unseen(2);
    holder.commit_unseen(3);
    assert_eq!(poll(waits.as_mut()).expect("nobody is in the way"), ["0", "1", "2"]);
}

#[test]
fn order_and_limit_decide_by_the_rows_that_are_locked() {
    for statement in [
        "UPDATE t SET v = 7 WHERE v = 0 ORDER BY k LIMIT 1",
        "UPDATE t FORCE INDEX (k) SET v = 7 WHERE v = 0 AND k < 90 ORDER BY k LIMIT 1",
        "DELETE FROM t WHERE v = 0 ORDER BY k LIMIT 1",
    ] {
        let (db, mut conn) = with_three_rows();
        let mut mover = db.connect();
        mover.autocommit = false;
        mover.run("UPDATE t SET k = 4 WHERE id = 0");
        {
            let mut waits = pin!(conn.start(statement));
            assert!(poll(waits.as_mut()).is_none(), "the first row is locked");
            mover.commit();
            let done = poll(waits.as_mut()).expect("nobody is in the way");
            assert_eq!(done.unwrap().affected, 1);
        }
        conn.commit();
        assert_eq!(conn.rows("SELECT id FROM t WHERE v = 0 ORDER BY id"), ["0", "2"], "{statement}");
    }
}

/// A table with a unique key and two rows.
fn with_unique() -> Db {
    let mut db = Db::new();
    let number = |name| (name, int(IntSize::Int), false, DefaultValue::None);
    db.create(&Spec {
        name: "u",
        columns: vec![number("id"), number("k"), number("v")],
        indexes: vec![("PRIMARY", IndexKind::Primary, vec![0]), ("k", IndexKind::Unique, vec![1])],
        auto_increment: None,
    });
    db.connect().run("INSERT INTO u VALUES (4, 4, 0), (5, 5, 0)");
    db
}

#[test]
fn a_unique_value_that_is_gone_is_not_looked_for_until_that_is_visible() {
    for query in ["SELECT v FROM u WHERE k = 5 FOR UPDATE", "UPDATE u SET v = 1 WHERE k = 5"] {
        let db = with_unique();
        let (mut conn, mut mover) = (db.connect(), db.connect());
        (conn.autocommit, mover.autocommit) = (false, false);
        mover.run("UPDATE u SET k = 6 WHERE id = 5");
        mover.commit_unseen(1);
        let found = conn.answer_at_once(query);
        assert_eq!(found, Some(0), "{query}");
    }
}

/// A unique value is some row's all the time; which one has it changes while it is waited for.
#[test]
fn a_unique_value_is_found_whichever_row_has_it() {
    let moves: [&[&str]; 3] = [
        &["REPLACE INTO u VALUES (9, 5, 100)"],
        &["DELETE FROM u WHERE id = 5", "INSERT INTO u VALUES (9, 5, 100)"],
        &["UPDATE u SET k = 6 WHERE id = 5", "UPDATE u SET k = 5, v = 100 WHERE id = 4"],
    ];
    for moves in moves {
        for query in [
            "SELECT v FROM u WHERE k = 5 FOR UPDATE",
            "SELECT v FROM u WHERE k = 5 FOR SHARE",
            "UPDATE u SET v = v + 1 WHERE k = 5",
            "DELETE FROM u WHERE k = 5",
        ] {
            let db = with_unique();
            let (mut conn, mut mover) = (db.connect(), db.connect());
            (conn.autocommit, mover.autocommit) = (false, false);
            for sql in moves {
                mover.run(sql);
            }
            if query.starts_with("SELECT") {
                let mut waits = pin!(conn.ids(query));
                assert!(poll(waits.as_mut()).is_none(), "the row is locked");
                mover.commit();
                assert_eq!(
                    poll(waits.as_mut()).expect("nobody is in the way"),
                    ["100"],
                    "{query}, {moves:?}"
                );
            } else {
                let mut waits = pin!(conn.start(query));
                assert!(poll(waits.as_mut()).is_none(), "the row is locked");
                mover.commit();
                let done = poll(waits.as_mut()).expect("nobody is in the way").unwrap();
                assert_eq!(done.affected, 1, "{query}, {moves:?}");
            }
        }
    }
}

/// One row at a time has the value 5; others pass it on, and hold it for a while.
#[test]
fn a_value_that_is_passed_on_is_found_once() {
    let mut rng = Rng::new(7);
    for round in 0..300 {
        let (db, mut conn) = filled();
        conn.run("UPDATE t SET k = 5 WHERE id = 60");
        conn.commit();
        let mut passer = db.connect();
        passer.autocommit = false;
        let mut pass = |rng: &mut Rng| {
            if passer.trx.is_idle() {
                // The statement may have it.
                let free = "SELECT id FROM t WHERE k = 5 FOR UPDATE SKIP LOCKED";
                let (has, next) = (passer.rows(free).pop(), rng.below(ROWS));
                let next = format!("SELECT id FROM t WHERE id = {next} AND k <> 5 FOR UPDATE SKIP LOCKED");
                if let (Some(has), Some(next)) = (has, passer.rows(&next).pop()) {
                    passer.run(&format!("UPDATE t SET k = id * 3 WHERE id = {has}"));
                    passer.run(&format!("UPDATE t SET k = 5 WHERE id = {next}"));
                    return;
                }
            }
            passer.commit();
        };
        let found_by = ["IGNORE INDEX (k) WHERE k = 5", "FORCE INDEX (k) WHERE k = 5", "WHERE k IN (2, 5)"]
            [rng.index(3)];
        let statement = match rng.index(4) {
            0 => format!("SELECT id FROM t {found_by} FOR UPDATE"),
            1 => format!("UPDATE t {found_by}").replace("WHERE", "SET v = v + 1 WHERE"),
            2 => format!("UPDATE t a JOIN t b {found_by}")
                .replace("WHERE k", "ON a.id = b.id SET a.v = 1 WHERE b.k"),
            _ => format!("UPDATE t {found_by} ORDER BY v LIMIT 2").replace("WHERE", "SET v = v + 1 WHERE"),
        };
        (0..3).for_each(|_| pass(&mut rng));
        let mut counted = pin!(conn.counted(&statement));
        let count = loop {
            if let Poll::Ready(count) = counted.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
                break count;
            }
            (0..rng.below(4)).for_each(|_| pass(&mut rng));
            if rng.chance(1, 8) {
                db.checkpoint();
            }
        };
        assert_eq!(count, 1, "round {round}: {statement}");
    }
}

#[test]
fn an_order_by_chance_locks_no_more_than_it_changes() {
    let (db, mut conn) = filled();
    conn.run("UPDATE t SET v = 1 ORDER BY RAND() LIMIT 1");
    let mut other = db.connect();
    let free = other.rows("SELECT id FROM t FOR UPDATE SKIP LOCKED");
    assert_eq!(free.len() as u64, ROWS - 1);
}

/// What a transaction has seen of a commit, its next scan has too, although an older one is not in the store yet.
#[test]
fn a_moment_is_not_older_than_what_was_seen() {
    let (db, mut conn) = with_three_rows();
    let (mut slow, mut mover) = (db.connect(), db.connect());
    (slow.autocommit, mover.autocommit) = (false, false);
    slow.run("UPDATE t SET v = 1 WHERE id = 0");
    mover.run("UPDATE t SET k = 20 WHERE id = 1");
    mover.commit_unseen(2);
    conn.run("UPDATE t SET k = 30 WHERE id = 1");
    for statement in [
        "UPDATE t FORCE INDEX (k) SET v = v + 1 WHERE k BETWEEN 1 AND 5",
        "SELECT id FROM t FORCE INDEX (k) WHERE k = 3 FOR UPDATE",
        "UPDATE t FORCE INDEX (k) SET v = v + 1 WHERE k BETWEEN 1 AND 40 AND v < 9 ORDER BY k LIMIT 2",
    ] {
        let mut waits = pin!(conn.counted(statement));
        assert!(poll(waits.as_mut()).is_none(), "{statement}");
    }
    slow.commit_unseen(1);
    assert_eq!(
        conn.answer_at_once("UPDATE t FORCE INDEX (k) SET v = v + 1 WHERE k BETWEEN 1 AND 5"),
        Some(0)
    );
    assert_eq!(
        conn.answer_at_once("UPDATE t FORCE INDEX (k) SET v = v + 1 WHERE k BETWEEN 1 AND 40"),
        Some(2)
    );
    assert_eq!(conn.rows("SELECT v FROM t WHERE id = 1 FOR UPDATE"), ["1"]);
}

/// Rows that come before a pass and change before it is there.
#[test]
fn a_stream_of_changes_without_end_holds_a_statement_up_for_a_while_only() {
    let (db, mut conn) = filled();
    for id in ROWS..600 {
        conn.run(&format!("INSERT INTO t VALUES ({id}, 0, 0)"));
    }
    conn.commit();
    let mut other = db.connect();
    let mut counted = pin!(conn.counted("UPDATE t SET v = v + 1 WHERE k >= 0"));
    // What is changed next: each came before the pass that is under way.
    let mut last = ROWS + 400;
    for id in 1000..5000 {
        if let Some(count) = poll_once(counted.as_mut()) {
            assert!(count >= 600 && id > 1200, "{count} rows after {id}");
            return;
        }
        other.run(&format!("INSERT INTO t VALUES ({id}, 0, 0)"));
        let free = format!("SELECT id FROM t WHERE id = {last} FOR UPDATE SKIP LOCKED");
        if !other.rows(&free).is_empty() {
            other.run(&format!("UPDATE t SET v = 7 WHERE id = {last}"));
        }
        last = id;
    }
    panic!("it does not end");
}

/// Both sources of a join are read at one moment, whatever ends the search.
#[test]
fn a_row_is_not_missing_beside_one_that_came_with_it() {
    for (query, expected) in [
        (
            "SELECT a.v, b.id FROM t a LEFT JOIN t b ON b.k = 500 + a.id WHERE a.id = 1 LIMIT 1 FOR UPDATE",
            "7|2",
        ),
        (
            "SELECT a.v FROM t a LEFT JOIN t b ON b.k = 500 + a.id WHERE a.id = 1 AND b.id IS NULL LIMIT 1 FOR UPDATE",
            "",
        ),
        ("SELECT EXISTS (SELECT 1 FROM t WHERE k BETWEEN 3 AND 5 FOR UPDATE)", "1"),
        ("SELECT (SELECT id FROM t WHERE k BETWEEN 3 AND 5 FOR UPDATE)", "0"),
    ] {
        let (db, mut conn) = with_three_rows();
        let mut mover = db.connect();
        mover.autocommit = false;
        mover.run("UPDATE t SET v = 7, k = 90 WHERE id = 1");
        mover.run("UPDATE t SET k = 501 WHERE id = 2");
        mover.run("UPDATE t SET k = 4 WHERE id = 0");
        let mut waits = pin!(conn.ids(query));
        assert!(poll(waits.as_mut()).is_none(), "{query}");
        mover.commit();
        assert_eq!(poll(waits.as_mut()).expect("nobody is in the way").join(" "), expected, "{query}");
    }
}
