//! What administrators ask of the logs: new binlog files, purging, a clean end.

use std::sync::Arc;

use binlog::event::Stop;
use binlog::finalise::append_final;
use binlog::{BinlogName, ChecksumAlg, GtidSet, Origin, Placement};
use engine::base::Base;
use engine::delta::Delta;
use engine::ids::{CommitSeq, CounterHigh, TrxId};

use crate::ack::Committing;
use crate::admission::Gate;
use crate::checkpoint::Slicing;
use crate::pending::Pending;
use crate::pipeline::Participant;
use crate::record::BinlogPlace;
use crate::sequencer::Rotate;
use crate::strategy::Form;
use crate::{CommitError, FatalError, Pipeline};

/// Changes nothing and holds nothing: takes part in the commit order alone.
struct Nobody;

impl Participant for Nobody {
    fn apply(&mut self, _seq: CommitSeq, _delta: &Delta) {}
    fn release_locks(&mut self, _: CommitSeq) {}
}

/// Why there is no new binlog file.
#[derive(Debug, thiserror::Error)]
pub enum RotateError {
    /// It was refused.
    #[error(transparent)]
    Refused(#[from] CommitError),
    /// A step failed.
    #[error(transparent)]
    Fatal(#[from] FatalError),
}

/// Why a PURGE was refused.
#[derive(Debug, thiserror::Error)]
pub enum PurgeError {
    /// The index does not list it (1373).
    #[error("Target log not found in binlog index")]
    NotFound,
    /// A step failed.
    #[error(transparent)]
    Fatal(#[from] FatalError),
}

/// What a PURGE did.
#[derive(Debug, Default)]
pub struct Purged {
    /// The files that it removed.
    pub gone: Vec<BinlogName>,
    /// The file that it left, and all behind it, because it is read; by how many; how many files were to go.
    pub in_use: Option<(BinlogName, usize, usize)>,
}

impl Pipeline {
    /// What commits may do: [`Gate::Full`] also where the next one would be refused for want of room on the binlog's or the
    /// store's own device.
    pub fn gate(&self) -> Gate {
        let gate = self.admission.gate();
        let store = self.own_store().filter(|_| self.strategy().form() == Form::Stored);
        if gate == Gate::Open && self.room.is_full(self.binlog.is_some(), store) { Gate::Full } else { gate }
    }

    /// FLUSH BINARY LOGS: takes a place in the commit order whose only effect is a new file, whose events end with
    /// `checksum` if that is given. `pending` is empty but for its origin. Resolves when the new file is there.
    pub async fn rotate(
        self: &Arc<Self>,
        trx: TrxId,
        mut pending: Box<Pending>,
        checksum: Option<ChecksumAlg>,
    ) -> Result<Committing, RotateError> {
        pending.passes_read_lock = true;
        if self.binlog.is_some() {
            let gtids = self.publisher.tuple().gtid_executed.encoded_len();
            pending.room = Some(self.room.take_file(gtids as u64)?);
        }
        pending.admitted = self.admit_ticket(&pending).await?;
        pending.form = self.strategy().form();
        let (recent, released) = self.hand_over(trx, pending, &mut Nobody, Rotate::Now(checksum))?;
        self.want_first();
        Ok(Committing::new(Arc::clone(self), recent, released))
    }

    /// PURGE BINARY LOGS TO: removes the files before `target` that the last checkpoint has made superfluous and that
    /// nobody reads, and says which it removed. Take a checkpoint first, to make them so.
    pub fn purge_to(&self, target: &BinlogName) -> Result<Purged, PurgeError> {
        let Some(files) = &self.binlog else { return Ok(Purged::default()) };
        let needed = self.first_needed_binlog().unwrap_or(0);
        let purged = files.purge_below(target, needed)?;
        // Whoever asks for what was purged is not to wait for the disk; an error is his.
        let _ = files.previous_of_first();
        Ok(purged)
    }

    /// The GTIDs of files that were removed, which the first file that is there says, and those that were said to be executed elsewhere.
    pub fn purged_gtids(&self) -> Result<GtidSet, FatalError> {
        let mut purged = self.facts.lock().gtid_purged.clone();
        if let Some(files) = &self.binlog {
            purged.add_set(&files.previous_of_first()?);
        }
        Ok(purged)
    }

    /// The last binlog file that was begun at or before a moment, seconds since 1970: all files before it have ended by
    /// then. `None` if there is none, or the binlog is off.
    pub fn last_binlog_begun_by(&self, unix_seconds: u32) -> Result<Option<BinlogName>, PurgeError> {
        let Some(files) = &self.binlog else { return Ok(None) };
        let names = files.index().names().to_vec();
        let mut last = None;
        for name in names {
            if files.begun_at(&name)? > unix_seconds {
                break;
            }
            last = Some(name);
        }
        Ok(last)
    }

    /// Ends a server run cleanly: a last checkpoint, a STOP event, and the facts say that it all ended there.
    ///
    /// # Panics
    /// If a commit is under way.
    pub fn finish(&self, base: &Base, counters: Vec<CounterHigh>) -> Result<(), FatalError> {
        let checkpoint = self.begin_checkpoint();
        self.run_checkpoint(checkpoint, base, counters, Slicing::default(), || {})?;
        let server_id = self.sequencer.files().server_id;
        let timestamp = u32::try_from(self.clock.unix_us() / 1_000_000).unwrap_or(u32::MAX);
        let Some(end) = self.publisher.tuple().binlog else {
            if self.store.get().is_some() {
                self.change_facts(&self.changing_facts.lock(), base, &[], |facts| {
                    facts.store.need_from(None);
                    Ok(())
                })??;
            }
            self.unlock_store();
            return Ok(());
        };
        let mut stop = Vec::new();
        let origin = Origin { timestamp, server_id };
        append_final(&mut stop, &Stop, origin, Placement::At(end.position), end.checksum);
        self.maker.close(&stop)?;
        self.change_facts(&self.changing_facts.lock(), base, &[], |facts| {
            facts.store.need_from(None);
            facts.binlog = Some(BinlogPlace { file: end.file, position: end.position + stop.len() as u64 });
            Ok(())
        })??;
        if let Some(files) = &self.binlog {
            files.unlock();
        }
        self.unlock_store();
        Ok(())
    }

    /// Nothing of the store is needed any more.
    fn unlock_store(&self) {
        if let Some(store) = self.store.get() {
            store.unlock();
        }
    }
}
