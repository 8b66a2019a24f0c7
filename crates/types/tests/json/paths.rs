//! Purpose: path expressions are read, and lead, where MySQL's do.
//!
//! Requirements: texts that are paths give MySQL's matches and are known to have wildcards or not; others are error
//! 3143 at MySQL's position; a path's text is read as the same path.
//!
//! Method: `tests/data/json_paths.tsv` holds what MySQL 9.7.4 extracted from one document.

use types::error::SqlError;
use types::json::{Json, Path, decode_at, extract};

use crate::support::{encoded, lines};

#[test]
fn paths_are_read_and_lead_as_in_mysql() {
    let document = Json::parse(r#"{"a":[1,[2,3],{"b":4}],"b":5,"c":"x","d":{}}"#).unwrap();
    let bytes = encoded(&document);
    for fields in lines(include_str!("../data/json_paths.tsv")) {
        let [text, kind, answer] = fields.try_into().unwrap();
        let path = match Path::parse(&text) {
            Ok(path) => path,
            Err(error) => {
                assert_eq!(format!("error {}", error.position), kind, "{text:?}");
                continue;
            }
        };
        assert_eq!(if path.has_wildcard() { "wildcard" } else { "single" }, kind, "{text:?}");
        assert_eq!(Path::parse(&path.to_string()).as_ref(), Ok(&path), "{text:?}");
        if !path.has_wildcard() {
            assert_eq!(decode_at(&bytes, &path).unwrap().as_ref(), path.find_one(&document), "{text:?}");
        }
        let found = extract(&document, &[path], usize::MAX)
            .unwrap()
            .map_or("NULL".to_owned(), |value| value.to_string());
        assert_eq!(found, answer, "{text:?}");
    }
}

#[test]
fn errors_have_mysqls_words() {
    let error = SqlError::from(Path::parse("$.a[").unwrap_err());
    assert_eq!(
        error.to_string(),
        "ERROR 3143 (42000): Invalid JSON path expression. The error is around character position 4."
    );
}

/// Members are found by their place in MySQL's order.
#[test]
fn each_member_of_a_large_object_is_found_in_its_bytes() {
    let names = (0..20_000).map(|at| format!("k{}", at * 7));
    let document = Json::Object(names.map(|name| (name.clone(), Json::String(name))).collect());
    let bytes = encoded(&document);
    for at in 0..20_000 {
        let path = Path::parse(&format!("$.k{at}")).unwrap();
        assert_eq!(decode_at(&bytes, &path).unwrap().as_ref(), path.find_one(&document));
    }
}

/// Each `**` costs the document's size, not its power.
#[test]
fn many_ellipses_cost_no_more_than_each_alone() {
    let document = (0..90).fold(Json::Int(1), |inner, _| Json::Array(vec![inner, Json::Int(2)]));
    let path = Path::parse(&format!("${}", "**[*]".repeat(30))).unwrap();
    assert_eq!(path.find(&document).len(), 2 * (90 - 29));
}
