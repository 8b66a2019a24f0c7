//! From DDL statements to steps, against the catalog as it is.
//!
//! Names are resolved and everything that can be refused is refused here; then the caller makes the steps happen, all
//! of a statement or none. It holds the metadata locks of the tables that [`touched`] names meanwhile.

use std::collections::BTreeMap;
use std::sync::Arc;

use engine::catalog::Catalog;
use engine::catalog::def::{DatabaseDef, TableDef};
use engine::catalog::table::Table;
use types::collation::Collation;
use types::context::Context;
use types::error::SqlError;
use types::error::table::{
    ER_BAD_DB_ERROR, ER_BAD_TABLE_ERROR, ER_DB_CREATE_EXISTS, ER_DB_DROP_EXISTS, ER_DBACCESS_DENIED_ERROR,
    ER_NO_DB_ERROR, ER_NO_SUCH_TABLE, ER_NONUNIQ_TABLE, ER_TABLE_EXISTS_ERROR,
};

use super::{
    Alteration, DdlEnv, Result, alter_database, alter_table, create_database, create_like, create_table,
};
use crate::parse::table::{AlterTable, CreateTable, CreateTableLike, DropTables};
use crate::parse::{AlterDatabase, CreateDatabase, DropDatabase, Statement, TableName};
use crate::session::Session;

/// A change of the catalog.
#[derive(Debug)]
pub enum Step {
    /// A database is added, or replaced by one of its name.
    PutDatabase(DatabaseDef),
    /// A database and its tables are removed.
    DropDatabase(String),
    /// A table is added. Its ids are to be filled in.
    CreateTable(TableDef),
    /// A table is removed.
    DropTable(Arc<Table>),
    /// A table loses its rows: it gets new ids, and its counter starts anew.
    Truncate(Arc<Table>),
    /// A table gets another name or database.
    RenameTable(Arc<Table>, TableName),
    /// A table gets another definition; its new name, if it gets one, is free.
    AlterTable(Arc<Table>, Box<Alteration>),
}

/// What statements are resolved against.
#[derive(Debug)]
pub struct DdlScope<'e, 'c> {
    /// The catalog.
    pub catalog: &'e Catalog,
    /// The session.
    pub session: &'e Session,
    /// `collation_server`.
    pub server_collation: Collation,
    /// SQL mode, time zone, warnings.
    pub context: &'e mut Context<'c>,
}

/// Every table that a statement names, with its database: what is locked before it is resolved. Error 1046.
pub fn touched(statement: &Statement, session: &Session) -> Result<Vec<(String, String)>> {
    let names: Vec<&TableName> = match statement {
        Statement::CreateTable(create) => vec![&create.table],
        Statement::CreateTableLike(like) => vec![&like.table, &like.like],
        Statement::AlterTable(alter) => {
            let renamed = alter.actions.iter().filter_map(|action| match action {
                crate::parse::table::AlterAction::RenameTable(name) => Some(name),
                _ => None,
            });
            std::iter::once(&alter.table).chain(renamed).collect()
        }
        Statement::DropTables(drop) => drop.tables.iter().collect(),
        Statement::Truncate(table) => vec![table],
        Statement::RenameTables(pairs) => pairs.iter().flat_map(|(from, to)| [from, to]).collect(),
        _ => Vec::new(),
    };
    let whole = |name: &TableName| Ok((database_of(name, session)?.to_owned(), name.name.clone()));
    names.into_iter().map(whole).collect()
}

/// The steps of a statement; none if there is nothing to do, with a note that says why. `None` if the statement is no
/// DDL.
pub fn resolve(statement: &Statement, scope: &mut DdlScope<'_, '_>) -> Option<Result<Vec<Step>>> {
    Some(match statement {
        Statement::CreateTable(create) => scope.create_table(create),
        Statement::CreateTableLike(like) => scope.create_like(like),
        Statement::AlterTable(alter) => scope.alter_table(alter),
        Statement::DropTables(drop) => scope.drop_tables(drop),
        Statement::Truncate(table) => scope.table(table).map(|table| vec![Step::Truncate(table)]),
        Statement::RenameTables(pairs) => scope.rename_tables(pairs),
        Statement::CreateDatabase(create) => scope.create_database(create),
        Statement::AlterDatabase(alter) => scope.alter_database(alter),
        Statement::DropDatabase(drop) => scope.drop_database(drop),
        _ => return None,
    })
}

