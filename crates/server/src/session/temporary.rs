//! CREATE TEMPORARY TABLE, and what else concerns temporary tables alone.
//!
//! None of it is in the catalog, in redo or in the binlog, and nothing of it waits for anybody. As in MySQL, CREATE and DROP
//! TEMPORARY TABLE do not commit the transaction and are not undone with it; ALTER, TRUNCATE and a plain DROP do commit.

use std::pin::pin;
use std::sync::Arc;

use commit::CommitAck;
use engine::EngineError;
use engine::catalog::def::{ColumnDef, TableDef};
use engine::catalog::table::{Counters, Table};
use engine::scan::{Direction, KeyRange};
use sql::bind::bind_rules;
use sql::ddl::{self, Alteration, Change, DdlEnv};
use sql::exec::{Turns, duplicate_error, engine_error};
use sql::parse::table::{AlterAction, AlterTable, CreateQuery, CreateTable, CreateTableLike, DropTables};
use sql::parse::{Statement, TableName};
use types::error::SqlError;
use types::error::table::{
    ER_BAD_TABLE_ERROR, ER_CANNOT_ADD_FOREIGN, ER_NEED_REPREPARE, ER_TABLE_EXISTS_ERROR,
};
use types::warning::{Level, Warnings};

use super::Client;
use super::ddl::FullName;
use super::new_table::{Filling, Selected};
use super::statement::PLANS_MAX;
use crate::accounts::Privileges;
use crate::ddl::copy::{
    Converter, Copy, CopyError, CopySettings, begins_to_count, counters_of, highest_number,
};

type Result<T> = std::result::Result<T, SqlError>;

impl Client {
    /// The temporary table of a name.
    pub(super) fn temporary(&self, table: &TableName) -> Option<&Arc<Table>> {
        let db = table.db.as_deref().or(self.sql.db.as_deref())?;
        self.sql.temporary.get(db, &table.name)
    }

    /// Whether a statement concerns temporary tables alone.
    pub(super) fn is_of_temporary(&self, statement: &Statement) -> bool {
        match statement {
            Statement::CreateTable(create) => create.temporary,
            Statement::CreateTableLike(create) => create.temporary,
            Statement::DropTables(drop) => {
                drop.temporary || drop.tables.iter().all(|table| self.temporary(table).is_some())
            }
            Statement::AlterTable(alter) => self.temporary(&alter.table).is_some(),
            Statement::Truncate(table) => self.temporary(table).is_some(),
            _ => false,
        }
    }

    /// Carries such a statement out.
    pub(super) async fn change_temporary(
        &mut self,
        statement: Statement,
        sql: &[u8],
    ) -> Result<Option<CommitAck>> {
        let commits = match &statement {
            Statement::CreateTable(_) | Statement::CreateTableLike(_) => false,
            Statement::DropTables(drop) => !drop.temporary,
            _ => true,
        };
        let is_none = |drop: &DropTables| drop.tables.iter().all(|table| self.temporary(table).is_none());
        if !matches!(&statement, Statement::DropTables(drop) if is_none(drop)) {
            self.refuse_temporary_in_xa()?;
        }
        let mut ack = None;
        if commits {
            self.may_commit_implicitly()?;
            ack = Some(self.end_transaction().await?);
        } else {
            self.refuse_in_read_only_transaction()?;
        }
        match statement {
            Statement::CreateTable(create) => match &create.query {
                Some(query) => ack = self.create_temporary_from(&create, query, sql).await?,
                None => {
                    if let Some(def) = self.define_temporary(&create, Vec::new())? {
                        let table = self.new_temporary(def)?;
                        self.put_temporary(table);
                    }
                }
            },
            Statement::CreateTableLike(create) => self.create_temporary_like(&create)?,
            Statement::DropTables(drop) => self.drop_temporary_tables(&drop)?,
            Statement::AlterTable(alter) => self.alter_temporary(&alter).await?,
            Statement::Truncate(table) => {
                self.truncate_temporary(&table);
                // The session is as it was: MySQL says nothing of rows.
                return Ok(ack);
            }
            _ => unreachable!("only these concern temporary tables"),
        }
        self.note_change();
        Ok(ack)
    }

