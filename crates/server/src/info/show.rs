//! What SHOW answers: tables that are made for one statement.

use std::sync::Arc;

use parking_lot::Mutex;
use sql::ddl::{Quoting, show_create_database, show_create_table};
use sql::parse::{Account, Filter, Limit, SetScope, Show, TableName};
use sql::session::{Scope, Session};
use sql::virtual_table::VirtualTable;
use types::collation::Collation;
use types::column::Column;
use types::error::SqlError;
use types::error::table::{
    ER_NO_DB_ERROR, ER_SPECIFIC_ACCESS_DENIED_ERROR, ER_TABLEACCESS_DENIED_ERROR, ER_UNKNOWN_STORAGE_ENGINE,
};
use types::sql_mode::SqlMode;
use types::value::Value;
use types::warning::{Level, Warning, Warnings};

use super::cell::{Row, row};
use super::look::{AnyTable, Look};
use super::{columns, definition, keys, logs, schema, server, views};
use crate::accounts::{self, Name, Privileges};

type Result<T> = std::result::Result<T, SqlError>;

/// A table that answers one statement.
#[derive(Debug)]
pub(crate) struct Shown {
    name: &'static str,
    columns: Vec<Column>,
    /// Taken by the one statement that they are for: they may be hundreds of megabytes. Rank: last.
    rows: Mutex<Vec<Row>>,
}

impl Shown {
    /// With the columns of this name in `shows.sql`; of these as many as the rows have, if there are any.
    pub(crate) fn new(name: &'static str, mut rows: Vec<Row>) -> Self {
        let columns = definition::shows().get(name).expect("every SHOW has its columns").clone();
        definition::conform(&columns, &mut rows);
        Self { name, columns, rows: Mutex::new(rows) }
    }

    /// Without the columns that `keep` does not name, by their places.
    fn only(name: &'static str, keep: &[usize], rows: Vec<Row>) -> Self {
        let mut rows = rows;
        let mut shown = Self::new(name, Vec::new());
        shown.columns = keep.iter().map(|place| shown.columns[*place].clone()).collect();
        definition::conform(&shown.columns, &mut rows);
        Self { rows: Mutex::new(rows), ..shown }
    }

    /// With another name for a column.
    fn renamed(mut self, place: usize, name: String) -> Self {
        self.columns[place].name = name;
        self
    }

    /// LIKE stands behind the first column's name.
    fn like(self, filter: Option<&Filter>) -> Self {
        let Some(Filter::Like(pattern)) = filter else { return self };
        let name = format!("{} ({pattern})", self.columns[0].name);
        self.renamed(0, name)
    }
}

impl VirtualTable for Shown {
    fn db(&self) -> &'static str {
        ""
    }

    fn name(&self) -> &'static str {
        self.name
    }

    fn columns(&self) -> &[Column] {
        &self.columns
    }

    fn rows(&self, _session: &Session, _equal: &[(usize, Value)]) -> Result<Vec<Row>> {
        Ok(std::mem::take(&mut *self.rows.lock()))
    }
}

/// What a SHOW answers before its LIKE or WHERE; not SHOW BINLOG EVENTS, and not what is about warnings.
pub(crate) fn answer<'s>(show: &'s Show, look: &Look<'_>) -> Result<(Shown, Option<&'s Filter>)> {
    if let Some(found) = of_tables(show, look)? {
        return Ok(found);
    }
    match of_server(show, look) {
        Some(found) => Ok(found),
        None => Ok((unfiltered(show, look)?, None)),
    }
}

