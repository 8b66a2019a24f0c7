//! The segment files of a log: in use, spare, retired.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::Arc;

use parking_lot::{Mutex, MutexGuard};
use vfs::{File, Open, Vfs, is_no_descriptor, is_no_space};

use crate::segment::{self, NO_STREAM, SegmentNo, Starts};
use crate::{Lsn, Options, RedoError, Stream};

/// A new spare is made, and more than the next are kept, if there is room for so many of them.
const ROOM_SEGMENTS: u64 = 4;

/// Hands out segments and takes back those that a checkpoint has made superfluous.
#[derive(Debug)]
pub(crate) struct Pool {
    vfs: Arc<dyn Vfs>,
    dir: PathBuf,
    segment_size: u64,
    spares_wanted: usize,
    segments_kept: usize,
    /// Held while a segment is made. Rank: before the state.
    making: Mutex<()>,
    /// Rank: last. Held for moments.
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    /// Segments that hold needed records, oldest first, the last one being written.
    live: VecDeque<LiveSegment>,
    /// Ready to be used next, in order.
    spares: VecDeque<Spare>,
    /// No longer needed, whatever the next start begins with; renamed into spares, by writers too.
    retired: Vec<SegmentNo>,
    /// Behind what recovery has kept, or of another size. The next start reads the former again if this one is not made
    /// durable: for [`Pool::tend`] alone, which comes after that.
    cut: Vec<SegmentNo>,
    /// Those of the live ones that are of another size: they are cut when they are retired.
    odd: Vec<SegmentNo>,
    /// The number that the next spare gets.
    next: SegmentNo,
    /// Below this nothing is needed, of each stream.
    needed_from: [Lsn; 2],
}

/// A segment that is open, and its number.
type Opened = (SegmentNo, Arc<dyn File>);

/// A segment that is ready to be used.
#[derive(Debug)]
struct Spare {
    no: SegmentNo,
    /// Open if it is one of the next: there may be hundreds, and descriptors are few.
    file: Option<Arc<dyn File>>,
}

/// A segment that holds records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LiveSegment {
    /// Its number.
    pub no: SegmentNo,
    /// LSNs of its first record byte of each stream; 0 for one that it does not carry.
    pub(crate) starts: Starts,
}

/// The segments that hold what is needed of either stream, ascending.
#[must_use]
pub fn merged(first: &[LiveSegment], second: &[LiveSegment]) -> Vec<LiveSegment> {
    let mut all = [first, second].concat();
    all.sort_unstable_by_key(|segment| segment.no);
    all.dedup_by_key(|segment| segment.no);
    all
}

/// A run goes on with a stream at `end`: what segments that are kept for the other stream have of it behind that was cut.
fn clamp(live: &mut VecDeque<LiveSegment>, stream: Stream, end: Lsn) {
    for segment in live {
        let start = &mut segment.starts[stream.index()];
        *start = end.min(*start);
    }
}

/// A stream that is not carried needs nothing.
const NOTHING: Lsn = Lsn(u64::MAX);

impl Pool {
    /// Takes over the directory: `kept` are the segments that hold records. Of the other files spares are retired, and what is
    /// older than the first one kept, for nobody reads records before it; anything else, and what is of another size, is only
    /// cut. The run begins at `start`.
    pub(crate) fn open(
        vfs: Arc<dyn Vfs>,
        options: &Options,
        kept: &[LiveSegment],
        start: Lsn,
    ) -> Result<Self, RedoError> {
        let dir = options.dir.clone();
        let all = segment::list(&*vfs, &dir)?;
        let next = all.last().map_or(SegmentNo(1), |last| last.next());
        let (mut retired, mut cut) = (Vec::new(), Vec::new());
        for no in all.into_iter().filter(|no| kept.iter().all(|k| k.no != *no)) {
            let file = vfs.open(&no.path(&dir), Open::Read)?;
            let is_older = kept.first().is_some_and(|first| no < first.no);
            let is_ready =
                file.len()? == options.segment_size && (is_older || segment::is_spare(&*file, no)?);
            if is_ready { retired.push(no) } else { cut.push(no) }
        }
        let mut odd = Vec::new();
        for LiveSegment { no, .. } in kept {
            if vfs.open(&no.path(&dir), Open::Read)?.len()? != options.segment_size {
                odd.push(*no);
            }
        }
        let mut live: VecDeque<_> = kept.iter().copied().collect();
        clamp(&mut live, Stream::First, start);
        let needed_from = [Lsn(0), NOTHING];
        let state = Mutex::new(State { live, spares: VecDeque::new(), retired, cut, odd, next, needed_from });
        Ok(Self {
            vfs,
            dir,
            segment_size: options.segment_size,
            spares_wanted: options.spares,
            segments_kept: options.segments_kept,
            making: Mutex::new(()),
            state,
        })
    }

