//! UNION.

use engine::catalog::def::{DefaultValue, IndexKind};
use types::collation::Collation;
use types::column::{ColumnType, IntSize, Labels, LobSize, Sign, flags};
use types::value::ValueRef;

use crate::db::{Conn, Db, Spec, int, varchar};
use crate::recorded;

const CI: Collation = Collation::Utf8mb4GeneralCi;

/// The tables that `tests/data/unions.tsv` creates.
pub fn tables() -> (Db, Conn) {
    let mut db = Db::new();
    let unsigned = |size| ColumnType::int("", size, Sign::Unsigned, None).unwrap();
    let labels = Labels::new(CI, ["x", "y"].map(Into::into));
    let a = [
        ("v", varchar(10)),
        ("n", int(IntSize::Int)),
        ("d", ColumnType::decimal("", Some(10), Some(2), Sign::Signed).unwrap()),
        ("bi", unsigned(IntSize::Big)),
        ("ti", unsigned(IntSize::Tiny)),
        ("f", ColumnType::float("", false, None, Sign::Signed).unwrap()),
        ("db", ColumnType::float("", true, None, Sign::Signed).unwrap()),
        ("c", ColumnType::char("", 5, CI).unwrap()),
        ("t", ColumnType::Text { size: LobSize::Normal, collation: CI }),
        ("vb", ColumnType::varbinary("", 7).unwrap()),
        ("bl", ColumnType::Blob { size: LobSize::Normal }),
        ("dt", ColumnType::datetime("", 0).unwrap()),
        ("da", ColumnType::Date),
        ("tm", ColumnType::time("", 3).unwrap()),
        ("y", ColumnType::Year),
        ("js", ColumnType::Json),
        ("e", ColumnType::enumeration("", labels).unwrap()),
    ];
    let id = ("id", int(IntSize::Int), false, DefaultValue::None);
    let nullable = a.map(|(name, ty)| (name, ty, true, DefaultValue::Null));
    let primary = || vec![("PRIMARY", IndexKind::Primary, vec![0])];
    let columns = std::iter::once(id.clone()).chain(nullable).collect();
    db.create(&Spec { name: "a", columns, indexes: primary(), auto_increment: None });
    let w = ColumnType::varchar("", 20, Collation::Utf8mb4Bin).unwrap();
    let columns = vec![
        id,
        ("w", w, false, DefaultValue::None),
        ("m", int(IntSize::Small), false, DefaultValue::None),
        ("k", unsigned(IntSize::Int), true, DefaultValue::Null),
    ];
    db.create(&Spec { name: "b", columns, indexes: primary(), auto_increment: None });
    let mut conn = db.connect();
    conn.session.collation_connection = CI;
    recorded::fill(file(), &mut conn);
    (db, conn)
}

fn file() -> &'static str {
    include_str!("../data/unions.tsv")
}

#[test]
fn rows_columns_and_errors_are_mysqls() {
    let (_db, mut conn) = tables();
    recorded::compare(file(), include_str!("../data/unions_differ.tsv"), &mut conn);
}

#[test]
fn a_union_can_be_inserted() {
    let (_db, mut conn) = tables();
    let changed =
        conn.run("INSERT INTO b (id, w, m) SELECT id + 10, v, 0 FROM a WHERE id < 3 UNION SELECT 20, 'x', 1");
    assert_eq!(changed.affected, 3);
    assert_eq!(conn.rows("SELECT id, w FROM b WHERE id > 10"), ["11|one", "12|two", "20|x"]);
    let (code, _) = conn.error("INSERT INTO b (id, w) SELECT 1 UNION SELECT 2");
    assert_eq!(code, 1136);
}

#[test]
fn parameters_have_their_types_at_each_execution() {
    let (_db, mut conn) = tables();
    let query = "SELECT id FROM a WHERE id = ? UNION SELECT ? ORDER BY 1 DESC LIMIT ?";
    let numbers = [ValueRef::Int(1), ValueRef::Int(5), ValueRef::Int(9)];
    assert_eq!(conn.rows_with(query, &numbers), ["5", "1"]);
    let text = [ValueRef::Int(1), ValueRef::Str(b"x", CI), ValueRef::Int(1)];
    assert_eq!(conn.rows_with(query, &text), ["x"]);
}

