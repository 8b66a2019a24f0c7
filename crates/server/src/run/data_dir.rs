//! The data directory: whose it is, and who this server is.
//!
//! | name | what |
//! | --- | --- |
//! | `base.redb`, `ballast` | table store, and room that it gives up when the disk is full |
//! | `redo/` | redo segments |
//! | `binlog.000001` .., `binlog.index` | binary log, unless `--log-bin` says elsewhere |
//! | `auto.cnf` | `server_uuid`, as mysqld has it, and a secret for answers to unknown users |
//! | `ca.pem`, `server-cert.pem`, `ca-key.pem`, `server-key.pem` | certificates and their keys, as mysqld has them |
//! | `private_key.pem`, `public_key.pem` | what passwords are sealed with that do not come under TLS, as mysqld has them |
//! | `onelog.lock` | locked while a server runs |
//! | `tmp/` | transaction caches that do not fit memory; emptied at each start |

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::{io, iter};

use binlog::Uuid;
use vfs::{LockGuard, Open, Vfs};

use super::StartError;
use crate::random::random;

/// Who the server is; kept in `auto.cnf`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Identity {
    /// `server_uuid`
    pub(super) uuid: Uuid,
    /// See [`crate::accounts::Accounts::load`].
    pub(super) secret: [u8; 32],
}

/// A data directory that this process has until it drops this. That may be when no thread can write into it any more: behind
/// the end of the runtime that a server ran in, for threads outlive [`super::Server::stop`].
#[derive(Debug)]
pub struct DataDir {
    pub(super) path: PathBuf,
    _lock: Box<dyn LockGuard>,
}

/// Makes the directory if it is missing, and takes it for this process.
pub(super) fn take(vfs: &dyn Vfs, dir: &Path) -> Result<DataDir, StartError> {
    vfs.create_dir_all(dir).map_err(at(dir))?;
    let path = dir.join("onelog.lock");
    match vfs.lock(&path) {
        Ok(lock) => Ok(DataDir { path: dir.to_owned(), _lock: lock }),
        Err(error) if error.kind() == io::ErrorKind::WouldBlock => Err(StartError::InUse(dir.to_owned())),
        Err(error) => Err(at(&path)(error)),
    }
}

/// Refuses a directory whose table store is gone while its redo log is there: what the logs say builds on it.
pub(super) fn check_whole(vfs: &dyn Vfs, dir: &Path) -> Result<(), StartError> {
    let (base, redo) = (dir.join("base.redb"), dir.join("redo"));
    let has_base = vfs.exists(&base).map_err(at(&base))?;
    let has_redo = vfs.exists(&redo).map_err(at(&redo))? && !vfs.list(&redo).map_err(at(&redo))?.is_empty();
    if has_redo && !has_base {
        return Err(StartError::File {
            path: base,
            what: "the table store is missing, though there is a redo log; restore the whole data directory, or start \
                   with an empty one"
                .to_owned(),
        });
    }
    Ok(())
}

/// Refuses places of logs within directories where the server removes and renames what it finds: `log_bin` is the binary log's
/// directory and base name, `store` the binlog store's directory, if it has one.
pub(super) fn check_apart(
    vfs: &dyn Vfs,
    dir: &Path,
    log_bin: &str,
    store: Option<&str>,
) -> Result<(), StartError> {
    let log_bin = dir.join(log_bin);
    let place = |path: &Path| {
        // What is missing is made below what is there.
        let found = path.ancestors().find_map(|there| Some((there, vfs.canonical(there).ok()?)));
        found.map_or_else(
            || path.to_owned(),
            |(there, found)| found.join(path.strip_prefix(there).unwrap_or(path)),
        )
    };
    let [tmp, redo] = ["tmp", "redo"].map(|name| place(&dir.join(name)));
    let (logs, store) = (place(log_bin.parent().unwrap_or(dir)), store.map(|store| place(&dir.join(store))));
    let refuse = |option: &str, path: &Path, what: &str| {
        Err(StartError::Option(format!("{option}: {} {what}; choose another directory", path.display())))
    };
    for (option, path) in
        iter::once(("log_bin", &logs)).chain(store.iter().map(|path| ("enhanced_binlog_dir", path)))
    {
        if path.starts_with(&tmp) || path.starts_with(&redo) {
            return refuse(option, path, "is the server's own");
        }
    }
    // Segments of the store are named so.
    if store.is_some_and(|store| store == logs) && log_bin.file_name().is_some_and(|base| base == "redo") {
        return refuse("log_bin", &log_bin, "has the names of the binlog store's files");
    }
    Ok(())
}

/// Empties the directory of spilled transaction caches.
pub(super) fn empty_tmp(vfs: &dyn Vfs, dir: &Path) -> Result<PathBuf, StartError> {
    let tmp = dir.join("tmp");
    vfs.create_dir_all(&tmp).map_err(at(&tmp))?;
    for name in vfs.list(&tmp).map_err(at(&tmp))? {
        let path = tmp.join(name);
        vfs.remove_file(&path).map_err(at(&path))?;
    }
    Ok(tmp)
}

