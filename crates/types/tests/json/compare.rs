//! Purpose: JSON values compare as in MySQL, and sort keys agree with that.
//!
//! Requirements: MySQL's answers for each pair of some hundred values of all types; an order, that is antisymmetric
//! and transitive, of any values; `memcmp` of sort keys is that order; no key begins another one.
//!
//! Method: `tests/data/json_compare.tsv` holds a matrix of answers of MySQL 9.7.4; properties.

use std::cmp::Ordering;

use proptest::prelude::*;
use types::json::{Json, compare, write_sort_key};

use crate::support::{any_json, lines, value};

fn key(value: &Json) -> Vec<u8> {
    let mut key = Vec::new();
    write_sort_key(value, &mut key);
    key
}

#[test]
fn pairs_compare_as_in_mysql() {
    let rows: Vec<Vec<String>> = lines(include_str!("../data/json_compare.tsv")).collect();
    let values: Vec<Json> = rows.iter().map(|row| value(&row[0])).collect();
    for (a, row) in values.iter().zip(&rows) {
        assert_eq!(row[1].len(), values.len());
        for ((b, other), answer) in values.iter().zip(&rows).zip(row[1].chars()) {
            let expected = match answer {
                '<' => Ordering::Less,
                '=' => Ordering::Equal,
                _ => Ordering::Greater,
            };
            assert_eq!(compare(a, b), expected, "{} and {}", row[0], other[0]);
            assert_eq!(key(a).cmp(&key(b)), expected, "keys of {} and {}", row[0], other[0]);
        }
    }
}

proptest! {
    #[test]
    fn keys_are_in_the_order_of_values(values in prop::collection::vec(any_json(), 2..6)) {
        for a in &values {
            for b in &values {
                prop_assert_eq!(key(a).cmp(&key(b)), compare(a, b), "{} and {}", a, b);
                prop_assert_eq!(compare(a, b), compare(b, a).reverse());
                prop_assert!(key(a) == key(b) || !key(a).starts_with(&key(b)), "{} begins {}", b, a);
            }
        }
    }
}
