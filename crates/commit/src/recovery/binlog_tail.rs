//! The binlog's tail, as recovery finds and leaves it.
//!
//! While redo is read, bytes that it has are written where they belong, over others if need be, and nothing gets shorter:
//! behind damage that redo can mend there may be events of which the file has the only copy. Lengths are settled when it is
//! known what is kept and nothing can be refused any more.

use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use binlog::{BinlogIndex, BinlogName, LogFile};
use vfs::{File, Open, Vfs};

use super::known_file::KnownFile;
use super::replay::Kept;
use crate::FatalError;
use crate::record::{self, BinlogPlace, EventsPlace, RotationRecord};

/// See the module.
#[derive(Debug)]
pub(super) struct BinlogTail {
    vfs: Arc<dyn Vfs>,
    pub(super) index: BinlogIndex,
    base: String,
    /// Whether this run may cut it.
    pub(super) is_own: bool,
    /// The file that was looked at last.
    open: Option<(u32, KnownFile)>,
    /// Records of rotations that are kept and were not looked at yet, in order.
    rotations: Vec<Vec<u8>>,
    /// Files that end with a ROTATE event, and where that is.
    closed: Vec<BinlogPlace>,
    pub(super) bytes_read: u64,
    pub(super) bytes_cut: u64,
    pub(super) bytes_rebuilt: u64,
}

impl BinlogTail {
    /// Opens the log at `path`: a directory and a base name.
    pub(super) fn open(vfs: Arc<dyn Vfs>, path: &Path) -> Result<Self, FatalError> {
        let invalid = || FatalError::Corrupt(format!("{} does not name a binlog", path.display()));
        let base = path.file_name().and_then(|base| base.to_str()).ok_or_else(invalid)?.to_owned();
        let dir = path.parent().ok_or_else(invalid)?;
        let index = BinlogIndex::open(&*vfs, dir, &base)?;
        Ok(Self {
            vfs,
            index,
            base,
            is_own: true,
            open: None,
            rotations: Vec::new(),
            closed: Vec::new(),
            bytes_read: 0,
            bytes_cut: 0,
            bytes_rebuilt: 0,
        })
    }

    /// Whether a transaction's events are there, bit by bit.
    pub(super) fn holds(&mut self, events: &EventsPlace, crc32c: u32) -> Result<bool, FatalError> {
        let Some(file) = self.file(events.file)? else { return Ok(false) };
        let found = file.crc32c(events.start..events.start + events.size)?;
        self.bytes_read += file.take_bytes_read();
        Ok(found == Some(crc32c))
    }

    /// The length of a file; `None` if it is missing.
    pub(super) fn len(&mut self, number: u32) -> Result<Option<u64>, FatalError> {
        Ok(self.file(number)?.map(|file| file.len()))
    }

    /// A rotation is kept.
    pub(super) fn note_rotation(&mut self, body: &[u8]) {
        self.rotations.push(body.to_vec());
    }

    /// Before the first bytes that belong at `place`: everything before it is there.
    pub(super) fn begin_at(&mut self, place: BinlogPlace) -> Result<(), FatalError> {
        self.complete_rotations()?;
        self.check_length(place)
    }

    /// Makes a file hold these bytes at a place that it reaches. Those that are there stay, and so does all that is behind.
    pub(super) fn put(&mut self, place: BinlogPlace, bytes: &[u8]) -> Result<(), FatalError> {
        let Some(file) = self.file(place.file)? else { return Err(self.too_short(0, place)) };
        let holds = file.holds(place.position, bytes)?;
        if !holds {
            file.write(place.position, bytes)?;
        }
        self.bytes_read += file.take_bytes_read();
        self.bytes_rebuilt += if holds { 0 } else { bytes.len() as u64 };
        Ok(())
    }

    /// Removes all files: a RESET has not come to its end.
    pub(super) fn remove_all(&mut self) -> Result<(), FatalError> {
        Ok(self.index.remove_all(&*self.vfs)?)
    }

