//! What a redo record would hold twice is in it once.
//!
//! A stored row is the row image of a binlog event, byte for byte (`types::row`). So a record that carries a
//! transaction's events would have an updated row three times: in its events as it was and as it is, and in the write set. A
//! [`Fold`] names a run of bytes that stands further in front, too, and is left out of the record; recovery puts it back
//! ([`unfolded`]) before it looks at anything.
//!
//! ```text
//! events  .. GTID, BEGIN, table map, rows: before image | after image | XID     write set: key | row
//!                                               ^---------' beginning, end   ^                   |
//!                                                             '--------------+-------------------'
//! ```
//!
//! Where the same bytes may stand is guessed ([`Folds::find`]): a row at the end of a rows event, the next lower one in
//! front of that, and what an update has left alone at its beginning and end. A guess is compared, so a wrong one costs bytes and
//! nothing else. Small transactions are found whole, large ones in part.
//!
//! What folds are found depends on nothing that the ticket decides, so a record's size is known before it. Where they lie does,
//! as checksums stand between the events: that is added afterwards ([`Folds::placed`]).

use std::borrow::Cow;

use binlog::event::RowsKind;
use binlog::{CachedRows, ChecksumAlg, TrxCache, TrxEvents};
use engine::writeset;
use smallvec::SmallVec;

use crate::record::{FOLD_SIZE, FOLDS_OFFSET, Input, events_size, front_size};

/// Runs below this are left as they are: a fold takes [`FOLD_SIZE`] itself.
const RUN_MIN: usize = 16;

/// Rows events that are searched, the first ones of a transaction.
const EVENTS_MAX: usize = 32;

/// The most folds of a record: half a write set of rows as small as they may be.
const FOLDS_MAX: usize = 8192;

/// The most that a folded record may become: more than twice what a record holds without chunks.
const UNFOLDED_MAX: usize = 4 << 20;

/// A run of bytes that is left out. Positions are those of the record before that, from the begin of the events' body on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fold {
    /// Where it belongs.
    pub at: u32,
    /// Where the same bytes stand: all before `at`.
    pub from: u32,
    /// How many.
    pub size: u32,
}

/// A place in the cached events and, behind them, the write set.
#[derive(Clone, Copy, Debug)]
struct Spot {
    offset: usize,
    /// The events before it, each of which gets a checksum.
    events: usize,
}

#[derive(Clone, Copy, Debug)]
struct Run {
    at: Spot,
    from: Spot,
    size: usize,
}

/// A transaction's folds.
#[derive(Debug, Default)]
pub(crate) struct Folds {
    runs: SmallVec<[Run; 4]>,
    /// Bytes that the record is shorter.
    saved: usize,
}

impl Folds {
    /// Those of cached events and a write set's entries.
    pub(crate) fn find(cache: &TrxCache, writes: &[u8]) -> Self {
        let mut folds = Self::default();
        let Some(events) = cache.memory() else { return folds };
        let holds_rows = |rows: &CachedRows| rows.kind != RowsKind::Delete;
        let mut sources: SmallVec<[CachedRows; 8]> =
            cache.rows().filter(holds_rows).take(EVENTS_MAX).collect();
        if sources.is_empty() {
            return folds;
        }
        let rows: SmallVec<[_; 16]> =
            writeset::row_ranges(writes).filter(|row| row.len() >= RUN_MIN).collect();
        // A statement mostly goes through rows in the order of their keys, as a write set does.
        for range in rows.into_iter().rev() {
            let row = &writes[range.clone()];
            let is_last = |rows: &&mut CachedRows| events[rows.images.clone()].ends_with(row);
            let Some(source) = sources.iter_mut().rev().find(is_last) else { continue };
            if folds.runs.len() + 3 > FOLDS_MAX {
                break;
            }
            source.images.end -= row.len();
            let image = source.images.end;
            let at = Spot { offset: events.len() + range.start, events: 0 };
            folds.push(Run { at, from: Spot { offset: image, events: source.number }, size: row.len() });
            if source.kind == RowsKind::Update {
                // It is as long as the row was before, or as the row is now if there are others in front of it.
                let front = source.images.len();
                let before = image - if front < 2 * row.len() { front } else { row.len() };
                source.images.end = before;
                folds.fold_image(source.number, (before, &events[before..image]), (image, row));
            }
        }
        folds.runs.sort_unstable_by_key(|run| run.at.offset);
        folds
    }

