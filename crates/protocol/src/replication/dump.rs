//! COM_BINLOG_DUMP and COM_BINLOG_DUMP_GTID: a replica asks for events.
//!
//! By position:
//!
//! | bytes | field |
//! | --- | --- |
//! | 4 | position |
//! | 2 | flags |
//! | 4 | the replica's server id |
//! | to the end | file; empty for the first |
//!
//! By GTIDs:
//!
//! | bytes | field |
//! | --- | --- |
//! | 2 | flags |
//! | 4 | the replica's server id |
//! | 4, size | file; empty for the first that is needed |
//! | 8 | position |
//! | 4, size | GTIDs that the replica has: [`GtidData`] |
//!
//! A file name is a client's claim: it is looked up in the index and never used as a path.

use super::gtid_data::GtidData;
use crate::Result;
use crate::wire::cursor::Cursor;

const NON_BLOCK: u16 = 0x01;
const WHOLE_HEARTBEATS: u16 = 0x02;

/// A request for events from a position on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BinlogDump<'a> {
    /// Where to begin, in bytes.
    pub position: u32,
    /// The flags as they came; MariaDB's replicas set more than MySQL's.
    pub flags: u16,
    /// The replica's server id; 0 for tools.
    pub server_id: u32,
    /// The file.
    pub file: &'a [u8],
}

/// A request for the events of all transactions that a replica does not have.
#[derive(Clone, Copy, Debug)]
pub struct BinlogDumpGtid<'a> {
    /// The flags as they came.
    pub flags: u16,
    /// The replica's server id; 0 for tools.
    pub server_id: u32,
    /// The file, where the replica names one.
    pub file: &'a [u8],
    /// Where to begin, in bytes; 4 is the start.
    pub position: u64,
    /// What the replica has.
    pub gtids: GtidData<'a>,
}

impl<'a> BinlogDump<'a> {
    pub(crate) fn decode(mut cursor: Cursor<'a>) -> Result<Self> {
        Ok(Self {
            position: cursor.u32()?,
            flags: cursor.u16()?,
            server_id: cursor.u32()?,
            file: cursor.rest(),
        })
    }

    /// Whether the dump ends with an EOF packet where the binlog ends, instead of waiting for more.
    pub const fn ends_at_eof(&self) -> bool {
        self.flags & NON_BLOCK != 0 || self.server_id == 0
    }

    /// Whether the replica reads heartbeats with positions of 64 bits.
    pub const fn reads_whole_heartbeats(&self) -> bool {
        self.flags & WHOLE_HEARTBEATS != 0
    }
}

impl<'a> BinlogDumpGtid<'a> {
    pub(crate) fn decode(mut cursor: Cursor<'a>) -> Result<Self> {
        Ok(Self {
            flags: cursor.u16()?,
            server_id: cursor.u32()?,
            file: u32_bytes(&mut cursor)?,
            position: cursor.u64()?,
            gtids: GtidData::decode(u32_bytes(&mut cursor)?)?,
        })
    }

    /// Whether the dump ends with an EOF packet where the binlog ends, instead of waiting for more.
    pub const fn ends_at_eof(&self) -> bool {
        self.flags & NON_BLOCK != 0 || self.server_id == 0
    }

    /// Whether the replica reads heartbeats with positions of 64 bits.
    pub const fn reads_whole_heartbeats(&self) -> bool {
        self.flags & WHOLE_HEARTBEATS != 0
    }
}

fn u32_bytes<'a>(cursor: &mut Cursor<'a>) -> Result<&'a [u8]> {
    let size = usize::try_from(cursor.u32()?).map_err(|_| cursor.malformed())?;
    cursor.bytes(size)
}
