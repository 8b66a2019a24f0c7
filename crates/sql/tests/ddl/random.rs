//! No text makes the parser panic, overflow its stack, or work for ever.

use proptest::prelude::*;
use sql::parse::{CHAIN_MAX, Mode, NESTING_MAX, parse};
use types::error::table::ER_NOT_SUPPORTED_YET;

/// Pieces of statements, thrown together.
fn pieces() -> impl Strategy<Value = String> {
    const WORDS: &str = "SELECT FROM WHERE AND OR NOT IN LIKE BETWEEN CASE WHEN THEN END CAST AS ( ) ( ) , , . ; + - * / \
        DIV MOD || && = <=> := @a @@b.c ? ?7 'x' \"y\" `z` 1 2.5 1e3 0xFF b'1' x'0' _utf8mb4 INTERVAL DAY CREATE \
        TABLE ALTER DROP INDEX KEY PRIMARY UNIQUE INT VARCHAR (10) DEFAULT NULL COMMENT SET GLOBAL SESSION NAMES \
        SHOW FULL COLUMNS TABLES STATUS FOR UPDATE LOCK SHARE MODE INSERT INTO VALUES ON DUPLICATE DELETE USING JOIN \
        LEFT GROUP BY ORDER LIMIT GRANT TO USER IDENTIFIED WITH UNION ALL EXISTS /*! */ /* */ -- # { } ! ~ ^ | & << \
        PURGE BINARY LOGS BEFORE KILL FLUSH START TRANSACTION a b c é";
    let words: Vec<&str> = WORDS.split_ascii_whitespace().collect();
    proptest::collection::vec(proptest::sample::select(words), 0..60).prop_map(|words| words.join(" "))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_are_parsed_or_refused(text in proptest::collection::vec(any::<u8>(), 0..200)) {
        let _ = parse(&text, Mode::default());
    }

    #[test]
    fn any_pieces_are_parsed_or_refused(text in pieces()) {
        let _ = parse(&text, Mode::default());
    }

    #[test]
    fn any_cut_of_a_statement_is_parsed_or_refused(
        line in proptest::sample::select(include_str!("data/syntax.tsv").lines().collect::<Vec<_>>()),
        from in 0_usize..80,
        to in 0_usize..300,
    ) {
        let bytes = line.as_bytes();
        let cut = &bytes[from.min(bytes.len())..to.clamp(from.min(bytes.len()), bytes.len())];
        let _ = parse(cut, Mode::default());
    }
}

/// Texts that are nested as deep as one likes, whole and broken off.
const NESTED: [(&str, &str, &str); 22] = [
    ("SELECT ", "(", ")"),
    ("SELECT * FROM ", "(", ")"),
    ("SELECT * FROM ", "((SELECT 1 FROM ", "))"),
    ("SELECT * FROM ", "(a JOIN ", ")"),
    ("SELECT ", "CAST(", " AS CHAR)"),
    ("SELECT ", "CONVERT(", ", CHAR)"),
    ("SELECT ", "INTERVAL (", ") DAY"),
    ("SELECT ", "SUBSTRING(", " FROM 1)"),
    ("SELECT ", "TRIM(", ")"),
    ("SELECT ", "CASE WHEN (", ") THEN 1 END"),
    ("SELECT ", "EXISTS(SELECT ", ")"),
    ("SELECT ", "COUNT(DISTINCT ", ")"),
    ("SELECT ", "GROUP_CONCAT(DISTINCT ", ")"),
    ("SELECT ", "a IN (", ")"),
    ("SELECT ", "f(1) OVER (ORDER BY ", ")"),
    ("SELECT ", "NOT ", ""),
    ("SELECT ", "- ", ""),
    ("SELECT ", "@a := ", ""),
    ("", "(", ") UNION SELECT 1"),
    ("", "WITH a AS (", ") SELECT 1"),
    ("SET @a = ", "(SELECT ", ")"),
    ("SHOW TABLES WHERE ", "IF(", ", 1, 1)"),
];

#[test]
fn nesting_is_bounded() {
    for (start, open, close) in NESTED {
        for depth in [NESTING_MAX / 4, NESTING_MAX, 10 * NESTING_MAX] {
            let broken = format!("{start}{}", open.repeat(depth));
            let whole = format!("{broken}1{}", close.repeat(depth));
            let _ = parse(&broken, Mode::default());
            let parsed = parse(&whole, Mode::default());
            if depth > NESTING_MAX {
                assert!(parsed.is_err(), "{open} {depth}");
            }
        }
    }
}

#[test]
fn chains_are_bounded() {
    for link in [" + 1", " OR 1", " AND 1", " DIV 1", " || 1", " IS NULL", " UNION SELECT 1"] {
        let chain = |length: usize| parse(format!("SELECT 1{}", link.repeat(length)), Mode::default());
        assert!(chain(150).is_ok(), "{link}");
        assert!(chain(2 * CHAIN_MAX).unwrap_err().is(&ER_NOT_SUPPORTED_YET), "{link}");
        // Dropping the longest tree that is accepted must not overflow a small stack.
        drop(chain(CHAIN_MAX - 10));
    }
}

#[test]
fn long_lists_are_fine() {
    let values = vec!["(1, 'a', NULL)"; 20_000].join(",");
    assert!(parse(format!("INSERT INTO t VALUES {values}"), Mode::default()).is_ok());
    let list = vec!["1"; 20_000].join(",");
    assert!(parse(format!("SELECT 1 IN ({list})"), Mode::default()).is_ok());
    let items = vec!["@a = 1 + 1"; 20_000].join(",");
    assert!(parse(format!("SET {items}"), Mode::default()).is_ok());
}
