//! Rows of tables: inserted, changed and removed together with their index entries, under their locks.
//!
//! A row's key is the rows' index prefix and the primary key, or a hidden row id. An entry of a secondary index is the
//! index's prefix, its columns' keys, then the row's key without prefix; the entry's row holds, in two bytes, how much
//! of the key comes before the latter. A unique index is guarded by a lock on the columns' part alone, taken by
//! whoever adds or removes an entry with it.

use std::sync::atomic::Ordering;

use types::row::{Offsets, RowError};

use crate::EngineError;
use crate::build::NewEntry;
use crate::catalog::table::{Counters, SecondaryIndex, Table};
use crate::ids::{Change, CounterKind, Key, PREFIX_SIZE, Row};
use crate::lock::{LockId, Mode};
use crate::scan::{Direction, KeyRange};
use crate::trx::Trx;

impl Table {
    /// The key of a row. Tables without a primary key have none that could be computed.
    pub fn row_key(&self, row: &[u8], offsets: &Offsets) -> Option<Vec<u8>> {
        let primary = self.primary.as_ref()?;
        let mut key = self.def.rows.new_key();
        primary.write(&self.rows, row, offsets, &mut key);
        Some(key)
    }

    fn offsets(&self, row: &[u8]) -> Result<Offsets, EngineError> {
        let mut offsets = Offsets::default();
        self.rows.offsets(row, &mut offsets).map_err(|error| self.corrupt(error))?;
        Ok(offsets)
    }

    fn corrupt(&self, error: RowError) -> EngineError {
        EngineError::Corrupt { what: format!("a row of {}.{}: {error}", self.def.db, self.def.name) }
    }

    fn next_row_id(&self) -> u64 {
        self.counters.row_id.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// A key with the next hidden row id.
    pub(crate) fn new_row_key(&self) -> Vec<u8> {
        [&self.def.rows.prefix()[..], &self.next_row_id().to_be_bytes()].concat()
    }
}

/// An index entry's whole key, and how much of it identifies it in a unique index.
#[derive(Debug, PartialEq, Eq)]
struct IndexEntry {
    key: Vec<u8>,
    columns_end: usize,
    /// A key with a NULL is never a duplicate.
    has_null: bool,
}

impl IndexEntry {
    fn new(table: &Table, index: &SecondaryIndex, row: &[u8], offsets: &Offsets, row_key: &[u8]) -> Self {
        let mut key = index.id.new_key();
        let has_null = index.keys.write(&table.rows, row, offsets, &mut key);
        let columns_end = key.len();
        key.extend_from_slice(&row_key[PREFIX_SIZE..]);
        Self { key, columns_end, has_null }
    }

    fn columns(&self) -> &[u8] {
        &self.key[..self.columns_end]
    }

    fn row(&self) -> Row {
        u16::try_from(self.columns_end).expect("keys are below 64 KiB").to_le_bytes().as_slice().into()
    }
}

/// All secondary index entries of a row.
pub(crate) fn index_entries(table: &Table, row: &Row, offsets: &Offsets, row_key: &[u8]) -> Vec<NewEntry> {
    let entry = |index: &SecondaryIndex| {
        let entry = IndexEntry::new(table, index, row, offsets, row_key);
        let unique = (index.unique && !entry.has_null).then_some(entry.columns_end);
        NewEntry {
            row: entry.row(),
            key: entry.key.into(),
            unique,
            index: index.place,
            source: Row::clone(row),
        }
    };
    table.secondary.iter().map(entry).collect()
}

/// The key of the row that an index entry belongs to. `None` if the entry is damaged.
pub fn row_key_of_entry(table: &Table, entry_key: &[u8], entry_row: &[u8]) -> Option<Vec<u8>> {
    let columns_end = usize::from(u16::from_le_bytes(*entry_row.first_chunk()?));
    let suffix = entry_key.get(columns_end..)?;
    Some([&table.def.rows.prefix()[..], suffix].concat())
}

impl Trx {
    /// Adds a row, encoded as the table's layout says. Returns its key.
    ///
    /// # Errors
    /// [`EngineError::Duplicate`] with the first index that has its key already; nothing was changed then. The
    /// row's key stays locked.
    pub async fn insert_row(&mut self, table: &Table, row: Row) -> Result<Key, EngineError> {
        self.check_temporary(table)?;
        let offsets = table.offsets(&row)?;
        let key = match table.row_key(&row, &offsets) {
            Some(key) => {
                self.lock_row(&key, Mode::Exclusive).await?;
                if self.get_newest(&key)?.is_some() {
                    return Err(EngineError::Duplicate { index: 0 });
                }
                key
            }
            None => self.new_row_id(table).await?,
        };
        let mut entries = Vec::with_capacity(table.secondary.len());
        for index in &table.secondary {
            let entry = IndexEntry::new(table, index, &row, &offsets, &key);
            self.check_unique(index, &entry).await?;
            entries.push(entry);
        }
        let lock = LockId::of_key(&key);
        self.note_row(table, lock);
        for (index, entry) in table.secondary.iter().zip(&entries) {
            self.note_value(index, entry);
        }
        let key = Key::from(key);
        self.take_over(table, &key, None)?;
        self.put(lock, key.clone(), Change::Put(row));
        for entry in entries {
            let row = entry.row();
            self.put(lock, entry.key.into(), Change::Put(row));
        }
        Ok(key)
    }

