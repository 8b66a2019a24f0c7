//! Purpose: the binary form of JSON is MySQL's, byte for byte.
//!
//! Requirements: values are encoded as MySQL 9.7.4 wrote them to its binlog; its bytes are decoded to the same text,
//! with a tree and without; decoding undoes encoding; sizes are those of JSON_STORAGE_SIZE.
//!
//! Method: `tests/data/json_binary.tsv` holds documents and their bytes from row events; those around and beyond
//! 64 KiB, where the form changes, are made here and compared by a hash. Round trips of any value.

use proptest::prelude::*;
use types::json::{EncodeError, Json, decode, encoded_size, write_binary_text};

use crate::support::{any_json, encoded, from_hex, hex, lines, value};

fn binary_text(bytes: &[u8]) -> String {
    let mut text = Vec::new();
    write_binary_text(bytes, &mut text).unwrap();
    String::from_utf8(text).unwrap()
}

#[test]
fn documents_have_mysqls_bytes_and_text() {
    let mut known = 0;
    for fields in lines(include_str!("../data/json_binary.tsv")) {
        let [kind, document, expected, text] = fields.try_into().unwrap();
        if kind == "generated" {
            continue;
        }
        known += 1;
        let bytes = from_hex(&expected);
        assert_eq!(binary_text(&bytes), text, "{document}");
        let tree = decode(&bytes).unwrap();
        assert_eq!(tree.to_string(), text, "{document}");
        assert_eq!(hex(&encoded(&tree)), expected, "{document}");
        if kind == "value" {
            assert_eq!(hex(&encoded(&value(&document))), expected, "{document}");
        }
    }
    assert!(known >= 80);
}

#[test]
fn large_documents_have_mysqls_bytes() {
    for fields in lines(include_str!("../data/json_binary.tsv")).filter(|fields| fields[0] == "generated") {
        let document = Json::parse(&generated(&fields[1])).unwrap();
        let bytes = encoded(&document);
        assert_eq!(format!("{} {:016x}", bytes.len(), fnv1a(&bytes)), fields[2], "{}", fields[1]);
        assert_eq!(decode(&bytes).unwrap(), document, "{}", fields[1]);
        assert_eq!(binary_text(&bytes), document.to_string(), "{}", fields[1]);
    }
}

/// The document of a name and sizes.
fn generated(spec: &str) -> String {
    let mut words = spec.split(' ');
    let name = words.next().unwrap();
    let sizes: Vec<usize> = words.map(|word| word.parse().unwrap()).collect();
    let (first, last) = (sizes[0], *sizes.last().unwrap());
    let text = format!("\"{}\"", "a".repeat(last));
    let join = |item: &dyn Fn(usize) -> String| (0..first).map(item).collect::<Vec<_>>().join(",");
    let nest = |open: &str, close: &str| format!("{}{text}{}", open.repeat(first), close.repeat(first));
    match name {
        "string" => text,
        "strings" => format!("[{text}]"),
        "ints" => format!("[{}]", join(&|at| (at * 1000).to_string())),
        "object" => format!("{{{}}}", join(&|at| format!("\"k{at}\":{}", at * 1000))),
        "mixed" => format!("[1,[{text},70000],70000]"),
        "nested" => nest("[70000,", "]"),
        "objects" => nest("{\"x\":4294967296,\"n\":70000,\"b\":", "}"),
        "empty" => format!("[{}]", join(&|_| "[]".to_owned())),
        "nulls" => format!("[{}]", join(&|_| "null".to_owned())),
        "key" => format!("{{\"{}\":1}}", "k".repeat(first)),
        _ => panic!("unknown document {spec}"),
    }
}

fn fnv1a(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(0xCBF2_9CE4_8422_2325, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01B3))
}

/// Intermediate results may have more digits than a column.
#[test]
fn decimals_are_brought_into_a_columns_digits() {
    let shown = |text: &str| {
        let value = Json::decimal(text.parse().unwrap());
        assert_eq!(decode(&encoded(&value)).as_ref(), Ok(&value));
        value.to_string()
    };
    assert_eq!(shown(&format!("0.{}6", "1".repeat(30))), format!("0.{}2", "1".repeat(29)));
    assert_eq!(shown(&format!("{}.{}", "9".repeat(60), "1".repeat(30))), format!("{}.11111", "9".repeat(60)));
    assert_eq!(shown(&format!("-{}", "1".repeat(70))), format!("-{}", "9".repeat(65)));
    assert_eq!(shown(&format!("{}.999996", "9".repeat(60))), format!("1{}.0000", "0".repeat(60)));
    assert_eq!(shown(&format!("{}.6", "9".repeat(65))), "9".repeat(65));
    let raw = Json::Decimal(Box::new("1".repeat(70).parse().unwrap()));
    assert_eq!(encoded_size(&raw), Err(EncodeError::ValueTooBig));
}

#[test]
fn no_bytes_are_null() {
    assert_eq!(decode(&[]), Ok(Json::Null));
    assert_eq!(binary_text(&[]), "null");
}

proptest! {
    #[test]
    fn decoding_undoes_encoding(document in any_json()) {
        let bytes = encoded(&document);
        prop_assert_eq!(bytes.len(), encoded_size(&document).unwrap());
        prop_assert_eq!(binary_text(&bytes), document.to_string());
        prop_assert_eq!(decode(&bytes).unwrap(), document);
    }
}
