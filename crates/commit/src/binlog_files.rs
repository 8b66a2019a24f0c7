//! The binlog's files on the writing side: the current file and the index.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use binlog::{BinlogIndex, BinlogName, CachedFile, GtidSet, IoCache, LogFile};
use parking_lot::{Mutex, MutexGuard};
use vfs::{File, LockGuard, Open, Vfs};

use crate::FatalError;
use crate::admin::{PurgeError, Purged};
use crate::in_use::{FileInUse, FilesInUse};
use crate::pending::Rotation;
use crate::record::BinlogPlace;
use crate::sequencer::FileContext;

/// Shared by the stage that appends, the one that syncs, and those who list or purge files.
#[derive(Debug)]
pub struct BinlogFiles {
    vfs: Arc<dyn Vfs>,
    /// No other server writes this log, until it is closed. Rank: last.
    lock: Mutex<Option<Box<dyn LockGuard>>>,
    /// Rank: after the stages. Held across the disk operations of a rotation and a purge.
    index: Mutex<BinlogIndex>,
    /// The file that a sync must reach. Changes after the one before was synced. Rank: last.
    current: Mutex<Arc<dyn File>>,
    /// Everything before this place survives power loss, and commits rely on it. Rank: last.
    synced: Mutex<BinlogPlace>,
    /// Held by whoever syncs, until he has said how far, and by whoever begins the log anew; whether a sync has failed: the
    /// process is about to end. Rank: after the index.
    sync_failed: Mutex<bool>,
    /// Everything before this place is in the files. Rank: last.
    written: Mutex<BinlogPlace>,
    /// Everything before this place is in the files or in the cache. May be before the one above. Rank: last.
    shown: Mutex<BinlogPlace>,
    /// What was appended last.
    io_cache: Arc<IoCache>,
    in_use: Arc<FilesInUse>,
    /// Held by whoever removes files. Rank: before the index.
    removing: Mutex<()>,
    /// What PREVIOUS_GTIDS of the first file says, and the name that the index had first then. Rank: before the index.
    previous_of_first: Mutex<Option<(BinlogName, GtidSet)>>,
}

/// Bytes that go from the cache to a file at a time.
const PIECE_SIZE: usize = 1 << 20;

/// The appending end; owned by the stage that writes.
#[derive(Debug)]
pub(crate) struct Appender {
    /// `None` only while a rotation is under way, and behind one that has failed.
    file: Option<LogFile>,
    number: u32,
    io_cache: Arc<IoCache>,
    /// Memory for bytes on their way from the cache.
    piece: Vec<u8>,
    /// A batch has failed: nothing goes behind it. The process is about to end; others may still come until it has.
    failed: bool,
}

impl BinlogFiles {
    /// Takes over a log's lock, its index and its last file, which is number `number`.
    pub(crate) fn new(
        vfs: Arc<dyn Vfs>,
        lock: Option<Box<dyn LockGuard>>,
        index: BinlogIndex,
        file: LogFile,
        number: u32,
        io_cache: Arc<IoCache>,
    ) -> (Self, Appender) {
        let current = Mutex::new(Arc::clone(file.file()));
        let place = BinlogPlace { file: number, position: file.position() };
        // Nothing relies on the header: a promise would have recovery look for a file that no record names yet.
        let (synced, shown, written) = (Mutex::default(), Mutex::default(), Mutex::new(place));
        let appender = Appender::new(file, number, Arc::clone(&io_cache));
        let (index, in_use, sync_failed) = (Mutex::new(index), Arc::default(), Mutex::new(false));
        let (removing, previous_of_first) = (Mutex::new(()), Mutex::default());
        (
            Self {
                vfs,
                lock: Mutex::new(lock),
                index,
                current,
                synced,
                sync_failed,
                written,
                shown,
                io_cache,
                in_use,
                removing,
                previous_of_first,
            },
            appender,
        )
    }

    /// The log is closed, and what is said of it is kept: another server may write it.
    pub(crate) fn unlock(&self) {
        *self.lock.lock() = None;
    }

    /// The cache of what was appended last.
    pub fn io_cache(&self) -> &IoCache {
        &self.io_cache
    }

    /// Opens a file to read: through the cache.
    pub fn open(&self, name: &BinlogName) -> Result<CachedFile, FatalError> {
        self.open_at(name, &self.path_of(name))
    }

    /// What PREVIOUS_GTIDS of the first file says. It may be megabytes, and is read once.
    pub(crate) fn previous_of_first(&self) -> Result<GtidSet, FatalError> {
        let mut known = self.previous_of_first.lock();
        let Some(first) = self.index.lock().names().first().cloned() else { return Ok(GtidSet::new()) };
        if let Some((name, previous)) = &*known
            && *name == first
        {
            return Ok(previous.clone());
        }
        let Some(file) = self.open_first()? else { return Ok(GtidSet::new()) };
        let previous = binlog::read_head(file)?.previous;
        *known = Some((first, previous.clone()));
        Ok(previous)
    }

