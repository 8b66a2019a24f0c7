//! The index file: the names of a log's files, oldest first, one a line (`./binlog.000001`).
//!
//! Every change writes the whole list to a temporary file, syncs it, renames it over the index and syncs the
//! directory, so the index is always a whole list, the old one or the new one. Whatever it lists exists: files are
//! created before they are listed ([`crate::rotate()`]) and removed after they are no longer listed.
//!
//! Reading is tolerant of what people do to such files (no `./`, an absolute path, spaces, blank lines, CRLF, no
//! line break at the end) and strict about what would lose data: another log's files, numbers that do not ascend.

use std::path::{Path, PathBuf};

use vfs::{File, Open, Vfs};

use crate::error::{Error, Result};
use crate::name::BinlogName;

/// What ends the name of the list of files that are about to be removed; MySQL's.
const REMOVAL: &str = "~rec~";

/// The list, and where it is kept. Changes reach the disk before they are visible here.
#[derive(Clone, Debug)]
pub struct BinlogIndex {
    dir: PathBuf,
    base: String,
    names: Vec<BinlogName>,
}

impl BinlogIndex {
    /// Reads the index `base`.index of the log `base` in `dir`; a missing one is an empty list. Removes the
    /// temporary file of a change that a crash interrupted, and syncs what was read: a process that was killed may
    /// have left it in the page cache only.
    pub fn open(vfs: &dyn Vfs, dir: &Path, base: &str) -> Result<Self> {
        let mut index = Self { dir: dir.to_owned(), base: base.to_owned(), names: Vec::new() };
        let temporary = index.temporary_path();
        if vfs.exists(&temporary)? {
            vfs.remove_file(&temporary)?;
        }
        let path = index.path();
        if vfs.exists(&path)? {
            let file = vfs.open(&path, Open::Read)?;
            file.drop_clean_pages(0)?;
            index.names = index.parse(&read_list(&*file)?)?;
            file.sync_all()?;
            vfs.sync_dir(dir)?;
        }
        Ok(index)
    }

    /// The files, oldest first.
    pub fn names(&self) -> &[BinlogName] {
        &self.names
    }

    /// The newest file.
    pub fn last(&self) -> Option<&BinlogName> {
        self.names.last()
    }

    /// The name of the file after the newest, or the first; `None` when numbers are exhausted.
    pub fn next_name(&self) -> Option<BinlogName> {
        self.last().map_or_else(|| Some(BinlogName::new(&self.base, 1)), BinlogName::next)
    }

    /// The directory of the files and the index.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// The index file.
    pub fn path(&self) -> PathBuf {
        self.dir.join(format!("{}.index", self.base))
    }

    /// Where a file of the log is.
    pub fn path_of(&self, name: &BinlogName) -> PathBuf {
        self.dir.join(name.to_string())
    }

    /// Appends a file, which exists and is synced. A file that is already the last changes nothing: recovery
    /// repeats a rotation whose index had been written.
    ///
    /// # Panics
    /// If the name is another log's, or not above the last.
    pub fn add(&mut self, vfs: &dyn Vfs, name: BinlogName) -> Result<()> {
        if self.last() == Some(&name) {
            return Ok(());
        }
        assert_eq!(name.base(), self.base, "an index lists one log");
        assert!(self.last().is_none_or(|last| *last < name), "files are added in ascending order");
        let mut names = self.names.clone();
        names.push(name);
        self.replace(vfs, names)
    }

    /// Takes all files below `first` off the list and returns them, to be removed by [`BinlogIndex::finish_removal`], in a later
    /// run if need be: their names are kept in a file. The newest file always stays.
    pub fn purge_below(&mut self, vfs: &dyn Vfs, first: &BinlogName) -> Result<Vec<BinlogName>> {
        let count = self.names.partition_point(|name| name < first).min(self.names.len().saturating_sub(1));
        if count > 0 {
            let mut doomed = self.doomed(vfs)?;
            doomed.extend_from_slice(&self.names[..count]);
            write_list(vfs, &self.removal_path(), &doomed)?;
            vfs.sync_dir(&self.dir)?;
        }
        self.take_off(vfs, 0, count)
    }

    /// Removes the files that were purged and may still be there. One that cannot be removed is an error, when all others are gone.
    pub fn finish_removal(&self, vfs: &dyn Vfs) -> Result<()> {
        let path = self.removal_path();
        if !vfs.exists(&path)? {
            return Ok(());
        }
        let failed =
            self.doomed(vfs)?.iter().filter_map(|name| self.remove_file(vfs, name).err()).next_back();
        if let Some(error) = failed {
            return Err(error);
        }
        vfs.sync_dir(&self.dir)?;
        vfs.remove_file(&path)?;
        Ok(vfs.sync_dir(&self.dir)?)
    }

    /// The files that a purge has begun to remove.
    fn doomed(&self, vfs: &dyn Vfs) -> Result<Vec<BinlogName>> {
        let path = self.removal_path();
        if !vfs.exists(&path)? {
            return Ok(Vec::new());
        }
        let text = read_list(&*vfs.open(&path, Open::Read)?)?;
        // Cut short, it was not made use of.
        let lines = text.split_inclusive(|byte| *byte == b'\n').filter_map(|line| line.strip_suffix(b"\n"));
        let names = lines.filter_map(|line| self.parse_line(std::str::from_utf8(line).ok()?).ok());
        // A purge takes those before all others.
        Ok(names.filter(|name| self.names.first().is_none_or(|first| name < first)).collect())
    }