    /// Names mean something else from now on.
    fn put_temporary(&mut self, table: Arc<Table>) {
        self.sql.temporary.put(table);
        self.settings_changed();
    }

    /// Removes a temporary table and its rows.
    pub(super) fn drop_temporary(&mut self, db: &str, name: &str) {
        if let Some(old) = self.sql.temporary.take(db, name) {
            self.forget_temporary(&old);
        }
        self.settings_changed();
    }

    /// This version of a temporary table is no more.
    fn forget_temporary(&mut self, table: &Table) {
        table.set_gone();
        self.transaction.trx.empty_temporary(table);
    }

    /// Where a temporary table may be made. `None` if there is one of its name and that is fine. Errors 1044, 1046, 1049, 1050.
    fn name_of_temporary(&mut self, table: &TableName, if_not_exists: bool) -> Result<Option<FullName>> {
        let name = self.full_name(table)?;
        self.access.database(Privileges::CREATE_TEMPORARY_TABLES, &name.db)?;
        self.database(&name.db)?;
        if self.sql.temporary.get(&name.db, &name.name).is_none() {
            return Ok(Some(name));
        }
        if !if_not_exists {
            return Err(ER_TABLE_EXISTS_ERROR.error(&[&name.name]));
        }
        self.warnings.push(Level::Note, &ER_TABLE_EXISTS_ERROR, &[&name.name]);
        Ok(None)
    }

    /// What CREATE TEMPORARY TABLE asks for, with the columns of a query. `None` if it is there and may be.
    fn define_temporary(
        &mut self,
        create: &CreateTable,
        columns: Vec<ColumnDef>,
    ) -> Result<Option<TableDef>> {
        create.refuse_start_transaction()?;
        let Some(name) = self.name_of_temporary(&create.table, create.if_not_exists)? else {
            return Ok(None);
        };
        self.with_ddl_env(&name.db, false, |env| ddl::create_table(create, columns, &name.db, env))
            .and_then(without_foreign_keys)
            .map(Some)
    }

    /// Makes a definition in a database by the session's settings; `logged`: it goes to the binlog. Error 1049.
    pub(super) fn with_ddl_env<T>(
        &mut self,
        db: &str,
        logged: bool,
        what: impl FnOnce(&mut DdlEnv<'_, '_>) -> Result<T>,
    ) -> Result<T> {
        let (database, now) = (self.database(db)?, self.now_s());
        let mut context = self.sql.writing(&mut self.warnings);
        what(&mut DdlEnv {
            context: &mut context,
            database_collation: database.collation,
            now,
            foreign_key_checks: self.vars.foreign_key_checks,
            needs_primary_key: self.vars.needs_primary_key,
            logged,
        })
    }

    /// A new temporary table, which has no name yet.
    fn new_temporary(&mut self, mut def: TableDef) -> Result<Arc<Table>> {
        self.sql.temporary.number(&mut def)?;
        let counters = Counters::default();
        Counters::raise(&counters.auto_increment, def.auto_increment_start.saturating_sub(1));
        let table = Arc::new(Table::new(def, Arc::new(counters)));
        bind_rules(&self.shared.store.catalog(), &table, &self.sql)?;
        Ok(table)
    }

    /// CREATE TEMPORARY TABLE .. LIKE.
    fn create_temporary_like(&mut self, create: &CreateTableLike) -> Result<()> {
        let like = self.table_to_copy(&create.like)?;
        let Some(name) = self.name_of_temporary(&create.table, create.if_not_exists)? else { return Ok(()) };
        let def =
            self.with_ddl_env(&name.db, false, |env| ddl::create_like(&like.def, &name.db, &name.name, env))?;
        let table = self.new_temporary(def)?;
        self.put_temporary(table);
        Ok(())
    }

