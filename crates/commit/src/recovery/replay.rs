//! Reading the logs: the one recovery rule.
//!
//! Committed is the longest prefix of `commit_seq` in which each transaction has all the parts that its redo record
//! names; everything after it is cut from both logs. Records behind the prefix are still looked at for what they
//! promise: if a part is missing that had been synced, the answer is not a shorter prefix but a refusal.

use std::borrow::Cow;
use std::collections::HashMap;

use binlog::Finaliser;
use engine::delta::Delta;
use engine::ids::{CommitSeq, CounterHigh};
use engine::writeset::EntryDecoder;
use redo::{Lsn, Reader, Record};

use super::recorded_log::RecordedLog;
use super::store_tail::StoreTail;
use crate::FatalError;
use crate::facts::Facts;
use crate::fold::unfolded;
use crate::record::{self, BinlogPlace, ChunkName, EventsBody, EventsHome, EventsPlace, TrxRecord};
use crate::sequencer::Drawn;

/// What is kept, and what it amounts to.
#[derive(Debug)]
pub(super) struct Kept {
    /// The last transaction.
    pub(super) last: CommitSeq,
    /// The end of its record, or of its rotation's.
    pub(super) redo_end: Lsn,
    /// Where the binlog ends, rotations included.
    pub(super) binlog: Option<BinlogPlace>,
    /// Where the last event ends, or the checkpoint's position.
    pub(super) events_end: Option<BinlogPlace>,
    pub(super) gtid_executed: binlog::GtidSet,
    pub(super) counters: Vec<CounterHigh>,
    /// Transactions above the checkpoint.
    pub(super) replayed: u64,
    /// Transactions that redo held and that were cut.
    pub(super) cut: u64,
    /// What redo holds beside small write sets: a checkpoint that follows is no nearer for it, as before the start.
    pub(super) drawn: Drawn,
}

/// Walks over redo from the checkpoint on.
#[derive(Debug)]
pub(super) struct Replay<'a> {
    kept: Kept,
    delta: &'a Delta,
    log: &'a mut RecordedLog,
    store: Option<&'a mut StoreTail>,
    chunks: HashMap<Lsn, Vec<u8>>,
    /// Where the events of the first transaction would begin of which a part is missing.
    cut: Option<BinlogPlace>,
    /// The furthest promise that any record carries.
    promised: BinlogPlace,
    /// As [`Kept::drawn`], of all that was read.
    drawn: Drawn,
}

impl<'a> Replay<'a> {
    pub(super) fn new(
        facts: &Facts,
        delta: &'a Delta,
        log: &'a mut RecordedLog,
        store: Option<&'a mut StoreTail>,
    ) -> Self {
        let kept = Kept {
            last: facts.through,
            redo_end: facts.redo_start,
            binlog: facts.binlog,
            events_end: facts.binlog,
            gtid_executed: facts.gtid_executed.clone(),
            counters: facts.counters.clone(),
            replayed: 0,
            cut: 0,
            drawn: Drawn::default(),
        };
        let promised = facts.binlog.unwrap_or_default();
        Self { kept, delta, log, store, chunks: HashMap::new(), cut: None, promised, drawn: Drawn::default() }
    }

    /// What is kept of a new data directory.
    pub(super) fn into_kept(self) -> Kept {
        self.kept
    }

    /// Reads to the end of redo, puts what is kept into the delta and says what it is.
    pub(super) fn run(mut self, reader: &mut Reader) -> Result<Kept, FatalError> {
        while let Some(record) = reader.next_record()? {
            match record.kind {
                record::CHUNK => {
                    self.drawn.chunks += record.body.len() as u64;
                    self.chunks.insert(record.lsn, record.body);
                }
                record::TRX => self.transaction(&record)?,
                record::ROTATION => self.rotation(&record)?,
                _ => return Err(corrupt(&record, "of an unknown kind")),
            }
        }
        self.check_promise()?;
        Ok(self.kept)
    }

