//! Purpose: casts, comparisons, LIKE, number formats, exact arithmetic and the calendar answer as in MySQL.
//!
//! Requirements: for every line of `tests/data/expressions.tsv` the answer, and for casts and numbers the warnings.
//!
//! Method: the file holds the answers of MySQL 9.7.4 (`cargo run -p types --example record_types -- PORT expressions`).
//! Operations: `cast TYPE a`, `text a` (as a client sees it), `number a` (a+0), `truth a` (IS TRUE), `compare a b`
//! (a = b, a < b), `like text pattern escape`, `+ - * / % DIV` of exact numbers, `round`, `truncate`, `upper`, `lower`,
//! `char_length`, `convert SET a` (hexadecimal), `weight COLLATION a`, `to_days`, `from_days`, `week d mode`,
//! `yearweek d mode`. Differences that are known and meant are in [`known_difference`], and each must still differ.

use std::cmp::Ordering;

use crate::support::{field, hex, lines, literal, reading, today, value_field, warnings_field};
use types::cast::{CastTarget, cast};
use types::charset::{Charset, convert};
use types::collation::{Collation, unicode};
use types::context::Context;
use types::decimal::{DIV_PRECISION_INCREMENT, Decimal};
use types::error::SqlError;
use types::error::table::ER_DATA_OUT_OF_RANGE;
use types::temporal::{Date, calendar};
use types::value::{Numeric, Value, ValueRef, compare, temporal_constant};
use types::warning::Warnings;

/// An answer as the recorder writes it.
type Answer = Result<String, SqlError>;

#[test]
fn expressions_answer_as_in_mysql() {
    let mut differences = Vec::new();
    let mut cases = 0;
    for fields in lines(include_str!("../data/expressions.tsv")) {
        let at = fields.iter().position(|field| *field == "=").expect("every line has an answer");
        let (inputs, expected, expected_warnings) = (&fields[..at], fields[at + 1], fields[at + 2]);
        let mut warnings = Warnings::default();
        let answer = evaluate(inputs, &mut reading(&mut warnings));
        let answer =
            answer.unwrap_or_else(|error| format!("!{} {}", error.code, field(error.message.as_bytes())));
        // Constants are folded more than once, and compared in other ways than columns: only their values count.
        let with_warnings = matches!(inputs[0], "cast" | "number");
        let same_warnings = !with_warnings || warnings_field(&warnings) == expected_warnings;
        cases += 1;
        let same = answer == expected && same_warnings;
        if known_difference(inputs) {
            assert!(!same, "no longer different: {inputs:?}");
        } else if !same {
            differences.push(format!(
                "{}\n  MySQL {expected} [{expected_warnings}]\n  got   {answer} [{}]",
                inputs.join(" "),
                warnings_field(&warnings)
            ));
        }
    }
    assert!(cases > 2500, "only {cases} cases");
    assert!(differences.is_empty(), "{} differences:\n{}", differences.len(), differences.join("\n"));
    assert_eq!(today().to_string(), "2020-01-02");
}

/// What MySQL answers there is not imitated.
fn known_difference(inputs: &[&str]) -> bool {
    match *inputs {
        // MySQL adds a warning with a part of the number.
        ["cast", ty, a] if ty.starts_with("DECIMAL") => {
            matches!(a, "1e300" | "1.7976931348623157e308" | "'1e400'")
        }
        // A datetime with a wrong offset is read as a TIME, and half a one gives NULL without a warning.
        ["cast", "TIME(2)", a] => {
            matches!(a, "'2020-01-02 03:04:05-00:00'" | "'2020-01-02 03:04:05+14:01'" | "'2020-01-02 -'")
        }
        // The message loses the text.
        ["compare", "_latin1 x'e9'", b] => b.starts_with("date") || b.starts_with("timestamp"),
        _ => false,
    }
}

