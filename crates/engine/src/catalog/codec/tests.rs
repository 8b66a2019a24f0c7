use proptest::prelude::*;
use types::column::{IntSize, Sign};

use super::*;

fn table() -> TableDef {
    let column = |name: &str, default| ColumnDef {
        name: name.to_owned(),
        ty: ColumnType::int(name, IntSize::Int, Sign::Signed, None).unwrap(),
        nullable: default == DefaultValue::Null,
        default,
        on_update_now: false,
        auto_increment: name == "id",
        generated: None,
        comment: String::new(),
    };
    TableDef {
        id: TableId(7),
        db: "test".to_owned(),
        name: "t".to_owned(),
        columns: vec![
            column("id", DefaultValue::None),
            column("k", DefaultValue::Stored(vec![0; 4])),
            column("n", DefaultValue::Null),
        ],
        rows: IndexId(20),
        indexes: vec![
            IndexDef {
                id: IndexId(20),
                name: "PRIMARY".to_owned(),
                kind: IndexKind::Primary,
                parts: vec![IndexPart { column: 0, prefix: None, descending: false }],
                comment: String::new(),
                made: false,
            },
            IndexDef {
                id: IndexId(21),
                name: "k".to_owned(),
                kind: IndexKind::Plain,
                parts: vec![IndexPart { column: 1, prefix: Some(3), descending: false }],
                comment: "c".to_owned(),
                made: true,
            },
        ],
        foreign_keys: Vec::new(),
        checks: Vec::new(),
        collation: Collation::Utf8mb4GeneralCi,
        comment: "a table".to_owned(),
        created_at: 5,
        auto_increment_start: 1,
        view: None,
    }
}

fn view() -> TableDef {
    let view = ViewDef {
        query: "select 1".to_owned(),
        names_given: true,
        algorithm: ViewAlgorithm::TempTable,
        definer: ("u".to_owned(), "%".to_owned()),
        invoker: true,
        check_option: CheckOption::Cascaded,
        client: Collation::Latin1Bin,
        connection: Collation::Utf8mb4GeneralCi,
        depth: 3,
    };
    TableDef { indexes: Vec::new(), view: Some(Box::new(view)), ..table() }
}

fn child() -> TableDef {
    let key = |name: &str, on_update, on_delete| ForeignKeyDef {
        name: name.to_owned(),
        columns: vec![1, 2],
        parent_db: "other".to_owned(),
        parent_table: "p".to_owned(),
        parent_columns: vec!["a".to_owned(), "b".to_owned()],
        on_update,
        on_delete,
    };
    let keys = vec![
        key("t_ibfk_1", ReferentialAction::NoAction, ReferentialAction::SetNull),
        key("f", ReferentialAction::Cascade, ReferentialAction::Restrict),
    ];
    TableDef { foreign_keys: keys, ..table() }
}

fn checked(table: TableDef) -> TableDef {
    let check = |name: &str, size, enforced| CheckDef {
        name: name.to_owned(),
        expression: "x".repeat(size),
        enforced,
    };
    TableDef { checks: vec![check("t_chk_1", 3, true), check("long", 70_000, false)], ..table }
}

fn generated(mut table: TableDef) -> TableDef {
    for (place, stored) in [(1, true), (2, false)] {
        table.columns[place].generated = Some(GeneratedDef { expression: "(`id` + 1)".to_owned(), stored });
    }
    table.columns[0].default = DefaultValue::Expression("uuid()".to_owned());
    table
}

fn descending(mut table: TableDef) -> TableDef {
    for index in &mut table.indexes {
        index.parts[0].descending = true;
    }
    table
}

#[test]
fn entries_round_trip() {
    let database = DatabaseDef { name: "test".to_owned(), collation: Collation::Latin1Bin };
    let read = decode(&database_key("test"), &encode_database(&database)).unwrap();
    assert_eq!(read, Entry::Database(database));
    let with_all = generated(checked(child()));
    let tables = [
        table(),
        child(),
        checked(table()),
        checked(child()),
        generated(table()),
        view(),
        descending(table()),
        descending(with_all.clone()),
        with_all,
    ];
    for table in tables {
        let read = decode(&table_key(TableId(7)), &encode_table(&table)).unwrap();
        assert_eq!(read, Entry::Table(Box::new(table)));
    }
    let read = decode(&ids_key(), &encode_ids(TableId(3), IndexId(9))).unwrap();
    assert_eq!(read, Entry::Ids(TableId(3), IndexId(9)));
}

/// The rows of [`table`] and of [`child`] behind their version, as they have always been.
const TABLE: &str = "07000000040074657374010074140000002d00070061207461626c6505000000010000000000000003000200696404000000 \
     0000000005010103000b01006b00000002040000000000000005010103000b01006e010000010000000005010103000b0200 \
     1400000007005052494d41525900000001000000000000001500000001006b030100630100010003000000";
const FOREIGN_KEYS: &str = "02000800745f6962666b5f3105006f74686572010070000302000100010061020001006201006605006f7468657201007002 \
     01020001000100610200010062";

fn from_hex(hex: &str) -> Vec<u8> {
    let digits: Vec<char> = hex.chars().filter(|digit| !digit.is_whitespace()).collect();
    let byte = |pair: &[char]| u8::from_str_radix(&pair.iter().collect::<String>(), 16).unwrap();
    digits.chunks(2).map(byte).collect()
}

#[test]
fn data_directories_of_earlier_versions_are_read_and_rows_are_what_they_were() {
    for (table, row) in [
        (table(), format!("01 {TABLE}")),
        (child(), format!("02 {TABLE} {FOREIGN_KEYS}")),
        (descending(child()), format!("06 {TABLE} {FOREIGN_KEYS} 0000 0000 0200 0000 0000 0100 0000")),
    ] {
        let row = from_hex(&row);
        assert_eq!(encode_table(&table), row);
        assert_eq!(decode(&table_key(TableId(7)), &row).unwrap(), Entry::Table(Box::new(table)));
    }
}

#[test]
fn every_cut_row_is_refused() {
    let small = |mut table: TableDef| {
        table.checks.pop();
        table
    };
    let with_all = generated(small(checked(child())));
    let with_all = [with_all.clone(), descending(with_all)];
    let others = [table(), child(), small(checked(table())), small(checked(child())), view()];
    for table in others.into_iter().chain(with_all) {
        let row = encode_table(&table);
        for size in 0..row.len() {
            assert!(decode(&table_key(TableId(7)), &row[..size]).is_err(), "{size} bytes");
        }
    }
}

proptest! {
    #[test]
    fn decoding_any_bytes_ends_without_a_panic(kind in any::<u8>(), row in proptest::collection::vec(any::<u8>(), 0..99)) {
        let _ = decode(&key(kind, b"x"), &row);
        let _ = decode(&key(b't', b"x"), &[&[VERSION], &row[..]].concat());
        let _ = decode(&key(b't', b"x"), &[&[WITH_FOREIGN_KEYS], &row[..]].concat());
        let _ = decode(&key(b't', b"x"), &[&[WITH_CHECKS], &row[..]].concat());
        let _ = decode(&key(b't', b"x"), &[&[VIEW], &row[..]].concat());
        let _ = decode(&key(b't', b"x"), &[&[WITH_DESCENDING], &row[..]].concat());
    }
}
