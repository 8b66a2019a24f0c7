//! Transactions that are prepared and wait for a word: XA's second phase.
//!
//! A prepared transaction outlives its session, and a crash. The naive way is a state of its own in the log, in recovery and
//! in checkpoints. Here it is **rows**: what it has changed, and which locks it holds, is written into an index of its own by
//! an ordinary commit, which any strategy makes durable and any checkpoint carries on. The changes themselves stay in the
//! transaction, detached from its session ([`Trx::detach`]), with their locks. Its second phase is an ordinary commit too: of
//! the changes, if it is to be committed, and of the rows' removal. A start reads what rows are there, and has each
//! transaction again as it was ([`all`]).
//!
//! | key behind the index's prefix | row |
//! | --- | --- |
//! | the name, as the caller encodes it: no name is the beginning of another; number of the piece, u32, big-endian | a piece of the image, [`PIECE_SIZE`] bytes but for the last |
//!
//! ```text
//! image
//! size
//!    1  1: the format
//!    1  what the caller says of it
//!    8  number of locks, little-endian
//!  9 each lock: name, 8 bytes, little-endian; 0 shared, 1 exclusive
//!    n  the changes, as in redo (module writeset)
//! ```

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::EngineError;
use crate::ids::{Change, CommitSeq, IndexId, Key, PREFIX_SIZE, Row};
use crate::lock::{LockId, Mode};
use crate::scan::{Direction, KeyRange, Scan};
use crate::store::Store;
use crate::trx::Trx;
use crate::writeset::EntryDecoder;

/// Bytes of an image in one row: with its key it has room in 64 KiB of the base, which gives large rows powers of two.
pub const PIECE_SIZE: usize = 60 << 10;

const FORMAT: u8 = 1;
const PIECE_NUMBER_SIZE: usize = 4;
const LOCK_SIZE: usize = 9;

/// A prepared transaction as rows tell of it.
#[derive(Debug)]
pub struct Found {
    /// As it was encoded.
    pub name: Vec<u8>,
    /// What was said of it.
    pub note: u8,
    /// Number of its rows.
    pub pieces: u32,
    /// Its changes, under its locks.
    pub trx: Trx,
}

/// The key of a row.
pub fn key(name: &[u8], piece: u32) -> Key {
    let mut key = IndexId::PREPARED.new_key();
    key.extend_from_slice(name);
    key.extend_from_slice(&piece.to_be_bytes());
    key.into()
}

/// The rows that a transaction is found by.
pub fn rows(trx: &Trx, note: u8) -> Vec<Row> {
    let mut image = vec![FORMAT, note];
    image.extend_from_slice(&(trx.lock_count() as u64).to_le_bytes());
    let mut locks: Vec<_> = trx.held_locks().collect();
    locks.sort_unstable_by_key(|(id, _)| id.0);
    for (LockId(id), mode) in locks {
        image.extend_from_slice(&id.to_le_bytes());
        image.push(u8::from(mode == Mode::Exclusive));
    }
    trx.writes().encode(&mut image);
    image.chunks(PIECE_SIZE).map(Row::from).collect()
}

/// All prepared transactions: at a start, when nobody has a lock.
///
/// # Errors
/// [`EngineError::Corrupt`] if rows are no images, or two transactions have one lock.
pub fn all(store: &Arc<Store>) -> Result<Vec<Found>, EngineError> {
    let snapshot = store.published().snapshot();
    let range = KeyRange::prefix(&IndexId::PREPARED.prefix());
    let mut scan = Scan::new(&snapshot.view, CommitSeq::MAX, None, &range, Direction::Forward)?;
    let mut images: BTreeMap<Vec<u8>, (u32, Vec<u8>)> = BTreeMap::new();
    while let Some(entry) = scan.next_row()? {
        let named = entry.key.get(PREFIX_SIZE..entry.key.len().saturating_sub(PIECE_NUMBER_SIZE));
        let name = named.ok_or_else(corrupt)?;
        let (pieces, image) = images.entry(name.to_vec()).or_default();
        if *entry.key != *key(name, *pieces) {
            return Err(corrupt());
        }
        *pieces += 1;
        image.extend_from_slice(&entry.row.ok_or_else(corrupt)?);
    }
    let found = images.into_iter().map(|(name, (pieces, image))| {
        let (note, trx) = restored(store, &image)?;
        Ok(Found { name, note, pieces, trx })
    });
    found.collect()
}

fn restored(store: &Arc<Store>, image: &[u8]) -> Result<(u8, Trx), EngineError> {
    let ([format, note], rest) = image.split_first_chunk().ok_or_else(corrupt)?;
    let (count, rest) = rest.split_first_chunk().ok_or_else(corrupt)?;
    let size =
        usize::try_from(u64::from_le_bytes(*count)).ok().and_then(|count| count.checked_mul(LOCK_SIZE));
    let parts = size.and_then(|size| rest.split_at_checked(size)).filter(|_| *format == FORMAT);
    let (locks, changes) = parts.ok_or_else(corrupt)?;
    let mut trx = Trx::new(Arc::clone(store));
    for lock in locks.as_chunks::<LOCK_SIZE>().0 {
        let (id, mode) = lock.split_first_chunk().ok_or_else(corrupt)?;
        let mode = if mode == [0] { Mode::Shared } else { Mode::Exclusive };
        if !trx.try_lock(LockId(u64::from_le_bytes(*id)), mode)? {
            return Err(corrupt());
        }
    }
    let mut decoder = EntryDecoder::default();
    let mut decoded: Vec<(Key, Change)> = Vec::new();
    let whole =
        decoder.push(changes, |key, change| decoded.push((key, change))).and_then(|()| decoder.finish());
    whole.map_err(|_| corrupt())?;
    for (key, change) in decoded {
        trx.put_locked(key, change);
    }
    // Others see it as one that has done something since now.
    trx.begin_statement();
    trx.end_statement();
    trx.set_began(store.timer().unix_us());
    Ok((*note, trx))
}

fn corrupt() -> EngineError {
    EngineError::Corrupt { what: "a prepared transaction".to_owned() }
}
