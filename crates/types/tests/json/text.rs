//! Purpose: JSON text is read as MySQL reads it, and written as MySQL writes it.
//!
//! Requirements: texts that are JSON give MySQL's values and types, in MySQL's form; others give MySQL's reason and
//! position, in the words of 3140 and 3141; what was written is read back.
//!
//! Method: `tests/data/json_texts.tsv` and `json_errors.tsv` hold the answers of MySQL 9.7.4.

use proptest::prelude::*;
use types::json::{Json, ParseError, type_name};

use crate::support::{any_json, lines};

#[test]
fn texts_have_mysqls_form_and_type() {
    for fields in lines(include_str!("../data/json_texts.tsv")) {
        let value = Json::parse(&fields[0]).unwrap();
        assert_eq!(
            (value.to_string(), type_name(&value)),
            (fields[1].clone(), fields[2].as_str()),
            "{:?}",
            fields[0]
        );
    }
}

#[test]
fn errors_have_mysqls_reason_and_position() {
    for fields in lines(include_str!("../data/json_errors.tsv")) {
        let found = match Json::parse(&fields[0]) {
            Err(ParseError::Syntax { reason, position }) => [reason.to_owned(), position.to_string()],
            Err(ParseError::TooDeep) => ["too deep".to_owned(), String::new()],
            Ok(value) => panic!("{:?} is {value}", fields[0]),
        };
        assert_eq!(found, fields[1..], "{:?}", fields[0]);
    }
}

#[test]
fn errors_have_mysqls_words() {
    let error = |text| Json::parse(text).unwrap_err();
    assert_eq!(
        error("1x").in_column("t.j").to_string(),
        "ERROR 3140 (22032): Invalid JSON text: \"The document root must not be followed by other values.\" at \
         position 1 in value for column 't.j'."
    );
    assert_eq!(
        error("[1,]").in_argument(1, "json_extract").to_string(),
        "ERROR 3141 (22032): Invalid JSON text in argument 1 to function json_extract: \"Invalid value.\" at \
         position 3."
    );
    assert_eq!(
        error(&"[".repeat(101)).in_column("t.j").to_string(),
        "ERROR 3157 (22032): The JSON document exceeds the maximum depth."
    );
}

proptest! {
    #[test]
    fn what_was_written_is_read_back(value in any_json()) {
        // A decimal is read as a double, a date as a string: from then on nothing changes.
        let read = Json::parse(&value.to_string()).unwrap();
        prop_assert_eq!(Json::parse(&read.to_string()).unwrap().to_string(), read.to_string());
    }

    #[test]
    fn no_text_panics(text in "[\\[\\]{}\",:0-9.eE+\\-tfnul\\\\ud8a é\u{0}\n]{0,40}") {
        if let Err(ParseError::Syntax { position, .. }) = Json::parse(&text) {
            prop_assert!(position <= text.len());
        }
    }
}
