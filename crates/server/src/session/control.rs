//! Transactions as statements control them: BEGIN, COMMIT, ROLLBACK, savepoints, LOCK TABLES.

use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use commit::CommitAck;
use engine::catalog::Catalog;
use engine::catalog::table::{Table, metadata_lock, read_lock};
use engine::lock::{LockId, Mode};
use engine::trx::Trx;
use sql::bind::bind_whole_view;
use sql::exec::{Changed, engine_error};
use sql::parse::{AccessMode, Completion, Statement, TableLock, TransactionStart};
use sql::plan::{Doing, Plan, PlannedTable, Relations};
use types::error::SqlError;
use types::error::table::{
    ER_LOCK_OR_ACTIVE_TRANSACTION, ER_LOCK_WAIT_TIMEOUT, ER_NO_SUCH_TABLE, ER_TABLE_NOT_LOCKED,
    ER_TABLE_NOT_LOCKED_FOR_WRITE,
};

use super::transaction::Committed;
use super::{Client, Wire};
use crate::accounts::Privileges;
use crate::status::Waits;
use crate::variables::Characteristics;

type Result<T> = std::result::Result<T, SqlError>;

/// `completion_type` = CHAIN.
const CHAIN: u8 = 1;
/// `completion_type` = RELEASE.
const RELEASE: u8 = 2;

/// Tables that LOCK TABLES holds.
#[derive(Debug)]
pub(super) struct LockedTables {
    /// Holds the locks.
    trx: Trx,
    tables: Vec<Locked>,
}

#[derive(Debug)]
struct Locked {
    id: LockId,
    write: bool,
    /// The statement has not named it: only foreign keys lead to it.
    implied: bool,
    /// What READ has to undo.
    table: Arc<Table>,
}

/// A table that LOCK TABLES is to lock.
struct WantedLock {
    id: LockId,
    db: String,
    name: String,
    write: bool,
    implied: bool,
}

impl Drop for LockedTables {
    fn drop(&mut self) {
        for locked in self.tables.iter().filter(|locked| !locked.write) {
            locked.table.read_locks.fetch_sub(1, Ordering::AcqRel);
        }
    }
}

impl Client {
    /// BEGIN, START TRANSACTION. Ends the transaction before, and LOCK TABLES.
    pub(super) async fn begin(
        &mut self,
        start: TransactionStart,
        more: bool,
        wire: &mut dyn Wire,
    ) -> Result<()> {
        self.may_commit_implicitly()?;
        if start.access == Some(AccessMode::ReadWrite) {
            self.refuse_read_only()?;
        }
        let next = self.vars.next;
        let ack = self.end_transaction().await?;
        self.vars.next = next;
        self.locked = None;
        self.open_transaction();
        if let Some(access) = start.access {
            self.transaction.read_only = access == AccessMode::ReadOnly;
        }
        if start.consistent_snapshot {
            let (snapshot, tuple) = self.shared.pipeline.publisher().snapshot();
            self.transaction.trx.set_snapshot(snapshot);
            self.view.set_snapshot(Some(tuple));
        }
        self.done(Some(ack), more, wire);
        Ok(())
    }

    /// COMMIT.
    pub(super) async fn commit(
        &mut self,
        completion: Completion,
        more: bool,
        wire: &mut dyn Wire,
    ) -> Result<()> {
        self.refuse_in_xa()?;
        let read_only = self.transaction.read_only;
        self.vars.next = Characteristics::default();
        let committed = if self.may_answer_ahead(more, wire) {
            self.view.set_snapshot(None);
            self.commit_ahead().await
        } else {
            self.commit_own().await.map(Committed::Done)
        };
        if committed.is_err() {
            // The transaction is gone, and its GTID with it, also where a read lock has refused it before it was committed.
            let _ack = self.transaction.rollback().await;
            self.view.set_snapshot(None);
            self.use_gtid();
        }
        let ack = self.hold(committed?, wire);
        self.complete(completion, read_only, ack, more, wire);
        Ok(())
    }