    fn transaction(&mut self, record: &Record) -> Result<(), FatalError> {
        let none = || corrupt(record, "no transaction");
        let whole = unfolded(&record.body).ok_or_else(none)?;
        let trx = record::decode_trx(&whole).ok_or_else(none)?;
        // As the ticket counted it: what is folded is left out of the events.
        self.drawn.events += (record.body.len() + trx.events.len()).saturating_sub(whole.len()) as u64;
        if self.is_below_checkpoint(trx.head.seq) {
            trx.chunks.iter().for_each(|chunk| drop(self.chunks.remove(&chunk.lsn)));
            self.keep_through(record);
            return Ok(());
        }
        self.promised = self.promised.max(trx.head.promised);
        if self.cut.is_none() && trx.head.seq != self.kept.last.next() {
            return Err(corrupt(record, "not the next transaction"));
        }
        let events = if self.cut.is_some() { Events::Missing } else { self.events_of(&trx)? };
        if matches!(events, Events::Missing) {
            let begin = |events: &EventsPlace| BinlogPlace { file: events.file, position: events.start };
            self.cut = self.cut.or(trx.head.events.as_ref().map(begin));
            self.kept.cut += 1;
            return Ok(());
        }
        self.apply(&trx).map_err(|what| corrupt(record, what))?;
        if let (Events::Bytes(body), Some(place)) = (events, &trx.head.events) {
            self.put_events(place, &body).map_err(|what| what.or_corrupt(record))?;
        }
        let kept = &mut self.kept;
        kept.last = trx.head.seq;
        kept.replayed += 1;
        if let Some(events) = &trx.head.events {
            kept.binlog = Some(BinlogPlace { file: events.file, position: events.start + events.size });
            kept.events_end = kept.binlog;
        }
        if let Some(gtid) = trx.head.gtid {
            kept.gtid_executed.add(gtid);
        }
        kept.counters.extend(&trx.counters);
        self.keep_through(record);
        Ok(())
    }

    /// Redo is kept to the end of a record.
    fn keep_through(&mut self, record: &Record) {
        (self.kept.redo_end, self.kept.drawn) = (record.end, self.drawn);
    }

    /// Whether redo is still being read only because a chunk lies there that a later transaction needs. What such a
    /// record says of the binlog was true before the checkpoint, and before a RESET.
    fn is_below_checkpoint(&self, seq: CommitSeq) -> bool {
        seq <= self.kept.last && self.kept.replayed == 0
    }

