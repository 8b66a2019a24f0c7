//! The table of `columns.tsv` and a session as the recorder's.

#![expect(clippy::unwrap_used, reason = "test code")]

use std::sync::Arc;

use engine::catalog::Catalog;
use engine::catalog::def::{ColumnDef, DatabaseDef, DefaultValue, TableDef};
use engine::catalog::table::Table;
use engine::ids::{IndexId, TableId};
use sql::bind::{BindEnv, bind_query, bind_update};
use sql::expr::{Inputs, RowRef};
use sql::lex::{normalise, split_first};
use sql::parse::{Mode, Statement, parse};
use sql::plan::{Plan, QueryPlan, SelectPlan, UpdatePlan};
use sql::session::{Scope, Server, Session};
use sql::virtual_table::VirtualTable;
use types::collation::Collation;
use types::column::{ColumnType, IntSize, Labels, Sign};
use types::error::SqlError;
use types::error::table::ER_UNKNOWN_SYSTEM_VARIABLE;
use types::row::Offsets;
use types::value::Value;
use types::warning::Warnings;

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

fn session() -> Session {
    let mut session = Session::new(Arc::new(TestServer), 8, 1);
    session.db = Some("record".to_owned());
    "root@localhost".clone_into(&mut session.user);
    "root@localhost".clone_into(&mut session.account);
    session.collation_connection = CI;
    session.set_now(NOW_US);
    session
}

/// The table and its rows, in a catalog.
#[derive(Debug)]
pub struct Fixture {
    pub session: Session,
    table: Arc<Table>,
    rows: Vec<(Vec<u8>, Offsets)>,
    catalog: Arc<Catalog>,
}

impl Fixture {
    pub fn load() -> Self {
        let text = read("columns");
        let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
        let lines: Vec<Vec<&str>> = lines.map(|line| line.split('\t').collect()).collect();
        let table = Arc::new(table(lines.iter().map(|line| column(line[0], line[1])).collect()));
        let mut catalog = Catalog::default();
        catalog.put_database(DatabaseDef { name: "record".to_owned(), collation: CI });
        catalog.put_table(&table);
        let mut fixture = Self { session: session(), table, rows: Vec::new(), catalog: Arc::new(catalog) };
        fixture.rows = (2..lines[0].len()).map(|at| fixture.row(lines.iter().map(|line| line[at]))).collect();
        fixture
    }

    pub fn rows(&self) -> Vec<RowRef<'_>> {
        let layout = &self.table.rows;
        self.rows.iter().map(|(row, offsets)| RowRef::Stored { layout, row, offsets }).collect()
    }

    fn row<'l>(&self, literals: impl Iterator<Item = &'l str>) -> (Vec<u8>, Offsets) {
        let mut warnings = Warnings::default();
        let mut context = self.session.reading(&mut warnings);
        let mut row = Vec::new();
        let mut builder = self.table.rows.builder(&mut row);
        for (literal, column) in literals.zip(&self.table.columns) {
            let plan = self.bind(literal).unwrap();
            let value = plan.output[0].expr.eval(&inputs(&self.session, &plan), &mut context).unwrap();
            builder.assign(column, value.as_ref(), &mut context).unwrap();
        }
        builder.finish().unwrap();
        let mut offsets = Offsets::default();
        self.table.rows.offsets(&row, &mut offsets).unwrap();
        (row, offsets)
    }

    /// The plan of a query for one expression, over the table if the expression names it.
    pub fn bind(&self, expression: &str) -> Result<SelectPlan, SqlError> {
        let from = if reads_table(expression) { " FROM t" } else { "" };
        let text = format!("SELECT {expression}{from}");
        let Statement::Query(query) = parse(&text, Mode::default())? else { panic!("{text}") };
        let env = BindEnv::new(&self.catalog, &self.session, &text);
        let QueryPlan::Select(plan) = bind_query(&query, &env)? else { panic!("{text}") };
        Ok(*plan)
    }

    /// The plan of an UPDATE that assigns the expression, and the literals that were taken out of its text.
    pub fn bind_update(&self, expression: &str) -> Result<(UpdatePlan, Vec<Value>), SqlError> {
        // Where a number is stored, a hexadecimal literal is one.
        let text = format!("UPDATE t SET bl = {expression}");
        let (first, _, verb) = split_first(text.as_bytes(), self.session.quoting());
        let normalised = normalise(first, verb, self.session.quoting(), CI).unwrap();
        let Statement::Update(update) = parse(&normalised.text, Mode::default())? else { panic!("{text}") };
        let env = BindEnv::new(&self.catalog, &self.session, &normalised.text);
        match bind_update(&update, &env)? {
            Plan::Update(plan) => Ok((plan, normalised.literals)),
            other => panic!("{other:?}"),
        }
    }
}

/// Whether a text names a column of the table.
pub fn reads_table(expression: &str) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut places = expression.match_indices("t.");
    places.any(|(at, dot)| {
        !expression[..at].ends_with(is_word) && expression[at + dot.len()..].starts_with(is_word)
    })
}

/// Inputs without any row.
pub fn inputs<'a>(session: &'a Session, plan: &'a SelectPlan) -> Inputs<'a> {
    Inputs {
        session,
        collation: session.collation_connection,
        schema: plan,
        params: &[],
        literals: &[],
        row_literals: &[],
        rows: &[],
        candidate: RowRef::Missing,
        aggregates: &[],
        windows: &[],
        outer: &[],
        subqueries: &[],
        memo: None,
    }
}

fn table(columns: Vec<ColumnDef>) -> Table {
    let def = TableDef {
        id: TableId(1),
        db: "record".to_owned(),
        name: "t".to_owned(),
        columns,
        rows: IndexId(1),
        indexes: Vec::new(),
        collation: CI,
        comment: String::new(),
        created_at: 0,
        foreign_keys: Vec::new(),
        checks: Vec::new(),
        auto_increment_start: 1,
        view: None,
    };
    Table::new(def, Arc::default())
}

fn column(name: &str, definition: &str) -> ColumnDef {
    let mut words = definition.split_whitespace();
    let type_name = words.next().unwrap();
    let rest: Vec<&str> = words.collect();
    let has = |word: &str| rest.contains(&word);
    let collation = rest.iter().position(|word| *word == "COLLATE").map(|at| rest[at + 1]);
    let collation = collation.map_or(CI, |name| Collation::from_name(name).unwrap());
    let sign = if has("UNSIGNED") { Sign::Unsigned } else { Sign::Signed };
    let nullable = !definition.contains("NOT NULL");
    ColumnDef {
        name: name.to_owned(),
        ty: column_type(type_name, sign, collation),
        nullable,
        default: DefaultValue::None,
        on_update_now: false,
        generated: None,
        auto_increment: false,
        comment: String::new(),
    }
}

fn column_type(text: &str, sign: Sign, collation: Collation) -> ColumnType {
    let (name, numbers_text) = text.split_once('(').unwrap_or((text, ""));
    let numbers: Vec<u32> = numbers_text.split([',', ')']).filter_map(|number| number.parse().ok()).collect();
    let first = numbers.first().copied();
    let size = first.unwrap_or(0);
    let labels = || {
        let names = numbers_text.trim_end_matches(')').split(',').map(|name| name.trim_matches('\'').into());
        Labels::new(collation, names)
    };
    match name {
        "ENUM" => ColumnType::enumeration("", labels()),
        "SET" => ColumnType::set("", labels()),
        "BIT" => ColumnType::bit("", first),
        "YEAR" => Ok(ColumnType::Year),
        "JSON" => Ok(ColumnType::Json),
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