    /// ROLLBACK.
    pub(super) async fn rollback(
        &mut self,
        completion: Completion,
        more: bool,
        wire: &mut dyn Wire,
    ) -> Result<()> {
        self.refuse_in_xa()?;
        let read_only = self.transaction.read_only;
        self.vars.next = Characteristics::default();
        let ack = self.transaction.rollback().await;
        self.use_gtid();
        self.view.set_snapshot(None);
        self.complete(completion, read_only, Some(ack), more, wire);
        Ok(())
    }

    /// As [`Self::pass_read_lock`]; whom it refuses is rolled back.
    pub(super) async fn wait_for_read_lock(&mut self) -> Result<()> {
        let passed = self.pass_read_lock().await;
        if passed.is_err() {
            let _ack = self.transaction.rollback().await;
        }
        passed
    }

    /// Waits as long as FLUSH TABLES WITH READ LOCK keeps changes out, before a commit that has some. Errors 1205 and 1317.
    pub(super) async fn pass_read_lock(&self) -> Result<()> {
        if self.transaction.trx.writes().is_empty() {
            return Ok(());
        }
        self.outlast_read_lock().await
    }

    /// The same, whatever is committed.
    pub(super) async fn outlast_read_lock(&self) -> Result<()> {
        let admission = &self.shared.pipeline.admission;
        if !admission.is_read_locked() {
            return Ok(());
        }
        let nothing = commit::Need { credits: commit::Credits::default(), writes: true, has_chunks: true };
        let wait = self.transaction.trx.table_wait;
        let admitted = async {
            match tokio::time::timeout(wait, admission.admit(nothing)).await {
                // What is wrong, the commit itself finds.
                Ok(_) => Ok(()),
                Err(_) => Err(ER_LOCK_WAIT_TIMEOUT.error(&[])),
            }
        };
        self.view.counters().set_waits(Waits::ToCommit);
        let admitted = self.kill.unless_killed(pin!(admitted)).await;
        self.view.counters().set_waits(Waits::ForNothing);
        admitted
    }

    /// AND CHAIN, RELEASE.
    fn complete(
        &mut self,
        completion: Completion,
        read_only: bool,
        ack: Option<CommitAck>,
        more: bool,
        wire: &mut dyn Wire,
    ) {
        let default = self.vars.completion_type;
        if completion.chain.unwrap_or(default == CHAIN && completion.release != Some(true)) {
            let serializable = self.transaction.serializable;
            self.transaction.open = true;
            (self.transaction.read_only, self.transaction.serializable) = (read_only, serializable);
        }
        self.released = completion.release.unwrap_or(default == RELEASE && completion.chain != Some(true));
        self.done(ack, more, wire);
    }

    /// Commits the session's transaction, if there is one, before a statement that cannot be part of it. Error 1399 in an XA
    /// transaction.
    pub(super) async fn end_transaction(&mut self) -> Result<CommitAck> {
        self.refuse_in_xa()?;
        self.commit_open().await
    }

    /// Commits the session's transaction, if there is one.
    pub(super) async fn commit_open(&mut self) -> Result<CommitAck> {
        self.view.set_snapshot(None);
        self.vars.next = Characteristics::default();
        let logged = self.prepare_commit().await?;
        self.transaction.commit(self.log.origin, logged).await
    }

    /// Answers a statement that has changed no rows.
    pub(super) fn done(&mut self, ack: Option<CommitAck>, more: bool, wire: &mut dyn Wire) {
        self.sql.row_count = i64::try_from(self.affected).unwrap_or(i64::MAX);
        let changed = Changed { affected: self.affected, info: self.info.take(), ..Changed::default() };
        self.ok(ack, &changed, more, wire);
    }

