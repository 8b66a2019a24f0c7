//! What the redo log's records say. Framing is crate `redo`'s; byte tables are here and in `docs/formats/redo.md`.
//!
//! A transaction's record (kind [`TRX`]):
//!
//! ```text
//! offset size
//!      0    8  commit_seq
//!      8   16  UUID of the GTID, zeros if it has none
//!     24    8  number of the GTID, 0 if it has none
//!     32    4  number of the binlog file, 0 if nothing of the transaction is in the binlog
//!     36    8  position of its first byte there
//!     44    8  length there in bytes
//!     52    4  CRC32C of the bytes at that place, or of the store's record; 0 if this record carries them
//!     56    4  number of the binlog file up to which a sync had been promised when this was filled, 0 if none
//!     60    8  position in that file: everything before it survives power loss
//!     68    4  count c of counters
//!     72    4  count k of chunks
//!     76    4  length e of the events' body
//!     80    1  where the events are: 0 nowhere, 1 in the binlog file alone, 2 in this record, 3 in the binlog store
//!     81    1  checksum algorithm of the binlog file
//!     82    2  count f of folds
//!     84  13c  counters: table id (4), kind (1), highest value used (8)
//!         12k  chunks: LSN of the chunk's record (8), length of its body (4)
//!         12f  folds, in order: where a run of bytes is left out (4), where the same bytes stand (4), how many (4)
//!           e  events' body
//!              write set entries (crate engine, module writeset)
//! ```
//! Positions in folds count from the begin of the events' body, and what is left out counts, there and in e.
//!
//! A chunk (kind [`CHUNK`]) is a piece of the front part of a large transaction's write set, in which an entry may go on
//! from the chunk before, or a piece of its events as the transaction's cache holds them; written before its ticket. The
//! events' body:
//!
//! ```text
//!      0    4  count k of chunks of cached events
//!      4  12k  these chunks
//!           4  length h of the head
//!           h  the GTID event, final; then the chunks' events, still to be finalised
//!              the XID event, final. Without chunks h = 0 and all final events are here
//! ```
//! In the binlog store a transaction's events are a record of kind [`EVENTS`]: its commit_seq (8) and an events' body.
//! A rotation (kind [`ROTATION`]):
//!
//! ```text
//!      0    8  commit_seq after which the file changes
//!      8    4  number of the old file
//!     12    8  position of the ROTATE event there
//!     20    4  length r of the ROTATE event
//!     24    4  number of the new file
//!     28    r  the ROTATE event
//!              the new file's first bytes: magic, FORMAT_DESCRIPTION, PREVIOUS_GTIDS
//! ```

use binlog::{ChecksumAlg, Gtid, Uuid};
use engine::ids::{CommitSeq, CounterHigh, CounterKind, TableId};
use redo::Lsn;
use redo::record::HEAD_SIZE;

use crate::fold::{Fold, Folding};

/// A ticketed transaction.
pub const TRX: u8 = 1;
/// A piece of a write set that a later ticketed record names.
pub const CHUNK: u8 = 2;
/// The binlog goes on in a new file.
pub const ROTATION: u8 = 3;
/// In the binlog store: the events of a transaction.
pub const EVENTS: u8 = 4;

const TRX_HEAD_SIZE: usize = 84;
const COUNTER_SIZE: usize = 13;
const CHUNK_NAME_SIZE: usize = 12;
/// Bytes of a fold in a record.
pub(crate) const FOLD_SIZE: usize = 12;
/// Where the count of folds stands.
pub(crate) const FOLDS_OFFSET: usize = 82;
const ROTATION_HEAD_SIZE: usize = 28;

/// Names a chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChunkName {
    /// LSN of its record.
    pub lsn: Lsn,
    /// Bytes of its body.
    pub size: u32,
}

impl ChunkName {
    /// LSN of the first byte behind its record.
    pub fn end(&self) -> Lsn {
        self.lsn.advance(HEAD_SIZE as u64 + u64::from(self.size))
    }
}

/// Where a transaction's events stand in the binlog, and where they can be read back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EventsPlace {
    /// Number of the file.
    pub file: u32,
    /// Position of the first byte.
    pub start: u64,
    /// Bytes.
    pub size: u64,
    /// How they end there.
    pub checksum: ChecksumAlg,
    /// What has them.
    pub home: EventsHome,
}