    fn complete_rotations(&mut self) -> Result<(), FatalError> {
        for body in std::mem::take(&mut self.rotations) {
            let rotation = record::decode_rotation(&body).expect("it was decoded when it was kept");
            self.complete(&rotation)?;
        }
        Ok(())
    }

    /// Makes the files be what was kept: completes rotations, cuts what lies behind the end, syncs everything that
    /// may have been written since `checkpoint`.
    pub(super) fn restore(&mut self, kept: &Kept, checkpoint: Option<BinlogPlace>) -> Result<(), FatalError> {
        let Some(end) = kept.binlog else { return Ok(()) };
        self.complete_rotations()?;
        if !self.is_own {
            self.refuse_to_cut(end)?;
        }
        self.open = None;
        for place in std::mem::take(&mut self.closed) {
            self.end_file(place)?;
        }
        self.cut(end)?;
        self.sync_from(checkpoint.map_or(end.file, |place| place.file))
    }

    /// Makes the ROTATE event and the new file's header be there as the record says.
    fn complete(&mut self, rotation: &RotationRecord<'_>) -> Result<(), FatalError> {
        let start = BinlogPlace { file: rotation.old_file, position: rotation.rotate_start };
        self.check_length(start)?;
        self.put(start, rotation.rotate)?;
        self.closed.push(BinlogPlace { position: start.position + rotation.rotate.len() as u64, ..start });
        let new = self.name(rotation.new_file);
        let file = self.vfs.open(&self.index.path_of(&new), Open::Create)?;
        file.drop_clean_pages(0)?;
        if !begins_with(&file, rotation.header)? {
            file.write_at(rotation.header, 0)?;
            file.sync_all()?;
            // What is known of a file may be of this one.
            self.open = None;
            self.bytes_rebuilt += rotation.header.len() as u64;
        }
        self.vfs.sync_dir(self.index.dir())?;
        if self.index.names().binary_search(&new).is_err() {
            self.index.add(&*self.vfs, new)?;
        }
        Ok(())
    }

    /// Refuses a file that lacks what must be there by itself: redo goes on behind it.
    fn check_length(&mut self, place: BinlogPlace) -> Result<(), FatalError> {
        match self.len(place.file)?.unwrap_or(0) {
            len if len < place.position => Err(self.too_short(len, place)),
            _ => Ok(()),
        }
    }

    fn too_short(&self, len: u64, wanted: BinlogPlace) -> FatalError {
        FatalError::Corrupt(format!(
            "binlog file {} ends at {len}, before position {} that redo goes on from; restore the file",
            self.path_of(wanted.file).display(),
            wanted.position
        ))
    }

    /// Cuts what is behind the end of a file, and closes it.
    fn end_file(&mut self, end: BinlogPlace) -> Result<(), FatalError> {
        let mut file = LogFile::open(&*self.vfs, &self.path_of(end.file))?;
        if file.position() > end.position {
            self.bytes_cut += file.position() - end.position;
            file.truncate(end.position)?;
        }
        Ok(file.close()?)
    }

    /// Refuses files that an index should list and that does not list any: they would be taken for nobody's.
    pub(super) fn refuse_without_index(&self) -> Result<(), FatalError> {
        if !self.index.names().is_empty() {
            return Ok(());
        }
        let files = self.index.unlisted(&*self.vfs)?;
        let (Some(first), Some(last)) = (files.first(), files.last()) else { return Ok(()) };
        Err(FatalError::Corrupt(format!(
            "the binary log's index in {} is missing or empty, but {first} to {last} are there; restore it (a line a \
             file, in their order), or move the files away",
            self.index.dir().display()
        )))
    }

