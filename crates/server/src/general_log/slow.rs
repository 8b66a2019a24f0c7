//! The slow query log: statements that took `long_query_time` or longer, once they are done.
//!
//! Source of the format: files that MySQL 9.7.4 has written; MySQL 8.4 Reference Manual, "The Slow Query Log".

use std::io::{self, Write as _};
use std::path::PathBuf;
use std::sync::atomic::Ordering;

use parking_lot::Mutex;

use super::file::{LogFile, write_time};
use super::kept::Kept;
use super::{FILE, TABLE, outputs};
use crate::variables::{Live, Values, Variables};

/// A statement that was slow.
#[derive(Clone, Debug)]
pub(crate) struct SlowEntry {
    /// When it began, microseconds since 1970.
    pub(crate) began_us: u64,
    /// When it ended.
    pub(crate) ended_us: u64,
    /// How long it waited for locks, microseconds.
    pub(crate) locked_us: u64,
    /// `user[account] @ host [address]`
    pub(crate) user_host: String,
    /// The connection.
    pub(crate) id: u32,
    /// Rows that the client was sent.
    pub(crate) sent: u64,
    /// Rows of tables that were looked at.
    pub(crate) examined: u64,
    /// The default database.
    pub(crate) db: String,
    /// The last generated AUTO_INCREMENT value.
    pub(crate) last_insert_id: u64,
    /// Its time, seconds since 1970.
    pub(crate) timestamp: u64,
    /// Its text, without passwords.
    pub(crate) text: Vec<u8>,
}

/// See the module.
#[derive(Debug, Default)]
pub struct SlowLog {
    /// Open while the log is on and `log_output` has FILE; and the database that the last entry was of. Rank: last.
    file: Mutex<Option<(LogFile, String)>>,
    /// Rank: last.
    kept: Mutex<Kept<SlowEntry>>,
}

impl SlowLog {
    /// As [`super::GeneralLog::settle`].
    pub fn settle(&self, variables: &Variables) -> io::Result<()> {
        let live = &variables.live;
        let wanted = live.slow_query_log.load(Ordering::Relaxed) && outputs(live) & FILE != 0;
        let mut file = self.file.lock();
        let values = variables.values();
        let path = path(&values);
        if !wanted {
            *file = None;
        } else if file.as_ref().is_none_or(|(file, _)| file.path != path) {
            *file = None;
            *file = Some((LogFile::open(path, &values)?, String::new()));
        }
        Ok(())
    }

    /// As [`super::GeneralLog::reopen`].
    pub fn reopen(&self, variables: &Variables) -> io::Result<()> {
        if let Some(open) = &mut *self.file.lock() {
            let values = variables.values();
            *open = (LogFile::open(path(&values), &values)?, String::new());
        }
        Ok(())
    }

    /// Adds an entry, wherever the log goes to.
    pub(crate) fn add(&self, live: &Live, entry: SlowEntry) {
        let outputs = outputs(live);
        if outputs & FILE != 0
            && let Some((file, db)) = &mut *self.file.lock()
        {
            file.write_all(&lines(&entry, db));
            db.clone_from(&entry.db);
        }
        if outputs & TABLE != 0 {
            self.kept.lock().push(entry.text.len() + entry.user_host.len() + entry.db.len(), entry);
        }
    }

    /// What `mysql.slow_log` shows, the oldest first.
    pub(crate) fn rows<T>(&self, mut row: impl FnMut(&SlowEntry) -> T) -> Vec<T> {
        let kept = self.kept.lock().entries();
        kept.iter().map(|entry| row(entry)).collect()
    }

    /// TRUNCATE TABLE mysql.slow_log.
    pub(crate) fn forget(&self) {
        *self.kept.lock() = Kept::default();
    }
}

/// An entry of the file; `db` is the database of the one before.
fn lines(entry: &SlowEntry, db: &str) -> Vec<u8> {
    let mut lines = Vec::with_capacity(entry.text.len() + 256);
    lines.extend_from_slice(b"# Time: ");
    write_time(entry.ended_us, &mut lines);
    let query_us = entry.ended_us.saturating_sub(entry.began_us);
    let seconds = |us: u64| format!("{}.{:06}", us / 1_000_000, us % 1_000_000);
    // Writing into a Vec cannot fail.
    let _ = write!(
        lines,
        "\n# User@Host: {}  Id: {:>5}\n# Query_time: {}  Lock_time: {} Rows_sent: {}  Rows_examined: {}\n",
        entry.user_host,
        entry.id,
        seconds(query_us),
        seconds(entry.locked_us),
        entry.sent,
        entry.examined
    );
    if !entry.db.is_empty() && entry.db != db {
        let _ = writeln!(lines, "use {};", entry.db);
    }
    let _ = writeln!(lines, "SET timestamp={};", entry.timestamp);
    lines.extend_from_slice(&entry.text);
    lines.extend_from_slice(b";\n");
    lines
}

/// `slow_query_log_file`, which may be relative to the data directory.
fn path(values: &Values) -> PathBuf {
    PathBuf::from(values.get("datadir").as_text()).join(values.get("slow_query_log_file").as_text())
}
