//! R2: what a column cannot hold exactly bounds its index all the same. The rows are those that a look at all finds: where the
//! comparison stands within CASE, nothing is looked up.

use engine::catalog::def::{DefaultValue, IndexKind};
use types::column::{ColumnType, IntSize, Sign};
use types::sql_mode::SqlMode;
use types::temporal::TimeZone;
use vfs::sim::Rng;

use crate::db::{Conn, Db, Spec, int};

const INTEGERS: &str =
    "-129 -128 -1.5 -1 -0.5 0 0.4 0.5 1 2.5 126.5 127 127.1 128 1000 99999999999999999999 1.5e0 -3e9";
const DECIMALS: &str =
    "-1000 -999.99 -999.995 -1.005 -0.004 0 0.004 0.005 9.994 9.995 9.995e0 999.99 999.994 999.999 1e9 1000";
const MOMENTS: &str = "'2024-01-31' '2024-01-31_23:59:59' '2024-01-31_23:59:59.4' '2024-01-31_23:59:59.999999' '2024-02-01' \
                       '2024-02-00' '2024-02-29_12:00:00.05' '2023-12-31_23:59:59.9999999' '1969-01-01' '0000-00-00' \
                       '9999-12-31_23:59:59.9' TIMESTAMP'2024-01-31_23:59:59.5' TIMESTAMP'2024-02-01_00:00:00.000001' \
                       DATE'2024-02-01' '2024-1-31_23:59:59.5' 'soon' '2024-01-31_x' 20240131235959.5 20240201";
const TIMES: &str = "'10:00:00' '10:00:00.5' TIME'10:00:00.4' TIME'-10:00:00.6' TIME'838:59:59' '-10:00:00' TIME'00:00:00.01'";

/// Types, and literals for them.
fn columns() -> Vec<(ColumnType, &'static str)> {
    vec![
        (int(IntSize::Tiny), INTEGERS),
        (ColumnType::int("c", IntSize::Tiny, Sign::Unsigned, None).unwrap(), INTEGERS),
        (int(IntSize::Big), INTEGERS),
        (ColumnType::Decimal { precision: 5, scale: 2, sign: Sign::Signed }, DECIMALS),
        (ColumnType::Decimal { precision: 5, scale: 2, sign: Sign::Unsigned }, DECIMALS),
        (ColumnType::Date, MOMENTS),
        (ColumnType::DateTime { fsp: 0 }, MOMENTS),
        (ColumnType::DateTime { fsp: 3 }, MOMENTS),
        (ColumnType::Timestamp { fsp: 0 }, MOMENTS),
        (ColumnType::Time { fsp: 0 }, TIMES),
    ]
}

fn filled() -> (Db, Conn) {
    let (mut db, kinds) = (Db::new(), columns());
    let names: Vec<String> = (0..kinds.len()).map(|place| format!("c{place}")).collect();
    let mut columns = vec![("id", int(IntSize::Int), false, DefaultValue::None)];
    columns.extend(names.iter().zip(&kinds).map(|(name, (ty, _))| (&**name, *ty, true, DefaultValue::Null)));
    let mut indexes = vec![("PRIMARY", IndexKind::Primary, vec![0])];
    let places = (1..).take(kinds.len());
    indexes.extend(names.iter().zip(places).map(|(name, place)| (&**name, IndexKind::Plain, vec![place])));
    db.create(&Spec { name: "t", columns, indexes, auto_increment: None });
    let mut conn = db.connect();
    conn.session.sql_mode = SqlMode::EMPTY;
    let mut rng = Rng::new(21);
    for id in 0..120 {
        let values = kinds.iter().map(|(_, literals)| {
            let null = rng.chance(1, 12);
            if null { "NULL".to_owned() } else { pick(literals, &mut rng) }
        });
        let values: Vec<String> = values.collect();
        conn.run(&format!("INSERT INTO t VALUES ({id}, {})", values.join(", ")));
    }
    (db, conn)
}

fn pick(literals: &str, rng: &mut Rng) -> String {
    let literals: Vec<&str> = literals.split_whitespace().collect();
    literals[rng.index(literals.len())].replace('_', " ")
}

/// The ids that a condition finds by itself and as nobody knows that it is one, or the errors.
fn both(conn: &mut Conn, condition: &str) -> [Result<Vec<String>, u16>; 2] {
    [condition.to_owned(), format!("CASE WHEN {condition} THEN 1 ELSE 0 END")].map(|condition| {
        let answer = conn.answer(&format!("SELECT id FROM t WHERE {condition}"));
        let mut rows = answer.map(|(_, _, rows)| rows).map_err(|error| error.code)?;
        rows.sort();
        Ok(rows)
    })
}

#[test]
fn ranges_that_end_between_a_columns_values_hold_what_a_look_at_all_finds() {
    let (_db, mut conn) = filled();
    let (kinds, mut rng) = (columns(), Rng::new(22));
    for round in 0..6000 {
        if round == 3000 {
            conn.session.set_time_zone(TimeZone::parse("Europe/Berlin", &TimeZone::UTC).unwrap());
        }
        let place = rng.index(kinds.len());
        let literals = kinds[place].1;
        let (a, b) = (pick(literals, &mut rng), pick(literals, &mut rng));
        let op = ["<", "<=", ">", ">=", "=", "<=>", "BETWEEN", "IN", "<> 0 AND c >"][rng.index(9)];
        let condition = match op {
            "BETWEEN" => format!("c BETWEEN {a} AND {b}"),
            "IN" => format!("c IN ({a}, {b})"),
            "<> 0 AND c >" => format!("(c > {a} AND c <= {b} OR c = {b})"),
            op => format!("c {op} {a}"),
        };
        let condition = condition.replace("c ", &format!("c{place} "));
        let [looked_up, plain] = both(&mut conn, &condition);
        assert_eq!(looked_up, plain, "{condition} ({round})");
    }
}

#[test]
fn a_bound_that_a_column_cannot_hold_spares_a_look_at_all() {
    let (_db, mut conn) = filled();
    for condition in [
        "c0 > 127.1",
        "c0 < -1000",
        "c0 = 1.5",
        "c2 IN (0.5, 2.5)",
        "c3 > 999.994",
        "c5 BETWEEN '2024-02-01 00:00:01' AND '2024-02-01 23:59:59'",
        "c6 > '9999-12-31 23:59:59.4'",
        "c6 > TIMESTAMP'9999-12-31 23:59:59.4'",
        "c8 > '2037-12-31 23:59:59.4'",
        "c9 > TIME'838:59:58.5'",
    ] {
        let rows = conn.rows(&format!("SELECT id FROM t WHERE {condition}"));
        assert_eq!(conn.rows_read, rows.len() as u64, "{condition}");
    }
}