/// Reads `auto.cnf`, or makes it.
pub(super) fn identity(vfs: &Arc<dyn Vfs>, dir: &Path) -> Result<Identity, StartError> {
    let path = dir.join("auto.cnf");
    if vfs.exists(&path).map_err(at(&path))? {
        let wrong = || {
            StartError::File {
            path: path.clone(),
            what: "it does not name this server (server-uuid, login-secret below [auto]); restore it, or remove it \
                   to give the server a new identity"
                .to_owned(),
        }
        };
        let text = read(&**vfs, &path).map_err(at(&path))?;
        return parse(&text).ok_or_else(wrong);
    }
    let mut uuid: [u8; 16] = random();
    // Version 4, RFC 9562.
    uuid[6] = uuid[6] & 0x0F | 0x40;
    uuid[8] = uuid[8] & 0x3F | 0x80;
    let identity = Identity { uuid: Uuid(uuid), secret: random() };
    write(&**vfs, dir, &path, &identity).map_err(at(&path))?;
    Ok(identity)
}

/// An error of the operating system about a path.
pub(super) fn at(path: &Path) -> impl Fn(io::Error) -> StartError + '_ {
    |error| StartError::Io { path: path.to_owned(), error }
}

/// A small file, whole.
pub(crate) fn read(vfs: &dyn Vfs, path: &Path) -> io::Result<String> {
    let file = vfs.open(path, Open::Read)?;
    let size = usize::try_from(file.len()?).map_err(|_| io::ErrorKind::InvalidData)?;
    let mut bytes = vec![0; size];
    file.read_exact_at(&mut bytes, 0)?;
    String::from_utf8(bytes).map_err(|_| io::ErrorKind::InvalidData.into())
}

/// Whole or not at all: under another name first.
fn write(vfs: &dyn Vfs, dir: &Path, path: &Path, identity: &Identity) -> io::Result<()> {
    let mut text = format!("[auto]\nserver-uuid={}\nlogin-secret=", identity.uuid);
    for byte in identity.secret {
        write!(text, "{byte:02x}").expect("a text takes everything");
    }
    text.push('\n');
    let unborn = dir.join("auto.cnf.new");
    stage(vfs, &unborn, Open::Create, text.as_bytes())?;
    vfs.rename(&unborn, path)?;
    vfs.sync_dir(dir)
}

/// Writes a small file under the name that it has until it is whole; the caller renames it and syncs the directory.
pub(super) fn stage(vfs: &dyn Vfs, path: &Path, how: Open, bytes: &[u8]) -> io::Result<()> {
    let file = vfs.open(path, how)?;
    file.set_len(0)?;
    file.write_at(bytes, 0)?;
    file.sync_all()
}

fn parse(text: &str) -> Option<Identity> {
    let value = |name: &str| {
        text.lines().find_map(|line| line.strip_prefix(name)?.trim_start().strip_prefix('=')).map(str::trim)
    };
    let hex = value("login-secret")?;
    let mut secret = [0; 32];
    if hex.len() != 64 || !hex.is_ascii() {
        return None;
    }
    for (place, byte) in secret.iter_mut().enumerate() {
        *byte = u8::from_str_radix(&hex[2 * place..2 * place + 2], 16).ok()?;
    }
    Some(Identity { uuid: value("server-uuid")?.parse().ok()?, secret })
}

#[cfg(test)]
mod tests {
    use vfs::sim::SimDisk;

    use super::*;

    #[test]
    fn an_identity_is_made_once() {
        let vfs: Arc<dyn Vfs> = Arc::new(SimDisk::new());
        let dir = Path::new("/data");
        let _guard = take(&*vfs, dir).unwrap();
        let first = identity(&vfs, dir).unwrap();
        let second = identity(&vfs, dir).unwrap();
        assert_eq!((first.uuid, first.secret), (second.uuid, second.secret));
        assert_eq!(first.uuid.0[6] >> 4, 4);
    }

    #[test]
    fn a_damaged_identity_is_refused_with_the_files_name() {
        let vfs: Arc<dyn Vfs> = Arc::new(SimDisk::new());
        let dir = Path::new("/data");
        vfs.create_dir_all(dir).unwrap();
        let file = vfs.open(&dir.join("auto.cnf"), Open::Create).unwrap();
        file.write_at(b"[auto]\nserver-uuid=nonsense\n", 0).unwrap();
        let error = identity(&vfs, dir).unwrap_err().to_string();
        assert!(error.starts_with("/data/auto.cnf: it does not name this server"), "{error}");
    }

    #[test]
    fn a_redo_log_without_its_table_store_is_refused() {
        let vfs: Arc<dyn Vfs> = Arc::new(SimDisk::new());
        let dir = Path::new("/data");
        vfs.create_dir_all(&dir.join("redo")).unwrap();
        check_whole(&*vfs, dir).unwrap();
        vfs.open(&dir.join("redo/redo.1"), Open::Create).unwrap();
        let error = check_whole(&*vfs, dir).unwrap_err().to_string();
        assert!(error.starts_with("/data/base.redb: the table store is missing"), "{error}");
    }

    #[test]
    fn a_directory_in_use_is_refused() {
        let vfs: Arc<dyn Vfs> = Arc::new(SimDisk::new());
        let dir = Path::new("/data");
        let _guard = take(&*vfs, dir).unwrap();
        let error = take(&*vfs, dir).unwrap_err().to_string();
        assert!(error.contains("in use by another process"), "{error}");
    }
}