    /// The table behind LIKE. Errors 1142, 1146 and 1347.
    pub(super) fn table_to_copy(&self, like: &TableName) -> Result<Arc<Table>> {
        if let Some(own) = self.temporary(like) {
            return Ok(Arc::clone(own));
        }
        let name = self.full_name(like)?;
        self.access.on_table(Privileges::SELECT, &name.db, &name.name)?;
        self.table(&name)
    }

    /// CREATE TEMPORARY TABLE .. SELECT.
    async fn create_temporary_from(
        &mut self,
        create: &CreateTable,
        query: &CreateQuery,
        sql: &[u8],
    ) -> Result<Option<CommitAck>> {
        for _ in 0..PLANS_MAX {
            let Selected { columns, planned } = self.selected(query, sql)?;
            self.permit(&planned)?;
            let names: Vec<String> = columns.iter().map(|column| column.name.clone()).collect();
            let Some(def) = self.define_temporary(create, columns)? else { return Ok(None) };
            let table = self.new_temporary(def)?;
            self.begin_if_needed();
            match self.fill(&table, &Filling { query, sql, columns: &names }).await {
                Ok(Some(changed)) => {
                    (self.affected, self.info) = (changed.affected, changed.info);
                    self.put_temporary(table);
                    return self.commit_statement().await;
                }
                Ok(None) => {}
                Err(error) => {
                    let error = self.fail(error).await;
                    self.forget_temporary(&table);
                    return Err(error);
                }
            }
        }
        Err(ER_NEED_REPREPARE.error(&[]))
    }

    /// DROP TABLE of temporary tables: all of them or none.
    fn drop_temporary_tables(&mut self, drop: &DropTables) -> Result<()> {
        let names = drop.tables.iter().map(|table| self.full_name(table)).collect::<Result<Vec<_>>>()?;
        let (there, missing): (Vec<_>, Vec<_>) =
            names.iter().partition(|name| self.sql.temporary.get(&name.db, &name.name).is_some());
        if !missing.is_empty() && !drop.if_exists {
            let missing: Vec<String> = missing.iter().map(ToString::to_string).collect();
            return Err(ER_BAD_TABLE_ERROR.error(&[&missing.join(",")]));
        }
        for name in missing {
            self.warnings.push(Level::Note, &ER_BAD_TABLE_ERROR, &[name]);
        }
        for name in there {
            self.drop_temporary(&name.db, &name.name);
        }
        Ok(())
    }

    fn truncate_temporary(&mut self, table: &TableName) {
        let old = Arc::clone(self.temporary(table).expect("it is a temporary table"));
        let def = TableDef { auto_increment_start: 1, ..old.def.clone() };
        self.forget_temporary(&old);
        self.put_temporary(Arc::new(Table::new(def, Arc::default())));
    }

    /// ALTER TABLE, CREATE INDEX, DROP INDEX.
    async fn alter_temporary(&mut self, alter: &AlterTable) -> Result<()> {
        let old = Arc::clone(self.temporary(&alter.table).expect("it is a temporary table"));
        let rename = alter.actions.iter().rev().find_map(|action| match action {
            AlterAction::RenameTable(to) => Some(to),
            _ => None,
        });
        let to = match rename {
            Some(to) => self.full_name(to)?,
            None => FullName { db: old.def.db.clone(), name: old.def.name.clone() },
        };
        let is_renamed = (&to.db, &to.name) != (&old.def.db, &old.def.name);
        self.database(&to.db)?;
        if is_renamed && self.sql.temporary.get(&to.db, &to.name).is_some() {
            return Err(ER_TABLE_EXISTS_ERROR.error(&[&to.name]));
        }
        let alteration =
            self.with_ddl_env(&old.def.db, false, |env| ddl::alter_table(&old.def, alter, env))?;
        let Alteration { table, change, auto_increment, .. } = alteration;
        let mut def = without_foreign_keys(table)?;
        for check in &mut def.checks {
            check.name = ddl::name_after_rename(&check.name, &old.def.name, &to.name);
        }
        (def.db, def.name) = (to.db, to.name);
        let new = self.altered(&old, def, change, auto_increment).await?;
        self.sql.temporary.take(&old.def.db, &old.def.name);
        if new.def.rows == old.def.rows {
            old.set_gone();
        } else {
            self.forget_temporary(&old);
        }
        self.put_temporary(new);
        let warnings = self.warnings.count();
        self.info = Some(format!("Records: {}  Duplicates: 0  Warnings: {warnings}", self.affected));
        Ok(())
    }

