//! What a power loss may leave, worked out in the simplest way: for each byte of each file the set of values
//! that may be found there, for each file the bounds of its length, for each name the set of files it may
//! stand for.
//!
//! Written from the documentation of the traits alone, byte by byte, and shares no idea with the simulated
//! disk: it has no lists of operations and no images. It knows what is legal, not what is likely.

use std::collections::{BTreeMap, BTreeSet};

use vfs::sim::CrashMode;

/// Longest file of the model.
pub const BYTES_MAX: usize = 5 * 4096;
/// A tagged file begins with this many bytes of its [`tag`], synced when it is created and never written
/// again.
pub const TAG_BYTES: usize = 16;

pub type FileId = u8;
pub type Name = (&'static str, u8);

/// One operation. The files and names in it exist when it is done.
#[derive(Clone, Debug)]
pub enum Step {
    Create { name: Name, tagged: bool },
    Write { file: FileId, offset: usize, count: usize, value: u8 },
    WriteDurable { file: FileId, offset: usize, count: usize, value: u8 },
    SetLen { file: FileId, len: usize },
    SyncData { file: FileId },
    SyncAll { file: FileId },
    Rename { from: Name, to: Name },
    Remove { name: Name },
    SyncDir { dir: &'static str },
}

/// The byte that fills the tag of a file.
pub fn tag(file: FileId) -> u8 {
    file + 1
}

#[derive(Clone, Default)]
pub struct Model {
    files: Vec<FileModel>,
    /// What readers see.
    pub names: BTreeMap<Name, FileId>,
    possible: BTreeMap<Name, BTreeSet<Option<FileId>>>,
    moves: Vec<Move>,
}

/// A rename across directories of which not both were synced.
#[derive(Clone)]
struct Move {
    file: FileId,
    from: Name,
    to_dir: &'static str,
    from_synced: bool,
}

#[derive(Clone)]
struct FileModel {
    tagged: bool,
    /// It once had a durable name, and no remove or rename has taken its last name since.
    anchored: bool,
    seen: Vec<u8>,
    /// For each byte seen: whether it was written, rather than grown over.
    written: Vec<bool>,
    /// For each place: the values that may be found there, as a set of 256 bits.
    possible: Vec<[u64; 4]>,
    /// For each place: whether an unsynced write went over it.
    dirty: Vec<bool>,
    len_min: usize,
    len_max: usize,
    /// `set_len` was called since the last `sync_all`.
    len_pending: bool,
}

impl Model {
    pub fn file_count(&self) -> usize {
        self.files.len()
    }

    pub fn apply(&mut self, step: &Step) {
        match *step {
            Step::Create { name, tagged } => self.create(name, tagged),
            Step::Write { file, offset, count, value } => self.file(file).write(offset, count, value),
            Step::WriteDurable { file, offset, count, value } => {
                self.file(file).write(offset, count, value);
                self.file(file).settle(offset, offset + count);
            }
            Step::SetLen { file, len } => self.file(file).set_len(len),
            Step::SyncData { file } => self.file(file).sync_data(),
            Step::SyncAll { file } => self.file(file).sync_all(),
            Step::Rename { from, to } => self.rename(from, to),
            Step::Remove { name } => {
                let file = self.names.remove(&name).unwrap();
                self.files[usize::from(file)].anchored = false;
                self.may_be(name, None);
            }
            Step::SyncDir { dir } => self.sync_dir(dir),
        }
    }

    /// The step as it is while it runs: nothing of it is promised yet.
    pub fn apply_in_flight(&mut self, step: &Step) {
        match *step {
            Step::SyncData { .. } | Step::SyncAll { .. } | Step::SyncDir { .. } => {}
            Step::WriteDurable { file, offset, count, value } => self.file(file).write(offset, count, value),
            _ => self.apply(step),
        }
    }

    /// Whether a disk found after a power loss is legal.
    pub fn check(&self, mode: CrashMode, found: &BTreeMap<Name, Vec<u8>>) -> Result<(), String> {
        let never = BTreeSet::from([None]);
        for name in found.keys().chain(self.possible.keys()) {
            let possible = self.possible.get(name).unwrap_or(&never);
            let Some(bytes) = found.get(name) else {
                if possible.contains(&None) {
                    continue;
                }
                return Err(format!("{name:?} is gone; it was one of {possible:?}"));
            };
            let verdicts = possible.iter().flatten().map(|&file| (file, self.accepts(file, mode, bytes)));
            let verdicts: Vec<_> = verdicts.collect();
            if verdicts.iter().all(|(_, verdict)| verdict.is_err()) {
                return Err(format!("{name:?} is none of its possible files: {verdicts:?}"));
            }
        }
        for (file, _) in (0..).zip(&self.files).filter(|(_, file)| file.anchored && file.tagged) {
            let is_it = |bytes: &Vec<u8>| bytes.starts_with(&[tag(file); TAG_BYTES]);
            if !found.values().any(is_it) {
                return Err(format!("file {file} is gone under every name"));
            }
        }
        Ok(())
    }

    fn accepts(&self, file: FileId, mode: CrashMode, bytes: &[u8]) -> Result<(), String> {
        let model = &self.files[usize::from(file)];
        if !(model.len_min..=model.len_max).contains(&bytes.len()) {
            return Err(format!("length {} not in {}..={}", bytes.len(), model.len_min, model.len_max));
        }
        let invents = matches!(mode, CrashMode::Garbage512 | CrashMode::OldBytes);
        for (at, &byte) in bytes.iter().enumerate() {
            let legal = has(&model.possible[at], byte) || (invents && model.dirty[at]);
            if !legal {
                return Err(format!("byte {at} is {byte}"));
            }
        }
        Ok(())
    }

    fn file(&mut self, file: FileId) -> &mut FileModel {
        &mut self.files[usize::from(file)]
    }

    fn may_be(&mut self, name: Name, file: Option<FileId>) {
        self.possible.entry(name).or_insert_with(|| BTreeSet::from([None])).insert(file);
    }

    fn create(&mut self, name: Name, tagged: bool) {
        let file = FileId::try_from(self.files.len()).unwrap();
        self.files.push(FileModel {
            tagged,
            anchored: false,
            seen: Vec::new(),
            written: Vec::new(),
            possible: vec![[1, 0, 0, 0]; BYTES_MAX],
            dirty: vec![false; BYTES_MAX],
            len_min: 0,
            len_max: 0,
            len_pending: false,
        });
        self.names.insert(name, file);
        self.may_be(name, Some(file));
    }

    fn rename(&mut self, from: Name, to: Name) {
        let file = self.names.remove(&from).unwrap();
        if let Some(replaced) = self.names.insert(to, file) {
            self.file(replaced).anchored = false;
        }
        self.may_be(from, None);
        self.may_be(to, Some(file));
        self.moves.retain(|old| (old.file, old.from) != (file, to));
        if from.0 != to.0 {
            self.moves.push(Move { file, from, to_dir: to.0, from_synced: false });
        }
    }

    fn sync_dir(&mut self, dir: &str) {
        for (name, possible) in self.possible.iter_mut().filter(|((of, _), _)| *of == dir) {
            *possible = BTreeSet::from([self.names.get(name).copied()]);
        }
        let (arrived, moves): (Vec<Move>, _) = self.moves.drain(..).partition(|moved| moved.to_dir == dir);
        self.moves = moves;
        for moved in &mut self.moves {
            if moved.from.0 == dir {
                moved.from_synced = true;
                // The departure waits for the arrival, unless the name has a new file.
                if !self.names.contains_key(&moved.from) {
                    self.possible.get_mut(&moved.from).unwrap().insert(Some(moved.file));
                }
            }
        }
        for moved in arrived.iter().filter(|moved| moved.from_synced) {
            let possible = self.possible.get_mut(&moved.from).unwrap();
            possible.remove(&Some(moved.file));
        }
        for (name, &file) in self.names.iter().filter(|((of, _), _)| *of == dir) {
            assert_eq!(self.possible[name], BTreeSet::from([Some(file)]));
            self.files[usize::from(file)].anchored = true;
        }
    }
}

impl FileModel {
    fn write(&mut self, offset: usize, count: usize, value: u8) {
        let end = offset + count;
        if self.seen.len() < end {
            self.seen.resize(end, 0);
            self.written.resize(end, false);
        }
        for at in offset..end {
            self.seen[at] = value;
            self.written[at] = true;
            self.dirty[at] = true;
            add(&mut self.possible[at], value);
        }
        self.len_max = self.len_max.max(end);
    }

    fn set_len(&mut self, len: usize) {
        self.seen.resize(len, 0);
        self.written.resize(len, false);
        for possible in &mut self.possible[len..] {
            add(possible, 0);
        }
        self.len_min = self.len_min.min(len);
        self.len_max = self.len_max.max(len);
        self.len_pending = true;
    }

    /// The bytes of a range that were written are there for good, and the length to reach them.
    fn settle(&mut self, start: usize, end: usize) {
        for at in start..end.min(self.seen.len()) {
            if self.written[at] {
                self.possible[at] = [0; 4];
                add(&mut self.possible[at], self.seen[at]);
                self.dirty[at] = false;
                self.len_min = self.len_min.max(at + 1);
            }
        }
    }

    fn sync_data(&mut self) {
        if self.len_pending {
            self.settle(0, BYTES_MAX);
        } else {
            self.sync_all();
        }
    }

    fn sync_all(&mut self) {
        for at in 0..BYTES_MAX {
            self.possible[at] = [0; 4];
            add(&mut self.possible[at], self.seen.get(at).copied().unwrap_or(0));
            self.dirty[at] = false;
        }
        self.len_min = self.seen.len();
        self.len_max = self.seen.len();
        self.len_pending = false;
    }
}

fn add(set: &mut [u64; 4], value: u8) {
    set[usize::from(value / 64)] |= 1 << (value % 64);
}

fn has(set: &[u64; 4], value: u8) -> bool {
    set[usize::from(value / 64)] & (1 << (value % 64)) != 0
}