    /// Folds what an after image has in common with its before image. Both with their offsets.
    fn fold_image(&mut self, number: usize, before: (usize, &[u8]), after: (usize, &[u8])) {
        let spot = |offset| Spot { offset, events: number };
        let front = common_front(before.1, after.1);
        self.push_long(Run { at: spot(after.0), from: spot(before.0), size: front });
        let back = common_back(&before.1[front..], &after.1[front..]);
        let (before_end, after_end) = (before.0 + before.1.len(), after.0 + after.1.len());
        self.push_long(Run { at: spot(after_end - back), from: spot(before_end - back), size: back });
    }

    fn push_long(&mut self, run: Run) {
        if run.size >= RUN_MIN {
            self.push(run);
        }
    }

    fn push(&mut self, run: Run) {
        self.saved += run.size - FOLD_SIZE;
        self.runs.push(run);
    }

    /// Bytes that a record with events is shorter than without folds.
    pub(crate) fn saved(&self) -> usize {
        self.saved
    }

    /// Where they lie when the events are final, in order.
    pub(crate) fn placed(&self, events: &TrxEvents<'_>, checksum: ChecksumAlg) -> SmallVec<[Fold; 4]> {
        if self.runs.is_empty() {
            return SmallVec::new();
        }
        let usize_of = |bytes: u64| usize::try_from(bytes).expect("larger events are in chunks");
        let front = events_size(0, usize_of(events.front_len(checksum)));
        let end = events_size(0, usize_of(events.final_len(checksum)));
        let cached = usize_of(events.cached_len());
        let place = |spot: Spot| {
            let place = match spot.offset.checked_sub(cached) {
                Some(in_writes) => end + in_writes,
                None => front + spot.offset + spot.events * checksum.len(),
            };
            u32::try_from(place).expect("a record without chunks is below 4 GiB")
        };
        let size = |run: &Run| u32::try_from(run.size).expect("a part of a record");
        let fold = |run: &Run| Fold { at: place(run.at), from: place(run.from), size: size(run) };
        self.runs.iter().map(fold).collect()
    }
}

/// Bytes that are the same from the beginning on.
fn common_front(one: &[u8], other: &[u8]) -> usize {
    let words =
        one.chunks_exact(8).zip(other.chunks_exact(8)).take_while(|(one, other)| one == other).count() * 8;
    words + one[words..].iter().zip(&other[words..]).take_while(|(one, other)| one == other).count()
}

/// Bytes that are the same up to the end.
fn common_back(one: &[u8], other: &[u8]) -> usize {
    let words =
        one.rchunks_exact(8).zip(other.rchunks_exact(8)).take_while(|(one, other)| one == other).count() * 8;
    let rest = |bytes: &[u8]| bytes.len() - words;
    let rests = one[..rest(one)].iter().rev().zip(other[..rest(other)].iter().rev());
    words + rests.take_while(|(one, other)| one == other).count()
}

/// Gives bytes to `put` without those that are folded. Each fold lies in one of the pieces that it gets.
#[derive(Debug)]
pub(crate) struct Folding<'a, P> {
    pub(crate) folds: &'a [Fold],
    /// Where the next piece belongs.
    pub(crate) at: usize,
    pub(crate) put: P,
}

impl<P: FnMut(&[u8])> Folding<'_, P> {
    pub(crate) fn put(&mut self, mut piece: &[u8]) {
        while let Some((fold, rest)) = self.folds.split_first()
            && (fold.at as usize) < self.at + piece.len()
        {
            let (kept, behind) = piece.split_at(fold.at as usize - self.at);
            (self.put)(kept);
            piece = &behind[fold.size as usize..];
            self.at = (fold.at + fold.size) as usize;
            self.folds = rest;
        }
        (self.put)(piece);
        self.at += piece.len();
    }
}

