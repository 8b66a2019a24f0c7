//! Purpose: collations order, equate, hash and weigh text as MySQL does, and all their faces agree.
//!
//! Requirements: weight and case of every character below U+10000 are MySQL's; for any bytes, comparison, equality,
//! hash and sort key agree; PAD SPACE; sort keys end themselves; LIKE without wildcards is equality without padding.
//!
//! Method: `tests/data/unicode.txt` holds the server's answers (MySQL 9.7.4, MariaDB 10.11.19: the same); the rest is
//! checked by properties over texts from a small alphabet that makes equal and almost equal texts likely.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hasher};

use proptest::collection::vec;
use proptest::prelude::*;
use types::collation::{Collation, unicode};

#[test]
fn every_character_weighs_what_it_weighs_in_mysql() {
    let parse = |line: &str| -> [u32; 4] {
        let numbers: Vec<u32> = line.split(' ').map(|hex| u32::from_str_radix(hex, 16).unwrap()).collect();
        numbers.try_into().unwrap()
    };
    let data = include_str!("../data/unicode.txt").lines().filter(|line| !line.starts_with('#')).map(parse);
    let exceptions: BTreeMap<u32, [u32; 4]> = data.map(|row| (row[0], row)).collect();
    assert!(exceptions.len() > 1400);
    for code in (0..0x1_0000).filter(|&code| char::from_u32(code).is_some()) {
        let [_, weight, upper, lower] = exceptions.get(&code).copied().unwrap_or([code; 4]);
        let got = [unicode::weight(code), unicode::to_upper(code), unicode::to_lower(code)];
        assert_eq!(got, [weight, upper, lower], "U+{code:04X}");
    }
    for code in [0x1_0000, 0x1_F600, 0x10_FFFF] {
        assert_eq!([unicode::weight(code), unicode::to_upper(code)], [0xFFFD, code]);
    }
}

/// Texts of few characters: blanks, characters below a blank, both cases, accents, characters of two to four
/// bytes, and bytes that are invalid in UTF-8.
fn text() -> impl Strategy<Value = Vec<u8>> {
    let pieces: Vec<&[u8]> = vec![
        b" ",
        b" ",
        b"\0",
        b"\t",
        b"a",
        b"A",
        b"b",
        b"!",
        b"%",
        b"_",
        "é".as_bytes(),
        "E".as_bytes(),
        "ß".as_bytes(),
        "€".as_bytes(),
        "😀".as_bytes(),
        "😁".as_bytes(),
        b"\xFF",
        b"\xC3",
        b"\x80",
    ];
    vec(proptest::sample::select(pieces), 0..8).prop_map(|pieces| pieces.concat())
}

/// Texts without wildcards and without blanks at their end.
fn plain_text() -> impl Strategy<Value = Vec<u8>> {
    text().prop_map(|mut text| {
        text.retain(|byte| !b"%_".contains(byte));
        text.truncate(text.trim_ascii_end().len());
        text
    })
}

fn collation() -> impl Strategy<Value = Collation> {
    proptest::sample::select(Collation::ALL.to_vec())
}

fn sort_key(collation: Collation, text: &[u8]) -> Vec<u8> {
    let mut key = Vec::new();
    collation.sort_key(text, &mut key);
    key
}

fn hash(collation: Collation, text: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    collation.hash(text, &mut hasher);
    hasher.finish()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 20_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn sort_keys_order_as_comparison_does(collation in collation(), a in text(), b in text()) {
        let (a_key, b_key) = (sort_key(collation, &a), sort_key(collation, &b));
        prop_assert_eq!(a_key.cmp(&b_key), collation.compare(&a, &b), "{:?} {:?} {:?}", collation, a, b);
        prop_assert_eq!(collation.compare(&b, &a), collation.compare(&a, &b).reverse());
    }

    #[test]
    fn equal_texts_hash_alike_and_others_do_not(collation in collation(), a in text(), b in text()) {
        let equal = collation.equal(&a, &b);
        prop_assert_eq!(hash(collation, &a) == hash(collation, &b), equal);
    }

    #[test]
    fn no_sort_key_is_a_prefix_of_another(collation in collation(), a in text(), b in text()) {
        let (a_key, b_key) = (sort_key(collation, &a), sort_key(collation, &b));
        prop_assert!(a_key == b_key || !b_key.starts_with(&a_key));
    }

    #[test]
    fn trailing_blanks_count_where_nothing_is_padded(collation in collation(), a in text(), blanks in 1..4_usize) {
        let padded = [&a[..], &b"   "[..blanks]].concat();
        prop_assert_eq!(collation.equal(&a, &padded), collation.pads_space());
    }

    #[test]
    fn a_pattern_without_wildcards_matches_what_is_equal_without_padding(
        collation in collation(), a in plain_text(), b in plain_text(),
    ) {
        let (like, equal) = (collation.like(&a, &b, None), collation.compare(&a, &b) == Ordering::Equal);
        // There, 'ß' = 'ss' and U+0000 is as if it were not there; LIKE compares character by character.
        let by_uca = collation.uca_weight_string(b"", &mut Vec::new());
        prop_assert!(like == equal || by_uca && equal);
    }

    #[test]
    fn every_text_matches_itself_and_percent(collation in collation(), a in text(), b in text()) {
        let escaped: Vec<u8> = a.iter().flat_map(|&byte| match byte {
            b'%' | b'_' => vec![b'\\', byte],
            _ => vec![byte],
        }).collect();
        let like = |pattern: &[u8]| collation.like(&[&a[..], &b[..]].concat(), pattern, Some(u32::from(b'\\')));
        let whole = std::str::from_utf8(&a).is_ok() && std::str::from_utf8(&b).is_ok();
        prop_assert!(like(b"%"));
        if whole {
            prop_assert!(like(&[&escaped[..], b"%"].concat()));
        }
    }
}

/// By looking ahead from each blank it would take hours.
#[test]
fn a_million_blanks_are_looked_at_once() {
    for collation in [Collation::Utf8mb4GeneralCi, Collation::Utf8mb4UnicodeCi, Collation::Latin1SwedishCi] {
        let text = |last: u8| [vec![b' '; 1_000_000], vec![last]].concat();
        let keys = [b'\t', b' ', b'!', b'x'].map(|last| sort_key(collation, &text(last)));
        assert!(keys.is_sorted(), "{collation:?}");
    }
}

proptest! {
    #[test]
    fn weights_stand_where_a_text_goes_on_with_another_one(text in text(), wanted in text()) {
        // A part of a character is none, though bytes begin with it.
        prop_assume!([&text, &wanted].iter().all(|text| std::str::from_utf8(text).is_ok()));
        for collation in Collation::ALL.into_iter().filter(|one| one.has_one_weight_a_character()) {
            let (mut of_text, mut of_wanted) = (Vec::new(), Vec::new());
            collation.write_weights(&text, &mut of_text);
            collation.write_weights(&wanted, &mut of_wanted);
            let (mut at, mut chars) = (0, 0);
            let mut stands = collation.begins_with(&text, &wanted);
            while !stands && at < text.len() {
                at += collation.charset().first_char(&text[at..]).1;
                chars += 1;
                stands = collation.begins_with(&text[at..], &wanted);
            }
            let found = (0..=of_text.len()).find(|at| of_text[*at..].starts_with(&of_wanted));
            prop_assert_eq!(found, stands.then_some(chars * Collation::WEIGHT_SIZE), "{:?}", collation);
        }
    }
}
