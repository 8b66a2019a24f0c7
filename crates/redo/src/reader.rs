//! Reading the log back: from an LSN to the end of what is intact, across segments and epochs.
//!
//! The end is decided here and nowhere else:
//! - a block belongs to the stream if its checksum, its LSN, its epoch and its salt are the expected ones; the run's blocks of
//!   the other stream are passed over by what their headers say;
//! - where the next epoch begins, the current one ends: what an earlier run wrote behind that LSN was cut by a
//!   recovery and never comes back to life;
//! - the first missing block of the newest epoch is a torn tail, unless a later intact block of that epoch had been
//!   written after a sync of the missing bytes was promised, and in an older epoch everything below the next
//!   one's start had been synced: then it is corruption.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use vfs::{File, Open, Vfs};

use crate::block::{self, BLOCK_ALIGN, Run};
use crate::pool::LiveSegment;
use crate::record::Assembler;
use crate::segment::{self, HEADER_SIZE, NO_STREAM, Starts};
use crate::{Lsn, Record, RedoError, SegmentNo, Stream};

/// Where a server run began to write. Kept durably by the caller for every run that the log may be read from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EpochStart {
    /// The run's epoch.
    pub epoch: u64,
    /// Its first LSN.
    pub lsn: Lsn,
    /// Its first segment.
    pub segment: SegmentNo,
}

/// Reads records in order. See the module.
#[derive(Debug)]
pub struct Reader {
    vfs: Arc<dyn Vfs>,
    dir: PathBuf,
    stream: Stream,
    /// The run being read, then the later ones, ascending.
    epochs: Vec<EpochStart>,
    /// Whose blocks are read.
    run: Run,
    assembler: Assembler,
    /// LSN of the next block's first byte, and of the next one's of the other stream in this segment.
    lsn: Lsn,
    other_lsn: Lsn,
    segment: Segment,
    visited: Vec<LiveSegment>,
    ended: bool,
    bytes_read: u64,
}

#[derive(Debug)]
struct Segment {
    no: SegmentNo,
    file: Arc<dyn File>,
    path: PathBuf,
    size: u64,
    offset: u64,
}

/// What lies at a block boundary.
enum Found {
    Block(block::Header, Vec<u8>),
    /// A block of the other stream, of which only the header was looked at.
    Other(block::Header),
    Nothing(&'static str),
}

impl Reader {
    /// Starts to read a stream at `from`, a record's start. `epochs` are the known runs, ascending, the first one having
    /// begun at or below `from`.
    ///
    /// # Errors
    /// [`RedoError::Missing`] if no segment of that epoch holds `from`.
    pub fn open(
        vfs: Arc<dyn Vfs>,
        dir: &Path,
        stream: Stream,
        epochs: &[EpochStart],
        from: Lsn,
    ) -> Result<Self, RedoError> {
        let first = epochs.iter().rposition(|e| e.lsn <= from);
        let missing = |epoch| RedoError::Missing { dir: dir.to_owned(), lsn: from, epoch };
        let Some(first) = first else { return Err(missing(0)) };
        let epochs = epochs[first..].to_vec();
        let epoch = epochs[0].epoch;
        let mut found = None;
        for no in segment::list(&*vfs, dir)? {
            let (segment, header) = open_segment(&*vfs, dir, no)?;
            let holds = |start: Lsn| start != NO_STREAM && start <= from;
            if let Some(header) = header.filter(|h| h.run.epoch == epoch && holds(h.starts[stream.index()])) {
                found = Some((segment, header));
            }
        }
        let Some((segment, header)) = found else { return Err(missing(epoch)) };
        let visited = vec![LiveSegment { no: segment.no, starts: header.starts }];
        let dir = dir.to_owned();
        let assembler = Assembler::new(from);
        let mut reader = Self {
            vfs,
            dir,
            stream,
            epochs,
            run: header.run,
            assembler,
            lsn: header.starts[stream.index()],
            other_lsn: header.starts[stream.other().index()],
            segment,
            visited,
            ended: false,
            bytes_read: 0,
        };
        reader.skip_to(from)?;
        Ok(reader)
    }

    /// The next whole record, or `None` at the end of what is intact.
    pub fn next_record(&mut self) -> Result<Option<Record>, RedoError> {
        loop {
            match self.assembler.next() {
                Ok(Some(record)) => return Ok(Some(record)),
                Ok(None) if self.ended => return Ok(None),
                Ok(None) => {
                    if let Some(payload) = self.next_payload()? {
                        self.assembler.push(&payload);
                    }
                }
                Err(what) => return Err(self.corrupt(what, self.lsn)),
            }
        }
    }

