//! Purpose: a value assigned to a column becomes what it becomes in MySQL.
//!
//! Requirements: for every pair of column type and literal in `tests/data/assign.tsv`, in a strict statement and in
//! one that is not: the stored value as a client reads it, the warnings, or the error's number and message.
//!
//! Method: the file holds the answers of MySQL 9.7.4 (`cargo run -p types --example record_types -- PORT assign`); each
//! line is assigned with `store::assign`, the stored bytes are read back through a row and its text form.
//! Differences that are known and meant are in [`KNOWN_DIFFERENCES`], and each must still differ.

use crate::support::{column, field, for_column, lines, literal, today, warnings_field};
use types::charset::Charset;
use types::column::{Column, ColumnType};
use types::context::Context;
use types::row::{Offsets, RowLayout};
use types::sql_mode::SqlMode;
use types::temporal::TimeZone;
use types::value::{Bits, Chosen, ValueRef};
use types::warning::Warnings;

/// (column type, literal): what MySQL does there is not imitated.
const KNOWN_DIFFERENCES: &[(&str, &str)] = &[
    // MySQL warns twice of a double beyond INT UNSIGNED, and of that type alone.
    ("int unsigned", "1e10"),
    ("int unsigned", "1e39"),
    ("int unsigned", "1e300"),
    ("int zerofill", "1e10"),
    ("int zerofill", "1e39"),
    ("int zerofill", "1e300"),
    // The date behind the last: MySQL drops it and keeps 24:00:00.
    ("time", "'9999-12-31 23:59:59.9999999'"),
    ("time(2)", "'9999-12-31 23:59:59.9999999'"),
    // MySQL reads an unsigned integer of JSON as a signed one, and makes a date of a string before it makes a DATETIME.
    ("int", "CAST('18446744073709551615' AS JSON)"),
    ("tinyint unsigned", "CAST('18446744073709551615' AS JSON)"),
    ("decimal(5,2)", "CAST('18446744073709551615' AS JSON)"),
    ("datetime(3)", "CAST('\"2020-01-02\"' AS JSON)"),
    ("datetime(3)", "CAST('\"10:11:12\"' AS JSON)"),
    ("timestamp", "CAST('\"2020-01-02\"' AS JSON)"),
    ("timestamp", "CAST('\"10:11:12\"' AS JSON)"),
    // MySQL has an error of its own, 3155, for a double of JSON beyond an integer.
    ("bigint", "CAST('1e30' AS JSON)"),
    // An empty string of JSON is a DOUBLE to MySQL and no other number, one with a blank at its end a DECIMAL.
    ("decimal(30,2)", "CAST('\"5 \"' AS JSON)"),
    ("double", "CAST('\"\"' AS JSON)"),
    // A literal of ten bytes counts as too large, though the first ones are zeros.
    ("year", "x'00000000000000000005'"),
    ("bit(3)", "x'00000000000000000005'"),
    ("bit(8)", "x'00000000000000000005'"),
    ("bit(9)", "x'00000000000000000005'"),
    ("bit(64)", "x'00000000000000000005'"),
];

/// Outcome and warnings of an assignment.
fn assigned(definition: &str, text: &str, mode: SqlMode) -> (String, String) {
    let column = Column { table: "assigned".into(), ..column(definition) };
    let value = for_column(literal(text), column.ty);
    let mut warnings = Warnings::default();
    let mut context = Context::writing(mode, &TimeZone::UTC, today(), &mut warnings);
    let layout = RowLayout::new([column.ty]);
    let mut row = Vec::new();
    let mut builder = layout.builder(&mut row);
    if let Err(error) = builder.assign(&column, value.as_ref(), &mut context) {
        let message = field(error.message.as_bytes());
        return (format!("!{} {message}", error.code), warnings_field(&warnings));
    }
    builder.finish().unwrap();
    let mut offsets = Offsets::default();
    layout.offsets(&row, &mut offsets).unwrap();
    let mut wire = Vec::new();
    layout.write_text_wire(&row, &offsets, 0, Charset::Utf8mb4, &TimeZone::UTC, &mut wire);
    let shown =
        if wire == [0xFB] { "NULL".to_owned() } else { field(&wire[usize::from(wire[0] == 0xFC) * 2 + 1..]) };
    (shown, warnings_field(&warnings))
}

#[test]
fn assignments_end_as_in_mysql() {
    let mut differences = Vec::new();
    let mut cases = 0;
    for fields in lines(include_str!("../data/assign.tsv")) {
        let [definition, text, "=", strict, strict_warnings, "=", lax, lax_warnings] = fields[..] else {
            panic!("a line without answers: {fields:?}");
        };
        // MySQL names the column that a JSON value comes from.
        let [strict, lax_warnings] =
            [strict, lax_warnings].map(|text| text.replace("from column cast_as_json", "from column c"));
        let modes = [(SqlMode::default(), &*strict, strict_warnings), (SqlMode::EMPTY, lax, &*lax_warnings)];
        let mut differs = false;
        for (mode, outcome, warnings) in modes {
            cases += 1;
            let got = assigned(definition, text, mode);
            if got != (outcome.to_owned(), warnings.to_owned()) {
                differs = true;
                differences.push(format!(
                    "{definition} <- {text} ({}):\n  MySQL {outcome} [{warnings}]\n  got   {} [{}]",
                    if mode.is_strict() { "strict" } else { "lax" },
                    got.0,
                    got.1
                ));
            }
        }
        if KNOWN_DIFFERENCES.contains(&(definition, text)) {
            assert!(differs, "no longer different: {definition} <- {text}");
            differences.retain(|line| !line.starts_with(&format!("{definition} <- {text} (")));
        }
    }
    assert!(cases > 8000, "only {cases} cases");
    assert!(differences.is_empty(), "{} differences:\n{}", differences.len(), differences.join("\n"));
}