/// What has a transaction's events when the record is durable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventsHome {
    /// The binlog file alone: the CRC32C of the bytes proves that they are the ones.
    File(u32),
    /// The record itself.
    Record,
    /// The binlog store: the CRC32C of its record's body.
    Store(u32),
}

/// A place in the sequence of binlog files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct BinlogPlace {
    /// Number of the file; 0 is before every file.
    pub file: u32,
    /// Position in it.
    pub position: u64,
}

/// A transaction's record without its write set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrxHead {
    /// Its place in the commit order.
    pub seq: CommitSeq,
    /// Its GTID.
    pub gtid: Option<Gtid>,
    /// Its events.
    pub events: Option<EventsPlace>,
    /// The binlog had been synced up to here when the record was filled: what is missing below is corruption.
    pub promised: BinlogPlace,
}

/// A transaction's events as a record holds them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventsBody<'a> {
    /// Its cached events, in front parts that were written before.
    pub chunks: Vec<ChunkName>,
    /// The final bytes before them.
    pub head: &'a [u8],
    /// The final bytes behind them; all if there are no chunks.
    pub tail: &'a [u8],
}

/// Bytes of an events' body with so many chunks and so many final bytes.
pub fn events_size(chunks: usize, final_bytes: usize) -> usize {
    8 + chunks * CHUNK_NAME_SIZE + final_bytes
}

/// Bytes of a store record's body with so large an events' body.
pub fn stored_size(events_size: usize) -> usize {
    8 + events_size
}

/// What an events' body is made of.
#[derive(Clone, Copy, Debug)]
pub struct EventsParts<'a> {
    /// The cached events, in front parts that were written before.
    pub chunks: &'a [ChunkName],
    /// The final bytes before them; empty if there are none.
    pub head: &'a [u8],
    /// The final bytes behind them.
    pub tail: &'a [u8],
}

impl EventsParts<'_> {
    /// Bytes of the body.
    pub fn size(&self) -> usize {
        events_size(self.chunks.len(), self.head.len() + self.tail.len())
    }
}

/// Gives an events' body to `put`, in order.
pub fn put_events(events: &EventsParts<'_>, mut put: impl FnMut(&[u8])) {
    if events.chunks.is_empty() && events.head.is_empty() {
        put(&[0; 8]);
    } else {
        put(&count(events.chunks.len()));
        put_chunks(events.chunks, &mut put);
        put(&count(events.head.len()));
        put(events.head);
    }
    put(events.tail);
}

/// Decodes an events' body. `None` if the bytes are none.
pub fn decode_events(body: &[u8]) -> Option<EventsBody<'_>> {
    let mut input = Input(body);
    let chunks = input.u32()?;
    let chunks = (0..chunks).map(|_| input.chunk()).collect::<Option<_>>()?;
    let head_size = input.u32()? as usize;
    let (head, tail) = input.0.split_at_checked(head_size)?;
    Some(EventsBody { chunks, head, tail })
}

/// Bytes of a transaction's record with so many counters and chunks, and so large an events' body and write set.
pub fn trx_size(counters: usize, chunks: usize, events_size: usize, writes_size: usize) -> usize {
    TRX_HEAD_SIZE + counters * COUNTER_SIZE + chunks * CHUNK_NAME_SIZE + events_size + writes_size
}

/// What follows the head of a transaction's record.
#[derive(Clone, Copy, Debug)]
pub struct TrxParts<'a> {
    /// Counters that it moved.
    pub counters: &'a [CounterHigh],
    /// The front parts of its write set.
    pub chunks: &'a [ChunkName],
    /// Its events' body, if the record carries it.
    pub events: Option<EventsParts<'a>>,
    /// The rest of its write set.
    pub writes: &'a [u8],
    /// What of events' body and write set is left out.
    pub folds: &'a [Fold],
}

