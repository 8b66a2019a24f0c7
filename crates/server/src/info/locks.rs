//! Who holds which locks, and who waits for whom.
//!
//! All metadata locks are shown. Of row locks those are shown that somebody waits for: a lock is named by a hash, and what
//! it protects is known from who waits.

use std::collections::HashMap;
use std::sync::Arc;

use engine::catalog::Catalog;
use engine::catalog::table::{Table, database_lock, read_lock};
use engine::ids::{IndexId, PREFIX_SIZE, TrxId};
use engine::lock::{Holding, LockId, Mode};
use engine::seen::{Seen, Waiting};
use engine::trx::Isolation;
use types::error::table::ER_SPECIFIC_ACCESS_DENIED_ERROR;
use types::row::Offsets;
use types::value::ValueRef;

use super::Result;
use super::cell::{IntoCell as _, NULL, Row, row};
use super::look::Look;
use super::server::connections;
use crate::accounts::Privileges;
use crate::ddl::keepers::{self, Has, Owner, Purpose};
use crate::net::ProcessRow;
use crate::replica::is_worker;
use crate::session::Shared;

/// The transactions and connections that a session is told of.
struct Sight<'l> {
    look: &'l Look<'l>,
    processes: HashMap<u32, ProcessRow>,
    all: Vec<Arc<Seen>>,
    owners: HashMap<TrxId, u32>,
}

impl<'l> Sight<'l> {
    fn new(look: &'l Look<'l>) -> Self {
        let processes = connections(look).into_iter().map(|process| (process.id, process)).collect();
        let all = look.shared.store.transactions().all();
        let owners = all.iter().map(|seen| (seen.id(), seen.owner)).collect();
        Self { look, processes, all, owners }
    }

    /// Thread and event of a transaction, NULL of the server's own; `None` if the session is not told of it.
    fn owner(&self, trx: TrxId) -> Option<Row> {
        match self.owners.get(&trx) {
            Some(owner) if self.processes.contains_key(owner) => Some(row![*owner, 1_u64]),
            _ => self.look.access.has(Privileges::PROCESS).then(|| row![NULL, NULL]),
        }
    }

    fn holding(&self, lock: LockId) -> Holding {
        self.look.shared.store.locks().holding(lock)
    }

    /// Who has a lock and who waits for it: transaction, its owner, mode, and status, which is `waits` of those who wait.
    fn parties(&self, lock: LockId, waits: &'static str) -> Vec<(TrxId, Row, Mode, &'static str)> {
        let Holding { holders, waiters } = self.holding(lock);
        let holders = holders.into_iter().map(|who| (who, "GRANTED"));
        let all = holders.chain(waiters.into_iter().map(|who| (who, waits)));
        all.filter_map(|((trx, mode), status)| Some((trx, self.owner(trx)?, mode, status))).collect()
    }
}

/// What a metadata lock protects.
#[derive(Clone, Copy)]
enum Object<'c> {
    /// All definitions: who changes one shares it.
    Definitions,
    Database(&'c str),
    Table(&'c Table),
    /// What LOCK TABLES .. READ shares and who writes asks for exclusively.
    Reading(&'c Table),
}

impl Object<'_> {
    /// Type, schema and name of the object.
    fn names(&self) -> Row {
        match self {
            Self::Definitions => row!["BACKUP LOCK", NULL, NULL],
            Self::Database(name) => row!["SCHEMA", *name, NULL],
            Self::Table(table) | Self::Reading(table) => row!["TABLE", &table.def.db, &table.def.name],
        }
    }

    /// Whether the session is told of it: who sees all processes sees what they lock.
    fn is_seen(&self, look: &Look<'_>) -> bool {
        match self {
            Self::Definitions => true,
            Self::Database(name) => look.access.sees_database(name) || look.access.has(Privileges::PROCESS),
            Self::Table(table) | Self::Reading(table) => sees(look, table),
        }
    }

    /// MySQL's name for a lock of it that is nearest to what is held.
    fn lock_type(&self, mode: Mode) -> &'static str {
        match (self, mode) {
            (Self::Definitions | Self::Database(_), Mode::Shared) => "INTENTION_EXCLUSIVE",
            (Self::Definitions, Mode::Exclusive) => "SHARED",
            (Self::Table(_), Mode::Shared) => "SHARED_READ",
            (Self::Reading(_), Mode::Shared) => "SHARED_READ_ONLY",
            (Self::Reading(_), Mode::Exclusive) => "SHARED_WRITE",
            (Self::Database(_) | Self::Table(_), Mode::Exclusive) => "EXCLUSIVE",
        }
    }
}

