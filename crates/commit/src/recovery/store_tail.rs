//! The binlog store, as recovery reads it: its records are in commit order, like redo's.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use engine::ids::CommitSeq;
use redo::{LiveSegment, Lsn, Reader, Stream};
use vfs::{LockGuard, Vfs};

use crate::FatalError;
use crate::facts::StoreFacts;
use crate::record::{self, Input};
use crate::sequencer::Drawn;
use crate::store;

/// See the module.
#[derive(Debug)]
pub(super) struct StoreTail {
    reader: Reader,
    /// Chunks read so far that no record has named.
    pub(super) chunks: HashMap<Lsn, Vec<u8>>,
    /// The record that was read last.
    current: Option<Stored>,
    /// The end of the last record that is kept.
    end: Lsn,
    /// What was read, and what was when the last record was kept.
    drawn: Drawn,
    kept_drawn: Drawn,
    /// The directory of its own files, if it has them, and no other server writes to them meanwhile.
    own: Option<(PathBuf, Box<dyn LockGuard>)>,
}

/// What is kept of a store.
pub(super) struct KeptStore {
    pub(super) end: Lsn,
    /// That hold it; in redo's files all that were read, as the next start reads them again if this one is not made durable.
    pub(super) segments: Vec<LiveSegment>,
    pub(super) drawn: Drawn,
    pub(super) own: Option<(PathBuf, Box<dyn LockGuard>)>,
}

impl KeptStore {
    /// Whether any record is.
    pub(super) fn has_records(&self) -> bool {
        self.drawn != Drawn::default()
    }
}

/// A transaction's record.
#[derive(Debug)]
struct Stored {
    seq: CommitSeq,
    crc32c: u32,
    end: Lsn,
    /// Its events' body.
    events: Vec<u8>,
}

impl StoreTail {
    /// Opens a store in redo's files or in its own directory, if anything of it may be needed.
    pub(super) fn open(
        vfs: &Arc<dyn Vfs>,
        redo: &Path,
        own: &Path,
        facts: &StoreFacts,
    ) -> Result<Option<Self>, FatalError> {
        if facts.epochs.is_empty() {
            return Ok(None);
        }
        let (dir, stream, own) = if facts.is_beside_redo() {
            (redo, Stream::Second, None)
        } else {
            (own, Stream::First, Some((own.to_owned(), store::lock(&**vfs, own)?)))
        };
        let reader = Reader::open(Arc::clone(vfs), dir, stream, &facts.epochs, facts.start)?;
        let (drawn, kept_drawn, end) = (Drawn::default(), Drawn::default(), facts.start);
        Ok(Some(Self { reader, chunks: HashMap::new(), current: None, end, drawn, kept_drawn, own }))
    }

    /// The events' body of a transaction, if the store has that very record. Transactions are asked for in commit order.
    pub(super) fn events(&mut self, seq: CommitSeq, crc32c: u32) -> Result<Option<Vec<u8>>, FatalError> {
        while self.current.as_ref().is_none_or(|stored| stored.seq < seq) {
            let Some(record) = self.reader.next_record()? else { return Ok(None) };
            match record.kind {
                record::CHUNK => {
                    self.drawn.chunks += record.body.len() as u64;
                    self.chunks.insert(record.lsn, record.body);
                }
                record::EVENTS => {
                    let crc32c = crc32c::crc32c(&record.body);
                    let mut input = Input(&record.body);
                    let seq = input.u64().ok_or_else(|| corrupt(record.lsn))?;
                    let events = input.0.to_vec();
                    self.drawn.events += events.len() as u64;
                    self.current = Some(Stored { seq: CommitSeq(seq), crc32c, end: record.end, events });
                }
                _ => return Err(corrupt(record.lsn)),
            }
        }
        let found = self.current.as_ref().filter(|stored| stored.seq == seq && stored.crc32c == crc32c);
        Ok(found.map(|stored| stored.events.clone()))
    }

    /// The record that was asked for last is kept.
    pub(super) fn keep(&mut self) {
        self.end = self.current.as_ref().map_or(self.end, |stored| stored.end);
        self.kept_drawn = self.drawn;
    }

    /// Makes what is kept survive power loss.
    pub(super) fn sync(self) -> Result<KeptStore, FatalError> {
        let kept = self.reader.kept_below(self.end);
        self.reader.sync(&kept)?;
        let segments = if self.own.is_some() { kept } else { self.reader.visited().to_vec() };
        Ok(KeptStore { end: self.end, segments, drawn: self.kept_drawn, own: self.own })
    }

    pub(super) fn bytes_read(&self) -> u64 {
        self.reader.bytes_read()
    }
}

fn corrupt(lsn: Lsn) -> FatalError {
    FatalError::Corrupt(format!("the binlog store holds a record that is none of its own at LSN {lsn}"))
}