    /// Replaces a row that was read under its exclusive lock. Returns its new key.
    ///
    /// # Errors
    /// As [`Trx::insert_row`].
    pub async fn update_row(
        &mut self,
        table: &Table,
        key: &[u8],
        before: &[u8],
        after: Row,
    ) -> Result<Key, EngineError> {
        self.check_temporary(table)?;
        let (old, new) = (table.offsets(before)?, table.offsets(&after)?);
        let new_key = match table.row_key(&after, &new) {
            Some(new_key) if new_key != key => {
                self.lock_row(&new_key, Mode::Exclusive).await?;
                if self.get_newest(&new_key)?.is_some() {
                    return Err(EngineError::Duplicate { index: 0 });
                }
                new_key
            }
            _ => key.to_vec(),
        };
        let mut changes = Vec::new();
        for index in &table.secondary {
            if new_key == key && index.keys.is_same(&table.rows, (before, &old), (&after, &new)) {
                continue;
            }
            let from = IndexEntry::new(table, index, before, &old, key);
            let to = IndexEntry::new(table, index, &after, &new, &new_key);
            if from == to {
                continue;
            }
            self.lock_unique(index, &from).await?;
            if from.columns() != to.columns() {
                self.check_unique(index, &to).await?;
            }
            changes.push((index, from, to));
        }
        let lock = LockId::of_key(key);
        self.note_row(table, lock);
        self.take_over(table, key, Some(before))?;
        if new_key != key {
            self.take_over(table, &new_key, None)?;
            self.put(lock, key.into(), Change::Remove);
        }
        let new_lock = LockId::of_key(&new_key);
        self.note_row(table, new_lock);
        self.put(new_lock, new_key.clone().into(), Change::Put(after));
        for (index, from, to) in changes {
            self.note_value(index, &from);
            self.note_value(index, &to);
            let row = to.row();
            self.put(lock, from.key.into(), Change::Remove);
            self.put(new_lock, to.key.into(), Change::Put(row));
        }
        Ok(new_key.into())
    }

    /// Removes a row that was read under its exclusive lock.
    pub async fn delete_row(&mut self, table: &Table, key: &[u8], before: &[u8]) -> Result<(), EngineError> {
        let offsets = table.offsets(before)?;
        let mut entries = Vec::with_capacity(table.secondary.len());
        for index in &table.secondary {
            let entry = IndexEntry::new(table, index, before, &offsets, key);
            self.lock_unique(index, &entry).await?;
            entries.push(entry);
        }
        let lock = LockId::of_key(key);
        self.note_row(table, lock);
        for (index, entry) in table.secondary.iter().zip(&entries) {
            self.note_value(index, entry);
        }
        self.take_over(table, key, Some(before))?;
        self.put(lock, key.into(), Change::Remove);
        for entry in entries {
            self.put(lock, entry.key.into(), Change::Remove);
        }
        Ok(())
    }

    /// Before the first change of a row whose newest version its snapshot does not see: makes the index entries of that
    /// version the transaction's own, and hides those that the snapshot sees. Its plain reads find its own version of the row,
    /// and would find it by the others' entries.
    fn take_over(&mut self, table: &Table, key: &[u8], newest: Option<&[u8]>) -> Result<(), EngineError> {
        let Some(snapshot) = self.held_snapshot().filter(|_| !table.secondary.is_empty()) else {
            return Ok(());
        };
        if table.is_temporary() || self.own(key).is_some() {
            return Ok(());
        }
        let seen = match snapshot.view.get(key, snapshot.visible) {
            Ok((_, seen)) => seen,
            // Nothing is read by it any more.
            Err(EngineError::SnapshotTooOld) => return Ok(()),
            Err(error) => return Err(error),
        };
        if seen.as_deref() == newest {
            return Ok(());
        }
        let lock = LockId::of_key(key);
        for (row, is_newest) in [(seen.as_deref(), false), (newest, true)] {
            let Some(row) = row else { continue };
            let offsets = table.offsets(row)?;
            for index in &table.secondary {
                let entry = IndexEntry::new(table, index, row, &offsets, key);
                let change = if is_newest { Change::Put(entry.row()) } else { Change::Remove };
                self.put(lock, entry.key.into(), change);
            }
        }
        Ok(())
    }

