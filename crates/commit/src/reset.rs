//! RESET BINARY LOGS AND GTIDS, and `gtid_purged` set: the binlog's past is another one from here on.
//!
//! Both happen while no ticket is under way. RESET takes a checkpoint first, so that redo needs no binlog file; then the
//! facts say that a RESET is under way, which is the moment that decides: whoever recovers from there completes it.
//!
//! | on disk | a crash behind it leaves |
//! | --- | --- |
//! | 1. the checkpoint | the log as it was |
//! | 2. facts: RESET is under way, no GTIDs | recovery goes on at 3 |
//! | 3. an empty index, then no files, then the first new one | the same |
//! | 4. facts: it has ended | the new log |

use binlog::GtidSet;
use binlog::gtid::GNO_MAX;
use engine::base::Base;
use engine::ids::CounterHigh;

use crate::checkpoint::Slicing;
use crate::sequencer::BinlogEnd;
use crate::switch::Quiet;
use crate::{FatalError, Pipeline};

/// Why `gtid_purged` stays as it is.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PurgedRefused {
    /// What it was is not part of what it should be.
    #[error("the new value must be a superset of the old value")]
    NotMore,
    /// Some of what would be added was executed here.
    #[error("the added gtid set must not overlap with @@GLOBAL.GTID_EXECUTED")]
    Executed,
    /// A binlog file begins with all of them, and its first bytes travel through redo's ring.
    #[error("the set has too many gaps: its binary form is larger than a quarter of innodb_log_buffer_size")]
    TooMany,
    /// A commit that finds no number behind its ticket would have to end the process.
    #[error(
        "the set takes more than half of all numbers of a UUID: a server of that UUID would run out of them"
    )]
    FewLeft,
    /// What it was cannot be read.
    #[error("the first binlog file, which says what was purged, cannot be read: {0}")]
    Unreadable(String),
}

impl Quiet {
    /// Removes all binlog files, forgets all GTIDs and begins the log anew with file number `first`. Without a binlog only
    /// the GTIDs go. `counters` are the tables' current ones. Whoever follows the log is told that it has ended. Blocks.
    pub fn reset_binlog(
        &self,
        first: u32,
        base: &Base,
        counters: Vec<CounterHigh>,
    ) -> Result<(), FatalError> {
        let pipeline = self.pipeline();
        let _one_at_a_time = pipeline.switching.lock();
        let checkpoint = pipeline.begin_checkpoint();
        let _no_other = pipeline.carry(checkpoint, base, counters, Slicing::default(), &mut || {})?;
        let changing = pipeline.changing_facts.lock();
        pipeline.change_facts(&changing, base, &[], |facts| {
            (facts.gtid_executed, facts.gtid_purged) = (GtidSet::new(), GtidSet::new());
            if pipeline.binlog.is_some() {
                (facts.binlog, facts.reset_to) = (None, Some(first));
            }
            Ok(())
        })??;
        let end = pipeline.begin_anew(first)?;
        pipeline.change_facts(&changing, base, &[], |facts| {
            if let Some(end) = &end {
                (facts.binlog, facts.reset_to) = (Some(end.place()), None);
            }
            Ok(())
        })??;
        pipeline.sequencer.reset(end.clone());
        pipeline.publisher.reset(end);
        pipeline.forget_acknowledgements();
        pipeline.end_readers();
        Ok(())
    }

    /// Says that GTIDs were executed elsewhere: `gtids` in all, or these beside those that were said before.
    pub fn set_purged_gtids(
        &self,
        gtids: &GtidSet,
        beside: bool,
        base: &Base,
    ) -> Result<Result<(), PurgedRefused>, FatalError> {
        let pipeline = self.pipeline();
        let _one_at_a_time = pipeline.switching.lock();
        let purged = match pipeline.purged_gtids() {
            Ok(purged) => purged,
            Err(error) => return Ok(Err(PurgedRefused::Unreadable(error.to_string()))),
        };
        if !beside && !purged.is_subset(gtids) {
            return Ok(Err(PurgedRefused::NotMore));
        }
        let mut added = gtids.clone();
        if !beside {
            added.subtract(&purged);
        }
        let mut all = pipeline.publisher.tuple().gtid_executed;
        if added.intersects(&all) {
            return Ok(Err(PurgedRefused::Executed));
        }
        all.add_set(&added);
        if all.encoded_len() > pipeline.redo.ring().capacity() / 4 {
            return Ok(Err(PurgedRefused::TooMany));
        }
        if all.sids().any(|(_, numbers)| numbers.count() > GNO_MAX / 2) {
            return Ok(Err(PurgedRefused::FewLeft));
        }
        pipeline.change_facts(&pipeline.changing_facts.lock(), base, &[], |facts| {
            facts.gtid_purged.add_set(&added);
            facts.settle_gtids();
            Ok(())
        })??;
        pipeline.sequencer.add_gtids(&added);
        pipeline.publisher.add_gtids(&added);
        Ok(Ok(()))
    }
}

impl Pipeline {
    /// Removes the binlog's files and begins the first new one. Returns where the log ends then.
    fn begin_anew(&self, first: u32) -> Result<Option<BinlogEnd>, FatalError> {
        let (Some(files), Some(end)) = (&self.binlog, self.publisher.tuple().binlog) else { return Ok(None) };
        let context = self.sequencer.files();
        let now = u32::try_from(self.clock.unix_us() / 1_000_000).unwrap_or(u32::MAX);
        let header = context.header(now, 0, end.checksum, &GtidSet::new());
        let mut maker = self.maker.end();
        if let Some(appender) = &mut maker.appender {
            appender.give_up();
        }
        maker.appender = Some(files.begin_anew(first, context, &header)?);
        Ok(Some(BinlogEnd { file: first, position: header.len() as u64, checksum: end.checksum }))
    }
}
