//! DDL statements: what they find, what they make of it.

use std::collections::BTreeSet;
use std::pin::pin;
use std::sync::Arc;

use commit::CommitAck;
use engine::catalog::def::{ColumnDef, DatabaseDef, TableDef};
use engine::catalog::table::{Counters, Table, database_lock, metadata_lock};
use engine::lock::{LockId, Mode};
use engine::trx::Trx;
use sql::bind::bind_rules;
use sql::ddl::{self, Alteration, Change, Quoting, Rules, TableChanges, Version};
use sql::exec::engine_error;
use sql::parse::table::{
    AlterAction, AlterTable, CreateTable, CreateTableLike, DropTables, References, TableElement,
};
use sql::parse::{Statement, TableName};
use types::charset::Charset;
use types::error::SqlError;
use types::error::table::{
    ER_BAD_DB_ERROR, ER_BAD_TABLE_ERROR, ER_FORBID_SCHEMA_CHANGE, ER_NO_SUCH_TABLE, ER_TABLE_EXISTS_ERROR,
};
use types::warning::Level;

use super::Client;
use super::new_table::Defined;
use super::row_log::LoggedDdl;
use crate::accounts::Privileges;
use crate::ddl::copy::{Copy, CopySettings, begins_to_count, counters_of};
use crate::ddl::{Edit, SchemaChange};

type Result<T> = std::result::Result<T, SqlError>;

/// A name with its database.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct FullName {
    pub(super) db: String,
    pub(super) name: String,
}

impl std::fmt::Display for FullName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}.{}", self.db, self.name)
    }
}

impl Client {
    /// Carries a DDL statement out.
    pub(super) async fn change_schema(&mut self, statement: Statement, sql: &[u8]) -> Result<CommitAck> {
        self.refuse_under_read_lock()?;
        self.refuse_read_only()?;
        let ack = self.end_transaction().await?;
        // As in MySQL: whether the one that it has ended may change something does not matter.
        self.refuse_in_read_only_transaction()?;
        let done = match statement {
            Statement::CreateTable(create) => match &create.query {
                Some(query) => self.create_table_from(&create, query, sql).await?,
                None => self.create_table(&create, sql).await?,
            },
            Statement::CreateTableLike(create) => self.create_table_like(&create, sql).await?,
            Statement::AlterTable(alter) => self.alter_table(&alter, sql).await?,
            Statement::DropTables(drop) => self.drop_tables(&drop, sql).await?,
            Statement::CreateView(create) => self.define_view(&create, sql).await?,
            Statement::DropViews(drop) => self.drop_views(&drop, sql).await?,
            Statement::DropStored(stored) => {
                self.drop_stored(&stored)?;
                None
            }
            Statement::Truncate(table) => Some(self.truncate(&table, sql).await?),
            Statement::RenameTables(pairs) => Some(self.rename_tables(&pairs, sql).await?),
            Statement::CreateDatabase(create) => self.create_database(&create, sql).await?,
            Statement::AlterDatabase(alter) => Some(self.alter_database(&alter, sql).await?),
            Statement::DropDatabase(drop) => self.drop_database(&drop, sql).await?,
            _ => unreachable!("only DDL comes here"),
        };
        match done {
            Some(ack) => Ok(ack),
            // It found what it wants to be so: its GTID is used all the same.
            None if self.transaction.next_gtid.is_some() => self.commit_own().await,
            None => Ok(ack),
        }
    }