/// Gives the record's bytes to `put`, in order.
pub fn put_trx(head: &TrxHead, parts: &TrxParts<'_>, mut put: impl FnMut(&[u8])) {
    let mut bytes = [0; TRX_HEAD_SIZE];
    bytes[0..8].copy_from_slice(&head.seq.0.to_le_bytes());
    if let Some(gtid) = head.gtid {
        bytes[8..24].copy_from_slice(&gtid.sid.0);
        bytes[24..32].copy_from_slice(&gtid.gno.to_le_bytes());
    }
    if let Some(events) = head.events {
        bytes[32..36].copy_from_slice(&events.file.to_le_bytes());
        bytes[36..44].copy_from_slice(&events.start.to_le_bytes());
        bytes[44..52].copy_from_slice(&events.size.to_le_bytes());
        let (home, crc) = match events.home {
            EventsHome::File(crc) => (1, crc),
            EventsHome::Record => (2, 0),
            EventsHome::Store(crc) => (3, crc),
        };
        bytes[52..56].copy_from_slice(&crc.to_le_bytes());
        (bytes[80], bytes[81]) = (home, events.checksum.code());
    }
    bytes[56..60].copy_from_slice(&head.promised.file.to_le_bytes());
    bytes[60..68].copy_from_slice(&head.promised.position.to_le_bytes());
    bytes[68..72].copy_from_slice(&count(parts.counters.len()));
    bytes[72..76].copy_from_slice(&count(parts.chunks.len()));
    bytes[76..80].copy_from_slice(&count(parts.events.map_or(0, |events| events.size())));
    let folds = u16::try_from(parts.folds.len()).expect("folds of a record are few");
    bytes[FOLDS_OFFSET..].copy_from_slice(&folds.to_le_bytes());
    put(&bytes);
    for counter in parts.counters {
        put(&encode_counter(counter));
    }
    put_chunks(parts.chunks, &mut put);
    for fold in parts.folds {
        put(&encode_fold(fold));
    }
    let mut folding = Folding { folds: parts.folds, at: 0, put };
    if let Some(events) = &parts.events {
        put_events(events, |piece| folding.put(piece));
    }
    folding.put(parts.writes);
}

fn put_chunks(chunks: &[ChunkName], mut put: impl FnMut(&[u8])) {
    for chunk in chunks {
        put(&chunk.lsn.0.to_le_bytes());
        put(&chunk.size.to_le_bytes());
    }
}

pub(crate) fn encode_counter(counter: &CounterHigh) -> [u8; COUNTER_SIZE] {
    let mut bytes = [0; COUNTER_SIZE];
    bytes[0..4].copy_from_slice(&counter.table.0.to_le_bytes());
    bytes[4] = counter.kind as u8;
    bytes[5..13].copy_from_slice(&counter.high.to_le_bytes());
    bytes
}

fn encode_fold(fold: &Fold) -> [u8; FOLD_SIZE] {
    let mut bytes = [0; FOLD_SIZE];
    bytes[0..4].copy_from_slice(&fold.at.to_le_bytes());
    bytes[4..8].copy_from_slice(&fold.from.to_le_bytes());
    bytes[8..12].copy_from_slice(&fold.size.to_le_bytes());
    bytes
}

fn count(count: usize) -> [u8; 4] {
    u32::try_from(count).expect("counts of a record are small").to_le_bytes()
}

/// A transaction's record, read back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrxRecord<'a> {
    /// Place, GTID and events.
    pub head: TrxHead,
    /// Counters that it moved.
    pub counters: Vec<CounterHigh>,
    /// The front parts of its write set.
    pub chunks: Vec<ChunkName>,
    /// Its events' body, if the record carries it.
    pub events: &'a [u8],
    /// The rest of its write set.
    pub writes: &'a [u8],
}

/// A rotation, read back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RotationRecord<'a> {
    /// The last transaction in the old file.
    pub after: CommitSeq,
    /// The old file's number.
    pub old_file: u32,
    /// Where the ROTATE event begins in it.
    pub rotate_start: u64,
    /// The new file's number.
    pub new_file: u32,
    /// The ROTATE event.
    pub rotate: &'a [u8],
    /// The new file's first bytes.
    pub header: &'a [u8],
}

/// Bytes of a rotation's record.
pub fn rotation_size(rotate_size: usize, header_size: usize) -> usize {
    ROTATION_HEAD_SIZE + rotate_size + header_size
}