    /// The key of the row in the way, after [`EngineError::Duplicate`] for a row that was to be inserted: to report,
    /// replace or update it.
    pub fn find_duplicate(
        &mut self,
        table: &Table,
        row: &[u8],
        index: usize,
    ) -> Result<Option<Key>, EngineError> {
        let offsets = table.offsets(row)?;
        let row_key = table.row_key(row, &offsets);
        let Some(index) = table.secondary.iter().find(|secondary| secondary.place == index) else {
            return Ok(row_key.map(Key::from));
        };
        let entry = IndexEntry::new(table, index, row, &offsets, &[0; PREFIX_SIZE]);
        let range = KeyRange::prefix(entry.columns());
        let mut scan = self.scan_newest(&range, Direction::Forward)?;
        let Some(found) = scan.next_row()? else { return Ok(None) };
        self.note_seen(found.seq);
        let found_row = found.row.expect("next_row returns rows");
        Ok(row_key_of_entry(table, &found.key, &found_row).map(Key::from))
    }

    /// Takes the next AUTO_INCREMENT values: above every one used, in the sequence `offset`, `offset + increment`, ...
    /// Returns the first one and how many there are: `wanted`, or as many as there are up to `max`. `None` if there is none.
    pub fn next_auto_increment(
        &mut self,
        table: &Table,
        increment: u64,
        offset: u64,
        max: u64,
        wanted: u64,
    ) -> Option<(u64, u64)> {
        let counter = &table.counters.auto_increment;
        let next_after = |high: u64| {
            let steps = high.checked_add(1)?.saturating_sub(offset).div_ceil(increment);
            steps.checked_mul(increment)?.checked_add(offset).filter(|next| *next <= max && *next > high)
        };
        // From the first value to the last one, which there may be fewer of than are wanted.
        let reserved = |high: u64| {
            let first = next_after(high)?;
            let count = wanted.min((max - first) / increment + 1).max(1);
            Some((first, count, first + (count - 1) * increment))
        };
        let last = |high| reserved(high).map(|(_, _, last)| last);
        let before = counter.fetch_update(Ordering::Relaxed, Ordering::Relaxed, last).ok()?;
        let (first, count, last) = reserved(before)?;
        self.raise_counter(table, CounterKind::AutoIncrement, last);
        Some((first, count))
    }

    /// Takes an AUTO_INCREMENT value into account that a statement gave explicitly.
    pub fn use_auto_increment(&mut self, table: &Table, value: u64) {
        Counters::raise(&table.counters.auto_increment, value);
        self.raise_counter(table, CounterKind::AutoIncrement, value);
    }

    async fn new_row_id(&mut self, table: &Table) -> Result<Vec<u8>, EngineError> {
        let id = table.next_row_id();
        self.raise_counter(table, CounterKind::RowId, id);
        let key = [&table.def.rows.prefix()[..], &id.to_be_bytes()].concat();
        self.lock_row(&key, Mode::Exclusive).await?;
        Ok(key)
    }

    /// Locks what guards a unique index's value. NULLs are no values: any number of rows has them.
    async fn lock_unique(&mut self, index: &SecondaryIndex, entry: &IndexEntry) -> Result<(), EngineError> {
        if index.unique && !entry.has_null {
            self.lock_row(entry.columns(), Mode::Exclusive).await?;
        }
        Ok(())
    }

    /// Notes the lock of [`Trx::lock_unique`] as that of something written.
    fn note_value(&mut self, index: &SecondaryIndex, entry: &IndexEntry) {
        if index.unique && !entry.has_null && !index.id.is_temporary() {
            self.note_unique(LockId::of_key(entry.columns()));
        }
    }

    async fn check_unique(&mut self, index: &SecondaryIndex, entry: &IndexEntry) -> Result<(), EngineError> {
        if !index.unique || entry.has_null {
            return Ok(());
        }
        self.lock_unique(index, entry).await?;
        let mut scan = self.scan_newest(&KeyRange::prefix(entry.columns()), Direction::Forward)?;
        while let Some(found) = scan.next_version()? {
            self.note_seen(found.seq);
            if found.row.is_some() {
                return Err(EngineError::Duplicate { index: index.place });
            }
        }
        Ok(())
    }
}
