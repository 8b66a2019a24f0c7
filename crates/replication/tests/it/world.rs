//! Purpose: what the other files share.
//!
//! Requirements: none of its own.
//!
//! Method: binlog files in memory, made by the encoder that the server uses, and a sink that keeps what it is given.

use std::io;
use std::sync::Arc;

use binlog::event::{GtidEvent, GtidLayout, Query, Rotate, StatusVars};
use binlog::finalise::append_final;
use binlog::{
    BinlogName, ChecksumAlg, Encode, EventHeader, EventType, FileHeader, Gtid, GtidSet, Origin, Placement,
    ReadAt, Uuid,
};
use commit::record::BinlogPlace;
use parking_lot::Mutex;
use replication::source::{Begin, DumpError, Log, Request, Sender, Server, Sink, Step};

pub const SID: Uuid = Uuid([7; 16]);
pub const ORIGIN: Origin = Origin { timestamp: 1_700_000_000, server_id: 1 };

/// A file's bytes, and where a gap begins in it.
#[derive(Debug)]
struct Bytes(Arc<Mutex<Vec<Vec<u8>>>>, usize, Option<u64>);

/// The size of a gap: positions behind it are the same in 32 bits.
const GAP: u64 = 1 << 32;

impl ReadAt for Bytes {
    fn read_at(&self, buf: &mut [u8], offset: u64) -> io::Result<usize> {
        let len = self.len()?;
        let files = self.0.lock();
        let begins = self.2.unwrap_or(u64::MAX);
        let count = usize::try_from(len.saturating_sub(offset)).unwrap_or(usize::MAX).min(buf.len());
        for (byte, at) in buf[..count].iter_mut().zip(offset..) {
            let place =
                if at < begins { Some(at) } else { (at - begins).checked_sub(GAP).map(|at| at + begins) };
            *byte = place.map_or(0, |place| files[self.1][usize::try_from(place).unwrap()]);
        }
        Ok(count)
    }

    fn len(&self) -> io::Result<u64> {
        Ok(self.0.lock()[self.1].len() as u64 + self.2.map_or(0, |_| GAP))
    }
}

/// A log that a test writes; clones share it.
#[derive(Clone, Debug, Default)]
pub struct TestLog {
    pub files: Arc<Mutex<Vec<Vec<u8>>>>,
    pub end: Arc<Mutex<BinlogPlace>>,
    pub executed: Arc<Mutex<GtidSet>>,
    /// In none of the files, beside those of purged files.
    pub elsewhere: Arc<Mutex<GtidSet>>,
    /// Files below this number are purged.
    pub first: Arc<Mutex<u64>>,
    /// A RESET has ended it.
    pub over: Arc<Mutex<bool>>,
    pub checksum: ChecksumAlg,
    /// Where the gap of the first file begins.
    pub gap: Arc<Mutex<Option<u64>>>,
}

impl Log for TestLog {
    fn names(&self) -> Vec<BinlogName> {
        let count = self.files.lock().len() as u64;
        (1.max(*self.first.lock())..=count).map(name).collect()
    }

    fn open(&self, name: &BinlogName) -> io::Result<Option<Box<dyn ReadAt>>> {
        let index = usize::try_from(name.number()).unwrap() - 1;
        let listed = self.names().contains(name);
        Ok(listed
            .then(|| Box::new(Bytes(Arc::clone(&self.files), index, *self.gap.lock())) as Box<dyn ReadAt>))
    }

    fn end(&self) -> BinlogPlace {
        *self.end.lock()
    }

    fn is_over(&self) -> bool {
        *self.over.lock()
    }

    fn gtid_executed(&self) -> GtidSet {
        self.executed.lock().clone()
    }

    fn gtid_purged(&self) -> io::Result<GtidSet> {
        let mut purged = self.elsewhere.lock().clone();
        if let Some(first) = self.names().first()
            && let Some(file) = self.open(first)?
        {
            purged.add_set(&binlog::read_head(file).map_err(io::Error::other)?.previous);
        }
        Ok(purged)
    }

    fn is_at_hand(&self, _: BinlogPlace) -> bool {
        true
    }
}

pub fn name(number: u64) -> BinlogName {
    BinlogName::new("binlog", number)
}

pub fn file(number: u64) -> String {
    name(number).to_string()
}

impl TestLog {
    /// A log whose first file has begun.
    pub fn new(checksum: ChecksumAlg) -> Self {
        let log = Self { checksum, ..Self::default() };
        log.begin_file();
        log.publish();
        log
    }

    /// Appends a transaction, which is not published yet; without a number it has no GTID.
    pub fn append(&self, gno: Option<u64>) {
        self.append_with(gno, 0);
    }

    /// The same; its last 4 GiB are not there.
    pub fn append_giant(&self, gno: u64) {
        self.append_with(Some(gno), GAP);
        *self.gap.lock() = Some(self.bytes(1).len() as u64);
    }