    /// Refuses if something is there behind `end`, or behind the end of a file that was closed.
    fn refuse_to_cut(&mut self, end: BinlogPlace) -> Result<(), FatalError> {
        let is_behind = |name: &BinlogName| name.number() > end.file.into();
        let files = self.index.names().iter().cloned().chain(self.index.unlisted(&*self.vfs)?);
        let mut surplus = files.filter(is_behind).min().map(|name| (self.index.path_of(&name), 0));
        for place in self.closed.clone().into_iter().chain([end]) {
            if self.len(place.file)?.is_some_and(|len| len > place.position) {
                surplus = Some((self.path_of(place.file), place.position));
            }
        }
        let Some((path, position)) = surplus else { return Ok(()) };
        Err(FatalError::Corrupt(format!(
            "redo ends before the binary log does: nothing in it speaks of {} from position {position} on, and --log-bin \
             says another place. If this is a copy of another server's data directory, that server may have logged it since: \
             copy its log, too, or make the copy after a clean stop. If not, start the server with --log-bin={} and stop it \
             cleanly before it is changed",
            path.display(),
            self.index.dir().join(&self.base).display()
        )))
    }

    /// Files behind the last one that are not listed: what a rotation had made, or an earlier start was about to remove, one behind
    /// another. Refuses others: the log will need their names.
    fn strays(&self, end: BinlogPlace) -> Result<Vec<BinlogName>, FatalError> {
        let last = self.index.last().map_or(0, BinlogName::number).max(end.file.into());
        let mut behind = self.index.unlisted(&*self.vfs)?;
        behind.retain(|name| name.number() > last);
        match behind.iter().zip(last + 1..).find(|(name, number)| name.number() != *number) {
            Some((name, _)) => Err(no_stray_of_ours(&self.index.path_of(name))),
            None => Ok(behind),
        }
    }

    /// Cuts everything behind `end`.
    fn cut(&mut self, end: BinlogPlace) -> Result<(), FatalError> {
        let strays = self.strays(end)?;
        self.end_file(end)?;
        let last = self.name(end.file);
        let mut gone = self.index.cut_above(&*self.vfs, &last)?;
        gone.extend(strays);
        for name in &gone {
            self.bytes_cut += self.vfs.open(&self.index.path_of(name), Open::Read)?.len()?;
        }
        // From the last one on: what an interrupted start leaves are the first of them.
        for name in gone.iter().rev() {
            self.index.remove_files(&*self.vfs, std::slice::from_ref(name))?;
        }
        Ok(())
    }

    /// Makes all listed files from `from` on, and the index, survive power loss: what was read may have been in the
    /// page cache alone.
    fn sync_from(&self, from: u32) -> Result<(), FatalError> {
        for name in self.index.names().iter().filter(|name| name.number() >= from.into()) {
            self.vfs.open(&self.index.path_of(name), Open::ReadWrite)?.sync_all()?;
        }
        self.vfs.sync_dir(self.index.dir())?;
        Ok(())
    }

    fn file(&mut self, number: u32) -> Result<Option<&mut KnownFile>, FatalError> {
        if self.open.as_ref().is_none_or(|(open, _)| *open != number) {
            let file = match self.vfs.open(&self.path_of(number), Open::ReadWrite) {
                Ok(file) => file,
                Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
                Err(error) => return Err(error.into()),
            };
            self.open = Some((number, KnownFile::new(file)?));
        }
        Ok(self.open.as_mut().map(|(_, file)| file))
    }

    fn name(&self, number: u32) -> BinlogName {
        BinlogName::new(&self.base, number.into())
    }

    /// Where a file is.
    pub(super) fn path_of(&self, number: u32) -> PathBuf {
        self.index.path_of(&self.name(number))
    }
}

/// A file that the log will need the name of.
pub(super) fn no_stray_of_ours(path: &Path) -> FatalError {
    FatalError::Corrupt(format!(
        "{} is none of this server's: its index does not list it, and its number lies behind the last one; move it away",
        path.display()
    ))
}

/// Whether a file begins with these bytes. The IN_USE flag is no difference: it goes when a file is closed.
fn begins_with(file: &Arc<dyn File>, header: &[u8]) -> Result<bool, FatalError> {
    let mut found = vec![0; header.len()];
    let is_complete = file.read_at(&mut found, 0)? == header.len();
    let is_same = |at: usize| found[at] == header[at] || IN_USE_FLAG.contains(&at);
    Ok(is_complete && (0..header.len()).all(is_same))
}

/// Where the IN_USE flag lies in a file: magic, then the flags of the first event's header.
const IN_USE_FLAG: Range<usize> = 4 + 17..4 + 19;
