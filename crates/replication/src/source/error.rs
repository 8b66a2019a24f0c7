//! Why a dump ends: what error 1236 says, in MySQL's words.

use binlog::GtidSet;

/// See the module. The client's error is 1236 (HY000) with this text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DumpError {
    /// The server runs without a binlog.
    #[error("Binary log is not open")]
    NoBinlog,
    /// `server_id` is 0.
    #[error("Misconfigured source - source server_id is 0")]
    NoServerId,
    /// The index does not list the file that the client names.
    #[error("Could not find first log file name in binary log index file")]
    UnknownFile,
    /// There is no file behind one that is complete.
    #[error("could not find next log")]
    NoNextFile,
    /// The position is within the magic.
    #[error("Client requested source to start replication from position < 4")]
    PositionTooSmall,
    /// The position is behind the file's end.
    #[error("Client requested source to start replication from position > file size")]
    PositionTooLarge,
    /// The client never said that it knows checksums, and the file has them.
    #[error(
        "Replica can not handle replication events with the checksum that source is configured to log{0}"
    )]
    Checksum(Where),
    /// GTIDs are asked for where there are none.
    #[error(
        "The replication sender thread cannot start in AUTO_POSITION mode: this server has GTID_MODE = {0} instead of ON."
    )]
    GtidMode(String),
    /// A transaction without a GTID was met where GTIDs are asked for.
    #[error(
        "Cannot replicate anonymous transaction when AUTO_POSITION = 1, at file {file}, position {position}."
    )]
    Anonymous {
        /// The file.
        file: String,
        /// Where in it.
        position: u64,
    },
    /// The client has transactions of this server that this server has not.
    #[error(
        "Replica has more GTIDs than the source has, using the source's SERVER_UUID. This may indicate that the the \
         last binary log file was truncated or lost, e.g., after a power failure when sync_binlog != 1. The source may \
         have rolled back transactions that were already replicated to the replica. Replicate any transactions that \
         source has rolled back from replica to source, and/or commit empty transactions on source to account for \
         transactions that have been committed on source but are not included in GTID_EXECUTED."
    )]
    MoreGtids,
    /// The client needs transactions whose files were purged.
    #[error(
        "Cannot replicate because the source purged required binary logs. Replicate the missing transactions from \
         elsewhere, or provision a new replica from backup. Consider increasing the source's binary log expiration \
         period. The GTID set sent by the replica is '{known}', and the missing transactions are '{missing}'"
    )]
    Purged {
        /// What the client has.
        known: Box<GtidSet>,
        /// What it needs of what is gone.
        missing: Box<GtidSet>,
    },
    /// The same replica has connected again.
    #[error("A replica with the same server_uuid/server_id as this replica has connected to the source{0}")]
    Replaced(Where),
    /// The file ends within an event.
    #[error("binlog truncated in the middle of event; consider out of disk space on source{0}")]
    Truncated(Where),
    /// What is in the file is no event.
    #[error("bogus data in log event{0}")]
    Bogus(Where),
    /// The file cannot be read.
    #[error("I/O error reading log event{0}")]
    Unreadable(Where),
}

/// How far a dump had come.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Where {
    /// File and position where it began.
    pub first: (String, u64),
    /// The file that is read.
    pub file: String,
    /// Where the last event ends that was read.
    pub event: u64,
    /// How far the file was read.
    pub end: u64,
}

impl std::fmt::Display for Where {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { first: (first, position), file, event, end } = self;
        write!(
            f,
            "; the first event '{first}' at {position}, the last event read from './{file}' at {event}, the last \
             byte read from './{file}' at {end}."
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_says_how_far_the_dump_had_come() {
        let at = Where { first: ("a.000001".into(), 4), file: "a.000002".into(), event: 157, end: 236 };
        assert_eq!(
            DumpError::Bogus(at).to_string(),
            "bogus data in log event; the first event 'a.000001' at 4, the last event read from './a.000002' at 157, \
             the last byte read from './a.000002' at 236."
        );
    }
}
