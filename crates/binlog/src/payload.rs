//! Compressed transactions: TRANSACTION_PAYLOAD events, which hold all events of a transaction behind its GTID.
//!
//! The event's body is a list of fields, then the payload. A field is a type, a length and a value, each a length-encoded
//! integer; type 0 ends the list and has neither.
//!
//! | type | value |
//! | --- | --- |
//! | 2 | compression: 0 zstd, 255 none |
//! | 3 | size of what was compressed |
//! | 1 | size of the payload |
//!
//! The payload is a sequence of events without checksums, whose positions mean nothing: a transaction cache's, and an XID event.
//!
//! Source: MySQL's description of the event; bytes of MySQL 9.7.4.
#![deny(clippy::indexing_slicing, clippy::arithmetic_side_effects)]

use std::io::{self, Cursor, Read, Write};

use zstd::stream::{read::Decoder, write::Encoder};

use crate::TrxCache;
use crate::decode::{self, DecodeError};
use crate::error::{Error, Result};
use crate::event::{CHECKSUM_LEN, Encode, EventHeader, EventType, HEADER_LEN, Origin, Put, Xid};
use crate::event::{lenenc_len, put_lenenc};

const END: u64 = 0;
const PAYLOAD_SIZE: u64 = 1;
const COMPRESSION: u64 = 2;
const UNCOMPRESSED_SIZE: u64 = 3;

const ZSTD: u64 = 0;
const NONE: u64 = 255;

/// Bytes of compressed events that are kept in memory; what takes more is not compressed.
const PAYLOAD_SIZE_MAX: usize = 256 << 20;

/// Bytes of a cache that are compressed at a time.
const PIECE_SIZE: usize = 256 << 10;

/// A transaction's events, compressed by zstd.
#[derive(Clone, Copy, Debug)]
pub struct TransactionPayload<'a> {
    /// Bytes of the events.
    pub uncompressed_size: u64,
    /// The events, compressed.
    pub payload: &'a [u8],
}

impl Encode for TransactionPayload<'_> {
    fn event_type(&self) -> EventType {
        EventType::TRANSACTION_PAYLOAD
    }

    fn put_body(&self, out: &mut impl Put) {
        let fields = [
            (COMPRESSION, ZSTD),
            (UNCOMPRESSED_SIZE, self.uncompressed_size),
            (PAYLOAD_SIZE, self.payload.len() as u64),
        ];
        for (kind, value) in fields {
            put_lenenc(out, kind);
            put_lenenc(out, lenenc_len(value) as u64);
            put_lenenc(out, value);
        }
        put_lenenc(out, END);
        out.put(self.payload);
    }
}

/// Compresses a transaction's events on their way to the log, a piece at a time.
pub struct Compressor {
    encoder: Encoder<'static, Vec<u8>>,
    piece: Vec<u8>,
    taken: u64,
    size: u64,
    tail: Vec<u8>,
    /// It is not worth it.
    gives_up: bool,
}

impl Compressor {
    /// Begins with a cache's first event. `xid` is the XID event behind the cache's, if there is one. `level` is 1 to 22.
    ///
    /// # Errors
    /// [`Error::Io`] if there is no memory for it.
    pub fn new(cache: &TrxCache, level: i32, xid: Option<(Origin, Xid)>) -> Result<Self> {
        let mut tail = Vec::new();
        if let Some((origin, xid)) = xid {
            xid.append_to(origin, &mut tail);
        }
        let size = cache.len().saturating_add(tail.len() as u64);
        let mut encoder = Encoder::new(Vec::new(), level)?;
        encoder.set_pledged_src_size(Some(size))?;
        Ok(Self { encoder, piece: Vec::new(), taken: 0, size, tail, gives_up: false })
    }

    /// Takes the next 256 KiB of the cache. Says whether to go on.
    ///
    /// # Errors
    /// [`Error::Io`] if spilled events cannot be read.
    pub fn step(&mut self, cache: &TrxCache) -> Result<bool> {
        if let Some(events) = cache.memory().filter(|events| events.len() <= PIECE_SIZE && self.taken == 0) {
            self.encoder.write_all(events)?;
            self.taken = events.len() as u64;
            return Ok(false);
        }
        self.piece.resize(PIECE_SIZE, 0);
        let read = cache.read_at(&mut self.piece, self.taken)?;
        self.encoder.write_all(self.piece.get(..read).unwrap_or_default())?;
        self.taken = self.taken.saturating_add(read as u64);
        let made = self.encoder.get_ref().len();
        self.gives_up = made > PAYLOAD_SIZE_MAX || made as u64 > self.size;
        Ok(read > 0 && !self.gives_up)
    }