/// Whether the session is told of a table's locks.
fn sees(look: &Look<'_>, table: &Table) -> bool {
    look.access.sees_table(&table.def.db, &table.def.name) || look.access.has(Privileges::PROCESS)
}

/// Everything that has a metadata lock.
fn objects(catalog: &Catalog) -> impl Iterator<Item = (Object<'_>, LockId)> {
    let databases = catalog.databases().map(|database| &*database.def.name);
    let databases = databases.map(|name| (Object::Database(name), database_lock(name)));
    let tables = catalog.tables().flat_map(|table| {
        let reading = read_lock(&table.def.db, &table.def.name);
        [(Object::Table(table), table.lock), (Object::Reading(table), reading)]
    });
    std::iter::once((Object::Definitions, keepers::changes())).chain(databases).chain(tables)
}

/// `performance_schema.metadata_locks`
pub(super) fn metadata_locks(look: &Look<'_>) -> Vec<Row> {
    let sight = Sight::new(look);
    let mut rows = Vec::new();
    for (object, lock) in objects(&look.catalog).filter(|(object, _)| object.is_seen(look)) {
        for (_, owner, mode, status) in sight.parties(lock, "PENDING") {
            if matches!((object, mode), (Object::Definitions, Mode::Exclusive)) {
                // A keeper's, for a moment.
                continue;
            }
            let mut row = object.names();
            row.extend(row![NULL, lock.0, object.lock_type(mode), "TRANSACTION", status, ""]);
            row.extend(owner);
            rows.push(row);
        }
    }
    rows.extend(keepers(&sight));
    rows
}

/// What LOCK INSTANCE FOR BACKUP and FLUSH TABLES WITH READ LOCK hold and wait for.
fn keepers(sight: &Sight<'_>) -> Vec<Row> {
    let mut rows = Vec::new();
    let lock = keepers::changes().0;
    for Owner { connection, purpose, has } in sight.look.shared.common.keepers.owners() {
        if !sight.processes.contains_key(&connection) {
            continue;
        }
        let first = if has == Has::Nothing { "PENDING" } else { "GRANTED" };
        let objects = match (purpose, has) {
            (Purpose::Backup, _) => [Some(("BACKUP LOCK", first)), None],
            (Purpose::Reading, Has::Nothing) => [Some(("GLOBAL", first)), None],
            (Purpose::Reading, Has::Definitions) => [Some(("GLOBAL", first)), Some(("COMMIT", "PENDING"))],
            (Purpose::Reading, Has::Commits) => [Some(("GLOBAL", first)), Some(("COMMIT", "GRANTED"))],
        };
        for (object, status) in objects.into_iter().flatten() {
            rows.push(row![
                object, NULL, NULL, NULL, lock, "SHARED", "EXPLICIT", status, "", connection, 1_u64
            ]);
        }
    }
    rows
}

/// The states of connections that wait for metadata or user locks, in MySQL's words.
pub(super) fn states(shared: &Shared) -> HashMap<u32, &'static str> {
    let mut states: HashMap<_, _> =
        shared.common.user_locks.waiting().into_iter().map(|owner| (owner, "User lock")).collect();
    let all = shared.store.transactions().all();
    let waiting = all.iter().filter_map(|seen| Some((seen.owner, seen.waits()?)));
    let waiting: Vec<_> = waiting.filter(|(_, waiting)| waiting.key.is_none()).collect();
    if waiting.is_empty() {
        return states;
    }
    let reads = |owner: &Owner| owner.purpose == Purpose::Reading && owner.has == Has::Nothing;
    let readers: Vec<_> =
        shared.common.keepers.owners().iter().filter(|it| reads(it)).map(|it| it.connection).collect();
    let catalog = shared.store.catalog();
    let is_database = |lock| catalog.databases().any(|database| database_lock(&database.def.name) == lock);
    let state = |owner: u32, lock| match lock {
        lock if lock == keepers::changes() && readers.contains(&owner) => "Waiting for global read lock",
        lock if lock == keepers::changes() => "Waiting for backup lock",
        lock if is_database(lock) => "Waiting for schema metadata lock",
        _ => "Waiting for table metadata lock",
    };
    states.extend(waiting.into_iter().map(|(owner, waiting)| (owner, state(owner, waiting.lock))));
    states
}

