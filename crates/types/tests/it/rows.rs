//! Purpose: stored rows are the bytes that MySQL writes into row events, and are sent as MySQL sends them.
//!
//! Requirements: for every line of `tests/data/rows.tsv`: the row image of the assigned literal, the column as text
//! and as binary protocol value, and the value read back; NULL bitmaps, many columns, patches and damaged rows.
//!
//! Method: the file holds bytes of MySQL 9.7.4's binlog and packets (`cargo run -p types --example record_types -- PORT rows`).

use crate::support::{column, field, for_column, from_hex, hex, lines, literal, today};
use types::charset::Charset;
use types::column::{Column, ColumnType, IntSize, IntType, Sign};
use types::context::Context;
use types::row::{Change, Offsets, RowError, RowLayout, write_lenenc};
use types::sql_mode::SqlMode;
use types::temporal::TimeZone;
use types::value::{Value, ValueRef};
use types::warning::Warnings;

fn assigned(column: &Column, text: &str) -> Vec<u8> {
    let value = for_column(literal(text), column.ty);
    let mut warnings = Warnings::default();
    let mut context = Context::writing(SqlMode::EMPTY, &TimeZone::UTC, today(), &mut warnings);
    let layout = RowLayout::new([column.ty]);
    let mut row = Vec::new();
    let mut builder = layout.builder(&mut row);
    builder.assign(column, value.as_ref(), &mut context).unwrap();
    builder.finish().unwrap();
    row
}

#[test]
fn row_images_and_packets_are_mysqls_bytes() {
    let mut cases = 0;
    for fields in lines(include_str!("../data/rows.tsv")) {
        let [definition, text, "=", image, shown, binary] = fields[..] else { panic!("{fields:?}") };
        let column = column(definition);
        let row = assigned(&column, text);
        assert_eq!(hex(&row), image, "{definition} <- {text}");
        let layout = RowLayout::new([column.ty]);
        let mut offsets = Offsets::default();
        layout.offsets(&row, &mut offsets).unwrap();

        let mut wire = Vec::new();
        layout.write_text_wire(&row, &offsets, 0, Charset::Utf8mb4, &TimeZone::UTC, &mut wire);
        let mut expected = Vec::new();
        match shown {
            "NULL" => expected.push(0xFB),
            _ => write_lenenc(&unescaped(shown), &mut expected),
        }
        assert_eq!(field(&wire), field(&expected), "{definition} <- {text}");

        wire.clear();
        let has_value =
            layout.write_binary_wire(&row, &offsets, 0, Charset::Utf8mb4, &TimeZone::UTC, &mut wire);
        assert_eq!(hex(&wire), binary, "{definition} <- {text}");
        assert_eq!(has_value, shown != "NULL");

        // What was read can be written again, and gives the same bytes.
        let value = layout.value(&row, &offsets, 0, &TimeZone::UTC);
        let mut again = Vec::new();
        layout.encode([value], &TimeZone::UTC, &mut again).unwrap();
        assert_eq!(hex(&again), image, "{definition} <- {text}");
        cases += 1;
    }
    assert!(cases > 130, "only {cases} cases");
}

fn unescaped(text: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("\\x") {
        bytes.extend_from_slice(before.as_bytes());
        bytes.extend(from_hex(&after[..2]));
        rest = &after[2..];
    }
    bytes.extend_from_slice(rest.as_bytes());
    bytes
}

const INT: ColumnType = ColumnType::Int(IntType { size: IntSize::Int, sign: Sign::Signed, width: 11 });

// Images of MySQL 9.7.4 for tables of three INT and of ten TINYINT columns.
#[test]
fn null_bits_are_set_from_the_lowest_and_unused_ones_are_zero() {
    let encode = |layout: &RowLayout, values: &[Value]| {
        let mut row = Vec::new();
        layout.encode(values.iter().map(Value::as_ref), &TimeZone::UTC, &mut row).unwrap();
        hex(&row)
    };
    let three = RowLayout::new([INT; 3]);
    assert_eq!(encode(&three, &[Value::Int(1), Value::Null, Value::Int(3)]), "020100000003000000");
    assert_eq!(encode(&three, &[Value::Null, Value::Null, Value::Null]), "07");
    let ten = RowLayout::new([ColumnType::BOOL; 10]);
    assert_eq!(encode(&ten, &vec![Value::Null; 10]), "ff03");
    assert_eq!(encode(&ten, &vec![Value::Int(1); 10]), "000001010101010101010101");
}

fn wide() -> RowLayout {
    let collation = crate::support::CI;
    RowLayout::new([
        INT,
        ColumnType::Varchar { chars: 20, collation },
        ColumnType::Decimal { precision: 10, scale: 2, sign: Sign::Signed },
        ColumnType::varchar("c", 300, collation).unwrap(),
        ColumnType::Date,
    ])
}

fn encode(layout: &RowLayout, values: &[Value]) -> Vec<u8> {
    let mut row = Vec::new();
    layout.encode(values.iter().map(Value::as_ref), &TimeZone::UTC, &mut row).unwrap();
    row
}

fn texts(layout: &RowLayout, row: &[u8]) -> Vec<String> {
    let mut offsets = Offsets::default();
    layout.offsets(row, &mut offsets).unwrap();
    let value = |column| layout.value(row, &offsets, column, &TimeZone::UTC).to_message();
    (0..layout.column_count()).map(value).collect()
}