    /// Commits a change of the catalog with its event. `dbs` are the databases that it touches.
    pub(super) async fn commit_ddl(
        &mut self,
        change: SchemaChange,
        sql: &[u8],
        dbs: &[&str],
    ) -> Result<CommitAck> {
        let logged = self.logs();
        if logged {
            let (_, cache) = self.transaction.parts();
            let ddl = LoggedDdl {
                sql,
                dbs,
                database: change.iter().find_map(Edit::database),
                defines_table: change
                    .iter()
                    .any(|edit| matches!(edit, Edit::PutTable { table, .. } if table.def.view.is_none())),
                uses_time_zone: change.iter().filter_map(Edit::table).any(TableDef::depends_on_time_zone),
                has_rows: false,
            };
            self.log.log_ddl(cache, &ddl)?;
        }
        let only_gtid = !logged && self.has_gtid_to_log();
        if only_gtid {
            self.log_empty()?;
        }
        let shared = Arc::clone(&self.shared);
        let (origin, logged) = (self.log.origin, logged || only_gtid);
        let done = shared.schema.commit(&mut self.transaction, change, origin, logged).await;
        if done.is_err() {
            let _ack = self.transaction.rollback().await;
        }
        done
    }

    /// A transaction that holds the metadata locks of a DDL statement that begins: databases shared, tables exclusively.
    pub(super) async fn lock_schema(&self, names: &[&FullName]) -> Result<Trx> {
        self.lock_schema_and_read(names, &[]).await
    }

    /// The same with tables that it only reads.
    pub(super) async fn lock_schema_and_read(&self, names: &[&FullName], read: &[LockId]) -> Result<Trx> {
        let databases = names.iter().map(|name| (database_lock(&name.db), Mode::Shared));
        let tables = names.iter().map(|name| (metadata_lock(&name.db, &name.name), Mode::Exclusive));
        let read = read.iter().map(|id| (*id, Mode::Shared));
        let mut trx = self.begin_change().await?;
        self.lock_all(&mut trx, databases.chain(tables).chain(read).collect()).await?;
        Ok(trx)
    }

    /// The same with the tables that foreign keys tie to them, with `parents`, which new keys refer to, and with those that
    /// are `read`.
    pub(super) async fn lock_related_tables(
        &self,
        names: &[&FullName],
        parents: &[FullName],
        read: &[LockId],
    ) -> Result<(Trx, TableChanges)> {
        let related = |changes: &TableChanges| -> BTreeSet<FullName> {
            let related = names.iter().flat_map(|table| changes.related(&table.db, &table.name));
            related.map(|(db, name)| FullName { db, name }).filter(|name| !names.contains(&name)).collect()
        };
        let mut others = related(&TableChanges::new(self.shared.store.catalog()));
        others.extend(parents.iter().cloned());
        loop {
            let all: Vec<&FullName> = names.iter().copied().chain(&others).collect();
            let trx = self.lock_schema_and_read(&all, read).await?;
            let changes = TableChanges::new(self.shared.store.catalog());
            let now = related(&changes);
            if now.is_subset(&others) {
                return Ok((trx, changes));
            }
            // A key came while this waited for its locks.
            others.extend(now);
        }
    }

    /// What the session wants of foreign keys.
    pub(super) fn rules(&self) -> Rules {
        Rules {
            checks: self.vars.foreign_key_checks,
            standard_keys: self.vars.restrict_fk_on_non_standard_key,
        }
    }

