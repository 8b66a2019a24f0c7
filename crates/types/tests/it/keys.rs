//! Purpose: index keys are in the order of the values, for every type and for composite keys.
//!
//! Requirements: for two rows, `memcmp` of their keys is the comparison of their values, column by column, NULL first;
//! equal values have equal keys; the key of a value is the key of the row that holds it; a prefix part compares the
//! first characters; no key is a proper prefix of another of the same index.
//!
//! Method: properties over rows of all types with values that are often equal or neighbours; the oracle is
//! `value::compare`, which knows nothing of keys.

use std::cmp::Ordering;

use crate::support::{column, for_column, literal, reading, today};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use types::column::{Column, ColumnType};
use types::context::Context;
use types::key::{KeyLayout, KeyPart, successor, write_sort_value};
use types::row::{Offsets, RowLayout};
use types::sql_mode::SqlMode;
use types::temporal::TimeZone;
use types::value::{Value, ValueRef, compare};
use types::warning::Warnings;

const TYPES: &[&str] = &[
    "tinyint",
    "tinyint unsigned",
    "mediumint",
    "mediumint unsigned",
    "int",
    "bigint",
    "bigint unsigned",
    "decimal(10,3)",
    "decimal(65,30)",
    "decimal(5,5)",
    "float",
    "double",
    "char(4)",
    "varchar(6)",
    "varchar(6) character set latin1",
    "varchar(6) collate utf8mb4_bin",
    "text",
    "binary(4)",
    "varbinary(4)",
    "blob",
    "date",
    "time",
    "time(3)",
    "time(6)",
    "datetime",
    "datetime(1)",
    "datetime(6)",
    "timestamp",
    "timestamp(5)",
];

const NUMBERS: &[&str] = &[
    "0",
    "1",
    "-1",
    "2",
    "127",
    "128",
    "-128",
    "255",
    "-129",
    "65536",
    "8388607",
    "-8388608",
    "9223372036854775807",
    "-9223372036854775808",
    "18446744073709551615",
    "0.5",
    "-0.5",
    "0.001",
    "-0.001",
    "99.999",
    "1e-30",
    "-0e0",
    "1e300",
    "-1e300",
    "1.5e0",
    "12345678901234567890.123456789",
];

const TEXTS: &[&str] = &[
    "''",
    "'a'",
    "'A'",
    "'a '",
    "'ab'",
    "'a b'",
    "'a  b'",
    r"'a\0'",
    r"'a\t'",
    "'a!'",
    "'é'",
    "'e'",
    "'ß'",
    "'s'",
    "'😀'",
    "'€'",
    "x'61'",
    "x'6100'",
    "x'610000'",
    "x'00'",
    "x''",
    "x'0001'",
    "x'ff'",
];

const MOMENTS: &[&str] = &[
    "timestamp'1970-01-01 00:00:01'",
    "timestamp'2020-01-02 03:04:05.999999'",
    "timestamp'2020-01-02 03:04:05.999998'",
    "timestamp'2038-01-19 03:14:07'",
    "date'2020-01-02'",
    "date'2019-12-31'",
    "date'1000-01-01'",
    "time'00:00:00'",
    "time'-00:00:00.000001'",
    "time'-00:00:01'",
    "time'00:00:00.5'",
    "time'838:59:59'",
    "time'-838:59:59'",
    "time'-00:00:00.5'",
];

/// The row of one column that holds what the column makes of a literal; the literal is dropped if the assignment
/// fails.
fn stored(column: &Column, text: &str) -> Option<Vec<u8>> {
    let value = for_column(literal(text), column.ty);
    let mut warnings = Warnings::default();
    let mut context = Context::writing(SqlMode::EMPTY, &TimeZone::UTC, today(), &mut warnings);
    let layout = RowLayout::new([column.ty]);
    let mut row = Vec::new();
    let mut builder = layout.builder(&mut row);
    builder.assign(column, value.as_ref(), &mut context).ok()?;
    builder.finish().ok()?;
    Some(row)
}