    /// LSN of the first byte behind the last whole record that was returned.
    pub fn end(&self) -> Lsn {
        self.assembler.record_start()
    }

    /// The segments read from that hold a byte below `end`, ascending.
    pub fn kept_below(&self, end: Lsn) -> Vec<LiveSegment> {
        self.visited.iter().filter(|segment| segment.starts[self.stream.index()] < end).copied().collect()
    }

    /// All segments read from: who reads from the same place again needs them.
    pub fn visited(&self) -> &[LiveSegment] {
        &self.visited
    }

    /// Makes segments survive power loss as they are: what was read may have been in the page cache alone.
    pub fn sync(&self, segments: &[LiveSegment]) -> Result<(), RedoError> {
        for segment in segments {
            self.vfs.open(&segment.no.path(&self.dir), Open::ReadWrite)?.sync_all()?;
        }
        Ok(self.vfs.sync_dir(&self.dir)?)
    }

    /// Bytes read from the disk.
    pub fn bytes_read(&self) -> u64 {
        self.bytes_read
    }

    /// Walks over the blocks below `from`; the rest of the one that holds it goes to the assembler.
    fn skip_to(&mut self, from: Lsn) -> Result<(), RedoError> {
        while self.lsn < from {
            let start = self.lsn;
            let Some(payload) = self.next_payload()? else {
                return Err(self.corrupt("the records from which to recover are not there", from));
            };
            if self.lsn > from {
                let skip = usize::try_from(from.since(start)).expect("less than a block");
                self.assembler.push(&payload[skip..]);
            }
        }
        Ok(())
    }

    /// The next piece of the stream. `None` at its end.
    fn next_payload(&mut self) -> Result<Option<Vec<u8>>, RedoError> {
        loop {
            let stop = self.epochs.get(1).map(|next| next.lsn);
            if stop == Some(self.lsn) {
                self.enter_next_epoch()?;
                continue;
            }
            let what = match self.block_at(self.segment.offset, self.stream)? {
                Found::Block(header, mut payload) if header.run == self.run && header.lsn == self.lsn => {
                    self.segment.offset += header.block_size() as u64;
                    self.lsn = header.end();
                    if let Some(stop) = stop.filter(|stop| *stop < self.lsn) {
                        let beyond = usize::try_from(self.lsn.since(stop)).expect("less than a block");
                        payload.truncate(payload.len() - beyond);
                        self.lsn = stop;
                    }
                    return Ok(Some(payload));
                }
                Found::Other(header) if header.run == self.run && header.lsn == self.other_lsn => {
                    self.segment.offset += header.block_size() as u64;
                    self.other_lsn = header.end();
                    continue;
                }
                Found::Block(..) | Found::Other(_) => "a block of another run or LSN",
                Found::Nothing(what) => what,
            };
            if self.enter_next_segment()? {
                continue;
            }
            let promised = match stop {
                Some(next) => next,
                None => self.promised_behind()?,
            };
            if promised > self.lsn {
                return Err(self.corrupt(what, promised));
            }
            self.ended = true;
            return Ok(None);
        }
    }

    fn enter_next_epoch(&mut self) -> Result<(), RedoError> {
        self.epochs.remove(0);
        let EpochStart { epoch, lsn, segment } = self.epochs[0];
        let missing = || RedoError::Missing { dir: self.dir.clone(), lsn, epoch };
        if !segment::list(&*self.vfs, &self.dir)?.contains(&segment) {
            return Err(missing());
        }
        let (file, header) = open_segment(&*self.vfs, &self.dir, segment)?;
        let begins = |h: &segment::Header| h.run.epoch == epoch && h.starts[self.stream.index()] == lsn;
        let header = header.filter(begins).ok_or_else(missing)?;
        self.run = header.run;
        self.visit(file, header.starts);
        Ok(())
    }

    /// Goes on in the next segment if that continues the stream: this one may have been left before it was full.
    fn enter_next_segment(&mut self) -> Result<bool, RedoError> {
        let no = self.segment.no.next();
        if !self.vfs.exists(&no.path(&self.dir))? {
            return Ok(false);
        }
        let (segment, header) = open_segment(&*self.vfs, &self.dir, no)?;
        let continues = |h: &segment::Header| h.run == self.run && h.starts[self.stream.index()] == self.lsn;
        let Some(header) = header.filter(continues) else { return Ok(false) };
        self.visit(segment, header.starts);
        Ok(true)
    }