/// A transaction's record as it would be without folds. `None` if the bytes are none.
pub fn unfolded(record: &[u8]) -> Option<Cow<'_, [u8]>> {
    let count = u16::from_le_bytes(*record.get(FOLDS_OFFSET..)?.first_chunk()?);
    if count == 0 {
        return Some(Cow::Borrowed(record));
    }
    let (front, rest) = record.split_at_checked(front_size(record)?)?;
    let (folds, mut literal) = rest.split_at_checked(usize::from(count) * FOLD_SIZE)?;
    let mut whole = front.to_vec();
    whole.get_mut(FOLDS_OFFSET..FOLDS_OFFSET + 2)?.fill(0);
    let mut folds = Input(folds);
    for _ in 0..count {
        let Fold { at, from, size } = folds.fold()?;
        let at = front.len().checked_add(at as usize)?;
        let (kept, behind) = literal.split_at_checked(at.checked_sub(whole.len())?)?;
        whole.extend_from_slice(kept);
        literal = behind;
        let from = front.len().checked_add(from as usize)?;
        let run = from..from.checked_add(size as usize)?;
        if run.end > whole.len() || whole.len() + run.len() > UNFOLDED_MAX {
            return None;
        }
        whole.extend_from_within(run);
    }
    whole.extend_from_slice(literal);
    Some(Cow::Owned(whole))
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;
    use std::sync::Arc;

    use binlog::cache::CacheLimits;
    use binlog::event::{Present, Row, RowsSpec};
    use binlog::{GtidPlan, Origin, TrxStamps};
    use engine::ids::{Change, CommitSeq};
    use engine::writeset::encode_entry;
    use proptest::prelude::*;
    use vfs::sim::SimDisk;

    use super::*;
    use crate::record::{self, BinlogPlace, EventsParts, TrxHead, TrxParts, decode_events, decode_trx};

    const COLUMNS: usize = 3;
    const ORIGIN: Origin = Origin { timestamp: 1, server_id: 1 };
    const PLAN: GtidPlan = GtidPlan {
        sid: None,
        may_have_statements: false,
        original_commit_timestamp_us: None,
        immediate_server_version: 80046,
        original_server_version: None,
    };

    /// A statement's rows, each as it was and as it is; one that was not is inserted, one that is not is deleted.
    type Statement = Vec<(Option<Vec<u8>>, Option<Vec<u8>>)>;

    /// A record of such statements: what it is, what it would be without folds, and the events.
    fn record(statements: &[Statement], checksum: ChecksumAlg) -> (Vec<u8>, Vec<u8>, Vec<u8>) {
        let path = PathBuf::from("/spill");
        let mut cache = TrxCache::new(Arc::new(SimDisk::new()), path, CacheLimits::default());
        let mut writes = Vec::new();
        for (number, row) in statements.iter().flatten().enumerate() {
            let (kind, images) = match row {
                (None, Some(after)) => (RowsKind::Write, Row::Write(after)),
                (Some(before), Some(after)) => (RowsKind::Update, Row::Update(before, after)),
                (Some(before), None) => (RowsKind::Delete, Row::Delete(before)),
                (None, None) => continue,
            };
            let (before, after) = (Present::All, Present::All);
            let spec = RowsSpec { kind, table_id: 7, flags: 0, columns: COLUMNS, before, after };
            cache.append_row(ORIGIN, &spec, &images).unwrap();
            let change = row.1.as_ref().map_or(Change::Remove, |row| Change::Put(row[..].into()));
            encode_entry(&[&[0; 8], &number.to_be_bytes()[..]].concat(), &change, &mut writes);
        }
        cache.end_statement();
        let folds = Folds::find(&cache, &writes);
        let events = TrxEvents::transaction(&cache, PLAN, ORIGIN);
        let stamps = TrxStamps {
            position: 1000,
            gno: 1,
            last_committed: 0,
            sequence_number: 1,
            immediate_commit_timestamp_us: 1,
            xid: 1,
        };
        let mut bytes = Vec::new();
        events.write_into(checksum, &stamps, &mut bytes);
        let placed = folds.placed(&events, checksum);
        let head = TrxHead { seq: CommitSeq(1), gtid: None, events: None, promised: BinlogPlace::default() };
        let carried = Some(EventsParts { chunks: &[], head: &[], tail: &bytes });
        let encoded = |folds: &[Fold]| {
            let parts = TrxParts { counters: &[], chunks: &[], events: carried, writes: &writes, folds };
            let mut record = Vec::new();
            record::put_trx(&head, &parts, |piece| record.extend_from_slice(piece));
            record
        };
        let (folded, whole) = (encoded(&placed), encoded(&[]));
        assert_eq!(folded.len(), whole.len() - folds.saved());
        assert!(folds.saved() <= bytes.len());
        (folded, whole, bytes)
    }

    fn row(id: u8, text: &str) -> Vec<u8> {
        [&[0, id, id, id, id], text.as_bytes(), &[b'.'; 40]].concat()
    }

    #[test]
    fn an_inserted_row_is_in_its_record_once_and_an_updated_one_little_more() {
        let inserted = |id| (None, Some(row(id, "a name of some length")));
        let size = row(1, "a name of some length").len();
        // What it saves, of so many rows.
        let saved = |statements: &[Statement]| {
            let (folded, whole, _) = record(statements, ChecksumAlg::Crc32);
            assert_eq!(unfolded(&folded).unwrap(), whole);
            whole.len() - folded.len()
        };
        assert_eq!(saved(&[vec![inserted(1)]]), size - FOLD_SIZE);
        assert_eq!(saved(&[vec![inserted(1), inserted(2), inserted(3)]]), 3 * (size - FOLD_SIZE));
        let updated = |before, after| (Some(row(1, before)), Some(row(1, after)));
        let changed = updated("a name of some length", "A NAME of some length");
        let back = " of some length".len() + 40;
        assert_eq!(saved(&[vec![changed.clone()]]), size + back - 2 * FOLD_SIZE);
        // Of another length; what is unchanged in front is too short.
        let longer = updated("a name", "a name of some length");
        assert_eq!(saved(&[vec![longer]]), size + 40 - 2 * FOLD_SIZE);
        // Several, each in a statement of its own or together; a deleted row has nothing twice.
        let two = saved(&[vec![changed.clone()], vec![changed.clone()]]);
        assert_eq!(two, 2 * (size + back - 2 * FOLD_SIZE));
        assert_eq!(saved(&[vec![changed.clone(), changed]]), two);
        assert_eq!(saved(&[vec![(Some(row(1, "a name")), None)]]), 0);
        // Too short.
        assert_eq!(saved(&[vec![(None, Some(vec![1; RUN_MIN - 1]))]]), 0);
        assert_eq!(saved(&[vec![(None, Some(vec![1; RUN_MIN]))]]), RUN_MIN - FOLD_SIZE);
    }

    #[test]
    fn folds_that_point_behind_themselves_or_grow_without_end_are_none() {
        let (folded, whole, _) = record(&[vec![(None, Some(row(1, "a name")))]], ChecksumAlg::None);
        let front = front_size(&folded).unwrap();
        let with = |words: [u32; 3]| {
            let mut bytes = folded.clone();
            let words = words.map(u32::to_le_bytes).concat();
            bytes[front..front + FOLD_SIZE].copy_from_slice(&words);
            unfolded(&bytes).map(Cow::into_owned)
        };
        let word = |at: usize| u32::from_le_bytes(*folded[front + at..].first_chunk().unwrap());
        let (at, from, size) = (word(0), word(4), word(8));
        assert_eq!(with([at, from, size]), Some(whole));
        assert_eq!(with([at, at, size]), None);
        assert_eq!(with([at, at - size + 1, size]), None);
        assert_eq!(with([u32::MAX, from, size]), None);
        assert_eq!(with([at, u32::MAX, u32::MAX]), None);
        assert_eq!(unfolded(&folded[..front + FOLD_SIZE - 1]), None);
        assert_eq!(unfolded(&folded[..FOLDS_OFFSET]), None);
        let mut many = folded;
        many[FOLDS_OFFSET..FOLDS_OFFSET + 2].fill(0xff);
        assert_eq!(unfolded(&many), None);
    }

    fn rows() -> impl Strategy<Value = Statement> {
        let text = || proptest::option::weighted(0.8, ("[ab]{0,40}", "[ab]{0,3}", "c{0,40}"));
        let row = |text: Option<(String, String, String)>| {
            text.map(|(front, middle, back)| [front, middle, back].concat().into_bytes())
        };
        proptest::collection::vec(
            (text(), text()).prop_map(move |(before, after)| (row(before), row(after))),
            1..6,
        )
    }

    proptest! {
        #[test]
        fn what_is_unfolded_is_what_was_folded(
            statements in proptest::collection::vec(rows(), 1..5),
            has_checksums: bool,
        ) {
            let checksum = if has_checksums { ChecksumAlg::Crc32 } else { ChecksumAlg::None };
            let (folded, whole, events) = record(&statements, checksum);
            let back = unfolded(&folded).unwrap();
            prop_assert_eq!(&*back, &whole[..]);
            let trx = decode_trx(&back).unwrap();
            prop_assert_eq!(decode_events(trx.events).unwrap().tail, &events[..]);
        }

        #[test]
        fn unfolding_any_bytes_ends_without_a_panic(
            mut bytes in proptest::collection::vec(any::<u8>(), 84..300),
            folds in 0..9_u8,
        ) {
            bytes[68..76].fill(0);
            (bytes[FOLDS_OFFSET], bytes[FOLDS_OFFSET + 1]) = (folds, 0);
            let _ = unfolded(&bytes);
        }
    }
}
