//! The file of a log.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::PathBuf;

use types::temporal::DateTime;

use super::Entry;
use crate::variables::Values;

/// `open(2)`: a pipe that nobody reads is an error, not a wait. Regular files do not know it.
const O_NONBLOCK: i32 = 0o4000;

/// See the module.
#[derive(Debug)]
pub(super) struct LogFile {
    pub(super) path: PathBuf,
    file: File,
    /// The last entry is not in it, or not whole.
    is_broken: bool,
}

impl LogFile {
    /// Opens or makes the file, and writes MySQL's three lines of a beginning.
    pub(super) fn open(path: PathBuf, values: &Values) -> io::Result<Self> {
        let mut options = OpenOptions::new();
        options.append(true).create(true).mode(0o640).custom_flags(O_NONBLOCK);
        #[expect(clippy::disallowed_methods, reason = "it is for people, who may move it away")]
        let file = options.open(&path)?;
        let mut log = Self { path, file, is_broken: false };
        let program = std::env::current_exe().unwrap_or_default();
        let head = format!(
            "{}, Version: {} ({}). started with:\nTcp port: {}  Unix socket: {}\n\
             Time                 Id Command    Argument\n",
            program.display(),
            values.get("version").as_text(),
            values.get("version_comment").as_text(),
            values.get("port").uint(),
            values.get("socket").as_text(),
        );
        log.write_all(head.as_bytes());
        Ok(log)
    }

    /// Adds an entry: `time TAB id, right in five columns, command TAB argument`.
    pub(super) fn write(&mut self, entry: &Entry<'_>) {
        let mut line = Vec::with_capacity(entry.argument.len() + 64);
        write_time(entry.at_us, &mut line);
        // Writing into a Vec cannot fail.
        let _ = write!(line, "\t{:>5} {}\t", entry.id, entry.command);
        line.extend_from_slice(entry.argument);
        line.push(b'\n');
        self.write_all(&line);
    }

    /// Adds bytes, which are lines. What cannot be written is lost, which is said once.
    pub(super) fn write_all(&mut self, bytes: &[u8]) {
        // What comes behind a broken line begins a new one.
        let begun = if self.is_broken { self.file.write_all(b"\n") } else { Ok(()) };
        match begun.and_then(|()| self.file.write_all(bytes)) {
            Ok(()) if self.is_broken => {
                self.is_broken = false;
                tracing::info!(path = %self.path.display(), "the log is written again");
            }
            Err(error) if !self.is_broken => {
                self.is_broken = true;
                tracing::error!(path = %self.path.display(), %error, "the log cannot be written: entries are lost");
            }
            Ok(()) | Err(_) => {}
        }
    }
}

/// `2026-11-28T01:05:13.123456Z`: `log_timestamps` is UTC.
pub(super) fn write_time(at_us: u64, out: &mut Vec<u8>) {
    let micros = u32::try_from(at_us % 1_000_000).unwrap_or(0);
    let seconds = i64::try_from(at_us / 1_000_000).unwrap_or(0);
    let begin = out.len();
    DateTime::from_unix_seconds(seconds, micros, 6).unwrap_or(DateTime::ZERO).write_text(out);
    if let Some(blank) = out.get_mut(begin + 10) {
        *blank = b'T';
    }
    out.push(b'Z');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_is_shown_as_mysql_shows_it() {
        let mut text = Vec::new();
        write_time(1_795_827_913_000_042, &mut text);
        assert_eq!(String::from_utf8(text).unwrap(), "2026-11-28T01:05:13.000042Z");
    }

    #[test]
    #[expect(clippy::disallowed_methods, reason = "the log is an ordinary file")]
    fn a_full_disk_loses_entries_and_begins_a_new_line_behind_them() {
        let entry = Entry { at_us: 0, user_host: "", id: 7, command: "Query", argument: b"SELECT 1" };
        let path = std::env::temp_dir().join(format!("onelog-general-{}.log", std::process::id()));
        let mut log = LogFile::open(path.clone(), &Values::default()).unwrap();
        let kept = std::mem::replace(&mut log.file, File::options().write(true).open("/dev/full").unwrap());
        log.write(&entry);
        log.write(&entry);
        assert!(log.is_broken);
        log.file = kept;
        log.write(&entry);
        assert!(!log.is_broken);
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
        let (_, behind) = text.split_once("Argument\n").unwrap();
        assert_eq!(behind, "\n1970-01-01T00:00:00.000000Z\t    7 Query\tSELECT 1\n");
    }
}