    /// The segment that is written next; makes one if none is ready, of a retired one if there is one: the disk may be full of
    /// them. Records that it begins at `starts`.
    pub(crate) fn roll(&self, starts: Starts) -> Result<Opened, RedoError> {
        if let Some(ready) = self.use_spare(starts)? {
            return Ok(ready);
        }
        let making = self.making.lock();
        if let Some(ready) = self.use_spare(starts)? {
            return Ok(ready);
        }
        let old = self.state.lock().retired.pop();
        let spare = self.make(&making, old).inspect_err(|_| self.state.lock().retired.extend(old))?;
        self.state.lock().spares.push_back(spare);
        Ok(self.use_spare(starts)?.expect("one was made"))
    }

    /// Puts the first spare to use, if there is one, for what begins at `starts`. It is the first one still if it cannot be opened.
    fn use_spare(&self, starts: Starts) -> Result<Option<Opened>, RedoError> {
        let Some(Spare { no, file }) = self.state.lock().spares.pop_front() else { return Ok(None) };
        let opened = file.map_or_else(|| self.vfs.open(&no.path(&self.dir), Open::ReadWrite), Ok);
        let mut state = self.state.lock();
        match opened {
            Ok(file) => {
                state.begin(LiveSegment { no, starts });
                Ok(Some((no, file)))
            }
            Err(error) => {
                state.spares.push_front(Spare { no, file: None });
                Err(error.into())
            }
        }
    }

    /// Makes one spare if fewer than wanted are ready and there is room, or of a retired segment; removes those that are
    /// too many, or that others on the device may need more. Returns whether there was anything to do. What cannot be done
    /// for want of room or of descriptors can wait: a writer that has no spare makes one itself.
    pub(crate) fn tend(&self) -> Result<bool, RedoError> {
        match self.tend_one() {
            Err(RedoError::Io(error)) if is_no_space(&error) || is_no_descriptor(&error) => Ok(false),
            done => done,
        }
    }

    fn tend_one(&self) -> Result<bool, RedoError> {
        let making = self.making.lock();
        let has_room =
            || Ok::<_, RedoError>(self.vfs.free_bytes(&self.dir)? >= ROOM_SEGMENTS * self.segment_size);
        let (wanted, may_keep, old) = {
            let mut state = self.state.lock();
            let old = state.cut.pop().or_else(|| state.retired.pop());
            let may_keep = state.live.len() + state.spares.len() < self.segments_kept;
            (state.spares.len() < self.spares_wanted, may_keep, old)
        };
        if let Some(no) = old {
            let wanted = wanted || may_keep && has_room().unwrap_or(true);
            let done = if wanted { self.reuse(&making, no) } else { self.remove(no) };
            if done.is_err() {
                self.state.lock().cut.push(no);
            }
            return done.map(|()| true);
        }
        if wanted && has_room()? {
            let spare = self.make(&making, None)?;
            self.keep(spare);
            return Ok(true);
        }
        self.open_next()
    }

    /// Makes a spare of a retired segment. One of another size goes: a new one is made if there is room for it.
    fn reuse(&self, making: &MutexGuard<'_, ()>, no: SegmentNo) -> Result<(), RedoError> {
        if self.vfs.open(&no.path(&self.dir), Open::Read)?.len()? != self.segment_size {
            return self.remove(no);
        }
        let spare = self.make(making, Some(no))?;
        self.keep(spare);
        Ok(())
    }

    fn remove(&self, no: SegmentNo) -> Result<(), RedoError> {
        Ok(self.vfs.remove_file(&no.path(&self.dir))?)
    }

    /// Keeps a spare, open if it is one of the next.
    fn keep(&self, spare: Spare) {
        let mut state = self.state.lock();
        let is_next = state.spares.len() < self.spares_wanted;
        state.spares.push_back(Spare { file: spare.file.filter(|_| is_next), ..spare });
    }

    /// Opens one of the next spares, if one is not.
    fn open_next(&self) -> Result<bool, RedoError> {
        let closed = |spare: &&Spare| spare.file.is_none();
        let next =
            self.state.lock().spares.iter().take(self.spares_wanted).find(closed).map(|spare| spare.no);
        let Some(no) = next else { return Ok(false) };
        let file = self.vfs.open(&no.path(&self.dir), Open::ReadWrite)?;
        // A writer may have taken it meanwhile.
        if let Some(spare) = self.state.lock().spares.iter_mut().find(|spare| spare.no == no) {
            spare.file = Some(file);
        }
        Ok(true)
    }

    /// Segments may carry a second stream, from `start` on; earlier runs' bytes of it are needed from `needed_from` on.
    pub(crate) fn begin_second(&self, start: Lsn, needed_from: Lsn) {
        let mut state = self.state.lock();
        clamp(&mut state.live, Stream::Second, start);
        // What was begun before this since the last run that carried it.
        let without = state.live.iter_mut().rev().take_while(|last| last.starts[1] == NO_STREAM);
        without.for_each(|last| last.starts[1] = start);
        state.needed_from[Stream::Second.index()] = needed_from;
    }

    /// Retires the segments that hold nothing that is needed, now that of `stream` nothing below `lsn` is.
    pub(crate) fn retire_below(&self, stream: Stream, lsn: Lsn) {
        let mut state = self.state.lock();
        let needed_from = &mut state.needed_from[stream.index()];
        *needed_from = lsn.max(*needed_from);
        while state.first_is_passed() {
            let old = state.live.pop_front().expect("two are there");
            match state.odd.iter().position(|odd| *odd == old.no) {
                Some(place) => {
                    let odd = state.odd.swap_remove(place);
                    state.cut.push(odd);
                }
                None => state.retired.push(old.no),
            }
        }
    }

