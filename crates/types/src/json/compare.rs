//! The order of JSON values in SQL: `=`, `<`, MIN, MAX.
//!
//! Values of different types compare by type, those further down being less:
//!
//! | type | among themselves |
//! | --- | --- |
//! | opaque | by type code, then by bytes |
//! | DATETIME, TIMESTAMP | by time |
//! | TIME | by length, signed |
//! | DATE | by time |
//! | booleans | false is less |
//! | arrays | item by item; of two that begin alike the shorter is less |
//! | objects | by how many members; then member by member: names by their bytes, then values |
//! | strings | by their bytes |
//! | numbers | by value, whatever their types |
//! | `null` | equal |
//!
//! A double counts as the shortest decimal that leads to it, so that 0.1 is 0.1 as a DECIMAL and as a double. MySQL
//! does that too, which shows with integers: 18446744073709551615 is less than 1.8446744073709552e19, and 2^63 is less
//! than the double 2^63, which is written 9.223372036854776e18. It makes one order of all numbers.
//!
//! Sources: the manual's "Comparison and Ordering of JSON Values", and answers of MySQL 9.7.4
//! (`tests/data/json_compare.tsv`); its order of opaque values and of objects is not in the manual.

use std::cmp::Ordering;

use super::number_key::Number;
use super::{Json, Object};

/// The order of two values.
pub fn compare(a: &Json, b: &Json) -> Ordering {
    match (a, b) {
        (Json::Bool(a), Json::Bool(b)) => a.cmp(b),
        (Json::String(a), Json::String(b)) => a.as_bytes().cmp(b.as_bytes()),
        (Json::Array(a), Json::Array(b)) => compare_arrays(a, b),
        (Json::Object(a), Json::Object(b)) => compare_objects(a, b),
        (Json::Date(a), Json::Date(b)) => a.cmp(b),
        (Json::Time(a), Json::Time(b)) => a.cmp(b),
        (Json::DateTime(a) | Json::Timestamp(a), Json::DateTime(b) | Json::Timestamp(b)) => a.cmp(b),
        (Json::Opaque(a), Json::Opaque(b)) => (a.field_type, &a.bytes).cmp(&(b.field_type, &b.bytes)),
        _ => match (Number::of(a), Number::of(b)) {
            (Some(a), Some(b)) => a.compare(b),
            _ => rank(a).cmp(&rank(b)),
        },
    }
}

/// A type's place; more is greater. 0 stands for the end of an array in sort keys.
pub(super) fn rank(value: &Json) -> u8 {
    match value {
        Json::Null => 1,
        Json::Int(_) | Json::UInt(_) | Json::Double(_) | Json::Decimal(_) => 2,
        Json::String(_) => 3,
        Json::Object(_) => 4,
        Json::Array(_) => 5,
        Json::Bool(_) => 6,
        Json::Date(_) => 7,
        Json::Time(_) => 8,
        Json::DateTime(_) | Json::Timestamp(_) => 9,
        Json::Opaque(_) => 10,
    }
}

fn compare_arrays(a: &[Json], b: &[Json]) -> Ordering {
    let differing = a.iter().zip(b).map(|(a, b)| compare(a, b)).find(|order| order.is_ne());
    differing.unwrap_or_else(|| a.len().cmp(&b.len()))
}

fn compare_objects(a: &Object, b: &Object) -> Ordering {
    let members = || {
        a.iter().zip(b.iter()).map(|((a_name, a), (b_name, b))| {
            a_name.as_bytes().cmp(b_name.as_bytes()).then_with(|| compare(a, b))
        })
    };
    a.len().cmp(&b.len()).then_with(|| members().find(|order| order.is_ne()).unwrap_or(Ordering::Equal))
}