/// Gives a rotation's bytes to `put`, in order.
pub fn put_rotation(rotation: &RotationRecord<'_>, mut put: impl FnMut(&[u8])) {
    put(&rotation.after.0.to_le_bytes());
    put(&rotation.old_file.to_le_bytes());
    put(&rotation.rotate_start.to_le_bytes());
    put(&count(rotation.rotate.len()));
    put(&rotation.new_file.to_le_bytes());
    put(rotation.rotate);
    put(rotation.header);
}

/// Bytes of a transaction's record before its folds.
pub(crate) fn front_size(record: &[u8]) -> Option<usize> {
    let mut counts = Input(record.get(68..)?);
    let (counters, chunks) = (counts.u32()? as usize, counts.u32()? as usize);
    let counters = counters.checked_mul(COUNTER_SIZE)?;
    chunks.checked_mul(CHUNK_NAME_SIZE)?.checked_add(counters)?.checked_add(TRX_HEAD_SIZE)
}

/// Decodes a transaction's record, which has no folds ([`crate::fold::unfolded`]). `None` if the bytes are none.
pub fn decode_trx(body: &[u8]) -> Option<TrxRecord<'_>> {
    let mut input = Input(body);
    let seq = CommitSeq(input.u64()?);
    let sid = Uuid(*input.array()?);
    let gno = input.u64()?;
    let (file, start, size, crc) = (input.u32()?, input.u64()?, input.u64()?, input.u32()?);
    let promised = BinlogPlace { file: input.u32()?, position: input.u64()? };
    let (counter_count, chunk_count) = (input.u32()?, input.u32()?);
    let events_size = input.u32()? as usize;
    let [home, checksum, 0, 0] = *input.array()? else { return None };
    let home = match home {
        0 | 1 => EventsHome::File(crc),
        2 => EventsHome::Record,
        3 => EventsHome::Store(crc),
        _ => return None,
    };
    let checksum = ChecksumAlg::from_code(checksum)?;
    let counters = (0..counter_count).map(|_| input.counter()).collect::<Option<Vec<_>>>()?;
    let chunks = (0..chunk_count).map(|_| input.chunk()).collect::<Option<Vec<_>>>()?;
    let head = TrxHead {
        seq,
        gtid: (gno != 0).then_some(Gtid { sid, gno }),
        events: (file != 0).then_some(EventsPlace { file, start, size, checksum, home }),
        promised,
    };
    Some(TrxRecord { head, counters, chunks, events: input.bytes(events_size)?, writes: input.0 })
}

/// Decodes a rotation's record. `None` if the bytes are none.
pub fn decode_rotation(body: &[u8]) -> Option<RotationRecord<'_>> {
    let mut input = Input(body);
    let (after, old_file, rotate_start) = (CommitSeq(input.u64()?), input.u32()?, input.u64()?);
    let rotate_size = input.u32()? as usize;
    let new_file = input.u32()?;
    let (rotate, header) = input.0.split_at_checked(rotate_size)?;
    Some(RotationRecord { after, old_file, rotate_start, new_file, rotate, header })
}

/// A checked cursor.
pub(crate) struct Input<'a>(pub(crate) &'a [u8]);

impl<'a> Input<'a> {
    pub(crate) fn array<const N: usize>(&mut self) -> Option<&'a [u8; N]> {
        let (bytes, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(bytes)
    }

    pub(crate) fn u32(&mut self) -> Option<u32> {
        self.array().map(|bytes| u32::from_le_bytes(*bytes))
    }

    pub(crate) fn u64(&mut self) -> Option<u64> {
        self.array().map(|bytes| u64::from_le_bytes(*bytes))
    }

