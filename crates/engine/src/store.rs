//! The table store as a whole: what is shared by all transactions.

use std::collections::HashMap;
use std::fmt::Debug;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use arc_swap::ArcSwap;
use parking_lot::Mutex;

use crate::EngineError;
use crate::catalog::Catalog;
use crate::catalog::table::Counters;
use crate::ids::{CounterHigh, CounterKind, TableId, TrxId};
use crate::lock::LockTable;
use crate::seen::Transactions;
use crate::view::Published;

/// Makes waits end. The server's runs on its runtime, a simulation's never ends a wait by itself.
pub trait Timer: Debug + Send + Sync {
    /// Resolves after so long.
    fn sleep(&self, duration: Duration) -> Pin<Box<dyn Future<Output = ()> + Send>>;

    /// The time, microseconds since 1970.
    fn unix_us(&self) -> u64;
}

/// See the module. One per server.
#[derive(Debug)]
pub struct Store {
    published: Arc<Published>,
    locks: Arc<LockTable>,
    catalog: ArcSwap<Catalog>,
    transactions: Transactions,
    next_trx: AtomicU64,
    /// Counters of tables that the catalog is about to have. Rank: last.
    coming: Mutex<Vec<(TrxId, Vec<CounterHigh>)>>,
    timer: Arc<dyn Timer>,
}

/// Counters of tables whose definitions are being committed, until the catalog in memory has them or the commit has failed.
#[derive(Debug)]
#[must_use = "a checkpoint does not know of them once this is dropped"]
pub struct Coming<'s> {
    store: &'s Store,
    trx: TrxId,
}

impl Drop for Coming<'_> {
    fn drop(&mut self) {
        self.store.coming.lock().retain(|(trx, _)| *trx != self.trx);
    }
}

impl Store {
    /// Opens the store of a view that holds everything committed. `counters` are what recovery found.
    pub fn open(
        published: Arc<Published>,
        counters: &[CounterHigh],
        timer: Arc<dyn Timer>,
    ) -> Result<Self, EngineError> {
        let catalog = Catalog::load(&published.view(), &merge(counters))?;
        let catalog = ArcSwap::from_pointee(catalog);
        let (locks, transactions, next_trx) = (Arc::default(), Transactions::default(), AtomicU64::new(1));
        let coming = Mutex::default();
        Ok(Self { published, locks, catalog, transactions, next_trx, coming, timer })
    }

    /// The view and `visible_seq` that snapshots are taken of.
    pub fn published(&self) -> &Arc<Published> {
        &self.published
    }

    /// Row and metadata locks.
    pub fn locks(&self) -> &Arc<LockTable> {
        &self.locks
    }

    /// All transactions.
    pub fn transactions(&self) -> &Transactions {
        &self.transactions
    }

    /// The catalog as it is now.
    pub fn catalog(&self) -> Arc<Catalog> {
        self.catalog.load_full()
    }

    /// Publishes a change of the catalog. The caller holds the metadata locks of what it changes.
    pub fn change_catalog(&self, change: impl Fn(&mut Catalog)) {
        self.catalog.rcu(|old| {
            let mut new = Catalog::clone(old);
            change(&mut new);
            new
        });
    }

    /// A transaction that changes the catalog is about to be committed, with these counters.
    pub fn expect_counters(&self, trx: TrxId, counters: Vec<CounterHigh>) -> Coming<'_> {
        self.coming.lock().push((trx, counters));
        Coming { store: self, trx }
    }

    /// The counters of all tables, for a checkpoint: also of those that it covers and the catalog in memory lacks.
    pub fn counters(&self) -> Vec<CounterHigh> {
        // Before the catalog: what is in neither of both then is of a later transaction.
        let mut all: Vec<_> = self.coming.lock().iter().flat_map(|(_, counters)| counters.clone()).collect();
        let catalog = self.catalog();
        let highs = |(table, counters): (TableId, &Counters)| {
            let auto_increment = counters.auto_increment.load(Ordering::Relaxed);
            let row_id = counters.row_id.load(Ordering::Relaxed);
            [(CounterKind::AutoIncrement, auto_increment), (CounterKind::RowId, row_id)]
                .map(|(kind, high)| CounterHigh { table, kind, high })
        };
        let tables = catalog.tables().map(|table| (table.def.id, &*table.counters));
        all.extend(tables.flat_map(highs).filter(|counter| counter.high > 0));
        all
    }

    pub(crate) fn next_trx(&self) -> TrxId {
        TrxId(self.next_trx.fetch_add(1, Ordering::Relaxed))
    }

    /// What makes waits end.
    pub fn timer(&self) -> &dyn Timer {
        &*self.timer
    }
}

fn merge(highs: &[CounterHigh]) -> HashMap<TableId, Arc<Counters>> {
    let mut merged: HashMap<TableId, Arc<Counters>> = HashMap::new();
    for counter in highs {
        let counters = merged.entry(counter.table).or_default();
        let which = match counter.kind {
            CounterKind::AutoIncrement => &counters.auto_increment,
            CounterKind::RowId => &counters.row_id,
        };
        Counters::raise(which, counter.high);
    }
    merged
}
