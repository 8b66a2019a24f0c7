//! A set of GTIDs as COM_BINLOG_DUMP_GTID carries it.
//!
//! | bytes | field |
//! | --- | --- |
//! | 8 | count of source ids |
//! | 16 | source id; this and what follows for each |
//! | 8 | count of intervals |
//! | 8, 8 | first number, number after the last; for each interval |
//!
//! No bytes at all are an empty set. MySQL 8.3 and later mark the tagged form, which only sets with tags have,
//! in the highest byte of the count; it is refused like any impossible count.

use crate::Result;
use crate::wire::cursor::Cursor;

const PACKET: &str = "GTID set";

/// A validated set; reading it allocates nothing. Source ids may repeat and intervals may overlap: the reader
/// merges them.
#[derive(Clone, Copy, Debug, Default)]
pub struct GtidData<'a> {
    count: u64,
    sids: &'a [u8],
}

/// The numbers of one source.
#[derive(Clone, Copy, Debug)]
pub struct SidIntervals<'a> {
    /// The source's UUID.
    pub sid: [u8; 16],
    intervals: &'a [u8],
}

impl<'a> GtidData<'a> {
    pub(crate) fn decode(bytes: &'a [u8]) -> Result<Self> {
        if bytes.is_empty() {
            return Ok(Self::default());
        }
        let mut cursor = Cursor::new(bytes, PACKET);
        let count = cursor.u64()?;
        let sids = cursor.rest();
        for _ in 0..count {
            for (first, after) in SidIntervals::decode(&mut cursor)?.iter() {
                if first == 0 || after <= first || after > i64::MAX as u64 {
                    return Err(cursor.malformed());
                }
            }
        }
        Ok(Self { count, sids })
    }

    /// The sources, in the client's order.
    pub fn iter(&self) -> impl Iterator<Item = SidIntervals<'a>> + use<'a> {
        let mut rest = Cursor::new(self.sids, PACKET);
        (0..self.count).map_while(move |_| SidIntervals::decode(&mut rest).ok())
    }

    /// Whether there is no source in it.
    pub const fn is_empty(&self) -> bool {
        self.count == 0
    }
}

impl<'a> SidIntervals<'a> {
    /// Bytes of an interval.
    const INTERVAL_SIZE: usize = 16;

    fn decode(cursor: &mut Cursor<'a>) -> Result<Self> {
        let sid = cursor.array()?;
        let size = usize::try_from(cursor.u64()?)
            .ok()
            .and_then(|count| count.checked_mul(Self::INTERVAL_SIZE))
            .ok_or(cursor.malformed())?;
        Ok(Self { sid, intervals: cursor.bytes(size)? })
    }

    /// First numbers and numbers after the last, in the client's order.
    pub fn iter(&self) -> impl Iterator<Item = (u64, u64)> + use<'a> {
        let mut rest = Cursor::new(self.intervals, PACKET);
        std::iter::from_fn(move || Some((rest.u64().ok()?, rest.u64().ok()?)))
    }
}
