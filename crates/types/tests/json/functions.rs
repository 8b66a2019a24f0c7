//! Purpose: functions on JSON values answer as MySQL's.
//!
//! Requirements: the answers of MySQL 9.7.4 to some 900 calls; nothing is nested too deeply unnoticed.
//!
//! Method: `tests/data/json_functions.tsv` holds the calls and the answers.

use types::error::SqlError;
use types::json::{
    Json, Path, Quantity, TooDeep, array_append, array_insert, contains, contains_path, depth, encoded_size,
    extract, insert, keys, length, merge_patch, merge_preserve, overlaps, pretty, quote, remove, replace,
    search, set, type_name, unquote, unquote_text,
};

use crate::support::{lines, value};

#[test]
fn functions_answer_as_mysqls() {
    let mut count = 0;
    for fields in lines(include_str!("../data/json_functions.tsv")) {
        let (answer, call) = fields.split_last().unwrap();
        let found = call_function(&call[0], &call[1..]).unwrap_or("NULL".to_owned());
        assert_eq!(found, *answer, "{call:?}");
        count += 1;
    }
    assert!(count >= 900);
}

fn call_function(name: &str, args: &[String]) -> Option<String> {
    let arg = |at: usize| args[at].as_str();
    match name {
        "quote" => Some(quote(arg(0))),
        "unquote_text" => Some(match unquote_text(arg(0)) {
            Ok(text) => text.into_owned(),
            Err(error) => error_text(&error.in_argument(1, "json_unquote")),
        }),
        "extract" => {
            let found = extract(&value(arg(0)), &paths(arg(1)), usize::MAX);
            found.unwrap().map(|found| found.to_string())
        }
        "contains_path" => {
            let quantity = Quantity::parse(arg(1), "json_contains_path").unwrap();
            Some(truth(contains_path(&value(arg(0)), quantity, &paths(arg(2)))))
        }
        "search" => {
            let quantity = Quantity::parse(arg(1), "json_search").unwrap();
            let mut matches = |text: &str| text == arg(2);
            let found = search(&value(arg(0)), quantity, &mut matches, &paths(arg(3)), usize::MAX);
            found.unwrap().map(|found| found.to_string())
        }
        "contains" => Some(truth(contains(&value(arg(0)), &value(arg(1))))),
        "overlaps" => Some(truth(overlaps(&value(arg(0)), &value(arg(1))))),
        "merge_preserve" => Some(merge_preserve(value(arg(0)), value(arg(1))).to_string()),
        "merge_patch" => Some(merge_patch(value(arg(0)), value(arg(1))).to_string()),
        _ if args.len() == 1 => inspect(name, &value(arg(0))),
        _ => Some(modify(name, args)),
    }
}

fn inspect(name: &str, value: &Json) -> Option<String> {
    let mut text = Vec::new();
    match name {
        "type" => return Some(type_name(value).to_owned()),
        "length" => return Some(length(value).to_string()),
        "depth" => return Some(depth(value).to_string()),
        "keys" => return keys(value).map(|keys| keys.to_string()),
        "storage_size" => return Some(encoded_size(value).unwrap().to_string()),
        "pretty" => text = pretty(value, usize::MAX).unwrap(),
        "unquote" => unquote(value, &mut text),
        _ => panic!("unknown function {name}"),
    }
    Some(String::from_utf8(text).unwrap())
}

fn modify(name: &str, args: &[String]) -> String {
    let mut document = value(&args[0]);
    let path = Path::parse(&args[1]).unwrap();
    let new = || value(&args[2]);
    match name {
        "set" => set(&mut document, &path, new()),
        "insert" => insert(&mut document, &path, new()),
        "replace" => replace(&mut document, &path, new()),
        "remove" => remove(&mut document, &path),
        "array_append" => array_append(&mut document, &path, new()),
        "array_insert" => array_insert(&mut document, &path, new()),
        _ => panic!("unknown function {name}"),
    }
    document.to_string()
}

fn paths(text: &str) -> Vec<Path> {
    text.split_whitespace().map(|path| Path::parse(&path.replace('_', " ")).unwrap()).collect()
}

fn truth(value: bool) -> String {
    u8::from(value).to_string()
}

fn error_text(error: &SqlError) -> String {
    format!("error {} {}", error.code, error.message)
}

#[test]
fn what_is_nested_too_deeply_is_noticed() {
    let nested = |levels| (0..levels).fold(Json::Int(1), |inner, _| Json::Array(vec![inner]));
    let mut document = nested(60);
    let path = Path::parse(&format!("${}", "[0]".repeat(60))).unwrap();
    set(&mut document, &path, nested(40));
    assert_eq!(document.nesting(), 100);
    assert!(document.clone().bounded().is_ok());
    array_append(&mut document, &Path::parse(&format!("${}", "[0]".repeat(100))).unwrap(), Json::Null);
    assert_eq!(document.bounded(), Err(TooDeep));
}

#[test]
fn one_and_all_are_known_in_any_case() {
    assert_eq!(Quantity::parse("ONE", "json_search"), Ok(Quantity::One));
    assert_eq!(Quantity::parse("All", "json_search"), Ok(Quantity::All));
    assert_eq!(
        Quantity::parse("two", "json_search").unwrap_err().to_string(),
        "ERROR 3154 (42000): The oneOrAll argument to json_search may take these values: 'one' or 'all'."
    );
}