    /// The tables that new foreign keys of a table refer to. Error 1142 without the privilege REFERENCES.
    fn parents<'r>(
        &self,
        table: &FullName,
        references: impl Iterator<Item = &'r References>,
    ) -> Result<Vec<FullName>> {
        let mut parents = Vec::new();
        for references in references {
            let TableName { db, name } = &references.table;
            let parent = FullName { db: db.clone().unwrap_or_else(|| table.db.clone()), name: name.clone() };
            if parent != *table {
                self.access.on_table(Privileges::REFERENCES, &parent.db, &parent.name)?;
                parents.push(parent);
            }
        }
        Ok(parents)
    }

    /// Takes locks in the order in which all statements do.
    pub(super) async fn lock_all(&self, trx: &mut Trx, mut locks: Vec<(LockId, Mode)>) -> Result<()> {
        locks.sort_by_key(|(id, mode)| (id.0, *mode != Mode::Exclusive));
        locks.dedup_by_key(|(id, _)| *id);
        let take = async {
            if let Some(locked) = &self.locked {
                return locked.lend(&locks, trx).await;
            }
            for (id, mode) in locks {
                trx.lock_metadata(id, mode).await.map_err(engine_error)?;
            }
            Ok(())
        };
        self.kill.unless_killed(pin!(take)).await
    }

    pub(super) fn full_name(&self, table: &TableName) -> Result<FullName> {
        let db = self.database_of(table.db.as_deref())?;
        self.refuse_virtual(&db)?;
        Ok(FullName { db, name: table.name.clone() })
    }

    /// Error 1044 for what nobody may change.
    pub(super) fn refuse_virtual(&self, db: &str) -> Result<()> {
        if self.sql.server.is_virtual_database(db) {
            return Err(types::error::table::ER_DBACCESS_DENIED_ERROR.error(&[
                &self.access.account_name().user,
                &self.access.account_name().host,
                &db,
            ]));
        }
        Ok(())
    }

    pub(super) fn database(&self, name: &str) -> Result<DatabaseDef> {
        let catalog = self.shared.store.catalog();
        catalog.database(name).map(|found| found.def.clone()).ok_or_else(|| ER_BAD_DB_ERROR.error(&[&name]))
    }

    pub(super) fn find_table(&self, name: &FullName) -> Option<Arc<Table>> {
        self.shared.store.catalog().table(&name.db, &name.name).cloned()
    }

    /// The table, or error 1146; 1347 for a view.
    pub(super) fn table(&self, name: &FullName) -> Result<Arc<Table>> {
        let found = self.find_table(name).ok_or_else(|| ER_NO_SUCH_TABLE.error(&[&name.db, &name.name]))?;
        ddl::refuse_view(&found.def)?;
        Ok(found)
    }

    pub(super) fn now_s(&self) -> u32 {
        u32::try_from(self.sql.now_us() / 1_000_000).unwrap_or(u32::MAX)
    }

    /// CREATE TABLE. `None` if it is there and may be.
    async fn create_table(&mut self, create: &CreateTable, sql: &[u8]) -> Result<Option<CommitAck>> {
        create.refuse_start_transaction()?;
        let Some(defined) = self.define_table(create, Vec::new(), &[]).await? else { return Ok(None) };
        let Defined { def, changes, locks: _locks } = defined;
        self.add_table(def, changes, sql).await.map(Some)
    }

    /// What CREATE TABLE asks for, with the columns of a query that reads these tables. `None` if it is there and may be.
    pub(super) async fn define_table(
        &mut self,
        create: &CreateTable,
        columns: Vec<ColumnDef>,
        read: &[LockId],
    ) -> Result<Option<Defined>> {
        // Dumps of all databases say that the logs in `mysql` shall exist.
        let db = self.database_of(create.table.db.as_deref())?;
        if create.if_not_exists && self.sql.server.virtual_table(&db, &create.table.name).is_some() {
            self.access.on_table(Privileges::CREATE, &db, &create.table.name)?;
            self.warnings.push(Level::Note, &ER_TABLE_EXISTS_ERROR, &[&create.table.name]);
            return Ok(None);
        }
        let name = self.full_name(&create.table)?;
        self.access.on_table(Privileges::CREATE, &name.db, &name.name)?;
        let references = create.elements.iter().filter_map(|element| match element {
            TableElement::Column(column) => column.references.as_deref(),
            TableElement::ForeignKey(key) => Some(&key.references),
            TableElement::Key(_) | TableElement::Check(_) => None,
        });
        let parents = self.parents(&name, references)?;
        if self.is_taken(&name, create.if_not_exists).await? {
            return Ok(None);
        }
        let (locks, changes) = self.lock_related_tables(&[&name], &parents, read).await?;
        self.database(&name.db)?;
        if self.is_there(&name, create.if_not_exists)? {
            return Ok(None);
        }
        let (rules, logged) = (self.rules(), self.logs());
        let def = self.with_ddl_env(&name.db, logged, |env| {
            let mut def = ddl::create_table(create, columns, &name.db, env)?;
            changes.check_new(&mut def, rules, env.context)?;
            Ok(def)
        })?;
        Ok(Some(Defined { def, changes, locks }))
    }

    /// CREATE TABLE .. LIKE.
    async fn create_table_like(&mut self, create: &CreateTableLike, sql: &[u8]) -> Result<Option<CommitAck>> {
        let name = self.full_name(&create.table)?;
        self.access.on_table(Privileges::CREATE, &name.db, &name.name)?;
        if self.is_taken(&name, create.if_not_exists).await? {
            return Ok(None);
        }
        // Whoever changes the definition comes before, or after: in the binlog, too.
        let read = match self.temporary(&create.like) {
            Some(_) => None,
            None => Some(self.full_name(&create.like)?),
        };
        let read: Vec<LockId> = read.iter().map(|like| metadata_lock(&like.db, &like.name)).collect();
        let (_locks, changes) = self.lock_related_tables(&[&name], &[], &read).await?;
        self.database(&name.db)?;
        let like = self.table_to_copy(&create.like)?;
        if self.is_there(&name, create.if_not_exists)? {
            return Ok(None);
        }
        let (rules, logged) = (self.rules(), self.logs());
        let def = self.with_ddl_env(&name.db, logged, |env| {
            let mut def = ddl::create_like(&like.def, &name.db, &name.name, env)?;
            changes.check_new(&mut def, rules, env.context)?;
            Ok(def)
        })?;
        // Who reads the binlog has no temporary tables.
        let text = like.is_temporary().then(|| self.text_to_log(&def, true));
        let Some(text) = text else { return self.add_table(def, changes, sql).await.map(Some) };
        let client = self.speak(Charset::Utf8mb4);
        let done = self.add_table(def, changes, text.as_bytes()).await;
        self.speak(client);
        done.map(Some)
    }

    /// As [`Self::is_there`], before the name is locked: who only uses the table is not waited for.
    async fn is_taken(&mut self, name: &FullName, if_not_exists: bool) -> Result<bool> {
        if self.find_table(name).is_none() {
            return Ok(false);
        }
        let mut trx = self.begin_change().await?;
        let locks = [database_lock(&name.db), metadata_lock(&name.db, &name.name)];
        self.lock_all(&mut trx, locks.map(|id| (id, Mode::Shared)).to_vec()).await?;
        self.is_there(name, if_not_exists)
    }

    /// Whether a table is there that is to be created: an error, or a note if that is fine.
    fn is_there(&mut self, name: &FullName, if_not_exists: bool) -> Result<bool> {
        if self.find_table(name).is_none() {
            return Ok(false);
        }
        if !if_not_exists {
            return Err(ER_TABLE_EXISTS_ERROR.error(&[&name.name]));
        }
        self.warnings.push(Level::Note, &ER_TABLE_EXISTS_ERROR, &[&name.name]);
        Ok(true)
    }

    async fn add_table(&mut self, def: TableDef, mut changes: TableChanges, sql: &[u8]) -> Result<CommitAck> {
        let table = self.numbered(def).await?;
        let db = table.def.db.clone();
        changes.put(table, false);
        self.commit_ddl(edits(changes), sql, &[&db]).await
    }

    /// A new table with ids and counters.
    pub(super) async fn numbered(&mut self, def: TableDef) -> Result<Arc<Table>> {
        let shared = Arc::clone(&self.shared);
        let def = shared.schema.name(&mut self.transaction, def).await?;
        let counters = Counters::default();
        Counters::raise(&counters.auto_increment, def.auto_increment_start.saturating_sub(1));
        let table = Arc::new(Table::new(def, Arc::new(counters)));
        bind_rules(&shared.store.catalog(), &table, &self.sql)?;
        Ok(table)
    }

    /// ALTER TABLE, CREATE INDEX, DROP INDEX. Everybody else is kept from the table while it is changed.
    async fn alter_table(&mut self, alter: &AlterTable, sql: &[u8]) -> Result<Option<CommitAck>> {
        let name = self.full_name(&alter.table)?;
        let needed = if alter.is_index { Privileges::INDEX } else { Privileges::ALTER };
        self.access.on_table(needed, &name.db, &name.name)?;
        let rename = alter.actions.iter().rev().find_map(|action| match action {
            AlterAction::RenameTable(to) => Some(to),
            _ => None,
        });
        let rename = rename.map(|to| self.full_name(to)).transpose()?.filter(|to| *to != name);
        if let Some(to) = &rename {
            self.permit_rename(&name, to)?;
        }
        let names: Vec<&FullName> = std::iter::once(&name).chain(&rename).collect();
        let references = alter.actions.iter().filter_map(|action| match action {
            AlterAction::AddColumn(column, _) | AlterAction::Change(_, column, _) => {
                column.references.as_deref()
            }
            AlterAction::AddForeignKey(key) => Some(&key.references),
            _ => None,
        });
        let parents = self.parents(&name, references)?;
        let (_locks, mut changes) = if alter.actions.iter().all(|it| matches!(it, AlterAction::Keys)) {
            // Dumps say so under LOCK TABLES, which has no others.
            (self.lock_schema(&names).await?, TableChanges::new(self.shared.store.catalog()))
        } else {
            self.lock_related_tables(&names, &parents, &[]).await?
        };
        self.database(&name.db)?;
        let old = self.table(&name)?;
        if let Some(to) = &rename {
            self.database(&to.db)?;
            if self.find_table(to).is_some() {
                return Err(ER_TABLE_EXISTS_ERROR.error(&[&to.name]));
            }
        }
        let (rules, logged) = (self.rules(), self.logs());
        let mut alteration = self.with_ddl_env(&name.db, logged, |env| {
            let mut alteration = ddl::alter_table(&old.def, alter, env)?;
            let Alteration { table, columns, .. } = &mut alteration;
            changes.check_altered(&old.def, table, columns, rules, env.context)?;
            Ok(alteration)
        })?;
        let Alteration { table, columns, .. } = &mut alteration;
        if let Some(to) = &rename {
            changes.rename(table, &to.db, &to.name, rules)?;
        }
        let columns = std::mem::take(columns);
        let dbs: Vec<&str> = names.iter().map(|name| &*name.db).collect();
        let (new, keeps_rows) = self.alteration(&old, alteration).await?;
        self.check_added_keys(&old, &new, &changes).await?;
        match rename {
            Some(_) => changes.put_renamed((&name.db, &name.name), new, keeps_rows, &columns),
            None => changes.put_altered(new, keeps_rows, &columns),
        }
        let ack = self.commit_ddl(edits(changes), sql, &dbs).await?;
        self.info = Some(format!("Records: 0  Duplicates: 0  Warnings: {}", self.warnings.count()));
        Ok(Some(ack))
    }

    /// With `foreign_key_checks` the rows that are there have the parents that new foreign keys demand, or error 1452.
    async fn check_added_keys(&self, old: &Table, new: &Arc<Table>, changes: &TableChanges) -> Result<()> {
        let is_old = |name: &str| {
            let before = ddl::name_after_rename(name, &new.def.name, &old.def.name);
            old.def.foreign_keys.iter().any(|key| key.name == before)
        };
        let added = new.def.foreign_keys.iter().filter(|key| !is_old(&key.name));
        for key in added.filter(|_| self.vars.foreign_key_checks) {
            let is_own = key.refers_to(&new.def.db, &new.def.name);
            let parents = if is_own { Some(new) } else { changes.table(&key.parent_db, &key.parent_table) };
            let parents = parents.expect("a parent that was looked at").clone();
            let check = self.shared.schema.check_foreign_key(Arc::clone(new), &key.name, parents);
            self.kill.unless_killed(pin!(check)).await?;
        }
        Ok(())
    }

    /// Does to the data what an alteration asks for. Returns the new version, and whether it keeps the rows.
    async fn alteration(&mut self, old: &Arc<Table>, alteration: Alteration) -> Result<(Arc<Table>, bool)> {
        let Alteration { table, change, auto_increment, .. } = alteration;
        let shared = Arc::clone(&self.shared);
        let (new, keeps_rows) = match change {
            Change::Nothing | Change::Metadata => {
                let new = Arc::new(old.successor(table));
                bind_rules(&shared.store.catalog(), &new, &self.sql)?;
                (new, true)
            }
            Change::Indexes { add, .. } => {
                let def = shared.schema.name(&mut self.transaction, table).await?;
                let new = Arc::new(old.successor(def));
                let keeps_rows = add.is_empty();
                if !keeps_rows {
                    self.copy(old, &new, Copy::Indexes(add)).await?;
                }
                (new, keeps_rows)
            }
            Change::Rebuild { columns } => {
                let def = shared.schema.name(&mut self.transaction, table).await?;
                let what = Copy::Rows(columns);
                let counters = counters_of(old, &def, &what, auto_increment);
                let new = Arc::new(Table::new(def, Arc::new(counters)));
                self.copy(old, &new, what).await?;
                (new, false)
            }
        };
        if let Some(place) = begins_to_count(&old.def, &new.def).filter(|_| keeps_rows) {
            let high = shared.schema.highest_number(Arc::clone(old), place);
            let high = self.kill.unless_killed(pin!(high)).await?;
            Counters::raise(&new.counters.auto_increment, high);
        }
        if let Some(next) = auto_increment {
            Counters::raise(&new.counters.auto_increment, next.saturating_sub(1));
        }
        Ok((new, keeps_rows))
    }

    async fn copy(&mut self, old: &Arc<Table>, new: &Arc<Table>, what: Copy) -> Result<()> {
        let settings = CopySettings {
            session: self.sql.detached(),
            rules: bind_rules(&self.shared.store.catalog(), new, &self.sql)?,
            warnings_max: self.vars.max_error_count.into(),
        };
        let copy = self.shared.schema.copy(Arc::clone(old), Arc::clone(new), what, settings);
        let copied = self.kill.unless_killed(pin!(copy)).await?;
        self.warnings.absorb(copied.warnings);
        Ok(())
    }

    /// DROP TABLE: all of them or none. `None` if none is there and that is fine.
    async fn drop_tables(&mut self, drop: &DropTables, sql: &[u8]) -> Result<Option<CommitAck>> {
        let named = drop.tables.iter().map(|table| self.full_name(table)).collect::<Result<Vec<_>>>()?;
        let is_temporary = |name: &FullName| self.sql.temporary.get(&name.db, &name.name).is_some();
        let (temporary, names): (Vec<_>, Vec<_>) = named.into_iter().partition(is_temporary);
        for name in &names {
            self.access.on_table(Privileges::DROP, &name.db, &name.name)?;
        }
        let (_locks, mut changes) =
            self.lock_related_tables(&names.iter().collect::<Vec<_>>(), &[], &[]).await?;
        let (mut dropped, mut missing) = (Vec::new(), Vec::new());
        for name in &names {
            match self.find_table(name).filter(|table| table.def.view.is_none()) {
                Some(table) => dropped.push(table),
                None => missing.push(name.to_string()),
            }
        }
        if !missing.is_empty() {
            if !drop.if_exists {
                return Err(ER_BAD_TABLE_ERROR.error(&[&missing.join(",")]));
            }
            for name in &missing {
                self.warnings.push(Level::Note, &ER_BAD_TABLE_ERROR, &[name]);
            }
        }
        let mut ack = None;
        if !dropped.is_empty() {
            changes.drop_tables(&dropped, self.rules())?;
            let dbs: Vec<&str> = names.iter().map(|name| &*name.db).collect();
            // Who reads the binlog has no temporary tables.
            let text = (!temporary.is_empty()).then(|| drop_text(&names, drop.if_exists));
            let sql = text.as_ref().map_or(sql, String::as_bytes);
            ack = Some(self.commit_ddl(edits(changes), sql, &dbs).await?);
            if let Some(locked) = &mut self.locked {
                locked.release_dropped(&self.shared.store.catalog());
            }
        }
        for name in &temporary {
            self.drop_temporary(&name.db, &name.name);
        }
        Ok(ack)
    }

    /// TRUNCATE: the table's rows stay behind under ids that nobody knows any more.
    async fn truncate(&mut self, table: &TableName, sql: &[u8]) -> Result<CommitAck> {
        let name = self.full_name(table)?;
        self.access.on_table(Privileges::DROP, &name.db, &name.name)?;
        let (_locks, mut changes) = self.lock_related_tables(&[&name], &[], &[]).await?;
        let old = self.find_table(&name).filter(|table| table.def.view.is_none());
        let old = old.ok_or_else(|| ER_NO_SUCH_TABLE.error(&[&name.db, &name.name]))?;
        changes.check_truncated(&old.def, self.rules())?;
        let shared = Arc::clone(&self.shared);
        let def = shared.schema.name(&mut self.transaction, ddl::truncated(&old.def)).await?;
        changes.put(Arc::new(Table::new(def, Arc::default())), false);
        self.commit_ddl(edits(changes), sql, &[&name.db]).await
    }

    /// RENAME TABLE: one after another, all or none.
    async fn rename_tables(&mut self, pairs: &[(TableName, TableName)], sql: &[u8]) -> Result<CommitAck> {
        let mut names = Vec::new();
        for (from, to) in pairs {
            let pair = (self.full_name(from)?, self.full_name(to)?);
            self.permit_rename(&pair.0, &pair.1)?;
            names.push(pair);
        }
        let all: Vec<&FullName> = names.iter().flat_map(|(from, to)| [from, to]).collect();
        let (_locks, mut changes) = self.lock_related_tables(&all, &[], &[]).await?;
        for (from, to) in &names {
            self.database(&to.db)?;
            let old = changes.table(&from.db, &from.name).cloned();
            let old = old.ok_or_else(|| ER_NO_SUCH_TABLE.error(&[&from.db, &from.name]))?;
            if changes.table(&to.db, &to.name).is_some() {
                return Err(ER_TABLE_EXISTS_ERROR.error(&[&to.name]));
            }
            if old.def.view.is_some() && from.db != to.db {
                return Err(ER_FORBID_SCHEMA_CHANGE.error(&[&from.db, &to.db]));
            }
            let mut def = old.def.clone();
            changes.rename(&mut def, &to.db, &to.name, self.rules())?;
            changes.put_renamed((&from.db, &from.name), Arc::new(old.successor(def)), true, &[]);
        }
        let dbs: Vec<&str> = all.iter().map(|name| &*name.db).collect();
        self.commit_ddl(edits(changes), sql, &dbs).await
    }

    /// What a rename needs: ALTER and DROP on the old name, CREATE and INSERT on the new one.
    pub(super) fn permit_rename(&self, from: &FullName, to: &FullName) -> Result<()> {
        self.access.on_table(Privileges::ALTER.union(Privileges::DROP), &from.db, &from.name)?;
        self.access.on_table(Privileges::CREATE.union(Privileges::INSERT), &to.db, &to.name)
    }
}

/// DROP TABLE of these.
fn drop_text(names: &[FullName], if_exists: bool) -> String {
    let quoting = Quoting::default();
    let names = names.iter().map(|name| format!("{}.{}", quoting.name(&name.db), quoting.name(&name.name)));
    let if_exists = if if_exists { " IF EXISTS" } else { "" };
    format!("DROP TABLE{if_exists} {}", names.collect::<Vec<_>>().join(", "))
}

/// The steps to what the tables of a statement have become.
pub(super) fn edits(changes: TableChanges) -> SchemaChange {
    let (removed, put) = changes.finish();
    let put = put.into_iter().map(|Version { table, keeps_rows }| Edit::PutTable { table, keeps_rows });
    removed.into_iter().map(Edit::RemoveTable).chain(put).collect()
}