fn evaluate(inputs: &[&str], context: &mut Context<'_>) -> Answer {
    Ok(match *inputs {
        ["cast", ty, a] => {
            let name = format!("CAST({a} AS {ty})");
            let name = if ty == "FLOAT" { name.to_lowercase() } else { name };
            value_field(cast(literal(a).as_ref(), cast_target(ty), &name, context)?.as_ref())
        }
        ["text", a] => value_field(literal(a).as_ref()),
        ["number", a] => {
            let number = literal(a).as_ref().to_number(context)?;
            value_field(number.map_or(Value::Null, Value::from).as_ref())
        }
        ["truth", a] => u8::from(literal(a).as_ref().is_true(context)?.unwrap_or(false)).to_string(),
        ["compare", a, b] => {
            let (a, b) = (literal(a), literal(b));
            let (a, b) = (constant(a.clone(), &b, context)?, constant(b, &a, context)?);
            let order = compare(a.as_ref(), b.as_ref(), context)?;
            let is = |wanted| order.map_or("NULL", |order| if order == wanted { "1" } else { "0" });
            format!("{}|{}", is(Ordering::Equal), is(Ordering::Less))
        }
        ["like", text, pattern, escape] => like(&literal(text), &literal(pattern), &literal(escape)),
        [op @ ("+" | "-" | "*" | "/" | "%"), a, b] => arithmetic(op, exact(a), exact(b)),
        ["DIV", a, b] => integer_quotient(a, b)?,
        ["round", a, places] => exact(a).round(shown_places(a, places)).unwrap().to_string(),
        ["truncate", a, places] => exact(a).truncate(shown_places(a, places)).to_string(),
        [function, a] => text_function(function, a),
        ["convert", charset, a] => converted(Charset::from_name(charset).unwrap(), &literal(a)),
        ["weight", collation, a] => weights(Collation::from_name(collation).unwrap(), &literal(a)),
        [function @ ("week" | "yearweek"), date, mode] => {
            week(function, &literal(date), mode.parse().unwrap())
        }
        _ => panic!("unknown operation {inputs:?}"),
    })
}

/// A constant as the resolver prepares it: text that meets a date is read once, a hexadecimal literal that meets a
/// number is one.
fn constant(value: Value, other: &Value, context: &mut Context<'_>) -> Result<Value, SqlError> {
    match (&value, other) {
        (Value::Str(text, collation), Value::Date(_) | Value::DateTime(_)) => {
            temporal_constant(other.as_ref(), text, *collation, context)
        }
        (Value::Bytes(text), Value::Date(_) | Value::DateTime(_)) => {
            temporal_constant(other.as_ref(), text, Collation::Binary, context)
        }
        (Value::Bytes(bytes), Value::Int(_) | Value::UInt(_) | Value::Decimal(_) | Value::Double(_)) => {
            Ok(Value::UInt(bytes.iter().fold(0, |number, &byte| number << 8 | u64::from(byte))))
        }
        _ => Ok(value),
    }
}

fn cast_target(ty: &str) -> CastTarget {
    let (name, rest) = ty.split_once('(').unwrap_or((ty, ""));
    let numbers: Vec<u32> = rest.split([',', ')']).filter_map(|number| number.parse().ok()).collect();
    let first = numbers.first().copied();
    let small =
        |number: Option<u32>, default: u8| number.map_or(default, |number| number.try_into().unwrap());
    match name {
        "SIGNED" => CastTarget::Signed,
        "UNSIGNED" => CastTarget::Unsigned,
        "DOUBLE" => CastTarget::Double,
        "FLOAT" => CastTarget::Float,
        "DECIMAL" => {
            CastTarget::Decimal { precision: small(first, 10), scale: small(numbers.get(1).copied(), 0) }
        }
        "CHAR" => CastTarget::Char { chars: first, collation: crate::support::CI },
        "BINARY" => CastTarget::Binary { size: first },
        "DATE" => CastTarget::Date,
        "TIME" => CastTarget::Time { fsp: small(first, 0) },
        "DATETIME" => CastTarget::DateTime { fsp: small(first, 0) },
        _ => panic!("unknown type {ty}"),
    }
}

fn exact(text: &str) -> Decimal {
    text.parse().unwrap()
}

fn arithmetic(op: &str, a: Decimal, b: Decimal) -> String {
    let result = match op {
        "+" => Some(a.add(&b)),
        "-" => Some(a.subtract(&b)),
        "*" => Some(a.multiply(&b)),
        "/" => a.divide(&b, DIV_PRECISION_INCREMENT),
        _ => a.divide_integer(&b).map(|(_, rest)| Ok(rest)),
    };
    let out_of_range = |_| format!("!1690 out of range {op}");
    result.map_or("NULL".to_owned(), |result| result.map_or_else(out_of_range, |value| value.to_string()))
}

