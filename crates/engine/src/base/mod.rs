//! The base: the durable part of the table store, a `redb` file that checkpoints carry deltas into.
//!
//! `base.redb` holds two tables: `data`, all keys of all indexes (each key begins with its index, see
//! [`crate::ids`]), and `facts`, what the last checkpoint says about itself, changed in the same atomic commit
//! as its last slice of data. Readers hold a [`Generation`]: a snapshot that stays as it is, until it is expired.

mod backend;
mod generation;
mod header;

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use redb::{Database, Durability, ReadableDatabase, ReadableTable, TableDefinition, WriteTransaction};
use vfs::Vfs;

pub use backend::IoStats;
pub use generation::Generation;
pub use vfs::Ballast;

use crate::EngineError;
use crate::build::NewEntry;
use crate::ids::{Change, CommitSeq, IndexId, Key};

const DATA: TableDefinition<&[u8], &[u8]> = TableDefinition::new("data");
const FACTS: TableDefinition<&str, &[u8]> = TableDefinition::new("facts");

const FILE_NAME: &str = "base.redb";
/// The file while it is made.
const UNBORN_NAME: &str = "base.redb.new";

/// The open file. One per server.
#[derive(Debug)]
pub struct Base {
    db: Database,
    ballast: Arc<Ballast>,
    shared: Arc<backend::Shared>,
}

/// What a commit to the base does when the disk is full.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WhenFull {
    /// It uses the ballast, and fails if that is not enough.
    #[default]
    UseBallast,
    /// It waits for room, until [`Ballast::end_patience`]. Reads go on meanwhile, other commits to the base do not.
    Wait,
}

/// A slice of a checkpoint: changes, and perhaps the facts that become true with them.
#[derive(Debug, Default)]
pub struct Slice<'a> {
    /// The newest state of some keys.
    pub changes: &'a [(Key, Change)],
    /// Facts to store: name and bytes.
    pub facts: &'a [(&'a str, &'a [u8])],
}

impl Base {
    /// Opens the base in `dir`, or creates it: under another name first, for a power loss in the middle of that must
    /// not leave half a file. `cache_size` and `ballast_size` are in bytes.
    pub fn open(
        vfs: &Arc<dyn Vfs>,
        dir: &Path,
        cache_size: usize,
        ballast_size: u64,
    ) -> Result<Self, EngineError> {
        let path = dir.join(FILE_NAME);
        if !vfs.exists(&path)? {
            let unborn = dir.join(UNBORN_NAME);
            if vfs.exists(&unborn)? {
                vfs.remove_file(&unborn)?;
            }
            let base = Self::open_file(vfs, &unborn, Ballast::none(vfs), cache_size)?;
            // Readers open both tables: they must exist before the first reader does.
            base.commit(&Slice::default(), WhenFull::UseBallast)?;
            drop(base);
            vfs.rename(&unborn, &path)?;
            vfs.sync_dir(dir)?;
        }
        let ballast = Ballast::open(vfs, dir.join("ballast"), ballast_size)?;
        Self::open_file(vfs, &path, ballast, cache_size)
    }

    fn open_file(
        vfs: &Arc<dyn Vfs>,
        path: &Path,
        ballast: Ballast,
        cache_size: usize,
    ) -> Result<Self, EngineError> {
        let ballast = Arc::new(ballast);
        let shared = Arc::<backend::Shared>::default();
        let backend = backend::Backend::open(&**vfs, path, Arc::clone(&ballast), Arc::clone(&shared))?;
        let db = Database::builder().set_cache_size(cache_size).create_with_backend(backend)?;
        Ok(Self { db, ballast, shared })
    }

    /// Begins what survives power loss once it is committed. Waits for the one that is under way.
    fn begin(&self, when_full: WhenFull) -> Result<WriteTransaction, EngineError> {
        let mut trx = self.db.begin_write()?;
        self.shared.is_patient.store(when_full == WhenFull::Wait, Ordering::Relaxed);
        trx.set_durability(Durability::Immediate).map_err(|error| EngineError::Base(error.to_string()))?;
        // Without it, opening after a crash would walk the whole file.
        trx.set_quick_repair(true);
        Ok(trx)
    }

    /// Applies a slice as one atomic commit that survives power loss when this returns. Any error is fatal.
    pub fn commit(&self, slice: &Slice<'_>, when_full: WhenFull) -> Result<(), EngineError> {
        let trx = self.begin(when_full)?;
        {
            let mut data = trx.open_table(DATA)?;
            for (key, change) in slice.changes {
                match change {
                    Change::Put(row) => data.insert(&**key, &**row)?,
                    Change::Remove => data.remove(&**key)?,
                };
            }
            let mut facts = trx.open_table(FACTS)?;
            for (name, bytes) in slice.facts {
                facts.insert(*name, *bytes)?;
            }
        }
        trx.commit()?;
        Ok(())
    }