/// What is about databases and tables.
fn of_tables<'s>(show: &'s Show, look: &Look<'_>) -> Result<Option<(Shown, Option<&'s Filter>)>> {
    let (shown, filter) = match show {
        Show::Databases(filter) => {
            let rows = look.databases().into_iter().map(|(name, _)| row![name]).collect();
            (Shown::new("databases", rows).like(filter.as_ref()), filter)
        }
        Show::Tables { full, db, filter } => (tables(look, *full, db.as_deref(), filter.as_ref())?, filter),
        Show::TableStatus(db, filter) => {
            let db = database(look, db.as_deref())?;
            let row = |table: AnyTable| {
                let mut row = row![&table.def().name];
                row.extend(schema::status(&table, look)?);
                Ok(row)
            };
            // What is shown of a table is dear: LIKE is asked first.
            let wanted = |table: &AnyTable| wanted(filter.as_ref(), Collation::Utf8mb4Bin, &table.def().name);
            let rows = look.tables_in(&db).into_iter().filter(wanted).map(row).collect::<Result<_>>()?;
            (Shown::new("table_status", rows), filter)
        }
        Show::OpenTables(db, filter) => {
            let row = |table: AnyTable| match &table {
                AnyTable::Stored(table) if db.as_ref().is_none_or(|db| *db == table.def.db) => {
                    Some(row![&table.def.db, &table.def.name, 0_u64, 0_u64])
                }
                _ => None,
            };
            (Shown::new("open_tables", look.tables().filter_map(row).collect()), filter)
        }
        Show::Columns { full, table, filter } => {
            let table = look.refreshed(readable(look, table, "SELECT")?)?;
            let rows = columns::show(look, &table, *full);
            let shown = match full {
                true => Shown::new("columns", rows),
                false => Shown::only("columns", &[0, 1, 3, 4, 5, 6], rows),
            };
            (shown, filter)
        }
        Show::Index(table, filter) => {
            let table = readable(look, table, "SELECT")?;
            (Shown::new("index", keys::show(look, &table)?), filter)
        }
        Show::Events(db, filter) => (none_in(look, "events", db.as_deref())?, filter),
        Show::Triggers(db, filter) => (none_in(look, "triggers", db.as_deref())?, filter),
        Show::ProcedureStatus(filter) | Show::FunctionStatus(filter) => {
            (Shown::new("routine_status", Vec::new()), filter)
        }
        _ => return Ok(None),
    };
    Ok(Some((shown, filter.as_ref())))
}

/// Whether a row of this name may pass the filter: LIKE knows without the rest of it.
fn wanted(filter: Option<&Filter>, collation: Collation, name: &str) -> bool {
    match filter {
        Some(Filter::Like(pattern)) => {
            collation.like(name.as_bytes(), pattern.as_bytes(), Some(u32::from('\\')))
        }
        _ => true,
    }
}

/// What is about the server and takes LIKE and WHERE.
fn of_server<'s>(show: &'s Show, look: &Look<'_>) -> Option<(Shown, Option<&'s Filter>)> {
    let (shown, filter) = match show {
        Show::CharacterSet(filter) => {
            let pick = |row: Row| [0, 2, 1, 3].map(|place: usize| row[place].clone()).to_vec();
            let rows = server::character_sets(look).into_iter().map(pick).collect();
            (Shown::new("character_set", rows), filter)
        }
        Show::Collation(filter) => (Shown::new("collation", server::collations(look)), filter),
        // Some values are dear, too.
        Show::Variables(set, filter) => {
            let wanted = |name: &str| wanted(filter.as_ref(), Collation::Utf8mb4GeneralCi, name);
            (Shown::new("variables", server::variables(look, scope(*set), wanted)), filter)
        }
        Show::Status(set, filter) => {
            let wanted = |name: &str| wanted(filter.as_ref(), Collation::Utf8mb4GeneralCi, name);
            (Shown::new("variables", server::status(look, scope(*set), wanted)), filter)
        }
        _ => return None,
    };
    Some((shown, filter.as_ref()))
}

