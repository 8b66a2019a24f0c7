//! CREATE VIEW, ALTER VIEW, DROP VIEW, and whose privileges count for what a view reads.

use std::sync::Arc;

use commit::CommitAck;
use engine::catalog::Catalog;
use engine::catalog::def::{CheckOption, ColumnDef, TableDef, ViewAlgorithm, ViewDef};
use engine::catalog::table::Table;
use engine::ids::{IndexId, TableId};
use engine::lock::LockId;
use sql::bind::{BoundView, bind_view, bind_whole_view};
use sql::ddl::{self, TableChanges};
use sql::exec::output_columns;
use sql::expr::Types;
use sql::parse::{Account, CreateView, CreateViewMode, DropViews, Mode};
use sql::plan::{ByView, Plan, QueryPlan};
use types::error::SqlError;
use types::error::table::{
    ER_ACCESS_DENIED_ERROR, ER_BAD_TABLE_ERROR, ER_DUP_FIELDNAME, ER_NEED_REPREPARE, ER_NO_SUCH_TABLE,
    ER_NO_SUCH_USER, ER_TABLE_EXISTS_ERROR, ER_VIEW_INVALID, ER_VIEW_NO_EXPLAIN, ER_VIEW_NONUPD_CHECK,
    ER_VIEW_WRONG_LIST, ER_WRONG_OBJECT,
};
use types::warning::Level;

use super::Client;
use super::ddl::{FullName, edits};
use super::plan_cache::Planned;
use super::statement::PLANS_MAX;
use crate::accounts::{Name, Privileges};

type Result<T> = std::result::Result<T, SqlError>;

/// What CREATE VIEW makes, before it has its locks.
struct Draft {
    def: TableDef,
    /// The query, for its tables.
    planned: Planned,
}

impl Client {
    /// CREATE VIEW, ALTER VIEW. `None` if it is there and may be.
    pub(super) async fn define_view(&mut self, create: &CreateView, sql: &[u8]) -> Result<Option<CommitAck>> {
        let name = self.full_name(&create.view)?;
        let wanted = match create.mode {
            CreateViewMode::Create | CreateViewMode::CreateIfNotExists => Privileges::CREATE_VIEW,
            CreateViewMode::Replace | CreateViewMode::Alter => {
                Privileges::CREATE_VIEW.union(Privileges::DROP)
            }
        };
        self.access.on_table(wanted, &name.db, &name.name)?;
        for _ in 0..PLANS_MAX {
            self.database(&name.db)?;
            let there = self.view_to_replace(&name, create.mode)?;
            let Draft { def, planned } = self.draft_view(create, &name, there.as_deref(), sql)?;
            self.permit(&planned)?;
            let read: Vec<LockId> = planned.tables.iter().map(|read| read.table.lock).collect();
            // Tables with foreign keys that wait for the name get other versions.
            let (_locks, changes) = self.lock_related_tables(&[&name], &[], &read).await?;
            let drafted = there.map(|there| there.is_gone());
            let there = self.view_to_replace(&name, create.mode)?;
            if planned.is_stale() || drafted == Some(true) {
                continue;
            }
            if there.is_some() && create.mode == CreateViewMode::CreateIfNotExists {
                self.warnings.push(Level::Note, &ER_TABLE_EXISTS_ERROR, &[&name.name]);
                return Ok(None);
            }
            return self.put_view(create, (def, changes), there.as_deref(), sql).await.map(Some);
        }
        Err(ER_NEED_REPREPARE.error(&[]))
    }

    /// What has the name of a view. Errors 1050, 1146 and 1347 for what cannot be replaced.
    fn view_to_replace(&self, name: &FullName, mode: CreateViewMode) -> Result<Option<Arc<Table>>> {
        let there = self.find_table(name);
        match (&there, mode) {
            (Some(there), CreateViewMode::Create) => Err(ER_TABLE_EXISTS_ERROR.error(&[&there.def.name])),
            (Some(there), CreateViewMode::Replace | CreateViewMode::Alter) => {
                expect_view(there).map(|()| Some(Arc::clone(there)))
            }
            (None, CreateViewMode::Alter) => Err(ER_NO_SUCH_TABLE.error(&[&name.db, &name.name])),
            (_, _) => Ok(there),
        }
    }

