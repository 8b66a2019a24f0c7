//! The crate's one error type, split by what the caller does about it.

use std::io;
use std::path::PathBuf;

/// Shorthand for this crate's results.
pub type Result<T> = std::result::Result<T, Error>;

/// What went wrong.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The bytes end inside an event: normal after a crash. Everything before `offset` is intact.
    #[error("torn event at offset {offset}")]
    Torn {
        /// Where the incomplete event begins.
        offset: u64,
    },
    /// An event that was written differently, or something that never was an event. Everything before `offset`
    /// is intact. After a crash the reader of the last file treats it like a torn tail if nothing behind it had
    /// been promised.
    #[error("corrupt event at offset {offset}: {what}")]
    Corrupt {
        /// Where the bad event begins.
        offset: u64,
        /// What is wrong with it.
        what: &'static str,
    },
    /// The index file says something that cannot be.
    #[error("index {}, line {line}: {what}", path.display())]
    Index {
        /// The index file.
        path: PathBuf,
        /// 1-based.
        line: usize,
        /// What is wrong with the line.
        what: &'static str,
    },
    /// A configured bound was reached; the statement fails, the server lives.
    #[error("{what} ({limit_bytes} bytes)")]
    Limit {
        /// Which bound.
        what: Limit,
        /// Its value.
        limit_bytes: u64,
    },
    /// The operating system refused; `vfs` names operation and path. On a log's write or sync this is the caller's
    /// reason to stop the process.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// The bounds of this crate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// `max_binlog_cache_size`: MySQL's error 1197.
    Cache,
    /// [`crate::EVENT_SIZE_MAX`].
    Event,
    /// Spilled events that the caller refused to have in memory ([`crate::TrxCache::load`]).
    Load,
}

impl std::fmt::Display for Limit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Cache => "the transaction needs more than max_binlog_cache_size",
            Self::Event => "the event is larger than any replica accepts",
            Self::Load => "the spilled events are larger than the memory granted",
        })
    }
}