/// What takes neither.
fn unfiltered(show: &Show, look: &Look<'_>) -> Result<Shown> {
    let none = Vec::new;
    Ok(match show {
        Show::CreateTable(table) => {
            let table = readable(look, table, "SHOW")?;
            match &table {
                AnyTable::Stored(view) if view.def.view.is_some() => views::show_create(look, view)?,
                _ => Shown::new("create_table", vec![row![&table.def().name, create_table(look, &table)]]),
            }
        }
        Show::CreateView(table) => match listed(look, table, "SHOW")? {
            AnyTable::Stored(table) => views::show_create(look, &table)?,
            AnyTable::Virtual(table) => return Err(views::no_view(&table.def)),
        },
        Show::CreateDatabase(db, if_not_exists) => {
            let db = look.database(db)?;
            let collation = look.database_collation(&db);
            let def = engine::catalog::def::DatabaseDef { name: db.clone(), collation };
            Shown::new(
                "create_database",
                vec![row![db, show_create_database(&def, *if_not_exists, quoting(look))]],
            )
        }
        Show::CreateUser(account) => create_user(look, account)?,
        Show::Grants(account) => grants(look, account.as_ref())?,
        Show::Engines => Shown::new("engines", server::engines(look)),
        Show::Plugins => Shown::new("plugins", server::show_plugins(look)),
        Show::Privileges => Shown::new("privileges", server::show_privileges()),
        Show::Processlist(full) => {
            let name = if *full { "full_processlist" } else { "processlist" };
            Shown::new(name, server::show_processes(look, *full)?)
        }
        Show::BinaryLogs => Shown::new("binary_logs", logs::files(look)?),
        Show::BinaryLogStatus => Shown::new("binary_log_status", logs::position(look)?),
        Show::RelaylogEvents => Shown::new("binlog_events", none()),
        Show::Replicas(old_words) => {
            Shown::new(if *old_words { "slave_hosts" } else { "replicas" }, logs::replicas(look)?)
        }
        Show::ReplicaStatus(old_words) => {
            server::require_replication_client(look)?;
            let rows = crate::replica::status(look.shared);
            Shown::new(if *old_words { "slave_status" } else { "replica_status" }, rows)
        }
        Show::EngineStatus(engine) => engine_status(look, engine, true)?,
        Show::EngineMutex(engine) | Show::EngineLogs(engine) => engine_status(look, engine, false)?,
        Show::Profiles => Shown::new("profiles", none()),
        _ => unreachable!("these are answered elsewhere"),
    })
}

/// SHOW WARNINGS, SHOW ERRORS.
pub(crate) fn warnings(warnings: &Warnings, errors_only: bool, limit: Limit) -> Shown {
    let wanted = |warning: &&Warning| !errors_only || warning.level == Level::Error;
    let skip = usize::try_from(limit.offset).unwrap_or(usize::MAX);
    let count = limit.count.map_or(usize::MAX, |count| usize::try_from(count).unwrap_or(usize::MAX));
    let rows = warnings.entries().iter().filter(wanted).skip(skip).take(count);
    let row = |warning: &Warning| row![warning.level.as_str(), u64::from(warning.code), &warning.message];
    Shown::new("warnings", rows.map(row).collect())
}

/// SHOW COUNT(*) WARNINGS, SHOW COUNT(*) ERRORS.
pub(crate) fn count(name: &'static str, count: u64) -> Shown {
    Shown::new(name, vec![row![count]])
}

fn scope(scope: SetScope) -> Scope {
    if scope == SetScope::Global { Scope::Global } else { Scope::Session }
}

/// The database that is meant. Errors 1046, 1049, 1044.
fn database(look: &Look<'_>, db: Option<&str>) -> Result<String> {
    let db = db.or(look.session.db.as_deref()).ok_or_else(|| ER_NO_DB_ERROR.error(&[]))?;
    look.database(db)
}

fn none_in(look: &Look<'_>, name: &'static str, db: Option<&str>) -> Result<Shown> {
    database(look, db)?;
    Ok(Shown::new(name, Vec::new()))
}

fn tables(look: &Look<'_>, full: bool, db: Option<&str>, filter: Option<&Filter>) -> Result<Shown> {
    let db = database(look, db)?;
    let row = |table: AnyTable| {
        let mut row = row![&table.def().name];
        if full {
            row.extend(row![schema::kind(&table)]);
        }
        row
    };
    let rows = look.tables_in(&db).into_iter().map(row).collect();
    let places = if full { &[0, 1][..] } else { &[0] };
    Ok(Shown::only("tables", places, rows).renamed(0, format!("Tables_in_{db}")).like(filter))
}

