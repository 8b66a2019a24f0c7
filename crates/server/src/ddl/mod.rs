//! DDL: changes of the catalog, all or nothing across a crash.
//!
//! A DDL statement holds the metadata locks of what it changes, in a transaction of their own, until the new catalog
//! is published: the transaction that commits releases its locks early, as any other.
//!
//! 1. Wait until nobody keeps definitions ([`keepers`]), lock the names, look at the catalog, decide what it
//!    shall be: a [`SchemaChange`].
//! 2. Where rows must be copied or indexes built, they are written into the base under ids that nobody else knows
//!    ([`copy`]), and a checkpoint makes that base the one that everybody reads. KILL ends it ([`builds`]).
//! 3. [`Schema::commit`]: the catalog's rows and the statement's binlog event are one transaction. Once it is visible
//!    the catalog in memory follows. Who reads the binlog may know of it a moment before ([`unpublished`]).
//! 4. Data that no table has any more is removed later ([`garbage`]), after a checkpoint has passed the transaction.

pub mod builds;
pub mod copy;
mod garbage;
mod ids;
pub mod keepers;
pub mod unpublished;

use std::sync::Arc;

use binlog::Origin;
use commit::{CommitAck, Pipeline};
use engine::base::Base;
use engine::catalog::def::{DatabaseDef, TableDef};
use engine::catalog::table::{Counters, Table};
use engine::catalog::{Catalog, codec, data_indexes};
use engine::ids::{Change, CounterKind, IndexId, Key};
use engine::lock::{LockId, Mode};
use engine::store::Store;
use parking_lot::Mutex;
use sql::exec::{BoxFuture, engine_error};
use types::error::SqlError;

use crate::session::Transaction;
use builds::Builds;
use garbage::Dropped;
use ids::Ids;
use unpublished::Unpublished;

type Result<T> = std::result::Result<T, SqlError>;

/// Takes checkpoints on demand.
pub trait Checkpoints: std::fmt::Debug + Send + Sync {
    /// Resolves when a checkpoint that began after the call has been published.
    fn take(&self) -> BoxFuture<'_, Result<()>>;
}

/// A step of a change of the catalog.
#[derive(Clone, Debug)]
pub enum Edit {
    /// A database comes, or gets another definition.
    PutDatabase(DatabaseDef),
    /// A database goes; its tables went before.
    RemoveDatabase(String),
    /// A table comes.
    PutTable {
        /// Its new version.
        table: Arc<Table>,
        /// Snapshots that are older than the change see the rows of this version too: nothing but names and defaults
        /// has changed.
        keeps_rows: bool,
    },
    /// A version of a table goes.
    RemoveTable(Arc<Table>),
    /// An account comes, changes, or goes.
    PutAccount {
        /// Its name.
        name: String,
        /// What the server keeps of it; `None` = it goes.
        bytes: Option<Vec<u8>>,
    },
}

impl Edit {
    /// The table that comes or goes.
    pub fn table(&self) -> Option<&TableDef> {
        match self {
            Self::PutTable { table, .. } | Self::RemoveTable(table) => Some(&table.def),
            Self::PutDatabase(_) | Self::RemoveDatabase(_) | Self::PutAccount { .. } => None,
        }
    }

    /// The database that changes itself.
    pub fn database(&self) -> Option<&str> {
        match self {
            Self::PutDatabase(def) => Some(&def.name),
            Self::RemoveDatabase(name) => Some(name),
            Self::PutTable { .. } | Self::RemoveTable(_) | Self::PutAccount { .. } => None,
        }
    }

    /// The catalog's row that changes.
    fn row(&self) -> (Key, Change) {
        match self {
            Self::PutDatabase(def) => {
                (codec::database_key(&def.name), Change::Put(codec::encode_database(def).into()))
            }
            Self::RemoveDatabase(name) => (codec::database_key(name), Change::Remove),
            Self::PutTable { table, .. } => {
                (codec::table_key(table.def.id), Change::Put(codec::encode_table(&table.def).into()))
            }
            Self::RemoveTable(table) => (codec::table_key(table.def.id), Change::Remove),
            Self::PutAccount { name, bytes } => {
                let change =
                    bytes.as_ref().map_or(Change::Remove, |bytes| Change::Put(bytes.as_slice().into()));
                (codec::account_key(name), change)
            }
        }
    }

    fn apply(&self, catalog: &mut Catalog) {
        match self {
            Self::PutDatabase(def) => catalog.put_database(def.clone()),
            Self::RemoveDatabase(name) => catalog.remove_database(name),
            Self::PutTable { table, .. } => catalog.put_table(table),
            Self::RemoveTable(table) => catalog.remove_table(&table.def.db, &table.def.name),
            Self::PutAccount { name, bytes } => catalog.put_account(name.clone(), bytes.clone()),
        }
    }
}

