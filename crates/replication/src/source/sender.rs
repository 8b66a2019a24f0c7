//! The sender: which bytes a client gets next.
//!
//! | state | what happens | next state |
//! | --- | --- | --- |
//! | before a file | artificial ROTATE, then the file's FORMAT_DESCRIPTION | in the file |
//! | in the file | PREVIOUS_GTIDS and events as they are stored; transactions that the client has are passed over, and a heartbeat says so before the next event; where none can, they are sent, and the client passes over them | the same |
//! | at the end of a file that is complete | the next file is opened | before a file |
//! | at the readable end | nothing: the driver waits | in the file |

use binlog::decode::Event;
use binlog::reader::FIRST_EVENT;
use binlog::{BinlogName, ChecksumAlg, EventReader, EventType, GtidSet};
use commit::record::BinlogPlace;

use super::artificial::{Artificial, format_description};
use super::begin::{Request, Server, Start, error_at};
use super::error::{DumpError, Where};
use super::log::Log;

/// Where events for a client are collected.
pub trait Sink {
    /// Takes an event. `end` is where it ends in the log, for events that are there; of a heartbeat that says what was passed
    /// over, where that ends.
    fn event(&mut self, bytes: &[u8], end: Option<BinlogPlace>);

    /// Whether what was collected should be sent first.
    fn is_full(&self) -> bool;
}

/// What the driver does next, when it has sent what the sink has collected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Goes on.
    Full,
    /// Waits until the log goes on behind this place.
    UpToDate(BinlogPlace),
    /// Ends the dump: the client did not want to wait.
    End,
}

/// See the module.
#[derive(Debug)]
pub struct Sender<L> {
    log: L,
    artificial: Artificial,
    knows_checksums: bool,
    /// What the client has, if it asked by GTIDs.
    known: Option<GtidSet>,
    ends: bool,
    first: (String, u64),
    /// The client has everything before, whatever it was sent here.
    has: BinlogPlace,
    /// Where the first transaction begins that it was sent.
    first_sent: Option<BinlogPlace>,
    name: BinlogName,
    file: String,
    number: u32,
    /// `None` before the first file.
    reader: Option<EventReader>,
    /// How the first file begins.
    start: Option<Start>,
    /// Where the last event ends that was read.
    last_end: u64,
    /// Something was passed over since the last event that was given out.
    passed_over: bool,
    /// Transactions that were passed over since the caller has looked at its client.
    passed: u32,
}

/// Transactions that are passed over between two looks at the client: each may be a read from the disk.
const PASSED_MAX: u32 = 1024;

impl<L: Log> Sender<L> {
    /// Finds where the dump begins. Reads files.
    pub fn begin(log: L, request: Request, server: &Server) -> Result<Self, DumpError> {
        let Request { begin, checksum, ends, whole_heartbeats } = request;
        let start = begin.find(&log, server)?;
        let file = start.name.to_string();
        Ok(Self {
            log,
            artificial: Artificial {
                server_id: server.id,
                checksum: checksum.unwrap_or(ChecksumAlg::None),
                whole_heartbeats,
            },
            knows_checksums: checksum.is_some(),
            known: begin.known(),
            ends,
            first: (file.clone(), start.position),
            has: BinlogPlace { file: number_of(&start.name), position: start.position },
            first_sent: None,
            number: number_of(&start.name),
            name: start.name.clone(),
            file,
            reader: None,
            last_end: start.position,
            start: Some(start),
            passed_over: false,
            passed: 0,
        })
    }

    /// The log.
    pub fn log(&self) -> &L {
        &self.log
    }

    /// Whether what comes next is in memory; else [`Sender::fill`] may wait for a disk.
    pub fn is_at_hand(&self) -> bool {
        self.reader.is_some() && self.log.is_at_hand(self.place())
    }

    /// Gives the next events to the sink, until it is full or `end` is reached, a readable end that the caller knows: what
    /// it has decided about the events up to there holds for all that come. Also returns when much was passed over, for the
    /// client may have gone.
    pub fn fill(&mut self, end: BinlogPlace, sink: &mut impl Sink) -> Result<Step, DumpError> {
        if self.log.is_over() {
            return Err(DumpError::NoNextFile);
        }
        if let Some(start) = self.start.take() {
            self.begin_file(start, sink)?;
        }
        self.passed = 0;
        while !sink.is_full() && self.passed < PASSED_MAX {
            let place = self.place();
            if place >= end {
                self.confess(place.position, sink);
                return Ok(if self.ends { Step::End } else { Step::UpToDate(place) });
            }
            let limit = self.limit(end);
            if !self.give_event(limit, sink).map_err(|fault| self.explain(&fault))? {
                let name = self.next_file()?;
                self.begin_file(Start { name, position: FIRST_EVENT, resumes: false }, sink)?;
            }
        }
        Ok(Step::Full)
    }

    /// Tells the client that the source is alive.
    pub fn heartbeat(&self, sink: &mut impl Sink) {
        if let Some(heartbeat) = self.artificial.heartbeat(&self.file, self.place().position) {
            sink.event(&heartbeat, None);
        }
    }

    /// Tells the client that the source is alive, and how far it is behind what was passed over.
    pub fn report(&mut self, sink: &mut impl Sink) {
        self.confess(self.place().position, sink);
    }

    /// The client has everything before this place without having been sent it: it begins there, or has the transactions
    /// from the beginning to there.
    pub fn has_before(&self) -> BinlogPlace {
        self.has
    }

    /// How far it has come, for an error that is not its own.
    pub fn at(&self) -> Where {
        Where {
            first: self.first.clone(),
            file: self.file.clone(),
            event: self.last_end,
            end: self.place().position,
        }
    }