/// A table of the session's own, or one that it has any privilege on. Errors 1046, 1049, 1142, 1146.
fn readable(look: &Look<'_>, name: &TableName, verb: &str) -> Result<AnyTable> {
    let own = database_of(look, name).ok().and_then(|db| look.session.temporary.get(db, &name.name));
    own.map_or_else(|| listed(look, name, verb), |own| Ok(AnyTable::Stored(Arc::clone(own))))
}

fn database_of<'n>(look: &'n Look<'_>, name: &'n TableName) -> Result<&'n str> {
    name.db.as_deref().or(look.session.db.as_deref()).ok_or_else(|| ER_NO_DB_ERROR.error(&[]))
}

/// The same of those that are no session's own.
fn listed(look: &Look<'_>, name: &TableName, verb: &str) -> Result<AnyTable> {
    let db = database_of(look, name)?;
    if !look.access.sees_table(db, &name.name) {
        let (user, host) = (look.access.user(), &look.access.peer().host);
        return Err(ER_TABLEACCESS_DENIED_ERROR.error(&[&verb, &user, host, &name.name]));
    }
    look.listed(db, &name.name)
}

pub(super) fn quoting(look: &Look<'_>) -> Quoting {
    let mode = look.session.sql_mode;
    Quoting {
        ansi_quotes: mode.contains(SqlMode::ANSI_QUOTES),
        no_backslash_escapes: mode.contains(SqlMode::NO_BACKSLASH_ESCAPES),
    }
}

fn create_table(look: &Look<'_>, table: &AnyTable) -> String {
    let next = match table {
        AnyTable::Stored(table) => schema::next_auto_increment(table),
        AnyTable::Virtual(_) => 1,
    };
    show_create_table(table.def(), next, quoting(look), look.session.time_zone())
}

fn account_name(look: &Look<'_>, account: Option<&Account>) -> Name {
    match account {
        Some(Account::Named { user, host }) => Name::new(user.clone(), host),
        Some(Account::Current) | None => look.access.account_name().clone(),
    }
}

/// Error 1044 unless the account is the session's or it may read accounts.
fn permit_account(look: &Look<'_>, name: &Name) -> Result<()> {
    if name == look.access.account_name() {
        return Ok(());
    }
    look.access.database(Privileges::SELECT, "mysql")
}

fn grants(look: &Look<'_>, account: Option<&Account>) -> Result<Shown> {
    let name = account_name(look, account);
    permit_account(look, &name)?;
    let lines = look.access.table().show_grants(&name)?;
    let rows = lines.into_iter().map(|line| row![line]).collect();
    Ok(Shown::new("grants", rows).renamed(0, format!("Grants for {}@{}", name.user, name.host)))
}

fn create_user(look: &Look<'_>, account: &Account) -> Result<Shown> {
    let name = account_name(look, Some(account));
    permit_account(look, &name)?;
    let sight = look.shared.variables.sight(look.session, look.variables);
    let as_hex = sight.shown("print_identified_with_as_hex").is_ok_and(|value| value == "ON");
    let secret = match look.access.database(Privileges::SELECT, "mysql") {
        Err(_) => accounts::Shown::Hidden,
        Ok(()) if as_hex => accounts::Shown::Hex,
        Ok(()) => accounts::Shown::Text,
    };
    let rows = vec![row![look.access.table().show_create_user(&name, secret)?]];
    Ok(Shown::new("create_user", rows).renamed(0, format!("CREATE USER for {}@{}", name.user, name.host)))
}

/// SHOW ENGINE. Errors 1286 and 1227.
fn engine_status(look: &Look<'_>, engine: &str, status: bool) -> Result<Shown> {
    if !engine.eq_ignore_ascii_case("InnoDB") && !engine.eq_ignore_ascii_case("ALL") {
        return Err(ER_UNKNOWN_STORAGE_ENGINE.error(&[&engine]));
    }
    if !look.access.has(Privileges::PROCESS) {
        return Err(ER_SPECIFIC_ACCESS_DENIED_ERROR.error(&[&"PROCESS"]));
    }
    let rows = if status { vec![row!["InnoDB", "", super::engine_status::text(look)?]] } else { Vec::new() };
    Ok(Shown::new("engine_status", rows))
}