    /// The first file that can be opened; those before it were removed by somebody else.
    fn open_first(&self) -> Result<Option<FileInUse>, FatalError> {
        let index = self.index.lock();
        for name in index.names() {
            match self.open_at(name, &index.path_of(name)) {
                Ok(file) => return Ok(Some(self.in_use.begin(number_of(name), file))),
                Err(FatalError::Io(error)) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(error),
            }
        }
        Ok(None)
    }

    /// The same; PURGE leaves the file where it is as long as it is read. `None` if the index does not list it.
    pub fn open_in_use(&self, name: &BinlogName) -> Result<Option<FileInUse>, FatalError> {
        // With the lock: no purge comes between the look and the count.
        let index = self.index.lock();
        if index.names().binary_search(name).is_err() {
            return Ok(None);
        }
        let file = self.open_at(name, &index.path_of(name))?;
        Ok(Some(self.in_use.begin(number_of(name), file)))
    }

    fn open_at(&self, name: &BinlogName, path: &Path) -> Result<CachedFile, FatalError> {
        let file = self.vfs.open(path, Open::Read)?;
        Ok(CachedFile::new(Arc::clone(&self.io_cache), number_of(name), file))
    }

    /// The list of files.
    pub fn index(&self) -> MutexGuard<'_, BinlogIndex> {
        self.index.lock()
    }

    /// Where a file is.
    pub fn path_of(&self, name: &binlog::BinlogName) -> PathBuf {
        self.index.lock().path_of(name)
    }

    /// Makes everything appended before this call survive power loss, and says so of what is before `end`.
    pub(crate) fn sync(&self, end: Option<BinlogPlace>) -> Result<(), FatalError> {
        self.sync_once(|| {
            let current = Arc::clone(&self.current.lock());
            current.sync_data()?;
            self.promise(end.unwrap_or_default());
            Ok(())
        })
    }

    /// Makes all that is written survive power loss, and says so. Returns whether there was anything to do.
    pub(crate) fn sync_written(&self) -> Result<bool, FatalError> {
        self.sync_once(|| {
            // Here, not before: the log may have been begun anew while this waited.
            let written = self.written();
            if written <= self.synced() {
                return Ok(false);
            }
            let current = Arc::clone(&self.current.lock());
            current.sync_data()?;
            self.promise(written);
            Ok(true)
        })
    }

    /// Runs what syncs a file, unless one of those before has failed: the kernel reports a failure once, and the next
    /// sync succeeds without the pages.
    fn sync_once<T>(&self, sync: impl FnOnce() -> Result<T, FatalError>) -> Result<T, FatalError> {
        let mut failed = self.sync_failed.lock();
        if *failed {
            return Err(earlier_failure().into());
        }
        let synced = sync();
        *failed = synced.is_err();
        synced
    }

    /// When a file was begun, seconds since 1970: the time stamp of its first event. One that somebody has removed was begun
    /// long ago.
    pub(crate) fn begun_at(&self, name: &BinlogName) -> Result<u32, FatalError> {
        let mut start = [0; binlog::MAGIC.len() + 4];
        let file = match self.vfs.open(&self.path_of(name), Open::Read) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(0),
            file => file?,
        };
        file.read_exact_at(&mut start, 0)?;
        Ok(u32::from_le_bytes(*start.last_chunk().expect("it is longer")))
    }

    /// Removes the files before `target`, before number `needed` and before the first that is in use: first from the
    /// index, then from the disk.
    pub(crate) fn purge_below(&self, target: &BinlogName, needed: u32) -> Result<Purged, PurgeError> {
        let _one_at_a_time = self.removing.lock();
        let (index, gone, in_use) = {
            let mut index = self.index.lock();
            let Ok(wanted) = index.names().binary_search(target) else { return Err(PurgeError::NotFound) };
            let used = self.in_use.first();
            let end = used.map_or(needed, |(number, _)| number.min(needed));
            let bound = index.names().iter().find(|name| *name == target || name.number() >= end.into());
            let bound = bound.expect("the target is listed").clone();
            let stopped = used.filter(|(number, _)| bound != *target && bound.number() == u64::from(*number));
            let in_use = stopped.map(|(_, readers)| (bound.clone(), readers, wanted));
            let gone = index.purge_below(&*self.vfs, &bound).map_err(FatalError::from)?;
            (index.clone(), gone, in_use)
        };
        // Without the lock: large files take their time, and a rotation must not wait for them.
        index.finish_removal(&*self.vfs).map_err(FatalError::from)?;
        Ok(Purged { gone, in_use })
    }

    /// Removes all files and begins the log anew with file number `first`, whose first bytes are `header`. Nothing is
    /// under way, and nothing relies on the files.
    pub(crate) fn begin_anew(
        &self,
        first: u32,
        context: &FileContext,
        header: &[u8],
    ) -> Result<Appender, FatalError> {
        let _one_at_a_time = self.removing.lock();
        let mut previous_of_first = self.previous_of_first.lock();
        let mut index = self.index.lock();
        // The new first file may have the old one's name.
        *previous_of_first = None;
        index.remove_all(&*self.vfs)?;
        self.io_cache.begin_anew();
        let file = binlog::rotate::begin_file(&*self.vfs, &mut index, context.name(first), header)?;
        {
            // A sync of the old files that is under way promises a place in them.
            let _no_sync = self.sync_failed.lock();
            *self.current.lock() = Arc::clone(file.file());
            *self.synced.lock() = BinlogPlace::default();
            *self.shown.lock() = BinlogPlace::default();
            self.note_written((first, file.position()));
        }
        Ok(Appender::new(file, first, Arc::clone(&self.io_cache)))
    }

    /// The place up to which syncs have been relied on.
    pub(crate) fn synced(&self) -> BinlogPlace {
        *self.synced.lock()
    }

    /// The place up to which the files are written.
    pub(crate) fn written(&self) -> BinlogPlace {
        *self.written.lock()
    }

    /// The place up to which readers find everything, in the files or in the cache.
    pub(crate) fn readable(&self) -> BinlogPlace {
        self.written().max(*self.shown.lock())
    }

    /// Has readers find bytes in the cache that are not in the files yet. They are contiguous, from a place on where the files
    /// end or such bytes.
    pub(crate) fn show(&self, at: BinlogPlace, bytes: &[u8]) {
        self.io_cache.append(at.file, at.position, bytes);
        *self.shown.lock() = BinlogPlace { position: at.position + bytes.len() as u64, ..at };
    }

    /// Says where the last file ends.
    pub(crate) fn note_written(&self, (file, position): (u32, u64)) {
        *self.written.lock() = BinlogPlace { file, position };
    }

    /// Says that everything before a place was synced and is relied on. With [`BinlogFiles::sync_failed`] held.
    fn promise(&self, place: BinlogPlace) {
        let mut synced = self.synced.lock();
        *synced = place.max(*synced);
    }
}

