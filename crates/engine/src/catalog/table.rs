//! A table as statements use it: its definition, made ready.

use std::any::Any;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use types::column::Column;
use types::key::{KeyLayout, KeyPart};
use types::row::RowLayout;

use super::def::{ColumnDef, IndexDef, IndexKind, TableDef};
use crate::ids::{CommitSeq, IndexId};
use crate::lock::LockId;

/// One version of a table. A change of its definition makes a new one and marks this one as gone.
#[derive(Debug)]
pub struct Table {
    /// What the catalog says.
    pub def: TableDef,
    /// Its columns, as values are assigned to them.
    pub columns: Box<[Column]>,
    /// How its rows lie.
    pub rows: RowLayout,
    /// How the keys of its rows are made; `None` = by hidden row ids.
    pub primary: Option<KeyLayout>,
    /// Its other indexes.
    pub secondary: Vec<SecondaryIndex>,
    /// Its counters, shared by all versions that have the same rows.
    pub counters: Arc<Counters>,
    /// Its metadata lock. That of a temporary table is nobody's but the readers' of its name.
    pub lock: LockId,
    /// The transaction that made this version; 0 if it was there when the server started. A snapshot before it has
    /// none of its rows.
    since: AtomicU64,
    /// What upper layers derive from this version once, for example its binlog table map.
    pub attached: OnceLock<Box<dyn Any + Send + Sync>>,
    /// Sessions that read it under LOCK TABLES: writers take [`read_lock`] meanwhile. Changed under the metadata lock.
    pub read_locks: AtomicU32,
    /// This version is no longer the table's: plans that hold it are made again.
    gone: AtomicBool,
}

/// An index beside the primary one.
#[derive(Debug)]
pub struct SecondaryIndex {
    /// Its place in the definition's list.
    pub place: usize,
    /// Its id.
    pub id: IndexId,
    /// Whether equal keys are refused.
    pub unique: bool,
    /// How its keys are made. The whole key of an entry is prefix, this, then the row's key without prefix; the
    /// entry's row says where the latter begins.
    pub keys: KeyLayout,
}

/// The highest values used.
#[derive(Debug, Default)]
pub struct Counters {
    /// AUTO_INCREMENT: the next value is above this.
    pub auto_increment: AtomicU64,
    /// Hidden row ids.
    pub row_id: AtomicU64,
}

impl Counters {
    /// Takes a value into account that was given explicitly, or read back.
    pub fn raise(counter: &AtomicU64, high: u64) {
        counter.fetch_max(high, Ordering::Relaxed);
    }
}

impl Table {
    /// Makes a definition ready.
    pub fn new(def: TableDef, counters: Arc<Counters>) -> Self {
        let rows = RowLayout::new(def.columns.iter().map(|column| column.ty));
        let primary = def.primary().map(|index| key_layout(&def, index));
        let secondary = def.indexes.iter().enumerate().filter(|(_, index)| index.kind != IndexKind::Primary);
        let secondary = secondary
            .map(|(place, index)| SecondaryIndex {
                place,
                id: index.id,
                unique: index.kind == IndexKind::Unique,
                keys: key_layout(&def, index),
            })
            .collect();
        let lock = if def.rows.is_temporary() {
            LockId::of(&[b"temporary", def.db.as_bytes(), def.name.as_bytes()])
        } else {
            metadata_lock(&def.db, &def.name)
        };
        let column = |column: &ColumnDef| Column {
            table: def.name.clone(),
            name: column.name.clone(),
            ty: column.ty,
            nullable: column.nullable,
        };
        let columns = def.columns.iter().map(column).collect();
        Self {
            columns,
            rows,
            primary,
            secondary,
            counters,
            lock,
            since: AtomicU64::new(0),
            attached: OnceLock::new(),
            read_locks: AtomicU32::new(0),
            gone: AtomicBool::new(false),
            def,
        }
    }

    /// The next version of the table, with the same rows and counters: names, defaults and other indexes differ.
    #[must_use]
    pub fn successor(&self, def: TableDef) -> Self {
        let next = Self::new(def, Arc::clone(&self.counters));
        next.since.store(self.since.load(Ordering::Acquire), Ordering::Release);
        next
    }

    /// Whether it is a session's own: CREATE TEMPORARY TABLE.
    pub fn is_temporary(&self) -> bool {
        self.def.rows.is_temporary()
    }

    /// Whether this is no longer the table's version.
    pub fn is_gone(&self) -> bool {
        self.gone.load(Ordering::Acquire)
    }

    /// Notes by which transaction this version came about; before it is published.
    pub fn set_since(&self, seq: CommitSeq) {
        self.since.store(seq.0, Ordering::Release);
    }

    /// Whether a snapshot that sees everything up to `visible` has the rows of this version.
    pub fn is_in(&self, visible: CommitSeq) -> bool {
        self.since.load(Ordering::Acquire) <= visible.0
    }

    /// Marks this version as gone.
    pub fn set_gone(&self) {
        self.gone.store(true, Ordering::Release);
    }
}

/// How the keys of an index are made.
pub fn key_layout(def: &TableDef, index: &IndexDef) -> KeyLayout {
    KeyLayout::new(index.parts.iter().map(|part| {
        let column = &def.columns[usize::from(part.column)];
        KeyPart { column: part.column.into(), ty: column.ty, nullable: column.nullable, prefix: part.prefix }
    }))
}

/// The metadata lock of a table's name, whether the table exists or not.
pub fn metadata_lock(db: &str, table: &str) -> LockId {
    LockId::of(&[b"table", db.as_bytes(), table.as_bytes()])
}

/// What LOCK TABLES .. READ holds shared, and writers take exclusively while somebody does.
pub fn read_lock(db: &str, table: &str) -> LockId {
    LockId::of(&[b"read", db.as_bytes(), table.as_bytes()])
}

/// The metadata lock of a database's name.
pub fn database_lock(db: &str) -> LockId {
    LockId::of(&[b"database", db.as_bytes()])
}
