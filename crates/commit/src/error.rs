//! Errors of the pipeline, split by what the caller does about them.

use std::fmt;
use std::io;

/// Why a commit was refused. Only before its ticket; the transaction is rolled back and the server lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CommitError {
    /// No room for its bytes (1021).
    #[error("Disk full; waiting for someone to free some space...")]
    DiskFull,
    /// Events that were spilled to disk cannot be read back (1024).
    #[error("Error reading the transaction's binlog cache")]
    EventsUnreadable,
    /// Its record names more chunks than redo's ring can ever have room for (1180).
    #[error("the transaction is too large for innodb_log_buffer_size")]
    TooLarge,
    /// The server stops (1053).
    #[error("Server shutdown in progress")]
    ShuttingDown,
}

/// A step failed: nobody was told anything, and the process must end before anybody is.
#[derive(Debug, thiserror::Error)]
pub enum FatalError {
    /// From the redo log.
    #[error(transparent)]
    Redo(#[from] redo::RedoError),
    /// From the binlog.
    #[error(transparent)]
    Binlog(#[from] binlog::Error),
    /// From the table store.
    #[error(transparent)]
    Engine(#[from] engine::EngineError),
    /// From the operating system.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The data directory contradicts itself.
    #[error("{0}")]
    Corrupt(String),
}

/// How the process ends when a step has failed. A simulation only notes it, and drops everything later.
pub struct Die(pub Box<dyn Fn(&'static str, FatalError) + Send + Sync>);

impl fmt::Debug for Die {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Die")
    }
}
