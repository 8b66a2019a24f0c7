//! What is in a value.

use super::Quantity;
use crate::json::opaque::code;
use crate::json::{Json, Path, TooLarge};

/// JSON_EXTRACT: the value of the only path without a wildcard, else all values in an array; None if there is none. As a value
/// may be found many times, all of them may have `size_max` bytes.
pub fn extract(value: &Json, paths: &[Path], size_max: usize) -> Result<Option<Json>, TooLarge> {
    if let [path] = paths
        && !path.has_wildcard()
    {
        return Ok(path.find_one(value).cloned());
    }
    let (mut found, mut size) = (Vec::new(), 0_usize);
    for value in paths.iter().flat_map(|path| path.find(value)) {
        size = size.saturating_add(value.size());
        if size > size_max {
            return Err(TooLarge);
        }
        found.push(value.clone());
    }
    Ok((!found.is_empty()).then_some(Json::Array(found)))
}

/// JSON_CONTAINS_PATH: whether one path, or each, leads to something.
pub fn contains_path(value: &Json, quantity: Quantity, paths: &[Path]) -> bool {
    let mut leads = paths.iter().map(|path| !path.find(value).is_empty());
    match quantity {
        Quantity::One => leads.any(|found| found),
        Quantity::All => leads.all(|found| found),
    }
}

/// JSON_TYPE.
pub fn type_name(value: &Json) -> &'static str {
    match value {
        Json::Null => "NULL",
        Json::Bool(_) => "BOOLEAN",
        Json::Int(_) => "INTEGER",
        Json::UInt(_) => "UNSIGNED INTEGER",
        Json::Double(_) => "DOUBLE",
        Json::Decimal(_) => "DECIMAL",
        Json::String(_) => "STRING",
        Json::Array(_) => "ARRAY",
        Json::Object(_) => "OBJECT",
        Json::Date(_) => "DATE",
        Json::Time(_) => "TIME",
        Json::DateTime(_) => "DATETIME",
        Json::Timestamp(_) => "TIMESTAMP",
        Json::Opaque(opaque) => match opaque.field_type {
            code::BIT => "BIT",
            code::VARCHAR
            | code::TINY_BLOB
            | code::MEDIUM_BLOB
            | code::LONG_BLOB
            | code::BLOB
            | code::VAR_STRING
            | code::STRING => "BLOB",
            _ => "OPAQUE",
        },
    }
}

/// JSON_DEPTH: 1 for scalars and for empty arrays and objects.
pub fn depth(value: &Json) -> usize {
    let deepest = match value {
        Json::Array(items) => items.iter().map(depth).max(),
        Json::Object(object) => object.values().map(depth).max(),
        _ => None,
    };
    1 + deepest.unwrap_or(0)
}

/// JSON_LENGTH: items or members; 1 for scalars.
pub fn length(value: &Json) -> usize {
    match value {
        Json::Array(items) => items.len(),
        Json::Object(object) => object.len(),
        _ => 1,
    }
}

/// JSON_KEYS: names of members in an array; None for what is no object.
pub fn keys(value: &Json) -> Option<Json> {
    match value {
        Json::Object(object) => Some(Json::Array(object.names().map(Json::from).collect())),
        _ => None,
    }
}
