//! What can go wrong with the log, split by what the caller does about it.

use std::io;
use std::path::PathBuf;

use crate::Lsn;

/// An error of the redo log.
#[derive(Debug, thiserror::Error)]
pub enum RedoError {
    /// Bytes that a sync had been promised for are damaged or missing. The server must not start.
    #[error(
        "redo log {file:?} is corrupt at offset {offset} (LSN {lsn}): {what}; a sync had been promised up to LSN {promised}"
    )]
    Corrupt {
        /// The segment file.
        file: PathBuf,
        /// Byte offset of the damaged block in the file.
        offset: u64,
        /// The LSN that was expected there.
        lsn: Lsn,
        /// Everything below this LSN had been promised to survive.
        promised: Lsn,
        /// What is wrong.
        what: &'static str,
    },
    /// No segment holds the LSN from which the log must be read. The server must not start.
    #[error("redo log in {dir:?} has no segment for LSN {lsn} of epoch {epoch}: restore the missing file")]
    Missing {
        /// The directory of the segments.
        dir: PathBuf,
        /// The LSN that was looked for.
        lsn: Lsn,
        /// Its epoch.
        epoch: u64,
    },
    /// An earlier write or sync failed, and the process is about to end.
    #[error("redo log: an earlier write or sync failed")]
    Failed,
    /// The operating system refused. Fatal when it comes from a write or a sync.
    #[error("redo log: {0}")]
    Io(#[from] io::Error),
}
