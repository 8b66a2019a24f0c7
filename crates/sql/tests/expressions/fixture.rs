//! The table of `columns.tsv` and a session as the recorder's.

#![expect(clippy::unwrap_used, reason = "test code")]

use std::sync::Arc;

use sql::expr::{ResultType, Schema, Types};
use sql::plan::Aggregate;
use sql::session::{Scope, Server, Session};
use sql::virtual_table::VirtualTable;
use types::collation::Collation;
use types::column::{Column, ColumnType, IntSize, Sign};
use types::error::SqlError;
use types::error::table::ER_UNKNOWN_SYSTEM_VARIABLE;
use types::row::RowLayout;
use types::value::{Value, ValueRef};
use types::warning::Warnings;

use crate::binder;
use crate::data::read;

/// 2020-01-02 03:04:05.123456 UTC.
const NOW_US: u64 = 1_577_934_245_123_456;
const CI: Collation = Collation::Utf8mb4GeneralCi;

#[derive(Debug)]
struct TestServer;

impl Server for TestServer {
    fn variable(&self, _: &Session, _: Option<Scope>, name: &str) -> Result<Value, SqlError> {
        Err(ER_UNKNOWN_SYSTEM_VARIABLE.error(&[&name]))
    }

    fn virtual_table(&self, _: &str, _: &str) -> Option<Arc<dyn VirtualTable>> {
        None
    }

    fn is_virtual_database(&self, _: &str) -> bool {
        false
    }

    fn version(&self) -> &'static str {
        "9.7.4-2"
    }
}

pub fn session() -> Session {
    let mut session = Session::new(Arc::new(TestServer), 8);
    session.db = Some("record".to_owned());
    "root@localhost".clone_into(&mut session.user);
    "root@localhost".clone_into(&mut session.account);
    session.collation_connection = CI;
    session.set_now(NOW_US);
    session
}

/// The table: its columns and its rows.
#[derive(Debug)]
pub struct Table {
    pub columns: Vec<Column>,
    pub layout: RowLayout,
    pub rows: Vec<Vec<u8>>,
}

impl Table {
    pub fn load() -> Self {
        let text = read("columns");
        let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
        let lines: Vec<Vec<&str>> = lines.map(|line| line.split('\t').collect()).collect();
        let columns: Vec<Column> = lines.iter().map(|line| column(line[0], line[1])).collect();
        let layout = RowLayout::new(columns.iter().map(|column| column.ty));
        let session = session();
        let rows = (2..lines[0].len()).map(|at| {
            let mut warnings = Warnings::default();
            let mut context = session.reading(&mut warnings);
            let mut row = Vec::new();
            let mut builder = layout.builder(&mut row);
            for (line, column) in lines.iter().zip(&columns) {
                let value = binder::constant(line[at]);
                builder.assign(column, value.as_ref(), &mut context).unwrap();
            }
            builder.finish().unwrap();
            row
        });
        let rows = rows.collect();
        Self { columns, layout, rows }
    }

    pub fn find(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|column| column.name == name)
    }
}

fn column(name: &str, definition: &str) -> Column {
    let mut words = definition.split_whitespace();
    let type_name = words.next().unwrap();
    let rest: Vec<&str> = words.collect();
    let has = |word: &str| rest.contains(&word);
    let collation = rest.iter().position(|word| *word == "COLLATE").map(|at| rest[at + 1]);
    let collation = collation.map_or(CI, |name| Collation::from_name(name).unwrap());
    let sign = if has("UNSIGNED") { Sign::Unsigned } else { Sign::Signed };
    let nullable = !definition.contains("NOT NULL");
    Column { name: name.to_owned(), ty: column_type(type_name, sign, collation), nullable }
}

fn column_type(text: &str, sign: Sign, collation: Collation) -> ColumnType {
    let (name, numbers) = text.split_once('(').unwrap_or((text, ""));
    let numbers: Vec<u32> = numbers.split([',', ')']).filter_map(|number| number.parse().ok()).collect();
    let first = numbers.first().copied();
    let size = first.unwrap_or(0);
    match name {
        "TINYINT" => ColumnType::int("", IntSize::Tiny, sign, None),
        "SMALLINT" => ColumnType::int("", IntSize::Small, sign, None),
        "MEDIUMINT" => ColumnType::int("", IntSize::Medium, sign, None),
        "INT" => ColumnType::int("", IntSize::Int, sign, None),
        "BIGINT" => ColumnType::int("", IntSize::Big, sign, None),
        "DECIMAL" => ColumnType::decimal("", first, numbers.get(1).copied(), sign),
        "FLOAT" => ColumnType::float("", false, None, sign),
        "DOUBLE" => ColumnType::float("", true, None, sign),
        "CHAR" => ColumnType::char("", size, collation),
        "VARCHAR" => ColumnType::varchar("", size, collation),
        "TEXT" => Ok(ColumnType::Text { size: types::column::LobSize::Normal, collation }),
        "LONGTEXT" => Ok(ColumnType::Text { size: types::column::LobSize::Long, collation }),
        "BINARY" => ColumnType::binary("", size),
        "VARBINARY" => ColumnType::varbinary("", size),
        "BLOB" => Ok(ColumnType::Blob { size: types::column::LobSize::Normal }),
        "DATE" => Ok(ColumnType::Date),
        "TIME" => ColumnType::time("", size),
        "DATETIME" => ColumnType::datetime("", size),
        "TIMESTAMP" => ColumnType::timestamp("", size),
        _ => panic!("unknown type {text}"),
    }
    .unwrap()
}

/// The table and the aggregates of one expression.
#[derive(Debug)]
pub struct TableSchema<'t> {
    pub table: &'t Table,
    pub aggregates: Vec<Aggregate>,
}

impl Schema for TableSchema<'_> {
    fn column(&self, _: usize, column: usize) -> (ColumnType, bool) {
        let column = &self.table.columns[column];
        (column.ty, column.nullable)
    }

    fn candidate(&self, column: usize) -> (ColumnType, bool) {
        self.column(0, column)
    }

    fn aggregate(&self, number: usize) -> Option<&Aggregate> {
        self.aggregates.get(number)
    }

    fn has_group_by(&self) -> bool {
        false
    }

    fn subquery(&self, _: usize, _: &Types<'_>) -> ResultType {
        ResultType::NULL
    }
}

/// No value at all.
pub const NO_VALUES: &[ValueRef<'static>] = &[];
