//! I/O errors that say what was tried on which path, and what a caller may decide from them.
//!
//! Not an error enum: the traits speak `std::io::Error`, whose kind is kept; what is added is the operation
//! and the path in the message. A wrapped error answers `None` to `io::Error::raw_os_error`, so ask
//! [`raw_os_error`] and [`is_no_space`] instead.

use std::error::Error;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use rustix::io::Errno;

/// The payload of every error that this crate's implementations return.
#[derive(Debug)]
pub struct PathError {
    operation: &'static str,
    path: PathBuf,
    source: io::Error,
}

impl PathError {
    /// The trait method that failed.
    pub fn operation(&self) -> &'static str {
        self.operation
    }

    /// The path given to [`Vfs::open`](crate::Vfs::open), or to the failed method.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl fmt::Display for PathError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}: {}", self.operation, self.path.display(), self.source)
    }
}

impl Error for PathError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(&self.source)
    }
}

/// The operating system's error number, also when the error was wrapped by this crate.
pub fn raw_os_error(error: &io::Error) -> Option<i32> {
    error.raw_os_error().or_else(|| {
        let wrapped = error.get_ref()?.downcast_ref::<PathError>()?;
        raw_os_error(&wrapped.source)
    })
}

/// Whether the file system had no room (`ENOSPC`) or the user no quota (`EDQUOT`): the one failure of a write
/// that a server may survive.
pub fn is_no_space(error: &io::Error) -> bool {
    let codes = [Errno::NOSPC.raw_os_error(), Errno::DQUOT.raw_os_error()];
    matches!(error.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded)
        || raw_os_error(error).is_some_and(|code| codes.contains(&code))
}

/// Whether the process (`EMFILE`) or the machine (`ENFILE`) has no descriptor left: what was asked for may be there later.
pub fn is_no_descriptor(error: &io::Error) -> bool {
    let codes = [Errno::MFILE.raw_os_error(), Errno::NFILE.raw_os_error()];
    raw_os_error(error).is_some_and(|code| codes.contains(&code))
}

/// Wraps an error with its operation and path; for `map_err`.
pub(crate) fn at<E: Into<io::Error>>(operation: &'static str, path: &Path) -> impl FnOnce(E) -> io::Error {
    move |error| {
        let source = error.into();
        io::Error::new(source.kind(), PathError { operation, path: path.to_owned(), source })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrapped_error_keeps_kind_and_number_and_names_its_place() {
        let error = at("write_at", Path::new("dir/file"))(Errno::NOSPC);
        assert_eq!(error.kind(), io::ErrorKind::StorageFull);
        assert_eq!(error.raw_os_error(), None);
        assert_eq!(raw_os_error(&error), Some(Errno::NOSPC.raw_os_error()));
        assert!(is_no_space(&error));
        assert!(error.to_string().starts_with("write_at dir/file: "), "{error}");
        let inner = error.get_ref().unwrap().downcast_ref::<PathError>().unwrap();
        assert_eq!((inner.operation(), inner.path()), ("write_at", Path::new("dir/file")));
        assert!(inner.source().is_some());
    }

    #[test]
    fn only_a_lack_of_space_is_a_lack_of_space() {
        assert!(is_no_space(&io::Error::from(Errno::DQUOT)));
        assert!(is_no_space(&io::ErrorKind::StorageFull.into()));
        assert!(!is_no_space(&at("sync_data", Path::new("x"))(Errno::IO)));
        assert!(!is_no_space(&io::ErrorKind::UnexpectedEof.into()));
    }
}