    /// Takes all files above `last` off the list and returns them: recovery cuts a tail of whole files.
    pub fn cut_above(&mut self, vfs: &dyn Vfs, last: &BinlogName) -> Result<Vec<BinlogName>> {
        let kept = self.names.partition_point(|name| name <= last);
        self.take_off(vfs, kept, self.names.len())
    }

    /// Empties the list and removes all files of the log, listed or not: RESET BINARY LOGS.
    pub fn remove_all(&mut self, vfs: &dyn Vfs) -> Result<()> {
        self.take_off(vfs, 0, self.names.len())?;
        if vfs.exists(&self.removal_path())? {
            // Its numbers come again.
            vfs.remove_file(&self.removal_path())?;
        }
        let gone = self.unlisted(vfs)?;
        self.remove_files(vfs, &gone)
    }

    /// Removes files that are no longer listed and syncs the directory. Files that are already gone are passed over.
    ///
    /// # Panics
    /// If one is still listed.
    pub fn remove_files(&self, vfs: &dyn Vfs, names: &[BinlogName]) -> Result<()> {
        for name in names {
            self.remove_file(vfs, name)?;
        }
        Ok(vfs.sync_dir(&self.dir)?)
    }

    fn remove_file(&self, vfs: &dyn Vfs, name: &BinlogName) -> Result<()> {
        assert!(self.names.binary_search(name).is_err(), "a file leaves the index before it is removed");
        match vfs.remove_file(&self.path_of(name)) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error.into()),
            _ => Ok(()),
        }
    }

    /// Files of this log that lie in the directory and are not listed, ascending: what a crash left in the middle of a
    /// rotation (behind the last one), or what people have put there.
    pub fn unlisted(&self, vfs: &dyn Vfs) -> Result<Vec<BinlogName>> {
        let files = vfs.list(&self.dir)?;
        let names = files.iter().filter_map(|file| BinlogName::parse(file));
        let mut names: Vec<_> = names
            .filter(|name| name.base() == self.base && self.names.binary_search(name).is_err())
            .collect();
        names.sort();
        Ok(names)
    }

    fn take_off(&mut self, vfs: &dyn Vfs, from: usize, to: usize) -> Result<Vec<BinlogName>> {
        if from >= to {
            return Ok(Vec::new());
        }
        let mut names = self.names.clone();
        let gone = names.drain(from..to).collect();
        self.replace(vfs, names)?;
        Ok(gone)
    }

    fn removal_path(&self) -> PathBuf {
        self.dir.join(format!("{}.{REMOVAL}", self.base))
    }

    fn temporary_path(&self) -> PathBuf {
        self.dir.join(format!("{}.index_crash_safe", self.base))
    }

    fn replace(&mut self, vfs: &dyn Vfs, names: Vec<BinlogName>) -> Result<()> {
        let temporary = self.temporary_path();
        write_list(vfs, &temporary, &names)?;
        let path = self.path();
        vfs.rename(&temporary, &path)?;
        vfs.sync_dir(&self.dir)?;
        self.names = names;
        Ok(())
    }

    fn parse(&self, text: &[u8]) -> Result<Vec<BinlogName>> {
        let mut names: Vec<BinlogName> = Vec::new();
        for (index, line) in text.split(|byte| *byte == b'\n').enumerate() {
            let error = |what| Error::Index { path: self.path(), line: index + 1, what };
            let line = line.trim_ascii();
            if line.is_empty() {
                continue;
            }
            let line = std::str::from_utf8(line).map_err(|_| error("not UTF-8"))?;
            let name = self.parse_line(line).map_err(error)?;
            if names.last().is_some_and(|last| *last >= name) {
                return Err(error("the file's number is not above the one before"));
            }
            names.push(name);
        }
        Ok(names)
    }

    fn parse_line(&self, line: &str) -> std::result::Result<BinlogName, &'static str> {
        let path = Path::new(line);
        let dir = path.parent().unwrap_or(Path::new(""));
        if !(dir == Path::new("") || dir == Path::new(".") || dir == self.dir) {
            return Err("the file is in another directory");
        }
        let file = path.file_name().and_then(|file| file.to_str()).ok_or("not a file's name")?;
        let name = BinlogName::parse(file).ok_or("not a binlog file's name")?;
        if name.base() == self.base { Ok(name) } else { Err("the file belongs to another log") }
    }
}

/// Writes a list of files anew, and syncs it.
fn write_list(vfs: &dyn Vfs, path: &Path, names: &[BinlogName]) -> Result<()> {
    let text = names.iter().fold(String::new(), |text, name| text + "./" + &name.to_string() + "\n");
    let file = vfs.open(path, Open::Create)?;
    file.set_len(0)?;
    file.write_at(text.as_bytes(), 0)?;
    Ok(file.sync_all()?)
}

fn read_list(file: &dyn File) -> Result<Vec<u8>> {
    let len = usize::try_from(file.len()?).expect("a list of files is small");
    let mut text = vec![0; len];
    file.read_exact_at(&mut text, 0)?;
    Ok(text)
}