#[test]
fn the_sessions_limit_is_one_of_all_rows() {
    let (_db, mut conn) = tables();
    conn.session.select_limit = 4;
    assert_eq!(conn.rows("SELECT id FROM a UNION ALL SELECT id FROM b"), ["1", "2", "3", "1"]);
    assert_eq!(conn.rows("SELECT id FROM a UNION ALL SELECT id FROM b LIMIT 5"), ["1", "2", "3", "1", "2"]);
    assert_eq!(conn.rows("SELECT COUNT(*) FROM (SELECT id FROM a UNION ALL SELECT id FROM b) u"), ["6"]);
    assert_eq!(conn.session.found_rows.load(std::sync::atomic::Ordering::Relaxed), 1);
    conn.rows("SELECT id FROM a UNION ALL SELECT id FROM b");
    assert_eq!(conn.session.found_rows.load(std::sync::atomic::Ordering::Relaxed), 4);
}

#[test]
fn what_a_limit_passes_over_is_not_read() {
    let (_db, mut conn) = tables();
    // The second part would fail.
    let rows = "SELECT id FROM a UNION ALL SELECT (SELECT id FROM b) LIMIT 3";
    assert_eq!(conn.rows(rows), ["1", "2", "3"]);
    assert_eq!(conn.error(&rows.replace("LIMIT 3", "LIMIT 4")).0, 1242);
}

#[test]
fn a_part_locks_its_own_rows() {
    let (db, mut conn) = tables();
    conn.autocommit = false;
    let free = |table: &str| {
        let mut other = db.connect();
        other.answer(&format!("SELECT id FROM {table} FOR UPDATE NOWAIT")).is_ok()
    };
    for (query, locked) in [
        ("(SELECT id FROM a FOR UPDATE) UNION (SELECT id FROM b)", [true, false]),
        ("SELECT id FROM a UNION SELECT id FROM b FOR UPDATE", [false, true]),
        ("(SELECT id FROM a UNION SELECT id FROM b) FOR UPDATE", [false, true]),
        ("(SELECT id FROM a) FOR UPDATE", [true, false]),
        ("(SELECT id FROM a FOR SHARE) UNION ALL (SELECT id FROM b LOCK IN SHARE MODE)", [true, true]),
        ("SELECT id FROM a UNION ALL SELECT id FROM b", [false, false]),
    ] {
        conn.rows(query);
        assert_eq!([!free("a"), !free("b")], locked, "{query}");
        conn.commit();
    }
}

#[test]
fn names_come_from_the_text_of_the_first_part() {
    let (_db, mut conn) = tables();
    assert_eq!(conn.columns("SELECT 1 +  1, v FROM a UNION SELECT 2 AS x, 'y'"), ["1 +  1", "v"]);
    assert_eq!(conn.columns("SELECT * FROM (SELECT 1+1 UNION SELECT 2+2) u"), ["1+1"]);
    let nested = "SELECT 'a', EXISTS (SELECT 1 FROM a WHERE id > 5 UNION SELECT 3) UNION SELECT 1, 2";
    assert_eq!(conn.columns(nested), ["a", "EXISTS (SELECT 1 FROM a WHERE id > 5 UNION SELECT 3)"]);
}

#[test]
fn literals_of_derived_tables_mean_what_they_say() {
    let (_db, mut conn) = tables();
    assert_eq!(conn.rows("SELECT * FROM (SELECT id FROM a ORDER BY 1 DESC LIMIT 2) u"), ["3", "2"]);
    assert_eq!(
        conn.rows(
            "SELECT id FROM a WHERE id > 2 UNION (SELECT id FROM b WHERE id < 9 ORDER BY 1 DESC LIMIT 1)"
        ),
        ["3", "5"]
    );
    let columns = conn.answer("SELECT x FROM (SELECT 1 AS x UNION SELECT 'abc') u").unwrap().1;
    assert_eq!(columns[0].ty.wire(CI).type_code, 253);
    assert_eq!(columns[0].ty.wire(CI).flags & flags::NOT_NULL, flags::NOT_NULL);
}

#[test]
fn long_chains_do_not_descend() {
    let (_db, mut conn) = tables();
    let chain = format!("SELECT 0{}", " UNION SELECT 1 UNION ALL SELECT 2".repeat(1500));
    assert_eq!(conn.rows(&chain).len(), 4);
}