    /// SAVEPOINT, which without a transaction does nothing, ROLLBACK TO and RELEASE.
    pub(super) fn change_savepoints(&mut self, statement: &Statement) -> Result<()> {
        self.refuse_behind_xa()?;
        match statement {
            Statement::Savepoint(name) => {
                if !self.vars.autocommit && !self.transaction.open {
                    self.open_transaction();
                }
                if self.transaction.open {
                    self.transaction.savepoint(name);
                }
                Ok(())
            }
            Statement::RollbackTo(name) => self.transaction.rollback_to(name),
            Statement::ReleaseSavepoint(name) => self.transaction.release(name),
            _ => unreachable!("no statement on savepoints"),
        }
    }

    /// LOCK TABLES: ends the transaction, and the LOCK TABLES before. Errors 1044, 1142 and 1146.
    pub(super) async fn lock_named_tables(&mut self, locks: &[TableLock]) -> Result<()> {
        if locks.iter().any(|lock| lock.write) {
            self.refuse_read_only()?;
        }
        let _ack = self.end_transaction().await?;
        self.locked = None;
        let mut trx = Trx::of(Arc::clone(&self.shared.store), self.sql.connection_id);
        trx.table_wait = self.transaction.trx.table_wait;
        let mut wanted = Vec::new();
        // Nobody else has temporary tables.
        for lock in locks.iter().filter(|lock| self.temporary(&lock.table).is_none()) {
            let db = self.database_of(lock.table.db.as_deref())?;
            self.access.database(Privileges::LOCK_TABLES, &db)?;
            self.access.on_table(Privileges::SELECT, &db, &lock.table.name)?;
            wanted.extend(self.related_tables(&db, lock));
            wanted.extend(self.tables_of_view(&db, lock)?);
            let name = lock.table.name.clone();
            let id = metadata_lock(&db, &name);
            wanted.push(WantedLock { id, db, name, write: lock.write, implied: false });
        }
        // In the order in which all statements lock: nobody waits in a circle.
        wanted.sort_by_key(|wanted| wanted.id.0);
        wanted.dedup_by(|next, kept| {
            let is_same = next.id == kept.id;
            if is_same {
                kept.write |= next.write;
                kept.implied &= next.implied;
            }
            is_same
        });
        let mut locked = LockedTables { trx, tables: Vec::new() };
        let kill = Arc::clone(&self.kill);
        for wanted in wanted {
            let taken = kill.unless_killed(pin!(locked.take(&wanted, self))).await?;
            locked.tables.push(taken);
        }
        // What is read under these locks comes after the commits that have released them.
        let visible = self.shared.pipeline.wait_visible(locked.trx.horizon());
        let _ack = kill.unless_killed(pin!(async { Ok(visible.await) })).await?;
        self.locked = Some(Box::new(locked));
        Ok(())
    }

    /// The locks that changes of a table need beside its own, for its foreign keys.
    fn related_tables(&self, db: &str, lock: &TableLock) -> Vec<WantedLock> {
        let catalog = self.shared.store.catalog();
        let table = catalog.table(db, &lock.table.name).filter(|_| lock.write);
        let relations = table.and_then(|table| Relations::of(&catalog, table, &Doing::everything(table)));
        let others = relations.iter().flat_map(|relations| relations.others());
        let wanted = others.map(|PlannedTable { table, written: write, .. }| WantedLock {
            id: table.lock,
            db: table.def.db.clone(),
            name: table.def.name.clone(),
            write,
            implied: true,
        });
        wanted.collect()
    }

    /// The locks that a view needs beside its own: to read what it reads.
    fn tables_of_view(&self, db: &str, lock: &TableLock) -> Result<Vec<WantedLock>> {
        let catalog = self.shared.store.catalog();
        let Some(view) = catalog.table(db, &lock.table.name).filter(|table| table.def.view.is_some()) else {
            return Ok(Vec::new());
        };
        let plan = Plan::Select(bind_whole_view(view, &catalog, &self.sql)?);
        let wanted = plan.tables().into_iter().map(|PlannedTable { table, .. }| WantedLock {
            id: table.lock,
            db: table.def.db.clone(),
            name: table.def.name.clone(),
            write: false,
            implied: true,
        });
        Ok(wanted.collect())
    }

