//! LOAD DATA: whose file it is, and who may have it read.
//!
//! A file of the server's is read while its rows are inserted. One of the client's (LOCAL) is asked for when everything else
//! is known to be right; the session then waits for the connection to come back with it ([`Client::load`]). It is read to its
//! end whatever becomes of the statement: before that nobody hears an answer.

use std::ffi::OsStr;
use std::fs::File;
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use protocol::reply::write_file_request;
use protocol::wire::Capabilities;
use sql::exec::{BoxFuture, DataFile, Done, Params};
use sql::lex::Verb;
use sql::plan::FilePlan;
use types::error::SqlError;
use types::error::table::{
    ER_CLIENT_LOCAL_FILES_DISABLED, ER_ERROR_ON_READ, ER_NEED_REPREPARE, ER_OPTION_PREVENTS_STATEMENT,
    ER_TEXTFILE_NOT_READABLE,
};
use types::value::Value;

use super::execute::{Prepared, Ran, With};
use super::plan_cache::Planned;
use super::result::Format;
use super::statement::PLANS_MAX;
use super::{Client, Upload, Wire};
use crate::accounts::Privileges;

type Result<T> = std::result::Result<T, SqlError>;

/// Bytes of a file that are read at a time.
const PIECE_SIZE: usize = 64 << 10;

/// A LOAD DATA LOCAL whose file was asked for.
#[derive(Debug)]
pub(super) struct Loading {
    sql: Vec<u8>,
    /// What stands behind it in the same text.
    rest: Option<Vec<u8>>,
    /// Its number there.
    count: u64,
}

impl Loading {
    /// What stands behind it, if anything does, and the number that it has itself.
    pub(super) fn keep_rest(&mut self, rest: Option<&[u8]>, count: u64) {
        (self.rest, self.count) = (rest.map(<[u8]>::to_vec), count);
    }
}

impl Client {
    /// Whether a client was asked for a file.
    pub fn awaits_file(&self) -> bool {
        self.loading.is_some()
    }

    /// Loads a file of the server's, or asks for one of the client's.
    pub(super) async fn load_file(
        &mut self,
        planned: &Planned,
        file: &FilePlan,
        sql: &[u8],
        more: bool,
        wire: &mut dyn Wire,
    ) -> Result<Ran> {
        if file.local {
            self.permit_local()?;
            self.permit(planned)?;
            write_file_request(wire.packets(), file.name.as_bytes());
            self.loading = Some(Loading { sql: sql.to_vec(), rest: None, count: 1 });
            return Ok(Ran::Answered);
        }
        let mut file = self.open_file(&file.name)?;
        self.permit(planned)?;
        if self.passes_over_change()? {
            self.pass_over(more, wire);
            return Ok(Ran::Answered);
        }
        let done = self.run_file(planned, &mut file, wire).await;
        self.conclude(done, more, wire).await
    }

    /// Goes on with a LOAD DATA LOCAL, and with the statements behind it.
    pub async fn load(&mut self, upload: &mut dyn Upload, wire: &mut dyn Wire) {
        let Some(Loading { sql, rest, count }) = self.loading.take() else { return };
        let done = Box::pin(self.run_upload(&sql, upload, wire)).await;
        let done = match done {
            Ok(done) => Ok(done),
            Err(error) => Err(self.fail(error).await),
        };
        if !upload.has_ended() && !self.pass_by(upload).await {
            return;
        }
        wire.begin(upload.sequence());
        let more = rest.is_some();
        let answered = match done {
            Ok(Some(done)) => self.conclude(Ok(Some(done)), more, wire).await.map(drop),
            Ok(None) => {
                self.pass_over(more, wire);
                Ok(())
            }
            Err(error) => Err(error),
        };
        let next = match answered {
            Ok(()) if more => self.between_statements(count, wire).await,
            answered => answered,
        };
        match (next, rest) {
            (Err(error), _) => {
                self.lose_gtid_by(&error);
                self.refuse(&error, wire);
            }
            (Ok(()), None) => {}
            (Ok(()), Some(rest)) => {
                let now_us = self.shared.pipeline.unix_us();
                Box::pin(self.statements(&rest, count + 1, now_us, wire)).await;
            }
        }
    }

    /// Reads what is left of a file that nobody wants. False if there is no connection any more.
    async fn pass_by(&self, upload: &mut dyn Upload) -> bool {
        let rest = async {
            while !upload.has_ended() {
                if upload.read().await.is_err() {
                    return false;
                }
            }
            true
        };
        tokio::select! {
            biased;
            whole = rest => whole,
            () = self.kill.connection_killed() => false,
        }
    }

    /// Inserts the rows of a client's file. `None` if the change is passed over.
    async fn run_upload(
        &mut self,
        sql: &[u8],
        upload: &mut dyn Upload,
        wire: &mut dyn Wire,
    ) -> Result<Option<Done>> {
        for _ in 0..PLANS_MAX {
            // Meanwhile its tables may have changed.
            let Prepared::Plan(planned, _) = self.plan(sql, Verb::Other)? else { break };
            self.permit(&planned)?;
            if self.passes_over_change()? {
                return Ok(None);
            }
            if let Some(done) = self.run_file(&planned, upload, wire).await? {
                return Ok(Some(done));
            }
            self.end_stale().await;
        }
        Err(ER_NEED_REPREPARE.error(&[]))
    }