    /// A temporary table's next version, with its rows.
    async fn altered(
        &mut self,
        old: &Arc<Table>,
        mut def: TableDef,
        change: Change,
        auto_increment: Option<u64>,
    ) -> Result<Arc<Table>> {
        let copy = match change {
            Change::Nothing | Change::Metadata => {
                let new = Arc::new(old.successor(def));
                bind_rules(&self.shared.store.catalog(), &new, &self.sql)?;
                if let Some(place) = begins_to_count(&old.def, &new.def) {
                    let high = highest_number(&mut self.transaction.trx, old, place, || Ok(()))?;
                    Counters::raise(&new.counters.auto_increment, high);
                }
                Counters::raise(&new.counters.auto_increment, auto_increment.unwrap_or(0).saturating_sub(1));
                return Ok(new);
            }
            Change::Indexes { .. } => Copy::Indexes(Vec::new()),
            Change::Rebuild { columns } => Copy::Rows(columns),
        };
        self.sql.temporary.number(&mut def)?;
        let counters = counters_of(old, &def, &copy, auto_increment);
        let new = Arc::new(Table::new(def, Arc::new(counters)));
        match self.copy_temporary(old, &new, &copy).await {
            Ok(rows) => {
                self.affected = rows;
                self.transaction.trx.keep_temporary();
                Ok(new)
            }
            Err(error) => {
                let _ack = self.transaction.rollback().await;
                Err(error)
            }
        }
    }

    /// Inserts a table's rows into its next version. Returns how many.
    async fn copy_temporary(&mut self, old: &Arc<Table>, new: &Arc<Table>, what: &Copy) -> Result<u64> {
        let settings = CopySettings {
            session: self.sql.detached(),
            rules: bind_rules(&self.shared.store.catalog(), new, &self.sql)?,
            warnings_max: self.vars.max_error_count.into(),
        };
        let mut warnings = Warnings::with_limit(settings.warnings_max);
        let mut converter = Converter::new(old, new, what, &settings, &mut warnings);
        let (trx, mut turns, mut rows) = (&mut self.transaction.trx, Turns::default(), 0);
        let copying = async {
            let range = KeyRange::prefix(&old.def.rows.prefix());
            let mut scan = trx.scan(&range, Direction::Forward).map_err(engine_error)?;
            while let Some(entry) = scan.next_row().map_err(engine_error)? {
                turns.tick().await;
                let row = entry.row.expect("next_row returns rows");
                let row = converter.convert(&row).map_err(CopyError::into_sql)?;
                match trx.insert_row(new, row.clone()).await {
                    Ok(_) => rows += 1,
                    Err(EngineError::Duplicate { index }) => {
                        return Err(duplicate_error(new, &row, index, settings.session.time_zone()));
                    }
                    Err(error) => return Err(engine_error(error)),
                }
            }
            Ok(())
        };
        let done = self.kill.unless_killed(pin!(copying)).await;
        self.warnings.absorb(warnings);
        done.map(|()| rows)
    }
}

/// Error 1215 for a definition with foreign keys.
fn without_foreign_keys(def: TableDef) -> Result<TableDef> {
    if def.foreign_keys.is_empty() { Ok(def) } else { Err(ER_CANNOT_ADD_FOREIGN.error(&[])) }
}
