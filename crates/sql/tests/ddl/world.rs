//! A catalog without data, and a session: enough to make DDL happen.

use std::cell::Cell;
use std::sync::Arc;

use engine::catalog::Catalog;
use engine::catalog::def::{DatabaseDef, TableDef};
use engine::catalog::table::Table;
use engine::ids::{IndexId, TableId};
use sql::ddl::{self, DdlScope, Quoting, Step};
use sql::parse::{Mode, parse};
use sql::session::{Scope, Server, Session};
use sql::virtual_table::VirtualTable;
use types::collation::Collation;
use types::error::SqlError;
use types::sql_mode::SqlMode;
use types::temporal::TimeZone;
use types::value::Value;
use types::warning::{Level, Warnings};

/// A server that has nothing.
#[derive(Debug)]
struct Nothing;

impl Server for Nothing {
    fn variable(&self, _: &Session, _: Option<Scope>, _: &str) -> Result<Value, SqlError> {
        Ok(Value::Null)
    }

    fn virtual_table(&self, _: &str, _: &str) -> Option<Arc<dyn VirtualTable>> {
        None
    }

    fn is_virtual_database(&self, db: &str) -> bool {
        db == "information_schema"
    }

    fn version(&self) -> &'static str {
        "8.0.46"
    }
}

/// See the module.
pub struct World {
    pub catalog: Catalog,
    pub session: Session,
    pub warnings: Warnings,
    next_id: Cell<u32>,
    /// What the last ALTER TABLE has to do.
    pub last_change: Option<ddl::Change>,
}

impl World {
    /// With a database `dd` of `utf8mb4_general_ci` that is the current one.
    pub fn new(mode: &str) -> Self {
        let mut catalog = Catalog::default();
        let collation = Collation::Utf8mb4GeneralCi;
        catalog.put_database(DatabaseDef { name: "dd".to_owned(), collation });
        let mut session = Session::new(Arc::new(Nothing), 1, 1);
        session.db = Some("dd".to_owned());
        "root@localhost".clone_into(&mut session.account);
        session.sql_mode = SqlMode::parse(mode).unwrap();
        Self { catalog, session, warnings: Warnings::default(), next_id: Cell::new(100), last_change: None }
    }

    /// Parses and executes a DDL statement.
    pub fn execute(&mut self, sql: &str) -> Result<(), SqlError> {
        self.warnings.clear();
        self.last_change = None;
        let statement = parse(sql, Mode::from(self.session.sql_mode))?;
        let mut warnings = std::mem::take(&mut self.warnings);
        let mut context = self.session.writing(&mut warnings);
        let mut scope = DdlScope {
            catalog: &self.catalog,
            session: &self.session,
            server_collation: Collation::Utf8mb4GeneralCi,
            context: &mut context,
        };
        let steps = ddl::resolve(&statement, &mut scope).expect("DDL");
        self.warnings = warnings;
        for step in steps? {
            self.apply(step);
        }
        Ok(())
    }

    fn fill(&self, table: &mut TableDef) {
        let next = || {
            self.next_id.set(self.next_id.get() + 1);
            self.next_id.get()
        };
        ddl::fill_ids(table, || TableId(next()), || IndexId(next()));
    }

    fn put(&mut self, mut table: TableDef) {
        self.fill(&mut table);
        self.catalog.put_table(&Arc::new(Table::new(table, Arc::default())));
    }

    fn apply(&mut self, step: Step) {
        match step {
            Step::PutDatabase(def) => self.catalog.put_database(def),
            Step::DropDatabase(name) => self.catalog.remove_database(&name),
            Step::CreateTable(table) => self.put(table),
            Step::DropTable(table) => self.catalog.remove_table(&table.def.db, &table.def.name),
            Step::Truncate(_) => {}
            Step::RenameTable(table, to) => {
                self.catalog.remove_table(&table.def.db, &table.def.name);
                self.put(TableDef { db: to.db.unwrap(), name: to.name, ..table.def.clone() });
            }
            Step::AlterTable(table, alteration) => {
                self.catalog.remove_table(&table.def.db, &table.def.name);
                let mut new = alteration.table;
                if let Some(to) = alteration.rename {
                    (new.db, new.name) = (to.db.unwrap(), to.name);
                }
                self.put(new);
                self.last_change = Some(alteration.change);
            }
        }
    }

    /// SHOW CREATE TABLE.
    pub fn show(&self, name: &str) -> Option<String> {
        let table = self.catalog.table("dd", name)?;
        let counter = table.def.auto_increment_start;
        Some(ddl::show_create_table(&table.def, counter, Quoting::default(), &TimeZone::UTC))
    }

    /// The only table's SHOW CREATE TABLE.
    pub fn show_only(&self) -> Option<String> {
        let mut tables = self.catalog.tables();
        let name = tables.next()?.def.name.clone();
        if tables.next().is_some() { None } else { self.show(&name) }
    }

    /// Notes and warnings as the data files have them.
    pub fn warnings_text(&self) -> String {
        let text = |warning: &types::warning::Warning| {
            format!("{} {} {}", warning.level.as_str(), warning.code, warning.message)
        };
        let entries = self.warnings.entries().iter().filter(|entry| entry.level != Level::Error);
        entries.map(text).collect::<Vec<_>>().join(" | ")
    }
}
