//! Type codes and header flags. Part of the format: never renumbered.

/// The type code in an event's header. Codes that onelog does not know stay representable.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct EventType(pub u8);

impl EventType {
    /// A statement, BEGIN, COMMIT.
    pub const QUERY: Self = Self(2);
    /// The server shut down cleanly.
    pub const STOP: Self = Self(3);
    /// The log goes on in another file.
    pub const ROTATE: Self = Self(4);
    /// The first event of every file.
    pub const FORMAT_DESCRIPTION: Self = Self(15);
    /// End of a transaction with two-phase commit.
    pub const XID: Self = Self(16);
    /// Names and types of the columns that the following rows events use.
    pub const TABLE_MAP: Self = Self(19);
    /// Sent, never stored: the source is alive.
    pub const HEARTBEAT: Self = Self(27);
    /// May be skipped by whoever does not know it.
    pub const IGNORABLE: Self = Self(28);
    /// The text of the statement whose rows follow.
    pub const ROWS_QUERY: Self = Self(29);
    /// Inserted rows, version 2.
    pub const WRITE_ROWS: Self = Self(30);
    /// Updated rows, version 2.
    pub const UPDATE_ROWS: Self = Self(31);
    /// Deleted rows, version 2.
    pub const DELETE_ROWS: Self = Self(32);
    /// Begin of a transaction that has a GTID.
    pub const GTID: Self = Self(33);
    /// Begin of a transaction that has none.
    pub const ANONYMOUS_GTID: Self = Self(34);
    /// The GTIDs of all earlier files; the second event of every file.
    pub const PREVIOUS_GTIDS: Self = Self(35);
    /// The members of a group of MySQL servers are others now; in a transaction of its own. onelog writes none.
    pub const VIEW_CHANGE: Self = Self(37);
    /// End of an XA transaction that waits for its coordinator's word.
    pub const XA_PREPARE: Self = Self(38);
    /// All events of a transaction behind its GTID, compressed.
    pub const TRANSACTION_PAYLOAD: Self = Self(40);
    /// Sent, never stored: the source is alive, with a position of 64 bits.
    pub const HEARTBEAT_V2: Self = Self(41);

    /// The name that SHOW BINLOG EVENTS prints.
    pub fn name(self) -> &'static str {
        match self {
            Self::QUERY => "Query",
            Self::STOP => "Stop",
            Self::ROTATE => "Rotate",
            Self::FORMAT_DESCRIPTION => "Format_desc",
            Self::XID => "Xid",
            Self::TABLE_MAP => "Table_map",
            Self::HEARTBEAT => "Heartbeat",
            Self::HEARTBEAT_V2 => "Heartbeat_v2",
            Self::IGNORABLE => "Ignorable",
            Self::ROWS_QUERY => "Rows_query",
            Self::WRITE_ROWS => "Write_rows",
            Self::UPDATE_ROWS => "Update_rows",
            Self::DELETE_ROWS => "Delete_rows",
            Self::GTID => "Gtid",
            Self::ANONYMOUS_GTID => "Anonymous_Gtid",
            Self::PREVIOUS_GTIDS => "Previous_gtids",
            Self::VIEW_CHANGE => "View_change",
            Self::XA_PREPARE => "XA_prepare",
            Self::TRANSACTION_PAYLOAD => "Transaction_payload",
            Self(_) => "Unknown",
        }
    }
}

impl std::fmt::Debug for EventType {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}({})", self.name(), self.0)
    }
}

/// Bits of the header's `flags`.
pub mod flag {
    /// FORMAT_DESCRIPTION only: the file is open, or was never closed.
    pub const IN_USE: u16 = 0x01;
    /// QUERY: depends on the connection (temporary tables).
    pub const THREAD_SPECIFIC: u16 = 0x04;
    /// QUERY: do not print `use db` (BEGIN, CREATE DATABASE ...).
    pub const SUPPRESS_USE: u16 = 0x08;
    /// Made for a reader, not stored in the file.
    pub const ARTIFICIAL: u16 = 0x20;
    /// A reader that does not know the type may skip it.
    pub const IGNORABLE: u16 = 0x80;
}