    /// Takes the metadata lock of a table for a statement, unless LOCK TABLES has it.
    pub(super) async fn lock_table(&mut self, table: &Table, written: bool) -> Result<()> {
        self.lock_for_statement(table, written, false).await
    }

    /// The same, of a table to which only foreign keys lead.
    pub(super) async fn lock_related(&mut self, table: &Table, written: bool) -> Result<()> {
        self.lock_for_statement(table, written, true).await
    }

    async fn lock_for_statement(&mut self, table: &Table, written: bool, implied: bool) -> Result<()> {
        if table.is_temporary() {
            return Ok(());
        }
        if let Some(locked) = &self.locked {
            return locked.permit(table, written, implied);
        }
        let trx = &mut self.transaction.trx;
        trx.lock_metadata(table.lock, Mode::Shared).await.map_err(engine_error)?;
        if written && table.read_locks.load(Ordering::Acquire) > 0 {
            let id = read_lock(&table.def.db, &table.def.name);
            trx.lock_metadata(id, Mode::Exclusive).await.map_err(engine_error)?;
        }
        Ok(())
    }
}

impl LockedTables {
    /// Holds the locks.
    pub(super) fn trx(&mut self) -> &mut Trx {
        &mut self.trx
    }

    /// Locks a table. READ lets readers in: it waits for all who use the table, then keeps writers out by a lock that
    /// they ask for as long as the table says that somebody reads it under LOCK TABLES.
    async fn take(&mut self, wanted: &WantedLock, client: &Client) -> Result<Locked> {
        let WantedLock { id, db, name, write, implied } = wanted;
        let (id, write, implied) = (*id, *write, *implied);
        self.trx.lock_metadata(id, Mode::Exclusive).await.map_err(engine_error)?;
        let catalog = client.shared.store.catalog();
        let missing = || ER_NO_SUCH_TABLE.error(&[db, name]);
        let table = catalog.table(db, name).cloned().ok_or_else(missing)?;
        if !write {
            let read = read_lock(db, name);
            self.trx.lock_metadata(read, Mode::Shared).await.map_err(engine_error)?;
            table.read_locks.fetch_add(1, Ordering::AcqRel);
            self.trx.downgrade(id);
        }
        Ok(Locked { id, write, implied, table })
    }

    fn permit(&self, table: &Table, written: bool, implied: bool) -> Result<()> {
        let locked =
            self.tables.iter().find(|locked| locked.id == table.lock && (implied || !locked.implied));
        match locked {
            None => Err(ER_TABLE_NOT_LOCKED.error(&[&table.def.name])),
            Some(locked) if written && !locked.write => {
                Err(ER_TABLE_NOT_LOCKED_FOR_WRITE.error(&[&table.def.name]))
            }
            Some(_) => Ok(()),
        }
    }

    /// Gives up the locks of tables that were dropped: who waits for the name goes on.
    pub(super) fn release_dropped(&mut self, catalog: &Catalog) {
        let is_dropped =
            |locked: &mut Locked| catalog.table(&locked.table.def.db, &locked.table.def.name).is_none();
        for locked in self.tables.extract_if(.., is_dropped) {
            self.trx.unlock(locked.id);
        }
    }

    /// What a DDL statement may use of these locks: it may change tables that are locked for WRITE, and no others.
    /// `trx` takes the rest of them.
    pub(super) async fn lend(&self, locks: &[(LockId, Mode)], trx: &mut Trx) -> Result<()> {
        for (id, mode) in locks {
            let own = self.tables.iter().find(|locked| locked.id == *id);
            match own {
                Some(locked) if locked.write || *mode == Mode::Shared => {}
                Some(locked) => return Err(ER_TABLE_NOT_LOCKED_FOR_WRITE.error(&[&locked.table.def.name])),
                None if *mode == Mode::Shared => {
                    trx.lock_metadata(*id, *mode).await.map_err(engine_error)?;
                }
                None => return Err(ER_LOCK_OR_ACTIVE_TRANSACTION.error(&[])),
            }
        }
        Ok(())
    }
}
