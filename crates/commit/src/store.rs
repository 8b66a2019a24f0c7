//! The binlog store of [`crate::StrategyKind::Enhanced`]: a sequenced log of its own, with events in it.
//!
//! Its contract, for any other implementation: `docs/store.md`.

use std::sync::Arc;

use parking_lot::Mutex;
use redo::{Cursor, EpochStart, LiveSegment, Lsn, Options, RedoLog, Start};
use vfs::Vfs;

use crate::FatalError;
use crate::facts::StoreFacts;

/// See the module.
#[derive(Debug)]
pub(crate) struct Store {
    pub(crate) log: RedoLog,
    /// How much of the ring has been given back to admission. Rank: before admission's.
    pub(crate) ring_returned: Mutex<Lsn>,
}

impl Store {
    /// Begins to write a store whose runs so far are in `facts`, at `lsn`. Nothing may be drawn until the facts, in
    /// which the new run is then, are durable.
    pub(crate) fn begin(
        vfs: &Arc<dyn Vfs>,
        options: &Options,
        facts: &mut StoreFacts,
        lsn: Lsn,
        kept: &[LiveSegment],
    ) -> Result<(Self, Cursor), FatalError> {
        vfs.create_dir_all(&options.dir)?;
        let epoch = facts.last_epoch + 1;
        let start = Start { epoch, lsn };
        let (log, cursor, segment) = RedoLog::begin(Arc::clone(vfs), options, start, kept)?;
        // Of a run that left nothing no segment is kept: it must not be looked for.
        facts.epochs.retain(|run| run.lsn < lsn);
        facts.epochs.push(EpochStart { epoch, lsn, segment });
        facts.last_epoch = epoch;
        Ok((Self { log, ring_returned: Mutex::new(lsn) }, cursor))
    }
}
