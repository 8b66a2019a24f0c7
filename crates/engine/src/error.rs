//! Errors of the table store, split by what the caller does about them.

use std::io;

/// An error of the engine.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// A row or metadata lock was not granted because the wait would never end (1213). The transaction is over.
    #[error("Deadlock found when trying to get lock; try restarting transaction")]
    Deadlock,
    /// A lock was not granted within the wait time-out (1205). The statement is over.
    #[error("Lock wait timeout exceeded; try restarting transaction")]
    LockWaitTimeout,
    /// A unique key has the value already (1062).
    #[error("duplicate entry for index {index}")]
    Duplicate {
        /// Position of the index in the table's list.
        index: usize,
    },
    /// What old snapshots keep has reached its limit, and this one was the oldest (1412, as InnoDB says of a snapshot
    /// whose undo log is gone). The transaction is over.
    #[error("Snapshot too old: what it keeps exceeds onelog_view_retention_limit, please retry transaction")]
    SnapshotTooOld,
    /// Stored bytes do not decode: the data directory is damaged.
    #[error("corrupt data in {what}")]
    Corrupt {
        /// Where.
        what: String,
    },
    /// The temporary tables of the session have reached their limit (1114).
    #[error("The table '{table}' is full")]
    TableFull {
        /// The table that was to grow.
        table: String,
    },
    /// There is no room on the disk, and nothing was begun (1021).
    #[error("disk full")]
    DiskFull,
    /// The base's back end failed. Fatal.
    #[error("table store: {0}")]
    Base(String),
    /// The operating system refused.
    #[error("table store: {0}")]
    Io(#[from] io::Error),
}

macro_rules! from_redb {
    ($($error:ident),*) => {$(
        impl From<redb::$error> for EngineError {
            fn from(error: redb::$error) -> Self {
                Self::Base(error.to_string())
            }
        }
    )*};
}

from_redb!(StorageError, TableError, TransactionError, CommitError, DatabaseError);