/// The database of a table's name. Error 1046.
pub fn database_of<'n>(name: &'n TableName, session: &'n Session) -> Result<&'n str> {
    let db = name.db.as_deref().or(session.db.as_deref());
    db.ok_or_else(|| ER_NO_DB_ERROR.error(&[]))
}

fn exists_already(name: &str) -> SqlError {
    ER_TABLE_EXISTS_ERROR.error(&[&name])
}

impl<'c> DdlScope<'_, 'c> {
    /// A database that can be changed. Errors 1044, 1049.
    fn database(&self, name: &str) -> Result<&DatabaseDef> {
        self.check_stored(name)?;
        let found = self.catalog.database(name);
        found.map(|database| &database.def).ok_or_else(|| ER_BAD_DB_ERROR.error(&[&name]))
    }

    /// Error 1044 for `information_schema` and the like.
    fn check_stored(&self, db: &str) -> Result<()> {
        if !self.session.server.is_virtual_database(db) {
            return Ok(());
        }
        let (user, host) = self.session.account.split_once('@').unwrap_or((&self.session.account, ""));
        Err(ER_DBACCESS_DENIED_ERROR.error(&[&user, &host, &db]))
    }

    /// A table. Errors 1044, 1046, 1146.
    fn table(&self, name: &TableName) -> Result<Arc<Table>> {
        let db = database_of(name, self.session)?;
        self.check_stored(db)?;
        let found = self.catalog.table(db, &name.name).cloned();
        found.ok_or_else(|| ER_NO_SUCH_TABLE.error(&[&db, &name.name]))
    }

    fn env(&mut self, database_collation: Collation) -> DdlEnv<'_, 'c> {
        let now = u32::try_from(self.session.now_us() / 1_000_000).unwrap_or(u32::MAX);
        DdlEnv {
            context: &mut *self.context,
            database_collation,
            now,
            foreign_key_checks: true,
            needs_primary_key: false,
            logged: true,
        }
    }

    fn create_table(&mut self, create: &CreateTable) -> Result<Vec<Step>> {
        let db = database_of(&create.table, self.session)?.to_owned();
        let collation = self.database(&db)?.collation;
        if self.catalog.table(&db, &create.table.name).is_some() {
            return self.exists(&create.table.name, create.if_not_exists);
        }
        let table = create_table(create, Vec::new(), &db, &mut self.env(collation))?;
        Ok(vec![Step::CreateTable(table)])
    }

    /// Error or note 1050.
    fn exists(&mut self, table: &str, lenient: bool) -> Result<Vec<Step>> {
        if !lenient {
            return Err(exists_already(table));
        }
        self.context.note(&ER_TABLE_EXISTS_ERROR, &[&table]);
        Ok(Vec::new())
    }

    fn create_like(&mut self, like: &CreateTableLike) -> Result<Vec<Step>> {
        let db = database_of(&like.table, self.session)?.to_owned();
        if (&*db, &like.table.name) == (database_of(&like.like, self.session)?, &like.like.name) {
            return Err(ER_NONUNIQ_TABLE.error(&[&like.table.name]));
        }
        self.database(&db)?;
        let source = self.table(&like.like)?;
        if self.catalog.table(&db, &like.table.name).is_some() {
            return self.exists(&like.table.name, like.if_not_exists);
        }
        let def = create_like(&source.def, &db, &like.table.name, &self.env(self.server_collation))?;
        Ok(vec![Step::CreateTable(def)])
    }

    fn alter_table(&mut self, alter: &AlterTable) -> Result<Vec<Step>> {
        let table = self.table(&alter.table)?;
        let collation = self.database(&table.def.db)?.collation;
        let mut alteration = alter_table(&table.def, alter, &mut self.env(collation))?;
        if let Some(name) = &mut alteration.rename {
            let db = database_of(name, self.session)?.to_owned();
            let same = db == table.def.db && name.name == table.def.name;
            if same {
                alteration.rename = None;
            } else {
                self.database(&db)?;
                if self.catalog.table(&db, &name.name).is_some() {
                    return Err(exists_already(&name.name));
                }
                name.db = Some(db);
            }
        }
        Ok(vec![Step::AlterTable(table, Box::new(alteration))])
    }

    /// All tables are there, or none is dropped: error 1051; IF EXISTS makes notes of those that are missing.
    fn drop_tables(&mut self, drop: &DropTables) -> Result<Vec<Step>> {
        let (mut steps, mut missing) = (Vec::new(), Vec::new());
        let mut seen: Vec<(&str, &str)> = Vec::new();
        for name in &drop.tables {
            let db = database_of(name, self.session)?;
            self.check_stored(db)?;
            if seen.contains(&(db, &name.name)) {
                return Err(ER_NONUNIQ_TABLE.error(&[&name.name]));
            }
            seen.push((db, &name.name));
            match self.catalog.table(db, &name.name) {
                Some(table) => steps.push(Step::DropTable(Arc::clone(table))),
                None => missing.push(format!("{db}.{}", name.name)),
            }
        }
        if !missing.is_empty() && !drop.if_exists {
            return Err(ER_BAD_TABLE_ERROR.error(&[&missing.join(",")]));
        }
        for name in &missing {
            self.context.note(&ER_BAD_TABLE_ERROR, &[name]);
        }
        Ok(steps)
    }

    /// Renames happen one after another, so that two tables can exchange their names through a third.
    fn rename_tables(&mut self, pairs: &[(TableName, TableName)]) -> Result<Vec<Step>> {
        // Names as they are after the renames so far: the table that has it now, if any does.
        let mut names: BTreeMap<(String, String), Option<Arc<Table>>> = BTreeMap::new();
        let mut order: Vec<Arc<Table>> = Vec::new();
        for (from, to) in pairs {
            let from_key = (database_of(from, self.session)?.to_owned(), from.name.clone());
            let to_key = (database_of(to, self.session)?.to_owned(), to.name.clone());
            self.check_stored(&from_key.0)?;
            let at = |key: &(String, String), names: &BTreeMap<_, Option<Arc<Table>>>| {
                names.get(key).cloned().unwrap_or_else(|| self.catalog.table(&key.0, &key.1).cloned())
            };
            let table = at(&from_key, &names);
            let table = table.ok_or_else(|| ER_NO_SUCH_TABLE.error(&[&from_key.0, &from_key.1]))?;
            self.database(&to_key.0)?;
            if at(&to_key, &names).is_some() {
                return Err(exists_already(&to_key.1));
            }
            if !order.iter().any(|other| Arc::ptr_eq(other, &table)) {
                order.push(Arc::clone(&table));
            }
            names.insert(from_key, None);
            names.insert(to_key, Some(table));
        }
        let step = |table: Arc<Table>| {
            let found = names.iter().find(|(_, at)| at.as_ref().is_some_and(|at| Arc::ptr_eq(at, &table)));
            let ((db, name), _) = found.expect("each renamed table has a name in the end");
            let to = TableName { db: Some(db.clone()), name: name.clone() };
            Step::RenameTable(table, to)
        };
        Ok(order.into_iter().map(step).collect())
    }

    fn create_database(&mut self, create: &CreateDatabase) -> Result<Vec<Step>> {
        self.check_stored(&create.name)?;
        if self.catalog.database(&create.name).is_some() {
            if !create.if_not_exists {
                return Err(ER_DB_CREATE_EXISTS.error(&[&create.name]));
            }
            self.context.note(&ER_DB_CREATE_EXISTS, &[&create.name]);
            return Ok(Vec::new());
        }
        let def = create_database(&create.name, &create.options, self.server_collation, self.context)?;
        Ok(vec![Step::PutDatabase(def)])
    }

    fn alter_database(&mut self, alter: &AlterDatabase) -> Result<Vec<Step>> {
        let name = alter.name.as_deref().or(self.session.db.as_deref());
        let old = self.database(name.ok_or_else(|| ER_NO_DB_ERROR.error(&[]))?)?.clone();
        let def = alter_database(&old, &alter.options, self.server_collation, self.context)?;
        Ok(vec![Step::PutDatabase(def)])
    }

    fn drop_database(&mut self, drop: &DropDatabase) -> Result<Vec<Step>> {
        self.check_stored(&drop.name)?;
        if self.catalog.database(&drop.name).is_some() {
            return Ok(vec![Step::DropDatabase(drop.name.clone())]);
        }
        if !drop.if_exists {
            return Err(ER_DB_DROP_EXISTS.error(&[&drop.name]));
        }
        self.context.note(&ER_DB_DROP_EXISTS, &[&drop.name]);
        Ok(Vec::new())
    }
}