    /// Adds entries as one atomic commit and clears the list. Returns one whose key is there already; nothing of the
    /// slice is added then. Nothing is begun while the disk is full, or has no room for it.
    pub fn insert_new(&self, entries: &mut Vec<NewEntry>) -> Result<Option<NewEntry>, EngineError> {
        if entries.is_empty() {
            return Ok(None);
        }
        // Pages are written anew, half full at worst.
        let bytes: usize = entries.iter().map(NewEntry::size).sum();
        if !self.ballast.has_room(2 * bytes as u64)? {
            return Err(EngineError::DiskFull);
        }
        entries.sort_by(|a, b| a.key.cmp(&b.key));
        let inserted = self.insert_sorted(entries);
        if let Err(error) = &inserted {
            // It was begun with room enough.
            self.shared.tell(&io::Error::other(error.to_string()));
        }
        inserted
    }

    fn insert_sorted(&self, entries: &mut Vec<NewEntry>) -> Result<Option<NewEntry>, EngineError> {
        let trx = self.begin(WhenFull::UseBallast)?;
        {
            let mut data = trx.open_table(DATA)?;
            for place in 0..entries.len() {
                let entry = &entries[place];
                if let Some(size) = entry.unique {
                    let mut following = data.range::<&[u8]>(&entry.key[..size]..)?;
                    let next = following.next().transpose()?;
                    if next.is_some_and(|(key, _)| key.value().starts_with(&entry.key[..size])) {
                        return Ok(Some(entries.swap_remove(place)));
                    }
                }
                data.insert(&*entry.key, &*entry.row)?;
            }
        }
        trx.commit()?;
        entries.clear();
        Ok(None)
    }

    /// The first index at or behind `from` that has a key.
    pub fn first_index_from(&self, from: IndexId) -> Result<Option<IndexId>, EngineError> {
        let data = self.db.begin_read()?.open_table(DATA)?;
        let first = data.range::<&[u8]>(&from.prefix()[..]..)?.next().transpose()?;
        Ok(first.map(|(key, _)| IndexId::of(key.value())))
    }

    /// Removes up to `limit` keys of the given indexes, of the last one first, as one atomic commit. Those that are empty then are
    /// taken from the list.
    pub fn empty_indexes(
        &self,
        indexes: &mut Vec<IndexId>,
        limit: usize,
        when_full: WhenFull,
    ) -> Result<(), EngineError> {
        let trx = self.begin(when_full)?;
        let mut removed = 0;
        {
            let mut data = trx.open_table(DATA)?;
            while let Some(&index) = indexes.last() {
                let (low, high) = (index.prefix(), IndexId(index.0 + 1).prefix());
                let mut doomed = data.extract_from_if::<&[u8], _>(&low[..]..&high[..], |_, _| true)?;
                while removed < limit && doomed.next().transpose()?.is_some() {
                    removed += 1;
                }
                if removed == limit {
                    break;
                }
                indexes.pop();
            }
        }
        // Tables that came and went between two checkpoints have left nothing.
        if removed > 0 {
            trx.commit()?;
        }
        Ok(())
    }

    /// The facts of the given name, as the last checkpoint left them.
    pub fn fact(&self, name: &str) -> Result<Option<Vec<u8>>, EngineError> {
        let facts = self.db.begin_read()?.open_table(FACTS)?;
        Ok(facts.get(name)?.map(|guard| guard.value().to_vec()))
    }

    /// The current state, which contains every transaction up to `through` and none after it.
    pub fn generation(&self, through: CommitSeq) -> Result<Generation, EngineError> {
        let data = self.db.begin_read()?.open_table(DATA)?;
        Ok(Generation::new(data, through, Arc::clone(&self.shared)))
    }

    /// Says what is done, in the thread that finds it, once the file has failed: the server cannot go on, for what is not cached cannot
    /// be read from then on. A full disk is waited for by those who can.
    pub fn on_failure(&self, act: impl Fn(&io::Error) + Send + Sync + 'static) {
        let _said_before = self.shared.on_failure.set(Box::new(act));
    }

    /// Bytes written to the file since it was opened.
    pub fn bytes_written(&self) -> u64 {
        self.shared.io.bytes_written.load(Ordering::Relaxed)
    }

    /// What was read from the file and written to it since it was opened.
    pub fn io(&self) -> &IoStats {
        &self.shared.io
    }

    /// The file that is given up when the disk is full, and who waits for room.
    pub fn ballast(&self) -> &Arc<Ballast> {
        &self.ballast
    }
}