#[test]
fn a_patch_replaces_some_columns_and_keeps_the_rest() {
    let layout = wide();
    let text = |text: &str| Value::text(text);
    let before = [Value::Int(7), text("abc"), Value::Null, text("long"), literal("date'2020-01-02'")];
    let row = encode(&layout, &before);
    let mut offsets = Offsets::default();
    layout.offsets(&row, &mut offsets).unwrap();
    // Every subset of columns, each made NULL or given the value of another row.
    let after = [Value::Int(-1), Value::Null, literal("-1.50"), text(""), literal("date'1999-12-31'")];
    let donor = encode(&layout, &after);
    let mut donor_offsets = Offsets::default();
    layout.offsets(&donor, &mut donor_offsets).unwrap();
    for subset in 0..1_usize << layout.column_count() {
        let columns = (0..layout.column_count()).filter(|column| subset >> column & 1 != 0);
        let changes: Vec<Change<'_>> =
            columns.map(|column| Change { column, stored: donor_offsets.stored(&donor, column) }).collect();
        let mut patched = Vec::new();
        layout.patch(&row, &offsets, &changes, &mut patched).unwrap();
        let mixed: Vec<Value> = (0..layout.column_count())
            .map(
                |column| {
                    if subset >> column & 1 != 0 { after[column].clone() } else { before[column].clone() }
                },
            )
            .collect();
        assert_eq!(hex(&patched), hex(&encode(&layout, &mixed)), "subset {subset:b}");
    }
}

#[test]
fn values_that_were_not_brought_into_the_column_are_refused() {
    let refused = |definition: &str, value: ValueRef<'_>| {
        let mut row = Vec::new();
        let layout = RowLayout::new([column(definition).ty]);
        layout.encode([value], &TimeZone::UTC, &mut row) == Err(RowError::WrongValue { column: 0 })
    };
    assert!(refused("tinyint", ValueRef::Int(128)));
    assert!(refused("tinyint unsigned", ValueRef::Int(-1)));
    assert!(refused("int", ValueRef::text("1")));
    assert!(refused("varchar(2)", ValueRef::text("abc")));
    assert!(refused("varchar(2)", ValueRef::bytes(b"ab")));
    assert!(refused("varchar(2) character set latin1", ValueRef::text("ab")));
    assert!(refused("decimal(3,1)", literal("1.55").as_ref()));
    assert!(refused("decimal(3,1)", literal("100.0").as_ref()));
    assert!(refused("double", ValueRef::Double(f64::NAN)));
    assert!(refused("datetime", literal("timestamp'2020-01-02 03:04:05.5'").as_ref()));
    assert!(refused("timestamp", literal("timestamp'1969-01-01 00:00:00'").as_ref()));
    let two = RowLayout::new([INT; 2]);
    let mut row = Vec::new();
    assert_eq!(two.encode([ValueRef::Null], &TimeZone::UTC, &mut row), Err(RowError::WrongCount));
    assert_eq!(two.encode([ValueRef::Null; 3], &TimeZone::UTC, &mut row), Err(RowError::WrongCount));
}

#[test]
fn damaged_rows_are_refused_or_read_but_never_panic() {
    let layout = wide();
    let values = [
        Value::Int(7),
        Value::text("abc"),
        literal("1.50"),
        Value::text("long"),
        literal("date'2020-01-02'"),
    ];
    let row = encode(&layout, &values);
    assert_eq!(texts(&layout, &row), ["7", "abc", "1.50", "long", "2020-01-02"]);
    let mut offsets = Offsets::default();
    for size in 0..row.len() {
        let error = layout.offsets(&row[..size], &mut offsets).unwrap_err();
        assert!(matches!(error, RowError::Truncated { .. }), "{size} bytes: {error}");
    }
    let longer = [&row[..], &[0]].concat();
    assert_eq!(layout.offsets(&longer, &mut offsets), Err(RowError::TooLong));
    for at in 0..row.len() {
        for bit in 0..8 {
            let mut damaged = row.clone();
            damaged[at] ^= 1 << bit;
            if layout.offsets(&damaged, &mut offsets).is_ok() {
                let _ = texts(&layout, &damaged);
                let mut out = Vec::new();
                for column in 0..layout.column_count() {
                    layout.write_text_wire(
                        &damaged,
                        &offsets,
                        column,
                        Charset::Latin1,
                        &TimeZone::UTC,
                        &mut out,
                    );
                    layout.write_binary_wire(
                        &damaged,
                        &offsets,
                        column,
                        Charset::Latin1,
                        &TimeZone::UTC,
                        &mut out,
                    );
                }
            }
        }
    }
}

#[test]
fn text_is_converted_to_the_results_character_set() {
    let layout = RowLayout::new([column("varchar(5)").ty]);
    let row = encode(&layout, &[Value::text("é€ж")]);
    let mut offsets = Offsets::default();
    layout.offsets(&row, &mut offsets).unwrap();
    let mut out = Vec::new();
    layout.write_text_wire(&row, &offsets, 0, Charset::Latin1, &TimeZone::UTC, &mut out);
    assert_eq!(out, b"\x03\xE9\x80?");
    out.clear();
    layout.write_text_wire(&row, &offsets, 0, Charset::Binary, &TimeZone::UTC, &mut out);
    assert_eq!(&out[1..], "é€ж".as_bytes());
}

#[test]
fn a_timestamp_is_shown_in_the_sessions_time_zone() {
    let zone = TimeZone::parse("+05:30", &TimeZone::UTC).unwrap();
    let layout = RowLayout::new([ColumnType::Timestamp { fsp: 0 }]);
    let row = encode(&layout, &[literal("timestamp'2020-01-02 03:04:05'")]);
    let mut offsets = Offsets::default();
    layout.offsets(&row, &mut offsets).unwrap();
    assert_eq!(layout.value(&row, &offsets, 0, &zone).to_message(), "2020-01-02 08:34:05");
    let mut again = Vec::new();
    layout.encode([literal("timestamp'2020-01-02 08:34:05'").as_ref()], &zone, &mut again).unwrap();
    assert_eq!(again, row);
}