    /// Who DEFINER is: who is given, else that of the view that is altered. Error 1227 unless that is the session's account or it
    /// may speak for others.
    fn definer(&mut self, given: Option<&Account>, old: Option<&ViewDef>) -> Result<Name> {
        let own = self.access.account_name();
        let (user, host) = match (given, old) {
            (Some(Account::Named { user, host }), _) => (user, host),
            (None, Some(old)) => (&old.definer.0, &old.definer.1),
            (Some(Account::Current), _) | (None, None) => return Ok(own.clone()),
        };
        let definer = Name::new(user.clone(), host);
        if definer != *own {
            self.access.require(Privileges::SUPER, "SET_USER_ID", "SUPER or SET_USER_ID")?;
            match self.access.table().get(&definer) {
                Some(account) if account.has_dynamic("SYSTEM_USER") => {
                    self.access.require(Privileges::NONE, "SYSTEM_USER", "SYSTEM_USER")?;
                }
                Some(_) => {}
                None => self.warnings.push(Level::Note, &ER_NO_SUCH_USER, &[&definer.user, &definer.host]),
            }
        }
        Ok(definer)
    }

    /// Binds the query.
    fn draft_view(
        &mut self,
        create: &CreateView,
        name: &FullName,
        there: Option<&Table>,
        sql: &[u8],
    ) -> Result<Draft> {
        // ALTER keeps what it does not say.
        let old = there.and_then(|there| there.def.view.as_deref());
        let old = old.filter(|_| create.mode == CreateViewMode::Alter);
        let definer = self.definer(create.definer.as_ref(), old)?;
        let catalog = self.shared.store.catalog();
        let text = String::from_utf8_lossy(sql);
        let BoundView { plan, changes } =
            bind_view(&create.query, (&name.db, &name.name), &catalog, &self.sql, &text)?;
        let columns = self.view_columns(&plan, &catalog, create.columns.as_deref())?;
        let algorithm = match (create.algorithm, old) {
            (ViewAlgorithm::Undefined, Some(old)) => old.algorithm,
            (algorithm, _) => algorithm,
        };
        let is_updatable = algorithm != ViewAlgorithm::TempTable && is_simple(&plan);
        if create.check_option != CheckOption::None && !is_updatable {
            return Err(ER_VIEW_NONUPD_CHECK.error(&[&name.db, &name.name]));
        }
        let mode = Mode::from(self.sql.sql_mode);
        let view = ViewDef {
            query: ddl::view_text(sql, mode, create.query_tokens, &changes)?,
            names_given: create.columns.is_some(),
            algorithm,
            definer: (definer.user, definer.host),
            invoker: create.invoker.unwrap_or_else(|| old.is_some_and(|old| old.invoker)),
            check_option: create.check_option,
            client: self.vars.client.default_collation(),
            connection: self.sql.collation_connection,
            depth: u16::try_from(plan.depth()).unwrap_or(u16::MAX),
        };
        let def = view_table(name, columns, view, self.now_s());
        // What is kept can be read.
        bind_whole_view(&Arc::new(Table::new(def.clone(), Arc::default())), &catalog, &self.sql)?;
        Ok(Draft { def, planned: Planned::new(Plan::Select(plan)) })
    }

    /// What the columns of a view are. Errors 1060 and 1353.
    fn view_columns(
        &mut self,
        plan: &QueryPlan,
        catalog: &Catalog,
        names: Option<&[String]>,
    ) -> Result<Vec<ColumnDef>> {
        let mut columns = output_columns(plan, &Types::of_session(&self.sql))?;
        let own = columns.iter().map(|column| column.name.clone());
        let names = names.map_or_else(|| ddl::view_column_names(own), <[String]>::to_vec);
        if names.len() != columns.len() {
            return Err(ER_VIEW_WRONG_LIST.error(&[]));
        }
        for (place, name) in names.into_iter().enumerate() {
            if columns[..place].iter().any(|before| before.name.to_lowercase() == name.to_lowercase()) {
                return Err(ER_DUP_FIELDNAME.error(&[&name]));
            }
            columns[place].name = name;
        }
        let find = |db: &str, table: &str| catalog.table(db, table).cloned();
        ddl::selected_columns(&columns, find, &self.sql.writing(&mut self.warnings))
    }

    /// Puts a view in its place: that of one of the same name has its id.
    async fn put_view(
        &mut self,
        create: &CreateView,
        (mut def, mut changes): (TableDef, TableChanges),
        there: Option<&Table>,
        sql: &[u8],
    ) -> Result<CommitAck> {
        let table = match there {
            Some(there) => {
                (def.id, def.rows) = (there.def.id, there.def.rows);
                Arc::new(Table::new(def, Arc::clone(&there.counters)))
            }
            None => self.numbered(def).await?,
        };
        let verb = match create.mode {
            CreateViewMode::Create | CreateViewMode::CreateIfNotExists => "CREATE",
            CreateViewMode::Replace => "CREATE OR REPLACE",
            CreateViewMode::Alter => "ALTER",
        };
        let logged =
            ddl::view_to_log(verb, &table.def, sql, Mode::from(self.sql.sql_mode), create.query_tokens);
        let db = table.def.db.clone();
        // It has no rows that could be older.
        changes.put(table, true);
        self.commit_ddl(edits(changes), &logged, &[&db]).await
    }

