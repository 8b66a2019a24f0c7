//! Aurora's enhanced binlog: events go to a store of their own, a sequenced log beside redo, and both are synced at the
//! same time.
//!
//! | who | does |
//! | --- | --- |
//! | session | ticket, apply; finalises its own events; fills a record in redo, one in the store, and the binlog buffer |
//! | REDO, STORE | each writes and syncs its log; whoever comes second publishes what both reached |
//! | FILES, SYNC | make standard binlog files behind the commits, as in `in_redo` |
//!
//! The store is [`crate::store`]. A commit waits for the slower of two syncs instead of their sum. A store in redo's files is
//! written and synced with redo, by REDO.

use std::sync::atomic::Ordering;

use engine::ids::CommitSeq;
use parking_lot::Mutex;
use redo::Durability;

use super::gather::Gather;
use super::{Form, Harvest, Strategy, StrategyKind, finalise, has_redo, leave, redo_demand};
use crate::fill::RecordEvents;
use crate::pending::Pending;
use crate::{FatalError, Pipeline, Role};

/// See the module.
#[derive(Debug, Default)]
pub(crate) struct Enhanced {
    /// Held by whoever publishes. Rank: after the roles'.
    harvest: Mutex<Harvest>,
    /// Passes of the store since its last sync. Held by whoever carries it.
    passes: Mutex<u32>,
    /// For redo and for the store: what comes before a sync, and the first transaction that had no ticket at the last one.
    /// Held by whoever plays the role. Rank: before the harvest's.
    gathers: [Mutex<(Gather, CommitSeq)>; 2],
}

impl Enhanced {
    /// How far `sync_binlog` and `wait_binlog_flush` have the store carried now.
    fn store_demand(&self, pipeline: &Pipeline) -> Durability {
        let mut passes = self.passes.lock();
        *passes += 1;
        let every = pipeline.settings.sync_binlog.load(Ordering::Relaxed);
        if waits_for_files(pipeline) || every > 0 && *passes >= every {
            *passes = 0;
            return Durability::Synced;
        }
        Durability::Written
    }

    /// Waits for those who are about to come, if that is worth it.
    fn gather(&self, pipeline: &Pipeline, log: usize) {
        let (gather, next) = &mut *self.gathers[log].lock();
        gather.expect(&self.harvest.lock().gather);
        gather.wait(pipeline, *next);
        *next = pipeline.last_drawn().next();
    }

    /// Publishes what both logs have reached.
    fn publish(&self, pipeline: &Pipeline) {
        let mut harvest = self.harvest.lock();
        let Some(store) = pipeline.store() else { return };
        let stored = || match pipeline.settings.sync_binlog.load(Ordering::Relaxed) {
            1 => store.synced(),
            _ if waits_for_files(pipeline) => store.synced(),
            _ => store.written(),
        };
        let is_durable = |pending: &Pending| {
            has_redo(pipeline, redo_demand(pipeline), pending) && pending.ticket().store_end <= stored()
        };
        let done = harvest.take(pipeline, is_durable);
        pipeline.leave_to_files(done, waits_for_files(pipeline));
    }
}

/// Who waits for the files waits for both syncs: they are made of what survives, and whoever comes to what is not there yet
/// leaves it until somebody comes by.
fn waits_for_files(pipeline: &Pipeline) -> bool {
    pipeline.settings.wait_binlog_flush.load(Ordering::Relaxed)
}

impl Strategy for Enhanced {
    fn kind(&self) -> StrategyKind {
        StrategyKind::Enhanced
    }

    fn form(&self) -> Form {
        Form::Stored
    }

    fn fill(&self, pipeline: &Pipeline, pending: &mut Pending) -> Result<(), FatalError> {
        let events = finalise(pipeline, pending);
        let stored = events.as_ref().map(|events| {
            let (head, tail) = events.edges();
            RecordEvents::Stored(pipeline.fill_stored(pending, head, tail))
        });
        pipeline.fill_record(pending, stored);
        leave(pipeline, pending, events);
        Ok(())
    }

    fn first_roles(&self, pipeline: &Pipeline) -> &'static [Role] {
        if pipeline.own_store().is_some() { &[Role::Store, Role::Redo] } else { &[Role::Redo] }
    }

    fn step(&self, pipeline: &Pipeline, role: Role) -> Result<(), FatalError> {
        match role {
            Role::Redo => {
                self.gather(pipeline, 0);
                let demand = redo_demand(pipeline);
                if pipeline.own_store().is_some() {
                    pipeline.redo_by(demand)?;
                } else {
                    let store = self.store_demand(pipeline);
                    pipeline.redo_step(demand.map_or(store, |demand| demand.max(store)))?;
                }
                self.publish(pipeline);
                Ok(())
            }
            // Who waits for room in either log's ring wants both carried; REDO does that.
            Role::Store if pipeline.own_store().is_none() => Ok(()),
            Role::Store => {
                self.gather(pipeline, 1);
                pipeline.store_step(self.store_demand(pipeline))?;
                self.publish(pipeline);
                Ok(())
            }
            Role::Files => pipeline.write_files(),
            Role::Sync => pipeline.sync_files_if_due(),
            Role::Flush => Ok(()),
        }
    }

    fn begin(&self, last: CommitSeq) {
        self.harvest.lock().begin(last);
    }
}