    fn append_with(&self, gno: Option<u64>, more: u64) {
        let gtid = gno.map(|gno| Gtid { sid: SID, gno });
        let sql = format!("CREATE TABLE t{} (id INT)", gno.unwrap_or(0));
        let query = Query {
            flags: 0,
            thread_id: 1,
            exec_time_s: 0,
            error_code: 0,
            status: StatusVars::default(),
            db: b"d",
            sql: sql.as_bytes(),
        };
        let rest = (query.encoded_len() + self.checksum.len()) as u64 + more;
        let event = GtidEvent {
            gtid,
            may_have_statements: true,
            last_committed: 0,
            sequence_number: 1,
            immediate_commit_timestamp_us: 5,
            original_commit_timestamp_us: None,
            transaction_length: rest + GtidLayout::default().event_size(rest, self.checksum),
            immediate_server_version: 80046,
            original_server_version: None,
        };
        self.put(&event);
        self.put(&query);
        self.executed.lock().extend(gtid);
    }

    /// The readable end.
    pub fn readable(&self) -> BinlogPlace {
        *self.end.lock()
    }

    /// Goes on in a new file.
    pub fn rotate(&self) {
        let next = file(self.files.lock().len() as u64 + 1);
        self.put(&Rotate { position: 4, file: next.as_bytes() });
        self.begin_file();
    }

    fn begin_file(&self) {
        let mut bytes = Vec::new();
        let previous = self.executed.lock().clone();
        let created = if self.files.lock().is_empty() { ORIGIN.timestamp } else { 0 };
        let header = FileHeader {
            origin: ORIGIN,
            server_version: "8.0.46-onelog",
            created,
            checksum: self.checksum,
            previous: &previous,
        };
        header.append_to(&mut bytes);
        self.files.lock().push(bytes);
    }

    fn put(&self, event: &impl Encode) {
        let mut files = self.files.lock();
        let bytes = files.last_mut().unwrap();
        let at = Placement::At(bytes.len() as u64);
        append_final(bytes, event, ORIGIN, at, self.checksum);
    }

    /// Everything may be read.
    pub fn publish(&self) {
        let files = self.files.lock();
        let position = files.last().unwrap().len() as u64 + self.gap.lock().map_or(0, |_| GAP);
        *self.end.lock() = BinlogPlace { file: u32::try_from(files.len()).unwrap(), position };
    }

    pub fn bytes(&self, number: usize) -> Vec<u8> {
        self.files.lock()[number - 1].clone()
    }
}

/// Keeps events; is full when `room` of them are there.
#[derive(Debug)]
pub struct Kept {
    pub events: Vec<(Vec<u8>, Option<BinlogPlace>)>,
    pub room: usize,
}

impl Sink for Kept {
    fn event(&mut self, bytes: &[u8], end: Option<BinlogPlace>) {
        self.events.push((bytes.to_vec(), end));
    }

    fn is_full(&self) -> bool {
        self.events.len() >= self.room
    }
}

impl Default for Kept {
    fn default() -> Self {
        Self { events: Vec::new(), room: usize::MAX }
    }
}

impl Kept {
    /// Types and end positions of what was given since the last call.
    pub fn take(&mut self) -> Vec<(EventType, u32)> {
        let taken = std::mem::take(&mut self.events);
        taken
            .iter()
            .map(|(bytes, _)| header(bytes))
            .map(|header| (header.event_type, header.end_log_pos))
            .collect()
    }
}

pub fn header(event: &[u8]) -> EventHeader {
    EventHeader::from_bytes(event.first_chunk().unwrap())
}

pub fn server() -> Server {
    Server { id: 1, uuid: SID, gtid_mode: "ON".to_owned() }
}

pub fn at(file: &str, position: u64) -> Begin {
    Begin::At { file: file.to_owned(), position }
}

/// GTIDs from 1 to `last`.
pub fn up_to(last: u64) -> GtidSet {
    (1..=last).map(|gno| Gtid { sid: SID, gno }).collect()
}

pub fn without(known: GtidSet) -> Begin {
    Begin::Without { known, file: String::new(), position: 4 }
}

pub fn request(begin: Begin) -> Request {
    Request { begin, checksum: Some(ChecksumAlg::Crc32), ends: false, whole_heartbeats: false }
}

pub fn begin(log: &TestLog, begin: Begin) -> Result<Sender<TestLog>, DumpError> {
    Sender::begin(log.clone(), request(begin), &server())
}

/// All that a dump gives now.
pub fn all(sender: &mut Sender<TestLog>) -> (Kept, Step) {
    let mut kept = Kept::default();
    let end = sender.log().end();
    let step = sender.fill(end, &mut kept).unwrap();
    (kept, step)
}
