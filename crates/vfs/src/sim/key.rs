//! The names of a simulated disk.
//!
//! Paths are plain keys with parents: `.` is dropped, `..` is refused (there is nothing to resolve it
//! against), and absolute and relative paths never meet.

use std::io;
use std::path::{Component, Path, PathBuf};

use rustix::io::Errno;

/// A directory and a name in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Key {
    pub(super) dir: PathBuf,
    pub(super) name: String,
}

impl Key {
    /// The place of a file. Error kind `InvalidInput` for a path that can have none.
    pub(super) fn of(path: &Path) -> io::Result<Self> {
        let path = normalized(path)?;
        let name = path.file_name().and_then(|name| name.to_str()).ok_or(Errno::INVAL)?;
        let dir = path.parent().ok_or(Errno::INVAL)?;
        Ok(Self { dir: dir.to_owned(), name: name.to_owned() })
    }

    /// The path of this name.
    pub(super) fn path(&self) -> PathBuf {
        self.dir.join(&self.name)
    }
}

/// The key of a directory.
pub(super) fn normalized(path: &Path) -> io::Result<PathBuf> {
    if path.to_str().is_none() || path.components().any(|part| part == Component::ParentDir) {
        return Err(Errno::INVAL.into());
    }
    Ok(path.components().filter(|part| *part != Component::CurDir).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_a_path_are_one_key() {
        let key = Key::of(Path::new("./a//b/./c/")).unwrap();
        assert_eq!(key, Key { dir: "a/b".into(), name: "c".into() });
        assert_eq!(key.path(), Path::new("a/b/c"));
        assert_eq!(Key::of(Path::new("c")).unwrap().dir, Path::new(""));
        assert_eq!(Key::of(Path::new("/c")).unwrap().dir, Path::new("/"));
        for refused in ["", "/", ".", "a/../b"] {
            assert!(Key::of(Path::new(refused)).is_err(), "{refused}");
        }
    }
}
