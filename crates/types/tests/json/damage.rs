//! Purpose: bytes from replication and from disk may be damaged or forged; reading them does no harm.
//!
//! Requirements: no bytes make reading panic; what is read takes memory and time in proportion to the bytes, even if
//! offsets share data; nothing deeper than 100 levels is read.
//!
//! Method: valid documents with bytes changed, cut off and put in; noise; forged documents whose members share data.

use std::cmp::Ordering;

use proptest::prelude::*;
use types::json::{
    Json, NESTING_MAX, Path, Quantity, TooDeep, compare, contains, decode, decode_at, merge_patch,
    merge_preserve, pretty, search, set, write_binary_text, write_sort_key,
};

use crate::support::{any_json, encoded};

/// How much text a document of this size may give: a control character takes 6 bytes, a level's brackets and commas a
/// few, a double 25 for 8, base64 4 for 3.
fn text_size_max(size: usize) -> usize {
    64 + 8 * size
}

fn read(bytes: &[u8]) -> Option<Json> {
    let mut text = b"before".to_vec();
    let written = write_binary_text(bytes, &mut text);
    match written {
        Ok(()) => assert!(text.len() <= text_size_max(bytes.len()), "{} of {}", text.len(), bytes.len()),
        Err(_) => assert_eq!(text, b"before"),
    }
    let path = Path::parse("$.a[last]").unwrap();
    let _ = decode_at(bytes, &path);
    let tree = decode(bytes);
    assert_eq!(tree.is_ok(), written.is_ok());
    let tree = tree.ok()?;
    assert!(tree.nesting() <= NESTING_MAX);
    Some(tree)
}

proptest! {
    #[test]
    fn damaged_documents_do_no_harm(
        document in any_json(),
        damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>(), 0..4), 1..6),
    ) {
        let mut bytes = encoded(&document);
        for (at, byte, kind) in damage {
            let at = at.index(bytes.len().max(1));
            match kind {
                0 => bytes.truncate(at),
                1 => bytes.insert(at, byte),
                2 if at < bytes.len() => bytes[at] = byte,
                _ if at < bytes.len() => bytes[at] = bytes[at].wrapping_add(byte % 5),
                _ => {}
            }
        }
        if let Some(tree) = read(&bytes) {
            // What was accepted can be written and read again.
            prop_assert_eq!(decode(&encoded(&tree)).unwrap().to_string(), tree.to_string());
        }
    }

    #[test]
    fn noise_does_no_harm(ty in 0_u8..17, mut bytes in prop::collection::vec(prop_oneof![0_u8..16, any::<u8>()], 0..60)) {
        bytes.insert(0, ty);
        read(&bytes);
    }
}

/// Every prefix, and every byte of a document changed to every value.
#[test]
fn each_byte_of_a_document_may_be_wrong() {
    let text = r#"{"a": [1, 70000, 1.5, "x", null], "bb": {"c": [], "d": 18446744073709551615}}"#;
    let bytes = encoded(&Json::parse(text).unwrap());
    for at in 0..bytes.len() {
        assert!(decode(&bytes[..at]).is_err() || at == 0);
        for byte in 0..=255 {
            let mut damaged = bytes.clone();
            damaged[at] = byte;
            read(&damaged);
        }
    }
}

/// Levels of arrays with two members which both are the next level: 2^levels values in a few bytes.
#[test]
fn members_that_share_data_are_refused() {
    let mut bytes = vec![2];
    let levels = 60;
    for level in 0..levels {
        // Each array reaches to the end of the document.
        let size = u16::try_from((levels - level) * 10 + 5).unwrap().to_le_bytes();
        bytes.extend_from_slice(&[2, 0, size[0], size[1], 2, 10, 0, 2, 10, 0]);
    }
    bytes.extend_from_slice(&[0, 0, 4, 0, 0]);
    assert_eq!(read(&bytes), None);
    let error = decode(&bytes).unwrap_err();
    assert_eq!(error.to_string(), "invalid binary JSON: its parts share bytes");
}

/// An array whose members are all the same long string.
#[test]
fn a_string_that_is_shared_is_refused() {
    let count = 1000_u16;
    let text_at = 4 + 3 * count;
    let size = text_at + 2 + 5000;
    let mut bytes = vec![2];
    bytes.extend_from_slice(&count.to_le_bytes());
    bytes.extend_from_slice(&size.to_le_bytes());
    for _ in 0..count {
        bytes.push(0x0C);
        bytes.extend_from_slice(&text_at.to_le_bytes());
    }
    bytes.extend_from_slice(&[0x88, 0x27]);
    bytes.extend_from_slice(&[b'x'; 5000]);
    assert_eq!(read(&bytes), None);
}

/// An array that is its own member.
#[test]
fn an_array_within_itself_is_refused() {
    assert_eq!(read(&[2, 1, 0, 7, 0, 2, 0, 0]), None);
}

#[test]
fn a_hundred_levels_are_read_and_one_more_is_not() {
    let nested = |levels: usize| {
        let value = (0..levels).fold(Json::Int(1), |inner, _| Json::Array(vec![inner]));
        encoded(&value)
    };
    assert!(decode(&nested(100)).is_ok());
    assert_eq!(decode(&nested(101)).unwrap_err().to_string(), "invalid binary JSON: it is nested too deeply");
    assert_eq!(read(&nested(101)), None);
}

/// Values that a double, a decimal, a date cannot have.
#[test]
fn impossible_scalars_are_refused() {
    let nan = [&[0x0B][..], &f64::NAN.to_le_bytes()].concat();
    let decimal = [0x0F, 246, 3, 66, 0, 0x80];
    let month_13_of_year_10000 = [&[0x0F, 10, 8][..], &((10_000_i64 * 13 + 12) << 46).to_le_bytes()].concat();
    let hour_900 = [&[0x0F, 11, 8][..], &(900_i64 << 36).to_le_bytes()].concat();
    for bytes in
        [&nan[..], &decimal, &month_13_of_year_10000, &hour_900, &[4, 3], &[0x0C, 1, 0xFF], &[0x0D, 0]]
    {
        assert_eq!(read(bytes), None, "{bytes:02x?}");
    }
}

/// Documents of 100 levels, and what functions make of two of them, are handled on a small stack.
#[test]
fn the_deepest_documents_fit_a_small_stack() {
    let work = || {
        let text = format!("{}1{}", "{\"a\":".repeat(100), "}".repeat(100));
        let value = Json::parse(&text).unwrap();
        let bytes = encoded(&value);
        assert_eq!(read(&bytes), Some(value.clone()));
        let mut twice = value.clone();
        set(&mut twice, &Path::parse(&format!("${}", ".a".repeat(100))).unwrap(), value.clone());
        assert_eq!(twice.nesting(), 200);
        let mut key = Vec::new();
        write_sort_key(&twice, &mut key);
        pretty(&twice, usize::MAX).unwrap();
        assert_eq!(compare(&twice, &twice.clone()), Ordering::Equal);
        assert!(contains(&twice, &twice));
        assert_eq!(merge_patch(twice.clone(), twice.clone()), twice);
        assert_eq!(merge_preserve(twice.clone(), twice.clone()).nesting(), 201);
        let path = Path::parse("$**.a").unwrap();
        assert_eq!(search(&twice, Quantity::All, &mut |_| true, &[path], usize::MAX), Ok(None));
        assert_eq!(twice.bounded(), Err(TooDeep));
    };
    let thread = std::thread::Builder::new().stack_size(256 * 1024).spawn(work).unwrap();
    thread.join().unwrap();
}