/// What a DDL statement does to the catalog: its steps, in order.
pub type SchemaChange = Vec<Edit>;

/// The indexes whose data no table has after a change.
fn superfluous(change: &SchemaChange) -> Vec<IndexId> {
    let (mut removed, mut put) = (Vec::new(), Vec::new());
    for edit in change {
        match edit {
            Edit::RemoveTable(table) => removed.extend(data_indexes(&table.def)),
            Edit::PutTable { table, .. } => put.extend(data_indexes(&table.def)),
            _ => {}
        }
    }
    removed.retain(|index| !put.contains(index));
    removed
}

/// What all DDL statements share. See the module.
#[derive(Debug)]
pub struct Schema {
    store: Arc<Store>,
    pipeline: Arc<Pipeline>,
    base: Arc<Base>,
    checkpoints: Arc<dyn Checkpoints>,
    ids: tokio::sync::Mutex<Ids>,
    /// What is written into the base before it is committed.
    pub builds: Builds,
    /// Changes that are on their way into the catalog in memory.
    pub unpublished: Unpublished,
    /// Indexes from here on were named by this server run.
    first_of_run: IndexId,
    /// What waits to be removed. Rank: last.
    dropped: Mutex<Dropped>,
}

impl Schema {
    /// Of a server run that begins.
    pub fn new(
        store: Arc<Store>,
        pipeline: Arc<Pipeline>,
        base: Arc<Base>,
        checkpoints: Arc<dyn Checkpoints>,
    ) -> Self {
        let catalog = store.catalog();
        let first_of_run = IndexId(catalog.index_id_high.0 + 1);
        let ids = tokio::sync::Mutex::new(Ids::after(catalog.table_id_high, catalog.index_id_high));
        let dropped = Mutex::new(Dropped::default());
        Self {
            store,
            pipeline,
            base,
            checkpoints,
            ids,
            builds: Builds::default(),
            unpublished: Unpublished::default(),
            first_of_run,
            dropped,
        }
    }

    /// The base.
    pub(crate) fn base(&self) -> &Arc<Base> {
        &self.base
    }

    /// The tables.
    pub fn store(&self) -> &Arc<Store> {
        &self.store
    }

    /// Gives a definition the ids that it lacks. `transaction` is idle.
    pub(crate) async fn name(&self, transaction: &mut Transaction, mut def: TableDef) -> Result<TableDef> {
        let most = def.indexes.len() + 1;
        let (table, mut indexes) = self.ids.lock().await.take(transaction, most).await?;
        let next = || IndexId(indexes.next().expect("as many as were asked for"));
        sql::ddl::fill_ids(&mut def, || table, next);
        Ok(def)
    }

    /// Takes a checkpoint.
    pub async fn take_checkpoint(&self) -> Result<()> {
        self.checkpoints.take().await
    }

    /// Waits until everything that was committed so far can be read.
    pub async fn settle(&self) {
        let _ack = self.pipeline.wait_visible(self.pipeline.last_drawn()).await;
    }

    /// Commits a change whose event is in `transaction`'s cache, and publishes it. The caller holds the metadata
    /// locks. It must not be dropped half-way: the catalog in memory would stay behind.
    pub(crate) async fn commit(
        &self,
        transaction: &mut Transaction,
        change: SchemaChange,
        origin: Origin,
        logged: bool,
    ) -> Result<CommitAck> {
        for edit in &change {
            let (key, row) = edit.row();
            transaction.trx.lock_row(&key, Mode::Exclusive).await.map_err(engine_error)?;
            transaction.trx.put(LockId::of_key(&key), key, row);
            if let Edit::PutTable { table, .. } = edit {
                let Counters { auto_increment, row_id } = &*table.counters;
                for (kind, counter) in
                    [(CounterKind::AutoIncrement, auto_increment), (CounterKind::RowId, row_id)]
                {
                    let high = counter.load(std::sync::atomic::Ordering::Relaxed);
                    transaction.trx.raise_counter(table, kind, high);
                }
            }
        }
        let unpublished = self.unpublished.begin();
        let coming = self.store.expect_counters(transaction.trx.id(), transaction.trx.counters().to_vec());
        let ack = transaction.commit_statement(origin, logged).await?;
        let seq = ack.seq();
        for edit in &change {
            if let Edit::PutTable { table, keeps_rows: false } = edit {
                table.set_since(seq);
            }
        }
        self.store.change_catalog(|catalog| change.iter().for_each(|edit| edit.apply(catalog)));
        drop((coming, unpublished));
        self.dropped.lock().add(seq, superfluous(&change));
        Ok(ack)
    }

    /// Waits until changes that are being committed are in the catalog in memory. Returns whether there were any.
    pub(crate) async fn catch_up(&self) -> bool {
        self.unpublished.settle(self.store.timer()).await
    }
}