/// DIV gives a BIGINT, or error 1690.
fn integer_quotient(a: &str, b: &str) -> Answer {
    let Some((quotient, _)) = exact(a).divide_integer(&exact(b)) else { return Ok("NULL".to_owned()) };
    let quotient = quotient.unwrap();
    let shown = b.strip_prefix('-').map_or(b.to_owned(), |b| format!("-({b})"));
    let error = || ER_DATA_OUT_OF_RANGE.error(&[&"BIGINT", &format!("({a} DIV {shown})")]);
    quotient.to_i64().map(|number| number.to_string()).ok_or_else(error)
}

/// ROUND and TRUNCATE show no more digits than their argument has.
fn shown_places(a: &str, places: &str) -> i32 {
    places.parse::<i32>().unwrap().min(i32::from(exact(a).scale()))
}

fn like(text: &Value, pattern: &Value, escape: &Value) -> String {
    if text.is_null() {
        return "NULL".to_owned();
    }
    let (mut text_bytes, mut pattern_bytes) = (Vec::new(), Vec::new());
    text.as_ref().write_text(&mut text_bytes);
    pattern.as_ref().write_text(&mut pattern_bytes);
    let Value::Str(escape, _) = escape else { panic!("an escape is text") };
    let collation = match (text, pattern) {
        (Value::Bytes(_), _) => Collation::Binary,
        (Value::Str(_, collation), _) | (_, Value::Str(_, collation)) => *collation,
        _ => crate::support::CI,
    };
    let escape = escape.first().map(|&byte| u32::from(byte));
    u8::from(collation.like(&text_bytes, &pattern_bytes, escape)).to_string()
}

fn text_function(function: &str, a: &str) -> String {
    let value = literal(a);
    let (mut text, mut out) = (Vec::new(), Vec::new());
    value.as_ref().write_text(&mut text);
    let collation = match &value {
        Value::Str(_, collation) => *collation,
        Value::Bytes(_) => Collation::Binary,
        _ => crate::support::CI,
    };
    let charset = collation.charset();
    match function {
        "upper" => charset.to_upper(&text, &mut out),
        "lower" => charset.to_lower(&text, &mut out),
        "char_length" => return charset.char_count(&text).to_string(),
        "to_days" => {
            let Value::Date(date) = value else { panic!("a date") };
            return date.to_days().unwrap().to_string();
        }
        "from_days" => return Date::from_days(a.parse().unwrap()).unwrap().to_string(),
        _ => panic!("unknown function {function}"),
    }
    match charset {
        Charset::Binary => field(&out),
        _ => value_field(ValueRef::Str(&out, collation)),
    }
}

fn converted(charset: Charset, value: &Value) -> String {
    let Value::Str(bytes, collation) = value else { panic!("text") };
    let mut out = Vec::new();
    convert(bytes, collation.charset(), charset, &mut out);
    hex(&out).to_uppercase()
}

/// What WEIGHT_STRING shows: two bytes a character for `utf8mb4_general_ci`, one for the one-byte sets. Sort keys have
/// another form, so the weights of single characters are compared.
fn weights(collation: Collation, value: &Value) -> String {
    let Value::Str(bytes, _) = value else { panic!("text") };
    if collation.charset() == Charset::Utf8mb4 {
        let text = std::str::from_utf8(bytes).unwrap();
        let weights = text.chars().map(|c| format!("{:04X}", unicode::weight(c.into())));
        return weights.collect::<Vec<_>>().concat();
    }
    let weight = |byte: u8| {
        let mut key = Vec::new();
        collation.sort_key(&[byte], &mut key);
        format!("{:02X}", key[0])
    };
    bytes.iter().map(|&byte| weight(byte)).collect::<Vec<_>>().concat()
}

fn week(function: &str, date: &Value, mode: u8) -> String {
    let Value::Date(date) = date else { panic!("a date") };
    let (year, month, day) = (date.year(), date.month(), date.day());
    if function == "week" {
        return calendar::week(year, month, day, mode).1.to_string();
    }
    let (year, week) = calendar::week(year, month, day, mode | 2);
    format!("{year}{week:02}")
}

#[test]
fn a_number_goes_into_a_value_unchanged() {
    assert!(matches!(Value::from(Numeric::UInt(u64::MAX)), Value::UInt(u64::MAX)));
}