    /// Where the transaction's events are.
    fn events_of<'r>(&mut self, trx: &TrxRecord<'r>) -> Result<Events<'r>, FatalError> {
        let Some(place) = &trx.head.events else { return Ok(Events::InPlace) };
        let Some(tail) = self.log.needed()? else { return Ok(Events::Missing) };
        let body = match place.home {
            EventsHome::File(crc) if tail.holds(place, crc)? => return Ok(Events::InPlace),
            EventsHome::File(_) => None,
            EventsHome::Record => Some(Cow::Borrowed(trx.events)),
            EventsHome::Store(crc) => match &mut self.store {
                Some(store) => store.events(trx.head.seq, crc)?.map(Cow::Owned),
                None => None,
            },
        };
        Ok(body.map_or(Events::Missing, Events::Bytes))
    }

    /// Makes the binlog file hold a transaction's events.
    fn put_events(&mut self, place: &EventsPlace, body: &[u8]) -> Result<(), Trouble> {
        let events = record::decode_events(body).ok_or(Trouble::Record("events that do not decode"))?;
        let tail = self.log.opened().expect("the events have a place");
        let chunks = match (place.home, &mut self.store) {
            (EventsHome::Store(_), Some(store)) => {
                store.keep();
                &mut store.chunks
            }
            _ => &mut self.chunks,
        };
        let mut size = 0;
        for_each_piece(&events, place, chunks, |bytes| {
            size += bytes.len() as u64;
            Ok(())
        })?;
        if size != place.size {
            return Err(Trouble::Record("events of another length than it says"));
        }
        let mut at = BinlogPlace { file: place.file, position: place.start };
        tail.begin_at(at)?;
        for_each_piece(&events, place, chunks, |bytes| {
            tail.put(at, bytes)?;
            at.position += bytes.len() as u64;
            Ok(())
        })?;
        events.chunks.iter().for_each(|chunk| drop(chunks.remove(&chunk.lsn)));
        Ok(())
    }

    fn apply(&mut self, trx: &TrxRecord<'_>) -> Result<(), &'static str> {
        let wrong = "a write set that does not decode";
        let put = |key, change| self.delta.put(trx.head.seq, key, change);
        // An entry may begin in one chunk and go on in the next, or in the record.
        let mut entries = EntryDecoder::default();
        for chunk in &trx.chunks {
            entries.push(&take_chunk(&mut self.chunks, chunk)?, put).or(Err(wrong))?;
        }
        entries.push(trx.writes, put).and_then(|()| entries.finish()).or(Err(wrong))
    }

    fn rotation(&mut self, record: &Record) -> Result<(), FatalError> {
        let rotation = record::decode_rotation(&record.body).ok_or_else(|| corrupt(record, "no rotation"))?;
        if self.cut.is_some() || rotation.after != self.kept.last {
            return Ok(());
        }
        self.keep_through(record);
        if self.is_below_checkpoint(rotation.after) {
            return Ok(());
        }
        let after = BinlogPlace { file: rotation.new_file, position: rotation.header.len() as u64 };
        if self.kept.binlog.is_none_or(|kept| kept < after) {
            self.kept.binlog = Some(after);
            if let Some(tail) = self.log.needed()? {
                tail.note_rotation(&record.body);
            }
        }
        Ok(())
    }

    /// Refuses if something is missing that had been promised.
    fn check_promise(&mut self) -> Result<(), FatalError> {
        let (Some(tail), Some(kept)) = (self.log.opened(), self.kept.binlog) else { return Ok(()) };
        let untouched = self.kept.replayed + self.kept.cut == 0;
        if untouched && tail.index.names().is_empty() {
            // Somebody has removed the whole binlog on purpose; nothing depends on it.
            self.kept.binlog = None;
            return Ok(());
        }
        // Of transactions before the cut nothing is missing. A promise beyond their events that ends before it is one of a
        // header: a run's file has nothing else until its first transaction that is logged.
        if let Some(cut) = self.cut
            && self.promised > cut
        {
            let file = tail.path_of(cut.file);
            return Err(FatalError::Corrupt(format!(
                "binlog file {} is damaged or cut at position {}: a sync had been promised up to position {} of \
                 file number {}; restore the file",
                file.display(),
                cut.position,
                self.promised.position,
                self.promised.file
            )));
        }
        // A rotation that redo holds may have had no time to make its file.
        let written = self.kept.events_end.unwrap_or(kept);
        if tail.len(written.file)?.is_none_or(|len| len < written.position) {
            let file = tail.path_of(written.file);
            return Err(FatalError::Corrupt(format!(
                "binlog file {} is missing or shorter than the last checkpoint's position {}; restore the file",
                file.display(),
                written.position
            )));
        }
        Ok(())
    }
}

/// Where a transaction's events are.
enum Events<'a> {
    /// Nowhere, though they should be.
    Missing,
    /// In the binlog file, or there are none.
    InPlace,
    /// In a log: an events' body.
    Bytes(Cow<'a, [u8]>),
}

