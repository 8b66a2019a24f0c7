//! The [`Vfs`] of a simulated disk: what is refused, and which operation a call is.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustix::io::Errno;

use super::dir::InodeId;
use super::disk::SimDisk;
use super::effect::{Effect, OpKind};
use super::file::SimFile;
use super::key::{Key, normalized};
use super::live::Live;
use crate::error::at;
use crate::{File, LockGuard, Open, Vfs};

impl Vfs for SimDisk {
    fn open(&self, path: &Path, how: Open) -> io::Result<Arc<dyn File>> {
        let mut live = self.live();
        let (key, inode) = live.open(path, how).map_err(at("open", path))?;
        live.opened(inode);
        Ok(Arc::new(SimFile::new(self.clone(), inode, name_of(&key.path()), how != Open::Read)))
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.live().rename(from, to).map_err(at("rename", from))
    }

    fn remove_file(&self, path: &Path) -> io::Result<()> {
        self.live().remove_file(path).map_err(at("remove_file", path))
    }

    fn create_dir_all(&self, path: &Path) -> io::Result<()> {
        self.live().create_dir_all(path).map_err(at("create_dir_all", path))
    }

    fn list(&self, dir: &Path) -> io::Result<Vec<String>> {
        let live = self.live();
        let key = live.existing_dir(dir).map_err(at("list", dir))?;
        Ok(live.state.dirs[&key].cached().keys().cloned().collect())
    }

    fn exists(&self, path: &Path) -> io::Result<bool> {
        let key = normalized(path).map_err(at("exists", path))?;
        let live = self.live();
        Ok(live.state.dirs.contains_key(&key)
            || Key::of(&key).is_ok_and(|key| live.state.lookup(&key).is_some()))
    }

    fn canonical(&self, path: &Path) -> io::Result<PathBuf> {
        if self.exists(path)? {
            normalized(path).map_err(at("canonicalize", path))
        } else {
            Err(at("canonicalize", path)(Errno::NOENT))
        }
    }

    fn sync_dir(&self, dir: &Path) -> io::Result<()> {
        let mut live = self.live();
        let key = live.existing_dir(dir).map_err(at("sync_dir", dir))?;
        live.run(OpKind::SyncDir, &name_of(&key), &Effect::SyncDir(key.clone())).map_err(at("sync_dir", dir))
    }

    /// The capacity is one for the whole disk; without one, it is 2^64 - 1 bytes less what is used.
    fn free_bytes(&self, path: &Path) -> io::Result<u64> {
        if !self.exists(path)? {
            return Err(at("free_bytes", path)(Errno::NOENT));
        }
        Ok(self.live().free_bytes())
    }

    fn lock(&self, path: &Path) -> io::Result<Box<dyn LockGuard>> {
        let mut live = self.live();
        let (_, inode) = live.open(path, Open::Create).map_err(at("lock", path))?;
        if live.locks.contains(&inode) {
            return Err(at("lock", path)(Errno::WOULDBLOCK));
        }
        live.locks.push(inode);
        live.opened(inode);
        Ok(Box::new(SimLock { disk: self.clone(), inode, path: path.to_owned() }))
    }
}

impl Live {
    /// Finds or creates a file.
    fn open(&mut self, path: &Path, how: Open) -> io::Result<(Key, InodeId)> {
        let key = Key::of(path)?;
        self.existing_dir(&key.dir)?;
        if self.state.dirs.contains_key(&key.path()) {
            return Err(Errno::ISDIR.into());
        }
        match (self.state.lookup(&key), how) {
            (Some(_), Open::CreateNew) => return Err(Errno::EXIST.into()),
            (None, Open::Read | Open::ReadWrite) => return Err(Errno::NOENT.into()),
            (Some(inode), _) => return Ok((key, inode)),
            (None, Open::Create | Open::CreatePrivate | Open::CreateNew | Open::Spill | Open::Kept) => {}
        }
        self.run(OpKind::Create, &name_of(&key.path()), &Effect::Create(key.clone()))?;
        let inode = self.state.lookup(&key).expect("created in the line above");
        Ok((key, inode))
    }

    fn rename(&mut self, from: &Path, to: &Path) -> io::Result<()> {
        let (from, to) = (self.existing_file(from)?, Key::of(to)?);
        self.existing_dir(&to.dir)?;
        if self.state.dirs.contains_key(&to.path()) {
            return Err(Errno::ISDIR.into());
        }
        if from == to {
            return Ok(());
        }
        self.run(OpKind::Rename, &name_of(&from.path()), &Effect::Rename(from, to))
    }

    fn remove_file(&mut self, path: &Path) -> io::Result<()> {
        let key = self.existing_file(path)?;
        self.run(OpKind::Remove, &name_of(&key.path()), &Effect::Remove(key))
    }

    fn create_dir_all(&mut self, path: &Path) -> io::Result<()> {
        let path = normalized(path)?;
        let mut missing: Vec<PathBuf> = Vec::new();
        for dir in path.ancestors().take_while(|dir| !self.state.dirs.contains_key(*dir)) {
            if Key::of(dir).is_ok_and(|key| self.state.lookup(&key).is_some()) {
                return Err(Errno::NOTDIR.into());
            }
            missing.push(dir.to_owned());
        }
        if missing.is_empty() {
            return Ok(());
        }
        missing.reverse();
        self.run(OpKind::CreateDirs, &name_of(&path), &Effect::MakeDirs(missing))
    }

    fn existing_dir(&self, path: &Path) -> io::Result<PathBuf> {
        let path = normalized(path)?;
        if self.state.dirs.contains_key(&path) {
            return Ok(path);
        }
        let is_file = Key::of(&path).is_ok_and(|key| self.state.lookup(&key).is_some());
        Err(if is_file { Errno::NOTDIR } else { Errno::NOENT }.into())
    }

    fn existing_file(&self, path: &Path) -> io::Result<Key> {
        let key = Key::of(path)?;
        match self.state.lookup(&key) {
            Some(_) => Ok(key),
            None if self.state.dirs.contains_key(&key.path()) => Err(Errno::ISDIR.into()),
            None => Err(Errno::NOENT.into()),
        }
    }
}

/// Gives the lock back when it is dropped. A power loss or a snapshot does not copy locks.
struct SimLock {
    disk: SimDisk,
    inode: InodeId,
    path: PathBuf,
}

impl LockGuard for SimLock {}

impl Drop for SimLock {
    fn drop(&mut self) {
        let mut live = self.disk.live();
        live.locks.retain(|locked| *locked != self.inode);
        live.closed(self.inode);
    }
}

impl fmt::Debug for SimLock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SimLock").field("path", &self.path).finish_non_exhaustive()
    }
}

/// How operations name a path.
fn name_of(path: &Path) -> Arc<str> {
    path.to_str().expect("keys are UTF-8").into()
}