    /// Inserts the rows of a file. `None` if the plan is of another version of a table: then nothing of the file was read.
    async fn run_file(
        &mut self,
        planned: &Planned,
        file: &mut dyn DataFile,
        wire: &mut dyn Wire,
    ) -> Result<Option<Done>> {
        self.begin_if_needed();
        self.run_changes(planned, Params::default(), Format::Text, With::Input(file), wire).await
    }

    /// Error 3948 unless both sides let the client send files.
    fn permit_local(&self) -> Result<()> {
        let is_on = self.shared.variables.server_sight().shown("local_infile")? == "ON";
        if is_on && self.capabilities.contains(Capabilities::LOCAL_FILES) {
            return Ok(());
        }
        Err(ER_CLIENT_LOCAL_FILES_DISABLED.error(&[]))
    }

    /// Opens a file of the server's. Errors 1045 without the privilege FILE, 1290 outside of `secure_file_priv`, 13 and 1085
    /// for what is no file.
    fn open_file(&self, name: &str) -> Result<ServerFile> {
        /// EE_STAT of MySQL's file library.
        const EE_STAT: u16 = 13;
        let (path, allowed) = self.file_of_user(name)?;
        let not_there = |error: std::io::Error| {
            let (number, what) = reason(&error);
            let message = format!("Can't get stat of '{}' (OS errno {number} - {what})", path.display());
            SqlError { code: EE_STAT, sqlstate: *b"HY000", message }
        };
        let real = match path.canonicalize() {
            Ok(real) if allowed.holds(&real) => real,
            // Who may not look there is not told what is there.
            Err(error) if allowed.holds_parent(&path) => return Err(not_there(error)),
            _ => return Err(refused()),
        };
        let unreadable = || ER_TEXTFILE_NOT_READABLE.error(&[&path.display()]);
        if !real.metadata().map_err(not_there)?.is_file() {
            return Err(unreadable());
        }
        #[expect(clippy::disallowed_methods, reason = "it is a user's file, none of the server's")]
        let file = File::open(&real);
        file.map(|file| ServerFile { file, path: real }).map_err(|_| unreadable())
    }

    /// Where a new file of a user's is to be. Errors as of [`Self::open_file`].
    pub(super) fn new_file_of_user(&self, name: &str) -> Result<PathBuf> {
        let (path, allowed) = self.file_of_user(name)?;
        if allowed.holds_parent(&path) { Ok(path) } else { Err(refused()) }
    }

    /// A user's file, and where such may be. Errors 1045 and 1290.
    fn file_of_user(&self, name: &str) -> Result<(PathBuf, Allowed)> {
        if !self.access.has(Privileges::FILE) {
            return Err(self.access.denied());
        }
        let sight = self.shared.variables.server_sight();
        let path = Path::new(&sight.shown("datadir")?).join(name);
        let allowed = match sight.read(None, "secure_file_priv")? {
            Value::Str(dir, _) => (!dir.is_empty()).then(|| PathBuf::from(OsStr::from_bytes(&dir))),
            _ => return Err(refused()),
        };
        Ok((path, Allowed(allowed)))
    }
}

/// Error 1290.
fn refused() -> SqlError {
    ER_OPTION_PREVENTS_STATEMENT.error(&[&"--secure-file-priv"])
}

/// The operating system's number and words.
pub(super) fn reason(error: &std::io::Error) -> (i32, String) {
    // Without operation and path, which the caller names.
    let what = error
        .get_ref()
        .and_then(|error| error.source())
        .map_or_else(|| error.to_string(), ToString::to_string);
    let what = what.split(" (os error").next().unwrap_or_default();
    (vfs::raw_os_error(error).unwrap_or_default(), what.to_owned())
}

/// Where users' files may be: `secure_file_priv`; `None`: everywhere.
struct Allowed(Option<PathBuf>);

impl Allowed {
    /// Whether a file may be at a path without symbolic links.
    fn holds(&self, real: &Path) -> bool {
        let Some(dir) = &self.0 else { return true };
        dir.canonicalize().is_ok_and(|dir| real.starts_with(dir))
    }

    /// Whether the directory is one in which a file may be.
    fn holds_parent(&self, path: &Path) -> bool {
        let parent = path.parent().and_then(|parent| parent.canonicalize().ok());
        self.0.is_none() || parent.is_some_and(|parent| self.holds(&parent))
    }
}

/// A file of the server's.
#[derive(Debug)]
struct ServerFile {
    file: File,
    path: PathBuf,
}

impl DataFile for ServerFile {
    fn read(&mut self) -> BoxFuture<'_, Result<Vec<u8>>> {
        Box::pin(async move {
            let mut piece = vec![0; PIECE_SIZE];
            let count = tokio::task::block_in_place(|| self.file.read(&mut piece));
            piece.truncate(count.map_err(|error| {
                let number = error.raw_os_error().unwrap_or_default();
                ER_ERROR_ON_READ.error(&[&self.path.display(), &number, &error])
            })?);
            Ok(piece)
        })
    }
}