/// Why a file could not be completed.
enum Trouble {
    Record(&'static str),
    Fatal(FatalError),
}

impl From<FatalError> for Trouble {
    fn from(error: FatalError) -> Self {
        Self::Fatal(error)
    }
}

impl Trouble {
    fn or_corrupt(self, record: &Record) -> FatalError {
        match self {
            Self::Record(what) => corrupt(record, what),
            Self::Fatal(error) => error,
        }
    }
}

/// Gives a transaction's final events to `put`, in order.
fn for_each_piece(
    events: &EventsBody<'_>,
    place: &EventsPlace,
    chunks: &HashMap<Lsn, Vec<u8>>,
    mut put: impl FnMut(&[u8]) -> Result<(), FatalError>,
) -> Result<(), Trouble> {
    put(events.head)?;
    let mut finaliser = Finaliser::new(place.start + events.head.len() as u64, place.checksum);
    let mut bytes = Vec::new();
    for chunk in &events.chunks {
        let body = chunks.get(&chunk.lsn).ok_or(Trouble::Record(MISSING))?;
        bytes.clear();
        finaliser.push(checked(body, chunk).map_err(Trouble::Record)?, &mut bytes);
        put(&bytes)?;
    }
    Ok(put(events.tail)?)
}

const MISSING: &str = "a transaction whose chunk is missing";

fn take_chunk(chunks: &mut HashMap<Lsn, Vec<u8>>, chunk: &ChunkName) -> Result<Vec<u8>, &'static str> {
    let body = chunks.remove(&chunk.lsn).ok_or(MISSING)?;
    checked(&body, chunk)?;
    Ok(body)
}

fn checked<'a>(body: &'a [u8], chunk: &ChunkName) -> Result<&'a [u8], &'static str> {
    if body.len() == chunk.size as usize {
        Ok(body)
    } else {
        Err("a transaction whose chunk has another length")
    }
}

fn corrupt(record: &Record, what: &str) -> FatalError {
    FatalError::Corrupt(format!("the redo log holds {what} at LSN {}", record.lsn))
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::sync::Arc;

    use binlog::ChecksumAlg;
    use vfs::sim::SimDisk;
    use vfs::{Open, Vfs};

    use super::*;

    const FILE: [u8; 12] = [7; 12];

    /// What becomes of a file that is to hold 8 bytes from position 4 on, by events of two chunks and such a tail.
    fn put(chunks_there: u64, tail: &[u8]) -> (bool, Vec<u8>) {
        let vfs: Arc<dyn Vfs> = Arc::new(SimDisk::new());
        let path = Path::new("/binlog.000001");
        let file = vfs.open(path, Open::Create).unwrap();
        file.write_at(&FILE, 0).unwrap();
        let facts = Facts { binlog_path: "/binlog".to_owned(), ..Facts::default() };
        let mut log = RecordedLog::new(&vfs, &facts, Path::new("/data"), Some(Path::new("/binlog"))).unwrap();
        let delta = Delta::default();
        let mut replay = Replay::new(&facts, &delta, &mut log, None);
        let chunks = [1, 2].map(|lsn| ChunkName { lsn: Lsn(lsn), size: 0 });
        replay.chunks.extend((1..=chunks_there).map(|lsn| (Lsn(lsn), Vec::new())));
        let mut body = Vec::new();
        let parts = record::EventsParts { chunks: &chunks, head: b"head", tail };
        record::put_events(&parts, |piece| body.extend_from_slice(piece));
        let (checksum, home) = (ChecksumAlg::None, EventsHome::Record);
        let place = EventsPlace { file: 1, start: 4, size: 8, checksum, home };
        let is_put = replay.put_events(&place, &body).is_ok();
        let mut bytes = vec![0; usize::try_from(file.len().unwrap()).unwrap()];
        file.read_exact_at(&mut bytes, 0).unwrap();
        (is_put, bytes)
    }

    #[test]
    fn events_that_are_not_there_whole_change_no_file() {
        assert_eq!(put(2, b"tail"), (true, [&[7; 4], &b"headtail"[..]].concat()));
        assert_eq!(put(1, b"tail"), (false, FILE.to_vec()));
        assert_eq!(put(2, b"more and more"), (false, FILE.to_vec()));
        assert_eq!(put(2, b""), (false, FILE.to_vec()));
    }
}