    /// Puts one event in the place of all of the cache's, which are taken. Says whether it did: not if that would be no
    /// smaller, or more than 256 MiB.
    ///
    /// # Errors
    /// [`Error::Io`] if there is no memory for it.
    pub fn finish(mut self, cache: &mut TrxCache, origin: Origin) -> Result<bool> {
        if self.gives_up {
            return Ok(false);
        }
        self.encoder.write_all(&self.tail)?;
        let payload = self.encoder.finish()?;
        let event = TransactionPayload { uncompressed_size: self.size, payload: &payload };
        let size = event.encoded_len().saturating_add(CHECKSUM_LEN);
        if size as u64 >= self.size || payload.len() > PAYLOAD_SIZE_MAX {
            return Ok(false);
        }
        cache.replace_all(origin, &event);
        Ok(true)
    }
}

impl std::fmt::Debug for Compressor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Compressor")
            .field("taken", &self.taken)
            .field("size", &self.size)
            .finish_non_exhaustive()
    }
}

/// What the fields in front of a payload say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PayloadHead {
    compression: u64,
    uncompressed_size: Option<u64>,
    payload_size: usize,
}

impl PayloadHead {
    /// Reads the fields of an event's body.
    ///
    /// # Errors
    /// If they are none.
    pub fn decode(body: &[u8]) -> std::result::Result<Self, DecodeError> {
        let (mut compression, mut payload_size, mut uncompressed_size) = (None, None, None);
        let mut input = decode::Cursor::new(body);
        loop {
            let kind = input.lenenc()?;
            if kind == END {
                break;
            }
            let mut value = decode::Cursor::new(input.lenenc_bytes()?);
            match kind {
                PAYLOAD_SIZE => payload_size = Some(value.lenenc()?),
                COMPRESSION => compression = Some(value.lenenc()?),
                UNCOMPRESSED_SIZE => uncompressed_size = Some(value.lenenc()?),
                // What a newer server says.
                _ => {}
            }
        }
        let payload = input.rest();
        if payload_size.is_some_and(|size| size != payload.len() as u64) {
            return Err(DecodeError("a payload of another size than is said"));
        }
        let compression = compression.ok_or(DecodeError("a payload without a compression"))?;
        Ok(Self { compression, uncompressed_size, payload_size: payload.len() })
    }

    /// MySQL's name of the compression, if it is known.
    pub fn compression(&self) -> Option<&'static str> {
        match self.compression {
            ZSTD => Some("ZSTD"),
            NONE => Some("NONE"),
            _ => None,
        }
    }

    /// The payload in the same event's body.
    pub fn payload<'a>(&self, body: &'a [u8]) -> &'a [u8] {
        body.get(body.len().saturating_sub(self.payload_size)..).unwrap_or_default()
    }

    /// Bytes of the events, as the source says.
    pub fn uncompressed_size(&self) -> u64 {
        self.uncompressed_size.unwrap_or(self.payload_size as u64)
    }
}

/// The events of a compressed transaction, decompressed one by one.
pub struct PayloadEvents {
    events: Box<dyn Read + Send>,
}

impl PayloadEvents {
    /// The events in an event's body. `None` if it is compressed in a way that is not known.
    ///
    /// # Errors
    /// [`Error::Corrupt`]
    pub fn open(mut body: Vec<u8>) -> Result<Option<Self>> {
        let head = PayloadHead::decode(&body).map_err(|error| corrupt(error.0))?;
        body.drain(..body.len().saturating_sub(head.payload_size));
        let payload = Cursor::new(body);
        let events: Box<dyn Read + Send> = match head.compression {
            NONE => Box::new(payload),
            ZSTD => Box::new(Decoder::with_buffer(payload)?),
            _ => return Ok(None),
        };
        Ok(Some(Self { events }))
    }

    /// The next event, header and body, without a checksum.
    ///
    /// # Errors
    /// [`Error::Corrupt`]
    pub fn next_event(&mut self) -> Result<Option<Vec<u8>>> {
        let mut bytes = Vec::new();
        self.read_up_to(HEADER_LEN, &mut bytes)?;
        if bytes.is_empty() {
            return Ok(None);
        }
        let header = bytes.first_chunk().map(EventHeader::from_bytes);
        let size = header.map_or(0, |header| header.event_size);
        let rest = (size as usize).checked_sub(HEADER_LEN).filter(|_| size <= crate::EVENT_SIZE_MAX);
        let rest = rest.ok_or_else(|| corrupt("the size of a compressed event"))?;
        self.read_up_to(rest, &mut bytes)?;
        if bytes.len() < size as usize {
            return Err(corrupt("a compressed transaction ends within an event"));
        }
        Ok(Some(bytes))
    }

    /// Appends so many bytes, or what there is.
    fn read_up_to(&mut self, size: usize, bytes: &mut Vec<u8>) -> Result<()> {
        let read = self.events.by_ref().take(size as u64).read_to_end(bytes);
        read.map(|_| ()).map_err(|_: io::Error| corrupt("a compressed transaction"))
    }
}

impl std::fmt::Debug for PayloadEvents {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PayloadEvents").finish_non_exhaustive()
    }
}

fn corrupt(what: &'static str) -> Error {
    Error::Corrupt { offset: 0, what }
}