fn earlier_failure() -> io::Error {
    io::Error::other("an earlier write or sync of the binary log failed")
}

fn number_of(name: &BinlogName) -> u32 {
    u32::try_from(name.number()).expect("numbers of binlog files are below 2^32")
}

impl Appender {
    fn new(file: LogFile, number: u32, io_cache: Arc<IoCache>) -> Self {
        Self { file: Some(file), number, io_cache, piece: Vec::new(), failed: false }
    }

    /// Writes what belongs together by [`append`](Self::append) and [`rotate`](Self::rotate), and says where the file
    /// ends then. Fails if an earlier batch has failed.
    pub(crate) fn batch(
        &mut self,
        files: &BinlogFiles,
        write: impl FnOnce(&mut Self) -> Result<(), FatalError>,
    ) -> Result<(), FatalError> {
        if self.failed {
            return Err(earlier_failure().into());
        }
        let written = write(self);
        self.failed = written.is_err();
        written?;
        files.note_written(self.position());
        Ok(())
    }

    /// Nothing more is written: its files are about to go.
    pub(crate) fn give_up(&mut self) {
        self.failed = true;
    }

    /// Number and length of the current file.
    fn position(&self) -> (u32, u64) {
        (self.number, self.file.as_ref().expect("no rotation is under way").position())
    }

    /// Writes final bytes, in a batch.
    pub(crate) fn append(&mut self, bytes: &[u8]) -> binlog::Result<()> {
        let (number, position) = self.position();
        self.file().append(bytes)?;
        self.io_cache.append(number, position, bytes);
        Ok(())
    }

    /// The same, for bytes that nobody waits for or is about to read: they are kept in no cache
    /// ([`LogFile::append_uncached`]).
    pub(crate) fn append_uncached(&mut self, bytes: &[u8]) -> binlog::Result<()> {
        self.file().append_uncached(bytes)?;
        self.io_cache.forget();
        Ok(())
    }

    /// Writes the next bytes, in a batch, which readers find in the cache already ([`BinlogFiles::show`]). They are `read_again`, from
    /// the file, by those who fall behind.
    pub(crate) fn append_shown(&mut self, mut size: usize, read_again: bool) -> binlog::Result<()> {
        let append = if read_again { LogFile::append } else { LogFile::append_uncached };
        let mut piece = std::mem::take(&mut self.piece);
        while size > 0 {
            let (number, position) = self.position();
            piece.resize(size.min(PIECE_SIZE), 0);
            self.io_cache.copy(number, position, &mut piece);
            append(self.file(), &piece)?;
            size -= piece.len();
        }
        self.piece = piece;
        Ok(())
    }

