//! Purpose: a column type is described to SQL, to clients and to the binlog as MySQL describes it.
//!
//! Requirements: for every type in `tests/data/columns.tsv`: its definition in SHOW CREATE TABLE, its row in
//! `information_schema.columns`, its column definition packet in two character sets, its TABLE_MAP type and metadata;
//! and its catalog form leads back to it.
//!
//! Method: the file holds the answers of MySQL 9.7.4 (`cargo run -p types --example record_types -- PORT columns`).

use std::fmt::Display;

use crate::support::{CI, column, hex, lines};
use types::collation::Collation;
use types::column::{ColumnType, ColumnWire};

fn wire(wire: ColumnWire) -> String {
    format!("{}|{}|{}|{}|{}", wire.type_code, wire.collation_id, wire.length, wire.flags, wire.decimals)
}

fn or_null(value: Option<impl Display>) -> String {
    value.map_or("NULL".to_owned(), |value| value.to_string())
}

fn schema(ty: ColumnType) -> String {
    let numeric = ty.numeric_precision();
    [
        ty.column_type(),
        ty.data_type().to_owned(),
        or_null(ty.text_size().map(|(chars, _)| chars)),
        or_null(ty.text_size().map(|(_, bytes)| bytes)),
        or_null(numeric.map(|(precision, _)| precision)),
        or_null(numeric.and_then(|(_, scale)| scale)),
        or_null(ty.datetime_precision()),
        or_null(ty.charset().map(types::charset::Charset::name)),
        or_null(ty.collation().map(Collation::name)),
    ]
    .join("|")
}

/// MySQL's default of `utf8mb4` is `utf8mb4_0900_ai_ci`, so it shows `COLLATE utf8mb4_general_ci`, which is ours and
/// hidden. A collation that differs from the table's is shown by both.
fn hides_our_default(definition: &str) -> String {
    definition.replacen(" COLLATE utf8mb4_general_ci", "", 1)
}

#[test]
fn types_are_described_as_in_mysql() {
    let mut cases = 0;
    for fields in lines(include_str!("../data/columns.tsv")) {
        let [text, "=", line, of_schema, utf8, latin1, logged] = fields[..] else { panic!("{fields:?}") };
        let ty = column(text).ty;
        let nullable = match ty {
            ColumnType::Timestamp { .. } => " NULL DEFAULT NULL",
            _ if ty.is_lob() && ty != ColumnType::Json => "",
            _ => " DEFAULT NULL",
        };
        assert_eq!(format!("`c` {}{nullable}", ty.definition(CI)), hides_our_default(line), "{text}");
        assert_eq!(schema(ty), of_schema, "{text}");
        // 255 is utf8mb4_0900_ai_ci, which MySQL puts for every utf8mb4.
        let (code, rest) = utf8.split_once('|').unwrap();
        let rest = rest.strip_prefix("255|").map_or(rest.to_owned(), |rest| format!("45|{rest}"));
        assert_eq!(wire(ty.wire(CI)), format!("{code}|{rest}"), "{text}");
        assert_eq!(wire(ty.wire(Collation::Latin1SwedishCi)), latin1, "{text}");
        let binlog = ty.binlog_type();
        assert_eq!(format!("{:02x}|{}", binlog.code, hex(binlog.metadata())), logged, "{text}");
        let mut bytes = Vec::new();
        ty.serialise(&mut bytes);
        assert_eq!(ColumnType::deserialise(&bytes), Ok((ty, bytes.len())), "{text}");
        cases += 1;
    }
    assert!(cases > 75, "only {cases} cases");
}

#[test]
fn without_a_result_character_set_text_keeps_its_own() {
    let latin1 = column("varchar(10) character set latin1").ty;
    assert_eq!(wire(latin1.wire(Collation::Binary)), "253|8|10|0|0");
    let utf8 = column("varchar(10)").ty;
    assert_eq!(wire(utf8.wire(Collation::Binary)), "253|45|40|0|0");
}

#[test]
fn no_bytes_make_the_catalog_panic() {
    for a in 0..=255_u8 {
        for b in 0..=255_u8 {
            let bytes = [1, a % 20, b, a, b.wrapping_add(a), 7];
            for size in 0..=bytes.len() {
                let _ = ColumnType::deserialise(&bytes[..size]);
            }
        }
    }
}
