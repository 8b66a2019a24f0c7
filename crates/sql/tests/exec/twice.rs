//! R1: in the hour that clocks show twice, stored moments stay what they are.

use engine::catalog::def::{DefaultValue, IndexKind};
use types::column::{ColumnType, IntSize};
use types::temporal::TimeZone;

use crate::db::{Conn, Db, Spec, int};

/// 2020-10-25 00:30:00.25 UTC: 02:30 in Berlin, and an hour later once more.
const FIRST_US: u64 = 1_603_585_800_250_000;

fn moments() -> (Db, Conn) {
    let mut db = Db::new();
    for name in ["t", "copy"] {
        let ty = ColumnType::Timestamp { fsp: 2 };
        db.create(&Spec {
            name,
            columns: vec![
                ("id", int(IntSize::Int), false, DefaultValue::None),
                ("at", ty, true, DefaultValue::Now),
                ("other", ty, true, DefaultValue::Null),
                ("whole", ColumnType::Timestamp { fsp: 0 }, true, DefaultValue::Null),
            ],
            indexes: vec![("PRIMARY", IndexKind::Primary, vec![0])],
            auto_increment: None,
        });
    }
    let mut conn = db.connect();
    conn.session.set_time_zone(TimeZone::parse("Europe/Berlin", &TimeZone::UTC).unwrap());
    for (id, now_us) in [(1, FIRST_US), (2, FIRST_US + 3_600_000_000), (3, FIRST_US + 7_200_000_000)] {
        conn.session.set_now(now_us);
        conn.run(&format!("INSERT INTO t (id) VALUES ({id})"));
    }
    (db, conn)
}

#[test]
fn a_moment_of_the_hour_that_comes_twice_is_stored_copied_and_counted_as_it_is() {
    let (_db, mut conn) = moments();
    let expected = ["1|1603585800.25", "2|1603589400.25", "3|1603593000.25"];
    assert_eq!(conn.rows("SELECT id, UNIX_TIMESTAMP(at) FROM t"), expected);
    conn.run("UPDATE t SET other = at, whole = at");
    conn.run("INSERT INTO copy SELECT * FROM t");
    assert_eq!(conn.rows("SELECT id, UNIX_TIMESTAMP(other) FROM copy"), expected);
    assert_eq!(
        conn.rows("SELECT id, UNIX_TIMESTAMP(whole) FROM copy"),
        ["1|1603585800", "2|1603589400", "3|1603593000"]
    );
    conn.session.set_now(FIRST_US + 3_600_000_000);
    conn.run("UPDATE t SET other = NOW(2) WHERE id = 1");
    conn.run("INSERT INTO copy (id, at) VALUES (1, '2020-10-25 02:30:00.25') ON DUPLICATE KEY UPDATE other = VALUES(at), whole = at");
    assert_eq!(
        conn.rows("SELECT UNIX_TIMESTAMP(other), UNIX_TIMESTAMP() FROM t WHERE id = 1"),
        ["1603589400.25|1603589400"]
    );
    // A text says nothing of which one is meant, and is the first.
    assert_eq!(conn.rows("SELECT UNIX_TIMESTAMP(other) FROM copy WHERE id = 1"), ["1603585800.25"]);
    conn.session.set_time_zone(TimeZone::UTC);
    assert_eq!(conn.rows("SELECT DATE_FORMAT(at, '%H:%i') FROM t"), ["00:30", "01:30", "02:30"]);
}
