//! The binlog store of [`crate::StrategyKind::Enhanced`]: a sequenced log of its own, with events in it.
//!
//! It lies in files of its own, on a device of its own if that is worth something, or in redo's: as a second stream, of
//! which each write and each sync of redo carries what is there. Two files on one device would take two flushes, one
//! after the other.
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
use crate::pipeline::taken_since;

/// See the module.
#[derive(Debug)]
pub(crate) struct Store {
    pub(crate) log: RedoLog,
    /// How much of the ring has been given back to admission. Rank: before admission's.
    pub(crate) ring_returned: Mutex<Lsn>,
    /// No other server writes this store's own files, until it is closed. Rank: last.
    lock: Mutex<Option<Box<dyn LockGuard>>>,
}

/// Where a store lies.
pub(crate) enum Place<'a> {
    /// In redo's files.
    Redo(&'a RedoLog),
    /// In a directory of its own that is locked, of whose segments some are kept.
    Own { options: &'a Options, kept: &'a [LiveSegment], lock: Box<dyn LockGuard> },
}

/// The directory, in the data directory, of a store that has files of its own although none was named: earlier versions made them
/// there.
pub(crate) const FORMER_DIR: &str = "enhanced_binlog";

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
        place: Place<'_>,
        facts: &mut StoreFacts,
        lsn: Lsn,
    ) -> Result<(Self, Cursor), FatalError> {
        let (log, cursor, begun, lock) = match place {
            Place::Redo(redo) => {
                let (log, cursor, begun) = redo.begin_second(lsn, facts.start)?;
                (log, cursor, begun, None)
            }
            Place::Own { options, kept, lock } => {
                refuse_another_servers(&**vfs, &options.dir, facts.last_epoch)?;
                let epoch = facts.last_epoch + 1;
                let (log, cursor, segment) =
                    RedoLog::begin(Arc::clone(vfs), options, Start { epoch, lsn }, kept)?;
                facts.last_epoch = epoch;
                (log, cursor, EpochStart { epoch, lsn, segment }, Some(lock))
            }
        };
        // Of a run that left nothing no segment is kept: it must not be looked for.
        facts.epochs.retain(|run| run.lsn < lsn);
        facts.epochs.push(begun);
        Ok((Self { log, ring_returned: Mutex::new(lsn), lock: Mutex::new(lock) }, cursor))
    }

    /// Bytes that have left its ring since this was asked last.
    pub(crate) fn take_returned(&self) -> i64 {
        taken_since(&self.log, &self.ring_returned)
    }

    /// The store is closed, and what is said of it is kept: another server may write it.
    pub(crate) fn unlock(&self) {
        *self.lock.lock() = None;
    }
}

fn refuse_another_servers(vfs: &dyn Vfs, dir: &Path, last_epoch: u64) -> Result<(), FatalError> {
    match redo::written_by_later_run(vfs, dir, last_epoch)? {
        None => Ok(()),
        Some(segment) => Err(FatalError::Corrupt(format!(
            "{} was written by another server: give this one an --enhanced-binlog-dir of its own, or remove the \
             files if that server is no more",
            segment.display()
        ))),
    }
}
