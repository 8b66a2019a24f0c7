//! The binary form of a set: the body of PREVIOUS_GTIDS and the data of COM_BINLOG_DUMP_GTID.
//!
//! | size | field |
//! | --- | --- |
//! | 8 | number of servers |
//! | | for each server, in the order of the UUIDs: |
//! | 16 | UUID |
//! | 8 | number of intervals |
//! | | for each interval, ascending: |
//! | 8 | first number |
//! | 8 | one past the last number |
//!
//! All integers are little endian. MySQL 8.3 and later mark sets with tags in the highest byte of the first field;
//! such a set is refused.
#![deny(clippy::indexing_slicing, clippy::arithmetic_side_effects)]

use std::collections::BTreeMap;

use super::{GNO_MAX, GtidSet, Interval, Uuid};
use crate::decode::{Cursor, DecodeError};
use crate::event::Put;

const COUNT_LEN: usize = 8;
const SID_LEN: usize = 24;
const RUN_LEN: usize = 16;

impl GtidSet {
    /// Bytes of the binary form.
    pub fn encoded_len(&self) -> usize {
        let sids = self.sids().len().saturating_mul(SID_LEN);
        let runs = self.run_count().saturating_mul(RUN_LEN);
        COUNT_LEN.saturating_add(sids).saturating_add(runs)
    }

    /// Appends the binary form.
    pub fn encode(&self, out: &mut Vec<u8>) {
        self.put(out);
    }

    pub(crate) fn put(&self, out: &mut impl Put) {
        out.put(&(self.sids().len() as u64).to_le_bytes());
        for (sid, runs) in self.sids() {
            out.put(&sid.0);
            out.put(&(runs.runs().len() as u64).to_le_bytes());
            for run in runs.runs() {
                out.put(&run.start.to_le_bytes());
                out.put(&run.end.to_le_bytes());
            }
        }
    }

    /// The set that is the whole of `bytes`. Intervals must ascend within a server, as MySQL demands.
    pub fn decode(bytes: &[u8]) -> Result<Self, DecodeError> {
        let mut cursor = Cursor::new(bytes);
        let mut runs = BTreeMap::<Uuid, Vec<Interval>>::new();
        for _ in 0..cursor.u64()? {
            let own = runs.entry(Uuid(cursor.array()?)).or_default();
            let mut floor = 1;
            for _ in 0..cursor.u64()? {
                let run = Interval { start: cursor.u64()?, end: cursor.u64()? };
                if run.start < floor || run.end <= run.start || run.end > GNO_MAX.saturating_add(1) {
                    return Err(DecodeError("GTID intervals are not ascending"));
                }
                floor = run.end.saturating_add(1);
                own.push(run);
            }
        }
        cursor.finish().map(|()| Self::of_runs(runs))
    }
}
