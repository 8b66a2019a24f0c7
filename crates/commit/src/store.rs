//! The binlog store of [`crate::StrategyKind::Enhanced`]: a sequenced log of its own, with events in it.
//!
//! Its contract, for any other implementation: `docs/store.md`.

use std::io;
use std::path::Path;
use std::sync::Arc;

use parking_lot::Mutex;
use redo::{Cursor, EpochStart, LiveSegment, Lsn, Options, RedoLog, Start};
use vfs::{LockGuard, Vfs};

use crate::FatalError;
use crate::facts::StoreFacts;

/// See the module.
#[derive(Debug)]
pub(crate) struct Store {
    pub(crate) log: RedoLog,
    /// How much of the ring has been given back to admission. Rank: before admission's.
    pub(crate) ring_returned: Mutex<Lsn>,
    /// No other server writes this store, until it is closed. Rank: last.
    lock: Mutex<Option<Box<dyn LockGuard>>>,
}

/// Makes sure that no other server uses the store in a directory, which is made if it is missing.
pub(crate) fn lock(vfs: &dyn Vfs, dir: &Path) -> Result<Box<dyn LockGuard>, FatalError> {
    vfs.create_dir_all(dir)?;
    vfs.lock(&dir.join("enhanced-binlog.lock")).map_err(|error| match error.kind() {
        io::ErrorKind::WouldBlock => FatalError::Corrupt(format!(
            "another server uses the binlog store in {}: this one needs an --enhanced-binlog-dir of its own",
            dir.display()
        )),
        _ => error.into(),
    })
}

impl Store {
    /// Begins to write a store whose runs so far are in `facts`, at `lsn`. Nothing may be drawn until the facts, in
    /// which the new run is then, are durable. A store that another server has written to since is left alone: a copy of a
    /// data directory names its original's.
    pub(crate) fn begin(
        vfs: &Arc<dyn Vfs>,
        options: &Options,
        facts: &mut StoreFacts,
        lsn: Lsn,
        kept: &[LiveSegment],
        lock: Box<dyn LockGuard>,
    ) -> Result<(Self, Cursor), FatalError> {
        if let Some(segment) = redo::written_by_later_run(&**vfs, &options.dir, facts.last_epoch)? {
            return Err(FatalError::Corrupt(format!(
                "{} was written by another server: give this one an --enhanced-binlog-dir of its own, or remove the \
                 files if that server is no more",
                segment.display()
            )));
        }
        let epoch = facts.last_epoch + 1;
        let start = Start { epoch, lsn };
        let (log, cursor, segment) = RedoLog::begin(Arc::clone(vfs), options, start, kept)?;
        // Of a run that left nothing no segment is kept: it must not be looked for.
        facts.epochs.retain(|run| run.lsn < lsn);
        facts.epochs.push(EpochStart { epoch, lsn, segment });
        facts.last_epoch = epoch;
        Ok((Self { log, ring_returned: Mutex::new(lsn), lock: Mutex::new(Some(lock)) }, cursor))
    }

    /// The store is closed, and what is said of it is kept: another server may write it.
    pub(crate) fn unlock(&self) {
        *self.lock.lock() = None;
    }
}