    fn file(&mut self) -> &mut LogFile {
        self.file.as_mut().expect("no rotation is under way")
    }

    /// Writes the ROTATE event, closes the file and begins the next, in a batch.
    ///
    /// # Panics
    /// If the file does not end where the ticket says.
    pub(crate) fn rotate(
        &mut self,
        rotation: &Rotation,
        files: &BinlogFiles,
        context: &FileContext,
    ) -> Result<(), FatalError> {
        assert_eq!(
            self.position(),
            (rotation.old_file, rotation.rotate_start),
            "a rotation lies where it was drawn"
        );
        self.append(&rotation.rotate)?;
        let old = self.file.take().expect("no rotation is under way");
        let mut index = files.index.lock();
        let name = context.name(rotation.new_file);
        let new =
            files.sync_once(|| Ok(binlog::rotate(&*files.vfs, &mut index, old, name, &rotation.header)?))?;
        *files.current.lock() = Arc::clone(new.file());
        (self.file, self.number) = (Some(new), rotation.new_file);
        Ok(())
    }

    /// Ends the log at a clean shutdown: appends the given STOP event, clears IN_USE, syncs.
    pub(crate) fn close(mut self, stop: &[u8]) -> Result<(), FatalError> {
        if self.failed {
            return Err(earlier_failure().into());
        }
        self.append(stop)?;
        Ok(self.file.take().expect("no rotation is under way").close()?)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::thread;

    use binlog::{ChecksumAlg, GtidSet};
    use vfs::sim::SimDisk;

    use super::*;

    /// How often it is looked whether the log was begun anew too early.
    const LOOKS: usize = 20_000;

    /// A file whose sync ends when it is told.
    #[derive(Debug, Default)]
    struct Gate {
        is_syncing: AtomicBool,
        may_end: AtomicBool,
    }

    impl File for Gate {
        fn sync_data(&self) -> io::Result<()> {
            self.is_syncing.store(true, Ordering::Release);
            while !self.may_end.load(Ordering::Acquire) {
                thread::yield_now();
            }
            Ok(())
        }
        fn read_at(&self, _: &mut [u8], _: u64) -> io::Result<usize> {
            unreachable!()
        }
        fn write_at(&self, _: &[u8], _: u64) -> io::Result<()> {
            unreachable!()
        }
        fn write_durable_at(&self, _: &[u8], _: u64) -> io::Result<()> {
            unreachable!()
        }
        fn write_uncached_at(&self, _: &[u8], _: u64) -> io::Result<()> {
            unreachable!()
        }
        fn sync_all(&self) -> io::Result<()> {
            unreachable!()
        }
        fn drop_clean_pages(&self, _: u64) -> io::Result<()> {
            unreachable!()
        }
        fn set_len(&self, _: u64) -> io::Result<()> {
            unreachable!()
        }
        fn len(&self) -> io::Result<u64> {
            unreachable!()
        }
    }

    #[test]
    fn a_sync_that_was_begun_before_the_log_was_begun_anew_promises_nothing_behind_it() {
        let vfs: Arc<dyn Vfs> = Arc::new(SimDisk::new());
        let context = FileContext { base: "b".into(), server_version: "8".into(), server_id: 1 };
        let header = context.header(0, 0, ChecksumAlg::Crc32, &GtidSet::new());
        let mut index = BinlogIndex::open(&*vfs, Path::new("/"), "b").unwrap();
        let file = binlog::rotate::begin_file(&*vfs, &mut index, context.name(5), &header).unwrap();
        let cache = Arc::new(IoCache::new(0));
        let (files, _appender) = BinlogFiles::new(vfs, None, index, file, 5, cache);
        let gate = Arc::<Gate>::default();
        *files.current.lock() = Arc::clone(&gate) as _;
        thread::scope(|scope| {
            let sync = scope.spawn(|| files.sync_written().unwrap());
            while !gate.is_syncing.load(Ordering::Acquire) {
                thread::yield_now();
            }
            let anew = scope.spawn(|| files.begin_anew(1, &context, &header).unwrap());
            for _ in 0..LOOKS {
                thread::yield_now();
            }
            gate.may_end.store(true, Ordering::Release);
            assert!(sync.join().unwrap());
            drop(anew.join().unwrap());
        });
        assert_eq!(files.synced(), BinlogPlace::default());
        assert!(files.sync_written().unwrap(), "the new file's beginning is not promised yet");
        assert_eq!(files.synced(), BinlogPlace { file: 1, position: header.len() as u64 });
    }
}
