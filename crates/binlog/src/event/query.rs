//! QUERY: a statement; also BEGIN, COMMIT and SAVEPOINT.
//!
//! | size | field |
//! | --- | --- |
//! | 4 | connection id |
//! | 4 | seconds that the statement took |
//! | 1 | length of the database's name |
//! | 2 | error code, 0 |
//! | 2 | length of the status variables |
//! | n | status variables: [`StatusVars`] |
//! | n + 1 | database, with a zero behind it |
//! | rest | statement |

use super::put::Put;
use super::{Encode, EventType, StatusVars, flag};

/// A statement with what it depends on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Query<'a> {
    /// The header's flags: [`flag::SUPPRESS_USE`], [`flag::THREAD_SPECIFIC`].
    pub flags: u16,
    /// The connection's id.
    pub thread_id: u32,
    /// Seconds from the statement's timestamp to its end.
    pub exec_time_s: u32,
    /// The error that the statement ended with where it ran; 0 in what we write.
    pub error_code: u16,
    /// The session's settings.
    pub status: StatusVars<'a>,
    /// The current database; empty = none. At most 255 bytes.
    pub db: &'a [u8],
    /// The statement.
    pub sql: &'a [u8],
}

impl<'a> Query<'a> {
    /// The statement that opens a transaction of row events.
    pub const BEGIN: &'static [u8] = b"BEGIN";
    /// The statement that closes a transaction without an XID.
    pub const COMMIT: &'static [u8] = b"COMMIT";
    /// How the statement begins that opens an XA transaction.
    pub const XA_START: &'static [u8] = b"XA START ";

    /// Whether it opens a transaction of row events.
    pub fn opens(&self) -> bool {
        let front = self.sql.get(..Self::XA_START.len()).unwrap_or_default();
        self.sql.eq_ignore_ascii_case(Self::BEGIN) || front.eq_ignore_ascii_case(Self::XA_START)
    }

    /// BEGIN of a transaction, as the session's first change writes it into the cache.
    pub fn begin(thread_id: u32, status: StatusVars<'a>, db: &'a [u8]) -> Self {
        Self {
            flags: flag::SUPPRESS_USE,
            thread_id,
            exec_time_s: 0,
            error_code: 0,
            status,
            db,
            sql: Self::BEGIN,
        }
    }
}

impl Encode for Query<'_> {
    fn event_type(&self) -> EventType {
        EventType::QUERY
    }

    fn flags(&self) -> u16 {
        self.flags
    }

    fn put_body(&self, out: &mut impl Put) {
        out.put(&self.thread_id.to_le_bytes());
        out.put(&self.exec_time_s.to_le_bytes());
        out.put(&[u8::try_from(self.db.len()).expect("a database's name has at most 255 bytes")]);
        out.put(&self.error_code.to_le_bytes());
        out.put_behind_length(|out| self.status.put(out));
        out.put(self.db);
        out.put(&[0]);
        out.put(self.sql);
    }
}