    /// DROP VIEW: all of them or none. `None` if none is there and that is fine.
    pub(super) async fn drop_views(&mut self, drop: &DropViews, sql: &[u8]) -> Result<Option<CommitAck>> {
        let names = drop.views.iter().map(|view| self.full_name(view)).collect::<Result<Vec<_>>>()?;
        for name in &names {
            self.access.on_table(Privileges::DROP, &name.db, &name.name)?;
        }
        let _locks = self.lock_schema_and_read(&names.iter().collect::<Vec<_>>(), &[]).await?;
        let (mut dropped, mut missing) = (Vec::new(), Vec::new());
        for name in &names {
            match self.find_table(name) {
                Some(table) if table.def.view.is_some() => dropped.push(table),
                Some(table) if drop.if_exists => {
                    let error = expect_view(&table).expect_err("it is no view");
                    self.warnings.push_error(Level::Note, &error);
                }
                Some(table) => return expect_view(&table).map(|()| None),
                None => missing.push(name.to_string()),
            }
        }
        if !missing.is_empty() && !drop.if_exists {
            return Err(ER_BAD_TABLE_ERROR.error(&[&missing.join(",")]));
        }
        for name in &missing {
            self.warnings.push(Level::Note, &ER_BAD_TABLE_ERROR, &[name]);
        }
        if dropped.is_empty() {
            return Ok(None);
        }
        let mut changes = TableChanges::new(self.shared.store.catalog());
        changes.drop_tables(&dropped, self.rules())?;
        let dbs: Vec<&str> = names.iter().map(|name| &*name.db).collect();
        self.commit_ddl(edits(changes), sql, &dbs).await.map(Some)
    }

    /// Error 1356 unless whoever's privileges count may read what a view leads to; 1449, or 1045 for who is not to know, if
    /// there is no such account.
    pub(super) fn permit_by_view(&self, by: &ByView, table: &Table) -> Result<()> {
        let accounts = self.access.table();
        let reader = match by.definer.as_ref().and_then(|view| view.def.view.as_deref()) {
            None => self.access.account(),
            Some(ViewDef { definer: (user, host), .. }) => {
                let definer = accounts.get(&Name::new(user.clone(), host));
                Arc::clone(definer.ok_or_else(|| self.no_definer(user, host))?)
            }
        };
        let TableDef { db, name, .. } = &table.def;
        let has = reader.global.union(reader.on_database(db)).union(reader.on_table(db, name));
        if has.contains(Privileges::SELECT) {
            return Ok(());
        }
        Err(ER_VIEW_INVALID.error(&[&by.view.def.db, &by.view.def.name]))
    }

    fn no_definer(&self, user: &str, host: &str) -> SqlError {
        if self.access.has(Privileges::SUPER) {
            return ER_NO_SUCH_USER.error(&[&user, &host]);
        }
        let own = self.access.account_name();
        ER_ACCESS_DENIED_ERROR.error(&[&own.user, &own.host, &"NO"])
    }

    /// Error 1345 unless whoever asks for a plan may read all that its views lead to.
    pub(super) fn permit_explaining_views(&self, planned: &Planned) -> Result<()> {
        for (_, table) in &planned.by_views {
            let may_read = self.access.on_table(Privileges::SELECT, &table.def.db, &table.def.name);
            may_read.map_err(|_| ER_VIEW_NO_EXPLAIN.error(&[]))?;
        }
        Ok(())
    }
}

/// Error 1347 for what is no view.
fn expect_view(table: &Table) -> Result<()> {
    if table.def.view.is_some() {
        return Ok(());
    }
    Err(ER_WRONG_OBJECT.error(&[&table.def.db, &table.def.name, &"VIEW"]))
}

/// Whether MySQL could change rows through a view of this query: the ones with a CHECK OPTION are of this kind.
fn is_simple(plan: &QueryPlan) -> bool {
    let QueryPlan::Select(select) = plan else { return false };
    let has_tables = !select.sources.is_empty();
    let is_limited = select.limit.is_some() || select.offset.is_some();
    has_tables && select.group.is_none() && select.having.is_none() && !select.distinct && !is_limited
}

fn view_table(name: &FullName, columns: Vec<ColumnDef>, view: ViewDef, created_at: u32) -> TableDef {
    TableDef {
        id: TableId(0),
        db: name.db.clone(),
        name: name.name.clone(),
        columns,
        rows: IndexId(0),
        indexes: Vec::new(),
        foreign_keys: Vec::new(),
        checks: Vec::new(),
        collation: view.connection,
        comment: String::new(),
        created_at,
        auto_increment_start: 1,
        view: Some(Box::new(view)),
    }
}