    /// Bytes of one.
    pub(crate) fn segment_size(&self) -> u64 {
        self.segment_size
    }

    /// Bytes in segments that hold needed records.
    pub(crate) fn live_bytes(&self) -> u64 {
        self.state.lock().live.len() as u64 * self.segment_size
    }

    /// Bytes in segments that can be written without more room on the disk.
    pub(crate) fn ready_bytes(&self) -> u64 {
        let state = self.state.lock();
        (state.spares.len() + state.retired.len()) as u64 * self.segment_size
    }

    /// The next segment, of a retired one if there is one. Writers go on meanwhile, unless they have run out.
    fn make(&self, _making: &MutexGuard<'_, ()>, old: Option<SegmentNo>) -> Result<Spare, RedoError> {
        let no = self.state.lock().next;
        let file = match old {
            Some(from) => segment::recycle(&*self.vfs, &self.dir, from, no)?,
            None => segment::preallocate(&*self.vfs, &self.dir, no, self.segment_size)?,
        };
        self.state.lock().next = no.next();
        Ok(Spare { no, file: Some(file) })
    }
}

impl State {
    /// A segment is put to use.
    fn begin(&mut self, segment: LiveSegment) {
        let ascends = |last: &LiveSegment| last.no < segment.no && last.starts[0] <= segment.starts[0];
        assert!(self.live.back().is_none_or(ascends), "segments ascend");
        self.live.push_back(segment);
    }

    /// Whether what is needed begins in the second segment or behind it.
    fn first_is_passed(&self) -> bool {
        let passed =
            |next: &LiveSegment| next.starts.iter().zip(self.needed_from).all(|(start, from)| *start <= from);
        self.live.get(1).is_some_and(passed)
    }
}

#[cfg(test)]
mod tests {
    use vfs::sim::{Fault, FaultKind, OpKind, SimDisk};

    use super::*;

    const SIZE: u64 = 3 * 4096;

    /// A pool that keeps ten segments, of which nine are no longer needed.
    fn retired(disk: &SimDisk) -> Pool {
        let vfs: Arc<dyn Vfs> = Arc::new(disk.clone());
        let dir = PathBuf::from("/redo");
        vfs.create_dir_all(&dir).unwrap();
        let (spares, segments_kept) = (2, 10);
        let options =
            Options { dir, segment_size: SIZE, ring_size: 0, ring_slots: 0, spares, segments_kept, salt: 0 };
        let pool = Pool::open(vfs, &options, &[], Lsn(0)).unwrap();
        for start in 1..=10 {
            pool.roll([Lsn(start), Lsn(0)]).unwrap();
        }
        pool.retire_below(Stream::First, Lsn(10));
        pool
    }

    #[test]
    fn spares_are_open_only_if_they_are_next() {
        let pool = retired(&SimDisk::new());
        let open = || pool.state.lock().spares.iter().map(|spare| spare.file.is_some()).collect::<Vec<_>>();
        while pool.tend().unwrap() {}
        assert_eq!(open(), [&[true; 2][..], &[false; 7]].concat());
        for start in 11..=13 {
            pool.roll([Lsn(start), Lsn(0)]).unwrap();
        }
        assert_eq!(open(), [false; 6]);
        while pool.tend().unwrap() {}
        assert_eq!(open(), [&[true; 2][..], &[false; 4]].concat());
    }

    #[test]
    fn where_little_is_left_no_more_are_kept_than_are_next() {
        let disk = SimDisk::new();
        let pool = retired(&disk);
        disk.set_capacity(11 * SIZE);
        while pool.tend().unwrap() {}
        assert_eq!(disk.free_bytes(&pool.dir).unwrap(), ROOM_SEGMENTS * SIZE);
        assert_eq!(pool.ready_bytes(), 6 * SIZE, "there is room for these");
        disk.set_capacity(7 * SIZE);
        for start in 11..=16 {
            pool.roll([Lsn(start), Lsn(0)]).unwrap();
        }
        pool.retire_below(Stream::First, Lsn(16));
        while pool.tend().unwrap() {}
        assert_eq!(pool.ready_bytes(), 2 * SIZE, "the next ones");
    }

    #[test]
    fn without_descriptors_spares_wait_and_nothing_is_lost() {
        for kind in [OpKind::SyncDir, OpKind::Rename] {
            let disk = SimDisk::new();
            let pool = retired(&disk);
            disk.inject(Fault::new(FaultKind::NoDescriptor).of(kind).lasting());
            for _ in 0..3 {
                assert!(!pool.tend().unwrap());
            }
            assert_eq!(pool.state.lock().spares.len(), 0);
            disk.lift_faults();
            while pool.tend().unwrap() {}
            assert_eq!(pool.ready_bytes(), 9 * SIZE);
            assert_eq!(disk.list(&pool.dir).unwrap().len(), 10);
        }
    }
}