    pub(crate) fn bytes(&mut self, size: usize) -> Option<&'a [u8]> {
        let (bytes, rest) = self.0.split_at_checked(size)?;
        self.0 = rest;
        Some(bytes)
    }

    pub(crate) fn chunk(&mut self) -> Option<ChunkName> {
        Some(ChunkName { lsn: Lsn(self.u64()?), size: self.u32()? })
    }

    pub(crate) fn fold(&mut self) -> Option<Fold> {
        Some(Fold { at: self.u32()?, from: self.u32()?, size: self.u32()? })
    }

    pub(crate) fn counter(&mut self) -> Option<CounterHigh> {
        let table = TableId(self.u32()?);
        let kind = match *self.array()? {
            [0] => CounterKind::AutoIncrement,
            [1] => CounterKind::RowId,
            [_] => return None,
        };
        Some(CounterHigh { table, kind, high: self.u64()? })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_transaction_is_these_bytes_and_round_trips() {
        let head = TrxHead {
            seq: CommitSeq(0x0102),
            gtid: Some(Gtid { sid: Uuid([9; 16]), gno: 7 }),
            events: Some(EventsPlace {
                file: 3,
                start: 157,
                size: 300,
                checksum: ChecksumAlg::Crc32,
                home: EventsHome::File(0xaabb_ccdd),
            }),
            promised: BinlogPlace { file: 2, position: 9 },
        };
        let counters = [CounterHigh { table: TableId(5), kind: CounterKind::RowId, high: 77 }];
        let chunks = [ChunkName { lsn: Lsn(4096), size: 12 }];
        let mut bytes = Vec::new();
        let events = EventsParts { chunks: &[], head: &[], tail: b"events" };
        let parts = TrxParts {
            counters: &counters,
            chunks: &chunks,
            events: Some(events),
            writes: b"writes",
            folds: &[],
        };
        put_trx(&head, &parts, |piece| bytes.extend_from_slice(piece));
        assert_eq!(bytes.len(), trx_size(1, 1, events.size(), 6));
        let mut golden = vec![2, 1, 0, 0, 0, 0, 0, 0];
        golden.extend([9; 16]);
        golden
            .extend([7, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 157, 0, 0, 0, 0, 0, 0, 0, 44, 1, 0, 0, 0, 0, 0, 0]);
        golden.extend([0xdd, 0xcc, 0xbb, 0xaa, 2, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0]);
        golden.extend([14, 0, 0, 0, 1, 1, 0, 0]);
        golden.extend([5, 0, 0, 0, 1, 77, 0, 0, 0, 0, 0, 0, 0]);
        golden.extend([0, 16, 0, 0, 0, 0, 0, 0, 12, 0, 0, 0]);
        golden.extend([0; 8]);
        golden.extend(b"eventswrites");
        assert_eq!(bytes, golden);
        let (counters, chunks) = (counters.into(), chunks.into());
        let events = &[&[0; 8][..], b"events"].concat();
        let expected = TrxRecord { head, counters, chunks, events, writes: b"writes" };
        assert_eq!(decode_trx(&bytes).unwrap(), expected);
    }

    #[test]
    fn events_are_these_bytes_and_round_trip() {
        let mut bytes = Vec::new();
        let chunks = &[ChunkName { lsn: Lsn(1), size: 2 }];
        let parts = EventsParts { chunks, head: b"head", tail: b"tail" };
        put_events(&parts, |piece| bytes.extend(piece));
        assert_eq!((bytes.len(), parts.size()), (events_size(1, 8), events_size(1, 8)));
        let golden = [1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 4, 0, 0, 0];
        assert_eq!(bytes, [&golden[..], b"headtail"].concat());
        let chunks = chunks.to_vec();
        assert_eq!(decode_events(&bytes).unwrap(), EventsBody { chunks, head: b"head", tail: b"tail" });
    }

    #[test]
    fn a_rotation_is_these_bytes_and_round_trips() {
        let rotation = RotationRecord {
            after: CommitSeq(2),
            old_file: 1,
            rotate_start: 1000,
            new_file: 2,
            rotate: b"rotate",
            header: b"header",
        };
        let mut bytes = Vec::new();
        put_rotation(&rotation, |piece| bytes.extend_from_slice(piece));
        assert_eq!(bytes.len(), rotation_size(6, 6));
        let golden = [2, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0xe8, 3, 0, 0, 0, 0, 0, 0, 6, 0, 0, 0, 2, 0, 0, 0];
        assert_eq!(bytes[..28], golden);
        assert_eq!(decode_rotation(&bytes).unwrap(), rotation);
    }

    proptest! {
        #[test]
        fn decoding_any_bytes_ends_without_a_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = (decode_trx(&bytes), decode_rotation(&bytes), decode_events(&bytes));
        }
    }
}
