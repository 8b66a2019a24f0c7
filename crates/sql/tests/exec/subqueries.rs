//! Subqueries, above all those that look at rows around them.

use engine::catalog::def::{DefaultValue, IndexKind};
use types::collation::Collation;
use types::column::{ColumnType, IntSize, Sign};

use crate::db::{Conn, Db, Spec, int, varchar};
use crate::recorded;

/// The tables that `tests/data/subqueries.tsv` creates.
fn tables() -> (Db, Conn) {
    let mut db = Db::new();
    let id = || ("id", int(IntSize::Int), false, DefaultValue::None);
    let nullable = |name, ty| (name, ty, true, DefaultValue::Null);
    let primary = || ("PRIMARY", IndexKind::Primary, vec![0]);
    let bin = ColumnType::varchar("", 10, Collation::Utf8mb4Bin).unwrap();
    let big = ColumnType::int("", IntSize::Big, Sign::Unsigned, None).unwrap();
    let decimal = ColumnType::decimal("", Some(10), Some(2), Sign::Signed).unwrap();
    let t = vec![
        id(),
        nullable("a", int(IntSize::Int)),
        nullable("b", int(IntSize::Int)),
        nullable("s", varchar(10)),
        nullable("d", decimal),
        nullable("dt", ColumnType::Date),
    ];
    let u = vec![
        id(),
        nullable("tid", int(IntSize::Int)),
        nullable("x", int(IntSize::Int)),
        nullable("s", bin),
        ("n", big, false, DefaultValue::None),
    ];
    let e = vec![id(), ("x", int(IntSize::Int), false, DefaultValue::None)];
    let w = vec![id(), nullable("v", int(IntSize::Int)), nullable("s", varchar(10))];
    for (name, columns, more) in [
        ("t", t, Some(("a", IndexKind::Plain, vec![1]))),
        ("u", u, Some(("tid", IndexKind::Plain, vec![1, 2]))),
        ("e", e, None),
        ("w", w, None),
    ] {
        let indexes = std::iter::once(primary()).chain(more).collect();
        db.create(&Spec { name, columns, indexes, auto_increment: None });
    }
    let mut conn = db.connect();
    conn.session.collation_connection = Collation::Utf8mb4GeneralCi;
    recorded::fill(include_str!("../data/subqueries.tsv"), &mut conn);
    (db, conn)
}

#[test]
fn rows_columns_errors_and_changes_are_mysqls() {
    let (_db, mut conn) = tables();
    let known = include_str!("../data/subqueries_differ.tsv");
    recorded::compare(include_str!("../data/subqueries.tsv"), known, &mut conn);
}
