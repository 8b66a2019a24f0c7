//! The general log: what clients ask for, before it is done.
//!
//! | file | holds |
//! | --- | --- |
//! | `file` | `general_log_file`, a line an entry, as MySQL's server writes it |
//! | `kept` | what the tables of `mysql` show: the newest entries, in memory |
//! | `secrets` | a statement's text without its passwords |
//! | `slow` | the slow query log, which is written likewise |
//!
//! Whoever has something for the log asks first whether it is on: one relaxed load ([`Live::general_log`]). An entry is one
//! write to the operating system, and nothing waits for the disk. A file that cannot be written loses entries, which the
//! server's own log says once; it stops no statement.
//!
//! **Durability:** none. **Order:** that in which sessions came to the log.
//!
//! Source of the format: files that MySQL 9.7.4 has written; MySQL 8.4 Reference Manual, "The General Query Log".

mod file;
mod kept;
mod secrets;
mod slow;

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use parking_lot::Mutex;

use crate::clock;
use crate::variables::{Live, Values, Variables};
use file::LogFile;
pub(crate) use file::is_the_servers;
use kept::Kept;
pub(crate) use secrets::{commands_without_secrets, without_secrets};
pub(crate) use slow::SlowEntry;
pub use slow::SlowLog;

/// `log_output`'s names, a bit each in this order.
pub(crate) const OUTPUTS: &[&str] = &["NONE", "FILE", "TABLE"];
const NONE: u64 = 1;
const FILE: u64 = 2;
const TABLE: u64 = 4;

/// An entry of the general log.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry<'a> {
    /// Microseconds since 1970.
    pub(crate) at_us: u64,
    /// `user[account] @ host [address]`
    pub(crate) user_host: &'a str,
    /// The connection.
    pub(crate) id: u32,
    /// MySQL's word for what it did.
    pub(crate) command: &'static str,
    /// With what; for most, a statement.
    pub(crate) argument: &'a [u8],
}

/// An entry that is kept.
#[derive(Debug)]
struct OwnEntry {
    at_us: u64,
    user_host: Box<str>,
    id: u32,
    command: &'static str,
    argument: Box<[u8]>,
}

/// See the module.
#[derive(Debug, Default)]
pub struct GeneralLog {
    /// Open while the log is on and `log_output` has FILE. Rank: last.
    file: Mutex<Option<LogFile>>,
    /// Rank: last.
    kept: Mutex<Kept<OwnEntry>>,
}

impl GeneralLog {
    /// Opens or closes the file, as the variables say: behind each change of them, and at the start. The error is the
    /// operating system's; there is no file then.
    pub fn settle(&self, variables: &Variables) -> io::Result<()> {
        let live = &variables.live;
        let is_on = live.general_log.load(Ordering::Relaxed);
        let wanted = is_on && outputs(live) & FILE != 0;
        let mut file = self.file.lock();
        let values = variables.values();
        let path = path(&values);
        if !wanted {
            *file = None;
        } else if file.as_ref().is_none_or(|file| file.path != path) {
            *file = None;
            *file = Some(LogFile::open(path, &values)?);
        }
        Ok(())
    }

    /// FLUSH GENERAL LOGS: the file of this name may be another one by now. The error is the operating system's; the log goes
    /// on in the old file then.
    pub fn reopen(&self, variables: &Variables) -> io::Result<()> {
        // Entries wait meanwhile, so none is lost.
        if let Some(file) = &mut *self.file.lock() {
            let values = variables.values();
            *file = LogFile::open(path(&values), &values)?;
        }
        Ok(())
    }

    /// Adds an entry, wherever the log goes to.
    pub(crate) fn add(&self, live: &Live, mut entry: Entry<'_>) {
        entry.at_us = clock::unix_us();
        let outputs = outputs(live);
        if outputs & FILE != 0
            && let Some(file) = &mut *self.file.lock()
        {
            file.write(&entry);
        }
        if outputs & TABLE != 0 {
            let Entry { at_us, user_host, id, command, argument } = entry;
            let own = OwnEntry { at_us, user_host: user_host.into(), id, command, argument: argument.into() };
            self.kept.lock().push(user_host.len() + argument.len(), own);
        }
    }

    /// What `mysql.general_log` shows, the oldest first.
    pub(crate) fn rows<T>(&self, mut row: impl FnMut(Entry<'_>) -> T) -> Vec<T> {
        let seen = |own: &Arc<OwnEntry>| {
            let OwnEntry { at_us, user_host, id, command, argument } = &**own;
            row(Entry { at_us: *at_us, user_host, id: *id, command, argument })
        };
        let kept = self.kept.lock().entries();
        kept.iter().map(seen).collect()
    }

    /// TRUNCATE TABLE mysql.general_log.
    pub(crate) fn forget(&self) {
        *self.kept.lock() = Kept::default();
    }
}

/// Where entries go to: nowhere if NONE is among the names.
fn outputs(live: &Live) -> u64 {
    match live.log_output.load(Ordering::Relaxed) {
        bits if bits & NONE != 0 => 0,
        bits => bits,
    }
}

/// What a log's file is if nobody says otherwise; none if the variable is no log's file.
pub(crate) fn default_file(variable: &str, data_dir: &str, hostname: &str) -> Option<String> {
    match variable {
        "general_log_file" => Some(format!("{data_dir}{hostname}.log")),
        "slow_query_log_file" => Some(format!("{data_dir}{hostname}-slow.log")),
        _ => None,
    }
}

/// `general_log_file`, which may be relative to the data directory.
fn path(values: &Values) -> PathBuf {
    PathBuf::from(values.get("datadir").as_text()).join(values.get("general_log_file").as_text())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_come_in_while_rows_are_made() {
        let (log, live) = (GeneralLog::default(), Live::default());
        live.log_output.store(TABLE, Ordering::Relaxed);
        log.add(&live, Entry { at_us: 0, user_host: "", id: 7, command: "Query", argument: b"SELECT 1" });
        assert_eq!(log.rows(|entry| (entry.id, log.kept.try_lock().is_some())), [(7, true)]);
    }
}