    /// Where the next event begins.
    pub fn place(&self) -> BinlogPlace {
        let position = self.reader.as_ref().map_or(self.first.1, EventReader::position);
        BinlogPlace { file: self.number, position }
    }

    /// How far the current file may be read.
    fn limit(&self, end: BinlogPlace) -> u64 {
        if self.number == end.file { end.position } else { u64::MAX }
    }

    /// Opens a file and gives out what comes before its events. The file before is in use until then.
    fn begin_file(&mut self, start: Start, sink: &mut impl Sink) -> Result<(), DumpError> {
        let Start { name, position, resumes } = start;
        (self.file, self.number, self.name) = (name.to_string(), number_of(&name), name);
        sink.event(&self.artificial.rotate(&self.file, position), None);
        let opened = self.log.open(&self.name).map_err(|_| DumpError::Unreadable(self.at()))?;
        let opened = opened.ok_or(DumpError::NoNextFile)?;
        let limit = self.limit(self.log.end());
        let reader = EventReader::open_within(opened, limit).map_err(|error| error_at(&error, self.at()))?;
        let checksum = reader.checksum();
        self.passed_over = false;
        let stays = position > FIRST_EVENT;
        let reader = self.reader.insert(reader);
        let given = match reader.next_event() {
            Ok(Some(event)) => format_description(&event, resumes, stays).map(|bytes| (bytes, event.end())),
            Ok(None) => Err(binlog::Error::Torn { offset: FIRST_EVENT }),
            Err(error) => Err(error),
        };
        let (bytes, end) = match given {
            Ok(given) => given,
            Err(error) => return Err(error_at(&error, self.at())),
        };
        self.last_end = end;
        if checksum != ChecksumAlg::None && !self.knows_checksums {
            return Err(DumpError::Checksum(self.at()));
        }
        self.artificial.checksum = checksum;
        if let Some(reader) = &mut self.reader {
            reader.seek(position.max(end));
        }
        sink.event(&bytes, (!stays).then_some(BinlogPlace { file: self.number, position: end }));
        Ok(())
    }

    /// Gives out the next event, or passes over a transaction. False at the end of the file.
    fn give_event(&mut self, limit: u64, sink: &mut impl Sink) -> Result<bool, Fault> {
        let reader = self.reader.as_mut().expect("a file was begun");
        reader.set_limit(limit);
        let Some(event) = reader.next_event()? else { return Ok(false) };
        let (position, end) = (event.position, event.end());
        self.last_end = end;
        let begins = matches!(event.header.event_type, EventType::GTID | EventType::ANONYMOUS_GTID);
        if let (Some(known), true) = (&self.known, begins) {
            let corrupt = |what| Fault::Log(binlog::Error::Corrupt { offset: position, what });
            let Event::Gtid(gtid) = event.decode()? else { return Err(corrupt("no GTID event")) };
            if known.contains(gtid.gtid.ok_or(Fault::Anonymous { position })?) {
                let behind = position.saturating_add(gtid.transaction_length);
                if behind < end {
                    return Err(corrupt("a transaction that is shorter than its first event"));
                }
                // It is sent all the same where nothing could say that it was passed over, and ask for an acknowledgement.
                // What comes before all that is sent is known to be there.
                if self.first_sent.is_none() || self.artificial.can_tell(behind) {
                    reader.seek(behind);
                    self.passed_over = true;
                    self.passed += 1;
                    if self.first_sent.is_none() {
                        self.has = BinlogPlace { file: self.number, position: behind };
                    }
                    return Ok(true);
                }
            }
        }
        if std::mem::take(&mut self.passed_over) {
            tell_place(self.artificial, &self.file, BinlogPlace { file: self.number, position }, sink);
        }
        if begins {
            self.first_sent.get_or_insert(BinlogPlace { file: self.number, position });
        }
        sink.event(event.bytes, Some(BinlogPlace { file: self.number, position: end }));
        Ok(true)
    }

    /// Tells the client of transactions that were passed over, so that its position moves.
    fn confess(&mut self, position: u64, sink: &mut impl Sink) {
        if std::mem::take(&mut self.passed_over) {
            tell_place(self.artificial, &self.file, BinlogPlace { file: self.number, position }, sink);
        }
    }

    /// The file behind the one that is complete.
    fn next_file(&self) -> Result<BinlogName, DumpError> {
        let names = self.log.names();
        names.into_iter().find(|name| *name > self.name).ok_or(DumpError::NoNextFile)
    }
}

/// Tells the client how far it is behind what was passed over.
fn tell_place(artificial: Artificial, file: &str, place: BinlogPlace, sink: &mut impl Sink) {
    if let Some(heartbeat) = artificial.heartbeat(file, place.position) {
        sink.event(&heartbeat, Some(place));
    }
}

impl<L: Log> Sender<L> {
    fn explain(&self, fault: &Fault) -> DumpError {
        match fault {
            Fault::Log(error) => error_at(error, self.at()),
            Fault::Anonymous { position } => {
                DumpError::Anonymous { file: self.file.clone(), position: *position }
            }
        }
    }
}

/// Why there is no next event.
#[derive(Debug)]
enum Fault {
    /// The log cannot be read.
    Log(binlog::Error),
    /// A transaction without a GTID.
    Anonymous { position: u64 },
}

impl From<binlog::Error> for Fault {
    fn from(error: binlog::Error) -> Self {
        Self::Log(error)
    }
}

fn number_of(name: &BinlogName) -> u32 {
    u32::try_from(name.number()).expect("numbers of binlog files are below 2^32")
}
