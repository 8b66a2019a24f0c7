//! JSON_CONTAINS and JSON_OVERLAPS.

use std::cmp::Ordering;

use crate::json::{Json, compare};

/// JSON_CONTAINS: whether `candidate` is within `target`.
///
/// - An array contains another one if some item of it contains each item of that, and anything else that some item
///   contains. MySQL goes into nested arrays for that: `[[1, 2]]` contains 1.
/// - An object contains another one if it has all its names, with values that contain that one's values.
/// - Scalars contain what is equal.
pub fn contains(target: &Json, candidate: &Json) -> bool {
    match (target, candidate) {
        (Json::Array(items), Json::Array(wanted)) => contains_all(items, wanted),
        (Json::Array(items), wanted) => items.iter().any(|item| contains(item, wanted)),
        (Json::Object(target), Json::Object(wanted)) => {
            wanted.iter().all(|(name, wanted)| target.get(name).is_some_and(|value| contains(value, wanted)))
        }
        (Json::Object(_), _) | (_, Json::Array(_) | Json::Object(_)) => false,
        _ => is_equal(target, candidate),
    }
}

/// JSON_OVERLAPS: whether two arrays have an equal item, two objects an equal member; what is no array counts as one
/// if the other one is. Scalars overlap if they are equal.
pub fn overlaps(a: &Json, b: &Json) -> bool {
    match (a, b) {
        (Json::Array(a), Json::Array(b)) => have_common_item(a, b),
        (Json::Array(items), single) | (single, Json::Array(items)) => {
            items.iter().any(|item| is_equal(item, single))
        }
        (Json::Object(a), Json::Object(b)) => {
            a.iter().any(|(name, value)| b.get(name).is_some_and(|other| is_equal(value, other)))
        }
        _ => is_equal(a, b),
    }
}

/// Scalars, of which arrays may have very many, are sorted and searched; objects and arrays are tried one by one.
fn contains_all(items: &[Json], wanted: &[Json]) -> bool {
    let mut scalars = Vec::new();
    if wanted.iter().any(Json::is_scalar) {
        collect_scalars(items, &mut scalars);
        scalars.sort_by(|a, b| compare(a, b));
    }
    wanted.iter().all(|wanted| {
        if wanted.is_scalar() {
            return scalars.binary_search_by(|scalar| compare(scalar, wanted)).is_ok();
        }
        items.iter().any(|item| contains(item, wanted))
    })
}

/// The scalars in an array and in the arrays within it.
fn collect_scalars<'a>(items: &'a [Json], out: &mut Vec<&'a Json>) {
    for item in items {
        match item {
            Json::Array(items) => collect_scalars(items, out),
            Json::Object(_) => {}
            scalar => out.push(scalar),
        }
    }
}

fn is_equal(a: &Json, b: &Json) -> bool {
    compare(a, b) == Ordering::Equal
}

/// By binary search: arrays may be long.
fn have_common_item(a: &[Json], b: &[Json]) -> bool {
    let (few, many) = if a.len() < b.len() { (a, b) } else { (b, a) };
    let mut sorted: Vec<&Json> = few.iter().collect();
    sorted.sort_by(|a, b| compare(a, b));
    many.iter().any(|item| sorted.binary_search_by(|other| compare(other, item)).is_ok())
}