    fn visit(&mut self, segment: Segment, starts: Starts) {
        self.other_lsn = starts[self.stream.other().index()];
        self.visited.push(LiveSegment { no: segment.no, starts });
        self.segment = segment;
    }

    /// The highest LSN that any intact block behind the current position says was promised.
    fn promised_behind(&mut self) -> Result<Lsn, RedoError> {
        let mut promised = self.promised_in(self.segment.offset)?;
        for no in segment::list(&*self.vfs, &self.dir)? {
            if no > self.segment.no {
                let (mut other, _) = open_segment(&*self.vfs, &self.dir, no)?;
                std::mem::swap(&mut other, &mut self.segment);
                let found = self.promised_in(HEADER_SIZE);
                std::mem::swap(&mut other, &mut self.segment);
                promised = promised.max(found?);
            }
        }
        Ok(promised)
    }

    /// The same in the current segment.
    fn promised_in(&mut self, from: u64) -> Result<Lsn, RedoError> {
        let mut promised = Lsn(0);
        let mut at = from;
        while at < self.segment.size {
            // Blocks of the other stream as well are passed over only if they are whole: others may hide what is behind them.
            let mut found = self.block_at(at, self.stream)?;
            if let Found::Other(header) = found {
                found = self.block_at(at, header.stream)?;
            }
            at += match found {
                Found::Block(header, _) => {
                    if header.run == self.run && header.stream == self.stream {
                        promised = promised.max(header.promised);
                    }
                    header.block_size() as u64
                }
                Found::Other(_) | Found::Nothing(_) => BLOCK_ALIGN as u64,
            };
        }
        Ok(promised)
    }

    fn block_at(&mut self, offset: u64, stream: Stream) -> Result<Found, RedoError> {
        let (found, size) = block_at(&*self.segment.file, stream, offset)?;
        self.bytes_read += size as u64;
        Ok(found)
    }

    fn corrupt(&self, what: &'static str, promised: Lsn) -> RedoError {
        let Segment { path, offset, .. } = &self.segment;
        RedoError::Corrupt { file: path.clone(), offset: *offset, lsn: self.lsn, promised, what }
    }
}

/// A segment of a directory that a run behind `epoch` has written to, if there is one.
pub fn written_by_later_run(vfs: &dyn Vfs, dir: &Path, epoch: u64) -> Result<Option<PathBuf>, RedoError> {
    for no in segment::list(vfs, dir)? {
        let (segment, Some(header)) = open_segment(vfs, dir, no)? else { continue };
        if header.run.epoch <= epoch {
            continue;
        }
        // A run that ended before it could write has left a header alone.
        if let (Found::Block(block, _), _) = block_at(&*segment.file, Stream::First, HEADER_SIZE)?
            && block.run == header.run
        {
            return Ok(Some(segment.path));
        }
    }
    Ok(None)
}

/// What lies at an offset for who reads `stream`, and how much was read.
fn block_at(file: &dyn File, stream: Stream, offset: u64) -> io::Result<(Found, usize)> {
    let mut bytes = vec![0; BLOCK_ALIGN];
    let mut size = file.read_at(&mut bytes, offset)?;
    let Some(header) = block::decode_header(&bytes[..size]) else {
        return Ok((Found::Nothing("no block header"), size));
    };
    if header.stream != stream {
        return Ok((Found::Other(header), size));
    }
    if header.block_size() > size {
        bytes.resize(header.block_size(), 0);
        size += file.read_at(&mut bytes[size..], offset + size as u64)?;
        bytes.truncate(size);
    }
    let found = match block::verify(&header, &bytes) {
        Some(payload) => Found::Block(header, payload.to_vec()),
        None => Found::Nothing("a block with a wrong checksum"),
    };
    Ok((found, size))
}

fn open_segment(vfs: &dyn Vfs, dir: &Path, no: SegmentNo) -> io::Result<(Segment, Option<segment::Header>)> {
    let path = no.path(dir);
    let file = vfs.open(&path, Open::Read)?;
    file.drop_clean_pages(0)?;
    let header = segment::Header::read(&*file, no)?;
    let size = file.len()?;
    Ok((Segment { no, file, path, size, offset: HEADER_SIZE }, header))
}
