//! The binlog that redo's records speak of, which may be at another place than the one that this run writes.
//!
//! It is looked at only if a record needs it, and under its lock; it is completed, and never cut. So a copy of a data directory
//! leaves the log of its original alone if it was made after a clean stop, and is refused if it was not and the original runs or
//! has logged more since; and whoever has moved the files between a clean stop and a start finds nothing missing.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use vfs::{LockGuard, Vfs};

use super::binlog_tail::BinlogTail;
use crate::FatalError;
use crate::facts::Facts;

/// See the module.
#[derive(Debug)]
pub(super) struct RecordedLog {
    vfs: Arc<dyn Vfs>,
    /// Where it is, if it was not looked at yet.
    path: Option<PathBuf>,
    tail: Option<BinlogTail>,
    /// Held as long as this lives, if it is not the log of this run.
    lock: Option<Box<dyn LockGuard>>,
}

impl RecordedLog {
    /// The one that the facts speak of. If it is at `current`, the place that this run writes and has locked, it is looked at.
    /// However that is spelled: a second lock of the same file would be refused.
    pub(super) fn new(
        vfs: &Arc<dyn Vfs>,
        facts: &Facts,
        data_dir: &Path,
        current: Option<&Path>,
    ) -> Result<Self, FatalError> {
        let mut log = Self { vfs: Arc::clone(vfs), path: None, tail: None, lock: None };
        if facts.binlog_path.is_empty() {
            return Ok(log);
        }
        let path = located(data_dir, &facts.binlog_path);
        if current.map(|current| canonical(&**vfs, current)) != Some(canonical(&**vfs, &path)) {
            // A RESET that was under way leaves its files there.
            log.path = Some(path);
            return Ok(log);
        }
        let mut tail = BinlogTail::open(Arc::clone(vfs), &path)?;
        if facts.reset_to.is_some() {
            tail.remove_all()?;
        } else if facts.binlog.is_some() {
            tail.refuse_without_index()?;
        }
        log.tail = Some(tail);
        Ok(log)
    }

    /// A record needs it. `None` if there never was one.
    pub(super) fn needed(&mut self) -> Result<Option<&mut BinlogTail>, FatalError> {
        if let Some(path) = self.path.take() {
            self.lock = Some(lock(&*self.vfs, &path)?);
            let mut tail = BinlogTail::open(Arc::clone(&self.vfs), &path)?;
            tail.refuse_without_index()?;
            tail.is_own = false;
            self.tail = Some(tail);
        }
        Ok(self.tail.as_mut())
    }

    /// The same, if it was looked at.
    pub(super) fn opened(&mut self) -> Option<&mut BinlogTail> {
        self.tail.as_mut()
    }
}

/// Before the name of a log that lies in the data directory.
const IN_DATA_DIR: &str = "./";

/// How facts name the log at `path`: one in the data directory by its place there, so that the directory can be moved and copied,
/// and what was copied with it is the copy's log.
pub(super) fn recorded(vfs: &dyn Vfs, data_dir: &Path, path: &Path) -> String {
    let path = canonical(vfs, path);
    let inside = vfs.canonical(data_dir).ok().and_then(|dir| path.strip_prefix(dir).ok().map(Path::to_owned));
    match inside {
        Some(inside) => format!("{IN_DATA_DIR}{}", inside.to_string_lossy()),
        None => path.to_string_lossy().into_owned(),
    }
}

/// The log of which facts speak.
fn located(data_dir: &Path, recorded: &str) -> PathBuf {
    match recorded.strip_prefix(IN_DATA_DIR) {
        Some(inside) => data_dir.join(inside),
        None => PathBuf::from(recorded),
    }
}

/// Whether facts speak of the log at `path`.
pub(super) fn is_that(vfs: &dyn Vfs, facts: &Facts, data_dir: &Path, path: &Path) -> bool {
    !facts.binlog_path.is_empty()
        && canonical(vfs, &located(data_dir, &facts.binlog_path)) == canonical(vfs, path)
}

/// The one spelling of a log's directory and base name, as far as its directory is there.
pub(super) fn canonical(vfs: &dyn Vfs, path: &Path) -> PathBuf {
    let dir = vfs.canonical(path.parent().unwrap_or(Path::new("")));
    dir.ok().zip(path.file_name()).map_or_else(|| path.to_owned(), |(dir, base)| dir.join(base))
}

/// Makes sure that no other server writes the log at `path`, a directory and a base name: takes a lock beside its index.
pub(super) fn lock(vfs: &dyn Vfs, path: &Path) -> Result<Box<dyn LockGuard>, FatalError> {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".index.lock");
    vfs.lock(&path.with_file_name(name)).map_err(|error| match error.kind() {
        io::ErrorKind::WouldBlock => FatalError::Corrupt(format!(
            "another server writes the binary log {0}: a copy of that server's data directory needs a --log-bin of its own, \
             and to be made after a clean stop, or else with a copy of the log at {0}",
            path.display()
        )),
        io::ErrorKind::NotFound => FatalError::Corrupt(format!(
            "redo goes on from the binary log {}, which is not there: put its files back, start the server with them and \
             stop it cleanly; after that they may be moved",
            path.display()
        )),
        _ => error.into(),
    })
}