/// A row's lock by a transaction, as `data_locks` names it.
fn lock_id(trx: TrxId, lock: LockId) -> String {
    format!("{}:{:016x}", trx.0, lock.0)
}

/// The row locks that somebody waits for, with one who waits for each.
fn awaited(sight: &Sight<'_>) -> Vec<Waiting> {
    let mut all: Vec<_> = sight.all.iter().filter_map(|seen| seen.waits()).collect();
    all.retain(|waiting| waiting.key.is_some());
    all.sort_by_key(|waiting| waiting.lock.0);
    all.dedup_by_key(|waiting| waiting.lock);
    all
}

/// `performance_schema.data_locks`
pub(super) fn data_locks(look: &Look<'_>) -> Vec<Row> {
    let sight = Sight::new(look);
    let mut rows = Vec::new();
    for Waiting { lock, key, .. } in awaited(&sight) {
        let Some(place) = place(look, &key.unwrap_or_default()) else { continue };
        for (trx, owner, mode, status) in sight.parties(lock, "WAITING") {
            let [schema, table, index, data] = place.clone();
            let kind = if mode == Mode::Shared { "S,REC_NOT_GAP" } else { "X,REC_NOT_GAP" };
            let mut row = row!["INNODB", lock_id(trx, lock), trx.0];
            row.extend(owner);
            row.extend(row![schema, table, NULL, NULL, index, lock.0, "RECORD", kind, status, data]);
            rows.push(row);
        }
    }
    rows
}

/// Schema, table, index and key's values of a lock. Values are those of the row that has the key; where there is none, or
/// where the key is a secondary index's, its bytes. `None` if the session is not told of the table.
fn place(look: &Look<'_>, key: &[u8]) -> Option<[Option<String>; 4]> {
    let id = IndexId::of(key);
    let bytes = || {
        let write = |text: String, byte: &u8| text + &format!("{byte:02x}");
        key[PREFIX_SIZE..].iter().fold("0x".to_owned(), write)
    };
    for table in look.catalog.tables() {
        let name = match table.def.indexes.iter().find(|index| index.id == id) {
            Some(index) => &*index.name,
            None if table.def.rows == id => "GEN_CLUST_INDEX",
            None => continue,
        };
        if !sees(look, table) {
            return None;
        }
        let values = if table.def.rows == id { values(look, table, key) } else { None };
        let data = values.unwrap_or_else(bytes);
        let (db, table) = (table.def.db.clone(), table.def.name.clone());
        return Some([Some(db), Some(table), Some(name.to_owned()), Some(data)]);
    }
    Some([None, None, None, Some(bytes())])
}

/// The values of a row's primary key.
fn values(look: &Look<'_>, table: &Table, key: &[u8]) -> Option<String> {
    let (_, row) = look.shared.store.published().get_newest(key).ok()?;
    let (row, primary, mut offsets) = (row?, table.def.primary()?, Offsets::default());
    table.rows.offsets(&row, &mut offsets).ok()?;
    let value = |column: u16| match table.rows.value(&row, &offsets, column.into(), look.session.time_zone())
    {
        value @ ValueRef::Str(..) => format!("'{}'", value.to_message()),
        value => value.to_message(),
    };
    Some(primary.parts.iter().map(|part| value(part.column)).collect::<Vec<_>>().join(", "))
}

/// `performance_schema.data_lock_waits`: each who waits, with each who holds the lock or waits before him, unless they share.
pub(super) fn data_lock_waits(look: &Look<'_>) -> Vec<Row> {
    let sight = Sight::new(look);
    let mut rows = Vec::new();
    for Waiting { lock, .. } in awaited(&sight) {
        let Holding { holders, waiters } = sight.holding(lock);
        for (at, (trx, mode)) in waiters.iter().enumerate() {
            let before = || holders.iter().chain(&waiters[..at]).filter(|(other, _)| other != trx);
            let all_share = *mode == Mode::Shared && before().all(|(_, mode)| *mode == Mode::Shared);
            let Some(owner) = sight.owner(*trx).filter(|_| !all_share) else { continue };
            for (other, _) in before() {
                let Some(blocking) = sight.owner(*other) else { continue };
                let mut row = row!["INNODB", lock_id(*trx, lock), trx.0];
                row.extend(owner.clone());
                row.extend(row![lock.0, lock_id(*other, lock), other.0]);
                row.extend(blocking);
                row.extend(row![lock.0]);
                rows.push(row);
            }
        }
    }
    rows
}

