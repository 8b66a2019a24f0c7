//! CREATE, ALTER and DROP DATABASE.

use std::sync::Arc;

use commit::CommitAck;
use engine::catalog::table::{Table, database_lock, metadata_lock};
use engine::lock::Mode;
use engine::trx::Trx;
use sql::ddl::{self, TableChanges};
use sql::parse::{AlterDatabase, CreateDatabase, DropDatabase};
use types::error::SqlError;
use types::error::table::{ER_DB_CREATE_EXISTS, ER_DB_DROP_EXISTS};
use types::warning::Level;

use super::Client;
use super::ddl::edits;
use crate::accounts::Privileges;
use crate::ddl::Edit;

type Result<T> = std::result::Result<T, SqlError>;

impl Client {
    /// A transaction that holds the metadata lock of a database.
    async fn lock_database(&self, name: &str) -> Result<Trx> {
        let mut trx = self.begin_change().await?;
        self.lock_all(&mut trx, vec![(database_lock(name), Mode::Exclusive)]).await?;
        Ok(trx)
    }

    /// CREATE DATABASE. `None` if it is there and may be.
    pub(super) async fn create_database(
        &mut self,
        create: &CreateDatabase,
        sql: &[u8],
    ) -> Result<Option<CommitAck>> {
        let name = &create.name;
        self.access.database(Privileges::CREATE, name)?;
        // As MySQL counts it, also if it is there.
        self.affected = 1;
        // Dumps of all databases say that `mysql` shall exist.
        if name == "mysql" && create.if_not_exists {
            self.warnings.push(Level::Note, &ER_DB_CREATE_EXISTS, &[name]);
            return Ok(None);
        }
        self.refuse_virtual(name)?;
        let _locks = self.lock_database(name).await?;
        if self.shared.store.catalog().database(name).is_some() {
            if !create.if_not_exists {
                return Err(ER_DB_CREATE_EXISTS.error(&[name]));
            }
            self.warnings.push(Level::Note, &ER_DB_CREATE_EXISTS, &[name]);
            return Ok(None);
        }
        let server = self.vars.collation_server;
        let mut context = self.sql.writing(&mut self.warnings);
        let def = ddl::create_database(name, &create.options, server, &mut context)?;
        self.commit_ddl(vec![Edit::PutDatabase(def)], sql, &[name]).await.map(Some)
    }

    /// ALTER DATABASE.
    pub(super) async fn alter_database(&mut self, alter: &AlterDatabase, sql: &[u8]) -> Result<CommitAck> {
        let name = self.database_of(alter.name.as_deref())?;
        self.access.database(Privileges::ALTER, &name)?;
        self.refuse_virtual(&name)?;
        let _locks = self.lock_database(&name).await?;
        let (old, server) = (self.database(&name)?, self.vars.collation_server);
        let mut context = self.sql.writing(&mut self.warnings);
        let def = ddl::alter_database(&old, &alter.options, server, &mut context)?;
        if self.sql.db.as_deref() == Some(&*name) {
            self.vars.collation_database = def.collation;
        }
        self.commit_ddl(vec![Edit::PutDatabase(def)], sql, &[&name]).await
    }

    /// DROP DATABASE with its tables. `None` if it is not there and that is fine.
    pub(super) async fn drop_database(
        &mut self,
        drop: &DropDatabase,
        sql: &[u8],
    ) -> Result<Option<CommitAck>> {
        let name = &drop.name;
        self.access.database(Privileges::DROP, name)?;
        self.refuse_virtual(name)?;
        // Holding the database's name, nobody adds a table; then the tables that there are.
        let mut locks = self.lock_database(name).await?;
        let catalog = self.shared.store.catalog();
        let Some(database) = catalog.database(name) else {
            if !drop.if_exists {
                return Err(ER_DB_DROP_EXISTS.error(&[name]));
            }
            self.warnings.push(Level::Note, &ER_DB_DROP_EXISTS, &[name]);
            return Ok(None);
        };
        let tables: Vec<Arc<Table>> = database.tables.values().cloned().collect();
        let mut changes = TableChanges::new(Arc::clone(&catalog));
        let related = tables.iter().flat_map(|table| changes.related(&table.def.db, &table.def.name));
        let others = related.map(|(db, name)| metadata_lock(&db, &name));
        let all = tables.iter().map(|table| table.lock).chain(others).map(|id| (id, Mode::Exclusive));
        self.lock_all(&mut locks, all.collect()).await?;
        changes.drop_tables(&tables, self.rules())?;
        self.affected = tables.len() as u64;
        let mut change = edits(changes);
        change.push(Edit::RemoveDatabase(name.clone()));
        let ack = self.commit_ddl(change, sql, &[name]).await?;
        if self.sql.db.as_deref() == Some(name) {
            self.sql.db = None;
            self.vars.collation_database = self.vars.collation_server;
            self.settings_changed();
        }
        Ok(Some(ack))
    }
}