fn value_of<'r>(layout: &RowLayout, row: &'r [u8]) -> ValueRef<'r> {
    let mut offsets = Offsets::default();
    layout.offsets(row, &mut offsets).unwrap();
    layout.value(row, &offsets, 0, &TimeZone::UTC)
}

fn order(a: ValueRef<'_>, b: ValueRef<'_>) -> Ordering {
    let mut warnings = Warnings::default();
    match (a.is_null(), b.is_null()) {
        (false, false) => compare(a, b, &mut reading(&mut warnings)).unwrap().unwrap(),
        (a, b) => b.cmp(&a),
    }
}

fn key_of(part: KeyPart, layout: &RowLayout, row: &[u8]) -> Vec<u8> {
    let mut offsets = Offsets::default();
    layout.offsets(row, &mut offsets).unwrap();
    let mut key = Vec::new();
    let has_null = KeyLayout::new([part]).write(layout, row, &offsets, &mut key);
    assert_eq!(has_null, value_of(layout, row).is_null());
    key
}

fn part(ty: ColumnType, prefix: Option<u32>) -> KeyPart {
    KeyPart { column: 0, ty, nullable: true, prefix }
}

fn literals_for(ty: &str) -> Vec<&'static str> {
    let mut all = vec!["NULL"];
    let family = match ty {
        _ if ty.starts_with("date") || ty.starts_with("time") => MOMENTS,
        _ if column(ty).ty.is_string() => TEXTS,
        _ => NUMBERS,
    };
    all.extend(family);
    all
}

#[test]
fn keys_of_every_type_are_in_the_order_of_the_values() {
    let mut pairs = 0;
    for definition in TYPES {
        let column = column(definition);
        let layout = RowLayout::new([column.ty]);
        let rows: Vec<Vec<u8>> =
            literals_for(definition).into_iter().filter_map(|text| stored(&column, text)).collect();
        for a in &rows {
            for b in &rows {
                let expected = order(value_of(&layout, a), value_of(&layout, b));
                let (a_key, b_key) =
                    (key_of(part(column.ty, None), &layout, a), key_of(part(column.ty, None), &layout, b));
                let shown = (value_of(&layout, a).to_message(), value_of(&layout, b).to_message());
                assert_eq!(a_key.cmp(&b_key), expected, "{definition} {shown:?}");
                assert!(a_key == b_key || !b_key.starts_with(&a_key), "{definition} {shown:?}");
                pairs += 1;
            }
        }
    }
    assert!(pairs > 5000, "only {pairs} pairs");
}

#[test]
fn the_key_of_a_value_is_the_key_of_its_row() {
    for definition in TYPES {
        let column = column(definition);
        let layout = RowLayout::new([column.ty]);
        for row in literals_for(definition).into_iter().filter_map(|text| stored(&column, text)) {
            let value = value_of(&layout, &row);
            let mut key = Vec::new();
            let keys = KeyLayout::new([part(column.ty, None)]);
            let has_null = keys.write_values([value], &TimeZone::UTC, &mut key).unwrap();
            assert_eq!(
                key,
                key_of(part(column.ty, None), &layout, &row),
                "{definition} {}",
                value.to_message()
            );
            assert_eq!(has_null, value.is_null());
        }
    }
}

#[test]
fn a_prefix_part_compares_the_first_characters() {
    let column = column("varchar(6)");
    let layout = RowLayout::new([column.ty]);
    let key = |text: &str| key_of(part(column.ty, Some(2)), &layout, &stored(&column, text).unwrap());
    assert_eq!(key("'abc'"), key("'abd'"));
    assert_eq!(key("'É€x'"), key("'é€y'"));
    assert_eq!(key("'a '"), key("'a'"));
    assert!(key("'ab'") < key("'ac'"));
    assert!(key("'éa'") < key("'éb'"), "a prefix is counted in characters");
    assert!(key("'a'") < key("'abc'"));
}

