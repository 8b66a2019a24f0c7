//! Facts: what the last checkpoint says about itself, stored in the base in one commit with its last slice.
//!
//! The fact [`NAME`]:
//!
//! ```text
//! size
//!    1  format version, 3
//!    8  commit_seq through which the base holds everything
//!    8  LSN from which redo must be read
//!    4  count of epochs; each: epoch (8), first LSN (8), first segment (8)
//!    8  last epoch of the binlog store
//!    8  LSN from which the store must be read
//!    4  count of the store's epochs from which it must be read; each as above
//!    4  length of gtid_executed; its bytes as in PREVIOUS_GTIDS
//!    4  number of the binlog file at that commit_seq, 0 if the binlog was off
//!    8  position in it
//!    2  length of the binlog's path and base name; its bytes
//!    4  count of counters; each as in a redo record
//!    4  number of the file that a RESET under way begins the binlog anew with, else 0       (not in version 2)
//!    4  length of the GTIDs that `gtid_purged` was set to; their bytes as in PREVIOUS_GTIDS  (not in version 2)
//! ```

use binlog::GtidSet;
use engine::EngineError;
use engine::base::{Base, Slice, WhenFull};
use engine::ids::{Change, CommitSeq, CounterHigh, Key};
use redo::{EpochStart, Lsn, SegmentNo};

use crate::FatalError;
use crate::record::{BinlogPlace, Input, encode_counter};

/// The fact's name in the base.
pub const NAME: &str = "commit";
const VERSION: u8 = 3;
/// The last version before RESET.
const VERSION_2: u8 = 2;

/// See the module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Facts {
    /// The base holds everything up to here, and nothing that came later is missing from redo.
    pub through: CommitSeq,
    /// Redo is read from here.
    pub redo_start: Lsn,
    /// The server runs that redo may be read from, ascending.
    pub epochs: Vec<EpochStart>,
    /// What must be read of the binlog store.
    pub store: StoreFacts,
    /// GTIDs of everything up to `through`.
    pub gtid_executed: GtidSet,
    /// Where the binlog ended then.
    pub binlog: Option<BinlogPlace>,
    /// Directory and base name of the binlog that redo records speak of; behind `./` if they lie in the data directory; empty if
    /// there never was one.
    pub binlog_path: String,
    /// Counters of all tables.
    pub counters: Vec<CounterHigh>,
    /// A RESET is under way: all binlog files go, and the first new one has this number. Redo needs none of them.
    pub reset_to: Option<u32>,
    /// What `gtid_purged` was set to: executed elsewhere, and in no binlog file of this server.
    pub gtid_purged: GtidSet,
}

/// The epochs of a store that has files of its own are above this and redo's below: a block of one log that a disk gives back
/// in a file of the other, from an earlier use of that place, is no block there.
const STORE_EPOCHS: u64 = 1 << 63;

/// What must be read of the binlog store: nothing, if it has no epochs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoreFacts {
    /// The last run that wrote to files of its own.
    pub last_epoch: u64,
    /// It is read from here. It never moves back: without epochs, the store goes on here.
    pub start: Lsn,
    /// The server runs that it may be read from, ascending.
    pub epochs: Vec<EpochStart>,
}

impl Default for StoreFacts {
    fn default() -> Self {
        Self { last_epoch: STORE_EPOCHS, start: Lsn::FIRST, epochs: Vec::new() }
    }
}

impl StoreFacts {
    /// Nothing below `start` is needed any more; without `start` nothing at all.
    pub(crate) fn need_from(&mut self, start: Option<Lsn>) {
        match start {
            Some(start) => {
                self.start = start;
                forget_below(&mut self.epochs, start);
            }
            None => self.epochs.clear(),
        }
    }

    /// Whether it lies in redo's files, as the second stream of runs of redo.
    pub(crate) fn is_beside_redo(&self) -> bool {
        self.epochs.last().is_some_and(|run| run.epoch < STORE_EPOCHS)
    }
}

/// Forgets the runs that end at or below `start`.
fn forget_below(epochs: &mut Vec<EpochStart>, start: Lsn) {
    let first = epochs.iter().rposition(|epoch| epoch.lsn <= start).unwrap_or(0);
    epochs.drain(..first);
}

impl Default for Facts {
    /// Those of a new data directory.
    fn default() -> Self {
        Self {
            through: CommitSeq(0),
            redo_start: Lsn::FIRST,
            epochs: Vec::new(),
            store: StoreFacts::default(),
            gtid_executed: GtidSet::new(),
            binlog: None,
            binlog_path: String::new(),
            counters: Vec::new(),
            reset_to: None,
            gtid_purged: GtidSet::new(),
        }
    }
}

impl Facts {
    /// Forgets the runs that redo is no longer read from.
    pub(crate) fn forget_old_epochs(&mut self) {
        forget_below(&mut self.epochs, self.redo_start);
    }

    /// What `gtid_purged` was set to is executed.
    pub(crate) fn settle_gtids(&mut self) {
        self.gtid_executed.add_set(&self.gtid_purged);
    }

    /// Stores them in the base, with changes that become true with them. On a full disk the ballast is used: whoever changes
    /// them has others wait.
    pub(crate) fn keep(&self, base: &Base, changes: &[(Key, Change)]) -> Result<(), EngineError> {
        base.commit(&Slice { changes, facts: &[(NAME, &self.encode())] }, WhenFull::UseBallast)
    }