/// `INNODB_TRX`, without the statement that asks. Error 1227 without the privilege PROCESS.
pub(super) fn transactions(look: &Look<'_>) -> Result<Vec<Row>> {
    if !look.access.has(Privileges::PROCESS) {
        return Err(ER_SPECIFIC_ACCESS_DENIED_ERROR.error(&[&"PROCESS"]));
    }
    let sight = Sight::new(look);
    let now_s = crate::clock::unix_s();
    let seconds = |us: u64| look.local_time(u32::try_from(us / 1_000_000).unwrap_or(u32::MAX));
    let row = |seen: &Arc<Seen>| {
        // Nobody's are XA transactions that are prepared, and what a replica's workers do.
        let process = sight.processes.get(&seen.owner);
        let thread = if is_worker(seen.owner) { 0 } else { seen.owner };
        if process.is_none() && thread != 0 {
            return None;
        }
        let waits = seen.waits().filter(|waits| waits.key.is_some());
        let state = if waits.is_some() { "LOCK WAIT" } else { "RUNNING" };
        // Of a statement by itself the age is known in whole seconds: it did not begin after its wait.
        let began_us = match seen.began_us() {
            0 => now_s.saturating_sub(process.map_or(0, |process| process.time_s)) * 1_000_000,
            began_us => began_us,
        };
        let began_us = waits.as_ref().map_or(began_us, |waits| began_us.min(waits.since_us));
        let requested = waits.as_ref().map(|waits| lock_id(seen.id(), waits.lock));
        let isolation = match seen.isolation() {
            Isolation::ReadCommitted => "READ COMMITTED",
            Isolation::RepeatableRead => "REPEATABLE READ",
        };
        let (locks, changes) = (seen.locks(), seen.changes());
        let only_reads = seen.began_us() == 0 && locks == 0 && waits.is_none();
        if only_reads && seen.owner == look.session.connection_id {
            return None;
        }
        let mut row = row![seen.id().0, state, seconds(began_us), requested];
        row.extend(row![waits.and_then(|waits| seconds(waits.since_us)), locks + changes, thread]);
        let info = process.and_then(|process| process.info.as_deref());
        row.extend(row![info, NULL, 0_u64, 0_u64, locks, 0_u64, locks, changes, 0_u64]);
        row.extend(row![isolation, 1_u64, 1_u64, NULL, 0_u64, 0_u64, 0_u64, u64::from(only_reads), NULL]);
        Some(row)
    };
    Ok(sight.all.iter().filter(|seen| seen.is_active()).filter_map(row).collect())
}

/// `performance_schema.threads`: those of connections.
pub(super) fn threads(look: &Look<'_>) -> Vec<Row> {
    let row = |process: ProcessRow| {
        let connection = look.shared.connections.get(process.id)?;
        let encryption = match connection.peer.address {
            _ if connection.tls().is_some() => "SSL/TLS",
            None => "Socket",
            Some(_) => "TCP/IP",
        };
        let host = connection.peer.host.clone();
        let mut row = row![process.id, "thread/sql/one_connection", "FOREGROUND", process.id, process.user];
        row.extend(row![host, process.db, process.command.name(), process.time_s]);
        row.push(Some(process.state).filter(|state| !state.is_empty()).into_cell());
        row.extend(row![process.info, NULL, NULL, "YES", "YES", encryption, NULL, NULL, "PRIMARY"]);
        row.extend(row![0_u64, 0_u64, 0_u64, 0_u64, "NO"]);
        Some(row)
    };
    connections(look).into_iter().filter_map(row).collect()
}

/// `performance_schema.setup_instruments`: what is measured here of what MySQL can.
pub(super) fn instruments(_: &Look<'_>) -> Vec<Row> {
    vec![row!["wait/lock/metadata/sql/mdl", "YES", "YES", "", NULL, 0_u64, NULL]]
}