// Answers of MySQL 9.7.4 under TIME_TRUNCATE_FRACTIONAL.
#[test]
fn fractions_are_cut_if_the_mode_says_so() {
    let mode = SqlMode::TIME_TRUNCATE_FRACTIONAL;
    for (definition, text, expected, note) in [
        ("datetime", "'2020-01-02 03:04:05.9999999'", "2020-01-02 03:04:05", ""),
        ("datetime(6)", "'2020-01-02 03:04:05.9999999'", "2020-01-02 03:04:05.999999", ""),
        ("datetime(6)", "'9999-12-31 23:59:59.9999999'", "9999-12-31 23:59:59.999999", ""),
        ("datetime(6)", "20200102030405.9999999", "2020-01-02 03:04:05.999999", ""),
        ("time(1)", "'10:11:12.99'", "10:11:12.9", ""),
        ("time(6)", "'10:11:12.9999999'", "10:11:12.999999", ""),
        ("date", "'2020-01-02 23:59:59.9'", "2020-01-02", "Note 1265 Data truncated for column 'c' at row 1"),
    ] {
        assert_eq!(
            assigned(definition, text, mode),
            (expected.to_owned(), note.to_owned()),
            "{definition} <- {text}"
        );
    }
}

// Answers of MySQL 9.7.4 to INSERT .. SELECT of such columns.
#[test]
fn labels_years_and_bits_go_into_other_columns() {
    let ColumnType::Enum(labels) = column("enum('x','20200102','b')").ty else { panic!("no ENUM") };
    let label = |number| ValueRef::Chosen(Chosen::of_enum(labels, number));
    let set = ValueRef::Chosen(Chosen::of_set(labels, 5));
    let bits = ValueRef::Bit(Bits::new(10, 97));
    for (value, definition, expected) in [
        (label(1), "int", "1"),
        (label(1), "decimal(5,2)", "1.00"),
        (label(1), "varchar(20) character set latin1", "x"),
        (label(1), "year", "2001"),
        (label(3), "bit(12)", "\\x00\\x03"),
        (label(2), "date", "2020-01-02"),
        (label(3), "set('b','x')", "b"),
        (set, "double", "5"),
        (set, "text", "x,b"),
        (ValueRef::Year(0), "varchar(20)", "0"),
        (ValueRef::Year(1999), "smallint", "1999"),
        (ValueRef::Year(1999), "enum('1999','b')", ""),
        (bits, "varchar(20)", "97"),
        (bits, "tinyint", "97"),
        (bits, "year", "1997"),
    ] {
        let column = column(definition);
        let layout = RowLayout::new([column.ty]);
        let mut warnings = Warnings::default();
        let mut context = Context::writing(SqlMode::EMPTY, &TimeZone::UTC, today(), &mut warnings);
        let mut row = Vec::new();
        let mut builder = layout.builder(&mut row);
        builder.assign(&column, value, &mut context).unwrap();
        builder.finish().unwrap();
        let mut offsets = Offsets::default();
        layout.offsets(&row, &mut offsets).unwrap();
        let mut text = Vec::new();
        layout.value(&row, &offsets, 0, &TimeZone::UTC).write_text(&mut text);
        assert_eq!(field(&text), expected, "{definition} <- {value:?}");
    }
}

#[test]
fn a_null_for_a_not_null_column_is_an_error_or_its_implicit_default() {
    for (definition, default) in
        [("int", "0"), ("varchar(3)", ""), ("datetime", "0000-00-00 00:00:00"), ("decimal(5,2)", "0.00")]
    {
        let column = column(&format!("{definition} not null"));
        let layout = RowLayout::new([column.ty]);
        let mut warnings = Warnings::default();
        let mut context = Context::writing(SqlMode::EMPTY, &TimeZone::UTC, today(), &mut warnings);
        context.null_becomes_default = true;
        let mut row = Vec::new();
        let mut builder = layout.builder(&mut row);
        builder.assign(&column, ValueRef::Null, &mut context).unwrap();
        builder.finish().unwrap();
        let mut offsets = Offsets::default();
        layout.offsets(&row, &mut offsets).unwrap();
        assert_eq!(layout.value(&row, &offsets, 0, &TimeZone::UTC).to_message(), default);
        assert_eq!(warnings_field(&warnings), "Warning 1048 Column 'c' cannot be null");
    }
}