#[test]
fn the_successor_ends_the_range_of_a_prefix() {
    let end = |key: &[u8]| {
        let mut out = Vec::new();
        successor(key, &mut out);
        out
    };
    assert_eq!(end(&[1, 2]), [1, 3]);
    assert_eq!(end(&[1, 0xFF, 0xFF]), [2]);
    assert_eq!(end(&[0xFF]), [0_u8; 0]);
}

#[test]
fn keys_of_expressions_are_in_the_order_of_their_values() {
    let sort_key = |value: ValueRef<'_>| {
        let mut key = Vec::new();
        write_sort_value(value, &mut key);
        key
    };
    let kinds: [&[&str]; 6] = [
        &["NULL", "0", "1", "-1", "9223372036854775807", "-9223372036854775808", "18446744073709551615"],
        &["NULL", "0.0", "0.5", "-0.5", "-0.50", "1.10", "-12345678901234567890.1", "12345678901234567890.1"],
        &["NULL", "0e0", "-0e0", "1e300", "-1e300", "1e-300", "CAST(0.5 AS FLOAT)"],
        &["NULL", "''", "'a'", "'A '", "'a b'", r"'a\0'", "'é'"],
        &["NULL", "date'2020-01-02'", "timestamp'2020-01-02 00:00:00'", "timestamp'2020-01-02 00:00:00.5'"],
        &["NULL", "time'00:00:00'", "time'-00:00:01'", "time'838:59:59'", "time'-00:00:00.5'"],
    ];
    for kind in kinds {
        for (a, b) in kind.iter().flat_map(|a| kind.iter().map(move |b| (literal(a), literal(b)))) {
            let expected = order(a.as_ref(), b.as_ref());
            assert_eq!(sort_key(a.as_ref()).cmp(&sort_key(b.as_ref())), expected, "{a:?} {b:?}");
        }
    }
}

/// Three columns of any types and, for each, two values.
fn composite() -> impl Strategy<Value = Vec<(&'static str, &'static str, &'static str)>> {
    let one = select(TYPES).prop_flat_map(|definition| {
        let literals = literals_for(definition);
        (Just(definition), select(literals.clone()), select(literals))
    });
    vec(one, 1..4)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 20_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn composite_keys_compare_column_by_column(columns in composite()) {
        let (mut a_key, mut b_key, mut expected) = (Vec::new(), Vec::new(), Ordering::Equal);
        for (definition, a, b) in columns {
            let column = column(definition);
            let layout = RowLayout::new([column.ty]);
            let (Some(a), Some(b)) = (stored(&column, a), stored(&column, b)) else { continue };
            a_key.extend(key_of(part(column.ty, None), &layout, &a));
            b_key.extend(key_of(part(column.ty, None), &layout, &b));
            expected = expected.then(order(value_of(&layout, &a), value_of(&layout, &b)));
        }
        prop_assert_eq!(a_key.cmp(&b_key), expected);
    }

    #[test]
    fn integer_keys_are_in_order(a in any::<i64>(), b in any::<i64>()) {
        let key = |number: i64| {
            let mut key = Vec::new();
            let part = KeyPart { nullable: false, ..part(column("bigint").ty, None) };
            part.write_value(Value::Int(number).as_ref(), &TimeZone::UTC, &mut key).unwrap();
            key
        };
        prop_assert_eq!(key(a).cmp(&key(b)), a.cmp(&b));
    }

    #[test]
    fn double_keys_are_in_order(a in any::<f64>(), b in any::<f64>()) {
        prop_assume!(a.is_finite() && b.is_finite());
        let key = |number: f64| {
            let mut key = Vec::new();
            part(column("double").ty, None).write_value(Value::Double(number).as_ref(), &TimeZone::UTC, &mut key).unwrap();
            key
        };
        prop_assert_eq!(key(a).cmp(&key(b)), a.partial_cmp(&b).unwrap());
    }
}