    /// The fact's bytes.
    pub fn encode(&self) -> Vec<u8> {
        let size = |len: usize| u32::try_from(len).expect("facts are small").to_le_bytes();
        let mut out = vec![VERSION];
        out.extend(self.through.0.to_le_bytes());
        out.extend(self.redo_start.0.to_le_bytes());
        let put_gtids = |out: &mut Vec<u8>, gtids: &GtidSet| {
            out.extend(size(gtids.encoded_len()));
            gtids.encode(out);
        };
        let put_epochs = |out: &mut Vec<u8>, epochs: &[EpochStart]| {
            out.extend(size(epochs.len()));
            for epoch in epochs {
                out.extend(epoch.epoch.to_le_bytes());
                out.extend(epoch.lsn.0.to_le_bytes());
                out.extend(epoch.segment.0.to_le_bytes());
            }
        };
        put_epochs(&mut out, &self.epochs);
        out.extend(self.store.last_epoch.to_le_bytes());
        out.extend(self.store.start.0.to_le_bytes());
        put_epochs(&mut out, &self.store.epochs);
        put_gtids(&mut out, &self.gtid_executed);
        let binlog = self.binlog.unwrap_or_default();
        out.extend(binlog.file.to_le_bytes());
        out.extend(binlog.position.to_le_bytes());
        out.extend(u16::try_from(self.binlog_path.len()).expect("a path is short").to_le_bytes());
        out.extend(self.binlog_path.as_bytes());
        out.extend(size(self.counters.len()));
        for counter in &self.counters {
            out.extend(encode_counter(counter));
        }
        out.extend(self.reset_to.unwrap_or(0).to_le_bytes());
        put_gtids(&mut out, &self.gtid_purged);
        out
    }

    /// The facts in these bytes.
    ///
    /// # Errors
    /// [`FatalError::Corrupt`] if they are none, or of a version that this server does not know.
    pub fn decode(bytes: &[u8]) -> Result<Self, FatalError> {
        let corrupt = || FatalError::Corrupt("the base's checkpoint facts do not decode".to_owned());
        Self::parse(&mut Input(bytes)).ok_or_else(corrupt)
    }

    fn parse(input: &mut Input<'_>) -> Option<Self> {
        let [version @ (VERSION | VERSION_2)] = *input.array()? else { return None };
        let (through, redo_start) = (CommitSeq(input.u64()?), Lsn(input.u64()?));
        let epoch = |input: &mut Input<'_>| {
            let (epoch, lsn) = (input.u64()?, Lsn(input.u64()?));
            Some(EpochStart { epoch, lsn, segment: SegmentNo(input.u64()?) })
        };
        let epochs = (0..input.u32()?).map(|_| epoch(input)).collect::<Option<_>>()?;
        let (last_epoch, start) = (input.u64()?, Lsn(input.u64()?));
        let store_epochs = (0..input.u32()?).map(|_| epoch(input)).collect::<Option<_>>()?;
        let store = StoreFacts { last_epoch, start, epochs: store_epochs };
        let gtids = |input: &mut Input<'_>| {
            let size = input.u32()? as usize;
            GtidSet::decode(input.bytes(size)?).ok()
        };
        let gtid_executed = gtids(input)?;
        let binlog = BinlogPlace { file: input.u32()?, position: input.u64()? };
        let path_size = usize::from(u16::from_le_bytes(*input.array()?));
        let binlog_path = String::from_utf8(input.bytes(path_size)?.to_vec()).ok()?;
        let counters = (0..input.u32()?).map(|_| input.counter()).collect::<Option<_>>()?;
        let binlog = (binlog.file != 0).then_some(binlog);
        let (reset_to, gtid_purged) =
            if version == VERSION_2 { (0, GtidSet::new()) } else { (input.u32()?, gtids(input)?) };
        let reset_to = (reset_to != 0).then_some(reset_to);
        Some(Self {
            through,
            redo_start,
            epochs,
            store,
            gtid_executed,
            binlog,
            binlog_path,
            counters,
            reset_to,
            gtid_purged,
        })
    }
}

#[cfg(test)]
mod tests {
    use binlog::{Gtid, Uuid};
    use engine::ids::{CounterKind, TableId};
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn facts_round_trip() {
        let mut facts = Facts {
            through: CommitSeq(7),
            redo_start: Lsn(5000),
            epochs: vec![EpochStart { epoch: 1, lsn: Lsn(4096), segment: SegmentNo(1) }],
            store: StoreFacts {
                last_epoch: 4,
                start: Lsn(9000),
                epochs: vec![EpochStart { epoch: 4, lsn: Lsn(8192), segment: SegmentNo(2) }],
            },
            binlog: Some(BinlogPlace { file: 3, position: 157 }),
            binlog_path: "/data/binlog".to_owned(),
            counters: vec![CounterHigh { table: TableId(4), kind: CounterKind::AutoIncrement, high: 9 }],
            reset_to: Some(1),
            ..Facts::default()
        };
        facts.gtid_executed.add(Gtid { sid: Uuid([1; 16]), gno: 5 });
        facts.gtid_purged.add(Gtid { sid: Uuid([2; 16]), gno: 7 });
        let bytes = facts.encode();
        assert_eq!(Facts::decode(&bytes).unwrap(), facts);
        let added = 4 + 4 + facts.gtid_purged.encoded_len();
        let earlier = [&[VERSION_2], &bytes[1..bytes.len() - added]].concat();
        (facts.reset_to, facts.gtid_purged) = (None, GtidSet::new());
        assert_eq!(Facts::decode(&earlier).unwrap(), facts);
        assert_eq!(Facts::decode(&Facts::default().encode()).unwrap(), Facts::default());
    }

    proptest! {
        #[test]
        fn decoding_any_bytes_ends_without_a_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = Facts::decode(&bytes);
            let _ = Facts::decode(&[&[VERSION], &bytes[..]].concat());
        }
    }
}
