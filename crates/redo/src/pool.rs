//! The segment files of a log: in use, spare, retired.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::Arc;

use parking_lot::{Mutex, MutexGuard};
use vfs::{File, Open, Vfs};

use crate::segment::{self, SegmentNo};
use crate::{Lsn, Options, RedoError};

/// A new spare is made if there is room for so many of them.
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
    spares: VecDeque<(SegmentNo, Arc<dyn File>)>,
    /// No longer needed, whatever the next start begins with; renamed into spares, by writers too.
    retired: Vec<SegmentNo>,
    /// Behind what recovery has kept, or of another size. The next start reads the former again if this one is not made
    /// durable: for [`Pool::tend`] alone, which comes after that.
    cut: Vec<SegmentNo>,
    /// The number that the next spare gets.
    next: SegmentNo,
}

/// A segment that holds records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LiveSegment {
    /// Its number.
    pub no: SegmentNo,
    /// LSN of its first record byte.
    pub start: Lsn,
}

impl Pool {
    /// Takes over the directory: `kept` are the segments that hold records. Of the other files spares are retired, and what is
    /// older than the first one kept, for nobody reads records before it; anything else, and what is of another size, is only
    /// cut.
    pub(crate) fn open(
        vfs: Arc<dyn Vfs>,
        options: &Options,
        kept: &[LiveSegment],
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
        let live = kept.iter().copied().collect();
        let state = Mutex::new(State { live, spares: VecDeque::new(), retired, cut, next });
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
    /// them. Records that it begins at `start`.
    pub(crate) fn roll(&self, start: Lsn) -> Result<(SegmentNo, Arc<dyn File>), RedoError> {
        if let Some(ready) = self.state.lock().use_spare(start) {
            return Ok(ready);
        }
        let making = self.making.lock();
        if let Some(ready) = self.state.lock().use_spare(start) {
            return Ok(ready);
        }
        let old = self.state.lock().retired.pop();
        let (no, file) = self.make(&making, old)?;
        let mut state = self.state.lock();
        state.spares.push_back((no, file));
        Ok(state.use_spare(start).expect("one was made"))
    }

    /// Makes one spare if fewer than wanted are ready and there is room, or of a retired segment; removes those that are
    /// too many. Returns whether there was anything to do.
    pub(crate) fn tend(&self) -> Result<bool, RedoError> {
        let making = self.making.lock();
        let (wanted, old) = {
            let mut state = self.state.lock();
            let old = state.cut.pop().or_else(|| state.retired.pop());
            let keeps = old.is_some() && state.live.len() + state.spares.len() < self.segments_kept;
            (keeps || state.spares.len() < self.spares_wanted, old)
        };
        // A spare can wait for room: a writer that has none makes one itself.
        let has_room =
            || Ok::<_, RedoError>(self.vfs.free_bytes(&self.dir)? >= ROOM_SEGMENTS * self.segment_size);
        if wanted && (old.is_some() || has_room()?) {
            let spare = self.make(&making, old)?;
            self.state.lock().spares.push_back(spare);
            return Ok(true);
        }
        let Some(no) = old else { return Ok(false) };
        self.vfs.remove_file(&no.path(&self.dir))?;
        Ok(true)
    }

    /// Retires the segments that hold only records below `lsn`.
    pub(crate) fn retire_below(&self, lsn: Lsn) {
        let mut state = self.state.lock();
        while state.live.len() > 1 && state.live[1].start <= lsn {
            let old = state.live.pop_front().expect("two are there");
            state.retired.push(old.no);
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

    /// The next segment, of a retired one if it has the right size. Writers go on meanwhile, unless they have run out.
    fn make(
        &self,
        _making: &MutexGuard<'_, ()>,
        old: Option<SegmentNo>,
    ) -> Result<(SegmentNo, Arc<dyn File>), RedoError> {
        let no = self.state.lock().next;
        let recycled = match old {
            Some(from) => Some(segment::recycle(&*self.vfs, &self.dir, from, no)?),
            None => None,
        };
        let file = match recycled {
            Some(file) if file.len()? == self.segment_size => file,
            Some(_) => {
                self.vfs.remove_file(&no.path(&self.dir))?;
                segment::preallocate(&*self.vfs, &self.dir, no, self.segment_size)?
            }
            None => segment::preallocate(&*self.vfs, &self.dir, no, self.segment_size)?,
        };
        self.state.lock().next = no.next();
        Ok((no, file))
    }
}

impl State {
    /// Puts the first spare to use, for what begins at `start`.
    fn use_spare(&mut self, start: Lsn) -> Option<(SegmentNo, Arc<dyn File>)> {
        let (no, file) = self.spares.pop_front()?;
        assert!(self.live.back().is_none_or(|last| last.no < no && last.start <= start), "segments ascend");
        self.live.push_back(LiveSegment { no, start });
        Some((no, file))
    }
}
