//! The file of a log.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

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
        if is_the_servers(&path, |name| values.get(name).as_text().to_owned()) {
            let what = "a file among the server's own, whose name does not end with .log";
            return Err(io::Error::new(io::ErrorKind::InvalidInput, what));
        }
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

/// Whether a path may be a file of the server's own, to which nobody may append: one in the data directory or beside the binlog
/// whose name does not end with `.log`. `text` gives a variable's value.
pub(crate) fn is_the_servers(path: &Path, text: impl Fn(&str) -> String) -> bool {
    let dir_of = |path: &Path| path.parent().and_then(|dir| dir.canonicalize().ok());
    let Some(dir) = dir_of(path) else { return false };
    let data_dir = PathBuf::from(text("datadir"));
    let store = data_dir.join(text("enhanced_binlog_dir"));
    let own = [data_dir, store].into_iter().filter_map(|own| own.canonicalize().ok());
    let is_inside = own.into_iter().any(|own| dir.starts_with(own));
    let beside_binlog = dir_of(Path::new(&text("log_bin_basename"))).is_some_and(|own| own == dir);
    (is_inside || beside_binlog) && path.extension().is_none_or(|ext| ext != "log")
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

    #[test]
    #[expect(clippy::disallowed_methods, reason = "directories of the machine")]
    fn no_log_is_a_file_of_the_servers_own() {
        let dir = std::env::temp_dir().join(format!("onelog-own-{}", std::process::id()));
        for inside in ["data/redo", "logs", "other"] {
            std::fs::create_dir_all(dir.join(inside)).unwrap();
        }
        let text = |name: &str| match name {
            "datadir" => dir.join("data").display().to_string(),
            "enhanced_binlog_dir" => "enhanced_binlog".to_owned(),
            _ => dir.join("logs/binlog").display().to_string(),
        };
        for own in
            ["data/base.redb", "data/redo/redo.000001", "data/../data/redo/x", "logs/binlog.000001", "data/x"]
        {
            assert!(is_the_servers(&dir.join(own), text), "{own}");
        }
        for free in ["data/host.log", "data/redo/../slow.log", "logs/general.log", "other/x", "missing/x"] {
            assert!(!is_the_servers(&dir.join(free), text), "{free}");
        }
        std::fs::remove_dir_all(&dir).unwrap();
    }
}
