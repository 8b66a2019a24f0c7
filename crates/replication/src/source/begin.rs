//! Where a dump begins.
//!
//! By position, the client says it. By GTIDs, it says what it has: the dump begins with the newest file before which
//! nothing is missing to it, and passes over the transactions that it has. PREVIOUS_GTIDS of a file says what all the
//! files before it held, so the first file's says what was purged.

use binlog::{BinlogName, ChecksumAlg, FileHead, GtidSet, Uuid, read_head};

use super::error::{DumpError, Where};
use super::log::Log;

/// Where the magic ends.
const START: u64 = binlog::MAGIC.len() as u64;

/// What a client asks for.
#[derive(Clone, Debug)]
pub struct Request {
    /// From where on.
    pub begin: Begin,
    /// `@source_binlog_checksum`: how the first event ends. `None` if the client knows no checksums.
    pub checksum: Option<ChecksumAlg>,
    /// Whether the dump ends where the log ends.
    pub ends: bool,
    /// Whether the client reads heartbeats with positions of 64 bits.
    pub whole_heartbeats: bool,
}

/// From where on a client wants events.
#[derive(Clone, Debug)]
pub enum Begin {
    /// From a position of a file.
    At {
        /// The file; empty for the first.
        file: String,
        /// Where in it.
        position: u64,
    },
    /// All transactions that it does not have.
    Without {
        /// What it has.
        known: GtidSet,
        /// The file to begin with; empty for the first that is needed.
        file: String,
        /// Where in it.
        position: u64,
    },
}

/// The server, as a dump needs to know it.
#[derive(Clone, Debug)]
pub struct Server {
    /// `server_id`
    pub id: u32,
    /// `server_uuid`
    pub uuid: Uuid,
    /// `gtid_mode`
    pub gtid_mode: String,
}

/// The place where a dump begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Start {
    pub(super) name: BinlogName,
    pub(super) position: u64,
    /// Whether the client has seen some of the file.
    pub(super) resumes: bool,
}

impl Begin {
    /// Finds the place.
    pub(super) fn find(&self, log: &impl Log, server: &Server) -> Result<Start, DumpError> {
        if server.id == 0 {
            return Err(DumpError::NoServerId);
        }
        let names = log.names();
        let (file, position, found) = match self {
            Self::At { file, position } => (file, *position, None),
            Self::Without { known, file, position } => {
                if server.gtid_mode != "ON" {
                    return Err(DumpError::GtidMode(server.gtid_mode.clone()));
                }
                let found = if file.is_empty() { Some(newest(log, &names, known, server)?) } else { None };
                (file, *position, found)
            }
        };
        let (name, resumes) = match found {
            Some(found) => found,
            None => (named(&names, file)?, position > START),
        };
        if position < START {
            return Err(DumpError::PositionTooSmall);
        }
        if position > length(log, &name)? {
            return Err(DumpError::PositionTooLarge);
        }
        Ok(Start { name, position, resumes })
    }

    /// What the client has, if it asks by GTIDs.
    pub(super) fn known(self) -> Option<GtidSet> {
        match self {
            Self::At { .. } => None,
            Self::Without { known, .. } => Some(known),
        }
    }
}

/// A file that a client names: by its name, whatever directory it puts before it.
fn named(names: &[BinlogName], file: &str) -> Result<BinlogName, DumpError> {
    let base = file.rsplit('/').next().unwrap_or(file);
    let mut listed = names.iter();
    let found = if file.is_empty() { listed.next() } else { listed.find(|name| name.to_string() == base) };
    found.cloned().ok_or(DumpError::UnknownFile)
}

/// How far a file may be read.
fn length(log: &impl Log, name: &BinlogName) -> Result<u64, DumpError> {
    let end = log.end();
    if name.number() == u64::from(end.file) {
        return Ok(end.position);
    }
    let unreadable = |_| DumpError::Unreadable(Where::default());
    let file = log.open(name).map_err(unreadable)?.ok_or(DumpError::UnknownFile)?;
    file.len().map_err(unreadable)
}

/// The newest file before which nothing is missing to a client, and whether the client has something of it.
fn newest(
    log: &impl Log,
    names: &[BinlogName],
    known: &GtidSet,
    server: &Server,
) -> Result<(BinlogName, bool), DumpError> {
    let mut foreign = known.clone();
    foreign.subtract(&log.gtid_executed());
    if foreign.sids().any(|(sid, _)| *sid == server.uuid) {
        return Err(DumpError::MoreGtids);
    }
    let purged = |mut missing: GtidSet| {
        missing.subtract(known);
        DumpError::Purged { known: Box::new(known.clone()), missing: Box::new(missing) }
    };
    let in_no_file = log.gtid_purged().map_err(|_| DumpError::Unreadable(Where::default()))?;
    if !in_no_file.is_subset(known) {
        return Err(purged(in_no_file));
    }
    for name in names.iter().rev() {
        let previous = head(log, name)?.previous;
        if previous.is_subset(known) {
            return Ok((name.clone(), *known != previous));
        }
    }
    let first = names.first().ok_or(DumpError::UnknownFile)?;
    Err(purged(head(log, first)?.previous))
}

fn head(log: &impl Log, name: &BinlogName) -> Result<FileHead, DumpError> {
    let at = || Where { file: name.to_string(), ..Where::default() };
    let file = log.open(name).map_err(|_| DumpError::Unreadable(at()))?.ok_or(DumpError::UnknownFile)?;
    read_head(file).map_err(|error| error_at(&error, at()))
}

/// What a reader's error means for a client.
pub(super) fn error_at(error: &binlog::Error, at: Where) -> DumpError {
    match error {
        binlog::Error::Torn { .. } => DumpError::Truncated(at),
        binlog::Error::Io(_) => DumpError::Unreadable(at),
        _ => DumpError::Bogus(at),
    }
}
